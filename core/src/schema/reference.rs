//! References by index: what they point at, as the definition states it.

use std::collections::HashMap;
use std::ops::ControlFlow::{self, Continue};

use super::{FieldPath, FieldValue, Identity, IndexOf, Leaf, Node, Place, Step, Value, Visitor, walk};

/// A value that refers to an object of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The value.
    pub path: FieldPath,
    /// The kind of the object: `bone`.
    pub entity: &'static str,
    /// The object.
    pub target: Target,
}

/// What a reference refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The object at this path.
    Object(FieldPath),
    /// No object, by a value for none.
    Nothing,
    /// An object that is not there, by this index or name.
    Missing(FieldValue),
    /// An object of another file: this one has no list of the kind.
    Elsewhere,
}

impl Target {
    /// Returns the path of the object, if it is in the file.
    #[must_use]
    pub const fn object(&self) -> Option<&FieldPath> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// Returns the word for it in reports: `object`, `none`, `missing` or `elsewhere`.
    #[must_use]
    pub const fn status(&self) -> &'static str {
        match self {
            Self::Object(_) => "object",
            Self::Nothing => "none",
            Self::Missing(_) => "missing",
            Self::Elsewhere => "elsewhere",
        }
    }
}

/// Visits a reference.
pub type VisitReference<'a> = dyn FnMut(Reference) -> ControlFlow<()> + 'a;

/// The lists of objects that the values of a file refer to by index.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::ms3d::{Joint, Ms3d, Vertex};
/// use bindpose::schema::{Objects, Target};
/// use std::ops::ControlFlow::Continue;
/// let mut file = Ms3d::blank_file();
/// file.joints.push(Joint::default());
/// file.vertices.push(Vertex { bone_id: 0, ..Vertex::default() });
/// let mut targets = Vec::new();
/// let _ = Objects::of(&file).references(&file, &mut |reference| {
///     targets.push((reference.path.to_string(), reference.target));
///     Continue(())
/// });
/// assert_eq!(targets, [("vertices[0].bone_id".to_owned(), Target::Object("joints[0]".parse()?))]);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Objects {
    /// By kind and by the path of the record that has objects of its own: the list.
    lists: HashMap<(&'static str, FieldPath), List>,
}

#[derive(Clone, Debug)]
pub(super) struct List {
    pub path: FieldPath,
    pub len: usize,
}

impl Objects {
    /// Finds the lists of objects in a file.
    #[must_use]
    pub fn of(root: &dyn Value) -> Self {
        let mut found = Finder::default();
        let _ = walk(root, &mut found);
        found.objects
    }

    /// Visits the references by index in the order of the file, those in packed content before the values beside it.
    ///
    /// # Errors
    /// Breaks when `visit` does.
    pub fn references(&self, root: &dyn Value, visit: &mut VisitReference<'_>) -> ControlFlow<()> {
        self.indices(root, &mut |path, own, target| visit(Reference { path, entity: own.entity, target }))
    }

    /// As [`references`](Self::references), with what the definition states.
    pub(super) fn indices(&self, root: &dyn Value, visit: &mut VisitIndex<'_>) -> ControlFlow<()> {
        let mut references = References { targets: Targets::new(self), visit };
        walk(root, &mut references).map_continue(|_| ())
    }

    /// Returns the list that an index selects from: that of the innermost record which has such objects.
    pub(super) fn list(
        &self,
        entity: &'static str,
        mut scopes: impl Iterator<Item = FieldPath>,
    ) -> Option<&List> {
        scopes.find_map(|scope| self.lists.get(&(entity, scope)))
    }

    /// Returns the kinds of objects in some of the lists.
    pub(super) fn kinds(&self, is_in: impl Fn(&List) -> bool) -> impl Iterator<Item = &'static str> {
        self.lists.iter().filter(move |(_, list)| is_in(list)).map(|((kind, _), _)| *kind)
    }

    fn add(&mut self, entity: &'static str, path: FieldPath, len: usize, position: &Position) {
        let scope = position.scopes(&path).next().unwrap_or_default();
        let list = self.lists.entry((entity, scope)).or_insert_with(|| List { path: path.clone(), len });
        if list.len == 0 {
            *list = List { path, len };
        }
    }
}

