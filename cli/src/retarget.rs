//! Clips of another skeleton.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::{Exit, Failure};
use super::files::shown;
use super::limits::Memory;
use super::load::Content;
use super::names_table;
use super::scene::scene_of;
use bindpose::edit::Entity;
use bindpose::scene::{Loss, Lost, Names, Retarget, Scene, Settings, Transform};

/// The files whose clips move the skeleton of the input.
#[derive(Args, Clone, Default, PartialEq)]
pub(super) struct RetargetArgs {
    /// Add the clips of FILE, which is of another skeleton; repeat it for the files of a set
    ///
    /// A bone turns in model space as far from its bind pose as the bone of its name in FILE, whatever the axes of both. Lengths of
    /// bones stay; displacements are in proportion to them. Bones without a pair keep their bind pose. Both skeletons must stand and
    /// face alike in their bind poses.
    #[arg(long, value_name = "FILE", help_heading = "Conventions of the input")]
    retarget: Vec<PathBuf>,
    /// Pair bones of other names by a table of lines OLD,NEW: the name in the files of --retarget, and that in the input
    #[arg(long, value_name = "TABLE.csv", requires = "retarget", help_heading = "Conventions of the input")]
    bones: Option<PathBuf>,
}

/// The memory of a key of a bone while a clip is made: of its pose and of its keys.
const KEY: usize = 4 * size_of::<Transform>();

impl RetargetArgs {
    /// Adds the clips to a scene.
    pub fn apply(&self, scene: &mut Scene, settings: &Settings, memory: &Memory) -> Result<(), Failure> {
        let Some(first) = self.retarget.first() else { return Ok(()) };
        let of_first = |failure: Failure| failure.of(shown(first));
        let load = |path: &PathBuf| Ok((path.clone().into(), Content::load(path, None, memory)?));
        let files: Vec<(Box<Path>, Content)> =
            self.retarget.iter().map(load).collect::<Result<_, Failure>>()?;
        let from = scene_of(&files, settings, memory)?;
        if from.clips.is_empty() {
            return Err(of_first(Failure::new(Exit::Usage, "--retarget: no clips")));
        }
        let pairs = self.pairs(&from, scene)?;
        if pairs.is_empty() {
            let why = "--retarget: no bone has the name of one in the input";
            let help = Some("pair them with --bones TABLE.csv".into());
            return Err(of_first(Failure { help, ..Failure::new(Exit::Usage, why) }));
        }
        let retarget = Retarget::new(&from.skeleton, &scene.skeleton, &pairs);
        let mut num_lost = 0;
        let mut clips = Vec::with_capacity(from.clips.len());
        for clip in &from.clips {
            let keys = retarget.num_keys(clip).saturating_mul(pairs.len());
            memory.budget().charge(keys.saturating_mul(KEY) as u64).map_err(bindpose::Error::from)?;
            num_lost += retarget.unpaired(clip).len();
            clips.push(retarget.clip(clip));
        }
        scene.clips.extend(clips);
        scene.losses.extend(from.losses);
        if num_lost > 0 {
            let mut loss = Loss::from(Lost::Tracks);
            (loss.file, loss.count) = (shown(first), num_lost);
            scene.losses.push(loss);
        }
        Ok(())
    }

    /// Returns the bones of the same name, or of those that the table pairs.
    fn pairs(&self, from: &Scene, to: &Scene) -> Result<Vec<(usize, usize)>, Failure> {
        let rows = self.bones.as_deref().map_or_else(|| Ok(Vec::new()), names_table::read)?;
        let bones = rows.iter().filter(|(entity, _)| *entity == Entity::Bone);
        let table: HashMap<&str, &str> = bones.map(|(_, pair)| (&*pair.old, &*pair.new)).collect();
        let own = Names::new(to.skeleton.bones().iter().map(|bone| &*bone.name));
        let names = from.skeleton.bones().iter().map(|bone| &*bone.name);
        let found = own.pair(names.map(|name| table.get(name).copied().unwrap_or(name)));
        Ok(found.into_iter().enumerate().filter_map(|(bone, own)| Some((bone, own?))).collect())
    }
}
