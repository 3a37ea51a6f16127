//! Makes the remaining content of a truncated file consistent.

use std::collections::HashSet;

use super::{Animation, Bone, Bones, Mesh, Skeleton};
use crate::Result;
use crate::check::common::field_path;
use crate::rescue::{Losses, Rescue};
use crate::wire::{FixedStr, Wire};

impl Rescue for Skeleton {
    fn reconcile(&mut self, losses: &mut Losses) -> Result<()> {
        match &mut self.bones {
            Bones::M52(bones) => unlink(bones, losses),
            Bones::M48(bones) => unlink(bones, losses),
            Bones::M64(bones) => unlink(bones, losses),
        }
        Ok(())
    }
}

impl Rescue for Animation {
    fn is_incomplete(&self) -> bool {
        self.num_frames > 0 && self.num_bones().is_none()
    }

    /// The number of bones, and thus where a frame ends, follows only from a complete file. In a truncated one, it exceeds the
    /// number of matrices for each frame, so that many are certain to belong to the first frame.
    fn reconcile(&mut self, losses: &mut Losses) -> Result<()> {
        let frames = usize::try_from(self.num_frames).unwrap_or(0);
        let len = self.matrices.len();
        let kept = len.checked_div(frames).map_or(0, |certain| len.min(certain + 1));
        if kept < len {
            let message =
                format!("{kept} of {len} elements kept: which frames the others belong to is unknown");
            losses.add(field_path!["matrices"], message);
            self.matrices.keep(kept);
        }
        let left = i32::from(kept > 0);
        if self.num_frames != left {
            losses.add(field_path!["num_frames"], format!("is {}; now {left}", self.num_frames));
            self.num_frames = left;
        }
        Ok(())
    }
}

impl Rescue for Mesh {}

/// Removes the parents that are lost.
fn unlink<M: Wire>(bones: &mut [Bone<M>], losses: &mut Losses) {
    let names: HashSet<_> = bones.iter().map(|bone| bone.name.text().to_vec()).collect();
    for (at, bone) in bones.iter_mut().enumerate() {
        if !bone.parent_name.is_empty() && !names.contains(bone.parent_name.text()) {
            losses.add(field_path!["bones", at, "parent_name"], "is removed: the parent is lost");
            bone.parent_name = FixedStr::default();
        }
    }
}
