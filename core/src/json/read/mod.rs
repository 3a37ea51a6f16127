//! From JSON to the bytes of a file, led by the shape of its format.
//!
//! Values are laid down as they come. What the JSON leaves out, counts and tags, is put in when what they count or tell
//! has been read.

mod lists;
mod records;

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use super::Cursor;
use super::cells::Cells;
use crate::schema::{
    EditError, FieldPath, FlagsShape, Length, RecordShape, Shape, Step, parse_hex, unescape,
};
use crate::{Error, Result};

pub(super) use records::can_be_left_out;

/// The content of a packed value, which is not yet in the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    /// Where the packed value stands.
    pub path: FieldPath,
    /// Its content.
    pub plain: Vec<u8>,
}

/// Reads a value of a shape, or the beginning of one that is truncated: its bytes with all packed values as they are stored, and their contents.
///
/// # Errors
/// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) where the text is no JSON or no value of this shape. The offset is one in the
/// text.
pub fn read(json: &mut Cursor<'_>, shape: &Shape, truncated: bool) -> Result<(Vec<u8>, Vec<Inside>)> {
    let (out, parts, path, inside) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut reader = Reader {
        json,
        truncated,
        out,
        parts,
        path,
        inside,
        cells: HashMap::new(),
        starts: None,
        listed: Vec::new(),
        placed: Vec::new(),
    };
    match reader.value(shape) {
        Ok(_) => Ok((reader.out, reader.inside)),
        Err(error) => Err(error.at(reader.path.into())),
    }
}

struct Reader<'a, 'b> {
    json: &'a mut Cursor<'b>,
    /// Whether the file ends before its fields do: those that are missing are not made up.
    truncated: bool,
    out: Vec<u8>,
    /// The fields of the records that are being read.
    parts: Vec<Part>,
    path: Vec<Step>,
    inside: Vec<Inside>,
    /// The rows of shapes that have been met, by where these lie: all are parts of the one that is read, which is
    /// borrowed meanwhile, so that none moves or makes room for another.
    cells: HashMap<*const Shape, Option<Rc<Cells>>>,
    /// Where the elements of the list that is read next begin, where that is asked for.
    starts: Option<Vec<usize>>,
    /// The fields whose elements other fields say the places of: where each begins in its field.
    listed: Vec<(&'static str, Vec<usize>)>,
    /// The parts of a layout, which the record around it counts and places: where each begins in the layout.
    placed: Vec<(&'static str, usize, Measure)>,
}

/// What other fields of a record say of a value.
#[derive(Clone, Copy, Default)]
struct Measure {
    /// Its elements, or its bytes where it has none.
    len: usize,
    /// The number that tells its body.
    tag: Option<i64>,
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
            Shape::Scalar(number) | Shape::Flags(FlagsShape { word: number, .. }) => {
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
            Shape::Record(record) => self.record(record),
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
            Shape::Written { of: inner, .. } | Shape::Placed(inner) => self.value(inner),
            Shape::Packed { stored, content } => self.packed(stored, content),
        }
    }

    fn refused(&self, why: &EditError) -> Error {
        self.json.wrong(&why.to_string())
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
            Length::Prefix(counter) => self.led(counter, "text", &mut Self::text)?,
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
        measure.tag = body.tag;
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
}

/// A number as it is spelled, in quotes or not.
fn spelled<'a>(json: &'a mut Cursor<'_>) -> Result<Cow<'a, str>> {
    if json.peek() == b'"' { json.string() } else { json.number().map(Cow::Borrowed) }
}

/// The shape without what only the published schema says.
pub(super) fn plain(shape: &Shape) -> &Shape {
    match shape {
        Shape::Written { of, .. } => plain(of),
        shape => shape,
    }
}
