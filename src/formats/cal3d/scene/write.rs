//! Writes a scene as Cal3D files: a skeleton, a mesh, and a file for each clip and each material.
//!
//! All values are exact up to the rounding of floats, except for material colours with 8 bits per component. A key has a
//! translation and a rotation, so a track has a key at every time at which one of its curves has one.

use std::collections::HashSet;

use glam::Vec3;

use super::super::conventions::{self, SPACE};
use super::super::{
    Animation, Binary, BlendVertex, Bone, Cal3d, CountedMorph, Dialect, EndedMorph, Face, Influence, Light,
    Map, Material, Mesh, Morph, MorphKey, MorphTrack, Morphs, PlainKey, PlainTrack, Skeleton, Submesh, Text,
    Track, TrackFlags, Version, Vertex, Xml,
};
use super::mesh::submesh_name;
use crate::scene::author::{
    Attributes, Author, AuthorError, Authored, FromScene, MaterialFields, NameRules, SceneContent,
    TextureSlots, morph_curves, name_bytes, number, split, tracks_of,
};
use crate::scene::{
    self, Clip, Lost, MAX_INFLUENCES, Placeholder, SafeNames, Space, Texture, TextureRole, Transform,
};
use crate::wire::{FixedLenList, SmallList};

const FIELDS: MaterialFields = MaterialFields {
    color: true,
    ambient: true,
    specular: true,
    textures: TextureSlots::Any,
    ..MaterialFields::NONE
};

const NAMES: NameRules =
    NameRules { what: "bone", most: 255, unique: true, ignore_case: false, allows: |byte| byte != 0 };

const SHORTEN: &str = "reduce the mesh";

fn version(author: &Author<'_>) -> Result<Version, AuthorError> {
    version_of(author.dialect())
}

/// The version that a dialect writes.
fn version_of(dialect: Option<&str>) -> Result<Version, AuthorError> {
    let dialect = dialect.map_or(Ok(Dialect::Classic), str::parse::<Dialect>);
    match dialect.map_err(|_| AuthorError::Unsupported)? {
        Dialect::Classic => Ok(Dialect::Classic.version(super::super::NEWEST_UNDISPUTED)),
        Dialect::Imvu => Ok(Dialect::Imvu.version(919)),
        Dialect::Svn1300 => Ok(Dialect::Svn1300.version(1300)),
        Dialect::Mp1301 => Ok(Dialect::Mp1301.version(1301)),
        Dialect::Mp1300 => Ok(Dialect::Mp1300.version(1300)),
        Dialect::Xml => Ok(Dialect::Xml.version(super::super::NEWEST_UNDISPUTED)),
    }
}

/// A file of a version.
fn file<B: Binary>(version: Version, file: B) -> Cal3d<B> {
    match version.dialect {
        Dialect::Xml => Cal3d::Xml(Xml::of(file)),
        dialect => Cal3d::Binary { dialect, file },
    }
}

/// The position and the quaternion of a pose: the inverse of [`place`](super::place).
fn stored(pose: Transform, space: Space) -> ([f32; 3], [f32; 4]) {
    (
        space.point(pose.translation.into()).into(),
        conventions::stored(space.rotation(pose.rotation.to_array())),
    )
}

/// The place of each bone in the file: parents precede their children.
fn places(skeleton: &scene::Skeleton) -> Vec<i32> {
    skeleton.places().into_iter().map(number).collect()
}

impl FromScene for Cal3d<Skeleton> {
    const HOLDS: &'static [SceneContent] = &[SceneContent::Skeleton];

    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        let version = version(author)?;
        let skeleton = author.rigid_skeleton();
        let bones = skeleton.bones();
        if bones.is_empty() {
            return Err(AuthorError::empty("bones"));
        }
        let space = author.space(SPACE);
        let fitted = author.fit_names(NAMES, bones.iter().map(|bone| &*bone.name));
        let places = places(&skeleton);
        let matrices = skeleton.model_space(&skeleton.bind_pose());
        let mut children = vec![Vec::new(); bones.len()];
        for child in skeleton.order() {
            if let Some(parent) = bones[*child].parent {
                children[parent].push(places[*child]);
            }
        }
        let bone = |index: &usize| {
            let (translation, rotation) = stored(bones[*index].bind, space);
            let inverse = Transform::nearest(&matrices[*index].inverse()).0;
            let (local_translation, local_rotation) = stored(inverse, space);
            Bone {
                name: Text::new(&fitted[*index]),
                translation,
                rotation,
                local_translation,
                local_rotation,
                parent_id: bones[*index].parent.map_or(-1, |parent| places[parent]),
                light: version.has_lights().then(Light::default),
                child_ids: std::mem::take(&mut children[*index]).into(),
            }
        };
        let bones: Vec<_> = skeleton.order().iter().map(bone).collect();
        let skeleton = Skeleton {
            version: version.number,
            scene_ambient: version.has_lights().then_some([0.0; 3]),
            bones: bones.into(),
            ..Skeleton::default()
        };
        Ok(vec![Authored { name: author.name().to_owned(), file: file(version, skeleton) }])
    }
}

