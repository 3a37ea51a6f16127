//! Text files as a flat list of tokens, which are split on demand.
//!
//! Every byte of the text belongs to one token, so encoding copies the text. The text is stored once and tokens are
//! split on demand: a token takes no memory, and a run of numbers is one token of any length. In addition to the bytes,
//! only the start of every 64th token is stored, the ends of long ones, and a few numbers of each run: the time to find
//! a token or number does not depend on the text before it.

mod leaves;
mod long;
mod pieces;
mod plain;
mod replace_spans;
mod special;
mod splitter;

use std::fmt;
use std::io::{Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use self::leaves::{Run, Spelling, VALUE};
use self::long::{LONG, LongToken, LongTokens};
#[doc(hidden)]
pub use self::pieces::deepest_in_pieces;
#[doc(hidden)]
pub use self::plain::{plain_double, plain_integer, plain_scalar, plain_single};
use self::replace_spans::Edit;
#[doc(hidden)]
pub use self::special::{special_float, special_word};
#[doc(hidden)]
pub use self::splitter::Splitter;
use crate::schema::{EditError, ElementAt, Items, Node, NodeMut, Schema, Shape, Step, Value};
use crate::wire::{Rest, charge};
use crate::{Error, ErrorKind, Result};

/// The distance between stored token starts.
const STRIDE: usize = 64;

/// How the text of a format is split into tokens.
///
/// A token depends on the bytes from its start on and on the state, but not on the bytes before it, nor on bytes after
/// a place where no token can start.
pub trait Grammar: Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// The type of token kinds.
    type Kind: TokenClass + Send + Sync;
    /// The state that depends on the tokens before; `()` if there is none.
    type State: Copy + Default + PartialEq + fmt::Debug + Send + Sync;

    /// Returns the kind and the end of the token that starts at byte `at` within the text. An empty token changes the
    /// state.
    ///
    /// # Errors
    /// Why no token can start there; the text ends before it.
    fn token(text: &[u8], at: usize, state: &mut Self::State) -> Result<(Self::Kind, usize), String>;

    /// Returns the end of the number at `at` within a run, and the end of the gap after it.
    fn number(run: &[u8], _at: usize) -> (usize, usize) {
        (run.len(), run.len())
    }

    /// Returns whether the text is one number of a run.
    fn is_number(_spelling: &[u8]) -> bool {
        false
    }

    /// Returns the static description of the text.
    fn shape() -> Shape;
}

/// The kind of a token, for formats that need other kinds than [`TokenKind`].
pub trait TokenClass: Copy + fmt::Debug + PartialEq + 'static {
    /// Returns the name of the kind: `number`, `text`.
    fn name(self) -> &'static str;

    /// Checks whether a token may be replaced by another text. The caller checks that the new text has the same kind.
    ///
    /// # Errors
    /// Why the replacement is not allowed.
    fn accepts(self, old: &[u8], new: &[u8]) -> Result<(), EditError>;

    /// Returns whether the first and last byte are quotes.
    fn is_quoted(self) -> bool {
        false
    }

    /// Returns why the token is damaged, if it is.
    fn damage(self) -> Option<&'static str> {
        None
    }

    /// Returns the definitions of the numbers and gaps of a run, if the token is one.
    fn run(self) -> Option<[Self; 2]> {
        None
    }

    /// Returns whether the token has no meaning, as white space and comments.
    fn is_trivia(self) -> bool {
        false
    }

    /// Returns the number of open elements after the token, from the number before it.
    fn depth_after(self, _token: &[u8], depth: usize) -> usize {
        depth
    }
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// White space.
    Blank,
    /// A comment.
    Comment,
    /// Punctuation: a brace, a separator.
    Mark,
    /// A name or keyword.
    Word,
    /// Quoted text.
    Quoted,
    /// Quoted text without its closing quote.
    Unclosed,
    /// A run of numbers, each with the separators and white space after it.
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
            Self::Unclosed => "unclosed",
            Self::Numbers => "number",
        }
    }
    fn accepts(self, _: &[u8], _: &[u8]) -> Result<(), EditError> {
        match self {
            Self::Mark => Err("punctuation cannot be changed".into()),
            _ => Ok(()),
        }
    }
    fn is_quoted(self) -> bool {
        self == Self::Quoted
    }
    fn damage(self) -> Option<&'static str> {
        (self == Self::Unclosed).then_some("the closing quote of a string is missing")
    }
    fn is_trivia(self) -> bool {
        matches!(self, Self::Blank | Self::Comment)
    }
    fn run(self) -> Option<[Self; 2]> {
        (self == Self::Numbers).then_some([Self::Numbers, Self::Blank])
    }
    fn depth_after(self, token: &[u8], depth: usize) -> usize {
        match (self, token) {
            (Self::Mark, b"{") => depth + 1,
            (Self::Mark, b"}") => depth.saturating_sub(1),
            _ => depth,
        }
    }
}

