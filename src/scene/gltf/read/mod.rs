//! Reads glTF 2.0.

mod accessor;
mod bytes;
mod clip;
mod material;
mod mesh;
mod node;
mod skin;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use gltf_json::{Accessor, Index, Root};
use serde_json::Value;

pub use bytes::{Loader, folder};

use super::super::loss::GLTF;
use super::super::{Builder, Lost, Scene, Settings};
use super::Image;
use crate::reader::{Head, rest};
use crate::schema::{FieldPath, Step};
use crate::{Budget, Error, ErrorKind, FormatSpec, Limits, MARK, Result};
use accessor::Data;

/// A scene from a glTF file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// The scene. Materials refer to embedded images by [`Image::path`].
    pub scene: Scene,
    /// The embedded images, of which no two have the same path.
    pub images: Vec<Image>,
    /// The program that wrote the file.
    pub generator: Option<String>,
}

impl Imported {
    /// Returns whether this library wrote the file.
    #[must_use]
    pub fn is_own(&self) -> bool {
        is_own(self.generator.as_deref())
    }

    /// Removes the [bones that hold nothing](Scene::remove_unused_bones), unless this library wrote the file: the nodes of other programs
    /// are not all meant as bones.
    pub fn remove_unused_bones(&mut self) {
        if !self.is_own() {
            self.scene.remove_unused_bones();
        }
    }
}

fn is_own(generator: Option<&str>) -> bool {
    generator.is_some_and(|generator| generator.starts_with(OWN_GENERATOR))
}

/// Extensions that are read.
const KNOWN: [&str; 7] = [
    "KHR_materials_unlit",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_mesh_quantization",
    "KHR_lights_punctual",
    "KHR_texture_transform",
    IMAGES[0],
    IMAGES[1],
];

/// Extensions that give a texture an image in another format. The image without an extension comes first: all programs read it.
const IMAGES: [&str; 2] = ["EXT_texture_webp", "MSFT_texture_dds"];

/// The beginnings of names of extensions that can be ignored even if they are required: they change how surfaces are lit, or state
/// images in a format that is not read.
const APPEARANCE: [&str; 4] = ["KHR_materials_", "KHR_lights_", "EXT_lights_", "KHR_texture_basisu"];

/// The beginnings of names of extensions that change what is drawn, and how textures are.
const SHAPES: [&str; 3] = ["EXT_mesh_", "KHR_node_visibility", "MSFT_lod"];
const SURFACES: [&str; 5] =
    ["KHR_materials_", "EXT_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_"];

/// Returns the loss of an extension that is not read.
fn graded(name: &str) -> Lost {
    let is_one_of = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    match name {
        _ if is_one_of(&SHAPES) => Lost::ShapeExtension,
        _ if is_one_of(&SURFACES) => Lost::MaterialExtension,
        _ => Lost::Extension,
    }
}

/// The extensions that compress meshes, and those that compress buffers.
const COMPRESSED_MESHES: [&str; 1] = ["KHR_draco_mesh_compression"];
const COMPRESSED_BUFFERS: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// The beginning of the generator of our own files.
const OWN_GENERATOR: &str = "bindpose ";

/// The memory of a value of the JSON by itself, with its place in a list or an object.
const VALUE: u64 = 128;

/// The memory of an object of the JSON, as a value of the document and of the scene.
const OBJECT: u64 = 512;

/// Reads a `.glb` or `.gltf` file.
///
/// Every node becomes a [bone](crate::scene::Bone), except nodes without children that only hold a mesh, a camera or a
/// light; [`Imported::remove_unused_bones`] removes those that hold nothing. A mesh without a skin is attached to its node. Lists of vertices that several primitives share remain shared.
/// The default scene is read. What a scene cannot represent is listed in [`Scene::losses`].
///
/// Triangles without normals are flat. The texture coordinates of the base colour become the first set, as
/// `KHR_texture_transform` transforms them. Default weights of morph targets are applied to the mesh, and the weights of
/// clips become relative to them. Morph targets without names are called `target_0`, `target_1`.
///
/// `load` returns the contents of another file by its path relative to this one, with `/` between folders. Paths that
/// are absolute, have a drive letter or a scheme, or contain `..` are refused before that. [`folder`] reads from a folder.
///
/// ```
/// use bindpose::Limits;
/// use bindpose::scene::gltf::{read, refuse};
/// let text = br#"{ "asset": { "version": "2.0" }, "nodes": [{ "name": "hip" }], "scenes": [{ "nodes": [0] }] }"#;
/// let scene = read(text, &mut refuse, &Limits::default())?.scene;
/// assert_eq!(scene.skeleton.bones()[0].name, "hip");
/// # Ok::<(), bindpose::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Magic`] if the file is not glTF 2.0, [`ErrorKind::Syntax`] if the JSON is invalid,
/// [`ErrorKind::Truncated`] and [`ErrorKind::Count`] if data is outside of its buffer or an index is out of range,
/// [`ErrorKind::Unknown`] for required extensions that are not supported, [`ErrorKind::Limit`], and [`ErrorKind::Io`]
/// from `load`.
pub fn read(bytes: &[u8], load: &mut Loader<'_>, limits: &Limits) -> Result<Imported> {
    read_within(bytes, load, &Budget::of(limits, bytes.len() as u64))
}

