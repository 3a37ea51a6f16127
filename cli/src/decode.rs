//! Decodes images within limits.

use std::cell::Cell;
use std::io::Cursor;

use image::{DynamicImage, ImageDecoder, ImageError, ImageReader, RgbImage};

use super::exit::plain;
use super::limits::MORE_MEMORY;
use super::output::bytes as size;
use super::read::side_file;
use crate::prelude::*;
use bindpose::Error;

/// The largest file that is read as an image, in bytes.
const MAX_FILE: u64 = 256 << 20;
/// The largest width and height of an image in pixels.
const MAX_SIDE: u32 = 16_384;
/// The bytes of pixels that are decoded for a scene, relative to the memory that its images may take at a time.
const MAX_TOTAL: u64 = 4;

/// A decoded image. Its memory, and that of what becomes of it, is charged until it is dropped.
#[derive(Debug)]
pub(super) struct Decoded {
    pub image: DynamicImage,
    _memory: Budget,
}

/// Decodes the images of a scene, one at a time.
pub(super) struct Decoder {
    limits: Limits,
    /// The bytes of pixels that may be decoded yet.
    left: Cell<u64>,
}

impl Decoder {
    /// A decoder with limits, which apply to each image, and to the work for all of them.
    pub fn new(limits: Limits) -> Self {
        Self { limits, left: Cell::new(limits.max_memory.saturating_mul(MAX_TOTAL)) }
    }

    /// Decodes an image. The extension of its file determines the format if the content does not.
    pub fn decode(&self, bytes: &[u8], extension: &str, budget: &Budget) -> Result<Decoded> {
        budget.admit(bytes.len() as u64);
        if extension.eq_ignore_ascii_case("pcx") {
            return self.pcx(bytes, budget);
        }
        let mut reader = ImageReader::new(Cursor::new(bytes));
        if let Some(format) = image::ImageFormat::from_extension(extension) {
            reader.set_format(format);
        }
        // The content decides where it has a signature: many `.tga` files are something else.
        let mut reader = reader.with_guessed_format().map_err(|error| invalid(&error))?;
        let mut limits = image::Limits::default();
        limits.max_alloc = Some(self.most(bytes));
        reader.limits(limits);
        let decoder = reader.into_decoder().map_err(|error| failed(&error))?;
        let (width, height) = decoder.dimensions();
        let memory = self.charge([width, height], decoder.total_bytes(), bytes, budget)?;
        let image = DynamicImage::from_decoder(decoder).map_err(|error| failed(&error))?;
        Ok(Decoded { image, _memory: memory })
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
        [width, height]: [u32; 2],
        pixels: u64,
        bytes: &[u8],
        budget: &Budget,
    ) -> Result<Budget> {
        let exceeded = |why: String| Err(Failure::new(Exit::Limit, why).with_help(MORE_MEMORY));
        if width.max(height) > MAX_SIDE {
            let why = format!("{width}x{height} pixels; images are limited to {MAX_SIDE}x{MAX_SIDE}");
            return Err(Failure::new(Exit::Limit, why));
        }
        let most = self.most(bytes);
        if pixels > most {
            let (len, pixels, most) = (size(bytes.len() as u64), size(pixels), size(most));
            return exceeded(format!(
                "{width}x{height} pixels take {pixels}; an image of {len} is limited to {most}"
            ));
        }
        match self.left.get().saturating_add(self.for_file(bytes)).checked_sub(pixels) {
            Some(left) => {
                self.left.set(left);
                let memory = budget.grant(pixels.saturating_mul(2));
                memory.map_err(|why| Error::from(why).into())
            }
            None => exceeded("the images of the scene before it take as much memory as all may".into()),
        }
    }

    fn pcx(&self, bytes: &[u8], budget: &Budget) -> Result<Decoded> {
        let failed = |error: std::io::Error| invalid(&error);
        let mut reader = pcx::Reader::from_mem(bytes).map_err(failed)?;
        let (width, height) = (u32::from(reader.width()), u32::from(reader.height()));
        let num = u64::from(width) * u64::from(height);
        // With the indices of colours.
        let memory =
            self.charge([width, height], num * if reader.is_paletted() { 4 } else { 3 }, bytes, budget)?;
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
        let image = RgbImage::from_raw(width, height, pixels);
        let image = image.ok_or_else(|| invalid(&"the size is inconsistent"))?;
        Ok(Decoded { image: image.into(), _memory: memory })
    }
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    side_file(path, MAX_FILE)
}

fn failed(error: &ImageError) -> Failure {
    match error {
        ImageError::Limits(_) => Failure::new(Exit::Limit, plain(error)),
        error => invalid(error),
    }
}

