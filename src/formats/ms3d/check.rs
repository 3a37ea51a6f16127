//! Finds what breaks the rules of `rules.rs`.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::conventions::{FULL_WEIGHT, rate};
use super::rules::{
    ABSOLUTE, ALPHA, ALPHA_REF, COMMENT_INDEX, DEGENERATE, EXTRA_JOINT, EXTRA_WORDS, FPS, FRAMES,
    GROUP_DISAGREES, GROUP_MATERIAL, GROUP_TRIANGLE, GROUPED_TWICE, JOINT_NAME, KEY_END, KEY_ORDER, LIMIT,
    MODEL_COMMENTS, NAMELESS, NORMAL, OFF_FRAME, OPACITY, PARENT, PARENT_CYCLE, PARENT_ORDER, REFERENCES,
    SHININESS, SMOOTHING, TRANSPARENCY_MODE, TRIANGLE_VERTEX, UNGROUPED, UNKNOWN_FLAGS, VERSION,
    VERTEX_JOINT, WEIGHT_GAP, WEIGHT_JOINTLESS, WEIGHT_SCALE, WEIGHT_SUM,
};
use super::{
    Animation, CommentLists, Comments1, Joint, Keyframe, MAX_GROUPS, MAX_JOINTS, MAX_MATERIALS,
    MAX_TRIANGLES, MAX_VERTICES, Material, ModelSettings, Ms3d, NONE, VertexExtraRecords,
};
use super::{gap, literal};
use crate::check::common::{
    ascending, degenerate, field_path, index, is_absolute, quoted, sum_up, unique, unit, unknown_bits, within,
};
use crate::check::names::Names;
use crate::check::{Check, Findings, Repair, tolerance};
use crate::hierarchy::{by_name, cycles};
use crate::schema::{Bit, Leaf};

impl crate::sealed::Sealed for Ms3d {}

impl Check for Ms3d {
    fn check(&self, findings: &mut Findings) {
        if !matches!(self.version, 3 | 4) {
            findings.add(&VERSION, || field_path!["version"], || format!("is {}", self.version));
        }
        limits(self, findings);
        flags(self, findings);
        vertices(self, findings);
        triangles(self, findings);
        groups(self, findings);
        for (at, material) in self.materials.iter().enumerate() {
            check_material(at, material, findings);
        }
        animation(self, findings);
        joints(self, findings);
        if let Some(CommentLists::Sub1(comments)) = self.comments.present().map(|part| &part.lists) {
            check_comments(self, comments, findings);
        }
        influences(self, findings);
        if let Some(ModelSettings::Sub1(settings)) = self.model_extra.present().map(|part| &part.settings) {
            let path = |field: &'static str| move || field_path!["model_extra", "settings", field];
            if settings.transparency_mode != 0 {
                let message = || format!("is {}", settings.transparency_mode);
                findings.add(&TRANSPARENCY_MODE, path("transparency_mode"), message);
            }
            within(findings, &ALPHA_REF, settings.alpha_ref, 0.0..=1.0, path("alpha_ref"));
        }
    }

    fn suspect(bytes: &[u8], findings: &mut Findings) {
        gap::suspect(bytes, findings);
        literal::suspect(bytes, findings);
    }

    fn repairs(bytes: &[u8]) -> Vec<Repair> {
        literal::repairs(bytes)
    }
}

/// Bits that no source names.
fn flags(file: &Ms3d, findings: &mut Findings) {
    let mut unknown =
        |name: &'static str, field: &'static str, all: &mut dyn Iterator<Item = (u16, &[Bit])>| {
            let odd = all.enumerate().filter(|(_, (raw, known))| unknown_bits(*raw, known) != 0);
            sum_up(findings, &UNKNOWN_FLAGS, odd, |(at, (raw, _)), more| {
                (field_path![name, at, field], format!("is {raw:#x}{more}"))
            });
        };
    unknown(
        "vertices",
        "flags",
        &mut file.vertices.iter().map(|own| (own.flags.raw().into(), own.flags.bits())),
    );
    unknown("triangles", "flags", &mut file.triangles.iter().map(|own| (own.flags.raw(), own.flags.bits())));
    unknown("groups", "flags", &mut file.groups.iter().map(|own| (own.flags.raw().into(), own.flags.bits())));
    unknown(
        "materials",
        "mode",
        &mut file.materials.iter().map(|own| (own.mode.raw().into(), own.mode.bits())),
    );
    unknown("joints", "flags", &mut file.joints.iter().map(|own| (own.flags.raw().into(), own.flags.bits())));
}

