//! Scenes of Inter-Quake Models, evaluated as by the format's own tool.
//!
//! Right-handed, Z up; units are those of the game. Triangles are clockwise seen from the front, as its demo draws them.

mod write;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use glam::{Vec2, Vec4};

use super::conventions::{SPACE, turned};
use super::pose::Column;
use super::values::{Influences, Values};
use super::{Anim, Iqm, Mesh, Pose, is_image};
use crate::FieldPath;
use crate::scene::{
    self, Attribute, Bone, Builder, Clip, Curve, FRAME_RATE, ImportedBones, LoadPhase, Lost, Material,
    Primitive, Skin, Space, Target, Texture, TextureRole, ToScene, Track, Transform,
};

impl ToScene for Iqm {
    /// A file without joints has animations of the joints of another one.
    fn phase(&self) -> LoadPhase {
        if self.sections.joints.is_empty() && self.sections.meshes.is_empty() {
            LoadPhase::Clip
        } else {
            LoadPhase::Mesh
        }
    }

    fn add_to(&self, scene: &mut Builder<'_>) {
        let space = scene.space(SPACE);
        let Some(added) = bones(self, space, scene) else { return };
        let materials = materials(self, scene);
        let (primitives, refused) = primitives(self, materials);
        let has_positions = Values::of(self, 0, 3).is_some();
        if self.sections.triangles.is_empty() {
            scene.report_unused(if has_positions { self.num_vertexes as usize } else { 0 }, []);
        } else if primitives.is_empty() || !has_positions {
            scene.report_loss(Lost::MeshWithoutTriangles.of("mesh", scene.file()));
        } else if scene.settings().names_only {
            scene.add_mesh_names(scene.file().to_owned(), []);
        } else {
            scene.report_losses(refused, Lost::Faces);
            add_mesh(self, primitives, space, &added, scene);
        }
        add_clips(self, space, &added.bones, scene);
        scene.report_losses(usize::from(!self.sections.comment.0.is_empty()), Lost::Comments);
        let extensions = self.extensions().map(|own| scene::name(self.text(own.name)));
        scene.report_kinds(Lost::Extension, extensions);
    }
}

/// Adds the joints, or those of the poses of a file without joints.
fn bones(file: &Iqm, space: Space, scene: &mut Builder<'_>) -> Option<ImportedBones> {
    let parent = |parent: i32| usize::try_from(parent).ok();
    if !file.sections.joints.is_empty() || file.sections.poses.is_empty() {
        let bone = |own: &super::Joint| Bone {
            name: scene::name(file.text(own.name)),
            parent: parent(own.parent),
            bind: space.transform(own.translate, own.rotate, own.scale),
        };
        return scene.add_bones(file.sections.joints.iter().map(bone));
    }
    let known = scene.scene().skeleton.bones().len();
    if known > 0 {
        // Poses have no names: those of another number of bones are for another skeleton.
        let bones = (0..known).filter(|_| file.sections.poses.len() == known).collect();
        return Some(ImportedBones { bones, ..ImportedBones::default() });
    }
    scene.report_loss(Lost::MissingSkeleton);
    let columns = file.columns().unwrap_or_default();
    let first = |index: usize| Some(placed(columns.get(index)?.channels(0..1).first()?, space));
    let bones = file.sections.poses.iter().enumerate().map(|(index, own)| Bone {
        name: format!("bone {index}"),
        parent: parent(own.parent),
        bind: first(index).unwrap_or_default(),
    });
    scene.add_bones(bones.collect::<Vec<_>>().into_iter())
}

fn placed([tx, ty, tz, rx, ry, rz, rw, sx, sy, sz]: &[f32; 10], space: Space) -> Transform {
    space.transform([*tx, *ty, *tz], [*rx, *ry, *rz, *rw], [*sx, *sy, *sz])
}

