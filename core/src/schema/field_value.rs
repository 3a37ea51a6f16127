//! Values of leaves by their type, for programs that read and set them.

use std::fmt;

use super::{Class, EditError, Leaf, Scalar, escape, leaf::text_of, show_hex, unescape};

/// The value of a leaf: a number, a text or bytes.
///
/// Two floats are equal when their bits are equal.
///
/// ```
/// use bindpose::FileKind;
/// use bindpose::schema::FieldValue;
///
/// let mut file = FileKind::Ms3d.blank();
/// file.set("animation.fps", 30.0_f32)?;
/// assert_eq!(file.get("animation.fps")?, FieldValue::F32(30.0));
/// let version = i32::try_from(file.get("version")?)?;
/// assert_eq!(version, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FieldValue {
    /// An integer of any width and sign, a flag word, or named bits of one.
    Int(i128),
    /// A float of 32 bits; every bit pattern is preserved.
    F32(f32),
    /// A float of 64 bits, or a number with a fraction in a text file.
    F64(f64),
    /// A text in the encoding of the file, without terminator and padding.
    Text(Vec<u8>),
    /// Bytes that have no other type; those of a packed field are as stored.
    Bytes(Vec<u8>),
}

impl FieldValue {
    /// Returns an integer in the range of `i64`.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        if let Self::Int(value) = self { i64::try_from(*value).ok() } else { None }
    }

    /// Returns any number, rounded to the nearest float.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "the documented rounding")]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::F32(value) => Some(f64::from(*value)),
            Self::F64(value) => Some(*value),
            Self::Text(_) | Self::Bytes(_) => None,
        }
    }

    /// Returns a text that is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self { std::str::from_utf8(text).ok() } else { None }
    }

    /// Returns the bytes of a text, or other bytes.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        if let Self::Text(bytes) | Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    const fn type_name(&self) -> &'static str {
        match self {
            Self::Int(_) => "an integer",
            Self::F32(_) | Self::F64(_) => "a float",
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytes",
        }
    }

    fn is_not(&self, expected: &str) -> EditError {
        EditError::WrongType { expected: expected.into(), actual: self.type_name() }
    }

    /// Returns the value of a leaf.
    pub(super) fn of<L: Leaf + ?Sized>(leaf: &L) -> Self {
        let mut bytes = Vec::new();
        let text = |leaf: &L| unescape(&text_of(leaf)).ok().map(Self::Text);
        let value = match (leaf.scalar(), leaf.class()) {
            (Some(scalar), _) => {
                leaf.bytes(&mut bytes);
                Self::decode(scalar, &bytes)
            }
            (None, Class::Integer) => text_of(leaf).parse().ok().map(Self::Int),
            (None, Class::Text | Class::Spelling) => text(leaf),
            _ => None,
        };
        value.unwrap_or_else(|| {
            bytes.clear();
            leaf.bytes(&mut bytes);
            Self::Bytes(bytes)
        })
    }

    /// Returns the number that these bytes store.
    pub(super) fn decode(scalar: Scalar, bytes: &[u8]) -> Option<Self> {
        Some(match scalar {
            Scalar::U8 => u8::from_le_bytes(bytes.try_into().ok()?).into(),
            Scalar::U16 => u16::from_le_bytes(bytes.try_into().ok()?).into(),
            Scalar::U32 => u32::from_le_bytes(bytes.try_into().ok()?).into(),
            Scalar::U64 => u64::from_le_bytes(bytes.try_into().ok()?).into(),
            Scalar::I8 => i8::from_le_bytes(bytes.try_into().ok()?).into(),
            Scalar::I16 => i16::from_le_bytes(bytes.try_into().ok()?).into(),
            Scalar::I32 => i32::from_le_bytes(bytes.try_into().ok()?).into(),
            Scalar::I64 => i64::from_le_bytes(bytes.try_into().ok()?).into(),
            Scalar::F32 => f32::from_le_bytes(bytes.try_into().ok()?).into(),
            Scalar::F64 => f64::from_le_bytes(bytes.try_into().ok()?).into(),
        })
    }

    /// Sets a leaf to this value. A leaf that has the value is unchanged, however the file spells it.
    pub(super) fn assign_to<L: Leaf + ?Sized>(&self, leaf: &mut L) -> Result<(), EditError> {
        if leaf.field_value() == *self {
            return Ok(());
        }
        let is_number = !matches!(self, Self::Text(_) | Self::Bytes(_));
        match (self, leaf.class(), leaf.scalar()) {
            (Self::Bytes(bytes), ..) => leaf.assign_bytes(bytes),
            (_, Class::Float, Some(scalar)) if is_number => leaf.assign_bytes(&self.float_bytes(scalar)?),
            (Self::Int(_), Class::Integer, _) | (Self::Text(_), Class::Text, _) | (_, Class::Spelling, _) => {
                leaf.assign(&self.to_string())
            }
            _ => Err(self.is_not(leaf.type_name())),
        }
    }

    /// Returns the bytes of a number as a float, rounded to its precision.
    fn float_bytes(&self, scalar: Scalar) -> Result<Vec<u8>, EditError> {
        let value = self.as_f64().unwrap_or_default();
        if scalar == Scalar::F64 {
            return Ok(value.to_le_bytes().into());
        }
        #[expect(clippy::cast_possible_truncation, reason = "rounding to the precision of the field")]
        let rounded = if let Self::F32(value) = self { *value } else { value as f32 };
        if rounded.is_infinite() && value.is_finite() {
            return Err(format!("{value:?} is beyond the range of a float of 32 bits").into());
        }
        Ok(rounded.to_le_bytes().into())
    }
}

