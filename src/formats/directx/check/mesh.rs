//! Rules of meshes.

use super::super::rules::{
    COORD_COUNT, DECL, DEGENERATE, DUPLICATION, FACE_INDEXES, FACE_SIZE, FACE_VERTEX, MATERIAL_COUNT,
    MATERIAL_INDEX, MAX_WEIGHTS, NORMAL_COUNT, NORMAL_INDEX, SKIN_BONE, SKIN_COUNT, SKIN_VERTEX, WEIGHT_SUM,
};
use super::super::{
    DeclData, FVFData, Mesh, MeshMaterialList, MeshNormals, MeshTextureCoords, Object, SkinWeights,
    VertexDuplicationIndices, View, XSkinMeshHeader, decl_type,
};
use super::Context;
use crate::check::common::quoted;

/// The first object of a kind inside another, with what it says.
fn part<V: View>(object: Object<'_>) -> Option<(Object<'_>, V)> {
    let child = object.children_of(V::TEMPLATE).next()?;
    Some((child, child.view()?.ok()?))
}

impl Context<'_, '_> {
    pub(super) fn mesh(&mut self, object: Object<'_>) {
        // What cannot be read breaks another rule.
        let Some(Ok(mesh)) = object.view::<Mesh>() else { return };
        self.faces(object, &mesh);
        if let Some((child, normals)) = part::<MeshNormals>(object) {
            self.normals(child, &normals, mesh.faces.len());
        }
        let vertices = mesh.vertices.len();
        if let Some((child, coords)) = part::<MeshTextureCoords>(object) {
            let counts = (coords.coords.len(), vertices);
            self.count(&COORD_COUNT, child, "textureCoords", counts, "vertex");
        }
        if let Some((child, list)) = part::<MeshMaterialList>(object) {
            self.materials(child, &list, mesh.faces.len());
        }
        // Some exporters write an empty list, which readers accept.
        if let Some((child, list)) = part::<VertexDuplicationIndices>(object)
            && (list.num_original_vertices > 0 || !list.indices.is_empty())
        {
            self.count(&DUPLICATION, child, "indices", (list.indices.len(), vertices), "vertex");
            if let Some(index) = list.indices.iter().find(|index| **index as usize >= vertices) {
                let message = || format!("names vertex {index} of {vertices}");
                self.add(&DUPLICATION, child, &["indices".into()], message);
            }
        }
        if let Some((child, data)) = part::<DeclData>(object) {
            self.declared(child, &data, vertices);
        }
        if let Some((child, data)) = part::<FVFData>(object)
            && data.data.len().checked_rem(vertices).is_some_and(|rest| rest > 0)
        {
            let message = || format!("has {}, which {vertices} vertices cannot share", data.data.len());
            self.add(&DECL, child, &["data".into()], message);
        }
        self.skin(object, vertices);
    }

    fn declared(&mut self, object: Object<'_>, data: &DeclData, vertices: usize) {
        let sizes = data.elements.iter().map(|[kind, ..]| decl_type::words(*kind));
        let Some(size) = sizes.sum::<Option<usize>>() else { return };
        let words = size.saturating_mul(vertices);
        if words != data.data.len() {
            let has = data.data.len();
            let message = || format!("has {has}, but {vertices} vertices of {size} words take {words}");
            self.add(&DECL, object, &["data".into()], message);
        }
    }

    fn faces(&mut self, object: Object<'_>, mesh: &Mesh) {
        let vertices = mesh.vertices.len();
        for (at, face) in mesh.faces.iter().enumerate() {
            let path = ["faces".into(), at.into()];
            if face.len() < 3 {
                self.add(&FACE_SIZE, object, &path, || format!("has {} corners", face.len()));
            }
            for (corner, vertex) in face.iter().enumerate() {
                if *vertex as usize >= vertices {
                    let message = || format!("names vertex {vertex} of {vertices}");
                    self.add(&FACE_VERTEX, object, &path, message);
                }
                // A polygon of more corners than any real file has would take a while.
                if corner < 64 && face[..corner].contains(vertex) {
                    self.add(&DEGENERATE, object, &path, || format!("has vertex {vertex} twice"));
                }
            }
        }
    }

