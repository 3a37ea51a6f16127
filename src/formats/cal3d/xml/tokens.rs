//! How an XML form is split into tokens.
//!
//! Accepts what TinyXML accepts and changes nothing: names and texts in any code page, references in their raw form.

use super::element::is_wrapper;
use super::form::AttributeKind;
use super::{NAMES, form, number};
use crate::schema::{EditError, Length, Shape};
use crate::text::{Grammar, Syntax, Token, TokenClass};

/// What a token of an XML form is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Markup {
    /// The beginning of an element: `<BONE`.
    Open,
    /// The name of an attribute, with everything from the value before it to its own: `" ID="`.
    Attribute,
    /// A word, or a whole text, in an attribute with double or single quotes.
    Value {
        /// The quotes around it.
        quote: u8,
        /// Whether it is a whole text.
        is_text: bool,
    },
    /// A value that the rest of the file depends on: a count, the magic.
    Governing,
    /// A word, or a whole text, between elements.
    Text {
        /// Whether it is a whole text.
        is_text: bool,
    },
    /// The end of an element: `/>` or `</BONE>`.
    Close,
    /// White space, comments, declarations, and what ends a tag or attribute.
    Trivia,
}

impl TokenClass for Markup {
    fn name(self) -> &'static str {
        match self {
            Self::Open => "xml element",
            Self::Attribute => "xml attribute",
            Self::Value { .. } | Self::Governing => "xml value",
            Self::Text { .. } => "xml text",
            Self::Close => "xml end",
            Self::Trivia => "xml trivia",
        }
    }

    fn is_trivia(self) -> bool {
        self == Self::Trivia
    }

    fn depth_after(self, _: &[u8], depth: usize) -> usize {
        match self {
            Self::Open => depth + 1,
            Self::Close => depth.saturating_sub(1),
            _ => depth,
        }
    }

    fn accepts(self, old: &[u8], new: &[u8]) -> Result<(), EditError> {
        match self {
            Self::Value { quote, .. } if new.contains(&quote) => {
                Err(format!("cannot contain the quotes that end it; write {}", reference(quote)).into())
            }
            // A name or a path can consist of digits.
            Self::Value { is_text: true, .. } | Self::Text { is_text: true } => is_text(new),
            Self::Value { .. } | Self::Text { .. } => is_text(new).and_then(|()| is_alike(old, new)),
            Self::Governing => {
                Err("the rest of the file depends on it; setting it alone would break the file".into())
            }
            Self::Open | Self::Attribute | Self::Close | Self::Trivia => {
                Err("is markup; only values can be set".into())
            }
        }
    }
}

fn reference(quote: u8) -> &'static str {
    if quote == b'"' { "&quot;" } else { "&apos;" }
}

/// Whether a raw text is valid between markup.
fn is_text(text: &[u8]) -> Result<(), EditError> {
    if text.contains(&b'<') {
        return Err("cannot contain a `<`; write &lt;".into());
    }
    let bare = |(at, byte): (usize, &u8)| {
        let name = &text[at + 1..];
        let len = run_of(name, |byte| byte.is_ascii_alphanumeric() || byte == b'#');
        *byte == b'&' && (len == 0 || name.get(len) != Some(&b';'))
    };
    if text.iter().enumerate().any(bare) {
        return Err("cannot contain a bare `&`; write &amp;".into());
    }
    Ok(())
}

/// A number can only be replaced by a number.
fn is_alike(old: &[u8], new: &[u8]) -> Result<(), EditError> {
    if number(old).is_some() && number(new).is_none() {
        return Err(format!("`{}` is not a number", new.escape_ascii()).into());
    }
    Ok(())
}

/// The text of an XML form.
#[derive(Clone, Debug, PartialEq)]
pub struct XmlText;

/// The context of a token.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Within {
    part: Part,
    /// Whether the content of the element that was opened last is one text.
    holds_text: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Part {
    /// Tags and everything between them.
    #[default]
    Content,
    /// A tag, after its name or after a value whose closing quote follows.
    Tag { value: bool },
    /// The value of an attribute.
    Value { kind: AttributeKind, quote: u8, begun: bool },
}

/// The byte order mark of UTF-8, which a text may begin with.
pub(super) use crate::MARK as BOM;

impl Grammar for XmlText {
    type Kind = Markup;
    type State = Within;