fn limits(file: &Ms3d, findings: &mut Findings) {
    let lists = [
        ("vertices", file.vertices.len(), MAX_VERTICES),
        ("triangles", file.triangles.len(), MAX_TRIANGLES),
        ("groups", file.groups.len(), MAX_GROUPS),
        ("materials", file.materials.len(), MAX_MATERIALS),
        ("joints", file.joints.len(), MAX_JOINTS),
    ];
    for (name, len, most) in lists {
        if len > most {
            findings.add(&LIMIT, || field_path![name], || format!("has {len}, at most {most} are allowed"));
        }
    }
}

fn vertices(file: &Ms3d, findings: &mut Findings) {
    for (at, vertex) in file.vertices.iter().enumerate() {
        if vertex.bone_id != NONE {
            let joints = ("joint", file.joints.len());
            index(findings, &VERTEX_JOINT, vertex.bone_id, joints, || field_path!["vertices", at, "bone_id"]);
        }
    }
    // Some writers leave all counts zero.
    if file.vertices.iter().all(|vertex| vertex.reference_count == 0) {
        return;
    }
    let mut corners = vec![0_u32; file.vertices.len()];
    for corner in file.triangles.iter().flat_map(|triangle| triangle.vertex_indices) {
        if let Some(count) = corners.get_mut(usize::from(corner)) {
            *count += 1;
        }
    }
    for (at, (vertex, corners)) in file.vertices.iter().zip(corners).enumerate() {
        if u32::from(vertex.reference_count) != corners % 256 {
            let message = || format!("is {}, but {corners} corners use the vertex", vertex.reference_count);
            findings.add(&REFERENCES, || field_path!["vertices", at, "reference_count"], message);
        }
    }
}

fn triangles(file: &Ms3d, findings: &mut Findings) {
    for (at, triangle) in file.triangles.iter().enumerate() {
        for (corner, vertex) in triangle.vertex_indices.iter().enumerate() {
            let path = || field_path!["triangles", at, "vertex_indices", corner];
            index(findings, &TRIANGLE_VERTEX, *vertex, ("vertex", file.vertices.len()), path);
        }
        if degenerate(&triangle.vertex_indices) {
            let [a, b, c] = triangle.vertex_indices;
            let path = || field_path!["triangles", at, "vertex_indices"];
            findings.add(&DEGENERATE, path, || format!("{a}, {b}, {c} is not a triangle"));
        }
        for (corner, normal) in triangle.vertex_normals.iter().enumerate() {
            unit(findings, &NORMAL, *normal, || field_path!["triangles", at, "vertex_normals", corner]);
        }
        if triangle.smoothing_group > tolerance::SMOOTHING_GROUP {
            let path = || field_path!["triangles", at, "smoothing_group"];
            findings.add(&SMOOTHING, path, || format!("is {}", triangle.smoothing_group));
        }
    }
}

fn groups(file: &Ms3d, findings: &mut Findings) {
    let mut owners: Vec<Option<usize>> = vec![None; file.triangles.len()];
    for (at, group) in file.groups.iter().enumerate() {
        for (place, triangle) in group.triangle_indices.iter().enumerate() {
            let path = || field_path!["groups", at, "triangle_indices", place];
            match owners.get_mut(usize::from(*triangle)) {
                None => index(findings, &GROUP_TRIANGLE, *triangle, ("triangle", owners.len()), path),
                Some(Some(first)) => {
                    let message = || format!("triangle {triangle} is already in group {first}");
                    findings.add(&GROUPED_TWICE, path, message);
                }
                Some(owner) => *owner = Some(at),
            }
        }
        if group.material_index != NONE {
            let materials = ("material", file.materials.len());
            let path = || field_path!["groups", at, "material_index"];
            index(findings, &GROUP_MATERIAL, group.material_index, materials, path);
        }
    }
    for (at, (triangle, owner)) in file.triangles.iter().zip(owners).enumerate() {
        match owner {
            None => findings.add(&UNGROUPED, || field_path!["triangles", at], || "is in no group".into()),
            Some(owner) if owner != usize::from(triangle.group_index) => {
                let message = || format!("is {}, but group {owner} lists it", triangle.group_index);
                findings.add(&GROUP_DISAGREES, || field_path!["triangles", at, "group_index"], message);
            }
            Some(_) => {}
        }
    }
}

