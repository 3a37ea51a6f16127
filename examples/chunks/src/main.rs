//! The command `3ds`.

use std::process::ExitCode;

use chunks::Tds;

fn main() -> ExitCode {
    bindpose_cli::run_format::<Tds>(std::env::args_os())
}
