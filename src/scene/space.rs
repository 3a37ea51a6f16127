//! Converts the axes and units of a format to those of scenes.

use std::fmt;

use glam::{Affine3A, Mat3, Quat, Vec3};

use super::Transform;

/// The axis that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Up {
    /// The Y axis.
    Y,
    /// The Z axis.
    Z,
}

/// The axes of a format and the length of its unit.
///
/// ```
/// use bindpose::scene::Space;
/// use glam::Vec3;
/// // Up in the file is up in the scene.
/// assert_eq!(Space::RIGHT_Z_UP.point([0.0, 0.0, 2.0]), Vec3::new(0.0, 2.0, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Space {
    /// The directions of the file's axes in the scene.
    axes: Mat3,
    /// The length of a unit in metres.
    unit: f32,
}

/// In words: `right-handed, Z up, 1 unit is 0.01 m`.
impl fmt::Display for Space {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hand = if self.mirrors() { "left" } else { "right" };
        let up = if self.axes.y_axis == Vec3::Y { "Y" } else { "Z" };
        write!(out, "{hand}-handed, {up} up, 1 unit is {} m", self.unit)
    }
}

impl Space {
    /// The space of scenes: right-handed, Y up, in metres.
    pub const RIGHT_Y_UP: Self = Self { axes: Mat3::IDENTITY, unit: 1.0 };
    /// Right-handed, Z up: 3ds Max, Unreal's exporters, UNIGINE. The file's Y points away from the viewer.
    pub const RIGHT_Z_UP: Self = Self { axes: Mat3::from_cols(Vec3::X, Vec3::NEG_Z, Vec3::Y), unit: 1.0 };
    /// Left-handed, Y up: Direct3D. Mirrored along Z.
    pub const LEFT_Y_UP: Self = Self { axes: Mat3::from_cols(Vec3::X, Vec3::Y, Vec3::NEG_Z), unit: 1.0 };

    /// Left-handed, Z up: Unreal itself.
    pub const LEFT_Z_UP: Self = Self { axes: Mat3::from_cols(Vec3::X, Vec3::Z, Vec3::Y), unit: 1.0 };

    /// Returns a space with the same handedness and unit, but another up axis.
    #[must_use]
    pub fn with_up(self, up: Up) -> Self {
        let axes = match (self.mirrors(), up) {
            (false, Up::Y) => Self::RIGHT_Y_UP,
            (false, Up::Z) => Self::RIGHT_Z_UP,
            (true, Up::Y) => Self::LEFT_Y_UP,
            (true, Up::Z) => Self::LEFT_Z_UP,
        };
        axes.with_unit(self.unit)
    }

    /// Returns the same axes with another unit, in metres.
    #[must_use]
    pub const fn with_unit(self, metres: f32) -> Self {
        Self { unit: metres, ..self }
    }

    /// Returns the conversion from scenes to the format.
    ///
    /// ```
    /// use bindpose::scene::Space;
    /// use glam::Vec3;
    /// let space = Space::RIGHT_Z_UP.with_unit(0.01);
    /// let point = space.inverse().point([0.0, 2.0, 0.0]);
    /// assert_eq!(point, Vec3::new(0.0, 0.0, 200.0));
    /// ```
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self { axes: self.axes.transpose(), unit: 1.0 / self.unit }
    }

    /// Returns whether the conversion mirrors, so that the winding order of triangles is reversed.
    #[must_use]
    pub fn mirrors(&self) -> bool {
        self.axes.determinant() < 0.0
    }

    /// Converts a point or a translation.
    #[must_use]
    pub fn point(&self, point: [f32; 3]) -> Vec3 {
        self.axes * Vec3::from(point) * self.unit
    }

    /// Converts a length.
    #[must_use]
    pub fn length(&self, length: f32) -> f32 {
        length * self.unit
    }

    /// Converts a direction such as a normal; its length does not change.
    #[must_use]
    pub fn direction(&self, direction: [f32; 3]) -> Vec3 {
        self.axes * Vec3::from(direction)
    }

    /// Converts a rotation of column vectors, as x, y, z, w of any length. One that is not finite is NaN.
    #[must_use]
    pub fn rotation(&self, rotation: [f32; 4]) -> Quat {
        let [x, y, z, w] = rotation;
        // An axis of rotation is a pseudovector: mirroring reverses it.
        let sign = if self.mirrors() { -1.0 } else { 1.0 };
        let axis = self.axes * Vec3::new(x, y, z) * sign;
        super::unit_or_nan(Quat::from_xyzw(axis.x, axis.y, axis.z, w))
    }

    /// Converts factors along the axes.
    #[must_use]
    pub fn scale(&self, scale: [f32; 3]) -> Vec3 {
        self.axes.abs() * Vec3::from(scale)
    }

    /// Converts a matrix for column vectors.
    #[must_use]
    pub fn matrix(&self, matrix: &Affine3A) -> Affine3A {
        let there = Affine3A::from_mat3(self.axes);
        let back = Affine3A::from_mat3(self.axes.transpose());
        let mut matrix = there * *matrix * back;
        matrix.translation *= self.unit;
        matrix
    }

    /// Converts a translation, a rotation as for [`rotation`](Self::rotation), and factors.
    #[must_use]
    pub fn transform(&self, translation: [f32; 3], rotation: [f32; 4], scale: [f32; 3]) -> Transform {
        Transform {
            translation: self.point(translation),
            rotation: self.rotation(rotation),
            scale: self.scale(scale),
        }
    }
}
