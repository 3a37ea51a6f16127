//! What all verbs have in common.

use super::exit::{Exit, Failure};
use super::output::Output;

/// The arguments of a verb, and what it does with them.
pub(super) trait Verb {
    fn run(&self, output: &mut Output) -> Result<Exit, Failure>;
}
