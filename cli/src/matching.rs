//! `bindpose check --match`: which animation fits which mesh.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::batch::Batch;
use super::files::absolute;
use super::load;
use super::table::Table;
use crate::prelude::*;
use bindpose::check::{BoneList, Fit};

#[derive(Clone)]
pub(super) struct Bones<'a> {
    pub path: &'a Path,
    pub list: Rc<BoneList>,
    /// The absolute path of its directory.
    directory: PathBuf,
    pub word: String,
}

/// Compares animations with meshes. Most files of a folder have the same bones, which are compared once.
#[derive(Default)]
pub(super) struct Matcher {
    known: HashSet<Rc<BoneList>>,
    /// How the bones of the last animation fit those of meshes.
    fits: HashMap<*const BoneList, Option<Rc<Fit>>>,
    last: Option<Rc<BoneList>>,
}

impl Matcher {
    /// Returns a file, which shares its list with those that have the same bones.
    pub fn bones<'a>(&mut self, path: &'a Path, list: BoneList) -> Bones<'a> {
        let list = Rc::new(list);
        let list = self.known.get(&list).cloned().unwrap_or(list);
        self.known.insert(list.clone());
        let directory = absolute(path).parent().map(Path::to_owned).unwrap_or_default();
        Bones { path, list, directory, word: first_word(path) }
    }

    fn fit(&mut self, animation: &Rc<BoneList>, mesh: &Rc<BoneList>) -> Option<Rc<Fit>> {
        if self.last.as_ref().is_none_or(|last| !Rc::ptr_eq(last, animation)) {
            self.last = Some(animation.clone());
            self.fits.clear();
        }
        self.fits.entry(Rc::as_ptr(mesh)).or_insert_with(|| animation.fit(mesh).map(Rc::new)).clone()
    }
}

#[derive(Serialize)]
struct Pair<'a> {
    animation: &'a str,
    /// The exact name in hexadecimal, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    animation_bytes: Option<&'a str>,
    /// None if no mesh or skeleton of the same family has any bone of the animation.
    mesh: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh_bytes: Option<&'a str>,
    /// Whether no other mesh has more bones of the animation.
    best: bool,
    /// Whether the mesh has all bones of the animation.
    complete: bool,
    #[serde(flatten)]
    fit: &'a Fit,
}

/// The meshes for an animation: the best one, then the others with all its bones.
pub(super) struct Matches<'a> {
    animation: &'a Bones<'a>,
    fits: Vec<(&'a Bones<'a>, Rc<Fit>)>,
}

impl<'a> Matches<'a> {
    pub fn new(animation: &'a Bones<'a>, meshes: &'a [Bones<'a>], matcher: &mut Matcher) -> Self {
        let fits = meshes.iter().filter_map(|mesh| Some((mesh, matcher.fit(&animation.list, &mesh.list)?)));
        let mut fits: Vec<_> = fits.filter(|(_, fit)| fit.matched > 0).collect();
        // The sort is stable: of equally good meshes, the first one of the input is the best.
        fits.sort_by_cached_key(|(mesh, fit)| {
            let missing = fit.missing_in_animation.len();
            (Reverse(fit.matched), fit.ignoring_case, distance(animation, mesh), missing)
        });
        let mut is_best = true;
        fits.retain(|(_, fit)| std::mem::take(&mut is_best) || fit.is_complete());
        Self { animation, fits }
    }

    fn is_complete(&self) -> bool {
        self.fits.first().is_some_and(|(_, fit)| fit.is_complete())
    }

    /// The best mesh, if it has all bones of the animation.
    pub fn best(&self) -> Option<&'a Path> {
        self.fits.first().filter(|(_, fit)| fit.is_complete()).map(|(mesh, _)| mesh.path)
    }

    fn write(&self, output: &mut Output) -> Result<()> {
        let animation = PathName::of(self.animation.path);
        let mut none = Fit::default();
        none.total = self.animation.list.len();
        let unmatched = self.fits.is_empty().then_some((None, &none));
        let fits = self.fits.iter().map(|(mesh, fit)| (Some(PathName::of(mesh.path)), &**fit));
        for (at, (mesh, fit)) in unmatched.into_iter().chain(fits).enumerate() {
            let pair = Pair {
                animation: &animation.text,
                animation_bytes: animation.bytes.as_deref(),
                mesh: mesh.as_ref().map(|mesh| &*mesh.text),
                mesh_bytes: mesh.as_ref().and_then(|mesh| mesh.bytes.as_deref()),
                best: at == 0 && mesh.is_some(),
                complete: mesh.is_some() && fit.is_complete(),
                fit,
            };
            output.json_line(&pair)?;
        }
        Ok(())
    }

    /// Adds a row with the best mesh; with all meshes and all bones if wanted.
    fn add_to(&self, table: &mut Table, all: bool) {
        let animation = shown(self.animation.path);
        let Some((_, best)) = self.fits.first() else {
            let bones = format!("0/{}", self.animation.list.len());
            table.push([animation, "none".into(), bones, "-".into(), "-".into()], true);
            return;
        };
        let (rows, most) = if all { (self.fits.len(), usize::MAX) } else { (1, LISTED) };
        for (mesh, fit) in &self.fits[..rows] {
            let more = self.fits.len() - 1;
            let others = if all || more == 0 || !best.is_complete() {
                String::new()
            } else {
                format!(" and {more} more")
            };
            let loose = if fit.ignoring_case > 0 {
                format!(", {} by case", fit.ignoring_case)
            } else {
                String::new()
            };
            let row = [
                animation.clone(),
                format!("{}{others}", shown(mesh.path)),
                format!("{}/{}{loose}", fit.matched, fit.total),
                listed(&fit.missing_in_mesh, most),
                listed(&fit.missing_in_animation, most),
            ];
            table.push(row, !fit.is_complete());
        }
    }
}

