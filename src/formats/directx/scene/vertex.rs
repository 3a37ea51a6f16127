//! Vertex attributes other than positions: in separate lists, or interleaved in `DeclData` and `FVFData`, described by
//! `D3DVERTEXELEMENT9` and flexible vertex formats (Microsoft's reference of Direct3D 9).

use std::collections::BTreeMap;

use super::super::decl_type::{
    self, D3DCOLOR, DEC3N, FLOAT1, FLOAT2, FLOAT3, FLOAT4, FLOAT16_2, FLOAT16_4, SHORT2, SHORT2N, SHORT4N,
    UBYTE4N, USHORT2N, USHORT4N,
};
use super::super::{DeclData, FVFData, Mesh, MeshTextureCoords, MeshVertexColors, Object, View as _};
use super::{read, read_objects, shallow_path};
use crate::FieldPath;
use crate::scene::{Builder, Lost, float_16};

/// Vertex attributes. Each list is empty or has one value per vertex; lists of texture coordinates can be shorter.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Vertices {
    pub normals: Vec<[f32; 3]>,
    pub tangents: Vec<[f32; 3]>,
    pub binormals: Vec<[f32; 3]>,
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// The objects of the first sets of texture coordinates; the others are interleaved.
    pub uv_paths: Vec<Option<FieldPath>>,
    pub colors: Vec<[f32; 4]>,
}

/// The maximum number of sets of texture coordinates in Direct3D.
pub(super) const MAX_SETS: usize = 8;

/// The colour of a vertex without one.
const WHITE: [f32; 4] = [1.0; 4];

impl Vertices {
    /// Reads the vertex attributes of a mesh.
    pub fn of(object: Object<'_>, mesh: &Mesh, scene: &mut Builder<'_>) -> Self {
        let num = mesh.vertices.len();
        let mut vertices = Self::default();
        vertices.add_uvs(object, scene);
        for list in read::<MeshVertexColors>(object, scene) {
            vertices.add_colors(&list, num, scene);
        }
        for data in read::<DeclData>(object, scene) {
            let elements = data.elements.iter().map(|&[kind, _, usage, index]| (kind, usage, index));
            vertices.deinterleave(DeclData::TEMPLATE, elements.collect(), &data.data, num, scene);
        }
        for data in read::<FVFData>(object, scene) {
            vertices.deinterleave(FVFData::TEMPLATE, elements_of(&data, num), &data.data, num, scene);
        }
        for uvs in &vertices.uvs {
            let missing = num.saturating_sub(uvs.len());
            scene.report_losses(missing, Lost::TexCoordCount);
        }
        vertices
    }

    /// Adds the separate lists of texture coordinates.
    fn add_uvs(&mut self, object: Object<'_>, scene: &mut Builder<'_>) {
        let sets = read_objects::<MeshTextureCoords>(object, scene);
        let others = sets.len().saturating_sub(MAX_SETS);
        scene.report_losses(others, Lost::TexCoordSets.with(MAX_SETS));
        for (object, list) in sets.into_iter().take(MAX_SETS) {
            self.uvs.push(list.coords);
            self.uv_paths.push(shallow_path(object));
        }
    }

    /// Adds the colours of a list.
    fn add_colors(&mut self, list: &MeshVertexColors, num: usize, scene: &mut Builder<'_>) {
        self.colors.resize(num, WHITE);
        let there = list.colors.iter().filter(|(vertex, _)| (*vertex as usize) < num);
        let missing = list.colors.len() - there.clone().count();
        scene.report_losses(missing, Lost::VertexColorCount);
        there.for_each(|(vertex, color)| self.colors[*vertex as usize] = *color);
    }

