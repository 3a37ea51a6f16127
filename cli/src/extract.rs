//! `bindpose extract`: clips of a file as a file of their own.

use clap::Args;

use super::Common;
use super::editing::Editing;
use super::exit::{Exit, Failure};
use super::output::Output;
use super::selection::named;
use super::verb::Verb;
use bindpose::edit::{self, Entity};
use bindpose::{File, scene};

/// Extract clips into a file of the same format
///
/// The other clips are removed with their keys; every other byte stays. Of files that are given together, those without clips stay as they
/// are. `convert` with `--clip`, `--mesh` and `--material` writes clips, meshes and materials in any format.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Extract {
    #[command(flatten)]
    editing: Editing,
    /// Extract the clip NAME, or those that a glob such as `walk*` matches; repeatable
    #[arg(
        long,
        required_unless_present_any = ["mesh", "material"],
        value_name = "NAME",
        help_heading = "Objects"
    )]
    clip: Vec<String>,
    /// Treat each NAME as a regular expression
    #[arg(long, help_heading = "Objects")]
    regex: bool,
    /// Refused: triangles are not removed from a file.
    #[arg(long, value_name = "NAME", hide = true)]
    mesh: Vec<String>,
    /// As `mesh`.
    #[arg(long, value_name = "NAME", hide = true)]
    material: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  bindpose extract hero.psa --clip Walk -o walk.psa
  bindpose extract hero.psa --clip 'attack*' --clip idle -o combat.psa
  bindpose extract anims --regex --clip '^(run|walk)_' --out-dir moves";

impl Verb for Extract {
    fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        for (option, names) in [("--mesh", &self.mesh), ("--material", &self.material)] {
            if let Some(name) = names.first() {
                let why = format!("{option}: extract removes no triangles from a file");
                let help = format!("write a new file: `bindpose convert FILE {option} '{name}' -o OUT`");
                return Err(Failure { help: Some(help), ..Failure::new(Exit::Usage, why) });
            }
        }
        self.editing.set(common, output, |files, _| self.extract(files))
    }
}

impl Extract {
    /// Removes the clips that are not wanted from files.
    fn extract(&self, files: &mut [File]) -> Result<(), Failure> {
        let mut clips = Vec::new();
        for file in files.iter() {
            let own = edit::names(file)?.into_iter();
            let own = own.filter(|name| name.is_definition && name.entity == Entity::Clip);
            clips.extend(own.map(|name| (scene::name(&name.text), name.text)));
        }
        let names: Vec<_> = clips.iter().map(|(name, _)| &**name).collect();
        let kept = named(Entity::Clip.name(), &self.clip, (self.regex, false), &names)?;
        for (_, name) in clips.iter().filter(|(name, _)| !kept.contains(name)) {
            match edit::remove(files, Entity::Clip, name) {
                // Several clips can have the name.
                Err(error) if is_gone(&error) => {}
                removed => _ = removed?,
            }
        }
        Ok(())
    }
}

/// Whether an object was removed with another of its name.
fn is_gone(error: &bindpose::Error) -> bool {
    matches!(error.kind(), bindpose::ErrorKind::Value(bindpose::schema::EditError::NoObject { .. }))
}
