//! Removes bones and animations.

use std::collections::HashMap;

use glam::{Quat, Vec3};

use super::transform::{Columns, each_row};
use super::{
    AnimationName, Bone, CInt, Influence, Key, Key11, KeyFlags, PackedGeometry, Table, Transform,
    UnigineAnim, UnigineMesh, UnigineSkeleton, VertexWeights,
};
use crate::check::common::field_path;
use crate::edit::{Entity, RemovedNames, Rigid, in_use, unsupported};
use crate::hierarchy::Removal;
use crate::schema::{self, Schema, Value};
use crate::wire::{Counted, List, SmallList, Wire};
use crate::{Error, ErrorKind, File, Result};

/// Removes clips from meshes and animations.
#[expect(clippy::unnecessary_wraps, reason = "other families can refuse")]
pub(in crate::formats) fn remove_many(
    files: &mut [File],
    entity: Entity,
    removed_names: &mut RemovedNames,
) -> Result<()> {
    for file in files.iter_mut().filter(|_| entity == Entity::Clip) {
        match file {
            File::UnigineMesh(own) => {
                let UnigineMesh::Mesh(mesh) = &mut **own else { continue };
                let Some(names) = &mut mesh.animation_names else { continue };
                remove_clips(names, &mut mesh.animations, removed_names);
            }
            File::UnigineAnim(own) => {
                let UnigineAnim::Anim10(anim) = &mut **own else { continue };
                remove_clips(&mut anim.names, &mut anim.animations, removed_names);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Keeps the file of the skeleton of a mesh.
pub(in crate::formats) fn keep_references(file: &mut File, original: &File) {
    if let (File::UnigineMesh(own), File::UnigineMesh(original)) = (file, original)
        && let (UnigineMesh::SkinnedMesh(own), UnigineMesh::SkinnedMesh(original)) = (&mut **own, &**original)
    {
        own.skeleton = original.skeleton.clone();
    }
}

/// Removes bones from meshes and animations.
pub(in crate::formats) fn remove(files: &mut [File], entity: Entity, name: &[u8]) -> Result<usize> {
    let poses = if entity == Entity::Bone { rest_poses(files) } else { HashMap::new() };
    let mut removed = 0;
    for file in files {
        while match (&mut *file, entity) {
            (File::UnigineMesh(mesh), Entity::Bone) => mesh_bone(mesh, name)?,
            (File::UnigineAnim(anim), Entity::Bone) => anim_bone(anim, name, &poses)?,
            (File::UnigineSkeleton(skeleton), Entity::Bone) => skeleton_bone(skeleton, name)?,
            _ => false,
        } {
            removed += 1;
        }
    }
    Ok(removed)
}

fn mesh_bone(mesh: &mut UnigineMesh, name: &[u8]) -> Result<bool> {
    match mesh {
        UnigineMesh::Mesh(mesh) => {
            let binds = mesh.transforms.clone();
            let Some(removal) = reparent_children(&mut mesh.bones, [&mut mesh.transforms], name)? else {
                return Ok(false);
            };
            for geometry in mesh.geometry.iter_mut() {
                give_weights(&mut geometry.weights, &removal, name)?;
            }
            for own in mesh.animations.iter_mut() {
                let columns = Columns::new(&own.bone_indices, &binds, &[]);
                columns.inherit(&mut own.frames, &mut own.mask, &own.bone_indices, &removal)?;
                drop_column(&mut own.bone_indices, &mut own.frames, &removal)?;
                follow_mask(&mut own.mask, &own.frames);
            }
            drop_bone(mesh, &removal)
        }
        UnigineMesh::Mesh14(mesh) => {
            let Some(removal) = reparent_children(&mut mesh.bones, [&mut mesh.transforms], name)? else {
                return Ok(false);
            };
            give_packed(&mut mesh.geometry, &removal, name)?;
            drop_bone(mesh, &removal)
        }
        UnigineMesh::SkinnedMesh(mesh) => {
            let poses = [&mut *mesh.binds, &mut mesh.rests];
            let Some(removal) = reparent_children(&mut mesh.bones, poses, name)? else { return Ok(false) };
            give_packed(&mut mesh.geometry, &removal, name)?;
            drop_bone(mesh, &removal)
        }
        UnigineMesh::Mesh15(_) | UnigineMesh::RawMesh(_) => Ok(false),
    }
}

/// The poses of joints without an animation by name; none where files differ.
type RestPoses = HashMap<Vec<u8>, Option<Transform>>;

/// Returns the poses of joints, which an12 files do not contain: those of meshes, or else of skeletons.
fn rest_poses(files: &[File]) -> RestPoses {
    let in_meshes = files.iter().filter_map(|file| {
        let File::UnigineMesh(mesh) = file else { return None };
        let UnigineMesh::SkinnedMesh(mesh) = &**mesh else { return None };
        Some((&mesh.bones[..], &mesh.rests[..]))
    });
    let in_skeletons = files.iter().filter_map(|file| {
        let File::UnigineSkeleton(own) = file else { return None };
        Some((&own.bones[..], &own.transforms[..]))
    });
    let agreed = |all: &mut dyn Iterator<Item = (&Bone, &Transform)>| {
        let mut poses = RestPoses::new();
        for (bone, pose) in all {
            let known = poses.entry(bone.name.text().to_vec()).or_insert_with(|| Some(pose.clone()));
            if known.as_ref().is_some_and(|known| !known.is_near(pose)) {
                *known = None;
            }
        }
        poses
    };
    let mut poses = agreed(&mut in_skeletons.flat_map(|(bones, poses)| bones.iter().zip(poses)));
    poses.extend(agreed(&mut in_meshes.flat_map(|(bones, poses)| bones.iter().zip(poses))));
    poses
}

impl Transform {
    /// Returns whether two poses are the same, up to the rounding of exporters.
    fn is_near(&self, other: &Self) -> bool {
        let near = |one: &[f32], other: &[f32]| {
            one.iter().zip(other).all(|(one, other)| (one - other).abs() <= 1e-3 * one.abs().max(1.0))
        };
        near(&self.position, &other.position)
            && (near(&self.rotation, &other.rotation)
                || near(&self.rotation, &other.rotation.map(|own| -own)))
            && near(&self.scale, &other.scale)
    }
}

fn anim_bone(anim: &mut UnigineAnim, name: &[u8], poses: &RestPoses) -> Result<bool> {
    match anim {
        UnigineAnim::Anim10(anim) => {
            let binds = anim.transforms.clone();
            let Some(removal) = reparent_children(&mut anim.bones, [&mut anim.transforms], name)? else {
                return Ok(false);
            };
            for own in anim.animations.iter_mut() {
                let (columns, bones) =
                    (Columns::new(&own.bone_indices, &binds, &[]), own.bone_indices.to_vec());
                own.with_floats(|frames, mask| columns.inherit(frames, mask, &bones, &removal))?;
                drop_column(&mut own.bone_indices, &mut own.frames, &removal)?;
                follow_mask(&mut own.mask, &own.frames);
            }
            drop_bone(anim, &removal)
        }
        UnigineAnim::Anim11(anim) => {
            let binds = anim.transforms.clone();
            let Some(removal) = reparent_children(&mut anim.bones, [&mut anim.transforms], name)? else {
                return Ok(false);
            };
            inherit_frames(&anim.bone_indices, &mut anim.frames, &binds, &removal)?;
            drop_column(&mut anim.bone_indices, &mut anim.frames, &removal)?;
            drop_bone(anim, &removal)
        }
        UnigineAnim::Anim12(anim) => {
            // Of two joints with a name, the pose is unknown, as is that of their children when the first one is removed.
            let is_unique = anim.bones.iter().filter(|own| own.name.text() == name).count() == 1;
            let pose = |own: &Bone| poses.get(own.name.text()).filter(|_| is_unique).cloned().flatten();
            let known: Vec<Option<Transform>> = anim.bones.iter().map(pose).collect();
            let binds: Vec<Transform> = known.iter().map(|own| own.clone().unwrap_or_default()).collect();
            let Some(removal) = reparent_children(&mut anim.bones, [&mut binds.clone()], name)? else {
                return Ok(false);
            };
            let is_animated =
                |bone: &usize| anim.bone_indices.iter().any(|own| usize::try_from(*own) == Ok(*bone));
            let touched = || std::iter::once(&removal.bone).chain(&removal.children);
            if touched().any(is_animated) {
                if !touched().all(|bone| is_animated(bone) || known[*bone].is_some()) {
                    let differs = |bone: usize| poses.get(anim.bones[bone].name.text()) == Some(&None);
                    return Err(unsupported(if touched().any(|bone| differs(*bone)) {
                        "the bind pose, which the keys of its children need, differs in the files; give each animation with its own mesh or skeleton only"
                    } else {
                        "the bind pose, which the keys of its children need, is in another file"
                    }));
                }
                inherit_frames(&anim.bone_indices, &mut anim.frames, &binds, &removal)?;
            }
            drop_column(&mut anim.bone_indices, &mut anim.frames, &removal)?;
            drop_bone(anim, &removal)
        }
    }
}

fn skeleton_bone(skeleton: &mut UnigineSkeleton, name: &[u8]) -> Result<bool> {
    let count = skeleton.bones.len();
    let Some(removal) = reparent_children(&mut skeleton.bones, [&mut skeleton.transforms], name)? else {
        return Ok(false);
    };
    let lists = [&mut skeleton.masks, &mut skeleton.time_profiles, &mut skeleton.weight_profiles];
    for own in lists.into_iter().flat_map(|list| list.iter_mut()).filter(|own| own.values.len() == count) {
        own.values.remove(removal.bone);
    }
    if skeleton.retarget.len() == count {
        skeleton.retarget.remove(removal.bone);
    }
    drop_bone(skeleton, &removal)
}

/// Removes animations with their names.
fn remove_clips<T>(
    names: &mut Counted<CInt, AnimationName>,
    animations: &mut List<T>,
    removed_names: &mut RemovedNames,
) {
    let is_gone: Vec<_> = names.iter().map(|own| removed_names.contains(own.name.text())).collect();
    let gone = names.iter().zip(&is_gone).filter(|(_, is_gone)| **is_gone);
    gone.for_each(|(own, _)| removed_names.count(own.name.text()));
    let mut of_names = is_gone.iter();
    names.retain(|_| of_names.next() != Some(&true));
    let mut of_animations = is_gone.iter();
    animations.retain(|_| of_animations.next() != Some(&true));
}

/// Gives the children of a bone their new parent, and their new place in each pose.
fn reparent_children<const N: usize>(
    bones: &mut [Bone],
    poses: [&mut Vec<Transform>; N],
    name: &[u8],
) -> Result<Option<Removal>> {
    let Some(bone) = bones.iter().position(|own| own.name.text() == name) else { return Ok(None) };
    if poses.iter().any(|pose| pose.len() != bones.len()) {
        return Err(unsupported("the file does not have a transform for each bone; rescue it first"));
    }
    let parents: Vec<_> = bones.iter().map(|own| usize::try_from(own.parent).ok()).collect();
    let removal = Removal::of(&parents, bone);
    for pose in poses {
        for (child, place) in inherited(&removal, |bone| pose[bone].clone())? {
            pose[child] = place;
        }
    }
    for child in &removal.children {
        let parent = removal.parent(*child).and_then(|parent| i16::try_from(parent).ok());
        bones[*child].parent = parent.unwrap_or(-1);
    }
    Ok(Some(removal))
}

/// Removes a bone, to which only the indices of its pose are left; the other indices follow.
fn drop_bone(file: &mut dyn Value, removal: &Removal) -> Result<bool> {
    Ok(schema::remove(file, &[field_path!["bones", removal.bone]])? > 0)
}

/// Returns the error of a packed part that an edit needs with its place.
pub(super) fn not_unpacked(error: Error, list: &'static str, index: usize) -> Error {
    if !matches!(error.kind(), ErrorKind::Unknown(_)) {
        return error;
    }
    let why = format!("cannot be unpacked: {}", error.message());
    Error::new(0, ErrorKind::Value(why.into())).at(field_path![list, index, "data"])
}

fn give_packed(parts: &mut [PackedGeometry], removal: &Removal, name: &[u8]) -> Result<()> {
    for (index, part) in parts.iter_mut().enumerate() {
        let mut followed = Ok(());
        part.data
            .edit(|geometry| followed = give_weights(&mut geometry.weights, removal, name))
            .map_err(|error| not_unpacked(error, "geometry", index))?;
        followed?;
    }
    Ok(())
}

/// Gives weights to the heir.
fn give_weights(weights: &mut Counted<CInt, VertexWeights>, removal: &Removal, name: &[u8]) -> Result<()> {
    for vertex in weights.iter_mut() {
        let mut kept: Vec<Influence> = Vec::with_capacity(vertex.influences.len());
        for own in vertex.influences.iter() {
            let index = usize::try_from(own.bone).ok();
            let is_affected = index.is_some() && (index == Some(removal.bone) || index == removal.heir);
            let heir = removal.heir.and_then(|heir| i16::try_from(heir).ok()).filter(|_| is_affected);
            if is_affected && heir.is_none() {
                return Err(in_use(Entity::Bone, name, 1, "vertex"));
            }
            let bone = heir.unwrap_or(own.bone);
            match kept.iter_mut().find(|other| is_affected && other.bone == bone) {
                Some(other) => other.weight = other.weight.saturating_add(own.weight),
                None => kept.push(Influence { bone, ..*own }),
            }
        }
        if let Some(kept) = SmallList::new(kept) {
            vertex.influences = kept;
        }
    }
    Ok(())
}

/// Returns the new places of the children of a bone in a frame, given the transforms of bones. The bone must not be scaled, nor
/// the child that takes the place of a root.
pub(super) fn inherited(
    removal: &Removal,
    transform: impl Fn(usize) -> Transform,
) -> Result<Vec<(usize, Transform)>> {
    let is_scaled = |bone: usize| {
        // Quantised scales are rounded.
        !Vec3::from(transform(bone).scale).abs_diff_eq(Vec3::ONE, 1e-3)
    };
    if !removal.children.is_empty() && (is_scaled(removal.bone) || removal.successor().is_some_and(is_scaled))
    {
        return Err(unsupported("the bone is scaled, and its children cannot inherit its scale"));
    }
    let local = |bone: usize| {
        let own = transform(bone);
        Rigid::new(own.position, Quat::from_array(own.rotation))
    };
    let place = |child: &usize| {
        let new = removal.local(*child, local);
        let scale = transform(*child).scale;
        (*child, Transform { position: new.translation.into(), rotation: new.rotation.to_array(), scale })
    };
    Ok(removal.children.iter().map(place).collect())
}

/// Gives the children of a bone their new places in all frames.
fn inherit_frames(
    bone_indices: &[i16],
    frames: &mut Table<CInt, Key11>,
    binds: &[Transform],
    removal: &Removal,
) -> Result<()> {
    let columns = columns(bone_indices);
    let column = |bone: usize| columns.get(&bone).copied();
    follows(removal, |bone| column(bone).is_some())?;
    let mut inherits = Ok(());
    each_row(frames, |_, row| {
        let bind = |bone: usize| binds.get(bone).cloned().unwrap_or_default();
        let transform = |bone: usize| column(bone).map_or_else(|| bind(bone), |at| row[at].transform());
        match inherited(removal, transform) {
            Ok(places) => {
                let moved = places.into_iter().filter_map(|(child, place)| Some((column(child)?, place)));
                moved.for_each(|(at, place)| row[at].set_place(&place));
            }
            Err(error) => inherits = Err(error),
        }
    })?;
    inherits
}

/// Returns the column of the keys of each bone.
pub(super) fn columns(bone_indices: &[i16]) -> HashMap<usize, usize> {
    let mut columns = HashMap::new();
    for (column, bone) in bone_indices.iter().enumerate() {
        if let Ok(bone) = usize::try_from(*bone) {
            columns.entry(bone).or_insert(column);
        }
    }
    columns
}

/// Checks that all children of an animated bone are animated: only they can inherit its keys.
pub(super) fn follows(removal: &Removal, is_animated: impl Fn(usize) -> bool) -> Result<()> {
    let moves = is_animated(removal.bone) || removal.successor().is_some_and(&is_animated);
    if moves && !removal.children.iter().all(|child| is_animated(*child)) {
        return Err(unsupported("a child of the bone has no keys, so it cannot inherit those of the bone"));
    }
    Ok(())
}

/// Removes the column of the bone from the keys.
fn drop_column<T: Schema + Wire + Clone>(
    bone_indices: &mut Counted<CInt, i16>,
    frames: &mut Table<CInt, T>,
    removal: &Removal,
) -> Result<()> {
    let is_kept: Vec<_> = bone_indices.iter().map(|own| usize::try_from(*own) != Ok(removal.bone)).collect();
    if !is_kept.contains(&false) {
        return Ok(());
    }
    if !is_kept.contains(&true) && !frames.is_empty() {
        return Err(unsupported("no other bone is animated"));
    }
    let mut at = is_kept.iter();
    bone_indices.retain(|_| at.next().is_some_and(|is_kept| *is_kept));
    let mut kept = Table::new(bone_indices.len());
    if !bone_indices.is_empty() {
        for row in 0..frames.len() {
            kept.push(frames.row(row).zip(&is_kept).filter(|(_, is_kept)| **is_kept).map(|(cell, _)| cell))?;
        }
    }
    *frames = kept;
    Ok(())
}

/// Sets the mask to the union of the flags of all keys.
pub(super) fn follow_mask<T: Wire + Clone>(mask: &mut KeyFlags, frames: &Table<CInt, Key<T>>)
where
    Key<T>: Schema + Wire,
{
    let keys = (0..frames.len()).flat_map(|row| frames.row(row));
    *mask = KeyFlags::from_raw(keys.fold(0, |all, key| all | key.flags.raw()));
}
