//! Animation clips.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use bindpose::counted;
use bindpose::scene::{Curve, Interpolation, MorphTrack, Scene, Targets, Track};
use bytemuck::NoUninit;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::make;
use super::mesh::pose;
use crate::arrays::{array, list};
use crate::records;

/// An animation of a scene. One that is made of tracks is a part of the scene that it is given to.
///
/// >>> walk = bindpose.Clip("walk", [bindpose.Track(0, translation=bindpose.Curve([0, 1], [[0, 0, 0], [0, 0, 2]]))])
/// >>> walk.end
/// 1.0
///
/// Args:
///     name: the name.
///     tracks: the tracks of bones: `Track`.
///     morphs: the tracks of morph targets: `MorphTrack`.
///     has_root_motion: whether the movement of the root is that of the character through the world.
///
/// Raises:
///     ValueError: if an array has another shape than documented, two keys of a curve have one time, two tracks have one bone, or
///         a rotation is zero, infinite or NaN. Other rotations get unit length.
#[pyclass(module = "bindpose", frozen)]
#[derive(Debug)]
pub struct Clip {
    scene: Arc<Scene>,
    index: usize,
}

impl Clip {
    pub fn new(scene: &Arc<Scene>, index: usize) -> Self {
        Self { scene: Arc::clone(scene), index }
    }

    /// A clip that is part of no other scene.
    pub fn of(clip: bindpose::scene::Clip) -> Self {
        Self::new(&Arc::new(Scene { clips: vec![clip], ..Scene::default() }), 0)
    }

    pub fn clip(&self) -> &bindpose::scene::Clip {
        &self.scene.clips[self.index]
    }

    /// Returns the index in a scene.
    pub fn index_in(&self, scene: &Arc<Scene>) -> PyResult<usize> {
        if Arc::ptr_eq(&self.scene, scene) {
            return Ok(self.index);
        }
        Err(PyValueError::new_err("the clip is part of another scene"))
    }
}

#[pymethods]
impl Clip {
    #[new]
    #[pyo3(signature = (name, tracks=None, morphs=None, *, has_root_motion=false))]
    fn made(
        name: String,
        tracks: Option<&Bound<'_, PyAny>>,
        morphs: Option<&Bound<'_, PyAny>>,
        has_root_motion: bool,
    ) -> PyResult<Self> {
        make::clip(name, tracks, morphs, has_root_motion).map(Self::of)
    }

    /// The name.
    #[getter]
    fn name(&self) -> &str {
        &self.clip().name
    }

    /// The time of the first key in seconds; 0 if there are no keys.
    #[getter]
    fn start(&self) -> f32 {
        self.clip().span().unwrap_or_default().0
    }

    /// The time of the last key in seconds; 0 if there are no keys.
    #[getter]
    fn end(&self) -> f32 {
        self.clip().span().unwrap_or_default().1
    }

    /// Whether the movement of the root is that of the character through the world.
    #[getter]
    fn has_root_motion(&self) -> bool {
        self.clip().has_root_motion
    }

