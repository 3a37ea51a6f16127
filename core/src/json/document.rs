//! A whole file as JSON: the name of its format, its dialect and its content.

use std::collections::HashSet;
use std::io::{self, Read, Write};

use super::{Cursor, Encoded, Inside, print, read};
use crate::codec::Info;
use crate::schema::{EditError, Shape, Value, bytes_of, settle_at, truncation, value_mut};
use crate::{Error, ErrorKind, MARK, Result};

/// The version of the JSON format, the first member of every document.
const VERSION: &str = "bindpose/1";

/// The formats that documents can have.
pub trait Formats {
    /// The type of a format.
    type Kind: Copy;

    /// Returns the names of all formats.
    fn names(&self) -> Vec<&'static str>;

    /// Returns the format with a name.
    fn named(&self, name: &str) -> Option<Self::Kind>;

    /// Returns name, extensions, dialects and other properties of a format.
    fn info(&self, kind: Self::Kind) -> &'static Info;

    /// Returns the static description of a dialect.
    fn shape(&self, kind: Self::Kind, dialect: Option<&str>) -> Shape;

    /// Reads the content of a file as [`write_objects`] writes it, and returns the bytes of a new file.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] if the text is not the content of such a file, or the format has no objects.
    fn read_objects(
        &self,
        kind: Self::Kind,
        _dialect: Option<&str>,
        json: &mut Cursor<'_>,
    ) -> Result<Vec<u8>> {
        Err(json.wrong(&format!("{} files have no objects; expected `file`", self.info(kind).name)))
    }
}

/// A document that has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document<K> {
    /// The format.
    pub kind: K,
    /// The dialect, if the document specifies one.
    pub dialect: Option<String>,
    /// The content of the file.
    pub content: Encoded,
    /// The layout of the content; none if it is of objects.
    shape: Option<Shape>,
    /// Whether the file is truncated.
    is_truncated: bool,
    /// Whether the document has objects, so that the bytes are written anew.
    pub is_of_objects: bool,
}

/// Writes a file as a document.
///
/// # Errors
/// When `out` fails.
pub fn write_document(
    value: &dyn Value,
    format: &str,
    dialect: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_head(format, dialect, out)?;
    if truncation(value).is_some() {
        out.write_all(b" \"truncated\": true,\n")?;
    }
    out.write_all(b" \"file\": ")?;
    print(value, 1, out)?;
    out.write_all(b"\n}\n")
}

/// Writes the objects of a file as a document. `print` writes the content, indented by one space.
///
/// # Errors
/// When `out` fails.
pub fn write_objects(
    format: &str,
    dialect: Option<&str>,
    out: &mut dyn Write,
    print: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    write_head(format, dialect, out)?;
    out.write_all(b" \"objects\": ")?;
    print(out)?;
    out.write_all(b"\n}\n")
}

/// Writes the members before the content.
fn write_head(format: &str, dialect: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{{\n \"schema\": \"{VERSION}\",\n \"format\": \"{format}\",")?;
    dialect.map_or(Ok(()), |dialect| writeln!(out, " \"dialect\": \"{dialect}\","))
}

/// Reads a document from a stream.
///
/// # Errors
/// [`ErrorKind::Syntax`] if the text is not JSON or does not have the structure of its format, with an offset in the
/// text. [`ErrorKind::Io`] if the source fails.
pub fn read_document<F: Formats>(source: &mut dyn Read, formats: &F) -> Result<Document<F::Kind>> {
    let mut json = Cursor::new(source);
    if json.ahead(MARK.len()).starts_with(MARK) {
        json.pass(MARK.len());
    }
    let mut parts = Parts::read(&mut json, formats)?;
    if let Some(Content::Postponed(start)) = parts.content {
        json.resume(start);
        parts.content = Some(parts.read_content(&mut json)?);
    }
    let missing = |what: &str| json.wrong(&format!("`{what}` is missing"));
    let kind = parts.kind.ok_or_else(|| missing("format"))?;
    parts.check_dialect(kind, &json)?;
    let Some(Content::Read(content, shape)) = parts.content else { return Err(missing("file")) };
    let Parts { dialect, truncated: is_truncated, is_of_objects, .. } = parts;
    Ok(Document { kind, dialect, content, shape, is_truncated, is_of_objects })
}

impl<K> Document<K> {
    /// Sets the content of the packed values of the decoded file, and compares the file with the document.
    ///
    /// # Errors
    /// [`ErrorKind::Value`] if the content is inconsistent with the file, or the file has another structure than the
    /// document; the error of a file that is truncated if the document does not say so.
    pub fn complete(&self, root: &mut dyn Value) -> Result<()> {
        self.content.contents.iter().try_for_each(|inside| pack(root, inside))?;
        for claim in &self.content.omitted {
            if !settle_at(root, claim) {
                let why =
                    EditError::Invalid("states no number, which must be given in packed content".into());
                return Err(Error::new(0, ErrorKind::Value(why)).at(claim.clone()));
            }
        }
        let Some(shape) = &self.shape else { return Ok(()) };
        self.content.structure.compare(root, shape)?;
        match truncation(root) {
            Some(truncation) if !self.is_truncated => Err(truncation.cause().clone()),
            None if self.is_truncated => {
                let why = EditError::Invalid("the file is not truncated; remove `truncated`".into());
                Err(Error::new(0, ErrorKind::Value(why)))
            }
            _ => Ok(()),
        }
    }
}

/// The members of a document.
struct Parts<'a, F: Formats> {
    formats: &'a F,
    kind: Option<F::Kind>,
    dialect: Option<String>,
    /// Whether the file is truncated.
    truncated: bool,
    content: Option<Content>,
    /// Whether the content is objects.
    is_of_objects: bool,
}

