//! Bytes that a filter for text took out of a file, where they can be located.
//!
//! The file is one forward stream of lists of fixed records. Where bytes are missing in a list, the records before the gap
//! are sound as they stand, those behind it when they are read so much earlier, and so is all that follows the list.

use std::ops::Range;

use super::rules::LOST;
use super::{Keyframe, Ms3d, Triangle, Vertex};
use crate::FieldPath;
use crate::check::common::{counted, field_path};
use crate::check::{Findings, Repair};
use crate::codec::Format;
use crate::schema::Schema;

/// More missing bytes than this are no matter of a filter.
const MOST: usize = 8;

/// So many records may hold the gap before it counts as found nowhere.
const FEW: usize = 16;

/// What a filter is known to take, all there is of it: the mark of a paragraph. Single bytes, such as carriage returns, fit
/// into too many places.
const TAKEN: &[u8] = b"<P>";

/// A list of fixed records.
struct List {
    path: FieldPath,
    start: usize,
    size: usize,
    count: usize,
    kind: Kind,
}

/// What a record is sound by.
#[derive(Clone, Copy)]
enum Kind {
    Vertex,
    Triangle { num_vertices: usize },
    Key { fps: f32 },
}

/// Bytes that are missing, and what is known of them.
pub(super) struct Loss {
    /// The record that lacks them, or the list where it may be several.
    pub path: FieldPath,
    /// Where the gap is.
    pub range: Range<u64>,
    /// How many bytes are missing.
    pub len: usize,
    /// How the file is made whole; none where that is not certain.
    pub repair: Option<Repair>,
}

/// Looks for a gap in a file that does not make sense to its end.
pub(super) fn loss(bytes: &[u8]) -> Option<Loss> {
    let lists = lists(bytes);
    let (list, broken) = lists.iter().find_map(|list| Some((list, list.first_broken(bytes)?)))?;
    let mut gaps = (1..=MOST).filter_map(|len| list.gap(bytes, broken, len));
    let (gap, None) = (gaps.next()?, gaps.next()) else { return None };
    let repair = list.mend(bytes, &gap);
    let found = repair.as_ref().map(|repair| list.record_at(repair.range.start));
    let records = found.map_or(gap.records.clone(), |record| record..record + 1);
    let path = match records.len() {
        1 => list.path.join(&field_path![records.start]),
        _ => list.path.clone(),
    };
    let range = list.place(records.start) as u64..(list.place(records.end) - gap.len) as u64;
    Some(Loss { path, range, len: gap.len, repair })
}

/// Says where bytes are missing in a file that makes no sense.
pub(super) fn suspect(bytes: &[u8], findings: &mut Findings) {
    let Some(Loss { path, range, len, repair }) = loss(bytes) else { return };
    let lacks = format!("lacks {}", counted(len, "byte"));
    let message = match repair {
        Some(repair) => format!("{lacks}: \"{}\", which --fix puts back", repair.bytes.escape_ascii()),
        None => format!("{lacks}; nothing that filters are known to take fits one place alone"),
    };
    findings.add_at(&LOST, range, || path, || message);
}

/// What is certain to mend a file that makes no sense.
pub(super) fn repairs(bytes: &[u8]) -> Vec<Repair> {
    loss(bytes).and_then(|loss| loss.repair).into_iter().collect()
}

fn is_sound(bytes: &[u8]) -> bool {
    Ms3d::decode(bytes).is_ok_and(|file| crate::codec::damage(&file).is_none())
}

/// The bytes of a file one after the other.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn skip(&mut self, len: usize) -> Option<()> {
        self.at = self.at.checked_add(len).filter(|at| *at <= self.bytes.len())?;
        Some(())
    }

    fn count(&mut self) -> Option<usize> {
        let count = self.bytes.get(self.at..)?.first_chunk::<2>()?;
        self.at += 2;
        Some(u16::from_le_bytes(*count).into())
    }

    /// Passes a list that lies within the file.
    fn list(
        &mut self,
        path: impl FnOnce() -> FieldPath,
        size: usize,
        count: usize,
        kind: Kind,
    ) -> Option<List> {
        let start = self.at;
        self.skip(size.checked_mul(count)?)?;
        Some(List { path: path(), start, size, count, kind })
    }
}

