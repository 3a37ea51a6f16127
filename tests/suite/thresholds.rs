//! What is just inside of a limit is silent, and what is just outside is found.

use bindpose::codec::Format;
use bindpose::edit::merge;
use bindpose::formats::ms3d::{self, Ms3d};
use bindpose::formats::psk::{self, Chunk, Psk, Records};
use bindpose::internals::tolerance;
use bindpose::scene::author::{AuthorError, Authoring};
use bindpose::scene::{
    Blend, Bone, Clip, Curve, Interpolation, Joint, Lost, Material, Mesh, MorphTrack, Part, Primitive, Scene,
    Settings, Skeleton, Skin, Targets, Track, Transform, Weights,
};
use bindpose::{File, FileKind, FormatSpec};
use glam::{Affine3A, Quat, Vec3};

use crate::folders;

/// The parts of a tolerance that numbers are off: less, and more. Numbers of single precision cannot be nearer.
const INSIDE: f32 = 0.95;
const OUTSIDE: f32 = 1.05;

/// A rule, a sample, a tolerance, and the values of fields that are off by a number.
type Number = (&'static str, &'static str, f32, &'static [(&'static str, fn(f32) -> f32)]);

/// The length of a vector of which the square is off.
fn long(off: f32) -> f32 {
    (1.0 + off).sqrt()
}

const NUMBERS: &[Number] = &[
    (
        "ms3d/normal-not-unit",
        "ms3d/full.ms3d",
        tolerance::DIRECTION,
        &[("triangles[0].vertex_normals[0][2]", long)],
    ),
    (
        "ms3d/transparency-out-of-range",
        "ms3d/full.ms3d",
        tolerance::RANGE,
        &[("materials[0].transparency", |off| 1.0 + off)],
    ),
    (
        "ms3d/shininess-out-of-range",
        "ms3d/full.ms3d",
        tolerance::RANGE,
        &[("materials[0].shininess", |off| -off)],
    ),
    (
        "ms3d/alpha-differs",
        "ms3d/full.ms3d",
        tolerance::OPACITY,
        &[("materials[0].diffuse[3]", |off| 1.0 - off)],
    ),
    (
        "ms3d/key-between-frames",
        "ms3d/full.ms3d",
        tolerance::FRAME,
        &[("joints[1].rotation_keys[0].time", |off| (1.0 + off) / 24.0)],
    ),
    ("cal3d/quaternion-not-unit", "cal3d/two.csf", tolerance::UNIT, &[("bones[0].rotation[3]", long)]),
    (
        "cal3d/inverse-bind",
        "../character/cal3d/dragon.csf",
        tolerance::INVERSE_BIND,
        &[("bones[0].local_translation[0]", |off| off)],
    ),
    (
        "cal3d/weight-sum",
        "cal3d/triangle.cmf",
        tolerance::WEIGHTS,
        &[("submeshes[0].vertices[0].influences[0].weight", |off| 0.75 + off)],
    ),
    (
        "cal3d/weight-out-of-range",
        "cal3d/triangle.cmf",
        tolerance::RANGE,
        &[("submeshes[0].vertices[0].influences[0].weight", |off| 1.0 + off)],
    ),
    (
        "cal3d/normal-not-unit",
        "cal3d/triangle.cmf",
        tolerance::DIRECTION,
        &[("submeshes[0].vertices[0].normal[2]", long)],
    ),
    ("psk/normal-not-unit", "psk/morphs.pskx", tolerance::UNIT, &[("normals[0][1]", long)]),
    ("psk/quaternion-not-unit", "psk/plane.psk", tolerance::UNIT, &[("bones[0].orientation[3]", long)]),
    ("psk/weight-sum", "psk/plane.psk", tolerance::WEIGHTS, &[("weights[0].weight", |off| 1.0 - off)]),
    ("psk/weight-out-of-range", "psk/plane.psk", tolerance::RANGE, &[("weights[0].weight", |off| 1.0 + off)]),
    ("psk/track-time", "psk/wave.psa", tolerance::LENGTH, &[("sequences[0].track_time", |off| 3.0 + off)]),
    (
        "x/weight-sum",
        "directx/skinned.x",
        tolerance::WEIGHTS,
        &[("SkinWeights[0].weights[0]", |off| 1.0 - off)],
    ),
    (
        "x/quaternion-not-unit",
        "directx/rotating_cube.x",
        tolerance::UNIT,
        &[
            ("AnimationKey[0].keys[0].tfkeys.values[1]", |_| 0.0),
            ("AnimationKey[0].keys[0].tfkeys.values[3]", long),
        ],
    ),
    (
        "unigine/quaternion-not-unit",
        "unigine/ms11.mesh",
        tolerance::UNIT,
        &[("transforms[0].rotation[3]", long)],
    ),
    ("unigine/key-not-unit", "unigine/an11.anim", tolerance::UNIT, &[("frames[2][0].rotation[3]", long)]),
    (
        "unigine/bounds",
        "unigine/ms10.mesh",
        tolerance::BOUNDS,
        &[("geometry[0].targets[0].vertices[0][0]", |off| -off)],
    ),
    (
        "unigine/tangent-not-unit",
        "unigine/ms11.mesh",
        tolerance::TANGENT,
        &[
            ("geometry[0].targets[0].tangents[0].xyzw[0]", |_| 0.0),
            ("geometry[0].targets[0].tangents[0].xyzw[1]", |_| 0.0),
            ("geometry[0].targets[0].tangents[0].xyzw[2]", |_| 0.0),
            ("geometry[0].targets[0].tangents[0].xyzw[3]", |off| (32767.0 * long(-off)).round()),
        ],
    ),
    ("iqm/rotation-not-unit", "iqm/bar.iqm", tolerance::UNIT, &[("joints[0].rotate[3]", long)]),
    (
        "max/normal-not-unit",
        "max/quad.max-mesh.mesh",
        tolerance::UNIT,
        &[
            ("faces[*].corners[*].normal[0]", |_| 0.0),
            ("faces[*].corners[*].normal[1]", |_| 0.0),
            ("faces[*].corners[*].normal[2]", long),
        ],
    ),
    (
        "max/weight-sum",
        "max/set.max-mesh.mesh",
        tolerance::WEIGHTS,
        &[("faces[0].corners[0].influences[0].weight", |off| 0.25 + off)],
    ),
    (
        "max/weight-out-of-range",
        "max/set.max-mesh.mesh",
        tolerance::RANGE,
        &[("faces[0].corners[0].influences[0].weight", |off| 1.0 + off)],
    ),
];

