//! `bindpose convert`: files in another format or form.

mod drafts;
mod each;
mod form;
mod gltf;
mod images;
mod outputs;
mod sets;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::Mutex;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::destination::Destination;
use super::files::absolute;
use super::load::{Content, Loaded};
use super::losses::{Losses, sums};
use super::progress::Jobs;
use super::ranges::RangeArgs;
use super::retarget::RetargetArgs;
use super::scene::{Conventions, InputArgs, axis, load_all, positive};
use super::selection::Selection;
use super::sidecars;
use super::textures::{TextureArgs, Textures};
use super::write::{has_directory, if_exists, if_exists_below, report_written};
use crate::prelude::*;
use bindpose::File;
use bindpose::depot::Sidecar;
use bindpose::scene::author::Authoring;
use bindpose::scene::{LoadPhase, Loss, LossKind, NameTemplate, Part, Placeholder, Scene, Settings, Up};
use drafts::Draft;
pub(super) use drafts::{To, name_of_family, targets};
use form::{FloatSize, Reformed};
use gltf::GltfArgs;
use images::{Images, renamed_copy};
pub(super) use images::{Mode, have_one_image_for_a_path};
pub(super) use outputs::refused;
use outputs::{Prepared, Ready, prepare, prepare_in_form, write_all};
pub(super) use sets::groups;

/// Convert files to another format or form
///
/// With `-o`, all files form one scene: a mesh with its skeleton, clips and materials; glTF files can be among them. Each OUT is
/// written from that scene. With `--out-dir`, files that are named together form a scene, too, if they have one model; several models
/// are converted alone. Files in directories are grouped: an animation with the mesh or skeleton that has all its bones, in its own
/// directory if there is one; Cal3D, UNIGINE and 3ds Max meshes and Cal3D materials with the skeleton beside them, materials without
/// one with the mesh. With `--each`, every file is converted alone.
///
/// With options for the conventions, such as `--for` or `--max-influences`, a file can be converted to its own format.
///
/// Names that are not UTF-8 keep their bytes. In glTF, and with `--encoding` in any format, they are UTF-8.
///
/// Contents that a format cannot represent are losses; `--loss-report` lists them. If the scene exceeds a limit of a format, nothing
/// is written.
///
/// A DirectX .x file can also be converted to another form of .x, and a Cal3D file to its other form, binary or XML. Converting
/// between text and binary loses white space, comments and the notation of numbers; compressing and decompressing is lossless.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose convert hero.glb -o hero.psk -o hero.psa
  bindpose convert body.psk run.psa -o hero.ms3d --loss-report
  bindpose convert models --to ms3d --out-dir new
  bindpose convert hero.glb --to cal3d --out-dir hero --name '{mesh}_{clip}{material}'
  bindpose convert town.glb --mesh 'house*' -o houses.ms3d
  bindpose convert hero.x --to bin -o hero_binary.x
  bindpose convert hero.psk --for ue2 -o standard.psk
  bindpose convert hero.cmf -o hero.xmf
  bindpose convert hero.psk --retarget walk.glb --bones pairs.csv -o hero.psa")]
#[command(mut_arg("unit", |own| own.long("from-unit")))]
#[command(mut_arg("up", |own| own.long("from-up")))]
#[command(mut_arg("rate", |own| own.long("from-rate")))]
pub(super) struct Convert {
    /// Write the result to OUT; give it several times for several files
    ///
    /// The extension determines the format, unless `--to` specifies it.
    #[arg(short, long, value_name = "OUT", help_heading = "Output options")]
    output: Vec<PathBuf>,
    /// Format of the results, or another form: txt, bin, tzip or bzip of .x, binary or xml of Cal3D
    ///
    /// A family writes all its files: `cal3d`, `max`, `unigine`, and `unreal` for psk and psa. A dialect follows a colon.
    #[arg(long, value_name = "FORMAT[:DIALECT]", help_heading = "Output options")]
    to: Option<String>,
    #[command(flatten)]
    args: SharedArgs,
    /// What to do with the images of textures; glTF contains them
    #[arg(long, value_name = "MODE", value_enum, default_value_t = Mode::Copy, help_heading = "Output options")]
    images: Mode,
    /// The same as `--images keep`
    #[arg(long, hide = true, conflicts_with = "images")]
    no_images: bool,
    /// List what the results cannot represent, as FORMAT
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        num_args = 0..=1,
        default_missing_value = "human",
        help_heading = "Output options"
    )]
    loss_report: Option<Format>,
    /// Print what was written as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
    /// Size of floats in binary .x files [default: unchanged]
    #[arg(long, value_name = "BITS", value_enum, help_heading = "Output options")]
    float_size: Option<FloatSize>,
    #[command(flatten)]
    written: WrittenArgs,
    #[command(flatten)]
    read: Conventions,
}

