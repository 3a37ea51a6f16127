//! Replaces parts of a text, after checking that all other tokens are unchanged.

use std::ops::Range;

use super::{Cursor, Grammar, STRIDE, Token, TokenClass, TokenText, entries};
use crate::schema::EditError;

/// New bytes for a range of a token.
pub(super) struct Edit {
    pub(super) index: usize,
    pub(super) range: Range<usize>,
    pub(super) new: Vec<u8>,
}

impl<G: Grammar> TokenText<G> {
    /// Replaces the bytes of some ranges; the kinds of all tokens and numbers must not change.
    pub(super) fn replace_spans(&mut self, edits: &[Edit]) -> Result<(), EditError> {
        if edits.is_empty() {
            return Ok(());
        }
        let text = spliced(&self.text, edits);
        if !self.same_lexemes(&text, edits) {
            return Err("would be read as a different kind of token".into());
        }
        let mut moved = Moved { edits, shift: 0 };
        for (stop, (start, _)) in self.stops.iter_mut().enumerate().skip(1) {
            // It starts at the end of the previous token.
            *start = moved.to(stop * STRIDE - 1, *start);
        }
        self.long.shift(Moved { edits, shift: 0 });
        self.text = text;
        Ok(())
    }

    /// Returns whether the text splits into the same tokens after edits.
    fn same_lexemes(&self, text: &[u8], edits: &[Edit]) -> bool {
        let (first, last) = edits.first().zip(edits.last()).map_or((0, 0), |(a, b)| (a.index, b.index));
        // Starts a stride before the edit, because tokens can depend on bytes after them.
        let from = (first / STRIDE).saturating_sub(1);
        let (start, state) = self.stops.get(from).copied().unwrap_or_default();
        let mut old = self.cursor(start, state);
        let mut new = Cursor::<G> { text, at: start, state, long: &[] };
        let mut moved = Moved { edits, shift: 0 };
        // After the token that follows the last edit, nothing can differ.
        for index in from * STRIDE..=last + 1 {
            let Some(was) = old.next() else { break };
            let Some(is) = new.next().filter(|is| is.kind == was.kind) else { return false };
            let same = if was.kind.run().is_some() {
                same_numbers::<G>(index, was, is, &mut moved)
            } else {
                moved.to(index, was.range().end) == is.range().end
            };
            if !same || old.state != new.state {
                return false;
            }
        }
        true
    }
}

/// Returns the text with the bytes of some ranges replaced.
fn spliced(old: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut text = Vec::with_capacity(old.len());
    let mut at = 0;
    for Edit { range, new, .. } in edits {
        text.extend_from_slice(&old[at..range.start]);
        text.extend_from_slice(new);
        at = range.end;
    }
    text.extend_from_slice(&old[at..]);
    text
}

/// Maps offsets of the old text to the new one, in ascending order.
pub(super) struct Moved<'a> {
    edits: &'a [Edit],
    shift: isize,
}

impl Moved<'_> {
    /// The end of a range in a token.
    pub(super) fn to(&mut self, index: usize, end: usize) -> usize {
        let is_before = |edit: &Edit| edit.index < index || edit.index == index && edit.range.end <= end;
        while let Some((edit, further)) = self.edits.split_first().filter(|(edit, _)| is_before(edit)) {
            self.shift += edit.new.len().cast_signed() - edit.range.len().cast_signed();
            self.edits = further;
        }
        end.saturating_add_signed(self.shift)
    }
}

fn same_numbers<G: Grammar>(
    index: usize,
    was: Token<'_, G::Kind>,
    is: Token<'_, G::Kind>,
    moved: &mut Moved<'_>,
) -> bool {
    let mut new = entries::<G>(is.bytes, 0);
    let mut same = |(value, gap): (Range<usize>, Range<usize>)| {
        new.next().is_some_and(|(new_value, new_gap)| {
            moved.to(index, was.start + value.end) == is.start + new_value.end
                && moved.to(index, was.start + gap.end) == is.start + new_gap.end
        })
    };
    entries::<G>(was.bytes, 0).all(&mut same) && new.next().is_none()
}
