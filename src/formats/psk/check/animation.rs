//! Implements the rules of animations.

use super::super::names::curves_id;
use super::super::repair;
use super::super::rules::{
    CURVE_GATE, CURVE_NAME, CURVES, FIRST_FRAME, KEY_QUOTUM, KEYS, NEGATIVE, NO_POSE, RATE, RESERVED,
    SCALE_FLAG, SCALE_GATE, SCALE_KEYS, SEQUENCE_NAME, SWITCHED_OFF, TOTAL_BONES, TRACK_TIME,
};
use super::super::writer::{ACTORX_MAYA, writer};
use super::super::{ChunkKind, Content, Presence, Psa, Records, ScaleKeys, Sequence, stamp};
use super::{ANIMATED, ROTATIONS, bones, chunks, found, order, wrong_headers};
use crate::Result;
use crate::check::common::{field_path, is_zero, quaternion, quoted, sum_up, unique};
use crate::check::{Check, Findings, ListedBones, Repair, tolerance};
use crate::wire::escape;

impl crate::sealed::Sealed for Psa {}

impl Check for Psa {
    fn bone_list(&self) -> Result<Option<ListedBones>> {
        Ok(Some(ListedBones::named(self.bones().iter().map(|bone| bone.name.text()))))
    }

    fn check(&self, findings: &mut Findings) {
        chunks(&self.chunks, Content::Animations, findings);
        if self.chunks.stopped().is_some() {
            wrong_headers(self, &self.chunks, findings);
        }
        if let Some((chunk, records)) = found!(self.chunks, Bones) {
            bones(chunk, records, &ANIMATED, findings);
            let without_pose = records.iter().enumerate().filter(|(_, bone)| is_zero(bone.orientation));
            sum_up(findings, &NO_POSE, without_pose, |(at, _), more| {
                (field_path!["chunks", chunk, "records", at, "orientation"], format!("is all zero{more}"))
            });
        }
        gates(self, findings);
        sequences(self, findings);
        keys(self, findings);
        order::check(self, findings);
        curves(self, findings);
    }

    fn repairs(bytes: &[u8]) -> Vec<Repair> {
        repair::repairs(bytes)
    }

    fn corrections(&self, bytes: &[u8]) -> Vec<Repair> {
        order::correction(self, bytes).into_iter().collect()
    }
}

/// Checks that the chunks are present which Epic's readers expect by the stamp of the first chunk.
fn gates(file: &Psa, findings: &mut Findings) {
    let Some(head) = file.chunks.first().filter(|head| head.kind() == Some(&ChunkKind::ANIMATION_HEAD))
    else {
        return;
    };
    let revision = head.type_flag;
    let lacks = |kind: ChunkKind| {
        let is_expected = matches!(kind.presence, Presence::Since(first) if revision >= first);
        is_expected && !file.chunks.iter().any(|chunk| kind.matches(&chunk.id))
    };
    let path = || field_path!["chunks", 0, "type_flag"];
    if lacks(ChunkKind::SCALE_KEYS) {
        findings.add(&SCALE_GATE, path, || format!("is {revision}, but no chunk contains scale keys"));
    }
    for (at, chunk) in file.chunks.iter().enumerate() {
        if let Some(ChunkKind { presence: Presence::Since(first @ stamp::SCALE_KEYS..), .. }) = chunk.kind()
            && revision < *first
            && !chunk.records.is_empty()
        {
            let id = escape(chunk.id.text());
            let message = || format!("{id} needs the stamp {first} or later, the file has {revision}");
            findings.add(&SWITCHED_OFF, || field_path!["chunks", at], message);
        }
    }
    let may_be_epic = || writer(&file.chunks).is_none_or(|own| own.writer == ACTORX_MAYA.writer);
    if lacks(ChunkKind::CURVES) && !file.sequences().is_empty() && may_be_epic() {
        findings.add(&CURVE_GATE, path, || format!("is {revision}, but no chunk contains curves"));
    }
}