    /// Splits interleaved vertex data into attributes.
    fn deinterleave(
        &mut self,
        what: &str,
        elements: Vec<Element>,
        words: &[u32],
        num: usize,
        scene: &mut Builder<'_>,
    ) {
        let lens: Option<Vec<usize>> = elements.iter().map(|own| decl_type::words(own.0)).collect();
        let Some(lens) = lens else {
            return scene.report_losses(1, Lost::VertexData.with(what));
        };
        let stride: usize = lens.iter().sum();
        if stride == 0 || words.len() < num.saturating_mul(stride) {
            return scene.report_losses(1, Lost::VertexData.with(what));
        }
        let mut unread = BTreeMap::<&str, usize>::new();
        let mut start = 0;
        for (element, len) in elements.into_iter().zip(lens).filter(|(_, len)| *len > 0) {
            let rows = words.chunks_exact(stride).take(num).map(|row| &row[start..start + len]);
            if !self.add(element, rows) {
                *unread.entry(USAGES.get(element.1 as usize).unwrap_or(&"elements")).or_default() += 1;
            }
            start += len;
        }
        for (usage, count) in unread {
            scene.report_losses(count, Lost::VertexElements.with(format_args!("{usage} in {what}")));
        }
    }

    /// Adds the values of an element. Returns false if they are not supported or already present.
    fn add<'w>(&mut self, element: Element, rows: impl Iterator<Item = &'w [u32]>) -> bool {
        let (kind, usage, index) = element;
        let values = rows.map(|words| value(kind, words));
        let vectors = match (usage, index) {
            (NORMAL, 0) => &mut self.normals,
            (TANGENT, 0) => &mut self.tangents,
            (BINORMAL, 0) => &mut self.binormals,
            (COORDINATES, _) if PAIRS.contains(&kind) => {
                let uvs: Vec<[f32; 2]> = values.map(|[u, v, ..]| [u, v]).collect();
                // Some exporters repeat the separate list of coordinates here.
                let again = index == 0 && self.uvs.first() == Some(&uvs);
                let fits = again || self.uvs.len() < MAX_SETS;
                self.uvs.extend((fits && !again).then_some(uvs));
                return fits;
            }
            (COLOR, 0) if self.colors.is_empty() && FOURS.contains(&kind) => {
                self.colors = values.collect();
                return true;
            }
            _ => return false,
        };
        let fits = vectors.is_empty() && DIRECTIONS.contains(&kind);
        if fits {
            vectors.extend(values.map(|[x, y, z, _]| [x, y, z]));
        }
        fits
    }
}

/// Returns the elements of the data of `num` vertices with a flexible vertex format.
pub fn elements_of(data: &FVFData, num: usize) -> Vec<Element> {
    let (places, others) = fvf_elements(data.fvf);
    let whole: Vec<_> = places.into_iter().chain(others.iter().copied()).collect();
    // Positions are stored in the mesh, and usually not repeated here.
    let stride: usize = whole.iter().filter_map(|own| decl_type::words(own.0)).sum();
    if data.data.len() == num.saturating_mul(stride) { whole } else { others }
}

/// What a vector in interleaved data is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vector {
    Position,
    /// A normal, tangent or binormal.
    Direction,
}

/// Returns the number of words of a vertex, and the first word of each vector of these kinds; `None` if one is not stored
/// as floats.
pub fn vectors(elements: &[Element], wanted: &[Vector]) -> Option<(usize, Vec<(usize, Vector)>)> {
    let (mut stride, mut vectors) = (0, Vec::new());
    for (kind, usage, _) in elements {
        let vector = match *usage {
            POSITION => Some(Vector::Position),
            NORMAL | TANGENT | BINORMAL => Some(Vector::Direction),
            _ => None,
        };
        if let Some(vector) = vector.filter(|vector| wanted.contains(vector)) {
            matches!(*kind, FLOAT3 | FLOAT4).then_some(())?;
            vectors.push((stride, vector));
        }
        stride += decl_type::words(*kind)?;
    }
    Some((stride, vectors))
}

/// Type, usage and usage index, as in `D3DVERTEXELEMENT9`.
pub type Element = (u32, u32, u32);

