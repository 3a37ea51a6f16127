//! Prints a value as JSON, in lines of a readable width.

use std::io::{self, Write};
use std::ops::ControlFlow::{self, Break, Continue};

use super::cells::Cells;
use super::implied::{implied, is_blank_padding, is_missing, right_places, unusual};
use super::{ROW, WIDTH};
use crate::schema::{
    Choice, Class, FieldInfo, Items, Leaf, Node, Origin, Plain, Record, Scalar, Value, show_hex, truncation,
};

/// The maximum nesting of types.
const BLANKS: &str = "                                                                ";

/// The number of buffered bytes after which the buffer is written.
const FULL: usize = 1 << 16;

/// The number of bytes of elements that are read at once.
const BLOCK: usize = 1 << 12;

/// The number of numbers that fit on a line in any case.
const NARROW: usize = WIDTH / 18;

/// Writes a value as JSON. The text starts on the current line, and further lines are indented by `depth` spaces.
///
/// The memory does not depend on the size of the value.
///
/// # Errors
/// When `out` fails.
pub fn print(value: &dyn Value, depth: usize, out: &mut dyn Write) -> io::Result<()> {
    let (text, bytes, cells) = (String::new(), Vec::new(), Cells::default());
    let is_complete = truncation(value).is_none();
    let implied = if is_complete { right_places(value) } else { Vec::new() };
    let (written, line, breaks, result) = (0, 0, 0, Ok(()));
    let mut printer =
        Printer { out, text, written, line, breaks, bytes, cells, is_complete, implied, result };
    let _ = printer.value(value, depth);
    printer.result?;
    printer.out.write_all(printer.text.as_bytes())
}

struct Printer<'a> {
    out: &'a mut dyn Write,
    /// The text that is not written yet.
    text: String,
    /// The number of bytes before `text`.
    written: usize,
    /// The start of the last line in `text`.
    line: usize,
    /// The number of bytes that line ends and indentations take more than blanks.
    breaks: usize,
    /// The bytes of a leaf, in a reused buffer.
    bytes: Vec<u8>,
    /// The row of a list, in a reused buffer.
    cells: Cells,
    /// Whether the file has not lost its end.
    is_complete: bool,
    /// The derived lists of the root.
    implied: Vec<&'static FieldInfo>,
    result: io::Result<()>,
}

/// The placement of parts: all on one line, or each on its own line with an indentation.
type Depth = Option<usize>;

