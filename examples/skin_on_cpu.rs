//! Poses a model and fills the buffers of a renderer: positions, normals, indices, and four joints and weights per vertex for a
//! shader: `cargo run --example skin_on_cpu -- 0.5 tests/character/dragon.ms3d`.

use std::{env, error};

use bindpose::scene::{Mesh, PosedMesh, Primitive, Scene, Settings};
use glam::Vec3;

/// What a renderer uploads for a mesh.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// Three numbers for each vertex.
    pub positions: Vec<f32>,
    /// Three numbers for each vertex; empty if the mesh has no normals.
    pub normals: Vec<f32>,
    /// Three for each triangle.
    pub indices: Vec<u32>,
    /// Four joints of the skin for each vertex; empty if the mesh has no skin.
    pub joints: Vec<[u32; 4]>,
    /// The weights of these joints.
    pub weights: Vec<[f32; 4]>,
}

fn main() -> Result<(), Box<dyn error::Error>> {
    let mut args = env::args().skip(1);
    let seconds: f32 = args.next().ok_or("give a time in seconds and files")?.parse()?;
    let scene = Scene::load(args, &Settings::default())?;
    for (mesh, own) in scene.meshes.iter().zip(buffers(&scene, seconds)) {
        let highest = own.positions.chunks_exact(3).map(|place| place[1]).fold(f32::NEG_INFINITY, f32::max);
        let Buffers { normals, indices, joints, weights, .. } = own;
        println!("{:?}: up to {highest} m", mesh.name);
        println!(
            "  {} indices, {} normals, {} joints, {} weights",
            indices.len(),
            normals.len(),
            joints.len(),
            weights.len()
        );
    }
    Ok(())
}

/// Returns the buffers of all meshes in the pose of the first clip at a time.
pub(crate) fn buffers(scene: &Scene, seconds: f32) -> Vec<Buffers> {
    let posed = scene.posed(scene.clips.first(), seconds);
    scene.meshes.iter().zip(posed).map(|(mesh, posed)| fill(mesh, &posed)).collect()
}

fn fill(mesh: &Mesh, posed: &PosedMesh) -> Buffers {
    let (joints, weights) = mesh.skin.as_ref().map(|skin| skin.weights.fixed::<4>()).unwrap_or_default();
    Buffers {
        positions: posed.positions.iter().flat_map(Vec3::to_array).collect(),
        normals: posed.normals.iter().flat_map(Vec3::to_array).collect(),
        indices: mesh.primitives.iter().flat_map(Primitive::indices).copied().collect(),
        joints,
        weights,
    }
}
