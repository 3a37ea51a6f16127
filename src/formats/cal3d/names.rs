//! The names of the binary form in the XML form: `bones[0].translation.x` finds the word that spells it.

use super::xml::{Contents, Element, Piece};
use super::{Document, Markup};
use crate::schema::{Edit, FieldPath, Role, Step};
use crate::{Error, ErrorKind, Result};

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

/// The fields of an element, and how they are spelled.
type Fields = &'static [(&'static str, Place)];

/// All elements that have fields.
const ELEMENTS: &[(&[u8], Fields)] = {
    use Place::{Attribute, Child, Own, Records, Rows};
    &[
        (b"HEADER", &[("version", Attribute(b"VERSION"))]),
        (
            b"SKELETON",
            &[
                ("version", Attribute(b"VERSION")),
                ("scene_ambient", Attribute(b"SCENEAMBIENTCOLOR")),
                ("bones", Records(b"BONE")),
            ],
        ),
        (
            b"BONE",
            &[
                ("name", Attribute(b"NAME")),
                ("translation", Child(b"TRANSLATION")),
                ("rotation", Child(b"ROTATION")),
                ("local_translation", Child(b"LOCALTRANSLATION")),
                ("local_rotation", Child(b"LOCALROTATION")),
                ("parent_id", Child(b"PARENTID")),
                ("child_ids", Rows(b"CHILDID")),
            ],
        ),
        (
            b"ANIMATION",
            &[
                ("version", Attribute(b"VERSION")),
                ("duration", Attribute(b"DURATION")),
                ("tracks", Records(b"TRACK")),
            ],
        ),
        (
            b"TRACK",
            &[
                ("bone_id", Attribute(b"BONEID")),
                ("morph_name", Attribute(b"MORPHNAME")),
                ("keys", Records(b"KEYFRAME")),
            ],
        ),
        (
            b"KEYFRAME",
            &[
                ("translation", Child(b"TRANSLATION")),
                ("rotation", Child(b"ROTATION")),
                ("time", Attribute(b"TIME")),
                ("weight", Child(b"WEIGHT")),
            ],
        ),
        (b"MESH", &[("version", Attribute(b"VERSION")), ("submeshes", Records(b"SUBMESH"))]),
        (
            b"SUBMESH",
            &[
                ("material_id", Attribute(b"MATERIAL")),
                ("num_lod_steps", Attribute(b"NUMLODSTEPS")),
                ("num_maps", Attribute(b"NUMTEXCOORDS")),
                ("vertices", Records(b"VERTEX")),
                ("springs", Records(b"SPRING")),
                ("morphs", Records(b"MORPH")),
                ("faces", Records(b"FACE")),
            ],
        ),
        (
            b"VERTEX",
            &[
                ("position", Child(b"POS")),
                ("normal", Child(b"NORM")),
                ("color", Child(b"COLOR")),
                ("collapse_id", Child(b"COLLAPSEID")),
                ("face_collapse_count", Child(b"COLLAPSECOUNT")),
                ("uvs", Rows(b"TEXCOORD")),
                ("influences", Records(b"INFLUENCE")),
                ("physical_weight", Child(b"PHYSIQUE")),
            ],
        ),
        (b"INFLUENCE", &[("bone_id", Attribute(b"ID")), ("weight", Own)]),
        (
            b"SPRING",
            &[
                ("vertex_ids", Attribute(b"VERTEXID")),
                ("coefficient", Attribute(b"COEF")),
                ("rest_length", Attribute(b"LENGTH")),
            ],
        ),
        (b"MORPH", &[("name", Attribute(b"NAME")), ("vertices", Records(b"BLENDVERTEX"))]),
        (
            b"BLENDVERTEX",
            &[
                ("uvs", Rows(b"TEXCOORD")),
                ("vertex_id", Attribute(b"VERTEXID")),
                ("position", Child(b"POSITION")),
                ("normal", Child(b"NORMAL")),
            ],
        ),
        (b"FACE", &[("vertex_ids", Attribute(b"VERTEXID"))]),
        (
            b"MATERIAL",
            &[
                ("version", Attribute(b"VERSION")),
                ("ambient", Child(b"AMBIENT")),
                ("diffuse", Child(b"DIFFUSE")),
                ("specular", Child(b"SPECULAR")),
                ("shininess", Child(b"SHININESS")),
                ("maps", Records(b"MAP")),
            ],
        ),
        (b"MAP", &[("file", Own), ("kind", Attribute(b"TYPE"))]),
    ]
};

/// Where a field is spelled in an element of this name.
fn place(element: &[u8], field: &str) -> Option<Place> {
    let (_, fields) = ELEMENTS.iter().find(|(name, _)| *name == element)?;
    fields.iter().find(|(name, _)| *name == field).map(|(_, place)| *place)
}

