//! The names of frames, materials, animation sets and textures, and the references to them.

use std::collections::HashMap;

use super::alias::{Found, locations};
use super::object_paths::with_object_paths;
use super::syntax::objects::{Object, Objects};
use super::syntax::values::Place;
use super::{
    Animation, AnimationSet, Encoding, Frame, Material, MemberKind, MeshMaterialList, SkinWeights,
    TextureFilename, View as _, X, json,
};
use crate::edit::{Entity, Name, Named, no_form};
use crate::formats::ObjectPaths;
use crate::json::{Cursor, Objects as Notation};
use crate::scene::Lost;
use crate::schema::{FieldPath, Location, Role, Shape};
use crate::{Budget, Result};

/// The templates of named objects.
const DEFINED: [(&str, Entity); 3] = [
    (Frame::TEMPLATE, Entity::Bone),
    (Material::TEMPLATE, Entity::Material),
    (AnimationSet::TEMPLATE, Entity::Clip),
];
/// The templates whose references are to objects of one kind, which may be in another file.
const REFERRING: [(&str, Entity); 2] =
    [(Animation::TEMPLATE, Entity::Bone), (MeshMaterialList::TEMPLATE, Entity::Material)];
/// The templates whose first value is a name.
const NAMING: [(&str, Entity); 2] =
    [(SkinWeights::TEMPLATE, Entity::Bone), (TextureFilename::TEMPLATE, Entity::Texture)];

impl Named for X {
    const FORMS: &'static [&'static str] = &Encoding::NAMES;

    fn form(&self) -> Option<&'static str> {
        Encoding::of(self).map(Encoding::name)
    }

    fn in_form(&self, form: &str) -> Result<(Self, Option<Lost>)> {
        let other = self.in_encoding(form).unwrap_or_else(|| Err(no_form::<Self>(form)))?;
        let is_binary = |own: &Self| Encoding::of(own).map(|own| own.binary);
        let lost = (is_binary(self) != is_binary(&other)).then_some(Lost::Spelling);
        Ok((other, lost))
    }

    fn names(&self) -> Result<Vec<Name>> {
        let objects = self.objects()?;
        let mut names = Vec::new();
        let kinds = kinds(&objects);
        for object in objects.all() {
            if let (Some(entity), Some(at)) = (listed(object, &DEFINED), object.name_place()) {
                names.push((at, entity, true, object.name()));
            }
            names.extend(first_value(object));
        }
        for (at, reference, parent) in objects.all_references() {
            let expected = parent.and_then(|parent| listed(parent, &REFERRING));
            let entity = expected.or_else(|| kinds.get(reference.name).copied());
            names.extend(entity.map(|entity| (at, entity, false, reference.name)));
        }
        names.sort_by_key(|(at, ..)| *at);
        let mut found: Vec<_> = names
            .iter()
            .map(|(at, ..)| Found { place: Place { at: *at, within: 0 }, role: Role::Free })
            .collect();
        let paths = locations(&objects, &mut found);
        let texts = names.into_iter().zip(paths).filter(|((.., text), _)| !text.is_empty());
        Ok(texts
            .map(|((_, entity, is_definition, text), place)| {
                Name::new(entity, is_definition, place.path, text)
            })
            .collect())
    }

    fn with_object_paths<T>(&self, run: impl FnOnce(&mut ObjectPaths<'_>) -> T) -> T {
        with_object_paths(self, run)
    }

    fn append_objects(&mut self, path: &FieldPath, text: &[u8]) -> Result<Vec<Location>> {
        self.append_objects(path, text)
    }

    fn objects_json(&self, budget: &Budget) -> Result<String> {
        json::print(self, budget)
    }

    fn read_objects(_dialect: Option<&str>, json: &mut Cursor<'_>) -> Option<Result<Vec<u8>>> {
        Some(json::read(json))
    }

    fn objects_schema<'s>(_dialect: Option<&str>, _structs: &'s Shape) -> Option<Notation<'s>> {
        Some(json::SCHEMA)
    }
}

/// Returns the kind of the first object with each name.
fn kinds<'a>(objects: &'a Objects<'a>) -> HashMap<&'a [u8], Entity> {
    let mut kinds = HashMap::new();
    for object in objects.all().filter(|object| !object.name().is_empty()) {
        if let Some(entity) = listed(object, &DEFINED) {
            kinds.entry(object.name()).or_insert(entity);
        }
    }
    kinds
}

fn listed(object: Object<'_>, templates: &[(&str, Entity)]) -> Option<Entity> {
    templates.iter().find(|(template, _)| object.is(template)).map(|(_, entity)| *entity)
}

/// Returns the name that is the first value of an object.
fn first_value(object: Object<'_>) -> Option<(usize, Entity, bool, &[u8])> {
    let entity = listed(object, &NAMING)?;
    let first = object.template()?.members.first()?;
    if first.kind != MemberKind::Text || !first.sizes.is_empty() {
        return None;
    }
    let mut values = object.values();
    let place = values.place();
    Some((place.at, entity, false, values.text().ok()?))
}
