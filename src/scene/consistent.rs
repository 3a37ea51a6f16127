//! Scenes whose indices and lengths agree.

use super::{Clip, Mesh, Morph, Primitive, Scene, Skin, Targets};
use crate::check::common::field_path;
use crate::{Error, ErrorKind, FieldPath, Result};

impl Scene {
    /// Checks that every index refers to an object of the scene, and that lists of vertex data have a value for each vertex.
    ///
    /// Scenes that were read are consistent. Writers, glTF and drawing check those that were made by hand.
    ///
    /// ```
    /// use bindpose::scene::{Mesh, Primitive, Scene};
    /// use glam::Vec3;
    /// let primitives = vec![Primitive { triangles: vec![[0, 1, 9]], ..Primitive::default() }];
    /// let mesh = Mesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], primitives, ..Mesh::default() };
    /// let error = Scene { meshes: vec![mesh], ..Scene::default() }.validate().unwrap_err();
    /// let expected = "meshes[0].primitives[0].triangles[0]: refers to vertex 9, but 3 exist";
    /// assert_eq!(error.to_string(), expected);
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Encode`] with the path in the scene of the first index or list that is wrong.
    pub fn validate(&self) -> Result<()> {
        let bones = self.skeleton.bones().len();
        for (at, own) in self.attachments.iter().enumerate() {
            exists("bone", own.bone, bones, || field_path!["attachments", at, "bone"])?;
        }
        for (at, mesh) in self.meshes.iter().enumerate() {
            let checked = mesh.is_consistent(bones, self.materials.len());
            checked.map_err(|error| error.inside(&field_path!["meshes", at]))?;
        }
        for (at, clip) in self.clips.iter().enumerate() {
            let checked = clip.is_consistent(bones, &self.meshes);
            checked.map_err(|error| error.inside(&field_path!["clips", at]))?;
        }
        Ok(())
    }
}

impl Mesh {
    /// As [`Scene::validate`], in a scene with these numbers of bones and materials.
    pub(super) fn is_consistent(&self, bones: usize, materials: usize) -> Result<()> {
        let vertices = self.positions.len();
        exists("bone", self.bone, bones, || field_path!["bone"])?;
        let lists = [
            ("normals", self.normals.len()),
            ("tangents", self.tangents.len()),
            ("colors", self.colors.len()),
        ];
        for (name, len) in lists.into_iter().filter(|(_, len)| *len > 0) {
            same_length(len, vertices, || field_path![name])?;
        }
        for (at, uvs) in self.uvs.iter().enumerate() {
            same_length(uvs.len(), vertices, || field_path!["uvs", at])?;
        }
        for (at, own) in self.primitives.iter().enumerate() {
            let checked = own.is_consistent(vertices, materials);
            checked.map_err(|error| error.inside(&field_path!["primitives", at]))?;
        }
        for (at, own) in self.morphs.iter().enumerate() {
            let checked = own.is_consistent(vertices);
            checked.map_err(|error| error.inside(&field_path!["morphs", at]))?;
        }
        let skin = self.skin.as_ref().map_or(Ok(()), |own| own.is_consistent(vertices, bones));
        skin.map_err(|error| error.inside(&field_path!["skin"]))
    }
}

impl Primitive {
    fn is_consistent(&self, vertices: usize, materials: usize) -> Result<()> {
        exists("material", self.material, materials, || field_path!["material"])?;
        let is_wrong = |triangle: &[u32; 3]| triangle.iter().any(|own| *own as usize >= vertices);
        let Some(at) = self.triangles.iter().position(is_wrong) else { return Ok(()) };
        let vertex = self.triangles[at].into_iter().max().map(|own| own as usize);
        exists("vertex", vertex, vertices, || field_path!["triangles", at])
    }
}

impl Morph {
    fn is_consistent(&self, vertices: usize) -> Result<()> {
        for (at, own) in self.deltas.iter().enumerate() {
            exists("vertex", Some(own.vertex as usize), vertices, || field_path!["deltas", at])?;
        }
        match self.deltas.windows(2).position(|pair| pair[0].vertex >= pair[1].vertex) {
            Some(at) => {
                Err(wrong("does not follow in the order of the vertices", || field_path!["deltas", at + 1]))
            }
            None => Ok(()),
        }
    }
}

impl Skin {
    fn is_consistent(&self, vertices: usize, bones: usize) -> Result<()> {
        for (at, joint) in self.joints.iter().enumerate() {
            exists("bone", Some(joint.bone), bones, || field_path!["joints", at])?;
        }
        same_length(self.weights.len(), vertices, || field_path!["weights"])?;
        for vertex in 0..vertices {
            for own in self.weights.of(vertex) {
                let path = || field_path!["weights", vertex];
                exists("joint", Some(own.joint as usize), self.joints.len(), path)?;
            }
        }
        Ok(())
    }
}

impl Clip {
    fn is_consistent(&self, bones: usize, meshes: &[Mesh]) -> Result<()> {
        for (at, own) in self.tracks.iter().enumerate() {
            exists("bone", Some(own.bone), bones, || field_path!["tracks", at, "bone"])?;
        }
        for (at, own) in self.morphs.iter().enumerate() {
            let Targets::These(pairs) = &own.targets else { continue };
            for &(mesh, morph) in pairs {
                let path = || field_path!["morphs", at, "targets"];
                exists("mesh", Some(mesh), meshes.len(), path)?;
                exists("morph target", Some(morph), meshes[mesh].morphs.len(), path)?;
            }
        }
        Ok(())
    }
}

fn exists(what: &str, index: Option<usize>, len: usize, path: impl FnOnce() -> FieldPath) -> Result<()> {
    match index.filter(|index| *index >= len) {
        Some(index) => Err(wrong(&format!("refers to {what} {index}, but {len} exist"), path)),
        None => Ok(()),
    }
}

fn same_length(len: usize, vertices: usize, path: impl FnOnce() -> FieldPath) -> Result<()> {
    if len == vertices {
        return Ok(());
    }
    Err(wrong(&format!("has {len} values, but the mesh has {vertices} vertices"), path))
}

fn wrong(why: &str, path: impl FnOnce() -> FieldPath) -> Error {
    Error::new(0, ErrorKind::Encode(why.to_owned())).at(path())
}
