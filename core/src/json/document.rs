//! A whole file as JSON: the name of its format, its dialect and its content.

use std::io::{self, Read, Write};

use super::{Cursor, Inside, print, read};
use crate::codec::{Info, truncation};
use crate::schema::{Shape, Value, bytes_of, value_mut};
use crate::{Error, ErrorKind, Result};

/// The name of the contract, at the top of every document.
const CONTRACT: &str = "bindpose/1";

/// The formats that a document can be of.
pub trait Formats {
    /// One of them.
    type Kind: Copy;

    /// The names of all.
    fn names(&self) -> Vec<&'static str>;

    /// The format of a name.
    fn named(&self, name: &str) -> Option<Self::Kind>;

    /// What is known of a format beside its layout.
    fn info(&self, kind: Self::Kind) -> &'static Info;

    /// What a file of a dialect consists of.
    fn shape(&self, kind: Self::Kind, dialect: Option<&str>) -> Shape;
}

/// A file as a document describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document<K> {
    /// The format.
    pub kind: K,
    /// The dialect, where the document names one.
    pub dialect: Option<String>,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// What is packed in them.
    pub contents: Vec<Inside>,
}

/// Writes a file of a format as a document.
///
/// # Errors
/// When `out` fails.
pub fn write_document(
    value: &dyn Value,
    format: &str,
    dialect: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{{\n \"schema\": \"{CONTRACT}\",\n \"format\": \"{format}\",")?;
    if let Some(dialect) = dialect {
        writeln!(out, " \"dialect\": \"{dialect}\",")?;
    }
    if truncation(value).is_some() {
        out.write_all(b" \"truncated\": true,\n")?;
    }
    out.write_all(b" \"file\": ")?;
    print(value, 1, out)?;
    out.write_all(b"\n}\n")
}

/// Reads a document as it arrives, without keeping the text whole.
///
/// # Errors
/// [`ErrorKind::Syntax`] where the text is not JSON, or not of the format it names; the offset is one in the text.
/// [`ErrorKind::Io`] when the source fails.
pub fn read_document<F: Formats>(source: &mut dyn Read, formats: &F) -> Result<Document<F::Kind>> {
    let mut json = Cursor::new(source);
    let mut parts = Parts::read(&mut json, formats)?;
    if let Some(Content::Postponed(start)) = parts.content {
        json.resume(start);
        parts.content = Some(parts.read_content(&mut json)?);
    }
    let missing = |what: &str| json.wrong(&format!("`{what}` is missing"));
    let kind = parts.kind.ok_or_else(|| missing("format"))?;
    let Some(Content::Read(bytes, contents)) = parts.content else { return Err(missing("file")) };
    Ok(Document { kind, dialect: parts.dialect, bytes, contents })
}

impl<K> Document<K> {
    /// Gives the packed values of the decoded file the contents of the document.
    ///
    /// # Errors
    /// [`ErrorKind::Value`] for a content that does not fit the file.
    pub fn fill(&self, root: &mut dyn Value) -> Result<()> {
        self.contents.iter().try_for_each(|inside| pack(root, inside))
    }
}

/// What stands in the text.
struct Parts<'a, F: Formats> {
    formats: &'a F,
    kind: Option<F::Kind>,
    dialect: Option<String>,
    /// Whether the file ends before its fields do.
    truncated: bool,
    content: Option<Content>,
}

enum Content {
    /// The bytes of the file, and what is packed in them.
    Read(Vec<u8>, Vec<Inside>),
    /// It stands before what says how it is read.
    Postponed(u64),
}

impl<'a, F: Formats> Parts<'a, F> {
    fn read(json: &mut Cursor<'_>, formats: &'a F) -> Result<Self> {
        let mut parts = Self { formats, kind: None, dialect: None, truncated: false, content: None };
        let mut first = true;
        json.expect(b'{')?;
        while json.goes_on(&mut first, b'}')? {
            match &json.key()?[..] {
                "schema" => contract(json)?,
                "format" => parts.kind = Some(parts.format(json)?),
                "dialect" => parts.dialect = Some(json.string()?.into_owned()),
                "truncated" if parts.content.is_none() => parts.truncated = json.boolean()?,
                "file" if parts.content.is_some() => return Err(json.wrong("`file` stands twice")),
                "file" if parts.can_be_read() => parts.content = Some(parts.read_content(json)?),
                "file" => parts.content = Some(Content::Postponed(json.postpone()?)),
                other => {
                    return Err(
                        json.wrong(&format!("`{other}` is none of schema, format, dialect, truncated, file"))
                    );
                }
            }
        }
        if json.is_done() { Ok(parts) } else { Err(json.wrong("something stands behind the end")) }
    }

    /// Whether all is known that says how a file is read.
    fn can_be_read(&self) -> bool {
        let has_dialects = |kind| !self.formats.info(kind).dialects.is_empty();
        self.kind.is_some_and(|kind| self.dialect.is_some() || !has_dialects(kind))
    }

    fn read_content(&self, json: &mut Cursor<'_>) -> Result<Content> {
        let kind = self.kind.ok_or_else(|| json.wrong("`format` is missing"))?;
        let shape = self.formats.shape(kind, self.dialect.as_deref());
        let (bytes, inside) = read(json, &shape, self.truncated)?;
        Ok(Content::Read(bytes, inside))
    }

    fn format(&self, json: &mut Cursor<'_>) -> Result<F::Kind> {
        let name = json.string()?.into_owned();
        self.formats
            .named(&name)
            .ok_or_else(|| json.wrong(&format!("`{name}` is none of {}", self.formats.names().join(", "))))
    }
}

fn contract(json: &mut Cursor<'_>) -> Result<()> {
    let name = json.string()?.into_owned();
    if name == CONTRACT { Ok(()) } else { Err(json.wrong(&format!("`{name}` is not {CONTRACT}"))) }
}

/// Gives a packed value the content that the JSON has for it.
fn pack(root: &mut dyn Value, Inside { path, plain }: &Inside) -> Result<()> {
    let refused = |why: &str| Error::new(0, ErrorKind::Value(why.into())).at(path.clone());
    let value = value_mut(root, path.steps()).ok_or_else(|| refused("is not in the file"))?;
    if value.inside().is_some_and(|content| bytes_of(content) == *plain) {
        return Ok(());
    }
    value
        .replace_inside(plain)
        .map_err(|why| refused(&format!("its content does not agree with what stands outside of it: {why}")))
}