    // Called for each token, by loops that are short otherwise.
    #[expect(clippy::inline_always)]
    #[inline(always)]
    fn token(text: &[u8], at: usize, state: &mut Within) -> Result<(Markup, usize), String> {
        let rest = &text[at..];
        let (kind, len) = match state.part {
            Part::Content if rest[0] == b'<' => markup(rest, state)?,
            Part::Content if at == 0 && rest.starts_with(BOM) => (Markup::Trivia, BOM.len()),
            Part::Content if state.holds_text => text_or_blank(rest),
            Part::Content => word_or_blank(rest, Markup::Text { is_text: false }, b'<'),
            Part::Tag { value } => tag(rest, value.into(), state)?,
            Part::Value { quote, begun: true, .. } if rest[0] == quote => tag(rest, 1, state)?,
            Part::Value { kind: kind @ AttributeKind { governs, is_text }, quote, .. } => {
                state.part = Part::Value { kind, quote, begun: true };
                let value = if governs { Markup::Governing } else { Markup::Value { quote, is_text } };
                if is_text {
                    (value, run_of(rest, |byte| byte != quote))
                } else {
                    word_or_blank(rest, value, quote)
                }
            }
        };
        Ok((kind, at + len))
    }

    fn shape() -> Shape {
        Shape::Bytes(Length::ToEnd)
    }
}

fn run_of(bytes: &[u8], is_in: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !is_in(*byte)).unwrap_or(bytes.len())
}

fn blanks(bytes: &[u8]) -> usize {
    run_of(bytes, |byte| byte.is_ascii_whitespace())
}

/// The length of white space, which is usually one blank, or a line end and an indentation.
fn space(rest: &[u8]) -> usize {
    let further = &rest[1..];
    if further.first().is_some_and(|byte| !byte.is_ascii_whitespace()) {
        return 1;
    }
    let indent = further.as_chunks().0.iter().take_while(|eight| *eight == b"        ").count() * 8;
    1 + indent + blanks(&further[indent..])
}

/// The length of a word, which ends at white space or at a byte.
fn word(rest: &[u8], end: u8) -> usize {
    /// One in each byte.
    const EACH: u64 = u64::MAX / 0xff;
    let mut len = 0;
    while let Some(eight) = rest[len..].first_chunk() {
        let eight = u64::from_le_bytes(*eight);
        let others = eight ^ (EACH * u64::from(end));
        // The first byte with its highest bit set is a control character, a space, or the end.
        let stops = eight.wrapping_sub(EACH * 0x21) & !eight | others.wrapping_sub(EACH) & !others;
        let stops = stops & (EACH << 7);
        len += stops.trailing_zeros() as usize / 8;
        if stops != 0 {
            break;
        }
    }
    len + run_of(&rest[len..], |byte| byte != end && !byte.is_ascii_whitespace())
}

/// A word, which ends at white space or at a byte, or the white space before one.
fn word_or_blank(rest: &[u8], kind: Markup, end: u8) -> (Markup, usize) {
    if rest[0].is_ascii_whitespace() { (Markup::Trivia, space(rest)) } else { (kind, word(rest, end)) }
}

/// The text up to the next markup, or the white space around it.
fn text_or_blank(rest: &[u8]) -> (Markup, usize) {
    if rest[0].is_ascii_whitespace() {
        return (Markup::Trivia, space(rest));
    }
    let text = &rest[..memchr::memchr(b'<', rest).unwrap_or(rest.len())];
    (Markup::Text { is_text: true }, text.trim_ascii_end().len())
}

/// The token that starts with `<`.
fn markup(rest: &[u8], state: &mut Within) -> Result<(Markup, usize), String> {
    Ok(match rest {
        [_, b'/', ..] => {
            state.holds_text = false;
            (Markup::Close, through(rest, 2, ">", "a tag")?)
        }
        [_, b'?' | b'!', ..] => (Markup::Trivia, declaration(rest)?),
        _ => {
            let word = &rest[1..word(rest, b'>')];
            let is_whole = rest.get(1 + word.len()) == Some(&b'>');
            let name = word.strip_suffix(b"/").filter(|_| is_whole).unwrap_or(word);
            if name.is_empty() {
                return Err("a tag has no name".into());
            }
            *state = Within { part: Part::Tag { value: false }, holds_text: NAMES.is_text_element(name) };
            (Markup::Open, 1 + name.len())
        }
    })
}

/// The length up to and including an end mark, which is searched for from a byte on.
#[inline]
fn through(rest: &[u8], from: usize, end: &str, what: &str) -> Result<usize, String> {
    let found = match end.as_bytes() {
        [byte] => memchr::memchr(*byte, &rest[from..]),
        end => memchr::memmem::find(&rest[from..], end),
    };
    found.map(|len| from + len + end.len()).ok_or_else(|| missing(end, what))
}

#[cold]
fn missing(end: &str, what: &str) -> String {
    format!("the `{end}` that ends {what} is missing")
}

