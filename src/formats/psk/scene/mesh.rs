//! Converts a mesh.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::super::conventions::{mirrored, rotation_of_socket, turned_over};
use super::super::writer::BINDPOSE;
use super::super::{MorphDelta, Psk, Records, Socket};
use super::{bones, report_others, space_of};
use crate::FieldPath;
use crate::check::common::field_path;
use crate::codec::Format;
use crate::scene::{
    self, Alpha, Attachment, Attribute, Builder, Delta, ImportedBones, LoadPhase, Lost, Material, Mesh,
    Morph, Names, Primitive, Skin, Space, Target, ToScene, Transform,
};
use crate::schema::unpadded;
use crate::wire::FixedStr;

/// The maximum number of vertex deltas per record on average: a point has few wedges.
pub(super) const SPREAD: usize = 64;

impl ToScene for Psk {
    fn phase(&self) -> LoadPhase {
        LoadPhase::Mesh
    }

    fn add_to(&self, scene: &mut Builder<'_>) {
        let space = space_of(&self.chunks, self.bones(), scene);
        let Some(added) = scene.add_bones(bones(self.bones(), space)) else { return };
        let first = scene.scene().materials.len();
        let materials = self.materials();
        for own in (0..materials.len()).filter_map(|index| materials.get(index)) {
            let flags = own.poly_flags;
            let lost = flags.flat() || flags.environment() || flags.no_smoothing();
            scene.report_losses(lost.into(), Lost::DrawingFlags);
            scene.add_material(material(&own));
        }
        if self.faces().is_empty() {
            scene.report_unused(self.points().len(), []);
        } else if scene.settings().names_only {
            add_names(self, scene);
        } else {
            add_mesh(self, space, &added, first, scene);
        }
        add_sockets(self, space, &added, scene);
        report_others(&self.chunks, Records::is_of_mesh, scene);
    }
}

/// Adds the sockets to their bones, and those of static meshes, which name no bone, to the model.
fn add_sockets(file: &Psk, space: Space, added: &ImportedBones, scene: &mut Builder<'_>) {
    if file.sockets().is_empty() {
        return;
    }
    let name = |own: &FixedStr<64>| scene::name(unpadded(own.text()));
    let bones: Vec<String> = file.bones().iter().map(|own| name(&own.name)).collect();
    let bones = Names::new(bones.iter().map(String::as_str));
    for own in file.sockets() {
        let (name, above) = (name(&own.name), name(&own.bone_name));
        let bone = bones.find(&above).and_then(|bone| added.bones.get(bone).copied());
        if bone.is_none() && !above.is_empty() {
            scene.report_loss(Lost::SocketBone.of("socket", &name).with(format_args!("{above:?}")));
        } else {
            scene.add_attachment(Attachment { name, bone, place: place_of(own, space) });
        }
    }
}

fn place_of(own: &Socket, space: Space) -> Transform {
    let rotation = rotation_of_socket(own.rotation).to_array();
    space.transform(mirrored(own.location), rotation, own.scale)
}

fn material(own: &super::super::Material) -> Material {
    // ActorX derives these from words in the material's name.
    let kind = own.poly_flags.triangle_type();
    let alpha = match kind {
        2 => Alpha::Blend,
        3 => Alpha::Mask,
        4 => Alpha::Modulate,
        _ => Alpha::Opaque,
    };
    Material {
        name: scene::name(own.name.text()),
        alpha,
        double_sided: kind == 1,
        unlit: own.poly_flags.unlit(),
        ..Material::default()
    }
}

/// Returns whether a face refers to existing wedges and points.
pub(in super::super) fn has_triangle(file: &Psk) -> bool {
    let (wedges, num_points) = (file.wedges(), file.points().len());
    let point = |wedge: u32| wedges.get(wedge as usize).map(|wedge| wedge.point_index as usize);
    let is_there = |wedge: u32| point(wedge).is_some_and(|point| point < num_points);
    file.faces().iter().any(|face| face.wedge_indices.into_iter().all(is_there))
}

/// Adds the names of the mesh, if it has a triangle.
fn add_names(file: &Psk, scene: &mut Builder<'_>) {
    if has_triangle(file) {
        let morphs = file.morphs().map(|(info, _)| scene::name(info.name.text()));
        scene.add_mesh_names(scene.file().to_owned(), morphs);
    }
}

