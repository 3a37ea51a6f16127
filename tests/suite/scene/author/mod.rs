//! Scenes written as files: what is read again is the scene, except for the reported losses.

mod compare;
mod conserved;
mod corpus;
mod directx;
mod extremes;
mod families;
mod names;
mod programs;
mod readers;
pub mod strategy;
mod tangents;
mod unigine;

use bindpose::check::{Finding, Report, Severity};
use bindpose::codec::Verdict;
use bindpose::formats::{FormatSpec, check_named_set};
use bindpose::scene::author::{AuthorError, Authoring, SceneContent};
use bindpose::scene::{Blend, Bone, Clip, Curve, Loss, Lost, Part, Scene, Settings, Skeleton, Track};
use bindpose::{File, FileKind, Limits};

use self::compare::{Tolerance, compare, compare_attachments, compare_attributes};

/// Formats that represent a scene as a set, and how exact they are.
#[derive(Clone, Debug)]
struct Family {
    name: &'static str,
    specs: Vec<FormatSpec>,
    settings: Authoring,
    tolerance: Tolerance,
    /// The order of the bones in the file.
    order: fn(&Skeleton) -> Vec<usize>,
    /// The scene in the order of the file, without what the comparison does not consider.
    arrange: fn(&mut Scene),
}

impl Family {
    fn new(name: &'static str, kinds: &[(FileKind, Option<&'static str>)], tolerance: Tolerance) -> Self {
        let specs =
            kinds.iter().map(|(kind, dialect)| FormatSpec { kind: *kind, dialect: *dialect }).collect();
        Self {
            name,
            specs,
            settings: Authoring::default(),
            tolerance,
            order: |skeleton| skeleton.order().to_vec(),
            arrange: |_| {},
        }
    }

    fn version(mut self, version: Option<&str>) -> Self {
        self.settings.version = version.map(str::to_owned);
        self
    }
}

/// A scene that was written and read again, and its losses.
type Rewritten = Result<(Scene, Vec<Loss>), AuthorError>;

/// Writes a scene in several formats, and reads the files as one scene.
fn rewritten(scene: &Scene, specs: &[FormatSpec], settings: &Authoring) -> Rewritten {
    try_rewritten(scene, specs, settings).unwrap_or_else(|why| panic!("{why}"))
}

/// As [`rewritten`], twice. Each file must be lossless and without findings.
fn try_rewritten(scene: &Scene, specs: &[FormatSpec], settings: &Authoring) -> Result<Rewritten, String> {
    let mut files = Vec::new();
    let mut all: Vec<Loss> = Vec::new();
    let mut refused = None;
    for spec in specs {
        let written = match spec.author(scene, "file", settings) {
            // Other files of the family may have something.
            Err(AuthorError::Empty { what, losses }) => {
                all.extend_from_slice(&losses);
                refused = Some(AuthorError::Empty { what, losses });
                continue;
            }
            Err(error) => return Ok(Err(error)),
            Ok(written) => written,
        };
        let again = spec.author(scene, "file", settings);
        for (own, again) in written.files.iter().zip(again.map_err(|error| error.to_string())?.files) {
            let bytes = own.file.encode().map_err(|error| error.to_string())?;
            if again.file.encode().map_err(|error| error.to_string())? != bytes {
                return Err(format!("{}: other bytes the second time", own.name));
            }
            let file = spec.kind.decode(&bytes, &spec.options(Limits::default()));
            let file = file.map_err(|error| error.to_string())?;
            is_valid(&file, &bytes).map_err(|why| format!("{} {}: {why}", spec.kind.name(), own.name))?;
            files.push((own.name.clone(), file));
        }
        all.extend(written.losses);
    }
    if let (true, Some(error)) = (files.is_empty(), refused) {
        return Ok(Err(error));
    }
    let names: Vec<_> = files.iter().map(|(name, file)| format!("{name}.{}", file.extension())).collect();
    let set: Vec<_> = names.iter().zip(&files).map(|(name, (_, file))| (&**name, file)).collect();
    for report in check_named_set(&set, 3) {
        findings(&report)?;
    }
    let parts: Vec<_> =
        files.iter().map(|(name, file)| Part { name, file: file.as_scene_source() }).collect();
    let read = Settings::default().with_unit(settings.unit).with_up(settings.up);
    Ok(Ok((Scene::of(&parts, &read), all)))
}

/// Whether a written file is lossless, and no rule finds more than a notice.
fn is_valid(file: &File, bytes: &[u8]) -> Result<(), String> {
    let outcome = file.verify(bytes);
    if outcome.verdict != Verdict::Lossless {
        return Err(format!("{outcome:?}"));
    }
    findings(&file.check(bytes, 3))
}

/// A real `.x` file has bones with a scale of zero, which 3ds Max streams keep. Points of a scene at one place can move apart.
const EXCEPTIONS: [&str; 2] = ["max/singular-matrix", "psk/morph-crack"];

