//! How engines play clips on the bones of a skeleton.

use super::{BONE, Builder, Lost, Skeleton};

/// Settings of bones by which an engine blends clips and fits them to a skeleton, as UNIGINE stores them. Poses of a scene do not
/// depend on them.
///
/// ```
/// use bindpose::scene::{Bone, BoneValues, Playback, Skeleton};
/// let upper_body = BoneValues { name: "upper body".into(), values: vec![0.0, 1.0] };
/// let playback = Playback { masks: vec![upper_body], ..Playback::default() };
/// let skeleton = Skeleton::new(vec![Bone::default(); 2]).0.with_playback(playback);
/// assert_eq!(skeleton.playback().masks[0].of(1), 1.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Playback {
    /// Shares of a clip in the pose of each bone, from 0 to 1: see [`Layer::shares`](super::Layer::shares).
    pub masks: Vec<BoneValues>,
    /// Factors on the speed at which each bone blends from one clip to the next.
    pub time_profiles: Vec<BoneValues>,
    /// Factors on the weight of a clip for each bone.
    pub weight_profiles: Vec<BoneValues>,
    /// How the translations of each bone are fitted. Bones without one have the default.
    pub retargeting: Vec<Retargeting>,
}

/// A named number for each bone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoneValues {
    /// The name.
    pub name: String,
    /// The numbers in the order of the bones; 1 for bones without one.
    pub values: Vec<f32>,
}

/// How the translations of a bone in clips for another skeleton are fitted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Retargeting {
    /// The translation that is used.
    pub mode: RetargetMode,
    /// The length of the bone in metres; none for that of the bind pose.
    pub length: Option<f32>,
}

/// The translation of a bone when a clip for another skeleton moves it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RetargetMode {
    /// That of the clip.
    #[default]
    Pose,
    /// That of the bind pose.
    Bind,
    /// That of the clip, in the proportion of the lengths of the bones.
    Proportion,
}

impl BoneValues {
    /// Returns the value of a bone.
    #[must_use]
    pub fn of(&self, bone: usize) -> f32 {
        self.values.get(bone).copied().unwrap_or(1.0)
    }

    /// Returns the memory in bytes of this name and a number of values.
    const fn memory_of(&self, values: usize) -> usize {
        size_of::<Self>() + self.name.len() + values.saturating_mul(size_of::<f32>())
    }
}

impl Playback {
    /// Returns the lists of named values: masks, then profiles.
    pub(crate) fn lists(&self) -> [&[BoneValues]; 3] {
        [&self.masks, &self.time_profiles, &self.weight_profiles]
    }

    pub(super) fn lists_mut(&mut self) -> [&mut Vec<BoneValues>; 3] {
        [&mut self.masks, &mut self.time_profiles, &mut self.weight_profiles]
    }

    /// Returns what is lost without these settings, and how much of it.
    pub(crate) fn losses(&self) -> impl Iterator<Item = (Lost, usize)> {
        let fitted = self.retargeting.iter().filter(|own| **own != Retargeting::default()).count();
        let lost = [
            (Lost::Masks, self.masks.len()),
            (Lost::BlendProfiles, self.time_profiles.len() + self.weight_profiles.len()),
            (Lost::Retargeting, fitted),
        ];
        lost.into_iter().filter(|(_, count)| *count > 0)
    }

    /// Returns the memory in bytes.
    pub(super) fn memory(&self) -> usize {
        let lists = self.lists().into_iter().flatten().map(|own| own.memory_of(own.values.len()));
        lists.sum::<usize>() + size_of_val(&*self.retargeting)
    }
}

impl Skeleton {
    /// Returns the settings of the bones by which an engine plays clips.
    #[must_use]
    pub const fn playback(&self) -> &Playback {
        &self.playback
    }

    /// Returns the same bones with other settings.
    #[must_use]
    pub fn with_playback(mut self, playback: Playback) -> Self {
        self.playback = playback;
        self
    }
}

impl Builder<'_> {
    /// Adds settings of bones, given the index in the scene of each bone that they are for.
    pub fn add_playback(&mut self, own: &Playback, bones: &[usize]) {
        for (list, all) in own.lists().into_iter().enumerate() {
            for own in all {
                if !self.admit(own.memory_of(extent(own.values.len(), bones)), "bones", &own.name) {
                    return;
                }
                let mut values = Vec::new();
                place(&own.values, bones, 1.0, &mut values);
                let own = BoneValues { name: own.name.clone(), values };
                self.skeleton_mut().playback.lists_mut()[list].push(own);
            }
        }
        let memory = extent(own.retargeting.len(), bones).saturating_mul(size_of::<Retargeting>());
        if self.admit(memory, "bones", BONE) {
            let known = &mut self.skeleton_mut().playback.retargeting;
            place(&own.retargeting, bones, Retargeting::default(), known);
        }
    }
}

/// Returns the number of values in the order of the scene, given the bones of the first `count` ones.
fn extent(count: usize, bones: &[usize]) -> usize {
    bones.iter().take(count).map(|bone| bone + 1).max().unwrap_or(0)
}

/// Puts values where the bones of the scene are.
fn place<T: Copy>(values: &[T], bones: &[usize], neutral: T, placed: &mut Vec<T>) {
    placed.resize(placed.len().max(extent(values.len(), bones)), neutral);
    for (value, bone) in values.iter().zip(bones) {
        placed[*bone] = *value;
    }
}
