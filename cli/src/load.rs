//! Loads one file for the verbs that inspect it.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, Metadata};

use super::advice::rescue;
use super::exit::program;
use super::read::Buffer;
use crate::prelude::*;
use bindpose::codec::{Outline, StreamVerifier, Verdict};
use bindpose::edit::{self, Entity};
use bindpose::files::open_regular;
use bindpose::scene::ToScene;
use bindpose::scene::gltf::{self, Image, Imported};
use bindpose::{Error, ErrorKind, File, Foreign, scene};

#[derive(Args)]
pub(super) struct Input {
    /// The file; `-` for standard input
    pub file: PathBuf,
    /// Read the file as FORMAT instead of detecting its format
    #[arg(long = "as", value_name = "FORMAT[:DIALECT]", help_heading = "Input options")]
    spec: Option<FormatSpec>,
    #[command(flatten)]
    pub limits: LimitArgs,
}

impl Input {
    pub fn load(&self) -> Result<Document> {
        self.load_within(&self.limits.memory())
    }

    /// As [`load`](Self::load), if more follows that takes memory.
    pub fn load_within(&self, memory: &Memory) -> Result<Document> {
        load(&self.file, self.spec, memory)
    }

    /// Reads the file without decoding it; its format must be known.
    pub fn named(&self) -> Result<(Vec<u8>, FormatSpec)> {
        named(&self.file, self.spec, &self.limits.memory())
    }

    /// Reads the file without decoding it.
    pub fn read(&self) -> Result<(Vec<u8>, Option<FormatSpec>)> {
        read(&self.file, self.spec, &self.limits.memory()).map(|(bytes, spec)| (bytes, spec.ok()))
    }
}

/// Reads and decodes a file, detecting its format where none is given.
pub(super) fn load(path: &Path, spec: Option<FormatSpec>, memory: &Memory) -> Result<Document> {
    let (bytes, spec) = named(path, spec, memory)?;
    document(bytes, spec, memory, path)
}

pub(super) type Loaded = (Box<Path>, Content);

/// A file with a scene: of a supported format, or glTF.
pub(super) enum Content {
    File(File),
    Gltf(Box<Imported>),
}

/// The nodes of glTF that become bones.
#[derive(Clone, Copy)]
pub(super) enum Nodes {
    /// Those that hold something, and all of files that bindpose wrote.
    Used,
    All,
}

impl Content {
    /// Reads and decodes a file, detecting its format where none is given.
    pub fn load(path: &Path, spec: Option<FormatSpec>, memory: &Memory) -> Result<Self> {
        Self::with_nodes(path, spec, memory, Nodes::Used)
    }

    fn with_nodes(path: &Path, spec: Option<FormatSpec>, memory: &Memory, nodes: Nodes) -> Result<Self> {
        if let Some((file, ..)) = valid(path, spec, memory) {
            return Ok(Self::File(file));
        }
        let (content, bytes) = Self::with_bytes(path, spec, memory, nodes)?;
        memory.budget().release(bytes.len() as u64);
        Ok(content)
    }

    /// Loads a listed file, and warns if it is damaged.
    pub fn of(item: &Item, memory: &Memory, nodes: Nodes, common: Common) -> Result<Self> {
        item.is_listed()?;
        let content = Self::with_nodes(&item.path, item.spec, memory, nodes)?;
        if let (Self::File(file), false) = (&content, common.quiet) {
            warn_of_damage(file, &item.path);
        }
        Ok(content)
    }

    pub fn with_bytes(
        path: &Path,
        spec: Option<FormatSpec>,
        memory: &Memory,
        nodes: Nodes,
    ) -> Result<(Self, Vec<u8>)> {
        let (bytes, spec) = read(path, spec, memory)?;
        if is_gltf(&bytes, &spec) {
            let imported = read_gltf(&bytes, path, memory, nodes, |_, _| ())?;
            return Ok((Self::Gltf(Box::new(imported)), bytes));
        }
        let spec = spec.map_err(|error| foreign(path, &error))?;
        let file = spec.kind.decode(&bytes, &memory.options(spec, bytes.len()));
        let file = file.in_file(path)?;
        Ok((Self::File(file), bytes))
    }

    /// The bytes of an image that is a part of the file.
    pub fn image(&self, path: &str) -> Option<&[u8]> {
        let Self::Gltf(imported) = self else { return None };
        imported.images.iter().find(|image| image.path == path).map(|image| &*image.bytes)
    }

    /// The paths of the textures, each once.
    pub fn textures(&self) -> HashSet<String> {
        match self {
            Self::Gltf(imported) => {
                let textures = imported.scene.materials.iter().flat_map(|own| &own.textures);
                textures.map(|own| own.path.clone()).collect()
            }
            Self::File(file) => {
                let names = edit::names(file).unwrap_or_default().into_iter();
                let textures = names.filter(|own| own.entity == Entity::Texture);
                textures.map(|own| scene::name(&own.text)).collect()
            }
        }
    }

