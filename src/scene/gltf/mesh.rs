//! Meshes, their skins and morph targets, materials.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3, Vec4};
use gltf_json::material::{
    AlphaMode, EmissiveFactor, PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor,
};
use gltf_json::mesh::{Mode, MorphTarget, Primitive, Semantic};
use gltf_json::validation::Checked::{self, Valid};
use gltf_json::{self as json, Accessor, Index, Node};

use super::buffer::VERTICES;
use super::{Draft, extra, named};
use crate::scene::{Alpha, Material, Mesh, Scene, Transform, Weights};

/// The attributes of vertices.
type Attributes = BTreeMap<Checked<Semantic>, Index<Accessor>>;

/// The most joints that a vertex can tell apart.
const MAX_JOINTS: usize = 1 << 16;

pub(super) fn material(own: &Material) -> json::Material {
    let share = |value: f32| if value.is_nan() { 1.0 } else { value.clamp(0.0, 1.0) };
    json::Material {
        name: named(&own.name),
        alpha_mode: Valid(match own.alpha {
            Alpha::Opaque => AlphaMode::Opaque,
            Alpha::Mask => AlphaMode::Mask,
            Alpha::Blend => AlphaMode::Blend,
        }),
        double_sided: own.double_sided,
        pbr_metallic_roughness: PbrMetallicRoughness {
            base_color_factor: PbrBaseColorFactor(own.color.map(share)),
            metallic_factor: StrengthFactor(0.0),
            ..PbrMetallicRoughness::default()
        },
        emissive_factor: EmissiveFactor(own.emissive.map(share)),
        // No images: glTF takes PNG and JPEG only, and these are other files of the author's disk.
        extras: if own.textures.is_empty() { None } else { extra("textures", own.textures.clone()) },
        ..json::Material::default()
    }
}

impl Draft {
    pub fn meshes(&mut self, scene: &Scene) {
        let textures: usize = scene.materials.iter().map(|own| own.textures.len()).sum();
        if textures > 0 {
            self.lose(
                format!("textures ({textures})"),
                "only their paths are kept, in the materials' extras",
            );
        }
        for mesh in &scene.meshes {
            let node = self.mesh(mesh, scene.materials.len());
            self.mesh_nodes.push(node);
        }
    }

    /// A mesh and its node.
    fn mesh(&mut self, mesh: &Mesh, num_materials: usize) -> Option<Index<Node>> {
        let num_vertices = mesh.positions.len();
        let there = |corner: &u32| (*corner as usize) < num_vertices;
        let mut attributes = Attributes::new();
        let mut primitives = Vec::new();
        for primitive in &mesh.primitives {
            let sound = primitive.triangles.iter().filter(|triangle| triangle.iter().all(there));
            let triangles: Vec<_> = sound.copied().collect();
            if triangles.is_empty() {
                continue;
            }
            primitives.push(Primitive {
                attributes: Attributes::new(),
                extensions: None,
                extras: named(&primitive.name).and_then(|name| extra("name", name)),
                indices: Some(self.buffer.triangles(&triangles, num_vertices)),
                material: primitive.material.filter(|own| *own < num_materials).map(material_index),
                mode: Valid(Mode::Triangles),
                targets: None,
            });
        }
        if primitives.is_empty() {
            self.lose(format!("mesh {:?}", mesh.name), "it has no triangles");
            return None;
        }
        self.vertices(mesh, &mut attributes);
        let skin = self.influences(mesh, &mut attributes);
        let targets = self.targets(mesh);
        for primitive in &mut primitives {
            primitive.attributes.clone_from(&attributes);
            primitive.targets = (!targets.is_empty()).then(|| targets.clone());
        }
        let names: Vec<_> = mesh.morphs.iter().map(|morph| morph.name.clone()).collect();
        let index = self.root.push(json::Mesh {
            extensions: None,
            extras: if names.is_empty() { None } else { extra("targetNames", names) },
            name: named(&mesh.name),
            primitives,
            weights: (!mesh.morphs.is_empty()).then(|| vec![0.0; mesh.morphs.len()]),
        });
        let node = self.node(&mesh.name, &Transform::IDENTITY);
        let node = self.root.push(Node { mesh: Some(index), skin, ..node });
        match mesh.bone.filter(|bone| skin.is_none() && *bone < self.num_bones) {
            Some(bone) => self.adopt(super::node::node_index(bone), node),
            None => self.tops.push(node),
        }
        Some(node)
    }