/// The arguments of `convert` and `export`.
#[derive(Args)]
pub(super) struct SharedArgs {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Write the results to DIR, for files in directories with the directories of the input below it
    ///
    /// Results that are named after the clips of a file go to a directory with its name if several files are converted.
    #[arg(long, value_name = "DIR", conflicts_with = "output", help_heading = "Output options")]
    out_dir: Option<PathBuf>,
    /// Name the results by TEMPLATE: text with the placeholders {input}, {mesh}, {clip} and {material}
    ///
    /// {input} is the name of the input file, and {mesh} that of its first mesh. {clip} and {material} are those of a result with one; for
    /// others they are left out, with a separator that would end the name. Two results of one name are an error.
    #[arg(
        long,
        value_name = "TEMPLATE",
        requires = "out_dir",
        conflicts_with = "output",
        help_heading = "Output options"
    )]
    name: Option<NameTemplate>,
    /// Convert every file alone
    #[arg(long, requires = "out_dir", help_heading = "Output options")]
    each: bool,
    #[command(flatten)]
    jobs: Jobs,
    /// Overwrite files that exist
    #[arg(long, help_heading = "Output options")]
    force: bool,
    /// Fail, and write nothing, if anything is lost
    #[arg(long, help_heading = "Output options")]
    strict: bool,
    /// With `--strict`, permit losses of this kind; repeat it for several
    #[arg(long, value_name = "KIND", requires = "strict", value_parser = loss_kind(), help_heading = "Output options")]
    accept: Vec<LossKind>,
    #[command(flatten)]
    gltf: GltfArgs,
    #[command(flatten)]
    textures: TextureArgs,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    ranges: RangeArgs,
    #[command(flatten)]
    retarget: RetargetArgs,
}

/// A conversion that `convert` or `export` specifies.
pub(super) struct Conversion<'a> {
    pub args: &'a SharedArgs,
    /// The files that all files are written to as one scene.
    pub outputs: &'a [PathBuf],
    pub images: Mode,
    pub written: &'a WrittenArgs,
    /// The conventions that the input does not state, and what the names of their options start with.
    pub read: (Conventions, &'static str),
    pub loss_report: Option<Format>,
    pub format: Format,
    pub float_size: Option<FloatSize>,
}

#[derive(Args, Default, PartialEq)]
pub(super) struct WrittenArgs {
    /// Write psk and psa files for PROGRAM [default: most programs]
    ///
    /// Chunks, stamps and limits are those that the program expects; what it does not read is a loss. A file can be converted to
    /// its own format in this way.
    #[arg(long = "for", value_name = "PROGRAM", value_parser = programs(), help_heading = "Conventions of the results")]
    program: Option<String>,
    /// Metres per unit of the results [default: the format's convention]
    #[arg(id = "to-unit", long = "unit", value_name = "METRES", value_parser = positive, help_heading = "Conventions of the results")]
    unit: Option<f32>,
    /// Up axis of the results [default: the format's convention]
    #[arg(id = "to-up", long = "up", value_name = "AXIS", value_parser = axis(), help_heading = "Conventions of the results")]
    up: Option<Up>,
    /// Frames per second of clips in formats with a fixed rate [default: a rate with a frame for every key; 30 if the format does not store it]
    #[arg(id = "to-rate", long = "rate", value_name = "RATE", value_parser = positive, help_heading = "Conventions of the results")]
    rate: Option<f32>,
    /// Write at most N influences per vertex [default: the format's maximum]
    #[arg(long, value_name = "N", help_heading = "Conventions of the results")]
    max_influences: Option<NonZeroUsize>,
    /// Compute tangents if the format stores them and the input has none
    #[arg(long, help_heading = "Conventions of the results")]
    tangents: bool,
    /// Remove keys that move nothing within 1 m of a bone by more than METRES
    #[arg(long, value_name = "METRES", value_parser = positive, help_heading = "Conventions of the results")]
    reduce_keys: Option<f32>,
}