/// A token of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a, K = TokenKind> {
    /// The kind of the token.
    pub kind: K,
    /// The offset in the text.
    pub start: usize,
    /// The bytes of the token.
    pub bytes: &'a [u8],
}

impl<K> Token<'_, K> {
    /// Returns the byte range in the text.
    #[must_use]
    pub const fn range(&self) -> Range<usize> {
        self.start..self.start + self.bytes.len()
    }
}

/// The grammar of a text. It is called for each token, once and in order, while the text is read.
pub trait Syntax<K> {
    /// Checks whether a token can follow the previous ones.
    ///
    /// # Errors
    /// Why it cannot; the text ends before it.
    fn follows(&mut self, token: &Token<'_, K>) -> Result<(), String>;

    /// Checks whether the text can end here.
    ///
    /// # Errors
    /// What is missing.
    fn ends(&self) -> Result<(), String>;
}

/// Accepts any tokens.
impl<K> Syntax<K> for () {
    fn follows(&mut self, _: &Token<'_, K>) -> Result<(), String> {
        Ok(())
    }
    fn ends(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The text of a file as tokens. It ends where no token can start; the bytes after that are in the file's
/// [`Rest`].
#[derive(Clone, PartialEq)]
pub struct TokenText<G: Grammar> {
    text: Vec<u8>,
    len: usize,
    stops: Vec<(usize, G::State)>,
    long: LongTokens<G>,
    stopped: Option<Error>,
    /// The largest number of elements around a token.
    deepest: usize,
    grammar: PhantomData<G>,
}

impl<G: Grammar> TokenText<G> {
    /// Splits a text. The error states where it becomes invalid, if it does.
    #[must_use]
    pub fn new(text: Vec<u8>) -> Self {
        Self::parse(text, 0, ())
    }

    fn parse(text: Vec<u8>, offset: u64, syntax: impl Syntax<G::Kind>) -> Self {
        Self::parse_with(text, offset, syntax, |_| ()).0
    }

    /// Splits a text at an offset in a file. `visit` gets the tokens, which are split as it takes them; it need not take all.
    #[doc(hidden)]
    pub fn parse_with<S: Syntax<G::Kind>, T>(
        mut text: Vec<u8>,
        offset: u64,
        syntax: S,
        visit: impl FnOnce(&mut Splitter<'_, G, S>) -> T,
    ) -> (Self, T) {
        let mut tokens = Splitter::new(&text, syntax);
        let visited = visit(&mut tokens);
        let (mut tokens, end) = tokens.finish(offset);
        text.truncate(end);
        tokens.text = text;
        (tokens, visited)
    }

    /// Returns the bytes of all tokens.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the number of tokens.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns the largest number of elements around a token.
    #[must_use]
    pub const fn deepest(&self) -> usize {
        self.deepest
    }

    /// Returns where the first element begins that has at least this many others around it.
    #[must_use]
    pub fn first_too_deep(&self, most: usize) -> Option<usize> {
        if self.deepest <= most {
            return None;
        }
        let mut depth = 0;
        let mut tokens = self.iter();
        let too_deep = tokens.find(|token| {
            depth = token.kind.depth_after(token.bytes, depth);
            depth > most
        });
        too_deep.map(|token| token.start)
    }

    /// Returns whether there are no tokens.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns where and why the text is damaged; the first place if there are several.
    #[must_use]
    pub const fn stopped(&self) -> Option<&Error> {
        self.stopped.as_ref()
    }

    /// Returns all tokens.
    pub fn iter(&self) -> impl Iterator<Item = Token<'_, G::Kind>> {
        self.iter_from(0)
    }

    /// Returns the tokens from an index on, in constant time.
    pub fn iter_from(&self, index: usize) -> impl Iterator<Item = Token<'_, G::Kind>> {
        let (at, state) =
            self.stops.get(index / STRIDE).copied().unwrap_or((self.text.len(), G::State::default()));
        let mut tokens = self.iter_at(at, state);
        for _ in 0..index % STRIDE {
            tokens.next();
        }
        tokens
    }

    /// Returns the tokens from one with a known start and state.
    pub fn iter_at(&self, start: usize, state: G::State) -> impl Iterator<Item = Token<'_, G::Kind>> {
        self.cursor(start, state)
    }

