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

/// The contents of scenes that files of a format hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Holds {
    /// Bones.
    Skeleton,
    /// Meshes and skins.
    Meshes,
    /// Materials.
    Materials,
    /// Clips.
    Clips,
}

/// Lists the formats that scenes can be written in, and the contents that each holds.
macro_rules! authored {
    ($($variant:ident: $($holds:ident)+;)+) => {
        impl FileKind {
            /// Returns the contents of a scene that can be written in this format; none if scenes cannot be written in it.
            #[must_use]
            pub const fn holds(self) -> &'static [Holds] {
                match self {
                    $(Self::$variant => &[$(Holds::$holds),+],)+
                    _ => &[],
                }
            }

            /// Returns whether scenes can be written in this format.
            #[must_use]
            pub const fn is_authored(self) -> bool {
                !self.holds().is_empty()
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

authored! {
    Ms3d: Skeleton Meshes Materials Clips;
    Cal3dSkeleton: Skeleton;
    Cal3dAnimation: Clips;
    Cal3dMesh: Meshes;
    Cal3dMaterial: Materials;
    Psk: Skeleton Meshes Materials;
    Psa: Clips;
    X: Skeleton Meshes Materials Clips;
    UnigineMesh: Skeleton Meshes;
    UnigineAnim: Clips;
    MaxSkeleton: Skeleton;
    MaxAnimation: Clips;
    MaxMesh: Meshes;
}

/// Returns the contents of a scene that none of these formats holds.
///
/// ```
/// use bindpose::FileKind;
/// use bindpose::formats::lost_without;
/// use bindpose::scene::{Clip, Scene};
/// let scene = Scene { clips: vec![Clip { name: "walk".into(), ..Clip::default() }], ..Scene::default() };
/// assert_eq!(lost_without(&scene, "hero", &[FileKind::Psk]).len(), 1);
/// assert!(lost_without(&scene, "hero", &[FileKind::Psk, FileKind::Psa]).is_empty());
/// ```
#[must_use]
pub fn lost_without(scene: &Scene, name: &str, kinds: &[FileKind]) -> Vec<Loss> {
    let holds = |what: Holds| kinds.iter().any(|kind| kind.holds().contains(&what));
    let quoted = |names: Vec<&str>| names.into_iter().map(|name| format!("{name:?}")).collect();
    let bones = if scene.skeleton.bones().is_empty() { Vec::new() } else { vec!["the skeleton".to_owned()] };
    let meshes: Vec<String> = quoted(scene.meshes.iter().map(|own| &*own.name).collect());
    let materials: Vec<String> = quoted(scene.materials.iter().map(|own| &*own.name).collect());
    let clips: Vec<String> = quoted(scene.clips.iter().map(|own| &*own.name).collect());
    let parts = [
        (Holds::Skeleton, "", bones),
        (Holds::Meshes, "mesh ", meshes),
        (Holds::Materials, "material ", materials),
        (Holds::Clips, "clip ", clips),
    ];
    let missing = parts.into_iter().filter(|(what, ..)| !holds(*what));
    let loss = |kind: &str, what: String| Loss {
        file: name.to_owned(),
        what: format!("{kind}{what}"),
        why: "no written file holds it".to_owned(),
    };
    missing.flat_map(|(_, kind, names)| names.into_iter().map(move |own| loss(kind, own))).collect()
}

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
        let finite = scene.finite();
        let (scene, replaced) = finite.as_ref().map_or((scene, 0), |(scene, replaced)| (scene, *replaced));
        let mut author = Author::new(scene, name, self.dialect, settings);
        author.lose_some(replaced, "numbers", "not finite; 0 is written");
        let files = files(self.kind, &mut author)?;
        Ok(Written { files, losses: author.into_losses() })
    }
}
