//! From JSON to the bytes of a file, led by the shape of its format.
//!
//! Values are laid down as they come. What the JSON leaves out, counts and tags, is put in when what they count or tell
//! has been read.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use super::Cursor;
use super::cells::{Cells, WIDEST};
use super::number::Number;
use crate::schema::{
    Count, FieldShape, Length, Path, RecordShape, Refusal, Role, Shape, Step, parse_hex, unescape,
};
use crate::{Error, Result};

/// The content of a packed value, which is not yet in the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    /// Where the packed value stands.
    pub path: Path,
    /// Its content.
    pub plain: Vec<u8>,
}

/// Reads a value of a shape: its bytes with all packed values as they are stored, and their contents.
///
/// # Errors
/// [`Kind::Syntax`](crate::Kind::Syntax) where the text is no JSON or no value of this shape. The offset is one in the
/// text.
pub fn read(json: &mut Cursor<'_>, shape: &Shape) -> Result<(Vec<u8>, Vec<Inside>)> {
    let (out, parts, path, inside) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut reader =
        Reader { json, out, parts, path, inside, cells: HashMap::new(), starts: None, listed: Vec::new() };
    match reader.value(shape) {
        Ok(_) => Ok((reader.out, reader.inside)),
        Err(error) => Err(error.at(reader.path.into())),
    }
}

struct Reader<'a, 'b> {
    json: &'a mut Cursor<'b>,
    out: Vec<u8>,
    /// The fields of the records that are being read.
    parts: Vec<Part>,
    path: Vec<Step>,
    inside: Vec<Inside>,
    /// The rows of shapes that have been met, by where these lie.
    cells: HashMap<*const Shape, Option<Rc<Cells>>>,
    /// Where the elements of the list that is read next begin, where that is asked for.
    starts: Option<Vec<usize>>,
    /// The fields whose elements other fields say the places of: where each begins in its field.
    listed: Vec<(&'static str, Vec<usize>)>,
}

/// What other fields of a record say of a value.
#[derive(Clone, Copy, Default)]
struct Measure {
    /// Its elements, or its bytes where it has none.
    len: usize,
    /// The number that tells its body.
    tag: Option<u64>,
}

/// A field that has been read, or left room for.
#[derive(Clone, Copy)]
struct Part {
    field: usize,
    start: usize,
    end: usize,
    /// None where the JSON does not have it.
    measure: Option<Measure>,
}

impl Reader<'_, '_> {
    fn value(&mut self, shape: &Shape) -> Result<Measure> {
        match shape {
            Shape::Scalar(kaitai) => {
                let number = Number::of_shape(kaitai)
                    .ok_or_else(|| self.json.wrong(&format!("`{kaitai}` is no type of a number")))?;
                let pushed = number.push(&spelled(self.json)?, &mut self.out);
                pushed.map_err(|why| self.refused(&why))?;
                Ok(Measure::default())
            }
            Shape::Spelled(spell) => {
                let bytes = (spell.0)(&spelled(self.json)?);
                self.out.extend(bytes.map_err(|why| self.refused(&why))?);
                Ok(Measure::default())
            }
            Shape::Bytes(length) => self.bytes(length),
            Shape::List(item, count) => self.list(item, count),
            Shape::Record(record) => match &record.fields[..] {
                [word] if is_word(record) => self.value(&word.shape),
                _ => self.record(record),
            },
            Shape::Choice(choice) => self.choice(choice),
            Shape::Optional(inner) | Shape::Part(inner) => {
                if self.json.null() {
                    Ok(Measure::default())
                } else {
                    self.value(inner)
                }
            }
            Shape::Nothing if self.json.null() => Ok(Measure::default()),
            Shape::Nothing => Err(self.json.wrong("nothing can stand here but null")),
            Shape::Written { of, .. } => self.value(of),
            Shape::Packed { stored, content } => self.packed(stored, content),
        }
    }

    fn refused(&self, why: &Refusal) -> Error {
        self.json.wrong(&why.0)
    }

    /// A field of a record, with errors that say so.
    fn at(&mut self, step: Step, shape: &Shape) -> Result<Measure> {
        self.path.push(step);
        // The path of an error stays as it was where it happened.
        let measure = self.value(shape)?;
        self.path.pop();
        Ok(measure)
    }

