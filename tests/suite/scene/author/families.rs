//! The law for each family, for generated scenes.

use bindpose::FileKind;
use bindpose::edit::names;
use bindpose::formats::{FormatSpec, lost_without};
use bindpose::scene::author::{Authoring, SceneContent};
use bindpose::scene::{
    Blend, Bone, Clip, Curve, Interpolation, LossKind, Lost, Material, Measure, Mesh, MorphTrack, Part,
    Primitive, Scene, Settings, Skeleton, Targets, Track, Transform,
};
use glam::{Mat3A, Quat, Vec3};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;

use super::compare::Tolerance;
use super::{Family, POSING, changes, law, moves, rewritten, strategy};

/// Weights are whole hundredths.
pub fn ms3d(extra: Option<&'static str>) -> Family {
    let tolerance = Tolerance { posed: 0.05, ..Tolerance::FLOATS };
    Family::new("ms3d", &[(FileKind::Ms3d, None)], tolerance).version(extra)
}

pub fn unreal() -> Family {
    Family::new("unreal", &[(FileKind::Psk, None), (FileKind::Psa, None)], Tolerance::FLOATS)
}

pub fn cal3d(dialect: Option<&'static str>) -> Family {
    let kinds = [
        (FileKind::Cal3dSkeleton, dialect),
        (FileKind::Cal3dMesh, dialect),
        (FileKind::Cal3dAnimation, dialect),
        (FileKind::Cal3dMaterial, dialect),
        (FileKind::Cal3dMorph, dialect),
    ];
    // Clips of morph targets only are files of another format.
    let arrange = |scene: &mut Scene| scene.clips.sort_by_key(|clip| !moves(clip));
    Family { arrange, ..Family::new("cal3d", &kinds, Tolerance::FLOATS) }
}

/// Weights are multiples of 1/255, and channels of poses have 65,536 steps. Materials are those that meshes name, in their order.
pub fn iqm() -> Family {
    let tolerance = Tolerance { posed: 0.02, ..Tolerance::FLOATS };
    Family { arrange: without_materials, ..Family::new("iqm", &[(FileKind::Iqm, None)], tolerance) }
}

/// Normals are not stored, and v is subtracted from 1.
pub fn max(matrices: Option<&'static str>, points: Option<&'static str>) -> Family {
    let kinds =
        [(FileKind::MaxSkeleton, matrices), (FileKind::MaxMesh, points), (FileKind::MaxAnimation, matrices)];
    Family::new("max", &kinds, Tolerance { normal: f32::INFINITY, ..Tolerance::FLOATS })
}

/// Weights are multiples of 1/65535, and so are keys of an10 in their range. Normals have 16 bits, and the w of their
/// quaternion is never near 0; ms10 does not store it.
pub fn unigine(version: Option<&'static str>) -> Family {
    let normal = if version == Some("ms10") { 0.03 } else { 5e-3 };
    let kinds =
        [(FileKind::UnigineSkeleton, None), (FileKind::UnigineMesh, None), (FileKind::UnigineAnim, None)];
    // The skeleton is a file of its own in some versions only.
    let kinds = if matches!(version, None | Some("sk10" | "ms15")) { &kinds[..] } else { &kinds[1..] };
    let tolerance = Tolerance { posed: 1e-3, normal, ..Tolerance::FLOATS };
    let family = Family::new("unigine", kinds, tolerance).version(version);
    Family { arrange: without_materials, ..family }
}

/// Frames are nested, and meshes of frames are in their frames, before the others.
pub fn directx(encoding: Option<&'static str>) -> Family {
    let family = Family::new("x", &[(FileKind::X, None)], Tolerance::FLOATS).version(encoding);
    let arrange = |scene: &mut Scene| {
        without_materials(scene);
        let mut places = vec![usize::MAX; scene.skeleton.bones().len()];
        for (place, bone) in nested(&scene.skeleton).into_iter().enumerate() {
            places[bone] = place;
        }
        let frame = |mesh: &Mesh| mesh.bone.filter(|_| mesh.skin.is_none());
        scene.meshes.sort_by_key(|mesh| frame(mesh).map_or(usize::MAX, |own| places[own]));
    };
    Family { order: nested, arrange, ..family }
}

/// UNIGINE has no materials, and readers of `.x` sort triangles by material.
fn without_materials(scene: &mut Scene) {
    scene.materials.clear();
    for primitive in scene.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        primitive.material = None;
    }
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

