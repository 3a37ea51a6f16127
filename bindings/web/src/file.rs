//! Decoded files.

use std::cell::RefCell;
use std::ops::ControlFlow::{Break, Continue};
use std::rc::Rc;

use bindpose::check::BoneList;
use bindpose::diff::{Change, diff};
use bindpose::edit::names;
use bindpose::schema::{self, locate};
use bindpose::{Document, FieldPath, File, FormatSpec, Limits};
use js_sys::JSON;
use wasm_bindgen::prelude::*;

use crate::edit::{Edit, FileSet};
use crate::error::{js_error, to_js};
use crate::matches::Matches;
use crate::parts;
use crate::report::{Diagnosis, Differing, Fitting, Info, Located, Named, Referring, changes, fields};

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
        let document = self.document.borrow();
        let report = document.check(most);
        document
            .file()
            .with_object_paths(|objects| to_js(&Diagnosis::of(&report, &mut |path| objects.path(path))))
    }

    /// Returns the fields that overlap the bytes from `start` to `end`, at most `most`.
    ///
    /// # Errors
    /// Never.
    #[wasm_bindgen(unchecked_return_type = "Field[]")]
    pub fn map(&self, start: usize, end: usize, most: usize) -> Result<JsValue, JsValue> {
        to_js(&fields(&self.document.borrow(), start as u64..end as u64, most))
    }

    /// Searches the paths, names and values of at most `fields` fields from an offset on for a text, ignoring case. Returns at most
    /// `most` fields, and where to continue.
    ///
    /// # Errors
    /// Never.
    #[wasm_bindgen(unchecked_return_type = "Matches")]
    pub fn search(&self, text: &str, start: usize, most: usize, fields: usize) -> Result<JsValue, JsValue> {
        to_js(&Matches::of(&self.document.borrow(), text, start as u64, most, fields))
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

    /// Renames the object whose name is at a path, with all references to it. Returns the number of names that changed.
    ///
    /// # Errors
    /// If no object has its name there, or the name is refused; the file is then unchanged.
    pub fn rename(&mut self, path: &str, value: &str) -> Result<usize, JsValue> {
        let edit = Edit::Rename { path: path.into(), value: value.into() };
        let mut document = self.document.borrow_mut();
        let before = self.original.is_none().then(|| document.bytes().to_vec());
        let changed = document.edit(|file| edit.apply(file, &[])).map_err(|error| js_error(&error))?;
        self.original = self.original.take().or(before);
        Ok(changed)
    }

    /// Replaces all edits: the file as it was decoded is changed by each of them in turn. `beside` are the other files of its set,
    /// where an edit needs them.
    ///
    /// # Errors
    /// If an edit is refused; the file is then unchanged.
    pub fn replay(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Edit[]")] edits: JsValue,
        beside: Option<FileSet>,
    ) -> Result<(), JsValue> {
        let text = String::from(JSON::stringify(&edits)?);
        let edits: Vec<Edit> =
            serde_json::from_str(&text).map_err(|error| js_sys::Error::new(&error.to_string()))?;
        let beside = beside.map(|set| set.without(&self.document)).unwrap_or_default();
        let mut document = self.document.borrow_mut();
        let original = self.original.clone().unwrap_or_else(|| document.bytes().to_vec());
        let (kind, options) = (document.file().kind(), document.file().options());
        let mut replayed =
            Document::decode(original.clone(), kind, &options).map_err(|error| js_error(&error))?;
        if !edits.is_empty() {
            let all = |file: &mut File| edits.iter().try_for_each(|edit| edit.apply(file, &beside).map(drop));
            replayed.edit(all).map_err(|error| js_error(&error))?;
        }
        *document = replayed;
        self.original = (!edits.is_empty()).then_some(original);
        Ok(())
    }

    /// Returns the parts of the value at a path as the lines of a tree: at most `most`, from the index `first` on.
    ///
    /// # Errors
    /// If the path is malformed.
    #[wasm_bindgen(unchecked_return_type = "TreePart[]")]
    pub fn parts(&self, path: &str, first: usize, most: usize) -> Result<JsValue, JsValue> {
        let path = if path.is_empty() {
            FieldPath::root()
        } else {
            path.parse().map_err(|error| js_error(&error))?
        };
        to_js(&parts::parts(&self.document.borrow(), &path, first, most))
    }

    /// Returns the objects of a `.x` file in its order, at most `most`; none of other files.
    ///
    /// # Errors
    /// If the content of the file cannot be interpreted.
    #[wasm_bindgen(unchecked_return_type = "TreeObject[]")]
    pub fn objects(&self, most: usize) -> Result<JsValue, JsValue> {
        to_js(&parts::objects(&self.document.borrow(), most).map_err(|error| js_error(&error))?)
    }

    /// Returns the bones of a mesh, skeleton or animation of a format whose animations are in separate files.
    ///
    /// # Errors
    /// If the text of the file cannot be interpreted.
    pub fn bones(&self) -> Result<Option<Bones>, JsValue> {
        let list = BoneList::of(self.document.borrow().file()).map_err(|error| js_error(&error))?;
        Ok(list.map(Bones))
    }

    /// Returns the differences from another file of the same format, at most `most`.
    ///
    /// # Errors
    /// Never.
    #[wasm_bindgen(unchecked_return_type = "Difference[]")]
    pub fn diff(&self, other: &Self, most: usize) -> Result<JsValue, JsValue> {
        let (own, other) = (self.document.borrow(), other.document.borrow());
        let mut found = Vec::new();
        let (a, b) = ((own.file().value(), own.bytes()), (other.file().value(), other.bytes()));
        own.file().with_object_paths(|in_a| {
            other.file().with_object_paths(|in_b| {
                let _ = diff(a, b, &mut |difference| {
                    let name = match difference.change {
                        Change::Added => in_b.path(&difference.path),
                        _ => in_a.path(&difference.path),
                    };
                    found.push(Differing::new(difference.clone(), name));
                    if found.len() < most { Continue(()) } else { Break(()) }
                });
            });
        });
        to_js(&found)
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
        self.replay(js_sys::Array::new().into(), None)
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

    /// Returns what the values at a path refer to, and what refers to the object that they belong to: at most `most` of each.
    ///
    /// # Errors
    /// If the text of the file cannot be interpreted.
    #[wasm_bindgen(unchecked_return_type = "References")]
    pub fn references(&self, path: &str, most: usize) -> Result<JsValue, JsValue> {
        let document = self.document.borrow();
        let found = path.parse().and_then(|path| Referring::around(document.file(), &path, most));
        to_js(&found.map_err(|error| js_error(&error))?)
    }

    pub(crate) fn shared(&self) -> (String, Rc<RefCell<Document>>) {
        (self.name.clone(), Rc::clone(&self.document))
    }
}

/// The bones that a mesh or skeleton has, or that an animation moves.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Bones(BoneList);

#[wasm_bindgen]
impl Bones {
    /// Returns whether these are the bones that an animation moves.
    #[must_use]
    #[wasm_bindgen(getter)]
    pub fn animation(&self) -> bool {
        self.0.is_animation()
    }

    /// Returns how this animation fits a mesh or skeleton; null if they are not an animation and a mesh of one family.
    ///
    /// # Errors
    /// Never.
    #[wasm_bindgen(unchecked_return_type = "Fit | null")]
    pub fn fit(&self, mesh: &Self) -> Result<JsValue, JsValue> {
        to_js(&self.0.fit(&mesh.0).map(Fitting::from))
    }
}

/// Returns the specified format, or detects it.
pub(crate) fn spec(bytes: &[u8], name: &str, format: Option<&str>) -> Result<FormatSpec, JsValue> {
    let spec = match format {
        Some(format) => format.parse(),
        None => FormatSpec::require(name.as_ref(), bytes),
    };
    spec.map_err(|error| js_error(&error))
}