impl Place {
    /// The words that spell a field, where a child of a name can be asked for.
    fn words<'a>(
        self,
        element: Element<'a>,
        child: impl FnOnce(&'static [u8]) -> Option<Element<'a>>,
    ) -> Vec<Piece<'a>> {
        match self {
            Self::Attribute(name) => element.attribute_pieces(name).collect(),
            Self::Child(name) => child(name).map_or(Vec::new(), |child| child.word_pieces().collect()),
            Self::Own => element.word_pieces().collect(),
            Self::Rows(_) | Self::Records(_) => Vec::new(),
        }
    }
}

impl<'a> Contents<'a> {
    /// The words that spell a field; none where it is missing.
    pub(super) fn field(&self, name: &str) -> Vec<Piece<'a>> {
        let place = place(self.element.name(), name);
        place.map_or(Vec::new(), |place| place.words(self.element, |name| self.children_named(name).next()))
    }

    /// The elements that spell the items of a list.
    pub(super) fn items(&self, name: &str) -> impl Iterator<Item = Element<'a>> {
        let child = match place(self.element.name(), name) {
            Some(Place::Rows(child) | Place::Records(child)) => child,
            _ => b"",
        };
        self.children_named(child)
    }

    fn children_named(&self, name: &'static [u8]) -> impl Iterator<Item = Element<'a>> {
        self.children.iter().copied().filter(move |child| child.name() == name)
    }
}

/// Finds the lexemes that spell a field of the binary form; nothing where its names are not known.
pub(super) fn resolve(document: &Document, path: &FieldPath) -> Option<Result<Vec<Edit>>> {
    let root = document.root()?;
    let Some((Step::Field(first), _)) = path.steps().split_first() else { return None };
    place(root.name(), first)?;
    let mut found = Vec::new();
    let mut result = follow(root, path.steps(), &mut found);
    if let (Some(header), true) = (document.header(), first == "version" && found.is_empty()) {
        result = follow(header, path.steps(), &mut found);
    }
    Some(match result {
        Ok(()) if found.is_empty() => Err(nowhere(path, "is not in this file")),
        Ok(()) => Ok(found.into_iter().map(edit).collect()),
        Err(why) => Err(nowhere(path, &why)),
    })
}

fn nowhere(path: &FieldPath, why: &str) -> Error {
    Error::new(0, ErrorKind::Path(format!("{path}: {why}")))
}

fn edit(piece: Piece<'_>) -> Edit {
    let range = piece.lexeme.range();
    Edit { path: piece.path(), range: range.start as u64..range.end as u64, role: Role::Free }
}

fn follow<'a>(element: Element<'a>, steps: &[Step], found: &mut Vec<Piece<'a>>) -> Result<(), String> {
    let (name, further) = match steps {
        [Step::Field(name), further @ ..] => (name, further),
        [] => {
            found.extend(element.values());
            return Ok(());
        }
        _ => return Err(format!("{} is no list", element.name().escape_ascii())),
    };
    match place(element.name(), name) {
        None => Err(format!("{} has no field `{name}`", element.name().escape_ascii())),
        Some(Place::Rows(row)) => each(element.children_named(row), further, &mut |item, further| {
            words(&item.word_pieces().collect::<Vec<_>>(), further, found)
        }),
        Some(Place::Records(record)) => {
            each(element.children_named(record), further, &mut |item, further| follow(item, further, found))
        }
        Some(place) => words(&place.words(element, |name| element.child(name)), further, found),
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
        || Err(format!("there is no element {}", FieldPath::from(vec![step.clone()]))),
        |item| visit(item, further),
    )
}

/// The words that the last step names.
fn words<'a>(words: &[Piece<'a>], steps: &[Step], found: &mut Vec<Piece<'a>>) -> Result<(), String> {
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

impl<'a> Element<'a> {
    /// All values in it, those of the elements in it included.
    fn values(self) -> impl Iterator<Item = Piece<'a>> {
        let mut depth = 1_usize;
        let within = move |piece: &Piece<'_>| {
            match piece.lexeme.kind {
                Markup::Open => depth += 1,
                Markup::Close => depth -= 1,
                _ => {}
            }
            depth > 0
        };
        self.inside().take_while(within).filter(Piece::is_value)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::ELEMENTS;
    use crate::FileKind;
    use crate::schema::Shape;

    fn collect(shape: &Shape, names: &mut BTreeSet<&'static str>) {
        match shape {
            Shape::Record(record) | Shape::Choice(record) => record.fields.iter().for_each(|field| {
                names.insert(field.name);
                collect(&field.shape, names);
            }),
            Shape::List(of, _) | Shape::Optional(of) | Shape::Part(of) | Shape::Written { of, .. } => {
                collect(of, names);
            }
            _ => {}
        }
    }

    #[test]
    fn every_name_is_a_field_of_the_binary_form() {
        let mut names = BTreeSet::new();
        let family = FileKind::ALL.iter().filter(|kind| kind.name().starts_with("cal3d"));
        family.for_each(|kind| collect(&kind.shape(), &mut names));
        for (element, fields) in ELEMENTS {
            for (field, _) in *fields {
                assert!(names.contains(field), "{}: {field}", element.escape_ascii());
            }
        }
    }
}
