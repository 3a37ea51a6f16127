//! `bindpose tree`: the objects of a file.

use std::collections::{HashMap, VecDeque};
use std::io;

use clap::Args;
use serde::Serialize;

use super::exit::{Exit, Failure};
use super::files::printable;
use super::json::Lines;
use super::load::{Input, Loaded};
use super::output::{Output, counted};
use super::scene::stem;
use super::{Common, Format};
use bindpose::edit::{self, Entity};
use bindpose::formats::directx::{self, Object, X};
use bindpose::scene::{self, Part, Scene, Settings};
use bindpose::schema::{self, Step};
use bindpose::{Error, FieldPath, File};

/// Print the objects of a file as a tree, with their sizes and paths
///
/// Bones are below their parents, followed by meshes, materials with their textures, and clips; in .x files, objects are below the objects
/// that contain them. `get` and `set` accept the paths.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Tree {
    #[command(flatten)]
    input: Input,
    /// Print only the first N levels
    #[arg(long, value_name = "N", help_heading = "Output options")]
    depth: Option<usize>,
    /// Print the objects as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  bindpose tree hero.x
  bindpose tree hero.psk --depth 2
  bindpose tree hero.ms3d --format json | jq -r 'select(.kind == \"bone\") | .path'";

/// An object, after its parent.
#[derive(Serialize)]
struct Node {
    depth: usize,
    /// `bone`, or the name of a template.
    kind: String,
    name: Option<String>,
    /// What it contains: `24 vertices`.
    contents: Vec<String>,
    path: Option<String>,
}

impl Node {
    fn group(kind: &str, len: usize) -> Self {
        let contents = vec![len.to_string()];
        Self { depth: 0, kind: kind.to_owned(), name: None, contents, path: None }
    }

    fn named(depth: usize, kind: &str, name: &str, path: Option<FieldPath>) -> Self {
        let path = path.map(|path| path.to_string());
        Self { depth, kind: kind.to_owned(), name: Some(name.to_owned()), contents: Vec::new(), path }
    }

    fn with(mut self, contents: impl IntoIterator<Item = String>) -> Self {
        self.contents.extend(contents);
        self
    }
}

impl Tree {
    pub fn run(&self, _common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let loaded = self.input.load()?;
        loaded.warn_of_damage(&self.input.file);
        let nodes = self.nodes(&loaded).map_err(|error| self.input.blame(error))?;
        let mut nodes: Vec<_> =
            nodes.into_iter().filter(|node| self.depth.is_none_or(|most| node.depth < most)).collect();
        if self.format == Format::Json {
            let mut lines = Lines::default();
            nodes.iter().try_for_each(|node| lines.write(output, node))?;
        } else {
            for node in &mut nodes {
                node.depth = node.depth.min(DEEPEST);
            }
            print(&nodes, output)?;
        }
        Ok(Exit::Well)
    }

    fn nodes(&self, loaded: &Loaded) -> Result<Vec<Node>, Error> {
        match &loaded.file {
            File::X(file) => objects(file),
            file => of_scene(file, &stem(&self.input.file)),
        }
    }
}

/// The maximum depth of indentation.
const DEEPEST: usize = 32;

/// The maximum width of the first column.
const WIDEST: usize = 60;

fn print(nodes: &[Node], output: &mut Output) -> io::Result<()> {
    use io::Write as _;
    let left: Vec<_> = nodes.iter().map(Node::describe).collect();
    let width = left.iter().map(|text| text.chars().count()).max().unwrap_or(0).min(WIDEST);
    for (node, left) in nodes.iter().zip(left) {
        match &node.path {
            Some(path) => writeln!(output, "{left:<width$}  {}", output.paint.faint(&printable(path)))?,
            None => writeln!(output, "{left}")?,
        }
    }
    Ok(())
}

impl Node {
    fn describe(&self) -> String {
        let Self { depth, kind, name, contents, .. } = self;
        let name = match name {
            // A group, or an object without a name.
            None => kind.clone(),
            Some(name) if kind.starts_with(char::is_uppercase) => format!("{kind} {name}"),
            Some(name) if name.is_empty() => "(no name)".into(),
            Some(name) => name.clone(),
        };
        let contents = contents.join(", ");
        let gap = if contents.is_empty() { "" } else { "  " };
        format!("{:indent$}{}{gap}{contents}", "", printable(&name), indent = 2 * depth)
    }
}

/// The objects of a `.x` file in its order.
fn objects(file: &X) -> Result<Vec<Node>, Error> {
    let objects = file.objects()?;
    let mut nodes = Vec::new();
    let mut depths: HashMap<u64, usize> = HashMap::new();
    for object in objects.all() {
        let depth =
            object.parent().and_then(|parent| depths.get(&parent.offset())).map_or(0, |depth| depth + 1);
        depths.insert(object.offset(), depth);
        nodes.push(object_node(depth, object));
        for reference in object.references() {
            nodes.push(Node::named(depth + 1, "Reference", &scene::name(reference.name), None));
        }
    }
    Ok(nodes)
}

fn object_node(depth: usize, object: Object<'_>) -> Node {
    let kind = scene::name(object.template_name());
    let name = Some(scene::name(object.name())).filter(|name| !name.is_empty());
    let path = Some(object.path().to_string());
    Node { depth, kind, name, contents: contents(object), path }
}

