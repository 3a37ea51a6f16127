//! Meshes.

use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::super::conventions::SPACE;
use super::super::{BlendVertex, Cal3d, Mesh, Morphs, Skeleton, Submesh, Vertex};
use super::Meaning;
use crate::FieldPath;
use crate::check::common::field_path;
use crate::scene::{self, Attribute, Builder, Delta, Joint, LoadPhase, Lost, Primitive, Skin, Space, Target};

impl Meaning for Mesh {
    const PHASE: LoadPhase = LoadPhase::Mesh;

    fn add(&self, source: &Cal3d<Self>, scene: &mut Builder<'_>) {
        if scene.settings().names_only {
            return self.add_names(scene);
        }
        let space = scene.space(SPACE);
        let num_bones = scene.scene().skeleton.bones().len();
        let Joints(joints) = scene.share(|scene| {
            let skeleton = scene.beside::<Cal3d<Skeleton>>().find_map(|(_, file)| file.view().ok());
            Joints(skeleton.map(|skeleton| skeleton.joints(space, num_bones)).unwrap_or_default())
        });
        for (index, submesh) in self.submeshes.iter().enumerate() {
            let name = self.mesh_name(scene.file(), index);
            let (mesh, deltas) = mesh(submesh, source, name, &joints, space, scene);
            trace(mesh, deltas, &field_path!["submeshes", index], scene);
        }
    }
}

/// Adds a mesh, and records where its values come from.
fn trace(mesh: scene::Mesh, deltas: Vec<Vec<u32>>, submesh: &FieldPath, scene: &mut Builder<'_>) {
    let (num_sets, has_colors) = (mesh.uvs.len(), !mesh.colors.is_empty());
    let each: Arc<[u32]> = (0..).zip(&mesh.positions).map(|(record, _)| record).collect();
    let list = submesh.join(&field_path!["vertices"]);
    let field = field_path!["position"];
    let Some(mesh) = scene.add_mesh_from(mesh, list.clone(), field, Arc::clone(&each)) else { return };
    let mut attributes = vec![(Attribute::Normal, field_path!["normal"])];
    attributes.extend((0..num_sets).map(|set| (Attribute::Uv(set), field_path!["uvs", set])));
    attributes.extend(has_colors.then(|| (Attribute::Color, field_path!["color"])));
    for (attribute, field) in attributes {
        scene.trace(Target::Vertices { mesh, attribute }, list.clone(), field, Arc::clone(&each));
    }
    for (morph, records) in deltas.into_iter().enumerate() {
        let list = submesh.join(&field_path!["morphs", morph, "vertices"]);
        scene.trace(Target::Morph { mesh, morph }, list, field_path!["position"], records);
    }
}

/// The joints of the skeleton file.
#[derive(Clone)]
struct Joints(Arc<[Joint]>);

impl Mesh {
    /// Adds the names of the submeshes that have a triangle, and those of their morph targets.
    fn add_names(&self, scene: &mut Builder<'_>) {
        for (index, submesh) in self.submeshes.iter().enumerate() {
            let num_vertices = submesh.vertices.len();
            if submesh.faces.iter().any(|face| triangle(face.vertex_ids, num_vertices).is_some()) {
                let morphs = submesh.morphs.iter().flat_map(Morphs::names).map(scene::name);
                scene.add_mesh_names(self.mesh_name(scene.file(), index), morphs);
            }
        }
    }

    /// The name in the scene of a submesh of a file of this name.
    pub(super) fn mesh_name(&self, file: &str, submesh: usize) -> String {
        submesh_name(file, submesh, self.submeshes.len())
    }
}

/// The name in the scene of one of the submeshes of a file of this name.
pub(super) fn submesh_name(file: &str, submesh: usize, num_submeshes: usize) -> String {
    if num_submeshes > 1 { format!("{file} {submesh}") } else { file.to_owned() }
}

/// Returns the mesh, and the record of each delta of its morph targets.
fn mesh(
    submesh: &Submesh,
    source: &Cal3d<Mesh>,
    name: String,
    joints: &Arc<[Joint]>,
    space: Space,
    scene: &mut Builder<'_>,
) -> (scene::Mesh, Vec<Vec<u32>>) {
    let vertices = &*submesh.vertices;
    scene.within("mesh", &name);
    let triangles = triangles(submesh, scene);
    let steps = usize::try_from(submesh.num_lod_steps).unwrap_or(0);
    scene.report_losses(submesh.springs.len(), Lost::Springs);
    scene.report_losses(steps, Lost::LevelsOfDetail);
    let primitive = Primitive { material: material(submesh, scene), triangles, ..Primitive::default() };
    let mut mesh = scene::Mesh {
        name,
        positions: vertices.iter().map(|own| space.point(own.position)).collect(),
        normals: vertices.iter().map(|own| space.direction(own.normal)).collect(),
        uvs: uvs(vertices, scene),
        colors: colors(vertices, scene),
        primitives: vec![primitive],
        skin: skin(submesh, joints, scene),
        ..scene::Mesh::default()
    };
    let (morphs, deltas) = morphs(submesh, source, space, scene);
    mesh.morphs = morphs;
    // Some meshes of versions 700 and 900 have all their faces inverted; later releases of the same meshes correct that.
    if mesh.is_inside_out() {
        mesh.flip();
        scene.report_losses(1, Lost::FlippedFaces);
    }
    (mesh, deltas)
}

