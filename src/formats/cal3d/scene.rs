//! What Cal3D's files mean, as the library computes it.
//!
//! Z up, as its exporters from 3ds Max leave it, in the author's unit; the library declares neither. Its quaternions turn
//! the other way round than is usual, so that each is conjugated.

use std::collections::HashSet;
use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::{
    Animation, Binary, BlendVertex, Bone, Cal3d, Dialect, KEEPS_BIND_POSE, Material, Mesh, Morph, Morphs,
    PackedKey, QuantizedKey, Skeleton, Submesh, Track, Vertex,
};
use crate::scene::{
    self, Builder, Clip, Curve, Delta, Joint, MorphTrack, Primitive, Skin, Space, ToScene, Transform, Turn,
    Weights,
};

const SPACE: Space = Space::RIGHT_Z_UP;

fn place(translation: [f32; 3], [x, y, z, w]: [f32; 4], space: Space) -> Transform {
    space.transform(translation, [-x, -y, -z, w], [1.0; 3])
}

/// Files of one kind: what the binary form holds is read of the XML form, too.
trait Meaning: Binary {
    const TURN: Turn;
    /// Adds what a file means, given how it is written, too.
    fn add(&self, source: &Cal3d<Self>, scene: &mut Builder<'_>);
}

impl<B: Meaning + 'static> ToScene for Cal3d<B> {
    fn turn(&self) -> Turn {
        B::TURN
    }

    fn add_to(&self, scene: &mut Builder<'_>) {
        match self.view() {
            Ok(file) => file.add(self, scene),
            Err(error) => scene.lose("the file", error.to_string()),
        }
    }
}

impl Meaning for Skeleton {
    const TURN: Turn = Turn::Skeleton;

    fn add(&self, _source: &Cal3d<Self>, scene: &mut Builder<'_>) {
        let space = scene.space(SPACE);
        let bone = |bone: &Bone| scene::Bone {
            name: scene::name(bone.name.text()),
            parent: usize::try_from(bone.parent_id).ok(),
            bind: place(bone.translation, bone.rotation, space),
        };
        scene.add_bones(self.bones.iter().map(bone).collect());
        let lights =
            self.bones.iter().filter(|bone| bone.light.as_ref().is_some_and(|light| light.kind != 0));
        scene.lose_some(lights.count(), "lights", "a scene has none");
        scene.lose_some(self.scene_ambient.is_some().into(), "ambient light", "a scene has none");
    }
}

impl Skeleton {
    /// The bones as meshes are bound to them: from the mesh into bone space, by the file's own word.
    fn joints(&self, space: Space, num_bones: usize) -> Arc<[Joint]> {
        let into = |bone: &Bone| place(bone.local_translation, bone.local_rotation, space).matrix();
        let joints = self.bones.iter().map(into).enumerate().take(num_bones);
        joints.map(|(bone, inverse_bind)| Joint { bone, inverse_bind }).collect()
    }
}

impl Meaning for Material {
    const TURN: Turn = Turn::Material;

    fn add(&self, _source: &Cal3d<Self>, scene: &mut Builder<'_>) {
        let [red, green, blue, alpha] = self.diffuse.map(|value| f32::from(value) / 255.0);
        let name = scene.file().to_owned();
        let textures = self.maps.iter().map(|map| scene::name(map.file.text())).collect();
        scene.add_material(scene::Material {
            name,
            color: [red, green, blue, alpha],
            textures,
            ..scene::Material::default()
        });
        scene.lose("ambient and specular colours", "glTF's materials have none");
    }
}

impl Meaning for Mesh {
    const TURN: Turn = Turn::Mesh;

    fn add(&self, source: &Cal3d<Self>, scene: &mut Builder<'_>) {
        let space = scene.space(SPACE);
        let num_bones = scene.scene().skeleton.bones().len();
        let skeleton = scene.beside::<Cal3d<Skeleton>>().find_map(|(_, file)| file.view().ok());
        let joints = skeleton.map(|skeleton| skeleton.joints(space, num_bones)).unwrap_or_default();
        for (index, submesh) in self.submeshes.iter().enumerate() {
            let many = self.submeshes.len() > 1;
            let name = if many { format!("{} {index}", scene.file()) } else { scene.file().to_owned() };
            add_submesh(submesh, source, name, &joints, space, scene);
        }
    }
}

