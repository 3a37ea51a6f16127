//! Splits a text piece by piece, in the memory of a piece.

use std::io::{self, Read};

use super::{Grammar, Syntax, Token, TokenClass};

/// Splits a text piece by piece, each of a number of bytes unless a token is longer. Returns the largest number of elements
/// around a token; `None` if the text is damaged.
///
/// # Errors
/// Errors of the reader.
pub fn deepest_in_pieces<G: Grammar>(
    reader: &mut impl Read,
    mut syntax: impl Syntax<G::Kind>,
    piece: usize,
) -> io::Result<Option<usize>> {
    let (mut text, mut state) = (Vec::new(), G::State::default());
    let (mut depth, mut deepest) = (0, 0);
    let (mut at, mut size) = (0_usize, piece);
    loop {
        // The byte before the next token stays, so that the token does not appear to start the text.
        let done = at.saturating_sub(1);
        text.drain(..done);
        at -= done;
        let is_last = reader.take(size as u64).read_to_end(&mut text)? < size;
        let start = at;
        while at < text.len() {
            let mut after = state;
            let (kind, end) = match G::token(&text, at, &mut after) {
                Ok(token) if is_last || token.1 < text.len() => token,
                Err(_) if is_last => return Ok(None),
                // The token may be longer than the piece.
                _ => break,
            };
            let bytes = &text[at..end];
            if kind.damage().is_some() || syntax.follows(&Token { kind, start: at, bytes }).is_err() {
                return Ok(None);
            }
            depth = kind.depth_after(bytes, depth);
            deepest = deepest.max(depth);
            (at, state) = (end, after);
        }
        if is_last {
            return Ok(syntax.ends().is_ok().then_some(deepest));
        }
        // Pieces double until they contain the token.
        size = if at == start { 2 * size } else { piece };
    }
}
