//! The table of losses.

use std::collections::HashSet;

use bindpose::formats::lost_without;
use bindpose::scene::author::Authoring;
use bindpose::scene::{
    Avoid, Bone, Clip, Curve, Delta, Interpolation, Joint, Loss, Lost, Measure, Mesh, Morph, MorphTrack,
    Part, Primitive, Scene, Settings, Skeleton, Skin, Targets, Track, Transform, Weights,
};
use bindpose::{FileKind, FormatSpec};
use glam::Vec3;
use proptest::prelude::*;

use crate::folders::{self, own};

/// Rows that the sample files do not produce, but tests of their own.
const OWN_TESTS: &[Lost] = &[
    Lost::ClampedDirections,
    Lost::LengthsOfDirections,
    Lost::FullWeight,
    Lost::InverseBinds,
    Lost::NormalLists,
    Lost::Primitives,
    Lost::ShearedBones,
    Lost::UnusedNodes,
    Lost::VertexElements,
    Lost::Channels,
    Lost::FirstFrames,
    Lost::KeysWithoutValues,
    Lost::ImageExtensions,
    Lost::NormalMapGreen,
    Lost::TrackLines,
    Lost::BoneLines,
    Lost::Cameras,
    Lost::OtherTextures,
    Lost::NonFiniteBones,
    Lost::NonFiniteKeys,
    Lost::SkeletonPoses,
    Lost::Spelling,
    Lost::TracksOfMesh,
    Lost::TextureRoles,
    Lost::TextureTypes,
    Lost::UpAxis,
    Lost::UnknownKeys,
    Lost::FlippedFaces,
    Lost::EmptyMorphTracks,
    Lost::MaterialOfSameName,
    Lost::MeshInstances,
    Lost::CornersWithoutNormal,
    Lost::SmoothingGroups,
];

/// Rows that neither the sample files produce, nor a test states.
const NOT_STATED: &[Lost] = &[
    Lost::BackFaces,
    Lost::VertexOpacities,
    Lost::FaceOrder,
    Lost::SphereMap,
    Lost::EarlyKeys,
    Lost::RateNotStored,
    Lost::NegativeTimes,
    Lost::RepeatedTimes,
    Lost::LinearMorphs,
    Lost::AddedBone,
    Lost::MorphShapes,
    Lost::MorphTangents,
    Lost::NormalsNotUnit,
    Lost::SkinJoints,
    Lost::SocketsNotRead,
    Lost::SurplusObjects,
    Lost::TooManyFrames,
    Lost::TooManyMorphs,
    Lost::AnimationNames,
    Lost::LongTrackName,
    Lost::ManyCurves,
    Lost::ManyWeights,
    Lost::MissingTarget,
    Lost::MorphCurvesNotRead,
    Lost::CurvedTranslation,
    Lost::UnpairedBones,
    Lost::RoundedEnd,
    Lost::RoundedTimes,
    Lost::SharedKeys,
    Lost::ShearedKeys,
    Lost::TooLargePoses,
    Lost::Blending,
    Lost::TextureFactors,
    Lost::MaterialExtension,
    Lost::ShapeExtension,
    Lost::SurfaceFactors,
    Lost::UnlitTextures,
    Lost::TextureCutoffs,
    Lost::TextureSampling,
    Lost::ClampedVertexColors,
    Lost::ImageFormats,
    Lost::InvalidMaterials,
    Lost::VertexColorCount,
    Lost::TrimmedNames,
    Lost::DefaultWeights,
    Lost::Nodes,
    Lost::RestPoses,
];

/// The losses of the sample files: when they are read, and when they are written in every format.
fn samples() -> HashSet<Lost> {
    let mut found = HashSet::new();
    let mut add = |losses: &[Loss]| found.extend(losses.iter().map(|loss| loss.lost));
    for (path, bytes) in ["corpus", "damaged", "crashes", "suite/samples"]
        .into_iter()
        .flat_map(|name| folders::files(&own(name)))
    {
        let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
        let Ok(file) = kind.decode(&bytes, &options) else { continue };
        let scene = Scene::of(&[Part { name: "file", file: file.as_scene_source() }], &Settings::default());
        add(&scene.losses);
        #[cfg(feature = "gltf")]
        add(bindpose::scene::gltf::Gltf::new(&scene).losses());
        for kind in FileKind::ALL {
            if let Ok(written) = FormatSpec::from(*kind).author(&scene, "file", &Authoring::default()) {
                add(&written.losses);
            }
            add(&lost_without(&scene, "file", &[*kind]));
        }
    }
    found
}

