//! The results of a conversion: their names and bytes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{Read, Seek};
use std::sync::Arc;

use super::drafts::{Draft, DraftPlace};
use super::form;
use super::gltf::{Exported, GltfArgs};
use super::images::Images;
use crate::destination::Destination;
use crate::limits;
use crate::prelude::*;
use crate::textures::Textures;
use crate::write::{Results, below};
use bindpose::codec::{StreamVerifier, Verdict};
use bindpose::depot;
use bindpose::files::{Draft as Written, IfExists, Place};
use bindpose::formats::lost_without;
use bindpose::scene::author::{AuthorError, Authored, Authoring, SceneContent};
use bindpose::scene::{
    Bone, Clip, Loss, Material, Mesh, NameTemplate, Part, SafeName, SafeNames, Scene, Settings, Skeleton,
    Track,
};
use bindpose::{Error, ErrorKind, File};

/// A file that is ready to be written.
pub(super) struct Ready {
    pub place: Place,
    pub content: Content,
}

pub(super) enum Content {
    /// A file of a format, encoded while it is written.
    File(FormatSpec, Box<File>),
    /// glTF, or a text about files.
    Bytes(Vec<u8>),
    /// An image, which can have several names.
    Image(Arc<[u8]>),
}

/// All files of a conversion, and what they do not represent.
#[derive(Default)]
pub(super) struct Prepared {
    pub files: Vec<Ready>,
    pub losses: Vec<Loss>,
    /// The textures of glTF whose images are missing.
    pub missing: Vec<String>,
    /// The images that are not written, because the result is not a file that they could be beside.
    pub unwritten: Vec<PathBuf>,
    /// The glTF files with clips that move nothing.
    pub still: Vec<PathBuf>,
    /// The formats that the files have.
    written: Vec<FileKind>,
}

/// Prepares a file in another form, if that is the result: the content is the same, without a scene.
pub(super) fn prepare_in_form(
    file: &File,
    drafts: &[Draft],
    version: Option<&str>,
) -> Option<Result<Prepared>> {
    let stated = |draft| Some((draft, form::stated(file, draft, version)?));
    let (draft, form) = drafts.iter().find_map(stated)?;
    let is_alone = drafts.len() == 1 || drafts.iter().all(|draft| draft.is_family);
    is_alone.then_some(())?;
    let (other, lost) = match file.in_form(form) {
        Ok(made) => made,
        Err(error) if version == Some(form) => return Some(Err(error.into())),
        // Its scene can still be written.
        Err(_) => return None,
    };
    let losses = lost.map(|lost| Loss::from(lost).in_file(&draft.name));
    draft.is(other.kind(), other.dialect()).then(|| Prepared::of_file(other, draft, losses))
}

/// Prepares all files before any is written. What the scene lost before is part of what they do not represent.
pub(super) fn prepare(
    mut scene: Scene,
    textures: &Textures,
    drafts: &[Draft],
    settings: &Authoring,
    (images, gltf): (&Images, GltfArgs),
) -> Result<Prepared> {
    if scene.skeleton.bones().is_empty()
        && scene.meshes.is_empty()
        && scene.clips.is_empty()
        && scene.materials.is_empty()
    {
        let unread: Vec<_> = scene.losses.iter().map(ToString::to_string).collect();
        let help = (!unread.is_empty()).then(|| format!("losses while reading: {}", unread.join("; ")));
        return Err(Failure { help, ..nothing("no bones, meshes, materials or clips; nothing was written") });
    }
    let mut prepared = Prepared { losses: std::mem::take(&mut scene.losses), ..Prepared::default() };
    let mut contents = outline(&scene);
    let mut taken = SafeNames::default();
    let authored = drafts.iter().filter_map(|own| Some((own.kind?.kind, &*own.name, own.extension())));
    let authored: Vec<_> = authored.collect();
    let settings_of = |index: usize| {
        let before = drafts[..index].iter().filter(|own| !own.is_gltf()).count();
        if drafts[index].is_gltf() { settings.clone() } else { settings.for_file_of(&authored, before) }
    };
    if let Some((last, others)) = drafts.split_last() {
        for (index, draft) in others.iter().enumerate() {
            prepared.add(draft, Cow::Borrowed(&scene), (textures, gltf), &settings_of(index), &mut taken)?;
        }
        prepared.add(last, Cow::Owned(scene), (textures, gltf), &settings_of(others.len()), &mut taken)?;
    }
    if drafts.iter().all(|draft| draft.kind.is_some()) {
        let name = drafts.first().map_or("", |draft| &draft.name);
        let mut lost = lost_without(&contents, name, &prepared.written);
        if drafts.iter().any(|draft| draft.is_family) {
            // All files of the family are the result already.
            for own in &mut lost {
                own.avoid = None;
            }
        }
        prepared.losses.extend(lost);
    }
    prepared.losses.sort_by_key(Loss::kind);
    prepared.files.extend(list(drafts, &prepared.files, settings.names.as_ref())?);
    let holds = |what: SceneContent| {
        move |draft: &&Draft| draft.kind.is_some_and(|own| own.kind.scene_contents().contains(&what))
    };
    // Beside files, if not all results are streams.
    let first =
        |what: SceneContent| drafts.iter().filter(holds(what)).min_by_key(|draft| draft.place.is_stream());
    let with_textures = first(SceneContent::Textures);
    if let Some(draft) = with_textures.or_else(|| first(SceneContent::Materials)) {
        let is_named = with_textures.is_none();
        if is_named {
            name_as_written(&mut contents.materials, &prepared.files, draft);
        }
        let (files, unwritten) = images.of(&contents.materials, textures, is_named, &draft.place)?;
        prepared.files.extend(files);
        prepared.unwritten = unwritten;
    }
    if prepared.files.is_empty() {
        return Err(nothing("nothing that these formats hold; nothing was written"));
    }
    Ok(prepared)
}

