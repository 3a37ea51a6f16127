//! Converts meshes, materials and skins.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use glam::{Affine3A, Vec2, Vec3, Vec4};

use super::super::conventions::SPACE;
use super::super::{
    Child, Frame, Material, Mesh, MeshMaterialList, MeshNormals, Object, Objects, Ragged, SkinWeights,
    TextureFilename, View as _,
};
use super::corners::{Corner, Corners};
use super::vertex::Vertices;
use super::{Frames, by_name, matrix, read, read_objects, shallow_path};
use crate::FieldPath;
use crate::check::common::field_path;
use crate::scene::{
    self, Attribute, Builder, Joint, Lost, Names, Primitive, Property, Skin, Space, Target, Texture,
    TextureRole,
};

/// The normal index of a corner without normal.
const NONE: u32 = u32::MAX;

pub(super) fn add(objects: &Objects<'_>, frames: &Frames, scene: &mut Builder<'_>) {
    let mut materials = Materials { named: by_name(objects, Material::TEMPLATE), known: HashMap::new() };
    let names = scene.bone_names();
    let (attached, again) = attached(objects, frames);
    scene.report_losses(again, Lost::MeshInstances);
    for object in objects.all().filter(|object| object.is(Mesh::TEMPLATE)) {
        let bone = frames.above(object).or_else(|| attached.get(&object.index()).copied());
        let view = object.view_and_surplus::<Mesh>();
        let surplus = matches!(view, Some(Ok((_, true))));
        scene.report_losses(surplus.into(), Lost::SurplusObjects.with("meshes"));
        match view {
            Some(Ok((mesh, _))) if scene.settings().names_only => {
                add_names(object, &mesh, &mut materials, scene);
            }
            Some(Ok((mesh, _))) => {
                let rig =
                    Rig { bone, is_mirrored: bone.is_some_and(|bone| frames.mirrored[bone]), names: &names };
                add_mesh(object, mesh, &rig, &mut materials, scene);
            }
            _ => scene.report_losses(1, Lost::InvalidObjects.with("meshes")),
        }
    }
    // Those that no mesh uses.
    for object in objects.all().filter(|object| object.is(Material::TEMPLATE)) {
        materials.add(object, scene);
    }
}

/// The bones that a mesh can be attached to.
struct Rig<'a> {
    bone: Option<usize>,
    /// Whether the transform of the bone to model space is mirrored.
    is_mirrored: bool,
    names: &'a Names,
}

/// Returns the bones of meshes that frames refer to, and the number of repeated references.
fn attached(objects: &Objects<'_>, frames: &Frames) -> (HashMap<u32, usize>, usize) {
    let meshes = by_name(objects, Mesh::TEMPLATE);
    let mut attached = HashMap::new();
    let mut again = 0;
    for frame in objects.all().filter(|object| object.is(Frame::TEMPLATE)) {
        let bone = frames.bones.get(&frame.index());
        let referred = frame.references().filter_map(|reference| meshes.get(reference.name));
        for (mesh, bone) in referred.filter_map(|mesh| Some((mesh, *bone?))) {
            again += usize::from(attached.contains_key(&mesh.index()) || frames.above(*mesh).is_some());
            attached.entry(mesh.index()).or_insert(bone);
        }
    }
    (attached, again)
}

/// Materials, shared between meshes.
struct Materials<'a> {
    named: HashMap<&'a [u8], Object<'a>>,
    known: HashMap<u32, Option<usize>>,
}

