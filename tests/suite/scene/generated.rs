//! Scenes with everything that a format may have to write.

use std::sync::Arc;

use bindpose::scene::{
    Alpha, Attachment, Bone, Clip, Curve, Delta, Interpolation, Joint, Material, Mesh, Morph, MorphTrack,
    Primitive, Scene, Skeleton, Skin, Targets, Texture, TextureRole, Track, Transform, Weights,
};
use glam::{Affine3A, Quat, Vec2, Vec3, Vec4};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// A scene: bones in any order with several roots and scale, meshes with up to eight influences per vertex, several
/// primitives, texture coordinates, colours and morph targets, and clips with curves of all kinds.
pub fn scene() -> impl Strategy<Value = Scene> {
    (1..8_usize, 0..3_usize).prop_flat_map(|(bones, materials)| {
        let parts = (
            skeleton(bones),
            vec(attachment(bones), 0..3),
            vec(material(), materials),
            vec(mesh(bones, materials), 0..3),
        );
        parts.prop_flat_map(move |(skeleton, attachments, materials, meshes)| {
            let targets: Vec<_> = meshes
                .iter()
                .enumerate()
                .flat_map(|(mesh, own)| (0..own.morphs.len()).map(move |at| (mesh, at)))
                .collect();
            let scene = Scene { skeleton, attachments, materials, meshes, ..Scene::default() };
            vec(clip(bones, targets), 0..3).prop_map(move |clips| Scene { clips, ..scene.clone() })
        })
    })
}

/// Names with spaces, quotes and letters of other scripts; also empty and equal ones.
fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z0-9_. ]{0,12}", Just("Bip01 \"L\" Hand".to_owned()), Just("骨 ß\\".to_owned())]
}

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![-10.0_f32..10.0, Just(0.0), Just(1.0)]
}

fn vector() -> impl Strategy<Value = Vec3> {
    [number(), number(), number()].prop_map(Vec3::from)
}

fn direction() -> impl Strategy<Value = Vec3> {
    vector().prop_map(|vector| vector.normalize_or(Vec3::Z))
}

fn rotation() -> impl Strategy<Value = Quat> {
    (direction(), -3.2_f32..3.2).prop_map(|(axis, angle)| Quat::from_axis_angle(axis, angle).normalize())
}

fn factors() -> impl Strategy<Value = Vec3> {
    prop_oneof![
        3 => Just(Vec3::ONE),
        1 => (0.2_f32..5.0).prop_map(Vec3::splat),
        1 => [0.2_f32..5.0, 0.2_f32..5.0, 0.2_f32..5.0].prop_map(Vec3::from),
    ]
}

/// A transform relative to the parent.
pub fn transform() -> impl Strategy<Value = Transform> {
    (vector(), rotation(), factors()).prop_map(|(translation, rotation, scale)| Transform {
        translation,
        rotation,
        scale,
    })
}

/// A skeleton; parents can follow their children.
pub fn skeleton(len: usize) -> impl Strategy<Value = Skeleton> {
    let bones = vec((name(), transform(), any::<prop::sample::Index>(), prop::bool::weighted(0.2)), len);
    (bones, Just((0..len).collect::<Vec<_>>()).prop_shuffle()).prop_map(move |(bones, places)| {
        let mut list = vec![Bone::default(); len];
        for (at, (name, bind, parent, is_root)) in bones.into_iter().enumerate() {
            let parent = (at > 0 && !is_root).then(|| places[parent.index(at)]);
            list[places[at]] = Bone { name, parent, bind };
        }
        Skeleton::new(list).0
    })
}

fn attachment(bones: usize) -> impl Strategy<Value = Attachment> {
    (name(), option::of(0..bones), transform()).prop_map(|(name, bone, place)| Attachment {
        name,
        bone,
        place,
    })
}

fn texture() -> impl Strategy<Value = Texture> {
    let role = select(TextureRole::ALL.to_vec());
    ("[a-z]{1,8}\\.(png|tga)", role).prop_map(|(path, role)| Texture::new(path, role))
}

fn material() -> impl Strategy<Value = Material> {
    let share = || 0.0_f32..=1.0;
    let rgb = || [share(), share(), share()];
    let colors = ([share(), share(), share(), share()], rgb(), (rgb(), rgb(), 0.0_f32..200.0));
    (name(), colors, vec(texture(), 0..3), any::<[bool; 2]>(), 0..5_u8).prop_map(
        |(name, (mut color, emissive, lit), mut textures, [double_sided, unlit], alpha)| {
            textures.sort_by_key(|own| own.role != TextureRole::Color);
            let alpha = Alpha::ALL[usize::from(alpha)];
            if alpha == Alpha::Opaque {
                color[3] = 1.0;
            }
            let mut material = Material::new(name);
            (material.color, material.emissive, material.textures) = (color, emissive, textures);
            (material.ambient, material.specular, material.shininess) = lit;
            (material.alpha, material.double_sided, material.unlit) = (alpha, double_sided, unlit);
            material
        },
    )
}

