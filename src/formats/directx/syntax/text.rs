//! The lexer of the text encoding.

use crate::schema::{Length, Shape};
use crate::text::{Grammar, TokenKind, special_float};
use crate::work;

/// The text of a `.x` file.
///
/// White space is NUL, tab, LF, VT, FF, CR and space. A comment extends from `//` or `#` to the end of the line and can
/// begin only where a token can. `{ } [ ] ( ) < > , ;` are marks, `"..."` is a string without escapes, and `<...>` with
/// hexadecimal digits is a GUID. Everything else is a word: a name, keyword or number. Names are bytes; unless they are
/// valid UTF-8, the second byte of a Shift-JIS pair is not a mark. Consecutive numbers form one run, including the
/// separators and white space between them. `nan`, `inf` and the like are numbers if a separator follows.
#[derive(Clone, Debug, PartialEq)]
pub struct XText;

/// The class of a byte at the beginning of a token.
#[derive(Clone, Copy, PartialEq)]
enum Byte {
    Blank,
    Separator,
    Mark,
    Quote,
    Word,
}

const CLASSES: [Byte; 256] = {
    let mut classes = [Byte::Word; 256];
    let mut byte = u8::MAX;
    while byte > 0 {
        byte -= 1;
        classes[byte as usize] = match byte {
            0 | b'\t'..=b'\r' | b' ' => Byte::Blank,
            b';' | b',' => Byte::Separator,
            b'{' | b'}' | b'[' | b']' | b'(' | b')' | b'<' | b'>' => Byte::Mark,
            b'"' => Byte::Quote,
            _ => Byte::Word,
        };
    }
    classes
};

fn class(byte: u8) -> Byte {
    CLASSES[usize::from(byte)]
}

/// The maximum length of a GUID with its angle brackets: 38 bytes plus tolerated white space.
const LONGEST_GUID: usize = 80;

impl Grammar for XText {
    type Kind = TokenKind;
    type State = ();

    fn token(text: &[u8], at: usize, (): &mut ()) -> Result<(TokenKind, usize), String> {
        let rest = &text[at..];
        let (kind, end) = match class(rest[0]) {
            Byte::Blank => (TokenKind::Blank, at + run_of(rest, |byte| class(byte) == Byte::Blank)),
            Byte::Mark if rest[0] == b'<' => match guid(rest) {
                Some(len) => (TokenKind::Quoted, at + len),
                None => (TokenKind::Mark, at + 1),
            },
            Byte::Mark | Byte::Separator => (TokenKind::Mark, at + 1),
            Byte::Quote => {
                let (kind, len) = string(rest);
                (kind, at + len)
            }
            Byte::Word if is_comment(rest) => (TokenKind::Comment, at + comment(rest)),
            Byte::Word => {
                let len = word(rest);
                if is_numeric(rest, len) {
                    (TokenKind::Numbers, at + len + numbers(&rest[len..]))
                } else {
                    (TokenKind::Word, at + len)
                }
            }
        };
        work::done(end - at);
        Ok((kind, end))
    }

    #[inline]
    fn number(run: &[u8], at: usize) -> (usize, usize) {
        // Numbers are ASCII, so that a byte is a character.
        let len = run_of(&run[at..], |byte| class(byte) == Byte::Word);
        let end = at + with_payload(&run[at..], len);
        let gap = run_of(&run[end..], |byte| class(byte) != Byte::Word);
        (end, end + gap)
    }

    fn is_number(spelling: &[u8]) -> bool {
        value(spelling).is_some()
    }

    fn shape() -> Shape {
        Shape::Written { name: "x_text", body: KSY, imhex: "", of: Box::new(Shape::Bytes(Length::ToEnd)) }
    }
}

const KSY: &str = "\
    -leaf: true
    doc: |
      Text. White space is NUL, tab, LF, VT, FF, CR and space. A comment extends from `//` or `#` to the end of the line and
      can begin only where a token can. Marks: braces, brackets, parentheses, angle brackets, comma, semicolon. Strings are
      enclosed in double quotes and have no escapes. GUIDs are enclosed in angle brackets. Keywords and template names are
      case-insensitive.

        file        = { template | object | reference }
        template    = 'template' name '{' [ guid ] { member ';' } [ '[' restriction ']' ] '}'
        member      = [ 'array' ] type name { '[' ( integer | earlier member ) ']' }
        restriction = '...' | name [ guid ] { ',' name [ guid ] }
        object      = template-name [ name ] '{' [ guid ] { value separator } { object | reference } '}'
        reference   = '{' name [ guid ] '}' | '{' guid '}'
        separator   = ';' { ';' } [ ',' ] | ','

      A template without restriction allows no children. Members of a template type are stored inline, without braces.
    seq:
      - id: text
        size-eos: true
