//! Makes the remaining content of a truncated file consistent.

use super::types::EXTENSIONS;
use super::values::data_path;
use super::{CUSTOM, Iqm, Pose, Sections, VertexData};
use crate::check::common::{counted, field_path};
use crate::rescue::{Losses, Rescue};
use crate::scene::Influence;
use crate::scene::author::shares;
use crate::schema::{Step, set_each};
use crate::wire::{Bytes, FixedLenList, Layout, Placed};
use crate::{FieldPath, Result};

impl Rescue for Iqm {
    fn reconcile(&mut self, losses: &mut Losses) -> Result<()> {
        let parts = &mut self.sections;
        // A part of the text has some of the names.
        if parts.text.is_laid_out() {
            parts.text = Bytes(std::mem::take(&mut parts.text.0)).into();
        }
        let (read, broken) = (parts.order(), parts.broken());
        let lost: Vec<_> = DEPENDENT
            .into_iter()
            .chain(EXTENSIONS)
            .chain(["triangles", "joints", "poses", "frames"])
            .filter(|part| losses.has_within(&field_path!["sections", *part]))
            .collect();
        let is_lost = |part: &&'static str| lost.contains(part) || broken.contains(part);
        let unread = ["text"].into_iter().chain(LISTS).filter(|part| !read.contains(part));
        remove(parts, unread, "is lost", losses);
        remove(parts, DEPENDENT.into_iter().filter(is_lost), "is lost", losses);
        if EXTENSIONS.iter().any(is_lost) {
            remove(parts, EXTENSIONS, "is lost", losses);
        }
        if parts.extension_2.ofs_extensions != 0 {
            let why = "is the last one now: those after it are not decoded";
            losses.add(field_path!["sections", "extension_2"], why);
            parts.extension_2.ofs_extensions = 0;
        }
        if !parts.end.is_laid_out() {
            parts.end = Placed::default();
        }
        if is_lost(&"triangles") {
            remove(parts, ["adjacency"], "is removed: triangles are lost", losses);
            self.keep_triangles(losses);
        }
        self.keep_arrays(losses);
        let has_bones = !["joints", "poses"].iter().any(is_lost);
        let has_frames = !is_lost(&"frames") || has_bones && self.keep_frames(losses);
        if self.columns().is_none() || !has_bones || !has_frames {
            let why = "is removed: frames or bones are lost";
            remove(&mut self.sections, ["poses", "frames", "anims", "bounds"], why, losses);
            (self.num_frames, self.num_framechannels) = (0, 0);
        }
        let parts = &mut *self.sections;
        keep_parents("joints", parts.joints.iter_mut().map(|own| &mut own.parent), losses);
        keep_parents("poses", parts.poses.iter_mut().map(|own| &mut own.parent), losses);
        self.num_extensions = u32::try_from(self.extensions().count()).unwrap_or(0);
        self.keep_names(losses)
    }
}

/// Parts of which some elements can be lost.
pub(super) const LISTS: [&str; 7] =
    ["meshes", "vertex_arrays", "triangles", "joints", "poses", "anims", "frames"];

/// Parts that are lost as a whole: their elements belong to those of other parts.
const DEPENDENT: [&str; 3] = ["adjacency", "bounds", "comment"];

/// Removes the influences of joints that are lost from a vertex. The others get their weights, in the ratio of their own; the first
/// joint, if there are no others. Returns the number of removed influences, and of vertices that follow the first joint instead.
fn detach(joints: &mut [u8; 4], weights: &mut [u8; 4], num_joints: usize) -> [u64; 2] {
    let full = weights.iter().map(|own| u32::from(*own)).sum();
    let mut removed = 0;
    for (joint, weight) in joints.iter_mut().zip(weights.iter_mut()) {
        if usize::from(*joint) >= num_joints {
            removed += u64::from(*weight > 0);
            (*joint, *weight) = (0, 0);
        }
    }
    if removed == 0 {
        return [0, 0];
    }
    let is_loose = *weights == [0; 4];
    weights[0] += u8::from(is_loose);
    let sum = weights.iter().map(|own| f32::from(*own)).sum::<f32>();
    let influences = weights.map(|own| Influence { joint: 0, weight: f32::from(own) / sum });
    for (weight, share) in weights.iter_mut().zip(shares(&influences, full)) {
        *weight = u8::try_from(share).unwrap_or(u8::MAX);
    }
    [removed, is_loose.into()]
}

/// Makes bones roots whose parents do not exist.
fn keep_parents<'a>(
    list: &'static str,
    parents: impl ExactSizeIterator<Item = &'a mut i32>,
    losses: &mut Losses,
) {
    let len = parents.len();
    for (at, parent) in parents.enumerate() {
        if usize::try_from(*parent).is_ok_and(|parent| parent >= len) {
            let message = format!("is {parent}, which is lost; now -1");
            losses.add(field_path!["sections", list, at, "parent"], message);
            *parent = -1;
        }
    }
}

/// Removes parts, and lists those that had content.
fn remove(
    parts: &mut Layout<Sections>,
    names: impl IntoIterator<Item = &'static str>,
    why: &str,
    losses: &mut Losses,
) {
    for name in names {
        let path = field_path!["sections", name];
        if parts.remove(name) && !losses.has_within(&path) {
            losses.add(path, why);
        }
    }
}

