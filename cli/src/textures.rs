//! Finds the images of textures.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use encoding_rs::{Encoding, GBK, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};

use super::decode::{self, Decoded, Decoder};
use super::exit::Failure;
use super::files::{Inputs, shown};
use super::limits::LimitArgs;
use super::load::Content;
use super::read::{Buffer, side_text};
use bindpose::scene::gltf::Image;
use bindpose::scene::{Material, Scene};
use bindpose::schema::unescape;
use bindpose::{Budget, Limits};

/// The extensions of images that can be read, in the order in which they are tried for names without one.
const EXTENSIONS: [&str; 7] = ["png", "tga", "jpg", "jpeg", "bmp", "dds", "pcx"];
/// The extensions of sphere maps: BMP images of `MikuMikuDance`.
const SPHERES: [&str; 2] = ["spa", "sph"];
/// The extension of the texts in which UE Viewer lists the textures of a material.
const MATERIAL: &str = "mat";
/// The largest such text in bytes.
const MAX_MATERIAL: u64 = 1 << 16;
/// The code pages in which names are looked for that are not UTF-8, in this order.
const CODE_PAGES: [&Encoding; 4] = [SHIFT_JIS, WINDOWS_1252, WINDOWS_1251, GBK];
/// The most directories below `--textures` that are searched.
const MAX_DIRECTORIES: usize = 10_000;

/// The arguments that specify where images are searched.
#[derive(Args)]
pub(super) struct TextureArgs {
    /// Search DIR and the directories below it for textures, too; may be repeated
    ///
    /// Textures are searched in the directory of each input file, and in its parents up to the PATH that was given: by their path,
    /// ignoring case, and by their file name alone. Absolute paths and paths with `..` count as file names. Names that are not UTF-8
    /// are read in the code pages 932, 1252, 1251 and 936. For materials without a texture, the images are those that UE Viewer's
    /// `NAME.mat` lists, which is searched below a directory that was given, too.
    #[arg(
        long,
        value_name = "DIR",
        value_parser = PathBufValueParser::new().try_map(directory),
        help_heading = "Texture options"
    )]
    textures: Vec<PathBuf>,
}

fn directory(path: PathBuf) -> Result<PathBuf, &'static str> {
    if path.is_dir() { Ok(path) } else { Err("is not a directory") }
}

/// The images of textures: those that are parts of the input, and the directories in which others are searched.
pub(super) struct Textures {
    embedded: Vec<Image>,
    /// The indices of the embedded images by their paths.
    by_path: HashMap<String, usize>,
    /// What was found for each texture.
    found: RefCell<HashMap<String, Option<Found>>>,
    decoder: Decoder,
    /// The directories, in the order in which they are searched. None is above the paths that the user gave.
    directories: Vec<PathBuf>,
    /// The directories that the user gave as input, with those below them: only files that UE Viewer's texts name are searched there.
    depot: Arc<OnceLock<Vec<PathBuf>>>,
    roots: Vec<PathBuf>,
    listings: Listings,
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
    /// The directories for the files of these inputs.
    pub fn search<'a>(
        &self,
        inputs: &Inputs,
        limits: LimitArgs,
        files: impl IntoIterator<Item = &'a Path>,
    ) -> Textures {
        self.prepare(inputs, limits).of(files)
    }

    /// Lists the directories that are searched for every file.
    pub fn prepare(&self, inputs: &Inputs, limits: LimitArgs) -> Search {
        let roots = inputs.directories().filter_map(|root| fs::canonicalize(root).ok()).collect();
        let shared = self.textures.iter().flat_map(|root| below(root)).collect();
        Search { roots, shared, limits: limits.limits(), ..Search::default() }
    }
}

/// Where images are searched for any input file.
#[derive(Default)]
pub(super) struct Search {
    /// The directories that the user gave as input.
    roots: Vec<PathBuf>,
    /// Those of `--textures`, with the directories below them.
    shared: Vec<PathBuf>,
    /// The roots with the directories below them, as soon as they are needed.
    depot: Arc<OnceLock<Vec<PathBuf>>>,
    listings: Listings,
    /// The limits of decoding images.
    limits: Limits,
}

