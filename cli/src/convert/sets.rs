//! Which of the files that are converted to a directory form one scene.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Conversion;
use super::drafts::To;
use crate::load::Content;
use crate::matching::{Bones, Matcher, Matches, first_word};
use crate::prelude::*;
use crate::progress::Jobs;
use crate::scene::{load_all, models};
use bindpose::check::BoneList;
use bindpose::depot::skeletons_in_lists;
use bindpose::scene::LoadPhase;

/// A file in a directory, as far as it matters for the scene that it belongs to.
struct Part {
    phase: LoadPhase,
    family: &'static str,
    bones: Option<BoneList>,
}

impl Part {
    /// None for files that cannot be read, which are reported when they are converted, and for those that are complete by themselves.
    fn of(item: &Item, memory: &Memory) -> Option<Self> {
        let content = Content::load(&item.path, item.spec, memory).ok()?;
        let Content::File(file) = &content else { return None };
        let family = file.kind().family();
        Some(Self { phase: file.as_scene_source().phase(), family, bones: BoneList::of(file).ok()? })
    }
}

/// The directory and the family of a file.
type Place<'a> = (Option<&'a Path>, &'static str);

/// The files of directories that form one scene, by the index of one of them.
struct Sets<'a> {
    items: &'a [Item],
    parts: Vec<Option<Part>>,
    leaders: Vec<usize>,
    /// The skeletons that lists beside the files name with them.
    listed: HashMap<usize, usize>,
}

impl Sets<'_> {
    /// Adds each file to the set of another one.
    fn join(&mut self, found: Vec<(usize, usize)>) {
        for (own, other) in found {
            self.leaders[own] = self.leaders[other];
        }
    }

    /// The files in a phase, with what names them in a directory: the family, and the first word of their names.
    fn in_phase(&self, phase: LoadPhase) -> impl Iterator<Item = (usize, Place<'_>, String)> {
        let all = self.parts.iter().zip(self.items).enumerate();
        all.filter_map(move |(own, (part, item))| {
            let part = part.as_ref().filter(|part| part.phase == phase)?;
            Some((own, (item.path.parent(), part.family), first_word(&item.path)))
        })
    }

    /// Adds meshes to the skeleton in their directory: the only one, or the one of the same name.
    fn join_skeletons(&mut self, phase: LoadPhase) {
        let (mut beside, mut named) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        for (own, place, word) in self.in_phase(LoadPhase::Skeleton) {
            beside.entry(place).or_default().push(own);
            named.entry((place, word)).or_default().push(own);
        }
        let skeleton = |(own, place, word)| {
            let only =
                |found: Option<&Vec<usize>>| found.filter(|found| found.len() == 1).map(|found| found[0]);
            let listed = self.listed.get(&own).copied();
            let skeleton = only(beside.get(&place)).or(listed).or_else(|| only(named.get(&(place, word))));
            Some((own, skeleton?))
        };
        self.join(self.in_phase(phase).filter_map(skeleton).collect());
    }

    /// Adds materials to the mesh in a directory without a skeleton: the only one, or the one of the same name.
    fn join_materials(&mut self) {
        let skeletons: HashSet<_> = self.in_phase(LoadPhase::Skeleton).map(|(_, place, _)| place).collect();
        let (mut beside, mut named) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        for (own, place, word) in self.in_phase(LoadPhase::Mesh).filter(|own| !skeletons.contains(&own.1)) {
            beside.entry(place).or_default().push(own);
            named.entry((place, word)).or_default().push(own);
        }
        let mesh = |(own, place, word)| {
            let all = [beside.get(&place), named.get(&(place, word))];
            let only = all.into_iter().flatten().find(|found| found.len() == 1)?;
            (!self.listed.contains_key(&own)).then(|| (own, only[0]))
        };
        self.join(self.in_phase(LoadPhase::Material).filter_map(mesh).collect());
    }

    /// Adds animations to the mesh or skeleton that has all their bones: one of the same name in their directory, any there, or one
    /// elsewhere.
    fn join_animations(&mut self) {
        let mut matcher = Matcher::default();
        let mut bones = |index: usize| {
            let list = self.parts[index].as_ref()?.bones.clone()?;
            Some(matcher.bones(&self.items[index].path, list))
        };
        let (animations, models): (Vec<_>, Vec<_>) = (0..self.items.len())
            .filter_map(|index| Some((index, bones(index)?)))
            .partition(|(_, bones)| bones.list.is_animation());
        let leaders: HashMap<_, _> = models.iter().map(|(index, bones)| (bones.path, *index)).collect();
        let (mut named, mut beside) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        let all: Vec<_> = models.into_iter().map(|(_, bones)| bones).collect();
        for bones in &all {
            let folder = bones.path.parent();
            named.entry((folder, bones.word.clone())).or_default().push(bones.clone());
            beside.entry(folder).or_default().push(bones.clone());
        }
        // Animations in a directory usually have the same bones.
        let mut known: HashMap<(Option<&Path>, &BoneList), Option<&Path>> = HashMap::new();
        let mut found = Vec::new();
        for (index, own) in &animations {
            let folder = own.path.parent();
            let mut best = |models: Option<&Vec<Bones<'_>>>| {
                let best = Matches::new(own, models.map_or(&[][..], Vec::as_slice), &mut matcher).best();
                best.and_then(|path| leaders.get_key_value(path)).map(|(path, _)| *path)
            };
            let listed = self.listed.get(index).map(|skeleton| &*self.items[*skeleton].path);
            let listed = listed.filter(|skeleton| leaders.contains_key(skeleton));
            let path = listed.or_else(|| best(named.get(&(folder, own.word.clone())))).or_else(|| {
                let any = || best(beside.get(&folder)).or_else(|| best(Some(&all)));
                *known.entry((folder, &own.list)).or_insert_with(any)
            });
            found.extend(path.map(|path| (*index, leaders[path])));
        }
        self.join(found);
    }

    /// Adds files without bones to the animation of their name.
    fn join_sidecars(&mut self) {
        let named = |(own, (_, family), _): (usize, Place<'_>, String)| {
            (own, (self.items[own].path.with_extension(""), family))
        };
        let has_bones =
            |(own, _): &(usize, _)| self.parts[*own].as_ref().is_some_and(|part| part.bones.is_some());
        let (animations, others): (Vec<_>, Vec<_>) =
            self.in_phase(LoadPhase::Clip).map(named).partition(has_bones);
        let animations: HashMap<_, _> = animations.into_iter().map(|(own, name)| (name, own)).collect();
        self.join(
            others.into_iter().filter_map(|(own, name)| Some((own, *animations.get(&name)?))).collect(),
        );
    }

    /// The files of each set, that which names it first: the only mesh, or the skeleton.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut all: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (own, leader) in self.leaders.iter().enumerate() {
            all.entry(*leader).or_default().push(own);
        }
        let is_mesh =
            |own: &&usize| self.parts[**own].as_ref().is_some_and(|part| part.phase == LoadPhase::Mesh);
        let named = |(leader, mut files): (usize, Vec<usize>)| {
            let mut meshes = files.iter().filter(is_mesh);
            let name = meshes.next().copied().filter(|_| meshes.next().is_none()).unwrap_or(leader);
            files.sort_by_key(|own| *own != name);
            files
        };
        all.into_iter().map(named).collect()
    }
}

