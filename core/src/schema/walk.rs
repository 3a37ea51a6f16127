//! Walks through a value, leaf by leaf, in the order of the file.

use std::ops::ControlFlow::{self, Break, Continue};

use super::{ElementAt, FieldInfo, FieldPath, Items, Leaf, Node, Record, Role, Step, Value, find_of_all};

/// The current place of a walk.
#[derive(Clone, Debug)]
pub struct Place {
    /// The path from the root.
    pub path: FieldPath,
    /// The first byte.
    pub offset: u64,
    /// The field that this value is, or is part of; none at the root.
    pub field: Option<&'static FieldInfo>,
    /// The role of the nearest enclosing field that is not free.
    pub role: Role,
}

/// Receives the parts of a value in the order of the file.
pub trait Visitor {
    /// Visits a leaf. Its bytes are `place.offset .. place.offset + leaf.size()`.
    ///
    /// # Errors
    /// Break to end the walk.
    fn leaf(&mut self, place: &Place, leaf: &dyn Leaf) -> ControlFlow<()>;

    /// Visits a value before its parts; `Continue(false)` skips them.
    ///
    /// # Errors
    /// Break to end the walk.
    fn enter(&mut self, _place: &Place, _value: &dyn Value, _node: &Node<'_>) -> ControlFlow<(), bool> {
        Continue(true)
    }
}

/// Walks through a value, and returns its length on disk.
///
/// The depth of the recursion depends on the types and never on the input.
///
/// # Errors
/// Breaks when the visitor does.
pub fn walk(value: &dyn Value, visitor: &mut dyn Visitor) -> ControlFlow<(), u64> {
    walk_all::<false>(value, 0, visitor)
}

/// Walks through the parts of a value that end after an offset.
///
/// Lists are entered near the right element, so the time depends only on what is visited: see [`Items::seek`].
///
/// # Errors
/// Breaks when the visitor does.
pub fn walk_from(value: &dyn Value, offset: u64, visitor: &mut dyn Visitor) -> ControlFlow<(), u64> {
    walk_all::<true>(value, offset, visitor)
}

/// Walks through a value. `SKIPS` if parts end before `from`: other walks need not compare offsets.
fn walk_all<const SKIPS: bool>(
    value: &dyn Value,
    from: u64,
    visitor: &mut dyn Visitor,
) -> ControlFlow<(), u64> {
    let mut place = Place { path: FieldPath::root(), offset: 0, field: None, role: Role::Free };
    step::<SKIPS>(value, from, &mut place, visitor)?;
    Continue(place.offset)
}

#[inline]
fn step<const SKIPS: bool>(
    value: &dyn Value,
    from: u64,
    place: &mut Place,
    visitor: &mut dyn Visitor,
) -> ControlFlow<()> {
    if SKIPS && place.offset < from {
        let end = place.offset + value.size();
        if end <= from {
            place.offset = end;
            return Continue(());
        }
    }
    match value.node() {
        Node::Leaf(leaf) => {
            visitor.leaf(place, leaf)?;
            place.offset += leaf.size();
            Continue(())
        }
        node => parts::<SKIPS>(value, node, from, place, visitor),
    }
}

#[inline(never)]
fn parts<const SKIPS: bool>(
    value: &dyn Value,
    node: Node<'_>,
    from: u64,
    place: &mut Place,
    visitor: &mut dyn Visitor,
) -> ControlFlow<()> {
    if !visitor.enter(place, value, &node)? {
        place.offset += value.size();
        return Continue(());
    }
    match node {
        // One step is pushed for all parts and renamed for each: dropping a step costs time, and walks are long.
        Node::Record(record) => {
            let outer = (place.field, place.role);
            place.path.push(Step::Field("".into()));
            record.fields(&mut |field, value| {
                place.path.rename(field.name);
                place.field = Some(field);
                place.role = if field.role == Role::Free { outer.1 } else { field.role };
                step::<SKIPS>(value, from, place, visitor)
            })?;
            place.path.pop();
            (place.field, place.role) = outer;
            Continue(())
        }
        Node::Items(items) => {
            place.path.push(Step::Index(0));
            let (first, start) = if SKIPS { seek(from, items, place) } else { (0, 0) };
            items.each_at(first, start, &mut |index, item| {
                place.path.renumber(index);
                step::<SKIPS>(item, from, place, visitor)
            })?;
            place.path.pop();
            Continue(())
        }
        Node::Leaf(_) | Node::Absent | Node::Broken(_) => Continue(()),
    }
}

