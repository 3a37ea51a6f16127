//! `bindpose rescue`: a valid file with what can be read of a damaged one.

use super::exit::program;
use super::files::settle;
use super::load::Input;
use super::write::Out;
use crate::prelude::*;
use bindpose::check::{Report, Severity};
use bindpose::{Error, ErrorKind, Loss, Rescued};

/// Write a valid file with what can be read of a damaged one
///
/// A UTF-8 mark that an editor put before the content is removed. A conversion that treated the file as text is reversed if that gives
/// a valid file. Otherwise lists are cut to their complete elements, references to lost elements are removed, and bytes that cannot be
/// decoded are dropped. Each loss is printed to standard error. A file whose parts agree and that is not damaged is written unchanged.
///
/// Errors that are not damage, such as numbers that are not finite, stay as they are. They are printed, too, one of each rule.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose rescue truncated.ms3d -o hero.ms3d
  bindpose rescue broken.psk -o fixed.psk && bindpose check fixed.psk")]
pub(super) struct Rescue {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    out: Out,
}

impl Verb for Rescue {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        settle([&*self.input.file]);
        let (bytes, spec) = self.input.named()?;
        let rescued = spec.kind.rescue(&bytes, &spec.options(self.input.limits.limits()));
        let Rescued { bytes: valid, losses, .. } = rescued.map_err(|error| self.refuse(error))?;
        self.out.write(&valid, output, Some(spec))?;
        if !output.common.quiet {
            print_losses(&self.input.file, &losses);
            let options = spec.options(self.input.limits.limits());
            let file = spec.kind.decode(&valid, &options).map_err(|error| self.refuse(error))?;
            print_errors(&self.input.file, &file.check(&valid, 1));
        }
        Ok(Exit::Success)
    }
}

pub(super) fn print_losses(file: &Path, losses: &[Loss]) {
    let (program, path) = (program(), shown(file));
    for loss in losses {
        note!("{program}: {path}: {loss}");
    }
    if losses.is_empty() {
        note!("{program}: {path}: not damaged; written unchanged");
    }
}

/// Prints the errors that the valid file has, because no damage caused them.
fn print_errors(file: &Path, report: &Report) {
    let (program, path) = (program(), shown(file));
    let errors = report.findings.iter().filter(|own| own.rule.severity == Severity::Error);
    for finding in errors {
        let more = report.more.iter().find(|(rule, _)| rule.code == finding.rule.code);
        let more = more.map(|(_, count)| format!(", and {count} more")).unwrap_or_default();
        let (start, code) = (finding.range.start, finding.rule.code);
        note!("{program}: {path}: error kept: {start:#010x} {finding} ({code}{more})");
    }
}

impl Rescue {
    /// Returns the failure of a file that cannot be rescued. One of which no valid file can be made is not decodable.
    fn refuse(&self, error: Error) -> Failure {
        let exit = matches!(error.kind(), ErrorKind::Encode(_)).then_some(Exit::Undecodable);
        let failure = Failure::from(error).in_file(&self.input.file);
        Failure { exit: exit.unwrap_or(failure.exit), ..failure }
    }
}
