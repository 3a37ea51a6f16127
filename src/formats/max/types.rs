//! The on-disk structs of the 3ds Max tutorial's streams, in the order of the file.
//!
//! Raw memory of C structs: little-endian, no padding, no magic. The text names two types of its own, `Matrix` and
//! `Point`, and does not say how large they are: see [`Matrices`] and [`Points`].

use std::fmt::Debug;

use binrw::binrw;
use modular_bitfield::prelude::*;

use super::{Matrices, Points};
use crate::schema::Schema;
use crate::wire::{FixedStr, List, Rest, Stream, TooMany, Wire, count};

/// A skeleton stream: bones until the end of the file.
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
    /// The bones, parents before their children; animations and meshes name them by their index here.
    #[br(args(matrices))]
    pub bones: Bones,
    /// A last bone that is cut.
    pub rest: Rest,
}

/// Bones by the size of their matrix.
#[derive(Schema)]
#[schema(tag(matrices: Matrices))]
#[derive(Clone, Debug, PartialEq)]
pub enum Bones {
    /// Matrices of 52 bytes.
    #[schema(tag = Matrices::M52, ksy = matrices == 52)]
    M52(Stream<Bone<Matrix52>>),
    /// Matrices of 48 bytes.
    #[schema(tag = Matrices::M48, ksy = matrices == 48)]
    M48(Stream<Bone<Matrix48>>),
    /// Matrices of 64 bytes.
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
    /// From the bone's space to that of the world, at time 0.
    pub matrix: M,
    /// The name, in the code page of the machine; 32 bytes of it have no NUL behind them.
    pub name: FixedStr<32>,
    /// Name of the parent, empty at a root. What stands behind its NUL is memory of the program that wrote the file.
    pub parent_name: FixedStr<32>,
}

/// Which parts of a matrix are those of the identity, as 3ds Max knows.
#[derive(Schema)]
#[bitfield(bits = 32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixFlags {
    /// It does not move.
    pub position_identity: bool,
    /// It does not rotate.
    pub rotation_identity: bool,
    /// It does not scale.
    pub scale_identity: bool,
    #[skip]
    __: B29,
}

/// A `Matrix3` of 3ds Max: the most literal reading of the text.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix52 {
    /// The axes x, y, z and the translation; vectors are rows and stand in front.
    pub rows: [[f32; 3]; 4],
    /// What is known of it.
    pub flags: MatrixFlags,
}

/// A `Matrix3` without its flags.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix48 {
    /// The axes x, y, z and the translation; vectors are rows and stand in front.
    pub rows: [[f32; 3]; 4],
}

/// Four rows of four, as in Direct3D.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix64 {
    /// The axes x, y, z and the translation; vectors are rows and stand in front.
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
    /// How many frames there are; the last one of the range that was exported is left out.
    pub num_frames: i32,
    /// For each frame, for each bone of the skeleton: from the bone's space to that of the world.
    #[br(args(matrices))]
    #[schema(args(matrices))]
    pub matrices: Frames,
    /// A last matrix that is cut.
    pub rest: Rest,
}

/// Matrices by their size.
#[derive(Schema)]
#[schema(tag(matrices: Matrices))]
#[derive(Clone, Debug, PartialEq)]
pub enum Frames {
    /// Of 52 bytes.
    #[schema(tag = Matrices::M52, ksy = matrices == 52)]
    M52(Stream<Matrix52>),
    /// Of 48 bytes.
    #[schema(tag = Matrices::M48, ksy = matrices == 48)]
    M48(Stream<Matrix48>),
    /// Of 64 bytes.
    #[schema(tag = Matrices::M64, ksy = matrices == 64)]
    M64(Stream<Matrix64>),
}

/// A mesh stream: triangles with three corners of their own.
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
#[derive(Schema)]
#[binrw]
#[brw(little)]
#[br(import(points: Points))]
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    #[br(temp)]
    #[bw(try_calc = Faces::count(faces))]
    num_faces: i32,
    /// The triangles.
    #[br(args(points, num_faces))]
    pub faces: Faces,
    /// Bytes behind the last triangle.
    pub rest: Rest,
}

/// Triangles by the size of their points.
#[derive(Schema)]
#[schema(tag(points: Points), import(num_faces: i32))]
#[derive(Clone, Debug, PartialEq)]
pub enum Faces {
    /// Points of 12 bytes.
    #[schema(tag = Points::P12, ksy = points == 12)]
    #[br(args(num_faces.into()))]
    P12(List<Face<[f32; 3]>>),
    /// Points of 16 bytes.
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

/// Three corners.
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

/// A corner with all that belongs to it.
#[derive(Schema)]
#[binrw]
#[br(import())]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Corner<P>
where
    P: Wire,
{
    /// In the space of the world, at time 0.
    pub position: P,
    /// Never set by the text's code: what was in memory.
    pub normal: P,
    /// u, v, w.
    pub tex_coord: P,
    /// Number of the face's sub-material.
    pub material_id: i32,
    /// How many bones move it; may be more than there is room for.
    pub num_effective: i32,
    /// The bones that move it, as many as are effective; the others are what was in memory.
    pub influences: [Influence; 4],
}

/// How much a bone moves a corner.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Influence {
    /// Index of the bone; -1 if it was not found.
    pub bone_index: i32,
    /// 0 to 1; those of a corner may sum up to anything.
    pub weight: f32,
}
