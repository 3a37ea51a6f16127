//! What Cal3D files mean.

use bindpose::codec::Format;
use bindpose::formats::cal3d::{CalAnimation, CalMaterial, CalMesh, CalMorph, CalSkeleton};
use bindpose::scene::author::Authoring;
use bindpose::scene::{Alpha, Lost, Part, Scene, Settings, Targets, Texture, TextureRole, ToScene};
use bindpose::{File, FileKind, FormatSpec};
use glam::{Quat, Vec2, Vec3, Vec4};

/// A root above the origin, a quarter turn about z by the library's hand, and a child two units along its x.
const SKELETON: &str = r#"<SKELETON MAGIC="XSF" VERSION="1100" NUMBONES="2">
<BONE ID="0" NAME="hip" NUMCHILDS="1"><TRANSLATION>0 0 1</TRANSLATION><ROTATION>0 0 0.70710678 0.70710678</ROTATION>
<LOCALTRANSLATION>0 0 -1</LOCALTRANSLATION><LOCALROTATION>0 0 -0.70710678 0.70710678</LOCALROTATION>
<PARENTID>-1</PARENTID><CHILDID>1</CHILDID></BONE>
<BONE ID="1" NAME="knee" NUMCHILDS="0"><TRANSLATION>2 0 0</TRANSLATION><ROTATION>0 0 0 1</ROTATION>
<LOCALTRANSLATION>-2 0 -1</LOCALTRANSLATION><LOCALROTATION>0 0 -0.70710678 0.70710678</LOCALROTATION>
<PARENTID>0</PARENTID></BONE>
</SKELETON>"#;

const MESH: &str = r#"<MESH MAGIC="XMF" VERSION="919" NUMSUBMESH="1">
<SUBMESH NUMVERTICES="3" NUMFACES="1" MATERIAL="0" NUMLODSTEPS="0" NUMSPRINGS="0" NUMMORPHS="1" NUMTEXCOORDS="1">
<VERTEX ID="0" NUMINFLUENCES="1"><POS>3 0 1</POS><NORM>0 0 1</NORM><COLOR>1 0.5 0</COLOR>
<TEXCOORD>0 0.25</TEXCOORD><INFLUENCE ID="0">1</INFLUENCE></VERTEX>
<VERTEX ID="1" NUMINFLUENCES="2"><POS>4 0 1</POS><NORM>0 0 1</NORM><COLOR>1 0.5 0</COLOR>
<TEXCOORD>1 0.25</TEXCOORD><INFLUENCE ID="0">0.25</INFLUENCE><INFLUENCE ID="1">0.75</INFLUENCE></VERTEX>
<VERTEX ID="2" NUMINFLUENCES="1"><POS>4 1 1</POS><NORM>0 0 1</NORM><COLOR>1 2 0</COLOR>
<TEXCOORD>1 1</TEXCOORD><INFLUENCE ID="1">1</INFLUENCE></VERTEX>
<MORPH NAME="smile" NUMBLENDVERTS="2" MORPHID="0">
<BLENDVERTEX VERTEXID="1" POSDIFF="1"><POSITION>4 0 3</POSITION><NORMAL>1 0 0</NORMAL><TEXCOORD>1 0.5</TEXCOORD></BLENDVERTEX>
<BLENDVERTEX VERTEXID="9" POSDIFF="1"><POSITION>0 0 0</POSITION><NORMAL>0 0 1</NORMAL><TEXCOORD>0 0</TEXCOORD></BLENDVERTEX>
</MORPH>
<FACE VERTEXID="0 1 2" /></SUBMESH></MESH>"#;

const WALK: &str = r#"<ANIMATION VERSION="919" DURATION="1.5" NUMTRACKS="1">
<TRACK BONEID="1" TRANSLATIONREQUIRED="1" TRANSLATIONISDYNAMIC="1" HIGHRANGEREQUIRED="0" NUMKEYFRAMES="2">
<KEYFRAME TIME="0.5"><TRANSLATION>0 4 0</TRANSLATION><ROTATION>0 0 0 1</ROTATION></KEYFRAME>
<KEYFRAME TIME="1.5"><TRANSLATION>0 4 2</TRANSLATION><ROTATION>0 0 0.70710678 0.70710678</ROTATION></KEYFRAME>
</TRACK></ANIMATION>"#;

