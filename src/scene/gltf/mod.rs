//! Converts scenes to glTF 2.0, and reads them from it.
//!
//! The output passes the Khronos validator without errors for any scene. Values that glTF does not allow are replaced
//! and reported as a [`Loss`], one for all values of a kind.
//!
//! ```
//! use bindpose::scene::{Bone, Scene, Skeleton};
//! use bindpose::scene::gltf::Gltf;
//! let skeleton = Skeleton::new(vec![Bone { name: "hip".into(), ..Bone::default() }]).0;
//! let gltf = Gltf::new(&Scene { skeleton, ..Scene::default() });
//! assert!(String::from_utf8(gltf.to_gltf()?).unwrap().contains("hip"));
//! # Ok::<(), bindpose::Error>(())
//! ```

mod buffer;
mod clip;
mod image;
mod mesh;
mod node;
mod read;

use std::collections::HashSet;
use std::hash::Hash;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gltf_json::{self as json, Root};

use buffer::Buffer;

use super::loss::GLTF;
use super::{Loss, Lost, Scene};
use crate::schema::Step;
use crate::{Budget, Error, ErrorKind, Limits, Result};

pub use image::{Image, ImageFormat, ImageSource};
#[cfg(feature = "files")]
pub(super) use read::read_file;
pub use read::{Imported, Loader, detect, folder, open, read, read_named, read_within, refuse};

/// The key in the extras of nodes that are not bones: parents of several roots, and further joints of a bone.
const HELPER: &str = "bindpose_helper";

/// The key in the extras of nodes that are attachments.
const ATTACHMENT: &str = "bindpose_attachment";

/// The key in the extras of animations whose root moves the character.
const ROOT_MOTION: &str = "root_motion";

/// The keys in the extras of materials: paths of textures and what they are for, colours as three numbers, and an exponent.
const TEXTURES: &str = "textures";
const ROLES: &str = "texture_roles";
const BLENDING: &str = "blending";
const AMBIENT: &str = "ambient";
const SPECULAR: &str = "specular";
const SHININESS: &str = "shininess";

/// A glTF document.
///
/// ```
/// use bindpose::scene::{Bone, Scene, Skeleton};
/// use bindpose::scene::gltf::Gltf;
/// let skeleton = Skeleton::new(vec![Bone { name: "hip".into(), ..Bone::default() }]).0;
/// let gltf = Gltf::new(&Scene { skeleton, ..Scene::default() });
/// assert!(gltf.to_glb()?.starts_with(b"glTF\x02\0\0\0"));
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gltf {
    root: Root,
    bytes: Vec<u8>,
    losses: Vec<Loss>,
    /// The memory of the document, until it is dropped.
    budget: Budget,
    /// What the budget refused.
    refusal: Option<Error>,
}

