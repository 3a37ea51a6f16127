//! Numbers whose most significant byte is first.

use std::fmt;
use std::io::{Read, Seek, Write};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::Wire;
use super::macros::{bin_read, bin_write, node};
use super::source::is_in_order;
use crate::schema::{Class, EditError, Leaf, Node, NodeMut, Schema, Shape, Spell, Value};

/// A number whose most significant byte is first: `size: Be<u32>`.
///
/// ```
/// use bindpose::schema::bytes_of;
/// use bindpose::wire::Be;
/// assert_eq!(bytes_of(&Be(0x0102_u16)), [1, 2]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Be<T>(pub T);

/// A number of several bytes.
pub trait Number: Schema + Leaf + Wire {
    /// What Kaitai names it with the most significant byte first.
    const NAME: &'static str;
}

macro_rules! numbers {
    ($($type:ident $name:literal)+) => {$(
        impl Number for $type {
            const NAME: &'static str = $name;
        }
    )+};
}

numbers! {
    u16 "u2be"
    u32 "u4be"
    u64 "u8be"
    i16 "s2be"
    i32 "s4be"
    i64 "s8be"
    f32 "f4be"
    f64 "f8be"
}

impl<T: Into<i64>> From<Be<T>> for i64 {
    fn from(number: Be<T>) -> Self {
        number.0.into()
    }
}

impl<T: TryFrom<usize>> TryFrom<usize> for Be<T> {
    type Error = T::Error;

    fn try_from(number: usize) -> Result<Self, T::Error> {
        T::try_from(number).map(Self)
    }
}

impl<T: TryFrom<i64>> TryFrom<i64> for Be<T> {
    type Error = T::Error;

    fn try_from(number: i64) -> Result<Self, T::Error> {
        T::try_from(number).map(Self)
    }
}

bin_read!([T: Number] Be<T>, (), |reader, _, ()| {
    // Generated numbers are small in this order, such as counts.
    let endian = if is_in_order(reader) { Endian::Little } else { Endian::Big };
    T::read_options(reader, endian, ()).map(Self)
});

bin_write!([T: Number] Be<T>, |own, writer, _| own.0.write_options(writer, Endian::Big, ()));

impl<T: Number> Value for Be<T> {
    node!(Leaf);

    fn size(&self) -> u64 {
        self.0.size()
    }
}

impl<T: Number> Leaf for Be<T> {
    fn type_name(&self) -> &'static str {
        self.0.type_name()
    }
    fn class(&self) -> Class {
        self.0.class()
    }
    fn bytes(&self, out: &mut Vec<u8>) {
        let start = out.len();
        self.0.bytes(out);
        out[start..].reverse();
    }
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        self.0.show(out)
    }
    fn assign(&mut self, text: &str) -> Result<(), EditError> {
        self.0.assign(text)
    }
    fn assign_bytes(&mut self, bytes: &[u8]) -> Result<(), EditError> {
        self.0.assign_bytes(&bytes.iter().rev().copied().collect::<Vec<_>>())
    }
}

impl<T: Number> Schema for Be<T> {
    const FIXED: Option<usize> = T::FIXED;

    fn shape() -> Shape {
        let spell = |text: &str| {
            let mut number = Self(T::blank(None));
            number.assign(text)?;
            let mut bytes = Vec::new();
            number.bytes(&mut bytes);
            Ok(bytes)
        };
        Shape::Written {
            name: T::NAME,
            body: "",
            imhex: "",
            of: Box::new(Shape::Spelled(Spell(spell, T::FIXED))),
        }
    }
    fn blank(like: Option<&Self>) -> Self {
        Self(T::blank(like.map(|like| &like.0)))
    }
    #[inline]
    fn get(bytes: &[u8]) -> Self {
        let mut own = [0; size_of::<u64>()];
        let own = &mut own[..bytes.len()];
        own.copy_from_slice(bytes);
        own.reverse();
        Self(T::get(own))
    }
    #[inline]
    fn put(&self, bytes: &mut [u8]) {
        self.0.put(bytes);
        bytes.reverse();
    }
}
