//! Numbers of scenes that are infinite or NaN, and colours out of range. Files contain them by mistake.

use bindpose::scene::{
    Attachment, Blend, Bone, Clip, Curve, Interpolation, Material, Mesh, Scene, Transform,
};
use bytemuck::{NoUninit, cast_slice};

/// Returns the place of the first number that is not finite, named as in Python.
pub fn not_finite(scene: &Scene) -> Option<String> {
    let Scene { skeleton, meshes, materials, clips, attachments, .. } = scene;
    let bones = first("skeleton", skeleton.bones(), |Bone { bind, .. }| transform(bind));
    bones
        .or_else(|| first("attachments", attachments, |Attachment { place, .. }| transform(place)))
        .or_else(|| first("materials", materials, material))
        .or_else(|| first("meshes", meshes, mesh))
        .or_else(|| first("clips", clips, clip))
}

/// Returns the place of the first colour that is not from 0 to 1, but for rounding, named as in Python.
pub fn no_color(scene: &Scene) -> Option<String> {
    let is_off = |own: &f32| !(-ROUNDING..=1.0 + ROUNDING).contains(own);
    let materials = first("materials", &scene.materials, |own| {
        let field = |name: &str, numbers: &[f32]| numbers.iter().any(is_off).then(|| name.to_owned());
        field("color", &own.color).or_else(|| field("emissive", &own.emissive))
    });
    materials.or_else(|| {
        first("meshes", &scene.meshes, |own| {
            let index = own.colors.iter().position(|color| color.iter().any(is_off))?;
            Some(format!("colors[{index}]"))
        })
    })
}

/// How far a colour of 0 or 1 can be off that was computed.
const ROUNDING: f32 = 1e-5;

/// Returns the place in the first item that has one.
fn first<T>(list: &str, items: &[T], place: impl Fn(&T) -> Option<String>) -> Option<String> {
    items.iter().enumerate().find_map(|(index, own)| Some(format!("{list}[{index}].{}", place(own)?)))
}

/// Returns the place of a field with a number that is not finite.
fn field(name: &str, numbers: &[f32]) -> Option<String> {
    numbers.iter().any(|own| !own.is_finite()).then(|| name.to_owned())
}

/// Returns the place of the first value with a number that is not finite.
fn values<T: NoUninit>(name: &str, values: &[T]) -> Option<String> {
    let numbers: &[f32] = cast_slice(values);
    let index = numbers.iter().position(|own| !own.is_finite())?;
    Some(format!("{name}[{}]", index * values.len() / numbers.len()))
}

fn transform(own: &Transform) -> Option<String> {
    field("translation", &own.translation.to_array())
        .or_else(|| field("rotation", &own.rotation.to_array()))
        .or_else(|| field("scale", &own.scale.to_array()))
}

fn material(own: &Material) -> Option<String> {
    field("color", &own.color)
        .or_else(|| field("emissive", &own.emissive))
        .or_else(|| field("ambient", &own.ambient))
        .or_else(|| field("specular", &own.specular))
        .or_else(|| field("shininess", &[own.shininess]))
}

/// Weights were checked when they were gathered.
fn mesh(own: &Mesh) -> Option<String> {
    let joints = own.skin.iter().flat_map(|skin| skin.joints.iter());
    let bind = || joints.enumerate().find(|(_, joint)| !joint.inverse_bind.is_finite());
    values("positions", &own.positions)
        .or_else(|| values("normals", &own.normals))
        .or_else(|| values("tangents", &own.tangents))
        .or_else(|| values("colors", &own.colors))
        .or_else(|| own.uvs.iter().enumerate().find_map(|(set, uvs)| values(&format!("uvs[{set}]"), uvs)))
        .or_else(|| bind().map(|(index, _)| format!("inverse_binds[{index}]")))
        .or_else(|| {
            first("morphs", &own.morphs, |morph| {
                let of = |name: &str, is_wrong: fn(&bindpose::scene::Delta) -> bool| {
                    Some(format!("{name}[{}]", morph.deltas.iter().position(is_wrong)?))
                };
                of("positions", |own| !own.position.is_finite())
                    .or_else(|| of("normals", |own| !own.normal.is_finite()))
            })
        })
}

fn clip(own: &Clip) -> Option<String> {
    let bones = first("tracks", &own.tracks, |track| {
        curve("translation", track.translation.as_ref())
            .or_else(|| curve("rotation", track.rotation.as_ref()))
            .or_else(|| curve("scale", track.scale.as_ref()))
    });
    bones.or_else(|| first("morphs", &own.morphs, |track| curve("weight", Some(&track.weight))))
}

/// Times of curves are finite.
fn curve<T: Blend + NoUninit>(name: &str, own: Option<&Curve<T>>) -> Option<String> {
    let own = own?;
    let tangents = || match own.between() {
        Interpolation::CubicSpline(tangents) => tangents
            .iter()
            .enumerate()
            .find_map(|(key, own)| values("", own).map(|_| format!("tangents[{key}]"))),
        _ => None,
    };
    Some(format!("{name}.{}", values("values", own.values()).or_else(tangents)?))
}
