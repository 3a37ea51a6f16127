//! Scenes as UNIGINE meshes and animations, and the trees of meshes.

use std::collections::BTreeMap;

use bindpose::codec::Format;
use bindpose::formats::unigine::{self, CInt, JointWeights, Retarget, Tree, UnigineMesh, UnigineSkeleton};
use bindpose::formats::{check_named_set, lost_without};
use bindpose::scene::author::{AuthorError, Authoring};
use bindpose::scene::{
    Bone, Clip, Curve, Joint, Lost, Mesh, Part, Primitive, Scene, Settings, Skeleton, Skin, Track, Weights,
};
use bindpose::wire::LenStr;
use bindpose::{File, FileKind, FormatSpec};
use glam::{Affine3A, Quat, Vec2, Vec3};
use proptest::prelude::*;

use super::rewritten;
use crate::samples;

/// A square in the plane of x and z: u grows along x, v along z.
#[test]
fn tangents_follow_the_texture_coordinates() {
    let corner = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    let mesh = Mesh {
        name: "floor".into(),
        positions: vec![corner(0.0, 0.0), corner(0.0, 1.0), corner(1.0, 1.0), corner(1.0, 0.0)],
        normals: vec![Vec3::Y; 4],
        uvs: vec![vec![Vec2::ZERO, Vec2::Y, Vec2::ONE, Vec2::X]],
        primitives: vec![Primitive { triangles: vec![[0, 1, 2], [0, 2, 3]], ..Primitive::default() }],
        ..Mesh::default()
    };
    for (mirrored, expected) in [(false, -1.0), (true, 1.0)] {
        let mut mesh = mesh.clone();
        if mirrored {
            mesh.uvs[0].iter_mut().for_each(|uv| uv.y = -uv.y);
        }
        let scene = Scene { meshes: vec![mesh], ..Scene::default() };
        let (result, _) =
            rewritten(&scene, &[FileKind::UnigineMesh.into()], &Authoring::default()).expect("a mesh");
        for (normal, tangent) in result.meshes[0].normals.iter().zip(&result.meshes[0].tangents) {
            assert!(normal.abs_diff_eq(Vec3::Y, 1e-3), "{normal}");
            assert!(tangent.truncate().abs_diff_eq(Vec3::X, 1e-3), "{tangent}");
            assert_eq!(tangent.w.to_bits(), f32::to_bits(expected));
        }
    }
}

#[test]
fn an_unknown_version_is_an_error() {
    let scene = Scene { meshes: vec![Mesh::default()], ..Scene::default() };
    let mut settings = Authoring::default();
    settings.version = Some("ms99".to_owned());
    let error = FormatSpec::from(FileKind::UnigineMesh).author(&scene, "file", &settings);
    let known = "unknown version; expected one of sk10, ms14, ms13, ms15, ms12, ms11, ms10, an12, an11, an10, \
                 sn10, 2.21, 2.20, 2.19";
    assert_eq!(error.expect_err("no such version").to_string(), known);
}

/// A triangle without a skin.
fn triangle() -> Mesh {
    Mesh {
        name: "leaf".into(),
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        normals: vec![Vec3::Z; 3],
        primitives: vec![Primitive { triangles: vec![[0, 1, 2]], ..Primitive::default() }],
        ..Mesh::default()
    }
}

fn written(scene: &Scene, kind: FileKind, version: Option<&str>) -> Result<File, AuthorError> {
    let mut settings = Authoring::default();
    settings.version = version.map(str::to_owned);
    let written = FormatSpec::from(kind).author(scene, "tree", &settings)?;
    Ok(written.files.into_iter().next().expect("a file").file)
}

