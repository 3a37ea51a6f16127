//! Test files for readers of these formats: generates, mutates and shrinks files.
//!
//! The same seed gives the same bytes on every machine, for one version of this crate.
//!
//! * [`generate`] creates a valid file of a format from a seed.
//! * [`Mutator`] applies one [`Mutation`] to a file: a wrong count, a NaN, a truncation.
//! * [`shrink`] reduces a file while a condition holds, such as a crash of a reader.
//!
//! ```
//! use bindpose::harness::{Mutation, Mutator, generate};
//! use bindpose::FileKind;
//! let (file, bytes) = generate(FileKind::Psk.into(), 7, 1000).unwrap();
//! let mutant = Mutator::new(&file, &bytes).mutant(3);
//! assert_ne!(mutant.bytes, bytes);
//! assert!(Mutation::ALL.contains(&mutant.mutation));
//! ```

mod field;
mod fuzz;
mod generate;
mod mutate;
mod mutation;
mod random;
mod shrink;
mod verbs;

pub use fuzz::{
    comes_back_through_json, dictionary, edit_is_local, fuzz_edit, fuzz_file, fuzz_input, fuzz_json,
    fuzz_mutant,
};
pub use generate::{generate, generate_format};
pub use mutate::{Mutant, Mutator};
pub use mutation::Mutation;
pub use shrink::{shrink, shrink_format};
pub use verbs::{fuzz_verbs, verbs_agree};