impl Materials<'_> {
    /// Returns the materials of a list; `None` for unresolved references.
    fn of(&mut self, list: Object<'_>, scene: &mut Builder<'_>) -> Vec<Option<usize>> {
        let children = list.children().filter_map(|child| match child {
            Child::Object(object) => object.is(Material::TEMPLATE).then_some(Some(object)),
            Child::Reference(reference) => Some(self.named.get(reference.name).copied()),
        });
        let children: Vec<_> = children.collect();
        let missing = children.iter().filter(|child| child.is_none()).count();
        scene.report_losses(missing, Lost::MaterialReferences);
        children.into_iter().map(|object| self.add(object?, scene)).collect()
    }

    /// Returns a material, which is added the first time; none if it is invalid.
    fn add(&mut self, object: Object<'_>, scene: &mut Builder<'_>) -> Option<usize> {
        *self.known.entry(object.index()).or_insert_with(|| Self::read(object, scene))
    }

    fn read(object: Object<'_>, scene: &mut Builder<'_>) -> Option<usize> {
        let Some(Ok(own)) = object.view::<Material>() else {
            scene.report_losses(1, Lost::InvalidMaterials);
            return None;
        };
        let textures = read::<TextureFilename>(object, scene);
        // MikuMikuDance appends the sphere map.
        let split = |own: &TextureFilename| own.filename.iter().position(|byte| *byte == b'*');
        let name =
            |own: &TextureFilename| scene::name(&own.filename[..split(own).unwrap_or(own.filename.len())]);
        // The first one that there is has the colour.
        let names = textures.iter().map(name).filter(|name| !name.is_empty());
        let sphere = |own: &TextureFilename| Some(scene::name(&own.filename[split(own)? + 1..]));
        let spheres = textures.iter().filter_map(sphere).map(|path| Texture::new(path, TextureRole::Sphere));
        let added = scene.add_material(scene::Material {
            name: scene::name(object.name()),
            color: own.face_color,
            emissive: own.emissive_color,
            specular: own.specular_color,
            shininess: own.power,
            textures: Texture::list(names).into_iter().chain(spheres).collect(),
            ..scene::Material::default()
        });
        if let Some(path) = shallow_path(object) {
            for (property, field) in [(Property::Color, "faceColor"), (Property::Emissive, "emissiveColor")] {
                scene.trace_material(added, property, path.clone(), field_path![field]);
            }
        }
        Some(added)
    }
}

/// Adds the materials and the name of a mesh.
fn add_names(object: Object<'_>, own: &Mesh, materials: &mut Materials<'_>, scene: &mut Builder<'_>) {
    scene.within("mesh", &scene::name(object.name()));
    if let Some(list) = object.children_of(MeshMaterialList::TEMPLATE).next() {
        materials.of(list, scene);
    }
    if own.faces.iter().any(|face| is_polygon(face, own.vertices.len())) {
        scene.add_mesh_names(scene.called(object.name()), []);
    }
}

/// Returns whether a face has three or more corners, which refer to existing vertices.
fn is_polygon(face: &[u32], num_vertices: usize) -> bool {
    face.len() >= 3 && face.iter().all(|vertex| (*vertex as usize) < num_vertices)
}

fn add_mesh(
    object: Object<'_>,
    mut own: Mesh,
    rig: &Rig<'_>,
    materials: &mut Materials<'_>,
    scene: &mut Builder<'_>,
) {
    let space = scene.space(SPACE);
    scene.within("mesh", &scene::name(object.name()));
    let vertices = Vertices::of(object, &own, scene);
    let mut normals = Normals::of(object, &vertices, scene);
    let mut corners = Corners::new(own.vertices.len());
    let primitives = primitives(object, &own, &normals, &mut corners, materials, scene);
    // The largest lists are not needed any more.
    (own.faces, normals.faces) = (Ragged::default(), None);
    let corners = corners.vertices();
    let points = || corners.iter().map(|corner| corner.0);
    scene.report_unused(own.vertices.len(), points());
    let position = |point: u32| own.vertices.get(point as usize).map_or(Vec3::ZERO, |at| space.point(*at));
    let uvs = |list: &Vec<[f32; 2]>| {
        points().map(|point| list.get(point as usize).map_or(Vec2::ZERO, |uv| Vec2::from(*uv))).collect()
    };
    let skin = skin(object, &own, corners, rig, scene);
    let mut mesh = scene::Mesh {
        name: scene.called(object.name()),
        // A skin determines the position of the mesh, independent of its frame.
        bone: rig.bone.filter(|_| skin.is_none()),
        positions: points().map(position).collect(),
        uvs: vertices.uvs.iter().map(uvs).collect(),
        colors: colors(&vertices, points(), scene),
        primitives,
        skin,
        ..scene::Mesh::default()
    };
    // Direct3D determines the front side in world space, glTF before mirroring.
    if rig.is_mirrored && mesh.bone.is_some() {
        mesh.flip();
    }
    smooth(&mut mesh, corners, &normals, space, scene);
    mesh.tangents = tangents(&vertices, &mesh.normals, points(), space);
    let records: Arc<[u32]> = points().collect();
    let Some(path) = shallow_path(object) else {
        scene.add_mesh(mesh);
        return;
    };
    let positions = path.join(&field_path!["vertices"]);
    let added = scene.add_mesh_from(mesh, positions, FieldPath::root(), Arc::clone(&records));
    let Some(mesh) = added else { return };
    let mut trace = |attribute, list: FieldPath, records| {
        scene.trace(Target::Vertices { mesh, attribute }, list, FieldPath::root(), records);
    };
    for (set, (path, uvs)) in vertices.uv_paths.iter().zip(&vertices.uvs).enumerate() {
        if let Some(path) = path {
            let records = scene::existing(&records, uvs.len());
            trace(Attribute::Uv(set), path.join(&field_path!["textureCoords"]), records);
        }
    }
    if let Some(path) = normals.path {
        let records = corners.iter().map(|corner| corner.1).collect();
        let records = scene::existing(&records, normals.list.len());
        trace(Attribute::Normal, path.join(&field_path!["normals"]), records);
    }
}

