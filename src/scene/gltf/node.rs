//! Bones as nodes, and skins over them.

use std::collections::HashSet;
use std::sync::Arc;

use glam::{Affine3A, Mat4, Quat, Vec3};
use gltf_json::scene::UnitQuaternion;
use gltf_json::{Index, Node, Skin};

use super::{Draft, named};
use crate::scene::{self, Joint, Skeleton, Transform};

/// So many bones hang one on another at most: readers call themselves for each.
const DEEPEST: usize = 512;

/// A skin that several meshes share.
pub(super) struct KnownSkin {
    joints: Arc<[Joint]>,
    still: bool,
    index: Index<Skin>,
}

impl Draft {
    /// A node for each bone, in their order; one above them where there are several roots.
    pub fn bones(&mut self, skeleton: &Skeleton) {
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
        self.lose_some(cut, "links to parents", "readers of glTF do not go as deep; these bones are roots");
        if self.tops.len() > 1 {
            self.node_above();
        }
    }

    /// A node in this place.
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

    /// Hangs a node on another.
    pub fn adopt(&mut self, parent: Index<Node>, child: Index<Node>) {
        self.root.nodes[parent.value()].children.get_or_insert_default().push(child);
    }

    /// The node above all bones.
    fn node_above(&mut self) -> Index<Node> {
        if let Some(above) = self.above {
            return above;
        }
        // Not the meshes: where they have skins nothing above them counts.
        let num_bones = self.num_bones;
        let (roots, others) = self.tops.iter().partition(|node| node.value() < num_bones);
        self.tops = others;
        let children = Some::<Vec<_>>(roots).filter(|roots| !roots.is_empty());
        let above = self.root.push(Node { name: Some("skeleton".into()), children, ..Node::default() });
        self.tops.push(above);
        self.above = Some(above);
        above
    }

    /// A skin with these joints; with one more, the last, that keeps `still` what no bone moves.
    pub fn skin(&mut self, joints: &Arc<[Joint]>, still: bool) -> Index<Skin> {
        // Shared joints are the same even where a matrix is not finite, and so equals nothing.
        let same = |skin: &&KnownSkin| {
            skin.still == still && (Arc::ptr_eq(&skin.joints, joints) || skin.joints == *joints)
        };
        // Not all of them, should there be thousands.
        if let Some(known) = self.skins.iter().rev().take(64).find(same) {
            return known.index;
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
        self.lose_some(
            broken,
            "inverse bind matrices",
            "they are not finite; nothing is transformed instead",
        );
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

    /// The node of a bone; a skin names no node twice, so that a second joint gets a node of its own in the same place.
    fn joint(&mut self, bone: usize, taken: &mut HashSet<usize>) -> Index<Node> {
        let there = bone < self.num_bones;
        if there && taken.insert(bone) {
            return node_index(bone);
        }
        let above = if there { node_index(bone) } else { self.node_above() };
        let extra = self.root.push(Node::default());
        self.adopt(above, extra);
        extra
    }
}

/// Which bones cannot hang on their parents.
fn cuts(skeleton: &Skeleton) -> Vec<bool> {
    let mut depths = vec![0; skeleton.bones().len()];
    for &index in skeleton.order() {
        let above = skeleton.bones()[index].parent;
        depths[index] = above.map_or(0, |parent| (depths[parent] + 1) % DEEPEST);
    }
    let parents = skeleton.bones().iter().map(|bone| bone.parent);
    depths.iter().zip(parents).map(|(depth, parent)| *depth == 0 && parent.is_some()).collect()
}

/// A matrix that glTF allows: finite, and in the last row exactly 0, 0, 0, 1.
fn matrix(matrix: &Affine3A) -> [f32; 16] {
    let matrix = if matrix.is_finite() { Mat4::from(*matrix) } else { Mat4::IDENTITY };
    matrix.to_cols_array()
}

/// The node of a bone: they come first.
pub(super) fn node_index(bone: usize) -> Index<Node> {
    Index::new(u32::try_from(bone).unwrap_or(u32::MAX))
}
