//! Pictures of scenes.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::PathBuf;

use bindpose::files::read_regular;
use bindpose::scene::Scene;
use bindpose::scene::render::{Picture, View, render};
use image::{ImageError, ImageFormat, RgbaImage};

use super::images::MAX_FILE;

/// Draws a scene with the images of its textures, and returns the bytes of a PNG file.
pub fn png(
    scene: &Scene,
    images: &BTreeMap<String, PathBuf>,
    view: &View<'_>,
) -> Result<Vec<u8>, ImageError> {
    let picture = render(scene, view, |texture| load(images.get(texture)?));
    let bytes = picture.pixels.into_iter().flatten().collect();
    let image = RgbaImage::from_raw(picture.width, picture.height, bytes).unwrap_or_default();
    let mut png = Cursor::new(Vec::new());
    image.write_to(&mut png, ImageFormat::Png)?;
    Ok(png.into_inner())
}

/// Loads an image; nothing if it cannot be decoded.
fn load(path: &PathBuf) -> Option<Picture> {
    let bytes = read_regular(path, MAX_FILE).ok()?;
    let format = ImageFormat::from_path(path).or_else(|_| image::guess_format(&bytes)).ok()?;
    let image = image::load_from_memory_with_format(&bytes, format).ok()?.into_rgba8();
    let (width, height) = image.dimensions();
    Some(Picture { width, height, pixels: image.into_raw().as_chunks().0.to_vec() })
}
