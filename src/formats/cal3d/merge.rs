//! Merges meshes.

use super::{Cal3d, Document};
use crate::codec::Format;
use crate::edit::unsupported;
use crate::wire::TokenText;
use crate::{File, Result};

const SUBMESH: &[u8] = b"SUBMESH";

/// Appends the submeshes of a mesh; bones are referred to by index.
pub(in crate::formats) fn merge(file: &mut File, other: &File) -> Result<bool> {
    let (file, other) = match (file, other) {
        (File::Cal3dMesh(file), File::Cal3dMesh(other)) => (file, other),
        (File::Cal3dAnimation(_), File::Cal3dAnimation(_)) | (File::Cal3dMorph(_), File::Cal3dMorph(_)) => {
            return Err(unsupported("a Cal3D animation has one clip; keep the files separate"));
        }
        (File::Cal3dSkeleton(_), File::Cal3dSkeleton(_)) => {
            return Err(unsupported("other files refer to the bones of a Cal3D skeleton by index"));
        }
        (File::Cal3dMaterial(_), File::Cal3dMaterial(_)) => {
            return Err(unsupported("a Cal3D file has one material"));
        }
        _ => return Ok(false),
    };
    let versions = [file.view()?.version, other.view()?.version];
    if file.dialect() != other.dialect() || versions[0] != versions[1] {
        return Err(unsupported("the meshes have different dialects or versions"));
    }
    if crate::codec::damage(&**other).is_some() {
        return Err(unsupported("the mesh has bytes after its last submesh"));
    }
    match (&mut **file, &**other) {
        (Cal3d::Binary { file, .. }, Cal3d::Binary { file: other, .. }) => {
            file.submeshes.extend(other.submeshes.iter().cloned());
        }
        (Cal3d::Xml(file), Cal3d::Xml(other)) => append(file, other)?,
        _ => return Err(unsupported("the meshes have different dialects or versions")),
    }
    Ok(true)
}

/// Copies the elements of the submeshes to the end of the main element.
fn append(file: &mut Document, other: &Document) -> Result<()> {
    let damaged = || unsupported("the file has no main element");
    let (root, added) = (file.root().ok_or_else(damaged)?, other.root().ok_or_else(damaged)?);
    let submeshes: Vec<_> =
        added.children_named(SUBMESH).filter_map(|own| Some(own.offset()..own.close()?.end)).collect();
    let end = root.close().ok_or_else(damaged)?.start;
    let count = root.children_named(SUBMESH).count() + submeshes.len();
    let words = root.attributes().find(|(name, _)| name.eq_ignore_ascii_case(b"NUMSUBMESH"));
    let word = words.and_then(|(_, words)| Some(words.first()?.token.range())).unwrap_or(end..end);
    let (old, new) = (file.tokens.text(), other.tokens.text());
    let mut text = old[..word.start].to_vec();
    if word.start < end {
        text.extend_from_slice(count.to_string().as_bytes());
    }
    text.extend_from_slice(&old[word.end..end]);
    for submesh in submeshes {
        text.extend_from_slice(&new[submesh]);
        text.push(b'\n');
    }
    text.extend_from_slice(&old[end..]);
    file.tokens = TokenText::new(text);
    Ok(())
}
