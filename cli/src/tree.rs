//! `bindpose tree`: the objects of a file.

use std::collections::{HashMap, VecDeque};

use super::load::{Input, warn_of_damage};
use super::paths::NamedPath;
use super::scene::{EncodingArgs, in_order};
use super::scene_summary::DEEPEST;
use crate::prelude::*;
use bindpose::edit::{self, Entity};
use bindpose::formats::ObjectPaths;
use bindpose::formats::directx::{self, Object, X};
use bindpose::scene::{self, Attribute, NameEncoding, Part, Scene, Settings, Source, Target};
use bindpose::schema::Step;
use bindpose::{Error, File};

/// Print the objects of a file as a tree, with their sizes and paths
///
/// Bones are below their parents, followed by meshes, materials with their textures, and clips; in .x files, objects are below the objects
/// that contain them. `get` and `set` accept the paths.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose tree hero.x
  bindpose tree hero.psk --depth 2
  bindpose tree hero.ms3d --format json | jq -r 'select(.kind == \"bone\") | .path'")]
pub(super) struct Tree {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    encoding: EncodingArgs,
    /// Print only the first N levels
    #[arg(long, value_name = "N", help_heading = "Output options")]
    depth: Option<usize>,
    /// Print the objects as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

/// An object, after its parent.
#[derive(Serialize)]
struct Node {
    depth: usize,
    /// `bone`, or the name of a template.
    kind: String,
    name: Option<String>,
    /// What it contains: `24 vertices`.
    contents: Vec<String>,
    #[serde(flatten)]
    path: Option<NamedPath>,
}

impl Node {
    /// The node above objects; none without objects.
    fn group(kind: &str, len: usize) -> Option<Self> {
        let contents = vec![len.to_string()];
        (len > 0).then(|| Self { depth: 0, kind: kind.to_owned(), name: None, contents, path: None })
    }

    fn named(depth: usize, kind: &str, name: &str, path: Option<NamedPath>) -> Self {
        Self { depth, kind: kind.to_owned(), name: Some(name.to_owned()), contents: Vec::new(), path }
    }

    /// Decodes the names; the path keeps their bytes.
    fn decoded(mut self, encoding: Option<NameEncoding>) -> Self {
        if let Some(encoding) = encoding {
            for text in self.name.iter_mut().chain(&mut self.contents) {
                *text = encoding.decode(text).into_owned();
            }
        }
        self
    }

    fn with(mut self, contents: impl IntoIterator<Item = String>) -> Self {
        self.contents.extend(contents);
        self
    }
}

impl Verb for Tree {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let memory = self.input.limits.memory();
        let loaded = self.input.load_within(&memory)?;
        warn_of_damage(loaded.file(), &self.input.file);
        if self.format == Format::Json {
            self.each(&loaded, &memory, &mut |node| output.json_line(&node))?;
            return Ok(Exit::Success);
        }
        // Two passes, because paths of many objects can take more memory than the file.
        let mut width = 0;
        self.each(&loaded, &memory, &mut |node| {
            width = node.describe().chars().count().clamp(width, WIDEST.max(width));
            Ok(())
        })?;
        self.each(&loaded, &memory, &mut |node| node.print(width, output))?;
        Ok(Exit::Success)
    }
}

impl Tree {
    /// Visits the objects that are wanted.
    fn each(
        &self,
        loaded: &Document,
        memory: &Memory,
        visit: &mut dyn FnMut(Node) -> io::Result<()>,
    ) -> Result<()> {
        let most = self.depth.unwrap_or(usize::MAX);
        match loaded.file() {
            File::X(file) => {
                let encoding =
                    self.encoding.encoding.map_or_else(|| encoding_of(file), |own| Ok(Some(own)))?;
                each_object(file, most, &mut |node| visit(node.decoded(encoding)))
            }
            file => {
                let (nodes, encoding) =
                    of_scene(file, &FormatSpec::stem(&self.input.file), self.encoding.encoding, memory)
                        .in_file(&self.input.file)?;
                let shown = nodes.into_iter().filter(|node| node.depth < most);
                Ok(shown.map(|node| node.decoded(encoding)).try_for_each(visit)?)
            }
        }
    }
}

/// The maximum width of the first column.
const WIDEST: usize = 60;

impl Node {
    fn print(&self, width: usize, output: &mut Output) -> io::Result<()> {
        use io::Write as _;
        let left = self.describe();
        match &self.path {
            Some(path) => {
                let path = output.paint.faint(&printable(path.shown(output.common)));
                writeln!(output, "{left:<width$}  {path}")
            }
            None => writeln!(output, "{left}"),
        }
    }

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
        let indent = 2 * depth.min(&DEEPEST);
        format!("{:indent$}{}{gap}{}", "", printable(&name), printable(&contents))
    }
}

/// Guesses the encoding of the names in a `.x` file.
fn encoding_of(file: &X) -> Result<Option<NameEncoding>> {
    let mut names = Vec::new();
    each_object(file, usize::MAX, &mut |node| {
        names.extend(node.name.into_iter().chain(node.contents).filter(|text| text.contains('\\')));
        Ok(())
    })?;
    Ok(NameEncoding::guess(names.iter().map(String::as_str)))
}

