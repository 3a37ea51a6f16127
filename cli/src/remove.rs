//! `bindpose remove`: remove bones, materials, clips and textures with what refers to them.

use super::editing::{Editing, Scope};
use super::scene::unnamed;
use crate::prelude::*;
use bindpose::ErrorKind;
use bindpose::edit::{self, Entity};
use bindpose::schema::{EditError, unescape};

/// Remove bones, materials, clips and textures, and let keys, indices and counts follow
///
/// The children and the weights of a bone go to its parent; the children keep their place in model space. Give all files of a set,
/// such as a skeleton and its animations: files that refer to a bone by index follow. Files in a directory are grouped as by `convert`.
/// What something else needs is not removed.
/// Names are compared exactly, or else without the blanks at their end, which ActorX writes; in the other files of an Unreal set a
/// bone is found as by readers, without regard to case.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose remove walk.psa --clip Idle -o short.psa
  bindpose remove hero.psk walk.psa --bone 'Bip01 Footsteps' --out-dir cleaned
  bindpose remove hero.csf walk.caf hero.cmf --bone helper --in-place")]
#[group(id = "objects", required = true, multiple = true, args = ["bone", "material", "clip", "texture"])]
pub(super) struct Remove {
    #[command(flatten)]
    editing: Editing,
    /// Remove the bones with this name; \xNN for a byte, \\ for a backslash
    #[arg(long, value_name = "NAME", help_heading = "Objects")]
    bone: Vec<String>,
    /// Remove the materials with this name
    #[arg(long, value_name = "NAME", help_heading = "Objects")]
    material: Vec<String>,
    /// Remove the clips with this name, and their keys
    #[arg(long, value_name = "NAME", help_heading = "Objects")]
    clip: Vec<String>,
    /// Remove this path of a texture from materials
    #[arg(long, value_name = "NAME", help_heading = "Objects")]
    texture: Vec<String>,
}

impl Verb for Remove {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let lists = Entity::ALL.into_iter().zip([&self.bone, &self.material, &self.clip, &self.texture]);
        let scope = Scope { changes_sidecars: true, ..Scope::SETS };
        let items = self.editing.list_with_repetitions()?;
        self.editing.set(&scope, items, output, |files, paths, budget| {
            for (entity, names) in lists.clone().filter(|(_, names)| !names.is_empty()) {
                let bytes = names
                    .iter()
                    .map(|name| unescape(name).map_err(|why| Failure::usage(format!("`{name}`: {why}"))));
                let bytes = bytes.collect::<Result<Vec<_>, _>>()?;
                let bytes: Vec<_> = bytes.iter().map(Vec::as_slice).collect();
                edit::remove_all(files, entity, &bytes).map_err(|error| match error.kind() {
                    ErrorKind::Value(EditError::NoObject { name, .. }) => {
                        unnamed(files, paths, (entity, name), budget).unwrap_or_else(|| error.into())
                    }
                    _ => error.into(),
                })?;
            }
            Ok(())
        })
    }
}
