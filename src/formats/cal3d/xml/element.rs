//! Elements of an XML form, found again among the tokens whenever they are asked for.

use super::tokens::{Markup, Within, XmlText};
use super::walk::values;
use super::{Document, form};
use crate::schema::{FieldPath, Step};
use crate::text::{Token, tokens_at};

/// The element that precedes the main one in files whose main element does not have the version.
const HEADER: &str = "HEADER";

/// The element that some exporters put around the header and the main element.
const WRAPPER: &str = "ROOT";

/// How a comment begins.
const COMMENT: &[u8] = b"<!--";

/// An element of a document: its attributes, its words, and the elements in it.
#[derive(Clone, Copy, Debug)]
pub struct Element<'a> {
    text: &'a [u8],
    open: Piece<'a>,
}

/// A token of a document with its index.
#[derive(Clone, Copy, Debug)]
pub(in crate::formats::cal3d) struct Piece<'a> {
    index: usize,
    pub(in crate::formats::cal3d) token: Token<'a, Markup>,
}

impl<'a> From<(usize, Token<'a, Markup>)> for Piece<'a> {
    fn from((index, token): (usize, Token<'a, Markup>)) -> Self {
        Self { index, token }
    }
}

impl AsRef<[u8]> for Piece<'_> {
    fn as_ref(&self) -> &[u8] {
        self.token.bytes
    }
}

impl<'a> Piece<'a> {
    fn is_content(&self) -> bool {
        matches!(self.token.kind, Markup::Open | Markup::Close | Markup::Text { .. })
    }

    fn is_attribute(&self) -> bool {
        self.token.kind == Markup::Attribute
    }

    /// Whether it is a word or a text of an attribute or element.
    pub(in crate::formats::cal3d) fn is_value(&self) -> bool {
        matches!(self.token.kind, Markup::Value { .. } | Markup::Governing | Markup::Text { .. })
    }

    pub(super) const fn index(&self) -> usize {
        self.index
    }

    /// Its path.
    pub(in crate::formats::cal3d) fn path(&self) -> FieldPath {
        FieldPath::from(vec![Step::Field("tokens".into()), Step::Index(self.index)])
    }

    /// The name in ` ID="`, or in `" ID="` after another attribute.
    pub(in crate::formats::cal3d) fn attribute_name(&self) -> &'a [u8] {
        let spelling = self.token.bytes;
        let is_name = |byte: &u8| !byte.is_ascii_whitespace() && !b"\"'=".contains(byte);
        let start = spelling.iter().position(is_name).unwrap_or(spelling.len());
        let name = &spelling[start..];
        &name[..name.iter().position(|byte| !is_name(byte)).unwrap_or(name.len())]
    }
}

impl Document {
    /// Returns the main element; none in a damaged document.
    #[must_use]
    pub fn root(&self) -> Option<Element<'_>> {
        Element::main(self.tokens.text())
    }

    /// Returns the header that precedes the main element.
    #[must_use]
    pub fn header(&self) -> Option<Element<'_>> {
        Element::header(self.tokens.text())
    }

    /// Returns the element around header and main element that some exporters write.
    pub(in crate::formats::cal3d) fn wrapper(&self) -> Option<Element<'_>> {
        let first = Element::outermost(self.tokens.text()).find(|element| !element.is_header());
        first.filter(|element| is_wrapper(element.name()))
    }

    /// Returns the contents of comments.
    pub fn comments(&self) -> impl Iterator<Item = &[u8]> {
        // Most files have none, which a search shows faster than the tokens do.
        let has_any = memchr::memmem::find(self.tokens.text(), COMMENT).is_some();
        let tokens = has_any.then(|| self.tokens.iter()).into_iter().flatten();
        let trivia = tokens.filter(|token| token.kind == Markup::Trivia).map(|token| token.bytes);
        trivia.filter_map(|bytes| bytes.trim_ascii().strip_prefix(COMMENT)?.strip_suffix(b"-->"))
    }

    /// Returns an optional header and the main element, which are in no other element or in one wrapper.
    pub fn elements(&self) -> impl Iterator<Item = Element<'_>> {
        Element::top(self.tokens.text())
    }
}

/// Whether a name is that of the element around header and main element.
pub(super) fn is_wrapper(name: &[u8]) -> bool {
    form::is_same(WRAPPER, name)
}

impl<'a> Element<'a> {
    /// The main element of a text.
    pub(super) fn main(text: &'a [u8]) -> Option<Self> {
        Self::top(text).find(|element| !element.is_header())
    }

    /// The header that precedes the main element of a text.
    pub(super) fn header(text: &'a [u8]) -> Option<Self> {
        Self::top(text).next().filter(|element| element.is_header())
    }

