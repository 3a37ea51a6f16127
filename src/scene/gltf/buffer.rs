//! The buffer of a glTF document with its views and accessors.

use std::collections::HashMap;

use gltf_json::accessor::{ComponentType, GenericComponentType, IndexComponentType, Type, sparse};
use gltf_json::buffer::{Target, View};
use gltf_json::validation::Checked::Valid;
use gltf_json::{Accessor, Index, Root};

/// The buffer of a glTF document, with its views and accessors.
#[derive(Default)]
pub(super) struct Buffer {
    pub bytes: Vec<u8>,
    views: Vec<View>,
    accessors: Vec<Accessor>,
    /// Times that several curves share, by their bits.
    times: HashMap<Vec<u32>, Index<Accessor>>,
    /// The number of values that were not finite and became 0.
    pub mended: usize,
}

/// The element types of accessors.
pub(super) const VERTICES: Option<Target> = Some(Target::ArrayBuffer);

impl Buffer {
    pub fn hand_over(&mut self, root: &mut Root) {
        root.buffer_views = std::mem::take(&mut self.views);
        root.accessors = std::mem::take(&mut self.accessors);
    }

    /// Adds elements of `N` floats; `bounded` where glTF requires the minimum and maximum.
    pub fn floats<const N: usize>(
        &mut self,
        values: impl IntoIterator<Item = [f32; N]>,
        target: Option<Target>,
        bounded: bool,
    ) -> Index<Accessor> {
        let mut bounds = Extremes::<N>::default();
        let start = self.bytes.len();
        let mut count = 0;
        for value in values {
            let value = self.mend(value);
            bounds.include(value);
            self.put(value);
            count += 1;
        }
        let view = self.view(start, target);
        let mut accessor = accessor(Some(view), count, ComponentType::F32, shape(N));
        if bounded && count > 0 {
            (accessor.min, accessor.max) =
                (Some(bounds.min.to_vec().into()), Some(bounds.max.to_vec().into()));
        }
        Index::push(&mut self.accessors, accessor)
    }

    /// Adds the times of keys in seconds, in ascending order.
    pub fn times(&mut self, seconds: &[f32]) -> Index<Accessor> {
        let bits: Vec<u32> = seconds.iter().map(|time| time.to_bits()).collect();
        if let Some(known) = self.times.get(&bits) {
            return *known;
        }
        let times = self.floats(seconds.iter().map(|time| [*time]), None, true);
        self.times.insert(bits, times);
        times
    }

    /// Adds elements of four bytes.
    pub fn bytes4(&mut self, values: impl IntoIterator<Item = [u8; 4]>, normalized: bool) -> Index<Accessor> {
        let start = self.bytes.len();
        self.bytes.extend(values.into_iter().flatten());
        let count = (self.bytes.len() - start) / 4;
        let view = self.view(start, VERTICES);
        let accessor = Accessor { normalized, ..accessor(Some(view), count, ComponentType::U8, Type::Vec4) };
        Index::push(&mut self.accessors, accessor)
    }

    /// Adds elements of four 16-bit numbers.
    pub fn shorts4(&mut self, values: impl IntoIterator<Item = [u16; 4]>) -> Index<Accessor> {
        let start = self.bytes.len();
        for value in values.into_iter().flatten() {
            self.bytes.extend_from_slice(&value.to_le_bytes());
        }
        let count = (self.bytes.len() - start) / 8;
        let view = self.view(start, VERTICES);
        Index::push(&mut self.accessors, accessor(Some(view), count, ComponentType::U16, Type::Vec4))
    }

    /// Adds the indices of triangles; `vertices` determines their width.
    pub fn triangles(&mut self, triangles: &[[u32; 3]], num_vertices: usize) -> Index<Accessor> {
        let start = self.bytes.len();
        // glTF reserves the largest number of each width.
        let narrow = num_vertices < usize::from(u16::MAX);
        for index in triangles.iter().flatten() {
            match u16::try_from(*index) {
                Ok(index) if narrow => self.bytes.extend_from_slice(&index.to_le_bytes()),
                _ => self.bytes.extend_from_slice(&index.to_le_bytes()),
            }
        }
        let view = self.view(start, Some(Target::ElementArrayBuffer));
        let width = if narrow { ComponentType::U16 } else { ComponentType::U32 };
        Index::push(&mut self.accessors, accessor(Some(view), triangles.len() * 3, width, Type::Scalar))
    }

