//! Exit codes and failures.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::{fmt, io};

use super::advice::advice;
use super::files::{Item, shown};
use bindpose::schema::EditError;
use bindpose::{Error, ErrorKind};

/// The documented exit codes; if several apply, the highest is returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Exit {
    /// Success.
    #[default]
    Success = 0,
    /// A damaged file, a difference.
    Findings = 1,
    /// Invalid arguments.
    Usage = 2,
    /// A file could not be read or written.
    Io = 3,
    /// An input has an unsupported format or cannot be decoded.
    Undecodable = 4,
    /// A limit was exceeded.
    Limit = 5,
    /// Nothing to process: no input files, or nothing in them that can be converted.
    Nothing = 6,
    /// An internal error.
    Bug = 70,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[derive(Debug)]
pub(super) struct Failure {
    pub exit: Exit,
    pub message: String,
    /// What to do about it, for a line of its own.
    pub help: Option<String>,
    pub cause: Cause,
}

/// The cause of a failure, where the caller handles some differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The output is closed.
    ClosedPipe,
    /// A file has an unsupported format.
    UnknownFormat,
    /// There is nothing to repair.
    NoViolation,
    /// A file lacks the object that is edited.
    NoObject,
    /// A file has nothing that the other format holds, or has that format already.
    NothingToConvert,
    Other,
}

const OWN: &str = "bindpose";

static PROGRAM: OnceLock<&'static str> = OnceLock::new();

/// Names the program that prints messages.
pub(super) fn set_program(name: &'static str) {
    PROGRAM.get_or_init(|| name);
}

pub(super) fn program() -> &'static str {
    PROGRAM.get().copied().unwrap_or(OWN)
}

impl Failure {
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), help: None, cause: Cause::Other }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    pub fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Whether a file is skipped: it has an unsupported format, and was found in a directory.
    pub fn is_foreign(&self, item: &Item) -> bool {
        self.cause == Cause::UnknownFormat && !item.named
    }

    /// Prints the message and the advice, and returns the exit code.
    pub fn report(&self) -> Exit {
        note!("{}: {self}", program());
        // The command of another format lacks the verbs of bindpose.
        let is_own = |help: &&String| program() == OWN || !help.contains(OWN);
        if let Some(help) = self.help.as_ref().filter(is_own) {
            note!("help: {help}");
        }
        self.exit
    }

    /// Adds what it is about.
    pub fn of(mut self, what: impl fmt::Display) -> Self {
        self.message = format!("{what}: {}", self.message);
        self
    }

    /// Adds what exceeds a limit; other failures name it themselves.
    pub fn of_limit(self, what: impl fmt::Display) -> Self {
        if self.exit == Exit::Limit { self.of(what) } else { self }
    }

    /// Adds the name of a file, if the message does not begin with it: edits of several files name the one that failed.
    pub fn in_file(self, path: &Path) -> Self {
        if self.is_in(path) { self } else { self.of(shown(path)) }
    }

    /// Whether the message begins with the name of a file.
    pub fn is_in(&self, path: &Path) -> bool {
        self.message.strip_prefix(&shown(path)).is_some_and(|rest| rest.starts_with(": "))
    }
}

/// Adds the name of a file to an error.
pub(super) trait InFile<T> {
    fn in_file(self, path: &Path) -> Result<T, Failure>;
}

impl<T, E: Into<Failure>> InFile<T> for Result<T, E> {
    fn in_file(self, path: &Path) -> Result<T, Failure> {
        self.map_err(|error| error.into().in_file(path))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let cause = match error.kind() {
            io::ErrorKind::BrokenPipe => Cause::ClosedPipe,
            _ => Cause::Other,
        };
        Self { cause, ..Self::new(Exit::Io, plain(&error)) }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let (exit, cause) = match error.kind() {
            ErrorKind::Limit(_) => (Exit::Limit, Cause::Other),
            ErrorKind::Value(EditError::NoObject { .. }) => (Exit::Usage, Cause::NoObject),
            ErrorKind::Path(_) | ErrorKind::Value(_) | ErrorKind::Encode(_) => (Exit::Usage, Cause::Other),
            ErrorKind::Io(_) => (Exit::Io, Cause::Other),
            ErrorKind::Internal(_) => (Exit::Bug, Cause::Other),
            _ => (Exit::Undecodable, Cause::Other),
        };
        let message = match error.kind() {
            ErrorKind::Io(cause) => plain(cause),
            _ => error.to_string(),
        };
        Self { help: advice(&error), cause, ..Self::new(exit, message) }
    }
}

/// The text of an I/O error without its number.
pub(super) fn plain(error: &impl fmt::Display) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    let is_acronym = chars.clone().next().is_some_and(|second| second.is_uppercase() || second == '/');
    // The text continues a line.
    if is_acronym { text.to_owned() } else { first.to_lowercase().chain(chars).collect() }
}

thread_local! {
    static PANICKED_AT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps panics off the terminal: they are reported as failures of a file.
pub(super) fn quiet_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|at| format!(" at {}:{}", at.file(), at.line())).unwrap_or_default();
        PANICKED_AT.with_borrow_mut(|kept| *kept = place);
    }));
}

/// Runs a function and turns a panic into a failure with exit code 70.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(bug(&*panic)))
}

fn bug(panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("panicked");
    let place = PANICKED_AT.take();
    Failure::new(Exit::Bug, format!("internal error, please report the file: {text}{place}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_text_of_an_error_continues_a_line() {
        let plain = |text: &str| super::plain(&text);
        assert_eq!(plain("No such file or directory (os error 2)"), "no such file or directory");
        assert_eq!(
            ["IO error", "I/O error", "PCX: invalid"].map(plain),
            ["IO error", "I/O error", "PCX: invalid"]
        );
        assert_eq!(plain(""), "");
    }
}
