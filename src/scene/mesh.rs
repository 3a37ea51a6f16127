//! Meshes and materials.

use std::hash::{BuildHasher, Hash};
use std::str::FromStr;

use glam::{Vec2, Vec3, Vec4};
use hashbrown::{DefaultHashBuilder, HashTable};

use super::author::Points;
#[cfg(feature = "gltf")]
use super::author::spread;
use super::{Skin, Texture, TextureRole};

/// Triangles over shared vertices. Each list of vertex data is empty or has one value for each position.
///
/// ```
/// use bindpose::scene::{Mesh, Primitive};
/// use glam::Vec3;
/// let mut mesh = Mesh {
///     positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
///     primitives: vec![Primitive { triangles: vec![[0, 1, 2]], ..Primitive::default() }],
///     ..Mesh::default()
/// };
/// mesh.smooth(&[0, 1, 2]);
/// assert_eq!(mesh.normals[0], Vec3::Z);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The name.
    pub name: String,
    /// The bone that a mesh without a skin is attached to; its vertices are in the space of that bone. All other
    /// vertices are in model space, in the bind pose.
    pub bone: Option<usize>,
    /// The positions in metres.
    pub positions: Vec<Vec3>,
    /// The normals, which point outwards and have unit length in valid files.
    pub normals: Vec<Vec3>,
    /// The tangents: the direction of increasing u, and a sign. The sign is 1 if v increases along the cross product of
    /// normal and tangent, and -1 if it decreases. glTF has the opposite sign, because its bitangents point to the top
    /// of the image.
    pub tangents: Vec<Vec4>,
    /// Sets of texture coordinates, from the top left of the image.
    pub uvs: Vec<Vec<Vec2>>,
    /// The colours: red, green, blue and alpha, each from 0 to 1.
    pub colors: Vec<[f32; 4]>,
    /// Whether the colours can be masks for shaders instead of the colour of the surface, as in files of Unreal Engine: see
    /// [`shows_colors`](Self::shows_colors).
    pub mask_colors: bool,
    /// The triangles.
    pub primitives: Vec<Primitive>,
    /// The skin, if bones deform the mesh.
    pub skin: Option<Skin>,
    /// The morph targets.
    pub morphs: Vec<Morph>,
}

/// Triangles of one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Primitive {
    /// The name; often empty.
    pub name: String,
    /// The index of the material.
    pub material: Option<usize>,
    /// The indices of the vertices, counterclockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Primitive {
    /// Returns the indices of the vertices as one list, three for each triangle, as renderers take them.
    ///
    /// ```
    /// use bindpose::scene::Primitive;
    /// let primitive = Primitive { triangles: vec![[0, 1, 2], [0, 2, 3]], ..Primitive::default() };
    /// assert_eq!(primitive.indices(), [0, 1, 2, 0, 2, 3]);
    /// ```
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        self.triangles.as_flattened()
    }
}

/// A morph target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Morph {
    /// The name.
    pub name: String,
    /// The displaced vertices, by ascending index and without duplicates.
    pub deltas: Vec<Delta>,
}

/// The displacement of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Delta {
    /// The index of the vertex.
    pub vertex: u32,
    /// The displacement of the position, in metres.
    pub position: Vec3,
    /// The displacement of the normal.
    pub normal: Vec3,
}

impl Morph {
    /// Creates a morph target from deltas in any order; the last one for each vertex is used.
    #[must_use]
    pub fn new(name: String, deltas: Vec<Delta>) -> Self {
        Self::from_records(name, deltas.into_iter().map(|delta| (delta, 0)).collect()).0
    }

    /// As [`new`](Self::new), for deltas with the records that they come from. Returns the records of those that are used.
    #[must_use]
    pub fn from_records(name: String, mut deltas: Vec<(Delta, u32)>) -> (Self, Vec<u32>) {
        deltas.reverse();
        deltas.sort_by_key(|(delta, _)| delta.vertex);
        deltas.dedup_by_key(|(delta, _)| delta.vertex);
        let (deltas, records) = deltas.into_iter().unzip();
        (Self { name, deltas }, records)
    }
}

/// Returns which of a number of points are corners.
pub(super) fn used(num_points: usize, corners: impl IntoIterator<Item = u32>) -> Vec<bool> {
    let mut is_used = vec![false; num_points];
    for corner in corners {
        if let Some(is_used) = is_used.get_mut(corner as usize) {
            *is_used = true;
        }
    }
    is_used
}

