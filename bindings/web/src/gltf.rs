//! glTF files, which are shown and converted.

use std::collections::HashMap;
use std::io;
use std::rc::Rc;

use bindpose::scene::gltf::{self, Imported};
use bindpose::{Budget, FormatSpec, Limits};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::convert::NewFiles;
use crate::error::{js_error, to_js};

/// Reads glTF files with the files that they refer to.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct GltfReader(HashMap<String, Vec<u8>>);

#[wasm_bindgen]
impl GltfReader {
    /// Creates a reader without other files.
    #[must_use]
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns whether a file starts like glTF.
    #[must_use]
    pub fn detect(head: &[u8]) -> bool {
        gltf::detect(head)
    }

    /// Adds a file that the glTF file may refer to, with its path relative to it.
    pub fn add(&mut self, path: String, bytes: Vec<u8>) {
        self.0.insert(path, bytes);
    }

    /// Reads a `.glb` or `.gltf` file, after whose name embedded images are named that have no other.
    ///
    /// # Errors
    /// If the file is invalid, or refers to a file that was not added.
    pub fn read(&self, bytes: &[u8], name: &str) -> Result<GltfFile, JsValue> {
        let mut load = |path: &str, _| {
            let missing = || io::Error::new(io::ErrorKind::NotFound, format!("open {path}, too"));
            self.0.get(path).cloned().ok_or_else(missing)
        };
        let budget = Budget::of(&Limits::default(), bytes.len() as u64);
        let stem = FormatSpec::stem(name.as_ref());
        let mut read =
            gltf::read_named(bytes, &stem, &mut load, &budget).map_err(|error| js_error(&error))?;
        read.remove_unused_bones();
        Ok(GltfFile(Rc::new(read)))
    }
}

/// The scene and the images of a glTF file.
#[wasm_bindgen]
#[derive(Debug)]
pub struct GltfFile(Rc<Imported>);

#[wasm_bindgen]
impl GltfFile {
    /// Returns the embedded images, with the names by which materials refer to them.
    #[must_use]
    pub fn images(&self) -> NewFiles {
        self.0.images.iter().map(|image| (image.path.clone(), image.bytes.clone())).collect()
    }

    /// Returns a summary.
    ///
    /// # Errors
    /// Never.
    #[wasm_bindgen(unchecked_return_type = "GltfInfo")]
    pub fn info(&self) -> Result<JsValue, JsValue> {
        let Imported { scene, generator, .. } = &*self.0;
        let bones = scene.skeleton.bones();
        to_js(&GltfInfo {
            writer: generator.as_deref(),
            bones: Some(bones.len()).filter(|bones| *bones > 0),
            clips: scene.clips.iter().map(|clip| &*clip.name).collect(),
        })
    }

    pub(crate) fn shared(&self) -> Rc<Imported> {
        Rc::clone(&self.0)
    }
}

#[derive(Serialize)]
struct GltfInfo<'a> {
    /// The program that wrote the file.
    writer: Option<&'a str>,
    bones: Option<usize>,
    clips: Vec<&'a str>,
}
