//! Scenes of meshes.

use std::sync::Arc;

use glam::{Affine3A, Quat, Vec2, Vec3, Vec4};

use super::super::conventions::SPACE;
use super::super::{
    Geometry, Geometry15, GeometryView, Lightmap, Name, PackedGeometry, RawMesh, SkinnedMesh, Tangents,
    Target as Shape, Target14, UnigineMesh,
};
use super::{anim, bones};
use crate::FieldPath;
use crate::check::common::field_path;
use crate::scene::{
    self, Attribute, Builder, Delta, ImportedBones, Joint, LoadPhase, Lost, Mesh, Morph, Primitive, Skeleton,
    Skin, Space, Target, ToScene, Weld,
};
use crate::schema::Step;
use crate::wire::{Content, Packed};

/// Maximum number of morph targets of a small surface.
const MAX_MORPHS: usize = 64;

impl ToScene for UnigineMesh {
    fn phase(&self) -> LoadPhase {
        LoadPhase::Mesh
    }

    fn add_to(&self, scene: &mut Builder<'_>) {
        let space = scene.space(SPACE);
        match self {
            Self::Mesh(mesh) => {
                let Some(added) = scene.add_bones(bones(&mesh.bones, &mesh.transforms, space)) else {
                    return;
                };
                report_empty(mesh.surfaces.len(), mesh.geometry.len(), scene);
                report_lightmaps(mesh.surfaces.iter().filter_map(|own| own.lightmap), scene);
                for (index, (surface, geometry)) in mesh.surfaces.iter().zip(&mesh.geometry).enumerate() {
                    let targets = surface.targets.iter().map(|own| own.name.text()).collect();
                    let (name, path) = (surface.name.text(), field_path!["geometry", index]);
                    let surface = Surface { name, path, targets, geometry: geometry.view() };
                    add_surface(&surface, &added, space, scene);
                }
                let titles = mesh.animation_names.iter().flat_map(|names| names.iter());
                let named = titles.map(|own| own.name.text()).zip(&mesh.animations);
                anim::in_mesh(named, &mesh.transforms, &added.bones, scene);
            }
            Self::Mesh14(mesh) => {
                let Some(added) = scene.add_bones(bones(&mesh.bones, &mesh.transforms, space)) else {
                    return;
                };
                report_empty(mesh.surfaces.len(), mesh.geometry.len(), scene);
                report_lightmaps(mesh.surfaces.iter().map(|own| own.lightmap), scene);
                let surfaces = mesh.surfaces.iter().map(|own| (&own.name, &own.targets[..]));
                add_packed(surfaces.zip(&mesh.geometry), &added, space, scene);
            }
            Self::SkinnedMesh(mesh) => {
                let Some(added) = joints(mesh, space, scene) else { return };
                report_empty(mesh.surfaces.len(), mesh.geometry.len(), scene);
                let surfaces = mesh.surfaces.iter().map(|own| (&own.name, &own.targets[..]));
                add_packed(surfaces.zip(&mesh.geometry), &added, space, scene);
            }
            Self::Mesh15(mesh) => {
                report_empty(mesh.surfaces.len(), mesh.geometry.len(), scene);
                report_lightmaps(mesh.surfaces.iter().map(|own| own.lightmap), scene);
                for (index, (surface, part)) in mesh.surfaces.iter().zip(&mesh.geometry).enumerate() {
                    let Some(geometry) = unpacked(&part.data, scene).map(Geometry15::view) else { continue };
                    let (name, path) = (surface.name.text(), packed_geometry(index));
                    let surface = Surface { name, path, targets: vec![b""], geometry };
                    add_surface(&surface, &ImportedBones::default(), space, scene);
                }
            }
            Self::RawMesh(mesh) => raw(mesh, space, scene),
        }
    }
}

