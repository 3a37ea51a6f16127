//! Scenes written as files: what is read again is the scene, except for the reported losses.

mod compare;
mod directx;
mod ms3d;
mod strategy;
mod unigine;

use bindpose::check::{Finding, Severity};
use bindpose::codec::Verdict;
use bindpose::formats::{FormatSpec, Written, check_set};
use bindpose::scene::author::{AuthorError, Authoring};
use bindpose::scene::{Part, Scene, Settings};
use bindpose::{File, Limits};
use glam::Vec3;

use crate::folders;

/// Writes a scene in several formats, and reads the files as one scene. Each file must be lossless and without findings.
fn rewritten(
    scene: &Scene,
    specs: &[FormatSpec],
    settings: &Authoring,
) -> Result<(Scene, Vec<Written>), AuthorError> {
    let written: Vec<_> =
        specs.iter().map(|spec| spec.author(scene, "file", settings)).collect::<Result<_, _>>()?;
    let mut files = Vec::new();
    for (spec, written) in specs.iter().zip(&written) {
        for own in &written.files {
            let bytes = own.file.encode().expect("a written file can be encoded");
            let file = spec.kind.decode(&bytes, &spec.options(Limits::default())).expect("it can be decoded");
            is_valid(&own.name, &file, &bytes);
            files.push((own.name.clone(), file));
        }
    }
    let set: Vec<&File> = files.iter().map(|(_, file)| file).collect();
    for report in check_set(&set, 3) {
        let found: Vec<_> =
            report.findings.iter().filter(|own| own.rule.severity != Severity::Info).collect();
        assert!(found.is_empty(), "{found:?}");
    }
    let parts: Vec<_> = files.iter().map(|(name, file)| Part { name, file: file.meaning() }).collect();
    let read = Settings::default().with_unit(settings.unit).with_up(settings.up);
    Ok((Scene::of(&parts, &read), written))
}

/// Asserts that a written file is lossless, and that no rule finds more than a notice.
fn is_valid(name: &str, file: &File, bytes: &[u8]) {
    let outcome = file.verify(bytes);
    assert_eq!(outcome.verdict, Verdict::Lossless, "{name}: {outcome:?}");
    let report = file.check(bytes, 3);
    // Rotations that start at half turns are a hint, but some scenes have them.
    let is_expected = |own: &&Finding| own.rule.severity == Severity::Info || own.rule.code == "x/half-turns";
    let found: Vec<_> = report.findings.iter().filter(|own| !is_expected(own)).collect();
    assert!(found.is_empty(), "{name}: {found:?}");
}

/// Whether a loss changes poses, so that they cannot be compared.
fn changes_poses(written: &[Written]) -> bool {
    let words = ["off between frames", "scale", "shear", "dropped", "not in one pose"];
    written.iter().flat_map(|own| &own.losses).any(|loss| words.iter().any(|word| loss.why.contains(word)))
}

/// Returns the scenes of real files with their names, with normals of unit length.
fn corpus() -> impl Iterator<Item = (String, Scene)> {
    folders::files(&folders::corpus()).filter_map(|(path, bytes)| {
        let (kind, options) = folders::kind(&path, &bytes)?;
        let file = kind.decode(&bytes, &options).ok()?;
        let mut scene = Scene::of(&[Part { name: "file", file: file.meaning() }], &Settings::default());
        for normal in scene.meshes.iter_mut().flat_map(|mesh| &mut mesh.normals) {
            *normal = normal.normalize_or(Vec3::Y);
        }
        Some((path.display().to_string(), scene))
    })
}
