//! Implements the rules of meshes.

use std::ops::ControlFlow::Continue;

use hashbrown::{HashMap, HashSet};

use super::super::edit::as_read;
use super::super::repair;
use super::super::rules::{
    COLOR_ORDER, COUNT, DEGENERATE, FACE_DIFFERS, FACE_MATERIAL, FACE_WEDGE, INFLUENCES, MATERIAL_NAME,
    MATERIALS, MORPH_COUNT, MORPH_CRACK, MORPH_NAME, MORPH_POINT, MORPH_TWICE, NORMAL, OTHER_INDEX, POINTS,
    POLY_FLAGS, SOCKET, TEXTURE_INDEX, UNUSED, UNWEIGHTED, WEDGE_MATERIAL, WEDGE_POINT, WEDGE_RESIDUE,
    WEDGES, WEIGHT_BONE, WEIGHT_ORDER, WEIGHT_POINT, WEIGHT_RANGE, WEIGHT_SUM, WEIGHT_TWICE,
};
use super::super::{Chunk, Content, Faces, Psk, Records, VertexColor, Wedges};
use super::{PARENTS, bones, children, chunks, found, wrong_headers};
use crate::Result;
use crate::check::common::{count, counted, degenerate, field_path, index, quoted, sum_up, unique, within};
use crate::check::{Check, Findings, ListedBones, Repair, tolerance};
use crate::codec::Format as _;
use crate::schema::{Objects, Reference, Step, Target};

impl crate::sealed::Sealed for Psk {}

impl Check for Psk {
    fn bone_list(&self) -> Result<Option<ListedBones>> {
        Ok(Some(ListedBones::defined(self.bones().iter().map(|bone| bone.name.text()))))
    }

    fn check(&self, findings: &mut Findings) {
        chunks(&self.chunks, Content::Mesh, findings);
        if self.chunks.stopped().is_some() {
            wrong_headers(self, &self.chunks, findings);
        }
        wedges(self, findings);
        faces(self, findings);
        materials(self, findings);
        if let Some((chunk, records)) = found!(self.chunks, Bones) {
            bones(chunk, records, &PARENTS, findings);
            children(chunk, records, findings);
        }
        weights(self, findings);
        attributes(self, findings);
        morphs(self, findings);
        sockets(self, findings);
        color_order(self, findings);
        others(self, findings);
    }

    fn repairs(bytes: &[u8]) -> Vec<Repair> {
        repair::repairs(bytes)
    }
}

/// Checks the indices in the records of other extractors. Only files with such records are searched for them.
fn others(file: &Psk, findings: &mut Findings) {
    let is_other = |chunk: &Chunk| {
        let records = &chunk.records;
        matches!(records, Records::MorphTargets(_) | Records::WorldActors(_))
            || matches!(records, Records::InstanceMaterials(_) | Records::Landscapes(_))
    };
    if !file.chunks.iter().any(is_other) {
        return;
    }
    let _ = Objects::of(file).references(file, &mut |Reference { path, entity, target }| {
        if let (Target::Missing(index), [_, Step::Index(at), ..]) = (target, path.steps())
            && is_other(&file.chunks[*at])
        {
            let message = || format!("refers to {entity} {index}, which does not exist");
            findings.add(&OTHER_INDEX, || path.clone(), message);
        }
        Continue(())
    });
}

fn wedges(file: &Psk, findings: &mut Findings) {
    let (points, materials) = (file.points().len(), file.materials().len());
    let chunk = found!(file.chunks, PackedWedges or Wedges);
    let wedges = file.wedges();
    let field = if matches!(wedges, Wedges::Packed(_)) { "point_index" } else { "point_index_low" };
    for (at, wedge) in wedges.iter().enumerate() {
        let path = |field: &'static str| move || field_path!["chunks", chunk, "records", at, field];
        index(findings, &WEDGE_POINT, wedge.point_index, ("point", points), path(field));
        if materials > 0 {
            let materials = ("material", materials);
            index(findings, &WEDGE_MATERIAL, wedge.material_index, materials, path("material_index"));
        }
    }
    if let Wedges::Padded { records, num_points: ..=0x1_0000 } = wedges {
        let residue = records.iter().enumerate().filter(|(_, wedge)| wedge.point_index_high != 0);
        sum_up(findings, &WEDGE_RESIDUE, residue, |(at, wedge), more| {
            let what = format!("is {:#06x} with {}{more}", wedge.point_index_high, counted(points, "point"));
            (field_path!["chunks", chunk, "records", at, "point_index_high"], what)
        });
    }
}