/// Adds the joints in their rest pose, unless the scene has them in that of another mesh. Surfaces are bound in the bind pose.
fn joints(mesh: &SkinnedMesh, space: Space, scene: &mut Builder<'_>) -> Option<ImportedBones> {
    let mut added = scene.add_bones(bones(&mesh.bones, &mesh.rests, space))?;
    let (bound, _) = Skeleton::new(bones(&mesh.bones, &mesh.binds, space).collect());
    let placed = bound.model_space(&bound.bind_pose());
    let joint = |(bone, placed): (&usize, &Affine3A)| Joint { bone: *bone, inverse_bind: placed.inverse() };
    added.joints = added.bones.iter().zip(&placed).map(joint).collect();
    Some(added)
}

/// Adds surfaces of the versions that pack weights and morph targets, each with its name and targets.
fn add_packed<'a>(
    surfaces: impl Iterator<Item = ((&'a Name, &'a [Target14]), &'a PackedGeometry)>,
    added: &ImportedBones,
    space: Space,
    scene: &mut Builder<'_>,
) {
    for (index, ((name, targets), part)) in surfaces.enumerate() {
        let Some(geometry) = unpacked(&part.data, scene).map(Geometry::view) else { continue };
        let targets = targets.iter().map(|own| own.name.text()).collect();
        let surface = Surface { name: name.text(), path: packed_geometry(index), targets, geometry };
        add_surface(&surface, added, space, scene);
    }
}

/// Returns the path of the geometry of a packed surface.
fn packed_geometry(surface: usize) -> FieldPath {
    field_path!["geometry", surface, "data", Step::Inside]
}

/// Returns the content of a packed section, or records a loss.
fn unpacked<'a, T: Content>(part: &'a Packed<T>, scene: &mut Builder<'_>) -> Option<&'a T> {
    let content = part.content().ok();
    scene.report_losses(usize::from(content.is_none()), Lost::Surfaces);
    content
}

/// A damaged file can announce more surfaces than it has.
fn report_empty(surfaces: usize, geometry: usize, scene: &mut Builder<'_>) {
    scene.report_losses(surfaces.saturating_sub(geometry), Lost::Surfaces);
}

fn report_lightmaps(lightmaps: impl Iterator<Item = Lightmap>, scene: &mut Builder<'_>) {
    let set = lightmaps.filter(|own| *own != Lightmap::default()).count();
    scene.report_losses(set, Lost::Lightmaps);
}

struct Surface<'a> {
    name: &'a [u8],
    /// The path of the geometry.
    path: FieldPath,
    /// Names of the targets, that of the base shape first.
    targets: Vec<&'a [u8]>,
    geometry: GeometryView<'a>,
}

/// A corner has a coordinate index, for position and weights, and a tangent index, for everything else.
type Corner = (u32, u32);

fn add_surface(surface: &Surface<'_>, added: &ImportedBones, space: Space, scene: &mut Builder<'_>) {
    let geometry = &surface.geometry;
    let name = scene.called(surface.name);
    scene.within("surface", &name);
    let Some(base) = geometry.targets.first() else {
        return scene.report_losses(1, Lost::Surfaces);
    };
    let mut weld = Weld::<Corner>::default();
    let triangles = triangles(geometry, base, &mut weld);
    let corners = weld.vertices();
    let at = |corner: &Corner| frame(&base.tangents, corner.1 as usize, space);
    let uvs = [geometry.uv0, geometry.uv1].into_iter().filter(|uvs| !uvs.is_empty());
    let uv = |uvs: &[[f32; 2]], corner: &Corner| {
        uvs.get(corner.1 as usize).map_or(Vec2::ZERO, |uv| Vec2::from(*uv))
    };
    let color =
        |corner: &Corner| geometry.colors.get(corner.1 as usize).map_or([1.0; 4], |own| scene::color8(*own));
    let refused = (geometry.coordinate_indices.len() / 3).saturating_sub(triangles.len());
    scene.report_losses(refused, Lost::Faces);
    scene.report_unused(base.vertices.len(), corners.iter().map(|corner| corner.0));
    for (lost, len) in [
        (Lost::TexCoordCount, geometry.uv0.len()),
        (Lost::TexCoordCount, geometry.uv1.len()),
        (Lost::VertexColorCount, geometry.colors.len()),
    ] {
        let missing = if len == 0 { 0 } else { base.tangents.len().saturating_sub(len) };
        scene.report_losses(missing, lost);
    }
    let mut mesh = Mesh {
        name,
        positions: corners.iter().map(|corner| point(base, corner.0, space)).collect(),
        normals: corners.iter().map(|corner| at(corner).0).collect(),
        tangents: corners.iter().map(|corner| at(corner).1).collect(),
        uvs: uvs.map(|uvs| corners.iter().map(|corner| uv(uvs, corner)).collect()).collect(),
        colors: if geometry.colors.is_empty() { Vec::new() } else { corners.iter().map(color).collect() },
        primitives: vec![Primitive { triangles, ..Primitive::default() }],
        skin: skin(geometry, base, corners, added, scene),
        ..Mesh::default()
    };
    let (morphs, deltas) = morphs(surface, base, corners, space, scene);
    mesh.morphs = morphs;
    trace(surface, corners, mesh, deltas, scene);
}