fn decoded<F: Format>(text: &str) -> F {
    F::decode(text.as_bytes()).expect("a valid file")
}

fn scene(files: &[&dyn ToScene]) -> Scene {
    let parts: Vec<_> = files.iter().map(|file| Part { name: "file", file: *file }).collect();
    Scene::of(&parts, &Settings::default())
}

/// What was lost, in words.
fn losses(scene: &Scene) -> Vec<String> {
    scene.losses.iter().map(bindpose::scene::Loss::what).collect()
}

#[test]
fn z_is_up_and_quaternions_are_conjugated() {
    let scene = scene(&[&decoded::<CalSkeleton>(SKELETON)]);
    let bind = scene.skeleton.bind_pose();
    // 90 degrees clockwise about the file's z, which is the scene's y.
    assert!(bind[0].rotation.abs_diff_eq(Quat::from_rotation_y(-std::f32::consts::FRAC_PI_2), 1e-6));
    // The root's x points along the file's -y, towards the viewer.
    let placed = scene.skeleton.model_space(&bind);
    assert!(Vec3::from(placed[1].translation).abs_diff_eq(Vec3::new(0.0, 1.0, 2.0), 1e-6));
    assert_eq!(scene.skeleton.bones()[1].parent, Some(0));
}

#[test]
fn a_mesh_is_skinned_with_the_matrices_of_its_bones() {
    let scene = scene(&[&decoded::<CalSkeleton>(SKELETON), &decoded::<CalMesh>(MESH)]);
    let mesh = &scene.meshes[0];
    assert_eq!(mesh.positions[0], Vec3::new(3.0, 1.0, 0.0));
    let skin = mesh.skin.as_ref().expect("a skin");
    // Turned counterclockwise by 90 degrees, (3, 0, 1) is (0, 3, 1); one down it is (0, 3, 0).
    let inside = skin.joints[0].inverse_bind.transform_point3(mesh.positions[0]);
    assert!(inside.abs_diff_eq(Vec3::new(0.0, 0.0, -3.0), 1e-6), "{inside}");
    let weights: Vec<_> = skin.weights.of(1).iter().map(|own| (own.joint, own.weight)).collect();
    assert_eq!(weights, [(1, 0.75), (0, 0.25)]);
    // As it is bound it does not move.
    let placed = scene.skeleton.model_space(&scene.skeleton.bind_pose());
    let still = skin.deform(&placed, &mesh.positions);
    assert!(still.iter().zip(&mesh.positions).all(|(one, other)| one.abs_diff_eq(*other, 1e-5)), "{still:?}");
}

#[test]
fn targets_hold_positions_and_unsorted_keys_are_reported() {
    let scene = scene(&[&decoded::<CalMesh>(MESH)]);
    let mesh = &scene.meshes[0];
    let deltas = &mesh.morphs[0].deltas;
    // Two units up; the normal from up to x.
    assert_eq!((deltas[0].vertex, deltas[0].position), (1, Vec3::new(0.0, 2.0, 0.0)));
    assert_eq!(deltas[0].normal, Vec3::new(1.0, -1.0, 0.0));
    assert_eq!(mesh.colors, [[1.0, 0.5, 0.0, 1.0], [1.0, 0.5, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0]]);
    assert_eq!(mesh.uvs[0][0], Vec2::new(0.0, 0.25), "v counts from the top");
    let expected = [
        "vertex colours (1)",
        "influences (4)",
        "vertices of morph targets (1)",
        "texture coordinates of morph targets (1)",
    ];
    assert_eq!(losses(&scene), expected);
    let same = self::scene(&[&decoded::<CalMesh>(
        &MESH.replace("1 0.5</TEXCOORD></BLEND", "1 0.25</TEXCOORD></BLEND"),
    )]);
    assert_eq!(losses(&same), expected[..3], "the texture coordinates are those of the vertex");
}

