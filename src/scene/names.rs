//! Names in a scene, and the look-up of what they refer to.

use std::collections::HashMap;

use crate::schema::unpadded;
use crate::wire::escape;

/// Looks up indices by name: exact matches first, then ignoring case and the blanks at their end.
///
/// ```
/// use bindpose::scene::Names;
/// let names = Names::new(["hip", "Hand", "Hand"]);
/// assert_eq!(names.find("hand "), Some(1));
/// // Names need not be unique: the second of equal names matches the second.
/// assert_eq!(names.pair(["Hand", "hip", "Hand", "Hand"]), [Some(1), Some(0), Some(2), None]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Names {
    exact: HashMap<String, Vec<usize>>,
    loose: HashMap<String, Vec<usize>>,
    len: usize,
}

impl Names {
    /// Creates the lookup from names in the order of their indices.
    #[must_use]
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut all = Self::default();
        names.into_iter().for_each(|name| all.push(name));
        all
    }

    /// Adds the name of the next index.
    pub(super) fn push(&mut self, name: &str) {
        self.exact.entry(name.to_owned()).or_default().push(self.len);
        self.loose.entry(loose(name)).or_default().push(self.len);
        self.len += 1;
    }

    /// Returns the index of a name; the first one of equal names.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.all(name).first().copied()
    }

    /// Returns the index of each name. Equal names have different indices, in the same order.
    #[must_use]
    pub fn pair<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<Option<usize>> {
        let mut met = HashMap::new();
        let index = |name| {
            let nth = met.entry(name).or_insert(0);
            *nth += 1;
            self.all(name).get(*nth - 1).copied()
        };
        names.into_iter().map(index).collect()
    }

    fn all(&self, name: &str) -> &[usize] {
        self.exact.get(name).or_else(|| self.loose.get(&loose(name))).map_or(&[], Vec::as_slice)
    }

    /// Returns whether there are no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty()
    }
}

fn loose(name: &str) -> String {
    // Blanks are whole characters.
    name[..unpadded(name.as_bytes()).len()].to_lowercase()
}

/// Returns a name as text: UTF-8 unchanged, with `\xNN` for other bytes.
#[must_use]
pub fn name(bytes: &[u8]) -> String {
    str::from_utf8(bytes).map_or_else(|_| escape(bytes), str::to_owned)
}