/// The lists of a file up to the first that does not fit into it.
fn lists(bytes: &[u8]) -> Vec<List> {
    let mut lists = Vec::new();
    let _ = add_lists(&mut Reader { bytes, at: 14 }, &mut lists);
    lists
}

fn add_lists(reader: &mut Reader<'_>, lists: &mut Vec<List>) -> Option<()> {
    const GROUP: usize = 33;
    const MATERIAL: usize = 361;
    const JOINT: usize = 89;
    let num_vertices = reader.count()?;
    lists.push(reader.list(|| field_path!["vertices"], Vertex::FIXED?, num_vertices, Kind::Vertex)?);
    let count = reader.count()?;
    lists.push(reader.list(
        || field_path!["triangles"],
        Triangle::FIXED?,
        count,
        Kind::Triangle { num_vertices },
    )?);
    for _ in 0..reader.count()? {
        reader.skip(GROUP)?;
        let triangles = reader.count()?;
        reader.skip(2 * triangles + 1)?;
    }
    let materials = reader.count()?;
    reader.skip(MATERIAL * materials)?;
    let fps = float(reader.bytes.get(reader.at..)?)?.max(1.0);
    reader.skip(12)?;
    for joint in 0..reader.count()? {
        reader.skip(JOINT)?;
        let (rotations, positions) = (reader.count()?, reader.count()?);
        for (name, count) in [("rotation_keys", rotations), ("position_keys", positions)] {
            lists.push(reader.list(
                || field_path!["joints", joint, name],
                Keyframe::FIXED?,
                count,
                Kind::Key { fps },
            )?);
        }
    }
    Some(())
}

fn float(bytes: &[u8]) -> Option<f32> {
    bytes.first_chunk().map(|bytes| f32::from_le_bytes(*bytes))
}

/// Whether a number can be a coordinate or an angle.
fn is_plausible(number: f32) -> bool {
    number == 0.0 || (1e-30..=1e6).contains(&number.abs())
}

/// Numbers that lie one behind the other.
fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes))
}

impl Kind {
    fn is_sound(self, record: &[u8]) -> bool {
        match self {
            Self::Vertex => {
                record[0] < 0x80
                    && floats(&record[1..13]).all(is_plausible)
                    && (record[13] == 255 || record[13] < 128)
            }
            Self::Triangle { num_vertices } => {
                let index =
                    |corner: usize| usize::from(u16::from_le_bytes([record[corner], record[corner + 1]]));
                record[1] == 0
                    && [2, 4, 6].into_iter().all(|corner| index(corner) < num_vertices)
                    && floats(&record[8..44]).all(|part| is_plausible(part) && part.abs() <= 1.01)
                    && floats(&record[44..68]).all(is_plausible)
            }
            Self::Key { fps } => {
                // Keys lie on whole frames.
                let frame = floats(record).next().unwrap_or(f32::NAN) * fps;
                (frame == 0.0 || (0.5..1e6).contains(&frame))
                    && (frame - frame.round()).abs() < 1e-2
                    && floats(&record[4..]).all(is_plausible)
            }
        }
    }

    /// Whether a record stands between two others as motion has it.
    fn goes_on(self, before: &[u8], record: &[u8], behind: &[u8]) -> bool {
        let values = floats(before).zip(floats(record)).zip(floats(behind));
        matches!(self, Self::Key { .. }) && values.into_iter().all(|((a, own), b)| is_between(a, own, b))
    }

    /// Whether a record can stand behind another one.
    fn is_order(self, before: &[u8], record: &[u8]) -> bool {
        !matches!(self, Self::Key { .. }) || float(before) < float(record)
    }
}

/// Whether a number is about half way between two others.
fn is_between(a: f32, number: f32, b: f32) -> bool {
    (number - f32::midpoint(a, b)).abs() <= (b - a).abs() / 4.0 + 1e-6
}

/// A gap of so many bytes within one of these records.
struct Gap {
    records: Range<usize>,
    len: usize,
}

impl List {
    /// The byte at which a record starts.
    const fn place(&self, record: usize) -> usize {
        self.start + record * self.size
    }

    /// The record that holds a byte.
    fn record_at(&self, byte: u64) -> usize {
        usize::try_from(byte).unwrap_or(usize::MAX).saturating_sub(self.start) / self.size
    }

