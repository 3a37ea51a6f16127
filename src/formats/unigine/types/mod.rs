//! The on-disk structs of UNIGINE, in the order of the files.
//!
//! Little-endian, packed. Integers are compact unless stated otherwise; the vendor's documentation calls them 32-bit. Coordinates
//! are right-handed with Z up, in metres.

mod anim;
mod animation;
mod cint;
mod geometry;
mod maybe_counted;
mod mesh;
mod mesh14;
mod mesh15;
mod skeleton;
mod skinned;
mod table;

pub use anim::{Anim10, Anim11, Anim12, UnigineAnim};
pub use animation::{Key, Key11, KeyFlags, KeyFlags11, MeshAnimation, QuantizedAnimation, QuantizedBox};
pub use cint::CInt;
pub(super) use cint::with_wide_integers;
pub(super) use geometry::GeometryView;
pub use geometry::{
    Corners, Geometry, GeometryCounts, Influence, Tangent, Tangent10, Tangents, Target, VertexWeights,
};
pub use maybe_counted::MaybeCounted;
pub use mesh::{
    AnimationName, Bone, Bounds, Lightmap, Mesh, RawMesh, RawSurface, RawVertex, Surface, TargetName,
    Transform, UnigineMesh,
};
pub(super) use mesh::{MESH_VERSIONS, MS10, version};
pub use mesh14::{
    EdgeFlags, Mesh14, OffsetErrors, PackedGeometry, PackedTree, Surface14, Target14, Tree, TreeNode,
};
pub use mesh15::{Geometry15, GeometryCounts15, Mesh15, PackedGeometry15, Surface15};
pub use skeleton::{JointWeights, LongName, Reference, Retarget, UnigineSkeleton};
pub use skinned::{SkinnedMesh, SkinnedSurface};
pub use table::Table;

use std::io::{Read, Seek};

use binrw::{BinRead, BinResult, Endian};

use crate::ErrorKind;
use crate::wire::{FixedStr, LenStr, past_end, refuse};

/// A name: bytes in the author's encoding, usually UTF-8, ended by a NUL that the length counts.
pub type Name = LenStr<CInt, true>;

/// Reads a magic that is repeated inside a file, of any version. Other bytes mean that the sections before it were
/// misread.
fn marker<R: Read + Seek>(reader: &mut R, endian: Endian, (): ()) -> BinResult<FixedStr<4>> {
    let at = reader.stream_position()?;
    let id = FixedStr::<4>::read_options(reader, endian, ())?;
    match id.0 {
        [first, second, b'0'..=b'9', b'0'..=b'9'] if [*b"ms", *b"sk", *b"an"].contains(&[first, second]) => {
            Ok(id)
        }
        _ if past_end(reader)? => Ok(id),
        other => {
            let why = format!("expected the magic again, got \"{}\"", other.escape_ascii());
            Err(refuse(at, ErrorKind::Magic(why)))
        }
    }
}
