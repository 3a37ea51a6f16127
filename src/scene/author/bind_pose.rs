//! The bind pose that the skins of a scene state.

use std::borrow::Cow;

use glam::Affine3A;

use super::super::posed::positions;
use super::super::{
    Blend, Clip, Curve, Interpolation, Measure, Mesh, Scene, Skeleton, Skin, Track, Transform,
};
use super::Author;
use super::frames::curves_of;
use crate::{Budget, LimitError};

/// The tolerance for rounding errors of matrices and of their inverses, relative to the size of the skeleton.
pub const SAME: f32 = 1e-4;

/// The tolerance for ratios of scales.
const SAME_SCALE: f32 = 1e-3;

/// The memory of a track with a key of each kind.
const TRACK: u64 = 2 * size_of::<Track>() as u64 + 128;

/// A skeleton in another bind pose, and the clips with the same poses as before.
pub(crate) struct Rebound {
    pub skeleton: Skeleton,
    /// None if they are the same.
    pub clips: Option<Vec<Clip>>,
    /// The number of bones with another bind pose.
    pub moved: usize,
}

/// Returns the bones of a scene in the bind pose of its skins: files can have nodes in another pose. None if the pose is the
/// same, or if no clip moves bones, so that the pose of the nodes is the only one that is seen.
///
/// # Errors
/// If the budget does not permit the tracks that keep the pose of bones in clips that do not move them.
pub(crate) fn in_bind_pose(scene: &Scene, budget: &Budget) -> Result<Option<Rebound>, LimitError> {
    let skeleton = &scene.skeleton;
    if scene.clips.iter().all(|clip| clip.tracks.is_empty()) {
        return Ok(None);
    }
    let Some((bound, moved)) = bind_pose_of(skeleton, &scene.meshes) else { return Ok(None) };
    let tracks = (moved.len() as u64).saturating_mul(scene.clips.len() as u64);
    let clips = scene.clips.iter().map(Clip::memory).sum::<usize>() as u64;
    budget.charge(tracks.saturating_mul(TRACK).saturating_add(clips))?;
    let clips = scene.clips.iter().map(|clip| holding(clip, skeleton, &moved)).collect();
    Ok(Some(Rebound { skeleton: bound, clips: Some(clips), moved: moved.len() }))
}

/// Returns how far vertices are in the bind pose of a skeleton from where they are in that of the scene, in metres.
pub(crate) fn displacement(scene: &Scene, skeleton: &Skeleton) -> Measure {
    let [old, new] = [&scene.skeleton, skeleton].map(|own| own.model_space(&own.bind_pose()));
    let farthest = |mesh: &Mesh| {
        let [old, new] = [&old, &new].map(|placed| positions(mesh, &mesh.positions, placed));
        old.iter()
            .zip(&new)
            .map(|(old, new)| old.distance(*new))
            .filter(|own| own.is_finite())
            .fold(0.0, f32::max)
    };
    let metres = scene.meshes.iter().map(farthest).fold(0.0, f32::max);
    Measure { metres, ..Measure::default() }
}

impl Author<'_> {
    /// Returns the bones in the bind pose of the skins. Those of [`in_bind_pose`] are in it already.
    pub(crate) fn bind_pose(&self) -> Cow<'_, Skeleton> {
        let own = &self.scene().skeleton;
        bind_pose_of(own, self.meshes()).map_or(Cow::Borrowed(own), |(bound, _)| Cow::Owned(bound))
    }
}

/// Returns the bones in the bind pose of skins, and those with another pose than before; none if the pose is the same. Bones whose
/// skins contradict each other keep their pose relative to their parent. If the points of the skins have another unit than the
/// nodes, the bind pose has that of the nodes.
fn bind_pose_of(skeleton: &Skeleton, meshes: &[Mesh]) -> Option<(Skeleton, Vec<usize>)> {
    let placed = skeleton.model_space(&skeleton.bind_pose());
    let mut stated = stated(meshes, &placed);
    if let Some(rescaling) = rescaling(skeleton, &stated, &placed) {
        stated.iter_mut().flatten().for_each(|own| *own = rescaling * *own);
    }
    let size = placed.iter().map(|own| own.translation.abs().max_element()).fold(f32::MIN_POSITIVE, f32::max);
    let is_near = |a: &Affine3A, b: &Affine3A| is_near(a, b, size);
    let is_same = stated.iter().zip(&placed).all(|(stated, placed)| match stated {
        Some(stated) => is_near(stated, placed),
        None => true,
    });
    if is_same {
        return None;
    }
    let mut pose = skeleton.bind_pose();
    let mut now = placed;
    for &bone in skeleton.order() {
        let own = &skeleton.bones()[bone];
        let above = own.parent.map_or(Affine3A::IDENTITY, |parent| now[parent]);
        let kept = above * own.bind.matrix();
        now[bone] = kept;
        if let Some(stated) = stated[bone].filter(|stated| !is_near(stated, &kept)) {
            let (local, _) = Transform::nearest(&(above.inverse() * stated));
            let matrix = above * local.matrix();
            if matrix.is_finite() {
                (pose[bone], now[bone]) = (local, matrix);
            }
        }
    }
    let moved: Vec<usize> =
        (0..pose.len()).filter(|bone| pose[*bone] != skeleton.bones()[*bone].bind).collect();
    (!moved.is_empty()).then(|| (skeleton.with_bind_pose(pose), moved))
}

