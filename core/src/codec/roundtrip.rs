//! Round trips: decode, encode, compare.

use std::fmt;
use std::ops::{ControlFlow, Range};

use binrw::{BinWrite, Endian};

use super::{Format, Limits, Options};
use crate::error::counted;
use crate::schema::{
    Class, FieldPath, Leaf, Location, Node, Place, Step, Structure, Value, Visitor, bytes_of, each_of_all,
    find_field, ranges, sections, truncation, walk,
};
use crate::wire::CompareWriter;
use crate::wire::into_error;
use crate::{Error, ErrorKind, Result};

/// The result of a round trip.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The dialect of the file, if the format has several.
    pub dialect: Option<&'static str>,
    /// The program that wrote the file, if it left marks.
    pub writer: Option<&'static str>,
    /// Well-delimited bytes without known meaning.
    pub opaque: u64,
    /// Bytes after the place where decoding stopped.
    pub rest: u64,
}

impl Outcome {
    /// Returns the outcome of a file without a dialect, a known writer and bytes without meaning.
    #[must_use]
    pub const fn new(verdict: Verdict) -> Self {
        Self { verdict, dialect: None, writer: None, opaque: 0, rest: 0 }
    }
}

/// Whether a file re-encodes identically.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// Valid, and re-encodes identically.
    Lossless,
    /// Re-encodes identically but is damaged; the error states where and why.
    Damaged(Error),
    /// Cannot be decoded.
    Undecodable(Error),
    /// Exceeds a limit.
    Limit(Error),
    /// Re-encodes differently, or a byte has no path: a bug in the format's definition.
    NotLossless(Error),
}

impl Verdict {
    /// Returns the name in reports: `lossless`, `damaged`, `undecodable`, `limit` or `not-lossless`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Lossless => "lossless",
            Self::Damaged(_) => "damaged",
            Self::Undecodable(_) => "undecodable",
            Self::Limit(_) => "limit",
            Self::NotLossless(_) => "not-lossless",
        }
    }

    /// Returns the error, if there is one.
    #[must_use]
    pub const fn error(&self) -> Option<&Error> {
        match self {
            Self::Lossless => None,
            Self::Damaged(error)
            | Self::Undecodable(error)
            | Self::Limit(error)
            | Self::NotLossless(error) => Some(error),
        }
    }
}

/// The name, and the error if there is one.
impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())?;
        self.error().map_or(Ok(()), |error| write!(out, ": {error}"))
    }
}

/// Decodes, encodes and compares; verifies that the parts tile the file.
///
/// Needs no second copy of the bytes.
///
/// ```
/// use bindpose::codec::{Format, Options, Verdict, roundtrip};
/// use bindpose::formats::ms3d::Ms3d;
/// let bytes = Ms3d::blank_file().encode()?;
/// assert_eq!(roundtrip::<Ms3d>(&bytes, &Options::default()).verdict, Verdict::Lossless);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[must_use]
pub fn roundtrip<F: Format>(bytes: &[u8], options: &Options) -> Outcome {
    let budget = options.budget_for(bytes.len() as u64).scope();
    match F::decode_with(bytes, &options.clone().with_budget(budget)) {
        Ok(file) => verify(&file, bytes),
        Err(error) => error.into(),
    }
}

impl From<Error> for Outcome {
    /// Returns the outcome for a file that cannot be decoded.
    fn from(error: Error) -> Self {
        let verdict = match error.kind() {
            ErrorKind::Limit(_) => Verdict::Limit(error),
            _ => Verdict::Undecodable(error),
        };
        Self::new(verdict)
    }
}

/// Encodes a file and compares it with the bytes that it was decoded from.
#[must_use]
pub fn verify<F: Format>(file: &F, bytes: &[u8]) -> Outcome {
    let mut survey = Survey::default();
    let end = match sections(file, &mut survey) {
        ControlFlow::Continue(end) => end,
        ControlFlow::Break(()) => 0,
    };
    let (opaque, rest) = (survey.opaque, survey.rest);
    let verdict = match difference(file, bytes, end) {
        Some(error) => Verdict::NotLossless(error),
        None => survey.damage().map_or(Verdict::Lossless, Verdict::Damaged),
    };
    Outcome { verdict, dialect: file.dialect(), writer: file.writer(), opaque, rest }
}

