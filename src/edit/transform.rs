//! Moves and re-times files.

use glam::{Mat3, Quat, Vec3};

use super::scale::keep_partial;
use super::{Rigid, undamaged, unsupported};
use crate::formats::Family;
use crate::schema::EditError;
use crate::{Budget, Error, ErrorKind, File, Result};

/// The distance from -1, 0 or 1 at which a number of a rotation matrix is that number: a few roundings.
const EXACT: f32 = 4e-7;

/// Rotates everything in a set of files about the origin, then moves it: root bones in the bind pose and in clips, vertices,
/// normals and morph targets. Rotation and translation are in the axes and the unit of the files.
///
/// The scene of the result is the transformed scene of the original, up to the rounding of each number. Animations of Cal3D need
/// their skeleton in the set, and those of `.x` files their frames, because only these show the root bones. A vector or rotation
/// that is only partly present in a truncated file stays as it is: see [`schema::partial`](crate::schema::partial). After an error
/// the files are unchanged. Memory is charged to the budget as by [`scale`](super::scale).
///
/// # Errors
/// As `scale` for the budget, [`EditError::Unsupported`] if a number is not finite, and for contents whose position
/// cannot follow: some records of PSK files, compressed animation sets of `.x` files, packed tracks of Cal3D where the version has
/// no others and the format cannot represent the result, and the trees of ms14 and ms15 unless all angles are right.
pub fn transform(files: &mut [File], rotation: Quat, translation: Vec3, budget: &Budget) -> Result<()> {
    if !(rotation.is_finite() && rotation.length() > 0.0 && translation.is_finite()) {
        return Err(unsupported("a rotation or translation is not a number"));
    }
    let motion = Rigid { translation, rotation: rotation.normalize() };
    let mut moved = files.to_vec();
    for family in crate::formats::FAMILIES {
        (family.transform)(&mut moved, motion, budget)?;
    }
    for (moved, original) in moved.iter_mut().zip(&*files) {
        keep_partial(moved, original, true)?;
    }
    files.clone_from_slice(&moved);
    Ok(())
}

/// Sets the frame rate of all clips of a file. Frames stay as they are, so clips become shorter or longer; times in seconds are
/// multiplied by the ratio of the rates.
///
/// # Errors
/// [`EditError::NoRate`] if the file has no frame rate: MilkShape 3D, PSA, IQM and an12 files of UNIGINE have one.
/// [`EditError::Unsupported`] if the rate is not a positive number or a clip has none; [`EditError::Damaged`] for a damaged
/// file. The file is unchanged then.
pub fn retime(file: &mut File, rate: f32) -> Result<()> {
    with_rate(file, rate, |family, file| (family.retime)(file, rate))
}

/// As [`retime`], but clips keep their length, to the nearest frame: the keys of PSA are sampled at the new rate; those of
/// MilkShape 3D have times, and stay as they are. The new keys are charged to the budget.
///
/// # Errors
/// As [`retime`]; [`EditError::Unsupported`] for IQM and an12 files of UNIGINE, and if the sequences of a PSA do not have all of its
/// keys, one after the other.
/// [`ErrorKind::Limit`](crate::ErrorKind::Limit) with the path of a sequence that has too many frames for the budget.
pub fn resample(file: &mut File, rate: f32, budget: &Budget) -> Result<()> {
    let has_none = |done: &Result<()>| done.as_ref().is_err_and(has_no_rate);
    let done = with_rate(file, rate, |family, file| (family.resample)(file, rate, budget));
    if has_none(&done) && !has_none(&retime(&mut file.clone(), rate)) {
        return Err(unsupported(&format!("the frames of {} files cannot be resampled", file.kind().name())));
    }
    done
}

fn has_no_rate(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Value(EditError::NoRate { .. }))
}

fn with_rate(file: &mut File, rate: f32, edit: impl Fn(&Family, &mut File) -> Result<bool>) -> Result<()> {
    if !(rate > 0.0 && rate.is_finite()) {
        return Err(unsupported("the frame rate must be a positive number"));
    }
    undamaged([&*file])?;
    let mut edited = file.clone();
    for family in crate::formats::FAMILIES {
        if edit(family, &mut edited)? {
            *file = edited;
            return Ok(());
        }
    }
    let format = file.kind().name().to_owned();
    Err(Error::new(0, ErrorKind::Value(EditError::NoRate { format })))
}

impl Rigid {
    /// Returns a point after the transformation.
    pub fn point(self, point: [f32; 3]) -> [f32; 3] {
        (self.translation + Vec3::from(self.direction(point))).into()
    }

    /// Returns a direction after the rotation. Right angles are exact.
    pub fn direction(self, direction: [f32; 3]) -> [f32; 3] {
        let exact = |number: f32| {
            let near = number.round();
            if (number - near).abs() < EXACT { near } else { number }
        };
        let axes = Mat3::from_quat(self.rotation).to_cols_array().map(exact);
        (Mat3::from_cols_array(&axes) * Vec3::from(direction)).into()
    }

    /// Returns a tangent after the rotation. Its last number is a sign.
    pub fn tangent(self, [x, y, z, sign]: [f32; 4]) -> [f32; 4] {
        let [x, y, z] = self.direction([x, y, z]);
        [x, y, z, sign]
    }
}

/// Returns the corners of a box.
pub(crate) fn corners(min: [f32; 3], max: [f32; 3]) -> [[f32; 3]; 8] {
    std::array::from_fn(|corner| {
        std::array::from_fn(|axis| if corner >> axis & 1 == 0 { min[axis] } else { max[axis] })
    })
}