    /// The images that are parts of the file.
    pub fn images(&self) -> &[Image] {
        match self {
            Self::Gltf(imported) => &imported.images,
            Self::File(_) => &[],
        }
    }

    /// Returns the images that are parts of the file.
    pub fn into_images(self) -> Vec<Image> {
        match self {
            Self::Gltf(imported) => imported.images,
            Self::File(_) => Vec::new(),
        }
    }

    /// The contents for a scene.
    pub fn as_scene_source(&self) -> &dyn ToScene {
        match self {
            Self::File(file) => file.as_scene_source(),
            Self::Gltf(imported) => &imported.scene,
        }
    }
}

/// Reads a file without a supported format if it is glTF.
pub(super) fn gltf(path: &Path, memory: &Memory) -> Result<Option<Imported>> {
    let mut buffer = Buffer::default();
    let opened = buffer.open(path).in_file(path)?;
    if !gltf::detect(buffer.head(&opened)) {
        return Ok(None);
    }
    let longest = memory.longest(opened.len());
    let bytes = buffer.into_whole(opened, longest).in_file(path)?;
    read_gltf(&bytes, path, memory, Nodes::Used, |_, _| ()).map(Some)
}

/// Returns whether a file without a supported format is glTF.
pub(super) fn is_gltf(bytes: &[u8], spec: &Result<FormatSpec, Error>) -> bool {
    spec.is_err() && gltf::detect(bytes)
}

/// The files that a glTF file refers to, by their paths relative to it, with `/` between folders.
pub(super) type Buffers = BTreeMap<String, Vec<u8>>;

/// Reads a glTF file with the files that it refers to.
pub(super) fn gltf_with_buffers(bytes: &[u8], path: &Path, memory: &Memory) -> Result<(Imported, Buffers)> {
    let mut buffers = Buffers::new();
    let imported = read_gltf(bytes, path, memory, Nodes::Used, |name, bytes| {
        // Several buffers can be parts of one file.
        if buffers.get(name).is_none_or(|known| known.len() < bytes.len()) {
            buffers.insert(name.into(), bytes.into());
        }
    })?;
    Ok((imported, buffers))
}

/// Reads a glTF file; `loaded` is called with each file that it refers to.
fn read_gltf(
    bytes: &[u8],
    path: &Path,
    memory: &Memory,
    nodes: Nodes,
    mut loaded: impl FnMut(&str, &[u8]),
) -> Result<Imported> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    let mut load = |name: &str, len| {
        let buffer = gltf::folder(parent, name, len)?;
        loaded(name, &buffer);
        Ok(buffer)
    };
    memory.budget().admit(bytes.len() as u64);
    let imported = gltf::read_named(bytes, &FormatSpec::stem(path), &mut load, memory.budget());
    let mut imported = imported.in_file(path)?;
    if let Nodes::Used = nodes {
        imported.remove_unused_bones();
    }
    Ok(imported)
}

/// The failure for a file without a supported format.
pub(super) fn foreign(path: &Path, error: &Error) -> Failure {
    Failure { cause: Cause::UnknownFormat, ..Failure::from(error.clone()).in_file(path) }
}

/// Reads a file of a known format.
pub(super) fn named(path: &Path, spec: Option<FormatSpec>, memory: &Memory) -> Result<(Vec<u8>, FormatSpec)> {
    read_if(path, spec, memory, |spec| spec.map_err(|error| foreign(path, &error)))
}

/// Reads a file and detects its format unless one is given.
pub(super) fn read(
    path: &Path,
    spec: Option<FormatSpec>,
    memory: &Memory,
) -> Result<(Vec<u8>, Result<FormatSpec, Error>)> {
    read_if(path, spec, memory, Ok)
}

/// Reads a file unless its format is rejected.
fn read_if<T>(
    path: &Path,
    spec: Option<FormatSpec>,
    memory: &Memory,
    accept: impl FnOnce(Result<FormatSpec, Error>) -> Result<T>,
) -> Result<(Vec<u8>, T)> {
    let mut buffer = Buffer::default();
    let opened = buffer.open(path).in_file(path)?;
    let spec = spec.map_or_else(|| FormatSpec::require(path, buffer.head(&opened)), Ok);
    match check_magic(buffer.head(&opened), spec.as_ref().ok()) {
        // Decoding reports the mark, and `rescue` removes it.
        Err(error) if !matches!(error.kind(), ErrorKind::Foreign(Foreign::Marked)) => {
            return Err(error).in_file(path);
        }
        _ => {}
    }
    let spec = accept(spec)?;
    let longest = memory.longest(opened.len());
    Ok((buffer.into_whole(opened, longest).in_file(path)?, spec))
}

/// Rejects a file that starts as no file of its format does.
pub(super) fn check_magic(head: &[u8], spec: Option<&FormatSpec>) -> Result<(), Error> {
    spec.map_or(Ok(()), |spec| spec.kind.check_magic(head, &spec.options(Limits::default())))
}

