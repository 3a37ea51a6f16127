//! The verbs, in the order of the help.

use clap::{ArgMatches, Args, Command, CommandFactory};

use super::exit::{Exit, Failure};
use super::files::check_stdin;
use super::output::Output;
use super::{
    Cli, check, completions, convert, diff, export, extract, find, from_json, generate, get, git_setup, info,
    man, map, merge, mutate, preview, refs, remove, rename, report_merge, rescue, roundtrip, schema, set,
    shrink, to_json, transform, tree, undo, view,
};

/// The arguments of a verb, and what it does with them.
pub(super) trait Verb {
    fn run(&self, output: &mut Output) -> Result<Exit, Failure>;
}

const VERBS: &[Named] = &[
    Named::new::<roundtrip::Roundtrip>("roundtrip"),
    Named::new::<check::Check>("check"),
    Named::new::<info::Info>("info"),
    Named::new::<tree::Tree>("tree"),
    Named::new::<find::Find>("find"),
    Named::new::<map::Map>("map"),
    Named::new::<get::Get>("get"),
    Named::new::<refs::Refs>("refs"),
    Named::new::<set::Set>("set"),
    Named::new::<undo::Undo>("undo"),
    Named::new::<rename::Rename>("rename"),
    Named::new::<remove::Remove>("remove"),
    Named::new::<extract::Extract>("extract"),
    Named::new::<merge::Merge>("merge"),
    Named::new::<transform::Transform>("transform"),
    Named::new::<diff::Diff>("diff"),
    Named::new::<to_json::ToJson>("to-json"),
    Named::new::<from_json::FromJson>("from-json"),
    Named::new::<rescue::Rescue>("rescue"),
    Named::new::<convert::Convert>("convert"),
    Named::new::<export::Export>("export"),
    Named::new::<preview::Preview>("preview"),
    Named::new::<view::View>("view"),
    Named::new::<schema::Schema>("schema"),
    Named::new::<generate::Gen>("gen"),
    Named::new::<mutate::Mutate>("mutate"),
    Named::new::<shrink::Shrink>("shrink"),
    Named::new::<report_merge::Report>("report"),
    Named::new::<git_setup::GitSetup>("git-setup"),
    Named::new::<completions::Completions>("completions"),
    Named::new::<man::Man>("man"),
];

/// A verb by its name.
pub(super) struct Named {
    name: &'static str,
    augment: fn(Command) -> Command,
    parse: fn(&ArgMatches) -> Result<Box<dyn Verb>, clap::Error>,
}

impl Named {
    const fn new<V: Verb + Args + 'static>(name: &'static str) -> Self {
        Self { name, augment: V::augment_args, parse: |matches| Ok(Box::new(V::from_arg_matches(matches)?)) }
    }

    pub fn define(&self, command: Command) -> Command {
        command.subcommand((self.augment)(Command::new(self.name)))
    }
}

pub(super) fn named(name: &str) -> Option<&'static Named> {
    VERBS.iter().find(|verb| verb.name == name)
}

pub(super) fn command() -> Command {
    VERBS.iter().fold(Cli::command(), |command, verb| verb.define(command))
}

/// The verb that was given and its arguments.
pub(super) fn parse(matches: &ArgMatches) -> Result<Box<dyn Verb>, clap::Error> {
    check_stdin(matches)?;
    let given = matches.subcommand().and_then(|(name, matches)| Some((named(name)?, matches)));
    let (verb, matches) = given.ok_or_else(|| clap::Error::new(clap::error::ErrorKind::MissingSubcommand))?;
    (verb.parse)(matches)
}
