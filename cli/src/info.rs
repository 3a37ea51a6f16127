//! `bindpose info`: a summary of a file.

mod contents;
mod oneline;

use std::fmt;
use std::ops::ControlFlow::{self, Continue};

use serde::Serializer;

use super::advice;
use super::load::{self, Content, Nodes};
use super::output::bytes;
use super::progress::Jobs;
use super::scene::{EncodingArgs, scene_of_parts};
use super::scene_summary::SceneSummary;
use super::table::Table;
use super::textures::{Search, TextureArgs, Textures};
use super::verdict::Verdict;
use crate::prelude::*;
use bindpose::codec::{Bounds, ClipInfo, FileSummary, Proposal};
use bindpose::depot::Sidecar;
use bindpose::formats::Writer;
use bindpose::scene::gltf::Imported;
use bindpose::scene::{self, LoadPhase, Loss, Lost, Mesh, NameEncoding, Scene, Settings, Space, ToScene};
use bindpose::schema::{Class, Leaf, Node, Place, Step, Value, Visitor, sections};
use bindpose::{Error, File};
use contents::Contents;
use oneline::{Row, TITLES};

/// Summarise files: format, counts, skeleton, clips, bounds, damage
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose info hero.ms3d
  bindpose info --oneline assets
  bindpose info --format json assets | jq -r 'select(.rest > 0) | .path'")]
pub(super) struct Info {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    textures: TextureArgs,
    #[command(flatten)]
    encoding: EncodingArgs,
    /// Also print the scene: bone hierarchy, meshes, clips, and bounds as `export` writes them, in metres with Y up
    #[arg(long, help_heading = "Output options")]
    scene: bool,
    /// Print a table with one row for each file
    ///
    /// Vertices and triangles are those of the scene, as `export` writes them. Damaged files are marked.
    #[arg(long, conflicts_with_all = ["scene", "format"], help_heading = "Output options")]
    oneline: bool,
    /// Print the summary as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

impl Verb for Info {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let items = self.inputs.list()?;
        let search = self.textures.prepare(&self.inputs, self.limits);
        let (mut exit, mut printed) = (Exit::Success, 0);
        let mut totals = Totals::default();
        let common = output.common;
        let mut overview = self.oneline.then(|| Table::new(TITLES));
        let take = |item: &Item, done: Result<(Summary, Option<Row>)>| {
            let row = match done {
                Ok((summary, row)) => {
                    printed += 1;
                    totals.add(&summary);
                    match self.format {
                        _ if self.oneline => {}
                        Format::Human => summary.print(output, printed > 1)?,
                        Format::Json => output.json_line(&summary)?,
                    }
                    row
                }
                // Other files in a directory are skipped.
                Err(failure) if failure.is_foreign(item) => None,
                Err(failure) => {
                    exit = exit.max(failure.report());
                    let failed = Failed::new(item, &failure);
                    if self.format == Format::Json {
                        output.json_line(&failed)?;
                    }
                    Some(oneline::failed(&item.path, failed.format))
                }
            };
            if let (Some(overview), Some((cells, is_marked))) = (&mut overview, row) {
                overview.push(cells, is_marked);
            }
            Ok(())
        };
        self.jobs.batch(&items, common.quiet).each(|item| self.summary(item, &search), take)?;
        if let Some(overview) = overview.filter(|_| printed > 0 || exit != Exit::Success) {
            overview.print(output.paint, output)?;
        }
        if printed > 1 && (self.oneline || self.format == Format::Human) {
            totals.print(output)?;
        }
        if printed == 0 && exit == Exit::Success {
            return Err(self.inputs.nothing());
        }
        Ok(exit)
    }
}

impl Info {
    /// The summary of a file, and its row in the table if that is wanted.
    fn summary(&self, item: &Item, search: &Search) -> Result<(Summary, Option<Row>)> {
        item.is_listed()?;
        let Item { path, spec, .. } = item;
        // The other forms need the geometry, too.
        let is_short = !self.oneline && !self.scene;
        let memory = self.limits.memory();
        if let Some((outline, len)) = is_short.then(|| load::outline(path, *spec, &memory)).flatten() {
            let mut summary = Summary::of_valid(path, &outline.file, outline.summary, len);
            summary.opaque = outline.opaque;
            summary.proposal = outline.file.proposal(&[]);
            let beside = self.textures.sidecars.of(std::iter::once((&**path, outline.file.kind())));
            summary.sidecars = beside.iter().map(Beside::new).collect();
            summary.given = self.encoding.encoding;
            let parts = [(&**path, outline.file.as_scene_source())];
            summary.look_into(path, &parts, None, &search.of([&**path]), false, &memory)?;
            return Ok((summary, None));
        }
        let (content, mut summary) = Self::load(path, *spec, &memory)?;
        if self.oneline {
            summary.model = Model::of_mesh(path, &content, &memory)?;
        }
        let row = self.oneline.then(|| oneline::row(&summary, path));
        if row.is_none() {
            summary.given = self.encoding.encoding;
            let textures = search.of([&**path]);
            let mut files = vec![(path.clone(), content)];
            summary.sidecars =
                self.textures.sidecars.add(&mut files, &memory)?.iter().map(Beside::new).collect();
            let parts: Vec<_> = files.iter().map(|(path, own)| (&**path, own.as_scene_source())).collect();
            summary.look_into(path, &parts, Some(&files[0].1), &textures, self.scene, &memory)?;
        }
        Ok((summary, row))
    }

