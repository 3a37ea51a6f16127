//! Axes, handedness and units.

use bindpose::scene::{Space, Transform, Up};
use glam::{Quat, Vec3};

#[test]
fn transforms_and_matrices_are_converted_consistently() {
    let (translation, rotation, scale) = ([1.0, 2.0, 3.0], [0.1, -0.5, 0.3, 0.8], [1.0, 2.0, 3.0]);
    let there = Transform {
        translation: translation.into(),
        rotation: Quat::from_array(rotation).normalize(),
        scale: scale.into(),
    };
    let left = Space::LEFT_Y_UP.with_unit(0.5);
    for space in [Space::RIGHT_Y_UP, Space::RIGHT_Z_UP, left, left.with_up(Up::Z)] {
        let by_parts = space.transform(translation, rotation, scale).matrix();
        let whole = space.matrix(&there.matrix());
        assert!(by_parts.abs_diff_eq(whole, 1e-5), "{space:?}");
        let point = [0.3, 0.2, -4.0];
        let moved = there.matrix().transform_point3(point.into());
        let expected = space.point(moved.to_array());
        assert!(whole.transform_point3(space.point(point)).abs_diff_eq(expected, 1e-4), "{space:?}");
    }
}
#[test]
fn the_specified_up_axis_is_up_and_handedness_does_not_change() {
    for space in [Space::RIGHT_Y_UP, Space::RIGHT_Z_UP, Space::LEFT_Y_UP, Space::LEFT_Z_UP] {
        for (up, axis) in [(Up::Y, [0.0, 1.0, 0.0]), (Up::Z, [0.0, 0.0, 1.0])] {
            let turned = space.with_unit(2.0).with_up(up);
            assert_eq!(turned.point(axis), Vec3::Y * 2.0);
            assert_eq!(turned.mirrors(), space.mirrors());
        }
    }
}
