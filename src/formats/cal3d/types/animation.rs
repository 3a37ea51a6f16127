//! Animations: `.caf`.

use binrw::binrw;
use modular_bitfield::prelude::*;

use super::NEWEST_UNDISPUTED;
use crate::formats::cal3d::{Dialect, Version};
use crate::schema::{Schema, on_disk};
use crate::wire::{Counted, FixedStr, List, Rest, list_each, list_with};

/// A `.caf` file: tracks of keys, each for a bone.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::cal3d::{Animation, CalAnimation, PlainKey, PlainTrack, Track};
/// let mut animation = Animation { duration: 1.0, ..Animation::default() };
/// let keys = vec![PlainKey::default()].into();
/// animation.tracks.push(Track::Plain(PlainTrack { bone_id: 0, keys }));
/// let bytes = CalAnimation::from(animation).encode()?;
/// assert_eq!(CalAnimation::decode(&bytes)?.view()?.tracks[0].bone_id(), 0);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[on_disk]
#[schema(default)]
#[brw(little)]
#[br(import(dialect: Dialect))]
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    /// `CAF` and a NUL.
    #[schema(magic = b"CAF\0", xml = "@MAGIC")]
    pub magic: FixedStr<4>,
    /// The number of the library that wrote it.
    #[schema(xml("@VERSION", default = "0"), default = NEWEST_UNDISPUTED, decides = "compression")]
    pub version: i32,
    /// Whether the tracks are packed: 0 or 1.
    #[br(if(dialect.version(version).has_compression()))]
    #[schema(condition = Version::HAS_COMPRESSION, decides = "tracks")]
    pub compression: Option<i32>,
    /// Length in seconds.
    #[schema(xml = "@DURATION")]
    pub duration: f32,
    #[count_of(tracks)]
    #[schema(xml = "@NUMTRACKS")]
    num_tracks: i32,
    /// How the tracks are stored.
    #[br(if(dialect.version(version).has_track_flags()))]
    #[schema(condition = Version::HAS_TRACK_FLAGS, decides = "tracks")]
    pub track_flags: Option<TrackFlags>,
    /// The tracks, as version, compression and flags lay them out.
    #[br(parse_with = list_with, args(
        num_tracks.into(),
        (dialect.version(version).encoding(compression, track_flags), dialect.version(version)),
    ))]
    #[schema(args(
        num_tracks,
        if ((Version::IS_ALWAYS_PACKED) || ((Version::HAS_COMPRESSION) && compression != 0)) { 2 }
        else { (if ((Version::HAS_TRACK_FLAGS) && (track_flags.raw & 1) != 0) { 1 } else { 0 }) },
        version
    ))]
    #[schema(xml = "TRACK")]
    pub tracks: List<Track>,
    /// Bytes after the last track.
    pub rest: Rest,
}

/// Flags of the tracks of an animation.
#[derive(Schema)]
#[bitfield(bits = 32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackFlags {
    /// The keys are quantized.
    pub quantized: bool,
    #[skip]
    __: B31,
}

/// How the tracks of an animation are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// As plain numbers.
    Plain,
    /// Each key in 12 bytes, relative to the track's box and the animation's length.
    Quantized,
    /// Each key in 6 to 16 bytes, relative to fixed ranges.
    Packed,
}

/// The keys of a bone.
#[derive(Schema)]
#[schema(tag(encoding: Encoding), import(version: Version))]
#[derive(Clone, Debug, PartialEq)]
pub enum Track {
    /// As plain numbers.
    #[schema(tag = Encoding::Plain, ksy = encoding == 0)]
    Plain(PlainTrack),
    /// Relative to a box and the animation's length.
    #[schema(tag = Encoding::Quantized, ksy = encoding == 1)]
    Quantized(QuantizedTrack),
    /// Relative to fixed ranges.
    #[schema(tag = Encoding::Packed, ksy = encoding == 2)]
    #[br(args(version))]
    Packed(PackedTrack),
}