impl FromScene for Cal3d<Mesh> {
    const HOLDS: &'static [SceneContent] = &[SceneContent::Meshes];

    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        let version = version(author)?;
        if author.meshes().is_empty() {
            return Err(AuthorError::empty("meshes"));
        }
        let space = author.space(SPACE);
        let skeleton = author.rigid_skeleton();
        let places = places(&skeleton);
        let num_submeshes = author.meshes().iter().map(|mesh| mesh.primitives.len()).sum();
        let read: HashSet<_> =
            (0..num_submeshes).map(|index| submesh_name(author.name(), index, num_submeshes)).collect();
        author.report_mesh_names(|_, _, name| read.contains(name));
        let mut meshes = author.bound(&skeleton);
        author.report_unused_vertices(&meshes);
        author.unit_normals(&mut meshes);
        let kept = Attributes {
            uv_sets: usize::MAX,
            colors: version.has_colors(),
            tangents: false,
            morphs: version.has_morphs(),
        };
        author.keep(&mut meshes, kept);
        let num_materials = author.scene().materials.len();
        let mut submeshes = Vec::new();
        for mut mesh in meshes {
            author.limit_influences(&mut mesh, &skeleton, MAX_INFLUENCES);
            if mesh.skin.as_ref().is_some_and(|skin| skin.weights.most() > 0) {
                author.attach_loose(&mut mesh, &skeleton);
            }
            for mut part in split(mesh) {
                let faces = part.num_triangles();
                author.limit("faces", faces.max(part.positions.len()), i32::MAX as usize, SHORTEN)?;
                if part.is_inside_out() {
                    author.report_loss(Lost::FlippingFaces.of("mesh", &part.name));
                } else if let Some(agreeing) = part.first_outside().filter(|first| *first > 0) {
                    // libcal3d turns a submesh over if its first face opposes its normals.
                    part.primitives[0].triangles.swap(0, agreeing);
                    author.report_loss(Lost::FaceOrder.of("mesh", &part.name));
                }
                if part.colors.iter().any(|color| color[3] < 1.0) {
                    author.report_loss(Lost::VertexOpacities.of("mesh", &part.name));
                }
                submeshes.push(submesh(&part, version, num_materials, &places, space));
            }
        }
        let mesh = Mesh { version: version.number, submeshes: submeshes.into(), ..Mesh::default() };
        Ok(vec![Authored { name: author.name().to_owned(), file: file(version, mesh) }])
    }
}

fn submesh(
    mesh: &scene::Mesh,
    version: Version,
    num_materials: usize,
    places: &[i32],
    space: Space,
) -> Submesh {
    let primitive = &mesh.primitives[0];
    // The XML form leaves out what is empty.
    let has_morphs = version.has_morphs() && !(mesh.morphs.is_empty() && version.dialect == Dialect::Xml);
    let face = |corners: &[u32; 3]| Face { vertex_ids: corners.map(|corner| number(corner as usize)) };
    let vertices: Vec<_> =
        (0..mesh.positions.len()).map(|index| vertex(mesh, index, version, places, space)).collect();
    Submesh {
        // Readers find no material at an index after the last.
        material_id: number(primitive.material.unwrap_or(num_materials)),
        num_maps: number(mesh.uvs.len()),
        vertices: vertices.into(),
        morphs: has_morphs.then(|| morphs(mesh, version, space)),
        faces: primitive.triangles.iter().map(face).collect::<Vec<_>>().into(),
        ..Submesh::default()
    }
}

fn vertex(mesh: &scene::Mesh, index: usize, version: Version, places: &[i32], space: Space) -> Vertex {
    let color = mesh.colors.get(index).map_or([1.0; 3], |[red, green, blue, _]| [*red, *green, *blue]);
    let influences = mesh.skin.as_ref().map_or(&[][..], |skin| skin.weights.of(index));
    let influence = |own: &scene::Influence| Influence {
        bone_id: places.get(own.joint as usize).copied().unwrap_or(0),
        weight: own.weight,
    };
    Vertex {
        position: space.point(mesh.positions[index].into()).into(),
        normal: space.direction(mesh.normals[index].into()).into(),
        color: version.has_colors().then_some(color),
        collapse_id: -1,
        face_collapse_count: 0,
        uvs: uvs(mesh, index),
        influences: SmallList::new(influences.iter().map(influence)).unwrap_or_default(),
        physical_weight: None,
    }
}

fn uvs(mesh: &scene::Mesh, index: usize) -> FixedLenList<[f32; 2]> {
    mesh.uvs.iter().map(|set| set[index].into()).collect::<Vec<[f32; 2]>>().into()
}