    /// Decodes a file, without its bytes in memory if it is large and valid.
    fn load(path: &Path, spec: Option<FormatSpec>, memory: &Memory) -> Result<(Content, Summary)> {
        // Another dialect than the given one is proposed from the bytes.
        let valid = load::valid(path, spec, memory).filter(|(_, spec, _)| spec.dialect.is_none());
        if let Some((file, _, len)) = valid {
            let mut summary = Summary::of_valid(path, &file, file.summary(), len);
            summary.proposal = file.proposal(&[]);
            return Ok((Content::File(file), summary));
        }
        let (content, bytes) = Content::with_bytes(path, spec, memory, Nodes::Used)?;
        let summary = match &content {
            Content::File(file) => Summary::new(path, file, &bytes, memory),
            Content::Gltf(imported) => Summary::of_gltf(path, imported, bytes.len()),
        };
        Ok((content, summary))
    }
}

/// A file that could not be decoded.
#[derive(Serialize)]
struct Failed<'a> {
    #[serde(flatten)]
    path: PathName,
    /// None if it is not known.
    format: Option<&'static str>,
    verdict: Verdict,
    message: &'a str,
}

impl<'a> Failed<'a> {
    fn new(item: &'a Item, failure: &'a Failure) -> Self {
        let path = PathName::of(&item.path);
        let verdict = match failure.exit {
            _ if failure.cause == Cause::UnknownFormat => Verdict::UnknownFormat,
            Exit::Limit => Verdict::Limit,
            Exit::Io => Verdict::IoError,
            _ => Verdict::Undecodable,
        };
        let format = item.spec.or_else(|| FormatSpec::detect(&item.path, &[])).map(|spec| spec.kind.name());
        let message =
            failure.message.strip_prefix(&shown(&item.path)).and_then(|text| text.strip_prefix(": "));
        Self { format, verdict, message: message.unwrap_or(&failure.message), path }
    }
}

/// A file beside another that belongs to it.
#[derive(Serialize)]
struct Beside {
    #[serde(flatten)]
    path: PathName,
    why: &'static str,
}

impl Beside {
    fn new(own: &Sidecar) -> Self {
        Self { path: PathName::of(&own.path), why: own.why }
    }
}

#[derive(Default, Serialize)]
struct Summary {
    #[serde(flatten)]
    path: PathName,
    format: &'static str,
    #[serde(skip)]
    title: &'static str,
    dialect: Option<&'static str>,
    /// The dialect that fits the file best.
    proposal: Option<Proposal>,
    version: Option<String>,
    writer: Option<String>,
    bytes: u64,
    /// The files beside it that belong to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sidecars: Vec<Beside>,
    /// The encoding of names that are not UTF-8; present if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    /// The assumed up axis, with the reason; present if it is not that of the convention.
    #[serde(skip_serializing_if = "Option::is_none")]
    up: Option<String>,
    /// The encoding that the user gave.
    #[serde(skip)]
    given: Option<NameEncoding>,
    /// Lengths of the lists, by their paths or by names from the format.
    #[serde(serialize_with = "as_object")]
    counts: Vec<(String, usize)>,
    /// The size of the scene, unless the file is long.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<Model>,
    bones: Option<usize>,
    roots: Option<Vec<String>>,
    clips: Vec<ClipInfo>,
    bounds: Option<Bounds>,
    /// The convention of the format for the axes and the unit; present if there are any lengths.
    #[serde(skip_serializing_if = "Option::is_none")]
    space: Option<String>,
    #[serde(flatten)]
    contents: Contents,
    opaque: u64,
    rest: u64,
    offset: Option<u64>,
    field: Option<String>,
    message: Option<String>,
    /// Present with `--scene`.
    #[serde(skip_serializing_if = "Option::is_none")]
    scene: Option<SceneSummary>,
    #[serde(skip)]
    damage: Option<String>,
    /// Whether `rescue` can make a valid file of a damaged one.
    #[serde(skip)]
    is_rescuable: bool,
    /// Why the file is damaged, where that can be repaired.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<String>,
}