/// `D3DDECLUSAGE`, in the order of its values, with the names in messages.
macro_rules! usages {
    ($($name:ident $text:literal)+) => {
        #[allow(dead_code, non_camel_case_types, clippy::upper_case_acronyms, reason = "the names of constants")]
        enum Usage { $($name),+ }
        $(#[allow(dead_code, reason = "as above")] pub(super) const $name: u32 = Usage::$name as u32;)+
        const USAGES: &[&str] = &[$($text),+];
    };
}

usages! {
    POSITION "positions"
    BLEND_WEIGHT "blend weights"
    BLEND_INDEX "blend indices"
    NORMAL "normals"
    POINT_SIZE "point sizes"
    COORDINATES "texture coordinates"
    TANGENT "tangents"
    BINORMAL "binormals"
    TESSELLATION "tessellation factors"
    TRANSFORMED "transformed positions"
    COLOR "colours"
    FOG "fog values"
    DEPTH "depths"
    SAMPLE "samples"
}

/// Types of texture coordinates.
const PAIRS: [u32; 5] = [FLOAT2, SHORT2N, USHORT2N, FLOAT16_2, SHORT2];
/// Types of colours.
const FOURS: [u32; 5] = [FLOAT4, D3DCOLOR, UBYTE4N, USHORT4N, FLOAT16_4];
/// Types of directions; how shaders unpack other types is unknown.
const DIRECTIONS: [u32; 5] = [FLOAT3, FLOAT4, SHORT4N, DEC3N, FLOAT16_4];

/// Returns the value of an element. Missing components are 0, a missing fourth one is 1.
pub fn value(kind: u32, words: &[u32]) -> [f32; 4] {
    let half = |at: usize| words.get(at / 2).map(|word| halves(*word)[at % 2]);
    let signed = |at: usize| half(at).map(|half| f32::from(half.cast_signed()));
    let byte = |at: usize| words.first().map(|word| f32::from(word.to_le_bytes()[at]) / 255.0);
    let part = |at: usize| match kind {
        // Blue, green, red, alpha.
        D3DCOLOR => byte([2, 1, 0, 3][at]),
        UBYTE4N => byte(at),
        SHORT2 => signed(at),
        SHORT2N | SHORT4N => signed(at).map(|value| value / 32767.0),
        USHORT2N | USHORT4N => half(at).map(|half| f32::from(half) / 65535.0),
        DEC3N => (at < 3).then(|| tenths(words[0])[at] / 511.0),
        FLOAT16_2 | FLOAT16_4 => half(at).map(float_16),
        _ => words.get(at).map(|word| f32::from_bits(*word)),
    };
    [(0, 0.0), (1, 0.0), (2, 0.0), (3, 1.0)].map(|(at, other)| part(at).unwrap_or(other))
}

/// Returns the lower and upper 16 bits.
const fn halves(word: u32) -> [u16; 2] {
    let [a, b, c, d] = word.to_le_bytes();
    [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])]
}

/// Returns three signed 10-bit integers, lowest first.
fn tenths(word: u32) -> [f32; 3] {
    [0, 10, 20].map(|shift| {
        // Sign-extends 10 bits.
        let [_, upper] = halves((word >> shift) << 22);
        f32::from(upper.cast_signed() >> 6)
    })
}

/// Returns the elements of a flexible vertex format: those of the position, and the others.
pub fn fvf_elements(bits: u32) -> (Vec<Element>, Vec<Element>) {
    let weights = |count: u32| (0..count).map(|index| (FLOAT1, BLEND_WEIGHT, index));
    let mut places = Vec::new();
    match bits & 0x400E {
        0x0002 => places.push((FLOAT3, POSITION, 0)),
        0x0004 => places.push((FLOAT4, TRANSFORMED, 0)),
        0x4002 => places.push((FLOAT4, POSITION, 0)),
        blended @ (0x0006 | 0x0008 | 0x000A | 0x000C | 0x000E) => {
            places.push((FLOAT3, POSITION, 0));
            places.extend(weights(blended / 2 - 2));
        }
        _ => {}
    }
    let flags = [
        (0x10, (FLOAT3, NORMAL, 0)),
        (0x20, (FLOAT1, POINT_SIZE, 0)),
        (0x40, (D3DCOLOR, COLOR, 0)),
        (0x80, (D3DCOLOR, COLOR, 1)),
    ];
    let set = flags.into_iter().filter(|(bit, _)| bits & bit != 0).map(|(_, element)| element);
    let coordinates = (0..bits >> 8 & 15).map(|index| {
        let kind = [FLOAT2, FLOAT3, FLOAT4, FLOAT1][(bits.unbounded_shr(16 + 2 * index) & 3) as usize];
        (kind, COORDINATES, index)
    });
    (places, set.chain(coordinates).collect())
}
