//! Writes a scene as an Inter-Quake Model.
//!
//! Bones and vertices are exact up to the rounding of floats. Weights are multiples of 1/255, and colours have 8 bits. Each
//! channel of a pose has 65,536 steps between its least and its greatest value in all clips.

use std::collections::HashSet;

use glam::Vec3;

use super::super::conventions::{SPACE, turned};
use super::super::edit::Text;
use super::super::pose::{Column, with_negative_w};
use super::super::rescue::LISTS;
use super::super::{Anim, BlendIndexes, Bounds, Iqm, Joint, MAX_NAME, Mesh, VertexData};
use crate::codec::Format;
use crate::scene::author::{
    Attributes, Author, AuthorError, Authored, FromScene, MAX_FRAMES, MaterialFields, NameRules,
    SceneContent, TextureSlots, names_group, number, shares, split, with_tangents,
};
use crate::scene::{self, Lost, Skeleton, Skin, Space, TextureRole, Transform};
use crate::schema::Schema;
use crate::wire::{Bytes, FixedLenList, List};

const ATTRIBUTES: Attributes = Attributes { uv_sets: 1, colors: true, tangents: true, morphs: false };

/// A mesh has the path of its image, or else the name of its material.
const FIELDS: MaterialFields =
    MaterialFields { textures: TextureSlots::Each(&[TextureRole::Color]), ..MaterialFields::NONE };

/// Joints of vertices are bytes.
const MAX_JOINTS: usize = 256;

const BONES: &str = "remove bones, or choose another format, such as psk";
const REDUCE: &str = "reduce the mesh";

/// The weight that means 1.
const FULL: u32 = 255;

const fn names(what: &'static str, unique: bool) -> NameRules {
    NameRules { what, most: MAX_NAME, unique, ignore_case: false, allows: |byte| byte != 0 }
}

impl FromScene for Iqm {
    const HOLDS: &'static [SceneContent] = &[
        SceneContent::Skeleton,
        SceneContent::Meshes,
        SceneContent::Materials,
        SceneContent::Textures,
        SceneContent::Clips,
    ];

    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        let scene = author.scene();
        let skeleton = &scene.skeleton;
        if author.meshes().is_empty() && skeleton.bones().is_empty() {
            return Err(AuthorError::empty("meshes or bones"));
        }
        author.limit("bones", skeleton.bones().len(), MAX_JOINTS, BONES)?;
        let mut file = Self::blank_file();
        let mut text = Text::default();
        let rig = Rig::new(skeleton, author);
        author.report_mesh_names(names_group);
        let meshes = meshes(skeleton, author)?;
        file.add_joints(&rig, &mut text, author.space(SPACE));
        file.add_meshes(&meshes, &rig, &mut text, author);
        file.add_clips(&meshes, &rig, &mut text, author)?;
        file.sections.text = Bytes(text.bytes).into();
        file.remove_empty_parts();
        file.sections.align(Self::HEAD, 4);
        Ok(vec![Authored { name: author.name().to_owned(), file }])
    }
}

/// The bones in the order of the file: parents precede their children.
struct Rig<'a> {
    skeleton: &'a Skeleton,
    names: Vec<Vec<u8>>,
    /// The index in the file of each bone.
    places: Vec<u8>,
}

impl<'a> Rig<'a> {
    fn new(skeleton: &'a Skeleton, author: &mut Author<'_>) -> Self {
        let names = author.fit_names(names("bone", true), skeleton.bones().iter().map(|bone| &*bone.name));
        Self { skeleton, names, places: skeleton.places().into_iter().map(number).collect() }
    }

    fn parent(&self, bone: usize) -> i32 {
        self.skeleton.bones()[bone].parent.map_or(-1, |parent| self.places[parent].into())
    }
}

/// Returns a mesh for each primitive, in the bind pose.
fn meshes(skeleton: &Skeleton, author: &mut Author<'_>) -> Result<Vec<scene::Mesh>, AuthorError> {
    let mut meshes = author.bound(skeleton);
    author.report_unused_vertices(&meshes);
    author.unit_normals(&mut meshes);
    author.keep(&mut meshes, ATTRIBUTES);
    author.report_fields(FIELDS);
    // All vertices of a file have tangents, or none.
    let has_tangents = author.settings().tangents || meshes.iter().any(|own| !own.tangents.is_empty());
    for mesh in &mut meshes {
        if has_tangents && mesh.tangents.is_empty() {
            *mesh = with_tangents(mesh);
        }
        author.limit_influences(mesh, skeleton, 4);
        author.attach_loose(mesh, skeleton);
        author.report_shares(mesh, FULL);
    }
    let vertices = meshes.iter().map(|own| own.positions.len()).sum();
    author.limit("vertices", vertices, i32::MAX as usize, REDUCE)?;
    let mut meshes: Vec<_> = meshes.into_iter().flat_map(split).collect();
    meshes.retain(|own| own.num_triangles() > 0);
    Ok(meshes)
}

