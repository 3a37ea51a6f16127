//! `bindpose to-json`: a whole file as text that a person can read and change.

use std::path::PathBuf;

use clap::Args;

use super::exit::{Exit, Failure};
use super::load::Input;
use super::output::Output;
use super::write::Draft;

/// Print a whole file as JSON that `from-json` makes the same bytes of
///
/// What follows from the rest is left out: counts, lengths and tags. Texts have `\xNN` for bytes that are no text; floats
/// are spelled in the shortest way that reads back to the same bits.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct ToJson {
    #[command(flatten)]
    input: Input,
    /// Write the result to this file; otherwise to standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Overwrite OUT
    #[arg(long, requires = "output")]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  bindpose to-json hero.ms3d -o hero.json
  bindpose to-json hero.ms3d | jq '.file.joints[].name'";

impl ToJson {
    pub fn run(&self, output: &mut Output) -> Result<Exit, Failure> {
        let loaded = self.input.load()?;
        loaded.warn_of_damage(&self.input.file);
        match &self.output {
            Some(path) if path.as_os_str() != "-" => {
                let failed = |failure: Failure| failure.of(path.display());
                let mut draft = Draft::new(path, self.force).map_err(failed)?;
                loaded.file.to_json(&mut draft).map_err(|error| failed(error.into()))?;
                draft.publish().map_err(failed)?;
            }
            _ => loaded.file.to_json(output)?,
        }
        Ok(Exit::Well)
    }
}
