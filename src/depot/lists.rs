//! The lists of the files of a character.
//!
//! Meshes refer to materials by their place among those that a program loads. No file of the format states this order: programs read
//! it from a `.cfg` with a line for each file, as the demos of the library do.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::FileKind;
use crate::files::read_regular;
use crate::formats::FAMILIES;

/// The extension of a list.
pub const LIST: &str = "cfg";

/// The longest list that is read, in bytes, and the most of a directory.
const MAX_LEN: u64 = 1 << 16;
const MAX_LISTS: usize = 64;

/// The key of materials, whose order matters.
const MATERIAL: &str = "material";
/// The key of the skeleton, of which a character has one.
const SKELETON: &str = "skeleton";
/// The key of meshes.
const MESH: &str = "mesh";

fn is_material(kind: FileKind) -> bool {
    FAMILIES.iter().any(|family| family.listed.contains(&(MATERIAL, kind)))
}

/// Returns the list of the files of a character; none if it has at most one material, whose order is certain.
///
/// ```
/// use bindpose::FileKind;
/// use bindpose::depot::list_of;
/// let files = [(FileKind::Cal3dMesh, "hero.cmf"), (FileKind::Cal3dMaterial, "skin.crf"), (FileKind::Cal3dMaterial, "belt.crf")];
/// assert_eq!(list_of(files).as_deref(), Some("mesh=hero.cmf\nmaterial=skin.crf\nmaterial=belt.crf\n"));
/// assert_eq!(list_of(files[..2].to_vec()), None);
/// ```
pub fn list_of<'a>(files: impl IntoIterator<Item = (FileKind, &'a str)>) -> Option<String> {
    let files: Vec<_> = files.into_iter().collect();
    let mut text = String::new();
    for (key, kind) in FAMILIES.iter().flat_map(|family| family.listed) {
        for (_, name) in files.iter().filter(|(own, _)| own == kind) {
            _ = writeln!(text, "{key}={name}");
        }
    }
    let materials = files.iter().filter(|(kind, _)| is_material(*kind)).count();
    (materials > 1).then_some(text)
}

/// Returns the order of the files of a set: Cal3D materials are in the order of the list beside them that names most of them, others
/// follow; all other files keep their places.
#[must_use]
pub fn in_order<P: AsRef<Path>>(files: &[(P, FileKind)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..files.len()).collect();
    let mut folders: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
    for (place, (path, _)) in files.iter().enumerate().filter(|(_, (_, kind))| is_material(*kind)) {
        folders.entry(path.as_ref().parent().unwrap_or(Path::new("")).to_owned()).or_default().push(place);
    }
    for (folder, places) in folders.into_iter().filter(|(_, places)| places.len() > 1) {
        let names: Vec<_> = places.iter().map(|place| name_of(files[*place].0.as_ref())).collect();
        for (place, at) in places.iter().zip(material_order(&names, &lists(&folder))) {
            order[*place] = places[at];
        }
    }
    order
}

/// Returns the order of the Cal3D materials of a directory, by their names: that of the list that names most of them, of the texts of
/// all lists of the directory; others follow.
///
/// ```
/// use bindpose::depot::material_order;
/// let list = "skeleton=hero.csf\nmaterial=skin.crf\nmaterial=belt.crf\n";
/// assert_eq!(material_order(&["belt.crf", "eyes.crf", "Skin.crf"], &[list]), [2, 0, 1]);
/// ```
pub fn material_order<N: AsRef<str>, L: AsRef<str>>(names: &[N], lists: &[L]) -> Vec<usize> {
    let names: Vec<_> = names.iter().map(|name| name.as_ref().to_lowercase()).collect();
    let mut order: Vec<_> = (0..names.len()).collect();
    if let Some(ranks) = ranks(&names, lists) {
        order.sort_by_key(|at| ranks.get(&names[*at]).copied().unwrap_or(usize::MAX));
    }
    order
}

/// Returns the skeleton of each file that the lists beside it name with a single skeleton, both by their index. Of lists without a
/// skeleton, the first mesh counts as one.
pub fn skeletons_in_lists<P: AsRef<Path>>(files: &[P]) -> HashMap<usize, usize> {
    let mut folders: BTreeMap<&Path, HashMap<String, usize>> = BTreeMap::new();
    for (place, path) in files.iter().map(AsRef::as_ref).enumerate() {
        folders.entry(path.parent().unwrap_or(Path::new(""))).or_default().insert(name_of(path), place);
    }
    let mut skeletons: HashMap<usize, BTreeSet<usize>> = HashMap::new();
    for (folder, names) in folders {
        for list in lists(folder) {
            let first = |wanted: &str| entries(&list).find(|(key, _)| key.eq_ignore_ascii_case(wanted));
            let own = first(SKELETON).or_else(|| first(MESH));
            let Some(skeleton) = own.and_then(|(_, name)| names.get(&name)) else { continue };
            for place in entries(&list).filter_map(|(_, name)| names.get(&name)) {
                skeletons.entry(*place).or_default().insert(*skeleton);
            }
        }
    }
    let single =
        |(place, all): (usize, BTreeSet<usize>)| Some((place, *all.first().filter(|_| all.len() == 1)?));
    skeletons.into_iter().filter_map(single).collect()
}

/// Returns whether a text is the list of the files of a character: all its lines name a file by what it is, one of them by a key and
/// an extension that go together.
///
/// ```
/// use bindpose::depot::is_list;
/// assert!(is_list(b"path=models/\nmesh=hero.cmf\nmaterial=skin.crf\n"));
/// assert!(!is_list(b"mesh=high\n"));
/// ```
#[must_use]
pub fn is_list(text: &[u8]) -> bool {
    crate::formats::foreign::is_list(text)
}

/// Returns the texts of the lists in a directory, in the order of their names.
fn lists(folder: &Path) -> Vec<String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let is_list = |path: &PathBuf| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(LIST));
    let mut paths: Vec<_> = entries.filter(is_list).take(MAX_LISTS).collect();
    paths.sort();
    let read = |path: &PathBuf| read_regular(path, MAX_LEN).unwrap_or_default();
    paths.iter().map(|path| String::from_utf8_lossy(&read(path)).into_owned()).collect()
}

/// Returns the places of materials in the list that names most of them; none if no list names one.
fn ranks<L: AsRef<str>>(names: &[String], lists: &[L]) -> Option<HashMap<String, usize>> {
    let counted = |list: &L| {
        let places = materials(list.as_ref());
        (names.iter().filter(|name| places.contains_key(*name)).count(), places)
    };
    let best = lists.iter().map(counted).reduce(|best, own| if own.0 > best.0 { own } else { best });
    best.filter(|(count, _)| *count > 0).map(|(_, places)| places)
}

/// Returns the materials of a list, with their places.
fn materials(text: &str) -> HashMap<String, usize> {
    let materials = entries(text).filter(|(key, _)| key.eq_ignore_ascii_case(MATERIAL));
    let mut places = HashMap::new();
    for (place, (_, name)) in materials.enumerate() {
        places.entry(name).or_insert(place);
    }
    places
}

/// Returns the lines of a list: what a file is, and its name.
fn entries(text: &str) -> impl Iterator<Item = (&str, String)> {
    text.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        Some((key.trim(), name_of(Path::new(&value.trim().replace('\\', "/")))))
    })
}

/// Returns the name of a file without its directory, in lower case.
fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(OsStr::new("")).to_string_lossy().to_lowercase()
}
