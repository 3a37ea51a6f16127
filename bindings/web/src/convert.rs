//! New files: scenes in other formats, and valid files from damaged ones.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use bindpose::formats::lost_without;
use bindpose::scene::author::{AuthorError, Authored, Authoring};
use bindpose::scene::gltf::{Gltf, Image, ImageFormat, ImageSource};
use bindpose::scene::{self, Alpha, Loss, SafeNames, Texture};
use bindpose::{FileKind, FormatSpec, Limits};
use js_sys::Error;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::error::{js_error, to_js};
use crate::file::spec;
use crate::scene::Scene;

/// New files, and what they do not represent.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct NewFiles {
    files: Vec<(String, Vec<u8>)>,
    losses: Vec<Lost>,
}

/// Something that files do not represent.
#[derive(Debug, Serialize)]
pub struct Lost {
    file: String,
    what: String,
    why: String,
    kind: Option<&'static str>,
    /// What is lost and why, in one word.
    name: Option<String>,
}

impl From<&Loss> for Lost {
    fn from(loss: &Loss) -> Self {
        Self {
            file: loss.file.clone(),
            what: loss.what(),
            why: loss.why(),
            kind: Some(loss.kind().name()),
            name: Some(loss.lost.name()),
        }
    }
}

impl FromIterator<(String, Vec<u8>)> for NewFiles {
    fn from_iter<I: IntoIterator<Item = (String, Vec<u8>)>>(files: I) -> Self {
        Self { files: files.into_iter().collect(), losses: Vec::new() }
    }
}

#[wasm_bindgen]
impl NewFiles {
    /// The number of files.
    #[must_use]
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> usize {
        self.files.len()
    }

    /// Returns the name of a file.
    #[must_use]
    pub fn name(&self, index: usize) -> Option<String> {
        self.files.get(index).map(|(name, _)| name.clone())
    }

    /// Returns the bytes of a file.
    #[must_use]
    pub fn bytes(&self, index: usize) -> Option<Vec<u8>> {
        self.files.get(index).map(|(_, bytes)| bytes.clone())
    }

    /// Returns what the files do not represent.
    ///
    /// # Errors
    /// Never.
    #[wasm_bindgen(unchecked_return_type = "Loss[]")]
    pub fn losses(&self) -> Result<JsValue, JsValue> {
        to_js(&self.losses)
    }
}

/// The images of materials, as PNG or JPEG.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct MaterialImages(BTreeMap<usize, MaterialImage>);

#[derive(Debug)]
struct MaterialImage {
    image: Image,
    /// How a text about the material states that it is blended.
    alpha: Option<Alpha>,
}

#[wasm_bindgen]
impl MaterialImages {
    /// Creates an empty collection.
    #[must_use]
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the colour of the material at an index, and how the material is blended if that is not stated in its file. Returns
    /// whether glTF supports the format of the image; otherwise it is not added.
    pub fn add(&mut self, material: usize, name: String, bytes: Vec<u8>, alpha: Option<String>) -> bool {
        let Some(format) = ImageFormat::detect(&bytes).filter(|format| format.is_of_gltf()) else {
            return false;
        };
        let image = Image { path: name, mime: format.mime().into(), bytes };
        self.0.insert(material, MaterialImage { image, alpha: alpha.and_then(|name| name.parse().ok()) });
        true
    }

    /// Returns a scene whose materials refer to the images.
    fn attached<'a>(&self, scene: &'a scene::Scene) -> Cow<'a, scene::Scene> {
        let mut scene = Cow::Borrowed(scene);
        for (index, MaterialImage { image, alpha }) in &self.0 {
            let Some(own) = scene.materials.get(*index) else { continue };
            if own.color_texture().is_some() && alpha.is_none() {
                continue;
            }
            let own = &mut scene.to_mut().materials[*index];
            own.alpha = alpha.unwrap_or(own.alpha);
            if own.color_texture().is_none() {
                own.textures.insert(0, Texture::from(&*image.path));
            }
        }
        scene
    }
}

#[wasm_bindgen]
impl Scene {
    /// Returns a `.glb` file with the images of materials.
    ///
    /// # Errors
    /// If the file exceeds the limit of the container.
    #[wasm_bindgen(js_name = glbWithImages)]
    pub fn glb_with_images(&self, images: &MaterialImages) -> Result<NewFiles, JsValue> {
        let scene = images.attached(&self.scene);
        let placed = images
            .0
            .iter()
            .filter_map(|(index, own)| Some((scene.materials.get(*index)?.color_texture()?, &own.image)));
        let placed: HashMap<_, _> = placed.collect();
        let find = |path: &str| placed.get_key_value(path).map(|(path, _)| *path);
        let load = |path: &&str| placed.get(path).map(|image| ImageSource::Embedded((*image).clone()));
        let gltf = Gltf::with_shared_images(&scene, find, load);
        let bytes = gltf.to_glb().map_err(|error| js_error(&error))?;
        let losses = self.scene.losses.iter().chain(gltf.losses()).map(Lost::from).collect();
        Ok(NewFiles { files: vec![(".glb".into(), bytes)], losses })
    }

    /// Returns the files that represent the scene in a format, or in all formats of a family. Files without a name of their own
    /// are called `name`.
    ///
    /// # Errors
    /// If no such format can be written, or the scene exceeds a limit of one.
    pub fn convert(&self, format: &str, name: &str) -> Result<NewFiles, JsValue> {
        let kinds = FileKind::ALL.iter().copied().filter(|kind| kind.is_authored());
        let kinds: Vec<_> = kinds.filter(|kind| kind.name() == format || kind.family() == format).collect();
        let missing = lost_without(&self.scene, name, &kinds);
        let losses = self.scene.losses.iter().chain(&missing);
        let mut new = NewFiles { files: Vec::new(), losses: losses.map(Lost::from).collect() };
        let mut taken = SafeNames::default();
        for kind in &kinds {
            let spec = FormatSpec::from(*kind);
            let written = match spec.author(Cow::Borrowed(&self.scene), name, &Authoring::default()) {
                Ok(written) => written,
                Err(AuthorError::Empty { losses, .. }) if kinds.len() > 1 => {
                    new.losses.extend(losses.iter().map(Lost::from));
                    continue;
                }
                Err(error) => return Err(Error::new(&format!("{}: {error}", kind.name())).into()),
            };
            new.losses.extend(written.losses.iter().map(Lost::from));
            for Authored { name, file } in written.files {
                let extension = file.extension();
                let bytes = file.encode().map_err(|error| js_error(&error))?;
                new.files.push((taken.add(&name, extension).to_string(), bytes));
            }
        }
        if new.files.is_empty() {
            return Err(Error::new("the scene has nothing that the format represents").into());
        }
        Ok(new)
    }
}

/// Returns a valid file with what can be read of a damaged one, and what is lost.
///
/// # Errors
/// If nothing can be read, or what can be read is not a valid file.
#[wasm_bindgen]
pub fn rescue(bytes: &[u8], name: String, format: Option<String>) -> Result<NewFiles, JsValue> {
    let spec = spec(bytes, &name, format.as_deref())?;
    let rescued =
        spec.kind.rescue(bytes, &spec.options(Limits::default())).map_err(|error| js_error(&error))?;
    let losses = rescued.losses.into_iter().map(|loss| Lost {
        file: name.clone(),
        what: loss.path.to_string(),
        why: loss.message,
        kind: None,
        name: None,
    });
    let losses = losses.collect();
    Ok(NewFiles { files: vec![(name, rescued.bytes)], losses })
}
