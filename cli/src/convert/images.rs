//! The images of inputs, as files beside the results.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::sync::{Arc, Mutex};

use clap::ValueEnum;
use twox_hash::XxHash3_128;

use super::Loaded;
use super::drafts::DraftPlace;
use super::outputs::{Content, Ready};
use crate::batch::locked;
use crate::limits::MORE_MEMORY;
use crate::output::bytes as size;
use crate::prelude::*;
use crate::textures::{Found, Search, Textures, read_image};
use crate::write::{below, exists};
use bindpose::depot;
use bindpose::files::{open_regular, read_regular};
use bindpose::scene::gltf::ImageFormat;
use bindpose::scene::{Material, SafeName, SafeNames, Texture, TextureRole};

/// How the images of the input are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Copy them beside the results
    Copy,
    /// Copy them, as PNG unless they are PNG, JPEG, BMP or TGA; the paths of textures follow
    Convert,
    /// Write no images; textures keep their paths
    Keep,
}

pub(super) struct Images {
    pub is_wanted: bool,
    pub force: bool,
    /// The bytes of images in files, and of images with several names.
    pub copies: u64,
    /// The images so far, with the hashes of their contents.
    pub written: Mutex<HashMap<PathBuf, u128>>,
}

impl Images {
    /// Returns the images that materials refer to, unless the files already are where their copies would be. For formats without paths
    /// of textures they have the names of their materials, as readers expect. Nothing is written beside a stream: only the names are
    /// returned.
    pub fn of(
        &self,
        materials: &[Material],
        textures: &Textures,
        is_named: bool,
        place: &DraftPlace,
    ) -> Result<(Vec<Ready>, Vec<PathBuf>)> {
        let (directory, is_stream) = (place.directory(), place.is_stream());
        let (mut ready, mut unwritten, mut names) = (Vec::new(), Vec::new(), SafeNames::default());
        let mut known: HashMap<Found, Arc<[u8]>> = HashMap::new();
        let mut copies = self.copies;
        let own = fs::canonicalize(if directory.as_os_str().is_empty() { Path::new(".") } else { directory });
        let own = own.ok();
        for material in materials.iter().filter(|_| self.is_wanted) {
            let of_name = |own: &&Texture| !is_named || own.role == TextureRole::Color;
            for Texture { path: texture, .. } in material.textures.iter().filter(of_name) {
                let Some(found) = textures.find(texture) else { continue };
                let name = textures.name(&found);
                let copy_as = |extension: &str| match (&found, is_named) {
                    (_, true) => SafeName::new(without_extension(&material.name), extension).as_str().into(),
                    (Found::Embedded(_), false) => SafeName::whole(&name).as_str().into(),
                    (Found::File(_), false) => copied_to(texture, &name),
                };
                let extension = extension_of(Path::new(&*name));
                if let Found::File(file) = &found {
                    let is_other = extension.is_none() && file.extension().is_some();
                    let copy: PathBuf = copy_as(extension.as_deref().unwrap_or_default());
                    if is_other || own.as_deref().is_some_and(|own| is_in(own, file, &copy)) {
                        continue;
                    }
                }
                let bytes = textures.read(&found)?;
                let format = ImageFormat::detect(&bytes).map(|format| format.extension().to_owned());
                let unmarked = extension.filter(|own| ["tga", "pcx"].contains(&&**own));
                let Some(extension) = format.or(unmarked) else { continue };
                let copy = copy_as(&extension);
                // Of materials with the same name, readers find the image of one.
                if !names.insert(&SafeName::whole(&copy.to_string_lossy().replace('/', "_"))) {
                    continue;
                }
                if is_stream {
                    unwritten.push(copy);
                    continue;
                }
                let is_copy = known.contains_key(&found) || matches!(found, Found::File(_));
                if is_copy {
                    let left = copies.checked_sub(bytes.len() as u64);
                    copies = left.ok_or_else(|| self.too_many().in_file(directory))?;
                }
                let bytes = known.entry(found).or_insert_with(|| bytes.into());
                let place = below(directory, &copy)?;
                let path = place.path();
                if self.is_needed(path, bytes).in_file(path)? {
                    ready.push(Ready { place, content: Content::Image(Arc::clone(bytes)) });
                }
            }
        }
        Ok((ready, unwritten))
    }

    fn too_many(&self) -> Failure {
        let why = format!("images with several names would take more than {}", size(self.copies));
        Failure::new(Exit::Limit, why).with_help(MORE_MEMORY)
    }

