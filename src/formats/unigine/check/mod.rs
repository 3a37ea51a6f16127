//! Applies the rules of `rules.rs`.

use self::skeleton::check_reference;
use super::literal;
use super::rules::{
    BONE_NAME, BOUNDS, CORNERS, COUNT, NAME_END, OFFSETS, PACKED, PARENT, PARENT_CYCLE, PARENT_ORDER,
    SURFACE_NAME, UNIT, ZERO,
};
use super::{
    Bone, Bounds, Geometry, Geometry15, GeometryView, Mesh, Mesh14, Mesh15, Name, OffsetErrors, PackedTree,
    RawMesh, SkinnedMesh, Transform, UnigineMesh,
};
use crate::check::common::{
    ParentRules, QuaternionRules, count, counted, field_path, parents, quaternion, quoted, unique,
};
use crate::check::{Check, Findings, ListedBones, Repair};
use crate::schema::Step;
use crate::wire::{Counter, LenStr};
use crate::{Error, FieldPath, Result};

mod animation;
mod geometry;
mod set;
mod skeleton;
mod tree;

pub(in crate::formats) use set::{check_references, check_set};

const PARENTS: ParentRules = ParentRules { range: &PARENT, cycle: &PARENT_CYCLE, order: &PARENT_ORDER };
const ROTATIONS: QuaternionRules = QuaternionRules { zero: &ZERO, unit: &UNIT };

impl crate::sealed::Sealed for UnigineMesh {}

impl Check for UnigineMesh {
    fn bone_list(&self) -> Result<Option<ListedBones>> {
        Ok(Some(ListedBones::defined(self.bones().iter().map(|bone| bone.name.text()))))
    }

    literal::methods!();

    fn check(&self, findings: &mut Findings) {
        literal::check_markers(self, findings);
        match self {
            Self::Mesh(mesh) => check_mesh(mesh, findings),
            Self::Mesh14(mesh) => check_mesh14(mesh, findings),
            Self::Mesh15(mesh) => check_mesh15(mesh, findings),
            Self::SkinnedMesh(mesh) => check_skinned(mesh, findings),
            Self::RawMesh(mesh) => check_raw_mesh(mesh, findings),
        }
    }
}

/// Checks that the last byte of a name is a NUL.
fn check_name_end<C: Counter>(
    name: &LenStr<C, true>,
    path: impl FnOnce() -> FieldPath,
    findings: &mut Findings,
) {
    if name.stored().last().is_some_and(|last| *last != 0) {
        findings.add(&NAME_END, path, || format!("{} has no NUL", quoted(name.stored())));
    }
}

fn check_skeleton(bones: &[Bone], transforms: &[Transform], findings: &mut Findings) {
    check_bones(bones, findings);
    check_pose("transforms", transforms, findings);
}

fn check_bones(bones: &[Bone], findings: &mut Findings) {
    unique(findings, &BONE_NAME, bones.iter().map(|bone| bone.name.text()), |bone| {
        field_path!["bones", bone, "name"]
    });
    for (at, bone) in bones.iter().enumerate() {
        check_name_end(&bone.name, || field_path!["bones", at, "name"], findings);
    }
    let above: Vec<_> =
        bones.iter().map(|bone| (bone.parent != -1).then_some(i64::from(bone.parent))).collect();
    parents(findings, &PARENTS, &above, |bone| field_path!["bones", bone, "parent"]);
}

fn check_pose(list: &'static str, transforms: &[Transform], findings: &mut Findings) {
    for (bone, transform) in transforms.iter().enumerate() {
        quaternion(findings, &ROTATIONS, transform.rotation, || field_path![list, bone, "rotation"]);
    }
}

fn check_mesh(mesh: &Mesh, findings: &mut Findings) {
    check_skeleton(&mesh.bones, &mesh.transforms, findings);
    let names = mesh.surfaces.iter().map(|surface| surface.name.text());
    unique(findings, &SURFACE_NAME, names, |surface| field_path!["surfaces", surface, "name"]);
    check_bounds(&mesh.bounds, || field_path!["bounds"], findings);
    for (place, (surface, geometry)) in mesh.surfaces.iter().zip(&mesh.geometry).enumerate() {
        check_name_end(&surface.name, || field_path!["surfaces", place, "name"], findings);
        let path = || field_path!["surfaces", place, "bounds"];
        check_bounds(&surface.bounds, path, findings);
        let geometry = geometry.view();
        geometry::check_bounds(&surface.bounds, &geometry, path, findings);
        geometry::check(&geometry, mesh.bones.len(), &field_path!["geometry", place], findings);
    }
    for (place, animation) in mesh.animations.iter().enumerate() {
        animation::check_mesh_animation(animation, mesh.bones.len(), place, findings);
    }
}

