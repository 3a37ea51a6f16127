//! Writes meshes and skins.

use super::super::super::syntax::object_writer::ObjectWriter as _;
use super::super::super::syntax::rows::Listed;
use super::super::super::syntax::writer::SymbolWriter;
use super::super::super::{
    Material, Mesh as MeshView, MeshMaterialList, MeshNormals, MeshTextureCoords, MeshVertexColors,
    SkinWeights, XSkinMeshHeader,
};
use super::{File, failed, string};
use crate::scene::author::{Author, AuthorError};
use crate::scene::{Lost, Mesh, Skin};

/// The bones of a skin have 16 bits.
const MOST_BONES: usize = u16::MAX as usize;

/// The largest list whose count fits.
const MOST: usize = u32::MAX as usize;

/// The memory of a triangle in a file: its corners in two lists, and its material.
const TRIANGLE: usize = 64;

/// The memory of a vertex in a file: its position, its normal and its texture coordinates.
const VERTEX: usize = 128;

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
    /// Returns the material and the faces of each primitive. They are not collected: there may be millions.
    fn of_primitives(self) -> impl Iterator<Item = (Option<u32>, impl Iterator<Item = [u32; 3]>)> {
        self.mesh.primitives.iter().map(move |primitive| {
            let material = primitive.material.and_then(|own| u32::try_from(own).ok());
            let faces = primitive.triangles.iter().filter(move |own| self.has_area(own));
            (material, faces.map(move |[a, b, c]| if self.is_mirrored { [*a, *b, *c] } else { [*a, *c, *b] }))
        })
    }

    /// Returns the vertices of each.
    fn iter(self) -> impl Iterator<Item = [u32; 3]> {
        self.of_primitives().flat_map(|(_, faces)| faces)
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
        author.report_losses(
            mesh.num_triangles() - num_faces,
            Lost::DegenerateTriangles.of("mesh", &mesh.name),
        );
        if num_faces == 0 {
            author.report_loss(Lost::MeshWithoutTriangles.of("mesh", &mesh.name));
            return Ok(());
        }
        author.limit("vertices", mesh.positions.len(), MOST, REDUCE)?;
        author.limit("triangles", num_faces, MOST, REDUCE)?;
        let memory = num_faces.saturating_mul(TRIANGLE) + mesh.positions.len().saturating_mul(VERTEX);
        author.charge(memory, || format!("mesh {:?}", mesh.name))?;
        self.geometry(index, faces, num_faces).map_err(failed)?;
        if let Some(skin) = &mesh.skin {
            self.skin(skin, faces, author)?;
        }
        self.out.close();
        Ok(())
    }

    /// Opens a mesh and writes its faces and the attributes of its vertices.
    fn geometry(&mut self, index: usize, faces: Faces<'_>, num_faces: usize) -> Result<(), String> {
        let (mesh, space) = (faces.mesh, self.space);
        let num_vertices = mesh.positions.len();
        let has_all = |len: usize| len == num_vertices;
        let vertices = mesh.positions.iter().map(|own| space.point((*own).into()).to_array());
        let mut members = self.out.members::<MeshView>(&self.names.meshes[index])?;
        members.rows(b"vertices", num_vertices, vertices)?;
        members.rows(b"faces", num_faces, faces.iter().map(Listed))?;
        members.end()?;
        if has_all(mesh.normals.len()) {
            let normals = mesh.normals.iter().map(|own| space.direction((*own).into()).to_array());
            let mut members = self.out.members::<MeshNormals>(b"")?;
            members.rows(b"normals", num_vertices, normals)?;
            members.rows(b"faceNormals", num_faces, faces.iter().map(Listed))?;
            members.close()?;
        }
        if let Some(uvs) = mesh.uvs.first().filter(|uvs| has_all(uvs.len())) {
            let mut members = self.out.members::<MeshTextureCoords>(b"")?;
            members.rows(b"textureCoords", num_vertices, uvs.iter().map(glam::Vec2::to_array))?;
            members.close()?;
        }
        if has_all(mesh.colors.len()) {
            let mut members = self.out.members::<MeshVertexColors>(b"")?;
            members.rows(b"vertexColors", num_vertices, (0..).zip(mesh.colors.iter().copied()))?;
            members.close()?;
        }
        self.vertex_data(mesh)?;
        self.material_list(faces, num_faces)
    }

    /// Writes the materials of the faces; those without one get a white one, if others have one.
    fn material_list(&mut self, faces: Faces<'_>, num_faces: usize) -> Result<(), String> {
        let used = faces.of_primitives().filter_map(|(own, mut faces)| faces.next().map(|_| own));
        let mut used: Vec<_> = used.collect();
        used.sort_unstable();
        used.dedup();
        if used == [None] {
            return Ok(());
        }
        let indices = faces.of_primitives().flat_map(|(material, faces)| {
            let index = number(used.binary_search(&material).unwrap_or_default());
            faces.map(move |_| index)
        });
        let mut members = self.out.members::<MeshMaterialList>(b"")?;
        members.rows(b"nMaterials", 1, [number(used.len())])?;
        members.rows(b"faceIndexes", num_faces, indices)?;
        members.end()?;
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
        let rows = ByJoint::new(skin);
        let used = skin.joints.iter().enumerate().map(|(index, joint)| (joint, rows.of(index)));
        let named = used.filter(|(_, row)| !row.is_empty());
        let named = named.filter_map(|(joint, row)| Some((joint, self.names.bones.get(joint.bone)?, row)));
        let named: Vec<_> = named.collect();
        if named.is_empty() {
            return Ok(());
        }
        author.limit("bones of a skin", named.len(), MOST_BONES, BONES)?;
        let header = XSkinMeshHeader {
            max_weights_per_vertex: number(skin.weights.most()),
            max_weights_per_face: number(max_weights_per_face(skin, faces)),
            num_bones: number(named.len()),
        };
        self.out.object(&header).map_err(failed)?;
        for (joint, name, row) in named {
            let matrix = self.matrix(&joint.inverse_bind);
            self.weights(name, row, matrix).map_err(failed)?;
        }
        Ok(())
    }

    fn weights(&mut self, bone: &[u8], row: &[(u32, f32)], matrix: [f32; 16]) -> Result<(), String> {
        let mut members = self.out.members::<SkinWeights>(b"")?;
        members.text(b"transformNodeName", &string(bone))?;
        members.rows(b"vertexIndices", row.len(), row.iter().map(|(vertex, _)| *vertex))?;
        members.rows(b"weights", row.len(), row.iter().map(|(_, weight)| *weight))?;
        members.rows(b"matrixOffset", 1, [matrix])?;
        members.close()
    }
}

