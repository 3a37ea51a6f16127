//! Large text as a flat list of lexemes, cut anew whenever it is looked at.
//!
//! Every byte of the text belongs to one lexeme, so writing is copying. The bytes are held once and cut on the way: a
//! lexeme costs no memory, a run of numbers is one lexeme however long, and each number in it is made when it is asked
//! for. Beside the bytes only every [64th](STRIDE) start is kept.

mod leaves;
mod respell;

use std::fmt;
use std::io::{Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use self::leaves::{Run, Spelling, VALUE};
use crate::schema::{Items, Node, NodeMut, Schema, Shape, Step, Value};
use crate::{Error, Kind, Result};

/// One start in so many is kept.
const STRIDE: usize = 64;

/// How the text of a format falls into lexemes.
///
/// A lexeme depends on what begins at its start and on the state, never on what lies before.
pub trait Grammar: Clone + fmt::Debug + PartialEq + 'static {
    /// What must be known of the lexemes before; `()` where nothing must.
    type State: Copy + Default + PartialEq + fmt::Debug;

    /// The lexeme that starts at byte `at`, which is within the text: its kind and where it ends.
    ///
    /// # Errors
    /// Says why nothing can start there; the text ends before it.
    fn lexeme(text: &[u8], at: usize, state: &mut Self::State) -> Result<(Lexis, usize), String>;

    /// Within a run of numbers: where the number at `at` ends, and where the gap behind it does.
    fn number(run: &[u8], at: usize) -> (usize, usize);

    /// Whether this spells one number.
    fn is_number(spelling: &[u8]) -> bool;

    /// The published description of the text.
    fn shape() -> Shape;
}

/// What a lexeme is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lexis {
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

impl Lexis {
    const fn name(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Comment => "comment",
            Self::Mark => "mark",
            Self::Word => "word",
            Self::Quoted => "quoted",
            Self::Numbers => "number",
        }
    }
}

/// A lexeme of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lexeme<'a> {
    /// What it is.
    pub kind: Lexis,
    /// Where it starts in the text.
    pub start: usize,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// The text of a file as lexemes; it ends where none can start, and the rest is left to the file's
/// [`Rest`](super::Rest).
#[derive(Clone, PartialEq)]
pub struct Scanned<G: Grammar> {
    text: Vec<u8>,
    len: usize,
    stops: Vec<(usize, G::State)>,
    stopped: Option<Error>,
    grammar: PhantomData<G>,
}

impl<G: Grammar> Scanned<G> {
    /// A text; its error says where it stops being one, if it does.
    #[must_use]
    pub fn new(text: Vec<u8>) -> Self {
        Self::at_offset(text, 0)
    }

    fn at_offset(mut text: Vec<u8>, offset: u64) -> Self {
        let (mut stops, mut stopped) = (Vec::new(), None);
        let (mut at, mut len, mut state) = (0, 0, G::State::default());
        while at < text.len() {
            if len % STRIDE == 0 {
                stops.push((at, state));
            }
            match G::lexeme(&text, at, &mut state) {
                Ok((_, end)) => at = end,
                Err(why) => {
                    stopped = Some(Error::new(offset + at as u64, Kind::Syntax(why)));
                    break;
                }
            }
            len += 1;
        }
        text.truncate(at);
        stops.truncate(len.div_ceil(STRIDE));
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
    pub fn iter(&self) -> impl Iterator<Item = Lexeme<'_>> {
        self.iter_from(0)
    }

