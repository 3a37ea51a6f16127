//! The values in files of every format: by path, edits and walks.

use std::ops::ControlFlow;

use super::File;
use crate::check::Repair;
use crate::scene::{Builder, LoadPhase, Lost, ToScene};
use crate::schema::{self, FieldPath, FieldValue, Leaf, Location, PathError, Place, Structure};
use crate::{Document, Error, ErrorKind, Limits, Result};

/// Of a damaged file, the elements that are whole are added.
impl ToScene for File {
    fn phase(&self) -> LoadPhase {
        self.root().phase()
    }

    fn add_to(&self, scene: &mut Builder<'_>) {
        let Some(damage) = self.damage() else { return self.root().add_to(scene) };
        scene.report_loss(Lost::Damage.with(&damage));
        let Ok(bytes) = self.encode() else { return };
        let len = bytes.len();
        drop(bytes);
        if scene.admit(len, "file", "") {
            let mut whole = self.clone();
            schema::trim(whole.value_mut(), len as u64);
            whole.root().add_to(scene);
        }
    }
}

impl File {
    /// Returns the file as a part of a scene: see [`Scene::of`](crate::scene::Scene::of).
    #[must_use]
    pub fn as_scene_source(&self) -> &dyn ToScene {
        self
    }

    /// Returns repairs of the file. `bytes` is the file as it was decoded.
    #[must_use]
    pub fn repairs(&self, bytes: &[u8]) -> Vec<Repair> {
        if self.damage().is_none() {
            return self.corrections(bytes);
        }
        self.kind().repairs_of_damaged(bytes, &self.options())
    }

    /// Returns the value at a path.
    ///
    /// ```
    /// use bindpose::FileKind;
    /// let mut file = FileKind::Ms3d.blank();
    /// file.append("joints")?;
    /// file.set("joints[0].name", "hip")?;
    /// assert_eq!(file.get("joints[-1].name")?.as_str(), Some("hip"));
    /// # Ok::<(), bindpose::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Path`] when the path is malformed, or does not select exactly one leaf.
    pub fn get(&self, path: &str) -> Result<FieldValue> {
        let path: FieldPath = path.parse()?;
        match <[_; 1]>::try_from(schema::get_all(self.value(), &path)?) {
            Ok([(_, value)]) => Ok(value),
            Err(values) => Err(Error::new(0, ErrorKind::Path(PathError::NotOneValue(values.len()))).at(path)),
        }
    }

    /// Returns the values at a path, each with its own path: those that a pattern selects, and all leaves of a record or a list.
    ///
    /// ```
    /// use bindpose::FileKind;
    /// let mut file = FileKind::Ms3d.blank();
    /// file.append("joints")?;
    /// file.append("joints")?;
    /// let names = file.get_all("joints[*].name")?;
    /// assert_eq!(names.len(), 2);
    /// assert_eq!(names[1].0.to_string(), "joints[1].name");
    /// # Ok::<(), bindpose::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Path`] when the path is malformed or selects nothing.
    pub fn get_all(&self, path: &str) -> Result<Vec<(FieldPath, FieldValue)>> {
        schema::get_all(self.value(), &path.parse()?)
    }

    /// As [`get_all`](Self::get_all), in the spelling that [`set_text`](Self::set_text) accepts.
    ///
    /// # Errors
    /// As [`get_all`](Self::get_all).
    pub fn get_text(&self, path: &str) -> Result<Vec<(FieldPath, String)>> {
        schema::get_text(self.value(), &path.parse()?)
    }

    /// Sets every leaf that a path selects, and returns where they are. Nothing else changes, except the lengths that count
    /// a text.
    ///
    /// A number is rounded to the precision of a float, every leaf accepts its raw bytes, and a leaf that already has the value
    /// keeps its spelling.
    ///
    /// ```
    /// use bindpose::FileKind;
    /// let mut file = FileKind::Ms3d.blank();
    /// file.set("animation.fps", 30)?;
    /// assert_eq!(file.get("animation.fps")?.as_f64(), Some(30.0));
    /// let error = file.set("animation.fps", "fast").unwrap_err();
    /// assert_eq!(error.message(), "expected f32, got text");
    /// # Ok::<(), bindpose::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Path`] when the path selects nothing; [`ErrorKind::Value`] when it selects no leaf, the value is of another
    /// type or does not fit, or the leaf decides how others are read.
    pub fn set(&mut self, path: &str, value: impl Into<FieldValue>) -> Result<Vec<Location>> {
        schema::set(self.value_mut(), &path.parse()?, &value.into())
    }

    /// As [`set`](Self::set), from a spelling: a number, the bits of a float (`0x7f800001`), a text with `\xNN` for a byte, or
    /// raw bytes (`hex:00ff`).
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn set_text(&mut self, path: &str, text: &str) -> Result<Vec<Location>> {
        schema::set_text(self.value_mut(), &path.parse()?, text)
    }

