//! A chunk: its header, and records told by the header's id and record length.

use std::ops::{Deref, DerefMut};

use binrw::io::{Read, Seek, Write};
use binrw::{BinRead, BinResult, BinWrite, Endian, binrw};

use super::{
    Bone, Curve, Face, Face32, InstanceMaterial, Key, Landscape, Material, MorphDelta, MorphInfo,
    MorphTarget, PackedWedge, PhysicsBody, PositionKey, RotationKey, ScaleKey, Sequence, ShapeElement,
    ShortMaterial, Socket, SparseSequence, SparseSequence68, TrackFlags, VertexColor, Wedge, Weight,
    WorldActor,
};
use crate::schema::{Items, Node, NodeMut, Schema, Shape, Value};
use crate::wire::{Blob, FixedLenList, FixedStr, List, TooMany, count_of, counter, list_with};

/// A header of 32 bytes and the records it announces.
///
/// ```
/// use bindpose::formats::psk::{Chunk, Records};
/// let chunk = Chunk::new("PNTS0000", Records::Points(vec![[0.0; 3]; 5].into()));
/// assert_eq!((chunk.records.data_size(), chunk.records.len()), (12, 5));
/// ```
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// What the records are, up to 19 characters; some writers leave residue behind the NUL.
    pub id: FixedStr<20>,
    /// A date that stamps the version, on the first chunk or on all; 0 elsewhere.
    pub type_flag: i32,
    /// Bytes of a record.
    #[br(temp, parse_with = counter)]
    #[bw(calc = records.data_size())]
    data_size: i32,
    /// How many records there are.
    #[br(temp, parse_with = counter)]
    #[bw(try_calc = records.data_count())]
    #[schema(counts = "records")]
    data_count: i32,
    /// The records.
    #[br(args(id, data_size, data_count))]
    #[schema(args("id.to_s(\"ASCII\")", "data_size", "data_count"))]
    pub records: Records,
}

impl Chunk {
    /// A chunk with version stamp 0. Of the id 20 bytes are taken.
    #[must_use]
    pub fn new(id: &str, records: Records) -> Self {
        let mut own = [0; 20];
        own.iter_mut().zip(id.bytes()).for_each(|(own, byte)| *own = byte);
        Self { id: FixedStr(own), type_flag: 0, records }
    }

    /// A chunk without records, with the version stamp of current writers.
    pub(super) fn head(id: &str) -> Self {
        Self { type_flag: 20_100_422, ..Self::new(id, Records::Raw(Raw::default())) }
    }
}

