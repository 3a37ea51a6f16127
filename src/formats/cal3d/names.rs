//! The names of the binary form in the XML form: `bones[0].translation.x` finds the word that spells it.

use std::ops::Range;

use super::xml::Element;
use super::{Document, Lexeme};
use crate::schema::{Edit, Path, Role, Step};
use crate::{Error, Kind, Result};

/// Where a field of the binary form is spelled in an element of the XML form.
#[derive(Clone, Copy)]
enum Place {
    /// In the words of an attribute.
    Attribute(&'static [u8]),
    /// In the words of an element inside.
    Child(&'static [u8]),
    /// In the words of the element itself.
    Own,
    /// In elements inside, one for each item of the list; their words are the item.
    Rows(&'static [u8]),
    /// In elements inside, one for each record of the list.
    Records(&'static [u8]),
}

/// Where a field is spelled in an element of this name.
#[allow(clippy::match_same_arms, reason = "in the order of the file, as the structs are")]
fn place(element: &[u8], field: &str) -> Option<Place> {
    use Place::{Attribute, Child, Own, Records, Rows};
    Some(match (element, field) {
        (b"SKELETON" | b"ANIMATION" | b"MESH" | b"MATERIAL" | b"HEADER", "version") => Attribute(b"VERSION"),
        (b"SKELETON", "scene_ambient") => Attribute(b"SCENEAMBIENTCOLOR"),
        (b"SKELETON", "bones") => Records(b"BONE"),
        (b"BONE" | b"MORPH", "name") => Attribute(b"NAME"),
        (b"BONE" | b"KEYFRAME", "translation") => Child(b"TRANSLATION"),
        (b"BONE" | b"KEYFRAME", "rotation") => Child(b"ROTATION"),
        (b"BONE", "local_translation") => Child(b"LOCALTRANSLATION"),
        (b"BONE", "local_rotation") => Child(b"LOCALROTATION"),
        (b"BONE", "parent_id") => Child(b"PARENTID"),
        (b"BONE", "child_ids") => Rows(b"CHILDID"),
        (b"ANIMATION", "duration") => Attribute(b"DURATION"),
        (b"ANIMATION", "tracks") => Records(b"TRACK"),
        (b"TRACK", "bone_id") => Attribute(b"BONEID"),
        (b"TRACK", "morph_name") => Attribute(b"MORPHNAME"),
        (b"TRACK", "keys") => Records(b"KEYFRAME"),
        (b"KEYFRAME", "time") => Attribute(b"TIME"),
        (b"KEYFRAME", "weight") => Child(b"WEIGHT"),
        (b"MESH", "submeshes") => Records(b"SUBMESH"),
        (b"SUBMESH", "material_id") => Attribute(b"MATERIAL"),
        (b"SUBMESH", "num_lod_steps") => Attribute(b"NUMLODSTEPS"),
        (b"SUBMESH", "num_maps") => Attribute(b"NUMTEXCOORDS"),
        (b"SUBMESH", "vertices") => Records(b"VERTEX"),
        (b"SUBMESH", "springs") => Records(b"SPRING"),
        (b"SUBMESH", "morphs") => Records(b"MORPH"),
        (b"SUBMESH", "faces") => Records(b"FACE"),
        (b"VERTEX", "position") => Child(b"POS"),
        (b"VERTEX", "normal") => Child(b"NORM"),
        (b"VERTEX", "color") => Child(b"COLOR"),
        (b"VERTEX", "collapse_id") => Child(b"COLLAPSEID"),
        (b"VERTEX", "face_collapse_count") => Child(b"COLLAPSECOUNT"),
        (b"VERTEX" | b"BLENDVERTEX", "uvs") => Rows(b"TEXCOORD"),
        (b"VERTEX", "influences") => Records(b"INFLUENCE"),
        (b"VERTEX", "physical_weight") => Child(b"PHYSIQUE"),
        (b"INFLUENCE", "bone_id") => Attribute(b"ID"),
        (b"INFLUENCE", "weight") => Own,
        (b"SPRING" | b"FACE", "vertex_ids") => Attribute(b"VERTEXID"),
        (b"SPRING", "coefficient") => Attribute(b"COEF"),
        (b"SPRING", "rest_length") => Attribute(b"LENGTH"),
        (b"MORPH", "vertices") => Records(b"BLENDVERTEX"),
        (b"BLENDVERTEX", "vertex_id") => Attribute(b"VERTEXID"),
        (b"BLENDVERTEX", "position") => Child(b"POSITION"),
        (b"BLENDVERTEX", "normal") => Child(b"NORMAL"),
        (b"MATERIAL", "ambient") => Child(b"AMBIENT"),
        (b"MATERIAL", "diffuse") => Child(b"DIFFUSE"),
        (b"MATERIAL", "specular") => Child(b"SPECULAR"),
        (b"MATERIAL", "shininess") => Child(b"SHININESS"),
        (b"MATERIAL", "maps") => Records(b"MAP"),
        (b"MAP", "file") => Own,
        (b"MAP", "kind") => Attribute(b"TYPE"),
        _ => return None,
    })
}

impl Element<'_> {
    /// The indices of the words that spell a field; none where it is missing.
    pub(super) fn field(self, name: &str) -> Vec<usize> {
        match place(self.name(), name) {
            Some(Place::Attribute(attribute)) => self.attribute_lexemes(attribute).collect(),
            Some(Place::Child(child)) => {
                self.child(child).map_or(Vec::new(), |child| child.word_lexemes().collect())
            }
            Some(Place::Own) => self.word_lexemes().collect(),
            Some(Place::Rows(_) | Place::Records(_)) | None => Vec::new(),
        }
    }

    /// The elements that spell the items of a list.
    pub(super) fn items(self, name: &str) -> impl Iterator<Item = Self> {
        let child = match place(self.name(), name) {
            Some(Place::Rows(child) | Place::Records(child)) => child,
            _ => b"",
        };
        self.children_named(child)
    }
}

/// Finds the lexemes that spell a field of the binary form; nothing where its names are not known.
pub(super) fn resolve(document: &Document, path: &Path) -> Option<Result<Vec<Edit>>> {
    let root = document.root()?;
    let header = document.elements().find(|element| element.name() == b"HEADER");
    let Some((Step::Field(first), _)) = path.steps().split_first() else { return None };
    place(root.name(), first)?;
    let mut found = Vec::new();
    let mut result = follow(root, path.steps(), &mut found);
    if let (Some(header), true) = (header, first == "version" && found.is_empty()) {
        result = follow(header, path.steps(), &mut found);
    }
    Some(match result {
        Ok(()) if found.is_empty() => Err(nowhere(path, "is not in this file")),
        Ok(()) => Ok(found.into_iter().map(|index| edit(document, index)).collect()),
        Err(why) => Err(nowhere(path, &why)),
    })
}

fn nowhere(path: &Path, why: &str) -> Error {
    Error::new(0, Kind::Path(format!("{path}: {why}")))
}

fn edit(document: &Document, index: usize) -> Edit {
    let Range { start, end } = document.lexemes.range(index);
    let path = Path::from(vec![Step::Field("lexemes".into()), Step::Index(index)]);
    Edit { path, range: start as u64..end as u64, role: Role::Free }
}

fn follow(element: Element<'_>, steps: &[Step], found: &mut Vec<usize>) -> Result<(), String> {
    let (name, further) = match steps {
        [Step::Field(name), further @ ..] => (name, further),
        [] => {
            found.extend(element.value_lexemes());
            return Ok(());
        }
        _ => return Err(format!("{} is no list", element.name().escape_ascii())),
    };
    match place(element.name(), name) {
        None => Err(format!("{} has no field `{name}`", element.name().escape_ascii())),
        Some(Place::Rows(_)) => each(element.items(name), further, &mut |item, further| {
            words(&item.word_lexemes().collect::<Vec<_>>(), further, found)
        }),
        Some(Place::Records(_)) => {
            each(element.items(name), further, &mut |item, further| follow(item, further, found))
        }
        Some(_) => words(&element.field(name), further, found),
    }
}

/// What to do with an item, and the steps that still lead to it.
type Visit<'v, 'a> = dyn FnMut(Element<'a>, &[Step]) -> Result<(), String> + 'v;

/// The items of a list that the first step names.
fn each<'a>(
    mut items: impl Iterator<Item = Element<'a>>,
    steps: &[Step],
    visit: &mut Visit<'_, 'a>,
) -> Result<(), String> {
    let Some((step, further)) = steps.split_first() else {
        return items.try_for_each(|item| visit(item, &[]));
    };
    let found = match step {
        Step::Every => return items.try_for_each(|item| visit(item, further)),
        Step::Index(index) => items.nth(*index),
        Step::Named(name, nth) => {
            let named = |item: &Element<'_>| item.attribute(b"NAME").next() == Some(name.as_bytes());
            items.filter(named).nth(nth.saturating_sub(1))
        }
        Step::Field(name) => return Err(format!("a list has no field `{name}`; name an element: [0]")),
        Step::Inside => return Err("nothing is packed here".into()),
    };
    found.map_or_else(
        || Err(format!("there is no element {}", Path::from(vec![step.clone()]))),
        |item| visit(item, further),
    )
}

/// The words that the last step names.
fn words(words: &[usize], steps: &[Step], found: &mut Vec<usize>) -> Result<(), String> {
    let index = match steps {
        [] | [Step::Every] => {
            found.extend(words);
            return Ok(());
        }
        [Step::Index(index)] => Some(*index),
        [Step::Field(name)] if name.len() == 1 => crate::schema::component(name),
        _ => None,
    };
    match index.and_then(|index| words.get(index)) {
        Some(word) => {
            found.push(*word);
            Ok(())
        }
        None => Err(format!("it has {} words, counted from 0", words.len())),
    }
}

impl Element<'_> {
    /// The indices of all values in it, those of the elements in it included.
    fn value_lexemes(self) -> impl Iterator<Item = usize> {
        let mut depth = 1_usize;
        let is_value = |kind: Lexeme| matches!(kind, Lexeme::Value { .. } | Lexeme::Governing | Lexeme::Text);
        self.inside()
            .map_while(move |(index, kind)| {
                match kind {
                    Lexeme::Open => depth += 1,
                    Lexeme::Close => depth -= 1,
                    _ => {}
                }
                (depth > 0).then_some((index, kind))
            })
            .filter_map(move |(index, kind)| is_value(kind).then_some(index))
    }
}
