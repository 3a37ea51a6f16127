//! Changes the numbers of a file that have a meaning, all in one pass and without a path for each.

use std::ops::ControlFlow::{Break, Continue};

use super::edit::{change_inside, refused_at};
use super::{
    Class, EditError, FieldInfo, FieldPath, FieldValue, Identity, IndexOf, Items, Leaf, Node, NodeMut,
    Quantity, QuantityKind, Record, Step, Value, each_field, find_field,
};
use crate::{Error, Result};

/// What the definition states of the numbers in a value.
#[derive(Clone, Copy, Default)]
pub(super) struct Meaning {
    pub index: Option<IndexOf>,
    pub quantity: Option<Quantity>,
}

impl Meaning {
    /// Returns the meaning of a field of a record with this meaning.
    fn of_field(self, field: &FieldInfo) -> Self {
        let index = match field.identity {
            Some(Identity::Index) => self.index,
            identity => identity.and_then(Identity::index_of),
        };
        let of_list = |own: Quantity| Some(Quantity { none: own.none, ..self.quantity? });
        let quantity = match field.quantity {
            Some(own) if own.kind == QuantityKind::OfList => of_list(own),
            quantity => quantity,
        };
        Self { index, quantity }
    }

    /// Returns the meaning of a value in a field with this meaning.
    fn of_value(self, value: &dyn Value) -> Self {
        let own = value.choice().and_then(|choice| choice.quantity);
        Self { quantity: own.or(self.quantity), ..self }
    }
}

/// The place of a value.
pub(super) struct Spot {
    pub path: FieldPath,
    /// The depths of the records around it that have objects of their own.
    scopes: Vec<usize>,
}

impl Spot {
    /// Returns the paths of the records that have objects of their own, the innermost first, and that of the file.
    pub fn scopes(&self) -> impl Iterator<Item = FieldPath> {
        self.scopes.iter().rev().map(|depth| self.path.prefix(*depth)).chain([FieldPath::root()])
    }
}

/// What a pass changes.
pub(super) trait Change {
    /// Returns whether numbers with a meaning change.
    fn wants(&self, own: Meaning) -> bool;

    /// Changes a number.
    fn number(&mut self, spot: &Spot, own: Meaning, leaf: &mut dyn Leaf) -> Result<(), EditError>;

    /// Returns the new halves of an index, the lower one first.
    fn halves(&mut self, _: &Spot, _: IndexOf, _: [i128; 2]) -> Result<Option<[i128; 2]>, EditError> {
        Ok(None)
    }
}

/// Changes the numbers of a file, also those in packed content.
///
/// # Errors
/// Those of `change`, and for content that cannot be unpacked; some numbers may have changed by then.
pub(super) fn change_all(root: &mut dyn Value, change: &mut dyn Change) -> Result<()> {
    let spot = Spot { path: FieldPath::root(), scopes: Vec::new() };
    Pass { spot, fields: Vec::new(), change }.value(root, Meaning::default())
}

struct Pass<'a> {
    spot: Spot,
    /// The fields of the records around that are visited.
    fields: Vec<&'static FieldInfo>,
    change: &'a mut dyn Change,
}