#[test]
fn a_set_of_2_21_shares_a_skeleton_and_keeps_the_rate() {
    let bone = |name: &str, parent| Bone { name: name.to_owned(), parent, ..Bone::default() };
    let skeleton = Skeleton::new(vec![bone("stem", None), bone("twig", Some(0))]).0;
    let translation = Curve::straight([(0.0, Vec3::ZERO), (0.04, Vec3::X), (0.08, Vec3::ZERO)]);
    let tracks = vec![Track { bone: 1, translation, ..Track::default() }];
    let clips = vec![Clip { name: "tree".into(), tracks, ..Clip::default() }];
    let meshes = vec![Mesh { bone: Some(1), ..triangle() }];
    let scene = Scene { skeleton, meshes, clips, ..Scene::default() };
    let of = |kind| written(&scene, kind, None).expect("a file");
    let names = ["tree.skeleton", "tree.mesh_skinned", "tree.anim"];
    let files = [FileKind::UnigineSkeleton, FileKind::UnigineMesh, FileKind::UnigineAnim].map(of);
    for (name, file) in names.iter().zip(&files) {
        assert_eq!(format!("tree.{}", file.extension()), *name);
    }
    let set: Vec<_> = names.into_iter().zip(&files).collect();
    assert!(check_named_set(&set, 9).iter().all(|report| report.findings.is_empty()));
    let get = |file: &File, path: &str| file.get_text(path).expect(path)[0].1.clone();
    assert_eq!(get(&files[1], "skeleton.path"), "tree.skeleton");
    assert_eq!(get(&files[1], "geometry[0]!weights[0].influences[0].bone"), "1");
    assert_eq!(get(&files[1], "geometry[0]!weights[0].influences[0].weight"), "65535");
    assert_eq!((get(&files[2], "frame_rate"), get(&files[2], "num_frames")), ("25".into(), "3".into()));
    assert_eq!(get(&files[2], "frames[1][0].position.x"), "1.0");
    assert_eq!(get(&files[2], "root_motion"), "0");
}

/// Only files of 2.21 store whether the root moves the character; all others lose it.
#[test]
fn root_motion_is_converted_or_a_loss() {
    let translation = Curve::straight([(0.0, Vec3::ZERO), (0.04, Vec3::X)]);
    let tracks = vec![Track { bone: 0, translation, ..Track::default() }];
    let clip = Clip { name: "tree".into(), tracks, has_root_motion: true, ..Clip::default() };
    let skeleton = Skeleton::new(vec![Bone { name: "stem".into(), ..Bone::default() }]).0;
    let scene = Scene { skeleton, clips: vec![clip], ..Scene::default() };
    for kind in FileKind::ALL {
        for version in std::iter::once(None).chain(kind.versions().iter().copied().map(Some)) {
            let mut settings = Authoring::default();
            settings.version = version.map(str::to_owned);
            let Ok(written) = FormatSpec::from(*kind).author(&scene, "tree", &settings) else { continue };
            let again = Scene::of(
                &[Part { name: "tree", file: written.files[0].file.as_scene_source() }],
                &Settings::default(),
            );
            let losses = written.losses.into_iter().chain(lost_without(&scene, "tree", &[*kind]));
            let lost = losses.filter(|own| own.lost == Lost::RootMotion).count();
            let (kept, moves) =
                (again.clips.iter().filter(|clip| clip.has_root_motion).count(), again.clips.len());
            assert_eq!(kept + lost, moves, "{kind:?} {version:?}");
        }
    }
}

/// Files with any names are one set, whose version the extensions state.
#[test]
fn files_that_are_written_together_name_one_skeleton() {
    let bone = Bone { name: "stem".into(), ..Bone::default() };
    let translation = Curve::straight([(0.0, Vec3::ZERO), (0.04, Vec3::X)]);
    let clips =
        vec![Clip { tracks: vec![Track { bone: 0, translation, ..Track::default() }], ..Clip::default() }];
    let scene =
        Scene { skeleton: Skeleton::new(vec![bone]).0, meshes: vec![triangle()], clips, ..Scene::default() };
    let (mesh, anim) = (FileKind::UnigineMesh, FileKind::UnigineAnim);
    let (skeleton, psk) = ((FileKind::UnigineSkeleton, "bones", "skeleton"), (FileKind::Psk, "hero", "psk"));
    for (files, expected) in [
        (&[psk, (anim, "walk", "anim"), skeleton, (mesh, "body", "mesh_skinned")][..], "an12 sn10 sk10"),
        (&[(mesh, "body", "mesh_skinned"), (anim, "walk", "anim")], "sk10 an12"),
        (&[(anim, "walk", "anim"), (mesh, "body", "MESH")], "an11 ms14"),
        (&[(mesh, "body", "mesh")], "ms14"),
        (
            &[(mesh, "body", ""), (anim, "body", ""), (FileKind::UnigineSkeleton, "body", "")],
            "sk10 an12 sn10",
        ),
    ] {
        let of_family = (0..files.len()).filter(|own| files[*own].0.family() == "unigine");
        let write = |index: usize| {
            let (kind, name, _) = files[index];
            let settings = Authoring::default().for_file_of(files, index);
            let file =
                FormatSpec::from(kind).author(&scene, name, &settings).expect("a file").files.remove(0).file;
            (format!("{name}.{}", file.extension()), file)
        };
        let set: Vec<_> = of_family.map(write).collect();
        let versions: Vec<_> = set.iter().filter_map(|(_, file)| file.summary().version).collect();
        assert_eq!(versions.join(" "), expected);
        let named: Vec<_> = set.iter().map(|(name, file)| (&**name, file)).collect();
        assert!(check_named_set(&named, 9).iter().all(|own| own.findings.is_empty()), "{expected}");
        let skeletons: Vec<_> = set
            .iter()
            .filter_map(|(_, file)| Some(file.get_text("skeleton.path").ok()?[0].1.clone()))
            .collect();
        assert!(skeletons.windows(2).all(|own| own[0] == own[1]), "{skeletons:?}");
    }
}