impl Iqm {
    fn add_joints(&mut self, rig: &Rig<'_>, text: &mut Text, space: Space) {
        let joint = |bone: &usize| {
            let (translate, rotate, scale) = stored(rig.skeleton.bones()[*bone].bind, space);
            let name = text.add(&rig.names[*bone], 1);
            Joint { name, parent: rig.parent(*bone), translate, rotate, scale }
        };
        self.sections.joints = rig.skeleton.order().iter().map(joint).collect::<List<_>>().into();
    }

    fn add_meshes(
        &mut self,
        meshes: &[scene::Mesh],
        rig: &Rig<'_>,
        text: &mut Text,
        author: &mut Author<'_>,
    ) {
        report_materials(meshes, author);
        let (mut own_meshes, mut triangles) = (Vec::new(), Vec::new());
        let mut vertices = 0;
        for (mesh, primitive) in meshes.iter().filter_map(|mesh| Some((mesh, mesh.primitives.first()?))) {
            let name = if primitive.name.is_empty() { &mesh.name } else { &primitive.name };
            let material = primitive.material.and_then(|own| author.scene().materials.get(own));
            let material = material.map_or_else(String::new, |own| reported_name(own, author));
            let material = text.add(&fitted("material", &material, author), 1);
            let (num_vertexes, num_triangles) =
                (number(mesh.positions.len()), number(primitive.triangles.len()));
            own_meshes.push(Mesh {
                name: text.add(&fitted("mesh", name, author), 1),
                material,
                first_vertex: vertices,
                num_vertexes,
                first_triangle: number(triangles.len()),
                num_triangles,
            });
            triangles
                .extend(primitive.triangles.iter().map(|own| turned(*own).map(|vertex| vertices + vertex)));
            vertices += num_vertexes;
        }
        self.num_vertexes = vertices;
        self.sections.meshes = List::from(own_meshes).into();
        self.sections.triangles = List::from(triangles).into();
        let data = vertex_data(meshes, rig, author.space(SPACE));
        self.sections.set_arrays(data.into_iter().filter_map(|own| Some((own.array()?, own))));
    }

    fn add_clips(
        &mut self,
        meshes: &[scene::Mesh],
        rig: &Rig<'_>,
        text: &mut Text,
        author: &mut Author<'_>,
    ) -> Result<(), AuthorError> {
        let (mut anims, mut bounds) = (Vec::new(), Vec::new());
        let space = author.space(SPACE);
        let bones = rig.skeleton.bones().len();
        let mut columns = vec![Vec::new(); bones];
        let mut len = 0;
        let clips = if bones == 0 { Vec::new() } else { author.clips() };
        let fitted = author.fit_names(names("clip", true), clips.iter().map(|clip| &*clip.name));
        for (clip, name) in clips.into_iter().zip(&fitted) {
            let memory = size_of::<[f32; 10]>() * bones + size_of::<Bounds>();
            let frames = author.frames(clip, memory)?;
            author.limit(
                "frames",
                len + frames.len,
                MAX_FRAMES,
                "choose a lower rate, or shorten the clips",
            )?;
            anims.push(Anim {
                name: text.add(name, 1),
                first_frame: number(len),
                num_frames: number(frames.len),
                framerate: frames.rate,
                ..Anim::default()
            });
            len += frames.len;
            for pose in author.sample(clip, rig.skeleton, frames) {
                for (bone, column) in rig.skeleton.order().iter().zip(&mut columns) {
                    let ([tx, ty, tz], [rx, ry, rz, rw], [sx, sy, sz]) = stored(pose[*bone], space);
                    column.push([tx, ty, tz, rx, ry, rz, rw, sx, sy, sz]);
                }
                let placed = rig.skeleton.model_space(&pose);
                let skinned = meshes.iter().map(|own| (own.skin.as_ref(), &*own.positions));
                let points = skinned.flat_map(|(skin, own)| moved(skin, own, &placed));
                bounds.extend(Bounds::around(points.map(|point| space.point(point.into()))));
            }
        }
        if anims.is_empty() {
            return Ok(());
        }
        let columns = rig.skeleton.order().iter().zip(columns);
        self.set_columns(
            columns.map(|(bone, own)| Column::new(rig.parent(*bone), &own)).collect(),
            number(len),
        );
        self.sections.anims = List::from(anims).into();
        if !bounds.is_empty() {
            self.sections.bounds = FixedLenList::from(bounds).into();
        }
        Ok(())
    }

    /// Parts without content have the offset 0.
    fn remove_empty_parts(&mut self) {
        for part in LISTS {
            if self.sections.count_of(part) == Ok(0) {
                self.sections.remove(part);
            }
        }
    }
}

/// The bytes of a name that can occur several times.
fn fitted(what: &'static str, name: &str, author: &mut Author<'_>) -> Vec<u8> {
    author.fit_names(names(what, false), [name]).remove(0)
}

