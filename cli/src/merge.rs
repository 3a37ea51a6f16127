//! `bindpose merge`: one file with the clips or meshes of several, or with two edits of one.

use std::fs;

use super::advice::argument;
use super::editing::refuse;
use super::load::{self, refuse_damage};
use super::write::Out;
use crate::prelude::*;
use bindpose::edit::{Conflict, Merge3, caused_by_merge, merge, merge3};
use bindpose::scene::author::SceneContent;
use bindpose::schema::EditError;
use bindpose::{Error, ErrorKind, File};

/// Merge the clips or the meshes of files of one format
///
/// Everything in the first file stays as it is; the clips or meshes of the others follow in the order of the arguments. Bones are
/// matched by name, and have the same bind pose; Cal3D and 3ds Max meshes refer to the bones of one skeleton by index. Skeletons
/// of Cal3D and 3ds Max get the bones that they do not have. Supported: MilkShape 3D, PSK, PSA, UNIGINE meshes and animations,
/// DirectX .x, Cal3D meshes, animations and skeletons, 3ds Max meshes and skeletons.
///
/// With `--base`, the two files are edits of one, and the result has both: the driver that `git-setup` configures.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose merge walk.psa run.psa jump.psa -o moves.psa
  bindpose merge body.psk head.psk -o hero.psk
  bindpose merge hero.x walk.x run.x -o moves.x
  bindpose merge body.cmf hair.cmf -o hero.cmf
  bindpose merge --base old.ms3d mine.ms3d yours.ms3d -o both.ms3d")]
pub(super) struct Merge {
    #[command(flatten)]
    inputs: Inputs,
    /// Merge two edits of BASE; values that both have changed are conflicts, and nothing is written
    #[arg(long, value_name = "BASE", help_heading = "Input options")]
    base: Option<PathBuf>,
    /// The name of the file that BASE and its edits are copies of, for its format and messages
    #[arg(long, value_name = "NAME", requires = "base", help_heading = "Input options")]
    named: Option<PathBuf>,
    #[command(flatten)]
    out: Out,
    #[command(flatten)]
    limits: LimitArgs,
}

impl Verb for Merge {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let items = self.inputs.list_with_repetitions()?;
        if let [] | [_] = &*items {
            let only = items.first().ok_or_else(|| self.inputs.nothing())?;
            let why = "is the only file, expected two or more";
            return Err(Failure::usage(why).in_file(&only.path));
        }
        let memory = self.limits.memory();
        if let Some(base) = &self.base {
            return self.merge_edits(base, &items, &memory, output);
        }
        let mut copies = Vec::new();
        let (mut merged, mut first) = (None, Box::<Path>::from(Path::new("")));
        let mut parts = Vec::new();
        for item in items {
            item.is_listed()?;
            if !load::is_ours(&item)? {
                continue;
            }
            let before = memory.budget().used();
            let document = load::load(&item.path, item.spec, &memory)?;
            memory.budget().release(document.bytes().len() as u64);
            let part = document.into_file();
            refuse_damage(&part, &item.path)?;
            // In the result, and in the one that is decoded to verify it.
            let decoded = memory.budget().used().saturating_sub(before);
            copies.push(memory.grant(decoded.saturating_mul(2)).in_file(&item.path)?);
            match &mut merged {
                None => {
                    merged = Some(part.clone());
                    first.clone_from(&item.path);
                }
                Some(file) => {
                    merge(file, &part)
                        .map_err(|error| refused(error, [file, &part], [&first, &item.path]))
                        .in_file(&item.path)?;
                }
            }
            parts.push(part);
        }
        let Some(file) = merged else {
            return Err(self.inputs.nothing());
        };
        refuse(&caused_by_merge(&parts, &file)?)?;
        let _bytes = memory.grant(file.value().size().saturating_mul(2)).in_file(&first)?;
        self.write(&file, output)
    }
}

impl Merge {
    /// Writes a file with two edits of another.
    fn merge_edits(&self, base: &Path, edits: &[Item], memory: &Memory, output: &mut Output) -> Result<Exit> {
        let [ours, theirs] = edits else {
            return Err(Failure::usage(format!("expected two edits of --base, got {}", edits.len())));
        };
        let named = self.named.as_deref();
        let shown = shown(named.unwrap_or(&edits[0].path));
        let load = |path: &Path, spec: Option<FormatSpec>| {
            let spec = spec.or_else(|| named.and_then(|named| FormatSpec::detect(named, &[])));
            let loaded = load::load(path, spec, memory).map(Document::into_file);
            loaded.map_err(|failure| if named.is_some() { failure.of(&shown) } else { failure })
        };
        // As git passes it where both sides add a file.
        if fs::metadata(base).is_ok_and(|data| data.is_file() && data.len() == 0) {
            let help = "keep one of the files: `git checkout --ours FILE` or `git checkout --theirs FILE`";
            let why = format!("{shown}: both sides add the file, so there is no base to compare with");
            return Err(Failure::new(Exit::Findings, why).with_help(help));
        }
        let [base, ours, theirs] =
            [load(base, None)?, load(&ours.path, ours.spec)?, load(&theirs.path, theirs.spec)?];
        // The differences of both, and the result.
        let size =
            base.value().size().saturating_add(ours.value().size()).saturating_add(theirs.value().size());
        let in_shown = |error: Error| Failure::from(error).of(&shown);
        let _memory = memory.grant(size.saturating_mul(4)).map_err(in_shown)?;
        let Merge3 { file, conflicts, caused, .. } = merge3(&base, &ours, &theirs).map_err(in_shown)?;
        if print_conflicts(&shown, &conflicts, output)? {
            return Ok(Exit::Findings);
        }
        refuse(&caused).map_err(|failure| failure.of(&shown))?;
        self.write(&file, output)
    }

    fn write(&self, file: &File, output: &mut Output) -> Result<Exit> {
        self.out.write(&file.encode()?, output, Some(load::spec_of(file)))?;
        Ok(Exit::Success)
    }
}

/// The failure of a merge of two files, with what to do instead: the other order where the second file has more bones; where they are
/// models with clips, another command adds those of the second one.
fn refused(error: Error, files: [&File; 2], paths: [&Path; 2]) -> Failure {
    if let ErrorKind::Value(EditError::Unmatched { .. }) = error.kind()
        && merge(&mut files[1].clone(), files[0]).is_ok()
    {
        let second = argument(&paths[1].to_string_lossy()).into_owned();
        return Failure::from(error).with_help(format!("name {second} first: it has all bones"));
    }
    let failure = Failure::from(error);
    let has_clips = |file: &File| {
        let holds = file.kind().scene_contents();
        [SceneContent::Meshes, SceneContent::Clips].iter().all(|own| holds.contains(own))
            && !file.summary().clips.is_empty()
    };
    if failure.help.is_some() || !files.into_iter().all(has_clips) {
        return failure;
    }
    let paths = paths.map(Path::to_string_lossy);
    let [one, two] = [&paths[0], &paths[1]].map(|path| argument(path));
    failure.with_help(format!(
        "`bindpose convert {one} --retarget {two} -o OUT` adds the clips of the second file"
    ))
}

/// Prints the conflicts of two edits, and returns whether there are any.
pub(super) fn print_conflicts(shown: &str, conflicts: &[Conflict], output: &mut Output) -> Result<bool> {
    for Conflict { place, ours, theirs, .. } in conflicts {
        writeln!(output, "{shown}: {place}: {ours} in the first edit, {theirs} in the second")?;
    }
    Ok(!conflicts.is_empty())
}
