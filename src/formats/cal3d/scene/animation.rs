//! Animations of bones and of morph targets.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use glam::Vec3;

use super::super::conventions::{SPACE, rotation};
use super::super::xml::Element;
use super::super::{
    Animation, Cal3d, CalMesh, Document, KEEPS_BIND_POSE, Morph, Morphs, PackedKey, PlainTrack, QuantizedKey,
    Track,
};
use super::{Meaning, place};
use crate::check::common::field_path;
use crate::scene::{self, Builder, Channel, Clip, Curve, LoadPhase, Lost, MorphTrack, Targets, in_order};

/// Time, translation where there is one, rotation.
pub(in crate::formats::cal3d) type Key = (f32, Option<[f32; 3]>, [f32; 4]);

impl Track {
    /// Returns the keys as plain numbers, in an animation of that duration.
    pub(in crate::formats::cal3d) fn keys(&self, duration: f32) -> Vec<Key> {
        match self {
            Self::Plain(track) => {
                let kept = |translation: [f32; 3]| (translation != KEEPS_BIND_POSE).then_some(translation);
                track.keys.iter().map(|key| (key.time, kept(key.translation), key.rotation)).collect()
            }
            Self::Quantized(track) => {
                let key = |key: &QuantizedKey| {
                    (key.seconds(duration), Some(track.translation(key)), key.quaternion())
                };
                track.keys.iter().map(key).collect()
            }
            Self::Packed(track) => {
                let key = |(index, key): (usize, &PackedKey)| {
                    let translation = key.exact_translation.or_else(|| track.translation(index));
                    let rotation = key.exact_rotation.unwrap_or_else(|| key.rotation.quaternion());
                    (key.rotation.seconds(), translation, rotation)
                };
                track.keys.iter().enumerate().map(key).collect()
            }
        }
    }
}

impl Track {
    /// Returns the curves in the axes of the file.
    pub(in crate::formats::cal3d) fn curves(&self, duration: f32) -> scene::Track {
        let keys = self.keys(duration);
        let translations = keys.iter().filter_map(|(time, own, _)| Some((*time, Vec3::from((*own)?))));
        let rotations = keys.iter().map(|(time, _, own)| (*time, rotation(*own)));
        scene::Track {
            translation: Curve::straight(translations),
            rotation: Curve::straight(rotations),
            ..scene::Track::default()
        }
    }
}

impl Meaning for Animation {
    const PHASE: LoadPhase = LoadPhase::Clip;

    fn add(&self, _source: &Cal3d<Self>, scene: &mut Builder<'_>) {
        let space = scene.space(SPACE);
        if scene.scene().skeleton.bones().is_empty() {
            // Only their indices are known.
            let named = |index| scene::Bone { name: format!("bone {index}"), ..scene::Bone::default() };
            scene.add_bones((0..self.num_bones()).map(named));
            scene.report_loss(Lost::MissingSkeleton);
        }
        let num_bones = scene.scene().skeleton.bones().len();
        let mut taken = HashSet::new();
        let track = |track: &Track| {
            let bone = usize::try_from(track.bone_id()).ok().filter(|bone| *bone < num_bones)?;
            let free = taken.insert(bone);
            let keys = track.keys(self.duration);
            let rotations = keys.iter().map(|(time, _, own)| (*time, place([0.0; 3], *own, space).rotation));
            let translations = keys.iter().filter_map(|(time, own, _)| Some((*time, space.point((*own)?))));
            free.then(|| scene::Track {
                bone,
                translation: Curve::straight(translations),
                rotation: Curve::straight(rotations),
                scale: None,
            })
        };
        let tracks: Vec<_> = self.tracks.iter().filter_map(track).collect();
        for track in &*self.tracks {
            scene.report_order(track.keys(self.duration).iter().map(|(time, ..)| *time));
        }
        let missing = self.tracks.len() - tracks.len();
        scene.report_losses(missing, Lost::Tracks);
        let name = scene.own_name().to_owned();
        let bones: HashSet<_> = tracks.iter().map(|track| track.bone).collect();
        scene.add_clip_lasting(Clip { name, tracks, ..Clip::default() }, self.duration);
        let mut taken = HashSet::new();
        for (index, track) in self.tracks.iter().enumerate() {
            let bone = usize::try_from(track.bone_id()).ok().filter(|bone| bones.contains(bone));
            if let (Track::Plain(track), Some(bone)) = (track, bone.filter(|bone| taken.insert(*bone))) {
                trace_keys(track, index, bone, scene);
            }
        }
    }
}

/// Records the keys that those of a track come from.
fn trace_keys(track: &PlainTrack, index: usize, bone: usize, scene: &mut Builder<'_>) {
    let keys = || track.keys.iter().enumerate();
    let moves = keys().filter(|(_, key)| key.translation != KEEPS_BIND_POSE);
    let channels = [
        (Channel::Translation, "translation", in_order(moves.map(|(record, key)| (key.time, record)))),
        (Channel::Rotation, "rotation", in_order(keys().map(|(record, key)| (key.time, record)))),
    ];
    for (channel, field, records) in channels {
        let records = records.into_iter().map(|(_, record)| record);
        scene.trace_keys(bone, channel, field_path!["tracks", index, "keys"], field_path![field], records);
    }
}

