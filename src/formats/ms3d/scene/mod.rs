//! Scenes of MilkShape 3D files, evaluated as in the author's viewer.

mod free;
mod ranges;
mod smoothing;
mod timeline;
mod write;

use std::sync::Arc;

use glam::{Quat, Vec2, Vec3};

use super::conventions::{self, FULL_WEIGHT, SPACE, rate};
use super::edit::local;
use super::{Joint, Keyframe, Material, Ms3d, NONE, Triangle, VertexExtraRecords};
use crate::check::common::field_path;
use crate::edit::Motion;
use crate::scene::{
    self, Alpha, Attribute, Bone, Builder, Clip, Curve, ImportedBones, Interpolation, LoadPhase, Lost, Mesh,
    Primitive, Property, Skin, Space, Target, Texture, TextureRole, ToScene, Track, Transform, Weld,
    in_order,
};

impl ToScene for Ms3d {
    fn phase(&self) -> LoadPhase {
        LoadPhase::Mesh
    }

    fn add_to(&self, scene: &mut Builder<'_>) {
        let space = scene.space(SPACE);
        let Some(added) = scene.add_bones(bones(self, space)) else { return };
        let first = scene.scene().materials.len();
        for (index, own) in self.materials.iter().enumerate() {
            let added = scene.add_material(material(own));
            for (property, field) in [
                (Property::Color, "diffuse"),
                (Property::Color, "transparency"),
                (Property::Emissive, "emissive"),
            ] {
                scene.trace_material(added, property, field_path!["materials", index], field_path![field]);
            }
        }
        if self.triangles.is_empty() {
            scene.report_unused(self.vertices.len(), []);
        } else if scene.settings().names_only {
            if self.triangles.iter().any(|own| has_vertices(self, own)) {
                scene.add_mesh_names(scene.file().to_owned(), []);
            }
        } else {
            let (mesh, sources) = mesh(self, space, &added, first, scene);
            sources.add(mesh, scene);
        }
        let clip = clip(self, space, &added.bones, scene);
        if !clip.tracks.is_empty() && !ranges::add(self, &clip, &added.bones, scene) {
            // The first frame is 1: the last is at the end.
            #[expect(clippy::cast_possible_truncation, reason = "the nearest float is meant")]
            let seconds =
                (f64::from(self.animation.total_frames) / f64::from(rate(self.animation.fps))) as f32;
            scene.add_clip_lasting(clip, seconds);
            if !scene.settings().without_sources {
                trace_keys(self, &added.bones, scene);
            }
        }
        report(self, scene);
    }
}

/// Records what a scene cannot represent.
fn report(file: &Ms3d, scene: &mut Builder<'_>) {
    let hidden = file.groups.iter().filter(|group| group.flags.hidden()).count();
    scene.report_losses(hidden, Lost::HiddenGroups);
    let keys = |joint: &Joint| {
        let keys = joint.rotation_keys.iter().chain(&*joint.position_keys);
        keys.filter(|key| !is_finite(key)).count()
    };
    scene.report_losses(file.joints.iter().map(keys).sum(), Lost::NonFiniteKeys);
    for keys in file.joints.iter().flat_map(|joint| [&joint.rotation_keys, &joint.position_keys]) {
        scene.report_order(keys.iter().map(|key| key.time));
    }
    let words = match file.vertex_extra.present().map(|extra| &extra.records) {
        Some(VertexExtraRecords::Sub2(records)) => records.iter().filter(|own| own.extra != 0).count(),
        Some(VertexExtraRecords::Sub3(records)) => records.iter().filter(|own| own.extra != [0; 2]).count(),
        _ => 0,
    };
    scene.report_losses(words, Lost::ExtraWords);
    if let Some(super::CommentLists::Sub1(lists)) = file.comments.present().map(|comments| &comments.lists) {
        let model = if file.ranges().next().is_some() { 0 } else { lists.model.len() };
        let count = lists.groups.len() + lists.materials.len() + lists.joints.len() + model;
        scene.report_losses(count, Lost::Comments);
    }
}

fn bones(file: &Ms3d, space: Space) -> impl ExactSizeIterator<Item = Bone> {
    let bone = move |(joint, parent): (&Joint, Option<usize>)| Bone {
        name: scene::name(joint.name.text()),
        parent,
        bind: space.transform(joint.position, conventions::rotation(joint.rotation).to_array(), [1.0; 3]),
    };
    file.joints.iter().zip(file.parents()).map(bone)
}

