//! `bindpose completions`: for shells.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use super::Cli;
use super::exit::{Exit, Failure};
use super::output::Output;

/// Print the completions for a shell
#[derive(Args)]
#[command(after_long_help = "\
Example:
  bindpose completions bash > ~/.local/share/bash-completion/completions/bindpose")]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub fn run(&self, output: &mut Output) -> Result<Exit, Failure> {
        // The generator panics when it cannot write; memory always can.
        let mut script = Vec::new();
        generate(self.shell, &mut Cli::command(), "bindpose", &mut script);
        output.write_all(&script)?;
        Ok(Exit::Well)
    }
}