/// The number of findings of a rule.
fn found(file: &File, rule: &str) -> usize {
    let bytes = file.encode().unwrap_or_else(|error| panic!("{rule}: {error}"));
    file.check(&bytes, 1).findings.iter().filter(|own| own.rule.code == rule).count()
}

/// Sets a number, in a field of whole numbers as one.
fn set(file: &mut File, path: &str, value: f32) {
    #[allow(clippy::cast_possible_truncation, reason = "a whole number of 16 bits")]
    let set = file.set(path, value).or_else(|_| file.set(path, value as i32));
    set.unwrap_or_else(|error| panic!("{path}: {error}"));
}

#[test]
fn numbers_within_the_tolerance_of_a_rule_are_silent_and_others_are_found() {
    for (rule, sample, tolerance, fields) in NUMBERS {
        let original = folders::sample(&format!("corpus/{sample}")).file;
        for (part, is_found) in [(0.0, false), (INSIDE, false), (OUTSIDE, true)] {
            let mut file = original.clone();
            fields.iter().for_each(|(path, value)| set(&mut file, path, value(tolerance * part)));
            assert_eq!(found(&file, rule) > 0, is_found, "{rule}: {part} of {tolerance}");
        }
    }
}

#[test]
fn whole_numbers_at_a_limit_are_silent_and_the_next_ones_are_found() {
    let short = i64::from(u16::MAX) - i64::from(tolerance::SHORT_WEIGHTS);
    let group = tolerance::SMOOTHING_GROUP.into();
    for (rule, sample, path, inside, outside) in [
        (
            "ms3d/smoothing-group-out-of-range",
            "ms3d/full.ms3d",
            "triangles[0].smoothing_group",
            group,
            group + 1,
        ),
        ("ms3d/frame-rate", "ms3d/full.ms3d", "animation.fps", 1, 0),
        (
            "unigine/weight-sum",
            "unigine/ms11.mesh",
            "geometry[0].weights[0].influences[0].weight",
            short,
            short - 1,
        ),
        // Its tolerance is less than a step.
        ("iqm/weight-sum", "iqm/bar.iqm", "sections.vertex_data_5[0][0]", 200, 199),
    ] {
        let mut file = folders::sample(&format!("corpus/{sample}")).file;
        for (value, is_found) in [(inside, false), (outside, true)] {
            file.set(path, value).unwrap_or_else(|error| panic!("{path}: {error}"));
            assert_eq!(found(&file, rule) > 0, is_found, "{rule}: {value}");
        }
    }
}

