//! Every rule has a sample that breaks it and one that does not, and says in its example what is really found.

use std::collections::BTreeMap;

use bindpose::FileKind;
use bindpose::check::{Finding, Rule};
use bindpose::formats::check_set;
use proptest::prelude::*;

use crate::folders;

/// What is found in each of our own samples: family, file, the code of the rule and the finding.
fn found() -> Vec<(String, String, &'static str, String)> {
    let mut all = Vec::new();
    for folder in ["corpus", "damaged"] {
        for (path, bytes) in folders::files(&folders::own(folder)) {
            let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
            let Ok(file) = kind.decode(&bytes, &options) else { continue };
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let family = kind.name().split('-').next().unwrap_or_default().to_owned();
            let report = file.check(&bytes, usize::MAX);
            assert!(report.more.is_empty(), "{name}");
            all.push((family.clone(), name.clone(), "", String::new()));
            all.extend(report.findings.into_iter().map(|finding| {
                assert!(finding.range.end <= bytes.len() as u64, "{name}: {finding}");
                (family.clone(), name.clone(), finding.rule.code, finding.to_string())
            }));
        }
    }
    all.extend(SETS.iter().flat_map(|set| found_in_set(set)));
    all
}

/// Samples that are checked together.
const SETS: &[&[&str]] = &[
    &["psk/set.psk", "psk/set.psa", "psk/set.config"],
    &["psk/plane.psk", "psk/set_strangers.psa"],
    &["psk/plane.psk", "psk/wave.psa", "psk/tracks.config"],
    &["unigine/set.mesh", "unigine/set.anim"],
    &["unigine/set.mesh", "unigine/set_strangers.anim"],
    &["cal3d/two.csf", "cal3d/set.caf", "cal3d/set.cmf", "cal3d/set.cpf"],
    &["max/two.max-skeleton.skel", "max/set.max-animation.anim", "max/set.max-mesh.mesh"],
    &["directx/skinned.x", "directx/set.x"],
];

fn found_in_set(set: &[&str]) -> Vec<(String, String, &'static str, String)> {
    let load = |name: &&str| {
        let path = folders::own("corpus").join(name);
        let bytes = std::fs::read(&path).expect("a sample");
        let (kind, options) = folders::kind(&path, &bytes).expect("a sample of a known format");
        kind.decode(&bytes, &options).expect("a sample that decodes")
    };
    let files: Vec<_> = set.iter().map(load).collect();
    let reports = check_set(&files.iter().collect::<Vec<_>>(), usize::MAX);
    let told = reports.into_iter().zip(&files).zip(set).flat_map(|((report, file), name)| {
        let family = file.kind().name().split('-').next().unwrap_or_default().to_owned();
        let found = move |finding: Finding| {
            (family.clone(), (*name).to_owned(), finding.rule.code, finding.to_string())
        };
        report.findings.into_iter().map(found)
    });
    told.collect()
}

#[test]
fn files_that_belong_together_find_each_other() {
    let sound: &[&[&str]] = &[
        &["psk/plane.psk", "psk/wave.psa", "psk/tracks.config"],
        &["cal3d/two.csf", "cal3d/walk.caf", "cal3d/morphs1301.cmf", "cal3d/smile.cpf"],
        &["max/two.max-skeleton.skel", "max/walk.max-animation.anim", "max/quad.max-mesh.mesh"],
    ];
    for set in sound {
        assert_eq!(found_in_set(set), [], "{set:?}");
    }
}

#[test]
fn every_rule_is_broken_by_a_sample_and_kept_by_another() {
    let found = found();
    let files: BTreeMap<_, Vec<_>> = found.iter().fold(BTreeMap::new(), |mut files, (family, name, ..)| {
        files.entry(family.as_str()).or_insert_with(Vec::new).push(name);
        files
    });
    let mut wrong = Vec::new();
    for rule in Rule::all() {
        let breaks: Vec<_> = found.iter().filter(|(_, _, code, _)| *code == rule.code).collect();
        let keeps = breaks.first().is_none_or(|(family, ..)| {
            files[family.as_str()].iter().any(|name| breaks.iter().all(|(_, own, ..)| own != *name))
        });
        let said = breaks.iter().any(|(.., text)| text == rule.example);
        if breaks.is_empty() || !keeps || !said {
            let texts: Vec<_> = breaks.iter().map(|(.., text)| text.as_str()).take(3).collect();
            wrong.push(format!("{}: breaking samples say {texts:?}; example: {}", rule.code, rule.example));
        }
    }
    assert!(
        wrong.is_empty(),
        "without a sample, with nothing but such samples, or another example: {wrong:#?}"
    );
}

#[test]
fn every_code_is_a_family_and_a_name_and_stands_once() {
    let codes: Vec<_> = Rule::all().map(|rule| rule.code).collect();
    for (at, code) in codes.iter().enumerate() {
        let plain = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        };
        assert!(code.split_once('/').is_some_and(|(family, name)| plain(family) && plain(name)), "{code}");
        assert!(!codes[..at].contains(code), "{code} stands twice");
    }
    for rule in Rule::all() {
        assert!(rule.says.ends_with('.') && rule.why.ends_with('.'), "{}", rule.code);
    }
}

#[test]
fn the_page_of_all_rules_is_fresh() {
    let path = folders::own("..").join("RULES.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, Rule::page()).expect("the page of rules");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default().replace('\r', "");
    assert!(there == Rule::page(), "RULES.md is stale: run BLESS=1 cargo test rules");
}

#[test]
fn headers_that_lie_are_mended_and_sound_ones_left_alone() {
    for (folder, name, mends) in [
        ("damaged", "face_20_for_18.pskx", true),
        ("damaged", "morph_count.pskx", true),
        ("damaged", "payload_cut.psk", false),
        ("damaged", "count_lies.psk", false),
        ("corpus", "morphs.pskx", false),
        ("corpus", "unknown.psk", false),
    ] {
        let path = folders::own(folder).join("psk").join(name);
        let bytes = std::fs::read(&path).expect("a sample");
        let (kind, options) = folders::kind(&path, &bytes).expect("a sample of a known format");
        let repairs = kind.decode(&bytes, &options).expect("a sample that decodes").repairs(&bytes);
        assert_eq!(repairs.len(), usize::from(mends), "{name}");
        for repair in repairs {
            let mended = repair.apply(&bytes);
            assert_eq!(mended.len(), bytes.len());
            let file = kind.decode(&mended, &options).expect("a mended file");
            assert_eq!(file.damage(), None, "{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_is_in_a_file_findings_lie_within_it(entropy in prop::collection::vec(any::<u8>(), 0..2000)) {
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
    fn damaged_samples_are_checked_wherever_they_are_cut(cut in 0.0..1.0_f64) {
        for folder in ["corpus", "damaged"] {
            for (path, bytes) in folders::files(&folders::own(folder)) {
                let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "any place will do")]
                let end = (bytes.len() as f64 * cut) as usize;
                let Ok(file) = kind.decode(&bytes[..end], &options) else { continue };
                for finding in file.check(&bytes[..end], 3).findings {
                    prop_assert!(finding.range.end <= end as u64, "{}: {finding}", path.display());
                }
            }
        }
    }
}