#[test]
fn version_1301_stores_offsets_of_vertices() {
    let sample = |name: &str| -> CalMesh {
        let path = crate::folders::own("corpus/cal3d").join(name);
        CalMesh::decode(&std::fs::read(path).expect("a sample")).expect("a valid sample")
    };
    // The same shape in two dialects: a quarter up the file's y, which points away from the viewer.
    for name in ["morphs1301.cmf", "colors.cmf"] {
        let scene = scene(&[&sample(name)]);
        let delta = scene.meshes[0].morphs[0].deltas[0];
        assert_eq!((delta.position, delta.normal), (Vec3::new(0.0, 0.0, -0.25), Vec3::ZERO), "{name}");
    }
}

#[test]
fn keys_are_in_seconds_and_replace_the_bind_pose() {
    let scene = scene(&[&decoded::<CalAnimation>(WALK), &decoded::<CalSkeleton>(SKELETON)]);
    let clip = &scene.clips[0];
    assert_eq!(clip.span(), Some((0.5, 1.5)));
    let pose = clip.sample(&scene.skeleton, 1.0);
    // Half way from (0, 4, 0) to (0, 4, 2) of the file; half of a quarter turn clockwise.
    assert!(pose[1].translation.abs_diff_eq(Vec3::new(0.0, 1.0, -4.0), 1e-6), "{}", pose[1].translation);
    assert!(pose[1].rotation.abs_diff_eq(Quat::from_rotation_y(-std::f32::consts::FRAC_PI_4), 1e-6));
}

#[test]
fn a_clip_has_the_duration_that_the_file_states() {
    let longer = WALK.replace("DURATION=\"1.5\"", "DURATION=\"2.5\"");
    let scene = scene(&[&decoded::<CalAnimation>(&longer), &decoded::<CalSkeleton>(SKELETON)]);
    let clip = &scene.clips[0];
    assert_eq!(clip.span(), Some((0.5, 2.5)));
    let at = |seconds| clip.sample(&scene.skeleton, seconds);
    assert_eq!(at(2.4), at(1.5));
}

#[test]
fn unsorted_keys_and_incomplete_weights_are_reported() {
    let walk = WALK.replace("TIME=\"0.5\"", "TIME=\"1.5\"");
    let mesh = MESH.replace("<INFLUENCE ID=\"1\">0.75", "<INFLUENCE ID=\"1\">0.5");
    let scene = scene(&[
        &decoded::<CalSkeleton>(SKELETON),
        &decoded::<CalMesh>(&mesh),
        &decoded::<CalAnimation>(&walk),
    ]);
    for lost in ["times of keys (1)", "sums of weights (1)"] {
        assert!(losses(&scene).contains(&lost.to_owned()), "{lost}: {:?}", losses(&scene));
    }
}

#[test]
fn opacity_0_of_all_materials_is_treated_as_unset() {
    let paint = |alpha: u8| {
        decoded::<CalMaterial>(&format!(
            "<MATERIAL VERSION=\"919\" NUMMAPS=\"0\"><AMBIENT>0 0 0 0</AMBIENT><DIFFUSE>255 51 0 {alpha}</DIFFUSE>
<SPECULAR>0 0 0 0</SPECULAR><SHININESS>0</SHININESS></MATERIAL>"
        ))
    };
    for (alpha, opacity, kind, lost) in
        [(0, 1.0, Alpha::Opaque, 1), (51, 0.2, Alpha::Blend, 0), (255, 1.0, Alpha::Opaque, 0)]
    {
        let scene = scene(&[&paint(alpha)]);
        let material = &scene.materials[0];
        assert_eq!((material.color[3], material.alpha, scene.losses.len()), (opacity, kind, lost), "{alpha}");
    }
}

/// A track that numbers its target, in a submesh of mesh 7.
fn numbered(submesh: usize, target: usize) -> CalMorph {
    decoded(&format!(
        r#"<ANIMATION MAGIC="XPF" VERSION="1300" DURATION="2" NUMTRACKS="1">
<TRACK MORPHID="{target}" NUMKEYFRAMES="1" MESHID="7" NUMSUBTARGET="1"><SUBMESH ID="{submesh}" />
<KEYFRAME TIME="0.5"><WEIGHT>1</WEIGHT></KEYFRAME></TRACK></ANIMATION>"#
    ))
}

