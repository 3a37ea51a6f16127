//! Summary of a UNIGINE file.

use super::types::version;
use super::{
    Bone, Geometry, Geometry15, GeometryView, Mesh15, PackedGeometry, UnigineAnim, UnigineMesh,
    UnigineSkeleton,
};
use crate::codec::{Bounds, ClipInfo, FileSummary, SkeletonInfo};
use crate::formats::Writer;
use crate::wire::escape;

/// Total numbers of base-shape vertices and triangles.
fn counts(surfaces: impl Iterator<Item = (usize, usize)>) -> Vec<(String, usize)> {
    let (vertices, triangles) = surfaces.fold((0, 0), |all, surface| (all.0 + surface.0, all.1 + surface.1));
    vec![("vertices".into(), vertices), ("triangles".into(), triangles)]
}

fn count(GeometryView { targets, coordinate_indices, .. }: GeometryView<'_>) -> (usize, usize) {
    (targets.first().map_or(0, |target| target.vertices.len()), coordinate_indices.len() / 3)
}

fn unpacked14(parts: &[PackedGeometry]) -> impl Iterator<Item = GeometryView<'_>> {
    parts.iter().filter_map(|part| part.data.content().ok()).map(Geometry::view)
}

fn unpacked15(mesh: &Mesh15) -> impl Iterator<Item = GeometryView<'_>> {
    mesh.geometry.iter().filter_map(|part| part.data.content().ok()).map(Geometry15::view)
}

pub(super) fn mesh(file: &UnigineMesh) -> FileSummary {
    let points = |geometry: GeometryView<'_>| {
        geometry.targets.first().map_or_else(Vec::new, |target| target.vertices.to_vec())
    };
    match file {
        UnigineMesh::Mesh(mesh) => {
            let names = mesh.animation_names.iter().flatten();
            FileSummary {
                version: Some(mesh.id.to_string()),
                counts: counts(mesh.geometry.iter().map(Geometry::view).map(count)),
                skeleton: skeleton(&mesh.bones),
                clips: names
                    .zip(&mesh.animations)
                    .map(|(name, body)| clip(name.name.to_string(), body.frames.len()))
                    .collect(),
                bounds: Bounds::around(mesh.geometry.iter().map(Geometry::view).flat_map(points)),
                ..FileSummary::default()
            }
        }
        UnigineMesh::Mesh14(mesh) => FileSummary {
            version: Some(mesh.id.to_string()),
            counts: counts(unpacked14(&mesh.geometry).map(count)),
            skeleton: skeleton(&mesh.bones),
            bounds: Bounds::around(unpacked14(&mesh.geometry).flat_map(points)),
            ..FileSummary::default()
        },
        UnigineMesh::SkinnedMesh(mesh) => FileSummary {
            version: Some(mesh.id.to_string()),
            counts: counts(unpacked14(&mesh.geometry).map(count)),
            skeleton: skeleton(&mesh.bones),
            bounds: Bounds::around(unpacked14(&mesh.geometry).flat_map(points)),
            ..FileSummary::default()
        },
        UnigineMesh::Mesh15(mesh) => FileSummary {
            version: Some(mesh.id.to_string()),
            counts: counts(unpacked15(mesh).map(count)),
            bounds: Bounds::around(unpacked15(mesh).flat_map(points)),
            ..FileSummary::default()
        },
        UnigineMesh::RawMesh(mesh) => FileSummary {
            version: Some(mesh.id.to_string()),
            counts: counts(
                { mesh.surfaces.iter() }.map(|surface| (surface.vertices.len(), surface.vertices.len() / 3)),
            ),
            bounds: Bounds::around(
                mesh.surfaces.iter().flat_map(|surface| &surface.vertices).map(|vertex| vertex.position),
            ),
            ..FileSummary::default()
        },
    }
}