/// As [`read`], and charges the memory of the bytes, of other files and of the scene to a budget, where they remain charged.
/// Another file permits the memory that the limits of the budget state for its length.
///
/// # Errors
/// As [`read`]. Nothing remains charged then.
pub fn read_within(bytes: &[u8], load: &mut Loader<'_>, budget: &Budget) -> Result<Imported> {
    read_named(bytes, "image", load, budget)
}

/// As [`read_within`], for a file with this name without its extension. Embedded images without a name are named after the material
/// that uses them, or after the file if that has no name either.
///
/// # Errors
/// As [`read_within`].
pub fn read_named(bytes: &[u8], stem: &str, load: &mut Loader<'_>, budget: &Budget) -> Result<Imported> {
    let Parts { text, start, binary } = Parts::of(bytes)?;
    let budget = budget.scope();
    let objects = memchr::memchr_iter(b'{', text).count() as u64 * OBJECT;
    let charge = |bytes: u64| budget.charge(bytes).map_err(|why| Error::new(start, ErrorKind::Limit(why)));
    charge((bytes.len() as u64).saturating_add(objects))?;
    let (root, without_node) = match serde_json::from_slice(text) {
        Ok(root) => Ok((root, 0)),
        Err(error) => {
            charge(values(text))?;
            // Also that of the list `nodes` of a scene.
            let is_known = error.to_string().starts_with("missing field `node");
            if is_known { mended(text) } else { None }.ok_or(error)
        }
    }
    .map_err(|error| other_version(text).unwrap_or_else(|| syntax(text, start, &error)))?;
    check_version(&root)?;
    let losses = extensions(&root)?;
    check_compression(&root, binary.is_some())?;
    let data = Data::new(&root, binary, load, &budget)?;
    let settings = Settings::default();
    let mut builder = Builder::detached(GLTF, &settings, &budget);
    for name in losses {
        builder.report_loss(graded(name).with(name));
    }
    builder.report_losses(without_node, Lost::Channels);
    let images = Reader { text, stem, data: &data, root: &root, builder: &mut builder }.read()?;
    let scene = builder.finish()?;
    budget.keep();
    Ok(Imported { scene, images, generator: root.asset.generator.clone() })
}

/// Reads a file from a path, and the files it refers to from the same folder and those below it.
///
/// # Errors
/// As [`read`], and [`ErrorKind::Io`] if the file cannot be read.
pub fn open(path: impl AsRef<Path>, limits: &Limits) -> Result<Imported> {
    let path = path.as_ref();
    read_file(path, Head::read(path)?, &Budget::of(limits, 0))
}

/// As [`open`], for a file whose first bytes are read.
pub(in crate::scene) fn read_file(path: &Path, head: Head, budget: &Budget) -> Result<Imported> {
    let Head { mut file, mut bytes } = head;
    let failed = |cause| Error::io(path, cause);
    budget.admit(file.metadata().map_err(failed)?.len());
    rest(&mut file, &mut bytes, budget.permitted()).map_err(failed)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    read_named(&bytes, &FormatSpec::stem(path), &mut |name, len| folder(parent, name, len), budget)
}

/// A [`Loader`] for files that must not refer to others.
///
/// # Errors
/// Always.
pub fn refuse(_: &str, _: u64) -> io::Result<Vec<u8>> {
    Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file refers to another file"))
}

/// Returns whether a file starts like glTF: the header of `.glb`, or JSON with the key `asset`.
///
/// ```
/// use bindpose::scene::gltf::detect;
/// assert!(detect(b"glTF\x02\0\0\0"));
/// assert!(detect(br#"{ "asset": { "version": "2.0" } }"#));
/// assert!(!detect(br#"{ "name": "hero" }"#));
/// ```
#[must_use]
pub fn detect(head: &[u8]) -> bool {
    crate::scene::is_gltf(head)
}

