//! The resolver of paths: which values they select, and which bytes of the file those are.

use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow::{Break, Continue};
use std::ops::Range;

use super::leaf::{escape, text_of};
use super::{
    Bit, ElementAt, ElementNames, FieldPath, FieldValue, Identity, Items, Leaf, Location, Node, PathError,
    Record, Role, Step, Value, at_index, each_field, each_item, find_field,
};
use crate::work;

/// A path on its way down: its number, and the steps that are still to be taken.
#[derive(Clone, Copy)]
pub(super) struct Route<'p> {
    pub nth: usize,
    pub steps: &'p [Step],
}

impl Route<'_> {
    /// Returns the route after its next step.
    pub fn further(self) -> Self {
        Self { steps: self.steps.get(1..).unwrap_or_default(), ..self }
    }
}

/// What a path selects.
#[derive(Clone, Copy)]
pub enum Selected<'a> {
    /// A value with its parts.
    Value(&'a dyn Value),
    /// Named bits of a flag word.
    Bits(&'a dyn Leaf, &'static Bit),
}

impl fmt::Debug for Selected<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => value.node().fmt(out),
            Self::Bits(_, bit) => write!(out, "Bits({})", bit.name),
        }
    }
}

impl Selected<'_> {
    /// Returns the value of a leaf, or of the bits; nothing for a value with parts.
    #[must_use]
    pub fn field_value(self) -> Option<FieldValue> {
        match self {
            Self::Value(value) => leaf(value).map(Leaf::field_value),
            Self::Bits(leaf, bit) => Some(bit.of(word(leaf)).into()),
        }
    }

    /// Returns the spelling of a leaf; nothing for a value with parts.
    pub(super) fn text(self) -> Option<String> {
        match self {
            Self::Value(value) => leaf(value).map(text_of),
            Self::Bits(leaf, bit) => Some(bit.of(word(leaf)).to_string()),
        }
    }
}

fn leaf(value: &dyn Value) -> Option<&dyn Leaf> {
    if let Node::Leaf(leaf) = value.node() { Some(leaf) } else { None }
}

/// Receives what paths select.
pub(super) trait Visitor {
    /// The path of this number selects a value.
    fn found(&mut self, nth: usize, at: &Location, selected: Selected<'_>);

    /// The path of this number selects nothing beyond a place.
    fn missing(&mut self, _nth: usize, _at: &Location, _why: &dyn Fn() -> PathError) {}
}

/// Follows paths from a value, all in one pass through each list.
///
/// The time is that of one walk through the lists that lead to the values, for each [`AT_ONCE`] paths. What the visitor receives is in
/// the order of the file among those.
pub(super) fn resolve(root: &dyn Value, paths: &[FieldPath], visitor: &mut dyn Visitor) {
    let numbers = (0..).step_by(AT_ONCE);
    for (first, paths) in numbers.zip(paths.chunks(AT_ONCE)) {
        let routes = (first..).zip(paths).map(|(nth, path)| Route { nth, steps: path.steps() }).collect();
        let at = Location { path: FieldPath::root(), range: 0..root.size(), role: Role::Free };
        Resolver { at, packed: None, visitor: &mut *visitor }.value(root, routes);
    }
}

/// The paths that are followed in one walk: on their way down, they take more memory than themselves.
const AT_ONCE: usize = 1 << 16;

/// Returns the result of a function for the last value that a path selects.
pub(super) fn value_at<T>(root: &dyn Value, path: &FieldPath, see: impl Fn(&dyn Value) -> T) -> Option<T> {
    let mut seen = None;
    let _ = resolve_one(root, path, &mut |_, selected| {
        if let Selected::Value(value) = selected {
            seen = Some(see(value));
        }
    });
    seen
}

/// Follows one path.
///
/// # Errors
/// The first reason why it selects nothing, where it selects nothing at all.
pub(super) fn resolve_one(
    root: &dyn Value,
    path: &FieldPath,
    found: &mut dyn FnMut(&Location, Selected<'_>),
) -> Result<(), PathError> {
    struct One<'a> {
        found: &'a mut dyn FnMut(&Location, Selected<'_>),
        any: bool,
        why: Option<PathError>,
    }
    impl Visitor for One<'_> {
        fn found(&mut self, _: usize, at: &Location, selected: Selected<'_>) {
            self.any = true;
            (self.found)(at, selected);
        }
        fn missing(&mut self, _: usize, _: &Location, why: &dyn Fn() -> PathError) {
            if !self.any && self.why.is_none() {
                self.why = Some(why());
            }
        }
    }
    let mut one = One { found, any: false, why: None };
    resolve(root, std::slice::from_ref(path), &mut one);
    match one.why {
        Some(why) if !one.any => Err(why),
        _ => Ok(()),
    }
}

