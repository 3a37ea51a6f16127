//! The command `md3`.

use std::process::ExitCode;

use md3::Md3;

fn main() -> ExitCode {
    bindpose_cli::run_format::<Md3>(std::env::args_os())
}
