//! Scales meshes and animations, with their bounds and trees.

use super::{
    Bounds, CInt, Key, Key11, Table, Target, Transform, Tree, UnigineAnim, UnigineMesh, UnigineSkeleton,
};
use crate::edit::times;
use crate::{Budget, File, Result};

pub(in crate::formats) fn scale(file: &mut File, factor: f32, _: &Budget) -> Result<()> {
    match file {
        File::UnigineMesh(mesh) => scale_mesh(mesh, factor),
        File::UnigineAnim(anim) => scale_anim(anim, factor),
        File::UnigineSkeleton(skeleton) => {
            scale_skeleton(skeleton, factor);
            Ok(())
        }
        _ => Ok(()),
    }
}

fn scale_mesh(mesh: &mut UnigineMesh, factor: f32) -> Result<()> {
    match mesh {
        UnigineMesh::Mesh(mesh) => {
            bounds(&mut mesh.bounds, factor);
            mesh.surfaces.iter_mut().for_each(|own| bounds(&mut own.bounds, factor));
            transforms(&mut mesh.transforms, factor);
            for animation in mesh.animations.iter_mut() {
                each_row(&mut animation.frames, |_, row| {
                    for Key { position_x, position_y, position_z, .. } in row {
                        times([position_x, position_y, position_z].into_iter().flatten(), factor);
                    }
                })?;
            }
            mesh.geometry.iter_mut().for_each(|own| targets(&mut own.targets, factor));
        }
        UnigineMesh::Mesh14(mesh) => {
            bounds(&mut mesh.bounds, factor);
            mesh.surfaces.iter_mut().for_each(|own| bounds(&mut own.bounds, factor));
            transforms(&mut mesh.transforms, factor);
            for part in mesh.geometry.iter_mut() {
                part.data.edit(|own| targets(&mut own.targets, factor))?;
            }
            for part in mesh.trees.iter_mut() {
                part.data.edit(|own| tree(own, factor))?;
            }
        }
        UnigineMesh::Mesh15(mesh) => {
            bounds(&mut mesh.bounds, factor);
            mesh.surfaces.iter_mut().for_each(|own| bounds(&mut own.bounds, factor));
            for part in mesh.geometry.iter_mut() {
                part.data.edit(|own| targets(&mut own.targets, factor))?;
            }
            for part in mesh.trees.iter_mut() {
                part.data.edit(|own| tree(own, factor))?;
            }
        }
        UnigineMesh::SkinnedMesh(mesh) => {
            bounds(&mut mesh.bounds, factor);
            mesh.surfaces.iter_mut().for_each(|own| bounds(&mut own.bounds, factor));
            transforms(&mut mesh.binds, factor);
            transforms(&mut mesh.rests, factor);
            for part in mesh.geometry.iter_mut() {
                part.data.edit(|own| targets(&mut own.targets, factor))?;
            }
        }
        UnigineMesh::RawMesh(mesh) => {
            let vertices = mesh.surfaces.iter_mut().flat_map(|own| own.vertices.iter_mut());
            vertices.for_each(|own| times(&mut own.position, factor));
        }
    }
    Ok(())
}

fn scale_anim(anim: &mut UnigineAnim, factor: f32) -> Result<()> {
    match anim {
        UnigineAnim::Anim10(anim) => {
            bounds(&mut anim.bounds, factor);
            transforms(&mut anim.transforms, factor);
            for animation in anim.animations.iter_mut() {
                let positions = &mut animation.positions;
                // The engine marks an empty box by its extent.
                if positions.size.iter().all(|size| *size >= 0.0) {
                    times(positions.min.iter_mut().chain(&mut positions.size), factor);
                }
            }
            Ok(())
        }
        UnigineAnim::Anim11(anim) => {
            transforms(&mut anim.transforms, factor);
            positions(&mut anim.frames, factor)
        }
        UnigineAnim::Anim12(anim) => positions(&mut anim.frames, factor),
    }
}

fn positions(frames: &mut Table<CInt, Key11>, factor: f32) -> Result<()> {
    each_row(frames, |_, row| {
        times(row.iter_mut().flat_map(|key| key.position.iter_mut().flatten()), factor);
    })
}

fn scale_skeleton(skeleton: &mut UnigineSkeleton, factor: f32) {
    transforms(&mut skeleton.transforms, factor);
    // Others are not lengths.
    let lengths = skeleton.retarget.iter_mut().map(|own| &mut own.length);
    times(lengths.filter(|length| **length >= 0.0), factor);
}

/// Empty bounds stay as they are.
fn bounds(bounds: &mut Bounds, factor: f32) {
    if bounds.min.iter().zip(&bounds.max).all(|(min, max)| min <= max) {
        times(bounds.min.iter_mut().chain(&mut bounds.max).chain(&mut bounds.center), factor);
        if bounds.radius >= 0.0 {
            bounds.radius *= factor;
        }
    }
}

fn transforms(transforms: &mut [Transform], factor: f32) {
    for transform in transforms {
        times(&mut transform.position, factor);
    }
}

fn targets(targets: &mut [Target], factor: f32) {
    for vertex in targets.iter_mut().flat_map(|own| own.vertices.iter_mut()) {
        times(vertex, factor);
    }
}

fn tree(tree: &mut Tree, factor: f32) {
    times(tree.boxes.iter_mut().flatten(), factor);
    times(tree.splits.iter_mut(), factor);
}

/// Changes each row of a table; `change` gets its index.
pub(super) fn each_row<T>(table: &mut Table<CInt, T>, mut change: impl FnMut(usize, &mut [T])) -> Result<()>
where
    T: crate::schema::Schema + crate::wire::Wire,
{
    let mut changed = Table::new(table.columns());
    for row in 0..table.len() {
        let mut cells: Vec<_> = table.row(row).collect();
        change(row, &mut cells);
        changed.push(cells)?;
    }
    if !table.is_empty() {
        *table = changed;
    }
    Ok(())
}
