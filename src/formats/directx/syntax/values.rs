//! Reads the values of an object in either encoding.

use std::ops::Range;

use super::text::{is_word, skip_separators, skip_trivia, string, value, with_payload};
use super::writer::Number;
use crate::ErrorKind;
use crate::formats::directx::{FloatList, Token, TokenBody, Tokens};
use crate::text::TokenKind;

/// The position of a value: a byte of the text, or the index of a token and of an element of its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub at: usize,
    pub within: usize,
}

/// An error in a value, with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueError {
    pub place: Place,
    pub kind: ErrorKind,
}

/// Reads values from a range of symbols.
#[derive(Clone, Debug)]
pub(in crate::formats::directx) enum Values<'a> {
    Text(TextValues<'a>),
    Tokens(TokenValues<'a>),
}

/// Values in text, between separators, white space and comments.
#[derive(Clone, Debug)]
pub(in crate::formats::directx) struct TextValues<'a> {
    /// The text up to the end of the values.
    text: &'a [u8],
    at: usize,
    /// Whether the separators before `at` are valid; none if they are not checked.
    separators: Option<bool>,
}

/// Values in lists and single tokens.
#[derive(Clone, Debug)]
pub(in crate::formats::directx) struct TokenValues<'a> {
    /// The tokens up to the end of the values.
    tokens: &'a [Token],
    at: usize,
    within: usize,
}

type Result<T> = std::result::Result<T, ValueError>;

macro_rules! either {
    ($values:expr, $inner:ident => $then:expr) => {
        match $values {
            Values::Text($inner) => $then,
            Values::Tokens($inner) => $then,
        }
    };
}

impl<'a> Values<'a> {
    pub fn new(tokens: &'a Tokens, range: Range<usize>) -> Self {
        match tokens {
            Tokens::Text(text) => Self::Text(TextValues {
                text: text.text().get(..range.end).unwrap_or_default(),
                at: range.start,
                separators: None,
            }),
            Tokens::Binary(tokens) => Self::Tokens(TokenValues {
                tokens: tokens.get(..range.end).unwrap_or_default(),
                at: range.start,
                within: 0,
            }),
        }
    }

    /// Returns the position of the next value, or of the end.
    pub fn place(&mut self) -> Place {
        either!(self, inner => inner.place())
    }

    pub fn is_at_end(&mut self) -> bool {
        let at = self.place().at;
        at >= either!(self, inner => inner.end())
    }

    /// Returns an upper bound of the number of remaining values.
    pub fn max_left(&self) -> usize {
        match self {
            Self::Text(inner) => inner.text.len().saturating_sub(inner.at).div_ceil(2),
            Self::Tokens(inner) => {
                let tokens = inner.tokens.get(inner.at..).unwrap_or_default();
                tokens.iter().map(|token| token.body.len()).sum::<usize>().saturating_sub(inner.within)
            }
        }
    }

    /// Returns an error at the next value.
    pub fn fault(&mut self, kind: ErrorKind) -> ValueError {
        ValueError { place: self.place(), kind }
    }

    /// Returns the error for a missing value, or one of another kind.
    #[cold]
    pub fn expected(&mut self, what: &str) -> ValueError {
        let found = if self.is_at_end() { "the end of the values" } else { "a value of another kind" };
        self.fault(ErrorKind::Syntax(format!("expected {what}, found {found}")))
    }

    pub fn integer(&mut self) -> Result<i64> {
        either!(self, inner => inner.integer()).ok_or_else(|| self.expected("an integer"))
    }

