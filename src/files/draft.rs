//! Files in progress.

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_128;

use super::disk;
use super::place::{Place, directory_of};
use super::sweep::{self, MARK};

/// How a file is treated that exists where another one is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfExists {
    /// It stays, which is an error.
    Fail,
    /// It stays, which is an error unless it has the same content.
    Same,
    /// It is replaced. The new file has its owner, permissions and, on Linux, its access control list and `user` attributes.
    Replace,
}

/// A file in progress: written to a temporary file in the directory of its target, which is deleted unless published.
#[derive(Debug)]
pub struct Draft {
    place: Place,
    if_exists: IfExists,
    file: BufWriter<Hashed>,
    /// None for a device or a pipe, which is written directly.
    temporary: Option<Temporary>,
    /// The file whose owner, permissions and attributes the new one gets.
    model: Option<Model>,
}

impl Draft {
    /// Starts a file; fails at once if it may not be published.
    ///
    /// # Errors
    /// [`ErrorKind::AlreadyExists`] if there is a file that is not replaced, and those of creating the temporary file.
    pub fn new(place: &Place, if_exists: IfExists) -> io::Result<Self> {
        if let Some(file) = device(place)? {
            return Ok(Self::of_device(place, file));
        }
        let place = resolved(place, if_exists)?;
        let model = Model::of(place.path());
        sweep::sweep_once(place.directory());
        let create = |path: &Path| disk::create_locked(path, model.is_some());
        let made = tempfile::Builder::new().prefix(MARK).suffix(".new").make_in(place.directory(), create)?;
        let (file, temporary) = made.into_parts();
        let temporary = Some(Temporary(temporary.keep().map_err(|failed| failed.error)?));
        Ok(Self { place, if_exists, file: Hashed::new(file), temporary, model })
    }

    /// Starts a file whose temporary file has this path, and another file's owner and permissions.
    pub(super) fn at(
        temporary: PathBuf,
        place: Place,
        if_exists: IfExists,
        model: Option<Model>,
    ) -> io::Result<Self> {
        let file = Hashed::new(disk::create(&temporary, model.is_some())?);
        Ok(Self { place, if_exists, file, temporary: Some(Temporary(temporary)), model })
    }

    pub(super) fn of_device(place: &Place, file: File) -> Self {
        let place = place.clone();
        Self { place, if_exists: IfExists::Replace, file: Hashed::new(file), temporary: None, model: None }
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file.get_ref().file
    }

    /// Checks that the file has the content that was written. A device or a pipe cannot be read.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidData`] if it has not.
    pub fn read_back(&mut self) -> io::Result<()> {
        self.flush()?;
        if self.is_readable() && !self.file.get_mut().is_intact()? {
            return Err(io::Error::new(
                ErrorKind::InvalidData,
                "reads back differently from what was written",
            ));
        }
        Ok(())
    }

    /// Whether the file can be read back: a device or a pipe cannot.
    pub fn is_readable(&self) -> bool {
        self.temporary.is_some()
    }

    /// Syncs the file and renames it to the target.
    ///
    /// # Errors
    /// Those of writing, and [`ErrorKind::AlreadyExists`].
    pub fn publish(self) -> io::Result<()> {
        let Some((ready, file)) = self.finish()? else { return Ok(()) };
        // The open file keeps its lock until it has its name; Windows does not rename open files.
        let lock = (!cfg!(windows)).then_some(file);
        ready.rename()?;
        drop(lock);
        disk::sync_names(ready.place.directory())
    }

    /// Syncs the file; none if it is a device or a pipe.
    pub(super) fn finish(self) -> io::Result<Option<(Ready, File)>> {
        let Self { place, if_exists, mut file, temporary, model } = self;
        file.flush()?;
        let Some(temporary) = temporary else { return Ok(None) };
        let hash = file.get_ref().hasher.finish_128();
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?.file;
        if let Some(model) = model {
            model.pass_on(&file)?;
        }
        disk::sync(&file)?;
        Ok(Some((Ready { place, if_exists, temporary, hash }, file)))
    }
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

/// A file that is complete except for its name.
#[derive(Debug)]
pub(super) struct Ready {
    pub place: Place,
    pub if_exists: IfExists,
    pub temporary: Temporary,
    pub hash: u128,
}

impl Ready {
    /// Gives the file its name. Its temporary file is gone then.
    pub fn rename(&self) -> io::Result<()> {
        self.place.refuse_links()?;
        let (from, to) = (&*self.temporary.0, self.place.path());
        match self.if_exists {
            IfExists::Replace => disk::rename(from, to),
            IfExists::Fail => disk::rename_new(from, to),
            IfExists::Same => disk::rename_new(from, to).or_else(|error| match error.kind() {
                // The temporary file is of no use.
                ErrorKind::AlreadyExists if hash_of(to)? == Some(self.hash) => Ok(()),
                _ => Err(error),
            }),
        }
    }
}

/// A file that is removed unless it gets another name.
#[derive(Debug)]
pub(super) struct Temporary(pub PathBuf);

impl Temporary {
    /// Leaves the file to the next run.
    pub fn keep(mut self) {
        self.0 = PathBuf::new();
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.0.as_os_str().is_empty() {
            let _ = disk::remove(&self.0);
        }
    }
}

/// Opens a device or a pipe; none if the target is a file, or none at all.
pub(super) fn device(place: &Place) -> io::Result<Option<File>> {
    let is_device = fs::metadata(place.path()).is_ok_and(|data| !data.is_file() && !data.is_dir());
    if !is_device {
        return Ok(None);
    }
    if !place.follows_links() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "is not a regular file"));
    }
    OpenOptions::new().write(true).open(place.path()).map(Some)
}

