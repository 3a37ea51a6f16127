//! `bindpose schema`: the formats in notations of other tools.

use super::json::print_text;
use crate::prelude::*;

/// Print the Kaitai Struct schema of a format, or list all formats
///
/// Without FORMAT, lists the formats with their titles, extensions and dialects.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose schema
  bindpose schema ms3d > ms3d.ksy
  bindpose schema ms3d --json > ms3d.schema.json
  bindpose schema ms3d --imhex > ms3d.hexpat")]
pub(super) struct Schema {
    /// The format, such as `psk` or `cal3d-mesh:xml`
    #[arg(value_name = "FORMAT")]
    spec: Option<FormatSpec>,
    /// Print the JSON Schema for the output of `to-json` instead
    #[arg(long, requires = "spec", help_heading = "Output options")]
    json: bool,
    /// Print a pattern for the hex editor ImHex instead
    #[arg(long, requires = "spec", conflicts_with = "json", help_heading = "Output options")]
    imhex: bool,
    /// Print the result as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

#[derive(Serialize)]
struct Line<'a> {
    format: &'a str,
    title: &'a str,
    extensions: &'a [&'a str],
    dialects: &'a [&'a str],
}

impl Line<'_> {
    fn print(&self, output: &mut Output) -> io::Result<()> {
        write!(output, "{:<16} {:<34} .{}", self.format, self.title, self.extensions.join(" ."))?;
        if !self.dialects.is_empty() {
            write!(output, "   dialects: {}", self.dialects.join(" "))?;
        }
        writeln!(output)
    }
}

impl Verb for Schema {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        if let Some(spec) = self.spec {
            let text = match (self.json, self.imhex) {
                (true, _) => spec.kind.json_schema(spec.dialect),
                (_, true) => spec.kind.imhex(),
                _ => spec.kind.ksy(),
            };
            print_text(output, self.format, spec.kind.name(), &text)?;
            return Ok(Exit::Success);
        }
        for kind in FileKind::ALL {
            let info = kind.info();
            let line = Line {
                format: info.name,
                title: info.title,
                extensions: info.extensions,
                dialects: info.dialects,
            };
            match self.format {
                Format::Json => output.json_line(&line)?,
                Format::Human => line.print(output)?,
            }
        }
        Ok(Exit::Success)
    }
}
