//! Splits a text for the first time.

use std::fmt;
use std::marker::PhantomData;

use super::long::{LONG, LongToken, LongTokens, NumberIndex};
use super::{Grammar, STRIDE, Syntax, Token, TokenClass, TokenText};
use crate::{Error, ErrorKind};

/// Splits a text for the first time, and stores what is needed to find its tokens again.
pub struct Splitter<'a, G: Grammar, S> {
    /// The text, up to where no token can start.
    text: &'a [u8],
    at: usize,
    state: G::State,
    syntax: S,
    len: usize,
    stops: Vec<(usize, G::State)>,
    long: LongTokens<G>,
    depth: usize,
    deepest: usize,
    /// The first damaged token.
    damage: Option<(usize, &'static str)>,
    /// Why no token can start at the end.
    stopped: Option<String>,
    /// The tokens that were split last with their indices, without trivia, and how many of them have been taken.
    ready: Vec<(usize, Token<'a, G::Kind>)>,
    taken: usize,
}

impl<'a, G: Grammar, S: Syntax<G::Kind>> Splitter<'a, G, S> {
    pub(super) fn new(text: &'a [u8], syntax: S) -> Self {
        Self {
            text,
            at: 0,
            state: G::State::default(),
            syntax,
            len: 0,
            stops: Vec::new(),
            long: LongTokens::new(),
            depth: 0,
            deepest: 0,
            damage: None,
            stopped: None,
            ready: Vec::new(),
            taken: 0,
        }
    }

    /// Returns the text, up to where no token can start as far as that is known.
    #[must_use]
    pub const fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Splits at most this number of tokens.
    fn split(&mut self, most: usize, mut each: impl FnMut(usize, Token<'a, G::Kind>)) -> Result<(), String> {
        // A copy of its own, so that the compiler need not store it for each token.
        let (text, mut state) = (self.text, self.state);
        for _ in 0..most {
            let (start, before) = (self.at, state);
            if start >= text.len() {
                break;
            }
            let (kind, end) = G::token(text, start, &mut state)?;
            let bytes = &text[start..end];
            if let Some(why) = kind.damage() {
                self.damage.get_or_insert((start, why));
            }
            self.syntax.follows(&Token { kind, start, bytes })?;
            self.depth = kind.depth_after(bytes, self.depth);
            self.deepest = self.deepest.max(self.depth);
            if self.len.is_multiple_of(STRIDE) {
                self.stops.push((start, before));
            }
            if end - start >= LONG {
                let numbers = NumberIndex::default();
                self.long.push(LongToken {
                    index: self.len,
                    start,
                    before,
                    kind,
                    end,
                    after: state,
                    numbers,
                });
            }
            each(self.len, Token { kind, start, bytes });
            (self.at, self.len) = (end, self.len + 1);
        }
        self.state = state;
        Ok(())
    }

    /// Ends the text where no token can start.
    fn stop(&mut self, why: String) {
        self.text = &self.text[..self.at];
        self.stopped = Some(why);
    }

    /// Splits the next tokens once all others have been taken.
    #[cold]
    fn refill(&mut self) {
        let mut ready = std::mem::take(&mut self.ready);
        ready.clear();
        while ready.is_empty() && self.at < self.text.len() {
            let take = |index, token: Token<'a, G::Kind>| {
                if !token.kind.is_trivia() {
                    ready.push((index, token));
                }
            };
            if let Err(why) = self.split(STRIDE, take) {
                self.stop(why);
            }
        }
        (self.ready, self.taken) = (ready, 0);
    }

    /// Splits the rest of the text. Returns the tokens, still without a text, and the end of the last one.
    pub(super) fn finish(mut self, offset: u64) -> (TokenText<G>, usize) {
        if let Err(why) = self.split(usize::MAX, |_, _| ()) {
            self.stop(why);
        }
        let damage = self.damage.map(|(start, why)| (start, why.to_owned()));
        let stopped = || Some((self.at, self.stopped.or_else(|| self.syntax.ends().err())?));
        let stopped = damage.or_else(stopped);
        let stopped = stopped.map(|(at, why)| Error::new(offset + at as u64, ErrorKind::Syntax(why)));
        let Self { len, stops, long, deepest, at, .. } = self;
        (TokenText { text: Vec::new(), len, stops, long, stopped, deepest, grammar: PhantomData }, at)
    }
}

/// Returns the tokens with their indices, without trivia.
impl<'a, G: Grammar, S: Syntax<G::Kind>> Iterator for Splitter<'a, G, S> {
    type Item = (usize, Token<'a, G::Kind>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.taken == self.ready.len() {
            self.refill();
        }
        // Field by field: reading a copy of the whole waits until all of it has been written.
        let &(index, Token { kind, start, bytes }) = self.ready.get(self.taken)?;
        self.taken += 1;
        Some((index, Token { kind, start, bytes }))
    }
}

impl<G: Grammar, S> fmt::Debug for Splitter<'_, G, S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Splitter at {} of {} bytes", self.at, self.text.len())
    }
}
