//! Why a scene cannot be written.

use std::fmt;

use crate::scene::{Loss, SettingError};
use crate::{Error, LimitError};

/// The reason why a scene cannot be written in a format.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AuthorError {
    /// The format holds fewer elements.
    Limit {
        /// What is counted: `vertices`.
        what: String,
        /// The number in the scene.
        actual: usize,
        /// The maximum of the format.
        limit: usize,
        /// What to do about it.
        help: &'static str,
    },
    /// The files take more memory than the budget permits.
    Memory {
        /// What takes it: `clip "walk"`.
        what: String,
        /// The needed and the permitted memory.
        why: LimitError,
    },
    /// The scene has nothing that the format represents.
    Empty {
        /// What is missing: `meshes or bones`.
        what: &'static str,
        /// What the scene has and the format does not represent.
        losses: Vec<Loss>,
    },
    /// The format or the dialect cannot be written.
    Unsupported,
    /// The scene contradicts itself: see [`Scene::validate`](crate::scene::Scene::validate).
    Scene(Error),
    /// The unit or the rate in the settings is not a positive number.
    Setting(SettingError),
    /// Coordinates in the unit of the settings are beyond the numbers of files.
    Unit {
        /// The unit in metres.
        unit: f32,
        /// The coordinate that is farthest from 0, in metres.
        farthest: f32,
    },
    /// Files cannot be written for the program in the settings.
    Program {
        /// The programs that files can be written for.
        known: String,
    },
    /// The version in the settings cannot be written.
    Version {
        /// The versions that can be written.
        known: String,
    },
}

impl fmt::Display for AuthorError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // A count without a meaning: the frames until a key at an absurd time.
            Self::Limit { what, actual: usize::MAX, limit, .. } => {
                write!(out, "too many {what}, the format holds {}", grouped(*limit))
            }
            Self::Limit { what, actual, limit, .. } => {
                write!(out, "{} {what}, the format holds {}", grouped(*actual), grouped(*limit))
            }
            Self::Memory { what, why } => write!(out, "{what} {why}"),
            Self::Empty { what, .. } => write!(out, "the scene has no {what}"),
            Self::Unsupported => out.write_str("scenes cannot be written in this format"),
            Self::Scene(error) => error.fmt(out),
            Self::Setting(error) => error.fmt(out),
            Self::Unit { unit, farthest } => {
                write!(out, "a coordinate of {farthest:e} m cannot be written in units of {unit:e} m")
            }
            Self::Program { known } if known.is_empty() => {
                out.write_str("files of this format are the same for all programs")
            }
            Self::Program { known } => write!(out, "unknown program; expected one of {known}"),
            Self::Version { known } => write!(out, "unknown version; expected one of {known}"),
        }
    }
}

impl std::error::Error for AuthorError {}

impl AuthorError {
    pub(crate) const fn empty(what: &'static str) -> Self {
        Self::Empty { what, losses: Vec::new() }
    }

    pub(crate) fn with_losses(self, losses: Vec<Loss>) -> Self {
        match self {
            Self::Empty { what, .. } => Self::Empty { what, losses },
            other => other,
        }
    }

    /// Returns what to do about it, if there is advice.
    #[must_use]
    pub const fn help(&self) -> Option<&'static str> {
        match self {
            Self::Limit { help, .. } => Some(help),
            _ => None,
        }
    }
}

/// Returns a number with its digits in groups of three.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
