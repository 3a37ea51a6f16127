use std::collections::{BTreeMap, BTreeSet};
use std::f32::consts::{FRAC_PI_2, PI};

use bindpose::codec::Format as _;
use bindpose::edit::{resample, retime, transform};
use bindpose::formats::cal3d::{
    Animation, Bone, CalAnimation, CalSkeleton, Dialect, NearPosition, PackedHeader, PackedKey,
    PackedPosition, PackedRotation, PackedRotationHigh, PackedRotationLow, PackedTrack, Skeleton, Text,
    Track,
};
use bindpose::formats::ms3d;
use bindpose::formats::psk::{self, Chunk, Psa, Records};
use bindpose::scene::{Clip, Mesh, Scene};
use bindpose::schema::EditError;
use bindpose::{Budget, Error, ErrorKind, File, FileKind};
use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A, Vec4};

use super::{assert_sound, corpus, files, has_warnings, scene};
use crate::folders;

/// The axes of a format in the axes of a scene.
fn axes(kind: FileKind) -> Mat3A {
    let z_up = Mat3A::from_cols(Vec3A::X, -Vec3A::Z, Vec3A::Y);
    match kind {
        FileKind::Psk | FileKind::Psa => z_up * 0.01,
        FileKind::Ms3d => Mat3A::IDENTITY,
        FileKind::X => Mat3A::from_diagonal(Vec3::new(1.0, 1.0, -1.0)),
        _ => z_up,
    }
}

/// Asserts that matrices are multiplied, to a part in a thousand of the largest translation.
fn same(name: &str, what: &str, meant: &[Affine3A], found: &[Affine3A]) {
    assert_eq!(meant.len(), found.len(), "{name}: {what}");
    let size = meant.iter().filter(|own| own.is_finite());
    let size = size.fold(1e-3, |size: f32, own| size.max(own.translation.abs().max_element()));
    // The bases of UNIGINE's first meshes have 7 bytes.
    let tolerance = if matches!(what, "normals" | "tangents") { 3e-2 } else { 1e-3 };
    for (meant, found) in meant.iter().zip(found).filter(|(meant, _)| meant.is_finite()) {
        // Bones of real files are scaled by up to 10,000.
        let most = meant.matrix3.to_cols_array().into_iter().fold(1.0, |most: f32, own| most.max(own.abs()));
        let is_same = meant.matrix3.abs_diff_eq(found.matrix3, 2e-3 * most)
            && meant.translation.abs_diff_eq(found.translation, tolerance * size);
        assert!(is_same, "{name}: {what}: {meant:?} is {found:?}");
    }
}

/// A motion in the axes of a scene.
fn motion(kind: FileKind, rotation: Quat, translation: Vec3) -> Affine3A {
    let axes = Affine3A { matrix3: axes(kind), translation: Vec3A::ZERO };
    axes * Affine3A::from_rotation_translation(rotation, translation) * axes.inverse()
}

fn points(points: impl IntoIterator<Item = Vec3>) -> Vec<Affine3A> {
    points.into_iter().map(Affine3A::from_translation).collect()
}

/// Asserts that corners of triangles are in the same places. Rounding decides how faces with more than three corners are divided,
/// so a corner that is not at its own place must be at that of another one.
fn same_corners(name: &str, what: &str, meant: &[Vec3], found: &[Vec3]) {
    assert_eq!(meant.len(), found.len(), "{name}: {what}");
    let size = meant.iter().filter(|own| own.is_finite());
    let tolerance = 1e-3 * size.fold(1e-3, |size: f32, own| size.max(own.abs().max_element()));
    let is_at = |a: &Vec3, b: &Vec3| !a.is_finite() || a.abs_diff_eq(*b, tolerance);
    for (meant_own, found_own) in meant.iter().zip(found).filter(|(a, b)| !is_at(a, b)) {
        let is_found = found.iter().any(|other| is_at(meant_own, other));
        let is_meant = meant.iter().any(|other| is_at(other, found_own));
        assert!(is_found && is_meant, "{name}: {what}: {meant_own} is {found_own}");
    }
}

/// Returns where the corners of all triangles are. Rounding decides which corners share a vertex.
fn corners(scene: &Scene, clip: Option<&Clip>, seconds: f32) -> Vec<Vec3> {
    let posed = scene.posed(clip, seconds);
    let meshes = scene.meshes.iter().zip(&posed);
    meshes.flat_map(|(mesh, posed)| by_corner(mesh, &posed.positions)).collect()
}

