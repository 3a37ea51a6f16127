//! Accessors, their views and buffers. Everything is checked against the bytes that are there.

use std::borrow::Cow;

use gltf_json::accessor::{ComponentType, Type, sparse};
use gltf_json::buffer::View;
use gltf_json::validation::Checked;
use gltf_json::{Accessor, Index, Root};

use super::bytes::{Loader, content, data_of, safe, unescape};
use super::{field, missing};
use crate::schema::FieldPath;
use crate::{Budget, Error, ErrorKind, Result};

/// The buffers, and the memory for what they decode to.
pub(super) struct Data<'a> {
    root: &'a Root,
    buffers: Vec<Cow<'a, [u8]>>,
    budget: &'a Budget,
}

/// The elements of an accessor in a view.
struct Strided<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
}

impl<'a> Strided<'a> {
    fn get(&self, index: usize) -> Option<&'a [u8]> {
        let start = index.checked_mul(self.stride)?;
        self.bytes.get(start..start.checked_add(self.size)?)
    }
}

/// The elements of an accessor.
struct Elements<'a> {
    count: usize,
    base: Option<Strided<'a>>,
    /// Replaced elements by ascending index.
    replaced: Vec<(usize, &'a [u8])>,
    component: ComponentType,
    normalized: bool,
}

/// Values for a few indices, by ascending index; all others are zero.
pub(super) type Sparse<T> = Vec<(u32, T)>;

impl<'a> Data<'a> {
    /// Loads all buffers.
    pub fn new(
        root: &'a Root,
        binary: Option<&'a [u8]>,
        load: &mut Loader<'_>,
        budget: &'a Budget,
    ) -> Result<Self> {
        let mut buffers = Vec::with_capacity(root.buffers.len());
        for (index, buffer) in root.buffers.iter().enumerate() {
            let at = || field("buffers", Some(index), "uri");
            let needed = buffer.byte_length.0;
            let charge = |bytes: u64| budget.charge(bytes).map_err(|why| Error::from(why).at(at()));
            let bytes = match &buffer.uri {
                None if index == 0 => Cow::Borrowed(binary.unwrap_or_default()),
                None => Cow::Borrowed(&[][..]),
                Some(uri) => match data_of(uri) {
                    Some(data) => {
                        charge(data.len() as u64)?;
                        let invalid = || Error::new(0, ErrorKind::Syntax("invalid base64".into())).at(at());
                        Cow::Owned(content(data).ok_or_else(invalid)?)
                    }
                    None => {
                        let name = external(uri).map_err(|error| error.at(at()))?;
                        budget.admit(needed);
                        charge(needed)?;
                        let failed = |error| Error::io(&*name, error).at(at());
                        Cow::Owned(load(&name, needed).map_err(failed)?)
                    }
                },
            };
            if (bytes.len() as u64) < needed {
                let left = bytes.len() as u64;
                return Err(Error::new(0, ErrorKind::Truncated { needed, left }).at(at()));
            }
            buffers.push(bytes);
        }
        Ok(Self { root, buffers, budget })
    }

    /// Charges memory that is about to be allocated.
    pub fn charge(&self, bytes: u64) -> Result<()> {
        Ok(self.budget.charge(bytes)?)
    }

    /// Returns the bytes of a view.
    pub fn view(&self, view: Index<View>) -> Result<&[u8]> {
        let index = view.value();
        let view = self.root.buffer_views.get(index);
        let view = view.ok_or_else(|| missing(field("bufferViews", None, ""), "view", index))?;
        let at = |name| field("bufferViews", Some(index), name);
        let buffer = self.buffers.get(view.buffer.value());
        let buffer = buffer.ok_or_else(|| missing(at("buffer"), "buffer", view.buffer.value()))?;
        let offset = view.byte_offset.map_or(0, |offset| offset.0);
        let (needed, left) = (view.byte_length.0, (buffer.len() as u64).saturating_sub(offset));
        let truncated = || Error::new(0, ErrorKind::Truncated { needed, left }).at(at("byteLength"));
        let range = usize::try_from(offset).ok().zip(usize::try_from(needed).ok());
        let range = range.and_then(|(start, len)| Some(start..start.checked_add(len)?));
        range.and_then(|range| buffer.get(range)).ok_or_else(truncated)
    }

