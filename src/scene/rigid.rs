//! Moves the scale of bones in the bind pose to meshes, children and clips.

use std::collections::HashMap;
use std::sync::Arc;

use glam::{Affine3A, Mat3, Quat, Vec3};

use super::{
    Attachment, Blend, Bone, Clip, Curve, Interpolation, Joint, Mesh, Scene, Skeleton, Track, Transform, unit,
};

/// The tolerance for equal scale factors and rotations, for the rounding in files.
const EQUAL: f32 = 2e-6;

/// The least scale factor that is not zero: dividing by smaller ones would overflow.
const LEAST: f32 = 1e-12;

/// The scale and shear that a bone had in model space and that now precede its transform.
#[derive(Clone, Copy)]
struct Moved {
    matrix: Mat3,
    /// Whether the matrix is a uniform scale, which commutes with every rotation.
    uniform: bool,
}

/// How the transforms of a bone change.
#[derive(Clone, Copy)]
struct Change {
    /// Applied to translations: what was moved from the parent.
    above: Mat3,
    /// Applied to scale factors: the reciprocals of those in the bind pose.
    factors: Vec3,
    /// The constant rotation; none if rotations do not change.
    rotation: Option<Quat>,
}

impl Scene {
    /// Re-expresses bones with scale in the bind pose as rotation and translation. The scale moves to the inverse bind
    /// matrices, to meshes without a skin, to attachments, and to the children and clips; all vertices remain where they are at any time.
    /// Scale that a clip animates relative to the bind pose remains in the clip.
    ///
    /// A non-uniform scale moves only if no clip turns or scales a bone below, because the result would have shear. Returns
    /// the bones that keep their scale for this reason, or because it is zero or not finite.
    ///
    /// ```
    /// use bindpose::scene::{Bone, Scene, Skeleton, Transform};
    /// use glam::Vec3;
    /// let long = Transform { scale: Vec3::splat(2.0), ..Transform::IDENTITY };
    /// let up = Transform { translation: Vec3::Y, ..Transform::IDENTITY };
    /// let hip = Bone { name: "hip".into(), parent: None, bind: long };
    /// let spine = Bone { name: "spine".into(), parent: Some(0), bind: up };
    /// let mut scene = Scene { skeleton: Skeleton::new(vec![hip, spine]).0, ..Scene::default() };
    /// assert!(scene.move_bind_scale().is_empty());
    /// let bones = scene.skeleton.bones();
    /// assert_eq!(bones[0].bind.scale, Vec3::ONE);
    /// assert_eq!(bones[1].bind.translation, Vec3::Y * 2.0);
    /// ```
    pub fn move_bind_scale(&mut self) -> Vec<usize> {
        let bones = self.skeleton.bones();
        if bones.iter().all(|bone| bone.bind.scale == Vec3::ONE) {
            return Vec::new();
        }
        let still = still_below(&self.skeleton, &self.clips);
        let mut moved = vec![Moved { matrix: Mat3::IDENTITY, uniform: true }; bones.len()];
        let mut changes = Vec::new();
        let mut kept = Vec::new();
        let mut rigid: Vec<Bone> = bones.to_vec();
        changes.resize(bones.len(), Change { above: Mat3::IDENTITY, factors: Vec3::ONE, rotation: None });
        for &index in self.skeleton.order() {
            let bone = &bones[index];
            let above =
                bone.parent.map_or(Moved { matrix: Mat3::IDENTITY, uniform: true }, |parent| moved[parent]);
            let step = step(&bone.bind, above, still[index]);
            let (own, change) = step.unwrap_or_else(|| {
                kept.push(index);
                (above, Change { above: above.matrix, factors: Vec3::ONE, rotation: None })
            });
            (moved[index], changes[index]) = (own, change);
            let bind = &mut rigid[index].bind;
            bind.translation = change.above * bind.translation;
            bind.scale = cleaned(bind.scale * change.factors);
            bind.rotation = change.rotation.unwrap_or(bind.rotation);
        }
        kept.sort_unstable();
        self.skeleton = self.skeleton.with_bind_pose(rigid.iter().map(|bone| bone.bind));
        let matrices: Vec<Mat3> = moved.into_iter().map(|own| own.matrix).collect();
        move_attachments(&mut self.attachments, &matrices);
        move_meshes(&mut self.meshes, &matrices);
        for clip in &mut self.clips {
            move_clip(clip, &changes);
        }
        kept
    }
}

/// Returns what a bone moves, and how its transforms change; none if it keeps its scale.
fn step(bind: &Transform, above: Moved, still_below: bool) -> Option<(Moved, Change)> {
    let scale = bind.scale;
    if !above.uniform {
        // The bone and those below are still, so one matrix describes all times.
        let matrix = above.matrix * Mat3::from_quat(bind.rotation) * Mat3::from_diagonal(scale);
        let rotation = Transform::nearest(&Affine3A::from_mat3(matrix)).0.rotation;
        let own = Moved { matrix: Mat3::from_quat(rotation.inverse()) * matrix, uniform: false };
        let change = Change { above: above.matrix, factors: scale.recip(), rotation: Some(rotation) };
        return Some((own, change));
    }
    let usable = is_invertible(scale);
    let uniform = scale.max_element() - scale.min_element() <= EQUAL * scale.max_element();
    (usable && (uniform || still_below)).then(|| {
        let own = Moved { matrix: above.matrix * Mat3::from_diagonal(scale), uniform };
        (own, Change { above: above.matrix, factors: scale.recip(), rotation: None })
    })
}

fn is_invertible(scale: Vec3) -> bool {
    scale.is_finite() && scale.abs().min_element() > LEAST
}