pub(super) fn anim(file: &UnigineAnim) -> FileSummary {
    match file {
        UnigineAnim::Anim10(anim) => FileSummary {
            version: Some(anim.id.to_string()),
            skeleton: skeleton(&anim.bones),
            clips: { anim.names.iter().zip(&anim.animations) }
                .map(|(name, body)| clip(name.name.to_string(), body.frames.len()))
                .collect(),
            ..FileSummary::default()
        },
        UnigineAnim::Anim11(anim) => FileSummary {
            version: Some(anim.id.to_string()),
            skeleton: skeleton(&anim.bones),
            clips: vec![clip(String::new(), anim.frames.len())],
            ..FileSummary::default()
        },
        UnigineAnim::Anim12(anim) => {
            #[expect(clippy::cast_precision_loss, reason = "rates are small")]
            let rate = Some(anim.frame_rate as f32).filter(|rate| *rate > 0.0);
            FileSummary {
                version: Some(anim.id.to_string()),
                skeleton: skeleton(&anim.bones),
                clips: vec![ClipInfo { rate, ..clip(String::new(), anim.frames.len()) }],
                ..FileSummary::default()
            }
        }
    }
}

pub(super) fn unigine_skeleton(file: &UnigineSkeleton) -> FileSummary {
    FileSummary {
        version: Some(file.id.to_string()),
        skeleton: skeleton(&file.bones),
        ..FileSummary::default()
    }
}

macro_rules! writers {
    ($($id:ident = $name:literal, $magic:literal, $differs:expr, $source:expr;)+) => {
        $(const $id: &Writer = &Writer {
            name: $name,
            recognised_by: $magic,
            differs: $differs,
            source: $source,
        };)+

        /// The SDK versions that write the formats.
        pub(super) const WRITERS: &[&Writer] = &[$($id),+];
    };
}

const VERSION: &str = "the layout of the version";
const DESCRIBED: &str =
    "the layout of the vendor's description; no real file is known, so a sample is welcome";
const PROJECTS: &str = "the projects that real files belong to";

writers! {
    MESH_11 = "UNIGINE 2.7 to 2.12", "ms11", VERSION, PROJECTS;
    MESH_12 = "UNIGINE 2.15 to 2.18", "ms12", VERSION, PROJECTS;
    MESH_13 = "UNIGINE 2.19", "ms13, an11", VERSION, PROJECTS;
    MESH_14 = "UNIGINE 2.20", "ms14", VERSION, PROJECTS;
    MESH_15 = "UNIGINE 2.21", "ms15", VERSION, PROJECTS;
    CHARACTER = "UNIGINE 2.21, characters", "sk10, sn10, an12", DESCRIBED, "the vendor's description";
    ANIM_10 = "UNIGINE 2.7 to 2.17", "an10", VERSION, PROJECTS;
}

/// The SDK that writes skeletons.
pub(super) const SKELETON_WRITER: &str = CHARACTER.name;

/// Returns the SDK versions that write this magic.
pub(super) fn mesh_writer(file: &UnigineMesh) -> Option<&'static str> {
    let writer = match file {
        UnigineMesh::Mesh(mesh) => match version(u32::from_le_bytes(mesh.id.0)) {
            11 => MESH_11,
            12 => MESH_12,
            13 => MESH_13,
            _ => return None,
        },
        UnigineMesh::Mesh14(_) => MESH_14,
        UnigineMesh::Mesh15(_) => MESH_15,
        UnigineMesh::SkinnedMesh(_) => CHARACTER,
        UnigineMesh::RawMesh(_) => return None,
    };
    Some(writer.name)
}

/// As [`mesh_writer`].
pub(super) fn anim_writer(file: &UnigineAnim) -> &'static str {
    match file {
        UnigineAnim::Anim10(_) => ANIM_10.name,
        UnigineAnim::Anim11(_) => MESH_13.name,
        UnigineAnim::Anim12(_) => CHARACTER.name,
    }
}

fn skeleton(bones: &[Bone]) -> Option<SkeletonInfo> {
    let roots = bones.iter().filter(|bone| bone.parent < 0).map(|bone| escape(bone.name.text())).collect();
    (!bones.is_empty()).then_some(SkeletonInfo { bones: bones.len(), roots })
}

fn clip(name: String, frames: usize) -> ClipInfo {
    ClipInfo { name, frames: i64::try_from(frames).ok(), ..ClipInfo::default() }
}
