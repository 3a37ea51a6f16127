//! Writes names, marks and values as text or tokens.

use std::borrow::Cow;

use super::symbols::KEYWORDS;
use super::text::{lexeme_kind, string, value};
use super::{Doubles, FloatList, Guid, IntegerList, Singles, Text, Token, TokenBody};
use crate::wire::{LenStr, TokenKind, escape, plain_double, plain_integer, plain_single};

/// A number of either encoding.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Number<'a> {
    /// An integer.
    Integer(i64),
    /// A float of 32 bits.
    Single(f32),
    /// A float of 64 bits.
    Double(f64),
    /// A float in text form.
    Word(Cow<'a, [u8]>),
}

impl Number<'_> {
    /// Appends its text form.
    pub fn spell(self, text: &mut Vec<u8>) {
        match self {
            Self::Integer(number) => plain_integer(number, text),
            Self::Single(float) => plain_single(float, text),
            Self::Double(float) => plain_double(float, text),
            Self::Word(word) => text.extend_from_slice(&word),
        }
    }
}

/// A target of conversion.
pub(super) trait SymbolWriter {
    type Output;

    /// Writes the template name of an object.
    fn template(&mut self, name: &[u8]) -> Result<(), String>;
    /// Writes the name of an object; may be empty.
    fn name(&mut self, name: &[u8]) -> Result<(), String>;
    /// Writes a word of a template: a type or the name of a member.
    fn keyword(&mut self, word: &[u8]) -> Result<(), String>;
    fn text(&mut self, text: &[u8]) -> Result<(), String>;
    fn guid(&mut self, guid: Guid);
    fn reference(&mut self, name: &[u8], guid: Option<Guid>) -> Result<(), String>;
    fn mark(&mut self, mark: u8, in_template: bool);
    fn number(&mut self, number: Number<'_>) -> Result<(), String>;
    /// Called between two elements of an array.
    fn between(&mut self);
    /// Called after a member of a struct; `depth` is the number of enclosing structs.
    fn end(&mut self, depth: usize);
    /// Called after all values of an object.
    fn end_values(&mut self);
    fn finish(self) -> Self::Output;
}

/// Writes tokens. Consecutive numbers of the same kind form one list.
pub(super) struct TokenWriter {
    tokens: Vec<Token>,
    double: bool,
    /// Whether the last token is a string, which requires a separator.
    is_text: bool,
}

impl TokenWriter {
    pub const fn new(double: bool) -> Self {
        Self { tokens: Vec::new(), double, is_text: false }
    }

    fn push(&mut self, body: TokenBody) {
        self.tokens.push(body.into());
    }

    fn last(&mut self) -> Option<&mut TokenBody> {
        self.tokens.last_mut().map(|token| &mut token.body)
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
                self.single(float);
                return Ok(());
            }
            Number::Word(word) if !self.double => {
                let float =
                    fast_float2::parse(&*word).ok().or_else(|| value(&word).map(|float| float as f32));
                self.single(float.ok_or_else(|| not_a_number(&word))?);
                return Ok(());
            }
            Number::Single(float) => f64::from(float),
            Number::Double(float) => float,
            Number::Word(word) => value(&word).ok_or_else(|| not_a_number(&word))?,
        };
        if self.double {
            self.double(float);
        } else {
            self.single(float as f32);
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

    fn finish(self) -> Vec<Token> {
        self.tokens
    }
}

fn not_a_number(word: &[u8]) -> String {
    format!("expected a number, found `{}`", escape(word))
}

impl TokenWriter {
    fn integer(&mut self, number: i64) -> Result<(), String> {
        let word = u32::try_from(number).or_else(|_| i32::try_from(number).map(i32::cast_unsigned));
        let word = word.map_err(|_| format!("{number} is out of range of a 32-bit token"))?;
        match self.last() {
            Some(TokenBody::IntegerList(list)) => list.values.push(word),
            _ => self.push(TokenBody::IntegerList(IntegerList { values: vec![word].into() })),
        }
        Ok(())
    }

    fn single(&mut self, float: f32) {
        match self.last() {
            Some(TokenBody::FloatList(FloatList::Single(list))) => list.values.push(float),
            _ => self.push(TokenBody::FloatList(FloatList::Single(Singles { values: vec![float].into() }))),
        }
    }

    fn double(&mut self, float: f64) {
        match self.last() {
            Some(TokenBody::FloatList(FloatList::Double(list))) => list.values.push(float),
            _ => self.push(TokenBody::FloatList(FloatList::Double(Doubles { values: vec![float].into() }))),
        }
    }
}

/// The maximum indentation. Keeps the size of deeply nested files linear.
const MAX_INDENT: usize = 32;

/// The number of bytes that a number and its separators take at most in a typical text.
const USUAL_SIZE: usize = 10;

/// Writes text formatted like D3DX: one line per member or element, indented by one space per enclosing object.
pub(super) struct TextWriter {
    text: Vec<u8>,
    depth: usize,
    /// The separation of the next symbol.
    gap: Gap,
    /// Whether numbers that are not finite become 0.
    is_finite: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Gap {
    Nothing,
    Blank,
    Line,
}

impl TextWriter {
    pub fn new() -> Self {
        Self { text: Vec::new(), depth: 0, gap: Gap::Line, is_finite: false }
    }