fn sequences(file: &Psa, findings: &mut Findings) {
    let Some((chunk, sequences)) = found!(file.chunks, Sequences) else { return };
    let names = sequences.iter().map(|sequence| sequence.name.text());
    unique(findings, &SEQUENCE_NAME, names, |at| field_path!["chunks", chunk, "records", at, "name"]);
    let bones = i64::try_from(file.bones().len()).unwrap_or(i64::MAX);
    let scaled = match file.scale_keys() {
        ScaleKeys::None => Some(false),
        ScaleKeys::All(_) => Some(true),
        ScaleKeys::Flagged(_) | ScaleKeys::Unclear(_) => None,
    };
    let mut before = 0;
    for (at, sequence) in sequences.iter().enumerate() {
        let mut wrong = |rule, field: &'static str, message: String| {
            findings.add(rule, || field_path!["chunks", chunk, "records", at, field], || message);
        };
        let Sequence { total_bones, num_raw_frames: frames, key_quotum, first_raw_frame, .. } = *sequence;
        if i64::from(total_bones) != bones {
            wrong(&TOTAL_BONES, "total_bones", format!("is {total_bones}, but there are {bones} bones"));
        }
        if frames < 0 {
            wrong(&NEGATIVE, "num_raw_frames", format!("is {frames}"));
        }
        let product = i64::from(total_bones) * i64::from(frames);
        if i64::from(key_quotum) != product {
            let why = format!("is {key_quotum}, but {total_bones} bones times {frames} frames are {product}");
            wrong(&KEY_QUOTUM, "key_quotum", why);
        }
        if i64::from(first_raw_frame) != before {
            let why = format!("is {first_raw_frame}, but {before} frames come before");
            wrong(&FIRST_FRAME, "first_raw_frame", why);
        }
        before += i64::from(frames.max(0));
        #[allow(clippy::cast_precision_loss, reason = "the comparison tolerates half a frame")]
        let length = frames as f32;
        if (sequence.track_time - length).abs() > tolerance::LENGTH {
            wrong(&TRACK_TIME, "track_time", format!("is {} for {frames} frames", sequence.track_time));
        }
        for (field, value) in
            [("key_compression_style", sequence.key_compression_style), ("start_bone", sequence.start_bone)]
        {
            if value != 0 {
                wrong(&RESERVED, field, format!("is {value}"));
            }
        }
        if sequence.rate <= 0.0 {
            wrong(&RATE, "rate", format!("is {}", sequence.rate));
        }
        if let Some(scaled) = scaled.filter(|scaled| *scaled != (sequence.scale_include != 0)) {
            let there = if scaled { "every key has a scale" } else { "there are no scale keys" };
            wrong(&SCALE_FLAG, "scale_include", format!("is {}, but {there}", sequence.scale_include));
        }
    }
}

fn keys(file: &Psa, findings: &mut Findings) {
    let keys = found!(file.chunks, Keys);
    if let Some((chunk, keys)) = keys {
        for (at, key) in keys.iter().enumerate() {
            let path = || field_path!["chunks", chunk, "records", at, "orientation"];
            quaternion(findings, &ROTATIONS, key.orientation, path);
        }
    }
    let (chunk, len) = keys.map_or((0, 0), |(chunk, keys)| (chunk, keys.len()));
    let taken: i64 = file
        .sequences()
        .iter()
        .map(|sequence| i64::from(sequence.total_bones) * i64::from(sequence.num_raw_frames.max(0)))
        .fold(0, i64::saturating_add);
    if i64::try_from(len) != Ok(taken) {
        let message = || format!("has {len}, but the sequences need {taken}");
        findings.add(&KEYS, || field_path!["chunks", chunk, "records"], message);
    }
    if let (ScaleKeys::Unclear(scales), Some((chunk, _))) =
        (file.scale_keys(), found!(file.chunks, ScaleKeys))
    {
        let message =
            || format!("has {}, which matches neither all keys nor the flagged sequences", scales.len());
        findings.add(&SCALE_KEYS, || field_path!["chunks", chunk, "records"], message);
    }
}

fn curves(file: &Psa, findings: &mut Findings) {
    let mut sequences = file.sequences().iter();
    for (at, chunk) in file.chunks.iter().enumerate() {
        let Records::Curves(curves) = &chunk.records else { continue };
        let path = || field_path!["chunks", at, "records"];
        let Some(sequence) = sequences.next() else {
            findings.add(&CURVES, path, || "belongs to no sequence".into());
            continue;
        };
        let name = sequence.name.text();
        if chunk.id.text() != curves_id(sequence) {
            let message = || format!("{} belongs to the sequence {}", quoted(chunk.id.text()), quoted(name));
            findings.add(&CURVE_NAME, || field_path!["chunks", at], message);
        }
        let (own, frames) = (curves.num_frames(), sequence.num_raw_frames);
        if usize::try_from(frames) != Ok(own) {
            let message = || format!("has weights for {own} frames, the sequence has {frames}");
            findings.add(&CURVES, path, message);
        }
    }
}
