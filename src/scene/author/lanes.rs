//! Three vectors at once.

use glam::{Mat3A, Vec3, Vec3A, Vec3Swizzles};

/// Three vectors, each coordinate of which is in three lanes: faster than one vector after the other, and rounds in the same
/// way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    x: Vec3A,
    y: Vec3A,
    z: Vec3A,
}

impl Lanes {
    /// Returns three vectors.
    pub fn new(a: Vec3, b: Vec3, c: Vec3) -> Self {
        Self { x: Vec3A::new(a.x, b.x, c.x), y: Vec3A::new(a.y, b.y, c.y), z: Vec3A::new(a.z, b.z, c.z) }
    }

    /// Returns the vectors in another order: the second one first, and the first one last.
    pub fn turned(self) -> Self {
        self.map(Vec3A::yzx)
    }

    /// Returns the same vector three times.
    pub fn splat(own: Vec3) -> Self {
        Self { x: Vec3A::splat(own.x), y: Vec3A::splat(own.y), z: Vec3A::splat(own.z) }
    }

    /// Returns the three vectors.
    pub fn vectors(self) -> [Vec3A; 3] {
        let Mat3A { x_axis, y_axis, z_axis } = Mat3A::from_cols(self.x, self.y, self.z).transpose();
        [x_axis, y_axis, z_axis]
    }

    fn map(self, map: impl Fn(Vec3A) -> Vec3A) -> Self {
        Self { x: map(self.x), y: map(self.y), z: map(self.z) }
    }

    /// Returns the vectors, each with another factor.
    pub fn scaled(self, factors: Vec3A) -> Self {
        self.map(|own| own * factors)
    }

    /// Returns the difference to other vectors.
    pub fn minus(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }

    pub fn dot(self, other: Self) -> Vec3A {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    pub fn length(self) -> Vec3A {
        self.dot(self).sqrt()
    }

    /// Returns the parts of vectors across normals, with unit length.
    pub fn across(self, normals: Self) -> Self {
        self.minus(normals.scaled(normals.dot(self))).unit()
    }

    /// Returns vectors with unit length, except those that are too short.
    pub fn unit(self) -> Self {
        let is_long = |own: Vec3A| own.abs().cmpgt(Vec3A::splat(f32::MIN_POSITIVE));
        let is_long = is_long(self.x) | is_long(self.y) | is_long(self.z);
        self.scaled(Vec3A::select(is_long, self.length().recip(), Vec3A::ONE))
    }
}
