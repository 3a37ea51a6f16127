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

/// Writes a scene without materials and compares it with what is read again; none if it cannot be written.
fn check(scene: Scene, settings: &Authoring) -> Option<Result<usize, String>> {
    let mut scene = without_materials(scene);
    // Meshes of frames are in their frames, before the others.
    let bones = nested(&scene.skeleton);
    let mut places = vec![usize::MAX; bones.len()];
    for (place, bone) in bones.iter().enumerate() {
        places[*bone] = place;
    }
    scene
        .meshes
        .sort_by_key(|mesh| mesh.bone.filter(|_| mesh.skin.is_none()).map_or(usize::MAX, |own| places[own]));
    for clip in &mut scene.clips {
        clip.morphs.clear();
    }
    let (result, written) = match rewritten(&scene, &[FileKind::X.into()], settings) {
        Ok(result) => result,
        Err(AuthorError::Empty { .. } | AuthorError::Limit { .. }) => return None,
        Err(error) => panic!("{error}"),
    };
    let moving: Vec<&Clip> = scene.clips.iter().filter(|clip| moves(clip)).collect();
    let losses = &written[0].losses;
    let moved = ["before the start", "resampled"];
    let differs = losses.iter().any(|loss| moved.iter().any(|own| loss.why.contains(own)));
    let compared = |clips| compare(&scene, &result, &bones, clips, Tolerance::FLOATS);
    let mut same = compared(None);
    if moving.len() != result.clips.len() {
        return Some(Err(format!("{} clips instead of {}", result.clips.len(), moving.len())));
    }
    for clips in moving.iter().copied().zip(&result.clips).filter(|_| !differs && !changes_poses(&written)) {
        same = same.and_then(|()| compared(Some(clips)));
    }
    Some(same.map(|()| losses.len()).map_err(|why| format!("{why}; losses {losses:?}")))
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn corpus_files_are_read_as_they_were_written() {
    let mut failures = Vec::new();
    let (mut written, mut refused) = (0, 0);
    // Normals of bones that are not in one pose, and of vertices that are not finite, are reported.
    let reported = |why: &str| why.contains("not in one pose") || why.contains("not finite");
    for (name, scene) in super::corpus() {
        match std::panic::catch_unwind(|| check(scene, &Authoring::default())) {
            Ok(None) => refused += 1,
            Ok(Some(Ok(_))) => written += 1,
            Ok(Some(Err(why))) if reported(&why) => println!("{name}: {why}"),
            Ok(Some(Err(why))) => {
                failures.push(format!("{name}: {}", why.chars().take(300).collect::<String>()));
            }
            Err(_) => failures.push(format!("{name}: panicked")),
        }
    }
    println!("{written} written, {refused} refused");
    assert!(failures.is_empty() && written > 0, "{} failures:\n{}", failures.len(), failures.join("\n"));
}

proptest! {
    #![proptest_config(crate::folders::config(256))]
    #[test]
    fn a_scene_is_read_as_it_was_written(
        scene in strategy::scene(),
        name in prop::sample::select(vec!["txt", "bin", "tzip", "bzip"]),
    ) {
        if let Some(Err(why)) = check(scene, &encoding(name)) {
            return Err(TestCaseError::fail(why));
        }
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
