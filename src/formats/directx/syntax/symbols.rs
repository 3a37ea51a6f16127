//! A common stream of names, marks and values for text and tokens.

use super::text::{XText, skip_trivia, word};
use crate::formats::directx::{Guid, Token, TokenBody, Tokens};
use crate::text::{TokenKind, TokenText};

/// A name, mark or value in either encoding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::formats::directx) enum Symbol<'a> {
    /// A name or keyword.
    Name(&'a [u8]),
    /// A string.
    Text(&'a [u8]),
    /// A GUID; `None` if the text between the angle brackets is invalid.
    Guid(Option<Guid>),
    /// A brace, bracket, separator or dot.
    Mark(u8),
    /// Numbers: a run in text; a list or a single number in tokens.
    Numbers(&'a [u8]),
    /// A token of binary data.
    Binary,
}

/// The symbols from a position on. A position is a byte of the text or the index of a token.
#[derive(Clone, Copy, Debug)]
pub(in crate::formats::directx) struct Symbols<'a> {
    pub tokens: &'a Tokens,
    pub at: usize,
}

impl<'a> Symbols<'a> {
    pub const fn new(tokens: &'a Tokens, at: usize) -> Self {
        Self { tokens, at }
    }

    /// Returns the next symbol and its position.
    pub fn next(&mut self) -> Option<(usize, Symbol<'a>)> {
        match self.tokens {
            Tokens::Text(text) => self.in_text(text),
            Tokens::Binary(tokens) => {
                let start = self.at;
                self.at += 1;
                tokens.get(start).map(|token| (start, symbol(token)))
            }
        }
    }

    /// Returns the next symbol without consuming it.
    pub fn peek(mut self) -> Option<Symbol<'a>> {
        self.next().map(|(_, symbol)| symbol)
    }

    /// Consumes the rest of a reference after its opening brace, if there is one. Returns its name, its GUID and the
    /// position of its closing brace.
    pub fn reference(&mut self) -> Option<(&'a [u8], Option<Guid>, usize)> {
        let mut ahead = *self;
        let (mut name, mut guid) = (&[][..], None);
        match ahead.next()?.1 {
            Symbol::Name(own) => name = own,
            Symbol::Numbers(run) => name = single_number(run)?,
            Symbol::Guid(own) => guid = own,
            _ => return None,
        }
        if guid.is_none()
            && let Some(Symbol::Guid(own)) = ahead.peek()
        {
            guid = own;
            ahead.next();
        }
        let (close, Symbol::Mark(b'}')) = ahead.next()? else { return None };
        *self = ahead;
        Some((name, guid, close))
    }

    /// Consumes the name of binary data and its closing brace after the opening brace, if there is one.
    pub fn binary_name(&mut self) -> bool {
        let mut ahead = *self;
        let symbols = [ahead.next(), ahead.next(), ahead.next()].map(|next| next.map(|(_, symbol)| symbol));
        let found =
            matches!(symbols, [Some(Symbol::Binary), Some(Symbol::Name(_)), Some(Symbol::Mark(b'}'))]);
        if found {
            *self = ahead;
        }
        found
    }

    fn in_text(&mut self, text: &'a TokenText<XText>) -> Option<(usize, Symbol<'a>)> {
        let start = skip_trivia(text.text(), self.at);
        self.at = start;
        // Long runs of numbers are known.
        let token = text.iter_at(start, ()).next()?;
        self.at = token.range().end;
        let symbol = match (token.kind, token.bytes) {
            (TokenKind::Quoted, [b'<', inner @ .., _]) => Symbol::Guid(Guid::parse(inner)),
            (TokenKind::Quoted, [_, inner @ .., _]) | (TokenKind::Unclosed, [_, inner @ ..]) => {
                Symbol::Text(inner)
            }
            (TokenKind::Mark, [mark, ..]) => Symbol::Mark(*mark),
            (TokenKind::Numbers, bytes) => Symbol::Numbers(bytes),
            (_, bytes) => Symbol::Name(bytes),
        };
        Some((start, symbol))
    }
}

