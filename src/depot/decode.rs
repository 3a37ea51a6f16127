//! Decodes the images of textures within limits.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::io::Cursor;
use std::path::Path;

use dds::header::ParseOptions;
use dds::{ColorFormat, Decoder, DecodingError, ImageViewMut};
use image::{DynamicImage, ImageDecoder as _, ImageReader, RgbImage, RgbaImage};

use crate::scene::gltf::{Image, ImageFormat};
use crate::{Budget, LimitError, Limits};

/// The largest width and height of an image in pixels.
const MAX_SIDE: u32 = 16_384;
/// The bytes of pixels that are decoded for a scene, relative to the memory that its images may take at a time.
const MAX_TOTAL: u64 = 4;

/// A decoded image. Its memory, and that of what becomes of it, is charged until it is dropped.
#[derive(Debug)]
pub struct DecodedImage {
    /// The pixels.
    pub image: DynamicImage,
    _memory: Budget,
}

/// The reason why an image is not decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageError {
    /// It is damaged, or its format is not supported.
    Invalid(String),
    /// The width or the height exceeds the limit.
    Size {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
    },
    /// Its pixels, or those of all images, take more memory than limits permit.
    Limit(LimitError),
}

impl fmt::Display for ImageError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(why) => write!(out, "cannot be decoded: {why}"),
            Self::Size { width, height } => {
                write!(out, "{width}x{height} pixels; images are limited to {MAX_SIDE}x{MAX_SIDE}")
            }
            Self::Limit(why) => why.fmt(out),
        }
    }
}

impl std::error::Error for ImageError {}

impl From<LimitError> for ImageError {
    fn from(why: LimitError) -> Self {
        Self::Limit(why)
    }
}

impl From<image::ImageError> for ImageError {
    fn from(error: image::ImageError) -> Self {
        Self::invalid(&error)
    }
}

impl ImageError {
    fn invalid(error: &dyn fmt::Display) -> Self {
        Self::Invalid(error.to_string())
    }
}

/// Decodes the images of a scene, one at a time: PNG, JPEG, TGA, BMP, DDS, WebP and PCX.
///
/// ```
/// use bindpose::depot::ImageDecoder;
/// use bindpose::{Budget, Limits};
/// // A TGA image of one red pixel.
/// let mut tga = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0];
/// tga.extend([0, 0, 255]);
/// let decoder = ImageDecoder::new(Limits::default());
/// let image = decoder.for_gltf("skin.tga", tga.into(), &Budget::default())?;
/// assert_eq!((&*image.mime, &image.bytes[1..4]), ("image/png", &b"PNG"[..]));
/// # Ok::<(), bindpose::depot::ImageError>(())
/// ```
#[derive(Debug)]
pub struct ImageDecoder {
    limits: Limits,
    /// The bytes of pixels that may be decoded yet.
    left: Cell<u64>,
}

