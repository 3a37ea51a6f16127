//! Where the bones are in a frame: keys put together.

use super::values::{compress_rotation, rotation};
use super::{Anim10, Anim11, Key, Key11, KeyFlags, Mesh, MeshAnimation, QuantizedAnimation, Transform};
use crate::wire::Wire;
use crate::{Error, ErrorKind, Result};

/// What an animation has said of a bone up to a frame. What it has not said is as in the bind pose, which is a guess: no
/// file is known whose first frame leaves out what a later one has.
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
    /// The transform of the bone, with what was not said from its bind pose.
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

    /// Takes over what a key says; the rest stays as it was in the frame before.
    fn follow<T: Wire + Copy>(
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
    /// What is said of a bone in each frame, in order; none where the bone is not animated. The bone is an index into
    /// the bones.
    pub fn poses(&self, bone: usize) -> Option<impl Iterator<Item = Pose>> {
        let column = column(&self.bone_indices, bone)?;
        let mut pose = Pose::default();
        Some((0..self.frames.len()).filter_map(move |frame| {
            let key = self.frames.get(frame, column)?;
            let position = |axis, value| self.positions.value(axis, value);
            pose.follow(&key, position, |axis, value| self.scales.value(axis, value));
            Some(pose)
        }))
    }

    /// What is said of a bone up to a frame. Takes time in proportion to the frames before it.
    #[must_use]
    pub fn pose(&self, frame: usize, bone: usize) -> Option<Pose> {
        self.poses(bone)?.nth(frame)
    }

    /// Shows what is said in each column of keys, frame by frame.
    pub(super) fn each(&self, mut show: impl FnMut(usize, Pose)) {
        let mut poses = vec![Pose::default(); self.frames.columns()];
        for frame in 0..self.frames.len() {
            for (column, (key, pose)) in self.frames.row(frame).zip(&mut poses).enumerate() {
                let position = |axis, value| self.positions.value(axis, value);
                pose.follow(&key, position, |axis, value| self.scales.value(axis, value));
                show(column, *pose);
            }
        }
    }

    /// The position of a bone in a frame: the box's minimum and what the last fraction says of its size; none where an
    /// axis was never said.
    #[must_use]
    pub fn position(&self, frame: usize, bone: usize) -> Option<[f32; 3]> {
        said(self.pose(frame, bone)?.position)
    }

    /// Sets the position of a bone in a frame, and in those behind it that leave it unchanged.
    ///
    /// # Errors
    /// [`ErrorKind::Value`] when there is no such key, or the box does not hold the position.
    pub fn set_position(&mut self, frame: usize, bone: usize, position: [f32; 3]) -> Result<()> {
        let quantize = |axis| self.positions.quantize(axis, position[axis]);
        let [Some(x), Some(y), Some(z)] = [0, 1, 2].map(quantize) else {
            return Err(wrong(format!("{position:?} lies outside of the box of the animation")));
        };
        self.change(frame, bone, |key| {
            (key.position_x, key.position_y, key.position_z) = (Some(x), Some(y), Some(z));
        })
    }

    /// Sets the rotation of a bone in a frame, x, y, z, w, and in those behind it that leave it unchanged.
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
    /// What is said of a bone in each frame, in order; none where the bone is not animated. The bone is an index into
    /// the bones.
    pub fn poses(&self, bone: usize) -> Option<impl Iterator<Item = Pose>> {
        let column = column(&self.bone_indices, bone)?;
        let mut pose = Pose::default();
        Some((0..self.frames.len()).filter_map(move |frame| {
            pose.follow(&self.frames.get(frame, column)?, |_, value| value, |_, value| value);
            Some(pose)
        }))
    }

    /// What is said of a bone up to a frame. Takes time in proportion to the frames before it.
    #[must_use]
    pub fn pose(&self, frame: usize, bone: usize) -> Option<Pose> {
        self.poses(bone)?.nth(frame)
    }

    /// Shows what is said in each column of keys, frame by frame.
    pub(super) fn each(&self, mut show: impl FnMut(usize, Pose)) {
        let mut poses = vec![Pose::default(); self.frames.columns()];
        for frame in 0..self.frames.len() {
            for (column, (key, pose)) in self.frames.row(frame).zip(&mut poses).enumerate() {
                pose.follow(&key, |_, value| value, |_, value| value);
                show(column, *pose);
            }
        }
    }

    /// The position of a bone in a frame; none where an axis was never said.
    #[must_use]
    pub fn position(&self, frame: usize, bone: usize) -> Option<[f32; 3]> {
        said(self.pose(frame, bone)?.position)
    }
}

impl Anim10 {
    /// The transform of a bone in a frame of an animation, relative to its parent; none where there is no such thing.
    #[must_use]
    pub fn transform(&self, animation: usize, frame: usize, bone: usize) -> Option<Transform> {
        let bind = self.transforms.get(bone)?;
        Some(self.animations.get(animation)?.pose(frame, bone)?.over(bind))
    }
}

impl Mesh {
    /// The transform of a bone in a frame of an animation, relative to its parent; none where there is no such thing.
    #[must_use]
    pub fn transform(&self, animation: usize, frame: usize, bone: usize) -> Option<Transform> {
        let bind = self.transforms.get(bone)?;
        Some(self.animations.get(animation)?.pose(frame, bone)?.over(bind))
    }
}

impl Anim11 {
    /// The transform of a bone in a frame, relative to its parent; none where there is no such thing. What the key does
    /// not say is neither moved, turned nor scaled.
    #[must_use]
    pub fn transform(&self, frame: usize, bone: usize) -> Option<Transform> {
        self.frames.get(frame, column(&self.bone_indices, bone)?).map(|key| key.transform())
    }
}

impl Key11 {
    /// The transform that the key says.
    #[must_use]
    pub fn transform(&self) -> Transform {
        let still = Transform::default();
        Transform {
            position: self.position.unwrap_or(still.position),
            rotation: self.rotation.unwrap_or(still.rotation),
            scale: self.scale.unwrap_or(still.scale),
        }
    }
}

impl<T: Wire> Key<T> {
    /// Makes the flags say what is there.
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

fn said(axes: [Option<f32>; 3]) -> Option<[f32; 3]> {
    let [x, y, z] = axes;
    Some([x?, y?, z?])
}

fn wrong(why: String) -> Error {
    Error::new(0, ErrorKind::Value(why.into()))
}
