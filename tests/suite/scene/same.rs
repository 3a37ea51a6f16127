//! Compares two scenes up to the rounding of floats.

use bindpose::scene::{Blend, Clip, Curve, Delta, Interpolation, Mesh, Scene, Skin, Targets, Transform};
use glam::{Quat, Vec3};

/// The tolerance, relative to the larger value or to 1.
const ROUNDING: f32 = 2e-6;

fn near(a: impl IntoIterator<Item = f32>, b: impl IntoIterator<Item = f32>) -> bool {
    let near = |(a, b): (f32, f32)| (a - b).abs() <= ROUNDING * a.abs().max(b.abs()).max(1.0);
    a.into_iter().zip(b).all(near)
}

fn near3(a: &Vec3, b: &Vec3) -> bool {
    near(a.to_array(), b.to_array())
}

/// A quaternion and its negation are the same rotation.
fn near4(a: &Quat, b: &Quat) -> bool {
    let unit = |own: &Quat| if own.length_squared() > 0.0 { own.normalize() } else { Quat::IDENTITY };
    let (a, b) = (unit(a), unit(b));
    near(a.to_array(), b.to_array()) || near((-a).to_array(), b.to_array())
}

fn near_transform(a: &Transform, b: &Transform) -> bool {
    near3(&a.translation, &b.translation) && near4(&a.rotation, &b.rotation) && near3(&a.scale, &b.scale)
}

/// Asserts that two scenes are the same. Tracks without keys, clips that animate nothing, and displacements of zero do
/// not count.
pub fn assert_same(before: &Scene, after: &Scene) {
    let (bones, others) = (before.skeleton.bones(), after.skeleton.bones());
    assert_eq!(bones.len(), others.len(), "bones");
    for (index, (a, b)) in bones.iter().zip(others).enumerate() {
        assert_eq!((&a.name, a.parent), (&b.name, b.parent), "bone {index}");
        assert!(near_transform(&a.bind, &b.bind), "bind pose of {:?}: {:?} {:?}", a.name, a.bind, b.bind);
    }
    assert_eq!(before.attachments.len(), after.attachments.len(), "attachments");
    for (a, b) in before.attachments.iter().zip(&after.attachments) {
        assert_eq!((&a.name, a.bone), (&b.name, b.bone));
        assert!(near_transform(&a.place, &b.place), "place of {:?}: {:?} {:?}", a.name, a.place, b.place);
    }
    assert_eq!(before.materials, after.materials);
    assert_eq!(before.meshes.len(), after.meshes.len(), "meshes");
    for (a, b) in before.meshes.iter().zip(&after.meshes) {
        same_mesh(a, b);
    }
    let moving = |clip: &&Clip| clip.span().is_some();
    let clips: Vec<_> = before.clips.iter().filter(moving).collect();
    assert_eq!(clips.len(), after.clips.len(), "clips");
    for (a, b) in clips.into_iter().zip(&after.clips) {
        same_clip(a, b, before);
    }
}

fn same_mesh(a: &Mesh, b: &Mesh) {
    let name = &a.name;
    assert_eq!((name, a.bone.filter(|_| a.skin.is_none())), (&b.name, b.bone));
    assert_eq!(a.positions, b.positions, "positions of {name:?}");
    let triangles = |mesh: &Mesh| {
        mesh.primitives.iter().filter(|own| !own.triangles.is_empty()).cloned().collect::<Vec<_>>()
    };
    assert_eq!(triangles(a), triangles(b), "triangles of {name:?}");
    assert_eq!(a.normals.len(), b.normals.len());
    assert!(
        a.normals.iter().zip(&b.normals).all(|(a, b)| near3(&a.normalize_or(Vec3::Y), b)),
        "normals of {name:?}"
    );
    if !a.normals.is_empty() {
        assert_eq!(a.tangents.len(), b.tangents.len());
        let same = |(a, b): (&glam::Vec4, &glam::Vec4)| {
            near3(&a.truncate().normalize_or(Vec3::Y), &b.truncate()) && a.w.to_bits() == b.w.to_bits()
        };
        assert!(a.tangents.iter().zip(&b.tangents).all(same), "tangents of {name:?}");
    }
    assert_eq!(a.uvs, b.uvs, "texture coordinates of {name:?}");
    assert_eq!(a.colors, b.colors, "colours of {name:?}");
    assert_eq!(a.skin.is_some(), b.skin.is_some(), "skin of {name:?}");
    if let (Some(a), Some(b)) = (&a.skin, &b.skin) {
        same_skin(a, b, name);
    }
    assert_eq!(a.morphs.len(), b.morphs.len(), "morph targets of {name:?}");
    for (own, other) in a.morphs.iter().zip(&b.morphs) {
        assert_eq!(own.name, other.name);
        let bent = a.normals.len() == a.positions.len();
        let moved = |delta: &&Delta| delta.position != Vec3::ZERO || bent && delta.normal != Vec3::ZERO;
        let (own, other): (Vec<_>, Vec<_>) =
            (own.deltas.iter().filter(moved).collect(), other.deltas.iter().filter(moved).collect());
        assert_eq!(own.len(), other.len());
        let same = |(a, b): (&&Delta, &&Delta)| {
            a.vertex == b.vertex && a.position == b.position && (a.normal == b.normal || !bent)
        };
        assert!(own.iter().zip(&other).all(same), "morph target of {name:?}");
    }
}

