//! Scenes as UNIGINE meshes and animations.

use bindpose::scene::author::{AuthorError, Authoring};
use bindpose::scene::{Curve, Mesh, Primitive, Scene};
use bindpose::{FileKind, FormatSpec};
use glam::{Vec2, Vec3};
use proptest::prelude::*;

use super::compare::{Tolerance, compare, size};
use super::{changes_poses, rewritten, strategy};

/// Weights are multiples of 1/65535. Normals have 16 bits, and the w of their quaternion is never near 0.
const TOLERANCE: Tolerance = Tolerance { posed: 1e-3, normal: 5e-3, ..Tolerance::FLOATS };

fn version(name: &str) -> Authoring {
    let mut settings = Authoring::default();
    settings.version = Some(name.to_owned());
    settings
}

/// The format has no materials: triangles keep the order of the primitives.
fn without_materials(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    for primitive in scene.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        primitive.material = None;
    }
    scene
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn corpus_files_are_read_as_they_were_written() {
    let mut failures = Vec::new();
    let (mut written, mut refused) = (0, 0);
    // Normals of bones that are not in one pose, and of vertices that are not finite, are reported.
    let reported = |why: &str| why.contains("not in one pose") || why.contains("not finite");
    for (name, scene) in super::corpus() {
        let check = || {
            let scene = without_materials(&scene);
            let (result, files) =
                match rewritten(&scene, &[FileKind::UnigineMesh.into()], &Authoring::default()) {
                    Ok(result) => result,
                    Err(AuthorError::Empty { .. } | AuthorError::Limit { .. }) => return None,
                    Err(error) => panic!("{error}"),
                };
            let clips = rewritten(&scene, &[FileKind::UnigineAnim.into()], &Authoring::default());
            assert!(matches!(clips, Ok(_) | Err(AuthorError::Empty { .. } | AuthorError::Limit { .. })));
            let same = compare(&scene, &result, scene.skeleton.order(), None, TOLERANCE);
            Some(same.map_err(|why| format!("{why}; losses {:?}", files[0].losses)))
        };
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)) {
            Ok(None) => refused += 1,
            Ok(Some(Ok(()))) => written += 1,
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
    fn a_mesh_is_read_as_it_was_written(scene in strategy::scene(), id in prop::sample::select(vec!["ms10", "ms11", "ms12", "ms13"])) {
        let (result, written) = match rewritten(&scene, &[FileKind::UnigineMesh.into()], &version(id)) {
            Ok(result) => result,
            Err(AuthorError::Empty { .. }) => return Ok(()),
            Err(error) => panic!("{error}"),
        };
        let bones = scene.skeleton.order();
        // ms10 does not store w: it is inexact near 0.
        let normal = if id == "ms10" { 0.03 } else { TOLERANCE.normal };
        let tolerance = Tolerance { normal, ..TOLERANCE };
        let same = compare(&without_materials(&scene), &result, bones, None, tolerance);
        prop_assert!(same.is_ok(), "{}; losses {:?}", same.unwrap_err(), written[0].losses);
    }

    #[test]
    fn clips_are_read_as_they_were_written(scene in strategy::scene(), id in prop::sample::select(vec!["an10", "an11"])) {
        let mesh = match FormatSpec::from(FileKind::UnigineMesh).author(&scene, "file", &Authoring::default()) {
            Ok(mesh) => mesh,
            Err(AuthorError::Empty { .. }) => return Ok(()),
            Err(error) => panic!("{error}"),
        };
        let (clips, written) = match rewritten(&scene, &[FileKind::UnigineAnim.into()], &version(id)) {
            Ok(result) => result,
            Err(AuthorError::Empty { .. }) => return Ok(()),
            Err(error) => panic!("{error}"),
        };
        let parts = [
            bindpose::scene::Part { name: "mesh", file: mesh.files[0].file.meaning() },
            bindpose::scene::Part { name: "clips", file: &clips },
        ];
        let result = Scene::of(&parts, &bindpose::scene::Settings::default());
        let bones = scene.skeleton.order();
        let moving: Vec<_> = scene.clips.iter().filter(|clip| clip.tracks.iter().any(|own| {
            own.translation.as_ref().is_some_and(|own| !own.times().is_empty())
                || own.rotation.as_ref().is_some_and(|own| !own.times().is_empty())
                || own.scale.as_ref().is_some_and(|own| !own.times().is_empty())
        })).collect();
        prop_assert_eq!(moving.len(), result.clips.len());
        if changes_poses(&[&written[..], &[mesh]].concat()) || written[0].losses.iter().any(|loss| loss.why.contains("rate") || loss.why.contains("start")) {
            return Ok(());
        }
        // Positions of an10 are multiples of 1/65535 of their range.
        let range = moving.iter().flat_map(|clip| &clip.tracks).flat_map(|own| own.translation.iter().flat_map(Curve::values));
        let far = range.map(|own| own.abs().max_element()).fold(0.0, f32::max);
        let tolerance = Tolerance { posed: TOLERANCE.posed * (1.0 + far / size(&scene)), ..TOLERANCE };
        for (source, clip) in moving.into_iter().zip(&result.clips) {
            let same = compare(&without_materials(&scene), &result, bones, Some((source, clip)), tolerance);
            prop_assert!(same.is_ok(), "{}; losses {:?}", same.unwrap_err(), written[0].losses);
        }
    }
}

/// A square in the plane of x and z: u grows along x, v along z.
#[test]
fn tangents_follow_the_texture_coordinates() {
    let corner = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    let mesh = Mesh {
        name: "floor".into(),
        positions: vec![corner(0.0, 0.0), corner(0.0, 1.0), corner(1.0, 1.0), corner(1.0, 0.0)],
        normals: vec![Vec3::Y; 4],
        uvs: vec![vec![Vec2::ZERO, Vec2::Y, Vec2::ONE, Vec2::X]],
        primitives: vec![Primitive { triangles: vec![[0, 1, 2], [0, 2, 3]], ..Primitive::default() }],
        ..Mesh::default()
    };
    for (mirrored, expected) in [(false, -1.0), (true, 1.0)] {
        let mut mesh = mesh.clone();
        if mirrored {
            mesh.uvs[0].iter_mut().for_each(|uv| uv.y = -uv.y);
        }
        let scene = Scene { meshes: vec![mesh], ..Scene::default() };
        let (result, _) =
            rewritten(&scene, &[FileKind::UnigineMesh.into()], &Authoring::default()).expect("a mesh");
        for (normal, tangent) in result.meshes[0].normals.iter().zip(&result.meshes[0].tangents) {
            assert!(normal.abs_diff_eq(Vec3::Y, 1e-3), "{normal}");
            assert!(tangent.truncate().abs_diff_eq(Vec3::X, 1e-3), "{tangent}");
            assert_eq!(tangent.w.to_bits(), f32::to_bits(expected));
        }
    }
}

#[test]
fn an_unknown_version_is_an_error() {
    let scene = Scene { meshes: vec![Mesh::default()], ..Scene::default() };
    let error = FormatSpec::from(FileKind::UnigineMesh).author(&scene, "file", &version("ms99"));
    assert_eq!(error.expect_err("no such version"), AuthorError::Unsupported);
}
