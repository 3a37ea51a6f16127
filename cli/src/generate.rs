//! `bindpose gen`: files of a format out of a seed.

use std::io::{self, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use clap::Args;
use serde::Serialize;

use super::exit::{Exit, Failure};
use super::json::Lines;
use super::many::some;
use super::output::Output;
use super::write::Target;
use super::{Common, Format};
use bindpose::{FormatSpec, harness};

/// Make files of a format, for testing other programs that read it
///
/// Lists of any small length, any bit pattern in values, texts with junk, optional parts there and not there: what the
/// format can hold, sensible or not, but never damaged; `mutate` makes damaged files of them. The dialect is the one that is
/// named, otherwise the first. The same seed makes the same file.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Gen {
    /// The format, and the dialect where it has several
    #[arg(value_name = "FORMAT[:DIALECT]")]
    spec: FormatSpec,
    /// What the file is made from; with --count the first of several
    #[arg(long, value_name = "N")]
    seed: u64,
    /// How many bytes of chance go into a file; large files need more
    #[arg(long, value_name = "BYTES", default_value_t = 1000)]
    size: usize,
    #[command(flatten)]
    to: Series,
}

/// Where one file, or a series of them, goes.
#[derive(Args)]
pub(super) struct Series {
    /// Make this many, from this seed and those behind it, into the folder OUT
    #[arg(long, value_name = "N", value_parser = some::<NonZero<u64>>)]
    count: Option<NonZero<u64>>,
    /// Write to this file, or with --count into this folder; `-` for standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Overwrite what is there
    #[arg(long)]
    force: bool,
    /// How to say what was written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

/// A file that was made.
#[derive(Serialize)]
struct Line<'a> {
    seed: u64,
    path: fmt::Arguments<'a>,
    bytes: usize,
}

const EXAMPLES: &str = "\
Examples:
  bindpose gen psk --seed 7 -o seven.psk
  bindpose gen cal3d-mesh:imvu --seed 1 --count 500 -o meshes";

impl Gen {
    pub fn run(&self, _common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let none = || Failure::new(Exit::Usage, format!("no file of {} came of this seed", self.spec));
        let name = |seed| format!("{seed}.{}.{}", self.spec.to_string().replace(':', "+"), self.extension());
        self.to.write(self.seed, &name, output, &mut |seed, path, lines| {
            let (_, bytes) = harness::generate(self.spec, seed, self.size).ok_or_else(none)?;
            lines.add(&Line { seed, path: format_args!("{}", path.display()), bytes: bytes.len() })?;
            Ok(bytes)
        })
    }

    fn extension(&self) -> &'static str {
        let own = self.spec.kind.info().extensions.iter().map(|extension| extension.trim_start_matches('*'));
        // Files of text have an extension of their own.
        let text =
            own.clone().find(|extension| self.spec.dialect == Some("xml") && extension.starts_with('x'));
        text.or(own.clone().next()).unwrap_or("bin")
    }
}

impl Series {
    /// Writes the file of a seed, or the series that begins with it, each under its name.
    pub fn write(
        &self,
        seed: u64,
        name: &dyn Fn(u64) -> String,
        output: &mut Output,
        make: &mut Make<'_>,
    ) -> Result<Exit, Failure> {
        let mut said = Said::default();
        let mut write = |seed, path: &Path| {
            let target = Target::named(path, self.force);
            target.free_for(self.format)?;
            target.write(&make(seed, path, &mut said)?, output, |_| Ok(()))
        };
        match self.count {
            None => write(seed, &self.output)?,
            Some(_) if self.output.as_os_str() == "-" => {
                let why = "a series goes into a folder, not to standard output; use -o FOLDER";
                return Err(Failure::new(Exit::Usage, why));
            }
            Some(count) => {
                fs::create_dir_all(&self.output)
                    .map_err(|error| Failure::from(error).of(self.output.display()))?;
                for seed in (0..count.get()).map(|number| seed.wrapping_add(number)) {
                    write(seed, &self.output.join(name(seed)))?;
                }
            }
        }
        if self.format == Format::Json {
            output.write_all(&said.text)?;
        }
        Ok(Exit::Well)
    }
}

/// Makes the file of a seed that is written to this path, and says so.
pub(super) type Make<'a> = dyn FnMut(u64, &Path, &mut Said) -> Result<Vec<u8>, Failure> + 'a;

/// What is said of the files of a series, once all are written.
#[derive(Default)]
pub(super) struct Said {
    lines: Lines,
    text: Vec<u8>,
}

impl Said {
    pub fn add(&mut self, line: &impl Serialize) -> io::Result<()> {
        self.lines.write(&mut self.text, line)
    }
}
