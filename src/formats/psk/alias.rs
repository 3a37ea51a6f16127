//! Resolves paths that begin with the kind of records: `bones["Bip01"].position` for `chunks[5].records["Bip01"].position`.

use std::ops::ControlFlow::Continue;

use super::{Chunk, Psa, Psk, Records};
use crate::formats::aliases::resolve_all;
use crate::schema::{FieldPath, IsAlias, Node, PathError, Step, Value, VisitLocation};
use crate::{Budget, Error, ErrorKind, Result};

pub(super) fn mesh(
    file: &Psk,
    paths: &[FieldPath],
    budget: &Budget,
    visit: &mut VisitLocation<'_>,
) -> Vec<IsAlias> {
    resolve_all(file, paths, budget, |path| canonical(file, &file.chunks, path), visit)
}

pub(super) fn animations(
    file: &Psa,
    paths: &[FieldPath],
    budget: &Budget,
    visit: &mut VisitLocation<'_>,
) -> Vec<IsAlias> {
    resolve_all(file, paths, budget, |path| canonical(file, &file.chunks, path), visit)
}

pub(super) fn short_in_mesh(file: &Psk, list: &[Step]) -> Option<FieldPath> {
    short(file, &file.chunks, list)
}

pub(super) fn short_in_animations(file: &Psa, list: &[Step]) -> Option<FieldPath> {
    short(file, &file.chunks, list)
}

/// Returns the kind of the records at a path, if it leads to them.
fn short(file: &dyn Value, chunks: &[Chunk], list: &[Step]) -> Option<FieldPath> {
    let [Step::Field(field), Step::Index(index), Step::Field(records)] = list else { return None };
    if field != "chunks" || records != "records" {
        return None;
    }
    let name = alias(&chunks.get(*index)?.records)?;
    let is_own = fields(file).contains(&name);
    (!is_own && chunk_of(chunks, name) == Some(*index)).then(|| vec![Step::from(name)].into())
}

/// Returns the first chunk with records of a kind; one with records is preferred to an empty one.
fn chunk_of(chunks: &[Chunk], name: &str) -> Option<usize> {
    let matching = || chunks.iter().enumerate().filter(|(_, chunk)| alias(&chunk.records) == Some(name));
    let found = matching().find(|(_, chunk)| !chunk.records.is_empty()).or_else(|| matching().next());
    found.map(|(index, _)| index)
}

/// Returns the names of the fields of a file.
fn fields(file: &dyn Value) -> Vec<&'static str> {
    let mut fields = Vec::new();
    if let Node::Record(record) = file.node() {
        // Finding where a truncated file ends would take as long as reading it.
        let _ = record.all_fields(&mut |field, _| {
            fields.push(field.name);
            Continue(())
        });
    }
    fields
}

/// Returns the path into the first chunk with such records; one with records is preferred to an empty one.
///
/// For any other name, the error lists those that there are.
fn canonical(file: &dyn Value, chunks: &[Chunk], path: &FieldPath) -> Option<Result<Vec<FieldPath>>> {
    let [Step::Field(name), further @ ..] = path.steps() else { return None };
    let Node::Record(record) = file.node() else { return None };
    let fields = fields(file);
    if fields.contains(&&**name) {
        return None;
    }
    let Some(index) = chunk_of(chunks, name) else {
        let names = chunks.iter().filter_map(|chunk| alias(&chunk.records));
        let why = PathError::no_field(record.type_name(), name, fields.into_iter().chain(names));
        return Some(Err(Error::new(0, ErrorKind::Path(why)).at(path.clone())));
    };
    let steps = [Step::from("chunks"), Step::Index(index), Step::from("records")];
    let steps: Vec<_> = steps.into_iter().chain(further.iter().cloned()).collect();
    Some(Ok(vec![steps.into()]))
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
