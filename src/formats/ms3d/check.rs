//! Finds what breaks the rules of `rules.rs`.

use std::collections::HashMap;

use super::rules::{
    ABSOLUTE, COMMENT_INDEX, DEGENERATE, EXTRA_JOINT, FPS, FRAMES, GROUP_DISAGREES, GROUP_MATERIAL,
    GROUP_TRIANGLE, GROUPED_TWICE, JOINT_NAME, KEY_END, KEY_ORDER, LIMIT, NAMELESS, NORMAL, OPACITY, PARENT,
    PARENT_CYCLE, PARENT_ORDER, REFERENCES, SHININESS, SMOOTHING, TRANSPARENCY_MODE, TRIANGLE_VERTEX,
    UNGROUPED, VERSION, VERTEX_JOINT, WEIGHT_JOINTLESS, WEIGHT_SCALE, WEIGHT_SUM,
};
use super::{CommentLists, Comments1, Joint, Keyframe, Material, ModelSettings, Ms3d, VertexExtraRecords};
use crate::check::common::{ascending, at, cycles, degenerate, index, quoted, unique, unit, within};
use crate::check::{Check, Findings};

/// No joint, no material.
const NONE: u8 = 255;

impl Check for Ms3d {
    fn check(&self, findings: &mut Findings) {
        if !matches!(self.version, 3 | 4) {
            findings.add(&VERSION, || at!["version"], || format!("is {}", self.version));
        }
        limits(self, findings);
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
        if let Some(ModelSettings::Sub1(settings)) = self.model_extra.present().map(|part| &part.settings)
            && settings.transparency_mode != 0
        {
            let path = || at!["model_extra", "settings", "transparency_mode"];
            findings.add(&TRANSPARENCY_MODE, path, || format!("is {}", settings.transparency_mode));
        }
    }
}

fn limits(file: &Ms3d, findings: &mut Findings) {
    let lists = [
        ("vertices", file.vertices.len(), 65_534),
        ("triangles", file.triangles.len(), 65_534),
        ("groups", file.groups.len(), 255),
        ("materials", file.materials.len(), 128),
        ("joints", file.joints.len(), 128),
    ];
    for (name, len, most) in lists {
        if len > most {
            findings.add(&LIMIT, || at![name], || format!("has {len}, the program takes {most}"));
        }
    }
}

fn vertices(file: &Ms3d, findings: &mut Findings) {
    for (at, vertex) in file.vertices.iter().enumerate() {
        if vertex.bone_id != NONE {
            let joints = ("joint", file.joints.len());
            index(findings, &VERTEX_JOINT, vertex.bone_id, joints, || at!["vertices", at, "bone_id"]);
        }
    }
    // Some writers do not count at all.
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
            findings.add(&REFERENCES, || at!["vertices", at, "reference_count"], message);
        }
    }
}

fn triangles(file: &Ms3d, findings: &mut Findings) {
    for (at, triangle) in file.triangles.iter().enumerate() {
        for (corner, vertex) in triangle.vertex_indices.iter().enumerate() {
            let path = || at!["triangles", at, "vertex_indices", corner];
            index(findings, &TRIANGLE_VERTEX, *vertex, ("vertex", file.vertices.len()), path);
        }
        if degenerate(&triangle.vertex_indices) {
            let [a, b, c] = triangle.vertex_indices;
            let path = || at!["triangles", at, "vertex_indices"];
            findings.add(&DEGENERATE, path, || format!("{a}, {b}, {c} make no triangle"));
        }
        for (corner, normal) in triangle.vertex_normals.iter().enumerate() {
            unit(findings, &NORMAL, *normal, || at!["triangles", at, "vertex_normals", corner]);
        }
        if triangle.smoothing_group > 32 {
            let path = || at!["triangles", at, "smoothing_group"];
            findings.add(&SMOOTHING, path, || format!("is {}", triangle.smoothing_group));
        }
    }
}

fn groups(file: &Ms3d, findings: &mut Findings) {
    let mut owners: Vec<Option<usize>> = vec![None; file.triangles.len()];
    for (at, group) in file.groups.iter().enumerate() {
        for (place, triangle) in group.triangle_indices.iter().enumerate() {
            let path = || at!["groups", at, "triangle_indices", place];
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
            let path = || at!["groups", at, "material_index"];
            index(findings, &GROUP_MATERIAL, group.material_index, materials, path);
        }
    }
    for (at, (triangle, owner)) in file.triangles.iter().zip(owners).enumerate() {
        match owner {
            None => findings.add(&UNGROUPED, || at!["triangles", at], || "is in no group".into()),
            Some(owner) if owner != usize::from(triangle.group_index) => {
                let message = || format!("is {}, but group {owner} lists it", triangle.group_index);
                findings.add(&GROUP_DISAGREES, || at!["triangles", at, "group_index"], message);
            }
            Some(_) => {}
        }
    }
}

fn check_material(at: usize, material: &Material, findings: &mut Findings) {
    let path = |name: &'static str| move || at!["materials", at, name];
    within(findings, &OPACITY, material.transparency, 0.0..=1.0, path("transparency"));
    within(findings, &SHININESS, material.shininess, 0.0..=128.0, path("shininess"));
    for (name, text) in [("texture", &material.texture), ("alphamap", &material.alphamap)] {
        if is_absolute(text.text()) {
            findings.add(&ABSOLUTE, path(name), || quoted(text.text()));
        }
    }
}

