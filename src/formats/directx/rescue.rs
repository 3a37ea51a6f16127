//! Closes the objects of a truncated file, and removes damaged ones.

use super::check::binary_data;
use super::syntax::braces::Braces;
use super::{Encoding, Packed, Token, TokenBody, Tokens, X, XText};
use crate::check::common::field_path;
use crate::rescue::{Losses, Rescue};
use crate::schema::{Items, Leaf, Schema};
use crate::text::{TokenKind, TokenText};
use crate::wire::{Part, Rest};
use crate::{Error, ErrorKind, FieldPath, Result, counted};

impl Rescue for X {
    /// Whether the file ends in its binary data, which extends to the end of the file whatever its stored size is.
    fn is_incomplete(&self) -> bool {
        let Some(Tokens::Binary(tokens)) = self.content() else { return false };
        let is_larger = |body: &TokenBody, size: u64| matches!(body, TokenBody::BinaryLocation(location) if location.size > size);
        binary_data(tokens).is_some_and(|(_, size)| tokens.iter().any(|token| is_larger(&token.body, size)))
    }

    /// Removes the innermost object that is incomplete, and closes those around it.
    fn reconcile(&mut self, losses: &mut Losses) -> Result<()> {
        header(self, losses);
        let encoding = Encoding::of(self)
            .ok_or_else(|| Error::new(0, ErrorKind::Encode("the encoding is unknown".into())))?;
        let mut tokens = self.content().cloned().unwrap_or_else(|| {
            losses.add(FieldPath::root(), "no content can be read");
            if encoding.binary {
                Tokens::Binary(Vec::new().into())
            } else {
                Tokens::Text(TokenText::default())
            }
        });
        let holes = self.packed.present().map_or_else(Vec::new, Packed::holes);
        match &mut tokens {
            Tokens::Text(text) => close_text(text, &holes, losses),
            Tokens::Binary(own) => {
                if let Some(error) = own.stopped() {
                    let message = format!("after {}: {}", counted(own.len(), "token"), error.message());
                    losses.add(FieldPath::root(), message);
                    own.keep(own.len());
                }
                remove_gaps(own, losses);
                close_tokens(own, losses);
                relocate(own, losses);
            }
        }
        let plain = Encoding { packed: false, ..encoding };
        let rest = Rest::new();
        let closed = X {
            encoding: plain.in_header(),
            tokens: tokens.into_part(),
            packed: Part::Absent,
            rest,
            ..*self
        };
        *self = if encoding.packed { closed.convert(encoding)? } else { closed };
        Ok(())
    }
}

/// Completes a header that the file ends in.
fn header(file: &mut X, losses: &Losses) {
    let blank = X::blank(None);
    for (name, own, new) in [
        ("version", &mut file.version, blank.version),
        ("encoding", &mut file.encoding, blank.encoding),
        ("float_size", &mut file.float_size, blank.float_size),
    ] {
        if losses.has_within(&field_path![name]) {
            *own = new;
        }
    }
}

/// Closes strings and objects before each hole and at the end; what follows a hole in an object is removed with it.
fn close_text(text: &mut TokenText<XText>, holes: &[usize], losses: &mut Losses) {
    let mut whole = Vec::with_capacity(text.text().len());
    let mut start = 0;
    for end in holes.iter().copied().chain([text.text().len()]) {
        let part = &text.text()[start..end];
        let outside = if start > 0 { Braces::of_text(part).outside() } else { 0 };
        whole.append(&mut closed(&TokenText::new(part[outside..].to_vec()), losses));
        start = end;
    }
    *text = TokenText::new(whole);
}

/// Returns a text with its strings and objects closed.
fn closed(text: &TokenText<XText>, losses: &mut Losses) -> Vec<u8> {
    let mut closed = Vec::with_capacity(text.text().len());
    let mut strings = 0;
    for token in text.iter() {
        closed.extend_from_slice(token.bytes);
        if token.kind == TokenKind::Unclosed {
            closed.push(b'"');
            strings += 1;
        }
    }
    losses.add_count(field_path!["tokens"], strings, "closed: the closing quote is lost");
    let braces = Braces::of_text(&closed);
    if let Some(end) = braces.end() {
        report(losses, (closed.len() - end, "byte"), &braces);
        closed.truncate(end);
        braces.outer().for_each(|_| closed.extend(b"\n}"));
        closed.push(b'\n');
    }
    closed
}

fn close_tokens(tokens: &mut Vec<Token>, losses: &mut Losses) {
    let braces = Braces::of_tokens(tokens);
    if let Some(end) = braces.end() {
        report(losses, (tokens.len() - end, "token"), &braces);
        tokens.truncate(end);
        tokens.extend(braces.outer().map(|_| Token::from(TokenBody::CloseBrace)));
    }
}

fn report(losses: &mut Losses, (lost, what): (usize, &str), braces: &Braces) {
    let (lost, open) = (counted(lost as u64, what), counted(braces.outer().count() as u64, "object"));
    losses.add(FieldPath::root(), format!("{lost} of an incomplete object removed; {open} closed"));
}

/// Removes the damaged objects before gaps, and closing braces without an object.
fn remove_gaps(tokens: &mut Vec<Token>, losses: &mut Losses) {
    if tokens.iter().all(|token| token.gap.is_empty()) {
        return;
    }
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut braces = Braces::default();
    for (at, mut token) in tokens.drain(..).enumerate() {
        let gap = token.gap.len() as u64;
        token.gap.discard();
        if !braces.is_empty() || !matches!(token.body, TokenBody::CloseBrace) {
            braces.read(kept.len(), &token.body);
            kept.push(token);
        }
        if gap > 0 {
            let end = braces.cut().unwrap_or(kept.len());
            let lost = counted((kept.len() - end) as u64, "token");
            kept.truncate(end);
            let message = format!("{} cannot be decoded; {lost} of the object removed", counted(gap, "byte"));
            losses.add(field_path!["tokens", at, "gap"], message);
        }
    }
    *tokens = kept;
}

/// Corrects the stored location of binary data that is shorter or elsewhere now.
fn relocate(tokens: &mut [Token], losses: &mut Losses) {
    let Some((offset, size)) = binary_data(tokens) else { return };
    for (at, token) in tokens.iter_mut().enumerate() {
        let TokenBody::BinaryLocation(location) = &mut token.body else { continue };
        if (location.offset, location.size) != (offset, size) {
            let message = format!("{} of {} bytes of binary data are left", size, location.size);
            losses.add(field_path!["tokens", at, "body"], message);
            (location.offset, location.size) = (offset, size);
        }
    }
}
