//! The command as people use it.

mod check;
mod manners;
mod many_files;
mod picture;
mod pipeline;
mod reports;
mod sandbox;

/// The manual: every transcript in this folder shows what the command prints.
///
/// The commands run beside copies of the sample folders, where they may create files.
/// `TRYCMD=overwrite cargo test -p bindpose-cli --test cli` rewrites the outputs.
#[test]
fn the_manual_shows_what_is_printed() {
    let sandbox = sandbox::Sandbox::new();
    for name in ["tests/corpus", "tests/damaged", "schemas", "LICENSE-MIT"] {
        sandbox.copy(name);
    }
    std::env::set_current_dir(sandbox.path("")).unwrap();
    trycmd::TestCases::new().case(sandbox::workspace().join("tests/cli/*.md"));
    std::env::set_current_dir(sandbox::workspace()).unwrap();
}
