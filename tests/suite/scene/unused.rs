//! Bones that hold nothing are removed, and nothing else changes.

use bindpose::scene::{Bone, BoneValues, Lost, Mesh, Playback, Retargeting, Scene, Skeleton};
use proptest::prelude::*;

use super::author::strategy;
use crate::folders;

/// The names of the bones around one, the innermost first.
fn line(skeleton: &Skeleton, bone: usize) -> Vec<&str> {
    let bones = skeleton.bones();
    std::iter::successors(Some(bone), |bone| bones[*bone].parent).map(|bone| &*bones[bone].name).collect()
}

/// What is attached to bones, by the names of the bones.
fn holders(scene: &Scene) -> Vec<Vec<&str>> {
    let line = |bone| line(&scene.skeleton, bone);
    let joints = scene.meshes.iter().filter_map(|mesh| mesh.skin.as_ref()).flat_map(|skin| &*skin.joints);
    let tracks = scene.clips.iter().flat_map(|clip| &clip.tracks);
    { scene.meshes.iter().filter_map(|mesh| mesh.bone) }
        .chain(joints.map(|joint| joint.bone))
        .chain(tracks.map(|track| track.bone))
        .chain(scene.attachments.iter().filter_map(|own| own.bone))
        .map(line)
        .collect()
}

#[test]
fn everything_stays_on_its_bone() {
    let bones = 1..6_usize;
    let scenes = (strategy::scene(), proptest::collection::vec(any::<prop::sample::Index>(), bones));
    let mut runner = proptest::test_runner::TestRunner::new(folders::config(64));
    runner
        .run(&scenes, |(mut scene, parents)| {
            if scene.meshes.is_empty() {
                scene.meshes.push(Mesh::default());
            }
            let mut bones = scene.skeleton.bones().to_vec();
            for (index, parent) in parents.iter().enumerate() {
                let parent = (!bones.is_empty()).then(|| parent.index(bones.len()));
                // Unused bones are among the others, and below them.
                bones.push(Bone { name: format!("unused {index}"), parent, ..Bone::default() });
            }
            // The settings of a bone are its name here.
            let numbered = |bone: &Bone| bone.name.bytes().map(f32::from).sum::<f32>();
            let values: Vec<f32> = bones.iter().map(numbered).collect();
            let fitted =
                values.iter().map(|value| Retargeting { length: Some(*value), ..Retargeting::default() });
            let playback = Playback {
                retargeting: fitted.collect(),
                masks: vec![BoneValues { name: "mask".into(), values }],
                ..Playback::default()
            };
            scene.skeleton = Skeleton::new(bones).0.with_playback(playback);
            let before = scene.clone();
            let removed = scene.remove_unused_bones();
            prop_assert!(removed >= parents.len());
            prop_assert_eq!(scene.skeleton.bones().len() + removed, before.skeleton.bones().len());
            prop_assert_eq!(holders(&scene), holders(&before));
            prop_assert!(scene.skeleton.bones().iter().all(|bone| !bone.name.starts_with("unused")));
            for (index, bone) in scene.skeleton.bones().iter().enumerate() {
                prop_assert_eq!(Some(scene.skeleton.playback().masks[0].of(index)), Some(numbered(bone)));
                prop_assert_eq!(scene.skeleton.playback().retargeting[index].length, Some(numbered(bone)));
            }
            let loss = scene.losses.iter().find(|loss| loss.lost == Lost::UnusedNodes);
            prop_assert_eq!(loss.map(|loss| loss.count), Some(removed));
            prop_assert_eq!(scene.clone().remove_unused_bones(), 0);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_skeleton_alone_keeps_its_bones() {
    let skeleton = Skeleton::new(vec![Bone::default(); 3]).0;
    let mut scene = Scene { skeleton, ..Scene::default() };
    assert_eq!(scene.remove_unused_bones(), 0);
    assert_eq!(scene.skeleton.bones().len(), 3);
}