fn check_mesh14(mesh: &Mesh14, findings: &mut Findings) {
    check_skeleton(&mesh.bones, &mesh.transforms, findings);
    let surfaces = { mesh.surfaces.iter().zip(&mesh.geometry) }.map(|(surface, packed)| PackedSurface {
        name: &surface.name,
        bounds: &surface.bounds,
        geometry: packed.data.content().map(Geometry::view),
    });
    check_surfaces(&surfaces.collect::<Vec<_>>(), &mesh.bounds, mesh.bones.len(), findings);
    let corners = mesh.surfaces.iter().map(|surface| surface.num_coordinate_indices.value());
    check_trees(corners.zip(&mesh.trees), findings);
    check_offsets(&mesh.offset_errors, findings);
}

fn check_mesh15(mesh: &Mesh15, findings: &mut Findings) {
    let surfaces = { mesh.surfaces.iter().zip(&mesh.geometry) }.map(|(surface, packed)| PackedSurface {
        name: &surface.name,
        bounds: &surface.bounds,
        geometry: packed.data.content().map(Geometry15::view),
    });
    check_surfaces(&surfaces.collect::<Vec<_>>(), &mesh.bounds, 0, findings);
    let corners = mesh.surfaces.iter().map(|surface| surface.num_coordinate_indices.value());
    check_trees(corners.zip(&mesh.trees), findings);
    check_offsets(&mesh.offset_errors, findings);
}

fn check_skinned(mesh: &SkinnedMesh, findings: &mut Findings) {
    check_bones(&mesh.bones, findings);
    let joints = mesh.bones.len();
    for (list, pose) in [("binds", &mesh.binds), ("rests", &mesh.rests)] {
        check_pose(list, pose, findings);
        let there = || format!("there are {joints} joints");
        count(findings, &COUNT, (pose.len(), joints), || field_path![list], there);
    }
    check_reference(&mesh.skeleton, findings);
    let surfaces = { mesh.surfaces.iter().zip(&mesh.geometry) }.map(|(surface, packed)| PackedSurface {
        name: &surface.name,
        bounds: &surface.bounds,
        geometry: packed.data.content().map(Geometry::view),
    });
    check_surfaces(&surfaces.collect::<Vec<_>>(), &mesh.bounds, joints, findings);
    check_offsets(&mesh.offset_errors, findings);
}

/// A surface whose geometry is packed: ms14, ms15 and sk10.
struct PackedSurface<'a> {
    name: &'a Name,
    bounds: &'a Bounds,
    geometry: Result<GeometryView<'a>, &'a Error>,
}

fn check_surfaces(surfaces: &[PackedSurface<'_>], bounds: &Bounds, bones: usize, findings: &mut Findings) {
    let names = surfaces.iter().map(|surface| surface.name.text());
    unique(findings, &SURFACE_NAME, names, |surface| field_path!["surfaces", surface, "name"]);
    check_bounds(bounds, || field_path!["bounds"], findings);
    for (place, surface) in surfaces.iter().enumerate() {
        check_name_end(surface.name, || field_path!["surfaces", place, "name"], findings);
        let path = || field_path!["surfaces", place, "bounds"];
        check_bounds(surface.bounds, path, findings);
        match &surface.geometry {
            Ok(geometry) => {
                geometry::check_bounds(surface.bounds, geometry, path, findings);
                geometry::check(geometry, bones, &field_path!["geometry", place, Step::Inside], findings);
            }
            Err(error) => {
                findings.add(&PACKED, || field_path!["geometry", place, "data"], || error.message());
            }
        }
    }
}

/// Checks each tree against the number of coordinate indices of its surface.
fn check_trees<'a>(trees: impl Iterator<Item = (i64, &'a PackedTree)>, findings: &mut Findings) {
    for (place, (corners, tree)) in trees.enumerate() {
        match tree.data.content() {
            Ok(content) => {
                tree::check(content, corners, &field_path!["trees", place, "data", Step::Inside], findings);
            }
            Err(error) => findings.add(&PACKED, || field_path!["trees", place, "data"], || error.message()),
        }
    }
}

fn check_offsets(errors: &OffsetErrors, findings: &mut Findings) {
    for (place, error) in errors.as_slice().iter().enumerate().filter(|(_, error)| **error != 0) {
        findings.add(
            &OFFSETS,
            || field_path!["offsets", place],
            || {
                let direction = if *error < 0 { "low" } else { "high" };
                format!("is {} too {direction}", counted(error.unsigned_abs(), "byte"))
            },
        );
    }
}

fn check_raw_mesh(mesh: &RawMesh, findings: &mut Findings) {
    for (place, surface) in mesh.surfaces.iter().enumerate() {
        if !surface.vertices.len().is_multiple_of(3) {
            let message = || format!("has {}, not a multiple of 3", surface.vertices.len());
            findings.add(&CORNERS, || field_path!["surfaces", place, "vertices"], message);
        }
    }
}

/// Checks that bounds are not inverted, which only empty bounds may be.
fn check_bounds(bounds: &Bounds, path: impl FnOnce() -> FieldPath, findings: &mut Findings) {
    let is_inverted = bounds.min.iter().zip(bounds.max).any(|(min, max)| *min > max);
    if is_inverted && *bounds != Bounds::EMPTY {
        findings.add(&BOUNDS, path, || "are inverted".into());
    }
}
