//! Writes files atomically.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::TempPath;
use twox_hash::XxHash3_128;

use super::exit::{Exit, Failure};
use super::files::shown;

/// Adds the name of a file to a failure.
pub(super) fn named<T>(path: &Path, result: Result<T, Failure>) -> Result<T, Failure> {
    result.map_err(|failure| failure.of(shown(path)))
}

/// A file in progress: written to a temporary file beside the target, which is deleted unless published.
pub(super) struct Draft {
    target: PathBuf,
    over: bool,
    file: BufWriter<Hashed>,
    /// None for a device or a pipe, which is written directly.
    temporary: Option<TempPath>,
    /// The file whose owner and permissions the new one gets.
    model: Option<Metadata>,
}

impl Draft {
    /// Starts a file; fails immediately if it may not be published.
    pub fn new(path: &Path, over: bool) -> Result<Self, Failure> {
        if fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
            let file = Hashed::new(OpenOptions::new().write(true).open(path)?);
            return Ok(Self { target: path.to_owned(), over, file, temporary: None, model: None });
        }
        if path.is_dir() {
            return Err(Failure::new(Exit::Io, "is a directory, expected the name of a file"));
        }
        if !over && path.symlink_metadata().is_ok() {
            return Err(exists());
        }
        if let Some(parent) = directory_of(path).filter(|parent| !parent.exists()) {
            let why = format!("the directory {} does not exist", shown(parent));
            return Err(Failure::new(Exit::Io, why));
        }
        // Write the target of a link, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let model = fs::metadata(&target).ok();
        Self::like(target, over, model)
    }

    /// Starts a file that gets the owner and the permissions of another one, and is private until then.
    pub fn like(target: PathBuf, over: bool, model: Option<Metadata>) -> Result<Self, Failure> {
        let (file, temporary) = beside(&target, model.is_some())?;
        Ok(Self { target, over, file: Hashed::new(file), temporary: Some(temporary), model })
    }

    /// A file that was written and read back.
    pub fn verified(
        path: &Path,
        bytes: &[u8],
        verify: impl FnOnce(&[u8]) -> Result<(), Failure>,
        over: bool,
    ) -> Result<Self, Failure> {
        let mut draft = Self::new(path, over)?;
        draft.write_all(bytes)?;
        draft.read_back()?;
        verify(bytes)?;
        Ok(draft)
    }

    /// Writes a file that is read back, and the directories above it.
    pub fn in_directory(
        path: &Path,
        bytes: &[u8],
        verify: impl FnOnce(&[u8]) -> Result<(), Failure>,
        over: bool,
    ) -> Result<(), Failure> {
        create_directories(path)?;
        named(path, Self::verified(path, bytes, verify, over).and_then(Self::publish))
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file.get_ref().file
    }

    /// Checks that the file has the content that was written. A device or a pipe cannot be read.
    pub fn read_back(&mut self) -> Result<(), Failure> {
        self.flush()?;
        if self.is_readable() && !self.file.get_mut().is_intact()? {
            return Err(Failure::new(Exit::Io, "reads back differently from what was written"));
        }
        Ok(())
    }

    /// Whether the file can be read back: a device or a pipe cannot.
    pub fn is_readable(&self) -> bool {
        self.temporary.is_some()
    }

    /// Syncs the file and renames it to the target.
    pub fn publish(self) -> Result<(), Failure> {
        let Self { target, over, mut file, temporary, model } = self;
        file.flush()?;
        let Some(temporary) = temporary else { return Ok(()) };
        let opened = &file.get_ref().file;
        if let Some(model) = model {
            keep_owner(opened, &model);
            opened.set_permissions(model.permissions())?;
        }
        opened.sync_all()?;
        // The open file keeps its lock until it has its name; Windows does not rename open files.
        let lock = (!cfg!(windows)).then_some(file);
        if over {
            temporary.persist(&target).map_err(|failed| failed.error)?;
        } else {
            take_name(temporary, &target)?;
        }
        drop(lock);
        sync_directory(&target);
        Ok(())
    }
}

/// A file, and the hash of what was written to it.
struct Hashed {
    file: File,
    hasher: XxHash3_128,
}

impl Hashed {
    fn new(file: File) -> BufWriter<Self> {
        BufWriter::new(Self { file, hasher: XxHash3_128::new() })
    }