/// The parts of a file.
struct Parts<'a> {
    /// The JSON, and its offset.
    text: &'a [u8],
    start: u64,
    binary: Option<&'a [u8]>,
}

impl<'a> Parts<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self> {
        if bytes.is_empty() {
            return Err(Error::new(0, ErrorKind::Empty));
        }
        if let Some(text) = bytes.strip_prefix(MARK) {
            return Ok(Self { text, start: MARK.len() as u64, binary: None });
        }
        if !bytes.starts_with(b"glTF") {
            return Ok(Self { text: bytes, start: 0, binary: None });
        }
        let version = word(bytes, 4)?;
        if version != 2 {
            let why = format!("version {version} of glTF; only 2 is supported");
            return Err(Error::new(4, ErrorKind::Magic(why)));
        }
        let (kind, text) = chunk(bytes, 12)?;
        if kind != *b"JSON" {
            return Err(Error::new(16, ErrorKind::Magic("the first chunk is not JSON".into())));
        }
        let next = 20 + text.len();
        let binary = if next < bytes.len() { Some(chunk(bytes, next)?) } else { None };
        let binary = binary.filter(|(kind, _)| kind == b"BIN\0").map(|(_, binary)| binary);
        Ok(Self { text, start: 20, binary })
    }
}

/// Returns the kind and the contents of a chunk.
fn chunk(bytes: &[u8], start: usize) -> Result<([u8; 4], &[u8])> {
    let len = word(bytes, start)? as usize;
    let kind = word(bytes, start + 4)?.to_le_bytes();
    let content = &bytes[start + 8..];
    let truncated = ErrorKind::Truncated { needed: len as u64, left: content.len() as u64 };
    Ok((kind, content.get(..len).ok_or_else(|| Error::new(start as u64 + 8, truncated))?))
}

fn word(bytes: &[u8], offset: usize) -> Result<u32> {
    let rest = bytes.get(offset..).unwrap_or_default();
    let truncated = || {
        let left = rest.len() as u64;
        Error::new(offset.min(bytes.len()) as u64, ErrorKind::Truncated { needed: 4, left })
    };
    rest.first_chunk().map(|word| u32::from_le_bytes(*word)).ok_or_else(truncated)
}

fn syntax(text: &[u8], start: u64, error: &serde_json::Error) -> Error {
    let lines = text.split_inclusive(|byte| *byte == b'\n').take(error.line().saturating_sub(1));
    let line: usize = lines.map(<[u8]>::len).sum();
    let offset = (line + error.column().saturating_sub(1)).min(text.len());
    Error::new(start + offset as u64, ErrorKind::Syntax(error.to_string()))
}

/// Parses a document without the channels of animations that have no node, for which extensions define other targets, and with
/// scenes that omit their list of nodes. Returns the number of removed channels, too; none if that is not what is wrong.
fn mended(text: &[u8]) -> Option<(Root, usize)> {
    let mut document: Value = serde_json::from_slice(text).ok()?;
    let scenes = document.get_mut("scenes").and_then(Value::as_array_mut);
    for scene in scenes.into_iter().flatten().filter_map(Value::as_object_mut) {
        scene.entry("nodes").or_insert_with(|| Value::Array(Vec::new()));
    }
    let mut removed = 0;
    let animations = document.get_mut("animations").and_then(Value::as_array_mut);
    for animation in animations.into_iter().flatten() {
        if let Some(channels) = animation.get_mut("channels").and_then(Value::as_array_mut) {
            let all = channels.len();
            channels.retain(|channel| channel.pointer("/target/node").is_some());
            removed += all - channels.len();
        }
    }
    Some((serde_json::from_value(document).ok()?, removed))
}

/// Returns the error for a document of another version, whose objects are different.
fn other_version(text: &[u8]) -> Option<Error> {
    let document: Value = serde_json::from_slice(text).ok()?;
    refuse_version(document.pointer("/asset/version")?.as_str()?)
}

/// Returns the memory of the values of a document, however they are nested.
fn values(text: &[u8]) -> u64 {
    let starts = memchr::memchr3_iter(b'{', b'[', b',', text).count() as u64;
    starts.saturating_mul(VALUE).saturating_add(text.len() as u64)
}

fn refuse_version(version: &str) -> Option<Error> {
    (!version.starts_with("2.")).then(|| not_supported(version))
}

fn not_supported(version: &str) -> Error {
    let why = ErrorKind::Magic(format!("version {version:?} of glTF; only 2.0 is supported"));
    Error::new(0, why).at(field("asset", None, "version"))
}

