//! UNIGINE's compact integer.

use std::cell::Cell;
use std::fmt;
use std::io::{Read, Seek, Write};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use crate::ErrorKind;
use crate::schema::{Class, EditError, Leaf, Node, NodeMut, Plain, Schema, Shape, Spell, Value, parse_hex};
use crate::wire::{Source, TooMany, into_error, refuse};

/// A signed integer of one to five bytes, which keeps its original encoding.
///
/// In the first byte, bit 7 indicates that another byte follows, bit 6 is the sign, and bits 0 to 5 are the lowest bits
/// of the magnitude. In each further byte, bit 7 indicates that another byte follows, and bits 0 to 6 are the next bits
/// of the magnitude. Minus zero (`40`) and padded values (`82 00`) are preserved. New values have the width that the
/// engine writes: the smallest `k` for which the magnitude is less than 2^(6+7(k-1)) - 1. So 63 takes two bytes
/// although one would suffice.
///
/// ```
/// use bindpose::formats::unigine::CInt;
/// assert_eq!(CInt::new(-1).unwrap().to_bytes(), [0x41]);
/// assert_eq!(CInt::new(63).unwrap().to_bytes(), [0xbf, 0x00]);
/// assert_eq!(CInt::new(8191).unwrap().to_bytes(), [0xbf, 0xff, 0x00]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CInt {
    /// The bytes as they are in the file, followed by zeros.
    bytes: [u8; CInt::WIDEST],
}

/// Five bytes hold 34 bits; the magnitude has 31.
const MOST: u64 = i32::MAX.unsigned_abs() as u64;

/// The bits that indicate that another byte follows.
const MORE: u64 = 0x80_8080_8080;

impl CInt {
    /// The longest encoding in bytes.
    const WIDEST: usize = 5;

    /// Returns a value in the width that the engine writes; `None` if the magnitude exceeds 31 bits.
    #[must_use]
    pub fn new(value: i64) -> Option<Self> {
        let magnitude = Some(value.unsigned_abs()).filter(|magnitude| *magnitude <= MOST)?;
        let fits = |width: &usize| magnitude < (1 << (6 + 7 * (width - 1))) - 1;
        let width = (1..Self::WIDEST).find(fits).unwrap_or(Self::WIDEST);
        Some(Self::padded(magnitude, value < 0, width))
    }

    /// Returns a value in a width that suffices.
    fn padded(magnitude: u64, is_negative: bool, width: usize) -> Self {
        // From 28 bits to four times seven.
        let high = magnitude >> 6;
        let high = (high & 0x0fff_c000) << 2 | high & 0x3fff;
        let high = (high & 0x3f80_3f80) << 1 | high & 0x007f_007f;
        let low = magnitude & 0x3f | u64::from(is_negative) << 6;
        let more = MORE & ((1 << (8 * (width - 1))) - 1);
        Self::of_word(high << 8 | low | more)
    }

    /// Returns a value from its bytes, the first one lowest.
    #[inline]
    fn of_word(word: u64) -> Self {
        let bytes = word.to_le_bytes();
        Self { bytes: std::array::from_fn(|at| bytes[at]) }
    }

    /// Returns the bytes, the first one lowest.
    #[inline]
    fn word(self) -> u64 {
        let [low @ .., last] = self.bytes;
        u64::from(u32::from_le_bytes(low)) | u64::from(last) << 32
    }

    /// Returns the number of bytes.
    #[inline]
    fn width(self) -> usize {
        (!self.word() & MORE).trailing_zeros() as usize / 8 + 1
    }

    fn is_negative(self) -> bool {
        self.bytes[0] & 0x40 != 0
    }

    fn magnitude(self) -> u64 {
        // From four times seven bits to 28.
        let [low, high @ ..] = self.bytes;
        let high = u32::from_le_bytes(high);
        let high = (high & 0x7f00_7f00) >> 1 | high & 0x007f_007f;
        let high = (high & 0x3fff_0000) >> 2 | high & 0x3fff;
        u64::from(high) << 6 | u64::from(low & 0x3f)
    }

