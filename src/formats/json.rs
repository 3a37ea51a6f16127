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
    /// Writes the file as JSON, which [`from_json`](Self::from_json) turns back into the same bytes.
    ///
    /// ```
    /// use bindpose::{File, FileKind};
    /// let mut json = Vec::new();
    /// FileKind::Ms3d.blank().to_json(&mut json)?;
    /// let json = String::from_utf8(json)?.replace(r#""fps": 24.0"#, r#""fps": 30.0"#);
    /// assert_eq!(File::from_json(&json)?.get("animation.fps")?.as_f64(), Some(30.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If `out` fails.
    pub fn to_json(&self, out: &mut dyn Write) -> io::Result<()> {
        write_document(self.value(), self.kind().name(), self.dialect(), out)
    }

    /// Rebuilds a file from the output of [`to_json`](Self::to_json), edited or not.
    ///
    /// Omitted counts, lengths and tags are derived. Packed parts are packed again if their content has changed.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) if the text is not JSON or does not have the structure of its
    /// format, with an offset in the text. An error of decoding if the resulting bytes are not a valid file.
    pub fn from_json(json: &str) -> Result<Self> {
        Self::read_json(&mut json.as_bytes())
    }

    /// As [`from_json`](Self::from_json), from a stream.
    ///
    /// # Errors
    /// As [`from_json`](Self::from_json); [`ErrorKind::Io`](crate::ErrorKind::Io) if the source fails.
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