fn morphs(mesh: &scene::Mesh, version: Version, space: Space) -> Morphs {
    let vertices = |own: &scene::Morph| {
        let vertex = |delta: &scene::Delta| {
            let index = delta.vertex as usize;
            let base = |base: Vec3| if version.stores_differences() { Vec3::ZERO } else { base };
            BlendVertex {
                vertex_id: number(index),
                position: space.point((base(mesh.positions[index]) + delta.position).into()).into(),
                normal: space.direction((base(mesh.normals[index]) + delta.normal).into()).into(),
                uvs: uvs(mesh, index),
            }
        };
        own.deltas.iter().map(vertex).collect::<Vec<_>>()
    };
    let name = |own: &scene::Morph| Text::new(&name_bytes(&own.name));
    if version.counts_morphs() {
        let morph = |own: &scene::Morph| CountedMorph { name: name(own), vertices: vertices(own).into() };
        Morphs::Counted(mesh.morphs.iter().map(morph).collect())
    } else {
        let end = number(mesh.positions.len());
        let morph = |own: &scene::Morph| EndedMorph { name: name(own), vertices: vertices(own).into(), end };
        Morphs::Ended(mesh.morphs.iter().map(morph).collect())
    }
}

impl FromScene for Cal3d<Animation> {
    const HOLDS: &'static [SceneContent] = &[SceneContent::Clips];

    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        let version = version(author)?;
        let sources = author.clips();
        if sources.is_empty() {
            return Err(AuthorError::empty("clips"));
        }
        let space = author.space(SPACE);
        let skeleton = author.rigid_skeleton();
        let places = places(&skeleton);
        let (mut files, mut taken) = (Vec::new(), SafeNames::default());
        for clip in author.rigid_clips(&sources, false)? {
            let tracks = tracks(&clip, &skeleton, &places, space, author)?;
            // libcal3d refuses animations without tracks.
            if tracks.is_empty() {
                if clip.morphs.is_empty() {
                    author.report_loss(Lost::StillClip.of("clip", &clip.name));
                }
                continue;
            }
            let animation = Animation {
                version: version.number,
                compression: version.has_compression().then_some(0),
                duration: duration(&clip, author),
                track_flags: version.has_track_flags().then(TrackFlags::new),
                tracks: tracks.into(),
                ..Animation::default()
            };
            files.push(Authored {
                name: author.part_file(Placeholder::Clip, &clip.name, &mut taken),
                file: file(version, animation),
            });
        }
        if files.is_empty() {
            return Err(AuthorError::empty("clips that animate bones"));
        }
        Ok(files)
    }
}

/// The length of a clip in seconds, which is not 0.
fn duration(clip: &Clip, author: &mut Author<'_>) -> f32 {
    let end = clip.span().map_or(0.0, |(_, end)| end);
    if end > 0.0 {
        return end;
    }
    let duration = scene::FRAME_RATE.recip();
    author.report_loss(Lost::Duration.of("clip", &clip.name).with(duration));
    duration
}

fn tracks(
    clip: &Clip,
    skeleton: &scene::Skeleton,
    places: &[i32],
    space: Space,
    author: &mut Author<'_>,
) -> Result<Vec<Track>, AuthorError> {
    let linear = author.linear(clip, skeleton);
    let mut tracks = Vec::new();
    for own in tracks_of(clip, skeleton.bones().len()) {
        let mut times = Vec::new();
        if let Some(translation) = &own.translation {
            times.extend(linear.vector_times(translation, linear.size())?);
        }
        if let Some(rotation) = &own.rotation {
            times.extend(linear.rotation_times(rotation)?);
        }
        if times.is_empty() {
            continue;
        }
        let times = from_0(times);
        author.charge(times.len() * 2 * size_of::<PlainKey>(), || format!("clip {:?}", clip.name))?;
        let bind = skeleton.bones()[own.bone].bind;
        let key = |&time: &f32| {
            let translation = own.translation.as_ref().and_then(|own| own.sample(time));
            let rotation = own.rotation.as_ref().and_then(|own| own.sample(time));
            let pose = Transform {
                translation: translation.unwrap_or(bind.translation),
                rotation: rotation.unwrap_or(bind.rotation),
                ..bind
            };
            let (translation, rotation) = stored(pose, space);
            PlainKey { time, translation, rotation }
        };
        let keys: Vec<_> = times.iter().map(key).collect();
        tracks.push(Track::Plain(PlainTrack { bone_id: places[own.bone], keys: keys.into() }));
    }
    Ok(tracks)
}

