//! Rules of a mesh and animations that are kept apart from it.

use super::super::Objects;
use super::super::rules::{SET_NEAR, SET_REFERENCE};
use super::Context;
use crate::File;
use crate::check::Findings;
use crate::check::common::quoted;
use crate::check::names::Names;

/// Checks what files say of each other; each finding goes to the file that it is in.
pub(in crate::formats) fn check_set(files: &[&File], findings: &mut [Findings]) {
    let objects: Vec<_> =
        files.iter().map(|file| if let File::X(file) = file { file.objects().ok() } else { None }).collect();
    if objects.iter().flatten().count() < 2 {
        return;
    }
    let names = objects.iter().flatten().flat_map(|objects| objects.all().map(|object| object.name()));
    let names = Names::new(names.filter(|name| !name.is_empty()));
    for (own, findings) in objects.iter().zip(findings) {
        if let Some(own) = own {
            references(own, &names, findings);
        }
    }
}

fn references(own: &Objects<'_>, names: &Names<'_>, findings: &mut Findings) {
    let mut context = Context::of_nothing(findings);
    for object in own.all() {
        for reference in object.references().filter(|reference| !reference.name.is_empty()) {
            if names.has(reference.name) {
                continue;
            }
            let name = quoted(reference.name);
            match names.near(reference.name) {
                Some(near) => {
                    let message = || format!("{name} is called {} in the files", quoted(near));
                    context.add(&SET_NEAR, object, &[], message);
                }
                None => {
                    context.add(&SET_REFERENCE, object, &[], || format!("{name} is in none of the files"));
                }
            }
        }
    }
}
