//! Files in their other form: binary as XML, XML as binary.

use super::json::surplus;
use super::xml::write;
use super::{Binary, Cal3d, Dialect};
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
        let content = self.view()?.into_owned();
        let other = match self {
            Self::Binary { .. } => Self::Xml(write(&content).into()),
            Self::Xml(document) => {
                if let Some(name) = document.root().and_then(|root| surplus(root, B::form())) {
                    return Err(unsupported(&format!("the binary form does not represent `{name}`")));
                }
                Self::Binary { dialect: Dialect::of_version(content.version()), file: content }
            }
        };
        let options =
            other.dialect().map_or_else(Options::default, |name| Options::default().with_dialect(name));
        let again = Self::decode_with(&other.encode()?, &options).ok();
        if again.is_some_and(|again| again.is_form_of(self)) {
            Ok(other)
        } else {
            Err(unsupported("the other form does not represent the content of the file"))
        }
    }

    /// Whether a file has the content of one in the other form.
    fn is_form_of(&self, other: &Self) -> bool {
        let (binary, text) = if matches!(self, Self::Binary { .. }) { (self, other) } else { (other, self) };
        let (Self::Binary { dialect, file }, Ok(content)) = (binary, text.view()) else { return false };
        // As text, because bytes do not show values that files of the version do not have.
        let same_text = write(file) == write(content.as_ref());
        let same = Self::Binary { dialect: *dialect, file: content.into_owned() };
        same_text && same.encode().ok() == binary.encode().ok()
    }
}
