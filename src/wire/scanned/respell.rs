//! Other spellings in the place of some, once it is sure that everything else stays what it is.

use std::ops::Range;

use super::{Cursor, Grammar, Lexeme, Lexis, Scanned, entries};
use crate::schema::Refusal;

impl<G: Grammar> Scanned<G> {
    /// Changes the bytes of some places; all lexemes and numbers must stay what they are.
    pub(super) fn respell(&mut self, edits: &[(Range<usize>, Vec<u8>)]) -> Result<(), Refusal> {
        let Some((first, last)) = edits.first().zip(edits.last()) else { return Ok(()) };
        let text = spliced(&self.text, edits);
        if !self.same_lexemes(&text, first.0.start..last.0.end, edits) {
            return Err("would be read as something else there".into());
        }
        let mut moved = Moved { edits, shift: 0 };
        for (start, _) in &mut self.stops {
            *start = moved.to(*start);
        }
        self.text = text;
        Ok(())
    }

    /// Whether the text still falls into the same lexemes after edits within a range.
    fn same_lexemes(&self, text: &[u8], edited: Range<usize>, edits: &[(Range<usize>, Vec<u8>)]) -> bool {
        // A stride before the edit: what stands there may look ahead as far as this.
        let from = self.stops.partition_point(|(start, _)| *start < edited.start).saturating_sub(2);
        let (start, state) = self.stops.get(from).copied().unwrap_or_default();
        let mut old = Cursor::<G> { text: &self.text, at: start, state };
        let mut new = Cursor::<G> { text, at: start, state };
        let mut moved = Moved { edits, shift: 0 };
        while let Some(was) = old.next() {
            let Some(is) = new.next().filter(|is| is.kind == was.kind) else { return false };
            let same = if was.kind == Lexis::Numbers {
                same_numbers::<G>(was, is, &mut moved)
            } else {
                moved.to(was.start + was.bytes.len()) == is.start + is.bytes.len()
            };
            if !same || old.state != new.state {
                return false;
            }
            // Behind the lexeme that follows the last edit nothing can differ.
            if was.start >= edited.end {
                break;
            }
        }
        true
    }
}

/// The text with the bytes of some places replaced.
fn spliced(old: &[u8], edits: &[(Range<usize>, Vec<u8>)]) -> Vec<u8> {
    let mut text = Vec::with_capacity(old.len());
    let mut at = 0;
    for (range, new) in edits {
        text.extend_from_slice(&old[at..range.start]);
        text.extend_from_slice(new);
        at = range.end;
    }
    text.extend_from_slice(&old[at..]);
    text
}

/// Where places of the old text lie in the new one; asked in ascending order.
struct Moved<'a> {
    edits: &'a [(Range<usize>, Vec<u8>)],
    shift: isize,
}

impl Moved<'_> {
    fn to(&mut self, place: usize) -> usize {
        while let Some(((range, new), further)) =
            self.edits.split_first().filter(|((range, _), _)| range.end <= place)
        {
            self.shift += new.len().cast_signed() - range.len().cast_signed();
            self.edits = further;
        }
        place.saturating_add_signed(self.shift)
    }
}

fn same_numbers<G: Grammar>(was: Lexeme<'_>, is: Lexeme<'_>, moved: &mut Moved<'_>) -> bool {
    let mut new = entries::<G>(is.bytes);
    let mut same = |(value, gap): (Range<usize>, Range<usize>)| {
        new.next().is_some_and(|(new_value, new_gap)| {
            moved.to(was.start + value.end) == is.start + new_value.end
                && moved.to(was.start + gap.end) == is.start + new_gap.end
        })
    };
    entries::<G>(was.bytes).all(&mut same) && new.next().is_none()
}