fn as_object<S: Serializer>(counts: &[(String, usize)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(counts.iter().map(|(path, len)| (path, len)))
}

impl Summary {
    fn new(path: &Path, file: &File, bytes: &[u8], memory: &Memory) -> Self {
        let damage = file.damage();
        let cause = damage.as_ref().and_then(|_| file.repairs(bytes).into_iter().next());
        let options = || memory.options(load::spec_of(file), bytes.len());
        Self {
            is_rescuable: damage.is_some() && file.kind().rescue(bytes, &options()).is_ok(),
            proposal: file.proposal(bytes),
            offset: damage.as_ref().map(Error::offset),
            field: damage.as_ref().map(|damage| damage.path().to_string()),
            message: damage.as_ref().map(Error::message),
            damage: damage.map(|damage| damage.to_string()),
            cause: cause.map(|repair| repair.message),
            ..Self::of_valid(path, file, file.summary(), bytes.len() as u64)
        }
    }

    /// The summary of a valid file, of which `file` can be an outline.
    fn of_valid(path: &Path, file: &File, stated: FileSummary, bytes: u64) -> Self {
        let mut lengths = ListLengths::default();
        let _ = sections(file.value(), &mut lengths);
        let (bones, roots) = stated.skeleton.map(|skeleton| (skeleton.bones, skeleton.roots)).unzip();
        Self {
            path: PathName::of(path),
            format: file.kind().name(),
            title: file.kind().info().title,
            dialect: file.dialect(),
            version: stated.version,
            writer: file.writer().map(str::to_owned),
            bytes,
            counts: lengths.counts.into_iter().chain(stated.counts).collect(),
            bones,
            roots,
            clips: stated.clips,
            space: (bones.is_some() || stated.bounds.is_some()).then(|| file.space().to_string()),
            bounds: stated.bounds,
            contents: Contents::of_comments(stated.comments),
            opaque: lengths.opaque,
            rest: lengths.rest,
            ..Self::default()
        }
    }

    /// Adds what the scene of the file has.
    fn look_into(
        &mut self,
        path: &Path,
        files: &[(&Path, &dyn ToScene)],
        content: Option<&Content>,
        textures: &Textures,
        with_scene: bool,
        memory: &Memory,
    ) -> Result<()> {
        // Animations have neither materials nor meshes, and can be long.
        let is_short = files.iter().any(|(_, file)| file.phase() < LoadPhase::Clip) || self.bytes < SHORT;
        let parts = if is_short || with_scene { files } else { &[] };
        // Long files are read without their contents.
        let is_whole = with_scene || (is_short && content.is_some());
        let all = Settings::default().without_sources();
        let settings = if is_whole { all } else { all.names_only() };
        let scene = scene_of_parts(parts.iter().copied(), &settings, memory.budget());
        let mut scene = scene.in_file(path)?;
        self.decode_names(&mut scene);
        self.up = scene.losses.iter().find(|loss| loss.lost == Lost::UpAxis).map(Loss::why);
        self.contents.add(&scene, content, textures);
        self.model = is_whole.then(|| Model::of(&scene));
        self.scene = with_scene.then(|| SceneSummary::of(&scene));
        Ok(())
    }

    fn decode_names(&mut self, scene: &mut Scene) {
        let of_scene = scene.decode_names(self.given);
        let own = || self.roots.iter().flatten().chain(self.clips.iter().map(|clip| &clip.name));
        let encoding = of_scene.or_else(|| {
            let guessed = NameEncoding::guess(own().map(String::as_str));
            guessed.map(|guessed| self.given.unwrap_or(guessed))
        });
        let Some(encoding) = encoding else { return };
        self.encoding = Some(encoding.name());
        let clips = self.clips.iter_mut().map(|clip| &mut clip.name);
        for name in self.roots.iter_mut().flatten().chain(clips) {
            *name = encoding.decode(name).into_owned();
        }
    }

    fn of_gltf(path: &Path, imported: &Imported, bytes: usize) -> Self {
        let Imported { scene, images, generator } = imported;
        let bones = scene.skeleton.bones();
        let roots = bones.iter().filter(|bone| bone.parent.is_none()).map(|bone| bone.name.clone());
        let Model { vertices, triangles, materials, .. } = Model::of(scene);
        let counts = [
            ("meshes", scene.meshes.len()),
            ("vertices", vertices),
            ("triangles", triangles),
            ("materials", materials),
            ("images", images.len()),
        ];
        let clip = |clip: &scene::Clip| ClipInfo {
            name: clip.name.clone(),
            frames: None,
            rate: None,
            seconds: clip.span().map(|(start, end)| end - start),
        };
        Self {
            path: PathName::of(path),
            format: "gltf",
            title: "glTF",
            version: Some("2.0".into()),
            writer: generator.clone(),
            bytes: bytes as u64,
            counts: counts.map(|(name, count)| (name.to_owned(), count)).into(),
            bones: Some(bones.len()),
            roots: Some(roots.collect()),
            clips: scene.clips.iter().map(clip).collect(),
            bounds: scene.bounds(),
            space: Some(Space::RIGHT_Y_UP.to_string()),
            ..Self::default()
        }
    }

    fn print(&self, output: &mut Output, again: bool) -> io::Result<()> {
        if again {
            writeln!(output)?;
        }
        writeln!(output, "{}", output.paint.strong(&printable(&self.path.text)))?;
        let width = self.counts.iter().map(|(path, _)| path.len()).max().unwrap_or(0).max("written by".len());
        for (label, text) in self.lines() {
            writeln!(output, "  {label:<width$}  {}", printable(&text))?;
        }
        if let Some(scene) = &self.scene {
            scene.print(output, width)?;
        }
        let Some(damage) = &self.damage else { return Ok(()) };
        if let Some(cause) = &self.cause {
            writeln!(output, "  {:<width$}  {}", "cause", output.paint.bad(cause))?;
        }
        let rest = if self.rest > 0 { format!(" ({} unread)", bytes(self.rest)) } else { String::new() };
        let damage = output.paint.bad(&format!("{damage}{rest}"));
        writeln!(output, "  {:<width$}  {damage}", "damaged")?;
        if self.is_rescuable {
            writeln!(output, "  {:<width$}  {}", "help", advice::rescue(&self.path.text))?;
        }
        Ok(())
    }

    /// The lines for people, each with its label.
    fn lines(&self) -> Vec<(&str, String)> {
        let version = self.version.as_ref().map(|version| format!(", version {version}")).unwrap_or_default();
        let dialect = self.dialect.map(|dialect| format!(":{dialect}")).unwrap_or_default();
        let mut lines = vec![("format", format!("{}{dialect}, {}{version}", self.format, self.title))];
        if let Some(Proposal { dialect, why }) = &self.proposal {
            let other = if self.dialect == Some(*dialect) { "" } else { "rather " };
            lines.push(("dialect", format!("{other}{dialect}: {why}")));
        }
        if let Some(writer) = &self.writer {
            lines.push(("written by", writer.clone()));
            lines.extend(Writer::named(writer).map(|row| ("habits", row.differs.to_owned())));
        }
        lines.push(("size", bytes(self.bytes)));
        lines.extend(self.up.clone().map(|up| ("up axis", up)));
        if let Some(encoding) = self.encoding {
            let how = if self.given.is_some() { "" } else { ", guessed; specify another with --encoding" };
            lines.push(("names", format!("in {encoding}{how}")));
        }
        lines.extend(self.sidecars.iter().map(|own| ("sidecar", format!("{}: {}", own.path.text, own.why))));
        let counts = self.counts.iter().filter(|(_, len)| *len > 0);
        lines.extend(counts.map(|(path, len)| (&**path, len.to_string())));
        let model = self.model.as_ref().map(Model::to_string).filter(|text| !text.is_empty());
        lines.extend(model.map(|text| ("model", text)));
        if let (Some(bones), Some(roots)) = (self.bones, &self.roots) {
            lines.push(("skeleton", format!("{}, {}", counted(bones, "bone"), rooted(roots))));
        }
        lines.extend(self.clips.iter().map(|clip| ("clip", describe(clip))));
        lines.extend(self.contents.lines());
        if let Some(Bounds { min, max }) = &self.bounds {
            lines.push(("bounds", format!("{min:?} to {max:?}")));
        }
        lines.extend(self.space.clone().map(|space| ("space", space)));
        if self.opaque > 0 {
            lines.push(("opaque", format!("{} of unknown meaning", bytes(self.opaque))));
        }
        lines
    }
}

/// The size of a scene.
#[derive(Default, Serialize)]
struct Model {
    vertices: usize,
    triangles: usize,
    bones: usize,
    /// The maximum number of influences on a vertex.
    influences: usize,
    clips: usize,
    materials: usize,
}

impl Model {
    fn of(scene: &Scene) -> Self {
        let influences = scene.meshes.iter().filter_map(|mesh| Some(mesh.skin.as_ref()?.weights.most()));
        Self {
            vertices: scene.meshes.iter().map(|mesh| mesh.positions.len()).sum(),
            triangles: scene.meshes.iter().map(Mesh::num_triangles).sum(),
            bones: scene.skeleton.bones().len(),
            influences: influences.max().unwrap_or_default(),
            clips: scene.clips.len(),
            materials: scene.materials.len(),
        }
    }

    /// The size of the scene of a mesh; none for other files, which can be long.
    fn of_mesh(path: &Path, content: &Content, memory: &Memory) -> Result<Option<Self>> {
        let file = content.as_scene_source();
        if file.phase() != LoadPhase::Mesh {
            return Ok(None);
        }
        let settings = Settings::default().without_sources();
        let scene = scene_of_parts([(path, file)], &settings, memory.budget());
        Ok(Some(Self::of(&scene.in_file(path)?)))
    }
}

/// What there is: `8 vertices, 12 triangles, 2 bones`.
impl fmt::Display for Model {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { vertices, triangles, bones, influences, clips, materials } = *self;
        let counts = [
            (vertices, "vertex"),
            (triangles, "triangle"),
            (bones, "bone"),
            (influences, "influence per vertex"),
            (clips, "clip"),
            (materials, "material"),
        ];
        let text = |(count, what): (usize, &str)| match what {
            "influence per vertex" if count > 1 => format!("up to {count} influences per vertex"),
            what => counted(count, what),
        };
        let texts: Vec<_> = counts.into_iter().filter(|(count, _)| *count > 0).map(text).collect();
        out.write_str(&texts.join(", "))
    }
}

