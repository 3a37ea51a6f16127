//! Scenes from arrays.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use bindpose::scene::{
    Attachment, Bone, Clip, Curve, Delta, Interpolation, Joint, Material, Mesh, Morph, MorphTrack, Primitive,
    Scene, Skeleton, Skin, Targets, Texture, TextureRole, Track, Transform, Weights,
};
use glam::{Affine3A, Mat4, Quat, Vec2, Vec3, Vec4};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::PyScene;
use super::clip::Clip as PyClip;
use super::finite::{no_color, not_finite};
use super::images::SceneImage;
use crate::arrays::{Number, flat};
use crate::input::Entries;

/// Why a value is refused that others need.
const MISSING: &str = "is missing";
const NOT_FINITE: &str = "expected numbers that are finite, got infinity or NaN";
const NO_ROTATION: &str = "expected a quaternion of finite numbers other than 0";
const NO_COLOR: &str = "expected numbers from 0 to 1";

/// The parts of a scene that are given; the others stay.
pub struct Parts<'a, 'py> {
    pub skeleton: Option<&'a Bound<'py, PyAny>>,
    pub meshes: Option<&'a Bound<'py, PyAny>>,
    pub materials: Option<&'a Bound<'py, PyAny>>,
    pub clips: Option<&'a Bound<'py, PyAny>>,
    pub attachments: Option<&'a Bound<'py, PyAny>>,
}

impl Parts<'_, '_> {
    /// Returns the scene with these parts instead of its own. Its numbers are finite, or one of those before was not, and likewise
    /// its colours are from 0 to 1.
    pub fn into_scene(self, scene: Scene) -> PyResult<Scene> {
        let (was_finite, was_colored) = (not_finite(&scene).is_none(), no_color(&scene).is_none());
        let scene = self.into_any_scene(scene)?;
        if let Some(at) = not_finite(&scene).filter(|_| was_finite) {
            return Err(wrong(&at, NOT_FINITE));
        }
        match no_color(&scene).filter(|_| was_colored) {
            Some(at) => Err(wrong(&at, NO_COLOR)),
            None => Ok(scene),
        }
    }

    /// As [`into_scene`](Self::into_scene), with any numbers that files can have.
    fn into_any_scene(self, mut scene: Scene) -> PyResult<Scene> {
        // Parts that are replaced come from no file.
        scene.sources.clear();
        if let Some(own) = self.skeleton {
            let bones = own.getattr("bones").unwrap_or_else(|_| own.clone());
            let bones = each(&bones, "skeleton", "Bone", bone)?;
            let (skeleton, cut) = Skeleton::new(bones);
            if let Some(bone) = cut.first() {
                return Err(wrong(&format!("skeleton[{bone}].parent"), "does not exist, or is a bone below"));
            }
            scene.skeleton = skeleton.with_playback(scene.skeleton.playback().clone());
        }
        if let Some(own) = self.materials {
            scene.materials = each(own, "materials", "Material", material)?;
        }
        if let Some(own) = self.meshes {
            scene.meshes = each(own, "meshes", "Mesh", |own, at| mesh(own, at, &scene.skeleton))?;
        }
        if let Some(own) = self.clips {
            scene.clips = each(own, "clips", "Clip", |own, at| {
                let clip = own.cast::<PyClip>().map_err(|_| is_not(own, "Clip", at))?;
                Ok(clip.get().clip().clone())
            })?;
        }
        if let Some(own) = self.attachments {
            scene.attachments = each(own, "attachments", "Attachment", attachment)?;
        }
        scene.validate().map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(scene)
    }
}

fn wrong(at: &str, why: &str) -> PyErr {
    PyValueError::new_err(format!("{at}: {why}"))
}

/// Returns the error for an object of another class than that of a part.
fn is_not(own: &Bound<'_, PyAny>, class: &str, at: &str) -> PyErr {
    let name = own.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{at}: expected a {class}, got {name}"))
}

