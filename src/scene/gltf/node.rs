//! Converts bones to nodes, and adds skins.

use std::collections::HashSet;
use std::sync::Arc;

use glam::{Affine3A, Mat4, Quat, Vec3};
use gltf_json::scene::UnitQuaternion;
use gltf_json::{Index, Node, Skin};

use super::{ATTACHMENT, Draft, HELPER, extra, named};
use crate::scene::{self, Attachment, Joint, Lost, Skeleton, Transform};

/// The maximum depth of the hierarchy, because many readers are recursive.
const DEEPEST: usize = 512;

/// A skin that several meshes share.
pub(super) struct KnownSkin {
    joints: Arc<[Joint]>,
    still: bool,
    index: Index<Skin>,
}

impl Draft {
    /// Adds a node for each bone, in the same order, and a parent for several roots.
    pub fn bones(&mut self, skeleton: &Skeleton) {
        let names: usize = skeleton.bones().iter().map(|bone| bone.name.len()).sum();
        let first = skeleton.bones().first().map_or("", |bone| &bone.name);
        if !self.admit(skeleton.bones().len(), 2 * names, "nodes", first) {
            return;
        }
        self.num_bones = skeleton.bones().len();
        let placed = skeleton.model_space(&skeleton.bind_pose());
        let is_cut = cuts(skeleton);
        for ((bone, placed), is_cut) in skeleton.bones().iter().zip(&placed).zip(&is_cut) {
            let place = if *is_cut { Transform::nearest(placed).0 } else { bone.bind };
            let node = self.node(&bone.name, &place);
            self.root.nodes.push(node);
        }
        for (index, bone) in skeleton.bones().iter().enumerate() {
            let node = node_index(index);
            match bone.parent.filter(|_| !is_cut[index]) {
                Some(parent) => self.adopt(node_index(parent), node),
                None => self.tops.push(node),
            }
        }
        let cut = is_cut.into_iter().filter(|is_cut| *is_cut).count();
        self.report_losses(cut, Lost::DeepParents);
        for (lost, count) in skeleton.playback().losses() {
            self.report_losses(count, lost);
        }
        if self.tops.len() > 1 {
            self.node_above();
        }
    }

    /// Adds a node for each attachment.
    pub fn attachments(&mut self, attachments: &[Attachment]) {
        for own in attachments {
            if !self.admit(1, 2 * own.name.len(), "nodes", &own.name) {
                return;
            }
            let node = Node { extras: extra(ATTACHMENT, true), ..self.node(&own.name, &own.place) };
            let node = self.root.push(node);
            match own.bone.filter(|bone| *bone < self.num_bones) {
                Some(bone) => self.adopt(node_index(bone), node),
                None => self.tops.push(node),
            }
        }
    }

    /// Adds a node with a transform.
    pub fn node(&mut self, name: &str, place: &Transform) -> Node {
        let Transform { translation, rotation, scale } = *place;
        let rotation = scene::unit(rotation);
        Node {
            name: named(name),
            translation: (translation != Vec3::ZERO).then(|| self.buffer.mend(translation.into())),
            rotation: (rotation != Quat::IDENTITY).then(|| UnitQuaternion(rotation.to_array())),
            scale: (scale != Vec3::ONE).then(|| self.buffer.mend(scale.into())),
            ..Node::default()
        }
    }

    /// Attaches a node to another.
    pub fn adopt(&mut self, parent: Index<Node>, child: Index<Node>) {
        self.root.nodes[parent.value()].children.get_or_insert_default().push(child);
    }

    /// Returns the parent node of all bones.
    fn node_above(&mut self) -> Index<Node> {
        if let Some(above) = self.above {
            return above;
        }
        // Without the meshes: the parents of a skinned mesh have no effect.
        let num_bones = self.num_bones;
        let (roots, others) = self.tops.iter().partition(|node| node.value() < num_bones);
        self.tops = others;
        let children = Some::<Vec<_>>(roots).filter(|roots| !roots.is_empty());
        let above = self.root.push(Node { name: Some("skeleton".into()), children, ..helper() });
        self.tops.push(above);
        self.above = Some(above);
        above
    }

    /// Returns a skin with these joints, and with an extra last joint for vertices without influences if `still`.
    pub fn skin(&mut self, joints: &Arc<[Joint]>, still: bool) -> Index<Skin> {
        // Compares pointers first, because a matrix with NaN does not equal itself.
        let same = |skin: &&KnownSkin| {
            skin.still == still && (Arc::ptr_eq(&skin.joints, joints) || skin.joints == *joints)
        };
        // Compares only the last few of thousands of skins.
        if let Some(known) = self.skins.iter().rev().take(64).find(same) {
            return known.index;
        }
        // A joint that is used again gets a node.
        if !self.admit(joints.len(), 128 * joints.len(), "skins", "") {
            return Index::new(0);
        }
        let mut matrices: Vec<[f32; 16]> = Vec::with_capacity(joints.len() + 1);
        let mut nodes = Vec::with_capacity(joints.len() + 1);
        let mut taken = HashSet::new();
        let mut broken = 0;
        for joint in &**joints {
            nodes.push(self.joint(joint.bone, &mut taken));
            broken += usize::from(!joint.inverse_bind.is_finite());
            matrices.push(matrix(&joint.inverse_bind));
        }
        self.report_losses(broken, Lost::InverseBinds);
        if still {
            nodes.push(self.node_above());
            matrices.push(Mat4::IDENTITY.to_cols_array());
        }
        let matrices = self.buffer.floats(matrices, None, false);
        let index = self.root.push(Skin {
            extensions: None,
            extras: None,
            inverse_bind_matrices: Some(matrices),
            joints: nodes,
            name: None,
            skeleton: None,
        });
        self.skins.push(KnownSkin { joints: Arc::clone(joints), still, index });
        index
    }

    /// Returns the node of a joint. A skin cannot use a node twice, so a second joint of a bone gets its own node at
    /// the same place.
    fn joint(&mut self, bone: usize, taken: &mut HashSet<usize>) -> Index<Node> {
        let there = bone < self.num_bones;
        if there && taken.insert(bone) {
            return node_index(bone);
        }
        let above = if there { node_index(bone) } else { self.node_above() };
        let extra = self.root.push(helper());
        self.adopt(above, extra);
        extra
    }
}

/// Returns a node that is not a bone.
fn helper() -> Node {
    Node { extras: extra(HELPER, true), ..Node::default() }
}

/// Returns the bones that exceed the maximum depth.
fn cuts(skeleton: &Skeleton) -> Vec<bool> {
    let mut depths = vec![0; skeleton.bones().len()];
    for &index in skeleton.order() {
        let above = skeleton.bones()[index].parent;
        depths[index] = above.map_or(0, |parent| (depths[parent] + 1) % DEEPEST);
    }
    let parents = skeleton.bones().iter().map(|bone| bone.parent);
    depths.iter().zip(parents).map(|(depth, parent)| *depth == 0 && parent.is_some()).collect()
}

/// Returns a matrix that glTF allows: finite, with the last row exactly 0, 0, 0, 1.
fn matrix(matrix: &Affine3A) -> [f32; 16] {
    let matrix = if matrix.is_finite() { Mat4::from(*matrix) } else { Mat4::IDENTITY };
    matrix.to_cols_array()
}

/// Returns the node of a bone; bones are the first nodes.
pub(super) fn node_index(bone: usize) -> Index<Node> {
    Index::new(u32::try_from(bone).unwrap_or(u32::MAX))
}
