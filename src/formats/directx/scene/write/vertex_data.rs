//! Writes vertex data that has no template of its own: further UV sets and tangents.

use super::super::super::DeclData;
use super::super::super::decl_type::{FLOAT2, FLOAT3};
use super::super::super::syntax::object_writer::ObjectWriter as _;
use super::super::super::syntax::writer::SymbolWriter;
use super::super::vertex::{BINORMAL, COORDINATES, TANGENT};
use super::File;
use crate::scene::{Mesh, Space};

/// The default method of tessellation.
const METHOD: u32 = 0;

/// Whether a mesh has such data.
pub(super) fn is_needed(mesh: &Mesh) -> bool {
    mesh.uvs.len() > 1 || has_tangents(mesh)
}

/// Binormals need normals.
fn has_tangents(mesh: &Mesh) -> bool {
    let num = mesh.positions.len();
    num > 0 && mesh.tangents.len() == num && mesh.normals.len() == num
}

impl<S: SymbolWriter> File<'_, S> {
    /// Writes the second and further UV sets, and tangents with the binormals that imply their handedness.
    pub(super) fn vertex_data(&mut self, mesh: &Mesh) -> Result<(), String> {
        if !is_needed(mesh) {
            return Ok(());
        }
        let sets = mesh.uvs.get(1..).unwrap_or_default();
        let mut elements: Vec<[u32; 4]> =
            (1..).zip(sets).map(|(set, _)| [FLOAT2, METHOD, COORDINATES, set]).collect();
        if has_tangents(mesh) {
            elements.extend([[FLOAT3, METHOD, TANGENT, 0], [FLOAT3, METHOD, BINORMAL, 0]]);
        }
        let num_words = mesh.positions.len() * words(mesh, self.space, 0).count();
        let words = (0..mesh.positions.len()).flat_map(|vertex| words(mesh, self.space, vertex));
        let mut members = self.out.members::<DeclData>(b"")?;
        members.rows(b"Elements", elements.len(), elements)?;
        members.rows(b"data", num_words, words.map(f32::to_bits))?;
        members.close()
    }
}

/// Returns the data of a vertex in the order of its elements.
fn words(mesh: &Mesh, space: Space, vertex: usize) -> impl Iterator<Item = f32> {
    let sets = mesh.uvs.get(1..).unwrap_or_default();
    let of_sets = sets.iter().flat_map(move |set| set.get(vertex).copied().unwrap_or_default().to_array());
    let directions = has_tangents(mesh).then(|| {
        let tangent = mesh.tangents[vertex];
        // Towards the top of the image.
        let binormal = mesh.normals[vertex].cross(tangent.truncate()) * -tangent.w.signum();
        [tangent.truncate(), binormal].map(|own| space.direction(own.into()).to_array())
    });
    of_sets.chain(directions.into_iter().flatten().flatten())
}
