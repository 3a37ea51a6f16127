//! Reads JSON token by token from a stream.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};

use crate::{Error, ErrorKind, IoError, Result};

/// The size of the window in bytes; it grows for longer tokens.
const WINDOW: usize = 1 << 16;

/// A position in a JSON text, which is read from a stream.
///
/// ```
/// use bindpose::json::Cursor;
/// let mut text = &br#"{"fps": 24}"#[..];
/// let mut json = Cursor::new(&mut text);
/// json.expect(b'{')?;
/// assert_eq!(json.key()?, "fps");
/// assert_eq!(json.number()?, "24");
/// # Ok::<(), bindpose::Error>(())
/// ```
pub struct Cursor<'a> {
    source: &'a mut dyn Read,
    /// The window: `window[at..end]` is next.
    window: Vec<u8>,
    at: usize,
    end: usize,
    /// The start of the window in the text, in bytes and in lines.
    passed: u64,
    lines: usize,
    /// The text is retained from this offset on, to return to it.
    held: Option<u64>,
    is_over: bool,
    /// Why the source failed.
    failure: Option<IoError>,
}

/// The position in bytes and lines.
impl fmt::Debug for Cursor<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, at, lines, .. } = self;
        out.debug_struct("Cursor")
            .field("at", &(passed + *at as u64))
            .field("lines", lines)
            .finish_non_exhaustive()
    }
}

impl<'a> Cursor<'a> {
    /// Starts at the first character.
    #[must_use]
    pub const fn new(source: &'a mut dyn Read) -> Self {
        let window = Vec::new();
        Self { source, window, at: 0, end: 0, passed: 0, lines: 0, held: None, is_over: false, failure: None }
    }

    /// Returns the offset of the next token in bytes.
    pub fn offset(&mut self) -> u64 {
        self.skip_blanks();
        self.passed + self.at as u64
    }

    /// Reads more of the text, and drops what has been read unless it is retained; returns `false` at the end.
    #[cold]
    fn more(&mut self) -> bool {
        if self.is_over {
            return false;
        }
        self.discard_read();
        if self.end == self.window.len() {
            self.window.resize((2 * self.window.len()).max(WINDOW), 0);
        }
        loop {
            match self.source.read(&mut self.window[self.end..]) {
                Ok(0) => break,
                Ok(read) => {
                    self.end += read;
                    return true;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failure = Some(error.into());
                    break;
                }
            }
        }
        self.is_over = true;
        false
    }

    fn discard_read(&mut self) {
        let held = self.held.and_then(|held| usize::try_from(held - self.passed).ok());
        let gone = held.unwrap_or(self.at);
        self.lines += line_ends(&self.window[..gone]);
        self.window.copy_within(gone..self.end, 0);
        self.passed += gone as u64;
        self.at -= gone;
        self.end -= gone;
    }

    /// Returns the next bytes without consuming them; fewer at the end of the text.
    #[inline]
    pub(super) fn ahead(&mut self, bytes: usize) -> &[u8] {
        while self.end - self.at < bytes && self.more() {}
        &self.window[self.at..self.end]
    }

    /// Consumes bytes that [`ahead`](Self::ahead) returned.
    #[inline]
    pub(super) fn pass(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Skips the next value and returns its offset, from which it can be read [later](Self::resume).
    ///
    /// # Errors
    /// When the next token does not begin a value.
    pub fn postpone(&mut self) -> Result<u64> {
        let start = self.offset();
        self.held = Some(start);
        self.skip()?;
        Ok(start)
    }

    /// Returns to a postponed value.
    pub fn resume(&mut self, start: u64) {
        self.at = usize::try_from(start - self.passed).unwrap_or(self.at);
        self.held = None;
    }

    /// Calls a function and restores the position.
    pub(super) fn peek_at<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let start = self.offset();
        let held = self.held;
        self.held = held.or(Some(start));
        let seen = look(self);
        self.resume(start);
        self.held = held;
        seen
    }

    /// Returns the first byte of the next token; 0 at the end.
    #[inline]
    pub fn peek(&mut self) -> u8 {
        self.skip_blanks();
        self.byte()
    }

    /// Returns the next byte.
    #[inline]
    fn byte(&mut self) -> u8 {
        if self.at == self.end && !self.more() {
            return 0;
        }
        self.window[self.at]
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while is_blank(self.byte()) {
            self.at += 1;
        }
    }

    /// Consumes a bracket, comma or colon.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] if the next token is another one.
    #[inline]
    pub fn expect(&mut self, byte: u8) -> Result<()> {
        if self.takes(byte) { Ok(()) } else { Err(self.wrong(&format!("expected `{}`", char::from(byte)))) }
    }

    /// Consumes a bracket, comma or colon if it is the next token.
    #[inline]
    pub fn takes(&mut self, byte: u8) -> bool {
        if self.peek() != byte {
            return false;
        }
        self.at += 1;
        true
    }

    /// Returns whether another element follows in a list or object that `close` ends.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] if neither a comma nor the end follows.
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

    /// Reads the name of a member and the colon after it.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] if the next token is not a name and a colon.
    pub fn key(&mut self) -> Result<String> {
        let key = self.string()?.into_owned();
        self.expect(b':')?;
        Ok(key)
    }

