//! A whole file as JSON, and back.

use std::io::{self, Read, Write};

use crate::json::{Cursor, Inside, print, read};
use crate::schema::{Value, bytes_of, value_mut};
use crate::{Error, ErrorKind, File, FileKind, Options, Result};

/// The name of the contract; stands at the top.
const CONTRACT: &str = "bindpose/1";

/// What stands in the text.
#[derive(Default)]
struct Parts {
    kind: Option<FileKind>,
    dialect: Option<String>,
    content: Option<Content>,
}

enum Content {
    /// The bytes of the file, and what is packed in them.
    Read(Vec<u8>, Vec<Inside>),
    /// It stands before what says how it is read.
    Postponed(u64),
}

impl File {
    /// Writes the file as JSON that [`from_json`](Self::from_json) makes the same bytes of.
    ///
    /// ```
    /// use bindpose::{File, FileKind};
    /// let mut json = Vec::new();
    /// FileKind::Ms3d.blank().to_json(&mut json)?;
    /// let json = String::from_utf8(json)?.replace(r#""fps": 24.0"#, r#""fps": 30.0"#);
    /// assert_eq!(File::from_json(&json)?.get("animation.fps")?[0].1, "30.0");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When `out` fails.
    pub fn to_json(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{{\n \"schema\": \"{CONTRACT}\",\n \"format\": \"{}\",", self.kind().name())?;
        if let Some(dialect) = self.dialect() {
            writeln!(out, " \"dialect\": \"{dialect}\",")?;
        }
        out.write_all(b" \"file\": ")?;
        print(self.value(), 1, out)?;
        out.write_all(b"\n}\n")
    }

    /// Reads what [`to_json`](Self::to_json) wrote, or what a person made of it.
    ///
    /// Counts, lengths and tags that the text leaves out follow from the rest; packed values are packed anew where their
    /// content is another.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] where the text is no JSON, or not of the format it names; the offset is one in the text. Errors of
    /// decoding when the bytes it stands for are no such file.
    pub fn from_json(json: &str) -> Result<Self> {
        Self::read_json(&mut json.as_bytes())
    }

    /// As [`from_json`](Self::from_json), from a text that is read as it arrives and never kept whole.
    ///
    /// # Errors
    /// As [`from_json`](Self::from_json); [`ErrorKind::Io`] when the source fails.
    pub fn read_json(source: &mut dyn Read) -> Result<Self> {
        let mut json = Cursor::new(source);
        let mut parts = Parts::read(&mut json)?;
        if let Some(Content::Postponed(start)) = parts.content {
            json.resume(start);
            parts.content = Some(parts.read_content(&mut json)?);
        }
        let missing = |what: &str| json.wrong(&format!("`{what}` is missing"));
        let kind = parts.kind.ok_or_else(|| missing("format"))?;
        let Some(Content::Read(bytes, contents)) = parts.content else { return Err(missing("file")) };
        let mut options = Options::default();
        if let Some(dialect) = parts.dialect {
            options = options.with_dialect(dialect);
        }
        let mut file = kind.decode(&bytes, &options)?;
        contents.iter().try_for_each(|inside| pack(file.value_mut(), inside))?;
        Ok(file)
    }
}

impl Parts {
    fn read(json: &mut Cursor<'_>) -> Result<Self> {
        let mut parts = Self::default();
        let mut first = true;
        json.expect(b'{')?;
        while json.goes_on(&mut first, b'}')? {
            match &json.key()?[..] {
                "schema" => contract(json)?,
                "format" => parts.kind = Some(format(json)?),
                "dialect" => parts.dialect = Some(json.string()?.into_owned()),
                "file" if parts.content.is_some() => return Err(json.wrong("`file` stands twice")),
                "file" if parts.can_be_read() => parts.content = Some(parts.read_content(json)?),
                "file" => parts.content = Some(Content::Postponed(json.postpone()?)),
                other => {
                    return Err(json.wrong(&format!("`{other}` is none of schema, format, dialect, file")));
                }
            }
        }
        if json.is_done() { Ok(parts) } else { Err(json.wrong("something stands behind the end")) }
    }

    /// Whether all is known that says how a file is read.
    fn can_be_read(&self) -> bool {
        self.kind.is_some_and(|kind| self.dialect.is_some() || kind.info().dialects.is_empty())
    }

    fn read_content(&self, json: &mut Cursor<'_>) -> Result<Content> {
        let kind = self.kind.ok_or_else(|| json.wrong("`format` is missing"))?;
        let (bytes, inside) = read(json, &kind.shape_in(self.dialect.as_deref()))?;
        Ok(Content::Read(bytes, inside))
    }
}

fn contract(json: &mut Cursor<'_>) -> Result<()> {
    let name = json.string()?.into_owned();
    if name == CONTRACT { Ok(()) } else { Err(json.wrong(&format!("`{name}` is not {CONTRACT}"))) }
}

fn format(json: &mut Cursor<'_>) -> Result<FileKind> {
    let name = json.string()?.into_owned();
    FileKind::from_name(&name).ok_or_else(|| {
        let names: Vec<_> = FileKind::ALL.iter().map(|kind| kind.name()).collect();
        json.wrong(&format!("`{name}` is none of {}", names.join(", ")))
    })
}

/// Gives a packed value the content that the JSON has for it.
fn pack(root: &mut dyn Value, Inside { path, plain }: &Inside) -> Result<()> {
    let refused = |why: &str| Error::new(0, ErrorKind::Value(why.to_owned())).at(path.clone());
    let value = value_mut(root, path.steps()).ok_or_else(|| refused("is not in the file"))?;
    if value.inside().is_some_and(|content| bytes_of(content) == *plain) {
        return Ok(());
    }
    value.replace_inside(plain).map_err(|why| {
        refused(&format!("its content does not agree with what stands outside of it: {}", why.0))
    })
}
