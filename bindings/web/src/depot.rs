//! The texts about materials among the files of a folder.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use bindpose::depot::{LIST, described_material, is_material_text, material_order};
use bindpose::scene::{Alpha, TextureRole};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::error::to_js;

/// Texts in which UE Viewer lists the textures of materials.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct MaterialTexts {
    /// The texts by the names of their files in lower case.
    texts: HashMap<String, String>,
}

#[wasm_bindgen]
impl MaterialTexts {
    /// Creates an empty collection.
    #[must_use]
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns whether a file is such a text by its name.
    #[must_use]
    pub fn accepts(name: &str) -> bool {
        is_material_text(name)
    }

    /// Adds a text.
    pub fn add(&mut self, name: &str, text: String) {
        self.texts.insert(name.to_lowercase(), text);
    }

    /// Returns what the texts state of a material: its colour texture, if it is one of the images (names in lower case without
    /// extension), and how it is blended.
    ///
    /// # Errors
    /// If the result cannot be represented, which does not happen.
    pub fn describe(&self, material: &str, images: Vec<String>) -> Result<JsValue, JsValue> {
        let read = |name: &str| Some((name.to_owned(), self.texts.get(&name.to_lowercase())?.clone()));
        let own = described_material(material, read, |texture| images.contains(&texture.to_lowercase()));
        let color = own.textures.into_iter().find(|own| own.role == TextureRole::Color).map(|own| own.name);
        to_js(&Described { color, alpha: own.alpha.map(Alpha::name) })
    }
}

#[derive(Serialize)]
struct Described {
    color: Option<String>,
    alpha: Option<&'static str>,
}

/// Lists of the files of Cal3D characters, which state the order of materials.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct MaterialLists {
    /// The texts of the lists by their names, by directories.
    texts: HashMap<String, BTreeMap<String, String>>,
}

#[wasm_bindgen]
impl MaterialLists {
    /// Creates an empty collection.
    #[must_use]
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns whether a file is such a list by its name.
    #[must_use]
    pub fn accepts(name: &str) -> bool {
        Path::new(name).extension().is_some_and(|own| own.eq_ignore_ascii_case(LIST))
    }

    /// Adds a list.
    pub fn add(&mut self, directory: String, name: String, text: String) {
        self.texts.entry(directory).or_default().insert(name, text);
    }

    /// Returns the order of the materials of a directory, as indices of their names.
    #[must_use]
    pub fn order(&self, directory: &str, names: Vec<String>) -> Vec<usize> {
        let lists: Vec<_> = self.texts.get(directory).into_iter().flat_map(BTreeMap::values).collect();
        material_order(&names, &lists)
    }
}