/// Asserts that the weights of morph targets are read as they were written.
fn holds_morphs(scene: &Scene, family: &Family) -> Result<(), TestCaseError> {
    let Ok((result, losses)) = rewritten(scene, &family.specs, &family.settings) else { return Ok(()) };
    let losses: Vec<_> = losses.iter().collect();
    let mut tracks = scene.clips.iter().flat_map(|clip| &clip.morphs);
    let targets: Vec<_> = scene.meshes.iter().flat_map(|mesh| &mesh.morphs).map(|own| &own.name).collect();
    let lacks_target =
        |own: &MorphTrack| matches!(&own.targets, Targets::Named(name) if !targets.contains(&name));
    // PSA needs bones.
    if scene.skeleton.bones().is_empty()
        || changes(&losses, &POSING)
        || changes(&losses, &[Lost::MissingTarget])
        || !scene.meshes.is_empty() && tracks.any(lacks_target)
    {
        return Ok(());
    }
    let weights = |scene: &Scene| -> Vec<Vec<f32>> {
        let tracks = scene.clips.iter().flat_map(|clip| &clip.morphs);
        let times = (0_u8..40).map(|frame| f32::from(frame) / strategy::RATE);
        let sample = |own: &MorphTrack| times.clone().filter_map(|time| own.weight.sample(time)).collect();
        tracks.map(sample).collect()
    };
    let (source, result) = (weights(scene), weights(&result));
    prop_assert_eq!(source.len(), result.len());
    // Cal3D's linear keys are that near to cubic splines.
    let is_near = |(a, b): (&f32, &f32)| (a - b).abs() < 2e-4;
    let is_same = |a: &[f32], b: &[f32]| a.len() == b.len() && a.iter().zip(b).all(is_near);
    for source in &source {
        // Clips without keys of bones have no file of Cal3D but that of their morph targets, and follow the others.
        prop_assert!(result.iter().any(|own| is_same(own, source)), "{:?} has no {:?}", result, source);
    }
    Ok(())
}

fn holds(scene: &Scene, family: &Family) -> Result<(), TestCaseError> {
    law(scene, family).map(|_| ()).map_err(TestCaseError::fail)
}

proptest! {
    #![proptest_config(crate::folders::config(192))]
    #[test]
    fn ms3d_files_are_read_as_they_were_written(
        scene in strategy::scene(),
        extra in select(vec![None, Some("extra1"), Some("extra2"), Some("extra3")]),
    ) {
        holds(&scene, &ms3d(extra))?;
    }

    #[test]
    fn unreal_files_are_read_as_they_were_written(scene in strategy::scene()) {
        holds(&scene, &unreal())?;
    }

    #[test]
    fn cal3d_files_are_read_as_they_were_written(
        scene in strategy::scene(),
        dialect in select(vec![None, Some("classic"), Some("imvu"), Some("svn1300"), Some("mp1301"), Some("xml")]),
    ) {
        holds(&scene, &cal3d(dialect))?;
    }

    #[test]
    fn weights_of_morph_targets_are_read_as_they_were_written(
        scene in strategy::scene(),
        family in select(vec![unreal(), cal3d(Some("imvu")), cal3d(Some("xml"))]),
    ) {
        holds_morphs(&scene, &family)?;
    }

    #[test]
    fn unigine_files_are_read_as_they_were_written(
        scene in strategy::scene(),
        version in select(vec![
            None, Some("ms10"), Some("ms11"), Some("ms12"), Some("2.19"), Some("ms14"), Some("sk10"),
        ]),
    ) {
        holds(&scene, &unigine(version))?;
    }

    #[test]
    fn static_meshes_of_unigine_are_read_as_they_were_written(mut scene in strategy::scene()) {
        scene.skeleton = Skeleton::default();
        scene.clips.clear();
        for mesh in &mut scene.meshes {
            (mesh.skin, mesh.bone) = (None, None);
            mesh.morphs.clear();
        }
        holds(&scene, &unigine(Some("ms15")))?;
    }

    #[test]
    fn directx_files_are_read_as_they_were_written(
        scene in strategy::scene(),
        encoding in select(vec![None, Some("txt"), Some("bin"), Some("tzip"), Some("bzip")]),
    ) {
        holds(&scene, &directx(encoding))?;
    }

    #[test]
    fn iqm_files_are_read_as_they_were_written(scene in strategy::scene()) {
        holds(&scene, &iqm())?;
    }

    #[test]
    fn max_streams_are_read_as_they_were_written(
        scene in strategy::scene(),
        matrices in select(vec![None, Some("m48"), Some("m52"), Some("m64")]),
        points in select(vec![None, Some("p12"), Some("p16")]),
    ) {
        holds(&scene, &max(matrices, points))?;
    }
}

