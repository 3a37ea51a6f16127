//! `bindpose to-json`: a whole file as readable, editable text.

use clap::Args;

use super::exit::{Exit, Failure};
use super::load::{Input, warn_of_damage};
use super::output::Output;
use super::write::Out;

/// Print a whole file as JSON, which `from-json` turns back into the same bytes
///
/// Derived fields are omitted: counts, lengths, offsets and tags. Text has `\xNN` for bytes that are not UTF-8. Floats are written
/// with the fewest digits that preserve their bits.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct ToJson {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    out: Out,
}

const EXAMPLES: &str = "\
Examples:
  bindpose to-json hero.ms3d -o hero.json
  bindpose to-json hero.ms3d | jq '.file.joints[].name'";

impl ToJson {
    pub fn run(&self, output: &mut Output) -> Result<Exit, Failure> {
        let loaded = self.input.load()?;
        warn_of_damage(loaded.file(), &self.input.file);
        self.out.stream(output, |out| loaded.file().to_json(out))?;
        Ok(Exit::Well)
    }
}
