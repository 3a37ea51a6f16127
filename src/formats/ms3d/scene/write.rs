//! Writes a scene as a MilkShape 3D file.
//!
//! Weights are whole hundredths. Rotation keys and the times of keys are exact up to the rounding of floats. The viewer's
//! curve through translation keys depends on all of them, so a translation that is interpolated otherwise has a key at
//! every frame; the rate is doubled until the curve agrees. Where it does not, keys are between frames.

use glam::{Quat, Vec3};

use super::super::conventions::{FULL_WEIGHT, SPACE, angles, rate};
use super::super::{
    Animation, CommentLists, Comments, Comments1, Group, Joint, Keyframe, MAX_GROUPS, MAX_JOINTS,
    MAX_MATERIALS, MAX_TRIANGLES, MAX_VERTICES, Material, MaterialMode, ModelComment, Ms3d, NONE, Triangle,
    Vertex, VertexExtra, VertexExtra1, VertexExtra2, VertexExtra3, VertexExtraRecords,
};
use super::{free, looped_tangents, smoothing, timeline};
use crate::check::common::is_absolute;
use crate::codec::Format;
use crate::scene::author::{
    Attributes, Author, AuthorError, Authored, Frames, FromScene, MAX_FRAMES, MaterialFields, NameRules,
    Points, SceneContent, TextureSlots, curves_of, merge, name_bytes, names_group, shares, tracks_of,
};
use crate::scene::{
    self, Alpha, Clip, Curve, Interpolation, Loss, Lost, Measure, Mesh, Scene, Space, TextureRole, Track,
    Transform,
};
use crate::wire::{Counted, FixedStr, LenStr, Part};

const ATTRIBUTES: Attributes = Attributes { uv_sets: 1, colors: false, tangents: false, morphs: false };

const FIELDS: MaterialFields = MaterialFields {
    color: true,
    emissive: true,
    ambient: true,
    specular: true,
    textures: TextureSlots::Each(&[TextureRole::Color, TextureRole::Opacity, TextureRole::Sphere]),
    blend: true,
    ..MaterialFields::NONE
};

const REDUCE: &str = "reduce the mesh, or choose a format with larger indices, such as psk";
const FEWER: &str = "merge materials, or choose another format, such as psk";
const BONES: &str = "remove bones, or choose another format, such as psk";
pub(super) const SHORTEN: &str = "choose a lower rate, or shorten the clip";

/// Names, with the NUL after them.
pub(super) const fn names(what: &'static str, unique: bool) -> NameRules {
    NameRules { what, most: 31, unique, ignore_case: false, allows: |byte| byte != 0 }
}

impl FromScene for Ms3d {
    const HOLDS: &'static [SceneContent] = &[
        SceneContent::Skeleton,
        SceneContent::Meshes,
        SceneContent::Materials,
        SceneContent::Textures,
        SceneContent::Clips,
    ];
    const ENCODINGS: &'static [&'static str] = &EXTRAS;

    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        version(author)?;
        author.report_mesh_names(names_group);
        let mut scene = author.rigid(false)?;
        if scene.meshes.is_empty() && scene.skeleton.bones().is_empty() {
            return Err(AuthorError::empty("meshes or bones"));
        }
        author.limit("bones", scene.skeleton.bones().len(), MAX_JOINTS, BONES)?;
        author.limit("materials", scene.materials.len(), MAX_MATERIALS, FEWER)?;
        author.unit_normals(&mut scene.meshes);
        author.keep(&mut scene.meshes, ATTRIBUTES);
        author.report_fields(FIELDS);
        let space = author.space(SPACE);
        let mut file = Self::blank_file();
        file.materials = materials(&scene, author).into();
        add_mesh(&mut file, std::mem::take(&mut scene.meshes), &scene, space, author)?;
        let (joints, places) = joints(&scene, space, author);
        file.joints = joints.into();
        let moving: Vec<&Clip> = scene.clips.iter().filter(|clip| moves(clip)).collect();
        if author.settings().clip.is_none() && !moving.is_empty() {
            if let [only] = &*moving {
                if only.name != author.name() {
                    author.report_loss(Lost::ClipName.of("clip", &only.name));
                }
                add_clip(&mut file, only, &scene, &places, space, author)?;
            } else {
                timeline::add(&mut file, &moving, &scene, &places, space, author)?;
            }
            for still in scene.clips.iter().filter(|clip| !moves(clip)) {
                author.report_loss(Lost::StillClip.of("clip", &still.name));
            }
        } else {
            let chosen = author.only_clip().map(|clip| clip.name.clone());
            if let Some(clip) = scene.clips.iter().find(|clip| Some(&clip.name) == chosen.as_ref()) {
                add_clip(&mut file, clip, &scene, &places, space, author)?;
            }
        }
        Ok(vec![Authored { name: author.name().to_owned(), file }])
    }
}

