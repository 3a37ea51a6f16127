//! Compressed parts of a file.

use std::fmt;
use std::io::{Cursor, Read, Seek, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use binrw::{BinRead, BinResult, BinWrite, Endian};
use lz4_flex::block;

use super::text::read_bytes;
use super::{Source, into_error, refuse};
use crate::schema::{Class, EditError, Leaf, Length, Node, NodeMut, Schema, Shape, Value, show_hex};
use crate::{Error, ErrorKind};

/// The number of bytes that all packed parts of a file may unpack to in total.
///
/// ```
/// use bindpose::wire::Budget;
/// let budget = Budget::new(1 << 20, 255);
/// assert!(budget.spend(1000, 10).is_ok());
/// assert!(budget.spend(1 << 20, 1 << 19).is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    left: Arc<AtomicU64>,
    max_ratio: u64,
}

impl Budget {
    /// Allows `max_unpacked` bytes in total, and `max_ratio` times its own size for each part.
    #[must_use]
    pub fn new(max_unpacked: u64, max_ratio: u64) -> Self {
        Self { left: Arc::new(AtomicU64::new(max_unpacked)), max_ratio }
    }

    /// Reserves the bytes that a part of `packed` bytes unpacks to.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] when that exceeds the total or the ratio.
    pub fn spend(&self, unpacked: u64, packed: u64) -> Result<(), ErrorKind> {
        if unpacked > packed.saturating_mul(self.max_ratio) {
            let limit = self.max_ratio;
            return Err(ErrorKind::Limit(format!(
                "{packed} bytes unpack to {unpacked}, more than the limit of {limit} times their size"
            )));
        }
        let taken = self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(unpacked));
        taken.map(drop).map_err(|left| {
            ErrorKind::Limit(format!(
                "unpacks to {unpacked} bytes, but only {left} bytes are left of the limit"
            ))
        })
    }
}

impl Default for Budget {
    /// No limits.
    fn default() -> Self {
        Self::new(u64::MAX, u64::MAX)
    }
}

/// The content of a packed value: an on-disk struct and its arguments.
pub trait Content: Schema + for<'a> BinWrite<Args<'a> = ()> {
    /// The arguments that reading needs.
    type ContentArgs: Clone + fmt::Debug + PartialEq + Default;

    /// Returns empty content, with default arguments.
    fn nothing() -> Self;

    /// Reads the content from unpacked bytes.
    ///
    /// # Errors
    /// As the struct.
    fn unpacked(source: &mut Source<'_>, args: &Self::ContentArgs) -> BinResult<Self>;
}

/// An LZ4 block, or plain bytes if the packed and unpacked sizes are equal, with its decoded content:
/// `#[br(args(len_unpacked, len_packed, budget, args))] geometry: Packed<Geometry>`.
///
/// The stored bytes are preserved while they unpack to the content, because packers produce different bytes for the
/// same content. Only [edited](Self::edit) content is packed again. Bytes that cannot be unpacked or decoded, or that
/// would be encoded differently, have no content.
#[derive(Clone, Debug, PartialEq)]
pub struct Packed<T: Content> {
    stored: Vec<u8>,
    len_unpacked: i64,
    args: T::ContentArgs,
    content: Result<T, Error>,
    /// The number of bytes that are missing in a truncated file.
    missing: i64,
}

impl<T: Content> Packed<T> {
    /// Packs content.
    ///
    /// # Errors
    /// When the content cannot be written, or would be read differently with these arguments.
    pub fn new(content: &T, args: T::ContentArgs) -> Result<Self, Error> {
        let plain = plain(content)?;
        let again = read(&plain, &args)?;
        Ok(Self {
            stored: pack(&plain),
            len_unpacked: i64::try_from(plain.len()).unwrap_or(i64::MAX),
            args,
            content: Ok(again),
            missing: 0,
        })
    }

