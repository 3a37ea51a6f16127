//! Finds objects without their closing brace.

use std::num::NonZeroU32;

use super::text::{skip_separators, skip_trivia, string, word};
use crate::formats::directx::{Token, TokenBody};

/// The objects that are open at the end of a content.
#[derive(Default)]
pub(in crate::formats::directx) struct Braces {
    open: Vec<Open>,
    /// Where the next object can begin.
    next: usize,
    /// Where the last closing brace without an object ends.
    surplus: usize,
}

/// An object that is open. Positions are bytes of the text or indices of tokens; a content is smaller than 4 GiB.
pub(in crate::formats::directx) struct Open {
    /// Where its template's name begins.
    start: u32,
    /// Where the last complete object in it ends.
    last_child: Option<NonZeroU32>,
}

impl Open {
    fn new(start: usize) -> Self {
        Self { start: u32::try_from(start).unwrap_or(u32::MAX), last_child: None }
    }

    /// Where it ends, or begins if it contains no complete object.
    fn end(&self) -> usize {
        self.last_child.map_or(self.start, NonZeroU32::get) as usize
    }
}

impl Braces {
    /// The number of open objects; `None` if there is none.
    pub(in crate::formats::directx) fn count(&self) -> Option<u64> {
        (!self.open.is_empty()).then_some(self.open.len() as u64)
    }

    /// Whether no object is open.
    pub(in crate::formats::directx) const fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Removes what is incomplete in the innermost object, or the object if it contains no complete one. Returns where.
    pub(in crate::formats::directx) fn cut(&mut self) -> Option<usize> {
        let end = self.end()?;
        if self.open.last().is_some_and(|innermost| innermost.last_child.is_none()) {
            self.open.pop();
        }
        self.next = end;
        Some(end)
    }

    /// Where the innermost open object ends, or begins if it contains no complete object.
    pub(in crate::formats::directx) fn end(&self) -> Option<usize> {
        self.open.last().map(Open::end)
    }

    /// The open objects that are kept.
    pub(in crate::formats::directx) fn outer(&self) -> impl Iterator<Item = &Open> {
        let removed = usize::from(self.open.last().is_some_and(|innermost| innermost.last_child.is_none()));
        self.open.iter().take(self.open.len() - removed)
    }

    /// Where the content is outside the objects that were open before it.
    pub(in crate::formats::directx) const fn outside(&self) -> usize {
        self.surplus
    }

    fn close(&mut self, end: usize) {
        if self.open.pop().is_none() {
            self.surplus = end;
        }
        if let Some(parent) = self.open.last_mut() {
            parent.last_child = u32::try_from(end).ok().and_then(NonZeroU32::new);
        }
    }

    pub(in crate::formats::directx) fn of_text(text: &[u8]) -> Self {
        let mut braces = Self::default();
        let (mut at, mut start) = (0, 0);
        loop {
            let next = skip_trivia(text, at);
            if next > at && start == at {
                start = next;
            }
            at = next;
            let Some(byte) = text.get(at) else { return braces };
            match byte {
                b'{' => braces.open.push(Open::new(start)),
                b'}' => braces.close(at + 1),
                b';' | b',' => at = skip_separators(text, at) - 1,
                b'"' => at += string(&text[at..]).1 - 1,
                _ => {
                    at += word(&text[at..]).max(1);
                    continue;
                }
            }
            at += 1;
            start = at;
        }
    }

    pub(in crate::formats::directx) fn of_tokens(tokens: &[Token]) -> Self {
        let mut braces = Self::default();
        tokens.iter().enumerate().for_each(|(at, token)| braces.read(at, &token.body));
        braces
    }

    /// Reads the token at an index.
    pub(in crate::formats::directx) fn read(&mut self, at: usize, body: &TokenBody) {
        match body {
            TokenBody::OpenBrace => self.open.push(Open::new(self.next)),
            TokenBody::CloseBrace => self.close(at + 1),
            TokenBody::Name(_) | TokenBody::Template => return,
            _ => {}
        }
        self.next = at + 1;
    }
}
