//! Generates scenes.

use bindpose::scene::{
    Alpha, Attachment, Blend, Bone, Clip, Curve, Delta, Interpolation, Joint, Material, Mesh, Morph,
    MorphTrack, Primitive, Scene, Skeleton, Skin, Targets, Texture, TextureRole, Track, Transform, Weights,
};
use glam::{EulerRot, Quat, Vec2, Vec3};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The frame rate of all keys.
pub const RATE: f32 = 30.0;

/// Names that formats treat differently: empty, equal, equal except for case, long, with blanks, quotes and other scripts.
fn name() -> impl Strategy<Value = String> {
    let odd = [
        "",
        "hip",
        "Hip",
        "hip ",
        "hip",
        "Bip01 L Hand",
        "a\"b",
        "a\\b",
        "x{y}",
        "<b>&",
        "Fuß",
        "骨",
        "tab\tbed",
        "h\\xfcfte",
        "a name that is longer than thirty-one bytes and than sixty-three bytes, too",
    ];
    prop_oneof![3 => "[a-z]{1,8}", 2 => select(odd.to_vec()).prop_map(str::to_owned)]
}

fn float() -> impl Strategy<Value = f32> {
    prop_oneof![Just(0.0), (-2000_i16..2000).prop_map(|value| f32::from(value) / 1000.0)]
}

pub fn point() -> impl Strategy<Value = Vec3> {
    [float(), float(), float()].prop_map(Vec3::from)
}

/// Right angles too, where angles about three axes are not unique.
fn rotation() -> impl Strategy<Value = Quat> {
    let angle = || prop_oneof![Just(0.0_f32), Just(90.0), Just(-90.0), (-180_i16..180).prop_map(f32::from)];
    [angle(), angle(), angle()].prop_map(|angles| {
        let [x, y, z] = angles.map(f32::to_radians);
        Quat::from_euler(EulerRot::ZYX, z, y, x).normalize()
    })
}

/// How the bones of a scene are scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scaling {
    None,
    Uniform,
    Any,
}

fn scale(scaling: Scaling) -> BoxedStrategy<Vec3> {
    let factor = || (500_u16..2000).prop_map(|value| f32::from(value) / 1000.0);
    match scaling {
        Scaling::None => Just(Vec3::ONE).boxed(),
        Scaling::Uniform => factor().prop_map(Vec3::splat).boxed(),
        Scaling::Any => [factor(), factor(), factor()].prop_map(Vec3::from).boxed(),
    }
}

/// Bones in any order, with any number of roots.
fn skeleton(scaling: Scaling) -> impl Strategy<Value = Skeleton> {
    let bone = (name(), option::weighted(0.8, any::<Index>()), point(), rotation(), scale(scaling));
    vec(bone, 0..6).prop_map(|raw| {
        let len = raw.len();
        let bones = raw.into_iter().map(|(name, parent, translation, rotation, scale)| Bone {
            name,
            parent: parent.map(|parent| parent.index(len)),
            bind: Transform { translation, rotation, scale },
        });
        Skeleton::new(bones.collect()).0
    })
}

fn unit() -> impl Strategy<Value = f32> {
    (0_u8..=255).prop_map(|value| f32::from(value) / 255.0)
}

fn material() -> impl Strategy<Value = Material> {
    let path = select(vec!["skin.png", "textures/hero.tga", "C:\\art\\hero.bmp"]);
    let texture = (path, select(TextureRole::ALL.to_vec())).prop_map(|(path, role)| Texture::new(path, role));
    let alpha = select([&[Alpha::Opaque; 2][..], &Alpha::ALL].concat());
    let rest = (vec(texture, 0..3), alpha, any::<bool>(), any::<bool>());
    let rgb = || [unit(), unit(), unit()];
    let lit = (rgb(), rgb(), 0_u8..=128);
    (name(), rgb(), 1_u8..=255, rgb(), lit, rest).prop_map(
        |(name, [r, g, b], opacity, emissive, lit, (textures, alpha, double_sided, unlit))| {
            let opacity = f32::from(opacity) / 255.0;
            let alpha = if opacity < 1.0 && alpha == Alpha::Opaque { Alpha::Blend } else { alpha };
            let mut material = Material::new(name);
            (material.color, material.emissive, material.textures) = ([r, g, b, opacity], emissive, textures);
            (material.ambient, material.specular) = (lit.0, lit.1);
            material.shininess = lit.2.into();
            (material.alpha, material.double_sided, material.unlit) = (alpha, double_sided, unlit);
            material
        },
    )
}

