//! Copies the elements of an array.

use std::ops::ControlFlow::Continue;

use super::element::{Element, spelled_number};
use super::find::{Found, Lists, each};
use super::{ArrayType, Dim, contiguous};
use crate::Result;
use crate::schema::edit::nowhere;
use crate::schema::{FieldPath, FieldValue, Location, PathError, Step, Value, leaves};

/// Elements that were copied one after another.
#[derive(Default)]
pub(super) struct Copied {
    pub dims: Vec<Dim>,
    pub element: Element,
    pub bytes: Vec<u8>,
    /// Where the elements are in the file.
    pub places: Vec<Location>,
}

/// Copies the elements of an array; numbers in text are converted.
pub(super) fn copy(root: &dyn Value, found: &Found) -> Result<Copied> {
    let mut copied = Copied::default();
    if let Found::Lists(Lists { element, .. }) = found {
        copied.element = element.clone();
    }
    let mut numbers = Vec::new();
    let mut why = None;
    each(root, found, &mut |at, value| {
        if why.is_none() {
            why = copied.add(at, value, &mut numbers).err();
        }
    })?;
    if let Some((path, why)) = why {
        return Err(nowhere(&path, why));
    }
    copied.convert(&numbers);
    let len = copied.places.len();
    let shape = match found {
        Found::Lists(lists) => shape(lists, &copied.places),
        Found::Leaves(_) => None,
    };
    copied.dims = contiguous(&shape.unwrap_or_else(|| vec![len]), copied.element.size());
    Ok(copied)
}

/// Returns the number of elements in each dimension; `None` if lists differ in their lengths.
fn shape(lists: &Lists, places: &[Location]) -> Option<Vec<usize>> {
    let shape: Vec<_> = lists.dims.iter().map(|dim| dim.len).collect();
    for (nth, &position) in lists.selectors.iter().enumerate() {
        let mut groups = places.chunk_by(|a, b| a.path.steps()[..position] == b.path.steps()[..position]);
        let len = shape[nth..].iter().product();
        if !groups.all(|group| group.len() == len) {
            return None;
        }
    }
    (shape.iter().product::<usize>() == places.len()).then_some(shape)
}

impl Copied {
    /// Copies an element; its numbers in text are added to `numbers` with their place in `bytes`.
    fn add(
        &mut self,
        at: &Location,
        value: &dyn Value,
        numbers: &mut Vec<(usize, FieldValue)>,
    ) -> Result<(), (FieldPath, PathError)> {
        let mut element = Element::of(value, &at.path, at.role).map_err(|why| (at.path.clone(), why))?;
        if self.places.is_empty() {
            self.element = element;
        } else if !self.element.join(&mut element) {
            return Err((at.path.clone(), PathError::Layouts(at.path.clone())));
        }
        self.places.push(at.clone());
        let _ = leaves(value, &mut |_, leaf| {
            match spelled_number(leaf) {
                Some(number) => {
                    numbers.push((self.bytes.len(), number));
                    self.bytes.extend([0; 8]);
                }
                None => leaf.bytes(&mut self.bytes),
            }
            Continue(())
        });
        Ok(())
    }

    /// Writes numbers in text by the type that all of a field have.
    fn convert(&mut self, numbers: &[(usize, FieldValue)]) {
        for (at, number) in numbers {
            let bytes = match (self.element.kind_at(*at), number.as_i64()) {
                (Some(ArrayType::Integer), Some(number)) => number.to_le_bytes(),
                _ => number.as_f64().unwrap_or_default().to_le_bytes(),
            };
            self.bytes[*at..at + bytes.len()].copy_from_slice(&bytes);
        }
    }
}

/// Returns the offset of the first element and the distance between neighbours, if the distance is the same for all.
pub(super) fn progression(places: &[Location], element: &Element) -> Option<(u64, usize)> {
    let is_packed = |place: &Location| place.path.steps().contains(&Step::Inside);
    let is_stored = |place: &Location| place.range.end - place.range.start == element.size() as u64;
    if !element.is_stored() || !places.iter().all(|place| is_stored(place) && !is_packed(place)) {
        return None;
    }
    let start = places.first()?.range.start;
    let stride = match places.get(1) {
        Some(second) => second.range.start.checked_sub(start)?,
        None => element.size() as u64,
    };
    let is_next = |pair: &[Location]| pair[0].range.start.checked_add(stride) == Some(pair[1].range.start);
    let stride = usize::try_from(stride).ok()?;
    places.windows(2).all(is_next).then_some((start, stride))
}
