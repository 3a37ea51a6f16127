//! Finds the images of textures.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use encoding_rs::{Encoding, GBK, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};

use super::listings::Listings;
use super::{DescribedMaterial, described_material};
use crate::files::{open_regular, read_regular};
use crate::scene::gltf::ImageFormat;
use crate::scene::texture::{IMAGE_EXTENSIONS, is_image};
use crate::scene::{Lost, Material, Scene, Texture, TextureRole};
use crate::schema::unescape;

/// The largest text about a material in bytes: that of a master material lists all its expressions.
const MAX_TEXT: u64 = 1 << 22;
/// The code pages in which names are looked for that are not UTF-8, in this order.
const CODE_PAGES: [&Encoding; 4] = [SHIFT_JIS, WINDOWS_1252, WINDOWS_1251, GBK];
/// Directories into which UE Viewer sorts what it exports, by its class.
const CLASSES: [&str; 6] =
    ["SkeletalMesh", "SkeletalMesh3", "SkeletalMesh4", "StaticMesh", "StaticMesh3", "StaticMesh4"];
/// The directories that packages of Unreal Engine 4 are mounted at.
const MOUNTS: [&str; 2] = ["Game", "Content"];

/// Where images of textures are searched for any file.
///
/// Of a directory, a texture is searched by its path and by its name alone, ignoring case, with any extension of an image. Absolute
/// paths and paths with `..` count as names, and links out of the directories are not followed: a file cannot name images elsewhere.
#[derive(Clone, Debug, Default)]
pub struct ImageSearch {
    /// Directories that contain files: the parents of a file are searched up to these.
    roots: Vec<PathBuf>,
    /// Directories that are searched for every file.
    shared: Vec<PathBuf>,
    listings: Listings,
    ignores_texts: bool,
}

impl ImageSearch {
    /// Searches the directory of a file and its parents up to the root that contains it; then the shared directories and all below
    /// them. What texts about materials name is searched below the roots, too.
    ///
    /// Without a root, that of a depot counts: the directory above a directory that UE Viewer names after a class, or the nearest one
    /// called `Game` or `Content`.
    pub fn new<P: AsRef<Path>>(
        roots: impl IntoIterator<Item = P>,
        shared: impl IntoIterator<Item = P>,
    ) -> Self {
        let listings = Listings::default();
        let shared = shared.into_iter().flat_map(|root| listings.tree(root.as_ref()).to_vec()).collect();
        let roots = roots.into_iter().filter_map(|root| fs::canonicalize(root).ok()).collect();
        Self { roots, shared, listings, ignores_texts: false }
    }

    /// Ignores texts about materials.
    #[must_use]
    pub fn without_texts(self) -> Self {
        Self { ignores_texts: true, ..self }
    }

    /// Returns the images for some files; of a directory, those in it.
    pub fn of<P: AsRef<Path>>(&self, files: impl IntoIterator<Item = P>) -> ImageFinder {
        let mut directories = Vec::new();
        let mut depots = self.roots.clone();
        for file in files {
            let file = file.as_ref();
            let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
            let directory = if file.is_dir() { file } else { parent.unwrap_or(Path::new(".")) };
            let Ok(own) = fs::canonicalize(directory) else { continue };
            let is_inside = |place: &&Path| self.roots.iter().any(|root| place.starts_with(root));
            if !is_inside(&&*own) {
                depots.extend(depot_of(&own));
            }
            directories.push(own.clone());
            directories.extend(own.ancestors().skip(1).take_while(is_inside).map(Path::to_owned));
        }
        directories.extend(self.shared.iter().cloned());
        let mut seen = HashSet::new();
        directories.retain(|directory| seen.insert(directory.clone()));
        depots.dedup();
        let listings = self.listings.clone();
        ImageFinder {
            known: RefCell::default(),
            directories,
            depots,
            listings,
            ignores_texts: self.ignores_texts,
        }
    }
}

/// Returns the root of the depot that a directory is in.
fn depot_of(directory: &Path) -> Option<PathBuf> {
    let is_named = |path: &Path, names: &[&str]| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| names.contains(&name))
    };
    if is_named(directory, &CLASSES) {
        return directory.parent().map(Path::to_owned);
    }
    directory.ancestors().find(|place| is_named(place, &MOUNTS)).map(Path::to_owned)
}

