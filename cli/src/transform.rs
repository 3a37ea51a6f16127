//! `bindpose transform`: scale meshes, bones, clips and bounds.

use clap::Args;

use super::Common;
use super::editing::Editing;
use super::exit::{Exit, Failure};
use super::output::Output;
use bindpose::edit;

/// Scale meshes, bind poses, clips and bounds
///
/// All lengths are multiplied by the factor: positions, translations, inverse bind poses, morph targets, bounds, and the trees of
/// UNIGINE. Rotations, normals and times stay as they are. Scale all files of a set by the same factor. DirectX `.x` files and the XML
/// form of Cal3D are not supported.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Transform {
    #[command(flatten)]
    editing: Editing,
    /// Multiply all lengths by FACTOR
    #[arg(long, value_name = "FACTOR", help_heading = "Transformation")]
    scale: f32,
}

const EXAMPLES: &str = "\
Examples:
  bindpose transform hero.ms3d --scale 100 -o large.ms3d
  bindpose transform hero.psk walk.psa --scale 0.01 --out-dir metres
  bindpose transform assets --scale 2.54 --in-place";

impl Transform {
    pub fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let items = self.editing.list()?;
        self.editing.each(&items, common, output, |file| Ok(edit::scale(file, self.scale)?))
    }
}
