//! Large text as a flat list of lexemes, cut anew whenever it is looked at.
//!
//! Every byte of the text belongs to one lexeme, so writing is copying. The bytes are held once and cut on the way: a
//! lexeme costs no memory, a run of numbers is one lexeme however long, and each number in it is made when it is asked
//! for. Beside the bytes only every [64th](STRIDE) start is kept.

mod leaves;
mod replace_spans;

use std::fmt;
use std::io::{Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use self::leaves::{Run, Spelling, VALUE};
use self::replace_spans::Edit;
use crate::schema::{EditError, Items, Node, NodeMut, Schema, Shape, Step, Value};
use crate::{Error, ErrorKind, Result};

/// One start in so many is kept.
const STRIDE: usize = 64;

/// How the text of a format falls into lexemes.
///
/// A lexeme depends on what begins at its start and on the state, never on what lies before, nor on what lies behind a
/// place where none can start.
pub trait Grammar: Clone + fmt::Debug + PartialEq + 'static {
    /// What its lexemes are.
    type Kind: TokenClass;
    /// What must be known of the lexemes before; `()` where nothing must.
    type State: Copy + Default + PartialEq + fmt::Debug;

    /// The lexeme that starts at byte `at`, which is within the text: its kind and where it ends. One that is empty
    /// leaves another state behind.
    ///
    /// # Errors
    /// Says why nothing can start there; the text ends before it.
    fn lexeme(text: &[u8], at: usize, state: &mut Self::State) -> Result<(Self::Kind, usize), String>;

    /// Within a run of numbers: where the number at `at` ends, and where the gap behind it does.
    fn number(run: &[u8], _at: usize) -> (usize, usize) {
        (run.len(), run.len())
    }

    /// Whether this spells one number of a run.
    fn is_number(_spelling: &[u8]) -> bool {
        false
    }

    /// The published description of the text.
    fn shape() -> Shape;
}

/// What a lexeme is, for the formats that have need of other kinds than [`TokenKind`].
pub trait TokenClass: Copy + fmt::Debug + PartialEq + 'static {
    /// The kind of lexeme, as `map` prints it.
    fn name(self) -> &'static str;

    /// Whether another spelling may be put in the place of one; that it is read as the same kind is seen to elsewhere.
    ///
    /// # Errors
    /// Why it may not.
    fn accepts(self, old: &[u8], new: &[u8]) -> Result<(), EditError>;

    /// Whether its first and last byte only quote it.
    fn is_quoted(self) -> bool {
        false
    }

    /// What the numbers and the gaps of a run are, if it is one.
    fn run(self) -> Option<[Self; 2]> {
        None
    }
}

/// What a lexeme is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// White space.
    Blank,
    /// A remark.
    Comment,
    /// A sign that holds the text together: a brace, a separator.
    Mark,
    /// A name or keyword.
    Word,
    /// Text between two bytes that quote it.
    Quoted,
    /// Numbers, each with the separators and white space behind it.
    Numbers,
}

impl TokenClass for TokenKind {
    fn name(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Comment => "comment",
            Self::Mark => "mark",
            Self::Word => "word",
            Self::Quoted => "quoted",
            Self::Numbers => "number",
        }
    }
    fn accepts(self, _: &[u8], _: &[u8]) -> Result<(), EditError> {
        match self {
            Self::Mark => Err("a mark holds the text together; another one would break it".into()),
            _ => Ok(()),
        }
    }
    fn is_quoted(self) -> bool {
        self == Self::Quoted
    }
    fn run(self) -> Option<[Self; 2]> {
        (self == Self::Numbers).then_some([Self::Numbers, Self::Blank])
    }
}

/// A lexeme of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lexeme<'a, K = TokenKind> {
    /// What it is.
    pub kind: K,
    /// Where it starts in the text.
    pub start: usize,
    /// Its bytes.
    pub bytes: &'a [u8],
}

impl<K> Lexeme<'_, K> {
    /// The bytes of the text that it takes.
    #[must_use]
    pub const fn range(&self) -> Range<usize> {
        self.start..self.start + self.bytes.len()
    }
}

