//! Visits the values of an object in the layout of its template.

use std::ops::Range;

use super::fields::{Counts, Layout};
use super::template::{Member, MemberKind, Size, Template};
use super::values::{ValueError, Values};
use crate::schema::{PathError, Role, Selection, Step, component};
use crate::wire::escape;

/// Visits the values that a path selects; all values if the path is empty.
pub(in crate::formats::directx) trait Visitor {
    /// Visits a value and consumes it.
    fn value(&mut self, values: &mut Values<'_>, kind: &MemberKind, role: Role) -> Result<(), ValueError>;

    /// Called between two elements of an array.
    fn between(&mut self) {}

    /// Called after a member of a struct; `depth` is the number of enclosing structs.
    fn end(&mut self, _depth: usize) {}
}

/// A walk over the values of an object.
pub(in crate::formats::directx) struct Walk<'a, 'v, V> {
    pub layout: Layout<'a>,
    visitor: &'v mut V,
    /// The last element of the outermost array that a path led to.
    element: Option<Mark<'a>>,
}

/// An element of an array, before its first value.
type Mark<'a> = (u64, Layout<'a>);

/// Where walks over an object were: later ones go on from there.
pub(in crate::formats::directx) struct Marks<'a> {
    /// The starts of the first members, with the counts before them.
    members: Vec<(Layout<'a>, Counts)>,
    /// The last element of an array, with the index of its member.
    element: Option<(usize, Mark<'a>)>,
}

impl<'a> Marks<'a> {
    /// Returns those at the start of an object.
    pub fn new(start: Layout<'a>) -> Self {
        Self { members: vec![(start, Counts::default())], element: None }
    }

    /// Walks over the member of an object of this template that a path leads to, from the nearest mark before it.
    pub fn walk<V: Visitor>(
        &mut self,
        template: &'a Template,
        steps: &[Step],
        visitor: &mut V,
    ) -> Result<(), Halt> {
        let route = Route { steps, is_last: true, depth: 0 };
        let mut members = template.members.iter().enumerate();
        match members.find_map(|(index, own)| Some((index, route.into_member(own)?))) {
            Some((index, further)) => self.walk_member(template, index, further, visitor).or_else(Stop::end),
            None => Ok(()),
        }
    }

    fn walk_member<V: Visitor>(
        &mut self,
        template: &'a Template,
        index: usize,
        route: Route<'_>,
        visitor: &mut V,
    ) -> Result<(), Stop> {
        for last in self.members.len() - 1..index {
            let (mut layout, mut counts) = self.members[last].clone();
            layout.step()?;
            layout.skip_member(last, &template.members[last], &mut counts, 0)?;
            self.members.push((layout, counts));
        }
        let (layout, mut counts) = self.members[index].clone();
        let element = self.element.take().filter(|(member, _)| *member == index).map(|(_, mark)| mark);
        let mut walk = Walk { layout, visitor, element };
        let walked = walk.member(index, &template.members[index], &mut counts, route);
        self.element = walk.element.map(|mark| (index, mark));
        walked
    }
}

/// The error of a walk.
pub(in crate::formats::directx) enum Halt {
    /// A value is missing or wrong.
    Value(ValueError),
    /// The path selects nothing.
    Path(PathError),
}

/// The reason to stop a walk early.
enum Stop {
    /// All selected values have been visited.
    Done,
    Halt(Halt),
}

impl Stop {
    /// Returns how the walk ended.
    fn end(self) -> Result<(), Halt> {
        match self {
            Self::Done => Ok(()),
            Self::Halt(halt) => Err(halt),
        }
    }
}

impl From<ValueError> for Stop {
    fn from(fault: ValueError) -> Self {
        Self::Halt(Halt::Value(fault))
    }
}

fn path_error(why: impl Into<PathError>) -> Stop {
    Stop::Halt(Halt::Path(why.into()))
}

/// The remaining steps of a path.
#[derive(Clone, Copy)]
struct Route<'s> {
    steps: &'s [Step],
    /// Whether no value after this one can be selected.
    is_last: bool,
    /// The number of enclosing structs.
    depth: usize,
}

impl Route<'_> {
    /// Returns the route into a member, if it leads there.
    fn into_member(self, member: &Member) -> Option<Self> {
        match self.steps.split_first() {
            None => Some(self),
            Some((Step::Field(name), steps)) if member.is_step(name) => Some(Self { steps, ..self }),
            Some(_) => None,
        }
    }

    /// Returns the selected elements of a dimension, and the rest of the route.
    fn into_elements(self, size: Size, len: u64) -> Result<(Range<u64>, Self), Stop> {
        let Some((step, steps)) = self.steps.split_first() else {
            return Ok((0..len, Self { is_last: false, ..self }));
        };
        let component = match step {
            Step::Field(name) if matches!(size, Size::Fixed(..=4)) => component(name).map(Step::Index),
            _ => None,
        };
        let count = usize::try_from(len).unwrap_or(usize::MAX);
        match component.as_ref().unwrap_or(step).select(count, Vec::new).map_err(path_error)? {
            Selection::Run(run) => {
                let is_last = self.is_last && !step.is_pattern();
                Ok((run.start as u64..run.end as u64, Self { steps, is_last, ..self }))
            }
            Selection::Set(_) => Err(path_error("the elements of an array have no names")),
        }
    }

    /// Returns whether the last selected value has been visited.
    const fn is_over(self) -> bool {
        self.is_last && !self.steps.is_empty()
    }
}

