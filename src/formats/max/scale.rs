//! Scales streams. The translation of a matrix is its last row.

use super::{Bones, Faces, Frames};
use crate::edit::times;
use crate::{Budget, File, Result};

#[expect(clippy::unnecessary_wraps, reason = "other families can refuse")]
pub(in crate::formats) fn scale(file: &mut File, factor: f32, _: &Budget) -> Result<()> {
    match file {
        File::MaxSkeleton(skeleton) => match &mut skeleton.bones {
            Bones::M52(own) => own.iter_mut().for_each(|own| times(&mut own.matrix.rows[3], factor)),
            Bones::M48(own) => own.iter_mut().for_each(|own| times(&mut own.matrix.rows[3], factor)),
            Bones::M64(own) => own.iter_mut().for_each(|own| times(&mut own.matrix.rows[3][..3], factor)),
        },
        File::MaxAnimation(animation) => match &mut animation.matrices {
            Frames::M52(own) => own.iter_mut().for_each(|own| times(&mut own.rows[3], factor)),
            Frames::M48(own) => own.iter_mut().for_each(|own| times(&mut own.rows[3], factor)),
            Frames::M64(own) => own.iter_mut().for_each(|own| times(&mut own.rows[3][..3], factor)),
        },
        File::MaxMesh(mesh) => match &mut mesh.faces {
            Faces::P12(own) => {
                own.iter_mut()
                    .flat_map(|own| &mut own.corners)
                    .for_each(|own| times(&mut own.position, factor));
            }
            Faces::P16(own) => {
                let corners = own.iter_mut().flat_map(|own| &mut own.corners);
                corners.for_each(|own| times(&mut own.position[..3], factor));
            }
        },
        _ => {}
    }
    Ok(())
}
