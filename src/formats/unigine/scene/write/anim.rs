//! Writes animations: a file for each clip.

use glam::Quat;

use super::super::super::conventions::SPACE;
use super::super::super::{
    Anim10, Anim11, Anim12, AnimationName, Bounds, CInt, JointWeights, Key, Key11, KeyFlags, LongName, Name,
    QuantizedAnimation, QuantizedBox, Retarget, Table, Transform, UnigineAnim, UnigineSkeleton,
    compress_rotation,
};
use super::{
    AN10, AN11, AN12, Rig, SN10, Versions, long_names, names, skeleton_of, stores_bind_pose, transform,
};
use crate::scene::author::{
    Author, AuthorError, Authored, Authoring, Curves, FromScene, SceneContent, curves_of, is_whole,
};
use crate::scene::{
    BoneValues, Clip, FRAME_RATE, Lost, Placeholder, RetargetMode, Retargeting, SafeNames, Scene,
};
use crate::schema::Schema;
use crate::wire::{Counted, Rest};

impl FromScene for UnigineSkeleton {
    const HOLDS: &'static [SceneContent] = &[SceneContent::Skeleton, SceneContent::Playback];
    const VERSIONS: &'static [&'static str] = &[SN10];
    const EXTENSIONS: &'static [(&'static str, &'static str)] = &[("skeleton", SN10)];

    // All versions.
    fn stores_bind_pose(_: &Authoring) -> bool {
        true
    }

    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        let scene = author.scene();
        if author.settings().version.is_some() && Versions::of(author)?.skeleton.is_none() {
            return Err(AuthorError::empty("bones for a file of their own, as the version has none"));
        }
        if scene.skeleton.bones().is_empty() {
            return Err(AuthorError::empty("bones"));
        }
        let bound = author.bind_pose().into_owned();
        let rig = Rig::new(&bound, author)?;
        let playback = scene.skeleton.playback();
        let [masks, time_profiles, weight_profiles] = playback.lists();
        let file = Self {
            bones: rig.bones.into(),
            transforms: rig.transforms.into(),
            masks: joint_values("blend mask", masks, author)?,
            time_profiles: joint_values("blend time profile", time_profiles, author)?,
            weight_profiles: joint_values("blend weight profile", weight_profiles, author)?,
            retarget: retarget(&playback.retargeting, author),
            ..Self::blank(None)
        };
        Ok(vec![Authored { name: author.name().to_owned(), file }])
    }
}

/// Returns named values in the order of the joints.
fn joint_values(
    what: &'static str,
    all: &[BoneValues],
    author: &mut Author<'_>,
) -> Result<Counted<i32, JointWeights>, AuthorError> {
    let order = author.scene().skeleton.order();
    let memory = size_of::<JointWeights>() + size_of_val(order);
    author.charge(all.len().saturating_mul(memory), || format!("each {what}"))?;
    let fitted = author.fit_names(long_names(what), all.iter().map(|own| &*own.name));
    let values = |(own, name): (&BoneValues, &Vec<u8>)| JointWeights {
        name: LongName::new(name),
        values: order.iter().map(|bone| own.of(*bone)).collect::<Vec<_>>().into(),
    };
    Ok(all.iter().zip(&fitted).map(values).collect::<Vec<_>>().into())
}

/// Returns how the translations of each joint are fitted; nothing if all joints have the default.
fn retarget(own: &[Retargeting], author: &Author<'_>) -> Counted<i32, Retarget> {
    let space = author.space(SPACE);
    let joint = |bone: &usize| {
        let Retargeting { mode, length } = own.get(*bone).copied().unwrap_or_default();
        let mode = match mode {
            RetargetMode::Pose => 0,
            RetargetMode::Bind => 1,
            RetargetMode::Proportion => 2,
        };
        Retarget { mode, length: length.map_or(-1.0, |own| space.length(own)) }
    };
    let order = author.scene().skeleton.order();
    let joints = if own.is_empty() { &[] } else { order };
    joints.iter().map(joint).collect::<Vec<_>>().into()
}

