//! Rules of animations.

use std::collections::HashSet;

use super::super::literal;
use super::super::rules::{FRAMELESS, KEY_BONE, KEY_TWICE, KEY_UNIT, MASK, RATE, UNKNOWN_FLAGS};
use super::super::{
    Anim10, Anim11, Anim12, CInt, Key, Key11, KeyFlags, MeshAnimation, QuantizedAnimation, Table,
    UnigineAnim, rotation,
};
use super::skeleton::check_reference;
use super::{check_bones, check_bounds, check_skeleton};
use crate::FieldPath;
use crate::Result;
use crate::check::common::{QuaternionRules, field_path, index, quaternion, unknown_bits};
use crate::check::{Check, Findings, ListedBones, Repair, finite};
use crate::schema::{Leaf, Schema};
use crate::wire::Wire;

impl crate::sealed::Sealed for UnigineAnim {}

impl Check for UnigineAnim {
    fn bone_list(&self) -> Result<Option<ListedBones>> {
        Ok(Some(ListedBones::named(self.bones().iter().map(|bone| bone.name.text()))))
    }

    literal::methods!();

    fn check(&self, findings: &mut Findings) {
        literal::check_markers(self, findings);
        match self {
            Self::Anim10(anim) => check_anim10(anim, findings),
            Self::Anim11(anim) => check_anim11(anim, findings),
            Self::Anim12(anim) => check_anim12(anim, findings),
        }
    }
}

fn check_anim10(anim: &Anim10, findings: &mut Findings) {
    check_bounds(&anim.bounds, || field_path!["bounds"], findings);
    check_skeleton(&anim.bones, &anim.transforms, findings);
    for (place, animation) in anim.animations.iter().enumerate() {
        let QuantizedAnimation { bone_indices, mask, frames, .. } = animation;
        let base = field_path!["animations", place];
        check_bone_indices(
            bone_indices,
            anim.bones.len(),
            &base.join(&field_path!["bone_indices"]),
            findings,
        );
        check_mask(frames, *mask, &base, findings);
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
    check_bone_indices(&animation.bone_indices, bones, &base.join(&field_path!["bone_indices"]), findings);
    check_mask(&animation.frames, animation.mask, &base, findings);
}

fn check_anim11(anim: &Anim11, findings: &mut Findings) {
    check_skeleton(&anim.bones, &anim.transforms, findings);
    check_bone_indices(&anim.bone_indices, anim.bones.len(), &field_path!["bone_indices"], findings);
    check_frames(&anim.frames, findings);
}

fn check_anim12(anim: &Anim12, findings: &mut Findings) {
    check_bones(&anim.bones, findings);
    check_reference(&anim.skeleton, findings);
    check_bone_indices(&anim.bone_indices, anim.bones.len(), &field_path!["bone_indices"], findings);
    if anim.frame_rate <= 0 {
        findings.add(&RATE, || field_path!["frame_rate"], || format!("is {}", anim.frame_rate));
    }
    check_frames(&anim.frames, findings);
}

fn check_frames(frames: &Table<CInt, Key11>, findings: &mut Findings) {
    if frames.is_empty() {
        findings.add(&FRAMELESS, || field_path!["frames"], || "is empty".into());
    }
    for frame in 0..frames.len() {
        for (place, key) in frames.row(frame).enumerate() {
            let path = |field: &'static str| move || field_path!["frames", frame, place, field];
            if unknown_bits(key.flags.raw(), key.flags.bits()) != 0 {
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

/// Checks the bones that an animation moves.
fn check_bone_indices(indices: &[i16], bones: usize, base: &FieldPath, findings: &mut Findings) {
    let mut seen = HashSet::new();
    for (place, bone) in indices.iter().enumerate() {
        let path = || base.join(&field_path![place]);
        index(findings, &KEY_BONE, *bone, ("bone", bones), path);
        if !seen.insert(*bone) {
            findings.add(&KEY_TWICE, path, || format!("bone {bone} is already listed"));
        }
    }
}

/// The type of a key's position and scale components.
trait Component: Wire + Schema {
    /// The stored number.
    fn number(&self) -> f32;
}

impl Component for f32 {
    fn number(&self) -> f32 {
        *self
    }
}

impl Component for u16 {
    fn number(&self) -> f32 {
        f32::from(*self)
    }
}

/// The position and scale components that a key has.
fn components<T: Wire>(key: &Key<T>) -> impl Iterator<Item = (&'static str, &T)> {
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

/// Checks keys against the mask: all of its components in the first frame, a subset in later ones.
fn check_mask<T>(frames: &Table<CInt, Key<T>>, mask: KeyFlags, base: &FieldPath, findings: &mut Findings)
where
    T: Component,
    Key<T>: Schema + Wire,
{
    if frames.is_empty() {
        findings.add(&FRAMELESS, || base.join(&field_path!["frames"]), || "is empty".into());
    }
    let is_unknown = unknown_bits(mask.raw(), mask.bits()) != 0;
    let mask = mask.raw();
    if is_unknown {
        findings.add(&UNKNOWN_FLAGS, || base.join(&field_path!["mask"]), || format!("is {mask:#04x}"));
    }
    for frame in 0..frames.len() {
        for (place, key) in frames.row(frame).enumerate() {
            let flags = key.flags.raw();
            let contradicts = if frame == 0 { flags != mask } else { flags & !mask != 0 };
            if contradicts {
                let path = || base.join(&field_path!["frames", frame, place, "flags"]);
                findings.add(&MASK, path, || format!("is {flags:#04x}, but the mask is {mask:#04x}"));
            }
            let path = |field: &'static str| base.join(&field_path!["frames", frame, place, field]);
            for (field, part) in components(&key) {
                finite(findings, part.number(), || path(field));
            }
            if let Some(parts) = key.rotation {
                quaternion(findings, &KEYS, rotation(parts), || path("rotation"));
            }
        }
    }
}
