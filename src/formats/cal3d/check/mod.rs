//! Applies the rules of `rules.rs`.
//!
//! The XML form is read into the structs of the binary form, whose paths lead to its words as well.

use std::collections::HashSet;

use super::conventions::conjugated;
use super::rules::{
    BONE_NAME, CHILD, CHILD_DISAGREES, DIALECT, DURATION, INVERSE_BIND, KEY_END, KEY_ORDER, MAP,
    MORPH_WEIGHT, PACKED_KEYS, PARENT, PARENT_CYCLE, PARENT_ORDER, TRACK_BONE, TRACK_EMPTY, TRACK_TWICE,
    UNIT, UNKNOWN_FLAGS, UNLISTED, VERSION, XML_CONTENT, ZERO,
};
use super::values::{dot, product, sum, turn_by};
use super::{Animation, Binary, Bone, Cal3d, Dialect, Material, Morph, PlainKey, Skeleton, Track};
use crate::FieldPath;
use crate::Result;
use crate::check::common::{
    ParentRules, QuaternionRules, ascending, field_path, index, is_absolute, parents, quaternion, quoted,
    unique, within,
};
use crate::check::{Check, Findings, ListedBones, tolerance};

mod mesh;
mod set;
mod xml;

pub(in crate::formats) use set::check_set;

const PARENTS: ParentRules = ParentRules { range: &PARENT, cycle: &PARENT_CYCLE, order: &PARENT_ORDER };
const ROTATIONS: QuaternionRules = QuaternionRules { zero: &ZERO, unit: &UNIT };

/// A file whose content has rules, in whichever form.
pub trait Content {
    /// Reports what breaks them.
    fn check(&self, findings: &mut Findings);

    /// Returns the bones that a file defines, or moves.
    fn bones(_file: &Cal3d<Self>) -> Result<Option<ListedBones>>
    where
        Self: Binary + Sized,
    {
        Ok(None)
    }
}

impl<B> crate::sealed::Sealed for Cal3d<B> {}

impl<B: Binary + Content> Check for Cal3d<B> {
    fn bone_list(&self) -> Result<Option<ListedBones>> {
        B::bones(self)
    }

    fn check(&self, findings: &mut Findings) {
        match self {
            Self::Binary { dialect, file } => {
                version(*dialect, file.version(), findings);
                file.check(findings);
            }
            Self::Xml(document) => match xml::check::<B>(document, findings) {
                // Without a main element the file is damaged.
                _ if document.root().is_none() => {}
                Ok(file) => {
                    too_old(file.version(), findings);
                    file.check(findings);
                }
                Err(error) => findings.add(&XML_CONTENT, || error.path().clone(), || error.message()),
            },
        }
    }
}

fn too_old(number: i32, findings: &mut Findings) {
    if number < 699 {
        findings.add(&VERSION, || field_path!["version"], || format!("is {number}"));
    }
}

fn version(dialect: Dialect, number: i32, findings: &mut Findings) {
    too_old(number, findings);
    let home = Dialect::of_version(number);
    if home != dialect {
        let message = || format!("is {number}, which is {home}; the layout is {dialect}");
        findings.add(&DIALECT, || field_path!["version"], message);
    }
}

impl Content for Skeleton {
    fn bones(file: &Cal3d<Self>) -> Result<Option<ListedBones>> {
        Ok(Some(ListedBones::defined(file.view()?.bones.iter().map(|bone| bone.name.text()))))
    }

    fn check(&self, findings: &mut Findings) {
        let path = |bone: usize, field: &'static str| field_path!["bones", bone, field];
        let names = self.bones.iter().map(|bone| bone.name.text());
        unique(findings, &BONE_NAME, names, |bone| path(bone, "name"));
        let above: Vec<_> = self
            .bones
            .iter()
            .map(|bone| (bone.parent_id != -1).then_some(i64::from(bone.parent_id)))
            .collect();
        parents(findings, &PARENTS, &above, |bone| path(bone, "parent_id"));
        inverse_bind(&self.bones, findings);
        for (at, parent) in unlisted(&self.bones) {
            let message = || format!("bone {parent} does not list it as a child");
            findings.add(&UNLISTED, || path(at, "parent_id"), message);
        }
        for (at, bone) in self.bones.iter().enumerate() {
            quaternion(findings, &ROTATIONS, bone.rotation, || path(at, "rotation"));
            quaternion(findings, &ROTATIONS, bone.local_rotation, || path(at, "local_rotation"));
            for (place, child) in bone.child_ids.iter().enumerate() {
                let path = || field_path!["bones", at, "child_ids", place];
                match usize::try_from(*child).ok().and_then(|child| self.bones.get(child)) {
                    None => index(findings, &CHILD, *child, ("bone", self.bones.len()), path),
                    Some(own) if usize::try_from(own.parent_id) != Ok(at) => {
                        let message = || format!("bone {child} has the parent {}", own.parent_id);
                        findings.add(&CHILD_DISAGREES, path, message);
                    }
                    Some(_) => {}
                }
            }
        }
    }
}

/// Returns the bones that their parents do not list, with these.
pub(super) fn unlisted(bones: &[Bone]) -> Vec<(usize, usize)> {
    let index = |number: i32| usize::try_from(number).ok().filter(|index| *index < bones.len());
    let mut listed = HashSet::new();
    for (at, bone) in bones.iter().enumerate() {
        listed.extend(bone.child_ids.iter().filter_map(|child| Some((index(*child)?, at))));
    }
    let pair = |(at, bone): (usize, &Bone)| Some((at, index(bone.parent_id)?));
    bones.iter().enumerate().filter_map(pair).filter(|pair| !listed.contains(pair)).collect()
}

