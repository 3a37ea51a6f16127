//! The XML forms: markup and values as lexemes, so that nothing but an edited value is ever spelled anew.
//!
//! The files are what TinyXML and exporters of the time accepted: often two root elements (`<HEADER .. />` in front),
//! names in the code page of the day, numbers as a C library prints them (`-3.09086e-008`, `-1.#IND`).

use binrw::binrw;

use super::markup::{BOM, Markup, Nesting, Within, XmlText};
use crate::schema::{FieldPath, Schema, Step};
use crate::wire::{Lexeme, Rest, TokenText, scanned_with, special_float};

/// An XML form as it is spelled.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::cal3d::{Cal3d, CalMaterial};
/// let text = b"<MATERIAL VERSION=\"1100\" NUMMAPS=\"0\"><AMBIENT>0 0 200 0</AMBIENT></MATERIAL>\n";
/// let Cal3d::Xml(document) = CalMaterial::decode(text)? else { unreachable!() };
/// assert_eq!(document.root().unwrap().child(b"AMBIENT").unwrap().words().nth(2), Some(&b"200"[..]));
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[schema(aliases = super::names::resolve)]
#[binrw]
#[br(import(root: &'static [u8]))]
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Markup, values and what stands between them, in the order of the text.
    #[br(parse_with = scanned_with, args(Nesting::new(root)))]
    #[schema(args("0"))]
    pub lexemes: TokenText<XmlText>,
    /// Bytes behind the place where the text stopped making sense.
    pub rest: Rest,
}

/// A number as a C library spells it.
pub(super) fn number(word: &[u8]) -> Option<f32> {
    let has_digit = || word.iter().any(u8::is_ascii_digit);
    let finite = std::str::from_utf8(word).ok()?.parse().ok().filter(|_| has_digit());
    finite.or_else(|| special_float(word))
}

/// Bytes that hold the beginning of the main element, whatever comments stand in front of it.
const ENOUGH: usize = 4096;

/// Whether a text begins like one of ours: nothing but declarations and comments, then an element of this name, or
/// a header of this magic.
pub(super) fn is_form(head: &[u8], magic: &[u8], root: &[u8]) -> bool {
    if !looks_like_xml(head) {
        return false;
    }
    // Whatever is wrong further on does not matter here.
    let start = TokenText::new(head[..head.len().min(ENOUGH)].to_vec());
    let top = Element::top(&start).find(|element| element.name() != b"HEADER");
    let header = Element::top(&start).find_map(|element| element.attribute(b"MAGIC").next());
    match (header, top) {
        (Some(own), _) => own == magic,
        (None, Some(top)) => top.name() == root && is_told(magic, top),
        (None, None) => false,
    }
}

/// Tracks of bones and of morph targets have the same root; their attributes tell them apart.
fn is_told(magic: &[u8], root: Element<'_>) -> bool {
    let Some(track) = root.child(b"TRACK") else { return magic != b"XPF" };
    let bone = track.attribute(b"BONEID").next().is_some();
    let morph = [&b"MORPHNAME"[..], b"MORPHID"].iter().any(|name| track.attribute(name).next().is_some());
    if magic == b"XPF" { morph && !bone } else { !morph }
}

/// Whether the first character that is no white space opens a tag.
pub(super) fn looks_like_xml(head: &[u8]) -> bool {
    let head = head.strip_prefix(BOM).unwrap_or(head);
    head.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<')
}

/// An element of a document: its attributes, its words, and the elements in it.
#[derive(Clone, Copy, Debug)]
pub struct Element<'a> {
    lexemes: &'a TokenText<XmlText>,
    open: Piece<'a>,
}

/// An element, looked through once for all that is asked of it.
pub(super) struct Contents<'a> {
    pub(super) element: Element<'a>,
    pub(super) children: Vec<Element<'a>>,
}

/// A lexeme of a document, and which it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub(super) index: usize,
    pub(super) lexeme: Lexeme<'a, Markup>,
}

impl Piece<'_> {
    fn is_content(&self) -> bool {
        matches!(self.lexeme.kind, Markup::Open | Markup::Close | Markup::Text)
    }

    pub(super) fn is_value(&self) -> bool {
        matches!(self.lexeme.kind, Markup::Value { .. } | Markup::Governing | Markup::Text)
    }

    /// Its path.
    pub(super) fn path(&self) -> FieldPath {
        FieldPath::from(vec![Step::Field("lexemes".into()), Step::Index(self.index)])
    }
}

impl Document {
    /// Where the first element begins that has so many others or more around it.
    pub(super) fn deeper_than(&self, most: usize) -> Option<u64> {
        // Signs are counted faster than tags are told from each other.
        if memchr::memchr_iter(b'<', self.lexemes.text()).count() <= most {
            return None;
        }
        let mut depth = 0_usize;
        let too_deep = self.lexemes.iter().find(|lexeme| {
            match lexeme.kind {
                Markup::Open => depth += 1,
                Markup::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth > most
        })?;
        Some(too_deep.start as u64)
    }

    /// The main element; none in a damaged document.
    #[must_use]
    pub fn root(&self) -> Option<Element<'_>> {
        self.elements().find(|element| element.name() != b"HEADER")
    }

