//! Renames the bones of an MS3D file, wherever they are named, and leaves every other byte as it is:
//! `cargo run --example rename_bones -- in.ms3d out.ms3d root=Hips`.

use std::{env, error, fs};

use bindpose::codec::Format;
use bindpose::formats::ms3d::Ms3d;

fn main() -> Result<(), Box<dyn error::Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [source, target, renames @ ..] = &args[..] else {
        return Err("give a file, a new file, OLD=NEW..".into());
    };
    let mut file = Ms3d::decode(&fs::read(source)?)?;
    for rename in renames {
        let (old, new) = rename.split_once('=').ok_or("a rename is OLD=NEW")?;
        println!("{old}: named {} times", rename_bone(&mut file, old, new)?);
    }
    Ok(fs::write(target, file.encode()?)?)
}

/// A joint has its name, and its children name it as their parent.
fn rename_bone(file: &mut Ms3d, old: &str, new: &str) -> Result<usize, Box<dyn error::Error>> {
    let names = file.joints.iter_mut().flat_map(|joint| [&mut joint.name, &mut joint.parent_name]);
    let mut renamed = 0;
    for name in names.filter(|name| **name == old) {
        name.set(new.as_bytes()).map_err(|why| format!("{new}: {why}"))?;
        renamed += 1;
    }
    Ok(renamed)
}