    /// The tracks of bones: a list of `Track`.
    #[getter]
    fn tracks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, &self.clip().tracks, |own| track(py, own))
    }

    /// The tracks of morph targets: a list of `MorphTrack`.
    #[getter]
    fn morphs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, &self.clip().morphs, |own| morph_track(py, own))
    }

    /// Returns the pose of all bones at some times, as `Pose`; bones without a track are in the bind pose.
    ///
    /// >>> clip = bindpose.scene("body.psk", "run.psa", rate=30).clips[0]
    /// >>> clip.sample([0.0, 0.5]).rotations.shape
    /// (2, 4, 4)
    ///
    /// Args:
    ///     times: a time in seconds, or a sequence of n times, which become the first dimension of the arrays.
    fn sample<'py>(&self, py: Python<'py>, times: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (times, count) = match times.extract::<f32>() {
            Ok(time) => (vec![time], None),
            Err(_) => {
                let expected = |_| PyTypeError::new_err("expected a time in seconds, or a sequence of times");
                let each = times.try_iter().map_err(expected)?;
                let times =
                    each.map(|time| time?.extract().map_err(expected)).collect::<PyResult<Vec<f32>>>()?;
                let count = times.len();
                (times, Some(count))
            }
        };
        times.iter().try_for_each(|time| is_time(*time))?;
        let clip = self.clip();
        let poses = py
            .detach(|| times.iter().map(|time| clip.sample(&self.scene.skeleton, *time)).collect::<Vec<_>>());
        pose(py, &self.scene, count, &poses)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, own) = (slf.py(), slf.get());
        let restore = py.import("bindpose._bindpose")?.getattr("_restore_clip")?;
        let parts = (own.name(), own.tracks(py)?, own.morphs(py)?, own.has_root_motion());
        Ok((restore, parts.into_pyobject(py)?))
    }

    /// Clips are equal if their names and keys are.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self.clip() == other.get().clip())
    }

    fn __hash__(&self) -> u64 {
        hash_of(&(&self.clip().name, self.clip().tracks.len()))
    }

    fn __repr__(&self) -> String {
        let clip = self.clip();
        let (start, end) = clip.span().unwrap_or_default();
        let tracks = counted(clip.tracks.len() as u64, "track");
        format!("<Clip {:?}, {tracks}, {start} to {end} seconds>", clip.name)
    }
}

fn track<'py>(py: Python<'py>, own: &Track) -> PyResult<Bound<'py, PyAny>> {
    let rotation = own.rotation.as_ref().map(|curve| curve_of(py, curve, &[4])).transpose()?;
    let of_vectors =
        |curve: Option<&Curve<glam::Vec3>>| curve.map(|curve| curve_of(py, curve, &[3])).transpose();
    let (translation, scale) = (of_vectors(own.translation.as_ref())?, of_vectors(own.scale.as_ref())?);
    records::make(py, "Track", (own.bone, translation, rotation, scale))
}

fn morph_track<'py>(py: Python<'py>, own: &MorphTrack) -> PyResult<Bound<'py, PyAny>> {
    let targets = match &own.targets {
        Targets::Named(name) => name.into_pyobject(py)?.into_any(),
        Targets::These(pairs) => pairs.into_pyobject(py)?.into_any(),
    };
    records::make(py, "MorphTrack", (targets, curve_of(py, &own.weight, &[])?))
}

/// Returns keys and interpolation of a curve; `width` is the shape of a value.
fn curve_of<'py, T: NoUninit + bindpose::scene::Blend>(
    py: Python<'py>,
    curve: &Curve<T>,
    width: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let count = curve.times().len();
    let (interpolation, tangents) = match curve.between() {
        Interpolation::Step => ("step", None),
        Interpolation::Linear => ("linear", None),
        Interpolation::CubicSpline(tangents) => {
            let flat: Vec<T> = tangents.iter().flatten().copied().collect();
            ("cubic-spline", Some(array::<f32>(py, &flat, &[&[count, 2], width].concat())?))
        }
    };
    let times = array::<f32>(py, curve.times(), &[count])?;
    let values = array::<f32>(py, curve.values(), &[&[count], width].concat())?;
    records::make(py, "Curve", (times, values, interpolation, tangents))
}

/// Refuses a time that is NaN.
pub fn is_time(seconds: f32) -> PyResult<()> {
    if seconds.is_nan() { Err(PyValueError::new_err("a time is not a number")) } else { Ok(()) }
}

/// Returns a hash of parts that equal objects have in common.
pub fn hash_of(parts: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}

/// Returns whether two scenes have the same parts; their sources and losses can differ.
pub fn have_same_parts(own: &Scene, other: &Scene) -> bool {
    own.skeleton.bones() == other.skeleton.bones()
        && own.meshes == other.meshes
        && own.materials == other.materials
        && own.clips == other.clips
        && own.attachments == other.attachments
}
