//! Large text as a flat list of lexemes, cut anew whenever it is looked at.
//!
//! Every byte of the text belongs to one lexeme, so writing is copying. The bytes are held once and cut on the way: a
//! lexeme costs no memory, a run of numbers is one lexeme however long, and each number in it is made when it is asked
//! for. Beside the bytes only every [64th](STRIDE) start is kept.

use std::borrow::Cow;
use std::fmt;
use std::io::{Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::ops::ControlFlow::{self, Continue};
use std::ops::Range;

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::{escape, unescape};
use crate::schema::{
    Class, FieldInfo, Items, Leaf, Node, NodeMut, Origin, Record, Refusal, Role, Schema, Shape, Step, Value,
    Visit,
};
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

    /// Changes the bytes of some places; all lexemes and numbers must stay what they are.
    fn respell(&mut self, edits: &[(Range<usize>, Vec<u8>)]) -> Result<(), Refusal> {
        let Some((first, last)) = edits.first().zip(edits.last()) else { return Ok(()) };
        let mut text = Vec::with_capacity(self.text.len());
        let mut at = 0;
        for (range, new) in edits {
            text.extend_from_slice(&self.text[at..range.start]);
            text.extend_from_slice(new);
            at = range.end;
        }
        text.extend_from_slice(&self.text[at..]);

        // A stride before the edit: what stands there may look ahead as far as this.
        let from = self.stops.partition_point(|(start, _)| *start < first.0.start).saturating_sub(2);
        let (start, state) = self.stops.get(from).copied().unwrap_or_default();
        let mut old = Cursor::<G> { text: &self.text, at: start, state };
        let mut new = Cursor::<G> { text: &text, at: start, state };
        let mut moved = Moved { edits, shift: 0 };
        while let Some(was) = old.next() {
            let is = new.next().filter(|is| is.kind == was.kind).ok_or(OTHERWISE)?;
            let same = if was.kind == Lexis::Numbers {
                same_numbers::<G>(was, is, &mut moved)
            } else {
                moved.to(was.start + was.bytes.len()) == is.start + is.bytes.len()
            };
            if !same || old.state != new.state {
                return Err(OTHERWISE.into());
            }
            // Behind the lexeme that follows the last edit nothing can differ.
            if was.start >= last.0.end {
                break;
            }
        }
        let mut moved = Moved { edits, shift: 0 };
        for (start, _) in &mut self.stops {
            *start = moved.to(*start);
        }
        self.text = text;
        Ok(())
    }
}

const OTHERWISE: &str = "would be read as something else there";

/// Where places of the old text lie in the new one; asked in ascending order.
struct Moved<'a> {
    edits: &'a [(Range<usize>, Vec<u8>)],
    shift: isize,
}

impl Moved<'_> {
    fn to(&mut self, place: usize) -> usize {
        while let Some(((range, new), further)) =
            self.edits.split_first().filter(|((range, _), _)| range.end <= place)
        {
            self.shift += new.len().cast_signed() - range.len().cast_signed();
            self.edits = further;
        }
        place.saturating_add_signed(self.shift)
    }
}

fn same_numbers<G: Grammar>(was: Lexeme<'_>, is: Lexeme<'_>, moved: &mut Moved<'_>) -> bool {
    let mut new = entries::<G>(is.bytes);
    let mut same = |(value, gap): (Range<usize>, Range<usize>)| {
        new.next().is_some_and(|(new_value, new_gap)| {
            moved.to(was.start + value.end) == is.start + new_value.end
                && moved.to(was.start + gap.end) == is.start + new_gap.end
        })
    };
    entries::<G>(was.bytes).all(&mut same) && new.next().is_none()
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

/// A lexeme or a number, made for a visit; an edit is kept until the list takes it.
struct Spelling<'a, G> {
    kind: Lexis,
    bytes: Cow<'a, [u8]>,
    grammar: PhantomData<G>,
}

impl<'a, G: Grammar> Spelling<'a, G> {
    const fn new(kind: Lexis, bytes: &'a [u8]) -> Self {
        Self { kind, bytes: Cow::Borrowed(bytes), grammar: PhantomData }
    }

    fn changed(self) -> Option<Vec<u8>> {
        match self.bytes {
            Cow::Owned(new) => Some(new),
            Cow::Borrowed(_) => None,
        }
    }

    /// What the lexeme says, without the bytes that quote it.
    fn meant(&self) -> &[u8] {
        match (self.kind, &*self.bytes) {
            (Lexis::Quoted, [_, inner @ .., _]) => inner,
            (_, bytes) => bytes,
        }
    }
}

