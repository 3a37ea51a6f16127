//! Inter-Quake Model: meshes, a skeleton and animations in one file, for engines that descend from Quake.
//!
//! Sources: the format's own description (`iqm.txt`, `iqm.h`) and its tool, which writes and evaluates files; the loaders of
//! raylib and ioquake3; three real files. Version 1, whose joints and poses have other sizes, is not supported.
//!
//! ```
//! use bindpose::codec::Format;
//! use bindpose::formats::iqm::Iqm;
//! let mut file = Iqm::blank_file();
//! file.sections.text = bindpose::wire::Bytes(b"\0hip\0".to_vec()).into();
//! assert_eq!(file.text(1), b"hip");
//! let bytes = file.encode()?;
//! assert_eq!(Iqm::decode(&bytes)?, file);
//! # Ok::<(), bindpose::Error>(())
//! ```

mod check;
mod conventions;
mod edit;
mod pose;
mod rescue;
mod rules;
mod scene;
#[cfg(feature = "harness")]
mod strategy;
mod summary;
mod types;
mod values;

pub use types::*;

use crate::codec::{FileSummary, Format, Info};
use crate::{Options, Result};

/// Properties shared by the formats of this module.
pub(super) const FAMILY: super::Family = super::Family {
    space: conventions::SPACE,
    rules: rules::RULES,
    remove: edit::remove,
    remove_many: edit::remove_many,
    scale: edit::scale,
    transform: edit::transform,
    retime: edit::retime,
    ..super::Family::DEFAULT
};

impl Format for Iqm {
    const INFO: Info = Info::new("iqm", "Inter-Quake Model")
        .with_extensions(&["iqm"])
        .with_magic(b"INTERQUAKEMODEL\0\x02\0\0\0")
        .with_schema_note("Bytes that no offset leads to are not in this schema.");

    fn args(_bytes: &[u8], _options: &Options) -> Result<()> {
        Ok(())
    }

    fn summary(&self) -> FileSummary {
        summary::summary(self)
    }
}
