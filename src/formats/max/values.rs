//! Accessors and conversions that the tutorial leaves to the reader.

use std::collections::HashMap;

use super::{
    Animation, Bone, Bones, Corner, Face, Faces, Frames, Influence, Matrix48, Matrix52, Matrix64, Mesh,
    Skeleton,
};
use crate::schema::Schema;
use crate::wire::{FixedStr, Wire};

/// A matrix of any of the three sizes. Only this crate implements it.
pub trait Rows: crate::sealed::Sealed + Schema + Wire {
    /// Returns the x, y and z axes and the translation, for row vectors.
    fn rows(&self) -> [[f32; 3]; 4];
}

impl crate::sealed::Sealed for Matrix48 {}
impl crate::sealed::Sealed for Matrix52 {}
impl crate::sealed::Sealed for Matrix64 {}

impl Rows for Matrix52 {
    fn rows(&self) -> [[f32; 3]; 4] {
        self.rows
    }
}

impl Rows for Matrix48 {
    fn rows(&self) -> [[f32; 3]; 4] {
        self.rows
    }
}

impl Rows for Matrix64 {
    fn rows(&self) -> [[f32; 3]; 4] {
        self.rows.map(|[x, y, z, _]| [x, y, z])
    }
}

/// A bone, independent of the size of its matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneRef<'a> {
    /// The x, y and z axes and the translation: the bone-to-world transform.
    pub rows: [[f32; 3]; 4],
    /// The name of the bone.
    pub name: &'a FixedStr<32>,
    /// The name of the parent; empty for a root.
    pub parent_name: &'a FixedStr<32>,
}

impl Bones {
    /// Returns the number of bones.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::M52(bones) => bones.len(),
            Self::M48(bones) => bones.len(),
            Self::M64(bones) => bones.len(),
        }
    }

    /// Returns whether there are no bones.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bone at an index.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<BoneRef<'_>> {
        fn view<M: Rows>(bone: &Bone<M>) -> BoneRef<'_> {
            BoneRef { rows: bone.matrix.rows(), name: &bone.name, parent_name: &bone.parent_name }
        }
        match self {
            Self::M52(bones) => bones.get(index).map(view),
            Self::M48(bones) => bones.get(index).map(view),
            Self::M64(bones) => bones.get(index).map(view),
        }
    }

    /// Iterates over all bones.
    pub fn iter(&self) -> impl Iterator<Item = BoneRef<'_>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

impl Skeleton {
    /// Returns whether the last bone is stored twice.
    ///
    /// The tutorial's reader detects the end of the file one record late and repeats the last bone; a program that saves
    /// the result stores the duplicate.
    #[must_use]
    pub fn repeats_last_bone(&self) -> bool {
        fn same<M: Rows>(bones: &[Bone<M>]) -> bool {
            let [.., one, other] = bones else { return false };
            let bits = |bone: &Bone<M>| bone.matrix.rows().map(|row| row.map(f32::to_bits));
            one.name == other.name && one.parent_name == other.parent_name && bits(one) == bits(other)
        }
        match &self.bones {
            Bones::M52(bones) => same(bones),
            Bones::M48(bones) => same(bones),
            Bones::M64(bones) => same(bones),
        }
    }

    /// Returns the number of bones without the repeated last one.
    pub(super) fn num_bones(&self) -> usize {
        self.bones.len() - usize::from(self.repeats_last_bone())
    }
}

impl Frames {
    /// Returns the number of matrices.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::M52(matrices) => matrices.len(),
            Self::M48(matrices) => matrices.len(),
            Self::M64(matrices) => matrices.len(),
        }
    }

    /// Returns whether there are no matrices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the rows of the matrix at an index.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<[[f32; 3]; 4]> {
        match self {
            Self::M52(matrices) => matrices.get(index).map(Rows::rows),
            Self::M48(matrices) => matrices.get(index).map(Rows::rows),
            Self::M64(matrices) => matrices.get(index).map(Rows::rows),
        }
    }

    /// Removes the matrices from an index on.
    pub(super) fn keep(&mut self, len: usize) {
        match self {
            Self::M52(matrices) => matrices.truncate(len),
            Self::M48(matrices) => matrices.truncate(len),
            Self::M64(matrices) => matrices.truncate(len),
        }
    }
}

impl Animation {
    /// Returns the number of bones per frame, or `None` if the matrices do not form complete frames.
    #[must_use]
    pub fn num_bones(&self) -> Option<usize> {
        let frames = usize::try_from(self.num_frames).ok().filter(|frames| *frames > 0)?;
        self.matrices.len().is_multiple_of(frames).then(|| self.matrices.len() / frames)
    }