#[derive(Clone, Debug)]
struct RawVertex {
    position: Vec3,
    normal: Quat,
    uvs: [Vec2; 2],
    color: [f32; 4],
    influences: Vec<(Index, u16)>,
    delta: Option<Vec3>,
}

fn vertex() -> impl Strategy<Value = RawVertex> {
    let uv = || [unit(), unit()].prop_map(Vec2::from);
    let influences =
        prop_oneof![vec((any::<Index>(), 1_u16..1000), 0..=2), vec((any::<Index>(), 1_u16..1000), 0..=8)];
    let color = [unit(), unit(), unit(), unit()];
    (point(), rotation(), [uv(), uv()], color, influences, option::of(point())).prop_map(
        |(position, normal, uvs, color, influences, delta)| RawVertex {
            position,
            normal,
            uvs,
            color,
            influences,
            delta,
        },
    )
}

/// What a mesh is attached to.
#[derive(Clone, Copy, Debug)]
enum Hold {
    Nothing,
    Bone(Index),
    Skin,
}

type RawPrimitive = (String, Option<Index>, Vec<[Index; 3]>);

#[derive(Clone, Debug)]
struct RawMesh {
    name: String,
    hold: Hold,
    vertices: Vec<RawVertex>,
    primitives: Vec<RawPrimitive>,
    uv_sets: usize,
    has: [bool; 3],
}

fn mesh() -> impl Strategy<Value = RawMesh> {
    let hold = prop_oneof![
        1 => Just(Hold::Nothing),
        1 => any::<Index>().prop_map(Hold::Bone),
        4 => Just(Hold::Skin)
    ];
    let triangle = [any::<Index>(), any::<Index>(), any::<Index>()];
    let primitive = (name(), option::weighted(0.8, any::<Index>()), vec(triangle, 1..5));
    (name(), hold, vec(vertex(), 3..12), vec(primitive, 1..4), 0_usize..3, any::<[bool; 3]>()).prop_map(
        |(name, hold, vertices, primitives, uv_sets, has)| RawMesh {
            name,
            hold,
            vertices,
            primitives,
            uv_sets,
            has,
        },
    )
}

impl RawMesh {
    fn build(self, skeleton: &Skeleton, num_materials: usize) -> Mesh {
        let [has_normals, has_colors, has_morph] = self.has;
        let len = self.vertices.len();
        let bones = skeleton.bones().len();
        let triangle = |corners: [Index; 3]| {
            let first = corners[0].index(len);
            // Three different vertices.
            let others = [first, first + 1 + corners[1].index(len - 2), first + len - 1].map(|at| at % len);
            others.map(|at| u32::try_from(at).expect("few"))
        };
        let primitive = |(name, material, triangles): RawPrimitive| Primitive {
            name,
            material: material.filter(|_| num_materials > 0).map(|material| material.index(num_materials)),
            triangles: triangles.into_iter().map(triangle).collect(),
        };
        let place = skeleton.model_space(&skeleton.bind_pose());
        let skin = (matches!(self.hold, Hold::Skin) && bones > 0).then(|| {
            let joints = place.iter().enumerate();
            let joints = joints.map(|(bone, place)| Joint { bone, inverse_bind: place.inverse() });
            let rows = self.vertices.iter().enumerate().flat_map(|(vertex, own)| {
                own.influences
                    .iter()
                    .map(move |(joint, weight)| (vertex, joint.index(bones), f32::from(*weight)))
            });
            Skin { joints: joints.collect(), weights: Weights::gather(len, bones, rows).0 }
        });
        let vertices = &self.vertices;
        let delta = |(vertex, own): (u32, &RawVertex)| {
            Some(Delta { vertex, position: own.delta?, normal: Vec3::ZERO })
        };
        let deltas: Vec<_> = (0..).zip(vertices).filter_map(delta).collect();
        Mesh {
            name: self.name,
            bone: match self.hold {
                Hold::Bone(bone) if bones > 0 => Some(bone.index(bones)),
                _ => None,
            },
            positions: vertices.iter().map(|own| own.position).collect(),
            normals: vertices.iter().filter(|_| has_normals).map(|own| own.normal * Vec3::Y).collect(),
            uvs: (0..self.uv_sets).map(|set| vertices.iter().map(|own| own.uvs[set]).collect()).collect(),
            colors: vertices.iter().filter(|_| has_colors).map(|own| own.color).collect(),
            primitives: self.primitives.into_iter().map(primitive).collect(),
            skin,
            morphs: (has_morph && !deltas.is_empty())
                .then(|| Morph::new("smile".to_owned(), deltas))
                .into_iter()
                .collect(),
            ..Mesh::default()
        }
    }
}