impl Mesh {
    /// Returns the number of triangles.
    #[must_use]
    pub fn num_triangles(&self) -> usize {
        self.primitives.iter().map(|primitive| primitive.triangles.len()).sum()
    }

    /// Returns which vertices are corners of triangles.
    pub(crate) fn used_vertices(&self) -> Vec<bool> {
        used(self.positions.len(), self.primitives.iter().flat_map(Primitive::indices).copied())
    }

    /// Reverses the winding order of all triangles.
    pub fn flip(&mut self) {
        for triangle in self.primitives.iter_mut().flat_map(|primitive| &mut primitive.triangles) {
            triangle.swap(1, 2);
        }
    }

    /// Returns whether most triangles face against the normals of their vertices.
    #[must_use]
    pub fn is_inside_out(&self) -> bool {
        let mut sides = [0_usize; 2];
        for along in self.along_normals().filter(|along| *along != 0.0) {
            sides[usize::from(along < 0.0)] += 1;
        }
        sides[1] > sides[0]
    }

    /// Returns the index of the first triangle that does not face against the normals of its vertices.
    pub(crate) fn first_outside(&self) -> Option<usize> {
        self.along_normals().position(|along| along >= 0.0)
    }

    /// How far each triangle faces along the normals of its vertices.
    fn along_normals(&self) -> impl Iterator<Item = f32> {
        let triangles = self.primitives.iter().flat_map(|primitive| &primitive.triangles);
        triangles.map(|triangle| {
            let of =
                |list: &[Vec3]| triangle.map(|vertex| list.get(vertex as usize).copied().unwrap_or_default());
            let ([a, b, c], normals) = (of(&self.positions), of(&self.normals));
            (b - a).cross(c - a).dot(normals.into_iter().sum())
        })
    }

    /// Replaces normals that are zero or not finite by those of the faces around; returns their number.
    pub(crate) fn replace_invalid_normals(&mut self) -> usize {
        let is_direction = |own: &Vec3| own.is_finite() && *own != Vec3::ZERO;
        let invalid = self.normals.iter().filter(|own| !is_direction(own)).count();
        if invalid > 0 {
            let own = std::mem::take(&mut self.normals);
            self.smooth(Points::of_positions(self).of_vertices());
            for (normal, own) in self.normals.iter_mut().zip(own).filter(|(_, own)| is_direction(own)) {
                *normal = own;
            }
        }
        invalid
    }

    /// Adds the displacements of morph targets with these weights to the vertices.
    #[cfg(feature = "gltf")]
    pub(crate) fn apply(&mut self, weights: &[f32]) {
        let Self { positions, normals, morphs, .. } = self;
        for (morph, weight) in morphs.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
            for delta in &morph.deltas {
                if let Some(position) = positions.get_mut(delta.vertex as usize) {
                    *position += delta.position * *weight;
                }
                if let Some(normal) = normals.get_mut(delta.vertex as usize) {
                    *normal = (*normal + delta.normal * *weight).normalize_or(*normal);
                }
            }
        }
    }

    /// Computes flat normals. Vertices become one for each plane of the triangles around them.
    #[cfg(feature = "gltf")]
    pub(crate) fn facet(&mut self) {
        let mut weld = Weld::default();
        for triangle in self.primitives.iter_mut().flat_map(|own| &mut own.triangles) {
            let position = |vertex: u32| self.positions.get(vertex as usize).copied().unwrap_or_default();
            let [a, b, c] = triangle.map(position);
            let normal = (b - a).cross(c - a).normalize_or(Vec3::Y);
            // The sum has no negative zeros.
            let bits = (normal + Vec3::ZERO).to_array().map(f32::to_bits);
            *triangle = triangle.map(|vertex| weld.add((vertex, bits)));
        }
        let vertices: Vec<u32> = weld.vertices().iter().map(|(vertex, _)| *vertex).collect();
        spread(self, &vertices);
        self.normals = weld.vertices().iter().map(|(_, bits)| bits.map(f32::from_bits).into()).collect();
    }

    /// Returns the memory that [`facet`](Self::facet) takes at most.
    #[cfg(feature = "gltf")]
    pub(crate) fn memory_of_facets(&self) -> u64 {
        // The key of a corner and its index, and the data of a vertex.
        let fixed = 96 + 8 * self.uvs.len() as u64;
        let mut each = vec![fixed; self.positions.len()];
        for (vertex, each) in each.iter_mut().enumerate() {
            *each += self.skin.as_ref().map_or(0, |skin| 16 * skin.weights.of(vertex).len() as u64);
        }
        for delta in self.morphs.iter().flat_map(|own| &own.deltas) {
            if let Some(each) = each.get_mut(delta.vertex as usize) {
                *each += 3 * size_of::<Delta>() as u64;
            }
        }
        let corners = self.primitives.iter().flat_map(|own| own.triangles.as_flattened());
        corners.filter_map(|vertex| each.get(*vertex as usize)).fold(0, |sum, own| sum.saturating_add(*own))
    }

    /// Computes smooth normals across vertices of the same point.
    pub fn smooth(&mut self, points: &[u32]) {
        let num = points.iter().max().map_or(0, |most| *most as usize + 1);
        let mut sums = vec![Vec3::ZERO; num];
        for triangle in self.primitives.iter().flat_map(|primitive| &primitive.triangles) {
            let corners = triangle.map(|vertex| self.positions.get(vertex as usize).copied());
            let [Some(a), Some(b), Some(c)] = corners else { continue };
            // Its length is proportional to the area of the triangle.
            let normal = (b - a).cross(c - a);
            for vertex in triangle {
                if let Some(sum) =
                    points.get(*vertex as usize).and_then(|point| sums.get_mut(*point as usize))
                {
                    *sum += normal;
                }
            }
        }
        let normal = |point: &u32| sums[*point as usize].normalize_or(Vec3::Y);
        self.normals = points.iter().map(normal).collect();
    }
}

