//! Clips that are cut from a longer one.

use std::fmt;

use clap::Args;

use super::exit::{Exit, Failure};
use bindpose::scene::Scene;

/// The ranges of the only clip that are clips of their own.
#[derive(Args, Clone, Default, PartialEq)]
pub(super) struct RangeArgs {
    /// Cut the clip NAME from the only one, from FROM to TO in seconds, or in frames at RATE per second; repeat it for several
    #[arg(long = "range", value_name = "NAME=FROM-TO[@RATE]", value_parser = range, help_heading = "Conventions of the input")]
    ranges: Vec<Range>,
}

/// A range in seconds.
#[derive(Clone, PartialEq)]
struct Range {
    name: String,
    start: f32,
    end: f32,
}

impl fmt::Display for Range {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}, {} to {} seconds", self.name, self.start, self.end)
    }
}

fn range(text: &str) -> Result<Range, String> {
    let expected = "expected NAME=FROM-TO in seconds, or NAME=FROM-TO@RATE in frames";
    let (name, span) = text.rsplit_once('=').filter(|(name, _)| !name.is_empty()).ok_or(expected)?;
    let (span, rate) = match span.split_once('@') {
        Some((span, rate)) => (span, super::scene::positive(rate)?),
        None => (span, 1.0),
    };
    let (from, to) = span.split_once('-').ok_or(expected)?;
    let seconds = |text: &str| text.parse().ok().map(|own: f32| own / rate).filter(|own| own.is_finite());
    let (start, end) = seconds(from).zip(seconds(to)).ok_or(expected)?;
    if start > end {
        return Err(format!("expected a start that is not after the end, got {from} and {to}"));
    }
    Ok(Range { name: name.to_owned(), start, end })
}

/// How far after the last key a range can end, in seconds: half a frame.
const NEAR: f32 = 1.0 / 60.0;

impl RangeArgs {
    /// Replaces the only clip of a scene by the ranges.
    pub fn cut(&self, scene: &mut Scene) -> Result<(), Failure> {
        if self.ranges.is_empty() {
            return Ok(());
        }
        let usage = |why: String, help: Option<String>| Failure { help, ..Failure::new(Exit::Usage, why) };
        let [clip] = &*scene.clips else {
            let names: Vec<_> = scene.clips.iter().map(|clip| &*clip.name).collect();
            let why = format!("--range needs a single clip to cut; the input has {}", names.len());
            return Err(usage(
                why,
                (!names.is_empty()).then(|| format!("the clips are {}", names.join(", "))),
            ));
        };
        let end = clip.span().map_or(0.0, |(_, end)| end);
        if let Some(outside) = self.ranges.iter().find(|own| own.end > end + NEAR) {
            let why = format!("--range {outside}: the clip {:?} ends at {end} seconds", clip.name);
            let help = "append @RATE if the numbers are frames: --range walk=1-30@24";
            return Err(usage(why, Some(help.into())));
        }
        scene.clips = self.ranges.iter().map(|own| clip.part(&own.name, own.start, own.end)).collect();
        Ok(())
    }
}
