//! Moves and re-times a model. Keys are relative to the bind pose, so they follow it.

use super::edit::{angles, local};
use crate::edit::{Rigid, unsupported};
use crate::{File, Result};

#[expect(clippy::unnecessary_wraps, reason = "other families can refuse")]
pub(in crate::formats) fn transform(files: &mut [File], motion: Rigid) -> Result<()> {
    for file in files {
        let File::Ms3d(model) = file else { continue };
        for vertex in model.vertices.iter_mut() {
            vertex.position = motion.point(vertex.position);
        }
        for triangle in model.triangles.iter_mut() {
            triangle.vertex_normals = triangle.vertex_normals.map(|normal| motion.direction(normal));
        }
        let parents = model.parents();
        for (joint, parent) in model.joints.iter_mut().zip(parents) {
            if parent.is_none() {
                let moved = motion.then(local(joint));
                joint.position = moved.translation.into();
                joint.rotation = angles(moved.rotation);
            }
        }
    }
    Ok(())
}

pub(in crate::formats) fn retime(file: &mut File, rate: f32) -> Result<bool> {
    let File::Ms3d(model) = file else { return Ok(false) };
    let old = model.animation.fps;
    if !(old > 0.0 && old.is_finite()) {
        return Err(unsupported("the frame rate of the file is not a positive number"));
    }
    for joint in model.joints.iter_mut() {
        let keys = joint.rotation_keys.iter_mut().chain(joint.position_keys.iter_mut());
        keys.for_each(|key| key.time *= old / rate);
    }
    model.animation.fps = rate;
    Ok(true)
}
