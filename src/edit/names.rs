//! The names in a file.

use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow::Continue;

use super::unsupported;
use crate::codec::Format;
use crate::formats::ObjectPaths;
use crate::json::{Cursor, Objects};
use crate::scene::Lost;
use crate::schema::{
    Ambiguous, FieldPath, FieldValue, Identity, Location, NameTable, Role, Shape, Value, leaves, set_each,
};
use crate::{Budget, Error, File, Result};

/// A kind of object that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Entity {
    /// A bone: a joint in MilkShape 3D, a frame in DirectX.
    Bone,
    /// A material.
    Material,
    /// An animation: a sequence in PSA, an animation set in DirectX.
    Clip,
    /// A path of an image.
    Texture,
}

impl Entity {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Bone, Self::Material, Self::Clip, Self::Texture];

    /// Returns the word for it: `bone`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bone => "bone",
            Self::Material => "material",
            Self::Clip => "clip",
            Self::Texture => "texture",
        }
    }

    fn of(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|entity| entity.name() == kind)
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// The name of an object, where the object is defined or where another one refers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Name {
    /// The kind of the object.
    pub entity: Entity,
    /// Whether the object is defined here. Paths of images are not definitions.
    pub is_definition: bool,
    /// The field.
    pub path: FieldPath,
    /// The name in the encoding of the file.
    pub text: Vec<u8>,
    /// How the field stores the name.
    pub(crate) stored: Stored,
}

/// How a field stores a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stored {
    /// The number of bytes of the name that fit, if the field stores only the start of a longer one.
    pub most: Option<usize>,
    /// What follows the name in the field.
    pub suffix: Vec<u8>,
    /// Whether the characters of markup are written as references.
    pub is_xml: bool,
}

impl Name {
    pub(crate) fn new(entity: Entity, is_definition: bool, path: FieldPath, text: &[u8]) -> Self {
        Self { entity, is_definition, path, text: text.to_vec(), stored: Stored::default() }
    }

    /// Returns the content of the field for another name.
    pub(super) fn field_text(&self, name: &[u8]) -> Vec<u8> {
        let Stored { most, suffix, is_xml } = &self.stored;
        let name = &name[..most.unwrap_or(name.len()).min(name.len())];
        if *is_xml { name.iter().flat_map(|byte| escaped(*byte)).collect() } else { [name, suffix].concat() }
    }
}

/// Returns a byte of a text as XML spells it.
fn escaped(byte: u8) -> Vec<u8> {
    match byte {
        b'&' => b"&amp;".to_vec(),
        b'<' => b"&lt;".to_vec(),
        b'>' => b"&gt;".to_vec(),
        b'"' => b"&quot;".to_vec(),
        byte => vec![byte],
    }
}

/// Positions of objects by kind and name.
pub(super) struct ByName(HashMap<Entity, NameTable>);

impl ByName {
    pub fn new<'n>(names: impl IntoIterator<Item = (usize, Entity, &'n [u8])>) -> Self {
        let mut tables: HashMap<_, NameTable> = HashMap::new();
        for (position, entity, name) in names {
            tables.entry(entity).or_default().push(position, name);
        }
        Self(tables)
    }

    /// As [`NameTable::find`].
    pub fn find(&self, entity: Entity, name: &[u8]) -> std::result::Result<&[usize], Ambiguous> {
        self.0.get(&entity).map_or(Ok(&[]), |table| table.find(name))
    }
}

/// Returns names with their positions.
pub(super) fn entries(names: &[Name]) -> impl Iterator<Item = (usize, Entity, &[u8])> {
    names.iter().enumerate().map(|(index, name)| (index, name.entity, &*name.text))
}

/// Returns the part of a name that readers compare.
pub(crate) type NameKey = fn(&[u8]) -> Vec<u8>;

/// Returns the error for a form that files of a format do not have.
pub(crate) fn no_form<F: Named>(form: &str) -> Error {
    let name = F::INFO.name;
    unsupported(&match F::FORMS {
        [] => format!("{name} files have one form"),
        known => format!("{name} files have no form `{form}`; expected one of {}", known.join(", ")),
    })
}

