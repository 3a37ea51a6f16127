//! Renames the bones of a file of any format, wherever they are named, and leaves every other byte as it is:
//! `cargo run --example rename_bones -- in.ms3d out.ms3d root=Hips`.

use std::{env, error, fs};

use bindpose::edit::{Entity, Renames, names, rename};

fn main() -> Result<(), Box<dyn error::Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [source, target, pairs @ ..] = &args[..] else {
        return Err("give a file, a new file, OLD=NEW..".into());
    };
    let mut renames = Renames::new();
    for pair in pairs {
        let (old, new) = pair.split_once('=').ok_or("a rename is OLD=NEW")?;
        renames.add(Entity::Bone, old, new)?;
    }
    let mut document = bindpose::open(source)?;
    renames.all_among(&names(document.file())?)?;
    for renamed in document.edit(|file| rename(file, &renames))? {
        println!("{}", renamed.name.path);
    }
    Ok(fs::write(target, document.bytes())?)
}
