//! `bindpose get`: the values at paths.

use std::io::Write;

use clap::Args;
use serde::Serialize;

use super::exit::{Exit, Failure};
use super::json::Lines;
use super::load::{Input, Loaded};
use super::output::Output;
use super::{Common, Format};
use bindpose::FieldPath;
use bindpose::schema;

/// Print the values at paths, in the notation that `set` accepts
///
/// The value of a path to a single field is printed alone, all others as PATH=VALUE.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Get {
    #[command(flatten)]
    input: Input,
    /// Paths: `joints[3].name`, `vertices[*].flags`, `joints["hip"].position.x`
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<FieldPath>,
    /// Print the values as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  bindpose get hero.ms3d animation.fps
  bindpose get hero.ms3d 'joints[*].name'
  bindpose get hero.ms3d 'joints[\"hip\"]' --format json";

#[derive(Serialize)]
struct Line<'a> {
    path: String,
    value: &'a str,
}

impl Get {
    pub fn run(&self, _common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let loaded = self.input.load()?;
        loaded.warn_of_damage(&self.input.file);
        let mut values = Vec::new();
        for path in &self.paths {
            values.extend(
                schema::get_text(loaded.file.value(), path).map_err(|error| self.input.blame(error))?,
            );
        }
        let alone = self.names_one(&loaded, &values)?;
        let mut lines = Lines::default();
        for (path, value) in &values {
            match self.format {
                Format::Json => lines.write(output, &Line { path: path.to_string(), value })?,
                Format::Human if alone => writeln!(output, "{value}")?,
                Format::Human => writeln!(output, "{path}={value}")?,
            }
        }
        Ok(Exit::Well)
    }

    /// Whether the path selects a single leaf, so that its value is printed alone.
    fn names_one(&self, loaded: &Loaded, values: &[(FieldPath, String)]) -> Result<bool, Failure> {
        let ([asked], [(found, _)]) = (&self.paths[..], values) else { return Ok(false) };
        let places = schema::locate(loaded.file.value(), asked).map_err(|error| self.input.blame(error))?;
        Ok(!asked.is_pattern() && places.iter().all(|place| place.path == *found))
    }
}