    fn bytes(&mut self, length: &Length) -> Result<Measure> {
        let start = self.out.len();
        let len = match length {
            Length::Text(size) => {
                let len = self.text()?;
                if len > *size {
                    return Err(self.json.wrong(&format!("longer than {size} bytes: {len}")));
                }
                self.out.resize(start + size, 0);
                *size
            }
            Length::Argument | Length::ToEnd => self.text()?,
            Length::Lead(counter) => self.led(counter, "text", &mut Self::text)?,
            Length::Ended(counter) => self.led(counter, "text", &mut Self::ended_text)?,
        };
        Ok(Measure { len, tag: None })
    }

    /// A text or bytes, in one row or several; how many bytes that are.
    fn text(&mut self) -> Result<usize> {
        let start = self.out.len();
        if self.json.takes(b'[') {
            let mut first = true;
            while self.json.goes_on(&mut first, b']')? {
                self.row()?;
            }
        } else {
            self.row()?;
        }
        Ok(self.out.len() - start)
    }

    /// A text and the NUL that ends it, or bytes as they are.
    fn ended_text(&mut self) -> Result<usize> {
        let is_whole = self.json.peek_at(|json| {
            json.takes(b'[');
            json.peek() == b'"' && json.ahead(5).starts_with(b"\"hex:")
        });
        let len = self.text()?;
        self.out.extend((!is_whole).then_some(0));
        Ok(len + usize::from(!is_whole))
    }

    fn row(&mut self) -> Result<()> {
        let text = self.json.string()?;
        let bytes = match text.strip_prefix("hex:") {
            Some(hex) => parse_hex(hex).ok_or_else(|| "`hex:` takes pairs of hexadecimal digits".into()),
            None if !text.contains('\\') => {
                self.out.extend_from_slice(text.as_bytes());
                return Ok(());
            }
            None => unescape(&text),
        };
        drop(text);
        self.out.extend(bytes.map_err(|why| self.refused(&why))?);
        Ok(())
    }

    fn list(&mut self, item: &Shape, count: &Count) -> Result<Measure> {
        let len = match count {
            Count::Fixed(len) => {
                let found = self.items(item)?;
                if found != *len {
                    return Err(self.json.wrong(&format!("has {found} elements, not {len}")));
                }
                found
            }
            Count::Argument | Count::ToEnd => self.items(item)?,
            Count::Announced(_) if self.is_wrapped_in("there") => {
                self.alone(&mut |reader| reader.items(item))?
            }
            Count::Lead(counter) | Count::Announced(counter) => {
                self.led(counter, "items", &mut |reader| reader.items(item))?
            }
        };
        Ok(Measure { len, tag: None })
    }