fn materials(scene: &Scene, author: &mut Author<'_>) -> Vec<Material> {
    let fitted = author.fit_names(names("material", false), scene.materials.iter().map(|own| &*own.name));
    let files: Vec<[String; 2]> = scene.materials.iter().map(|own| textures(own, author)).collect();
    let paths = NameRules { most: 127, ..names("texture", false) };
    let files = author.fit_names(paths, files.as_flattened().iter().map(|file| &**file));
    let opacities = scene.materials.iter().map(|own| own.color[3]);
    let num_clamped = opacities.filter(|opacity| !(0.0..=1.0).contains(opacity)).count();
    author.report_losses(num_clamped, Lost::Opacities);
    let material = |((own, name), files): ((&scene::Material, Vec<u8>), &[Vec<u8>])| {
        let [red, green, blue, opacity] = own.color;
        let opacity = opacity.clamp(0.0, 1.0);
        let with_opacity = |[red, green, blue]: [f32; 3]| [red, green, blue, opacity];
        Material {
            name: fixed(&name),
            ambient: with_opacity(own.ambient),
            diffuse: [red, green, blue, opacity],
            specular: with_opacity(own.specular),
            emissive: with_opacity(own.emissive),
            shininess: own.shininess,
            transparency: opacity,
            mode: MaterialMode::new()
                .with_has_alpha(own.alpha != Alpha::Opaque)
                .with_sphere_map(own.color_texture().is_none() && own.texture(TextureRole::Sphere).is_some()),
            texture: fixed(&files[0]),
            alphamap: fixed(&files[1]),
        }
    };
    scene.materials.iter().zip(fitted).zip(files.chunks(2)).map(material).collect()
}

/// The paths of the texture, which is that of the colour or else a sphere map, and of the alpha map.
fn textures(material: &scene::Material, author: &mut Author<'_>) -> [String; 2] {
    let [color, sphere, opacity] = [TextureRole::Color, TextureRole::Sphere, TextureRole::Opacity]
        .map(|role| material.texture(role).map(|own| &*own.path));
    if let (Some(_), Some(sphere)) = (color, sphere) {
        author.report_loss(Lost::SphereMap.of("texture", sphere).of("material", &material.name));
    }
    [color.or(sphere), opacity].map(|path| path.map_or_else(String::new, |path| texture(path, author)))
}

/// The path of a texture; of an absolute path the name of the file.
fn texture(path: &str, author: &mut Author<'_>) -> String {
    if !is_absolute(&name_bytes(path)) {
        return path.to_owned();
    }
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    author.report_loss(Lost::AbsolutePath.of("texture", path));
    name.to_owned()
}

/// A text that fits.
fn fixed<const N: usize>(text: &[u8]) -> FixedStr<N> {
    FixedStr::new(text).unwrap_or_default()
}

/// An index that fits.
fn narrow<T: TryFrom<u32> + Default>(index: u32) -> T {
    T::try_from(index).unwrap_or_default()
}

