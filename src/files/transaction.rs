//! Sets of files that are written all or not at all.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use twox_hash::XxHash3_128;

use super::disk;
use super::draft::{self, Draft, IfExists, Model, Ready, hash_of};
use super::journal::{self, Entry, Journal};
use super::original::Original;
use super::place::Place;
use super::sweep::{MARK, sweep_once};

/// Why a file of a set was not written.
#[derive(Debug)]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// The cause.
    pub cause: io::Error,
}

impl fmt::Display for FileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}: {}", self.path.to_string_lossy(), self.cause)
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

fn named<T>(path: &Path, result: io::Result<T>) -> Result<T, FileError> {
    result.map_err(|cause| FileError { path: path.to_owned(), cause })
}

/// A set of files of which all are written or none.
///
/// Each file is written to a temporary one and synced. [`commit`](Self::commit) then renames them one after the other. If that
/// fails, the files get their old contents again; if the program is killed meanwhile, the next run that writes in one of their
/// directories restores them.
#[derive(Debug, Default)]
pub struct Transaction {
    /// What the names of the temporary files have in common.
    id: Option<OsString>,
    folders: Vec<Folder>,
    by_path: HashMap<PathBuf, usize>,
    steps: Vec<Step>,
    numbers: usize,
    /// Directories that were created.
    created: Vec<PathBuf>,
}

/// A directory with files of the set.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    journal: PathBuf,
    /// Locked until the process ends.
    file: File,
}

/// A file of the set.
#[derive(Debug)]
struct Step {
    ready: Ready,
    folder: usize,
    number: usize,
    role: Role,
}

#[derive(Debug)]
enum Role {
    New,
    /// A changed file: the hash of what it was.
    Edit {
        before: u128,
        original: Option<Box<Original>>,
    },
    /// The original of the changed file that follows.
    Original,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Published {
    /// Its path.
    pub path: PathBuf,
    /// The XXH3 hash (128 bits) of its content.
    pub hash: u128,
    /// The original that is kept of a changed file.
    pub original: Option<PathBuf>,
    /// The number of other names of a changed file (hard links), which keep the old content.
    pub other_names: u64,
}

impl Transaction {
    /// Starts an empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates the directories above a file. They are removed if the set is not written.
    ///
    /// # Errors
    /// Those of creating them, and [`ErrorKind::NotADirectory`] if a file is in the way.
    pub fn create_directories(&mut self, place: &Place) -> io::Result<()> {
        place.refuse_links()?;
        place.create_directories(&mut self.created)
    }

    /// Starts a file. It becomes a part of the set when it is [added](Self::add).
    ///
    /// # Errors
    /// As [`Draft::new`].
    pub fn draft(&mut self, place: &Place, if_exists: IfExists) -> io::Result<Draft> {
        if let Some(file) = draft::device(place)? {
            return Ok(Draft::of_device(place, file));
        }
        let place = draft::resolved(place, if_exists)?;
        let model = Model::of(place.path());
        self.start(place, if_exists, model)
    }

    fn start(&mut self, place: Place, if_exists: IfExists, model: Option<Model>) -> io::Result<Draft> {
        let folder = self.folder(place.directory())?;
        let temporary = journal::temporary(&self.folders[folder].journal, self.numbers, "new");
        self.numbers += 1;
        Draft::at(temporary, place, if_exists, model)
    }

    /// Adds a file that was written.
    ///
    /// # Errors
    /// Those of writing and syncing it.
    pub fn add(&mut self, draft: Draft) -> io::Result<()> {
        self.push(draft, Role::New)
    }

