//! What meshes, materials and skins mean.

use std::collections::{BTreeMap, HashMap};

use glam::{Vec2, Vec3};

use super::super::{
    Child, Material, Mesh, MeshMaterialList, MeshNormals, MeshTextureCoords, MeshVertexColors, Object,
    Objects, SkinWeights, TextureFilename, View,
};
use super::{Frames, SPACE, by_name, matrix};
use crate::scene::{self, Builder, Joint, Names, Primitive, Skin, Weights, Weld};

/// What a corner without a normal has for one.
const NONE: u32 = u32::MAX;

/// A corner names a vertex and a normal.
type Corner = (u32, u32);

pub(super) fn add(objects: &Objects<'_>, frames: &Frames, scene: &mut Builder<'_>) {
    let mut materials = Materials { named: by_name(objects, "Material"), known: HashMap::new() };
    let bones = scene.bone_names();
    let (hung, again) = hung(objects, frames);
    scene.lose_some(again, "further instances of meshes", "each mesh is in the scene once");
    for object in objects.all().filter(|object| object.is("Mesh")) {
        let bone = frames.above(object).or_else(|| hung.get(&object.index()).copied());
        match object.view::<Mesh>() {
            Some(Ok(mesh)) => add_mesh(object, &mesh, (bone, &bones), &mut materials, scene),
            _ => scene.lose(format!("mesh {:?}", scene::name(object.name())), "its values make no sense"),
        }
    }
}

/// The bones of meshes that frames refer to, and how many references are more than one for a mesh.
fn hung(objects: &Objects<'_>, frames: &Frames) -> (HashMap<u32, usize>, usize) {
    let meshes = by_name(objects, "Mesh");
    let mut hung = HashMap::new();
    let mut again = 0;
    for frame in objects.all().filter(|object| object.is("Frame")) {
        let bone = frames.bones.get(&frame.index());
        let referred = frame.references().filter_map(|reference| meshes.get(reference.name));
        for (mesh, bone) in referred.filter_map(|mesh| Some((mesh, *bone?))) {
            again += usize::from(hung.contains_key(&mesh.index()) || frames.above(*mesh).is_some());
            hung.entry(mesh.index()).or_insert(bone);
        }
    }
    (hung, again)
}

/// Materials, each once however many meshes refer to it.
struct Materials<'a> {
    named: HashMap<&'a [u8], Object<'a>>,
    known: HashMap<u32, Option<usize>>,
}

impl Materials<'_> {
    /// The materials of a list, in its order.
    fn of(&mut self, list: Object<'_>, scene: &mut Builder<'_>) -> Vec<Option<usize>> {
        let children = list.children().filter_map(|child| match child {
            Child::Object(object) => object.is("Material").then_some(object),
            Child::Reference(reference) => self.named.get(reference.name).copied(),
        });
        let children: Vec<_> = children.collect();
        let mut add = |object: Object<'_>| {
            let known = self.known.entry(object.index());
            *known.or_insert_with(|| Self::read(object).map(|material| scene.add_material(material)))
        };
        children.into_iter().map(&mut add).collect()
    }

    fn read(object: Object<'_>) -> Option<scene::Material> {
        let own: Material = object.view()?.ok()?;
        let textures =
            object.children_of("TextureFilename").filter_map(|child| child.view::<TextureFilename>()?.ok());
        Some(scene::Material {
            name: scene::name(object.name()),
            color: own.face_color,
            emissive: own.emissive_color,
            textures: textures.map(|texture| scene::name(&texture.filename)).collect(),
            alpha: if own.face_color[3] < 1.0 { scene::Alpha::Blend } else { scene::Alpha::Opaque },
            ..scene::Material::default()
        })
    }
}

/// The first child of a kind that can be read.
fn child<V: View>(object: Object<'_>) -> Option<V> {
    object.children_of(V::TEMPLATE).find_map(|child| child.view::<V>()?.ok())
}

fn add_mesh(
    object: Object<'_>,
    own: &Mesh,
    (bone, names): (Option<usize>, &Names),
    materials: &mut Materials<'_>,
    scene: &mut Builder<'_>,
) {
    let space = scene.space(SPACE);
    let normals = child::<MeshNormals>(object).unwrap_or_default();
    let mut weld = Weld::<Corner>::default();
    let primitives = primitives(object, own, &normals, &mut weld, materials, scene);
    let corners = weld.vertices();
    let position =
        |corner: &Corner| own.vertices.get(corner.0 as usize).map_or(Vec3::ZERO, |at| space.point(*at));
    let coords = child::<MeshTextureCoords>(object).map(|view| view.coords).unwrap_or_default();
    let uv = |corner: &Corner| coords.get(corner.0 as usize).map_or(Vec2::ZERO, |uv| Vec2::from(*uv));
    let skin = skin(object, own, corners, names, scene);
    let mut mesh = scene::Mesh {
        name: scene::name(object.name()),
        // A skin says where the mesh is, whatever frame it stands in.
        bone: bone.filter(|_| skin.is_none()),
        positions: corners.iter().map(position).collect(),
        uvs: if coords.is_empty() { Vec::new() } else { vec![corners.iter().map(uv).collect()] },
        colors: colors(object, own, corners),
        primitives,
        skin,
        ..scene::Mesh::default()
    };
    let given = |corner: &Corner| normals.normals.get(corner.1 as usize);
    if !corners.is_empty() && corners.iter().all(|corner| given(corner).is_some()) {
        let normal = |corner: &Corner| given(corner).map_or(Vec3::Y, |own| space.direction(*own));
        mesh.normals = corners.iter().map(normal).collect();
    } else {
        mesh.smooth(&corners.iter().map(|corner| corner.0).collect::<Vec<_>>());
    }
    for kind in ["DeclData", "FVFData"] {
        scene.lose_some(object.children_of(kind).count(), kind, "further vertex data is not read");
    }
    scene.add_mesh(mesh);
}

