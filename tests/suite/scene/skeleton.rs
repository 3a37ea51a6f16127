//! Skeletons: the order of bones, cycles, and transforms from matrices.

use bindpose::scene::{Bone, Skeleton, Transform};
use glam::{Affine3A, Quat, Vec3};

fn chain(parents: &[Option<usize>]) -> (Skeleton, Vec<usize>) {
    Skeleton::new(parents.iter().map(|&parent| Bone { parent, ..Bone::default() }).collect())
}

#[test]
fn parents_come_first_wherever_they_are_stored() {
    let (skeleton, cut) = chain(&[Some(2), Some(0), None, Some(1)]);
    assert_eq!((skeleton.order(), cut), (&[2, 0, 1, 3][..], vec![]));
}

#[test]
fn each_cycle_is_cut_once_and_invalid_parents_are_removed() {
    let (skeleton, cut) = chain(&[Some(1), Some(2), Some(1), Some(9), Some(4)]);
    assert_eq!(cut.len(), 3);
    assert_eq!(skeleton.order().len(), 5);
    assert!(cut.contains(&3) && cut.contains(&4));
    // A bone attached to the cycle keeps its parent.
    assert_eq!(skeleton.bones()[0].parent, Some(1));
}

#[test]
fn a_chain_of_a_million_bones_is_supported() {
    let len = 1_000_000;
    let parents: Vec<_> = (0..len).map(|index| (index + 1 < len).then_some(index + 1)).collect();
    let (skeleton, cut) = chain(&parents);
    assert_eq!((skeleton.order()[0], cut.len()), (len - 1, 0));
    assert_eq!(skeleton.model_space(&[]).len(), len);
}

#[test]
fn a_mirrored_matrix_is_a_transform_and_a_sheared_one_is_not() {
    let turned = Transform {
        translation: Vec3::new(1.0, -2.0, 3.0),
        rotation: Quat::from_rotation_y(0.7),
        scale: Vec3::new(-1.0, 2.0, 0.5),
    };
    let (near, same) = Transform::nearest(&turned.matrix());
    assert!(same && near.matrix().abs_diff_eq(turned.matrix(), 1e-5));
    let sheared = Affine3A::from_cols(Vec3::X.into(), Vec3::ONE.into(), Vec3::Z.into(), Vec3::ZERO.into());
    assert!(!Transform::nearest(&sheared).1);
}
