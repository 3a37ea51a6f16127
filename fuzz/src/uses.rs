//! The assertions about what follows decoding: scenes, pictures, exports, sets, names.

use std::ops::ControlFlow;

use bindpose::depot::MaterialText;
use bindpose::edit::{merge, names, remove};
use bindpose::formats::check_set;
use bindpose::scene::author::Authoring;
use bindpose::scene::gltf::{Gltf, read, refuse};
use bindpose::scene::render::{self, View};
use bindpose::scene::{Part, Scene, Settings};
use bindpose::schema::{FieldPath, NamedPaths, leaves, locate};
use bindpose::{Budget, File, FileKind, FormatSpec, Limits, Options, harness};

/// Asserts that a scene can be made of any file.
pub fn scene(bytes: &[u8]) {
    if let Some(file) = harness::fuzz_file(bytes) {
        _ = scene_of(&file).map(|scene| scene.bounds());
    }
}

/// Asserts that the export of any file can be read.
pub fn export(bytes: &[u8]) {
    let Some(scene) = harness::fuzz_file(bytes).and_then(|file| scene_of(&file)) else { return };
    if let Ok(glb) = Gltf::new(&scene).to_glb() {
        read(&glb, &mut refuse, &Limits::none()).expect("the export can be read");
    }
}

/// Asserts that the scene of any file can be written in a format, which the last byte chooses, and that the results are valid
/// files.
pub fn author(bytes: &[u8]) {
    let (Some(choice), Some(file)) = (bytes.last(), harness::fuzz_file(bytes)) else { return };
    let Some(scene) = scene_of(&file) else { return };
    let formats: Vec<(FormatSpec, Option<&str>)> =
        FileKind::ALL.iter().flat_map(|kind| written_as(*kind)).collect();
    let (format, version) = formats[usize::from(*choice) % formats.len()];
    let mut settings = Authoring::default();
    settings.version = version.map(str::to_owned);
    let Ok(written) = format.author(&scene, "file", &settings) else { return };
    for own in written.files {
        let bytes = own.file.encode().expect("a written file can be encoded");
        let again = format.kind.decode(&bytes, &own.file.options()).expect("a written file can be decoded");
        assert_eq!(again.damage(), None);
        assert_eq!(again.encode().as_ref(), Ok(&bytes));
    }
}

/// Returns the dialects and versions that scenes are written in.
fn written_as(kind: FileKind) -> Vec<(FormatSpec, Option<&'static str>)> {
    let dialects = kind.info().dialects.iter().map(|dialect| FormatSpec { kind, dialect: Some(dialect) });
    let versions = kind.versions();
    let usual = std::iter::once((FormatSpec::from(kind), None));
    let all = usual.chain(dialects.map(|own| (own, None)));
    all.chain(versions.iter().map(|own| (FormatSpec::from(kind), Some(*own))))
        .filter(|_| kind.is_authored())
        .collect()
}

/// Returns the scene of a file, unless it takes too much memory.
fn scene_of(file: &File) -> Option<Scene> {
    let part = Part { name: "file", file: file.as_scene_source() };
    Scene::within(&[part], &Settings::default(), &Budget::default()).ok()
}

/// Asserts that glTF files are read within a limit of memory, and that what was read can be exported and read again.
pub fn gltf(bytes: &[u8]) {
    let limits = Limits::none().with_max_memory(1 << 24);
    if let Ok(imported) = read(bytes, &mut refuse, &limits) {
        let glb = Gltf::new(&imported.scene).to_glb().expect("a small file");
        read(&glb, &mut refuse, &Limits::default()).expect("the export can be read");
    }
}

/// Asserts that a rescued file is valid, and that rescuing it again changes nothing.
pub fn rescue(bytes: &[u8]) {
    let Some(kind) = FileKind::detect(bytes) else { return };
    if let Ok(rescued) = kind.rescue(bytes, &Options::default()) {
        let file = kind.decode(&rescued.bytes, &Options::default()).expect("a valid file");
        assert_eq!(file.damage(), None, "after {:?}", rescued.losses);
        let again = kind.rescue(&rescued.bytes, &Options::default()).expect("a valid file");
        assert!(again.losses.is_empty(), "{:?}", again.losses);
    }
}

/// The side of a picture in pixels.
const SIDE: u32 = 48;

/// Asserts that the scene of any file can be drawn, in each of a few clips.
pub fn picture(bytes: &[u8]) {
    let Some(scene) = harness::fuzz_file(bytes).and_then(|file| scene_of(&file)) else { return };
    for clip in std::iter::once(None).chain(scene.clips.iter().take(2).map(Some)) {
        let view = View { size: [SIDE, SIDE], clip, seconds: 0.3, ..View::default() };
        let picture = render::render(&scene, &view, |_| None);
        assert_eq!(picture.pixels.len(), (SIDE * SIDE) as usize);
    }
}

/// Asserts that two files can be checked, merged and edited as a set, and that undamaged ones stay so. The first two bytes are
/// the size of the first file.
pub fn set(bytes: &[u8]) {
    let Some((size, bytes)) = bytes.split_first_chunk() else { return };
    let (first, second) = bytes.split_at(usize::from(u16::from_le_bytes(*size)) % (bytes.len() + 1));
    let (Some(first), Some(second)) = (harness::fuzz_file(first), harness::fuzz_file(second)) else { return };
    assert_eq!(check_set(&[&first, &second], 4).len(), 2);
    let parts = [("first", &first), ("second", &second)]
        .map(|(name, file)| Part { name, file: file.as_scene_source() });
    _ = Scene::within(&parts, &Settings::default(), &Budget::default());
    if first.damage().is_some() || second.damage().is_some() {
        return;
    }
    let mut merged = first.clone();
    if merge(&mut merged, &second).is_ok() {
        reads_back(&merged);
    }
    for name in names(&first).into_iter().flatten().take(4) {
        let mut files = [first.clone(), second.clone()];
        if remove(&mut files, name.entity, &name.text).is_ok() {
            files.iter().for_each(reads_back);
        }
    }
}

fn reads_back(file: &File) {
    if file.encode().is_ok() {
        file.reread().expect("an edited file is read back as it is");
    }
}

/// Asserts that the path of each value by names leads to the value, and that any text is a path or none, and survives as one.
pub fn paths(bytes: &[u8]) {
    if let Some(path) = str::from_utf8(bytes).ok().and_then(|text| text.parse::<FieldPath>().ok()) {
        assert_eq!(path.to_string().parse().as_ref(), Ok(&path));
    }
    let Some(file) = harness::fuzz_file(bytes) else { return };
    let mut named = NamedPaths::new(file.value());
    let mut rest = 64;
    let _ = leaves(file.value(), &mut |place, _| {
        if let Some(path) = named.path(&place.path) {
            let text = path.to_string();
            let again = text.parse().expect("a path by names is a path");
            let found = locate(file.value(), &again).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0].path, place.path, "{text}");
        }
        rest -= 1;
        if rest == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
}

/// Asserts that any text can be read as assignments, and that they can be applied to a small file, which its first byte chooses.
pub fn assignments(bytes: &[u8]) {
    let file = bytes.first().and_then(|choice| {
        let kind = FileKind::ALL[usize::from(*choice) % FileKind::ALL.len()];
        harness::generate(kind.into(), 1, 300).map(|(file, _)| file)
    });
    bindpose_cli::fuzz::assignments(bytes, file);
}

/// Asserts that any text is read as the description of a material.
pub fn material_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for described in [MaterialText::of_mat(&text), MaterialText::of_properties(&text)] {
        assert!(described.textures.len() <= bytes.len());
    }
}