impl FromScene for UnigineAnim {
    const HOLDS: &'static [SceneContent] = &[SceneContent::Clips, SceneContent::RootMotion];
    const VERSIONS: &'static [&'static str] = &[AN12, AN11, AN10];

    fn stores_bind_pose(settings: &Authoring) -> bool {
        stores_bind_pose(settings)
    }

    fn from_scene(author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        let id = Versions::of(author)?.anim;
        let scene = author.scene();
        let rig = Rig::new(&scene.skeleton, author)?;
        let mut clips = author.clips();
        clips.retain(|clip| {
            let moves = curves_of(clip, scene.skeleton.bones().len()).iter().any(Curves::are_any);
            if !moves {
                author.report_loss(Lost::StillClip.of("clip", &clip.name));
            }
            moves
        });
        if clips.is_empty() {
            return Err(AuthorError::empty("clips of bones"));
        }
        let files = file_names(author, &clips);
        let mut written = Vec::with_capacity(clips.len());
        for (clip, name) in clips.into_iter().zip(files) {
            let rate = if id == AN12 { Some(whole_rate(clip, author)) } else { None };
            let (bones, frames) = keys(clip, rate, scene, &rig, author)?;
            if clip.has_root_motion && id != AN12 {
                author.report_loss(Lost::RootMotion.of("clip", &clip.name));
            }
            let file = if id == AN10 {
                Self::Anim10(anim10(clip, bones, &frames.collect::<Vec<_>>(), &rig, author))
            } else {
                author.named_as_file(Placeholder::Clip, &clip.name, &name);
                let frames = complete(bones.len(), frames);
                match rate {
                    Some(rate) => Self::Anim12(Anim12 {
                        root_motion: u8::from(clip.has_root_motion),
                        ..anim12(bones, frames, rate, &rig, author)
                    }),
                    None => Self::Anim11(anim11(bones, frames, &rig)),
                }
            };
            written.push(Authored { name, file });
        }
        Ok(written)
    }
}

/// Returns a name for the file of each clip: that of the scene for a single clip, else that of the clip.
fn file_names(author: &Author<'_>, clips: &[&Clip]) -> Vec<String> {
    let own = author.name();
    if author.settings().names.is_some() {
        return clips.iter().map(|clip| author.part_name(Placeholder::Clip, &clip.name)).collect();
    }
    if clips.len() == 1 {
        return vec![own.to_owned()];
    }
    let mut taken = SafeNames::default();
    clips.iter().map(|clip| taken.add(&clip.name, "").to_string()).collect()
}

/// The memory of a frame without its keys.
const ROW: usize = 64;

/// The memory of a transform of a frame, and of its key in the file.
const CELL: usize = size_of::<Transform>() + 2 * size_of::<Key<u16>>();

/// Returns the rate of a clip that is a whole number, as an12 requires: a multiple with a frame for every key if a small one is,
/// or the usual one.
#[expect(clippy::cast_possible_truncation, reason = "casts of floats clamp")]
fn whole_rate(clip: &Clip, author: &Author<'_>) -> i32 {
    let rate = author.rate_of_all(&[clip]);
    let multiples = (1..=8_u8).map(|factor| rate * f32::from(factor));
    let given = author.settings().rate;
    multiples.into_iter().find(|rate| is_whole(*rate)).or(given).unwrap_or(FRAME_RATE).round().max(1.0) as i32
}

/// Samples a clip, and reports what its file does not store. Returns the animated bones, and their transforms in each frame.
/// A file without a rate is played at the usual one.
fn keys<'c>(
    clip: &'c Clip,
    rate: Option<i32>,
    scene: &Scene,
    rig: &Rig,
    author: &mut Author<'_>,
) -> Result<(Vec<i16>, impl Iterator<Item = Vec<Transform>> + use<'c>), AuthorError> {
    let curves = curves_of(clip, scene.skeleton.bones().len()).into_iter().enumerate();
    let moving: Vec<usize> = curves.filter(|(_, own)| own.are_any()).map(|(bone, _)| bone).collect();
    let memory = ROW + moving.len() * CELL;
    #[expect(clippy::cast_precision_loss, reason = "rates are small")]
    let frames = match rate {
        Some(rate) => author.frames_at_whole(clip, rate as f32, memory)?,
        None => author.frames_without_rate(clip, memory)?,
    };
    let bones = moving.iter().map(|bone| rig.place(*bone)).collect();
    let space = author.space(SPACE);
    let mut before = vec![Quat::IDENTITY; moving.len()];
    let frames = author.sample(clip, &scene.skeleton, frames).map(move |pose| {
        let frame = moving.iter().zip(&mut before).map(|(bone, before)| {
            let mut own = pose[*bone];
            // Of the two quaternions of a rotation, the nearer one to the previous frame.
            own.rotation = if own.rotation.dot(*before) < 0.0 { -own.rotation } else { own.rotation };
            *before = own.rotation;
            transform(&own, space)
        });
        frame.collect()
    });
    Ok((bones, frames))
}

