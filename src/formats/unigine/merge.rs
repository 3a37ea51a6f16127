//! Merges meshes and animations of one skeleton.

use std::collections::HashSet;

use glam::{Quat, Vec3};

use super::edit::columns;
use super::{
    Anim10, Anim11, Anim12, Bone, Bounds, CInt, Key11, Mesh, Mesh14, Mesh15, SkinnedMesh, Table, Transform,
    UnigineAnim, UnigineMesh,
};
use crate::edit::{Entity, Places, Rigid, duplicate, unmatched, unsupported};
use crate::hierarchy::by_name;
use crate::schema::{Moves, Value};
use crate::wire::escape;
use crate::{File, Result};

const SURFACE: &str = "surface";
const VERSIONS: &str = "the files have different versions";

/// Appends surfaces and animations; bones are matched by name.
pub(in crate::formats) fn merge(file: &mut File, other: &File) -> Result<bool> {
    match (file, other) {
        (File::UnigineMesh(file), File::UnigineMesh(other)) => match (&mut **file, &**other) {
            (UnigineMesh::Mesh(own), UnigineMesh::Mesh(other)) if own.id == other.id => own.merge(other)?,
            (UnigineMesh::Mesh14(own), UnigineMesh::Mesh14(other)) => own.merge(other)?,
            (UnigineMesh::Mesh15(own), UnigineMesh::Mesh15(other)) => own.merge(other)?,
            (UnigineMesh::SkinnedMesh(own), UnigineMesh::SkinnedMesh(other)) => own.merge(other)?,
            (UnigineMesh::RawMesh(own), UnigineMesh::RawMesh(other)) => {
                different_names(SURFACE, &own.surfaces[..], &other.surfaces[..], |own| own.name.text())?;
                own.surfaces.extend(other.surfaces.iter().cloned());
            }
            _ => return Err(unsupported(VERSIONS)),
        },
        (File::UnigineAnim(file), File::UnigineAnim(other)) => match (&mut **file, &**other) {
            (UnigineAnim::Anim10(own), UnigineAnim::Anim10(other)) => own.merge(other)?,
            (UnigineAnim::Anim11(own), UnigineAnim::Anim11(other)) => own.merge(other)?,
            (UnigineAnim::Anim12(own), UnigineAnim::Anim12(other)) => own.merge(other)?,
            _ => return Err(unsupported(VERSIONS)),
        },
        _ => return Ok(false),
    }
    Ok(true)
}

impl Mesh {
    fn merge(&mut self, other: &Self) -> Result<()> {
        let bones = same_bones((&self.bones, &self.transforms), (&other.bones, &other.transforms))?;
        different_names(SURFACE, &self.surfaces[..], &other.surfaces[..], |own| own.name.text())?;
        if let (Some(own), Some(added)) = (&mut self.animation_names, &other.animation_names) {
            different_names(Entity::Clip.name(), own.iter(), added.iter(), |own| own.name.text())?;
            own.extend(added.iter().cloned());
        }
        let mut added = placed(other, bones, self.bones.len())?;
        self.animations.append(&mut added.animations);
        self.geometry.append(&mut added.geometry);
        self.surfaces.append(&mut added.surfaces);
        self.bounds = around(&self.bounds, &other.bounds);
        Ok(())
    }
}

impl Mesh14 {
    fn merge(&mut self, other: &Self) -> Result<()> {
        let bones = same_bones((&self.bones, &self.transforms), (&other.bones, &other.transforms))?;
        different_names(SURFACE, &self.surfaces[..], &other.surfaces[..], |own| own.name.text())?;
        let mut added = placed(other, bones, self.bones.len())?;
        self.geometry.append(&mut added.geometry);
        self.surfaces.append(&mut added.surfaces);
        self.trees.extend(other.trees.iter().cloned());
        self.bounds = around(&self.bounds, &other.bounds);
        self.memory = self.memory.saturating_add(other.memory);
        Ok(())
    }
}

impl SkinnedMesh {
    fn merge(&mut self, other: &Self) -> Result<()> {
        if self.skeleton != other.skeleton {
            return Err(unsupported("the meshes name different skeletons"));
        }
        let bones = same_bones((&self.bones, &self.binds), (&other.bones, &other.binds))?;
        same_bones((&self.bones, &self.rests), (&other.bones, &other.rests))
            .map_err(|_| unsupported("the meshes differ in their rest poses"))?;
        different_names(SURFACE, &self.surfaces[..], &other.surfaces[..], |own| own.name.text())?;
        let mut added = placed(other, bones, self.bones.len())?;
        self.geometry.append(&mut added.geometry);
        self.surfaces.append(&mut added.surfaces);
        self.bounds = around(&self.bounds, &other.bounds);
        self.memory = self.memory.saturating_add(other.memory);
        Ok(())
    }
}

