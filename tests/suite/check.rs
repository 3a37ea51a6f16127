//! Every rule has a sample that violates it and one that obeys it, and its example is a real finding.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use bindpose::check::{BoneList, Finding, Fit, Report, Rule};
use bindpose::codec::Format;
use bindpose::formats::directx::{Encoding, X};
use bindpose::formats::iqm::{Extension, Iqm};
use bindpose::formats::ms3d::{Joint, Keyframe, Material, Ms3d, Triangle, Vertex};
use bindpose::formats::{cal3d, check_named_set, check_set};
use bindpose::wire::FixedStr;
use bindpose::{File, FileKind};
use proptest::prelude::*;

use crate::folders::{self, Sample};
use crate::samples::{ms3d, rules};

/// A checked sample, and one of its findings.
#[derive(Clone, Debug, PartialEq)]
struct Found {
    kind: FileKind,
    /// The file; with the others that it was checked with, where there are any.
    name: String,
    /// Whether it was checked as part of a set, to which other rules apply.
    in_set: bool,
    /// The code of the rule and the finding; nothing that there is a file at all.
    finding: Option<(&'static str, String)>,
}

impl Found {
    fn is(&self, code: &str) -> bool {
        self.finding.as_ref().is_some_and(|(own, _)| *own == code)
    }

    /// The file and its findings.
    fn all(kind: FileKind, name: &str, in_set: bool, report: Report) -> impl Iterator<Item = Self> + use<> {
        assert!(report.more.is_empty(), "{name}");
        let found = Self { kind, name: name.to_owned(), in_set, finding: None };
        let findings = report.findings.into_iter().map(|finding| (finding.rule.code, finding.to_string()));
        let findings: Vec<_> =
            findings.map(|finding| Self { finding: Some(finding), ..found.clone() }).collect();
        std::iter::once(found).chain(findings)
    }
}

/// The findings in each sample, alone and in sets.
static FOUND: LazyLock<Vec<Found>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for Sample { name, kind, bytes, file, .. } in ["corpus", "damaged"].into_iter().flat_map(folders::samples)
    {
        let mut report = file.check(&bytes, usize::MAX);
        if name == "deep.x" {
            // The paths of all its findings would take too much memory.
            report.more.clear();
        }
        let within = |finding: &Finding| finding.range.end <= bytes.len() as u64;
        assert!(report.findings.iter().all(within), "{name}: {:?}", report.findings);
        all.extend(Found::all(kind, &name, false, report));
    }
    for (path, bytes) in folders::files(&folders::own("damaged")) {
        let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
        if kind.decode(&bytes, &options).is_err() {
            let name = path.file_name().expect("a name").to_string_lossy();
            all.extend(Found::all(kind, &name, false, kind.diagnose(&bytes, usize::MAX)));
        }
    }
    all.extend([SETS, VALID_SETS].into_iter().flatten().flat_map(|set| found_in_set(set)));
    for (name, mesh) in [("many points", rules::many_points()), ("many wedges", rules::many_wedges())] {
        let large = File::Psk(Box::new(mesh));
        let mut report = large.check(&large.encode().expect("a mesh"), 1);
        report.more.clear();
        all.extend(Found::all(FileKind::Psk, name, false, report));
    }
    all
});

/// Samples that are checked as a set, and do not match.
const SETS: &[&[&str]] = &[
    &["psk/set.psk", "psk/set.psa", "psk/set.config"],
    &["psk/plane.psk", "psk/set_strangers.psa"],
    &["unigine/set.mesh", "unigine/set.anim"],
    &["unigine/set.mesh", "unigine/set_strangers.anim"],
    &["unigine/sn10.skeleton", "unigine/sk10.mesh_skinned", "unigine/hero.anim"],
    &["unigine/hero.skeleton", "unigine/hero.anim", "unigine/set.mesh_skinned", "unigine/set_guid.anim"],
    &["cal3d/two.csf", "cal3d/set.caf", "cal3d/set.cmf", "cal3d/set.cpf"],
    &["max/two.max-skeleton.skel", "max/set.max-animation.anim", "max/set.max-mesh.mesh"],
    &["max/two.max-skeleton.skel", "max/elsewhere.max-animation.anim"],
    &["directx/skinned.x", "directx/set.x"],
];