/// Reads the items of a sequence of a class, each with its place for messages.
fn each<'py, T>(
    items: &Bound<'py, PyAny>,
    list: &str,
    class: &str,
    read: impl Fn(&Bound<'py, PyAny>, &str) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let all = items.try_iter().map_err(|_| is_not(items, &format!("sequence of {class}"), list))?;
    let items = all.enumerate().map(|(index, item)| {
        let (item, at) = (item?, format!("{list}[{index}]"));
        read(&item, &at).map_err(|error| {
            let is_other = error.is_instance_of::<PyAttributeError>(item.py());
            if is_other { is_not(&item, class, &at) } else { error }
        })
    });
    items.collect()
}

/// Reads a field of a part; the error names its place.
fn field<'py, T: FromPyObjectOwned<'py>>(own: &Bound<'py, PyAny>, name: &str, at: &str) -> PyResult<T> {
    own.getattr(name)?.extract().map_err(|error| {
        let (py, error) = (own.py(), <T::Error as Into<PyErr>>::into(error));
        let text = format!("{at}.{name}: {}", error.value(py));
        if error.is_instance_of::<PyTypeError>(py) {
            PyTypeError::new_err(text)
        } else {
            PyValueError::new_err(text)
        }
    })
}

/// Reads the index of another part, or `None`.
fn index(own: &Bound<'_, PyAny>, name: &str, at: &str) -> PyResult<Option<usize>> {
    let Some(value) = field::<Option<i64>>(own, name, at)? else { return Ok(None) };
    let why = || wrong(&format!("{at}.{name}"), &format!("expected an index or None, got {value}"));
    usize::try_from(value).map(Some).map_err(|_| why())
}

/// Returns a shape as Python shows it.
fn shown(shape: &[usize]) -> String {
    let numbers: Vec<_> = shape.iter().map(ToString::to_string).collect();
    if let [one] = &numbers[..] { format!("({one},)") } else { format!("({})", numbers.join(", ")) }
}

/// Returns whether an array has rows of a shape. One without rows can be a list or a buffer, which have no other dimensions.
fn has_rows(shape: &[usize], of_row: &[usize]) -> bool {
    *shape == [0] || shape.split_first().is_some_and(|(_, rest)| rest == of_row)
}

/// Reads an array of rows of numbers; nothing for `None`.
fn rows<N: Number, const W: usize>(
    own: &Bound<'_, PyAny>,
    field: &str,
    at: &str,
) -> PyResult<Option<Vec<[N; W]>>> {
    let values = own.getattr(field)?;
    if values.is_none() {
        return Ok(None);
    }
    let at = format!("{at}.{field}");
    let (numbers, shape) = flat::<N>(&values, &at)?;
    if !has_rows(&shape, &[W]) {
        return Err(wrong(
            &at,
            &format!("expected an array of rows of {W} numbers, got the shape {}", shown(&shape)),
        ));
    }
    Ok(Some(numbers.as_chunks().0.to_vec()))
}

/// Reads an array of numbers of one dimension.
fn line<N: Number>(values: &Bound<'_, PyAny>, at: &str) -> PyResult<Vec<N>> {
    let (numbers, shape) = flat::<N>(values, at)?;
    if shape.len() != 1 {
        return Err(wrong(at, &format!("expected an array of numbers, got the shape {}", shown(&shape))));
    }
    Ok(numbers)
}

/// Reads matrices of four rows; nothing for `None`.
fn matrices(own: &Bound<'_, PyAny>, field: &str, at: &str) -> PyResult<Option<Vec<[f32; 16]>>> {
    let values = own.getattr(field)?;
    if values.is_none() {
        return Ok(None);
    }
    let at = format!("{at}.{field}");
    let (numbers, shape) = flat::<f32>(&values, &at)?;
    if !has_rows(&shape, &[4, 4]) {
        let why = format!("expected an array of matrices of 4 x 4 numbers, got the shape {}", shown(&shape));
        return Err(wrong(&at, &why));
    }
    Ok(Some(numbers.as_chunks().0.to_vec()))
}