    fn items(&mut self, item: &Shape) -> Result<usize> {
        let cells = self.cells_of(item);
        match (plain(item), &cells) {
            (Shape::Record(record), Some(cells)) if !is_word(record) => {
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

    /// The elements between two brackets. What looks like cells is taken at once, all else is read as its shape says.
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

    /// Records whose fields are named once.
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
                "rows" if len.is_some() => return Err(self.json.wrong_at(start, "`rows` stands twice")),
                "rows" => len = Some(self.elements(Some(cells), &mut |reader| reader.cells(record))?),
                key => {
                    return Err(self
                        .json
                        .wrong_at(start, &format!("`{key}` is neither `fields` nor `rows`")));
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

    /// The names of all fields of a record in their order.
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

    /// The values of a record in the order of its fields.
    fn cells(&mut self, record: &RecordShape) -> Result<()> {
        let count = |json: &Cursor<'_>| json.wrong(&format!("a row has {} values", record.fields.len()));
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

    /// Whether an object stands here whose first member has this name.
    fn is_wrapped_in(&mut self, name: &str) -> bool {
        self.json.peek() == b'{'
            && self.json.peek_at(|json| json.takes(b'{') && json.takes_string(name) && json.takes(b':'))
    }

    /// Whether a list of records stands here that names its fields once.
    fn is_table(&mut self) -> bool {
        self.is_wrapped_in("fields") || self.is_wrapped_in("rows")
    }

    /// The value of an object with one member.
    fn alone(&mut self, read: &mut dyn FnMut(&mut Self) -> Result<usize>) -> Result<usize> {
        self.json.expect(b'{')?;
        self.json.key()?;
        let len = read(self)?;
        self.json.expect(b'}')?;
        Ok(len)
    }

    /// A value behind its count or length, which is spelled only where it is unusual.
    fn led(
        &mut self,
        counter: &Shape,
        name: &str,
        read: &mut dyn FnMut(&mut Self) -> Result<usize>,
    ) -> Result<usize> {
        if self.json.peek() == b'{' && !self.is_table() {
            return self.led_unusually(counter, name, read);
        }
        let start = self.out.len();
        self.out.resize(start + room(counter), 0);
        let end = self.out.len();
        let len = read(self)?;
        self.fill(counter, start..end, len as u64)?;
        Ok(len)
    }

    /// A value with a count or length of its own.
    fn led_unusually(
        &mut self,
        counter: &Shape,
        name: &str,
        read: &mut dyn FnMut(&mut Self) -> Result<usize>,
    ) -> Result<usize> {
        let start = self.out.len();
        let (mut lead, mut len, mut first) = (None, None, true);
        self.json.expect(b'{')?;
        while self.json.goes_on(&mut first, b'}')? {
            match &self.json.key()?[..] {
                "num" | "len" if lead.is_some() => return Err(self.json.wrong("the count stands twice")),
                key if key == name && len.is_some() => {
                    return Err(self.json.wrong(&format!("`{key}` stands twice")));
                }
                "num" | "len" => {
                    let at = self.out.len();
                    self.value(counter)?;
                    lead = Some(self.out.split_off(at));
                }
                key if key == name => len = Some(read(self)?),
                key => return Err(self.json.wrong(&format!("`{key}` cannot stand here"))),
            }
        }
        let (Some(lead), Some(len)) = (lead, len) else {
            return Err(self.json.wrong(&format!("`{name}` is missing, or what counts it")));
        };
        self.out.splice(start..start, lead);
        Ok(len)
    }

    /// Writes a number into the room that was left for it.
    fn fill(&mut self, counter: &Shape, room: std::ops::Range<usize>, number: u64) -> Result<()> {
        let mut bytes = Vec::with_capacity(8);
        self.spell(counter, number, &mut bytes)?;
        self.out.splice(room, bytes);
        Ok(())
    }

    /// Appends the bytes of a number that follows from others.
    fn spell(&self, shape: &Shape, number: u64, bytes: &mut Vec<u8>) -> Result<()> {
        let text = number.to_string();
        let pushed = match plain(shape) {
            Shape::Scalar(kaitai) => Number::of_shape(kaitai)
                .ok_or_else(|| "is no number".into())
                .and_then(|number| number.push(&text, bytes)),
            Shape::Spelled(spell) => (spell.0)(&text).map(|spelled| bytes.extend(spelled)),
            _ => Err("is no number".into()),
        };
        pushed.map_err(|why| self.json.wrong(&format!("its count: {}", why.0)))
    }

    fn choice(&mut self, choice: &RecordShape) -> Result<Measure> {
        let start = self.json.offset();
        let alone = self.json.peek() == b'"';
        let name = if alone {
            self.json.string()?.into_owned()
        } else {
            self.json.expect(b'{')?;
            self.json.key()?
        };
        let Some(body) = choice.fields.iter().find(|body| body.name == name) else {
            let names: Vec<_> = choice.fields.iter().map(|body| body.name).collect();
            return Err(self.json.wrong_at(start, &format!("`{name}` is none of {}", names.join(", "))));
        };
        let mut measure = Measure::default();
        if !alone {
            measure = self.value(&body.shape)?;
            self.json.expect(b'}')?;
        } else if body.shape != Shape::Nothing {
            let why = format!("`{name}` holds something: {{\"{name}\": ..}}");
            return Err(self.json.wrong_at(start, &why));
        }
        measure.tag = tag_of(choice, body);
        Ok(measure)
    }

    fn packed(&mut self, stored: &Shape, content: &Shape) -> Result<Measure> {
        if !self.is_wrapped_in("stored") && !self.is_wrapped_in("content") {
            return self.value(stored);
        }
        let (mut measure, mut plain, mut first) = (None, None, true);
        self.json.expect(b'{')?;
        while self.json.goes_on(&mut first, b'}')? {
            match &self.json.key()?[..] {
                "stored" if measure.is_some() => return Err(self.json.wrong("`stored` stands twice")),
                "content" if plain.is_some() => return Err(self.json.wrong("`content` stands twice")),
                "stored" => measure = Some(self.value(stored)?),
                "content" => plain = Some(self.content(content)?),
                key => return Err(self.json.wrong(&format!("`{key}` is neither `stored` nor `content`"))),
            }
        }
        let (Some(measure), Some(plain)) = (measure, plain) else {
            return Err(self.json.wrong("`stored` or `content` is missing"));
        };
        self.inside.push(Inside { path: self.path.clone().into(), plain });
        Ok(measure)
    }

    /// The bytes of a content, which are not those of the file.
    fn content(&mut self, content: &Shape) -> Result<Vec<u8>> {
        let outer = std::mem::take(&mut self.out);
        self.path.push(Step::Inside);
        self.value(content)?;
        self.path.pop();
        Ok(std::mem::replace(&mut self.out, outer))
    }

    fn record(&mut self, record: &RecordShape) -> Result<Measure> {
        let (base, start) = (self.parts.len(), self.out.len());
        self.json.expect(b'{')?;
        let mut first = true;
        let mut next = 0;
        let mut in_order = true;
        while self.json.goes_on(&mut first, b'}')? {
            let start = self.json.offset();
            let at = self.field_named(record, next)?;
            if self.parts[base..].iter().any(|part| part.field == at && part.measure.is_some()) {
                let why = format!("`{}` stands twice", record.fields[at].name);
                return Err(self.json.wrong_at(start, &why));
            }
            in_order &= at >= next && record.fields[next..at].iter().all(can_be_left_out);
            if in_order {
                self.leave_room(record, next..at)?;
            }
            self.field(record, at)?;
            next = at + 1;
        }
        if in_order {
            self.leave_room(record, next..record.fields.len())?;
        } else {
            self.sort(record, base, start)?;
        }
        self.fill_in(record, base)?;
        self.parts.truncate(base);
        Ok(Measure::default())
    }

    /// The field whose name stands here, most likely the next.
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
            let why = format!("{} has no field `{key}`, but {}", record.name, names.join(", "));
            self.json.wrong_at(start, &why)
        })
    }

    fn field(&mut self, record: &RecordShape, at: usize) -> Result<()> {
        let field = &record.fields[at];
        let start = self.out.len();
        let has_places = |other: &FieldShape| other.role == Role::Places(field.name);
        self.starts =
            (matches!(field.shape, Shape::List(..)) && record.fields.iter().any(has_places)).then(Vec::new);
        let measure = self.at(Step::Field(field.name.into()), &field.shape)?;
        if let Some(starts) = self.starts.take() {
            self.listed.push((field.name, starts.into_iter().map(|at| at - start).collect()));
        }
        self.parts.push(Part { field: at, start, end: self.out.len(), measure: Some(measure) });
        Ok(())
    }

    /// Passes over fields that the JSON does not have.
    fn leave_room(&mut self, record: &RecordShape, fields: std::ops::Range<usize>) -> Result<()> {
        for at in fields {
            let field = &record.fields[at];
            let start = self.out.len();
            if follows(field) {
                self.out.resize(start + room(&field.shape), 0);
                self.parts.push(Part { field: at, start, end: self.out.len(), measure: None });
            } else if !may_be_missing(field) {
                return Err(self.json.wrong(&format!("`{}` is missing", field.name)));
            }
        }
        Ok(())
    }

    /// Puts fields that came in another order into that of the file.
    fn sort(&mut self, record: &RecordShape, base: usize, start: usize) -> Result<()> {
        let parts = self.parts.split_off(base);
        let bytes = self.out.split_off(start);
        for at in 0..record.fields.len() {
            let found = parts.iter().find(|part| part.field == at && part.measure.is_some());
            let Some(part) = found else {
                self.leave_room(record, at..at + 1)?;
                continue;
            };
            let from = self.out.len();
            self.out.extend_from_slice(&bytes[part.start - start..part.end - start]);
            self.parts.push(Part { start: from, end: self.out.len(), ..*part });
        }
        Ok(())
    }

    /// Fills in the numbers that follow from other fields, from the last, so that all places stay what they are.
    fn fill_in(&mut self, record: &RecordShape, base: usize) -> Result<()> {
        for index in (base..self.parts.len()).rev() {
            let Part { field, start, end, measure: None } = self.parts[index] else { continue };
            let field = &record.fields[field];
            if let Role::Places(target) = field.role {
                self.fill_in_places(record, base, target, &field.shape, start)?;
                continue;
            }
            let told = self.told(record, base, field.role);
            let missing = || self.json.wrong(&format!("`{}` is missing", field.name));
            self.fill(&field.shape, start..end, told.ok_or_else(missing)?)?;
        }
        Ok(())
    }

    /// Says where the elements of a field begin. Nothing in front of them is still to be filled in with more bytes than
    /// were left for it.
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
                self.spell(item, (start + place) as u64, &mut bytes)?;
            }
        }
        self.out.splice(at..at, bytes);
        Ok(())
    }

