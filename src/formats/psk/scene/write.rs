//! Writes a scene as a PSK file, and its clips as a PSA file.
//!
//! All values are exact up to the rounding of floats, except for vertex colours with 8 bits per component. A clip has a key
//! for every bone in every frame.

use glam::Vec3;

use super::super::conventions::{SPACE, angles_of_socket, mirrored, turned, turned_over};
use super::super::{
    Bone, Chunk, ChunkKind, Curve, Curves, Face, Face32, Key, Material, MorphDelta, MorphInfo, PolyFlags,
    Psa, Psk, Records, ScaleKey, Sequence, SmoothingGroups, Socket, VertexColor, Wedge, Weight, stamp,
};
use super::programs::{Conventions, PROGRAMS};
use crate::codec::Format;
use crate::scene::author::{
    Author, AuthorError, Authored, Frames, FromScene, MaterialFields, NameRules, Points, Program,
    SceneContent, compact, merge, morph_curves, name_bytes, number,
};
use crate::scene::{self, Alpha, Attachment, Clip, Lost, Mesh, Pose, Skeleton, Space, Transform, Weld};
use crate::wire::{FixedLenList, FixedStr};

const FIELDS: MaterialFields = MaterialFields {
    mask: true,
    blend: true,
    modulate: true,
    double_sided: true,
    unlit: true,
    ..MaterialFields::NONE
};

const MAX_MATERIALS: usize = 1 << 8;
const FEWER: &str = "merge materials, or choose another format";
const REDUCE: &str = "reduce the mesh";
const SHORTEN: &str = "choose a lower rate, or write fewer clips";

/// Names, with the NUL after them. Unreal ignores case, and readers ignore blanks at the end.
const fn names(what: &'static str, most: usize) -> NameRules {
    NameRules { what, most, unique: true, ignore_case: true, allows: |byte| byte != 0 }
}

fn fixed<const N: usize>(text: &[u8]) -> FixedStr<N> {
    FixedStr::new(text).unwrap_or_default()
}

/// The bones, parents before their children.
struct Bones {
    records: Vec<Bone>,
    /// The place of each bone of the scene.
    places: Vec<i32>,
}

impl Bones {
    fn new(skeleton: &Skeleton, space: Space, author: &mut Author<'_>) -> Self {
        let bones = skeleton.bones();
        let fitted = author.fit_names(names("bone", 63), bones.iter().map(|bone| &*bone.name));
        let places: Vec<i32> = skeleton.places().into_iter().map(number).collect();
        let mut children = vec![0; bones.len()];
        for parent in bones.iter().filter_map(|bone| bone.parent) {
            children[parent] += 1;
        }
        let record = |index: &usize| {
            let (position, orientation) = stored(bones[*index].bind, bones[*index].parent.is_none(), space);
            Bone {
                name: fixed(&fitted[*index]),
                num_children: children[*index],
                // The parent of a root is itself.
                parent_index: places[bones[*index].parent.unwrap_or(*index)],
                position,
                orientation,
                length: 1.0,
                size: [1.0; 3],
                ..Bone::default()
            }
        };
        Self { records: skeleton.order().iter().map(record).collect(), places }
    }
}

/// The position and the quaternion of a pose: the inverse of [`place`](super::place).
fn stored(pose: Transform, is_root: bool, space: Space) -> ([f32; 3], [f32; 4]) {
    let rotation = space.rotation(pose.rotation.to_array()).to_array();
    (space.point(pose.translation.into()).into(), turned(rotation, is_root))
}

impl Conventions {
    /// Creates a file of these chunks, each with the id of its kind, of which the newest has this stamp.
    fn chunks(&self, head: ChunkKind, newest: i32, chunks: Vec<(&str, Records)>) -> Vec<Chunk> {
        let head = Chunk { type_flag: self.stamp.unwrap_or(newest), ..Chunk::head(head) };
        let own =
            |(id, records)| Chunk { type_flag: self.stamp.unwrap_or_default(), ..Chunk::new(id, records) };
        std::iter::once(head).chain(chunks.into_iter().map(own)).collect()
    }
}

