//! Zeroes the bytes after the NUL of every text in a field of fixed size, and prints them. They are often uninitialised
//! memory of the program that wrote the file, with paths, user names and parts of other files.
//! `cargo run --example strip_junk -- in.psk out.psk`.

use std::{env, error};

use bindpose::File;
use bindpose::schema::escape;

fn main() -> Result<(), Box<dyn error::Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [source, target] = &args[..] else { return Err("usage: strip_junk IN OUT".into()) };
    let mut document = bindpose::open(source)?;
    let junk = document.edit(File::scrub)?;
    for (path, bytes) in &junk {
        let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(0);
        println!("{path}: {}", escape(&bytes[first..]));
    }
    println!("{} texts had bytes after their end", junk.len());
    document.save(target)?;
    Ok(())
}
