//! Bones and poses.

use glam::{Affine3A, DAffine3, DVec3, Mat3, Quat, Vec3};

use super::{Loss, Lost, Measure, Playback};
use crate::hierarchy::{Hierarchy, inherit};

/// A transform relative to the parent: scale, then rotation, then translation.
///
/// ```
/// use bindpose::scene::Transform;
/// use glam::Vec3;
/// let up = Transform { translation: Vec3::Y, ..Transform::IDENTITY };
/// assert_eq!(up.matrix().transform_point3(Vec3::X), Vec3::new(1.0, 1.0, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// The translation in metres along the axes of the parent.
    pub translation: Vec3,
    /// The rotation, of unit length.
    pub rotation: Quat,
    /// The scale factors along the own axes.
    pub scale: Vec3,
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Transform {
    /// The identity.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// Creates a transform from a translation and a quaternion of any length; an invalid quaternion becomes the
    /// identity.
    #[must_use]
    pub fn new(translation: Vec3, rotation: Quat) -> Self {
        Self { translation, rotation: unit(rotation), scale: Vec3::ONE }
    }

    /// Returns the matrix.
    #[must_use]
    pub fn matrix(&self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// Returns the nearest transform to a matrix, and whether it is exact: a transform has no shear.
    #[must_use]
    pub fn nearest(matrix: &Affine3A) -> (Self, bool) {
        let axes = Mat3::from(matrix.matrix3);
        let mut scale = Vec3::new(axes.x_axis.length(), axes.y_axis.length(), axes.z_axis.length());
        if axes.determinant() < 0.0 {
            scale.x = -scale.x;
        }
        let rotation = rotation_of(axes, scale);
        let translation = matrix.translation.into();
        let near = Self { translation, rotation, scale };
        let size = scale.abs().max_element().max(f32::MIN_POSITIVE);
        let same = near.matrix().matrix3.abs_diff_eq(matrix.matrix3, size * 1e-4);
        (near, same)
    }
}

/// Matrices that are not exact as transforms.
#[derive(Debug, Default)]
pub(crate) struct Inexact {
    /// How many are sheared.
    pub sheared: usize,
    /// How far the sheared ones are off: the difference of an axis in relation to the largest scale, or what was compared in model space.
    off: Measure,
    /// How many are not finite.
    pub not_finite: usize,
}

impl Inexact {
    /// Returns the nearest transform to a matrix, if it is finite.
    pub fn nearest(&mut self, matrix: &Affine3A) -> Option<Transform> {
        let (near, is_exact) = Transform::nearest(matrix);
        if !near.translation.is_finite() || !near.scale.is_finite() {
            self.not_finite += 1;
            return None;
        }
        if !is_exact {
            let size = near.scale.abs().max_element().max(f32::MIN_POSITIVE);
            let off = (near.matrix().matrix3 - matrix.matrix3) * size.recip();
            let axes = [off.x_axis, off.y_axis, off.z_axis];
            self.off.scale = axes.iter().map(|own| own.length()).fold(self.off.scale, f32::max);
            self.sheared += 1;
        }
        Some(near)
    }

    /// Measures how far a matrix of model space is off.
    pub fn compare(&mut self, written: &DAffine3, exact: &DAffine3) {
        let [x, y, z] = (written.matrix3 - exact.matrix3).to_cols_array_2d().map(DVec3::from_array);
        let scale = (x.length_squared() + y.length_squared() + z.length_squared()).sqrt();
        let metres = written.translation.distance(exact.translation);
        #[expect(clippy::cast_possible_truncation, reason = "a measure has few digits")]
        let off = Measure { metres: metres as f32, scale: scale as f32, ..Measure::default() };
        self.off = self.off.max(off);
    }

    /// Returns the loss of the shear.
    pub fn shear(&self, lost: Lost) -> Loss {
        Loss { measure: (self.off != Measure::default()).then_some(self.off), ..lost.into() }
    }
}

/// Returns the rotation of three axes after orthogonalising them; the first one keeps its direction.
fn rotation_of(axes: Mat3, scale: Vec3) -> Quat {
    let x = (axes.x_axis / scale.x).try_normalize();
    let y = x.and_then(|x| (axes.y_axis - x * x.dot(axes.y_axis)).try_normalize());
    match (x, y) {
        (Some(x), Some(y)) => unit(Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y)))),
        _ => Quat::IDENTITY,
    }
}

/// Returns a quaternion with unit length; the identity if it cannot be normalised.
#[must_use]
pub(crate) fn unit(rotation: Quat) -> Quat {
    let [x, y, z, w] = rotation.to_array().map(f64::from);
    let length = (x * x + y * y + z * z + w * w).sqrt();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "converts a float of a file back to its original width"
    )]
    let unit = Quat::from_array([x, y, z, w].map(|value| (value / length) as f32));
    if length > 0.0 && length.is_finite() { unit } else { Quat::IDENTITY }
}

/// As [`unit`]; NaN if it is not finite, so that it can be counted.
pub(crate) fn unit_or_nan(rotation: Quat) -> Quat {
    if rotation.is_finite() { unit(rotation) } else { Quat::NAN }
}