impl FromScene for Psk {
    const HOLDS: &'static [SceneContent] =
        &[SceneContent::Skeleton, SceneContent::Attachments, SceneContent::Meshes, SceneContent::Materials];
    const HAS_ONE_ROOT: bool = true;
    const PROGRAMS: &'static [Program] = PROGRAMS;

    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        if author.meshes().is_empty() && author.scene().skeleton.bones().is_empty() {
            return Err(AuthorError::empty("meshes or bones"));
        }
        let space = author.space(SPACE);
        let conventions = Conventions::of(author);
        let skeleton = conventions.with_bones(author.rigid_skeleton(), author);
        author.report_mesh_names(|_, _, _| false);
        let mut meshes = author.bound(&skeleton);
        author.report_unused_vertices(&meshes);
        author.unit_normals(&mut meshes);
        author.keep(&mut meshes, conventions.attributes);
        author.report_fields(FIELDS);
        let mut mesh = compact(merge(meshes).0);
        if !conventions.normals && !mesh.normals.is_empty() {
            author.report_loss(Lost::NormalsComputed.of("mesh", &mesh.name));
            mesh.normals.clear();
        }
        let body = Body::new(mesh, &skeleton, conventions, author);
        let bones = Bones::new(&skeleton, space, author);
        let attachments = author.attachments(&skeleton);
        let sockets = if conventions.sockets {
            sockets(&attachments, &bones, space, author)
        } else {
            author.report_losses(attachments.len(), Lost::SocketsNotRead);
            Vec::new()
        };
        let mut file = Self::blank_file();
        file.chunks = body.chunks(bones, sockets, space, author)?.into();
        Ok(vec![Authored { name: author.name().to_owned(), file }])
    }
}

fn sockets(attachments: &[Attachment], bones: &Bones, space: Space, author: &mut Author<'_>) -> Vec<Socket> {
    let fitted = author.fit_names(names("attachment", 63), attachments.iter().map(|own| &*own.name));
    let socket = |(Attachment { bone, place, .. }, name): (&Attachment, Vec<u8>)| {
        let bone = bone.and_then(|bone| bones.records.get(usize::try_from(bones.places[bone]).ok()?));
        Socket {
            name: fixed(&name),
            bone_name: bone.map(|bone| fixed(bone.name.text())).unwrap_or_default(),
            location: mirrored(space.point(place.translation.into()).into()),
            rotation: angles_of_socket(space.rotation(place.rotation.to_array())),
            scale: space.scale(place.scale.into()).into(),
        }
    };
    attachments.iter().zip(fitted).map(socket).collect()
}

/// A mesh with its points.
struct Body {
    mesh: Mesh,
    points: Points,
    /// The bone of points without influences, which the format requires in skinned meshes.
    default_bone: Option<usize>,
    conventions: &'static Conventions,
}

impl Body {
    fn new(
        mut mesh: Mesh,
        skeleton: &Skeleton,
        conventions: &'static Conventions,
        author: &mut Author<'_>,
    ) -> Self {
        author.limit_influences(&mut mesh, skeleton, conventions.max_influences);
        let points = Points::of(&mesh, true);
        author.remove_degenerate(&mut mesh, &points);
        let mesh = compact(mesh);
        let is_same = mesh.positions.len() == points.of_vertices().len();
        let points = if is_same { points } else { Points::of(&mesh, true) };
        let weights = mesh.skin.as_ref().map(|skin| &skin.weights).filter(|weights| weights.most() > 0);
        let unskinned = if conventions.needs_bones { mesh.positions.len() } else { 0 };
        let loose = weights
            .map_or(unskinned, |weights| (0..weights.len()).filter(|at| weights.of(*at).is_empty()).count());
        let default_bone = skeleton.order().first().copied().filter(|_| loose > 0);
        if let Some(bone) = default_bone {
            let name = format!("{:?}", skeleton.bones()[bone].name);
            author.report_losses(loose, Lost::LooseVertices.with(name));
        }
        Self { mesh, points, default_bone, conventions }
    }

