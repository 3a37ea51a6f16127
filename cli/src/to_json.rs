//! `bindpose to-json`: a whole file as readable, editable text.

use clap::Args;

use super::exit::{Exit, Failure};
use super::load::Input;
use super::output::Output;
use super::write::Out;

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
        loaded.warn_of_damage(&self.input.file);
        self.out.stream(output, |out| loaded.file.to_json(out))?;
        Ok(Exit::Well)
    }
}
