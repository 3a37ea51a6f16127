//! Reads lists: element by element, in rows, or with their count.

use std::rc::Rc;

use super::records::room;
use super::{Measure, Reader, plain, wrap};
use crate::json::Cursor;
use crate::json::cells::{Cells, WIDEST};
use crate::schema::{Count, RecordShape, Shape, Step};
use crate::{Error, Result};

impl Reader<'_, '_> {
    pub(super) fn list(&mut self, item: &Shape, count: &Count) -> Result<Measure> {
        let at = self.structure.0.len();
        if !matches!(count, Count::Fixed(_)) {
            self.structure.0.push(0);
        }
        let len = match count {
            Count::Fixed(len) => {
                let found = self.items(item)?;
                if found > *len || (found < *len && !self.truncated) {
                    return Err(self.json.wrong(&format!("has {found} elements, not {len}")));
                }
                self.structure.leave_out_elements(item, len - found);
                found
            }
            Count::Argument | Count::ToEnd => self.items(item)?,
            Count::MaybeCounted(_) if self.is_wrapped_in("there") => {
                self.alone(&mut |reader| reader.items(item))?
            }
            Count::Prefix(counter) | Count::MaybeCounted(counter) => {
                self.with_count(counter, "items", &mut |reader| reader.items(item))?
            }
        };
        if !matches!(count, Count::Fixed(_)) {
            self.structure.0[at] = wrap(len);
        }
        Ok(Measure { len, tag: None })
    }

    pub(super) fn items(&mut self, item: &Shape) -> Result<usize> {
        let cells = self.cells_of(item);
        match (plain(item), &cells) {
            (Shape::Record(record), Some(cells)) => {
                if self.json.peek() == b'{' {
                    return self.table(record, cells);
                }
                self.elements(None, &mut |reader| reader.value(item).map(drop))
            }
            _ => self.elements(cells.as_deref(), &mut |reader| reader.value(item).map(drop)),
        }
    }

    fn cells_of(&mut self, item: &Shape) -> Option<Rc<Cells>> {
        self.cells.entry(item).or_insert_with(|| Cells::of_shape(item).map(Rc::new)).clone()
    }

