//! Scaling of files.

use crate::edit::{Rigid, unsupported};
use crate::{File, Result};

/// Refuses `.x` files: their numbers are tokens, which cannot be replaced in large numbers.
pub(in crate::formats) fn scale(file: &mut File, _factor: f32) -> Result<()> {
    match file {
        File::X(_) => Err(unsupported(".x files cannot be scaled")),
        _ => Ok(()),
    }
}

/// Refuses to rotate and move files.
pub(in crate::formats) fn refuse_transform(files: &mut [File], _motion: Rigid) -> Result<()> {
    let is_own = |file: &File| matches!(file, File::X(_));
    if files.iter().any(is_own) { Err(unsupported(".x files cannot be rotated or moved")) } else { Ok(()) }
}
