//! Removes frames. Their contents go to the frame around them, and keep their place there.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use glam::{Affine3A, Vec3};

use super::edit::spliced;
use super::keys::KeyKind;
use super::numbers::Numbers;
use super::scene::animation::track;
use super::scene::vertex::Vector;
use super::scene::{affine, rows};
use super::syntax::object_writer::ObjectWriter as _;
use super::syntax::objects::{Child, Object, Objects};
use super::syntax::writer::SymbolWriter;
use super::transform::{attached, move_mesh, target};
use super::{
    Animation, AnimationKey, AnimationSet, CompressedAnimationSet, Frame, FrameTransformMatrix, Mesh,
    MeshMaterialList, MeshNormals, SkinWeights, View, X, XSkinMeshHeader,
};
use crate::edit::{Entity, Motion, Rigid, in_use, names, needs_bones, unsupported};
use crate::scene::{Curve, Transform};
use crate::{Budget, File, Limits, Result};

/// The difference of a scale from 1 that is rounding.
const UNSCALED: f32 = 1e-4;

/// Removes the frames with a name from a set of files.
pub(in crate::formats) fn remove_bones(files: &mut [File], entity: Entity, name: &[u8]) -> Result<usize> {
    let mut removed = 0;
    if entity != Entity::Bone {
        return Ok(0);
    }
    let has_frame = files.iter().map(|file| has_frame(file, name)).collect::<Result<Vec<_>>>()?;
    let found = has_frame.iter().filter(|has_frame| **has_frame == Some(true)).count();
    if found > 1 && has_frame.contains(&Some(false)) {
        return Err(needs_bones(found));
    }
    while let Some((index, removal)) = find(files, name)? {
        for (at, file) in files.iter_mut().enumerate() {
            let File::X(file) = file else { continue };
            if at == index {
                file.move_contents_up(&removal)?;
            } else if has_frame[at] == Some(true) {
                // It follows its own frame.
                continue;
            }
            file.follow(&removal)?;
        }
        removed += 1;
    }
    Ok(removed)
}

/// Returns whether a file has the frame with a name; none if it does not refer to it.
fn has_frame(file: &File, name: &[u8]) -> Result<Option<bool>> {
    let File::X(own) = file else { return Ok(None) };
    if own.objects()?.frame(name).is_some() {
        return Ok(Some(true));
    }
    let refers = names(file)?.iter().any(|own| own.entity == Entity::Bone && own.text == name);
    Ok(refers.then_some(false))
}

/// What other objects need to know of a removed frame.
struct Removal {
    name: Vec<u8>,
    matrix: Affine3A,
    /// The frames in it that have a name, with their matrices.
    children: Vec<(Vec<u8>, Affine3A)>,
    /// Whether frames without a name in it have contents. Animations cannot refer to them.
    has_unnamed: bool,
    /// The frame that gets its weights, and the matrix from the space of the removed frame to that of this one.
    heir: Option<(Vec<u8>, Affine3A)>,
}

/// Returns the first frame with a name, and the index of its file.
fn find(files: &[File], name: &[u8]) -> Result<Option<(usize, Removal)>> {
    for (index, file) in files.iter().enumerate() {
        let File::X(file) = file else { continue };
        let objects = file.objects()?;
        let Some(frame) = objects.frame(name) else { continue };
        if frame.closing_brace().is_none() {
            return Err(unsupported("the closing brace of the frame is missing"));
        }
        let matrix = matrix_of(frame)?;
        let mut children = Vec::new();
        for child in frame.children_of(Frame::TEMPLATE).filter(|child| !child.name().is_empty()) {
            children.push((child.name().to_vec(), matrix_of(child)?));
        }
        let mut unnamed = frame.children_of(Frame::TEMPLATE).filter(|child| child.name().is_empty());
        let is_matrix =
            |own: Child<'_>| matches!(own, Child::Object(own) if own.is(FrameTransformMatrix::TEMPLATE));
        let has_unnamed = unnamed.any(|child| !child.children().all(is_matrix));
        let parent = frame.parent().filter(|own| own.is(Frame::TEMPLATE) && !own.name().is_empty());
        let heir = match parent {
            Some(parent) => Some((parent.name().to_vec(), matrix)),
            None => children.first().map(|(name, own)| (name.clone(), own.inverse())),
        };
        return Ok(Some((index, Removal { name: name.to_vec(), matrix, children, has_unnamed, heir })));
    }
    Ok(None)
}

