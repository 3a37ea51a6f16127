//! Removes bones, materials and sequences.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use glam::Vec3;

use super::conventions::{orientation, rotation};
use super::edit_config::RemovedBones;
use super::{Bone, Key, Psa, Psk, Records, ScaleKeys, Sequence};
use crate::check::common::field_path;
use crate::edit::{Entity, RemovedNames, Rigid, drop_column, in_use, unsupported};
use crate::hierarchy::{Hierarchy, Removal, by_name, roots};
use crate::schema::{self, Value, escape, unpadded};
use crate::{File, Result, work};

/// The difference of a scale from 1 that is due to rounding.
const UNSCALED: f32 = 1e-4;

/// Removes bones and materials from the meshes, animations and configurations of a set.
pub(in crate::formats) fn remove(files: &mut [File], entity: Entity, name: &[u8]) -> Result<usize> {
    if entity == Entity::Bone {
        return remove_bones(files, name);
    }
    let mut removed = 0;
    for file in files {
        removed += match (file, entity) {
            (File::Psk(mesh), Entity::Material) => each(name, |name| mesh.remove_material(name))?,
            _ => 0,
        };
    }
    Ok(removed)
}

/// Removes clips from the animations and configurations of a set.
pub(in crate::formats) fn remove_many(
    files: &mut [File],
    entity: Entity,
    removed_names: &mut RemovedNames,
) -> Result<()> {
    if entity != Entity::Clip {
        return Ok(());
    }
    let mut left = HashSet::new();
    for file in files.iter_mut() {
        if let File::Psa(animations) = file {
            animations.remove_sequences(removed_names)?;
            left.extend(animations.sequences().iter().map(|own| as_read(own.name.text())));
        }
    }
    for file in files {
        if let File::PsaConfig(config) = file {
            config.remove_sequences(removed_names, &left);
        }
    }
    Ok(())
}

/// Removes the bones with a name. Of a set, a file without such a bone loses the one that readers treat as the same.
fn remove_bones(files: &mut [File], name: &[u8]) -> Result<usize> {
    let bones = |file: &File| match file {
        File::Psk(mesh) => mesh.bones().to_vec(),
        File::Psa(animations) => animations.bones().to_vec(),
        _ => Vec::new(),
    };
    let all: Vec<Vec<Bone>> = files.iter().map(bones).collect();
    let is_exact = |bone: &Bone| bone.name.text() == name;
    if !all.iter().flatten().any(is_exact) {
        return Ok(0);
    }
    let key = as_read(name);
    // What the removal changes of the hierarchy.
    let skeletons = skeletons(files, &|bone, parent| {
        let parent = parent.map(|own| as_read(own.name.text()));
        let is_child = parent.as_ref() == Some(&key);
        (is_child, parent.filter(|_| as_read(bone.name.text()) == key))
    })?;
    let shared = shared_names(&skeletons);
    let (mut removed, mut changes) = (0, Vec::new());
    for (file, bones) in files.iter_mut().zip(&all) {
        let found = BoneNames::new(bones).find(name);
        let Some(own) = found.map(|at| bones[at].name.text()) else { continue };
        removed += match file {
            File::Psk(mesh) => each(own, |name| mesh.remove_bone(name))?,
            File::Psa(animations) => {
                let mut removals = Vec::new();
                while let Some(removal) = animations.remove_bone(own, &skeletons, &shared)? {
                    removals.push(removal);
                }
                let removed = removals.len();
                changes.push(RemovedBones::new(removals, animations));
                removed
            }
            _ => 0,
        };
    }
    for file in files {
        if let File::PsaConfig(config) = file {
            config.remove_bone(name, &changes)?;
        }
    }
    Ok(removed)
}

