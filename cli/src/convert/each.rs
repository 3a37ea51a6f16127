//! `bindpose convert --out-dir`: results for each input file, or for each set of files.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::ops::ControlFlow::{Break, Continue};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::drafts::To;
use super::images::{Images, have_one_image_for_a_path};
use super::outputs::Ready;
use super::{Conversion, Encoding, Loaded, Made, print_written};
use crate::exit::{Cause, Exit, Failure, guarded};
use crate::files::{Item, absolute, shown, without_repetitions};
use crate::limits::Memory;
use crate::load::{Content, detect};
use crate::output::{Output, counted};
use crate::scene::{models, stem};
use crate::textures::Search;
use crate::write;
use crate::{Common, batch, progress};
use bindpose::File;
use bindpose::scene::{Loss, SafeName, SafeNames};

/// What became of an input file.
#[derive(Default)]
struct Outcome {
    /// Whether it has a format that is not converted, and was found in a directory.
    is_foreign: bool,
    /// Whether it has nothing to convert, and was found in a directory.
    is_empty: bool,
    losses: Vec<Loss>,
    /// The textures whose images are missing.
    missing: Vec<String>,
    /// The files that were written, with their sizes.
    written: Vec<(PathBuf, u64)>,
    failure: Option<Failure>,
}

impl Outcome {
    fn failed(failure: Failure) -> Self {
        Self { failure: Some(failure), ..Self::default() }
    }

    /// Skips a file with nothing to convert that nobody named.
    fn unless_empty(self, is_named: bool) -> Self {
        let is_empty = |failure: &Failure| failure.cause == Cause::NothingToConvert;
        if !is_named && self.failure.as_ref().is_some_and(is_empty) {
            return Self { is_empty: true, ..Self::default() };
        }
        self
    }
}

/// Where the results of an input file go.
struct Results<'a> {
    directory: PathBuf,
    /// The name of results that are not named after a clip.
    name: &'a str,
    /// Whether other files are converted to the directory, too.
    keeps_clips_apart: bool,
    /// The results of all input files so far.
    taken: &'a Mutex<HashSet<PathBuf>>,
}

impl Results<'_> {
    /// Moves a result that is named after a clip into a directory for the input file: the animations of many characters
    /// have clips of the same names.
    fn keep_apart(&self, file: &mut Ready) -> Result<(), Failure> {
        let own = file.place.path().file_name().unwrap_or_default().to_owned();
        let text = own.to_string_lossy();
        // Others have the name of the file, with an extension or with a part after it.
        let folder = SafeName::whole(self.name);
        let is_named_after_file =
            text.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with(['.', '_']));
        if self.keeps_clips_apart && !file.is_image() && !is_named_after_file {
            file.place = write::below(&self.directory, &Path::new(folder.as_str()).join(own))?;
        }
        Ok(())
    }

    /// Takes the path of a result; refuses one that a result of another input file has. Files can share an image.
    fn take(&self, file: &Ready) -> Result<(), Failure> {
        let path = file.place.path();
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if file.is_image() || taken.insert(path.to_owned()) {
            return Ok(());
        }
        let why = "is the result of another file, too";
        Err(Failure::usage(why)
            .in_file(path)
            .with_help("convert the files one by one, or rename one of them"))
    }
}

/// A directory of results below another one.
fn directory_below(directory: &Path, folder: &Path) -> Result<PathBuf, Failure> {
    let is_same = folder.as_os_str().is_empty();
    if is_same {
        Ok(directory.to_owned())
    } else {
        write::below(directory, folder).map(|place| place.path().to_owned())
    }
}

/// The number of files of each outcome.
#[derive(Default)]
struct Counts {
    converted: usize,
    empty: usize,
    foreign: usize,
    lossy: usize,
    without_images: usize,
    failed: usize,
}