impl<'a> Objects<'a> {
    fn frame(&'a self, name: &[u8]) -> Option<Object<'a>> {
        self.all().find(|object| object.is(Frame::TEMPLATE) && object.name() == name)
    }
}

fn matrix_of(frame: Object<'_>) -> Result<Affine3A> {
    let own = frame.children_of(FrameTransformMatrix::TEMPLATE).next();
    let view = own.and_then(|own| own.view::<FrameTransformMatrix>()).transpose()?;
    Ok(view.map_or(Affine3A::IDENTITY, |own| affine(&own.matrix)))
}

fn is_unscaled(scale: Vec3) -> bool {
    scale.abs_diff_eq(Vec3::ONE, UNSCALED)
}

/// Returns a matrix as a translation and a rotation, if it is one.
fn rigid(matrix: &Affine3A) -> Option<Rigid> {
    let (own, is_exact) = Transform::nearest(matrix);
    (is_exact && is_unscaled(own.scale)).then(|| Rigid::new(own.translation.into(), own.rotation))
}

impl X {
    /// Moves what is in the frame to where it is in the frame around it, and removes the frame.
    fn move_contents_up(&mut self, removal: &Removal) -> Result<()> {
        let objects = self.objects()?;
        let Some(frame) = objects.frame(&removal.name) else { return Ok(()) };
        let mut numbers = Numbers::new(&Budget::of(&Limits::none(), 0));
        for child in frame.children_of(Frame::TEMPLATE) {
            match child.children_of(FrameTransformMatrix::TEMPLATE).next() {
                Some(matrix) => {
                    let Some(own) = matrix.view::<FrameTransformMatrix>() else { continue };
                    numbers.floats(matrix, &own?.matrix, |own| {
                        let new = rows(&(removal.matrix * affine(own)));
                        own.copy_from_slice(&new);
                    })?;
                }
                None => numbers.insert(child.values_from(), rows(&removal.matrix)),
            }
        }
        if removal.matrix != Affine3A::IDENTITY {
            let attached = attached_names(&objects);
            let is_referred = frame.references().any(|own| attached.contains(&own.name));
            if is_referred {
                return Err(unsupported(
                    "the frame refers to a mesh outside of it, which other frames may show at another place",
                ));
            }
            for mesh in frame.children_of(Mesh::TEMPLATE) {
                match rigid(&removal.matrix) {
                    Some(motion) => move_mesh(mesh, &mut numbers, motion)?,
                    None => distort_mesh(mesh, &mut numbers, &removal.matrix)?,
                }
            }
        }
        let moved = numbers.applied(&objects)?;
        drop(objects);
        self.replace_content(&moved)?;
        let objects = self.objects()?;
        let Some(frame) = objects.frame(&removal.name) else { return Ok(()) };
        let matrices = frame.children_of(FrameTransformMatrix::TEMPLATE).map(|own| own.range());
        let open = frame.range().start..frame.values_from();
        let close = frame.closing_brace().map(|at| at..at + 1);
        let mut edits: Edits =
            std::iter::once(open).chain(matrices).chain(close).map(|own| (own, Vec::new())).collect();
        edits.sort_by_key(|(range, _)| range.start);
        let content = spliced(&objects, edits)?;
        drop(objects);
        self.replace_content(&content)
    }