/// Returns the bones of each mesh; beside animations, those of skeletons that agree in what is stated of a bone and its parent.
///
/// # Errors
/// If they do not, so that the parents in the animations are not known.
pub(super) fn skeletons<T: PartialEq>(
    files: &[File],
    stated: &dyn Fn(&Bone, Option<&Bone>) -> T,
) -> Result<Vec<Vec<Bone>>> {
    let bones = |file: &File| match file {
        File::Psk(mesh) => Some(mesh.bones().to_vec()),
        _ => None,
    };
    let skeletons: Vec<_> = files.iter().filter_map(bones).collect();
    if !files.iter().any(|file| matches!(file, File::Psa(_))) {
        return Ok(skeletons);
    }
    let mut known = HashMap::new();
    for bones in &skeletons {
        // As for readers, the first bone of a name counts.
        let mut seen = HashSet::new();
        for (bone, parent) in bones.iter().zip(parents(bones)) {
            let name = as_read(bone.name.text());
            let own = || stated(bone, parent.map(|parent| &bones[parent]));
            if seen.insert(name.clone()) && *known.entry(name).or_insert_with(own) != own() {
                let name = escape(bone.name.text());
                let why = format!(
                    "the bone `{name}` has another parent in each mesh; give each mesh with its own animations only"
                );
                return Err(unsupported(&why));
            }
        }
    }
    Ok(skeletons)
}

/// Removes one object after another.
fn each(name: &[u8], mut remove: impl FnMut(&[u8]) -> Result<bool>) -> Result<usize> {
    let mut removed = 0;
    while remove(name)? {
        removed += 1;
    }
    Ok(removed)
}

/// Applies a change to the first records of a kind, like the views of the chunks.
macro_rules! first_mut {
    ($chunks:expr, $variant:ident) => {
        $chunks.iter_mut().find_map(|chunk| match &mut chunk.records {
            Records::$variant(records) => Some(records),
            _ => None,
        })
    };
}
pub(super) use first_mut;

pub(super) fn parents(bones: &[Bone]) -> Vec<Option<usize>> {
    let parent = |(index, bone): (usize, &Bone)| {
        usize::try_from(bone.parent_index).ok().filter(|parent| *parent != index && *parent < bones.len())
    };
    bones.iter().enumerate().map(parent).collect()
}

/// Gives the children of a bone their new parent and place.
fn reparent_children(bones: &mut [Bone], removal: &Removal) {
    let before = bones.to_vec();
    let parents = parents(&before);
    let local = |index: usize| {
        let bone = &before[index];
        Rigid::new(bone.position, rotation(bone.orientation, parents[index].is_none()))
    };
    for child in &removal.children {
        let (own, is_root) = (removal.local(*child, local), removal.parent(*child).is_none());
        bones[*child].position = own.translation.into();
        bones[*child].orientation = orientation(own.rotation, is_root);
    }
    let counts_children = |index: usize| {
        let children = parents.iter().filter(|parent| **parent == Some(index)).count();
        i32::try_from(children) == Ok(before[index].num_children)
    };
    for (index, bone) in bones.iter_mut().enumerate() {
        let parent = match parents[index] {
            _ if removal.is_child(index) => removal.parent(index),
            own if own == Some(removal.bone) => removal.heir,
            _ => continue,
        };
        // A root has its own index, or an index of no bone: -1, or by mistake another one.
        if let Some(parent) = parent.or(parents[index].and(Some(index))) {
            bone.parent_index = i32::try_from(parent).unwrap_or(0);
        }
    }
    if let Some(heir) = removal.heir
        && counts_children(heir)
    {
        let inherited = removal.children.iter().filter(|child| **child != heir).count();
        let lost = usize::from(parents[removal.bone] == Some(heir));
        let count = bones[heir].num_children + i32::try_from(inherited).unwrap_or(0);
        bones[heir].num_children = count - i32::try_from(lost).unwrap_or(0);
    }
}