/// Returns the values of vertices for each corner of each triangle.
fn by_corner<T: Copy>(mesh: &Mesh, values: &[T]) -> Vec<T> {
    let triangles = mesh.primitives.iter().flat_map(|own| &own.triangles);
    triangles.flatten().filter_map(|vertex| values.get(*vertex as usize).copied()).collect()
}

/// Asserts that the bones and vertices of moved files are moved, in the bind pose and in clips.
fn assert_poses_moved(name: &str, before: &Scene, after: &Scene, motion: Affine3A) {
    assert_eq!(before.clips.len(), after.clips.len(), "{name}");
    let clips = before.clips.iter().zip(&after.clips).map(|(old, new)| (Some(old), Some(new)));
    for (old, new) in std::iter::once((None, None)).chain(clips) {
        let (start, end) = old.and_then(Clip::span).unwrap_or_default();
        for seconds in [start, start.midpoint(end), end] {
            let bones = [before.bones_at(old, seconds), after.bones_at(new, seconds)];
            let moved: Vec<_> = bones[0].iter().map(|own| motion * *own).collect();
            same(name, "a pose", &moved, &bones[1]);
            let [posed, posed_after] = [corners(before, old, seconds), corners(after, new, seconds)];
            let moved: Vec<_> = posed.into_iter().map(|own| motion.transform_point3(own)).collect();
            same_corners(name, "posed vertices", &moved, &posed_after);
        }
    }
}

/// Asserts that the meshes of a moved file are moved.
fn assert_meshes_moved(name: &str, file: &File, before: &Scene, after: &Scene, motion: Affine3A) {
    // Normals that a scene calculates have no direction where triangles cancel out.
    let stores_normals = match file {
        File::Psk(mesh) => !mesh.normals().is_empty(),
        File::MaxMesh(_) => false,
        _ => !before.losses.iter().any(|own| own.why().contains("those of the faces around")),
    };
    for (old, new) in before.meshes.iter().zip(&after.meshes) {
        let positions = by_corner(old, &old.positions).into_iter().map(|own| motion.transform_point3(own));
        same_corners(name, "positions", &positions.collect::<Vec<_>>(), &by_corner(new, &new.positions));
        if stores_normals {
            let normals = by_corner(old, &old.normals).into_iter().map(|own| motion.transform_vector3(own));
            same(name, "normals", &points(normals), &points(by_corner(new, &new.normals)));
        }
        let tangents = by_corner(old, &old.tangents).into_iter();
        let tangents = tangents.map(|own| motion.transform_vector3(own.truncate()));
        let found = by_corner(new, &new.tangents).into_iter().map(Vec4::truncate);
        same(name, "tangents", &points(tangents), &points(found));
        for (old, new) in old.morphs.iter().zip(&new.morphs) {
            let deltas = old.deltas.iter().map(|own| motion.transform_vector3(own.position));
            let found = new.deltas.iter().map(|own| own.position);
            same(name, "morph targets", &points(deltas), &points(found));
        }
        let joints = |mesh: &Mesh| -> Vec<_> {
            mesh.skin.iter().flat_map(|skin| skin.joints.iter()).map(|joint| joint.inverse_bind).collect()
        };
        let meant: Vec<_> = joints(old).into_iter().map(|own| own * motion.inverse()).collect();
        same(name, "inverse bind poses", &meant, &joints(new));
    }
}

/// Moves a set of files; returns whether that is possible.
fn check(name: &str, files: &[File], rotation: Quat) -> bool {
    let translation = Vec3::new(0.5, -3.0, 2.0);
    let mut edited = files.to_vec();
    if let Err(error) = transform(&mut edited, rotation, translation, &Budget::default()) {
        let is_refused = matches!(
            error.kind(),
            ErrorKind::Value(EditError::Unsupported(_) | EditError::NeedsBones { .. })
        );
        assert!(is_refused || files.iter().any(has_warnings), "{name}: {error}");
        let is_same = |(new, old): (&File, &File)| new.encode().ok() == old.encode().ok();
        assert!(edited.iter().zip(files).all(is_same), "{name}: a refused edit changes nothing");
        return false;
    }
    if files.iter().any(has_warnings) {
        return false;
    }
    files.iter().zip(&edited).for_each(|(file, edited)| assert_sound(name, file, edited));
    let scenes = [scene(files), scene(&edited)];
    let motion = motion(files[0].kind(), rotation, translation);
    // The scene of an animation alone has an invented bind pose.
    if files[0].kind() != FileKind::MaxAnimation {
        assert_poses_moved(name, &scenes[0], &scenes[1], motion);
    }
    // Meshes of `.x` files follow their frames.
    if files[0].kind() != FileKind::X {
        assert_meshes_moved(name, &files[0], &scenes[0], &scenes[1], motion);
    }
    assert_moved_back(name, (files, &scenes[0]), edited, (rotation, translation));
    true
}