/// The product of bind pose and inverse bind transform.
fn inverse_bind(bones: &[Bone], findings: &mut Findings) {
    let size = bones
        .iter()
        .flat_map(|bone| bone.local_translation)
        .fold(1.0, |size: f32, part| size.max(part.abs()));
    let mut places: Vec<([f32; 3], [f32; 4])> = Vec::with_capacity(bones.len());
    for (at, bone) in bones.iter().enumerate() {
        let own = (bone.translation, conjugated(bone.rotation));
        // A parent that follows its child breaks another rule.
        let parent = usize::try_from(bone.parent_id).ok().and_then(|parent| places.get(parent));
        let place = parent.map_or(own, |(at, turn)| (sum(*at, turn_by(*turn, own.0)), product(*turn, own.1)));
        places.push(place);
        let back = conjugated(bone.local_rotation);
        let left @ [x, y, z] = sum(turn_by(back, place.0), bone.local_translation);
        let turn @ [.., w] = product(back, place.1);
        if left.iter().any(|part| part.abs() > tolerance::INVERSE_BIND * size) {
            let message = || format!("leads to ({x}, {y}, {z}) from the bind pose");
            findings.add(&INVERSE_BIND, || field_path!["bones", at, "local_translation"], message);
        } else if 1.0 - w.abs() > tolerance::INVERSE_BIND
            && dot(turn, turn).is_finite()
            && dot(turn, turn) > 0.25
        {
            let degrees = (2.0 * w.abs().min(1.0).acos()).to_degrees();
            let message = || format!("is rotated by {degrees} degrees from the bind pose");
            findings.add(&INVERSE_BIND, || field_path!["bones", at, "local_rotation"], message);
        }
    }
}

impl Content for Animation {
    fn bones(file: &Cal3d<Self>) -> Result<Option<ListedBones>> {
        Ok(Some(ListedBones::Indices(
            file.view()?.tracks.iter().map(|track| track.bone_id().into()).collect(),
        )))
    }

    fn check(&self, findings: &mut Findings) {
        duration(self.duration, findings);
        let flags = self.track_flags.unwrap_or_default().raw();
        if self.tracks.iter().any(|track| matches!(track, Track::Quantized(_))) {
            findings.add(&PACKED_KEYS, || field_path!["track_flags"], || format!("is {flags}"));
        }
        if flags & !1 != 0 {
            findings.add(&UNKNOWN_FLAGS, || field_path!["track_flags"], || format!("is {flags:#x}"));
        }
        let mut moved = HashSet::new();
        for (at, track) in self.tracks.iter().enumerate() {
            let bone = track.bone_id();
            let path = || {
                if matches!(track, Track::Packed(_)) {
                    field_path!["tracks", at, "header"]
                } else {
                    field_path!["tracks", at, "bone_id"]
                }
            };
            if bone < 0 {
                findings.add(&TRACK_BONE, path, || format!("is {bone}"));
            }
            if !moved.insert(bone) {
                findings.add(&TRACK_TWICE, path, || format!("an earlier track animates bone {bone}"));
            }
            if track.num_keys() == 0 {
                findings.add(&TRACK_EMPTY, || field_path!["tracks", at, "keys"], || "is empty".into());
            }
            keys(at, track, self.duration, findings);
        }
    }
}

fn duration(duration: f32, findings: &mut Findings) {
    if duration <= 0.0 {
        findings.add(&DURATION, || field_path!["duration"], || format!("is {duration}"));
    }
}

fn keys(track_at: usize, track: &Track, duration: f32, findings: &mut Findings) {
    let key_path =
        |field: &'static str| move |key: usize| field_path!["tracks", track_at, "keys", key, field];
    match track {
        Track::Plain(track) => {
            timed(track.keys.iter().map(|key| key.time), duration, &key_path("time"), findings);
            for (at, PlainKey { rotation, .. }) in track.keys.iter().enumerate() {
                quaternion(findings, &ROTATIONS, *rotation, || key_path("rotation")(at));
            }
        }
        Track::Quantized(track) => {
            ascending(findings, &KEY_ORDER, track.keys.iter().map(|key| key.time), key_path("time"));
        }
        Track::Packed(track) => {
            let times = track.keys.iter().map(|key| key.rotation.seconds());
            timed(times, duration, &key_path("rotation"), findings);
        }
    }
}

fn timed(
    times: impl Iterator<Item = f32> + Clone,
    duration: f32,
    path: &dyn Fn(usize) -> FieldPath,
    findings: &mut Findings,
) {
    ascending(findings, &KEY_ORDER, times.clone(), path);
    // Exporters round times and length differently.
    for (at, time) in times.enumerate().filter(|(_, time)| *time > duration * 1.001 + 1e-3) {
        findings.add(&KEY_END, || path(at), || format!("{time} is after the end at {duration}"));
    }
}

impl Content for Material {
    fn check(&self, findings: &mut Findings) {
        for (at, map) in self.maps.iter().enumerate() {
            let name = map.file.text();
            if is_absolute(name) || name.is_empty() {
                findings.add(&MAP, || field_path!["maps", at, "file"], || quoted(name));
            }
        }
    }
}

impl Content for Morph {
    fn check(&self, findings: &mut Findings) {
        duration(self.duration, findings);
        for (track_at, track) in self.tracks.iter().enumerate() {
            let path =
                |field: &'static str| move |key: usize| field_path!["tracks", track_at, "keys", key, field];
            timed(track.keys.iter().map(|key| key.time), self.duration, &path("time"), findings);
            for (at, key) in track.keys.iter().enumerate() {
                within(findings, &MORPH_WEIGHT, key.weight, 0.0..=1.0, || path("weight")(at));
            }
        }
    }
}
