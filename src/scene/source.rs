//! The records of files that vertices and keys of a scene come from.

use std::sync::Arc;

use super::{Builder, Mesh, Track};
use crate::FieldPath;
use crate::schema::Step;

/// The index of values that come from no record of a file.
pub const NO_RECORD: u32 = u32::MAX;

/// The records of a file that values of a scene come from, such as the positions of a mesh or the keys of a curve.
///
/// A value whose components are in several fields has a source for each of them, with the same target.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::ms3d::{Ms3d, Triangle, Vertex};
/// use bindpose::scene::{Attribute, Part, Scene, Settings, Target};
/// let mut file = Ms3d::blank_file();
/// file.vertices = vec![Vertex::default(); 3].into();
/// file.triangles.push(Triangle { vertex_indices: [2, 1, 0], ..Triangle::default() });
/// let scene = Scene::of(&[Part { name: "hero", file: &file }], &Settings::default());
/// let source = &scene.sources[0];
/// assert_eq!(source.target, Target::Vertices { mesh: 0, attribute: Attribute::Position });
/// assert_eq!(source.path(0).map(|path| path.to_string()).as_deref(), Some("vertices[2].position"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// What comes from the records.
    pub target: Target,
    /// The index of the file among the parts of the scene.
    pub part: usize,
    /// The list of the records.
    pub list: FieldPath,
    /// The field of a record that contains the value; empty if the record itself is the value.
    pub field: FieldPath,
    /// The index of the record of each vertex, triangle, displacement or key, and [`NO_RECORD`] for values from no record; empty
    /// for a material, whose record is `list`. A curve can have further keys, which come from no record.
    pub records: Arc<[u32]>,
}

/// A part of a scene whose values come from records of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Target {
    /// An attribute of the vertices of a mesh.
    Vertices {
        /// The index of the mesh.
        mesh: usize,
        /// The attribute.
        attribute: Attribute,
    },
    /// An attribute at one corner of the triangles of a mesh, where the file has one for each corner: equal ones share a
    /// vertex.
    Corners {
        /// The index of the mesh.
        mesh: usize,
        /// 0, 1 or 2.
        corner: usize,
        /// The attribute.
        attribute: Attribute,
    },
    /// The displacements of positions by a morph target.
    Morph {
        /// The index of the mesh.
        mesh: usize,
        /// The index of the morph target.
        morph: usize,
    },
    /// A property of a material.
    Material {
        /// The index of the material.
        material: usize,
        /// The property.
        property: Property,
    },
    /// The keys of a curve.
    Keys {
        /// The index of the clip.
        clip: usize,
        /// The index of the bone.
        bone: usize,
        /// The curve of its track.
        channel: Channel,
    },
}

/// An attribute of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Attribute {
    /// The position.
    Position,
    /// The normal.
    Normal,
    /// The texture coordinates of a set.
    Uv(usize),
    /// The colour.
    Color,
}

impl Attribute {
    /// Returns the name: `position`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Normal => "normal",
            Self::Uv(_) => "uv",
            Self::Color => "color",
        }
    }

    /// Returns the set of texture coordinates.
    #[must_use]
    pub const fn uv_set(self) -> Option<usize> {
        if let Self::Uv(set) = self { Some(set) } else { None }
    }
}

/// A property of a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Property {
    /// The base colour and the opacity.
    Color,
    /// The emissive colour.
    Emissive,
}

impl Property {
    /// Returns the name: `color`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Color => "color",
            Self::Emissive => "emissive",
        }
    }
}

/// A curve of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// The translation.
    Translation,
    /// The rotation.
    Rotation,
    /// The scale.
    Scale,
}

impl Channel {
    /// Returns the name: `translation`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
        }
    }
}

impl Source {
    /// Returns the path of the value that a vertex, triangle, displacement or key comes from; none if it comes from no record.
    #[must_use]
    pub fn path(&self, index: usize) -> Option<FieldPath> {
        if matches!(self.target, Target::Material { .. }) {
            return Some(self.list.join(&self.field));
        }
        let record = *self.records.get(index)?;
        if record == NO_RECORD {
            return None;
        }
        let record = Step::Index(record as usize);
        Some(self.list.join(&vec![record].into()).join(&self.field))
    }
}

/// Returns records of a list of this length, with the number of no record for those after its end.
pub fn existing(records: &Arc<[u32]>, len: usize) -> Arc<[u32]> {
    let is_there = |record: &u32| (*record as usize) < len;
    if records.iter().all(is_there) {
        return Arc::clone(records);
    }
    records.iter().map(|record| if is_there(record) { *record } else { NO_RECORD }).collect()
}

impl Track {
    /// Returns the number of keys of a curve; 0 if there is no such curve.
    fn num_keys(&self, channel: Channel) -> usize {
        let keys = match channel {
            Channel::Translation => self.translation.as_ref().map(|curve| curve.times().len()),
            Channel::Rotation => self.rotation.as_ref().map(|curve| curve.times().len()),
            Channel::Scale => self.scale.as_ref().map(|curve| curve.times().len()),
        };
        keys.unwrap_or(0)
    }
}

impl Builder<'_> {
    /// Adds a mesh, and records where the positions of its vertices come from. Returns the index of the mesh.
    pub fn add_mesh_from(
        &mut self,
        mesh: Mesh,
        list: FieldPath,
        field: FieldPath,
        records: impl Into<Arc<[u32]>>,
    ) -> Option<usize> {
        let mesh = self.add_mesh(mesh)?;
        self.trace(Target::Vertices { mesh, attribute: Attribute::Position }, list, field, records);
        Some(mesh)
    }

    /// Records where a property of a material comes from.
    pub fn trace_material(
        &mut self,
        material: usize,
        property: Property,
        record: FieldPath,
        field: FieldPath,
    ) {
        self.trace(Target::Material { material, property }, record, field, []);
    }

    /// Records where the keys of a bone in the clip that was added last come from: the records in the order of their times.
    pub fn trace_keys(
        &mut self,
        bone: usize,
        channel: Channel,
        list: FieldPath,
        field: FieldPath,
        records: impl IntoIterator<Item = usize>,
    ) {
        let Some((clip, own)) = self.last_track(bone) else { return };
        let num_keys = own.num_keys(channel);
        let records: Vec<u32> =
            records.into_iter().map(|record| u32::try_from(record).unwrap_or(u32::MAX)).collect();
        // A constant curve has fewer keys than the file.
        if !records.is_empty() && records.len() <= num_keys {
            self.trace(Target::Keys { clip, bone, channel }, list, field, records);
        }
    }
}
