//! MilkShape 3D: models of a low-polygon modeller, which many small engines read.
//!
//! Sources: the specification texts 1.4.0 and 1.8.5, the author's own viewer (the only first-party evaluator found),
//! and 71 real files, which decide where those disagree. No real file of version 3 is known.
//!
//! ```
//! use bindpose::codec::Format;
//! use bindpose::formats::ms3d::{Joint, Ms3d};
//! let mut model = Ms3d::blank_file();
//! model.joints.push(Joint { position: [0.0, 1.0, 0.0], ..Joint::default() });
//! model.joints[0].name.set(b"hip").expect("a name of at most 32 bytes");
//! let bytes = model.encode()?;
//! assert_eq!(Ms3d::decode(&bytes)?.joints[0].name.text(), b"hip");
//! # Ok::<(), bindpose::Error>(())
//! ```

mod check;
mod conventions;
mod edit;
mod gap;
mod literal;
mod merge;
mod ranges;
mod rescue;
mod rules;
mod scene;
#[cfg(feature = "harness")]
mod strategy;
mod summary;
mod transform;
mod types;

pub use ranges::NamedRange;
pub use types::*;

use crate::codec::{FileSummary, Format, Info};
use crate::edit::Named;
use crate::schema::Schema;
use crate::{Options, Result};

/// Properties shared by the formats of this module.
pub(super) const FAMILY: super::Family = super::Family {
    space: conventions::SPACE,
    rules: rules::RULES,
    writers: summary::WRITERS,
    remove: edit::remove,
    transform: transform::transform,
    retime: transform::retime,
    resample: transform::resample,
    merge: merge::merge,
    ..super::Family::DEFAULT
};

impl Named for Ms3d {
    fn why_kept(&self) -> &'static str {
        "is a range of frames of the only animation, which a comment defines; change the comment"
    }
}

impl Format for Ms3d {
    const INFO: Info =
        Info::new("ms3d", "MilkShape 3D").with_extensions(&["ms3d"]).with_magic(<Self as Schema>::MAGIC);

    fn args(_bytes: &[u8], _options: &Options) -> Result<()> {
        Ok(())
    }

    fn writer(&self) -> Option<&'static str> {
        summary::writer(self)
    }

    fn summary(&self) -> FileSummary {
        summary::summary(self)
    }
}