/// Finds the images of the textures of some files.
#[derive(Debug)]
pub struct ImageFinder {
    /// What was found for each texture.
    known: RefCell<HashMap<String, Option<PathBuf>>>,
    /// The directories, in the order in which they are searched.
    directories: Vec<PathBuf>,
    /// The directories below which only files are searched that texts about materials name, and those texts.
    depots: Vec<PathBuf>,
    listings: Listings,
    ignores_texts: bool,
}

impl ImageFinder {
    /// Returns the directories that are searched, in order.
    #[must_use]
    pub fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// Returns the image of a texture, without links; `None` if there is none in the directories.
    pub fn find(&self, texture: &str) -> Option<PathBuf> {
        if let Some(known) = self.known.borrow().get(texture) {
            return known.clone();
        }
        let found = spellings(texture).iter().find_map(|own| self.find_spelled(own));
        self.known.borrow_mut().insert(texture.to_owned(), found.clone());
        found
    }

    fn find_spelled(&self, texture: &str) -> Option<PathBuf> {
        let steps = steps(texture)?;
        let name = steps.last().copied()?;
        let by_path = self.directories.iter().filter_map(|directory| self.descend(directory, &steps));
        let by_name = self.directories.iter().filter_map(|directory| self.descend(directory, &[name]));
        by_path.chain(by_name).next()
    }

    /// Returns what UE Viewer's texts about a material state: see [`described_material`]. The sources of textures are paths.
    pub fn of_material(&self, material: &str) -> DescribedMaterial {
        let name = steps(material).and_then(|steps| steps.last().copied()).filter(|_| !self.ignores_texts);
        let Some(name) = name else { return DescribedMaterial::default() };
        let read = |name: &str| {
            let path = self.find_in_depot(name)?;
            let bytes = read_regular(&path, MAX_TEXT).ok()?;
            Some((path.to_string_lossy().into_owned(), String::from_utf8_lossy(&bytes).into_owned()))
        };
        described_material(name, read, |texture| self.is_in_depot(texture))
    }

    /// Returns whether a texture that a text names has an image.
    fn is_in_depot(&self, texture: &str) -> bool {
        if self.find(texture).is_some() {
            return true;
        }
        let Some(name) = steps(texture).and_then(|steps| steps.last().copied()) else { return false };
        let image = |extension: &&str| self.find_in_depot(&format!("{name}.{extension}"));
        let found = IMAGE_EXTENSIONS.iter().find_map(image).filter(|path| is_image(path));
        let is_found = found.is_some();
        self.known.borrow_mut().insert(texture.to_owned(), found);
        is_found
    }

    /// Returns the file of a name in any directory.
    fn find_in_depot(&self, name: &str) -> Option<PathBuf> {
        let find = |place: &PathBuf| self.contained(&place.join(self.listings.of(place).find(name)?));
        let below = || self.depots.iter().map(|root| self.listings.tree(root));
        self.directories
            .iter()
            .find_map(find)
            .or_else(|| below().find_map(|places| places.iter().find_map(find)))
    }

    /// Gives materials without a colour texture the one that is named like the material, as in PSK files, and those that UE Viewer's
    /// texts name, if their images are found. Returns the textures whose images are missing.
    ///
    /// Textures that `is_embedded` accepts have an image in the file itself.
    pub fn attach(&self, scene: &mut Scene, is_embedded: impl Fn(&str) -> bool) -> Vec<String> {
        let has_image = |texture: &str| is_embedded(texture) || self.find(texture).is_some();
        let mut missing = Vec::new();
        let mut known = HashSet::new();
        for material in &mut scene.materials {
            match material.color_texture() {
                None => {
                    let had_normals = material.texture(TextureRole::Normal).is_some();
                    self.complete(material, has_image(&material.name));
                    if !had_normals && material.texture(TextureRole::Normal).is_some() {
                        scene.losses.push(Lost::NormalMapGreen.of("material", &material.name));
                    }
                }
                Some(texture) if !has_image(texture) && known.insert(texture.to_owned()) => {
                    missing.push(texture.to_owned());
                }
                Some(_) => {}
            }
        }
        missing
    }

