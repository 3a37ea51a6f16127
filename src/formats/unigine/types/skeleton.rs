//! Skeletons sn10, which meshes and animations of SDK 2.21 share.
//!
//! The layouts are those of the vendor's description; no file of this version is known.

use binrw::binrw;

use super::{Bone, Transform};
use crate::schema::Schema;
use crate::wire::{Announced, Counted, FixedStr, LenStr, List, Rest, len};

/// A text whose length, which counts the NUL, has 32 bits.
pub type LongName = LenStr<i32, true>;

/// Names another file, in two ways.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reference {
    /// Its GUID, in the engine's notation.
    pub guid: LongName,
    /// Its path in the project.
    pub path: LongName,
}

/// A UNIGINE skeleton: joints with their bind pose, and settings of playback.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::unigine::UnigineSkeleton;
/// let bytes = UnigineSkeleton::blank_file().encode()?;
/// assert!(bytes.starts_with(b"sn10"));
/// assert!(UnigineSkeleton::decode(&bytes)?.bones.is_empty());
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[binrw]
#[bw(assert(bones.announced() == transforms.announced(), "each bone has a transform"))]
#[derive(Clone, Debug, PartialEq)]
pub struct UnigineSkeleton {
    /// `sn10`.
    #[schema(magic = b"sn10")]
    pub id: FixedStr<4>,
    /// The joints, parents by index.
    #[schema(same_length_as("transforms"))]
    #[schema(axis = "bone")]
    pub bones: Counted<i32, Bone>,
    /// Bind pose of each joint.
    #[br(args(len(&bones)))]
    pub transforms: List<Transform>,
    /// The magic again, before the settings.
    #[schema(default = FixedStr::get(Self::MAGIC))]
    pub middle_id: FixedStr<4>,
    /// Influence of an animation on each joint, 0 to 1.
    pub masks: Counted<i32, JointWeights>,
    /// Factors on the time that each joint takes to blend: 2 is twice as fast.
    pub time_profiles: Counted<i32, JointWeights>,
    /// Factors on the weight of each joint.
    pub weight_profiles: Counted<i32, JointWeights>,
    /// How the translations of each joint are fitted to another skeleton.
    pub retarget: Counted<i32, Retarget>,
    /// The magic again, at the end of the file.
    #[schema(default = FixedStr::get(Self::MAGIC))]
    pub tail_id: FixedStr<4>,
    /// Bytes after the end.
    pub rest: Rest,
}

/// A named number for each joint.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointWeights {
    /// The name.
    pub name: LongName,
    /// A number for each joint.
    pub values: Counted<i32, f32>,
}

/// How the translations of a joint are fitted to another skeleton.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Retarget {
    /// The animated translation (pose), that of the bind pose, or the animated one in proportion to the lengths.
    #[schema(one_of = Self::MODES)]
    pub mode: i32,
    /// The length of the joint; negative for that of the bind pose.
    #[schema(length(none = -1.0))]
    pub length: f32,
}

impl Retarget {
    /// The modes.
    const MODES: &[(&str, i64)] = &[("pose", 0), ("bind", 1), ("proportion", 2)];

    /// Returns whether the mode is a known one.
    #[must_use]
    pub fn has_known_mode(&self) -> bool {
        Self::MODES.iter().any(|(_, mode)| *mode == i64::from(self.mode))
    }
}