    /// Returns the value.
    #[must_use]
    pub fn value(self) -> i64 {
        let magnitude = i64::try_from(self.magnitude()).unwrap_or(i64::MAX);
        if self.is_negative() { -magnitude } else { magnitude }
    }

    /// Returns the bytes as they are in the file.
    #[must_use]
    pub fn to_bytes(self) -> Vec<u8> {
        self.bytes[..self.width()].to_vec()
    }
}

thread_local! {
    /// Whether compact integers are read from 32 bits, which binrw cannot pass down.
    static IS_WIDE: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function in which a [`CInt`] is read from 32 bits: some descriptions of the formats treat it as an `int`. What is read is
/// written as compact integers.
pub(in crate::formats::unigine) fn with_wide_integers<T>(read: impl FnOnce() -> T) -> T {
    struct Outer(bool);
    impl Drop for Outer {
        fn drop(&mut self) {
            IS_WIDE.set(self.0);
        }
    }
    let _outer = Outer(IS_WIDE.replace(true));
    read()
}

impl From<CInt> for i64 {
    fn from(value: CInt) -> Self {
        value.value()
    }
}

impl TryFrom<usize> for CInt {
    type Error = TooMany;

    fn try_from(len: usize) -> Result<Self, TooMany> {
        i64::try_from(len).ok().and_then(Self::new).ok_or_else(|| TooMany::of::<Self>(len))
    }
}

impl BinRead for CInt {
    type Args<'a> = ();

    fn read_options<R: Read + Seek>(reader: &mut R, endian: Endian, (): ()) -> BinResult<Self> {
        let start = reader.stream_position()?;
        if IS_WIDE.get() {
            let value = i32::read_options(reader, endian, ())?;
            let beyond = || ErrorKind::Count(format!("integer {value} exceeds 31 bits"));
            return Self::new(value.into()).ok_or_else(|| refuse(start, beyond()));
        }
        let mut bytes = [0; Self::WIDEST];
        let mut width = 0;
        while width == 0 || bytes[width - 1] & 0x80 != 0 {
            if width == Self::WIDEST {
                return Err(refuse(start, ErrorKind::Count("a compact integer has at most 5 bytes".into())));
            }
            bytes[width] = u8::read_options(reader, endian, ())?;
            width += 1;
        }
        match Self::decode_prefix(&bytes) {
            Some((value, _)) => Ok(value),
            None => {
                let magnitude = Self { bytes }.magnitude();
                Err(refuse(start, ErrorKind::Count(format!("compact integer {magnitude} exceeds 31 bits"))))
            }
        }
    }
}

impl BinWrite for CInt {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, _: Endian, (): ()) -> BinResult<()> {
        Ok(writer.write_all(&self.bytes[..self.width()])?)
    }
}

impl Value for CInt {
    fn size(&self) -> u64 {
        self.width() as u64
    }
    fn node(&self) -> Node<'_> {
        Node::Leaf(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Leaf(self)
    }
}

