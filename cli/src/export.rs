//! `bindpose export`: what files mean, as glTF.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;

use super::exit::{Cause, Exit, Failure};
use super::files::Inputs;
use super::images::Images;
use super::json::Lines;
use super::limits::LimitArgs;
use super::load;
use super::output::{Output, counted};
use super::write::Target;
use super::{Common, Format};
use bindpose::scene::gltf::Gltf;
use bindpose::scene::{Loss, Part, Scene, Settings, Up};
use bindpose::{File, FileKind};

/// Write what files mean as glTF 2.0: skeleton, meshes, skin, morph targets and clips
///
/// Files named together make one scene: a mesh, and any skeleton, clips and materials that go with it. Bones meet by their
/// names. The result is right-handed with Y up and in metres: a unit of psk and psa is taken for a centimetre, that of
/// other formats for a metre. PNG and JPEG textures that lie beside a file, and beside OUT or below it, are referred to. glTF cannot
/// hold everything: `--loss-report` says what is not there.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Export {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Write the result to this `.glb` or `.gltf` file; `-` for standard output, as `.glb`
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Overwrite OUT
    #[arg(long)]
    force: bool,
    /// Metres in a unit of the files; by default 0.01 in psk and psa, otherwise 1
    #[arg(long, value_name = "METRES", value_parser = positive)]
    unit: Option<f32>,
    /// The axis that points up in the files; by default what the format says, or is usual in it
    #[arg(long, value_name = "AXIS", value_parser = axis())]
    up: Option<Up>,
    /// Frames per second of clips whose file does not say, or in x ticks; by default 30, or 4800 ticks where keys lie wide apart
    #[arg(long, value_name = "RATE", value_parser = positive)]
    rate: Option<f32>,
    /// Print what has no place in the result
    #[arg(long)]
    loss_report: bool,
    /// How to print that
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  bindpose export hero.ms3d -o hero.glb
  bindpose export hero.psk walk.psa walk.config -o hero.glb --loss-report
  bindpose export hero.csf body.cmf head.cmf skin.crf walk.caf -o hero.gltf";

/// The axes by their names.
fn axis() -> impl TypedValueParser<Value = Up> {
    PossibleValuesParser::new(["y", "z"]).map(|name| if name == "y" { Up::Y } else { Up::Z })
}

fn positive(text: &str) -> Result<f32, String> {
    let value: f32 = text.parse().map_err(|_| "is no number".to_owned())?;
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err("is not greater than 0".into()) }
}

/// What stands in a line of the loss report.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    what: &'a str,
    why: &'a str,
}

impl Export {
    pub fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let text = self.is_text()?;
        let files = self.load(common)?;
        let images = Images::new(&self.output, files.iter().map(|(path, _)| &**path));
        let names: Vec<_> = files.iter().map(|(path, _)| stem(path)).collect();
        let parts = names.iter().zip(&files).map(|(name, (_, file))| Part { name, file: file.meaning() });
        let parts: Vec<_> = parts.collect();
        let settings = Settings { unit: self.unit, up: self.up, rate: self.rate, ..Settings::default() };
        let scene = Scene::of(&parts, &settings);
        let gltf = Gltf::with_images(&scene, |texture| images.uri(texture));
        let losses: Vec<&Loss> = scene.losses.iter().chain(gltf.losses()).collect();
        if scene.skeleton.bones().is_empty() && scene.meshes.is_empty() {
            self.report(&losses, common, output)?;
            return Err(Failure::new(
                Exit::Nothing,
                "no bone and no triangle in these files; nothing is written",
            ));
        }
        let bytes = if text { gltf.to_gltf() } else { gltf.to_glb() }.map_err(Failure::from)?;
        let verify = |written: &[u8]| {
            let same = written == bytes;
            if same { Ok(()) } else { Err(Failure::new(Exit::Bug, "does not read back as it was written")) }
        };
        Target::named(&self.output, self.force).write(&bytes, output, verify)?;
        if !scene.clips.is_empty() && gltf.num_animations() == 0 && !common.quiet {
            eprintln!("bindpose: {}: no clip moves any bone or morph target", self.output.display());
        }
        self.report(&losses, common, output)?;
        Ok(Exit::Well)
    }

    /// Whether the result is `.gltf`; by its extension.
    fn is_text(&self) -> Result<bool, Failure> {
        if self.output.as_os_str() == "-" {
            let clash = self
                .loss_report
                .then_some("the loss report and the result cannot both go to standard output");
            return clash.map_or(Ok(false), |why| Err(Failure::new(Exit::Usage, why)));
        }
        let extension = self.output.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "glb" => Ok(false),
            "gltf" => Ok(true),
            _ => Err(Failure::new(Exit::Usage, "OUT ends in .glb or .gltf").of(self.output.display())),
        }
    }

    /// The files with their paths.
    fn load(&self, common: &Common) -> Result<Vec<(Box<Path>, File)>, Failure> {
        let mut files = Vec::new();
        for item in self.inputs.list()? {
            if let Some(trouble) = item.trouble {
                return Err(Failure::new(Exit::Io, trouble).of(item.path.display()));
            }
            let loaded = match load::load(&item.path, item.spec, self.limits) {
                // What else lies in a directory is of no concern here.
                Err(Failure { cause: Cause::UnknownFormat, .. }) if !item.named => continue,
                loaded => loaded?,
            };
            if !common.quiet {
                loaded.warn_of_damage(&item.path);
            }
            files.push((item.path, loaded.file));
        }
        Ok(files)
    }

    fn report(&self, losses: &[&Loss], common: &Common, output: &mut Output) -> Result<(), Failure> {
        if !self.loss_report {
            if !losses.is_empty() && !common.quiet {
                let things = counted(losses.len(), "thing");
                eprintln!("bindpose: {}: {things} lost; --loss-report says what", self.output.display());
            }
            return Ok(());
        }
        let mut lines = Lines::default();
        for Loss { file, what, why } in losses {
            match self.format {
                Format::Human => writeln!(output, "{file}: {what}: {why}")?,
                Format::Json => lines.write(output, &Line { file, what, why })?,
            }
        }
        Ok(())
    }
}

/// The name of a file without its folder, its extension, and the format that it may say before that.
pub(super) fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let told = stem
        .rsplit_once('.')
        .filter(|(_, format)| FileKind::from_name(format.split('+').next().unwrap_or_default()).is_some());
    told.map_or(stem.as_ref(), |(name, _)| name).to_owned()
}