/// Returns the index and the offset in the list of an element at or before an offset, and moves the place to it.
fn seek(to: u64, items: &dyn Items, place: &mut Place) -> (usize, usize) {
    let byte = usize::try_from(to.saturating_sub(place.offset)).unwrap_or(usize::MAX);
    let (index, start) = if byte == 0 { (0, 0) } else { items.seek(ElementAt::Byte(byte)) };
    place.offset += start as u64;
    (index, start)
}

/// Visits the leaves only.
struct Leaves<'a>(&'a mut dyn FnMut(&Place, &dyn Leaf) -> ControlFlow<()>);

impl Visitor for Leaves<'_> {
    fn leaf(&mut self, place: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
        (self.0)(place, leaf)
    }
}

/// Walks through the leaves only.
///
/// # Errors
/// Breaks when the visitor does.
pub fn leaves(
    value: &dyn Value,
    visit: &mut dyn FnMut(&Place, &dyn Leaf) -> ControlFlow<()>,
) -> ControlFlow<(), u64> {
    walk(value, &mut Leaves(visit))
}

/// Walks through the leaves that end after an offset: see [`walk_from`].
///
/// # Errors
/// Breaks when the visitor does.
pub fn leaves_from(
    value: &dyn Value,
    offset: u64,
    visit: &mut dyn FnMut(&Place, &dyn Leaf) -> ControlFlow<()>,
) -> ControlFlow<(), u64> {
    walk_from(value, offset, &mut Leaves(visit))
}

/// Returns the bytes of a value by itself, such as unpacked content.
#[must_use]
pub fn bytes_of(value: &dyn Value) -> Vec<u8> {
    /// Collects leaves, and lists that are encoded at once.
    struct Bytes(Vec<u8>);
    impl Visitor for Bytes {
        fn leaf(&mut self, _: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
            leaf.bytes(&mut self.0);
            Continue(())
        }
        fn enter(&mut self, _: &Place, _: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
            let Node::Items(items) = node else { return Continue(true) };
            match items.text() {
                Some(text) => self.0.extend_from_slice(text),
                None if items.is_section() => items.bytes(0..items.len(), &mut self.0),
                None => return Continue(true),
            }
            Continue(false)
        }
    }
    let mut bytes = Bytes(Vec::with_capacity(usize::try_from(value.size()).unwrap_or(0)));
    let _ = walk(value, &mut bytes);
    bytes.0
}

/// Walks through a value without entering lists of [plain](super::Schema::PLAIN) records.
///
/// The time depends on the number of sections, not of leaves; lists of records of variable size are measured.
///
/// # Errors
/// Breaks when the visitor does.
pub fn sections(value: &dyn Value, visitor: &mut dyn Visitor) -> ControlFlow<(), u64> {
    struct Sections<'a>(&'a mut dyn Visitor);
    impl Visitor for Sections<'_> {
        fn leaf(&mut self, place: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
            self.0.leaf(place, leaf)
        }
        fn enter(&mut self, place: &Place, value: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
            let further = self.0.enter(place, value, node)?;
            Continue(further && !matches!(node, Node::Items(items) if items.is_plain()))
        }
    }
    walk(value, &mut Sections(visitor))
}

/// Shows the leaf that contains a byte of the file, and returns whether there is one.
///
/// Lists are entered near the right element: see [`Items::seek`].
pub fn leaf_at(value: &dyn Value, offset: u64, show: &mut dyn FnMut(&Place, &dyn Leaf)) -> bool {
    let mut found = false;
    let _ = leaves_from(value, offset, &mut |place, leaf| {
        // Leaves without bytes can precede it.
        if leaf.size() == 0 {
            return Continue(());
        }
        found = true;
        show(place, leaf);
        Break(())
    });
    found
}

/// Returns the offset of a field from the start of its record.
#[must_use]
pub fn offset_of(record: &dyn Record, name: &str) -> u64 {
    let mut offset = 0;
    find_of_all(record, |field, value| {
        offset += if field.name == name { 0 } else { value.size() };
        (field.name == name).then_some(())
    });
    offset
}
