//! Resolves paths that begin with the kind of records: `bones["Bip01"].position` for `chunks[5].records["Bip01"].position`.

use std::ops::ControlFlow::Continue;

use super::{Chunk, Psa, Psk, Records};
use crate::schema::{FieldPath, Location, Node, PathError, Step, Value, locate};
use crate::{Error, ErrorKind, Result};

pub(super) fn mesh(file: &Psk, path: &FieldPath) -> Option<Result<Vec<Location>>> {
    resolve(file, &file.chunks, path)
}

pub(super) fn animations(file: &Psa, path: &FieldPath) -> Option<Result<Vec<Location>>> {
    resolve(file, &file.chunks, path)
}

/// Returns what the path leads to in the first chunk with such records; one with records is preferred to an empty one.
///
/// For any other name, the error lists those that there are.
fn resolve(file: &dyn Value, chunks: &[Chunk], path: &FieldPath) -> Option<Result<Vec<Location>>> {
    let [Step::Field(name), further @ ..] = path.steps() else { return None };
    let Node::Record(record) = file.node() else { return None };
    let mut fields = Vec::new();
    // Finding where a truncated file ends would take as long as reading it.
    let _ = record.all_fields(&mut |field, _| {
        fields.push(field.name);
        Continue(())
    });
    if fields.contains(&&**name) {
        return None;
    }
    let matching = || chunks.iter().enumerate().filter(|(_, chunk)| alias(&chunk.records) == Some(name));
    let found = matching().find(|(_, chunk)| !chunk.records.is_empty()).or_else(|| matching().next());
    let Some((index, _)) = found else {
        let names = chunks.iter().filter_map(|chunk| alias(&chunk.records));
        let why = PathError::no_field(record.type_name(), name, fields.into_iter().chain(names));
        return Some(Err(Error::new(0, ErrorKind::Path(why)).at(path.clone())));
    };
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