    /// Reads a string.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] if the next token is not a valid string.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'_, str>> {
        if self.peek() != b'"' {
            return Err(self.wrong("expected a string"));
        }
        self.at += 1;
        let len = self.run(is_plain);
        if self.window[self.at..self.end].get(len) != Some(&b'"') {
            return self.escaped(len).map(Cow::Owned);
        }
        let start = self.at;
        self.at += len + 1;
        self.utf8(start, len).map(Cow::Borrowed)
    }

    /// Consumes a string if it equals `text`.
    #[inline]
    pub(super) fn takes_string(&mut self, text: &str) -> bool {
        self.skip_blanks();
        let same = match self.ahead(text.len() + 2) {
            [b'"', inner @ ..] => inner.starts_with(text.as_bytes()) && inner.get(text.len()) == Some(&b'"'),
            _ => false,
        };
        self.at += if same { text.len() + 2 } else { 0 };
        same
    }

    /// Returns the number of bytes from here on for which a condition holds, and reads them into the window.
    #[inline]
    fn run(&mut self, goes_on: impl Fn(u8) -> bool) -> usize {
        let mut len = 0;
        loop {
            let there = &self.window[self.at + len..self.end];
            match there.iter().position(|byte| !goes_on(*byte)) {
                Some(more) => return len + more,
                None => len += there.len(),
            }
            if !self.more() {
                return len;
            }
        }
    }

    fn utf8(&self, start: usize, len: usize) -> Result<&str> {
        std::str::from_utf8(&self.window[start..start + len])
            .map_err(|_| self.wrong("a string is not valid UTF-8"))
    }

    /// Reads a string with escapes, the first one after `plain` bytes.
    fn escaped(&mut self, mut len: usize) -> Result<String> {
        let mut string = String::new();
        loop {
            string.push_str(self.utf8(self.at, len)?);
            self.at += len;
            match self.byte() {
                b'"' => {
                    self.at += 1;
                    return Ok(string);
                }
                b'\\' => string.push(self.escape()?),
                _ => return Err(self.wrong("unterminated string")),
            }
            len = self.run(is_plain);
        }
    }

    fn escape(&mut self) -> Result<char> {
        self.at += 1;
        let byte = self.byte();
        let c = match byte {
            b'"' | b'\\' | b'/' => byte.into(),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unit_or_two(),
            _ => return Err(self.wrong("invalid escape after a backslash")),
        };
        self.at += 1;
        Ok(c)
    }

    /// Reads the character of one `\uNNNN` or of a surrogate pair.
    fn unit_or_two(&mut self) -> Result<char> {
        let mut units = vec![self.unit()?];
        if (0xd800..0xdc00).contains(&units[0]) && self.ahead(2).starts_with(b"\\u") {
            self.at += 1;
            units.push(self.unit()?);
        }
        match &char::decode_utf16(units).collect::<Vec<_>>()[..] {
            [Ok(c)] => Ok(*c),
            _ => Err(self.wrong("invalid surrogate pair after `\\u`")),
        }
    }

    /// Reads the number after a `u`.
    fn unit(&mut self) -> Result<u16> {
        let digits = self.ahead(5).get(1..5).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        self.at += unit.map_or(1, |_| 5);
        unit.ok_or_else(|| self.wrong("`\\u` must be followed by four hexadecimal digits"))
    }

    /// Reads a number as text.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] if the next token is not a number.
    #[inline]
    pub fn number(&mut self) -> Result<&str> {
        self.skip_blanks();
        let len = self.run(is_of_number);
        if len == 0 {
            return Err(self.wrong("expected a number"));
        }
        let start = self.at;
        self.at += len;
        self.utf8(start, len)
    }

    /// Skips a value of any depth.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] if a string or the value is not terminated.
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
                    self.at += self.run(|byte| byte.is_ascii_alphabetic() || is_of_number(byte));
                }
                _ => return Err(self.wrong("expected a value")),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Consumes `null` if it is the next token.
    pub fn null(&mut self) -> bool {
        let there = self.peek() == b'n' && self.ahead(4).starts_with(b"null");
        self.at += if there { 4 } else { 0 };
        there
    }

    /// Reads `true` or `false`.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] if the next token is neither.
    pub fn boolean(&mut self) -> Result<bool> {
        let _ = self.peek();
        for (text, value) in [("true", true), ("false", false)] {
            if self.ahead(text.len()).starts_with(text.as_bytes()) {
                self.at += text.len();
                return Ok(value);
            }
        }
        Err(self.wrong("expected true or false"))
    }

    /// Returns whether only white space follows.
    pub fn is_done(&mut self) -> bool {
        self.skip_blanks();
        self.at == self.end && self.failure.is_none()
    }

    /// Returns an error at this position.
    #[must_use]
    pub fn wrong(&self, why: &str) -> Error {
        self.wrong_at(self.passed + self.at as u64, why)
    }

    /// Returns an error at an earlier position in the window.
    #[must_use]
    pub fn wrong_at(&self, offset: u64, why: &str) -> Error {
        if let Some(why) = &self.failure {
            return Error::new(offset, ErrorKind::Io(why.clone()));
        }
        let in_window = usize::try_from(offset.saturating_sub(self.passed)).unwrap_or(self.at);
        let line = 1 + self.lines + line_ends(&self.window[..in_window.min(self.at)]);
        Error::new(offset, ErrorKind::Syntax(format!("line {line}: {why}")))
    }
}

fn line_ends(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}

#[inline]
pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Returns whether a byte is a plain part of a string: no quote, escape or control character.
const fn is_plain(byte: u8) -> bool {
    !matches!(byte, b'"' | b'\\' | 0..b' ')
}

const fn is_of_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}