/// `C:\textures\skin.png`, `\\server\skin.png`, `/home/me/skin.png`.
fn is_absolute(path: &[u8]) -> bool {
    matches!(path, [drive, b':', ..] if drive.is_ascii_alphabetic())
        || path.starts_with(b"/")
        || path.starts_with(br"\\")
}

fn animation(file: &Ms3d, findings: &mut Findings) {
    let animation = &file.animation;
    if animation.fps < 1.0 {
        findings.add(&FPS, || at!["animation", "fps"], || format!("is {}", animation.fps));
    }
    if animation.total_frames < 0 {
        let path = || at!["animation", "total_frames"];
        findings.add(&FRAMES, path, || format!("is {}", animation.total_frames));
    }
}

fn joints(file: &Ms3d, findings: &mut Findings) {
    let joints = &file.joints;
    let name = |at| at!["joints", at, "name"];
    unique(findings, &JOINT_NAME, joints.iter().map(|joint| joint.name.text()), name);
    let mut places = HashMap::new();
    for (at, joint) in joints.iter().enumerate() {
        places.entry(joint.name.text()).or_insert(at);
        if joint.name.is_empty() {
            findings.add(&NAMELESS, || name(at), || "is empty".into());
        }
        keys(file, at, joint, findings);
    }
    let parents: Vec<_> =
        joints.iter().enumerate().map(|(at, joint)| parent(at, joint, &places, findings)).collect();
    for at in cycles(&parents) {
        findings.add(&PARENT_CYCLE, || at!["joints", at, "parent_name"], || "is above itself".into());
    }
}

/// The parent of a joint, where there is one.
fn parent(
    at: usize,
    joint: &Joint,
    places: &HashMap<&[u8], usize>,
    findings: &mut Findings,
) -> Option<usize> {
    let name = joint.parent_name.text();
    let path = || at!["joints", at, "parent_name"];
    if name.is_empty() {
        return None;
    }
    let parent = places.get(name).copied();
    match parent {
        None => findings.add(&PARENT, path, || format!("no joint is called {}", quoted(name))),
        Some(parent) if parent > at => {
            findings.add(&PARENT_ORDER, path, || format!("the parent {parent} stands behind its child {at}"));
        }
        Some(_) => {}
    }
    parent
}

fn keys(file: &Ms3d, at: usize, joint: &Joint, findings: &mut Findings) {
    let lists: [(&'static str, &[Keyframe]); 2] =
        [("rotation_keys", &joint.rotation_keys), ("position_keys", &joint.position_keys)];
    for (name, keys) in lists {
        let path = |key: usize| at!["joints", at, name, key, "time"];
        ascending(findings, &KEY_ORDER, keys.iter().map(|key| key.time), path);
        let fps = file.animation.fps.max(1.0);
        #[allow(clippy::cast_precision_loss, reason = "half a frame is allowed for")]
        let end = file.animation.total_frames as f32 + 0.5;
        for (key, Keyframe { time, .. }) in keys.iter().enumerate() {
            let frame = time * fps;
            if end > 0.0 && frame > end {
                let message = || format!("is frame {frame} of {}", file.animation.total_frames);
                findings.add(&KEY_END, || path(key), message);
            }
        }
    }
}

fn check_comments(file: &Ms3d, comments: &Comments1, findings: &mut Findings) {
    let kinds = [
        ("groups", &comments.groups, ("group", file.groups.len())),
        ("materials", &comments.materials, ("material", file.materials.len())),
        ("joints", &comments.joints, ("joint", file.joints.len())),
    ];
    for (name, list, owners) in kinds {
        for (at, comment) in list.iter().enumerate() {
            let path = || at!["comments", "lists", name, at, "index"];
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
    let joints = ("joint", file.joints.len());
    for (at, (vertex, (bones, weights))) in file.vertices.iter().zip(each).enumerate() {
        for (place, bone) in bones.iter().enumerate().filter(|(_, bone)| **bone != NONE) {
            let path = || at!["vertex_extra", "records", at, "bone_ids", place];
            index(findings, &EXTRA_JOINT, *bone, joints, path);
        }
        let [second, third, fourth] = bones;
        shares(at, [vertex.bone_id, second, third, fourth], weights, findings);
    }
}

/// The weights of a vertex; all zero means the vertex's own joint alone.
fn shares(at: usize, bones: [u8; 4], weights: [u8; 3], findings: &mut Findings) {
    if weights == [0; 3] {
        return;
    }
    let path = |place: usize| at!["vertex_extra", "records", at, "weights", place];
    for (place, weight) in weights.iter().enumerate() {
        if *weight > 100 {
            findings.add(&WEIGHT_SCALE, || path(place), || format!("is {weight}"));
        }
        if *weight > 0 && bones[place] == NONE {
            findings.add(&WEIGHT_JOINTLESS, || path(place), || format!("is {weight} on no joint"));
        }
    }
    let sum: u32 = weights.into_iter().map(u32::from).sum();
    let why = match sum {
        100 => return,
        101.. => "more than all",
        _ if bones[3] != NONE => return,
        _ => "and no fourth joint takes the rest",
    };
    let path = || at!["vertex_extra", "records", at, "weights"];
    findings.add(&WEIGHT_SUM, path, || format!("are {sum} together, {why}"));
}
