//! Changes of files.

use std::cell::RefCell;
use std::rc::Rc;

use bindpose::edit::{Renames, names, rename, resample, retime, scale, transform};
use bindpose::glam::{Quat, Vec3};
use bindpose::schema::{self, unescape};
use bindpose::{Budget, Document, Error, ErrorKind, FieldPath, File, Limits, Result};
use serde::Deserialize;
use wasm_bindgen::prelude::*;

use crate::file::BindposeFile;

/// The files of the set of a file: those that only move together with it.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct FileSet(Vec<Rc<RefCell<Document>>>);

#[wasm_bindgen]
impl FileSet {
    /// Creates an empty set.
    #[must_use]
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    pub fn add(&mut self, file: &BindposeFile) {
        self.0.push(file.shared().1);
    }
}

impl FileSet {
    /// Returns the contents of the files other than one.
    pub(crate) fn without(&self, own: &Rc<RefCell<Document>>) -> Vec<File> {
        let others = self.0.iter().filter(|other| !Rc::ptr_eq(own, other));
        others.map(|other| other.borrow().file().clone()).collect()
    }
}

/// A change of a file.
#[derive(Deserialize)]
#[serde(tag = "verb", rename_all = "lowercase")]
pub(crate) enum Edit {
    /// Sets the value at a path.
    Set { path: String, value: String },
    /// Renames the object whose name is at a path.
    Rename { path: String, value: String },
    /// Scales, re-times, rotates and moves everything, in this order.
    Transform(Transform),
}

impl Edit {
    /// Changes a file; `beside` are the others of its set. Returns the number of values that changed.
    pub fn apply(&self, file: &mut File, beside: &[File]) -> Result<usize> {
        match self {
            Self::Set { path, value } => Ok(schema::set_text(file.value_mut(), &path.parse()?, value)?.len()),
            Self::Rename { path, value } => {
                let path: FieldPath = path.parse()?;
                let name = names(file)?.into_iter().find(|name| name.path == path);
                let name = name.ok_or_else(|| invalid("no object has its name here"))?;
                let new = unescape(value).map_err(|why| Error::new(0, ErrorKind::Value(why)).at(path))?;
                let renames = Renames::new().with(name.entity, name.text, new)?;
                Ok(rename(file, &renames)?.len())
            }
            Self::Transform(own) => own.apply(file, beside).map(|()| 1),
        }
    }
}

fn invalid(why: &str) -> Error {
    Error::new(0, ErrorKind::Value(why.into()))
}

/// Operations on everything in a file.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Transform {
    /// The factor of all lengths.
    scale: Option<f32>,
    /// The frame rate of clips.
    fps: Option<f32>,
    /// Whether clips keep their length at another frame rate.
    keeps_duration: bool,
    /// An axis, and an angle in degrees.
    rotate: Option<(char, f32)>,
    /// A translation along the axes of the file.
    translate: Option<[f32; 3]>,
}

impl Transform {
    fn apply(&self, file: &mut File, beside: &[File]) -> Result<()> {
        let budget = Budget::of(&Limits::default(), file.value().size());
        if let Some(factor) = self.scale {
            scale(file, factor, &budget)?;
        }
        match self.fps {
            Some(rate) if self.keeps_duration => resample(file, rate, &budget)?,
            Some(rate) => retime(file, rate)?,
            None => {}
        }
        if self.rotate.is_none() && self.translate.is_none() {
            return Ok(());
        }
        let rotation = self.rotate.map_or(Ok(Quat::IDENTITY), turned)?;
        // An animation moves as the skeleton beside it does.
        let mut files = vec![file.clone()];
        files.extend_from_slice(beside);
        let size = files.iter().map(|file| file.value().size()).sum();
        let budget = Budget::of(&Limits::default(), size);
        transform(&mut files, rotation, Vec3::from(self.translate.unwrap_or_default()), &budget)?;
        *file = files.swap_remove(0);
        Ok(())
    }
}

/// Returns the rotation about an axis.
fn turned((axis, degrees): (char, f32)) -> Result<Quat> {
    let angle = degrees.to_radians();
    match axis {
        'x' => Ok(Quat::from_rotation_x(angle)),
        'y' => Ok(Quat::from_rotation_y(angle)),
        'z' => Ok(Quat::from_rotation_z(angle)),
        _ => Err(invalid("an axis is x, y or z")),
    }
}