#[test]
fn a_mesh_of_2_21_without_bones_is_static() {
    let scene = Scene { meshes: vec![triangle()], ..Scene::default() };
    let version = |version| {
        let file = written(&scene, FileKind::UnigineMesh, Some(version)).expect("a mesh");
        (file.summary().version.expect("a version"), file.extension())
    };
    let usual = written(&scene, FileKind::UnigineMesh, None).expect("a mesh");
    assert_eq!(usual.summary().version.as_deref(), Some("ms15"));
    assert_eq!(version("2.21"), ("ms15".to_owned(), "mesh"));
    assert_eq!(version("sk10"), ("sk10".to_owned(), "mesh_skinned"));
    assert_eq!(version("2.20"), ("ms14".to_owned(), "mesh"));
    let skeleton = Skeleton::new(vec![Bone { name: "stem".into(), ..Bone::default() }]).0;
    let scene = Scene { skeleton, ..scene.clone() };
    let error = written(&scene, FileKind::UnigineMesh, Some("ms15")).expect_err("no bones in ms15");
    assert!(error.help().is_some_and(|help| help.contains("sk10")), "{error}");
    let error = written(&scene, FileKind::UnigineSkeleton, Some("ms13")).expect_err("no file of bones");
    assert!(matches!(error, AuthorError::Empty { .. }), "{error}");
    written(&scene, FileKind::UnigineSkeleton, None).expect("the only version of skeletons");
}

/// Skeletons whose parents precede or follow their children, with settings for each joint.
fn playing() -> impl Strategy<Value = UnigineSkeleton> {
    let quarters = || (-8..8_i8).prop_map(|own| f32::from(own) / 4.0);
    let joints = prop::collection::vec(0..4_usize, 1..6);
    (joints, any::<bool>(), any::<bool>()).prop_flat_map(move |(parents, reversed, is_fitted)| {
        let num = parents.len();
        let place = move |joint: usize| if reversed { num - 1 - joint } else { joint };
        let mut bones = vec![unigine::Bone { name: LenStr::new(b""), parent: -1 }; num];
        for (joint, back) in parents.iter().enumerate() {
            let parent = joint.checked_sub(*back).filter(|parent| *parent < joint);
            let parent = parent.map_or(-1, |parent| i16::try_from(place(parent)).expect("few"));
            bones[place(joint)] =
                unigine::Bone { name: LenStr::new(format!("joint {joint}").as_bytes()), parent };
        }
        let values = move || {
            let named = ("[a-z ]{0,4}", prop::collection::vec(quarters(), num));
            let named = named.prop_map(|(name, values)| JointWeights {
                name: LenStr::new(name.as_bytes()),
                values: values.into(),
            });
            prop::collection::vec(named, 0..3)
        };
        let length = prop_oneof![Just(-1.0), (0..8_u8).prop_map(|own| f32::from(own) / 4.0)];
        let retarget = (0..3_i32, length).prop_map(|(mode, length)| Retarget { mode, length });
        let retarget = prop::collection::vec(retarget, if is_fitted { num } else { 0 });
        (values(), values(), values(), retarget).prop_map(move |(masks, times, weights, retarget)| {
            UnigineSkeleton {
                transforms: vec![unigine::Transform::default(); num].into(),
                bones: bones.clone().into(),
                masks: masks.into(),
                time_profiles: times.into(),
                weight_profiles: weights.into(),
                retarget: retarget.into(),
                ..UnigineSkeleton::blank_file()
            }
        })
    })
}

