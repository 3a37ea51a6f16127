//! `bindpose extract`: clips of a file as a file of their own.

use clap::Args;
use globset::Glob;
use regex::Regex;

use super::Common;
use super::editing::Editing;
use super::exit::{Exit, Failure};
use super::output::Output;
use super::verb::Verb;
use bindpose::edit::{self, Entity};
use bindpose::{File, scene};

/// Extract clips into a file of the same format
///
/// The other clips are removed with their keys; every other byte stays. Of files that are given together, those without clips stay as they
/// are. `convert --clip` writes clips in another format.
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
}

const EXAMPLES: &str = "\
Examples:
  bindpose extract hero.psa --clip Walk -o walk.psa
  bindpose extract hero.psa --clip 'attack*' --clip idle -o combat.psa
  bindpose extract anims --regex --clip '^(run|walk)_' --out-dir moves";

impl Verb for Extract {
    fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let wanted = self.wanted()?;
        self.editing.set(common, output, |files, _| extract(files, &wanted, &self.clip))
    }
}

impl Extract {
    /// Returns whether a name is wanted.
    fn wanted(&self) -> Result<impl Fn(&str) -> bool + Sync, Failure> {
        let usage = |why: String| Failure::new(Exit::Usage, why);
        let (mut globs, mut patterns) = (Vec::new(), Vec::new());
        for name in &self.clip {
            if self.regex {
                patterns.push(Regex::new(name).map_err(|error| usage(error.to_string()))?);
            } else {
                globs.push((
                    name.clone(),
                    Glob::new(name).map_err(|error| usage(error.to_string()))?.compile_matcher(),
                ));
            }
        }
        Ok(move |name: &str| {
            globs.iter().any(|(exact, glob)| exact == name || glob.is_match(name))
                || patterns.iter().any(|pattern| pattern.is_match(name))
        })
    }
}

/// Removes the clips that are not wanted from files.
fn extract(files: &mut [File], wanted: &impl Fn(&str) -> bool, asked: &[String]) -> Result<(), Failure> {
    let mut names = Vec::new();
    for file in files.iter() {
        let own =
            edit::names(file)?.into_iter().filter(|name| name.is_definition && name.entity == Entity::Clip);
        names.extend(own.map(|name| name.text));
    }
    let (kept, others): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| wanted(&scene::name(name)));
    if kept.is_empty() {
        let all: Vec<_> = others.iter().take(20).map(|name| scene::name(name)).collect();
        let why = match &all[..] {
            [] => "no file has named clips".to_owned(),
            all => format!("no clip matches {}; there are {}", asked.join(", "), all.join(", ")),
        };
        return Err(Failure::new(Exit::Usage, why));
    }
    for name in others.iter().filter(|name| !kept.contains(name)) {
        match edit::remove(files, Entity::Clip, name) {
            // Several clips can have the name.
            Err(error) if is_gone(&error) => {}
            removed => _ = removed?,
        }
    }
    Ok(())
}

/// Whether an object was removed with another of its name.
fn is_gone(error: &bindpose::Error) -> bool {
    matches!(error.kind(), bindpose::ErrorKind::Value(bindpose::schema::EditError::NoObject { .. }))
}