#[test]
fn lists_at_their_limit_are_silent_and_longer_ones_are_found() {
    let most = tolerance::INFLUENCES;
    for (rule, sample, list, len, most) in [
        ("cal3d/many-influences", "cal3d/triangle.cmf", "submeshes[0].vertices[0].influences", 2, most),
        (
            "unigine/many-influences",
            "../character/unigine/dragon.mesh",
            "geometry[0].weights[0].influences",
            2,
            most,
        ),
        // New weights are those of the first point.
        ("psk/many-influences", "psk/plane.psk", "weights", 1, most),
        ("ms3d/model-comments", "ms3d/comments.ms3d", "comments.lists.model", 1, 1),
    ] {
        let mut file = folders::sample(&format!("corpus/{sample}")).file;
        for number in len..=most + 1 {
            assert_eq!(found(&file, rule) > 0, number > most, "{rule}: {number}");
            file.append(list).unwrap_or_else(|error| panic!("{list}: {error}"));
        }
    }
    for (list, most) in [
        ("vertices", ms3d::MAX_VERTICES),
        ("triangles", ms3d::MAX_TRIANGLES),
        ("groups", ms3d::MAX_GROUPS),
        ("materials", ms3d::MAX_MATERIALS),
        ("joints", ms3d::MAX_JOINTS),
    ] {
        for number in [most, most + 1] {
            let len = |own: &str| if own == list { number } else { 0 };
            let mut model = Ms3d::blank_file();
            model.vertices = vec![ms3d::Vertex::default(); len("vertices")].into();
            model.triangles = vec![ms3d::Triangle::default(); len("triangles")].into();
            model.groups = vec![ms3d::Group::default(); len("groups")].into();
            model.materials = vec![ms3d::Material::default(); len("materials")].into();
            model.joints = vec![ms3d::Joint::default(); len("joints")].into();
            let file = File::Ms3d(Box::new(model));
            assert_eq!(found(&file, "ms3d/too-many") > 0, number > most, "{number} {list}");
        }
    }
    // As many as an index of one or two bytes reaches.
    let (short, long) = (1 << u8::BITS, 1 << u16::BITS);
    for (rule, most, chunk) in [
        (
            "psk/too-many-materials",
            short,
            (|len| ("MATT0000", Records::Materials(vec![psk::Material::default(); len].into())))
                as fn(usize) -> _,
        ),
        ("psk/many-points", long, |len| ("PNTS0000", Records::Points(vec![[0.0; 3]; len].into()))),
    ] {
        for number in [most, most + 1] {
            let mut mesh = Psk::blank_file();
            let (id, records) = chunk(number);
            mesh.chunks.push(Chunk::new(id, records));
            let file = File::Psk(Box::new(mesh));
            assert_eq!(found(&file, rule) > 0, number > most, "{rule}: {number}");
        }
    }
}

fn scene(files: &[File]) -> Scene {
    let parts: Vec<_> =
        files.iter().map(|file| Part { name: "file", file: file.as_scene_source() }).collect();
    Scene::of(&parts, &Settings::default())
}

