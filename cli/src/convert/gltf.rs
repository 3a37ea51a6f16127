//! Scenes as glTF: with images that are embedded, or referred to.

use std::cell::RefCell;
use std::fs;

use super::images::format_of;
use crate::output::percent_encoded;
use crate::prelude::*;
use crate::textures::{Found, Textures};
use bindpose::scene::author::Authoring;
use bindpose::scene::gltf::{Gltf, ImageSource};
use bindpose::scene::{Loss, Scene};

#[derive(Args, Clone, Copy, Default, PartialEq)]
pub(super) struct GltfArgs {
    /// In glTF, keep the scale of bones in the bind pose instead of moving it to inverse bind matrices, children and clips
    #[arg(long, help_heading = "Output options")]
    keep_bind_scale: bool,
    /// In glTF, refer to images instead of embedding them; TGA, BMP, DDS and PCX images are lost
    #[arg(long, help_heading = "Texture options")]
    no_embed: bool,
}

pub(super) struct Exported {
    pub bytes: Vec<u8>,
    pub losses: Vec<Loss>,
    /// The textures whose images are missing.
    pub missing: Vec<String>,
    /// Whether the scene has clips, and none of them moves anything.
    pub is_still: bool,
}

impl GltfArgs {
    /// Returns a scene as a `.glb` or `.gltf` file, by the extension of the output.
    pub fn export(
        self,
        mut scene: Scene,
        textures: &Textures,
        output: &Path,
        settings: &Authoring,
    ) -> Result<Exported> {
        settings.apply(&mut scene);
        let budget = &settings.budget.clone().unwrap_or_default();
        let missing = textures.attach(&mut scene);
        if !self.keep_bind_scale {
            scene.move_bind_scale();
        }
        let is_text = output.extension().is_some_and(|own| own.eq_ignore_ascii_case("gltf"));
        let embed = match (self.no_embed, is_text) {
            (true, _) => Embed::None,
            (false, true) => Embed::Others,
            (false, false) => Embed::All,
        };
        let gltf = Images::new(output, textures, embed).convert(&scene, budget)?;
        let is_still = !scene.clips.is_empty() && gltf.num_animations() == 0;
        let losses = [&*scene.losses, gltf.losses()].concat();
        drop(scene);
        let bytes = if is_text { gltf.to_gltf() } else { gltf.to_glb() }?;
        Ok(Exported { bytes, losses, missing, is_still })
    }
}

/// Decides how a glTF file contains the images of textures.
struct Images<'a> {
    textures: &'a Textures,
    /// The directory of the result, to which URIs are relative; `None` for standard output.
    base: Option<PathBuf>,
    embed: Embed,
    /// Why an image is not a part of the result although it could be with other limits.
    exceeded: RefCell<Option<Failure>>,
}

/// Which images become a part of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Embed {
    All,
    /// Those that cannot be referred to.
    Others,
    /// Only those that are a part of an input file.
    None,
}