/// Finds the first byte that is encoded differently or has no path.
pub(super) fn difference<T: Value + for<'a> BinWrite<Args<'a> = ()>>(
    file: &T,
    bytes: &[u8],
    end: u64,
) -> Option<Error> {
    let mut sink = CompareWriter::new(bytes);
    if let Err(error) = file.write_options(&mut sink, Endian::Little, ()) {
        return Some(into_error(error));
    }
    if let Some(offset) = sink.difference(overrun(file)) {
        return Some(Error::new(offset, ErrorKind::Internal("re-encodes differently".into())));
    }
    let len = bytes.len() as u64;
    (end != len).then(|| {
        Error::new(end.min(len), ErrorKind::Internal(format!("the map covers {end} bytes of {len}")))
    })
}

/// Returns the number of bytes that the fields of a truncated file lack; 0 for a complete one.
pub(super) fn overrun(file: &dyn Value) -> u64 {
    let Node::Record(record) = file.node() else { return 0 };
    truncation(file).map_or(0, |truncation| {
        let mut size = 0;
        each_of_all(record, |_, value| size += value.size());
        size - truncation.present_of(record, size)
    })
}

/// Returns how many bytes are written after those of a file, which must be written as they are.
pub(super) fn beyond(file: &impl for<'a> BinWrite<Args<'a> = ()>, bytes: &[u8]) -> Option<u64> {
    let mut writer = CompareWriter::new(bytes);
    file.write_options(&mut writer, Endian::Little, ()).ok()?;
    writer.surplus()
}

/// Returns whether a field of the file itself is damaged. This is cheaper than [`damage`].
pub(super) fn is_damaged(file: &dyn Value) -> bool {
    has_field(file, |value| match value.node() {
        Node::Broken(_) => true,
        Node::Items(items) => items.stopped().is_some(),
        Node::Leaf(leaf) => leaf.class() == Class::Rest && leaf.size() > 0,
        _ => false,
    })
}

/// Returns whether a part that a header places could not be decoded.
pub(super) fn has_broken_parts(file: &dyn Value) -> bool {
    let is_broken = |value: &dyn Value| value.placed().is_some() && matches!(value.node(), Node::Broken(_));
    has_field(file, |value| has_field(value, is_broken))
}

/// Returns whether a condition holds for a field of a record.
fn has_field(value: &dyn Value, is_it: impl Fn(&dyn Value) -> bool) -> bool {
    let Node::Record(record) = value.node() else { return false };
    find_field(record, |_, value| is_it(value).then_some(())).is_some()
}

/// Returns where and why a decoded file is damaged, if it is.
#[must_use]
pub fn damage(file: &dyn Value) -> Option<Error> {
    let mut survey = Survey::default();
    let _ = sections(file, &mut survey);
    survey.damage()
}

/// Counts bytes without meaning and finds the first damage.
#[derive(Default)]
pub(super) struct Survey {
    pub(super) opaque: u64,
    rest: u64,
    pub(super) damage: Option<Error>,
    /// Damage of packed content, which is a consequence if the packed bytes are damaged.
    damage_inside: Option<Error>,
}

impl Survey {
    pub(super) fn damage(self) -> Option<Error> {
        self.damage.or(self.damage_inside)
    }

    fn inside(&mut self, place: &Place, content: Option<&dyn Value>) {
        if let Some(error) = content.and_then(damage) {
            let content = place.path.join(&FieldPath::from(vec![Step::Inside]));
            let there = Error::new(place.offset, error.kind().clone()).at(content.join(error.path()));
            self.damage_inside.get_or_insert(there);
        }
    }
}