/// Returns for each bone whether no clip turns or scales a bone below it, and whether no bone there has a scale of zero.
fn still_below(skeleton: &Skeleton, clips: &[Clip]) -> Vec<bool> {
    let bones = skeleton.bones();
    let mut still: Vec<bool> = bones.iter().map(|bone| is_invertible(bone.bind.scale)).collect();
    for track in clips.iter().flat_map(|clip| &clip.tracks) {
        if let Some(bone) = bones.get(track.bone) {
            still[track.bone] &= is_still(track, &bone.bind);
        }
    }
    let mut below = vec![true; bones.len()];
    for &index in skeleton.order().iter().rev() {
        if let Some(parent) = bones[index].parent {
            below[parent] &= still[index] && below[index];
        }
    }
    below
}

/// Returns whether a track keeps the rotation and the scale of the bind pose.
fn is_still(track: &Track, bind: &Transform) -> bool {
    let turned = |own: &Quat| {
        let own = unit(*own);
        own.abs_diff_eq(bind.rotation, EQUAL) || (-own).abs_diff_eq(bind.rotation, EQUAL)
    };
    let scaled = |own: &Vec3| own.abs_diff_eq(bind.scale, EQUAL * bind.scale.abs().max_element());
    let rotation = track.rotation.as_ref();
    let scale = track.scale.as_ref();
    rotation.is_none_or(|own| !own.is_cubic() && own.values().iter().all(turned))
        && scale.is_none_or(|own| !own.is_cubic() && own.values().iter().all(scaled))
}

/// Replaces factors that are 1 except for rounding.
fn cleaned(scale: Vec3) -> Vec3 {
    if scale.abs_diff_eq(Vec3::ONE, EQUAL) { Vec3::ONE } else { scale }
}

fn move_attachments(attachments: &mut [Attachment], moved: &[Mat3]) {
    for own in attachments {
        if let Some(matrix) = own.bone.and_then(|bone| moved.get(bone)).filter(|own| **own != Mat3::IDENTITY)
        {
            own.place = Transform::nearest(&(Affine3A::from_mat3(*matrix) * own.place.matrix())).0;
        }
    }
}

fn move_meshes(meshes: &mut [Mesh], moved: &[Mat3]) {
    let mut known: HashMap<*const Joint, Arc<[Joint]>> = HashMap::new();
    let mut originals = Vec::new();
    for mesh in meshes {
        if let Some(skin) = &mut mesh.skin {
            let joints = known.entry(skin.joints.as_ptr()).or_insert_with(|| {
                let joint = |own: &Joint| {
                    let matrix = moved.get(own.bone).copied().unwrap_or(Mat3::IDENTITY);
                    Joint { inverse_bind: Affine3A::from_mat3(matrix) * own.inverse_bind, ..*own }
                };
                skin.joints.iter().map(joint).collect()
            });
            // The addresses of known joints must not be used again.
            originals.push(std::mem::replace(&mut skin.joints, Arc::clone(joints)));
        } else if let Some(matrix) = mesh.bone.and_then(|bone| moved.get(bone))
            && *matrix != Mat3::IDENTITY
        {
            mesh.deform(matrix);
        }
    }
}

impl Mesh {
    /// Applies a matrix to all vertices.
    fn deform(&mut self, matrix: &Mat3) {
        let normal = matrix.inverse().transpose();
        let turned = |own: Vec3| (normal * own).normalize_or(own);
        for position in &mut self.positions {
            *position = *matrix * *position;
        }
        for own in &mut self.normals {
            *own = turned(*own);
        }
        let mirrors = matrix.determinant() < 0.0;
        for tangent in &mut self.tangents {
            let direction = *matrix * tangent.truncate();
            let sign = if mirrors { -tangent.w } else { tangent.w };
            *tangent = direction.normalize_or(direction).extend(sign);
        }
        for delta in self.morphs.iter_mut().flat_map(|morph| &mut morph.deltas) {
            delta.position = *matrix * delta.position;
            delta.normal = normal * delta.normal;
        }
        if mirrors {
            self.flip();
        }
    }
}

fn move_clip(clip: &mut Clip, changes: &[Change]) {
    let span = clip.span();
    let mut dropped = Vec::new();
    for (index, track) in clip.tracks.iter_mut().enumerate() {
        let Some(change) = changes.get(track.bone) else { continue };
        if let Some(curve) = &mut track.translation {
            *curve = mapped(curve, |own| change.above * own);
        }
        if let (Some(curve), Some(rotation)) = (&mut track.rotation, change.rotation) {
            *curve = mapped(curve, |_| rotation);
        }
        if let Some(curve) = &mut track.scale {
            *curve = mapped(curve, |own| own * change.factors);
            let is_one = |own: &Vec3| cleaned(*own) == Vec3::ONE;
            if change.factors != Vec3::ONE && !curve.is_cubic() && curve.values().iter().all(is_one) {
                dropped.extend(track.scale.take().map(|curve| (index, curve)));
            }
        }
    }
    // Without them the clip would be shorter.
    if clip.span() != span {
        for (index, curve) in dropped {
            clip.tracks[index].scale = Some(mapped(&curve, |_| Vec3::ONE));
        }
    }
    clip.tracks
        .retain(|track| track.translation.is_some() || track.rotation.is_some() || track.scale.is_some());
}

/// Returns a curve with a linear map applied to its values and tangents.
fn mapped<T: Blend>(curve: &Curve<T>, map: impl Fn(T) -> T) -> Curve<T> {
    let between = match curve.between() {
        Interpolation::CubicSpline(tangents) => {
            Interpolation::CubicSpline(tangents.iter().map(|own| own.map(&map)).collect())
        }
        other => other.clone(),
    };
    let values = curve.values().iter().map(|own| map(*own));
    Curve::new(curve.times().iter().copied().zip(values).collect::<Vec<_>>(), between)
}
