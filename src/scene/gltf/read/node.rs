//! Nodes, which become bones.

use std::collections::HashSet;

use glam::{Affine3A, Mat4, Quat};
use gltf_json::animation::Property;
use gltf_json::validation::Checked::{self, Valid};
use gltf_json::{Index, Node};

use super::super::{ATTACHMENT, HELPER};
use super::{Reader, extra, field, missing};
use crate::hierarchy::Hierarchy;
use crate::scene::{Attachment, Bone, Inexact, Lost, Transform, unit_or_nan};
use crate::{Error, ErrorKind, Result};

/// The nodes of a file and their bones.
pub(super) struct Nodes {
    /// The bone of each node; none for a node that is not a bone.
    bones: Vec<Option<usize>>,
    /// The bone of each node, or of the nearest node above it.
    nearest: Vec<Option<usize>>,
    /// Whether the node belongs to the scene that is read.
    in_scene: Vec<bool>,
}

impl Nodes {
    /// Returns the bone of a node, or of the nearest node above it.
    pub fn bone(&self, node: usize) -> Option<usize> {
        self.nearest[node]
    }

    /// Returns the bone of a node itself.
    pub fn own_bone(&self, node: usize) -> Option<usize> {
        self.bones.get(node).copied().flatten()
    }

    pub fn is_in_scene(&self, node: usize) -> bool {
        self.in_scene[node]
    }

    pub fn len(&self) -> usize {
        self.bones.len()
    }
}

impl Reader<'_, '_> {
    /// Adds the bones.
    pub fn nodes(&mut self) -> Result<Nodes> {
        let nodes = &self.root.nodes;
        let hierarchy = self.hierarchy()?;
        let in_scene = self.in_scene(&hierarchy)?;
        let held = self.joints_and_targets()?;
        let mut bones = vec![None; nodes.len()];
        let (mut list, mut places, mut inexact, mut outside) =
            (Vec::new(), Vec::new(), Inexact::default(), 0);
        for (index, node) in nodes.iter().enumerate() {
            outside += usize::from(!in_scene[index]);
            if !in_scene[index] || is_helper(node) || !held.contains(&index) && is_holder(node) {
                continue;
            }
            let bind = transform(node, &mut inexact);
            if !held.contains(&index) && is_attachment(node) {
                places.push((index, bind));
                continue;
            }
            bones[index] = Some(list.len());
            list.push((index, Bone { name: node.name.clone().unwrap_or_default(), parent: None, bind }));
        }
        let nearest = hierarchy.inherit(None, |node, above| bones[node].or(above.flatten()));
        let with_parent = |(index, bone): (usize, Bone)| {
            let parent = hierarchy.parents()[index].and_then(|parent| nearest[parent]);
            Bone { parent, ..bone }
        };
        self.builder.add_bones(list.into_iter().map(with_parent));
        for (index, place) in places {
            let name = nodes[index].name.clone().unwrap_or_default();
            self.builder.add_attachment(Attachment { name, bone: nearest[index], place });
        }
        self.builder.report_inexact(&inexact, Lost::ShearedBones, Lost::NonFiniteBones);
        self.builder.report_losses(outside, Lost::Nodes);
        let cameras = nodes.iter().filter(|node| node.camera.is_some()).count();
        self.builder.report_losses(cameras, Lost::Cameras);
        self.builder.report_losses(nodes.iter().filter(|node| is_light(node)).count(), Lost::Lights);
        Ok(Nodes { bones, nearest, in_scene })
    }

    /// Returns the parent of each node. A node with several keeps the first; cycles are cut.
    fn hierarchy(&mut self) -> Result<Hierarchy> {
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
        let hierarchy = Hierarchy::new(parents);
        refused += hierarchy.num_cut();
        self.builder.report_losses(refused, Lost::Parents);
        Ok(hierarchy)
    }

    /// Returns whether each node is in the default scene. Without scenes all are.
    fn in_scene(&self, hierarchy: &Hierarchy) -> Result<Vec<bool>> {
        let len = hierarchy.parents().len();
        let number = self.root.scene.map_or(0, |scene| scene.value());
        let Some(scene) = self.root.scenes.get(number) else {
            let is_missing = self.root.scene.is_some();
            let error = || missing(field("scene", None, ""), "scene", number);
            return if is_missing { Err(error()) } else { Ok(vec![true; len]) };
        };
        let mut in_scene = vec![false; len];
        for node in &scene.nodes {
            let member = in_scene.get_mut(node.value());
            *member.ok_or_else(|| missing(field("scenes", Some(number), "nodes"), "node", node.value()))? =
                true;
        }
        // Joints belong to the scene even if the file omits their root.
        let roots = hierarchy.inherit(0, |node, root| root.unwrap_or(node));
        for joint in self.root.skins.iter().flat_map(|skin| &skin.joints) {
            if let Some(root) = roots.get(joint.value()) {
                in_scene[*root] = true;
            }
        }
        Ok(hierarchy.inherit(false, |node, above| in_scene[node] || above == Some(true)))
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

/// Returns whether the node only marks a place.
fn is_attachment(node: &Node) -> bool {
    extra(&node.extras, ATTACHMENT).is_some()
        && node.mesh.is_none()
        && node.children.as_ref().is_none_or(Vec::is_empty)
}

fn is_light(node: &Node) -> bool {
    node.extensions.as_ref().is_some_and(|own| own.khr_lights_punctual.is_some())
}

/// Returns whether the node only holds a mesh in the space of its parent, a camera or a light.
fn is_holder(node: &Node) -> bool {
    let is_leaf = node.children.as_ref().is_none_or(Vec::is_empty);
    let mesh = node.mesh.is_some()
        && (node.skin.is_some() || transform(node, &mut Inexact::default()) == Transform::IDENTITY);
    let other = node.mesh.is_none() && (node.camera.is_some() || is_light(node));
    is_leaf && (mesh || other)
}

/// Returns the transform of a node.
fn transform(node: &Node, inexact: &mut Inexact) -> Transform {
    if let Some(matrix) = node.matrix {
        let matrix = Affine3A::from_mat4(Mat4::from_cols_array(&matrix));
        return inexact.nearest(&matrix).unwrap_or_default();
    }
    let rotation = node.rotation.map_or(Quat::IDENTITY, |rotation| Quat::from_array(rotation.0));
    Transform {
        translation: node.translation.unwrap_or_default().into(),
        rotation: unit_or_nan(rotation),
        scale: node.scale.map_or(glam::Vec3::ONE, Into::into),
    }
}
