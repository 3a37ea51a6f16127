//! Files for people who write readers of these formats: made from a seed, changed a little, and made smaller.
//!
//! The same seed gives the same bytes on every machine, for one version of this crate.

mod field;
mod generate;
mod mutate;
mod mutation;
mod random;
mod shrink;

pub use generate::generate;
pub use mutate::{Mutant, Mutator};
pub use mutation::Mutation;
pub use shrink::shrink;
