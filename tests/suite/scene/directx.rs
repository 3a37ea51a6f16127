//! Conversion of `.x` files to scenes.

use bindpose::File;
use bindpose::codec::Format;
use bindpose::formats::directx::X;
use bindpose::scene::gltf::Gltf;
use bindpose::scene::{Lost, Part, Scene, Settings, Texture, TextureRole, Up};
use glam::{Vec2, Vec3};

/// A rotation about y by 90°, both as a matrix for row vectors and as a key.
const TURNED: &str = "xof 0302txt 0032
Frame Turned {
  FrameTransformMatrix { 0.0,0.0,-1.0,0.0, 0.0,1.0,0.0,0.0, 1.0,0.0,0.0,0.0, 1.0,2.0,3.0,1.0;; }
  Mesh { 4; 0.0;0.0;0.0;, 0.0;1.0;0.0;, 1.0;1.0;0.0;, 1.0;0.0;0.0;; 1; 4;0,1,2,3;; }
}
AnimationSet {
  Animation {
    {Turned}
    AnimationKey { 0; 1; 4800;4;0.7071068,0.0,-0.7071068,0.0;;; }
    AnimationKey { 2; 2; 0;3;1.0,2.0,3.0;;, 9600;3;1.0,2.0,5.0;;; }
  }
}
";

fn scene(text: &str) -> Scene {
    scene_with(text, &Settings::default())
}

fn scene_with(text: &str, settings: &Settings) -> Scene {
    let file = X::decode(text.as_bytes()).expect("a valid file");
    Scene::of(&[Part { name: "file", file: &file }], settings)
}

#[test]
fn rotation_keys_are_inverse_to_direct3d_quaternions() {
    let scene = scene(TURNED);
    let bind = scene.skeleton.bind_pose()[0];
    let pose = scene.clips[0].sample(&scene.skeleton, 0.0)[0];
    assert!(pose.matrix().abs_diff_eq(bind.matrix(), 1e-6), "{pose:?} is not {bind:?}");
}

#[test]
fn z_is_negated_and_faces_keep_their_front_side() {
    let scene = scene(TURNED);
    let mesh = &scene.meshes[0];
    assert_eq!(scene.skeleton.bind_pose()[0].translation, Vec3::new(1.0, 2.0, -3.0));
    // Clockwise as seen along the file's z axis, that is from the front.
    assert_eq!(mesh.primitives[0].triangles, [[0, 2, 1], [0, 3, 2]]);
    assert_eq!((mesh.bone, mesh.normals[0]), (Some(0), Vec3::Z));
}

#[test]
fn ticks_default_to_4800_per_second_unless_specified() {
    let half = scene(TURNED).clips[0].tracks[0].translation.as_ref().expect("keys").sample(1.0);
    assert_eq!(half, Some(Vec3::new(1.0, 2.0, -4.0)));
    let slow = format!("{TURNED}AnimTicksPerSecond {{ 9600; }}\n");
    assert_eq!(scene(&slow).clips[0].span(), Some((0.0, 1.0)));
    let frames = Settings::default().with_rate(2400.0);
    assert_eq!(scene_with(TURNED, &frames).clips[0].span(), Some((0.0, 4.0)));
    assert_eq!(scene_with(&slow, &frames).clips[0].span(), Some((0.0, 1.0)), "the file takes precedence");
}

#[test]
fn the_up_axis_setting_rotates_the_whole_scene() {
    let z = Settings::default().with_up(Up::Z);
    let (own, turned) = (scene(TURNED), scene_with(TURNED, &z));
    // Still left-handed: the file's z axis points up, its y axis towards -z of the scene.
    let place = |scene: &Scene| scene.skeleton.bind_pose()[0].translation;
    assert_eq!((place(&own), place(&turned)), (Vec3::new(1.0, 2.0, -3.0), Vec3::new(1.0, 3.0, 2.0)));
    assert_eq!(own.meshes[0].primitives[0].triangles, turned.meshes[0].primitives[0].triangles);
    assert_eq!(turned.meshes[0].normals[0], Vec3::NEG_Y);
}

