//! Images of textures are decoded within limits.

use std::borrow::Cow;

use bindpose::depot::{ImageDecoder, ImageError};
use bindpose::{Budget, LimitError, Limits};

fn decode(bytes: &[u8], extension: &str) -> Result<Vec<[u8; 3]>, ImageError> {
    let path = format!("skin.{extension}");
    let decoded = ImageDecoder::new(Limits::default()).decode(&path, bytes, &Budget::default())?;
    Ok(decoded.image.into_rgb8().pixels().map(|pixel| pixel.0).collect())
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

/// An image of one red pixel.
fn red_tga() -> Vec<u8> {
    let mut bytes = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0];
    bytes.extend([0, 0, 255]);
    bytes
}

fn png() -> Vec<u8> {
    let decoder = ImageDecoder::new(Limits::default());
    decoder.to_png("red.TGA", &red_tga(), &Budget::default()).expect("a valid image")
}

/// A PNG image of this size, without its pixels.
fn png_of([width, height]: [u32; 2]) -> Vec<u8> {
    let mut bytes = png();
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
        let error = decode(&bytes, extension).expect_err("too large");
        assert!(matches!(error, ImageError::Limit(LimitError::Memory { .. })), "{extension}: {error}");
    }
    let error = decode(&png_of([20_000, 1]), "png").expect_err("too wide");
    assert_eq!(error.to_string(), "20000x1 pixels; images are limited to 16384x16384");
}

#[test]
fn the_images_of_a_scene_have_a_limit_together() {
    let decoder = ImageDecoder::new(Limits::default().with_max_memory(100).with_max_memory_per_byte(0));
    let bytes = pcx_of([4, 4]);
    let done = (0..10).take_while(|_| decoder.decode("a.pcx", &bytes, &Budget::default()).is_ok());
    assert_eq!(done.count(), 8, "of 48 bytes each, where 400 are permitted");
}

#[test]
fn the_image_that_is_decoded_counts_for_the_run() {
    let (decoder, bytes) = (ImageDecoder::new(Limits::default()), pcx_of([4, 4]));
    let limits = Limits::default().with_max_memory(150).with_max_memory_per_byte(0);
    let budget = Budget::of(&limits, 0);
    let first = decoder.decode("a.pcx", &bytes, &budget).expect("96 of 150 bytes");
    let second = decoder.decode("a.pcx", &bytes, &budget).expect_err("192 of 150 bytes");
    assert!(matches!(second, ImageError::Limit(_)), "{second}");
    drop(first);
    assert!(decoder.decode("a.pcx", &bytes, &budget).is_ok());
}

#[test]
fn pcx_images_are_decoded() {
    let pixels = decode(&pcx_of([4, 4]), "pcx").expect("a valid image");
    assert_eq!(pixels, [[200, 100, 50]; 16]);
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
    assert_eq!(decode(&bytes, "dds").expect("a valid image"), [[255, 0, 0]; 16]);
}

#[test]
fn images_that_gltf_does_not_support_become_png() {
    let decoder = ImageDecoder::new(Limits::default());
    let of = |path: &str, bytes: &[u8]| decoder.for_gltf(path, Cow::Borrowed(bytes), &Budget::default());
    let image = of("skins/red.tga", &red_tga()).expect("a valid image");
    assert_eq!((&*image.path, &*image.mime), ("skins/red.tga", "image/png"));
    assert_eq!(image.bytes, png());
    assert_eq!(decode(&image.bytes, "tga").expect("its content decides"), [[255, 0, 0]]);
    assert_eq!(of("red.png", &png()).expect("a valid image").bytes, png());
    assert!(matches!(of("red.bmp", b"BM"), Err(ImageError::Invalid(_))));
}
