//! `bindpose mutate`: a file with one thing wrong.

use std::fmt;
use std::io::{self, Write};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::Serialize;

use super::exit::{Exit, Failure};
use super::generate::Series;
use super::load::{Input, Loaded};
use super::output::Output;
use super::{Common, Format};
use bindpose::harness::{Mutant, Mutation, Mutator};
use bindpose::schema;

/// Change one thing in a file, for testing other programs that read it
///
/// A count that lies, an extreme value, one bit turned, an end in the middle, a value lost or twice: where the file's own
/// structure says that it hurts. The same seed makes the same mutant. What a mechanism does is said as the end of a
/// sentence that begins with the field it is done to.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Mutate {
    #[command(flatten)]
    input: Input,
    /// What the mutant is made from; with --count the first of several
    #[arg(long, value_name = "N")]
    seed: u64,
    /// Change it by this mechanism only; without it the seed chooses one
    #[arg(long, value_name = "NAME", value_parser = mechanism())]
    mechanism: Option<Mutation>,
    #[command(flatten)]
    to: Series,
}

const EXAMPLES: &str = "\
Examples:
  bindpose mutate hero.ms3d --seed 7 -o broken.ms3d
  bindpose mutate hero.ms3d --seed 1 --count 1000 -o mutants
  bindpose mutate hero.ms3d --seed 1 --mechanism count-most -o greedy.ms3d";

/// The mechanisms by their names.
fn mechanism() -> impl TypedValueParser<Value = Mutation> {
    let values =
        Mutation::ALL.iter().map(|mutation| PossibleValue::new(mutation.name()).help(mutation.sentence()));
    PossibleValuesParser::new(values).try_map(|name| {
        let mutation = Mutation::ALL.iter().copied().find(|mutation| mutation.name() == name);
        mutation.ok_or("is not a mechanism")
    })
}

#[derive(Serialize)]
struct Line<'a> {
    seed: u64,
    path: fmt::Arguments<'a>,
    start: usize,
    end: usize,
    field: &'a str,
    mechanism: &'static str,
    change: &'static str,
}

impl Mutate {
    pub fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let Loaded { bytes, file, .. } = self.input.load()?;
        let mutator = Mutator::new(&file, &bytes);
        let own =
            self.input.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        self.to.write(self.seed, &|seed| format!("{seed}.{own}"), output, &mut |seed, path, said| {
            let mutant = self
                .mechanism
                .map_or_else(|| Some(mutator.mutant(seed)), |mechanism| mutator.mutant_by(mechanism, seed));
            let Some(Mutant { bytes, mutation, range }) = mutant else {
                let what = self.input.file.display();
                return Err(Failure::new(Exit::Usage, format!("{what}: nothing in it can be changed so")));
            };
            let mut field = String::new();
            schema::leaf_at(file.value(), range.start as u64, &mut |place, _| field = place.path.to_string());
            let line = Line {
                seed,
                path: format_args!("{}", path.display()),
                start: range.start,
                end: range.end,
                field: &field,
                mechanism: mutation.name(),
                change: mutation.sentence(),
            };
            said.add(&line)?;
            if self.to.format == Format::Human && !common.quiet {
                writeln!(io::stderr(), "{seed}: 0x{:08x} {field} {mutation}", range.start)?;
            }
            Ok(bytes)
        })
    }
}