/// Detects the format of a file by its name and its beginning; none for unsupported formats.
pub(super) fn detect(path: &Path) -> Result<Option<FormatSpec>> {
    let mut buffer = Buffer::default();
    let opened = buffer.open(path).in_file(path)?;
    Ok(FormatSpec::detect(path, buffer.head(&opened)))
}

/// Whether a file is worked on: it is named, or its format is given or supported.
pub(super) fn is_ours(item: &Item) -> Result<bool> {
    Ok(item.named || item.spec.is_some() || detect(&item.path)?.is_some())
}

/// Returns whether a file is standard input or a pipe.
pub(super) fn is_stream(path: &Path) -> bool {
    is_stdio(path) || fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir())
}

/// Returns the format and the length of a file; none for unsupported formats and for pipes.
pub(super) fn peek(path: &Path, spec: Option<FormatSpec>) -> Option<(FormatSpec, u64)> {
    let len = fs::metadata(path).ok().filter(Metadata::is_file)?.len();
    Some((spec.or_else(|| detect(path).ok()?)?, len))
}

/// Summarises a large file piece by piece, and returns its length, too; none if its format does not support that, or the file
/// fails.
pub(super) fn outline(
    path: &Path,
    spec: Option<FormatSpec>,
    memory: &Memory,
) -> Option<(Outline<File>, u64)> {
    let (file, spec, len) = large(path, spec, memory)?;
    let mut pieces = StreamVerifier::new(file, StreamVerifier::SIZE).ok()?;
    let outline = memory.attempt(spec, len, |options| spec.kind.summarize_stream(&mut pieces, options))?;
    Some((outline, len))
}

/// Decodes a large valid file without its bytes in memory, and returns its format and its length, too; none if its format does not
/// support that.
pub(super) fn valid(
    path: &Path,
    spec: Option<FormatSpec>,
    memory: &Memory,
) -> Option<(File, FormatSpec, u64)> {
    let (file, spec, len) = large(path, spec, memory)?;
    let file = memory.attempt(spec, len, |options| spec.kind.decode_valid(file, options))?;
    Some((file, spec, len))
}

/// Opens a large file of a supported format, and returns its format and its length, too.
fn large(path: &Path, spec: Option<FormatSpec>, memory: &Memory) -> Option<(fs::File, FormatSpec, u64)> {
    let is_stdin = is_stdio(path);
    let len = fs::metadata(path).ok().filter(|data| data.is_file() && !is_stdin)?.len();
    if len <= LARGE || len > memory.longest(Some(len)) {
        return None;
    }
    let spec = spec.or_else(|| detect(path).ok()?)?;
    Some((open_regular(path).ok()?, spec, len))
}

/// Files longer than this are read in pieces where their format lets them.
pub(super) const LARGE: u64 = 1 << 22;

/// Decodes a file of a known format and keeps its bytes.
pub(super) fn document(bytes: Vec<u8>, spec: FormatSpec, memory: &Memory, path: &Path) -> Result<Document> {
    let options = memory.options(spec, bytes.len());
    let document = Document::decode(bytes, spec.kind, &options);
    document.in_file(path)
}

pub(super) fn decode(bytes: &[u8], spec: FormatSpec, limits: Limits) -> Result<File, Error> {
    spec.kind.decode(bytes, &spec.options(limits))
}

pub(super) fn spec_of(file: &File) -> FormatSpec {
    FormatSpec { kind: file.kind(), dialect: file.dialect() }
}

/// Checks that the bytes of a format, if they have one, decode and re-encode to the same bytes.
pub(super) fn verify(bytes: &[u8], spec: Option<FormatSpec>) -> Result<()> {
    let Some(spec) = spec else { return Ok(()) };
    let outcome = spec.kind.roundtrip(bytes, &spec.options(Limits::none()));
    match outcome.verdict {
        Verdict::Lossless | Verdict::Damaged(_) => Ok(()),
        Verdict::Undecodable(error) | Verdict::Limit(error) => Err(error.into()),
        _ => Err(Failure::new(
            Exit::Bug,
            "internal error: the result does not re-encode identically; nothing was written",
        )),
    }
}

pub(super) fn warn_of_damage(file: &File, path: &Path) {
    if let Some(damage) = file.damage() {
        print_damage(&damage, path);
    }
}

pub(super) fn print_damage(damage: &Error, path: &Path) {
    note!("{}: {}: damaged: {damage}", program(), shown(path));
}

/// Refuses to merge a damaged file, and names the command that makes a valid file of it.
pub(super) fn refuse_damage(file: &File, path: &Path) -> Result<()> {
    let Some(damage) = file.damage() else { return Ok(()) };
    let help = format!("merge the file that `{}` writes", rescue(&path.to_string_lossy()));
    Err(Failure::new(Exit::Undecodable, format!("damaged: {damage}")).in_file(path).with_help(help))
}