impl Psk {
    fn remove_bone(&mut self, name: &[u8]) -> Result<bool> {
        let Some(bone) = self.bones().iter().position(|bone| bone.name.text() == name) else {
            return Ok(false);
        };
        let removal = Removal::of(&parents(self.bones()), bone);
        let is_bone = |index: i32| usize::try_from(index) == Ok(bone);
        let weights = self.weights().iter().filter(|weight| is_bone(weight.bone_index)).count();
        if removal.heir.is_none() && weights > 0 {
            return Err(in_use(Entity::Bone, name, weights, "weight"));
        }
        if let Some(bones) = first_mut!(self.chunks, Bones) {
            reparent_children(bones, &removal);
        }
        if let Some(weights) = first_mut!(self.chunks, Weights) {
            give_weights(weights, &removal);
        }
        for chunk in self.chunks.iter_mut() {
            let names: Vec<_> = match &mut chunk.records {
                Records::Sockets(sockets) => sockets.iter_mut().map(|own| &mut own.bone_name).collect(),
                Records::PhysicsBodies(bodies) => bodies.iter_mut().map(|own| &mut own.bone_name).collect(),
                Records::ShapeElements(shapes) => shapes.iter_mut().map(|own| &mut own.bone_name).collect(),
                _ => continue,
            };
            let mut users = names.into_iter().filter(|own| as_read(own.text()) == as_read(name)).peekable();
            if users.peek().is_some() {
                return Err(in_use(Entity::Bone, name, users.count(), "socket or collision shape"));
            }
        }
        let at = self.chunks.iter().position(|chunk| matches!(chunk.records, Records::Bones(_)));
        remove_record(self, at, bone)
    }

    fn remove_material(&mut self, name: &[u8]) -> Result<bool> {
        let materials = self.materials();
        let mut names = (0..materials.len()).filter_map(|index| materials.named(index));
        let Some(material) = names.position(|(own, _)| own.text() == name) else { return Ok(false) };
        let is_it = |index: u8| usize::from(index) == material;
        let faces = self.faces().iter().filter(|face| is_it(face.material_index)).count();
        if faces > 0 {
            return Err(in_use(Entity::Material, name, faces, "face"));
        }
        let mut at = None;
        for (index, chunk) in self.chunks.iter_mut().enumerate() {
            let slots: Vec<_> = match &mut chunk.records {
                Records::Materials(own) => own.iter_mut().map(|own| &mut own.texture_index).collect(),
                Records::ShortMaterials(own) => own.iter_mut().map(|own| &mut own.texture_index).collect(),
                // The definition states no index, because that of the faces decides: what no face uses may have this one.
                Records::Wedges(own) => {
                    own.iter_mut().for_each(|own| shift(&mut own.material_index, material));
                    continue;
                }
                Records::PackedWedges(own) => {
                    own.iter_mut().for_each(|own| shift(&mut own.material_index, material));
                    continue;
                }
                _ => continue,
            };
            at = at.or((!slots.is_empty()).then_some(index));
            for (index, slot) in slots.into_iter().enumerate().skip(material + 1) {
                if usize::try_from(*slot) == Ok(index) {
                    *slot -= 1;
                }
            }
        }
        remove_record(self, at, material)
    }
}

/// Removes a record of a chunk, and lets what refers to it follow.
fn remove_record(file: &mut dyn Value, chunk: Option<usize>, index: usize) -> Result<bool> {
    let Some(chunk) = chunk else { return Ok(false) };
    Ok(schema::remove(file, &[field_path!["chunks", chunk, "records", index]])? > 0)
}

/// Lets the index of a material follow when one is removed.
fn shift(index: &mut u8, removed: usize) {
    if usize::from(*index) >= removed && *index > 0 {
        *index -= 1;
    }
}

/// Gives weights to the heir; of two weights of one bone on a point the first gets the sum.
fn give_weights(weights: &mut Vec<super::Weight>, removal: &Removal) {
    let mut first_of = HashMap::new();
    let old = std::mem::take(weights);
    for mut weight in old {
        let bone = usize::try_from(weight.bone_index).ok();
        if bone == Some(removal.bone) || bone.is_some() && bone == removal.heir {
            if let Some(first) = first_of.get(&weight.point_index) {
                let first: &mut super::Weight = &mut weights[*first];
                first.weight += weight.weight;
                continue;
            }
            first_of.insert(weight.point_index, weights.len());
            weight.bone_index =
                removal.heir.and_then(|heir| i32::try_from(heir).ok()).unwrap_or(weight.bone_index);
        }
        weights.push(weight);
    }
}

