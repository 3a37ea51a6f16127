//! Reads records, with fields in any order, and fills in derived fields.

use super::{Measure, Part, Reader, plain};
use crate::Result;
use crate::schema::{FieldShape, Length, RecordShape, Role, Schema, Shape, Step, is_derived, is_layout};
use crate::wire::{Padding, Tail, number_in, part_named};

impl Reader<'_, '_> {
    pub(super) fn record(&mut self, record: &RecordShape) -> Result<Measure> {
        let (base, start, decisions) = (self.parts.len(), self.out.len(), self.structure.0.len());
        self.json.expect(b'{')?;
        let mut first = true;
        let mut next = 0;
        let mut in_order = true;
        // The parts of a layout keep their order.
        let is_layout = is_layout(record);
        while self.json.goes_on(&mut first, b'}')? {
            let position = self.json.offset();
            let named = self.field_named(record, next)?;
            let at = if is_layout { self.in_layout(record, base, named) } else { named };
            if self.parts[base..].iter().any(|part| part.field == at && part.measure.is_some()) {
                let why = if at == named {
                    format!("duplicate member `{}`", record.fields[at].name)
                } else {
                    "expected the parts and the bytes between them in the order of the file".to_owned()
                };
                return Err(self.json.wrong_at(position, &why));
            }
            in_order &= at >= next && (self.truncated || record.fields[next..at].iter().all(can_be_left_out));
            let is_rest = record.fields[at].shape == Shape::Bytes(Length::ToEnd);
            if in_order && !is_layout {
                if self.truncated && is_rest {
                    record.fields[next..at].iter().for_each(|field| self.structure.leave_out(field));
                } else {
                    self.leave_room(record, start, next..at)?;
                }
            }
            self.field(record, at)?;
            next = at + 1;
        }
        if is_layout {
            let placed =
                |part: &Part| Some((record.fields[part.field].name, part.start - start, part.measure?));
            self.placed = self.parts[base..].iter().filter_map(placed).collect();
            self.references = self.references_of(record, base, start);
            self.sort_decisions(record, base, decisions);
        } else if self.truncated && in_order {
            // All further fields are after the end of the file.
            record.fields[next..].iter().for_each(|field| self.structure.leave_out(field));
        } else if in_order {
            self.leave_room(record, start, next..record.fields.len())?;
        } else {
            self.sort_decisions(record, base, decisions);
            let sorted = self.structure.0.len();
            self.sort(record, base, start)?;
            self.structure.0.truncate(sorted);
        }
        self.fill_in(record, base)?;
        self.check_padding(record, base, start)?;
        self.parts.truncate(base);
        Ok(Measure::default())
    }

    /// Returns a field of a layout. Bytes between parts are named after their place, which the text determines.
    fn in_layout(&self, record: &RecordShape, base: usize, named: usize) -> usize {
        let is_part = |at: usize| matches!(record.fields[at].shape, Shape::Placed(_));
        if is_part(named) {
            return named;
        }
        let before = self.parts[base..].iter().filter(|part| is_part(part.field)).count();
        let gap = format!("gap_{before}");
        record.fields.iter().position(|field| field.name == gap).unwrap_or(named)
    }

    /// Returns the field with the next name, which is usually the next field.
    fn field_named(&mut self, record: &RecordShape, next: usize) -> Result<usize> {
        if let Some(field) = record.fields.get(next)
            && self.json.takes_string(field.name)
        {
            return self.json.expect(b':').map(|()| next);
        }
        let start = self.json.offset();
        let key = self.json.key()?;
        let found = record.fields.iter().position(|field| field.name == key);
        found.ok_or_else(|| {
            let names: Vec<_> = record.fields.iter().map(|field| field.name).collect();
            let why = format!("{} has no field `{key}`; expected one of {}", record.name, names.join(", "));
            self.json.wrong_at(start, &why)
        })
    }