/// Returns the name at a position.
pub(in crate::formats::directx) fn name_at(tokens: &Tokens, at: usize) -> &[u8] {
    match tokens {
        Tokens::Text(text) => {
            let rest = text.text().get(at..).unwrap_or_default();
            &rest[..word(rest)]
        }
        Tokens::Binary(tokens) => match tokens.get(at).map(symbol) {
            Some(Symbol::Name(name)) => name,
            _ => &[],
        },
    }
}

/// Returns the number of a run of one number without separators, which can be a name.
pub(in crate::formats::directx) fn single_number(run: &[u8]) -> Option<&[u8]> {
    let len = word(run);
    (len > 0 && skip_trivia(run, len) == run.len()).then(|| &run[..len])
}

pub(in crate::formats::directx) fn symbol(token: &Token) -> Symbol<'_> {
    use TokenBody as Body;
    match &token.body {
        // The object that a name before damage begins is lost.
        Body::Name(_) if !token.gap.is_empty() => Symbol::Binary,
        Body::Name(name) => Symbol::Name(name.text.stored()),
        Body::String(text) => Symbol::Text(text.text.stored()),
        Body::Guid(guid) => Symbol::Guid(Some(*guid)),
        Body::BinaryName | Body::BinaryLocation(_) | Body::BinaryData(_) => Symbol::Binary,
        Body::Integer(_) | Body::IntegerList(_) | Body::FloatList(_) => Symbol::Numbers(&[]),
        body => keyword(body).map_or_else(|| Symbol::Mark(mark(body)), Symbol::Name),
    }
}

fn mark(body: &TokenBody) -> u8 {
    use TokenBody as Body;
    match body {
        Body::OpenBrace => b'{',
        Body::CloseBrace => b'}',
        Body::OpenParen => b'(',
        Body::CloseParen => b')',
        Body::OpenBracket => b'[',
        Body::CloseBracket => b']',
        Body::OpenAngle => b'<',
        Body::CloseAngle => b'>',
        Body::Dot => b'.',
        Body::Comma => b',',
        _ => b';',
    }
}

/// The tokens that are words, with their text form.
pub(in crate::formats::directx) const KEYWORDS: [(TokenBody, &[u8]); 14] = {
    use TokenBody as Body;
    [
        (Body::Template, b"template"),
        (Body::Word, b"WORD"),
        (Body::Dword, b"DWORD"),
        (Body::Float, b"FLOAT"),
        (Body::Double, b"DOUBLE"),
        (Body::Char, b"CHAR"),
        (Body::Uchar, b"UCHAR"),
        (Body::Sword, b"SWORD"),
        (Body::Sdword, b"SDWORD"),
        (Body::Void, b"VOID"),
        (Body::Lpstr, b"STRING"),
        (Body::Unicode, b"UNICODE"),
        (Body::Cstring, b"CSTRING"),
        (Body::Array, b"array"),
    ]
};

fn keyword(body: &TokenBody) -> Option<&'static [u8]> {
    KEYWORDS.iter().find(|(keyword, _)| keyword.tag() == body.tag()).map(|(_, name)| *name)
}

impl Guid {
    /// Parses a GUID from 32 hexadecimal digits, ignoring dashes and white space.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "each member takes its bits of the number")]
    pub fn parse(text: &[u8]) -> Option<Self> {
        let mut digits =
            text.iter().filter(|byte| **byte != b'-' && !byte.is_ascii_whitespace() && **byte != 0);
        let mut number = 0_u128;
        for _ in 0..32 {
            let digit = char::from(*digits.next()?).to_digit(16)?;
            number = number << 4 | u128::from(digit);
        }
        digits.next().is_none().then_some(Self {
            data1: (number >> 96) as u32,
            data2: (number >> 80) as u16,
            data3: (number >> 64) as u16,
            data4: (number as u64).to_be_bytes(),
        })
    }
}

impl std::fmt::Display for Guid {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [a, b, rest @ ..] = self.data4;
        write!(out, "{:08X}-{:04X}-{:04X}-{a:02X}{b:02X}-", self.data1, self.data2, self.data3)?;
        rest.iter().try_for_each(|byte| write!(out, "{byte:02X}"))
    }
}