/// What a chunk can hold. A known id with another record length stays raw.
#[derive(Schema)]
#[schema(tag(id: FixedStr<20>), import(data_size: i32, data_count: i32))]
#[derive(Clone, Debug, PartialEq)]
pub enum Records {
    /// Positions x, y, z in model units.
    #[schema(when = id == "PNTS0000" && data_size == 12)]
    #[br(args(data_count.into()))]
    Points(List<[f32; 3]>),
    /// Points with texture coordinates.
    #[schema(when = (id == "VTXW0000" || id == "VTXW3200") && data_size == 16)]
    #[br(args(data_count.into()))]
    Wedges(List<Wedge>),
    /// Points with texture coordinates, without bytes between; of one extractor.
    #[schema(when = id == "VTXW3200" && data_size == 13)]
    #[br(args(data_count.into()))]
    PackedWedges(List<PackedWedge>),
    /// Triangles over at most 65,536 wedges.
    #[schema(when = id == "FACE0000" && data_size == 12)]
    #[br(args(data_count.into()))]
    Faces(List<Face>),
    /// Triangles over more wedges than that.
    #[schema(when = id == "FACE3200" && data_size == 18)]
    #[br(args(data_count.into()))]
    Faces32(List<Face32>),
    /// Materials.
    #[schema(when = id == "MATT0000" && data_size == 88)]
    #[br(args(data_count.into()))]
    Materials(List<Material>),
    /// Materials without auxiliary flags; of one extractor.
    #[schema(when = id == "MATT0000" && data_size == 84)]
    #[br(args(data_count.into()))]
    ShortMaterials(List<ShortMaterial>),
    /// The skeleton.
    #[schema(when = (id == "REFSKELT" || id == "REFSKEL0" || id == "BONENAMES") && data_size == 120)]
    #[br(args(data_count.into()))]
    Bones(List<Bone>),
    /// Influences of bones on points.
    #[schema(when = (id == "RAWWEIGHTS" || id == "RAWW0000") && data_size == 12)]
    #[br(args(data_count.into()))]
    Weights(List<Weight>),
    /// A colour for each wedge.
    #[schema(when = id == "VERTEXCOLOR" && data_size == 4)]
    #[br(args(data_count.into()))]
    VertexColors(List<VertexColor>),
    /// A further u, v for each wedge; a chunk for each further channel, sometimes all with the same id.
    #[schema(when = id.starts_with("EXTRAUV") && data_size == 8)]
    #[br(args(data_count.into()))]
    ExtraUvs(List<[f32; 2]>),
    /// A normal for each point.
    #[schema(when = id == "VTXNORMS" && data_size == 12)]
    #[br(args(data_count.into()))]
    Normals(List<[f32; 3]>),
    /// A tangent x, y, z and the sign of the binormal, for each point.
    #[schema(when = id == "VTXTANGS" && data_size == 16)]
    #[br(args(data_count.into()))]
    Tangents(List<[f32; 4]>),
    /// Names and lengths of morph targets.
    #[schema(when = id == "MRPHINFO" && data_size == 68)]
    #[br(args(data_count.into()))]
    MorphInfos(List<MorphInfo>),
    /// Moved points of all morph targets, one target after the other.
    #[schema(when = id == "MRPHDATA" && data_size == 28)]
    #[br(args(data_count.into()))]
    MorphDeltas(List<MorphDelta>),
    /// Places on bones where things are attached.
    #[schema(when = id == "SKELSOCK" && data_size == 164)]
    #[br(args(data_count.into()))]
    Sockets(List<Socket>),
    /// Animations.
    #[schema(when = id == "ANIMINFO" && data_size == 168)]
    #[br(args(data_count.into()))]
    Sequences(List<Sequence>),
    /// Position and rotation: sequence by sequence, in it frame by frame, in that bone by bone.
    #[schema(when = id == "ANIMKEYS" && data_size == 32)]
    #[br(args(data_count.into()))]
    Keys(List<Key>),
    /// Scale: none, one for each key, or one for each key of the sequences that say they have them.
    #[schema(when = id == "SCALEKEYS" && data_size == 16)]
    #[br(args(data_count.into()))]
    ScaleKeys(List<ScaleKey>),
    /// Blend curves of a sequence; a chunk for each sequence, in their order.
    #[schema(when = id.ends_with(":CUR") && data_size >= 128 && data_size % 4 == 0)]
    #[br(args(data_size, data_count))]
    #[schema(args("data_count", "(data_size - 128) / 4"))]
    Curves(Curves),
    /// What is left out of each bone in each sequence; of UE Viewer's oldest builds.
    #[schema(when = id == "ANIMFLAGS" && data_size == 1)]
    #[br(args(data_count.into()))]
    TrackFlags(List<TrackFlags>),
    /// Wedges that a morph target moves; a chunk for each target.
    #[schema(when = id.starts_with("MORPHTARGET") && data_size == 16)]
    #[br(args(data_count.into()))]
    MorphTargets(List<MorphTarget>),
    /// Names of morph targets.
    #[schema(when = id == "MORPHNAMES" && data_size == 64)]
    #[br(args(data_count.into()))]
    MorphNames(List<FixedStr<64>>),
    /// Bodies of the physics engine.
    #[schema(when = id == "PHYSICS0" && data_size == 101)]
    #[br(args(data_count.into()))]
    PhysicsBodies(List<PhysicsBody>),
    /// Shapes for collision.
    #[schema(when = id == "SHAPEELEMS" && data_size == 108)]
    #[br(args(data_count.into()))]
    ShapeElements(List<ShapeElement>),
    /// Sequences whose tracks have keys at their own times.
    #[schema(when = id == "SEQUENCES" && data_size == 72)]
    #[br(args(data_count.into()))]
    SparseSequences(List<SparseSequence>),
    /// The same in an earlier revision.
    #[schema(when = id == "SEQUENCES" && data_size == 68)]
    #[br(args(data_count.into()))]
    SparseSequences68(List<SparseSequence68>),
    /// Positions of one bone in one sequence.
    #[schema(when = id.starts_with("POSTRACK") && data_size == 16)]
    #[br(args(data_count.into()))]
    PositionTrack(List<PositionKey>),
    /// Rotations of one bone in one sequence.
    #[schema(when = id.starts_with("ROTTRACK") && data_size == 20)]
    #[br(args(data_count.into()))]
    RotationTrack(List<RotationKey>),
    /// What stands in a world.
    #[schema(when = id == "WORLDACTORS" && data_size == 368)]
    #[br(args(data_count.into()))]
    WorldActors(List<WorldActor>),
    /// Materials that an actor has instead of its asset's own.
    #[schema(when = id == "INSTMATERIAL" && data_size == 72)]
    #[br(args(data_count.into()))]
    InstanceMaterials(List<InstanceMaterial>),
    /// Tiles of a landscape.
    #[schema(when = id == "LANDSCAPE" && data_size == 296)]
    #[br(args(data_count.into()))]
    Landscapes(List<Landscape>),
    /// Everything else, byte by byte.
    #[schema(raw)]
    #[br(args(data_size, data_count))]
    #[schema(args("data_size * data_count"))]
    Raw(Raw),
}

