//! The journal of a transaction: how a set of files becomes again what it was.
//!
//! Each directory has a file `.bindpose-unfinished-ID`, which is locked until the process ends. Before the first file gets its name, it lists
//! the files in that directory. The one of the first directory is the main journal: while it exists and is complete, the
//! transaction can be undone; its removal is the moment from which all files are new.
//!
//! A journal names files to remove and to replace, so only those are followed that a run of the same user wrote where they are: they
//! belong to that user and state their own inode, which a file from an archive cannot know.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::draft::hash_of;
use super::place::directory_of;
use super::{disk, read_regular};

/// The files of a transaction in one directory.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Journal {
    /// The main journal, relative to this directory; none if it is this one.
    pub main: Option<PathBuf>,
    /// The other directories, relative to this one; only in the main journal.
    pub others: Vec<PathBuf>,
    pub files: Vec<Entry>,
}

/// A file of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The number in the names of its temporary files.
    pub number: usize,
    pub name: OsString,
    /// The hash of its new content.
    pub hash: u128,
    /// Whether it replaces a file, which has a second name meanwhile.
    pub replaces: bool,
}

const HEADER: &str = "bindpose transaction 2";
const END: &[u8] = b"end";
/// The most bytes of a journal that is read.
const MAX_LEN: u64 = 1 << 28;

impl Journal {
    /// Returns the content of a journal file: fields that NUL characters end.
    pub fn encode(&self, file: &File) -> io::Result<Vec<u8>> {
        let main = self.main.as_deref().unwrap_or(Path::new("")).as_os_str();
        let mut fields = vec![bytes_of(main)?, self.others.len().to_string().into_bytes()];
        for other in &self.others {
            fields.push(bytes_of(other.as_os_str())?);
        }
        for Entry { number, name, hash, replaces } in &self.files {
            fields.push(format!("{number} {hash:032x} {replaces}").into_bytes());
            fields.push(bytes_of(name)?);
        }
        fields.push(END.to_vec());
        let fields = fields.into_iter().flat_map(|mut field| {
            field.push(0);
            field
        });
        Ok(start_of(&file.metadata()?).into_iter().chain(fields).collect())
    }

    /// Reads what follows the start of a journal; none if it is incomplete.
    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut fields = bytes.strip_suffix(&[0])?.split(|byte| *byte == 0);
        let text = |field: &[u8]| str::from_utf8(field).ok().map(str::to_owned);
        let main = PathBuf::from(name_of(fields.next()?)?);
        let main = Some(main).filter(|main| !main.as_os_str().is_empty());
        let count: usize = text(fields.next()?)?.parse().ok()?;
        let others = (0..count).map_while(|_| fields.next()).map(|own| name_of(own).map(PathBuf::from));
        let others = others.collect::<Option<Vec<_>>>()?;
        let mut files = Vec::new();
        loop {
            let first = fields.next()?;
            if first == END {
                return Some(Self { main, others, files });
            }
            let first = text(first)?;
            let mut words = first.split(' ');
            let number = words.next()?.parse().ok()?;
            let hash = u128::from_str_radix(words.next()?, 16).ok()?;
            let replaces = words.next()?.parse().ok()?;
            let name = name_of(fields.next()?)?;
            // A journal from elsewhere must not reach other directories.
            let is_name = matches!(Path::new(&name).components().collect::<Vec<_>>()[..], [Component::Normal(own)] if own == name);
            files.push(Entry { number, name, hash, replaces });
            is_name.then_some(())?;
        }
    }
}

/// What the journal in a file begins with.
fn start_of(file: &Metadata) -> Vec<u8> {
    format!("{HEADER}\0{}\0", inode(file)).into_bytes()
}

/// The inode number; 0 where the system has none.
fn inode(file: &Metadata) -> u64 {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::ino(file);
    #[cfg(not(unix))]
    return {
        let _ = file;
        0
    };
}

/// Whether a file belongs to the user of this run.
fn is_of_user(file: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::uid(file) == rustix::process::geteuid().as_raw();
    #[cfg(not(unix))]
    return file.is_file();
}

/// What a file with the name of a journal is.
enum Found {
    /// Not a journal that a run of this user wrote.
    Foreign,
    /// Nothing was published.
    Incomplete,
    Complete(Journal),
}

