//! `bindpose completions`: scripts for shells, which ask the command itself what can follow.

use std::env;
use std::ffi::OsString;

use clap::builder::PossibleValuesParser;
use clap_complete::CompleteEnv;
use clap_complete::env::Shells;

use super::candidates;
use super::json::print_text;
use super::verbs;
use crate::prelude::*;

/// The variable in which a script states its shell.
const VARIABLE: &str = "BINDPOSE_COMPLETE";

/// Answers a script that asks what can follow, given the arguments of the process. Returns whether it did.
pub(super) fn answer(args: &[OsString]) -> Result<bool, clap::Error> {
    let Some(at) = env::var_os(VARIABLE).and_then(|_| args.iter().position(|arg| arg == "--")) else {
        return Ok(false);
    };
    let command = || candidates::complete(verbs::command(), &args[at + 1..]);
    CompleteEnv::with_factory(command).var(VARIABLE).try_complete(args, env::current_dir().ok().as_deref())
}

/// Print a completion script for a shell
///
/// The script completes verbs, options, formats, rules, and the names and paths in the files that are on the command line. It runs
/// `bindpose` for that.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose completions bash > ~/.local/share/bash-completion/completions/bindpose")]
pub(super) struct Completions {
    /// The shell
    #[arg(value_parser = PossibleValuesParser::new(Shells::builtins().names()))]
    shell: String,
    /// Print the script as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

impl Verb for Completions {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let mut script = Vec::new();
        if let Some(shell) = Shells::builtins().completer(&self.shell) {
            shell.write_registration(VARIABLE, "bindpose", "bindpose", "bindpose", &mut script)?;
        }
        print_text(output, self.format, &self.shell, &String::from_utf8_lossy(&script))?;
        Ok(Exit::Success)
    }
}
