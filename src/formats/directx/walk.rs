//! A walk over the values of an object as its template lays them out.

use super::fields::{Counts, Layout};
use super::template::{Member, MemberKind, Size, Template};
use super::values::{Fault, Values};
use crate::schema::{FieldPath, Role, Step, component};
use crate::wire::escape;

/// Sees the values that a path means; all of them where it is empty.
pub(super) trait Visitor {
    /// A value, which the visitor takes.
    fn value(&mut self, values: &mut Values<'_>, kind: &MemberKind, role: Role) -> Result<(), Fault>;

    /// Interpolation two elements of an array.
    fn between(&mut self) {}

    /// Behind a member of a struct, which lies so deep in other structs.
    fn end(&mut self, _depth: usize) {}
}

/// A walk over the values of an object.
pub(super) struct Walk<'a, 'v, V> {
    pub layout: Layout<'a>,
    pub visitor: &'v mut V,
}

/// Why a walk does not get where it should.
pub(super) enum Halt {
    /// A value is missing or wrong.
    Fault(Fault),
    /// The path leads nowhere.
    Nowhere(String),
}

/// Why a walk ends before the values do.
enum End {
    /// All that is meant has been seen.
    Done,
    Halt(Halt),
}

impl From<Fault> for End {
    fn from(fault: Fault) -> Self {
        Self::Halt(Halt::Fault(fault))
    }
}

fn nowhere(why: String) -> End {
    End::Halt(Halt::Nowhere(why))
}

/// What of a path lies ahead, and where.
#[derive(Clone, Copy)]
struct Route<'s> {
    steps: &'s [Step],
    /// Whether nothing behind what it leads to can be meant.
    is_last: bool,
    /// Structs around.
    depth: usize,
}

impl Route<'_> {
    /// The way into a member, if it leads there.
    fn into_member(self, member: &Member) -> Option<Self> {
        match self.steps.split_first() {
            None => Some(self),
            Some((Step::Field(name), steps)) if member.is_called(name.as_bytes()) => {
                Some(Self { steps, ..self })
            }
            Some(_) => None,
        }
    }

    /// The element of a dimension that is meant, or none where all are, and the way on from there.
    fn into_element(self, size: Size) -> Result<(Option<u64>, Self), End> {
        let (index, steps) = match self.steps.split_first() {
            None => (None, self.steps),
            Some((Step::Every, steps)) => (None, steps),
            Some((Step::Index(index), steps)) => (Some(*index), steps),
            Some((Step::Field(name), steps)) if matches!(size, Size::Fixed(..=4)) => match component(name) {
                Some(index) => (Some(index), steps),
                None => return Err(nowhere(format!("it has no component `{name}`"))),
            },
            Some(_) => return Err(nowhere("a list has elements: [0]".into())),
        };
        let index = index.map(|index| index as u64);
        Ok((index, Self { steps, is_last: self.is_last && index.is_some(), ..self }))
    }

    /// Whether what has been seen was the last that it means.
    const fn is_over(self) -> bool {
        self.is_last && !self.steps.is_empty()
    }
}

impl<'a, V: Visitor> Walk<'a, '_, V> {
    /// Walks over the values of an object of this template, as far as the path needs it.
    pub fn object(&mut self, template: &'a Template, steps: &[Step]) -> Result<(), Halt> {
        match self.members(template, Route { steps, is_last: true, depth: 0 }) {
            Ok(()) | Err(End::Done) => Ok(()),
            Err(End::Halt(halt)) => Err(halt),
        }
    }

    fn members(&mut self, template: &Template, way: Route<'_>) -> Result<(), End> {
        let mut counts = Counts::default();
        let mut met = false;
        for (index, member) in template.members.iter().enumerate() {
            self.layout.step()?;
            let Some(further) = way.into_member(member) else {
                self.layout.skip_member(index, member, &mut counts, way.depth)?;
                continue;
            };
            met = true;
            self.member(index, member, &mut counts, further)?;
            if way.is_over() {
                return Err(End::Done);
            }
        }
        match way.steps.first() {
            Some(step) if !met => {
                let name = FieldPath::from(vec![step.clone()]);
                Err(nowhere(format!("`{}` has no member `{name}`", escape(&template.name))))
            }
            _ => Ok(()),
        }
    }

    fn member(
        &mut self,
        index: usize,
        member: &Member,
        counts: &mut Counts,
        way: Route<'_>,
    ) -> Result<(), End> {
        if member.counts {
            // Members behind it need it, whatever the visitor makes of it.
            let mut ahead = self.layout.values.clone();
            self.value(way, Role::Decides("the values behind it"), &member.kind)?;
            counts.note(index, member, ahead.unsigned()?);
        } else if way.steps.is_empty() && self.layout.takes_nothing(member, counts) {
            return Ok(());
        } else {
            self.array(member, counts, &member.sizes, way)?;
        }
        self.visitor.end(way.depth);
        Ok(())
    }

    /// A member, dimension by dimension.
    fn array(&mut self, member: &Member, counts: &Counts, sizes: &[Size], way: Route<'_>) -> Result<(), End> {
        let Some((size, inner)) = sizes.split_first() else { return self.single(&member.kind, way) };
        let len = counts.size(*size);
        let (index, further) = way.into_element(*size)?;
        let Some(index) = index else {
            return self.every(len, |walk| walk.array(member, counts, inner, further));
        };
        if index >= len {
            return Err(nowhere(format!("it has {len} elements, counted from 0")));
        }
        let each = counts.product(inner);
        self.layout.skip(&member.kind, each.saturating_mul(index), way.depth)?;
        self.array(member, counts, inner, further)?;
        if way.is_last {
            return Err(End::Done);
        }
        self.layout.skip(&member.kind, each.saturating_mul(len - index - 1), way.depth)?;
        Ok(())
    }

    /// So many elements, unless they take no values: then one stands for all.
    fn every(&mut self, len: u64, mut element: impl FnMut(&mut Self) -> Result<(), End>) -> Result<(), End> {
        for index in 0..len {
            if index > 0 {
                self.visitor.between();
            }
            let before = self.layout.values.place();
            element(self)?;
            if self.layout.values.place() == before {
                break;
            }
        }
        Ok(())
    }

    fn single(&mut self, kind: &MemberKind, way: Route<'_>) -> Result<(), End> {
        let MemberKind::Struct(name) = kind else { return self.value(way, Role::Free, kind) };
        let template = self.layout.enter(name, way.depth)?;
        self.members(template, Route { depth: way.depth + 1, ..way })
    }

    fn value(&mut self, way: Route<'_>, role: Role, kind: &MemberKind) -> Result<(), End> {
        if !way.steps.is_empty() {
            return Err(nowhere("a single value has no parts".into()));
        }
        Ok(self.visitor.value(&mut self.layout.values, kind, role)?)
    }
}