/// What an object of a common template contains.
fn contents(object: Object<'_>) -> Vec<String> {
    if let Some(Ok(mesh)) = object.view::<directx::Mesh>() {
        return vec![counted(mesh.vertices.len(), "vertex"), counted(mesh.faces.len(), "face")];
    }
    if let Some(Ok(key)) = object.view::<directx::AnimationKey>() {
        return vec![counted(key.keys.times.len(), "key")];
    }
    if let Some(Ok(weights)) = object.view::<directx::SkinWeights>() {
        let bone = scene::name(&weights.transform_node_name);
        return vec![bone, counted(weights.weights.len(), "weight")];
    }
    if let Some(Ok(texture)) = object.view::<directx::TextureFilename>() {
        return vec![scene::name(&texture.filename)];
    }
    Vec::new()
}

/// The bones, meshes, materials and clips of a file.
fn of_scene(file: &File, name: &str) -> Result<Vec<Node>, Error> {
    let scene = Scene::of(&[Part { name, file: file.meaning() }], &Settings::default());
    let mut paths = Paths::of(file)?;
    let mut nodes = Vec::new();
    let bones = scene.skeleton.bones();
    if !bones.is_empty() {
        nodes.push(Node::group("bones", bones.len()));
        let mut depths = Vec::with_capacity(bones.len());
        for bone in bones {
            depths.push(bone.parent.and_then(|parent| depths.get(parent)).map_or(1, |depth| depth + 1));
        }
        nodes.extend(in_order(bones.iter().map(|bone| bone.parent)).map(|index| {
            let name = &bones[index].name;
            Node::named(depths[index], "bone", name, paths.next(Entity::Bone, name))
        }));
    }
    if !scene.meshes.is_empty() {
        nodes.push(Node::group("meshes", scene.meshes.len()));
    }
    for mesh in &scene.meshes {
        let sizes = [counted(mesh.positions.len(), "vertex"), counted(mesh.num_triangles(), "triangle")];
        nodes.push(Node::named(1, "mesh", &mesh.name, None).with(sizes));
        nodes.extend(mesh.morphs.iter().map(|morph| {
            Node::named(2, "morph", &morph.name, None).with([counted(morph.deltas.len(), "displaced vertex")])
        }));
    }
    if !scene.materials.is_empty() {
        nodes.push(Node::group("materials", scene.materials.len()));
    }
    for material in &scene.materials {
        let path = paths.next(Entity::Material, &material.name);
        nodes.push(Node::named(1, "material", &material.name, path).with(material.textures.iter().cloned()));
    }
    if !scene.clips.is_empty() {
        nodes.push(Node::group("clips", scene.clips.len()));
    }
    for clip in &scene.clips {
        let tracks = [counted(clip.tracks.len(), "track"), counted(clip.morphs.len(), "morph track")];
        let tracks = tracks.into_iter().filter(|tracks| !tracks.starts_with("0 "));
        let seconds = clip.span().map(|(start, end)| format!("{:.2} s", end - start));
        let path = paths.next(Entity::Clip, &clip.name);
        nodes.push(Node::named(1, "clip", &clip.name, path).with(tracks.chain(seconds)));
    }
    Ok(nodes)
}

/// Parents before children, siblings in their order.
fn in_order(parents: impl ExactSizeIterator<Item = Option<usize>>) -> impl Iterator<Item = usize> {
    let mut children = vec![Vec::new(); parents.len()];
    let mut open = Vec::new();
    for (index, parent) in parents.enumerate() {
        match parent {
            Some(parent) => children[parent].push(index),
            None => open.push(index),
        }
    }
    open.reverse();
    std::iter::from_fn(move || {
        let index = open.pop()?;
        open.extend(children[index].drain(..).rev());
        Some(index)
    })
}

/// The paths of objects by name.
struct Paths<'a> {
    file: &'a File,
    /// Those of the definitions, in the order of the file.
    defined: HashMap<(Entity, String), VecDeque<FieldPath>>,
    /// How many objects of a name have been looked up.
    seen: HashMap<(Entity, String), usize>,
}

impl<'a> Paths<'a> {
    fn of(file: &'a File) -> Result<Self, Error> {
        let mut defined: HashMap<_, VecDeque<_>> = HashMap::new();
        for name in edit::names(file)?.into_iter().filter(|name| name.is_definition) {
            if let Some((object, _)) = name.path.split_last() {
                defined.entry((name.entity, scene::name(&name.text))).or_default().push_back(object);
            }
        }
        Ok(Self { file, defined, seen: HashMap::new() })
    }

    /// Returns the path of the next object of a name: by its name if that is possible.
    fn next(&mut self, entity: Entity, name: &str) -> Option<FieldPath> {
        let key = (entity, name.to_owned());
        let object = self.defined.get_mut(&key)?.pop_front()?;
        let nth = self.seen.entry(key).or_default();
        *nth += 1;
        let named = |list: &[Step]| {
            let steps = [list, &[Step::Named(name.to_owned(), *nth)]].concat();
            Some(FieldPath::from(steps)).filter(|path| schema::locate(self.file.value(), path).is_ok())
        };
        let list = match entity {
            Entity::Bone => "bones",
            Entity::Material => "materials",
            _ => "sequences",
        };
        let of_list = || Some(object.split_last().filter(|(_, last)| matches!(last, Step::Index(_)))?.0);
        named(&[Step::from(list)]).or_else(|| named(of_list()?.steps())).or(Some(object.clone()))
    }
}
