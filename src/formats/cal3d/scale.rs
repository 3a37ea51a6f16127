//! Scales skeletons, animations and meshes.

use super::Track;
use crate::edit::times;
use crate::{Budget, File, Result, schema};

/// Packed tracks have no lengths of their own: they are unpacked, or their quantised numbers change.
pub(in crate::formats) fn scale(file: &mut File, factor: f32, _: &Budget) -> Result<()> {
    match file {
        File::Cal3dSkeleton(own) => own.change(|own, _| schema::scale(own, factor)),
        File::Cal3dMesh(own) => own.change(|own, _| schema::scale(own, factor)),
        File::Cal3dAnimation(own) => own.change(|own, dialect| {
            own.unpack(dialect, &|track| matches!(track, Track::Packed(own) if own.header.has_position()));
            schema::scale(own, factor)?;
            for track in own.tracks.iter_mut() {
                let Track::Packed(own) = track else { continue };
                own.change(|translation, _| times(translation.iter_mut().flatten(), factor))?;
            }
            Ok(())
        }),
        _ => Ok(()),
    }
}
