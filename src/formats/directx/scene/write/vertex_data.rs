//! Writes vertex data that has no template of its own: further UV sets and tangents.

use super::super::super::decl_type::{FLOAT2, FLOAT3};
use super::super::vertex::{BINORMAL, COORDINATES, TANGENT};
use super::File;
use super::text::Text;
use crate::scene::Mesh;

/// Whether a mesh has such data.
pub(super) fn is_needed(mesh: &Mesh) -> bool {
    mesh.uvs.len() > 1 || has_tangents(mesh)
}

/// Binormals need normals.
fn has_tangents(mesh: &Mesh) -> bool {
    let num = mesh.positions.len();
    num > 0 && mesh.tangents.len() == num && mesh.normals.len() == num
}

impl File<'_> {
    /// Writes the second and further UV sets, and tangents with the binormals that imply their handedness.
    pub(super) fn vertex_data(&mut self, mesh: &Mesh) {
        if !is_needed(mesh) {
            return;
        }
        let sets = mesh.uvs.get(1..).unwrap_or_default();
        let mut elements: Vec<(u32, u32, u32)> =
            (1..).zip(sets).map(|(set, _)| (FLOAT2, COORDINATES, set)).collect();
        if has_tangents(mesh) {
            elements.extend([(FLOAT3, TANGENT, 0), (FLOAT3, BINORMAL, 0)]);
        }
        let words = (0..mesh.positions.len()).flat_map(|vertex| self.words(mesh, vertex));
        let words: Vec<u32> = words.map(f32::to_bits).collect();
        self.out.open("DeclData", b"");
        self.out.line(&format!("{};", elements.len()));
        self.out.array(elements.into_iter().map(|(kind, usage, index)| format!("{kind};0;{usage};{index};")));
        self.out.line(&format!("{};", words.len()));
        self.out.line(&format!("{};", Text::integers(words)));
        self.out.close();
    }

    /// Returns the data of a vertex in the order of its elements.
    fn words(&self, mesh: &Mesh, vertex: usize) -> Vec<f32> {
        let sets = mesh.uvs.get(1..).unwrap_or_default();
        let mut words: Vec<f32> =
            sets.iter().flat_map(|set| set.get(vertex).copied().unwrap_or_default().to_array()).collect();
        if has_tangents(mesh) {
            let tangent = mesh.tangents[vertex];
            // Towards the top of the image.
            let binormal = mesh.normals[vertex].cross(tangent.truncate()) * -tangent.w.signum();
            let directions = [tangent.truncate(), binormal].map(|own| self.space.direction(own.into()));
            words.extend(directions.iter().flat_map(glam::Vec3::to_array));
        }
        words
    }
}