/// Where a walk is: the path, and the records around it.
#[derive(Default)]
struct Position {
    /// The packed value whose content is walked through.
    base: FieldPath,
    /// The outermost first.
    records: Vec<Around>,
}

struct Around {
    depth: usize,
    is_scope: bool,
    /// The reference that the field with this record states for its indices.
    index: Option<IndexOf>,
}

impl Position {
    fn path(&self, place: &Place) -> FieldPath {
        self.base.join(&place.path)
    }

    fn enter(&mut self, place: &Place, node: &Node<'_>) {
        let depth = self.leave(place);
        if let Node::Record(record) = node {
            let index = place.field.and_then(|field| field.identity).and_then(Identity::index_of);
            self.records.push(Around { depth, is_scope: record.is_scope(), index });
        }
    }

    /// Drops the records that do not contain a place, and returns the depth of the place.
    fn leave(&mut self, place: &Place) -> usize {
        let depth = self.base.steps().len() + place.path.steps().len();
        while self.records.last().is_some_and(|record| record.depth >= depth) {
            self.records.pop();
        }
        depth
    }

    /// Returns the paths of the records that have objects of their own, the innermost first, and that of the file.
    fn scopes(&self, path: &FieldPath) -> impl Iterator<Item = FieldPath> {
        let own = self.records.iter().rev().filter(|record| record.is_scope && record.depth > 0);
        own.map(|record| path.prefix(record.depth)).chain([FieldPath::root()])
    }
}

/// A visitor that walks through the content of packed values, too.
trait Unpacking: Visitor + Sized {
    fn position(&mut self) -> &mut Position;

    fn enter_all(&mut self, place: &Place, node: &Node<'_>) -> ControlFlow<()> {
        self.position().enter(place, node);
        let Node::Record(record) = node else { return Continue(()) };
        record.fields(&mut |field, value| {
            let Some(content) = value.inside() else { return Continue(()) };
            let base = self.position().path(place).with(field.name).with(Step::Inside);
            let outer = std::mem::replace(&mut self.position().base, base);
            let walked = walk(content, self);
            self.position().base = outer;
            walked.map_continue(|_| ())
        })
    }
}

#[derive(Default)]
struct Finder {
    objects: Objects,
    position: Position,
}

impl Unpacking for Finder {
    fn position(&mut self) -> &mut Position {
        &mut self.position
    }
}

impl Visitor for Finder {
    fn leaf(&mut self, _: &Place, _: &dyn Leaf) -> ControlFlow<()> {
        Continue(())
    }

    fn enter(&mut self, place: &Place, value: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
        self.enter_all(place, node)?;
        let Node::Items(items) = node else { return Continue(true) };
        let is_field = matches!(place.path.steps().last(), Some(Step::Field(_)));
        let own = place.field.filter(|_| is_field).and_then(|field| field.axis);
        if let Some(entity) = value.choice().and_then(|choice| choice.axis).or(own) {
            self.objects.add(entity, self.position.path(place), items.len(), &self.position);
        }
        // Lists of numbers contain no objects.
        Continue(!matches!(items.item(0).map(Value::node), Some(Node::Leaf(_))))
    }
}

/// Visits an index: its path, what the definition states of it, and what it refers to.
pub(super) type VisitIndex<'a> = dyn FnMut(FieldPath, IndexOf, Target) -> ControlFlow<()> + 'a;