impl WrittenArgs {
    const fn has_space(&self) -> bool {
        self.unit.is_some() || self.up.is_some() || self.rate.is_some()
    }
}

/// The names of the programs that files of any format can be written for.
fn programs() -> PossibleValuesParser {
    let all = FileKind::ALL.iter().flat_map(|kind| kind.programs());
    let names: BTreeMap<_, _> = all.map(|program| (program.name, program.title)).collect();
    PossibleValuesParser::new(names.into_iter().map(|(name, title)| PossibleValue::new(name).help(title)))
}

/// Names the images that are not written beside a stream.
fn warn_of_unwritten(path: &Path, images: &[PathBuf]) {
    if images.is_empty() {
        return;
    }
    let names: Vec<_> = images.iter().map(|image| shown(image)).collect();
    let number = counted(images.len(), "image");
    note!(
        "bindpose: {}: {number} not written, as the result is not a file: {}",
        shown(path),
        names.join(", ")
    );
    note!("help: write the result to a file with -o FILE, or select `--images keep`");
}

fn loss_kind() -> impl TypedValueParser<Value = LossKind> {
    PossibleValuesParser::new(LossKind::ALL.map(LossKind::name))
        .map(|name| LossKind::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or(LossKind::Geometry))
}

/// The results of files that form one scene.
struct Made {
    results: Prepared,
    /// The sidecars that were read, too.
    beside: Vec<Sidecar>,
    textures: Textures,
}

fn have_own_paths(files: &[Ready]) -> Result<()> {
    let mut paths = HashSet::new();
    match files.iter().find(|file| !paths.insert(absolute(file.place.path()))) {
        Some(file) => Err(Failure::usage("two results would have this path").in_file(file.place.path())),
        None => Ok(()),
    }
}

impl Verb for Convert {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let conversion = self.conversion();
        if let Some(form) = self.to.as_deref().and_then(form::named) {
            if self.args.name.is_some() || conversion.has_conventions() || conversion.images != Mode::Copy {
                let why = "files in another form keep names and contents; leave out the options for objects, names, images and \
                           conventions";
                return Err(Failure::usage(why));
            }
            conversion.refuse_without_effect([false])?;
            return conversion.reform(form, output);
        }
        if self.float_size.is_some() {
            let why = "--float-size is for another form of .x files: --to bin or bzip";
            return Err(Failure::usage(why).with_help("convert to x first, then the result"));
        }
        conversion.run(self.to.as_deref().map(str::parse).transpose()?.as_ref(), output)
    }
}

impl Convert {
    fn conversion(&self) -> Conversion<'_> {
        Conversion {
            args: &self.args,
            outputs: &self.output,
            images: if self.no_images { Mode::Keep } else { self.images },
            written: &self.written,
            read: (self.read, "from-"),
            loss_report: self.loss_report,
            format: self.format,
            float_size: self.float_size,
        }
    }
}

