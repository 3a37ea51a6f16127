//! Names as they are looked up: exactly, or else without the blanks that fill their fields.

use std::collections::{BTreeMap, HashMap};

/// Returns a name without the blanks at its end. ActorX fills the fields of bone names with them.
///
/// ```
/// assert_eq!(bindpose::schema::unpadded(b"Bip01 Spine   "), b"Bip01 Spine");
/// ```
#[must_use]
pub fn unpadded(name: &[u8]) -> &[u8] {
    let len = name.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    &name[..len]
}

/// Returns a new name with the padding of the present one: if that ends with blanks, blanks up to the same length.
///
/// ```
/// use bindpose::schema::padded_like;
/// assert_eq!(padded_like(b"hips", b"Bone01    "), b"hips      ");
/// assert_eq!(padded_like(b"hips", b"Bone01"), b"hips");
/// assert_eq!(padded_like(b"left shoulder", b"Bone01    "), b"left shoulder");
/// ```
#[must_use]
pub fn padded_like(new: &[u8], present: &[u8]) -> Vec<u8> {
    let mut padded = unpadded(new).to_vec();
    if unpadded(present).len() < present.len() {
        padded.resize(padded.len().max(present.len()), b' ');
    }
    padded
}

/// Positions by name. A name finds those of equal names, or else those of names that differ only in the blanks at their end.
///
/// ```
/// use bindpose::schema::NameTable;
/// let table = NameTable::new(["hip", "Bone01   ", "hip", "hip "]);
/// assert_eq!(table.find(b"hip"), Ok(&[0, 2][..]));
/// assert_eq!(table.find(b"Bone01"), Ok(&[1][..]));
/// assert_eq!(table.find(b"spine"), Ok(&[][..]));
/// assert!(table.find(b"hip   ").is_err(), "`hip` or `hip `");
/// ```
#[derive(Clone, Debug, Default)]
pub struct NameTable {
    /// By name without padding: the positions of each name.
    names: HashMap<Vec<u8>, BTreeMap<Vec<u8>, Vec<usize>>>,
}

/// A name that is not that of any object but could be one of several, which differ in the blanks at their end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ambiguous {
    /// The first two names.
    pub names: [Vec<u8>; 2],
}

impl NameTable {
    /// Creates a table of names at the positions 0, 1, 2.
    #[must_use]
    pub fn new<N: AsRef<[u8]>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::at(names.into_iter().enumerate())
    }

    /// Creates a table of names, each with its position.
    #[must_use]
    pub fn at<N: AsRef<[u8]>>(names: impl IntoIterator<Item = (usize, N)>) -> Self {
        let mut table = Self::default();
        names.into_iter().for_each(|(position, name)| table.push(position, name.as_ref()));
        table
    }

    /// Adds the position of a name.
    pub fn push(&mut self, position: usize, name: &[u8]) {
        let same = self.names.entry(unpadded(name).to_vec()).or_default();
        same.entry(name.to_vec()).or_default().push(position);
    }

    /// Returns the positions of a name, in the order in which they were added; none if it is unknown. A name that consists of
    /// blanks only is found exactly.
    ///
    /// # Errors
    /// If no name is equal, and those that differ only in the blanks at their end differ from each other.
    pub fn find(&self, name: &[u8]) -> Result<&[usize], Ambiguous> {
        let core = unpadded(name);
        let Some(same) = self.names.get(core) else { return Ok(&[]) };
        if let Some(exact) = same.get(name) {
            return Ok(exact);
        }
        let mut padded = same.iter().filter(|_| !core.is_empty());
        match (padded.next(), padded.next()) {
            (Some((a, _)), Some((b, _))) => Err(Ambiguous { names: [a.clone(), b.clone()] }),
            (found, _) => Ok(found.map_or(&[], |(_, positions)| positions)),
        }
    }
}
