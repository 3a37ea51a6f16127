//! Morph animations: `.cpf`.

use binrw::binrw;

use super::{NEWEST_UNDISPUTED, Text};
use crate::formats::cal3d::Dialect;
use crate::schema::Schema;
use crate::wire::{Counted, FixedStr, Rest};

/// A `.cpf` file: tracks of morph weights. One layout, that of IMVU and the main line; the branch of 1301 has another,
/// of which its own reader and writer disagree.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::cal3d::{CalMorph, Morph, MorphTrack, Text};
/// let mut morph = Morph { duration: 1.0, ..Morph::default() };
/// morph.tracks.push(MorphTrack { morph_name: Text::new(b"smile"), ..MorphTrack::default() });
/// let bytes = CalMorph::from(morph).encode()?;
/// assert_eq!(CalMorph::decode(&bytes)?.view()?.tracks[0].morph_name.text(), b"smile");
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[schema(default)]
#[binrw]
#[brw(little)]
#[br(import(dialect: Dialect))]
#[derive(Clone, Debug, PartialEq)]
pub struct Morph {
    /// `CPF` and a NUL.
    #[schema(magic = b"CPF\0", xml = "@MAGIC")]
    pub magic: FixedStr<4>,
    /// The number of the library that wrote it.
    #[schema(xml("@VERSION", default = "0"), default = NEWEST_UNDISPUTED)]
    pub version: i32,
    /// Length in seconds.
    #[schema(xml = "@DURATION")]
    pub duration: f32,
    /// The tracks.
    #[schema(xml("TRACK", count = "@NUMTRACKS"))]
    pub tracks: Counted<i32, MorphTrack>,
    /// Bytes after the last track.
    pub rest: Rest,
}

/// The keys of a morph target.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTrack {
    /// The name of the morph target.
    #[schema(xml("@MORPHNAME", "@MORPHID"))]
    pub morph_name: Text,
    /// The keys in the order of time.
    #[schema(xml("KEYFRAME", count = "@NUMKEYFRAMES"))]
    pub keys: Counted<i32, MorphKey>,
}

/// How far a morph target is taken at a time.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphKey {
    /// Seconds.
    #[schema(xml = "@TIME")]
    pub time: f32,
    /// 0 not at all to 1 fully.
    #[schema(xml = "WEIGHT")]
    pub weight: f32,
}
