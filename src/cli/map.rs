//! `bindpose map`: every byte of a file and what it means.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::Range;

use clap::Args;

use super::exit::{Exit, Failure};
use super::load::{Input, Loaded};
use super::output::Output;
use super::{Common, Format, json};
use crate::Path;
use crate::schema::{self, Class, Leaf, Node, Place, Value, Visitor};

/// Print every byte of a file: its range, path, type and value
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Map {
    #[command(flatten)]
    input: Input,
    /// Only the value that holds this byte, counted from 0; 0x for hexadecimal
    #[arg(long, value_name = "OFFSET", value_parser = offset, conflicts_with = "path")]
    at: Option<u64>,
    /// Only what lies at this path
    #[arg(long, value_name = "PATH")]
    path: Option<Path>,
    /// How to print the map
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  bindpose map hero.ms3d | less
  bindpose map hero.ms3d --at 0x81
  bindpose map hero.ms3d --path 'joints[3]'
  bindpose map hero.ms3d --format json | jq -r 'select(.type == \"text\") | .value'";

/// An offset in decimal, or in hexadecimal behind `0x`.
fn offset(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    number.map_err(|error| error.to_string())
}

impl Map {
    pub fn run(&self, _common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let loaded = self.input.load()?;
        loaded.warn_of_damage(&self.input.file);
        let value = loaded.file.value();
        let mut printer = Printer::new(self.format, &loaded.bytes, output);
        match (self.at, &self.path) {
            (Some(offset), _) => self.print_at(offset, &loaded, &mut printer)?,
            (None, Some(path)) => {
                let wanted = schema::locate(value, path)
                    .map_err(|error| self.input.blame(error))?
                    .into_iter()
                    .map(|edit| edit.range)
                    .collect();
                let _ = schema::walk(value, &mut Within { wanted, printer: &mut printer });
            }
            (None, None) => _ = schema::leaves(value, &mut |place, leaf| printer.print(place, leaf)),
        }
        printer.result?;
        Ok(Exit::Well)
    }

    fn print_at(&self, offset: u64, loaded: &Loaded, printer: &mut Printer<'_>) -> Result<(), Failure> {
        let found =
            schema::leaf_at(loaded.file.value(), offset, &mut |place, leaf| _ = printer.print(place, leaf));
        if found {
            return Ok(());
        }
        let why = format!("has {} bytes; {offset:#010x} lies behind them", loaded.bytes.len());
        Err(self.input.blame(Failure::new(Exit::Usage, why)))
    }
}

/// Passes on the leaves within the wanted ranges, stepping over what lies outside.
struct Within<'a, 'b> {
    wanted: Vec<Range<u64>>,
    printer: &'a mut Printer<'b>,
}

impl Within<'_, '_> {
    fn wants(&self, start: u64, size: u64) -> bool {
        self.wanted.iter().any(|range| start < range.end && range.start < start + size)
    }
}

impl Visitor for Within<'_, '_> {
    fn leaf(&mut self, place: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
        if self.wants(place.offset, leaf.size()) { self.printer.print(place, leaf) } else { Continue(()) }
    }

    fn enter(&mut self, place: &Place, value: &dyn Value, _: &Node<'_>) -> ControlFlow<(), bool> {
        Continue(self.wants(place.offset, value.size()))
    }
}

/// Prints leaf by leaf in memory that is used again: a big file has millions of them.
struct Printer<'a> {
    format: Format,
    bytes: &'a [u8],
    output: &'a mut Output,
    begun: bool,
    path: String,
    value: String,
    result: io::Result<()>,
}

/// Bytes that stand beside a value.
const HEX_BYTES: usize = 8;
/// Characters of a long value.
const VALUE_CHARS: usize = 64;

impl<'a> Printer<'a> {
    fn new(format: Format, bytes: &'a [u8], output: &'a mut Output) -> Self {
        let (path, value) = (String::new(), String::new());
        Self { format, bytes, output, begun: false, path, value, result: Ok(()) }
    }

    fn print(&mut self, place: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
        if leaf.size() == 0 {
            return Continue(());
        }
        self.path.clear();
        self.value.clear();
        let _ = write!(self.path, "{}", place.path);
        let _ = leaf.show(&mut self.value);
        let range = place.offset..place.offset + leaf.size();
        self.result = match self.format {
            Format::Human => self.human(&range, leaf),
            Format::Json => self.json(&range, leaf),
        };
        if self.result.is_err() { Break(()) } else { Continue(()) }
    }

    fn human(&mut self, range: &Range<u64>, leaf: &dyn Leaf) -> io::Result<()> {
        let hex = self.hex(range);
        let Self { path, value, output, .. } = self;
        if let Some((cut, _)) = value.char_indices().nth(VALUE_CHARS) {
            value.truncate(cut);
            value.push_str("..");
        }
        write!(
            output,
            "{:08x}..{:08x}  {hex}  {path:<36} {:<4} {value}",
            range.start,
            range.end,
            leaf.type_name()
        )?;
        if !leaf.bits().is_empty() {
            write_bits(output, value, leaf)?;
        }
        output.write_all(b"\n")
    }

    /// The first bytes, padded to a column.
    fn hex(&self, range: &Range<u64>) -> String {
        let start = usize::try_from(range.start).unwrap_or(usize::MAX);
        let end = usize::try_from(range.end).unwrap_or(usize::MAX);
        let bytes = self.bytes.get(start..end).unwrap_or(&[]);
        let mut hex = String::with_capacity(3 * HEX_BYTES + 2);
        for byte in bytes.iter().take(HEX_BYTES) {
            let _ = write!(hex, "{byte:02x} ");
        }
        if bytes.len() > HEX_BYTES {
            hex.push_str("..");
        }
        format!("{hex:<width$}", width = 3 * HEX_BYTES + 2)
    }

    fn json(&mut self, range: &Range<u64>, leaf: &dyn Leaf) -> io::Result<()> {
        let Self { path, value, output, begun, .. } = self;
        output.write_all(b"{")?;
        if !std::mem::replace(begun, true) {
            write!(output, "\"schema\":\"{}\",", json::SCHEMA)?;
        }
        write!(output, "\"start\":{},\"end\":{},\"path\":", range.start, range.end)?;
        serde_json::to_writer(&mut *output, path)?;
        write!(output, ",\"type\":\"{}\",\"value\":", leaf.type_name())?;
        if is_number(leaf.class(), value) {
            output.write_all(value.as_bytes())?;
        } else {
            serde_json::to_writer(&mut *output, value)?;
        }
        output.write_all(b"}\n")
    }
}

/// Whether a value is a JSON number as it is spelled; infinities and the like are bit patterns.
fn is_number(class: Class, value: &str) -> bool {
    matches!(class, Class::Integer | Class::Float) && !value.starts_with("0x")
}

/// The names of the bits that are set.
fn write_bits(output: &mut Output, value: &str, leaf: &dyn Leaf) -> io::Result<()> {
    let Ok(word) = value.parse() else { return Ok(()) };
    for bit in leaf.bits() {
        match bit.of(word) {
            0 => {}
            _ if bit.width == 1 => write!(output, " {}", bit.name)?,
            value => write!(output, " {}={value}", bit.name)?,
        }
    }
    Ok(())
}