/// Clamps the components of a colour to 0 to 1, and returns whether they were in that range.
///
/// ```
/// use bindpose::scene::color;
/// assert_eq!(color([1.0, 0.5, 0.0, 1.0]), ([1.0, 0.5, 0.0, 1.0], true));
/// assert_eq!(color([2.0, -1.0, f32::NAN, 1.0]), ([1.0, 0.0, 0.0, 1.0], false));
/// ```
#[must_use]
pub fn color(shares: [f32; 4]) -> ([f32; 4], bool) {
    let clamped = |share: f32| if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    (shares.map(clamped), shares.iter().all(|share| (0.0..=1.0).contains(share)))
}

/// Converts a colour with 8 bits per component.
#[must_use]
pub fn color8(bytes: [u8; 4]) -> [f32; 4] {
    bytes.map(|byte| f32::from(byte) / 255.0)
}

/// Returns the nearest colour with 8 bits per component.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts of floats clamp")]
pub(crate) fn color_bytes(shares: [f32; 4]) -> [u8; 4] {
    shares.map(|share| (share * 255.0).round() as u8)
}

/// A material.
///
/// ```
/// use bindpose::scene::Material;
/// let mut skin = Material::new("skin");
/// skin.textures.push("skin.png".into());
/// assert_eq!(skin.color, [1.0; 4]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Material {
    /// The name.
    pub name: String,
    /// The base colour: red, green, blue and opacity, each from 0 to 1.
    pub color: [f32; 4],
    /// The emissive colour: red, green and blue, each from 0 to 1. It is added to the lit colour before the texture is
    /// multiplied with the sum, as the fixed-function pipelines of Direct3D and OpenGL do.
    pub emissive: [f32; 3],
    /// The ambient colour of fixed-function lighting: red, green and blue; zero if the format does not store it.
    pub ambient: [f32; 3],
    /// The specular colour of fixed-function lighting, as the ambient one.
    pub specular: [f32; 3],
    /// The specular exponent; zero if the format does not store it.
    pub shininess: f32,
    /// The textures, that of the colour first.
    pub textures: Vec<Texture>,
    /// The alpha mode. In a scene, a material with an opacity below 1 is never [`Alpha::Opaque`].
    pub alpha: Alpha,
    /// Whether back faces are visible.
    pub double_sided: bool,
    /// Whether the material is unlit.
    pub unlit: bool,
}

impl Default for Material {
    fn default() -> Self {
        Self::new("")
    }
}

