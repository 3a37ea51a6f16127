//! Renames bones of a MilkShape file, with the references to them, and preserves every other byte:
//! `cargo run --example rename_bones -- in.ms3d out.ms3d root=Hips`.

use std::{env, error, fs};

use bindpose::codec::Format;
use bindpose::formats::ms3d::Ms3d;

fn main() -> Result<(), Box<dyn error::Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [source, target, renames @ ..] = &args[..] else {
        return Err("usage: rename_bones IN OUT OLD=NEW..".into());
    };
    let mut file = Ms3d::decode(&fs::read(source)?)?;
    for rename in renames {
        let (old, new) = rename.split_once('=').ok_or("expected OLD=NEW")?;
        println!("{old}: {} names replaced", rename_bone(&mut file, old, new)?);
    }
    Ok(fs::write(target, file.encode()?)?)
}

/// Replaces the name of a joint, and the parent name of its children.
fn rename_bone(file: &mut Ms3d, old: &str, new: &str) -> Result<usize, Box<dyn error::Error>> {
    let names = file.joints.iter_mut().flat_map(|joint| [&mut joint.name, &mut joint.parent_name]);
    let mut renamed = 0;
    for name in names.filter(|name| **name == old) {
        name.set(new.as_bytes()).map_err(|why| format!("{new}: {why}"))?;
        renamed += 1;
    }
    Ok(renamed)
}
