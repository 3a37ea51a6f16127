//! The memory of the parts of a scene.

use glam::Affine3A;

use super::{
    Attachment, Blend, Bone, Clip, Curve, Interpolation, Joint, Material, Mesh, Morph, MorphTrack, Primitive,
    Scene, Texture,
};
use super::{Targets, Track, author::SceneContent};

/// The memory of a material, or of a clip without its frames, in a file that is written.
const OBJECT: usize = 4096;

impl Bone {
    /// The memory in bytes without the name: with its place in the hierarchy, its transform to model space, a joint, and entries in
    /// tables of names, which double when they grow.
    pub(super) const MEMORY: usize =
        2 * size_of::<Self>() + 256 + size_of::<Joint>() + 2 * size_of::<Affine3A>();

    /// Returns the memory of the name and of its copies in tables, each rounded up to what is allocated.
    pub(super) const fn memory_of_names(&self) -> usize {
        3 * self.name.len().next_multiple_of(16)
    }

    const fn memory(&self) -> usize {
        Self::MEMORY + self.memory_of_names()
    }
}

impl Attachment {
    /// Returns the memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of::<Self>() + self.name.len()
    }
}

impl Material {
    /// Returns the memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of::<Self>()
            + self.name.len()
            + self.textures.iter().map(|own| size_of::<Texture>() + own.path.len()).sum::<usize>()
    }
}

impl Mesh {
    /// Returns the memory in bytes, without joints, which meshes share.
    pub(super) fn memory(&self) -> usize {
        let vertices = size_of_val(&*self.positions) + size_of_val(&*self.normals);
        let further = size_of_val(&*self.tangents) + size_of_val(&*self.colors);
        let uvs: usize = self.uvs.iter().map(|own| size_of_val(&**own)).sum();
        let skin = self.skin.as_ref().map_or(0, |skin| skin.weights.memory());
        let triangles = |own: &Primitive| size_of_val(own) + own.name.len() + size_of_val(&*own.triangles);
        let deltas = |own: &Morph| size_of_val(own) + own.name.len() + size_of_val(&*own.deltas);
        let primitives: usize = self.primitives.iter().map(triangles).sum();
        let morphs: usize = self.morphs.iter().map(deltas).sum();
        size_of_val(self) + self.name.len() + vertices + further + uvs + skin + primitives + morphs
    }
}

impl Clip {
    /// Returns the memory in bytes.
    pub(in crate::scene) fn memory(&self) -> usize {
        let track = |own: &Track| {
            size_of_val(own)
                + curve(own.translation.as_ref())
                + curve(own.rotation.as_ref())
                + curve(own.scale.as_ref())
        };
        let morph = |own: &MorphTrack| {
            let targets = match &own.targets {
                Targets::These(targets) => size_of_val(&**targets),
                Targets::Named(name) => name.len(),
            };
            size_of_val(own) + targets + keys(&own.weight)
        };
        let tracks: usize = self.tracks.iter().map(track).sum();
        size_of_val(self) + self.name.len() + tracks + self.morphs.iter().map(morph).sum::<usize>()
    }
}

impl Scene {
    /// Returns the memory in bytes, without records of files.
    pub(crate) fn memory(&self) -> usize {
        let [bones, materials, meshes] = self.memory_of_parts();
        bones
            + materials
            + meshes
            + self.memory_of_attachments()
            + self.clips.iter().map(Clip::memory).sum::<usize>()
    }

    fn memory_of_attachments(&self) -> usize {
        self.attachments.iter().map(Attachment::memory).sum()
    }

    fn memory_of_parts(&self) -> [usize; 3] {
        [
            self.skeleton.bones().iter().map(Bone::memory).sum::<usize>() + self.skeleton.playback().memory(),
            self.materials.iter().map(Material::memory).sum(),
            self.meshes.iter().map(Mesh::memory).sum(),
        ]
    }

    /// Returns the memory of the bones, materials and meshes in files that hold them, with their names and tables.
    pub(crate) fn memory_of_records(&self, holds: &[SceneContent]) -> usize {
        let [bones, materials, meshes] = self.memory_of_parts();
        let records = [
            (SceneContent::Skeleton, 4 * bones),
            (SceneContent::Attachments, 4 * self.memory_of_attachments()),
            (SceneContent::Materials, 4 * materials + self.materials.len() * OBJECT),
            (SceneContent::Meshes, meshes),
            (SceneContent::Clips, self.clips.len() * OBJECT),
        ];
        records.into_iter().filter(|(what, _)| holds.contains(what)).map(|(_, memory)| memory).sum()
    }
}

fn curve<T: Blend>(curve: Option<&Curve<T>>) -> usize {
    curve.map_or(0, keys)
}

fn keys<T: Blend>(curve: &Curve<T>) -> usize {
    let tangents = match curve.between() {
        Interpolation::CubicSpline(tangents) => size_of_val(&**tangents),
        Interpolation::Step | Interpolation::Linear => 0,
    };
    size_of_val(curve.times()) + size_of_val(curve.values()) + tangents
}
