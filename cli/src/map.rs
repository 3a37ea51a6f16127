//! `bindpose map`: the meaning of every byte of a file.

use std::fmt::Write as _;
use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::Range;

use clap::ValueEnum;

use super::json;
use super::load::{Input, warn_of_damage};
use super::refs;
use crate::prelude::*;
use bindpose::Error;
use bindpose::formats::ObjectPaths;
use bindpose::schema::{self, Class, Leaf, NamedPaths, Node, Objects, Place, Targets, Value, Visitor};

/// Print every field of a file with its byte range, path, type and value
///
/// Paths contain the names of objects, where they have any; `--raw-paths` prints those of the bytes.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose map hero.ms3d | less
  bindpose map hero.ms3d --at 0x81 -v
  bindpose map hero.ms3d --at 0x80..0xa0
  bindpose map hero.ms3d --path 'joints[3]'
  bindpose map hero.psk --depth 3 --sort size
  bindpose map hero.mesh --inside 'geometry[0]'
  bindpose map hero.ms3d --format json | jq -r 'select(.type == \"text\") | .value'")]
pub(super) struct Map {
    #[command(flatten)]
    input: Input,
    /// Print only the fields at a byte offset or in a range: 0x81, 129, 0x80..0x90; with -v, also their documentation
    #[arg(long, value_name = "OFFSET", value_parser = span, conflicts_with = "path")]
    at: Option<Range<u64>>,
    /// Print only the fields below PATH
    #[arg(long, value_name = "PATH")]
    path: Option<FieldPath>,
    /// Print the unpacked content of the field at PATH; offsets count from its beginning
    #[arg(long, value_name = "PATH", conflicts_with_all = ["at", "path"])]
    inside: Option<FieldPath>,
    /// Print one line for all that is more than N steps of a path deep: `chunks[1].records` has 3
    #[arg(long, value_name = "N", conflicts_with_all = ["at", "path", "inside"], help_heading = "Output options")]
    depth: Option<usize>,
    /// Print the longest first
    #[arg(
        long,
        value_name = "ORDER",
        value_enum,
        conflicts_with = "inside",
        help_heading = "Output options"
    )]
    sort: Option<Order>,
    /// Print the fields as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

/// The order of the lines, instead of that of the file.
#[derive(Clone, Copy, ValueEnum)]
enum Order {
    Size,
}

/// Parses an offset, or a range without its end.
fn span(text: &str) -> Result<Range<u64>, String> {
    let Some((start, end)) = text.split_once("..") else {
        let start = offset(text)?;
        return Ok(start..start.saturating_add(1));
    };
    let (start, end) = (offset(start)?, offset(end)?);
    if start < end { Ok(start..end) } else { Err("expected a range with its end after its start".into()) }
}

/// Parses an offset: decimal, or hexadecimal after `0x`.
fn offset(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    number.map_err(|error| {
        format!(
            "`{text}`: {error}; expected an offset such as 1121 or 0x461, or a range such as 0x461..0x470"
        )
    })
}

impl Verb for Map {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let memory = self.input.limits.memory();
        let loaded = self.input.load_within(&memory)?;
        warn_of_damage(loaded.file(), &self.input.file);
        let value = loaded.file().value();
        if let Some(path) = &self.inside {
            return self.print_inside(value, path, output);
        }
        let verbose = output.common.verbose;
        let objects = Objects::of(value);
        loaded.file().with_object_paths(|object_paths| {
            let mut printer = Printer::new(self.format, loaded.bytes(), output);
            printer.object_paths = Some(object_paths);
            printer.targets = Some((Targets::new(&objects), NamedPaths::new(value)));
            printer.sorted = self.sort.map(|Order::Size| (Vec::new(), memory.budget().clone()));
            printer.documents = verbose && self.at.is_some() && self.format == Format::Human;
            self.print(&loaded, &mut printer, memory.budget())
        })
    }
}

impl Map {
    /// Returns the bytes that a path selects.
    fn ranges(value: &dyn Value, path: &FieldPath, budget: &Budget) -> Result<Vec<Range<u64>>, Error> {
        let (mut ranges, mut charged) = (Vec::new(), Ok(()));
        schema::each_location(value, path, budget, &mut |place| {
            if charged.is_ok() {
                charged = budget.reserve(&mut ranges, 1);
            }
            if charged.is_ok() {
                ranges.push(place.range);
            }
        })?;
        charged?;
        Ok(ranges)
    }