/// The normals of a mesh: those of an object, or of its vertex data.
struct Normals<'a> {
    list: Cow<'a, [[f32; 3]]>,
    /// The normals of the corners of each face; none if they are those of the vertices.
    faces: Option<Ragged<u32>>,
    /// The path of the object.
    path: Option<FieldPath>,
}

impl<'a> Normals<'a> {
    fn of(object: Object<'_>, vertices: &'a Vertices, scene: &mut Builder<'_>) -> Self {
        let mut lists = read_objects::<MeshNormals>(object, scene).into_iter();
        let normals = lists.next();
        let others = lists.count() + usize::from(normals.is_some() && !vertices.normals.is_empty());
        scene.report_losses(others, Lost::NormalLists);
        match normals {
            Some((object, MeshNormals { normals, faces })) => {
                Self { list: normals.into(), faces: Some(faces), path: shallow_path(object) }
            }
            None => Self { list: (&vertices.normals).into(), faces: None, path: None },
        }
    }

    fn at(&self, corner: Corner) -> Option<[f32; 3]> {
        self.list.get(corner.1 as usize).copied()
    }
}

/// Sets the normals of corners; those without one get the normal of the surrounding faces.
fn smooth(
    mesh: &mut scene::Mesh,
    corners: &[Corner],
    normals: &Normals<'_>,
    space: Space,
    scene: &mut Builder<'_>,
) {
    let missing = corners.iter().filter(|corner| normals.at(**corner).is_none()).count();
    if missing > 0 {
        mesh.smooth(&corners.iter().map(|corner| corner.0).collect::<Vec<_>>());
    } else {
        mesh.normals = vec![Vec3::Y; corners.len()];
    }
    if missing < corners.len() {
        scene.report_losses(missing, Lost::CornersWithoutNormal);
    }
    for (normal, corner) in mesh.normals.iter_mut().zip(corners) {
        *normal = normals.at(*corner).map_or(*normal, |own| space.direction(own));
    }
}

/// Returns tangents with handedness from the binormals, which point to the top of the image in the files of both known
/// exporters. Without binormals the texture is assumed not to be mirrored.
fn tangents(
    vertices: &Vertices,
    normals: &[Vec3],
    points: impl Iterator<Item = u32>,
    space: Space,
) -> Vec<Vec4> {
    let tangent = |(point, normal): (u32, &Vec3)| {
        let tangent = space.direction(*vertices.tangents.get(point as usize)?);
        let own = vertices.binormals.get(point as usize).map(|own| space.direction(*own));
        let mirrored = own.is_some_and(|own| normal.cross(tangent).dot(own) < 0.0);
        Some(tangent.extend(if mirrored { 1.0 } else { -1.0 }))
    };
    points.zip(normals).map_while(tangent).collect()
}