/// As files, `a/b` is named `b`, the name of the model is left out before `x`, and `walk` would be the file of `Walk`.
#[test]
fn clips_that_are_named_by_their_files_are_reported_where_the_name_differs() {
    let bone = Bone { name: "root".into(), ..Bone::default() };
    let translation = Curve::straight([(0.0, Vec3::Y), (1.0, Vec3::X)]);
    let track = Track { bone: 0, translation, ..Track::default() };
    let clip = |name: &str| Clip { name: name.into(), tracks: vec![track.clone()], ..Clip::default() };
    let clips = ["a/b", "hero_x", "Walk", "walk", "hero", "run"].map(clip).to_vec();
    let scene = Scene { skeleton: Skeleton::new(vec![bone]).0, clips, ..Scene::default() };
    for kind in [FileKind::Cal3dAnimation, FileKind::MaxAnimation] {
        let written = FormatSpec::from(kind).author(&scene, "hero", &Authoring::default()).expect("clips");
        let named = written.losses.iter().filter(|loss| loss.lost == Lost::ClipNamedAsFile);
        let named: Vec<_> = named.map(ToString::to_string).collect();
        assert_eq!(named.len(), 3, "{}: {named:?}", kind.name());
        for (loss, name) in named.iter().zip(["\"b\"", "\"x\"", "\"walk_2\""]) {
            assert!(loss.contains(name), "{loss}");
        }
    }
}

#[test]
fn files_of_clips_have_the_name_of_the_model_and_of_the_clip() {
    let bone = Bone { name: "root".into(), ..Bone::default() };
    let translation = Curve::straight([(0.0, Vec3::Y), (1.0, Vec3::X)]);
    let track = Track { bone: 0, translation, ..Track::default() };
    let clip = |name: &str| Clip { name: name.into(), tracks: vec![track.clone()], ..Clip::default() };
    let clips = ["Wave", "Wave", "a/b:c", ""].map(clip).to_vec();
    let scene = Scene { skeleton: Skeleton::new(vec![bone]).0, clips, ..Scene::default() };
    let names = |kind: FileKind| {
        let written = FormatSpec::from(kind).author(&scene, "hero", &Authoring::default()).expect("clips");
        written.files.into_iter().map(|own| own.name).collect::<Vec<_>>()
    };
    for kind in [FileKind::Cal3dAnimation, FileKind::MaxAnimation] {
        assert_eq!(names(kind), ["hero_Wave", "hero_Wave", "hero_b_c", "hero_unnamed"], "{}", kind.name());
    }
    // Programs take the name of the file for that of the clip.
    assert_eq!(names(FileKind::UnigineAnim), ["Wave", "Wave_2", "b_c", "unnamed"]);
}

#[test]
fn each_row_of_the_table_is_tested_or_listed() {
    let found = samples();
    let rest: Vec<_> = Lost::ALL.iter().filter(|row| !found.contains(row)).collect();
    let listed: HashSet<_> = OWN_TESTS.iter().chain(NOT_STATED).collect();
    let different: Vec<_> = rest.iter().filter(|row| !listed.contains(**row)).collect();
    assert!(different.is_empty(), "not listed: {different:?}");
    let produced: Vec<_> = listed.iter().filter(|row| found.contains(**row)).collect();
    assert!(produced.is_empty(), "samples produce {produced:?}");
}

#[test]
fn names_are_unique() {
    let names: HashSet<_> = Lost::ALL.iter().map(|row| row.name()).collect();
    assert_eq!(names.len(), Lost::ALL.len());
    assert_eq!(Lost::UnusedVertices.name(), "unused-vertices");
}

#[test]
fn a_resampled_clip_has_a_measure_and_the_rate_that_is_exact() {
    let keys = [(0.0, 0.0), (1.0 / 24.0, 0.5), (2.0 / 24.0, 0.0)].map(|(time, y)| (time, Vec3::Y * y));
    let translation = Some(Curve::new(keys, Interpolation::Linear));
    let clip = Clip {
        name: "hop".into(),
        tracks: vec![Track { translation, ..Track::default() }],
        ..Clip::default()
    };
    let bone = Bone { name: "hip".into(), ..Bone::default() };
    let scene = Scene { skeleton: Skeleton::new(vec![bone]).0, clips: vec![clip], ..Scene::default() };
    let resampled = |kind: FileKind| {
        let mut settings = Authoring::default();
        settings.rate = Some(30.0);
        let written = FormatSpec::from(kind).author(&scene, "hop", &settings).expect("a clip");
        written.losses.into_iter().find(|own| own.lost == Lost::Resampled).expect("a loss")
    };
    // Files of 3ds Max have no rate.
    assert_eq!(resampled(FileKind::MaxAnimation).avoid, None);
    let loss = resampled(FileKind::Psa);
    let measure = loss.measure.expect("a measure");
    assert_eq!(measure.seconds, Some(1.0 / 24.0));
    // Of 0.5 m, a frame is at a fifth of the way, and the next one at 40 % of the way back.
    assert!(measure.metres > 0.1 && measure.metres < 0.5, "{measure:?}");
    assert_eq!(loss.avoid, Some(Avoid::Rate(24.0)));
    assert_eq!((loss.subjects[0].kind, &*loss.subjects[0].name), ("clip", "hop"));
}