fn euler(angles: [f32; 3], space: Space) -> Quat {
    space.rotation(conventions::rotation(angles).to_array())
}

fn material(own: &Material) -> scene::Material {
    let role = if own.mode.sphere_map() { TextureRole::Sphere } else { TextureRole::Color };
    let textures = [(&own.texture, role), (&own.alphamap, TextureRole::Opacity)];
    let [red, green, blue, _] = own.diffuse;
    let opaque = |[red, green, blue, _]: [f32; 4]| [red, green, blue];
    scene::Material {
        name: scene::name(own.name.text()),
        // `transparency` is opacity; the viewer puts it in the place of every colour's alpha.
        color: [red, green, blue, own.transparency],
        emissive: opaque(own.emissive),
        ambient: opaque(own.ambient),
        specular: opaque(own.specular),
        shininess: own.shininess,
        textures: textures.map(|(path, role)| Texture::new(scene::name(path.text()), role)).into(),
        alpha: if own.mode.has_alpha() { Alpha::Blend } else { Alpha::Opaque },
        ..scene::Material::default()
    }
}

/// Identical corners share a vertex; floats are compared by their bits.
type Corner = (u16, [u32; 3], [u32; 2]);

/// The records that a mesh comes from.
struct Sources {
    /// The vertex record of each vertex.
    points: Vec<u32>,
    /// The record of each triangle.
    triangles: Arc<[u32]>,
}

impl Sources {
    /// Adds a mesh to the scene.
    fn add(self, mesh: Mesh, scene: &mut Builder<'_>) {
        let (list, field) = (field_path!["vertices"], field_path!["position"]);
        let Some(mesh) = scene.add_mesh_from(mesh, list, field, self.points) else { return };
        for corner in 0..3 {
            for (attribute, field) in
                [(Attribute::Normal, "vertex_normals"), (Attribute::Uv(0), "s"), (Attribute::Uv(0), "t")]
            {
                let target = Target::Corners { mesh, corner, attribute };
                let field = field_path![field, corner];
                scene.trace(target, field_path!["triangles"], field, Arc::clone(&self.triangles));
            }
        }
    }
}

fn mesh(
    file: &Ms3d,
    space: Space,
    added: &ImportedBones,
    first_material: usize,
    scene: &mut Builder<'_>,
) -> (Mesh, Sources) {
    let mut weld = Weld::<Corner>::default();
    let mut records = Vec::with_capacity(file.triangles.len());
    let mut left = vec![true; file.triangles.len()];
    let mut refused = 0;
    let mut primitives = Vec::new();
    for group in &*file.groups {
        let mut triangles = Vec::with_capacity(group.triangle_indices.len());
        for &index in &*group.triangle_indices {
            if let Some(left) = left.get_mut(usize::from(index)) {
                *left = false;
            }
            match corners(file, index.into(), &mut weld) {
                Some(corners) => {
                    triangles.push(corners);
                    records.push(u32::from(index));
                }
                None => refused += 1,
            }
        }
        let material = usize::from(group.material_index);
        let there = group.material_index != NONE && material < file.materials.len();
        primitives.push(Primitive {
            name: scene::name(group.name.text()),
            material: there.then_some(first_material + material),
            triangles,
        });
    }
    let mut triangles = Vec::new();
    for (index, record) in (0..left.len()).zip(0..).filter(|(index, _)| left[*index]) {
        match corners(file, index, &mut weld) {
            Some(corners) => {
                triangles.push(corners);
                records.push(record);
            }
            None => refused += 1,
        }
    }
    primitives.push(Primitive { triangles, ..Primitive::default() });
    primitives.retain(|primitive| !primitive.triangles.is_empty());
    scene.report_losses(refused, Lost::Faces);
    let floats = |bits: [u32; 3]| bits.map(f32::from_bits);
    let vertices = weld.vertices();
    let points: Vec<u32> = vertices.iter().map(|(index, ..)| u32::from(*index)).collect();
    scene.report_unused(file.vertices.len(), points.iter().copied());
    let mesh = Mesh {
        name: scene.file().to_owned(),
        positions: vertices.iter().map(|(index, ..)| space.point(position(file, *index))).collect(),
        normals: vertices.iter().map(|(_, normal, _)| space.direction(floats(*normal))).collect(),
        uvs: vec![vertices.iter().map(|(.., uv)| Vec2::from(uv.map(f32::from_bits))).collect()],
        primitives,
        skin: (!added.bones.is_empty()).then(|| skin(file, added, &points, scene)),
        ..Mesh::default()
    };
    (mesh, Sources { points, triangles: records.into() })
}