    /// Whether an image has to be written. A file with other contents is overwritten only if that was permitted, if it is an
    /// image, and if it is not one of this run.
    fn is_needed(&self, path: &Path, bytes: &[u8]) -> Result<bool> {
        let hash = XxHash3_128::oneshot(bytes);
        let mut written = locked(&self.written);
        if *written.entry(path.to_owned()).or_insert(hash) != hash {
            let why =
                "is the name of different images in two files; convert the files to different directories";
            return Err(Failure::usage(why));
        }
        if path.symlink_metadata().is_err() {
            return Ok(true);
        }
        if has_content(path, bytes) {
            return Ok(false);
        }
        match (self.force, is_image(path)) {
            (false, _) => Err(exists()),
            (true, true) => Ok(true),
            (true, false) => {
                let why = "exists and is not an image; an image of the input has this name";
                Err(Failure::new(Exit::Io, why))
            }
        }
    }
}

/// Refuses files with different images for textures of one path: a scene has one image for each.
pub(crate) fn have_one_image_for_a_path(files: &[Loaded], search: &Search) -> Result<()> {
    if files.len() < 2 {
        return Ok(());
    }
    let textures: Vec<_> = files.iter().map(|(_, content)| content.textures()).collect();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for texture in textures.iter().flatten() {
        *uses.entry(texture).or_default() += 1;
    }
    let mut known: HashMap<&str, (u128, &Path)> = HashMap::new();
    for ((path, content), own) in files.iter().zip(&textures) {
        let mut places = None;
        for texture in own.iter().filter(|own| uses[own.as_str()] > 1) {
            let places = places.get_or_insert_with(|| search.of([&**path]));
            let hash = match (content.image(texture), places.finder.find(texture)) {
                (Some(bytes), _) => XxHash3_128::oneshot(bytes),
                (None, Some(file)) => XxHash3_128::oneshot(&read_image(&file)?),
                (None, None) => continue,
            };
            let (first, other) = known.entry(texture).or_insert((hash, path));
            if *first != hash {
                let why = format!("{texture:?} is the name of another image than in {}", shown(other));
                let help =
                    format!("give one of them another name, such as with `rename --texture {texture:?}=NEW`");
                return Err(Failure::usage(why).in_file(path).with_help(help));
            }
        }
    }
    Ok(())
}

/// The extension of an image file, in lower case.
fn extension_of(path: &Path) -> Option<String> {
    let own = path.extension()?.to_str()?.to_ascii_lowercase();
    depot::is_image(path).then_some(own)
}

/// A name without the extension of an image, which readers replace.
fn without_extension(name: &str) -> &str {
    let stem = name.rsplit_once('.').filter(|_| depot::is_image(Path::new(name)));
    stem.map_or(name, |(stem, _)| stem)
}

/// Whether a file is at this path in a directory, ignoring case as readers do.
fn is_in(directory: &Path, file: &Path, path: &Path) -> bool {
    let file = fs::canonicalize(file).ok();
    let own = file.as_deref().and_then(|file| file.strip_prefix(directory).ok());
    own.is_some_and(|own| own.to_string_lossy().to_lowercase() == path.to_string_lossy().to_lowercase())
}

/// The path of the copy of an image file beside the result, by the path that refers to it. Paths that lead elsewhere count as names.
fn copied_to(texture: &str, file: &str) -> PathBuf {
    let texture = texture.replace('\\', "/");
    let texture = texture.trim_start_matches("./");
    // Separators are doubled in many `.x` files.
    let is_inside = |part: &str| part != ".." && !part.contains(':');
    let (folder, name) = texture.rsplit_once('/').unwrap_or(("", texture));
    let is_relative = !texture.starts_with('/') && folder.split('/').all(is_inside);
    let has_extension = extension_of(Path::new(name)).is_some();
    let name = SafeName::whole(if has_extension { name } else { file });
    let parts = folder.split('/').filter(|part| is_relative && !part.is_empty());
    let folder: PathBuf = parts.map(|part| SafeName::whole(part).as_str().to_owned()).collect();
    folder.join(name.as_str())
}

/// Returns the path of the copy of an image if it is not the end of the path that refers to it.
pub(super) fn renamed_copy(texture: &str, found: &Found) -> Option<String> {
    let path = texture.replace('\\', "/");
    extension_of(Path::new(&path))?;
    let copy = copied_to(texture, "");
    let copy = match found {
        Found::File(_) => &*copy,
        Found::Embedded(_) => Path::new(copy.file_name()?),
    };
    (!Path::new(&path).ends_with(copy)).then(|| copy.to_string_lossy().replace('\\', "/"))
}

fn has_content(path: &Path, content: &[u8]) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|own| own.is_file());
    is_file && read_regular(path, content.len() as u64).is_ok_and(|bytes| bytes == content)
}

/// Whether a file starts like an image.
fn is_image(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|own| own.is_file()) && format_of(path).is_some()
}

/// The format of an image by the beginning of its file.
pub(super) fn format_of(path: &Path) -> Option<ImageFormat> {
    let mut head = Vec::new();
    open_regular(path).ok()?.take(64).read_to_end(&mut head).ok()?;
    ImageFormat::detect(&head)
}
