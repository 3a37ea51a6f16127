//! A whole file as JSON, and back.

use std::io::{self, Read, Write};

use crate::codec::Info;
use crate::json::{Formats, read_document, write_document};
use crate::schema::Shape;
use crate::{File, FileKind, Options, Result};

/// Every format of this crate.
struct AllFormats;

impl Formats for AllFormats {
    type Kind = FileKind;

    fn names(&self) -> Vec<&'static str> {
        FileKind::ALL.iter().map(|kind| kind.name()).collect()
    }
    fn named(&self, name: &str) -> Option<FileKind> {
        FileKind::from_name(name)
    }
    fn info(&self, kind: FileKind) -> &'static Info {
        kind.info()
    }
    fn shape(&self, kind: FileKind, dialect: Option<&str>) -> Shape {
        kind.shape_in(dialect)
    }
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
        write_document(self.value(), self.kind().name(), self.dialect(), out)
    }

    /// Reads what [`to_json`](Self::to_json) wrote, or what a person made of it.
    ///
    /// Counts, lengths and tags that the text leaves out follow from the rest; packed values are packed anew where their
    /// content is another.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) where the text is no JSON, or not of the format it names; the offset is one in the text. Errors of
    /// decoding when the bytes it stands for are no such file.
    pub fn from_json(json: &str) -> Result<Self> {
        Self::read_json(&mut json.as_bytes())
    }

    /// As [`from_json`](Self::from_json), from a text that is read as it arrives and never kept whole.
    ///
    /// # Errors
    /// As [`from_json`](Self::from_json); [`ErrorKind::Io`](crate::ErrorKind::Io) when the source fails.
    pub fn read_json(source: &mut dyn Read) -> Result<Self> {
        let document = read_document(source, &AllFormats)?;
        let mut options = Options::default();
        if let Some(dialect) = &document.dialect {
            options = options.with_dialect(dialect);
        }
        let mut file = document.kind.decode(&document.bytes, &options)?;
        document.fill(file.value_mut())?;
        Ok(file)
    }
}