fn same_skin(a: &Skin, b: &Skin, name: &str) {
    assert_eq!(a.joints.len(), b.joints.len(), "joints of {name:?}");
    for (a, b) in a.joints.iter().zip(&*b.joints) {
        assert_eq!(a.bone, b.bone);
        assert!(near(a.inverse_bind.to_cols_array(), b.inverse_bind.to_cols_array()));
    }
    assert_eq!(a.weights.len(), b.weights.len());
    for vertex in 0..a.weights.len() {
        // Equal weights can change their order.
        let sorted = |skin: &Skin| {
            let mut all: Vec<_> = skin.weights.of(vertex).iter().map(|own| (own.joint, own.weight)).collect();
            all.sort_by_key(|(joint, _)| *joint);
            all
        };
        let (a, b) = (sorted(a), sorted(b));
        assert_eq!(a.len(), b.len(), "influences on vertex {vertex} of {name:?}");
        assert!(a.iter().zip(&b).all(|(a, b)| a.0 == b.0 && near([a.1], [b.1])), "{a:?} {b:?}");
    }
}

fn same_curve<T: Blend>(a: Option<&Curve<T>>, b: Option<&Curve<T>>, near: impl Fn(&T, &T) -> bool, of: &str) {
    let a = a.filter(|curve| !curve.times().is_empty());
    let (Some(a), Some(b)) = (a, b) else {
        assert_eq!(a.is_some(), b.is_some(), "{of}");
        return;
    };
    assert_eq!(a.times(), b.times(), "{of}");
    assert!(a.values().iter().zip(b.values()).all(|(a, b)| near(a, b)), "{of}");
    let kind = |curve: &Curve<T>| match curve.between() {
        Interpolation::Step => 0,
        Interpolation::CubicSpline(_) if curve.times().len() > 1 => 2,
        Interpolation::Linear | Interpolation::CubicSpline(_) => 1,
    };
    assert_eq!(kind(a), kind(b), "{of}");
    let (first, last) = (a.times()[0], a.times()[a.times().len() - 1]);
    for share in [0.1, 0.37, 0.5, 0.83] {
        let time = first + (last - first) * share;
        let (Some(a), Some(b)) = (a.sample(time), b.sample(time)) else { panic!("{of}") };
        assert!(near(&a, &b), "{of} at {time}");
    }
}

fn same_clip(a: &Clip, b: &Clip, scene: &Scene) {
    let name = &a.name;
    assert_eq!(name, &b.name);
    let moving: Vec<_> = a
        .tracks
        .iter()
        .filter(|own| own.translation.is_some() || own.rotation.is_some() || own.scale.is_some())
        .collect();
    assert_eq!(moving.len(), b.tracks.len(), "tracks of {name:?}");
    for (a, b) in moving.into_iter().zip(&b.tracks) {
        assert_eq!(a.bone, b.bone);
        same_curve(
            a.translation.as_ref(),
            b.translation.as_ref(),
            near3,
            &format!("translation in {name:?}"),
        );
        same_curve(a.rotation.as_ref(), b.rotation.as_ref(), near4, &format!("rotation in {name:?}"));
        same_curve(a.scale.as_ref(), b.scale.as_ref(), near3, &format!("scale in {name:?}"));
    }
    for (mesh, own) in scene.meshes.iter().enumerate() {
        for (target, morph) in own.morphs.iter().enumerate() {
            let (before, after) =
                (weight(a, mesh, target, &morph.name), weight(b, mesh, target, &morph.name));
            let times = before.iter().chain(&after).flat_map(|curve| curve.times());
            for time in times {
                let at =
                    |curve: Option<&Curve<f32>>| curve.and_then(|curve| curve.sample(*time)).unwrap_or(0.0);
                assert!(near([at(before)], [at(after)]), "weight of {:?} in {name:?}", morph.name);
            }
        }
    }
}

fn weight<'c>(clip: &'c Clip, mesh: usize, target: usize, name: &str) -> Option<&'c Curve<f32>> {
    let these = |targets: &Targets| matches!(targets, Targets::These(all) if all.contains(&(mesh, target)));
    let named = |targets: &Targets| matches!(targets, Targets::Named(own) if own == name);
    let find = |is: &dyn Fn(&Targets) -> bool| clip.morphs.iter().find(|track| is(&track.targets));
    find(&these).or_else(|| find(&named)).map(|track| &track.weight)
}
