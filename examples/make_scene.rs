//! Makes a model with a bone, a material and an animation, and writes it in every format:
//! `cargo run --example make_scene -- new`.

use std::f32::consts::PI;
use std::path::{Path, PathBuf};
use std::{env, error};

use bindpose::scene::author::Authoring;
use bindpose::scene::{
    Bone, Clip, Curve, Joint, Material, Mesh, Primitive, Scene, Skeleton, Skin, Track, Transform, Weights,
};
use bindpose::{Document, FileKind, FormatSpec};
use glam::{Affine3A, Quat, Vec2, Vec3};

fn main() -> Result<(), Box<dyn error::Error>> {
    let directory = env::args().nth(1).ok_or("give a directory")?;
    for path in write_all(&flag(), Path::new(&directory))? {
        println!("{}", path.display());
    }
    Ok(())
}

/// A flag of 2 by 1 metres that turns around its pole.
pub(crate) fn flag() -> Scene {
    let top = Transform { translation: Vec3::Y * 3.0, ..Transform::IDENTITY };
    let pole = Bone { name: "pole".into(), parent: None, bind: Transform::IDENTITY };
    let cloth = Bone { name: "cloth".into(), parent: Some(0), bind: top };
    let (skeleton, _) = Skeleton::new(vec![pole, cloth]);

    let corners = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y];
    let place = |corner: &Vec2| Vec3::new(2.0 * corner.x, 4.0 - corner.y, 0.0);
    // Every vertex follows the bone of the cloth.
    let joints = [Joint { bone: 1, inverse_bind: Affine3A::from_translation(-top.translation) }];
    let (weights, _) =
        Weights::gather(corners.len(), joints.len(), (0..corners.len()).map(|vertex| (vertex, 0, 1.0)));
    let mesh = Mesh {
        name: "flag".into(),
        positions: corners.iter().map(place).collect(),
        normals: vec![Vec3::Z; corners.len()],
        uvs: vec![corners.to_vec()],
        primitives: vec![Primitive {
            material: Some(0),
            triangles: vec![[0, 2, 1], [0, 3, 2]],
            ..Primitive::default()
        }],
        skin: Some(Skin { joints: joints.into(), weights }),
        ..Mesh::default()
    };

    let turn = [(0.0, 0.0), (1.0, PI / 2.0), (2.0, 0.0)]
        .map(|(seconds, angle)| (seconds, Quat::from_rotation_y(angle)));
    let track = Track { bone: 1, rotation: Curve::straight(turn), ..Track::default() };
    let clip = Clip { name: "wave".into(), tracks: vec![track], ..Clip::default() };
    let mut red = Material::new("red");
    (red.color, red.double_sided) = ([0.8, 0.1, 0.1, 1.0], true);
    Scene { skeleton, meshes: vec![mesh], materials: vec![red], clips: vec![clip], ..Scene::default() }
}

/// Writes a scene in every format that it fits, and returns the paths of the files.
pub(crate) fn write_all(scene: &Scene, directory: &Path) -> Result<Vec<PathBuf>, Box<dyn error::Error>> {
    let mut paths = Vec::new();
    for kind in FileKind::ALL.iter().copied().filter(|kind| kind.is_authored()) {
        let Ok(written) = FormatSpec::from(kind).author(scene, "flag", &Authoring::default()) else {
            // Formats for morph targets have nothing to hold.
            continue;
        };
        for own in written.files {
            // Several formats have the same extension.
            let path = directory.join(format!("{}-{}", kind.name(), own.file_name()));
            Document::of(own.file)?.save(&path)?;
            paths.push(path);
        }
    }
    Ok(paths)
}
