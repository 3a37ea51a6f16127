//! The directories in which images are searched: each is listed once.

use std::collections::HashMap;
use std::fs;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::images::is_bare;
use super::is_material_text;
use crate::scene::texture::is_image;

/// The most directories below one that are searched.
const MAX_DIRECTORIES: usize = 10_000;

/// The directories that were searched for any file.
#[derive(Clone, Debug, Default)]
pub(super) struct Listings {
    names: Cache<PathBuf, Listing>,
    trees: Cache<PathBuf, Vec<PathBuf>>,
}

type Cache<K, V> = Arc<Mutex<HashMap<K, Arc<V>>>>;

fn cached<K: Clone + Eq + Hash, V>(cache: &Cache<K, V>, key: &K, make: impl FnOnce() -> V) -> Arc<V> {
    let mut known = cache.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(known.entry(key.clone()).or_insert_with(|| Arc::new(make())))
}

impl Listings {
    /// Returns the names in a directory.
    pub fn of(&self, directory: &Path) -> Arc<Listing> {
        cached(&self.names, &directory.to_owned(), || Listing::of(directory))
    }

    /// Returns a directory and those below it.
    pub fn tree(&self, root: &Path) -> Arc<Vec<PathBuf>> {
        cached(&self.trees, &root.to_owned(), || below(root))
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

/// The names of the files that may be read and the directories in a directory, by their lower-case form.
#[derive(Debug)]
pub(super) struct Listing(HashMap<String, Vec<String>>);

impl Listing {
    fn of(directory: &Path) -> Self {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
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
    pub fn find(&self, name: &str) -> Option<&str> {
        let names = self.0.get(&name.to_lowercase())?;
        names.iter().find(|own| *own == name).or(names.last()).map(String::as_str)
    }
}

fn is_read(path: &Path) -> bool {
    is_image(path) || is_bare(path) || is_material_text(&path.to_string_lossy())
}
