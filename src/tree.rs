//! The objects of a file as a tree.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow::{self, Continue};

use crate::edit::{self, Entity};
use crate::formats::{FAMILIES, ObjectPaths};
use crate::scene::{Attribute, Mesh, NameEncoding, Part, Scene, Settings, Source, Target, name};
use crate::schema::Step;
use crate::{Budget, Error, FieldPath, File, Result, counted};

/// The objects of a file: bones below their parents, meshes, materials with their textures, and clips; in `.x` files, the objects below
/// those that contain them.
///
/// ```
/// use bindpose::tree::Tree;
/// use bindpose::{Budget, FileKind};
/// use std::ops::ControlFlow::Continue;
/// let mut file = FileKind::Ms3d.blank();
/// file.append("joints")?;
/// file.set("joints[0].name", "hip")?;
/// let mut found = Vec::new();
/// Tree::of(&file, "hero").each(&Budget::default(), &mut |entry| {
///     found.push((entry.depth, entry.kind, entry.path.map(|path| path.to_string())));
///     Continue(())
/// })?;
/// assert_eq!(found, [(0, "bones".to_owned(), None), (1, "bone".to_owned(), Some("joints[0]".to_owned()))]);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    file: &'a File,
    name: &'a str,
    encoding: Option<NameEncoding>,
    depth: usize,
}

/// An object of a file, or a group of objects of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The number of entries that contain it. The last entry before it with a smaller depth contains it.
    pub depth: usize,
    /// What it is: `bone`, `bones` for their group, or the name of a template of `.x`.
    pub kind: String,
    /// The name; none for a group, and for an object of `.x` without a name.
    pub name: Option<String>,
    /// What it contains: `24 vertices`, or the path of a texture.
    pub contents: Vec<String>,
    /// The path of its record.
    pub path: Option<FieldPath>,
    /// The path by the names of objects, if it differs.
    pub object: Option<FieldPath>,
}

impl Entry {
    /// An object without a path.
    pub(crate) const fn new(depth: usize, kind: String, name: Option<String>) -> Self {
        Self { depth, kind, name, contents: Vec::new(), path: None, object: None }
    }

    /// The entry above objects; none without objects.
    fn group(kind: &str, len: usize) -> Option<Self> {
        (len > 0).then(|| Self::new(0, kind.to_owned(), None).with([len.to_string()]))
    }

    fn named(depth: usize, kind: &str, name: &str) -> Self {
        Self::new(depth, kind.to_owned(), Some(name.to_owned()))
    }

    fn at(self, place: Option<Place>) -> Self {
        let Place { path, object } = place.unwrap_or_default();
        Self { path, object, ..self }
    }

    pub(crate) fn with(mut self, contents: impl IntoIterator<Item = String>) -> Self {
        self.contents.extend(contents);
        self
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
}

/// Visits entries, each after the one that contains it.
pub(crate) type Visit<'a> = dyn FnMut(Entry) -> ControlFlow<()> + 'a;

impl<'a> Tree<'a> {
    /// The objects of a file. Those without a name are called by that of the file, as in scenes.
    #[must_use]
    pub const fn of(file: &'a File, name: &'a str) -> Self {
        Self { file, name, encoding: None, depth: usize::MAX }
    }

    /// Sets the encoding of names that are not UTF-8, which is guessed otherwise.
    #[must_use]
    pub const fn with_encoding(self, encoding: Option<NameEncoding>) -> Self {
        Self { encoding, ..self }
    }

    /// Leaves out entries that are contained in this number of others.
    #[must_use]
    pub const fn with_depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// Visits the entries, each after the one that contains it.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) when the budget does not suffice for the scene of the file; errors in the text of
    /// the file.
    pub fn each(&self, budget: &Budget, visit: &mut dyn FnMut(Entry) -> ControlFlow<()>) -> Result<()> {
        let Some(each) = FAMILIES.iter().find_map(|family| (family.objects)(self.file)) else {
            let (entries, encoding) = self.of_scene(budget)?;
            let shown = entries.into_iter().filter(|entry| entry.depth < self.depth);
            let _ = shown.map(|entry| entry.decoded(encoding)).try_for_each(visit);
            return Ok(());
        };
        let encoding = match self.encoding {
            None => guessed(&*each)?,
            own => own,
        };
        each(self.depth, &mut |entry| visit(entry.decoded(encoding)))
    }

    /// The bones, meshes, materials and clips, and the encoding of their names that are not UTF-8.
    fn of_scene(&self, budget: &Budget) -> Result<(Vec<Entry>, Option<NameEncoding>), Error> {
        let budget = budget.scope();
        let part = Part { name: self.name, file: self.file.as_scene_source() };
        let mut scene = Scene::within(&[part], &Settings::default(), &budget)?;
        let mut places = Places::of(self.file)?;
        let mut entries = bones(&scene, &mut places);
        entries.extend(attachments(&scene));
        entries.extend(Entry::group("meshes", scene.meshes.len()));
        let mut vertices = places_of_vertices(self.file, &scene.sources);
        for (index, own) in scene.meshes.iter().enumerate() {
            entries.extend(mesh(own, vertices.remove(&index)));
        }
        entries.extend(materials(&scene, &mut places));
        entries.extend(clips(&scene, &mut places));
        Ok((entries, scene.decode_names(self.encoding)))
    }
}

/// Visits the objects of a file to a depth.
pub(crate) type Objects<'a> = dyn Fn(usize, &mut Visit<'_>) -> Result<()> + 'a;

