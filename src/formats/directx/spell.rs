//! Writes names, marks and values as text or as tokens.

use std::borrow::Cow;

use super::symbols::KEYWORDS;
use super::text::{spelled_as, value};
use super::{Doubles, FloatList, Guid, IntegerList, Singles, Text, Token, TokenBody};
use crate::wire::{LenStr, TokenKind, escape};

/// A number on its way from one encoding to another.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Number<'a> {
    /// An integer.
    Integer(i64),
    /// A float of 32 bits.
    Single(f32),
    /// A float of 64 bits.
    Double(f64),
    /// A float as text spells it.
    Word(Cow<'a, [u8]>),
}

/// What objects are written to.
pub(super) trait SymbolSink {
    type Output;

    /// The name of an object's template.
    fn template(&mut self, name: &[u8]) -> Result<(), String>;
    /// An object's own name; those without one may have one of no bytes.
    fn name(&mut self, name: &[u8]) -> Result<(), String>;
    /// A word of a template: a type, the name of a member.
    fn keyword(&mut self, word: &[u8]) -> Result<(), String>;
    fn text(&mut self, text: &[u8]) -> Result<(), String>;
    fn guid(&mut self, guid: Guid);
    fn reference(&mut self, name: &[u8], guid: Option<Guid>) -> Result<(), String>;
    fn mark(&mut self, mark: u8, in_template: bool);
    fn number(&mut self, number: Number<'_>) -> Result<(), String>;
    /// Interpolation two elements of an array.
    fn between(&mut self);
    /// Behind a member of a struct, which lies so deep in other structs.
    fn end(&mut self, depth: usize);
    /// Behind all values of an object.
    fn end_values(&mut self);
    fn finish(self) -> Self::Output;
}

/// Tokens, with lists as long as their kind of number goes on.
pub(super) struct TokenSink {
    tokens: Vec<Token>,
    double: bool,
    /// Whether the last token is a text that its separator must follow.
    is_text: bool,
}

impl TokenSink {
    pub const fn new(double: bool) -> Self {
        Self { tokens: Vec::new(), double, is_text: false }
    }

    fn push(&mut self, body: TokenBody) {
        self.tokens.push(Token { body });
    }

    fn last(&mut self) -> Option<&mut TokenBody> {
        self.tokens.last_mut().map(|token| &mut token.body)
    }
}

fn text(bytes: &[u8]) -> Text {
    Text { text: LenStr::new(bytes) }
}

impl SymbolSink for TokenSink {
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
            // Lists need no separators.
            _ => return,
        };
        self.push(body);
    }

    #[expect(clippy::cast_possible_truncation, reason = "a file of 32 bits rounds what it is given")]
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
                self.single(float.ok_or_else(|| no_number(&word))?);
                return Ok(());
            }
            Number::Single(float) => f64::from(float),
            Number::Double(float) => float,
            Number::Word(word) => value(&word).ok_or_else(|| no_number(&word))?,
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

fn no_number(word: &[u8]) -> String {
    format!("`{}` is no number", escape(word))
}

impl TokenSink {
    fn integer(&mut self, number: i64) -> Result<(), String> {
        let word = u32::try_from(number).or_else(|_| i32::try_from(number).map(i32::cast_unsigned));
        let word = word.map_err(|_| format!("{number} is more than a token of 32 bits can say"))?;
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

/// Blanks in front of a line: no file that people read is deeper, and deep ones must not grow.
const MOST_BLANKS: usize = 32;

/// Text as D3DX lays it out: a member a line, an element a line, a blank for each object around.
pub(super) struct TextSink {
    text: Vec<u8>,
    depth: usize,
    /// What the next symbol must be set off with.
    gap: Gap,
}

#[derive(Clone, Copy, PartialEq)]
enum Gap {
    Nothing,
    Blank,
    Line,
}

impl TextSink {
    pub fn new() -> Self {
        Self { text: Vec::new(), depth: 0, gap: Gap::Line }
    }

    /// Writes a symbol, set off from the one before it.
    fn put(&mut self, symbol: &[u8]) {
        match self.gap {
            Gap::Nothing => {}
            Gap::Blank => self.text.push(b' '),
            Gap::Line => {
                self.text.push(b'\n');
                self.text.resize(self.text.len() + self.depth.min(MOST_BLANKS), b' ');
            }
        }
        self.text.extend_from_slice(symbol);
        self.gap = Gap::Nothing;
    }

    fn word(&mut self, word: &[u8]) {
        self.put(word);
        self.gap = Gap::Blank;
    }
}

/// Why a name cannot stand in text.
fn no_word(name: &[u8]) -> String {
    format!("the name `{}` is no single word, as text needs it; rename it, or keep tokens", escape(name))
}

impl SymbolSink for TextSink {
    type Output = Vec<u8>;

    fn template(&mut self, name: &[u8]) -> Result<(), String> {
        self.keyword(name)
    }

    fn name(&mut self, name: &[u8]) -> Result<(), String> {
        match spelled_as(name) {
            None if name.is_empty() => {}
            Some(TokenKind::Word | TokenKind::Numbers) => self.word(name),
            _ => return Err(no_word(name)),
        }
        Ok(())
    }

    fn keyword(&mut self, word: &[u8]) -> Result<(), String> {
        if spelled_as(word) != Some(TokenKind::Word) {
            return Err(no_word(word));
        }
        self.word(word);
        Ok(())
    }

    fn text(&mut self, text: &[u8]) -> Result<(), String> {
        if text.contains(&b'"') {
            let text = escape(text);
            return Err(format!(
                "the string `{text}` holds a quote, which would end it in text; change it, or keep tokens"
            ));
        }
        self.put(&[b"\"", text, b"\""].concat());
        Ok(())
    }

    fn guid(&mut self, guid: Guid) {
        self.put(format!("<{guid}>").as_bytes());
        self.gap = Gap::Line;
    }

    fn reference(&mut self, name: &[u8], guid: Option<Guid>) -> Result<(), String> {
        if name.is_empty() && guid.is_none() {
            return Err(no_word(name));
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
        let spelling = match number {
            Number::Integer(number) => number.to_string().into_bytes(),
            Number::Single(float) => shortest(float.into(), || float.to_string()),
            Number::Double(float) => shortest(float, || float.to_string()),
            Number::Word(word) => word.into_owned(),
        };
        self.put(&spelling);
        Ok(())
    }

    fn between(&mut self) {
        self.put(b",");
        // Elements that are structs have ended with a semicolon and stand on lines of their own.
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

/// The shortest spelling that reads back to the same number, without exponent, for not all readers know it.
fn shortest(float: f64, finite: impl FnOnce() -> String) -> Vec<u8> {
    let mut text = match (float.is_sign_negative(), float.is_nan()) {
        _ if float.is_finite() => finite(),
        (false, true) => "1.#QNAN0".into(),
        (true, true) => "-1.#IND00".into(),
        (false, false) => "1.#INF00".into(),
        (true, false) => "-1.#INF00".into(),
    };
    if float.is_finite() && !text.contains('.') {
        text.push_str(".0");
    }
    text.into_bytes()
}
