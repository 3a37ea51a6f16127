//! The sample files in `tests/corpus` and `tests/damaged`, and how each is made.
//!
//! `BLESS=1 cargo test samples` writes them anew; otherwise the tests see that they are what is described here.

mod cal3d;
pub mod directx;
mod max;
pub mod ms3d;
mod psk;
pub mod rules;
pub mod unigine;

use std::fs;

use bindpose::codec::{Outcome, Verdict};
use bindpose::{FormatSpec, Limits};

use crate::folders;

/// A file of our own making.
#[derive(Clone)]
pub struct Sample {
    /// The file's name.
    pub name: String,
    /// How it differs from the others, for the folder's README.
    pub about: &'static str,
    /// The content.
    pub bytes: Vec<u8>,
}

impl Sample {
    pub fn new(name: &str, about: &'static str, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), about, bytes }
    }
}

/// The samples of a family of formats.
pub struct Family {
    /// The folder's name.
    pub folder: &'static str,
    /// Sound files.
    pub sound: Vec<Sample>,
    /// Files that are damaged on purpose.
    pub damaged: Vec<Sample>,
}

pub fn families() -> Vec<Family> {
    vec![ms3d::family(), unigine::family(), cal3d::family(), max::family(), psk::family(), directx::family()]
}

#[test]
fn samples_are_what_their_makers_write() {
    for family in families() {
        compare("corpus", family.folder, "sound", &family.sound);
        compare("damaged", family.folder, "damaged", &family.damaged);
    }
}

fn compare(root: &str, folder: &str, kind: &str, samples: &[Sample]) {
    let folder_path = folders::own(root).join(folder);
    let readme = readme(folder, kind, samples);
    if blessing() {
        fs::create_dir_all(&folder_path).expect("a folder for samples");
        for sample in samples {
            fs::write(folder_path.join(&sample.name), &sample.bytes).expect("a sample");
        }
        fs::write(folder_path.join("README.md"), &readme).expect("the README");
    }
    for sample in samples {
        let there = fs::read(folder_path.join(&sample.name)).unwrap_or_default();
        assert!(
            there == sample.bytes,
            "{root}/{folder}/{} is stale: run BLESS=1 cargo test samples",
            sample.name
        );
    }
    let there = fs::read_to_string(folder_path.join("README.md")).unwrap_or_default().replace('\r', "");
    assert_eq!(there, readme, "{root}/{folder}/README.md is stale: run BLESS=1 cargo test samples");
}

fn readme(folder: &str, kind: &str, samples: &[Sample]) -> String {
    let title = format!("# {folder}: {kind} samples\n\n");
    let origin = format!(
        "All made by `tests/suite/samples/{folder}.rs`, none taken from anywhere. `BLESS=1 cargo test samples` writes them \
         anew.\n\n| file | what is special |\n| --- | --- |\n"
    );
    samples
        .iter()
        .fold(title + &origin, |text, sample| format!("{text}| `{}` | {} |\n", sample.name, sample.about))
}

#[test]
fn damaged_samples_get_their_verdict_and_place() {
    for family in families() {
        for sample in &family.damaged {
            let path = folders::own("damaged").join(family.folder).join(format!("{}.expected", sample.name));
            let verdict = verdict(&sample.name, &sample.bytes);
            assert_ne!(verdict, "lossless\n", "{} is not damaged", sample.name);
            if blessing() {
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for samples");
                fs::write(&path, &verdict).expect("the expectation");
            }
            let expected = fs::read_to_string(&path).unwrap_or_default().replace('\r', "");
            assert_eq!(verdict, expected, "{}", path.display());
        }
    }
}

fn verdict(name: &str, bytes: &[u8]) -> String {
    let Some(spec) = FormatSpec::detect(name.as_ref(), bytes) else { return "unknown-format\n".into() };
    let Outcome { verdict, opaque, rest, .. } = spec.kind.roundtrip(bytes, &spec.options(Limits::default()));
    match verdict {
        Verdict::Lossless => "lossless\n".into(),
        Verdict::Damaged(error) => format!("damaged, {opaque} opaque, {rest} rest\n{error}\n"),
        Verdict::Undecodable(error) => format!("undecodable\n{error}\n"),
        Verdict::Limit(error) => format!("limit\n{error}\n"),
        Verdict::NotLossless(error) => panic!("{name}: {error}"),
    }
}

fn blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}
