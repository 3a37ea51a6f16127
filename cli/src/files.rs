//! The input files: files, directories, and lists of them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Component;
use std::sync::{Arc, Mutex};

use clap::error::{Error, ErrorKind as Misuse};
use clap::{ArgMatches, Command, FromArgMatches, Id};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, WalkBuilder};
use serde::Deserialize;

use super::batch::locked;
use super::exit::plain;
use super::load;
use super::output::bytes;
use super::read::{MAX_TEXT, unmarked, unread};
use crate::prelude::*;
use bindpose::depot;
use bindpose::files::{is_product, read_regular, sweep_once};
use bindpose::schema::is_printable;

#[derive(Args)]
pub(super) struct Inputs {
    /// Files or directories; `@list.txt` for a list of them; `-` for standard input
    ///
    /// Directories are searched recursively. Files that `.gitignore` excludes, and the originals that edits keep as `FILE.orig`, are
    /// skipped. A list has a name in each line; blank lines and lines that start with `#` are ignored. If it contains NUL characters,
    /// they separate the names.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    filter: Filter,
    /// Read the files as FORMAT instead of detecting it; give it once for all files, or once for each PATH
    #[arg(long = "as", value_name = "FORMAT[:DIALECT]", help_heading = "Input options")]
    specs: Vec<FormatSpec>,
}

#[derive(Args)]
pub(super) struct Filter {
    /// Of the files in directories, process only those that match GLOB; repeatable
    ///
    /// Globs are written as in `.gitignore`: `*.psk` matches names in every directory, `characters/*.psk` paths relative to the working
    /// directory, `!*.psk` excludes. Files that are named themselves are always processed.
    #[arg(short, long, value_name = "GLOB", help_heading = "Input options")]
    glob: Vec<String>,
    /// Skip the files and directories in directories that match GLOB; repeatable
    #[arg(long, value_name = "GLOB", help_heading = "Input options")]
    exclude: Vec<String>,
    #[command(flatten)]
    out_dir: OutDir,
}

/// The directory of the results, of verbs that have one. Inside a directory of the input, it is not searched: the results of a run are
/// not the input of the next.
struct OutDir(Option<PathBuf>);