/// The files that form one scene each, by what fits.
pub(crate) fn groups(items: &[Item], jobs: &Jobs, limits: LimitArgs) -> Result<Vec<Vec<usize>>> {
    let mut parts = Vec::with_capacity(items.len());
    let add = |_: &Item, part: Result<Option<Part>>| {
        parts.push(part?);
        Ok(())
    };
    jobs.batch(items, true).each(|item| Ok(Part::of(item, &limits.memory())), add)?;
    let paths: Vec<_> = items.iter().map(|item| &item.path).collect();
    let listed = skeletons_in_lists(&paths);
    let mut sets = Sets { items, parts, leaders: (0..items.len()).collect(), listed };
    sets.join_skeletons(LoadPhase::Mesh);
    sets.join_skeletons(LoadPhase::Material);
    sets.join_materials();
    sets.join_skeletons(LoadPhase::Morph);
    sets.join_animations();
    sets.join_sidecars();
    Ok(sets.groups())
}

impl Conversion<'_> {
    /// The files that form one scene each. Files in directories are grouped by what fits, unless every file is converted alone.
    pub(super) fn groups(&self, items: &[Item]) -> Result<Vec<Vec<usize>>> {
        if self.args.each || items.iter().all(|item| item.named) {
            return Ok((0..items.len()).map(|index| vec![index]).collect());
        }
        groups(items, &self.args.jobs, self.args.limits)
    }

    pub(super) fn to_directory(&self, to: &To, directory: &Path, output: &mut Output) -> Result<Exit> {
        let Some(name) = self.name_of_set()? else { return self.each_as(to, directory, output) };
        let memory = self.args.limits.memory();
        let files = load_all(&self.args.inputs, &memory, self.args.input.nodes(), output.common)?;
        self.write((files, memory), &to.in_directory(directory, &name), Some(to), output)
    }

    /// The name of the model if all files form one scene: files that were named, of which one has the meshes, or one the skeleton.
    fn name_of_set(&self) -> Result<Option<String>> {
        let items = models(self.args.inputs.list()?);
        let is_listed = |item: &Item| !item.named || is_stdio(&item.path);
        if self.args.each || items.len() < 2 || items.iter().any(is_listed) {
            return Ok(None);
        }
        // Files that cannot be read are reported when they are converted.
        let phase = |item: &Item| {
            let content = Content::load(&item.path, item.spec, &self.args.limits.memory()).ok()?;
            Some((content.as_scene_source().phase(), FormatSpec::stem(&item.path)))
        };
        let phases: Vec<_> = items.iter().filter_map(phase).collect();
        let of = |phase| phases.iter().filter(move |(own, _)| *own == phase);
        let (models, skeletons) = (of(LoadPhase::Mesh).count(), of(LoadPhase::Skeleton).count());
        if models <= 1 || skeletons == 1 {
            let model = of(LoadPhase::Mesh).chain(of(LoadPhase::Skeleton)).chain(&phases).next();
            let model = if models == 1 { model } else { of(LoadPhase::Skeleton).next().or(model) };
            return Ok(model.map(|(_, name)| name.clone()));
        }
        if models == phases.len() {
            return Ok(None);
        }
        let why = format!("the files contain {models} models, which do not form one scene");
        Err(Failure::usage(why)
            .with_help("name the files of one model, or convert every file alone with --each"))
    }
}