/// The greatest coordinate of a bone in the bind pose.
fn size(scene: &Scene) -> f32 {
    let placed = scene.skeleton.model_space(&scene.skeleton.bind_pose());
    placed.iter().map(|own| own.translation.abs().max_element()).fold(0.0, f32::max)
}

/// A sample without damage and the same with its skeleton moved by a number, in the unit of the file.
fn moved(sample: &str, paths: &[&str], distance: f32) -> [File; 2] {
    let file = folders::sample(sample).file;
    let mut other = file.clone();
    for path in paths {
        let old =
            other.get(path).unwrap_or_else(|error| panic!("{path}: {error}")).as_f64().expect("a number");
        #[allow(clippy::cast_possible_truncation, reason = "a number of single precision")]
        other.set(path, old as f32 + distance).expect("a number");
    }
    [file, crate::edit::merge::copy(&other)]
}

#[test]
fn skeletons_within_the_tolerance_are_merged_and_others_are_refused() {
    for (sample, unit, paths) in [
        ("character/dragon.ms3d", 1.0, &["joints[0].position[0]"][..]),
        ("character/dragon.psk", 0.01, &["bones[0].position[0]"]),
        ("character/unigine/dragon.mesh", 1.0, &["transforms[0].position[0]"]),
    ] {
        let size = (size(&scene(&[folders::sample(sample).file])) / unit).max(1.0);
        for (part, is_merged) in [(INSIDE, true), (OUTSIDE, false)] {
            let [mut file, other] = moved(sample, paths, part * tolerance::BONE_PLACE * size);
            let merged = merge(&mut file, &other);
            assert_eq!(merged.is_ok(), is_merged, "{sample}: {part}: {merged:?}");
        }
    }
}

#[test]
fn poses_of_another_file_within_the_tolerance_are_no_loss() {
    let sample = "character/dragon.ms3d";
    let size = size(&scene(&[folders::sample(sample).file]));
    for (part, is_lost) in [(INSIDE, false), (OUTSIDE, true)] {
        let files = moved(sample, &["joints[0].position[0]"], part * tolerance::SAME_POSE * size);
        let losses = scene(&files).losses;
        assert_eq!(losses.iter().any(|own| own.lost == Lost::SkeletonPoses), is_lost, "{part}: {losses:?}");
    }
}

/// A triangle that two bones move, of which one is in a bind pose that is off. All of them would be a mesh that is elsewhere.
fn bound(off: f32) -> Scene {
    let bind = Transform { translation: Vec3::Y * 0.5, ..Transform::IDENTITY };
    let bone = |name: &str, parent| Bone { name: name.into(), parent, bind };
    let skeleton = Skeleton::new(vec![bone("hip", None), bone("knee", Some(0))]).0;
    let joint = |bone, place| Joint { bone, inverse_bind: Affine3A::from_translation(place).inverse() };
    let skin = Skin {
        joints: [joint(0, Vec3::Y * 0.5), joint(1, Vec3::Y + Vec3::X * off)].into(),
        weights: Weights::gather(3, 2, (0..3).map(|vertex| (vertex, vertex % 2, 1.0))).0,
    };
    let mesh = Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        normals: vec![Vec3::Z; 3],
        primitives: vec![Primitive { triangles: vec![[0, 1, 2]], ..Primitive::default() }],
        skin: Some(skin),
        ..Mesh::default()
    };
    let rotation = Curve::straight([(0.0, Quat::IDENTITY), (1.0, Quat::from_rotation_x(1.0))]);
    let tracks = vec![Track { rotation, ..Track::default() }];
    let clips = vec![Clip { name: "nod".into(), tracks, ..Clip::default() }];
    Scene { skeleton, meshes: vec![mesh], clips, ..Scene::default() }
}

#[test]
fn bind_poses_of_skins_within_the_tolerance_are_those_of_the_bones() {
    for (part, is_lost) in [(0.0, false), (INSIDE, false), (OUTSIDE, true)] {
        for kind in [FileKind::Psk, FileKind::Ms3d] {
            let scene = bound(part * tolerance::BIND_POSE);
            let written =
                FormatSpec::from(kind).author(scene, "hero", &Authoring::default()).expect("a model");
            let is_moved = written.losses.iter().any(|own| own.lost == Lost::RestPoses);
            assert_eq!(is_moved, is_lost, "{}: {part}: {:?}", kind.name(), written.losses);
        }
    }
}

