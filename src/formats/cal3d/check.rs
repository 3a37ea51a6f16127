//! Finds what breaks the rules of `rules.rs`.
//!
//! The text form is read into the structs of the binary one; places in it are told in the words of those.

use std::collections::HashSet;

use super::rules::{
    BONE_NAME, CHILD, CHILD_DISAGREES, DIALECT, DURATION, KEY_END, KEY_ORDER, MAP, MORPH_WEIGHT, PARENT,
    PARENT_CYCLE, PARENT_ORDER, TRACK_BONE, TRACK_EMPTY, TRACK_TWICE, UNIT, VERSION, XML_CONTENT, XML_COUNT,
    ZERO,
};
use super::{Animation, Binary, Cal3d, Dialect, Element, Material, Morph, PlainKey, Skeleton, Track};
use crate::Path;
use crate::check::common::{
    ParentRules, QuaternionRules, ascending, at, index, parents, quaternion, quoted, unique, within,
};
use crate::check::{Check, Findings};

mod mesh;
mod set;

pub(in crate::formats) use set::check_set;

const PARENTS: ParentRules = ParentRules { range: &PARENT, cycle: &PARENT_CYCLE, order: &PARENT_ORDER };
const ROTATIONS: QuaternionRules = QuaternionRules { zero: &ZERO, unit: &UNIT };

/// A file whose content has rules, in whichever form.
pub trait Content {
    /// Says what breaks them.
    fn check(&self, findings: &mut Findings);
}

impl<B: Binary + Content> Check for Cal3d<B> {
    fn check(&self, findings: &mut Findings) {
        match self {
            Self::Binary { dialect, file } => {
                version(*dialect, file.version(), findings);
                file.check(findings);
            }
            Self::Xml(document) => {
                document.elements().for_each(|element| announced(element, findings));
                match self.view() {
                    Ok(file) => findings.in_words(|findings| file.check(findings)),
                    Err(error) if document.root().is_some() => {
                        let start = error.offset();
                        findings.add_at(&XML_CONTENT, start..start, Path::root, || error.message());
                    }
                    // Without a main element the file is damaged.
                    Err(_) => {}
                }
            }
        }
    }
}

fn version(dialect: Dialect, number: i32, findings: &mut Findings) {
    if number < 699 {
        findings.add(&VERSION, || at!["version"], || format!("is {number}"));
    }
    let home = Dialect::of_version(number);
    if home != dialect {
        let message = || format!("is {number}, which is {home}; the layout is {dialect}");
        findings.add(&DIALECT, || at!["version"], message);
    }
}

/// Elements with an attribute that counts those in them.
const COUNTS: &[(&str, &str, &str)] = &[
    ("SKELETON", "NUMBONES", "BONE"),
    ("BONE", "NUMCHILDS", "CHILDID"),
    ("ANIMATION", "NUMTRACKS", "TRACK"),
    ("TRACK", "NUMKEYFRAMES", "KEYFRAME"),
    ("MESH", "NUMSUBMESH", "SUBMESH"),
    ("SUBMESH", "NUMVERTICES", "VERTEX"),
    ("SUBMESH", "NUMFACES", "FACE"),
    ("SUBMESH", "NUMSPRINGS", "SPRING"),
    ("SUBMESH", "NUMMORPHS", "MORPH"),
    ("VERTEX", "NUMINFLUENCES", "INFLUENCE"),
    ("MATERIAL", "NUMMAPS", "MAP"),
];

/// Elements within elements, as deep as there is something to count.
fn announced(element: Element<'_>, findings: &mut Findings) {
    let mut level = vec![element];
    // A mesh, its submeshes, their vertices.
    for _ in 0..3 {
        let mut inner = Vec::new();
        for element in level {
            let name = element.name();
            if COUNTS.iter().any(|(owner, ..)| owner.as_bytes() == name) {
                let children: Vec<_> = element.children().collect();
                counts(element, &children, findings);
                inner.extend(children);
            }
        }
        level = inner;
    }
}

