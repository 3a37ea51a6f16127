//! `tests/conformance`: what any reader of the formats must find in some of the samples. `BLESS=1` rewrites it.

use std::fs;

use crate::sandbox::{Sandbox, sample, workspace};

/// Samples of each format: small ones with many fields, and damaged ones.
const SAMPLES: &[&str] = &[
    "corpus/cal3d/rules.cpf",
    "corpus/cal3d/set.cpf",
    "corpus/cal3d/skin.crf",
    "corpus/cal3d/typed919.crf",
    "corpus/cal3d/walk.caf",
    "corpus/directx/odd_numbers.x",
    "corpus/directx/progressive.x",
    "corpus/directx/set.x",
    "corpus/max/quad.max-mesh.mesh",
    "corpus/max/two.max-skeleton.skel",
    "corpus/max/walk.max-animation.anim",
    "corpus/ms3d/full.ms3d",
    "corpus/ms3d/tent.ms3d",
    "corpus/psk/set.config",
    "corpus/psk/skeleton.psk",
    "corpus/psk/sparse.psa",
    "corpus/psk/static.pskx",
    "corpus/unigine/an10.anim",
    "corpus/unigine/an11.anim",
    "corpus/unigine/ms15.mesh",
    "corpus/unigine/set.mesh",
    "damaged/cal3d/cut_in_key.caf",
    "damaged/directx/unknown_token.x",
    "damaged/max/half_a_matrix.max-animation.anim",
    "damaged/ms3d/after_the_end.ms3d",
    "damaged/ms3d/cut_in_comment.ms3d",
    "damaged/psk/payload_cut.psk",
    "damaged/unigine/cut.anim",
];

#[test]
fn what_readers_must_find_is_fresh() {
    let sandbox = Sandbox::new();
    for path in SAMPLES {
        let [_, family, name] = path.split('/').collect::<Vec<_>>()[..] else { panic!("{path}") };
        sandbox.write(name, sample(path));
        compare(&format!("{family}/{name}"), &sample(path));
        compare(&format!("{family}/{name}.json"), sandbox.run(&["to-json", name]).out.as_bytes());
        let map = sandbox.run(&["map", "--format", "json", name]);
        compare(&format!("{family}/{name}.map"), map.out.as_bytes());
        if path.starts_with("damaged") {
            let (_, damage) = map.err.split_once(": damaged: ").expect("a warning");
            let (place, _) = damage.split_once(": ").expect("a place");
            compare(&format!("{family}/{name}.damage"), format!("{place}\n").as_bytes());
        }
    }
}

fn compare(name: &str, expected: &[u8]) {
    let path = workspace().join("tests/conformance").join(name);
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, expected).expect("a file");
    }
    assert!(fs::read(&path).is_ok_and(|found| found == expected), "{name} differs; BLESS=1 rewrites it");
}