#[test]
fn closely_spaced_keys_are_frames_unless_the_file_specifies_ticks() {
    let frames = TURNED.replace("9600;3;", "15;3;");
    let scene = scene(&frames);
    assert_eq!(scene.clips[0].tracks[0].translation.as_ref().expect("keys").times(), [0.0, 0.5]);
    assert_eq!(losses(&scene), ["rates of clips (1)"]);
    let ticks = self::scene(&format!("{frames}AnimTicksPerSecond {{ 60; }}\n"));
    assert_eq!(ticks.clips[0].tracks[0].translation.as_ref().expect("keys").times(), [0.0, 0.25]);
}

#[test]
fn an_unresolved_material_reference_does_not_shift_the_others() {
    let materials = "MeshMaterialList { 2; 1; 1; {Nowhere}
        Material { 1.0;0.5;0.0;1.0;; 0.0; 0.0;0.0;0.0;; 0.0;0.0;0.0;; } }";
    let scene = scene(&TURNED.replace("4;0,1,2,3;; }", &format!("4;0,1,2,3;; {materials} }}")));
    assert_eq!(scene.meshes[0].primitives[0].material, Some(0));
    assert_eq!(losses(&scene), ["references to materials (1)", "rates of clips (1)"]);
}

#[test]
fn animations_apply_to_frames_of_another_file() {
    let (frames, animations) = TURNED.split_once("AnimationSet").expect("both");
    let frames = X::decode(frames.as_bytes()).expect("a valid file");
    let animations =
        X::decode(format!("xof 0302txt 0032\nAnimationSet{animations}").as_bytes()).expect("another");
    let parts = [Part { name: "animations", file: &animations }, Part { name: "frames", file: &frames }];
    let scene = Scene::of(&parts, &Settings::default());
    assert_eq!((scene.skeleton.bones().len(), scene.clips[0].tracks[0].bone), (1, 0));
}

/// A triangle in the xy plane with vertex data: normal, tangent, binormal, texture coordinates, colour, and a blend weight,
/// which scenes do not support.
const WOVEN: &str = "xof 0303txt 0032
Mesh Woven {
  3; 0.0;0.0;0.0;, 0.0;1.0;0.0;, 1.0;0.0;0.0;; 1; 3;0,1,2;;
  DeclData {
    6; 2;0;3;0;, 2;0;6;0;, 2;0;7;0;, 1;0;5;0;, 4;0;10;0;, 0;0;1;0;;
    39;
    0,0,3212836864, 1065353216,0,0, 0,1065353216,0, 1056964608,1065353216, 4278190335, 7,
    0,0,3212836864, 1065353216,0,0, 0,1065353216,0, 1056964608,1065353216, 4278190335, 7,
    0,0,3212836864, 1065353216,0,0, 0,3212836864,0, 1056964608,0, 4278190335, 7;
  }
}
";

fn losses(scene: &Scene) -> Vec<String> {
    scene.losses.iter().map(bindpose::scene::Loss::what).collect()
}

#[test]
fn vertex_declarations_contain_normals_tangents_coordinates_and_colours() {
    let scene = scene(WOVEN);
    let mesh = &scene.meshes[0];
    assert_eq!(mesh.normals, [Vec3::Z; 3]);
    assert_eq!(mesh.colors, [[0.0, 0.0, 1.0, 1.0]; 3]);
    // Binormals point to the top of the image; the last vertex is mirrored.
    assert_eq!(mesh.uvs[0], [Vec2::new(0.5, 1.0), Vec2::new(0.5, 1.0), Vec2::new(0.5, 0.0)]);
    assert_eq!(mesh.tangents, [-1.0, -1.0, 1.0].map(|side| Vec3::X.extend(side)));
    assert_eq!(losses(&scene), ["blend weights in DeclData (1) of mesh \"Woven\""]);
}