/// Keys as plain numbers.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlainTrack {
    /// Index of the bone.
    #[schema(xml = "@BONEID")]
    #[schema(index_of("bone"))]
    pub bone_id: i32,
    /// The keys in the order of time.
    #[schema(xml("KEYFRAME", count = "@NUMKEYFRAMES"))]
    pub keys: Counted<i32, PlainKey>,
}

/// Where a bone is at a time.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlainKey {
    /// Seconds.
    #[schema(xml = "@TIME")]
    pub time: f32,
    /// Translation relative to the parent, in model units.
    #[schema(xml("TRANSLATION", default = "1e10 1e10 1e10", repeats))]
    #[schema(point(none = crate::formats::cal3d::KEEPS_BIND_POSE[0]))]
    pub translation: [f32; 3],
    /// Rotation relative to the parent: x, y, z, w.
    #[schema(xml = "ROTATION")]
    pub rotation: [f32; 4],
}

/// Keys of 12 bytes, relative to a box and the animation's length.
#[on_disk]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QuantizedTrack {
    /// Index of the bone.
    #[schema(index_of("bone"))]
    pub bone_id: i32,
    #[count_of(keys)]
    num_keys: i32,
    /// Minimum corner of the bounding box of all translations.
    #[schema(point)]
    pub translation_min: [f32; 3],
    /// What a step of each component of a translation is worth.
    #[schema(length)]
    pub translation_scale: [f32; 3],
    /// The keys in the order of time.
    #[br(args(num_keys.into()))]
    pub keys: List<QuantizedKey>,
}

/// Where a bone is at a time, in 12 bytes.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QuantizedKey {
    /// 0 at the start to 65535 at the end of the animation.
    pub time: u16,
    /// Steps from the minimum corner of the track's box.
    pub translation: QuantizedTranslation,
    /// Rotation relative to the parent.
    pub rotation: QuantizedRotation,
}

/// Three components of a quaternion, in 32767ths of the square root of a half. The fourth is the largest, and positive.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuantizedRotation {
    /// The first component.
    pub first: i16,
    /// The second component, and the upper bit of the index of the omitted one.
    pub second: QuantizedComponent,
    /// The third component, and the lower bit of that index.
    pub third: QuantizedComponent,
}

/// A component of a quaternion, and a bit of the index of the omitted one.
#[derive(Schema)]
#[bitfield(bits = 16)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuantizedComponent {
    /// A bit of the index of the omitted component.
    pub omitted_bit: bool,
    /// Half of the component, as two's complement.
    pub half: B15,
}

/// Steps from the minimum corner of a box.
#[derive(Schema)]
#[bitfield(bits = 32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuantizedTranslation {
    /// Steps along x.
    pub x: B11,
    /// Steps along y.
    pub y: B11,
    /// Steps along z.
    pub z: B10,
}

/// Keys of 6 to 16 bytes, relative to fixed ranges.
#[on_disk]
#[br(import(version: Version))]
#[bw(assert(self.agrees(), "every key has a position, or the first alone, or none, as the track header specifies"))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackedTrack {
    /// The bone and the layout of its keys.
    #[schema(decides = "keys")]
    pub header: PackedHeader,
    #[count_of(keys)]
    num_keys: u16,
    /// The keys in the order of time.
    #[br(parse_with = list_each, args((0..num_keys).map(|index| (header, index == 0, version))))]
    #[schema(args(num_keys, header.raw, _index == 0, version))]
    pub keys: List<PackedKey>,
}

/// The bone of a track and the layout of its keys.
#[derive(Schema)]
#[bitfield(bits = 16)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedHeader {
    /// Index of the bone.
    pub bone_id: B13,
    /// Every key has a position, or else the first alone.
    pub position_varies: bool,
    /// Positions are far ones, or else near ones.
    pub far: bool,
    /// Keys have positions, or else the bone keeps that of its bind pose.
    pub has_position: bool,
}