    /// Reads a number of any kind.
    pub fn number(&mut self) -> Result<Number<'a>> {
        either!(self, inner => inner.number()).ok_or_else(|| self.expected("a number"))
    }

    /// Reads an unsigned integer, such as a count.
    #[inline]
    pub fn unsigned(&mut self) -> Result<u32> {
        let before = self.clone();
        let number = self.integer()?;
        u32::try_from(number).map_err(|_| before.out_of_range(number, 0))
    }

    /// Reads a `DWORD` that may be negative; tokens store its two's complement.
    pub fn signed(&mut self) -> Result<i32> {
        let before = self.clone();
        let number = self.integer()?;
        let unsigned = || u32::try_from(number).ok().map(u32::cast_signed);
        let signed = i32::try_from(number).ok().or_else(unsigned);
        signed.ok_or_else(|| before.out_of_range(number, i32::MIN))
    }

    /// Returns the error for the next value, an integer that is less than `least` or greater than a `DWORD`.
    #[cold]
    fn out_of_range(mut self, number: i64, least: i32) -> ValueError {
        let why = format!("{number} is out of range, expected {least} to {}", u32::MAX);
        self.fault(ErrorKind::Count(why))
    }

    #[inline]
    pub fn float(&mut self) -> Result<f32> {
        either!(self, inner => inner.float()).ok_or_else(|| self.expected("a number"))
    }

    /// Reads numbers that are next in one list of tokens.
    pub fn next_integers(&mut self, len: usize) -> Option<&'a [u32]> {
        let Self::Tokens(inner) = self else { return None };
        inner.place();
        let TokenBody::IntegerList(list) = inner.body()? else { return None };
        inner.take(&list.values, len)
    }

    /// As [`next_integers`](Self::next_integers), for floats of 32 bits.
    pub fn next_singles(&mut self, len: usize) -> Option<&'a [f32]> {
        let Self::Tokens(inner) = self else { return None };
        inner.place();
        let TokenBody::FloatList(FloatList::Single(list)) = inner.body()? else { return None };
        inner.take(&list.values, len)
    }

    pub fn text(&mut self) -> Result<&'a [u8]> {
        self.next_text().ok_or_else(|| self.expected("a string"))
    }

    /// Reads a string, if it is next.
    pub fn next_text(&mut self) -> Option<&'a [u8]> {
        either!(self, inner => inner.text())
    }

    /// Skips numbers.
    pub fn skip_numbers(&mut self, mut count: u64) -> Result<()> {
        while count > 0 {
            match either!(self, inner => inner.skip(count)) {
                0 => return Err(self.expected("a number")),
                skipped => count -= skipped,
            }
        }
        Ok(())
    }

    /// Checks the separators while values are read.
    pub fn check_separators(&mut self) {
        if let Self::Text(inner) = self {
            inner.separators = Some(skip_trivia(inner.text, inner.at) == inner.place().at);
        }
    }

    /// Returns whether all values were read and all separators are known to be valid.
    /// Otherwise, [`separator_error`](Self::separator_error) decides.
    pub fn has_valid_separators(&mut self) -> bool {
        self.is_at_end() && matches!(&*self, Self::Text(inner) if inner.has_valid_separators())
    }

    /// Returns an error at the first invalid separator. Text values must be followed by semicolons and at most one comma,
    /// or by a single comma; lists in tokens by nothing.
    pub fn separator_error(mut self) -> Option<ValueError> {
        let mut gap = Gap::Full;
        loop {
            let (place, piece) = either!(&mut self, inner => inner.piece());
            match gap.then(piece) {
                Some(_) if piece == Piece::End => return None,
                Some(next) => gap = next,
                None => {
                    let why =
                        "invalid separator, expected semicolons and at most one comma, or a single comma";
                    return Some(ValueError { place, kind: ErrorKind::Syntax(why.into()) });
                }
            }
        }
    }
}

impl<'a> TextValues<'a> {
    fn place(&mut self) -> Place {
        self.advance();
        Place { at: self.at, within: 0 }
    }

    /// Passes the separators before the next value.
    #[inline]
    fn advance(&mut self) {
        let start = self.at;
        self.at = skip_separators(self.text, start);
        if self.separators == Some(true) && start < self.at {
            self.separators = Some(is_separator(&self.text[start..self.at]));
        }
    }

    fn has_valid_separators(&self) -> bool {
        self.separators == Some(true) && !self.text.last().is_some_and(|byte| is_word(*byte))
    }

    const fn end(&self) -> usize {
        self.text.len()
    }