/// Finds what indices refer to during a walk, which passes on the values that it enters and the leaves that it visits.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::ms3d::{Joint, Ms3d, Vertex};
/// use bindpose::schema::{Leaf, Node, Objects, Place, Target, Targets, Value, Visitor, walk};
/// use std::ops::ControlFlow::{self, Continue};
/// struct Print<'a>(Targets<'a>, Vec<String>);
/// impl Visitor for Print<'_> {
///     fn leaf(&mut self, place: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
///         if let Some((path, _, Target::Object(object))) = self.0.of(place, leaf) {
///             self.1.push(format!("{path} -> {object}"));
///         }
///         Continue(())
///     }
///     fn enter(&mut self, place: &Place, _: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
///         self.0.enter(place, node);
///         Continue(true)
///     }
/// }
/// let mut file = Ms3d::blank_file();
/// file.joints.push(Joint::default());
/// file.vertices.push(Vertex { bone_id: 0, ..Vertex::default() });
/// let objects = Objects::of(&file);
/// let mut print = Print(Targets::new(&objects), Vec::new());
/// let _ = walk(&file, &mut print);
/// assert_eq!(print.1, ["vertices[0].bone_id -> joints[0]"]);
/// ```
pub struct Targets<'a> {
    objects: &'a Objects,
    position: Position,
    /// The lower half of an index, and its path.
    lower: Option<(FieldPath, IndexOf, i128)>,
}

impl std::fmt::Debug for Targets<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Targets").finish_non_exhaustive()
    }
}

impl<'a> Targets<'a> {
    /// Prepares for a walk through the value that the objects are of.
    #[must_use]
    pub fn new(objects: &'a Objects) -> Self {
        Self { objects, position: Position::default(), lower: None }
    }

    /// Notes a value that the walk enters.
    pub fn enter(&mut self, place: &Place, node: &Node<'_>) {
        self.position.enter(place, node);
    }

    /// Returns what a leaf refers to, with its path and what the definition states. The leaf with the upper half of an index stands
    /// for the index; its path is that of the lower half.
    pub fn of(&mut self, place: &Place, leaf: &dyn Leaf) -> Option<(FieldPath, IndexOf, Target)> {
        let field = place.field?;
        if let Some((path, own, low)) = self.lower.take_if(|(_, own, _)| own.upper == Some(field.name))
            && let FieldValue::Int(high) = leaf.field_value()
        {
            return Some(self.found(path, own, high << 16 | low));
        }
        let own = field.identity.and_then(|identity| self.index_of(identity))?;
        let FieldValue::Int(index) = leaf.field_value() else { return None };
        self.position.leave(place);
        let path = self.position.path(place);
        let many = |list: &List| list.len > 1 << 16;
        if own.upper.is_some() && self.objects.list(own.entity, self.position.scopes(&path)).is_some_and(many)
        {
            self.lower = Some((path, own, index));
            return None;
        }
        Some(self.found(path, own, index))
    }

    fn found(&self, path: FieldPath, own: IndexOf, index: i128) -> (FieldPath, IndexOf, Target) {
        let list = self.objects.list(own.entity, self.position.scopes(&path));
        let target = match (list, usize::try_from(index)) {
            _ if own.none.is_some_and(|none| i128::from(none) == index) => Target::Nothing,
            (None, _) => Target::Elsewhere,
            (Some(list), Ok(index)) if index < list.len => Target::Object(list.path.with(index)),
            _ => Target::Missing(FieldValue::Int(index)),
        };
        (path, own, target)
    }

    /// Returns the reference that a value is.
    fn index_of(&self, identity: Identity) -> Option<IndexOf> {
        match identity {
            Identity::Index => self.position.records.iter().rev().find_map(|record| record.index),
            identity => identity.index_of(),
        }
    }
}

struct References<'a> {
    targets: Targets<'a>,
    visit: &'a mut VisitIndex<'a>,
}

impl Unpacking for References<'_> {
    fn position(&mut self) -> &mut Position {
        &mut self.targets.position
    }
}

impl Visitor for References<'_> {
    fn leaf(&mut self, place: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
        match self.targets.of(place, leaf) {
            Some((path, own, target)) => (self.visit)(path, own, target),
            None => Continue(()),
        }
    }

    fn enter(&mut self, place: &Place, _: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
        self.enter_all(place, node)?;
        Continue(true)
    }
}