fn add_clips(file: &Iqm, space: Space, bones: &[usize], scene: &mut Builder<'_>) {
    let poses = file.sections.poses.len();
    let columns = file.columns();
    if columns.is_none() {
        scene.report_loss(Lost::IncompleteFrames);
    }
    let columns = columns.unwrap_or_default();
    let skeleton = scene.scene().skeleton.bones();
    let is_followed = |(pose, bone): (&Pose, &usize)| {
        let parent = usize::try_from(pose.parent).ok().and_then(|parent| bones.get(parent));
        pose.parent < 0 || parent.copied() == skeleton[*bone].parent
    };
    let followed: Vec<_> = file.sections.poses.iter().zip(bones).map(is_followed).collect();
    let tracks = followed.iter().filter(|is_followed| **is_followed).count();
    scene.report_losses(
        file.sections.anims.iter().filter(|own| own.flags.is_loop()).count(),
        Lost::RepeatedClips,
    );
    scene.report_losses(poses.saturating_sub(tracks) * file.sections.anims.len(), Lost::Tracks);
    if tracks == 0 {
        return;
    }
    let mut left = most_shared(file.num_frames as usize);
    for own in file.sections.anims.iter() {
        let frames = own.frames(file.num_frames);
        let name = scene.called(file.text(own.name));
        if frames.len() > left {
            scene.report_loss(Lost::SharedKeys.of("clip", &name));
            continue;
        }
        left -= frames.len();
        let rate = Some(own.framerate).filter(|rate| *rate > 0.0 && rate.is_finite());
        let rate = rate.unwrap_or_else(|| scene.rate(FRAME_RATE));
        if frames.len() < own.num_frames as usize {
            scene.report_loss(Lost::MissingKeys.of("clip", &name));
        }
        let track = |(column, bone): (&Column, &usize)| track(column, *bone, frames.clone(), rate, space);
        let moving = columns.iter().zip(bones).zip(&followed).filter(|(_, is_followed)| **is_followed);
        let tracks = moving.filter(|_| !frames.is_empty()).map(|(own, _)| track(own)).collect();
        scene.add_clip(Clip { name, tracks, ..Clip::default() });
    }
}

/// Returns the keys of a bone, one for each frame, or the first and the last if it does not move.
fn track(column: &Column, bone: usize, frames: Range<usize>, rate: f32, space: Space) -> Track {
    #[expect(clippy::cast_precision_loss, reason = "frames of a file are far fewer than 2^24")]
    let end = (frames.len() - 1) as f32 / rate;
    let keys: Vec<_> = column.channels(frames.clone()).iter().map(|own| placed(own, space)).collect();
    let is_still = keys.len() < frames.len();
    let times = [0.0, end].into_iter().take(if is_still { 2 } else { 0 });
    macro_rules! curve {
        ($channel:ident) => {
            if is_still {
                Curve::straight(times.clone().map(|time| (time, keys[0].$channel)))
            } else {
                Curve::at_rate(keys.iter().map(|own| own.$channel).collect(), rate)
            }
        };
    }
    Track { bone, translation: curve!(translation), rotation: curve!(rotation), scale: curve!(scale) }
}

/// Adds one mesh with all vertices, of which the meshes of the file are primitives.
fn add_mesh(
    file: &Iqm,
    primitives: Vec<Primitive>,
    space: Space,
    added: &ImportedBones,
    scene: &mut Builder<'_>,
) {
    let len = file.num_vertexes as usize;
    let Some(positions) = Values::of(file, 0, 3) else { return };
    let [texcoords, normals, tangents, colors] =
        [(1, 2), (2, 3), (3, 4), (6, 4)].map(|(kind, size)| Values::of(file, kind, size));
    let mut mesh = scene::Mesh {
        name: scene.file().to_owned(),
        positions: (0..len).map(|own| space.point(positions.at(own))).collect(),
        uvs: texcoords.iter().map(|uv| (0..len).map(|own| Vec2::from(uv.at(own))).collect()).collect(),
        normals: normals.iter().flat_map(|own| (0..len).map(|at| space.direction(own.at(at)))).collect(),
        tangents: tangents.iter().flat_map(|own| (0..len).map(|at| tangent(own.at(at), space))).collect(),
        colors: colors
            .iter()
            .flat_map(|own| (0..len).map(|at| [0, 1, 2, 3].map(|channel| own.share(at, channel))))
            .collect(),
        primitives,
        ..scene::Mesh::default()
    };
    if normals.is_none() {
        mesh.smooth(&(0..file.num_vertexes).collect::<Vec<_>>());
    }
    mesh.skin = skin(file, added, scene);
    let others = file.sections.vertex_arrays.iter().filter(|own| own.kind > 6);
    let others = others.map(|own| match own.kind.checked_sub(super::CUSTOM) {
        Some(name) => scene::name(file.text(name)),
        None => own.kind.to_string(),
    });
    scene.report_kinds(Lost::OtherAttributes, others);
    let records: Arc<[u32]> = (0..file.num_vertexes).collect();
    let Some(mesh) = scene.add_mesh_from(mesh, positions.path(), FieldPath::root(), Arc::clone(&records))
    else {
        return;
    };
    let attributes =
        [(texcoords, Attribute::Uv(0)), (normals, Attribute::Normal), (colors, Attribute::Color)];
    for (values, attribute) in attributes {
        if let Some(values) = values.filter(Values::is_by_vertex) {
            let target = Target::Vertices { mesh, attribute };
            scene.trace(target, values.path(), FieldPath::root(), Arc::clone(&records));
        }
    }
}