#[test]
fn numbered_morph_tracks_find_the_target_of_the_submesh() {
    let submesh = &MESH[MESH.find("<SUBMESH").expect("one")..MESH.find("</MESH>").expect("an end")];
    let two: CalMesh = decoded(&MESH.replace(submesh, &submesh.repeat(2)));
    let one: CalMesh = decoded(MESH);
    let found = scene(&[&two, &numbered(1, 0)]);
    assert_eq!(found.clips[0].morphs[0].targets, Targets::These(vec![(1, 0)]));
    assert_eq!(found.clips[0].span(), Some((0.5, 2.0)));
    // Of several meshes it is the one that has such a target.
    let parts = [("a", &one as &dyn ToScene), ("b", &two), ("c", &numbered(1, 0))];
    let parts = parts.map(|(name, file)| Part { name, file });
    let found = Scene::of(&parts, &Settings::default());
    assert_eq!(found.clips[0].morphs[0].targets, Targets::These(vec![(2, 0)]));
    // Two bones have this name, so the match is ambiguous.
    let lost = scene(&[&one, &one, &numbered(0, 0)]);
    assert!(losses(&lost).contains(&"morph tracks (1)".to_owned()), "{:?}", losses(&lost));
    assert!(lost.clips[0].morphs.is_empty());
}

#[test]
fn an_animation_alone_moves_bones_that_have_numbers_for_names() {
    let scene = scene(&[&decoded::<CalAnimation>(WALK)]);
    let names: Vec<_> = scene.skeleton.bones().iter().map(|bone| &*bone.name).collect();
    assert_eq!((names, scene.clips[0].tracks[0].bone), (vec!["bone 0", "bone 1"], 1));
}

#[test]
fn morph_tracks_match_targets_by_name_and_materials_have_byte_colours() {
    let track = r#"<ANIMATION VERSION="919" DURATION="1" NUMTRACKS="1"><TRACK MORPHNAME="smile" NUMKEYFRAMES="2">
<KEYFRAME TIME="0"><WEIGHT>0</WEIGHT></KEYFRAME><KEYFRAME TIME="1"><WEIGHT>0.5</WEIGHT></KEYFRAME></TRACK></ANIMATION>"#;
    let paint = r#"<MATERIAL VERSION="919" NUMMAPS="1"><AMBIENT>0 0 0 0</AMBIENT><DIFFUSE>255 51 0 255</DIFFUSE>
<SPECULAR>0 0 0 0</SPECULAR><SHININESS>0</SHININESS><MAP>skin.png</MAP></MATERIAL>"#;
    let files = (decoded::<CalMesh>(MESH), decoded::<CalMorph>(track), decoded::<CalMaterial>(paint));
    let scene = scene(&[&files.0, &files.1, &files.2]);
    assert_eq!(scene.clips[0].morphs[0].targets, Targets::Named("smile".into()));
    assert_eq!(scene.meshes[0].morphs[0].name, "smile");
    assert_eq!(scene.clips[0].morphs[0].weight.sample(0.5), Some(0.25));
    assert_eq!(Vec4::from(scene.materials[0].color), Vec4::new(1.0, 0.2, 0.0, 1.0));
    assert_eq!(
        (scene.meshes[0].primitives[0].material, scene.materials[0].color_texture()),
        (Some(0), Some("skin.png"))
    );
}

#[test]
fn a_map_without_a_path_is_not_a_texture() {
    let paint = r#"<MATERIAL VERSION="919" NUMMAPS="2"><AMBIENT>0 0 0 0</AMBIENT><DIFFUSE>255 51 0 255</DIFFUSE>
<SPECULAR>0 0 0 0</SPECULAR><SHININESS>0</SHININESS><MAP></MAP><MAP TYPE="Bump">b.png</MAP></MATERIAL>"#;
    let scene = scene(&[&decoded::<CalMaterial>(paint)]);
    assert_eq!(scene.materials[0].textures, [Texture::new("b.png", TextureRole::Height)]);
}