    /// Returns the bone-to-world matrix of a bone in a frame.
    #[must_use]
    pub fn matrix(&self, frame: usize, bone: usize) -> Option<[[f32; 3]; 4]> {
        let bones = self.num_bones().filter(|bones| bone < *bones)?;
        self.matrices.get(frame.checked_mul(bones)?.checked_add(bone)?)
    }
}

impl<P: Wire> Corner<P> {
    /// Returns the stored influences that are in use and refer to a bone, strongest first.
    ///
    /// ```
    /// use bindpose::formats::max::{Corner, Influence};
    /// let mut corner = Corner::<[f32; 3]> { num_effective: 6, ..Corner::default() };
    /// corner.influences[0] = Influence { bone_index: -1, weight: 0.3 };
    /// corner.influences[3] = Influence { bone_index: 7, weight: 0.4 };
    /// let strongest = corner.strongest();
    /// assert_eq!((strongest.len(), strongest[0].bone_index), (3, 7));
    /// ```
    #[must_use]
    pub fn strongest(&self) -> Vec<Influence> {
        let stored = usize::try_from(self.num_effective).unwrap_or(0).min(self.influences.len());
        let found = self.influences[..stored].iter().filter(|influence| influence.bone_index >= 0);
        let mut strongest: Vec<_> = found.copied().collect();
        strongest.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        strongest
    }
}

/// An indexed mesh: identical corners are merged into vertices, and faces are grouped by material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Indexed {
    /// The vertices.
    pub vertices: Vec<Vertex>,
    /// The faces of each material, in ascending order of material id.
    pub groups: Vec<Group>,
}

/// The data of identical corners, without normals, which the exporter never sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertex {
    /// The position in world space at time 0.
    pub position: [f32; 3],
    /// The texture coordinates u, v, w.
    pub tex_coord: [f32; 3],
    /// The bone influences, strongest first.
    pub influences: Vec<Influence>,
}

/// The faces of one material.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The id of the sub-material.
    pub material_id: i32,
    /// The vertex indices of each face.
    pub faces: Vec<[usize; 3]>,
}

impl Mesh {
    /// Returns the mesh with shared vertices, grouped by material.
    ///
    /// The first corner of a face determines its material.
    ///
    /// ```
    /// use bindpose::codec::Format;
    /// use bindpose::formats::max::{Face, Faces, Mesh};
    /// let mesh = Mesh { faces: Faces::P12(vec![Face::default(); 9].into()), ..Mesh::blank_file() };
    /// let indexed = mesh.indexed();
    /// assert_eq!((indexed.vertices.len(), indexed.groups[0].faces.len()), (1, 9));
    /// ```
    #[must_use]
    pub fn indexed(&self) -> Indexed {
        let mut builder = Builder::default();
        match &self.faces {
            Faces::P12(faces) => faces.iter().for_each(|face| builder.face(face, |point| *point)),
            Faces::P16(faces) => {
                faces.iter().for_each(|face| builder.face(face, |[x, y, z, _]| [*x, *y, *z]));
            }
        }
        builder.finish()
    }
}

/// The bit patterns of a vertex. NaN does not equal itself, so floats cannot be keys.
type Bits = (Vec<u32>, Vec<(i32, u32)>);

#[derive(Default)]
struct Builder {
    indexed: Indexed,
    known: HashMap<Bits, usize>,
    groups: std::collections::BTreeMap<i32, Vec<[usize; 3]>>,
}

impl Builder {
    fn face<P>(&mut self, face: &Face<P>, point: impl Fn(&P) -> [f32; 3])
    where
        P: Wire + Clone + std::fmt::Debug + Default + PartialEq + 'static,
    {
        let indices = face.corners.each_ref().map(|corner| {
            self.vertex(Vertex {
                position: point(&corner.position),
                tex_coord: point(&corner.tex_coord),
                influences: corner.strongest(),
            })
        });
        self.groups.entry(face.corners[0].material_id).or_default().push(indices);
    }

    fn vertex(&mut self, vertex: Vertex) -> usize {
        let points = vertex.position.iter().chain(&vertex.tex_coord).map(|value| value.to_bits()).collect();
        let influences = vertex.influences.iter().map(|own| (own.bone_index, own.weight.to_bits())).collect();
        *self.known.entry((points, influences)).or_insert_with(|| {
            self.indexed.vertices.push(vertex);
            self.indexed.vertices.len() - 1
        })
    }

    fn finish(mut self) -> Indexed {
        let groups = self.groups.into_iter();
        self.indexed.groups = groups.map(|(material_id, faces)| Group { material_id, faces }).collect();
        self.indexed
    }
}