#[test]
fn truncated_vertex_data_and_unknown_types_are_reported_as_losses() {
    for (from, to) in [("39;", "38;"), ("0;0;1;0;;", "99;0;1;0;;")] {
        let text = WOVEN.replace(from, to).replace(if to == "38;" { ", 7;" } else { "none" }, ";");
        let scene = scene(&text);
        assert_eq!(losses(&scene), ["DeclData (1) of mesh \"Woven\""], "{to}");
        assert!(scene.meshes[0].uvs.is_empty());
    }
}

/// FVF 258 is a position and a pair of coordinates; the mesh already has the position.
#[test]
fn fvf_data_adds_coordinates_with_or_without_positions() {
    let list = "MeshTextureCoords { 3; 0.0;0.0;, 0.0;0.0;, 0.0;0.0;; }";
    let mesh = |data: &str| {
        let (start, _) = WOVEN.split_once("DeclData").expect("a list");
        scene(&format!("{start} {list} FVFData {{ 258; {data}; }} }}"))
    };
    let pairs = mesh("6; 0,1065353216, 0,1065353216, 0,1065353216");
    let whole = mesh("15; 9,9,9,0,1065353216, 9,9,9,0,1065353216, 9,9,9,0,1065353216");
    for (scene, lost) in [(pairs, vec![]), (whole, vec!["positions in FVFData (1) of mesh \"Woven\""])] {
        assert_eq!(scene.meshes[0].uvs.len(), 2);
        assert_eq!(scene.meshes[0].uvs[1][2], Vec2::Y);
        assert_eq!(losses(&scene), lost);
    }
}

#[test]
fn normals_have_separate_face_indices() {
    let (start, _) = WOVEN.split_once("DeclData").expect("a list");
    let normals = "MeshNormals { 2; 0.0;0.0;-1.0;, 1.0;0.0;0.0;; 1; 3;1,0,0;; }";
    let own = scene(&format!("{start} {normals} }}"));
    assert_eq!(own.meshes[0].normals, [Vec3::X, Vec3::Z, Vec3::Z]);
    let both = scene(&WOVEN.replace("DeclData", &format!("{normals} DeclData")));
    assert_eq!(both.meshes[0].normals, own.meshes[0].normals);
    assert!(losses(&both).contains(&"lists of normals (1) of mesh \"Woven\"".to_owned()));
}

/// Direct3D culls faces after all transforms; glTF before a mirroring transform.
#[test]
fn faces_in_a_mirrored_frame_are_flipped() {
    let mirrored = TURNED.replace("0.0,0.0,-1.0,0.0, 0.0,1.0", "0.0,0.0,1.0,0.0, 0.0,1.0");
    let scene = scene(&mirrored);
    assert!(scene.skeleton.bind_pose()[0].matrix().matrix3.determinant() < 0.0);
    assert_eq!(scene.meshes[0].primitives[0].triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(scene.meshes[0].normals[0], Vec3::NEG_Z);
}

#[test]
fn the_offset_matrix_transforms_from_mesh_space_to_bone_space() {
    let weights = "SkinWeights { \"Turned\"; 2; 0, 3; 0.5, 1.0;
        1.0,0.0,0.0,0.0, 0.0,1.0,0.0,0.0, 0.0,0.0,1.0,0.0, 0.0,0.0,5.0,1.0;; }\n";
    let skinned = TURNED.replace("4;0,1,2,3;; }", &format!("4;0,1,2,3;; {weights} }}"));
    let scene = scene(&skinned);
    let skin = scene.meshes[0].skin.as_ref().expect("a skin");
    let inside = skin.joints[0].inverse_bind.transform_point3(Vec3::X);
    assert_eq!(inside, Vec3::new(1.0, 0.0, -5.0));
    assert_eq!(scene.meshes[0].bone, None);
    assert_eq!(losses(&scene), ["sums of weights (1)", "rates of clips (1)"]);
}

