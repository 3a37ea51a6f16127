//! Makes the remaining content of a truncated file consistent.

use super::{
    Anim10, Anim11, Anim12, Bone, CInt, Geometry, Key11, Mesh, Mesh14, Mesh15, PackedTree, RawMesh,
    SkinnedMesh, Table, Transform, UnigineAnim, UnigineMesh, UnigineSkeleton,
};
use crate::check::common::field_path;
use crate::rescue::{Losses, Rescue};
use crate::schema::Schema;
use crate::{Error, FieldPath, Result};

impl Rescue for UnigineMesh {
    /// Whether an sk10 lacks transforms, although its lists are complete.
    fn is_incomplete(&self) -> bool {
        let Self::SkinnedMesh(mesh) = self else { return false };
        mesh.bones.len() != mesh.binds.len() || mesh.bones.len() != mesh.rests.len()
    }

    fn reconcile(&mut self, losses: &mut Losses) -> Result<()> {
        match self {
            Self::Mesh(own) => mesh(own, losses),
            Self::Mesh14(own) => mesh14(own, losses),
            Self::Mesh15(own) => mesh15(own, losses),
            Self::SkinnedMesh(own) => skinned_mesh(own, losses),
            Self::RawMesh(own) => raw_mesh(own, losses),
        }
        Ok(())
    }
}

impl Rescue for UnigineAnim {
    fn reconcile(&mut self, losses: &mut Losses) -> Result<()> {
        match self {
            Self::Anim10(anim) => anim10(anim, losses),
            Self::Anim11(anim) => anim11(anim, losses),
            Self::Anim12(anim) => anim12(anim, losses),
        }
        Ok(())
    }
}

impl Rescue for UnigineSkeleton {
    fn reconcile(&mut self, losses: &mut Losses) -> Result<()> {
        unigine_skeleton(self, losses);
        Ok(())
    }
}