/// A curve with keys at any times of two seconds.
fn curve<T: Blend + std::fmt::Debug + 'static>(
    value: impl Strategy<Value = T> + Clone + 'static,
    tangent: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = Curve<T>> {
    let keys = btree_map(0_u16..2000, value, 2..6);
    (keys, vec(tangent, 5), 0..3_u8).prop_map(|(keys, tangents, between)| {
        let between = match between {
            0 => Interpolation::Step,
            1 => Interpolation::Linear,
            _ => Interpolation::CubicSpline(tangents.iter().take(keys.len()).map(|own| [*own; 2]).collect()),
        };
        Curve::new(keys.into_iter().map(|(time, value)| (f32::from(time) / 1000.0, value)), between)
    })
}

proptest! {
    /// The measure of a loss is the most that a bone is off at any time.
    #[test]
    fn resampled_clips_are_off_by_the_measure_of_their_loss_at_most(
        translation in curve(strategy::point().boxed(), (-20.0..20_f32).prop_map(Vec3::splat)),
        // Splines of quaternions that nearly cancel out turn by any angle in no time.
        rotation in curve(
            [-0.5..0.5_f32, -0.5..0.5, -0.5..0.5].prop_map(|own| Quat::from_scaled_axis(own.into())).boxed(),
            (-1.0..1.0_f32).prop_map(|own| Quat::from_xyzw(own, -own, own, 0.0)),
        ),
    ) {
        let bone = Bone { name: "hip".into(), ..Bone::default() };
        let tracks =
            vec![Track { translation: Some(translation), rotation: Some(rotation), ..Track::default() }];
        let clips = vec![Clip { name: "hop".into(), tracks, ..Clip::default() }];
        let scene = Scene { skeleton: Skeleton::new(vec![bone]).0, clips, ..Scene::default() };
        let specs = [FileKind::MaxSkeleton, FileKind::MaxAnimation].map(FormatSpec::from);
        let (result, losses) = rewritten(&scene, &specs, &Authoring::default()).expect("files");
        let measures = losses.iter().filter(|own| own.lost == Lost::Resampled).filter_map(|own| own.measure);
        let (metres, degrees) = measures.map(|own| (own.metres, own.degrees)).next().unwrap_or_default();
        let (_, end) = scene.clips[0].span().expect("keys");
        for step in 0_u16..=1000 {
            let time = end * f32::from(step) / 1000.0;
            let [from, to] = [&scene, &result].map(|own| own.clips[0].sample(&own.skeleton, time)[0]);
            let off = from.translation.distance(to.translation);
            prop_assert!(off <= metres * 1.05 + 2e-4, "{} m instead of {} at {}", off, metres, time);
            let turned = from.rotation.angle_between(to.rotation).to_degrees();
            prop_assert!(turned <= degrees * 1.05 + 0.1, "{} degrees instead of {} at {}", turned, degrees, time);
        }
    }
}

proptest! {
    /// Bones that turn in bones of uneven scale are sheared, which no transform of the format is.
    #[test]
    fn sheared_bones_are_off_by_the_measure_of_their_loss_at_most(bones in vec(uneven_bone(), 2..6)) {
        let bone = |at: usize| {
            let bind = Transform { translation: bones[at].0, scale: bones[at].1, ..Transform::IDENTITY };
            Bone { name: format!("bone {at}"), parent: at.checked_sub(1), bind }
        };
        let skeleton = Skeleton::new((0..bones.len()).map(bone).collect()).0;
        let tracks = bones.iter().enumerate().map(|(bone, (_, _, turn))| {
            let rotation = Curve::straight([(0.0, Quat::IDENTITY), (1.0, *turn)]);
            Track { bone, rotation, ..Track::default() }
        });
        let clips = vec![Clip { name: "wave".into(), tracks: tracks.collect(), ..Clip::default() }];
        let scene = Scene { skeleton, clips, ..Scene::default() };
        let specs = [FileKind::Psk, FileKind::Psa].map(FormatSpec::from);
        let (result, losses) = rewritten(&scene, &specs, &Authoring::default()).expect("files");
        let measures = losses.iter().filter(|own| own.lost == Lost::ShearedKeys).filter_map(|own| own.measure);
        let most = measures.reduce(Measure::max).unwrap_or_default();
        let [from, to] = [&scene, &result].map(|own| movements(own, 1.0));
        for (from, to) in from.iter().zip(&to) {
            let size = from.0.length().max(from.1.to_cols_array().map(f32::abs).into_iter().fold(1.0, f32::max));
            let metres = from.0.distance(to.0);
            prop_assert!(metres <= most.metres * 1.01 + 1e-3 * size, "{} m instead of {:?}", metres, most);
            let scale = (from.1 - to.1).to_cols_array().map(|own| own * own).iter().sum::<f32>().sqrt();
            prop_assert!(scale <= most.scale * 1.01 + 1e-3 * size, "{} instead of {:?}", scale, most);
        }
    }
}

