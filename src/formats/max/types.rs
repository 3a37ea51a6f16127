//! The on-disk structs of the 3ds Max tutorial's streams, in the order of the file.
//!
//! C structs dumped from memory: little-endian, no padding, no magic. The tutorial uses the types `Matrix` and `Point`
//! without defining them: see [`Matrices`] and [`Points`].

use std::fmt::Debug;

use binrw::binrw;
use modular_bitfield::prelude::*;

use super::{Matrices, Points};
use crate::schema::{Schema, on_disk};
use crate::wire::{FixedStr, List, Rest, Stream, TooMany, Wire, count};

/// A skeleton stream: bones up to the end of the file.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::max::{Bone, Bones, Matrix52, Skeleton};
/// use bindpose::wire::FixedStr;
/// let bone = Bone { name: FixedStr::new(b"Bip01").unwrap(), ..Bone::<Matrix52>::default() };
/// let skeleton = Skeleton { bones: Bones::M52(vec![bone].into()), ..Skeleton::blank_file() };
/// let bytes = skeleton.encode()?;
/// assert_eq!(bytes.len(), 116);
/// assert_eq!(Skeleton::decode(&bytes)?, skeleton);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[binrw]
#[brw(little)]
#[br(import(matrices: Matrices))]
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    /// The bones, parents before children. Animations and meshes refer to them by index.
    #[br(args(matrices))]
    #[schema(axis = "bone")]
    pub bones: Bones,
    /// A truncated last bone.
    pub rest: Rest,
}

/// The bones, with one of three matrix sizes.
#[derive(Schema)]
#[schema(tag(matrices: Matrices))]
#[derive(Clone, Debug, PartialEq)]
pub enum Bones {
    /// With matrices of 52 bytes.
    #[schema(tag = Matrices::M52, ksy = matrices == 52)]
    M52(Stream<Bone<Matrix52>>),
    /// With matrices of 48 bytes.
    #[schema(tag = Matrices::M48, ksy = matrices == 48)]
    M48(Stream<Bone<Matrix48>>),
    /// With matrices of 64 bytes.
    #[schema(tag = Matrices::M64, ksy = matrices == 64)]
    M64(Stream<Bone<Matrix64>>),
}

/// A bone and its bind pose.
#[derive(Schema)]
#[binrw]
#[br(import())]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bone<M>
where
    M: Wire,
{
    /// The bone-to-world transform at time 0.
    pub matrix: M,
    /// The name, in the code page of the exporting machine. A name of 32 bytes has no terminating NUL.
    #[schema(name = "bone")]
    pub name: FixedStr<32>,
    /// The name of the parent; empty for a root. Bytes after the NUL are uninitialised memory of the exporter.
    #[schema(name_of = "bone")]
    pub parent_name: FixedStr<32>,
}

/// Marks the parts of a matrix that equal the identity, as cached by 3ds Max.
#[derive(Schema)]
#[bitfield(bits = 32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixFlags {
    /// The translation is zero.
    pub position_identity: bool,
    /// The rotation is the identity.
    pub rotation_identity: bool,
    /// The scale is 1.
    pub scale_identity: bool,
    #[skip]
    __: B29,
}

/// A `Matrix3` of 3ds Max with its flags, 52 bytes.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix52 {
    /// The x, y and z axes and the translation, for row vectors.
    #[schema(matrix)]
    pub rows: [[f32; 3]; 4],
    /// The parts that equal the identity.
    pub flags: MatrixFlags,
}

/// A `Matrix3` without its flags, 48 bytes.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix48 {
    /// The x, y and z axes and the translation, for row vectors.
    #[schema(matrix)]
    pub rows: [[f32; 3]; 4],
}

/// A 4×4 matrix as in Direct3D, 64 bytes.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix64 {
    /// The x, y and z axes and the translation, for row vectors.
    #[schema(matrix)]
    pub rows: [[f32; 4]; 4],
}