impl Args for OutDir {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

/// The verb declares the argument, after those of the input. It is read here, so that it applies to every verb.
impl FromArgMatches for OutDir {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(Self(out_dir(matches).cloned()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn out_dir(matches: &ArgMatches) -> Option<&PathBuf> {
    matches.try_get_one("out_dir").ok().flatten()
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

impl Item {
    pub fn named(path: &Path, spec: Option<FormatSpec>) -> Self {
        Self { path: path.into(), spec, named: true, trouble: None }
    }

    fn unreadable(path: &Path, why: String) -> Self {
        Self { trouble: Some(why.into()), ..Self::named(path, None) }
    }

    /// Fails if the file cannot be read.
    pub fn is_listed(&self) -> Result<()> {
        let trouble = self.trouble.as_ref().map(|trouble| Failure::new(Exit::Io, &**trouble));
        trouble.map_or(Ok(()), |failure| Err(failure.in_file(&self.path)))
    }
}

impl Inputs {
    pub fn directories(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(PathBuf::as_path).filter(|path| path.is_dir())
    }

    /// Lists the files, each once; those in directories in the order of their names.
    pub fn list(&self) -> Result<Vec<Item>> {
        Ok(without_repetitions(self.list_with_repetitions()?, absolute))
    }

    /// As [`list`](Self::list), with the repetitions.
    pub fn list_with_repetitions(&self) -> Result<Vec<Item>> {
        if self.specs.len() > 1 && self.specs.len() != self.paths.len() {
            let (specs, paths) = (self.specs.len(), self.paths.len());
            let why = format!("expected --as once, or once for each PATH; got {specs} for {paths} paths");
            return Err(Failure::usage(why));
        }
        list(&self.paths, &self.specs, &self.filter)
    }

    /// Lists the files whose results are written to a directory: no two have the same name there.
    pub fn list_for(&self, directory: &Path) -> Result<Vec<Item>> {
        let items = self.list()?;
        self.have_own_names(&items, directory)?;
        Ok(items)
    }

    /// Checks that no two files of supported formats have the same name in a directory of results.
    pub fn have_own_names(&self, items: &[Item], directory: &Path) -> Result<()> {
        // A file that cannot be read has no result.
        let is_ours = |item: &Item| load::is_ours(item).unwrap_or(false);
        let mut taken: HashMap<&Path, &Item> = HashMap::new();
        for item in items {
            let Some(other) = taken.insert(self.relative(&item.path), item) else { continue };
            if is_ours(other) && is_ours(item) {
                let (one, two, there) = (shown(&other.path), shown(&item.path), shown(directory));
                let why = format!("{one} and {two} would have the same name in {there}");
                let help = "process them one after the other, or give the directory above them, whose folders are kept";
                return Err(Failure::usage(why).with_help(help));
            }
        }
        Ok(())
    }

    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    pub fn nothing(&self) -> Failure {
        nothing(&self.paths)
    }

    /// The path of a file below the directory that it was found in; the name of a file that was named.
    pub fn relative<'a>(&self, file: &'a Path) -> &'a Path {
        relative(&self.paths, file)
    }
}

/// Whether a path is standard input or output.
pub(super) fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether a result goes to standard output: `-`, or a name that systems give it. As a file, what it is redirected into would be replaced.
pub(super) fn is_stdout(path: &Path) -> bool {
    const NAMES: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    is_stdio(path) || cfg!(unix) && NAMES.iter().any(|own| path.as_os_str() == *own)
}

/// The failure of a run without files at these paths.
pub(super) fn nothing(paths: &[PathBuf]) -> Failure {
    const MOST: usize = 4;
    let mut names: Vec<_> = paths.iter().take(MOST).map(|path| shown(path)).collect();
    names.extend((paths.len() > MOST).then(|| "...".to_owned()));
    Failure::new(Exit::Nothing, "no file of a supported format was found").of(names.join(", "))
}

/// The path of a file below one of these that it was found in; the name of a file that was named.
pub(super) fn relative<'a>(paths: &[PathBuf], file: &'a Path) -> &'a Path {
    let inner = paths.iter().find_map(|path| file.strip_prefix(path).ok());
    let inner = inner.filter(|inner| inner.components().next().is_some());
    inner.or_else(|| file.file_name().map(Path::new)).unwrap_or(file)
}

/// Ends the edits that killed runs left unfinished in the directories of files, so that sets are read as they were or will be.
pub(super) fn settle<'a>(files: impl IntoIterator<Item = &'a Path>) {
    let directories: HashSet<_> = files.into_iter().filter_map(Path::parent).collect();
    for directory in directories {
        sweep_once(if directory.as_os_str().is_empty() { Path::new(".") } else { directory });
    }
}

/// Keeps the first of the items with the same key, as a named one if one of them is named.
pub(super) fn without_repetitions(items: Vec<Item>, key: impl Fn(&Path) -> PathBuf) -> Vec<Item> {
    let (mut places, mut kept) = (HashMap::new(), Vec::<Item>::with_capacity(items.len()));
    for item in items {
        let place = *places.entry(key(&item.path)).or_insert(kept.len());
        match kept.get_mut(place) {
            Some(first) => first.named |= item.named,
            None => kept.push(item),
        }
    }
    kept
}

/// Fails if arguments read standard input twice, or write its result to a directory, where it has no name.
pub(super) fn check_stdin(matches: &ArgMatches) -> Result<(), Error> {
    let refuse = |why: &str| Err(Error::raw(Misuse::ArgumentConflict, format!("{why}\n")));
    let paths = |id: &Id| matches.try_get_many::<PathBuf>(id.as_str()).ok().flatten();
    let inputs: Vec<_> = matches
        .ids()
        .filter(|id| *id != "output")
        .filter_map(paths)
        .flatten()
        .map(|path| path.as_os_str())
        .collect();
    let is_file = |path: &&&OsStr| **path == "-";
    if inputs.iter().filter(|path| is_file(path) || **path == "@-").count() > 1 {
        return refuse("standard input (-) can be read only once");
    }
    if out_dir(matches).is_some() && inputs.iter().any(|path| is_file(&path)) {
        return refuse(
            "standard input (-) has no name for a file in a directory; use -o OUT instead of --out-dir",
        );
    }
    matches.subcommand().map_or(Ok(()), |(_, inner)| check_stdin(inner))
}