    /// Returns a writer for which numbers that are not finite, which few readers know, are 0.
    pub fn finite() -> Self {
        Self { is_finite: true, ..Self::new() }
    }

    /// Reserves memory for a text with this number of numbers. Growing a text copies it, which needs memory for both.
    pub fn reserve(&mut self, num_numbers: usize) {
        self.text.reserve(num_numbers.saturating_mul(USUAL_SIZE));
    }

    /// Writes lines as they are.
    pub fn lines(&mut self, text: &str) {
        self.put(text.trim_end().as_bytes());
        self.gap = Gap::Line;
    }

    /// Writes a symbol, separated from the previous one.
    fn put(&mut self, symbol: &[u8]) {
        self.fill_gap();
        self.text.extend_from_slice(symbol);
    }

    #[inline]
    fn fill_gap(&mut self) {
        match std::mem::replace(&mut self.gap, Gap::Nothing) {
            Gap::Nothing => {}
            Gap::Blank => self.text.push(b' '),
            Gap::Line => self.begin_line(),
        }
    }

    fn begin_line(&mut self) {
        self.text.push(b'\n');
        self.text.resize(self.text.len() + self.depth.min(MAX_INDENT), b' ');
    }

    fn word(&mut self, word: &[u8]) {
        self.put(word);
        self.gap = Gap::Blank;
    }
}

/// The error for a name that text cannot represent.
fn not_a_word(name: &[u8]) -> String {
    format!(
        "the name `{}` is not a single word, which text requires; rename it, or keep tokens",
        escape(name)
    )
}

impl SymbolWriter for TextWriter {
    type Output = Vec<u8>;

    fn template(&mut self, name: &[u8]) -> Result<(), String> {
        self.keyword(name)
    }

    fn name(&mut self, name: &[u8]) -> Result<(), String> {
        match lexeme_kind(name) {
            None if name.is_empty() => {}
            Some(TokenKind::Word | TokenKind::Numbers) => self.word(name),
            _ => return Err(not_a_word(name)),
        }
        Ok(())
    }

    fn keyword(&mut self, word: &[u8]) -> Result<(), String> {
        if lexeme_kind(word) != Some(TokenKind::Word) {
            return Err(not_a_word(word));
        }
        self.word(word);
        Ok(())
    }

    fn text(&mut self, text: &[u8]) -> Result<(), String> {
        if text.contains(&b'"') {
            let text = escape(text);
            return Err(format!(
                "the string `{text}` contains a quotation mark, which text cannot store; change it, or keep tokens"
            ));
        }
        let quoted = [b"\"", text, b"\""].concat();
        if string(&quoted) != (TokenKind::Quoted, quoted.len()) {
            let text = escape(text);
            return Err(format!(
                "the string `{text}` contains a line that ends with a separator, which text cannot store; change it, or keep tokens"
            ));
        }
        self.put(&quoted);
        Ok(())
    }

    fn guid(&mut self, guid: Guid) {
        self.put(format!("<{guid}>").as_bytes());
        self.gap = Gap::Line;
    }

    fn reference(&mut self, name: &[u8], guid: Option<Guid>) -> Result<(), String> {
        if name.is_empty() && guid.is_none() {
            return Err(not_a_word(name));
        }
        self.gap = Gap::Line;
        self.word(b"{");
        self.name(name)?;
        if let Some(guid) = guid {
            self.word(format!("<{guid}>").as_bytes());
        }
        self.put(b"}");
        self.gap = Gap::Line;
        Ok(())
    }

    fn mark(&mut self, mark: u8, in_template: bool) {
        match mark {
            b'{' => {
                self.put(b"{");
                self.depth += 1;
                self.gap = Gap::Line;
            }
            b'}' => {
                self.depth = self.depth.saturating_sub(1);
                self.gap = Gap::Line;
                self.put(b"}");
                self.gap = Gap::Line;
            }
            b'[' if in_template => {
                self.gap = if self.gap == Gap::Blank { Gap::Nothing } else { self.gap };
                self.put(b"[");
            }
            b';' => {
                self.gap = Gap::Nothing;
                self.put(b";");
                self.gap = Gap::Line;
            }
            b',' => {
                self.gap = Gap::Nothing;
                self.put(b",");
                self.gap = Gap::Blank;
            }
            mark => {
                self.gap = Gap::Nothing;
                self.put(&[mark]);
            }
        }
    }

    fn number(&mut self, number: Number<'_>) -> Result<(), String> {
        let number = match number {
            Number::Single(float) if self.is_finite && !float.is_finite() => Number::Single(0.0),
            number => number,
        };
        self.fill_gap();
        number.spell(&mut self.text);
        Ok(())
    }

    fn between(&mut self) {
        self.put(b",");
        // Structs end with a semicolon and are written on separate lines.
        self.gap = if self.text.ends_with(b";,") { Gap::Line } else { Gap::Nothing };
    }

    fn end(&mut self, depth: usize) {
        self.text.push(b';');
        self.gap = if depth == 0 { Gap::Line } else { Gap::Nothing };
    }

    fn end_values(&mut self) {
        self.gap = Gap::Line;
    }

    fn finish(mut self) -> Vec<u8> {
        self.text.push(b'\n');
        self.text
    }
}