/// An animation stream: the matrices of all bones for each frame.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::max::{Animation, Frames, Matrix52};
/// let matrices = vec![Matrix52::default(); 6];
/// let animation = Animation { num_frames: 3, matrices: Frames::M52(matrices.into()), ..Animation::blank_file() };
/// assert_eq!(animation.num_bones(), Some(2));
/// assert_eq!(Animation::decode(&animation.encode()?)?, animation);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[binrw]
#[brw(little)]
#[br(import(matrices: Matrices))]
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    /// The number of frames. The exporter omits the last frame of the exported range.
    pub num_frames: i32,
    /// The bone-to-world transform of each bone of the skeleton, frame by frame.
    #[br(args(matrices))]
    #[schema(args(matrices))]
    pub matrices: Frames,
    /// A truncated last matrix.
    pub rest: Rest,
}

/// The matrices, in one of three sizes.
#[derive(Schema)]
#[schema(tag(matrices: Matrices))]
#[derive(Clone, Debug, PartialEq)]
pub enum Frames {
    /// Matrices of 52 bytes.
    #[schema(tag = Matrices::M52, ksy = matrices == 52)]
    M52(Stream<Matrix52>),
    /// Matrices of 48 bytes.
    #[schema(tag = Matrices::M48, ksy = matrices == 48)]
    M48(Stream<Matrix48>),
    /// Matrices of 64 bytes.
    #[schema(tag = Matrices::M64, ksy = matrices == 64)]
    M64(Stream<Matrix64>),
}

/// A mesh stream: triangles with unshared corners.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::max::{Face, Faces, Mesh};
/// let faces = vec![Face::<[f32; 3]>::default(); 2];
/// let mesh = Mesh { faces: Faces::P12(faces.into()), ..Mesh::blank_file() };
/// let bytes = mesh.encode()?;
/// assert_eq!(bytes.len(), 4 + 2 * 3 * 76);
/// assert_eq!(Mesh::decode(&bytes)?, mesh);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[on_disk]
#[brw(little)]
#[br(import(points: Points))]
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    #[count_of(faces = Faces::count(faces))]
    num_faces: i32,
    /// The triangles.
    #[br(args(points, num_faces))]
    pub faces: Faces,
    /// Bytes after the last triangle.
    pub rest: Rest,
}

/// The triangles, with one of two point sizes.
#[derive(Schema)]
#[schema(tag(points: Points), import(num_faces: i32))]
#[derive(Clone, Debug, PartialEq)]
pub enum Faces {
    /// With points of 12 bytes.
    #[schema(tag = Points::P12, ksy = points == 12)]
    #[br(args(num_faces.into()))]
    P12(List<Face<[f32; 3]>>),
    /// With points of 16 bytes.
    #[schema(tag = Points::P16, ksy = points == 16)]
    #[br(args(num_faces.into()))]
    P16(List<Face<[f32; 4]>>),
}

impl Faces {
    fn count(faces: &Self) -> Result<i32, TooMany> {
        match faces {
            Self::P12(faces) => count(faces),
            Self::P16(faces) => count(faces),
        }
    }
}

/// A triangle.
#[derive(Schema)]
#[binrw]
#[br(import())]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Face<P>
where
    P: Wire + Clone + Debug + Default + PartialEq + 'static,
{
    /// The corners.
    pub corners: [Corner<P>; 3],
}

/// A corner of a triangle with its attributes and influences.
#[derive(Schema)]
#[binrw]
#[br(import())]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Corner<P>
where
    P: Wire,
{
    /// The position in world space at time 0.
    #[schema(point)]
    pub position: P,
    /// The exporter never sets normals; these bytes are uninitialised memory.
    pub normal: P,
    /// The texture coordinates u, v, w.
    pub tex_coord: P,
    /// The id of the face's sub-material.
    pub material_id: i32,
    /// The number of influences; can exceed the capacity of four.
    pub num_effective: i32,
    /// The influences. Entries from `num_effective` on are uninitialised memory.
    pub influences: [Influence; 4],
}

/// The influence of a bone on a corner.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Influence {
    /// The index of the bone; -1 if the exporter did not find it.
    #[schema(index_of("bone", none = -1))]
    pub bone_index: i32,
    /// The weight, 0 to 1. The weights of a corner need not sum to 1.
    pub weight: f32,
}
