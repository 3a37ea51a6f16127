//! Views of the contents of an animation file.

use std::ops::Range;

use super::mesh::first;
use super::{Bone, Chunk, Curves, Key, Psa, Records, ScaleKey, Sequence};

/// The assignment of scale keys to keys. It follows from their number; the flags of the sequences are unreliable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScaleKeys<'a> {
    /// There are no scale keys.
    None,
    /// One for each key, at the same index.
    All(&'a [ScaleKey]),
    /// One for each key of the sequences whose flag is set, in the order of the sequences.
    Flagged(&'a [ScaleKey]),
    /// Any other number.
    Unclear(&'a [ScaleKey]),
}

/// A sequence with its keys and curves.
#[derive(Clone, Copy, Debug)]
pub struct Clip<'a> {
    /// Name, rate and range.
    pub sequence: &'a Sequence,
    /// The index of its first key among those of the file.
    pub first_key: usize,
    /// Its keys, by frame, then by bone; `None` if the file has fewer.
    pub keys: Option<&'a [Key]>,
    /// Whether the keys are those after the previous sequence, because the stated first frame is beyond the end.
    pub is_moved: bool,
    /// Its scale keys in the same order, if any.
    pub scale_keys: Option<&'a [ScaleKey]>,
    /// Its blend curves, if the file has such chunks.
    pub curves: Option<&'a Curves>,
}

impl Sequence {
    /// Returns the indices of its keys among those of the file: by frame, then by bone.
    ///
    /// `None` if a number is negative or does not fit in memory. The range may extend beyond the keys of the file.
    ///
    /// ```
    /// use bindpose::formats::psk::Sequence;
    /// let run = Sequence { total_bones: 3, first_raw_frame: 10, num_raw_frames: 4, ..Sequence::default() };
    /// assert_eq!(run.key_range(), Some(30..42));
    /// ```
    #[must_use]
    pub fn key_range(&self) -> Option<Range<usize>> {
        let bones = usize::try_from(self.total_bones).ok()?;
        let start = usize::try_from(self.first_raw_frame).ok()?.checked_mul(bones)?;
        Some(start..start.checked_add(self.num_keys()?)?)
    }

    /// Returns the stated number of keys: bones times frames.
    fn num_keys(&self) -> Option<usize> {
        usize::try_from(self.total_bones).ok()?.checked_mul(usize::try_from(self.num_raw_frames).ok()?)
    }
}

/// Views of the chunks; of several with the same records the first, like other readers.
impl Psa {
    /// Returns the bones that have tracks.
    #[must_use]
    pub fn bones(&self) -> &[Bone] {
        first!(self.chunks, Bones)
    }

    /// Returns the sequences.
    #[must_use]
    pub fn sequences(&self) -> &[Sequence] {
        first!(self.chunks, Sequences)
    }

    /// Returns the positions and rotations of all sequences.
    #[must_use]
    pub fn keys(&self) -> &[Key] {
        first!(self.chunks, Keys)
    }

    /// Returns the keys of a sequence, by frame, then by bone; `None` if the file has fewer.
    #[must_use]
    pub fn keys_of(&self, sequence: &Sequence) -> Option<&[Key]> {
        self.keys().get(sequence.key_range()?)
    }

    /// Returns the scale keys of all sequences.
    #[must_use]
    pub fn scale_keys(&self) -> ScaleKeys<'_> {
        let keys: &[ScaleKey] = first!(self.chunks, ScaleKeys);
        let flagged = self.sequences().iter().filter(|sequence| sequence.scale_include != 0);
        let num_flagged =
            flagged.map(Sequence::num_keys).try_fold(0, |sum: usize, num| sum.checked_add(num?));
        match keys.len() {
            0 => ScaleKeys::None,
            len if len == self.keys().len() => ScaleKeys::All(keys),
            len if num_flagged == Some(len) => ScaleKeys::Flagged(keys),
            _ => ScaleKeys::Unclear(keys),
        }
    }

    /// Returns all sequences with their keys and curves.
    pub fn clips(&self) -> impl Iterator<Item = Clip<'_>> {
        let (keys, scale_keys) = (self.keys(), self.scale_keys());
        let mut curves = self.curves();
        let mut flagged_before: usize = 0;
        self.sequences().iter().zip(self.key_ranges()).map(move |(sequence, (range, is_moved))| {
            let range = range.filter(|range| range.end <= keys.len());
            let is_moved = is_moved && range.is_some();
            let start = flagged_before;
            let flagged = sequence.scale_include != 0;
            if flagged {
                flagged_before = start.saturating_add(sequence.num_keys().unwrap_or(0));
            }
            let scale_keys = match scale_keys {
                ScaleKeys::All(keys) => range.clone().and_then(|range| keys.get(range)),
                ScaleKeys::Flagged(keys) if flagged => keys.get(start..flagged_before),
                _ => None,
            };
            let first_key = range.as_ref().map_or(0, |range| range.start);
            let keys = range.and_then(|range| keys.get(range));
            Clip { sequence, first_key, keys, is_moved, scale_keys, curves: curves.next() }
        })
    }

    /// Returns the keys of each sequence, including those that a truncated file lacks, and whether they are those after the previous
    /// sequence in place of the stated ones.
    pub(super) fn key_ranges(&self) -> impl Iterator<Item = (Option<Range<usize>>, bool)> {
        let needed = self.sequences().iter().filter_map(Sequence::num_keys).fold(0, usize::saturating_add);
        let len = needed.max(self.keys().len());
        let mut before: usize = 0;
        self.sequences().iter().map(move |own| {
            let end = before.saturating_add(own.num_keys().unwrap_or(0));
            let following = std::mem::replace(&mut before, end)..end;
            let stated = own.key_range().filter(|range| range.end <= len);
            // CUE4Parse once wrote the number of frames instead of the first frame.
            let is_moved = stated.is_none() && own.num_keys().is_some();
            (stated.or(is_moved.then_some(following)), is_moved)
        })
    }

    /// Returns the blend curves, a list for each sequence in order; two chunks may have the same id.
    pub fn curves(&self) -> impl Iterator<Item = &Curves> {
        self.chunks.iter().filter_map(|chunk| match &chunk.records {
            Records::Curves(curves) => Some(curves),
            _ => None,
        })
    }

    /// Returns the first chunk with this id.
    #[must_use]
    pub fn chunk(&self, id: &str) -> Option<&Chunk> {
        self.chunks.iter().find(|chunk| chunk.id == id)
    }
}
