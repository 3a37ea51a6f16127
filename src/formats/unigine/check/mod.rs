//! Finds what breaks the rules of `rules.rs`.

use super::rules::{
    BONE_NAME, BOUNDS, CORNERS, MAGIC, NAME_END, OFFSETS, PACKED, PARENT, PARENT_CYCLE, PARENT_ORDER,
    SURFACE_NAME, UNIT, ZERO,
};
use super::{Bone, Bounds, Mesh, Mesh14, Name, RawMesh, Transform, UnigineMesh};
use crate::FieldPath;
use crate::check::common::{ParentRules, QuaternionRules, field_path, parents, quaternion, quoted, unique};
use crate::check::{Check, Findings};
use crate::schema::Step;
use crate::wire::FixedStr;

mod animation;
mod geometry;
mod set;
mod tree;

pub(in crate::formats) use set::check_set;

const PARENTS: ParentRules = ParentRules { range: &PARENT, cycle: &PARENT_CYCLE, order: &PARENT_ORDER };
const ROTATIONS: QuaternionRules = QuaternionRules { zero: &ZERO, unit: &UNIT };

impl Check for UnigineMesh {
    fn check(&self, findings: &mut Findings) {
        match self {
            Self::Mesh(mesh) => check_mesh(mesh, findings),
            Self::Mesh14(mesh) => check_mesh14(mesh, findings),
            Self::RawMesh(mesh) => check_raw_mesh(mesh, findings),
        }
    }
}

/// The magic stands again further behind.
fn markers(id: FixedStr<4>, again: &[(&'static str, &FixedStr<4>)], findings: &mut Findings) {
    for (name, marker) in again.iter().filter(|(_, marker)| **marker != id) {
        findings.add(&MAGIC, || field_path![*name], || format!("is {marker}, the file begins with {id}"));
    }
}

/// The last byte of a name is a NUL.
fn ended(name: &Name, path: impl FnOnce() -> FieldPath, findings: &mut Findings) {
    if name.stored().last().is_some_and(|last| *last != 0) {
        findings.add(&NAME_END, path, || format!("{} has no NUL", quoted(name.stored())));
    }
}

fn skeleton(bones: &[Bone], transforms: &[Transform], findings: &mut Findings) {
    unique(findings, &BONE_NAME, bones.iter().map(|bone| bone.name.text()), |bone| {
        field_path!["bones", bone, "name"]
    });
    for (at, bone) in bones.iter().enumerate() {
        ended(&bone.name, || field_path!["bones", at, "name"], findings);
    }
    let above: Vec<_> =
        bones.iter().map(|bone| (bone.parent != -1).then_some(i64::from(bone.parent))).collect();
    parents(findings, &PARENTS, &above, |bone| field_path!["bones", bone, "parent"]);
    for (bone, transform) in transforms.iter().enumerate() {
        quaternion(findings, &ROTATIONS, transform.rotation, || field_path!["transforms", bone, "rotation"]);
    }
}

fn check_mesh(mesh: &Mesh, findings: &mut Findings) {
    markers(mesh.id, &[("middle_id", &mesh.middle_id), ("tail_id", &mesh.tail_id)], findings);
    skeleton(&mesh.bones, &mesh.transforms, findings);
    let names = mesh.surfaces.iter().map(|surface| surface.name.text());
    unique(findings, &SURFACE_NAME, names, |surface| field_path!["surfaces", surface, "name"]);
    inside_out(&mesh.bounds, || field_path!["bounds"], findings);
    for (place, (surface, geometry)) in mesh.surfaces.iter().zip(&mesh.geometry).enumerate() {
        ended(&surface.name, || field_path!["surfaces", place, "name"], findings);
        let path = || field_path!["surfaces", place, "bounds"];
        inside_out(&surface.bounds, path, findings);
        geometry::holds(&surface.bounds, geometry, path, findings);
        geometry::check(geometry, mesh.bones.len(), &field_path!["geometry", place], findings);
    }
    for (place, animation) in mesh.animations.iter().enumerate() {
        animation::check_mesh_animation(animation, mesh.bones.len(), place, findings);
    }
}

fn check_mesh14(mesh: &Mesh14, findings: &mut Findings) {
    let again = [
        ("middle_id", &mesh.middle_id),
        ("trees_id", &mesh.trees_id),
        ("offsets_id", &mesh.offsets_id),
        ("tail_id", &mesh.tail_id),
    ];
    markers(mesh.id, &again, findings);
    skeleton(&mesh.bones, &mesh.transforms, findings);
    let names = mesh.surfaces.iter().map(|surface| surface.name.text());
    unique(findings, &SURFACE_NAME, names, |surface| field_path!["surfaces", surface, "name"]);
    inside_out(&mesh.bounds, || field_path!["bounds"], findings);
    for (place, (surface, packed)) in mesh.surfaces.iter().zip(&mesh.geometry).enumerate() {
        ended(&surface.name, || field_path!["surfaces", place, "name"], findings);
        let path = || field_path!["surfaces", place, "bounds"];
        inside_out(&surface.bounds, path, findings);
        match packed.data.content() {
            Ok(geometry) => {
                geometry::holds(&surface.bounds, geometry, path, findings);
                let inside = field_path!["geometry", place, Step::Inside];
                geometry::check(geometry, mesh.bones.len(), &inside, findings);
            }
            Err(error) => {
                findings.add(&PACKED, || field_path!["geometry", place, "data"], || error.message());
            }
        }
    }
    for (place, (surface, tree)) in mesh.surfaces.iter().zip(&mesh.trees).enumerate() {
        match tree.data.content() {
            Ok(content) => {
                let corners = surface.num_coordinate_indices.value();
                tree::check(content, corners, &field_path!["trees", place, "data", Step::Inside], findings);
            }
            Err(error) => findings.add(&PACKED, || field_path!["trees", place, "data"], || error.message()),
        }
    }
    for (place, slip) in mesh.offset_errors.offset_errors().iter().enumerate().filter(|(_, slip)| **slip != 0)
    {
        findings.add(&OFFSETS, || field_path!["offsets", place], || format!("is {slip} bytes off"));
    }
}

fn check_raw_mesh(mesh: &RawMesh, findings: &mut Findings) {
    for (place, surface) in mesh.surfaces.iter().enumerate() {
        if !surface.vertices.len().is_multiple_of(3) {
            let message = || format!("has {}, which make no whole triangles", surface.vertices.len());
            findings.add(&CORNERS, || field_path!["surfaces", place, "vertices"], message);
        }
    }
}

/// The bounds of nothing are inside out on purpose.
fn inside_out(bounds: &Bounds, path: impl FnOnce() -> FieldPath, findings: &mut Findings) {
    let turned = bounds.min.iter().zip(bounds.max).any(|(min, max)| *min > max);
    if turned && *bounds != Bounds::NOTHING {
        findings.add(&BOUNDS, path, || "are turned inside out".into());
    }
}