/// Lists files; those in directories in the order of their names. The formats are given once, or once for each path.
pub(super) fn list(paths: &[PathBuf], specs: &[FormatSpec], filter: &Filter) -> Result<Vec<Item>> {
    let wanted = filter.wanted()?;
    let mut items = Vec::new();
    let patterns = Arc::default();
    // A directory that does not exist yet contains no results.
    let out_dir = filter.out_dir.0.as_ref().and_then(|path| fs::canonicalize(path).ok());
    let selection = (&wanted, &patterns, out_dir.as_deref());
    for (index, path) in paths.iter().enumerate() {
        let spec = specs.get(index).or(specs.first()).copied();
        match path.as_os_str().as_encoded_bytes() {
            [b'@', list @ ..] => {
                for path in read_list(&os_path(list)?)? {
                    add(&path, spec, selection, &mut items);
                }
            }
            _ => add(path, spec, selection, &mut items),
        }
    }
    Ok(items)
}

impl Filter {
    fn wanted(&self) -> Result<Override> {
        let mut builder = OverrideBuilder::new(absolute(Path::new(".")));
        let excluded = self.exclude.iter().map(|glob| format!("!{glob}"));
        for glob in self.glob.iter().cloned().chain(excluded) {
            builder.add(&glob).map_err(|error| Failure::usage(error.to_string()))?;
        }
        builder.build().map_err(|error| Failure::usage(error.to_string()))
    }
}

fn read_list(list: &Path) -> Result<Vec<PathBuf>> {
    let failed = |failure: Failure| failure.of(format!("@{}", shown(list)));
    let read = match list.as_os_str().as_encoded_bytes() {
        b"-" => piped_list(),
        _ => read_regular(list, MAX_TEXT),
    };
    let bytes = read.map_err(|error| failed(unread(&error)))?;
    let bytes = unmarked(&bytes);
    // Their characters would be names, one of them that of the working directory.
    if bytes.len() > 2 && bytes.chunks(2).all(|pair| pair.ends_with(&[0])) {
        return Err(failed(Failure::usage("is UTF-16 without a mark in front; save it as UTF-8")));
    }
    // A list names files: standard input is not one.
    let named = |name: &[u8]| os_path(if name == b"-" { b"./-" } else { name });
    names(&bytes).map(|name| named(name).map_err(failed)).collect()
}

fn piped_list() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_TEXT + 1).read_to_end(&mut bytes)?;
    let is_too_long = bytes.len() as u64 > MAX_TEXT;
    if is_too_long {
        Err(io::Error::new(
            ErrorKind::FileTooLarge,
            format!("has more than {MAX_TEXT} bytes, which is the limit"),
        ))
    } else {
        Ok(bytes)
    }
}

/// The names in a list: separated by NUL characters if there are any, otherwise lines without comments.
fn names(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    let separator = if list.contains(&0) { 0 } else { b'\n' };
    let is_name = move |name: &&[u8]| {
        !name.trim_ascii().is_empty() && (separator == 0 || !name.trim_ascii_start().starts_with(b"#"))
    };
    let without_return = move |name: &'_ [u8]| separator == b'\n' && name.ends_with(b"\r");
    list.split(move |byte| *byte == separator)
        .map(move |name| if without_return(name) { &name[..name.len() - 1] } else { name })
        .filter(is_name)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems restrict names")]
pub(super) fn os_path(bytes: &[u8]) -> Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Ok(OsStr::from_bytes(bytes).into())
}

#[cfg(not(unix))]
pub(super) fn os_path(bytes: &[u8]) -> Result<PathBuf> {
    let name = std::str::from_utf8(bytes).map_err(|error| Failure::usage(error.to_string()))?;
    Ok(OsStr::new(name).into())
}

/// The files that the user wants, the patterns of ignored files so far, and the directory of the results.
type Selection<'a> = (&'a Override, &'a Arc<Mutex<Patterns>>, Option<&'a Path>);

fn add(path: &Path, spec: Option<FormatSpec>, selection: Selection<'_>, items: &mut Vec<Item>) {
    if path.is_dir() {
        walk(path, spec, selection, items);
    } else {
        items.push(Item::named(path, spec));
    }
}