/// The translation, scale and turn of a bone.
fn uneven_bone() -> impl Strategy<Value = (Vec3, Vec3, Quat)> {
    let scale = [0.3..3.0_f32, 0.3..3.0, 0.3..3.0].prop_map(Vec3::from);
    let turn = [-1.5..1.5_f32, -1.5..1.5, -1.5..1.5].prop_map(|own| Quat::from_scaled_axis(own.into()));
    (strategy::point(), scale, turn)
}

/// Returns where the first clip moves the bones to, and how it moves what is around them.
fn movements(scene: &Scene, time: f32) -> Vec<(Vec3, Mat3A)> {
    let posed = scene.skeleton.model_space(&scene.clips[0].sample(&scene.skeleton, time));
    let placed = scene.skeleton.model_space(&scene.skeleton.bind_pose());
    let moved = posed.iter().zip(&placed);
    moved.map(|(posed, placed)| (posed.translation.into(), (*posed * placed.inverse()).matrix3)).collect()
}

#[test]
fn limits_are_errors_with_numbers() {
    let positions = std::iter::successors(Some(Vec3::ZERO), |own| Some(*own + Vec3::X)).take(70_000);
    let triangles = (2..70_000).map(|at| [at - 2, at - 1, at]).collect();
    let primitives = vec![Primitive { triangles, ..Primitive::default() }];
    let mesh = Mesh { positions: positions.collect(), primitives, ..Mesh::default() };
    let scene = Scene { meshes: vec![mesh], ..Scene::default() };
    let error = FormatSpec::from(FileKind::Ms3d).author(&scene, "big", &Authoring::default());
    let error = error.expect_err("too many vertices");
    assert_eq!(error.to_string(), "70,000 vertices, the format holds 65,534");
    assert!(error.help().is_some_and(|help| help.contains("psk")));
}

#[test]
fn a_key_at_an_absurd_time_is_an_error() {
    let translation = Curve::straight([(0.0, Vec3::ZERO), (f32::MAX, Vec3::X)]);
    let tracks = vec![Track { translation, ..Track::default() }];
    let clips = vec![Clip { name: "long".into(), tracks, ..Clip::default() }];
    let (skeleton, _) = Skeleton::new(vec![Bone::default()]);
    let scene = Scene { skeleton, clips, ..Scene::default() };
    for kind in [FileKind::Ms3d, FileKind::Psa, FileKind::UnigineAnim, FileKind::MaxAnimation] {
        let error = FormatSpec::from(kind).author(&scene, "long", &Authoring::default());
        let error = error.expect_err("too many frames").to_string();
        assert!(error.starts_with("too many frames, the format holds "), "{}: {error}", kind.name());
    }
}

#[test]
fn materials_keep_what_a_format_stores_and_the_rest_is_a_loss() {
    let mut own = Material::new("steel");
    (own.color, own.emissive) = ([1.0, 0.2, 0.4, 1.0], [0.0, 0.2, 0.0]);
    (own.ambient, own.specular, own.shininess) = ([0.2, 0.4, 0.6], [0.8, 0.6, 0.4], 20.0);
    let mesh = Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        primitives: vec![Primitive { material: Some(0), triangles: vec![[0, 1, 2]], ..Primitive::default() }],
        ..Mesh::default()
    };
    let scene = Scene { meshes: vec![mesh], materials: vec![own.clone()], ..Scene::default() };
    for (kind, keeps_ambient, keeps_specular, words) in [
        (FileKind::Ms3d, true, true, &[][..]),
        (FileKind::X, false, true, &["ambient"]),
        (FileKind::Cal3dMaterial, true, true, &["emissive"]),
        (FileKind::Psk, false, false, &["ambient", "specular", "emissive"]),
    ] {
        let (read, losses) = rewritten(&scene, &[kind.into()], &Authoring::default()).expect("a file");
        let material = &read.materials[0];
        let is = |keeps: bool, own: [f32; 3]| if keeps { own } else { [0.0; 3] };
        let bits = |color: [f32; 3]| color.map(f32::to_bits);
        assert_eq!(bits(material.ambient), bits(is(keeps_ambient, own.ambient)), "{kind:?}");
        assert_eq!(bits(material.specular), bits(is(keeps_specular, own.specular)), "{kind:?}");
        assert!((material.shininess - if keeps_specular { 20.0 } else { 0.0 }).abs() < f32::EPSILON);
        let why: String = losses.iter().map(bindpose::scene::Loss::why).collect();
        for word in ["ambient", "specular", "emissive"] {
            assert_eq!(why.contains(word), words.contains(&word), "{kind:?}: {why}");
        }
    }
}

