//! `bindpose export`: files as glTF.

mod each;

use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::{Exit, Failure};
use super::files::{Inputs, shown};
use super::images::{Embed, Images};
use super::limits::{LimitArgs, Memory};
use super::load::Content;
use super::losses::Losses;
use super::output::Output;
use super::progress::Jobs;
use super::ranges::RangeArgs;
use super::scene::{SceneArgs, load_all};
use super::selection::Selection;
use super::sidecars;
use super::textures::{TextureArgs, Textures};
use super::verb::Verb;
use super::write::Target;
use super::{Common, Format};
use bindpose::Budget;
use bindpose::scene::gltf::Gltf;
use bindpose::scene::{LoadPhase, Loss, Scene};

/// Export files as glTF 2.0: skeleton, meshes, skins, morph targets and clips
///
/// All files form one scene: a mesh with its skeleton, clips and materials; glTF files can be among them. Bones of different files
/// are matched by name. The result is right-handed with Y up, in metres. A .glb file contains the images of its textures; a .gltf file
/// refers to PNG and JPEG images in its directory and below, and contains the others. Images are converted to PNG where glTF requires
/// it. Use `--loss-report` to list what glTF cannot represent.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command")]
pub(super) struct Export {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Write the result to OUT, a .glb or .gltf file; `-` for standard output, as .glb
    #[arg(
        short,
        long,
        value_name = "OUT",
        required_unless_present = "out_dir",
        help_heading = "Output options"
    )]
    output: Option<PathBuf>,
    /// Write a .glb file for each input file to DIR, with the directories of the input below it
    #[arg(long, value_name = "DIR", conflicts_with = "output", help_heading = "Output options")]
    out_dir: Option<PathBuf>,
    #[command(flatten)]
    jobs: Jobs,
    /// Overwrite existing files
    #[arg(long, help_heading = "Output options")]
    force: bool,
    #[command(flatten)]
    scene: SceneArgs,
    #[command(flatten)]
    ranges: RangeArgs,
    #[command(flatten)]
    selection: Selection,
    /// Keep the scale of bones in the bind pose instead of moving it to inverse bind matrices, children and clips
    #[arg(long, help_heading = "Output options")]
    keep_bind_scale: bool,
    /// Refer to images instead of embedding them; TGA, BMP, DDS and PCX images are lost
    #[arg(long, help_heading = "Texture options")]
    no_embed: bool,
    #[command(flatten)]
    textures: TextureArgs,
    /// List what glTF cannot represent
    #[arg(long, help_heading = "Output options")]
    loss_report: bool,
    /// Print the loss report as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  bindpose export hero.ms3d -o hero.glb
  bindpose export hero.psk walk.psa -o hero.glb --loss-report
  bindpose export models --out-dir exported --textures skins
  bindpose export hero.csf body.cmf head.cmf skin.crf walk.caf -o hero.gltf";

/// Builds glTF with the images of its textures.
fn built(
    scene: &Scene,
    textures: &Textures,
    output: &Path,
    embed: Embed,
    budget: &Budget,
) -> Result<Gltf, Failure> {
    Images::new(output, textures, embed).convert(scene, budget)
}

/// Returns a scene as the bytes of a `.glb` or `.gltf` file, by the extension of the output, and what is lost.
pub(super) fn gltf(
    mut scene: Scene,
    textures: &Textures,
    output: &Path,
    budget: &Budget,
) -> Result<(Vec<u8>, Vec<Loss>), Failure> {
    textures.attach(&mut scene);
    scene.move_bind_scale();
    let is_text = output.extension().is_some_and(|own| own.eq_ignore_ascii_case("gltf"));
    let embed = if is_text { Embed::Others } else { Embed::All };
    let gltf = built(&scene, textures, output, embed, budget)?;
    drop(scene);
    let bytes = if is_text { gltf.to_gltf() } else { gltf.to_glb() }.map_err(Failure::from)?;
    Ok((bytes, gltf.losses().to_vec()))
}