/// Returns where the skins place each bone in the bind pose; none if they do not, or contradict each other. Matrices can count from a
/// mesh that is elsewhere: a skin whose joints are all displaced in the same way is bound in the pose of the nodes.
fn stated(meshes: &[Mesh], placed: &[Affine3A]) -> Vec<Option<Affine3A>> {
    let skins = || meshes.iter().filter_map(|mesh| mesh.skin.as_ref());
    let joints = skins().flat_map(|skin| &*skin.joints);
    let mut stated = vec![None; placed.len()];
    let mut refused = vec![false; stated.len()];
    let size = joints.map(|own| own.inverse_bind.inverse().translation.abs().max_element());
    let size = size.filter(|size| size.is_finite()).fold(f32::MIN_POSITIVE, f32::max);
    let bound = skins().flat_map(|skin| {
        let is_displaced = is_displaced(skin, placed, size);
        skin.joints.iter().map(move |joint| {
            let own = placed.get(joint.bone).filter(|_| is_displaced).copied();
            (joint.bone, own.unwrap_or_else(|| joint.inverse_bind.inverse()))
        })
    });
    for (bone, place) in bound {
        let Some(known) = stated.get_mut(bone) else { continue };
        match known {
            _ if !place.is_finite() => refused[bone] = true,
            Some(known) => refused[bone] |= !is_near(known, &place, size),
            None => *known = Some(place),
        }
    }
    stated.into_iter().zip(refused).map(|(place, refused)| place.filter(|_| !refused)).collect()
}

/// Whether the joints of a skin move all vertices in the same way in the pose of the nodes.
fn is_displaced(skin: &Skin, placed: &[Affine3A], size: f32) -> bool {
    let mut moved = skin.joints.iter().map(|joint| Some(*placed.get(joint.bone)? * joint.inverse_bind));
    let Some(Some(first)) = moved.next() else { return false };
    first.is_finite() && moved.all(|own| own.is_some_and(|own| is_near(&first, &own, size)))
}

/// Returns the transform from the space of the points of the skins to that of the scene, if it scales: the nodes above the
/// joints convert units, or the inverse bind matrices unpack points. The first joint keeps its place.
fn rescaling(skeleton: &Skeleton, stated: &[Option<Affine3A>], placed: &[Affine3A]) -> Option<Affine3A> {
    let scale = |own: &Affine3A| own.matrix3.determinant().abs().cbrt();
    let is_within =
        skeleton.inherit(false, |bone, above: Option<bool>| above.unwrap_or(false) || stated[bone].is_some());
    let mut first: Option<(f32, Affine3A)> = None;
    for &bone in skeleton.order() {
        let is_top = !skeleton.bones()[bone].parent.is_some_and(|parent| is_within[parent]);
        let Some(own) = stated[bone].filter(|_| is_top) else { continue };
        let ratio = scale(&placed[bone]) / scale(&own);
        let (known, _) = *first.get_or_insert_with(|| (ratio, placed[bone] * own.inverse()));
        if !ratio.is_normal() || (ratio - 1.0).abs() <= SAME_SCALE || (ratio / known - 1.0).abs() > SAME_SCALE
        {
            return None;
        }
    }
    first.map(|(_, own)| own).filter(Affine3A::is_finite)
}

fn is_near(a: &Affine3A, b: &Affine3A, size: f32) -> bool {
    let columns = b.matrix3.to_cols_array();
    let scale = columns.iter().map(|own| own.abs()).fold(1.0, f32::max);
    a.matrix3.abs_diff_eq(b.matrix3, SAME * scale) && a.translation.abs_diff_eq(b.translation, SAME * size)
}

/// Returns a clip with the former bind pose as keys of these bones, where it has none.
fn holding(clip: &Clip, skeleton: &Skeleton, bones: &[usize]) -> Clip {
    let start = clip.span().map_or(0.0, |(start, _)| start);
    let curves = curves_of(clip, skeleton.bones().len());
    let mut holding = clip.clone();
    for &bone in bones {
        let (own, bind) = (&curves[bone], skeleton.bones()[bone].bind);
        let track = Track {
            bone,
            translation: own.translation.is_none().then(|| held(start, bind.translation)),
            rotation: own.rotation.is_none().then(|| held(start, bind.rotation)),
            scale: own.scale.is_none().then(|| held(start, bind.scale)),
        };
        if track.translation.is_some() || track.rotation.is_some() || track.scale.is_some() {
            holding.tracks.push(track);
        }
    }
    holding
}

fn held<T: Blend>(start: f32, value: T) -> Curve<T> {
    Curve::new([(start, value)], Interpolation::Linear)
}
