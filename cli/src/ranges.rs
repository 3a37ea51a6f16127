//! Clips that are cut from a longer one.

use crate::prelude::*;
use bindpose::scene::{ClipRange, CutError, Scene};

#[derive(Args, Clone, Default, PartialEq)]
pub(super) struct RangeArgs {
    /// Cut the clip NAME from the only one, from FROM to TO in seconds, or in frames at RATE per second; repeat it for several
    #[arg(long = "range", value_name = "NAME=FROM-TO[@RATE]", help_heading = "Conventions of the input")]
    pub ranges: Vec<ClipRange>,
}

impl RangeArgs {
    /// Replaces the only clip of a scene by the ranges.
    pub fn cut(&self, scene: &mut Scene) -> Result<()> {
        scene.cut_clip(&self.ranges).map_err(|error| {
            let is_outside = matches!(error, CutError::Outside { .. });
            let help =
                is_outside.then(|| "append @RATE if the numbers are frames: --range walk=1-30@24".into());
            Failure { help, ..Failure::usage(format!("--range: {error}")) }
        })
    }
}
