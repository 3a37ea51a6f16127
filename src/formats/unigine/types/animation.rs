//! Animations: keys that hold what changes from frame to frame.

use binrw::binrw;
use modular_bitfield::prelude::*;

use crate::schema::Schema;
use crate::wire::{Announced, CInt, Counted, Table, Wire, len};

/// What a key holds of a bone. The mask of an animation has the flags that occur in it.
#[derive(Schema)]
#[bitfield(bits = 8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyFlags {
    /// Position along x.
    pub position_x: bool,
    /// Position along y.
    pub position_y: bool,
    /// Position along z.
    pub position_z: bool,
    /// Rotation.
    pub rotation: bool,
    /// Scale along x.
    pub scale_x: bool,
    /// Scale along y.
    pub scale_y: bool,
    /// Scale along z.
    pub scale_z: bool,
    #[skip]
    __: B1,
}

/// What changes of a bone in a frame; everything else stays as it was in the frame before.
///
/// Positions and scales are `f32` in a mesh and `u16`, fractions of a box, in an animation file.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Key<T: Wire> {
    /// What is there. In the first frame, every bone has what the mask of the animation has.
    pub flags: KeyFlags,
    /// Position along x.
    #[br(if(flags.position_x()))]
    pub position_x: Option<T>,
    /// Position along y.
    #[br(if(flags.position_y()))]
    pub position_y: Option<T>,
    /// Position along z.
    #[br(if(flags.position_z()))]
    pub position_z: Option<T>,
    /// Quaternion x, y, z, w times 32767.
    #[br(if(flags.rotation()))]
    pub rotation: Option<[i16; 4]>,
    /// Scale along x.
    #[br(if(flags.scale_x()))]
    pub scale_x: Option<T>,
    /// Scale along y.
    #[br(if(flags.scale_y()))]
    pub scale_y: Option<T>,
    /// Scale along z.
    #[br(if(flags.scale_z()))]
    pub scale_z: Option<T>,
}

/// An animation inside a mesh: ms10 and ms11.
#[derive(Schema)]
#[binrw]
#[bw(assert(frames.columns() == bone_indices.announced(), "a frame has a key for each bone index"))]
#[derive(Clone, Debug, PartialEq)]
pub struct MeshAnimation {
    /// The bones that are animated, as indices into the bones.
    pub bone_indices: Counted<CInt, i16>,
    /// All flags that occur.
    pub mask: KeyFlags,
    /// For each frame a key for each bone index: `frames[3][0].rotation`.
    #[br(args(len(&bone_indices)))]
    #[schema(args(num_bone_indices.value))]
    pub frames: Table<CInt, Key<f32>>,
}

/// An animation of an animation file: an10.
#[derive(Schema)]
#[binrw]
#[bw(assert(frames.columns() == bone_indices.announced(), "a frame has a key for each bone index"))]
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedAnimation {
    /// The bones that are animated, as indices into the bones; any order, not necessarily all.
    pub bone_indices: Counted<CInt, i16>,
    /// The box that positions are fractions of.
    pub positions: QuantizedBox,
    /// The box that scales are fractions of; empty where nothing is scaled.
    pub scales: QuantizedBox,
    /// All flags that occur.
    pub mask: KeyFlags,
    /// For each frame a key for each bone index: `frames[3][0].rotation`.
    #[br(args(len(&bone_indices)))]
    #[schema(args(num_bone_indices.value))]
    pub frames: Table<CInt, Key<u16>>,
}

/// The box that values are fractions of: 0 is its minimum, 65535 its maximum.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QuantizedBox {
    /// Least x, y, z. An empty box has 1e9.
    pub min: [f32; 3],
    /// Extent along x, y, z. An empty box has -2e9.
    pub size: [f32; 3],
}

/// What a key of an11 holds of a bone.
#[derive(Schema)]
#[bitfield(bits = 8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyFlags11 {
    /// Position.
    pub position: bool,
    /// Rotation.
    pub rotation: bool,
    /// Scale.
    pub scale: bool,
    #[skip]
    __: B5,
}

/// The pose of a bone in a frame: an11. What is not there is as if the bone were not moved, turned or scaled at all,
/// which is known from an12 and fits all an11 files.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Key11 {
    /// What is there.
    pub flags: KeyFlags11,
    /// x, y, z in model units.
    #[br(if(flags.position()))]
    pub position: Option<[f32; 3]>,
    /// Quaternion x, y, z, w.
    #[br(if(flags.rotation()))]
    pub rotation: Option<[f32; 4]>,
    /// Factors along x, y, z.
    #[br(if(flags.scale()))]
    pub scale: Option<[f32; 3]>,
}