impl<G: Grammar> Value for Spelling<'_, G> {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn node(&self) -> Node<'_> {
        Node::Leaf(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Leaf(self)
    }
}

impl<G: Grammar> Leaf for Spelling<'_, G> {
    fn type_name(&self) -> &'static str {
        self.kind.name()
    }
    fn class(&self) -> Class {
        Class::Spelling
    }
    fn bytes(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes);
    }
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str(&escape(self.meant()))
    }
    fn assign(&mut self, text: &str) -> Result<(), Refusal> {
        let mut new = unescape(text)?;
        if let (Lexis::Quoted, [open, .., close]) = (self.kind, &*self.bytes) {
            new.insert(0, *open);
            new.push(*close);
        }
        self.assign_bytes(&new)
    }
    fn assign_bytes(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        if *bytes == *self.bytes {
            return Ok(());
        }
        match self.kind {
            Lexis::Mark => return Err("a mark holds the text together; another one would break it".into()),
            Lexis::Numbers if !G::is_number(bytes) => {
                return Err(format!("`{}` is no number", escape(bytes)).into());
            }
            _ => {}
        }
        self.bytes = Cow::Owned(bytes.to_vec());
        Ok(())
    }
}

/// A run of numbers, made for a visit.
struct Run<'a, G> {
    bytes: &'a [u8],
    edits: Vec<(Range<usize>, Vec<u8>)>,
    grammar: PhantomData<G>,
}

impl<'a, G: Grammar> Run<'a, G> {
    const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, edits: Vec::new(), grammar: PhantomData }
    }

    fn entry(&self, (value, gap): (Range<usize>, Range<usize>)) -> Entry<'a, G> {
        Entry {
            value: Spelling::new(Lexis::Numbers, &self.bytes[value]),
            gap: Spelling::new(Lexis::Blank, &self.bytes[gap]),
        }
    }
}

impl<G: Grammar> Value for Run<'_, G> {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn node(&self) -> Node<'_> {
        Node::Items(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Items(self)
    }
}

impl<G: Grammar> Items for Run<'_, G> {
    fn len(&self) -> usize {
        entries::<G>(self.bytes).count()
    }
    fn is_section(&self) -> bool {
        true
    }

    fn each(
        &self,
        first: usize,
        visit: &mut dyn FnMut(usize, &dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        entries::<G>(self.bytes)
            .enumerate()
            .skip(first)
            .try_for_each(|(index, entry)| visit(index, &self.entry(entry)))
    }

    fn change(
        &mut self,
        indices: &[usize],
        change: &mut dyn FnMut(usize, &mut dyn Value) -> Result<()>,
    ) -> Result<()> {
        let mut indices = indices.iter().copied().peekable();
        for (index, (value, gap)) in entries::<G>(self.bytes).enumerate() {
            while indices.next_if_eq(&index).is_some() {
                let mut entry = self.entry((value.clone(), gap.clone()));
                change(index, &mut entry)?;
                self.edits.extend(entry.value.changed().map(|new| (value.clone(), new)));
                self.edits.extend(entry.gap.changed().map(|new| (gap.clone(), new)));
            }
            if indices.peek().is_none() {
                break;
            }
        }
        Ok(())
    }
}

/// A number and what separates it from the next.
struct Entry<'a, G> {
    value: Spelling<'a, G>,
    gap: Spelling<'a, G>,
}

static VALUE: FieldInfo = part("value", "The number as it is spelled.");
static GAP: FieldInfo = part("gap", "Separators and white space behind it.");

const fn part(name: &'static str, doc: &'static str) -> FieldInfo {
    FieldInfo { name, doc, role: Role::Free, origin: Origin::Stored, sisters: &[] }
}

impl<G: Grammar> Value for Entry<'_, G> {
    fn size(&self) -> u64 {
        self.value.size() + self.gap.size()
    }
    fn node(&self) -> Node<'_> {
        Node::Record(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Record(self)
    }
}

impl<G: Grammar> Record for Entry<'_, G> {
    fn type_name(&self) -> &'static str {
        "Number"
    }
    fn fields(&self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        visit(&VALUE, &self.value)?;
        if self.gap.bytes.is_empty() { Continue(()) } else { visit(&GAP, &self.gap) }
    }
    fn field_mut(&mut self, name: &str) -> Option<&mut dyn Value> {
        match name {
            "value" => Some(&mut self.value),
            "gap" => Some(&mut self.gap),
            _ => None,
        }
    }
}