/// A scene of two bones at a distance, the second of which a clip moves by a step after a tenth of a second.
fn stepping(distance: f32, step: f32) -> Scene {
    let place = |y: f32| Transform { translation: Vec3::Y * y, ..Transform::default() };
    let bone = |name: &str, parent, y| Bone { name: name.into(), parent, bind: place(y) };
    let skeleton = Skeleton::new(vec![bone("hip", None, 0.0), bone("knee", Some(0), distance)]).0;
    let keys = [(0.0, distance), (0.1, distance + step)].map(|(time, y)| (time, Vec3::Y * y));
    let translation = Some(Curve::new(keys, Interpolation::Step));
    let tracks = vec![Track { bone: 1, translation, ..Track::default() }];
    Scene {
        skeleton,
        clips: vec![Clip { name: "kick".into(), tracks, ..Clip::default() }],
        ..Scene::default()
    }
}

/// The measure of the loss by which a scene is resampled in a format.
fn resampled(scene: &Scene, kind: FileKind) -> Measure {
    let written = FormatSpec::from(kind).author(scene, "hop", &Authoring::default()).expect("clips");
    let loss = written.losses.iter().find(|own| own.lost == Lost::Resampled).expect("a loss");
    loss.measure.expect("a measure")
}

/// Keys of less distance than a frame are not taken for one: neither by the rate that is chosen nor by the deviation.
#[test]
fn keys_that_share_a_frame_are_a_loss_with_their_distance() {
    for (first, second) in [(0.0, 1e-3), (0.5, 0.500_05)] {
        let keys = [(0.0, 0.0), (first, 0.0), (second, 0.5), (1.0, 0.5)].map(|(time, y)| (time, Vec3::Y * y));
        let translation = Some(Curve::new(keys, Interpolation::Linear));
        let clip = Clip { tracks: vec![Track { translation, ..Track::default() }], ..Clip::default() };
        let skeleton = Skeleton::new(vec![Bone { name: "hip".into(), ..Bone::default() }]).0;
        let scene = Scene { skeleton, clips: vec![clip], ..Scene::default() };
        for kind in [FileKind::Psa, FileKind::UnigineAnim, FileKind::MaxAnimation] {
            let off = resampled(&scene, kind).metres;
            assert!(off > 0.4, "{}: {off}", kind.name());
        }
    }
}

/// Clips that lose the same under one name lose as much as under two.
#[test]
fn losses_of_equal_names_are_added_up() {
    let clip = |name: &str| {
        let scale = Curve::straight([(0.0, Vec3::ONE), (1.0, Vec3::splat(2.0))]);
        let translation = Curve::straight([(0.0, Vec3::ZERO), (1.0, Vec3::X)]);
        let tracks = vec![Track { translation, scale, ..Track::default() }];
        Clip { name: name.into(), tracks, ..Clip::default() }
    };
    let lost = |kind: FileKind, names: [&str; 2]| {
        let skeleton = Skeleton::new(vec![Bone { name: "hip".into(), ..Bone::default() }]).0;
        let scene = Scene { skeleton, clips: names.map(clip).to_vec(), ..Scene::default() };
        let losses =
            FormatSpec::from(kind).author(scene, "hero", &Authoring::default()).expect("clips").losses;
        let scaled = losses.iter().filter(|own| own.lost == Lost::ScaleAnimated);
        let texts: HashSet<_> = scaled.clone().map(ToString::to_string).collect();
        assert_eq!(texts.len(), scaled.clone().count(), "{texts:?}");
        scaled.map(|own| own.count).sum::<usize>()
    };
    assert_eq!(lost(FileKind::Cal3dAnimation, ["walk", "run"]), 2);
    assert_eq!(lost(FileKind::Cal3dAnimation, ["walk", "walk"]), 2);
}