#[test]
fn vertices_without_weights_follow_the_frame_of_the_mesh() {
    let weights = "SkinWeights { \"Turned\"; 1; 0; 1.0;
        1.0,0.0,0.0,0.0, 0.0,1.0,0.0,0.0, 0.0,0.0,1.0,0.0, 0.0,0.0,5.0,1.0;; }\n";
    let scene = scene(&TURNED.replace("4;0,1,2,3;; }", &format!("4;0,1,2,3;; {weights} }}")));
    let mesh = &scene.meshes[0];
    let placed = scene.skeleton.model_space(&scene.skeleton.bind_pose());
    let posed = mesh.skin.as_ref().expect("a skin").deform(&placed, &mesh.positions);
    // The first vertex follows its offset matrix, the others the frame.
    let corner = |at: usize| mesh.positions.iter().position(|own| *own == CORNERS[at]).expect("a corner");
    for (at, expected) in [(1, [1.0, 3.0, -3.0]), (2, [1.0, 3.0, -2.0]), (3, [1.0, 2.0, -2.0])] {
        assert!(posed[corner(at)].abs_diff_eq(expected.into(), 1e-6), "{at}: {posed:?}");
    }
    assert_eq!(losses(&scene), ["rates of clips (1)"]);
}

/// The corners of the square in [`TURNED`].
const CORNERS: [Vec3; 4] = [Vec3::ZERO, Vec3::Y, Vec3::new(1.0, 1.0, 0.0), Vec3::X];

#[test]
fn concave_polygons_are_triangulated_correctly() {
    // Moves the last corner of the square past the diagonal.
    let scene = scene(&TURNED.replace("1.0;0.0;0.0;; 1;", "0.25;0.75;0.0;; 1;"));
    let mesh = &scene.meshes[0];
    for triangle in &mesh.primitives[0].triangles {
        let [a, b, c] = triangle.map(|corner| mesh.positions[corner as usize]);
        assert!((b - a).cross(c - a).z > 0.0, "{triangle:?}");
    }
}

#[test]
fn matrix_keys_are_row_major_and_unreadable_keys_are_reported() {
    let keys =
        "AnimationKey { 4; 1; 4800;16;0.0,0.0,-1.0,0.0,0.0,1.0,0.0,0.0,1.0,0.0,0.0,0.0,1.0,2.0,3.0,1.0;;; }
        AnimationKey { 7; 1; 0;1;1.0;;; }
        AnimationKey { 2; 2; 0;2;1.0,2.0;;, 4800;3;1.0,2.0,3.0;;; }";
    let start = TURNED.find("AnimationKey").expect("keys");
    let scene = scene(&format!("{} {keys} }} }} Light Sun {{ 1; }}", &TURNED[..start]));
    let pose = scene.clips[0].sample(&scene.skeleton, 1.0)[0];
    assert!(pose.matrix().abs_diff_eq(scene.skeleton.bind_pose()[0].matrix(), 1e-6), "{pose:?}");
    let expected =
        ["rates of clips (1)", "lists of keys (1)", "lists of keys (1)", "keys (1)", "objects Light (1)"];
    assert_eq!(losses(&scene), expected);
}

#[test]
fn sparse_keys_of_a_short_animation_are_frames_and_a_key_at_0_needs_no_unit() {
    let keys = |times: &[u32]| {
        let rows: Vec<_> = times.iter().map(|time| format!("{time};3;1.0,2.0,3.0;;")).collect();
        let set = format!(
            "AnimationSet {{ Animation {{ {{Turned}} AnimationKey {{ 2; {}; {}; }} }} }}",
            times.len(),
            rows.join(",")
        );
        scene(&format!("{}{set}", TURNED.split_once("AnimationSet").expect("animations").0))
    };
    let sparse = keys(&[0, 20, 30, 35, 60, 90]);
    assert_eq!(sparse.clips[0].span(), Some((0.0, 3.0)));
    assert_eq!(losses(&sparse), ["rates of clips (1)"]);
    let single = keys(&[0]);
    assert_eq!(single.clips[0].span(), Some((0.0, 0.0)));
    assert_eq!(losses(&single), [""; 0]);
    assert_eq!(keys(&[0, 2400]).clips[0].span(), Some((0.0, 0.5)));
}