fn add_mesh(
    file: &mut Ms3d,
    meshes: Vec<Mesh>,
    scene: &Scene,
    space: Space,
    author: &mut Author<'_>,
) -> Result<(), AuthorError> {
    let (mut mesh, _) = merge(meshes);
    author.limit_influences(&mut mesh, &scene.skeleton, 4);
    author.report_shares(&mesh, FULL_WEIGHT.into());
    let points = Points::of(&mesh, false);
    author.remove_degenerate(&mut mesh, &points);
    mesh.primitives.retain(|primitive| !primitive.triangles.is_empty());
    author.limit("vertices", points.first().len(), MAX_VERTICES, REDUCE)?;
    author.limit("triangles", mesh.num_triangles(), MAX_TRIANGLES, REDUCE)?;
    author.limit("groups", mesh.primitives.len(), MAX_GROUPS, FEWER)?;
    let memory = mesh.num_triangles() * size_of::<Triangle>() + points.first().len() * size_of::<Vertex>();
    author.charge(memory, || "the triangles".into())?;
    let joint_of = places(scene);
    file.vertices = points
        .first()
        .iter()
        .map(|own| vertex(&mesh, *own as usize, space, &joint_of))
        .collect::<Vec<_>>()
        .into();
    let is_woven = mesh.skin.as_ref().is_some_and(|skin| skin.weights.most() > 1);
    if is_woven {
        let influences = points.first().iter().map(|own| influences(&mesh, *own as usize, &joint_of));
        let records = extra(influences, author)?;
        file.comments = comments(None);
        file.vertex_extra = Part::Present(VertexExtra { records });
    }
    let fitted = author.fit_names(names("group", false), mesh.primitives.iter().map(|own| &*own.name));
    let mut triangles = Vec::with_capacity(mesh.num_triangles());
    let mut groups = Vec::with_capacity(mesh.primitives.len());
    for (group, (own, name)) in (0_u32..).zip(mesh.primitives.iter().zip(fitted)) {
        let first = triangles.len();
        triangles.extend(own.triangles.iter().map(|corners| {
            let mut triangle = triangle(&mesh, *corners, &points, space);
            triangle.group_index = narrow(group);
            triangle
        }));
        let indices = first..triangles.len();
        let material = own.material.and_then(|material| u8::try_from(material).ok());
        groups.push(Group {
            name: fixed(&name),
            triangle_indices: indices.map(|own| u16::try_from(own).unwrap_or(0)).collect::<Vec<_>>().into(),
            material_index: material.unwrap_or(NONE),
            ..Group::default()
        });
    }
    for corner in triangles.iter().flat_map(|own: &Triangle| own.vertex_indices) {
        let vertex = &mut file.vertices[usize::from(corner)];
        vertex.reference_count = vertex.reference_count.wrapping_add(1);
    }
    for (triangle, group) in triangles.iter_mut().zip(smoothing::groups(&mesh, &points)) {
        triangle.smoothing_group = group;
    }
    file.triangles = triangles.into();
    file.groups = groups.into();
    Ok(())
}

/// The part that precedes the influences of vertices.
pub(super) fn comments(model: Option<&[u8]>) -> Part<Comments> {
    let model = model.map(|text| ModelComment { text: LenStr::new(text) });
    Part::Present(Comments {
        lists: CommentLists::Sub1(Comments1 {
            groups: Counted::default(),
            materials: Counted::default(),
            joints: Counted::default(),
            model: model.into_iter().collect::<Vec<_>>().into(),
        }),
    })
}

/// The joint of each bone: parents precede their children.
fn places(scene: &Scene) -> Vec<u8> {
    let places = scene.skeleton.places().into_iter();
    places.map(|place| u8::try_from(place).unwrap_or(NONE)).collect()
}

fn vertex(mesh: &Mesh, index: usize, space: Space, joint_of: &[u8]) -> Vertex {
    let joints = influences(mesh, index, joint_of).0;
    Vertex {
        position: space.point(mesh.positions[index].into()).into(),
        bone_id: joints[0],
        ..Vertex::default()
    }
}

/// Up to four joints and their weights.
fn influences(mesh: &Mesh, index: usize, joint_of: &[u8]) -> ([u8; 4], [u8; 4]) {
    let own = mesh.skin.as_ref().map_or(&[][..], |skin| skin.weights.of(index));
    let (mut joints, mut weights) = ([NONE; 4], [0; 4]);
    let shares = shares(own, FULL_WEIGHT.into());
    for (place, (own, share)) in own.iter().zip(shares).filter(|(_, share)| *share > 0).take(4).enumerate() {
        joints[place] = joint_of.get(own.joint as usize).copied().unwrap_or(NONE);
        weights[place] = narrow(share);
    }
    (joints, weights)
}