    fn from_stored(stored: Vec<u8>, len_unpacked: i64, args: T::ContentArgs) -> Self {
        let content = unpack(&stored, len_unpacked).and_then(|plain| read(&plain, &args));
        Self { stored, len_unpacked, args, content, missing: 0 }
    }

    /// Returns the content, or why there is none.
    ///
    /// # Errors
    /// The error in the stored bytes, with an offset in the unpacked bytes.
    pub const fn content(&self) -> Result<&T, &Error> {
        self.content.as_ref()
    }

    /// Returns the arguments that the content was read with.
    #[must_use]
    pub const fn content_args(&self) -> &T::ContentArgs {
        &self.args
    }

    /// Returns the bytes as they are in the file.
    #[must_use]
    pub fn stored(&self) -> &[u8] {
        &self.stored
    }

    /// Returns the number of stored bytes.
    #[must_use]
    pub fn len_packed(&self) -> i64 {
        i64::try_from(self.stored.len()).unwrap_or(i64::MAX).saturating_add(self.missing)
    }

    /// Returns the unpacked size that the file specifies.
    #[must_use]
    pub const fn len_unpacked(&self) -> i64 {
        self.len_unpacked
    }

    /// Changes the content, and packs it again if it differs.
    ///
    /// # Errors
    /// When there is no content, or the new one cannot be written or is inconsistent with a header. The content is then
    /// unchanged.
    pub fn edit(&mut self, change: impl FnOnce(&mut T)) -> Result<(), Error>
    where
        T: Clone,
    {
        let mut content = self.content.clone()?;
        change(&mut content);
        self.replace(&content)
    }

    fn replace(&mut self, content: &T) -> Result<(), Error> {
        let new = plain(content)?;
        if self.content.as_ref().is_ok_and(|old| plain(old).is_ok_and(|old| old == new)) {
            return Ok(());
        }
        *self = Self::new(content, self.args.clone())?;
        Ok(())
    }
}

impl<T: Content> Default for Packed<T> {
    /// Returns empty content.
    fn default() -> Self {
        Self::new(&T::nothing(), T::ContentArgs::default())
            .unwrap_or_else(|_| Self::from_stored(Vec::new(), 0, T::ContentArgs::default()))
    }
}

/// Returns the bytes of the content.
fn plain<T: Content>(content: &T) -> Result<Vec<u8>, Error> {
    let mut plain = Vec::with_capacity(usize::try_from(content.size()).unwrap_or(0));
    content.write_options(&mut Cursor::new(&mut plain), Endian::Little, ()).map_err(into_error)?;
    Ok(plain)
}

/// Decodes content, and verifies that it re-encodes identically.
fn read<T: Content>(bytes: &[u8], args: &T::ContentArgs) -> Result<T, Error> {
    let content = T::unpacked(&mut Source::new(bytes), args).map_err(into_error)?;
    let end = content.size();
    if end != bytes.len() as u64 {
        return Err(Error::new(end, ErrorKind::Unknown(format!("ends before byte {}", bytes.len()))));
    }
    if plain(&content)? != bytes {
        return Err(Error::new(0, ErrorKind::Unknown("re-encodes differently".into())));
    }
    Ok(content)
}

/// LZ4's best ratio is one byte for 255.
const BEST: usize = 255;

fn unpack(stored: &[u8], len: i64) -> Result<Vec<u8>, Error> {
    let wrong = |why: String| Error::new(0, ErrorKind::Unknown(why));
    match usize::try_from(len) {
        Ok(len) if len == stored.len() => Ok(stored.to_vec()),
        Ok(len) if len <= stored.len().saturating_mul(BEST) => {
            let plain = block::decompress(stored, len).map_err(|error| wrong(error.to_string()))?;
            let there = plain.len();
            (there == len)
                .then_some(plain)
                .ok_or_else(|| wrong(format!("unpacks to {there} bytes, expected {len}")))
        }
        _ => Err(wrong(format!("{} bytes cannot unpack to {len}", stored.len()))),
    }
}

/// A packed block is never as long as its content: equal sizes indicate plain bytes.
fn pack(plain: &[u8]) -> Vec<u8> {
    let packed = block::compress(plain);
    if packed.len() < plain.len() { packed } else { plain.to_vec() }
}

impl<T: Content> BinRead for Packed<T> {
    type Args<'a> = (i64, i64, Budget, T::ContentArgs);

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        _: Endian,
        (len_unpacked, len_packed, budget, args): Self::Args<'_>,
    ) -> BinResult<Self> {
        let start = reader.stream_position()?;
        let stored = read_bytes(reader, len_packed)?;
        let missing = len_packed - i64::try_from(stored.len()).unwrap_or(i64::MAX);
        if missing > 0 {
            let why = ErrorKind::Unknown("the packed bytes are truncated".into());
            return Ok(Self { stored, len_unpacked, args, content: Err(Error::new(0, why)), missing });
        }
        if len_unpacked != len_packed && !stored.is_empty() {
            let unpacked = u64::try_from(len_unpacked).unwrap_or(0);
            budget.spend(unpacked, stored.len() as u64).map_err(|kind| refuse(start, kind))?;
        }
        Ok(Self::from_stored(stored, len_unpacked, args))
    }
}