impl Gltf {
    /// Converts a scene, without images.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        Self::with_images(scene, |_| None)
    }

    /// Converts a scene. `image` returns the image of a texture by its path; the base colour of a material comes from its
    /// first texture.
    #[must_use]
    pub fn with_images(scene: &Scene, image: impl Fn(&str) -> Option<ImageSource>) -> Self {
        Self::with_shared_images(scene, |path| Some(path.to_owned()), |path| image(path))
    }

    /// Converts a scene, as [`Self::with_images`], with each image once: `find` returns the file or the like that a texture
    /// refers to by its path, and `load` is called once for each of these, one after the other.
    #[must_use]
    pub fn with_shared_images<K: Eq + Hash>(
        scene: &Scene,
        find: impl Fn(&str) -> Option<K>,
        load: impl Fn(&K) -> Option<ImageSource>,
    ) -> Self {
        Self::within(scene, find, load, &Budget::of(&Limits::none(), 0))
    }

    /// As [`with_shared_images`](Self::with_shared_images), and charges the memory of the document to a budget, until it is
    /// dropped. If it exceeds the budget, [`to_glb`](Self::to_glb) and [`to_gltf`](Self::to_gltf) return the error.
    #[must_use]
    pub fn within<K: Eq + Hash>(
        scene: &Scene,
        find: impl Fn(&str) -> Option<K>,
        load: impl Fn(&K) -> Option<ImageSource>,
        budget: &Budget,
    ) -> Self {
        let mut draft = Draft::new(budget);
        if let Err(error) = scene.validate() {
            draft.refusal = Some(error);
            return draft.finish();
        }
        draft.root.asset.generator = Some(concat!("bindpose ", env!("CARGO_PKG_VERSION")).into());
        draft.materials(scene, find, load);
        draft.bones(&scene.skeleton);
        draft.attachments(&scene.attachments);
        draft.meshes(scene);
        for clip in &scene.clips {
            draft.clip(clip, scene);
        }
        draft.finish()
    }

    /// Returns the number of animations, at most the number of clips.
    #[must_use]
    pub fn num_animations(&self) -> usize {
        self.root.animations.len()
    }

    /// Returns the contents of the scene that glTF cannot represent, in addition to [earlier losses](Scene::losses).
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Returns the bytes of a `.glb` file.
    ///
    /// # Errors
    /// [`ErrorKind::Encode`] if the file exceeds the 4 GiB limit of the container, and [`ErrorKind::Limit`] if it exceeds the
    /// [budget](Self::within).
    pub fn to_glb(&self) -> Result<Vec<u8>> {
        self.refusal.clone().map_or(Ok(()), Err)?;
        let _whole = self.budget.grant(self.bytes.len() as u64)?;
        let mut text = self.json(None)?;
        text.resize(text.len().next_multiple_of(4), b' ');
        let bytes = self.bytes.len().next_multiple_of(4);
        let binary = if bytes > 0 { 8 + bytes } else { 0 };
        let total = 12 + 8 + text.len() + binary;
        let total = u32::try_from(total).map_err(|_| too_large())?;
        let len = |len: usize| u32::try_from(len).map_err(|_| too_large()).map(u32::to_le_bytes);
        let mut glb = Vec::with_capacity(total as usize);
        glb.extend_from_slice(b"glTF\x02\0\0\0");
        glb.extend_from_slice(&total.to_le_bytes());
        glb.extend_from_slice(&len(text.len())?);
        glb.extend_from_slice(b"JSON");
        glb.extend_from_slice(&text);
        if bytes > 0 {
            glb.extend_from_slice(&len(bytes)?);
            glb.extend_from_slice(b"BIN\0");
            glb.extend_from_slice(&self.bytes);
            glb.resize(total as usize, 0);
        }
        Ok(glb)
    }

    /// Returns the text of a `.gltf` file with an embedded buffer.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] if the JSON cannot be written, and [`ErrorKind::Limit`] if it exceeds the
    /// [budget](Self::within).
    pub fn to_gltf(&self) -> Result<Vec<u8>> {
        self.refusal.clone().map_or(Ok(()), Err)?;
        // The text of the buffer, alone and in the file, whose memory grows by doubling.
        let _whole = self.budget.grant((self.bytes.len() as u64).saturating_mul(4))?;
        let start = "data:application/octet-stream;base64,";
        let mut text = self.json(Some(format!("{start}{}", STANDARD.encode(&self.bytes))))?;
        text.push(b'\n');
        Ok(text)
    }

    /// Returns the JSON, with the URI of the buffer if it is not in the same container.
    fn json(&self, uri: Option<String>) -> Result<Vec<u8>> {
        let written = match (uri, self.root.buffers.first()) {
            (Some(uri), Some(buffer)) => {
                let buffers = vec![json::Buffer { uri: Some(uri), ..buffer.clone() }];
                Root { buffers, ..self.root.clone() }.to_vec()
            }
            _ => self.root.to_vec(),
        };
        written.map_err(|error| Error::new(0, ErrorKind::Internal(error.to_string())))
    }
}

fn too_large() -> Error {
    Error::new(0, ErrorKind::Encode("a .glb file is limited to 4 GiB; use .gltf".into()))
}

/// The maximum number of morph target weights in all animations: each key has the weights of all targets of a mesh.
const MAX_WEIGHTS: usize = 1 << 24;

/// The maximum number of animated properties in all animations. The text that describes one takes about a kilobyte of
/// memory, so more are permitted only where they have many keys.
const MAX_CHANNELS: usize = 100_000;

/// The average size of the keys of each further one.
const CHANNEL_BYTES: usize = 128;

/// The maximum number of morph targets in all primitives: each has all targets of its mesh.
const MAX_TARGETS: usize = 1 << 20;

/// The memory of an object of the JSON, and of its text.
const OBJECT: usize = 1024;