fn transform(own: &Bound<'_, PyAny>, at: &str) -> PyResult<Transform> {
    let (translation, scale): ([f32; 3], [f32; 3]) =
        (field(own, "translation", at)?, field(own, "scale", at)?);
    let rotation = Quat::from_array(field(own, "rotation", at)?);
    let rotation = unit(rotation).ok_or_else(|| wrong(&format!("{at}.rotation"), NO_ROTATION))?;
    Ok(Transform { translation: translation.into(), rotation, scale: scale.into() })
}

/// Returns a quaternion of unit length; one that has it is unchanged. None for zero, infinity and NaN.
fn unit(rotation: Quat) -> Option<Quat> {
    if rotation.is_normalized() {
        return Some(rotation);
    }
    let most = rotation.to_array().into_iter().fold(0.0, |most: f32, own| most.max(own.abs()));
    if !(most > 0.0 && rotation.is_finite()) {
        return None;
    }
    // The square of large numbers is infinite, and that of small ones is zero.
    let is_near = (1e-9..1e9).contains(&most);
    let near = if is_near { rotation } else { Quat::from_array(rotation.to_array().map(|own| own / most)) };
    Some(Transform::new(Vec3::ZERO, near).rotation)
}

fn bone(own: &Bound<'_, PyAny>, at: &str) -> PyResult<Bone> {
    let (name, parent) = (field(own, "name", at)?, index(own, "parent", at)?);
    Ok(Bone { name, parent, bind: transform(own, at)? })
}

fn attachment(own: &Bound<'_, PyAny>, at: &str) -> PyResult<Attachment> {
    let (name, bone) = (field(own, "name", at)?, index(own, "bone", at)?);
    Ok(Attachment { name, bone, place: transform(own, at)? })
}

fn material(own: &Bound<'_, PyAny>, at: &str) -> PyResult<Material> {
    let mut material = Material::new(field::<String>(own, "name", at)?);
    (material.color, material.emissive) = (field(own, "color", at)?, field(own, "emissive", at)?);
    (material.ambient, material.specular) = (field(own, "ambient", at)?, field(own, "specular", at)?);
    (material.shininess, material.unlit) = (field(own, "shininess", at)?, field(own, "unlit", at)?);
    material.double_sided = field(own, "double_sided", at)?;
    let alpha: String = field(own, "alpha", at)?;
    material.alpha = alpha.parse().map_err(|why: String| wrong(&format!("{at}.alpha"), &why))?;
    let paths: Vec<String> = field(own, "textures", at)?;
    let roles: Vec<String> = field(own, "texture_roles", at)?;
    for (index, path) in paths.into_iter().enumerate() {
        let usual = if index == 0 { TextureRole::Color } else { TextureRole::Other };
        let role = roles.get(index).map(|role| role.parse());
        let role = role.transpose().map_err(|why: String| wrong(&format!("{at}.texture_roles"), &why))?;
        material.textures.push(Texture::new(path, role.unwrap_or(usual)));
    }
    Ok(material)
}

fn mesh(own: &Bound<'_, PyAny>, at: &str, skeleton: &Skeleton) -> PyResult<Mesh> {
    let positions: Vec<_> = rows::<f32, 3>(own, "positions", at)?.unwrap_or_default();
    Ok(Mesh {
        name: field(own, "name", at)?,
        bone: index(own, "bone", at)?,
        skin: skin(own, at, positions.len(), skeleton)?,
        positions: positions.into_iter().map(Vec3::from).collect(),
        normals: rows::<f32, 3>(own, "normals", at)?.into_iter().flatten().map(Vec3::from).collect(),
        tangents: rows::<f32, 4>(own, "tangents", at)?.into_iter().flatten().map(Vec4::from).collect(),
        uvs: uvs(own, at)?,
        colors: colors(own, at)?,
        primitives: primitives(own, at)?,
        morphs: each(&own.getattr("morphs")?, &format!("{at}.morphs"), "Morph", morph)?,
        ..Mesh::default()
    })
}

