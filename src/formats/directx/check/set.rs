//! Rules of a mesh and animations that are kept apart from it.

use std::collections::HashMap;

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
    for (at, (own, findings)) in objects.iter().zip(findings).enumerate() {
        let others = objects.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Vec<_> = others.filter_map(|(_, objects)| objects.as_ref()).collect();
        if let (Some(own), false) = (own, others.is_empty()) {
            references(own, &others, findings);
        }
    }
}

fn references(own: &Objects<'_>, others: &[&Objects<'_>], findings: &mut Findings) {
    let names = others.iter().flat_map(|objects| objects.all().map(|object| object.name()));
    let names = Names::new(names.filter(|name| !name.is_empty()));
    let own_names = own.all().map(|object| object.name()).collect();
    let mut context = Context { names: own_names, frames: HashMap::new(), findings };
    for object in own.all() {
        for reference in object.references().filter(|reference| !reference.name.is_empty()) {
            if context.names.contains(reference.name) || names.has(reference.name) {
                continue;
            }
            let name = quoted(reference.name);
            match names.near(reference.name) {
                Some(near) => {
                    let message = || format!("{name} is called {} in another file", quoted(near));
                    context.add(&SET_NEAR, object, &[], message);
                }
                None => {
                    context.add(&SET_REFERENCE, object, &[], || format!("{name} is in none of the files"));
                }
            }
        }
    }
}