fn triangles(submesh: &Submesh, scene: &mut Builder<'_>) -> Vec<[u32; 3]> {
    let num_vertices = submesh.vertices.len();
    let triangles = submesh.faces.iter().filter_map(|face| triangle(face.vertex_ids, num_vertices));
    let triangles: Vec<_> = triangles.collect();
    scene.report_losses(submesh.faces.len() - triangles.len(), Lost::Faces);
    triangles
}

/// A triangle of vertices that are there.
fn triangle(ids: [i32; 3], num_vertices: usize) -> Option<[u32; 3]> {
    let index = |index: i32| u32::try_from(index).ok().filter(|index| (*index as usize) < num_vertices);
    Some([index(ids[0])?, index(ids[1])?, index(ids[2])?])
}

fn material(submesh: &Submesh, scene: &mut Builder<'_>) -> Option<usize> {
    let num_materials = scene.scene().materials.len();
    let material = usize::try_from(submesh.material_id).ok().filter(|id| *id < num_materials);
    let missing = usize::from(material.is_none() && num_materials > 0);
    scene.report_losses(missing, Lost::MaterialReferences);
    material
}

/// The UV sets that all vertices have.
fn uvs(vertices: &[Vertex], scene: &mut Builder<'_>) -> Vec<Vec<Vec2>> {
    let maps = vertices.iter().map(|own| own.uvs.len()).min().unwrap_or(0);
    let more = vertices.iter().filter(|own| own.uvs.len() > maps).count();
    scene.report_losses(more, Lost::TexCoordCount);
    (0..maps).map(|map| vertices.iter().map(|own| Vec2::from(own.uvs[map])).collect()).collect()
}

/// The colours of all vertices; none where one of them has no colour.
fn colors(vertices: &[Vertex], scene: &mut Builder<'_>) -> Vec<[f32; 4]> {
    let color = |own: &Vertex| {
        let [red, green, blue] = own.color?;
        Some(scene::color([red, green, blue, 1.0]))
    };
    let mut colors: Vec<_> = vertices.iter().filter_map(color).collect();
    if colors.len() < vertices.len() {
        scene.report_losses(colors.len(), Lost::VertexColorCount);
        colors.clear();
    }
    scene.report_losses(colors.iter().filter(|(_, same)| !same).count(), Lost::ClampedVertexColors);
    colors.into_iter().map(|(color, _)| color).collect()
}

fn skin(submesh: &Submesh, joints: &Arc<[Joint]>, scene: &mut Builder<'_>) -> Option<Skin> {
    let rows = submesh.vertices.iter().enumerate().flat_map(|(vertex, own)| {
        let bone = |id: i32| usize::try_from(id).unwrap_or(usize::MAX);
        own.influences.iter().map(move |own| (vertex, bone(own.bone_id), own.weight))
    });
    let weights = scene.weigh(submesh.vertices.len(), joints.len(), rows);
    (weights.most() > 0).then(|| Skin { joints: Arc::clone(joints), weights })
}

/// Targets store absolute positions, those of the branch 1301 differences: in its real meshes the stored normals have unit
/// length when the normals of the vertices are added.
fn morphs(
    submesh: &Submesh,
    source: &Cal3d<Mesh>,
    space: Space,
    scene: &mut Builder<'_>,
) -> (Vec<scene::Morph>, Vec<Vec<u32>>) {
    let are_differences = matches!(source, Cal3d::Binary { dialect, file } if dialect.version(file.version).stores_differences());
    let from = |base: Vec3| if are_differences { Vec3::ZERO } else { base };
    let (mut refused, mut moved) = (0, 0);
    let mut morph = |name: &[u8], vertices: &[BlendVertex]| {
        let delta = |(own, record): (&BlendVertex, u32)| {
            let vertex = u32::try_from(own.vertex_id).ok()?;
            let base = submesh.vertices.get(vertex as usize)?;
            let delta = Delta {
                vertex,
                position: space.point(own.position) - from(space.point(base.position)),
                normal: space.direction(own.normal) - from(space.direction(base.normal)),
            };
            Some((delta, record))
        };
        let deltas: Vec<_> = vertices.iter().zip(0..).filter_map(delta).collect();
        let is_moved = |own: &&BlendVertex| {
            let base = usize::try_from(own.vertex_id).ok().and_then(|vertex| submesh.vertices.get(vertex));
            let mut uvs = own.uvs.iter().zip(base.into_iter().flat_map(|base| base.uvs.iter()));
            let still = |base: [f32; 2]| if are_differences { Vec2::ZERO } else { base.into() };
            uvs.any(|(uv, base)| Vec2::from(*uv) != still(*base))
        };
        let there = vertices.iter().filter(is_moved).count();
        (moved, refused) = (moved + there, refused + vertices.len() - deltas.len());
        scene::Morph::from_records(scene::name(name), deltas)
    };
    let morphs: Vec<_> = match &submesh.morphs {
        None => Vec::new(),
        Some(Morphs::Counted(list)) => list.iter().map(|own| morph(own.name.text(), &own.vertices)).collect(),
        Some(Morphs::Ended(list)) => list.iter().map(|own| morph(own.name.text(), &own.vertices)).collect(),
    };
    scene.report_losses(refused, Lost::MorphVertices);
    scene.report_losses(moved, Lost::MorphTexCoords);
    morphs.into_iter().unzip()
}
