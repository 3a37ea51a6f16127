//! The images of an exported scene: embedded, or referred to.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use image::ImageFormat;

use super::textures::{Textures, decode};
use bindpose::scene::gltf::{Image, ImageSource};

/// Finds the images of textures and decides how a glTF file contains them.
pub(super) struct Images<'a> {
    textures: &'a Textures,
    /// The directory of the result, to which URIs are relative; `None` for standard output.
    base: Option<PathBuf>,
    embed: Embed,
}

/// Which images become a part of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Embed {
    /// All of them.
    All,
    /// Those that cannot be referred to.
    Others,
    /// Only those that are a part of an input file.
    None,
}

impl<'a> Images<'a> {
    /// Images for a result at this path.
    pub fn new(out: &Path, textures: &'a Textures, embed: Embed) -> Self {
        let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty());
        let is_file = out.as_os_str() != "-";
        let base = is_file.then(|| fs::canonicalize(parent.unwrap_or(Path::new("."))).ok()).flatten();
        Self { textures, base, embed }
    }

    /// The image of a texture; none if there is no image, or if it cannot be decoded.
    pub fn source(&self, texture: &str) -> Option<ImageSource> {
        if let Some(image) = self.textures.embedded(texture) {
            return Some(ImageSource::Embedded(image.clone()));
        }
        let path = self.textures.find(texture)?;
        let uri = || Some(ImageSource::Uri(self.uri(&path)?));
        let embedded = || read(&path).map(ImageSource::Embedded);
        match self.embed {
            Embed::All => embedded(),
            Embed::Others => uri().or_else(embedded),
            Embed::None => uri(),
        }
    }

    /// The URI of an image that glTF supports, in the directory of the result or below it.
    fn uri(&self, path: &Path) -> Option<String> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        if !["png", "jpg", "jpeg"].contains(&&*extension) {
            return None;
        }
        Some(escape(path.strip_prefix(self.base.as_ref()?).ok()?.to_str()?))
    }
}

/// Reads an image; one that glTF does not support is converted to PNG.
fn read(path: &Path) -> Option<Image> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let bytes = fs::read(path).ok()?;
    let mime = match image::guess_format(&bytes) {
        Ok(ImageFormat::Png) => Some("image/png"),
        Ok(ImageFormat::Jpeg) => Some("image/jpeg"),
        _ => None,
    };
    if let Some(mime) = mime {
        return Some(Image { path: name, mime: mime.into(), bytes });
    }
    let mut png = Cursor::new(Vec::new());
    decode(path).ok()?.write_to(&mut png, ImageFormat::Png).ok()?;
    Some(Image { path: name, mime: "image/png".into(), bytes: png.into_inner() })
}

/// A relative path as a URI.
fn escape(path: &str) -> String {
    let spelled = |byte: u8| match byte {
        // Windows has another separator.
        b'\\' => "/".into(),
        b'/' | b'-' | b'.' | b'_' | b'~' => char::from(byte).into(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).into(),
        byte => format!("%{byte:02X}"),
    };
    path.bytes().map(spelled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with images and a model.
    fn models() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let models = folder.path().join("my models");
        fs::create_dir_all(models.join("skins")).expect("folders");
        let pixel = image::RgbaImage::from_pixel(1, 1, image::Rgba([1, 2, 3, 4]));
        for name in ["skins/a b.PNG", "c.jpg", "d.tga"] {
            let image = image::DynamicImage::from(pixel.clone());
            let image = if name == "c.jpg" { image.to_rgb8().into() } else { image };
            image.save(models.join(name)).expect("an image");
        }
        fs::write(models.join("e.bmp"), b"BM").expect("an invalid image");
        (folder, models)
    }

    #[test]
    fn an_image_is_referred_to_in_or_below_the_directory_of_the_result() {
        let (folder, models) = models();
        let uri = |out: PathBuf, texture: &str| {
            let textures = Textures::beside(&[models.join("hero.x")]);
            match Images::new(&out, &textures, Embed::None).source(texture) {
                Some(ImageSource::Uri(uri)) => Some(uri),
                _ => None,
            }
        };
        let beside = models.join("hero.glb");
        assert_eq!(uri(beside.clone(), r".\skins\a b.PNG").as_deref(), Some("skins/a%20b.PNG"));
        assert_eq!(uri(beside.clone(), r"D:\art\c.jpg").as_deref(), Some("c.jpg"));
        assert_eq!(uri(beside.clone(), "d.tga"), None, "glTF does not support TGA");
        assert_eq!(uri(beside, "missing.png"), None);
        assert_eq!(uri(folder.path().join("hero.glb"), "c.jpg").as_deref(), Some("my%20models/c.jpg"));
        assert_eq!(uri(models.join("skins/hero.glb"), "c.jpg"), None, "above the directory of the result");
        assert_eq!(uri("-".into(), "c.jpg"), None, "standard output has no directory");
    }

    #[test]
    fn images_are_embedded_and_converted_to_png() {
        let (_folder, models) = models();
        let textures = Textures::beside(&[models.join("hero.x")]);
        let images = |embed| Images::new(Path::new("-"), &textures, embed);
        let mime = |texture: &str| match images(Embed::All).source(texture) {
            Some(ImageSource::Embedded(image)) => Some(image.mime),
            _ => None,
        };
        assert_eq!(mime("c.jpg").as_deref(), Some("image/jpeg"));
        assert_eq!(mime("d.tga").as_deref(), Some("image/png"));
        assert_eq!(mime("e.bmp"), None, "it cannot be decoded");
        assert!(matches!(images(Embed::Others).source("c.jpg"), Some(ImageSource::Embedded(_))));
        assert_eq!(images(Embed::None).source("c.jpg"), None);
    }
}