impl<'a, 'v, V: Visitor> Walk<'a, 'v, V> {
    pub fn new(layout: Layout<'a>, visitor: &'v mut V) -> Self {
        Self { layout, visitor, element: None }
    }

    /// Walks over the values of an object of this template, as far as the path requires.
    pub fn object(&mut self, template: &'a Template, steps: &[Step]) -> Result<(), Halt> {
        self.members(template, Route { steps, is_last: true, depth: 0 }).or_else(Stop::end)
    }

    fn members(&mut self, template: &Template, route: Route<'_>) -> Result<(), Stop> {
        let mut counts = Counts::default();
        let mut found = false;
        for (index, member) in template.members.iter().enumerate() {
            self.layout.step()?;
            let Some(further) = route.into_member(member) else {
                self.layout.skip_member(index, member, &mut counts, route.depth)?;
                continue;
            };
            found = true;
            self.member(index, member, &mut counts, further)?;
            if route.is_over() {
                return Err(Stop::Done);
            }
        }
        match route.steps.first() {
            Some(step) if !found => {
                let names: Vec<_> = template.members.iter().map(|member| escape(&member.name)).collect();
                let names = names.iter().map(String::as_str);
                Err(path_error(PathError::no_field(&escape(&template.name), &step.to_string(), names)))
            }
            _ => Ok(()),
        }
    }

    fn member(
        &mut self,
        index: usize,
        member: &Member,
        counts: &mut Counts,
        route: Route<'_>,
    ) -> Result<(), Stop> {
        if member.counts {
            // The count is required by later members, even if the visitor ignores it.
            let mut ahead = self.layout.values.clone();
            self.value(route, Role::Decides("the values after it"), &member.kind)?;
            counts.note(index, member, ahead.unsigned()?);
        } else if route.steps.is_empty() && self.layout.has_no_values(member, counts) {
            return Ok(());
        } else {
            self.array(member, counts, &member.sizes, route)?;
        }
        self.visitor.end(route.depth);
        Ok(())
    }

    /// Visits a member, dimension by dimension.
    fn array(
        &mut self,
        member: &Member,
        counts: &Counts,
        sizes: &[Size],
        route: Route<'_>,
    ) -> Result<(), Stop> {
        let Some((size, inner)) = sizes.split_first() else { return self.single(&member.kind, route) };
        let len = counts.size(*size);
        let (run, further) = route.into_elements(*size, len)?;
        if run == (0..len) && !further.is_last {
            return self.each(len, |walk| walk.array(member, counts, inner, further));
        }
        let each = counts.product(inner);
        let is_outermost = route.depth == 0 && sizes.len() == member.sizes.len();
        let from = if is_outermost { self.resume(run.start) } else { 0 };
        self.layout.skip(&member.kind, each.saturating_mul(run.start - from), route.depth)?;
        if is_outermost {
            self.element = Some((run.start, self.layout.clone()));
        }
        self.each(run.end - run.start, |walk| walk.array(member, counts, inner, further))?;
        if route.is_last {
            return Err(Stop::Done);
        }
        self.layout.skip(&member.kind, each.saturating_mul(len - run.end), route.depth)?;
        Ok(())
    }

    /// Returns to the marked element unless it is after this one, and returns the index of the element at which the walk is.
    fn resume(&mut self, index: u64) -> u64 {
        let Some((marked, layout)) = self.element.take().filter(|(marked, _)| *marked <= index) else {
            return 0;
        };
        self.layout = layout;
        marked
    }

    /// Visits `len` elements, or only one if elements have no values.
    fn each(&mut self, len: u64, mut element: impl FnMut(&mut Self) -> Result<(), Stop>) -> Result<(), Stop> {
        for index in 0..len {
            if index > 0 {
                self.visitor.between();
            }
            let start = self.layout.values.place();
            element(self)?;
            if self.layout.values.place() == start {
                break;
            }
        }
        Ok(())
    }

    fn single(&mut self, kind: &MemberKind, route: Route<'_>) -> Result<(), Stop> {
        let MemberKind::Struct(name) = kind else { return self.value(route, Role::Free, kind) };
        let template = self.layout.enter(name, route.depth)?;
        self.members(template, Route { depth: route.depth + 1, ..route })
    }

    fn value(&mut self, route: Route<'_>, role: Role, kind: &MemberKind) -> Result<(), Stop> {
        if !route.steps.is_empty() {
            return Err(path_error("a single value has no fields"));
        }
        Ok(self.visitor.value(&mut self.layout.values, kind, role)?)
    }
}