impl Records {
    /// Bytes of a record, as the header says them.
    #[must_use]
    pub fn data_size(&self) -> i32 {
        match self {
            Self::Raw(raw) => raw.data_size,
            Self::Curves(curves) => curves.data_size,
            records => {
                records.items().and_then(Items::item_size).map_or(0, |size| i32::try_from(size).unwrap_or(0))
            }
        }
    }

    /// How many records there are, as the header says it.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Raw(raw) => usize::try_from(raw.data_count).unwrap_or(0),
            records => records.items().map_or(0, Items::len),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn data_count(&self) -> Result<i32, TooMany> {
        count_of(self.len())
    }

    fn items(&self) -> Option<&dyn Items> {
        match self.node() {
            Node::Items(items) => Some(items),
            _ => None,
        }
    }
}

/// Records of unknown meaning, or none at all: what the header announced, and the bytes.
///
/// ```
/// use bindpose::formats::psk::Raw;
/// assert_eq!(Raw::new(9, 1, vec![0xcd; 9]).unwrap().bytes(), [0xcd; 9]);
/// assert!(Raw::new(0, 5, vec![]).is_some(), "records without bytes can be any number");
/// assert!(Raw::new(4, 2, vec![0; 9]).is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Raw {
    data_size: i32,
    data_count: i32,
    bytes: Blob,
}

impl Raw {
    /// So many records of so many bytes; `None` where the bytes are not as many.
    #[must_use]
    pub fn new(data_size: i32, data_count: i32, bytes: Vec<u8>) -> Option<Self> {
        let fits = data_size >= 0
            && data_count >= 0
            && usize::try_from(product(data_size, data_count)) == Ok(bytes.len());
        fits.then_some(Self { data_size, data_count, bytes: Blob(bytes) })
    }

    /// All records in a row.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes.0
    }
}

/// Two numbers of 32 bits cannot overflow 64.
fn product(data_size: i32, data_count: i32) -> i64 {
    i64::from(data_size) * i64::from(data_count)
}

