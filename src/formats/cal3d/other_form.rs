//! Files in their other form: binary as XML, XML as binary.

use super::json::surplus;
use std::io::{self, Cursor, Write};

use binrw::Endian;

use super::xml::{read_text, write_to};
use super::{Binary, Cal3d, Dialect, Xml};
use crate::codec::{Format as _, damage};
use crate::edit::unsupported;
use crate::{Options, Result};

impl<B: Binary> Cal3d<B> {
    /// Returns the file in its other form: a binary file as XML, an XML file as the binary file of its version number. The
    /// content is the same; white space and comments of XML are not kept.
    ///
    /// ```
    /// use bindpose::codec::Format;
    /// use bindpose::formats::cal3d::{CalMaterial, Dialect, Material};
    /// let binary = CalMaterial::Binary { dialect: Dialect::Classic, file: Material::default() };
    /// let text = binary.in_other_form()?;
    /// assert!(text.encode()?.starts_with(b"<HEADER"));
    /// assert_eq!(text.in_other_form()?, binary);
    /// # Ok::<(), bindpose::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`EditError::Unsupported`](crate::schema::EditError::Unsupported) where the other form cannot represent the content: an
    /// element that no field represents, or a value that files of the version do not have. The error of a damaged file.
    pub fn in_other_form(&self) -> Result<Self> {
        if let Some(error) = damage(self) {
            return Err(error);
        }
        let other = match self {
            Self::Binary { file, .. } => as_text(file),
            Self::Xml(document) => {
                if let Some(name) = document.root().and_then(|root| surplus(root, B::form())) {
                    return Err(unsupported(&format!("the binary form does not represent `{name}`")));
                }
                as_binary(self.view()?.as_ref())
            }
        };
        other.ok_or_else(|| unsupported("the other form does not represent the content of the file"))
    }
}

/// Returns the XML form of a binary file; `None` if it reads back differently.
fn as_text<B: Binary>(file: &B) -> Option<Cal3d<B>> {
    let (document, again) = read_text::<B>(write_to(file, Vec::new()).ok()?);
    let again = again.ok()?;
    // As text, because bytes do not show values that files of the version do not have.
    let is_same = write_to(&again, Expected(document.tokens.text())).is_ok_and(|own| own.is_complete());
    drop(document);
    (is_same && encoded(&again)? == encoded(file)?).then(|| Cal3d::Xml(Xml::of(again)))
}

/// Returns the binary form of the content of an XML form; `None` if it reads back differently.
fn as_binary<B: Binary>(content: &B) -> Option<Cal3d<B>> {
    let dialect = Dialect::of_version(content.version());
    let options = Options::default().with_dialect(dialect.name());
    let again = Cal3d::<B>::decode_with(&encoded(content)?, &options).ok()?;
    let text = write_to(content, Vec::new()).ok()?;
    let is_same = write_to(again.view().ok()?.as_ref(), Expected(&text)).is_ok_and(|own| own.is_complete());
    is_same.then_some(again)
}

/// Returns the bytes of the binary form.
fn encoded<B: Binary>(file: &B) -> Option<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    file.write_options(&mut bytes, Endian::Little, ()).ok()?;
    Some(bytes.into_inner())
}

/// A text that is expected to be written; fails where another one is.
struct Expected<'t>(&'t [u8]);

impl Expected<'_> {
    const fn is_complete(&self) -> bool {
        self.0.is_empty()
    }
}

impl Write for Expected<'_> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0 = self.0.strip_prefix(text).ok_or(io::ErrorKind::InvalidData)?;
        Ok(text.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