impl Sections {
    /// Cuts the animations to the frames that are kept, and removes those that lose all of their frames.
    fn keep_anims(&mut self, announced: u32, kept: usize, losses: &mut Losses) {
        let path = field_path!["sections", "anims"];
        let (mut at, mut removed) = (0.., 0);
        self.anims.retain_mut(|own| {
            let (at, frames) = (at.next().unwrap_or(0), own.frames(announced));
            let left = frames.end.min(kept).saturating_sub(frames.start);
            if left == frames.len() {
                return true;
            }
            own.num_frames = u32::try_from(left).unwrap_or(u32::MAX);
            removed += usize::from(left == 0);
            if left > 0 {
                let message = format!("{left} of {} frames kept", frames.len());
                losses.add(path.join(&field_path![at]), message);
            }
            left > 0
        });
        losses.add_count(path, removed, "removed: all frames are lost");
    }
}

impl Iqm {
    /// Removes lost triangles from the meshes.
    fn keep_triangles(&mut self, losses: &mut Losses) {
        let parts = &mut *self.sections;
        let len = parts.triangles.len();
        for (at, own) in parts.meshes.iter_mut().enumerate() {
            let kept = u32::try_from(own.triangles(len).len()).unwrap_or(0);
            if kept != own.num_triangles {
                let message = format!("has {kept} of {} triangles", own.num_triangles);
                losses.add(field_path!["sections", "meshes", at], message);
                own.num_triangles = kept;
                own.first_triangle = if kept == 0 { 0 } else { own.first_triangle };
            }
        }
    }

    /// Cuts the frames to complete ones, and the animations to these. Returns whether there is one.
    fn keep_frames(&mut self, losses: &mut Losses) -> bool {
        let parts = &mut *self.sections;
        let width: usize = parts.poses.iter().map(Pose::width).sum();
        let kept = parts.frames.len().checked_div(width).unwrap_or(0);
        let Some(num_frames) = u32::try_from(kept).ok().filter(|kept| *kept > 0) else { return false };
        if width != self.num_framechannels as usize {
            return false;
        }
        let announced = std::mem::replace(&mut self.num_frames, num_frames);
        losses.replace(field_path!["sections", "frames"], format!("{kept} of {announced} frames kept"));
        parts.frames = FixedLenList::from(parts.frames[..kept * width].to_vec()).into();
        if parts.bounds.len() > kept {
            let removed = parts.bounds.len() - kept;
            losses.add_count(field_path!["sections", "bounds"], removed, "removed: the frame is lost");
            parts.bounds = FixedLenList::from(parts.bounds[..kept].to_vec()).into();
        }
        parts.keep_anims(announced, kept, losses);
        true
    }

    /// Removes the influences of lost joints, whose weights go to the other joints of the vertex. Returns whether the others can
    /// stay.
    fn keep_influences(&mut self, losses: &mut Losses) -> bool {
        let joints = self.sections.joints.len();
        if joints == 0 || !losses.has_within(&field_path!["sections", "joints"]) {
            return joints > 0;
        }
        let (mut indexes, mut weights, mut others) = (None, None, 0);
        for (array, data) in self.sections.arrays_mut() {
            match data {
                VertexData::BlendIndexes(own) => indexes = Some(own),
                VertexData::BlendWeights(own) => weights = Some(own),
                _ => others += usize::from(matches!(array.kind, 4 | 5)),
            }
        }
        let (Some(indexes), Some(weights), 0) = (indexes, weights, others) else { return false };
        let (mut removed, mut loose) = (0, 0);
        for (own, weights) in indexes.iter_mut().zip(weights.iter_mut()) {
            let [influences, vertices] = detach(&mut own.joints, weights, joints);
            (removed, loose) = (removed + influences, loose + vertices);
        }
        for (count, what, change) in [
            (removed, "influence", "of lost ones removed"),
            (loose, "vertex", "attached to joint 0: all of their joints are lost"),
        ] {
            if count > 0 {
                losses.add(field_path!["sections", "joints"], format!("{} {change}", counted(count, what)));
            }
        }
        true
    }

    /// Removes vertex arrays without data, and influences if no joint is left.
    fn keep_arrays(&mut self, losses: &mut Losses) {
        let has_joints = self.keep_influences(losses);
        let mut kept = Vec::new();
        let mut lost = Vec::new();
        for (at, (own, data)) in self.sections.arrays().enumerate() {
            let has_data = self.num_vertexes == 0 || data.component(0).is_some();
            let is_whole = has_data && !losses.has_within(&data_path(at));
            if is_whole && (has_joints || !matches!(own.kind, 4 | 5)) {
                if at != kept.len() {
                    lost.push((at, format!("is now vertex_data_{}", kept.len())));
                }
                kept.push((own.clone(), data.clone()));
            } else if !matches!(data, VertexData::Other) || !is_whole {
                lost.push((at, "is removed with its array".to_owned()));
            }
        }
        let removed = self.sections.vertex_arrays.len() - kept.len();
        let why = "removed: the data or the joints are lost";
        losses.add_count(field_path!["sections", "vertex_arrays"], removed, why);
        for (at, why) in lost {
            losses.add(data_path(at), why);
        }
        if removed > 0 {
            self.sections.set_arrays(kept);
        }
    }

    /// Removes names that are lost with a part of the text.
    fn keep_names(&mut self, losses: &mut Losses) -> Result<()> {
        let end = self.end_of_names();
        let mut lost = self.name_fields();
        lost.retain(|(_, name)| *name > 0 && *name as usize >= end);
        losses.add_count(field_path!["sections", "text"], lost.len(), "lost as a name");
        let edit = |(path, _): (FieldPath, u32)| {
            let none = if path.steps().ends_with(&[Step::from("kind")]) { CUSTOM } else { 0 };
            (path, none.to_string())
        };
        set_each(self, &lost.into_iter().map(edit).collect::<Vec<_>>(), true)?;
        if self.sections.text.0.iter().all(|byte| *byte != 0) {
            self.sections.text = Placed::absent();
        }
        Ok(())
    }
}
