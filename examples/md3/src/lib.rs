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
    const INFO: Info = Info {
        name: "md3",
        title: "Quake III model",
        extensions: &["md3"],
        magic: b"IDP3",
        dialects: &[],
        schema_note: "Bytes that no offset leads to are not in this schema.",
    };

    fn args(_bytes: &[u8], _options: &Options) -> Result<()> {
        Ok(())
    }
}

impl Generate for Md3 {}