    /// Appends objects to the object at a path, or to the file if the path is empty. Only `.x` files have objects. Returns
    /// their paths, and the byte in the file at which they were inserted.
    ///
    /// ```
    /// let mut file = bindpose::decode(b"xof 0303txt 0032\nFrame Root {\n}\n")?;
    /// let added = file.append_objects("Frame[Root]", "Frame Child {\n}")?;
    /// assert_eq!(added[0].path.to_string(), "Frame[\"Root\"].Frame[\"Child\"]");
    /// assert_eq!(file.encode()?, b"xof 0303txt 0032\nFrame Root {\n  Frame Child {\n  }\n}\n");
    /// # Ok::<(), bindpose::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Path`] if the path selects nothing; [`ErrorKind::Value`] if it selects several objects, the text is not
    /// one of objects, or the format has no objects.
    pub fn append_objects(&mut self, path: &str, text: &str) -> Result<Vec<Location>> {
        self.append_objects_at(&path.parse()?, text.as_bytes())
    }

    /// Appends an element of zeros to the list at a path, and to lists that share its length.
    ///
    /// # Errors
    /// [`ErrorKind::Path`] if the path does not exist or is not a list; [`ErrorKind::Value`] if its length is fixed.
    pub fn append(&mut self, path: &str) -> Result<Vec<FieldPath>> {
        schema::append(self.value_mut(), &path.parse()?)
    }

    /// Creates the missing part at a path and its missing parents, and returns their paths.
    ///
    /// A choice takes the form named by `value`, a list gets another element, and a part with a single field takes
    /// `value` or zero.
    ///
    /// ```
    /// use bindpose::FileKind;
    /// let mut file = FileKind::Ms3d.blank();
    /// file.create("comments.model", Some("a hip"))?;
    /// assert_eq!(file.get("comments.lists.model[0].text")?.as_str(), Some("a hip"));
    /// # Ok::<(), bindpose::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Path`] if the path is invalid; [`ErrorKind::Value`] if the part already exists, or cannot be
    /// created alone: another field decides whether it exists.
    pub fn create(&mut self, path: &str, value: Option<&str>) -> Result<Vec<FieldPath>> {
        let path: FieldPath = path.parse()?;
        let shape = self.kind().shape_in(self.dialect());
        for before in [false, true] {
            let mut with = self.clone();
            let created = schema::create(with.value_mut(), &shape, &path, value, before)?;
            if with.reread().is_ok() {
                *self = with;
                return Ok(created);
            }
        }
        Err(Error::new(0, ErrorKind::Value(schema::not_alone(&shape, &path))).at(path))
    }

    /// Deletes the list element at a path, and those of lists that share its length.
    ///
    /// # Errors
    /// [`ErrorKind::Path`] if the path does not exist or is not an element; [`ErrorKind::Value`] if the length is
    /// fixed.
    pub fn delete(&mut self, path: &str) -> Result<Vec<FieldPath>> {
        schema::delete(self.value_mut(), &path.parse()?)
    }

    /// Zeroes the bytes after the NUL of every text field, which often contain memory of the writer. Returns the former
    /// bytes.
    ///
    /// # Errors
    /// Never for a decoded file.
    pub fn scrub(&mut self) -> Result<Vec<(FieldPath, Vec<u8>)>> {
        let junk = schema::junk(self.value());
        junk.iter().try_for_each(|(path, _)| schema::scrub(self.value_mut(), path))?;
        Ok(junk)
    }

    /// Encodes the file and decodes it again.
    ///
    /// ```
    /// use bindpose::{FileKind, schema::EditError, ErrorKind};
    /// let mut file = FileKind::Psk.blank();
    /// file.delete("chunks[0]")?;
    /// assert!(file.reread().is_err(), "a file starts with its first chunk");
    /// # Ok::<(), bindpose::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`encode`](Self::encode); errors of decoding if the bytes are not a file of its format; [`Misread`](crate::schema::EditError::Misread) if
    /// they are read with another structure, because other fields decide how a value is read; the damage that the decoded file
    /// has and this one does not.
    pub fn reread(&self) -> Result<Document> {
        let bytes = self.encode()?;
        let options = self.options().with_limits(Limits::none());
        let again = Document::decode(bytes, self.kind(), &options)?;
        let shape = self.kind().shape_in(self.dialect());
        Structure::of(self.value(), &shape).compare(again.file().value(), &shape)?;
        match again.file().damage() {
            Some(damage) if self.damage().is_none() => Err(damage),
            _ => Ok(again),
        }
    }

    /// Visits every field in the order of the file.
    ///
    /// # Errors
    /// Breaks if the visitor does.
    pub fn walk(&self, visit: &mut dyn FnMut(&Place, &dyn Leaf) -> ControlFlow<()>) -> ControlFlow<(), u64> {
        schema::leaves(self.value(), visit)
    }

    /// Visits every leaf that ends after an offset, without visiting those before it.
    ///
    /// # Errors
    /// Breaks if the visitor does.
    pub fn walk_from(
        &self,
        offset: u64,
        visit: &mut dyn FnMut(&Place, &dyn Leaf) -> ControlFlow<()>,
    ) -> ControlFlow<(), u64> {
        schema::leaves_from(self.value(), offset, visit)
    }

    /// Returns where and why decoding stopped, if the file is damaged.
    #[must_use]
    pub fn damage(&self) -> Option<Error> {
        crate::codec::damage(self.value())
    }
}