    fn vertices(&mut self, mesh: &Mesh, attributes: &mut Attributes) {
        let num_vertices = mesh.positions.len();
        let full = |len: usize| len == num_vertices;
        let positions = mesh.positions.iter().map(Vec3::to_array);
        attributes.insert(Valid(Semantic::Positions), self.buffer.floats(positions, VERTICES, true));
        if full(mesh.normals.len()) {
            let normals = mesh.normals.iter().map(|normal| direction(*normal).to_array());
            attributes.insert(Valid(Semantic::Normals), self.buffer.floats(normals, VERTICES, false));
            if full(mesh.tangents.len()) {
                let tangents = mesh.tangents.iter().map(|own| tangent(*own).to_array());
                attributes.insert(Valid(Semantic::Tangents), self.buffer.floats(tangents, VERTICES, false));
            }
        }
        for (set, uvs) in (0..).zip(mesh.uvs.iter().filter(|uvs| full(uvs.len()))) {
            let uvs = self.buffer.floats(uvs.iter().map(Vec2::to_array), VERTICES, false);
            attributes.insert(Valid(Semantic::TexCoords(set)), uvs);
        }
        if full(mesh.colors.len()) {
            let colors = self.buffer.bytes4(mesh.colors.iter().copied(), true);
            attributes.insert(Valid(Semantic::Colors(0)), colors);
        }
    }

    /// Joints and weights in sets of four, as many as the most influenced vertex needs.
    fn influences(&mut self, mesh: &Mesh, attributes: &mut Attributes) -> Option<Index<json::Skin>> {
        let skin = mesh.skin.as_ref().filter(|skin| !skin.joints.is_empty())?;
        if skin.joints.len() >= MAX_JOINTS {
            self.lose(format!("the skin of {:?}", mesh.name), "glTF has no more than 65536 joints");
            return None;
        }
        let vertices = 0..mesh.positions.len();
        let still = vertices.clone().any(|vertex| skin.weights.of(vertex).is_empty());
        let last = u16::try_from(skin.joints.len()).unwrap_or(u16::MAX);
        for set in 0..u32::try_from(skin.weights.most().div_ceil(4).max(1)).unwrap_or(1) {
            let four = |vertex| four(&skin.weights, vertex, set as usize, last);
            let joints = vertices.clone().map(|vertex| four(vertex).map(|(joint, _)| joint));
            let joints = if skin.joints.len() < 256 {
                let narrow = |joint: u16| u8::try_from(joint).unwrap_or(0);
                self.buffer.bytes4(joints.map(|joints| joints.map(narrow)), false)
            } else {
                self.buffer.shorts4(joints)
            };
            let weights = vertices.clone().map(|vertex| four(vertex).map(|(_, weight)| weight));
            let weights = self.buffer.floats(weights, VERTICES, false);
            attributes.insert(Valid(Semantic::Joints(set)), joints);
            attributes.insert(Valid(Semantic::Weights(set)), weights);
        }
        Some(self.skin(&skin.joints, still))
    }

    fn targets(&mut self, mesh: &Mesh) -> Vec<MorphTarget> {
        let mut targets = Vec::with_capacity(mesh.morphs.len());
        let num_vertices = mesh.positions.len();
        let with_normals = mesh.normals.len() == num_vertices;
        for morph in &mesh.morphs {
            let deltas = || morph.deltas.iter().filter(|delta| (delta.vertex as usize) < num_vertices);
            let positions: Vec<_> = deltas().map(|own| (own.vertex, own.position.to_array())).collect();
            let normals: Vec<_> = deltas().map(|own| (own.vertex, own.normal.to_array())).collect();
            let bent = with_normals && deltas().any(|own| own.normal != Vec3::ZERO);
            targets.push(MorphTarget {
                positions: Some(self.buffer.sparse(num_vertices, &positions)),
                normals: bent.then(|| self.buffer.sparse(num_vertices, &normals)),
                tangents: None,
            });
        }
        targets
    }
}

/// Four joints of a vertex with their weights; what no bone moves is held by the joint behind the last.
fn four(weights: &Weights, vertex: usize, set: usize, last: u16) -> [(u16, f32); 4] {
    let influences = weights.of(vertex);
    if influences.is_empty() && set == 0 {
        return [(last, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)];
    }
    [0, 1, 2, 3].map(|index| match influences.get(set * 4 + index) {
        Some(influence) => (u16::try_from(influence.joint).unwrap_or(0), influence.weight),
        None => (0, 0.0),
    })
}

/// A direction of unit length, up where there is none.
fn direction(normal: Vec3) -> Vec3 {
    let size = normal.abs().max_element();
    if size.is_finite() { (normal / size).normalize_or(Vec3::Y) } else { Vec3::Y }
}

fn tangent(own: Vec4) -> Vec4 {
    direction(own.truncate()).extend(if own.w < 0.0 { -1.0 } else { 1.0 })
}

fn material_index(index: usize) -> Index<json::Material> {
    Index::new(u32::try_from(index).unwrap_or(u32::MAX))
}