/// A curve whose middle key is off those beside it.
fn bent<T: Blend>(still: T, off: T, is_held: bool) -> Curve<T> {
    let between = if is_held { Interpolation::Step } else { Interpolation::Linear };
    Curve::new([(0.0, still), (1.0, off), (2.0, still)], between)
}

#[test]
fn keys_within_the_tolerance_are_removed_and_others_are_kept() {
    const TOLERANCE: f32 = 0.01;
    for (part, removed) in [(INSIDE, 4), (OUTSIDE, 0)] {
        let off = part * TOLERANCE;
        let of = |is_held: bool| {
            let track = Track {
                bone: 0,
                translation: Some(bent(Vec3::ZERO, Vec3::X * off, is_held)),
                rotation: Some(bent(Quat::IDENTITY, Quat::from_rotation_y(off), is_held)),
                scale: Some(bent(Vec3::ONE, Vec3::ONE + Vec3::Y * off, is_held)),
            };
            let weight = bent(0.0, off, is_held);
            let morphs = vec![MorphTrack { targets: Targets::Named("smile".into()), weight }];
            Clip { tracks: vec![track], morphs, ..Clip::default() }
        };
        for is_held in [false, true] {
            let mut scene = Scene { clips: vec![of(is_held)], ..Scene::default() };
            assert_eq!(scene.reduce_keys(TOLERANCE), removed, "{part}, held: {is_held}");
        }
    }
}

/// A scene with a number of bones and a triangle of each of a number of materials.
fn crowd(bones: usize, materials: usize) -> Scene {
    let bone = |at: usize| Bone {
        name: format!("bone {at}"),
        parent: at.checked_sub(1).map(|_| 0),
        ..Bone::default()
    };
    let primitive =
        |material| Primitive { material: Some(material), triangles: vec![[0, 1, 2]], ..Primitive::default() };
    let mesh = Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        normals: vec![Vec3::Z; 3],
        primitives: (0..materials).map(primitive).collect(),
        ..Mesh::default()
    };
    Scene {
        skeleton: Skeleton::new((0..bones).map(bone).collect()).0,
        materials: (0..materials).map(|at| Material::new(format!("material {at}"))).collect(),
        meshes: vec![mesh],
        ..Scene::default()
    }
}

#[test]
fn scenes_at_the_limit_of_a_format_are_written_and_larger_ones_are_refused() {
    let mut limited = Vec::new();
    for kind in FileKind::ALL.iter().filter(|kind| kind.is_authored()) {
        let write = |scene: Scene| FormatSpec::from(*kind).author(scene, "crowd", &Authoring::default());
        for (name, of) in
            [("bones", (|most| crowd(most, 1)) as fn(usize) -> _), ("materials", |most| crowd(1, most))]
        {
            let Err(AuthorError::Limit { what, limit, .. }) = write(of(400)) else { continue };
            assert!(what.contains(name) || name == "bones", "{}: {what}", kind.name());
            let next = write(of(limit + 1));
            let is_refused = matches!(&next, Err(AuthorError::Limit { actual, .. }) if *actual == limit + 1);
            assert!(is_refused, "{}: {} {name}", kind.name(), limit + 1);
            let written = write(of(limit)).unwrap_or_else(|error| panic!("{}: {error}", kind.name()));
            for own in written.files {
                let bytes = own.file.encode().expect("a file");
                let findings = own.file.check(&bytes, 1).findings;
                let is_over = findings.iter().any(|own| own.rule.code.contains("too-many"));
                assert!(!is_over, "{}: {findings:?}", kind.name());
            }
            limited.push((kind.name(), name));
        }
    }
    assert_eq!(limited, [("ms3d", "bones"), ("ms3d", "materials"), ("psk", "materials"), ("iqm", "bones")]);
}