/// The sizes of many files together.
#[derive(Default)]
struct Totals {
    files: usize,
    bytes: u64,
    model: Model,
}

impl Totals {
    fn add(&mut self, summary: &Summary) {
        self.files += 1;
        self.bytes += summary.bytes;
        let own = summary.model.as_ref();
        self.model.vertices += own.map_or(0, |own| own.vertices);
        self.model.triangles += own.map_or(0, |own| own.triangles);
        self.model.materials += own.map_or(0, |own| own.materials);
        self.model.clips += summary.clips.len();
        self.model.bones += summary.bones.unwrap_or_default();
    }

    fn print(self, output: &mut Output) -> io::Result<()> {
        let Self { files, bytes: len, model } = self;
        let model = model.to_string();
        let gap = if model.is_empty() { "" } else { ", " };
        writeln!(output, "\n{}: {model}{gap}{}", counted(files, "file"), bytes(len))
    }
}

/// Animations of fewer bytes are searched for the names of morph targets.
const SHORT: u64 = 1 << 20;

/// The maximum number of root bones that are listed.
const ROOTS: usize = 4;

fn rooted(roots: &[String]) -> String {
    let shown = |root: &String| if root.is_empty() { "without a name".into() } else { root.clone() };
    match roots {
        [] => "no root".into(),
        [root] => format!("root {}", shown(root)),
        roots => {
            let more = if roots.len() > ROOTS { ", .." } else { "" };
            let names: Vec<_> = roots.iter().take(ROOTS).map(shown).collect();
            format!("{} roots: {}{more}", roots.len(), names.join(", "))
        }
    }
}

fn describe(clip: &ClipInfo) -> String {
    let name = Some(&clip.name).filter(|name| !name.is_empty()).cloned();
    let frames = clip.frames.map(|frames| counted(frames, "frame"));
    let rate = clip.rate.map(|rate| format!("{rate} frames per second"));
    let seconds = clip
        .seconds
        .map(|seconds| seconds.to_string())
        .map(|seconds| if seconds == "1" { "1 second".into() } else { format!("{seconds} seconds") });
    [name, frames, rate, seconds].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Sums up the sizes of the parts of a file.
#[derive(Default)]
struct ListLengths {
    counts: Vec<(String, usize)>,
    opaque: u64,
    rest: u64,
}

impl Visitor for ListLengths {
    fn leaf(&mut self, _place: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
        match leaf.class() {
            Class::Opaque => self.opaque += leaf.size(),
            Class::Rest => self.rest += leaf.size(),
            _ => {}
        }
        Continue(())
    }

    fn enter(&mut self, place: &Place, _: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
        if let Node::Items(items) = node {
            let within = place.path.steps().iter().any(|step| matches!(step, Step::Index(_)));
            if !within && !items.is_array() {
                self.counts.push((place.path.to_string(), items.len()));
            }
        }
        Continue(true)
    }
}
