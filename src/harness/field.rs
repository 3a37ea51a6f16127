//! The values of a file, as mutations need them.

use std::ops::{ControlFlow, Range};

use crate::formats::unigine::CInt;
use crate::schema::{Class, Leaf, Place, Role, Step, Value, leaves};

/// A value in a file.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub range: Range<usize>,
    pub role: Role,
    pub sort: Sort,
    /// The index of the innermost record in a list that contains it: of the bone, not of the coordinate.
    pub index: Option<usize>,
    /// The previous text.
    pub twin: Option<Range<usize>>,
    /// Whether it is the last value of the file.
    pub is_last: bool,
}

/// The encoding of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// A little-endian integer of the size of the value.
    Integer { signed: bool },
    /// UNIGINE's compact integer.
    Compact,
    /// IEEE 754 in four or eight bytes.
    Float,
    /// Text in bytes.
    Text,
    /// A number in a text file.
    Number,
    /// Another word of a text file.
    Word,
    /// Anything else.
    Bytes,
}

impl Sort {
    fn of(leaf: &dyn Leaf) -> Self {
        match (leaf.class(), leaf.type_name()) {
            (_, "cint") => Self::Compact,
            (Class::Integer, name) => Self::Integer { signed: name.starts_with('i') },
            (Class::Float, _) => Self::Float,
            (Class::Text, _) => Self::Text,
            (Class::Spelling, _) => {
                let mut bytes = Vec::new();
                leaf.bytes(&mut bytes);
                let number = std::str::from_utf8(&bytes).is_ok_and(|text| text.parse::<f64>().is_ok());
                if number { Self::Number } else { Self::Word }
            }
            _ => Self::Bytes,
        }
    }
}

impl Field {
    pub fn is_whole(&self) -> bool {
        matches!(self.sort, Sort::Integer { .. } | Sort::Compact | Sort::Number)
    }

    pub fn is_text(&self) -> bool {
        matches!(self.sort, Sort::Text | Sort::Word)
    }

    /// Returns the range of the field; in a text file, the range of 32 bits that readers use.
    pub fn limits(&self) -> (i128, i128) {
        let bits = 8 * self.range.len().min(8);
        match self.sort {
            Sort::Integer { signed: true } => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Sort::Compact => (-i128::from(i32::MAX), i32::MAX.into()),
            Sort::Number => (i32::MIN.into(), u32::MAX.into()),
            _ => (0, (1 << bits) - 1),
        }
    }

    /// Returns the integer value.
    pub fn value(&self, file: &[u8]) -> Option<i128> {
        let own = &file[self.range.clone()];
        match self.sort {
            Sort::Integer { signed } => {
                let filler = if signed && own.last()? & 0x80 != 0 { 0xff } else { 0 };
                let mut bytes = [filler; 16];
                bytes.get_mut(..own.len())?.copy_from_slice(own);
                Some(i128::from_le_bytes(bytes))
            }
            Sort::Compact => {
                let mut value = CInt::default();
                Leaf::assign_bytes(&mut value, own).ok()?;
                Some(value.value().into())
            }
            Sort::Number => std::str::from_utf8(own).ok()?.parse().ok(),
            _ => None,
        }
    }

    /// Encodes an integer; none if it does not fit.
    pub fn encoded(&self, value: i128) -> Option<Vec<u8>> {
        let (least, most) = self.limits();
        let value = Some(value).filter(|value| (least..=most).contains(value))?;
        match self.sort {
            Sort::Compact => CInt::new(value.try_into().ok()?).map(CInt::to_bytes),
            Sort::Number => Some(value.to_string().into_bytes()),
            _ => value.to_le_bytes().get(..self.range.len()).map(<[u8]>::to_vec),
        }
    }

    /// Encodes a floating point number.
    pub fn float(&self, single: u32, double: u64, text: &str) -> Option<Vec<u8>> {
        match (self.sort, self.range.len()) {
            (Sort::Number, _) => Some(text.into()),
            (Sort::Float, 4) => Some(single.to_le_bytes().into()),
            (Sort::Float, 8) => Some(double.to_le_bytes().into()),
            _ => None,
        }
    }
}

/// Visits the values of a file that have bytes.
pub(super) fn each_field(file: &dyn Value, len: usize, show: &mut dyn FnMut(Field)) {
    let mut twin = None;
    let _ = leaves(file, &mut |place: &Place, leaf: &dyn Leaf| {
        let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX).min(len);
        let range = at(place.offset)..at(place.offset + leaf.size());
        if !range.is_empty() {
            let sort = Sort::of(leaf);
            let index = element(place.path.steps());
            let before = twin.clone();
            if matches!(sort, Sort::Text | Sort::Word) {
                twin = Some(range.clone());
            }
            let is_last = range.end == len;
            show(Field { range, role: place.role, sort, index, twin: before, is_last });
        }
        ControlFlow::Continue(())
    });
}

fn element(steps: &[Step]) -> Option<usize> {
    let last_field = steps.iter().rposition(|step| matches!(step, Step::Field(_)))?;
    steps[..last_field].iter().rev().chain(steps.last()).find_map(|step| match step {
        Step::Index(index) => Some(*index),
        _ => None,
    })
}
