//! Writes tokens.

use super::super::rows::{Numbers, Row};
use super::super::symbols::KEYWORDS;
use super::super::template::Member;
use super::super::text::value;
use super::{Number, SymbolWriter, finite};
use crate::Result;
use crate::formats::directx::convert::write;
use crate::formats::directx::{
    Doubles, FloatList, Guid, IntegerList, Objects, Singles, Text, Token, TokenBody, Tokens,
};
use crate::text::TokenText;
use crate::wire::{LenStr, SmallList, escape};

/// Writes tokens. Consecutive numbers of the same kind form one list.
pub struct TokenWriter {
    tokens: Vec<Token>,
    /// The list at the end. Only one of them has numbers.
    integers: Vec<u32>,
    singles: Vec<f32>,
    doubles: Vec<f64>,
    double: bool,
    /// Whether numbers that are not finite become 0.
    is_finite: bool,
    /// Whether the last token is a string, which requires a separator.
    is_text: bool,
}

impl TokenWriter {
    pub const fn new(double: bool) -> Self {
        Self {
            tokens: Vec::new(),
            integers: Vec::new(),
            singles: Vec::new(),
            doubles: Vec::new(),
            double,
            is_finite: false,
            is_text: false,
        }
    }

    /// Returns a writer of floats of 32 bits, for which those that are not finite are 0.
    pub fn finite() -> Self {
        Self { is_finite: true, ..Self::new(false) }
    }

    fn push(&mut self, body: TokenBody) {
        self.end_list();
        self.tokens.push(body.into());
    }

    fn end_list(&mut self) {
        let integers = taken(&mut self.integers).map(|values| TokenBody::IntegerList(IntegerList { values }));
        let singles = taken(&mut self.singles).map(|values| FloatList::Single(Singles { values }));
        let doubles = taken(&mut self.doubles).map(|values| FloatList::Double(Doubles { values }));
        let floats = singles.or(doubles).map(TokenBody::FloatList);
        self.tokens.extend(integers.or(floats).map(Token::from));
    }

    /// Returns the list of integers at the end.
    fn integers(&mut self) -> &mut Vec<u32> {
        if self.integers.is_empty() {
            self.end_list();
        }
        &mut self.integers
    }

    fn singles(&mut self) -> &mut Vec<f32> {
        if self.singles.is_empty() {
            self.end_list();
        }
        &mut self.singles
    }

    fn doubles(&mut self) -> &mut Vec<f64> {
        if self.doubles.is_empty() {
            self.end_list();
        }
        &mut self.doubles
    }

    fn integer(&mut self, number: i64) -> Result<(), String> {
        let word = u32::try_from(number).or_else(|_| i32::try_from(number).map(i32::cast_unsigned));
        let word = word.map_err(|_| format!("{number} is out of range of a 32-bit token"))?;
        self.integers().push(word);
        Ok(())
    }
}

/// Takes a list, unless it is empty. The memory of a short one is used again.
fn taken<T, const N: usize>(list: &mut Vec<T>) -> Option<SmallList<u32, T, N>>
where
    T: Copy + Default,
{
    match list.len() {
        0 => None,
        len if len <= N => SmallList::new(list.drain(..)),
        _ => Some(std::mem::take(list).into()),
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
                self.singles().push(float);
                return Ok(());
            }
            Number::Word(word) if !self.double => {
                let float =
                    fast_float2::parse(&*word).ok().or_else(|| value(&word).map(|float| float as f32));
                let float = float.ok_or_else(|| not_a_number(&word))?;
                self.singles().push(within_range(float, || value(&word))?);
                return Ok(());
            }
            Number::Single(float) => f64::from(float),
            Number::Double(float) => float,
            Number::Word(word) => value(&word).ok_or_else(|| not_a_number(&word))?,
        };
        if self.double {
            self.doubles().push(float);
        } else {
            self.singles().push(within_range(float as f32, || Some(float))?);
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

    fn rows<R: Row>(&mut self, _member: &Member, rows: impl Iterator<Item = R>) -> Result<usize, String> {
        Ok(rows.map(|row| row.write(self)).count())
    }

    fn with_templates(self, text: &str) -> Result<Self> {
        let content = Tokens::Text(TokenText::new(text.as_bytes().to_vec()));
        write(&Objects::of_content(&content)?, self)
    }

    fn finish(mut self) -> Vec<Token> {
        self.end_list();
        self.tokens
    }

    fn content(self) -> Tokens {
        Tokens::Binary(self.finish().into())
    }
}

impl Numbers for TokenWriter {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "of 32 bits; tokens store the two's complement"
    )]
    fn integers(&mut self, numbers: impl Iterator<Item = i64>) {
        self.integers().extend(numbers.map(|number| number as u32));
    }

    fn floats(&mut self, floats: &[f32]) {
        if floats.is_empty() {
            return;
        }
        let is_finite = self.is_finite;
        let floats = floats.iter().map(|own| if is_finite { finite(*own) } else { *own });
        if self.double {
            self.doubles().extend(floats.map(f64::from));
        } else {
            self.singles().extend(floats);
        }
    }
}

/// Returns a float of 32 bits, unless the number that it stands for is finite and it is not.
fn within_range(float: f32, exact: impl FnOnce() -> Option<f64>) -> Result<f32, String> {
    if float.is_infinite()
        && let Some(exact) = exact().filter(|exact| exact.is_finite())
    {
        return Err(format!("{exact:e} does not fit into a float of 32 bits"));
    }
    Ok(float)
}

fn not_a_number(word: &[u8]) -> String {
    format!("expected a number, found `{}`", escape(word))
}
