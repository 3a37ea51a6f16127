//! Other spellings in the place of some, once it is sure that everything else stays what it is.

use std::ops::Range;

use super::{Cursor, Grammar, Lexeme, STRIDE, TokenClass, TokenText, entries};
use crate::schema::EditError;

/// Other bytes in some place of a lexeme.
pub(super) struct Edit {
    pub(super) index: usize,
    pub(super) range: Range<usize>,
    pub(super) new: Vec<u8>,
}

impl<G: Grammar> TokenText<G> {
    /// Changes the bytes of some places; all lexemes and numbers must stay what they are.
    pub(super) fn replace_spans(&mut self, edits: &[Edit]) -> Result<(), EditError> {
        if edits.is_empty() {
            return Ok(());
        }
        let text = spliced(&self.text, edits);
        if !self.same_lexemes(&text, edits) {
            return Err("would be read as something else there".into());
        }
        let mut moved = Moved { edits, shift: 0 };
        for (stop, (start, _)) in self.stops.iter_mut().enumerate().skip(1) {
            // It starts where the lexeme before it ends.
            *start = moved.to(stop * STRIDE - 1, *start);
        }
        self.text = text;
        Ok(())
    }

    /// Whether the text still falls into the same lexemes after edits.
    fn same_lexemes(&self, text: &[u8], edits: &[Edit]) -> bool {
        let (first, last) = edits.first().zip(edits.last()).map_or((0, 0), |(a, b)| (a.index, b.index));
        // A stride before the edit: what stands there may look ahead as far as this.
        let from = (first / STRIDE).saturating_sub(1);
        let (start, state) = self.stops.get(from).copied().unwrap_or_default();
        let mut old = Cursor::<G> { text: &self.text, at: start, state };
        let mut new = Cursor::<G> { text, at: start, state };
        let mut moved = Moved { edits, shift: 0 };
        // Behind the lexeme that follows the last edit nothing can differ.
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

/// The text with the bytes of some places replaced.
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

/// Where places of the old text lie in the new one; asked in ascending order.
struct Moved<'a> {
    edits: &'a [Edit],
    shift: isize,
}

impl Moved<'_> {
    /// Where something in a lexeme ends.
    fn to(&mut self, index: usize, end: usize) -> usize {
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
    was: Lexeme<'_, G::Kind>,
    is: Lexeme<'_, G::Kind>,
    moved: &mut Moved<'_>,
) -> bool {
    let mut new = entries::<G>(is.bytes);
    let mut same = |(value, gap): (Range<usize>, Range<usize>)| {
        new.next().is_some_and(|(new_value, new_gap)| {
            moved.to(index, was.start + value.end) == is.start + new_value.end
                && moved.to(index, was.start + gap.end) == is.start + new_gap.end
        })
    };
    entries::<G>(was.bytes).all(&mut same) && new.next().is_none()
}
