//! The on-disk structs of PSK and PSA, in the order of the writers.
//!
//! Little-endian. A file is a sequence of chunks; each begins with a header of 32 bytes. The structs come from C++ with
//! 4-byte packing, hence the padding after small integers. Layout: Epic's own exporter
//! (`ActorX`) and the programs that read or write the format, checked on 1646 real files.

mod animation;
mod bodies;
mod chunk;
mod config;
mod kinds;
mod mesh;
mod records;
mod sparse;
mod stream;

use binrw::binrw;

pub use animation::*;
pub use bodies::*;
pub use chunk::*;
pub use config::*;
pub use kinds::*;
pub use mesh::*;
pub use records::*;
pub use sparse::*;

use crate::schema::Schema;
use crate::wire::{Rest, Stream};
use stream::at_least_one;

/// A mesh: a PSK or PSKX file.
///
/// Chunks occur in any order and number. The extension does not indicate the contents: some writers use `.pskx` for static
/// meshes, some for more than 65,536 wedges, some for no particular reason.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::psk::{Chunk, Psk, Records};
/// let mut file = Psk::blank_file();
/// file.chunks.push(Chunk::new("PNTS0000", Records::Points(vec![[0.0, 0.0, 1.0]].into())));
/// let bytes = file.encode()?;
/// assert_eq!(Psk::decode(&bytes)?.points(), [[0.0, 0.0, 1.0]]);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[schema(each_alias = crate::formats::psk::alias::mesh, shorts = crate::formats::psk::alias::short_in_mesh)]
#[binrw]
#[brw(little)]
#[derive(Clone, Debug, PartialEq)]
pub struct Psk {
    /// The contents; old readers depend on their order, which is preserved.
    #[br(parse_with = at_least_one)]
    #[schema(default = vec![Chunk::head(ChunkKind::MESH_HEAD)].into())]
    pub chunks: Stream<Chunk>,
    /// The bytes from the first invalid chunk header on.
    pub rest: Rest,
}

/// Animations: a PSA file.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::psk::{Chunk, Psa, Records, Sequence};
/// let mut file = Psa::blank_file();
/// let walk = Sequence { rate: 30.0, num_raw_frames: 20, ..Sequence::default() };
/// file.chunks.push(Chunk::new("ANIMINFO", Records::Sequences(vec![walk].into())));
/// let bytes = file.encode()?;
/// assert_eq!(Psa::decode(&bytes)?.sequences()[0].num_raw_frames, 20);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[schema(each_alias = crate::formats::psk::alias::animations, shorts = crate::formats::psk::alias::short_in_animations)]
#[binrw]
#[brw(little)]
#[derive(Clone, Debug, PartialEq)]
pub struct Psa {
    /// The contents; old readers depend on their order, which is preserved.
    #[br(parse_with = at_least_one)]
    #[schema(default = vec![Chunk::head(ChunkKind::ANIMATION_HEAD)].into())]
    pub chunks: Stream<Chunk>,
    /// The bytes from the first invalid chunk header on.
    pub rest: Rest,
}