/// Samples that match as a set.
const VALID_SETS: &[&[&str]] = &[
    &["unigine/hero.skeleton", "unigine/hero.mesh_skinned", "unigine/hero.anim"],
    &["psk/plane.psk", "psk/wave.psa", "psk/tracks.config"],
    &["cal3d/two.csf", "cal3d/walk.caf", "cal3d/morphs1301.cmf", "cal3d/smile.cpf"],
    &["max/two.max-skeleton.skel", "max/walk.max-animation.anim", "max/quad.max-mesh.mesh"],
];

fn found_in_set(set: &[&str]) -> Vec<Found> {
    let files: Vec<_> = set.iter().map(|name| folders::sample(&format!("corpus/{name}")).file).collect();
    let names = set.iter().map(|name| name.rsplit('/').next().unwrap_or(name));
    let reports = check_named_set(&names.zip(&files).collect::<Vec<_>>(), usize::MAX);
    let reports = reports.into_iter().zip(&files).zip(set);
    reports
        .flat_map(|((report, file), name)| {
            Found::all(file.kind(), &format!("{name} of {set:?}"), true, report)
        })
        .collect()
}

#[test]
fn files_of_a_set_that_match_have_no_findings() {
    for set in VALID_SETS {
        let findings: Vec<_> = found_in_set(set).into_iter().filter_map(|found| found.finding).collect();
        assert_eq!(findings, [], "{set:?}");
    }
}