fn mesh(bones: usize, materials: usize) -> impl Strategy<Value = Mesh> {
    (3..12_usize, 0..3_usize, any::<[bool; 4]>(), option::of(0..bones)).prop_flat_map(
        move |(len, sets, [normals, tangents, colors, skinned], bone)| {
            let some = |is: bool| if is { len } else { 0 };
            let vertices = (
                vec(vector(), len),
                vec(direction(), some(normals)),
                vec((direction(), any::<bool>()), some(normals && tangents)),
                vec(vec([number(), number()].prop_map(Vec2::from), len), sets),
                vec([0.0_f32..=1.0, 0.0_f32..=1.0, 0.0_f32..=1.0, 0.0_f32..=1.0], some(colors)),
            );
            let parts = (vec(primitive(len, materials), 1..4), vec(morph(len), 0..3), skin(len, bones));
            (name(), vertices, parts).prop_map(move |(name, vertices, (primitives, morphs, skin))| Mesh {
                name,
                bone: bone.filter(|_| !skinned),
                positions: vertices.0,
                normals: vertices.1,
                tangents: vertices
                    .2
                    .into_iter()
                    .map(|(own, is)| own.extend(if is { 1.0 } else { -1.0 }))
                    .collect::<Vec<Vec4>>(),
                uvs: vertices.3,
                colors: vertices.4,
                mask_colors: false,
                primitives,
                skin: skinned.then_some(skin),
                morphs,
            })
        },
    )
}

fn primitive(vertices: usize, materials: usize) -> impl Strategy<Value = Primitive> {
    let last = u32::try_from(vertices).expect("few vertices");
    let triangles = vec([0..last, 0..last, 0..last], 1..6);
    (name(), triangles, any::<prop::sample::Index>()).prop_map(move |(name, triangles, material)| Primitive {
        name,
        material: (materials > 0).then(|| material.index(materials)),
        triangles,
    })
}

fn morph(vertices: usize) -> impl Strategy<Value = Morph> {
    let last = u32::try_from(vertices).expect("few vertices");
    let delta = (0..last, vector(), vector()).prop_map(|(vertex, position, normal)| Delta {
        vertex,
        position,
        normal,
    });
    (name(), vec(delta, 0..5)).prop_map(|(name, deltas)| Morph::new(name, deltas))
}

/// A skin over all bones; some vertices have no influences.
fn skin(vertices: usize, bones: usize) -> impl Strategy<Value = Skin> {
    let joints = vec(transform(), bones).prop_map(|binds| {
        let joint = |(bone, bind): (usize, Transform)| Joint {
            bone,
            inverse_bind: Affine3A::inverse(&bind.matrix()),
        };
        binds.into_iter().enumerate().map(joint).collect::<Arc<[Joint]>>()
    });
    let weights = vec(vec((0..bones, 0.01_f32..1.0), 0..8), vertices).prop_map(move |rows| {
        let rows = rows.into_iter().enumerate();
        let rows = rows
            .flat_map(|(vertex, own)| own.into_iter().map(move |(joint, weight)| (vertex, joint, weight)));
        Weights::gather(vertices, bones, rows).0
    });
    (joints, weights).prop_map(|(joints, weights)| Skin { joints, weights })
}

/// A curve: sparse, dense, constant or with a single key.
fn curve<T: bindpose::scene::Blend + std::fmt::Debug>(
    value: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = Curve<T>> {
    // Seconds from a key to the next: most are near a frame of a usual rate, some far less.
    let step = prop_oneof![
        6 => (1_u16..60).prop_map(|frames| f32::from(frames) / 30.0 + f32::from(frames) / 900.0),
        1 => Just(1e-3),
        1 => Just(5e-5),
    ];
    let keys = vec((step, [value.clone(), value.clone(), value]), 1..8);
    (keys, 0..4_u8, any::<bool>()).prop_map(|(keys, kind, is_constant)| {
        let mut time = -1.0;
        let first = keys[0].1[0];
        let keys: Vec<_> = keys
            .into_iter()
            .map(|(step, [value, into, out])| {
                time += step;
                (time.max(0.0) + 1.0 / 900.0, if is_constant { first } else { value }, [into, out])
            })
            .collect();
        let between = match kind {
            0 => Interpolation::Step,
            1 => Interpolation::CubicSpline(keys.iter().map(|key| key.2).collect()),
            _ => Interpolation::Linear,
        };
        Curve::new(keys.iter().map(|key| (key.0, key.1)), between)
    })
}

fn clip(bones: usize, targets: Vec<(usize, usize)>) -> impl Strategy<Value = Clip> {
    let channels = (
        option::of(curve(vector().boxed())),
        option::of(curve(rotation().boxed())),
        option::of(curve(factors().boxed())),
    );
    let tracks = vec((prop::bool::weighted(0.6), channels), bones).prop_map(|all| {
        let moving = all.into_iter().enumerate().filter(|(_, (moves, _))| *moves);
        let track =
            |(bone, (_, (translation, rotation, scale)))| Track { bone, translation, rotation, scale };
        moving.map(track).collect()
    });
    let morphs = vec(option::of(curve((0.0_f32..1.0).boxed())), targets.len()).prop_map(move |curves| {
        let tracks = curves.into_iter().zip(&targets);
        let track = |(curve, target): (Option<Curve<f32>>, &(usize, usize))| {
            let weight =
                Curve::new(curve?.times().iter().map(|time| (*time, time % 1.0)), Interpolation::Linear);
            Some(MorphTrack { targets: Targets::These(vec![*target]), weight })
        };
        tracks.filter_map(track).collect()
    });
    (name(), tracks, morphs, any::<bool>()).prop_map(|(name, tracks, morphs, has_root_motion)| Clip {
        name,
        tracks,
        morphs,
        has_root_motion,
    })
}