impl Material {
    /// Returns an opaque white material with a name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            color: [1.0; 4],
            emissive: [0.0; 3],
            ambient: [0.0; 3],
            specular: [0.0; 3],
            shininess: 0.0,
            textures: Vec::new(),
            alpha: Alpha::Opaque,
            double_sided: false,
            unlit: false,
        }
    }

    /// Returns the first texture with a role.
    #[must_use]
    pub fn texture(&self, role: TextureRole) -> Option<&Texture> {
        self.textures.iter().find(|own| own.role == role)
    }

    /// Returns the path of the colour texture.
    ///
    /// ```
    /// use bindpose::scene::{Material, Texture, TextureRole};
    /// let mut skin = Material::new("skin");
    /// skin.textures.push(Texture::new("skin_n.png", TextureRole::Normal));
    /// assert_eq!(skin.color_texture(), None);
    /// ```
    #[must_use]
    pub fn color_texture(&self) -> Option<&str> {
        self.texture(TextureRole::Color).map(|own| &*own.path)
    }

    /// Whether the material has an ambient or specular colour or an exponent.
    #[cfg(feature = "gltf")]
    pub(crate) fn is_lit(&self) -> bool {
        !is_black(self.ambient) || self.is_shiny()
    }

    /// Whether the material has a specular colour or exponent.
    pub(crate) fn is_shiny(&self) -> bool {
        !is_black(self.specular) || self.shininess != 0.0
    }
}

/// How a material is blended with what is behind it: the alpha modes of glTF, and two that it lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Alpha {
    /// Opacity is ignored.
    #[default]
    Opaque,
    /// Points with an opacity below one half are invisible.
    Mask,
    /// Blended with the background.
    Blend,
    /// Added to the background.
    Additive,
    /// Multiplied with the background.
    Modulate,
}

impl Alpha {
    /// All modes.
    pub const ALL: [Self; 5] = [Self::Opaque, Self::Mask, Self::Blend, Self::Additive, Self::Modulate];

    /// Returns the name: `opaque`.
    ///
    /// ```
    /// use bindpose::scene::Alpha;
    /// assert!(Alpha::ALL.iter().all(|own| own.name().parse() == Ok(*own)));
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opaque => "opaque",
            Self::Mask => "mask",
            Self::Blend => "blend",
            Self::Additive => "additive",
            Self::Modulate => "modulate",
        }
    }
}

impl FromStr for Alpha {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|own| own.name() == text);
        found.ok_or_else(|| format!("unknown blending `{text}`"))
    }
}

/// Merges equal triangle corners into vertices.
///
/// ```
/// use bindpose::scene::Weld;
/// let mut weld = Weld::default();
/// assert_eq!([weld.add("a"), weld.add("b"), weld.add("a")], [0, 1, 0]);
/// assert_eq!(weld.vertices(), ["a", "b"]);
/// ```
#[derive(Clone, Debug)]
pub struct Weld<K> {
    /// The indices of the vertices.
    known: HashTable<u32>,
    hasher: DefaultHashBuilder,
    vertices: Vec<K>,
}

impl<K> Default for Weld<K> {
    fn default() -> Self {
        Self { known: HashTable::new(), hasher: DefaultHashBuilder::default(), vertices: Vec::new() }
    }
}

impl<K: Copy + Eq + Hash> Weld<K> {
    /// Returns the index of the vertex for a corner.
    pub fn add(&mut self, corner: K) -> u32 {
        let Self { known, hasher, vertices } = self;
        let hash = hasher.hash_one(corner);
        if let Some(index) = known.find(hash, |index| vertices[*index as usize] == corner) {
            return *index;
        }
        let next = u32::try_from(vertices.len()).unwrap_or(u32::MAX);
        vertices.push(corner);
        known.insert_unique(hash, next, |index| hasher.hash_one(vertices[*index as usize]));
        next
    }

    /// Returns the vertices in the order in which they were added.
    #[must_use]
    pub fn vertices(&self) -> &[K] {
        &self.vertices
    }
}

/// Whether a colour adds no light.
pub(crate) fn is_black(color: [f32; 3]) -> bool {
    color.iter().all(|own| *own == 0.0)
}

/// Converts a half float: sign, 5 bits of exponent, 10 bits of fraction.
pub(crate) fn float_16(bits: u16) -> f32 {
    let (sign, exponent, fraction) = (u32::from(bits >> 15) << 31, bits >> 10 & 31, u32::from(bits & 1023));
    let size = match exponent {
        0 => f32::from(bits & 1023) / 16_777_216.0,
        31 => f32::from_bits(0x7F80_0000 | fraction << 13),
        exponent => f32::from_bits((u32::from(exponent) + 112) << 23 | fraction << 13),
    };
    f32::from_bits(size.to_bits() | sign)
}