impl Search {
    /// The directories of files, their parents up to the root that contains them, and the shared ones.
    pub fn of<'a>(&self, files: impl IntoIterator<Item = &'a Path>) -> Textures {
        let mut directories = Vec::new();
        let mut add = |directory: PathBuf| {
            if !directories.contains(&directory) {
                directories.push(directory);
            }
        };
        for file in files {
            let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
            let Ok(own) = fs::canonicalize(parent.unwrap_or(Path::new("."))) else { continue };
            let above = own.ancestors().skip(1);
            let inside = above.take_while(|place| self.roots.iter().any(|root| place.starts_with(root)));
            let inside: Vec<_> = inside.map(Path::to_owned).collect();
            add(own);
            inside.into_iter().for_each(&mut add);
        }
        self.shared.iter().cloned().for_each(&mut add);
        Textures {
            embedded: Vec::new(),
            by_path: HashMap::new(),
            found: RefCell::default(),
            decoder: Decoder::new(self.limits),
            directories,
            depot: Arc::clone(&self.depot),
            roots: self.roots.clone(),
            listings: self.listings.clone(),
        }
    }
}

/// Returns a directory and those below it, without following links.
fn below(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::canonicalize(root).into_iter().filter(|root| root.is_dir()).collect();
    let mut next = 0;
    while let Some(directory) = found.get(next) {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let mut own: Vec<_> = directories.map(|entry| entry.path()).collect();
        own.sort();
        own.truncate(MAX_DIRECTORIES.saturating_sub(found.len()));
        found.extend(own);
        next += 1;
    }
    found
}

impl Textures {
    /// The directories of these files alone.
    #[cfg(test)]
    pub fn beside(files: &[PathBuf]) -> Self {
        Search::default().of(files.iter().map(PathBuf::as_path))
    }

    /// Takes the images that are parts of files; drops everything else of them.
    pub fn embed(&mut self, files: impl IntoIterator<Item = (Box<Path>, Content)>) {
        self.embedded = files.into_iter().flat_map(|(_, content)| content.into_images()).collect();
        self.by_path.clear();
        for (index, image) in self.embedded.iter().enumerate() {
            self.by_path.entry(image.path.clone()).or_insert(index);
        }
        self.found.take();
    }

    /// Names the textures without an image, and where it was searched.
    pub fn warn_of_missing(&self, missing: &[String]) {
        if missing.is_empty() {
            return;
        }
        for texture in missing {
            eprintln!("bindpose: no image for texture {texture:?}");
        }
        let directories = self.directories.iter().take(8).map(|place| shown(place));
        let directories: Vec<_> = directories.collect();
        eprintln!("help: searched {}; add a directory with --textures DIR", directories.join(", "));
    }

    /// Returns what the image of a texture is in; `None` if there is none.
    pub fn find(&self, texture: &str) -> Option<Found> {
        if let Some(known) = self.found.borrow().get(texture) {
            return known.clone();
        }
        let embedded = self.by_path.get(texture).copied().map(Found::Embedded);
        let found = embedded.or_else(|| self.find_file(texture).map(Found::File));
        self.found.borrow_mut().insert(texture.to_owned(), found.clone());
        found
    }

    /// Returns the image file of a texture; `None` if there is none in the directories.
    pub fn find_file(&self, texture: &str) -> Option<PathBuf> {
        spellings(texture).iter().find_map(|own| self.find_spelled(own))
    }

    fn find_spelled(&self, texture: &str) -> Option<PathBuf> {
        let steps = steps(texture)?;
        let name = steps.last().copied()?;
        let by_path = self.directories.iter().filter_map(|directory| self.descend(directory, &steps));
        let by_name = self.directories.iter().filter_map(|directory| self.descend(directory, &[name]));
        by_path.chain(by_name).next()
    }