fn findings(report: &Report) -> Result<(), String> {
    let counts = |own: &&Finding| {
        matches!(own.rule.severity, Severity::Warning | Severity::Error)
            && !EXCEPTIONS.contains(&own.rule.code)
    };
    let found: Vec<_> = report.findings.iter().filter(counts).collect();
    if found.is_empty() { Ok(()) } else { Err(format!("{found:?}")) }
}

/// Whether a loss changes poses or triangles, so that they cannot be compared.
fn changes(losses: &[&Loss], kinds: &[Lost]) -> bool {
    losses.iter().any(|loss| kinds.contains(&loss.lost))
}

/// Losses that change poses.
const POSING: [Lost; 8] = [
    Lost::CurvedTranslation,
    Lost::DroppedInfluences,
    Lost::EarlyKeys,
    Lost::LooseVertices,
    Lost::Resampled,
    Lost::ScaleAnimated,
    Lost::ShearedBones,
    Lost::ShearedKeys,
];

/// What a comparison found to be the same.
#[derive(Debug, Default)]
struct Same {
    clips: usize,
    /// The losses that prevented a comparison.
    losses: usize,
}

/// Asserts that a scene is read as it was written, up to losses and tolerances.
fn law(scene: &Scene, family: &Family) -> Result<Result<Same, AuthorError>, String> {
    let mut scene = scene.clone();
    (family.arrange)(&mut scene);
    let (result, losses) = match try_rewritten(&scene, &family.specs, &family.settings)? {
        Ok(result) => result,
        Err(refused) => return Ok(Err(refused)),
    };
    let losses: Vec<&Loss> = losses.iter().collect();
    let told = || losses.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    if changes(&losses, &[Lost::AddedRoot]) {
        scene.skeleton = rooted(&scene.skeleton);
    }
    let scene = &scene;
    let has_bones = !result.skeleton.bones().is_empty();
    let order = if has_bones { (family.order)(&scene.skeleton) } else { Vec::new() };
    let mut same = Same::default();
    if changes(
        &losses,
        &[
            Lost::MixedBinding,
            Lost::FlippingFaces,
            Lost::FaceOrder,
            Lost::NonFinite,
            Lost::NormalsWithoutDirection,
        ],
    ) {
        same.losses += 1;
        return Ok(Ok(same));
    }
    let is_rebound = changes(&losses, &[Lost::RestPoses]);
    let tolerance = if is_rebound { family.tolerance.without_bind_pose() } else { family.tolerance };
    compare(scene, &result, &order, None, tolerance).map_err(|why| format!("{why} ({})", told()))?;
    if !is_rebound {
        compare_attributes(scene, &result, &losses, tolerance)
            .map_err(|why| format!("{why} ({})", told()))?;
    }
    if !is_rebound
        && family.specs.iter().any(|spec| spec.kind.scene_contents().contains(&SceneContent::Attachments))
    {
        compare_attachments(scene, &result, family.tolerance)?;
    }
    for clips in pairs(scene, &result) {
        if changes(&losses, &POSING) {
            same.losses += 1;
            continue;
        }
        let compared = compare(scene, &result, &order, Some(clips), tolerance);
        compared.map_err(|why| format!("clip {:?}: {why} ({})", clips.0.name, told()))?;
        same.clips += 1;
    }
    Ok(Ok(same))
}

/// The skeleton with another bone above all roots.
fn rooted(skeleton: &Skeleton) -> Skeleton {
    let above = skeleton.bones().len();
    let below = |bone: &Bone| Bone { parent: bone.parent.or(Some(above)), ..bone.clone() };
    Skeleton::new(skeleton.bones().iter().map(below).chain([Bone::default()]).collect()).0
}

/// The clips that were written, each with what was read. Some formats hold one clip, or only clips that move bones; those of
/// morph targets follow.
fn pairs<'a>(source: &'a Scene, result: &'a Scene) -> Vec<(&'a Clip, &'a Clip)> {
    let moving: Vec<&Clip> = source.clips.iter().filter(|clip| moves(clip)).collect();
    if result.clips.len() >= source.clips.len() {
        source.clips.iter().zip(&result.clips).collect()
    } else if result.clips.len() == moving.len() {
        moving.into_iter().zip(&result.clips).collect()
    } else {
        source.clips.iter().find(|clip| clip.span().is_some()).into_iter().zip(&result.clips).collect()
    }
}

/// Whether a clip has keys of bones.
fn moves(clip: &Clip) -> bool {
    fn has<T: Blend>(curve: Option<&Curve<T>>) -> bool {
        curve.is_some_and(|own| !own.times().is_empty())
    }
    let moves =
        |own: &Track| has(own.translation.as_ref()) || has(own.rotation.as_ref()) || has(own.scale.as_ref());
    clip.tracks.iter().any(moves)
}