    /// What a field of this role must be for what has been read.
    fn told(&self, record: &RecordShape, base: usize, role: Role) -> Option<u64> {
        let (Role::Counts(target) | Role::Decides(target)) = role else { return None };
        let read = |part: &&Part| record.fields[part.field].name == target;
        let measure = self.parts[base..].iter().find(read)?.measure?;
        match role {
            Role::Counts(_) => Some(measure.len as u64),
            _ => measure.tag,
        }
    }
}

fn other_fields(json: &Cursor<'_>, record: &RecordShape) -> Error {
    let names: Vec<_> = record.fields.iter().map(|field| field.name).collect();
    json.wrong(&format!("the fields of {} are {}, in this order", record.name, names.join(", ")))
}

/// A number as it is spelled, in quotes or not.
fn spelled<'a>(json: &'a mut Cursor<'_>) -> Result<Cow<'a, str>> {
    if json.peek() == b'"' { json.string() } else { json.number().map(Cow::Borrowed) }
}

/// A flag word is told as one number.
pub(super) fn is_word(record: &RecordShape) -> bool {
    matches!(&record.fields[..], [field] if field.name == "raw") && !record.instances.is_empty()
}

/// The shape without what only the published schema says.
pub(super) fn plain(shape: &Shape) -> &Shape {
    match shape {
        Shape::Written { of, .. } => plain(of),
        shape => shape,
    }
}