/// Asserts that moved files are those before after the inverse motion.
fn assert_moved_back(
    name: &str,
    (files, before): (&[File], &Scene),
    mut moved: Vec<File>,
    (rotation, translation): (Quat, Vec3),
) {
    let back = rotation.inverse();
    transform(&mut moved, back, -(back * translation), &Budget::default())
        .unwrap_or_else(|error| panic!("{name} back: {error}"));
    let after = scene(&moved);
    let name = format!("{name} back");
    if files[0].kind() != FileKind::MaxAnimation {
        assert_poses_moved(&name, before, &after, Affine3A::IDENTITY);
    }
    if files[0].kind() != FileKind::X {
        assert_meshes_moved(&name, &files[0], before, &after, Affine3A::IDENTITY);
    }
}

/// Any angles, and right ones.
fn rotations() -> [Quat; 2] {
    let any = Quat::from_rotation_x(0.4) * Quat::from_rotation_z(2.0);
    [any, Quat::from_rotation_x(FRAC_PI_2) * Quat::from_rotation_z(PI)]
}

#[test]
fn the_scene_of_a_moved_file_is_the_moved_scene() {
    let mut moved = BTreeSet::new();
    for (name, file) in files() {
        for rotation in rotations() {
            if check(&name, std::slice::from_ref(&file), rotation) {
                moved.insert(file.kind());
            }
        }
    }
    // Animations of Cal3D need their skeleton; materials have no positions.
    let missing: Vec<_> = FileKind::ALL.iter().filter(|kind| !moved.contains(kind)).collect();
    assert_eq!(missing, [&FileKind::Cal3dAnimation]);
}

/// A valid skeleton of two bones.
fn skeleton() -> File {
    let bone = |name: &str, parent_id: i32, child_ids: Vec<i32>| Bone {
        name: Text::new(name.as_bytes()),
        rotation: [0.0, 0.0, 0.0, 1.0],
        local_rotation: [0.0, 0.0, 0.0, 1.0],
        parent_id,
        child_ids: child_ids.into(),
        ..Bone::default()
    };
    let bones = vec![bone("root", -1, vec![1]), bone("tip", 0, Vec::new())].into();
    File::Cal3dSkeleton(Box::new(CalSkeleton::from(Skeleton { bones, ..Skeleton::default() })))
}

/// A valid animation of a version with packed tracks: the root turns and moves, or only turns.
fn packed(version: i32, moves: bool) -> File {
    let position = |at: u16| moves.then(|| PackedPosition::Near(NearPosition::new().with_x(4 * at)));
    let key = |at: u16| PackedKey {
        position: position(at),
        // The identity and a half turn, at thirtieths of a second.
        rotation: PackedRotation {
            low: PackedRotationLow::from_raw((3 - at).into()),
            high: PackedRotationHigh::from_raw(at << 6),
        },
        exact_translation: (version == 917 && moves).then_some([f32::from(at), 0.0, 0.0]),
        exact_rotation: matches!(version, 916 | 917).then_some(if at == 0 {
            [0.0, 0.0, 0.0, 1.0]
        } else {
            [0.0, 0.0, 1.0, 0.0]
        }),
    };
    let header = PackedHeader::new().with_has_position(moves).with_position_varies(moves);
    let track = PackedTrack { header, keys: [key(0), key(1)].into_iter().collect() };
    let animation = Animation {
        version,
        compression: (version == 919).then_some(1),
        duration: 1.0,
        tracks: [Track::Packed(track)].into_iter().collect(),
        ..Animation::default()
    };
    File::Cal3dAnimation(Box::new(CalAnimation::Binary { dialect: Dialect::Imvu, file: animation }))
}

