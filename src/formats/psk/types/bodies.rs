//! Records that are not plain lists: bytes of unknown meaning, and blend curves.

use std::ops::{Deref, DerefMut};

use binrw::io::{Read, Seek, Write};
use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::{Curve, head_size, record_size};
use crate::schema::{Items, Node, NodeMut, Schema, Shape, Value};
use crate::wire::{Blob, FixedLenList, FixedStr, List, list_with};

/// Records of unknown meaning, or no records: the numbers of the header, and the bytes.
///
/// ```
/// use bindpose::formats::psk::Raw;
/// assert_eq!(Raw::new(9, 1, vec![0xcd; 9]).unwrap().bytes(), [0xcd; 9]);
/// assert!(Raw::new(0, 5, vec![]).is_some(), "records without bytes can be any number");
/// assert!(Raw::new(4, 2, vec![0; 9]).is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Raw {
    pub(super) data_size: i32,
    pub(super) data_count: i32,
    bytes: Blob,
}

impl Raw {
    /// Creates `data_count` records of `data_size` bytes; `None` if the length of `bytes` differs.
    #[must_use]
    pub fn new(data_size: i32, data_count: i32, bytes: Vec<u8>) -> Option<Self> {
        let fits = data_size >= 0
            && data_count >= 0
            && usize::try_from(product(data_size, data_count)) == Ok(bytes.len());
        fits.then_some(Self { data_size, data_count, bytes: Blob(bytes) })
    }

    /// Cuts the bytes to complete records, and returns the number of records that are kept and of those that the header announces;
    /// `None` if all are there.
    pub(in crate::formats::psk) fn trim(&mut self) -> Option<(i32, i32)> {
        let announced = self.data_count;
        let size = usize::try_from(self.data_size).unwrap_or(0);
        let kept = i32::try_from(self.bytes.0.len().checked_div(size)?).unwrap_or(announced);
        if kept >= announced {
            return None;
        }
        self.data_count = kept;
        self.bytes.0.truncate(usize::try_from(kept).unwrap_or(0) * size);
        Some((kept, announced))
    }

    /// Returns the bytes of all records.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes.0
    }
}

/// Two numbers of 32 bits cannot overflow 64.
fn product(data_size: i32, data_count: i32) -> i64 {
    i64::from(data_size) * i64::from(data_count)
}

impl BinRead for Raw {
    type Args<'a> = (i32, i32);

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        endian: Endian,
        (data_size, data_count): (i32, i32),
    ) -> BinResult<Self> {
        let bytes = Blob::read_options(reader, endian, (product(data_size, data_count),))?;
        Ok(Self { data_size, data_count, bytes })
    }
}

impl BinWrite for Raw {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        self.bytes.write_options(writer, endian, ())
    }
}

impl Value for Raw {
    fn size(&self) -> u64 {
        self.bytes.size()
    }
    fn node(&self) -> Node<'_> {
        self.bytes.node()
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        self.bytes.node_mut()
    }
}

impl Schema for Raw {
    fn shape() -> Shape {
        Blob::shape()
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::default()
    }
}

/// Blend curves of one sequence. All have the number of frames that follows from the record size in the header, which is
/// kept even without curves.
///
/// ```
/// use bindpose::formats::psk::Curves;
/// assert_eq!(Curves::new(30).num_frames(), 30);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    num_frames: i32,
    curves: List<Curve>,
}

impl Curves {
    /// Creates an empty list for a sequence of `num_frames` frames, limited to what a record size can state.
    #[must_use]
    pub fn new(num_frames: usize) -> Self {
        let most = (i32::MAX - head_size::<Curve>()) / record_size::<f32>();
        let num_frames = i32::try_from(num_frames).unwrap_or(most).min(most);
        Self { num_frames, curves: List::default() }
    }

    /// Returns the number of weights of each curve.
    #[must_use]
    pub fn num_frames(&self) -> usize {
        usize::try_from(self.num_frames).unwrap_or(0)
    }

    /// Returns the size of a curve as the header states it.
    pub(super) const fn data_size(&self) -> i32 {
        head_size::<Curve>() + record_size::<f32>() * self.num_frames
    }
}

impl BinRead for Curves {
    type Args<'a> = (i64, i64);

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        endian: Endian,
        (data_count, num_frames): (i64, i64),
    ) -> BinResult<Self> {
        let curves = list_with(reader, endian, (data_count, (num_frames,)))?;
        Ok(Self { num_frames: i32::try_from(num_frames).unwrap_or(i32::MAX), curves })
    }
}

impl BinWrite for Curves {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        if self.curves.iter().any(|curve| Items::announced(&curve.weights) != self.num_frames()) {
            let pos = writer.stream_position()?;
            return Err(binrw::Error::AssertFail {
                pos,
                message: "the curves of a chunk have the same length".into(),
            });
        }
        self.curves.write_options(writer, endian, ())
    }
}

impl Value for Curves {
    fn size(&self) -> u64 {
        self.curves.size()
    }
    fn node(&self) -> Node<'_> {
        Node::Items(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Items(self)
    }
}

impl Items for Curves {
    fn len(&self) -> usize {
        self.curves.len()
    }
    fn item(&self, index: usize) -> Option<&dyn Value> {
        self.curves.item(index)
    }
    fn item_mut(&mut self, index: usize) -> Option<&mut dyn Value> {
        self.curves.item_mut(index)
    }
    fn insert(&mut self, index: usize) -> bool {
        let fits = index <= self.curves.len();
        if fits {
            let weights = FixedLenList::zeros(self.num_frames());
            (*self.curves).insert(index, Curve { name: FixedStr::default(), weights });
        }
        fits
    }
    fn remove(&mut self, index: usize) -> bool {
        Items::remove(&mut self.curves, index)
    }
    fn announced(&self) -> usize {
        self.curves.announced()
    }
    fn keep(&mut self, len: usize) -> bool {
        self.curves.keep(len)
    }
}

impl Schema for Curves {
    fn shape() -> Shape {
        List::<Curve>::shape()
    }
    fn blank(like: Option<&Self>) -> Self {
        Self::new(like.map_or(0, Self::num_frames))
    }
}

impl Deref for Curves {
    type Target = Vec<Curve>;

    fn deref(&self) -> &Vec<Curve> {
        &self.curves
    }
}

impl DerefMut for Curves {
    fn deref_mut(&mut self) -> &mut Vec<Curve> {
        &mut self.curves
    }
}
