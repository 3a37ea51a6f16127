//! Gives indices the new places of their objects.

use std::collections::HashMap;

use super::pass::{Change, Meaning, Spot, change_all};
use super::reference::List;
use super::{EditError, FieldValue, IndexOf, Leaf, Objects, Value};
use crate::Result;

/// Where the objects of a file are in the file to which they are appended. The indices of the kinds that it states follow; an index
/// without an object has none there either.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::ms3d::{Ms3d, Triangle, Vertex};
/// use bindpose::schema::Moves;
/// let mut file = Ms3d::blank_file();
/// file.vertices.extend(vec![Vertex::default(); 3]);
/// file.triangles.push(Triangle { vertex_indices: [0, 1, 2], ..Triangle::default() });
/// Moves::new().appended("vertex", 10).apply(&mut file)?;
/// assert_eq!(file.triangles[0].vertex_indices, [10, 11, 12]);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Moves {
    by_kind: HashMap<&'static str, Places>,
}

#[derive(Clone, Debug)]
enum Places {
    /// After this number of others.
    After(usize),
    /// Before this number of others.
    Before(usize),
    /// The place of each, and the number of objects afterwards.
    Each(Vec<usize>, usize),
}

impl Moves {
    /// Creates moves of no objects.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends the objects of a kind to this number of others.
    #[must_use]
    pub fn appended(mut self, kind: &'static str, others: usize) -> Self {
        self.by_kind.insert(kind, Places::After(others));
        self
    }

    /// Appends this number of other objects of a kind, so that indices without an object do not get one.
    #[must_use]
    pub fn followed(mut self, kind: &'static str, others: usize) -> Self {
        self.by_kind.insert(kind, Places::Before(others));
        self
    }

    /// Gives each object of a kind a place among `len` objects; the objects can be in another file.
    #[must_use]
    pub fn placed(mut self, kind: &'static str, places: impl Into<Vec<usize>>, len: usize) -> Self {
        self.by_kind.insert(kind, Places::Each(places.into(), len));
        self
    }

    /// Changes the indices in a file, also those in packed content.
    ///
    /// # Errors
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) for an index that the field cannot store, or that it would store as the value
    /// for no object. Some values may have changed by then: work on a copy where that matters.
    pub fn apply(&self, root: &mut dyn Value) -> Result<()> {
        let lists = Objects::of(root);
        renumber(root, &lists, self)
    }
}

/// The new values of indices.
pub(super) trait Renumber {
    /// Returns whether indices of a kind change.
    fn wants(&self, kind: &'static str) -> bool;

    /// Returns the new value of an index into a list, if it has another one.
    fn index(&self, own: IndexOf, list: Option<&List>, index: usize) -> Result<Option<i128>, EditError>;

    /// Returns the number of objects afterwards.
    fn len(&self, own: IndexOf, list: &List) -> usize;
}

impl Renumber for Moves {
    fn wants(&self, kind: &'static str) -> bool {
        self.by_kind.contains_key(kind)
    }

    fn index(&self, own: IndexOf, list: Option<&List>, index: usize) -> Result<Option<i128>, EditError> {
        let is_there = list.is_none_or(|list| index < list.len);
        let place = match self.by_kind.get(own.entity) {
            Some(Places::After(others)) => Some(index + others).filter(|_| is_there),
            Some(Places::Before(_)) => Some(index).filter(|_| is_there),
            Some(Places::Each(places, _)) => places.get(index).copied().filter(|_| is_there),
            None => return Ok(None),
        };
        let len = list.map_or(0, |list| self.len(own, list));
        let new = match place {
            Some(place) => place as i128,
            None if index >= len => return Ok(None),
            None => len as i128,
        };
        if own.none.map(i128::from) == Some(new) {
            return Err(EditError::Invalid(format!("{new} refers to no object")));
        }
        Ok(Some(new))
    }

    fn len(&self, own: IndexOf, list: &List) -> usize {
        match self.by_kind.get(own.entity) {
            Some(Places::After(others) | Places::Before(others)) => others + list.len,
            Some(Places::Each(_, len)) => *len,
            None => list.len,
        }
    }
}

/// Changes the indices in a file with these lists.
pub(super) fn renumber(root: &mut dyn Value, lists: &Objects, new: &dyn Renumber) -> Result<()> {
    change_all(root, &mut Renumbering { lists, new })
}

struct Renumbering<'a> {
    lists: &'a Objects,
    new: &'a dyn Renumber,
}

impl Renumbering<'_> {
    fn list(&self, spot: &Spot, own: IndexOf) -> Option<&List> {
        self.lists.list(own.entity, spot.scopes())
    }

    /// Returns the new value of an index that is not the value for no object.
    fn index(&self, own: IndexOf, list: Option<&List>, index: i128) -> Result<Option<i128>, EditError> {
        match usize::try_from(index) {
            Ok(at) if own.none.map(i128::from) != Some(index) => self.new.index(own, list, at),
            _ => Ok(None),
        }
    }
}

impl Change for Renumbering<'_> {
    fn wants(&self, own: Meaning) -> bool {
        own.index.is_some_and(|index| self.new.wants(index.entity))
    }

    fn number(&mut self, spot: &Spot, own: Meaning, leaf: &mut dyn Leaf) -> Result<(), EditError> {
        let (Some(own), FieldValue::Int(index)) = (own.index, leaf.field_value()) else { return Ok(()) };
        let new = self.index(own, self.list(spot, own), index)?;
        new.map_or(Ok(()), |new| leaf.assign_value(&FieldValue::Int(new)))
    }

    /// A list of at most 65,536 objects has no upper halves.
    fn halves(
        &mut self,
        spot: &Spot,
        own: IndexOf,
        [low, high]: [i128; 2],
    ) -> Result<Option<[i128; 2]>, EditError> {
        let Some(list) = self.list(spot, own) else { return Ok(None) };
        let has_upper = |len: usize| len > 1 << 16;
        let index = if has_upper(list.len) { high << 16 | low } else { low };
        let new = self.index(own, Some(list), index)?.unwrap_or(index);
        let is_whole = has_upper(list.len) || has_upper(self.new.len(own, list));
        Ok(Some([new & 0xffff, if is_whole { new >> 16 } else { high }]))
    }
}
