//! Rules of the geometry of a surface.

use super::super::rules::{
    BOUNDS, COORDINATE, CORNERS, COUNT, DEGENERATE, INFLUENCES, TANGENT_UNIT, TANGENTS, TARGET_COUNT,
    TRIANGLE, UNUSED, WEIGHT_BONE, WEIGHT_SUM,
};
use super::super::{Bounds, Corners, GeometryView, Tangents};
use crate::FieldPath;
use crate::check::common::{count, degenerate, field_path, index};
use crate::check::{Findings, Rule, tolerance};

/// Checks that the bounds contain the vertices, within single precision.
pub(super) fn check_bounds(
    bounds: &Bounds,
    geometry: &GeometryView<'_>,
    path: impl FnOnce() -> FieldPath,
    findings: &mut Findings,
) {
    let Some(base) = geometry.targets.first() else { return };
    let size = (0..3).map(|axis| bounds.max[axis] - bounds.min[axis]).fold(0.0, f32::max);
    let slack = tolerance::BOUNDS * size.max(1e-3);
    let outside = |vertex: &[f32; 3]| {
        (0..3).any(|axis| vertex[axis] < bounds.min[axis] - slack || vertex[axis] > bounds.max[axis] + slack)
    };
    if let Some(vertex) = base.vertices.iter().position(outside) {
        findings.add(&BOUNDS, path, || format!("do not contain vertex {vertex}"));
    }
}

pub(super) fn check(geometry: &GeometryView<'_>, bones: usize, base: &FieldPath, findings: &mut Findings) {
    let vertices = geometry.targets.first().map_or(0, |target| target.vertices.len());
    let tangents = geometry.targets.first().map_or(0, |target| target.tangents.len());
    for (place, target) in geometry.targets.iter().enumerate() {
        let path = |field: &'static str| base.join(&field_path!["targets", place, field]);
        let first = |len: usize| move || format!("the first target has {len}");
        count(
            findings,
            &TARGET_COUNT,
            (target.vertices.len(), vertices),
            || path("vertices"),
            first(vertices),
        );
        count(findings, &TANGENTS, (target.tangents.len(), tangents), || path("tangents"), first(tangents));
        check_tangents(&target.tangents, &|at| path("tangents").join(&field_path![at]), findings);
    }
    let lists = [
        ("weights", geometry.weights.len(), vertices, "vertices"),
        ("uv0", geometry.uv0.len(), tangents, "tangents"),
        ("uv1", geometry.uv1.len(), tangents, "tangents"),
        ("colors", geometry.colors.len(), tangents, "tangents"),
    ];
    for (name, has, expected, what) in lists.into_iter().filter(|(_, has, ..)| *has != 0) {
        let there = || format!("there are {expected} {what}");
        count(findings, &COUNT, (has, expected), || base.join(&field_path![name]), there);
    }
    check_weights(geometry, bones, base, findings);
    check_corners(geometry, (vertices, tangents), base, findings);
}

fn check_tangents(tangents: &Tangents, path: &dyn Fn(usize) -> FieldPath, findings: &mut Findings) {
    // The short form stores only the sign of w.
    let Tangents::Long(tangents) = tangents else { return };
    for (place, tangent) in tangents.iter().enumerate() {
        let square: f32 = tangent.quaternion().iter().map(|part| part * part).sum();
        if (square - 1.0).abs() > tolerance::TANGENT {
            findings.add(&TANGENT_UNIT, || path(place), || format!("has length {}", square.sqrt()));
        }
    }
}

fn check_weights(geometry: &GeometryView<'_>, bones: usize, base: &FieldPath, findings: &mut Findings) {
    for (vertex, weights) in geometry.weights.iter().enumerate() {
        let path = || base.join(&field_path!["weights", vertex]);
        let influences = &weights.influences;
        if influences.len() > tolerance::INFLUENCES {
            findings.add(&INFLUENCES, path, || format!("has {} influences", influences.len()));
        }
        for (place, influence) in influences.iter().enumerate() {
            let path = || path().join(&field_path!["influences", place, "bone"]);
            index(findings, &WEIGHT_BONE, influence.bone, ("bone", bones), path);
        }
        let sum: u32 = influences.iter().map(|influence| u32::from(influence.weight)).sum();
        if !influences.is_empty() && sum.abs_diff(u16::MAX.into()) > tolerance::SHORT_WEIGHTS {
            findings.add(&WEIGHT_SUM, path, || format!("has weights that add up to {sum}"));
        }
    }
}

fn check_corners(
    geometry: &GeometryView<'_>,
    (vertices, tangents): (usize, usize),
    base: &FieldPath,
    findings: &mut Findings,
) {
    let (coordinates, triangles) = (geometry.coordinate_indices, geometry.triangle_indices);
    let has = (triangles.len(), coordinates.len());
    let there = || format!("there are {} coordinate indices", coordinates.len());
    count(findings, &CORNERS, has, || base.join(&field_path!["triangle_indices"]), there);
    if !coordinates.len().is_multiple_of(3) {
        let message = || format!("has {}, not a multiple of 3", coordinates.len());
        findings.add(&CORNERS, || base.join(&field_path!["coordinate_indices"]), message);
    }
    let used = max_index(coordinates).map_or(0, |last| last as usize + 1);
    if used < vertices && used > 0 {
        let path = || base.join(&field_path!["targets", 0, "vertices"]);
        findings.add(&UNUSED, path, || format!("has {vertices}, but triangles use only the first {used}"));
    }
    let path = |name: &'static str| move |at: usize| base.join(&field_path![name, at]);
    let name = "coordinate_indices";
    check_range(coordinates, (&COORDINATE, "vertex", vertices), &path(name), findings);
    check_range(triangles, (&TRIANGLE, "tangent", tangents), &path("triangle_indices"), findings);
    match coordinates {
        Corners::U8(indices) => check_degenerate(indices, &path(name), findings),
        Corners::U16(indices) => check_degenerate(indices, &path(name), findings),
        Corners::U32(indices) => check_degenerate(indices, &path(name), findings),
    }
}

/// The highest index.
fn max_index(corners: &Corners) -> Option<u32> {
    match corners {
        Corners::U8(indices) => indices.iter().max().map(|last| u32::from(*last)),
        Corners::U16(indices) => indices.iter().max().map(|last| u32::from(*last)),
        Corners::U32(indices) => indices.iter().max().copied(),
    }
}

fn check_range(
    corners: &Corners,
    (rule, what, len): (&'static Rule, &str, usize),
    path: &dyn Fn(usize) -> FieldPath,
    findings: &mut Findings,
) {
    if max_index(corners).is_none_or(|last| (last as usize) < len) {
        return;
    }
    for (at, corner) in (0..).map_while(|at| corners.get(at)).enumerate() {
        index(findings, rule, corner, (what, len), || path(at));
    }
}

fn check_degenerate<T: PartialEq + std::fmt::Display>(
    indices: &[T],
    path: &dyn Fn(usize) -> FieldPath,
    findings: &mut Findings,
) {
    let (triangles, _) = indices.as_chunks::<3>();
    for (at, triangle) in triangles.iter().enumerate().filter(|(_, triangle)| degenerate(triangle)) {
        let [a, b, c] = triangle;
        findings.add(&DEGENERATE, || path(at * 3), || format!("{a}, {b}, {c} is not a triangle"));
    }
}
