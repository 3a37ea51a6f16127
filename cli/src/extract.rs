//! `bindpose extract`: clips of a file as a file of their own.

use clap::Args;
use clap::builder::UnknownArgumentValueParser;

use super::Common;
use super::editing::{Editing, Scope};
use super::exit::{Exit, Failure};
use super::output::{Output, counted};
use super::selection::named;
use super::verb::Verb;
use bindpose::edit::{self, Entity};
use bindpose::{File, scene};

/// Extract clips into a file of the same format
///
/// The other clips are removed with their keys; every other byte stays. Of files that are given together, those without clips are
/// skipped. `convert` with `--clip`, `--mesh` and `--material` writes clips, meshes and materials in any format.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Extract {
    #[command(flatten)]
    editing: Editing,
    /// Extract the clip NAME, or those that a glob such as `walk*` matches; repeatable
    #[arg(long, required = true, value_name = "NAME", help_heading = "Objects")]
    clip: Vec<String>,
    /// Treat each NAME as a regular expression
    #[arg(long, help_heading = "Objects")]
    regex: bool,
    /// Unknown: triangles are not removed from a file.
    #[arg(long, value_name = "NAME", hide = true, value_parser = other_verb())]
    mesh: Option<String>,
    /// As `mesh`.
    #[arg(long, value_name = "NAME", hide = true, value_parser = other_verb())]
    material: Option<String>,
}

fn other_verb() -> UnknownArgumentValueParser {
    UnknownArgumentValueParser::suggest(
        "'bindpose convert' with '--mesh' or '--material' writes a part of a model",
    )
}

const EXAMPLES: &str = "\
Examples:
  bindpose extract hero.psa --clip Walk -o walk.psa
  bindpose extract hero.psa --clip 'attack*' --clip idle -o combat.psa
  bindpose extract anims --regex --clip '^(run|walk)_' --out-dir moves";

impl Verb for Extract {
    fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        self.editing.set(&SCOPE, common, output, |files, _| self.extract(files))
    }
}

const SCOPE: Scope = Scope {
    includes: |file| num_clips(file) > 0,
    summary: Some(|before, after| {
        format!("{} of {} kept", num_clips(after), counted(num_clips(before) as u64, "clip"))
    }),
};

/// The number of clips in a file.
fn num_clips(file: &File) -> usize {
    clips(file).map_or(0, |clips| clips.len())
}

/// The names of the clips in a file.
fn clips(file: &File) -> Result<Vec<Vec<u8>>, bindpose::Error> {
    let names = edit::names(file)?.into_iter();
    let own = names.filter(|name| name.is_definition && name.entity == Entity::Clip);
    Ok(own.map(|name| name.text).collect())
}

impl Extract {
    /// Removes the clips that are not wanted from files.
    fn extract(&self, files: &mut [File]) -> Result<(), Failure> {
        let mut all = Vec::new();
        for file in files.iter() {
            all.extend(clips(file)?.into_iter().map(|name| (scene::name(&name), name)));
        }
        let names: Vec<_> = all.iter().map(|(name, _)| &**name).collect();
        let kept = named(Entity::Clip.name(), &self.clip, (self.regex, false), &names)?;
        for (_, name) in all.iter().filter(|(name, _)| !kept.contains(name)) {
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