#[cfg(feature = "gltf")]
#[test]
fn sheared_bones_have_a_measure() {
    use serde_json::json;
    let sheared = |share: f32| {
        let mut hand = super::hand::Hand::new(json!({ "scene": 0, "scenes": [{ "nodes": [0, 1] }] }));
        for share in [share, share / 2.0] {
            let matrix = [1.0, 0.0, 0.0, 0.0, share, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
            hand.push("nodes", json!({ "matrix": matrix }));
        }
        let losses = hand.scene().losses;
        losses.into_iter().find(|own| own.lost == Lost::ShearedBones).map(|own| (own.count, own.measure))
    };
    assert_eq!(sheared(0.0), None);
    let (count, measure) = sheared(0.5).expect("a loss");
    // The y axis is (0.5, 1, 0); of its length, the nearest transform turns it to the y axis.
    let length = 1.25_f32.sqrt();
    let off = 0.5_f32.hypot(length - 1.0) / length;
    assert_eq!(count, 2);
    assert!((measure.expect("a measure").scale - off).abs() < 1e-6, "{measure:?}");
}

#[test]
fn rotations_that_are_not_finite_are_a_loss() {
    let lost = |sample: &str, place: &str| {
        let mut file = folders::sample(&format!("corpus/{sample}")).file;
        file.set(place, f32::NAN).unwrap_or_else(|error| panic!("{sample}: {error}"));
        let scene = Scene::of(&[Part { name: "file", file: file.as_scene_source() }], &Settings::default());
        let rotations =
            scene.clips.iter().flat_map(|own| &own.tracks).filter_map(|own| own.rotation.as_ref());
        assert!(rotations.flat_map(Curve::values).all(|own| own.is_finite()), "{sample}");
        assert!(scene.skeleton.bones().iter().all(|own| own.bind.rotation.is_finite()), "{sample}");
        let kinds = [Lost::NonFiniteBones, Lost::NonFiniteKeys];
        kinds.map(|kind| {
            scene.losses.iter().filter(|own| own.lost == kind).map(|own| own.count).sum::<usize>()
        })
    };
    assert_eq!(lost("psk/plane.psk", "bones[0].orientation[0]"), [1, 0]);
    assert_eq!(lost("psk/wave.psa", "keys[0].orientation[0]")[1], 1);
    assert_eq!(lost("ms3d/full.ms3d", "joints[0].rotation[0]")[0], 1);
    assert_eq!(lost("cal3d/two.csf", "bones[0].rotation[0]"), [1, 0]);
    assert_eq!(lost("cal3d/walk.caf", "tracks[0].keys[0].rotation[0]"), [0, 1]);
}

#[test]
fn weights_that_are_no_hundredths_are_a_loss_in_ms3d() {
    let bone = |name: &str| Bone { name: name.into(), ..Bone::default() };
    let joints = [0, 1].map(|bone| Joint { bone, inverse_bind: glam::Affine3A::IDENTITY });
    let scene = |share: f32| {
        let rows = (0..3).flat_map(|vertex| [(vertex, 0, share), (vertex, 1, 1.0 - share)]);
        let skin = Skin { joints: joints.into(), weights: Weights::gather(3, 2, rows).0 };
        let mesh = Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            primitives: vec![Primitive { triangles: vec![[0, 1, 2]], ..Primitive::default() }],
            skin: Some(skin),
            ..Mesh::default()
        };
        let skeleton = Skeleton::new(vec![bone("a"), bone("b")]).0;
        Scene { skeleton, meshes: vec![mesh], ..Scene::default() }
    };
    let rounded = |share| {
        let written = FormatSpec::from(FileKind::Ms3d).author(scene(share), "hero", &Authoring::default());
        let losses = written.expect("a model").losses;
        losses.into_iter().filter(|own| own.lost == Lost::RoundedWeights).map(|own| own.count).sum::<usize>()
    };
    assert_eq!((rounded(0.25), rounded(1.0 / 3.0), rounded(0.7505)), (0, 3, 3));
}

#[test]
fn a_step_is_off_by_its_height_just_before_its_frame() {
    let measure = resampled(&stepping(1.0, 0.5), FileKind::MaxAnimation);
    assert!((measure.metres - 0.5).abs() < 1e-6, "{measure:?}");
    assert_eq!(measure.seconds, Some(0.1));
}

