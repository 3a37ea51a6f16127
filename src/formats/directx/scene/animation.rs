//! What animation sets mean.

use std::collections::HashMap;

use glam::{Quat, Vec3};

use super::super::{AnimTicksPerSecond, AnimationKey, Object, Objects};
use super::{SHEARED, SPACE, nearest};
use crate::scene::{self, Between, Bone, Builder, Clip, Curve, Names, Space, Track, Transform};

/// Ticks in a second where a file does not say: what Microsoft's own viewer and other readers take.
const TICKS: u32 = 4800;

pub(super) fn add(objects: &Objects<'_>, scene: &mut Builder<'_>) {
    let sets: Vec<_> = objects.all().filter(|object| object.is("AnimationSet")).collect();
    // Some files say it several times; the last one holds.
    let ticks = objects.views::<AnimTicksPerSecond>().filter_map(Result::ok).last();
    let ticks = ticks.map(|view| view.ticks).filter(|ticks| *ticks > 0).unwrap_or(TICKS);
    if scene.scene().skeleton.bones().is_empty() {
        add_named(&sets, scene);
    }
    let names = scene.bone_names();
    for set in &sets {
        add_clip(*set, &names, f64::from(ticks), scene);
    }
}

/// Files that hold nothing but animations name the frames of others: as bones, they have nothing but their names.
fn add_named(sets: &[Object<'_>], scene: &mut Builder<'_>) {
    let animations = sets.iter().flat_map(|set| set.children_of("Animation"));
    let names: std::collections::BTreeSet<_> = animations.filter_map(target).collect();
    let bone = |name| Bone { name, ..Bone::default() };
    scene.add_bones(names.into_iter().map(bone).collect());
}

/// The name of the frame that an animation moves: it refers to it, or the frame stands inside.
fn target(animation: Object<'_>) -> Option<String> {
    let referred = animation.references().map(|reference| reference.name).next();
    let inside = || animation.children_of("Frame").map(|frame| frame.name()).next();
    referred.or_else(inside).filter(|name| !name.is_empty()).map(scene::name)
}

fn add_clip(set: Object<'_>, names: &Names, ticks: f64, scene: &mut Builder<'_>) {
    let space = scene.space(SPACE);
    let mut tracks: Vec<Track> = Vec::new();
    let mut by_bone = HashMap::new();
    let (mut missing, mut sheared) = (0, 0);
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
                Some(Ok(keys)) => sheared += add_keys(&keys, ticks, space, &mut tracks[number]),
                _ => scene.lose("keys of an animation", "their values make no sense"),
            }
        }
    }
    scene.lose_some(missing, "animations", "they name no frame there is");
    scene.lose_some(sheared, "sheared matrix keys", SHEARED);
    let name = if set.name().is_empty() { scene.file().to_owned() } else { scene::name(set.name()) };
    scene.add_clip(Clip { name, tracks, ..Clip::default() });
}

/// Adds a channel to a track that does not have it yet; returns how many keys were sheared.
fn add_keys(own: &AnimationKey, ticks: f64, space: Space, track: &mut Track) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "the nearest float is meant")]
    let seconds = |time: u32| (f64::from(time) / ticks) as f32;
    let vectors =
        || own.keys.iter().filter_map(|key| Some((seconds(key.time), *key.values.first_chunk::<3>()?)));
    match own.key_type {
        0 => {
            let keys =
                own.keys.iter().filter_map(|key| Some((seconds(key.time), *key.values.first_chunk::<4>()?)));
            let curve = curve(keys.map(|(time, value)| (time, rotation(value, space))));
            track.rotation = track.rotation.take().or(curve);
        }
        1 => {
            let curve = curve(vectors().map(|(time, value)| (time, space.scale(value))));
            track.scale = track.scale.take().or(curve);
        }
        2 => {
            let curve = curve(vectors().map(|(time, value)| (time, space.point(value))));
            track.translation = track.translation.take().or(curve);
        }
        3 | 4 => return add_matrices(own, seconds, space, track),
        _ => {}
    }
    0
}

/// The file has w, x, y, z and means the inverse of what Direct3D makes of such a quaternion: the only reading that fits
/// the frames' matrices of real files.
fn rotation([w, x, y, z]: [f32; 4], space: Space) -> Quat {
    space.rotation([-x, -y, -z, w])
}

fn add_matrices(own: &AnimationKey, seconds: impl Fn(u32) -> f32, space: Space, track: &mut Track) -> usize {
    let mut sheared = 0;
    let keys = own.keys.iter().filter_map(|key| {
        let (place, same) = nearest(key.values.first_chunk::<16>()?, space);
        sheared += usize::from(!same);
        Some((seconds(key.time), place))
    });
    let keys: Vec<(f32, Transform)> = keys.collect();
    let vectors = |part: fn(&Transform) -> Vec3| curve(keys.iter().map(|(time, own)| (*time, part(own))));
    track.translation = track.translation.take().or_else(|| vectors(|own| own.translation));
    track.scale = track.scale.take().or_else(|| vectors(|own| own.scale));
    track.rotation =
        track.rotation.take().or_else(|| curve(keys.iter().map(|(time, own)| (*time, own.rotation))));
    sheared
}

fn curve<T: scene::Blend>(keys: impl Iterator<Item = (f32, T)>) -> Option<Curve<T>> {
    let curve = Curve::new(keys, Between::Straight);
    (!curve.times().is_empty()).then_some(curve)
}
