//! Scales, rotates and moves the objects of a file.
//!
//! Matrices are for row vectors. What is below a frame follows the frame, so only root frames, their keys, and meshes
//! outside of frames are rotated and moved.

use std::collections::{HashMap, HashSet};

use glam::Quat;

use super::keys::KeyKind;
use super::numbers::Numbers;
use super::scene::vertex::Vector;
use super::{
    Animation, AnimationKey, AnimationSet, CompressedAnimationSet, Frame, FrameTransformMatrix, Mesh,
    MeshNormals, Object, Objects, SkinWeights, Tokens, View,
};
use crate::edit::{Rigid, needs_bones, unsupported};
use crate::wire::escape;
use crate::{Budget, File, Result};

/// Templates whose values contain positions in a form that is not documented, or is not supported.
const FIXED: [&str; 5] =
    [CompressedAnimationSet::TEMPLATE, "ProgressiveMesh", "InlineData", "PatchMesh", "PatchMesh9"];

pub(in crate::formats) fn scale(file: &mut File, factor: f32, budget: &Budget) -> Result<()> {
    let File::X(file) = file else { return Ok(()) };
    let objects = file.objects()?;
    only_movable(&objects)?;
    let mut numbers = Numbers::new(budget);
    let times = |own: &mut [f32]| own.iter_mut().for_each(|own| *own *= factor);
    for object in objects.all() {
        if let Some(mesh) = object.view::<Mesh>() {
            numbers.points(object, &mesh?.vertices, |own| own.map(|own| own * factor))?;
            numbers.vectors(object, &[Vector::Position], &|_, own| times(own))?;
        } else if let Some(own) = object.view::<FrameTransformMatrix>() {
            numbers.floats(object, &own?.matrix, |own| times(&mut own[12..15]))?;
        } else if let Some(own) = object.view::<SkinWeights>() {
            let own = own?;
            let all = [own.weights, own.matrix_offset.to_vec()].concat();
            numbers.floats(object, &all, |own| times(translation(own)))?;
        } else if let Some(own) = object.view::<AnimationKey>() {
            numbers.keys(object, &own?, |kind, own| match kind {
                Some(KeyKind::Position) => times(own),
                Some(KeyKind::Matrix) if own.len() >= 16 => times(&mut own[12..15]),
                _ => {}
            })?;
        }
    }
    let done = numbers.applied(&objects)?;
    file.replace_content(&done)
}

/// The translation of the matrix at the end of the values.
fn translation(values: &mut [f32]) -> &mut [f32] {
    let end = values.len() - 1;
    &mut values[end - 3..end]
}

pub(in crate::formats) fn transform(files: &mut [File], motion: Rigid, budget: &Budget) -> Result<()> {
    let (mut frames, mut known, mut found) = (Vec::with_capacity(files.len()), Roots::new(), 0);
    for file in files.iter() {
        let own = if let File::X(file) = file { roots(&file.objects()?) } else { Roots::new() };
        found += usize::from(!own.is_empty());
        for (name, is_root) in &own {
            let known = known.entry(name.clone()).or_insert(*is_root);
            *known = known.filter(|known| Some(*known) == *is_root);
        }
        frames.push(own);
    }
    for (file, own) in files.iter_mut().zip(&frames) {
        let File::X(file) = file else { continue };
        let is_root = |name: &[u8]| match own.get(name).or_else(|| known.get(name)) {
            _ if found == 0 => Err(needs_bones(0)),
            // Of several characters, some have it as a root.
            Some(None) => Err(needs_bones(found)),
            found => Ok(found == Some(&Some(true))),
        };
        let done = moved(&file.objects()?, &is_root, motion, budget)?;
        file.replace_content(&done)?;
    }
    Ok(())
}

/// Whether each frame is a root; none if files differ.
type Roots = HashMap<Vec<u8>, Option<bool>>;

/// Returns the frames of a file. Of several with one name, the first counts.
fn roots(objects: &Objects<'_>) -> Roots {
    let mut roots = Roots::new();
    for frame in objects.all().filter(|object| object.is(Frame::TEMPLATE)) {
        roots.entry(frame.name().to_vec()).or_insert(Some(frame_above(frame).is_none()));
    }
    roots
}

/// Returns the content after a motion, given which frames are roots.
fn moved(
    objects: &Objects<'_>,
    is_root: &dyn Fn(&[u8]) -> Result<bool>,
    motion: Rigid,
    budget: &Budget,
) -> Result<Tokens> {
    only_movable(objects)?;
    let mut numbers = Numbers::new(budget);
    let attached = attached(objects);
    for object in objects.all() {
        if object.is(Frame::TEMPLATE) && frame_above(object).is_none() {
            match object.children_of(FrameTransformMatrix::TEMPLATE).next() {
                Some(matrix) => {
                    let Some(own) = matrix.view::<FrameTransformMatrix>() else { continue };
                    numbers.floats(matrix, &own?.matrix, |own| rows(own, motion))?;
                }
                None => numbers.insert(object.values_from(), placed(motion)),
            }
        } else if object.is(Mesh::TEMPLATE)
            && frame_above(object).is_none()
            && !attached.contains(&object.index())
        {
            move_mesh(object, &mut numbers, motion)?;
        } else if object.is(AnimationSet::TEMPLATE) {
            for animation in object.children_of(Animation::TEMPLATE) {
                let Some(target) = target(animation) else { continue };
                if is_root(target)? {
                    for keys in animation.children_of(AnimationKey::TEMPLATE) {
                        let Some(own) = keys.view::<AnimationKey>() else { continue };
                        numbers.keys(keys, &own?, |kind, own| move_key(kind, own, motion))?;
                    }
                }
            }
        }
    }
    numbers.applied(objects)
}