fn faces(file: &Psk, findings: &mut Findings) {
    let wedges = file.wedges();
    let chunk = found!(file.chunks, Faces32 or Faces);
    if matches!(file.faces(), Faces::Narrow(_)) && wedges.len() > 1 << 16 {
        let message = || format!("reaches 65536 of {} wedges", wedges.len());
        findings.add(&WEDGES, || field_path!["chunks", chunk], message);
    }
    let materials = file.materials().len();
    for (at, face) in file.faces().iter().enumerate() {
        let path = |field: &'static str| move || field_path!["chunks", chunk, "records", at, field];
        for (corner, wedge) in face.wedge_indices.iter().enumerate() {
            let path = || field_path!["chunks", chunk, "records", at, "wedge_indices", corner];
            index(findings, &FACE_WEDGE, *wedge, ("wedge", wedges.len()), path);
        }
        if degenerate(&face.wedge_indices) {
            let [a, b, c] = face.wedge_indices;
            let message = || format!("{a}, {b}, {c} are not a triangle");
            findings.add(&DEGENERATE, path("wedge_indices"), message);
        }
        if materials > 0 {
            let materials = ("material", materials);
            index(findings, &FACE_MATERIAL, face.material_index, materials, path("material_index"));
        }
        let first = usize::try_from(face.wedge_indices[0]).ok().and_then(|wedge| wedges.get(wedge));
        if let Some(first) = first.filter(|first| first.material_index != face.material_index) {
            let message = || format!("is {}, its wedges have {}", face.material_index, first.material_index);
            findings.add(&FACE_DIFFERS, path("material_index"), message);
        }
    }
}

fn materials(file: &Psk, findings: &mut Findings) {
    let materials = file.materials();
    let chunk = found!(file.chunks, ShortMaterials or Materials);
    let names = (0..).map_while(|at| materials.named(at)).map(|(name, _)| name.text());
    unique(findings, &MATERIAL_NAME, names, |at| field_path!["chunks", chunk, "records", at, "name"]);
    if materials.len() > 1 << 8 {
        let message = || format!("contains {} materials, but faces can refer to 256", materials.len());
        findings.add(&MATERIALS, || field_path!["chunks", chunk], message);
    }
    for (at, material) in (0..).map_while(|at| materials.get(at)).enumerate() {
        let flags = material.poly_flags.raw();
        if flags > 0xff || !matches!(flags & 0xf, 0..=4 | 8) {
            let path = || field_path!["chunks", chunk, "records", at, "poly_flags"];
            findings.add(&POLY_FLAGS, path, || format!("is {flags:#x}"));
        }
        if usize::try_from(material.texture_index) != Ok(at) {
            let path = || field_path!["chunks", chunk, "records", at, "texture_index"];
            findings.add(&TEXTURE_INDEX, path, || format!("is {}", material.texture_index));
        }
    }
}

/// The weights of a point. There is one for each point, so it is small.
#[derive(Clone, Default)]
struct Share {
    sum: f32,
    bones: usize,
}

/// The number of weights that are compared with each other even if they are sorted.
const COMPARED: usize = 1 << 12;