impl Conversion<'_> {
    /// Converts every file alone or with those that belong to it, with the directories of the input mirrored below `directory`.
    pub(super) fn each_as(
        &self,
        to: &To,
        directory: &Path,
        common: &Common,
        output: &mut Output,
    ) -> Result<Exit, Failure> {
        let items = without_repetitions(models(self.args.inputs.list()?), absolute);
        self.args.inputs.have_own_names(&items, directory)?;
        let groups = self.groups(&items);
        let names = self.names(&groups.iter().map(|group| &items[group[0]]).collect::<Vec<_>>());
        let taken = Mutex::new(HashSet::new());
        let (search, images) =
            (self.args.textures.prepare(&self.args.inputs, self.args.limits), self.images());
        let work = |index: usize, files: Vec<Loaded>, memory: Memory| {
            let (folder, name) = &names[index];
            let is_only = groups.len() == 1;
            // A template can give the results of several files the same names.
            let is_apart = !is_only && self.args.name.is_some();
            let folder = if is_apart { folder.join(SafeName::whole(name).as_str()) } else { folder.clone() };
            let keeps_clips_apart = !is_only && self.args.name.is_none();
            let place = match directory_below(directory, &folder) {
                Ok(directory) => Results { directory, name, keeps_clips_apart, taken: &taken },
                Err(failure) => return Outcome::failed(failure),
            };
            self.convert_set((files, memory), to, &place, (&search, &images), common)
        };
        let exit = self.each((&items, &groups), directory, common, output, work)?;
        self.args.selection.found_all()?;
        Ok(exit)
    }

    /// Writes another encoding of every `.x` file.
    pub(super) fn each_encoded(
        &self,
        to: Encoding,
        directory: &Path,
        common: &Common,
        output: &mut Output,
    ) -> Result<Exit, Failure> {
        let items = self.args.inputs.list_for(directory)?;
        let groups: Vec<_> = (0..items.len()).map(|index| vec![index]).collect();
        let work = |index: usize, files: Vec<Loaded>, _| {
            let Item { path, named, .. } = &items[index];
            let content = &files[0].1;
            let is_x = matches!(content, Content::File(File::X(_)));
            if !is_x && !named {
                return Outcome { is_foreign: true, ..Outcome::default() };
            }
            let done = write::below(directory, self.args.inputs.relative(path)).and_then(|out| {
                let len = self.job(to, path, content)?.publish(&out, self.args.force)?;
                Ok((out.path().to_owned(), len))
            });
            match done {
                Ok(written) => Outcome { written: vec![written], ..Outcome::default() },
                Err(failure) => Outcome::failed(failure),
            }
        };
        self.each((&items, &groups), directory, common, output, work)
    }

    fn each(
        &self,
        (items, groups): (&[Item], &[Vec<usize>]),
        directory: &Path,
        common: &Common,
        output: &mut Output,
        convert: impl Fn(usize, Vec<Loaded>, Memory) -> Outcome + Sync,
    ) -> Result<Exit, Failure> {
        let bar = progress::bar(groups.len(), common.quiet);
        let work = |(): &mut (), index: usize| {
            let memory = self.args.limits.memory();
            let load = |own: &usize| {
                let content = Content::of(&items[*own], &memory, common)?;
                Ok(content.map(|content| (items[*own].path.clone(), content)))
            };
            let loaded = guarded(|| groups[index].iter().map(load).collect::<Result<Option<Vec<_>>, _>>());
            let outcome = loaded.and_then(|files| match files {
                Some(files) => guarded(|| Ok(convert(index, files, memory))),
                None => Ok(Outcome { is_foreign: true, ..Outcome::default() }),
            });
            outcome.unwrap_or_else(Outcome::failed).unless_empty(items[groups[index][0]].named)
        };
        let (mut counts, mut exit, mut printed) = (Counts::default(), Exit::Well, Ok(()));
        batch::run(
            (groups.len(), &bar),
            self.args.jobs.count(groups.len()),
            || (),
            work,
            |index, outcome| {
                let Outcome { is_foreign, is_empty, losses, missing, written, failure } = outcome;
                let (first, files) = (groups[index][0], groups[index].len());
                let of = |holds: bool| if holds { files } else { 0 };
                counts.foreign += of(is_foreign);
                counts.empty += of(is_empty);
                counts.converted += of(!is_foreign && !is_empty && failure.is_none());
                counts.lossy += of(!losses.is_empty());
                counts.without_images += of(!missing.is_empty());
                counts.failed += of(failure.is_some());
                printed = bar.suspend(|| {
                    exit = exit.max(failure.map_or(Exit::Well, |failure| failure.report()));
                    if common.verbose && !missing.is_empty() {
                        let path = shown(&items[first].path);
                        note!("bindpose: {path}: no image for {}", missing.join(", "));
                    }
                    let is_listed = self.loss_report.is_some() || groups.len() == 1;
                    let losses: Vec<_> = losses.iter().filter(|_| is_listed).collect();
                    self.report(&shown(&items[first].path), &losses, common, output)?;
                    written.iter().try_for_each(|(path, len)| {
                        if !common.quiet {
                            print_written(path);
                        }
                        write::say_written(path, *len, self.format, output)
                    })
                });
                if printed.is_ok() { Continue(()) } else { Break(()) }
            },
        );
        bar.finish_and_clear();
        printed?;
        if items.is_empty() {
            return Err(self.args.inputs.nothing());
        }
        let nothing = counts.converted + counts.failed == 0;
        if !common.quiet && (items.len() > 1 || nothing) {
            counts.print(directory, self.loss_report.is_some());
        }
        Ok(if nothing { Exit::Nothing } else { exit })
    }

    /// Converts files that form one scene.
    fn convert_set(
        &self,
        (files, memory): (Vec<Loaded>, Memory),
        to: &To,
        place: &Results<'_>,
        (search, images): (&Search, &Images),
        common: &Common,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        if let Err(failure) = have_one_image_for_a_path(&files, search) {
            return Outcome::failed(failure);
        }
        let (path, textures) = (files[0].0.clone(), search.of(files.iter().map(|(path, _)| &**path)));
        let drafts = to.in_directory(&place.directory, place.name);
        let done = self.made((files, memory), &drafts, Some(to), (textures, images), common).and_then(
            |Made { results: made, .. }| {
                outcome.losses = made.losses;
                outcome.missing = made.missing;
                self.permits(&path, &outcome.losses)?;
                let mut results = write::Results::default();
                let mut written = Vec::new();
                for mut file in made.files {
                    place.keep_apart(&mut file)?;
                    place.take(&file)?;
                    let path = file.place.path().to_owned();
                    written.push((path, file.add_to(&mut results, write::if_exists_below(self.args.force))?));
                }
                results.publish()?;
                outcome.written = written;
                Ok(())
            },
        );
        outcome.failure = done.err();
        outcome
    }

    /// The folder and the name of the results of each file; with its extension where others differ only in theirs.
    fn names(&self, items: &[&Item]) -> Vec<(PathBuf, String)> {
        let name = |item: &&Item| {
            let path = self.args.inputs.relative(&item.path);
            (path.parent().unwrap_or(Path::new("")).to_owned(), stem(path))
        };
        let names: Vec<_> = items.iter().map(name).collect();
        let mut known: HashMap<&(PathBuf, String), usize> = HashMap::new();
        for name in &names {
            *known.entry(name).or_default() += 1;
        }
        // What has no results needs no name.
        for (name, item) in names.iter().zip(items) {
            if let Some(count) = known.get_mut(name).filter(|count| **count > 1)
                && !has_scene(&item.path)
            {
                *count -= 1;
            }
        }
        let whole = |item: &Item| item.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut taken: HashMap<PathBuf, SafeNames> = HashMap::new();
        let unique = |(name, item): (&(PathBuf, String), &&Item)| {
            let (folder, stem) = name.clone();
            let own = if known[name] == 1 { stem } else { whole(item) };
            // Different names can become the same name of a file.
            let taken = taken.entry(folder.clone()).or_default();
            let is_free = taken.insert(&SafeName::whole(&own));
            (folder, if is_free { own } else { taken.add(&own, "").to_string() })
        };
        names.iter().zip(items).map(unique).collect()
    }
}

/// Whether a file can be converted.
fn has_scene(path: &Path) -> bool {
    let is_gltf = |own: &OsStr| own.eq_ignore_ascii_case("glb") || own.eq_ignore_ascii_case("gltf");
    path.extension().is_some_and(is_gltf) || detect(path).is_ok_and(|format| format.is_some())
}

impl Counts {
    fn print(&self, directory: &Path, lists_losses: bool) {
        let outcome = format!("converted to {}", shown(directory));
        let others = [
            (self.empty, "with nothing to convert skipped"),
            (self.foreign, "of other formats skipped"),
            (self.failed, "failed"),
        ];
        note!("{}", progress::sentence(self.converted, &outcome, &others));
        if self.lossy > 0 && !lists_losses {
            let lossy = counted(self.lossy, "file");
            note!("The results do not represent everything in {lossy}; --loss-report lists the losses.");
        }
        if self.without_images > 0 {
            let without = counted(self.without_images, "file");
            note!("Images of {without} are missing; -v lists them.");
        }
    }
}