/// A format with names.
pub(crate) trait Named: Format {
    /// The forms that files with the same content can have, the usual one first; empty if there is one.
    const FORMS: &'static [&'static str] = &[];
    /// The one of the forms in which files of different forms are compared.
    const COMPARED_FORM: Option<&'static str> = None;

    /// Returns all names in the order of the file; empty references are left out. By default those that the definition
    /// states.
    fn names(&self) -> Result<Vec<Name>> {
        Ok(defined_names(self))
    }

    /// Sets the fields that contain names, as [`set_each`]. Names can be stored away from their fields.
    fn set_names(&mut self, edits: &[(FieldPath, String)]) -> Result<()> {
        set_each(self, edits, true)
    }

    /// Returns what readers compare of the names of bones if none is equal; none if they find equal names only.
    fn name_key(&self) -> Option<NameKey> {
        None
    }

    /// Returns why a clip with a name cannot be removed, as the end of a sentence about it.
    fn why_kept(&self) -> &'static str {
        "is not separate from the other animations of the file"
    }

    /// Passes on the paths of values by the names of their objects.
    fn with_object_paths<T>(&self, run: impl FnOnce(&mut ObjectPaths<'_>) -> T) -> T {
        run(&mut ObjectPaths::names(self))
    }

    /// Appends objects to the one at a path: see [`File::append_objects`].
    fn append_objects(&mut self, _path: &FieldPath, _text: &[u8]) -> Result<Vec<Location>> {
        Err(unsupported("objects can be appended to .x files only; append an element to a list"))
    }

    /// Returns the one of the forms that the file has.
    fn form(&self) -> Option<&'static str> {
        None
    }

    /// Returns the file in a form, and what is lost: see [`File::in_form`].
    fn in_form(&self, form: &str) -> Result<(Self, Option<Lost>)> {
        Err(no_form::<Self>(form))
    }

    /// Prints the objects as JSON, where they are not the values of the file. Charges the text.
    fn objects_json(&self, _budget: &Budget) -> Result<String> {
        Err(unsupported(&format!("{} files have no other form in JSON", Self::INFO.name)))
    }

    /// Reads what `objects_json` prints, in a dialect; none if the format has no such objects.
    fn read_objects(_dialect: Option<&str>, _json: &mut Cursor<'_>) -> Option<Result<Vec<u8>>> {
        None
    }

    /// Returns the JSON Schema of what `objects_json` prints, of which `structs` is the shape.
    fn objects_schema<'s>(_dialect: Option<&str>, _structs: &'s Shape) -> Option<Objects<'s>> {
        None
    }
}

/// Returns the names of bones, materials, clips and textures in a file, in its order, with every reference to them.
/// References without a name are left out.
///
/// # Errors
/// [`ErrorKind::Limit`](crate::ErrorKind::Limit) or [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) if the text of the file
/// cannot be interpreted.
pub fn names(file: &File) -> Result<Vec<Name>> {
    file.named()
}

/// Returns the names in the fields whose definition states what they name.
pub(crate) fn defined_names(value: &dyn Value) -> Vec<Name> {
    let mut names = Vec::new();
    let _ = leaves(value, &mut |place, leaf| {
        if let (Some(identity), FieldValue::Text(text)) =
            (place.field.and_then(|field| field.identity), leaf.field_value())
            && place.role == Role::Free
        {
            names.extend(defined_name(identity, place.path.clone(), &text));
        }
        Continue(())
    });
    names
}

/// Returns the name in a field; none for an empty reference.
pub(crate) fn defined_name(identity: Identity, path: FieldPath, text: &[u8]) -> Option<Name> {
    let (is_definition, kind) = match identity {
        Identity::Name(kind) => (true, kind),
        Identity::NameOf(kind) => (false, kind),
        Identity::IndexOf(_) | Identity::Index | Identity::OneOf(_) => return None,
    };
    (is_definition || !text.is_empty()).then_some(())?;
    Some(Name::new(Entity::of(kind)?, is_definition, path, text))
}
