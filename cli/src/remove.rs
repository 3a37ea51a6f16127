//! `bindpose remove`: remove bones, materials, clips and textures with what refers to them.

use super::editing::{Editing, Scope};
use super::scene::scene_of_parts;
use crate::prelude::*;
use bindpose::edit::{self, Entity};
use bindpose::scene::Settings;
use bindpose::schema::{EditError, unescape};
use bindpose::{ErrorKind, File};

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
        let items = self.editing.list_all()?;
        self.editing.set(&scope, items, output, |files, paths, budget| {
            for (entity, names) in lists.clone().filter(|(_, names)| !names.is_empty()) {
                let bytes = names
                    .iter()
                    .map(|name| unescape(name).map_err(|why| Failure::usage(format!("`{name}`: {why}"))));
                let bytes = bytes.collect::<Result<Vec<_>, _>>()?;
                let bytes: Vec<_> = bytes.iter().map(Vec::as_slice).collect();
                edit::remove_all(files, entity, &bytes).map_err(|error| match error.kind() {
                    ErrorKind::Value(EditError::NoObject { name, .. })
                        if is_derived(files, paths, (entity, name), budget) =>
                    {
                        let why = "has no name in the file: `info` names it after the file or its index";
                        Failure::usage(format!("the {entity} `{name}` {why}"))
                    }
                    _ => error.into(),
                })?;
            }
            Ok(())
        })
    }
}

/// Returns whether `info` names an object that has no name in the files: after the file that it is in, or after its index.
fn is_derived(files: &[File], paths: &[&Path], (entity, name): (Entity, &str), budget: &Budget) -> bool {
    let parts = paths.iter().copied().zip(files.iter().map(File::meaning));
    let settings = Settings::default().without_sources();
    let Ok(scene) = scene_of_parts(parts, &settings, budget) else { return false };
    match entity {
        Entity::Bone => scene.skeleton.bones().iter().any(|own| own.name == name),
        Entity::Material => scene.materials.iter().any(|own| own.name == name),
        Entity::Clip => scene.clips.iter().any(|own| own.name == name),
        _ => false,
    }
}