impl Pass<'_> {
    fn value(&mut self, value: &mut dyn Value, own: Meaning) -> Result<()> {
        if let Some(content) = value.inside() {
            let is_empty = !has(&*self.change, content, Meaning::default());
            return if is_empty { Ok(()) } else { self.inside(value) };
        }
        let own = own.of_value(value);
        match value.node_mut() {
            NodeMut::Leaf(leaf) if self.change.wants(own) => {
                self.change.number(&self.spot, own, leaf).map_err(|why| self.refused(why))
            }
            NodeMut::Record(record) => self.record(record, own),
            NodeMut::Items(items) => self.items(items, own),
            NodeMut::Leaf(_) => match value.change_inside(&mut |_| Ok(())) {
                Ok(()) | Err(EditError::NotPacked) => Ok(()),
                Err(why) => Err(self.refused(why)),
            },
            NodeMut::Absent => Ok(()),
        }
    }

    fn refused(&self, why: EditError) -> Error {
        refused_at(&self.spot.path, why)
    }

    fn inside(&mut self, value: &mut dyn Value) -> Result<()> {
        self.spot.path.push(Step::Inside);
        let changed = change_inside(value, &mut |content| self.value(content, Meaning::default()))?;
        self.spot.path.pop();
        changed.map_err(|why| self.refused(why))
    }

    fn record(&mut self, record: &mut dyn Record, own: Meaning) -> Result<()> {
        let (first, depth) = (self.fields.len(), self.spot.path.steps().len());
        let (fields, change) = (&mut self.fields, &*self.change);
        each_field(record, |field, value| {
            // What cannot be unpacked is visited, too: it is an error.
            let is_number = matches!(value.node(), Node::Leaf(leaf) if leaf.class() != Class::Opaque);
            if !is_number || value.inside().is_some() || change.wants(own.of_field(field)) {
                fields.push(field);
            }
        });
        let is_scope = record.is_scope() && depth > 0;
        self.spot.scopes.extend(is_scope.then_some(depth));
        self.spot.path.push(Step::Field("".into()));
        for at in first..self.fields.len() {
            let field = self.fields[at];
            self.spot.path.rename(field.name);
            self.field(record, field.name, own.of_field(field))?;
        }
        self.spot.path.pop();
        self.spot.scopes.truncate(self.spot.scopes.len() - usize::from(is_scope));
        self.fields.truncate(first);
        Ok(())
    }

    fn field(&mut self, record: &mut dyn Record, name: &str, own: Meaning) -> Result<()> {
        if let Some((index, upper)) = own.index.and_then(|index| Some((index, index.upper?))) {
            let names = [name, upper];
            let [Some(low), Some(high)] = names.map(|name| number(record.field_mut(name)?)) else {
                return Ok(());
            };
            let new = self.change.halves(&self.spot, index, [low, high]);
            let new = new.map_err(|why| self.refused(why))?.unwrap_or([low, high]);
            for (name, number) in names.into_iter().zip(new) {
                if let Some(NodeMut::Leaf(leaf)) = record.field_mut(name).map(Value::node_mut) {
                    leaf.assign_value(&FieldValue::Int(number)).map_err(|why| self.refused(why))?;
                }
            }
            return Ok(());
        }
        record.field_mut(name).map_or(Ok(()), |value| self.value(value, own))
    }

    fn items(&mut self, items: &mut dyn Items, own: Meaning) -> Result<()> {
        if !has_any(&*self.change, items, own) {
            return Ok(());
        }
        self.spot.path.push(Step::Index(0));
        let all: Vec<_> = (0..items.len()).collect();
        items.change(&all, &mut |index, item| {
            self.spot.path.renumber(index);
            self.value(item, own)
        })?;
        self.spot.path.pop();
        Ok(())
    }
}

fn number(value: &dyn Value) -> Option<i128> {
    let Node::Leaf(leaf) = value.node() else { return None };
    if let FieldValue::Int(number) = leaf.field_value() { Some(number) } else { None }
}

/// Returns whether a value contains numbers that change.
fn has(change: &dyn Change, value: &dyn Value, own: Meaning) -> bool {
    if let Some(content) = value.inside() {
        return has(change, content, Meaning::default());
    }
    let own = own.of_value(value);
    match value.node() {
        Node::Leaf(_) => change.wants(own),
        Node::Record(record) => {
            find_field(record, |field, value| has(change, value, own.of_field(field)).then_some(())).is_some()
        }
        Node::Items(items) => has_any(change, items, own),
        Node::Absent | Node::Broken(_) => false,
    }
}

/// Returns whether elements contain numbers that change. Those of one size all do if the first one does.
fn has_any(change: &dyn Change, items: &dyn Items, own: Meaning) -> bool {
    let mut found = false;
    let _ = items.each(0, &mut |_, item| {
        found = has(change, item, own);
        let is_like_all = items.item_size().is_some() || matches!(item.node(), Node::Leaf(_));
        if found || is_like_all { Break(()) } else { Continue(()) }
    });
    found
}