/// Reads the sets of texture coordinates.
fn uvs(own: &Bound<'_, PyAny>, at: &str) -> PyResult<Vec<Vec<Vec2>>> {
    let (sets, at) = (own.getattr("uvs")?, format!("{at}.uvs"));
    let shape =
        |shape: &[usize]| format!("expected arrays of rows of 2 numbers, got the shape {}", shown(shape));
    if let Ok(one) = sets.getattr("shape").and_then(|shape| shape.extract::<Vec<usize>>())
        && one.len() != 3
    {
        return Err(wrong(&at, &format!("{}; put a single set into a list", shape(&one))));
    }
    each(&sets, &at, "set of texture coordinates", |uvs, at| {
        let (numbers, own) = flat::<f32>(uvs, at)?;
        let is_flat = own.len() == 2 && own[1] == 2;
        is_flat
            .then(|| numbers.as_chunks().0.iter().map(|own: &[f32; 2]| Vec2::from(*own)).collect())
            .ok_or_else(|| wrong(at, &shape(&own)))
    })
}

/// Reads the colours, which are not bytes.
fn colors(own: &Bound<'_, PyAny>, at: &str) -> PyResult<Vec<[f32; 4]>> {
    let colors = rows::<f32, 4>(own, "colors", at)?.unwrap_or_default();
    let kind =
        own.getattr("colors")?.getattr("dtype").and_then(|own| own.getattr("kind")?.extract::<String>());
    let is_of_integers = kind.is_ok_and(|kind| kind == "u" || kind == "i");
    if is_of_integers && colors.iter().flatten().any(|own| *own > 1.0) {
        return Err(wrong(
            &format!("{at}.colors"),
            "expected numbers from 0 to 1, got integers: divide them by 255",
        ));
    }
    Ok(colors)
}

/// Reads the triangles by material. Those of all, which a mesh of a scene has too, are these or the only ones.
fn primitives(own: &Bound<'_, PyAny>, at: &str) -> PyResult<Vec<Primitive>> {
    let mut primitives =
        each(&own.getattr("primitives")?, &format!("{at}.primitives"), "Primitive", primitive)?;
    let triangles = rows::<u32, 3>(own, "triangles", at)?.unwrap_or_default();
    if primitives.is_empty() && !triangles.is_empty() {
        primitives.push(Primitive { triangles, ..Primitive::default() });
    } else if !triangles.is_empty() && !primitives.iter().flat_map(|own| &own.triangles).eq(&triangles) {
        let why = "are not those of the primitives; change these, or replace them by ()";
        return Err(wrong(&format!("{at}.triangles"), why));
    }
    Ok(primitives)
}

fn primitive(own: &Bound<'_, PyAny>, at: &str) -> PyResult<Primitive> {
    let triangles = rows::<u32, 3>(own, "triangles", at)?.unwrap_or_default();
    Ok(Primitive { name: field(own, "name", at)?, material: index(own, "material", at)?, triangles })
}

/// Returns the first item that is equal to one before, with its index.
fn second<T: Copy + Eq + Hash>(items: &[T]) -> Option<(usize, T)> {
    let mut seen = HashSet::new();
    items.iter().copied().enumerate().find(|(_, item)| !seen.insert(*item))
}

fn morph(own: &Bound<'_, PyAny>, at: &str) -> PyResult<Morph> {
    let vertices = line::<u32>(&own.getattr("vertices")?, &format!("{at}.vertices"))?;
    if let Some((index, vertex)) = second(&vertices) {
        let why = format!("vertex {vertex} has another displacement");
        return Err(wrong(&format!("{at}.vertices[{index}]"), &why));
    }
    let positions = rows::<f32, 3>(own, "positions", at)?.unwrap_or_default();
    let normals = rows::<f32, 3>(own, "normals", at)?.unwrap_or_else(|| vec![[0.0; 3]; vertices.len()]);
    if positions.len() != vertices.len() || normals.len() != vertices.len() {
        return Err(wrong(at, "expected a displacement for each of its vertices"));
    }
    let delta = |((vertex, position), normal): ((u32, [f32; 3]), [f32; 3])| Delta {
        vertex,
        position: position.into(),
        normal: normal.into(),
    };
    let deltas = vertices.into_iter().zip(positions).zip(normals).map(delta).collect();
    Ok(Morph::new(field(own, "name", at)?, deltas))
}

