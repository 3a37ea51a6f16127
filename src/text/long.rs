//! The long tokens of a text, which are not split again, and the numbers of long runs, which are not counted again.

use std::sync::{Mutex, PoisonError};

use super::replace_spans::Moved;
use super::{Grammar, entries};
use crate::schema::ElementAt;

/// The length from which a token is stored.
pub(super) const LONG: usize = 4096;

/// The distance between stored numbers of a run.
const NUMBERS: usize = 256;

/// The long tokens of a text in ascending order. They follow from the text, so they are not compared.
#[derive(Clone)]
pub(super) struct LongTokens<G: Grammar>(Vec<LongToken<G>>);

/// A token of some length. The state before it distinguishes it from an empty one at the same place.
#[derive(Clone)]
pub(super) struct LongToken<G: Grammar> {
    pub(super) index: usize,
    pub(super) start: usize,
    pub(super) before: G::State,
    pub(super) kind: G::Kind,
    pub(super) end: usize,
    pub(super) after: G::State,
    pub(super) numbers: NumberIndex,
}

impl<G: Grammar> LongTokens<G> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn push(&mut self, token: LongToken<G>) {
        self.0.push(token);
    }

    /// Returns the tokens that do not start before a byte.
    pub(super) fn from(&self, byte: usize) -> &[LongToken<G>] {
        &self.0[self.0.partition_point(|token| token.start < byte)..]
    }

    /// Returns the numbers of the run that starts at a byte, if it is long.
    pub(super) fn numbers(&self, start: usize) -> Option<&NumberIndex> {
        self.from(start).first().filter(|token| token.start == start).map(|token| &token.numbers)
    }

    /// Moves the tokens to where they are after an edit.
    pub(super) fn shift(&mut self, mut moved: Moved<'_>) {
        for token in &mut self.0 {
            token.start = token.index.checked_sub(1).map_or(0, |last| moved.to(last, token.start));
            token.end = moved.to(token.index, token.end);
            token.numbers = NumberIndex::default();
        }
    }
}

impl<G: Grammar> PartialEq for LongTokens<G> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The index and the start of every [256th](NUMBERS) number of a run, as far as they have been counted.
#[derive(Default)]
pub(super) struct NumberIndex(Mutex<Vec<(usize, usize)>>);

impl NumberIndex {
    /// Returns the index and the start of the nearest stored number at or before another.
    pub(super) fn seek<G: Grammar>(&self, run: &[u8], to: ElementAt) -> (usize, usize) {
        let is_before = |(index, start): &(usize, usize)| match to {
            ElementAt::Index(target) => *index <= target,
            ElementAt::Byte(byte) => *start <= byte,
        };
        let mut stored = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut last = stored.last().copied().unwrap_or_default();
        while is_before(&last) {
            let Some((value, _)) = entries::<G>(run, last.1).nth(NUMBERS) else { break };
            last = (last.0 + NUMBERS, value.start);
            stored.push(last);
        }
        let number = stored.partition_point(is_before).checked_sub(1);
        number.map_or((0, 0), |number| stored[number])
    }
}

/// The numbers of a copy are counted when they are needed.
impl Clone for NumberIndex {
    fn clone(&self) -> Self {
        Self::default()
    }
}
