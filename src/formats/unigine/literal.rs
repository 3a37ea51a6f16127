//! Files that cannot be decoded, but are valid after one change: those that were written literally from a public description where
//! it is wrong, for which the definition is tried with another width of its integers and with one part moved, and those in which
//! only a repeated magic is wrong.

use std::io::Seek;
use std::ops::Range;

use binrw::BinRead;
use memchr::memmem;

use super::rules::{INT_COUNTS, MAGIC, NO_ANIMATIONS, TAIL_EACH};
use super::types::version;
use super::{Bone, Bounds, CInt, with_wide_integers};
use crate::check::common::field_path;
use crate::check::{Findings, Repair, Rule};
use crate::codec::{Format, damage, verify};
use crate::schema::{Value, get_text, locate};
use crate::wire::{Counted, FixedStr, Source};
use crate::{Budget, ErrorKind, FieldPath, Limits, Options};

/// The mistakes of a description that a file follows.
#[derive(Clone, Copy)]
struct Literal {
    /// Its compact integers have 32 bits.
    has_int_counts: bool,
    /// The magic that ends a file follows each surface.
    has_tail_each: bool,
    /// It has no list of animations.
    lacks_animations: bool,
}

impl Literal {
    /// Returns what a file with this magic can have: only meshes have surfaces, and only ms10 to ms12 a number of animations.
    fn all(magic: [u8; 4]) -> impl Iterator<Item = Self> {
        let version = version(u32::from_le_bytes(magic));
        // Later meshes have the magic between more parts.
        let has_tail = magic.starts_with(b"ms") && version < 14;
        let has_animations = has_tail && version < 13;
        let all = (1..8).map(|number| Self {
            has_int_counts: number & 1 != 0,
            has_tail_each: number & 2 != 0,
            lacks_animations: number & 4 != 0,
        });
        all.filter(move |own| (has_tail || !own.has_tail_each) && (has_animations || !own.lacks_animations))
    }

    /// The violated rules and what the file has.
    fn rules(self) -> impl Iterator<Item = (&'static Rule, &'static str)> {
        [
            (self.has_int_counts, &INT_COUNTS, "its counts and lengths are integers of 32 bits"),
            (self.has_tail_each, &TAIL_EACH, "the magic follows each surface"),
            (self.lacks_animations, &NO_ANIMATIONS, "it has no number of animations"),
        ]
        .into_iter()
        .filter_map(|(has, rule, what)| has.then_some((rule, what)))
    }

    /// Returns the file as it should be, if it is valid then.
    fn corrected<F: Format>(self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut moved = bytes.to_vec();
        if self.lacks_animations {
            let at = self.read(|| animations(bytes))?;
            moved.splice(at..at, std::iter::repeat_n(0, if self.has_int_counts { 4 } else { 1 }));
        }
        if self.has_tail_each {
            moved = without_tails(&moved)?;
        }
        let file = self.read(|| F::decode_with(&moved, &Options::default())).ok()?;
        let bytes = damage(&file).is_none().then(|| file.encode().ok())??;
        let again = F::decode_with(&bytes, &Options::default()).ok()?;
        // Packed content keeps its bytes, and their integers.
        (damage(&again).is_none() && verify(&again, &bytes).opaque == 0).then_some(bytes)
    }

    fn read<T>(self, read: impl FnOnce() -> T) -> T {
        if self.has_int_counts { with_wide_integers(read) } else { read() }
    }
}

/// Returns where the number of animations is missing: after the bones.
fn animations(bytes: &[u8]) -> Option<usize> {
    let budget = Budget::of(&Limits::default(), bytes.len() as u64);
    let mut reader = Source::new(bytes).within(&budget);
    <(FixedStr<4>, Bounds, Counted<CInt, Bone>)>::read_le(&mut reader).ok()?;
    usize::try_from(reader.stream_position().ok()?).ok()
}

/// Removes the magic after each surface but the last; `None` if there are no further ones.
fn without_tails(bytes: &[u8]) -> Option<Vec<u8>> {
    let magic = bytes.first_chunk::<4>()?;
    // At the start of the file, before the data, and at the end.
    let places: Vec<usize> = memmem::find_iter(bytes, magic).skip(2).collect();
    let (_, tails) = places.split_last().filter(|(_, tails)| !tails.is_empty())?;
    let starts = std::iter::once(0).chain(tails.iter().map(|tail| tail + magic.len()));
    let ends = tails.iter().copied().chain([bytes.len()]);
    Some(starts.zip(ends).flat_map(|(start, end)| &bytes[start..end]).copied().collect())
}

