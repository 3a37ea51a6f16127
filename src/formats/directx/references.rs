//! The references by index between the objects of a file.

use std::collections::HashMap;
use std::ops::ControlFlow::{self, Continue};
use std::rc::Rc;

use super::alias::{AT_ONCE, Found, locations};
use super::syntax::fields::Layout;
use super::syntax::objects::{Child, Object, Objects};
use super::syntax::template::MemberKind;
use super::syntax::values::{ValueError, Values};
use super::syntax::walk::{Visitor, Walk};
use super::{
    FaceAdjacency, Material, Mesh, MeshMaterialList, MeshNormals, SkinWeights, VertexDuplicationIndices, View,
};
use crate::File;
use crate::schema::{FieldPath, FieldValue, Reference, Role, Step, Target, VisitReference};

/// The indices in the objects of a template: their path in `standard.x`, and what they select from.
struct Indices {
    template: &'static str,
    path: &'static str,
    entity: &'static str,
    /// The lists that they can select from, by the templates of the objects that have them: the object itself or one around it.
    lists: &'static [List],
    /// The value that selects nothing.
    none: Option<u32>,
}

/// A member with a list of objects, and the member with their number.
struct List {
    template: &'static str,
    member: &'static str,
    count: &'static str,
}

const VERTICES: &[List] = &[
    List { template: Mesh::TEMPLATE, member: "vertices", count: "nVertices" },
    List { template: "PatchMesh", member: "vertices", count: "nVertices" },
    List { template: "PatchMesh9", member: "vertices", count: "nVertices" },
];
const FACES: &[List] = &[List { template: Mesh::TEMPLATE, member: "faces", count: "nFaces" }];
const NORMALS: &[List] = &[List { template: MeshNormals::TEMPLATE, member: "normals", count: "nNormals" }];

const fn vertices(template: &'static str, path: &'static str) -> Indices {
    Indices { template, path, entity: "vertex", lists: VERTICES, none: None }
}

const INDICES: &[Indices] = &[
    vertices(Mesh::TEMPLATE, "faces[*].faceVertexIndices[*]"),
    vertices("PatchMesh", "patches[*].controlIndices[*]"),
    vertices("PatchMesh9", "patches[*].controlIndices[*]"),
    vertices("MeshVertexColors", "vertexColors[*].index"),
    vertices(SkinWeights::TEMPLATE, "vertexIndices[*]"),
    vertices(VertexDuplicationIndices::TEMPLATE, "indices[*]"),
    Indices {
        template: MeshNormals::TEMPLATE,
        path: "faceNormals[*].faceVertexIndices[*]",
        entity: "normal",
        lists: NORMALS,
        none: None,
    },
    Indices {
        template: FaceAdjacency::TEMPLATE,
        path: "indices[*]",
        entity: "face",
        lists: FACES,
        none: Some(FaceAdjacency::NONE),
    },
    // The materials are the children of the list.
    Indices {
        template: MeshMaterialList::TEMPLATE,
        path: "faceIndexes[*]",
        entity: "material",
        lists: &[],
        none: None,
    },
];

/// Visits the references by index in the order of the file.
pub(in crate::formats) fn references(file: &File, visit: &mut VisitReference<'_>) -> ControlFlow<()> {
    let File::X(file) = file else { return Continue(()) };
    let Ok(objects) = file.objects() else { return Continue(()) };
    let mut finding = Finding { objects: &objects, found: Vec::new(), own: None, visit, ended: Continue(()) };
    let mut named = HashMap::new();
    for object in objects.all().filter(|object| object.is(Material::TEMPLATE) && !object.name().is_empty()) {
        named.entry(object.name()).or_insert(object);
    }
    for object in objects.all() {
        for indices in INDICES.iter().filter(|own| object.is(own.template)) {
            finding.find(object, indices, &named);
            finding.ended?;
        }
    }
    finding.report()
}

/// What the indices of an object select from.
struct Selected {
    indices: &'static Indices,
    from: Source,
}

enum Source {
    List {
        path: FieldPath,
        len: u32,
    },
    /// The materials of a list; none for one of another file.
    Materials(Vec<Option<FieldPath>>),
    Nowhere,
}