/// Refuses objects that contain positions which cannot be changed.
fn only_movable(objects: &Objects<'_>) -> Result<()> {
    let fixed = objects.all().find(|object| FIXED.iter().any(|template| object.is(template)));
    fixed.map_or(Ok(()), |object| {
        let template = escape(object.template_name());
        Err(unsupported(&format!("the positions in objects of the template `{template}` cannot be changed")))
    })
}

fn frame_above(object: Object<'_>) -> Option<Object<'_>> {
    object.parent().filter(|parent| parent.is(Frame::TEMPLATE))
}

/// Returns the meshes that frames refer to.
pub(super) fn attached(objects: &Objects<'_>) -> HashSet<u32> {
    let meshes = super::scene::by_name(objects, Mesh::TEMPLATE);
    let frames = objects.all().filter(|object| object.is(Frame::TEMPLATE));
    let referred = frames.flat_map(Object::references).filter_map(|reference| meshes.get(reference.name));
    referred.map(Object::index).collect()
}

/// Returns the name of the frame that an animation refers to or contains.
pub(super) fn target(animation: Object<'_>) -> Option<&[u8]> {
    let referred = animation.references().map(|reference| reference.name).next();
    let inside = || animation.children_of(Frame::TEMPLATE).map(|frame| frame.name()).next();
    referred.or_else(inside).filter(|name| !name.is_empty())
}

/// Moves a mesh outside of frames; the matrices of its skin are relative to where it was.
pub(super) fn move_mesh(object: Object<'_>, numbers: &mut Numbers, motion: Rigid) -> Result<()> {
    let Some(own) = object.view::<Mesh>() else { return Ok(()) };
    numbers.points(object, &own?.vertices, |own| motion.point(own))?;
    for normals in object.children_of(MeshNormals::TEMPLATE) {
        let Some(own) = normals.view::<MeshNormals>() else { continue };
        numbers.points(normals, &own?.normals, |own| motion.direction(own))?;
    }
    numbers.vectors(object, &[Vector::Position, Vector::Direction], &|kind, own| {
        let place = if kind == Vector::Position { Rigid::point } else { Rigid::direction };
        *own = place(motion, *own);
    })?;
    let back = motion.inverse();
    for weights in object.children_of(SkinWeights::TEMPLATE) {
        let Some(own) = weights.view::<SkinWeights>() else { continue };
        let own = own?;
        let all = [own.weights, own.matrix_offset.to_vec()].concat();
        numbers.floats(weights, &all, |own| {
            let start = own.len() - 16;
            before(&mut own[start..], back);
        })?;
    }
    Ok(())
}

/// Moves a key of a root.
fn move_key(kind: Option<KeyKind>, own: &mut [f32], motion: Rigid) {
    match (kind, own) {
        // The inverse of the usual quaternion, w first.
        (Some(KeyKind::Rotation), [w, x, y, z, ..]) => {
            let turned = motion.rotation * Quat::from_xyzw(-*x, -*y, -*z, *w);
            [*w, *x, *y, *z] = [turned.w, -turned.x, -turned.y, -turned.z];
        }
        (Some(KeyKind::Position), [x, y, z, ..]) => [*x, *y, *z] = motion.point([*x, *y, *z]),
        (Some(KeyKind::Matrix), own) if own.len() >= 16 => rows(own, motion),
        _ => {}
    }
}

/// Applies a motion after a matrix.
fn rows(matrix: &mut [f32], motion: Rigid) {
    for row in matrix.chunks_exact_mut(4) {
        let [x, y, z] = motion.direction([row[0], row[1], row[2]]);
        let shift = motion.translation * row[3];
        (row[0], row[1], row[2]) = (x + shift.x, y + shift.y, z + shift.z);
    }
}

/// Applies a motion before a matrix.
fn before(matrix: &mut [f32], motion: Rigid) {
    let own = matrix.to_vec();
    let motion = placed(motion);
    for row in 0..4 {
        for column in 0..4 {
            matrix[row * 4 + column] = (0..4).map(|at| motion[row * 4 + at] * own[at * 4 + column]).sum();
        }
    }
}

/// Returns the matrix of a motion.
fn placed(motion: Rigid) -> [f32; 16] {
    let mut matrix = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    rows(&mut matrix, motion);
    matrix
}