    fn cursor(&self, at: usize, state: G::State) -> Cursor<'_, G> {
        Cursor { text: &self.text, at, state, long: self.long.from(at) }
    }

    /// Returns a token as a run of numbers, if it is one.
    fn run<'a>(&'a self, token: &Token<'a, G::Kind>) -> Option<Run<'a, G>> {
        let parts = token.kind.run()?;
        let numbers = if token.bytes.len() < LONG { None } else { self.long.numbers(token.start) };
        Some(Run::new(parts, token.bytes, numbers))
    }

    /// Returns the index and the start of the token that contains a byte of the text.
    #[must_use]
    pub fn index_at(&self, byte: usize) -> Option<(usize, usize)> {
        let (first, _) = self.seek(ElementAt::Byte(byte));
        let mut tokens = (first..).zip(self.iter_from(first));
        tokens.find(|(_, token)| byte < token.range().end).map(|(index, token)| (index, token.start))
    }

    /// Returns the paths and the byte ranges of the leaves that start at some ascending bytes of the text.
    pub fn leaves_at(&self, starts: impl Iterator<Item = usize>) -> Vec<(Vec<Step>, Range<u64>)> {
        let mut leaves = Vec::new();
        let mut here: Option<(usize, Token<'_, G::Kind>)> = None;
        let (mut nth, mut at) = (0, 0);
        for start in starts {
            if here.is_none_or(|(_, token)| start >= token.range().end) {
                let found = self.index_at(start).map(|(index, _)| index);
                here = found.and_then(|index| Some((index, self.iter_from(index).next()?)));
                (nth, at) = (0, 0);
            }
            let Some((index, token)) = here else { break };
            let Some(run) = self.run(&token) else {
                let Range { start, end } = token.range();
                leaves.push((vec![Step::Index(index)], start as u64..end as u64));
                continue;
            };
            if start - token.start > at + LONG {
                (nth, at) = run.seek(ElementAt::Byte(start - token.start)).max((nth, at));
            }
            while token.start + at < start {
                (nth, at) = (nth + 1, G::number(token.bytes, at).1);
            }
            let end = token.start + G::number(token.bytes, at).0;
            let steps = vec![Step::Index(index), Step::Index(nth), Step::Field(VALUE.name.into())];
            leaves.push((steps, start as u64..end as u64));
        }
        leaves
    }
}

/// Returns the numbers of a run from the start of one on, each with the gap after it.
fn entries<G: Grammar>(run: &[u8], mut at: usize) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    std::iter::from_fn(move || {
        let start = at;
        (start < run.len()).then(|| {
            let (value, gap) = G::number(run, start);
            at = gap;
            (start..value, value..gap)
        })
    })
}

/// Splits a text from a token with a known start and state on, each token when it is requested. Ends where no token can
/// start.
pub fn tokens_at<G: Grammar>(
    text: &[u8],
    start: usize,
    state: G::State,
) -> impl Iterator<Item = Token<'_, G::Kind>> {
    Cursor::<G> { text, at: start, state, long: &[] }
}

/// Splits a text.
struct Cursor<'a, G: Grammar> {
    text: &'a [u8],
    at: usize,
    state: G::State,
    /// The known tokens from here on.
    long: &'a [LongToken<G>],
}

