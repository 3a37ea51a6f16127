//! Writes tokens.

use super::super::convert::write;
use super::super::rows::{Numbers, Row, RowLayout, Separator};
use super::super::symbols::KEYWORDS;
use super::super::text::value;
use super::super::{Doubles, FloatList, Guid, IntegerList, Objects, Singles, Text, Token, TokenBody, Tokens};
use super::{Number, SymbolWriter, finite};
use crate::Result;
use crate::wire::{LenStr, TokenText, escape};

/// Writes tokens. Consecutive numbers of the same kind form one list.
pub struct TokenWriter {
    tokens: Vec<Token>,
    double: bool,
    /// Whether numbers that are not finite become 0.
    is_finite: bool,
    /// Whether the last token is a string, which requires a separator.
    is_text: bool,
}

impl TokenWriter {
    pub const fn new(double: bool) -> Self {
        Self { tokens: Vec::new(), double, is_finite: false, is_text: false }
    }

    /// Returns a writer of floats of 32 bits, for which those that are not finite are 0.
    pub fn finite() -> Self {
        Self { is_finite: true, ..Self::new(false) }
    }

    fn push(&mut self, body: TokenBody) {
        self.tokens.push(body.into());
    }
}

fn text(bytes: &[u8]) -> Text {
    Text { text: LenStr::new(bytes) }
}

impl SymbolWriter for TokenWriter {
    type Output = Vec<Token>;

    fn template(&mut self, name: &[u8]) -> Result<(), String> {
        self.name(name)
    }

    fn name(&mut self, name: &[u8]) -> Result<(), String> {
        self.push(TokenBody::Name(text(name)));
        Ok(())
    }

    fn keyword(&mut self, word: &[u8]) -> Result<(), String> {
        let keyword = KEYWORDS.iter().find(|(_, name)| name.eq_ignore_ascii_case(word));
        match keyword {
            Some((body, _)) => self.push(body.clone()),
            None if word == b"..." => (0..3).for_each(|_| self.push(TokenBody::Dot)),
            None => self.name(word)?,
        }
        Ok(())
    }

    fn text(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.push(TokenBody::String(text(bytes)));
        self.is_text = true;
        Ok(())
    }

    fn guid(&mut self, guid: Guid) {
        self.push(TokenBody::Guid(guid));
    }

    fn reference(&mut self, name: &[u8], guid: Option<Guid>) -> Result<(), String> {
        self.push(TokenBody::OpenBrace);
        if guid.is_none() || !name.is_empty() {
            self.name(name)?;
        }
        if let Some(guid) = guid {
            self.guid(guid);
        }
        self.push(TokenBody::CloseBrace);
        Ok(())
    }

    fn mark(&mut self, mark: u8, in_template: bool) {
        let body = match mark {
            b'{' => TokenBody::OpenBrace,
            b'}' => TokenBody::CloseBrace,
            b'(' => TokenBody::OpenParen,
            b')' => TokenBody::CloseParen,
            b'[' => TokenBody::OpenBracket,
            b']' => TokenBody::CloseBracket,
            b'<' => TokenBody::OpenAngle,
            b'>' => TokenBody::CloseAngle,
            b'.' => TokenBody::Dot,
            b',' if in_template => TokenBody::Comma,
            b';' if in_template || std::mem::take(&mut self.is_text) => TokenBody::Semicolon,
            // Lists have no separators.
            _ => return,
        };
        self.push(body);
    }

    #[expect(clippy::cast_possible_truncation, reason = "floats of 32 bits are rounded")]
    fn number(&mut self, number: Number<'_>) -> Result<(), String> {
        let float = match number {
            Number::Integer(number) => return self.integer(number),
            Number::Single(float) if !self.double => {
                self.append(|list| list.push(float));
                return Ok(());
            }
            Number::Word(word) if !self.double => {
                let float =
                    fast_float2::parse(&*word).ok().or_else(|| value(&word).map(|float| float as f32));
                let float = float.ok_or_else(|| not_a_number(&word))?;
                self.append(|list| list.push(float));
                return Ok(());
            }
            Number::Single(float) => f64::from(float),
            Number::Double(float) => float,
            Number::Word(word) => value(&word).ok_or_else(|| not_a_number(&word))?,
        };
        if self.double {
            self.append(|list| list.push(float));
        } else {
            self.append(|list| list.push(float as f32));
        }
        Ok(())
    }

