//! Locates bytes that a text filter removed.
//!
//! The file is one forward stream of lists of fixed-size records. Where bytes are missing inside a list, the records before
//! the gap are plausible where they are, and the records after it, as the rest of the file, are plausible when read that
//! many bytes earlier.

use std::io::Seek;
use std::ops::Range;

use binrw::BinRead;

use super::conventions::rate;
use super::rules::LOST;
use super::{Keyframe, MAX_JOINTS, Ms3d, NONE, Triangle, Vertex};
use crate::FieldPath;
use crate::check::Findings;
use crate::check::common::{counted, field_path, unknown_bits};
use crate::codec::Format;
use crate::schema::{Leaf, Schema};
use crate::wire::{Counted, Counter, Source};

/// A longer gap is not the work of a filter.
const MAX_GAP: usize = 8;

/// Reports where bytes are missing in a damaged file.
pub(super) fn suspect(bytes: &[u8], findings: &mut Findings) {
    let Some(Gap { path, range, len }) = locate(bytes) else { return };
    findings.add_at(&LOST, range, || path, || format!("lacks {}", counted(len, "byte")));
}

/// Missing bytes.
struct Gap {
    /// The record that lacks them, or its list where several records come into question.
    path: FieldPath,
    /// The bytes of those records.
    range: Range<u64>,
    /// The number of missing bytes.
    len: usize,
}

/// Finds the gap in the first list that has an implausible record.
fn locate(bytes: &[u8]) -> Option<Gap> {
    let mut stream = Stream(Source::new(bytes));
    stream.field(|file| &file.id)?;
    stream.field(|file| &file.version)?;
    let num_vertices = stream.field(|file| &file.vertices)?.len();
    let vertices = List::<Vertex>::new(bytes, field_path!["vertices"], num_vertices, stream.at(), ())?;
    if let Some(broken) = vertices.first_implausible() {
        return vertices.gap(broken);
    }
    let num_triangles = stream.field(|file| &file.triangles)?.len();
    let triangles =
        List::<Triangle>::new(bytes, field_path!["triangles"], num_triangles, stream.at(), num_vertices)?;
    if let Some(broken) = triangles.first_implausible() {
        return triangles.gap(broken);
    }
    stream.field(|file| &file.groups)?;
    stream.field(|file| &file.materials)?;
    let fps = rate(stream.field(|file| &file.animation)?.fps);
    for at in 0..stream.count(|file| &file.joints)? {
        let joint = stream.item(|file| &file.joints)?;
        let path = |name: &'static str| field_path!["joints", at, name];
        let keys = |name, len, end| List::<Keyframe>::new(bytes, path(name), len, end, fps);
        let positions = keys("position_keys", joint.position_keys.len(), stream.at())?;
        let rotations = keys("rotation_keys", joint.rotation_keys.len(), positions.start)?;
        for list in [rotations, positions] {
            if let Some(broken) = list.first_implausible() {
                return list.gap(broken);
            }
        }
    }
    None
}

/// The bytes of a file, read field by field with the types of the definition.
struct Stream<'a>(Source<'a>);

impl Stream<'_> {
    /// The next byte.
    fn at(&mut self) -> usize {
        self.0.stream_position().ok().and_then(|at| usize::try_from(at).ok()).unwrap_or(usize::MAX)
    }

    fn field<T: for<'a> BinRead<Args<'a> = ()>>(&mut self, _field: fn(&Ms3d) -> &T) -> Option<T> {
        T::read_le(&mut self.0).ok()
    }

    /// Reads the count of a list.
    fn count<C: Counter, T>(&mut self, _list: fn(&Ms3d) -> &Counted<C, T>) -> Option<usize> {
        let count: C = BinRead::read_le(&mut self.0).ok()?;
        usize::try_from(count.into()).ok()
    }

    /// Reads the next element of a list.
    fn item<C, T: for<'a> BinRead<Args<'a> = ()>>(
        &mut self,
        _list: fn(&Ms3d) -> &Counted<C, T>,
    ) -> Option<T> {
        T::read_le(&mut self.0).ok()
    }
}

/// A record whose contents show whether it was read at the right offset.
trait Plausible: Schema {
    /// What that depends on outside the record.
    type Context: Copy;

    fn is_plausible(&self, context: Self::Context) -> bool;

    /// Whether the record can follow another one.
    fn can_follow(&self, _previous: &Self) -> bool {
        true
    }
}

impl Plausible for Vertex {
    type Context = ();

