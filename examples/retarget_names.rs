//! Renames the bones of a mesh or animation of any format by a table of lines `OLD=NEW`, for another skeleton. All other
//! bytes are preserved, except for the lengths of names:
//! `cargo run --example retarget_names -- in.psa out.psa table.txt`.

use std::collections::HashMap;
use std::ops::ControlFlow::Continue;
use std::path::Path;
use std::{env, error, fs};

use bindpose::schema::{Class, Role};
use bindpose::{File, FormatSpec, Limits};

fn main() -> Result<(), Box<dyn error::Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [source, target, table] = &args[..] else { return Err("usage: retarget_names IN OUT TABLE".into()) };
    let bytes = fs::read(source)?;
    let spec = FormatSpec::detect(Path::new(source), &bytes).ok_or("is of no known format")?;
    let mut file = spec.kind.decode(&bytes, &spec.options(Limits::default()))?;
    let table = fs::read_to_string(table)?;
    let table: HashMap<&str, &str> = table.lines().filter_map(|line| line.split_once('=')).collect();
    for (path, old) in names(&file) {
        if let Some(new) = table.get(&*old) {
            file.set(&path, *new)?;
            println!("{path}: {old} -> {new}");
        }
    }
    Ok(fs::write(target, file.encode()?)?)
}

/// Every text of a field called `name` or `parent_name`, with its path.
fn names(file: &File) -> Vec<(String, String)> {
    let mut names = Vec::new();
    let _ = file.walk(&mut |place, leaf| {
        let is_name = place.field.is_some_and(|field| matches!(field.name, "name" | "parent_name"));
        if is_name && leaf.class() == Class::Text && place.role == Role::Free {
            let mut text = String::new();
            let _ = leaf.show(&mut text);
            names.push((place.path.to_string(), text));
        }
        Continue(())
    });
    names
}
