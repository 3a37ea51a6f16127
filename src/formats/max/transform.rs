//! Moves streams, in which everything is in world space.

use super::{Bones, Faces, Frames, Matrix52};
use crate::edit::Rigid;
use crate::{Budget, File, Result};

#[expect(clippy::unnecessary_wraps, reason = "other families can refuse")]
pub(in crate::formats) fn transform(files: &mut [File], motion: Rigid, _: &Budget) -> Result<()> {
    for file in files {
        match file {
            File::MaxSkeleton(skeleton) => match &mut skeleton.bones {
                Bones::M52(own) => own.iter_mut().for_each(|own| flagged(&mut own.matrix, motion)),
                Bones::M48(own) => own.iter_mut().for_each(|own| rows(&mut own.matrix.rows, motion)),
                Bones::M64(own) => own.iter_mut().for_each(|own| wide(&mut own.matrix.rows, motion)),
            },
            File::MaxAnimation(animation) => match &mut animation.matrices {
                Frames::M52(own) => own.iter_mut().for_each(|own| flagged(own, motion)),
                Frames::M48(own) => own.iter_mut().for_each(|own| rows(&mut own.rows, motion)),
                Frames::M64(own) => own.iter_mut().for_each(|own| wide(&mut own.rows, motion)),
            },
            File::MaxMesh(mesh) => match &mut mesh.faces {
                Faces::P12(own) => {
                    let corners = own.iter_mut().flat_map(|own| &mut own.corners);
                    corners.for_each(|own| own.position = motion.point(own.position));
                }
                Faces::P16(own) => {
                    for own in own.iter_mut().flat_map(|own| &mut own.corners) {
                        let [x, y, z, w] = own.position;
                        let [x, y, z] = motion.point([x, y, z]);
                        own.position = [x, y, z, w];
                    }
                }
            },
            _ => {}
        }
    }
    Ok(())
}

/// The rows are the axes and the translation.
fn rows(rows: &mut [[f32; 3]; 4], motion: Rigid) {
    let [x, y, z, translation] = *rows;
    let [x, y, z] = [x, y, z].map(|axis| motion.direction(axis));
    *rows = [x, y, z, motion.point(translation)];
}

fn wide(matrix: &mut [[f32; 4]; 4], motion: Rigid) {
    let mut narrow = matrix.map(|[x, y, z, _]| [x, y, z]);
    rows(&mut narrow, motion);
    for (own, [x, y, z]) in matrix.iter_mut().zip(narrow) {
        *own = [x, y, z, own[3]];
    }
}

/// The flags of parts that are no longer the identity are cleared.
fn flagged(matrix: &mut Matrix52, motion: Rigid) {
    rows(&mut matrix.rows, motion);
    let [x, y, z, translation] = matrix.rows;
    // Adding 0 makes -0 and 0 equal.
    let is =
        |row: [f32; 3], exact: [f32; 3]| row.map(|value| (value + 0.0).to_bits()) == exact.map(f32::to_bits);
    if !is(translation, [0.0; 3]) {
        matrix.flags.set_position_identity(false);
    }
    if !(is(x, [1.0, 0.0, 0.0]) && is(y, [0.0, 1.0, 0.0]) && is(z, [0.0, 0.0, 1.0])) {
        matrix.flags.set_rotation_identity(false);
    }
}
