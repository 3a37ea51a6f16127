//! A whole file as JSON, and back.

use std::io::{self, Read, Write};

use crate::codec::Info;
use crate::json::{Cursor, Formats, read_document, write_document, write_objects};
use crate::schema::Shape;
use crate::{Budget, Error, ErrorKind, File, FileKind, Limits, Options, Result};

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
    fn read_objects(&self, kind: FileKind, dialect: Option<&str>, json: &mut Cursor<'_>) -> Result<Vec<u8>> {
        kind.read_objects(dialect, json).unwrap_or_else(|| {
            Err(json.wrong(&format!("{} files have no objects; expected `file`", kind.name())))
        })
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

    /// Writes the objects of a `.x` file, or the structs of a Cal3D XML file, as JSON, with the names of their
    /// documentation. [`from_json`](Self::from_json) turns it back into a file with the same content, but with other white space,
    /// without comments, and with another notation of numbers.
    ///
    /// ```
    /// use bindpose::{File, FileKind, Options};
    /// let x = FileKind::X.decode(b"xof 0303txt 0032\nFrame Root { Frame Arm { } }\n", &Options::default())?;
    /// let mut json = Vec::new();
    /// x.to_objects_json(&mut json)?;
    /// let json = String::from_utf8(json)?.replace("Arm", "Hand");
    /// assert_eq!(File::from_json(&json)?.get_text("Frame[0].Frame[0].name")?[0].1, "Hand");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`EditError::Unsupported`](crate::schema::EditError::Unsupported) for other formats, whose [`to_json`](Self::to_json) has such names; the error of a damaged
    /// file or of objects that are not nested properly; [`ErrorKind::Io`] if `out` fails.
    pub fn to_objects_json(&self, out: &mut dyn Write) -> Result<()> {
        self.to_objects_json_within(out, &Budget::of(&Limits::none(), 0))
    }

    /// As [`to_objects_json`](Self::to_objects_json), within the budget of a task. It charges the text and a copy of it, which
    /// `out` may be.
    ///
    /// # Errors
    /// As there, and [`ErrorKind::Limit`].
    pub fn to_objects_json_within(&self, out: &mut dyn Write, budget: &Budget) -> Result<()> {
        let scope = budget.scope();
        let content = self.objects_json(&scope)?;
        scope.charge(content.len() as u64)?;
        write_objects(self.kind().name(), self.dialect(), out, |out| out.write_all(content.as_bytes()))
            .map_err(|error| Error::new(0, ErrorKind::Io(error.into())))
    }

    /// Rebuilds a file from the output of [`to_json`](Self::to_json), edited or not.
    ///
    /// Omitted counts, lengths and tags are derived. Packed parts are packed again if their content has changed.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] if the text is not JSON or does not have the structure of its
    /// format, with an offset in the text. An error of decoding if the resulting bytes are not a valid file.
    pub fn from_json(json: &str) -> Result<Self> {
        Self::read_json(&mut json.as_bytes())
    }

    /// As [`from_json`](Self::from_json), from a stream.
    ///
    /// # Errors
    /// As [`from_json`](Self::from_json); [`ErrorKind::Io`] if the source fails.
    pub fn read_json(source: &mut dyn Read) -> Result<Self> {
        Self::read_any_json(source).map(|(file, _)| file)
    }

    /// As [`read_json`](Self::read_json), and returns whether the text has objects, so that the file is written anew.
    ///
    /// # Errors
    /// As [`read_json`](Self::read_json).
    pub fn read_any_json(source: &mut dyn Read) -> Result<(Self, bool)> {
        let document = read_document(source, &AllFormats)?;
        let mut options = Options::default();
        if let Some(dialect) = &document.dialect {
            options = options.with_dialect(dialect);
        }
        let mut file = document.kind.decode(&document.content.bytes, &options)?;
        document.complete(file.value_mut())?;
        Ok((file, document.is_of_objects))
    }
}
