//! Curves: the order of keys, and values between them.

use bindpose::scene::{Clip, Curve, Interpolation, Scene, Track};
use glam::{Quat, Vec3};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::folders;

#[test]
fn keys_are_sorted_and_the_last_one_at_each_time_is_used() {
    let keys = [(1.0, 5.0), (0.0, 1.0), (f32::NAN, 9.0), (1.0, 7.0)];
    let curve = Curve::new(keys, Interpolation::Linear);
    assert_eq!((curve.times(), curve.values()), (&[0.0, 1.0][..], &[1.0, 7.0][..]));
    assert_eq!(curve.sample(-3.0), Some(1.0));
}

#[test]
fn tangents_are_sorted_with_their_keys() {
    let keys = [(1.0, 1.0), (0.0, 0.0), (f32::INFINITY, 7.0)];
    let curve = Curve::new(keys, Interpolation::CubicSpline(vec![[4.0, 5.0], [2.0, 3.0], [6.0, 6.0]]));
    assert_eq!(curve.between(), &Interpolation::CubicSpline(vec![[2.0, 3.0], [4.0, 5.0]]));
    assert_eq!(curve.values(), [0.0, 1.0]);
}

#[test]
fn a_spline_with_zero_tangents_eases_in_and_out() {
    let curve = Curve::new([(0.0, 0.0), (2.0, 1.0)], Interpolation::CubicSpline(vec![[0.0; 2]; 2]));
    assert_eq!(curve.sample(1.0), Some(0.5));
    assert_eq!(curve.sample(0.5), Some(0.156_25));
}

#[test]
fn a_curve_is_constant_after_its_end_without_overshoot() {
    let curve =
        Curve::new([(0.0, 0.0), (1.0, 1.0)], Interpolation::CubicSpline(vec![[2.0; 2]; 2])).held_until(3.0);
    assert_eq!(curve.times(), [0.0, 1.0, 3.0]);
    assert_eq!([1.0, 1.5, 2.9].map(|time| curve.sample(time)), [Some(1.0); 3]);
    for early in [0.5, f32::NAN, f32::INFINITY] {
        assert_eq!(curve.clone().held_until(early), curve);
    }
}

#[test]
fn step_interpolation_jumps() {
    let curve = Curve::new([(0.0, 1.0), (1.0, 2.0)], Interpolation::Step);
    assert_eq!([0.99, 1.0].map(|time| curve.sample(time)), [Some(1.0), Some(2.0)]);
    assert_eq!(Curve::<f32>::new([], Interpolation::Step).sample(0.0), None);
}

#[test]
fn all_values_at_ascending_times_are_those_at_each_time() {
    let keys = [(0.0, 1.0), (0.5, -2.0), (0.5625, 3.0), (2.0, 3.0)];
    let tangents = vec![[1.0, 2.0], [0.5, -1.0], [3.0, 0.0], [0.0, 4.0]];
    for between in [Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline(tangents)] {
        let curve = Curve::new(keys, between);
        let times = || (-8..40_i8).map(|step| f32::from(step) / 16.0);
        let single: Option<Vec<f32>> = times().map(|time| curve.sample(time)).collect();
        assert_eq!(curve.sample_all(times()), single);
        for (time, value) in keys {
            assert_eq!(curve.sample(time), Some(value));
        }
    }
    assert_eq!(Curve::<f32>::new([], Interpolation::Step).sample_all([0.0]), None);
}

proptest! {
    #![proptest_config(folders::config(128))]
    #[test]
    fn a_part_of_a_spline_moves_as_the_whole(
        angles in vec(-1.5_f32..1.5, 4),
        slopes in vec(-2.0_f32..2.0, 4),
        (start, length) in (0.0_f32..2.0, 0.2_f32..1.0),
    ) {
        let times = || [0.0, 1.0, 2.0, 3.0].into_iter();
        let tangents: Vec<_> = slopes.iter().map(|slope| [Vec3::X * *slope; 2]).collect();
        let values = angles.iter().map(|angle| Vec3::X * *angle);
        let translation = Some(Curve::new(times().zip(values), Interpolation::CubicSpline(tangents)));
        let tangents = slopes.iter().map(|slope| [Quat::from_xyzw(*slope, 0.0, 0.0, 0.5); 2]).collect();
        let values = angles.iter().map(|angle| Quat::from_rotation_x(*angle));
        let rotation = Some(Curve::new(times().zip(values), Interpolation::CubicSpline(tangents)));
        let clip = Clip { tracks: vec![Track { translation, rotation, ..Track::default() }], ..Clip::default() };
        let part = clip.part("part", start, start + length);
        for step in 0..=20_u8 {
            let time = length * f32::from(step) / 20.0;
            let [own, all] = [(&part, time), (&clip, start + time)].map(|(clip, time)| {
                let track = &clip.tracks[0];
                let place = track.translation.as_ref().and_then(|own| own.sample(time));
                (place.expect("keys"), track.rotation.as_ref().and_then(|own| own.sample(time)).expect("keys"))
            });
            prop_assert!(own.0.distance(all.0) < 1e-3, "{} and {} at {time}", own.0, all.0);
            prop_assert!(own.1.angle_between(all.1) < 2e-3, "{} and {} at {time}", own.1, all.1);
        }
    }
}

proptest! {
    #![proptest_config(folders::config(128))]
    #[test]
    fn reduced_keys_stay_within_the_tolerance(
        steps in vec((-0.02_f32..0.02, -0.02_f32..0.02), 1..40),
        tolerance in 1e-4_f32..0.05,
        is_held in any::<bool>(),
    ) {
        let between = || if is_held { Interpolation::Step } else { Interpolation::Linear };
        let mut sum = (0.0, 0.0);
        let sums: Vec<_> = steps.iter().map(|(a, b)| { sum = (sum.0 + a, sum.1 + b); sum }).collect();
        let times = (0_u16..).map(f32::from);
        let translation = Curve::new(times.clone().zip(sums.iter().map(|(x, _)| Vec3::X * *x)), between());
        let rotation = Curve::new(
            times.zip(sums.iter().map(|(_, angle)| Quat::from_rotation_y(*angle))),
            if is_held { Interpolation::Step } else { Interpolation::Linear },
        );
        let track = Track { translation: Some(translation), rotation: Some(rotation), ..Track::default() };
        let mut scene = Scene::default();
        scene.clips.push(Clip { tracks: vec![track.clone()], ..Clip::default() });
        let removed = scene.reduce_keys(tolerance);
        let reduced = &scene.clips[0].tracks[0];
        let [a, b] = [&track, reduced].map(|own| own.translation.as_ref().expect("keys"));
        let [c, d] = [&track, reduced].map(|own| own.rotation.as_ref().expect("keys"));
        prop_assert_eq!(a.times().len() + c.times().len(), b.times().len() + d.times().len() + removed);
        for time in a.times() {
            let far = a.sample(*time).expect("a key").distance(b.sample(*time).expect("a key"));
            let turned = c.sample(*time).expect("a key").angle_between(d.sample(*time).expect("a key"));
            prop_assert!(far <= tolerance * 1.01 + 1e-6, "{} at {}", far, time);
            // An angle near zero has few digits.
            prop_assert!(turned <= tolerance * 1.01 + 1e-3, "{} at {}", turned, time);
        }
    }
}