struct Resolver<'v> {
    at: Location,
    /// The bytes in the file of the outermost packed value around this one.
    packed: Option<Range<u64>>,
    visitor: &'v mut dyn Visitor,
}

impl Resolver<'_> {
    /// Returns the current place, by its bytes in the file.
    fn location(&self) -> Location {
        Location { range: self.packed.clone().unwrap_or_else(|| self.at.range.clone()), ..self.at.clone() }
    }

    fn found(&mut self, route: Route<'_>, selected: Selected<'_>) {
        let at = self.location();
        self.visitor.found(route.nth, &at, selected);
    }

    fn missing(&mut self, route: Route<'_>, why: &dyn Fn() -> PathError) {
        let at = self.location();
        self.visitor.missing(route.nth, &at, why);
    }

    /// Calls a function one step further down.
    fn below(&mut self, step: Step, range: Range<u64>, role: Role, go: impl FnOnce(&mut Self)) {
        let outer =
            (std::mem::replace(&mut self.at.range, range), std::mem::replace(&mut self.at.role, role));
        self.at.path.push(step);
        go(self);
        self.at.path.pop();
        (self.at.range, self.at.role) = outer;
    }

    fn value(&mut self, value: &dyn Value, routes: Vec<Route<'_>>) {
        let content = value.inside();
        let (mut inside, mut further) = (Vec::new(), Vec::new());
        for route in routes {
            let route = past_form(value, route);
            match route.steps.first() {
                None => self.found(route, Selected::Value(value)),
                Some(Step::Inside) if content.is_some() => inside.push(route.further()),
                Some(_) => further.push(route),
            }
        }
        if let (Some(content), false) = (content, inside.is_empty()) {
            self.content(content, inside);
        }
        if further.is_empty() {
            return;
        }
        match value.node() {
            Node::Record(record) => self.record(record, &further),
            Node::Items(items) => self.items(items, &further),
            node => further.into_iter().for_each(|route| self.end(node, route)),
        }
    }

    /// In the file, the bytes of packed content are those of the packed value.
    fn content(&mut self, content: &dyn Value, routes: Vec<Route<'_>>) {
        let outer = self.packed.clone();
        self.packed.get_or_insert_with(|| self.at.range.clone());
        self.below(Step::Inside, 0..content.size(), self.at.role, |own| own.value(content, routes));
        self.packed = outer;
    }

    /// A value without fields and elements: only named bits can follow.
    fn end(&mut self, node: Node<'_>, route: Route<'_>) {
        let path = self.at.path.clone();
        let Node::Leaf(leaf) = node else {
            return self.missing(route, &|| match node {
                Node::Broken(_) => PathError::Damaged(path.clone()),
                _ => PathError::Absent(path.clone()),
            });
        };
        let (name, is_last) = match route.steps {
            [Step::Field(name), further @ ..] => (Some(name), further.is_empty()),
            _ => (None, false),
        };
        let bit = leaf.bits().iter().find(|bit| is_last && name.is_some_and(|name| bit.name == name));
        match (bit, name) {
            (Some(bit), _) => {
                let (range, role) = (self.at.range.clone(), self.at.role);
                self.below(bit.name.into(), range, role, |own| own.found(route, Selected::Bits(leaf, bit)));
            }
            (None, Some(name)) if is_last && !leaf.bits().is_empty() => self.missing(route, &|| {
                PathError::no_field(&path.to_string(), name, leaf.bits().iter().map(|bit| bit.name))
            }),
            _ if route.steps.first() == Some(&Step::Inside) => self.missing(route, &|| PathError::NotPacked),
            _ => self.missing(route, &|| PathError::NoParts(path.clone())),
        }
    }

    fn record(&mut self, record: &dyn Record, routes: &[Route<'_>]) {
        let mut leading = Vec::with_capacity(routes.len());
        let mut leads = HashMap::new();
        for &route in routes {
            let step = route.steps.first();
            match leads.entry(step).or_insert_with(|| lead(record, step)) {
                Ok(lead) => leading.push((lead.field, lead.follow(route))),
                Err(why) => self.missing(route, &**why),
            }
        }
        if leading.is_empty() {
            return;
        }
        let (mut start, outer) = (self.at.range.start, self.at.role);
        let mut left = leading.len();
        let _ = record.fields(&mut |field, value| {
            let end = start + value.size();
            let inner = leading.iter().filter(|(name, _)| *name == field.name).map(|(_, route)| *route);
            let inner: Vec<_> = inner.collect();
            if !inner.is_empty() {
                left = left.saturating_sub(inner.len());
                let role = if field.role == Role::Free { outer } else { field.role };
                self.below(field.name.into(), start..end, role, |own| own.value(value, inner));
            }
            start = end;
            if left == 0 { Break(()) } else { Continue(()) }
        });
    }

    fn items(&mut self, items: &dyn Items, routes: &[Route<'_>]) {
        let mut runs = Vec::with_capacity(routes.len());
        let names = ElementNames::default();
        for &route in routes {
            match select_in(items, route.steps, &names) {
                Ok(selection) => runs.extend(selection.into_iter().map(|run| (run, route.further()))),
                Err(why) => self.missing(route, &|| why.clone()),
            }
        }
        runs.sort_by_key(|(run, _)| run.start);
        let Some(lowest) = runs.first().map(|(run, _)| run.start) else { return };
        let last = runs.iter().map(|(run, _)| run.end).max().unwrap_or(0);
        let (first, offset) = items.seek(ElementAt::Index(lowest));
        let mut start = self.at.range.start + offset as u64;
        let mut runs = runs.into_iter().peekable();
        let mut active = Vec::new();
        let role = self.at.role;
        let _ = items.each_at(first, offset, &mut |index, item| {
            let end = start + item.size();
            active.retain(|(run, _): &(Range<usize>, Route<'_>)| run.end > index);
            active.extend(std::iter::from_fn(|| runs.next_if(|(run, _)| run.start <= index)));
            if !active.is_empty() {
                let inner = active.iter().map(|(_, route)| *route).collect();
                self.below(index.into(), start..end, role, |own| own.value(item, inner));
            }
            start = end;
            if index + 1 < last { Continue(()) } else { Break(()) }
        });
    }
}

/// Skips the name of the form that a choice has, which JSON states: `records.bones[0]` is `records[0]`.
fn past_form<'p>(mut value: &dyn Value, mut route: Route<'p>) -> Route<'p> {
    while let ([Step::Field(name), ..], Some(choice)) = (route.steps, value.choice()) {
        let is_field = || matches!(value.node(), Node::Record(body) if field_named(body, name).is_some());
        if choice.name != name || is_field() {
            break;
        }
        route = route.further();
        let Some(body) = choice.body else { break };
        value = body;
    }
    route
}

/// How a step leads into a record.
pub(super) struct Lead {
    pub field: &'static str,
    /// Whether the step names the field. A choice or a packed field may be left out of the path.
    takes: bool,
}

impl Lead {
    /// Returns the route from the field on.
    pub fn follow<'p>(&self, route: Route<'p>) -> Route<'p> {
        if self.takes { route.further() } else { route }
    }
}

