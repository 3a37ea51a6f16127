//! Scenes of files on a disk.

use std::path::Path;

#[cfg(feature = "gltf")]
use super::gltf;
use super::{Part, Scene, Settings, ToScene};
#[cfg(feature = "gltf")]
use crate::reader::Head;
use crate::{Budget, Document, FormatSpec, Limits, Reader, Result};

impl Scene {
    /// Reads files as one scene: a mesh, its skeleton, clips and materials, in any order, and glTF (feature `gltf`). Together they
    /// may take the memory of the default [`Limits`].
    ///
    /// Nodes of glTF without meshes, weights, channels or attachments are omitted, unless this library wrote the file.
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
        Self::load_within(paths, settings, &Limits::default())
    }

    /// As [`load`](Self::load), with other limits.
    ///
    /// # Errors
    /// As there.
    pub fn load_within<P: AsRef<Path>>(
        paths: impl IntoIterator<Item = P>,
        settings: &Settings,
        limits: &Limits,
    ) -> Result<Self> {
        let budget = Budget::of(limits, 0);
        let read = |path: P| Ok((FormatSpec::stem(path.as_ref()), Content::read(path.as_ref(), &budget)?));
        let contents = paths.into_iter().map(read).collect::<Result<Vec<_>>>()?;
        let parts: Vec<_> =
            contents.iter().map(|(name, content)| Part { name, file: content.as_scene_source() }).collect();
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
        #[cfg(feature = "gltf")]
        if let Some(scene) = gltf_scene(path, budget)? {
            return Ok(Self::Scene(Box::new(scene)));
        }
        Reader::open(path).budget(budget.clone()).read().map(Self::Document)
    }

    fn as_scene_source(&self) -> &dyn ToScene {
        match self {
            Self::Document(document) => document.file().as_scene_source(),
            #[cfg(feature = "gltf")]
            Self::Scene(scene) => &**scene,
        }
    }
}

/// Reads a glTF file; none if it is none.
#[cfg(feature = "gltf")]
fn gltf_scene(path: &Path, budget: &Budget) -> Result<Option<Scene>> {
    let head = Head::read(path)?;
    if !gltf::detect(&head.bytes) || FormatSpec::detect(path, &head.bytes).is_some() {
        return Ok(None);
    }
    let mut imported = gltf::read_file(path, head, budget)?;
    imported.remove_unused_bones();
    Ok(Some(imported.scene))
}