impl BinRead for Raw {
    type Args<'a> = (i32, i32);

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        endian: Endian,
        (data_size, data_count): (i32, i32),
    ) -> BinResult<Self> {
        let bytes = Blob::read_options(reader, endian, (product(data_size, data_count),))?;
        Ok(Self { data_size, data_count, bytes })
    }
}

impl BinWrite for Raw {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        self.bytes.write_options(writer, endian, ())
    }
}

impl Value for Raw {
    fn size(&self) -> u64 {
        self.bytes.size()
    }
    fn node(&self) -> Node<'_> {
        self.bytes.node()
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        self.bytes.node_mut()
    }
}

impl Schema for Raw {
    fn shape() -> Shape {
        Blob::shape()
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::default()
    }
}

/// Blend curves of one sequence, all as long as the header's record length says, also where there are none.
///
/// ```
/// use bindpose::formats::psk::Curves;
/// assert_eq!(Curves::new(30).num_frames(), 30);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    data_size: i32,
    curves: List<Curve>,
}

impl Curves {
    /// Bytes of a curve in front of its weights.
    const NAME: i32 = 128;

    /// No curves yet, for a sequence of so many frames, or as many as a record length can tell of.
    #[must_use]
    pub fn new(num_frames: usize) -> Self {
        let most = (i32::MAX - Self::NAME) / 4;
        let num_frames = i32::try_from(num_frames).unwrap_or(most).min(most);
        Self { data_size: Self::NAME + 4 * num_frames, curves: List::default() }
    }

    /// Weights of each curve.
    #[must_use]
    pub fn num_frames(&self) -> usize {
        usize::try_from((self.data_size - Self::NAME) / 4).unwrap_or(0)
    }
}

impl BinRead for Curves {
    type Args<'a> = (i32, i32);

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        endian: Endian,
        (data_size, data_count): (i32, i32),
    ) -> BinResult<Self> {
        let num_frames = data_size.saturating_sub(Self::NAME) / 4;
        let curves = list_with(reader, endian, (data_count.into(), (num_frames.into(),)))?;
        Ok(Self { data_size, curves })
    }
}

impl BinWrite for Curves {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        if self.curves.iter().any(|curve| curve.weights.len() != self.num_frames()) {
            let pos = writer.stream_position()?;
            return Err(binrw::Error::AssertFail {
                pos,
                message: "curves of a chunk are equally long".into(),
            });
        }
        self.curves.write_options(writer, endian, ())
    }
}

impl Value for Curves {
    fn size(&self) -> u64 {
        self.curves.size()
    }
    fn node(&self) -> Node<'_> {
        Node::Items(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Items(self)
    }
}

impl Items for Curves {
    fn len(&self) -> usize {
        self.curves.len()
    }
    fn item(&self, index: usize) -> Option<&dyn Value> {
        self.curves.item(index)
    }
    fn item_mut(&mut self, index: usize) -> Option<&mut dyn Value> {
        self.curves.item_mut(index)
    }
    fn insert(&mut self, index: usize) -> bool {
        let fits = index <= self.curves.len();
        if fits {
            let weights = FixedLenList::zeros(self.num_frames());
            (*self.curves).insert(index, Curve { name: FixedStr::default(), weights });
        }
        fits
    }
    fn remove(&mut self, index: usize) -> bool {
        Items::remove(&mut self.curves, index)
    }
}

impl Schema for Curves {
    fn shape() -> Shape {
        List::<Curve>::shape()
    }
    fn blank(like: Option<&Self>) -> Self {
        Self::new(like.map_or(0, Self::num_frames))
    }
}

impl Deref for Curves {
    type Target = Vec<Curve>;

    fn deref(&self) -> &Vec<Curve> {
        &self.curves
    }
}

impl DerefMut for Curves {
    fn deref_mut(&mut self) -> &mut Vec<Curve> {
        &mut self.curves
    }
}