/// Returns the field that a step enters.
pub(super) fn lead<'r>(
    record: &'r dyn Record,
    step: Option<&'r Step>,
) -> Result<Lead, Box<dyn Fn() -> PathError + 'r>> {
    match step {
        Some(Step::Field(name)) => {
            if let Some(field) = field_named(record, name) {
                return Ok(Lead { field, takes: true });
            }
            let through = field_where(record, |value| match (value.choice(), value.node()) {
                (Some(_), Node::Record(body)) => field_named(body, name).is_some(),
                _ => false,
            });
            through
                .map(|field| Lead { field, takes: false })
                .ok_or_else(|| Box::new(move || no_field(record, name)) as _)
        }
        Some(Step::Inside) => {
            let packed = field_where(record, |value| value.inside().is_some());
            packed
                .map(|field| Lead { field, takes: false })
                .ok_or_else(|| Box::new(|| PathError::NotPacked) as _)
        }
        _ => Err(Box::new(move || PathError::NotAList(record.type_name().into()))),
    }
}

fn no_field(record: &dyn Record, name: &str) -> PathError {
    let mut names = Vec::new();
    each_field(record, |field, _| names.push(field.name));
    PathError::no_field(record.type_name(), name, names)
}

fn field_named(record: &dyn Record, name: &str) -> Option<&'static str> {
    find_field(record, |field, _| (field.name == name).then_some(field.name))
}

