//! Scenes that were made by hand can contradict themselves: what takes a scene returns an error, and never panics.

use bindpose::scene::author::{self, AuthorError, Authoring, Points};
use bindpose::scene::{
    ClipRange, Curve, Interpolation, Layer, Part, Primitive, Retarget, Scene, Settings, Skeleton, Skin,
    Targets, Track, Weights,
};
use bindpose::{Budget, ErrorKind, FileKind, FormatSpec};
use glam::{Vec2, Vec3, Vec4};
use proptest::collection::vec;
use proptest::prelude::*;

use super::generated;
use crate::folders;

/// Changes an index or a length: `at` selects what, `to` is its new value.
type Change = fn(&mut Scene, at: usize, to: usize);

/// Changes one of some items.
fn one<'a, T: 'a>(items: impl IntoIterator<Item = &'a mut T>, at: usize, change: impl FnOnce(&mut T)) {
    let mut all: Vec<_> = items.into_iter().collect();
    let len = all.len().max(1);
    if let Some(own) = all.get_mut(at % len) {
        change(own);
    }
}

fn primitives(scene: &mut Scene) -> impl Iterator<Item = &mut Primitive> {
    scene.meshes.iter_mut().flat_map(|own| &mut own.primitives)
}

fn skins(scene: &mut Scene) -> impl Iterator<Item = &mut Skin> {
    scene.meshes.iter_mut().filter_map(|own| own.skin.as_mut())
}