/// Where a bone is at a time, in 6 to 16 bytes.
#[derive(Schema)]
#[binrw]
#[br(import(header: PackedHeader, first: bool, version: Version))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackedKey {
    /// Translation relative to the parent; absent if the track header specifies it.
    #[br(if(header.stores_position(first)), args(header.far()))]
    #[schema(
        condition = (header & 0x8000) != 0 && (first || (header & 0x2000) != 0),
        args((header & 0x4000) != 0)
    )]
    pub position: Option<PackedPosition>,
    /// Rotation relative to the parent, and the time.
    pub rotation: PackedRotation,
    /// The translation again, as plain numbers.
    #[br(if(header.stores_position(first) && version.has_exact_translations()))]
    #[schema(condition = Version::HAS_EXACT_TRANSLATIONS && (header & 0x8000) != 0 && (first || (header & 0x2000) != 0))]
    pub exact_translation: Option<[f32; 3]>,
    /// The rotation again, as plain numbers: x, y, z, w.
    #[br(if(version.has_exact_rotations()))]
    #[schema(condition = Version::HAS_EXACT_ROTATIONS)]
    pub exact_rotation: Option<[f32; 4]>,
}

/// A packed translation.
#[derive(Schema)]
#[schema(tag(is_far: bool))]
#[derive(Clone, Debug, PartialEq)]
pub enum PackedPosition {
    /// Within 128 units.
    #[schema(tag = false)]
    Near(NearPosition),
    /// Within 2^23 units.
    #[schema(tag = true)]
    Far(FarPosition),
}

/// A translation within 128 units: for each axis 9 bits of magnitude and a sign.
#[derive(Schema)]
#[bitfield(bits = 32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearPosition {
    /// Distance along x, in 511ths of 128 units.
    pub x: B9,
    /// x is negative.
    pub x_negative: bool,
    /// Distance along y, in 511ths of 128 units.
    pub y: B9,
    /// y is negative.
    pub y_negative: bool,
    /// Distance along z, in 511ths of 128 units.
    pub z: B9,
    /// z is negative.
    pub z_negative: bool,
    #[skip]
    __: B2,
}

/// A translation within 2^23 units: for each axis 25 bits of magnitude and a sign. That along z is in both words.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FarPosition {
    /// The translation along x and y, and the beginning of that along z.
    pub low: FarPositionLow,
    /// The end of the translation along z.
    pub high: FarPositionHigh,
}

/// The lower 64 bits of a [`FarPosition`].
#[derive(Schema)]
#[bitfield(bits = 64)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FarPositionLow {
    /// Distance along x, in 33554431ths of 2^23 units.
    pub x: B25,
    /// x is negative.
    pub x_negative: bool,
    /// Distance along y, in 33554431ths of 2^23 units.
    pub y: B25,
    /// y is negative.
    pub y_negative: bool,
    /// The lower 12 bits of the distance along z.
    pub z_low: B12,
}

/// The upper 16 bits of a [`FarPosition`].
#[derive(Schema)]
#[bitfield(bits = 16)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FarPositionHigh {
    /// The upper 13 bits of the distance along z, in 33554431ths of 2^23 units.
    pub z_high: B13,
    /// z is negative.
    pub z_negative: bool,
    #[skip]
    __: B2,
}

/// A rotation and a time: 1 bit of sign and 11 of magnitude for each component of the quaternion but the largest, which is positive.
/// The third of the others is in both words.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackedRotation {
    /// Two components, and the beginning of the third one.
    pub low: PackedRotationLow,
    /// The end of the third component, and the time.
    pub high: PackedRotationHigh,
}

/// The lower 32 bits of a [`PackedRotation`].
#[derive(Schema)]
#[bitfield(bits = 32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedRotationLow {
    /// Index of the omitted component.
    pub omitted: B2,
    /// The first component is negative.
    pub first_negative: bool,
    /// Magnitude of the first component, in 2047ths.
    pub first: B11,
    /// The second component is negative.
    pub second_negative: bool,
    /// Magnitude of the second component, in 2047ths.
    pub second: B11,
    /// The third component is negative.
    pub third_negative: bool,
    /// The lower 5 bits of the magnitude of the third component.
    pub third_low: B5,
}

/// The upper 16 bits of a [`PackedRotation`].
#[derive(Schema)]
#[bitfield(bits = 16)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedRotationHigh {
    /// The upper 6 bits of the magnitude of the third component, in 2047ths.
    pub third_high: B6,
    /// Thirtieths of a second.
    pub time: B10,
}
