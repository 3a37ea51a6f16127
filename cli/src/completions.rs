//! `bindpose completions`: completion scripts for shells.

use clap::Args;
use clap_complete::{Shell, generate};

use super::Common;
use super::exit::{Exit, Failure};
use super::json::print_text;
use super::output::Output;
use super::verb::Verb;
use super::{Format, verbs};

/// Print a completion script for a shell
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose completions bash > ~/.local/share/bash-completion/completions/bindpose")]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
    /// Print the script as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

impl Verb for Completions {
    fn run(&self, _: &Common, output: &mut Output) -> Result<Exit, Failure> {
        // The generator panics when it cannot write; memory always can.
        let mut script = Vec::new();
        generate(self.shell, &mut verbs::command(), "bindpose", &mut script);
        print_text(output, self.format, &self.shell.to_string(), &String::from_utf8_lossy(&script))?;
        Ok(Exit::Well)
    }
}
