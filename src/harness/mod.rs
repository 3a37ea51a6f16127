//! Files for people who write readers of these formats: made from a seed, changed a little, and made smaller.
//!
//! The same seed gives the same bytes on every machine, for one version of this crate.

mod field;
mod fuzz;
mod generate;
mod mutate;
mod mutation;
mod random;
mod shrink;

pub use fuzz::{comes_back_through_json, edit_is_local, fuzz_edit, fuzz_file, fuzz_input, fuzz_json};
pub use generate::generate;
pub use mutate::{Mutant, Mutator};
pub use mutation::Mutation;
pub use shrink::shrink;