#[test]
fn numbers_that_are_not_finite_do_not_lose_the_mesh() {
    let rows = ["nan;-inf;1e;", "-nan(ind);Infinity;+1.5;", "1.#QNAN0;NaN;-1.5;", "nan(snan) ;  inf ; 0.0;"];
    for row in rows {
        let text =
            format!("xof 0302txt 0032\nMesh m {{\n 3; 0.0;0.0;0.0;, {row}, 0.0;1.0;0.0;;\n 1; 3;0,1,2;;\n}}");
        let scene = scene(&text);
        assert_eq!(scene.meshes[0].positions.len(), 3, "{row}");
        assert!(scene.meshes[0].positions[0].is_finite());
        let file = File::X(Box::new(X::decode(text.as_bytes()).expect("a valid file")));
        assert_eq!(file.encode().expect("encoded"), text.as_bytes());
        let report = file.check(text.as_bytes(), usize::MAX);
        let found = report.findings.iter().filter(|own| own.rule.code == "any/not-finite").count();
        assert_eq!(found, 2, "{row}");
        assert!(report.findings.iter().all(|own| own.rule.code != "x/structure"), "{row}");
    }
}

#[test]
fn a_number_that_is_not_finite_is_found_at_its_own_path() {
    let text = "xof 0303txt 0032\nMesh m {\n 3; 0;0;0;, // nan\n 1;nan;0;, 0;inf;0;;\n 1; 3;0,1,2;;\n}\n";
    let file = File::X(Box::new(X::decode(text.as_bytes()).expect("a valid file")));
    let findings = file.check(text.as_bytes(), usize::MAX).findings.into_iter();
    let found: Vec<_> = findings.filter(|own| own.rule.code == "any/not-finite").collect();
    for (own, expected) in found.iter().zip(["nan", "inf"]) {
        let place = bindpose::schema::locate(file.value(), &own.path).expect("a path").remove(0);
        let [start, end] = [place.range.start, place.range.end].map(|at| usize::try_from(at).unwrap());
        assert_eq!(&text[start..end], expected, "{}", own.path);
    }
    assert_eq!(found.len(), 2);
}

#[test]
fn frames_can_have_names_of_numbers_that_are_not_finite() {
    let scene = scene("xof 0302txt 0032\nFrame inf { Frame NaN { } }\nMesh nan { 0; 0; }");
    let names: Vec<_> = scene.skeleton.bones().iter().map(|bone| &*bone.name).collect();
    assert_eq!(names, ["inf", "NaN"]);
}

#[test]
fn an_empty_path_is_not_a_texture() {
    let material = |paths: &str| {
        format!(
            "MeshMaterialList {{ 1; 1; 0;
  Material {{ 1.0;1.0;1.0;1.0;; 0.0; 0.0;0.0;0.0;; 0.0;0.0;0.0;; {paths} }} }}"
        )
    };
    let frames = TURNED.split_once("AnimationSet").expect("animations").0;
    let with = |paths: &[&str]| {
        let paths: Vec<_> = paths.iter().map(|own| format!("TextureFilename {{ \"{own}\"; }}")).collect();
        let material = material(&paths.concat());
        scene(&frames.replace("4;0,1,2,3;; }", &format!("4;0,1,2,3;; {material} }}"))).materials[0]
            .textures
            .clone()
    };
    assert!(with(&[""]).is_empty());
    assert_eq!(with(&["", "body.png"]), [Texture::from("body.png")]);
    assert_eq!(with(&["*shine.sph"]), [Texture::new("shine.sph", TextureRole::Sphere)]);
}

