//! Poses of bones in a frame, accumulated from keys.

use super::values::rotation;
use super::{Key, Key11, MeshAnimation, QuantizedAnimation, Transform};
use crate::wire::Wire;

/// The components of a bone that keys have set up to a frame. Components that no key has set are assumed to be those of
/// the bind pose: no known file has a component in a later frame that the first one lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Position along x, y, z.
    pub position: [Option<f32>; 3],
    /// Quaternion x, y, z, w.
    pub rotation: Option<[f32; 4]>,
    /// Scale along x, y, z.
    pub scale: [Option<f32>; 3],
}

impl Pose {
    /// Returns the transform of the bone; missing components come from the bind pose.
    #[must_use]
    pub fn over(&self, bind: &Transform) -> Transform {
        let filled = |own: [Option<f32>; 3], bind: [f32; 3]| {
            std::array::from_fn(|axis| own[axis].unwrap_or(bind[axis]))
        };
        Transform {
            position: filled(self.position, bind.position),
            rotation: self.rotation.unwrap_or(bind.rotation),
            scale: filled(self.scale, bind.scale),
        }
    }

    /// Applies a key; components that it lacks keep their values.
    pub(super) fn apply<T: Wire + Copy>(
        &mut self,
        key: &Key<T>,
        position: impl Fn(usize, T) -> f32,
        scale: impl Fn(usize, T) -> f32,
    ) {
        let positions = [key.position_x, key.position_y, key.position_z];
        let scales = [key.scale_x, key.scale_y, key.scale_z];
        for axis in 0..3 {
            if let Some(value) = positions[axis] {
                self.position[axis] = Some(position(axis, value));
            }
            if let Some(value) = scales[axis] {
                self.scale[axis] = Some(scale(axis, value));
            }
        }
        if let Some(value) = key.rotation {
            self.rotation = Some(rotation(value));
        }
    }
}

/// The column of the keys of a bone.
fn column(bone_indices: &[i16], bone: usize) -> Option<usize> {
    bone_indices.iter().position(|index| usize::try_from(*index) == Ok(bone))
}

/// The pose of a column in a frame.
fn nth(frame: usize, column: usize, each: impl FnOnce(&mut dyn FnMut(usize, Pose))) -> Option<Pose> {
    let mut poses = Vec::new();
    each(&mut |own, pose| poses.extend((own == column).then_some(pose)));
    poses.get(frame).copied()
}

impl QuantizedAnimation {
    /// Returns the pose of a bone in a frame; none if the bone is not animated. `bone` is an index into the bones. The time it takes is
    /// proportional to the number of keys.
    #[must_use]
    pub fn pose(&self, frame: usize, bone: usize) -> Option<Pose> {
        nth(frame, column(&self.bone_indices, bone)?, |visit| self.each(visit))
    }

    /// Visits the pose of each column of keys, frame by frame.
    pub(super) fn each(&self, mut visit: impl FnMut(usize, Pose)) {
        let mut poses = vec![Pose::default(); self.bone_indices.len()];
        for frame in 0..self.frames.len() {
            for (column, (key, pose)) in self.frames.row(frame).zip(&mut poses).enumerate() {
                let position = |axis, value| self.positions.value(axis, value);
                pose.apply(&key, position, |axis, value| self.scales.value(axis, value));
                visit(column, *pose);
            }
        }
    }
}

impl MeshAnimation {
    /// Returns the pose of a bone in a frame; none if the bone is not animated. `bone` is an index into the bones. The time it takes is
    /// proportional to the number of keys.
    #[must_use]
    pub fn pose(&self, frame: usize, bone: usize) -> Option<Pose> {
        nth(frame, column(&self.bone_indices, bone)?, |visit| self.each(visit))
    }

    /// Visits the pose of each column of keys, frame by frame.
    pub(super) fn each(&self, mut visit: impl FnMut(usize, Pose)) {
        let mut poses = vec![Pose::default(); self.bone_indices.len()];
        for frame in 0..self.frames.len() {
            for (column, (key, pose)) in self.frames.row(frame).zip(&mut poses).enumerate() {
                pose.apply(&key, |_, value| value, |_, value| value);
                visit(column, *pose);
            }
        }
    }
}

impl Key11 {
    /// Returns the transform of the key; missing components are the identity.
    #[must_use]
    pub fn transform(&self) -> Transform {
        let identity = Transform::default();
        Transform {
            position: self.position.unwrap_or(identity.position),
            rotation: self.rotation.unwrap_or(identity.rotation),
            scale: self.scale.unwrap_or(identity.scale),
        }
    }
}

impl<T: Wire> Key<T> {
    /// Converts positions and scales, each with its axis.
    pub(super) fn map<U: Wire>(
        self,
        position: impl Fn(usize, T) -> U,
        scale: impl Fn(usize, T) -> U,
    ) -> Key<U> {
        Key {
            flags: self.flags,
            position_x: self.position_x.map(|own| position(0, own)),
            position_y: self.position_y.map(|own| position(1, own)),
            position_z: self.position_z.map(|own| position(2, own)),
            rotation: self.rotation,
            scale_x: self.scale_x.map(|own| scale(0, own)),
            scale_y: self.scale_y.map(|own| scale(1, own)),
            scale_z: self.scale_z.map(|own| scale(2, own)),
        }
    }

    /// Sets the flags to the components that are present.
    pub fn flag(&mut self) {
        self.flags.set_position_x(self.position_x.is_some());
        self.flags.set_position_y(self.position_y.is_some());
        self.flags.set_position_z(self.position_z.is_some());
        self.flags.set_rotation(self.rotation.is_some());
        self.flags.set_scale_x(self.scale_x.is_some());
        self.flags.set_scale_y(self.scale_y.is_some());
        self.flags.set_scale_z(self.scale_z.is_some());
    }
}
