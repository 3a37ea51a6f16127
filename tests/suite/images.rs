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

/// The header of a DDS image, with what its pixel format has at some offsets.
fn dds_of([width, height]: [u32; 2], format: &[(usize, u32)]) -> Vec<u8> {
    let mut bytes = vec![0; 128];
    bytes[..4].copy_from_slice(b"DDS ");
    // Sizes, flags, height and width, the size of the pixel format, and that it is a texture.
    let usual = [(4, 124), (8, 0x1007), (12, height), (16, width), (76, 32), (108, 0x1000)];
    for (at, value) in usual.iter().chain(format) {
        bytes[*at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    bytes
}

/// The pixel format of blocks: that it has a name, and the name.
fn four(name: [u8; 4]) -> [(usize, u32); 2] {
    [(80, 4), (84, u32::from_le_bytes(name))]
}

/// `image` decodes the first three only.
#[test]
fn dds_images_are_decoded() {
    // Of two colours, red and blue, the first for each pixel.
    let colors = [0, 0xf8, 0x1f, 0, 0, 0, 0, 0];
    for (name, alpha) in [(b"DXT1", &[][..]), (b"DXT3", &[0xff; 8]), (b"DXT5", &[255, 0, 0, 0, 0, 0, 0, 0])] {
        let bytes = [&dds_of([4, 4], &four(*name)), alpha, &colors].concat();
        assert_eq!(decode(&bytes, "dds").expect("a valid image"), [[255, 0, 0]; 16]);
    }
    let gray = [dds_of([4, 4], &four(*b"ATI1")), vec![200, 0, 0, 0, 0, 0, 0, 0]].concat();
    assert_eq!(decode(&gray, "dds").expect("a valid image"), [[200; 3]; 16]);
    let masks = [(92, 0x00ff_0000), (96, 0x0000_ff00), (100, 0x0000_00ff)];
    for (bits, flags, pixel) in [(24, 0x40, &[50, 100, 200][..]), (32, 0x40, &[50, 100, 200, 0])] {
        let format = [&[(80, flags), (88, bits)], &masks[..]].concat();
        let bytes = [dds_of([2, 1], &format), pixel.repeat(2)].concat();
        assert_eq!(decode(&bytes, "dds").expect("a valid image"), [[200, 100, 50]; 2], "{bits} bits");
    }
    // R8G8B8A8 in the header of DirectX 10: the format, a texture, and one image.
    let further: Vec<u8> = [28_u32, 3, 0, 1, 0].iter().flat_map(|own| own.to_le_bytes()).collect();
    let bytes = [dds_of([1, 1], &four(*b"DX10")), further, vec![200, 100, 50, 255]].concat();
    assert_eq!(decode(&bytes, "dds").expect("a valid image"), [[200, 100, 50]]);
}

#[test]
fn damaged_dds_images_are_errors() {
    let cut = [dds_of([4, 4], &four(*b"DXT1")), vec![0; 7]].concat();
    assert!(decode(&cut, "dds").is_err(), "a block is cut");
    assert!(decode(&cut[..100], "dds").is_err(), "the header is cut");
    assert!(decode(&dds_of([4, 4], &four(*b"????")), "dds").is_err(), "no known format");
    assert!(decode(&dds_of([0, 4], &four(*b"DXT1")), "dds").is_err(), "no pixels");
    let decoder = ImageDecoder::new(Limits::default());
    let large = decoder.decode("a.dds", &dds_of([16_384; 2], &four(*b"DXT1")), &Budget::default());
    assert!(matches!(large, Err(ImageError::Limit(_))), "a gigabyte is not reserved for 128 bytes");
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
