//! Converts JSON to the bytes of a file, by the shape of its format.
//!
//! Values are encoded in the order in which they are read. Omitted counts and tags are inserted after the fields that
//! determine them.

mod lists;
mod records;

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use super::Cursor;
use super::cells::Cells;
use crate::schema::{
    EditError, FieldPath, FlagsShape, Identity, Length, RecordShape, Shape, Step, Structure, parse_hex,
    unescape,
};
use crate::{Error, Result};

pub(super) use records::can_be_left_out;

/// The content of a packed value, which is not yet in the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    /// The path of the packed value.
    pub path: FieldPath,
    /// The content.
    pub plain: Vec<u8>,
}

/// A value that has been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoded {
    /// The bytes, with packed values as they are stored.
    pub bytes: Vec<u8>,
    /// The content of the packed values.
    pub contents: Vec<Inside>,
    /// The structure that the text describes. Other fields decide whether the bytes have it.
    pub structure: Structure,
    /// The claims of the numbers that the text omits, because they follow from the content.
    pub omitted: Vec<FieldPath>,
}

/// Reads a value of a shape, or the start of a truncated one.
///
/// # Errors
/// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) if the text is not JSON or not a value of this shape, with an offset
/// in the text.
pub fn read(json: &mut Cursor<'_>, shape: &Shape, truncated: bool) -> Result<Encoded> {
    let (out, parts, path, inside) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let structure = Structure::default();
    let mut reader = Reader {
        json,
        truncated,
        out,
        parts,
        path,
        inside,
        structure,
        cells: HashMap::new(),
        starts: None,
        listed: Vec::new(),
        cases: None,
        placed: Vec::new(),
        references: Vec::new(),
        omitted: Vec::new(),
    };
    match reader.value(shape) {
        Ok(_) => Ok(Encoded {
            bytes: reader.out,
            contents: reader.inside,
            structure: reader.structure,
            omitted: reader.omitted,
        }),
        Err(error) => Err(error.at(reader.path.into())),
    }
}

