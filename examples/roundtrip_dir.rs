//! Prints the damaged files of a directory, with the offset: `cargo run --example roundtrip_dir -- assets`.

use std::path::Path;
use std::{env, fs, io};

use bindpose::codec::Verdict;
use bindpose::{FormatSpec, Limits};

fn main() -> io::Result<()> {
    let directory = env::args_os().nth(1).unwrap_or_else(|| "tests/damaged".into());
    visit(Path::new(&directory))
}

fn visit(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            visit(&path)?;
        } else {
            check(&path)?;
        }
    }
    Ok(())
}

fn check(path: &Path) -> io::Result<()> {
    let bytes = fs::read(path)?;
    // Content and name determine the format; files of unsupported formats are skipped.
    let Some(spec) = FormatSpec::detect(path, &bytes) else { return Ok(()) };
    let outcome = spec.kind.roundtrip(&bytes, &spec.options(Limits::default()));
    match outcome.verdict {
        Verdict::Lossless => println!("{}: valid", path.display()),
        Verdict::Damaged(error) => println!("{}: damaged: {error}", path.display()),
        Verdict::Undecodable(error) | Verdict::Limit(error) => {
            println!("{}: unreadable: {error}", path.display());
        }
        verdict => println!("{}: a bug of bindpose: {verdict:?}", path.display()),
    }
    Ok(())
}