fn is_number(shape: &Shape) -> bool {
    matches!(plain(shape), Shape::Scalar(_) | Shape::Spelled(_))
}

/// Bytes that a number takes whatever it is.
fn room(shape: &Shape) -> usize {
    match plain(shape) {
        Shape::Scalar(kaitai) => Number::of_shape(kaitai).map_or(0, Number::size),
        _ => 0,
    }
}

/// Whether a field can be made of others.
fn follows(field: &FieldShape) -> bool {
    match field.role {
        Role::Counts(_) | Role::Decides(_) => is_number(&field.shape),
        Role::Places(_) => true,
        Role::Free | Role::Magic => false,
    }
}

/// Whether a record can go on without this field.
pub(super) fn can_be_left_out(field: &FieldShape) -> bool {
    follows(field) || may_be_missing(field)
}

/// Whether a field can have no bytes.
fn may_be_missing(field: &FieldShape) -> bool {
    let can_be_empty = matches!(
        plain(&field.shape),
        Shape::Optional(_) | Shape::Part(_) | Shape::Nothing | Shape::Bytes(Length::ToEnd)
    );
    can_be_empty || field.condition.is_some()
}

/// The number that tells a body, from the condition that is published: `tag == 6`.
fn tag_of(choice: &RecordShape, body: &FieldShape) -> Option<u64> {
    let (tag, _) = choice.params.first()?;
    body.condition?.strip_prefix(tag)?.strip_prefix(" == ")?.parse().ok()
}
