//! The command `bindpose`.

use std::process::ExitCode;

fn main() -> ExitCode {
    bindpose_cli::run(std::env::args_os())
}