    /// Returns the path of the colour texture in UE Viewer's text about a material, if that and its image are found.
    fn of_material(&self, material: &str) -> Option<String> {
        let text = format!("{}.{MATERIAL}", steps(material)?.last()?);
        let depot = self.depot.get_or_init(|| self.roots.iter().flat_map(|root| below(root)).collect());
        let directories = || self.directories.iter().chain(depot);
        let find = |name: &str| {
            let mut found =
                directories().filter_map(|place| Some(place.join(self.listings.of(place).find(name)?)));
            found.find_map(|path| self.contained(&path))
        };
        let path = find(&text)?;
        let text = side_text(&path, MAX_MATERIAL).ok()?;
        let texture = text.lines().find_map(|line| line.strip_prefix("Diffuse="))?.trim();
        let image = |extension: &&str| find(&format!("{texture}.{extension}")).filter(|path| is_image(path));
        let image = EXTENSIONS.iter().find_map(image)?;
        self.found.borrow_mut().insert(texture.to_owned(), Some(Found::File(image)));
        Some(texture.to_owned())
    }

    /// Returns the path of a file without links, if it is in a directory that is searched. A link may lead out of it; a device or
    /// a pipe is never opened.
    fn contained(&self, path: &Path) -> Option<PathBuf> {
        let real = fs::canonicalize(path).ok()?;
        let inside = self.directories.iter().chain(&self.roots).any(|directory| real.starts_with(directory));
        (inside && real.is_file()).then_some(real)
    }

    /// Returns an image in its file format: a name, and its bytes.
    pub fn read(&self, found: &Found) -> Result<(String, Cow<'_, [u8]>), Failure> {
        match found {
            Found::Embedded(index) => {
                let image = &self.embedded[*index];
                Ok((image.path.clone(), Cow::Borrowed(&*image.bytes)))
            }
            Found::File(path) => {
                let bytes = decode::read(path)?;
                Ok((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), Cow::Owned(bytes)))
            }
        }
    }

    /// Decodes an image with this name.
    pub fn decode(&self, name: &str, bytes: &[u8], budget: &Budget) -> Result<Decoded, Failure> {
        let extension = Path::new(name).extension().and_then(|own| own.to_str()).unwrap_or_default();
        self.decoder.decode(bytes, extension, budget).map_err(|failure| failure.of(format!("image {name:?}")))
    }

    /// Gives materials without a texture the one that is named like the material, as in PSK files, if its image is found.
    /// Returns the textures whose images are missing.
    pub fn attach(&self, scene: &mut Scene) -> Vec<String> {
        let mut missing = Vec::new();
        let mut known = HashSet::new();
        for material in &mut scene.materials {
            let Material { name, textures, .. } = material;
            match textures.first() {
                None if self.find(name).is_some() => textures.push(name.clone()),
                None => textures.extend(self.of_material(name)),
                Some(texture) if self.find(texture).is_none() && known.insert(texture.clone()) => {
                    missing.push(texture.clone());
                }
                _ => {}
            }
        }
        missing
    }

    /// Gives the first textures of materials that have the same image the same path, and returns their number.
    pub fn unify(&self, scene: &mut Scene) -> usize {
        let mut known: HashMap<Found, String> = HashMap::new();
        for texture in scene.materials.iter_mut().filter_map(|material| material.textures.first_mut()) {
            if let Some(found) = self.find(texture) {
                texture.clone_from(known.entry(found).or_insert_with(|| texture.clone()));
            }
        }
        known.len()
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
        let found = found.or_else(|| EXTENSIONS.iter().find_map(|extension| other(extension)))?;
        let real = self.contained(&place.join(found))?;
        (is_image(&real) || is_bare(&real) && begins_as_image(&real)).then_some(real)
    }
}

/// The directories that were searched for any input file: each is listed once.
#[derive(Clone, Default)]
struct Listings(Arc<Mutex<HashMap<PathBuf, Arc<Listing>>>>);

impl Listings {
    fn of(&self, directory: &Path) -> Arc<Listing> {
        let mut listings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match listings.get(directory) {
            Some(known) => Arc::clone(known),
            None => Arc::clone(listings.entry(directory.into()).or_insert(Arc::new(Listing::of(directory)))),
        }
    }
}