/// Materials are names in meshes: those that no mesh uses are not written, and those of one name become one.
fn report_materials(meshes: &[scene::Mesh], author: &mut Author<'_>) {
    let primitives = meshes.iter().flat_map(|mesh| &mesh.primitives);
    let used: HashSet<_> = primitives.filter_map(|own| own.material).collect();
    let mut names = HashSet::new();
    for (index, own) in author.scene().materials.iter().enumerate() {
        if !used.contains(&index) || stored_name(own).is_empty() {
            author.report_loss(Lost::UnwrittenMaterial.of("material", &own.name));
        } else if !names.insert(stored_name(own)) {
            author.report_loss(Lost::MaterialOfSameName.of("material", &own.name));
        }
    }
}

/// The path of the image, or else the name of the material.
fn stored_name(material: &scene::Material) -> &str {
    material.color_texture().unwrap_or(&material.name)
}

/// Returns the stored name of a material, and reports another one.
fn reported_name(material: &scene::Material, author: &mut Author<'_>) -> String {
    let name = stored_name(material);
    if name != material.name {
        let renamed = Lost::Renamed.of("material", &material.name);
        author.report_loss(renamed.with(format_args!("{name:?}, its image")));
    }
    name.to_owned()
}

/// The translation, the rotation and the scale of a pose.
fn stored(own: Transform, space: Space) -> ([f32; 3], [f32; 4], [f32; 3]) {
    let own = space.transform(own.translation.into(), own.rotation.to_array(), own.scale.into());
    (own.translation.into(), with_negative_w(own.rotation), own.scale.into())
}

/// The positions of a mesh in a pose.
fn moved(skin: Option<&Skin>, positions: &[Vec3], placed: &[glam::Affine3A]) -> Vec<Vec3> {
    skin.map_or_else(|| positions.to_vec(), |skin| skin.deform(placed, positions))
}

/// A value for each vertex of the meshes.
fn by_vertex<T, C: From<Vec<T>>>(meshes: &[scene::Mesh], value: impl Fn(&scene::Mesh, usize) -> T) -> C {
    let vertices = meshes.iter().flat_map(|mesh| (0..mesh.positions.len()).map(move |vertex| (mesh, vertex)));
    vertices.map(|(mesh, vertex)| value(mesh, vertex)).collect::<Vec<_>>().into()
}

/// The vertex data, in the order of the types.
fn vertex_data(meshes: &[scene::Mesh], rig: &Rig<'_>, space: Space) -> Vec<VertexData> {
    if meshes.is_empty() {
        return Vec::new();
    }
    let point = |mesh: &scene::Mesh, vertex: usize| space.point(mesh.positions[vertex].into()).into();
    let uv = |mesh: &scene::Mesh, vertex: usize| {
        mesh.uvs.first().and_then(|set| set.get(vertex)).copied().unwrap_or_default().into()
    };
    let normal = |mesh: &scene::Mesh, vertex: usize| space.direction(mesh.normals[vertex].into()).into();
    let tangent = |mesh: &scene::Mesh, vertex: usize| {
        let own = mesh.tangents[vertex];
        space.direction(own.truncate().into()).extend(own.w).into()
    };
    let color = |mesh: &scene::Mesh, vertex: usize| {
        scene::color_bytes(mesh.colors.get(vertex).copied().unwrap_or([1.0; 4]))
    };
    let mut data = vec![
        VertexData::Positions(by_vertex(meshes, point)),
        VertexData::Texcoords(by_vertex(meshes, uv)),
        VertexData::Normals(by_vertex(meshes, normal)),
    ];
    if meshes.iter().any(|mesh| !mesh.tangents.is_empty()) {
        data.push(VertexData::Tangents(by_vertex(meshes, tangent)));
    }
    if meshes.iter().any(|mesh| mesh.skin.is_some()) && !rig.places.is_empty() {
        let own: Vec<_> = by_vertex(meshes, |mesh, vertex| influences(mesh, vertex, rig));
        let (joints, weights): (Vec<_>, Vec<_>) = own.into_iter().unzip();
        data.extend([VertexData::BlendIndexes(joints.into()), VertexData::BlendWeights(weights.into())]);
    }
    if meshes.iter().any(|mesh| !mesh.colors.is_empty()) {
        data.push(VertexData::Colors(by_vertex(meshes, color)));
    }
    data
}

/// Up to four joints of a vertex and their weights. A mesh without a skin follows the first joint.
fn influences(mesh: &scene::Mesh, vertex: usize, rig: &Rig<'_>) -> (BlendIndexes, [u8; 4]) {
    let own = mesh.skin.as_ref().map_or(&[][..], |skin| skin.weights.of(vertex));
    let (mut joints, mut weights) = ([0; 4], [0; 4]);
    for (slot, (own, share)) in own.iter().zip(shares(own, FULL)).take(4).enumerate() {
        joints[slot] = rig.places.get(own.joint as usize).copied().unwrap_or(0);
        weights[slot] = u8::try_from(share).unwrap_or(u8::MAX);
    }
    if weights == [0; 4] {
        weights[0] = u8::MAX;
    }
    (BlendIndexes { joints }, weights)
}
