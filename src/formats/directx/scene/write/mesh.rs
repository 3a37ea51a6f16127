//! Writes meshes and skins.

use super::File;
use super::text::Text;
use crate::scene::author::{Author, AuthorError};
use crate::scene::{Mesh, Skin};

/// The bones of a skin have 16 bits.
const MOST_BONES: usize = u16::MAX as usize;

/// The largest list whose count fits.
const MOST: usize = u32::MAX as usize;

const REDUCE: &str = "reduce the mesh, or split it";
const BONES: &str = "split the mesh, or choose another format, such as psk";

impl File<'_> {
    /// Writes a mesh. In a mirrored frame the order of corners is reversed.
    pub fn mesh(
        &mut self,
        index: usize,
        mesh: &Mesh,
        is_mirrored: bool,
        author: &mut Author<'_>,
    ) -> Result<(), AuthorError> {
        let is_face = |corners: &[u32; 3]| {
            let [a, b, c] = *corners;
            a != b && b != c && c != a && corners.iter().all(|own| (*own as usize) < mesh.positions.len())
        };
        let faces = mesh.primitives.iter().flat_map(|primitive| {
            let faces = primitive.triangles.iter().filter(|own| is_face(own));
            faces.map(move |[a, b, c]| {
                (primitive.material, if is_mirrored { [*a, *b, *c] } else { [*a, *c, *b] })
            })
        });
        let faces: Vec<(Option<usize>, [u32; 3])> = faces.collect();
        let of = format!("triangles of mesh {:?}", mesh.name);
        author.lose_some(mesh.num_triangles() - faces.len(), &of, "two corners are the same vertex");
        if faces.is_empty() {
            author.lose(format!("mesh {:?}", mesh.name), "it has no triangles");
            return Ok(());
        }
        author.limit("vertices", mesh.positions.len(), MOST, REDUCE)?;
        author.limit("triangles", faces.len(), MOST, REDUCE)?;
        let space = self.space;
        self.out.open("Mesh", &self.names.meshes[index]);
        self.out.line(&format!("{};", mesh.positions.len()));
        let positions = mesh.positions.iter().map(|own| space.point((*own).into()));
        self.out.array(positions.map(|own| Text::members(&own.to_array())));
        self.faces(&faces);
        if mesh.normals.len() == mesh.positions.len() {
            self.out.open("MeshNormals", b"");
            self.out.line(&format!("{};", mesh.normals.len()));
            let normals = mesh.normals.iter().map(|own| space.direction((*own).into()));
            self.out.array(normals.map(|own| Text::members(&own.to_array())));
            self.faces(&faces);
            self.out.close();
        }
        if let Some(uvs) = mesh.uvs.first().filter(|uvs| uvs.len() == mesh.positions.len()) {
            self.out.open("MeshTextureCoords", b"");
            self.out.line(&format!("{};", uvs.len()));
            self.out.array(uvs.iter().map(|own| Text::members(&own.to_array())));
            self.out.close();
        }
        if mesh.colors.len() == mesh.positions.len() {
            self.out.open("MeshVertexColors", b"");
            self.out.line(&format!("{};", mesh.colors.len()));
            let colors = mesh.colors.iter().enumerate();
            self.out.array(colors.map(|(vertex, own)| format!("{vertex};{};", Text::members(own))));
            self.out.close();
        }
        self.vertex_data(mesh);
        self.material_list(&faces);
        if let Some(skin) = &mesh.skin {
            self.skin(skin, &faces, author)?;
        }
        self.out.close();
        Ok(())
    }

    fn faces(&mut self, faces: &[(Option<usize>, [u32; 3])]) {
        self.out.line(&format!("{};", faces.len()));
        self.out.array(faces.iter().map(|(_, [a, b, c])| format!("3;{a},{b},{c};")));
    }

    /// Writes the materials of the faces; those without one get a white one, if others have one.
    fn material_list(&mut self, faces: &[(Option<usize>, [u32; 3])]) {
        let mut used: Vec<Option<usize>> = faces.iter().map(|(material, _)| *material).collect();
        used.sort_unstable();
        used.dedup();
        if used == [None] {
            return;
        }
        let place = |material: &Option<usize>| used.binary_search(material).ok();
        let indices = faces.iter().filter_map(|(material, _)| u32::try_from(place(material)?).ok());
        let indices = Text::integers(indices);
        self.out.open("MeshMaterialList", b"");
        self.out.line(&format!("{};", used.len()));
        self.out.line(&format!("{};", faces.len()));
        self.out.line(&format!("{indices};"));
        for material in used {
            match material.and_then(|material| self.names.materials.get(material)) {
                Some(name) => self.out.reference(name),
                None => {
                    self.out.open("Material", b"");
                    self.out.line("1.0;1.0;1.0;1.0;;");
                    self.out.line("0.0;");
                    self.out.line("0.0;0.0;0.0;;");
                    self.out.line("0.0;0.0;0.0;;");
                    self.out.close();
                }
            }
        }
        self.out.close();
    }

    /// Writes the weights of each joint that has any.
    fn skin(
        &mut self,
        skin: &Skin,
        faces: &[(Option<usize>, [u32; 3])],
        author: &mut Author<'_>,
    ) -> Result<(), AuthorError> {
        let mut rows: Vec<Vec<(u32, f32)>> = vec![Vec::new(); skin.joints.len()];
        for (index, vertex) in (0..skin.weights.len()).zip(0_u32..) {
            for own in skin.weights.of(index) {
                if let Some(row) = rows.get_mut(own.joint as usize) {
                    row.push((vertex, own.weight));
                }
            }
        }
        let joints = skin.joints.iter().zip(rows).filter(|(_, row)| !row.is_empty());
        let named = joints.filter_map(|(joint, row)| Some((joint, self.names.bones.get(joint.bone)?, row)));
        let named: Vec<_> = named.collect();
        if named.is_empty() {
            return Ok(());
        }
        author.limit("bones of a skin", named.len(), MOST_BONES, BONES)?;
        let of_face = |(_, corners): &(Option<usize>, [u32; 3])| {
            let joints = corners.iter().flat_map(|own| skin.weights.of(*own as usize));
            let mut joints: Vec<u32> = joints.map(|own| own.joint).collect();
            joints.sort_unstable();
            joints.dedup();
            joints.len()
        };
        let per_face = faces.iter().map(of_face).max().unwrap_or(0);
        self.out.open("XSkinMeshHeader", b"");
        self.out.line(&format!("{};", skin.weights.most()));
        self.out.line(&format!("{per_face};"));
        self.out.line(&format!("{};", named.len()));
        self.out.close();
        for (joint, name, row) in named {
            self.out.open("SkinWeights", b"");
            self.out.string(name);
            self.out.line(&format!("{};", row.len()));
            self.out.line(&format!("{};", Text::integers(row.iter().map(|(vertex, _)| *vertex))));
            let weights: Vec<f32> = row.iter().map(|(_, weight)| *weight).collect();
            self.out.line(&format!("{};", Text::list(&weights)));
            let matrix = self.matrix(&joint.inverse_bind);
            self.out.line(&matrix);
            self.out.close();
        }
        Ok(())
    }
}
