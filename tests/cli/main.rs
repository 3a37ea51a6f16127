//! Tests of the command.

mod agree;
mod check;
mod contract;
mod depot;
mod edits;
mod hostile_names;
mod images;
mod in_place;
mod manners;
mod many_files;
mod memory;
mod page;
mod picture;
mod pipeline;
mod reports;
mod sandbox;
mod selection;
mod sets;
mod side_files;

/// The files that the pages of the manual name, with the samples that they are copies of.
const FILES: [(&str, &str); 11] = [
    ("hero.ms3d", "corpus/ms3d/full.ms3d"),
    ("truncated.ms3d", "damaged/ms3d/cut_in_keys.ms3d"),
    ("body.psk", "corpus/psk/set.psk"),
    ("run.psa", "corpus/psk/set.psa"),
    ("hero.x", "corpus/directx/skinned.x"),
    ("hero.max-skeleton.skel", "corpus/max/two.max-skeleton.skel"),
    ("walk.max-animation.anim", "corpus/max/walk.max-animation.anim"),
    ("assets/hero.ms3d", "corpus/ms3d/full.ms3d"),
    ("assets/truncated.ms3d", "damaged/ms3d/cut_in_keys.ms3d"),
    ("assets/plane.psk", "corpus/psk/plane.psk"),
    ("assets/readme.md", "corpus/psk/README.md"),
];

/// The manual and the transcripts in this folder show the output of the commands.
///
/// The commands of all pages run in one directory, beside copies of the sample folders; those of a page with a folder
/// `<page>.in` run in a copy of that. `TRYCMD=overwrite cargo test -p bindpose-cli --test cli` rewrites the outputs.
#[test]
fn the_manual_shows_the_output_of_its_commands() {
    let sandbox = sandbox::Sandbox::new();
    for name in ["tests/corpus", "tests/damaged", "schemas", "LICENSE-MIT"] {
        sandbox.copy(name);
    }
    for (name, sample) in FILES {
        sandbox.write(name, sandbox::sample(sample));
    }
    std::env::set_current_dir(sandbox.path("")).unwrap();
    let cases = trycmd::TestCases::new();
    for pages in ["tests/cli/*.md", "docs/*.md", "docs/guide/*.md", "docs/formats/*.md"] {
        cases.case(sandbox::workspace().join(pages));
    }
    cases.run();
    std::env::set_current_dir(sandbox::workspace()).unwrap();
}
