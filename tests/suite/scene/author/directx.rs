//! Scenes as DirectX files.

use bindpose::FileKind;
use bindpose::scene::author::{AuthorError, Authoring};
use bindpose::scene::{Clip, Curve, Scene, Skeleton};
use proptest::prelude::*;

use super::compare::{Tolerance, compare};
use super::{changes_poses, rewritten, strategy};

fn encoding(name: &str) -> Authoring {
    let mut settings = Authoring::default();
    settings.version = Some(name.to_owned());
    settings
}

/// The bones in the order of nested frames.
fn nested(skeleton: &Skeleton) -> Vec<usize> {
    let bones = skeleton.bones();
    let children =
        |parent: Option<usize>| (0..bones.len()).rev().filter(move |index| bones[*index].parent == parent);
    let mut stack: Vec<usize> = children(None).collect();
    let mut order = Vec::new();
    while let Some(bone) = stack.pop() {
        order.push(bone);
        stack.extend(children(Some(bone)));
    }
    order
}

/// Without materials: the reader sorts triangles by material.
fn without_materials(mut scene: Scene) -> Scene {
    scene.materials.clear();
    for primitive in scene.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        primitive.material = None;
    }
    scene
}

fn moves(clip: &Clip) -> bool {
    fn has<T: bindpose::scene::Blend>(curve: Option<&Curve<T>>) -> bool {
        curve.is_some_and(|own| !own.times().is_empty())
    }
    clip.tracks
        .iter()
        .any(|own| has(own.translation.as_ref()) || has(own.rotation.as_ref()) || has(own.scale.as_ref()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]
    #[test]
    fn a_scene_is_read_as_it_was_written(
        scene in strategy::scene(),
        name in prop::sample::select(vec!["txt", "bin", "tzip", "bzip"]),
    ) {
        let mut scene = without_materials(scene);
        // Meshes of frames are in their frames, before the others.
        let bones = nested(&scene.skeleton);
        scene.meshes.sort_by_key(|mesh| {
            let bone = mesh.bone.filter(|_| mesh.skin.is_none());
            bone.and_then(|bone| bones.iter().position(|own| *own == bone)).unwrap_or(usize::MAX)
        });
        for clip in &mut scene.clips {
            clip.morphs.clear();
        }
        let (result, written) = match rewritten(&scene, &[FileKind::X.into()], &encoding(name)) {
            Ok(result) => result,
            Err(AuthorError::Empty { .. }) => return Ok(()),
            Err(error) => panic!("{error}"),
        };
        let moving: Vec<&Clip> = scene.clips.iter().filter(|clip| moves(clip)).collect();
        prop_assert_eq!(moving.len(), result.clips.len());
        let losses = &written[0].losses;
        let moved = ["before the start", "resampled"];
        let differs = losses.iter().any(|loss| moved.iter().any(|own| loss.why.contains(own)));
        let compared = |clips| compare(&scene, &result, &bones, clips, Tolerance::FLOATS);
        let mut same = compared(None);
        for clips in moving.iter().copied().zip(&result.clips).filter(|_| !differs && !changes_poses(&written)) {
            same = same.and_then(|()| compared(Some(clips)));
        }
        prop_assert!(same.is_ok(), "{}; losses {:?}", same.unwrap_err(), written[0].losses);
    }

    #[test]
    fn materials_are_read_as_they_were_written(scene in strategy::scene()) {
        let (result, _) = match rewritten(&scene, &[FileKind::X.into()], &Authoring::default()) {
            Ok(result) => result,
            Err(AuthorError::Empty { .. }) => return Ok(()),
            Err(error) => panic!("{error}"),
        };
        // The colours of all triangles; those without a material are white.
        let colors = |scene: &Scene| {
            let mut all: Vec<([u32; 4], usize)> = Vec::new();
            for primitive in scene.meshes.iter().flat_map(|mesh| &mesh.primitives) {
                let own = primitive.material.map_or([1.0; 4], |own| scene.materials[own].color);
                let faces = primitive.triangles.iter().filter(|[a, b, c]| a != b && b != c && c != a);
                all.extend(faces.map(|_| (own.map(f32::to_bits), 1)));
            }
            all.sort_unstable();
            all
        };
        prop_assert_eq!(colors(&scene), colors(&result));
    }
}
