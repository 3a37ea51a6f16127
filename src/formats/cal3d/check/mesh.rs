//! Rules of meshes.

use super::super::rules::{
    COLLAPSE, DEGENERATE, FACE, INFLUENCE_BONE, LOD, MANY_INFLUENCES, MATERIAL, MORPH, NORMAL, SPRING,
    UNWEIGHTED, WEIGHT_RANGE, WEIGHT_SUM,
};
use super::super::{BlendVertex, Mesh, Morphs, Submesh, Vertex};
use super::Content;
use crate::FieldPath;
use crate::check::common::{counted, degenerate, field_path, index, sum_up, unit, within};
use crate::check::{Findings, tolerance};

impl Content for Mesh {
    fn check(&self, findings: &mut Findings) {
        for (at, submesh) in self.submeshes.iter().enumerate() {
            check_submesh(submesh, &field_path!["submeshes", at], findings);
        }
    }
}

fn check_submesh(submesh: &Submesh, base: &FieldPath, findings: &mut Findings) {
    let vertices = ("vertex", submesh.vertices.len());
    if submesh.material_id < 0 {
        let message = || format!("is {}", submesh.material_id);
        findings.add(&MATERIAL, || base.join(&field_path!["material_id"]), message);
    }
    let steps = submesh.num_lod_steps;
    if usize::try_from(steps).map_or(true, |steps| steps > vertices.1) {
        let message = || format!("is {steps} with {}", counted(vertices.1, "vertex"));
        findings.add(&LOD, || base.join(&field_path!["num_lod_steps"]), message);
    }
    // A mesh without any skin may be a prop.
    let skinned = submesh.vertices.iter().any(|vertex| !vertex.influences.is_empty());
    for (at, vertex) in submesh.vertices.iter().enumerate() {
        check_vertex(vertex, (at, vertices.1, skinned), base, findings);
    }
    let many = submesh.vertices.iter().map(|vertex| vertex.influences.len()).enumerate();
    sum_up(
        findings,
        &MANY_INFLUENCES,
        many.filter(|(_, count)| *count > tolerance::INFLUENCES),
        |(at, count), more| {
            (base.join(&field_path!["vertices", at, "influences"]), format!("has {count}{more}"))
        },
    );
    for (at, spring) in submesh.springs.iter().enumerate() {
        for (end, vertex) in spring.vertex_ids.iter().enumerate() {
            let path = || base.join(&field_path!["springs", at, "vertex_ids", end]);
            index(findings, &SPRING, *vertex, vertices, path);
        }
    }
    if let Some(morphs) = &submesh.morphs {
        check_morphs(morphs, vertices, base, findings);
    }
    for (at, face) in submesh.faces.iter().enumerate() {
        for (corner, vertex) in face.vertex_ids.iter().enumerate() {
            let path = || base.join(&field_path!["faces", at, "vertex_ids", corner]);
            index(findings, &FACE, *vertex, vertices, path);
        }
        if degenerate(&face.vertex_ids) {
            let [a, b, c] = face.vertex_ids;
            let message = || format!("{a}, {b}, {c} is not a triangle");
            findings.add(&DEGENERATE, || base.join(&field_path!["faces", at, "vertex_ids"]), message);
        }
    }
}

fn check_vertex(
    vertex: &Vertex,
    (at, num_vertices, skinned): (usize, usize, bool),
    base: &FieldPath,
    findings: &mut Findings,
) {
    let path = |field: &'static str| move || base.join(&field_path!["vertices", at, field]);
    unit(findings, &NORMAL, vertex.normal, path("normal"));
    if vertex.collapse_id != -1 {
        index(findings, &COLLAPSE, vertex.collapse_id, ("vertex", num_vertices), path("collapse_id"));
    }
    for (place, influence) in vertex.influences.iter().enumerate() {
        let path =
            |field: &'static str| move || base.join(&field_path!["vertices", at, "influences", place, field]);
        if influence.bone_id < 0 {
            findings.add(&INFLUENCE_BONE, path("bone_id"), || format!("is {}", influence.bone_id));
        }
        within(findings, &WEIGHT_RANGE, influence.weight, 0.0..=1.0, path("weight"));
    }
    let sum: f32 = vertex.influences.iter().map(|influence| influence.weight).sum();
    if vertex.influences.is_empty() && skinned {
        findings.add(&UNWEIGHTED, path("influences"), || "is empty".into());
    } else if !vertex.influences.is_empty() && (sum - 1.0).abs() > tolerance::WEIGHTS {
        findings.add(&WEIGHT_SUM, path("influences"), || format!("add up to {sum}"));
    }
}

fn check_morphs(morphs: &Morphs, vertices: (&str, usize), base: &FieldPath, findings: &mut Findings) {
    let mut targets = |at: usize, moved: &[BlendVertex]| {
        for (place, vertex) in moved.iter().enumerate() {
            let path = || base.join(&field_path!["morphs", at, "vertices", place, "vertex_id"]);
            index(findings, &MORPH, vertex.vertex_id, vertices, path);
        }
    };
    match morphs {
        Morphs::Counted(list) => list.iter().enumerate().for_each(|(at, morph)| targets(at, &morph.vertices)),
        Morphs::Ended(list) => list.iter().enumerate().for_each(|(at, morph)| targets(at, &morph.vertices)),
    }
}
