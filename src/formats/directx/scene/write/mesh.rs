//! Writes meshes and skins.

use std::collections::BTreeSet;

use super::super::super::object_writer::ObjectWriter as _;
use super::super::super::writer::SymbolWriter;
use super::super::super::{
    Material, Mesh as MeshView, MeshMaterialList, MeshNormals, MeshTextureCoords, MeshVertexColors, Ragged,
    SkinWeights, XSkinMeshHeader,
};
use super::{File, failed, string};
use crate::scene::author::{Author, AuthorError};
use crate::scene::{Mesh, Skin};

/// The bones of a skin have 16 bits.
const MOST_BONES: usize = u16::MAX as usize;

/// The largest list whose count fits.
const MOST: usize = u32::MAX as usize;

const REDUCE: &str = "reduce the mesh, or split it";
const BONES: &str = "split the mesh, or choose another format, such as psk";

/// The triangles of a mesh that can be written.
#[derive(Clone, Copy)]
struct Faces<'a> {
    mesh: &'a Mesh,
    /// Whether the mesh is in a mirrored frame, where the order of corners is reversed.
    is_mirrored: bool,
}

impl Faces<'_> {
    /// Returns the material and the vertices of each. They are not collected: there may be millions.
    fn iter(self) -> impl Iterator<Item = (Option<u32>, [u32; 3])> {
        self.mesh.primitives.iter().flat_map(move |primitive| {
            let material = primitive.material.and_then(|own| u32::try_from(own).ok());
            let faces = primitive.triangles.iter().filter(move |own| self.has_area(own));
            faces.map(move |[a, b, c]| (material, if self.is_mirrored { [*a, *b, *c] } else { [*a, *c, *b] }))
        })
    }

    fn has_area(self, corners: &[u32; 3]) -> bool {
        let [a, b, c] = *corners;
        a != b && b != c && c != a && corners.iter().all(|own| (*own as usize) < self.mesh.positions.len())
    }
}

impl<S: SymbolWriter> File<'_, S> {
    /// Writes a mesh. In a mirrored frame the order of corners is reversed.
    pub fn mesh(
        &mut self,
        index: usize,
        mesh: &Mesh,
        is_mirrored: bool,
        author: &mut Author<'_>,
    ) -> Result<(), AuthorError> {
        let faces = Faces { mesh, is_mirrored };
        let num_faces = faces.iter().count();
        let of = format!("triangles of mesh {:?}", mesh.name);
        author.lose_some(mesh.num_triangles() - num_faces, &of, "two corners are the same vertex");
        if num_faces == 0 {
            author.lose(format!("mesh {:?}", mesh.name), "it has no triangles");
            return Ok(());
        }
        author.limit("vertices", mesh.positions.len(), MOST, REDUCE)?;
        author.limit("triangles", num_faces, MOST, REDUCE)?;
        self.geometry(index, faces).map_err(failed)?;
        if let Some(skin) = &mesh.skin {
            self.skin(skin, faces, author)?;
        }
        self.out.close();
        Ok(())
    }

    /// Opens a mesh and writes its faces and the attributes of its vertices.
    fn geometry(&mut self, index: usize, faces: Faces<'_>) -> Result<(), String> {
        let (mesh, space) = (faces.mesh, self.space);
        let corners = || -> Ragged<u32> { faces.iter().map(|(_, corners)| corners).collect() };
        let vertices = mesh.positions.iter().map(|own| space.point((*own).into()).into()).collect();
        let has_all = |len: usize| len == mesh.positions.len();
        self.out.open(&self.names.meshes[index], &MeshView { vertices, faces: corners() })?;
        if has_all(mesh.normals.len()) {
            let normals = mesh.normals.iter().map(|own| space.direction((*own).into()).into()).collect();
            self.out.object(&MeshNormals { normals, faces: corners() })?;
        }
        if let Some(uvs) = mesh.uvs.first().filter(|uvs| has_all(uvs.len())) {
            self.out.object(&MeshTextureCoords { coords: uvs.iter().map(glam::Vec2::to_array).collect() })?;
        }
        if has_all(mesh.colors.len()) {
            self.out
                .object(&MeshVertexColors { colors: (0..).zip(mesh.colors.iter().copied()).collect() })?;
        }
        self.vertex_data(mesh)?;
        self.material_list(faces)
    }

    /// Writes the materials of the faces; those without one get a white one, if others have one.
    fn material_list(&mut self, faces: Faces<'_>) -> Result<(), String> {
        let used: BTreeSet<Option<u32>> = faces.iter().map(|(material, _)| material).collect();
        let used = Vec::from_iter(used);
        if used == [None] {
            return Ok(());
        }
        let place = |material: &Option<u32>| used.binary_search(material).ok();
        let indices = faces.iter().filter_map(|(material, _)| u32::try_from(place(&material)?).ok());
        let face_indexes = indices.collect();
        self.out.open(b"", &MeshMaterialList { num_materials: number(used.len()), face_indexes })?;
        for material in used {
            match material.and_then(|material| self.names.materials.get(material as usize)) {
                Some(name) => self.out.reference(name, None)?,
                None => self.out.object(&Material { face_color: [1.0; 4], ..Material::default() })?,
            }
        }
        self.out.close();
        Ok(())
    }

    /// Writes the weights of each joint that has any.
    fn skin(&mut self, skin: &Skin, faces: Faces<'_>, author: &mut Author<'_>) -> Result<(), AuthorError> {
        let mut rows: Vec<Vec<(u32, f32)>> = vec![Vec::new(); skin.joints.len()];
        for (index, vertex) in (0..skin.weights.len()).zip(0_u32..) {
            for own in skin.weights.of(index) {
                if let Some(row) = rows.get_mut(own.joint as usize) {
                    row.push((vertex, own.weight));
                }
            }
        }
        let used = skin.joints.iter().zip(rows).filter(|(_, row)| !row.is_empty());
        let named = used.filter_map(|(joint, row)| Some((joint, self.names.bones.get(joint.bone)?, row)));
        let named: Vec<_> = named.collect();
        if named.is_empty() {
            return Ok(());
        }
        author.limit("bones of a skin", named.len(), MOST_BONES, BONES)?;
        let mut joints: Vec<u32> = Vec::new();
        let of_face = |(_, corners): (Option<u32>, [u32; 3])| {
            joints.clear();
            joints.extend(corners.iter().flat_map(|own| skin.weights.of(*own as usize)).map(|own| own.joint));
            joints.sort_unstable();
            joints.dedup();
            joints.len()
        };
        let per_face = faces.iter().map(of_face).max().unwrap_or(0);
        let header = XSkinMeshHeader {
            max_weights_per_vertex: number(skin.weights.most()),
            max_weights_per_face: number(per_face),
            num_bones: number(named.len()),
        };
        self.out.object(&header).map_err(failed)?;
        for (joint, name, row) in named {
            let (vertex_indices, weights) = row.into_iter().unzip();
            let matrix_offset = self.matrix(&joint.inverse_bind);
            let own =
                SkinWeights { transform_node_name: string(name), vertex_indices, weights, matrix_offset };
            self.out.object(&own).map_err(failed)?;
        }
        Ok(())
    }
}

/// Returns a number that is at most that of the faces or vertices, which has 32 bits.
fn number(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
