//! The texts about materials among the files of a folder.

use std::collections::HashMap;

use bindpose::depot::{described_material, is_material_text};
use bindpose::scene::TextureRole;
use wasm_bindgen::prelude::*;

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

    /// Returns the colour texture of a material, if it is one of the images: names in lower case without extension.
    #[must_use]
    #[wasm_bindgen(js_name = colorOf)]
    pub fn color_of(&self, material: &str, images: Vec<String>) -> Option<String> {
        let read = |name: &str| Some((name.to_owned(), self.texts.get(&name.to_lowercase())?.clone()));
        let textures = described_material(material, read, |texture| images.contains(&texture.to_lowercase()));
        textures.textures.into_iter().find(|own| own.role == TextureRole::Color).map(|own| own.name)
    }
}