fn each_object(file: &X, most: usize, visit: &mut dyn FnMut(Node) -> io::Result<()>) -> Result<()> {
    let objects = file.objects()?;
    let mut depths: HashMap<u32, usize> = HashMap::new();
    for object in objects.all() {
        let depth =
            object.parent().and_then(|parent| depths.get(&parent.index())).map_or(0, |depth| depth + 1);
        depths.insert(object.index(), depth);
        if depth < most {
            visit(object_node(depth, object))?;
        }
        let references = object.references().take_while(|_| depth + 1 < most);
        for reference in references {
            visit(Node::named(depth + 1, "Reference", &scene::name(reference.name), None))?;
        }
    }
    Ok(())
}

fn object_node(depth: usize, object: Object<'_>) -> Node {
    let kind = scene::name(object.template_name());
    let name = Some(scene::name(object.name())).filter(|name| !name.is_empty());
    let path = object.short_path().map(|path| NamedPath::new(&path, None));
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

/// The bones, meshes, materials and clips of a file, and the encoding of their names that are not UTF-8.
fn of_scene(
    file: &File,
    name: &str,
    encoding: Option<NameEncoding>,
    memory: &Memory,
) -> Result<(Vec<Node>, Option<NameEncoding>), Error> {
    let budget = memory.budget().scope();
    let mut scene =
        Scene::within(&[Part { name, file: file.as_scene_source() }], &Settings::default(), &budget)?;
    let mut paths = Paths::of(file)?;
    let mut vertices = paths_of_vertices(file, &scene.sources);
    let mut nodes = Vec::new();
    let bones = scene.skeleton.bones();
    nodes.extend(Node::group("bones", bones.len()));
    let mut depths = vec![0; bones.len()];
    nodes.extend(in_order(bones.iter().map(|bone| bone.parent)).map(|index| {
        let name = &bones[index].name;
        depths[index] = bones[index].parent.map_or(1, |parent| depths[parent] + 1);
        Node::named(depths[index], "bone", name, paths.next(Entity::Bone, name))
    }));
    nodes.extend(Node::group("attachments", scene.attachments.len()));
    nodes.extend(scene.attachments.iter().map(|own| {
        let bone = own.bone.and_then(|bone| bones.get(bone)).map(|bone| bone.name.clone());
        Node::named(1, "attachment", &own.name, None).with(bone)
    }));
    nodes.extend(Node::group("meshes", scene.meshes.len()));
    for (index, mesh) in scene.meshes.iter().enumerate() {
        let sizes = [counted(mesh.positions.len(), "vertex"), counted(mesh.num_triangles(), "triangle")];
        nodes.push(Node::named(1, "mesh", &mesh.name, vertices.remove(&index)).with(sizes));
        nodes.extend(mesh.morphs.iter().map(|morph| {
            Node::named(2, "morph", &morph.name, None).with([counted(morph.deltas.len(), "displaced vertex")])
        }));
    }
    nodes.extend(Node::group("materials", scene.materials.len()));
    for material in &scene.materials {
        let path = paths.next(Entity::Material, &material.name);
        nodes.push(
            Node::named(1, "material", &material.name, path)
                .with(material.textures.iter().map(ToString::to_string)),
        );
    }
    nodes.extend(Node::group("clips", scene.clips.len()));
    for clip in &scene.clips {
        let tracks = [counted(clip.tracks.len(), "track"), counted(clip.morphs.len(), "morph track")];
        let tracks = tracks.into_iter().filter(|tracks| !tracks.starts_with("0 "));
        let seconds = clip.span().map(|(start, end)| format!("{:.2} s", end - start));
        let path = paths.next(Entity::Clip, &clip.name);
        nodes.push(Node::named(1, "clip", &clip.name, path).with(tracks.chain(seconds)));
    }
    Ok((nodes, scene.decode_names(encoding)))
}

/// The path of the first list of positions of each mesh, by the index of the mesh.
fn paths_of_vertices(file: &File, sources: &[Source]) -> HashMap<usize, NamedPath> {
    let mut paths = HashMap::new();
    file.with_object_paths(|objects| {
        for Source { target, list, .. } in sources {
            if let Target::Vertices { mesh, attribute: Attribute::Position } = *target {
                paths.entry(mesh).or_insert_with(|| NamedPath::new(list, objects.path(list).as_ref()));
            }
        }
    });
    paths
}

/// The paths of objects by name, in the order of the file.
struct Paths(HashMap<(Entity, String), VecDeque<NamedPath>>);

impl Paths {
    fn of(file: &File) -> Result<Self, Error> {
        let names = edit::names(file)?;
        let mut paths: HashMap<_, VecDeque<_>> = HashMap::new();
        file.with_object_paths(|objects| {
            for name in names.iter().filter(|name| name.is_definition) {
                let own = path_of_parent(&name.path, objects);
                paths.entry((name.entity, scene::name(&name.text))).or_default().push_back(own);
            }
        });
        Ok(Self(paths))
    }

    fn next(&mut self, entity: Entity, name: &str) -> Option<NamedPath> {
        self.0.get_mut(&(entity, name.to_owned()))?.pop_front()
    }
}

/// The path of the record with a field.
fn path_of_parent(field: &FieldPath, objects: &mut ObjectPaths<'_>) -> NamedPath {
    let parent = |path: &FieldPath| path.split_last().map_or_else(FieldPath::root, |(own, _)| own);
    match objects.path(field) {
        // The words of a text are not parts of the object.
        Some(object) if object.steps().len() != field.steps().len() && is_token(field) => {
            NamedPath::new(&parent(&object), None)
        }
        object => NamedPath::new(&parent(field), object.as_ref().map(parent).as_ref()),
    }
}

/// Whether a path is that of a word in a text.
fn is_token(path: &FieldPath) -> bool {
    matches!(path.steps().first(), Some(Step::Field(tokens)) if tokens == "tokens")
}
