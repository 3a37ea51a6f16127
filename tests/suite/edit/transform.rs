use std::collections::{BTreeMap, BTreeSet};

use bindpose::edit::{retime, transform};
use bindpose::scene::{Part, Scene, Settings};
use bindpose::schema::EditError;
use bindpose::{ErrorKind, File, FileKind};
use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A};

use super::{assert_sound, corpus, files, has_warnings};
use crate::folders;

fn scene(files: &[File]) -> Scene {
    let parts: Vec<_> = files.iter().map(|file| Part { name: "file", file: file.meaning() }).collect();
    Scene::of(&parts, &Settings::default())
}

/// The axes of a format in the axes of a scene.
fn axes(kind: FileKind) -> Mat3A {
    let z_up = Mat3A::from_cols(Vec3A::X, -Vec3A::Z, Vec3A::Y);
    match kind {
        FileKind::Psk | FileKind::Psa => z_up * 0.01,
        FileKind::Ms3d => Mat3A::IDENTITY,
        _ => z_up,
    }
}

/// Asserts that matrices are multiplied, to a part in a thousand of the largest translation.
fn same(name: &str, what: &str, meant: &[Affine3A], found: &[Affine3A]) {
    assert_eq!(meant.len(), found.len(), "{name}: {what}");
    let size = meant.iter().filter(|own| own.is_finite());
    let size = size.fold(1e-3, |size: f32, own| size.max(own.translation.abs().max_element()));
    for (meant, found) in meant.iter().zip(found).filter(|(meant, _)| meant.is_finite()) {
        let is_same = meant.matrix3.abs_diff_eq(found.matrix3, 2e-3)
            && meant.translation.abs_diff_eq(found.translation, 1e-3 * size);
        assert!(is_same, "{name}: {what}: {meant:?} is {found:?}");
    }
}

/// Asserts that the scene of moved files is the moved scene.
fn assert_moved(name: &str, file: &File, before: &Scene, after: &Scene, rotation: Quat, translation: Vec3) {
    let kind = file.kind();
    // Normals that a scene calculates have no direction where triangles cancel out.
    let stores_normals = match file {
        File::Psk(mesh) => !mesh.normals().is_empty(),
        File::MaxMesh(_) => false,
        _ => true,
    };
    let axes = axes(kind);
    let own = Affine3A::from_rotation_translation(rotation, translation);
    let motion = Affine3A { matrix3: axes, translation: Vec3A::ZERO };
    let motion = motion * own * motion.inverse();
    let moved = |places: &[Affine3A]| places.iter().map(|own| motion * *own).collect::<Vec<_>>();
    let points =
        |points: &[Vec3]| points.iter().map(|own| Affine3A::from_translation(*own)).collect::<Vec<_>>();
    let pose = |scene: &Scene| scene.skeleton.model_space(&scene.skeleton.bind_pose());
    // The scene of an animation alone has an invented bind pose.
    if kind != FileKind::MaxAnimation {
        same(name, "bind pose", &moved(&pose(before)), &pose(after));
    }
    for (old, new) in before.meshes.iter().zip(&after.meshes) {
        let positions: Vec<_> = old.positions.iter().map(|own| motion.transform_point3(*own)).collect();
        same(name, "positions", &points(&positions), &points(&new.positions));
        if stores_normals {
            let normals: Vec<_> = old.normals.iter().map(|own| motion.transform_vector3(*own)).collect();
            same(name, "normals", &points(&normals), &points(&new.normals));
        }
        for (old, new) in old.morphs.iter().zip(&new.morphs) {
            let turned = |own: &bindpose::scene::Delta| motion.transform_vector3(own.position);
            let deltas: Vec<_> = old.deltas.iter().map(turned).collect();
            let found: Vec<_> = new.deltas.iter().map(|own| own.position).collect();
            same(name, "morph targets", &points(&deltas), &points(&found));
        }
        let joints = |mesh: &bindpose::scene::Mesh| -> Vec<_> {
            mesh.skin.iter().flat_map(|skin| skin.joints.iter()).map(|joint| joint.inverse_bind).collect()
        };
        let meant: Vec<_> = joints(old).into_iter().map(|own| own * motion.inverse()).collect();
        same(name, "inverse bind poses", &meant, &joints(new));
    }
    for (old, new) in before.clips.iter().zip(&after.clips) {
        let (start, end) = old.span().unwrap_or_default();
        for seconds in [start, end] {
            let place = |scene: &Scene, clip: &bindpose::scene::Clip| {
                scene.skeleton.model_space(&clip.sample(&scene.skeleton, seconds))
            };
            same(name, "a pose", &moved(&place(before, old)), &place(after, new));
        }
    }
}

/// Moves a file; returns whether that is possible.
fn check(name: &str, file: &File) -> bool {
    let rotation = Quat::from_rotation_x(0.4) * Quat::from_rotation_z(2.0);
    let translation = Vec3::new(0.5, -3.0, 2.0);
    let mut edited = [file.clone()];
    if let Err(error) = transform(&mut edited, rotation, translation) {
        let is_refused = matches!(error.kind(), ErrorKind::Value(EditError::Unsupported(_)));
        assert!(is_refused, "{name}: {error}");
        assert!(edited[0].encode().ok() == file.encode().ok(), "{name}: a refused edit changes nothing");
        return false;
    }
    if has_warnings(file) {
        return false;
    }
    assert_sound(name, file, &edited[0]);
    let scenes = [scene(std::slice::from_ref(file)), scene(&edited)];
    assert_moved(name, file, &scenes[0], &scenes[1], rotation, translation);
    true
}

#[test]
fn the_scene_of_a_moved_file_is_the_moved_scene() {
    let mut moved = BTreeSet::new();
    for (name, file) in files() {
        if check(&name, &file) {
            moved.insert(file.kind().name());
        }
    }
    for format in "ms3d psk psa cal3d-skeleton cal3d-mesh max-skeleton max-animation max-mesh".split(' ') {
        assert!(moved.contains(format), "{format}");
    }
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS"]
fn corpus_scenes_of_moved_files_are_moved() {
    let mut moved: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, file) in corpus() {
        *moved.entry(file.kind().name()).or_default() += usize::from(check(&name, &file));
    }
    eprintln!("{moved:?}");
}

#[test]
fn a_rate_changes_the_length_of_clips() {
    let mut retimed = BTreeSet::new();
    for (name, file) in files() {
        let mut edited = file.clone();
        if let Err(error) = retime(&mut edited, 60.0) {
            assert!(matches!(error.kind(), ErrorKind::Value(EditError::Unsupported(_))), "{name}: {error}");
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
                File::Ms3d(model) => model.animation.fps,
                _ => panic!("{name}"),
            };
            let (Some((_, old)), Some((_, new))) = (old.span(), new.span()) else { continue };
            let meant = old * rate / 60.0;
            assert!((meant - new).abs() <= 1e-4 * meant.abs().max(1.0), "{name}: {meant} is {new}");
        }
        retimed.insert(file.kind());
    }
    assert_eq!(retimed, BTreeSet::from([FileKind::Ms3d, FileKind::Psa]));
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let original = folders::sample("corpus/ms3d/full.ms3d").file;
    let mut files = [original.clone()];
    transform(&mut files, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Vec3::ZERO).unwrap_err();
    transform(&mut files, Quat::IDENTITY, Vec3::NAN).unwrap_err();
    for rate in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let error = retime(&mut files[0], rate).unwrap_err();
        assert_eq!(error.to_string(), "a frame rate is a positive number");
    }
    assert!(files[0] == original);
}