/// The place of the file itself, if a link that is followed leads to it.
pub(super) fn resolved(place: &Place, if_exists: IfExists) -> io::Result<Place> {
    let path = place.path();
    if path.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "is a directory, expected the name of a file"));
    }
    match path.symlink_metadata() {
        Ok(_) if if_exists == IfExists::Fail => return Err(ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == ErrorKind::InvalidFilename => return Err(error),
        _ => {}
    }
    place.refuse_links()?;
    fs::metadata(place.directory())?;
    if !place.follows_links() {
        return Ok(place.clone());
    }
    followed(path).map(Place::named)
}

/// The file that links lead to, which need not exist.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let target = match fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => fs::read_link(path).ok(),
        found => return found,
    };
    // `canonicalize` has refused cyclic links.
    target.map_or_else(|| Ok(path.to_owned()), |target| followed(&directory_of(path).join(target)))
}

/// A file whose owner, permissions and attributes others get.
#[derive(Clone, Debug)]
pub(super) struct Model {
    path: PathBuf,
    pub data: Metadata,
}

impl Model {
    /// None if there is no such file.
    pub fn of(path: &Path) -> Option<Self> {
        let data = fs::symlink_metadata(path).ok().filter(Metadata::is_file)?;
        Some(Self { path: path.to_owned(), data })
    }

    /// Gives a file what it needs to take the place of this one.
    fn pass_on(&self, file: &File) -> io::Result<()> {
        keep_owner(file, &self.data);
        file.set_permissions(self.data.permissions())?;
        #[cfg(target_os = "linux")]
        if keep_attributes(file, &self.path).is_err() {
            // The permissions of the group are those of the list then.
            let mode = std::os::unix::fs::PermissionsExt::mode(&self.data.permissions());
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode & !0o070))?;
        }
        Ok(())
    }
}

/// Copies the `user` attributes of a file, as far as the file system has them, and its access control list.
///
/// # Errors
/// Those of setting the list.
#[cfg(target_os = "linux")]
fn keep_attributes(file: &File, model: &Path) -> io::Result<()> {
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
    const LIST: &[u8] = b"system.posix_acl_access";
    let Ok(model) = File::open(model) else { return Ok(()) };
    let whole = |read: &dyn Fn(&mut [u8]) -> rustix::io::Result<usize>| {
        // The system permits no more for a value, nor for all names.
        let mut bytes = vec![0; 1 << 16];
        let len = read(&mut bytes).ok()?;
        bytes.truncate(len);
        Some(bytes)
    };
    let value = |name: &[u8]| whole(&|bytes| fgetxattr(&model, name, bytes));
    let give =
        |name: &[u8]| value(name).map_or(Ok(()), |value| fsetxattr(file, name, &value, XattrFlags::empty()));
    let names = whole(&|bytes| flistxattr(&model, bytes)).unwrap_or_default();
    for name in names.split(|byte| *byte == 0).filter(|name| name.starts_with(b"user.")) {
        let _ = give(name);
    }
    Ok(give(LIST)?)
}

/// A hash of the content of a file; none if it does not exist or is not a regular file.
pub(super) fn hash_of(path: &Path) -> io::Result<Option<u128>> {
    if !fs::symlink_metadata(path).is_ok_and(|data| data.is_file()) {
        return Ok(None);
    }
    hash_to_end(&mut File::open(path)?).map(Some)
}

fn hash_to_end(file: &mut File) -> io::Result<u128> {
    let mut hasher = XxHash3_128::new();
    let mut block = vec![0; 1 << 16];
    loop {
        match file.read(&mut block)? {
            0 => return Ok(hasher.finish_128()),
            len => hasher.write(&block[..len]),
        }
    }
}

/// A file, and the hash of what was written to it.
struct Hashed {
    file: File,
    hasher: XxHash3_128,
}

impl fmt::Debug for Hashed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.fmt(out)
    }
}

impl Hashed {
    fn new(file: File) -> BufWriter<Self> {
        BufWriter::new(Self { file, hasher: XxHash3_128::new() })
    }

    /// Whether the file has the content that was written.
    fn is_intact(&mut self) -> io::Result<bool> {
        self.file.rewind()?;
        Ok(hash_to_end(&mut self.file)? == self.hasher.finish_128())
    }
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = disk::write(&mut self.file, bytes)?;
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

/// Writes a file whole, or not at all: to a temporary file that is synced, read back and renamed. A link is followed, and a device
/// or a pipe is written directly. A file that is replaced keeps its owner and permissions.
///
/// # Errors
/// Those of [`Draft`].
pub fn write(path: impl Into<PathBuf>, bytes: &[u8], if_exists: IfExists) -> io::Result<()> {
    let mut draft = Draft::new(&Place::named(path), if_exists)?;
    draft.write_all(bytes)?;
    draft.read_back()?;
    draft.publish()
}
