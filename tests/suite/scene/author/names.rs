//! Names are read as they were written, or a loss lists them.

use std::collections::HashSet;
use std::path::Path;

use bindpose::formats::FormatSpec;
use bindpose::scene::author::{AuthorError, Authoring, SceneContent};
use bindpose::scene::{
    Bone, Clip, Curve, Delta, Loss, Lost, Material, Mesh, Morph, MorphTrack, Part, Primitive, Scene,
    Settings, Skeleton, Targets,
};
use bindpose::{File, FileKind};
use glam::Vec3;
use proptest::prelude::*;

use super::strategy;

/// The formats that meshes are written in.
fn of_meshes() -> impl Iterator<Item = FileKind> {
    FileKind::ALL.iter().copied().filter(|kind| kind.scene_contents().contains(&SceneContent::Meshes))
}

fn read(file: &File) -> Scene {
    Scene::of(&[Part { name: "file", file: file.as_scene_source() }], &Settings::default())
}

/// The names of meshes and their groups, without those of the file and of materials.
fn names(scene: &Scene) -> HashSet<&str> {
    let meshes = scene.meshes.iter().map(|mesh| &mesh.name);
    let is_material =
        |own: &&Primitive| own.material.is_some_and(|index| scene.materials[index].name == own.name);
    let groups = scene.meshes.iter().flat_map(|mesh| &mesh.primitives).filter(|own| !is_material(own));
    meshes
        .chain(groups.map(|own| &own.name))
        .map(String::as_str)
        .filter(|name| !name.is_empty() && *name != "file")
        .collect()
}

/// Losses that explain why a name is not read.
const OTHER_NAMES: [Lost; 4] =
    [Lost::Renamed, Lost::ObjectNames, Lost::DegenerateTriangles, Lost::MeshWithoutTriangles];

proptest! {
    #![proptest_config(crate::folders::config(64))]
    #[test]
    fn names_of_meshes_are_read_or_listed(scene in strategy::scene()) {
        for kind in of_meshes() {
            let author = |scene: &Scene| FormatSpec::from(kind).author(scene, "file", &Authoring::default());
            let Ok(written) = author(&scene) else { continue };
            let again = read(&written.files[0].file);
            let has = |lost: &Lost| written.losses.iter().any(|own| own.lost == *lost);
            if !has(&Lost::MeshNames) && !OTHER_NAMES.iter().any(has) {
                prop_assert!(names(&scene).is_subset(&names(&again)), "{}: {:?}", kind.name(), written.losses);
            }
            // In a scene, the numbers by which 3ds Max groups triangles are names only.
            if kind != FileKind::MaxMesh && !again.meshes.is_empty() {
                let losses = author(&again).expect("a file that was read").losses;
                prop_assert!(losses.iter().all(|own| own.lost != Lost::MeshNames), "{}: {losses:?}", kind.name());
            }
        }
    }
}

/// A mesh with a triangle for each of these groups.
fn mesh(name: &str, groups: &[&str], corners: [Vec3; 3]) -> Mesh {
    let group = |name: &&str| Primitive {
        name: (*name).to_owned(),
        triangles: vec![[0, 1, 2]],
        ..Primitive::default()
    };
    let primitives = groups.iter().map(group).collect();
    Mesh { name: name.to_owned(), positions: corners.to_vec(), primitives, ..Mesh::default() }
}

const CORNERS: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];

/// A group with the name of its material is known by that.
#[test]
fn a_group_with_the_name_of_its_material_is_not_lost() {
    let mut mesh = mesh("file", &["skin"], CORNERS);
    mesh.primitives[0].material = Some(0);
    let scene = Scene { materials: vec![Material::new("skin")], meshes: vec![mesh], ..Scene::default() };
    let written =
        FormatSpec::from(FileKind::Psk).author(&scene, "file", &Authoring::default()).expect("a mesh");
    assert!(written.losses.iter().all(|own| own.lost != Lost::MeshNames), "{:?}", written.losses);
}

/// Each format, and the names that it loses of a mesh `body` with the groups `head` and `arm`.
#[test]
fn lost_names_are_listed() {
    let scene = Scene { meshes: vec![mesh("body", &["head", "arm"], CORNERS)], ..Scene::default() };
    let of_mesh = r#"names (1) of mesh "body""#;
    let of_groups = r#"names (2) of group "head", group "arm""#;
    for kind in of_meshes() {
        let expected = match kind {
            FileKind::Psk | FileKind::Cal3dMesh | FileKind::MaxMesh => &[of_mesh, of_groups][..],
            FileKind::X => &[of_groups],
            _ => &[of_mesh],
        };
        let written = FormatSpec::from(kind).author(&scene, "file", &Authoring::default()).expect("a mesh");
        let lost = written.losses.iter().filter(|own| own.lost == Lost::MeshNames);
        assert_eq!(lost.map(Loss::what).collect::<Vec<_>>(), expected, "{}", kind.name());
    }
}