impl Conversion<'_> {
    /// Writes one scene of all files, or the results of each set of files to a directory.
    pub fn run(&self, to: Option<&To>, output: &mut Output) -> Result<Exit> {
        if let (Some(directory), Some(to)) = (&self.args.out_dir, to) {
            self.refuse_without_effect([matches!(to, To::Gltf(_))])?;
            return self.to_directory(to, directory, output);
        }
        let drafts = self.named(to)?;
        self.refuse_without_effect(drafts.iter().map(Draft::is_gltf))?;
        self.prints_one(drafts.iter().any(Draft::is_printed))?;
        let memory = self.args.limits.memory();
        let files = load_all(&self.args.inputs, &memory, self.args.input.nodes(), output.common)?;
        self.is_one_set(&files)?;
        self.write((files, memory), &drafts, to, output)
    }

    /// Refuses to print a loss report where the result is printed.
    fn prints_one(&self, is_result_printed: bool) -> Result<()> {
        if self.loss_report.is_none() || !is_result_printed {
            return Ok(());
        }
        let why = "the result and the loss report cannot both go to standard output; use -o FILE";
        Err(Failure::usage(why))
    }

    /// Refuses options that have no effect on results that are glTF files or not.
    fn refuse_without_effect(&self, are_gltf: impl IntoIterator<Item = bool>) -> Result<()> {
        let (gltf, others): (Vec<_>, Vec<_>) = are_gltf.into_iter().partition(|is_gltf| *is_gltf);
        let refused = [
            (
                self.written.program.is_some() && !gltf.is_empty(),
                "--for: glTF files are the same for all programs",
            ),
            (
                self.args.gltf != GltfArgs::default() && gltf.is_empty(),
                "--keep-bind-scale and --no-embed are about glTF files",
            ),
            (
                self.images != Mode::Copy && others.is_empty(),
                "--images is about files of other formats: glTF files contain images, or refer to them with --no-embed",
            ),
        ];
        let why = refused.into_iter().find(|(is_refused, _)| *is_refused);
        why.map_or(Ok(()), |(_, why)| Err(Failure::usage(why)))
    }

    /// Refuses to make one scene of a directory with several models.
    fn is_one_set(&self, files: &[Loaded]) -> Result<()> {
        let of = |phase: LoadPhase| {
            files.iter().filter(|(_, content)| content.as_scene_source().phase() == phase).count()
        };
        let models = of(LoadPhase::Mesh);
        // The meshes of one skeleton file belong together.
        if self.args.inputs.directories().next().is_none() || models <= 1 || of(LoadPhase::Skeleton) == 1 {
            return Ok(());
        }
        let why = format!("the directory contains {models} models, which do not form one scene");
        let help = "write one result for each with --out-dir DIR, or name the files of one model";
        Err(Failure::usage(why).with_help(help))
    }

    /// Writes another form of a file.
    fn reform(&self, form: &str, output: &mut Output) -> Result<Exit> {
        if let Some(directory) = &self.args.out_dir {
            return self.each_in_form(form, directory, output);
        }
        let files =
            load_all(&self.args.inputs, &self.args.limits.memory(), self.args.input.nodes(), output.common)?;
        let ([(path, content)], [] | [_]) = (&*files, self.outputs) else {
            return Err(Failure::usage("expected one file and one -o OUT, or --out-dir DIR"));
        };
        let destination = Destination::of_output(self.outputs.first().map(PathBuf::as_path), self.args.force);
        self.prints_one(matches!(destination, Destination::Stdout))?;
        let destination = destination.free_for(self.format)?;
        let Reformed { bytes, spec, losses, .. } = self.in_form(form, path, content)?;
        if self.loss_report.is_some() {
            self.report(&shown(path), &losses, output)?;
        }
        self.permits(path, &losses)?;
        destination.write_and_report(&bytes, Some(spec), self.format, output)?;
        if !output.common.quiet {
            let what = losses.first().map_or_else(|| "content unchanged".into(), Loss::why);
            note!("bindpose: {}: {what}", shown(path));
        }
        Ok(Exit::Success)
    }

    fn named(&self, to: Option<&To>) -> Result<Vec<Draft>> {
        if self.outputs.is_empty() {
            return Err(Failure::usage("expected -o OUT, or --to FORMAT with --out-dir DIR"));
        }
        self.outputs.iter().try_for_each(|path| has_directory(path))?;
        Draft::all_named(self.outputs, to)
    }

    /// Writes files that form one scene.
    fn write(
        &self,
        (files, memory): (Vec<Loaded>, Memory),
        drafts: &[Draft],
        to: Option<&To>,
        output: &mut Output,
    ) -> Result<Exit> {
        let path = files.first().map_or_else(|| Path::new("").into(), |(path, _)| path.clone());
        let search = self.args.textures.prepare(&self.args.inputs, self.args.limits);
        have_one_image_for_a_path(&files, &search)?;
        let textures = search.of(files.iter().map(|(path, _)| &**path));
        let Made { results: made, beside, textures } =
            self.made((files, memory), drafts, to, (textures, &self.images()), output.common)?;
        sidecars::report(&beside, output.common);
        if !output.common.quiet {
            for path in &made.still {
                note!("bindpose: {}: no clip animates any bone or morph target", shown(path));
            }
            textures.warn_of_missing(&made.missing);
            warn_of_unwritten(&path, &made.unwritten);
        }
        self.report(&shown(&path), &made.losses, output)?;
        self.permits(&path, &made.losses)?;
        have_own_paths(&made.files)?;
        let (printed, files): (Vec<_>, Vec<_>) = made.files.into_iter().partition(Ready::is_printed);
        let if_exists = if self.args.out_dir.is_some() { if_exists_below } else { if_exists };
        let written = write_all(files, if_exists(self.args.force))?;
        self.report_written(&written, output)?;
        printed.into_iter().try_for_each(|file| file.print(output))?;
        Ok(Exit::Success)
    }

    /// Prints the paths of files that the user did not name, and in the machine output all.
    fn report_written(&self, written: &[(PathBuf, u64)], output: &mut Output) -> Result<()> {
        written.iter().try_for_each(|(path, len)| {
            if !output.common.quiet && !self.outputs.contains(path) {
                note!("bindpose: wrote {}", shown(path));
            }
            report_written(path, *len, self.format, output)
        })
    }

    fn images(&self) -> Images {
        let copies = self.args.limits.limits().max_memory;
        Images { is_wanted: self.writes_images(), force: self.args.force, copies, written: Mutex::default() }
    }

    fn writes_images(&self) -> bool {
        self.images != Mode::Keep
    }

    /// Makes the results of files that form one scene.
    fn made(
        &self,
        (mut files, memory): (Vec<Loaded>, Memory),
        drafts: &[Draft],
        to: Option<&To>,
        (mut textures, images): (Textures, &Images),
        common: Common,
    ) -> Result<Made> {
        if !self.has_conventions() {
            refuse_same_format(&files, drafts, to.and_then(To::version))?;
        }
        if let ([(_, Content::File(file))], false) = (&*files, self.has_conventions())
            && let drafts = self.renamed_without_scene(file, drafts)
            && let Some(made) = prepare_in_form(file, &drafts, to.and_then(To::version))
        {
            return made.map(|results| Made { results, beside: Vec::new(), textures });
        }
        let beside = self.args.textures.sidecars.add(&mut files, &memory)?;
        let settings = self.args.input.settings(self.read.0);
        let mut scene = self.args.input.scene(&files, &settings, &memory)?;
        self.args.ranges.cut(&mut scene)?;
        self.args.retarget.apply(&mut scene, &settings, &memory, common)?;
        let shown = files.first().map_or_else(String::new, |(path, _)| shown(path));
        let selected = self.args.selection.select(&mut scene, self.args.out_dir.is_some());
        selected.map_err(|failure| failure.of(&shown))?;
        // glTF has text; other formats keep the bytes of names unless their encoding is given.
        if self.args.input.encoding.encoding.is_some() || drafts.iter().all(Draft::is_gltf) {
            scene.decode_names(self.args.input.encoding.encoding);
        }
        let (drafts, names) = self.renamed(drafts, &scene);
        if let Some(tolerance) = self.written.reduce_keys {
            scene.reduce_keys(tolerance);
        }
        self.refuse_of_gltf(&files, &drafts)?;
        textures.embed(files);
        let is_gltf = drafts.iter().all(Draft::is_gltf);
        if self.writes_images() && !is_gltf {
            textures.attach_files(&mut scene);
            textures.follow_extensions(&mut scene);
            if self.images == Mode::Convert {
                textures.convert(&mut scene, memory.budget())?;
            }
            textures.follow_names(&mut scene, renamed_copy);
        }
        let mut authoring = self.authoring(to);
        authoring.budget = Some(memory.budget().clone());
        authoring.names = names;
        let made = prepare(scene, &textures, &drafts, &authoring, (images, self.args.gltf));
        let results = made.map_err(|failure| failure.of(&shown))?;
        Ok(Made { results, beside, textures })
    }

    /// Refuses conventions of formats if there are only glTF files to follow them, which have one unit, up axis and time.
    fn refuse_of_gltf(&self, files: &[Loaded], drafts: &[Draft]) -> Result<()> {
        let (Conventions { unit, up, rate }, prefix) = self.read;
        let is_read = files.iter().all(|(_, own)| matches!(own, Content::Gltf(_)));
        let is_read = is_read && self.args.retarget == RetargetArgs::default();
        let [prefix, help] = if is_read && (unit.is_some() || up.is_some() || rate.is_some()) {
            [prefix, "leave them out"]
        } else if self.written.has_space() && drafts.iter().all(Draft::is_gltf) {
            ["", "state those of the input with --from-unit, --from-up and --from-rate"]
        } else {
            return Ok(());
        };
        let options = ["unit", "up", "rate"].map(|name| format!("--{prefix}{name}")).join(", ");
        let why = format!("{options}: glTF files are in metres and seconds, with y up");
        Err(Failure::usage(why).with_help(help))
    }

    /// As [`renamed`](Self::renamed), for a file that is not converted by its scene.
    fn renamed_without_scene<'a>(&self, file: &File, drafts: &'a [Draft]) -> Cow<'a, [Draft]> {
        let name = drafts.first().map_or("", |own| &own.name);
        let names =
            || Scene::of(&[Part { name, file: file.as_scene_source() }], &Settings::default().names_only());
        let scene = self.args.name.as_ref().map(|_| names()).unwrap_or_default();
        self.renamed(drafts, &scene).0
    }

    /// The results with the names of the template, and the template for clips and materials.
    fn renamed<'a>(&self, drafts: &'a [Draft], scene: &Scene) -> (Cow<'a, [Draft]>, Option<NameTemplate>) {
        let (Some(template), Some(first)) = (&self.args.name, drafts.first()) else {
            return (drafts.into(), None);
        };
        let mesh = scene.meshes.iter().map(|own| &*own.name).find(|name| !name.is_empty());
        let template = template.clone().with(Placeholder::Input, &first.name);
        let template = template.with(Placeholder::Mesh, mesh.unwrap_or(&first.name));
        let renamed: Vec<_> = drafts.iter().map(|own| own.renamed(&template, scene)).collect();
        (renamed.into(), Some(template))
    }

    /// Fails if something is lost and that is an error.
    fn permits(&self, path: &Path, losses: &[Loss]) -> Result<()> {
        let is_refused = |loss: &&Loss| !self.args.accept.contains(&loss.kind());
        let refused: Vec<_> = losses.iter().filter(is_refused).cloned().collect();
        if !self.args.strict || refused.is_empty() {
            return Ok(());
        }
        let why = format!("{}; nothing was written", sums(&refused));
        Err(Failure::new(Exit::Findings, why).in_file(path).with_help("list them with --loss-report"))
    }

    /// Whether options change the content, so that it has to become a scene.
    fn has_conventions(&self) -> bool {
        let Conventions { unit, up, rate } = self.read.0;
        let SharedArgs { selection, input, ranges, retarget, .. } = self.args;
        *self.written != WrittenArgs::default()
            || selection.is_given()
            || *input != InputArgs::default()
            || *ranges != RangeArgs::default()
            || *retarget != RetargetArgs::default()
            || (unit.is_some() || up.is_some() || rate.is_some())
            || self.images == Mode::Convert
    }

    fn authoring(&self, to: Option<&To>) -> Authoring {
        let WrittenArgs { ref program, unit, up, rate, max_influences, tangents, .. } = *self.written;
        let mut settings = Authoring::default();
        settings.program.clone_from(program);
        settings.unit = unit;
        settings.up = up;
        settings.rate = rate;
        settings.max_influences = max_influences.map(NonZeroUsize::get);
        settings.tangents = tangents;
        settings.version = to.and_then(To::version).map(str::to_owned);
        settings
    }

    fn report(&self, shown: &str, losses: &[Loss], output: &mut Output) -> Result<()> {
        let losses = Losses { losses, input: self.read.1 };
        match self.loss_report {
            Some(format) => losses.list(format, output)?,
            None if output.common.quiet || self.args.strict => {}
            None => losses.summarise(shown),
        }
        Ok(())
    }
}

