//! Mutates files by one change at a critical place.

use std::ops::Range;

use super::Mutation;
use super::field::{Field, each_field};
use super::random::Random;
use crate::File;
use crate::schema::{Role, Value};

/// The maximum number of places per mutation; large files are sampled.
const PLACES: usize = 1 << 16;

/// A changed copy of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mutant {
    /// The changed bytes.
    pub bytes: Vec<u8>,
    /// The mutation.
    pub mutation: Mutation,
    /// The changed byte range of the original.
    pub range: Range<usize>,
}

/// Creates mutants of a file, each from a seed.
///
/// ```
/// use bindpose::harness::{Mutation, Mutator, generate};
/// use bindpose::{FileKind, Options};
/// let (file, bytes) = generate(FileKind::Ms3d.into(), 1, 500).unwrap();
/// let mutator = Mutator::new(&file, &bytes);
/// for seed in 0..100 {
///     FileKind::Ms3d.law(&mutator.mutant(seed).bytes, &Options::default());
/// }
/// // Each count of the file has a wrong value once.
/// for index in 0..mutator.places(Mutation::CountMost) {
///     let mutant = mutator.mutant_at(Mutation::CountMost, index, 0);
///     assert!(mutant.is_none_or(|mutant| mutant.bytes != bytes));
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Mutator<'a> {
    bytes: &'a [u8],
    fields: Vec<Field>,
    /// The fields that each mutation applies to, in the order of [`Mutation::ALL`].
    takers: Vec<Vec<usize>>,
}

impl<'a> Mutator<'a> {
    /// Finds the fields that mutations apply to.
    #[must_use]
    pub fn new(file: &File, bytes: &'a [u8]) -> Self {
        Self::of(file.value(), bytes)
    }

    /// As [`new`](Self::new), for a file of a format of another crate.
    #[must_use]
    pub fn of(file: &dyn Value, bytes: &'a [u8]) -> Self {
        let (mut deciding, mut free, mut last) = (Sample::default(), Sample::default(), None);
        each_field(file, bytes.len(), &mut |field| {
            if field.is_last {
                last = Some(field);
            } else if field.role == Role::Free {
                free.note(field);
            } else {
                deciding.note(field);
            }
        });
        let fields: Vec<Field> = deciding.kept.into_iter().chain(free.kept).chain(last).collect();
        let takers =
            |mutation: &Mutation| (0..fields.len()).filter(|index| mutation.fits(&fields[*index])).collect();
        Self { bytes, takers: Mutation::ALL.iter().map(takers).collect(), fields }
    }

    /// Returns the mutant for a seed.
    #[must_use]
    pub fn mutant(&self, seed: u64) -> Mutant {
        let first = Random::new(seed, 0).below(Mutation::ALL.len());
        let from_here = Mutation::ALL.iter().cycle().skip(first).take(Mutation::ALL.len());
        from_here.copied().find_map(|mutation| self.mutant_by(mutation, seed)).unwrap_or_else(|| Mutant {
            bytes: self.bytes.to_vec(),
            mutation: Mutation::Cut,
            range: 0..0,
        })
    }

    /// Returns the mutant of one kind for a seed; none if the mutation applies to no field of the file.
    #[must_use]
    pub fn mutant_by(&self, mutation: Mutation, seed: u64) -> Option<Mutant> {
        let places = self.places(mutation);
        let first = Random::new(seed, 1).below(places);
        (first..places).chain(0..first).find_map(|place| self.mutant_at(mutation, place, seed))
    }

    /// Returns the number of fields that a mutation applies to; large files are sampled.
    #[must_use]
    pub fn places(&self, mutation: Mutation) -> usize {
        self.takers[mutation as usize].len()
    }

    /// Returns the mutant at one of those fields; none if the file would not change. The seed determines random values.
    #[must_use]
    pub fn mutant_at(&self, mutation: Mutation, place: usize, seed: u64) -> Option<Mutant> {
        let field = &self.fields[*self.takers[mutation as usize].get(place)?];
        let bytes = mutation.apply(field, self.bytes, &mut Random::new(seed, 2))?;
        Some(Mutant { bytes, mutation, range: field.range.clone() })
    }
}

/// A sample of fields: of many fields, it keeps every second, every fourth and so on.
#[derive(Default)]
struct Sample {
    kept: Vec<Field>,
    seen: usize,
    doublings: u32,
}

impl Sample {
    fn note(&mut self, field: Field) {
        if self.seen.is_multiple_of(1 << self.doublings) {
            self.kept.push(field);
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
}