fn position(file: &Ms3d, index: u16) -> [f32; 3] {
    file.vertices.get(usize::from(index)).map_or([0.0; 3], |vertex| vertex.position)
}

/// Whether the vertices of a triangle exist.
fn has_vertices(file: &Ms3d, triangle: &Triangle) -> bool {
    triangle.vertex_indices.iter().all(|vertex| usize::from(*vertex) < file.vertices.len())
}

fn corners(file: &Ms3d, index: usize, weld: &mut Weld<Corner>) -> Option<[u32; 3]> {
    let triangle = file.triangles.get(index)?;
    has_vertices(file, triangle).then(|| {
        [0, 1, 2].map(|corner| {
            let normal = triangle.vertex_normals[corner].map(f32::to_bits);
            // v grows downwards, as in glTF.
            let uv = [triangle.s[corner].to_bits(), triangle.t[corner].to_bits()];
            weld.add((triangle.vertex_indices[corner], normal, uv))
        })
    })
}

fn skin(file: &Ms3d, added: &ImportedBones, points: &[u32], scene: &mut Builder<'_>) -> Skin {
    let found = file.vertex_extra.present().map_or(FULL_WEIGHT, |extra| extra.records.full_weight());
    let full = scene.settings().full_weight.unwrap_or(found);
    if found != FULL_WEIGHT && scene.settings().full_weight.is_none() {
        scene.report_loss(Lost::FullWeight);
    }
    let rows = (0..file.vertices.len()).flat_map(|vertex| influences(file, vertex, full));
    let weights = scene.weigh(file.vertices.len(), added.bones.len(), rows);
    Skin { joints: added.joints.clone(), weights: weights.spread(points) }
}

/// Vertex, joint and weight of up to four influences.
fn influences(file: &Ms3d, index: usize, full: u8) -> Vec<(usize, usize, f32)> {
    let Some(vertex) = file.vertices.get(index) else { return Vec::new() };
    let (bone_ids, weights, whole) = extra(file, index, full).unwrap_or(([NONE; 3], [0; 3], FULL_WEIGHT));
    let whole = i32::from(whole);
    let alone = weights == [0; 3];
    // The fourth weight is the remainder.
    let fourth = whole - weights.iter().map(|weight| i32::from(*weight)).sum::<i32>();
    let shares = [i32::from(weights[0]), i32::from(weights[1]), i32::from(weights[2]), fourth];
    let shares = if alone { [whole, 0, 0, 0] } else { shares };
    let joints = [vertex.bone_id, bone_ids[0], bone_ids[1], bone_ids[2]];
    // The viewer stops at the first influence without weight or joint.
    let there = |joint: u8| usize::from(joint) < file.joints.len();
    let counts = |(joint, share): &(u8, i32)| *share > 0 && *joint != NONE;
    let influences: Vec<_> = joints.into_iter().zip(shares).take_while(counts).collect();
    let valid = influences.iter().take_while(|(joint, _)| there(*joint)).count();
    // The first missing joint is reported; later influences have no effect.
    let influences = influences.into_iter().take(valid + 1);
    #[expect(clippy::cast_precision_loss, reason = "at most 255")]
    influences.map(|(joint, share)| (index, usize::from(joint), share as f32 / whole as f32)).collect()
}

/// Additional joints, weights, and the weight that counts as 1.
fn extra(file: &Ms3d, index: usize, full: u8) -> Option<([u8; 3], [u8; 3], u8)> {
    match &file.vertex_extra.present()?.records {
        VertexExtraRecords::Empty => None,
        VertexExtraRecords::Sub1(records) => records.get(index).map(|own| (own.bone_ids, own.weights, full)),
        VertexExtraRecords::Sub2(records) => {
            records.get(index).map(|own| (own.bone_ids, own.weights, FULL_WEIGHT))
        }
        VertexExtraRecords::Sub3(records) => {
            records.get(index).map(|own| (own.bone_ids, own.weights, FULL_WEIGHT))
        }
    }
}

