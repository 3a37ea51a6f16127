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
    #[schema(name = "clip")]
    pub name: FixedStr<64>,
    /// The group; the text `None` in all real files.
    pub group: FixedStr<64>,
    /// Bones in each frame.
    pub total_bones: i32,
    /// Since 2003: 1 if the sequence has scale keys. Not reliable in either direction.
    pub scale_include: i32,
    /// Unused.
    pub key_compression_style: i32,
    /// The number of keys: bones times frames.
    pub key_quotum: i32,
    /// Unused; 1 or 0.
    pub key_reduction: f32,
    /// Duration in frames; one writer states seconds.
    pub track_time: f32,
    /// Frames per second, often fractional.
    pub rate: f32,
    /// Unused.
    pub start_bone: i32,
    /// The index of the first frame: the sum of the frames of all previous sequences. One writer stated the number of frames.
    pub first_raw_frame: i32,
    /// The number of frames.
    pub num_raw_frames: i32,
}

/// Position and rotation of a bone in a frame.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Key {
    /// Translation relative to the parent, in model units.
    #[schema(point)]
    pub position: [f32; 3],
    /// Rotation relative to the parent: a quaternion x, y, z, w; conjugated except at a root.
    pub orientation: [f32; 4],
    /// Time to the next key, in frames or seconds; readers ignore it.
    pub time: f32,
}

/// The scale of a bone in a frame.
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

/// The parts of a bone's track that a sequence omits.
#[derive(Schema)]
#[bitfield(bits = 8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackFlags {
    /// The track has no translation.
    pub no_translation: bool,
    /// The track has no rotation.
    pub no_rotation: bool,
    #[skip]
    __: B6,
}
