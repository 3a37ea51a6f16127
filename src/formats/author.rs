//! Writes scenes in any format.

use std::borrow::Cow;

use super::{File, FileKind, FormatSpec};
use crate::scene::author::{
    Author, AuthorError, Authored, Authoring, NamedApart, Rebound, SceneContent, displacement, in_bind_pose,
    named_apart, with_one_root,
};
use crate::scene::{Avoid, Clip, Loss, Lost, Mesh, SafeName, Scene};
use crate::{Budget, Limits};

/// The files that represent a scene in a format.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Written {
    /// The files: one, or one for each clip or material if a file has only one.
    pub files: Vec<Authored<File>>,
    /// What the files do not represent.
    pub losses: Vec<Loss>,
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
    let holds = |what: SceneContent| kinds.iter().any(|kind| kind.scene_contents().contains(&what));
    let each = |lost: Lost, kind, names: Vec<&str>| -> Vec<Loss> {
        names.into_iter().map(|own| lost.of(kind, own).in_file(name)).collect()
    };
    let Scene { skeleton, attachments, meshes, materials, clips, .. } = scene;
    let of_bones = |clip: &&Clip| !clip.tracks.is_empty() || clip.morphs.is_empty();
    let of_morphs = |clip: &&Clip| !clip.morphs.is_empty();
    let (attached, shapes, looks, motions, faces) = (
        attachments.iter().map(|own| &*own.name).collect(),
        meshes.iter().map(|own| &*own.name).collect(),
        materials.iter().map(|own| &*own.name).collect(),
        clips.iter().filter(of_bones).map(|own| &*own.name).collect(),
        clips.iter().filter(of_morphs).map(|own| &*own.name).collect(),
    );
    let bones = Loss::from(Lost::UnwrittenSkeleton).in_file(name);
    let settings = skeleton.playback().losses();
    let settings = settings.map(|(lost, count)| Loss { count, ..lost.into() }.in_file(name));
    let roaming = clips.iter().filter(|clip| clip.has_root_motion && holds(SceneContent::Clips));
    let roaming = roaming.map(|clip| &*clip.name).collect();
    let parts = [
        (SceneContent::Playback, settings.collect()),
        (SceneContent::Skeleton, skeleton.bones().first().map(|_| bones).into_iter().collect()),
        (SceneContent::Attachments, each(Lost::UnwrittenObject, "attachment", attached)),
        (SceneContent::Meshes, each(Lost::UnwrittenObject, "mesh", shapes)),
        (SceneContent::Materials, each(Lost::UnwrittenMaterial, "material", looks)),
        (SceneContent::Clips, each(Lost::UnwrittenClip, "clip", motions)),
        (SceneContent::MorphClips, each(Lost::UnwrittenMorphTracks, "clip", faces)),
        (SceneContent::RootMotion, each(Lost::RootMotion, "clip", roaming)),
    ];
    let avoid = |what: SceneContent| {
        let others =
            FileKind::ALL.iter().filter(|kind| kind.is_authored() && kind.scene_contents().contains(&what));
        let mut families = others.map(|kind| kind.family());
        families.find(|family| kinds.iter().any(|own| own.family() == *family)).map(Avoid::Family)
    };
    let lost = parts.into_iter().filter(|(what, _)| !holds(*what));
    lost.flat_map(|(what, losses)| losses.into_iter().map(move |loss| Loss { avoid: avoid(what), ..loss }))
        .collect()
}