    fn chunks(
        self,
        bones: Bones,
        sockets: Vec<Socket>,
        space: Space,
        author: &mut Author<'_>,
    ) -> Result<Vec<Chunk>, AuthorError> {
        let materials = self.materials(author)?;
        let (wedges, faces, order) = self.wedges(materials.len());
        let mesh = &self.mesh;
        let first = self.points.first();
        author.limit("wedges", wedges.len(), self.conventions.max_wedges, REDUCE)?;
        author.limit("points", first.len(), self.conventions.max_points, REDUCE)?;
        let points: Vec<[f32; 3]> =
            first.iter().map(|own| space.point(mesh.positions[*own as usize].into()).into()).collect();
        let normal = |own: &u32| Some(space.direction((*mesh.normals.get(*own as usize)?).into()).into());
        let normals: Vec<[f32; 3]> = first.iter().filter_map(normal).collect();
        let weights = self.weights(&bones.places);
        let mut parts = vec![
            (ChunkKind::POINTS.id_text(), Records::Points(points.into())),
            (ChunkKind::WEDGES.id_text(), Records::Wedges(wedges.into())),
            faces,
            (ChunkKind::MATERIALS.id_text(), Records::Materials(materials.into())),
            (ChunkKind::BONES.id_text(), Records::Bones(bones.records.into())),
            (ChunkKind::WEIGHTS.id_text(), Records::Weights(weights.into())),
        ];
        if !mesh.colors.is_empty() {
            let colors: Vec<_> = order.iter().map(|own| color(mesh.colors[*own as usize])).collect();
            parts.push((ChunkKind::VERTEX_COLORS.id_text(), Records::VertexColors(colors.into())));
        }
        let ids: Vec<_> = (0..mesh.uvs.len()).map(|set| self.conventions.uv_id(set)).collect();
        for (set, id) in mesh.uvs.iter().skip(1).zip(&ids) {
            let uvs: Vec<[f32; 2]> = order.iter().map(|own| set[*own as usize].into()).collect();
            parts.push((id, Records::ExtraUvs(uvs.into())));
        }
        let mut version = stamp::COLORS;
        if !normals.is_empty() {
            version = stamp::NORMALS;
            parts.push((ChunkKind::NORMALS.id_text(), Records::Normals(normals.into())));
        }
        if !mesh.morphs.is_empty() {
            version = stamp::MORPHS;
            let (infos, deltas) = self.morphs(space, author);
            parts.push((ChunkKind::MORPH_INFOS.id_text(), Records::MorphInfos(infos.into())));
            parts.push((ChunkKind::MORPH_DELTAS.id_text(), Records::MorphDeltas(deltas.into())));
        }
        if !sockets.is_empty() {
            version = stamp::MORPHS;
            parts.push((ChunkKind::SOCKETS.id_text(), Records::Sockets(sockets.into())));
        }
        Ok(self.conventions.chunks(ChunkKind::MESH_HEAD, version, parts))
    }

    /// The materials, with one for triangles that have none.
    fn materials(&self, author: &mut Author<'_>) -> Result<Vec<Material>, AuthorError> {
        let scene = author.scene();
        let is_bare = self.mesh.primitives.iter().any(|own| own.material.is_none());
        let added = is_bare && !scene.materials.is_empty();
        author.limit("materials", scene.materials.len() + usize::from(added), MAX_MATERIALS, FEWER)?;
        let names_of = scene.materials.iter().map(|own| &*own.name).chain(added.then_some("none"));
        let fitted = author.fit_names(names("material", 63), names_of);
        let bare = scene::Material::default();
        let all = scene.materials.iter().chain(added.then_some(&bare));
        let mut materials = Vec::new();
        for (index, (own, name)) in all.zip(fitted).enumerate() {
            if own.double_sided && own.alpha != Alpha::Opaque {
                author.report_loss(Lost::BackFaces.of("material", &own.name));
            }
            let kind = match own.alpha {
                Alpha::Blend | Alpha::Additive => 2,
                Alpha::Mask => 3,
                Alpha::Modulate => 4,
                Alpha::Opaque => u8::from(own.double_sided),
            };
            materials.push(Material {
                name: fixed(&name),
                texture_index: number(index),
                poly_flags: PolyFlags::new().with_triangle_type(kind).with_unlit(own.unlit),
                ..Material::default()
            });
        }
        Ok(materials)
    }

