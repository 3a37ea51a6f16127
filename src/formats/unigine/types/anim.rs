//! Animation files an10 to an12.

use binrw::binrw;

use super::{
    AnimationName, Bone, Bounds, CInt, Key11, QuantizedAnimation, Reference, Table, Transform, marker,
};
use crate::schema::Schema;
use crate::wire::{Announced, Counted, FixedStr, List, Rest, len};

/// A UNIGINE animation. The first four bytes determine the layout. Only an12 stores the frame rate.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::unigine::UnigineAnim;
/// let bytes = UnigineAnim::blank_file().encode()?;
/// let UnigineAnim::Anim10(anim) = UnigineAnim::decode(&bytes)? else { unreachable!() };
/// assert!(anim.animations.is_empty());
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[schema(tag(magic: u32), closed)]
#[derive(Clone, Debug, PartialEq)]
pub enum UnigineAnim {
    /// an10.
    #[schema(magic)]
    Anim10(Anim10),
    /// an11.
    #[schema(magic)]
    Anim11(Anim11),
    /// an12.
    #[schema(magic)]
    Anim12(Anim12),
}

impl UnigineAnim {
    /// Returns the bones that keys can refer to.
    #[must_use]
    pub fn bones(&self) -> &[Bone] {
        match self {
            Self::Anim10(anim) => &anim.bones,
            Self::Anim11(anim) => &anim.bones,
            Self::Anim12(anim) => &anim.bones,
        }
    }
}

/// Animations of version an10. A key has only the components that change; positions and scales are quantised to a box.
#[derive(Schema)]
#[binrw]
#[bw(assert(bones.announced() == transforms.announced() && names.announced() == animations.announced(), "the lists of bones and transforms, and of names and animations, are of equal length"))]
#[derive(Clone, Debug, PartialEq)]
pub struct Anim10 {
    /// `an10`.
    #[schema(magic = b"an10")]
    pub id: FixedStr<4>,
    /// Empty in all known files.
    #[schema(default = Bounds::EMPTY)]
    pub bounds: Bounds,
    /// The skeleton, parents by index.
    #[schema(same_length_as("transforms"))]
    #[schema(axis = "bone")]
    pub bones: Counted<CInt, Bone>,
    /// Names of the animations; one in all known files, usually `Take 001`.
    #[schema(same_length_as("animations"))]
    pub names: Counted<CInt, AnimationName>,
    /// The magic again, between headers and data.
    #[br(parse_with = marker)]
    #[schema(decides = "transforms", default = FixedStr::get(Self::MAGIC))]
    pub middle_id: FixedStr<4>,
    /// Bind pose of each bone.
    #[br(args(len(&bones)))]
    pub transforms: List<Transform>,
    /// Keys of the animations.
    #[br(args(len(&names)))]
    pub animations: List<QuantizedAnimation>,
    /// The magic again, at the end of the file.
    #[schema(default = FixedStr::get(Self::MAGIC))]
    pub tail_id: FixedStr<4>,
    /// Bytes after the end.
    pub rest: Rest,
}

/// An animation of version an11. Values are floats, and each frame is complete.
#[derive(Schema)]
#[binrw]
#[bw(assert(bones.announced() == transforms.announced(), "each bone has a transform"))]
#[bw(assert(frames.columns() == bone_indices.announced(), "each frame has a key for each bone index"))]
#[derive(Clone, Debug, PartialEq)]
pub struct Anim11 {
    /// `an11`.
    #[schema(magic = b"an11")]
    pub id: FixedStr<4>,
    /// The skeleton, parents by index.
    #[schema(same_length_as("transforms"))]
    #[schema(axis = "bone")]
    pub bones: Counted<CInt, Bone>,
    /// The magic again, between headers and data.
    #[br(parse_with = marker)]
    #[schema(decides = "transforms")]
    pub middle_id: FixedStr<4>,
    /// Bind pose of each bone.
    #[br(args(len(&bones)))]
    pub transforms: List<Transform>,
    /// Indices of the animated bones.
    #[schema(index_of("bone"))]
    pub bone_indices: Counted<CInt, i16>,
    /// One key for each frame and bone index: `frames[3][0].rotation`.
    #[br(args(len(&bone_indices)))]
    pub frames: Table<CInt, Key11>,
    /// The magic again, at the end of the file.
    pub tail_id: FixedStr<4>,
    /// Bytes after the end.
    pub rest: Rest,
}

/// An animation of version an12: as an11, with a frame rate, and with the bind pose in the file of the skeleton.
///
/// The layout is that of the vendor's description; no file of this version is known.
#[derive(Schema)]
#[binrw]
#[bw(assert(frames.columns() == bone_indices.announced(), "each frame has a key for each bone index"))]
#[derive(Clone, Debug, PartialEq)]
pub struct Anim12 {
    /// `an12`.
    #[schema(magic = b"an12")]
    pub id: FixedStr<4>,
    /// The bones of the skeleton, parents by index.
    #[schema(axis = "bone")]
    pub bones: Counted<i32, Bone>,
    /// The file of the skeleton.
    pub skeleton: Reference,
    /// Indices of the animated bones.
    #[schema(index_of("bone"))]
    pub bone_indices: Counted<CInt, i16>,
    /// Frames per second.
    #[schema(default = 30)]
    pub frame_rate: i32,
    /// 1 if the root moves the character through the world, else 0.
    pub root_motion: u8,
    /// The magic again, between headers and data.
    #[schema(default = FixedStr::get(Self::MAGIC))]
    pub middle_id: FixedStr<4>,
    /// One key for each frame and bone index: `frames[3][0].rotation`.
    #[br(args(len(&bone_indices)))]
    pub frames: Table<CInt, Key11>,
    /// The magic again, at the end of the file.
    #[schema(default = FixedStr::get(Self::MAGIC))]
    pub tail_id: FixedStr<4>,
    /// Bytes after the end.
    pub rest: Rest,
}