fn weights(file: &Psk, findings: &mut Findings) {
    let Some((points_chunk, points)) = found!(file.chunks, Points) else { return };
    if points.len() > 1 << 16 {
        let message = || format!("contains {} points", points.len());
        findings.add(&POINTS, || field_path!["chunks", points_chunk], message);
    }
    let mut is_used = vec![false; points.len()];
    for wedge in file.wedges().iter() {
        let point = usize::try_from(wedge.point_index).unwrap_or(usize::MAX);
        if let Some(is_used) = is_used.get_mut(point) {
            *is_used = true;
        }
    }
    let weights = found!(file.chunks, Weights).filter(|(_, weights)| !weights.is_empty());
    let mut shares = Vec::new();
    if let Some((chunk, weights)) = weights {
        shares.resize(points.len(), Share::default());
        each_weight(file, chunk, weights, &mut shares, findings);
    }
    for (at, is_used) in is_used.iter().enumerate() {
        let path = || field_path!["chunks", points_chunk, "records", at];
        if !is_used {
            findings.add(&UNUSED, path, || "is used by no wedge".into());
        }
        let Some(share) = shares.get(at) else { continue };
        if *is_used && share.bones == 0 {
            findings.add(&UNWEIGHTED, path, || "has no weight".into());
        } else if *is_used && (share.sum - 1.0).abs() > tolerance::WEIGHTS {
            findings.add(&WEIGHT_SUM, path, || format!("has weights that sum to {}", share.sum));
        }
        if share.bones > tolerance::INFLUENCES {
            findings.add(&INFLUENCES, path, || format!("is influenced by {} bones", share.bones));
        }
    }
}

fn each_weight(
    file: &Psk,
    chunk: usize,
    weights: &[super::super::Weight],
    shares: &mut [Share],
    findings: &mut Findings,
) {
    let bones = ("bone", file.bones().len());
    // Of sorted weights, only those of the same point can be equal.
    let is_sorted = weights.is_sorted_by_key(|weight| weight.point_index);
    let (mut seen, mut last) = (HashSet::new(), None);
    let unsorted =
        weights.windows(2).enumerate().filter(|(_, pair)| pair[0].point_index > pair[1].point_index);
    sum_up(findings, &WEIGHT_ORDER, unsorted, |(at, pair), more| {
        let path = field_path!["chunks", chunk, "records", at + 1, "point_index"];
        (path, format!("is {} after {}{more}", pair[1].point_index, pair[0].point_index))
    });
    for (at, weight) in weights.iter().enumerate() {
        let path = |field: &'static str| move || field_path!["chunks", chunk, "records", at, field];
        let points = ("point", shares.len());
        index(findings, &WEIGHT_POINT, weight.point_index, points, path("point_index"));
        index(findings, &WEIGHT_BONE, weight.bone_index, bones, path("bone_index"));
        within(findings, &WEIGHT_RANGE, weight.weight, 0.0..=1.0, path("weight"));
        if is_sorted && seen.len() >= COMPARED && last != Some(weight.point_index) {
            seen = HashSet::new();
        }
        last = Some(weight.point_index);
        if !seen.insert((weight.point_index, weight.bone_index)) {
            let (point, bone) = (weight.point_index, weight.bone_index);
            let message = || format!("point {point} and bone {bone} already have a weight");
            findings.add(&WEIGHT_TWICE, || field_path!["chunks", chunk, "records", at], message);
        }
        let point = usize::try_from(weight.point_index).unwrap_or(usize::MAX);
        if let Some(share) = shares.get_mut(point) {
            share.sum += weight.weight;
            share.bones += 1;
        }
    }
}

/// Checks lists that have an element for each point or wedge.
fn attributes(file: &Psk, findings: &mut Findings) {
    let (points, wedges) = (file.points().len(), file.wedges().len());
    for (at, chunk) in file.chunks.iter().enumerate() {
        if let Records::Normals(normals) = &chunk.records {
            let square = |normal: &[f32; 3]| normal.iter().map(|part| part * part).sum::<f32>();
            let lengths = normals.iter().map(square).enumerate();
            let odd =
                lengths.filter(|(_, square)| (square - 1.0).abs() > tolerance::UNIT && square.is_finite());
            sum_up(findings, &NORMAL, odd, |(place, square), more| {
                (field_path!["chunks", at, "records", place], format!("has length {}{more}", square.sqrt()))
            });
        }
        let (expected, what) = match &chunk.records {
            Records::Normals(_) | Records::Tangents(_) => (points, "point"),
            Records::VertexColors(_) | Records::ExtraUvs(_) => (wedges, "wedge"),
            _ => continue,
        };
        let path = || field_path!["chunks", at, "records"];
        let there = || format!("there are {expected} {what}s");
        count(findings, &COUNT, (chunk.records.len(), expected), path, there);
    }
}

