//! Scales skeletons, animations and meshes.

use super::{KEEPS_BIND_POSE, Track};
use crate::edit::times;
use crate::{Budget, File, Result};

pub(in crate::formats) fn scale(file: &mut File, factor: f32, _: &Budget) -> Result<()> {
    match file {
        File::Cal3dSkeleton(skeleton) => skeleton.change(|skeleton, _| {
            for bone in skeleton.bones.iter_mut() {
                times(bone.translation.iter_mut().chain(&mut bone.local_translation), factor);
            }
            Ok(())
        }),
        File::Cal3dAnimation(animation) => animation.change(|animation, dialect| {
            animation
                .unpack(dialect, &|track| matches!(track, Track::Packed(own) if own.header.has_position()));
            for track in animation.tracks.iter_mut() {
                match track {
                    Track::Plain(own) => {
                        let moved = own.keys.iter_mut().filter(|key| key.translation != KEEPS_BIND_POSE);
                        moved.for_each(|key| times(&mut key.translation, factor));
                    }
                    Track::Quantized(own) => {
                        times(own.translation_min.iter_mut().chain(&mut own.translation_scale), factor);
                    }
                    Track::Packed(own) => own.change(|translation, _| {
                        if let Some(own) = translation {
                            times(own, factor);
                        }
                    })?,
                }
            }
            Ok(())
        }),
        File::Cal3dMesh(mesh) => mesh.change(|mesh, _| {
            for submesh in mesh.submeshes.iter_mut() {
                submesh.vertices.iter_mut().for_each(|own| times(&mut own.position, factor));
                submesh.springs.iter_mut().for_each(|own| own.rest_length *= factor);
                if let Some(morphs) = &mut submesh.morphs {
                    morphs.vertices_mut().for_each(|own| times(&mut own.position, factor));
                }
            }
            Ok(())
        }),
        _ => Ok(()),
    }
}
