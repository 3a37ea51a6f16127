//! Pictures of scenes.

use std::io::Cursor;

use bindpose::depot::ImageDecoder;
use bindpose::scene::Scene;
use bindpose::scene::render::{MAX_SIZE, Picture, View, render};
use bindpose::{Budget, Limits};
use image::{ImageError, ImageFormat, RgbaImage};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::images::{SceneImage, SceneImages};

/// Draws a scene with the images of its textures, and returns the bytes of a PNG file.
pub fn png(
    scene: &Scene,
    images: &SceneImages,
    view: &View<'_>,
    limits: Limits,
) -> Result<Vec<u8>, ImageError> {
    let decoder = ImageDecoder::new(limits);
    let picture = render(scene, view, |texture| load(&decoder, images.get(texture)?));
    let bytes = picture.pixels.into_iter().flatten().collect();
    let image = RgbaImage::from_raw(picture.width, picture.height, bytes).unwrap_or_default();
    let mut png = Cursor::new(Vec::new());
    image.write_to(&mut png, ImageFormat::Png)?;
    Ok(png.into_inner())
}

/// Loads an image; nothing if it cannot be decoded.
fn load(decoder: &ImageDecoder, image: &SceneImage) -> Option<Picture> {
    let (name, bytes) = image.read().ok()?;
    let image = decoder.decode(&name, &bytes, &Budget::default()).ok()?.image.into_rgba8();
    let (width, height) = image.dimensions();
    Some(Picture { width, height, pixels: image.into_raw().as_chunks().0.to_vec() })
}

/// Returns the width and the height of a picture.
pub fn pixels((width, height): (i64, i64)) -> PyResult<[u32; 2]> {
    let side = |own: i64| u32::try_from(own).ok().filter(|own| (1..=MAX_SIZE).contains(own));
    let why =
        || PyValueError::new_err(format!("expected a size from 1 to {MAX_SIZE}, got {width} x {height}"));
    side(width).zip(side(height)).map(<[_; 2]>::from).ok_or_else(why)
}

/// Returns a colour.
pub fn color(own: &[i64; 3]) -> PyResult<[u8; 3]> {
    let [red, green, blue] = own.map(u8::try_from);
    let why = || PyValueError::new_err(format!("expected red, green and blue from 0 to 255, got {own:?}"));
    red.and_then(|red| Ok([red, green?, blue?])).map_err(|_| why())
}
