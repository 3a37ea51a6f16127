//! Numbers that files can hold: finite ones that stay finite when they are converted.

use glam::{Affine3A, Quat, Vec2, Vec3, Vec4};

use super::super::{
    Attachment, Blend, Clip, Curve, Interpolation, Joint, Lost, Material, Mesh, Playback, Scene, Skeleton,
    Skin, Track, Transform,
};
use super::Author;

/// The largest number that is written: products of three, as those of a scale, a translation and a unit, are finite. Larger ones are
/// remains of other data in memory.
const MOST: f32 = 1e12;

/// Numbers that may not be finite.
pub(super) trait Numbers: Copy {
    /// Returns the value with 0 for numbers that are not finite or too large, and their number.
    fn finite(self) -> (Self, usize);
}

macro_rules! numbers {
    ($($type:ty),+) => {$(
        impl Numbers for $type {
            fn finite(self) -> (Self, usize) {
                let numbers = self.to_array();
                let odd = numbers.iter().filter(|own| !is_writable(**own)).count();
                (Self::from_array(numbers.map(|own| own.finite().0)), odd)
            }
        }
    )+};
}

numbers! { Vec2, Vec3, Vec4, Quat }

impl Numbers for f32 {
    fn finite(self) -> (Self, usize) {
        if is_writable(self) { (self, 0) } else { (0.0, 1) }
    }
}

fn is_writable(number: f32) -> bool {
    number.abs() <= MOST
}

fn is_writable_matrix(matrix: &Affine3A) -> bool {
    matrix.to_cols_array().into_iter().all(is_writable)
}

impl Numbers for Transform {
    fn finite(self) -> (Self, usize) {
        let [(translation, a), (scale, b)] = [self.translation.finite(), self.scale.finite()];
        let (rotation, c) = self.rotation.finite();
        let rotation = if c > 0 { Quat::IDENTITY } else { rotation };
        (Self { translation, rotation, scale }, a + b + c)
    }
}

impl Numbers for [f32; 4] {
    fn finite(self) -> (Self, usize) {
        let (own, odd) = Vec4::from(self).finite();
        (own.into(), odd)
    }
}

impl Numbers for [f32; 3] {
    fn finite(self) -> (Self, usize) {
        let (own, odd) = Vec3::from(self).finite();
        (own.into(), odd)
    }
}

impl Scene {
    /// Returns the scene with 0 for numbers that are not finite or too large, and their number; none if there are none.
    pub(crate) fn finite(&self) -> Option<(Self, usize)> {
        let skeleton = self.skeleton.finite();
        let has_odd_parts = skeleton.is_some()
            || is_odd_playback(self.skeleton.playback())
            || self.attachments.iter().any(|own| own.place.finite().1 > 0)
            || self.clips.iter().any(is_odd_clip)
            || self.meshes.iter().any(is_odd)
            || self.materials.iter().any(is_odd_material);
        if !has_odd_parts {
            return None;
        }
        let mut scene = self.clone();
        let mut odd = 0;
        if let Some((skeleton, replaced)) = skeleton {
            scene.skeleton = skeleton;
            odd += replaced;
        }
        odd += finite_playback(&mut scene.skeleton);
        for Attachment { place, .. } in &mut scene.attachments {
            let (finite, replaced) = place.finite();
            *place = finite;
            odd += replaced;
        }
        for track in scene.clips.iter_mut().flat_map(|clip| &mut clip.tracks) {
            odd += finite_track(track);
        }
        for morph in scene.clips.iter_mut().flat_map(|clip| &mut clip.morphs) {
            odd += finite_curve(&mut morph.weight);
        }
        odd += scene.meshes.iter_mut().map(finite_vertices).sum::<usize>();
        odd +=
            scene.meshes.iter_mut().filter_map(|mesh| mesh.skin.as_mut()).map(finite_joints).sum::<usize>();
        for material in &mut scene.materials {
            odd += replace(std::slice::from_mut(&mut material.color));
            for own in [&mut material.emissive, &mut material.ambient, &mut material.specular] {
                odd += replace(std::slice::from_mut(own));
            }
            odd += replace(std::slice::from_mut(&mut material.shininess));
        }
        Some((scene, odd))
    }
}

impl Skeleton {
    /// Returns the skeleton with bones at finite places in model space, as files can hold them, and the number of numbers and bones
    /// that were replaced; none if all places are finite.
    pub(crate) fn finite(&self) -> Option<(Self, usize)> {
        let bones = self.bones();
        let mut placed = vec![Affine3A::IDENTITY; bones.len()];
        let mut pose = vec![Transform::IDENTITY; bones.len()];
        let mut odd = 0;
        for &index in self.order() {
            let (bind, replaced) = bones[index].bind.finite();
            odd += replaced;
            let above = bones[index].parent.map_or(Affine3A::IDENTITY, |parent| placed[parent]);
            placed[index] = above * bind.matrix();
            if placed[index].is_finite() {
                pose[index] = bind;
            } else {
                placed[index] = above;
                odd += 1;
            }
        }
        (odd > 0).then(|| (self.with_bind_pose(pose), odd))
    }
}