fn check_version(root: &Root) -> Result<()> {
    let asset = &root.asset;
    let newer = asset.min_version.as_ref().filter(|version| *version != "2.0");
    refuse_version(&asset.version).or(newer.map(|version| not_supported(version))).map_or(Ok(()), Err)
}

/// Returns the extensions that are ignored.
fn extensions(root: &Root) -> Result<BTreeSet<&String>> {
    let known = |name: &&String| KNOWN.contains(&name.as_str());
    let optional = |name: &str| APPEARANCE.iter().any(|start| name.starts_with(start));
    for (index, name) in root.extensions_required.iter().enumerate() {
        if !known(&name) && !optional(name) {
            let why = format!("the required extension {name} is not supported");
            return Err(Error::new(0, ErrorKind::Unknown(why)).at(field(
                "extensionsRequired",
                Some(index),
                "",
            )));
        }
    }
    Ok(root.extensions_used.iter().chain(&root.extensions_required).filter(|name| !known(name)).collect())
}

/// Refuses meshes and buffers without content in the file, because an extension compresses it.
fn check_compression(root: &Root, has_binary: bool) -> Result<()> {
    let uses = |names: &[&'static str]| {
        let is_used = |name: &&&str| root.extensions_used.iter().any(|own| own == **name);
        names.iter().find(is_used).copied()
    };
    let refused = |name: &str, at| {
        let why = format!("it is compressed with the extension {name}, which is not supported");
        Err(Error::new(0, ErrorKind::Unknown(why)).at(at))
    };
    let is_empty = |accessor: &Index<Accessor>| {
        let accessor = root.accessors.get(accessor.value());
        accessor.is_some_and(|own| own.buffer_view.is_none() && own.sparse.is_none())
    };
    if let Some(name) = uses(&COMPRESSED_MESHES) {
        for (index, mesh) in root.meshes.iter().enumerate() {
            if mesh.primitives.iter().any(|own| own.attributes.values().any(is_empty)) {
                return refused(name, field("meshes", Some(index), "primitives"));
            }
        }
    }
    if let Some(name) = uses(&COMPRESSED_BUFFERS) {
        let is_empty =
            |(index, own): &(usize, &gltf_json::Buffer)| own.uri.is_none() && (*index > 0 || !has_binary);
        if let Some((index, _)) = root.buffers.iter().enumerate().find(is_empty) {
            return refused(name, field("buffers", Some(index), ""));
        }
    }
    Ok(())
}

/// A file that is being read.
struct Reader<'a, 'b> {
    /// The JSON.
    text: &'a [u8],
    /// The name for images without one.
    stem: &'a str,
    data: &'a Data<'a>,
    root: &'a Root,
    builder: &'b mut Builder<'a>,
}

impl Reader<'_, '_> {
    /// Whether we wrote the file, from a scene that can have meshes without normals.
    fn is_own(&self) -> bool {
        is_own(self.root.asset.generator.as_deref())
    }

    fn read(mut self) -> Result<Vec<Image>> {
        let images = self.materials()?;
        let nodes = self.nodes()?;
        if self.builder.is_full() {
            return Ok(images);
        }
        let meshes = self.meshes(&nodes)?;
        for index in 0..self.root.animations.len() {
            if self.builder.is_full() {
                break;
            }
            self.clip(index, &nodes, &meshes)?;
        }
        Ok(images)
    }
}

/// The path of a member of an object in a list of the root.
fn field(list: &'static str, index: Option<usize>, name: &'static str) -> FieldPath {
    let steps = [
        Some(Step::Field(Cow::Borrowed(list))),
        index.map(Step::Index),
        Some(name).filter(|name| !name.is_empty()).map(|name| Step::Field(Cow::Borrowed(name))),
    ];
    steps.into_iter().flatten().collect::<Vec<_>>().into()
}

/// The error for an index without an object.
fn missing(at: FieldPath, what: &str, index: usize) -> Error {
    Error::new(0, ErrorKind::Count(format!("{what} {index} does not exist"))).at(at)
}

/// Returns a value from extras.
fn extra(extras: &gltf_json::Extras, key: &str) -> Option<Value> {
    let Value::Object(mut object) = serde_json::from_str(extras.as_ref()?.get()).ok()? else { return None };
    object.remove(key)
}

/// Returns a list of texts from extras.
fn texts(extras: &gltf_json::Extras, key: &str) -> Option<Vec<String>> {
    serde_json::from_value(extra(extras, key)?).ok()
}
