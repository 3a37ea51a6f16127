//! What real UNIGINE animations have in common.

use bindpose::File;
use bindpose::formats::unigine::{Anim10, Transform, UnigineAnim};
use glam::Vec3;

use crate::folders;

/// Real an10 files that say how their bones stand, and move them.
fn real_animations() -> Vec<(String, Anim10)> {
    let files = folders::named("BINDPOSE_CORPUS")
        .into_iter()
        .flat_map(|folder| folders::files(&folder).collect::<Vec<_>>());
    files
        .filter_map(|(path, bytes)| {
            let name = path.file_name()?.to_str()?.to_owned();
            let (kind, options) = folders::kind(&path, &bytes).filter(|_| !name.starts_with("syn"))?;
            let File::UnigineAnim(file) = kind.decode(&bytes, &options).ok()? else { return None };
            let UnigineAnim::Anim10(anim) = *file else { return None };
            (!anim.animations.is_empty()).then_some((name, anim))
        })
        .collect()
}

/// The first frame of a clip shows each bone as its own transform says, within what 16 bits can say. One exporter wrote
/// those transforms in centimetres beside keys in metres; there no bone agrees.
#[test]
fn first_frames_of_real_animations_show_all_bones_as_they_stand_or_none() {
    let animations = real_animations();
    let mut agreeing = 0;
    for (name, anim) in &animations {
        let step = Vec3::from(anim.animations[0].positions.size).max_element() / 65535.0;
        let first = |bone| Some(Vec3::from(anim.transform(0, 0, bone)?.position));
        let stands = |(bone, bind): (usize, &Transform)| {
            first(bone).map(|first| first.abs_diff_eq(Vec3::from(bind.position), 2.0 * step))
        };
        let bones: Vec<bool> = anim.transforms.iter().enumerate().filter_map(stands).collect();
        let agree = bones.iter().filter(|agrees| **agrees).count();
        assert!(agree == 0 || agree * 4 >= bones.len() * 3, "{name}: {agree} of {}", bones.len());
        agreeing += usize::from(agree > 0);
    }
    assert!(agreeing > 0 || animations.is_empty());
}
