//! `bindpose get`: the values at paths.

use std::io::Write;

use clap::Args;
use serde::Serialize;

use super::exit::{Exit, Failure};
use super::json::Lines;
use super::load::Input;
use super::output::Output;
use super::{Common, Format};
use crate::Path;
use crate::schema;

/// Print the values at paths, in the spelling that `set` takes back
///
/// One value stands alone; several stand as PATH=VALUE.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Get {
    #[command(flatten)]
    input: Input,
    /// Paths, such as `joints[3].name`, `vertices[*].flags`, `joints["hip"].position.x`
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<Path>,
    /// How to print the values
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human)]
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
            values.extend(schema::get(loaded.file.value(), path).map_err(|error| self.input.blame(error))?);
        }
        // The path that was asked for needs no repeating; aliases are resolved, so compare what came of them.
        let alone = matches!((&self.paths[..], &values[..]), ([asked], [(found, _)])
            if asked.steps().len() == found.steps().len() && !asked.steps().contains(&schema::Step::Every));
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
}
