//! One file, decoded, for the verbs that look into it.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::{Cause, Exit, Failure};
use super::limits::LimitArgs;
use super::read::Buffer;
use bindpose::codec::Verdict;
use bindpose::{Error, File, FormatSpec, Limits};

/// The arguments that name one file.
#[derive(Args)]
pub(super) struct Input {
    /// The file; `-` for standard input
    pub file: PathBuf,
    /// Read the file as this format
    #[arg(long = "as", value_name = "FORMAT[:DIALECT]")]
    spec: Option<FormatSpec>,
    #[command(flatten)]
    limits: LimitArgs,
}

/// A decoded file and the bytes it came from.
pub(super) struct Loaded {
    pub bytes: Vec<u8>,
    pub spec: FormatSpec,
    pub file: File,
}

impl Input {
    /// Reads and decodes the file.
    pub fn load(&self) -> Result<Loaded, Failure> {
        load(&self.file, self.spec, self.limits)
    }

    /// Reads the file, whatever it holds.
    pub fn read(&self) -> Result<(Vec<u8>, Option<FormatSpec>), Failure> {
        read(&self.file, self.spec, self.limits)
    }

    /// The failure, said of the file.
    pub fn blame(&self, failure: impl Into<Failure>) -> Failure {
        failure.into().of(self.file.display())
    }
}

/// Reads and decodes a file, detecting its format where none is given.
pub(super) fn load(path: &Path, spec: Option<FormatSpec>, limits: LimitArgs) -> Result<Loaded, Failure> {
    let (bytes, spec) = named(path, spec, limits)?;
    let file =
        decode(&bytes, spec, limits.limits()).map_err(|error| Failure::from(error).of(path.display()))?;
    Ok(Loaded { bytes, spec, file })
}

/// Reads a file of a known format.
pub(super) fn named(
    path: &Path,
    spec: Option<FormatSpec>,
    limits: LimitArgs,
) -> Result<(Vec<u8>, FormatSpec), Failure> {
    let (bytes, spec) = read(path, spec, limits)?;
    let foreign = || Failure {
        cause: Cause::UnknownFormat,
        ..Failure::new(Exit::Undecodable, UNKNOWN_FORMAT).of(path.display())
    };
    Ok((bytes, spec.ok_or_else(foreign)?))
}

/// Reads a file and tells its format, where that can be told and none is given.
fn read(
    path: &Path,
    spec: Option<FormatSpec>,
    limits: LimitArgs,
) -> Result<(Vec<u8>, Option<FormatSpec>), Failure> {
    let failed = |exit| move |why: String| Failure::new(exit, format!("{}: {why}", path.display()));
    let mut buffer = Buffer::default();
    let opened = buffer.open(path).map_err(failed(Exit::Io))?;
    let spec = spec.or_else(|| FormatSpec::detect(path, buffer.head(&opened)));
    limits.admit(opened.len().unwrap_or(0)).map_err(failed(Exit::Limit))?;
    let len = buffer.whole(opened).map_err(failed(Exit::Io))?.len();
    Ok((buffer.into_bytes(len), spec))
}

/// The format of a file, where its name or its beginning tells.
pub(super) fn detect(path: &Path) -> Option<FormatSpec> {
    let mut buffer = Buffer::default();
    let opened = buffer.open(path).ok()?;
    FormatSpec::detect(path, buffer.head(&opened))
}

/// The format and the length of a file; nothing for what is of no known format, or can be read only once.
pub(super) fn peek(path: &Path, spec: Option<FormatSpec>) -> Option<(FormatSpec, u64)> {
    let len = fs::metadata(path).ok().filter(Metadata::is_file)?.len();
    Some((spec.or_else(|| detect(path))?, len))
}

/// What to do about a file that is none of ours.
pub(super) const UNKNOWN_FORMAT: &str = "starts like no known format; --as FORMAT tells which it is";

/// Decodes as a spec says.
pub(super) fn decode(bytes: &[u8], spec: FormatSpec, limits: Limits) -> Result<File, Error> {
    spec.kind.decode(bytes, &spec.options(limits))
}

/// What is written must read back as what was meant.
pub(super) fn verify(written: &[u8], spec: FormatSpec, meant: &[u8]) -> Result<(), Failure> {
    let outcome = spec.kind.roundtrip(written, &spec.options(Limits::none()));
    match outcome.verdict {
        Verdict::Lossless | Verdict::Damaged(_) if written == meant => Ok(()),
        Verdict::Undecodable(error) | Verdict::Limit(error) => Err(error.into()),
        _ => Err(Failure::new(Exit::Bug, "does not read back as it was written; nothing was changed")),
    }
}

impl Loaded {
    /// Says on standard error that the file is damaged, if it is.
    pub fn warn_of_damage(&self, path: &Path) {
        if let Some(damage) = self.file.damage() {
            eprintln!("bindpose: {}: damaged: {damage}", path.display());
        }
    }
}