impl Verb for Export {
    fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        if let Some(directory) = &self.out_dir {
            return self.run_each(directory, common, output);
        }
        let out = self.output.as_deref().unwrap_or(Path::new("-"));
        let text = self.is_text(out)?;
        let memory = self.limits.memory();
        let mut files = load_all(&self.inputs, &memory, common)?;
        self.is_one_set(&files)?;
        sidecars::report(&self.textures.sidecars.add(&mut files, &memory)?, common);
        let mut textures =
            self.textures.search(&self.inputs, self.limits, files.iter().map(|(path, _)| &**path));
        let (scene, missing) = self.prepared(files, &mut textures, &memory)?;
        let gltf = built(&scene, &textures, out, self.embed(text), memory.budget())?;
        let Scene { skeleton, meshes, clips, losses, .. } = scene;
        let losses: Vec<&Loss> = losses.iter().chain(gltf.losses()).collect();
        if skeleton.bones().is_empty() && meshes.is_empty() {
            if self.loss_report {
                self.report(&losses, out, common, output)?;
            }
            return Err(Failure::new(
                Exit::Nothing,
                "the files contain no bones and no triangles; nothing was written",
            ));
        }
        drop(meshes);
        let bytes = if text { gltf.to_gltf() } else { gltf.to_glb() }.map_err(Failure::from)?;
        // What was written is read again.
        let _written = memory.grant((bytes.len() as u64).saturating_mul(2))?;
        let verify = |written: &[u8]| {
            let same = written == bytes;
            if same {
                Ok(())
            } else {
                Err(Failure::new(Exit::Bug, "internal error: the result does not read back identically"))
            }
        };
        Target::named(out, self.force).write(&bytes, output, verify)?;
        if !clips.is_empty() && gltf.num_animations() == 0 && !common.quiet {
            note!("bindpose: {}: no clip animates any bone or morph target", shown(out));
        }
        if !common.quiet {
            textures.warn_of_missing(&missing);
        }
        self.report(&losses, out, common, output)?;
        Ok(Exit::Well)
    }
}

impl Export {
    /// Builds the scene of files, and returns it with the textures whose images are missing.
    fn prepared(
        &self,
        files: Vec<(Box<Path>, Content)>,
        textures: &mut Textures,
        memory: &Memory,
    ) -> Result<(Scene, Vec<String>), Failure> {
        let mut scene = self.scene.scene(&files, memory)?;
        self.ranges.cut(&mut scene)?;
        self.selection.select(&mut scene, self.out_dir.is_some())?;
        textures.embed(files);
        let missing = textures.attach(&mut scene);
        if !self.keep_bind_scale {
            scene.move_bind_scale();
        }
        Ok((scene, missing))
    }

    /// Refuses to make one scene of a directory with several models.
    fn is_one_set(&self, files: &[(Box<Path>, Content)]) -> Result<(), Failure> {
        let of =
            |phase: LoadPhase| files.iter().filter(|(_, content)| content.meaning().phase() == phase).count();
        let models = of(LoadPhase::Mesh);
        // The meshes of one skeleton file belong together.
        if self.inputs.directories().next().is_none() || models <= 1 || of(LoadPhase::Skeleton) == 1 {
            return Ok(());
        }
        let why = format!("the directory contains {models} models, which do not form one scene");
        let help = "write one result for each with --out-dir DIR, or name the files of one model".to_owned();
        Err(Failure { help: Some(help), ..Failure::new(Exit::Usage, why) })
    }

    const fn embed(&self, text: bool) -> Embed {
        match (self.no_embed, text) {
            (true, _) => Embed::None,
            (false, true) => Embed::Others,
            (false, false) => Embed::All,
        }
    }

    /// Whether the result is `.gltf`, by its extension.
    fn is_text(&self, out: &Path) -> Result<bool, Failure> {
        if out.as_os_str() == "-" {
            let clash = self
                .loss_report
                .then_some("the result and the loss report cannot both go to standard output; use -o FILE");
            return clash.map_or(Ok(false), |why| Err(Failure::new(Exit::Usage, why)));
        }
        let extension = out.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "glb" => Ok(false),
            "gltf" => Ok(true),
            _ => Err(Failure::new(Exit::Usage, "expected a .glb or .gltf file").of(shown(out))),
        }
    }

    fn report(
        &self,
        losses: &[&Loss],
        out: &Path,
        common: &Common,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let losses = Losses { losses, input: "" };
        if self.loss_report {
            losses.list(self.format, output)?;
        } else if !common.quiet {
            losses.summarise(&shown(out));
        }
        Ok(())
    }
}
