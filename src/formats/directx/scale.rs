//! Scaling of files.

use crate::edit::unsupported;
use crate::{File, Result};

/// Refuses `.x` files: their numbers are tokens, which cannot be replaced in large numbers.
pub(in crate::formats) fn scale(file: &mut File, _factor: f32) -> Result<()> {
    match file {
        File::X(_) => Err(unsupported(".x files cannot be scaled")),
        _ => Ok(()),
    }
}