impl Psa {
    /// Removes a bone with its keys; returns what that means for others. `shared` are the names of several bones of a skeleton.
    fn remove_bone(
        &mut self,
        name: &[u8],
        skeletons: &[Vec<Bone>],
        shared: &HashSet<Vec<u8>>,
    ) -> Result<Option<Removal>> {
        let Some(bone) = self.bones().iter().position(|bone| bone.name.text() == name) else {
            return Ok(None);
        };
        let count = self.bones().len();
        let parents = self.hierarchy(name, skeletons)?;
        let removal = Removal::of(&parents, bone);
        let mut moved = removal.children.iter().map(|child| as_read(self.bones()[*child].name.text()));
        if let Some(name) = moved.find(|name| shared.contains(name)) {
            let why =
                format!("several bones of the mesh have the name `{}` and share its keys", escape(&name));
            return Err(unsupported(&why));
        }
        let whole = self.sequences().iter().all(|own| usize::try_from(own.total_bones) == Ok(count));
        if !whole || !self.keys().len().is_multiple_of(count) {
            return Err(unsupported("the sequences have another number of bones than the file"));
        }
        let is_scaled = |bone: usize| match self.scale_keys() {
            ScaleKeys::None => false,
            ScaleKeys::All(keys) | ScaleKeys::Flagged(keys) => keys
                .iter()
                .skip(bone)
                .step_by(count)
                .any(|key| !Vec3::from(key.scale).abs_diff_eq(Vec3::ONE, UNSCALED)),
            ScaleKeys::Unclear(_) => true,
        };
        if !removal.children.is_empty() && (is_scaled(bone) || removal.successor().is_some_and(is_scaled)) {
            return Err(unsupported("the bone has scale keys, which its children cannot inherit"));
        }
        let is_flat = self.bones().iter().all(|bone| bone.parent_index == 0);
        if let Some(bones) = first_mut!(self.chunks, Bones) {
            reparent_children(bones, &removal);
        }
        let at = self.chunks.iter().position(|chunk| matches!(chunk.records, Records::Bones(_)));
        remove_record(self, at, bone)?;
        if let Some(bones) = first_mut!(self.chunks, Bones).filter(|_| is_flat) {
            bones.iter_mut().for_each(|bone| bone.parent_index = 0);
        }
        if let Some(keys) = first_mut!(self.chunks, Keys) {
            for frame in keys.chunks_exact_mut(count) {
                follow_frame(frame, &parents, &removal);
            }
            drop_column(keys, bone, count);
        }
        if let Some(keys) = first_mut!(self.chunks, ScaleKeys) {
            drop_column(keys, bone, count);
        }
        if let Some(flags) = first_mut!(self.chunks, TrackFlags) {
            drop_column(flags, bone, count);
        }
        if let Some(sequences) = first_mut!(self.chunks, Sequences) {
            for own in sequences.iter_mut() {
                let keys = own.total_bones.checked_mul(own.num_raw_frames);
                own.total_bones -= 1;
                if own.total_bones == 0 {
                    own.scale_include = 0;
                }
                if keys == Some(own.key_quotum) {
                    own.key_quotum -= own.num_raw_frames;
                }
            }
        }
        Ok(Some(removal))
    }

    /// Returns the parents of the bones: those of the mesh with the bone of this name, because some animations have other
    /// parents, which readers ignore; without a mesh its own.
    fn hierarchy(&self, name: &[u8], skeletons: &[Vec<Bone>]) -> Result<Vec<Option<usize>>> {
        let bones = self.bones();
        let Some(skeleton) = skeletons.iter().find(|skeleton| BoneNames::new(skeleton).find(name).is_some())
        else {
            if bones.len() < 3 || bones.iter().any(|bone| bone.parent_index > 0) {
                return Ok(parents(bones));
            }
            let why = if skeletons.is_empty() {
                "the file does not have the parents of its bones; give the mesh too"
            } else {
                "the file does not have the parents of its bones, and no mesh of the set has the bone"
            };
            return Err(unsupported(why));
        };
        let (animated, placed) = (BoneNames::new(bones), BoneNames::new(skeleton));
        let above = Hierarchy::new(parents(skeleton));
        // The bone, or its nearest ancestor that is animated.
        let nearest =
            above.inherit(None, |bone, above| animated.find(skeleton[bone].name.text()).or(above.flatten()));
        let parent = |bone: &Bone| nearest[above.parents()[placed.find(bone.name.text())?]?];
        Ok(bones.iter().map(parent).collect())
    }

