//! Records of animations.

use binrw::binrw;
use modular_bitfield::prelude::*;

use crate::schema::Schema;
use crate::wire::{FixedLenList, FixedStr};

/// An animation: a range of frames among the keys.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sequence {
    /// The name.
    pub name: FixedStr<64>,
    /// The group; `None` in all real files.
    pub group: FixedStr<64>,
    /// Bones in each frame.
    pub total_bones: i32,
    /// Since 2003: 1 where the sequence has scale keys. Not reliable in either direction.
    pub scale_include: i32,
    /// Unused.
    pub key_compression_style: i32,
    /// Keys of the sequence: bones times frames.
    pub key_quotum: i32,
    /// Unused; 1 or 0.
    pub key_reduction: f32,
    /// Length in frames; one writer gives seconds.
    pub track_time: f32,
    /// Frames per second, often fractional.
    pub rate: f32,
    /// Unused.
    pub start_bone: i32,
    /// The first frame: the sum of the frames of all sequences before. One writer gave the number of frames.
    pub first_raw_frame: i32,
    /// How many frames there are.
    pub num_raw_frames: i32,
}

/// Where a bone is in a frame.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Key {
    /// Translation relative to the parent, in model units.
    pub position: [f32; 3],
    /// Rotation relative to the parent: a quaternion x, y, z, w; conjugated except at a root.
    pub orientation: [f32; 4],
    /// Time to the next key, in frames or seconds; readers ignore it.
    pub time: f32,
}

/// How large a bone is in a frame.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScaleKey {
    /// Factors along x, y, z.
    pub scale: [f32; 3],
    /// As in [`Key`].
    pub time: f32,
}

/// A blend curve: a weight for each frame of a sequence.
#[derive(Schema)]
#[binrw]
#[br(import(num_frames: i64))]
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The name.
    pub name: FixedStr<128>,
    /// A weight for each frame.
    #[br(args(num_frames))]
    pub weights: FixedLenList<f32>,
}

/// What a sequence leaves out of a bone.
#[derive(Schema)]
#[bitfield(bits = 8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackFlags {
    /// The bone is not moved.
    pub no_translation: bool,
    /// The bone is not turned.
    pub no_rotation: bool,
    #[skip]
    __: B6,
}