    /// The wedges, the faces over them, and the vertex of each wedge.
    fn wedges(&self, num_materials: usize) -> (Vec<Wedge>, (&'static str, Records), Vec<u32>) {
        let mesh = &self.mesh;
        let mut weld = Weld::default();
        let mut order = Vec::new();
        let mut faces = Vec::new();
        let bare = u8::try_from(num_materials.saturating_sub(1)).unwrap_or(u8::MAX);
        for primitive in &mesh.primitives {
            let material = primitive.material.and_then(|own| u8::try_from(own).ok()).unwrap_or(bare);
            for corners in &primitive.triangles {
                let wedge_indices = turned_over(corners.map(|vertex| {
                    let wedge = weld.add((vertex, material));
                    if wedge as usize == order.len() {
                        order.push(vertex);
                    }
                    wedge
                }));
                faces.push(Face32 {
                    wedge_indices,
                    material_index: material,
                    smoothing_groups: SmoothingGroups::new().with_group_1(true),
                    ..Face32::default()
                });
            }
        }
        let wedge = |(vertex, material): &(u32, u8)| {
            let point = self.points.of_vertices()[*vertex as usize];
            let uv = mesh.uvs.first().and_then(|set| set.get(*vertex as usize)).copied().unwrap_or_default();
            let [low, high] = [point & 0xffff, point >> 16].map(|half| u16::try_from(half).unwrap_or(0));
            Wedge {
                point_index_low: low,
                point_index_high: high,
                u: uv.x,
                v: uv.y,
                material_index: *material,
                ..Wedge::default()
            }
        };
        let wedges: Vec<_> = weld.vertices().iter().map(wedge).collect();
        let narrow = |own: &Face32| Face {
            wedge_indices: own.wedge_indices.map(|index| u16::try_from(index).unwrap_or(0)),
            material_index: own.material_index,
            aux_material_index: 0,
            smoothing_groups: own.smoothing_groups,
        };
        let faces = if wedges.len() > 1 << 16 {
            (ChunkKind::FACES_32.id_text(), Records::Faces32(faces.into()))
        } else {
            let faces: Vec<_> = faces.iter().map(narrow).collect();
            (ChunkKind::FACES.id_text(), Records::Faces(faces.into()))
        };
        (wedges, faces, order)
    }

    fn weights(&self, places: &[i32]) -> Vec<Weight> {
        let skin = self.mesh.skin.as_ref().filter(|skin| skin.weights.most() > 0);
        if skin.is_none() && self.default_bone.is_none() {
            return Vec::new();
        }
        let of_point = |(point, vertex): (usize, &u32)| {
            let own = skin.map_or(&[][..], |skin| skin.weights.of(*vertex as usize));
            let default = self.default_bone.filter(|_| own.is_empty()).map(|bone| (bone, 1.0));
            let own = own.iter().map(|own| (own.joint as usize, own.weight)).chain(default);
            own.map(move |(bone, weight)| Weight {
                weight,
                point_index: number(point),
                bone_index: places[bone],
            })
        };
        self.points.first().iter().enumerate().flat_map(of_point).collect()
    }

    fn morphs(&self, space: Space, author: &mut Author<'_>) -> (Vec<MorphInfo>, Vec<MorphDelta>) {
        let fitted =
            author.fit_names(names("morph target", 63), self.mesh.morphs.iter().map(|own| &*own.name));
        let mut deltas = Vec::new();
        let mut infos = Vec::new();
        for (morph, name) in self.mesh.morphs.iter().zip(fitted) {
            let first = deltas.len();
            // The first vertex of a point stands for all of them.
            let firsts = morph.deltas.iter().filter(|own| {
                let point = self.points.of_vertices()[own.vertex as usize];
                self.points.first()[point as usize] == own.vertex
            });
            deltas.extend(firsts.map(|own| MorphDelta {
                position_delta: mirrored(space.point(own.position.into()).into()),
                normal_delta: mirrored(space.direction(own.normal.into()).into()),
                point_index: number(self.points.of_vertices()[own.vertex as usize] as usize),
            }));
            infos.push(MorphInfo { name: fixed(&name), num_vertices: number(deltas.len() - first) });
        }
        (infos, deltas)
    }
}

fn color(shares: [f32; 4]) -> VertexColor {
    VertexColor { bytes: scene::color_bytes(shares) }
}

impl FromScene for Psa {
    const HOLDS: &'static [SceneContent] = &[SceneContent::Clips, SceneContent::MorphClips];
    const HAS_ONE_ROOT: bool = true;
    const PROGRAMS: &'static [Program] = PROGRAMS;

    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        let sources = author.clips();
        if sources.is_empty() {
            return Err(AuthorError::empty("clips"));
        }
        if author.scene().skeleton.bones().is_empty() {
            return Err(AuthorError::empty("bones"));
        }
        let space = author.space(SPACE);
        let conventions = Conventions::of(author);
        let skeleton = conventions.with_bones(author.rigid_skeleton(), author);
        let clips = author.rigid_clips(&sources, conventions.scale_keys)?;
        let bones = Bones::new(&skeleton, space, author);
        let fitted = author.fit_names(names("clip", 63), clips.iter().map(|clip| &*clip.name));
        let mut sequences = Vec::new();
        let (mut keys, mut scales, mut num_frames) = (Vec::new(), Vec::new(), 0_usize);
        let mut curves = Vec::new();
        for (clip, name) in clips.iter().zip(&fitted) {
            let num_curves = morph_curves(clip, author.meshes()).len();
            if !conventions.curves {
                author.report_losses(num_curves, Lost::MorphCurvesNotRead.of("clip", &clip.name));
            }
            let frames =
                author.frames(clip, FRAME * bones.records.len() + 2 * size_of::<f32>() * num_curves)?;
            sequences.push(sequence(name, frames, num_frames, bones.records.len()));
            num_frames = num_frames.saturating_add(frames.len);
            let num_keys = num_frames.saturating_mul(bones.records.len());
            author.limit("keys", num_keys, i32::MAX as usize, SHORTEN)?;
            for pose in author.sample(clip, &skeleton, frames) {
                keys.extend(frame_keys(&pose, &skeleton, space));
                scales.extend(skeleton.order().iter().map(|bone| pose[*bone].scale));
            }
            curves.push(if conventions.curves {
                weights(clip, frames, author)
            } else {
                Curves::new(frames.len)
            });
        }
        let scales = if conventions.scale_keys { scale_keys(scales, space) } else { Vec::new() };
        for sequence in &mut sequences {
            sequence.scale_include = i32::from(!scales.is_empty());
        }
        let mut parts = vec![
            (ChunkKind::ANIMATED_BONES.id_text(), Records::Bones(bones.records.into())),
            (ChunkKind::SEQUENCES.id_text(), Records::Sequences(sequences.into())),
            (ChunkKind::KEYS.id_text(), Records::Keys(keys.into())),
        ];
        if conventions.has_scale_chunk(&scales) {
            parts.push((ChunkKind::SCALE_KEYS.id_text(), Records::ScaleKeys(scales.into())));
        }
        let has_curves = curves.iter().any(|curves| !curves.is_empty());
        let version = if has_curves { stamp::CURVES } else { stamp::SCALE_KEYS };
        let mut file = Self::blank_file();
        let mut all = conventions.chunks(ChunkKind::ANIMATION_HEAD, version, parts);
        if has_curves {
            all.extend(curves.into_iter().zip(&fitted).map(|(curves, name)| curve_chunk(name, curves)));
        }
        file.chunks = all.into();
        Ok(vec![Authored { name: author.name().to_owned(), file }])
    }
}