/// Returns the times of keys in ascending order, from 0 on: libcal3d extrapolates before the first key.
fn from_0(mut times: Vec<f32>) -> Vec<f32> {
    if times.iter().all(|time| *time > 0.0) {
        times.push(0.0);
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

impl FromScene for Cal3d<Morph> {
    const HOLDS: &'static [SceneContent] = &[SceneContent::MorphClips];

    fn stores_morphs(dialect: Option<&str>) -> bool {
        version_of(dialect).is_ok_and(Version::has_morphs)
    }

    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        let version = version(author)?;
        let mut clips = author.clips();
        clips.retain(|clip| !clip.morphs.is_empty());
        if clips.is_empty() {
            return Err(AuthorError::empty("clips of morph targets"));
        }
        let meshes = author.take_meshes();
        let targets: HashSet<&str> =
            meshes.iter().flat_map(|mesh| &mesh.morphs).map(|morph| &*morph.name).collect();
        let is_known = |name: &str| meshes.is_empty() || version.has_morphs() && targets.contains(name);
        let (mut files, mut missing, mut taken) = (Vec::new(), Vec::new(), SafeNames::default());
        for clip in clips {
            let mut tracks = Vec::new();
            for (name, weight) in morph_curves(clip, &meshes) {
                if !is_known(&name) {
                    missing.push(Lost::MissingTarget.of("morph track", &name).of("clip", &clip.name));
                    continue;
                }
                let what = || format!("clip {:?}", clip.name);
                let times = from_0(author.linear(clip, &author.scene().skeleton).weight_times(weight)?);
                author.charge(times.len() * 2 * size_of::<MorphKey>(), what)?;
                let key = |time: f32| Some(MorphKey { time, weight: weight.sample(time)? });
                let keys = times.into_iter().filter_map(key);
                let keys = keys.collect::<Vec<_>>().into();
                tracks.push(MorphTrack { morph_name: Text::new(&name_bytes(&name)), keys });
            }
            if tracks.is_empty() {
                continue;
            }
            let duration = duration(clip, author);
            let morph =
                Morph { version: version.number, duration, tracks: tracks.into(), ..Morph::default() };
            files.push(Authored {
                name: author.part_file(Placeholder::Clip, &clip.name, &mut taken),
                file: file(version, morph),
            });
        }
        if files.is_empty() {
            return Err(AuthorError::empty("clips of morph targets that meshes of the version have"));
        }
        for loss in missing {
            author.report_loss(loss);
        }
        Ok(files)
    }
}

impl FromScene for Cal3d<Material> {
    const HOLDS: &'static [SceneContent] = &[SceneContent::Materials, SceneContent::Textures];

    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        let version = version(author)?;
        let materials = &author.scene().materials;
        if materials.is_empty() {
            return Err(AuthorError::empty("materials"));
        }
        author.report_fields(FIELDS);
        let has_types = version.has_map_types();
        let map = |own: &Texture| {
            let kind = super::ROLES.iter().find(|(_, role)| *role == own.role).map_or("", |(kind, _)| kind);
            Map {
                file: Text::new(&name_bytes(&own.path)),
                kind: has_types.then(|| Text::new(kind.as_bytes())),
            }
        };
        let mut taken = SafeNames::default();
        let mut material = |own: &scene::Material| {
            let textures = maps(own, has_types, author);
            let material = Material {
                version: version.number,
                ambient: with_opacity(own.ambient, own),
                diffuse: scene::color_bytes(own.color),
                specular: with_opacity(own.specular, own),
                shininess: own.shininess,
                maps: textures.into_iter().map(map).collect::<Vec<_>>().into(),
                ..Material::default()
            };
            Authored {
                name: author.part_file(Placeholder::Material, &own.name, &mut taken),
                file: file(version, material),
            }
        };
        Ok(materials.iter().map(&mut material).collect())
    }
}

/// Returns the textures of a material that can be written: without types, readers use the first one as the colour.
fn maps<'m>(own: &'m scene::Material, has_types: bool, author: &mut Author<'_>) -> Vec<&'m Texture> {
    let stays = |texture: &Texture| {
        if has_types { TYPED.contains(&texture.role) } else { !texture.role.is_special() }
    };
    let lost = own.textures.iter().filter(|texture| !stays(texture)).count();
    let dropped = !has_types && own.color_texture().is_none();
    author.report_losses(lost, if dropped { Lost::TexturesWithoutColor } else { Lost::TextureRoles });
    if dropped { Vec::new() } else { own.textures.iter().collect() }
}

/// The roles that map types express; unknown ones have no type.
const TYPED: [TextureRole; 8] = [
    TextureRole::Color,
    TextureRole::Other,
    TextureRole::Specular,
    TextureRole::SpecularPower,
    TextureRole::Emission,
    TextureRole::Opacity,
    TextureRole::Height,
    TextureRole::Environment,
];

fn with_opacity([red, green, blue]: [f32; 3], own: &scene::Material) -> [u8; 4] {
    scene::color_bytes([red, green, blue, own.color[3]])
}
