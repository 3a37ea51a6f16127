//! `bindpose rescue`: a valid file with what can be read of a damaged one.

use std::path::Path;

use clap::Args;

use super::Common;
use super::exit::{Exit, Failure, program};
use super::files::shown;
use super::load::{self, Input};
use super::output::Output;
use super::verb::Verb;
use super::write::Out;
use bindpose::{Error, ErrorKind, Loss, Rescued};

/// Write a valid file with what can be read of a damaged one
///
/// A UTF-8 mark that an editor put before the content is removed. A conversion that treated the file as text is reversed if that gives
/// a valid file. Otherwise lists are cut to their complete elements, references to lost elements are removed, and bytes that cannot be
/// decoded are dropped. Each loss is printed to standard error. A file that is not damaged is written unchanged.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Rescue {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    out: Out,
}

const EXAMPLES: &str = "\
Examples:
  bindpose rescue truncated.ms3d -o hero.ms3d
  bindpose rescue broken.psk -o fixed.psk && bindpose check fixed.psk";

impl Verb for Rescue {
    fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let (bytes, spec) = self.input.named()?;
        let rescued = spec.kind.rescue(&bytes, &spec.options(self.input.limits()));
        let Rescued { bytes: valid, losses, .. } = rescued.map_err(|error| self.refuse(error))?;
        self.out.write(&valid, output, |written| load::verify(written, spec, &valid))?;
        if !common.quiet {
            print_losses(&self.input.file, &losses);
        }
        Ok(Exit::Well)
    }
}

/// Prints what is lost of a file.
pub(super) fn print_losses(file: &Path, losses: &[Loss]) {
    let (program, path) = (program(), shown(file));
    for loss in losses {
        note!("{program}: {path}: {loss}");
    }
    if losses.is_empty() {
        note!("{program}: {path}: not damaged; written unchanged");
    }
}

impl Rescue {
    /// Returns the failure of a file that cannot be rescued. That no valid file can be made is a finding about the file.
    fn refuse(&self, error: Error) -> Failure {
        let exit = matches!(error.kind(), ErrorKind::Encode(_)).then_some(Exit::Findings);
        let failure = self.input.blame(error);
        Failure { exit: exit.unwrap_or(failure.exit), ..failure }
    }
}
