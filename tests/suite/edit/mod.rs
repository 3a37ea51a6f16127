//! Edits of what a file means leave it valid and lossless.

mod inverse;
pub mod merge;
mod merge3;
mod padded;
mod quantities;
mod references;
mod remove;
mod rename;
mod scale;
mod strangers;
mod transform;
mod work;

use bindpose::check::Severity;
use bindpose::edit::caused;
use bindpose::harness::generate;
use bindpose::scene::{Part, Scene, Settings, Up};
use bindpose::{File, FileKind, FormatSpec};

use crate::folders;

/// The scene of files. The up axis of Unreal's is stated, because an edit can change what is found from their bones.
fn scene(files: &[File]) -> Scene {
    let parts: Vec<_> =
        files.iter().map(|file| Part { name: "file", file: file.as_scene_source() }).collect();
    let mut settings = Settings::default();
    settings.up = files.iter().any(|file| matches!(file, File::Psk(_) | File::Psa(_))).then_some(Up::Z);
    Scene::of(&parts, &settings)
}

/// Files of every format: samples without damage, and generated ones.
fn files() -> impl Iterator<Item = (String, File)> {
    let samples = folders::small_samples("corpus").map(|sample| (sample.name, sample.file));
    let generated = FileKind::ALL.iter().flat_map(|kind| {
        let dialects = kind.info().dialects.iter().copied().map(Some);
        let specs = dialects.chain(kind.info().dialects.is_empty().then_some(None));
        specs.flat_map(move |dialect| (0..3).map(move |seed| (*kind, dialect, seed))).filter_map(
            move |(kind, dialect, seed)| {
                let spec = FormatSpec { kind, dialect };
                let (file, _) = generate(spec, seed, 1500)?;
                Some((format!("{} {seed}", kind.name()), file))
            },
        )
    });
    samples.chain(generated)
}

/// Real files without damage.
fn corpus() -> impl Iterator<Item = (String, File)> {
    folders::files(&folders::corpus()).filter_map(|(path, bytes)| {
        let (kind, options) = folders::kind(&path, &bytes)?;
        let file = kind.decode(&bytes, &options).ok()?;
        file.damage().is_none().then(|| (path.display().to_string(), file))
    })
}

/// Asserts that an edited file is lossless and breaks no rule that the original kept.
#[track_caller]
fn assert_sound(name: &str, before: &File, after: &File) {
    let bytes = after.encode().unwrap_or_else(|error| panic!("{name}: {error}"));
    let again =
        after.kind().decode(&bytes, &after.options()).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(again.encode().is_ok_and(|again| again == bytes), "{name}: decodes to another file");
    assert_eq!(again.damage(), before.damage(), "{name}");
    // Hints are conclusions from values, which an edit can change.
    let mut findings = caused(before, after, true).expect("both encode");
    findings.retain(|finding| finding.rule.severity > Severity::Hint);
    assert!(findings.is_empty(), "{name}: {}", findings[0]);
}

/// Whether a file contradicts itself.
fn has_warnings(file: &File) -> bool {
    let findings = file.check(&file.encode().expect("bytes"), 9).findings;
    findings.iter().any(|finding| finding.rule.severity >= Severity::Warning)
}
