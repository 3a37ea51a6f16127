//! `bindpose export`: `convert` to glTF.

use std::ffi::OsStr;

use super::convert::{Conversion, Mode, SharedArgs, To, WrittenArgs};
use super::scene::Conventions;
use crate::prelude::*;

/// Export files as glTF 2.0: skeleton, meshes, skins, morph targets and clips
///
/// The same as `convert --to glb`. With `-o`, all files form one scene: a mesh with its skeleton, clips and materials; glTF files can be
/// among them. With `--out-dir`, each model is written with the files that belong to it. Bones of different files are matched by name.
/// The result is right-handed with Y up, in metres. A .glb file contains the images of its textures; a .gltf file refers to PNG and
/// JPEG images in its directory and below, and contains the others. Images are converted to PNG where glTF requires it. Use
/// `--loss-report` to list what glTF cannot represent.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose export hero.ms3d -o hero.glb
  bindpose export hero.psk walk.psa -o hero.glb --loss-report
  bindpose export models --out-dir exported --textures skins
  bindpose export hero.csf body.cmf head.cmf skin.crf walk.caf -o hero.gltf")]
pub(super) struct Export {
    /// Write the result to OUT, a .glb or .gltf file; `-` for standard output, as .glb
    #[arg(
        short,
        long,
        value_name = "OUT",
        required_unless_present = "out_dir",
        help_heading = "Output options"
    )]
    output: Option<PathBuf>,
    #[command(flatten)]
    args: SharedArgs,
    #[command(flatten)]
    conventions: Conventions,
    /// List what glTF cannot represent
    #[arg(long, help_heading = "Output options")]
    loss_report: bool,
    /// Print the loss report and what was written as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

impl Verb for Export {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        if let Some(path) = self.output.as_ref().filter(|path| !is_stdout(path)) {
            let extension = path.extension().map(OsStr::to_ascii_lowercase);
            if !extension.is_some_and(|own| own == "glb" || own == "gltf") {
                return Err(Failure::usage("expected a .glb or .gltf file").in_file(path));
            }
        }
        let conversion = Conversion {
            args: &self.args,
            outputs: self.output.as_slice(),
            images: Mode::Copy,
            written: &WrittenArgs::default(),
            read: (self.conventions, ""),
            loss_report: self.loss_report.then_some(self.format),
            format: self.format,
            float_size: None,
        };
        conversion.run(Some(&To::Gltf("glb")), output)
    }
}