/// Fails if a single file is to be written in its own format, dialect and version.
fn refuse_same_format(files: &[Loaded], drafts: &[Draft], version: Option<&str>) -> Result<()> {
    let [(path, Content::File(file))] = files else { return Ok(()) };
    let kind = file.kind();
    let version = version.or_else(|| drafts.iter().find_map(|draft| draft.other_version(file)));
    // A form is written whatever that of the file is, as by `--to bin`.
    let is_other_version = version.is_some_and(|version| {
        kind.forms().contains(&version) || file.summary().version.is_some_and(|own| own != version)
    });
    if is_other_version || !drafts.iter().any(|draft| draft.is(kind, file.dialect())) {
        return Ok(());
    }
    let (what, known) = match (kind.info().dialects, kind.encodings()) {
        ([], versions) if versions == kind.forms() => ("form", versions),
        ([], versions) => ("version", versions),
        (dialects, _) => ("dialect", dialects),
    };
    let names = known.join(", ");
    let other = match known {
        [] => String::new(),
        _ => format!("; for another {what} use --to {}:{} ({names})", kind.name(), what.to_uppercase()),
    };
    let why = format!("is of the format {} already{other}", kind.name());
    Err(Failure { cause: Cause::NothingToConvert, ..Failure::usage(why).in_file(path) })
}