    pub(super) fn field(&mut self, record: &RecordShape, at: usize) -> Result<()> {
        let field = &record.fields[at];
        let start = self.out.len();
        let decisions = self.structure.0.len();
        let has_places = |other: &FieldShape| other.role == Role::Places(field.name);
        self.starts =
            (matches!(field.shape, Shape::List(..)) && record.fields.iter().any(has_places)).then(Vec::new);
        self.cases = field.identity;
        let measure = self.at(Step::Field(field.name.into()), &field.shape)?;
        if let Some(starts) = self.starts.take() {
            self.listed.push((field.name, starts.into_iter().map(|at| at - start).collect()));
        }
        if is_derived(field) {
            self.structure.0.truncate(decisions);
        }
        let decisions = (decisions, self.structure.0.len());
        self.parts.push(Part { field: at, start, end: self.out.len(), decisions, measure: Some(measure) });
        Ok(())
    }

    /// Skips fields that are not in the JSON, of the record that starts at an offset.
    fn leave_room(
        &mut self,
        record: &RecordShape,
        record_at: usize,
        fields: std::ops::Range<usize>,
    ) -> Result<()> {
        for at in fields {
            let field = &record.fields[at];
            let start = self.out.len();
            self.structure.leave_out(field);
            if let Shape::Bytes(Length::Padding(to)) = field.shape {
                self.out.resize(start + padding_after(start - record_at, to), 0);
            } else if follows(field) {
                self.out.resize(start + room(&field.shape), 0);
                let decisions = (0, 0);
                self.parts.push(Part { field: at, start, end: self.out.len(), decisions, measure: None });
            } else if !may_be_missing(field) {
                return Err(self.json.wrong(&format!("`{}` is missing", field.name)));
            }
        }
        Ok(())
    }

    /// Rejects padding of another length than that of the record that starts at an offset.
    fn check_padding(&self, record: &RecordShape, base: usize, record_at: usize) -> Result<()> {
        for part in &self.parts[base..] {
            let field = &record.fields[part.field];
            let Shape::Bytes(Length::Padding(to)) = field.shape else { continue };
            let (expected, len) = (padding_after(part.start - record_at, to), part.end - part.start);
            if len != expected {
                let name = field.name;
                let why = format!(
                    "`{name}` has {len} bytes, but {expected} fill the record up to a multiple of {to}"
                );
                return Err(self.json.wrong(&why));
            }
        }
        Ok(())
    }

    /// Sorts fields into the order of the file.
    fn sort(&mut self, record: &RecordShape, base: usize, start: usize) -> Result<()> {
        let parts = self.parts.split_off(base);
        let bytes = self.out.split_off(start);
        for at in 0..record.fields.len() {
            let found = parts.iter().find(|part| part.field == at && part.measure.is_some());
            let Some(part) = found else {
                self.leave_room(record, start, at..at + 1)?;
                continue;
            };
            let from = self.out.len();
            self.out.extend_from_slice(&bytes[part.start - start..part.end - start]);
            self.parts.push(Part { start: from, end: self.out.len(), ..*part });
        }
        Ok(())
    }

    /// Sorts the decisions about fields into the order of the definition.
    fn sort_decisions(&mut self, record: &RecordShape, base: usize, start: usize) {
        let decisions = self.structure.0.split_off(start);
        for (at, field) in record.fields.iter().enumerate() {
            let found = self.parts[base..].iter().find(|part| part.field == at && part.measure.is_some());
            match found {
                Some(Part { decisions: (from, end), .. }) => {
                    self.structure.0.extend_from_slice(&decisions[from - start..end - start]);
                }
                None => self.structure.leave_out(field),
            }
        }
    }