/// Reads a skin. Without bones of the joints these are all bones, and without matrices the bind pose is that of the skeleton.
fn skin(own: &Bound<'_, PyAny>, at: &str, vertices: usize, skeleton: &Skeleton) -> PyResult<Option<Skin>> {
    let joints = own.getattr("joints")?;
    if joints.is_none() {
        let has_weights = !own.getattr("weights")?.is_none();
        return if has_weights { Err(wrong(&format!("{at}.joints"), MISSING)) } else { Ok(None) };
    }
    let (joints, shape) = flat::<u32>(&joints, &format!("{at}.joints"))?;
    let (weights, of_weights) = flat::<f32>(&own.getattr("weights")?, &format!("{at}.weights"))?;
    if shape != of_weights || shape.len() != 2 || shape[0] != vertices {
        let why = format!(
            "expected joints and weights of the shape ({vertices}, k), got {} and {}",
            shown(&shape),
            shown(&of_weights)
        );
        return Err(wrong(at, &why));
    }
    let bones = own.getattr("joint_bones")?;
    let bones = if bones.is_none() {
        (0..skeleton.bones().len()).collect()
    } else {
        let bones = line::<u32>(&bones, &format!("{at}.joint_bones"))?;
        bones.into_iter().map(|bone| bone as usize).collect::<Vec<_>>()
    };
    let binds = matrices(own, "inverse_binds", at)?;
    if let Some(index) = binds.iter().flatten().position(|own| !is_affine(own)) {
        let why = "expected a matrix whose last row is 0, 0, 0, 1";
        return Err(wrong(&format!("{at}.inverse_binds[{index}]"), why));
    }
    let binds = binds.map(|own| own.iter().map(matrix).collect::<Vec<_>>());
    let placed = skeleton.model_space(&skeleton.bind_pose());
    let bind = |bone: usize| placed.get(bone).map_or(Affine3A::IDENTITY, Affine3A::inverse);
    let binds = binds.unwrap_or_else(|| bones.iter().map(|bone| bind(*bone)).collect());
    if binds.len() != bones.len() {
        return Err(wrong(&format!("{at}.inverse_binds"), "expected a matrix for each joint"));
    }
    let joint = |(bone, inverse_bind): (&usize, Affine3A)| Joint { bone: *bone, inverse_bind };
    let width = shape[1].max(1);
    let row = |(slot, (joint, weight)): (usize, (&u32, &f32))| (slot / width, *joint as usize, *weight);
    let rows = joints.iter().zip(&weights).enumerate().map(row);
    let (weights, off) = Weights::gather(vertices, bones.len(), rows);
    if off.refused > 0 {
        return Err(wrong(at, &format!("{} weights are negative, not finite, or of no joint", off.refused)));
    }
    let joints: Arc<[Joint]> = bones.iter().zip(binds).map(joint).collect();
    Ok(Some(Skin { joints, weights }))
}

/// Returns whether the last row of a matrix is that of an affine transform, but for rounding.
fn is_affine(rows: &[f32; 16]) -> bool {
    rows[12..]
        .iter()
        .zip([0.0, 0.0, 0.0, 1.0])
        .all(|(own, expected): (_, f32)| (own - expected).abs() <= 1e-3)
}

/// Returns the matrix of rows.
fn matrix(rows: &[f32; 16]) -> Affine3A {
    Affine3A::from_mat4(Mat4::from_cols_array(rows).transpose())
}

/// Makes a clip from its tracks. Its rotations have unit length.
pub fn clip(
    name: String,
    tracks: Option<&Bound<'_, PyAny>>,
    morphs: Option<&Bound<'_, PyAny>>,
    has_root_motion: bool,
) -> PyResult<Clip> {
    let mut clip = any_clip(name, tracks, morphs, has_root_motion)?;
    let bones: Vec<_> = clip.tracks.iter().map(|own| own.bone).collect();
    if let Some((index, bone)) = second(&bones) {
        return Err(wrong(&format!("tracks[{index}].bone"), &format!("bone {bone} has another track")));
    }
    for (index, track) in clip.tracks.iter_mut().enumerate() {
        if let Some(rotation) = track.rotation.take() {
            track.rotation = Some(of_units(rotation, &format!("tracks[{index}].rotation"))?);
        }
    }
    Ok(clip)
}

