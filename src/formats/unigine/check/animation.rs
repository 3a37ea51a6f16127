//! Rules of animations.

use super::super::rules::{FRAMELESS, KEY_BONE, KEY_TWICE, KEY_UNIT, MASK};
use super::super::{Anim10, Anim11, Key, KeyFlags, MeshAnimation, QuantizedAnimation, UnigineAnim, rotation};
use super::{inside_out, markers, skeleton};
use crate::Path;
use crate::check::common::{QuaternionRules, at, index, quaternion};
use crate::check::{Check, Findings};
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
    inside_out(&anim.bounds, || at!["bounds"], findings);
    skeleton(&anim.bones, &anim.transforms, findings);
    for (place, animation) in anim.animations.iter().enumerate() {
        let QuantizedAnimation { bone_indices, mask, frames, .. } = animation;
        let base = at!["animations", place];
        moved(bone_indices, anim.bones.len(), &base.join(&at!["bone_indices"]), findings);
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
    let base = at!["animations", place];
    moved(&animation.bone_indices, bones, &base.join(&at!["bone_indices"]), findings);
    masked(&animation.frames, animation.mask, &base, findings);
}

fn check_anim11(anim: &Anim11, findings: &mut Findings) {
    markers(anim.id, &[("middle_id", &anim.middle_id), ("tail_id", &anim.tail_id)], findings);
    skeleton(&anim.bones, &anim.transforms, findings);
    moved(&anim.bone_indices, anim.bones.len(), &at!["bone_indices"], findings);
    if anim.frames.is_empty() {
        findings.add(&FRAMELESS, || at!["frames"], || "is empty".into());
    }
    for frame in 0..anim.frames.len() {
        for (place, key) in anim.frames.row(frame).enumerate() {
            let path = |field: &'static str| move || at!["frames", frame, place, field];
            if let Some(rotation) = key.rotation {
                quaternion(findings, &KEYS, rotation, path("rotation"));
            }
        }
    }
}

const KEYS: QuaternionRules = QuaternionRules { zero: &KEY_UNIT, unit: &KEY_UNIT };

/// The bones that an animation moves.
fn moved(indices: &[i16], bones: usize, base: &Path, findings: &mut Findings) {
    let mut seen = vec![false; bones];
    for (place, bone) in indices.iter().enumerate() {
        let path = || base.join(&at![place]);
        let own = usize::try_from(*bone).ok().and_then(|bone| seen.get_mut(bone));
        match own {
            None => index(findings, &KEY_BONE, *bone, ("bone", bones), path),
            Some(true) => findings.add(&KEY_TWICE, path, || format!("bone {bone} is moved before")),
            Some(own) => *own = true,
        }
    }
}

/// The keys of a mask: all of it in the first frame, nothing else later.
fn masked<T>(frames: &Table<CInt, Key<T>>, mask: KeyFlags, base: &Path, findings: &mut Findings)
where
    T: Wire + Schema,
    Key<T>: Schema + Wire,
{
    if frames.is_empty() {
        findings.add(&FRAMELESS, || base.join(&at!["frames"]), || "is empty".into());
    }
    let mask = mask.raw();
    for frame in 0..frames.len() {
        for (place, key) in frames.row(frame).enumerate() {
            let flags = key.flags.raw();
            let wrong = if frame == 0 { flags != mask } else { flags & !mask != 0 };
            if wrong {
                let path = || base.join(&at!["frames", frame, place, "flags"]);
                findings.add(&MASK, path, || format!("is {flags:#04x}, the mask is {mask:#04x}"));
            }
            if let Some(parts) = key.rotation {
                let path = || base.join(&at!["frames", frame, place, "rotation"]);
                quaternion(findings, &KEYS, rotation(parts), path);
            }
        }
    }
}