    /// Reads the elements between two brackets. Rows of numbers take a fast path; all others are read by their shape.
    fn elements(
        &mut self,
        cells: Option<&Cells>,
        read: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<usize> {
        let room = cells.map_or(0, |cells| WIDEST * cells.numbers());
        let mut starts = self.starts.take();
        self.json.expect(b'[')?;
        let mut first = true;
        let mut len = 0;
        self.path.push(Step::Index(0));
        while self.json.goes_on(&mut first, b']')? {
            if let Some(starts) = &mut starts {
                starts.push(self.out.len());
            }
            match cells.and_then(|cells| cells.take(self.json.ahead(room), &mut self.out)) {
                Some(passed) => self.json.pass(passed),
                None => {
                    if let Some(last) = self.path.last_mut() {
                        *last = Step::Index(len);
                    }
                    read(self)?;
                }
            }
            len += 1;
        }
        self.path.pop();
        self.starts = starts;
        Ok(len)
    }

    /// Reads records whose fields are named once.
    fn table(&mut self, record: &RecordShape, cells: &Cells) -> Result<usize> {
        let (mut named, mut len, mut first) = (false, None, true);
        self.json.expect(b'{')?;
        while self.json.goes_on(&mut first, b'}')? {
            let start = self.json.offset();
            match &self.json.key()?[..] {
                "fields" => {
                    self.fields(record)?;
                    named = true;
                }
                "rows" if len.is_some() => return Err(self.json.wrong_at(start, "duplicate member `rows`")),
                "rows" => len = Some(self.elements(Some(cells), &mut |reader| reader.cells(record))?),
                key => {
                    return Err(self
                        .json
                        .wrong_at(start, &format!("unknown member `{key}`; expected `fields` or `rows`")));
                }
            }
        }
        let missing = |what| self.json.wrong(&format!("`{what}` is missing"));
        match len {
            _ if !named => Err(missing("fields")),
            None => Err(missing("rows")),
            Some(len) => Ok(len),
        }
    }

    /// Reads the names of all fields of a record, in order.
    fn fields(&mut self, record: &RecordShape) -> Result<()> {
        let mut names = record.fields.iter().map(|field| field.name);
        let mut first = true;
        self.json.expect(b'[')?;
        while self.json.goes_on(&mut first, b']')? {
            if !names.next().is_some_and(|name| self.json.takes_string(name)) {
                return Err(other_fields(self.json, record));
            }
        }
        if names.next().is_some() { Err(other_fields(self.json, record)) } else { Ok(()) }
    }

    /// Reads the values of a record in the order of its fields.
    fn cells(&mut self, record: &RecordShape) -> Result<()> {
        let count =
            |json: &Cursor<'_>| json.wrong(&format!("expected {} values in a row", record.fields.len()));
        let mut first = true;
        self.json.expect(b'[')?;
        for field in &record.fields {
            if !self.json.goes_on(&mut first, b']')? {
                return Err(count(self.json));
            }
            self.at(Step::Field(field.name.into()), &field.shape)?;
        }
        if self.json.takes(b',') { Err(count(self.json)) } else { self.json.expect(b']') }
    }

    /// Returns whether an object follows whose first member has this name.
    pub(super) fn is_wrapped_in(&mut self, name: &str) -> bool {
        self.json.peek() == b'{'
            && self.json.peek_at(|json| json.takes(b'{') && json.takes_string(name) && json.takes(b':'))
    }

    /// Returns whether a list of records follows that names its fields once.
    fn is_table(&mut self) -> bool {
        self.is_wrapped_in("fields") || self.is_wrapped_in("rows")
    }

    /// Reads the value of an object with one member.
    pub(super) fn alone(&mut self, read: &mut dyn FnMut(&mut Self) -> Result<usize>) -> Result<usize> {
        self.json.expect(b'{')?;
        self.json.key()?;
        let len = read(self)?;
        self.json.expect(b'}')?;
        Ok(len)
    }

    /// Reads a value and its count or length, which is present only if its encoding is unusual.
    pub(super) fn with_count(
        &mut self,
        counter: &Shape,
        name: &str,
        read: &mut dyn FnMut(&mut Self) -> Result<usize>,
    ) -> Result<usize> {
        if self.json.peek() == b'{' && !self.is_table() {
            return self.with_unusual_count(counter, name, read);
        }
        let start = self.out.len();
        self.out.resize(start + room(counter), 0);
        let end = self.out.len();
        let len = read(self)?;
        self.fill(counter, start..end, len as i128)?;
        Ok(len)
    }

    /// Reads a value with an explicit count or length.
    fn with_unusual_count(
        &mut self,
        counter: &Shape,
        name: &str,
        read: &mut dyn FnMut(&mut Self) -> Result<usize>,
    ) -> Result<usize> {
        let start = self.out.len();
        let (mut prefix, mut len, mut first) = (None, None, true);
        self.json.expect(b'{')?;
        while self.json.goes_on(&mut first, b'}')? {
            match &self.json.key()?[..] {
                "num" | "len" if prefix.is_some() => return Err(self.json.wrong("duplicate count")),
                key if key == name && len.is_some() => {
                    return Err(self.json.wrong(&format!("duplicate member `{key}`")));
                }
                "num" | "len" => {
                    let at = self.out.len();
                    self.value(counter)?;
                    prefix = Some(self.out.split_off(at));
                }
                key if key == name => len = Some(read(self)?),
                key => return Err(self.json.wrong(&format!("unexpected member `{key}`"))),
            }
        }
        let (Some(prefix), Some(len)) = (prefix, len) else {
            return Err(self.json.wrong(&format!("`{name}` or its count is missing")));
        };
        self.out.splice(start..start, prefix);
        Ok(len)
    }
}

fn other_fields(json: &Cursor<'_>, record: &RecordShape) -> Error {
    let names: Vec<_> = record.fields.iter().map(|field| field.name).collect();
    json.wrong(&format!("expected the fields of {}, in this order: {}", record.name, names.join(", ")))
}
