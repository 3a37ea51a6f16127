//! Files that are almost right: one change to a file, where changes hurt.

use std::fmt;
use std::ops::{ControlFlow, Range};

use proptest::prelude::Rng;

use super::random::{Random, below, random};
use crate::File;
use crate::schema::Role;

/// So many places of a large file are enough to choose from.
const PLACES: usize = 1 << 16;

/// What was done to a file to make a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// A count, length, tag or flag that decides what follows has another value.
    Lie,
    /// A value has another, of a kind that readers forget: none, all bits, the largest, the smallest.
    Extreme,
    /// One bit is turned.
    Bit,
    /// The file ends here.
    Cut,
    /// A value is missing.
    Lost,
    /// A value stands there twice.
    Repeated,
}

impl Mutation {
    /// Every one there is.
    pub const ALL: [Self; 6] = [Self::Lie, Self::Extreme, Self::Bit, Self::Cut, Self::Lost, Self::Repeated];
}

impl fmt::Display for Mutation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Lie => "decides something else",
            Self::Extreme => "has an extreme value",
            Self::Bit => "has one bit turned",
            Self::Cut => "is where the file ends",
            Self::Lost => "is missing",
            Self::Repeated => "stands there twice",
        })
    }
}

/// A changed copy of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The changed bytes.
    pub bytes: Vec<u8>,
    /// What was done.
    pub mutation: Mutation,
    /// The bytes of the original that it was done to.
    pub range: Range<usize>,
}

/// Makes mutants of one file, each from a seed.
///
/// ```
/// use bindpose::harness::{Mutator, generate};
/// use bindpose::{FileKind, Options};
/// let (file, bytes) = generate(FileKind::Ms3d.into(), 1, 500).unwrap();
/// let mutator = Mutator::new(&file, &bytes);
/// for seed in 0..100 {
///     FileKind::Ms3d.law(&mutator.mutant(seed).bytes, &Options::default());
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Mutator<'a> {
    bytes: &'a [u8],
    deciding: Places,
    all: Places,
}

impl<'a> Mutator<'a> {
    /// Finds the places of a file where a change hurts.
    #[must_use]
    pub fn new(file: &File, bytes: &'a [u8]) -> Self {
        let mut mutator = Self { bytes, deciding: Places::default(), all: Places::default() };
        let _ = file.walk(&mut |place, leaf| {
            let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
            let range = at(place.offset)..at(place.offset + leaf.size());
            if place.role != Role::Free {
                mutator.deciding.note(range.clone());
            }
            mutator.all.note(range);
            ControlFlow::Continue(())
        });
        mutator
    }

    /// The mutant that follows from a seed.
    #[must_use]
    pub fn mutant(&self, seed: u64) -> Mutant {
        let mut rng = random(seed, 0);
        let mutation = Mutation::ALL[below(&mut rng, Mutation::ALL.len())];
        let places = if mutation == Mutation::Lie { &self.deciding } else { &self.all };
        let Some(range) = places.draw(&mut rng).or_else(|| self.all.draw(&mut rng)) else {
            return Mutant { bytes: self.bytes.to_vec(), mutation: Mutation::Cut, range: 0..0 };
        };
        let (before, behind) = (&self.bytes[..range.start], &self.bytes[range.end..]);
        let own = &self.bytes[range.clone()];
        let bytes = match mutation {
            Mutation::Lie | Mutation::Extreme => [before, &extreme(own, &mut rng), behind].concat(),
            Mutation::Bit => [before, &turned(own, &mut rng), behind].concat(),
            Mutation::Cut => self.bytes[..range.start + below(&mut rng, own.len())].to_vec(),
            Mutation::Lost => [before, behind].concat(),
            Mutation::Repeated => [before, own, own, behind].concat(),
        };
        Mutant { bytes, mutation, range }
    }
}

/// Another value of the same length, near a border where readers go wrong.
fn extreme(own: &[u8], rng: &mut Random) -> Vec<u8> {
    let mut value = own.to_vec();
    match below(rng, 7) {
        0 => value.fill(0),
        1 => value.fill(0xff),
        2 => {
            value.fill(0xff);
            value.last_mut().into_iter().for_each(|top| *top = 0x7f);
        }
        3 => {
            value.fill(0);
            value.last_mut().into_iter().for_each(|top| *top = 0x80);
        }
        4 => value.first_mut().into_iter().for_each(|low| *low = low.wrapping_add(1)),
        5 => value.first_mut().into_iter().for_each(|low| *low = low.wrapping_sub(1)),
        _ => rng.fill_bytes(&mut value),
    }
    value
}

fn turned(own: &[u8], rng: &mut Random) -> Vec<u8> {
    let mut value = own.to_vec();
    let at = below(rng, own.len());
    value.get_mut(at).into_iter().for_each(|byte| *byte ^= 1 << below(rng, 8));
    value
}

/// Ranges to choose from; of very many, every second, every fourth and so on is kept.
#[derive(Clone, Debug, Default)]
struct Places {
    kept: Vec<Range<usize>>,
    seen: usize,
    doublings: u32,
}

impl Places {
    fn note(&mut self, range: Range<usize>) {
        if self.seen.is_multiple_of(1 << self.doublings) {
            self.kept.push(range);
        }
        self.seen += 1;
        if self.kept.len() == PLACES {
            let mut index = 0;
            self.kept.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.doublings += 1;
        }
    }

    fn draw(&self, rng: &mut Random) -> Option<Range<usize>> {
        self.kept.get(below(rng, self.kept.len())).cloned()
    }
}