/// The memory of the key of a bone and of its scale, and of the lists when they grow.
const FRAME: usize = 2 * (size_of::<Key>() + size_of::<Vec3>());

#[expect(clippy::cast_precision_loss, reason = "frames are far fewer than 2^24")]
fn sequence(name: &[u8], frames: Frames, first: usize, num_bones: usize) -> Sequence {
    Sequence {
        name: fixed(name),
        group: fixed(b"None"),
        total_bones: number(num_bones),
        key_quotum: number(num_bones.saturating_mul(frames.len)),
        key_reduction: 1.0,
        track_time: frames.len as f32,
        rate: frames.rate,
        first_raw_frame: number(first),
        num_raw_frames: number(frames.len),
        ..Sequence::default()
    }
}

fn frame_keys<'a>(pose: &'a Pose, skeleton: &'a Skeleton, space: Space) -> impl Iterator<Item = Key> + 'a {
    skeleton.order().iter().map(move |bone| {
        let is_root = skeleton.bones()[*bone].parent.is_none();
        let (position, orientation) = stored(pose[*bone], is_root, space);
        Key { position, orientation, time: 1.0 }
    })
}

/// The keys of the scale of every bone in every frame; none if nothing is scaled.
fn scale_keys(scales: Vec<Vec3>, space: Space) -> Vec<ScaleKey> {
    if scales.iter().all(|own| own.abs_diff_eq(Vec3::ONE, 1e-5)) {
        return Vec::new();
    }
    let key = |own: Vec3| ScaleKey { scale: space.scale(own.into()).into(), time: 1.0 };
    scales.into_iter().map(key).collect()
}

/// The weights of the morph targets of a clip, at each frame.
fn weights(clip: &Clip, frames: Frames, author: &mut Author<'_>) -> Curves {
    author.report_morph_deviations(clip, frames);
    let mut curves = Curves::new(frames.len);
    for (name, weight) in morph_curves(clip, author.meshes()) {
        let Some(weights) = frames.sample(weight) else { continue };
        let bytes = name_bytes(&name);
        if bytes.len() > 127 || bytes.contains(&0) {
            author.report_loss(Lost::LongTrackName.of("morph track", &name).of("clip", &clip.name));
            continue;
        }
        curves.push(Curve { name: fixed(&bytes), weights: FixedLenList::from(weights) });
    }
    curves
}

/// The chunk of a sequence: its id is the beginning of the name and a suffix.
fn curve_chunk(name: &[u8], curves: Curves) -> Chunk {
    let id = [&name[..name.len().min(14)], ChunkKind::CURVES.id_text().as_bytes()].concat();
    Chunk { id: fixed(&id), ..Chunk::new("", Records::Curves(curves)) }
}
