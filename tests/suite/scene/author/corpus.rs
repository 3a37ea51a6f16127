//! The law for real files.

use std::collections::BTreeMap;

use bindpose::scene::{Part, Scene, Settings};

use super::families::{cal3d, directx, max, ms3d, unigine, unreal};
use super::law;
use crate::folders;

/// Converts every file to one of the families in turn, or with `BINDPOSE_FAMILIES=all` to every family, which takes ten minutes.
/// Files that exceed a limit are counted, and all others must obey the law.
#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn corpus_files_are_converted() {
    let families = [
        ms3d(None),
        unreal(),
        cal3d(Some("imvu")),
        cal3d(Some("xml")),
        max(None, None),
        unigine(None),
        unigine(Some("ms14")),
        unigine(Some("2.19")),
        directx(None),
    ];
    let mut failures = Vec::new();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let is_whole = std::env::var("BINDPOSE_FAMILIES").is_ok_and(|own| own == "all");
    for (number, (path, bytes)) in folders::some_of_corpus().enumerate() {
        let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
        let Ok(file) = kind.decode(&bytes, &options) else { continue };
        let scene = Scene::of(&[Part { name: "file", file: file.as_scene_source() }], &Settings::default());
        let turn = number % families.len();
        for family in if is_whole { &families[..] } else { &families[turn..=turn] } {
            let outcome = match law(&scene, family) {
                Ok(Ok(same)) if same.losses == 0 => "same",
                Ok(Ok(_)) => "same except for losses",
                Ok(Err(_)) => "refused",
                Err(why) => {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    let why: String = why.chars().take(400).collect();
                    failures.push(format!("{name} as {}: {why}", family.name));
                    "different"
                }
            };
            *counts.entry((family.name, outcome)).or_default() += 1;
        }
    }
    println!("{counts:#?}");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(counts.keys().any(|(_, outcome)| *outcome == "same"), "nothing was converted");
}