    /// Lets weights and animations follow.
    fn follow(&mut self, removal: &Removal) -> Result<()> {
        let objects = self.objects()?;
        // In a list of materials, the name is that of a material.
        let is_other = |own: Object<'_>| own.is(Animation::TEMPLATE) || own.is(MeshMaterialList::TEMPLATE);
        let is_user = |parent: Option<Object<'_>>| !parent.is_some_and(is_other);
        let others =
            objects.all_references().filter(|(_, own, parent)| own.name == removal.name && is_user(*parent));
        let others = others.count();
        if others > 0 {
            return Err(in_use(Entity::Bone, &removal.name, others, "reference"));
        }
        let mut edits = Edits::new();
        for object in objects.all() {
            if object.is(Mesh::TEMPLATE) {
                weights(object, removal, &mut edits)?;
            } else if object.is(AnimationSet::TEMPLATE) {
                animations(object, removal, &mut edits)?;
            } else if object.is(CompressedAnimationSet::TEMPLATE) {
                return Err(unsupported("the file has a compressed animation set, which cannot be changed"));
            }
        }
        if edits.is_empty() {
            return Ok(());
        }
        edits.sort_by_key(|(range, _)| range.start);
        let content = spliced(&objects, edits)?;
        drop(objects);
        self.replace_content(&content)
    }
}

/// Applies a matrix that scales or shears to a mesh. The matrices of its skin are relative to where it was.
fn distort_mesh(object: Object<'_>, numbers: &mut Numbers, matrix: &Affine3A) -> Result<()> {
    let Some(own) = object.view::<Mesh>() else { return Ok(()) };
    let back = matrix.inverse();
    if !(matrix.is_finite() && back.is_finite()) {
        return Err(unsupported("the matrix of the frame has no inverse"));
    }
    let point = |own: [f32; 3]| matrix.transform_point3(own.into()).to_array();
    let slopes = back.matrix3.transpose();
    let direction = |own: [f32; 3]| {
        let len = Vec3::from(own).length();
        (slopes * Vec3::from(own)).try_normalize().map_or(own, |unit| (unit * len).to_array())
    };
    numbers.points(object, &own?.vertices, point)?;
    for normals in object.children_of(MeshNormals::TEMPLATE) {
        let Some(own) = normals.view::<MeshNormals>() else { continue };
        numbers.points(normals, &own?.normals, direction)?;
    }
    numbers.vectors(object, &[Vector::Position, Vector::Direction], &|kind, own| {
        *own = if kind == Vector::Position { point(*own) } else { direction(*own) };
    })?;
    for weights in object.children_of(SkinWeights::TEMPLATE) {
        let Some(own) = weights.view::<SkinWeights>() else { continue };
        let own = own?;
        let all = [own.weights, own.matrix_offset.to_vec()].concat();
        numbers.floats(weights, &all, |own| {
            let (_, offset) = own.split_at_mut(all.len() - 16);
            let Ok(old) = <[f32; 16]>::try_from(&*offset) else { return };
            offset.copy_from_slice(&rows(&(affine(&old) * back)));
        })?;
    }
    Ok(())
}

/// Returns the names of meshes that frames refer to.
fn attached_names<'a>(objects: &'a Objects<'a>) -> HashSet<&'a [u8]> {
    let indices = attached(objects);
    objects.all().filter(|own| indices.contains(&own.index())).map(|own| own.name()).collect()
}

/// Gives the weights of a frame to its heir.
fn weights(mesh: Object<'_>, removal: &Removal, edits: &mut Edits) -> Result<()> {
    let mut all = Vec::new();
    for object in mesh.children_of(SkinWeights::TEMPLATE) {
        let Some(own) = object.view::<SkinWeights>() else { continue };
        all.push((object, own?));
    }
    let Some(at) = all.iter().position(|(_, own)| own.transform_node_name == removal.name) else {
        return Ok(());
    };
    let (object, mut own) = all.swap_remove(at);
    let Some((heir, matrix)) = &removal.heir else {
        return Err(in_use(Entity::Bone, &removal.name, own.weights.len(), "weight"));
    };
    let Some((other, theirs)) = all.into_iter().find(|(_, own)| own.transform_node_name == *heir) else {
        own.transform_node_name.clone_from(heir);
        own.matrix_offset = rows(&(*matrix * affine(&own.matrix_offset)));
        edits.push((object.range(), vec![New::Weights(own)]));
        return Ok(());
    };
    let mut sums: BTreeMap<u32, f32> = BTreeMap::new();
    for (vertex, weight) in
        [&theirs, &own].into_iter().flat_map(|own| own.vertex_indices.iter().zip(&own.weights))
    {
        *sums.entry(*vertex).or_default() += weight;
    }
    let (vertex_indices, weights) = sums.into_iter().unzip();
    edits.push((object.range(), Vec::new()));
    edits.push((other.range(), vec![New::Weights(SkinWeights { vertex_indices, weights, ..theirs })]));
    for header in mesh.children_of(XSkinMeshHeader::TEMPLATE) {
        if let Some(Ok(mut own)) = header.view::<XSkinMeshHeader>() {
            own.num_bones = own.num_bones.saturating_sub(1);
            edits.push((header.range(), vec![New::Header(own)]));
        }
    }
    Ok(())
}

/// Lets the animations of the frames in a frame inherit its keys.
fn animations(set: Object<'_>, removal: &Removal, edits: &mut Edits) -> Result<()> {
    let mut named = HashMap::new();
    for own in set.children_of(Animation::TEMPLATE) {
        if let Some(name) = target(own) {
            named.entry(name).or_insert(own);
        }
    }
    let of = |name: &[u8]| named.get(name).copied();
    let source = of(&removal.name);
    if source.is_some_and(|own| own.children_of(Frame::TEMPLATE).next().is_some()) {
        return Err(unsupported("an animation contains the frame"));
    }
    if source.is_some() && removal.has_unnamed {
        return Err(unsupported("the frame has keys, which a frame without a name in it cannot inherit"));
    }
    let mut added = Vec::new();
    for (name, matrix) in &removal.children {
        let own = of(name);
        if source.is_none() && own.is_none() {
            continue;
        }
        let (outer, inner) = (Animated::new(&removal.matrix, source)?, Animated::new(matrix, own)?);
        if outer.scales().any(|own| !is_unscaled(own)) {
            return Err(unsupported("the frame is scaled, and the frames in it cannot inherit its scale"));
        }
        let keys = inner.keys(&outer.motion.places(&inner.motion, Rigid::then))?;
        let Some(own) = own else {
            added.push(New::Animation(name.clone(), keys));
            continue;
        };
        let mut old = own.children_of(AnimationKey::TEMPLATE).map(|own| own.range());
        match old.next() {
            Some(first) => edits.push((first, keys.into_iter().map(New::Keys).collect())),
            None => {
                let end = own
                    .closing_brace()
                    .ok_or_else(|| unsupported("the closing brace of an animation is missing"))?;
                edits.push((end..end, keys.into_iter().map(New::Keys).collect()));
            }
        }
        edits.extend(old.map(|range| (range, Vec::new())));
    }
    edits.extend(source.map(|own| (own.range(), added)));
    Ok(())
}

/// A frame in an animation set, in the axes of the file.
struct Animated {
    motion: Motion,
    bind_scale: Vec3,
}

impl Animated {
    fn new(matrix: &Affine3A, animation: Option<Object<'_>>) -> Result<Self> {
        let (bind, is_exact) = Transform::nearest(matrix);
        if !is_exact {
            return Err(unsupported("the matrix of a frame is sheared, so its keys cannot be changed"));
        }
        let track = animation.map(track).unwrap_or_default();
        Ok(Self {
            motion: Motion { bind: Rigid::new(bind.translation.into(), bind.rotation), track },
            bind_scale: bind.scale,
        })
    }