    /// Returns the next word; empty if there is none.
    fn word(&mut self) -> &'a [u8] {
        self.advance();
        first_word(self.text.get(self.at..).unwrap_or_default())
    }

    #[inline]
    fn integer(&mut self) -> Option<i64> {
        self.advance();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let sign = usize::from(matches!(rest.first(), Some(b'-' | b'+')));
        let mut number = 0_i64;
        let mut len = sign;
        while let Some(digit @ b'0'..=b'9') = rest.get(len) {
            number = number.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
            len += 1;
        }
        let ends = rest.get(len).is_none_or(|byte| !is_word(*byte));
        (len > sign && ends).then(|| {
            self.at += len;
            if rest[0] == b'-' { -number } else { number }
        })
    }

    fn number(&mut self) -> Option<Number<'a>> {
        self.advance();
        let start = self.at;
        match self.integer() {
            // Integers have no negative zero.
            Some(0) if self.text[start] == b'-' => self.at = start,
            Some(number) => return Some(Number::Integer(number)),
            None => {}
        }
        let word = self.word();
        value(word)?;
        self.at += word.len();
        Some(Number::Word(word.into()))
    }

    #[inline]
    fn float(&mut self) -> Option<f32> {
        self.advance();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let plain = matches!(rest.first(), Some(b'0'..=b'9' | b'-'));
        if plain
            && let Ok((number, len)) = fast_float2::parse_partial(rest)
            && rest[len - 1] <= b'9'
            && rest.get(len).is_none_or(|byte| !is_word(*byte))
        {
            self.at += len;
            return Some(number);
        }
        self.slow_float()
    }

    /// Reads a number that begins with a dot or plus, or a special one such as `1.#QNAN`.
    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "typed views are of single precision")]
    fn slow_float(&mut self) -> Option<f32> {
        let word = self.word();
        let number = value(word)?;
        self.at += word.len();
        Some(number as f32)
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let start = self.place().at;
        let rest = self.text.get(start..).filter(|rest| rest.starts_with(b"\""))?;
        // A string can follow a value without a separator.
        self.separators = None;
        let (kind, len) = string(rest);
        self.at = start + len;
        Some(&rest[1..len - usize::from(kind == TokenKind::Quoted)])
    }

    /// Skips words, at most `max`, and returns how many.
    fn skip(&mut self, max: u64) -> u64 {
        let mut skipped = 0;
        while skipped < max {
            let len = self.word().len();
            if len == 0 {
                break;
            }
            self.at += len;
            skipped += 1;
        }
        skipped
    }

    fn piece(&mut self) -> (Place, Piece) {
        let start = skip_trivia(self.text, self.at);
        let rest = self.text.get(start..).unwrap_or_default();
        let (piece, len) = match rest.first() {
            Some(b';') => (Piece::Semicolon, 1),
            Some(b',') => (Piece::Comma, 1),
            Some(b'"') => (Piece::Value, string(rest).1),
            Some(byte) if is_word(*byte) => (Piece::Value, first_word(rest).len()),
            _ => (Piece::End, 0),
        };
        self.at = start + len;
        (Place { at: start, within: 0 }, piece)
    }
}

/// Returns whether the bytes after a word are known to be valid separators; those with comments are not.
#[inline]
fn is_separator(bytes: &[u8]) -> bool {
    let end = bytes.iter().try_fold(Gap::Nothing, |gap, byte| match byte {
        b';' => gap.then(Piece::Semicolon),
        b',' => gap.then(Piece::Comma),
        b' ' | b'\t' | b'\r' | b'\n' => Some(gap),
        _ => None,
    });
    end.is_some_and(|gap| gap != Gap::Nothing)
}

/// Returns the bytes before the first one that cannot be part of a word.
fn first_word(rest: &[u8]) -> &[u8] {
    let len = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
    &rest[..with_payload(rest, len)]
}

impl<'a> TokenValues<'a> {
    fn place(&mut self) -> Place {
        use TokenBody as Body;
        while let Some(body) = self.body() {
            let is_consumed = match body {
                Body::Comma | Body::Semicolon => true,
                Body::Integer(_) | Body::String(_) | Body::IntegerList(_) | Body::FloatList(_) => {
                    self.within >= body.len()
                }
                _ => false,
            };
            if !is_consumed {
                break;
            }
            self.at += 1;
            self.within = 0;
        }
        Place { at: self.at, within: self.within }
    }

    const fn end(&self) -> usize {
        self.tokens.len()
    }