#[test]
fn every_rule_is_violated_by_one_sample_and_obeyed_by_another() {
    let found = &*FOUND;
    let mut wrong = Vec::new();
    for rule in Rule::all() {
        let breaks: Vec<_> = found.iter().filter(|found| found.is(rule.code)).collect();
        // Only a file that the rule looks at can keep it.
        let is_looked_at = |file: &&Found| {
            breaks.iter().any(|broken| (broken.kind, broken.in_set) == (file.kind, file.in_set))
        };
        let is_broken = |file: &Found| breaks.iter().any(|broken| broken.name == file.name);
        let keeps = found.iter().filter(is_looked_at).any(|file| !is_broken(file));
        let texts: Vec<_> = breaks.iter().filter_map(|found| Some(&found.finding.as_ref()?.1[..])).collect();
        if !keeps || !texts.contains(&rule.example) {
            let texts = &texts[..texts.len().min(3)];
            wrong.push(format!(
                "{}: violating samples report {texts:?}; example: {}",
                rule.code, rule.example
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "without a sample, with nothing but such samples, or another example: {wrong:#?}"
    );
}

#[test]
fn exactly_the_fixable_rules_have_a_repaired_sample() {
    let files = ["damaged", "corpus"].into_iter().flat_map(|name| folders::files(&folders::own(name)));
    let repairs = files.flat_map(|(path, bytes)| {
        let kind = folders::kind(&path, &bytes);
        kind.map_or_else(Vec::new, |(kind, options)| kind.repairs(&bytes, &options))
    });
    let mended: BTreeSet<_> = repairs.map(|repair| repair.rule.code).collect();
    assert_eq!(mended, Rule::fixable().map(|rule| rule.code).collect());
}

#[test]
fn every_code_is_a_unique_family_and_name() {
    let codes: Vec<_> = Rule::all().map(|rule| rule.code).collect();
    for (at, code) in codes.iter().enumerate() {
        let plain = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        };
        assert!(code.split_once('/').is_some_and(|(family, name)| plain(family) && plain(name)), "{code}");
        assert!(!codes[..at].contains(code), "{code} is defined twice");
    }
    for rule in Rule::all() {
        assert!(rule.summary.ends_with('.') && rule.why.ends_with('.'), "{}", rule.code);
    }
}

#[test]
fn the_page_of_all_rules_is_fresh() {
    let path = folders::own("../docs").join("rules.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, Rule::page()).expect("the page of rules");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default().replace('\r', "");
    assert!(there == Rule::page(), "docs/rules.md is stale: run BLESS=1 cargo test rules");
}

#[test]
fn numbers_are_checked_in_tables_and_in_text() {
    let found = &*FOUND;
    for (name, place) in [
        ("rules_nan.mesh", "animations[0].frames[1][0].position_y: is NaN"),
        ("rules_habits.x", "tokens[65][9].value: is -1.#IND00"),
    ] {
        let own = found.iter().filter(|found| found.name == name && found.is("any/not-finite"));
        let findings: Vec<_> = own.filter_map(|found| Some(&found.finding.as_ref()?.1[..])).collect();
        assert_eq!(findings, [place], "{name}");
    }
}

#[test]
fn packed_content_is_checked_like_plain_content() {
    let mut faults = 0;
    for (path, bytes) in folders::files(&folders::own("corpus").join("directx")) {
        let Some((FileKind::X, _)) = folders::kind(&path, &bytes) else { continue };
        let plain = X::decode(&bytes).expect("a sample that decodes");
        let Some(encoding) = Encoding::of(&plain).filter(|encoding| !encoding.packed) else { continue };
        let Ok(packed) = plain.convert(Encoding { packed: true, ..encoding }) else { continue };
        let finding = |file: X| {
            let bytes = file.encode().expect("a file");
            let findings = File::X(Box::new(file)).check(&bytes, usize::MAX).findings;
            let finding = findings.into_iter().map(|finding| (finding.rule.code, finding.message));
            // In the order of the file, in which all packed content has one offset.
            finding.collect::<BTreeSet<_>>()
        };
        let (plain, packed) = (finding(plain), finding(packed));
        assert_eq!(plain, packed, "{}", path.display());
        faults += plain.iter().filter(|(code, _)| *code == "any/not-finite").count();
    }
    assert!(faults > 0);
}

#[test]
fn findings_in_xml_have_a_path_that_get_accepts() {
    for name in ["rules.xsf", "rules_value.xsf"] {
        let Sample { bytes, file, .. } = folders::sample(&format!("corpus/cal3d/{name}"));
        let report = file.check(&bytes, 10);
        assert!(!report.findings.is_empty());
        for finding in report.findings {
            assert!(finding.range.end - finding.range.start < 20, "{finding}: {:?}", finding.range);
            let values = file.get_text(&finding.path.to_string()).expect("a place in the file");
            let place = usize::try_from(finding.range.start).expect("small")
                ..usize::try_from(finding.range.end).expect("small");
            let text = String::from_utf8_lossy(&bytes[place]).into_owned();
            assert!(text.starts_with(&values[0].1), "{finding}: {text} {values:?}");
        }
    }
}

#[test]
fn missing_bytes_are_located() {
    let whole = ms3d::long_clip().encode().expect("a clip");
    assert_eq!(FileKind::Ms3d.diagnose(&whole, 1).findings, []);
    let filtered = folders::read("damaged/ms3d/lost_bytes.ms3d");
    let taken = whole.windows(3).position(|bytes| bytes == b"<P>").expect("the key");
    assert_eq!([&whole[..taken], &whole[taken + 3..]].concat(), filtered);
    let start = taken - 13 - 20 * 16;
    let mut located = 0;
    for at in start..start + 23 * 16 {
        for len in [1, 3, 8] {
            let lacking = [&whole[..at], &whole[at + len..]].concat();
            for finding in FileKind::Ms3d.diagnose(&lacking, 1).findings {
                let places = finding.range.start..=finding.range.end;
                assert!(places.contains(&(at as u64)), "{len} bytes at {at}: {finding} {places:?}");
                assert_eq!(finding.message, format!("lacks {len} byte{}", if len == 1 { "" } else { "s" }));
                located += 1;
            }
        }
    }
    assert_eq!(located, 23 * 16 * 3);
}

#[test]
fn a_text_filter_of_all_bytes_is_reversed() {
    let mut undone = 0;
    for Sample { name, kind, options, bytes, .. } in folders::samples("corpus") {
        let line_ends = bytes.iter().flat_map(|byte| match byte {
            b'\n' => vec![b'\r', b'\n'],
            byte => vec![*byte],
        });
        let utf8: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        for filtered in [line_ends.collect(), utf8.into_bytes()] {
            for repair in kind.repairs(&filtered, &options) {
                if repair.rule.code == "any/text-filter" {
                    assert!(repair.apply(&filtered) == bytes, "{name}");
                    undone += 1;
                }
            }
        }
    }
    assert!(undone > 100, "{undone}");
}

#[test]
fn wrong_chunk_headers_are_repaired_and_valid_ones_preserved() {
    for (folder, name, mends) in [
        ("damaged", "face_20_for_18.pskx", true),
        ("damaged", "morph_count.pskx", true),
        ("damaged", "payload_cut.psk", false),
        ("damaged", "wrong_count.psk", false),
        ("corpus", "morphs.pskx", false),
        ("corpus", "unknown.psk", false),
    ] {
        let Sample { kind, options, bytes, file, .. } = folders::sample(&format!("{folder}/psk/{name}"));
        let repairs = file.repairs(&bytes);
        assert_eq!(repairs.len(), usize::from(mends), "{name}");
        for repair in repairs {
            let mended = repair.apply(&bytes);
            let file = kind.decode(&mended, &options).expect("a mended file");
            assert_eq!(file.damage(), None, "{name}");
        }
    }
}

proptest! {
    #![proptest_config(folders::config(16))]

    #[test]
    fn findings_are_within_the_file(entropy in prop::collection::vec(any::<u8>(), 0..2000)) {
        for kind in FileKind::ALL {
            let file = kind.generate(&entropy);
            let Ok(bytes) = file.encode() else { continue };
            for finding in file.check(&bytes, 3).findings {
                prop_assert!(finding.range.start <= finding.range.end, "{finding}");
                prop_assert!(finding.range.end <= bytes.len() as u64, "{finding}");
            }
            let _ = check_set(&[&file, &kind.blank()], 3);
            let _ = file.repairs(&bytes);
        }
    }

    #[test]
    fn damaged_samples_are_checked_after_truncation_at_any_offset(cut in 0.0..1.0_f64) {
        static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
            ["corpus", "damaged"].into_iter().flat_map(folders::small_samples).collect()
        });
        for Sample { name, kind, options, bytes, .. } in SAMPLES.iter() {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "any place will do")]
            let end = (bytes.len() as f64 * cut) as usize;
            let Ok(file) = kind.decode(&bytes[..end], options) else { continue };
            for finding in file.check(&bytes[..end], 3).findings {
                prop_assert!(finding.range.end <= end as u64, "{name}: {finding}");
            }
        }
    }
}