/// Polygons as fans, by material. The file's corners go clockwise, the scene's the other way round.
fn primitives(
    object: Object<'_>,
    own: &Mesh,
    normals: &MeshNormals,
    weld: &mut Weld<Corner>,
    materials: &mut Materials<'_>,
    scene: &mut Builder<'_>,
) -> Vec<Primitive> {
    let list = object.children_of("MeshMaterialList").next();
    let faces = list.and_then(|list| list.view::<MeshMaterialList>()?.ok()).unwrap_or_default().face_indexes;
    let known = list.map_or_else(Vec::new, |list| materials.of(list, scene));
    let mut by_material: BTreeMap<Option<usize>, Vec<[u32; 3]>> = BTreeMap::new();
    let mut refused = 0;
    for (index, face) in own.faces.iter().enumerate() {
        let there = |vertex: &u32| (*vertex as usize) < own.vertices.len();
        if !face.iter().all(there) {
            refused += 1;
            continue;
        }
        // The last one holds for all that follow; files with one material have one index.
        let material = faces.get(index).or(faces.last()).copied().unwrap_or(0);
        let material = known.get(material as usize).copied().flatten();
        let of_face = normals.faces.get(index).unwrap_or_default();
        let corner = |at: usize| (face[at], of_face.get(at).copied().unwrap_or(NONE));
        let corners: Vec<u32> = (0..face.len()).map(|at| weld.add(corner(at))).collect();
        let fan = corners.windows(2).skip(1).map(|pair| [corners[0], pair[1], pair[0]]);
        by_material.entry(material).or_default().extend(fan);
    }
    scene.lose_some(refused, "faces", "they name vertices that are not there");
    let primitives = by_material.into_iter().filter(|(_, triangles)| !triangles.is_empty());
    primitives
        .map(|(material, triangles)| Primitive { material, triangles, ..Primitive::default() })
        .collect()
}

fn colors(object: Object<'_>, own: &Mesh, corners: &[Corner]) -> Vec<[u8; 4]> {
    let Some(view) = child::<MeshVertexColors>(object) else { return Vec::new() };
    let mut colors = vec![[255; 4]; own.vertices.len()];
    for (vertex, color) in view.colors {
        if let Some(own) = colors.get_mut(vertex as usize) {
            *own = color.map(byte);
        }
    }
    corners.iter().map(|corner| colors.get(corner.0 as usize).copied().unwrap_or([255; 4])).collect()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts of floats clamp")]
fn byte(share: f32) -> u8 {
    (share * 255.0).round() as u8
}

/// A mesh follows the frames that its weights name: from its own space into theirs by the matrix beside the weights.
fn skin(
    object: Object<'_>,
    own: &Mesh,
    corners: &[Corner],
    names: &Names,
    scene: &mut Builder<'_>,
) -> Option<Skin> {
    let space = scene.space(SPACE);
    let mut joints = Vec::new();
    let mut rows = Vec::new();
    let mut missing = 0;
    for weights in object.children_of("SkinWeights").filter_map(|child| child.view::<SkinWeights>()?.ok()) {
        let Some(bone) = names.find(&scene::name(&weights.transform_node_name)) else {
            missing += 1;
            continue;
        };
        let vertices = weights.vertex_indices.iter().zip(&weights.weights);
        rows.extend(vertices.map(|(vertex, weight)| (*vertex as usize, joints.len(), *weight)));
        joints.push(Joint { bone, inverse_bind: matrix(&weights.matrix_offset, space) });
    }
    let (weights, refused) = Weights::gather(own.vertices.len(), joints.len(), rows);
    scene.lose_some(missing, "bones of a skin", "there is no frame of their name");
    scene.lose_some(refused, "weights", "they name vertices that are not there, or are no positive numbers");
    let points: Vec<u32> = corners.iter().map(|corner| corner.0).collect();
    (!joints.is_empty()).then(|| Skin { joints, weights: weights.spread(&points) })
}