/// The names of the files that may be read and the directories in a directory, by their lower-case form.
struct Listing(HashMap<String, Vec<String>>);

impl Listing {
    fn of(directory: &Path) -> Self {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let is_read = |path: &Path| {
            is_image(path)
                || is_bare(path)
                || path.extension().is_some_and(|own| own.eq_ignore_ascii_case(MATERIAL))
        };
        let is_searched = |entry: &fs::DirEntry| {
            is_read(Path::new(&entry.file_name())) || entry.file_type().is_ok_and(|kind| !kind.is_file())
        };
        let names = entries.filter(is_searched).filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<_> = names.collect();
        names.sort();
        let mut listing: HashMap<_, Vec<_>> = HashMap::new();
        for name in names {
            listing.entry(name.to_lowercase()).or_default().push(name);
        }
        Self(listing)
    }

    /// Returns the name of an entry: exact, or ignoring case.
    fn find(&self, name: &str) -> Option<&str> {
        let names = self.0.get(&name.to_lowercase())?;
        names.iter().find(|own| *own == name).or(names.last()).map(String::as_str)
    }
}

fn is_image(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let extension = &*extension.to_ascii_lowercase();
    EXTENSIONS.contains(&extension) || SPHERES.contains(&extension)
}

/// Returns whether a name has no extension.
fn is_bare(path: &Path) -> bool {
    path.extension().is_none()
}

/// Returns whether the content of a file begins as that of an image, for names that do not determine it.
fn begins_as_image(path: &Path) -> bool {
    let mut buffer = Buffer::default();
    let opened = buffer.open(path);
    opened.is_ok_and(|opened| image::guess_format(buffer.head(&opened)).is_ok())
}

