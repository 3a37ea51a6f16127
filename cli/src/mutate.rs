//! `bindpose mutate`: a file with one error.

use std::collections::HashSet;
use std::ffi::OsString;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use twox_hash::XxHash3_128;

use super::generate::Series;
use super::load::Input;
use crate::prelude::*;
use bindpose::harness::{Mutant, Mutation, Mutator};
use bindpose::schema::{self, Value};

/// Introduce one error into a file, for testing readers
///
/// Errors follow the structure of the file: a wrong count, an extreme value, a flipped bit, a truncation, a missing or repeated
/// field. The same seed gives the same mutant.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose mutate hero.ms3d --seed 7 -o broken.ms3d
  bindpose mutate hero.ms3d --seed 1 --count 1000 -o mutants
  bindpose mutate hero.ms3d --seed 1 --mechanism count-most -o greedy.ms3d")]
pub(super) struct Mutate {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    mutants: Mutants,
}

#[derive(Args)]
pub(super) struct Mutants {
    /// Seed of the mutant; with --count, the first seed
    #[arg(long, value_name = "N")]
    seed: u64,
    /// Apply this mechanism [default: chosen by the seed]
    #[arg(long, value_name = "NAME", value_parser = mechanism())]
    mechanism: Option<Mutation>,
    #[command(flatten)]
    to: Series,
}

fn mechanism() -> impl TypedValueParser<Value = Mutation> {
    let values =
        Mutation::ALL.iter().map(|mutation| PossibleValue::new(mutation.name()).help(mutation.sentence()));
    PossibleValuesParser::new(values).try_map(|name| {
        let mutation = Mutation::ALL.iter().copied().find(|mutation| mutation.name() == name);
        mutation.ok_or("unknown mechanism")
    })
}

#[derive(Serialize)]
struct Line {
    seed: u64,
    #[serde(flatten)]
    path: PathName,
    start: usize,
    end: usize,
    field: String,
    mechanism: &'static str,
    change: &'static str,
}

impl Verb for Mutate {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let document = self.input.load()?;
        let of = (&*self.input.file, document.file().value(), document.bytes());
        self.mutants.write(of, output.common.quiet, output)
    }
}

impl Mutants {
    /// Writes mutants of a file with this path, value and bytes.
    pub fn write(
        &self,
        (path, file, bytes): (&Path, &dyn Value, &[u8]),
        quiet: bool,
        output: &mut Output,
    ) -> Result<Exit> {
        let mutator = Mutator::of(file, bytes);
        let (input, own) = (path, path.file_name().unwrap_or_default());
        let name = |seed: &str| {
            let mut name = OsString::from(format!("{seed}."));
            name.push(own);
            name
        };
        let mut known = HashSet::new();
        self.to.write(self.seed, &name, output, &mut |seed, path| {
            let mutant = self
                .mechanism
                .map_or_else(|| Some(mutator.mutant(seed)), |mechanism| mutator.mutant_by(mechanism, seed));
            let Some(Mutant { bytes, mutation, range, .. }) = mutant else {
                let why = format!("{}: no field can be changed by this mechanism", shown(input));
                return Err(Failure::usage(why));
            };
            if !known.insert(XxHash3_128::oneshot(&bytes)) {
                return Ok(None);
            }
            let mut field = String::new();
            schema::leaf_at(file, range.start as u64, &mut |place, _| field = place.path.to_string());
            if self.to.format == Format::Human && !quiet {
                note!("{seed}: 0x{:08x} {field} {mutation}", range.start);
            }
            let line = Line {
                seed,
                path: PathName::of(path),
                start: range.start,
                end: range.end,
                field,
                mechanism: mutation.name(),
                change: mutation.sentence(),
            };
            Ok(Some((bytes, line)))
        })
    }
}
