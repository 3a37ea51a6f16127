//! Standard output: buffered, coloured on a terminal; and standard error, for messages.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};

use clap::ColorChoice;
use serde::Serialize;

use super::Common;
use super::exit::plain;
use super::json::Lines;

pub(super) use bindpose::counted;

/// Prints a line on standard error.
macro_rules! note {
    ($($text:tt)*) => { $crate::output::print_note(format_args!($($text)*)) };
}

pub(super) fn print_note(text: fmt::Arguments<'_>) {
    _ = Messages.write_all(format!("{text}\n").as_bytes());
}

thread_local! {
    /// Messages that are printed after the task.
    static HELD: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Runs work whose messages appear later, in an order that does not depend on the threads; returns its result with them.
pub(super) fn with_held_messages<T>(work: impl FnOnce() -> T) -> (T, Vec<u8>) {
    HELD.set(Some(Vec::new()));
    let done = work();
    (done, HELD.take().unwrap_or_default())
}

/// Standard error. Messages that cannot be printed are dropped.
pub(super) struct Messages;

impl Write for Messages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        HELD.with_borrow_mut(|held| match held {
            Some(held) => held.extend_from_slice(bytes),
            None => _ = io::stderr().write_all(bytes),
        });
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Standard output for results, with the options that say how they are printed.
pub(super) struct Output {
    stdout: BufWriter<StdoutLock<'static>>,
    pub paint: Paint,
    pub terminal: bool,
    pub common: Common,
    /// Whether the run goes on after the reader of the output has ended, because it changes files.
    pub outlives_reader: bool,
    lines: Lines,
}

/// Colours, or none.
#[derive(Clone, Copy, Default)]
pub(super) struct Paint {
    on: bool,
}

impl Output {
    pub fn new(common: Common) -> Self {
        let stdout = io::stdout().lock();
        let terminal = stdout.is_terminal();
        let on = match common.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && wants_color(),
        };
        let stdout = BufWriter::with_capacity(1 << 16, stdout);
        let (outlives_reader, lines) = (false, Lines::default());
        Self { stdout, paint: Paint { on }, terminal, common, outlives_reader, lines }
    }

    /// Writes an object of the machine output.
    pub fn json_line(&mut self, line: &impl Serialize) -> io::Result<()> {
        let written = self.lines.write(&mut self.stdout, line);
        self.checked(written, ())
    }

    /// Adds the name of the output to an error. If the run continues, a closed pipe is none: returns `otherwise`.
    fn checked<T>(&self, written: io::Result<T>, otherwise: T) -> io::Result<T> {
        match written {
            Err(error) if self.outlives_reader && error.kind() == ErrorKind::BrokenPipe => Ok(otherwise),
            written => written.map_err(of_stdout),
        }
    }
}

/// Respects `NO_COLOR` and dumb terminals: <https://no-color.org>.
fn wants_color() -> bool {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb")
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.stdout.write(bytes);
        self.checked(written, bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.stdout.flush();
        self.checked(flushed, ())
    }
}

/// Adds the name of the output to an error.
pub(super) fn of_stdout(error: io::Error) -> io::Error {
    match error.kind() {
        // It is repeated.
        ErrorKind::Interrupted => error,
        kind => io::Error::new(kind, format!("standard output: {}", plain(&error))),
    }
}

impl Paint {
    /// No colours: for files.
    pub const NONE: Self = Self { on: false };

    pub fn good(self, text: &str) -> String {
        self.with("32", text)
    }
    pub fn bad(self, text: &str) -> String {
        self.with("31", text)
    }
    pub fn strong(self, text: &str) -> String {
        self.with("1", text)
    }
    pub fn faint(self, text: &str) -> String {
        self.with("2", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Formats a size with a suitable unit.
pub(super) fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if count < 1000 {
        return counted(count, "byte");
    }
    let mut tenths = count.saturating_add(50) / 100;
    let mut unit = 0;
    while tenths > 9_999 && unit + 1 < UNITS.len() {
        tenths = (tenths + 500) / 1000;
        unit += 1;
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

/// Returns a text as a part of a URI. Letters, digits and the `kept` characters are not encoded.
pub(super) fn percent_encoded(text: &str, kept: &[u8]) -> String {
    let encoded = |byte: u8| {
        let is_kept = byte.is_ascii_alphanumeric() || kept.contains(&byte);
        if is_kept { char::from(byte).into() } else { format!("%{byte:02X}") }
    };
    text.bytes().map(encoded).collect()
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_are_rounded_to_three_or_four_digits() {
        let sizes = [0, 1, 999, 1000, 1389, 999_949, 1_000_000, 12_345_678, u64::MAX / 2];
        let texts = sizes.map(bytes);
        let expected = [
            "0 bytes",
            "1 byte",
            "999 bytes",
            "1.0 kB",
            "1.4 kB",
            "999.9 kB",
            "1.0 MB",
            "12.3 MB",
            "9223372.0 TB",
        ];
        assert_eq!(texts, expected);
    }
}
