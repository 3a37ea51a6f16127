//! The XML forms: markup and values as lexemes, so that nothing but an edited value is ever spelled anew.
//!
//! The files are what TinyXML and exporters of the time accepted: often two root elements (`<HEADER .. />` in front),
//! names in the code page of the day, numbers as a C library prints them (`-3.09086e-008`, `-1.#IND`).

use std::borrow::Cow;
use std::ops::Range;

use binrw::binrw;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::schema::{Path, Refusal, Schema, Step};
use crate::wire::{Lexemes, Lexicon, Rest, lexemes, special_float};
use crate::{Error, Kind, Result};

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
    #[br(parse_with = lexemes, args(|text: &mut Lexemes<Lexeme>| cut(text, root)))]
    #[schema(args("0"))]
    pub lexemes: Lexemes<Lexeme>,
    /// Bytes behind the place where the text stopped making sense.
    pub rest: Rest,
}

/// What a lexeme of an XML form is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lexeme {
    /// The beginning of an element: `<BONE`.
    Open,
    /// The name of an attribute, with all from the value before it to its own: `" ID="`.
    Attribute,
    /// A word, or a whole text, in an attribute with double or single quotes.
    Value {
        /// The quotes around it.
        quote: u8,
    },
    /// A value that the rest of the file follows from: a count, the magic.
    Governing,
    /// A word, or a whole text, between elements.
    Text,
    /// The end of an element: `/>` or `</BONE>`.
    Close,
    /// White space, comments, declarations, and what ends a tag or attribute.
    Trivia,
}

/// Attributes and elements whose content is one text, blanks included; all others hold words.
const TEXTS: [&[u8]; 6] = [b"NAME", b"MAGIC", b"TYPE", b"MORPHNAME", b"MAP", b"MATERIALNAME"];