enum Content {
    /// The content, and its layout.
    Read(Encoded, Option<Shape>),
    /// The position of content that precedes the members that determine how it is read.
    Postponed(u64),
}

impl<'a, F: Formats> Parts<'a, F> {
    fn read(json: &mut Cursor<'_>, formats: &'a F) -> Result<Self> {
        let mut parts = Self {
            formats,
            kind: None,
            dialect: None,
            truncated: false,
            content: None,
            is_of_objects: false,
        };
        let (mut first, mut seen) = (true, HashSet::new());
        if !json.takes(b'{') {
            let found = if json.is_done() { "the text is empty" } else { "the text does not begin with `{`" };
            return Err(json.wrong(&format!("{found}; expected the JSON form of a file")));
        }
        while json.goes_on(&mut first, b'}')? {
            let key = json.key()?;
            if !matches!(&*key, "file" | "objects") && !seen.insert(key.clone()) {
                return Err(json.wrong(&format!("duplicate member `{key}`")));
            }
            match &*key {
                "schema" => version(json)?,
                "format" => parts.kind = Some(parts.format(json)?),
                "dialect" => parts.dialect = Some(json.string()?.into_owned()),
                "truncated" if matches!(parts.content, Some(Content::Read(..))) => {
                    return Err(json.wrong("`truncated` must come before `file`"));
                }
                "truncated" => parts.truncated = json.boolean()?,
                "file" | "objects" if parts.content.is_some() => {
                    return Err(json.wrong("a document has one member `file` or `objects`"));
                }
                member @ ("file" | "objects") => {
                    parts.is_of_objects = member == "objects";
                    let content = if parts.can_be_read() {
                        parts.read_content(json)?
                    } else {
                        Content::Postponed(json.postpone()?)
                    };
                    parts.content = Some(content);
                }
                other => {
                    return Err(json.wrong(&format!(
                        "unknown member `{other}`; expected schema, format, dialect, truncated, file or objects"
                    )));
                }
            }
        }
        if json.is_done() { Ok(parts) } else { Err(json.wrong("unexpected text after the end")) }
    }

    /// Returns whether the members that determine how the content is read are known.
    fn can_be_read(&self) -> bool {
        let has_dialects = |kind| !self.formats.info(kind).dialects.is_empty();
        self.kind.is_some_and(|kind| self.dialect.is_some() || !has_dialects(kind))
    }

    fn read_content(&self, json: &mut Cursor<'_>) -> Result<Content> {
        let kind = self.kind.ok_or_else(|| json.wrong("`format` is missing"))?;
        self.check_dialect(kind, json)?;
        let dialect = self.dialect.as_deref();
        if self.is_of_objects {
            let bytes = self.formats.read_objects(kind, dialect, json)?;
            return Ok(Content::Read(Encoded { bytes, ..Encoded::default() }, None));
        }
        let shape = self.formats.shape(kind, dialect);
        let content = read(json, &shape, self.truncated)?;
        Ok(Content::Read(content, Some(shape)))
    }

    fn check_dialect(&self, kind: F::Kind, json: &Cursor<'_>) -> Result<()> {
        let info = self.formats.info(kind);
        let unknown = self.dialect.as_deref().filter(|own| !info.dialects.contains(own));
        unknown.map_or(Ok(()), |own| Err(json.wrong(&info.no_dialect(own))))
    }

    fn format(&self, json: &mut Cursor<'_>) -> Result<F::Kind> {
        let name = json.string()?.into_owned();
        self.formats.named(&name).ok_or_else(|| {
            json.wrong(&format!(
                "unknown format `{name}`; expected one of {}",
                self.formats.names().join(", ")
            ))
        })
    }
}

fn version(json: &mut Cursor<'_>) -> Result<()> {
    let name = json.string()?.into_owned();
    if name == VERSION {
        Ok(())
    } else {
        Err(json.wrong(&format!("unknown schema `{name}`; expected `{VERSION}`")))
    }
}

/// Replaces the content of a packed value.
fn pack(root: &mut dyn Value, Inside { path, plain }: &Inside) -> Result<()> {
    let refused = |why: &str| Error::new(0, ErrorKind::Value(why.into())).at(path.clone());
    let value = value_mut(root, path.steps()).ok_or_else(|| refused("does not exist in the file"))?;
    if value.inside().is_some_and(|content| bytes_of(content) == *plain) {
        return Ok(());
    }
    value
        .replace_inside(plain)
        .map_err(|why| refused(&format!("its content is inconsistent with the rest of the file: {why}")))
}
