//! Triangulation of polygons.

use bindpose::scene::triangles;
use glam::Vec3;

/// Returns the areas of the triangles, seen against the normal.
fn areas(corners: &[Vec3], normal: Vec3) -> Vec<f32> {
    let area = |[a, b, c]: [Vec3; 3]| (b - a).cross(c - a).dot(normal) / 2.0;
    triangles(corners).into_iter().map(|own| area(own.map(|corner| corners[corner]))).collect()
}

#[test]
fn a_comb_is_triangulated_from_every_first_corner() {
    let comb = [[0, 0], [6, 0], [6, 3], [5, 1], [4, 3], [3, 1], [2, 3], [1, 1], [0, 3]];
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let comb = comb.map(|[x, y]| Vec3::new(x as f32, 5.0, -(y as f32)));
    for start in 0..comb.len() {
        let mut turned = comb;
        turned.rotate_left(start);
        let areas = areas(&turned, Vec3::Y);
        assert_eq!(areas.len(), 7);
        assert!(areas.iter().all(|area| *area > 0.0), "{start}: {areas:?}");
        assert!((areas.iter().sum::<f32>() - 12.0).abs() < 1e-5, "{start}: {areas:?}");
    }
}

#[test]
fn a_polygon_without_ears_is_a_fan() {
    let bow = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X + Vec3::Y];
    let fan = vec![[0, 1, 2], [0, 2, 3]];
    for corners in [bow, [Vec3::ZERO; 4], [Vec3::NAN; 4], [Vec3::MAX; 4]] {
        assert_eq!(triangles(&corners).len(), fan.len(), "{corners:?}");
    }
    assert_eq!(triangles(&[Vec3::NAN; 4]), fan);
    assert_eq!(triangles(&vec![Vec3::X; 5000]).len(), 4998);
    assert_eq!(triangles(&[Vec3::X; 2]), Vec::<[usize; 3]>::new());
}

#[test]
fn a_star_of_many_corners_has_no_overlaps() {
    let corner = |at: u16| {
        let radius = if at.is_multiple_of(2) { 1.0 } else { 0.3 };
        let angle = f32::from(at) * std::f32::consts::TAU / 300.0;
        Vec3::new(angle.cos(), 0.0, -angle.sin()) * radius
    };
    let star: Vec<Vec3> = (0..300).map(corner).collect();
    let areas = areas(&star, Vec3::Y);
    let whole = 300.0 * 0.3 * (std::f32::consts::TAU / 300.0).sin() / 2.0;
    assert_eq!(areas.len(), 298);
    assert!(areas.iter().all(|area| *area > 0.0), "{areas:?}");
    assert!((areas.iter().sum::<f32>() - whole).abs() < 1e-4, "{areas:?}");
}

#[test]
fn a_star_with_very_many_corners_takes_no_quadratic_time() {
    let corner = |at: u16| {
        let radius = if at.is_multiple_of(2) { 1.0 } else { 0.5 };
        let angle = f32::from(at) / 65_535.0 * std::f32::consts::TAU;
        Vec3::new(radius * angle.cos(), radius * angle.sin(), 0.0)
    };
    let corners: Vec<_> = (0..u16::MAX).chain(0..u16::MAX).chain(0..u16::MAX).map(corner).collect();
    assert_eq!(triangles(&corners).len(), corners.len() - 2);
}
