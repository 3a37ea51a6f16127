//! JSON Lines.

use std::io::{self, Write};

use serde::Serialize;

/// The name of the contract; stands in the first object.
pub(super) const SCHEMA: &str = "bindpose/1";

/// Writes one object per line.
#[derive(Default)]
pub(super) struct Lines {
    begun: bool,
}

#[derive(Serialize)]
struct Headed<'a, T> {
    schema: &'static str,
    #[serde(flatten)]
    line: &'a T,
}

impl Lines {
    /// Writes an object.
    pub fn write(&mut self, output: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
        if self.begun {
            serde_json::to_writer(&mut *output, line)?;
        } else {
            serde_json::to_writer(&mut *output, &Headed { schema: SCHEMA, line })?;
        }
        self.begun = true;
        writeln!(output)
    }
}