impl Author<'_> {
    /// Replaces numbers of vertices that are not finite or too large by 0, and reports them.
    pub(super) fn finite(&mut self, mesh: &mut Mesh) {
        let replaced = finite_vertices(mesh);
        self.report_losses(replaced, Lost::NonFinite.of("mesh", &mesh.name));
    }
}

fn replace<T: Numbers>(list: &mut [T]) -> usize {
    let replaced = list.iter_mut().map(|own| {
        let (finite, odd) = own.finite();
        *own = finite;
        odd
    });
    replaced.sum()
}

fn is_odd(mesh: &Mesh) -> bool {
    let joints = mesh.skin.iter().flat_map(|skin| &*skin.joints);
    has_odd(&mesh.positions)
        || has_odd(&mesh.normals)
        || has_odd(&mesh.tangents)
        || has_odd(&mesh.colors)
        || mesh.uvs.iter().any(|set| has_odd(set))
        || joints.into_iter().any(|joint| !is_writable_matrix(&joint.inverse_bind))
        || mesh
            .morphs
            .iter()
            .flat_map(|morph| &morph.deltas)
            .any(|own| own.position.finite().1 > 0 || own.normal.finite().1 > 0)
}

fn is_odd_playback(playback: &Playback) -> bool {
    let lengths = playback.retargeting.iter().filter_map(|own| own.length);
    playback.lists().into_iter().flatten().any(|own| has_odd(&own.values))
        || lengths.into_iter().any(|own| !is_writable(own))
}

fn is_odd_material(material: &Material) -> bool {
    let colors = [material.emissive, material.ambient, material.specular];
    let odd = colors.iter().map(|own| own.finite().1).sum::<usize>();
    odd + material.color.finite().1 + material.shininess.finite().1 > 0
}

fn is_odd_clip(clip: &Clip) -> bool {
    let is_odd_track = |track: &Track| {
        [&track.translation, &track.scale].into_iter().flatten().any(is_odd_curve)
            || track.rotation.as_ref().is_some_and(is_odd_curve)
    };
    clip.tracks.iter().any(is_odd_track) || clip.morphs.iter().any(|morph| is_odd_curve(&morph.weight))
}

fn is_odd_curve<T: Numbers + Blend>(curve: &Curve<T>) -> bool {
    let tangents = match curve.between() {
        Interpolation::CubicSpline(tangents) => tangents.as_flattened(),
        Interpolation::Step | Interpolation::Linear => &[],
    };
    has_odd(curve.values()) || has_odd(tangents)
}

fn has_odd<T: Numbers>(list: &[T]) -> bool {
    list.iter().any(|own| own.finite().1 > 0)
}

fn finite_vertices(mesh: &mut Mesh) -> usize {
    let mut odd = replace(&mut mesh.positions) + replace(&mut mesh.normals) + replace(&mut mesh.tangents);
    odd += replace(&mut mesh.colors);
    odd += mesh.uvs.iter_mut().map(|set| replace(set)).sum::<usize>();
    for delta in mesh.morphs.iter_mut().flat_map(|morph| &mut morph.deltas) {
        let (position, a) = delta.position.finite();
        let (normal, b) = delta.normal.finite();
        (delta.position, delta.normal) = (position, normal);
        odd += a + b;
    }
    odd
}

fn finite_playback(skeleton: &mut Skeleton) -> usize {
    let mut playback = skeleton.playback().clone();
    let lists = [&mut playback.masks, &mut playback.time_profiles, &mut playback.weight_profiles];
    let mut odd = lists.into_iter().flatten().map(|own| replace(&mut own.values)).sum::<usize>();
    let lengths = playback.retargeting.iter_mut().filter_map(|own| own.length.as_mut());
    odd += lengths.map(|own| replace(std::slice::from_mut(own))).sum::<usize>();
    *skeleton = std::mem::take(skeleton).with_playback(playback);
    odd
}

fn finite_joints(skin: &mut Skin) -> usize {
    let is_odd = |joint: &&Joint| !is_writable_matrix(&joint.inverse_bind);
    let count = skin.joints.iter().filter(is_odd).count();
    if count > 0 {
        let finite = |own: Affine3A| if is_writable_matrix(&own) { own } else { Affine3A::IDENTITY };
        let joint = |own: &Joint| Joint { inverse_bind: finite(own.inverse_bind), ..*own };
        skin.joints = skin.joints.iter().map(joint).collect();
    }
    count
}

fn finite_track(track: &mut Track) -> usize {
    let curves = [&mut track.translation, &mut track.scale].into_iter().flatten();
    curves.map(finite_curve).sum::<usize>() + track.rotation.as_mut().map_or(0, finite_curve)
}

fn finite_curve<T: Numbers + Blend>(curve: &mut Curve<T>) -> usize {
    let mut values = curve.values().to_vec();
    let mut odd = replace(&mut values);
    let between = match curve.between() {
        Interpolation::CubicSpline(tangents) => {
            let finite = |own: &[T; 2]| {
                let [(into, a), (out, b)] = own.map(Numbers::finite);
                odd += a + b;
                [into, out]
            };
            Interpolation::CubicSpline(tangents.iter().map(finite).collect())
        }
        other => other.clone(),
    };
    if odd > 0 {
        *curve = Curve::new(curve.times().iter().copied().zip(values), between);
    }
    odd
}
