//! Curves: the order of keys, and values between them.

use bindpose::scene::{Curve, Interpolation};

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
