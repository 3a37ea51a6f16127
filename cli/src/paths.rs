//! Paths of fields in results.

use crate::prelude::*;
use bindpose::schema::Step;

/// A path, and that by the names of objects if it differs.
#[derive(Serialize)]
pub(super) struct NamedPath {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
}

impl NamedPath {
    pub fn new(path: &FieldPath, object: Option<&FieldPath>) -> Self {
        Self { path: path.to_string(), object: object.map(ToString::to_string) }
    }

    pub fn is(&self, path: &FieldPath) -> bool {
        self.path == path.to_string()
    }

    /// The path for people.
    pub fn shown(&self, common: Common) -> &str {
        self.object.as_ref().filter(|_| !common.raw_paths).unwrap_or(&self.path)
    }
}

/// The index of the element that a path ends with.
pub(super) fn last_index(path: &FieldPath) -> Option<usize> {
    match path.steps().last() {
        Some(Step::Index(index)) => Some(*index),
        _ => None,
    }
}

/// A path with `[*]` for every index.
pub(super) fn without_indices(path: &FieldPath) -> FieldPath {
    let kind = |step: &Step| {
        if matches!(step, Step::Index(_)) { Step::Every } else { step.clone() }
    };
    path.steps().iter().map(kind).collect::<Vec<_>>().into()
}
