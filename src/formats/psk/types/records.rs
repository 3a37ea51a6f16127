//! The table of chunks, and the records that they contain.

use super::{
    Bone, ChunkKind, Content, Curve, Curves, Face, Face32, IdPattern, InstanceMaterial, Key, Landscape,
    Material, MorphDelta, MorphInfo, MorphTarget, PackedWedge, PhysicsBody, PositionKey, Presence, Raw,
    RotationKey, ScaleKey, Sequence, ShapeElement, ShortMaterial, Socket, SparseSequence, SparseSequence68,
    TrackFlags, VertexColor, Wedge, Weight, WorldActor, head_size, record_size, stamp,
};
use crate::schema::{Items, Node, Schema, Value};
use crate::wire::{FixedStr, List, TooMany, count_of};

/// Defines [`CHUNKS`] and [`Records`] from one table: the ids, and the records that chunks with these ids contain. Where
/// there are several, the size in the header selects one; it follows from the type.
macro_rules! chunks {
    (
        curves $curve_ids:tt
        $($ids:tt => { $($(#[$doc:meta])+ $variant:ident($record:ty),)* })+
    ) => {
        chunks!(@records $curve_ids, $($({ $ids $(#[$doc])+ $variant($record) })*)+);

        /// The kinds by name.
        impl ChunkKind {
            $(chunks!(@kinds [$(record_size::<$record>()),*], $ids);)+
            chunks!(@kinds [head_size::<Curve>()], $curve_ids);
        }

        /// Every kind of chunk with a known meaning; the required ones in the order in which they are written.
        pub const CHUNKS: &[ChunkKind] = &chunks!(@names $($ids)+ $curve_ids);
    };
    (@kinds $sizes:expr, [$($name:ident: $content:ident $test:ident($id:tt) $presence:expr;)+]) => {
        $(
            #[doc = concat!("`", $id, "`.")]
            pub const $name: Self = Self {
                id: chunks!(@$test $id),
                content: Content::$content,
                presence: $presence,
                record_sizes: &$sizes,
            };
        )+
    };
    (@names $([$($name:ident: $content:ident $test:ident($id:tt) $presence:expr;)+])+) => {
        [$($(ChunkKind::$name),+),+]
    };
    (@eq $id:tt) => { IdPattern::Exact($id) };
    (@starts_with $id:tt) => { IdPattern::Prefix($id) };
    (@ends_with $id:tt) => { IdPattern::Suffix($id) };
    (
        @records [$($_name:ident: $_content:ident $curve_test:ident($curve_id:tt) $_presence:expr;)+],
        $({
            [$($name:ident: $content:ident $test:ident($id:tt) $presence:expr;)+]
            $(#[$doc:meta])+ $variant:ident($record:ty)
        })+
    ) => {
        /// The records of a chunk. A known id with an unknown record size is read as bytes.
        #[derive(Schema)]
        #[schema(tag(id: FixedStr<20>), import(data_size: i32, data_count: i32))]
        #[derive(Clone, Debug, PartialEq)]
        pub enum Records {
            $(
                $(#[$doc])+
                #[schema(when = ($(id.$test(&$id))||+) && data_size == record_size::<$record>())]
                #[br(args(data_count.into()))]
                $variant(List<$record>),
            )+
            /// Blend curves of a sequence; a chunk for each sequence, in their order.
            #[schema(when = ($(id.$curve_test(&$curve_id))||+) && data_size >= head_size::<Curve>()
                && data_size % record_size::<f32>() == 0)]
            #[br(args(data_count.into(), i64::from((data_size - head_size::<Curve>()) / record_size::<f32>())))]
            Curves(Curves),
            /// Everything else, as bytes.
            #[schema(raw)]
            #[br(args(data_size, data_count))]
            #[schema(args(data_size * data_count))]
            Raw(Raw),
        }
    };
}

use Presence::{Only, Optional, Since};

const SNUGGLE: &str = "Snuggle";

chunks! {
    curves [CURVES: Animations ends_with(":CUR") Since(stamp::CURVES);]
    [MESH_HEAD: Mesh eq("ACTRHEAD") Since(stamp::FIRST);] => {}
    [WORLD_HEAD: Mesh eq("WRLDHEAD") Only(SNUGGLE);] => {}
    [ANIMATION_HEAD: Animations eq("ANIMHEAD") Since(stamp::FIRST);] => {}
    [SPARSE_HEAD: Animations eq("ANIXHEAD") Only(SNUGGLE);] => {}
    [POINTS: Mesh eq("PNTS0000") Since(stamp::FIRST);] => {
        /// Positions x, y, z in model units.
        #[schema(axis = "point", point)]
        Points([f32; 3]),
    }
    [
        WEDGES: Mesh eq("VTXW0000") Since(stamp::FIRST);
        WEDGES_32: Mesh eq("VTXW3200") Only(SNUGGLE);
    ] => {
        /// Points with texture coordinates.
        #[schema(axis = "wedge")]
        Wedges(Wedge),
        /// Points with texture coordinates, without padding; written by one extractor.
        #[schema(axis = "wedge")]
        PackedWedges(PackedWedge),
    }
    [FACES: Mesh eq("FACE0000") Since(stamp::FIRST);] => {
        /// Triangles over at most 65,536 wedges.
        Faces(Face),
    }
    [FACES_32: Mesh eq("FACE3200") Optional;] => {
        /// Triangles over more than 65,536 wedges.
        Faces32(Face32),
    }
    [MATERIALS: Mesh eq("MATT0000") Since(stamp::FIRST);] => {
        /// Materials.
        #[schema(axis = "material")]
        Materials(Material),
        /// Materials without auxiliary flags; written by one extractor.
        #[schema(axis = "material")]
        ShortMaterials(ShortMaterial),
    }
    [
        BONES: Mesh eq("REFSKELT") Since(stamp::FIRST);
        SNUGGLE_BONES: Mesh eq("REFSKEL0") Only(SNUGGLE);
        ANIMATED_BONES: Animations eq("BONENAMES") Since(stamp::FIRST);
    ] => {
        /// The skeleton.
        #[schema(axis = "bone")]
        Bones(Bone),
    }
    [
        WEIGHTS: Mesh eq("RAWWEIGHTS") Since(stamp::FIRST);
        SNUGGLE_WEIGHTS: Mesh eq("RAWW0000") Only(SNUGGLE);
    ] => {
        /// Influences of bones on points.
        Weights(Weight),
    }
    [VERTEX_COLORS: Mesh eq("VERTEXCOLOR") Optional;] => {
        /// A colour for each wedge.
        VertexColors(VertexColor),
    }
    [EXTRA_UVS: Mesh starts_with("EXTRAUV") Optional;] => {
        /// Additional texture coordinates u, v for each wedge; a chunk for each channel, some writers give all the same id.
        ExtraUvs([f32; 2]),
    }
    [NORMALS: Mesh eq("VTXNORMS") Optional;] => {
        /// A normal for each point.
        Normals([f32; 3]),
    }
    [TANGENTS: Mesh eq("VTXTANGS") Only(SNUGGLE);] => {
        /// A tangent x, y, z and the sign of the binormal, for each point.
        Tangents([f32; 4]),
    }
    [MORPH_INFOS: Mesh eq("MRPHINFO") Optional;] => {
        /// Names and lengths of morph targets.
        MorphInfos(MorphInfo),
    }
    [MORPH_DELTAS: Mesh eq("MRPHDATA") Optional;] => {
        /// Offsets of points: all of the first morph target, then all of the next.
        MorphDeltas(MorphDelta),
    }
    [SOCKETS: Mesh eq("SKELSOCK") Optional;] => {
        /// Attachment points on bones.
        Sockets(Socket),
    }
    [SEQUENCES: Animations eq("ANIMINFO") Since(stamp::FIRST);] => {
        /// Animations.
        Sequences(Sequence),
    }
    [KEYS: Animations eq("ANIMKEYS") Since(stamp::FIRST);] => {
        /// Position and rotation: by sequence, then by frame, then by bone.
        Keys(Key),
    }
    [SCALE_KEYS: Animations eq("SCALEKEYS") Since(stamp::SCALE_KEYS);] => {
        /// Scale: none, one for each key, or one for each key of the sequences whose flag is set.
        ScaleKeys(ScaleKey),
    }
    [TRACK_FLAGS: Animations eq("ANIMFLAGS") Optional;] => {
        /// The omitted parts of each bone's track in each sequence; written by the oldest builds of UE Viewer.
        TrackFlags(TrackFlags),
    }
    [MORPH_TARGETS: Mesh starts_with("MORPHTARGET") Only(SNUGGLE);] => {
        /// Wedges that a morph target moves; a chunk for each target.
        MorphTargets(MorphTarget),
    }
    [MORPH_NAMES: Mesh eq("MORPHNAMES") Only(SNUGGLE);] => {
        /// Names of morph targets.
        MorphNames(FixedStr<64>),
    }
    [PHYSICS_BODIES: Mesh eq("PHYSICS0") Only(SNUGGLE);] => {
        /// Bodies of the physics engine.
        PhysicsBodies(PhysicsBody),
    }
    [SHAPE_ELEMENTS: Mesh eq("SHAPEELEMS") Only(SNUGGLE);] => {
        /// Collision shapes.
        ShapeElements(ShapeElement),
    }
    [SPARSE_SEQUENCES: Animations eq("SEQUENCES") Only(SNUGGLE);] => {
        /// Sequences whose keys have times of their own.
        SparseSequences(SparseSequence),
        /// Such sequences in an earlier revision.
        SparseSequences68(SparseSequence68),
    }
    [POSITION_TRACK: Animations starts_with("POSTRACK") Only(SNUGGLE);] => {
        /// Positions of one bone in one sequence.
        PositionTrack(PositionKey),
    }
    [ROTATION_TRACK: Animations starts_with("ROTTRACK") Only(SNUGGLE);] => {
        /// Rotations of one bone in one sequence.
        RotationTrack(RotationKey),
    }
    [WORLD_ACTORS: Mesh eq("WORLDACTORS") Only(SNUGGLE);] => {
        /// Objects placed in a world.
        #[schema(axis = "actor")]
        WorldActors(WorldActor),
    }
    [INSTANCE_MATERIALS: Mesh eq("INSTMATERIAL") Only(SNUGGLE);] => {
        /// Materials that an actor has instead of those of its asset.
        InstanceMaterials(InstanceMaterial),
    }
    [LANDSCAPES: Mesh eq("LANDSCAPE") Only(SNUGGLE);] => {
        /// Tiles of a landscape.
        Landscapes(Landscape),
    }
}

impl Records {
    /// Returns whether a mesh in a scene can have such records.
    pub(in crate::formats::psk) const fn is_of_mesh(&self) -> bool {
        matches!(
            self,
            Self::Points(_)
                | Self::Wedges(_)
                | Self::PackedWedges(_)
                | Self::Faces(_)
                | Self::Faces32(_)
                | Self::Materials(_)
                | Self::ShortMaterials(_)
                | Self::Bones(_)
                | Self::Weights(_)
                | Self::VertexColors(_)
                | Self::ExtraUvs(_)
                | Self::Normals(_)
                | Self::MorphInfos(_)
                | Self::MorphDeltas(_)
                | Self::Sockets(_)
        )
    }

    /// Returns whether a clip in a scene can have such records.
    pub(in crate::formats::psk) const fn is_of_animation(&self) -> bool {
        matches!(
            self,
            Self::Bones(_) | Self::Sequences(_) | Self::Keys(_) | Self::ScaleKeys(_) | Self::Curves(_)
        )
    }

    /// Returns the size of a record as the header states it.
    #[must_use]
    pub fn data_size(&self) -> i32 {
        match self {
            Self::Raw(raw) => raw.data_size,
            Self::Curves(curves) => curves.data_size(),
            records => {
                records.items().and_then(Items::item_size).map_or(0, |size| i32::try_from(size).unwrap_or(0))
            }
        }
    }

    /// Returns the number of records as the header states it.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Raw(raw) => usize::try_from(raw.data_count).unwrap_or(0),
            records => records.items().map_or(0, Items::len),
        }
    }

    /// Returns whether there are no records.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn data_count(&self) -> Result<i32, TooMany> {
        match self {
            Self::Raw(raw) => Ok(raw.data_count),
            records => count_of(records.items().map_or(0, Items::announced)),
        }
    }

    fn items(&self) -> Option<&dyn Items> {
        match self.node() {
            Node::Items(items) => Some(items),
            _ => None,
        }
    }
}