    /// The elements of a text that are in no other than a wrapper. No more of the text is split than they need.
    pub(in crate::formats::cal3d) fn top(text: &'a [u8]) -> impl Iterator<Item = Self> {
        Self::outermost(text).flat_map(|element| {
            let is_wrapper = is_wrapper(element.name());
            let inner = is_wrapper.then(|| element.children()).into_iter().flatten();
            (!is_wrapper).then_some(element).into_iter().chain(inner)
        })
    }

    /// The elements that are in no other.
    fn outermost(text: &'a [u8]) -> impl Iterator<Item = Self> {
        let tokens = tokens_at::<XmlText>(text, 0, Within::default());
        Self::among(text, tokens.enumerate().map(Piece::from))
    }

    /// The elements among some tokens, to the end of the one around them.
    fn among(text: &'a [u8], pieces: impl Iterator<Item = Piece<'a>>) -> impl Iterator<Item = Self> {
        let mut depth = 0_usize;
        let element = move |open: Piece<'a>| {
            let outer = depth == 0;
            match open.token.kind {
                Markup::Open => depth += 1,
                Markup::Close => depth = depth.checked_sub(1)?,
                _ => return Some(None),
            }
            Some((outer && open.token.kind == Markup::Open).then_some(Self { text, open }))
        };
        pieces.map_while(element).flatten()
    }

    /// Whether it is this token that opens it.
    pub(super) fn is_opened_by(self, piece: &Piece<'_>) -> bool {
        self.open.token == piece.token
    }

    /// The element of the same document that a token opens.
    pub(in crate::formats::cal3d) const fn opened_by(self, open: Piece<'a>) -> Self {
        Self { text: self.text, open }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'a [u8] {
        self.open.token.bytes.strip_prefix(b"<").unwrap_or_default()
    }

    pub(in crate::formats::cal3d) fn is_header(self) -> bool {
        form::is_same(HEADER, self.name())
    }

    /// The tokens after the first.
    pub(in crate::formats::cal3d) fn inside(self) -> impl Iterator<Item = Piece<'a>> {
        let mut tokens = tokens_at::<XmlText>(self.text, self.open.token.start, Within::default());
        let _ = tokens.next();
        (self.open.index + 1..).zip(tokens).map(Piece::from)
    }

    /// The tokens after the tag that opens it.
    fn content(self) -> impl Iterator<Item = Piece<'a>> {
        self.inside().skip_while(|piece| !piece.is_content())
    }

    /// Returns the elements in it.
    pub fn children(self) -> impl Iterator<Item = Self> {
        Self::among(self.text, self.content())
    }

    /// Returns the elements of a name in it.
    pub fn children_named(self, name: &[u8]) -> impl Iterator<Item = Self> {
        self.children().filter(move |child| child.name().eq_ignore_ascii_case(name))
    }

    /// Returns the first element of a name in it.
    #[must_use]
    pub fn child(self, name: &[u8]) -> Option<Self> {
        self.children_named(name).next()
    }

    /// The attributes with their words.
    pub(in crate::formats::cal3d) fn attributes(self) -> impl Iterator<Item = (&'a [u8], Vec<Piece<'a>>)> {
        let mut pieces = self.inside().take_while(|piece| !piece.is_content());
        let mut next = pieces.find(Piece::is_attribute);
        std::iter::from_fn(move || {
            let name = next?.attribute_name();
            let mut words = Vec::new();
            next = values(&mut pieces, &mut words);
            Some((name, words))
        })
    }

    /// Returns the words of an attribute; none where it is missing.
    pub fn attribute(self, name: &[u8]) -> impl Iterator<Item = &'a [u8]> {
        let own = self.attributes().filter(move |(own, _)| own.eq_ignore_ascii_case(name));
        own.flat_map(|(_, words)| words).map(|word| word.token.bytes)
    }

    /// Returns the words between its first tag and the next.
    pub fn words(self) -> impl Iterator<Item = &'a [u8]> {
        let is_own = |piece: &Piece<'_>| !matches!(piece.token.kind, Markup::Open | Markup::Close);
        self.content().take_while(is_own).filter(Piece::is_value).map(|word| word.token.bytes)
    }

    /// The range of the token that closes it.
    pub(in crate::formats::cal3d) fn close(self) -> Option<std::ops::Range<usize>> {
        let mut depth = 0_usize;
        let mut closing = self.inside().filter(|piece| match piece.token.kind {
            Markup::Open => {
                depth += 1;
                false
            }
            Markup::Close => {
                let is_own = depth == 0;
                depth = depth.saturating_sub(1);
                is_own
            }
            _ => false,
        });
        closing.next().map(|piece| piece.token.range())
    }

    /// The path of the token that opens it.
    pub(in crate::formats::cal3d) fn path(self) -> FieldPath {
        self.open.path()
    }

    /// Returns the byte of the text at which it begins.
    #[must_use]
    pub const fn offset(self) -> usize {
        self.open.token.start
    }
}
