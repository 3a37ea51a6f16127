//! Checks meshes and animations in separate files.

use super::super::Objects;
use super::super::rules::{SET_NEAR, SET_REFERENCE};
use super::Context;
use crate::File;
use crate::check::Findings;
use crate::check::common::quoted;
use crate::check::names::Names;

/// Checks files against each other; each finding is added to the file it concerns.
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
    let mut context = Context::empty(findings);
    for object in own.all() {
        for reference in object.references().filter(|reference| !reference.name.is_empty()) {
            if names.has(reference.name) {
                continue;
            }
            let name = quoted(reference.name);
            match names.near(reference.name) {
                Some(near) => {
                    let message = || format!("no object is named {name}; similar: {}", quoted(near));
                    context.add(&SET_NEAR, object, &[], message);
                }
                None => {
                    context.add(&SET_REFERENCE, object, &[], || {
                        format!("no object of any file is named {name}")
                    });
                }
            }
        }
    }
}
