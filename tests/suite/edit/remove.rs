use std::collections::{BTreeMap, BTreeSet};

use bindpose::check::Severity;
use bindpose::edit::{Entity, names, remove};
use bindpose::scene::author::Authoring;
use bindpose::scene::{Bone, Clip, Curve, Part, Scene, Settings, Track, Transform};
use bindpose::schema::EditError;
use bindpose::{ErrorKind, File, FileKind, FormatSpec};
use glam::Affine3A;
use proptest::prelude::*;
use proptest::sample::select;

use super::{assert_sound, corpus, files};
use crate::folders;
use crate::scene::author::strategy;

/// Removes every object by itself; returns the kinds of objects that could be removed.
fn check(name: &str, file: &File) -> BTreeSet<Entity> {
    let mut removable = BTreeSet::new();
    // Where a file contradicts itself, a removal can move the contradiction; the command refuses that.
    let findings = file.check(&file.encode().expect("bytes"), 9).findings;
    let is_valid = findings.iter().all(|finding| finding.rule.severity < Severity::Warning);
    let known: BTreeSet<_> = names(file)
        .expect("names")
        .into_iter()
        .filter(|own| !own.text.is_empty())
        .map(|own| (own.entity, own.text))
        .collect();
    for (entity, text) in known.into_iter().take(12) {
        let mut edited = [file.clone()];
        match remove(&mut edited, entity, &text) {
            Ok(_) => {
                removable.insert(entity);
                let [edited] = edited;
                if is_valid {
                    assert_sound(name, file, &edited);
                    if entity == Entity::Bone {
                        let sets = [file, &edited].map(std::slice::from_ref);
                        assert_same_places(name, sets[0], sets[1], &text);
                    }
                }
                let left = names(&edited).expect("names");
                assert!(
                    !left.iter().any(|own| own.is_definition && own.entity == entity && own.text == text),
                    "{name}"
                );
            }
            Err(error) => {
                assert!(
                    edited[0].encode().ok() == file.encode().ok(),
                    "{name}: a refused edit changes nothing"
                );
                let is_known = matches!(
                    error.kind(),
                    ErrorKind::Value(
                        EditError::InUse { .. } | EditError::Unsupported(_) | EditError::NoObject { .. }
                    )
                );
                assert!(is_known || !is_valid, "{name}: {error}");
            }
        }
    }
    removable
}

/// Asserts that the bones that are left are where they were, in the bind pose and in every clip.
fn assert_same_places(name: &str, before: &[File], after: &[File], removed: &[u8]) {
    let removed = String::from_utf8_lossy(removed).into_owned();
    let [a, b] = [before, after].map(|files| {
        let parts: Vec<_> = files.iter().map(|file| Part { name: "file", file: file.meaning() }).collect();
        Scene::of(&parts, &Settings::default())
    });
    let is_kept = |bone: &Bone| bone.name.trim_end() != removed.trim_end();
    let kept: Vec<_> =
        (0..a.skeleton.bones().len()).filter(|bone| is_kept(&a.skeleton.bones()[*bone])).collect();
    // Matrices relative to a bone that is scaled unevenly can be sheared, which poses are not.
    if [&a, &b].iter().any(|scene| scene.losses.iter().any(|loss| loss.what.contains("shear"))) {
        return;
    }
    // Files that know their bones by index only, and names that are not unique, cannot be paired.
    if kept.len() != b.skeleton.bones().len() {
        return;
    }
    let compare = |what: &str, old: &[Affine3A], new: &[Affine3A]| {
        let size = old.iter().flat_map(Affine3A::to_cols_array).map(f32::abs).fold(1.0, f32::max);
        for (bone, new) in kept.iter().zip(new) {
            let (old, tolerance) = (old[*bone], 1e-3 * size);
            let same = !old.is_finite() || old.abs_diff_eq(*new, tolerance);
            assert!(same, "{name}: {what}: bone {bone}: {old:?} is now {new:?}");
        }
    };
    let place = |scene: &Scene, pose: &[Transform]| scene.skeleton.model_space(pose);
    compare("bind pose", &place(&a, &a.skeleton.bind_pose()), &place(&b, &b.skeleton.bind_pose()));
    let bones = a.skeleton.bones();
    let lost = (0..bones.len()).find(|bone| !kept.contains(bone));
    let children = |bone: usize| (0..bones.len()).filter(move |own| bones[*own].parent == Some(bone));
    let heir = lost.filter(|lost| bones[*lost].parent.is_none()).and_then(|lost| children(lost).next());
    for (old, new) in a.clips.iter().zip(&b.clips) {
        // Between keys, a product of two turns does not move as the turns do.
        let moving = lost.into_iter().chain(heir).map(|bone| key_times(old, |own| own.bone == bone));
        let shared = moving.filter(|keys| !keys.is_empty()).reduce(|mut all, keys| {
            all.retain(|time| keys.contains(time));
            all
        });
        let keys = shared.unwrap_or_else(|| key_times(old, |_| true));
        for &seconds in keys.iter().step_by((keys.len() / 4).max(1)) {
            let poses = [old.sample(&a.skeleton, seconds), new.sample(&b.skeleton, seconds)];
            compare(&old.name, &place(&a, &poses[0]), &place(&b, &poses[1]));
        }
    }
}

