//! Skin weights and skinning.

use std::sync::Arc;

use glam::{Affine3A, Mat3A, Vec3, Vec3A};

/// The maximum number of influences per vertex; real files have up to seven.
pub const MAX_INFLUENCES: usize = 32;

/// A bone that deforms a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// The index of the bone.
    pub bone: usize,
    /// The inverse bind matrix: from mesh space to bone space in the bind pose.
    pub inverse_bind: Affine3A,
}

/// The influence of a joint on a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// The index of the joint in the [`Skin`].
    pub joint: u32,
    /// The weight, which is positive; those of a vertex sum to 1.
    pub weight: f32,
}

/// The influences on each vertex, the strongest first.
///
/// ```
/// use bindpose::scene::Weights;
/// // Joint 1 influences the second vertex three times as much as joint 0.
/// let (weights, off) = Weights::gather(2, 2, [(1, 0, 0.5), (1, 1, 1.5), (7, 0, 1.0)]);
/// assert!(weights.of(0).is_empty());
/// assert_eq!(weights.of(1)[0].weight, 0.75);
/// assert_eq!((off.refused, off.scaled), (1, 1));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    starts: Vec<u32>,
    influences: Vec<Influence>,
}

/// The number of invalid weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeightDefects {
    /// Ignored weights: the vertex or joint does not exist, the weight is not positive, or the vertex has too many.
    pub refused: usize,
    /// Vertices whose weights did not sum to 1.
    pub scaled: usize,
}

/// The tolerance for the sum of weights, for the rounding in files.
const WHOLE: f64 = 0.01;

impl Weights {
    /// Returns the memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.influences)
    }

    /// Collects weights given as vertex, joint and weight: merges pairs, sorts by weight, and normalises the sum to 1.
    #[must_use]
    pub fn gather(
        num_vertices: usize,
        num_joints: usize,
        rows: impl IntoIterator<Item = (usize, usize, f32)>,
    ) -> (Self, WeightDefects) {
        let mut off = WeightDefects::default();
        let mut valid = Vec::new();
        for (vertex, joint, weight) in rows {
            match (u32::try_from(vertex), u32::try_from(joint)) {
                (Ok(index), Ok(number)) if vertex < num_vertices && joint < num_joints && counts(weight) => {
                    valid.push((index, number, f64::from(weight)));
                }
                // A weight of zero is an empty slot.
                _ if weight == 0.0 => {}
                _ => off.refused += 1,
            }
        }
        valid.sort_by_key(|(vertex, joint, _)| (*vertex, *joint));
        valid.dedup_by(|next, kept| {
            let equal = (next.0, next.1) == (kept.0, kept.1);
            kept.2 += if equal { next.2 } else { 0.0 };
            equal
        });
        let mut weights = Self::with_capacity(num_vertices, valid.len());
        let mut rows = valid.as_mut_slice();
        for vertex in 0..num_vertices {
            let own = rows.iter().take_while(|(index, ..)| *index as usize == vertex).count();
            let (own, others) = rows.split_at_mut(own);
            rows = others;
            let sum: f64 = own.iter().map(|(.., weight)| weight).sum();
            off.scaled += usize::from(!own.is_empty() && (sum - 1.0).abs() > WHOLE);
            off.refused += weights.push(own);
        }
        (weights, off)
    }

    /// Creates weights of no vertices.
    fn with_capacity(num_vertices: usize, num_influences: usize) -> Self {
        let mut starts = Vec::with_capacity(num_vertices + 1);
        starts.push(0);
        Self { starts, influences: Vec::with_capacity(num_influences) }
    }

    /// Creates weights from the influences on each vertex, which sum to 1, the strongest first.
    pub(crate) fn from_influences<I: IntoIterator<Item = Influence>>(
        vertices: impl IntoIterator<Item = I>,
    ) -> Self {
        let vertices = vertices.into_iter();
        let mut weights = Self::with_capacity(vertices.size_hint().0, 0);
        for influences in vertices {
            weights.influences.extend(influences);
            weights.starts.push(u32::try_from(weights.influences.len()).unwrap_or(u32::MAX));
        }
        weights
    }

    /// Replaces the joint of each influence, and removes those without a new one.
    pub(crate) fn map_joints(&mut self, joint: impl Fn(u32) -> Option<u32>) {
        let (mut start, mut kept) = (0, 0);
        for end in self.starts.iter_mut().skip(1) {
            for at in start..*end as usize {
                let own = self.influences[at];
                if let Some(joint) = joint(own.joint) {
                    self.influences[kept] = Influence { joint, ..own };
                    kept += 1;
                }
            }
            start = *end as usize;
            *end = u32::try_from(kept).unwrap_or(u32::MAX);
        }
        self.influences.truncate(kept);
    }

    /// Adds the rows of another vertex; returns the number of those that exceed the maximum.
    fn push(&mut self, rows: &mut [(u32, u32, f64)]) -> usize {
        rows.sort_by(|(.., a), (.., b)| b.total_cmp(a));
        let (rows, refused) = rows.split_at(rows.len().min(MAX_INFLUENCES));
        let sum: f64 = rows.iter().map(|(.., weight)| weight).sum();
        #[expect(clippy::cast_possible_truncation, reason = "a fraction of 1 fits")]
        let share = |weight: f64| (weight / sum) as f32;
        let shares =
            rows.iter().map(|(_, joint, weight)| Influence { joint: *joint, weight: share(*weight) });
        self.influences.extend(shares.filter(|influence| influence.weight > 0.0));
        self.starts.push(u32::try_from(self.influences.len()).unwrap_or(u32::MAX));
        refused.len()
    }

    /// Returns the influences for vertices that are copies of these.
    #[must_use]
    pub fn spread(&self, vertices: &[u32]) -> Self {
        let num_influences = vertices.iter().map(|vertex| self.of(*vertex as usize).len()).sum();
        let mut spread = Self::with_capacity(vertices.len(), num_influences);
        for vertex in vertices {
            spread.influences.extend_from_slice(self.of(*vertex as usize));
            spread.starts.push(u32::try_from(spread.influences.len()).unwrap_or(u32::MAX));
        }
        spread
    }

    /// Returns the number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns whether there are no vertices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the influences on a vertex, the strongest first; empty if it has none.
    #[must_use]
    pub fn of(&self, vertex: usize) -> &[Influence] {
        let bounds = self.starts.get(vertex).zip(self.starts.get(vertex + 1));
        bounds.and_then(|(start, end)| self.influences.get(*start as usize..*end as usize)).unwrap_or(&[])
    }

    /// Returns the joints and weights as renderers take them: `N` of each for every vertex, the strongest, whose weights sum to 1.
    /// Unused places have joint 0 and weight 0.
    ///
    /// ```
    /// use bindpose::scene::Weights;
    /// let (weights, _) = Weights::gather(1, 3, [(0, 0, 0.25), (0, 2, 0.5), (0, 1, 0.25)]);
    /// let (joints, shares) = weights.fixed::<2>();
    /// assert_eq!(joints, [[2, 0]]);
    /// assert!((shares[0][0] - 2.0 / 3.0).abs() < 1e-6);
    /// ```
    #[must_use]
    pub fn fixed<const N: usize>(&self) -> (Vec<[u32; N]>, Vec<[f32; N]>) {
        let of = |vertex| {
            let own = self.of(vertex);
            let own = &own[..own.len().min(N)];
            let sum: f32 = own.iter().map(|own| own.weight).sum();
            let (mut joints, mut weights) = ([0; N], [0.0; N]);
            for (at, own) in own.iter().enumerate() {
                (joints[at], weights[at]) = (own.joint, own.weight / sum);
            }
            (joints, weights)
        };
        (0..self.len()).map(of).unzip()
    }

    /// Returns the maximum number of influences of a vertex.
    #[must_use]
    pub fn most(&self) -> usize {
        (0..self.len()).map(|vertex| self.of(vertex).len()).max().unwrap_or(0)
    }
}