/// Returns a file whose indices are those of the bones of the first file.
fn placed<T: Value + Clone>(other: &T, bones: Vec<usize>, len: usize) -> Result<T> {
    let mut other = other.clone();
    Moves::new().placed("bone", bones, len).apply(&mut other)?;
    Ok(other)
}

impl Mesh15 {
    fn merge(&mut self, other: &Self) -> Result<()> {
        different_names(SURFACE, &self.surfaces[..], &other.surfaces[..], |own| own.name.text())?;
        self.surfaces.extend(other.surfaces.iter().cloned());
        self.geometry.extend(other.geometry.iter().cloned());
        self.trees.extend(other.trees.iter().cloned());
        self.bounds = around(&self.bounds, &other.bounds);
        self.memory = self.memory.saturating_add(other.memory);
        Ok(())
    }
}

impl Anim10 {
    fn merge(&mut self, other: &Self) -> Result<()> {
        let moved: Vec<_> = other.animations.iter().map(|own| columns(&own.bone_indices)).collect();
        let is_moved = |bone: usize| moved.iter().all(|own| own.contains_key(&bone));
        let own = (&self.bones[..], &self.transforms[..]);
        let added = (&other.bones[..], &other.transforms[..]);
        let bones = animated_bones(own, added, is_moved)?;
        different_names(Entity::Clip.name(), self.names.iter(), other.names.iter(), |own| own.name.text())?;
        self.names.extend(other.names.iter().cloned());
        let mut added = placed(other, bones, self.bones.len())?;
        self.animations.append(&mut added.animations);
        self.bounds = around(&self.bounds, &other.bounds);
        Ok(())
    }
}

impl Anim11 {
    /// The file has one animation, without a name: it gets the keys of further bones.
    fn merge(&mut self, other: &Self) -> Result<()> {
        let moved = columns(&other.bone_indices);
        let is_moved = |bone: usize| moved.contains_key(&bone);
        let own = (&self.bones[..], &self.transforms[..]);
        let added = (&other.bones[..], &other.transforms[..]);
        let bones = animated_bones(own, added, is_moved)?;
        let added = placed(other, bones, self.bones.len())?;
        let keys = (&mut *self.bone_indices, &mut self.frames);
        merge_keys(keys, (&added.bone_indices, &added.frames))
    }
}

impl Anim12 {
    /// As [`Anim11::merge`]; the bind pose is in the file of the skeleton.
    fn merge(&mut self, other: &Self) -> Result<()> {
        if (self.frame_rate, self.root_motion) != (other.frame_rate, other.root_motion) {
            return Err(unsupported("the animations differ in their frame rate or in their root motion"));
        }
        if self.skeleton != other.skeleton {
            return Err(unsupported("the animations name different skeletons"));
        }
        let bones = matched_bones((&self.bones, &[]), (&other.bones, &[]), |_, _| true)?;
        let added = placed(other, bones, self.bones.len())?;
        let keys = (&mut *self.bone_indices, &mut self.frames);
        merge_keys(keys, (&added.bone_indices, &added.frames))
    }
}

/// Adds the keys of other bones.
fn merge_keys(
    (own_indices, own): (&mut Vec<i16>, &mut Table<CInt, Key11>),
    (indices, other): (&[i16], &Table<CInt, Key11>),
) -> Result<()> {
    let lens = [own.len(), other.len()];
    if lens[0] != lens[1] {
        let why = format!(
            "the animations have {} and {} frames, and a file of this version has one animation",
            lens[0], lens[1]
        );
        return Err(unsupported(&why));
    }
    let taken: HashSet<i16> = own_indices.iter().copied().collect();
    if indices.iter().any(|bone| taken.contains(bone)) {
        return Err(unsupported(
            "both animations move the same bones, and a file of this version has one animation; keep the files separate",
        ));
    }
    own_indices.extend(indices);
    let mut frames = Table::new(own_indices.len());
    for row in 0..lens[0] {
        frames.push(own.row(row).chain(other.row(row)))?;
    }
    *own = frames;
    Ok(())
}