impl Lexicon for Lexeme {
    fn type_name(self) -> &'static str {
        match self {
            Self::Open => "xml element",
            Self::Attribute => "xml attribute",
            Self::Value { .. } | Self::Governing => "xml value",
            Self::Text => "xml text",
            Self::Close => "xml end",
            Self::Trivia => "xml trivia",
        }
    }

    fn accepts(self, old: &[u8], new: &[u8]) -> Result<(), Refusal> {
        match self {
            Self::Value { quote } if new.contains(&quote) => {
                Err(format!("cannot hold the quotes that end it; write {}", reference(quote)).into())
            }
            Self::Value { .. } | Self::Text => is_text(new).and_then(|()| is_alike(old, new)),
            Self::Governing => {
                Err("the rest of the file follows from it; setting it alone would break the file".into())
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

/// Whether a text can stand between markup as it is spelled.
fn is_text(text: &[u8]) -> Result<(), Refusal> {
    if text.contains(&b'<') {
        return Err("cannot hold a `<`; write &lt;".into());
    }
    let bare = |(at, byte): (usize, &u8)| {
        let name = &text[at + 1..];
        let len = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#').count();
        *byte == b'&' && (len == 0 || name.get(len) != Some(&b';'))
    };
    if text.iter().enumerate().any(bare) {
        return Err("cannot hold a bare `&`; write &amp;".into());
    }
    Ok(())
}

/// Where a number is, only a number can be, and a single word where one was.
fn is_alike(old: &[u8], new: &[u8]) -> Result<(), Refusal> {
    if number(old).is_some() && number(new).is_none() {
        return Err(format!("`{}` is no number", new.escape_ascii()).into());
    }
    Ok(())
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
    let mut start = Lexemes::new(head[..head.len().min(ENOUGH)].to_vec());
    // Whatever is wrong further on does not matter here.
    _ = cut(&mut start, root);
    let top = Element::all(&start, 0).find(|element| element.name() != b"HEADER");
    let header = Element::all(&start, 0).find_map(|element| element.attribute(b"MAGIC").next());
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

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Cuts the text of a document whose main element has this name.
fn cut(lexemes: &mut Lexemes<Lexeme>, root: &[u8]) -> Result<()> {
    let masked = masked(lexemes.text());
    let bom = if lexemes.text().starts_with(BOM) { BOM.len() } else { 0 };
    if bom > 0 {
        lexemes.cut(Lexeme::Trivia, bom);
    }
    Cutter { text: &masked, lexemes, open: Vec::new(), seen: false, root }.document(bom)
}

/// The text with every byte that is not ASCII as a letter: the markup is the same in all code pages of the day.
fn masked(text: &[u8]) -> String {
    match std::str::from_utf8(text) {
        Ok(text) if text.is_ascii() => text.to_owned(),
        _ => text.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { 'x' }).collect(),
    }
}

struct Cutter<'a> {
    text: &'a str,
    lexemes: &'a mut Lexemes<Lexeme>,
    /// The names of the elements that are open.
    open: Vec<&'a str>,
    /// Whether the main element has been there.
    seen: bool,
    root: &'a [u8],
}

impl Cutter<'_> {
    fn document(&mut self, start: usize) -> Result<()> {
        let mut reader = Reader::from_str(&self.text[start..]);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        let mut at = start;
        loop {
            let event = reader.read_event();
            let end = start + usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
            match event {
                Ok(Event::Eof) => return self.finish(),
                Ok(Event::Start(tag)) => self.tag(&tag, at..end, false)?,
                Ok(Event::Empty(tag)) => self.tag(&tag, at..end, true)?,
                Ok(Event::End(_)) => self.close(at..end)?,
                // References split the text, which is cut with its first part.
                Ok(Event::Text(_) | Event::GeneralRef(_)) if at < self.lexemes.end() => {}
                Ok(Event::Text(_) | Event::GeneralRef(_)) => {
                    let end = self.text[at..].find('<').map_or(self.text.len(), |len| at + len);
                    self.words(at..end)?;
                }
                Ok(_) => self.lexemes.cut(Lexeme::Trivia, end),
                Err(error) => return Err(wrong(at, error.to_string())),
            }
            at = end;
        }
    }

    /// `<NAME A="1" B='2'>`
    fn tag(&mut self, tag: &BytesStart<'_>, range: Range<usize>, is_empty: bool) -> Result<()> {
        let name = range.start + 1..range.start + 1 + tag.name().as_ref().len();
        let name = &self.text[name];
        if self.open.is_empty() {
            if self.seen {
                return Err(wrong(range.start, format!("`{name}` behind the end of the document")));
            }
            self.seen = name.as_bytes() == self.root;
        }
        // What is wrong in a tag is wrong from its start.
        if let Some(Err(error)) = tag.attributes().with_checks(false).find(Result::is_err) {
            return Err(wrong(range.start, error.to_string()));
        }
        self.lexemes.cut(Lexeme::Open, range.start + 1 + name.len());
        for attribute in tag.attributes().with_checks(false).flatten() {
            let Cow::Borrowed(value) = attribute.value else { continue };
            let start = value.as_ptr() as usize - self.text.as_ptr() as usize;
            self.lexemes.cut(Lexeme::Attribute, start);
            self.value(attribute.key.as_ref(), start..start + value.len());
        }
        let tail = if is_empty { 2 } else { 0 };
        self.trivia(range.end - tail);
        if is_empty {
            self.lexemes.cut(Lexeme::Close, range.end);
        } else {
            self.open.push(name);
        }
        Ok(())
    }

    fn value(&mut self, name: &str, range: Range<usize>) {
        let quote = self.text.as_bytes()[range.start - 1];
        if name.starts_with("NUM") || name == "MAGIC" {
            self.lexemes.cut(Lexeme::Governing, range.end);
        } else if TEXTS.contains(&name.as_bytes()) {
            self.lexemes.cut(Lexeme::Value { quote }, range.end);
        } else {
            self.split(Lexeme::Value { quote }, range);
        }
    }

    /// `</NAME>`
    fn close(&mut self, range: Range<usize>) -> Result<()> {
        let name = self.text[range.clone()].trim_start_matches("</").trim_end_matches('>').trim_ascii_end();
        if self.open.last() != Some(&name) {
            let expected = self.open.last().map_or("nothing".into(), |open| format!("`{open}`"));
            return Err(wrong(range.start, format!("`{name}` ends where {expected} is open")));
        }
        self.open.pop();
        self.lexemes.cut(Lexeme::Close, range.end);
        Ok(())
    }

    /// Text between markup, perhaps nothing but white space.
    fn words(&mut self, range: Range<usize>) -> Result<()> {
        let text = &self.text[range.clone()];
        match self.open.last() {
            None if text.trim_ascii().is_empty() => self.trivia(range.end),
            None => {
                let at = range.start + text.len() - text.trim_ascii_start().len();
                self.trivia(at);
                return Err(wrong(at, "text outside of all elements".into()));
            }
            Some(name) if TEXTS.contains(&name.as_bytes()) && !text.trim_ascii().is_empty() => {
                let start = range.start + text.len() - text.trim_ascii_start().len();
                self.trivia(start);
                self.lexemes.cut(Lexeme::Text, start + text.trim_ascii().len());
                self.trivia(range.end);
            }
            Some(_) => self.split(Lexeme::Text, range),
        }
        Ok(())
    }

    /// Words and the white space between them; a value of no words is one that is empty.
    fn split(&mut self, kind: Lexeme, range: Range<usize>) {
        if range.is_empty() && matches!(kind, Lexeme::Value { .. }) {
            self.lexemes.cut(kind, range.end);
        }
        let bytes = &self.text.as_bytes()[..range.end];
        let mut at = range.start;
        while let Some(len) = bytes[at..].iter().position(|byte| !byte.is_ascii_whitespace()) {
            self.trivia(at + len);
            let word = &bytes[at + len..];
            at += len + word.iter().position(u8::is_ascii_whitespace).unwrap_or(word.len());
            self.lexemes.cut(kind, at);
        }
        self.trivia(range.end);
    }

    fn trivia(&mut self, end: usize) {
        if end > self.lexemes.end() {
            self.lexemes.cut(Lexeme::Trivia, end);
        }
    }

    /// At the end of the text everything is closed, and the main element has been there.
    fn finish(&mut self) -> Result<()> {
        let end = self.text.len();
        match self.open.last() {
            Some(name) => Err(wrong(end, format!("the text ends inside `{name}`"))),
            None if !self.seen => {
                Err(wrong(end, format!("the text ends without `{}`", self.root.escape_ascii())))
            }
            None => Ok(()),
        }
    }
}

fn wrong(offset: usize, why: String) -> Error {
    Error::new(offset as u64, Kind::Syntax(why))
}

/// An element of a document: its attributes, its words, and the elements in it.
#[derive(Clone, Copy, Debug)]
pub struct Element<'a> {
    lexemes: &'a Lexemes<Lexeme>,
    /// The index of its first lexeme.
    open: usize,
}

