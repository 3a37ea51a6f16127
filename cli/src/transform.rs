//! `bindpose transform`: scale, rotate, move and re-time files.

use std::f32::consts::FRAC_PI_2;

use super::editing::{Editing, Scope};
use super::scene::{axis, finite, positive};
use crate::prelude::*;
use bindpose::edit;
use bindpose::glam::{Quat, Vec3};
use bindpose::scene::Up;
use bindpose::schema::{self, EditError};
use bindpose::{Error, ErrorKind, File};

/// Scale, rotate, move and re-time meshes, skeletons and clips
///
/// Bind poses, clips, normals, morph targets and bounds follow. The operations are applied in this order: scale, up, rotate,
/// translate. Give all files of a set, and transform all of them in the same way: animations of Cal3D and DirectX can only be
/// rotated and moved together with the file that has their bones. For that, files in a directory are grouped as by `convert`. MilkShape
/// 3D, PSA and IQM files, and an12 files of UNIGINE, have a frame rate; `--fps` leaves others as they are.
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
    ///
    /// The keys of PSA files are sampled. Those of MilkShape 3D files have times and stay, if all are on whole frames of the new rate.
    /// `convert FILE --rate RATE -o OUT` samples the clips of any file.
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
        let items =
            if motion.is_some() { self.editing.list_with_repetitions()? } else { self.editing.list()? };
        if let Some(rate) = self.fps {
            self.some_has_rate(&items, rate)?;
        }
        let help = self.keep_duration.then_some(RESAMPLE);
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
            return self.editing.set(&Scope { help, ..Scope::SETS }, items, output, edit);
        }
        self.editing.each(&Scope { help, ..Scope::ALL }, items, output, edit)
    }
}

/// The command that samples any clip.
const RESAMPLE: &str = "`bindpose convert FILE --rate RATE -o OUT` samples the clips at another rate";

fn has_no_rate(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Value(EditError::NoRate { .. }))
}

impl Transform {
    fn resize(&self, file: &mut File, budget: &Budget) -> Result<()> {
        if let Some(factor) = self.scale {
            edit::scale(file, factor, budget)?;
        }
        if let Some(rate) = self.fps {
            let done = if self.keep_duration {
                edit::resample(file, rate, budget)
            } else {
                edit::retime(file, rate)
            };
            match done {
                // Another file of the set has one.
                Err(error) if has_no_rate(&error) => {}
                Err(error) if self.keep_duration => return Err(Failure::from(error).with_help(RESAMPLE)),
                done => done?,
            }
        }
        Ok(())
    }

    /// Fails if no file has a frame rate. Files that cannot be read are reported when they are edited.
    fn some_has_rate(&self, items: &[Item], rate: f32) -> Result<()> {
        let mut without = None;
        for item in items {
            match self.editing.load(item) {
                Ok(Some(document)) => match edit::retime(&mut document.into_file(), rate) {
                    Err(error) if has_no_rate(&error) => without = Some((item, error)),
                    _ => return Ok(()),
                },
                Ok(None) => {}
                Err(_) => return Ok(()),
            }
        }
        match without {
            Some((item, error)) if items.len() == 1 => Err(error).in_file(&item.path),
            Some(_) => Err(Failure::usage("no file has a frame rate")),
            None => Ok(()),
        }
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
