//! Numbers, arrays of fixed length, and optional values.

use std::fmt;
use std::ops::{ControlFlow, Range};

use fast_float2::FastFloat;

use super::list::bytes_of_all;
use super::macros::{forward_value, node, slice_items};
use crate::error::shortened;
use crate::schema::{
    Choice, Class, Count, EditError, Items, Leaf, Node, NodeMut, Prefix, Scalar, Schema, Shape, Value,
};

macro_rules! scalar {
    ($($type:ident $scalar:ident $class:ident)+) => {$(
        impl Value for $type {
            node!(Leaf);

            #[inline]
            fn size(&self) -> u64 {
                size_of::<Self>() as u64
            }
        }

        impl Leaf for $type {
            fn type_name(&self) -> &'static str {
                stringify!($type)
            }
            fn class(&self) -> Class {
                Class::$class
            }
            fn scalar(&self) -> Option<Scalar> {
                Some(Scalar::$scalar)
            }
            fn bytes(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
                scalar!(@show $class self out)
            }
            fn assign(&mut self, text: &str) -> Result<(), EditError> {
                *self = scalar!(@parse $class $type text)?;
                Ok(())
            }
            fn assign_bytes(&mut self, bytes: &[u8]) -> Result<(), EditError> {
                *self = Self::from_le_bytes(scalar_bytes(bytes)?);
                Ok(())
            }
        }

        impl Schema for $type {
            const FIXED: Option<usize> = Some(size_of::<Self>());

            fn shape() -> Shape {
                Shape::Scalar(Scalar::$scalar)
            }
            fn blank(_like: Option<&Self>) -> Self {
                Self::default()
            }
            #[inline]
            fn get(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<Self>()];
                own.copy_from_slice(bytes);
                Self::from_le_bytes(own)
            }
            #[inline]
            fn put(&self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }
        }
    )+};
    (@show Integer $value:ident $out:ident) => { $out.write_str(itoa::Buffer::new().format(*$value)) };
    (@show Float $value:ident $out:ident) => {
        // Only finite numbers have a decimal notation that preserves their bits.
        if $value.is_finite() { write!($out, "{:?}", $value) } else { write!($out, "{:#x}", $value.to_bits()) }
    };
    (@parse Integer $type:ident $text:ident) => {
        match $text.parse::<$type>() {
            Ok(value) => Ok(value),
            Err(_) => parse_integer($text, $type::MIN.into(), $type::MAX.into())
                .map(|value| $type::try_from(value).unwrap_or_default()),
        }
    };
    (@parse Float $type:ident $text:ident) => {
        match $text.strip_prefix("0x").map(|hex| $type::from_bits_hex(hex)) {
            Some(bits) => bits.ok_or_else(|| EditError::from(format!("`{}` is not a bit pattern of an {}", $text, stringify!($type)))),
            None => $text.parse::<$type>().ok().filter(|value| value.is_finite()).ok_or_else(|| not_a_float($text, stringify!($type))),
        }
    };
}

scalar! {
    u8 U8 Integer
    u16 U16 Integer
    u32 U32 Integer
    u64 U64 Integer
    i8 I8 Integer
    i16 I16 Integer
    i32 I32 Integer
    i64 I64 Integer
    f32 F32 Float
    f64 F64 Float
}

/// A float that is read from the hexadecimal digits of its bits, too.
pub(crate) trait FromBits: FastFloat + Copy + Into<f64> {
    fn from_bits_hex(hex: &str) -> Option<Self>;
}

impl FromBits for f32 {
    fn from_bits_hex(hex: &str) -> Option<Self> {
        u32::from_str_radix(hex, 16).ok().map(Self::from_bits)
    }
}

impl FromBits for f64 {
    fn from_bits_hex(hex: &str) -> Option<Self> {
        u64::from_str_radix(hex, 16).ok().map(Self::from_bits)
    }
}