    /// Returns the offsets in the parts of a layout. Records with such offsets have a fixed size.
    fn references_of(&self, record: &RecordShape, base: usize, start: usize) -> Vec<(usize, usize, Shape)> {
        let mut found = Vec::new();
        for part in self.parts[base..].iter().filter(|part| part.end > part.start) {
            let own = &record.fields[part.field];
            let Shape::Placed(content) = &own.shape else { continue };
            let (item, first, len) = match (&**content, part.measure) {
                (Shape::List(item, _), Some(Measure { len, .. })) => (&**item, 0, len),
                (item, _) => (item, number_in(own.name), 1),
            };
            let Shape::Record(item) = item else { continue };
            let room_of =
                |fields: &[FieldShape]| fields.iter().map(|field| room(&field.shape)).sum::<usize>();
            let size = room_of(&item.fields);
            for (at, field) in item.fields.iter().enumerate() {
                let Role::Places(target) = field.role else { continue };
                let (before, after) = (room_of(&item.fields[..at]), room_of(&item.fields[..=at]));
                // The last element of a truncated list can lack the offset.
                let is_there = |index: &usize| part.start + index * size + after <= part.end;
                for index in (0..len).take_while(is_there) {
                    let name = part_named(target, first + index);
                    let to = self.placed.iter().find(|(part, ..)| *part == name).map(|(_, to, _)| *to);
                    let place = part.start - start + index * size + before;
                    found.extend(to.map(|to| (place, to, field.shape.clone())));
                }
            }
        }
        found
    }

    /// Fills in the offsets in the parts of a layout, which count from the record that it is in.
    fn fill_in_references(&mut self, record: &RecordShape, base: usize) -> Result<()> {
        let is_layout =
            |part: &&Part| matches!(&record.fields[part.field].shape, Shape::Record(own) if is_layout(own));
        let Some(layout) = self.parts[base..].iter().find(is_layout).map(|part| part.start) else {
            return Ok(());
        };
        let start = self.parts[base..].iter().map(|part| part.start).min().unwrap_or(layout);
        for (at, to, shape) in std::mem::take(&mut self.references) {
            let at = layout + at;
            self.fill(&shape, at..at + room(&shape), (layout + to - start) as i128)?;
        }
        Ok(())
    }

    /// Fills in derived numbers, the last one first, so that offsets of earlier fields do not change.
    fn fill_in(&mut self, record: &RecordShape, base: usize) -> Result<()> {
        self.fill_in_references(record, base)?;
        for index in (base..self.parts.len()).rev() {
            let Part { field, start, end, measure: None, .. } = self.parts[index] else { continue };
            let field = &record.fields[field];
            if let Role::Places(target) = field.role
                && matches!(field.shape, Shape::List(..))
            {
                self.fill_in_places(record, base, target, &field.shape, start)?;
                continue;
            }
            if let Role::Follows(claim) = field.role {
                self.omitted.push([&self.path[..], &[Step::Field(claim.into())]].concat().into());
            }
            let value = self.derived(record, base, field.role);
            let missing = || self.json.wrong(&format!("`{}` is missing", field.name));
            self.fill(&field.shape, start..end, value.ok_or_else(missing)?)?;
        }
        Ok(())
    }

    /// Returns the offsets of the elements of a field. No field before them still grows when it is filled in.
    fn fill_in_places(
        &mut self,
        record: &RecordShape,
        base: usize,
        target: &str,
        shape: &Shape,
        at: usize,
    ) -> Result<()> {
        let part = self.parts[base..].iter().find(|part| record.fields[part.field].name == target);
        let start = part.map_or(0, |part| part.start);
        let listed = self.listed.iter().position(|(name, _)| *name == target);
        let starts = listed.map_or_else(Vec::new, |index| self.listed.swap_remove(index).1);
        let mut bytes = Vec::new();
        for place in starts {
            if let Shape::List(item, _) = shape {
                self.spell(item, (start + place) as i128, &mut bytes)?;
            }
        }
        self.out.splice(at..at, bytes);
        Ok(())
    }

