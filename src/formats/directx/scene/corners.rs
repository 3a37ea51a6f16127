//! Joins the corners of faces.

use hashbrown::HashMap;

/// The vertex and normal index of a corner.
pub(super) type Corner = (u32, u32);

/// The different corners of the faces of a mesh, which are the vertices of the scene. Most vertices of a mesh have a single
/// normal, so that few corners are hashed.
pub(super) struct Corners {
    /// The first corner at each vertex.
    first: Vec<u32>,
    /// The corners with another normal than the first one at their vertex.
    others: HashMap<Corner, u32>,
    all: Vec<Corner>,
}

/// No corner yet.
const NONE: u32 = u32::MAX;

impl Corners {
    pub fn new(num_vertices: usize) -> Self {
        Self { first: vec![NONE; num_vertices], others: HashMap::new(), all: Vec::new() }
    }

    /// Returns the index of a corner, at a vertex of the mesh.
    pub fn add(&mut self, corner: Corner) -> u32 {
        let next = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let first = &mut self.first[corner.0 as usize];
        let index = match self.all.get(*first as usize) {
            None => {
                *first = next;
                next
            }
            Some(own) if *own == corner => *first,
            Some(_) => *self.others.entry(corner).or_insert(next),
        };
        if index == next {
            self.all.push(corner);
        }
        index
    }

    /// Returns the corners in the order in which they were added.
    pub fn vertices(&self) -> &[Corner] {
        &self.all
    }
}