fn add_mesh(file: &Psk, space: Space, added: &ImportedBones, first_material: usize, scene: &mut Builder<'_>) {
    let wedges: Vec<_> = file.wedges().iter().collect();
    let points: Vec<u32> = wedges.iter().map(|wedge| wedge.point_index).collect();
    let all = file.points();
    let position = |point: &u32| all.get(*point as usize).map_or(Vec3::ZERO, |own| space.point(*own));
    let mut mesh = Mesh {
        name: scene.file().to_owned(),
        positions: points.iter().map(position).collect(),
        uvs: vec![wedges.iter().map(|wedge| Vec2::from(wedge.uv)).collect()],
        primitives: primitives(file, &points, first_material, scene),
        ..Mesh::default()
    };
    let mut extra_uvs = Vec::new();
    let is_channel = |records: &Records| matches!(records, Records::ExtraUvs(_));
    let chunks = (0..file.chunks.len()).filter(|chunk| is_channel(&file.chunks[*chunk].records));
    for (chunk, uvs) in chunks.zip(file.extra_uvs()) {
        if uvs.len() == wedges.len() {
            mesh.uvs.push(uvs.iter().map(|uv| Vec2::from(*uv)).collect());
            extra_uvs.push(chunk);
        } else {
            scene.report_losses(uvs.len(), Lost::TexCoordCount);
        }
    }
    if file.vertex_colors().len() == wedges.len() {
        let order = file.color_order().unwrap_or_default();
        mesh.colors = file.vertex_colors().iter().map(|color| scene::color8(color.rgba(order))).collect();
        // Games have masks in them. Those that this library writes are colours of a scene.
        mesh.mask_colors = file.writer() != Some(BINDPOSE.writer.name);
    } else {
        scene.report_losses(file.vertex_colors().len(), Lost::VertexColorCount);
    }
    scene.report_unused(file.points().len(), points.iter().copied());
    let has_normals = normals(file, &points, space, &mut mesh, scene);
    mesh.skin = skin(file, &points, added, scene);
    let (morphs, deltas) = morphs(file, &points, space, scene);
    mesh.morphs = morphs;
    let (points, has_colors): (Arc<[u32]>, _) = (points.into(), !mesh.colors.is_empty());
    let Some(mesh) = scene.add_mesh_from(mesh, field_path!["points"], FieldPath::root(), Arc::clone(&points))
    else {
        return;
    };
    let mut trace = |attribute, list, field, records: &Arc<[u32]>| {
        scene.trace(Target::Vertices { mesh, attribute }, list, field, Arc::clone(records));
    };
    let each: Arc<[u32]> = (0..).take(points.len()).collect();
    for field in ["u", "v"] {
        trace(Attribute::Uv(0), field_path!["wedges"], field_path![field], &each);
    }
    for (set, chunk) in extra_uvs.into_iter().enumerate() {
        let list = field_path!["chunks", chunk, "records"];
        trace(Attribute::Uv(set + 1), list, FieldPath::root(), &each);
    }
    if has_colors {
        trace(Attribute::Color, field_path!["vertex_colors"], field_path!["bytes"], &each);
    }
    if has_normals {
        trace(Attribute::Normal, field_path!["normals"], FieldPath::root(), &points);
    }
    for (morph, records) in deltas.into_iter().enumerate() {
        let target = Target::Morph { mesh, morph };
        scene.trace(target, field_path!["morph_deltas"], field_path!["position_delta"], records);
    }
}

/// Uses the normals of the file, or smooth ones: extractors lose the smoothing groups. Returns whether the file has normals.
fn normals(file: &Psk, points: &[u32], space: Space, mesh: &mut Mesh, scene: &mut Builder<'_>) -> bool {
    let normals = file.normals();
    if !normals.is_empty() && normals.len() == file.points().len() {
        let normal = |point: &u32| normals.get(*point as usize).map_or(Vec3::Y, |own| space.direction(*own));
        mesh.normals = points.iter().map(normal).collect();
        return true;
    }
    scene.report_losses(normals.len(), Lost::NormalCount);
    let groups: HashSet<u32> = file.faces().iter().map(|face| face.smoothing_groups.raw()).collect();
    scene.report_losses(groups.len().saturating_sub(1), Lost::SmoothingGroups);
    smooth(file, points, mesh);
    false
}

