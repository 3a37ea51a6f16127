//! `bindpose mutate`: a file with one thing wrong.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;

use super::exit::{Exit, Failure};
use super::generate::Series;
use super::json::Lines;
use super::load::{Input, Loaded};
use super::output::Output;
use super::{Common, Format};
use crate::harness::{Mutant, Mutator};
use crate::schema;

/// Change one thing in a file, for testing other programs that read it
///
/// A count that lies, an extreme value, one bit turned, an end in the middle, a value lost or twice: where the file's own
/// structure says that it hurts. The same seed makes the same mutant.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Mutate {
    #[command(flatten)]
    input: Input,
    /// What the mutant is made from; with --count the first of several
    #[arg(long, value_name = "N")]
    seed: u64,
    #[command(flatten)]
    to: Series,
    /// How to say what was changed
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  bindpose mutate hero.ms3d --seed 7 -o broken.ms3d
  bindpose mutate hero.ms3d --seed 1 --count 1000 -o mutants";

#[derive(Serialize)]
struct Line<'a> {
    seed: u64,
    start: usize,
    end: usize,
    field: &'a str,
    change: String,
}

impl Mutate {
    pub fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let Loaded { bytes, file, .. } = self.input.load()?;
        let mutator = Mutator::new(&file, &bytes);
        let own =
            self.input.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let mut lines = Lines::default();
        let mut said = Vec::new();
        let done = self.to.write(self.seed, &|seed| format!("{seed}.{own}"), output, &mut |seed| {
            let Mutant { bytes, mutation, range } = mutator.mutant(seed);
            let mut field = String::new();
            schema::leaf_at(file.value(), range.start as u64, &mut |place, _| field = place.path.to_string());
            let line = Line {
                seed,
                start: range.start,
                end: range.end,
                field: &field,
                change: mutation.to_string(),
            };
            match self.format {
                Format::Json => lines.write(&mut said, &line)?,
                Format::Human if common.quiet => {}
                Format::Human => writeln!(io::stderr(), "{seed}: 0x{:08x} {field} {mutation}", range.start)?,
            }
            Ok(bytes)
        })?;
        output.write_all(&said)?;
        Ok(done)
    }
}