/// The values of a joint in masks and profiles, and its retargeting.
type JointSettings = (Vec<f32>, Option<Retarget>);

/// Returns the names of masks and profiles, and their values and the retargeting of each joint by its name.
fn settings(own: &UnigineSkeleton) -> (Vec<String>, BTreeMap<String, JointSettings>) {
    let lists =
        || [&own.masks, &own.time_profiles, &own.weight_profiles].into_iter().flat_map(|list| list.iter());
    let joint = |(joint, bone): (usize, &unigine::Bone)| {
        let values = lists().map(|own| own.values[joint]).collect();
        (bone.name.to_string(), (values, own.retarget.get(joint).cloned()))
    };
    (lists().map(|own| own.name.to_string()).collect(), own.bones.iter().enumerate().map(joint).collect())
}

/// Returns the transforms of joints as numbers, each with the name of the joint. A rotation is the same with the other sign.
fn places(bones: &[unigine::Bone], poses: &[unigine::Transform]) -> BTreeMap<String, Vec<f32>> {
    let place = |(bone, pose): (&unigine::Bone, &unigine::Transform)| {
        let sign = pose.rotation[3].signum();
        let turn = pose.rotation.map(|own| own * sign);
        (bone.name.to_string(), [&pose.position[..], &turn, &pose.scale].concat())
    };
    bones.iter().zip(poses).map(place).collect()
}

/// Poses of two joints.
fn poses() -> impl Strategy<Value = [unigine::Transform; 2]> {
    let number = || (-8..8_i8).prop_map(|own| f32::from(own) / 4.0);
    let turn =
        (number(), number(), number()).prop_map(|(x, y, z)| Quat::from_scaled_axis(Vec3::new(x, y, z)));
    let pose = (number(), number(), number(), turn).prop_map(|(x, y, z, turn)| unigine::Transform {
        position: [x, y, z],
        rotation: turn.into(),
        ..unigine::Transform::default()
    });
    [pose.clone(), pose]
}

proptest! {
    #[test]
    fn bind_poses_and_rest_poses_are_read_as_they_were_written(binds in poses(), rests in poses()) {
        let (mut mesh, mut skeleton) = (samples::unigine::hero(), samples::unigine::skeleton());
        (mesh.binds, mesh.rests) = (binds.to_vec().into(), rests.to_vec().into());
        skeleton.transforms = binds.to_vec().into();
        let files = [File::UnigineMesh(Box::new(UnigineMesh::SkinnedMesh(mesh.clone()))),
            File::UnigineSkeleton(Box::new(skeleton.clone()))];
        let parts: Vec<_> = files.iter().map(|file| Part { name: "file", file: file.as_scene_source() }).collect();
        let scene = Scene::of(&parts, &Settings::default());
        prop_assert_eq!(&scene.losses, &[]);
        let [File::UnigineMesh(own), File::UnigineSkeleton(bones)] =
            [FileKind::UnigineMesh, FileKind::UnigineSkeleton].map(|kind| written(&scene, kind, Some("2.21")).expect("a file"))
        else { panic!("a mesh and a skeleton") };
        let UnigineMesh::SkinnedMesh(own) = *own else { panic!("an sk10") };
        for (poses, expected) in [(&own.binds[..], &mesh.binds), (&own.rests, &mesh.rests), (&bones.transforms, &mesh.binds)] {
            let (poses, expected) = (places(&own.bones, poses), places(&mesh.bones, expected));
            let near = poses.values().flatten().zip(expected.values().flatten()).all(|(a, b)| (a - b).abs() < 2e-3);
            prop_assert!(near, "{:?} {:?}", poses, expected);
        }
        let points = |mesh: &unigine::SkinnedMesh| {
            let geometry = mesh.geometry[0].data.content().expect("a geometry");
            let points: Vec<Vec3> = geometry.targets[0].vertices.iter().map(|own| Vec3::from(*own)).collect();
            geometry.coordinate_indices.iter().map(|corner| points[corner as usize]).collect::<Vec<_>>()
        };
        let near = points(&own).iter().zip(points(&mesh)).all(|(a, b)| a.abs_diff_eq(b, 2e-3));
        prop_assert!(near, "{:?} {:?}", points(&own), points(&mesh));
    }
}

