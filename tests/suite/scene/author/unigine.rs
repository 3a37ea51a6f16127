//! Scenes as UNIGINE meshes and animations.

use bindpose::scene::author::Authoring;
use bindpose::scene::{Mesh, Primitive, Scene};
use bindpose::{FileKind, FormatSpec};
use glam::{Vec2, Vec3};

use super::rewritten;

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
    let known = "unknown version; expected one of ms13, ms14, ms12, ms11, ms10, an11, an10";
    assert_eq!(error.expect_err("no such version").to_string(), known);
}