/// Gives materials the names that they have in the file of a draft: a format can shorten names, or make them unique.
fn name_as_written(materials: &mut [Material], files: &[Ready], draft: &Draft) {
    let file = files.iter().find_map(|own| match &own.content {
        Content::File(spec, file) if draft.kind.is_some_and(|own| own.kind == spec.kind) => Some(file),
        _ => None,
    });
    let Some(file) = file else { return };
    let written =
        Scene::of(&[Part { name: "", file: file.as_scene_source() }], &Settings::default().names_only());
    if written.materials.len() == materials.len() {
        for (own, written) in materials.iter_mut().zip(written.materials) {
            own.name = written.name;
        }
    }
}

/// The text that lists the files of a family, where programs need one.
fn list(drafts: &[Draft], files: &[Ready], names: Option<&NameTemplate>) -> Result<Option<Ready>> {
    let Some(draft) = drafts.first().filter(|draft| draft.is_family) else { return Ok(None) };
    let listed: Vec<_> = { files.iter() }
        .filter_map(|file| match &file.content {
            Content::File(spec, _) => Some((spec.kind, file.place.path().file_name()?.to_str()?)),
            _ => None,
        })
        .collect();
    let Some(text) = depot::list_of(listed) else { return Ok(None) };
    let name = names.map(NameTemplate::name).filter(|name| !name.is_empty());
    let name = SafeName::new(name.as_deref().unwrap_or(&draft.name), depot::LIST);
    let place = inside(draft.place.directory(), &name)?;
    Ok(Some(Ready { place, content: Content::Bytes(text.into_bytes()) }))
}

/// The memory of a file that is about to be written: its draft, the buffer and the path.
const RESULT: u64 = 16 << 10;

/// Returns the names of what a scene has, and which of it is empty.
fn outline(scene: &Scene) -> Scene {
    let mesh = |own: &Mesh| Mesh { name: own.name.clone(), ..Mesh::default() };
    let clip = |own: &Clip| Clip {
        name: own.name.clone(),
        tracks: own.tracks.first().map(|_| Track::default()).into_iter().collect(),
        morphs: own.morphs.first().cloned().into_iter().collect(),
        has_root_motion: own.has_root_motion,
    };
    let bones = scene.skeleton.bones().first().map(|_| Bone::default()).into_iter().collect();
    Scene {
        skeleton: Skeleton::new(bones).0.with_playback(scene.skeleton.playback().clone()),
        attachments: scene.attachments.clone(),
        meshes: scene.meshes.iter().map(mesh).collect(),
        materials: scene.materials.clone(),
        clips: scene.clips.iter().map(clip).collect(),
        ..Scene::default()
    }
}

impl Prepared {
    /// A file that was not made of a scene.
    fn of_file(file: File, draft: &Draft, losses: Option<Loss>) -> Result<Self> {
        let spec = FormatSpec { kind: file.kind(), dialect: file.dialect() };
        let place = match &draft.place {
            DraftPlace::File(path) => Place::named(path),
            DraftPlace::Directory(directory) => {
                inside(directory, &SafeName::new(&draft.name, &extension(spec, &file)))?
            }
        };
        let files = vec![Ready { place, content: Content::File(spec, Box::new(file)) }];
        Ok(Self { files, losses: losses.into_iter().collect(), written: vec![spec.kind], ..Self::default() })
    }