/// A glTF document that is being built.
struct Draft {
    /// The memory of the document.
    budget: Budget,
    /// What the budget refused first. Nothing large is added then.
    refusal: Option<Error>,
    root: Root,
    buffer: Buffer,
    /// Nodes without a parent.
    tops: Vec<json::Index<json::Node>>,
    /// The parent node of all bones, if one is needed.
    above: Option<json::Index<json::Node>>,
    num_bones: usize,
    skins: Vec<node::KnownSkin>,
    /// The node of each mesh of the scene that has morph targets.
    morphed: Vec<Option<json::Index<json::Node>>>,
    /// The names of all morph targets.
    targets: HashSet<String>,
    /// The number of targets in the primitives, and of weights in the animations.
    num_targets: usize,
    num_weights: usize,
    num_channels: usize,
    replaced: Replaced,
    losses: Vec<Loss>,
}

/// The number of values of each kind that were changed or omitted.
#[derive(Default)]
struct Replaced {
    colors: usize,
    directions: usize,
    lengths: usize,
    keys: usize,
    clips: usize,
}

impl Draft {
    fn new(budget: &Budget) -> Self {
        Self {
            budget: budget.scope(),
            refusal: None,
            root: Root::default(),
            buffer: Buffer::default(),
            tops: Vec::new(),
            above: None,
            num_bones: 0,
            skins: Vec::new(),
            morphed: Vec::new(),
            targets: HashSet::new(),
            num_targets: 0,
            num_weights: 0,
            num_channels: 0,
            replaced: Replaced::default(),
            losses: Vec::new(),
        }
    }

    /// Charges the memory of objects and of their bytes in the buffer before they are added; returns whether they may be.
    fn admit(&mut self, objects: usize, bytes: usize, list: &'static str, name: &str) -> bool {
        let memory = objects.saturating_mul(OBJECT).saturating_add(bytes);
        if self.refusal.is_none()
            && let Err(why) = self.budget.charge(memory as u64)
        {
            let path = vec![Step::Field(list.into()), Step::Named(name.to_owned(), 1)];
            self.refusal = Some(Error::from(why).at(path.into()));
        }
        self.refusal.is_none()
    }

    fn report_loss(&mut self, loss: impl Into<Loss>) {
        self.losses.push(Loss { file: GLTF.to_owned(), ..loss.into() });
    }

    fn report_losses(&mut self, count: usize, loss: impl Into<Loss>) {
        if count > 0 {
            self.report_loss(Loss { count, ..loss.into() });
        }
    }

    fn finish(mut self) -> Gltf {
        let Replaced { colors, directions, lengths, keys, clips } = self.replaced;
        self.report_losses(self.buffer.mended, Lost::NonFinite);
        self.report_losses(colors, Lost::ClampedColors);
        self.report_losses(directions, Lost::ClampedDirections);
        self.report_losses(lengths, Lost::LengthsOfDirections);
        self.report_losses(keys, Lost::RepeatedTimes);
        self.report_losses(clips, Lost::EmptyClips);
        if !self.tops.is_empty() {
            let nodes = std::mem::take(&mut self.tops);
            let scene = json::Scene { extensions: None, extras: None, name: None, nodes };
            self.root.scene = Some(self.root.push(scene));
        }
        self.buffer.hand_over(&mut self.root);
        if !self.buffer.bytes.is_empty() {
            let byte_length = self.buffer.bytes.len().into();
            let buffer = json::Buffer { byte_length, name: None, uri: None, extensions: None, extras: None };
            self.root.buffers = vec![buffer];
        }
        let Self { root, buffer, losses, budget, refusal, .. } = self;
        Gltf { root, bytes: buffer.bytes, losses: Loss::summed(losses), budget, refusal }
    }
}

/// Returns a name, unless it is empty.
fn named(name: &str) -> Option<String> {
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns extras: values without a field in glTF.
fn extra(key: &str, value: impl Into<serde_json::Value>) -> json::Extras {
    extras([(key, value.into())])
}

fn extras<'k>(values: impl IntoIterator<Item = (&'k str, serde_json::Value)>) -> json::Extras {
    let object: serde_json::Map<_, _> =
        values.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let text = (!object.is_empty()).then(|| serde_json::Value::Object(object).to_string())?;
    json::extras::RawValue::from_string(text).ok()
}
