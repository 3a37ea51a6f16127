//! Valid files from damaged ones.

use std::borrow::Cow;

use crate::codec::{Format, damage};
use crate::formats::foreign;
use crate::schema::{NodeMut, Trimmed, Value, contradictions, settle, trim};
use crate::{Error, ErrorKind, FieldPath, FileKind, Options, Result, counted};

/// A valid file with what could be read of a damaged one.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::ms3d::{Ms3d, Vertex};
/// let mut file = Ms3d::blank_file();
/// file.vertices.extend([Vertex::default(), Vertex::default()]);
/// let bytes = file.encode()?;
/// let rescued = bindpose::rescue(&bytes[..40])?;
/// assert_eq!(rescued.losses[0].to_string(), "vertices: 1 of 2 elements kept");
/// assert_eq!(Ms3d::decode(&rescued.bytes)?.vertices.len(), 1);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rescued {
    /// The bytes of the valid file.
    pub bytes: Vec<u8>,
    /// What differs from the damaged file; empty if the file was not damaged.
    pub losses: Vec<Loss>,
}

/// A difference between a damaged file and the valid file made from it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Loss {
    /// The list or field in the damaged file; the root if the file as a whole is meant.
    pub path: FieldPath,
    /// What is lost or changed.
    pub message: String,
}

/// Formats the path and the message: `vertices: 1 of 2 elements kept`.
impl std::fmt::Display for Loss {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let gap = if self.path.steps().is_empty() { "" } else { ": " };
        write!(out, "{}{gap}{}", self.path, self.message)
    }
}

/// Returns a valid file with what can be read of a damaged one, and what is lost. Its content determines the format.
///
/// A UTF-8 mark before the content is removed. A conversion that treated the file as text is reversed if that gives a valid file. Otherwise lists are cut to their complete
/// elements, references to lost elements are removed, and bytes that cannot be decoded are dropped. Errors that no damage causes, such as numbers
/// that are not finite, stay: [`File::check`](crate::File::check) reports them.
///
/// # Errors
/// Errors of decoding when nothing can be read; [`ErrorKind::Encode`] when what can be read is not a valid file.
pub fn rescue(bytes: &[u8]) -> Result<Rescued> {
    let kind = foreign::unmarked(bytes).and_then(FileKind::detect);
    let kind = FileKind::detect(bytes).or(kind).map_or_else(|| FileKind::require(bytes), Ok)?;
    kind.rescue(bytes, &Options::default())
}

/// A format of whose damaged files valid ones are made.
pub(crate) trait Rescue: Format {
    /// Removes or clamps what refers to lost elements, makes lists of the same length agree, and lists what else is lost.
    ///
    /// # Errors
    /// [`ErrorKind::Encode`] when no valid file can be made of it.
    fn reconcile(&mut self, _losses: &mut Losses) -> Result<()> {
        Ok(())
    }

    /// Returns whether a file that decodes without damage is nevertheless truncated.
    fn is_incomplete(&self) -> bool {
        false
    }
}

/// Collects losses, for [`Rescue::reconcile`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Losses(Vec<Loss>);

impl Losses {
    /// Adds a loss.
    pub fn add(&mut self, path: FieldPath, message: impl Into<String>) {
        self.0.push(Loss { path, message: message.into() });
    }

    /// Adds a loss in place of those within its path.
    pub(crate) fn replace(&mut self, path: FieldPath, message: impl Into<String>) {
        self.0.retain(|loss| !loss.path.steps().starts_with(path.steps()));
        self.add(path, message);
    }

    /// Adds the number of elements of a list that were removed or changed, if there are any. `what` follows the number of them, and is
    /// the same for one and for several: `removed: the point is lost`.
    pub fn add_count(&mut self, path: FieldPath, count: usize, what: &str) {
        if count > 0 {
            self.add(path, format!("{} {what}", counted(count as u64, "element")));
        }
    }

    /// Returns whether nothing is lost.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds other losses.
    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// Returns whether something within a path is lost.
    #[must_use]
    pub fn has_within(&self, path: &FieldPath) -> bool {
        self.within(path).next().is_some()
    }

    /// Returns what is lost within a path.
    pub(crate) fn within<'a>(&'a self, path: &'a FieldPath) -> impl Iterator<Item = &'a Loss> {
        self.0.iter().filter(|loss| loss.path.steps().starts_with(path.steps()))
    }
}

impl From<Losses> for Vec<Loss> {
    fn from(losses: Losses) -> Self {
        losses.0
    }
}