/// Finds the description that a damaged file follows, and the file as it should be.
fn find<F: Format>(bytes: &[u8]) -> Option<(Literal, Vec<u8>)> {
    Literal::all(*bytes.first_chunk()?).find_map(|own| Some((own, own.corrected::<F>(bytes)?)))
}

/// The fields that repeat the magic.
const MARKERS: [&str; 4] = ["middle_id", "trees_id", "offsets_id", "tail_id"];

/// A field that repeats the magic with other bytes, and its place in the file.
struct Marker {
    path: FieldPath,
    at: usize,
}

impl Marker {
    const fn range(&self) -> Range<u64> {
        self.at as u64..self.at as u64 + 4
    }

    fn message(&self, bytes: &[u8]) -> String {
        let id = |at: usize| bytes[at..at + 4].escape_ascii();
        format!("is \"{}\", but the file starts with {}", id(self.at), id(0))
    }

    fn repair(&self, bytes: &[u8]) -> Repair {
        let message = format!("{} {}", self.path, self.message(bytes));
        Repair::new(&MAGIC, self.range(), bytes[..4].to_vec(), message)
    }
}

/// Returns the wrong markers of a file that is undecodable for no other reason.
fn wrong_markers<F: Format>(bytes: &[u8]) -> Option<Vec<Marker>> {
    let magic = bytes.first_chunk::<4>()?;
    let mut own = bytes.to_vec();
    let mut wrong = Vec::new();
    loop {
        match F::decode_with(&own, &Options::default()) {
            Ok(file) => return damage(&file).is_none().then_some(wrong),
            Err(error) if matches!(error.kind(), ErrorKind::Magic(_)) && wrong.len() < MARKERS.len() => {
                let at = usize::try_from(error.offset()).ok()?;
                own.get_mut(at..at + magic.len())?.copy_from_slice(magic);
                wrong.push(Marker { path: error.path().clone(), at });
            }
            Err(_) => return None,
        }
    }
}

/// Compares each repeated magic with the first.
pub(super) fn check_markers(file: &dyn Value, findings: &mut Findings) {
    let text = |name: &'static str| get_text(file, &field_path![name]).ok()?.pop().map(|(_, text)| text);
    let Some(id) = text("id") else { return };
    for name in MARKERS {
        if let Some(own) = text(name).filter(|own| *own != id) {
            findings.add(&MAGIC, || field_path![name], || format!("is {own}, but the file starts with {id}"));
        }
    }
}

/// The methods of [`Check`](crate::check::Check) for files that one change makes valid.
macro_rules! methods {
    () => {
        fn suspect(bytes: &[u8], findings: &mut Findings) {
            literal::suspect::<Self>(bytes, findings);
        }

        fn repairs(bytes: &[u8]) -> Vec<Repair> {
            literal::repairs::<Self>(bytes)
        }

        fn corrections(&self, bytes: &[u8]) -> Vec<Repair> {
            literal::corrections(self, bytes)
        }
    };
}
pub(super) use methods;

/// Reports what makes a file undecodable if one change corrects it.
pub(super) fn suspect<F: Format>(bytes: &[u8], findings: &mut Findings) {
    for (rule, what) in find::<F>(bytes).into_iter().flat_map(|(own, _)| own.rules()) {
        findings.add_at(rule, 0..bytes.len() as u64, FieldPath::root, || what.into());
    }
    for own in wrong_markers::<F>(bytes).into_iter().flatten() {
        findings.add_at(&MAGIC, own.range(), || own.path.clone(), || own.message(bytes));
    }
}

/// Returns the repair that makes an undecodable file valid.
pub(super) fn repairs<F: Format>(bytes: &[u8]) -> Vec<Repair> {
    if let Some((own, corrected)) = find::<F>(bytes) {
        let what: Vec<_> = own.rules().map(|(_, what)| what).collect();
        let rule = own.rules().next().map(|(rule, _)| rule);
        let repair = |rule| Repair::new(rule, 0..bytes.len() as u64, corrected, what.join("; "));
        return rule.map(repair).into_iter().collect();
    }
    wrong_markers::<F>(bytes).into_iter().flatten().map(|own| own.repair(bytes)).collect()
}

/// As [`repairs`], for a file that can be decoded.
pub(super) fn corrections(file: &dyn Value, bytes: &[u8]) -> Vec<Repair> {
    let places = MARKERS.iter().filter_map(|name| locate(file, &field_path![*name]).ok()).flatten();
    let markers =
        places.filter_map(|own| Some(Marker { at: usize::try_from(own.range.start).ok()?, path: own.path }));
    let wrong = markers.filter(|own| bytes.get(own.at..own.at + 4).is_some_and(|own| own != &bytes[..4]));
    wrong.map(|own| own.repair(bytes)).collect()
}