fn walk(
    directory: &Path,
    spec: Option<FormatSpec>,
    (wanted, patterns, out_dir): Selection<'_>,
    items: &mut Vec<Item>,
) {
    let absolute = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    if let Some(trouble) = absolute.ancestors().find_map(|above| unfit_patterns(above, patterns)) {
        items.push(trouble);
        return;
    }
    let unfit = Arc::new(Mutex::new(Vec::new()));
    let (refused, patterns, wanted) = (Arc::clone(&unfit), Arc::clone(patterns), wanted.clone());
    let out_dir = out_dir.map(Path::to_owned);
    let is_out_dir =
        move |path: &Path| out_dir.is_some() && fs::canonicalize(path).ok().as_deref() == out_dir.as_deref();
    let is_wanted = move |entry: &DirEntry| {
        let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
        if entry.depth() > 0 && wanted.matched(entry.path(), is_directory).is_ignore() {
            return false;
        }
        if !is_directory && (is_product(entry.file_name()) || is_list(entry.path())) {
            return false;
        }
        if is_directory && entry.depth() > 0 && is_out_dir(entry.path()) {
            return false;
        }
        let trouble = if is_directory { unfit_patterns(entry.path(), &patterns) } else { None };
        let is_fit = trouble.is_none();
        locked(&refused).extend(trouble);
        is_fit && entry.file_name() != ".git"
    };
    let walker = WalkBuilder::new(directory)
        .hidden(false)
        .ignore(false)
        .require_git(false)
        .filter_entry(is_wanted)
        // Files of one directory: the order of their paths is that of their names.
        .sort_by_file_path(|one, two| one.as_os_str().cmp(two.as_os_str()))
        .build();
    for entry in walker {
        match entry {
            Ok(entry) if is_file(&entry) => {
                let path = entry.into_path().into_boxed_path();
                items.push(Item { path, spec, named: false, trouble: None });
            }
            Ok(_) => {}
            Err(error) => {
                let why = error.io_error().map_or_else(|| error.to_string(), plain);
                items.push(Item::unreadable(path_of(&error).unwrap_or(directory), why));
            }
        }
    }
    items.append(&mut locked(&unfit));
}

/// Whether a file lists the files of a character, with which it is read.
fn is_list(path: &Path) -> bool {
    let has_extension = path.extension().is_some_and(|own| own.eq_ignore_ascii_case(depot::LIST));
    has_extension && read_regular(path, PATTERNS).is_ok_and(|text| depot::is_list(&text))
}

/// The maximum size of a file of patterns in bytes. They are compiled, which takes time and memory.
pub(super) const PATTERNS: u64 = 1 << 17;

/// The maximum size of all files of patterns of a run in bytes.
const ALL_PATTERNS: u64 = 1 << 20;

/// The files of patterns that were found so far, and their size.
#[derive(Default)]
struct Patterns {
    known: HashSet<PathBuf>,
    size: u64,
}

/// The failure of a directory whose files of patterns are not regular or are too large to be applied.
fn unfit_patterns(directory: &Path, patterns: &Mutex<Patterns>) -> Option<Item> {
    let mut patterns = locked(patterns);
    let of_git = git_exclude(directory).transpose();
    let mut files = [Ok(directory.join(".gitignore"))].into_iter().chain(of_git);
    files.find_map(|file| {
        let (path, why) = match file {
            Ok(path) => patterns.add(&path).map(|why| (path, why))?,
            Err((path, error)) => (path, plain(&error)),
        };
        Some(Item::unreadable(&path, format!("{why}; the directory is skipped")))
    })
}

impl Patterns {
    /// Adds a file, if there is one; returns why it cannot be applied.
    fn add(&mut self, path: &Path) -> Option<String> {
        let data = fs::metadata(path).ok()?;
        if !data.is_file() {
            return Some("is not a file".to_owned());
        }
        if data.len() > PATTERNS {
            let (len, most) = (bytes(data.len()), bytes(PATTERNS));
            return Some(format!("has {len} of patterns, more than the limit of {most}"));
        }
        if self.known.insert(path.to_owned()) {
            self.size += data.len();
        }
        let most = bytes(ALL_PATTERNS);
        (self.size > ALL_PATTERNS).then(|| {
            format!("the ignore files of the run have more than {most} of patterns, which is the limit")
        })
    }
}

