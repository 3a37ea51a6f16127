//! `bindpose from-json`: rebuild a file from JSON.

use std::path::PathBuf;

use clap::Args;

use super::Common;
use super::exit::{Exit, Failure};
use super::files::shown;
use super::load::{spec_of, verify};
use super::output::Output;
use super::read::Source;
use super::verb::Verb;
use super::write::Out;
use bindpose::File;

/// Rebuild a file from JSON
///
/// Elements may be added and removed: counts follow. Packed parts are packed again only if their content has changed.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct FromJson {
    /// The JSON file; `-` for standard input
    file: PathBuf,
    #[command(flatten)]
    out: Out,
}

const EXAMPLES: &str = "\
Examples:
  bindpose from-json hero.json -o hero.ms3d
  bindpose to-json hero.ms3d | jq '.file.animation.fps = 30' | bindpose from-json - -o hero30.ms3d";

impl Verb for FromJson {
    fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let failed = |failure: Failure| failure.of(shown(&self.file));
        let source = Source::open(&self.file).map_err(|why| failed(Failure::new(Exit::Io, why)));
        let (file, is_of_objects) =
            File::read_any_json(&mut source?).map_err(|error| failed(error.into()))?;
        if let Some(damage) = file.damage() {
            note!("bindpose: {}: describes a damaged file: {damage}", shown(&self.file));
        }
        let bytes = file.encode().map_err(|error| failed(error.into()))?;
        self.out.write(&bytes, output, |written| verify(written, spec_of(&file), &bytes))?;
        if is_of_objects && !common.quiet {
            note!(
                "bindpose: {}: written from objects; white space, comments and number notation are new",
                shown(&self.file)
            );
        }
        Ok(Exit::Well)
    }
}
