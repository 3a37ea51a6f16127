//! `bindpose extract`: clips, meshes and materials of a file as a file of their own.

use std::collections::HashSet;

use super::advice::argument;
use super::convert::refused;
use super::editing::{Editing, Scope};
use super::losses::sums;
use super::scene::clips_of;
use super::selection::Selection;
use crate::prelude::*;
use bindpose::File;
use bindpose::edit::{self, Entity};
use bindpose::scene::author::{AuthorError, Authored, Authoring, SceneContent};
use bindpose::scene::{self, Lost, Part, Scene, Settings};

/// Extract clips, meshes or materials into a file of the same format
///
/// The other clips are removed with their keys; every other byte stays. Of files that are given together, those without clips are
/// skipped, as are the files in a directory that have none of the objects.
///
/// With `--mesh` or `--material`, files with meshes are written anew, as by `convert`, with the triangles that are named, and what they
/// use. What a scene cannot represent is lost, and its kinds are counted. `convert` writes the parts of a model in other formats.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose extract hero.psa --clip Walk -o walk.psa
  bindpose extract hero.psa --clip 'attack*' --clip idle -o combat.psa
  bindpose extract anims --regex --clip '^(run|walk)_' --out-dir moves
  bindpose extract town.ms3d --mesh 'house*' -o houses.ms3d")]
#[group(id = "extracted", required = true, multiple = true, args = ["clip", "mesh", "material"])]
pub(super) struct Extract {
    #[command(flatten)]
    editing: Editing,
    #[command(flatten)]
    selection: Selection,
}

impl Verb for Extract {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let items = self.editing.list_with_repetitions()?;
        if self.selection.mesh.is_empty() && self.selection.material.is_empty() {
            return self.editing.set(&SCOPE, items, output, |files, paths, _| self.extract(files, paths));
        }
        let scope = Scope {
            includes: |file| file.kind().scene_contents().contains(&SceneContent::Meshes),
            summary: Some(|_, _| "written anew".to_owned()),
            ..Scope::ALL
        };
        let quiet = output.common.quiet;
        self.editing.set(&scope, items, output, |files, paths, budget| {
            let mut losses = Vec::new();
            for (file, path) in files.iter_mut().zip(paths) {
                losses.extend(self.part_of(file, &FormatSpec::stem(path), budget).in_file(path)?);
            }
            if !quiet && !losses.is_empty() {
                note!("bindpose: {}; `convert --loss-report` lists them", sums(&losses));
            }
            Ok(())
        })
    }
}

const SCOPE: Scope = Scope {
    includes: |file| num_clips(file) > 0,
    summary: Some(|before, after| {
        format!("{} of {} kept", num_clips(after), counted(num_clips(before) as u64, "clip"))
    }),
    ..Scope::ALL
};

fn num_clips(file: &File) -> usize {
    file.summary().clips.len()
}

/// The clips in a file as `info` names them, and their names in the file. One without a name has that of the file.
fn clips(file: &File, path: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let clips: Vec<_> = clips_of(file).collect();
    if clips.is_empty() {
        // The reason may be that the text cannot be interpreted.
        edit::names(file)?;
    }
    let named = |(name, bytes): (String, Vec<u8>)| {
        (if bytes.is_empty() { FormatSpec::stem(path) } else { name }, bytes)
    };
    Ok(clips.into_iter().map(named).collect())
}