    /// Returns for each bone whether it is a root: in the first mesh with the bone, as for readers, or else in the file.
    pub(super) fn roots(&self, skeletons: &[Vec<Bone>]) -> Vec<bool> {
        let meshes = skeletons.iter().map(|bones| (BoneNames::new(bones), roots(parents(bones))));
        let meshes: Vec<_> = meshes.collect();
        let is_root = |(bone, own): (&Bone, bool)| {
            let mut found = meshes
                .iter()
                .filter_map(|(names, is_root)| names.find(bone.name.text()).map(|index| is_root[index]));
            found.next().unwrap_or(own)
        };
        self.bones().iter().zip(roots(parents(self.bones()))).map(is_root).collect()
    }

    /// Removes sequences with their keys, scale keys, curves and flags of tracks.
    fn remove_sequences(&mut self, removed_names: &mut RemovedNames) -> Result<()> {
        work::done(self.sequences().len());
        let is_gone: Vec<_> =
            self.sequences().iter().map(|own| removed_names.contains(own.name.text())).collect();
        if !is_gone.contains(&true) {
            return Ok(());
        }
        let (keys, scales) = (self.removed_keys(&is_gone)?, self.removed_scale_keys(&is_gone)?);
        let bones = self.bones().len();
        let flags = is_gone.iter().enumerate().filter(|(_, is_gone)| **is_gone);
        let flags: Vec<_> = flags.map(|(index, _)| index * bones..(index + 1) * bones).collect();
        let mut gone = is_gone.iter();
        let is_curves = |chunk: &super::Chunk| matches!(chunk.records, Records::Curves(_));
        self.chunks.retain(|chunk| !is_curves(chunk) || gone.next() != Some(&true));
        if let Some(own) = first_mut!(self.chunks, Keys) {
            drop_ranges(own, keys);
        }
        if let Some(own) = first_mut!(self.chunks, ScaleKeys) {
            drop_ranges(own, scales);
        }
        if let Some(own) = first_mut!(self.chunks, TrackFlags) {
            let len = own.len();
            drop_ranges(own, flags.into_iter().filter(|range| range.end <= len));
        }
        if let Some(sequences) = first_mut!(self.chunks, Sequences) {
            let mut gone = is_gone.iter();
            let (removed, kept): (Vec<_>, _) =
                std::mem::take(&mut **sequences).into_iter().partition(|_| gone.next() == Some(&true));
            **sequences = kept;
            for own in &removed {
                removed_names.count(own.name.text());
            }
            follow_frames(sequences, &removed);
        }
        Ok(())
    }

    /// Returns the keys of sequences that go, in the order of the file. No other sequence has one of them.
    fn removed_keys(&self, is_gone: &[bool]) -> Result<Vec<Range<usize>>> {
        let len = self.keys().len();
        let mut ranges = Vec::with_capacity(is_gone.len());
        for (own, is_gone) in self.sequences().iter().zip(is_gone) {
            let range = own.key_range();
            if *is_gone && range.as_ref().is_none_or(|range| range.end > len) {
                return Err(unsupported(
                    "the file does not have the keys of the sequence at its first frame",
                ));
            }
            ranges.extend(range.filter(|range| !range.is_empty()).map(|range| (range, *is_gone)));
        }
        ranges.sort_by_key(|(range, _)| range.start);
        let (mut end, mut removed_end) = (0, 0);
        for (range, is_gone) in &ranges {
            let used = if *is_gone { end } else { removed_end };
            if range.start < used {
                return Err(unsupported("another sequence uses keys of the sequence"));
            }
            end = end.max(range.end);
            removed_end = if *is_gone { range.end } else { removed_end };
        }
        Ok(ranges.into_iter().filter_map(|(range, is_gone)| is_gone.then_some(range)).collect())
    }