    /// Adds the new content of an existing file. With `keeps_original`, its first content is kept as `FILE.orig`.
    ///
    /// # Errors
    /// Those of writing.
    pub fn edit(&mut self, path: &Path, [before, after]: [&[u8]; 2], keeps_original: bool) -> io::Result<()> {
        let mut draft = self.draft(&Place::named(path), IfExists::Replace)?;
        draft.write_all(after)?;
        draft.read_back()?;
        let original = Original::of(path, [before, after], keeps_original)?.map(Box::new);
        if let Some(Original::New { place, model, modified }) = original.as_deref() {
            let mut kept = self.start(place.clone(), IfExists::Fail, Some(Model::clone(model)))?;
            kept.write_all(before)?;
            kept.flush()?;
            if let Some(time) = modified {
                let _ = kept.file().set_modified(*time);
            }
            self.push(kept, Role::Original)?;
        }
        let before = XxHash3_128::oneshot(before);
        self.push(draft, Role::Edit { before, original })
    }

    fn push(&mut self, draft: Draft, role: Role) -> io::Result<()> {
        let Some((ready, file)) = draft.finish()? else { return Ok(()) };
        // The lock of the journal protects the file, too.
        drop(file);
        let folder = self.folder(ready.place.directory())?;
        let number =
            ready.temporary.0.file_stem().and_then(|stem| stem.to_str()?.rsplit('.').next()?.parse().ok());
        let number = number.ok_or(ErrorKind::InvalidInput)?;
        self.steps.push(Step { ready, folder, number, role });
        Ok(())
    }

    /// The index of a directory, in which a journal is created.
    fn folder(&mut self, directory: &Path) -> io::Result<usize> {
        let path = fs::canonicalize(directory)?;
        if let Some(known) = self.by_path.get(&path) {
            return Ok(*known);
        }
        sweep_once(&path);
        let open = |path: &Path| disk::create_locked(path, true);
        let (journal, file) = match &self.id {
            Some(id) => (path.join(id), open(&path.join(id))?),
            None => {
                let (file, journal) =
                    tempfile::Builder::new().prefix(MARK).make_in(&path, open)?.into_parts();
                let journal = journal.keep().map_err(|failed| failed.error)?;
                self.id = journal.file_name().map(ToOwned::to_owned);
                (journal, file)
            }
        };
        self.by_path.insert(path.clone(), self.folders.len());
        self.folders.push(Folder { path, journal, file });
        Ok(self.folders.len() - 1)
    }

    /// Gives all files their names, or none.
    ///
    /// # Errors
    /// The first failure, with its file. An edited file that has other content by now, or that another program has locked, is one.
    pub fn commit(mut self) -> Result<Vec<Published>, FileError> {
        self.spare_originals()?;
        let locks = self.lock_edited()?;
        let published = self.published(&locks);
        // Windows does not replace open files.
        let locks = (!cfg!(windows)).then_some(locks);
        let is_alone = self.steps.iter().filter(|step| !matches!(step.role, Role::Original)).count() < 2;
        // Before the lock ends, and before a run that is killed has changed the file.
        self.mark_originals(|_, after| after);
        let done = if is_alone { self.publish_alone() } else { self.publish() };
        done.inspect_err(|_| self.mark_originals(|before, _| before))?;
        drop(locks);
        self.created.clear();
        Ok(published)
    }

    /// Fails if a file is edited that is the original of another one in the set: its first content would be lost.
    fn spare_originals(&self) -> Result<(), FileError> {
        let edits = self.steps.iter().filter_map(|step| match &step.role {
            Role::Edit { original, .. } => Some((step.ready.place.path(), original.as_deref())),
            _ => None,
        });
        let edited: HashSet<_> = edits.clone().filter_map(|(path, _)| fs::canonicalize(path).ok()).collect();
        for (path, original) in edits {
            let kept = original.map(Original::path).and_then(|own| fs::canonicalize(own).ok());
            if let Some(kept) = kept.filter(|kept| edited.contains(kept)) {
                let of = path.file_name().unwrap_or_default().to_string_lossy();
                let why = format!("is the original of {of:?}, which is edited, too; nothing was written");
                return Err(FileError { path: kept, cause: io::Error::new(ErrorKind::InvalidInput, why) });
            }
        }
        Ok(())
    }

