//! Files that belong together.

use std::path::{Path, PathBuf};

use crate::files::Transaction;
use crate::scene::{Scene, Settings};
use crate::{Budget, Document, Error, File, Limits, Reader, Result};

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
    budget: Budget,
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

    /// As [`open`](Self::open), with other limits.
    ///
    /// # Errors
    /// As there.
    pub fn open_within<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>, limits: &Limits) -> Result<Self> {
        let budget = Budget::of(limits, 0);
        let read = |path: P| {
            let document = Reader::open(&path).limits(*limits).budget(budget.clone()).read()?;
            Ok(Member { path: path.as_ref().to_owned(), document, stored: None })
        };
        Ok(Self { members: paths.into_iter().map(read).collect::<Result<_>>()?, budget })
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
            if before.bytes() != own.document.bytes() {
                own.stored.get_or_insert_with(|| before.into_bytes());
            }
        }
        Ok(result)
    }

    /// Returns the bones, meshes, materials and clips of the files.
    ///
    /// # Errors
    /// As [`Scene::within`].
    pub fn scene(&self, settings: &Settings) -> Result<Scene> {
        let names: Vec<String> = self.members.iter().map(|own| stem(&own.path)).collect();
        let members = self.members.iter().zip(&names);
        let parts: Vec<_> = members.map(|(own, name)| own.document.part(name)).collect();
        Scene::within(&parts, settings, &self.budget)
    }

    /// Writes the changed files, all or none, and returns their paths.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) with the path of a file that cannot be written, or that another program has
    /// changed since it was read.
    pub fn save(&mut self) -> Result<Vec<PathBuf>> {
        let mut transaction = Transaction::new();
        let changed = |own: &&mut Member| own.stored.is_some();
        for own in self.members.iter_mut().filter(changed) {
            let before = own.stored.as_deref().unwrap_or_default();
            let written = transaction.edit(&own.path, [before, own.document.bytes()], false);
            written.map_err(|cause| Error::io(&own.path, cause))?;
        }
        let published = transaction.commit().map_err(|error| Error::io(error.path, error.cause))?;
        self.members.iter_mut().for_each(|own| own.stored = None);
        Ok(published.into_iter().map(|own| own.path).collect())
    }
}

/// Returns the name of a file without folder and extension.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |own| own.to_string_lossy().into())
}