/// Parses an integer in a range, in decimal or hexadecimal notation.
pub(crate) fn parse_integer(text: &str, least: i128, most: i128) -> Result<i128, EditError> {
    let value = match text.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16),
        None => text.parse::<i128>(),
    };
    let value = value.map_err(|_| format!("`{}` is not an integer", shortened(text)))?;
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(EditError::OutOfRange { value: value.to_string(), min: least, max: most })
}

fn not_a_float(text: &str, name: &str) -> EditError {
    format!(
        "`{}` is not a finite {name}; other bit patterns are written in hexadecimal, such as 0x7f800000",
        shortened(text)
    )
    .into()
}

/// Returns the bytes of a scalar.
///
/// # Errors
/// When there are fewer or more than `N`.
pub fn scalar_bytes<const N: usize>(bytes: &[u8]) -> Result<[u8; N], EditError> {
    bytes.try_into().map_err(|_| EditError::WrongSize { expected: N, actual: bytes.len() })
}

impl<T: Schema, const N: usize> Value for [T; N] {
    node!(Items);

    fn size(&self) -> u64 {
        T::FIXED.map_or_else(|| self.iter().map(Value::size).sum(), |size| (N * size) as u64)
    }
}

impl<T: Schema, const N: usize> Items for [T; N] {
    slice_items!(T);

    fn is_array(&self) -> bool {
        true
    }
}

impl<T: Schema, const N: usize> Schema for [T; N] {
    const FIXED: Option<usize> = match T::FIXED {
        Some(size) => Some(N * size),
        None => None,
    };

    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()), Count::Fixed(N))
    }
    fn blank(like: Option<&Self>) -> Self {
        std::array::from_fn(|index| T::blank(like.map(|like| &like[index])))
    }
    #[inline]
    fn get(bytes: &[u8]) -> Self {
        let size = T::FIXED.unwrap_or(0);
        std::array::from_fn(|index| T::get(&bytes[index * size..][..size]))
    }
    #[inline]
    fn put(&self, bytes: &mut [u8]) {
        let size = T::FIXED.unwrap_or(0);
        for (index, item) in self.iter().enumerate() {
            item.put(&mut bytes[index * size..][..size]);
        }
    }
}

impl<T: Schema> Value for Option<T> {
    forward_value!(as_ref, as_mut);

    fn node(&self) -> Node<'_> {
        self.as_ref().map_or(Node::Absent, Value::node)
    }
    fn choice(&self) -> Option<Choice<'_>> {
        self.as_ref()?.choice()
    }
    fn create(&mut self, body: Option<&str>) -> Result<(), EditError> {
        match (self.as_mut(), body) {
            (Some(value), body) => value.create(body),
            (None, None) => {
                *self = Some(T::blank(None));
                Ok(())
            }
            (None, body) => self.insert(T::blank(None)).create(body),
        }
    }
}

impl<T: Schema> Schema for Option<T> {
    const IS_FINITE: bool = T::IS_FINITE;
    const PLAIN: bool = T::PLAIN;
    const PREFIX: Prefix = T::PREFIX;

    fn shape() -> Shape {
        Shape::Optional(Box::new(T::shape()))
    }
    fn blank(like: Option<&Self>) -> Self {
        like.and_then(Option::as_ref).map(|like| T::blank(Some(like)))
    }

    const BULK: bool = T::BULK;
    const APPENDS: bool = T::APPENDS;
    const SPAN: Option<usize> = T::FIXED;

    #[inline]
    fn decode_prefix_if(present: bool, bytes: &[u8]) -> Option<(Self, usize)> {
        if !present {
            return Some((None, 0));
        }
        T::decode_prefix(bytes).map(|(value, size)| (Some(value), size))
    }
    #[inline]
    fn span_if(present: bool, bytes: &[u8]) -> Option<usize> {
        if present { T::span(bytes) } else { Some(0) }
    }
    #[inline]
    fn append_to(&self, bytes: &mut Vec<u8>) {
        if let Some(value) = self {
            value.append_to(bytes);
        }
    }
}