fn clip(file: &Ms3d, space: Space, bones: &[usize], scene: &Builder<'_>) -> Clip {
    let translations = if scene.settings().linear_translations { linear_translation } else { translation };
    let tracks = file.joints.iter().zip(bones).filter(|(joint, _)| moves(joint)).map(|(joint, &bone)| {
        if scene.settings().names_only {
            return Track { bone, ..Track::default() };
        }
        Track { bone, translation: translations(joint, space), rotation: rotation(joint, space), scale: None }
    });
    Clip { name: scene.file().to_owned(), tracks: tracks.collect(), ..Clip::default() }
}

impl Joint {
    /// Returns the motion in the axes of the file.
    pub(in crate::formats::ms3d) fn motion(&self) -> Motion {
        let (translation, rotation) = (translation(self, SPACE), rotation(self, SPACE));
        Motion { bind: local(self), track: Track { translation, rotation, ..Track::default() } }
    }
}

/// Records the keys that those of the clip come from.
fn trace_keys(file: &Ms3d, bones: &[usize], scene: &mut Builder<'_>) {
    for (index, (joint, &bone)) in file.joints.iter().zip(bones).enumerate() {
        for (channel, name, keys) in ranges::lists(joint) {
            let finite = keys.iter().enumerate().filter(|(_, key)| is_finite(key));
            let records = in_order(finite.map(|(record, key)| (key.time, record)));
            let list = field_path!["joints", index, name];
            let records = records.into_iter().map(|(_, record)| record);
            scene.trace_keys(bone, channel, list, field_path!["value"], records);
        }
    }
}

/// Keys are relative to the bind rotation.
fn rotation(joint: &Joint, space: Space) -> Option<Curve<Quat>> {
    let bind = euler(joint.rotation, space);
    let key = |key: &Keyframe| (key.time, bind * euler(key.value, space));
    let keys = joint.rotation_keys.iter().filter(|key| is_finite(key)).map(key);
    Curve::straight(keys)
}

/// Whether a curve has a key: those that are not finite are not read.
fn moves(joint: &Joint) -> bool {
    let mut keys = joint.rotation_keys.iter().chain(&*joint.position_keys);
    keys.any(|key| key.time.is_finite() && is_finite(key))
}

/// The translations at the keys, which are offsets in the joint's own frame: the bind rotation turns them.
fn translation_keys(joint: &Joint, space: Space) -> Vec<(f32, Vec3)> {
    let bind = Transform::new(space.point(joint.position), euler(joint.rotation, space));
    let keys = joint.position_keys.iter().filter(|key| is_finite(key));
    let place = |key: &Keyframe| (key.time, bind.translation + bind.rotation * space.point(key.value));
    in_order(keys.map(place))
}

/// As the author's viewer interpolates.
fn translation(joint: &Joint, space: Space) -> Option<Curve<Vec3>> {
    let keys = translation_keys(joint, space);
    let tangents = looped_tangents(&keys);
    (!keys.is_empty()).then(|| Curve::new(keys, Interpolation::CubicSpline(tangents)))
}

fn linear_translation(joint: &Joint, space: Space) -> Option<Curve<Vec3>> {
    Curve::straight(translation_keys(joint, space))
}

fn is_finite(key: &Keyframe) -> bool {
    key.value.iter().all(|value| value.is_finite())
}

/// Tangents of the viewer's curve, per second: from the previous to the next key, as in a loop, divided by time; zero if
/// there are at most two keys.
fn looped_tangents(keys: &[(f32, Vec3)]) -> Vec<[Vec3; 2]> {
    let len = keys.len();
    if len <= 2 {
        return vec![[Vec3::ZERO; 2]; len];
    }
    let tangents = (0..len).map(|index| {
        let [(before, from), (at, _), (after, to)] =
            [(index + len - 1) % len, index, (index + 1) % len].map(|i| keys[i]);
        let (arriving, leaving) = (at - before, after - at);
        // With three keys the neighbours of one can be at the same time around the loop.
        let along = (to - from) / (arriving + leaving);
        let along = if along.is_finite() { along } else { Vec3::ZERO };
        // The viewer scales its tangents by the length of each interval, which cancels here.
        let into = if index == 0 { Vec3::ZERO } else { along };
        let out = if index + 1 == len { Vec3::ZERO } else { along };
        [into, out]
    });
    tangents.collect()
}