    /// Marks the originals of edited files with the content before or after the edit.
    fn mark_originals(&self, which: impl Fn(u128, u128) -> u128) {
        for step in &self.steps {
            if let Role::Edit { before, original: Some(original) } = &step.role {
                original.mark(which(*before, step.ready.hash));
            }
        }
    }

    /// Locks the edited files against other edits, in the order of their paths, and checks that they have the content that was edited.
    fn lock_edited(&self) -> Result<Vec<(usize, File)>, FileError> {
        let edited = self.steps.iter().enumerate().filter_map(|(index, step)| match step.role {
            Role::Edit { before, .. } => Some((step.ready.place.path(), index, before)),
            _ => None,
        });
        let mut edited: Vec<_> = edited.collect();
        edited.sort();
        permit_open_files(edited.len());
        edited
            .into_iter()
            .map(|(path, index, before)| Ok((index, named(path, locked(path, before))?)))
            .collect()
    }

    fn published(&self, locks: &[(usize, File)]) -> Vec<Published> {
        let links: HashMap<_, _> = locks.iter().map(|(index, file)| (*index, other_names(file))).collect();
        let results = self.steps.iter().enumerate().filter(|(_, step)| !matches!(step.role, Role::Original));
        let published = results.map(|(index, step)| Published {
            path: step.ready.place.path().to_owned(),
            hash: step.ready.hash,
            original: match &step.role {
                Role::Edit { original, .. } => original.as_ref().map(|own| own.path().to_owned()),
                Role::New | Role::Original => None,
            },
            other_names: links.get(&index).copied().unwrap_or(0),
        });
        published.collect()
    }

    /// Renames a file, and the original that is kept before it.
    fn publish_alone(&self) -> Result<(), FileError> {
        for (index, step) in self.steps.iter().enumerate() {
            let path = step.ready.place.path();
            if let Err(cause) = step.ready.rename() {
                for kept in &self.steps[..index] {
                    let _ = disk::remove(kept.ready.place.path());
                }
                return Err(FileError { path: path.to_owned(), cause });
            }
        }
        // Not a failure of the set: the file is complete and has its name.
        self.folders.iter().for_each(|folder| _ = disk::sync_names(&folder.path));
        Ok(())
    }

    fn publish(&mut self) -> Result<(), FileError> {
        let done = self.write_journal().and_then(|()| self.rename_all()).and_then(|()| self.end());
        done.inspect_err(|_| self.undo())
    }

    /// Gives the files that are replaced a second name, and writes the journals; the main one last.
    fn write_journal(&mut self) -> Result<(), FileError> {
        for step in &self.steps {
            let target = step.ready.place.path();
            if step.ready.if_exists == IfExists::Replace && target.symlink_metadata().is_ok() {
                let old = journal::temporary(&self.folders[step.folder].journal, step.number, "old");
                named(target, disk::link(target, &old))?;
            }
        }
        for index in (0..self.folders.len()).rev() {
            let bytes = self.journal(index);
            let Folder { path, journal, file } = &mut self.folders[index];
            let written = bytes.and_then(|bytes| write_all(file, &bytes)).and_then(|()| disk::sync(file));
            named(journal, written.and_then(|()| disk::sync_names(path)))?;
        }
        Ok(())
    }

    /// The journal of a directory.
    fn journal(&self, index: usize) -> io::Result<Vec<u8>> {
        let (own, main) = (&self.folders[index], &self.folders[0]);
        let is_main = index == 0;
        let path = |folder: &Folder| journal::relative(&main.path, &folder.path);
        let others = if is_main { self.folders[1..].iter().map(path).collect() } else { Vec::new() };
        let main = (!is_main).then(|| {
            let directory = journal::relative(&own.path, &main.path);
            directory.join(self.id.clone().unwrap_or_default())
        });
        Journal { main, others, files: self.entries(index) }.encode(&own.file)
    }