struct Reader<'a, 'b> {
    json: &'a mut Cursor<'b>,
    /// Whether the file is truncated, so that missing fields are not created.
    truncated: bool,
    out: Vec<u8>,
    /// The fields of the records that are currently read.
    parts: Vec<Part>,
    path: Vec<Step>,
    inside: Vec<Inside>,
    structure: Structure,
    /// What the next value identifies, if it is the value of a field.
    cases: Option<Identity>,
    /// The rows by the address of their shape. All shapes are parts of the one that is read; it is borrowed, so an
    /// address identifies a shape.
    cells: HashMap<*const Shape, Option<Rc<Cells>>>,
    /// The offsets of the elements of the next list, if they are needed.
    starts: Option<Vec<usize>>,
    /// The offsets of elements, for fields whose elements other fields refer to by offset.
    listed: Vec<(&'static str, Vec<usize>)>,
    /// The offsets of the parts of a layout, for the counts and offsets in the enclosing record.
    placed: Vec<(&'static str, usize, Measure)>,
    /// The offsets in parts of a layout: the place of the number, and that of the part that it refers to.
    references: Vec<(usize, usize, Shape)>,
    /// The claims of numbers that the text omits.
    omitted: Vec<FieldPath>,
}

/// The information on a value from other fields of its record.
#[derive(Clone, Copy, Default)]
struct Measure {
    /// The number of elements, or of bytes if it has no elements.
    len: usize,
    /// The tag of its body.
    tag: Option<i64>,
}

/// A field that has been read, or has reserved bytes.
#[derive(Clone, Copy)]
struct Part {
    field: usize,
    start: usize,
    end: usize,
    /// Where its decisions start and end in the structure.
    decisions: (usize, usize),
    /// `None` if it is not in the JSON.
    measure: Option<Measure>,
}

/// The most steps to a value that contains others of its type.
const MOST_STEPS: usize = 512;

impl Reader<'_, '_> {
    fn value(&mut self, shape: &Shape) -> Result<Measure> {
        let cases = self.cases.take();
        match shape {
            Shape::Scalar(number) | Shape::Flags(FlagsShape { word: number, .. }) => {
                let text = text_of(self.json)?;
                let case = cases.and_then(|cases| cases.number(&text));
                let text = case.map_or(text, |case| case.to_string().into());
                let pushed = number.push(&text, &mut self.out);
                pushed.map_err(|why| self.refused(&why))?;
                Ok(Measure::default())
            }
            Shape::Spelled(spell) => {
                let bytes = (spell.0)(&text_of(self.json)?);
                self.out.extend(bytes.map_err(|why| self.refused(&why))?);
                Ok(Measure::default())
            }
            Shape::Bytes(length) => self.bytes(length),
            Shape::List(item, count) => self.list(item, count),
            Shape::Record(record) => self.record(record),
            Shape::Choice(choice) => self.choice(choice),
            Shape::Optional(inner) | Shape::Part(inner) | Shape::Region(inner) => {
                let is_absent = self.json.null();
                self.structure.0.push((!is_absent).into());
                if is_absent { Ok(Measure::default()) } else { self.value(inner) }
            }
            Shape::Nothing if self.json.null() => Ok(Measure::default()),
            Shape::Nothing => Err(self.json.wrong("expected null")),
            Shape::Written { of: inner, .. } => self.value(inner),
            Shape::Recursive(_) if self.path.len() > MOST_STEPS => {
                Err(self.json.wrong("values are nested too deeply"))
            }
            Shape::Recursive(own) => self.value(own.shape()),
            Shape::Placed(inner) => {
                self.structure.0.push(1);
                self.value(inner)
            }
            Shape::Packed { stored, content } => self.packed(stored, content),
        }
    }

    fn refused(&self, why: &EditError) -> Error {
        self.json.wrong(&why.to_string())
    }

    /// Reads a field of a record, and adds its name to errors.
    fn at(&mut self, step: Step, shape: &Shape) -> Result<Measure> {
        self.path.push(step);
        // Keeps the path of the error at the place where it occurred.
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
                    return Err(self.json.wrong(&format!("{len} bytes exceed the field of {size} bytes")));
                }
                self.out.resize(start + size, 0);
                *size
            }
            Length::Argument | Length::Padding(_) | Length::ToEnd | Length::Damage => self.text()?,
            Length::Terminated => {
                let len = self.text()?;
                self.out.push(0);
                len + 1
            }
            Length::Prefix(counter) => self.with_count(counter, "text", &mut Self::text)?,
            Length::Ended(counter) => self.with_count(counter, "text", &mut Self::ended_text)?,
        };
        if !matches!(length, Length::Text(_) | Length::Padding(_)) {
            self.structure.0.push(wrap(len));
        }
        Ok(Measure { len, tag: None })
    }

    /// Reads text or bytes in one or several rows, and returns the number of bytes.
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

    /// Reads a text, and adds its terminating NUL, or reads bytes unchanged.
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
            Some(hex) => {
                parse_hex(hex).ok_or_else(|| "`hex:` must be followed by pairs of hexadecimal digits".into())
            }
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

    fn choice(&mut self, choice: &RecordShape) -> Result<Measure> {
        let start = self.json.offset();
        let alone = self.json.peek() == b'"';
        let name = if alone {
            self.json.string()?.into_owned()
        } else {
            self.json.expect(b'{')?;
            self.json.key()?
        };
        let Some(index) = choice.fields.iter().position(|body| body.name == name) else {
            let names: Vec<_> = choice.fields.iter().map(|body| body.name).collect();
            return Err(self
                .json
                .wrong_at(start, &format!("unknown form `{name}`; expected one of {}", names.join(", "))));
        };
        let body = &choice.fields[index];
        self.structure.0.push(wrap(index));
        let mut measure = Measure::default();
        if !alone {
            measure = self.value(&body.shape)?;
            self.json.expect(b'}')?;
        } else if body.shape != Shape::Nothing {
            let why = format!("`{name}` has content: {{\"{name}\": ..}}");
            return Err(self.json.wrong_at(start, &why));
        }
        measure.tag = body.tag;
        Ok(measure)
    }

    fn packed(&mut self, stored: &Shape, content: &Shape) -> Result<Measure> {
        if !self.is_wrapped_in("stored") && !self.is_wrapped_in("content") {
            self.structure.0.push(0);
            return self.value(stored);
        }
        self.structure.0.push(1);
        let (mut measure, mut plain, mut first) = (None, None, true);
        self.json.expect(b'{')?;
        while self.json.goes_on(&mut first, b'}')? {
            match &self.json.key()?[..] {
                "stored" if measure.is_some() => return Err(self.json.wrong("duplicate member `stored`")),
                "content" if plain.is_some() => return Err(self.json.wrong("duplicate member `content`")),
                "stored" => {
                    let decisions = self.structure.0.len();
                    measure = Some(self.value(stored)?);
                    // The content decides how it is packed.
                    self.structure.0.truncate(decisions);
                }
                "content" => plain = Some(self.content(content)?),
                key => {
                    return Err(self
                        .json
                        .wrong(&format!("unknown member `{key}`; expected `stored` or `content`")));
                }
            }
        }
        let (Some(measure), Some(plain)) = (measure, plain) else {
            return Err(self.json.wrong("`stored` or `content` is missing"));
        };
        self.inside.push(Inside { path: self.path.clone().into(), plain });
        Ok(measure)
    }

    /// Reads the bytes of packed content, which are not part of the file.
    fn content(&mut self, content: &Shape) -> Result<Vec<u8>> {
        let outer = std::mem::take(&mut self.out);
        self.path.push(Step::Inside);
        self.value(content)?;
        self.path.pop();
        Ok(std::mem::replace(&mut self.out, outer))
    }
}

/// Returns a number of a [`Structure`].
#[expect(
    clippy::cast_possible_truncation,
    reason = "long lists have the same number where they are compared"
)]
const fn wrap(len: usize) -> u32 {
    len as u32
}

/// Reads a number as text, with or without quotes.
fn text_of<'a>(json: &'a mut Cursor<'_>) -> Result<Cow<'a, str>> {
    if json.peek() == b'"' { json.string() } else { json.number().map(Cow::Borrowed) }
}

/// Returns the shape without layers that only the published schema has.
pub(super) fn plain(shape: &Shape) -> &Shape {
    match shape {
        Shape::Written { of, .. } => plain(of),
        Shape::Recursive(own) => plain(own.shape()),
        shape => shape,
    }
}