/// The vertices that each joint influences, and their weights.
struct ByJoint {
    /// The start of each joint, and the end of the last one.
    starts: Vec<usize>,
    influences: Vec<(u32, f32)>,
}

impl ByJoint {
    fn new(skin: &Skin) -> Self {
        let all = || {
            let vertices = (0..skin.weights.len()).zip(0_u32..);
            let all =
                vertices.flat_map(|(at, vertex)| skin.weights.of(at).iter().map(move |own| (vertex, own)));
            let all = all.map(|(vertex, own)| (own.joint as usize, (vertex, own.weight)));
            all.filter(|(joint, _)| *joint < skin.joints.len())
        };
        let mut starts = vec![0; skin.joints.len() + 1];
        all().for_each(|(joint, _)| starts[joint + 1] += 1);
        for joint in 0..skin.joints.len() {
            starts[joint + 1] += starts[joint];
        }
        let mut next = starts.clone();
        let mut influences = vec![(0, 0.0); next[skin.joints.len()]];
        all().for_each(|(joint, own)| {
            influences[next[joint]] = own;
            next[joint] += 1;
        });
        Self { starts, influences }
    }

    fn of(&self, joint: usize) -> &[(u32, f32)] {
        &self.influences[self.starts[joint]..self.starts[joint + 1]]
    }
}

/// Returns the maximum number of joints that influence a face.
fn max_weights_per_face(skin: &Skin, faces: Faces<'_>) -> usize {
    // The last face that each joint influences.
    let mut last = vec![0; skin.joints.len()];
    let mut most = 0;
    for (face, corners) in (1..).zip(faces.iter()) {
        let mut num = 0;
        for vertex in corners {
            for own in skin.weights.of(vertex as usize) {
                let last = last.get_mut(own.joint as usize).map(|last| std::mem::replace(last, face));
                num += usize::from(last.is_some_and(|last| last != face));
            }
        }
        most = most.max(num);
    }
    most
}

/// Returns a number that is at most that of the faces or vertices, which has 32 bits.
fn number(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