impl<T: Content> BinWrite for Packed<T> {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, _: Endian, (): ()) -> BinResult<()> {
        Ok(writer.write_all(&self.stored)?)
    }
}

impl<T: Content> Value for Packed<T> {
    fn size(&self) -> u64 {
        self.stored.len() as u64
    }
    fn node(&self) -> Node<'_> {
        Node::Leaf(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Leaf(self)
    }
    fn inside(&self) -> Option<&dyn Value> {
        self.content.as_ref().ok().map(|content| content as &dyn Value)
    }
    fn change_inside(
        &mut self,
        change: &mut dyn FnMut(&mut dyn Value) -> Result<(), EditError>,
    ) -> Result<(), EditError> {
        // Encoded bytes are the cheapest copy of the content.
        let plain = match &self.content {
            Ok(content) => plain(content).map_err(|error| error.to_string())?,
            Err(why) => return Err(format!("cannot be unpacked: {}", why.message()).into()),
        };
        let mut content = read::<T>(&plain, &self.args).map_err(|error| error.to_string())?;
        change(&mut content)?;
        self.replace(&content).map_err(|error| error.to_string().into())
    }
    fn replace_inside(&mut self, plain: &[u8]) -> Result<(), EditError> {
        let replaced = read::<T>(plain, &self.args).and_then(|content| self.replace(&content));
        replaced.map_err(|error| error.to_string().into())
    }
}

impl<T: Content> Leaf for Packed<T> {
    fn type_name(&self) -> &'static str {
        "packed"
    }
    fn class(&self) -> Class {
        if self.content.is_ok() { Class::Bytes } else { Class::Opaque }
    }
    fn bytes(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.stored);
    }
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        show_hex(&self.stored, out)
    }
    fn assign(&mut self, _text: &str) -> Result<(), EditError> {
        Err("expected raw bytes, such as hex:00ff; the unpacked content follows after a `!` in the path"
            .into())
    }
    fn assign_bytes(&mut self, bytes: &[u8]) -> Result<(), EditError> {
        if bytes.len() != self.stored.len() {
            return Err(EditError::WrongSize { expected: self.stored.len(), actual: bytes.len() });
        }
        if bytes != self.stored {
            *self = Self::from_stored(bytes.to_vec(), self.len_unpacked, self.args.clone());
        }
        Ok(())
    }
}

impl<T: Content> Schema for Packed<T> {
    fn shape() -> Shape {
        Shape::Packed { stored: Box::new(Shape::Bytes(Length::Argument)), content: Box::new(T::shape()) }
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::default()
    }
}
