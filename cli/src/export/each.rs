//! `bindpose export --out-dir`: one result for each input file.

use std::collections::HashMap;
use std::io::Write;
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::{Path, PathBuf};

use super::super::exit::{Cause, Exit, Failure, guarded};
use super::super::files::{Item, shown};
use super::super::load::Content;
use super::super::output::{Output, counted};
use super::super::textures::Search;
use super::super::write::{Results, below};
use super::super::{Common, batch, progress};
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
    foreign: usize,
    failed: usize,
    /// Files whose scene glTF cannot represent completely.
    lossy: usize,
    /// Files without some of the images of their textures.
    without_images: usize,
}

impl Export {
    /// Exports every file alone, with the directories of the input mirrored below `directory`.
    pub(super) fn run_each(
        &self,
        directory: &Path,
        common: &Common,
        output: &mut Output,
    ) -> Result<Exit, Failure> {
        let items = self.inputs.list_for(directory)?;
        let outputs =
            outputs(directory, items.iter().map(|item| self.inputs.relative(&item.path).to_owned()));
        let search = self.textures.prepare(&self.inputs, self.limits);
        let bar = progress::bar(items.len(), common.quiet);
        let work = |(): &mut (), index: usize| {
            let done = guarded(|| self.export(&items[index], directory, &outputs[index], &search));
            bar.inc(1);
            done
        };
        let mut counts = Counts::default();
        let mut exit = Exit::Well;
        let mut result = Ok(());
        batch::run(
            items.len(),
            self.jobs.count(items.len()),
            || (),
            work,
            |index, outcome| -> ControlFlow<()> {
                let path = &items[index].path;
                result = bar.suspend(|| match outcome {
                    Ok(Outcome::Foreign) => {
                        counts.foreign += 1;
                        Ok(())
                    }
                    Ok(Outcome::Empty) => {
                        counts.empty += 1;
                        Ok(())
                    }
                    Ok(Outcome::Written { missing, losses }) => {
                        counts.written += 1;
                        counts.lossy += usize::from(!losses.is_empty());
                        counts.without_images += usize::from(!missing.is_empty());
                        if common.verbose && !missing.is_empty() {
                            note!("bindpose: {}: no image for {}", shown(path), missing.join(", "));
                        }
                        let losses: Vec<_> = losses.iter().filter(|_| self.loss_report).collect();
                        self.report(&losses, &outputs[index], common, output)
                    }
                    Err(failure) => {
                        counts.failed += 1;
                        exit = exit.max(failure.report());
                        Ok(())
                    }
                });
                if result.is_ok() { Continue(()) } else { Break(()) }
            },
        );
        bar.finish_and_clear();
        result?;
        self.selection.found_all()?;
        if !common.quiet {
            counts.print(directory, self.loss_report, output)?;
        }
        let nothing = counts.written + counts.failed == 0;
        Ok(if nothing { Exit::Nothing } else { exit })
    }

    fn export(&self, item: &Item, directory: &Path, out: &Path, search: &Search) -> Result<Outcome, Failure> {
        if let Some(trouble) = &item.trouble {
            return Err(Failure::new(Exit::Io, &**trouble).of(shown(&item.path)));
        }
        let memory = self.limits.memory();
        let content = match Content::load(&item.path, item.spec, &memory) {
            Err(Failure { cause: Cause::UnknownFormat, .. }) if !item.named => return Ok(Outcome::Foreign),
            content => content?,
        };
        let mut textures = search.of([&*item.path]);
        let mut files = vec![(item.path.clone(), content)];
        self.textures.sidecars.add(&mut files, &memory)?;
        let (scene, missing) = self.prepared(files, &mut textures, &memory)?;
        if scene.skeleton.bones().is_empty() && scene.meshes.is_empty() {
            return Ok(Outcome::Empty);
        }
        let text = out.extension().is_some_and(|own| own == "gltf");
        let gltf = super::built(&scene, &textures, out, self.embed(text), memory.budget());
        let gltf = gltf.map_err(|failure| failure.of(shown(&item.path)))?;
        let losses = scene.losses.iter().chain(gltf.losses()).cloned().collect();
        drop(scene);
        let bytes = if text { gltf.to_gltf() } else { gltf.to_glb() };
        let bytes = bytes.map_err(|error| Failure::from(error).of(shown(&item.path)))?;
        let place = below(directory, out.strip_prefix(directory).unwrap_or(out))?;
        let mut results = Results::default();
        results.write_below(&place, &bytes, |_| Ok(()), self.force)?;
        results.publish()?;
        Ok(Outcome::Written { missing, losses })
    }
}

impl Counts {
    fn print(&self, directory: &Path, lists_losses: bool, output: &mut Output) -> Result<(), Failure> {
        let outcome = format!("written to {}", shown(directory));
        let others = [
            (self.empty, "without bones and triangles skipped"),
            (self.foreign, "of other formats skipped"),
            (self.failed, "failed"),
        ];
        writeln!(output, "{}", progress::sentence(self.written, &outcome, &others))?;
        if self.lossy > 0 && !lists_losses {
            let lossy = counted(self.lossy, "file");
            writeln!(output, "glTF cannot represent everything in {lossy}; --loss-report lists the losses.")?;
        }
        if self.without_images > 0 {
            let without = counted(self.without_images, "file");
            writeln!(output, "Images of {without} are missing; -v lists them.")?;
        }
        Ok(())
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