/// The sub-versions of the influences in the settings, the usual one first.
const EXTRAS: [&str; 3] = ["extra2", "extra1", "extra3"];

/// The place of the sub-version in the settings.
fn version(author: &Author<'_>) -> Result<usize, AuthorError> {
    let version = author.settings().version.as_deref().unwrap_or(EXTRAS[0]);
    let place = EXTRAS.iter().position(|own| *own == version);
    place.ok_or_else(|| AuthorError::Version { known: EXTRAS.join(", ") })
}

/// The second to fourth joints and the first to third weights of vertices.
fn extra(
    influences: impl Iterator<Item = ([u8; 4], [u8; 4])>,
    author: &Author<'_>,
) -> Result<VertexExtraRecords, AuthorError> {
    let all = influences.map(|([_, bones @ ..], [a, b, c, _])| (bones, [a, b, c]));
    Ok(match version(author)? {
        0 => VertexExtraRecords::Sub2(
            all.map(|(bone_ids, weights)| VertexExtra2 { bone_ids, weights, extra: 0 }).collect(),
        ),
        1 => VertexExtraRecords::Sub1(
            all.map(|(bone_ids, weights)| VertexExtra1 { bone_ids, weights }).collect(),
        ),
        _ => VertexExtraRecords::Sub3(
            all.map(|(bone_ids, weights)| VertexExtra3 { bone_ids, weights, extra: [0; 2] }).collect(),
        ),
    })
}

fn triangle(mesh: &Mesh, corners: [u32; 3], points: &Points, space: Space) -> Triangle {
    let [a, b, c] = corners.map(|corner| corner as usize);
    let uv = |corner: usize| mesh.uvs.first().and_then(|set| set.get(corner)).copied().unwrap_or_default();
    let normal = |corner: usize| space.direction(mesh.normals[corner].into()).into();
    Triangle {
        vertex_indices: [a, b, c].map(|corner| narrow(points.of_vertices()[corner])),
        vertex_normals: [a, b, c].map(normal),
        s: [a, b, c].map(|corner| uv(corner).x),
        t: [a, b, c].map(|corner| uv(corner).y),
        ..Triangle::default()
    }
}

/// The joints, and the place of each bone among them.
fn joints(scene: &Scene, space: Space, author: &mut Author<'_>) -> (Vec<Joint>, Vec<usize>) {
    let bones = scene.skeleton.bones();
    let fitted = author.fit_names(names("bone", true), bones.iter().map(|bone| &*bone.name));
    let joint = |index: &usize| {
        let bone = &bones[*index];
        Joint {
            name: fixed(&fitted[*index]),
            parent_name: bone.parent.map(|parent| fixed(&fitted[parent])).unwrap_or_default(),
            rotation: angles(space.rotation(bone.bind.rotation.to_array())),
            position: space.point(bone.bind.translation.into()).into(),
            ..Joint::default()
        }
    };
    (scene.skeleton.order().iter().map(joint).collect(), scene.skeleton.places())
}

/// How far a translation may be from the viewer's curve before the rate is doubled, relative to the size of the skeleton.
pub(super) const CLOSE: f32 = 1e-4;

/// The highest rate that is tried.
pub(super) const FASTEST: f32 = 120.0;

/// The memory of the keys of a joint in a frame.
pub(super) const FRAME: usize = 4 * size_of::<Keyframe>();

/// Whether a clip has keys of bones.
fn moves(clip: &Clip) -> bool {
    let has = |own: &Track| {
        own.translation.as_ref().is_some_and(|own| !own.times().is_empty())
            || own.rotation.as_ref().is_some_and(|own| !own.times().is_empty())
    };
    clip.tracks.iter().any(has)
}