/// The file `info/exclude` of the repository whose root a directory is. A working tree that is not the first of its repository
/// has a file `.git` that leads there.
fn git_exclude(directory: &Path) -> Result<Option<PathBuf>, (PathBuf, io::Error)> {
    let own = directory.join(".git");
    let line_of = |path: PathBuf| {
        let read = read_regular(&path, PATTERNS).map_err(|error| (path, error))?;
        Ok(read
            .split(|byte| *byte == b'\n')
            .next()
            .and_then(|line| os_path(line.strip_suffix(b"\r").unwrap_or(line)).ok()))
    };
    if !own.is_file() {
        return Ok(Some(own.join("info/exclude")));
    }
    let Some(line) = line_of(own)? else { return Ok(None) };
    let Some(tree) = line.to_str().and_then(|line| line.strip_prefix("gitdir: ")) else { return Ok(None) };
    let tree = Path::new(tree);
    let common = tree.join("commondir");
    if !common.exists() {
        return Ok(None);
    }
    Ok(line_of(common)?.map(|common| tree.join(common).join("info/exclude")))
}

/// Links to files are followed. Links to directories are not: they may form a cycle.
fn is_file(entry: &DirEntry) -> bool {
    match entry.file_type() {
        Some(kind) if kind.is_symlink() => fs::metadata(entry.path()).map_or(true, |data| data.is_file()),
        Some(kind) => kind.is_file(),
        None => false,
    }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}

/// A path without `.` and `..`, from the root. Links are not resolved.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => _ = clean.pop(),
            component => clean.push(component),
        }
    }
    clean
}

/// A path in machine output.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct PathName {
    /// With slashes, and replacement characters where it is not UTF-8.
    #[serde(rename = "path")]
    pub text: String,
    /// The exact bytes in hexadecimal, if it is not UTF-8.
    #[serde(rename = "path_bytes", default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
}

impl PathName {
    pub fn of(path: &Path) -> Self {
        let hex = |bytes: &[u8]| {
            bytes.iter().fold(String::new(), |mut hex, byte| {
                let _ = write!(hex, "{byte:02x}");
                hex
            })
        };
        let is_text = path.to_str().is_some();
        let bytes = (!is_text).then(|| hex(path.as_os_str().as_encoded_bytes()));
        Self { text: slashed(path).into_owned(), bytes }
    }
}

/// The name of a file in machine output whose lines have another path.
#[derive(Clone, Copy, Serialize)]
pub(super) struct FileName<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_bytes: Option<&'a str>,
}

impl<'a> From<&'a PathName> for FileName<'a> {
    fn from(name: &'a PathName) -> Self {
        Self { file: &name.text, file_bytes: name.bytes.as_deref() }
    }
}

impl From<String> for PathName {
    fn from(text: String) -> Self {
        Self { text, bytes: None }
    }
}

/// The name of a file without its folder.
pub(super) fn file_name(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
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
    fn a_list_has_lines_or_nul_characters() {
        let list = |text: &'static str| names(text.as_bytes()).map(|name| std::str::from_utf8(name).unwrap());
        assert!(list("a b.psk\r\n\n  \n# old\n  # indented\nc#.psk").eq(["a b.psk", "c#.psk"]));
        assert!(list("a\nb.psk\0#c.psk\0").eq(["a\nb.psk", "#c.psk"]));
        assert!(list("").eq([""; 0]));
    }

    #[test]
    fn a_path_is_cleaned_without_the_file_system() {
        let here = absolute(Path::new("."));
        assert_eq!(absolute(Path::new("./a/../b/./c.psk")), here.join("b/c.psk"));
        assert_eq!(absolute(Path::new("../x")), here.parent().unwrap().join("x"));
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_not_text_keeps_its_bytes() {
        let name = PathName::of(&os_path(b"a\xff.psk").unwrap());
        assert_eq!((name.text.as_str(), name.bytes.as_deref()), ("a\u{fffd}.psk", Some("61ff2e70736b")));
        assert_eq!(PathName::of(Path::new("b.psk")).bytes, None);
    }

    #[test]
    fn a_name_cannot_control_a_terminal() {
        assert_eq!(printable("h\u{e9}ro.psk"), "h\u{e9}ro.psk");
        assert_eq!(printable("a\x1b[31m\n::error::b"), r"a\x1b[31m\x0a::error::b");
        assert_eq!(printable("a\u{202e}b\u{9b}c\u{fffe}\u{2028}"), r"a\u{202e}b\u{9b}c\u{fffe}\u{2028}");
    }
}