/// Returns the possible texts of a texture: as it is, or if its bytes are not UTF-8, in the code pages that they are valid in.
fn spellings(texture: &str) -> Vec<Cow<'_, str>> {
    let mut spellings = vec![Cow::Borrowed(texture)];
    let Some(bytes) = unescape(texture).ok().filter(|bytes| std::str::from_utf8(bytes).is_err()) else {
        return spellings;
    };
    for page in CODE_PAGES {
        let text = page.decode_without_bom_handling_and_without_replacement(&bytes);
        spellings.extend(text.map(|text| Cow::Owned(text.into_owned())));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn textures(root: &Path, files: &[&str]) -> Textures {
        Textures::beside(&files.iter().map(|file| root.join(file)).collect::<Vec<_>>())
    }

    #[test]
    fn textures_are_found_by_path_name_and_case() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(folder.path()).expect("a path");
        fs::create_dir_all(root.join("Skins/deep")).expect("folders");
        for name in ["Skins/Hero.PNG", "body.tga", "Skins/deep/far.bmp", "notes.txt"] {
            fs::write(root.join(name), b"").expect("a file");
        }
        let here = textures(&root, &["hero.x"]);
        let found = |name: &str| {
            here.find_file(name).map(|path| path.strip_prefix(&root).expect("inside").to_owned())
        };
        assert_eq!(found(r".\skins\hero.png").as_deref(), Some(Path::new("Skins/Hero.PNG")));
        assert_eq!(found(r"C:\art\BODY.TGA").as_deref(), Some(Path::new("body.tga")));
        assert_eq!(found("body").as_deref(), Some(Path::new("body.tga")), "a name without an extension");
        assert_eq!(found("body.png").as_deref(), Some(Path::new("body.tga")), "another format");
        for refused in [
            "notes.txt",
            "far.bmp",
            "../body.tga/..",
            "/etc/passwd",
            "",
            "..",
            "body.tga\0",
            "C:",
            r"\\host\x\",
        ] {
            assert_eq!(found(refused), None, "{refused:?}");
        }
        let all = Search { shared: below(&root), ..Search::default() }.of([]);
        let file = root.join("Skins/deep/hero.x");
        let within =
            |roots: &[PathBuf]| Search { roots: roots.into(), ..Search::default() }.of([file.as_path()]);
        assert_eq!(within(&[]).find_file("body.tga"), None, "only the directory of the file");
        assert!(within(std::slice::from_ref(&root)).find_file("body.tga").is_some(), "up to the root");
        assert!(all.find_file("far.bmp").is_some(), "--textures is searched recursively");
    }

    #[test]
    fn a_directory_is_listed_once_for_all_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let search = Search::default();
        let find = |file: &str| search.of([&*folder.path().join(file)]).find_file("body.png");
        fs::write(folder.path().join("BODY.png"), b"").expect("a file");
        assert!(find("a.x").is_some(), "in another case");
        fs::write(folder.path().join("body.png"), b"").expect("a file");
        assert!(find("b.x").is_some_and(|found| found.ends_with("BODY.png")), "the listing is kept");
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_directories_are_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
        for directory in [&inside, &outside] {
            fs::create_dir(directory).expect("a folder");
        }
        fs::write(outside.join("secret.png"), b"").expect("a file");
        std::os::unix::fs::symlink(outside.join("secret.png"), inside.join("a.png")).expect("a link");
        assert_eq!(textures(&inside, &["hero.x"]).find_file("a.png"), None);
        assert_eq!(textures(&inside, &["hero.x"]).find_file("../out/secret.png"), None);
    }

    /// The beginning of an image.
    const IMAGE: &[u8] = b"\x89PNG\r\n\x1a\n";

    #[test]
    fn names_in_a_code_page_without_extension_and_of_sphere_maps_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(folder.path()).expect("a path");
        fs::create_dir_all(root.join("tex")).expect("a folder");
        for name in ["\u{5e8a}.png", "tex/\u{8868}.bmp", "\u{e9}t\u{e9}.tga", "shine.spa", "skin"] {
            fs::write(root.join(name), IMAGE).expect("a file");
        }
        fs::write(root.join("secret"), b"not an image").expect("a file");
        let here = textures(&root, &["hero.x"]);
        let found = |name: &str| {
            here.find_file(name).map(|path| path.strip_prefix(&root).expect("inside").to_owned())
        };
        for (name, file) in [
            (r"\x8f\xb0.png", "\u{5e8a}.png"),
            (r"tex\\\x95\\.bmp", "tex/\u{8868}.bmp"),
            (r"\xe9t\xe9.tga", "\u{e9}t\u{e9}.tga"),
            ("shine.spa", "shine.spa"),
            ("skin", "skin"),
        ] {
            assert_eq!(found(name).as_deref(), Some(Path::new(file)), "{name}");
        }
        assert_eq!(found("secret"), None);
    }

    #[test]
    fn the_textures_that_ue_viewer_lists_are_found_anywhere_in_the_depot() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(folder.path()).expect("a path");
        for (name, content) in [
            ("Game/Meshes/SK_Hero.psk", &b""[..]),
            ("Game/Materials/MI_Coat.mat", b"Diffuse=T_Coat_BC\nNormal=T_Coat_N\nOther[0]=T_Coat_ARM\n"),
            ("Game/Materials/MI_Bare.mat", b"Normal=T_Coat_N\n"),
            ("Game/Textures/T_Coat_BC.tga", b""),
        ] {
            fs::create_dir_all(root.join(name).parent().expect("a folder")).expect("folders");
            fs::write(root.join(name), content).expect("a file");
        }
        let mesh = root.join("Game/Meshes/SK_Hero.psk");
        let material = |search: Search, name: &str| search.of([&*mesh]).of_material(name);
        let depot = || Search { roots: vec![root.clone()], ..Search::default() };
        assert_eq!(material(depot(), "MI_Coat").as_deref(), Some("T_Coat_BC"));
        assert_eq!(material(depot(), "MI_Bare"), None);
        assert_eq!(material(depot(), "MI_Other"), None);
        assert_eq!(material(Search::default(), "MI_Coat"), None, "only what was given is searched");
        let textures = depot().of([&*mesh]);
        let texture = textures.of_material("MI_Coat").expect("a texture");
        assert_eq!(textures.find(&texture), Some(Found::File(root.join("Game/Textures/T_Coat_BC.tga"))));
    }
}
