//! Conversion of 3ds Max tutorial streams to scenes.

use bindpose::codec::Format;
use bindpose::formats::max::{
    Animation, Bone, Bones, Corner, Face, Faces, Frames, Influence, Matrix48, Mesh, Skeleton,
};
use bindpose::scene::{Part, Scene, Settings, ToScene};
use bindpose::wire::FixedStr;
#[cfg(feature = "files")]
use bindpose::{Document, File, Set};
use glam::{Quat, Vec2, Vec3};

/// Axes of a rotation about z by 90°, counterclockwise, for row vectors.
const QUARTER: [[f32; 3]; 3] = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];

fn matrix(translation: [f32; 3]) -> Matrix48 {
    let [x, y, z] = QUARTER;
    Matrix48 { rows: [x, y, z, translation] }
}

fn skeleton() -> Skeleton {
    let bone = |name: &[u8], parent: &[u8], translation| Bone {
        matrix: matrix(translation),
        name: FixedStr::new(name).expect("a short name"),
        parent_name: FixedStr::new(parent).expect("a short name"),
    };
    let bones = vec![bone(b"hip", b"", [0.0, 0.0, 1.0]), bone(b"knee", b"hip", [0.0, 2.0, 1.0])];
    Skeleton { bones: Bones::M48(bones.into()), ..Skeleton::blank_file() }
}

fn animation() -> Animation {
    // Two frames of two bones; the second frame is one unit higher.
    let places = [[0.0, 0.0, 1.0], [0.0, 2.0, 1.0], [0.0, 0.0, 2.0], [0.0, 2.0, 2.0]];
    let matrices = places.map(matrix).to_vec();
    Animation { num_frames: 2, matrices: Frames::M48(matrices.into()), ..Animation::blank_file() }
}

fn mesh() -> Mesh {
    let corner = |position: [f32; 3]| Corner {
        position,
        tex_coord: [0.25, 0.25, 0.0],
        num_effective: 2,
        influences: [(0, 1.0), (1, 3.0), (7, 9.0), (7, 9.0)]
            .map(|(bone_index, weight)| Influence { bone_index, weight }),
        ..Corner::default()
    };
    let face = Face { corners: [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]].map(corner) };
    Mesh { faces: Faces::P12(vec![face].into()), ..Mesh::blank_file() }
}

fn scene(files: &[&dyn ToScene]) -> Scene {
    let parts: Vec<_> = files.iter().map(|file| Part { name: "file", file: *file }).collect();
    Scene::of(&parts, &Settings::default().with_rate(10.0))
}

#[test]
fn bone_matrices_are_world_transforms_and_parents_are_found_by_name() {
    let scene = scene(&[&skeleton()]);
    let bind = scene.skeleton.bind_pose();
    assert!(bind[0].rotation.abs_diff_eq(Quat::from_rotation_y(std::f32::consts::FRAC_PI_2), 1e-6));
    assert_eq!(bind[0].translation, Vec3::Y);
    // Two units along the file's y axis are two units along the hip's x axis.
    assert!(bind[1].translation.abs_diff_eq(Vec3::X * 2.0, 1e-6), "{}", bind[1].translation);
    assert!(bind[1].rotation.abs_diff_eq(Quat::IDENTITY, 1e-6));
    assert_eq!(scene.skeleton.bones()[1].parent, Some(0));
}

#[test]
fn frames_store_bones_in_skeleton_order_and_use_the_given_rate() {
    let scene = scene(&[&animation(), &skeleton()]);
    let clip = &scene.clips[0];
    assert_eq!(clip.span(), Some((0.0, 0.1)));
    let pose = clip.sample(&scene.skeleton, 0.05);
    assert!(pose[0].translation.abs_diff_eq(Vec3::Y * 1.5, 1e-6));
    let placed = scene.skeleton.model_space(&pose);
    assert!(Vec3::from(placed[1].translation).abs_diff_eq(Vec3::new(0.0, 1.5, -2.0), 1e-6));
}

#[test]
fn meshes_are_in_world_space_at_time_0_and_unused_influences_are_ignored() {
    let scene = scene(&[&mesh(), &skeleton()]);
    let mesh = &scene.meshes[0];
    assert!(mesh.positions.contains(&Vec3::new(0.0, 1.0, -1.0)), "{:?}", mesh.positions);
    // Counterclockwise as seen from above, as in the file.
    assert_eq!(mesh.normals[0], Vec3::Y);
    assert_eq!(mesh.uvs[0][0], Vec2::new(0.25, 0.75), "v points up in 3ds Max");
    let skin = mesh.skin.as_ref().expect("a skin");
    let weights: Vec<_> = skin.weights.of(0).iter().map(|own| (own.joint, own.weight)).collect();
    assert_eq!(weights, [(1, 0.75), (0, 0.25)]);
    // The knee is at (0, 2, 1) in the file; (0, 0, 1) is at -2 along its own x axis.
    let inside = skin.joints[1].inverse_bind.transform_point3(Vec3::Y);
    assert!(inside.abs_diff_eq(Vec3::X * -2.0, 1e-6), "{inside}");
}

/// As `convert` calls the files of a format whose extension others have.
#[cfg(feature = "files")]
#[test]
fn files_whose_names_state_the_format_give_clips_the_same_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, file: File| {
        let path = folder.path().join(name);
        Document::of(file).and_then(|own| own.save(&path)).expect("a file");
        path
    };
    let paths = [
        write("hero.max-skeleton.skel", File::MaxSkeleton(Box::new(skeleton()))),
        write("hero_walk.max-animation+m48.anim", File::MaxAnimation(Box::new(animation()))),
    ];
    let named = |scene: Scene| scene.clips.into_iter().map(|clip| clip.name).collect::<Vec<_>>();
    let settings = Settings::default();
    assert_eq!(named(Scene::load(&paths, &settings).expect("a scene")), ["walk"]);
    let set = Set::open(&paths).expect("files");
    assert_eq!(named(set.scene(&settings).expect("a scene")), ["walk"]);
}
