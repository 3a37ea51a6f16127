//! What killed runs left in a directory.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use super::journal;

/// What the names of temporary files start with, before six random letters. No other program or person names a file so.
pub(super) const MARK: &str = ".bindpose-unfinished-";

/// Returns whether a file is one that a run keeps beside others: an original, `FILE.orig`, or a temporary file.
#[must_use]
pub fn is_product(name: impl AsRef<OsStr>) -> bool {
    let name = name.as_ref().as_encoded_bytes();
    name.starts_with(MARK.as_bytes()) || is_original(name)
}

/// Whether a name is `FILE.orig`, `FILE.orig.1`, `FILE.orig.2`.
fn is_original(name: &[u8]) -> bool {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (start, number) = name.split_at(name.len() - digits);
    let start = if number.is_empty() { Some(start) } else { start.strip_suffix(b".") };
    start.and_then(|start| start.strip_suffix(b".orig")).is_some_and(|file| !file.is_empty())
}

/// Undoes the transactions that killed runs left unfinished in a directory, and removes their temporary files, unless this run did
/// that before. Those of runs in progress stay.
pub fn sweep_once(directory: &Path) {
    static SWEPT: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.insert(directory.to_owned()) {
        sweep(directory);
    }
}

/// As [`sweep_once`], every time.
pub fn sweep(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let names = entries.flatten().map(|entry| entry.file_name());
    let names: Vec<_> = names.filter(|name| id_of(name).is_some()).collect();
    let is_journal = |name: &&OsString| name.len() == MARK.len() + ID;
    for name in names.iter().filter(is_journal) {
        journal::settle(&directory.join(name));
    }
    for name in names.iter().filter(|name| !is_journal(name)) {
        let (path, id) = (directory.join(name), id_of(name).unwrap_or_default());
        let is_draft = name.len() == MARK.len() + ID + ".new".len();
        // Another run holds the lock of a file that it writes. The journal of a transaction that goes on, or that could not be
        // undone, is still there.
        let is_left = if is_draft { is_free(&path) } else { !directory.join(format!("{MARK}{id}")).exists() };
        if is_left {
            let _ = fs::remove_file(&path);
        }
    }
}

/// The number of random letters of a temporary name.
const ID: usize = 6;

/// The random letters of a temporary name.
fn id_of(name: &OsStr) -> Option<&str> {
    let (id, rest) = name.to_str()?.strip_prefix(MARK)?.split_at_checked(ID)?;
    let is_id = id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_ours =
        rest.is_empty() || rest.starts_with('.') && [".new", ".old"].iter().any(|end| rest.ends_with(end));
    (is_id && is_ours).then_some(id)
}

/// Whether a path is a file whose lock no other run holds.
fn is_free(path: &Path) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|data| data.is_file());
    is_file && File::open(path).is_ok_and(|file| file.try_lock().is_ok())
}
