//! Compressed parts of a file.

use std::borrow::Cow;
use std::fmt;
use std::io::{Cursor, Read, Seek, Write};

use binrw::{BinRead, BinResult, BinWrite, Endian};
use lz4_flex::block;

use super::frame::note_inside;
use super::macros::{bin_write, node};
use super::memory::{ERROR, charge, is_limit, release};
use super::scope::Nested;
use super::source::is_constructed;
use super::text::read_bytes;
use super::{CompareWriter, Source, into_error, refuse};
use crate::schema::{
    BulkWith, Class, EditError, Leaf, Length, Node, NodeMut, Schema, Shape, Value, show_hex,
};
use crate::{Error, ErrorKind};

/// The content of a packed value: an on-disk struct and its arguments.
pub trait Content: Schema + for<'a> BinWrite<Args<'a> = ()> {
    /// The arguments that reading needs.
    type ContentArgs: Clone + fmt::Debug + PartialEq + Default + Send + Sync;

    /// Returns empty content, with default arguments.
    fn nothing() -> Self;

    /// Reads the content from unpacked bytes.
    ///
    /// # Errors
    /// As the struct.
    fn unpacked<R: Read + Seek>(reader: &mut R, args: &Self::ContentArgs) -> BinResult<Self>;
}

/// An LZ4 block, or plain bytes if the packed and unpacked sizes are equal, with its decoded content:
/// `#[br(args(len_unpacked, len_packed, args))] geometry: Packed<Geometry>`.
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
        let again = reread(&plain, &args)?;
        Ok(Self {
            stored: pack(&plain),
            len_unpacked: i64::try_from(plain.len()).unwrap_or(i64::MAX),
            args,
            content: Ok(again),
            missing: 0,
        })
    }

    fn from_stored(stored: Vec<u8>, len_unpacked: i64, args: T::ContentArgs) -> Self {
        let content = content(&stored, len_unpacked, &args, &mut Source::new(&[]));
        let content = content.unwrap_or_else(|error| Err(into_error(error)));
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
fn read<T: Content>(source: &mut Source<'_>, bytes: &[u8], args: &T::ContentArgs) -> BinResult<T> {
    let scope = Nested::part(0, None);
    let content = T::unpacked(source, args)?;
    drop(scope);
    let mut writer = CompareWriter::new(bytes);
    content.write_options(&mut writer, Endian::Little, ())?;
    let end = writer.stream_position()?;
    if end != bytes.len() as u64 {
        return Err(refuse(end, ErrorKind::Unknown(format!("ends before byte {}", bytes.len()))));
    }
    match writer.difference(0) {
        Some(_) => Err(refuse(0, ErrorKind::Unknown("re-encodes differently".into()))),
        None => Ok(content),
    }
}

/// Decodes content without limits.
fn reread<T: Content>(bytes: &[u8], args: &T::ContentArgs) -> Result<T, Error> {
    read(&mut Source::new(bytes), bytes, args).map_err(into_error)
}

/// Unpacks and decodes content, or returns why there is none. Memory is charged to the reader of the stored bytes.
///
/// # Errors
/// When a limit is exceeded.
fn content<T: Content>(
    stored: &[u8],
    len: i64,
    args: &T::ContentArgs,
    reader: &mut dyn Seek,
) -> BinResult<Result<T, Error>> {
    let len = match unpacked_len(stored, len) {
        Ok(len) => len,
        Err(error) => return Ok(Err(error)),
    };
    let temporary = if len == stored.len() { 0 } else { len };
    charge(reader, temporary)?;
    let content = match unpack(stored, len) {
        Ok(plain) => read(&mut Source::new(&plain), &plain, args),
        Err(error) => return Ok(Err(error)),
    };
    release(temporary);
    match content {
        Err(error) if is_limit(&error) => Err(note_inside(error)),
        content => Ok(content.map_err(into_error)),
    }
}

/// LZ4's best ratio is one byte for 255.
const BEST: usize = 255;

fn wrong(why: String) -> Error {
    Error::new(0, ErrorKind::Unknown(why))
}

/// Returns the unpacked size, if the stored bytes can have it.
fn unpacked_len(stored: &[u8], len: i64) -> Result<usize, Error> {
    let most = stored.len().saturating_mul(BEST);
    let possible = usize::try_from(len).ok().filter(|len| *len <= most);
    possible.ok_or_else(|| wrong(format!("{} bytes cannot unpack to {len}", stored.len())))
}

fn unpack(stored: &[u8], len: usize) -> Result<Cow<'_, [u8]>, Error> {
    if len == stored.len() {
        return Ok(Cow::Borrowed(stored));
    }
    let plain = block::decompress(stored, len).map_err(|error| wrong(error.to_string()))?;
    let there = plain.len();
    if there == len {
        Ok(Cow::Owned(plain))
    } else {
        Err(wrong(format!("unpacks to {there} bytes, expected {len}")))
    }
}

/// A packed block is never as long as its content: equal sizes indicate plain bytes.
fn pack(plain: &[u8]) -> Vec<u8> {
    let packed = block::compress(plain);
    if packed.len() < plain.len() { packed } else { plain.to_vec() }
}

impl<T: Content> BinRead for Packed<T> {
    type Args<'a> = (i64, i64, T::ContentArgs);

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        _: Endian,
        (len_unpacked, len_packed, args): Self::Args<'_>,
    ) -> BinResult<Self> {
        // Random bytes rarely unpack.
        if is_constructed(reader)
            && let Ok(content) = T::unpacked(reader, &args)
            && let Ok(packed) = Self::new(&content, args.clone())
        {
            return Ok(packed);
        }
        charge(reader, ERROR)?;
        let stored = read_bytes(reader, len_packed)?;
        let missing = len_packed - i64::try_from(stored.len()).unwrap_or(i64::MAX);
        if missing > 0 {
            let why = ErrorKind::Unknown("the packed bytes are truncated".into());
            return Ok(Self { stored, len_unpacked, args, content: Err(Error::new(0, why)), missing });
        }
        let content = content(&stored, len_unpacked, &args, reader)?;
        Ok(Self { stored, len_unpacked, args, content, missing: 0 })
    }
}

bin_write!([T: Content] Packed<T>, |own, writer, _| Ok(writer.write_all(&own.stored)?));

impl<T: Content> Value for Packed<T> {
    node!(Leaf);

    fn size(&self) -> u64 {
        self.stored.len() as u64
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
        let mut content = reread::<T>(&plain, &self.args).map_err(|error| error.to_string())?;
        change(&mut content)?;
        self.replace(&content).map_err(|error| error.to_string().into())
    }
    fn replace_inside(&mut self, plain: &[u8]) -> Result<(), EditError> {
        let replaced = reread::<T>(plain, &self.args).and_then(|content| self.replace(&content));
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

impl<T: Content> BulkWith<(i64, i64, T::ContentArgs)> for Packed<T> {}

impl<T: Content> Schema for Packed<T> {
    const IS_FINITE: bool = T::IS_FINITE;

    fn shape() -> Shape {
        Shape::Packed { stored: Box::new(Shape::Bytes(Length::Argument)), content: Box::new(T::shape()) }
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::default()
    }
}
