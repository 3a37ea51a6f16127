//! The sample character is in one pose in every family.

use bindpose::scene::gltf::read;
use bindpose::scene::{Part, Scene, Settings};
use bindpose::{File, FormatSpec, Limits};
use glam::Vec3;

use crate::folders;

/// The files of each family.
const SETS: [&[&str]; 7] = [
    &["dragon.ms3d"],
    &["dragon.iqm"],
    &["dragon.psk", "dragon.psa"],
    &["dragon.x"],
    &["unigine/dragon.mesh", "unigine/idle.anim", "unigine/walk.anim", "unigine/wave.anim"],
    &[
        "cal3d/dragon.csf",
        "cal3d/dragon.cmf",
        "cal3d/dragon_idle.caf",
        "cal3d/dragon_walk.caf",
        "cal3d/dragon_wave.caf",
    ],
    &[
        "max/dragon.max-skeleton.skel",
        "max/dragon.max-mesh.mesh",
        "max/dragon_idle.max-animation.anim",
        "max/dragon_walk.max-animation.anim",
        "max/dragon_wave.max-animation.anim",
    ],
];

fn bytes(name: &str) -> Vec<u8> {
    let path = folders::own("character").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn load(names: &[&str]) -> Scene {
    let decode = |name: &&str| -> (String, File) {
        let bytes = bytes(name);
        let path = std::path::Path::new(name);
        let spec = FormatSpec::detect(path, &bytes).expect("a format");
        let file = spec.kind.decode(&bytes, &spec.options(Limits::default())).expect("a file");
        assert_eq!(file.encode().as_ref(), Ok(&bytes), "{name}");
        (
            path.file_stem().expect("a name").to_string_lossy().split('.').next().expect("a stem").to_owned(),
            file,
        )
    };
    let files: Vec<_> = names.iter().map(decode).collect();
    let parts: Vec<_> =
        files.iter().map(|(name, file)| Part { name, file: file.as_scene_source() }).collect();
    Scene::of(&parts, &Settings::default())
}

/// The corners of all triangles in a pose, without those of the mouth and the cheeks, which only some formats move.
fn corners(scene: &Scene, clip: &str, seconds: f32) -> Vec<Vec3> {
    let index = scene.find_clip(clip).unwrap_or_else(|error| panic!("{error}"));
    let posed = scene.posed(Some(&scene.clips[index]), seconds);
    let corners = scene.meshes.iter().zip(&posed).flat_map(|(mesh, posed)| {
        let triangles = mesh.primitives.iter().flat_map(|own| &own.triangles).flatten();
        triangles.map(|vertex| posed.positions[*vertex as usize])
    });
    corners.collect()
}

#[test]
fn the_character_is_in_one_pose_in_every_family() {
    let model =
        read(&bytes("dragon.glb"), &mut |name, _| Ok(bytes(name)), &Limits::default()).expect("glTF").scene;
    assert_eq!((model.meshes[0].morphs.len(), model.clips.len()), (1, 3));
    for names in SETS {
        let scene = load(names);
        assert_eq!(scene.skeleton.bones().len(), model.skeleton.bones().len(), "{}", names[0]);
        for clip in ["idle", "walk", "wave"] {
            for seconds in [0.0, 0.3, 0.5, 1.0] {
                let (found, meant) = (corners(&scene, clip, seconds), corners(&model, clip, seconds));
                assert_eq!(found.len(), meant.len(), "{}", names[0]);
                let far = found.iter().zip(&meant).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
                // Half of the smile is 3 cm; elsewhere a format is at most 2 mm off.
                let most = if clip == "wave" { 0.05 } else { 2e-3 };
                assert!(far < most, "{} {clip} at {seconds}: {far}", names[0]);
            }
        }
    }
}
