//! The assertions of every target: the laws, and the memory that decoding takes.

mod targets;

use allocation_counter::measure;
use bindpose::codec::{self, Format, Generate, Info};
use bindpose::scene::author::Authoring;
use bindpose::scene::gltf::{Gltf, read, refuse};
use bindpose::scene::{Part, Scene, Settings};
use bindpose::{Budget, File, FileKind, FormatSpec, Limits, Options, harness};

pub use self::targets::{CHOSEN, run};

/// Asserts the laws for the bytes, or for a file generated from them.
pub fn fuzz<F: Generate>(bytes: &[u8]) {
    if let Some((bytes, options)) = harness::fuzz_input::<F>(bytes) {
        law_with::<F>(&bytes, &options);
    }
}

/// Asserts the laws for the bytes after a fixed head: one encoding of a format.
pub fn after<F: Format>(head: &[u8], bytes: &[u8]) {
    law_with::<F>(&[head, bytes].concat(), &Options::default());
}

/// Asserts the laws in a dialect.
pub fn within<F: Format>(bytes: &[u8], dialect: &str) {
    law_with::<F>(bytes, &Options::default().with_dialect(dialect));
}

/// Asserts the laws for the format that the content determines.
pub fn detect(bytes: &[u8]) {
    if let Some(kind) = FileKind::detect(bytes) {
        bounded(kind.info(), bytes, &Options::default(), |options| kind.decode(bytes, options));
        kind.law(bytes, &Options::default());
    }
}

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
    let part = Part { name: "file", file: file.meaning() };
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

fn law_with<F: Format>(bytes: &[u8], options: &Options) {
    bounded(&F::INFO, bytes, options, |options| F::decode_with(bytes, options));
    codec::law_with::<F>(bytes, options);
}

/// Memory in bytes that decoding may take beyond its limit: blocks, tables, error messages.
const SLACK: u64 = 1 << 18;

/// Asserts that decoding takes no more memory than is permitted, whatever its result.
fn bounded<T>(info: &Info, bytes: &[u8], options: &Options, decode: impl Fn(&Options) -> T) {
    for per_byte in [4, 64] {
        let limits = options.limits.with_max_memory(0).with_max_memory_per_byte(per_byte);
        let options = options.clone().with_limits(limits);
        let peak = measure(|| drop(decode(&options))).bytes_max;
        let most = limits.memory_for(bytes.len() as u64) + SLACK;
        assert!(
            peak <= most,
            "{}: {peak} bytes for a file of {}, at most {most} are permitted",
            info.name,
            bytes.len()
        );
    }
}