impl Authoring {
    /// Returns the settings for one of several files that represent a scene, given the format, the name and the extension of each:
    /// extensions state the version if these settings do not, and files name the skeleton among them.
    ///
    /// ```
    /// use bindpose::FileKind;
    /// use bindpose::scene::author::Authoring;
    /// let files = [(FileKind::UnigineAnim, "walk", "anim"), (FileKind::UnigineMesh, "hero", "mesh_skinned")];
    /// let walk = Authoring::default().for_file_of(&files, 0);
    /// assert_eq!((walk.version.as_deref(), walk.skeleton.as_deref()), (Some("sk10"), Some("hero")));
    /// ```
    #[must_use]
    pub fn for_file_of(&self, files: &[(FileKind, &str, &str)], index: usize) -> Self {
        let mut own = self.clone();
        let Some(&(kind, ..)) = files.get(index) else { return own };
        // What the file itself states comes first.
        let related = || {
            let others = files.iter().filter(move |(other, ..)| other.family() == kind.family());
            std::iter::once(&files[index]).chain(others)
        };
        let stated = || related().find_map(|(kind, _, extension)| kind.version_of(extension));
        own.version = own.version.or_else(|| stated().map(str::to_owned));
        let skeletons =
            related().filter(|(kind, ..)| kind.scene_contents().contains(&SceneContent::Skeleton));
        let skeleton =
            skeletons.min_by_key(|(kind, ..)| kind.scene_contents().contains(&SceneContent::Meshes));
        own.skeleton = own.skeleton.or_else(|| skeleton.map(|(_, name, _)| (*name).to_owned()));
        own
    }
}

impl FileKind {
    /// Returns the version that an extension states, such as `sk10` for `mesh_skinned`.
    #[must_use]
    pub fn version_of(self, extension: &str) -> Option<&'static str> {
        let stated = |(own, _): &&(&str, _)| own.eq_ignore_ascii_case(extension);
        self.extensions_of_versions().iter().find(stated).map(|(_, version)| *version)
    }

    /// Returns whether scenes can be written in this format.
    #[must_use]
    pub const fn is_authored(self) -> bool {
        !self.scene_contents().is_empty()
    }
}

impl Authored<File> {
    /// Returns the name with the usual extension of the file: a safe name on every usual system, whatever the scene calls it.
    ///
    /// ```
    /// use bindpose::FileKind;
    /// use bindpose::scene::author::Authored;
    /// let walk = Authored { name: "../walk|fast".into(), file: FileKind::Psa.blank() };
    /// assert_eq!(walk.file_name().as_str(), "walk_fast.psa");
    /// ```
    #[must_use]
    pub fn file_name(&self) -> SafeName {
        SafeName::new(&self.name, self.file.extension())
    }
}

impl File {
    /// Returns the usual extension of files of this format, dialect and version, without the dot: `xmf` for a Cal3D mesh in XML.
    #[must_use]
    pub fn extension(&self) -> &'static str {
        let kind = self.kind();
        let extensions = kind.extensions_of_versions();
        let version = if extensions.is_empty() { None } else { self.summary().version };
        let own = extensions.iter().find(|(_, own)| version.as_deref() == Some(own));
        let is_xml = self.dialect() == Some("xml");
        let of_form = |own: &&&str| own.starts_with('x') == is_xml;
        let known = kind.info().extensions;
        let usual = || known.iter().find(of_form).or(known.first()).copied().unwrap_or_default();
        own.map_or_else(usual, |(extension, _)| extension)
    }
}

