//! `bindpose gen`: generate files from a seed.

use std::ffi::OsString;
use std::num::NonZero;

use clap::builder::TypedValueParser;

use super::destination::Destination;
use super::many::some;
use super::write::{Results, below};
use crate::prelude::*;
use bindpose::harness;

/// Generate files of a format, for testing readers
///
/// Generated files decode without damage, but their values are random: any bit pattern, text with junk, lists of any small length,
/// optional parts present or missing. Use `mutate` for damaged files. The dialect is the first one unless specified. The same seed
/// gives the same file.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose gen psk --seed 7 -o seven.psk
  bindpose gen cal3d-mesh:imvu --seed 1 --count 500 -o meshes")]
pub(super) struct Gen {
    /// The format, and the dialect if it has several
    #[arg(value_name = "FORMAT[:DIALECT]")]
    spec: FormatSpec,
    /// Seed of the file; with --count, the first seed
    #[arg(long, value_name = "N")]
    seed: u64,
    /// Bytes of random input; more give larger files
    #[arg(long, value_name = "BYTES", default_value_t = 1000, value_parser = size())]
    size: usize,
    #[command(flatten)]
    to: Series,
}

/// The bytes of random input.
pub(super) fn size() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u32).range(..=1 << 26).map(|size| size as usize)
}

#[derive(Args)]
pub(super) struct Series {
    /// Write N different files, from consecutive seeds, to the directory OUT
    #[arg(long, value_name = "N", value_parser = some::<NonZero<u64>>, help_heading = "Output options")]
    count: Option<NonZero<u64>>,
    /// Write to the file OUT, with --count to the directory OUT; `-` for standard output
    #[arg(short, long, value_name = "OUT", help_heading = "Output options")]
    output: PathBuf,
    /// Overwrite existing files
    #[arg(long, help_heading = "Output options")]
    force: bool,
    /// Print what was written as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    pub format: Format,
}

#[derive(Serialize)]
pub(super) struct Line {
    pub seed: u64,
    #[serde(flatten)]
    pub path: PathName,
    pub bytes: usize,
}

impl Verb for Gen {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let none = || Failure::usage(format!("cannot generate a file of {} from this seed", self.spec));
        let (spec, extension) = (self.spec.to_string().replace(':', "+"), self.extension());
        // The name states the format unless the extension does.
        let suffix = if spec == extension { spec } else { format!("{spec}.{extension}") };
        let name = |seed: &str| format!("{seed}.{suffix}").into();
        self.to.write(self.seed, &name, output, &mut |seed, path| {
            let (_, bytes) = harness::generate(self.spec, seed, self.size).ok_or_else(none)?;
            let line = Line { seed, path: PathName::of(path), bytes: bytes.len() };
            Ok(Some((bytes, line)))
        })
    }
}

impl Gen {
    fn extension(&self) -> &'static str {
        let own = self.spec.kind.info().extensions;
        // Files of text have an extension of their own.
        let is_text = |extension: &&&str| self.spec.dialect == Some("xml") && extension.starts_with('x');
        own.iter().find(is_text).or(own.first()).copied().unwrap_or("bin")
    }
}

impl Series {
    /// Writes the file of a seed, or the series of files that begins with it.
    pub fn write<L: Serialize>(
        &self,
        seed: u64,
        name: &dyn Fn(&str) -> OsString,
        output: &mut Output,
        make: &mut Make<'_, L>,
    ) -> Result<Exit> {
        let mut lines = Vec::new();
        match self.count {
            None => {
                let destination = Destination::named(&self.output, self.force).free_for(self.format)?;
                if let Some((bytes, line)) = make(seed, &self.output)? {
                    destination.write(&bytes, output, None)?;
                    lines.push(line);
                }
            }
            Some(_) if is_stdout(&self.output) => {
                let why = "--count requires a directory; use -o DIR";
                return Err(Failure::usage(why));
            }
            Some(count) => self.write_series(seed, count.get(), name, &mut lines, make)?,
        }
        if self.format == Format::Json {
            lines.iter().try_for_each(|line| output.json_line(line))?;
        }
        Ok(Exit::Success)
    }

    /// Writes `count` different files from consecutive seeds, or none.
    fn write_series<L>(
        &self,
        seed: u64,
        count: u64,
        name: &dyn Fn(&str) -> OsString,
        lines: &mut Vec<L>,
        make: &mut Make<'_, L>,
    ) -> Result<()> {
        let mut results = Results::default();
        // Names have the same length, so that they are in the order of the seeds.
        let width = seed.saturating_add(count - 1).to_string().len();
        let mut next = 0;
        while (lines.len() as u64) < count && next < count.saturating_mul(SEEDS) {
            let seed = seed.wrapping_add(next);
            let place = below(&self.output, Path::new(&name(&format!("{seed:0width$}"))))?;
            if let Some((bytes, line)) = make(seed, place.path())? {
                results.write_below(&place, &bytes, None, self.force)?;
                lines.push(line);
            }
            next += 1;
        }
        results.publish()?;
        if (lines.len() as u64) < count {
            note!("bindpose: {}: only {} different files", shown(&self.output), lines.len());
        }
        Ok(())
    }
}

/// The number of seeds that are tried for each file of a series.
const SEEDS: u64 = 64;

/// Generates the file of a seed for this path, and its line in the machine output; none if it equals an earlier one.
type Make<'a, L> = dyn FnMut(u64, &Path) -> Result<Option<(Vec<u8>, L)>> + 'a;