impl Leaf for CInt {
    fn type_name(&self) -> &'static str {
        "cint"
    }
    fn class(&self) -> Class {
        Class::Integer
    }
    fn bytes(&self, out: &mut Vec<u8>) {
        self.append_to(out);
    }
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let sign = if self.is_negative() { "-" } else { "" };
        write!(out, "{sign}{}", self.magnitude())
    }
    /// The text does not show padding or minus zero.
    fn plain(&self) -> Plain<'_> {
        if Self::new(self.value()) == Some(*self) { Plain::Shown } else { Plain::Bytes }
    }
    fn assign(&mut self, text: &str) -> Result<(), EditError> {
        let value: i64 = text.parse().map_err(|_| format!("`{text}` is not an integer"))?;
        let new = Self::new(value).ok_or_else(|| {
            let max = i128::from(i32::MAX);
            EditError::OutOfRange { value: value.to_string(), min: -max, max }
        })?;
        let magnitude = new.magnitude();
        let width = if magnitude == self.magnitude() { self.width() } else { new.width() };
        *self = Self::padded(magnitude, text.starts_with('-'), width);
        Ok(())
    }
    fn assign_bytes(&mut self, bytes: &[u8]) -> Result<(), EditError> {
        let mut source = Source::new(bytes);
        let value = Self::read_options(&mut source, Endian::Little, ());
        let value = value.map_err(|error| into_error(error).message())?;
        if value.width() != bytes.len() {
            return Err(format!(
                "expected the bytes of one compact integer, which ends after {} bytes",
                value.width()
            )
            .into());
        }
        *self = value;
        Ok(())
    }
}

impl Schema for CInt {
    fn shape() -> Shape {
        let spell = |text: &str| {
            let mut value = Self::default();
            match text.strip_prefix("hex:") {
                Some(hex) => value.assign_bytes(&parse_hex(hex).unwrap_or_default())?,
                None => value.assign(text)?,
            }
            Ok(value.to_bytes())
        };
        Shape::Written {
            name: "cint",
            body: KSY,
            imhex: IMHEX,
            of: Box::new(Shape::Spelled(Spell(spell, None))),
        }
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::default()
    }

    const BULK: bool = true;

    #[inline]
    fn decode_prefix(bytes: &[u8]) -> Option<(Self, usize)> {
        let word = u64::from_le_bytes(bytes.first_chunk().copied().unwrap_or_else(|| {
            let mut incomplete = [0x80; 8];
            incomplete.iter_mut().zip(bytes).for_each(|(byte, there)| *byte = *there);
            incomplete
        }));
        // Branches are predicted; the next value would have to wait for a calculated width.
        let width = (1..=Self::WIDEST).find(|width| word & (0x80 << (8 * (width - 1))) == 0)?;
        let word = word & ((1 << (8 * width)) - 1);
        (word >> 36 == 0).then(|| (Self::of_word(word), width))
    }

    #[inline]
    fn append_to(&self, bytes: &mut Vec<u8>) {
        // A copy of fixed length is faster.
        bytes.extend_from_slice(&self.bytes);
        bytes.truncate(bytes.len() - (Self::WIDEST - self.width()));
    }
}

const KSY: &str = r"    -leaf: true
    doc: |
      Compact signed integer: bit 7 means that another byte follows, bit 6 of the first byte is the sign,
      the other bits are the magnitude, lowest first.
    seq:
      - id: groups
        type: u1
        repeat: until
        repeat-until: _ & 0x80 == 0
    instances:
      magnitude:
        value: >-
          (groups[0] & 0x3f)
          + (groups.size > 1 ? (groups[1] & 0x7f) << 6 : 0)
          + (groups.size > 2 ? (groups[2] & 0x7f) << 13 : 0)
          + (groups.size > 3 ? (groups[3] & 0x7f) << 20 : 0)
          + (groups.size > 4 ? (groups[4] & 0x7f) << 27 : 0)
      value:
        value: '(groups[0] & 0x40) != 0 ? -magnitude : magnitude'
";

const IMHEX: &str = r#"// Compact signed integer: bit 7 means that another byte follows, bit 6 of the first byte is the sign,
// the other bits are the magnitude, lowest first.
fn cint_value(ref auto number) {
    s64 value = number.groups[0] & 0x3f;
    for (u8 i = 1, i < sizeof(number), i = i + 1) {
        value = value + ((number.groups[i] & 0x7f) << (7 * i - 1));
    }
    return (number.groups[0] & 0x40) != 0 ? -value : value;
};

struct cint {
    u8 groups[while($ == addressof(this) ? true : $[$ - 1] >= 0x80)];
} [[sealed, format("cint_value"), transform("cint_value")]];
"#;