/// As [`clip`], with any keys that files can have.
fn any_clip(
    name: String,
    tracks: Option<&Bound<'_, PyAny>>,
    morphs: Option<&Bound<'_, PyAny>>,
    has_root_motion: bool,
) -> PyResult<Clip> {
    let tracks = tracks.map(|own| each(own, "tracks", "Track", track)).transpose()?.unwrap_or_default();
    let morphs =
        morphs.map(|own| each(own, "morphs", "MorphTrack", morph_track)).transpose()?.unwrap_or_default();
    Ok(Clip { name, tracks, morphs, has_root_motion })
}

/// Returns a curve whose rotations have unit length.
fn of_units(curve: Curve<Quat>, at: &str) -> PyResult<Curve<Quat>> {
    if curve.values().iter().all(|own| own.is_normalized()) {
        return Ok(curve);
    }
    let (mut keys, mut factors) = (Vec::new(), Vec::new());
    for (index, (time, own)) in curve.times().iter().zip(curve.values()).enumerate() {
        let unit = unit(*own).ok_or_else(|| wrong(&format!("{at}.values[{index}]"), NO_ROTATION))?;
        factors.push(if unit == *own { 1.0 } else { own.length().recip() });
        keys.push((*time, unit));
    }
    let between = match curve.between() {
        // They change with the length of the values.
        Interpolation::CubicSpline(tangents) => Interpolation::CubicSpline(
            tangents.iter().zip(factors).map(|(own, factor)| own.map(|own| own * factor)).collect(),
        ),
        other => other.clone(),
    };
    Ok(Curve::new(keys, between))
}

fn track(own: &Bound<'_, PyAny>, at: &str) -> PyResult<Track> {
    let vectors = |field: &str| curve(own, field, at, Vec3::from_array);
    Ok(Track {
        bone: index(own, "bone", at)?.ok_or_else(|| wrong(&format!("{at}.bone"), MISSING))?,
        translation: vectors("translation")?,
        rotation: curve(own, "rotation", at, Quat::from_array)?,
        scale: vectors("scale")?,
    })
}

/// Reads the targets of a track: a name, or pairs of indices.
fn targets(own: &Bound<'_, PyAny>, at: &str) -> PyResult<Targets> {
    if let Ok(name) = own.cast::<PyString>() {
        return Ok(Targets::Named(name.extract()?));
    }
    let name = own.get_type().name()?;
    let expected = "the name of the targets, or pairs of the indices of a mesh and of its target";
    let no_pairs = |_| PyTypeError::new_err(format!("{at}: expected {expected}, got {name}"));
    let pairs = own.try_iter().map_err(no_pairs)?.enumerate().map(|(index, pair)| {
        let (pair, at) = (pair?, format!("{at}[{index}]"));
        let (mesh, target): (i64, i64) =
            pair.extract().map_err(|_| wrong(&at, "expected a pair of indices"))?;
        let both = usize::try_from(mesh).and_then(|mesh| Ok((mesh, usize::try_from(target)?)));
        both.map_err(|_| wrong(&at, &format!("expected indices of 0 or more, got {mesh} and {target}")))
    });
    pairs.collect::<PyResult<_>>().map(Targets::These)
}

fn morph_track(own: &Bound<'_, PyAny>, at: &str) -> PyResult<MorphTrack> {
    let targets = targets(&own.getattr("targets")?, &format!("{at}.targets"))?;
    let weight = curve(own, "weight", at, |[own]: [f32; 1]| own)?;
    let weight = weight.ok_or_else(|| wrong(&format!("{at}.weight"), "expected a curve"))?;
    Ok(MorphTrack { targets, weight })
}

