//! The input files: files, directories, and lists of them.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use ignore::{DirEntry, WalkBuilder};

use super::exit::{Exit, Failure, plain};
use super::output::bytes;
use bindpose::FormatSpec;
use bindpose::schema::is_printable;

/// The arguments that specify files.
#[derive(Args)]
pub(super) struct Inputs {
    /// Files or directories; `@list.txt` for a list of them; `-` for standard input
    ///
    /// Directories are searched recursively. Files that `.gitignore` excludes are skipped.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read the files as FORMAT instead of detecting it; give it once for all files, or once for each PATH
    #[arg(long = "as", value_name = "FORMAT[:DIALECT]", help_heading = "Input options")]
    specs: Vec<FormatSpec>,
}

/// A file to be read.
pub(super) struct Item {
    pub path: Box<Path>,
    /// The format that the user specified.
    pub spec: Option<FormatSpec>,
    /// Whether the user named the file; files of unsupported formats in directories are skipped.
    pub named: bool,
    /// Why the file cannot be read, if that is already known.
    pub trouble: Option<Box<str>>,
}

impl Inputs {
    /// The directories among the paths.
    pub fn directories(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(PathBuf::as_path).filter(|path| path.is_dir())
    }

    /// Lists the files; those in directories in the order of their names.
    pub fn list(&self) -> Result<Vec<Item>, Failure> {
        if self.specs.len() > 1 && self.specs.len() != self.paths.len() {
            let (specs, paths) = (self.specs.len(), self.paths.len());
            let why = format!("expected --as once, or once for each PATH; got {specs} for {paths} paths");
            return Err(Failure::new(Exit::Usage, why));
        }
        let mut items = Vec::new();
        for (index, path) in self.paths.iter().enumerate() {
            let spec = self.specs.get(index).or(self.specs.first()).copied();
            match path.to_str().and_then(|text| text.strip_prefix('@')) {
                Some(list) => read_list(list, spec, &mut items)?,
                None => add(path, spec, &mut items),
            }
        }
        Ok(items)
    }
}

impl Inputs {
    /// The path of a file below the directory that it was found in; the name of a file that was named.
    pub fn relative<'a>(&self, file: &'a Path) -> &'a Path {
        let inner = self.paths.iter().find_map(|path| file.strip_prefix(path).ok());
        let inner = inner.filter(|inner| inner.components().next().is_some());
        inner.or_else(|| file.file_name().map(Path::new)).unwrap_or(file)
    }
}

/// A list that cannot be read fails the run.
fn read_list(list: &str, spec: Option<FormatSpec>, items: &mut Vec<Item>) -> Result<(), Failure> {
    let text: Box<dyn BufRead> = match list {
        "-" => Box::new(io::stdin().lock()),
        list => Box::new(io::BufReader::new(
            fs::File::open(list).map_err(|error| Failure::from(error).of(printable(&format!("@{list}"))))?,
        )),
    };
    for line in text.lines() {
        let line = line.map_err(|error| Failure::from(error).of(printable(&format!("@{list}"))))?;
        if !line.is_empty() {
            add(Path::new(&line), spec, items);
        }
    }
    Ok(())
}

fn add(path: &Path, spec: Option<FormatSpec>, items: &mut Vec<Item>) {
    if path.is_dir() {
        walk(path, spec, items);
    } else {
        items.push(Item { path: path.into(), spec, named: true, trouble: None });
    }
}

fn walk(directory: &Path, spec: Option<FormatSpec>, items: &mut Vec<Item>) {
    let absolute = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    if let Some(trouble) = absolute.ancestors().find_map(unfit_patterns) {
        items.push(trouble);
        return;
    }
    let unfit = Arc::new(Mutex::new(Vec::new()));
    let refused = Arc::clone(&unfit);
    let is_wanted = move |entry: &DirEntry| {
        let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
        let trouble = if is_directory { unfit_patterns(entry.path()) } else { None };
        let is_fit = trouble.is_none();
        refused.lock().unwrap_or_else(PoisonError::into_inner).extend(trouble);
        is_fit && entry.file_name() != ".git"
    };
    let walker = WalkBuilder::new(directory)
        .hidden(false)
        .ignore(false)
        .require_git(false)
        .filter_entry(is_wanted)
        .sort_by_file_name(Ord::cmp)
        .build();
    for entry in walker {
        match entry {
            Ok(entry) if is_file(&entry) => {
                let path = entry.into_path().into_boxed_path();
                items.push(Item { path, spec, named: false, trouble: None });
            }
            Ok(_) => {}
            Err(error) => items.push(unreadable(directory, &error)),
        }
    }
    items.append(&mut unfit.lock().unwrap_or_else(PoisonError::into_inner));
}

/// The maximum size of a `.gitignore` in bytes. Its patterns are compiled, which takes time and memory.
const PATTERNS: u64 = 1 << 17;

/// The failure of a directory of which the `.gitignore` is not a file or is too large to be applied.
fn unfit_patterns(directory: &Path) -> Option<Item> {
    let path = directory.join(".gitignore");
    let data = fs::metadata(&path).ok()?;
    let why = match data.len() {
        _ if !data.is_file() => "is not a file; the directory is skipped".to_owned(),
        len if len > PATTERNS => {
            let (len, most) = (bytes(len), bytes(PATTERNS));
            format!("has {len} of patterns, more than the limit of {most}; the directory is skipped")
        }
        _ => return None,
    };
    Some(Item { path: path.into(), spec: None, named: true, trouble: Some(why.into()) })
}

/// Links to files are followed. Links to directories are not: they may form a cycle.
fn is_file(entry: &DirEntry) -> bool {
    match entry.file_type() {
        Some(kind) if kind.is_symlink() => fs::metadata(entry.path()).map_or(true, |data| data.is_file()),
        Some(kind) => kind.is_file(),
        None => false,
    }
}

fn unreadable(directory: &Path, error: &ignore::Error) -> Item {
    let path = path_of(error).unwrap_or(directory).into();
    let why = error.io_error().map_or_else(|| error.to_string(), plain);
    Item { path, spec: None, named: true, trouble: Some(why.into()) }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}

/// A path as machine output has it: with slashes.
pub(super) fn slashed(path: &Path) -> Cow<'_, str> {
    let path = path.to_string_lossy();
    if cfg!(windows) { path.replace('\\', "/").into() } else { path }
}

/// A path for people: characters that could control a terminal or an annotation are escaped.
pub(super) fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy()).into_owned()
}

/// A text with escapes in place of the characters that are not [printable](is_printable): `\x1b`, `\u{202e}`.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_printable) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        _ = match c {
            c if is_printable(c) => write!(escaped, "{c}"),
            c if c.is_ascii() => write!(escaped, "\\x{:02x}", u32::from(c)),
            c => write!(escaped, "\\u{{{:x}}}", u32::from(c)),
        };
    }
    escaped.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_control_a_terminal() {
        assert_eq!(printable("h\u{e9}ro.psk"), "h\u{e9}ro.psk");
        assert_eq!(printable("a\x1b[31m\n::error::b"), r"a\x1b[31m\x0a::error::b");
        assert_eq!(printable("a\u{202e}b\u{9b}c\u{fffe}\u{2028}"), r"a\u{202e}b\u{9b}c\u{fffe}\u{2028}");
    }
}
