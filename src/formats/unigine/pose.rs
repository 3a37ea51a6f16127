//! Poses of bones in a frame, accumulated from keys.

use super::values::{compress_rotation, rotation};
use super::{
    Anim10, Anim11, Anim12, Key, Key11, KeyFlags, Mesh, MeshAnimation, QuantizedAnimation, Transform,
};
use crate::wire::Wire;
use crate::{Error, ErrorKind, Result};

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

impl QuantizedAnimation {
    /// Returns the pose of a bone in each frame, in order, or `None` if the bone is not animated. `bone` is an index into
    /// the bones.
    pub fn poses(&self, bone: usize) -> Option<impl Iterator<Item = Pose>> {
        let column = column(&self.bone_indices, bone)?;
        let mut pose = Pose::default();
        Some((0..self.frames.len()).filter_map(move |frame| {
            let key = self.frames.get(frame, column)?;
            let position = |axis, value| self.positions.value(axis, value);
            pose.apply(&key, position, |axis, value| self.scales.value(axis, value));
            Some(pose)
        }))
    }

    /// Returns the pose of a bone in a frame. The time it takes is proportional to the number of frames before it.
    #[must_use]
    pub fn pose(&self, frame: usize, bone: usize) -> Option<Pose> {
        self.poses(bone)?.nth(frame)
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

    /// Returns the position of a bone in a frame, or `None` if no key up to it sets all three axes.
    #[must_use]
    pub fn position(&self, frame: usize, bone: usize) -> Option<[f32; 3]> {
        complete(self.pose(frame, bone)?.position)
    }

    /// Sets the position of a bone in a frame and in the following frames that leave it unchanged.
    ///
    /// # Errors
    /// [`ErrorKind::Value`] when there is no such key, or the position is outside the box.
    pub fn set_position(&mut self, frame: usize, bone: usize, position: [f32; 3]) -> Result<()> {
        let quantize = |axis| self.positions.quantize(axis, position[axis]);
        let [Some(x), Some(y), Some(z)] = [0, 1, 2].map(quantize) else {
            return Err(wrong(format!("{position:?} is outside the box of the animation")));
        };
        self.change(frame, bone, |key| {
            (key.position_x, key.position_y, key.position_z) = (Some(x), Some(y), Some(z));
        })
    }

    /// Sets the rotation x, y, z, w of a bone in a frame and in the following frames that leave it unchanged.
    ///
    /// # Errors
    /// [`ErrorKind::Value`] when there is no such key.
    pub fn set_rotation(&mut self, frame: usize, bone: usize, rotation: [f32; 4]) -> Result<()> {
        self.change(frame, bone, |key| key.rotation = Some(compress_rotation(rotation)))
    }

    fn change(&mut self, frame: usize, bone: usize, change: impl FnOnce(&mut Key<u16>)) -> Result<()> {
        let missing = || wrong(format!("there is no key of bone {bone} in frame {frame}"));
        let column = column(&self.bone_indices, bone).ok_or_else(missing)?;
        let mut key = self.frames.get(frame, column).ok_or_else(missing)?;
        change(&mut key);
        key.flag();
        self.mask = KeyFlags::from_raw(self.mask.raw() | key.flags.raw());
        self.frames.set(frame, column, key)
    }
}

impl MeshAnimation {
    /// Returns the pose of a bone in each frame, in order, or `None` if the bone is not animated. `bone` is an index into
    /// the bones.
    pub fn poses(&self, bone: usize) -> Option<impl Iterator<Item = Pose>> {
        let column = column(&self.bone_indices, bone)?;
        let mut pose = Pose::default();
        Some((0..self.frames.len()).filter_map(move |frame| {
            pose.apply(&self.frames.get(frame, column)?, |_, value| value, |_, value| value);
            Some(pose)
        }))
    }

    /// Returns the pose of a bone in a frame. The time it takes is proportional to the number of frames before it.
    #[must_use]
    pub fn pose(&self, frame: usize, bone: usize) -> Option<Pose> {
        self.poses(bone)?.nth(frame)
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

    /// Returns the position of a bone in a frame, or `None` if no key up to it sets all three axes.
    #[must_use]
    pub fn position(&self, frame: usize, bone: usize) -> Option<[f32; 3]> {
        complete(self.pose(frame, bone)?.position)
    }
}

impl Anim10 {
    /// Returns the transform of a bone in a frame, relative to its parent, or `None` if there is no such pose.
    #[must_use]
    pub fn transform(&self, animation: usize, frame: usize, bone: usize) -> Option<Transform> {
        let bind = self.transforms.get(bone)?;
        Some(self.animations.get(animation)?.pose(frame, bone)?.over(bind))
    }
}

impl Mesh {
    /// Returns the transform of a bone in a frame, relative to its parent, or `None` if there is no such pose.
    #[must_use]
    pub fn transform(&self, animation: usize, frame: usize, bone: usize) -> Option<Transform> {
        let bind = self.transforms.get(bone)?;
        Some(self.animations.get(animation)?.pose(frame, bone)?.over(bind))
    }
}

impl Anim11 {
    /// Returns the transform of a bone in a frame, relative to its parent, or `None` if there is no such key. Missing
    /// components are the identity.
    #[must_use]
    pub fn transform(&self, frame: usize, bone: usize) -> Option<Transform> {
        self.frames.get(frame, column(&self.bone_indices, bone)?).map(|key| key.transform())
    }
}

impl Anim12 {
    /// As [`Anim11::transform`].
    #[must_use]
    pub fn transform(&self, frame: usize, bone: usize) -> Option<Transform> {
        self.frames.get(frame, column(&self.bone_indices, bone)?).map(|key| key.transform())
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

fn complete(axes: [Option<f32>; 3]) -> Option<[f32; 3]> {
    let [x, y, z] = axes;
    Some([x?, y?, z?])
}

fn wrong(why: String) -> Error {
    Error::new(0, ErrorKind::Value(why.into()))
}
