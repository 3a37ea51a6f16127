//! Images of textures.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bindpose::depot::{ImageDecoder, ImageError};
use bindpose::files::read_regular;
use bindpose::scene::Scene;
use bindpose::scene::gltf::{Gltf, Image, ImageSource};
use bindpose::{Budget, Error, Limits};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{exception, os_error, value_exception};
use crate::input::{Entries, buffer, path_of};

/// The largest file that is read as an image, in bytes.
const MAX_FILE: u64 = 256 << 20;

/// The images of a scene, by the paths of textures.
pub type SceneImages = BTreeMap<String, SceneImage>;

/// The image of a texture.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SceneImage {
    File(PathBuf),
    /// The content of an image file, which was a part of glTF, with its name.
    Embedded(Arc<(String, Vec<u8>)>),
}

impl From<Image> for SceneImage {
    fn from(image: Image) -> Self {
        Self::Embedded(Arc::new((image.path, image.bytes)))
    }
}

impl<'py> IntoPyObject<'py> for SceneImage {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        match self {
            Self::File(path) => Ok(path.into_pyobject(py)?.into_any()),
            Self::Embedded(own) => Ok(PyBytes::new(py, &own.1).into_any()),
        }
    }
}

impl SceneImage {
    /// Returns the image of a texture that is given as a path or as the content of a file.
    pub fn of(texture: &str, image: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(match path_of(image)? {
            Some(path) => Self::File(path),
            None => Self::Embedded(Arc::new((texture.to_owned(), buffer(image)?.as_bytes().to_vec()))),
        })
    }

    /// Returns the name of the image and the content of its file.
    pub fn read(&self) -> std::io::Result<(String, Vec<u8>)> {
        match self {
            Self::File(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                Ok((name, read_regular(path, MAX_FILE)?))
            }
            Self::Embedded(own) => Ok((**own).clone()),
        }
    }
}

/// The images of textures that a caller gives, by the paths of these.
#[derive(Debug)]
pub struct Images(HashMap<String, ImageSource>);

impl<'py> FromPyObject<'_, 'py> for Images {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let given: Entries<String, Bound<'py, PyAny>> = object.extract()?;
        let decoder = ImageDecoder::new(Limits::default());
        let of = |(texture, image): (String, _)| Ok((texture.clone(), source(&decoder, texture, &image)?));
        given.0.into_iter().map(of).collect::<PyResult<_>>().map(Self)
    }
}

fn source(decoder: &ImageDecoder, texture: String, image: &Bound<'_, PyAny>) -> PyResult<ImageSource> {
    if let Ok(uri) = image.extract::<String>() {
        return Ok(ImageSource::Uri(uri));
    }
    let py = image.py();
    let own = SceneImage::of(&texture, image)?;
    let (name, bytes) = own.read().map_err(|error| match &own {
        SceneImage::File(path) => os_error(py, &error, path),
        SceneImage::Embedded(_) => error.into(),
    })?;
    let converted = decoder.for_gltf(&name, bytes.into(), &Budget::default());
    let converted = converted.map_err(|error| image_exception(py, &texture, error))?;
    Ok(ImageSource::Embedded(Image { path: texture, ..converted }))
}

/// Returns the exception for an image that cannot be converted.
pub fn image_exception(py: Python<'_>, name: &str, error: ImageError) -> PyErr {
    match error {
        ImageError::Limit(why) => exception(py, &Error::from(why), Some(Path::new(name))),
        error => value_exception(py, "", format!("image {name:?}: {error}")),
    }
}

/// Converts a scene with the images of its textures.
pub fn gltf(scene: &Scene, images: Option<&Images>) -> Gltf {
    Gltf::with_images(scene, |texture| images?.0.get(texture).cloned())
}

/// Converts a scene with the images that its textures have. Those that cannot be read are left out; one that exceeds the limits is an
/// error.
pub fn embedded(
    scene: &Scene,
    (images, limits): (&SceneImages, Limits),
) -> Result<Gltf, (String, ImageError)> {
    let exceeded = RefCell::new(None);
    let decoder = ImageDecoder::new(limits);
    let load = |image: &&SceneImage| {
        let (name, bytes) = image.read().ok().filter(|_| exceeded.borrow().is_none())?;
        match decoder.for_gltf(&name, bytes.into(), &Budget::default()) {
            Ok(image) => Some(ImageSource::Embedded(image)),
            Err(ImageError::Invalid(_)) => None,
            Err(error) => {
                exceeded.replace(Some((name, error)));
                None
            }
        }
    };
    let gltf = Gltf::with_shared_images(scene, |texture| images.get(texture), load);
    exceeded.into_inner().map_or(Ok(gltf), Err)
}
