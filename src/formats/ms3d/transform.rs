//! Moves and re-times a model. Keys are relative to the bind pose, so they follow it.

use super::Ms3d;
use super::conventions::{self, angles};
use super::edit::local;
use crate::edit::{Rigid, unsupported};
use crate::hierarchy::roots;
use crate::{Budget, File, Result};

#[expect(clippy::unnecessary_wraps, reason = "other families can refuse")]
pub(in crate::formats) fn transform(files: &mut [File], motion: Rigid, _: &Budget) -> Result<()> {
    for file in files {
        let File::Ms3d(model) = file else { continue };
        for vertex in model.vertices.iter_mut() {
            vertex.position = motion.point(vertex.position);
        }
        for triangle in model.triangles.iter_mut() {
            triangle.vertex_normals = triangle.vertex_normals.map(|normal| motion.direction(normal));
        }
        let is_root = roots(model.parents());
        for (joint, _) in model.joints.iter_mut().zip(is_root).filter(|(_, is_root)| *is_root) {
            let moved = motion.then(local(joint));
            joint.position = moved.translation.into();
            joint.rotation = angles(moved.rotation);
        }
    }
    Ok(())
}

pub(in crate::formats) fn retime(file: &mut File, rate: f32) -> Result<bool> {
    let File::Ms3d(model) = file else { return Ok(false) };
    let ratio = model.finite_rate()? / conventions::rate(rate);
    for joint in model.joints.iter_mut() {
        let keys = joint.rotation_keys.iter_mut().chain(joint.position_keys.iter_mut());
        keys.for_each(|key| key.time *= ratio);
    }
    model.animation.fps = rate;
    Ok(true)
}

/// Keys have times, so only the numbers of frames follow.
pub(in crate::formats) fn resample(file: &mut File, rate: f32, _: &Budget) -> Result<bool> {
    let File::Ms3d(model) = file else { return Ok(false) };
    let ratio = f64::from(conventions::rate(rate)) / f64::from(model.finite_rate()?);
    let frames = f64::from(model.animation.total_frames) * ratio;
    #[expect(clippy::cast_possible_truncation, reason = "casts of floats clamp")]
    {
        // Keys at the end stay within, whatever the rounding.
        model.animation.total_frames = (frames * (1.0 - f64::from(f32::EPSILON))).ceil() as i32;
        // Frames are counted from 1.
        model.animation.current_time = ((f64::from(model.animation.current_time) - 1.0) * ratio + 1.0) as f32;
    }
    model.scale_ranges(ratio);
    model.animation.fps = rate;
    Ok(true)
}

impl Ms3d {
    fn finite_rate(&self) -> Result<f32> {
        let rate = conventions::rate(self.animation.fps);
        rate.is_finite()
            .then_some(rate)
            .ok_or_else(|| unsupported("the frame rate of the file is not finite"))
    }
}