    /// Returns an accessor with its path.
    fn accessor(&self, index: Index<Accessor>) -> Result<&'a Accessor> {
        let number = index.value();
        self.root
            .accessors
            .get(number)
            .ok_or_else(|| missing(field("accessors", None, ""), "accessor", number))
    }

    /// Returns the number of elements, which can exceed those that are there.
    pub fn count(&self, index: Index<Accessor>) -> Result<u64> {
        Ok(self.accessor(index)?.count.0)
    }

    /// Returns the number of components of each element.
    pub fn width(&self, index: Index<Accessor>) -> Result<usize> {
        Ok(width(self.accessor(index)?.type_))
    }

    /// Returns elements of `N` floats, or of integers converted to floats.
    pub fn floats<const N: usize>(&self, index: Index<Accessor>) -> Result<Vec<[f32; N]>> {
        let elements = self.elements(index, N)?;
        self.admit::<N>(index, elements.count)?;
        let convert = converter(elements.component, elements.normalized);
        Ok(elements.decode([0.0; N], |bytes| array(bytes, elements.component.size(), convert)))
    }

    /// Returns elements of `N` floats that differ from zero.
    pub fn deltas(&self, index: Index<Accessor>) -> Result<Sparse<[f32; 3]>> {
        let elements = self.elements(index, 3)?;
        let convert = converter(elements.component, elements.normalized);
        let decode = |bytes: &[u8]| array(bytes, elements.component.size(), convert);
        if elements.base.is_none() {
            let some = elements.replaced.iter();
            return Ok(some
                .map(|(at, bytes)| (u32::try_from(*at).unwrap_or(u32::MAX), decode(bytes)))
                .collect());
        }
        self.admit::<3>(index, elements.count)?;
        let all = elements.decode([0.0; 3], decode);
        let some = (0..).zip(all).filter(|(_, value)| value.iter().any(|part| *part != 0.0));
        Ok(some.collect())
    }

    /// Returns elements of `N` unsigned integers.
    pub fn integers<const N: usize>(&self, index: Index<Accessor>) -> Result<Vec<[u32; N]>> {
        let elements = self.elements(index, N)?;
        self.admit::<N>(index, elements.count)?;
        let component = elements.component;
        if !matches!(component, ComponentType::U8 | ComponentType::U16 | ComponentType::U32) {
            let at = field("accessors", Some(index.value()), "componentType");
            return Err(Error::new(0, ErrorKind::Unknown("expected an unsigned integer type".into())).at(at));
        }
        Ok(elements.decode([0; N], |bytes| array(bytes, component.size(), unsigned)))
    }

    /// Counts the memory of decoded elements before it is allocated.
    fn admit<const N: usize>(&self, index: Index<Accessor>, count: usize) -> Result<()> {
        let bytes = (count as u64).saturating_mul(4 * N as u64).saturating_add(64);
        self.charge(bytes).map_err(|error| error.at(field("accessors", Some(index.value()), "count")))
    }

    /// Locates the elements of an accessor, and checks that they are there.
    fn elements(&self, index: Index<Accessor>, components: usize) -> Result<Elements<'_>> {
        let accessor = self.accessor(index)?;
        let at = |name| field("accessors", Some(index.value()), name);
        let Checked::Valid(component) = accessor.component_type else {
            return Err(
                Error::new(0, ErrorKind::Unknown("unknown component type".into())).at(at("componentType"))
            );
        };
        let component = component.0;
        if width(accessor.type_) != components {
            let why = format!("expected elements with {components} components");
            return Err(Error::new(0, ErrorKind::Unknown(why)).at(at("type")));
        }
        let count = usize::try_from(accessor.count.0).unwrap_or(usize::MAX);
        let size = components * component.size();
        let offset = accessor.byte_offset.map_or(0, |offset| offset.0);
        let base =
            accessor.buffer_view.map(|view| self.strided(view, offset, count, size, &at("bufferView")));
        let replaced = match &accessor.sparse {
            Some(sparse) => self.replaced(sparse, count, size, &at("sparse"))?,
            None => Vec::new(),
        };
        let normalized = accessor.normalized;
        Ok(Elements { count, base: base.transpose()?, replaced, component, normalized })
    }

    fn strided(
        &self,
        view: Index<View>,
        offset: u64,
        count: usize,
        size: usize,
        at: &FieldPath,
    ) -> Result<Strided<'_>> {
        let bytes = self.view(view)?;
        // 0 is not valid; in glTF 1.0, it means that elements follow each other.
        let stride = self.root.buffer_views[view.value()].byte_stride.filter(|stride| stride.0 > 0);
        let stride = stride.map_or(size, |stride| stride.0);
        let (count, len) = (count as u64, bytes.len() as u64);
        let before = count.saturating_sub(1).saturating_mul(stride as u64);
        let last = if count == 0 { 0 } else { size as u64 };
        let needed = before.saturating_add(last);
        let start = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..));
        let left = len.saturating_sub(offset);
        let truncated = || Error::new(0, ErrorKind::Truncated { needed, left }).at(at.clone());
        let bytes = start.filter(|_| needed <= left).ok_or_else(truncated)?;
        Ok(Strided { bytes, stride, size })
    }

    fn replaced(
        &self,
        sparse: &sparse::Sparse,
        count: usize,
        size: usize,
        at: &FieldPath,
    ) -> Result<Vec<(usize, &[u8])>> {
        let Checked::Valid(component) = sparse.indices.component_type else {
            return Err(Error::new(0, ErrorKind::Unknown("unknown component type".into())).at(at.clone()));
        };
        let invalid = |why: &str| Error::new(0, ErrorKind::Count(why.into())).at(at.clone());
        let some = usize::try_from(sparse.count.0).ok().filter(|some| *some <= count);
        let some = some.ok_or_else(|| invalid("more elements than the accessor"))?;
        let (indices, values) = (&sparse.indices, &sparse.values);
        let width = component.0.size();
        let indices = self.strided(indices.buffer_view, indices.byte_offset.0, some, width, at)?;
        let values = self.strided(values.buffer_view, values.byte_offset.0, some, size, at)?;
        self.charge(sparse.count.0.saturating_mul(32)).map_err(|error| error.at(at.clone()))?;
        let pairs =
            (0..some).filter_map(|index| Some((unsigned(indices.get(index)?) as usize, values.get(index)?)));
        let pairs: Vec<_> = pairs.collect();
        if pairs.last().is_some_and(|(last, _)| *last >= count) || !pairs.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(invalid("the indices do not increase, or are out of range"));
        }
        Ok(pairs)
    }
}

