//! Scales a model.

use crate::edit::times;
use crate::{Budget, File, Result};

#[expect(clippy::unnecessary_wraps, reason = "other families can refuse")]
pub(in crate::formats) fn scale(file: &mut File, factor: f32, _: &Budget) -> Result<()> {
    let File::Ms3d(model) = file else { return Ok(()) };
    model.vertices.iter_mut().for_each(|own| times(&mut own.position, factor));
    for joint in model.joints.iter_mut() {
        times(&mut joint.position, factor);
        joint.position_keys.iter_mut().for_each(|key| times(&mut key.value, factor));
    }
    Ok(())
}
