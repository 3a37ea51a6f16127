//! Finds objects again in a file that has lost or gained bytes.

use std::io::{Seek, SeekFrom};

use binrw::{BinRead, BinResult, Endian};

use super::braces::Braces;
use super::text::XText;
use crate::formats::directx::types::SINGLE;
use crate::formats::directx::{Text, Token, TokenBody};
use crate::schema::{Schema, Value, bytes_of};
use crate::text::{Syntax, TokenKind, TokenText, scanned, scanned_with};
use crate::wire::{FixedStr, Gap, Rest, Source, Stream, charge};
use crate::{Error, ErrorKind};

/// Reads tokens, and after damage those of the next object on.
#[binrw::parser(reader, endian)]
pub(in crate::formats::directx) fn found_again(float_size: FixedStr<4>) -> BinResult<Stream<Token>> {
    let mut tokens = Stream::read_options(reader, endian, (float_size,))?;
    let mut start = reader.stream_position()?;
    note_open(&mut tokens, start);
    if tokens.stopped().is_none() {
        return Ok(tokens);
    }
    let longest = tokens.iter().filter(|token| has_length(token)).map(Value::size).max();
    charge(reader, longest.map_or(0, |size| usize::try_from(size).unwrap_or(usize::MAX)))?;
    if let Some(index) = tokens.iter().position(covers_an_object) {
        start -= tokens[index..].iter().map(Value::size).sum::<u64>();
        let why = "the token contains an object, so its length is damaged";
        tokens.stop_at(index, Error::new(start, ErrorKind::Syntax(why.into())));
        reader.seek(SeekFrom::Start(start))?;
    }
    let bytes = Rest::read_options(reader, endian, ())?.0;
    let mut at = 0;
    while tokens.stopped().is_some()
        && let Some(last) = tokens.last_mut()
        && let Some(len) = next_object(&bytes[at..])
    {
        last.gap = Gap::from([&last.gap, &bytes[at..at + len]].concat());
        reader.seek(SeekFrom::Start(start + (at + len) as u64))?;
        tokens = Stream::resume(reader, endian, &(float_size,), std::mem::take(&mut *tokens))?;
        at = usize::try_from(reader.stream_position()? - start).unwrap_or(usize::MAX);
    }
    let end = start + at as u64;
    reader.seek(SeekFrom::Start(end))?;
    note_open(&mut tokens, end);
    Ok(tokens)
}

/// Whether the length of a text or list has grown over the objects that follow it.
fn covers_an_object(token: &Token) -> bool {
    has_length(token) && next_object(&bytes_of(token)).is_some()
}

const fn has_length(token: &Token) -> bool {
    matches!(
        token.body,
        TokenBody::Name(_) | TokenBody::String(_) | TokenBody::IntegerList(_) | TokenBody::FloatList(_)
    )
}

/// The maximum size of the name of a template, and of the tokens between it and the content of its object.
const LONGEST: usize = 512;

/// Returns where the next object or template begins.
fn next_object(bytes: &[u8]) -> Option<usize> {
    let tag = |body: TokenBody| body.tag().to_le_bytes();
    let name = tag(TokenBody::Name(Text::blank(None)));
    let at = memchr::memmem::find_iter(bytes, &name).find(|at| begins_object(&bytes[*at..]))?;
    let is_template = bytes[..at].ends_with(&bytes_of(&Token::from(TokenBody::Template)));
    Some(if is_template { at - size_of_val(&name) } else { at })
}

/// Whether these bytes are the name of a template, perhaps a name, and an opening brace.
fn begins_object(bytes: &[u8]) -> bool {
    // Lists contain many places that look like the tag of a name, so that its length and text are compared first.
    let Some(([_, _, len @ ..], rest)) = bytes.split_first_chunk::<6>() else { return false };
    let len = u32::from_le_bytes(*len) as usize;
    let Some((template, rest)) = rest.split_at_checked(len).filter(|_| (1..=LONGEST).contains(&len)) else {
        return false;
    };
    if !template.iter().all(u8::is_ascii_graphic) {
        return false;
    }
    let mut source = Source::new(&rest[..rest.len().min(LONGEST)]);
    let mut next = || Token::read_options(&mut source, Endian::Little, (SINGLE,)).map(|token| token.body);
    match next() {
        Ok(TokenBody::Name(_)) => matches!(next(), Ok(TokenBody::OpenBrace)),
        Ok(body) => matches!(body, TokenBody::OpenBrace),
        Err(_) => false,
    }
}

/// Reads text, which is damaged if it ends inside an object.
#[binrw::parser(reader, endian)]
pub(in crate::formats::directx) fn nested() -> BinResult<TokenText<XText>> {
    scanned_with(reader, endian, (OpenObjects::default(),))
}

/// Splits unpacked text, which is damaged if it ends inside an object. Returns the bytes after it as well.
pub(in crate::formats::directx) fn nested_in(
    reader: &mut impl Seek,
    text: Vec<u8>,
) -> BinResult<(TokenText<XText>, Vec<u8>)> {
    scanned(reader, text, OpenObjects::default())
}

/// Counts the objects that are open, and so finds text that ends inside one.
#[derive(Default)]
struct OpenObjects(u64);

impl Syntax<TokenKind> for OpenObjects {
    fn follows(&mut self, token: &crate::text::Token<'_>) -> Result<(), String> {
        match (token.kind, token.bytes) {
            (TokenKind::Mark, b"{") => self.0 += 1,
            (TokenKind::Mark, b"}") => self.0 = self.0.saturating_sub(1),
            _ => {}
        }
        Ok(())
    }

    fn ends(&self) -> Result<(), String> {
        if self.0 > 0 { Err(ends_inside(self.0)) } else { Ok(()) }
    }
}

fn ends_inside(objects: u64) -> String {
    format!("the content ends inside {}", crate::counted(objects, "object"))
}

/// Marks valid tokens as damaged at their end if that is inside an object.
fn note_open(tokens: &mut Stream<Token>, end: u64) {
    if tokens.stopped().is_none()
        && let Some(open) = Braces::of_tokens(tokens).count()
    {
        tokens.stop_at(tokens.len(), Error::new(end, ErrorKind::Syntax(ends_inside(open))));
    }
}