/// Guesses the encoding of the names of objects.
fn guessed(each: &Objects<'_>) -> Result<Option<NameEncoding>> {
    let mut names = Vec::new();
    each(usize::MAX, &mut |entry| {
        names.extend(entry.name.into_iter().chain(entry.contents).filter(|text| text.contains('\\')));
        Continue(())
    })?;
    Ok(NameEncoding::guess(names.iter().map(String::as_str)))
}

fn bones(scene: &Scene, places: &mut Places) -> Vec<Entry> {
    let bones = scene.skeleton.bones();
    let mut depths = vec![0; bones.len()];
    let entries = scene.skeleton.depth_first().into_iter().map(|index| {
        let name = &bones[index].name;
        depths[index] = bones[index].parent.map_or(1, |parent| depths[parent] + 1);
        Entry::named(depths[index], "bone", name).at(places.next(Entity::Bone, name))
    });
    Entry::group("bones", bones.len()).into_iter().chain(entries).collect()
}

fn attachments(scene: &Scene) -> impl Iterator<Item = Entry> {
    let bones = scene.skeleton.bones();
    let entries = scene.attachments.iter().map(|own| {
        let bone = own.bone.and_then(|bone| bones.get(bone)).map(|bone| bone.name.clone());
        Entry::named(1, "attachment", &own.name).with(bone)
    });
    Entry::group("attachments", scene.attachments.len()).into_iter().chain(entries)
}

fn mesh(mesh: &Mesh, vertices: Option<Place>) -> impl Iterator<Item = Entry> {
    let sizes = [number(mesh.positions.len(), "vertex"), number(mesh.num_triangles(), "triangle")];
    let morphs = mesh.morphs.iter().map(|morph| {
        Entry::named(2, "morph", &morph.name).with([number(morph.deltas.len(), "displaced vertex")])
    });
    std::iter::once(Entry::named(1, "mesh", &mesh.name).at(vertices).with(sizes)).chain(morphs)
}

fn materials(scene: &Scene, places: &mut Places) -> impl Iterator<Item = Entry> {
    let entries = scene.materials.iter().map(|own| {
        let textures = own.textures.iter().map(ToString::to_string);
        Entry::named(1, "material", &own.name).at(places.next(Entity::Material, &own.name)).with(textures)
    });
    Entry::group("materials", scene.materials.len()).into_iter().chain(entries)
}

fn clips(scene: &Scene, places: &mut Places) -> impl Iterator<Item = Entry> {
    let entries = scene.clips.iter().map(|own| {
        let tracks = [(own.tracks.len(), "track"), (own.morphs.len(), "morph track")];
        let tracks = tracks.into_iter().filter(|(len, _)| *len > 0).map(|(len, what)| number(len, what));
        let seconds = own.span().map(|(start, end)| format!("{:.2} s", end - start));
        Entry::named(1, "clip", &own.name)
            .at(places.next(Entity::Clip, &own.name))
            .with(tracks.chain(seconds))
    });
    Entry::group("clips", scene.clips.len()).into_iter().chain(entries)
}

pub(crate) fn number(len: usize, what: &str) -> String {
    counted(len as u64, what)
}

/// Where an object is in the file.
#[derive(Default)]
struct Place {
    path: Option<FieldPath>,
    /// The path by the names of objects, if it differs.
    object: Option<FieldPath>,
}

/// The place of the first list of positions of each mesh, by the index of the mesh.
fn places_of_vertices(file: &File, sources: &[Source]) -> HashMap<usize, Place> {
    let mut places = HashMap::new();
    file.with_object_paths(|objects| {
        for Source { target, list, .. } in sources {
            if let Target::Vertices { mesh, attribute: Attribute::Position } = *target {
                let place = || Place { path: Some(list.clone()), object: objects.path(list) };
                places.entry(mesh).or_insert_with(place);
            }
        }
    });
    places
}

/// The places of objects by name, in the order of the file.
struct Places(HashMap<(Entity, String), VecDeque<Place>>);

impl Places {
    fn of(file: &File) -> Result<Self, Error> {
        let names = edit::names(file)?;
        let mut places: HashMap<_, VecDeque<_>> = HashMap::new();
        file.with_object_paths(|objects| {
            for own in names.iter().filter(|own| own.is_definition) {
                let place = place_of_parent(&own.path, objects);
                places.entry((own.entity, name(&own.text))).or_default().push_back(place);
            }
        });
        Ok(Self(places))
    }

    fn next(&mut self, entity: Entity, name: &str) -> Option<Place> {
        self.0.get_mut(&(entity, name.to_owned()))?.pop_front()
    }
}

/// The place of the record with a field.
fn place_of_parent(field: &FieldPath, objects: &mut ObjectPaths<'_>) -> Place {
    let parent = |path: &FieldPath| path.split_last().map_or_else(FieldPath::root, |(own, _)| own);
    match objects.path(field) {
        // The words of a text are not parts of the object.
        Some(object) if object.steps().len() != field.steps().len() && is_token(field) => {
            Place { path: Some(parent(&object)), object: None }
        }
        object => Place { path: Some(parent(field)), object: object.as_ref().map(parent) },
    }
}

/// Whether a path is that of a word in a text.
fn is_token(path: &FieldPath) -> bool {
    matches!(path.steps().first(), Some(Step::Field(tokens)) if tokens == "tokens")
}