    /// Whether the file has the content that was written.
    fn is_intact(&mut self) -> io::Result<bool> {
        let mut hasher = XxHash3_128::new();
        let mut block = vec![0; 1 << 16];
        self.file.rewind()?;
        loop {
            match self.file.read(&mut block)? {
                0 => return Ok(hasher.finish_128() == self.hasher.finish_128()),
                len => hasher.write(&block[..len]),
            }
        }
    }
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = self.file.write(bytes)?;
        self.hasher.write(&bytes[..len]);
        Ok(len)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Gives a file to the owner of another one. Only a privileged user can; others can usually keep the group.
#[cfg(unix)]
fn keep_owner(file: &File, model: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    if fchown(file, Some(model.uid()), Some(model.gid())).is_err() {
        let _ = fchown(file, None, Some(model.gid()));
    }
}

#[cfg(not(unix))]
fn keep_owner(_file: &File, _model: &Metadata) {}

/// Renames a file without overwriting one that was created meanwhile.
fn take_name(temporary: TempPath, target: &Path) -> Result<(), Failure> {
    match temporary.persist_noclobber(target) {
        Err(failed) if failed.error.kind() == ErrorKind::AlreadyExists => Err(exists()),
        Err(failed) => reserve_name(failed.path, target),
        Ok(()) => Ok(()),
    }
}

/// As [`take_name`], for file systems that support neither conditional renames nor links: an empty file reserves the name.
fn reserve_name(temporary: TempPath, target: &Path) -> Result<(), Failure> {
    match OpenOptions::new().write(true).create_new(true).open(target) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(exists()),
        reserved => drop(reserved?),
    }
    temporary.persist(target).map_err(|failed| {
        // At worst an empty file is left, and the failure is reported.
        let _ = fs::remove_file(target);
        failed.error.into()
    })
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Creates the directories above a file.
pub(super) fn create_directories(path: &Path) -> Result<(), Failure> {
    directory_of(path)
        .map_or(Ok(()), |parent| fs::create_dir_all(parent).map_err(|error| no_directory(parent, error)))
}

/// The directory of a file, if its path has one.
fn directory_of(path: &Path) -> Option<&Path> {
    path.parent().filter(|parent| !parent.as_os_str().is_empty())
}

/// Why a directory cannot be created.
fn no_directory(directory: &Path, error: io::Error) -> Failure {
    let file = directory.ancestors().find(|path| path.is_file());
    file.map_or_else(
        || Failure::from(error).of(shown(directory)),
        |file| Failure::new(Exit::Io, "is a file, expected a directory").of(shown(file)),
    )
}

pub(super) fn exists() -> Failure {
    Failure::new(Exit::Io, "file exists; overwrite it with --force")
}

/// What the names of temporary files end with, before six random letters.
const MARK: &str = ".bindpose-";

/// A new file in the same directory, so that the rename is atomic. It is locked as long as it is open.
fn beside(path: &Path, is_private: bool) -> io::Result<(File, TempPath)> {
    let directory = directory_of(path).unwrap_or(Path::new("."));
    sweep_once(directory);
    let mut prefix = OsString::from(".");
    prefix.push(path.file_name().ok_or(ErrorKind::InvalidInput)?);
    prefix.push(MARK);
    let create = |path: &Path| {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        if is_private {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let file = options.open(path)?;
        // Some file systems have no locks. Another run may have removed the file before it was locked.
        let _ = file.lock();
        if path.exists() { Ok(file) } else { Err(ErrorKind::AlreadyExists.into()) }
    };
    #[cfg(not(unix))]
    let _ = is_private;
    let made = tempfile::Builder::new().prefix(&prefix).suffix("").make_in(directory, create)?;
    Ok(made.into_parts())
}

/// Removes the temporary files that killed runs left in a directory, unless this run did that before.
fn sweep_once(directory: &Path) {
    static SWEPT: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    let Ok(mut swept) = SWEPT.lock() else { return };
    if swept.iter().any(|known| known == directory) {
        return;
    }
    swept.push(directory.to_owned());
    drop(swept);
    sweep(directory);
}

fn sweep(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten().filter(|entry| is_temporary(&entry.file_name())) {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let path = entry.path();
        // Another run holds the lock of a file that it writes.
        if is_file
            && let Ok(file) = File::open(&path)
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(&path);
        }
    }
}

fn is_temporary(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let Some((start, random)) = name.len().checked_sub(6).map(|at| name.split_at(at)) else { return false };
    name[0] == b'.' && start.ends_with(MARK.as_bytes()) && random.iter().all(u8::is_ascii_alphanumeric)
}

/// Syncs the directory, where the system supports that.
fn sync_directory(path: &Path) {
    if let Some(directory) = path.parent()
        && let Ok(directory) = File::open(directory)
    {
        let _ = directory.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_taken_is_not_overwritten_whatever_the_file_system_can_do() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.psk");
        for take in [take_name, reserve_name] {
            let draft = |text: &str| {
                let (mut file, temporary) = beside(&target, false).unwrap();
                file.write_all(text.as_bytes()).unwrap();
                temporary
            };
            take(draft("first"), &target).unwrap();
            assert_eq!(take(draft("second"), &target).unwrap_err().message, exists().message);
            assert_eq!(fs::read_to_string(&target).unwrap(), "first");
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "what is not published is gone");
            fs::remove_file(&target).unwrap();
        }
    }

    #[test]
    fn a_file_that_differs_from_what_was_written_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let mut draft = Draft::new(&directory.path().join("a.psk"), false).unwrap();
        draft.write_all(b"first").unwrap();
        draft.read_back().unwrap();
        // What follows is written after the part that was read.
        draft.write_all(b"second").unwrap();
        draft.read_back().unwrap();
        draft.file().rewind().unwrap();
        draft.file().write_all(b"F").unwrap();
        assert_eq!(draft.read_back().unwrap_err().message, "reads back differently from what was written");
        drop(draft);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "nothing is left");
    }

    #[test]
    fn the_files_of_killed_runs_are_removed_and_those_of_others_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for name in [".a.psk.bindpose-Ab12yZ", ".a.psk.other-Ab12yZ", "a.psk.bindpose-Ab12yZ"] {
            fs::write(path(name), "text").unwrap();
        }
        let (_file, kept) = beside(&path("a.psk"), true).unwrap();
        sweep(directory.path());
        let names = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        assert!(!names.contains(&".a.psk.bindpose-Ab12yZ".into()), "{names:?}");
        assert_eq!(names.len(), 3, "{names:?}");
        assert!(kept.exists(), "the file of a run in progress");
    }
}