/// What a text must be beyond its lexemes; asked once, from front to back, while the text is read.
pub trait Syntax<K> {
    /// Whether a lexeme can follow those before it.
    ///
    /// # Errors
    /// Says why it cannot; the text ends before it.
    fn follows(&mut self, text: &[u8], lexeme: &Lexeme<'_, K>) -> Result<(), String>;

    /// Whether the text can end here.
    ///
    /// # Errors
    /// Says what is missing.
    fn ends(&self, text: &[u8]) -> Result<(), String>;
}

/// Any lexemes will do.
impl<K> Syntax<K> for () {
    fn follows(&mut self, _: &[u8], _: &Lexeme<'_, K>) -> Result<(), String> {
        Ok(())
    }
    fn ends(&self, _: &[u8]) -> Result<(), String> {
        Ok(())
    }
}

/// The text of a file as lexemes; it ends where none can start, and the rest is left to the file's
/// [`Rest`](super::Rest).
#[derive(Clone, PartialEq)]
pub struct TokenText<G: Grammar> {
    text: Vec<u8>,
    len: usize,
    stops: Vec<(usize, G::State)>,
    stopped: Option<Error>,
    grammar: PhantomData<G>,
}

impl<G: Grammar> TokenText<G> {
    /// A text; its error says where it stops being one, if it does.
    #[must_use]
    pub fn new(text: Vec<u8>) -> Self {
        Self::parse(text, 0, &mut ())
    }

    fn parse(mut text: Vec<u8>, offset: u64, syntax: &mut impl Syntax<G::Kind>) -> Self {
        let mut stops = Vec::new();
        let (mut at, mut len, mut state) = (0, 0, G::State::default());
        let mut cut = |text: &[u8]| {
            while at < text.len() {
                let (start, before) = (at, state);
                let (kind, end) = G::lexeme(text, start, &mut state)?;
                syntax.follows(text, &Lexeme { kind, start, bytes: &text[start..end] })?;
                if len % STRIDE == 0 {
                    stops.push((start, before));
                }
                (at, len) = (end, len + 1);
            }
            syntax.ends(text)
        };
        let stopped = cut(&text).err();
        let stopped = stopped.map(|why| Error::new(offset + at as u64, ErrorKind::Syntax(why)));
        text.truncate(at);
        Self { text, len, stops, stopped, grammar: PhantomData }
    }

    /// The bytes of all lexemes.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// How many lexemes there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Why the text ended before the file did.
    #[must_use]
    pub const fn stopped(&self) -> Option<&Error> {
        self.stopped.as_ref()
    }

    /// The lexemes from the first on.
    pub fn iter(&self) -> impl Iterator<Item = Lexeme<'_, G::Kind>> {
        self.iter_from(0)
    }

    /// The lexemes from an index on; quick wherever it is.
    pub fn iter_from(&self, index: usize) -> impl Iterator<Item = Lexeme<'_, G::Kind>> {
        let (at, state) =
            self.stops.get(index / STRIDE).copied().unwrap_or((self.text.len(), G::State::default()));
        self.iter_at(at, state).skip(index % STRIDE)
    }

    /// The lexemes from one on of which is known where it starts, and in which state.
    pub fn iter_at(&self, start: usize, state: G::State) -> impl Iterator<Item = Lexeme<'_, G::Kind>> {
        Cursor::<G> { text: &self.text, at: start, state }
    }

    /// The index of the lexeme that holds a byte of the text, and where it starts.
    #[must_use]
    pub fn index_at(&self, byte: usize) -> Option<(usize, usize)> {
        let stop = self.stops.partition_point(|(start, _)| *start <= byte).checked_sub(1)?;
        let first = stop * STRIDE;
        let nth = self.iter_from(first).position(|lexeme| byte < lexeme.range().end)?;
        let lexeme = self.iter_from(first + nth).next()?;
        Some((first + nth, lexeme.start))
    }

    /// The leaves that start at some ascending bytes of the text: their steps from here, and their bytes.
    pub fn leaves_at(&self, starts: impl Iterator<Item = usize>) -> Vec<(Vec<Step>, Range<u64>)> {
        let mut leaves = Vec::new();
        let mut here: Option<(usize, Lexeme<'_, G::Kind>)> = None;
        let (mut nth, mut at) = (0, 0);
        for start in starts {
            if here.is_none_or(|(_, lexeme)| start >= lexeme.range().end) {
                let found = self.index_at(start).map(|(index, _)| index);
                here = found.and_then(|index| Some((index, self.iter_from(index).next()?)));
                (nth, at) = (0, 0);
            }
            let Some((index, lexeme)) = here else { break };
            if lexeme.kind.run().is_none() {
                let Range { start, end } = lexeme.range();
                leaves.push((vec![Step::Index(index)], start as u64..end as u64));
                continue;
            }
            while lexeme.start + at < start {
                (nth, at) = (nth + 1, G::number(lexeme.bytes, at).1);
            }
            let end = lexeme.start + G::number(lexeme.bytes, at).0;
            let steps = vec![Step::Index(index), Step::Index(nth), Step::Field(VALUE.name.into())];
            leaves.push((steps, start as u64..end as u64));
        }
        leaves
    }
}

