//! A second animation over the one that is shown.

use clap::Args;

use super::find_clip;
use crate::exit::{Exit, Failure};
use crate::limits::Memory;
use bindpose::scene::{Clip, Layer, Scene, Transform};

/// The arguments of a second animation.
#[derive(Args)]
pub(super) struct BlendArgs {
    /// Blend the animation CLIP over that of --clip; in pictures only
    #[arg(long, value_name = "CLIP", requires = "clip", help_heading = "View options")]
    blend: Option<String>,
    /// Share of the blended animation in BONE and the bones below it, from 0 to 1; other bones follow --clip alone. Repeat it
    /// for several bones [default: 0.5 for all bones]
    #[arg(long = "mask", value_name = "BONE=SHARE", requires = "blend", value_parser = mask, help_heading = "View options")]
    masks: Vec<Mask>,
}

/// The share of a bone and those below it.
#[derive(Clone)]
struct Mask {
    bone: String,
    share: f32,
}

fn mask(text: &str) -> Result<Mask, String> {
    let (bone, share) = text.rsplit_once('=').ok_or("expected BONE=SHARE, such as Spine=0.5")?;
    let share = share.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    Ok(Mask { bone: bone.into(), share: share.ok_or("expected a share from 0 to 1, such as Spine=0.5")? })
}

/// The memory for each bone at each time: of its pose and of its keys.
const MEMORY: usize = 4 * size_of::<Transform>();

impl BlendArgs {
    /// Whether there is a second animation.
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
    ) -> Result<Option<Clip>, Failure> {
        let (Some(under), Some(over)) = (clip, &self.blend) else { return Ok(None) };
        let num_bones = scene.skeleton.bones().len();
        let shares = if self.masks.is_empty() {
            vec![0.5; num_bones]
        } else {
            let masks = self.masks.iter().map(|own| Ok((scene.find_bone(&own.bone)?, own.share)));
            let masks: Result<Vec<_>, bindpose::schema::EditError> = masks.collect();
            scene.skeleton.shares(masks.map_err(|why| Failure::new(Exit::Usage, format!("--mask: {why}")))?)
        };
        memory.budget().charge((num_bones * times.len() * MEMORY) as u64).map_err(bindpose::Error::from)?;
        let layers = [Layer::of(under), Layer { shares, ..Layer::of(find_clip(scene, over)?) }];
        Ok(Some(Clip::of_layers(under.name.clone(), &scene.skeleton, &layers, times)))
    }
}
