//! Images of textures in glTF.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use bindpose::files::read_regular;
use bindpose::scene::Scene;
use bindpose::scene::gltf::{Gltf, Image, ImageFormat, ImageSource};
use pyo3::prelude::*;

use crate::error::{os_error, value_exception};
use crate::input::{Entries, buffer, path_of};

/// The largest file that is read as an image, in bytes.
pub const MAX_FILE: u64 = 256 << 20;

/// The images of textures, by the paths of these.
#[derive(Debug)]
pub struct Images(HashMap<String, ImageSource>);

impl<'py> FromPyObject<'_, 'py> for Images {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let given: Entries<String, Bound<'py, PyAny>> = object.extract()?;
        given
            .0
            .into_iter()
            .map(|(path, image)| Ok((path.clone(), source(path, &image)?)))
            .collect::<PyResult<_>>()
            .map(Self)
    }
}

fn source(path: String, image: &Bound<'_, PyAny>) -> PyResult<ImageSource> {
    if let Ok(uri) = image.extract::<String>() {
        return Ok(ImageSource::Uri(uri));
    }
    let bytes = match path_of(image)? {
        Some(file) => read_regular(&file, MAX_FILE).map_err(|error| os_error(image.py(), &error, &file))?,
        None => buffer(image)?.as_bytes().to_vec(),
    };
    let Some(format) = ImageFormat::detect(&bytes).filter(|format| format.is_of_gltf()) else {
        let message = format!("image {path:?}: glTF contains PNG and JPEG images only; convert it");
        return Err(value_exception(image.py(), "", message));
    };
    Ok(ImageSource::Embedded(Image { path, mime: format.mime().to_owned(), bytes }))
}

/// Converts a scene with the images of its textures.
pub fn gltf(scene: &Scene, images: Option<&Images>) -> Gltf {
    Gltf::with_images(scene, |texture| images?.0.get(texture).cloned())
}

/// Converts a scene with the PNG and JPEG images that its textures have; others are left out.
pub fn embedded(scene: &Scene, images: &BTreeMap<String, PathBuf>) -> Gltf {
    Gltf::with_images(scene, |texture| {
        let bytes = read_regular(images.get(texture)?, MAX_FILE).ok()?;
        let format = ImageFormat::detect(&bytes).filter(|format| format.is_of_gltf())?;
        Some(ImageSource::Embedded(Image { path: texture.to_owned(), mime: format.mime().to_owned(), bytes }))
    })
}