/// Adds a mesh, and records where its values come from.
fn trace(
    surface: &Surface<'_>,
    corners: &[Corner],
    mesh: Mesh,
    deltas: Vec<Vec<u32>>,
    scene: &mut Builder<'_>,
) {
    let geometry = &surface.geometry;
    let points: Vec<u32> = corners.iter().map(|corner| corner.0).collect();
    let list = |target: usize, list| surface.path.join(&field_path!["targets", target, list]);
    let Some(mesh) = scene.add_mesh_from(mesh, list(0, "vertices"), FieldPath::root(), points) else {
        return;
    };
    let others: Arc<[u32]> = corners.iter().map(|corner| corner.1).collect();
    let sets = [("uv0", geometry.uv0.len()), ("uv1", geometry.uv1.len())];
    let sets = sets.into_iter().filter(|(_, len)| *len > 0).enumerate();
    let own = |attribute, name, len| (attribute, surface.path.join(&field_path![name]), len);
    let mut attributes: Vec<_> = sets.map(|(set, (name, len))| own(Attribute::Uv(set), name, len)).collect();
    if !geometry.colors.is_empty() {
        attributes.push(own(Attribute::Color, "colors", geometry.colors.len()));
    }
    attributes.push((Attribute::Normal, list(0, "tangents"), usize::MAX));
    for (attribute, list, len) in attributes {
        let records = scene::existing(&others, len);
        scene.trace(Target::Vertices { mesh, attribute }, list, FieldPath::root(), records);
    }
    for (morph, records) in deltas.into_iter().enumerate() {
        scene.trace(Target::Morph { mesh, morph }, list(morph + 1, "vertices"), FieldPath::root(), records);
    }
}

/// The triangles, whose winding order is the scene's.
fn triangles(geometry: &GeometryView<'_>, base: &Shape, weld: &mut Weld<Corner>) -> Vec<[u32; 3]> {
    let corners = geometry.coordinate_indices.iter().zip(geometry.triangle_indices.iter());
    let corners: Vec<Corner> = corners.collect();
    let there = |(point, tangent): &Corner| {
        (*point as usize) < base.vertices.len() && (*tangent as usize) < base.tangents.len()
    };
    let (triangles, _) = corners.as_chunks::<3>();
    let valid = triangles.iter().filter(|corners| corners.iter().all(there));
    valid.map(|corners| corners.map(|corner| weld.add(corner))).collect()
}

fn point(target: &Shape, index: u32, space: Space) -> Vec3 {
    target.vertices.get(index as usize).map_or(Vec3::ZERO, |own| space.point(*own))
}

/// Normal and tangent: the quaternion rotates x to the tangent and z to the normal.
fn frame(tangents: &Tangents, index: usize, space: Space) -> (Vec3, Vec4) {
    let (quaternion, handedness) = match tangents {
        Tangents::Short(own) => own.get(index).map(|own| (own.quaternion(), own.handedness())),
        Tangents::Long(own) => own.get(index).map(|own| (own.quaternion(), own.handedness())),
    }
    .unwrap_or(([0.0, 0.0, 0.0, 1.0], 1.0));
    let turned = scene::unit(Quat::from_array(quaternion));
    let to = |axis: Vec3| space.direction((turned * axis).to_array());
    (to(Vec3::Z), to(Vec3::X).extend(handedness))
}