#[test]
fn a_sphere_map_follows_a_texture() {
    let material = "MeshMaterialList { 1; 1; 0; Material { 1.0;1.0;1.0;1.0;; 0.0; 0.0;0.0;0.0;; 0.0;0.0;0.0;;
        TextureFilename { \"body.png*shine.sph\"; } } }";
    let frames = TURNED.split_once("AnimationSet").expect("animations").0;
    let scene = scene(&frames.replace("4;0,1,2,3;; }", &format!("4;0,1,2,3;; {material} }}")));
    let sphere = Texture::new("shine.sph", TextureRole::Sphere);
    assert_eq!(scene.materials[0].textures, ["body.png".into(), sphere]);
    assert!(losses(&scene).is_empty());
    let lost = Gltf::new(&scene).losses().iter().map(bindpose::scene::Loss::what).collect::<Vec<_>>();
    assert!(lost.contains(&"textures (2)".to_owned()), "{lost:?}");
}

#[test]
fn bounds_are_those_of_the_vertices_where_the_skin_places_them() {
    let matrix = |scale: f32| {
        let row = |at: usize| {
            [0, 1, 2, 3].map(|own| {
                if own != at {
                    "0.0"
                } else if at < 3 {
                    "S"
                } else {
                    "1.0"
                }
                .to_owned()
            })
        };
        (0..4).flat_map(row).collect::<Vec<_>>().join(",").replace('S', &format!("{scale:?}"))
    };
    let (inches, one) = (matrix(39.37), matrix(1.0));
    let text = format!(
        "xof 0303txt 0032
Frame Skeleton {{ FrameTransformMatrix {{ {inches};; }} Frame prop {{ FrameTransformMatrix {{ {one};; }} }} }}
Frame Model {{
  FrameTransformMatrix {{ {inches};; }}
  Mesh box {{
    3; 0.0;0.0;0.0;, 1.0;0.0;0.0;, 0.0;1.0;0.0;;
    1; 3;0,1,2;;
    XSkinMeshHeader {{ 1; 3; 1; }}
    SkinWeights {{ \"prop\"; 3; 0,1,2; 1.0,1.0,1.0; {one};; }}
  }}
}}
"
    );
    let bounds = scene(&text).bounds().expect("vertices");
    assert_eq!((bounds.min, bounds.max), ([0.0; 3], [39.37, 39.37, 0.0]));
}

#[test]
fn a_key_that_the_count_omits_is_a_loss() {
    let longer = TURNED.replace("9600;3;1.0,2.0,5.0;;;", "9600;3;1.0,2.0,5.0;;, 14400;3;1.0,2.0,7.0;;,");
    let scene = scene(&longer);
    assert_eq!(scene.clips[0].span(), Some((0.0, 2.0)));
    assert!(losses(&scene).contains(&"lists of keys (1)".to_owned()), "{:?}", scene.losses);
}

/// How often a loss is stated for a triangle with these children, and these objects beside it.
fn lost(children: &str, others: &str, lost: Lost) -> usize {
    let triangle = "3; 0.0;0.0;0.0;, 0.0;1.0;0.0;, 1.0;0.0;0.0;; 1; 3;0,1,2;;";
    let scene = scene(&format!("xof 0303txt 0032\nMesh Rock {{ {triangle} {children} }}\n{others}"));
    scene.losses.iter().filter(|own| own.lost == lost).map(|own| own.count).sum()
}

#[test]
fn meshes_at_several_places_are_stated() {
    let frames = ["Frame A { {Rock} }", "Frame A { {Rock} } Frame B { {Rock} } Frame C { {Rock} }"];
    assert_eq!(frames.map(|frames| lost("", frames, Lost::MeshInstances)), [0, 2]);
}

#[test]
fn corners_without_a_normal_are_stated() {
    let normals = ["3;0,0,0;", "3;0,0,7;", "3;0,6,7;"];
    let lost = |corners: &str| {
        lost(&format!("MeshNormals {{ 1; 0.0;0.0;-1.0;; 1; {corners}; }}"), "", Lost::CornersWithoutNormal)
    };
    assert_eq!(normals.map(lost), [0, 1, 2]);
}
