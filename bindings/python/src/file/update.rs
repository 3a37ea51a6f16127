//! Assignments of many values.

use std::collections::HashSet;

use bindpose::schema::{self, FieldValue, Role};
use bindpose::{FieldPath, File, Result};

/// Sets leaves as `schema::set` does one after the other. Values that have a spelling with the same effect are set in one pass.
pub fn set_leaves(file: &mut File, leaves: &[(FieldPath, FieldValue)]) -> Result<()> {
    let known = known(file, leaves);
    let is_text = is_text(file);
    let (mut spelled, mut others) = (Vec::new(), Vec::new());
    for (index, (path, value)) in leaves.iter().enumerate() {
        match known.as_ref().map(|known| &known[index]) {
            Some(Some(own)) if own == value => {}
            Some(Some(own)) => match spelling(own, value, is_text) {
                Some(text) => spelled.push((path.clone(), text)),
                None => others.push((path, value)),
            },
            _ => others.push((path, value)),
        }
    }
    for (path, value) in others {
        schema::set(file.value_mut(), path, value)?;
    }
    schema::set_each(file.value_mut(), &spelled, false)
}

/// Returns the values of leaves that can be set by themselves; `None` if they are to be set in their order.
fn known(file: &File, leaves: &[(FieldPath, FieldValue)]) -> Option<Vec<Option<FieldValue>>> {
    let paths: Vec<_> = leaves.iter().map(|(path, _)| path.clone()).collect();
    let (mut canonical, mut seen) = (Vec::new(), HashSet::new());
    for found in schema::locate_many(file.value(), &paths) {
        let [place] = <[_; 1]>::try_from(found.ok()?).ok()?;
        if !seen.insert(place.path.clone()) {
            // The last one counts.
            return None;
        }
        canonical.push((place.path, place.role == Role::Free));
    }
    let paths: Vec<_> = canonical.iter().map(|(path, _)| path.clone()).collect();
    let values = schema::get_each(file.value(), &paths).ok()?.into_iter().zip(canonical);
    let only = |(values, (path, is_free)): (Vec<(FieldPath, FieldValue)>, (FieldPath, bool))| {
        let [(own, value)] = <[_; 1]>::try_from(values).ok()?;
        (is_free && own == path).then_some(value)
    };
    Some(values.map(only).collect())
}

/// Returns whether numbers are words of a text.
fn is_text(file: &File) -> bool {
    matches!(file.form(), Some("txt" | "tzip" | "xml"))
}

/// Returns the text that sets a leaf with a value to another one; `None` if it is not certain.
fn spelling(own: &FieldValue, new: &FieldValue, is_text: bool) -> Option<String> {
    use FieldValue::{F32, F64, Int, Text};
    match (own, new) {
        (Int(_), Int(_)) | (F64(_), Int(_) | F64(_)) | (Text(_), Text(_)) => Some(new.to_string()),
        (Int(_) | F64(_), F32(_) | F64(_)) if is_text => Some(new.to_string()),
        (F32(_), F32(_) | F64(_) | Int(_)) => {
            let number = new.as_f64()?;
            #[expect(clippy::cast_possible_truncation, reason = "rounding to the precision of the field")]
            let rounded = if let F32(own) = new { *own } else { number as f32 };
            (rounded.is_finite() || !number.is_finite()).then(|| F32(rounded).to_string())
        }
        _ => None,
    }
}
