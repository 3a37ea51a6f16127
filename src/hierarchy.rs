//! Hierarchies of bones, given by the index of the parent of each: names, order, cycles, and the removal of a bone.
//!
//! Everything visits a bone a constant number of times, whatever the shape of the hierarchy, and nothing recurses.

use std::collections::HashMap;

use crate::work;

/// Returns the first index of each name.
pub(crate) fn by_name<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> HashMap<&'a [u8], usize> {
    let mut first = HashMap::new();
    for (index, name) in names.into_iter().enumerate() {
        first.entry(name).or_insert(index);
    }
    first
}

/// Returns the parents of bones that state the names of their parents: the first bone of that name. Bones without a parent
/// name, and those whose parent does not exist, are roots.
pub(crate) fn parents_by_name<'a>(
    names: impl IntoIterator<Item = &'a [u8]>,
    parent_names: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Option<usize>> {
    let first = by_name(names);
    let parent = |name: &[u8]| first.get(name).copied().filter(|_| !name.is_empty());
    parent_names.into_iter().map(parent).collect()
}

/// Returns one bone of each cycle of parents.
pub fn cycles(parents: &[Option<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    // The first walk towards the root that visited each bone.
    let mut walk_of = vec![NEW; parents.len()];
    let mut found = Vec::new();
    for start in 0..parents.len() {
        let mut bone = start;
        while walk_of[bone] == NEW {
            work::done(1);
            walk_of[bone] = start;
            match parents[bone].filter(|parent| *parent < parents.len()) {
                Some(parent) => bone = parent,
                None => break,
            }
            if walk_of[bone] == start {
                found.push(bone);
            }
        }
    }
    found
}

/// Returns a value for each bone that follows from that of its parent, such as its place in model space. `order` has
/// parents before their children; bones that are not in it have the value `none`.
pub(crate) fn inherit<T: Copy>(
    order: &[usize],
    parent: impl Fn(usize) -> Option<usize>,
    none: T,
    mut own: impl FnMut(usize, Option<T>) -> T,
) -> Vec<T> {
    work::done(order.len());
    let mut values = vec![none; order.len()];
    for &bone in order {
        values[bone] = own(bone, parent(bone).map(|parent| values[parent]));
    }
    values
}

/// A hierarchy without cycles.
#[derive(Clone, Debug)]
pub(crate) struct Hierarchy {
    parents: Vec<Option<usize>>,
    order: Vec<usize>,
    cut: Vec<usize>,
}

impl Hierarchy {
    /// Creates a hierarchy. A bone whose parent does not exist becomes a root, and so does one bone of each cycle.
    pub fn new(mut parents: Vec<Option<usize>>) -> Self {
        let len = parents.len();
        let is_missing = |bone: &usize| parents[*bone].is_some_and(|parent| parent >= len);
        let mut cut: Vec<_> = (0..len).filter(is_missing).collect();
        cut.extend(cycles(&parents));
        for bone in &cut {
            parents[*bone] = None;
        }
        let order = parents_first(&parents);
        Self { parents, order, cut }
    }

    /// Returns the parents.
    pub fn parents(&self) -> &[Option<usize>] {
        &self.parents
    }

    /// Returns the bones, parents before their children, and the bones that became roots.
    pub fn into_order(self) -> (Vec<usize>, Vec<usize>) {
        (self.order, self.cut)
    }

    /// Returns the number of bones that became roots.
    #[cfg(feature = "gltf")]
    pub fn num_cut(&self) -> usize {
        self.cut.len()
    }

    /// As [`inherit`].
    pub fn inherit<T: Copy>(&self, none: T, own: impl FnMut(usize, Option<T>) -> T) -> Vec<T> {
        inherit(&self.order, |bone| self.parents[bone], none, own)
    }
}

/// Returns for each bone whether it is a root of the [`Hierarchy`] of bones with these parents.
pub(crate) fn roots(parents: impl IntoIterator<Item = Option<usize>>) -> Vec<bool> {
    let hierarchy = Hierarchy::new(parents.into_iter().collect());
    hierarchy.parents().iter().map(Option::is_none).collect()
}

/// Returns the bones, each root with all bones below it, level by level.
fn parents_first(parents: &[Option<usize>]) -> Vec<usize> {
    let children = Children::of(parents);
    let mut order = Vec::with_capacity(parents.len());
    for root in (0..parents.len()).filter(|bone| parents[*bone].is_none()) {
        let mut next = order.len();
        order.push(root);
        while let Some(&bone) = order.get(next) {
            work::done(1);
            order.extend_from_slice(children.of_bone(bone));
            next += 1;
        }
    }
    order
}

/// The children of every bone, in one list.
struct Children {
    starts: Vec<usize>,
    children: Vec<usize>,
}

impl Children {
    fn of(parents: &[Option<usize>]) -> Self {
        let mut starts = vec![0; parents.len() + 1];
        for parent in parents.iter().flatten() {
            starts[parent + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut children = vec![0; starts[parents.len()]];
        for (child, parent) in parents.iter().enumerate().filter_map(|(child, own)| Some((child, (*own)?))) {
            children[next[parent]] = child;
            next[parent] += 1;
        }
        Self { starts, children }
    }

    fn of_bone(&self, bone: usize) -> &[usize] {
        &self.children[self.starts[bone]..self.starts[bone + 1]]
    }
}

/// A hierarchy without one of its bones. The bone's parent takes its place; for a root, its first child.
#[derive(Clone, Debug)]
pub(crate) struct Removal {
    /// The index of the bone.
    pub bone: usize,
    /// The bone that takes its weights, by its index before the removal.
    pub heir: Option<usize>,
    /// Its children, in ascending order.
    pub children: Vec<usize>,
    is_root: bool,
}

impl Removal {
    /// Plans the removal from bones with these parents.
    pub fn of(parents: &[Option<usize>], bone: usize) -> Self {
        work::done(parents.len());
        let children: Vec<_> =
            (0..parents.len()).filter(|child| *child != bone && parents[*child] == Some(bone)).collect();
        let parent = parents[bone].filter(|parent| *parent != bone);
        let heir = parent.or_else(|| children.first().copied());
        Self { bone, heir, children, is_root: parent.is_none() }
    }

    /// Returns whether a bone is a child of the removed one.
    pub fn is_child(&self, bone: usize) -> bool {
        self.children.binary_search(&bone).is_ok()
    }

    /// Returns the child that takes the place of a root.
    pub fn successor(&self) -> Option<usize> {
        self.heir.filter(|heir| self.is_child(*heir))
    }

    /// Returns the index after the removal; that of the heir for the bone itself.
    pub fn index(&self, old: usize) -> Option<usize> {
        let old = if old == self.bone { self.heir? } else { old };
        Some(old - usize::from(old > self.bone))
    }

    /// Returns the new parent of a child by its index before the removal.
    pub fn parent(&self, child: usize) -> Option<usize> {
        self.heir.filter(|heir| *heir != child)
    }

    /// Returns the bone whose place and motion a child inherits.
    pub fn source(&self, child: usize) -> usize {
        self.heir.filter(|heir| self.is_root && *heir != child).unwrap_or(self.bone)
    }
}
