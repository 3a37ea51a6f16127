//! Zeroes what stands behind the end of every text of a fixed field, in a file of any format, and says what it was: often
//! memory of the program that wrote the file, with paths, user names, pieces of other files in it.
//! `cargo run --example strip_junk -- in.psk out.psk`.

use std::path::Path;
use std::{env, error, fs};

use bindpose::schema::escape;
use bindpose::{FormatSpec, Limits};

fn main() -> Result<(), Box<dyn error::Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [source, target] = &args[..] else { return Err("give a file and a new file".into()) };
    let bytes = fs::read(source)?;
    let spec = FormatSpec::detect(Path::new(source), &bytes).ok_or("is of no known format")?;
    let mut file = spec.kind.decode(&bytes, &spec.options(Limits::default()))?;
    let junk = file.scrub()?;
    for (path, bytes) in &junk {
        let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(0);
        println!("{path}: {}", escape(&bytes[first..]));
    }
    println!("{} texts had something behind their end", junk.len());
    Ok(fs::write(target, file.encode()?)?)
}