    /// Adds the textures of a material that its file does not state: the image of its name is the colour, if there is one.
    fn complete(&self, material: &mut Material, has_image: bool) {
        let named = has_image.then(|| Texture::from(&*material.name));
        let described = self.of_material(&material.name);
        for own in named
            .into_iter()
            .chain(described.textures.into_iter().map(|own| Texture::new(own.name, own.role)))
        {
            if material.texture(own.role).is_none() {
                material.textures.push(own);
            }
        }
        material.textures.sort_by_key(|own| own.role != TextureRole::Color);
        // The opacity of the colour's texture is another thing where there is a texture of opacity.
        let alpha = described.alpha.filter(|_| material.texture(TextureRole::Opacity).is_none());
        material.alpha = alpha.unwrap_or(material.alpha);
        material.double_sided = described.double_sided.unwrap_or(material.double_sided);
    }

    /// Follows the steps below a directory, ignoring case where the exact name is not there.
    fn descend(&self, directory: &Path, steps: &[&str]) -> Option<PathBuf> {
        let (name, parents) = steps.split_last()?;
        let mut place = directory.to_owned();
        for step in parents {
            let listing = self.listings.of(&place);
            place.push(listing.find(step)?);
        }
        // Many models name an image in another format than the one that is there.
        let stem = if is_image(Path::new(name)) { Path::new(name).file_stem()?.to_str()? } else { name };
        let listing = self.listings.of(&place);
        let other = |extension: &str| listing.find(&format!("{stem}.{extension}"));
        let found =
            listing.find(name).filter(|found| is_image(Path::new(found)) || is_bare(Path::new(found)));
        let found = found.or_else(|| IMAGE_EXTENSIONS.iter().find_map(|extension| other(extension)))?;
        let real = self.contained(&place.join(found))?;
        (is_image(&real) || is_bare(&real) && begins_as_image(&real)).then_some(real)
    }

    /// Returns the path of a regular file without links, if it is in a directory that is searched.
    fn contained(&self, path: &Path) -> Option<PathBuf> {
        let real = fs::canonicalize(path).ok()?;
        let inside = self.directories.iter().chain(&self.depots).any(|directory| real.starts_with(directory));
        (inside && real.is_file()).then_some(real)
    }
}

/// Returns whether a name has no extension.
pub(super) fn is_bare(path: &Path) -> bool {
    path.extension().is_none()
}

/// Returns whether the content of a file begins as that of an image, for names that do not determine it.
fn begins_as_image(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = open_regular(path).and_then(|file| file.take(64).read_to_end(&mut head));
    read.is_ok() && ImageFormat::detect(&head).is_some()
}

/// Returns the possible texts of a texture: as it is, or in the code pages that its bytes are valid in, if they are not UTF-8. Those of
/// a text in a code page that was guessed are those that it has in this page.
fn spellings(texture: &str) -> Vec<Cow<'_, str>> {
    let mut spellings = vec![Cow::Borrowed(texture)];
    let raw = unescape(texture).ok().filter(|bytes| std::str::from_utf8(bytes).is_err());
    let guessed = |page: &'static Encoding| match page.encode(texture) {
        (bytes, _, false) if !texture.is_ascii() => Some(bytes.into_owned()),
        _ => None,
    };
    let known = match raw {
        Some(bytes) => vec![bytes],
        None => CODE_PAGES.into_iter().filter_map(guessed).collect(),
    };
    for bytes in known {
        for page in CODE_PAGES {
            let text = page.decode_without_bom_handling_and_without_replacement(&bytes);
            spellings.extend(text.map(|text| Cow::Owned(text.into_owned())));
        }
    }
    spellings
}

/// Splits the path of a texture. Of absolute paths, drive letters, network paths and paths with `..` only the file name
/// counts, so that a file cannot name places outside of the directories.
fn steps(texture: &str) -> Option<Vec<&str>> {
    let steps: Vec<&str> = texture.split(['/', '\\']).filter(|step| !["", "."].contains(step)).collect();
    let name = *steps.last()?;
    let plain =
        |step: &str| matches!(Path::new(step).components().collect::<Vec<_>>()[..], [Component::Normal(_)]);
    if !plain(name) || name.contains([':', '\0']) {
        return None;
    }
    let relative = !texture.starts_with(['/', '\\'])
        && steps.iter().all(|step| plain(step) && !step.contains([':', '\0']));
    Some(if relative { steps } else { vec![name] })
}
