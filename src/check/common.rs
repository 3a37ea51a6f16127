//! Checks shared by several formats.

use std::collections::HashMap;

use super::tolerance::{DIRECTION, RANGE, UNIT};
use super::{Findings, Rule};
use crate::FieldPath;
use crate::hierarchy::cycles;
use crate::schema::Bit;
use crate::wire::escape;
pub(crate) use bindpose_core::counted;

/// Builds a path from names and indices: `field_path!["joints", 3, "name"]`.
macro_rules! field_path {
    ($($step:expr),* $(,)?) => {
        $crate::FieldPath::from(vec![$($crate::schema::Step::from($step)),*])
    };
}
pub(crate) use field_path;

/// Returns a quoted name for messages.
pub(crate) fn quoted(name: &[u8]) -> String {
    format!("\"{}\"", escape(name))
}

/// Returns whether a path begins at a drive, a server or the root of a file system: `C:\textures\skin.png`, `\\server\skin.png`,
/// `\skin.png`, `/home/me/skin.png`.
pub(crate) fn is_absolute(path: &[u8]) -> bool {
    matches!(path, [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic())
        || matches!(path, [b'/' | b'\\', ..])
}

/// Checks that an index is less than a length.
#[inline]
pub(crate) fn index(
    findings: &mut Findings,
    rule: &'static Rule,
    index: impl Into<i64>,
    (what, len): (&str, usize),
    path: impl FnOnce() -> FieldPath,
) {
    let index = index.into();
    if usize::try_from(index).is_ok_and(|index| index < len) {
        return;
    }
    out_of_range(findings, rule, path, || format!("refers to {what} {index}, but {len} exist"));
}

/// Adds a finding, away from the loop over all indices.
#[cold]
#[inline(never)]
fn out_of_range(
    findings: &mut Findings,
    rule: &'static Rule,
    path: impl FnOnce() -> FieldPath,
    message: impl FnOnce() -> String,
) {
    findings.add(rule, path, message);
}

/// Returns the bits of a flag word that have no name in its definition.
pub(crate) fn unknown_bits(raw: impl Into<u64>, known: &[Bit]) -> u64 {
    let mask = |bit: &Bit| (u64::MAX >> (64 - bit.width)) << bit.offset;
    known.iter().fold(raw.into(), |unknown, bit| unknown & !mask(bit))
}

/// Adds one finding for all violations of one kind: the first one, with the number of others.
pub(crate) fn sum_up<T>(
    findings: &mut Findings,
    rule: &'static Rule,
    mut found: impl Iterator<Item = T>,
    describe: impl FnOnce(T, &str) -> (FieldPath, String),
) {
    let Some(first) = found.next() else { return };
    let more = match found.count() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let (path, message) = describe(first, &more);
    findings.add(rule, || path, || message);
}

/// Checks that two numbers are equal.
pub(crate) fn count(
    findings: &mut Findings,
    rule: &'static Rule,
    (has, expected): (usize, usize),
    path: impl FnOnce() -> FieldPath,
    what: impl FnOnce() -> String,
) {
    if has != expected {
        findings.add(rule, path, || format!("has {has}, but {}", what()));
    }
}

/// Checks that names are unique; the second of two is reported. Empty names are ignored.
pub(crate) fn unique<'a>(
    findings: &mut Findings,
    rule: &'static Rule,
    names: impl IntoIterator<Item = &'a [u8]>,
    path: impl Fn(usize) -> FieldPath,
) {
    let mut seen: HashMap<&[u8], usize> = HashMap::new();
    for (index, name) in names.into_iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        let first = *seen.entry(name).or_insert(index);
        if first != index {
            findings.add(
                rule,
                || path(index),
                || format!("{} is already the name of element {first}", quoted(name)),
            );
        }
    }
}

/// The rules of a hierarchy of parent indices.
pub(crate) struct ParentRules {
    /// The parent index is out of range.
    pub range: &'static Rule,
    /// A bone is its own ancestor.
    pub cycle: &'static Rule,
    /// A parent follows its child.
    pub order: &'static Rule,
}