/// Dense, sparse, constant and empty curves, with each kind of interpolation.
fn curve<T: Blend + std::fmt::Debug + 'static>(
    value: impl Strategy<Value = T> + Clone + 'static,
    zero: T,
) -> BoxedStrategy<Option<Curve<T>>> {
    let keys = prop_oneof![
        3 => (vec(value.clone(), 1..9), 1_u16..4).prop_map(|(values, step)| (values, step)),
        1 => (value.clone(), 1_usize..9).prop_map(|(value, len)| (vec![value; len], 1)),
        1 => Just((Vec::new(), 1))
    ];
    let between = select(vec![0, 1, 1, 1, 2]);
    let curve = (keys, between, 0_u16..10).prop_map(move |((values, step), between, first)| {
        let between = match between {
            0 => Interpolation::Step,
            1 => Interpolation::Linear,
            _ => Interpolation::CubicSpline(vec![[zero; 2]; values.len()]),
        };
        let time = |key: u16| f32::from(first + key * step) / RATE;
        Curve::new((0..).map(time).zip(values), between)
    });
    option::weighted(0.7, curve).boxed()
}

fn attachment(scaling: Scaling) -> impl Strategy<Value = (Option<Index>, Attachment)> {
    let place = (point(), rotation(), scale(scaling));
    let place = place.prop_map(|(translation, rotation, scale)| Transform { translation, rotation, scale });
    (name(), option::of(any::<Index>()), place)
        .prop_map(|(name, bone, place)| (bone, Attachment { name, bone: None, place }))
}

fn clip(scaling: Scaling) -> impl Strategy<Value = (String, Vec<(Index, Track)>, Option<Curve<f32>>)> {
    let scales = match scaling {
        Scaling::None => Just(None).boxed(),
        _ => curve(scale(scaling), Vec3::ZERO),
    };
    let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let track = (any::<Index>(), curve(point().boxed(), Vec3::ZERO), curve(rotation().boxed(), zero), scales);
    let track = track.prop_map(|(bone, translation, rotation, scale)| {
        (bone, Track { bone: 0, translation, rotation, scale })
    });
    (name(), vec(track, 0..5), curve(unit().boxed(), 0.0))
}

/// Returns scenes of every kind that formats treat differently.
pub fn scene() -> impl Strategy<Value = Scene> {
    let scaling = select(vec![Scaling::None, Scaling::None, Scaling::Uniform, Scaling::Any]);
    let parts = scaling.prop_flat_map(|scaling| {
        (
            skeleton(scaling),
            vec(attachment(scaling), 0..3),
            vec(mesh(), 0..3),
            vec(material(), 0..3),
            vec(clip(scaling), 0..3),
        )
    });
    parts.prop_map(|(skeleton, attachments, meshes, materials, clips)| {
        let bones = skeleton.bones().len();
        let attachments = attachments.into_iter().map(|(bone, own)| {
            let bone = bone.filter(|_| bones > 0).map(|bone| bone.index(bones));
            Attachment { bone, ..own }
        });
        let attachments = attachments.collect();
        let meshes: Vec<_> = meshes.into_iter().map(|mesh| mesh.build(&skeleton, materials.len())).collect();
        let clips = clips.into_iter().map(|(name, tracks, weight)| {
            let mut taken = std::collections::HashSet::new();
            let tracks = tracks.into_iter().filter(|_| bones > 0).filter_map(|(bone, track)| {
                let bone = bone.index(bones);
                taken.insert(bone).then_some(Track { bone, ..track })
            });
            let weight = weight.filter(|weight| !weight.times().is_empty());
            let morph = |weight| MorphTrack { targets: Targets::Named("smile".to_owned()), weight };
            Clip {
                name,
                tracks: tracks.collect(),
                morphs: weight.map(morph).into_iter().collect(),
                ..Clip::default()
            }
        });
        let clips = clips.collect();
        Scene { skeleton, attachments, meshes, materials, clips, ..Scene::default() }
    })
}