impl Printer<'_> {
    /// Prints a part on one line if it fits, otherwise on several.
    fn value(&mut self, value: &dyn Value, depth: usize) -> ControlFlow<()> {
        let start = self.text.len();
        if may_be_short(value) && self.put(value, None).is_continue() {
            return Continue(());
        }
        self.text.truncate(start);
        self.put(value, Some(depth))
    }

    /// Prints a part that probably does not fit on one line: on several, and again if it does fit.
    fn long_value(&mut self, value: &dyn Value, depth: usize) -> ControlFlow<()> {
        let Self { written, line, breaks, .. } = *self;
        let start = self.text.len();
        // Text that is written cannot be replaced.
        if start > FULL / 2 {
            return self.value(value, depth);
        }
        self.put(value, Some(depth))?;
        let len = self.written + self.text.len() - written - line;
        if len - (self.breaks - breaks) > WIDTH {
            return Continue(());
        }
        self.text.truncate(start);
        (self.line, self.breaks) = (line, breaks);
        self.value(value, depth)
    }

    fn part(&mut self, value: &dyn Value, depth: Depth) -> ControlFlow<()> {
        match depth {
            None => self.put(value, None),
            Some(depth) => self.value(value, depth),
        }
    }

    /// Breaks if the line is full or the writer fails.
    fn put(&mut self, value: &dyn Value, depth: Depth) -> ControlFlow<()> {
        if let Some(choice) = value.choice() {
            return self.choice(&choice, depth);
        }
        if let Some(content) = value.inside() {
            return self.object(depth, &mut |printer, inner| {
                printer.key("stored", true, inner)?;
                printer.put_node(value, inner)?;
                printer.key("content", false, inner)?;
                printer.part(content, inner)
            });
        }
        let mut count = None;
        let _ = value.prefix(&mut |prefix| {
            count = unusual(prefix, value);
            Break(())
        });
        let Some(count) = count else { return self.put_node(value, depth) };
        let (prefix, items) = match value.node() {
            Node::Leaf(_) => ("len", "text"),
            _ => ("num", "items"),
        };
        self.object(depth, &mut |printer, inner| {
            printer.key(prefix, true, inner)?;
            printer.quoted(&count);
            printer.key(items, false, inner)?;
            printer.put_node(value, inner)
        })
    }

    fn put_node(&mut self, value: &dyn Value, depth: Depth) -> ControlFlow<()> {
        match value.node() {
            Node::Leaf(leaf) => self.leaf(leaf, depth)?,
            Node::Record(record) => self.record(record, depth)?,
            Node::Items(items) => match items.text() {
                Some(text) => self.lines(text, depth)?,
                None => self.items(items, depth)?,
            },
            Node::Absent | Node::Broken(_) => self.text.push_str("null"),
        }
        self.fits(depth)
    }

    /// Returns whether the line has room left.
    fn fits(&self, depth: Depth) -> ControlFlow<()> {
        if depth.is_none() && self.text.len() - self.line > WIDTH { Break(()) } else { Continue(()) }
    }

    fn object(
        &mut self,
        depth: Depth,
        members: &mut dyn FnMut(&mut Self, Depth) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.text.push('{');
        members(self, depth.map(|depth| depth + 1))?;
        self.gap(depth)?;
        self.text.push('}');
        self.fits(depth)
    }

    fn key(&mut self, name: &str, first: bool, depth: Depth) -> ControlFlow<()> {
        if first {
            self.gap(depth)?;
        } else {
            self.text.push(',');
            self.between(depth)?;
        }
        self.text.push('"');
        self.text.push_str(name);
        self.text.push_str("\": ");
        Continue(())
    }

    /// Prints the separator after a bracket.
    fn gap(&mut self, depth: Depth) -> ControlFlow<()> {
        depth.map_or(Continue(()), |depth| self.new_line(depth))
    }

    /// Prints the separator after a comma.
    fn between(&mut self, depth: Depth) -> ControlFlow<()> {
        if depth.is_none() {
            self.text.push(' ');
            return Continue(());
        }
        self.gap(depth)?;
        self.breaks -= 1;
        Continue(())
    }

    fn new_line(&mut self, depth: usize) -> ControlFlow<()> {
        self.text.push('\n');
        if self.text.len() > FULL {
            self.flush();
        }
        self.line = self.text.len();
        self.text.push_str(BLANKS.get(..depth).unwrap_or(BLANKS));
        self.breaks += 1 + self.text.len() - self.line;
        if self.result.is_ok() { Continue(()) } else { Break(()) }
    }

    /// Writes the text. After an error nothing more is written.
    fn flush(&mut self) {
        if self.result.is_ok() {
            self.result = self.out.write_all(self.text.as_bytes());
        }
        self.written += self.text.len();
        self.text.clear();
        self.line = 0;
    }

    fn choice(&mut self, choice: &Choice<'_>, depth: Depth) -> ControlFlow<()> {
        let Some(body) = choice.body else {
            self.quoted(choice.name);
            return self.fits(depth);
        };
        // The braces are on the same line as their content.
        self.text.push_str("{\"");
        self.text.push_str(choice.name);
        self.text.push_str("\": ");
        self.put(body, depth)?;
        self.text.push('}');
        self.fits(depth)
    }

    fn record(&mut self, record: &dyn Record, depth: Depth) -> ControlFlow<()> {
        let mut derived = None;
        let inner = depth.map(|depth| depth + 1);
        let mut empty = true;
        self.text.push('{');
        record.fields(&mut |field, value| {
            let mut follows = || {
                let derived = derived.get_or_insert_with(|| implied(record, self.is_complete));
                derived.contains(&field.name) || self.implied.contains(&field)
            };
            let is_derived = match field.origin {
                Origin::Prefix => true,
                Origin::Computed => follows(),
                _ => false,
            };
            if is_derived || is_missing(value) || self.is_complete && is_blank_padding(value) {
                return Continue(());
            }
            self.key(field.name, empty, inner)?;
            empty = false;
            self.part(value, inner)
        })?;
        if !empty {
            self.gap(depth)?;
        }
        self.text.push('}');
        Continue(())
    }

    fn items(&mut self, items: &dyn Items, depth: Depth) -> ControlFlow<()> {
        let mut cells = std::mem::take(&mut self.cells);
        let flow = match cells.set_to(items) {
            true if !cells.names.is_empty() => Some(self.table(items, &cells, depth)),
            true if cells.alone().is_some() || cells.numbers() <= NARROW => {
                Some(self.cells(items, &cells, depth))
            }
            _ => None,
        };
        self.cells = cells;
        flow.unwrap_or_else(|| self.elements(items, depth))
    }

    fn elements(&mut self, items: &dyn Items, depth: Depth) -> ControlFlow<()> {
        let inner = depth.map(|depth| depth + 1);
        self.text.push('[');
        let mut is_long = false;
        items.each(0, &mut |index, item| {
            self.next(index == 0, inner)?;
            let breaks = self.breaks;
            match inner {
                Some(depth) if is_long => self.long_value(item, depth)?,
                _ => self.part(item, inner)?,
            }
            is_long = self.breaks > breaks;
            Continue(())
        })?;
        self.close(items.is_empty(), depth)
    }

    /// Starts another element.
    fn next(&mut self, first: bool, inner: Depth) -> ControlFlow<()> {
        if first {
            return self.gap(inner);
        }
        self.text.push(',');
        self.between(inner)
    }

    fn close(&mut self, empty: bool, depth: Depth) -> ControlFlow<()> {
        if !empty {
            self.gap(depth)?;
        }
        self.text.push(']');
        Continue(())
    }

    /// Prints records of numbers: the names of the fields, then rows of numbers.
    fn table(&mut self, items: &dyn Items, cells: &Cells, depth: Depth) -> ControlFlow<()> {
        self.object(depth, &mut |printer, inner| {
            printer.key("fields", true, inner)?;
            printer.text.push('[');
            for (index, name) in cells.names.iter().enumerate() {
                printer.text.push_str(if index > 0 { ", " } else { "" });
                printer.quoted(name);
            }
            printer.text.push(']');
            printer.key("rows", false, inner)?;
            printer.cells(items, cells, inner)
        })
    }

    /// Prints rows of numbers or single numbers, as many on each line as fit.
    fn cells(&mut self, items: &dyn Items, cells: &Cells, depth: Depth) -> ControlFlow<()> {
        let inner = depth.map(|depth| depth + 1);
        let size = items.item_size().unwrap_or_default();
        let step = (BLOCK / size.max(1)).max(1);
        let mut bytes = std::mem::take(&mut self.bytes);
        self.text.push('[');
        for start in (0..items.len()).step_by(step) {
            bytes.clear();
            items.bytes(start..items.len().min(start + step), &mut bytes);
            for (index, bytes) in bytes.chunks_exact(size.max(1)).enumerate() {
                match (cells.alone(), inner) {
                    (Some(number), Some(inner)) if start + index > 0 => self.beside(number, bytes, inner)?,
                    _ => {
                        self.next(start + index == 0, inner)?;
                        cells.print(bytes, &mut self.text);
                        self.fits(inner)?;
                    }
                }
            }
        }
        self.bytes = bytes;
        self.close(items.is_empty(), depth)
    }

    /// Prints a number on the current line or the next one.
    fn beside(&mut self, number: Scalar, bytes: &[u8], depth: usize) -> ControlFlow<()> {
        self.text.push_str(", ");
        let end = self.text.len();
        number.print(bytes, &mut self.text);
        if self.text.len() - self.line > WIDTH {
            let number = self.text.split_off(end);
            self.text.pop();
            self.new_line(depth)?;
            self.text.push_str(&number);
        }
        Continue(())
    }

    fn leaf(&mut self, leaf: &dyn Leaf, depth: Depth) -> ControlFlow<()> {
        match leaf.plain() {
            Plain::Shown if is_number(leaf) => self.number(leaf),
            Plain::Text(text) => push_quoted(text, &mut self.text),
            Plain::Shown | Plain::Bytes => return self.hex(leaf, depth),
        }
        Continue(())
    }

    fn number(&mut self, leaf: &dyn Leaf) {
        if let Some(number) = leaf.scalar() {
            self.bytes.clear();
            leaf.bytes(&mut self.bytes);
            number.print(&self.bytes, &mut self.text);
        } else {
            let start = self.text.len();
            let _ = leaf.show(&mut self.text);
            // Not a number, or infinite.
            if self.text[start..].contains(['x', 'n']) {
                self.text.insert(start, '"');
                self.text.push('"');
            }
        }
    }

    fn hex(&mut self, leaf: &dyn Leaf, depth: Depth) -> ControlFlow<()> {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        leaf.bytes(&mut bytes);
        let shown = if bytes.len() <= ROW {
            self.quoted_hex(&bytes);
            Continue(())
        } else {
            self.rows(&mut bytes.chunks(ROW), depth, Self::quoted_hex)
        };
        self.bytes = bytes;
        shown
    }

    fn lines(&mut self, text: &[u8], depth: Depth) -> ControlFlow<()> {
        self.rows(&mut text.split_inclusive(|byte| *byte == b'\n'), depth, Self::quoted_line)
    }

    fn rows(
        &mut self,
        rows: &mut dyn Iterator<Item = &[u8]>,
        depth: Depth,
        mut put: impl FnMut(&mut Self, &[u8]),
    ) -> ControlFlow<()> {
        let Some(inner) = depth.map(|depth| depth + 1) else { return Break(()) };
        self.text.push('[');
        for (index, row) in rows.enumerate() {
            if index > 0 {
                self.text.push(',');
            }
            self.new_line(inner)?;
            put(self, row);
        }
        self.gap(depth)?;
        self.text.push(']');
        Continue(())
    }

    fn quoted(&mut self, plain: &str) {
        self.text.extend(["\"", plain, "\""]);
    }

    fn quoted_hex(&mut self, bytes: &[u8]) {
        self.text.push('"');
        let _ = show_hex(bytes, &mut self.text);
        self.text.push('"');
    }

    /// Prints a line of text, which can be long, in pieces.
    fn quoted_line(&mut self, bytes: &[u8]) {
        let (head, mut rest) = bytes.split_at(piece(bytes));
        self.text.push('"');
        push_text(head, &mut self.text);
        while !rest.is_empty() {
            self.flush();
            let (piece, further) = rest.split_at(piece(rest));
            push_plain(piece, &mut self.text);
            rest = further;
        }
        self.text.push('"');
    }
}

