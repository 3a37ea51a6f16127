//! Tangents agree with those of other tools.

use bevy_mikktspace::{Geometry, TangentSpace, generate_tangents};
use bindpose::scene::author::with_tangents;
use bindpose::scene::{Mesh, Primitive};
use glam::{Vec2, Vec3, Vec4};
use proptest::prelude::*;

/// The corners of a mesh's triangles, and the tangents that another implementation computes for them.
struct Reference<'a> {
    mesh: &'a Mesh,
    tangents: Vec<[Option<Vec4>; 3]>,
}

impl Reference<'_> {
    fn vertex(&self, face: usize, corner: usize) -> usize {
        self.mesh.primitives[0].triangles[face][corner] as usize
    }
}

impl Geometry for Reference<'_> {
    fn num_faces(&self) -> usize {
        self.tangents.len()
    }

    fn num_vertices_of_face(&self, _: usize) -> usize {
        3
    }

    fn position(&self, face: usize, corner: usize) -> [f32; 3] {
        self.mesh.positions[self.vertex(face, corner)].into()
    }

    fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
        self.mesh.normals[self.vertex(face, corner)].into()
    }

    fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
        self.mesh.uvs[0][self.vertex(face, corner)].into()
    }

    fn set_tangent(&mut self, tangent: Option<TangentSpace>, face: usize, corner: usize) {
        self.tangents[face][corner] = tangent.map(|own| Vec4::from(own.tangent_encoded()));
    }
}

fn reference(mesh: &Mesh) -> Vec<[Option<Vec4>; 3]> {
    let tangents = vec![[None; 3]; mesh.primitives[0].triangles.len()];
    let mut reference = Reference { mesh, tangents };
    generate_tangents(&mut reference).expect("has no errors");
    reference.tangents
}

/// Vertices with few different values, so that many have the same position or the same edge, and triangles over them.
fn mesh() -> impl Strategy<Value = Mesh> {
    let number = || (-2..3_i8).prop_map(f32::from);
    let normal = prop_oneof![Just(Vec3::Y), Just(Vec3::Z), Just(Vec3::new(0.6, 0.0, 0.8))];
    let vertex = ((number(), number(), number()), (number(), number()), normal);
    let vertices = prop::collection::vec(vertex, 3..24);
    vertices.prop_flat_map(|vertices| {
        let corner = || 0..u32::try_from(vertices.len()).expect("few");
        let triangles = prop::collection::vec([corner(), corner(), corner()], 0..60);
        triangles.prop_map(move |triangles| Mesh {
            positions: vertices.iter().map(|(own, ..)| Vec3::from(*own)).collect(),
            uvs: vec![vertices.iter().map(|(_, own, _)| Vec2::from(*own)).collect()],
            normals: vertices.iter().map(|(.., own)| *own).collect(),
            primitives: vec![Primitive { triangles, ..Primitive::default() }],
            ..Mesh::default()
        })
    })
}

proptest! {
    #[test]
    fn tangents_are_those_of_other_tools(mesh in mesh()) {
        let result = with_tangents(&mesh);
        for (own, expected) in result.primitives[0].triangles.iter().zip(reference(&mesh)) {
            for (corner, expected) in own.iter().zip(expected) {
                let tangent = result.tangents[*corner as usize];
                if let Some(expected) = expected {
                    prop_assert_eq!(tangent, expected);
                } else {
                    let normal = result.normals[*corner as usize];
                    prop_assert!(normal.dot(tangent.truncate()).abs() < 1e-6, "{tangent} {normal}");
                }
            }
        }
    }
}

/// A disk: the time is not the square of the number of triangles, and the stack does not grow.
#[test]
fn very_many_triangles_can_share_a_vertex() {
    let num = 50_000_u16;
    let rim = (0..=num).map(|step| f32::from(step) / f32::from(num) * std::f32::consts::TAU);
    let positions: Vec<Vec3> = std::iter::once(Vec3::ZERO)
        .chain(rim.map(|angle| Vec3::new(angle.cos(), angle.sin(), 0.0)))
        .collect();
    let mesh = Mesh {
        normals: vec![Vec3::Z; positions.len()],
        uvs: vec![positions.iter().map(|own| own.truncate()).collect()],
        primitives: vec![Primitive {
            triangles: (1..=u32::from(num)).map(|step| [0, step, step + 1]).collect(),
            ..Primitive::default()
        }],
        positions,
        ..Mesh::default()
    };
    let result = with_tangents(&mesh);
    assert_eq!(result.positions.len(), mesh.positions.len());
    assert!(result.tangents.iter().all(|own| own.abs_diff_eq(Vec4::new(1.0, 0.0, 0.0, 1.0), 1e-3)));
}
