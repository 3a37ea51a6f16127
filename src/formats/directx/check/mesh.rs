//! Checks meshes.

use super::super::rules::{
    ADJACENCY, COORD_COUNT, DECL, DEGENERATE, DUPLICATION, FACE_INDEXES, FACE_SIZE, FACE_VERTEX,
    MATERIAL_COUNT, MATERIAL_INDEX, MAX_FACE_WEIGHTS, MAX_WEIGHTS, NORMAL_COUNT, NORMAL_INDEX, SKIN_BONE,
    SKIN_COUNT, SKIN_VERTEX, WEIGHT_SUM,
};
use super::super::{
    DeclData, FVFData, FaceAdjacency, Material, Mesh, MeshMaterialList, MeshNormals, MeshTextureCoords,
    Object, Ragged, SkinWeights, VertexDuplicationIndices, View, XSkinMeshHeader, decl_type,
};
use super::Context;
use crate::check::common::{counted, quoted};
use crate::check::tolerance;

/// The message for an index that is not less than the number of elements.
fn out_of_range(index: u32, len: usize, what: &str, owner: &str) -> String {
    format!("refers to {what} {index}, but the {owner} has {}", counted(len, what))
}

/// The bones of each vertex, at most [`MOST`](Self::MOST).
struct FaceBones(Vec<Vec<u32>>);

impl FaceBones {
    /// Limits the work for a vertex and a face; those of real files have fewer.
    const MOST: usize = 32;

    fn new(vertices: usize) -> Self {
        Self(vec![Vec::new(); vertices])
    }

    fn add(&mut self, bone: u32, weights: &SkinWeights) {
        for vertex in &weights.vertex_indices {
            let own = self.0.get_mut(*vertex as usize).filter(|own| own.len() < Self::MOST);
            if let Some(own) = own.filter(|own| own.last() != Some(&bone)) {
                own.push(bone);
            }
        }
    }

    /// Returns the largest number of bones that move a face.
    fn most(&self, faces: &Ragged<u32>) -> u32 {
        let (mut most, mut bones) = (0, Vec::new());
        for face in faces.iter() {
            bones.clear();
            for bone in face.iter().filter_map(|vertex| self.0.get(*vertex as usize)).flatten() {
                if bones.len() < Self::MOST && !bones.contains(bone) {
                    bones.push(*bone);
                }
            }
            most = most.max(u32::try_from(bones.len()).unwrap_or(u32::MAX));
        }
        most
    }
}

impl Context<'_, '_> {
    pub(super) fn mesh(&mut self, object: Object<'_>) {
        let Some(mesh) = self.view::<Mesh>(object) else { return };
        self.faces(object, &mesh);
        if let Some((child, normals)) = self.part::<MeshNormals>(object) {
            self.normals(child, &normals, mesh.faces.len());
        }
        let vertices = mesh.vertices.len();
        if let Some((child, coords)) = self.part::<MeshTextureCoords>(object) {
            let counts = (coords.coords.len(), vertices);
            self.count(&COORD_COUNT, child, "textureCoords", counts, "vertex");
        }
        if let Some((child, list)) = self.part::<MeshMaterialList>(object) {
            self.materials(child, &list, mesh.faces.len());
        }
        // Some exporters write an empty list, which readers accept.
        if let Some((child, list)) = self.part::<VertexDuplicationIndices>(object)
            && (list.num_original_vertices > 0 || !list.indices.is_empty())
        {
            self.count(&DUPLICATION, child, "indices", (list.indices.len(), vertices), "vertex");
            if let Some(index) = list.indices.iter().find(|index| **index as usize >= vertices) {
                let message = || out_of_range(*index, vertices, "vertex", "mesh");
                self.add(&DUPLICATION, child, &["indices".into()], message);
            }
        }
        self.adjacency(object, mesh.faces.len());
        if let Some((child, data)) = self.part::<DeclData>(object) {
            self.declared(child, &data, vertices);
        }
        if let Some((child, data)) = self.part::<FVFData>(object)
            && data.data.len().checked_rem(vertices).is_some_and(|rest| rest > 0)
        {
            let message = || {
                let has = counted(data.data.len(), "word");
                format!("has {has}, expected a multiple of {}", counted(vertices, "vertex"))
            };
            self.add(&DECL, child, &["data".into()], message);
        }
        self.skin(object, vertices, &mesh.faces);
    }

    fn adjacency(&mut self, object: Object<'_>, faces: usize) {
        let Some((child, list)) = self.part::<FaceAdjacency>(object) else { return };
        let is_wrong = |face: u32| face != FaceAdjacency::NONE && face as usize >= faces;
        for (at, face) in list.indices.iter().enumerate().filter(|(_, face)| is_wrong(**face)) {
            let message = || out_of_range(*face, faces, "face", "mesh");
            self.add(&ADJACENCY, child, &["indices".into(), at.into()], message);
        }
    }

    fn declared(&mut self, object: Object<'_>, data: &DeclData, vertices: usize) {
        let sizes = data.elements.iter().map(|[kind, ..]| decl_type::words(*kind));
        let Some(size) = sizes.sum::<Option<usize>>() else { return };
        let words = size.saturating_mul(vertices);
        if words != data.data.len() {
            let has = counted(data.data.len(), "word");
            let (vertices, size) = (counted(vertices, "vertex"), counted(size, "word"));
            let message = || format!("has {has}, expected {words}: {vertices} of {size} each");
            self.add(&DECL, object, &["data".into()], message);
        }
    }

