//! `bindpose export --out-dir`: one result for each input file.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::{Path, PathBuf};

use super::super::draft::Draft;
use super::super::exit::{Cause, Exit, Failure};
use super::super::files::{Item, shown};
use super::super::load::Content;
use super::super::output::{Output, counted};
use super::super::textures::Search;
use super::super::{Common, batch};
use super::Export;
use bindpose::scene::Loss;

/// What became of an input file.
enum Outcome {
    Written {
        missing: Vec<String>,
        losses: Vec<Loss>,
    },
    /// A file of another format, found in a directory.
    Foreign,
    /// A file without bones and triangles.
    Empty,
}

/// The number of files of each outcome.
#[derive(Default)]
struct Counts {
    written: usize,
    empty: usize,
    failed: usize,
}

impl Export {
    /// Exports every file alone, with the directories of the input mirrored below `directory`.
    pub(super) fn run_each(
        &self,
        directory: &Path,
        common: &Common,
        output: &mut Output,
    ) -> Result<Exit, Failure> {
        let items = self.inputs.list()?;
        let outputs =
            outputs(directory, items.iter().map(|item| self.inputs.relative(&item.path).to_owned()));
        let search = self.textures.prepare(&self.inputs);
        let work = |(): &mut (), index: usize| self.export(&items[index], &outputs[index], &search);
        let mut counts = Counts::default();
        let mut exit = Exit::Well;
        let mut result = Ok(());
        batch::run(
            items.len(),
            self.jobs(),
            || (),
            work,
            |index, outcome| -> ControlFlow<()> {
                let path = &items[index].path;
                match outcome {
                    Ok(Outcome::Foreign) => {}
                    Ok(Outcome::Empty) => counts.empty += 1,
                    Ok(Outcome::Written { missing, losses }) => {
                        counts.written += 1;
                        if !common.quiet && !missing.is_empty() {
                            eprintln!(
                                "bindpose: {}: no image for {}",
                                shown(path),
                                counted(missing.len(), "texture")
                            );
                        }
                        result =
                            self.report(&losses.iter().collect::<Vec<_>>(), &outputs[index], common, output);
                    }
                    Err(failure) => {
                        counts.failed += 1;
                        eprintln!("bindpose: {failure}");
                        if let Some(help) = &failure.help {
                            eprintln!("help: {help}");
                        }
                        exit = exit.max(failure.exit);
                    }
                }
                if result.is_ok() { Continue(()) } else { Break(()) }
            },
        );
        result?;
        if !common.quiet {
            counts.print(directory, output)?;
        }
        let nothing = counts.written + counts.failed == 0;
        Ok(if nothing { Exit::Nothing } else { exit })
    }

    fn export(&self, item: &Item, out: &Path, search: &Search) -> Result<Outcome, Failure> {
        if let Some(trouble) = &item.trouble {
            return Err(Failure::new(Exit::Io, &**trouble).of(shown(&item.path)));
        }
        let content = match Content::load(&item.path, item.spec, self.limits) {
            Err(Failure { cause: Cause::UnknownFormat, .. }) if !item.named => return Ok(Outcome::Foreign),
            content => content?,
        };
        let files = [(item.path.clone(), content)];
        let textures = search.of(files.iter().map(|(path, _)| &**path));
        let (scene, missing) = self.prepared(&files, &textures);
        if scene.skeleton.bones().is_empty() && scene.meshes.is_empty() {
            return Ok(Outcome::Empty);
        }
        let text = out.extension().is_some_and(|own| own == "gltf");
        let gltf = super::built(&scene, &files, &textures, out, self.embed(text));
        let losses = scene.losses.iter().chain(gltf.losses()).cloned().collect();
        let bytes = if text { gltf.to_gltf() } else { gltf.to_glb() };
        let bytes = bytes.map_err(|error| Failure::from(error).of(shown(&item.path)))?;
        let named = |failure: Failure| failure.of(shown(out));
        fs::create_dir_all(out.parent().unwrap_or(Path::new("."))).map_err(|error| named(error.into()))?;
        Draft::verified(out, &bytes, |_| Ok(()), self.force).and_then(Draft::publish).map_err(named)?;
        Ok(Outcome::Written { missing, losses })
    }
}

impl Counts {
    fn print(&self, directory: &Path, output: &mut Output) -> Result<(), Failure> {
        let mut parts = vec![format!("{} written to {}", counted(self.written, "file"), shown(directory))];
        if self.empty > 0 {
            parts.push(format!("{} without bones and triangles skipped", self.empty));
        }
        if self.failed > 0 {
            parts.push(format!("{} failed", self.failed));
        }
        Ok(writeln!(output, "{}.", parts.join(", "))?)
    }
}

/// The path of each result: the input's with the extension `.glb`; with both extensions where two inputs differ only in theirs.
fn outputs(directory: &Path, inputs: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let inputs: Vec<_> = inputs.collect();
    let mut known: HashMap<PathBuf, usize> = HashMap::new();
    for input in &inputs {
        *known.entry(input.with_extension("glb")).or_default() += 1;
    }
    let output = |input: &PathBuf| {
        let plain = input.with_extension("glb");
        if known[&plain] == 1 {
            return directory.join(plain);
        }
        let mut name = input.as_os_str().to_owned();
        name.push(".glb");
        directory.join(name)
    };
    inputs.iter().map(output).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_different_names() {
        let inputs = ["a/hero.psk", "a/hero.psa", "b/hero.psk", "tree.ms3d"].map(PathBuf::from);
        let names = outputs(Path::new("out"), inputs.into_iter());
        let expected = ["out/a/hero.psk.glb", "out/a/hero.psa.glb", "out/b/hero.glb", "out/tree.glb"];
        assert_eq!(names, expected.map(PathBuf::from));
    }
}