    /// Adds the losses of a file, without those that other files of its name have as well.
    fn add_losses(&mut self, losses: Vec<Loss>) {
        let key = |own: &Loss| (own.file.clone(), own.to_string());
        let mut known = HashMap::<_, usize>::new();
        for own in &self.losses {
            *known.entry(key(own)).or_default() += 1;
        }
        self.losses.extend(losses.into_iter().filter(|own| match known.get_mut(&key(own)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        }));
    }

    /// Adds the files of a result. An owned scene is dropped as early as possible.
    fn add(
        &mut self,
        draft: &Draft,
        scene: Cow<'_, Scene>,
        (textures, gltf): (&Textures, GltfArgs),
        settings: &Authoring,
        taken: &mut SafeNames,
    ) -> Result<()> {
        let Some(spec) = draft.kind else {
            let DraftPlace::File(path) = &draft.place else { return Ok(()) };
            if scene.skeleton.bones().is_empty() && scene.meshes.is_empty() {
                return Err(nothing("no bones and no triangles; nothing was written"));
            }
            let Exported { bytes, losses, missing, is_still } =
                gltf.export(scene.into_owned(), textures, path, settings)?;
            self.add_losses(losses);
            self.missing = missing;
            self.still.extend(is_still.then(|| path.clone()));
            self.files.push(Ready { place: Place::named(path), content: Content::Bytes(bytes) });
            return Ok(());
        };
        let written = match spec.author(scene, &draft.name, settings) {
            Ok(written) => written,
            Err(AuthorError::Empty { losses, .. }) if draft.is_family => {
                self.add_losses(losses);
                return Ok(());
            }
            Err(error) => return Err(refused(spec, &error)),
        };
        self.add_losses(written.losses);
        self.written.push(spec.kind);
        let is_alone = written.files.len() == 1;
        let memory = RESULT.saturating_mul(written.files.len() as u64);
        let charged = settings.budget.as_ref().map_or(Ok(()), |budget| budget.charge(memory));
        charged.map_err(|why| {
            let what = format!("writing {}", counted(written.files.len(), "file"));
            refused(spec, &AuthorError::Memory { what, why })
        })?;
        for Authored { name, file } in written.files {
            let place = match &draft.place {
                DraftPlace::File(path) if is_alone => Place::named(path),
                DraftPlace::File(path) => {
                    let why = "a file of this format holds one clip or material, and the scene has several";
                    let help = "select a clip with --clip NAME, or write all with --out-dir DIR";
                    return Err(Failure::usage(why).in_file(path).with_help(help));
                }
                DraftPlace::Directory(directory) if settings.names.is_some() => {
                    let name = SafeName::new(&name, &extension(spec, &file));
                    if !taken.insert(&name) {
                        let failure = Failure::usage(format!("--name gives two results the name {name}"));
                        let help = "add {clip} or {material} to the template, and give clips and materials different names";
                        return Err(failure.with_help(help));
                    }
                    inside(directory, &name)?
                }
                DraftPlace::Directory(directory) => {
                    inside(directory, &taken.add(&name, &extension(spec, &file)))?
                }
            };
            self.files.push(Ready { place, content: Content::File(spec, Box::new(file)) });
        }
        Ok(())
    }
}

/// The failure for a scene that cannot be written in a format.
pub(crate) fn refused(spec: FormatSpec, error: &AuthorError) -> Failure {
    let (exit, cause) = match error {
        AuthorError::Limit { .. } | AuthorError::Memory { .. } => (Exit::Limit, Cause::Other),
        AuthorError::Empty { .. } => (Exit::Nothing, Cause::NothingToConvert),
        _ => (Exit::Usage, Cause::Other),
    };
    let help = match error {
        AuthorError::Memory { why, .. } => limits::help(why),
        _ => error.help(),
    };
    let help = help.map(str::to_owned);
    Failure { help, cause, ..Failure::new(exit, format!("{}: {error}", spec.kind.name())) }
}

/// The failure for a scene without anything to write.
fn nothing(why: &str) -> Failure {
    Failure { cause: Cause::NothingToConvert, ..Failure::new(Exit::Nothing, why) }
}

/// The extension of a format, or of its XML form. If the content does not determine the format, it also states the format.
fn extension(spec: FormatSpec, file: &File) -> String {
    let extension = file.extension();
    if spec.kind.recognizes(&head(file)) {
        extension.to_owned()
    } else {
        format!("{}.{extension}", spec.to_string().replace(':', "+"))
    }
}

