//! Gives bones new names in the files of a set, wherever they are named, and leaves every other byte as it is. All files are
//! changed or none: `cargo run --example rename_bones -- Bip01=Hips hero.psk hero.psa`.

use std::path::{Path, PathBuf};
use std::{env, error};

use bindpose::edit::{Entity, Renames, rename};
use bindpose::{Result, Set};

fn main() -> std::result::Result<(), Box<dyn error::Error>> {
    let (pairs, paths): (Vec<_>, Vec<_>) = env::args().skip(1).partition(|argument| argument.contains('='));
    let pairs: Vec<_> = pairs.iter().filter_map(|pair| pair.split_once('=')).collect();
    for path in rename_all(&pairs, &paths)? {
        println!("changed {}", path.display());
    }
    Ok(())
}

/// Renames bones in files, and returns the paths of those that changed.
pub(crate) fn rename_all<P: AsRef<Path>>(pairs: &[(&str, &str)], paths: &[P]) -> Result<Vec<PathBuf>> {
    let mut renames = Renames::new();
    for (old, new) in pairs {
        renames.add(Entity::Bone, *old, *new)?;
    }
    let mut set = Set::open(paths)?;
    set.edit(|files| files.iter_mut().try_for_each(|file| rename(file, &renames).map(drop)))?;
    set.save()
}
