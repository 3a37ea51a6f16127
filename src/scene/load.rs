//! Scenes of files on a disk.

use std::path::Path;

use super::{Part, Scene, Settings, ToScene};
use crate::files::read_regular;
use crate::set::stem;
use crate::{Budget, Document, Error, Reader, Result};

impl Scene {
    /// Reads files as one scene: a mesh, its skeleton, clips and materials, in any order, and glTF (feature `gltf`). Together they
    /// may take the memory of the default [`Limits`](crate::Limits).
    ///
    /// Nodes of glTF that hold nothing are no bones, unless this library wrote the file.
    ///
    /// ```
    /// use bindpose::scene::{Scene, Settings};
    /// # let path = std::env::temp_dir().join(format!("bindpose-load-{}.ms3d", std::process::id()));
    /// # let mut file = bindpose::FileKind::Ms3d.blank();
    /// # file.append("joints")?;
    /// # bindpose::Document::of(file)?.save(&path)?;
    /// let scene = Scene::load([&path], &Settings::default())?;
    /// assert_eq!(scene.skeleton.bones().len(), 1);
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Reader::read`] and [`within`](Self::within), and those of reading glTF.
    pub fn load<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>, settings: &Settings) -> Result<Self> {
        let budget = Budget::default();
        let read = |path: P| Ok((stem(path.as_ref()), Content::read(path.as_ref(), &budget)?));
        let contents = paths.into_iter().map(read).collect::<Result<Vec<_>>>()?;
        let parts: Vec<_> =
            contents.iter().map(|(name, content)| Part { name, file: content.meaning() }).collect();
        Self::within(&parts, settings, &budget)
    }
}

/// A file with a scene.
enum Content {
    Document(Document),
    #[cfg(feature = "gltf")]
    Scene(Box<Scene>),
}

impl Content {
    fn read(path: &Path, budget: &Budget) -> Result<Self> {
        let bytes = read_regular(path, u64::MAX).map_err(|cause| Error::io(path, cause))?;
        #[cfg(feature = "gltf")]
        if super::gltf::detect(&bytes) && crate::FormatSpec::detect(path, &bytes).is_none() {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            budget.admit(bytes.len() as u64);
            let mut load = |name: &str, len| super::gltf::folder(folder, name, len);
            let mut imported = super::gltf::read_within(&bytes, &mut load, budget)?;
            if !imported.is_own() {
                imported.scene.remove_unused_bones();
            }
            return Ok(Self::Scene(Box::new(imported.scene)));
        }
        Reader::new(bytes).named(path).budget(budget.clone()).read().map(Self::Document)
    }

    fn meaning(&self) -> &dyn ToScene {
        match self {
            Self::Document(document) => document.file().meaning(),
            #[cfg(feature = "gltf")]
            Self::Scene(scene) => &**scene,
        }
    }
}