proptest! {
    /// The frames before and after a step are one frame apart: it is off by half its height or more, and never by more than that.
    #[test]
    fn a_step_is_off_by_half_its_height_at_least(frame in 1..40_u8, after in prop_oneof![-3e-3..3e-3_f32, -0.5..0.5_f32]) {
        let mut scene = stepping(1.0, 0.5);
        let time = (f32::from(frame) + after) / 30.0;
        let keys = [(0.0, Vec3::Y), (time, Vec3::Y * 1.5)];
        scene.clips[0].tracks[0].translation = Some(Curve::new(keys, Interpolation::Step));
        let measure = resampled(&scene, FileKind::MaxAnimation);
        prop_assert!((0.249..0.501).contains(&measure.metres), "{:?}", measure);
        prop_assert_eq!(measure.seconds, Some(time));
    }
}

#[test]
fn small_models_have_small_deviations() {
    let measure = resampled(&stepping(1e-3, 5e-5), FileKind::MaxAnimation);
    assert!((measure.metres - 5e-5).abs() < 1e-9, "{measure:?}");
}

#[test]
fn weights_of_morph_targets_between_frames_are_a_loss_with_a_measure() {
    let delta = Delta { vertex: 1, position: Vec3::X * 0.2, normal: Vec3::ZERO };
    let mesh = Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        morphs: vec![Morph::new("smile".into(), vec![delta])],
        ..Mesh::default()
    };
    let weight = Curve::new([(0.0, 0.0), (0.1, 0.5)], Interpolation::Step);
    let morph = MorphTrack { targets: Targets::Named("smile".into()), weight };
    let mut scene = stepping(1.0, 0.0);
    scene.meshes = vec![mesh];
    scene.clips[0].morphs = vec![morph];
    let measure = resampled(&scene, FileKind::Psa);
    assert!((measure.metres - 0.1).abs() < 1e-6, "{measure:?}");
}

#[test]
fn the_clip_that_moves_bones_is_written_to_ms3d() {
    let mut scene = stepping(1.0, 0.5);
    let weight = Curve::new([(0.0, 0.0), (1.0, 1.0)], Interpolation::Linear);
    let smile = MorphTrack { targets: Targets::Named("smile".into()), weight };
    scene.clips.insert(0, Clip { name: "smile".into(), morphs: vec![smile], ..Clip::default() });
    let written = FormatSpec::from(FileKind::Ms3d).author(&scene, "kick", &Authoring::default());
    let written = written.expect("bones");
    let part = Part { name: "kick", file: written.files[0].file.as_scene_source() };
    let again = Scene::of(&[part], &Settings::default());
    assert!(again.clips[0].span().is_some_and(|(_, end)| (end - 0.1).abs() < 1e-3));
    let still = written.losses.iter().find(|own| own.lost == Lost::StillClip).expect("a loss");
    assert_eq!(still.subjects[0].name, "smile");
}

#[test]
fn translations_at_a_rate_that_is_given_are_curves_in_ms3d() {
    let mut settings = Authoring::default();
    let mut lost = |rate| {
        settings.rate = rate;
        let written = FormatSpec::from(FileKind::Ms3d).author(stepping(1.0, 0.5), "kick", &settings);
        let losses = written.expect("bones").losses;
        losses.iter().filter(|own| own.lost == Lost::CurvedTranslation).count()
    };
    assert_eq!((lost(None), lost(Some(30.0))), (0, 1));
}

#[test]
fn a_pose_without_a_duration_lasts_a_frame_in_ms3d() {
    let mut scene = stepping(1.0, 0.0);
    scene.clips[0].tracks[0].translation = Some(Curve::new([(0.0, Vec3::Y * 2.0)], Interpolation::Linear));
    let written = FormatSpec::from(FileKind::Ms3d).author(&scene, "pose", &Authoring::default());
    let losses = written.expect("bones").losses;
    assert!(losses.iter().any(|own| own.lost == Lost::Duration), "{losses:?}");
}

/// What `info` prints as the rate of clips is what scenes use.
#[test]
fn a_rate_that_a_file_states_is_not_assumed() {
    let mut stated = HashSet::new();
    for sample in folders::samples("corpus") {
        let file = &sample.file;
        let clips = file.summary().clips;
        if clips.is_empty() || clips.iter().any(|clip| clip.rate.is_none_or(|rate| rate <= 0.0)) {
            continue;
        }
        let scene = Scene::of(&[Part { name: "file", file: file.as_scene_source() }], &Settings::default());
        let is_assumed = scene.losses.iter().any(|loss| loss.lost == Lost::AssumedRate);
        assert!(!is_assumed, "{}: {:?}", sample.name, scene.losses);
        stated.insert(file.kind());
    }
    for kind in [FileKind::Ms3d, FileKind::Psa, FileKind::UnigineAnim] {
        assert!(stated.contains(&kind), "{}", kind.name());
    }
}