impl Document {
    /// The main element; none in a damaged document.
    #[must_use]
    pub fn root(&self) -> Option<Element<'_>> {
        self.elements().find(|element| element.name() != b"HEADER")
    }

    /// The elements that stand in no other: an optional header and the main one.
    pub fn elements(&self) -> impl Iterator<Item = Element<'_>> {
        Element::all(&self.lexemes, 0)
    }
}

impl<'a> Element<'a> {
    /// The elements from a lexeme on, to the end of the one around them.
    fn all(lexemes: &'a Lexemes<Lexeme>, first: usize) -> impl Iterator<Item = Self> {
        let mut depth = 0_usize;
        let kinds = lexemes.kinds().iter().enumerate().skip(first);
        kinds
            .map_while(move |(index, kind)| {
                let outer = depth == 0;
                match kind {
                    Lexeme::Open => depth += 1,
                    Lexeme::Close => depth = depth.checked_sub(1)?,
                    _ => return Some(None),
                }
                Some((outer && *kind == Lexeme::Open).then_some(Self { lexemes, open: index }))
            })
            .flatten()
    }

    /// A lexeme of its document as it is spelled.
    pub(super) fn spelling(self, index: usize) -> &'a [u8] {
        self.lexemes.spelling(index)
    }

    /// The name.
    #[must_use]
    pub fn name(self) -> &'a [u8] {
        self.lexemes.spelling(self.open).strip_prefix(b"<").unwrap_or_default()
    }

    /// The lexemes behind the first, with their kind.
    pub(super) fn inside(self) -> impl Iterator<Item = (usize, Lexeme)> {
        self.lexemes.kinds().iter().copied().enumerate().skip(self.open + 1)
    }

    /// The first lexeme behind the tag that opens it.
    fn behind_tag(self) -> usize {
        let content =
            |(_, kind): &(usize, Lexeme)| matches!(kind, Lexeme::Open | Lexeme::Close | Lexeme::Text);
        self.inside().find(content).map_or(self.lexemes.kinds().len(), |(index, _)| index)
    }

    /// The elements in it.
    pub fn children(self) -> impl Iterator<Item = Self> {
        Self::all(self.lexemes, self.behind_tag())
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
        self.attribute_lexemes(name).map(move |index| self.lexemes.spelling(index))
    }

    /// The indices of the words of an attribute.
    pub(super) fn attribute_lexemes(self, name: &[u8]) -> impl Iterator<Item = usize> {
        let mut own = false;
        self.inside()
            .map_while(move |(index, kind)| match kind {
                Lexeme::Attribute => {
                    own = attribute_name(self.lexemes.spelling(index)) == name;
                    Some(None)
                }
                Lexeme::Value { .. } | Lexeme::Governing => Some(own.then_some(index)),
                Lexeme::Trivia => Some(None),
                Lexeme::Open | Lexeme::Close | Lexeme::Text => None,
            })
            .flatten()
    }

    /// The words between its first tag and the next.
    pub fn words(self) -> impl Iterator<Item = &'a [u8]> {
        self.word_lexemes().map(move |index| self.lexemes.spelling(index))
    }

    /// The indices of the words between its first tag and the next.
    pub(super) fn word_lexemes(self) -> impl Iterator<Item = usize> {
        let content = self
            .inside()
            .skip_while(|(_, kind)| !matches!(kind, Lexeme::Open | Lexeme::Close | Lexeme::Text));
        content
            .take_while(|(_, kind)| matches!(kind, Lexeme::Text | Lexeme::Trivia))
            .filter_map(|(index, kind)| (kind == Lexeme::Text).then_some(index))
    }

    /// The path of the lexeme that opens it.
    pub(super) fn path(self) -> Path {
        Path::from(vec![Step::Field("lexemes".into()), Step::Index(self.open)])
    }

    /// The byte of the text at which it begins.
    #[must_use]
    pub fn offset(self) -> usize {
        self.lexemes.range(self.open).start
    }
}

/// ` ID="` names `ID`, and so does `" ID="` behind another attribute.
fn attribute_name(spelling: &[u8]) -> &[u8] {
    let is_name = |byte: &u8| !byte.is_ascii_whitespace() && !b"\"'=".contains(byte);
    let start = spelling.iter().position(is_name).unwrap_or(spelling.len());
    let name = &spelling[start..];
    &name[..name.iter().position(|byte| !is_name(byte)).unwrap_or(name.len())]
}