    /// The header in front of the main element, in files whose main element does not tell the version.
    #[must_use]
    pub fn header(&self) -> Option<Element<'_>> {
        self.elements().next().filter(|element| element.name() == b"HEADER")
    }

    /// The elements that stand in no other: an optional header and the main one.
    pub fn elements(&self) -> impl Iterator<Item = Element<'_>> {
        Element::top(&self.lexemes)
    }

    /// All lexemes.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        pieces(&self.lexemes)
    }
}

fn pieces(lexemes: &TokenText<XmlText>) -> impl Iterator<Item = Piece<'_>> {
    lexemes.iter().enumerate().map(|(index, lexeme)| Piece { index, lexeme })
}

impl<'a> Element<'a> {
    /// The elements that stand in no other.
    fn top(lexemes: &'a TokenText<XmlText>) -> impl Iterator<Item = Self> {
        Self::among(lexemes, pieces(lexemes))
    }

    /// The elements among some lexemes, to the end of the one around them.
    fn among(
        lexemes: &'a TokenText<XmlText>,
        pieces: impl Iterator<Item = Piece<'a>>,
    ) -> impl Iterator<Item = Self> {
        let mut depth = 0_usize;
        let element = move |open: Piece<'a>| {
            let outer = depth == 0;
            match open.lexeme.kind {
                Markup::Open => depth += 1,
                Markup::Close => depth = depth.checked_sub(1)?,
                _ => return Some(None),
            }
            Some((outer && open.lexeme.kind == Markup::Open).then_some(Self { lexemes, open }))
        };
        pieces.map_while(element).flatten()
    }

    /// The name.
    #[must_use]
    pub fn name(self) -> &'a [u8] {
        self.open.lexeme.bytes.strip_prefix(b"<").unwrap_or_default()
    }

    /// The lexemes behind the first.
    pub(super) fn inside(self) -> impl Iterator<Item = Piece<'a>> {
        let lexemes = self.lexemes.iter_at(self.open.lexeme.start, Within::default());
        lexemes.zip(self.open.index..).map(|(lexeme, index)| Piece { index, lexeme }).skip(1)
    }

    /// The lexemes behind the tag that opens it.
    fn content(self) -> impl Iterator<Item = Piece<'a>> {
        self.inside().skip_while(|piece| !piece.is_content())
    }

    /// The elements in it.
    pub fn children(self) -> impl Iterator<Item = Self> {
        Self::among(self.lexemes, self.content())
    }

    pub(super) fn contents(self) -> Contents<'a> {
        Contents { element: self, children: self.children().collect() }
    }

    /// The elements of a name in it.
    pub fn children_named(self, name: &[u8]) -> impl Iterator<Item = Self> {
        self.children().filter(move |child| child.name() == name)
    }

    /// The first element of a name in it.
    #[must_use]
    pub fn child(self, name: &[u8]) -> Option<Self> {
        self.children_named(name).next()
    }

    /// The words of an attribute; none where it is missing.
    pub fn attribute(self, name: &[u8]) -> impl Iterator<Item = &'a [u8]> {
        self.attribute_pieces(name).map(|piece| piece.lexeme.bytes)
    }

    /// Where the words of an attribute stand.
    pub(super) fn attribute_pieces(self, name: &[u8]) -> impl Iterator<Item = Piece<'a>> {
        let mut own = false;
        let value = move |piece: &Piece<'_>| {
            if piece.lexeme.kind == Markup::Attribute {
                own = attribute_name(piece.lexeme.bytes) == name;
            }
            own && piece.is_value()
        };
        self.inside().take_while(|piece| !piece.is_content()).filter(value)
    }

    /// The words between its first tag and the next.
    pub fn words(self) -> impl Iterator<Item = &'a [u8]> {
        self.word_pieces().map(|piece| piece.lexeme.bytes)
    }

    /// Where the words between its first tag and the next stand.
    pub(super) fn word_pieces(self) -> impl Iterator<Item = Piece<'a>> {
        let words =
            self.content().take_while(|piece| !matches!(piece.lexeme.kind, Markup::Open | Markup::Close));
        words.filter(Piece::is_value)
    }

    /// The path of the lexeme that opens it.
    pub(super) fn path(self) -> FieldPath {
        self.open.path()
    }

    /// The byte of the text at which it begins.
    #[must_use]
    pub const fn offset(self) -> usize {
        self.open.lexeme.start
    }
}

/// ` ID="` names `ID`, and so does `" ID="` behind another attribute.
fn attribute_name(spelling: &[u8]) -> &[u8] {
    let is_name = |byte: &u8| !byte.is_ascii_whitespace() && !b"\"'=".contains(byte);
    let start = spelling.iter().position(is_name).unwrap_or(spelling.len());
    let name = &spelling[start..];
    &name[..name.iter().position(|byte| !is_name(byte)).unwrap_or(name.len())]
}