fn anim10(
    clip: &Clip,
    bones: Vec<i16>,
    keys: &[Vec<Transform>],
    rig: &Rig,
    author: &mut Author<'_>,
) -> Anim10 {
    let bind = |bone: i16| usize::try_from(bone).ok().and_then(|bone| rig.transforms.get(bone));
    let is_scaled = keys.iter().flat_map(|frame| frame.iter().zip(&bones)).any(|(own, bone)| {
        bind(*bone).is_some_and(|bind| {
            own.scale.iter().zip(bind.scale).any(|(own, bind)| own.to_bits() != bind.to_bits())
        })
    });
    let all = || keys.iter().flatten();
    let positions = QuantizedBox::around(all().map(|own| own.position));
    let scales = QuantizedBox::around(all().map(|own| own.scale).filter(|_| is_scaled));
    let mut frames = Table::new(bones.len());
    let mut mask = 0;
    let mut last: Vec<Key<u16>> = Vec::new();
    for frame in keys {
        let full: Vec<Key<u16>> =
            frame.iter().map(|own| quantized(own, &positions, is_scaled.then_some(&scales))).collect();
        let cells: Vec<_> = if last.is_empty() {
            full.clone()
        } else {
            full.iter().zip(&last).map(|(own, last)| changed(own, last)).collect()
        };
        mask |= cells.iter().fold(0, |mask, own| mask | own.flags.raw());
        // Keys of this type always re-encode identically.
        let _ = frames.push(cells);
        last = full;
    }
    let fitted = author.fit_names(names("clip"), [&*clip.name]);
    let names = fitted.iter().map(|name| AnimationName { name: Name::new(name) });
    let animation = QuantizedAnimation {
        bone_indices: bones.into(),
        positions,
        scales,
        mask: KeyFlags::from_raw(mask),
        frames,
    };
    Anim10 {
        id: Schema::get(Anim10::MAGIC),
        bounds: Bounds::EMPTY,
        bones: rig.bones.clone().into(),
        names: names.collect::<Vec<_>>().into(),
        middle_id: Schema::get(Anim10::MAGIC),
        transforms: rig.transforms.clone().into(),
        animations: vec![animation].into(),
        tail_id: Schema::get(Anim10::MAGIC),
        rest: Rest::default(),
    }
}

/// Returns the key of a transform, with all components.
fn quantized(own: &Transform, positions: &QuantizedBox, scales: Option<&QuantizedBox>) -> Key<u16> {
    let position = |axis: usize| Some(positions.quantize(axis, own.position[axis]).unwrap_or_default());
    let scale = |axis: usize| Some(scales?.quantize(axis, own.scale[axis]).unwrap_or_default());
    let mut key = Key {
        position_x: position(0),
        position_y: position(1),
        position_z: position(2),
        rotation: Some(compress_rotation(own.rotation)),
        scale_x: scale(0),
        scale_y: scale(1),
        scale_z: scale(2),
        ..Key::default()
    };
    key.flag();
    key
}

/// Returns the components of a key that differ from those of the previous frame.
fn changed(own: &Key<u16>, last: &Key<u16>) -> Key<u16> {
    let part = |own: Option<u16>, last: Option<u16>| own.filter(|_| own != last);
    let mut key = Key {
        position_x: part(own.position_x, last.position_x),
        position_y: part(own.position_y, last.position_y),
        position_z: part(own.position_z, last.position_z),
        rotation: own.rotation.filter(|_| own.rotation != last.rotation),
        scale_x: part(own.scale_x, last.scale_x),
        scale_y: part(own.scale_y, last.scale_y),
        scale_z: part(own.scale_z, last.scale_z),
        ..Key::default()
    };
    key.flag();
    key
}

/// Each frame is complete; a missing scale is 1.
fn complete(num_bones: usize, keys: impl Iterator<Item = Vec<Transform>>) -> Table<CInt, Key11> {
    let mut frames = Table::new(num_bones);
    for frame in keys {
        let cells = frame.iter().map(|own| {
            let is_scaled = own.scale.iter().any(|factor| factor.to_bits() != 1.0_f32.to_bits());
            let mut key = Key11 {
                position: Some(own.position),
                rotation: Some(own.rotation),
                scale: is_scaled.then_some(own.scale),
                ..Key11::default()
            };
            key.flags.set_position(true);
            key.flags.set_rotation(true);
            key.flags.set_scale(is_scaled);
            key
        });
        // Keys of this type always re-encode identically.
        let _ = frames.push(cells);
    }
    frames
}

fn anim12(
    bones: Vec<i16>,
    frames: Table<CInt, Key11>,
    frame_rate: i32,
    rig: &Rig,
    author: &Author<'_>,
) -> Anim12 {
    let id = Schema::get(Anim12::MAGIC);
    Anim12 {
        id,
        bones: rig.bones.clone().into(),
        skeleton: skeleton_of(author),
        bone_indices: bones.into(),
        frame_rate,
        root_motion: 0,
        middle_id: id,
        frames,
        tail_id: id,
        rest: Rest::default(),
    }
}

fn anim11(bones: Vec<i16>, frames: Table<CInt, Key11>, rig: &Rig) -> Anim11 {
    Anim11 {
        id: Schema::get(Anim11::MAGIC),
        bones: rig.bones.clone().into(),
        middle_id: Schema::get(Anim11::MAGIC),
        transforms: rig.transforms.clone().into(),
        bone_indices: bones.into(),
        frames,
        tail_id: Schema::get(Anim11::MAGIC),
        rest: Rest::default(),
    }
}
