//! Finds and reads the images of textures.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use clap::builder::{PathBufValueParser, TypedValueParser};

use super::exit::program;
use super::files::file_name;
use super::load::Loaded;
use super::read::side_file;
use super::sidecars::SidecarArgs;
use crate::prelude::*;
use bindpose::Error;
use bindpose::depot::{DecodedImage, ImageDecoder, ImageError, ImageFinder, ImageSearch, is_image};
use bindpose::scene::gltf::{Image, ImageFormat};
use bindpose::scene::{Scene, Texture, TextureRole};

#[derive(Args)]
pub(super) struct TextureArgs {
    /// Search DIR and the directories below it for textures, too; may be repeated
    ///
    /// Textures are searched in the directory of each input file, and in its parents up to the PATH that was given: by their path,
    /// ignoring case, and by their file name alone. Absolute paths and paths with `..` count as file names. Names that are not UTF-8
    /// are read in the code pages 932, 1252, 1251 and 936. For materials without a texture, the images are those that UE Viewer's
    /// `NAME.mat` or `NAME.props.txt` lists. These are searched below a directory that was given, too; for a single file, in its depot:
    /// above a directory such as `SkeletalMesh3`, or below the nearest parent called `Game` or `Content`.
    #[arg(
        long,
        value_name = "DIR",
        value_parser = PathBufValueParser::new().try_map(directory),
        help_heading = "Texture options"
    )]
    textures: Vec<PathBuf>,
    #[command(flatten)]
    pub sidecars: SidecarArgs,
}

fn directory(path: PathBuf) -> Result<PathBuf, &'static str> {
    if path.is_dir() { Ok(path) } else { Err("is not a directory") }
}

/// The largest file that is read as an image, in bytes.
const MAX_FILE: u64 = 256 << 20;

pub(super) fn read_image(path: &Path) -> Result<Vec<u8>> {
    side_file(path, MAX_FILE)
}

fn undecoded(name: &str, error: &ImageError) -> Failure {
    let failure = match error {
        ImageError::Limit(why) => Error::from(*why).into(),
        ImageError::Size { .. } => Failure::new(Exit::Limit, error.to_string()),
        _ => Failure::new(Exit::Undecodable, error.to_string()),
    };
    failure.of(format!("image {name:?}"))
}

/// The images of textures: those that are parts of the input, and those in directories.
pub(super) struct Textures {
    embedded: Vec<Image>,
    /// The indices of the embedded images by their paths.
    by_path: HashMap<String, usize>,
    /// The images that are replaced by PNG images, with a path for each, and the paths that textures have now.
    converted: HashMap<Found, (String, Vec<u8>)>,
    renamed: HashMap<String, Found>,
    pub finder: ImageFinder,
    decoder: ImageDecoder,
}

/// What the image of a texture is in. Many textures can have the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Found {
    /// An image that is a part of the input, by its index.
    Embedded(usize),
    /// A file, by its path without links.
    File(PathBuf),
}

impl TextureArgs {
    /// Lists the directories that are searched for every file.
    pub fn prepare(&self, inputs: &Inputs, limits: LimitArgs) -> Search {
        let shared = self.textures.iter().map(PathBuf::as_path);
        let images = ImageSearch::new(inputs.directories(), shared);
        let images = if self.sidecars.no_sidecars { images.without_texts() } else { images };
        let given = inputs.paths().iter().filter(|path| is_image(path)).cloned().collect();
        Search { images, given, limits: limits.limits() }
    }
}

/// Where images are searched for any input file.
#[derive(Default)]
pub(super) struct Search {
    images: ImageSearch,
    /// The images that were named, whose directories are searched, too.
    given: Vec<PathBuf>,
    limits: Limits,
}

impl Search {
    pub fn of<'a>(&self, files: impl IntoIterator<Item = &'a Path>) -> Textures {
        Textures {
            embedded: Vec::new(),
            by_path: HashMap::new(),
            converted: HashMap::new(),
            renamed: HashMap::new(),
            finder: self.images.of(files.into_iter().map(Path::to_owned).chain(self.given.iter().cloned())),
            decoder: ImageDecoder::new(self.limits),
        }
    }
}

impl Textures {
    /// The directories of these files alone.
    #[cfg(test)]
    pub fn beside(files: &[PathBuf]) -> Self {
        Search::default().of(files.iter().map(PathBuf::as_path))
    }