impl FormatSpec {
    /// Returns the files that represent a scene in this format, called `name` if the scene has no name for them. A scene
    /// that is passed by value needs less memory: its meshes are moved.
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
    /// If scenes cannot be written in this format, or the scene contradicts itself or exceeds a limit of the format.
    pub fn author<'a>(
        self,
        scene: impl Into<Cow<'a, Scene>>,
        name: &str,
        settings: &Authoring,
    ) -> Result<Written, AuthorError> {
        let scene = scene.into();
        settings.validate().map_err(AuthorError::Setting)?;
        scene.validate().map_err(AuthorError::Scene)?;
        let (mut scene, replaced) =
            scene.finite().map_or((scene, 0), |(finite, replaced)| (Cow::Owned(finite), replaced));
        let memory = scene.memory_of_records(self.kind.scene_contents());
        let budget = settings.budget.clone();
        let budget = budget.unwrap_or_else(|| Budget::of(&Limits::default(), scene.memory() as u64));
        let in_family = |kind: &&FileKind| kind.family() == self.kind.family();
        let has_morphs = |kind: &FileKind| {
            kind.scene_contents().contains(&SceneContent::MorphClips) && kind.stores_morphs(self.dialect)
        };
        let renamings = if FileKind::ALL.iter().filter(in_family).any(has_morphs) {
            rename_apart(&mut scene, &budget)?
        } else {
            Vec::new()
        };
        let stores_bind_pose = self.kind.stores_bind_pose(settings);
        let rebound = if stores_bind_pose { Ok(None) } else { in_bind_pose(&scene, &budget) };
        let rebound = rebound.map_err(|why| AuthorError::Memory { what: "the bind pose".into(), why })?;
        let moved = rebound.as_ref().map_or(0, |own| own.moved);
        let displaced = rebound.as_ref().map(|own| displacement(&scene, &own.skeleton));
        let skeleton = rebound.as_ref().map_or(&scene.skeleton, |own| &own.skeleton);
        let rooted = if self.kind.has_one_root() { with_one_root(skeleton, &scene) } else { None };
        let num_roots = rooted.as_ref().map_or(0, |(_, roots)| *roots);
        let rebound = match rooted {
            Some((skeleton, _)) => {
                Some(Rebound { skeleton, clips: rebound.and_then(|own| own.clips), moved })
            }
            None => rebound,
        };
        let (scene, meshes) = with_bind_pose(scene, rebound);
        let mut author = Author::new(&scene, name, self.dialect, settings);
        if let Some(meshes) = meshes {
            author = author.with_meshes(meshes);
        }
        for own in renamings {
            author.report_loss(own);
        }
        author.report_losses(moved, Loss { measure: displaced, ..Lost::RestPoses.into() });
        author.report_losses(num_roots, Lost::AddedRoot);
        author.report_losses(replaced, Lost::NonFinite);
        author.fits_unit()?;
        author.charge(memory, || "the scene".into())?;
        let files = self.kind.author(&mut author);
        if self.kind.scene_contents().contains(&SceneContent::Clips) {
            author.report_clips_without_bones();
        }
        let losses = author.into_losses();
        match files {
            Ok(files) => Ok(Written { files, losses }),
            Err(error) => Err(error.with_losses(losses)),
        }
    }
}

/// Returns a scene in another bind pose; its meshes apart, if they are not borrowed with it.
fn with_bind_pose(
    scene: Cow<'_, Scene>,
    rebound: Option<Rebound>,
) -> (Cow<'_, Scene>, Option<Cow<'_, [Mesh]>>) {
    match (scene, rebound) {
        (Cow::Owned(mut scene), rebound) => {
            let meshes = std::mem::take(&mut scene.meshes);
            if let Some(Rebound { skeleton, clips, .. }) = rebound {
                scene.skeleton = skeleton;
                if let Some(clips) = clips {
                    scene.clips = clips;
                }
            }
            (Cow::Owned(scene), Some(Cow::Owned(meshes)))
        }
        (Cow::Borrowed(scene), None) => (Cow::Borrowed(scene), None),
        (Cow::Borrowed(scene), Some(Rebound { skeleton, clips, .. })) => {
            let Scene { attachments, materials, meshes, .. } = scene;
            let (attachments, materials) = (attachments.clone(), materials.clone());
            let clips = clips.unwrap_or_else(|| scene.clips.clone());
            let own = Scene { skeleton, attachments, materials, clips, ..Scene::default() };
            (Cow::Owned(own), Some(Cow::Borrowed(meshes)))
        }
    }
}

/// Gives morph targets of one name and different weights names of their own, and returns the losses.
fn rename_apart(scene: &mut Cow<'_, Scene>, budget: &Budget) -> Result<Vec<Loss>, AuthorError> {
    let too_large = |why| AuthorError::Memory { what: "the morph targets".into(), why };
    let renamed = named_apart(scene, budget).map_err(too_large)?;
    if matches!(scene, Cow::Borrowed(_)) && !renamed.is_empty() {
        budget.charge(scene.memory() as u64).map_err(too_large)?;
    }
    let rename = |own: NamedApart| {
        let detail = format!("{:?}: another target of this name has other weights", own.name);
        let mesh = &mut scene.to_mut().meshes[own.mesh];
        let name = std::mem::replace(&mut mesh.morphs[own.morph].name, own.name);
        Lost::Renamed.of("morph target", &name).of("mesh", &mesh.name).with(detail)
    };
    Ok(renamed.into_iter().map(rename).collect())
}
