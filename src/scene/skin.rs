//! Which bones move which vertices, and moving them.

use std::sync::Arc;

use glam::{Affine3A, Mat3A, Vec3, Vec3A};

/// The most influences kept for a vertex: real files have up to seven.
pub const MAX_INFLUENCES: usize = 32;

/// A bone that moves vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Index of the bone.
    pub bone: usize,
    /// From the mesh to the bone, as it was when the mesh was bound.
    pub inverse_bind: Affine3A,
}

/// How much a joint moves a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// Index of the joint in the [`Skin`].
    pub joint: u32,
    /// More than 0; those of a vertex sum to 1.
    pub weight: f32,
}

/// The influences on each vertex, the strongest first.
///
/// ```
/// use bindpose::scene::Weights;
/// // The second vertex is moved by joint 1 three times as much as by joint 0.
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

/// How many rows of weights were not sound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeightDefects {
    /// Rows that do not count: without such a vertex or joint, with a weight that is no positive number, or one too many
    /// for a vertex.
    pub refused: usize,
    /// Vertices whose weights did not sum to 1.
    pub scaled: usize,
}

/// How far from 1 a sum of weights may be: what files round to.
const WHOLE: f64 = 0.01;

impl Weights {
    /// Sorts rows of vertex, joint and weight: one row for each pair, the strongest first, with a sum of 1.
    #[must_use]
    pub fn gather(
        num_vertices: usize,
        num_joints: usize,
        rows: impl IntoIterator<Item = (usize, usize, f32)>,
    ) -> (Self, WeightDefects) {
        let mut off = WeightDefects::default();
        let mut sound = Vec::new();
        for (vertex, joint, weight) in rows {
            match (u32::try_from(vertex), u32::try_from(joint)) {
                (Ok(index), Ok(number)) if vertex < num_vertices && joint < num_joints && counts(weight) => {
                    sound.push((index, number, f64::from(weight)));
                }
                // A weight of nothing is an empty slot.
                _ if weight == 0.0 => {}
                _ => off.refused += 1,
            }
        }
        sound.sort_by_key(|(vertex, joint, _)| (*vertex, *joint));
        sound.dedup_by(|next, kept| {
            let equal = (next.0, next.1) == (kept.0, kept.1);
            kept.2 += if equal { next.2 } else { 0.0 };
            equal
        });
        let mut weights = Self { starts: vec![0], influences: Vec::with_capacity(sound.len()) };
        let mut rows = sound.as_slice();
        for vertex in 0..num_vertices {
            let own = rows.iter().take_while(|(index, ..)| *index as usize == vertex).count();
            let (own, others) = rows.split_at(own);
            rows = others;
            let sum: f64 = own.iter().map(|(.., weight)| weight).sum();
            off.scaled += usize::from(!own.is_empty() && (sum - 1.0).abs() > WHOLE);
            off.refused += weights.push(own.iter().map(|(_, joint, weight)| (*joint, *weight)).collect());
        }
        (weights, off)
    }

    /// Adds the influences of one more vertex, joints and weights; returns how many were too many.
    fn push(&mut self, mut influences: Vec<(u32, f64)>) -> usize {
        influences.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let refused = influences.len().saturating_sub(MAX_INFLUENCES);
        influences.truncate(MAX_INFLUENCES);
        let sum: f64 = influences.iter().map(|(_, weight)| weight).sum();
        #[expect(clippy::cast_possible_truncation, reason = "a share of 1 fits")]
        let share = |weight: f64| (weight / sum) as f32;
        let shares = influences.into_iter().map(|(joint, weight)| Influence { joint, weight: share(weight) });
        self.influences.extend(shares.filter(|influence| influence.weight > 0.0));
        self.starts.push(u32::try_from(self.influences.len()).unwrap_or(u32::MAX));
        refused
    }

    /// The influences for vertices each of which is one of these.
    #[must_use]
    pub fn spread(&self, vertices: &[u32]) -> Self {
        let mut spread = Self { starts: vec![0], influences: Vec::new() };
        for vertex in vertices {
            spread.influences.extend_from_slice(self.of(*vertex as usize));
            spread.starts.push(u32::try_from(spread.influences.len()).unwrap_or(u32::MAX));
        }
        spread
    }

    /// How many vertices there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are no vertices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The influences on a vertex, the strongest first; none where nothing moves it.
    #[must_use]
    pub fn of(&self, vertex: usize) -> &[Influence] {
        let bounds = self.starts.get(vertex).zip(self.starts.get(vertex + 1));
        bounds.and_then(|(start, end)| self.influences.get(*start as usize..*end as usize)).unwrap_or(&[])
    }

    /// The most influences that a vertex has.
    #[must_use]
    pub fn most(&self) -> usize {
        (0..self.len()).map(|vertex| self.of(vertex).len()).max().unwrap_or(0)
    }
}

fn counts(weight: f32) -> bool {
    weight.is_finite() && weight > 0.0
}

/// How a mesh follows the skeleton.
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
    /// The bones that move the mesh; all surfaces of a file can share them.
    pub joints: Arc<[Joint]>,
    /// The influences on each vertex.
    pub weights: Weights,
}

impl Skin {
    /// From the bound mesh to the model, for each joint of a skeleton whose bones stand here; a bone that is not there
    /// moves nothing.
    #[must_use]
    pub fn palette(&self, placed: &[Affine3A]) -> Vec<Affine3A> {
        let place = |joint: &Joint| Some(*placed.get(joint.bone)? * joint.inverse_bind);
        self.joints.iter().map(|joint| place(joint).unwrap_or(Affine3A::IDENTITY)).collect()
    }

    /// Where the vertices are when the bones stand here, in model space; a vertex that nothing moves stays.
    #[must_use]
    pub fn deform(&self, placed: &[Affine3A], positions: &[Vec3]) -> Vec<Vec3> {
        let palette = self.palette(placed);
        self.map(&palette, positions, Affine3A::transform_point3a)
    }

    /// Where the normals point then: turned by the rotation part and of unit length.
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