#[test]
fn animations_move_with_the_bones_of_their_set() {
    let sample = |name: &str| folders::sample(&format!("corpus/cal3d/{name}")).file;
    for (name, file) in [
        ("plain", sample("walk.caf")),
        ("xml", sample("walk.xaf")),
        ("packed, may be plain", packed(919, true)),
        ("packed with exact numbers", packed(917, true)),
        ("packed rotations", packed(918, false)),
        ("packed rotations with exact ones", packed(916, false)),
    ] {
        let files = [skeleton(), file];
        assert!(rotations().into_iter().all(|rotation| check(name, &files, rotation)), "{name}");
    }
    let mut files = [skeleton(), packed(913, true)];
    let error =
        transform(&mut files, Quat::IDENTITY, Vec3::new(0.1, 0.0, 0.0), &Budget::default()).unwrap_err();
    let why = "packed positions are multiples of a quarter of a unit, and the new ones are not";
    assert_eq!(error.to_string(), why);
    bindpose::edit::scale(&mut files[1], 2.0, &Budget::default()).expect("twice as many steps");
    let mut alone = [sample("walk.caf")];
    transform(&mut alone, Quat::IDENTITY, Vec3::X, &Budget::default()).unwrap_err();
}

/// Bones whose parent is missing, or is the bone itself by way of others, are roots of scenes.
#[test]
fn bones_that_a_scene_has_as_roots_are_moved() {
    let sample = |name: &str| folders::sample(&format!("corpus/{name}")).file;
    for (mut file, path, parent) in [
        (skeleton(), "bones[0].parent_id", "77"),
        (skeleton(), "bones[0].parent_id", "1"),
        (skeleton(), "bones[1].parent_id", "77"),
        (sample("psk/set.psk"), "bones[0].parent_index", "77"),
        (sample("psk/set.psk"), "bones[1].parent_index", "77"),
        (sample("ms3d/full.ms3d"), "joints[0].parent_name", "nobody"),
        (sample("unigine/ms11.mesh"), "bones[0].parent", "77"),
    ] {
        file.set_text(path, parent).expect("another parent");
        let name = format!("{} with {path}={parent}", file.kind().name());
        let translation = Vec3::new(0.5, -3.0, 2.0);
        let mut moved = 0;
        for rotation in rotations() {
            let mut edited = [file.clone()];
            if transform(&mut edited, rotation, translation, &Budget::default()).is_err() {
                continue;
            }
            moved += 1;
            let motion = motion(file.kind(), rotation, translation);
            let [before, after] = [scene(std::slice::from_ref(&file)), scene(&edited)];
            assert!(!before.skeleton.bones().is_empty(), "{name}");
            assert_poses_moved(&name, &before, &after, motion);
        }
        assert!(moved > 0, "{name}");
    }
}

/// Its bones have their parents in the mesh: the first one of the animation is not the root.
#[test]
fn an_unreal_animation_moves_with_the_roots_of_its_mesh() {
    for names in [["Top", "a", "b", "tail"], ["a", "Root", "b", "tail"]] {
        let [mesh, mut animations] =
            ["psk/set.psk", "psk/set.psa"].map(|name| folders::sample(&format!("corpus/{name}")).file);
        for (bone, name) in names.iter().enumerate() {
            animations.set(&format!("bones[{bone}].name"), *name).expect("a name");
        }
        animations.set("keys[*].position[0]", 5.0).expect("keys that move");
        let before = [mesh, animations];
        let mut after = before.clone();
        let (rotation, translation) = (rotations()[0], Vec3::new(0.5, -3.0, 2.0));
        transform(&mut after, rotation, translation, &Budget::default()).expect("a motion");
        let motion = motion(FileKind::Psk, rotation, translation);
        assert_poses_moved("psk", &scene(&before), &scene(&after), motion);
    }
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn corpus_scenes_of_moved_files_are_moved() {
    let mut moved: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for (name, file) in corpus() {
        for (index, rotation) in rotations().into_iter().enumerate() {
            let is_moved = check(&name, std::slice::from_ref(&file), rotation);
            moved.entry(file.kind().name()).or_default()[index] += usize::from(is_moved);
        }
    }
    eprintln!("{moved:?}");
}

fn has_no_rate(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Value(EditError::NoRate { .. }))
}