    fn entries(&self, folder: usize) -> Vec<Entry> {
        let own = self.steps.iter().filter(|step| step.folder == folder);
        let entry = |step: &Step| Entry {
            number: step.number,
            name: step.ready.place.path().file_name().unwrap_or_default().to_owned(),
            hash: step.ready.hash,
            replaces: journal::temporary(&self.folders[folder].journal, step.number, "old").exists(),
        };
        own.map(entry).collect()
    }

    fn rename_all(&self) -> Result<(), FileError> {
        self.steps.iter().try_for_each(|step| named(step.ready.place.path(), step.ready.rename()))
    }

    /// Removes the main journal, which makes the set complete, and then what is left.
    fn end(&self) -> Result<(), FileError> {
        for folder in &self.folders {
            named(&folder.path, disk::sync_names(&folder.path))?;
        }
        let main = &self.folders[0];
        named(&main.journal, disk::remove(&main.journal))?;
        let _ = disk::sync_names(&main.path);
        for (index, folder) in self.folders.iter().enumerate() {
            // The next run removes what cannot be removed now.
            let _ = journal::discard(&folder.journal, &self.entries(index));
        }
        Ok(())
    }

    /// Gives the files their old contents. What fails is left to the next run, by the journal.
    fn undo(&mut self) {
        let undone = (0..self.folders.len()).all(|index| {
            let Folder { journal, path, .. } = &self.folders[index];
            journal::undo(journal, &self.entries(index)).and_then(|()| disk::sync_names(path)).is_ok()
        });
        if !undone {
            // Their removal would be a commit.
            self.folders.clear();
            self.steps.drain(..).for_each(|step| step.ready.temporary.keep());
        }
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        self.steps.clear();
        // The main journal first: the others refer to it.
        for folder in &self.folders {
            let _ = disk::remove(&folder.journal);
        }
        for directory in self.created.iter().rev() {
            let _ = disk::remove_directory(directory);
        }
    }
}

/// As [`Write::write_all`](io::Write::write_all); fails where the system limits the size of files.
///
/// # Errors
/// Those of writing.
pub fn write_all(file: &mut File, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match disk::write(file, bytes)? {
            0 => return Err(ErrorKind::WriteZero.into()),
            len => bytes = &bytes[len..],
        }
    }
    Ok(())
}

/// How long another edit may take to publish its result.
const PATIENCE: Duration = Duration::from_secs(5);

/// Locks a file against other edits, and checks that it still has the content that was edited.
fn locked(path: &Path, content: u128) -> io::Result<File> {
    let file = File::open(path)?;
    let pause = Duration::from_millis(20);
    let mut waited = Duration::ZERO;
    while let Err(TryLockError::WouldBlock) = file.try_lock() {
        if waited >= PATIENCE {
            let why = "file is locked by another program; nothing was written";
            return Err(io::Error::new(ErrorKind::ResourceBusy, why));
        }
        sleep(pause);
        waited += pause;
    }
    // The name may refer to another file by now.
    if hash_of(path)? != Some(content) {
        let why = "file was changed by another program during the edit; nothing was written";
        return Err(io::Error::other(why));
    }
    Ok(file)
}

/// The number of other names of a file.
#[cfg(unix)]
fn other_names(file: &File) -> u64 {
    file.metadata().map_or(0, |data| std::os::unix::fs::MetadataExt::nlink(&data).saturating_sub(1))
}

#[cfg(not(unix))]
fn other_names(_file: &File) -> u64 {
    0
}

/// Permits this number of open files, in addition to others, as far as the system does.
#[cfg(unix)]
fn permit_open_files(more: usize) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    const OTHERS: u64 = 200;
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = OTHERS.saturating_add(more as u64);
    let wanted = maximum.map_or(wanted, |most| wanted.min(most));
    if current.is_some_and(|current| current < wanted) {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}

#[cfg(not(unix))]
fn permit_open_files(_more: usize) {}