/// Prints which animation fits which mesh. Exits with 1 if a mesh with all bones is missing for one of them.
pub(super) fn run(
    items: &[Item],
    (limits, jobs, format): (LimitArgs, usize, Format),
    output: &mut Output,
) -> Result<Exit> {
    let mut matcher = Matcher::default();
    let (common, mut files) = (output.common, Vec::new());
    let tally = Batch { items, jobs, quiet: common.quiet }.run(
        |item| bones(item, limits, common),
        |item, list| {
            files.extend(list.map(|list| matcher.bones(&item.path, list)));
            Ok(())
        },
    )?;
    let mut exit = tally.exit;
    let (animations, meshes): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| file.list.is_animation());
    if animations.is_empty() {
        let none =
            Failure::new(Exit::Nothing, "no animation of a format with separate animation files was found");
        let help = "PSA, UNIGINE, Cal3D and 3ds Max animations are compared; other formats contain their own skeleton";
        return if exit == Exit::Success { Err(none.with_help(help)) } else { Ok(exit) };
    }
    let mut table =
        Table::new(["ANIMATION", "BEST MESH", "BONES", "MISSING IN MESH", "MISSING IN ANIMATION"]);
    let mut complete = 0;
    for animation in &animations {
        let found = Matches::new(animation, &meshes, &mut matcher);
        complete += usize::from(found.is_complete());
        match format {
            Format::Json => found.write(output)?,
            Format::Human if common.quiet && found.is_complete() => {}
            Format::Human => found.add_to(&mut table, common.verbose),
        }
    }
    if format == Format::Human && !(common.quiet && complete == animations.len()) {
        table.print(output.paint, output)?;
    }
    if format == Format::Human && !common.quiet {
        let total = counted(animations.len(), "animation");
        writeln!(output, "\n{total}: {complete} with a mesh that has all bones.")?;
    }
    if complete < animations.len() {
        exit = exit.max(Exit::Findings);
    }
    Ok(exit)
}

/// The bones of a file; none if its format has none for other files.
fn bones(item: &Item, limits: LimitArgs, common: Common) -> Result<Option<BoneList>> {
    let loaded = load::load(&item.path, item.spec, &limits.memory())?;
    if !common.quiet {
        load::warn_of_damage(loaded.file(), &item.path);
    }
    BoneList::of(loaded.file()).in_file(&item.path)
}

/// The distance between the files of an animation and a mesh: the number of directories between them, then whether their
/// names differ in the first word.
fn distance(animation: &Bones<'_>, mesh: &Bones<'_>) -> (usize, bool) {
    let [own, other] = [animation, mesh].map(|file| file.directory.components());
    let common = own.clone().zip(other.clone()).take_while(|(own, other)| own == other).count();
    let steps = own.count() + other.count() - 2 * common;
    (steps, animation.word != mesh.word)
}

/// The first word of the name of a file.
pub(super) fn first_word(path: &Path) -> String {
    let stem = FormatSpec::stem(path).to_lowercase();
    stem.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

/// The maximum number of names that are listed unless all are wanted.
const LISTED: usize = 3;

fn listed(names: &[String], most: usize) -> String {
    let listed: Vec<_> = names.iter().take(most).map(|name| plain(name)).collect();
    match names.len() {
        0 => "-".into(),
        len if len > most => format!("{} and {} more", listed.join(", "), len - most),
        _ => listed.join(", "),
    }
}

/// A name without control characters.
fn plain(name: &str) -> String {
    if name.is_empty() { "\"\"".into() } else { printable(name).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose::FileKind;

    #[test]
    fn the_nearest_mesh_is_in_the_same_directory_or_has_the_same_name() {
        let bones = |path: &'static str| {
            let list = BoneList::of(&FileKind::UnigineAnim.blank()).unwrap().unwrap();
            Matcher::default().bones(Path::new(path), list)
        };
        let of = |mesh| distance(&bones("hero/anims/Hero_walk.caf"), &bones(mesh));
        let ordered =
            ["hero/anims/hero.csf", "hero/anims/a.csf", "hero/hero.csf", "hero/x.csf", "troll/hero.csf"];
        assert!(ordered.map(of).is_sorted(), "{:?}", ordered.map(of));
    }
}