impl ImageDecoder {
    /// A decoder with limits, which apply to each image, and to the work for all of them.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, left: Cell::new(limits.max_memory.saturating_mul(MAX_TOTAL)) }
    }

    /// Returns an image for a glTF file: as it is if that is PNG or JPEG, otherwise as PNG. `path` is that of its texture or its file; the
    /// extension determines the format if the content does not.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn for_gltf(&self, path: &str, bytes: Cow<'_, [u8]>, budget: &Budget) -> Result<Image, ImageError> {
        let (format, bytes) = match ImageFormat::detect(&bytes).filter(|format| format.is_of_gltf()) {
            Some(format) => (format, bytes.into_owned()),
            None => (ImageFormat::Png, self.to_png(path, &bytes, budget)?),
        };
        Ok(Image { path: path.to_owned(), mime: format.mime().to_owned(), bytes })
    }

    /// Returns an image as PNG.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn to_png(&self, path: &str, bytes: &[u8], budget: &Budget) -> Result<Vec<u8>, ImageError> {
        let mut png = Cursor::new(Vec::new());
        self.decode(path, bytes, budget)?.image.write_to(&mut png, image::ImageFormat::Png)?;
        Ok(png.into_inner())
    }

    /// Decodes an image. The extension of its path determines the format if the content does not.
    ///
    /// # Errors
    /// If the image is damaged or not supported, is too large, or its pixels exceed the limits or the budget.
    pub fn decode(&self, path: &str, bytes: &[u8], budget: &Budget) -> Result<DecodedImage, ImageError> {
        budget.admit(bytes.len() as u64);
        let extension = Path::new(path).extension().and_then(|own| own.to_str()).unwrap_or_default();
        if extension.eq_ignore_ascii_case("pcx") {
            return self.pcx(bytes, budget);
        }
        if ImageFormat::detect(bytes) == Some(ImageFormat::Dds) {
            return self.dds(bytes, budget);
        }
        let mut reader = ImageReader::new(Cursor::new(bytes));
        if let Some(format) = image::ImageFormat::from_extension(extension) {
            reader.set_format(format);
        }
        // The content decides where it has a signature: many `.tga` files are something else.
        let mut reader = reader.with_guessed_format().map_err(|error| ImageError::invalid(&error))?;
        let mut limits = image::Limits::default();
        limits.max_alloc = Some(self.most(bytes));
        reader.limits(limits);
        let decoder = reader.into_decoder().map_err(|error| self.failed(error, bytes))?;
        let memory = self.charge(decoder.dimensions(), decoder.total_bytes(), bytes, budget)?;
        let image = DynamicImage::from_decoder(decoder).map_err(|error| self.failed(error, bytes))?;
        Ok(DecodedImage { image, _memory: memory })
    }

    fn failed(&self, error: image::ImageError, bytes: &[u8]) -> ImageError {
        match error {
            image::ImageError::Limits(_) => {
                let permitted = self.most(bytes);
                LimitError::Memory { needed: permitted.saturating_add(1), permitted }.into()
            }
            error => error.into(),
        }
    }

    /// The most memory for the pixels of an image: as much again is for what becomes of them.
    fn most(&self, bytes: &[u8]) -> u64 {
        self.limits.max_memory.saturating_add(self.for_file(bytes)) / 2
    }

    /// The additional memory for a file of this length.
    const fn for_file(&self, bytes: &[u8]) -> u64 {
        self.limits.max_memory_per_byte.saturating_mul(bytes.len() as u64)
    }

    /// Checks the size of an image, and charges its memory, before its pixels are decoded.
    fn charge(
        &self,
        (width, height): (u32, u32),
        pixels: u64,
        bytes: &[u8],
        budget: &Budget,
    ) -> Result<Budget, ImageError> {
        if width.max(height) > MAX_SIDE {
            return Err(ImageError::Size { width, height });
        }
        let left = self.left.get().saturating_add(self.for_file(bytes));
        let permitted = self.most(bytes).min(left);
        if pixels > permitted {
            return Err(LimitError::Memory { needed: pixels, permitted }.into());
        }
        self.left.set(left - pixels);
        Ok(budget.grant(pixels.saturating_mul(2))?)
    }

    /// Decodes the first surface: of a cube its first face, without smaller copies.
    fn dds(&self, bytes: &[u8], budget: &Budget) -> Result<DecodedImage, ImageError> {
        let failed = |error: DecodingError| ImageError::invalid(&error);
        // Old programs write invalid headers.
        let options = ParseOptions::new_permissive(Some(bytes.len() as u64));
        let mut decoder = Decoder::new_with_options(Cursor::new(bytes), &options).map_err(failed)?;
        let size = decoder.main_size();
        let len = size.pixels().saturating_mul(4);
        let memory = self.charge((size.width, size.height), len, bytes, budget)?;
        let mut pixels = vec![0; usize::try_from(len).unwrap_or_default()];
        let view = ImageViewMut::new(&mut pixels, size, ColorFormat::RGBA_U8).ok_or_else(inconsistent)?;
        decoder.read_surface(view).map_err(failed)?;
        let image = RgbaImage::from_raw(size.width, size.height, pixels).ok_or_else(inconsistent)?;
        Ok(DecodedImage { image: image.into(), _memory: memory })
    }

    fn pcx(&self, bytes: &[u8], budget: &Budget) -> Result<DecodedImage, ImageError> {
        let failed = |error: std::io::Error| ImageError::invalid(&error);
        let mut reader = pcx::Reader::from_mem(bytes).map_err(failed)?;
        let (width, height) = (u32::from(reader.width()), u32::from(reader.height()));
        let num = u64::from(width) * u64::from(height);
        // With the indices of colours.
        let memory =
            self.charge((width, height), num * if reader.is_paletted() { 4 } else { 3 }, bytes, budget)?;
        let mut pixels = vec![0; width as usize * height as usize * 3];
        let row = width as usize * 3;
        if reader.is_paletted() {
            let mut indices = vec![0; width as usize * height as usize];
            for line in indices.chunks_exact_mut(width as usize) {
                reader.next_row_paletted(line).map_err(failed)?;
            }
            let mut palette = vec![0; 256 * 3];
            reader.read_palette(&mut palette).map_err(failed)?;
            for (pixel, index) in pixels.chunks_exact_mut(3).zip(indices) {
                pixel.copy_from_slice(&palette[usize::from(index) * 3..][..3]);
            }
        } else {
            for line in pixels.chunks_exact_mut(row) {
                reader.next_row_rgb(line).map_err(failed)?;
            }
        }
        let image = RgbImage::from_raw(width, height, pixels).ok_or_else(inconsistent)?;
        Ok(DecodedImage { image: image.into(), _memory: memory })
    }
}

/// The error of an image whose pixels are not those of its size.
fn inconsistent() -> ImageError {
    ImageError::invalid(&"the size is inconsistent")
}
