//! Writes text.

use super::super::rows::{Numbers, Row, RowLayout, Separator};
use super::super::template::Member;
use super::super::text::{lexeme_kind, string};
use super::{Number, SymbolWriter, finite};
use crate::Result;
use crate::formats::directx::{Guid, Tokens};
use crate::text::{TokenKind, TokenText, plain_integer, plain_single};
use crate::wire::escape;

/// The maximum indentation. Keeps the size of deeply nested files linear.
const MAX_INDENT: usize = 32;

/// The number of bytes that a number and its separators take at most in a typical text.
const USUAL_SIZE: usize = 10;

/// Writes text formatted like D3DX: one line per member or element, indented by one space per enclosing object.
pub struct TextWriter {
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

    /// Returns the text between two numbers with these separators.
    fn text_of(&self, separators: &[Separator]) -> Vec<u8> {
        let mut out = Self { depth: self.depth, gap: Gap::Nothing, ..Self::new() };
        for separator in separators {
            match separator {
                Separator::Between => out.between(),
                Separator::End(depth) => out.end(*depth),
            }
        }
        out.fill_gap();
        out.text
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

    fn rows<R: Row>(&mut self, member: &Member, rows: impl Iterator<Item = R>) -> Result<usize, String> {
        let mut rows = rows.peekable();
        if rows.peek().is_none() {
            return Ok(0);
        }
        self.fill_gap();
        let mut text = std::mem::take(&mut self.text);
        let is_finite = self.is_finite;
        let mut layout = RowLayout::default();
        let mut num_rows = 0;
        rows.try_for_each(|row| {
            if row.len() != layout.len() {
                layout = RowLayout::of(member, &row, |separators| self.text_of(separators))?;
            }
            row.write(&mut Spelled { text: &mut text, gaps: layout.gaps.iter(), is_finite });
            num_rows += 1;
            Ok::<_, String>(())
        })?;
        if let Some(last) = layout.gaps.last() {
            text.truncate(text.len() - last.len());
            text.extend_from_slice(&layout.end);
        }
        self.text = text;
        Ok(num_rows)
    }

    /// Writes them as they are.
    fn with_templates(mut self, text: &str) -> Result<Self> {
        self.put(text.trim_end().as_bytes());
        self.gap = Gap::Line;
        Ok(self)
    }

    /// Growing a text copies it, which needs memory for both.
    fn reserve(&mut self, num_numbers: usize) {
        self.text.reserve(num_numbers.saturating_mul(USUAL_SIZE));
    }

    fn finish(mut self) -> Vec<u8> {
        self.text.push(b'\n');
        self.text
    }

    fn content(self) -> Tokens {
        Tokens::Text(TokenText::new(self.finish()))
    }
}

/// Writes the numbers of a row, each with the gap after it.
struct Spelled<'w> {
    text: &'w mut Vec<u8>,
    gaps: std::slice::Iter<'w, Vec<u8>>,
    is_finite: bool,
}

impl Spelled<'_> {
    #[inline]
    fn put_gap(&mut self) {
        match self.gaps.next().map_or(&[][..], Vec::as_slice) {
            [byte] => self.text.push(*byte),
            gap => self.text.extend_from_slice(gap),
        }
    }
}

impl Numbers for Spelled<'_> {
    #[inline]
    fn integers(&mut self, numbers: impl Iterator<Item = i64>) {
        for number in numbers {
            plain_integer(number, self.text);
            self.put_gap();
        }
    }

    #[inline]
    fn floats(&mut self, floats: &[f32]) {
        for float in floats {
            plain_single(if self.is_finite { finite(*float) } else { *float }, self.text);
            self.put_gap();
        }
    }
}
