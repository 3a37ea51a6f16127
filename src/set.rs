//! Files that belong together.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::files::Transaction;
use crate::scene::{Scene, Settings};
use crate::{Budget, Document, Error, ErrorKind, File, FormatSpec, Limits, Reader, Result};

/// Files that belong together, such as a mesh and its animations: edits reach all of them, and all are written or none.
///
/// ```
/// use bindpose::edit::{Entity, Renames, rename};
/// use bindpose::{FileKind, Set};
/// # let folder = std::env::temp_dir().join(format!("bindpose-set-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let paths = ["body.ms3d", "head.ms3d"].map(|name| folder.join(name));
/// # let mut file = FileKind::Ms3d.blank();
/// # file.append("joints")?;
/// # file.set("joints[0].name", "Bip01")?;
/// # for path in &paths { bindpose::Document::of(file.clone())?.save(path)? }
/// let mut set = Set::open(&paths)?;
/// let mut renames = Renames::new();
/// renames.add(Entity::Bone, "Bip01", "hip")?;
/// set.edit(|files| files.iter_mut().try_for_each(|file| rename(file, &renames).map(drop)))?;
/// assert_eq!(set.save()?.len(), 2);
/// assert_eq!(bindpose::open(&paths[1])?.file().get("joints[0].name")?.as_str(), Some("hip"));
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Set {
    members: Vec<Member>,
    limits: Limits,
}

#[derive(Clone, Debug)]
struct Member {
    path: PathBuf,
    document: Document,
    /// What is on the disk, if that differs.
    stored: Option<Vec<u8>>,
}

impl Set {
    /// Reads files. Together they may take the memory of the default [`Limits`].
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn open<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Self> {
        Self::open_within(paths, &Limits::default())
    }

    /// As [`open`](Self::open), with other limits. They apply to reading all files, and to each scene of them.
    ///
    /// # Errors
    /// As there, and [`ErrorKind::Value`] if two paths lead to one file.
    pub fn open_within<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>, limits: &Limits) -> Result<Self> {
        let budget = Budget::of(limits, 0);
        let mut known = HashSet::new();
        let read = |path: P| {
            let file = fs::canonicalize(&path).map_err(|cause| Error::io(path.as_ref(), cause))?;
            if !known.insert(file) {
                let why = format!("{} is the same file as another one of the set", path.as_ref().display());
                return Err(Error::new(0, ErrorKind::Value(why.into())));
            }
            let document = Reader::open(&path).limits(*limits).budget(budget.clone()).read()?;
            Ok(Member { path: path.as_ref().to_owned(), document, stored: None })
        };
        Ok(Self { members: paths.into_iter().map(read).collect::<Result<_>>()?, limits: *limits })
    }

    /// Returns the files with their paths.
    pub fn documents(&self) -> impl Iterator<Item = (&Path, &Document)> {
        self.members.iter().map(|own| (&*own.path, &own.document))
    }

    /// Changes the files, which are in the order of their paths. After an error all are unchanged.
    ///
    /// # Errors
    /// Those of the change, and as [`Document::edit`].
    pub fn edit<T>(&mut self, change: impl FnOnce(&mut [File]) -> Result<T>) -> Result<T> {
        let mut files: Vec<_> = self.members.iter().map(|own| own.document.file().clone()).collect();
        let result = change(&mut files)?;
        let changed = files.iter().map(File::reread).collect::<Result<Vec<_>>>()?;
        for (own, changed) in self.members.iter_mut().zip(changed) {
            let before = std::mem::replace(&mut own.document, changed);
            let stored = own.stored.take().unwrap_or_else(|| before.into_bytes());
            own.stored = Some(stored).filter(|stored| stored != own.document.bytes());
        }
        Ok(result)
    }

    /// Returns the bones, meshes, materials and clips of the files.
    ///
    /// # Errors
    /// As [`Scene::within`].
    pub fn scene(&self, settings: &Settings) -> Result<Scene> {
        let names: Vec<String> = self.members.iter().map(|own| FormatSpec::stem(&own.path)).collect();
        let members = self.members.iter().zip(&names);
        let parts: Vec<_> = members.map(|(own, name)| own.document.part(name)).collect();
        let len = self.members.iter().map(|own| own.document.bytes().len() as u64).sum();
        Scene::within(&parts, settings, &Budget::of(&self.limits, len))
    }

    /// Writes the changed files, all or none, and returns their paths.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] with the path of a file that cannot be written, or that another program has
    /// changed since it was read.
    pub fn save(&mut self) -> Result<Vec<PathBuf>> {
        let mut transaction = Transaction::new();
        for own in &self.members {
            let Some(before) = &own.stored else { continue };
            let written = transaction.edit(&own.path, [before, own.document.bytes()], false);
            written.map_err(|cause| Error::io(&own.path, cause))?;
        }
        transaction.commit().map_err(|error| Error::io(error.path, error.cause))?;
        let written = self.members.iter_mut().filter_map(|own| own.stored.take().map(|_| own.path.clone()));
        Ok(written.collect())
    }
}
