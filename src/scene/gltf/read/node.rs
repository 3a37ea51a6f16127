//! Nodes, which become bones.

use std::collections::HashSet;

use glam::{Affine3A, Mat4, Quat};
use gltf_json::animation::Property;
use gltf_json::validation::Checked::{self, Valid};
use gltf_json::{Index, Node};

use super::super::HELPER;
use super::{Reader, extra, field, missing};
use crate::scene::{Bone, Transform, unit};
use crate::{Error, ErrorKind, Result};

/// The nodes of a file and their bones.
pub(super) struct Nodes {
    parents: Vec<Option<usize>>,
    /// The bone of each node; none for a node that is not a bone.
    bones: Vec<Option<usize>>,
    /// Whether the node belongs to the scene that is read.
    in_scene: Vec<bool>,
}

impl Nodes {
    /// Returns the bone of a node, or of the nearest node above it.
    pub fn bone(&self, node: usize) -> Option<usize> {
        let mut next = Some(node);
        // Parents are free of cycles.
        while let Some(node) = next {
            if let Some(bone) = self.bones[node] {
                return Some(bone);
            }
            next = self.parents[node];
        }
        None
    }

    /// Returns the bone of a node itself.
    pub fn own_bone(&self, node: usize) -> Option<usize> {
        self.bones.get(node).copied().flatten()
    }

    pub fn is_in_scene(&self, node: usize) -> bool {
        self.in_scene[node]
    }

    pub fn len(&self) -> usize {
        self.parents.len()
    }
}

impl Reader<'_, '_> {
    /// Adds the bones.
    pub fn nodes(&mut self) -> Result<Nodes> {
        let nodes = &self.root.nodes;
        let parents = self.parents()?;
        let in_scene = self.in_scene(&parents)?;
        let held = self.joints_and_targets()?;
        let mut bones = vec![None; nodes.len()];
        let (mut list, mut sheared, mut outside) = (Vec::new(), 0, 0);
        for (index, node) in nodes.iter().enumerate() {
            outside += usize::from(!in_scene[index]);
            if !in_scene[index] || is_helper(node) || !held.contains(&index) && is_holder(node) {
                continue;
            }
            let (bind, exact) = transform(node);
            sheared += usize::from(!exact);
            bones[index] = Some(list.len());
            list.push((index, Bone { name: node.name.clone().unwrap_or_default(), parent: None, bind }));
        }
        let found = Nodes { parents, bones, in_scene };
        let with_parent = |(index, bone): (usize, Bone)| {
            let parent = found.parents[index].and_then(|parent| found.bone(parent));
            Bone { parent, ..bone }
        };
        let list = list.into_iter().map(with_parent).collect();
        self.builder.add_bones(list);
        self.builder.lose_shear(sheared, "matrices of nodes");
        self.builder.lose_some(outside, "nodes", "not in the default scene");
        let cameras = nodes.iter().filter(|node| node.camera.is_some()).count();
        self.builder.lose_some(cameras, "cameras", "a scene cannot represent them");
        self.builder.lose_some(
            nodes.iter().filter(|node| is_light(node)).count(),
            "lights",
            "a scene cannot represent them",
        );
        Ok(found)
    }

    /// Returns the parent of each node. A node with several keeps the first; cycles are cut.
    fn parents(&mut self) -> Result<Vec<Option<usize>>> {
        let nodes = &self.root.nodes;
        let mut parents: Vec<Option<usize>> = vec![None; nodes.len()];
        let mut refused = 0;
        for (index, node) in nodes.iter().enumerate() {
            for child in node.children.iter().flatten() {
                let parent = parents
                    .get_mut(child.value())
                    .ok_or_else(|| missing(field("nodes", Some(index), "children"), "node", child.value()))?;
                refused += usize::from(parent.is_some());
                parent.get_or_insert(index);
            }
        }
        refused += cut_cycles(&mut parents);
        self.builder.lose_some(refused, "links to parents", "cyclic, or the node has another parent");
        Ok(parents)
    }