fn counts(element: Element<'_>, children: &[Element<'_>], findings: &mut Findings) {
    let own = COUNTS.iter().filter(|(owner, ..)| owner.as_bytes() == element.name());
    for (owner, attribute, name) in own {
        let word = element.attribute(attribute.as_bytes()).next();
        let said = word.and_then(|word| std::str::from_utf8(word).ok()?.parse::<usize>().ok());
        let has = children.iter().filter(|child| child.name() == name.as_bytes()).count();
        if let Some(said) = said.filter(|said| *said != has) {
            let start = element.offset() as u64;
            let message = || format!("{owner} says {attribute} {said}, but has {has} of {name}");
            findings.add_at(&XML_COUNT, start..start + 1 + owner.len() as u64, Path::root, message);
        }
    }
}

impl Content for Skeleton {
    fn check(&self, findings: &mut Findings) {
        let path = |bone: usize, field: &'static str| at!["bones", bone, field];
        let names = self.bones.iter().map(|bone| bone.name.text());
        unique(findings, &BONE_NAME, names, |bone| path(bone, "name"));
        let above: Vec<_> = self
            .bones
            .iter()
            .map(|bone| (bone.parent_id != -1).then_some(i64::from(bone.parent_id)))
            .collect();
        parents(findings, &PARENTS, &above, |bone| path(bone, "parent_id"));
        for (at, bone) in self.bones.iter().enumerate() {
            quaternion(findings, &ROTATIONS, bone.rotation, || path(at, "rotation"));
            quaternion(findings, &ROTATIONS, bone.local_rotation, || path(at, "local_rotation"));
            for (place, child) in bone.child_ids.iter().enumerate() {
                let path = || at!["bones", at, "child_ids", place];
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

impl Content for Animation {
    fn check(&self, findings: &mut Findings) {
        duration(self.duration, findings);
        let mut moved = HashSet::new();
        for (at, track) in self.tracks.iter().enumerate() {
            let bone = track.bone_id();
            let path = || {
                if matches!(track, Track::Packed(_)) {
                    at!["tracks", at, "header"]
                } else {
                    at!["tracks", at, "bone_id"]
                }
            };
            if bone < 0 {
                findings.add(&TRACK_BONE, path, || format!("is {bone}"));
            }
            if !moved.insert(bone) {
                findings.add(&TRACK_TWICE, path, || format!("bone {bone} has a track before"));
            }
            if track.num_keys() == 0 {
                findings.add(&TRACK_EMPTY, || at!["tracks", at, "keys"], || "is empty".into());
            }
            keys(at, track, self.duration, findings);
        }
    }
}

fn duration(duration: f32, findings: &mut Findings) {
    if duration <= 0.0 {
        findings.add(&DURATION, || at!["duration"], || format!("is {duration}"));
    }
}

fn keys(track_at: usize, track: &Track, duration: f32, findings: &mut Findings) {
    let key_path = |field: &'static str| move |key: usize| at!["tracks", track_at, "keys", key, field];
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
    path: &dyn Fn(usize) -> Path,
    findings: &mut Findings,
) {
    ascending(findings, &KEY_ORDER, times.clone(), path);
    // Exporters round times and length differently.
    for (at, time) in times.enumerate().filter(|(_, time)| *time > duration * 1.001 + 1e-3) {
        findings.add(&KEY_END, || path(at), || format!("{time} is behind the end at {duration}"));
    }
}

impl Content for Material {
    fn check(&self, findings: &mut Findings) {
        for (at, map) in self.maps.iter().enumerate() {
            let name = map.file.text();
            let absolute = matches!(name, [_, b':', ..] | [b'/' | b'\\', ..]);
            if absolute || name.is_empty() {
                findings.add(&MAP, || at!["maps", at, "file"], || quoted(name));
            }
        }
    }
}

impl Content for Morph {
    fn check(&self, findings: &mut Findings) {
        duration(self.duration, findings);
        for (track_at, track) in self.tracks.iter().enumerate() {
            let path = |field: &'static str| move |key: usize| at!["tracks", track_at, "keys", key, field];
            timed(track.keys.iter().map(|key| key.time), self.duration, &path("time"), findings);
            for (at, key) in track.keys.iter().enumerate() {
                within(findings, &MORPH_WEIGHT, key.weight, 0.0..=1.0, || path("weight")(at));
            }
        }
    }
}