impl Visitor for Survey {
    fn leaf(&mut self, place: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
        self.inside(place, leaf.inside());
        if let Some(truncation) = leaf.truncation() {
            // Other damage results from the zeros that are read after the end.
            self.damage = Some(truncation.cause().clone());
        }
        match leaf.class() {
            Class::Opaque => self.opaque += leaf.size(),
            Class::Rest if leaf.size() > 0 => {
                self.rest += leaf.size();
                self.damage.get_or_insert_with(|| {
                    let is_last = place.path.steps().len() == 1;
                    let what =
                        if is_last { "after the last part of the file" } else { "that cannot be decoded" };
                    let why = format!("{} {what}", counted(leaf.size(), "byte"));
                    Error::new(place.offset, ErrorKind::Unknown(why)).at(place.path.clone())
                });
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn enter(&mut self, place: &Place, value: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
        let broken = match node {
            Node::Broken(error) => Some(*error),
            Node::Items(items) => items.stopped(),
            _ => None,
        };
        if let Some(error) = broken {
            self.damage.get_or_insert_with(|| error.clone().inside(&place.path));
        }
        self.inside(place, value.inside());
        ControlFlow::Continue(true)
    }
}

/// Asserts the laws for any bytes: the body of every fuzz target.
///
/// # Panics
/// When a law is broken: the round trip is not exact, an error is outside the file, or the leaves do not tile it.
pub fn law<F: Format>(bytes: &[u8]) {
    law_with::<F>(bytes, &Options::default());
}

/// As [`law`], in a dialect.
///
/// # Panics
/// As [`law`].
pub fn law_with<F: Format>(bytes: &[u8], options: &Options) {
    let outcome = roundtrip::<F>(bytes, options);
    if let Some(error) = outcome.verdict.error() {
        assert!(!matches!(outcome.verdict, Verdict::NotLossless(_)), "{error}");
        assert!(error.offset() <= bytes.len() as u64, "{error} is outside of {} bytes", bytes.len());
    }
    if let Ok(file) = F::decode_with(bytes, options) {
        leaves_tile(&file, bytes);
    }
}

/// Encodes a changed file and decodes it again.
///
/// # Errors
/// As [`encode`](Format::encode); errors of decoding; [`Misread`](crate::schema::EditError::Misread) if the bytes are read with
/// another structure, because other fields decide how a value is read; the damage that the decoded file has and this one does
/// not.
pub fn reread<F: Format>(file: &F) -> Result<F> {
    let bytes = file.encode()?;
    let again = F::decode_with(&bytes, &file.options().with_limits(Limits::none()))?;
    let shape = F::shape_in(file.dialect());
    Structure::of(file, &shape).compare(&again, &shape)?;
    match damage(&again) {
        Some(new) if damage(file).is_none() => Err(new),
        _ => Ok(again),
    }
}

/// Returns the bytes of some edits; `None` if one of them moved other fields or changed packed content.
#[must_use]
pub fn in_place(before: &dyn Value, after: &dyn Value, edits: &[Location]) -> Option<Vec<Range<u64>>> {
    if before.size() != after.size() || edits.iter().any(|edit| edit.path.steps().contains(&Step::Inside)) {
        return None;
    }
    let paths: Vec<_> = edits.iter().map(|edit| edit.path.clone()).collect();
    let places = ranges(before, &paths);
    (places == ranges(after, &paths)).then(|| places.into_iter().flatten().collect())
}

/// Finds the first byte outside some ranges that an edit changed.
#[must_use]
pub fn first_change_outside(before: &[u8], after: &[u8], ranges: &[Range<u64>]) -> Option<usize> {
    let within = |at: usize| ranges.iter().any(|range| range.contains(&(at as u64)));
    (0..before.len()).find(|&at| before[at] != after[at] && !within(at))
}

/// Asserts that the leaves, in order, are the bytes of the file; also of packed content.
fn leaves_tile(file: &dyn Value, bytes: &[u8]) {
    let end = walk(file, &mut Tiles { bytes, at: 0, own: Vec::new() });
    assert_eq!(end, ControlFlow::Continue(bytes.len() as u64), "the leaves do not reach the end");
}

/// Compares leaves with the bytes of a file.
struct Tiles<'a> {
    bytes: &'a [u8],
    at: u64,
    /// The bytes of one leaf.
    own: Vec<u8>,
}

impl Visitor for Tiles<'_> {
    fn leaf(&mut self, place: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
        self.own.clear();
        leaf.bytes(&mut self.own);
        assert_eq!(place.offset, self.at, "{} does not follow its neighbour", place.path);
        assert_eq!(self.own.len() as u64, leaf.size(), "{} has another size than it reports", place.path);
        self.at += leaf.size();
        let start = usize::try_from(place.offset).unwrap_or(usize::MAX);
        assert!(
            self.bytes[start..].starts_with(&self.own),
            "{} at {start:#x} differs from the bytes of the file",
            place.path
        );
        content_tiles(leaf.inside());
        ControlFlow::Continue(())
    }

    fn enter(&mut self, _: &Place, value: &dyn Value, _: &Node<'_>) -> ControlFlow<(), bool> {
        content_tiles(value.inside());
        ControlFlow::Continue(true)
    }
}

/// Asserts that the leaves of packed content tile its unpacked bytes.
fn content_tiles(content: Option<&dyn Value>) {
    let Some(content) = content else { return };
    let unpacked = bytes_of(content);
    assert_eq!(unpacked.len() as u64, content.size(), "the leaves of packed content do not tile it");
    leaves_tile(content, &unpacked);
}