    /// Returns the value of a derived field.
    fn derived(&self, record: &RecordShape, base: usize, role: Role) -> Option<i128> {
        if let Role::Sizes(target, plus) = role {
            let at = record.fields.iter().position(|field| field.name == target)?;
            let has_tail = record.fields.get(at + 1).is_some_and(|next| next.shape == Tail::shape());
            let sized =
                self.parts[base..].iter().filter(|part| part.field == at || has_tail && part.field == at + 1);
            // A damaged part and an empty tail are left out.
            return Some(sized.map(|part| (part.end - part.start) as i128).sum::<i128>() + i128::from(plus));
        }
        match role {
            // What follows is known when the file is decoded.
            Role::Follows(_) => return Some(0),
            // The offset of a part is known with all parts.
            Role::Places(target) if target.contains('#') => return Some(0),
            _ => {}
        }
        let (Role::Counts(target) | Role::Places(target) | Role::Decides(target)) = role else { return None };
        let read = |part: &&Part| record.fields[part.field].name == target;
        if let Some((layout, name)) = target.split_once('.') {
            let layout = self.parts[base..].iter().find(|part| record.fields[part.field].name == layout)?;
            let (_, start, measure) = self.placed.iter().find(|(part, ..)| *part == name)?;
            let is_count = matches!(role, Role::Counts(_));
            let record = self.parts[base..].iter().map(|part| part.start).min()?;
            return Some(if is_count { measure.len } else { layout.start + start - record } as i128);
        }
        let measure = self.parts[base..].iter().find(read)?.measure?;
        match role {
            Role::Counts(_) => Some(measure.len as i128),
            _ => measure.tag.map(i128::from),
        }
    }

    /// Writes a number into its reserved bytes.
    pub(super) fn fill(&mut self, counter: &Shape, room: std::ops::Range<usize>, number: i128) -> Result<()> {
        let mut bytes = Vec::with_capacity(8);
        self.spell(counter, number, &mut bytes)?;
        self.out.splice(room, bytes);
        Ok(())
    }

    /// Appends the bytes of a derived number.
    fn spell(&self, shape: &Shape, number: i128, bytes: &mut Vec<u8>) -> Result<()> {
        let text = number.to_string();
        let pushed = match plain(shape) {
            Shape::Scalar(number) => number.push(&text, bytes),
            Shape::Spelled(spell) => (spell.0)(&text).map(|spelled| bytes.extend(spelled)),
            _ => Err("is not a number".into()),
        };
        pushed.map_err(|why| self.json.wrong(&format!("invalid count: {why}")))
    }
}

fn padding_after(size: usize, to: u64) -> usize {
    usize::try_from(Padding::after(size as u64, to)).unwrap_or(usize::MAX)
}

fn is_number(shape: &Shape) -> bool {
    matches!(plain(shape), Shape::Scalar(_) | Shape::Spelled(_))
}

/// Returns the size of a number, if it is fixed.
pub(super) fn room(shape: &Shape) -> usize {
    match plain(shape) {
        Shape::Scalar(number) => number.size(),
        Shape::Spelled(spell) => spell.1.unwrap_or(0),
        _ => 0,
    }
}

/// Returns whether a field can be derived from others.
fn follows(field: &FieldShape) -> bool {
    match field.role {
        Role::Counts(_) | Role::Sizes(..) | Role::Follows(_) | Role::Decides(_) => is_number(&field.shape),
        Role::Places(_) => matches!(field.shape, Shape::List(..)) || is_number(&field.shape),
        Role::Free | Role::Encodes(_) | Role::Magic => false,
    }
}

/// Returns whether a field is optional.
pub(in crate::json) fn can_be_left_out(field: &FieldShape) -> bool {
    follows(field) || may_be_missing(field)
}

/// Returns whether a field can have no bytes.
fn may_be_missing(field: &FieldShape) -> bool {
    let can_be_empty = matches!(
        plain(&field.shape),
        Shape::Optional(_)
            | Shape::Part(_)
            | Shape::Placed(_)
            | Shape::Region(_)
            | Shape::Nothing
            | Shape::Bytes(Length::Padding(_) | Length::ToEnd | Length::Damage)
    );
    can_be_empty || field.condition.is_some()
}
