//! `bindpose remove`: remove bones, materials, clips and textures with what refers to them.

use clap::Args;

use super::Common;
use super::editing::{Editing, Scope};
use super::exit::{Exit, Failure};
use super::output::Output;
use super::verb::Verb;
use bindpose::edit::{self, Entity};
use bindpose::schema::unescape;

/// Remove bones, materials, clips and textures, and let keys, indices and counts follow
///
/// The children and the weights of a bone go to its parent; the children keep their place in model space. Give all files of a set,
/// such as a skeleton and its animations: files that refer to a bone by index follow. What something else needs is not removed.
/// Names are compared exactly, or else without the blanks at their end, which ActorX writes.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
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

const EXAMPLES: &str = "\
Examples:
  bindpose remove walk.psa --clip Idle -o short.psa
  bindpose remove hero.psk walk.psa --bone 'Bip01 Footsteps' --out-dir cleaned
  bindpose remove hero.csf walk.caf hero.cmf --bone helper --in-place";

impl Verb for Remove {
    fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let lists = [
            (Entity::Bone, &self.bone),
            (Entity::Material, &self.material),
            (Entity::Clip, &self.clip),
            (Entity::Texture, &self.texture),
        ];
        self.editing.set(&Scope::ALL, common, output, |files, _, _| {
            for (entity, names) in lists {
                for name in names {
                    let bytes = unescape(name)
                        .map_err(|why| Failure::new(Exit::Usage, format!("`{name}`: {why}")))?;
                    edit::remove(files, entity, &bytes)?;
                }
            }
            Ok(())
        })
    }
}
