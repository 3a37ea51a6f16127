//! JSON token by token: nothing is built that the file itself does not need.

use std::borrow::Cow;

use crate::{Error, Kind, Result};

/// A place in a JSON text.
///
/// ```
/// use bindpose::schema::json::Cursor;
/// let mut json = Cursor::new(r#"{"fps": 24}"#);
/// json.expect(b'{')?;
/// assert_eq!(json.key()?, "fps");
/// assert_eq!(json.number()?, "24");
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Starts at the first character.
    #[must_use]
    pub const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Where the next token begins, in bytes.
    pub fn offset(&mut self) -> usize {
        self.skip_blanks();
        self.at
    }

    /// The first byte of the next token; 0 at the end.
    #[inline]
    pub fn peek(&mut self) -> u8 {
        self.skip_blanks();
        self.byte()
    }

    #[inline]
    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while matches!(self.byte(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
    }

    /// Goes over a bracket, comma or colon.
    ///
    /// # Errors
    /// [`Kind::Syntax`] when something else stands here.
    #[inline]
    pub fn expect(&mut self, byte: u8) -> Result<()> {
        if self.takes(byte) { Ok(()) } else { Err(self.wrong(&format!("`{}` is missing", char::from(byte)))) }
    }

    /// Goes over a bracket, comma or colon if it is the next token.
    #[inline]
    pub fn takes(&mut self, byte: u8) -> bool {
        if self.peek() != byte {
            return false;
        }
        self.at += 1;
        true
    }

    /// Whether another element follows in a list or object that `close` ends.
    ///
    /// # Errors
    /// [`Kind::Syntax`] when neither a comma nor the end stands here.
    #[inline]
    pub fn goes_on(&mut self, first: &mut bool, close: u8) -> Result<bool> {
        if std::mem::take(first) {
            return Ok(!self.takes(close));
        }
        if self.takes(b',') {
            return Ok(true);
        }
        self.expect(close).map(|()| false)
    }

    /// The name of a member, and the colon behind it.
    ///
    /// # Errors
    /// [`Kind::Syntax`] when no such thing stands here.
    #[inline]
    pub fn key(&mut self) -> Result<Cow<'a, str>> {
        let key = self.string()?;
        self.expect(b':')?;
        Ok(key)
    }

    /// A string.
    ///
    /// # Errors
    /// [`Kind::Syntax`] when none stands here, or it breaks the rules.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'a, str>> {
        if self.peek() != b'"' {
            return Err(self.wrong("a text is missing"));
        }
        let start = self.at + 1;
        let end = start + plain(&self.text.as_bytes()[start..]);
        self.at = end;
        match self.byte() {
            b'"' => {
                self.at += 1;
                Ok(Cow::Borrowed(&self.text[start..end]))
            }
            _ => self.escaped(self.text[start..end].to_owned()).map(Cow::Owned),
        }
    }

    /// The rest of a string that holds escapes.
    fn escaped(&mut self, mut string: String) -> Result<String> {
        loop {
            match self.byte() {
                b'"' => {
                    self.at += 1;
                    return Ok(string);
                }
                b'\\' => string.push(self.escape()?),
                _ => return Err(self.wrong("a text does not end")),
            }
            let end = self.at + plain(&self.text.as_bytes()[self.at..]);
            string.push_str(&self.text[self.at..end]);
            self.at = end;
        }
    }

    fn escape(&mut self) -> Result<char> {
        self.at += 1;
        let byte = self.byte();
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => byte.into(),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.unit()?;
                let low = (0xd800..0xdc00).contains(&unit) && self.text[self.at..].starts_with("\\u");
                let mut units = vec![unit];
                if low {
                    self.at += 2;
                    units.push(self.unit()?);
                }
                match &char::decode_utf16(units).collect::<Vec<_>>()[..] {
                    [Ok(c)] => *c,
                    _ => return Err(self.wrong("`\\u` is followed by no character")),
                }
            }
            _ => {
                self.at -= 1;
                return Err(self.wrong("a backslash is followed by nothing that JSON knows"));
            }
        })
    }

    fn unit(&mut self) -> Result<u16> {
        let digits = self.text.get(self.at..self.at + 4).filter(|digits| !digits.starts_with('+'));
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let unit = unit.ok_or_else(|| self.wrong("`\\u` takes four hexadecimal digits"))?;
        self.at += 4;
        Ok(unit)
    }

    /// A number as it is spelled.
    ///
    /// # Errors
    /// [`Kind::Syntax`] when none stands here.
    #[inline]
    pub fn number(&mut self) -> Result<&'a str> {
        self.skip_blanks();
        let start = self.at;
        while matches!(self.byte(), b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') {
            self.at += 1;
        }
        if self.at == start { Err(self.wrong("a number is missing")) } else { Ok(&self.text[start..self.at]) }
    }

    /// Goes over a whole value, however deep it is.
    ///
    /// # Errors
    /// [`Kind::Syntax`] when a text or the value does not end.
    pub fn skip(&mut self) -> Result<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                b'"' => _ = self.string()?,
                b'{' | b'[' => {
                    self.at += 1;
                    depth += 1;
                    continue;
                }
                b'}' | b']' if depth > 0 => {
                    self.at += 1;
                    depth -= 1;
                }
                b',' | b':' if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                b'a'..=b'z' | b'0'..=b'9' | b'-' => {
                    while matches!(self.byte(), b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'+' | b'.')
                    {
                        self.at += 1;
                    }
                }
                _ => return Err(self.wrong("a value is missing")),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Goes over `null` if it is the next token.
    pub fn null(&mut self) -> bool {
        let there = self.peek() == b'n' && self.text[self.at..].starts_with("null");
        self.at += if there { 4 } else { 0 };
        there
    }

    /// Whether nothing but white space follows.
    pub fn is_done(&mut self) -> bool {
        self.skip_blanks();
        self.at == self.text.len()
    }

    /// An error at this place.
    #[must_use]
    pub fn wrong(&self, why: &str) -> Error {
        let before = &self.text.as_bytes()[..self.at.min(self.text.len())];
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        Error::new(self.at.min(self.text.len()) as u64, Kind::Syntax(format!("line {line}: {why}")))
    }
}

/// Bytes of a string up to its end or the next escape; control characters cannot be in it.
#[inline]
fn plain(bytes: &[u8]) -> usize {
    let stops = |byte: &u8| *byte == b'"' || *byte == b'\\' || *byte < b' ';
    bytes.iter().position(stops).unwrap_or(bytes.len())
}
