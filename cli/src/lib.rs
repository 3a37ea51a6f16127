//! The command `bindpose`: one file per verb, each a thin caller of the library.

// Messages do not stop a run: `note!` ignores that standard error is closed or full, where `eprintln!` panics.
#![deny(clippy::print_stderr, clippy::print_stdout)]

#[macro_use]
mod output;

mod advice;
mod assign;
mod baseline;
mod batch;
mod cache;
mod candidates;
mod check;
mod completions;
mod config;
mod convert;
mod destination;
mod diff;
mod editing;
mod exit;
mod export;
mod extract;
mod files;
mod find;
mod fix;
mod from_json;
#[doc(hidden)]
pub mod fuzz;
mod generate;
mod get;
mod git_setup;
mod info;
mod json;
mod limits;
mod load;
mod losses;
mod man;
mod many;
mod map;
mod matching;

mod merge;
mod mutate;
mod names_table;
mod own;
mod partition;
mod paths;
mod prelude;
mod preview;
mod progress;
mod ranges;
mod read;
#[cfg(test)]
mod reference;
mod refs;
mod remove;
mod rename;
mod report;
mod report_merge;
mod rescue;
mod retarget;
mod roundtrip;
mod scene;
mod scene_summary;
mod schema;
mod selection;
mod set;
mod shrink;
mod sidecars;
mod table;
mod textures;
mod to_json;
mod transform;
mod tree;
mod undo;
mod verbs;
mod verdict;
mod view;
mod write;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{Args, ColorChoice, CommandFactory, FromArgMatches, Parser, ValueEnum};

use exit::{Cause, Exit, Failure};
use output::Output;

pub use own::{Formats, run_format, run_formats};

/// Read, check, edit and convert skeletal mesh and animation files without loss
#[derive(Parser)]
#[command(name = "bindpose", version, max_term_width = 100, arg_required_else_help = true)]
#[command(subcommand_required = true, after_long_help = AFTER_HELP)]
struct Cli {
    #[command(flatten)]
    common: Common,
}

const AFTER_HELP: &str = concat!(
    "\
Exit codes; if several apply, the highest is returned:
  0   success
  1   findings: a damaged file, a violated rule, a difference
  2   invalid arguments
  3   a file could not be read or written
  4   an input has an unsupported format or cannot be decoded
  5   a limit was exceeded
  6   nothing to process: no input files, or nothing in them that can be converted
  70  internal error; please report the file

Manual: ",
    env!("CARGO_PKG_REPOSITORY"),
    "/tree/main/docs"
);

/// The options of every verb.
#[derive(Args, Clone, Copy, Default)]
#[command(next_help_heading = "Global options")]
struct Common {
    /// Use colours: auto, always or never; auto honours `NO_COLOR`
    #[arg(
        long,
        global = true,
        display_order = 100,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true
    )]
    color: ColorChoice,
    /// Print only problems
    #[arg(short, long, global = true, display_order = 100, conflicts_with = "verbose")]
    quiet: bool,
    /// Print more details
    #[arg(short, long, global = true, display_order = 100)]
    verbose: bool,
    /// Print paths with indices, as in the file, instead of the names of objects
    #[arg(long, global = true, display_order = 100)]
    raw_paths: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people; may change between versions
    Human,
    /// JSON Lines; stable
    Json,
}

/// Runs the command with these arguments, the first of them its own name.
#[must_use]
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    status(args).into()
}

/// As [`run`], for programs that are not Rust's own `main`: returns the number of the exit code.
#[must_use]
pub fn status(args: impl IntoIterator<Item = OsString>) -> u8 {
    execute(args) as u8
}

fn execute(args: impl IntoIterator<Item = OsString>) -> Exit {
    let args: Vec<_> = args.into_iter().collect();
    match completions::answer(&args) {
        Ok(false) => {}
        Ok(true) => return Exit::Success,
        // A completion script reads only the exit code.
        Err(_) => return Exit::Usage,
    }
    let (common, verb) = match parse(&args) {
        Ok(parsed) => parsed,
        Err(error) => {
            let error = suggest_verb(error);
            // Help and version go to standard output, errors to standard error.
            let printed = error.print().map_err(|error| Failure::from(output::of_stdout(error)));
            if error.use_stderr() {
                return Exit::Usage;
            }
            return ended(printed.map(|()| Exit::Success));
        }
    };
    exit::quiet_panics();
    undo::begin();
    let mut output = Output::new(common);
    let result = exit::guarded(|| verb.run(&mut output));
    finish(result, output)
}

fn parse(args: &[OsString]) -> Result<(Common, Box<dyn verbs::Verb>), clap::Error> {
    let first = args.get(1).and_then(|arg| arg.to_str()).and_then(verbs::named);
    // Only the arguments of the verb in use are defined: those of all take as long as a small file.
    let mut command = first.map_or_else(verbs::command, |verb| verb.define(Cli::command()));
    let matches = command.try_get_matches_from_mut(args)?;
    let parsed = Common::from_arg_matches(&matches).and_then(|common| Ok((common, verbs::parse(&matches)?)));
    parsed.map_err(|error| error.format(&mut command))
}

/// Verbs of other programs, and the verb that does the same here.
const HABITS: &[(&[&str], &str)] = &[
    (&["validate", "lint"], "check"),
    (&["verify", "test"], "roundtrip"),
    (&["ls", "list", "show", "stat"], "info"),
    (&["dump", "hexdump"], "map"),
    (&["cat", "print", "json"], "to-json"),
    (&["gltf"], "export"),
    (&["grep", "search"], "find"),
    (&["render", "thumbnail", "screenshot"], "preview"),
    (&["edit"], "set"),
    (&["generate"], "gen"),
    (&["ksy", "formats", "imhex"], "schema"),
];

/// Adds the verb that a user of other programs probably means.
fn suggest_verb(mut error: clap::Error) -> clap::Error {
    if error.get(ContextKind::InvalidArg) == Some(&ContextValue::String("--json".to_owned())) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec!["use '--format json'".into()]));
    }
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return error };
    let known = HABITS.iter().find(|(habits, _)| habits.contains(&typed.as_str()));
    if let Some((_, verb)) = known {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![(*verb).to_owned()]));
    }
    error
}

fn finish(result: Result<Exit, Failure>, mut output: Output) -> Exit {
    ended(result.and_then(|exit| Ok(output.flush().map(|()| exit)?)))
}

fn ended(result: Result<Exit, Failure>) -> Exit {
    match result {
        Ok(exit) => exit,
        // The reader of the output has closed the pipe.
        Err(Failure { cause: Cause::ClosedPipe, .. }) => Exit::Success,
        Err(failure) => failure.report(),
    }
}
