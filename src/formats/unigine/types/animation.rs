//! Animation keys.

use binrw::binrw;
use modular_bitfield::prelude::*;

use super::{CInt, Table};
use crate::schema::{Schema, on_disk};
use crate::wire::{Announced, Counted, Wire, len};

/// The components that a key has. The mask of an animation is the union of the flags of its keys.
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

/// The components of a bone that change in a frame. A missing component keeps its value from the previous frame.
///
/// Positions and scales are `f32` in a mesh. In an animation file they are `u16`, quantised to a box.
#[on_disk]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Key<T: Wire> {
    /// The components that are present. In the first frame they equal the mask of the animation.
    #[flag_of(position_x, position_y, position_z, rotation, scale_x, scale_y, scale_z)]
    pub flags: KeyFlags,
    /// Position along x.
    #[schema(length)]
    pub position_x: Option<T>,
    /// Position along y.
    #[schema(length)]
    pub position_y: Option<T>,
    /// Position along z.
    #[schema(length)]
    pub position_z: Option<T>,
    /// Quaternion x, y, z, w times 32767.
    pub rotation: Option<[i16; 4]>,
    /// Scale along x.
    pub scale_x: Option<T>,
    /// Scale along y.
    pub scale_y: Option<T>,
    /// Scale along z.
    pub scale_z: Option<T>,
}

/// An animation inside a mesh: ms10 and ms11.
#[derive(Schema)]
#[binrw]
#[bw(assert(frames.columns() == bone_indices.announced(), "each frame has a key for each bone index"))]
#[derive(Clone, Debug, PartialEq)]
pub struct MeshAnimation {
    /// Indices of the animated bones.
    #[schema(index_of("bone"))]
    pub bone_indices: Counted<CInt, i16>,
    /// Union of the flags of all keys.
    pub mask: KeyFlags,
    /// One key for each frame and bone index: `frames[3][0].rotation`.
    #[br(args(len(&bone_indices)))]
    #[schema(args(num_bone_indices.value))]
    pub frames: Table<CInt, Key<f32>>,
}

/// An animation of an animation file: an10.
#[derive(Schema)]
#[binrw]
#[bw(assert(frames.columns() == bone_indices.announced(), "each frame has a key for each bone index"))]
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedAnimation {
    /// Indices of the animated bones, in any order, not necessarily all.
    #[schema(index_of("bone"))]
    pub bone_indices: Counted<CInt, i16>,
    /// Range of the positions.
    #[schema(length)]
    pub positions: QuantizedBox,
    /// Range of the scales; empty if no bone is scaled.
    pub scales: QuantizedBox,
    /// Union of the flags of all keys.
    pub mask: KeyFlags,
    /// One key for each frame and bone index: `frames[3][0].rotation`.
    #[br(args(len(&bone_indices)))]
    #[schema(args(num_bone_indices.value))]
    pub frames: Table<CInt, Key<u16>>,
}

/// The range of quantised values: 0 is the minimum, 65535 the maximum.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QuantizedBox {
    /// Minimum x, y, z; 1e9 in an empty box.
    #[schema(quantity(none = 1e9))]
    pub min: [f32; 3],
    /// Extent along x, y, z; -2e9 in an empty box.
    #[schema(quantity(none = -2e9))]
    pub size: [f32; 3],
}

/// The components that a key of an11 has.
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

/// The pose of a bone in a frame of an11. A missing component is the identity: the documentation of an12 states it, and
/// all known an11 files agree.
#[on_disk]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Key11 {
    /// The components that are present.
    #[flag_of(position, rotation, scale)]
    pub flags: KeyFlags11,
    /// x, y, z in model units.
    #[schema(point)]
    pub position: Option<[f32; 3]>,
    /// Quaternion x, y, z, w.
    pub rotation: Option<[f32; 4]>,
    /// Factors along x, y, z.
    pub scale: Option<[f32; 3]>,
}