fn invalid(error: &impl std::fmt::Display) -> Failure {
    Failure::new(Exit::Undecodable, format!("cannot be decoded: {}", plain(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8], extension: &str) -> Result<DynamicImage, Failure> {
        let decoded = Decoder::new(Limits::default()).decode(bytes, extension, &Budget::default())?;
        Ok(decoded.image)
    }

    /// A PCX image of three planes: rows of one colour, up to the end of the bytes.
    fn pcx_of([width, height]: [u16; 2]) -> Vec<u8> {
        let mut bytes = vec![0; 128];
        bytes[..4].copy_from_slice(&[10, 5, 1, 8]);
        bytes[8..10].copy_from_slice(&(width - 1).to_le_bytes());
        bytes[10..12].copy_from_slice(&(height - 1).to_le_bytes());
        bytes[65] = 3;
        bytes[66..68].copy_from_slice(&width.to_le_bytes());
        // A run of four bytes for each plane of a row.
        bytes.extend([0xc4, 200, 0xc4, 100, 0xc4, 50].repeat(4));
        bytes
    }

    /// A compressed TGA image: a header that is followed by the beginning of its pixels.
    fn tga_of([width, height]: [u16; 2]) -> Vec<u8> {
        let mut bytes = vec![0; 18];
        bytes[2] = 10;
        bytes[12..14].copy_from_slice(&width.to_le_bytes());
        bytes[14..16].copy_from_slice(&height.to_le_bytes());
        bytes[16] = 32;
        bytes.extend([0xff, 1, 2, 3, 4]);
        bytes
    }

    /// A compressed bitmap whose pixels end at once.
    fn bmp_of([width, height]: [u32; 2]) -> Vec<u8> {
        let mut bytes = b"BM".to_vec();
        let header = [0, 0, 54 + 1024, 40, width, height, 1 | 8 << 16, 1, 0, 0, 0, 256, 0];
        bytes.extend(header.into_iter().flat_map(u32::to_le_bytes));
        bytes.resize(54 + 1024, 0);
        bytes.extend([0, 1]);
        bytes
    }

    /// A PNG image of this size, without its pixels.
    fn png_of([width, height]: [u32; 2]) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        RgbImage::new(1, 1).write_to(&mut bytes, image::ImageFormat::Png).expect("an image");
        let mut bytes = bytes.into_inner();
        bytes[16..20].copy_from_slice(&width.to_be_bytes());
        bytes[20..24].copy_from_slice(&height.to_be_bytes());
        let crc = crc(&bytes[12..29]);
        bytes[29..33].copy_from_slice(&crc.to_be_bytes());
        bytes
    }

    fn crc(bytes: &[u8]) -> u32 {
        let shift = |crc: u32, _: u32| (crc >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(crc & 1));
        !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), shift))
    }

    #[test]
    fn images_that_exceed_the_limits_are_refused_before_they_are_decoded() {
        let large = 11_500_u16;
        let files = [
            ("png", png_of([large.into(); 2])),
            ("tga", tga_of([large; 2])),
            ("bmp", bmp_of([large.into(); 2])),
            ("pcx", pcx_of([large; 2])),
        ];
        for (extension, bytes) in files {
            let failure = decode(&bytes, extension).expect_err("too large");
            assert_eq!(failure.exit, Exit::Limit, "{extension}: {failure}");
            assert!(failure.message.contains("limited to"), "{extension}: {failure}");
        }
    }

    #[test]
    fn the_images_of_a_scene_have_a_limit_together() {
        let decoder = Decoder::new(Limits::default().with_max_memory(100).with_max_memory_per_byte(0));
        let bytes = pcx_of([4, 4]);
        let done = (0..10).take_while(|_| decoder.decode(&bytes, "pcx", &Budget::default()).is_ok());
        assert_eq!(done.count(), 8, "of 48 bytes each, where 400 are permitted");
    }

    #[test]
    fn the_image_that_is_decoded_counts_for_the_run() {
        let (decoder, bytes) = (Decoder::new(Limits::default()), pcx_of([4, 4]));
        let limits = Limits::default().with_max_memory(150).with_max_memory_per_byte(0);
        let budget = Budget::of(&limits, 0);
        let first = decoder.decode(&bytes, "pcx", &budget).expect("96 of 150 bytes");
        let second = decoder.decode(&bytes, "pcx", &budget).expect_err("192 of 150 bytes");
        assert_eq!(second.exit, Exit::Limit, "{second}");
        drop(first);
        assert!(decoder.decode(&bytes, "pcx", &budget).is_ok());
    }

    #[test]
    fn pcx_images_are_decoded() {
        let image = decode(&pcx_of([4, 4]), "pcx").expect("a valid image").into_rgb8();
        assert!(image.pixels().all(|pixel| pixel.0 == [200, 100, 50]) && image.dimensions() == (4, 4));
        assert!(decode(&pcx_of([4, 5]), "pcx").is_err(), "the last row is missing");
    }

    #[test]
    fn dds_images_are_decoded() {
        let mut bytes = vec![0; 128];
        bytes[..4].copy_from_slice(b"DDS ");
        // Sizes, flags, height, width, and the length of the content.
        for (at, value) in
            [(4, 124_u32), (8, 0x8_1007), (12, 4), (16, 4), (20, 8), (76, 32), (80, 4), (108, 0x1000)]
        {
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        bytes[84..88].copy_from_slice(b"DXT1");
        // A block of the first of two colours, red and blue.
        bytes.extend([0, 0xf8, 0x1f, 0, 0, 0, 0, 0]);
        let image = decode(&bytes, "dds").expect("a valid image").into_rgb8();
        assert!(image.pixels().all(|pixel| pixel.0 == [255, 0, 0]) && image.dimensions() == (4, 4));
    }
}
