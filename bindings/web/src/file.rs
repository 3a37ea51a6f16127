//! Decoded files.

use std::cell::RefCell;
use std::rc::Rc;

use bindpose::edit::names;
use bindpose::schema::{self, locate};
use bindpose::{Document, Error, ErrorKind, FieldPath, FormatSpec, Limits};
use wasm_bindgen::prelude::*;

use crate::error::{js_error, to_js};
use crate::report::{Diagnosis, Info, Located, Named, changes, fields};

/// A decoded file and its bytes.
#[wasm_bindgen]
#[derive(Debug)]
pub struct BindposeFile {
    name: String,
    document: Rc<RefCell<Document>>,
    /// The bytes before the first edit.
    original: Option<Vec<u8>>,
}

#[wasm_bindgen]
impl BindposeFile {
    /// Decodes a file. Its name and content determine the format unless `format` specifies it, as `FORMAT` or
    /// `FORMAT:DIALECT`.
    ///
    /// # Errors
    /// If the format is not supported, or the bytes cannot be decoded.
    pub fn decode(bytes: Vec<u8>, name: String, format: Option<String>) -> Result<Self, JsValue> {
        let FormatSpec { kind, dialect } = spec(&bytes, &name, format.as_deref())?;
        let options = FormatSpec { kind, dialect }.options(Limits::default());
        let document = Document::decode(bytes, kind, &options).map_err(|error| js_error(&error))?;
        Ok(Self { name, document: Rc::new(document.into()), original: None })
    }

    /// The name of the file.
    #[must_use]
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// The length in bytes.
    #[must_use]
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> usize {
        self.document.borrow().bytes().len()
    }

    /// Returns a copy of the bytes from `start` to `end`; of all bytes by default.
    #[must_use]
    pub fn bytes(&self, start: Option<usize>, end: Option<usize>) -> Vec<u8> {
        let document = self.document.borrow();
        let bytes = document.bytes();
        let end = end.unwrap_or(bytes.len()).min(bytes.len());
        bytes[start.unwrap_or(0).min(end)..end].to_vec()
    }

    /// Returns a summary: format, verdict, counts, skeleton, clips, bounds, damage.
    ///
    /// # Errors
    /// Never.
    #[wasm_bindgen(unchecked_return_type = "Info")]
    pub fn info(&self) -> Result<JsValue, JsValue> {
        to_js(&Info::of(&self.document.borrow()))
    }

    /// Checks the rules of the format, and returns at most `most` findings per rule.
    ///
    /// # Errors
    /// Never.
    #[wasm_bindgen(unchecked_return_type = "Report")]
    pub fn check(&self, most: usize) -> Result<JsValue, JsValue> {
        to_js(&Diagnosis::of(&self.document.borrow().check(most)))
    }

    /// Returns the fields that overlap the bytes from `start` to `end`, at most `most`.
    ///
    /// # Errors
    /// Never.
    #[wasm_bindgen(unchecked_return_type = "Field[]")]
    pub fn map(&self, start: usize, end: usize, most: usize) -> Result<JsValue, JsValue> {
        to_js(&fields(&self.document.borrow(), start as u64..end as u64, most))
    }

    /// Returns the places that a path selects.
    ///
    /// # Errors
    /// If the path is malformed or selects nothing.
    #[wasm_bindgen(unchecked_return_type = "Located[]")]
    pub fn locate(&self, path: &str) -> Result<JsValue, JsValue> {
        let document = self.document.borrow();
        let path: FieldPath = path.parse().map_err(|error| js_error(&error))?;
        let places = locate(document.file().value(), &path).map_err(|error| js_error(&error))?;
        to_js(&places.into_iter().map(Located::from).collect::<Vec<_>>())
    }

    /// Returns the text of the value at a path, as `set` accepts it.
    ///
    /// # Errors
    /// If the path does not select exactly one value.
    pub fn get(&self, path: &str) -> Result<String, JsValue> {
        let document = self.document.borrow();
        document.file().get(path).map(|value| value.to_string()).map_err(|error| js_error(&error))
    }

    /// Sets the value at a path from text, and returns where it is. No other byte changes, except the lengths that count a
    /// text.
    ///
    /// # Errors
    /// If the path selects nothing, or the value is refused; the file is then unchanged.
    #[wasm_bindgen(unchecked_return_type = "Located[]")]
    pub fn set(&mut self, path: &str, value: &str) -> Result<JsValue, JsValue> {
        let mut document = self.document.borrow_mut();
        let before = self.original.is_none().then(|| document.bytes().to_vec());
        let places = document
            .edit(|file| schema::set_text(file.value_mut(), &path.parse()?, value))
            .map_err(|error| js_error(&error))?;
        self.original = self.original.take().or(before);
        to_js(&places.into_iter().map(Located::from).collect::<Vec<_>>())
    }

    /// Returns the ranges of bytes that differ from the file as it was decoded.
    ///
    /// # Errors
    /// Never.
    #[wasm_bindgen(unchecked_return_type = "Range[]")]
    pub fn changes(&self) -> Result<JsValue, JsValue> {
        let document = self.document.borrow();
        to_js(&self.original.as_ref().map(|old| changes(old, document.bytes())).unwrap_or_default())
    }

    /// Discards all edits.
    ///
    /// # Errors
    /// Never for a file that was decoded.
    pub fn revert(&mut self) -> Result<(), JsValue> {
        let Some(original) = self.original.take() else { return Ok(()) };
        let mut document = self.document.borrow_mut();
        let (kind, options) = (document.file().kind(), document.file().options());
        *document = Document::decode(original, kind, &options).map_err(|error| js_error(&error))?;
        Ok(())
    }

    /// Returns the names of bones, materials, clips and textures, each with the path of its field.
    ///
    /// # Errors
    /// If the text of the file cannot be interpreted.
    #[wasm_bindgen(unchecked_return_type = "Name[]")]
    pub fn names(&self) -> Result<JsValue, JsValue> {
        let document = self.document.borrow();
        let found = names(document.file()).map_err(|error| js_error(&error))?;
        to_js(&found.into_iter().map(Named::from).collect::<Vec<_>>())
    }

    pub(crate) fn shared(&self) -> (String, Rc<RefCell<Document>>) {
        (self.name.clone(), Rc::clone(&self.document))
    }
}

/// Returns the specified format, or detects it.
pub(crate) fn spec(bytes: &[u8], name: &str, format: Option<&str>) -> Result<FormatSpec, JsValue> {
    let unknown = || Error::new(0, ErrorKind::UnknownFormat);
    let spec = match format {
        Some(format) => format.parse(),
        None => FormatSpec::detect(name.as_ref(), bytes).ok_or_else(unknown),
    };
    spec.map_err(|error| js_error(&error))
}