/// A mesh whose triangles are all dropped is listed, wherever they are.
#[test]
fn a_mesh_without_triangles_is_not_lost_silently() {
    let flat = [Vec3::ZERO, Vec3::X, Vec3::ZERO];
    for others in [vec![], vec![mesh("whole", &[""], CORNERS)]] {
        let meshes = std::iter::once(mesh("flat", &[""], flat)).chain(others).collect();
        let scene = Scene { meshes, ..Scene::default() };
        for kind in of_meshes() {
            let written = FormatSpec::from(kind).author(&scene, "file", &Authoring::default());
            let Ok(written) = written else { continue };
            let again = read(&written.files[0].file);
            let triangles = |scene: &Scene| scene.meshes.iter().map(Mesh::num_triangles).sum::<usize>();
            let lost = written.losses.iter().find(|own| own.lost == Lost::MeshWithoutTriangles);
            let is_listed = lost.is_some_and(|own| own.subjects[0].name == "flat");
            assert!(
                is_listed || triangles(&again) == triangles(&scene),
                "{}: {:?}",
                kind.name(),
                written.losses
            );
        }
    }
}

#[test]
fn names_of_materials_survive_cal3d() {
    let materials = ["skin", "hero_x", "a/b"].map(Material::new).to_vec();
    let scene = Scene { materials, meshes: vec![mesh("hero", &[""], CORNERS)], ..Scene::default() };
    let author =
        |kind: FileKind| FormatSpec::from(kind).author(&scene, "hero", &Authoring::default()).expect("files");
    let (model, written) = (author(FileKind::Cal3dMesh), author(FileKind::Cal3dMaterial));
    let files: Vec<_> = model.files.iter().chain(&written.files).collect();
    let stems: Vec<_> =
        files.iter().map(|own| FormatSpec::stem(Path::new(own.file_name().as_str()))).collect();
    let parts = stems.iter().zip(&files).map(|(name, own)| Part { name, file: own.file.as_scene_source() });
    let again = Scene::of(&parts.collect::<Vec<_>>(), &Settings::default());
    let found: Vec<_> = again.materials.iter().map(|own| &*own.name).collect();
    assert_eq!(found, ["skin", "x", "b"]);
    let named = written.losses.iter().filter(|own| own.lost == Lost::MaterialNamedAsFile);
    let named: Vec<_> = named.map(|own| &*own.subjects[0].name).collect();
    assert_eq!(named, ["hero_x", "a/b"]);
}

/// A scene of two morph targets of one name, of which a clip animates one.
fn smiling() -> Scene {
    let delta = Delta { vertex: 0, position: Vec3::Z, normal: Vec3::ZERO };
    let smile = || Morph::new("smile".into(), vec![delta]);
    let meshes = ["head", "body"].map(|name| Mesh { morphs: vec![smile()], ..mesh(name, &[""], CORNERS) });
    let weight = Curve::straight([(0.0, 0.0), (1.0, 1.0)]).expect("a curve");
    let track = MorphTrack { targets: Targets::These(vec![(0, 0)]), weight };
    let clips = vec![Clip { name: "smile".into(), morphs: vec![track], ..Clip::default() }];
    let skeleton = Skeleton::new(vec![Bone { name: "hip".into(), ..Bone::default() }]).0;
    Scene { skeleton, meshes: meshes.to_vec(), clips, ..Scene::default() }
}

#[test]
fn morph_targets_are_renamed_where_they_are_stored() {
    let renamed = |dialect| {
        let spec = FormatSpec { kind: FileKind::Cal3dMesh, dialect };
        let written = spec.author(smiling(), "file", &Authoring::default()).expect("a mesh");
        written.losses.iter().any(|own| own.lost == Lost::Renamed)
    };
    assert_eq!([None, Some("xml")].map(renamed), [false, true]);
}

/// That no file holds the clip is listed elsewhere.
#[test]
fn tracks_of_targets_that_no_mesh_has_are_listed_only_beside_others() {
    let author = |scene: &Scene, dialect| {
        let spec = FormatSpec { kind: FileKind::Cal3dMorph, dialect };
        spec.author(scene, "file", &Authoring::default())
    };
    let Err(AuthorError::Empty { losses, .. }) = author(&smiling(), None) else { panic!("no clip") };
    assert_eq!(losses, []);
    let mut scene = smiling();
    let other = MorphTrack { targets: Targets::Named("frown".into()), ..scene.clips[0].morphs[0].clone() };
    scene.clips[0].morphs.push(other);
    let losses = author(&scene, Some("xml")).expect("a clip").losses;
    assert!(losses.iter().any(|own| own.lost == Lost::MissingTarget), "{losses:?}");
}
