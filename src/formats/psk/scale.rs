//! Scales meshes and animations.

use super::Records;
use crate::edit::times;
use crate::{Budget, File, Result};

#[expect(clippy::unnecessary_wraps, reason = "other families can refuse")]
pub(in crate::formats) fn scale(file: &mut File, factor: f32, _: &Budget) -> Result<()> {
    let chunks = match file {
        File::Psk(mesh) => &mut mesh.chunks,
        File::Psa(animations) => &mut animations.chunks,
        _ => return Ok(()),
    };
    for chunk in chunks.iter_mut() {
        match &mut chunk.records {
            Records::Points(own) => own.iter_mut().for_each(|own| times(own, factor)),
            Records::Bones(own) => own.iter_mut().for_each(|own| times(&mut own.position, factor)),
            Records::Sockets(own) => own.iter_mut().for_each(|own| times(&mut own.location, factor)),
            Records::MorphDeltas(own) => {
                own.iter_mut().for_each(|own| times(&mut own.position_delta, factor));
            }
            Records::Keys(own) => own.iter_mut().for_each(|own| times(&mut own.position, factor)),
            Records::MorphTargets(own) => own.iter_mut().for_each(|own| times(&mut own.position, factor)),
            Records::PositionTrack(own) => own.iter_mut().for_each(|own| times(&mut own.position, factor)),
            Records::PhysicsBodies(own) => {
                own.iter_mut().for_each(|own| times(own.offset.iter_mut().chain(&mut own.scale), factor));
            }
            Records::ShapeElements(own) => {
                own.iter_mut().for_each(|own| times(own.center.iter_mut().chain(&mut own.scale), factor));
            }
            Records::WorldActors(own) => own.iter_mut().for_each(|own| times(&mut own.position, factor)),
            Records::Landscapes(own) => own.iter_mut().for_each(|own| times(&mut own.position, factor)),
            _ => {}
        }
    }
    Ok(())
}