/// Cuts two lists to the length of the shorter one.
fn equalize<A, B>(
    (name, list): (&'static str, &mut Vec<A>),
    (other_name, other): (&'static str, &mut Vec<B>),
    losses: &mut Losses,
) {
    let len = list.len().min(other.len());
    let message = "removed: the counterpart is lost";
    losses.add_count(field_path![name], list.len() - len, message);
    losses.add_count(field_path![other_name], other.len() - len, message);
    list.truncate(len);
    other.truncate(len);
}

/// Makes one transform of each bone, and each parent a bone.
fn skeleton(bones: &mut Vec<Bone>, transforms: &mut Vec<Transform>, losses: &mut Losses) {
    equalize(("bones", &mut *bones), ("transforms", transforms), losses);
    hierarchy(bones, losses);
}

fn hierarchy(bones: &mut [Bone], losses: &mut Losses) {
    let len = bones.len();
    for (at, bone) in bones.iter_mut().enumerate() {
        if bone.parent != -1 && usize::try_from(bone.parent).map_or(true, |parent| parent >= len) {
            losses.add(
                field_path!["bones", at, "parent"],
                format!("is {}, which is lost; now -1", bone.parent),
            );
            bone.parent = -1;
        }
    }
}

/// Removes the last element of a list if it is incomplete.
fn remove_incomplete<T>(name: &'static str, list: &mut Vec<T>, losses: &mut Losses) {
    if let Some(last) = list.len().checked_sub(1)
        && losses.has_within(&field_path![name, last])
    {
        losses.add(field_path![name, last], "is removed: it is incomplete");
        list.pop();
    }
}

/// Cuts the triangles of the last geometry to whole ones. Returns whether it has some, and everything else.
fn cut_triangles(geometry: &mut [Geometry], losses: &mut Losses) -> bool {
    const CORNERS: [&str; 2] = ["coordinate_indices", "triangle_indices"];
    let Some((last, own)) = geometry.iter_mut().enumerate().next_back() else { return false };
    let paths = CORNERS.map(|list| field_path!["geometry", last, list]);
    let is_of_corners = |path: &FieldPath| paths.iter().any(|own| path.steps().starts_with(own.steps()));
    let geometry = field_path!["geometry", last];
    if !losses.has_within(&geometry) || !losses.within(&geometry).all(|loss| is_of_corners(&loss.path)) {
        return false;
    }
    let corners = [&mut own.coordinate_indices, &mut own.triangle_indices];
    let whole = corners.iter().map(|own| own.len()).min().unwrap_or(0) / 3 * 3;
    for (path, own) in paths.into_iter().zip(corners) {
        losses.add_count(path, own.len() - whole, "removed: not a part of a whole triangle");
        own.truncate(whole);
    }
    whole > 0
}

fn mesh(mesh: &mut Mesh, losses: &mut Losses) {
    skeleton(&mut mesh.bones, &mut mesh.transforms, losses);
    let before = mesh.animations.len();
    mesh.animations.retain(|animation| animation.frames.columns() == animation.bone_indices.len());
    losses.add_count(field_path!["animations"], before - mesh.animations.len(), "removed: incomplete");
    if let Some(names) = &mut mesh.animation_names {
        equalize(("animation_names", &mut *names), ("animations", &mut mesh.animations), losses);
    }
    if !cut_triangles(&mut mesh.geometry, losses) {
        remove_incomplete("geometry", &mut mesh.geometry, losses);
    }
    equalize(("surfaces", &mut *mesh.surfaces), ("geometry", &mut mesh.geometry), losses);
    (mesh.middle_id, mesh.tail_id) = (mesh.id, mesh.id);
}

fn mesh14(mesh: &mut Mesh14, losses: &mut Losses) {
    skeleton(&mut mesh.bones, &mut mesh.transforms, losses);
    let removed = packed(&mut mesh.surfaces, (&mut mesh.geometry, |own| own.data.content().err()), losses);
    packed_trees(&mut mesh.trees, &removed, mesh.surfaces.len(), losses);
    [mesh.middle_id, mesh.trees_id, mesh.offsets_id, mesh.tail_id] = [mesh.id; 4];
    mesh.offset_errors.clear();
}

fn mesh15(mesh: &mut Mesh15, losses: &mut Losses) {
    let removed = packed(&mut mesh.surfaces, (&mut mesh.geometry, |own| own.data.content().err()), losses);
    packed_trees(&mut mesh.trees, &removed, mesh.surfaces.len(), losses);
    [mesh.middle_id, mesh.trees_id, mesh.offsets_id, mesh.tail_id] = [mesh.id; 4];
    mesh.offset_errors.clear();
}

/// A joint whose rest pose is lost rests in its bind pose.
fn skinned_mesh(mesh: &mut SkinnedMesh, losses: &mut Losses) {
    skeleton(&mut mesh.bones, &mut mesh.binds, losses);
    let (joints, rests) = (mesh.binds.len(), &mut *mesh.rests);
    losses.add_count(field_path!["rests"], rests.len().saturating_sub(joints), "removed: the joint is lost");
    rests.truncate(joints);
    losses.add_count(field_path!["rests"], joints - rests.len(), "replaced with the bind pose");
    rests.extend_from_slice(&mesh.binds[rests.len()..]);
    packed(&mut mesh.surfaces, (&mut mesh.geometry, |own| own.data.content().err()), losses);
    [mesh.middle_id, mesh.offsets_id, mesh.tail_id] = [mesh.id; 3];
    mesh.offset_errors.clear();
}

/// Removes surfaces whose geometry is lost or does not unpack. Returns their indices, the last one first.
fn packed<S, G>(
    surfaces: &mut Vec<S>,
    (geometry, error_of): (&mut Vec<G>, impl Fn(&G) -> Option<&Error>),
    losses: &mut Losses,
) -> Vec<usize> {
    equalize(("surfaces", &mut *surfaces), ("geometry", &mut *geometry), losses);
    let mut removed = Vec::new();
    for at in (0..geometry.len()).rev() {
        if let Some(error) = error_of(&geometry[at]) {
            losses.add(field_path!["geometry", at], format!("is removed: {}", error.message()));
            losses.add(field_path!["surfaces", at], "is removed: its geometry is lost");
            surfaces.remove(at);
            geometry.remove(at);
            removed.push(at);
        }
    }
    removed
}

/// Removes the trees of surfaces that are removed, and empties trees that are lost or do not unpack.
fn packed_trees(trees: &mut Vec<PackedTree>, removed: &[usize], surfaces: usize, losses: &mut Losses) {
    for at in removed.iter().copied().filter(|at| *at < trees.len()).collect::<Vec<_>>() {
        losses.add(field_path!["trees", at], "is removed: its geometry is lost");
        trees.remove(at);
    }
    for (at, tree) in trees.iter_mut().enumerate() {
        if let Err(error) = tree.data.content() {
            losses
                .add(field_path!["trees", at], format!("is replaced with an empty one: {}", error.message()));
            *tree = PackedTree::blank(None);
        }
    }
    trees.truncate(surfaces);
    losses.add_count(field_path!["trees"], surfaces - trees.len(), "replaced with an empty one");
    trees.resize_with(surfaces, || PackedTree::blank(None));
}

/// Cuts the vertices to complete triangles.
fn raw_mesh(mesh: &mut RawMesh, losses: &mut Losses) {
    for (at, surface) in mesh.surfaces.iter_mut().enumerate() {
        let whole = surface.vertices.len() / 3 * 3;
        let surplus = surface.vertices.len() - whole;
        let path = field_path!["surfaces", at, "vertices"];
        losses.add_count(path, surplus, "removed: not a part of a whole triangle");
        surface.vertices.truncate(whole);
    }
}

fn anim10(anim: &mut Anim10, losses: &mut Losses) {
    skeleton(&mut anim.bones, &mut anim.transforms, losses);
    let before = anim.animations.len();
    anim.animations.retain(|animation| animation.frames.columns() == animation.bone_indices.len());
    losses.add_count(field_path!["animations"], before - anim.animations.len(), "removed: incomplete");
    equalize(("names", &mut *anim.names), ("animations", &mut anim.animations), losses);
    (anim.middle_id, anim.tail_id) = (anim.id, anim.id);
}

fn anim11(anim: &mut Anim11, losses: &mut Losses) {
    skeleton(&mut anim.bones, &mut anim.transforms, losses);
    keys(&anim.bone_indices, &mut anim.frames, losses);
    (anim.middle_id, anim.tail_id) = (anim.id, anim.id);
}

fn anim12(anim: &mut Anim12, losses: &mut Losses) {
    hierarchy(&mut anim.bones, losses);
    keys(&anim.bone_indices, &mut anim.frames, losses);
    (anim.middle_id, anim.tail_id) = (anim.id, anim.id);
}

fn keys(bone_indices: &[i16], frames: &mut Table<CInt, Key11>, losses: &mut Losses) {
    if frames.columns() != bone_indices.len() {
        losses.add(field_path!["frames"], "are removed: they are incomplete");
        *frames = Table::new(bone_indices.len());
    }
}

/// Lists with a value for each joint that lost some of them are removed: the file is valid without them.
fn unigine_skeleton(file: &mut UnigineSkeleton, losses: &mut Losses) {
    skeleton(&mut file.bones, &mut file.transforms, losses);
    let joints = file.bones.len();
    let lists = [
        ("masks", &mut file.masks),
        ("time_profiles", &mut file.time_profiles),
        ("weight_profiles", &mut file.weight_profiles),
    ];
    for (name, list) in lists {
        let before = list.len();
        list.retain(|own| own.values.len() == joints);
        losses.add_count(field_path![name], before - list.len(), "removed: incomplete");
    }
    if file.retarget.len() != joints {
        losses.add_count(field_path!["retarget"], file.retarget.len(), "removed: the others are lost");
        file.retarget.clear();
    }
    (file.middle_id, file.tail_id) = (file.id, file.id);
}
