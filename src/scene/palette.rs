//! Meshes for graphics hardware: matrices as rows, and triangles by the joints that a draw call can hold.

use std::fmt;

use glam::Affine3A;
use hashbrown::HashSet;

use super::author::spread;
use super::{Mesh, Primitive, Skin, Weld};

/// The joints of a primitive, whose matrices a draw call needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    /// The indices of the joints in the skin, in ascending order.
    pub joints: Vec<u32>,
}

impl Palette {
    /// Returns the index in the palette of a joint of the skin, for the shader. [`Weights`](super::Weights) keep the index in
    /// the skin.
    #[must_use]
    pub fn place(&self, joint: u32) -> Option<usize> {
        self.joints.binary_search(&joint).ok()
    }
}

/// Why a mesh cannot be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitError {
    /// A triangle has more joints than a draw call can hold.
    TooManyJoints {
        /// The joints of the triangle.
        needed: usize,
        /// The joints of a draw call.
        most: usize,
    },
    /// A triangle has a vertex that does not exist.
    NoVertex(u32),
}

impl fmt::Display for SplitError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyJoints { needed, most } => {
                write!(out, "a triangle has {needed} joints; a draw call has at most {most}")
            }
            Self::NoVertex(vertex) => write!(out, "vertex {vertex} of a triangle does not exist"),
        }
    }
}

impl std::error::Error for SplitError {}

impl Skin {
    /// Returns the matrices of [`palette`](Self::palette) as shaders take them: three rows of four numbers each, of which the last
    /// is the translation.
    ///
    /// ```
    /// use bindpose::scene::{Joint, Skin};
    /// use glam::{Affine3A, Vec3};
    /// let joints = [Joint { bone: 0, inverse_bind: Affine3A::IDENTITY }];
    /// let skin = Skin { joints: joints.into(), ..Skin::default() };
    /// let rows = skin.palette_rows(&[Affine3A::from_translation(Vec3::new(5.0, 6.0, 7.0))]);
    /// assert_eq!(rows, [[[1.0, 0.0, 0.0, 5.0], [0.0, 1.0, 0.0, 6.0], [0.0, 0.0, 1.0, 7.0]]]);
    /// ```
    #[must_use]
    pub fn palette_rows(&self, placed: &[Affine3A]) -> Vec<[[f32; 4]; 3]> {
        let rows = |matrix: &Affine3A| {
            let [x, y, z, w] = matrix.to_cols_array_2d();
            [0, 1, 2].map(|row| [x[row], y[row], z[row], w[row]])
        };
        self.palette(placed).iter().map(rows).collect()
    }
}

impl Mesh {
    /// Splits the primitives of a mesh so that each has a number of joints that a draw call can hold. No two of them share
    /// vertices. Also returns the palette of each primitive; empty ones if the mesh has no skin.
    ///
    /// Triangles keep their order: a primitive ends before the first one that no longer fits.
    ///
    /// ```
    /// use bindpose::scene::{Joint, Mesh, Primitive, Skin, Weights};
    /// use glam::{Affine3A, Vec3};
    /// let joint = |bone| Joint { bone, inverse_bind: Affine3A::IDENTITY };
    /// // Each of the two triangles has joints of its own.
    /// let weights = Weights::gather(4, 4, [(0, 0, 1.0), (1, 1, 1.0), (2, 1, 1.0), (3, 3, 1.0)]).0;
    /// let skin = Skin { joints: [0, 1, 2, 3].map(joint).into(), weights };
    /// let triangles = vec![[0, 1, 2], [1, 2, 3]];
    /// let primitives = vec![Primitive { triangles, ..Primitive::default() }];
    /// let mesh = Mesh { positions: vec![Vec3::ZERO; 4], primitives, skin: Some(skin), ..Mesh::default() };
    /// let (split, palettes) = mesh.clone().split_by_joints(2)?;
    /// assert_eq!(palettes[0].joints, [0, 1]);
    /// assert_eq!(palettes[1].joints, [1, 3]);
    /// assert_eq!(split.primitives[1].triangles, [[3, 4, 5]]);
    /// assert!(mesh.split_by_joints(1).is_err());
    /// # Ok::<(), bindpose::scene::SplitError>(())
    /// ```
    ///
    /// A vertex is copied for each primitive that has it, with its displacements in morph targets.
    ///
    /// # Errors
    /// When a triangle has more joints, or a vertex that does not exist.
    pub fn split_by_joints(mut self, most: usize) -> Result<(Self, Vec<Palette>), SplitError> {
        let vertices = self.primitives.iter().flat_map(|own| own.triangles.as_flattened());
        if let Some(vertex) = vertices.copied().find(|own| *own as usize >= self.positions.len()) {
            return Err(SplitError::NoVertex(vertex));
        }
        let skin = self.skin.clone().unwrap_or_default();
        let (mut weld, mut primitives, mut palettes) = (Weld::default(), Vec::new(), Vec::new());
        for Primitive { name, material, triangles } in std::mem::take(&mut self.primitives) {
            for (triangles, palette) in batches(&skin, &triangles, most)? {
                let triangles =
                    triangles.iter().map(|own| own.map(|vertex| weld.add((palettes.len(), vertex))));
                let triangles = triangles.collect();
                primitives.push(Primitive { name: name.clone(), material, triangles });
                palettes.push(palette);
            }
        }
        let vertices: Vec<u32> = weld.vertices().iter().map(|(_, vertex)| *vertex).collect();
        spread(&mut self, &vertices);
        self.primitives = primitives;
        Ok((self, palettes))
    }
}

/// Triangles that a draw call can hold, with their joints.
type Batch<'a> = (&'a [[u32; 3]], Palette);

/// Divides triangles into runs whose joints fit.
fn batches<'a>(skin: &Skin, triangles: &'a [[u32; 3]], most: usize) -> Result<Vec<Batch<'a>>, SplitError> {
    let mut found = Vec::new();
    let (mut start, mut joints) = (0, HashSet::new());
    for (index, triangle) in triangles.iter().enumerate() {
        let own: HashSet<u32> = triangle
            .iter()
            .flat_map(|vertex| skin.weights.of(*vertex as usize))
            .map(|own| own.joint)
            .collect();
        if own.len() > most {
            return Err(SplitError::TooManyJoints { needed: own.len(), most });
        }
        let added = own.difference(&joints).count();
        if joints.len() + added > most {
            found.push((&triangles[start..index], sorted(&mut joints)));
            start = index;
        }
        joints.extend(own);
    }
    if start < triangles.len() {
        found.push((&triangles[start..], sorted(&mut joints)));
    }
    Ok(found)
}

fn sorted(joints: &mut HashSet<u32>) -> Palette {
    let mut joints: Vec<u32> = joints.drain().collect();
    joints.sort_unstable();
    Palette { joints }
}