    fn print(&self, loaded: &Document, printer: &mut Printer<'_, '_>, budget: &Budget) -> Result<Exit> {
        let value = loaded.file().value();
        let depth = self.depth.unwrap_or(usize::MAX);
        let wanted = match (&self.at, &self.path) {
            (Some(span), _) => vec![self.within(span, loaded)?],
            (None, Some(path)) => {
                let mut wanted = Self::ranges(value, path, budget).in_file(&self.input.file)?;
                wanted.sort_by_key(|range| range.start);
                wanted.dedup();
                wanted
            }
            (None, None) => std::iter::once(0..u64::MAX).collect(),
        };
        let start = wanted.first().map_or(0, |range| range.start);
        let _ = schema::walk_from(value, start, &mut Fields { wanted, depth, printer });
        printer.print_sorted();
        let result = std::mem::replace(&mut printer.result, Ok(()));
        result.map_err(|failure| failure.of_limit(shown(&self.input.file)))?;
        Ok(Exit::Success)
    }

    fn print_inside(&self, value: &dyn Value, path: &FieldPath, output: &mut Output) -> Result<Exit> {
        let (mut begun, mut result) = (false, Ok(()));
        let mut print = |path: &FieldPath, content: &dyn Value| {
            let bytes = schema::bytes_of(content);
            let mut printer = Printer { begun, ..Printer::new(self.format, &bytes, output) };
            let _ = schema::leaves(content, &mut |place, leaf| {
                printer.print(&Place { path: path.join(&place.path), ..place.clone() }, leaf)
            });
            begun = printer.begun;
            if let Err(error) = printer.result {
                result = Err(error);
            }
        };
        schema::unpacked(value, path, &mut print).in_file(&self.input.file)?;
        result?;
        Ok(Exit::Success)
    }

    fn within(&self, span: &Range<u64>, loaded: &Document) -> Result<Range<u64>> {
        let len = loaded.bytes().len();
        if span.start < len as u64 {
            return Ok(span.clone());
        }
        let why = format!("has {len} bytes; offset {:#010x} is beyond the end", span.start);
        Err(Failure::usage(why).in_file(&self.input.file))
    }
}

/// Passes on the fields within the requested ranges and above a depth, and one line for each value at the depth.
struct Fields<'a, 'b, 'c> {
    /// Ascending, without overlap.
    wanted: Vec<Range<u64>>,
    depth: usize,
    printer: &'a mut Printer<'b, 'c>,
}

impl Fields<'_, '_, '_> {
    /// Returns whether a part is wanted. Breaks after the last range.
    fn wants(&self, start: u64, size: u64) -> ControlFlow<(), bool> {
        let first = self.wanted.partition_point(|range| range.end <= start);
        match self.wanted.get(first) {
            Some(range) => Continue(range.start < start + size),
            None => Break(()),
        }
    }
}

impl Visitor for Fields<'_, '_, '_> {
    fn leaf(&mut self, place: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
        if self.wants(place.offset, leaf.size())? { self.printer.print(place, leaf) } else { Continue(()) }
    }

    fn enter(&mut self, place: &Place, value: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
        self.printer.enter(place, node);
        let (kind, contents) = match node {
            _ if !self.wants(place.offset, value.size())? => return Continue(false),
            _ if place.path.steps().len() < self.depth => return Continue(true),
            Node::Record(record) => ("record", record.type_name().to_owned()),
            Node::Items(items) => ("list", counted(items.len() as u64, "element")),
            _ => return Continue(true),
        };
        self.printer.print_part(place, value.size(), (kind, &contents))?;
        Continue(false)
    }
}

/// Prints fields one by one and reuses its buffers: a large file has millions of fields.
pub(super) struct Printer<'a, 'b> {
    format: Format,
    bytes: &'a [u8],
    output: &'a mut Output,
    object_paths: Option<&'a mut ObjectPaths<'b>>,
    /// What indices refer to, and the paths of that.
    targets: Option<(Targets<'a>, NamedPaths<'a>)>,
    /// Whether the documentation of fields is printed.
    documents: bool,
    /// The lines with the sizes of their values, and the memory for them, if they are sorted.
    sorted: Option<(Vec<(u64, String)>, Budget)>,
    begun: bool,
    value: String,
    line: String,
    object: Escaped,
    result: Result<()>,
}

/// A text and its form in a JSON string; many fields in succession are of the same object.
#[derive(Default)]
struct Escaped {
    text: String,
    escaped: String,
}

impl Escaped {
    fn of(&mut self, text: &str) -> &str {
        if self.text != text {
            self.text.clear();
            self.text.push_str(text);
            self.escaped.clear();
            json::push_text(&mut self.escaped, text);
        }
        &self.escaped
    }
}

/// The number of bytes printed beside a value.
const HEX_BYTES: usize = 8;
const VALUE_CHARS: usize = 64;
/// The minimum widths of the columns for path and type.
const PATH_WIDTH: usize = 37;
const TYPE_WIDTH: usize = 5;