/// How the animation fits the mesh, both of them samples.
fn fit(animation: &str, mesh: &str) -> Option<Fit> {
    let bones = |name: &str| BoneList::of(&folders::sample(name).file).unwrap().expect("a list of bones");
    bones(animation).fit(&bones(mesh))
}

#[test]
fn animations_are_compared_with_meshes_of_their_family() {
    let by_name = fit("corpus/psk/set.psa", "corpus/psk/set.psk").unwrap();
    assert_eq!((by_name.matched, by_name.total, by_name.ignoring_case), (3, 4, 1));
    assert_eq!(
        (by_name.missing_in_mesh, by_name.missing_in_animation),
        (vec!["tail".into()], vec!["root".into()])
    );
    let by_index = fit("corpus/max/set.max-animation.anim", "corpus/max/two.max-skeleton.skel").unwrap();
    assert_eq!((by_index.matched, by_index.total), (2, 3));
    assert_eq!(by_index.missing_in_mesh, ["bone 2"]);
    let by_track = fit("corpus/cal3d/set.caf", "corpus/cal3d/two.csf").unwrap();
    assert!(!by_track.is_complete(), "{by_track:?}");
    assert!(fit("corpus/cal3d/walk.caf", "corpus/cal3d/two.xsf").unwrap().is_complete());
    assert_eq!(fit("corpus/psk/set.psa", "corpus/cal3d/two.csf"), None);
    assert_eq!(fit("corpus/psk/set.psk", "corpus/psk/set.psk"), None);
}

#[test]
fn files_without_bones_of_others_have_no_list_of_bones() {
    for name in ["corpus/ms3d/full.ms3d", "corpus/psk/static.pskx", "corpus/unigine/ms15.mesh"] {
        assert_eq!(BoneList::of(&folders::sample(name).file).unwrap(), None, "{name}");
    }
}