/// Reads a curve of values of `W` numbers; nothing for `None`.
fn curve<T: bindpose::scene::Blend, const W: usize>(
    own: &Bound<'_, PyAny>,
    field: &str,
    at: &str,
    value: impl Fn([f32; W]) -> T,
) -> PyResult<Option<Curve<T>>> {
    let own = own.getattr(field)?;
    if own.is_none() {
        return Ok(None);
    }
    let at = format!("{at}.{field}");
    for name in ["times", "values", "interpolation", "tangents"] {
        if !own.hasattr(name)? {
            return Err(is_not(&own, "Curve", &at));
        }
    }
    let times = line::<f32>(&own.getattr("times")?, &format!("{at}.times"))?;
    if let Some(key) = times.iter().position(|own| !own.is_finite()) {
        return Err(wrong(&format!("{at}.times[{key}]"), NOT_FINITE));
    }
    // Both zeros are one time.
    let bits: Vec<_> = times.iter().map(|own| (own + 0.0).to_bits()).collect();
    if let Some((key, _)) = second(&bits) {
        let why = format!("another key has the time {}", times[key]);
        return Err(wrong(&format!("{at}.times[{key}]"), &why));
    }
    let width: &[usize] = if W == 1 { &[] } else { &[W] };
    let values = |name: &str, each: &[usize]| {
        let (numbers, shape) = flat::<f32>(&own.getattr(name)?, &format!("{at}.{name}"))?;
        let of_key = [each, width].concat();
        if shape.first() != Some(&times.len()) || !has_rows(&shape, &of_key) {
            let expected = [&[times.len()][..], &of_key].concat();
            let why = format!("expected the shape {}, got {}", shown(&expected), shown(&shape));
            return Err(wrong(&format!("{at}.{name}"), &why));
        }
        Ok(numbers.as_chunks::<W>().0.to_vec())
    };
    let keys = values("values", &[])?.into_iter().map(&value);
    let keys: Vec<_> = times.iter().copied().zip(keys).collect();
    let between: String = self::field(&own, "interpolation", &at)?;
    let between = match &*between {
        "step" => Interpolation::Step,
        "linear" => Interpolation::Linear,
        "cubic-spline" => {
            let tangents = values("tangents", &[2])?;
            Interpolation::CubicSpline(
                tangents.as_chunks::<2>().0.iter().map(|own| own.map(&value)).collect(),
            )
        }
        other => return Err(wrong(&at, &format!("expected step, linear or cubic-spline, got {other:?}"))),
    };
    Ok(Some(Curve::new(keys, between)))
}

/// Rebuilds a pickled clip.
#[pyfunction]
#[pyo3(name = "_restore_clip")]
pub fn restore_clip(
    name: String,
    tracks: &Bound<'_, PyAny>,
    morphs: &Bound<'_, PyAny>,
    has_root_motion: bool,
) -> PyResult<PyClip> {
    any_clip(name, Some(tracks), Some(morphs), has_root_motion).map(PyClip::of)
}

/// Rebuilds a pickled scene.
#[pyfunction]
#[pyo3(name = "_restore_scene")]
pub fn restore_scene(
    parts: &Bound<'_, PyDict>,
    images: Entries<String, Bound<'_, PyAny>>,
) -> PyResult<PyScene> {
    let part = |name: &str| parts.get_item(name);
    let (skeleton, meshes, materials) = (part("skeleton")?, part("meshes")?, part("materials")?);
    let (clips, attachments) = (part("clips")?, part("attachments")?);
    let own = Parts {
        skeleton: skeleton.as_ref(),
        meshes: meshes.as_ref(),
        materials: materials.as_ref(),
        clips: clips.as_ref(),
        attachments: attachments.as_ref(),
    };
    let name = part("name")?.map_or(Ok(String::new()), |name| name.extract())?;
    let image = |(path, own): (String, _)| Ok((path.clone(), SceneImage::of(&path, &own)?));
    let images = images.0.into_iter().map(image).collect::<PyResult<_>>()?;
    Ok(PyScene { images, ..PyScene::new(own.into_any_scene(Scene::default())?, name) })
}
