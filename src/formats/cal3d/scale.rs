//! Scales skeletons, animations and meshes.

use super::edit::binary;
use super::{KEEPS_BIND_POSE, Morphs, Track};
use crate::edit::{times, unsupported};
use crate::{File, Result};

pub(in crate::formats) fn scale(file: &mut File, factor: f32) -> Result<()> {
    match file {
        File::Cal3dSkeleton(skeleton) => {
            for bone in binary(skeleton)?.bones.iter_mut() {
                times(bone.translation.iter_mut().chain(&mut bone.local_translation), factor);
            }
        }
        File::Cal3dAnimation(animation) => {
            for track in binary(animation)?.tracks.iter_mut() {
                match track {
                    Track::Plain(own) => {
                        let moved = own.keys.iter_mut().filter(|key| key.translation != KEEPS_BIND_POSE);
                        moved.for_each(|key| times(&mut key.translation, factor));
                    }
                    Track::Quantized(own) => {
                        times(own.translation_min.iter_mut().chain(&mut own.translation_scale), factor);
                    }
                    Track::Packed(_) => return Err(unsupported("packed tracks of Cal3D have a fixed scale")),
                }
            }
        }
        File::Cal3dMesh(mesh) => {
            for submesh in binary(mesh)?.submeshes.iter_mut() {
                submesh.vertices.iter_mut().for_each(|own| times(&mut own.position, factor));
                submesh.springs.iter_mut().for_each(|own| own.rest_length *= factor);
                match &mut submesh.morphs {
                    None => {}
                    Some(Morphs::Counted(own)) => {
                        let vertices = own.iter_mut().flat_map(|own| own.vertices.iter_mut());
                        vertices.for_each(|own| times(&mut own.position, factor));
                    }
                    Some(Morphs::Ended(own)) => {
                        let vertices = own.iter_mut().flat_map(|own| own.vertices.iter_mut());
                        vertices.for_each(|own| times(&mut own.position, factor));
                    }
                }
            }
        }
        _ => {}
    }
    Ok(())
}
