//! Weights and deformation.

use bindpose::scene::{Joint, MAX_INFLUENCES, Skin, Weights};
use glam::{Affine3A, Vec3};

#[test]
fn influences_are_merged_sorted_and_sum_to_one() {
    let rows = [(0, 2, 0.2), (0, 1, 0.3), (0, 2, 0.5), (0, 9, 1.0), (0, 0, f32::NAN), (0, 0, 0.0)];
    let (weights, off) = Weights::gather(1, 3, rows);
    let influences: Vec<_> = weights.of(0).iter().map(|own| (own.joint, own.weight)).collect();
    assert_eq!(influences, [(2, 0.7), (1, 0.3)]);
    assert_eq!((off.refused, off.scaled), (2, 0));
}

#[test]
fn the_largest_weights_can_be_merged() {
    let (weights, off) = Weights::gather(1, 2, [(0, 1, f32::MAX), (0, 1, f32::MAX), (0, 0, f32::MAX)]);
    let shares: Vec<_> = weights.of(0).iter().map(|own| (own.joint, own.weight)).collect();
    assert_eq!(shares, [(1, 2.0 / 3.0), (0, 1.0 / 3.0)]);
    assert_eq!((off.refused, off.scaled), (0, 1));
}

#[test]
fn every_dropped_influence_is_reported() {
    let rows = (0..40).map(|joint| (0, joint, 1.0));
    let (weights, off) = Weights::gather(1, 40, rows);
    assert_eq!((weights.most(), off.refused), (MAX_INFLUENCES, 8));
}

#[test]
fn two_bones_deform_a_vertex_by_their_weights() {
    let joint = |bone| Joint { bone, inverse_bind: Affine3A::IDENTITY };
    let weights = Weights::gather(2, 2, [(0, 0, 0.5), (0, 1, 0.5)]).0;
    let skin = Skin { joints: [joint(0), joint(1)].into(), weights };
    let placed = [Affine3A::from_translation(Vec3::X), Affine3A::from_rotation_z(std::f32::consts::PI)];
    let moved = skin.deform(&placed, &[Vec3::Y, Vec3::Z]);
    assert!(moved[0].abs_diff_eq(Vec3::new(0.5, 0.0, 0.0), 1e-6));
    assert_eq!(moved[1], Vec3::Z);
}
