//! Makes the remaining content of a truncated file consistent.

use super::check::data_path;
use super::{Iqm, VertexData};
use crate::check::common::field_path;
use crate::rescue::Losses;
use crate::schema::{Node, Value};
use crate::wire::{Bytes, Placed};

/// Removes parts, and lists those that had content.
macro_rules! remove {
    ($parts:expr, $losses:expr, $why:literal: $($part:ident)*) => {$(
        let path = field_path!["sections", stringify!($part)];
        let is_broken = matches!($parts.$part.node(), Node::Broken(_));
        if (is_broken || $parts.$part.size() > 0) && !$losses.has_within(&path) {
            $losses.add(path, $why);
        }
        $parts.$part = Placed::absent();
    )*};
}

/// Removes the parts that could not be decoded, or of which elements are lost that other parts have too.
macro_rules! remove_lost {
    ($parts:expr, $losses:expr, $($part:ident)*) => {$(
        let is_lost = $losses.has_within(&field_path!["sections", stringify!($part)]);
        if is_lost || !$parts.$part.is_laid_out() {
            remove!($parts, $losses, "is lost": $part);
        }
    )*};
}

pub(super) fn reconcile(file: &mut Iqm, losses: &mut Losses) {
    let is_lost = |losses: &Losses, part: &'static str| losses.has_within(&field_path!["sections", part]);
    let parts = &mut *file.sections;
    macro_rules! remove_broken {
        ($($part:ident)*) => {
            $(if !parts.$part.is_laid_out() { remove!(parts, losses, "is lost": $part); })*
        };
    }
    // A part of the text has some of the names.
    if parts.text.is_laid_out() {
        parts.text = Bytes(std::mem::take(&mut parts.text.0)).into();
    }
    remove_broken!(text meshes vertex_arrays triangles joints poses anims frames);
    remove_lost!(parts, losses, adjacency bounds comment);
    let extensions = [
        "extension_0",
        "extension_data_0",
        "extension_1",
        "extension_data_1",
        "extension_2",
        "extension_data_2",
    ];
    let is_broken = |own: &dyn Value| matches!(own.node(), Node::Broken(_));
    if extensions.iter().any(|part| is_lost(losses, part))
        || [&parts.extension_0, &parts.extension_1, &parts.extension_2].into_iter().any(|own| is_broken(own))
        || [&parts.extension_data_0, &parts.extension_data_1, &parts.extension_data_2]
            .into_iter()
            .any(|own| is_broken(own))
    {
        remove!(parts, losses, "is lost": extension_0 extension_data_0 extension_1 extension_data_1 extension_2 extension_data_2);
    }
    if parts.extension_2.ofs_extensions != 0 {
        losses.add(
            field_path!["sections", "extension_2"],
            "is the last one now: those after it are not decoded",
        );
        parts.extension_2.ofs_extensions = 0;
    }
    if !parts.end.is_laid_out() {
        parts.end = Placed::default();
    }
    if is_lost(losses, "triangles") {
        remove!(parts, losses, "is removed: triangles are lost": adjacency);
        let len = parts.triangles.len();
        for (at, own) in parts.meshes.iter_mut().enumerate() {
            let kept = u32::try_from(own.triangles(len).len()).unwrap_or(0);
            if kept != own.num_triangles {
                losses.add(
                    field_path!["sections", "meshes", at],
                    format!("has {kept} of {} triangles", own.num_triangles),
                );
                (own.num_triangles, own.first_triangle) =
                    (kept, if kept == 0 { 0 } else { own.first_triangle });
            }
        }
    }
    file.keep_arrays(losses);
    if file.columns().is_none()
        || is_lost(losses, "frames")
        || is_lost(losses, "joints")
        || is_lost(losses, "poses")
    {
        let parts = &mut *file.sections;
        remove!(parts, losses, "is removed: frames or bones are lost": poses frames anims bounds);
        (file.num_frames, file.num_framechannels) = (0, 0);
    }
    file.keep_names(losses);
    file.num_extensions = u32::try_from(file.extensions().count()).unwrap_or(0);
}

impl Iqm {
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