#[test]
fn a_rate_changes_the_length_of_clips() {
    let mut retimed = BTreeSet::new();
    for (name, file) in files() {
        let mut edited = file.clone();
        if let Err(error) = retime(&mut edited, 60.0) {
            let is_unsupported = matches!(error.kind(), ErrorKind::Value(EditError::Unsupported(_)));
            assert!(is_unsupported || has_no_rate(&error), "{name}: {error}");
            continue;
        }
        if has_warnings(&file) {
            continue;
        }
        assert_sound(&name, &file, &edited);
        let [a, b] = [file.clone(), edited.clone()].map(|file| scene(&[file]));
        assert_eq!(a.clips.len(), b.clips.len(), "{name}");
        for (index, (old, new)) in a.clips.iter().zip(&b.clips).enumerate() {
            let rate = match &file {
                File::Psa(animations) => animations.sequences()[index].rate,
                File::Ms3d(model) => model.animation.fps.max(1.0),
                File::Iqm(model) => model.sections.anims[index].framerate,
                File::UnigineAnim(_) => {
                    let rate = file.get("frame_rate").expect("a rate").as_i64().expect("a number");
                    i16::try_from(rate).expect("a small number").into()
                }
                _ => panic!("{name}"),
            };
            let (Some((_, old)), Some((_, new))) = (old.span(), new.span()) else { continue };
            let meant = old * rate / 60.0;
            assert!((meant - new).abs() <= 1e-4 * meant.abs().max(1.0), "{name}: {meant} is {new}");
        }
        retimed.insert(file.kind());
    }
    assert_eq!(
        retimed,
        BTreeSet::from([FileKind::Ms3d, FileKind::Psa, FileKind::Iqm, FileKind::UnigineAnim])
    );
}

/// Sequences of 4 and 3 frames of one bone at 30 and 20 frames per second, with the times of keys in seconds or in frames.
fn two_rates(is_in_seconds: bool) -> Psa {
    let sequence = |first_raw_frame, num_raw_frames: u8, rate: f32| psk::Sequence {
        total_bones: 1,
        key_quotum: num_raw_frames.into(),
        track_time: f32::from(num_raw_frames) / if is_in_seconds { rate } else { 1.0 },
        rate,
        first_raw_frame,
        num_raw_frames: num_raw_frames.into(),
        ..psk::Sequence::default()
    };
    let sequences = vec![sequence(0, 4, 30.0), sequence(4, 3, 20.0)];
    let rates = [[30.0; 4].as_slice(), &[20.0; 3]].concat();
    let time = |rate: f32| if is_in_seconds { 1.0 / rate } else { 1.0 };
    let key = |rate| psk::Key { time: time(rate), ..psk::Key::default() };
    let mut file = Psa::blank_file();
    file.chunks.extend([
        Chunk::new("BONENAMES", Records::Bones(vec![psk::Bone::default()].into())),
        Chunk::new("ANIMINFO", Records::Sequences(sequences.into())),
        Chunk::new("ANIMKEYS", Records::Keys(rates.into_iter().map(key).collect::<Vec<_>>().into())),
    ]);
    file
}

#[test]
fn times_of_sequences_and_keys_keep_their_unit() {
    const RATE: f32 = 60.0;
    let verbs: [fn(&mut File) -> bindpose::Result<()>; 2] =
        [|file| retime(file, RATE), |file| resample(file, RATE, &Budget::default())];
    for (is_in_seconds, verb) in [false, true].into_iter().flat_map(|unit| verbs.map(|verb| (unit, verb))) {
        let mut edited = File::Psa(Box::new(two_rates(is_in_seconds)));
        verb(&mut edited).expect("another rate");
        let File::Psa(edited) = edited else { unreachable!("a PSA file") };
        let unit = if is_in_seconds { RATE.recip() } else { 1.0 };
        for own in edited.sequences() {
            let frames = f32::from(u8::try_from(own.num_raw_frames).expect("a few frames"));
            let is_same = (own.track_time - frames * unit).abs() < 1e-5;
            assert!(is_same, "{} for {frames} frames of {unit}", own.track_time);
        }
        for key in edited.keys() {
            assert!((key.time - unit).abs() < 1e-5, "{} is not {unit}", key.time);
        }
    }
}