impl<'a> Printer<'a, '_> {
    pub fn new(format: Format, bytes: &'a [u8], output: &'a mut Output) -> Self {
        Self {
            format,
            bytes,
            output,
            object_paths: None,
            targets: None,
            documents: false,
            sorted: None,
            begun: false,
            value: String::new(),
            line: String::new(),
            object: Escaped::default(),
            result: Ok(()),
        }
    }

    /// Returns whether everything was printed.
    pub fn finish(self) -> Result<()> {
        self.result
    }

    pub fn print(&mut self, place: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
        if leaf.size() == 0 {
            return Continue(());
        }
        self.value.clear();
        let _ = leaf.show(&mut self.value);
        self.line.clear();
        match self.format {
            Format::Human => self.human(place, leaf),
            Format::Json => self.json(place, leaf),
        }
        self.end(leaf.size())
    }

    /// Prints a line for a value with parts: its kind, and its contents in words.
    fn print_part(&mut self, place: &Place, size: u64, (kind, contents): (&str, &str)) -> ControlFlow<()> {
        if size == 0 {
            return Continue(());
        }
        self.line.clear();
        self.value.clear();
        self.value.push_str(contents);
        let range = place.offset..place.offset + size;
        match self.format {
            Format::Human => self.start(place, &range, kind),
            Format::Json => self.json_of(place, &range, (kind, false)),
        }
        if self.format == Format::Human {
            self.line.push_str(contents);
        }
        self.end(size)
    }

    /// Writes a line, or keeps it to be sorted.
    fn end(&mut self, size: u64) -> ControlFlow<()> {
        self.line.push('\n');
        let Some((lines, budget)) = &mut self.sorted else { return self.write() };
        let charged = budget.charge((self.line.capacity() + 2 * size_of::<(u64, String)>()) as u64);
        self.result = charged.map_err(|why| Error::from(why).into());
        lines.push((size, std::mem::take(&mut self.line)));
        if self.result.is_err() { Break(()) } else { Continue(()) }
    }

    /// Writes the lines that were kept, the longest value first.
    fn print_sorted(&mut self) {
        let Some((mut lines, _)) = self.sorted.take().filter(|_| self.result.is_ok()) else { return };
        lines.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
        let _ = lines.into_iter().try_for_each(|(_, line)| {
            self.line = line;
            self.write()
        });
    }

    fn write(&mut self) -> ControlFlow<()> {
        if self.format == Format::Json && !std::mem::replace(&mut self.begun, true) {
            self.line.insert_str(1, &format!("\"schema\":\"{}\",", json::SCHEMA));
        }
        self.result = self.output.write_all(self.line.as_bytes()).map_err(Failure::from);
        if self.result.is_err() { Break(()) } else { Continue(()) }
    }

    /// The columns before the value.
    fn start(&mut self, place: &Place, range: &Range<u64>, kind: &str) {
        let line = &mut self.line;
        push_hex(line, range.start);
        line.push_str("..");
        push_hex(line, range.end);
        line.push_str("  ");
        push_bytes(line, self.bytes, range);
        let named = self.object_paths.as_mut().filter(|_| !self.output.common.raw_paths);
        let named = named.and_then(|paths| paths.text(&place.path));
        padded(line, PATH_WIDTH, |line| match named {
            Some(path) => line.extend(path),
            None => place.path.push_to(line),
        });
        padded(line, TYPE_WIDTH, |line| line.push_str(kind));
    }

    fn human(&mut self, place: &Place, leaf: &dyn Leaf) {
        self.start(place, &(place.offset..place.offset + leaf.size()), leaf.type_name());
        let Self { line, value, .. } = self;
        let is_long = value.len() > VALUE_CHARS;
        match is_long.then(|| value.char_indices().nth(VALUE_CHARS)).flatten() {
            Some((end, _)) => line.extend([&value[..end], ".."]),
            None => line.push_str(value),
        }
        push_bits(line, value, leaf);
        push_case(line, value, place);
        self.push_target(place, leaf);
        let line = &mut self.line;
        if let (true, Some(field)) = (self.documents, place.field) {
            let _ = write!(line, "\n    {}", field.doc.trim().replace('\n', "\n    "));
        }
    }

    /// Notes a value that the walk enters.
    fn enter(&mut self, place: &Place, node: &Node<'_>) {
        if let Some((targets, _)) = &mut self.targets {
            targets.enter(place, node);
        }
    }

    /// What an index refers to.
    fn push_target(&mut self, place: &Place, leaf: &dyn Leaf) {
        let Some((targets, paths)) = &mut self.targets else { return };
        let Some((_, own, target)) = targets.of(place, leaf) else { return };
        let is_raw = self.output.common.raw_paths;
        let words = refs::in_words(own.entity, &target, |object| {
            let named = paths.path(object).filter(|_| !is_raw);
            printable(&named.as_ref().unwrap_or(object).to_string()).into_owned()
        });
        self.line.extend([" -> ", &words]);
    }

    fn json(&mut self, place: &Place, leaf: &dyn Leaf) {
        let kind = (leaf.type_name(), is_number(leaf.class(), &self.value));
        self.json_of(place, &(place.offset..place.offset + leaf.size()), kind);
    }

    fn json_of(&mut self, place: &Place, range: &Range<u64>, (kind, is_number): (&str, bool)) {
        let Self { line, value, .. } = self;
        line.push_str("{\"start\":");
        line.push_str(itoa::Buffer::new().format(range.start));
        line.push_str(",\"end\":");
        line.push_str(itoa::Buffer::new().format(range.end));
        line.push_str(",\"path\":\"");
        json::push_escaped(line, |line| place.path.push_to(line));
        if let Some([object, rest]) = self.object_paths.as_mut().and_then(|paths| paths.text(&place.path)) {
            line.push_str("\",\"object\":\"");
            line.push_str(self.object.of(object));
            json::push_text(line, rest);
        }
        line.push_str("\",\"type\":\"");
        line.push_str(kind);
        line.push_str("\",\"value\":");
        if is_number {
            line.push_str(value);
        } else {
            line.push('"');
            json::push_text(line, value);
            line.push('"');
        }
        line.push('}');
    }
}