/// Triangulates polygons by material. Corners are clockwise in the file and counterclockwise in the scene.
fn primitives(
    object: Object<'_>,
    own: &Mesh,
    normals: &Normals<'_>,
    corners: &mut Corners,
    materials: &mut Materials<'_>,
    scene: &mut Builder<'_>,
) -> Vec<Primitive> {
    let list = object.children_of(MeshMaterialList::TEMPLATE).next();
    let faces = read::<MeshMaterialList>(object, scene).into_iter().next().unwrap_or_default().face_indexes;
    let known = list.map_or_else(Vec::new, |list| materials.of(list, scene));
    let mut by_material: BTreeMap<Option<usize>, Vec<[u32; 3]>> = BTreeMap::new();
    let mut refused = 0;
    for (index, face) in own.faces.iter().enumerate() {
        if !is_polygon(face, own.vertices.len()) {
            refused += 1;
            continue;
        }
        // The last index applies to all following faces.
        let material = faces.get(index).or(faces.last()).copied().unwrap_or(0);
        let material = known.get(material as usize).copied().flatten();
        let of_face = normals.faces.as_ref().map_or(face, |faces| faces.get(index).unwrap_or_default());
        let mut corner = |at: usize| corners.add((face[at], of_face.get(at).copied().unwrap_or(NONE)));
        let triangles = by_material.entry(material).or_default();
        if face.len() == 3 {
            let [a, b, c] = [0, 1, 2].map(corner);
            triangles.push([a, c, b]);
            continue;
        }
        let corners: Vec<u32> = (0..face.len()).map(&mut corner).collect();
        let places: Vec<Vec3> = face.iter().map(|vertex| own.vertices[*vertex as usize].into()).collect();
        let polygon = scene::triangles(&places).into_iter();
        triangles.extend(polygon.map(|[a, b, c]| [a, c, b].map(|at| corners[at])));
    }
    scene.report_losses(refused, Lost::Faces);
    let primitives = by_material.into_iter().filter(|(_, triangles)| !triangles.is_empty());
    primitives
        .map(|(material, triangles)| Primitive { material, triangles, ..Primitive::default() })
        .collect()
}

fn colors(vertices: &Vertices, points: impl Iterator<Item = u32>, scene: &mut Builder<'_>) -> Vec<[f32; 4]> {
    let colors: Vec<_> = vertices.colors.iter().map(|own| scene::color(*own)).collect();
    scene.report_losses(colors.iter().filter(|(_, same)| !same).count(), Lost::ClampedVertexColors);
    points.map_while(|point| colors.get(point as usize).map(|(color, _)| *color)).collect()
}

/// Returns the skin of a mesh. The offset matrices transform from mesh to bone space; vertices without weights follow the
/// frame that contains the mesh.
fn skin(
    object: Object<'_>,
    own: &Mesh,
    corners: &[Corner],
    rig: &Rig<'_>,
    scene: &mut Builder<'_>,
) -> Option<Skin> {
    let space = scene.space(SPACE);
    let mut joints = Vec::new();
    let mut lists = read::<SkinWeights>(object, scene);
    let num_lists = lists.len();
    lists.retain(|weights| {
        let bone = rig.names.find(&scene::name(&weights.transform_node_name));
        let inverse_bind = matrix(&weights.matrix_offset, space);
        joints.extend(bone.map(|bone| Joint { bone, inverse_bind }));
        bone.is_some()
    });
    scene.report_losses(num_lists - lists.len(), Lost::SkinBones);
    if joints.is_empty() {
        return None;
    }
    let rows = lists.iter().enumerate().flat_map(|(joint, own)| {
        let vertices = own.vertex_indices.iter().zip(&own.weights);
        vertices.map(move |(vertex, weight)| (*vertex as usize, joint, *weight))
    });
    let mut still = Vec::new();
    if let Some(bone) = rig.bone {
        let mut is_still = vec![true; own.vertices.len()];
        for (vertex, _, _) in rows.clone().filter(|(.., weight)| *weight > 0.0) {
            if let Some(is_still) = is_still.get_mut(vertex) {
                *is_still = false;
            }
        }
        still.extend((0..is_still.len()).filter(|vertex| is_still[*vertex]));
        if !still.is_empty() {
            joints.push(Joint { bone, inverse_bind: Affine3A::IDENTITY });
        }
    }
    let last = joints.len() - 1;
    let rows = rows.chain(still.into_iter().map(|vertex| (vertex, last, 1.0)));
    let weights = scene.weigh(own.vertices.len(), joints.len(), rows);
    let points: Vec<u32> = corners.iter().map(|corner| corner.0).collect();
    Some(Skin { joints: joints.into(), weights: weights.spread(&points) })
}
