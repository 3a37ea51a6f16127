//! The images that are parts of inputs, as files beside the results.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use twox_hash::XxHash3_128;

use super::outputs::{Content, Ready, inside};
use crate::exit::{Exit, Failure};
use crate::files::shown;
use crate::limits::MORE_MEMORY;
use crate::output::bytes as size;
use crate::textures::{Found, Textures};
use crate::write::exists;
use bindpose::files::{open_regular, read_regular};
use bindpose::scene::gltf::ImageFormat;
use bindpose::scene::{Material, SafeName, SafeNames};

/// The images of a run.
pub(super) struct Images {
    /// Whether images that exist are overwritten.
    force: bool,
    /// The bytes that may be written more than once, under different names.
    copies: u64,
    /// The images so far, with the hashes of their contents.
    written: Mutex<HashMap<PathBuf, u128>>,
}

impl Images {
    pub fn new(force: bool, copies: u64) -> Self {
        Self { force, copies, written: Mutex::default() }
    }

    /// Returns the images that are parts of inputs and that materials refer to, unless they are in the directory already. For
    /// formats without paths of textures they have the names of their materials, as readers expect.
    pub fn of(
        &self,
        materials: &[Material],
        textures: &Textures,
        is_named: bool,
        directory: &Path,
    ) -> Result<Vec<Ready>, Failure> {
        let (mut ready, mut names) = (Vec::new(), SafeNames::default());
        let mut known: HashMap<Found, Arc<[u8]>> = HashMap::new();
        let mut copies = self.copies;
        for material in materials {
            for texture in material.textures.iter().take(if is_named { 1 } else { usize::MAX }) {
                let Some(found @ Found::Embedded(_)) = textures.find(texture) else { continue };
                let (path, bytes) = textures.read(&found)?;
                let Some(format) = ImageFormat::detect(&bytes) else { continue };
                let name = if is_named {
                    SafeName::new(&material.name, format.extension())
                } else {
                    SafeName::whole(&path)
                };
                // Of materials with the same name, readers find the image of one.
                if !names.insert(&name) {
                    continue;
                }
                let bytes = match known.get(&found) {
                    Some(known) => {
                        let left = copies.checked_sub(known.len() as u64);
                        copies = left.ok_or_else(|| self.too_many().of(shown(directory)))?;
                        known
                    }
                    None => known.entry(found).or_insert(bytes.into()),
                };
                let place = inside(directory, &name)?;
                let path = place.path();
                if self.is_needed(path, bytes).map_err(|failure| failure.of(shown(path)))? {
                    ready.push(Ready { place, content: Content::Image(Arc::clone(bytes)) });
                }
            }
        }
        Ok(ready)
    }

    fn too_many(&self) -> Failure {
        let why = format!("images with several names would take more than {}", size(self.copies));
        Failure { help: Some(MORE_MEMORY.into()), ..Failure::new(Exit::Limit, why) }
    }

    /// Whether an image has to be written. A file with other contents is overwritten only if that was permitted, if it is an
    /// image, and if it is not one of this run.
    fn is_needed(&self, path: &Path, bytes: &[u8]) -> Result<bool, Failure> {
        let hash = XxHash3_128::oneshot(bytes);
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if *written.entry(path.to_owned()).or_insert(hash) != hash {
            let why =
                "is the name of different images in two files; convert the files to different directories";
            return Err(Failure::new(Exit::Usage, why));
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

/// Whether a file has this content.
fn has_content(path: &Path, content: &[u8]) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|own| own.is_file());
    is_file && read_regular(path, content.len() as u64).is_ok_and(|bytes| bytes == content)
}

/// Whether a file starts like an image.
fn is_image(path: &Path) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|own| own.is_file());
    let mut head = Vec::new();
    let read = || open_regular(path)?.take(64).read_to_end(&mut head);
    is_file && { read }().is_ok() && ImageFormat::detect(&head).is_some()
}