    fn between(&mut self) {
        self.mark(b';', false);
    }

    fn end(&mut self, _depth: usize) {
        self.mark(b';', false);
    }

    fn end_values(&mut self) {}

    fn gap(&self, _separators: &[Separator]) -> Vec<u8> {
        Vec::new()
    }

    fn row(&mut self, row: &impl Row, _layout: &RowLayout) {
        row.write(self);
    }

    fn end_rows(&mut self, _layout: &RowLayout) {}

    fn with_templates(self, text: &str) -> Result<Self> {
        let content = Tokens::Text(TokenText::new(text.as_bytes().to_vec()));
        write(&Objects::of_content(&content)?, self)
    }

    fn finish(self) -> Vec<Token> {
        self.tokens
    }

    fn content(self) -> Tokens {
        Tokens::Binary(self.tokens.into())
    }
}

impl Numbers for TokenWriter {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "of 32 bits; tokens store the two's complement"
    )]
    fn integers(&mut self, numbers: impl Iterator<Item = i64>) {
        self.append(|list| list.extend(numbers.map(|number| number as u32)));
    }

    fn floats(&mut self, floats: &[f32]) {
        if floats.is_empty() {
            return;
        }
        let is_finite = self.is_finite;
        let floats = floats.iter().map(|own| if is_finite { finite(*own) } else { *own });
        if self.double {
            self.append(|list| list.extend(floats.map(f64::from)));
        } else {
            self.append(|list| list.extend(floats));
        }
    }
}

fn not_a_number(word: &[u8]) -> String {
    format!("expected a number, found `{}`", escape(word))
}

impl TokenWriter {
    fn integer(&mut self, number: i64) -> Result<(), String> {
        let word = u32::try_from(number).or_else(|_| i32::try_from(number).map(i32::cast_unsigned));
        let word = word.map_err(|_| format!("{number} is out of range of a 32-bit token"))?;
        self.append(|list| list.push(word));
        Ok(())
    }

    /// Appends to the list at the end, or to a new one.
    fn append<T: ListToken>(&mut self, append: impl FnOnce(&mut Vec<T>)) {
        if let Some(list) = self.tokens.last_mut().and_then(|token| T::list(&mut token.body)) {
            return append(list);
        }
        let mut list = Vec::new();
        append(&mut list);
        self.push(T::token(list));
    }
}

/// A type of numbers that are stored in lists.
trait ListToken: Sized {
    /// Returns the list of a token of such numbers.
    fn list(body: &mut TokenBody) -> Option<&mut Vec<Self>>;
    fn token(list: Vec<Self>) -> TokenBody;
}

impl ListToken for u32 {
    fn list(body: &mut TokenBody) -> Option<&mut Vec<Self>> {
        if let TokenBody::IntegerList(list) = body { Some(&mut list.values) } else { None }
    }

    fn token(list: Vec<Self>) -> TokenBody {
        TokenBody::IntegerList(IntegerList { values: list.into() })
    }
}

impl ListToken for f32 {
    fn list(body: &mut TokenBody) -> Option<&mut Vec<Self>> {
        if let TokenBody::FloatList(FloatList::Single(list)) = body { Some(&mut list.values) } else { None }
    }

    fn token(list: Vec<Self>) -> TokenBody {
        TokenBody::FloatList(FloatList::Single(Singles { values: list.into() }))
    }
}

impl ListToken for f64 {
    fn list(body: &mut TokenBody) -> Option<&mut Vec<Self>> {
        if let TokenBody::FloatList(FloatList::Double(list)) = body { Some(&mut list.values) } else { None }
    }

    fn token(list: Vec<Self>) -> TokenBody {
        TokenBody::FloatList(FloatList::Double(Doubles { values: list.into() }))
    }
}
