//! `bindpose find`: the files that contain an object, a value or a violation of a rule.

use std::collections::HashSet;
use std::ops::ControlFlow::{Break, Continue};

use globset::{Candidate, GlobBuilder, GlobMatcher};

use super::check::RuleNames;
use super::files::settle;
use super::json::OfFile;
use super::load;
use super::progress::Jobs;
use super::scene::{clips_of, names_of, scene_of_parts};
use crate::prelude::*;
use bindpose::check::Rule;
use bindpose::edit::{self, Entity};
use bindpose::scene::{Scene, Settings};
use bindpose::schema::{self, escape};
use bindpose::{Error, ErrorKind, File, scene};

/// Find the files that contain an object, a value, or a violation of a rule
///
/// Names and values are compared without regard to case, as they are and as globs, in which `*` is any text: `--bone 'Bip01*'`. A file
/// is found if it has a match for each of the options; of an option that is repeated, one match is enough. Clips also have the names that
/// `info` shows where the file has none. glTF is searched for names.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose find assets --bone 'Bip01*'
  bindpose find assets --clip 'walk*' --bone tail -l
  bindpose find assets --bone 'Bip01*' -0 | xargs -0 bindpose rename --bone Bip01=hips -i
  bindpose find assets --value 'animation.fps=24.0'
  bindpose find assets --rule ms3d/weight-sum")]
#[group(id = "wanted", required = true, multiple = true, args = ["bone", "material", "clip", "texture", "value", "rule"])]
pub(super) struct Find {
    #[command(flatten)]
    inputs: Inputs,
    /// Find bones whose name matches GLOB, and references to them
    #[arg(long, value_name = "GLOB", value_parser = NameGlob::new, help_heading = "Objects")]
    bone: Vec<NameGlob>,
    /// Find materials
    #[arg(long, value_name = "GLOB", value_parser = NameGlob::new, help_heading = "Objects")]
    material: Vec<NameGlob>,
    /// Find clips
    #[arg(long, value_name = "GLOB", value_parser = NameGlob::new, help_heading = "Objects")]
    clip: Vec<NameGlob>,
    /// Find paths of textures
    #[arg(long, value_name = "GLOB", value_parser = NameGlob::new, help_heading = "Objects")]
    texture: Vec<NameGlob>,
    /// Find values as `get` prints them: `animation.fps=30`, `bones[*].name=Bip*`
    #[arg(long, value_name = "PATH=GLOB", value_parser = Value::new, help_heading = "Objects")]
    value: Vec<Value>,
    /// Find violations of a rule, or of the rules of a family
    #[arg(long, value_name = "RULE", help_heading = "Objects")]
    rule: Vec<RuleNames>,
    /// Print only the names of the files
    #[arg(short = 'l', long, conflicts_with = "format", help_heading = "Output options")]
    files_only: bool,
    /// Print only the names of the files, unescaped and each ended by a NUL character: for `xargs -0`, or as `@-` for other verbs
    #[arg(short = '0', long, conflicts_with = "format", help_heading = "Output options")]
    null: bool,
    /// Print the matches as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    limits: LimitArgs,
}

/// The names of the clips of a file as `info` shows them: also those after the file, an index, or a comment.
fn clips(file: &File, path: &Path, memory: &Memory) -> Result<Vec<String>, Error> {
    let settings = Settings::default().names_only();
    let mut scene = scene_of_parts([(path, file.as_scene_source())], &settings, memory.budget())?;
    scene.decode_names(None);
    let own = clips_of(file).map(|(name, _)| name).filter(|name| !name.is_empty());
    let mut seen = HashSet::new();
    let all = scene.clips.into_iter().map(|clip| clip.name).chain(own);
    Ok(all.filter(|name| seen.insert(name.clone())).collect())
}

/// The memory of a match, with its paths.
const MATCH: u64 = 512;

/// The most matches that are printed for a file.
const MOST: usize = 20;

/// A whole name or a pattern for it, without regard to case.
#[derive(Clone)]
struct NameGlob {
    name: String,
    /// None if the name is not a valid pattern, such as `Walk [fast`, or matches itself alone.
    glob: Option<GlobMatcher>,
}

/// A name that is compared with many patterns: in lower case and as a glob matches it, with and without the blanks at its end.
struct Name<'a>(Vec<(String, Candidate<'a>)>);

impl<'a> Name<'a> {
    fn new(name: &'a str) -> Self {
        let trimmed = name.trim_end_matches(' ');
        let forms = std::iter::once(name).chain((trimmed.len() < name.len()).then_some(trimmed));
        Self(forms.map(|form| (form.to_lowercase(), Candidate::new(form))).collect())
    }

    fn matches_any(&self, globs: &[NameGlob]) -> bool {
        globs.iter().any(|glob| glob.matches(self))
    }
}