fn tracks(scene: &mut Scene) -> impl Iterator<Item = &mut Track> {
    scene.clips.iter_mut().flat_map(|own| &mut own.tracks)
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

const CHANGES: &[Change] = &[
    |scene, at, to| one(&mut scene.attachments, at, |own| own.bone = Some(to)),
    |scene, at, to| one(&mut scene.meshes, at, |own| own.bone = Some(to)),
    |scene, at, to| one(&mut scene.meshes, at, |own| own.positions.resize(to % 20, Vec3::ONE)),
    |scene, at, to| one(&mut scene.meshes, at, |own| own.normals.resize(to % 20, Vec3::X)),
    |scene, at, to| one(&mut scene.meshes, at, |own| own.tangents.resize(to % 20, Vec4::X)),
    |scene, at, to| one(&mut scene.meshes, at, |own| own.colors.resize(to % 20, [0.5; 4])),
    |scene, at, to| {
        let sets = scene.meshes.iter_mut().flat_map(|own| &mut own.uvs);
        one(sets, at, |own| own.resize(to % 20, Vec2::ONE));
    },
    |scene, at, to| one(primitives(scene), at, |own| own.material = Some(to)),
    |scene, at, to| {
        let corners = primitives(scene).flat_map(|own| own.triangles.as_flattened_mut());
        one(corners, at, |own| *own = narrow(to));
    },
    |scene, at, _| scene.materials.truncate(at % 3),
    |scene, at, to| {
        let morphs = scene.meshes.iter_mut().flat_map(|own| &mut own.morphs);
        one(morphs.flat_map(|own| &mut own.deltas), at, |own| own.vertex = narrow(to));
    },
    |scene, at, _| one(&mut scene.meshes, at, |own| own.morphs.clear()),
    |scene, at, to| {
        one(skins(scene), at, |own| {
            let mut joints = own.joints.to_vec();
            one(&mut joints, at, |own| own.bone = to);
            own.joints = joints.into();
        });
    },
    |scene, at, to| {
        one(skins(scene), at, |own| own.joints = own.joints.iter().copied().take(to % 3).collect());
    },
    |scene, at, to| {
        let rows = (0..to % 20).map(|vertex| (vertex, at % 5, 1.0));
        one(skins(scene), at, |own| own.weights = Weights::gather(to % 20, 9, rows).0);
    },
    |scene, at, _| {
        let bones = scene.skeleton.bones().iter().take(at % 4).cloned().collect();
        scene.skeleton = Skeleton::new(bones).0.with_playback(scene.skeleton.playback().clone());
    },
    |scene, at, to| one(tracks(scene), at, |own| own.bone = to),
    |scene, at, _| {
        one(tracks(scene), at, |own| {
            own.rotation = Some(Curve::new([], Interpolation::CubicSpline(Vec::new())));
            own.translation = Some(Curve::new([], Interpolation::Step));
        });
    },
    |scene, at, _| one(&mut scene.clips, at, |own| own.tracks.extend_from_within(..)),
    |scene, at, to| {
        let tracks = scene.clips.iter_mut().flat_map(|own| &mut own.morphs);
        one(tracks, at, |own| own.targets = Targets::These(vec![(at % 4, to)]));
    },
];

fn changed() -> impl Strategy<Value = Scene> {
    let to = prop_oneof![0..12_usize, Just(usize::MAX), Just(u32::MAX as usize), Just(1 << 16), Just(255)];
    let changes = vec((0..CHANGES.len(), 0..20_usize, to), 1..4);
    (generated::scene(), changes).prop_map(|(mut scene, changes)| {
        for (change, at, to) in changes {
            CHANGES[change](&mut scene, at, to);
        }
        scene
    })
}

/// Passes a scene to every function that takes one, and returns whether the writers refuse it because it contradicts itself.
fn use_everywhere(scene: &Scene) -> bool {
    let mut settings = Authoring::default();
    settings.tangents = true;
    let mut refused = Vec::new();
    for kind in FileKind::ALL.iter().copied().filter(|kind| kind.is_authored()) {
        let written = FormatSpec::from(kind).author(scene, "hero", &settings);
        refused.push(matches!(written, Err(AuthorError::Scene(_))));
    }
    #[cfg(feature = "gltf")]
    refused.push(
        matches!(bindpose::scene::gltf::Gltf::new(scene).to_glb(), Err(error) if is_contradiction(&error)),
    );
    #[cfg(feature = "render")]
    {
        use bindpose::scene::render::{View, render};
        let view = View { size: [16, 16], clip: scene.clips.first(), bones: true, ..View::default() };
        let _ = render(scene, &view, |_| None);
    }
    let _ = scene.bounds();
    let all = refused.iter().all(|own| *own);
    assert_eq!(all, refused.contains(&true), "the writers disagree: {refused:?}");
    for clip in &scene.clips {
        let _ = scene.posed(Some(clip), 0.5);
        let _ = scene
            .skeleton
            .layered(&[Layer::of(clip), Layer { relative_to: Some(0.0), ..Layer::of(clip) }], 0.5);
        let _ = Retarget::new(&scene.skeleton, &scene.skeleton, &[(0, 0), (1, 7)]).clip(clip);
        let _ = author::tracks_of(clip, scene.skeleton.bones().len());
        let _ = author::morph_curves(clip, &scene.meshes);
    }
    for mesh in &scene.meshes {
        let _ = author::with_tangents(mesh);
        let _ = author::compact(mesh.clone());
        let _ = author::split(mesh.clone());
        let _ = mesh.clone().split_by_joints(4);
        mesh.clone().smooth(&[0, 9, 0]);
        let _ = (Points::of(mesh, true), mesh.is_inside_out());
    }
    let _ = author::merge(scene.meshes.clone());
    change(scene, |own| _ = own.remove_unused_bones());
    change(scene, |own| _ = own.move_bind_scale());
    change(scene, |own| _ = own.reduce_keys(0.01));
    change(scene, |own| _ = own.cut_clip(&[ClipRange { name: "cut".into(), start: 0.1, end: 0.2 }]));
    #[cfg(feature = "files")]
    change(scene, |own| _ = own.decode_names(None));
    let parts = [Part { name: "one", file: scene }, Part { name: "two", file: scene }];
    let joined = Scene::within(&parts, &Settings::default(), &Budget::default());
    assert_eq!(matches!(joined, Err(error) if is_contradiction(&error)), all);
    let _ = Scene::of(&parts, &Settings::default());
    all
}

/// Changes a copy of a scene.
fn change(scene: &Scene, change: impl FnOnce(&mut Scene)) {
    change(&mut scene.clone());
}

fn is_contradiction(error: &bindpose::Error) -> bool {
    matches!(error.kind(), ErrorKind::Encode(_))
}

proptest! {
    #![proptest_config(folders::config(64))]
    #[test]
    fn contradictions_are_errors_and_never_panics(scene in changed()) {
        let validated = scene.validate();
        if let Err(error) = &validated {
            prop_assert!(is_contradiction(error) && !error.path().steps().is_empty(), "{}", error);
        }
        prop_assert_eq!(use_everywhere(&scene), validated.is_err());
    }

    #[test]
    fn units_and_rates_that_are_not_positive_numbers_are_errors(
        scene in generated::scene(),
        value in prop_oneof![Just(f32::NAN), Just(0.0), Just(-1.0), Just(f32::INFINITY), Just(1e-40)],
        is_unit: bool,
    ) {
        let mut written = Authoring::default();
        *(if is_unit { &mut written.unit } else { &mut written.rate }) = Some(value);
        for kind in FileKind::ALL.iter().copied().filter(|kind| kind.is_authored()) {
            let result = FormatSpec::from(kind).author(&scene, "hero", &written);
            prop_assert!(matches!(result, Err(AuthorError::Setting(_))), "{:?}", result);
        }
        let read = if is_unit { Settings::default().with_unit(value) } else { Settings::default().with_rate(value) };
        let parts = [Part { name: "hero", file: &scene }];
        let error = Scene::within(&parts, &read, &Budget::default());
        prop_assert!(matches!(error, Err(error) if matches!(error.kind(), ErrorKind::Value(_))));
        prop_assert_eq!(Scene::of(&parts, &read), Scene::of(&parts, &Settings::default()));
    }

    #[test]
    fn generated_scenes_are_consistent(scene in generated::scene()) {
        prop_assert_eq!(scene.validate(), Ok(()));
    }
}
