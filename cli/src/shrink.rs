//! `bindpose shrink`: reduce a file that shows a bug.

use std::ffi::OsString;
use std::process::{Command, ExitStatus, Stdio};
use std::{env, fs};

use super::load::Input;
use super::write::Out;
use crate::prelude::*;
use bindpose::harness;

/// Reduce a file while a command still accepts it
///
/// Runs the command with the path of a smaller file in place of {}, or as its last argument; exit code 0 accepts the file. Removes
/// list elements first (counts follow), then bytes, then sets the remaining bytes to zero where possible.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose shrink crash.psk --predicate '! other-reader' -o small.psk
  bindpose shrink hero.x --predicate 'grep -q SkinWeights' -o skin.x")]
pub(super) struct Shrink {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    predicate: Predicate,
    #[command(flatten)]
    out: Out,
}

/// The command that accepts or rejects a file.
#[derive(Args)]
pub(super) struct Predicate {
    /// Command for the shell
    #[arg(long, value_name = "CMD")]
    predicate: String,
    /// Run the command at most N times
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_tries: usize,
}

/// Reduces bytes while a function accepts them, in a number of tries.
type Reduce<'a> = dyn Fn(Vec<u8>, usize, &mut dyn FnMut(&[u8]) -> bool) -> Vec<u8> + 'a;

impl Verb for Shrink {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let (bytes, spec) = self.input.read()?;
        let before = bytes.len();
        let reduce: &Reduce<'_> = &|bytes, tries, accepts| harness::shrink(spec, bytes, tries, accepts);
        let small = self.predicate.reduce(&self.input.file, bytes, reduce)?;
        self.out.write(&small, output, None)?;
        if !output.common.quiet {
            note!("bindpose: reduced from {before} to {} bytes", small.len());
        }
        Ok(Exit::Success)
    }
}

impl Predicate {
    /// Reduces a file while the command accepts it.
    pub fn reduce(&self, file: &Path, bytes: Vec<u8>, reduce: &Reduce<'_>) -> Result<Vec<u8>> {
        let scratch = tempfile::tempdir().in_file(&env::temp_dir())?;
        let candidate = scratch.path().join(candidate(file));
        self.try_first(&candidate, &bytes).in_file(file)?;
        let mut failure = None;
        let mut accepts = |bytes: &[u8]| match self.status(&candidate, bytes, Stdio::null()) {
            Ok(status) => status.success(),
            Err(error) => {
                failure.get_or_insert(error);
                false
            }
        };
        let small = reduce(bytes, self.max_tries, &mut accepts);
        failure.map_or(Ok(small), Err)
    }

    /// Checks that the command accepts the original file; its output is shown if not.
    fn try_first(&self, candidate: &Path, bytes: &[u8]) -> Result<()> {
        let status = self.status(candidate, bytes, Stdio::inherit())?;
        if status.success() {
            return Ok(());
        }
        let ended = match status.code() {
            Some(127) => "command not found (exit code 127)".into(),
            Some(code) => format!("the command exited with code {code}"),
            None => "the command was killed".into(),
        };
        let why = format!("{ended}: expected 0 for the original file");
        Err(Failure::usage(why))
    }

    fn status(&self, candidate: &Path, bytes: &[u8], errors: Stdio) -> Result<ExitStatus> {
        fs::write(candidate, bytes)?;
        let mut shell = shell(&self.line(candidate));
        Ok(shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors).status()?)
    }

    /// The command with the path in it.
    fn line(&self, candidate: &Path) -> OsString {
        let path = if cfg!(windows) {
            format!("\"{}\"", candidate.to_string_lossy())
        } else {
            format!("'{}'", candidate.to_string_lossy().replace('\'', r"'\''"))
        };
        if self.predicate.contains("{}") {
            self.predicate.replace("{}", &path).into()
        } else {
            format!("{} {path}", self.predicate).into()
        }
    }
}

/// The file name passed to the command: only the extension of the input is kept, if it is alphanumeric.
fn candidate(file: &Path) -> String {
    let extension = file.extension().and_then(|extension| extension.to_str());
    let plain = extension.filter(|text| text.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    plain.map_or("candidate".into(), |extension| format!("candidate.{extension}"))
}

fn shell(line: &OsString) -> Command {
    let (program, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut command = Command::new(program);
    command.arg(flag).arg(line);
    command
}