    fn faces(&mut self, object: Object<'_>, mesh: &Mesh) {
        let vertices = mesh.vertices.len();
        for (at, face) in mesh.faces.iter().enumerate() {
            let path = ["faces".into(), at.into()];
            if face.len() < 3 {
                self.add(&FACE_SIZE, object, &path, || {
                    format!("has {}, expected 3 or more", counted(face.len(), "corner"))
                });
            }
            if let Some(vertex) = face.iter().find(|own| **own as usize >= vertices) {
                let message = || out_of_range(*vertex, vertices, "vertex", "mesh");
                self.add(&FACE_VERTEX, object, &path, message);
            }
            // Limits the quadratic search; polygons of real files are smaller.
            let corners = &face[..face.len().min(64)];
            let twice = corners.iter().enumerate().find(|(at, vertex)| corners[..*at].contains(vertex));
            if let Some((_, vertex)) = twice {
                self.add(&DEGENERATE, object, &path, || format!("has vertex {vertex} twice"));
            }
        }
    }

    fn normals(&mut self, object: Object<'_>, normals: &MeshNormals, faces: usize) {
        self.count(&NORMAL_COUNT, object, "faceNormals", (normals.faces.len(), faces), "face");
        let len = normals.normals.len();
        for (at, face) in normals.faces.iter().enumerate() {
            for normal in face.iter().filter(|normal| **normal as usize >= len) {
                let message = || out_of_range(*normal, len, "normal", "list");
                self.add(&NORMAL_INDEX, object, &["faceNormals".into(), at.into()], message);
            }
        }
    }

    fn materials(&mut self, object: Object<'_>, list: &MeshMaterialList, faces: usize) {
        let num = list.num_materials;
        for (at, material) in list.face_indexes.iter().enumerate().filter(|(_, index)| **index >= num) {
            let message = || out_of_range(*material, num as usize, "material", "list");
            self.add(&MATERIAL_INDEX, object, &["faceIndexes".into(), at.into()], message);
        }
        let has = object.children_of(Material::TEMPLATE).count() + object.references().count();
        if has != num as usize {
            let message = || format!("is {num}, expected {has}: the number of materials in the list");
            self.add(&MATERIAL_COUNT, object, &["nMaterials".into()], message);
        }
        // Fewer indices than faces are valid: the last one applies to all following faces.
        let indexes = list.face_indexes.len();
        if indexes != faces && (indexes == 0 || indexes > faces) {
            let has = counted(indexes, "element");
            let expected = if faces == 0 { "0".into() } else { format!("1 to {faces}") };
            let message = || format!("has {has}, expected {expected}: at most one per face");
            self.add(&FACE_INDEXES, object, &["faceIndexes".into()], message);
        }
    }

    fn skin(&mut self, object: Object<'_>, vertices: usize, faces: &Ragged<u32>) {
        let skins: Vec<_> = object.children_of(SkinWeights::TEMPLATE).collect();
        let header = self.part::<XSkinMeshHeader>(object);
        if let Some((child, header)) = &header
            && header.num_bones as usize != skins.len()
        {
            let message = || {
                let has = header.num_bones;
                format!("is {has}, expected {}: the number of SkinWeights objects", skins.len())
            };
            self.add(&SKIN_COUNT, *child, &["nBones".into()], message);
        }
        if skins.is_empty() {
            return;
        }
        let mut sums = vec![(0.0_f32, 0_u32); vertices];
        let mut bones = FaceBones::new(vertices);
        for (bone, skin) in (0..).zip(skins) {
            if let Some(weights) = self.view::<SkinWeights>(skin) {
                self.weights(skin, &weights, &mut sums);
                bones.add(bone, &weights);
            }
        }
        let most = bones.most(faces);
        let is_less = |(_, header): &(Object<'_>, XSkinMeshHeader)| header.max_weights_per_face < most;
        if let Some((child, header)) = header.as_ref().filter(|own| is_less(own)) {
            let message =
                || format!("is {}, but {} move a face", header.max_weights_per_face, counted(most, "bone"));
            self.add(&MAX_FACE_WEIGHTS, *child, &["nMaxSkinWeightsPerFace".into()], message);
        }
        let wrong = |(sum, bones): &(f32, u32)| *bones > 0 && (sum - 1.0).abs() > tolerance::WEIGHTS;
        for (vertex, (sum, _)) in sums.iter().enumerate().filter(|(_, sum)| wrong(sum)) {
            self.add(&WEIGHT_SUM, object, &[], || {
                format!("the weights of vertex {vertex} sum to {sum}, expected 1")
            });
        }
        let max = sums.iter().map(|(_, bones)| *bones).max().unwrap_or(0);
        if let Some((child, header)) = header.filter(|(_, header)| header.max_weights_per_vertex < max) {
            let message = || {
                format!("is {}, but a vertex has {}", header.max_weights_per_vertex, counted(max, "weight"))
            };
            self.add(&MAX_WEIGHTS, child, &["nMaxSkinWeightsPerVertex".into()], message);
        }
    }

    fn weights(&mut self, object: Object<'_>, skin: &SkinWeights, sums: &mut [(f32, u32)]) {
        let name = skin.transform_node_name.as_slice();
        if !self.frames.contains_key(name) {
            let message = || format!("no frame is named {}", quoted(name));
            self.add(&SKIN_BONE, object, &["transformNodeName".into()], message);
        }
        for (at, (vertex, weight)) in skin.vertex_indices.iter().zip(&skin.weights).enumerate() {
            match sums.get_mut(*vertex as usize) {
                Some((sum, bones)) => (*sum, *bones) = (*sum + weight, *bones + 1),
                None => {
                    let message = || out_of_range(*vertex, sums.len(), "vertex", "mesh");
                    self.add(&SKIN_VERTEX, object, &["vertexIndices".into(), at.into()], message);
                }
            }
        }
    }
}
