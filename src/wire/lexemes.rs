//! Text files: one flat list of lexemes over the text, each kept as it was spelled.

use std::borrow::Cow;
use std::fmt;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::{ControlFlow, Range};

use binrw::{BinResult, BinWrite, Endian};

use super::part::tolerated;
use super::{escape, refuse, unescape};
use crate::schema::{Class, Items, Leaf, Length, Node, NodeMut, Refusal, Schema, Shape, Value};
use crate::{Error, Result};

/// What a lexeme is: a name, a number, white space.
pub trait Lexicon: Copy + fmt::Debug + PartialEq + 'static {
    /// The kind of lexeme, as `map` prints it.
    fn type_name(self) -> &'static str;

    /// Whether another spelling can stand in the place of this one.
    ///
    /// # Errors
    /// Why it cannot.
    fn accepts(self, old: &[u8], new: &[u8]) -> std::result::Result<(), Refusal>;
}

/// A text cut into lexemes: `#[br(parse_with = lexemes, args(cut))] lexemes: Lexemes<Kind>`.
///
/// The text is kept whole and each lexeme is a run of it, so a text of a million numbers needs no million values, and
/// what is not edited comes back as it was spelled. Setting a lexeme puts another spelling in its place, verbatim.
///
/// ```
/// use bindpose::wire::{Lexemes, Lexicon};
/// use bindpose::schema::Refusal;
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Kind { Word, Space }
/// impl Lexicon for Kind {
///     fn type_name(self) -> &'static str {
///         "word"
///     }
///     fn accepts(self, _: &[u8], _: &[u8]) -> Result<(), Refusal> {
///         Ok(())
///     }
/// }
/// let mut lexemes = Lexemes::new(b"to and fro".to_vec());
/// for (kind, end) in [(Kind::Word, 2), (Kind::Space, 3), (Kind::Word, 6), (Kind::Space, 7), (Kind::Word, 10)] {
///     lexemes.cut(kind, end);
/// }
/// assert_eq!(lexemes.spelling(2), b"and");
/// ```
#[derive(Clone, PartialEq)]
pub struct Lexemes<K> {
    text: Vec<u8>,
    /// Where each lexeme ends; it begins where the one before it ended.
    ends: Vec<usize>,
    kinds: Vec<K>,
    stopped: Option<Error>,
}

impl<K: Lexicon> Lexemes<K> {
    /// A text that is not cut yet.
    #[must_use]
    pub const fn new(text: Vec<u8>) -> Self {
        Self { text, ends: Vec::new(), kinds: Vec::new(), stopped: None }
    }

    /// Ends a lexeme at a byte of the text, counted from 0; it can be empty.
    pub fn cut(&mut self, kind: K, end: usize) {
        self.ends.push(end.clamp(self.end(), self.text.len()));
        self.kinds.push(kind);
    }

    /// Where the last lexeme ends.
    #[must_use]
    pub fn end(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The text, cut or not.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// What the lexemes are.
    #[must_use]
    pub fn kinds(&self) -> &[K] {
        &self.kinds
    }

    /// The bytes of the text that a lexeme takes; empty where there is none.
    #[must_use]
    pub fn range(&self, index: usize) -> Range<usize> {
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        start..self.ends.get(index).copied().unwrap_or(start)
    }

    /// A lexeme as it is spelled; empty where there is none.
    #[must_use]
    pub fn spelling(&self, index: usize) -> &[u8] {
        &self.text[self.range(index)]
    }

    /// Why the text behind the last lexeme made no sense.
    #[must_use]
    pub const fn stopped(&self) -> Option<&Error> {
        self.stopped.as_ref()
    }

    fn lexeme(&self, index: usize) -> Lexeme<'_, K> {
        Lexeme { kind: self.kinds[index], spelling: self.spelling(index).into() }
    }
}