/// The settings of joints that a scene has and files of these formats lose.
fn lost(scene: &Scene, kinds: &[FileKind]) -> Vec<(Lost, usize)> {
    lost_without(scene, "file", kinds).iter().map(|loss| (loss.lost, loss.count)).collect()
}

proptest! {
    #[test]
    fn settings_of_skeletons_are_converted_or_a_loss(file in playing()) {
        let scene = Scene::of(&[Part { name: "file", file: &file }], &Settings::default());
        prop_assert_eq!(&scene.losses, &[]);
        let File::UnigineSkeleton(again) = written(&scene, FileKind::UnigineSkeleton, Some("2.21")).expect("bones")
        else { panic!("a skeleton") };
        prop_assert_eq!(settings(&again), settings(&file));
        let copy = Scene::of(&[Part { name: "file", file: &scene }], &Settings::default());
        prop_assert_eq!(copy.skeleton.playback(), scene.skeleton.playback());

        let fitted = file.retarget.iter().filter(|own| **own != Retarget { mode: 0, length: -1.0 }).count();
        let profiles = file.time_profiles.len() + file.weight_profiles.len();
        let mut expected =
            vec![(Lost::Masks, file.masks.len()), (Lost::BlendProfiles, profiles), (Lost::Retargeting, fitted)];
        expected.retain(|(_, count)| *count > 0);
        prop_assert_eq!(lost(&scene, &[FileKind::UnigineSkeleton]), []);
        prop_assert_eq!(&lost(&scene, &[FileKind::UnigineMesh]), &expected);
        #[cfg(feature = "gltf")]
        {
            let gltf = bindpose::scene::gltf::Gltf::new(&scene);
            let lost: Vec<_> = gltf.losses().iter().map(|loss| (loss.lost, loss.count)).collect();
            prop_assert_eq!(&lost, &expected);
        }
    }
}

/// Returns the base shape of a mesh as version ms14 stores it, the triangles, and their tree.
fn tree(mesh: Mesh) -> (Vec<Vec3>, Vec<[u32; 3]>, Tree) {
    let bone = |name: &str| Bone { name: name.to_owned(), ..Bone::default() };
    let skeleton = Skeleton::new(vec![bone("left"), bone("right")]).0;
    let scene = Scene { skeleton, meshes: vec![mesh], ..Scene::default() };
    let mut settings = Authoring::default();
    settings.version = Some("ms14".to_owned());
    let written = FormatSpec::from(FileKind::UnigineMesh).author(&scene, "file", &settings).expect("a mesh");
    let File::UnigineMesh(file) = &written.files[0].file else { panic!("a mesh") };
    let UnigineMesh::Mesh14(file) = &**file else { panic!("an ms14") };
    let geometry = file.geometry[0].data.content().expect("a geometry");
    let corners: Vec<u32> = geometry.coordinate_indices.iter().collect();
    let places = geometry.targets[0].vertices.iter().map(|own| Vec3::from(*own)).collect();
    let tree = file.trees[0].data.content().expect("a tree");
    (places, corners.as_chunks().0.to_vec(), tree.clone())
}

fn index(number: CInt) -> usize {
    usize::try_from(number.value()).expect("an index")
}

/// Returns the depth of each node, and checks that each triangle is in one leaf, and in the boxes of the nodes above.
fn check_tree(places: &[Vec3], triangles: &[[u32; 3]], tree: &Tree) -> Vec<usize> {
    let mut order: Vec<usize> = tree.indices.iter().map(|own| index(*own) / 3).collect();
    let mut parents = vec![None; tree.nodes.len()];
    let mut depths = vec![0; tree.nodes.len()];
    let mut end = 0;
    for (at, node) in tree.nodes.iter().enumerate() {
        if node.left.value() >= 0 {
            for child in [index(node.left), index(node.right)] {
                (parents[child], depths[child]) = (Some(at), depths[at] + 1);
            }
            continue;
        }
        assert_eq!(index(node.begin), end);
        end = index(node.end);
        for triangle in &order[index(node.begin)..end] {
            let mut above = Some(at);
            while let Some(node) = above {
                let [min @ .., _, _, _] = tree.boxes[node];
                let [_, _, _, max @ ..] = tree.boxes[node];
                for place in triangles[*triangle].map(|corner| places[corner as usize]) {
                    assert_eq!(place.clamp(min.into(), max.into()), place);
                }
                above = parents[node];
            }
        }
    }
    order.sort_unstable();
    assert!(order.into_iter().eq(0..triangles.len()));
    depths
}

