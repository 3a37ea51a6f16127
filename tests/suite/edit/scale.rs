use std::collections::BTreeSet;

use bindpose::edit::scale;
use bindpose::scene::{Part, Scene, Settings};
use bindpose::schema::EditError;
use bindpose::{Budget, ErrorKind, File, FileKind};
use glam::Vec3;

use super::{assert_sound, corpus, files, has_warnings};
use crate::folders;

fn scene(file: &File) -> Scene {
    Scene::of(&[Part { name: "file", file: file.as_scene_source() }], &Settings::default())
}

/// Scales a file; returns whether that is possible.
fn check(name: &str, file: &File, factor: f32) -> bool {
    let mut edited = file.clone();
    if let Err(error) = scale(&mut edited, factor, &Budget::default()) {
        let is_refused = matches!(error.kind(), ErrorKind::Value(EditError::Unsupported(_)));
        assert!(is_refused || file.damage().is_some() || has_warnings(file), "{name}: {error}");
        return false;
    }
    // Matrices of arbitrary numbers have no translation and rotation that follow.
    if has_warnings(file) {
        return false;
    }
    assert_sound(name, file, &edited);
    let (a, b) = (scene(file), scene(&edited));
    assert_eq!(a.skeleton.bones().len(), b.skeleton.bones().len(), "{name}");
    for (old, new) in a.skeleton.bones().iter().zip(b.skeleton.bones()) {
        same(name, "a bone", [old.bind.translation], [new.bind.translation], factor);
        same(name, "a rotation", [old.bind.rotation.xyz()], [new.bind.rotation.xyz()], 1.0);
    }
    assert_eq!(a.meshes.len(), b.meshes.len(), "{name}");
    for (old, new) in a.meshes.iter().zip(&b.meshes) {
        same(name, "positions", old.positions.iter().copied(), new.positions.iter().copied(), factor);
        let joints = |mesh: &bindpose::scene::Mesh| -> Vec<Vec3> {
            let joints = mesh.skin.iter().flat_map(|skin| skin.joints.iter());
            joints.map(|joint| joint.inverse_bind.translation.into()).collect()
        };
        same(name, "inverse bind poses", joints(old), joints(new), factor);
    }
    assert_eq!(a.clips.len(), b.clips.len(), "{name}");
    for (old, new) in a.clips.iter().zip(&b.clips) {
        let (start, end) = old.span().unwrap_or_default();
        for seconds in [start, start.midpoint(end), end] {
            let poses = [old.sample(&a.skeleton, seconds), new.sample(&b.skeleton, seconds)];
            let [old, new] = poses.map(|pose| pose.iter().map(|own| own.translation).collect::<Vec<_>>());
            same(name, "a pose", old, new, factor);
        }
    }
    true
}

/// Asserts that points are multiplied, to a part in ten thousand of the largest one.
fn same(
    name: &str,
    what: &str,
    old: impl IntoIterator<Item = Vec3>,
    new: impl IntoIterator<Item = Vec3>,
    factor: f32,
) {
    let (old, new): (Vec<_>, Vec<_>) = (old.into_iter().collect(), new.into_iter().collect());
    assert_eq!(old.len(), new.len(), "{name}: {what}");
    let size = old.iter().filter(|own| own.is_finite()).fold(1e-3, |size, own| own.length().max(size));
    for (old, new) in old.into_iter().zip(new).filter(|(old, _)| (*old * factor).is_finite()) {
        let meant = old * factor;
        assert!(meant.abs_diff_eq(new, 1e-4 * size * factor), "{name}: {what}: {meant} is {new}");
    }
}

#[test]
fn the_scene_of_a_scaled_file_is_the_scaled_scene() {
    let mut scaled = BTreeSet::new();
    for (name, file) in files() {
        for factor in [2.0, 0.01] {
            if check(&name, &file, factor) {
                scaled.insert(file.kind());
            }
        }
    }
    let missing: Vec<_> = FileKind::ALL.iter().filter(|kind| !scaled.contains(kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn corpus_scenes_of_scaled_files_are_scaled() {
    corpus().for_each(|(name, file)| _ = check(&name, &file, 100.0));
}

#[test]
fn a_factor_is_a_positive_number() {
    let original = folders::sample("corpus/ms3d/full.ms3d").file;
    for factor in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let mut file = original.clone();
        let error = scale(&mut file, factor, &Budget::default()).unwrap_err();
        assert_eq!(error.to_string(), "the factor must be a positive number");
    }
}
