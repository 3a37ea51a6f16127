//! The images of textures.

/// An image that is embedded in a glTF file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Image {
    /// The name in [`Material::textures`](crate::scene::Material::textures). Of an image that was read, it is a
    /// [`SafeName`](crate::scene::SafeName) that no other image of the file has, with the extension of its content.
    pub path: String,
    /// The media type, such as `image/png`.
    pub mime: String,
    /// The contents of the image file.
    pub bytes: Vec<u8>,
}

/// Where a written glTF file has the image of a texture.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ImageSource {
    /// In a PNG or JPEG file at a URI, relative to the glTF file.
    Uri(String),
    /// In the glTF file itself, as PNG or JPEG.
    Embedded(Image),
}

/// The format of an image, which its first bytes determine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageFormat {
    /// Portable Network Graphics.
    Png,
    /// JPEG.
    Jpeg,
    /// Windows bitmap.
    Bmp,
    /// `DirectDraw` surface.
    Dds,
    /// WebP.
    Webp,
}

impl ImageFormat {
    /// Returns the format of an image; none if the bytes are not the beginning of one.
    ///
    /// ```
    /// use bindpose::scene::gltf::ImageFormat;
    /// assert_eq!(ImageFormat::detect(b"\x89PNG\r\n\x1a\n"), Some(ImageFormat::Png));
    /// assert_eq!(ImageFormat::detect(b"BM = a text"), None);
    /// ```
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if bytes.starts_with(b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if bytes.starts_with(b"DDS ") && number(4) == Some(124) {
            Some(Self::Dds)
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Some(Self::Webp)
        } else if bytes.starts_with(b"BM") && number(6) == Some(0) && number(14).is_some_and(is_bitmap_header)
        {
            Some(Self::Bmp)
        } else {
            None
        }
    }

    /// Returns whether glTF supports the format without an extension.
    #[must_use]
    pub const fn is_of_gltf(self) -> bool {
        matches!(self, Self::Png | Self::Jpeg)
    }

    /// Returns the media type.
    #[must_use]
    pub const fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Bmp => "image/bmp",
            Self::Dds => "image/vnd-ms.dds",
            Self::Webp => "image/webp",
        }
    }

    /// Returns the extension of files.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Bmp => "bmp",
            Self::Dds => "dds",
            Self::Webp => "webp",
        }
    }

    /// Returns the name of an image without its extension, if that is one of the format.
    pub(super) fn stem(self, name: &str) -> &str {
        let is_own = |extension: &str| {
            extension.eq_ignore_ascii_case(self.extension())
                || (self == Self::Jpeg && extension.eq_ignore_ascii_case("jpeg"))
        };
        name.rsplit_once('.').filter(|(_, extension)| is_own(extension)).map_or(name, |(stem, _)| stem)
    }
}

/// Whether the header of a bitmap has one of the sizes that there are.
const fn is_bitmap_header(size: u32) -> bool {
    matches!(size, 12 | 16 | 40 | 52 | 56 | 64 | 108 | 124)
}
