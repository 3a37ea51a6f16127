//! Converts `.x` files to scenes.
//!
//! Left-handed, by convention Y up; the unit is undefined. Matrices are for row vectors: their rows are the columns of
//! scene matrices. References resolve to the first object of that name and template, in this file or another.

pub(super) mod animation;
mod corners;
mod mesh;
pub(crate) mod vertex;
mod write;

use std::collections::HashMap;

use glam::Affine3A;

use super::conventions::SPACE;
use super::{
    AnimTicksPerSecond, Animation, AnimationKey, AnimationSet, CompressedAnimationSet, DeclData, FVFData,
    FaceAdjacency, Frame, FrameTransformMatrix, Header, Material, Mesh, MeshMaterialList, MeshNormals,
    MeshTextureCoords, MeshVertexColors, Object, Objects, SkinWeights, TextureFilename,
    VertexDuplicationIndices, View, X, XSkinMeshHeader,
};
use crate::FieldPath;
use crate::scene::{self, Bone, Builder, ImportedBones, Inexact, LoadPhase, Lost, Space, ToScene};
use crate::wire::escape;

/// Templates that are converted, or that have no content for a scene.
const READ: [&str; 21] = [
    Header::TEMPLATE,
    Frame::TEMPLATE,
    FrameTransformMatrix::TEMPLATE,
    Mesh::TEMPLATE,
    MeshNormals::TEMPLATE,
    MeshTextureCoords::TEMPLATE,
    MeshVertexColors::TEMPLATE,
    MeshMaterialList::TEMPLATE,
    Material::TEMPLATE,
    TextureFilename::TEMPLATE,
    XSkinMeshHeader::TEMPLATE,
    SkinWeights::TEMPLATE,
    VertexDuplicationIndices::TEMPLATE,
    FaceAdjacency::TEMPLATE,
    DeclData::TEMPLATE,
    FVFData::TEMPLATE,
    AnimationSet::TEMPLATE,
    Animation::TEMPLATE,
    AnimationKey::TEMPLATE,
    AnimTicksPerSecond::TEMPLATE,
    CompressedAnimationSet::TEMPLATE,
];

impl ToScene for X {
    fn phase(&self) -> LoadPhase {
        let shapes = |objects: &Objects<'_>| {
            objects.all().any(|object| object.is(Frame::TEMPLATE) || object.is(Mesh::TEMPLATE))
        };
        if self.objects().is_ok_and(|objects| shapes(&objects)) { LoadPhase::Mesh } else { LoadPhase::Clip }
    }

    fn add_to(&self, scene: &mut Builder<'_>) {
        let objects = match self.objects() {
            Ok(objects) => objects,
            Err(error) => return scene.report_loss(Lost::Unreadable.with(error)),
        };
        let frames = Frames::add(&objects, scene);
        if scene.is_full() {
            return;
        }
        mesh::add(&objects, &frames, scene);
        animation::add(&objects, scene);
        let packed = objects.all().filter(|object| object.is(CompressedAnimationSet::TEMPLATE)).count();
        scene.report_losses(packed, Lost::CompressedAnimation);
        report_others(&objects, scene);
    }
}

/// Reports objects of other templates.
fn report_others(objects: &Objects<'_>, scene: &mut Builder<'_>) {
    let others = objects.all().filter(|object| !READ.iter().any(|template| object.is(template)));
    scene.report_kinds(Lost::Objects, others.map(|object| escape(object.template_name())));
}

/// Returns the readable children of a template, and reports the others.
fn read<V: View>(object: Object<'_>, scene: &mut Builder<'_>) -> Vec<V> {
    read_objects(object, scene).into_iter().map(|(_, view)| view).collect()
}

/// As [`read`], with the objects.
fn read_objects<'a, V: View>(object: Object<'a>, scene: &mut Builder<'_>) -> Vec<(Object<'a>, V)> {
    let mut views = Vec::new();
    let (mut refused, mut longer) = (0, 0);
    for child in object.children_of(V::TEMPLATE) {
        match child.view_and_surplus::<V>() {
            Some(Ok((view, surplus))) => {
                longer += usize::from(surplus);
                views.push((child, view));
            }
            _ => refused += 1,
        }
    }
    scene.report_losses(refused, Lost::InvalidObjects.with(V::TEMPLATE));
    scene.report_losses(longer, Lost::SurplusObjects.with(V::TEMPLATE));
    views
}

