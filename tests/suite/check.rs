//! Every rule has a sample that breaks it and one that does not, and says in its example what is really found.

use std::collections::BTreeMap;

use bindpose::check::Rule;

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
    all
}

#[test]
fn every_rule_is_broken_by_a_sample_and_kept_by_another() {
    let found = found();
    let files: BTreeMap<_, Vec<_>> = found.iter().fold(BTreeMap::new(), |mut files, (family, name, ..)| {
        files.entry(family.as_str()).or_insert_with(Vec::new).push(name);
        files
    });
    for rule in Rule::all() {
        let breaks: Vec<_> = found.iter().filter(|(_, _, code, _)| *code == rule.code).collect();
        let Some((family, ..)) = breaks.first() else { panic!("no sample breaks {}", rule.code) };
        let keeps = files[family.as_str()].iter().any(|name| breaks.iter().all(|(_, own, ..)| own != *name));
        assert!(keeps, "every sample breaks {}", rule.code);
        let texts: Vec<_> = breaks.iter().map(|(.., text)| text.as_str()).take(5).collect();
        let said = breaks.iter().any(|(.., text)| text == rule.example);
        assert!(said, "the example of {} is never found; these are: {texts:#?}", rule.code);
    }
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
