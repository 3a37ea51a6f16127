//! The command as people use it.

mod check;
mod manners;
mod many_files;
mod pipeline;
mod reports;
mod sandbox;

/// The manual: every transcript in this folder shows what the command really prints.
///
/// `TRYCMD=overwrite cargo test --test cli` writes the outputs anew.
#[test]
fn the_manual_shows_what_is_printed() {
    std::env::set_current_dir(sandbox::workspace()).unwrap();
    trycmd::TestCases::new().case("tests/cli/*.md");
}