/// Returns the times of all keys of some tracks.
fn key_times(clip: &Clip, is_wanted: impl Fn(&Track) -> bool) -> Vec<f32> {
    let times = |track: &Track| {
        let curves = [&track.translation, &track.scale].map(|curve| curve.as_ref().map(Curve::times));
        let rotation = track.rotation.as_ref().map(Curve::times);
        curves.into_iter().chain([rotation]).flatten().flatten().copied().collect::<Vec<_>>()
    };
    let mut keys: Vec<_> = clip.tracks.iter().filter(|own| is_wanted(own)).flat_map(times).collect();
    keys.sort_by(f32::total_cmp);
    keys.dedup();
    keys
}

#[test]
fn objects_of_samples_can_be_removed_one_by_one() {
    let mut kinds: BTreeMap<Entity, BTreeSet<FileKind>> = BTreeMap::new();
    for (name, file) in files() {
        for entity in check(&name, &file) {
            kinds.entry(entity).or_default().insert(file.kind());
        }
    }
    let have = |entity: Entity, formats: &str| {
        let found: BTreeSet<_> = kinds[&entity].iter().map(|kind| kind.name()).collect();
        formats.split(' ').for_each(|format| assert!(found.contains(format), "{format} has no {entity}"));
    };
    have(Entity::Bone, "ms3d cal3d-skeleton psk psa unigine-mesh unigine-anim max-skeleton x");
    have(Entity::Material, "ms3d");
    have(Entity::Clip, "psa unigine-mesh unigine-anim");
    have(Entity::Texture, "ms3d cal3d-material x");
}

/// The formats of a model with its clips.
fn sets() -> Vec<Vec<FormatSpec>> {
    let spec = |kind, dialect| FormatSpec { kind, dialect };
    let mut sets = vec![
        vec![spec(FileKind::Ms3d, None)],
        vec![spec(FileKind::Psk, None), spec(FileKind::Psa, None)],
        vec![spec(FileKind::UnigineMesh, None), spec(FileKind::UnigineAnim, None)],
        vec![spec(FileKind::X, None)],
        vec![
            spec(FileKind::MaxSkeleton, None),
            spec(FileKind::MaxMesh, None),
            spec(FileKind::MaxAnimation, None),
        ],
    ];
    let kinds = [FileKind::Cal3dSkeleton, FileKind::Cal3dMesh, FileKind::Cal3dAnimation];
    let dialects = ["classic", "imvu", "xml"];
    sets.extend(dialects.map(|dialect| kinds.map(|kind| spec(kind, Some(dialect))).to_vec()));
    sets
}

proptest! {
    #![proptest_config(folders::config(96))]
    #[test]
    fn bones_that_are_left_stay_where_they_were(scene in strategy::scene(), specs in select(sets())) {
        let name = specs[0].kind.name();
        let authored = specs.iter().filter_map(|spec| spec.author(&scene, "file", &Authoring::default()).ok());
        let set: Vec<_> = authored.flat_map(|written| written.files).map(|own| own.file).collect();
        let all = set.iter().flat_map(|file| names(file).expect("names"));
        let bones: BTreeSet<_> = all.filter(|own| own.entity == Entity::Bone && !own.text.is_empty()).map(|own| own.text).collect();
        for bone in bones {
            let mut edited = set.clone();
            match remove(&mut edited, Entity::Bone, &bone) {
                Ok(_) => {
                    set.iter().zip(&edited).for_each(|(before, after)| assert_sound(name, before, after));
                    assert_same_places(name, &set, &edited, &bone);
                }
                Err(error) => {
                    let ErrorKind::Value(why) = error.kind() else { panic!("{name}: {error}") };
                    assert!(matches!(why, EditError::InUse { .. } | EditError::Unsupported(_)), "{name}: {error}");
                }
            }
        }
    }
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS"]
fn corpus_objects_can_be_removed_one_by_one() {
    corpus().for_each(|(name, file)| drop(check(&name, &file)));
}

#[test]
fn an_object_that_does_not_exist_is_an_error_with_similar_names() {
    let mut files = [folders::sample("corpus/ms3d/full.ms3d").file];
    let error = remove(&mut files, Entity::Bone, b"rot").unwrap_err();
    assert_eq!(error.to_string(), "no bone is named `rot`; similar: `root`");
}