fn add_clip(
    file: &mut Ms3d,
    clip: &Clip,
    scene: &Scene,
    places: &[usize],
    space: Space,
    author: &mut Author<'_>,
) -> Result<(), AuthorError> {
    let tracks = tracks_of(clip, scene.skeleton.bones().len());
    let memory = FRAME * tracks.len();
    let mut frames = author.frames(clip, memory)?;
    let size = author.size();
    let off = |frames: Frames| tracks.iter().map(|track| translation_off(track, frames)).fold(0.0, f32::max);
    let is_free = author.settings().rate.is_none();
    let usual = frames;
    while is_free && frames.rate * 2.0 <= FASTEST && off(frames) > CLOSE * size {
        frames = Frames::until(frames.time(frames.len - 1), frames.rate * 2.0);
    }
    let turning = turning(clip);
    let is_off = off(frames) > CLOSE * size || author.deviates(&turning, &scene.skeleton, frames);
    let between = if is_free && is_off { keys_between(clip, scene, space, author)? } else { None };
    if between.is_some() || frames.len > usize::from(u16::MAX) {
        frames = usual;
    }
    author.charge_frames(clip, frames, memory)?;
    author.limit("frames", frames.len, MAX_FRAMES.min(usize::from(u16::MAX)), SHORTEN)?;
    report_end(clip, frames, author);
    match between {
        Some(all) => {
            for ([positions, rotations], place) in all.into_iter().zip(places) {
                let joint = &mut file.joints[*place];
                (joint.position_keys, joint.rotation_keys) = (positions.into(), rotations.into());
            }
        }
        None => set_keys(file, &tracks, frames, clip, (scene, places, space), author),
    }
    if file.joints.iter().all(|joint| joint.rotation_keys.is_empty() && joint.position_keys.is_empty()) {
        author.report_loss(Lost::StillClip.of("clip", &clip.name));
        return Ok(());
    }
    if frames.len == 1 {
        author.report_loss(Lost::Duration.of("clip", &clip.name).with(rate(frames.rate).recip()));
    }
    let total_frames = i32::try_from(frames.len - 1).unwrap_or(i32::MAX).max(1);
    file.animation = Animation { fps: rate(frames.rate), total_frames, current_time: 1.0 };
    Ok(())
}

/// Sets keys at frames, and reports how far the clip is from them between frames.
fn set_keys(
    file: &mut Ms3d,
    tracks: &[Track],
    frames: Frames,
    clip: &Clip,
    (scene, places, space): (&Scene, &[usize], Space),
    author: &mut Author<'_>,
) {
    author.report_deviations(&turning(clip), &scene.skeleton, frames);
    let close = CLOSE * author.size();
    for track in tracks {
        let bone = &scene.skeleton.bones()[track.bone];
        let joint = &mut file.joints[places[track.bone]];
        joint.rotation_keys = rotation_keys(track, bone.bind, frames, space).into();
        joint.position_keys = position_keys(track, bone.bind, frames, space).into();
        let off = translation_off(track, frames);
        if off > close {
            report_curve(&bone.name, clip, off, frames.rate, author);
        }
    }
}

/// Returns the keys of positions and rotations of each bone at times of their own; none if a joint cannot hold as many.
fn keys_between(
    clip: &Clip,
    scene: &Scene,
    space: Space,
    author: &Author<'_>,
) -> Result<Option<Vec<[Vec<Keyframe>; 2]>>, AuthorError> {
    let linear = author.linear(clip, &scene.skeleton);
    let place = free::Place { start: 0.0, end: None };
    let curves = curves_of(clip, scene.skeleton.bones().len()).into_iter().zip(scene.skeleton.bones());
    curves.map(|(own, bone)| free::keyframes(own, (&linear, author), place, bone.bind, space)).collect()
}

/// Returns a clip without translations.
pub(super) fn turning(clip: &Clip) -> Clip {
    let turning = |own: &Track| Track { translation: None, ..own.clone() };
    Clip { tracks: clip.tracks.iter().map(turning).collect(), ..clip.clone() }
}

/// Reports a clip that ends between frames: the file states whole ones.
pub(super) fn report_end(clip: &Clip, frames: Frames, author: &mut Author<'_>) {
    if clip.span().is_some_and(|(_, end)| end > 0.0 && !frames.has(end)) {
        author.report_loss(Lost::RoundedEnd.of("clip", &clip.name).with(frames.rate));
    }
}

