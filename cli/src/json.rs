//! JSON Lines.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read};

use crate::prelude::*;
use bindpose::files::open_regular;

use serde::Deserialize;

/// The version of the output format, in the first object.
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
    pub fn write(&mut self, output: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
        if self.begun {
            serde_json::to_writer(&mut *output, line)?;
        } else {
            serde_json::to_writer(&mut *output, &Headed { schema: SCHEMA, line })?;
        }
        self.begun = true;
        writeln!(output)
    }

    /// Ends the output: without objects, it has the version of the format alone.
    pub fn end(&mut self, output: &mut impl Write) -> io::Result<()> {
        #[derive(Serialize)]
        struct Empty {}
        if self.begun { Ok(()) } else { self.write(output, &Empty {}) }
    }
}

/// A line about a file.
#[derive(Serialize)]
pub(super) struct OfFile<'a, F, T> {
    #[serde(flatten)]
    pub file: F,
    #[serde(flatten)]
    pub line: &'a T,
}

/// Returns whether a line has the version of the output format alone.
pub(super) fn is_head(line: &str) -> bool {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Head {
        schema: String,
    }
    serde_json::from_str(line).is_ok_and(|head: Head| head.schema == SCHEMA)
}

/// Refuses to overwrite a file that bindpose did not write.
pub(super) fn keep_others(path: &Path, what: &str) -> Result<()> {
    /// Longer than the first line of any file that bindpose writes.
    const LINE: u64 = 1 << 16;
    #[derive(Deserialize)]
    struct Header {
        schema: String,
    }
    if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        return Err(Failure::usage(format!("is not a regular file, expected a {what}")).in_file(path));
    }
    let Ok(file) = open_regular(path) else { return Ok(()) };
    let mut line = Vec::new();
    // A file that cannot be read cannot be replaced either, which fails later.
    let _ = BufReader::new(file.take(LINE)).read_until(b'\n', &mut line);
    if line.is_empty() || serde_json::from_slice(&line).is_ok_and(|header: Header| header.schema == SCHEMA) {
        return Ok(());
    }
    let why = format!("{}: is not a {what} and would be overwritten; specify another file", shown(path));
    Err(Failure::usage(why))
}

/// A named text for other programs.
#[derive(Serialize)]
pub(super) struct Text<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

/// Prints a text for other programs; as JSON, with its name.
pub(super) fn print_text(output: &mut impl Write, format: Format, name: &str, text: &str) -> io::Result<()> {
    match format {
        Format::Human => output.write_all(text.as_bytes()),
        Format::Json => Lines::default().write(output, &Text { name, text }),
    }
}

/// Appends what `push` appends to the inside of a JSON string, escaped.
pub(super) fn push_escaped(line: &mut String, push: impl FnOnce(&mut String)) {
    let start = line.len();
    push(line);
    if has_special(&line[start..]) {
        let text = line.split_off(start);
        push_specials(line, &text);
    }
}

/// Appends a text to the inside of a JSON string, escaped.
pub(super) fn push_text(line: &mut String, text: &str) {
    if has_special(text) { push_specials(line, text) } else { line.push_str(text) }
}

const fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < b' '
}

/// Without a branch for each byte, several are compared at once.
fn has_special(text: &str) -> bool {
    text.bytes().fold(false, |any, byte| any | is_special(byte))
}

fn push_specials(line: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(is_special) {
        line.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => line.push_str("\\\""),
            b'\\' => line.push_str("\\\\"),
            control => _ = write!(line, "\\u{control:04x}"),
        }
        rest = &rest[at + 1..];
    }
    line.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::{push_escaped, push_text};

    #[test]
    fn whatever_is_written_reads_back() {
        let text = "C:\\a \"b\" \u{1}\r\n\u{7f} ü 骨";
        let mut json = String::from("\"");
        push_escaped(&mut json, |line| line.push_str(text));
        json.push('"');
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        let mut again = String::from("\"");
        push_text(&mut again, text);
        again.push('"');
        assert_eq!(again, json);
    }
}