fn tangent([x, y, z, sign]: [f32; 4], space: Space) -> Vec4 {
    space.direction([x, y, z]).extend(sign)
}

/// Adds the materials, and returns that of each mesh.
fn materials(file: &Iqm, scene: &mut Builder<'_>) -> Vec<Option<usize>> {
    let mut known: HashMap<&[u8], usize> = HashMap::new();
    let mut material_of = |own: &Mesh| {
        let name = file.text(own.material);
        (!name.is_empty()).then(|| *known.entry(name).or_insert_with(|| scene.add_material(material(name))))
    };
    file.sections.meshes.iter().map(&mut material_of).collect()
}

/// How many elements ranges can have together: they can share elements, but not so often that a small file becomes a large
/// scene.
const fn most_shared(len: usize) -> usize {
    16 * len + 65_536
}

/// The triangles of each mesh, and those of no mesh; and the number of those that are refused.
fn primitives(file: &Iqm, materials: Vec<Option<usize>>) -> (Vec<Primitive>, usize) {
    let triangles = &file.sections.triangles;
    let mut left = vec![true; triangles.len()];
    let mut primitives: Vec<_> = Vec::new();
    let (mut permitted, mut refused) = (most_shared(triangles.len()), 0);
    for (own, material) in file.sections.meshes.iter().zip(materials) {
        let range = own.triangles(triangles.len());
        if range.len() > permitted {
            refused += range.len();
            continue;
        }
        permitted -= range.len();
        left[range.clone()].fill(false);
        let triangles = triangles[range].iter().copied().map(turned).collect();
        primitives.push(Primitive { name: scene::name(file.text(own.name)), material, triangles });
    }
    let others = triangles.iter().zip(left).filter(|(_, is_left)| *is_left);
    let triangles = others.map(|(own, _)| turned(*own)).collect();
    primitives.push(Primitive { triangles, ..Primitive::default() });
    for own in &mut primitives {
        let before = own.triangles.len();
        own.triangles.retain(|own| own.iter().all(|vertex| *vertex < file.num_vertexes));
        refused += before - own.triangles.len();
    }
    primitives.retain(|own| !own.triangles.is_empty());
    (primitives, refused)
}

impl Mesh {
    /// Returns its triangles among those of the file.
    pub(super) fn triangles(&self, len: usize) -> Range<usize> {
        let start = (self.first_triangle as usize).min(len);
        start..start.saturating_add(self.num_triangles as usize).min(len)
    }
}

/// A material is named after its image, where it is one.
fn material(name: &[u8]) -> Material {
    let is_image = is_image(name);
    let name = scene::name(name);
    let textures = is_image.then(|| Texture::new(name.clone(), TextureRole::Color)).into_iter().collect();
    Material { name, textures, ..Material::default() }
}

/// Weights are parts of their sum.
fn skin(file: &Iqm, added: &ImportedBones, scene: &mut Builder<'_>) -> Option<Skin> {
    let own = Influences::of(file).filter(|_| !added.joints.is_empty())?;
    let len = file.num_vertexes as usize;
    let slots = (0..len).flat_map(|vertex| (0..own.slots).map(move |slot| (vertex, slot)));
    let rows = slots.map(|(vertex, slot)| {
        let joint = usize::try_from(own.joint(vertex, slot)).unwrap_or(usize::MAX);
        (vertex, joint, own.weights.share(vertex, slot))
    });
    let weights = scene.weigh(len, added.bones.len(), rows);
    Some(Skin { joints: added.joints.clone(), weights })
}

impl Anim {
    /// Returns its frames among those of the file.
    pub(super) fn frames(&self, num_frames: u32) -> Range<usize> {
        let end = self.first_frame.saturating_add(self.num_frames).min(num_frames);
        self.first_frame.min(end) as usize..end as usize
    }
}