    /// A record that is read so many bytes too early.
    fn record<'a>(&self, bytes: &'a [u8], record: usize, early: usize) -> Option<&'a [u8]> {
        let start = self.place(record).checked_sub(early)?;
        bytes.get(start..start + self.size)
    }

    fn is_sound(&self, bytes: &[u8], record: usize, early: usize) -> bool {
        self.record(bytes, record, early).is_some_and(|own| self.kind.is_sound(own))
    }

    /// Whether a record may stand behind the one before it.
    fn is_order(&self, bytes: &[u8], record: usize, early: usize) -> bool {
        let before = record.checked_sub(1).and_then(|before| self.record(bytes, before, early));
        before
            .zip(self.record(bytes, record, early))
            .is_none_or(|(before, own)| self.kind.is_order(before, own))
    }

    fn first_broken(&self, bytes: &[u8]) -> Option<usize> {
        (0..self.count).find(|record| !self.is_sound(bytes, *record, 0) || !self.is_order(bytes, *record, 0))
    }

    /// The gap of a length, where all behind it makes sense.
    fn gap(&self, bytes: &[u8], broken: usize, len: usize) -> Option<Gap> {
        // From the end, the first record that is not sound when read so much earlier.
        let mut behind = self.count;
        while behind > 0
            && self.is_sound(bytes, behind - 1, len)
            && (behind == self.count || self.is_order(bytes, behind, len))
        {
            behind -= 1;
        }
        // The gap lies in the record in front of those that are sound behind it and in the first that is not before it,
        // and may take the end of one and the beginning of the next.
        let records = behind.saturating_sub(2)..(broken + 2).min(self.count);
        let whole = || insert(bytes, self.place(records.start), &[0; MOST][..len]);
        (!records.is_empty() && is_sound(&whole())).then_some(Gap { records, len })
    }

    /// The one place where what a filter takes closes a gap; places that lead to the same bytes are one.
    fn mend(&self, bytes: &[u8], gap: &Gap) -> Option<Repair> {
        let is_left = memchr::memmem::find(bytes, TAKEN).is_some();
        if gap.len != TAKEN.len() || gap.records.len() > FEW || is_left {
            return None;
        }
        let start = self.place(gap.records.start);
        let window = bytes.get(start..self.place(gap.records.end) - gap.len)?;
        let mut found: Option<(usize, Vec<u8>)> = None;
        for place in 0..=window.len() {
            let filled = insert(window, place, TAKEN);
            if !self.fits(bytes, gap, &filled, place)
                || found.as_ref().is_some_and(|(_, other)| *other == filled)
            {
                continue;
            }
            if found.is_some() {
                return None;
            }
            found = Some((start + place, filled));
        }
        let place = found?.0 as u64;
        let record = self.path.join(&field_path![self.record_at(place)]);
        let message = format!("{record} lacks \"{}\"", TAKEN.escape_ascii());
        let repair = Repair { rule: &LOST, range: place..place, bytes: TAKEN.to_vec(), message };
        is_sound(&repair.apply(bytes)).then_some(repair)
    }

    /// Whether the records around a gap make sense as they were filled, and those that were lie between their neighbours.
    fn fits(&self, bytes: &[u8], gap: &Gap, filled: &[u8], place: usize) -> bool {
        let before = gap.records.start.checked_sub(1).and_then(|before| self.record(bytes, before, 0));
        let behind = (gap.records.end < self.count).then(|| self.record(bytes, gap.records.end, gap.len));
        let (Some(before), Some(behind)) = (before, behind.flatten()) else { return false };
        let own = filled.chunks_exact(self.size);
        let records: Vec<_> = [before].into_iter().chain(own).chain([behind]).collect();
        let changed = place / self.size..(place + gap.len - 1) / self.size + 1;
        let goes_on = |at: usize| self.kind.goes_on(records[at], records[at + 1], records[at + 2]);
        records.iter().all(|record| self.kind.is_sound(record))
            && records.windows(2).all(|pair| self.kind.is_order(pair[0], pair[1]))
            && changed.into_iter().all(goes_on)
    }
}

fn insert(bytes: &[u8], at: usize, what: &[u8]) -> Vec<u8> {
    [&bytes[..at], what, &bytes[at..]].concat()
}