type Skeleton<'a> = (&'a [Bone], &'a [Transform]);

/// Returns the index in the first skeleton of each bone of the other one. The bones have the same place in both.
fn same_bones(own: Skeleton<'_>, other: Skeleton<'_>) -> Result<Vec<usize>> {
    if [own, other].iter().any(|(bones, transforms)| bones.len() != transforms.len()) {
        return Err(unsupported("a file does not have a transform for each bone; rescue it first"));
    }
    let places = [places(own)?, places(other)?];
    matched_bones(own, other, |index, at| {
        places[0].has_same(index, &places[1], at) && has_same_scale(own, index, other, at)
    })
}

/// As [`same_bones`], for animations: keys replace the bind pose, so it matters only for bones that the other file does not
/// move. Programs often store the first frame as the bind pose.
fn animated_bones(
    own: Skeleton<'_>,
    other: Skeleton<'_>,
    is_moved: impl Fn(usize) -> bool,
) -> Result<Vec<usize>> {
    let local = |own: &Transform| Rigid::new(own.position, Quat::from_array(own.rotation));
    let locals = [own, other].map(|own| Places::new(own.1.iter().map(local).collect()));
    matched_bones(own, other, |index, at| {
        let is_same = || locals[0].has_same(index, &locals[1], at);
        is_moved(at) || is_same() && has_same_scale(own, index, other, at)
    })
}

fn has_same_scale(own: Skeleton<'_>, index: usize, other: Skeleton<'_>, at: usize) -> bool {
    Vec3::from(own.1[index].scale).abs_diff_eq(other.1[at].scale.into(), 1e-3)
}

/// Returns the index in the first skeleton of each bone of the other one; each pair of indices must be the same bone.
fn matched_bones(
    own: Skeleton<'_>,
    other: Skeleton<'_>,
    is_same: impl Fn(usize, usize) -> bool,
) -> Result<Vec<usize>> {
    let named = by_name(own.0.iter().map(|bone| bone.name.text()));
    let lone = || other.0.iter().map(|bone| bone.name.text()).filter(|name| !named.contains_key(name));
    if lone().next().is_some() {
        return Err(unmatched(Entity::Bone, lone()));
    }
    let mut indices = Vec::with_capacity(other.0.len());
    for (at, bone) in other.0.iter().enumerate() {
        let index = named[bone.name.text()];
        if !is_same(index, at) {
            let name = escape(bone.name.text());
            return Err(unsupported(&format!("the bone `{name}` has another bind pose in each file")));
        }
        indices.push(index);
    }
    Ok(indices)
}

fn places((bones, transforms): Skeleton<'_>) -> Result<Places> {
    let parent = |bone: &Bone| usize::try_from(bone.parent).ok().filter(|parent| *parent < bones.len());
    let parents: Vec<_> = bones.iter().map(parent).collect();
    let local = |own: &Transform| Rigid::new(own.position, Quat::from_array(own.rotation));
    Places::in_model_space(parents, &transforms.iter().map(local).collect::<Vec<_>>())
}

/// Rejects names that both files have, except empty ones.
fn different_names<'a, T: 'a>(
    kind: &'static str,
    own: impl IntoIterator<Item = &'a T>,
    added: impl IntoIterator<Item = &'a T>,
    name: fn(&T) -> &[u8],
) -> Result<()> {
    let own: HashSet<_> = own.into_iter().map(name).filter(|name| !name.is_empty()).collect();
    let taken = added.into_iter().map(name).find(|name| own.contains(name));
    taken.map_or(Ok(()), |name| Err(duplicate(kind, name)))
}

/// Returns the bounds of two meshes.
fn around(a: &Bounds, b: &Bounds) -> Bounds {
    let is_empty = |own: &Bounds| own.min.iter().zip(&own.max).any(|(min, max)| min > max);
    if is_empty(b) {
        return a.clone();
    }
    if is_empty(a) {
        return b.clone();
    }
    let min = Vec3::from(a.min).min(b.min.into());
    let max = Vec3::from(a.max).max(b.max.into());
    let center = min.midpoint(max);
    let reach = |own: &Bounds| center.distance(own.center.into()) + own.radius.max(0.0);
    let radius = reach(a).max(reach(b)).min(center.distance(max));
    Bounds { min: min.into(), max: max.into(), center: center.into(), radius }
}