impl PartialEq for FieldValue {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(own), Self::Int(other)) => own == other,
            (Self::F32(own), Self::F32(other)) => own.to_bits() == other.to_bits(),
            (Self::F64(own), Self::F64(other)) => own.to_bits() == other.to_bits(),
            (Self::Text(own), Self::Text(other)) | (Self::Bytes(own), Self::Bytes(other)) => own == other,
            _ => false,
        }
    }
}

impl Eq for FieldValue {}

/// The spelling that [`set_text`](super::set_text) accepts.
impl fmt::Display for FieldValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => write!(out, "{value}"),
            Self::F32(value) => value.show(out),
            Self::F64(value) => value.show(out),
            Self::Text(text) => out.write_str(&escape(text)),
            Self::Bytes(bytes) => show_hex(bytes, out),
        }
    }
}

macro_rules! integers {
    ($($type:ty)+) => {$(
        impl From<$type> for FieldValue {
            fn from(value: $type) -> Self {
                Self::Int(value.into())
            }
        }

        impl TryFrom<FieldValue> for $type {
            type Error = EditError;

            fn try_from(value: FieldValue) -> Result<Self, EditError> {
                let FieldValue::Int(number) = value else { return Err(value.is_not(stringify!($type))) };
                number.try_into().map_err(|_| EditError::OutOfRange {
                    value: number.to_string(),
                    min: <$type>::MIN.into(),
                    max: <$type>::MAX.into(),
                })
            }
        }
    )+};
}

integers! { u8 u16 u32 u64 i8 i16 i32 i64 }

macro_rules! others {
    ($($type:ty => $variant:ident),+ $(,)?) => {$(
        impl From<$type> for FieldValue {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        }
    )+};
}

others! { bool => Int, f32 => F32, f64 => F64, &str => Text, String => Text, &[u8] => Bytes, Vec<u8> => Bytes }

/// Only a float of 32 bits, so that no bit is lost.
impl TryFrom<FieldValue> for f32 {
    type Error = EditError;

    fn try_from(value: FieldValue) -> Result<Self, EditError> {
        if let FieldValue::F32(value) = value { Ok(value) } else { Err(value.is_not("f32")) }
    }
}

/// Only a float; one of 32 bits is converted exactly.
impl TryFrom<FieldValue> for f64 {
    type Error = EditError;

    fn try_from(value: FieldValue) -> Result<Self, EditError> {
        match value {
            FieldValue::F32(value) => Ok(value.into()),
            FieldValue::F64(value) => Ok(value),
            _ => Err(value.is_not("f64")),
        }
    }
}

/// Only a text that is UTF-8.
impl TryFrom<FieldValue> for String {
    type Error = EditError;

    fn try_from(value: FieldValue) -> Result<Self, EditError> {
        match value {
            FieldValue::Text(text) => {
                Self::from_utf8(text).map_err(|error| EditError::Invalid(format!("not UTF-8: {error}")))
            }
            _ => Err(value.is_not("text")),
        }
    }
}