impl Selected {
    fn reference(&self, path: FieldPath, index: u32) -> Reference {
        let missing = || Target::Missing(FieldValue::Int(index.into()));
        let at = usize::try_from(index).unwrap_or(usize::MAX);
        let target = match &self.from {
            _ if self.indices.none == Some(index) => Target::Nothing,
            Source::List { path, len } if index < *len => Target::Object(path.with(at)),
            Source::Materials(all) => match all.get(at) {
                Some(Some(path)) => Target::Object(path.clone()),
                Some(None) => Target::Elsewhere,
                None => missing(),
            },
            Source::List { .. } => missing(),
            Source::Nowhere => Target::Elsewhere,
        };
        Reference { path, entity: self.indices.entity, target }
    }
}

/// Returns what the indices of an object select from.
fn selected_from(object: Object<'_>, indices: &Indices, named: &HashMap<&[u8], Object<'_>>) -> Source {
    if object.is(MeshMaterialList::TEMPLATE) {
        let materials = object.children().filter_map(|child| match child {
            Child::Object(own) => own.is(Material::TEMPLATE).then(|| own.short_path()),
            Child::Reference(own) => Some(named.get(own.name).and_then(Object::short_path)),
        });
        return Source::Materials(materials.collect());
    }
    let mut around = std::iter::successors(Some(object), Object::parent);
    let list = around.find_map(|own| Some((own, indices.lists.iter().find(|list| own.is(list.template))?)));
    let found = list.and_then(|(own, list)| {
        let path = own.short_path()?.with(list.member);
        Some(Source::List { path, len: number(own, list.count)? })
    });
    found.unwrap_or(Source::Nowhere)
}

/// Returns the number of an object.
fn number(object: Object<'_>, member: &'static str) -> Option<u32> {
    let mut number = LastNumber(None);
    let layout = Layout::new(object.objects().templates(), object.values());
    let walked = Walk::new(layout, &mut number).object(object.template()?, &[Step::Field(member.into())]);
    walked.ok().and(number.0)
}

struct LastNumber(Option<u32>);

impl Visitor for LastNumber {
    fn value(&mut self, values: &mut Values<'_>, _: &MemberKind, _: Role) -> Result<(), ValueError> {
        self.0 = Some(values.unsigned()?);
        Ok(())
    }
}

/// Finds the indices of objects; their places are located many at a time.
struct Finding<'a, 'v, 'w> {
    objects: &'a Objects<'a>,
    found: Vec<(Found, u32, Rc<Selected>)>,
    own: Option<Rc<Selected>>,
    visit: &'v mut VisitReference<'w>,
    ended: ControlFlow<()>,
}

impl<'a> Finding<'a, '_, '_> {
    fn find(&mut self, object: Object<'a>, indices: &'static Indices, named: &HashMap<&[u8], Object<'a>>) {
        let (Some(template), Ok(path)) = (object.template(), indices.path.parse::<FieldPath>()) else {
            return;
        };
        self.own = Some(Rc::new(Selected { indices, from: selected_from(object, indices, named) }));
        let layout = Layout::new(object.objects().templates(), object.values());
        // Values that cannot be read have findings of their own.
        let _ = Walk::new(layout, self).object(template, path.steps());
    }

    /// Visits what was found.
    fn report(&mut self) -> ControlFlow<()> {
        self.found.sort_by_key(|(found, ..)| found.place);
        let mut places: Vec<_> = self.found.iter().map(|(found, ..)| *found).collect();
        let located = locations(self.objects, &mut places);
        let ended =
            self.found.drain(..).zip(located).try_for_each(|((_, index, own), location)| {
                (self.visit)(own.reference(location.path, index))
            });
        self.ended = ended;
        ended
    }
}

impl Visitor for Finding<'_, '_, '_> {
    fn value(&mut self, values: &mut Values<'_>, _: &MemberKind, role: Role) -> Result<(), ValueError> {
        let place = values.place();
        let index = values.unsigned()?;
        if self.ended.is_continue() {
            self.found.extend(self.own.clone().map(|own| (Found { place, role }, index, own)));
        }
        if self.found.len() >= AT_ONCE {
            let _ = self.report();
        }
        Ok(())
    }
}