impl<'a, G: Grammar> Iterator for Cursor<'a, G> {
    type Item = Token<'a, G::Kind>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.text.len() {
            return None;
        }
        let start = self.at;
        let (kind, end) = match self.long.split_first() {
            Some((known, further)) if known.start == start && known.before == self.state => {
                (self.long, self.state) = (further, known.after);
                (known.kind, known.end)
            }
            _ => G::token(self.text, start, &mut self.state).ok()?,
        };
        self.at = end;
        Some(Token { kind, start, bytes: &self.text[start..end] })
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

/// Reads a text with a grammar: `parse_with = scanned_with, args(syntax)`.
///
/// # Errors
/// Errors of the reader. The text ends before the first invalid token.
pub fn scanned_with<G, S, R>(reader: &mut R, _: Endian, (syntax,): (S,)) -> BinResult<TokenText<G>>
where
    G: Grammar,
    S: Syntax<G::Kind>,
    R: Read + Seek,
{
    scanned_while(reader, syntax, |_| ()).map(|(tokens, ())| tokens)
}

/// Reads a text with a grammar. `visit` gets the tokens, which are split as it takes them; it need not take all.
///
/// # Errors
/// As [`scanned_with`].
#[doc(hidden)]
pub fn scanned_while<G, S, R, T>(
    reader: &mut R,
    syntax: S,
    visit: impl FnOnce(&mut Splitter<'_, G, S>) -> T,
) -> BinResult<(TokenText<G>, T)>
where
    G: Grammar,
    S: Syntax<G::Kind>,
    R: Read + Seek,
{
    let start = reader.stream_position()?;
    let text = Rest::read_options(reader, Endian::Little, ())?.0;
    charge_index::<G>(reader, text.len())?;
    let (tokens, visited) = TokenText::parse_with(text, start, syntax, visit);
    reader.seek(SeekFrom::Start(start + tokens.text.len() as u64))?;
    Ok((tokens, visited))
}

/// Splits an unpacked text with a grammar, without a copy. Returns the bytes after the last token as well. The text is
/// already charged to the reader of its file.
///
/// # Errors
/// When a limit is exceeded.
#[doc(hidden)]
pub fn scanned<G: Grammar>(
    reader: &mut (impl Seek + ?Sized),
    mut text: Vec<u8>,
    syntax: impl Syntax<G::Kind>,
) -> BinResult<(TokenText<G>, Vec<u8>)> {
    charge_index::<G>(reader, text.len())?;
    let (tokens, end) = Splitter::new(&text, syntax).finish(0);
    charge(reader, text.len() - end)?;
    let rest = text.split_off(end);
    Ok((TokenText { text, ..tokens }, rest))
}

/// Charges the memory of the starts and long tokens of a text of this length.
fn charge_index<G: Grammar>(reader: &mut (impl Seek + ?Sized), len: usize) -> BinResult<()> {
    // The list of starts doubles when it grows.
    charge(reader, 2 * (len / STRIDE + 1) * size_of::<(usize, G::State)>())?;
    charge(reader, 2 * (len / LONG) * size_of::<LongToken<G>>())
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

    /// Before a byte can be an empty token, which starts there as well.
    fn seek(&self, to: ElementAt) -> (usize, usize) {
        let stop = match to {
            ElementAt::Index(index) => index / STRIDE,
            ElementAt::Byte(byte) => self.stops.partition_point(|(start, _)| *start < byte).saturating_sub(1),
        };
        self.stops.get(stop).map_or((self.len, self.text.len()), |(start, _)| (stop * STRIDE, *start))
    }

    fn each(
        &self,
        first: usize,
        visit: &mut dyn FnMut(usize, &dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let numbered = (first..).zip(self.iter_from(first));
        { numbered }.try_for_each(|(index, token)| match self.run(&token) {
            Some(run) => visit(index, &run),
            None => visit(index, &Spelling::<G>::new(token.kind, token.bytes)),
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
        for (index, token) in (first..).zip(self.iter_from(first)) {
            while indices.next_if_eq(&index).is_some() {
                let Token { kind, start, bytes } = token;
                if let Some(mut run) = self.run(&token) {
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
                    edits.extend(spelling.changed().map(|new| Edit { index, range: token.range(), new }));
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