impl NameGlob {
    fn new(text: &str) -> Result<Self, globset::Error> {
        let build = || GlobBuilder::new(text).case_insensitive(true).backslash_escape(true).build();
        let glob = match text.contains(['*', '?', '[', '{', '\\']).then(build) {
            None => None,
            Some(Err(_)) if !text.contains(['*', '?']) => None,
            Some(glob) => Some(glob?.compile_matcher()),
        };
        Ok(Self { name: text.to_lowercase(), glob })
    }

    fn matches(&self, Name(forms): &Name<'_>) -> bool {
        let is_glob =
            |name: &Candidate<'_>| self.glob.as_ref().is_some_and(|own| own.is_match_candidate(name));
        forms.iter().any(|(folded, name)| *folded == self.name || is_glob(name))
    }
}

#[derive(Clone)]
struct Value {
    path: FieldPath,
    glob: NameGlob,
    number: Option<f64>,
}

impl Value {
    fn new(text: &str) -> Result<Self, String> {
        let (path, glob) = super::assign::split(text).ok_or("expected PATH=GLOB")?;
        let path = path.parse().map_err(|error: Error| error.to_string())?;
        let number = glob.parse().ok();
        Ok(Self { path, number, glob: NameGlob::new(glob).map_err(|error| error.to_string())? })
    }

    /// Numbers match in any notation.
    fn matches(&self, value: &str) -> bool {
        self.glob.matches(&Name::new(value)) || self.number.is_some_and(|own| value.parse() == Ok(own))
    }
}

#[derive(Serialize)]
struct Match {
    /// `bone`, `material`, `clip`, `texture`, `value` or `rule`.
    kind: &'static str,
    field: String,
    /// The path by the names of objects, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    /// The name, the value, or the message of the finding.
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'static str>,
}

impl Match {
    /// An object that no field of the file names.
    fn unnamed(kind: &'static str, text: String) -> Self {
        Self { kind, field: String::new(), object: None, text, rule: None }
    }

    fn new(kind: &'static str, path: &FieldPath, text: String, rule: Option<&'static str>) -> Self {
        Self { kind, field: path.to_string(), object: None, text, rule }
    }

    fn line(&self, raw_paths: bool) -> String {
        let Self { kind, field, object, text, rule } = self;
        let path = printable(object.as_ref().filter(|_| !raw_paths).unwrap_or(field));
        let text = printable(text);
        match rule {
            Some(rule) => format!("{rule}  {path}: {text}"),
            None if path.is_empty() => format!("{kind}  {text}"),
            None => format!("{kind}  {path}  {text}"),
        }
    }
}

impl Verb for Find {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let items = self.inputs.list()?;
        settle(items.iter().map(|item| &*item.path));
        let batch = self.jobs.batch(&items, output.common.quiet);
        let mut files = 0_usize;
        let print = |item: &Item, found: Vec<Match>| {
            if found.is_empty() {
                return Ok(());
            }
            files += 1;
            Ok(self.print(item, &found, output)?)
        };
        let mut exit = batch.run(|item| self.matches(item), print)?.exit;
        if files == 0 {
            exit = exit.max(Exit::Nothing);
        }
        if !output.common.quiet {
            note!("{} of {} found", files, counted(items.len() as u64, "file"));
        }
        Ok(exit)
    }
}

impl Find {
    /// Returns the matches in a file; none if an option has no match.
    fn matches(&self, item: &Item) -> Result<Vec<Match>> {
        let memory = self.limits.memory();
        let loaded = match load::load(&item.path, item.spec, &memory) {
            // glTF has neither values nor rules.
            Err(failure)
                if failure.cause == Cause::UnknownFormat && self.value.is_empty() && self.rule.is_empty() =>
            {
                return load::gltf(&item.path, &memory)?
                    .ok_or(failure)
                    .map(|own| self.named_in_gltf(&own.scene));
            }
            loaded => loaded?,
        };
        let named = self.named(&loaded, &item.path, &memory).in_file(&item.path)?;
        let valued = self.valued(&loaded, memory.budget()).in_file(&item.path)?;
        let all = [named, valued, self.violating(item, &loaded)];
        let all: Option<Vec<_>> = all.into_iter().collect();
        let mut matches: Vec<_> = all.into_iter().flatten().flatten().collect();
        if !matches.is_empty() {
            loaded.file().with_object_paths(|names| {
                for found in &mut matches {
                    let path = found.field.parse().ok().and_then(|path| names.path(&path));
                    found.object = path.map(|path| path.to_string());
                }
            });
        }
        Ok(matches)
    }

