//! Rules for formats that are described in another crate: what follows from their definitions.

use std::ops::ControlFlow::Continue;

use super::Findings;
use super::rule::rules;
use crate::edit::References;
use crate::schema::{Target, Value};

rules! {
    REFERENCE = Error "own/reference" "A reference leads to nothing." {
        why: "The definition of the format says that the value is the index or the name of an object, and the file has none. Readers fail, \
              or use another object.",
        source: "The definition of the format: `index_of` and its relatives.",
        example: "sections.surfaces[0].parts.triangles[1][2]: there is no vertex 17",
    }
}

/// Checks the references of a file without damage.
pub(crate) fn check(root: &dyn Value, findings: &mut Findings) {
    let _ = References::of_value(root).each(&mut |reference| {
        if let Target::Missing(value) = &reference.target {
            let message = || format!("there is no {} {value}", reference.entity);
            findings.add(&REFERENCE, || reference.path.clone(), message);
        }
        Continue::<()>(())
    });
}