fn add_submesh(
    submesh: &Submesh,
    source: &Cal3d<Mesh>,
    name: String,
    joints: &Arc<[Joint]>,
    space: Space,
    scene: &mut Builder<'_>,
) {
    let vertices = &*submesh.vertices;
    let triangles = triangles(submesh, scene);
    let steps = usize::try_from(submesh.num_lod_steps).unwrap_or(0);
    scene.lose_some(submesh.springs.len(), "springs", "a scene has none");
    scene.lose_some(steps, "steps of less detail", "a scene has all vertices");
    let primitive = Primitive { material: material(submesh, scene), triangles, ..Primitive::default() };
    let mut mesh = scene::Mesh {
        name,
        positions: vertices.iter().map(|own| space.point(own.position)).collect(),
        normals: vertices.iter().map(|own| space.direction(own.normal)).collect(),
        uvs: uvs(vertices, scene),
        colors: colors(vertices, scene),
        primitives: vec![primitive],
        skin: skin(submesh, joints, scene),
        morphs: morphs(submesh, source, space, scene),
        ..scene::Mesh::default()
    };
    // Some meshes of versions 700 and 900 have all their faces the other way round; later releases put them right.
    if mesh.is_inside_out() {
        mesh.flip();
        let why = "more faces look away from their normals than along them; all are turned over";
        scene.lose_some(1, "orders of corners", why);
    }
    scene.add_mesh(mesh);
}

fn triangles(submesh: &Submesh, scene: &mut Builder<'_>) -> Vec<[u32; 3]> {
    let num_vertices = submesh.vertices.len();
    let index = |index: i32| u32::try_from(index).ok().filter(|index| (*index as usize) < num_vertices);
    let triangle = |ids: [i32; 3]| Some([index(ids[0])?, index(ids[1])?, index(ids[2])?]);
    let triangles: Vec<_> = submesh.faces.iter().filter_map(|face| triangle(face.vertex_ids)).collect();
    scene.lose_some(submesh.faces.len() - triangles.len(), "faces", "they name vertices that are not there");
    triangles
}

fn material(submesh: &Submesh, scene: &mut Builder<'_>) -> Option<usize> {
    let num_materials = scene.scene().materials.len();
    let material = usize::try_from(submesh.material_id).ok().filter(|id| *id < num_materials);
    let missing = usize::from(material.is_none() && num_materials > 0);
    scene.lose_some(missing, "materials of submeshes", "there are fewer");
    material
}

/// As many sets as all vertices have.
fn uvs(vertices: &[Vertex], scene: &mut Builder<'_>) -> Vec<Vec<Vec2>> {
    let maps = vertices.iter().map(|own| own.uvs.len()).min().unwrap_or(0);
    let more = vertices.iter().filter(|own| own.uvs.len() > maps).count();
    scene.lose_some(more, "texture coordinates", "other vertices of the submesh have fewer");
    (0..maps).map(|map| vertices.iter().map(|own| Vec2::from(own.uvs[map])).collect()).collect()
}

/// Those of all vertices, or none.
fn colors(vertices: &[Vertex], scene: &mut Builder<'_>) -> Vec<[u8; 4]> {
    let color = |own: &Vertex| {
        let [red, green, blue] = own.color?;
        Some(scene::color([red, green, blue, 1.0]))
    };
    let mut colors: Vec<_> = vertices.iter().filter_map(color).collect();
    if colors.len() < vertices.len() {
        scene.lose_some(colors.len(), "vertex colours", "other vertices of the submesh have none");
        colors.clear();
    }
    scene.lose_colors(colors.iter().filter(|(_, same)| !same).count(), "vertex colours");
    colors.into_iter().map(|(color, _)| color).collect()
}

fn skin(submesh: &Submesh, joints: &Arc<[Joint]>, scene: &mut Builder<'_>) -> Option<Skin> {
    let rows = submesh.vertices.iter().enumerate().flat_map(|(vertex, own)| {
        let bone = |id: i32| usize::try_from(id).unwrap_or(usize::MAX);
        own.influences.iter().map(move |own| (vertex, bone(own.bone_id), own.weight))
    });
    let (weights, refused) = Weights::gather(submesh.vertices.len(), joints.len(), rows);
    scene.lose_some(refused, "influences", "they name bones of a skeleton that is not there");
    (weights.most() > 0).then(|| Skin { joints: Arc::clone(joints), weights })
}