/// Computes smooth normals, one for each point.
fn smooth(file: &Psk, points: &[u32], mesh: &mut Mesh) {
    let num = u32::try_from(file.points().len()).unwrap_or(u32::MAX);
    // Wedges without a valid point share one after the last.
    let points: Vec<u32> = points.iter().map(|point| (*point).min(num)).collect();
    mesh.smooth(&points);
}

fn primitives(file: &Psk, points: &[u32], first_material: usize, scene: &mut Builder<'_>) -> Vec<Primitive> {
    let mut refused = 0;
    let mut by_material: BTreeMap<u8, Vec<[u32; 3]>> = BTreeMap::new();
    let num_points = file.points().len();
    let there = |wedge: &u32| points.get(*wedge as usize).is_some_and(|point| (*point as usize) < num_points);
    for face in file.faces().iter() {
        if face.wedge_indices.iter().all(there) {
            let corners = turned_over(face.wedge_indices);
            by_material.entry(face.material_index).or_default().push(corners);
        } else {
            refused += 1;
        }
    }
    scene.report_losses(refused, Lost::Faces);
    let num_materials = file.materials().len();
    let nothing = by_material.keys().filter(|own| usize::from(**own) >= num_materials).count();
    let nothing = if num_materials > 0 { nothing } else { 0 };
    scene.report_losses(nothing, Lost::MaterialReferences);
    let primitives = by_material.into_iter().map(|(own, triangles)| Primitive {
        name: String::new(),
        material: (usize::from(own) < num_materials).then(|| first_material + usize::from(own)),
        triangles,
    });
    primitives.collect()
}

/// A mesh without weights is static, even if it has bones.
fn skin(file: &Psk, points: &[u32], added: &ImportedBones, scene: &mut Builder<'_>) -> Option<Skin> {
    let index = |index: i32| usize::try_from(index).unwrap_or(usize::MAX);
    let rows = file.weights().iter().map(|own| (index(own.point_index), index(own.bone_index), own.weight));
    let weights = scene.weigh(file.points().len(), added.bones.len(), rows);
    let rigged = !file.weights().is_empty() && !added.bones.is_empty();
    rigged.then(|| Skin { joints: added.joints.clone(), weights: weights.spread(points) })
}

/// Returns the morph targets, and the record of each of their deltas.
fn morphs(file: &Psk, points: &[u32], space: Space, scene: &mut Builder<'_>) -> (Vec<Morph>, Vec<Vec<u32>>) {
    if file.morphs().next().is_none() {
        return Default::default();
    }
    let mut wedges_of = vec![Vec::new(); file.points().len()];
    for (wedge, point) in (0..).zip(points) {
        if let Some(wedges) = wedges_of.get_mut(*point as usize) {
            wedges.push(wedge);
        }
    }
    let mut left = points.len().saturating_mul(SPREAD);
    let mut refused = 0;
    let mut morphs = Vec::new();
    let mut record = 0;
    for (info, deltas) in file.morphs() {
        let mut own = Vec::new();
        for (delta, record) in deltas.iter().zip(record..) {
            let point = usize::try_from(delta.point_index).ok();
            let wedges: &[u32] = point.and_then(|point| wedges_of.get(point)).map_or(&[], Vec::as_slice);
            if wedges.is_empty() || wedges.len() > left {
                refused += 1;
                continue;
            }
            left -= wedges.len();
            own.extend(wedges.iter().map(|wedge| (moved(delta, *wedge, space), record)));
        }
        record += u32::try_from(deltas.len()).unwrap_or(u32::MAX);
        morphs.push(Morph::from_records(scene::name(info.name.text()), own));
    }
    scene.report_losses(refused, Lost::MorphVertices);
    morphs.into_iter().unzip()
}

fn moved(delta: &MorphDelta, vertex: u32, space: Space) -> Delta {
    Delta {
        vertex,
        position: space.point(mirrored(delta.position_delta)),
        normal: space.direction(mirrored(delta.normal_delta)),
    }
}
