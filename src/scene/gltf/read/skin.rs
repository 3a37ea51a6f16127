//! Skins.

use std::sync::Arc;

use glam::{Affine3A, Mat4};

use super::node::Nodes;
use super::{Reader, field, missing};
use crate::scene::Joint;
use crate::{Error, ErrorKind, Result};

/// The joints of a skin.
pub(super) struct Joints {
    pub joints: Arc<[Joint]>,
    /// The index in `joints` of each joint of the file; none if it does not move with a bone.
    pub indices: Vec<Option<usize>>,
}

impl Reader<'_, '_> {
    /// Reads all skins.
    pub fn skins(&mut self, nodes: &Nodes) -> Result<Vec<Joints>> {
        (0..self.root.skins.len()).map(|index| self.joints(index, nodes)).collect()
    }

    fn joints(&mut self, index: usize, nodes: &Nodes) -> Result<Joints> {
        let skin = &self.root.skins[index];
        let matrices = match skin.inverse_bind_matrices {
            Some(accessor) => self.data.floats::<16>(accessor)?,
            None => vec![Mat4::IDENTITY.to_cols_array(); skin.joints.len()],
        };
        if matrices.len() < skin.joints.len() {
            let why = format!("{} matrices for {} joints", matrices.len(), skin.joints.len());
            let at = field("skins", Some(index), "inverseBindMatrices");
            return Err(Error::new(0, ErrorKind::Count(why)).at(at));
        }
        let (mut joints, mut indices) = (Vec::new(), Vec::with_capacity(skin.joints.len()));
        for (node, matrix) in skin.joints.iter().zip(matrices) {
            let inverse_bind = Affine3A::from_mat4(Mat4::from_cols_array(&matrix));
            // The joint for vertices without influences has no bone.
            let bone = nodes.bone(node.value());
            indices.push(bone.map(|_| joints.len()));
            joints.extend(bone.map(|bone| Joint { bone, inverse_bind }));
        }
        Ok(Joints { joints: joints.into(), indices })
    }

    /// Returns the skin of a node.
    pub fn skin_of<'s>(&self, skins: &'s [Joints], node: usize) -> Result<Option<&'s Joints>> {
        let Some(skin) = self.root.nodes[node].skin else { return Ok(None) };
        let found = skins.get(skin.value());
        found.map(Some).ok_or_else(|| missing(field("nodes", Some(node), "skin"), "skin", skin.value()))
    }
}