/// The numbers of a run, each with the gap behind it.
fn entries<G: Grammar>(run: &[u8]) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        (start < run.len()).then(|| {
            let (value, gap) = G::number(run, start);
            at = gap;
            (start..value, value..gap)
        })
    })
}

/// Cuts a text that is known to consist of lexemes.
struct Cursor<'a, G: Grammar> {
    text: &'a [u8],
    at: usize,
    state: G::State,
}

impl<'a, G: Grammar> Iterator for Cursor<'a, G> {
    type Item = Lexeme<'a, G::Kind>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.text.len() {
            return None;
        }
        let start = self.at;
        let (kind, end) = G::lexeme(self.text, start, &mut self.state).ok()?;
        self.at = end;
        Some(Lexeme { kind, start, bytes: &self.text[start..end] })
    }
}

impl<G: Grammar> fmt::Debug for TokenText<G> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = &self.text[..self.text.len().min(80)];
        write!(out, "TokenText({} in {} bytes: \"{}\")", self.len, self.text.len(), head.escape_ascii())
    }
}

impl<G: Grammar> Default for TokenText<G> {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

/// A text that must be more than lexemes: `parse_with = scanned_with, args(syntax)`.
///
/// # Errors
/// Only those of the reader; what makes no sense is where the text ends.
pub fn scanned_with<G, S, R>(reader: &mut R, _: Endian, (mut syntax,): (S,)) -> BinResult<TokenText<G>>
where
    G: Grammar,
    S: Syntax<G::Kind>,
    R: Read + Seek,
{
    let start = reader.stream_position()?;
    let mut text = Vec::new();
    reader.read_to_end(&mut text)?;
    let lexemes = TokenText::parse(text, start, &mut syntax);
    reader.seek(SeekFrom::Start(start + lexemes.text.len() as u64))?;
    Ok(lexemes)
}

impl<G: Grammar> BinRead for TokenText<G> {
    type Args<'a> = ();

    fn read_options<R: Read + Seek>(reader: &mut R, endian: Endian, (): ()) -> BinResult<Self> {
        scanned_with(reader, endian, ((),))
    }
}

impl<G: Grammar> BinWrite for TokenText<G> {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, _: Endian, (): ()) -> BinResult<()> {
        Ok(writer.write_all(&self.text)?)
    }
}

impl<G: Grammar> Schema for TokenText<G> {
    fn shape() -> Shape {
        G::shape()
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::default()
    }
}

impl<G: Grammar> Value for TokenText<G> {
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

impl<G: Grammar> Items for TokenText<G> {
    fn len(&self) -> usize {
        self.len
    }
    fn is_section(&self) -> bool {
        true
    }
    fn text(&self) -> Option<&[u8]> {
        Some(&self.text)
    }
    fn stopped(&self) -> Option<&Error> {
        self.stopped.as_ref()
    }

    fn each(
        &self,
        first: usize,
        visit: &mut dyn FnMut(usize, &dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let numbered = (first..).zip(self.iter_from(first));
        { numbered }.try_for_each(|(index, lexeme)| match lexeme.kind.run() {
            Some(parts) => visit(index, &Run::<G>::new(parts, lexeme.bytes)),
            None => visit(index, &Spelling::<G>::new(lexeme.kind, lexeme.bytes)),
        })
    }

    fn change(
        &mut self,
        indices: &[usize],
        change: &mut dyn FnMut(usize, &mut dyn Value) -> Result<()>,
    ) -> Result<()> {
        let mut edits = Vec::new();
        let mut indices = indices.iter().copied().peekable();
        let first = indices.peek().copied().unwrap_or(0);
        for (index, lexeme) in (first..).zip(self.iter_from(first)) {
            while indices.next_if_eq(&index).is_some() {
                let Lexeme { kind, start, bytes } = lexeme;
                if let Some(parts) = kind.run() {
                    let mut run = Run::<G>::new(parts, bytes);
                    change(index, &mut run)?;
                    let moved = |(Range { start: from, end: to }, new)| Edit {
                        index,
                        range: start + from..start + to,
                        new,
                    };
                    edits.extend(run.edits.into_iter().map(moved));
                } else {
                    let mut spelling = Spelling::<G>::new(kind, bytes);
                    change(index, &mut spelling)?;
                    edits.extend(spelling.changed().map(|new| Edit { index, range: lexeme.range(), new }));
                }
            }
            if indices.peek().is_none() {
                break;
            }
        }
        let place = edits.first().map_or(0, |edit| edit.range.start);
        self.replace_spans(&edits).map_err(|why| Error::new(place as u64, ErrorKind::Value(why)))
    }
}