    fn is_plausible(&self, (): ()) -> bool {
        unknown_bits(self.flags.raw(), self.flags.bits()) == 0
            && self.position.into_iter().all(is_plausible)
            && (self.bone_id == NONE || usize::from(self.bone_id) < MAX_JOINTS)
    }
}

impl Plausible for Triangle {
    /// The number of vertices.
    type Context = usize;

    fn is_plausible(&self, num_vertices: usize) -> bool {
        let is_component = |value: &f32| is_plausible(*value) && value.abs() <= 1.01;
        unknown_bits(self.flags.raw(), self.flags.bits()) == 0
            && self.vertex_indices.iter().all(|index| usize::from(*index) < num_vertices)
            && self.vertex_normals.as_flattened().iter().all(is_component)
            && self.s.into_iter().chain(self.t).all(is_plausible)
    }
}

impl Plausible for Keyframe {
    /// Frames per second.
    type Context = f32;

    /// Keys lie on whole frames.
    fn is_plausible(&self, fps: f32) -> bool {
        let frame = self.time * fps;
        (frame == 0.0 || (0.5..1e6).contains(&frame))
            && (frame - frame.round()).abs() < 1e-2
            && self.value.into_iter().all(is_plausible)
    }

    fn can_follow(&self, previous: &Self) -> bool {
        previous.time < self.time
    }
}

/// Whether a number can be a coordinate or an angle.
fn is_plausible(number: f32) -> bool {
    number == 0.0 || (1e-30..=1e6).contains(&number.abs())
}

/// A list of fixed-size records within the file.
struct List<'a, T: Plausible> {
    bytes: &'a [u8],
    path: FieldPath,
    len: usize,
    start: usize,
    /// The size of a record.
    size: usize,
    context: T::Context,
}

impl<'a, T: Plausible> List<'a, T> {
    fn new(bytes: &'a [u8], path: FieldPath, len: usize, end: usize, context: T::Context) -> Option<Self> {
        let size = T::FIXED?;
        Some(Self { bytes, path, len, start: end.checked_sub(len * size)?, size, context })
    }

    /// The byte at which a record starts.
    const fn offset(&self, index: usize) -> usize {
        self.start + index * self.size
    }

    /// A record, read a number of bytes early.
    fn record(&self, index: usize, early: usize) -> Option<T> {
        let bytes = self.bytes.get(self.offset(index).checked_sub(early)?..)?;
        T::decode_prefix(bytes).map(|(record, _)| record)
    }

    fn is_plausible(&self, index: usize, early: usize) -> bool {
        self.record(index, early).is_some_and(|record| record.is_plausible(self.context))
    }

    /// Whether a record can follow the one before it.
    fn is_ordered(&self, index: usize, early: usize) -> bool {
        let previous = index.checked_sub(1).and_then(|index| self.record(index, early));
        previous.zip(self.record(index, early)).is_none_or(|(previous, record)| record.can_follow(&previous))
    }

    fn first_implausible(&self) -> Option<usize> {
        (0..self.len).find(|index| !self.is_plausible(*index, 0) || !self.is_ordered(*index, 0))
    }

    /// The gap, where one length alone makes the rest of the file plausible.
    fn gap(&self, broken: usize) -> Option<Gap> {
        let mut gaps = (1..=MAX_GAP).filter_map(|len| Some((self.records_around(broken, len)?, len)));
        let ((records, len), None) = (gaps.next()?, gaps.next()) else { return None };
        let path = match records.len() {
            1 => self.path.join(&field_path![records.start]),
            _ => self.path.clone(),
        };
        let range = self.offset(records.start) as u64..(self.offset(records.end) - len) as u64;
        Some(Gap { path, range, len })
    }

    /// The records that may lack a number of bytes, where everything after them is plausible.
    fn records_around(&self, broken: usize, len: usize) -> Option<Range<usize>> {
        // From the end, the first record that is implausible when read that much earlier.
        let mut after = self.len;
        while after > 0
            && self.is_plausible(after - 1, len)
            && (after == self.len || self.is_ordered(after, len))
        {
            after -= 1;
        }
        // The gap may take the end of one record and the beginning of the next.
        let records = after.saturating_sub(2)..(broken + 2).min(self.len);
        let (before, after) = self.bytes.split_at_checked(self.offset(records.start))?;
        let filled = [before, &[0; MAX_GAP][..len], after].concat();
        let is_healthy = Ms3d::decode(&filled).is_ok_and(|file| crate::codec::damage(&file).is_none());
        (!records.is_empty() && is_healthy).then_some(records)
    }
}