fn check_material(at: usize, material: &Material, findings: &mut Findings) {
    let path = |name: &'static str| move || field_path!["materials", at, name];
    within(findings, &OPACITY, material.transparency, 0.0..=1.0, path("transparency"));
    within(findings, &SHININESS, material.shininess, 0.0..=128.0, path("shininess"));
    let colors = [
        ("ambient", material.ambient),
        ("diffuse", material.diffuse),
        ("specular", material.specular),
        ("emissive", material.emissive),
    ];
    let other =
        colors.into_iter().find(|(_, color)| (color[3] - material.transparency).abs() > tolerance::OPACITY);
    if let Some((name, color)) = other {
        let message = || format!("is {}, the transparency is {}", color[3], material.transparency);
        findings.add(&ALPHA, || field_path!["materials", at, name, 3], message);
    }
    for (name, text) in [("texture", &material.texture), ("alphamap", &material.alphamap)] {
        if is_absolute(text.text()) {
            findings.add(&ABSOLUTE, path(name), || quoted(text.text()));
        }
    }
}

fn animation(file: &Ms3d, findings: &mut Findings) {
    let animation = &file.animation;
    if animation.fps < 1.0 {
        findings.add(&FPS, || field_path!["animation", "fps"], || format!("is {}", animation.fps));
    }
    if animation.total_frames < 0 {
        let path = || field_path!["animation", "total_frames"];
        findings.add(&FRAMES, path, || format!("is {}", animation.total_frames));
    }
}

fn joints(file: &Ms3d, findings: &mut Findings) {
    let joints = &file.joints;
    let name = |at| field_path!["joints", at, "name"];
    unique(findings, &JOINT_NAME, joints.iter().map(|joint| joint.name.text()), name);
    let names = Names::new(joints.iter().map(|joint| joint.name.text()));
    let places = by_name(joints.iter().map(|joint| joint.name.text()));
    for (at, joint) in joints.iter().enumerate() {
        if joint.name.is_empty() {
            findings.add(&NAMELESS, || name(at), || "is empty".into());
        }
        keys(at, joint, findings);
    }
    times(file, findings);
    let parents: Vec<_> =
        joints.iter().enumerate().map(|(at, joint)| parent(at, joint, (&places, &names), findings)).collect();
    for at in cycles(&parents) {
        findings.add(
            &PARENT_CYCLE,
            || field_path!["joints", at, "parent_name"],
            || "is its own ancestor".into(),
        );
    }
}

