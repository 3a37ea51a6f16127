//! The direction in which the skeleton of a character stands.

use glam::Vec3;

use super::Skeleton;

/// How much longer the direction must be along one axis than along the others.
const DOMINANT: f32 = 2.0;

/// Returns the axis along which a character stands in its bind pose: from its feet to its head, and from the nearest foot to its
/// pelvis. `None` if the names of bones do not show these, or the axes are not clear: a crocodile has its head in front of its feet.
pub(crate) fn upright(skeleton: &Skeleton) -> Option<Vec3> {
    let placed = skeleton.model_space(&skeleton.bind_pose());
    let named = |words: &[&str]| -> Vec<Vec3> {
        let bones = skeleton.bones().iter().zip(&placed);
        let own = bones.filter(|(bone, _)| {
            let name = bone.name.to_lowercase();
            words.iter().any(|word| name.contains(word))
        });
        own.map(|(_, place)| place.translation.into()).collect()
    };
    let (feet, pelvis, heads) = (named(&["foot", "ankle"]), named(&["pelvis", "hips"]), named(&["head"]));
    let (pelvis, head) = (*pelvis.first()?, *heads.first()?);
    let nearest = feet.iter().copied().min_by(|a, b| a.distance(pelvis).total_cmp(&b.distance(pelvis)))?;
    #[expect(clippy::cast_precision_loss, reason = "few feet")]
    let middle = feet.iter().sum::<Vec3>() / feet.len() as f32;
    let axis = dominant(head - middle)?;
    (dominant(pelvis - nearest)? == axis).then_some(axis)
}

/// Returns the axis that a direction is near to.
fn dominant(direction: Vec3) -> Option<Vec3> {
    let axis = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().find(|axis| {
        let along = direction.dot(*axis).abs();
        along > DOMINANT * (direction - *axis * direction.dot(*axis)).abs().max_element()
    })?;
    Some(axis * direction.dot(axis).signum())
}
