//! Checks files from unknown sources, each of which is decoded within 32 MiB, 8 bytes for each of its own, and two seconds, and prints a
//! line of JSON for each. The time of what follows is proportional to the file:
//! `cargo run --example check_uploads -- tests/damaged/ms3d`.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, error, fs, panic};

use bindpose::{Limits, Reader};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn error::Error>> {
    let directory = env::args_os().nth(1).ok_or("give a directory")?;
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(directory)? {
        paths.push(entry?.path());
    }
    paths.sort();
    for path in paths.iter().filter(|path| path.is_file()) {
        println!("{}", report(path));
    }
    Ok(())
}

/// Returns the verdict on a file and what is wrong with it.
pub(crate) fn report(path: &Path) -> Value {
    let limits = Limits::default()
        .with_max_memory(32 << 20)
        .with_max_memory_per_byte(8)
        .with_max_time(Duration::from_secs(2));
    // No file causes a panic; a service does not depend on that.
    let read = panic::catch_unwind(|| Reader::open(path).limits(limits).read());
    match read {
        Ok(Ok(document)) => {
            let (outcome, report) = (document.verify(), document.check(20));
            let format = document.file().kind().name();
            json!({ "path": path, "format": format, "verdict": outcome.verdict.name(), "findings": report.findings })
        }
        Ok(Err(error)) => {
            json!({ "path": path, "verdict": error.kind().name(), "message": error.to_string() })
        }
        Err(_) => json!({ "path": path, "verdict": "internal" }),
    }
}