impl Extract {
    /// Removes the clips that are not wanted from files.
    fn extract(&self, files: &mut [File], paths: &[&Path]) -> Result<()> {
        let mut all = Vec::new();
        for (file, path) in files.iter().zip(paths) {
            all.extend(clips(file, path)?);
        }
        let names: Vec<_> = all.iter().map(|(name, _)| &**name).collect();
        let kept = self.selection.clips(&names)?;
        let mut seen = HashSet::new();
        let others = all.iter().filter(|(name, own)| !kept.contains(name) && seen.insert(own));
        let others: Vec<_> = others.map(|(_, own)| &**own).collect();
        // The names that are not removed together are tried one by one, for the error.
        if edit::remove_all(files, Entity::Clip, &others).is_ok() {
            return Ok(());
        }
        for name in others {
            match edit::remove(files, Entity::Clip, name) {
                // Several clips can have the name.
                Err(error) if is_gone(&error) => {}
                removed => {
                    removed.map_err(|error| match keeper(files, name).map(|at| paths[at]) {
                        Some(path) if paths.len() > 1 => Failure::from(error).in_file(path).with_help(
                            "name the folder of the files: those in it without the clip are skipped",
                        ),
                        Some(path) => Failure::from(error).with_help(self.converted(path)),
                        None => error.into(),
                    })?;
                }
            }
        }
        Ok(())
    }

    /// The command that writes the clips of a file from which the others cannot be removed.
    fn converted(&self, path: &Path) -> String {
        let clips = self.selection.clip.iter().map(|name| format!(" --clip {}", argument(name)));
        let path = path.to_string_lossy();
        format!(
            "`bindpose convert {}{} -o OUT` writes the file anew",
            argument(&path),
            clips.collect::<String>()
        )
    }

    /// Writes a file anew with what is wanted of its meshes. Returns what it loses.
    fn part_of(&self, file: &mut File, name: &str, budget: &Budget) -> Result<Vec<scene::Loss>> {
        let parts = [Part { name, file: file.as_scene_source() }];
        let mut scene = Scene::within(&parts, &Settings::default().without_sources(), budget)?;
        let spec = FormatSpec { kind: file.kind(), dialect: file.dialect() };
        let materials = scene.materials.len();
        let lost = scene.losses.iter().find(|own| own.lost == Lost::Influences);
        let lost = lost.filter(|_| scene.skeleton.bones().is_empty()).map(ToString::to_string);
        self.selection.select(&mut scene, false)?;
        // Indices of materials in other files would become others.
        let is_renumbered = scene.materials.len() < materials
            && !spec.kind.scene_contents().contains(&SceneContent::Materials);
        let lost = lost.or_else(|| is_renumbered.then(|| "the materials are in other files".to_owned()));
        if let Some(why) = lost {
            let help = "give all files of the model to `convert`, which has the same options: \
                `bindpose convert SKELETON MESH MATERIAL... --mesh NAME --to FORMAT --out-dir DIR`";
            return Err(Failure::usage(format!("{why}; nothing was written")).with_help(help));
        }
        let version = file.summary().version;
        let words = version.iter().flat_map(|own| own.split_whitespace());
        let mut settings = Authoring::default();
        settings.budget = Some(budget.clone());
        settings.version =
            words.into_iter().find(|own| spec.kind.encodings().contains(own)).map(str::to_owned);
        let written = spec.author(&scene, name, &settings).map_err(|error| too_large(spec, &error))?;
        // Formats with meshes have one file for all of them.
        if let Some(Authored { file: mut part, .. }) = written.files.into_iter().next() {
            edit::keep_references(&mut part, file);
            *file = part;
        }
        scene.losses.extend(written.losses);
        Ok(scene.losses)
    }
}

/// The failure for a part that cannot be written. A rate is not an option of this verb.
fn too_large(spec: FormatSpec, error: &AuthorError) -> Failure {
    let failure = refused(spec, error);
    match error {
        AuthorError::Limit { what, .. } if matches!(&**what, "frames" | "keys") => {
            failure.with_help("select shorter clips with `--clip NAME`, or use `convert` with `--rate RATE`")
        }
        _ => failure,
    }
}

/// Returns the file of a set that a clip cannot be removed from.
fn keeper(files: &[File], name: &[u8]) -> Option<usize> {
    files.iter().position(|file| {
        let removed = edit::remove(&mut [file.clone()], Entity::Clip, name);
        removed.is_err_and(|error| !is_gone(&error))
    })
}

/// Whether an object was removed with another of its name.
fn is_gone(error: &bindpose::Error) -> bool {
    matches!(error.kind(), bindpose::ErrorKind::Value(bindpose::schema::EditError::NoObject { .. }))
}