/// Applies the repairs of a damaged file, one by one: each may move what follows it. A UTF-8 mark that is not a part of the format is removed first.
pub(crate) fn repaired<'a>(kind: FileKind, bytes: &'a [u8], options: &Options) -> (Cow<'a, [u8]>, Losses) {
    let mut losses = Losses::default();
    let mut own = bytes;
    if let Some(text) =
        foreign::unmarked(bytes).filter(|text| !kind.recognizes(bytes) && kind.recognizes(text))
    {
        losses.add(FieldPath::root(), "the UTF-8 mark before the content is removed");
        own = text;
    }
    let mut repaired = Cow::Borrowed(own);
    for _ in 0..ROUNDS {
        if kind.decode(&repaired, options).is_ok_and(|file| file.damage().is_none()) {
            break;
        }
        let Some(repair) = kind.repairs_of_damaged(&repaired, options).into_iter().next() else { break };
        losses.add(FieldPath::root(), format!("{}; repaired ({})", repair.message, repair.rule.code));
        repaired = Cow::Owned(repair.apply(&repaired));
    }
    (repaired, losses)
}

/// The number of times that a file is repaired, and that it is trimmed: what is removed may have determined the layout of what
/// follows.
const ROUNDS: usize = 4;

/// Returns the bytes of a valid file with what can be read of these.
pub(crate) fn trimmed<F: Rescue>(bytes: &[u8], options: &Options, losses: &mut Losses) -> Result<Vec<u8>> {
    trimmed_by(bytes, options, losses, F::is_incomplete, F::reconcile)
}

/// As [`rescue`], for a format of another crate, whose references to lost elements stay.
///
/// # Errors
/// As there.
pub fn rescue_format<F: Format>(bytes: &[u8], options: &Options) -> Result<Rescued> {
    let mut losses = Losses::default();
    let bytes = trimmed_by(bytes, options, &mut losses, |_: &F| false, |_, _| Ok(()))?;
    Ok(Rescued { bytes, losses: losses.into() })
}

fn trimmed_by<F: Format>(
    bytes: &[u8],
    options: &Options,
    losses: &mut Losses,
    is_incomplete: fn(&F) -> bool,
    reconcile: fn(&mut F, &mut Losses) -> Result<()>,
) -> Result<Vec<u8>> {
    let mut bytes = bytes.to_vec();
    for round in 0..ROUNDS {
        let decoded = F::decode_with(&bytes, options);
        // A text of which only the head is left does not show its format.
        let mut file = if round == 0 { decoded? } else { decoded.map_err(|_| nothing_left())? };
        let cause = damage(&file);
        if cause.is_none() && !is_incomplete(&file) {
            return Ok(bytes);
        }
        let before = losses.0.len();
        for loss in trim(&mut file, bytes.len() as u64) {
            let message = match &loss {
                Trimmed::List { kept, announced, .. } => format!("{kept} of {announced} elements kept"),
                Trimmed::Text { kept, announced, .. } => format!("{kept} of {announced} bytes kept"),
                Trimmed::Field { .. } => "is lost".to_owned(),
            };
            losses.add(loss.path().clone(), message);
        }
        if let Some(cause) = cause {
            discard_rest(&mut file, &cause, losses);
            if losses.0.len() == before {
                losses.add(cause.path().clone(), cause.message());
            }
        }
        let wrong = contradictions(&file);
        settle(&mut file, &wrong);
        reconcile(&mut file, losses)?;
        bytes = file.encode()?;
        if bytes.is_empty() {
            bytes = F::blank_file().encode()?;
        }
        if bytes.is_empty() {
            return Err(nothing_left());
        }
    }
    match damage(&F::decode_with(&bytes, options)?) {
        None => Ok(bytes),
        Some(error) => Err(error),
    }
}

fn nothing_left() -> Error {
    Error::new(0, ErrorKind::Encode("no complete element is left".into()))
}

/// Drops the bytes after the last part of a file.
fn discard_rest(file: &mut dyn Value, cause: &Error, losses: &mut Losses) {
    let NodeMut::Record(record) = file.node_mut() else { return };
    let Some(NodeMut::Leaf(rest)) = record.field_mut("rest").map(Value::node_mut) else { return };
    if rest.truncation().is_none() && rest.size() > 0 {
        losses.add(
            cause.path().clone(),
            format!("{} cannot be decoded: {}", counted(rest.size(), "byte"), cause.message()),
        );
    }
    rest.discard();
}