/// A key before the start decides what is held until the next one.
#[test]
fn steps_after_a_key_before_the_start_are_steps() {
    let bone = Bone { name: "hip".into(), ..Bone::default() };
    let keys = [(-1.0, Vec3::X), (1.0, Vec3::Y), (2.0, Vec3::Z)];
    let translation = Some(Curve::new(keys, Interpolation::Step));
    let tracks = vec![Track { bone: 0, translation, ..Track::default() }];
    let clips = vec![Clip { name: "steps".into(), tracks, ..Clip::default() }];
    let scene = Scene { skeleton: Skeleton::new(vec![bone]).0, clips, ..Scene::default() };
    for kind in [FileKind::X, FileKind::Cal3dAnimation, FileKind::Ms3d] {
        let written = FormatSpec::from(kind).author(&scene, "hop", &Authoring::default()).expect("a clip");
        let skeleton = FormatSpec::from(FileKind::Cal3dSkeleton).author(&scene, "hop", &Authoring::default());
        let skeleton = skeleton.expect("a skeleton");
        let mut parts = vec![Part { name: "hop", file: written.files[0].file.as_scene_source() }];
        if kind == FileKind::Cal3dAnimation {
            parts.insert(0, Part { name: "hop", file: skeleton.files[0].file.as_scene_source() });
        }
        let read = Scene::of(&parts, &Settings::default());
        for (time, expected) in [(0.0, Vec3::X), (0.9, Vec3::X), (1.5, Vec3::Y), (2.0, Vec3::Z)] {
            let found = read.clips[0].sample(&read.skeleton, time)[0].translation;
            assert!(found.abs_diff_eq(expected, 1e-4), "{kind:?} at {time}: {found}");
        }
    }
}

/// A material is written, or a loss names it.
#[test]
fn a_material_that_no_mesh_uses_is_not_lost_silently() {
    let triangle = Primitive { material: Some(0), triangles: vec![[0, 1, 2]], ..Primitive::default() };
    let mesh = Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        normals: vec![Vec3::Z; 3],
        primitives: vec![triangle],
        ..Mesh::default()
    };
    let materials = vec![Material::new("used"), Material::new("spare")];
    let scene = Scene { materials, meshes: vec![mesh], ..Scene::default() };
    for kind in FileKind::ALL.iter().filter(|kind| kind.is_authored()) {
        let Ok(written) = FormatSpec::from(*kind).author(&scene, "file", &Authoring::default()) else {
            continue;
        };
        let of_family: Vec<_> =
            FileKind::ALL.iter().copied().filter(|own| own.family() == kind.family()).collect();
        let unwritten = lost_without(&scene, "file", &of_family);
        let is_lost = written.losses.iter().chain(&unwritten).any(|loss| loss.to_string().contains("spare"));
        let is_written = written.files.iter().any(|own| {
            own.name.contains("spare")
                || names(&own.file).expect("names").iter().any(|name| name.text == b"spare")
        });
        let is_elsewhere = of_family
            .iter()
            .any(|own| own != kind && own.scene_contents().contains(&SceneContent::Materials));
        assert!(is_lost || is_written || is_elsewhere, "{}: {:?}", kind.name(), written.losses);
    }
}

#[test]
fn each_material_that_no_file_holds_is_one_loss() {
    let triangle = Primitive { triangles: vec![[0, 1, 2]], ..Primitive::default() };
    let mesh =
        Mesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], primitives: vec![triangle], ..Mesh::default() };
    let materials = ["skin", "cloth"].map(Material::new).to_vec();
    let scene = Scene { materials, meshes: vec![mesh], ..Scene::default() };
    let kind = FileKind::UnigineMesh;
    let written = FormatSpec::from(kind).author(&scene, "file", &Authoring::default()).expect("a mesh");
    let losses = written.losses.into_iter().chain(lost_without(&scene, "file", &[kind]));
    let lost: Vec<_> = losses.filter(|own| own.kind() == LossKind::Material).collect();
    assert_eq!(lost.len(), 2, "{lost:?}");
}
