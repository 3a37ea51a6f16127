//! Quake II's MD2 as a format of one's own: `types.rs` describes it, and `bindpose` does the rest.
//!
//! `docs/own-format.md` of bindpose walks through this crate.

mod strategy;
mod types;

pub use types::*;

use bindpose::codec::{Format, Info};
use bindpose::{Options, Result};

impl Format for Md2 {
    const INFO: Info = Info {
        name: "md2",
        title: "Quake II model",
        extensions: &["md2"],
        magic: b"IDP2",
        dialects: &[],
        schema_note: "Bytes that no offset leads to are not in this schema.",
    };

    fn args(_bytes: &[u8], _options: &Options) -> Result<()> {
        Ok(())
    }
}
