//! The page of all commands in the manual is what the arguments are defined as.

use std::fmt::Write as _;
use std::path::Path;

use clap::{Arg, Command};

use super::verbs;

#[test]
fn the_command_reference_is_fresh() {
    assert_fresh("docs/commands.md", &page());
}

/// The verbs, options and values that scripts depend on, one line each, so that a break is seen in review.
#[test]
fn the_contract_of_the_command_is_listed() {
    let mut command = verbs::command().disable_help_subcommand(true);
    command.build();
    let mut fresh = String::new();
    contract(&command, &mut fresh);
    assert_fresh("tests/api/command.txt", &fresh);
}

/// Compares a file with what it is generated from, which replaces it if the environment has BLESS.
fn assert_fresh(name: &str, fresh: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, fresh).expect("the file");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default().replace('\r', "");
    assert!(there == fresh, "{name} is stale: run BLESS=1 cargo test -p bindpose-cli reference");
}

fn contract(command: &Command, listing: &mut String) {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let is_root = command.get_name() == "bindpose";
    for arg in command.get_arguments().filter(|arg| is_root || !arg.is_global_set()) {
        let short = arg.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
        let required = if arg.is_required_set() { " (required)" } else { "" };
        let values: Vec<_> =
            arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        let takes = arg.get_action().takes_values() && !values.is_empty();
        let values = if takes { format!(": {}", values.join(" ")) } else { String::new() };
        _ = writeln!(listing, "{name} {short}{arg}{required}{values}");
    }
    command.get_subcommands().for_each(|verb| contract(verb, listing));
}

fn page() -> String {
    let mut command = verbs::command().disable_help_subcommand(true);
    command.build();
    let mut page = String::from("# Command reference\n\n");
    let text = command.get_about().map(ToString::to_string).unwrap_or_default();
    _ = writeln!(
        page,
        "{} This page is generated; `bindpose COMMAND --help` prints the same.\n",
        sentence(&text)
    );
    _ = writeln!(page, "## Options of every command\n");
    options(&command, &mut page, &|arg| arg.is_global_set());
    _ = writeln!(
        page,
        "```text\n{}\n```",
        command.get_after_long_help().map(ToString::to_string).unwrap_or_default()
    );
    command.get_subcommands().for_each(|verb| section(verb, &mut page));
    page
}

/// A command with its usage, its options and its examples.
fn section(command: &Command, page: &mut String) {
    let name = command.get_bin_name().unwrap_or_default().to_owned();
    _ = writeln!(page, "\n## {name}\n");
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    _ = writeln!(page, "{}\n", sentence(&about));
    let usage = command.clone().render_usage().to_string();
    _ = writeln!(page, "```text\n{}\n```\n", usage.trim());
    options(command, page, &|arg| !arg.is_global_set() && !arg.is_hide_set());
    if let Some(help) = command.get_after_long_help() {
        _ = writeln!(page, "```text\n{help}\n```");
    }
    command.get_subcommands().for_each(|verb| section(verb, page));
}

fn options(command: &Command, page: &mut String, filter: &dyn Fn(&Arg) -> bool) {
    let ids = |arg: &&Arg| !matches!(arg.get_id().as_str(), "help" | "version");
    for arg in command.get_arguments().filter(ids).filter(|arg| filter(arg)) {
        let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
        let usage = arg.to_string();
        let short = arg.get_short().map(|short| format!("`-{short}`, ")).unwrap_or_default();
        _ = write!(page, "* {short}`{usage}`: {}", sentence(&help).replace('\n', "\n  "));
        let hidden = arg.is_hide_possible_values_set();
        let values: Vec<_> =
            arg.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
        if arg.get_action().takes_values() && !values.is_empty() && !hidden {
            _ = write!(page, " Values: {}.", values.join(", "));
        }
        let default: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if arg.get_action().takes_values() && !default.is_empty() {
            _ = write!(page, " Default: `{}`.", default.join(" "));
        }
        page.push('\n');
    }
    page.push('\n');
}

fn sentence(text: &str) -> String {
    if text.is_empty() || text.ends_with(['.', ':', '`']) { text.to_owned() } else { format!("{text}.") }
}
