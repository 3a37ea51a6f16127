//! The command `md2`.

use std::process::ExitCode;

use own_format::Md2;

fn main() -> ExitCode {
    bindpose_cli::run_format::<Md2>(std::env::args_os())
}
