//! Scenes with numbers that files cannot hold, or that overflow when they are converted.

use bindpose::scene::author::{AuthorError, Authoring, SceneContent};
use bindpose::scene::{Blend, Bone, Curve, Mesh, Primitive, Scene, Skeleton, Transform};
use bindpose::{FileKind, FormatSpec};
use glam::Vec3;
use proptest::prelude::*;
use proptest::sample::select;

use super::families::{cal3d, directx, max, ms3d, unigine, unreal};
use super::{strategy, try_rewritten};

/// Factors, most of which change nothing.
fn factors() -> impl Strategy<Value = Vec<f32>> {
    let odd = select(vec![0.0, -1.0, 1e-30, 1e10, 1e20, -1e38, f32::INFINITY, f32::NAN]);
    prop::collection::vec(prop_oneof![3 => Just(1.0), 1 => odd], 1..20)
}

/// Multiplies numbers of a scene by factors, each number by the next one.
fn scaled(mut scene: Scene, factors: &[f32]) -> Scene {
    let mut factors = factors.iter().copied().cycle();
    let mut next = move || factors.next().unwrap_or(1.0);
    let bones = scene.skeleton.bones().iter().map(|bone| Bone {
        bind: Transform {
            translation: bone.bind.translation * next(),
            scale: bone.bind.scale * Vec3::new(next(), next(), next()),
            ..bone.bind
        },
        ..bone.clone()
    });
    scene.skeleton = Skeleton::new(bones.collect()).0;
    for mesh in &mut scene.meshes {
        mesh.positions.iter_mut().for_each(|own| own.x *= next());
        mesh.normals.iter_mut().for_each(|own| own.y *= next());
        mesh.uvs.iter_mut().flatten().for_each(|own| own.x *= next());
        mesh.morphs.iter_mut().flat_map(|own| &mut own.deltas).for_each(|own| own.position *= next());
    }
    for material in &mut scene.materials {
        material.color.iter_mut().chain(&mut material.emissive).for_each(|own| *own *= next());
    }
    for track in scene.clips.iter_mut().flat_map(|clip| &mut clip.tracks) {
        for curve in [&mut track.translation, &mut track.scale].into_iter().flatten() {
            *curve = with_values(curve, |own: Vec3| own * next());
        }
    }
    scene
}

fn with_values<T: Blend>(curve: &Curve<T>, mut value: impl FnMut(T) -> T) -> Curve<T> {
    let keys = curve.times().iter().zip(curve.values()).map(|(time, own)| (*time, value(*own)));
    Curve::new(keys.collect::<Vec<_>>(), curve.between().clone())
}

/// Coordinates that would be infinite or all 0 are not written.
#[test]
fn a_unit_that_no_coordinate_can_have_is_refused() {
    let mesh = Mesh {
        positions: vec![Vec3::ZERO, Vec3::X * 1e12, Vec3::Y],
        primitives: vec![Primitive { triangles: vec![[0, 1, 2]], ..Primitive::default() }],
        ..Mesh::default()
    };
    let scene = Scene { meshes: vec![mesh], ..Scene::default() };
    for kind in
        FileKind::ALL.iter().copied().filter(|kind| kind.scene_contents().contains(&SceneContent::Meshes))
    {
        let of_unit = |unit: f32| {
            let mut settings = Authoring::default();
            settings.unit = Some(unit);
            FormatSpec::from(kind).author(&scene, "far", &settings)
        };
        for unit in [f32::MIN_POSITIVE, 1e-30] {
            assert!(matches!(of_unit(unit), Err(AuthorError::Unit { .. })), "{kind:?} in {unit}");
        }
        assert!(!matches!(of_unit(1e-20), Err(AuthorError::Unit { .. })), "{kind:?}");
    }
}

proptest! {
    #![proptest_config(crate::folders::config(192))]
    /// No file has a number that is not finite, and each is lossless and without findings.
    #[test]
    fn written_numbers_are_finite(
        scene in strategy::scene(),
        factors in factors(),
        family in select(vec![
            ms3d(None), unreal(), cal3d(None), cal3d(Some("xml")), max(None, None), directx(None), directx(Some("bin")),
            unigine(None), unigine(Some("ms14")), unigine(Some("ms10")), unigine(Some("2.19")),
        ]),
    ) {
        let scene = scaled(scene, &factors);
        match try_rewritten(&scene, &family.specs, &family.settings) {
            Ok(Ok(_) | Err(AuthorError::Empty { .. } | AuthorError::Limit { .. })) => {}
            Ok(Err(error)) => prop_assert!(false, "{}", error),
            Err(why) => prop_assert!(false, "{}: {}", family.name, why),
        }
    }
}