impl Animation {
    /// The number of bones of a skeleton that fits the tracks, within reason.
    fn num_bones(&self) -> usize {
        let numbers = self.tracks.iter().filter_map(|track| usize::try_from(track.bone_id()).ok());
        numbers.filter(|bone| *bone < 4 * self.tracks.len() + 64).max().map_or(0, |last| last + 1)
    }
}

impl Meaning for Morph {
    const PHASE: LoadPhase = LoadPhase::Morph;

    fn add(&self, source: &Cal3d<Self>, scene: &mut Builder<'_>) {
        let numbered = match source {
            Cal3d::Xml(document) => numbered(document, scene),
            Cal3d::Binary { .. } => HashMap::new(),
        };
        let (mut empty, mut nowhere) = (0, 0);
        let mut morphs = Vec::with_capacity(self.tracks.len());
        for (index, track) in self.tracks.iter().enumerate() {
            let targets = numbered.get(&index).map_or_else(
                || Targets::Named(scene::name(track.morph_name.text())),
                |targets| Targets::These(targets.clone()),
            );
            let weight = Curve::straight(track.keys.iter().map(|key| (key.time, key.weight)));
            scene.report_order(track.keys.iter().map(|key| key.time));
            match weight {
                _ if targets == Targets::These(Vec::new()) => nowhere += 1,
                None => empty += 1,
                Some(weight) => morphs.push(MorphTrack { targets, weight }),
            }
        }
        scene.report_losses(empty, Lost::EmptyMorphTracks);
        scene.report_losses(nowhere, Lost::MorphTracks);
        let clip = Clip { name: scene.own_name().to_owned(), morphs, ..Clip::default() };
        scene.add_morphs_lasting(clip, self.duration);
    }
}

/// A target by its number in a submesh.
type Numbers = (usize, usize);

/// The targets of tracks that refer to them by index, as version 1300 does: a mesh of the model, submeshes of it, and a target
/// in each. No file stores the index of a mesh: the mesh is the one that has all these targets.
fn numbered(document: &Document, scene: &mut Builder<'_>) -> HashMap<usize, Vec<(usize, usize)>> {
    let tracks = document.root().into_iter().flat_map(|root| root.children_named(b"TRACK")).enumerate();
    let tracks = tracks.filter(|(_, track)| track.attribute(b"MORPHNAME").next().is_none());
    let tracks: Vec<_> =
        tracks.map(|(index, track)| (index, track.attribute(b"MESHID").next(), numbers(track))).collect();
    let mut by_mesh: HashMap<_, Vec<Numbers>> = HashMap::new();
    for (_, mesh, numbers) in &tracks {
        by_mesh.entry(*mesh).or_default().extend(numbers);
    }
    let known = scene.share(|scene| Rc::new(Known::of(scene)));
    let chosen: HashMap<_, _> =
        by_mesh.into_iter().map(|(mesh, numbers)| (mesh, known.that_has(&numbers))).collect();
    let targets = |mesh: Option<&[u8]>, numbers: Vec<Numbers>| {
        let meshes = chosen.get(&mesh).copied().flatten();
        numbers
            .into_iter()
            .filter_map(move |(submesh, target)| Some((*meshes?.get(submesh)?.as_ref()?, target)))
    };
    tracks.into_iter().map(|(index, mesh, numbers)| (index, targets(mesh, numbers).collect())).collect()
}

/// The submeshes of a track, each with the number of its target.
fn numbers(track: Element<'_>) -> Vec<Numbers> {
    let number = |word: &[u8]| str::from_utf8(word).ok()?.parse().ok();
    let Some(target) = track.attribute(b"MORPHID").next().and_then(number) else { return Vec::new() };
    let submeshes = track.children_named(b"SUBMESH").filter_map(|own| own.attribute(b"ID").next());
    submeshes.filter_map(|id| Some((number(id)?, target))).collect()
}

/// The mesh files of the set.
struct Known {
    /// For each file: the number of targets of each submesh, and the indices of its meshes in the scene.
    files: Vec<(Vec<usize>, Vec<Option<usize>>)>,
}

impl Known {
    fn of(scene: &Builder<'_>) -> Self {
        let meshes = scene.scene().meshes.iter().enumerate();
        let by_name: HashMap<&str, usize> = meshes.rev().map(|(index, mesh)| (&*mesh.name, index)).collect();
        let file = |(name, file): (&str, &CalMesh)| {
            let file = file.view().ok()?;
            let counts = file.submeshes.iter().map(|own| own.morphs.as_ref().map_or(0, Morphs::len));
            let index = |submesh| by_name.get(&*file.mesh_name(name, submesh)).copied();
            Some((counts.collect(), (0..file.submeshes.len()).map(index).collect()))
        };
        Self { files: scene.beside::<CalMesh>().filter_map(file).collect() }
    }

    /// The only file there is, or the only one that has all these targets.
    fn that_has(&self, numbers: &[Numbers]) -> Option<&[Option<usize>]> {
        let has = |counts: &[usize], (submesh, target): &Numbers| {
            counts.get(*submesh).is_some_and(|count| target < count)
        };
        let mut fitting = self.files.iter().filter(|(counts, _)| {
            self.files.len() == 1 || numbers.iter().all(|numbers| has(counts, numbers))
        });
        fitting.next().filter(|_| fitting.next().is_none()).map(|(_, meshes)| &**meshes)
    }
}
