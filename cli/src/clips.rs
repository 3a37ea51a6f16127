//! The clips that are written.

use clap::Args;
use globset::Glob;

use super::exit::{Exit, Failure};
use bindpose::scene::Scene;

/// The arguments that select clips.
#[derive(Args, Default, PartialEq)]
pub(super) struct ClipArgs {
    /// Write only the clip NAME, or those that a glob such as `walk*` matches; repeat it for several [default: all]
    ///
    /// Formats with one clip hold the first of them.
    #[arg(long = "clip", value_name = "NAME", help_heading = "Conventions of the results")]
    clips: Vec<String>,
}

impl ClipArgs {
    /// Removes the other clips of a scene. Of several files that are written alone, meshes have no clips.
    pub fn select(&self, scene: &mut Scene, is_one_of_several: bool) -> Result<(), Failure> {
        if self.clips.is_empty() || is_one_of_several && scene.clips.is_empty() {
            return Ok(());
        }
        let mut is_kept = vec![false; scene.clips.len()];
        for name in &self.clips {
            let failed = |why: String| Failure::new(Exit::Usage, why);
            match scene.find_clip(name) {
                Ok(found) => is_kept[found] = true,
                Err(why) => {
                    let glob = Glob::new(name).map_err(|error| failed(error.to_string()))?.compile_matcher();
                    let mut matching =
                        (0..).zip(&scene.clips).filter(|(_, clip)| glob.is_match(&clip.name)).peekable();
                    matching.peek().ok_or_else(|| failed(why.to_string()))?;
                    matching.for_each(|(index, _): (usize, _)| is_kept[index] = true);
                }
            }
        }
        let mut is_kept = is_kept.into_iter();
        scene.clips.retain(|_| is_kept.next() == Some(true));
        Ok(())
    }
}