/// A bone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bone {
    /// The name, which need not be unique.
    pub name: String,
    /// The index of the parent, which can follow its child; `None` for a root.
    pub parent: Option<usize>,
    /// The bind pose relative to the parent.
    pub bind: Transform,
}

/// A named place, such as the socket that a weapon is attached to. It is not animated by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attachment {
    /// The name.
    pub name: String,
    /// The index of the bone; none for a place in model space.
    pub bone: Option<usize>,
    /// The place relative to the bone.
    pub place: Transform,
}

/// The transforms of all bones relative to their parents, in the order of the bones.
pub type Pose = Vec<Transform>;

/// A hierarchy of bones with one or several roots.
///
/// ```
/// use bindpose::scene::{Bone, Skeleton, Transform};
/// use glam::Vec3;
/// let bind = Transform { translation: Vec3::Y, ..Transform::IDENTITY };
/// let hip = Bone { name: "hip".into(), parent: None, bind };
/// let spine = Bone { name: "spine".into(), parent: Some(1), bind };
/// // A parent can follow its child.
/// let skeleton = Skeleton::new(vec![spine, hip]).0;
/// let placed = skeleton.model_space(&skeleton.bind_pose());
/// assert_eq!(placed[0].translation, Vec3::new(0.0, 2.0, 0.0).into());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    bones: Vec<Bone>,
    /// The indices of the bones, parents before their children.
    order: Vec<usize>,
    pub(super) playback: Playback,
}

impl Skeleton {
    /// Creates a skeleton. Also returns the bones that became roots because their parent is invalid or part of a cycle.
    #[must_use]
    pub fn new(mut bones: Vec<Bone>) -> (Self, Vec<usize>) {
        let hierarchy = Hierarchy::new(bones.iter().map(|bone| bone.parent).collect());
        for (bone, parent) in bones.iter_mut().zip(hierarchy.parents()) {
            bone.parent = *parent;
        }
        let (order, cut) = hierarchy.into_order();
        (Self { bones, order, playback: Playback::default() }, cut)
    }

    /// Adds a bone whose parent is already there. Returns its index.
    pub(super) fn push(&mut self, bone: Bone) -> usize {
        debug_assert!(bone.parent.is_none_or(|parent| parent < self.bones.len()));
        let index = self.bones.len();
        self.order.push(index);
        self.bones.push(bone);
        index
    }

    /// Returns the same hierarchy with another bind pose.
    #[must_use]
    pub(crate) fn with_bind_pose(&self, pose: impl IntoIterator<Item = Transform>) -> Self {
        let mut skeleton = self.clone();
        for (bone, bind) in skeleton.bones.iter_mut().zip(pose) {
            bone.bind = bind;
        }
        skeleton
    }

    /// Returns the bones.
    #[must_use]
    pub fn bones(&self) -> &[Bone] {
        &self.bones
    }

    /// Returns the names of the bones, and of their settings.
    #[cfg(feature = "files")]
    pub(super) fn names_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let settings = self.playback.lists_mut().into_iter().flatten().map(|own| &mut own.name);
        self.bones.iter_mut().map(|bone| &mut bone.name).chain(settings)
    }

    /// Returns the indices of the bones, parents before their children.
    #[must_use]
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Returns the indices of the bones depth first: parents before their children, siblings in their order.
    #[must_use]
    pub fn depth_first(&self) -> Vec<usize> {
        let mut children = vec![Vec::new(); self.bones.len()];
        let mut open = Vec::new();
        for (index, bone) in self.bones.iter().enumerate() {
            bone.parent.map_or(&mut open, |parent| &mut children[parent]).push(index);
        }
        open.reverse();
        let mut order = Vec::with_capacity(self.bones.len());
        while let Some(index) = open.pop() {
            open.extend(children[index].drain(..).rev());
            order.push(index);
        }
        order
    }

    /// Returns the place of each bone in the [order](Self::order).
    pub(crate) fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.order.len()];
        for (place, bone) in self.order.iter().enumerate() {
            places[*bone] = place;
        }
        places
    }

    /// Returns the bind pose.
    #[must_use]
    pub fn bind_pose(&self) -> Pose {
        self.bones.iter().map(|bone| bone.bind).collect()
    }

    /// Returns the transforms from bone space to model space for a pose; missing bones are in the bind pose.
    #[must_use]
    pub fn model_space(&self, pose: &[Transform]) -> Vec<Affine3A> {
        let place = |bone: usize, above: Option<Affine3A>| {
            let local = pose.get(bone).unwrap_or(&self.bones[bone].bind).matrix();
            above.map_or(local, |above| above * local)
        };
        self.inherit(Affine3A::IDENTITY, place)
    }

    /// Returns the transform from the space of a bone to model space in the bind pose.
    pub(super) fn placed(&self, bone: usize) -> Affine3A {
        let above = std::iter::successors(Some(bone), |bone| self.bones[*bone].parent);
        above.fold(Affine3A::IDENTITY, |below, bone| self.bones[bone].bind.matrix() * below)
    }

    /// Returns a value for each bone that follows from that of its parent.
    pub(crate) fn inherit<T: Copy>(&self, none: T, own: impl FnMut(usize, Option<T>) -> T) -> Vec<T> {
        inherit(&self.order, |bone| self.bones[bone].parent, none, own)
    }
}