#[test]
fn absolute_paths_of_textures_are_the_same_in_all_formats() {
    for (path, is_absolute) in [
        (&br"C:\models\skin.png"[..], true),
        (b"c:/models/skin.png", true),
        (br"\\server\skin.png", true),
        (br"\skin.png", true),
        (b"/home/me/skin.png", true),
        (b"C:skin.png", false),
        (b"1:/skin.png", false),
        (b"\xc4:/skin.png", false),
        (br".\skin.png", false),
        (b"textures/skin.png", false),
    ] {
        let mut model = Ms3d::blank_file();
        let texture = FixedStr::new(path).expect("a short path");
        model.materials.push(Material { texture, ..Material::default() });
        let maps = vec![cal3d::Map { file: cal3d::Text::new(path), kind: None }];
        let material = cal3d::Material { maps: maps.into(), ..cal3d::Material::default() };
        for (file, code) in [
            (File::Ms3d(Box::new(model)), "ms3d/absolute-path"),
            (File::Cal3dMaterial(Box::new(material.into())), "cal3d/texture-path"),
        ] {
            let report = file.check_valid(9);
            let is_found = report.findings.iter().any(|own| own.rule.code == code);
            assert_eq!(is_found, is_absolute, "{code}: {}", path.escape_ascii());
        }
    }
}

/// The places of findings of a rule in a model.
fn found_in(model: &Ms3d, code: &str) -> Vec<String> {
    let report = File::Ms3d(Box::new(model.clone())).check(&[], usize::MAX);
    let found = report.findings.into_iter().filter(|own| own.rule.code == code);
    found.map(|own| own.path.to_string()).collect()
}

#[test]
fn numbers_below_and_above_a_range_are_found() {
    for (transparency, is_outside) in [(-0.5, true), (0.0, false), (1.0, false), (1.5, true)] {
        let mut model = Ms3d::blank_file();
        model.materials.push(Material { transparency, ..Material::default() });
        let found = found_in(&model, "ms3d/transparency-out-of-range");
        assert_eq!(!found.is_empty(), is_outside, "{transparency}");
    }
}

#[test]
fn directions_shorter_and_longer_than_1_are_found() {
    for (length, is_other) in [(0.0, true), (0.95, true), (0.995, false), (1.005, false), (1.05, true)] {
        let mut model = Ms3d::blank_file();
        let vertex_normals = [[0.0, 0.6, 0.8], [0.0, 0.6 * length, 0.8 * length], [1.0, 0.0, 0.0]];
        model.triangles.push(Triangle { vertex_normals, ..Triangle::default() });
        let found = found_in(&model, "ms3d/normal-not-unit");
        assert_eq!(found == ["triangles[0].vertex_normals[1]"], is_other, "{length}: {found:?}");
        assert_eq!(found.is_empty(), !is_other, "{length}: {found:?}");
    }
}

#[test]
fn times_that_repeat_or_decrease_are_found() {
    for (second, falls) in [(0.5, true), (1.0, true), (1.5, false)] {
        let key = |time| Keyframe { time, ..Keyframe::default() };
        let mut model = Ms3d::blank_file();
        let rotation_keys = [1.0, second, 2.0].map(key).to_vec().into();
        model.joints.push(Joint { rotation_keys, ..Joint::default() });
        let found = found_in(&model, "ms3d/key-order");
        let expected: &[&str] = if falls { &["joints[0].rotation_keys[1].time"] } else { &[] };
        assert_eq!(found, expected, "{second}");
    }
}

#[test]
fn any_two_equal_corners_make_a_triangle_degenerate() {
    for (vertex_indices, is_degenerate) in
        [([0, 1, 2], false), ([0, 0, 2], true), ([0, 1, 1], true), ([0, 1, 0], true)]
    {
        let mut model = Ms3d::blank_file();
        model.vertices = vec![Vertex::default(); 3].into();
        model.triangles.push(Triangle { vertex_indices, ..Triangle::default() });
        let found = found_in(&model, "ms3d/degenerate-triangle");
        assert_eq!(!found.is_empty(), is_degenerate, "{vertex_indices:?}");
    }
}

#[test]
fn extensions_have_names_in_the_text() {
    let mut file = Iqm::blank_file();
    file.sections.extension_0 = Extension { name: 90, ..Extension::default() }.into();
    let report = File::Iqm(Box::new(file)).check(&[], usize::MAX);
    let found = report.findings.iter().find(|own| own.rule.code == "iqm/name-out-of-range");
    assert_eq!(found.map(|own| own.path.to_string()).as_deref(), Some("sections.extension_0.name"));
}