impl Elements<'_> {
    fn decode<T: Copy>(&self, zero: T, decode: impl Fn(&[u8]) -> T) -> Vec<T> {
        let mut values = match &self.base {
            Some(base) => (0..self.count).map(|at| base.get(at).map_or(zero, &decode)).collect(),
            None => vec![zero; self.count],
        };
        for (index, bytes) in &self.replaced {
            values[*index] = decode(bytes);
        }
        values
    }
}

/// Returns the path of another file.
fn external(uri: &str) -> Result<String> {
    let syntax = |why: &str| Error::new(0, ErrorKind::Syntax(format!("{uri:?} {why}")));
    let path = String::from_utf8(unescape(uri)).map_err(|_| syntax("is not UTF-8"))?;
    safe(&path).map_err(syntax)
}

/// Returns the number of components; 0 for an unknown type.
const fn width(shape: Checked<Type>) -> usize {
    match shape {
        Checked::Valid(Type::Scalar) => 1,
        Checked::Valid(Type::Vec2) => 2,
        Checked::Valid(Type::Vec3) => 3,
        Checked::Valid(Type::Vec4 | Type::Mat2) => 4,
        Checked::Valid(Type::Mat3) => 9,
        Checked::Valid(Type::Mat4) => 16,
        Checked::Invalid => 0,
    }
}

/// Decodes the components of an element.
fn array<T: Default + Copy, const N: usize>(
    bytes: &[u8],
    size: usize,
    convert: impl Fn(&[u8]) -> T,
) -> [T; N] {
    let mut values = [T::default(); N];
    for (value, bytes) in values.iter_mut().zip(bytes.chunks_exact(size)) {
        *value = convert(bytes);
    }
    values
}

/// Decodes an unsigned integer of one, two or four bytes.
fn unsigned(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// Returns the conversion of a component to a float.
fn converter(component: ComponentType, normalized: bool) -> fn(&[u8]) -> f32 {
    match (component, normalized) {
        (ComponentType::F32, _) => |bytes| f32::from_bits(unsigned(bytes)),
        (ComponentType::I8, false) => |bytes| f32::from(byte(bytes).cast_signed()),
        (ComponentType::U8, false) => |bytes| f32::from(byte(bytes)),
        (ComponentType::I16, false) => |bytes| f32::from(short(bytes).cast_signed()),
        (ComponentType::U16, false) => |bytes| f32::from(short(bytes)),
        (ComponentType::I8, true) => |bytes| (f32::from(byte(bytes).cast_signed()) / 127.0).max(-1.0),
        (ComponentType::U8, true) => |bytes| f32::from(byte(bytes)) / 255.0,
        (ComponentType::I16, true) => |bytes| (f32::from(short(bytes).cast_signed()) / 32767.0).max(-1.0),
        (ComponentType::U16, true) => |bytes| f32::from(short(bytes)) / 65535.0,
        #[expect(clippy::cast_precision_loss, reason = "glTF does not allow this type for floats")]
        (ComponentType::U32, _) => |bytes| unsigned(bytes) as f32,
    }
}

fn byte(bytes: &[u8]) -> u8 {
    bytes.first().copied().unwrap_or_default()
}

fn short(bytes: &[u8]) -> u16 {
    bytes.first_chunk().map_or(0, |bytes| u16::from_le_bytes(*bytes))
}