fn color_order(file: &Psk, findings: &mut Findings) {
    let Some((chunk, colors)) = found!(file.chunks, VertexColors) else { return };
    let is_grey = |color: &VertexColor| color.bytes[0] == color.bytes[2];
    if file.color_order().is_none() && !colors.iter().all(is_grey) {
        let writer = file.writer().map_or_else(|| "is unknown".to_owned(), |name| format!("may be {name}"));
        let message = || format!("red, green, blue, alpha are assumed; the writer {writer}");
        findings.add(&COLOR_ORDER, || field_path!["chunks", chunk], message);
    }
}

fn morphs(file: &Psk, findings: &mut Findings) {
    let Some((chunk, infos)) = found!(file.chunks, MorphInfos) else { return };
    let deltas = found!(file.chunks, MorphDeltas);
    let sum: i64 = infos.iter().map(|info| i64::from(info.num_vertices)).sum();
    let there = deltas.map_or(0, |(_, deltas)| deltas.len());
    if usize::try_from(sum) != Ok(there) {
        let message = || format!("state {sum} points, but {there} exist");
        findings.add(&MORPH_COUNT, || field_path!["chunks", chunk, "records"], message);
    }
    unique(findings, &MORPH_NAME, infos.iter().map(|info| info.name.text()), |at| {
        field_path!["chunks", chunk, "records", at, "name"]
    });
    moved_points(file, chunk, deltas.map_or(0, |(chunk, _)| chunk), findings);
    let points = ("point", file.points().len());
    if let Some((chunk, deltas)) = deltas {
        for (at, delta) in deltas.iter().enumerate() {
            let path = || field_path!["chunks", chunk, "records", at, "point_index"];
            index(findings, &MORPH_POINT, delta.point_index, points, path);
        }
    }
}

/// Checks that a morph target moves each point once, and all points at one place.
fn moved_points(file: &Psk, infos: usize, deltas: usize, findings: &mut Findings) {
    // Zero has two signs.
    let place = |point: &[f32; 3]| point.map(|part| (part + 0.0).to_bits());
    let mut num_at: HashMap<[u32; 3], u32> = HashMap::new();
    for point in file.points() {
        *num_at.entry(place(point)).or_default() += 1;
    }
    let mut record = 0;
    for (at, (info, own)) in file.morphs().enumerate() {
        let mut seen = HashSet::new();
        let mut moved: HashMap<[u32; 3], u32> = HashMap::new();
        for delta in own {
            let index = record;
            record += 1;
            if !seen.insert(delta.point_index) {
                let path = || field_path!["chunks", deltas, "records", index, "point_index"];
                let name = || quoted(info.name.text());
                findings.add(&MORPH_TWICE, path, || {
                    format!("is {} again in the morph target {}", delta.point_index, name())
                });
                continue;
            }
            let point = usize::try_from(delta.point_index).ok().and_then(|index| file.points().get(index));
            if let Some(point) = point.filter(|_| delta.position_delta.iter().any(|part| part.abs() > 0.0)) {
                *moved.entry(place(point)).or_default() += 1;
            }
        }
        let torn = moved.iter().map(|(place, num)| (*num, num_at[place])).filter(|(num, all)| num < all);
        // The order of a table is not that of the file.
        if let Some((num, all)) = torn.clone().min() {
            let more = match torn.count() {
                1 => String::new(),
                count => format!(", and at {} more", counted(count - 1, "place")),
            };
            let message = || format!("moves {num} of {all} points at one place{more}");
            findings.add(&MORPH_CRACK, || field_path!["chunks", infos, "records", at], message);
        }
    }
}

fn sockets(file: &Psk, findings: &mut Findings) {
    let Some((chunk, sockets)) = found!(file.chunks, Sockets) else { return };
    let bones: HashSet<_> = file.bones().iter().map(|bone| as_read(bone.name.text())).collect();
    for (at, socket) in sockets.iter().enumerate() {
        let name = socket.bone_name.text();
        if !name.is_empty() && !bones.contains(&as_read(name)) {
            let path = || field_path!["chunks", chunk, "records", at, "bone_name"];
            findings.add(&SOCKET, path, || format!("no bone is called {}", quoted(name)));
        }
    }
}
