//! Records of a dialect that other extractors use: collision, sparse tracks, worlds. No real file is known.

use binrw::binrw;

use crate::schema::Schema;
use crate::wire::FixedStr;

/// A wedge that a morph target moves.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// Index into the wedges.
    #[schema(index_of("wedge"))]
    pub wedge_index: i32,
    /// x, y, z.
    #[schema(point)]
    pub position: [f32; 3],
}

/// A body of the physics engine.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhysicsBody {
    /// Name of the bone.
    #[schema(name_of = "bone")]
    pub bone_name: FixedStr<64>,
    /// The kind of shape.
    pub kind: u8,
    /// Translation relative to the bone.
    #[schema(point)]
    pub offset: [f32; 3],
    /// Rotation relative to the bone.
    pub rotation: [f32; 3],
    /// Extent along x, y, z.
    #[schema(length)]
    pub scale: [f32; 3],
}

/// A shape for collision.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeElement {
    /// Name of the bone.
    #[schema(name_of = "bone")]
    pub bone_name: FixedStr<64>,
    /// The kind of shape.
    pub kind: i32,
    /// Centre relative to the bone.
    #[schema(point)]
    pub center: [f32; 3],
    /// Rotation relative to the bone: a quaternion x, y, z, w.
    pub rotation: [f32; 4],
    /// Extent along x, y, z.
    #[schema(length)]
    pub scale: [f32; 3],
}

/// An animation whose keys have times of their own.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseSequence {
    /// The name.
    #[schema(name = "clip")]
    pub name: FixedStr<64>,
    /// Frames per second.
    pub rate: f32,
    /// Whether it is an offset to another animation.
    pub additive: i32,
}

/// A [`SparseSequence`] in an earlier revision.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseSequence68 {
    /// The name.
    #[schema(name = "clip")]
    pub name: FixedStr<64>,
    /// Frames per second.
    pub rate: f32,
}

/// A position at a time.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PositionKey {
    /// The time, in an undocumented unit.
    pub time: f32,
    /// x, y, z.
    #[schema(point)]
    pub position: [f32; 3],
}

/// A rotation at a time.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RotationKey {
    /// The time, in an undocumented unit.
    pub time: f32,
    /// A quaternion x, y, z, w.
    pub rotation: [f32; 4],
}

/// An object placed in a world.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldActor {
    /// The name.
    pub name: FixedStr<64>,
    /// Path of the mesh.
    pub asset: FixedStr<256>,
    /// Index of the actor it is attached to.
    #[schema(index_of("actor", none = -1))]
    pub parent_index: i32,
    /// x, y, z.
    #[schema(point)]
    pub position: [f32; 3],
    /// A quaternion x, y, z, w.
    pub rotation: [f32; 4],
    /// Factors along x, y, z.
    pub scale: [f32; 3],
    /// Of unknown meaning.
    pub flags: i32,
}

/// A material that an actor has instead of that of its asset.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstanceMaterial {
    /// Index of the actor.
    #[schema(index_of("actor"))]
    pub actor_index: i32,
    /// Index of the material it replaces.
    pub slot: i32,
    /// The name of the material.
    #[schema(name_of = "material")]
    pub name: FixedStr<64>,
}

/// A tile of a landscape.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Landscape {
    /// Path of the height map.
    #[schema(name_of = "texture")]
    pub path: FixedStr<256>,
    /// Index of the actor it belongs to.
    #[schema(index_of("actor"))]
    pub actor_index: i32,
    /// x, y.
    #[schema(point)]
    pub position: [f32; 2],
    /// The kind of data in the map.
    pub kind: i32,
    /// Length of an edge.
    pub size: i32,
    /// Factor for the heights.
    pub height: f32,
    /// Bias along x, y.
    pub offset: [f32; 2],
    /// Samples along x, y.
    pub dimensions: [i32; 2],
}
