//! `bindpose convert --out-dir`: results for each input file, or for each set of files.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::sync::Mutex;

use super::drafts::To;
use super::images::{Images, have_one_image_for_a_path};
use super::outputs::{Ready, write_all};
use super::{Conversion, Loaded, Made, Reformed};
use crate::batch::locked;
use crate::files::file_name;
use crate::load::{Content, detect};
use crate::prelude::*;
use crate::progress;
use crate::scene::models;
use crate::textures::Search;
use crate::write;
use bindpose::scene::{Loss, SafeName, SafeNames};

/// Files that form one scene.
struct Set<'i> {
    files: Vec<&'i Item>,
    /// The folder of the results, below the directory of all.
    folder: PathBuf,
    /// The name of results that are not named after a clip.
    name: String,
}

/// The result for the files of a set.
#[derive(Default)]
struct Outcome {
    losses: Vec<Loss>,
    /// The textures whose images are missing.
    missing: Vec<String>,
    /// The files that were written, with their sizes.
    written: Vec<(PathBuf, u64)>,
    failure: Option<Failure>,
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
    fn keep_apart(&self, file: &mut Ready) -> Result<()> {
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
    fn take(&self, file: &Ready) -> Result<()> {
        let path = file.place.path();
        let mut taken = locked(self.taken);
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
fn directory_below(directory: &Path, folder: &Path) -> Result<PathBuf> {
    let is_same = folder.as_os_str().is_empty();
    if is_same {
        Ok(directory.to_owned())
    } else {
        write::below(directory, folder).map(|place| place.path().to_owned())
    }
}

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
    pub(super) fn each_as(&self, to: &To, directory: &Path, output: &mut Output) -> Result<Exit> {
        let items = models(self.args.inputs.list()?);
        self.args.inputs.have_own_names(&items, directory)?;
        let groups = self.groups(&items)?;
        let names = self.names(&groups.iter().map(|group| &items[group[0]]).collect::<Vec<_>>());
        let set = |(group, (folder, name)): (Vec<usize>, _)| Set {
            files: group.into_iter().map(|index| &items[index]).collect(),
            folder,
            name,
        };
        let sets: Vec<_> = groups.into_iter().zip(names).map(set).collect();
        let taken = Mutex::new(HashSet::new());
        let (search, images) =
            (self.args.textures.prepare(&self.args.inputs, self.args.limits), self.images());
        let (is_only, common) = (sets.len() == 1, output.common);
        let convert = |Set { folder, name, .. }: &Set<'_>, files: Vec<Loaded>, memory: Memory| {
            // A template can give the results of several files the same names.
            let is_apart = !is_only && self.args.name.is_some();
            let folder = if is_apart { folder.join(SafeName::whole(name).as_str()) } else { folder.clone() };
            let keeps_clips_apart = !is_only && self.args.name.is_none();
            let directory = directory_below(directory, &folder)?;
            let place = Results { directory, name, keeps_clips_apart, taken: &taken };
            self.convert_set((files, memory), to, &place, (&search, &images), common)
        };
        let exit = self.each(&sets, directory, output, convert)?;
        self.args.selection.found_all()?;
        Ok(exit)
    }

    /// Writes another form of every file that has it.
    pub(super) fn each_in_form(&self, form: &str, directory: &Path, output: &mut Output) -> Result<Exit> {
        let items = self.args.inputs.list_for(directory)?;
        let alone = |item| Set { files: vec![item], folder: PathBuf::new(), name: String::new() };
        let sets: Vec<_> = items.iter().map(alone).collect();
        self.each(&sets, directory, output, |set, files, _| {
            let path = &set.files[0].path;
            let Reformed { bytes, spec, extension, losses } = self.in_form(form, path, &files[0].1)?;
            if let Err(failure) = self.permits(path, &losses) {
                return Ok(Outcome { losses, failure: Some(failure), ..Outcome::default() });
            }
            let relative = self.args.inputs.relative(path);
            let named = extension.map(|own| relative.with_extension(own));
            let out = write::below(directory, named.as_deref().unwrap_or(relative))?;
            let mut results = write::Results::default();
            results.write_below(&out, &bytes, Some(spec), self.args.force)?;
            results.publish()?;
            let written = vec![(out.path().to_owned(), bytes.len() as u64)];
            Ok(Outcome { losses, written, ..Outcome::default() })
        })
    }

    fn each(
        &self,
        sets: &[Set<'_>],
        directory: &Path,
        output: &mut Output,
        convert: impl Fn(&Set<'_>, Vec<Loaded>, Memory) -> Result<Outcome> + Sync,
    ) -> Result<Exit> {
        output.outlives_reader = true;
        let common = output.common;
        let work = |set: &Set<'_>| {
            let memory = self.args.limits.memory();
            let load = |item: &&Item| {
                Ok((item.path.clone(), Content::of(item, &memory, self.args.input.nodes(), common)?))
            };
            let files = set.files.iter().map(load).collect::<Result<_>>()?;
            convert(set, files, memory)
        };
        let (mut counts, mut exit) = (Counts::default(), Exit::Success);
        let take = |set: &Set<'_>, done: Result<Outcome>| {
            let done =
                done.unwrap_or_else(|failure| Outcome { failure: Some(failure), ..Outcome::default() });
            let Outcome { losses, missing, written, failure } = done;
            let (first, files) = (set.files[0], set.files.len());
            counts.lossy += if losses.is_empty() { 0 } else { files };
            counts.without_images += if missing.is_empty() { 0 } else { files };
            match failure {
                None => counts.converted += files,
                // Skipped files were found in directories.
                Some(failure) if failure.is_foreign(first) => counts.foreign += files,
                Some(failure) if failure.cause == Cause::NothingToConvert && !first.named => {
                    counts.empty += files;
                }
                Some(failure) => {
                    counts.failed += files;
                    exit = exit.max(failure.report());
                }
            }
            if common.verbose && !missing.is_empty() {
                note!("bindpose: {}: no image for {}", shown(&first.path), missing.join(", "));
            }
            let is_listed = self.loss_report.is_some() || sets.len() == 1;
            let losses = if is_listed { &*losses } else { &[] };
            self.report(&shown(&first.path), losses, output)?;
            self.report_written(&written, output)
        };
        self.args.jobs.batch(sets, common.quiet).each(work, take)?;
        if sets.is_empty() {
            return Err(self.args.inputs.nothing());
        }
        let nothing = counts.converted + counts.failed == 0;
        let files: usize = sets.iter().map(|set| set.files.len()).sum();
        if !common.quiet && (files > 1 || nothing) {
            counts.print(directory, self.loss_report.is_some());
        }
        Ok(if nothing { Exit::Nothing } else { exit })
    }

    fn convert_set(
        &self,
        (files, memory): (Vec<Loaded>, Memory),
        to: &To,
        place: &Results<'_>,
        (search, images): (&Search, &Images),
        common: Common,
    ) -> Result<Outcome> {
        have_one_image_for_a_path(&files, search)?;
        let (path, textures) = (files[0].0.clone(), search.of(files.iter().map(|(path, _)| &**path)));
        let drafts = to.in_directory(&place.directory, place.name);
        let Made { results: mut made, .. } =
            self.made((files, memory), &drafts, Some(to), (textures, images), common)?;
        let written = self.permits(&path, &made.losses).and_then(|()| {
            for file in &mut made.files {
                place.keep_apart(file)?;
                place.take(file)?;
            }
            write_all(made.files, write::if_exists_below(self.args.force))
        });
        let (written, failure) = written.map_or_else(|why| (Vec::new(), Some(why)), |files| (files, None));
        Ok(Outcome { losses: made.losses, missing: made.missing, written, failure })
    }

    /// The folder and the name of the results of each file; with its extension where others differ only in theirs.
    fn names(&self, items: &[&Item]) -> Vec<(PathBuf, String)> {
        let name = |item: &&Item| {
            let path = self.args.inputs.relative(&item.path);
            (path.parent().unwrap_or(Path::new("")).to_owned(), FormatSpec::stem(path))
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
        let mut taken: HashMap<PathBuf, SafeNames> = HashMap::new();
        let unique = |(name, item): (&(PathBuf, String), &&Item)| {
            let (folder, stem) = name.clone();
            let own = if known[name] == 1 { stem } else { file_name(&item.path).into_owned() };
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
