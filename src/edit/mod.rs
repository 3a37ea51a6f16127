//! Edits of what a file means: bones, materials, clips and textures, with everything that refers to them.
//!
//! Every other byte stays as it is, apart from lengths and counts that follow.
//!
//! ```
//! use bindpose::FileKind;
//! use bindpose::edit::{Entity, Renames, rename};
//! let mut file = FileKind::Ms3d.blank();
//! for (index, (name, parent)) in [("root", ""), ("spine", "root")].into_iter().enumerate() {
//!     file.append("joints")?;
//!     file.set(&format!("joints[{index}].name"), name)?;
//!     file.set(&format!("joints[{index}].parent_name"), parent)?;
//! }
//! let renamed = rename(&mut file, &Renames::new().with(Entity::Bone, "root", "hips")?)?;
//! assert_eq!(renamed.len(), 2);
//! assert_eq!(file.get("joints[1].parent_name")?.as_str(), Some("hips"));
//! # Ok::<(), bindpose::Error>(())
//! ```

mod caused;
mod merge;
mod merge3;
mod names;
mod references;
mod remove;
mod rename;
mod scale;
pub(crate) mod skeleton;
mod transform;

pub use caused::{caused, caused_by_merge};
pub use merge::merge;
pub(crate) use merge::{duplicate, unmatched};
pub use merge3::{Conflict, Merge3, merge3, merge3_format};
pub use names::{Entity, Name, names};
pub(crate) use names::{NameKey, Named, Stored, defined_name, defined_names, no_form};
pub use references::{References, keep_references};
pub(crate) use remove::{
    RemovedNames, damaged, drop_column, in_use, needs_bones, one_skeleton, set_text, undamaged, unsupported,
};
pub use remove::{remove, remove_all};
pub use rename::{Renamed, Renames, rename};
pub use scale::scale;
pub(crate) use scale::{scale_lengths, times};
pub(crate) use skeleton::{Motion, Places, Rigid};
pub(crate) use transform::corners;
pub use transform::{resample, retime, transform};
