//! The objects of a file as a tree.

use std::collections::HashMap;
use std::ops::ControlFlow::Continue;

use super::{AnimationKey, Mesh, Object, SkinWeights, TextureFilename, X};
use crate::scene::name;
use crate::tree::{Entry, Objects, Visit, number};
use crate::{File, Result};

/// Returns what visits the objects of a file.
pub(in crate::formats) fn objects(file: &File) -> Option<Box<Objects<'_>>> {
    let File::X(file) = file else { return None };
    Some(Box::new(|depth, visit| each(file, depth, visit)))
}

fn each(file: &X, most: usize, visit: &mut Visit<'_>) -> Result<()> {
    let objects = file.objects()?;
    let mut depths: HashMap<u32, usize> = HashMap::new();
    let _ = objects.all().try_for_each(|object| {
        let depth =
            object.parent().and_then(|parent| depths.get(&parent.index())).map_or(0, |depth| depth + 1);
        depths.insert(object.index(), depth);
        if depth < most {
            visit(entry(depth, object))?;
        }
        for reference in object.references().take_while(|_| depth + 1 < most) {
            visit(Entry::new(depth + 1, "Reference".to_owned(), Some(name(reference.name))))?;
        }
        Continue(())
    });
    Ok(())
}

fn entry(depth: usize, object: Object<'_>) -> Entry {
    let own = Some(name(object.name())).filter(|name| !name.is_empty());
    let entry = Entry::new(depth, name(object.template_name()), own).with(contents(object));
    Entry { path: object.short_path(), ..entry }
}

/// What an object of a common template contains.
fn contents(object: Object<'_>) -> Vec<String> {
    if let Some(Ok(mesh)) = object.view::<Mesh>() {
        return vec![number(mesh.vertices.len(), "vertex"), number(mesh.faces.len(), "face")];
    }
    if let Some(Ok(key)) = object.view::<AnimationKey>() {
        return vec![number(key.keys.times.len(), "key")];
    }
    if let Some(Ok(weights)) = object.view::<SkinWeights>() {
        return vec![name(&weights.transform_node_name), number(weights.weights.len(), "weight")];
    }
    if let Some(Ok(texture)) = object.view::<TextureFilename>() {
        return vec![name(&texture.filename)];
    }
    Vec::new()
}
