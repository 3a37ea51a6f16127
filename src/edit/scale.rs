//! Scales files.

use super::unsupported;
use crate::schema::{self, EditError};
use crate::{Budget, Error, ErrorKind, File, Result};

/// Multiplies all lengths of a file by a factor: positions, translations of bones and keys, inverse bind poses, morph targets,
/// bounds and trees. Rotations, normals, times and the scale of bones stay as they are.
///
/// The scene of the result is the scaled scene of the original, up to the rounding of each number. A number that is only partly
/// present in a truncated file stays as it is: see [`schema::partial`]. After an error the file is unchanged. Lists that the edit
/// needs, such as the new numbers of a text, are charged to the budget; a copy of the file is not.
///
/// # Errors
/// [`EditError::Unsupported`](crate::schema::EditError::Unsupported) if the factor is not a positive number, and for
/// contents that cannot follow: compressed animation sets and progressive meshes of `.x` files, and packed tracks of Cal3D where the
/// version has no others and the format cannot represent the result. [`ErrorKind::Limit`](crate::ErrorKind::Limit) for what exceeds
/// the budget.
pub fn scale(file: &mut File, factor: f32, budget: &Budget) -> Result<()> {
    if !(factor > 0.0 && factor.is_finite()) {
        return Err(unsupported("the factor must be a positive number"));
    }
    let mut edited = file.clone();
    (file.family().scale)(&mut edited, factor, budget)?;
    keep_partial(&mut edited, file, false)?;
    *file = edited;
    Ok(())
}

/// Gives the value that a truncated file ends in its former bytes: those that are missing decide about the edited ones.
///
/// # Errors
/// [`EditError::Damaged`] if the edit stores values in another form.
pub(super) fn keep_partial(edited: &mut File, original: &File, is_whole: bool) -> Result<()> {
    let Some(truncation) = schema::truncation(original.value()) else { return Ok(()) };
    if edited.value().size() != original.value().size() {
        return Err(Error::new(0, ErrorKind::Value(EditError::Damaged)).at(truncation.end().clone()));
    }
    let partial = schema::partial(original.value(), is_whole);
    partial.map_or(Ok(()), |path| schema::restore(edited.value_mut(), original.value(), &path))
}

/// Multiplies the lengths that the definition of a format states.
pub(crate) fn scale_lengths(file: &mut File, factor: f32, _: &Budget) -> Result<()> {
    schema::scale(file.value_mut(), factor)
}

/// Multiplies each number.
pub(crate) fn times<'a>(numbers: impl IntoIterator<Item = &'a mut f32>, factor: f32) {
    numbers.into_iter().for_each(|number| *number *= factor);
}