    fn normals(&mut self, object: Object<'_>, normals: &MeshNormals, faces: usize) {
        self.count(&NORMAL_COUNT, object, "faceNormals", (normals.faces.len(), faces), "face");
        let most = normals.normals.len();
        for (at, face) in normals.faces.iter().enumerate() {
            for normal in face.iter().filter(|normal| **normal as usize >= most) {
                let message = || format!("names normal {normal} of {most}");
                self.add(&NORMAL_INDEX, object, &["faceNormals".into(), at.into()], message);
            }
        }
    }

    fn materials(&mut self, object: Object<'_>, list: &MeshMaterialList, faces: usize) {
        let most = list.num_materials;
        for (at, material) in list.face_indexes.iter().enumerate().filter(|(_, index)| **index >= most) {
            let message = || format!("names material {material} of {most}");
            self.add(&MATERIAL_INDEX, object, &["faceIndexes".into(), at.into()], message);
        }
        let holds = object.children_of("Material").count() + object.references().count();
        if holds != most as usize {
            let message = || format!("is {most}, but it holds {holds}");
            self.add(&MATERIAL_COUNT, object, &["nMaterials".into()], message);
        }
        // Fewer than faces are the short form: the last one applies to all faces that follow.
        let indexes = list.face_indexes.len();
        if indexes == 0 || indexes > faces {
            self.count(&FACE_INDEXES, object, "faceIndexes", (indexes, faces), "face");
        }
    }

    fn skin(&mut self, object: Object<'_>, vertices: usize) {
        let skins: Vec<_> = object.children_of("SkinWeights").collect();
        let header = part::<XSkinMeshHeader>(object);
        if let Some((child, header)) = &header
            && header.num_bones as usize != skins.len()
        {
            let message = || format!("is {}, but there are {} of SkinWeights", header.num_bones, skins.len());
            self.add(&SKIN_COUNT, *child, &["nBones".into()], message);
        }
        if skins.is_empty() {
            return;
        }
        let mut shares = vec![(0.0_f32, 0_u32); vertices];
        for skin in skins {
            if let Some(Ok(weights)) = skin.view::<SkinWeights>() {
                self.weights(skin, &weights, &mut shares);
            }
        }
        let wrong = |(sum, bones): &(f32, u32)| *bones > 0 && (sum - 1.0).abs() > 0.01;
        for (vertex, (sum, _)) in shares.iter().enumerate().filter(|(_, share)| wrong(share)) {
            self.add(&WEIGHT_SUM, object, &[], || format!("vertex {vertex} has weights of {sum} together"));
        }
        let most = shares.iter().map(|(_, bones)| *bones).max().unwrap_or(0);
        if let Some((child, header)) = header.filter(|(_, header)| header.max_weights_per_vertex < most) {
            let message = || format!("is {}, but a vertex has {most}", header.max_weights_per_vertex);
            self.add(&MAX_WEIGHTS, child, &["nMaxSkinWeightsPerVertex".into()], message);
        }
    }

    fn weights(&mut self, object: Object<'_>, skin: &SkinWeights, shares: &mut [(f32, u32)]) {
        let name = skin.transform_node_name.as_slice();
        if !self.frames.contains_key(name) {
            let message = || format!("no frame is called {}", quoted(name));
            self.add(&SKIN_BONE, object, &["transformNodeName".into()], message);
        }
        for (at, (vertex, weight)) in skin.vertex_indices.iter().zip(&skin.weights).enumerate() {
            match shares.get_mut(*vertex as usize) {
                Some((sum, bones)) => (*sum, *bones) = (*sum + weight, *bones + 1),
                None => {
                    let message = || format!("names vertex {vertex} of {}", shares.len());
                    self.add(&SKIN_VERTEX, object, &["vertexIndices".into(), at.into()], message);
                }
            }
        }
    }
}
