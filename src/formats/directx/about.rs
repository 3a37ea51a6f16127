//! What a `.x` file holds, at a glance.

use super::{AnimTicksPerSecond, AnimationKey, Mesh, Object, Objects, X};
use crate::codec::{About, Bounds, ClipInfo, SkeletonInfo};
use crate::wire::escape;

/// Ticks in a second where a file does not say: what Microsoft's own viewer used.
const TICKS: u32 = 4800;

pub(super) fn about(file: &X) -> About {
    let version = Some(format!("{} {}", file.version, file.encoding.to_string().trim_end()));
    let Ok(objects) = file.objects() else { return About { version, ..About::default() } };
    let meshes: Vec<Mesh> = objects.views().filter_map(Result::ok).collect();
    let counts = [
        ("meshes", meshes.len()),
        ("vertices", meshes.iter().map(|mesh| mesh.vertices.len()).sum()),
        ("faces", meshes.iter().map(|mesh| mesh.faces.len()).sum()),
        ("materials", objects.all().filter(|object| object.is("Material")).count()),
    ];
    About {
        version,
        counts: counts.map(|(name, count)| (name.to_owned(), count)).into(),
        skeleton: skeleton(&objects),
        clips: objects
            .all()
            .filter(|object| object.is("AnimationSet"))
            .map(|set| clip(&objects, set))
            .collect(),
        bounds: Bounds::around(meshes.iter().flat_map(|mesh| mesh.vertices.iter().copied())),
    }
}

fn skeleton(objects: &Objects<'_>) -> Option<SkeletonInfo> {
    let bones = objects.all().filter(|object| object.is("Frame")).count();
    let roots = objects.roots().filter(|object| object.is("Frame"));
    (bones > 0).then(|| SkeletonInfo { bones, roots: roots.map(|root| escape(root.name())).collect() })
}

fn clip(objects: &Objects<'_>, set: Object<'_>) -> ClipInfo {
    // Some files say it several times; the last one holds.
    let ticks = objects.views::<AnimTicksPerSecond>().filter_map(Result::ok).last();
    let ticks = ticks.map_or(TICKS, |view| view.ticks).max(1);
    let keys = set.children_of("Animation").flat_map(|animation| animation.children_of("AnimationKey"));
    let last = keys.filter_map(|key| key.view::<AnimationKey>()?.ok()?.keys.times.into_iter().max()).max();
    #[expect(clippy::cast_precision_loss, reason = "times are shown, not kept")]
    let seconds = last.map(|last| last as f32 / ticks as f32);
    ClipInfo { name: escape(set.name()), frames: None, rate: None, seconds }
}
