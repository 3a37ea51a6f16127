//! The on-disk structs of UNIGINE, in the order of the files.
//!
//! Little-endian, packed. Integers are compact unless said otherwise, whatever the vendor's page calls them. Coordinates
//! are right-handed with Z up, in metres.

mod anim;
mod animation;
mod geometry;
mod mesh;
mod mesh14;

pub use anim::{Anim10, Anim11, UnigineAnim};
pub use animation::{Key, Key11, KeyFlags, KeyFlags11, MeshAnimation, QuantizedAnimation, QuantizedBox};
pub use geometry::{
    Corners, Geometry, GeometryCounts, Influence, Tangent, Tangent10, Tangents, Target, VertexWeights,
};
pub use mesh::{
    AnimationName, Bone, Bounds, Lightmap, Mesh, RawMesh, RawSurface, RawVertex, Surface, TargetName,
    Transform, UnigineMesh,
};
pub use mesh14::{
    Mesh14, OffsetSlips, PackedGeometry, PackedTree, Surface14, Target14, Tree, TreeNode, offsets_of,
};

use std::io::{Read, Seek};

use binrw::{BinRead, BinResult, Endian};

use crate::ErrorKind;
use crate::wire::{CInt, FixedStr, LenStr, past_end, refuse};

/// A name: bytes in the author's encoding, usually UTF-8, ended by a NUL that the length counts.
pub type Name = LenStr<CInt, true>;

/// Reads a magic that stands again in the middle of a file. Its version may be any; where something else stands, what was
/// read before was not what it seemed.
fn marker<R: Read + Seek>(reader: &mut R, endian: Endian, (): ()) -> BinResult<FixedStr<4>> {
    let at = reader.stream_position()?;
    let id = FixedStr::<4>::read_options(reader, endian, ())?;
    match id.0 {
        [b'm', b's', b'0'..=b'9', b'0'..=b'9'] | [b'a', b'n', b'0'..=b'9', b'0'..=b'9'] => Ok(id),
        _ if past_end(reader)? => Ok(id),
        other => {
            let why = format!("the magic should stand here again, not \"{}\"", other.escape_ascii());
            Err(refuse(at, ErrorKind::Magic(why)))
        }
    }
}
