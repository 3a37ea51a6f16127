//! JSON token by token, as it arrives: nothing is built that the file itself does not need.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};

use crate::{Error, ErrorKind, IoError, Result};

/// Bytes of the text that are looked at together; tokens that are longer get more.
const WINDOW: usize = 1 << 16;

/// A place in a JSON text that is read as it goes.
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
    /// What has been read: `window[at..end]` is next.
    window: Vec<u8>,
    at: usize,
    end: usize,
    /// Where the window begins in the text, in bytes and in lines.
    passed: u64,
    lines: usize,
    /// From this place on the text is kept, to come back to it.
    held: Option<u64>,
    is_over: bool,
    /// Why the source ended before the text did.
    failure: Option<IoError>,
}

/// How far it has come.
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

    /// Where the next token begins, in bytes.
    pub fn offset(&mut self) -> u64 {
        self.skip_blanks();
        self.passed + self.at as u64
    }

    /// Reads on; `false` where the text ends. What has been passed is let go, unless it is held.
    #[cold]
    fn more(&mut self) -> bool {
        if self.is_over {
            return false;
        }
        self.let_go();
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

    fn let_go(&mut self) {
        let held = self.held.and_then(|held| usize::try_from(held - self.passed).ok());
        let gone = held.unwrap_or(self.at);
        self.lines += line_ends(&self.window[..gone]);
        self.window.copy_within(gone..self.end, 0);
        self.passed += gone as u64;
        self.at -= gone;
        self.end -= gone;
    }

    /// What follows, without passing it: so many bytes, where the text has them.
    #[inline]
    pub(super) fn ahead(&mut self, bytes: usize) -> &[u8] {
        while self.end - self.at < bytes && self.more() {}
        &self.window[self.at..self.end]
    }

    /// Passes bytes that [`ahead`](Self::ahead) showed.
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

    /// Looks at what follows and comes back.
    pub(super) fn peek_at<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let start = self.offset();
        let held = self.held;
        self.held = held.or(Some(start));
        let seen = look(self);
        self.resume(start);
        self.held = held;
        seen
    }

    /// The first byte of the next token; 0 at the end.
    #[inline]
    pub fn peek(&mut self) -> u8 {
        self.skip_blanks();
        self.byte()
    }

    /// The byte that stands here.
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

    /// Goes over a bracket, comma or colon.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] when something else stands here.
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
    /// [`ErrorKind::Syntax`] when neither a comma nor the end stands here.
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
    /// [`ErrorKind::Syntax`] when no such thing stands here.
    pub fn key(&mut self) -> Result<String> {
        let key = self.string()?.into_owned();
        self.expect(b':')?;
        Ok(key)
    }

    /// A string.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] when none stands here, or it breaks the rules.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'_, str>> {
        if self.peek() != b'"' {
            return Err(self.wrong("a text is missing"));
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

    /// Goes over a text if it is exactly this.
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

    /// Bytes from here on of which this is true; they are in the window.
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
        std::str::from_utf8(&self.window[start..start + len]).map_err(|_| self.wrong("a text is no UTF-8"))
    }

    /// A string that holds escapes, the first of them behind so many bytes.
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
                _ => return Err(self.wrong("a text does not end")),
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
            _ => return Err(self.wrong("a backslash is followed by nothing that JSON knows")),
        };
        self.at += 1;
        Ok(c)
    }

    /// The character that one `\uNNNN` or a pair of them stands for.
    fn unit_or_two(&mut self) -> Result<char> {
        let mut units = vec![self.unit()?];
        if (0xd800..0xdc00).contains(&units[0]) && self.ahead(2).starts_with(b"\\u") {
            self.at += 1;
            units.push(self.unit()?);
        }
        match &char::decode_utf16(units).collect::<Vec<_>>()[..] {
            [Ok(c)] => Ok(*c),
            _ => Err(self.wrong("`\\u` is followed by no character")),
        }
    }

    /// The number behind a `u`.
    fn unit(&mut self) -> Result<u16> {
        let digits = self.ahead(5).get(1..5).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        self.at += unit.map_or(1, |_| 5);
        unit.ok_or_else(|| self.wrong("`\\u` takes four hexadecimal digits"))
    }

    /// A number as it is spelled.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] when none stands here.
    #[inline]
    pub fn number(&mut self) -> Result<&str> {
        self.skip_blanks();
        let len = self.run(is_of_number);
        if len == 0 {
            return Err(self.wrong("a number is missing"));
        }
        let start = self.at;
        self.at += len;
        self.utf8(start, len)
    }

    /// Goes over a whole value, however deep it is.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] when a text or the value does not end.
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
                _ => return Err(self.wrong("a value is missing")),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Goes over `null` if it is the next token.
    pub fn null(&mut self) -> bool {
        let there = self.peek() == b'n' && self.ahead(4).starts_with(b"null");
        self.at += if there { 4 } else { 0 };
        there
    }

    /// Reads `true` or `false`.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] when neither is the next token.
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

    /// Whether nothing but white space follows.
    pub fn is_done(&mut self) -> bool {
        self.skip_blanks();
        self.at == self.end && self.failure.is_none()
    }

    /// An error at this place.
    #[must_use]
    pub fn wrong(&self, why: &str) -> Error {
        self.wrong_at(self.passed + self.at as u64, why)
    }

    /// An error at a place not long ago.
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

/// Whether a string goes on with this byte as it is; control characters cannot be in it.
const fn is_plain(byte: u8) -> bool {
    !matches!(byte, b'"' | b'\\' | 0..b' ')
}

const fn is_of_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}
