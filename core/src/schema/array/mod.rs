//! Arrays: the numbers at a path as elements of one layout.

mod copy;
mod element;
mod find;
mod write;

use std::borrow::Cow;
use std::ops::Range;

use super::{FieldPath, FieldValue, Role, Scalar, Value};
use crate::Result;
use copy::Copied;
use element::Element;
use find::{Found, Lists, find};

pub use write::set_array;

/// The values at a path as elements of one layout, for numerical libraries.
///
/// Elements of fixed size are not copied: [`bytes`](Self::bytes) are those of the file, and [`strides`](Self::strides)
/// lead from one element to the next. Numbers in text, and elements between parts of variable size, are copied.
///
/// Numbers are little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array<'a> {
    shape: Vec<usize>,
    strides: Vec<usize>,
    item_size: usize,
    fields: Vec<ArrayField>,
    source: Option<Range<u64>>,
    bytes: Cow<'a, [u8]>,
}

/// A part of each element of an [`Array`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArrayField {
    /// The path from the element: `position`, `key.time`; empty if the element is a single value.
    pub name: String,
    /// The type.
    pub kind: ArrayType,
    /// The lengths of a fixed array, the outermost first; empty for a single value.
    pub shape: Vec<usize>,
    /// The offset from the start of the element.
    pub offset: usize,
    /// What the value decides; only a free one can be set.
    pub role: Role,
}

/// The type of a part of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ArrayType {
    /// A number as it is in the file.
    Number(Scalar),
    /// An integer of the file that has no fixed size, as [`Scalar::I64`].
    Integer,
    /// A number in text, as [`Scalar::F64`].
    Float,
    /// This number of bytes: a text field or a blob.
    Bytes(usize),
}

impl ArrayType {
    /// Returns the number of bytes in the array.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::Number(scalar) => scalar.size(),
            Self::Integer | Self::Float => 8,
            Self::Bytes(len) => len,
        }
    }

    /// Returns the type of the numbers in the array; `None` for bytes.
    #[must_use]
    pub const fn scalar(self) -> Option<Scalar> {
        match self {
            Self::Number(scalar) => Some(scalar),
            Self::Integer => Some(Scalar::I64),
            Self::Float => Some(Scalar::F64),
            Self::Bytes(_) => None,
        }
    }

    /// Returns whether the file has the same bytes.
    const fn is_stored(self) -> bool {
        matches!(self, Self::Number(_) | Self::Bytes(_))
    }
}

impl<'a> Array<'a> {
    /// Returns the number of elements in each dimension: one for each list on the path, then those of fixed arrays.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the distance in bytes between neighbours in each dimension.
    #[must_use]
    pub fn strides(&self) -> &[usize] {
        &self.strides
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the size of an element in bytes.
    #[must_use]
    pub const fn item_size(&self) -> usize {
        self.item_size
    }

    /// Returns the parts of an element in the order of the file: one without a name if it is a single value, none if the
    /// list is empty and the layout of its elements varies.
    #[must_use]
    pub fn fields(&self) -> &[ArrayField] {
        &self.fields
    }

    /// Returns the bytes of the file from the first to the last element; `None` for a copy.
    #[must_use]
    pub fn source(&self) -> Option<Range<u64>> {
        self.source.clone()
    }

    /// Returns the bytes from the first to the last element. Those of a copy are contiguous.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the elements without the bytes between them, the last dimension first, as [`set_array`] accepts them.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let mut starts = vec![0];
        for (len, stride) in self.shape.iter().zip(&self.strides) {
            starts = starts.iter().flat_map(|start| (0..*len).map(move |at| start + at * stride)).collect();
        }
        starts.iter().flat_map(|start| &self.bytes[*start..start + self.item_size]).copied().collect()
    }

    /// Returns the numbers of all elements in the order of [`to_vec`](Self::to_vec), rounded to the nearest float; bytes
    /// are left out.
    #[must_use]
    pub fn numbers(&self) -> Vec<f64> {
        let bytes = self.to_vec();
        let mut numbers = Vec::new();
        for element in bytes.chunks_exact(self.item_size.max(1)) {
            for field in &self.fields {
                let Some(scalar) = field.kind.scalar() else { continue };
                let len = field.shape.iter().product::<usize>() * scalar.size();
                let numbers_of = element[field.offset..field.offset + len].chunks_exact(scalar.size());
                numbers.extend(numbers_of.filter_map(|bytes| FieldValue::decode(scalar, bytes)?.as_f64()));
            }
        }
        numbers
    }

    fn new(dims: &[Dim], element: Element, bytes: Cow<'a, [u8]>, source: Option<Range<u64>>) -> Self {
        let item_size = element.item_size;
        let all = dims.iter().copied().chain(contiguous(&element.shape, item_size));
        let (shape, strides) = all.map(|dim| (dim.len, dim.stride)).unzip();
        Self { shape, strides, item_size, fields: element.fields, source, bytes }
    }
}

/// Returns the values at a path as an array. `source` are the bytes that the root encodes to.
///
/// A list that the path names without a selector contributes all its elements: `vertices.position` is
/// `vertices[*].position`. As in [`get_all`](super::get_all), elements without the value are left out.
///
/// # Errors
/// [`ErrorKind::Path`](crate::ErrorKind::Path) if the path selects nothing, text that is not a number, or elements of
/// different layouts.
pub fn array<'a>(root: &dyn Value, source: &'a [u8], path: &FieldPath) -> Result<Array<'a>> {
    let found = find(root, path)?;
    if let Found::Lists(Lists { dims, start: Some(start), element, .. }) = &found
        && let Some((range, bytes)) = stored(source, *start, dims, element)
    {
        return Ok(Array::new(dims, element.clone(), Cow::Borrowed(bytes), Some(range)));
    }
    let Copied { dims, element, bytes, places } = copy::copy(root, &found)?;
    if let Some((start, stride)) = copy::progression(&places, &element)
        && let dims = [Dim { len: places.len(), stride }]
        && let Some((range, bytes)) = stored(source, start, &dims, &element)
    {
        return Ok(Array::new(&dims, element, Cow::Borrowed(bytes), Some(range)));
    }
    Ok(Array::new(&dims, element, Cow::Owned(bytes), None))
}

/// Returns the bytes of elements that the file stores as they are in the array.
fn stored<'a>(
    source: &'a [u8],
    start: u64,
    dims: &[Dim],
    element: &Element,
) -> Option<(Range<u64>, &'a [u8])> {
    if !element.is_stored() {
        return None;
    }
    let is_empty = dims.iter().any(|dim| dim.len == 0);
    let last: usize = dims.iter().map(|dim| dim.len.saturating_sub(1) * dim.stride).sum();
    let end = if is_empty { start } else { start + (last + element.size()) as u64 };
    let bytes = source.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)?;
    Some((start..end, bytes))
}

/// A dimension: the number of elements and the distance in bytes between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dim {
    len: usize,
    stride: usize,
}

/// Returns the dimensions of elements of this size without bytes between them.
fn contiguous(shape: &[usize], size: usize) -> Vec<Dim> {
    let stride = |at: usize| size * shape[at + 1..].iter().product::<usize>();
    (0..shape.len()).map(|at| Dim { len: shape[at], stride: stride(at) }).collect()
}