#[test]
fn a_milkshape_model_below_one_frame_per_second_is_played_at_one() {
    let model = |fps: f32| {
        let mut model = ms3d::Ms3d::blank_file();
        let key = |time, x| ms3d::Keyframe { time, value: [x, 0.0, 0.0] };
        let mut joint = ms3d::Joint::default();
        joint.position_keys.extend([key(4.0, 0.0), key(8.0, 1.0)]);
        model.joints.push(joint);
        model.animation = ms3d::Animation { fps, current_time: 1.0, total_frames: 10 };
        File::Ms3d(Box::new(model))
    };
    let span = |file: &File| scene(std::slice::from_ref(file)).clips[0].span();
    let is_span = |file: &File, [start, end]: [f32; 2]| {
        let is_near = |a: f32, b: f32| (a - b).abs() <= 1e-4 * b;
        span(file).is_some_and(|own| is_near(own.0, start) && is_near(own.1, end))
    };
    let slow = [-1.0, 0.0, 0.25, f32::NAN];
    for (old, new) in slow.into_iter().flat_map(|old| [(old, 20.0), (old, 0.5), (20.0, 0.5)]) {
        let played = [old, new].map(|fps| if fps >= 1.0 { fps } else { 1.0 });
        let ratio = played[0] / played[1];
        let mut edited = model(old);
        let (start, end) = span(&edited).expect("keys");
        retime(&mut edited, new).expect("another rate");
        assert!(is_span(&edited, [start * ratio, end * ratio]), "{old} to {new}: {:?}", span(&edited));
        let mut edited = model(old);
        resample(&mut edited, new, &Budget::default()).expect("another rate");
        assert!(is_span(&edited, [start, end]), "{old} to {new}: {:?}", span(&edited));
        let File::Ms3d(edited) = edited else { unreachable!("a model") };
        let seconds = f64::from(edited.animation.total_frames) / f64::from(played[1]);
        assert!((seconds - 10.0 / f64::from(played[0])).abs() < 1.0, "{old} to {new}: {seconds} s");
    }
}

/// Asserts that clips have the same poses at the frames that both rates have.
#[test]
fn clips_keep_their_length_at_another_rate() {
    let mut resampled = BTreeSet::new();
    for (name, file) in files() {
        let rate = match &file {
            File::Psa(animations) => animations.sequences().first().map_or(1.0, |own| own.rate),
            File::Ms3d(model) => model.animation.fps.max(1.0),
            _ => 1.0,
        };
        // Every old frame is a new one.
        let mut edited = file.clone();
        if let Err(error) = resample(&mut edited, rate * 2.0, &Budget::default()) {
            let is_unsupported = matches!(error.kind(), ErrorKind::Value(EditError::Unsupported(_)));
            let lacks_rate = retime(&mut edited, 60.0).is_err_and(|error| has_no_rate(&error));
            assert!(if lacks_rate { has_no_rate(&error) } else { is_unsupported }, "{name}: {error}");
            continue;
        }
        if has_warnings(&file) {
            continue;
        }
        assert_sound(&name, &file, &edited);
        let [a, b] = [file.clone(), edited.clone()].map(|file| scene(&[file]));
        for (index, (old, new)) in a.clips.iter().zip(&b.clips).enumerate() {
            let (Some((start, end)), Some(new_span)) = (old.span(), new.span()) else { continue };
            assert!(
                (end - new_span.1).abs() <= 1e-4 * end.abs().max(1.0) + 0.5 / rate,
                "{name}: clip {index}"
            );
            let is_double =
                !matches!(&file, File::Psa(own) if own.sequences()[index].rate.to_bits() != rate.to_bits());
            for seconds in [start, end].into_iter().filter(|_| is_double) {
                let poses = [a.bones_at(Some(old), seconds), b.bones_at(Some(new), seconds)];
                same(&name, "a pose", &poses[0], &poses[1]);
            }
        }
        resampled.insert(file.kind());
    }
    assert_eq!(resampled, BTreeSet::from([FileKind::Ms3d, FileKind::Psa]));
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let original = folders::sample("corpus/ms3d/full.ms3d").file;
    let mut files = [original.clone()];
    transform(&mut files, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Vec3::ZERO, &Budget::default()).unwrap_err();
    transform(&mut files, Quat::IDENTITY, Vec3::NAN, &Budget::default()).unwrap_err();
    for rate in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        for error in [retime(&mut files[0], rate), resample(&mut files[0], rate, &Budget::default())] {
            assert_eq!(error.unwrap_err().to_string(), "the frame rate must be a positive number");
        }
    }
    assert!(files[0] == original);
}
