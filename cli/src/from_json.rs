//! `bindpose from-json`: rebuild files from JSON.

use std::ffi::OsStr;

use super::files::{Filter, list, relative};
use super::load::spec_of;
use super::read::Source;
use super::write::{OutEach, below, only};
use crate::prelude::*;
use bindpose::File;
use bindpose::check::Severity;

/// Rebuild files from JSON
///
/// Elements may be added and removed: counts follow, and offsets follow the parts that they lead to. Packed parts are packed again only
/// if their content has changed. With `--out-dir`, NAME.EXT.json becomes NAME.EXT; files in directories that do not end in .json are skipped.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose from-json hero.json -o hero.ms3d
  bindpose from-json json --out-dir models
  bindpose to-json hero.ms3d | jq '.file.animation.fps = 30' | bindpose from-json - -o hero30.ms3d")]
pub(super) struct FromJson {
    /// JSON files, or directories of them; `-` for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    out: OutEach,
}

impl Verb for FromJson {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let items = list(&self.paths, &[], &self.filter)?;
        let Some(directory) = &self.out.out_dir else {
            let (file, bytes) = read(only(&items, &self.paths, "from-json")?, output.common)?;
            self.out.one.write(&bytes, output, Some(spec_of(&file)))?;
            return Ok(Exit::Success);
        };
        let common = output.common;
        self.out.each((&items, &self.paths), output, |item, results| {
            let is_json = item.path.extension().is_some_and(|own| own.eq_ignore_ascii_case("json"));
            if !is_json && !item.named {
                let cause = Cause::UnknownFormat;
                return Err(Failure { cause, ..Failure::new(Exit::Undecodable, "is not JSON") });
            }
            let (file, bytes) = read(item, common)?;
            let place = below(directory, &name_of(relative(&self.paths, &item.path), file.extension()))?;
            results.write_below(&place, &bytes, Some(spec_of(&file)), self.out.one.force)?;
            Ok((place.path().to_owned(), bytes.len() as u64))
        })
    }
}

/// Reads the file that JSON describes, and returns its bytes, too.
fn read(item: &Item, common: Common) -> Result<(File, Vec<u8>)> {
    let path = &item.path;
    let mut source = Source::open(path).in_file(path)?;
    let (file, is_of_objects) = File::read_any_json(&mut source).in_file(path)?;
    if let Some(damage) = file.damage() {
        note!("bindpose: {}: describes a damaged file: {damage}", shown(path));
    }
    let bytes = file.encode().in_file(path)?;
    if !common.quiet {
        warn_of_errors(&file, &bytes, path);
    }
    if is_of_objects && !common.quiet {
        let path = shown(path);
        note!("bindpose: {path}: written from objects; white space, comments and number notation are new");
    }
    Ok((file, bytes))
}

/// Reports how many errors `check` finds in the result, such as references to elements that were removed.
fn warn_of_errors(file: &File, bytes: &[u8], path: &Path) {
    let findings = file.check(bytes, usize::MAX).findings;
    let errors = findings.iter().filter(|own| own.rule.severity == Severity::Error).count();
    if errors > 0 {
        let errors = counted(errors, "error");
        note!("bindpose: {}: the result has {errors}; `bindpose check` lists them", shown(path));
    }
}

/// `hero.ms3d` for `hero.ms3d.json` and for `hero.json`.
fn name_of(path: &Path, extension: &str) -> PathBuf {
    let is_json = path.extension().is_some_and(|own| own.eq_ignore_ascii_case("json"));
    let name = if is_json { path.with_extension("") } else { path.to_owned() };
    if name.extension().is_some_and(|own| own != OsStr::new("json")) {
        name
    } else {
        name.with_extension(extension)
    }
}
