//! The files that belong to a file: sidecars, and the images of textures.
//!
//! ```
//! use std::path::Path;
//! use bindpose::FileKind;
//! use bindpose::depot::sidecars;
//! let files = [(Path::new("nowhere/walk.psa"), FileKind::Psa)];
//! assert_eq!(sidecars(files), []);
//! ```

#[cfg(feature = "images")]
mod decode;
#[cfg(all(feature = "files", feature = "gltf"))]
mod images;
#[cfg(all(feature = "files", feature = "gltf"))]
mod listings;
mod lists;
mod materials;

#[cfg(all(feature = "files", feature = "gltf"))]
pub use crate::scene::texture::is_image;
#[cfg(feature = "images")]
pub use decode::{DecodedImage, ImageDecoder, ImageError};
#[cfg(all(feature = "files", feature = "gltf"))]
pub use images::{ImageFinder, ImageSearch};
pub use lists::{LIST, in_order, is_list, list_of, material_order, skeletons_in_lists};
pub use materials::{DescribedMaterial, MaterialText, MaterialTexture, described_material, is_material_text};

use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::files::open_regular;
use crate::formats::FAMILIES;
use crate::{FileKind, FormatSpec};

/// A file that its writer puts beside another, and that changes the meaning of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sidecar {
    /// The path.
    pub path: PathBuf,
    /// The format.
    pub kind: FileKind,
    /// What it adds.
    pub why: &'static str,
}

/// Returns the files beside a set of files that have the name of one, another extension, and belong to it.
///
/// A set that has a file of the format of a sidecar takes no other. Files of other programs that have the name of a sidecar are
/// ignored.
pub fn sidecars<P: AsRef<Path>>(files: impl IntoIterator<Item = (P, FileKind)>) -> Vec<Sidecar> {
    let files: Vec<_> = files.into_iter().collect();
    let is_new = |kind| files.iter().all(|(_, given)| *given != kind);
    let mut found = Vec::new();
    for (path, of) in &files {
        let kinds = FAMILIES.iter().flat_map(|family| family.sidecars);
        for (_, kind, why) in kinds.filter(|(own, kind, _)| own == of && is_new(*kind)) {
            found.extend(beside(path.as_ref(), *kind).map(|path| Sidecar { path, kind: *kind, why }));
        }
    }
    found
}

/// Returns whether a file belongs to models beside it by its name: an image, a list of the files of a model, or a text about a material.
#[cfg(all(feature = "files", feature = "gltf"))]
#[must_use]
pub fn is_part_of_model(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_list = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(LIST));
    is_image(path) || is_list || is_material_text(&name)
}

/// Returns the file of a format with the name of another file.
fn beside(path: &Path, kind: FileKind) -> Option<PathBuf> {
    let spelled = kind.info().extensions.iter().flat_map(|own| [(*own).to_owned(), own.to_ascii_uppercase()]);
    let mut paths = spelled.map(|extension| path.with_extension(extension));
    paths.find(|path| path.is_file()).filter(|path| detect(path).is_some_and(|spec| spec.kind == kind))
}

/// Returns the format of a regular file.
fn detect(path: &Path) -> Option<FormatSpec> {
    let mut head = Vec::new();
    open_regular(path).ok()?.take(FormatSpec::HEAD as u64).read_to_end(&mut head).ok()?;
    FormatSpec::detect(path, &head)
}