    /// The names that match; none if a kind of object has no match.
    fn named(&self, loaded: &Document, path: &Path, memory: &Memory) -> Result<Option<Vec<Match>>, Error> {
        let lists = self.lists();
        let mut matches = Vec::new();
        if lists.clone().all(|(_, globs)| globs.is_empty()) {
            return Ok(Some(matches));
        }
        let names = edit::names(loaded.file())?;
        for (entity, globs) in lists.filter(|(_, globs)| !globs.is_empty()) {
            let before = matches.len();
            for name in names.iter().filter(|name| name.entity == entity) {
                let text = scene::name(&name.text);
                // As the verbs print it that show values.
                let shown = escape(&name.text);
                if [&text, &shown].into_iter().any(|form| Name::new(form).matches_any(globs)) {
                    matches.push(Match::new(entity.name(), &name.path, text, None));
                }
            }
            if entity == Entity::Clip {
                let known: HashSet<_> = names
                    .iter()
                    .filter(|name| name.entity == entity)
                    .map(|name| scene::name(&name.text))
                    .collect();
                let others =
                    clips(loaded.file(), path, memory)?.into_iter().filter(|name| !known.contains(name));
                let others = others.filter(|name| Name::new(name).matches_any(globs));
                matches.extend(others.map(|name| Match::unnamed(entity.name(), name)));
            }
            if matches.len() == before {
                return Ok(None);
            }
        }
        Ok(Some(matches))
    }

    /// The patterns of each kind of object.
    fn lists(&self) -> impl Iterator<Item = (Entity, &Vec<NameGlob>)> + Clone {
        Entity::ALL.into_iter().zip([&self.bone, &self.material, &self.clip, &self.texture])
    }

    /// The names of a glTF file that match; none if an option has no match.
    fn named_in_gltf(&self, scene: &Scene) -> Vec<Match> {
        let mut matches = Vec::new();
        for (entity, globs) in self.lists().filter(|(_, globs)| !globs.is_empty()) {
            let before = matches.len();
            let found = names_of(scene, entity).into_iter().filter(|name| Name::new(name).matches_any(globs));
            matches.extend(found.map(|name| Match::unnamed(entity.name(), name.to_owned())));
            if matches.len() == before {
                return Vec::new();
            }
        }
        matches
    }

    /// The values that match. A file without such a path has none.
    fn valued(&self, loaded: &Document, budget: &Budget) -> Result<Option<Vec<Match>>, Error> {
        let mut matches = Vec::new();
        for wanted in &self.value {
            let mut charged = Ok(());
            let mut compare = |path: &FieldPath, text: String| {
                if wanted.matches(&text) {
                    charged = budget.charge(MATCH + text.len() as u64);
                    if charged.is_err() {
                        return Break(());
                    }
                    matches.push(Match::new("value", path, text, None));
                }
                Continue(())
            };
            let found = schema::each_text(loaded.file().value(), &wanted.path, budget, &mut compare);
            charged?;
            match found {
                Err(error) if matches!(error.kind(), ErrorKind::Limit(_)) => return Err(error),
                _ => {}
            }
        }
        Ok((self.value.is_empty() || !matches.is_empty()).then_some(matches))
    }

    /// The violations of the rules. Those beyond the memory of a report are counted in a message.
    fn violating(&self, item: &Item, loaded: &Document) -> Option<Vec<Match>> {
        if self.rule.is_empty() {
            return Some(Vec::new());
        }
        let is_wanted = |rule: &Rule| self.rule.iter().any(|own| own.has(rule));
        let report = loaded.check(usize::MAX);
        for (rule, count) in report.more.into_iter().filter(|(rule, _)| is_wanted(rule)) {
            let more = counted(count, "more finding");
            note!("bindpose: {}: {more} of {} not listed", shown(&item.path), rule.code);
        }
        let findings = report.findings.into_iter().filter(|finding| is_wanted(finding.rule));
        let matches: Vec<_> =
            findings.map(|own| Match::new("rule", &own.path, own.message, Some(own.rule.code))).collect();
        (!matches.is_empty()).then_some(matches)
    }

    fn print(&self, item: &Item, found: &[Match], output: &mut Output) -> io::Result<()> {
        if self.format == Format::Json {
            let file = &PathName::of(&item.path);
            return found.iter().try_for_each(|line| output.json_line(&OfFile { file, line }));
        }
        if self.null {
            output.write_all(item.path.as_os_str().as_encoded_bytes())?;
            return output.write_all(b"\0");
        }
        if self.files_only {
            return writeln!(output, "{}", shown(&item.path));
        }
        writeln!(output, "{}", output.paint.strong(&shown(&item.path)))?;
        for found in found.iter().take(MOST) {
            let line = found.line(output.common.raw_paths);
            writeln!(output, "  {line}")?;
        }
        match found.len().saturating_sub(MOST) {
            0 => Ok(()),
            rest => writeln!(output, "  and {}", counted(rest as u64, "more match")),
        }
    }
}
