//! What is tested: files in folders, and files made from entropy.

use std::panic::{Location, resume_unwind};
use std::path::{Path, PathBuf};

use bindpose::{File, FileKind, FormatSpec, Limits, Options};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use walkdir::WalkDir;

/// A folder of the repository.
pub fn own(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder)
}

/// The folder of real files that `BINDPOSE_CORPUS` names, from the root of the repository.
pub fn corpus() -> PathBuf {
    from_environment("BINDPOSE_CORPUS")
}

/// The folder of hostile files that `BINDPOSE_MALFORMED` names.
pub fn malformed() -> PathBuf {
    from_environment("BINDPOSE_MALFORMED")
}

fn from_environment(variable: &str) -> PathBuf {
    let folder = std::env::var_os(variable).unwrap_or_else(|| panic!("{variable} is not set"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    assert!(folder.is_dir(), "{variable} is not a folder: {}", folder.display());
    folder
}

/// Every file below a folder, in a stable order, with its content; there must be one.
pub fn files(folder: &Path) -> impl Iterator<Item = (PathBuf, Vec<u8>)> + use<> {
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter();
    let entries = entries.map(|entry| entry.unwrap_or_else(|error| panic!("{error}")));
    let mut files =
        entries.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path).peekable();
    assert!(files.peek().is_some(), "no file in {}", folder.display());
    files.map(|path| {
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path, bytes)
    })
}

/// Real files for laws that try many variants of each: every n-th one where `BINDPOSE_EVERY` is n.
pub fn some_of_corpus() -> impl Iterator<Item = (PathBuf, Vec<u8>)> {
    files(&corpus()).step_by(every())
}

/// The number of `BINDPOSE_EVERY`; 1 without it.
pub fn every() -> usize {
    std::env::var("BINDPOSE_EVERY").map_or(1, |own| own.parse().expect("BINDPOSE_EVERY is a number above 0"))
}

/// The format of a file, and how to decode it: by its name, or by its content.
pub fn kind(path: &Path, bytes: &[u8]) -> Option<(FileKind, Options)> {
    let spec = FormatSpec::detect(path, bytes)?;
    Some((spec.kind, spec.options(Limits::default())))
}

/// A sample file.
pub struct Sample {
    /// The name without the folder.
    pub name: String,
    pub kind: FileKind,
    pub options: Options,
    pub bytes: Vec<u8>,
    pub file: File,
}

impl Sample {
    /// Returns the sample; `None` if its format is unknown or it cannot be decoded.
    fn new(path: &Path, bytes: Vec<u8>) -> Option<Self> {
        let (kind, options) = kind(path, &bytes)?;
        let file = kind.decode(&bytes, &options).ok()?;
        let name = path.file_name()?.to_string_lossy().into_owned();
        Some(Self { name, kind, options, bytes, file })
    }

    /// Whether the sample does not exist for its size. Large ones take long in tests that try many variants of a file, and
    /// contain nothing that small ones do not.
    pub const fn is_small(&self) -> bool {
        self.bytes.len() <= 8192
    }
}

/// The samples in a folder that decode.
pub fn samples(folder: &str) -> impl Iterator<Item = Sample> + use<> {
    files(&own(folder)).filter_map(|(path, bytes)| Sample::new(&path, bytes))
}

/// Those that are small.
pub fn small_samples(folder: &str) -> impl Iterator<Item = Sample> + use<> {
    samples(folder).filter(Sample::is_small)
}

/// The samples of a format that decode.
pub fn samples_of(kind: FileKind) -> impl Iterator<Item = Sample> {
    let files = files(&own("corpus"));
    let own = files.filter(move |(path, bytes)| self::kind(path, bytes).is_some_and(|(own, _)| own == kind));
    own.filter_map(|(path, bytes)| Sample::new(&path, bytes))
}

/// The bytes of a sample: `corpus/ms3d/full.ms3d`.
#[track_caller]
pub fn read(name: &str) -> Vec<u8> {
    std::fs::read(own(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A sample that decodes.
#[track_caller]
pub fn sample(name: &str) -> Sample {
    Sample::new(&own(name), read(name)).unwrap_or_else(|| panic!("{name} does not decode"))
}

/// Scales the number of cases of a test that checks more where there is more time: `PROPTEST_CASES` is 256 in CI, and
/// less elsewhere.
pub fn scaled(cases: usize) -> usize {
    (cases * Config::default().cases as usize).div_ceil(256)
}

/// Settings of a property with a number of cases that is scaled.
pub fn config(cases: usize) -> Config {
    let cases = u32::try_from(scaled(cases)).unwrap_or(u32::MAX);
    let default = Config::default();
    Config { cases, max_global_rejects: default.max_global_rejects.max(cases), ..default }
}

/// What files are generated from.
pub fn entropy() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..3000)
}

/// Runs a check of every format, each in a thread of its own; returns what they return, in the order of the formats.
pub fn each_format_in_parallel<T: Send>(check: impl Fn(FileKind) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let check = &check;
        let spawn = |&kind: &FileKind| {
            let thread = std::thread::Builder::new().name(kind.name().to_owned());
            thread.spawn_scoped(scope, move || check(kind)).expect("a thread")
        };
        let threads: Vec<_> = FileKind::ALL.iter().map(spawn).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// Runs a property for every format.
#[track_caller]
pub fn for_every_format<S: Strategy + Sync>(
    cases: usize,
    inputs: &S,
    property: impl Fn(FileKind, S::Value) -> Result<(), TestCaseError> + Sync,
) {
    let source_file = Location::caller().file();
    each_format_in_parallel(|kind| {
        let own = config(cases);
        let mut runner = TestRunner::new(Config { source_file: Some(source_file), ..own });
        let result = runner.run(inputs, |input| property(kind, input));
        result.unwrap_or_else(|error| panic!("{}: {error}", kind.name()));
    });
}