#[test]
fn types_of_maps_are_roles_of_textures() {
    let paint = r#"<MATERIAL VERSION="919" NUMMAPS="3"><AMBIENT>0 0 0 0</AMBIENT><DIFFUSE>255 51 0 255</DIFFUSE>
<SPECULAR>0 0 0 0</SPECULAR><SHININESS>0</SHININESS><MAP TYPE="Bump">b.png</MAP><MAP TYPE="Diffuse Color">d.png</MAP>
<MAP TYPE="Vertex Paint">v.png</MAP></MATERIAL>"#;
    let typed = decoded::<CalMaterial>(paint);
    let scene = scene(&[&typed]);
    let roles = |scene: &Scene| scene.materials[0].textures.iter().map(|own| own.role).collect::<Vec<_>>();
    assert_eq!(roles(&scene), [TextureRole::Color, TextureRole::Height, TextureRole::Other]);
    assert_eq!(scene.losses[0].what(), "texture types (1)");
    let written = FormatSpec::from(FileKind::Cal3dMaterial).author(&scene, "paint", &Authoring::default());
    let written = written.expect("a file");
    let File::Cal3dMaterial(file) = &written.files[0].file else { panic!("another format") };
    let maps: Vec<_> = file.view().expect("values").maps.iter().map(|map| map.file.text().to_vec()).collect();
    assert_eq!(
        maps,
        [b"d.png", b"b.png", b"v.png"],
        "the version has no types: readers use the first as the colour"
    );
    assert!(written.losses.iter().any(|loss| loss.lost == Lost::TextureRoles), "{:?}", written.losses);
}

#[test]
fn numbers_that_are_not_finite_do_not_lose_the_mesh() {
    let text = MESH.replace("<POS>3 0 1</POS>", "<POS>-nan(ind) inf NaN</POS>");
    let mesh = decoded::<CalMesh>(&text);
    let scene = scene(&[&decoded::<CalSkeleton>(SKELETON), &mesh]);
    assert_eq!(scene.meshes[0].positions.len(), 3);
    let file = File::Cal3dMesh(Box::new(mesh));
    assert_eq!(file.encode().expect("encoded"), text.as_bytes());
    let report = file.check(text.as_bytes(), usize::MAX);
    assert_eq!(report.findings.iter().filter(|own| own.rule.code == "any/not-finite").count(), 3);
}

/// How often a loss is stated.
fn count(scene: &Scene, lost: Lost) -> usize {
    scene.losses.iter().filter(|own| own.lost == lost).map(|own| own.count).sum()
}

#[test]
fn faces_against_their_normals_are_turned_over_and_stated() {
    let (front, back) = (r#"VERTEXID="0 1 2""#, r#"VERTEXID="0 2 1""#);
    let [own, inverted] = [front, back].map(|face| scene(&[&decoded::<CalMesh>(&MESH.replace(front, face))]));
    assert_eq!((count(&own, Lost::FlippedFaces), count(&inverted, Lost::FlippedFaces)), (0, 1));
    assert!([&own, &inverted].iter().all(|scene| !scene.meshes[0].is_inside_out()));
}

#[test]
fn morph_tracks_without_keys_are_stated() {
    let track = |keys: &str, count: usize| {
        let text = format!(
            r#"<ANIMATION VERSION="919" DURATION="1" NUMTRACKS="1"><TRACK MORPHNAME="smile" NUMKEYFRAMES="{count}">{keys}</TRACK></ANIMATION>"#
        );
        scene(&[&decoded::<CalMesh>(MESH), &decoded::<CalMorph>(&text)])
    };
    let whole = track(r#"<KEYFRAME TIME="0"><WEIGHT>0</WEIGHT></KEYFRAME>"#, 1);
    assert_eq!((count(&whole, Lost::EmptyMorphTracks), count(&track("", 0), Lost::EmptyMorphTracks)), (0, 1));
}