fn head(file: &File) -> Vec<u8> {
    let mut head = vec![0; FormatSpec::HEAD];
    let mut free = &mut *head;
    // Fails where the file is longer.
    let _ = file.encode_to(&mut free);
    let left = free.len();
    head.truncate(FormatSpec::HEAD - left);
    head
}

/// Writes all files or none, and returns their paths and sizes.
pub(super) fn write_all(files: Vec<Ready>, if_exists: IfExists) -> Result<Vec<(PathBuf, u64)>> {
    let mut results = Results::default();
    let mut add = |file: Ready| {
        let path = file.place.path().to_owned();
        Ok((path, file.add_to(&mut results, if_exists)?))
    };
    let written = files.into_iter().map(&mut add).collect::<Result<_>>()?;
    results.publish()?;
    Ok(written)
}

impl Ready {
    pub const fn is_image(&self) -> bool {
        matches!(self.content, Content::Image(_))
    }

    pub fn is_printed(&self) -> bool {
        is_stdout(self.place.path())
    }

    /// Writes the file to standard output.
    pub fn print(self, output: &mut Output) -> Result<()> {
        Destination::Stdout.write(&self.content.into_bytes()?, output, None)
    }

    /// Adds the file to the results. What was written is decoded again. Returns its size.
    pub fn add_to(self, results: &mut Results, if_exists: IfExists) -> Result<u64> {
        let Self { place, content } = self;
        // Files that are converted at the same time can share an image.
        let is_shared = matches!(content, Content::Image(_)) && if_exists == IfExists::Fail;
        let mut draft = results.start(&place, if is_shared { IfExists::Same } else { if_exists })?;
        let len = content.write(&mut draft).in_file(place.path())?;
        results.add(draft, &place)?;
        Ok(len)
    }
}

impl Content {
    fn write(self, draft: &mut Written) -> Result<u64> {
        match self {
            Self::File(spec, file) if draft.is_readable() => {
                file.encode_to(&mut *draft).map_err(internal)?;
                drop(file);
                draft.read_back()?;
                decodes(spec, draft.file())?;
                Ok(draft.file().metadata()?.len())
            }
            Self::Image(bytes) => put(&bytes, draft),
            content => put(&content.into_bytes()?, draft),
        }
    }

    /// The bytes, which are decoded again.
    fn into_bytes(self) -> Result<Vec<u8>> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Image(bytes) => Ok(bytes.to_vec()),
            Self::File(spec, file) => {
                let bytes = file.encode().map_err(internal)?;
                drop(file);
                is_lossless(&spec.kind.roundtrip(&bytes, &spec.options(Limits::none())).verdict)?;
                Ok(bytes)
            }
        }
    }
}

fn put(bytes: &[u8], draft: &mut Written) -> Result<u64> {
    draft.write_all(bytes)?;
    draft.read_back()?;
    Ok(bytes.len() as u64)
}

/// The path of a file in a directory whose name comes from the contents of a file.
pub(super) fn inside(directory: &Path, name: &SafeName) -> Result<Place> {
    below(directory, Path::new(name.as_str()))
}

/// Checks that an open file decodes, and encodes to the same bytes.
fn decodes(spec: FormatSpec, written: &std::fs::File) -> Result<()> {
    let mut pieces = StreamVerifier::new(written, StreamVerifier::SIZE)?;
    let options = spec.options(Limits::none());
    let outcome = match spec.kind.verify_stream(&mut pieces, &options) {
        Some(proven) => proven,
        None => spec.kind.roundtrip(&whole(written)?, &options),
    };
    is_lossless(&outcome.verdict)
}

fn whole(mut file: &std::fs::File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn is_lossless(verdict: &Verdict) -> Result<()> {
    if *verdict == Verdict::Lossless {
        return Ok(());
    }
    Err(Failure::new(Exit::Bug, "internal error: the result does not read back identically"))
}

/// The failure of encoding a new file: a full disk or the like, or a bug.
fn internal(error: Error) -> Failure {
    match error.kind() {
        ErrorKind::Io(_) => error.into(),
        _ => Failure::new(Exit::Bug, format!("internal error: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_that_another_conversion_wrote_is_written_if_it_is_the_same() {
        let directory = tempfile::tempdir().unwrap();
        let write = |bytes: &[u8]| {
            let place = Place::named(directory.path().join("skin.png"));
            let mut results = Results::default();
            let image = Ready { place, content: Content::Image(bytes.into()) };
            image.add_to(&mut results, IfExists::Fail)?;
            results.publish()
        };
        assert!(write(b"skin").is_ok());
        assert!(write(b"skin").is_ok());
        assert!(write(b"other").is_err());
    }
}