    /// Returns whether each node is in the default scene. Without scenes all are.
    fn in_scene(&self, parents: &[Option<usize>]) -> Result<Vec<bool>> {
        let number = self.root.scene.map_or(0, |scene| scene.value());
        let Some(scene) = self.root.scenes.get(number) else {
            let is_missing = self.root.scene.is_some();
            let error = || missing(field("scene", None, ""), "scene", number);
            return if is_missing { Err(error()) } else { Ok(vec![true; parents.len()]) };
        };
        let mut in_scene = vec![false; parents.len()];
        for node in &scene.nodes {
            let member = in_scene.get_mut(node.value());
            *member.ok_or_else(|| missing(field("scenes", Some(number), "nodes"), "node", node.value()))? =
                true;
        }
        // Joints belong to the scene even if the file omits their root.
        for joint in self.root.skins.iter().flat_map(|skin| &skin.joints) {
            let mut top = joint.value();
            while let Some(parent) = parents.get(top).copied().flatten() {
                top = parent;
            }
            if let Some(member) = in_scene.get_mut(top) {
                *member = true;
            }
        }
        let mut chain = Vec::new();
        let mut known: Vec<bool> = parents.iter().map(Option::is_none).collect();
        for node in 0..parents.len() {
            let mut next = node;
            while let Some(parent) = parents[next].filter(|_| !known[next]) {
                chain.push(next);
                next = parent;
            }
            while let Some(below) = chain.pop() {
                in_scene[below] |= in_scene[next];
                known[below] = true;
                next = below;
            }
        }
        Ok(in_scene)
    }

    /// Returns the nodes that skins use and that animations move.
    fn joints_and_targets(&self) -> Result<HashSet<usize>> {
        let mut nodes: HashSet<usize> = HashSet::new();
        let there = |node: Index<Node>, list, index, name| {
            let exists = self.root.nodes.get(node.value()).is_some();
            if exists {
                Ok(node.value())
            } else {
                Err(missing(field(list, Some(index), name), "node", node.value()))
            }
        };
        for (index, skin) in self.root.skins.iter().enumerate() {
            for joint in &skin.joints {
                nodes.insert(there(*joint, "skins", index, "joints")?);
            }
        }
        for (index, animation) in self.root.animations.iter().enumerate() {
            for channel in &animation.channels {
                let node = there(channel.target.node, "animations", index, "channels")?;
                match channel.target.path {
                    Valid(Property::MorphTargetWeights) => {}
                    Valid(_) => {
                        nodes.insert(node);
                    }
                    Checked::Invalid => {
                        let why = ErrorKind::Unknown("unknown path of a target".into());
                        return Err(Error::new(0, why).at(field("animations", Some(index), "channels")));
                    }
                }
            }
        }
        Ok(nodes)
    }
}

/// Returns whether the node is not a bone, but was added by the export.
fn is_helper(node: &Node) -> bool {
    extra(&node.extras, HELPER).is_some()
}

fn is_light(node: &Node) -> bool {
    node.extensions.as_ref().is_some_and(|own| own.khr_lights_punctual.is_some())
}

/// Returns whether the node only holds a mesh in the space of its parent, a camera or a light.
fn is_holder(node: &Node) -> bool {
    let is_leaf = node.children.as_ref().is_none_or(Vec::is_empty);
    let mesh = node.mesh.is_some() && (node.skin.is_some() || transform(node).0 == Transform::IDENTITY);
    let other = node.mesh.is_none() && (node.camera.is_some() || is_light(node));
    is_leaf && (mesh || other)
}

/// Returns the transform of a node, and whether it is exact.
fn transform(node: &Node) -> (Transform, bool) {
    if let Some(matrix) = node.matrix {
        return Transform::nearest(&Affine3A::from_mat4(Mat4::from_cols_array(&matrix)));
    }
    let rotation = node.rotation.map_or(Quat::IDENTITY, |rotation| Quat::from_array(rotation.0));
    let transform = Transform {
        translation: node.translation.unwrap_or_default().into(),
        rotation: unit(rotation),
        scale: node.scale.map_or(glam::Vec3::ONE, Into::into),
    };
    (transform, true)
}

/// Cuts each cycle at one link; returns their number.
fn cut_cycles(parents: &mut [Option<usize>]) -> usize {
    // The number of the walk that met the node; 0 for none.
    let mut met = vec![0; parents.len()];
    let mut cut = 0;
    for start in 0..parents.len() {
        let walk = start + 1;
        let mut node = start;
        while met[node] == 0 {
            met[node] = walk;
            let Some(parent) = parents[node] else { break };
            if met[parent] == walk {
                parents[node] = None;
                cut += 1;
                break;
            }
            node = parent;
        }
    }
    cut
}
