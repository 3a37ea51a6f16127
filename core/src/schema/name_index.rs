//! Names of list elements, for many paths.

use std::collections::HashMap;

use super::resolve::{Selected, name_of, resolve_one};
use super::{FieldPath, NameTable, Node, Step, Value, each_item, locate};

/// Replaces names in paths by indices. The names of a list are read once, however many paths lead through it.
///
/// ```
/// use bindpose::FileKind;
/// use bindpose::schema::NameIndex;
/// let mut file = FileKind::Ms3d.blank();
/// file.append("joints")?;
/// file.set("joints[0].name", "hip")?;
/// let path = NameIndex::default().indexed(file.value(), &"joints[\"hip\"].rotation".parse()?);
/// assert_eq!(path.to_string(), "joints[0].rotation");
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct NameIndex {
    /// The path of each list without aliases, and the indices of its names; none for what is not a list.
    lists: HashMap<FieldPath, Option<NamedList>>,
}

/// The path of a list without aliases, and the indices of its names.
type NamedList = (FieldPath, NameTable);

impl NameIndex {
    /// Returns a path that selects the same with indices in place of names, as far as they are found.
    #[must_use]
    pub fn indexed(&mut self, root: &dyn Value, path: &FieldPath) -> FieldPath {
        let mut path = path.clone();
        while let Some(at) = path.steps().iter().position(|step| matches!(step, Step::Named(..))) {
            let [list, further] =
                [&path.steps()[..at], &path.steps()[at..]].map(|steps| FieldPath::from(steps.to_vec()));
            let names = self.lists.entry(list.clone()).or_insert_with(|| names(root, &list));
            let (Some((list, names)), Some((Step::Named(name, nth), further))) =
                (names, further.steps().split_first())
            else {
                break;
            };
            let Some(index) = names.find(name.as_bytes()).ok().and_then(|all| all.get(nth.saturating_sub(1)))
            else {
                break;
            };
            path = list.with(*index).join(&further.to_vec().into());
        }
        path
    }

    /// Forgets what has been read, because names or lists have changed.
    pub fn clear(&mut self) {
        self.lists.clear();
    }
}

/// Returns the path of a list without aliases, and the indices of the names in it.
fn names(root: &dyn Value, list: &FieldPath) -> Option<NamedList> {
    let [place] = &locate(root, list).ok()?[..] else { return None };
    let mut names: Option<NameTable> = None;
    let mut read = |value: &dyn Value| {
        let Node::Items(items) = value.node() else { return };
        let names = names.insert(NameTable::default());
        each_item(items, |index, item| {
            if let Some(name) = name_of(item) {
                names.push(index, name.as_bytes());
            }
        });
    };
    resolve_one(root, &place.path, &mut |_, selected| {
        if let Selected::Value(value) = selected {
            read(value);
        }
    })
    .ok()?;
    Some((place.path.clone(), names?))
}
