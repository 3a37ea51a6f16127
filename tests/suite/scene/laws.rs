//! Scenes of any bytes are consistent, and real files have common properties.

use std::path::Path;
use std::sync::Arc;

use bindpose::formats::unigine::{Transform, UnigineMesh};
use bindpose::scene::{Part, Scene, Settings, Skin};
use bindpose::{File, FileKind};
use glam::Vec3;
use proptest::prelude::*;

use crate::{folders, samples};

fn alone(file: &File) -> Scene {
    Scene::of(&[Part { name: "file", file: file.as_scene_source() }], &Settings::default())
}

/// A file of 1 MB can have tens of thousands of surfaces and joints: a list of joints for each surface would take
/// gigabytes.
#[test]
fn all_surfaces_of_a_file_share_their_joints_even_if_a_bone_is_not_finite() {
    let UnigineMesh::Mesh(mut mesh) = samples::unigine::plain(13) else { unreachable!("an ms13") };
    let nowhere = Transform { position: [f32::NAN; 3], ..Transform::default() };
    mesh.bones = vec![mesh.bones[0].clone(); 3000].into();
    mesh.transforms = vec![nowhere; 3000].into();
    mesh.surfaces = vec![mesh.surfaces[0].clone(); 3000].into();
    mesh.geometry = vec![mesh.geometry[0].clone(); 3000].into();
    let scene = alone(&File::UnigineMesh(Box::new(UnigineMesh::Mesh(mesh))));
    let skins: Vec<_> = scene.meshes.iter().filter_map(|mesh| mesh.skin.as_ref()).collect();
    assert_eq!((skins.len(), skins[0].joints.len()), (3000, 3000));
    assert!(skins.iter().all(|skin| Arc::ptr_eq(&skin.joints, &skins[0].joints)));
    #[cfg(feature = "gltf")]
    {
        let gltf = bindpose::scene::gltf::Gltf::new(&scene).to_glb().expect("a small file");
        // The names of bones in JSON, and one list of matrices.
        assert!(gltf.len() < 16 << 20, "{} bytes", gltf.len());
    }
}

/// Exports the scene, if the feature is enabled.
fn export(scene: &Scene) {
    #[cfg(feature = "gltf")]
    bindpose::scene::gltf::Gltf::new(scene).to_glb().expect("a small file");
    let _ = scene;
}

proptest! {
    #![proptest_config(folders::config(64))]
    #[test]
    fn every_index_of_a_scene_is_in_range(entropy: Vec<u8>) {
        for kind in FileKind::ALL {
            let scene = alone(&kind.generate(&entropy));
            prop_assert_eq!(scene.validate(), Ok(()));
            let mut textures = scene.materials.iter().flat_map(|own| &own.textures);
            prop_assert!(textures.all(|own| !own.path.is_empty()));
            export(&scene);
        }
    }
}

/// Asserts that scenes of the files in a folder are consistent and can be exported.
fn scenes_are_consistent(folder: &Path) {
    let mut seen = 0;
    for (path, bytes) in folders::files(folder) {
        let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
        let Ok(file) = kind.decode(&bytes, &options) else { continue };
        let scene = alone(&file);
        assert_eq!(scene.validate(), Ok(()));
        export(&scene);
        seen += 1;
    }
    assert!(seen > 0, "no file in {} can be decoded", folder.display());
}

#[test]
fn scenes_of_samples_and_past_crashes_are_consistent() {
    for folder in ["corpus", "damaged", "crashes"] {
        scenes_are_consistent(&folders::own(folder));
    }
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn scenes_of_corpus_files_are_consistent() {
    scenes_are_consistent(&folders::corpus());
}

#[test]
#[ignore = "needs BINDPOSE_MALFORMED, a folder of hostile files"]
fn scenes_of_hostile_files_are_consistent() {
    scenes_are_consistent(&folders::malformed());
}

/// Tests the conventions of PSK together: if one is wrong, bones are far from their vertices.
#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn bones_of_corpus_files_are_near_their_vertices() {
    for (path, bytes) in folders::files(&folders::corpus()) {
        let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
        let synthetic = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("syn"));
        let real = !synthetic && kind == FileKind::Psk;
        let Some(file) = kind.decode(&bytes, &options).ok().filter(|_| real) else { continue };
        let scene = alone(&file);
        for mesh in &scene.meshes {
            let distance = mesh.skin.as_ref().and_then(|skin| typical_distance(skin, &mesh.positions));
            assert!(distance.is_none_or(|share| share < 0.35), "{}: {distance:?}", path.display());
        }
    }
}

/// Returns the median distance of bones from the centre of their vertices, relative to the size of the mesh.
fn typical_distance(skin: &Skin, positions: &[Vec3]) -> Option<f32> {
    let mut sums = vec![(Vec3::ZERO, 0.0); skin.joints.len()];
    for (vertex, position) in positions.iter().enumerate() {
        for influence in skin.weights.of(vertex) {
            let (sum, weight) = &mut sums[influence.joint as usize];
            *sum += *position * influence.weight;
            *weight += influence.weight;
        }
    }
    let low = positions.iter().copied().reduce(Vec3::min)?;
    let high = positions.iter().copied().reduce(Vec3::max)?;
    let moving = sums.iter().zip(&*skin.joints).filter(|((_, weight), _)| *weight > 0.0);
    let distance = moving.map(|((sum, weight), joint)| {
        let bone = joint.inverse_bind.inverse().translation;
        (Vec3::from(bone) - *sum / *weight).length() / (high - low).length()
    });
    let mut distances: Vec<f32> = distance.filter(|distance| distance.is_finite()).collect();
    distances.sort_by(f32::total_cmp);
    // A hat is not around its bone, but a body is around its bones.
    (distances.len() >= 10).then(|| distances[distances.len() / 2])
}
