//! Numbers that contradict the content of a file.

use std::ops::ControlFlow::{self, Continue};

use super::edit::value_mut;
use super::{FieldInfo, FieldPath, Leaf, Node, Place, Role, Value, Visitor, each_field, walk};

/// A number that does not follow from the content of a file, although the definition says that it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The number.
    pub path: FieldPath,
    /// The [`Claim`](crate::wire::Claim).
    claim: FieldPath,
}

/// Returns the numbers that contradict the content, outside of packed values.
#[must_use]
pub fn contradictions(root: &dyn Value) -> Vec<Contradiction> {
    let mut found = Finder::default();
    let _ = walk(root, &mut found);
    found.0
}

/// Lets the number of each contradiction follow from the content again.
pub fn settle(root: &mut dyn Value, contradictions: &[Contradiction]) {
    for Contradiction { claim, .. } in contradictions {
        settle_at(root, claim);
    }
}

/// Clears the claim at a path, and returns whether there is one.
pub(crate) fn settle_at(root: &mut dyn Value, claim: &FieldPath) -> bool {
    value_mut(root, claim.steps()).map(Value::settle).is_some()
}

#[derive(Default)]
struct Finder(Vec<Contradiction>);

impl Visitor for Finder {
    fn leaf(&mut self, _: &Place, _: &dyn Leaf) -> ControlFlow<()> {
        Continue(())
    }

    fn enter(&mut self, place: &Place, _: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
        let Node::Record(record) = node else { return Continue(true) };
        let mut following: Vec<&'static FieldInfo> = Vec::new();
        let field = |name: &'static str| place.path.with(name);
        each_field(*record, |info, value| {
            if let Role::Follows(_) = info.role {
                following.push(info);
            }
            let of = following.iter().find(|own| own.role == Role::Follows(info.name));
            if let Some(of) = of.filter(|_| value.contradicts()) {
                self.0.push(Contradiction { path: field(of.name), claim: field(info.name) });
            }
        });
        Continue(true)
    }
}
