//! Traits that only this crate implements, so that they can get methods.

/// The supertrait of sealed traits.
pub trait Sealed {}

impl Sealed for f32 {}
impl Sealed for glam::Vec3 {}
impl Sealed for glam::Quat {}
