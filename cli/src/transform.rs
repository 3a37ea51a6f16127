//! `bindpose transform`: scale, rotate, move and re-time files.

use std::f32::consts::FRAC_PI_2;

use super::editing::{Editing, Scope};
use super::scene::{axis, finite, positive};
use crate::prelude::*;
use bindpose::File;
use bindpose::edit;
use bindpose::glam::{Quat, Vec3};
use bindpose::scene::Up;
use bindpose::schema;

/// Scale, rotate, move and re-time meshes, skeletons and clips
///
/// Bind poses, clips, normals, morph targets and bounds follow. The operations are applied in this order: scale, up, rotate,
/// translate. Give all files of a set, and transform all of them in the same way: animations of Cal3D and DirectX can only be
/// rotated and moved together with the file that has their bones. For that, files in a directory are grouped as by `convert`. MilkShape
/// 3D, PSA and IQM files, and an12 files of UNIGINE, have a frame rate.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose transform hero.ms3d --scale 100 -o large.ms3d
  bindpose transform hero.psk walk.psa --scale 0.01 --up y --out-dir metres
  bindpose transform hero.psk walk.psa --rotate z=180 --translate 0,0,-4.5 --in-place
  bindpose transform walk.psa --fps 60 -o fast.psa
  bindpose transform clips --fps 30 --keep-duration --out-dir resampled")]
#[group(id = "operations", required = true, multiple = true, args = ["scale", "up", "rotate", "translate", "fps"])]
pub(super) struct Transform {
    #[command(flatten)]
    editing: Editing,
    /// Multiply all lengths by FACTOR
    #[arg(long, value_name = "FACTOR", value_parser = positive, help_heading = "Transformation", allow_hyphen_values = true)]
    scale: Option<f32>,
    /// Rotate so that this axis points up where the other one did: y for Z-up data, z for Y-up data
    #[arg(long, value_name = "AXIS", value_parser = axis(), help_heading = "Transformation")]
    up: Option<Up>,
    /// Rotate about an axis of the file through the origin, counterclockwise; repeat for several, in this order
    #[arg(long, value_name = "AXIS=DEGREES", value_parser = turn, help_heading = "Transformation", allow_hyphen_values = true)]
    rotate: Vec<Quat>,
    /// Move along the axes of the file
    #[arg(long, value_name = "X,Y,Z", value_parser = shift, help_heading = "Transformation", allow_hyphen_values = true)]
    translate: Option<Vec3>,
    /// Set the frame rate of all clips; frames are kept, so clips become shorter or longer
    #[arg(long, value_name = "RATE", value_parser = positive, help_heading = "Transformation", allow_hyphen_values = true)]
    fps: Option<f32>,
    /// With --fps: keep the length of clips, and sample their keys at the new rate
    #[arg(long, requires = "fps", help_heading = "Transformation")]
    keep_duration: bool,
}

fn turn(text: &str) -> Result<Quat, String> {
    let (axis, degrees) = text.split_once('=').ok_or("expected AXIS=DEGREES, such as z=90")?;
    let angle = finite::<f32>(degrees)?.to_radians();
    match axis {
        "x" => Ok(Quat::from_rotation_x(angle)),
        "y" => Ok(Quat::from_rotation_y(angle)),
        "z" => Ok(Quat::from_rotation_z(angle)),
        _ => Err(format!("`{axis}` is not an axis: x, y or z")),
    }
}

fn shift(text: &str) -> Result<Vec3, String> {
    let numbers: Vec<_> = text.split(',').map(finite::<f32>).collect::<Result<_, _>>()?;
    let numbers: [f32; 3] = numbers.try_into().map_err(|_| "expected X,Y,Z, such as 0,0,-4.5")?;
    Ok(numbers.into())
}

impl Verb for Transform {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let (common, motion) = (output.common, self.motion());
        let edit = |files: &mut [File], paths: &[&Path], budget: &Budget| {
            files.iter_mut().try_for_each(|file| self.resize(file, budget))?;
            if let Some((rotation, translation)) = motion {
                edit::transform(files, rotation, translation, budget)?;
            }
            for (file, path) in files.iter().zip(paths) {
                self.warn_of_partial(file, path, motion.is_some(), common);
            }
            Ok(())
        };
        if motion.is_some() {
            // Some files can only be moved together with others of their set.
            return self.editing.set(&Scope::SETS, output, edit);
        }
        let items = self.editing.list()?;
        self.editing.each(&Scope::ALL, items, output, edit)
    }
}

impl Transform {
    fn resize(&self, file: &mut File, budget: &Budget) -> Result<()> {
        if let Some(factor) = self.scale {
            edit::scale(file, factor, budget)?;
        }
        if let Some(rate) = self.fps {
            if self.keep_duration {
                edit::resample(file, rate, budget)?;
            } else {
                edit::retime(file, rate)?;
            }
        }
        Ok(())
    }

    /// Names the value that stays as it is, because only a part of it is present.
    fn warn_of_partial(&self, file: &File, path: &Path, is_moved: bool, common: Common) {
        let partial = schema::partial(file.value(), is_moved).filter(|_| is_moved || self.scale.is_some());
        if let Some(field) = partial.filter(|_| !common.quiet) {
            note!("bindpose: {}: {field}: only partly present; left unchanged", shown(path));
        }
    }

    /// Returns the rotation and translation; none if there is neither.
    fn motion(&self) -> Option<(Quat, Vec3)> {
        let moves = self.up.is_some() || !self.rotate.is_empty() || self.translate.is_some();
        let up = match self.up {
            Some(Up::Y) => Quat::from_rotation_x(-FRAC_PI_2),
            Some(Up::Z) => Quat::from_rotation_x(FRAC_PI_2),
            _ => Quat::IDENTITY,
        };
        let rotation = self.rotate.iter().fold(up, |all, turn| *turn * all);
        moves.then(|| (rotation, self.translate.unwrap_or(Vec3::ZERO)))
    }
}
