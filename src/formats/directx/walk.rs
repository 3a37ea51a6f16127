//! A walk over the values of an object as its template lays them out.

use super::fields::{Counts, Layout};
use super::template::{Member, MemberKind, Size, Template};
use super::values::{Fault, Values};
use crate::schema::{Path, Role, Step, component};
use crate::wire::escape;

/// Sees the values that a path means; all of them where it is empty.
pub(super) trait Visitor {
    /// A value, which the visitor takes.
    fn value(&mut self, values: &mut Values<'_>, kind: &MemberKind, role: Role) -> Result<(), Fault>;

    /// Between two elements of an array.
    fn between(&mut self) {}

    /// Behind a member of a struct, which lies so deep in other structs.
    fn end(&mut self, _depth: usize) {}
}

/// A walk over the values of an object.
pub(super) struct Walk<'a, 'v, V> {
    pub layout: Layout<'a>,
    pub visitor: &'v mut V,
}

/// Why a walk ends before the values do.
pub(super) enum Halt {
    /// All is seen.
    Done,
    /// A value is missing or wrong.
    Fault(Fault),
    /// The path leads nowhere.
    Nowhere(String),
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl<V: Visitor> Walk<'_, '_, V> {
    /// The members of a struct. `last` says that nothing behind them can be meant.
    pub fn members(
        &mut self,
        template: &Template,
        steps: &[Step],
        role: Role,
        last: bool,
        depth: usize,
    ) -> Result<(), Halt> {
        let mut counts = Counts::default();
        let mut met = steps.is_empty();
        for (index, member) in template.members.iter().enumerate() {
            let further = match steps.split_first() {
                None => Some(steps),
                Some((Step::Field(name), further)) if member.name.eq_ignore_ascii_case(name.as_bytes()) => {
                    Some(further)
                }
                Some(_) => None,
            };
            let Some(further) = further else {
                self.layout.skip_member(index, member, &mut counts, depth)?;
                continue;
            };
            met = true;
            if member.counts {
                // Members behind it need it, whatever the visitor makes of it.
                let mut ahead = self.layout.values.clone();
                self.value(further, Role::Decides("the values behind it"), &member.kind)?;
                counts.note(index, member, ahead.unsigned()?);
            } else {
                self.array(member, &counts, &member.sizes, further, role, last && !steps.is_empty(), depth)?;
            }
            if steps.is_empty() && counts.of(member) > 0 {
                self.visitor.end(depth);
            }
            if last && !steps.is_empty() {
                return Err(Halt::Done);
            }
        }
        match steps.first() {
            Some(step) if !met => {
                let name = Path::from(vec![step.clone()]);
                Err(Halt::Nowhere(format!("`{}` has no member `{name}`", escape(&template.name))))
            }
            _ => Ok(()),
        }
    }

    /// A member, dimension by dimension.
    #[expect(clippy::too_many_arguments, reason = "the state of a walk through nested arrays")]
    fn array(
        &mut self,
        member: &Member,
        counts: &Counts,
        sizes: &[Size],
        steps: &[Step],
        role: Role,
        last: bool,
        depth: usize,
    ) -> Result<(), Halt> {
        let Some((size, inner)) = sizes.split_first() else {
            return self.single(&member.kind, steps, role, last, depth);
        };
        let len = counts.size(*size);
        let each = inner.iter().map(|size| counts.size(*size)).fold(1, u64::saturating_mul);
        let (wanted, further) = match steps.split_first() {
            None => (None, steps),
            Some((Step::Every, further)) => (None, further),
            Some((Step::Index(index), further)) => (Some(*index as u64), further),
            Some((Step::Field(name), further)) if matches!(size, Size::Fixed(..=4)) => {
                match component(name) {
                    Some(index) => (Some(index as u64), further),
                    None => return Err(Halt::Nowhere(format!("it has no component `{name}`"))),
                }
            }
            Some(_) => return Err(Halt::Nowhere("a list has elements: [0]".into())),
        };
        if let Some(index) = wanted {
            if index >= len {
                return Err(Halt::Nowhere(format!("it has {len} elements, counted from 0")));
            }
            self.layout.skip(&member.kind, each.saturating_mul(index), depth)?;
            self.array(member, counts, inner, further, role, last, depth)?;
            if last {
                return Err(Halt::Done);
            }
            self.layout.skip(&member.kind, each.saturating_mul(len - index - 1), depth)?;
            return Ok(());
        }
        for index in 0..len {
            if index > 0 {
                self.visitor.between();
            }
            let before = self.layout.values.place();
            self.array(member, counts, inner, further, role, false, depth)?;
            if self.layout.values.place() == before {
                break;
            }
        }
        Ok(())
    }

    fn single(
        &mut self,
        kind: &MemberKind,
        steps: &[Step],
        role: Role,
        last: bool,
        depth: usize,
    ) -> Result<(), Halt> {
        let MemberKind::Struct(name) = kind else {
            return self.value(steps, role, kind);
        };
        let template = self.layout.enter(name, depth)?;
        self.members(template, steps, role, last, depth + 1)
    }

    fn value(&mut self, steps: &[Step], role: Role, kind: &MemberKind) -> Result<(), Halt> {
        if !steps.is_empty() {
            return Err(Halt::Nowhere("a single value has no parts".into()));
        }
        Ok(self.visitor.value(&mut self.layout.values, kind, role)?)
    }
}
