//! Gives the bones of an animation or mesh of any format the names of another skeleton, by a table of lines `OLD=NEW`, and
//! leaves every other byte as it is but the lengths that count a name:
//! `cargo run --example retarget_names -- in.psa out.psa table.txt`.

use std::{env, error, fs};

use bindpose::edit::{Entity, Renames, rename};

fn main() -> Result<(), Box<dyn error::Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [source, target, table] = &args[..] else { return Err("give a file, a new file, a table".into()) };
    let mut renames = Renames::new();
    for (old, new) in fs::read_to_string(table)?.lines().filter_map(|line| line.split_once('=')) {
        renames.add(Entity::Bone, old, new)?;
    }
    let mut document = bindpose::open(source)?;
    for renamed in document.edit(|file| rename(file, &renames))? {
        println!("{}: {}", renamed.name.path, renamed.new.escape_ascii());
    }
    Ok(fs::write(target, document.bytes())?)
}