/// Returns whether a value cannot be printed on one line: a long list, or a text of several rows.
fn may_be_short(value: &dyn Value) -> bool {
    match value.node() {
        Node::Items(items) => items.len() <= WIDTH / 3 && items.text().is_none(),
        Node::Leaf(leaf) => leaf.size() <= ROW as u64 || matches!(leaf.plain(), Plain::Text(_)),
        _ => true,
    }
}

fn is_number(leaf: &dyn Leaf) -> bool {
    matches!(leaf.class(), Class::Integer | Class::Float) && leaf.plain() == Plain::Shown
}

/// Returns bytes as a JSON string: text with `\xNN` for bytes that are not text and `\\` for a backslash.
#[must_use]
pub fn quoted(bytes: &[u8]) -> String {
    let mut text = String::new();
    push_quoted(bytes, &mut text);
    text
}

fn push_quoted(bytes: &[u8], text: &mut String) {
    text.push('"');
    push_text(bytes, text);
    text.push('"');
}

/// Returns the length of the first piece of a text. It does not end inside a character.
fn piece(text: &[u8]) -> usize {
    let continues = |at: &usize| text.get(*at).is_some_and(|byte| byte & 0xc0 == 0x80);
    if text.len() <= FULL { text.len() } else { (FULL - 3..=FULL).rfind(|at| !continues(at)).unwrap_or(FULL) }
}

/// Appends bytes as the inside of a JSON string. Bytes that are not text become `\xNN`, with the backslash escaped as
/// JSON requires.
fn push_text(bytes: &[u8], text: &mut String) {
    if bytes.starts_with(b"hex:") {
        text.push_str("\\\\x68");
        return push_plain(&bytes[1..], text);
    }
    push_plain(bytes, text);
}

/// As [`push_text`], for bytes that continue a text.
fn push_plain(bytes: &[u8], text: &mut String) {
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find(needs_care) {
            text.push_str(&rest[..at]);
            let mut further = rest[at..].chars();
            if let Some(c) = further.next() {
                push_special(c, text);
            }
            rest = further.as_str();
        }
        text.push_str(rest);
        chunk.invalid().iter().for_each(|byte| push_byte(*byte, text));
    }
}

fn needs_care(c: char) -> bool {
    c.is_control() || matches!(c, '"' | '\\')
}

fn push_special(c: char, text: &mut String) {
    match c {
        '"' => text.push_str("\\\""),
        '\\' => text.push_str("\\\\\\\\"),
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        c => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push_byte(byte, text)),
    }
}

fn push_byte(byte: u8, text: &mut String) {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    text.push_str("\\\\x");
    text.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}
