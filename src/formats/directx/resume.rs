//! Finds objects again in a file that has lost or gained bytes.

use std::io::SeekFrom;

use binrw::{BinRead, BinResult, Endian};

use super::braces::Braces;
use super::types::SINGLE;
use super::{Text, Token, TokenBody, Tokens};
use crate::schema::{Schema, bytes_of};
use crate::wire::{FixedStr, Gap, Rest, Source, Stream};
use crate::{Error, ErrorKind};

/// Reads tokens, and after damage those of the next object on.
#[binrw::parser(reader, endian)]
pub(super) fn found_again(float_size: FixedStr<4>) -> BinResult<Stream<Token>> {
    let mut tokens = Stream::read_options(reader, endian, (float_size,))?;
    if tokens.stopped().is_none() {
        return Ok(tokens);
    }
    let start = reader.stream_position()?;
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
    reader.seek(SeekFrom::Start(start + at as u64))?;
    Ok(tokens)
}

/// The maximum size of the tokens that an object begins with: its names are shorter.
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
    let mut source = Source::new(&bytes[..bytes.len().min(LONGEST)]);
    let mut next = || Token::read_options(&mut source, Endian::Little, (SINGLE,)).map(|token| token.body);
    let Ok(TokenBody::Name(template)) = next() else { return false };
    let template = template.text.stored();
    let is_name = !template.is_empty() && template.iter().all(u8::is_ascii_graphic);
    is_name
        && match next() {
            Ok(TokenBody::Name(_)) => matches!(next(), Ok(TokenBody::OpenBrace)),
            Ok(body) => matches!(body, TokenBody::OpenBrace),
            Err(_) => false,
        }
}

/// Marks content as damaged at its end if that is inside an object.
pub(super) fn note_open(tokens: &mut Tokens, end: u64) {
    if tokens.braces() <= tokens.closing_braces() {
        return;
    }
    let Some(count) = Braces::of(tokens).count() else { return };
    let why = format!("the content ends inside {}", crate::counted(count, "object"));
    let error = Error::new(end, ErrorKind::Syntax(why));
    match tokens {
        Tokens::Text(text) => text.stop(error),
        Tokens::Binary(tokens) if tokens.stopped().is_none() => tokens.stop_at(tokens.len(), error),
        Tokens::Binary(_) => {}
    }
}
