//! The content of a set of animations.

use std::ops::Range;

use super::mesh::first;
use super::{Bone, Chunk, Curves, Key, Psa, Records, ScaleKey, Sequence};

/// How the scale keys of a file belong to its keys. Their number tells, the sequences' own word does not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScaleKeys<'a> {
    /// There are none.
    None,
    /// One for each key, at the same index.
    All(&'a [ScaleKey]),
    /// One for each key of the sequences that say they have them, in the order of the sequences.
    Flagged(&'a [ScaleKey]),
    /// As many as fit neither.
    Unclear(&'a [ScaleKey]),
}

/// An animation with what belongs to it.
#[derive(Clone, Copy, Debug)]
pub struct Clip<'a> {
    /// Name, rate and range.
    pub sequence: &'a Sequence,
    /// Its keys, frame by frame, in a frame bone by bone; `None` where the file does not have as many.
    pub keys: Option<&'a [Key]>,
    /// Whether they stand behind those of the sequence before, because the first frame that it names is not there.
    pub is_moved: bool,
    /// Its scale keys in the same order, where it has some.
    pub scale_keys: Option<&'a [ScaleKey]>,
    /// Its blend curves, where the file has such chunks.
    pub curves: Option<&'a Curves>,
}

impl Sequence {
    /// The indices of its keys among those of the file: frame by frame, in a frame bone by bone.
    ///
    /// `None` where a number is negative or does not fit in memory; the range may end behind the keys there are.
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

    /// Keys by its own word: bones times frames.
    fn num_keys(&self) -> Option<usize> {
        usize::try_from(self.total_bones).ok()?.checked_mul(usize::try_from(self.num_raw_frames).ok()?)
    }
}

/// Views over the chunks; of several of one kind the first, as readers have it.
impl Psa {
    /// The bones that have tracks.
    #[must_use]
    pub fn bones(&self) -> &[Bone] {
        first!(self.chunks, Bones)
    }

    /// Animations.
    #[must_use]
    pub fn sequences(&self) -> &[Sequence] {
        first!(self.chunks, Sequences)
    }

    /// Positions and rotations of all animations.
    #[must_use]
    pub fn keys(&self) -> &[Key] {
        first!(self.chunks, Keys)
    }

    /// The keys of an animation, frame by frame, in a frame bone by bone; `None` where it has none such.
    #[must_use]
    pub fn keys_of(&self, sequence: &Sequence) -> Option<&[Key]> {
        self.keys().get(sequence.key_range()?)
    }

    /// Scales of all animations.
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

    /// All animations with what belongs to each.
    pub fn clips(&self) -> impl Iterator<Item = Clip<'_>> {
        let scale_keys = self.scale_keys();
        let mut curves = self.curves();
        let mut flagged_before: usize = 0;
        let mut keys_before: usize = 0;
        self.sequences().iter().map(move |sequence| {
            let start = flagged_before;
            let end = keys_before.saturating_add(sequence.num_keys().unwrap_or(0));
            let behind = std::mem::replace(&mut keys_before, end)..end;
            let told = sequence.key_range().filter(|range| range.end <= self.keys().len());
            // CUE4Parse once wrote the number of frames in the place of the first.
            let is_moved = told.is_none() && sequence.num_keys().is_some() && end <= self.keys().len();
            let range = told.or(is_moved.then_some(behind));
            let flagged = sequence.scale_include != 0;
            if flagged {
                flagged_before = start.saturating_add(sequence.num_keys().unwrap_or(0));
            }
            let scale_keys = match scale_keys {
                ScaleKeys::All(keys) => range.clone().and_then(|range| keys.get(range)),
                ScaleKeys::Flagged(keys) if flagged => keys.get(start..flagged_before),
                _ => None,
            };
            let keys = range.and_then(|range| self.keys().get(range));
            Clip { sequence, keys, is_moved, scale_keys, curves: curves.next() }
        })
    }

    /// Blend curves, a chunk for each sequence in their order; two may have the same id.
    pub fn curves(&self) -> impl Iterator<Item = &Curves> {
        self.chunks.iter().filter_map(|chunk| match &chunk.records {
            Records::Curves(curves) => Some(curves),
            _ => None,
        })
    }

    /// The first chunk with this id.
    #[must_use]
    pub fn chunk(&self, id: &str) -> Option<&Chunk> {
        self.chunks.iter().find(|chunk| chunk.id == id)
    }
}
