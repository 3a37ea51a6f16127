//! Rules of animations.

use std::collections::HashSet;

use super::super::rules::{FRAMELESS, KEY_BONE, KEY_TWICE, KEY_UNIT, MASK, UNKNOWN_FLAGS};
use super::super::{Anim10, Anim11, Key, KeyFlags, MeshAnimation, QuantizedAnimation, UnigineAnim, rotation};
use super::{inside_out, markers, skeleton};
use crate::FieldPath;
use crate::check::common::{QuaternionRules, field_path, index, quaternion};
use crate::check::{Check, Findings, finite};
use crate::schema::Schema;
use crate::wire::{CInt, Table, Wire};

impl Check for UnigineAnim {
    fn check(&self, findings: &mut Findings) {
        match self {
            Self::Anim10(anim) => check_anim10(anim, findings),
            Self::Anim11(anim) => check_anim11(anim, findings),
        }
    }
}

fn check_anim10(anim: &Anim10, findings: &mut Findings) {
    markers(anim.id, &[("middle_id", &anim.middle_id), ("tail_id", &anim.tail_id)], findings);
    inside_out(&anim.bounds, || field_path!["bounds"], findings);
    skeleton(&anim.bones, &anim.transforms, findings);
    for (place, animation) in anim.animations.iter().enumerate() {
        let QuantizedAnimation { bone_indices, mask, frames, .. } = animation;
        let base = field_path!["animations", place];
        moved(bone_indices, anim.bones.len(), &base.join(&field_path!["bone_indices"]), findings);
        masked(frames, *mask, &base, findings);
    }
}

/// An animation inside a mesh.
pub(super) fn check_mesh_animation(
    animation: &MeshAnimation,
    bones: usize,
    place: usize,
    findings: &mut Findings,
) {
    let base = field_path!["animations", place];
    moved(&animation.bone_indices, bones, &base.join(&field_path!["bone_indices"]), findings);
    masked(&animation.frames, animation.mask, &base, findings);
}

fn check_anim11(anim: &Anim11, findings: &mut Findings) {
    markers(anim.id, &[("middle_id", &anim.middle_id), ("tail_id", &anim.tail_id)], findings);
    skeleton(&anim.bones, &anim.transforms, findings);
    moved(&anim.bone_indices, anim.bones.len(), &field_path!["bone_indices"], findings);
    if anim.frames.is_empty() {
        findings.add(&FRAMELESS, || field_path!["frames"], || "is empty".into());
    }
    for frame in 0..anim.frames.len() {
        for (place, key) in anim.frames.row(frame).enumerate() {
            let path = |field: &'static str| move || field_path!["frames", frame, place, field];
            if key.flags.raw() > 7 {
                findings.add(&UNKNOWN_FLAGS, path("flags"), || format!("is {:#04x}", key.flags.raw()));
            }
            for (field, values) in [("position", key.position), ("scale", key.scale)] {
                for (axis, value) in values.into_iter().flatten().enumerate() {
                    finite(findings, value, || field_path!["frames", frame, place, field, axis]);
                }
            }
            if let Some(rotation) = key.rotation {
                for (axis, value) in rotation.into_iter().enumerate() {
                    finite(findings, value, || field_path!["frames", frame, place, "rotation", axis]);
                }
                quaternion(findings, &KEYS, rotation, path("rotation"));
            }
        }
    }
}

const KEYS: QuaternionRules = QuaternionRules { zero: &KEY_UNIT, unit: &KEY_UNIT };

/// The bones that an animation moves.
fn moved(indices: &[i16], bones: usize, base: &FieldPath, findings: &mut Findings) {
    let mut seen = HashSet::new();
    for (place, bone) in indices.iter().enumerate() {
        let path = || base.join(&field_path![place]);
        index(findings, &KEY_BONE, *bone, ("bone", bones), path);
        if !seen.insert(*bone) {
            findings.add(&KEY_TWICE, path, || format!("bone {bone} is moved before"));
        }
    }
}

/// What the parts of a key are written as.
trait Part: Wire + Schema {
    /// The part where it is a number by itself; a share of a box is always one.
    fn number(&self) -> f32;
}

impl Part for f32 {
    fn number(&self) -> f32 {
        *self
    }
}

impl Part for u16 {
    fn number(&self) -> f32 {
        f32::from(*self)
    }
}

/// The parts of a key that are there, but for the rotation.
fn parts<T: Wire>(key: &Key<T>) -> impl Iterator<Item = (&'static str, &T)> {
    let all = [
        ("position_x", &key.position_x),
        ("position_y", &key.position_y),
        ("position_z", &key.position_z),
        ("scale_x", &key.scale_x),
        ("scale_y", &key.scale_y),
        ("scale_z", &key.scale_z),
    ];
    all.into_iter().filter_map(|(field, part)| Some((field, part.as_ref()?)))
}

/// The keys of a mask: all of it in the first frame, nothing else later.
fn masked<T>(frames: &Table<CInt, Key<T>>, mask: KeyFlags, base: &FieldPath, findings: &mut Findings)
where
    T: Part,
    Key<T>: Schema + Wire,
{
    if frames.is_empty() {
        findings.add(&FRAMELESS, || base.join(&field_path!["frames"]), || "is empty".into());
    }
    let mask = mask.raw();
    if mask & 0x80 != 0 {
        findings.add(&UNKNOWN_FLAGS, || base.join(&field_path!["mask"]), || format!("is {mask:#04x}"));
    }
    for frame in 0..frames.len() {
        for (place, key) in frames.row(frame).enumerate() {
            let flags = key.flags.raw();
            let wrong = if frame == 0 { flags != mask } else { flags & !mask != 0 };
            if wrong {
                let path = || base.join(&field_path!["frames", frame, place, "flags"]);
                findings.add(&MASK, path, || format!("is {flags:#04x}, the mask is {mask:#04x}"));
            }
            let path = |field: &'static str| base.join(&field_path!["frames", frame, place, field]);
            for (field, part) in parts(&key) {
                finite(findings, part.number(), || path(field));
            }
            if let Some(parts) = key.rotation {
                quaternion(findings, &KEYS, rotation(parts), || path("rotation"));
            }
        }
    }
}
