//! Moves meshes and animations, and sets the frame rate of animations.

use std::collections::HashSet;

use super::conventions::{mirrored, orientation, rotation};
use super::edit::{as_read, first_mut, parents, skeletons};
use super::{Bone, Chunk, Psa, Psk, Records, Sequence};
use crate::edit::{Rigid, unsupported};
use crate::hierarchy::roots;
use crate::wire::escape;
use crate::{Budget, File, Result};

pub(in crate::formats) fn transform(files: &mut [File], motion: Rigid, _: &Budget) -> Result<()> {
    let skeletons = skeletons(files, &|_, parent| parent.is_none())?;
    for file in files {
        match file {
            File::Psk(mesh) => mesh.transform(motion)?,
            File::Psa(animations) => animations.transform(motion, &skeletons)?,
            _ => {}
        }
    }
    Ok(())
}

pub(in crate::formats) fn retime(file: &mut File, rate: f32) -> Result<bool> {
    let File::Psa(animations) = file else { return Ok(false) };
    animations.has_rates()?;
    animations.retime(rate);
    Ok(true)
}

/// Returns the place of a root after the motion.
fn placed(position: [f32; 3], turned: [f32; 4], motion: Rigid) -> ([f32; 3], [f32; 4]) {
    let moved = motion.then(Rigid::new(position, rotation(turned, true)));
    (moved.translation.into(), orientation(moved.rotation, true))
}

fn move_roots(bones: &mut [Bone], is_root: &[bool], motion: Rigid) {
    for (bone, _) in bones.iter_mut().zip(is_root).filter(|(_, is_root)| **is_root) {
        (bone.position, bone.orientation) = placed(bone.position, bone.orientation, motion);
    }
}

fn refused(chunk: &Chunk) -> crate::Error {
    unsupported(&format!("the records of the chunk `{}` cannot be moved", escape(chunk.id.text())))
}

impl Psk {
    fn transform(&mut self, motion: Rigid) -> Result<()> {
        let names: HashSet<_> = self.bones().iter().map(|bone| as_read(bone.name.text())).collect();
        let is_root = roots(parents(self.bones()));
        let delta = |own: [f32; 3]| mirrored(motion.direction(mirrored(own)));
        for chunk in self.chunks.iter_mut() {
            let is_empty = chunk.records.is_empty();
            match &mut chunk.records {
                Records::Points(own) => own.iter_mut().for_each(|own| *own = motion.point(*own)),
                Records::Normals(own) => own.iter_mut().for_each(|own| *own = motion.direction(*own)),
                Records::Tangents(own) => own.iter_mut().for_each(|own| *own = motion.tangent(*own)),
                Records::Bones(own) => move_roots(own, &is_root, motion),
                Records::MorphDeltas(own) => {
                    for own in own.iter_mut() {
                        own.position_delta = delta(own.position_delta);
                        own.normal_delta = delta(own.normal_delta);
                    }
                }
                Records::Sockets(own) => {
                    let is_free = |own: &super::Socket| !names.contains(&as_read(own.bone_name.text()));
                    if own.iter().any(is_free) {
                        return Err(unsupported("the file has sockets that are not on a bone"));
                    }
                }
                Records::MorphTargets(_) | Records::WorldActors(_) | Records::Landscapes(_) if !is_empty => {
                    return Err(refused(chunk));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Psa {
    /// Sets the rate of all sequences, and the times in seconds that follow from it.
    fn retime(&mut self, rate: f32) {
        let mut clips: Vec<_> = self
            .clips()
            .map(|own| (own.first_key..own.first_key + own.keys.map_or(0, <[_]>::len), own.sequence.clone()))
            .collect();
        clips.sort_by_key(|(keys, _)| keys.start);
        if let Some(keys) = first_mut!(self.chunks, Keys) {
            // Sequences may share keys.
            let mut done = 0;
            for (range, sequence) in clips {
                let end = range.end.max(done);
                for key in &mut keys[range.start.max(done)..end] {
                    key.time = sequence.key_time_with(key.time, rate);
                }
                done = end;
            }
        }
        for chunk in self.chunks.iter_mut() {
            let Records::Sequences(sequences) = &mut chunk.records else { continue };
            for own in sequences.iter_mut() {
                own.track_time = own.track_time_with(own.num_raw_frames, rate);
                own.rate = rate;
            }
        }
    }

    fn transform(&mut self, motion: Rigid, skeletons: &[Vec<Bone>]) -> Result<()> {
        let is_root = self.roots(skeletons);
        let count = is_root.len();
        let is_whole = |own: &Sequence| usize::try_from(own.total_bones) == Ok(count);
        if !self.sequences().iter().all(is_whole) || !self.keys().len().is_multiple_of(count.max(1)) {
            return Err(unsupported("the sequences have another number of bones than the file"));
        }
        for chunk in self.chunks.iter_mut() {
            let is_empty = chunk.records.is_empty();
            match &mut chunk.records {
                Records::Bones(own) => move_roots(own, &is_root, motion),
                Records::Keys(own) => {
                    let keys = own.iter_mut().zip(is_root.iter().cycle());
                    for (key, _) in keys.filter(|(_, is_root)| **is_root) {
                        (key.position, key.orientation) = placed(key.position, key.orientation, motion);
                    }
                }
                Records::PositionTrack(_) | Records::RotationTrack(_) if !is_empty => {
                    return Err(refused(chunk));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