";

/// Returns the end of the white space and comments at a position.
pub(in crate::formats::directx) fn skip_trivia(text: &[u8], at: usize) -> usize {
    skip(text, at, |byte| byte == Byte::Blank)
}

/// Returns the end of the white space, comments and separators at a position.
#[inline]
pub(in crate::formats::directx) fn skip_separators(text: &[u8], at: usize) -> usize {
    skip(text, at, |byte| matches!(byte, Byte::Blank | Byte::Separator))
}

#[inline]
fn skip(text: &[u8], mut at: usize, is_skipped: impl Fn(Byte) -> bool) -> usize {
    while let Some(byte) = text.get(at) {
        match byte {
            byte if is_skipped(class(*byte)) => at += 1,
            b'#' | b'/' if is_comment(&text[at..]) => at += comment(&text[at..]),
            _ => break,
        }
    }
    at
}

/// Returns the length of a comment.
fn comment(rest: &[u8]) -> usize {
    memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())
}

/// Returns whether a byte can be part of a word.
pub(in crate::formats::directx) fn is_word(byte: u8) -> bool {
    class(byte) == Byte::Word
}

fn run_of(bytes: &[u8], is_in: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !is_in(*byte)).unwrap_or(bytes.len())
}

fn is_comment(rest: &[u8]) -> bool {
    rest[0] == b'#' || rest.starts_with(b"//")
}

/// Returns the kind and the length of a string. A line that ends with a separator or brace ends a string, too: the quote
/// before them is missing.
pub(in crate::formats::directx) fn string(rest: &[u8]) -> (TokenKind, usize) {
    let closing = memchr::memchr(b'"', &rest[1..]).map(|len| len + 1);
    let line_of = |bytes: &[u8]| memchr::memchr2(b'\n', b'\r', bytes);
    let line = line_of(&rest[..closing.unwrap_or(rest.len())]);
    let before = |end: usize| {
        let is_after =
            |byte: &u8| matches!(byte, b'{' | b'}') || matches!(class(*byte), Byte::Blank | Byte::Separator);
        rest[..end].iter().rposition(|byte| !is_after(byte)).map_or(1, |last| last + 1)
    };
    let is_mark = |end: usize| rest[..end].trim_ascii_end().last().is_some_and(|last| b";,{}".contains(last));
    match (closing, line) {
        (Some(_), Some(line)) if is_mark(line) => (TokenKind::Unclosed, before(line)),
        (Some(closing), _) => (TokenKind::Quoted, closing + 1),
        (None, line) => (TokenKind::Unclosed, before(line.unwrap_or(rest.len()))),
    }
}

/// Returns the length of a GUID with its angle brackets, if one starts here.
fn guid(rest: &[u8]) -> Option<usize> {
    let inner = rest.get(1..LONGEST_GUID.min(rest.len()))?;
    let len = run_of(inner, |byte| byte.is_ascii_hexdigit() || byte == b'-' || class(byte) == Byte::Blank);
    (inner.get(len) == Some(&b'>')).then_some(len + 2)
}

/// Returns the length of a word.
pub(in crate::formats::directx) fn word(rest: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&byte) = rest.get(at) {
        if class(byte) != Byte::Word {
            break;
        }
        at += if byte.is_ascii() { 1 } else { letter(&rest[at..]) };
    }
    with_payload(rest, at)
}

/// Returns the length of a word at the beginning with the parenthesis after it.
#[inline]
pub(in crate::formats::directx) fn with_payload(rest: &[u8], word: usize) -> usize {
    if rest.get(word) == Some(&b'(') { word + payload(rest, word) } else { word }
}