fn read(path: &Path) -> io::Result<Found> {
    let file = fs::symlink_metadata(path)?;
    if !file.is_file() || !is_of_user(&file) {
        return Ok(Found::Foreign);
    }
    let (bytes, start) = (read_regular(path, MAX_LEN)?, start_of(&file));
    Ok(match bytes.strip_prefix(&*start) {
        Some(rest) => Journal::decode(rest).map_or(Found::Incomplete, Found::Complete),
        None if start.starts_with(&bytes) => Found::Incomplete,
        None => Found::Foreign,
    })
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems restrict names")]
fn bytes_of(name: &OsStr) -> io::Result<Vec<u8>> {
    Ok(std::os::unix::ffi::OsStrExt::as_bytes(name).to_vec())
}

#[cfg(not(unix))]
fn bytes_of(name: &OsStr) -> io::Result<Vec<u8>> {
    let text = name.to_str().ok_or(io::ErrorKind::InvalidFilename)?;
    Ok(text.as_bytes().to_vec())
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems restrict names")]
fn name_of(bytes: &[u8]) -> Option<OsString> {
    Some(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).to_owned())
}

#[cfg(not(unix))]
fn name_of(bytes: &[u8]) -> Option<OsString> {
    str::from_utf8(bytes).ok().map(OsString::from)
}

/// The path of a temporary file of a transaction, by the path of the journal of its directory.
pub(super) fn temporary(journal: &Path, number: usize, end: &str) -> PathBuf {
    let mut name = journal.as_os_str().to_owned();
    name.push(format!(".{number}.{end}"));
    name.into()
}

/// Ends the transaction of a journal that a killed run left: undone if not all files were new, otherwise what is left of it is
/// removed. Does nothing while the process of the run exists.
pub(super) fn settle(journal: &Path) {
    // A failure leaves the journal to the next run.
    let _ = try_settle(journal, true);
}

fn try_settle(journal: &Path, may_follow: bool) -> io::Result<()> {
    if !fs::symlink_metadata(journal).is_ok_and(|data| data.is_file()) {
        return Ok(());
    }
    let lock = File::open(journal)?;
    if lock.try_lock().is_err() || !journal.exists() {
        return Ok(());
    }
    let content = read(journal)?;
    let directory = directory_of(journal);
    match content {
        Found::Foreign => return Ok(()),
        Found::Incomplete => {}
        Found::Complete(Journal { main: Some(main), files, .. }) => {
            let main = directory.join(main);
            if !main.exists() {
                discard(journal, &files)?;
            } else if may_follow && main.file_name() == journal.file_name() {
                drop(lock);
                try_settle(&main, false)?;
                return if main.exists() { Ok(()) } else { try_settle(journal, false) };
            } else {
                return Ok(());
            }
        }
        Found::Complete(Journal { main: None, others, files }) => {
            let name = journal.file_name().unwrap_or_default();
            for other in others.iter().map(|other| directory.join(other).join(name)) {
                undo_other(&other)?;
            }
            undo(journal, &files)?;
            disk::sync_names(directory)?;
        }
    }
    disk::remove(journal)?;
    disk::sync_names(directory)
}

/// Undoes the part of a transaction in another directory than that of the main journal. It is done already if the journal there is gone.
fn undo_other(journal: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(journal).is_ok_and(|data| data.is_file()) {
        return Ok(());
    }
    match read(journal)? {
        Found::Foreign => return Ok(()),
        Found::Incomplete => {}
        Found::Complete(Journal { files, .. }) => undo(journal, &files)?,
    }
    disk::sync_names(directory_of(journal))?;
    disk::remove(journal)
}

/// Gives the files of a directory their old contents, the last that was changed first. What is done already is skipped.
pub(super) fn undo(journal: &Path, files: &[Entry]) -> io::Result<()> {
    for file in files.iter().rev() {
        undo_file(journal, file)?;
    }
    Ok(())
}

fn undo_file(journal: &Path, file: &Entry) -> io::Result<()> {
    let [new, old] = ["new", "old"].map(|end| temporary(journal, file.number, end));
    let target = directory_of(journal).join(&file.name);
    if new.symlink_metadata().is_ok() {
        // It was not published.
        disk::remove(&new)?;
    } else if hash_of(&target)? == Some(file.hash) {
        // A file that was changed since is not touched.
        if !file.replaces {
            disk::remove(&target)?;
        } else if old.symlink_metadata().is_ok_and(|data| data.is_file()) {
            disk::rename(&old, &target)?;
        }
    }
    disk::remove(&old)
}

/// Removes the temporary files of a directory.
pub(super) fn discard(journal: &Path, files: &[Entry]) -> io::Result<()> {
    for file in files {
        for end in ["new", "old"] {
            disk::remove(&temporary(journal, file.number, end))?;
        }
    }
    Ok(())
}

/// The path of a directory relative to another one. Both are without links.
pub(super) fn relative(from: &Path, to: &Path) -> PathBuf {
    let common = from.components().zip(to.components()).take_while(|(own, other)| own == other).count();
    if common == 0 {
        // Another drive.
        return to.to_owned();
    }
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    up.chain(to.components().skip(common)).collect()
}
