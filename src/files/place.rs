//! The paths that files are written to.

use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use super::disk;

/// The path of a file to write.
///
/// Links are followed in a path that the user gave. Below a directory of results they are not: the names come from the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    path: PathBuf,
    /// The directory below which links are refused.
    root: Option<PathBuf>,
}

impl Place {
    /// The path that a user gave.
    pub fn named(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), root: None }
    }

    /// The path of a file below a directory.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the relative path leads out of the directory or goes through a link.
    pub fn below(directory: impl Into<PathBuf>, relative: impl AsRef<Path>) -> io::Result<Self> {
        let (directory, relative) = (directory.into(), relative.as_ref());
        let mut components = relative.components();
        if relative.as_os_str().is_empty() || !components.all(|own| matches!(own, Component::Normal(_))) {
            let why = format!("{:?} leads out of the directory of results", relative.to_string_lossy());
            return Err(io::Error::new(ErrorKind::InvalidInput, why));
        }
        let place = Self { path: directory.join(relative), root: Some(directory) };
        place.refuse_links()?;
        Ok(place)
    }

    /// The path, with its directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory of the file.
    pub fn directory(&self) -> &Path {
        directory_of(&self.path)
    }

    /// Whether links are followed.
    pub(super) fn follows_links(&self) -> bool {
        self.root.is_none()
    }

    /// Fails if the path goes through a link that is not to be followed.
    pub(super) fn refuse_links(&self) -> io::Result<()> {
        let Some(root) = &self.root else { return Ok(()) };
        let inner = self.path.ancestors().take_while(|above| *above != root);
        match inner.filter(|path| path.is_symlink()).last() {
            Some(link) => {
                let why = format!(
                    "{:?} is a link, which is not followed: the path comes from the input",
                    link.to_string_lossy()
                );
                Err(io::Error::new(ErrorKind::InvalidInput, why))
            }
            None => Ok(()),
        }
    }

    /// Creates the directories above the file. Adds those that did not exist to `created`, the outermost first.
    pub(super) fn create_directories(&self, created: &mut Vec<PathBuf>) -> io::Result<()> {
        let missing: Vec<_> = self.directory().ancestors().take_while(|above| !above.is_dir()).collect();
        for directory in missing.into_iter().rev().filter(|directory| !directory.as_os_str().is_empty()) {
            match disk::create_directory(directory) {
                Ok(()) => created.push(directory.to_owned()),
                // Another thread was faster.
                Err(error) if error.kind() == ErrorKind::AlreadyExists && directory.is_dir() => {}
                Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::NotADirectory) => {
                    let file = directory.ancestors().find(|above| above.is_file()).unwrap_or(directory);
                    let why = format!("{:?} is a file, expected a directory", file.to_string_lossy());
                    return Err(io::Error::new(ErrorKind::NotADirectory, why));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The directory of a file: the working directory if its path has none.
pub(super) fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