/// The maximum number of frames, for the memory of the scene: a frame takes a few bytes in a file. Vertices in glTF refer to as
/// many joints.
pub(super) const MAX_FRAMES: usize = 1 << 16;

/// The frames of a file as bones of the scene.
struct Frames {
    /// The bone of each frame, by the index of its object.
    bones: HashMap<u32, usize>,
    /// Whether the transform of each bone to model space is mirrored.
    mirrored: Vec<bool>,
}

impl Frames {
    fn add(objects: &Objects<'_>, scene: &mut Builder<'_>) -> Self {
        let space = scene.space(SPACE);
        let mut all = objects.all().filter(|object| object.is(Frame::TEMPLATE));
        let frames: Vec<_> = all.by_ref().take(MAX_FRAMES).collect();
        scene.report_losses(all.count(), Lost::TooManyFrames);
        let numbers: HashMap<u32, usize> =
            frames.iter().enumerate().map(|(number, frame)| (frame.index(), number)).collect();
        let mut inexact = Inexact::default();
        let bone = |frame: &Object<'_>| {
            let bind = bind(*frame, space, scene).and_then(|own| inexact.nearest(&own)).unwrap_or_default();
            let parent = frame.parent().and_then(|parent| numbers.get(&parent.index()).copied());
            Bone { name: scene::name(frame.name()), parent, bind }
        };
        let bones: Vec<_> = frames.iter().map(bone).collect();
        scene.report_inexact(&inexact, Lost::ShearedBones, Lost::NonFiniteBones);
        let ImportedBones { bones, .. } = scene.add_bones(bones.into_iter()).unwrap_or_default();
        let skeleton = &scene.scene().skeleton;
        let placed = skeleton.model_space(&skeleton.bind_pose());
        Self {
            bones: numbers.into_iter().filter_map(|(id, number)| Some((id, *bones.get(number)?))).collect(),
            mirrored: placed.iter().map(|place| place.matrix3.determinant() < 0.0).collect(),
        }
    }

    /// Returns the bone of the frame that contains an object.
    fn above(&self, object: Object<'_>) -> Option<usize> {
        self.bones.get(&object.parent()?.index()).copied()
    }
}

/// Returns the matrix of a frame relative to its parent, if it has one.
fn bind(frame: Object<'_>, space: Space, scene: &mut Builder<'_>) -> Option<Affine3A> {
    let own = read::<FrameTransformMatrix>(frame, scene);
    own.first().map(|own| matrix(&own.matrix, space))
}

fn matrix(rows: &[f32; 16], space: Space) -> Affine3A {
    space.matrix(&affine(rows))
}

/// Returns a matrix in the axes of the file, for column vectors.
pub(super) fn affine(rows: &[f32]) -> Affine3A {
    let row = |at: usize| [rows[at], rows[at + 1], rows[at + 2]].into();
    Affine3A::from_cols(row(0), row(4), row(8), row(12))
}

/// Returns the numbers of a matrix in the axes of the file, for row vectors.
pub(super) fn rows(matrix: &Affine3A) -> [f32; 16] {
    let columns = [matrix.matrix3.x_axis, matrix.matrix3.y_axis, matrix.matrix3.z_axis, matrix.translation];
    std::array::from_fn(|at| match at % 4 {
        3 => f32::from(u8::from(at == 15)),
        axis => columns[at / 4][axis],
    })
}

/// The maximum depth of objects whose path is recorded, for the memory of all paths.
const SHALLOW: usize = 64;

/// Returns the path of an object that is not nested deeply.
fn shallow_path(object: Object<'_>) -> Option<FieldPath> {
    let chain = std::iter::successors(Some(object), Object::parent);
    (chain.take(SHALLOW + 1).count() <= SHALLOW).then(|| object.path())
}

/// Returns the first object of each name of a template.
pub(super) fn by_name<'a>(objects: &'a Objects<'a>, template: &str) -> HashMap<&'a [u8], Object<'a>> {
    let mut named = HashMap::new();
    for object in objects.all().filter(|object| object.is(template) && !object.name().is_empty()) {
        named.entry(object.name()).or_insert(object);
    }
    named
}