/// The parent of a joint, where there is one.
fn parent(
    at: usize,
    joint: &Joint,
    (places, names): (&HashMap<&[u8], usize>, &Names<'_>),
    findings: &mut Findings,
) -> Option<usize> {
    let name = joint.parent_name.text();
    let path = || field_path!["joints", at, "parent_name"];
    if name.is_empty() {
        return None;
    }
    let parent = places.get(name).copied();
    match parent {
        None => findings.add(&PARENT, path, || {
            let near =
                names.near(name).map_or_else(String::new, |near| format!(", but one {}", quoted(near)));
            format!("no joint is called {}{near}", quoted(name))
        }),
        Some(parent) if parent > at => {
            findings.add(&PARENT_ORDER, path, || format!("the parent {parent} follows its child {at}"));
        }
        Some(_) => {}
    }
    parent
}

fn keys(at: usize, joint: &Joint, findings: &mut Findings) {
    let lists: [(&'static str, &[Keyframe]); 2] =
        [("rotation_keys", &joint.rotation_keys), ("position_keys", &joint.position_keys)];
    for (name, keys) in lists {
        let path = |key: usize| field_path!["joints", at, name, key, "time"];
        ascending(findings, &KEY_ORDER, keys.iter().map(|key| key.time), path);
    }
}

/// All keys of all joints: the joint, the list, the place in it, and the frame.
fn frames(file: &Ms3d, fps: f32) -> impl Iterator<Item = (usize, &'static str, usize, f32)> {
    let lists = file.joints.iter().enumerate().flat_map(|(at, joint)| {
        let lists = [("rotation_keys", &joint.rotation_keys), ("position_keys", &joint.position_keys)];
        lists.map(|(name, keys)| (at, name, keys))
    });
    lists.flat_map(move |(at, name, keys)| {
        keys.iter().enumerate().map(move |(key, own)| (at, name, key, own.time * fps))
    })
}

/// Checks that keys are on existing frames.
fn times(file: &Ms3d, findings: &mut Findings) {
    let Animation { fps, total_frames, .. } = file.animation;
    #[allow(clippy::cast_precision_loss, reason = "half a frame is allowed for")]
    let end = total_frames as f32 + tolerance::LENGTH;
    let late = frames(file, rate(fps)).filter(|(.., frame)| end > 0.0 && *frame > end);
    sum_up(findings, &KEY_END, late, |(at, name, key, frame), more| {
        (field_path!["joints", at, name, key, "time"], format!("is frame {frame} of {total_frames}{more}"))
    });
    // The precision of a time decreases as it grows.
    let between = |frame: f32| (frame - frame.round()).abs() > tolerance::FRAME + 1e-6 * frame.abs();
    let odd = frames(file, fps).filter(|(.., frame)| fps >= 1.0 && between(*frame));
    sum_up(findings, &OFF_FRAME, odd, |(at, name, key, frame), more| {
        (field_path!["joints", at, name, key, "time"], format!("is frame {frame}{more}"))
    });
}

fn check_comments(file: &Ms3d, comments: &Comments1, findings: &mut Findings) {
    let kinds = [
        ("groups", &comments.groups, ("group", file.groups.len())),
        ("materials", &comments.materials, ("material", file.materials.len())),
        ("joints", &comments.joints, ("joint", file.joints.len())),
    ];
    if comments.model.len() > 1 {
        let message = || format!("has {}, at most 1 is allowed", comments.model.len());
        findings.add(&MODEL_COMMENTS, || field_path!["comments", "lists", "model"], message);
    }
    for (name, list, owners) in kinds {
        for (at, comment) in list.iter().enumerate() {
            let path = || field_path!["comments", "lists", name, at, "index"];
            index(findings, &COMMENT_INDEX, comment.index, owners, path);
        }
    }
}

fn influences(file: &Ms3d, findings: &mut Findings) {
    let Some(extra) = file.vertex_extra.present() else { return };
    let each: Box<dyn Iterator<Item = ([u8; 3], [u8; 3])>> = match &extra.records {
        VertexExtraRecords::Empty => return,
        VertexExtraRecords::Sub1(records) => {
            Box::new(records.iter().map(|record| (record.bone_ids, record.weights)))
        }
        VertexExtraRecords::Sub2(records) => {
            Box::new(records.iter().map(|record| (record.bone_ids, record.weights)))
        }
        VertexExtraRecords::Sub3(records) => {
            Box::new(records.iter().map(|record| (record.bone_ids, record.weights)))
        }
    };
    let odd: Vec<_> = match &extra.records {
        VertexExtraRecords::Sub2(records) => positions(records.iter().map(|record| record.extra != 0)),
        VertexExtraRecords::Sub3(records) => positions(records.iter().map(|record| record.extra != [0; 2])),
        VertexExtraRecords::Empty | VertexExtraRecords::Sub1(_) => Vec::new(),
    };
    sum_up(findings, &EXTRA_WORDS, odd.into_iter(), |at, more| {
        (field_path!["vertex_extra", "records", at, "extra"], format!("is not zero{more}"))
    });
    let (joints, full) = (("joint", file.joints.len()), extra.records.full_weight());
    for (at, (vertex, (bones, weights))) in file.vertices.iter().zip(each).enumerate() {
        for (place, bone) in bones.iter().enumerate().filter(|(_, bone)| **bone != NONE) {
            let path = || field_path!["vertex_extra", "records", at, "bone_ids", place];
            index(findings, &EXTRA_JOINT, *bone, joints, path);
        }
        let [second, third, fourth] = bones;
        shares(at, [vertex.bone_id, second, third, fourth], weights, full, findings);
    }
}

/// Returns the positions of `true`.
fn positions(holds: impl Iterator<Item = bool>) -> Vec<usize> {
    holds.enumerate().filter(|(_, holds)| *holds).map(|(at, _)| at).collect()
}

/// The weights of a vertex; all zero means the vertex's own joint alone.
fn shares(at: usize, bones: [u8; 4], weights: [u8; 3], full: u8, findings: &mut Findings) {
    if weights == [0; 3] {
        return;
    }
    let path = |place: usize| field_path!["vertex_extra", "records", at, "weights", place];
    for (place, weight) in weights.iter().enumerate() {
        if *weight > FULL_WEIGHT {
            findings.add(&WEIGHT_SCALE, || path(place), || format!("is {weight}"));
        }
        if *weight > 0 && bones[place] == NONE {
            findings.add(&WEIGHT_JOINTLESS, || path(place), || format!("is {weight} without a joint"));
        }
    }
    let end = (0..3).find(|place| weights[*place] == 0 || bones[*place] == NONE).unwrap_or(3);
    if let Some(place) = (end..3).find(|place| weights[*place] > 0 && bones[*place] != NONE) {
        let message = || format!("is {} after an influence without weight or joint", weights[place]);
        findings.add(&WEIGHT_GAP, || path(place), message);
    }
    let sum: u32 = weights.into_iter().map(u32::from).sum();
    let why = match sum.cmp(&full.into()) {
        Ordering::Equal => return,
        Ordering::Greater => format!("more than {full}"),
        Ordering::Less if bones[3] != NONE => return,
        Ordering::Less => "and there is no fourth joint for the remainder".into(),
    };
    let path = || field_path!["vertex_extra", "records", at, "weights"];
    findings.add(&WEIGHT_SUM, path, || format!("add up to {sum}, {why}"));
}
