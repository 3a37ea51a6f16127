//! A chunk: its header, and the records that the header announces.

use binrw::binrw;

use super::{CHUNKS, ChunkKind, Raw, Records, stamp};
use crate::schema::{Schema, on_disk};
use crate::wire::{FixedStr, Gap, counter};

/// A header of 32 bytes and the records it announces.
///
/// ```
/// use bindpose::formats::psk::{Chunk, ChunkKind, Records};
/// let chunk = Chunk::new("PNTS0000", Records::Points(vec![[0.0; 3]; 5].into()));
/// assert_eq!((chunk.records.data_size(), chunk.records.len()), (12, 5));
/// assert_eq!(chunk.kind(), Some(&ChunkKind::POINTS));
/// ```
#[on_disk]
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// The kind of the records, up to 19 characters; some writers leave residue after the NUL.
    #[schema(decides = "records")]
    pub id: FixedStr<20>,
    /// The version as a date, on the first chunk or on all; 0 elsewhere.
    pub type_flag: i32,
    /// Bytes per record.
    #[size_of(records = records.data_size())]
    #[br(parse_with = counter)]
    data_size: i32,
    /// The number of records.
    #[count_of(records = records.data_count())]
    #[br(parse_with = counter)]
    data_count: i32,
    /// The records.
    #[br(args(id, data_size, data_count))]
    #[schema(args(ascii(id), data_size, data_count))]
    pub records: Records,
    /// Bytes up to the next chunk that cannot be decoded; none in a valid file.
    pub gap: Gap,
}

impl Chunk {
    /// Creates a chunk with version stamp 0. Only the first 20 bytes of the id are used.
    #[must_use]
    pub fn new(id: &str, records: Records) -> Self {
        let mut own = [0; 20];
        own.iter_mut().zip(id.bytes()).for_each(|(own, byte)| *own = byte);
        Self { id: FixedStr(own), type_flag: 0, records, gap: Gap::default() }
    }

    /// Creates the first chunk of a file, without records and with the version stamp of current writers.
    pub(in crate::formats::psk) fn head(kind: ChunkKind) -> Self {
        Self { type_flag: stamp::COLORS, ..Self::new(kind.id_text(), Records::Raw(Raw::default())) }
    }

    /// Returns what is known about chunks with this id.
    #[must_use]
    pub fn kind(&self) -> Option<&'static ChunkKind> {
        CHUNKS.iter().find(|kind| kind.matches(&self.id))
    }
}

/// The header of a [`Chunk`] without its records, for reading a file chunk by chunk.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::formats::psk) struct ChunkHeader {
    /// As in [`Chunk`].
    pub id: FixedStr<20>,
    /// As in [`Chunk`].
    pub type_flag: i32,
    /// Bytes per record.
    pub data_size: i32,
    /// The number of records.
    pub data_count: i32,
}

impl ChunkHeader {
    /// Bytes of a header.
    pub const SIZE: usize = Chunk::HEAD;

    /// Returns the header that a piece of a file begins with.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        bytes.get(..Self::SIZE).map(Self::get)
    }

    /// Whether the id looks like one: capital letters and digits, padded with zeros.
    pub fn is_plausible(&self) -> bool {
        let (id, junk) = (self.id.text(), self.id.junk());
        let is_id = id.len() > 6 && id.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        is_id && id.len() < self.id.0.len() && junk.iter().all(|byte| *byte == 0)
    }

    /// Returns the size of a record and the number of records, unless one is negative.
    pub fn extent(&self) -> Option<(usize, usize)> {
        Some((self.data_size.try_into().ok()?, self.data_count.try_into().ok()?))
    }
}