/// Returns the number of columns that a text takes.
fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

fn push_blanks(line: &mut String, mut count: usize) {
    const BLANKS: &str = "                                        ";
    while count > 0 {
        let part = count.min(BLANKS.len());
        line.push_str(&BLANKS[..part]);
        count -= part;
    }
}

/// Writes a column and pads it with blanks.
fn padded(line: &mut String, columns: usize, push: impl FnOnce(&mut String)) {
    let start = line.len();
    push(line);
    push_blanks(line, columns.saturating_sub(width(&line[start..])).max(1));
}

/// The two hexadecimal digits of each byte and a blank, in order.
const HEX: &str = {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    const HEX: [u8; 3 * 256] = {
        let mut hex = [b' '; 3 * 256];
        let mut byte = 0;
        while byte < 256 {
            hex[3 * byte] = DIGITS[byte >> 4];
            hex[3 * byte + 1] = DIGITS[byte & 15];
            byte += 1;
        }
        hex
    };
    match str::from_utf8(&HEX) {
        Ok(hex) => hex,
        Err(_) => unreachable!(),
    }
};

fn hex(byte: u8) -> &'static str {
    &HEX[3 * usize::from(byte)..][..3]
}

/// Writes an offset with eight digits, or more if the file is larger.
fn push_hex(line: &mut String, number: u64) {
    if u32::try_from(number).is_ok() {
        number.to_be_bytes()[4..].iter().for_each(|byte| line.push_str(&hex(*byte)[..2]));
    } else {
        let _ = write!(line, "{number:08x}");
    }
}

/// The first bytes in a column.
fn push_bytes(line: &mut String, bytes: &[u8], range: &Range<u64>) {
    let index = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    let bytes = bytes.get(index(range.start)..index(range.end)).unwrap_or(&[]);
    padded(line, 3 * HEX_BYTES + 4, |line| {
        for byte in bytes.iter().take(HEX_BYTES) {
            line.push_str(hex(*byte));
        }
        if bytes.len() > HEX_BYTES {
            line.push_str("..");
        }
    });
}

/// Whether the notation of a value is a JSON number; NaN and infinities are not.
fn is_number(class: Class, value: &str) -> bool {
    matches!(class, Class::Integer | Class::Float) && !value.starts_with("0x")
}

/// The name of the case that an integer stands for.
fn push_case(line: &mut String, value: &str, place: &Place) {
    let Some(identity) = place.field.and_then(|field| field.identity) else { return };
    if let Some(name) = value.parse().ok().and_then(|number| identity.case(number)) {
        line.extend([" ", name]);
    }
}

/// The names of the bits that are set.
fn push_bits(line: &mut String, value: &str, leaf: &dyn Leaf) {
    if leaf.bits().is_empty() {
        return;
    }
    let Ok(word) = value.parse() else { return };
    for bit in leaf.bits() {
        let _ = match bit.of(word) {
            0 => Ok(()),
            _ if bit.width == 1 => write!(line, " {}", bit.name),
            value => write!(line, " {}={value}", bit.name),
        };
    }
}
