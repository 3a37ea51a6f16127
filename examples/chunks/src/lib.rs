//! 3D Studio's 3DS as a format of one's own: chunks in chunks, each with its size in bytes.
//!
//! `docs/own-format.md` of bindpose walks through this crate.

#[cfg(test)]
mod tests;
mod types;

pub use types::*;

use bindpose::codec::{Format, Generate, Info};
use bindpose::{Options, Result};

impl Format for Tds {
    const INFO: Info = Info::new("3ds", "3D Studio file")
        .with_extensions(&["3ds"])
        .with_magic(b"MM")
        .with_schema_note("Bytes after the known contents of a chunk are not in this schema.");

    fn args(_bytes: &[u8], _options: &Options) -> Result<()> {
        Ok(())
    }
}

impl Generate for Tds {
    // The ids of chunks.
    const WORDS: &'static [&'static [u8]] = &[
        &[0x10, 0x00],
        &[0x11, 0x00],
        &[0x02, 0x00],
        &[0x3d, 0x3d],
        &[0x00, 0x40],
        &[0x00, 0x41],
        &[0x10, 0x41],
        &[0x20, 0x41],
        &[0x30, 0x41],
        &[0x40, 0x41],
        &[0x60, 0x41],
        &[0xff, 0xaf],
        &[0x00, 0xa0],
        &[0x10, 0xa0],
        &[0x20, 0xa0],
        &[0x00, 0xa2],
        &[0x00, 0xa3],
    ];
}
