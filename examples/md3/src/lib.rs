//! Quake III Arena's MD3 as a format of one's own: `types.rs` describes it, and `bindpose` does the rest.
//!
//! `docs/own-format.md` of bindpose walks through this crate.

#[cfg(test)]
mod tests;
mod types;

pub use types::*;

use bindpose::codec::{Format, Generate, Info};
use bindpose::{Options, Result};

impl Format for Md3 {
    const INFO: Info = Info::new("md3", "Quake III model")
        .with_extensions(&["md3"])
        .with_magic(b"IDP3")
        .with_schema_note("Bytes that no offset leads to are not in this schema.");

    fn args(_bytes: &[u8], _options: &Options) -> Result<()> {
        Ok(())
    }
}

impl Generate for Md3 {}
