//! Closes the objects of a truncated file.

use super::rules::BINARY_LOCATION;
use super::text::{skip_separators, skip_trivia, word};
use super::{Encoding, Token, TokenBody, Tokens, X};
use crate::check::{Check, Findings};
use crate::rescue::Losses;
use crate::schema::Items;
use crate::wire::{Part, TokenText};
use crate::{Error, ErrorKind, FieldPath, Result, counted};

/// Whether the content ends inside an object.
pub(super) fn is_incomplete(file: &X) -> bool {
    match file.content() {
        Some(Tokens::Text(text)) => !Braces::of_text(text.text()).open.is_empty(),
        Some(Tokens::Binary(tokens)) => !Braces::of_tokens(tokens).open.is_empty(),
        None => false,
    }
}

/// Removes the innermost object that is incomplete, and closes those around it.
pub(super) fn reconcile(file: &mut X, losses: &mut Losses) -> Result<()> {
    let unreadable = |why: &str| Error::new(0, ErrorKind::Encode(why.into()));
    let encoding = Encoding::of(file).ok_or_else(|| unreadable("the encoding is unknown"))?;
    let mut tokens = file.content().cloned().ok_or_else(|| unreadable("no content can be read"))?;
    close(&mut tokens, losses);
    let plain = Encoding { packed: false, ..encoding };
    let mut closed =
        X { encoding: plain.name(), tokens: Part::Present(tokens), packed: Part::Absent, ..file.clone() };
    let mut findings = Findings::new(1);
    closed.check(&mut findings);
    if findings.report(&closed).findings.iter().any(|finding| *finding.rule == BINARY_LOCATION) {
        return Err(unreadable("binary data is lost that an object refers to"));
    }
    if encoding.packed {
        closed = closed.convert(encoding)?;
    }
    *file = closed;
    Ok(())
}

fn close(tokens: &mut Tokens, losses: &mut Losses) {
    let (lost, what, open) = match tokens {
        Tokens::Text(text) => {
            let bytes = text.text();
            let braces = Braces::of_text(bytes);
            let Some(end) = braces.end() else { return };
            let mut closed = bytes[..end].to_vec();
            let lost = bytes.len() - end;
            braces.outer().for_each(|_| closed.extend(b"\n}"));
            closed.push(b'\n');
            *text = TokenText::new(closed);
            (lost, "byte", braces.outer().count())
        }
        Tokens::Binary(tokens) => {
            if let Some(error) = tokens.stopped() {
                let lost = format!(
                    "the content after {} is lost: {}",
                    counted(tokens.len(), "token"),
                    error.message()
                );
                losses.add(FieldPath::root(), lost);
                tokens.keep(tokens.len());
            }
            let braces = Braces::of_tokens(tokens);
            let Some(end) = braces.end() else { return };
            let lost = tokens.len() - end;
            tokens.truncate(end);
            tokens.extend(braces.outer().map(|_| Token { body: TokenBody::CloseBrace }));
            (lost, "token", braces.outer().count())
        }
    };
    let (lost, open) = (counted(lost, what), counted(open, "object"));
    losses.add(FieldPath::root(), format!("{lost} of an incomplete object removed; {open} closed"));
}

/// The objects that are open at the end of a content.
#[derive(Default)]
struct Braces {
    open: Vec<Open>,
}

/// An object that is open. Positions are bytes of the text or indices of tokens.
struct Open {
    /// Where its template's name begins.
    start: usize,
    /// Where the last complete object in it ends.
    last_child: Option<usize>,
}

impl Braces {
    /// Where the innermost open object ends, or begins if it contains no complete object.
    fn end(&self) -> Option<usize> {
        let innermost = self.open.last()?;
        Some(innermost.last_child.unwrap_or(innermost.start))
    }

    /// The open objects that are kept.
    fn outer(&self) -> impl Iterator<Item = &Open> {
        let removed = usize::from(self.open.last().is_some_and(|innermost| innermost.last_child.is_none()));
        self.open.iter().take(self.open.len() - removed)
    }

    fn close(&mut self, end: usize) {
        self.open.pop();
        if let Some(parent) = self.open.last_mut() {
            parent.last_child = Some(end);
        }
    }

    fn of_text(text: &[u8]) -> Self {
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
                b'{' => braces.open.push(Open { start, last_child: None }),
                b'}' => braces.close(at + 1),
                b';' | b',' => at = skip_separators(text, at) - 1,
                b'"' => {
                    let Some(len) = memchr::memchr(b'"', &text[at + 1..]) else { return braces };
                    at += len + 1;
                }
                _ => {
                    at += word(&text[at..]).max(1);
                    continue;
                }
            }
            at += 1;
            start = at;
        }
    }

    fn of_tokens(tokens: &[Token]) -> Self {
        let mut braces = Self::default();
        let mut start = 0;
        for (at, token) in tokens.iter().enumerate() {
            match token.body {
                TokenBody::OpenBrace => braces.open.push(Open { start, last_child: None }),
                TokenBody::CloseBrace => braces.close(at + 1),
                TokenBody::Name(_) | TokenBody::Template => continue,
                _ => {}
            }
            start = at + 1;
        }
        braces
    }
}