    /// Takes the images that are parts of files; drops everything else of them.
    pub fn embed(&mut self, files: impl IntoIterator<Item = Loaded>) {
        self.embedded = files.into_iter().flat_map(|(_, content)| content.into_images()).collect();
        self.by_path.clear();
        for (index, image) in self.embedded.iter().enumerate() {
            self.by_path.entry(image.path.clone()).or_insert(index);
        }
    }

    /// Names the textures without an image, and where it was searched.
    pub fn warn_of_missing(&self, missing: &[String]) {
        if missing.is_empty() {
            return;
        }
        for texture in missing {
            note!("bindpose: no image for texture {texture:?}");
        }
        let directories = self.finder.directories().iter().take(8).map(|place| shown(place));
        let directories: Vec<_> = directories.collect();
        note!("help: searched {}; add a directory with --textures DIR", directories.join(", "));
    }

    /// Returns what the image of a texture is in; `None` if there is none.
    pub fn find(&self, texture: &str) -> Option<Found> {
        let embedded = || self.by_path.get(texture).copied().map(Found::Embedded);
        self.renamed
            .get(texture)
            .cloned()
            .or_else(embedded)
            .or_else(|| self.finder.find(texture).map(Found::File))
    }

    /// Returns the name of an image, with its path if it is a part of the input.
    pub fn name(&self, found: &Found) -> Cow<'_, str> {
        match (self.converted.get(found), found) {
            (Some((path, _)), _) => path.into(),
            (None, Found::Embedded(index)) => (&self.embedded[*index].path).into(),
            (None, Found::File(path)) => file_name(path).into_owned().into(),
        }
    }

    /// Returns an image in its file format.
    pub fn read(&self, found: &Found) -> Result<Cow<'_, [u8]>> {
        match (self.converted.get(found), found) {
            (Some((_, png)), _) => Ok(Cow::Borrowed(&**png)),
            (None, Found::Embedded(index)) => Ok(Cow::Borrowed(&*self.embedded[*index].bytes)),
            (None, Found::File(path)) => read_image(path).map(Cow::Owned),
        }
    }

    pub fn decode(&self, name: &str, bytes: &[u8], budget: &Budget) -> Result<DecodedImage> {
        self.decoder.decode(name, bytes, budget).map_err(|error| undecoded(name, &error))
    }

    /// Returns an image for a glTF file.
    pub fn image(&self, found: &Found, budget: &Budget) -> Result<Image> {
        let (name, bytes) = (self.name(found), self.read(found)?);
        self.decoder.for_gltf(&name, bytes, budget).map_err(|error| undecoded(&name, &error))
    }

    /// Replaces images other than PNG, JPEG, BMP and TGA by PNG images, and gives textures their paths: one that no texture has for
    /// each image. Images that cannot be decoded stay.
    pub fn convert(&mut self, scene: &mut Scene, budget: &Budget) -> Result<()> {
        let mut taken = taken(scene);
        let found = textures(scene).filter_map(|own| Some((own.path.clone(), self.find(&own.path)?)));
        let found: BTreeMap<String, Found> = found.collect();
        let mut paths = HashMap::new();
        for (texture, found) in found {
            if !self.is_converted(&found) {
                let Some(png) = self.needed_png(&found, budget)? else { continue };
                budget.charge(png.len() as u64).map_err(Error::from)?;
                let stem = split_extension(&texture).map_or(&*texture, |(stem, _)| stem);
                let path = free_path(stem, "png", &mut taken);
                self.renamed.insert(path.clone(), found.clone());
                self.converted.insert(found.clone(), (path, png));
            }
            paths.extend(self.converted.get(&found).map(|(path, _)| (texture, path.clone())));
        }
        rename(scene, &paths);
        Ok(())
    }

    /// Returns an image as PNG if it has another format than most readers know.
    fn needed_png(&self, found: &Found, budget: &Budget) -> Result<Option<Vec<u8>>> {
        let (name, bytes) = (self.name(found), self.read(found)?);
        // TGA has no magic.
        let is_tga = || Path::new(&*name).extension().is_some_and(|own| own.eq_ignore_ascii_case("tga"));
        let is_usual = ImageFormat::detect(&bytes)
            .map_or_else(is_tga, |format| format.is_of_gltf() || format == ImageFormat::Bmp);
        if is_usual {
            return Ok(None);
        }
        match self.decoder.to_png(&name, &bytes, budget).map_err(|error| undecoded(&name, &error)) {
            Err(failure) if failure.exit == Exit::Undecodable => {
                note!("{}: {}; the image stays as it is", program(), failure.message);
                Ok(None)
            }
            png => png.map(Some),
        }
    }

    pub fn is_converted(&self, found: &Found) -> bool {
        self.converted.contains_key(found)
    }

    /// Gives materials without a colour texture those that are found for their name. Returns the textures whose images are missing.
    pub fn attach(&self, scene: &mut Scene) -> Vec<String> {
        self.finder.attach(scene, |texture| self.by_path.contains_key(texture))
    }

    /// As [`attach`](Self::attach), with the names of the files as paths, which other programs find.
    pub fn attach_files(&self, scene: &mut Scene) {
        let known: HashSet<_> = textures(scene).map(|own| own.path.clone()).collect();
        self.attach(scene);
        for texture in textures_mut(scene).filter(|own| !known.contains(&own.path)) {
            if let Some(name) = self.finder.find(&texture.path).as_deref().and_then(Path::file_name) {
                texture.path = name.to_string_lossy().into_owned();
            }
        }
    }

    /// Gives textures that are found with another extension that of their image, which it is copied with.
    pub fn follow_extensions(&mut self, scene: &mut Scene) {
        for Texture { path, .. } in textures_mut(scene) {
            let Some(Found::File(file)) = self.find(path) else { continue };
            let Some((stem, old)) = split_extension(path) else { continue };
            let Some(new) = file.extension().and_then(|own| own.to_str()).filter(|_| is_image(&file)) else {
                continue;
            };
            if !old.eq_ignore_ascii_case(new) {
                *path = format!("{stem}.{}", new.to_ascii_lowercase());
                self.renamed.insert(path.clone(), Found::File(file));
            }
        }
    }

    /// Gives textures of which a copy of the image cannot have the name another path, with this name, that no texture has.
    pub fn follow_names(&mut self, scene: &mut Scene, named: impl Fn(&str, &Found) -> Option<String>) {
        let mut taken = taken(scene);
        let mut paths = HashMap::new();
        for texture in textures(scene).map(|own| own.path.clone()).collect::<BTreeSet<_>>() {
            let Some(found) = self.find(&texture) else { continue };
            let Some(path) = named(&texture, &found) else { continue };
            let Some((stem, extension)) = split_extension(&path) else { continue };
            let path = free_path(stem, extension, &mut taken);
            self.renamed.insert(path.clone(), found);
            paths.insert(texture, path);
        }
        rename(scene, &paths);
    }

    /// Gives the colour textures of materials that have the same image the same path, and returns their number.
    pub fn unify(&self, scene: &mut Scene) -> usize {
        let mut known: HashMap<Found, String> = HashMap::new();
        for Texture { path, .. } in textures_mut(scene).filter(|own| own.role == TextureRole::Color) {
            if let Some(found) = self.find(path) {
                path.clone_from(known.entry(found).or_insert_with(|| path.clone()));
            }
        }
        known.len()
    }
}

fn textures(scene: &Scene) -> impl Iterator<Item = &Texture> {
    scene.materials.iter().flat_map(|material| &material.textures)
}

fn textures_mut(scene: &mut Scene) -> impl Iterator<Item = &mut Texture> {
    scene.materials.iter_mut().flat_map(|material| &mut material.textures)
}

/// The paths of textures in lower case.
fn taken(scene: &Scene) -> HashSet<String> {
    textures(scene).map(|own| own.path.to_lowercase()).collect()
}

fn rename(scene: &mut Scene, paths: &HashMap<String, String>) {
    for Texture { path, .. } in textures_mut(scene) {
        if let Some(new) = paths.get(path) {
            path.clone_from(new);
        }
    }
}

/// Returns a path that no texture has, and takes it.
fn free_path(stem: &str, extension: &str, taken: &mut HashSet<String>) -> String {
    let mut path = format!("{stem}.{extension}");
    for number in 2.. {
        if taken.insert(path.to_lowercase()) {
            break;
        }
        path = format!("{stem}_{number}.{extension}");
    }
    path
}

fn split_extension(path: &str) -> Option<(&str, &str)> {
    path.rsplit_once('.').filter(|(_, end)| !end.contains(['/', '\\']))
}
