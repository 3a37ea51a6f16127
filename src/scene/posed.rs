//! Vertices of a scene in a pose.

use glam::{Affine3A, Mat3A, Vec3};

use super::{Clip, Mesh, Scene, Targets};

/// The vertices of a mesh in a pose, in model space.
///
/// ```
/// use bindpose::scene::{Mesh, Primitive, Scene};
/// use glam::Vec3;
/// let primitives = vec![Primitive { triangles: vec![[0, 1, 2]], ..Primitive::default() }];
/// let mesh = Mesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], primitives, ..Mesh::default() };
/// let scene = Scene { meshes: vec![mesh], ..Scene::default() };
/// assert_eq!(scene.posed(None, 0.0)[0].positions[1], Vec3::X);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosedMesh {
    /// The positions in metres, in the order of the mesh.
    pub positions: Vec<Vec3>,
    /// The normals, of unit length; empty if the mesh has none.
    pub normals: Vec<Vec3>,
}

impl Scene {
    /// Returns the transforms from bone space to model space at a time in seconds; in the bind pose without a clip.
    #[must_use]
    pub fn bones_at(&self, clip: Option<&Clip>, seconds: f32) -> Vec<Affine3A> {
        let pose =
            clip.map_or_else(|| self.skeleton.bind_pose(), |clip| clip.sample(&self.skeleton, seconds));
        self.skeleton.model_space(&pose)
    }

    /// Returns the vertices of every mesh at a time in seconds, with skin and morph targets; in the bind pose without a
    /// clip.
    #[must_use]
    pub fn posed(&self, clip: Option<&Clip>, seconds: f32) -> Vec<PosedMesh> {
        let placed = self.bones_at(clip, seconds);
        let pose = |(index, mesh): (usize, &Mesh)| {
            let morphed = morphed(index, mesh, clip, seconds);
            place(mesh, morphed, &placed)
        };
        self.meshes.iter().enumerate().map(pose).collect()
    }
}

/// Applies the morph targets of a mesh.
fn morphed(index: usize, mesh: &Mesh, clip: Option<&Clip>, seconds: f32) -> PosedMesh {
    let mut posed = PosedMesh { positions: mesh.positions.clone(), normals: mesh.normals.clone() };
    for track in clip.iter().flat_map(|clip| &clip.morphs) {
        let weight = track.weight.sample(seconds).unwrap_or_default();
        let morphs = mesh.morphs.iter().enumerate().filter(|(own, morph)| match &track.targets {
            Targets::Named(name) => morph.name == *name,
            Targets::These(pairs) => pairs.contains(&(index, *own)),
        });
        for delta in morphs.flat_map(|(_, morph)| &morph.deltas) {
            if let Some(position) = posed.positions.get_mut(delta.vertex as usize) {
                *position += delta.position * weight;
            }
            if let Some(normal) = posed.normals.get_mut(delta.vertex as usize) {
                *normal = (*normal + delta.normal * weight).normalize_or(*normal);
            }
        }
    }
    posed
}

/// Returns positions in model space: placed by the skin of the mesh, or by the bone that it is attached to.
pub(super) fn positions(mesh: &Mesh, positions: &[Vec3], placed: &[Affine3A]) -> Vec<Vec3> {
    if let Some(skin) = &mesh.skin {
        return skin.deform(placed, positions);
    }
    let bone = mesh.bone.and_then(|bone| placed.get(bone)).copied().unwrap_or_default();
    positions.iter().map(|position| bone.transform_point3(*position)).collect()
}

/// Moves vertices to model space.
fn place(mesh: &Mesh, vertices: PosedMesh, placed: &[Affine3A]) -> PosedMesh {
    let positions = positions(mesh, &vertices.positions, placed);
    if let Some(skin) = &mesh.skin {
        return PosedMesh { positions, normals: skin.deform_normals(placed, &vertices.normals) };
    }
    let Some(bone) = mesh.bone.and_then(|bone| placed.get(bone)) else {
        return PosedMesh { positions, ..vertices };
    };
    let turn: Mat3A = bone.matrix3;
    let normal = |normal: &Vec3| (turn * *normal).normalize_or(*normal);
    PosedMesh { positions, normals: vertices.normals.iter().map(normal).collect() }
}
