//! Converts animation sets.

use std::collections::HashMap;

use glam::{Quat, Vec3};

use super::super::conventions::SPACE;
use super::super::keys::KeyKind;
use super::super::ticks::Ticks;
use super::super::transform::target;
use super::super::{Animation, AnimationKey, AnimationSet, Object, Objects, TimedFloatKeys, View as _};
use super::{matrix, shallow_path};
use crate::check::common::field_path;
use crate::scene::{
    self, Bone, Builder, Channel, Clip, Curve, Inexact, Lost, Names, Space, Track, Transform, in_order,
};

pub(super) fn add(objects: &Objects<'_>, scene: &mut Builder<'_>) {
    let sets: Vec<_> = objects.all().filter(|object| object.is(AnimationSet::TEMPLATE)).collect();
    if sets.is_empty() {
        return;
    }
    let ticks = match Ticks::of(objects) {
        stored @ (Ticks::Stored(_) | Ticks::Irrelevant) => stored.per_second(),
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
    let animations = sets.iter().flat_map(|set| set.children_of(Animation::TEMPLATE));
    let names: std::collections::BTreeSet<_> = animations.filter_map(target).map(scene::name).collect();
    let bone = |name| Bone { name, ..Bone::default() };
    scene.add_bones(names.into_iter().map(bone));
    scene.report_loss(Lost::MissingSkeleton);
}

fn add_clip(set: Object<'_>, names: &Names, ticks: f64, scene: &mut Builder<'_>) {
    let space = scene.space(SPACE);
    scene.within("clip", &scene::name(set.name()));
    let mut tracks: Vec<Track> = Vec::new();
    let mut by_bone = HashMap::new();
    let (mut missing, mut lost) = (0, Unread::default());
    let mut sources = Vec::new();
    for animation in set.children_of(Animation::TEMPLATE) {
        let Some(bone) = target(animation).and_then(|name| names.find(&scene::name(name))) else {
            missing += 1;
            continue;
        };
        let number = *by_bone.entry(bone).or_insert_with(|| {
            tracks.push(Track { bone, ..Track::default() });
            tracks.len() - 1
        });
        for keys in animation.children_of(AnimationKey::TEMPLATE) {
            match keys.view_and_surplus::<AnimationKey>() {
                Some(Ok((own, surplus))) => {
                    lost.surplus += usize::from(surplus);
                    let times = own.keys.times.iter().filter(|time| **time >= 0);
                    scene.report_order(times.map(|time| seconds(*time, ticks)));
                    let before = channels(&tracks[number]);
                    add_keys(&own, ticks, space, &mut tracks[number], &mut lost);
                    let mut added = channels(&tracks[number]);
                    added.retain(|channel| !before.contains(channel));
                    let records = records(&own, ticks);
                    sources.extend(added.into_iter().map(|channel| (bone, channel, keys, records.clone())));
                }
                _ => lost.broken += 1,
            }
        }
    }
    scene.report_losses(missing, Lost::Tracks);
    scene.report_losses(lost.broken, Lost::InvalidKeys);
    scene.report_losses(lost.surplus, Lost::SurplusKeys);
    scene.report_losses(lost.unknown, Lost::UnknownKeys);
    scene.report_losses(lost.again, Lost::RepeatedKeys);
    scene.report_losses(lost.early, Lost::EarlyKeys);
    scene.report_losses(lost.short, Lost::KeysWithoutValues);
    scene.report_inexact(&lost.inexact, Lost::ShearedKeys, Lost::NonFiniteKeys);
    let name = scene.called(set.name());
    scene.add_clip(Clip { name, tracks, ..Clip::default() });
    for (bone, channel, keys, records) in sources {
        if let Some(path) = shallow_path(keys) {
            let records_path = path.join(&field_path!["keys"]);
            scene.trace_keys(bone, channel, records_path, field_path!["tfkeys", "values"], records);
        }
    }
}

/// Returns the curves of an animation in the axes of the file. Times are ticks.
pub(in crate::formats::directx) fn track(animation: Object<'_>) -> Track {
    let mut track = Track::default();
    for keys in
        animation.children_of(AnimationKey::TEMPLATE).filter_map(|own| own.view::<AnimationKey>()?.ok())
    {
        add_keys(&keys, 1.0, Space::RIGHT_Y_UP, &mut track, &mut Unread::default());
    }
    track
}

/// Returns the curves that a track has.
fn channels(track: &Track) -> Vec<Channel> {
    let present = [
        (Channel::Translation, track.translation.is_some()),
        (Channel::Rotation, track.rotation.is_some()),
        (Channel::Scale, track.scale.is_some()),
    ];
    present.into_iter().filter_map(|(channel, is_present)| is_present.then_some(channel)).collect()
}

/// Returns the indices of the keys that a curve has, in its order.
fn records(own: &AnimationKey, ticks: f64) -> Vec<usize> {
    let len = own.kind().map_or(usize::MAX, KeyKind::num_values);
    let valid = own.keys.iter().enumerate().filter(|(_, key)| key.time >= 0 && key.values.len() >= len);
    let timed = in_order(valid.map(|(record, key)| (seconds(key.time, ticks), record)));
    timed.into_iter().map(|(_, record)| record).collect()
}

/// Counts the keys that are not converted.
#[derive(Default)]
struct Unread {
    broken: usize,
    surplus: usize,
    unknown: usize,
    again: usize,
    early: usize,
    short: usize,
    inexact: Inexact,
}

/// Adds a channel to a track, unless it already has one.
fn add_keys(own: &AnimationKey, ticks: f64, space: Space, track: &mut Track, lost: &mut Unread) {
    match own.kind() {
        Some(KeyKind::Rotation) => {
            let keys = keys::<4>(own, ticks, lost);
            let keys = keys.into_iter().map(|(time, value)| (time, rotation(value, space)));
            set_curve(&mut track.rotation, keys, lost);
        }
        Some(KeyKind::Scale) => {
            let keys = keys::<3>(own, ticks, lost);
            set_curve(
                &mut track.scale,
                keys.into_iter().map(|(time, value)| (time, space.scale(value))),
                lost,
            );
        }
        Some(KeyKind::Position) => {
            let keys = keys::<3>(own, ticks, lost);
            set_curve(
                &mut track.translation,
                keys.into_iter().map(|(time, value)| (time, space.point(value))),
                lost,
            );
        }
        Some(KeyKind::Matrix) => add_matrices(&keys::<16>(own, ticks, lost), space, track, lost),
        None => lost.unknown += 1,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounds to the nearest float")]
fn seconds(time: i32, ticks: f64) -> f32 {
    (f64::from(time) / ticks) as f32
}

/// Returns the times in seconds and values of the keys with `N` values and a non-negative time.
fn keys<const N: usize>(own: &AnimationKey, ticks: f64, lost: &mut Unread) -> Vec<(f32, [f32; N])> {
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
    lost: &mut Unread,
) {
    lost.again += usize::from(place.is_some());
    *place = place.take().or_else(|| Curve::straight(keys));
}

/// Converts a rotation w, x, y, z. It is the inverse of the same quaternion in Direct3D, as the frame matrices of real
/// files show.
fn rotation([w, x, y, z]: [f32; 4], space: Space) -> Quat {
    space.rotation([-x, -y, -z, w])
}

fn add_matrices(keys: &[(f32, [f32; 16])], space: Space, track: &mut Track, lost: &mut Unread) {
    let key = |(time, rows): &(f32, [f32; 16])| {
        (*time, lost.inexact.nearest(&matrix(rows, space)).unwrap_or_default())
    };
    let keys: Vec<(f32, Transform)> = keys.iter().map(key).collect();
    let vectors = |part: fn(&Transform) -> Vec3| keys.iter().map(move |(time, own)| (*time, part(own)));
    set_curve(&mut track.translation, vectors(|own| own.translation), lost);
    set_curve(&mut track.scale, vectors(|own| own.scale), lost);
    set_curve(&mut track.rotation, keys.iter().map(|(time, own)| (*time, own.rotation)), lost);
}