/// The length of the token that starts with `<?` or `<!`.
#[cold]
fn declaration(rest: &[u8]) -> Result<usize, String> {
    const DOCTYPE: &[u8] = b"<!DOCTYPE";
    if rest.starts_with(b"<?") {
        through(rest, 2, "?>", "a declaration")
    } else if rest.starts_with(b"<!--") {
        through(rest, 4, "-->", "a comment")
    } else if rest.starts_with(b"<![CDATA[") {
        through(rest, 9, "]]>", "a CDATA section")
    } else if rest.get(..DOCTYPE.len()).is_some_and(|start| start.eq_ignore_ascii_case(DOCTYPE)) {
        let own = match memchr::memchr2(b'[', b'>', rest) {
            Some(at) if rest[at] == b'[' => through(rest, at, "]", "the declarations of a document type")?,
            _ => DOCTYPE.len(),
        };
        through(rest, own, ">", "a document type")
    } else {
        Err("`<!` is not followed by a comment, a CDATA section or a document type".into())
    }
}

/// The next token of a tag: an attribute up to its value, or the end of the tag.
///
/// The closing quote of the previous value may precede it.
fn tag(rest: &[u8], quote: usize, state: &mut Within) -> Result<(Markup, usize), String> {
    let start = quote + blanks(&rest[quote..]);
    match &rest[start..] {
        [] => Ok((Markup::Trivia, start)),
        [b'>', ..] => {
            state.part = Part::Content;
            Ok((Markup::Trivia, start + 1))
        }
        [b'/', b'>', ..] if start == 0 => {
            *state = Within::default();
            Ok((Markup::Close, 2))
        }
        [b'/', b'>', ..] => {
            state.part = Part::Tag { value: false };
            Ok((Markup::Trivia, start))
        }
        attribute => {
            let (value, len) = value_of(attribute)?;
            state.part = value;
            Ok((Markup::Attribute, start + len))
        }
    }
}

/// The value of an attribute, and where it begins.
fn value_of(attribute: &[u8]) -> Result<(Part, usize), String> {
    let len = run_of(attribute, |byte| !b"=>".contains(&byte) && !byte.is_ascii_whitespace());
    let name = &attribute[..len];
    let sign = len + blanks(&attribute[len..]);
    if attribute.get(sign) != Some(&b'=') {
        return Err(no_value(name));
    }
    let start = sign + 1 + blanks(&attribute[sign + 1..]);
    let Some(&quote @ (b'"' | b'\'')) = attribute.get(start) else {
        return Err(no_quotes(name));
    };
    Ok((Part::Value { kind: NAMES.attribute(name), quote, begun: false }, start + 1))
}

#[cold]
fn no_value(name: &[u8]) -> String {
    format!("`{}` has no value", name.escape_ascii())
}

#[cold]
fn no_quotes(name: &[u8]) -> String {
    format!("the value of `{}` is not in quotes", name.escape_ascii())
}

/// The open elements, and whether the main element has been seen.
pub struct Nesting {
    root: &'static str,
    /// The names of the open elements, one after the other.
    names: Vec<u8>,
    /// Where they start.
    open: Vec<usize>,
    seen: bool,
}

impl Nesting {
    /// For a document whose main element has this name.
    pub const fn new(root: &'static str) -> Self {
        Self { root, names: Vec::new(), open: Vec::new(), seen: false }
    }

    fn innermost(&self) -> Option<&[u8]> {
        self.open.last().map(|start| &self.names[*start..])
    }

    fn opens(&mut self, name: &[u8]) -> Result<(), String> {
        if self.open.is_empty() && self.seen {
            return Err(format!("`{}` after the end of the document", name.escape_ascii()));
        }
        let is_wrapped = self.open.len() == 1 && is_wrapper(&self.names);
        if self.open.is_empty() || is_wrapped {
            self.seen |= form::is_same(self.root, name);
        }
        self.open.push(self.names.len());
        self.names.extend_from_slice(name);
        Ok(())
    }

    fn closes(&mut self, tag: &[u8]) -> Result<(), String> {
        let name = tag.strip_prefix(b"</").and_then(|tag| tag.strip_suffix(b">")).map(<[u8]>::trim_ascii_end);
        let open = self.innermost();
        if let Some(name) = name.filter(|name| !open.is_some_and(|open| form::is_equal(open, name))) {
            let open = open.map_or("nothing".into(), |open| format!("`{}`", open.escape_ascii()));
            return Err(format!("`{}` ends while {open} is open", name.escape_ascii()));
        }
        if let Some(start) = self.open.pop() {
            self.names.truncate(start);
        }
        Ok(())
    }
}

impl Syntax<Markup> for Nesting {
    #[inline]
    fn follows(&mut self, token: &Token<'_, Markup>) -> Result<(), String> {
        match token.kind {
            Markup::Open => self.opens(&token.bytes[1..]),
            Markup::Close => self.closes(token.bytes),
            Markup::Text { .. } if self.open.is_empty() => Err("text outside of the main element".into()),
            _ => Ok(()),
        }
    }

    fn ends(&self) -> Result<(), String> {
        match self.innermost() {
            Some(name) => Err(format!("the text ends inside `{}`", name.escape_ascii())),
            None if !self.seen => Err(format!("the text ends without `{}`", self.root)),
            None => Ok(()),
        }
    }
}