    /// The lexemes from an index on; quick wherever it is.
    pub fn iter_from(&self, index: usize) -> impl Iterator<Item = Lexeme<'_>> {
        let (at, state) =
            self.stops.get(index / STRIDE).copied().unwrap_or((self.text.len(), G::State::default()));
        Cursor::<G> { text: &self.text, at, state }.skip(index % STRIDE)
    }

    /// The index of the lexeme that holds a byte of the text, and where it starts.
    #[must_use]
    pub fn index_at(&self, byte: usize) -> Option<(usize, usize)> {
        let stop = self.stops.partition_point(|(start, _)| *start <= byte).checked_sub(1)?;
        let first = stop * STRIDE;
        let nth = self.iter_from(first).position(|lexeme| byte < lexeme.start + lexeme.bytes.len())?;
        let lexeme = self.iter_from(first + nth).next()?;
        Some((first + nth, lexeme.start))
    }

    /// The leaves that start at some ascending bytes of the text: their steps from here, and their bytes.
    pub(crate) fn leaves_at(&self, starts: impl Iterator<Item = usize>) -> Vec<(Vec<Step>, Range<u64>)> {
        let mut leaves = Vec::new();
        let mut here: Option<(usize, Lexeme<'_>)> = None;
        let (mut nth, mut at) = (0, 0);
        for start in starts {
            if here.is_none_or(|(_, lexeme)| start >= lexeme.start + lexeme.bytes.len()) {
                let found = self.index_at(start).map(|(index, _)| index);
                here = found.and_then(|index| Some((index, self.iter_from(index).next()?)));
                (nth, at) = (0, 0);
            }
            let Some((index, lexeme)) = here else { break };
            if lexeme.kind != Lexis::Numbers {
                let end = lexeme.start + lexeme.bytes.len();
                leaves.push((vec![Step::Index(index)], lexeme.start as u64..end as u64));
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
    type Item = Lexeme<'a>;

    fn next(&mut self) -> Option<Lexeme<'a>> {
        if self.at >= self.text.len() {
            return None;
        }
        let start = self.at;
        let (kind, end) = G::lexeme(self.text, start, &mut self.state).ok()?;
        self.at = end;
        Some(Lexeme { kind, start, bytes: &self.text[start..end] })
    }
}

impl<G: Grammar> fmt::Debug for Scanned<G> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = &self.text[..self.text.len().min(80)];
        write!(out, "Scanned({} in {} bytes: \"{}\")", self.len, self.text.len(), head.escape_ascii())
    }
}

impl<G: Grammar> Default for Scanned<G> {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl<G: Grammar> BinRead for Scanned<G> {
    type Args<'a> = ();

    fn read_options<R: Read + Seek>(reader: &mut R, _: Endian, (): ()) -> BinResult<Self> {
        let start = reader.stream_position()?;
        let mut text = Vec::new();
        reader.read_to_end(&mut text)?;
        let lexemes = Self::at_offset(text, start);
        reader.seek(SeekFrom::Start(start + lexemes.text.len() as u64))?;
        Ok(lexemes)
    }
}

impl<G: Grammar> BinWrite for Scanned<G> {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, _: Endian, (): ()) -> BinResult<()> {
        Ok(writer.write_all(&self.text)?)
    }
}

impl<G: Grammar> Schema for Scanned<G> {
    fn shape() -> Shape {
        G::shape()
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::default()
    }
}

impl<G: Grammar> Value for Scanned<G> {
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

impl<G: Grammar> Items for Scanned<G> {
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
        { numbered }.try_for_each(|(index, lexeme)| match lexeme.kind {
            Lexis::Numbers => visit(index, &Run::<G>::new(lexeme.bytes)),
            kind => visit(index, &Spelling::<G>::new(kind, lexeme.bytes)),
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
                if kind == Lexis::Numbers {
                    let mut run = Run::<G>::new(bytes);
                    change(index, &mut run)?;
                    let moved = run
                        .edits
                        .into_iter()
                        .map(|(range, new)| (start + range.start..start + range.end, new));
                    edits.extend(moved);
                } else {
                    let mut spelling = Spelling::<G>::new(kind, bytes);
                    change(index, &mut spelling)?;
                    edits.extend(spelling.changed().map(|new| (start..start + bytes.len(), new)));
                }
            }
            if indices.peek().is_none() {
                break;
            }
        }
        let place = edits.first().map_or(0, |(range, _)| range.start);
        self.respell(&edits).map_err(|why| Error::new(place as u64, Kind::Value(why.0)))
    }
}
