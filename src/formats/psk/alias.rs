//! Resolves paths that begin with the kind of records: `bones["Bip01"].position` for `chunks[5].records["Bip01"].position`.

use super::{Chunk, Psa, Psk, Records};
use crate::Result;
use crate::schema::{FieldPath, Location, Step, Value, locate};

pub(super) fn mesh(file: &Psk, path: &FieldPath) -> Option<Result<Vec<Location>>> {
    resolve(file, &file.chunks, path)
}

pub(super) fn animations(file: &Psa, path: &FieldPath) -> Option<Result<Vec<Location>>> {
    resolve(file, &file.chunks, path)
}

/// Returns what the path leads to in the first chunk with such records; one with records is preferred to an empty one.
fn resolve(file: &dyn Value, chunks: &[Chunk], path: &FieldPath) -> Option<Result<Vec<Location>>> {
    let [Step::Field(name), further @ ..] = path.steps() else { return None };
    let matching = || chunks.iter().enumerate().filter(|(_, chunk)| alias(&chunk.records) == Some(name));
    let (index, _) = matching().find(|(_, chunk)| !chunk.records.is_empty()).or_else(|| matching().next())?;
    let steps = [Step::from("chunks"), Step::Index(index), Step::from("records")];
    Some(locate(file, &steps.into_iter().chain(further.iter().cloned()).collect::<Vec<_>>().into()))
}

/// Returns the name by which paths reach the records; different layouts of the same content share a name.
fn alias(records: &Records) -> Option<&'static str> {
    Some(match records {
        Records::Raw(_) => return None,
        Records::PackedWedges(_) => "wedges",
        Records::Faces32(_) => "faces",
        Records::ShortMaterials(_) => "materials",
        Records::SparseSequences(_) | Records::SparseSequences68(_) => "sequences",
        other => other.choice()?.name,
    })
}
