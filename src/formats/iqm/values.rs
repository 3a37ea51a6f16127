//! The values of vertex arrays in any format.

use super::types::DATA;
use super::{Iqm, VertexData};
use crate::FieldPath;
use crate::check::common::field_path;

/// The values of a vertex array.
pub(super) struct Values<'a> {
    index: usize,
    size: usize,
    data: &'a VertexData,
    /// The value that means 1.
    pub full: f32,
}

impl<'a> Values<'a> {
    /// Returns the first array of a type; none if it has fewer components, or too few values.
    pub fn of(file: &'a Iqm, kind: u32, least: usize) -> Option<Self> {
        let (index, size, data) = file.array(kind)?;
        let full = match data {
            VertexData::Ubyte(_) | VertexData::Colors(_) | VertexData::BlendWeights(_) => 255.0,
            VertexData::Ushort(_) => 65_535.0,
            _ => 1.0,
        };
        let values = Self { index, size, data, full };
        let end = (file.num_vertexes as usize).checked_mul(size)?.checked_sub(1)?;
        (size >= least && least > 0 && data.component(end).is_some()).then_some(values)
    }

    pub fn get(&self, vertex: usize, component: usize) -> f32 {
        self.data.component(vertex * self.size + component).unwrap_or(0.0)
    }

    pub fn at<const N: usize>(&self, vertex: usize) -> [f32; N] {
        std::array::from_fn(|component| self.get(vertex, component))
    }

    /// Returns a component as a share of 1.
    pub fn share(&self, vertex: usize, component: usize) -> f32 {
        self.get(vertex, component) * self.full.recip()
    }

    /// Whether the data is a list with an element for each vertex.
    pub fn is_by_vertex(&self) -> bool {
        self.data.array().is_some()
    }

    pub fn path(&self) -> FieldPath {
        data_path(self.index)
    }

    /// Returns the path of a vertex, or of its first component.
    pub fn path_of(&self, vertex: usize) -> FieldPath {
        let element = if self.is_by_vertex() { vertex } else { vertex * self.size };
        self.path().join(&field_path![element])
    }
}

/// The joints of vertices and their weights.
pub(super) struct Influences<'a> {
    pub joints: Values<'a>,
    pub weights: Values<'a>,
    /// The number of joints of each vertex.
    pub slots: usize,
}

impl<'a> Influences<'a> {
    pub fn of(file: &'a Iqm) -> Option<Self> {
        let sizes = [4, 5].map(|kind| file.array(kind).map_or(0, |(_, size, _)| size));
        let slots = sizes[0].min(sizes[1]);
        Some(Self { joints: Values::of(file, 4, slots)?, weights: Values::of(file, 5, slots)?, slots })
    }

    /// Returns the index of a joint; a negative one is invalid.
    pub fn joint(&self, vertex: usize, slot: usize) -> i64 {
        let joint = self.joints.get(vertex, slot).floor();
        #[expect(clippy::cast_possible_truncation, reason = "indices are small, and casts clamp")]
        if joint.is_nan() { -1 } else { joint as i64 }
    }

    pub fn path_of_joint(&self, vertex: usize, slot: usize) -> FieldPath {
        match self.joints.data {
            VertexData::BlendIndexes(_) => self.joints.path_of(vertex).join(&field_path!["joints", slot]),
            _ => self.joints.path().join(&field_path![vertex * self.joints.size + slot]),
        }
    }
}

/// Returns the path of the data of a vertex array.
pub(super) fn data_path(array: usize) -> FieldPath {
    field_path!["sections", DATA[array]]
}

impl Iqm {
    /// Returns the index, the number of components and the data of the first array of a type.
    pub(super) fn array(&self, kind: u32) -> Option<(usize, usize, &VertexData)> {
        let mut arrays = self.sections.arrays().enumerate();
        let (index, (own, data)) = arrays.find(|(_, (own, _))| own.kind == kind)?;
        Some((index, own.size as usize, data))
    }
}