impl<'a> Images<'a> {
    pub fn new(out: &Path, textures: &'a Textures, embed: Embed) -> Self {
        let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty());
        let is_file = !is_stdout(out);
        let base = is_file.then(|| fs::canonicalize(parent.unwrap_or(Path::new("."))).ok()).flatten();
        Self { textures, base, embed, exceeded: RefCell::default() }
    }

    /// Converts a scene with the images of its textures. Those that cannot be decoded are lost; an image that exceeds the limits is
    /// an error.
    pub fn convert(&self, scene: &Scene, budget: &Budget) -> Result<Gltf> {
        let find = |texture: &str| self.textures.find(texture);
        let gltf = Gltf::within(scene, find, |found| self.source(found, budget), budget);
        self.exceeded.take().map_or(Ok(gltf), Err)
    }

    /// The image that was found for a texture; none if it cannot be decoded.
    fn source(&self, found: &Found, budget: &Budget) -> Option<ImageSource> {
        let Found::File(path) = found else { return self.embedded(found, budget) };
        let uri = || self.uri(path).map(ImageSource::Uri);
        match self.embed {
            Embed::All => self.embedded(found, budget),
            Embed::Others => uri().or_else(|| self.embedded(found, budget)),
            Embed::None => uri(),
        }
    }

    fn embedded(&self, found: &Found, budget: &Budget) -> Option<ImageSource> {
        if self.exceeded.borrow().is_some() {
            return None;
        }
        match self.textures.image(found, budget) {
            Ok(image) => Some(ImageSource::Embedded(image)),
            Err(failure) => {
                if failure.exit == Exit::Limit {
                    self.exceeded.replace(Some(failure));
                }
                None
            }
        }
    }

    /// The URI of a file that glTF supports, in the directory of the result or below it. Readers go by its content or its extension.
    fn uri(&self, path: &Path) -> Option<String> {
        let format = format_of(path).filter(|format| format.is_of_gltf())?;
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        if extension.replace("jpeg", "jpg") != format.extension() {
            return None;
        }
        let relative = path.strip_prefix(self.base.as_ref()?).ok()?.to_str()?;
        // Windows has another separator.
        Some(percent_encoded(&relative.replace('\\', "/"), b"/-._~"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        fs::write(models.join("f.png"), b"a text").expect("no image");
        fs::copy(models.join("c.jpg"), models.join("g.png"))
            .expect("an image with the extension of another format");
        (folder, models)
    }

    #[test]
    fn an_image_is_referred_to_in_or_below_the_directory_of_the_result() {
        let (folder, models) = models();
        let uri = |out: PathBuf, texture: &str| {
            let textures = Textures::beside(&[models.join("hero.x")]);
            match Images::new(&out, &textures, Embed::None)
                .source(&textures.find(texture)?, &Budget::default())
            {
                Some(ImageSource::Uri(uri)) => Some(uri),
                _ => None,
            }
        };
        let beside = models.join("hero.glb");
        assert_eq!(uri(beside.clone(), r".\skins\a b.PNG").as_deref(), Some("skins/a%20b.PNG"));
        assert_eq!(uri(beside.clone(), r"D:\art\c.jpg").as_deref(), Some("c.jpg"));
        assert_eq!(uri(beside.clone(), "d.tga"), None, "glTF does not support TGA");
        assert_eq!(uri(beside.clone(), "f.png"), None, "not an image");
        assert_eq!(uri(beside.clone(), "g.png"), None, "the content has another format than the extension");
        assert_eq!(uri(beside, "missing.png"), None);
        assert_eq!(uri(folder.path().join("hero.glb"), "c.jpg").as_deref(), Some("my%20models/c.jpg"));
        assert_eq!(uri(models.join("skins/hero.glb"), "c.jpg"), None, "above the directory of the result");
        assert_eq!(uri("-".into(), "c.jpg"), None, "standard output has no directory");
    }

    #[test]
    fn images_are_embedded_and_converted_to_png() {
        let (_folder, models) = models();
        let textures = Textures::beside(&[models.join("hero.x")]);
        let source = |embed, texture: &str| {
            Images::new(Path::new("-"), &textures, embed).source(&textures.find(texture)?, &Budget::default())
        };
        let mime = |texture: &str| match source(Embed::All, texture) {
            Some(ImageSource::Embedded(image)) => Some(image.mime),
            _ => None,
        };
        assert_eq!(mime("c.jpg").as_deref(), Some("image/jpeg"));
        assert_eq!(mime("d.tga").as_deref(), Some("image/png"));
        assert_eq!(mime("e.bmp"), None, "it cannot be decoded");
        assert_eq!(mime("g.png").as_deref(), Some("image/jpeg"));
        assert!(matches!(source(Embed::Others, "c.jpg"), Some(ImageSource::Embedded(_))));
        assert_eq!(source(Embed::None, "c.jpg"), None);
    }
}