/// Checks parent indices; none for a root.
pub(crate) fn parents(
    findings: &mut Findings,
    rules: &ParentRules,
    parents: &[Option<i64>],
    path: impl Fn(usize) -> FieldPath,
) {
    for (bone, parent) in parents.iter().enumerate() {
        let Some(parent) = *parent else { continue };
        match usize::try_from(parent) {
            Ok(at) if at < parents.len() => {
                if at > bone {
                    let message = || format!("the parent {at} follows its child {bone}");
                    findings.add(rules.order, || path(bone), message);
                }
            }
            _ => index(findings, rules.range, parent, ("bone", parents.len()), || path(bone)),
        }
    }
    let known = |parent: &Option<i64>| parent.and_then(|parent| usize::try_from(parent).ok());
    let parents: Vec<_> = parents.iter().map(known).collect();
    for bone in cycles(&parents) {
        findings.add(rules.cycle, || path(bone), || "is its own ancestor".into());
    }
}

/// The rules of a rotation.
pub(crate) struct QuaternionRules {
    /// All four components are zero.
    pub zero: &'static Rule,
    /// Its length is not 1.
    pub unit: &'static Rule,
}

/// Returns whether all components are zero.
pub(crate) fn is_zero(quaternion: [f32; 4]) -> bool {
    quaternion.iter().all(|part| *part == 0.0)
}

/// Checks a rotation, a quaternion with its components in any order.
#[inline]
pub(crate) fn quaternion(
    findings: &mut Findings,
    rules: &QuaternionRules,
    quaternion: [f32; 4],
    path: impl FnOnce() -> FieldPath,
) {
    let square: f32 = quaternion.iter().map(|part| part * part).sum();
    // Another rule reports values that are not finite.
    if (square - 1.0).abs() <= UNIT || !square.is_finite() {
        return;
    }
    if square == 0.0 {
        findings.add(rules.zero, path, || "is all zero".into());
    } else {
        findings.add(rules.unit, path, || format!("has length {}", square.sqrt()));
    }
}

/// Checks that a direction has length 1.
#[inline]
pub(crate) fn unit(
    findings: &mut Findings,
    rule: &'static Rule,
    direction: [f32; 3],
    path: impl FnOnce() -> FieldPath,
) {
    let square: f32 = direction.iter().map(|part| part * part).sum();
    if (square - 1.0).abs() > DIRECTION && square.is_finite() {
        findings.add(rule, path, || format!("has length {}", square.sqrt()));
    }
}

/// Checks that times increase.
pub(crate) fn ascending<T: Copy + PartialOrd + std::fmt::Display>(
    findings: &mut Findings,
    rule: &'static Rule,
    times: impl IntoIterator<Item = T>,
    path: impl Fn(usize) -> FieldPath,
) {
    let mut before: Option<T> = None;
    for (key, time) in times.into_iter().enumerate() {
        if let Some(before) = before.filter(|before| *before >= time) {
            findings.add(rule, || path(key), || format!("{time} follows {before}"));
        }
        before = Some(time);
    }
}

/// Checks that the three corners of a triangle are different.
#[inline]
pub(crate) fn degenerate<T: PartialEq>([a, b, c]: &[T; 3]) -> bool {
    a == b || b == c || a == c
}

/// Checks that a number is within a range, with a tolerance for rounding.
#[inline]
pub(crate) fn within(
    findings: &mut Findings,
    rule: &'static Rule,
    value: f32,
    range: std::ops::RangeInclusive<f32>,
    path: impl FnOnce() -> FieldPath,
) {
    let fits = *range.start() - RANGE <= value && value <= *range.end() + RANGE;
    if value.is_finite() && !fits {
        findings.add(rule, path, || format!("{value} is not in {} to {}", range.start(), range.end()));
    }
}