/// Reads the text to the end of the file and has it cut; what could not be cut is left for the file's
/// [`Rest`](super::Rest): `parse_with = lexemes, args(cut)`.
///
/// `cut` gets the text and cuts it from front to back; an error of its has its offset in the text.
///
/// # Errors
/// Only limits: all other errors of `cut` are kept as the place where the text stopped making sense.
pub fn lexemes<K, F, R>(reader: &mut R, _: Endian, (cut,): (F,)) -> BinResult<Lexemes<K>>
where
    K: Lexicon,
    F: FnOnce(&mut Lexemes<K>) -> Result<()>,
    R: Read + Seek,
{
    let start = reader.stream_position()?;
    let mut text = Vec::new();
    reader.read_to_end(&mut text)?;
    let mut lexemes = Lexemes::new(text);
    if let Err(error) = cut(&mut lexemes) {
        let placed = refuse(start + error.offset(), error.kind().clone());
        lexemes.stopped = Some(tolerated(placed)?);
    }
    lexemes.text.truncate(lexemes.end());
    reader.seek(SeekFrom::Start(start + lexemes.text.len() as u64))?;
    Ok(lexemes)
}

impl<K> fmt::Debug for Lexemes<K> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "\"{}\"", self.text.escape_ascii())
    }
}

impl<K> BinWrite for Lexemes<K> {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, _: Endian, (): ()) -> BinResult<()> {
        Ok(writer.write_all(&self.text)?)
    }
}

impl<K: Lexicon> Value for Lexemes<K> {
    fn size(&self) -> u64 {
        self.text.len() as u64
    }
    fn node(&self) -> Node<'_> {
        Node::Items(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Items(self)
    }
}

impl<K: Lexicon> Items for Lexemes<K> {
    fn len(&self) -> usize {
        self.ends.len()
    }
    fn each(
        &self,
        first: usize,
        visit: &mut dyn FnMut(usize, &dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        (first..self.ends.len()).try_for_each(|index| visit(index, &self.lexeme(index)))
    }
    fn change(
        &mut self,
        indices: &[usize],
        change: &mut dyn FnMut(usize, &mut dyn Value) -> Result<()>,
    ) -> Result<()> {
        let mut changed =
            Self { stopped: self.stopped.clone(), ..Self::new(Vec::with_capacity(self.text.len())) };
        let mut indices = indices.iter().peekable();
        for (index, &kind) in self.kinds.iter().enumerate() {
            if indices.next_if_eq(&&index).is_some() {
                let mut lexeme = self.lexeme(index);
                change(index, &mut lexeme)?;
                changed.text.extend_from_slice(&lexeme.spelling);
            } else {
                changed.text.extend_from_slice(self.spelling(index));
            }
            changed.ends.push(changed.text.len());
            changed.kinds.push(kind);
        }
        *self = changed;
        Ok(())
    }
    fn text(&self) -> Option<&[u8]> {
        Some(&self.text)
    }
    fn stopped(&self) -> Option<&Error> {
        self.stopped.as_ref()
    }
}

impl<K: Lexicon> Schema for Lexemes<K> {
    fn shape() -> Shape {
        Shape::Bytes(Length::ToEnd)
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::new(Vec::new())
    }
}

/// A lexeme on its own.
struct Lexeme<'a, K> {
    kind: K,
    spelling: Cow<'a, [u8]>,
}

impl<K: Lexicon> Value for Lexeme<'_, K> {
    fn size(&self) -> u64 {
        self.spelling.len() as u64
    }
    fn node(&self) -> Node<'_> {
        Node::Leaf(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Leaf(self)
    }
}

impl<K: Lexicon> Leaf for Lexeme<'_, K> {
    fn type_name(&self) -> &'static str {
        self.kind.type_name()
    }
    fn class(&self) -> Class {
        Class::Spelling
    }
    fn bytes(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.spelling);
    }
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str(&escape(&self.spelling))
    }
    fn assign(&mut self, text: &str) -> std::result::Result<(), Refusal> {
        self.assign_bytes(&unescape(text)?)
    }
    fn assign_bytes(&mut self, bytes: &[u8]) -> std::result::Result<(), Refusal> {
        if *self.spelling != *bytes {
            self.kind.accepts(&self.spelling, bytes)?;
            self.spelling = bytes.to_vec().into();
        }
        Ok(())
    }
}
