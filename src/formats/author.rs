//! Writes scenes in any format.

use super::{File, FileKind, FormatSpec};
use crate::scene::author::{Author, AuthorError, Authored, Authoring, FromScene};
use crate::scene::{Loss, Scene};

/// The files that represent a scene in a format.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Written {
    /// The files: one, or one for each clip or material if a file has only one.
    pub files: Vec<Authored<File>>,
    /// What the files do not represent.
    pub losses: Vec<Loss>,
}

/// Lists the formats that scenes can be written in.
macro_rules! authored {
    ($($variant:ident),+ $(,)?) => {
        impl FileKind {
            /// Returns whether scenes can be written in this format.
            #[must_use]
            pub const fn is_authored(self) -> bool {
                matches!(self, $(Self::$variant)|+)
            }
        }

        fn files(kind: FileKind, author: &mut Author<'_>) -> Result<Vec<Authored<File>>, AuthorError> {
            match kind {
                $(FileKind::$variant => {
                    let files = FromScene::from_scene(author)?.into_iter();
                    let file = |own: Authored<_>| {
                        Authored { name: own.name, file: File::$variant(Box::new(own.file)) }
                    };
                    Ok(files.map(file).collect())
                })+
                _ => Err(AuthorError::Unsupported),
            }
        }
    };
}

authored! { Ms3d, UnigineMesh, UnigineAnim, X }

impl FormatSpec {
    /// Returns the files that represent a scene in this format, called `name` if the scene has no name for them.
    ///
    /// ```
    /// use bindpose::FileKind;
    /// use bindpose::formats::FormatSpec;
    /// use bindpose::scene::{Bone, Scene, Skeleton, author::Authoring};
    /// let hip = Bone { name: "hip".into(), ..Bone::default() };
    /// let scene = Scene { skeleton: Skeleton::new(vec![hip]).0, ..Scene::default() };
    /// let written = FormatSpec::from(FileKind::Ms3d).author(&scene, "hero", &Authoring::default())?;
    /// assert_eq!(written.files[0].file.get("joints[0].name")?.as_str(), Some("hip"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If scenes cannot be written in this format, or the scene exceeds a limit of the format.
    pub fn author(self, scene: &Scene, name: &str, settings: &Authoring) -> Result<Written, AuthorError> {
        let mut author = Author::new(scene, name, self.dialect, settings);
        let files = files(self.kind, &mut author)?;
        Ok(Written { files, losses: author.into_losses() })
    }
}
