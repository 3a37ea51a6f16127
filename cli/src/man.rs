//! `bindpose man`: manual pages.

use clap::Command;

use super::json::print_text;
use super::verbs;
use super::write::{Results, below};
use crate::prelude::*;

/// Print the manual page of the command or of a verb
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose man roundtrip | man -l -
  bindpose man --all /usr/local/share/man/man1")]
pub(super) struct Man {
    /// The verb; two words for `report merge`
    #[arg(value_name = "VERB", conflicts_with = "all")]
    verb: Vec<String>,
    /// Write all pages to the directory DIR instead
    #[arg(long, value_name = "DIR", help_heading = "Output options")]
    all: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long, requires = "all", help_heading = "Output options")]
    force: bool,
    /// Print the page as FORMAT
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t = Format::Human,
        conflicts_with = "all",
        help_heading = "Output options"
    )]
    format: Format,
}

impl Verb for Man {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let mut command = verbs::command().disable_help_subcommand(true);
        command.build();
        if let Some(directory) = &self.all {
            let mut results = Results::default();
            add_pages(&command, directory, self.force, &mut results)?;
            results.publish()?;
            return Ok(Exit::Success);
        }
        let mut command = &command;
        for word in &self.verb {
            command = command
                .find_subcommand(word)
                .ok_or_else(|| Failure::usage(format!("unknown verb `{}`", self.verb.join(" "))))?;
        }
        let mut text = Vec::new();
        page(command, &mut text)?;
        print_text(output, self.format, &name(command), &String::from_utf8_lossy(&text))?;
        Ok(Exit::Success)
    }
}

/// Adds the page of a command and, beside it, those of its verbs.
fn add_pages(command: &Command, directory: &Path, force: bool, results: &mut Results) -> Result<()> {
    let mut text = Vec::new();
    page(command, &mut text)?;
    let place = below(directory, Path::new(&format!("{}.1", name(command))))?;
    results.write_below(&place, &text, None, force)?;
    command.get_subcommands().try_for_each(|verb| add_pages(verb, directory, force, results))
}

/// The page that the generator makes, with the short usage, and with a heading that says what follows.
fn page(command: &Command, output: &mut impl Write) -> std::io::Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).title(name(command)).render(&mut page)?;
    let page = String::from_utf8_lossy(&page);
    let usage = command.clone().render_usage().to_string();
    let usage: Vec<_> = usage.trim_start_matches("Usage:").lines().map(str::trim).collect();
    let usage = usage.join("\n.br\n").replace('\\', "\\e").replace('-', "\\-");
    for (index, section) in page.split(".SH ").enumerate() {
        match section.split_once('\n') {
            Some(("SYNOPSIS", _)) => write!(output, ".SH SYNOPSIS\n{usage}\n")?,
            Some(("EXTRA", text)) => match text.strip_prefix("Examples:\n") {
                Some(examples) => write!(output, ".SH EXAMPLES\n{examples}")?,
                None => write!(output, ".SH \"EXIT STATUS\"\n{text}")?,
            },
            _ => write!(output, "{}{section}", if index > 0 { ".SH " } else { "" })?,
        }
    }
    Ok(())
}

/// `bindpose-report-merge`.
fn name(command: &Command) -> String {
    command.get_bin_name().unwrap_or("bindpose").replace(' ', "-")
}
