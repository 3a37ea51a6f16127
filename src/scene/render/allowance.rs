//! The work on a picture: bounded by the samples that are visited, whatever the scene.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher as _};

use super::raster::Canvas;

/// The maximum number of samples that are visited for triangles, and for bones, as a multiple of those of the canvas.
const MOST: u64 = 256;

/// Which shapes are drawn of those that together would take too long: equal ones once, and of the others an even part.
#[derive(Debug)]
pub(super) struct Allowance {
    most: u64,
    /// The cost of the shapes that are not repeated.
    total: u64,
    /// The cost of those that have been seen, and of those that are drawn.
    seen: u64,
    spent: u64,
    /// The shapes that have been seen; none if all are drawn.
    known: Option<HashSet<u64>>,
    /// The number of shapes that are not drawn because an equal one is.
    pub repeated: usize,
    /// The number of shapes that are not drawn because the picture would take too long.
    pub reduced: usize,
}

/// A shape on the canvas: the number of samples that are visited to draw it, and a value that is the same for equal shapes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub cost: u64,
    pub hash: u64,
}

/// Returns a hash that is the same in every run.
pub(super) fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Allowance {
    /// Plans the drawing of shapes, which are then drawn in this order.
    pub fn for_shapes(canvas: &Canvas, shapes: impl Iterator<Item = Shape> + Clone) -> Self {
        let most = MOST * canvas.num_samples();
        let all = shapes.clone().fold(0_u64, |sum, shape| sum.saturating_add(shape.cost));
        let mut own = Self { most, total: all, seen: 0, spent: 0, known: None, repeated: 0, reduced: 0 };
        if all > most {
            let mut known = HashSet::new();
            let new = shapes.filter(|shape| known.insert(shape.hash));
            own.total = new.fold(0, |sum, shape| sum.saturating_add(shape.cost));
            own.known = Some(HashSet::new());
        }
        own
    }

    /// Returns whether the next shape is drawn.
    pub fn permits(&mut self, shape: impl FnOnce() -> Shape) -> bool {
        let Some(known) = &mut self.known else { return true };
        let Shape { cost, hash } = shape();
        if !known.insert(hash) {
            self.repeated += 1;
            return false;
        }
        self.seen = self.seen.saturating_add(cost);
        let wide = |own: u64| u128::from(own);
        let is_permitted = self.total <= self.most
            || (wide(self.spent) + wide(cost)) * wide(self.total) <= wide(self.most) * wide(self.seen);
        if is_permitted {
            self.spent += cost;
        } else {
            self.reduced += 1;
        }
        is_permitted
    }
}