fn counts(weight: f32) -> bool {
    weight.is_finite() && weight > 0.0
}

/// The joints and weights that deform a mesh.
///
/// ```
/// use bindpose::scene::{Joint, Skin, Weights};
/// use glam::{Affine3A, Vec3};
/// let joints = vec![Joint { bone: 0, inverse_bind: Affine3A::IDENTITY }];
/// let skin = Skin { joints: joints.into(), weights: Weights::gather(1, 1, [(0, 0, 1.0)]).0 };
/// let placed = [Affine3A::from_translation(Vec3::Y)];
/// assert_eq!(skin.deform(&placed, &[Vec3::X]), [Vec3::new(1.0, 1.0, 0.0)]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// The joints; all meshes of a file can share them.
    pub joints: Arc<[Joint]>,
    /// The influences on each vertex.
    pub weights: Weights,
}

impl Skin {
    /// Attaches vertices without influences to a joint; returns their number.
    pub(crate) fn attach_loose(&mut self, joint: usize) -> usize {
        let joint = u32::try_from(joint).unwrap_or(u32::MAX);
        let len = self.weights.len();
        let count = (0..len).filter(|vertex| self.weights.of(*vertex).is_empty()).count();
        if count > 0 {
            let loose = [Influence { joint, weight: 1.0 }];
            let own = |vertex| match self.weights.of(vertex) {
                [] => loose.iter().copied(),
                own => own.iter().copied(),
            };
            self.weights = Weights::from_influences((0..len).map(own));
        }
        count
    }

    /// Returns the skinning matrices: from mesh space in the bind pose to model space, for a pose in model space. A
    /// missing bone gives the identity.
    #[must_use]
    pub fn palette(&self, placed: &[Affine3A]) -> Vec<Affine3A> {
        let place = |joint: &Joint| Some(*placed.get(joint.bone)? * joint.inverse_bind);
        self.joints.iter().map(|joint| place(joint).unwrap_or(Affine3A::IDENTITY)).collect()
    }

    /// Returns the deformed positions in model space, for a pose in model space. Vertices without influences do not
    /// move.
    #[must_use]
    pub fn deform(&self, placed: &[Affine3A], positions: &[Vec3]) -> Vec<Vec3> {
        let palette = self.palette(placed);
        self.map(&palette, positions, Affine3A::transform_point3a)
    }

    /// Returns the deformed normals, of unit length.
    #[must_use]
    pub fn deform_normals(&self, placed: &[Affine3A], normals: &[Vec3]) -> Vec<Vec3> {
        let palette: Vec<Mat3A> = self.palette(placed).iter().map(|matrix| matrix.matrix3).collect();
        let mut normals = self.map(&palette, normals, |matrix, normal| *matrix * normal);
        for normal in &mut normals {
            *normal = normal.normalize_or(*normal);
        }
        normals
    }

    fn map<M>(&self, palette: &[M], vectors: &[Vec3], apply: impl Fn(&M, Vec3A) -> Vec3A) -> Vec<Vec3> {
        let moved = |(vertex, vector): (usize, &Vec3)| {
            let influences = self.weights.of(vertex);
            if influences.is_empty() {
                return *vector;
            }
            let vector = Vec3A::from(*vector);
            let mut sum = Vec3A::ZERO;
            for influence in influences {
                if let Some(matrix) = palette.get(influence.joint as usize) {
                    sum += apply(matrix, vector) * influence.weight;
                }
            }
            sum.into()
        };
        vectors.iter().enumerate().map(moved).collect()
    }
}
