//! Clips with fewer keys.

use super::{Blend, Curve, Interpolation, Scene};

impl Scene {
    /// Removes keys of clips that interpolation between the others replaces, and returns their number.
    ///
    /// At the time of each removed key, translations differ by at most `tolerance` metres, rotations by as many radians, and
    /// scale factors and weights of morph targets by as much. The first and the last key of a curve remain, and cubic splines
    /// do not change.
    ///
    /// ```
    /// use bindpose::scene::{Clip, Curve, Interpolation, Scene, Track};
    /// use glam::Vec3;
    /// let keys = [(0.0, Vec3::ZERO), (1.0, Vec3::X), (2.0, Vec3::X * 2.0), (3.0, Vec3::ZERO)];
    /// let translation = Some(Curve::new(keys, Interpolation::Linear));
    /// let clip = Clip { tracks: vec![Track { translation, ..Track::default() }], ..Clip::default() };
    /// let mut scene = Scene { clips: vec![clip], ..Scene::default() };
    /// assert_eq!(scene.reduce_keys(1e-4), 1);
    /// ```
    pub fn reduce_keys(&mut self, tolerance: f32) -> usize {
        let mut removed = 0;
        for clip in &mut self.clips {
            for track in &mut clip.tracks {
                removed += reduce(&mut track.translation, tolerance);
                removed += reduce(&mut track.rotation, tolerance);
                removed += reduce(&mut track.scale, tolerance);
            }
            for morph in &mut clip.morphs {
                removed += morph.weight.reduce(tolerance);
            }
        }
        removed
    }
}

fn reduce<T: Blend>(curve: &mut Option<Curve<T>>, tolerance: f32) -> usize {
    curve.as_mut().map_or(0, |curve| curve.reduce(tolerance))
}

impl<T: Blend> Curve<T> {
    fn reduce(&mut self, tolerance: f32) -> usize {
        let (times, values) = (self.times(), self.values());
        if times.is_empty() {
            return 0;
        }
        let is_kept = match self.between() {
            Interpolation::Linear => kept_of_lines(times, values, tolerance),
            Interpolation::Step => kept_of_steps(values, tolerance),
            Interpolation::CubicSpline(_) => return 0,
        };
        let keys = times.iter().copied().zip(values.iter().copied());
        let keys: Vec<_> = keys.zip(&is_kept).filter_map(|(key, kept)| kept.then_some(key)).collect();
        let removed = times.len() - keys.len();
        if removed > 0 {
            *self = Self::new(keys, self.between().clone());
        }
        removed
    }
}

/// Returns for each key whether it is kept: the first, the last, and those that differ from the kept one before.
fn kept_of_steps<T: Blend>(values: &[T], tolerance: f32) -> Vec<bool> {
    let (mut held, last) = (0, values.len() - 1);
    let mut is_kept = |key: usize| {
        let is_kept = key == 0 || key == last || values[key].distance(values[held]) > tolerance;
        held = if is_kept { key } else { held };
        is_kept
    };
    (0..values.len()).map(&mut is_kept).collect()
}

/// Returns for each key whether it is kept: in each range between two of them, the farthest one that is not within the
/// tolerance.
fn kept_of_lines<T: Blend>(times: &[f32], values: &[T], tolerance: f32) -> Vec<bool> {
    let mut is_kept = vec![false; times.len()];
    let last = times.len() - 1;
    (is_kept[0], is_kept[last]) = (true, true);
    let mut ranges = vec![(0, last)];
    while let Some((from, to)) = ranges.pop() {
        let distance = |key: usize| {
            let share = (times[key] - times[from]) / (times[to] - times[from]);
            values[from].blend(values[to], share).distance(values[key])
        };
        let far = (from + 1..to).map(|key| (key, distance(key)));
        let Some((key, distance)) = far.max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        if distance > tolerance {
            is_kept[key] = true;
            ranges.extend([(from, key), (key, to)]);
        }
    }
    is_kept
}