/// Reports a translation that is another curve in the file.
pub(super) fn report_curve(bone: &str, clip: &Clip, off: f32, rate: f32, author: &mut Author<'_>) {
    let loss = Lost::CurvedTranslation.of("bone", bone).of("clip", &clip.name).with(rate);
    let measure = Some(Measure { metres: off, ..Measure::default() });
    author.report_loss(Loss { measure, ..loss });
}

/// The keys of a curve that is interpolated as in the file, or else a value for each frame; a constant has its first and
/// last.
fn keys<T: scene::Blend>(curve: &Curve<T>, frames: Frames, fits: bool) -> Vec<(f32, T)> {
    if fits && curve.times().iter().all(|time| frames.has(*time)) {
        return curve.times().iter().copied().zip(curve.values().iter().copied()).collect();
    }
    let values = frames.sample(curve).unwrap_or_default();
    Curve::at_rate(values, frames.rate)
        .map(|curve| curve.times().iter().copied().zip(curve.values().iter().copied()).collect())
        .unwrap_or_default()
}

/// Returns the angles of a key.
pub(super) fn turn(value: Quat, bind: Transform, space: Space) -> [f32; 3] {
    angles(space.rotation((bind.rotation.conjugate() * value).to_array()))
}

/// Returns the translation of a key.
pub(super) fn offset(value: Vec3, bind: Transform, space: Space) -> [f32; 3] {
    space.point((bind.rotation.conjugate() * (value - bind.translation)).into()).into()
}

fn rotation_keys(track: &Track, bind: Transform, frames: Frames, space: Space) -> Vec<Keyframe> {
    let Some(curve) = &track.rotation else { return Vec::new() };
    // Half a turn has two shortest arcs.
    let is_wide = curve.values().windows(2).any(|pair| pair[0].dot(pair[1]).abs() < 0.01);
    let linear = matches!(curve.between(), Interpolation::Linear) && !is_wide;
    let key = |(time, value)| Keyframe { time, value: turn(value, bind, space) };
    keys(curve, frames, linear).into_iter().map(key).collect()
}

fn position_keys(track: &Track, bind: Transform, frames: Frames, space: Space) -> Vec<Keyframe> {
    let Some(curve) = &track.translation else { return Vec::new() };
    let key = |(time, value)| Keyframe { time, value: offset(value, bind, space) };
    keys(curve, frames, is_looped(curve)).into_iter().map(key).collect()
}

/// Whether a curve is the viewer's curve through its keys.
fn is_looped(curve: &Curve<Vec3>) -> bool {
    let keys: Vec<_> = curve.times().iter().copied().zip(curve.values().iter().copied()).collect();
    let still = keys.iter().all(|(_, value)| *value == keys[0].1);
    match curve.between() {
        Interpolation::CubicSpline(tangents) => {
            let near = |(a, b): (&[Vec3; 2], [Vec3; 2])| {
                let size = b[0].length().max(b[1].length()).max(1e-3);
                a[0].abs_diff_eq(b[0], size * 1e-3) && a[1].abs_diff_eq(b[1], size * 1e-3)
            };
            tangents.iter().zip(looped_tangents(&keys)).all(near)
        }
        Interpolation::Linear | Interpolation::Step => still,
    }
}

/// How far a translation is from the curve through its keys in the file, in metres.
fn translation_off(track: &Track, frames: Frames) -> f32 {
    let Some(curve) = &track.translation else { return 0.0 };
    distance_to(curve, keys(curve, frames, is_looped(curve)), frames)
}

/// How far a curve is from the one through these keys in a file, in metres.
pub(super) fn distance_to(curve: &Curve<Vec3>, keys: Vec<(f32, Vec3)>, frames: Frames) -> f32 {
    let tangents = looped_tangents(&keys);
    let read = Curve::new(keys, Interpolation::CubicSpline(tangents));
    let quarters = frames.times().flat_map(|time| [0.25, 0.5, 0.75].map(|part| time + part / frames.rate));
    let end = frames.time(frames.len - 1);
    let times = curve.times().iter().copied().chain(quarters).filter(|time| (0.0..=end).contains(time));
    let off = times.filter_map(|time| Some(read.sample(time)?.distance(curve.sample(time)?)));
    off.fold(0.0, f32::max)
}
