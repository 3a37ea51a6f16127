//! Rules for formats that are described in another crate: what follows from their definitions.

use std::ops::ControlFlow::Continue;

use super::Findings;
use super::rule::rules;
use crate::edit::References;
use crate::schema::{Target, Value, contradictions};

rules! {
    REFERENCE = Error "own/reference" "A reference leads to nothing." {
        why: "The definition of the format says that the value is the index or the name of an object, and the file has none. Readers fail, \
              or use another object.",
        source: "The definition of the format: `index_of` and its relatives.",
        example: "sections.surfaces[0].parts.triangles[1][2]: there is no vertex 17",
    }
    CONTRADICTION = Warning "own/contradiction" "A number does not follow from the content." {
        why: "The definition of the format says that the number follows from the content, such as a checksum, and the file has another \
              one. Readers that compare them reject the file.",
        source: "The definition of the format: `follows`.",
        example: "sum: does not follow from the content of the file",
    }
}

/// Checks the references and the numbers that follow from the content, in a file without damage.
pub(crate) fn check(root: &dyn Value, findings: &mut Findings) {
    for contradiction in contradictions(root) {
        findings.add(
            &CONTRADICTION,
            || contradiction.path.clone(),
            || "does not follow from the content of the file".into(),
        );
    }
    let _ = References::of_value(root).each(&mut |reference| {
        if let Target::Missing(value) = &reference.target {
            let message = || format!("there is no {} {value}", reference.entity);
            findings.add(&REFERENCE, || reference.path.clone(), message);
        }
        Continue::<()>(())
    });
}