/// The flags of the edges of a triangle, found by comparing it with all others.
fn edge_flags(places: &[Vec3], triangles: &[[u32; 3]], own: usize) -> u8 {
    let corner = |triangle: usize, at: usize| places[triangles[triangle][at % 3] as usize];
    let edge = |triangle: usize, at: usize| [corner(triangle, at + 1), corner(triangle, at + 2)];
    let normal = |at: usize| {
        let [a, b, c] = [0, 1, 2].map(|corner_at| corner(at, corner_at));
        (b - a).cross(c - a).normalize_or_zero()
    };
    let is_set = |at: usize| {
        let [a, b] = edge(own, at);
        let all = (0..triangles.len()).flat_map(|other| [(other, 0), (other, 1), (other, 2)]);
        let mut same =
            all.filter(|(other, at)| *other != own && [[a, b], [b, a]].contains(&edge(*other, *at)));
        same.next().is_none_or(|(other, at)| {
            normal(own).dot(corner(other, at) - a) < 0.0 && normal(own).dot(normal(other)) < 0.9999
        })
    };
    (0..3).map(|at| u8::from(is_set(at)) << at).sum()
}

/// Triangles over few places, so that many share an edge. Vertices at one place are different points if their bones differ.
fn triangles() -> impl Strategy<Value = Mesh> {
    let number = || prop_oneof![Just(-0.0), (-1..2_i8).prop_map(f32::from)];
    let vertices = prop::collection::vec(((number(), number(), number()), 0..2_usize), 3..12);
    vertices.prop_flat_map(|vertices| {
        let corner = || 0..u32::try_from(vertices.len()).expect("few");
        let triangles = prop::collection::vec([corner(), corner(), corner()], 1..40);
        triangles.prop_map(move |triangles| {
            let joint = |bone| Joint { bone, inverse_bind: Affine3A::IDENTITY };
            let weights = vertices.iter().enumerate().map(|(vertex, (_, joint))| (vertex, *joint, 1.0));
            let weights = Weights::gather(vertices.len(), 2, weights).0;
            Mesh {
                normals: vec![Vec3::Y; vertices.len()],
                positions: vertices.iter().map(|(place, _)| Vec3::from(*place)).collect(),
                primitives: vec![Primitive { triangles, ..Primitive::default() }],
                skin: Some(Skin { joints: [0, 1].map(joint).into(), weights }),
                ..Mesh::default()
            }
        })
    })
}

proptest! {
    #[test]
    fn trees_contain_each_triangle_once_and_know_its_neighbours(mesh in triangles()) {
        let is_degenerate = |own: &[u32; 3]| {
            let weights = &mesh.skin.as_ref().expect("a skin").weights;
            let [a, b, c] = own.map(|own| (mesh.positions[own as usize], weights.of(own as usize)));
            a == b || b == c || c == a
        };
        prop_assume!(!mesh.primitives[0].triangles.iter().all(is_degenerate));
        let (places, triangles, tree) = tree(mesh);
        check_tree(&places, &triangles, &tree);
        for (at, flags) in tree.edge_flags.iter().enumerate() {
            prop_assert_eq!(flags.raw(), edge_flags(&places, &triangles, at), "triangle {}", at);
        }
    }
}

/// The largest triangle is always the only one above the middle, so that the work would be the square of their number.
#[test]
fn trees_of_nested_triangles_are_not_as_deep_as_there_are_triangles() {
    let num = 20_000_u16;
    let mesh = Mesh {
        positions: [Vec3::ZERO, Vec3::Y]
            .into_iter()
            .chain((1..=num).map(|own| Vec3::X * f32::from(own)))
            .collect(),
        normals: vec![Vec3::Z; usize::from(num) + 2],
        primitives: vec![Primitive {
            triangles: (2..u32::from(num) + 2).map(|corner| [0, corner, 1]).collect(),
            ..Primitive::default()
        }],
        ..Mesh::default()
    };
    let (places, triangles, tree) = tree(mesh);
    let depths = check_tree(&places, &triangles, &tree);
    assert!((256..512).contains(depths.iter().max().expect("a node")), "{:?}", depths.iter().max());
}