/// Targets hold where a vertex is in them; those of the branch 1301 how far it moves: in its real meshes the stored normals
/// have unit length when the vertices' own are added.
fn morphs(
    submesh: &Submesh,
    source: &Cal3d<Mesh>,
    space: Space,
    scene: &mut Builder<'_>,
) -> Vec<scene::Morph> {
    let are_differences = matches!(source, Cal3d::Binary { dialect: Dialect::Mp1301, .. });
    let from = |base: Vec3| if are_differences { Vec3::ZERO } else { base };
    let (mut refused, mut moved) = (0, 0);
    let mut morph = |name: &[u8], vertices: &[BlendVertex]| {
        let delta = |own: &BlendVertex| {
            let vertex = u32::try_from(own.vertex_id).ok()?;
            let base = submesh.vertices.get(vertex as usize)?;
            Some(Delta {
                vertex,
                position: space.point(own.position) - from(space.point(base.position)),
                normal: space.direction(own.normal) - from(space.direction(base.normal)),
            })
        };
        let deltas: Vec<_> = vertices.iter().filter_map(delta).collect();
        let there = vertices.iter().filter(|own| !own.uvs.is_empty()).count();
        (moved, refused) = (moved + there, refused + vertices.len() - deltas.len());
        scene::Morph::new(scene::name(name), deltas)
    };
    let morphs = match &submesh.morphs {
        None => Vec::new(),
        Some(Morphs::Counted(list)) => list.iter().map(|own| morph(own.name.text(), &own.vertices)).collect(),
        Some(Morphs::Ended(list)) => list.iter().map(|own| morph(own.name.text(), &own.vertices)).collect(),
    };
    scene.lose_some(refused, "vertices of morph targets", "the submesh has no such vertex");
    scene.lose_some(moved, "texture coordinates of morph targets", "glTF's targets move and turn only");
    morphs
}

/// Time, translation where there is one, rotation.
type Key = (f32, Option<[f32; 3]>, [f32; 4]);

impl Track {
    fn keys(&self, duration: f32) -> Vec<Key> {
        match self {
            Self::Plain(track) => {
                let kept = |translation: [f32; 3]| (translation != KEEPS_BIND_POSE).then_some(translation);
                track.keys.iter().map(|key| (key.time, kept(key.translation), key.rotation)).collect()
            }
            Self::Quantized(track) => {
                let key = |key: &QuantizedKey| {
                    (key.seconds(duration), Some(track.translation(key)), key.quaternion())
                };
                track.keys.iter().map(key).collect()
            }
            Self::Packed(track) => {
                let key = |(index, key): (usize, &PackedKey)| {
                    let translation = key.exact_translation.or_else(|| track.translation(index));
                    let rotation = key.exact_rotation.unwrap_or_else(|| key.rotation.quaternion());
                    (key.rotation.seconds(), translation, rotation)
                };
                track.keys.iter().enumerate().map(key).collect()
            }
        }
    }
}

impl Meaning for Animation {
    const TURN: Turn = Turn::Clip;

    fn add(&self, _source: &Cal3d<Self>, scene: &mut Builder<'_>) {
        let space = scene.space(SPACE);
        if scene.scene().skeleton.bones().is_empty() {
            // Their numbers are all that is known of them.
            let named = |index| scene::Bone { name: format!("bone {index}"), ..scene::Bone::default() };
            scene.add_bones((0..self.num_bones()).map(named).collect());
            scene.lose_skeleton();
        }
        let num_bones = scene.scene().skeleton.bones().len();
        let mut taken = HashSet::new();
        let track = |track: &Track| {
            let bone = usize::try_from(track.bone_id()).ok().filter(|bone| *bone < num_bones)?;
            let free = taken.insert(bone);
            let keys = track.keys(self.duration);
            let rotations = keys.iter().map(|(time, _, own)| (*time, place([0.0; 3], *own, space).rotation));
            let translations = keys.iter().filter_map(|(time, own, _)| Some((*time, space.point((*own)?))));
            free.then(|| scene::Track {
                bone,
                translation: Curve::straight(translations),
                rotation: Curve::straight(rotations),
                scale: None,
            })
        };
        let tracks: Vec<_> = self.tracks.iter().filter_map(track).collect();
        let missing = self.tracks.len() - tracks.len();
        scene.lose_some(missing, "tracks", "the skeleton has no such bone, or it has a track already");
        let name = scene.file().to_owned();
        scene.add_clip(Clip { name, tracks, ..Clip::default() });
    }
}

impl Animation {
    /// Bones that a skeleton of its own would have, were there one: not many more than it has tracks.
    fn num_bones(&self) -> usize {
        let numbers = self.tracks.iter().filter_map(|track| usize::try_from(track.bone_id()).ok());
        numbers.filter(|bone| *bone < 4 * self.tracks.len() + 64).max().map_or(0, |last| last + 1)
    }
}

impl Meaning for Morph {
    const TURN: Turn = Turn::Clip;

    fn add(&self, _source: &Cal3d<Self>, scene: &mut Builder<'_>) {
        let morphs = self.tracks.iter().filter_map(|track| {
            let weight = Curve::straight(track.keys.iter().map(|key| (key.time, key.weight)))?;
            Some(MorphTrack { target: scene::name(track.morph_name.text()), weight })
        });
        let morphs: Vec<_> = morphs.collect();
        scene.lose_some(self.tracks.len() - morphs.len(), "morph tracks", "they have no keys");
        scene.add_clip(Clip { name: scene.file().to_owned(), morphs, ..Clip::default() });
    }
}
