//! Zeroes the bytes after the NUL of every text in a field of fixed size, and prints them. They are often uninitialised
//! memory of the program that wrote the file, with paths, user names and parts of other files.
//! `cargo run --example strip_junk -- in.psk out.psk`.

use std::path::Path;
use std::{env, error, fs};

use bindpose::schema::escape;
use bindpose::{FormatSpec, Limits};

fn main() -> Result<(), Box<dyn error::Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [source, target] = &args[..] else { return Err("usage: strip_junk IN OUT".into()) };
    let bytes = fs::read(source)?;
    let spec = FormatSpec::detect(Path::new(source), &bytes).ok_or("unsupported format")?;
    let mut file = spec.kind.decode(&bytes, &spec.options(Limits::default()))?;
    let junk = file.scrub()?;
    for (path, bytes) in &junk {
        let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(0);
        println!("{path}: {}", escape(&bytes[first..]));
    }
    println!("{} texts had bytes after their end", junk.len());
    Ok(fs::write(target, file.encode()?)?)
}
