//! Clips of another skeleton.

use std::collections::HashSet;

use super::load::{Content, Loaded, Nodes};
use super::names_table;
use super::scene::scene_of;
use crate::prelude::*;
use bindpose::edit::Entity;
use bindpose::scene::author::morph_curves;
use bindpose::scene::{
    Clip, Curve, Loss, LossKind, Lost, MorphTrack, Names, Retarget, Scene, Settings, Targets, Transform,
};

#[derive(Args, Clone, Default, PartialEq)]
pub(super) struct RetargetArgs {
    /// Add the clips of FILE, which is of another skeleton; repeat it for the files of a set
    ///
    /// A bone turns in model space as far from its bind pose as the bone of its name in FILE, whatever the axes of both. Lengths of
    /// bones stay; displacements are in proportion to them. Bones without a pair keep their bind pose. Both skeletons must have the
    /// same pose and orientation in their bind poses. Other options for the input apply to FILE, too.
    #[arg(long, value_name = "FILE", help_heading = "Conventions of the input")]
    retarget: Vec<PathBuf>,
    /// Pair bones of other names by a table of lines OLD,NEW: the name in the files of --retarget, and that in the input
    #[arg(long, value_name = "TABLE.csv", requires = "retarget", help_heading = "Conventions of the input")]
    bones: Option<PathBuf>,
}

/// The memory of a key of a bone while a clip is made: of its pose and of its keys.
const KEY: usize = 4 * size_of::<Transform>();

impl RetargetArgs {
    pub fn apply(
        &self,
        scene: &mut Scene,
        settings: &Settings,
        memory: &Memory,
        common: Common,
    ) -> Result<()> {
        let Some(first) = self.retarget.first() else { return Ok(()) };
        let refuse = |why: &str, help: &str| {
            Err(Failure::usage(format!("--retarget: {why}")).in_file(first).with_help(help))
        };
        let load = |path: &PathBuf| {
            let content = Content::of(&Item::named(path, None), memory, Nodes::Used, common);
            // Only files of the input are skipped if their format is unknown.
            let content = content.map_err(|failure| Failure { cause: Cause::Other, ..failure })?;
            Ok((path.as_path().into(), content))
        };
        let files = self.retarget.iter().map(load).collect::<Result<Vec<Loaded>>>()?;
        let from = scene_of(&files, settings, memory)?;
        if from.clips.is_empty() {
            return refuse("the files have no clips", "name the animations of the mesh, too");
        }
        let pairs = self.pairs(&from, scene)?;
        if pairs.is_empty() {
            return refuse("no bone has the name of one in the input", "pair them with --bones TABLE.csv");
        }
        let retarget = Retarget::new(&from.skeleton, &scene.skeleton, &pairs);
        if !retarget.has_bind_pose() {
            return refuse(
                "the bones have no bind pose",
                "name the mesh or the skeleton of the animations, too",
            );
        }
        let mut unpaired = HashSet::new();
        let mut clips = Vec::with_capacity(from.clips.len());
        for own in &from.clips {
            let keys = retarget.most_keys(own);
            // Of the bones without a pair only the place.
            let bones = from.skeleton.bones().len() + scene.skeleton.bones().len();
            let needed = pairs.len().saturating_mul(KEY).saturating_add(bones * size_of::<f32>());
            let needed = keys.saturating_mul(needed) as u64;
            memory.budget().charge(needed).map_err(bindpose::Error::from)?;
            unpaired.extend(retarget.unpaired(own));
            let morphs = morph_curves(own, &from.meshes).into_iter();
            let morph = |(name, weight): (String, &Curve<f32>)| MorphTrack {
                targets: Targets::Named(name),
                weight: weight.clone(),
            };
            clips.push(Clip { morphs: morphs.map(morph).collect(), ..retarget.clip(own) });
        }
        scene.clips.extend(clips);
        // What is lost of the meshes does not matter.
        scene.losses.extend(from.losses.into_iter().filter(|loss| loss.kind() == LossKind::Motion));
        if !unpaired.is_empty() {
            let mut loss = Loss::from(Lost::UnpairedBones);
            (loss.file, loss.count) = (shown(first), unpaired.len());
            scene.losses.push(loss);
        }
        Ok(())
    }

    /// Returns the bones that the table pairs, and others of the same name.
    fn pairs(&self, from: &Scene, to: &Scene) -> Result<Vec<(usize, usize)>> {
        let mut pairs = Vec::new();
        if let Some(table) = &self.bones {
            let blame = |why: String| Failure::usage(why).in_file(table);
            let (others, own) = (Names::new(names(from)), Names::new(names(to)));
            for (_, pair) in names_table::read(table)?.iter().filter(|(entity, _)| *entity == Entity::Bone) {
                let found = |names: &Names, name: &str, files: &str| {
                    names.find(name).ok_or_else(|| blame(format!("{files} have no bone `{name}`")))
                };
                let old = found(&others, &pair.old, "the files of --retarget")?;
                pairs.push((old, found(&own, &pair.new, "the files of the input")?));
            }
        }
        let twice = || Failure::usage("--bones: two lines pair the same bone");
        Retarget::pairs(&from.skeleton, &to.skeleton, pairs).ok_or_else(twice)
    }
}

fn names(scene: &Scene) -> impl Iterator<Item = &str> {
    scene.skeleton.bones().iter().map(|bone| &*bone.name)
}