    /// Returns the scale keys of sequences that go, whose keys the file has, in the order of the file.
    fn removed_scale_keys(&self, is_gone: &[bool]) -> Result<Vec<Range<usize>>> {
        match self.scale_keys() {
            ScaleKeys::None => Ok(Vec::new()),
            ScaleKeys::All(_) => self.removed_keys(is_gone),
            ScaleKeys::Flagged(_) => {
                let flagged = self.sequences().iter().zip(is_gone).filter(|(own, _)| own.scale_include != 0);
                let ranges = flagged.scan(0, |start, (own, is_gone)| {
                    let end = *start + own.key_range().map_or(0, |range| range.len());
                    Some((std::mem::replace(start, end)..end, *is_gone))
                });
                Ok(ranges.filter_map(|(range, is_gone)| is_gone.then_some(range)).collect())
            }
            ScaleKeys::Unclear(_) => {
                Err(unsupported("the number of scale keys fits neither all keys nor those of some sequences"))
            }
        }
    }
}

/// Moves the first frames of sequences to the place of the frames of removed ones.
fn follow_frames(sequences: &mut [Sequence], removed: &[Sequence]) {
    let mut frames: Vec<_> = removed.iter().map(|own| (own.first_raw_frame, own.num_raw_frames)).collect();
    frames.sort_unstable();
    let before: Vec<i32> =
        frames.iter().scan(0, |sum, (_, count)| Some(std::mem::replace(sum, *sum + count))).collect();
    let all = frames.iter().map(|(_, count)| count).sum();
    for own in sequences {
        let at = frames.partition_point(|(first, _)| *first < own.first_raw_frame);
        own.first_raw_frame -= before.get(at).unwrap_or(&all);
    }
}

/// Removes the records in ranges that are sorted and do not overlap.
fn drop_ranges<T>(records: &mut Vec<T>, ranges: impl IntoIterator<Item = Range<usize>>) {
    let (mut next, mut ranges) = (0.., ranges.into_iter().peekable());
    records.retain(|_| {
        let at = next.next().unwrap_or(0);
        while ranges.next_if(|range| range.end <= at).is_some() {}
        !ranges.peek().is_some_and(|range| range.contains(&at))
    });
}

/// Bones by their names.
struct BoneNames<'a> {
    exact: HashMap<&'a [u8], usize>,
    loose: HashMap<Vec<u8>, usize>,
}

impl<'a> BoneNames<'a> {
    fn new(bones: &'a [Bone]) -> Self {
        let mut loose = HashMap::new();
        for (index, bone) in bones.iter().enumerate() {
            loose.entry(as_read(bone.name.text())).or_insert(index);
        }
        Self { exact: by_name(bones.iter().map(|bone| bone.name.text())), loose }
    }

    /// Returns the bone of a name, or else the first one whose name readers treat as the same.
    fn find(&self, name: &[u8]) -> Option<usize> {
        self.exact.get(name).or_else(|| self.loose.get(&as_read(name))).copied()
    }
}

/// Returns a name as readers compare it: without regard to case and the blanks with which ActorX pads names.
pub(super) fn as_read(name: &[u8]) -> Vec<u8> {
    unpadded(name).to_ascii_lowercase()
}

/// Returns the names by which readers find several bones of a skeleton.
fn shared_names(skeletons: &[Vec<Bone>]) -> HashSet<Vec<u8>> {
    let mut shared = HashSet::new();
    for bones in skeletons {
        work::done(bones.len());
        let mut seen = HashSet::new();
        let names = bones.iter().map(|bone| as_read(bone.name.text()));
        shared.extend(names.filter(|name| !seen.insert(name.clone())));
    }
    shared
}

/// Gives the children of a bone that goes their new place in a frame.
fn follow_frame(frame: &mut [Key], parents: &[Option<usize>], removal: &Removal) {
    let places: Vec<_> = frame
        .iter()
        .zip(parents)
        .map(|(key, parent)| Rigid::new(key.position, rotation(key.orientation, parent.is_none())))
        .collect();
    for child in &removal.children {
        let own = removal.local(*child, |index| places[index]);
        frame[*child].position = own.translation.into();
        frame[*child].orientation = orientation(own.rotation, removal.parent(*child).is_none());
    }
}