fn skin(
    geometry: &GeometryView<'_>,
    base: &Shape,
    corners: &[Corner],
    added: &ImportedBones,
    scene: &mut Builder<'_>,
) -> Option<Skin> {
    let rows = geometry.weights.iter().enumerate().flat_map(|(point, own)| {
        let bone = |index: i16| usize::try_from(index).unwrap_or(usize::MAX);
        own.influences.iter().map(move |own| (point, bone(own.bone), own.share()))
    });
    let weights = scene.weigh(base.vertices.len(), added.bones.len(), rows);
    let points: Vec<u32> = corners.iter().map(|corner| corner.0).collect();
    let rigged = !geometry.weights.is_empty() && !added.bones.is_empty();
    rigged.then(|| Skin { joints: added.joints.clone(), weights: weights.spread(&points) })
}

/// Returns the targets after the base shape, as differences from it, and the record of each of their deltas.
fn morphs(
    surface: &Surface<'_>,
    base: &Shape,
    corners: &[Corner],
    space: Space,
    scene: &mut Builder<'_>,
) -> (Vec<Morph>, Vec<Vec<u32>>) {
    let targets = surface.geometry.targets.iter().zip(&surface.targets).skip(1);
    let most =
        MAX_MORPHS.max(surface.geometry.targets.iter().map(|own| own.vertices.len()).sum::<usize>() / 16);
    scene.report_losses(targets.len().saturating_sub(most), Lost::TooManyMorphs);
    let unnamed = surface.geometry.targets.len().abs_diff(surface.targets.len());
    scene.report_losses(unnamed, Lost::MorphShapes);
    let short = targets.clone().map(|(own, _)| base.vertices.len().saturating_sub(own.vertices.len())).sum();
    scene.report_losses(short, Lost::MorphVertices);
    let delta = |(vertex, corner): (u32, &Corner), target: &Shape| {
        let delta = Delta {
            vertex,
            position: point(target, corner.0, space) - point(base, corner.0, space),
            normal: frame(&target.tangents, corner.1 as usize, space).0
                - frame(&base.tangents, corner.1 as usize, space).0,
        };
        (delta, corner.0)
    };
    let morph = |(target, name): (&Shape, &&[u8])| {
        let there = |(_, corner): &(u32, &Corner)| (corner.0 as usize) < target.vertices.len();
        let deltas = (0..).zip(corners).filter(there).map(|corner| delta(corner, target));
        let moved = deltas.filter(|(own, _)| own.position != Vec3::ZERO || own.normal != Vec3::ZERO);
        Morph::from_records(scene::name(name), moved.collect())
    };
    targets.take(most).map(morph).unzip()
}

/// Each three vertices are a triangle.
fn raw(mesh: &RawMesh, space: Space, scene: &mut Builder<'_>) {
    for (index, surface) in mesh.surfaces.iter().enumerate() {
        let vertices = &*surface.vertices;
        let count = u32::try_from(vertices.len()).unwrap_or(0) / 3;
        let triangles = (0..count).map(|index| [index * 3, index * 3 + 1, index * 3 + 2]).collect();
        let mesh = Mesh {
            name: scene.called(surface.name.text()),
            positions: vertices.iter().map(|own| space.point(own.position)).collect(),
            normals: vertices.iter().map(|own| space.direction(own.normal)).collect(),
            uvs: vec![vertices.iter().map(|own| Vec2::from(own.uv)).collect()],
            primitives: vec![Primitive { triangles, ..Primitive::default() }],
            ..Mesh::default()
        };
        let records: Arc<[u32]> = (0..).zip(vertices).map(|(record, _)| record).collect();
        let list = field_path!["surfaces", index, "vertices"];
        let added = scene.add_mesh_from(mesh, list.clone(), field_path!["position"], Arc::clone(&records));
        let Some(mesh) = added else { continue };
        for (attribute, field) in [(Attribute::Normal, "normal"), (Attribute::Uv(0), "uv")] {
            let target = Target::Vertices { mesh, attribute };
            scene.trace(target, list.clone(), field_path![field], Arc::clone(&records));
        }
    }
}