fn field_where(record: &dyn Record, wanted: impl Fn(&dyn Value) -> bool) -> Option<&'static str> {
    find_field(record, |field, value| wanted(value).then_some(field.name))
}

/// The component names of short arrays: points, colours, texture coordinates.
const COMPONENTS: [&str; 3] = ["xyzw", "rgba", "uvw"];

/// Returns the index of a component in a short array: `x` is 0.
#[must_use]
pub fn component(name: &str) -> Option<usize> {
    COMPONENTS.iter().find_map(|set| set.find(name)).filter(|_| name.len() == 1)
}

/// Returns the element that a component selects; none in longer arrays and in those of records or arrays.
pub(super) fn component_of(items: &dyn Items, name: &str) -> Option<usize> {
    let index = component(name).filter(|_| items.len() <= 4)?;
    at_index(items, 0, |item| matches!(item.node(), Node::Leaf(_)))?.then_some(index)
}

/// Returns the elements that the first step selects.
pub(super) fn select(items: &dyn Items, steps: &[Step]) -> Result<super::Selection, PathError> {
    select_in(items, steps, &ElementNames::default())
}

fn select_in(items: &dyn Items, steps: &[Step], names: &ElementNames) -> Result<super::Selection, PathError> {
    let len = items.len();
    let component = |step: &Step| if let Step::Field(name) = step { component_of(items, name) } else { None };
    let step = steps.first().and_then(component).map(Step::Index);
    let Some(step) = step.as_ref().or(steps.first()) else { return Ok(super::Selection::Run(0..len)) };
    step.select_in(len, names, || names_of(items))
}

fn names_of(items: &dyn Items) -> Vec<Option<String>> {
    let mut names = Vec::with_capacity(items.len());
    each_item(items, |_, item| names.push(name_of(item)));
    names
}

/// Returns the name of a record: the text in its field `name` or `id`, or in another one that its definition states.
#[must_use]
pub fn name_of(value: &dyn Value) -> Option<String> {
    let Node::Record(record) = value.node() else { return None };
    work::done(1);
    find_field(record, |field, value| {
        let is_name =
            matches!(field.name, "name" | "id") || matches!(field.identity, Some(Identity::Name(_)));
        let (true, Node::Leaf(leaf)) = (is_name, value.node()) else { return None };
        if let FieldValue::Text(text) = leaf.field_value() { Some(escape(&text)) } else { None }
    })
}

/// Returns the bytes of a flag word as a number.
pub(super) fn word(leaf: &dyn Leaf) -> u64 {
    let mut bytes = Vec::with_capacity(8);
    leaf.bytes(&mut bytes);
    bytes.resize(8, 0);
    u64::from_le_bytes(bytes.try_into().unwrap_or_default())
}
