//! The configuration file of an animation file.

use binrw::binrw;

use crate::formats::psk::ConfigText;
use crate::schema::Schema;
use crate::text::TokenText;
use crate::wire::Rest;

/// UE Viewer's `.config` next to a PSA file: the tracks that the game does not have.
///
/// Without it, bones whose tracks UE Viewer filled with zeros collapse to the origin. The text is preserved.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::psk::{PsaConfig, TrackPart};
/// let file = PsaConfig::decode(b"[RemoveTracks]\r\nRun.63=all\r\n")?;
/// let track = file.removed_tracks().next().unwrap();
/// assert_eq!((track.sequence, track.bone_index, track.part), (&b"Run"[..], 63, TrackPart::All));
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[binrw]
#[brw(little)]
#[derive(Clone, Debug, PartialEq)]
pub struct PsaConfig {
    /// The text.
    #[schema(default = TokenText::new(b"[AnimSet]\n".to_vec()))]
    pub tokens: TokenText<ConfigText>,
    /// The bytes from the first invalid line on.
    pub rest: Rest,
}