    fn body(&self) -> Option<&'a TokenBody> {
        self.tokens.get(self.at).map(|token| &token.body)
    }

    /// Takes numbers from the list at the position, if it has that many.
    fn take<T>(&mut self, list: &'a [T], len: usize) -> Option<&'a [T]> {
        let own = list.get(self.within..)?.get(..len)?;
        self.within += len;
        Some(own)
    }

    fn integer(&mut self) -> Option<i64> {
        self.place();
        let number = match self.body()? {
            TokenBody::Integer(number) => *number,
            TokenBody::IntegerList(list) => *list.values.get(self.within)?,
            _ => return None,
        };
        self.within += 1;
        Some(number.into())
    }

    fn number(&mut self) -> Option<Number<'a>> {
        if let Some(number) = self.integer() {
            return Some(Number::Integer(number));
        }
        let TokenBody::FloatList(list) = self.body()? else { return None };
        let number = match list {
            FloatList::Single(floats) => Number::Single(*floats.values.get(self.within)?),
            FloatList::Double(floats) => Number::Double(*floats.values.get(self.within)?),
        };
        self.within += 1;
        Some(number)
    }

    #[expect(clippy::cast_precision_loss, reason = "integers in place of floats are small")]
    fn float(&mut self) -> Option<f32> {
        self.place();
        let number = match self.body()? {
            TokenBody::FloatList(list) => list.get(self.within)?,
            TokenBody::Integer(number) => *number as f32,
            TokenBody::IntegerList(list) => *list.values.get(self.within)? as f32,
            _ => return None,
        };
        self.within += 1;
        Some(number)
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        self.place();
        let TokenBody::String(text) = self.body()? else { return None };
        self.within += 1;
        Some(text.text.stored())
    }

    /// Skips numbers of one token, and returns how many.
    fn skip(&mut self, max: u64) -> u64 {
        self.place();
        let len = match self.body() {
            Some(TokenBody::String(_)) | None => 0,
            Some(body) => body.len(),
        };
        let left = len.saturating_sub(self.within);
        let skipped = left.min(usize::try_from(max).unwrap_or(left));
        self.within += skipped;
        skipped as u64
    }

    fn piece(&mut self) -> (Place, Piece) {
        let start = self.at;
        let piece = match self.body() {
            Some(TokenBody::Semicolon) => Piece::Semicolon,
            Some(TokenBody::Comma) => Piece::Comma,
            Some(TokenBody::Integer(_) | TokenBody::String(_)) => Piece::Value,
            Some(TokenBody::IntegerList(_) | TokenBody::FloatList(_)) => Piece::List,
            _ => Piece::End,
        };
        self.at += 1;
        (Place { at: start, within: 0 }, piece)
    }
}

/// A part of the values of an object.
#[derive(Clone, Copy, PartialEq)]
enum Piece {
    Value,
    List,
    Semicolon,
    Comma,
    End,
}

/// The separators after the last value.
#[derive(Clone, Copy, PartialEq)]
enum Gap {
    Nothing,
    Semicolons,
    /// Complete: a value or the end must follow.
    Full,
}

impl Gap {
    /// Returns the state after a part, or `None` if it is invalid here.
    fn then(self, piece: Piece) -> Option<Self> {
        match (self, piece) {
            (Self::Nothing | Self::Semicolons, Piece::Semicolon) => Some(Self::Semicolons),
            (Self::Nothing | Self::Semicolons, Piece::Comma)
            | (Self::Semicolons | Self::Full, Piece::List | Piece::End) => Some(Self::Full),
            (Self::Semicolons | Self::Full, Piece::Value) => Some(Self::Nothing),
            _ => None,
        }
    }
}

impl TokenBody {
    /// Returns the number of values.
    pub(in crate::formats::directx) fn len(&self) -> usize {
        match self {
            Self::Integer(_) | Self::String(_) => 1,
            Self::IntegerList(list) => list.values.len(),
            Self::FloatList(list) => list.len(),
            _ => 0,
        }
    }
}

impl FloatList {
    /// Returns the number of floats.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Single(floats) => floats.values.len(),
            Self::Double(floats) => floats.values.len(),
        }
    }

    /// Returns whether there are no floats.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[expect(clippy::cast_possible_truncation, reason = "typed views are of single precision")]
    fn get(&self, index: usize) -> Option<f32> {
        match self {
            Self::Single(floats) => floats.values.get(index).copied(),
            Self::Double(floats) => floats.values.get(index).map(|float| *float as f32),
        }
    }
}