    /// Adds vectors that are zero except for a few, by ascending index.
    pub fn sparse(&mut self, count: usize, values: &[(u32, [f32; 3])]) -> Index<Accessor> {
        let mut accessor = accessor(None, count, ComponentType::F32, Type::Vec3);
        let mut bounds = Extremes::<3>::default();
        if values.len() < count {
            bounds.include([0.0; 3]);
        }
        if !values.is_empty() {
            let start = self.bytes.len();
            for (index, _) in values {
                self.bytes.extend_from_slice(&index.to_le_bytes());
            }
            let indices = self.view(start, None);
            let start = self.bytes.len();
            for (_, value) in values {
                let value = self.mend(*value);
                bounds.include(value);
                self.put(value);
            }
            let moved = self.view(start, None);
            accessor.sparse = Some(sparse_of(values.len(), indices, moved));
        }
        (accessor.min, accessor.max) = (Some(bounds.min.to_vec().into()), Some(bounds.max.to_vec().into()));
        Index::push(&mut self.accessors, accessor)
    }

    /// Replaces numbers that are not finite.
    pub fn mend<const N: usize>(&mut self, value: [f32; N]) -> [f32; N] {
        value.map(|value| {
            self.mended += usize::from(!value.is_finite());
            if value.is_finite() { value } else { 0.0 }
        })
    }

    fn put<const N: usize>(&mut self, value: [f32; N]) {
        self.bytes.extend(value.into_iter().flat_map(f32::to_le_bytes));
    }

    /// Adds a view of the bytes since `start`; the next one starts at a multiple of four.
    /// Adds bytes that are not elements, such as an image.
    pub fn raw(&mut self, bytes: &[u8]) -> Index<View> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.view(start, None)
    }

    fn view(&mut self, start: usize, target: Option<Target>) -> Index<View> {
        let view = View {
            buffer: Index::new(0),
            byte_length: (self.bytes.len() - start).into(),
            byte_offset: Some(start.into()),
            byte_stride: None,
            name: None,
            target: target.map(Valid),
            extensions: None,
            extras: None,
        };
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        Index::push(&mut self.views, view)
    }
}

/// Returns the minimum and maximum of each component.
struct Extremes<const N: usize> {
    min: [f32; N],
    max: [f32; N],
}

impl<const N: usize> Default for Extremes<N> {
    fn default() -> Self {
        Self { min: [f32::MAX; N], max: [f32::MIN; N] }
    }
}

impl<const N: usize> Extremes<N> {
    fn include(&mut self, value: [f32; N]) {
        for (index, value) in value.into_iter().enumerate() {
            self.min[index] = self.min[index].min(value);
            self.max[index] = self.max[index].max(value);
        }
    }
}

const fn shape(components: usize) -> Type {
    match components {
        2 => Type::Vec2,
        3 => Type::Vec3,
        4 => Type::Vec4,
        16 => Type::Mat4,
        _ => Type::Scalar,
    }
}

fn accessor(view: Option<Index<View>>, count: usize, component: ComponentType, shape: Type) -> Accessor {
    Accessor {
        buffer_view: view,
        byte_offset: None,
        count: count.into(),
        component_type: Valid(GenericComponentType(component)),
        extensions: None,
        extras: None,
        type_: Valid(shape),
        min: None,
        max: None,
        name: None,
        normalized: false,
        sparse: None,
    }
}

fn sparse_of(count: usize, indices: Index<View>, values: Index<View>) -> sparse::Sparse {
    sparse::Sparse {
        count: count.into(),
        indices: sparse::Indices {
            buffer_view: indices,
            byte_offset: 0_u64.into(),
            component_type: Valid(IndexComponentType(ComponentType::U32)),
            extensions: None,
            extras: None,
        },
        values: sparse::Values {
            buffer_view: values,
            byte_offset: 0_u64.into(),
            extensions: None,
            extras: None,
        },
        extensions: None,
        extras: None,
    }
}
