//! Makes the remaining content of a truncated file consistent.

use super::check::data_path;
use super::{Iqm, Sections, VertexData};
use crate::check::common::field_path;
use crate::rescue::Losses;
use crate::wire::{Bytes, Layout, Placed};

/// Parts of which some elements can be lost.
pub(super) const LISTS: [&str; 7] =
    ["meshes", "vertex_arrays", "triangles", "joints", "poses", "anims", "frames"];

/// Parts that are lost as a whole: their elements belong to those of other parts.
const DEPENDENT: [&str; 3] = ["adjacency", "bounds", "comment"];

/// Each extension leads to the next one.
const EXTENSIONS: [&str; 6] =
    ["extension_0", "extension_data_0", "extension_1", "extension_data_1", "extension_2", "extension_data_2"];

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

pub(super) fn reconcile(file: &mut Iqm, losses: &mut Losses) {
    let parts = &mut file.sections;
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
        file.keep_triangles(losses);
    }
    file.keep_arrays(losses);
    if file.columns().is_none() || ["frames", "joints", "poses"].iter().any(is_lost) {
        let why = "is removed: frames or bones are lost";
        remove(&mut file.sections, ["poses", "frames", "anims", "bounds"], why, losses);
        (file.num_frames, file.num_framechannels) = (0, 0);
    }
    file.keep_names(losses);
    file.num_extensions = u32::try_from(file.extensions().count()).unwrap_or(0);
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

    /// Removes vertex arrays without data, and influences of lost joints.
    fn keep_arrays(&mut self, losses: &mut Losses) {
        let joints = field_path!["sections", "joints"];
        let has_joints = !self.sections.joints.is_empty() && !losses.has_within(&joints);
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
        losses.add_count(field_path!["sections", "vertex_arrays"], removed, "removed: their data is lost");
        for (at, why) in lost {
            losses.add(data_path(at), why);
        }
        if removed > 0 {
            self.sections.set_arrays(kept);
        }
    }

    /// Removes names that are lost with a part of the text.
    fn keep_names(&mut self, losses: &mut Losses) {
        let end = self.end_of_names();
        let lost: Vec<_> =
            self.name_fields().into_iter().filter(|(_, name)| *name > 0 && *name as usize >= end).collect();
        losses.add_count(field_path!["sections", "text"], lost.len(), "lost as names");
        let parts = &mut *self.sections;
        let meshes = parts.meshes.iter_mut().flat_map(|own| [&mut own.name, &mut own.material]);
        let joints = parts.joints.iter_mut().map(|own| &mut own.name);
        let anims = parts.anims.iter_mut().map(|own| &mut own.name);
        meshes.chain(joints).chain(anims).filter(|name| **name as usize >= end).for_each(|name| *name = 0);
        if parts.text.0.iter().all(|byte| *byte != 0) {
            parts.text = Placed::absent();
        }
    }
}