    fn scales(&self) -> impl Iterator<Item = Vec3> {
        self.motion.track.scale.iter().flat_map(Curve::values).copied().chain([self.bind_scale])
    }

    /// Returns the lists of keys for new places.
    #[expect(clippy::cast_possible_truncation, reason = "times are whole numbers of ticks")]
    fn keys(&self, places: &[(f32, Rigid)]) -> Result<Vec<AnimationKey>> {
        let mut scales: Vec<_> = self
            .motion
            .track
            .scale
            .iter()
            .flat_map(|own| own.times().iter().zip(own.values()))
            .map(|(time, own)| (*time, *own))
            .collect();
        if scales.is_empty() && !is_unscaled(self.bind_scale) {
            scales.push((0.0, self.bind_scale));
        }
        if places.iter().any(|(_, own)| !own.translation.is_finite() || !own.rotation.is_finite()) {
            return Err(unsupported("a key is not finite"));
        }
        // The inverse of the usual quaternion, w first.
        let rotation = |own: &Rigid| [own.rotation.w, -own.rotation.x, -own.rotation.y, -own.rotation.z];
        let rotations = places.iter().map(|(time, own)| (*time as i32, rotation(own)));
        let scales = scales.iter().map(|(time, own)| (*time as i32, own.to_array()));
        let positions = places.iter().map(|(time, own)| (*time as i32, own.translation.to_array()));
        let all = [
            AnimationKey { key_type: KeyKind::Rotation as u32, keys: rotations.collect() },
            AnimationKey { key_type: KeyKind::Scale as u32, keys: scales.collect() },
            AnimationKey { key_type: KeyKind::Position as u32, keys: positions.collect() },
        ];
        Ok(all.into_iter().filter(|own| !own.keys.times.is_empty()).collect())
    }
}

/// Ranges of the content, and the objects that replace them.
pub(super) type Edits = Vec<(Range<usize>, Vec<New>)>;

/// A new object.
pub(super) enum New {
    Keys(AnimationKey),
    /// An animation of a frame.
    Animation(Vec<u8>, Vec<AnimationKey>),
    Weights(SkinWeights),
    Header(XSkinMeshHeader),
}

impl New {
    pub(super) fn write<S: SymbolWriter>(&self, out: &mut S) -> Result<(), String> {
        match self {
            Self::Keys(own) => out.object(own),
            Self::Weights(own) => out.object(own),
            Self::Header(own) => out.object(own),
            Self::Animation(frame, keys) => {
                out.open(b"", &Animation {})?;
                out.reference(frame, None)?;
                keys.iter().try_for_each(|own| out.object(own))?;
                out.close();
                Ok(())
            }
        }
    }
}
