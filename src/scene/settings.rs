//! What a user states about files that do not specify it.

use std::fmt;

use super::Up;

/// Settings that the files do not specify.
///
/// ```
/// use bindpose::scene::{Settings, Up};
/// let settings = Settings::default().with_unit(0.01).with_up(Up::Z);
/// assert_eq!(settings.rate, None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// The length of a unit of the files in metres; none for the unit of the format, or a metre if the format has none.
    pub unit: Option<f32>,
    /// The up axis of the files; none for the convention of the format.
    pub up: Option<Up>,
    /// Frames or ticks per second of clips whose file does not specify them; none for the usual rate.
    pub rate: Option<f32>,
    /// The integer weight that means 1, if versions of a format differ: 100 or 255 in MS3D. None for the usual one.
    pub full_weight: Option<u8>,
    /// Whether translation keys of MilkShape 3D files are interpolated linearly, as public descriptions of the format say, instead of
    /// with the curve of its author's viewer.
    pub linear_translations: bool,
    /// Whether the scene does not record where its values come from, which takes memory.
    pub without_sources: bool,
    /// Whether what can be large has names but no contents: the meshes of MilkShape 3D, PSK, Cal3D and DirectX `.x` files no vertices and
    /// triangles, the clips of MilkShape 3D files no keys.
    pub names_only: bool,
}

/// A unit or a rate that is not a positive number.
///
/// ```
/// use bindpose::scene::Settings;
/// let error = Settings::default().with_rate(f32::NAN).validate().unwrap_err();
/// assert_eq!(error.to_string(), "expected a rate from 1.1754944e-38 to 3.4028235e38, got NaN");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SettingError {
    /// The name of the setting.
    pub name: &'static str,
    /// Its value.
    pub value: f32,
}

impl fmt::Display for SettingError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = (f32::MIN_POSITIVE, f32::MAX);
        write!(out, "expected a {} from {least:e} to {most:e}, got {}", self.name, self.value)
    }
}

impl std::error::Error for SettingError {}

pub(super) fn is_positive(number: f32) -> bool {
    number > 0.0 && number.is_normal()
}

/// Checks that settings are positive numbers.
pub(super) fn positive(settings: [(&'static str, Option<f32>); 2]) -> Result<(), SettingError> {
    let invalid = |(name, value): (&'static str, Option<f32>)| {
        let value = value.filter(|own| !is_positive(*own))?;
        Some(SettingError { name, value })
    };
    settings.into_iter().find_map(invalid).map_or(Ok(()), Err)
}

impl Settings {
    /// Checks that the unit and the rate are positive numbers.
    ///
    /// # Errors
    /// The first one that is not.
    pub fn validate(&self) -> Result<(), SettingError> {
        positive([("unit", self.unit), ("rate", self.rate)])
    }

    /// Returns the settings for a scene that does not record where its values come from.
    #[must_use]
    pub const fn without_sources(self) -> Self {
        Self { without_sources: true, ..self }
    }

    /// Returns the settings for a summary, which needs no sources, and of meshes and clips only the names: see
    /// [`names_only`](Self#structfield.names_only).
    #[must_use]
    pub const fn names_only(self) -> Self {
        Self { names_only: true, ..self.without_sources() }
    }

    /// Returns the settings with another length of a unit in metres.
    #[must_use]
    pub fn with_unit(self, unit: impl Into<Option<f32>>) -> Self {
        Self { unit: unit.into(), ..self }
    }

    /// Returns the settings with another up axis.
    #[must_use]
    pub fn with_up(self, up: impl Into<Option<Up>>) -> Self {
        Self { up: up.into(), ..self }
    }

    /// Returns the settings with another number of frames or ticks per second.
    #[must_use]
    pub fn with_rate(self, rate: impl Into<Option<f32>>) -> Self {
        Self { rate: rate.into(), ..self }
    }

    /// Returns the settings with another interpolation of translation keys of MilkShape 3D files.
    #[must_use]
    pub const fn with_linear_translations(self, linear_translations: bool) -> Self {
        Self { linear_translations, ..self }
    }

    /// Returns the settings with another integer weight that means 1.
    #[must_use]
    pub fn with_full_weight(self, weight: impl Into<Option<u8>>) -> Self {
        Self { full_weight: weight.into(), ..self }
    }
}
