//! A second animation over the one that is shown.

use super::find_clip;
use crate::prelude::*;
use bindpose::scene::{Clip, Layer, Scene, Transform};

#[derive(Args)]
pub(super) struct BlendArgs {
    /// Blend the animation CLIP over that of --clip; in pictures only
    #[arg(long, value_name = "CLIP", requires = "clip", help_heading = "View options")]
    blend: Option<String>,
    /// Share of the blended animation in BONE and the bones below it, from 0 to 1; other bones follow --clip alone. Repeat it
    /// for several bones, or give the name of a blend mask of the skeleton [default: 0.5 for all bones]
    #[arg(long = "mask", value_name = "BONE=SHARE|MASK", requires = "blend", value_parser = mask, help_heading = "View options")]
    masks: Vec<Mask>,
}

/// Shares of the blended animation.
#[derive(Clone)]
enum Mask {
    /// The share of a bone and those below it.
    Bone { name: String, share: f32 },
    /// The shares of a blend mask.
    Named(String),
}

fn mask(text: &str) -> Result<Mask, String> {
    let Some((bone, share)) = text.rsplit_once('=') else { return Ok(Mask::Named(text.into())) };
    let share = share.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    let share =
        share.ok_or("expected a share from 0 to 1, such as Spine=0.5, or the name of a blend mask")?;
    Ok(Mask::Bone { name: bone.into(), share })
}

/// Returns the share of the second animation in each bone; without masks the half.
fn shares(masks: &[Mask], scene: &Scene) -> Result<Vec<f32>> {
    let refuse = |why: &dyn std::fmt::Display| Failure::usage(format!("--mask: {why}"));
    let num_bones = scene.skeleton.bones().len();
    let mut of_bones = Vec::new();
    for mask in masks {
        match mask {
            Mask::Bone { name, share } => {
                of_bones.push((scene.find_bone(name).map_err(|why| refuse(&why))?, *share));
            }
            Mask::Named(name) if masks.len() == 1 => {
                let mask = scene.find_mask(name).map_err(|why| refuse(&why))?;
                let mask = &scene.skeleton.playback().masks[mask];
                let shares: Vec<f32> = (0..num_bones).map(|bone| mask.of(bone)).collect();
                if shares.iter().all(|share| (0.0..=1.0).contains(share)) {
                    return Ok(shares);
                }
                return Err(refuse(&format!("`{name}` has shares that are not from 0 to 1")));
            }
            Mask::Named(_) => {
                return Err(refuse(&"a blend mask states the share of every bone, so there can be no other"));
            }
        }
    }
    Ok(if masks.is_empty() { vec![0.5; num_bones] } else { scene.skeleton.shares(of_bones) })
}

/// The memory for each bone at each time: of its pose and of its keys.
const MEMORY: usize = 4 * size_of::<Transform>();

impl BlendArgs {
    pub fn is_given(&self) -> bool {
        self.blend.is_some()
    }

    /// Returns the animation with the second one over it at these times; none if there is no second one.
    pub fn over(
        &self,
        clip: Option<&Clip>,
        scene: &Scene,
        times: &[f32],
        memory: &Memory,
    ) -> Result<Option<Clip>> {
        let (Some(under), Some(over)) = (clip, &self.blend) else { return Ok(None) };
        let num_bones = scene.skeleton.bones().len();
        let shares = shares(&self.masks, scene)?;
        memory.budget().charge((num_bones * times.len() * MEMORY) as u64).map_err(bindpose::Error::from)?;
        let layers = [Layer::of(under), Layer { shares, ..Layer::of(find_clip(scene, over)?) }];
        Ok(Some(Clip::of_layers(under.name.clone(), &scene.skeleton, &layers, times)))
    }
}