/// Returns the length of the parenthesis after a word at the beginning that is a NaN, as in `-nan(ind)`.
#[cold]
fn payload(rest: &[u8], word: usize) -> usize {
    let len = 1 + run_of(&rest[word + 1..], |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_nan = rest.get(word + len) == Some(&b')') && special_float(&rest[..=word + len]).is_some();
    if is_nan { len + 1 } else { 0 }
}

/// Returns the length of a non-ASCII character: of valid UTF-8, else of a Shift-JIS pair, else one byte.
///
/// The second byte of a pair can have the value of a brace or bracket. Lead bytes from 0xE0 on are also letters of
/// Western code pages, so only smaller ones are treated as Shift-JIS.
fn letter(rest: &[u8]) -> usize {
    let utf8 = (2..=4).find(|&len| rest.get(..len).is_some_and(|bytes| std::str::from_utf8(bytes).is_ok()));
    match (utf8, rest) {
        (Some(len), _) => len,
        (None, [0x81..=0x9f, 0x40..=0x7e | 0x80..=0xfc, ..]) => 2,
        _ => 1,
    }
}

/// Returns the kind of a text that is a single token.
pub(in crate::formats::directx) fn lexeme_kind(text: &[u8]) -> Option<TokenKind> {
    let (lexis, end) = (!text.is_empty()).then(|| XText::token(text, 0, &mut ()).ok())??;
    (end == text.len()).then_some(lexis)
}

/// Returns whether the word of this length at the beginning is a number: digits with sign, dot and exponent, or `1.#QNAN` and
/// the like. The others that are not finite, such as `nan`, can be names unless a separator follows.
fn is_numeric(rest: &[u8], len: usize) -> bool {
    let word = &rest[..len];
    let sign = usize::from(matches!(word[0], b'-' | b'+'));
    match word.get(sign) {
        Some(b'0'..=b'9') => {}
        Some(b'.') if word.get(sign + 1).is_some_and(u8::is_ascii_digit) => {}
        Some(b'n' | b'N' | b'i' | b'I') => {
            let next = rest[len..].iter().find(|byte| class(**byte) != Byte::Blank);
            return next.is_some_and(|byte| class(*byte) == Byte::Separator) && special_float(word).is_some();
        }
        _ => return false,
    }
    word.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.')) || value(word).is_some()
}

/// Returns the value of a number. An exponent without digits is ignored, as the C library does.
pub(in crate::formats::directx) fn value(spelling: &[u8]) -> Option<f64> {
    let finite = match spelling {
        [_, .., b'0'..=b'9' | b'.'] | [b'0'..=b'9'] => fast_float2::parse(spelling).ok(),
        [mantissa @ .., b'e' | b'E'] | [mantissa @ .., b'e' | b'E', b'+' | b'-']
            if mantissa.iter().any(u8::is_ascii_digit) =>
        {
            fast_float2::parse(mantissa).ok()
        }
        _ => None,
    };
    finite.or_else(|| special_float(spelling).map(f64::from))
}

/// Returns the length of a run of numbers after its first.
fn numbers(rest: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += plain(&rest[at..]);
        let Some(&byte) = rest.get(at) else { return at };
        let start = at - rest[..at].iter().rev().take_while(|byte| class(**byte) == Byte::Word).count();
        if class(byte) != Byte::Word {
            return at;
        }
        let len = word(&rest[start..]);
        if is_comment(&rest[start..]) || !is_numeric(&rest[start..], len) {
            return start;
        }
        at = start + len;
    }
}

/// Returns the number of leading digits, signs, dots, separators and white space.
fn plain(bytes: &[u8]) -> usize {
    let (blocks, _) = bytes.as_chunks::<64>();
    let whole = 64 * blocks.iter().take_while(|block| all_plain(block)).count();
    whole + run_of(&bytes[whole..], |byte| is_plain(byte) == 1)
}

fn all_plain(block: &[u8; 64]) -> bool {
    // The compiler vectorises a sum, but not a loop with early exit.
    block.iter().map(|byte| is_plain(*byte)).sum::<u8>() == 64
}

/// Returns 1 for `+ , - .`, digits, `;` and white space, else 0. Branchless, so that it can be vectorised.
fn is_plain(byte: u8) -> u8 {
    let between = |first: u8, last: u8| u8::from(byte.wrapping_sub(first) <= last - first);
    let none = u8::from(byte == b'/') | u8::from(byte == b':');
    (between(b'+', b';') & !none) | between(b'\t', b'\r') | u8::from(byte == b' ') | u8::from(byte == 0)
}
