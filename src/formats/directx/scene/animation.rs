//! Converts animation sets.

use std::collections::HashMap;

use glam::{Quat, Vec3};

use super::super::ticks::Ticks;
use super::super::{AnimationKey, Object, Objects, TimedFloatKeys};
use super::{SPACE, nearest};
use crate::scene::{self, Bone, Builder, Clip, Curve, Names, Space, Track, Transform};

pub(super) fn add(objects: &Objects<'_>, scene: &mut Builder<'_>) {
    let sets: Vec<_> = objects.all().filter(|object| object.is("AnimationSet")).collect();
    if sets.is_empty() {
        return;
    }
    let ticks = match Ticks::of(objects) {
        Ticks::Stored(ticks) => ticks,
        assumed => scene.rate(assumed.per_second()),
    };
    if scene.scene().skeleton.bones().is_empty() {
        add_named(&sets, scene);
    }
    let names = scene.bone_names();
    for set in &sets {
        add_clip(*set, &names, ticks.into(), scene);
    }
}

/// Adds bones for the names of animated frames, if a file contains only animations.
fn add_named(sets: &[Object<'_>], scene: &mut Builder<'_>) {
    let animations = sets.iter().flat_map(|set| set.children_of("Animation"));
    let names: std::collections::BTreeSet<_> = animations.filter_map(target).collect();
    let bone = |name| Bone { name, ..Bone::default() };
    scene.add_bones(names.into_iter().map(bone).collect());
    scene.lose_skeleton();
}

/// Returns the name of the frame that an animation refers to or contains.
fn target(animation: Object<'_>) -> Option<String> {
    let referred = animation.references().map(|reference| reference.name).next();
    let inside = || animation.children_of("Frame").map(|frame| frame.name()).next();
    referred.or_else(inside).filter(|name| !name.is_empty()).map(scene::name)
}

fn add_clip(set: Object<'_>, names: &Names, ticks: f64, scene: &mut Builder<'_>) {
    let space = scene.space(SPACE);
    let mut tracks: Vec<Track> = Vec::new();
    let mut by_bone = HashMap::new();
    let (mut missing, mut lost) = (0, Lost::default());
    for animation in set.children_of("Animation") {
        let Some(bone) = target(animation).and_then(|name| names.find(&name)) else {
            missing += 1;
            continue;
        };
        let number = *by_bone.entry(bone).or_insert_with(|| {
            tracks.push(Track { bone, ..Track::default() });
            tracks.len() - 1
        });
        for keys in animation.children_of("AnimationKey") {
            match keys.view::<AnimationKey>() {
                Some(Ok(keys)) => {
                    let times = keys.keys.times.iter().filter(|time| **time >= 0);
                    scene.lose_order(times.map(|time| seconds(*time, ticks)));
                    add_keys(&keys, ticks, space, &mut tracks[number], &mut lost);
                }
                _ => lost.broken += 1,
            }
        }
    }
    scene.lose_some(missing, "animations", "they do not refer to an existing frame");
    scene.lose_some(lost.broken, "lists of keys", "their values are invalid");
    scene.lose_some(lost.unknown, "lists of keys", "their type is unknown");
    scene.lose_some(lost.again, "lists of keys", "their frame already has keys of this type");
    scene.lose_some(lost.early, "keys", "their time is negative");
    scene.lose_some(lost.short, "keys", "they have too few values");
    scene.lose_shear(lost.sheared, "sheared matrix keys");
    let name = scene.called(set.name());
    scene.add_clip(Clip { name, tracks, ..Clip::default() });
}

/// Counts the keys that are not converted.
#[derive(Default)]
struct Lost {
    broken: usize,
    unknown: usize,
    again: usize,
    early: usize,
    short: usize,
    sheared: usize,
}

/// Adds a channel to a track, unless it already has one.
fn add_keys(own: &AnimationKey, ticks: f64, space: Space, track: &mut Track, lost: &mut Lost) {
    match own.key_type {
        0 => {
            let keys = keys::<4>(own, ticks, lost);
            let keys = keys.into_iter().map(|(time, value)| (time, rotation(value, space)));
            set_curve(&mut track.rotation, keys, lost);
        }
        1 => {
            let keys = keys::<3>(own, ticks, lost);
            set_curve(
                &mut track.scale,
                keys.into_iter().map(|(time, value)| (time, space.scale(value))),
                lost,
            );
        }
        2 => {
            let keys = keys::<3>(own, ticks, lost);
            set_curve(
                &mut track.translation,
                keys.into_iter().map(|(time, value)| (time, space.point(value))),
                lost,
            );
        }
        3 | 4 => add_matrices(&keys::<16>(own, ticks, lost), space, track, lost),
        _ => lost.unknown += 1,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounds to the nearest float")]
fn seconds(time: i32, ticks: f64) -> f32 {
    (f64::from(time) / ticks) as f32
}

/// Returns the times in seconds and values of the keys with `N` values and a non-negative time.
fn keys<const N: usize>(own: &AnimationKey, ticks: f64, lost: &mut Lost) -> Vec<(f32, [f32; N])> {
    let key = |key: TimedFloatKeys<'_>| Some((seconds(key.time, ticks), *key.values.first_chunk()?));
    let timed: Vec<_> = own.keys.iter().filter(|key| key.time >= 0).collect();
    lost.early += own.keys.times.len() - timed.len();
    let len = timed.len();
    let keys: Vec<_> = timed.into_iter().filter_map(key).collect();
    lost.short += len - keys.len();
    keys
}

/// Sets a curve, unless there already is one.
fn set_curve<T: scene::Blend>(
    place: &mut Option<Curve<T>>,
    keys: impl Iterator<Item = (f32, T)>,
    lost: &mut Lost,
) {
    lost.again += usize::from(place.is_some());
    *place = place.take().or_else(|| Curve::straight(keys));
}

/// Converts a rotation w, x, y, z. It is the inverse of the same quaternion in Direct3D, as the frame matrices of real
/// files show.
fn rotation([w, x, y, z]: [f32; 4], space: Space) -> Quat {
    space.rotation([-x, -y, -z, w])
}

fn add_matrices(keys: &[(f32, [f32; 16])], space: Space, track: &mut Track, lost: &mut Lost) {
    let key = |(time, rows): &(f32, [f32; 16])| {
        let (place, same) = nearest(rows, space);
        lost.sheared += usize::from(!same);
        (*time, place)
    };
    let keys: Vec<(f32, Transform)> = keys.iter().map(key).collect();
    let vectors = |part: fn(&Transform) -> Vec3| keys.iter().map(move |(time, own)| (*time, part(own)));
    set_curve(&mut track.translation, vectors(|own| own.translation), lost);
    set_curve(&mut track.scale, vectors(|own| own.scale), lost);
    set_curve(&mut track.rotation, keys.iter().map(|(time, own)| (*time, own.rotation)), lost);
}
