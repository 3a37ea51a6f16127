//! Names that fit a format.

use std::collections::{HashMap, HashSet};

use super::super::{Loss, Lost, Mesh, Placeholder, Primitive, SafeName, SafeNames};
use super::Author;
use crate::wire::{escape, unescape};

/// The names that a format stores.
#[derive(Clone, Copy, Debug)]
pub struct NameRules {
    /// What is named: `bone`.
    pub what: &'static str,
    /// The maximum length in bytes.
    pub most: usize,
    /// Whether names must be unique and not empty.
    pub unique: bool,
    /// Whether names that differ in case only, or in blanks at the end, are equal.
    pub ignore_case: bool,
    /// Whether a byte can occur in a name.
    pub allows: fn(u8) -> bool,
}

/// Returns the bytes of a name in a scene. It is the inverse of [`name`](crate::scene::name): names that were not UTF-8
/// in a file have their bytes again.
///
/// ```
/// use bindpose::scene::{name, author::name_bytes};
/// for bytes in [&b"hip"[..], b"h\xfcfte", b"a\\b"] {
///     assert_eq!(name_bytes(&name(bytes)), bytes);
/// }
/// ```
#[must_use]
pub fn name_bytes(name: &str) -> Vec<u8> {
    let raw = unescape(name).ok().filter(|raw| str::from_utf8(raw).is_err() && escape(raw) == name);
    raw.unwrap_or_else(|| name.as_bytes().to_vec())
}

/// Returns whether a group of a mesh is written under a name, if groups without one have that of the mesh.
pub(crate) fn names_group(mesh: &Mesh, group: &Primitive, name: &str) -> bool {
    let written = if group.name.is_empty() { &mesh.name } else { &group.name };
    written == name
}

impl Author<'_> {
    /// Returns the name of the file of a clip or a material of a format that names it by its file, and reports one that has another
    /// name for readers: they leave out the name of the model, and the files of a directory have different names where case is ignored.
    pub(crate) fn part_file(&mut self, kind: Placeholder, part: &str, taken: &mut SafeNames) -> String {
        let name = self.part_name(kind, part);
        let (file, model) = (taken.add(&name, ""), SafeName::whole(self.name()));
        let own = file.as_str().strip_prefix(model.as_str()).and_then(|own| own.strip_prefix('_'));
        self.named_as_file(kind, part, own.filter(|own| !own.is_empty()).unwrap_or(file.as_str()));
        name
    }

    /// Reports a clip or a material for which readers find the name of its file, if that is another one.
    pub(crate) fn named_as_file(&mut self, kind: Placeholder, part: &str, found: &str) {
        let lost = match kind {
            Placeholder::Material => Lost::MaterialNamedAsFile,
            _ => Lost::ClipNamedAsFile,
        };
        if part != found {
            self.report_loss(lost.of(kind.name(), part).with(format_args!("{found:?}")));
        }
    }

    /// Reports the names of meshes and their groups under which no group is written. That of the file is none, and a group with the
    /// name of its material is known by that.
    pub(crate) fn report_mesh_names(&mut self, is_written: impl Fn(&Mesh, &Primitive, &str) -> bool) {
        let meshes = self.meshes().iter();
        let unwritten = |mesh: &&Mesh| !mesh.primitives.iter().any(|own| is_written(mesh, own, &mesh.name));
        let names = meshes.clone().filter(unwritten).map(|mesh| &*mesh.name);
        let lost_meshes = self.lost_names("mesh", names);
        let groups = meshes.flat_map(|mesh| mesh.primitives.iter().map(move |own| (mesh, own)));
        let material = |own: &Primitive| own.material.and_then(|index| self.scene().materials.get(index));
        let is_material = |own: &Primitive| material(own).is_some_and(|material| material.name == own.name);
        let groups = groups.filter(|(mesh, own)| {
            own.name != mesh.name && !is_material(own) && !is_written(mesh, own, &own.name)
        });
        let lost_groups = self.lost_names("group", groups.map(|(_, own)| &*own.name));
        lost_meshes.into_iter().chain(lost_groups).for_each(|loss| self.report_loss(loss));
    }

    /// Returns the loss of the names of objects of a kind.
    fn lost_names<'n>(&self, kind: &'static str, names: impl Iterator<Item = &'n str>) -> Option<Loss> {
        let names = names.filter(|name| !name.is_empty() && *name != self.name());
        let losses = names.map(|name| Loss { count: 1, ..Lost::MeshNames.of(kind, name) });
        losses.reduce(|mut all, own| {
            all.merge(own);
            all
        })
    }

    /// Returns the names as a format stores them, and reports each name that changes. Objects without a name get one.
    pub fn fit_names<'n>(
        &mut self,
        rules: NameRules,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Vec<Vec<u8>> {
        let mut taken = Taken::default();
        let mut fit = |name: &str| {
            let bytes = name_bytes(name);
            let mut fitting =
                cut(bytes.iter().copied().filter(|byte| (rules.allows)(*byte)).collect(), rules.most);
            if rules.ignore_case {
                fitting.truncate(fitting.trim_ascii_end().len());
            }
            if rules.unique {
                fitting = unique(fitting, rules, &mut taken);
            }
            // A name that was made up replaces nothing.
            if fitting != bytes && !bytes.is_empty() {
                let detail = format!("{:?}: the format {}", super::super::name(&fitting), reason(rules));
                self.report_loss(Lost::Renamed.of(rules.what, name).with(detail));
            }
            fitting
        };
        names.into_iter().map(&mut fit).collect()
    }
}

fn reason(rules: NameRules) -> String {
    let unique = if rules.unique { "needs unique names of 1" } else { "stores names of up" };
    format!("{unique} to {} bytes", rules.most)
}

/// Returns the first bytes, without half of a character.
fn cut(mut bytes: Vec<u8>, most: usize) -> Vec<u8> {
    if bytes.len() > most {
        let is_boundary = |text: &str, at: &usize| text.is_char_boundary(*at);
        let whole =
            str::from_utf8(&bytes).ok().and_then(|text| (0..=most).rev().find(|at| is_boundary(text, at)));
        bytes.truncate(whole.unwrap_or(most));
    }
    bytes
}

/// The names so far, and the last number that was added to each name.
#[derive(Default)]
struct Taken {
    names: HashSet<Vec<u8>>,
    numbers: HashMap<Vec<u8>, usize>,
}

/// Returns a name that is not taken: the name, or the name with a number.
fn unique(name: Vec<u8>, rules: NameRules, taken: &mut Taken) -> Vec<u8> {
    let key = |name: &[u8]| {
        if rules.ignore_case { name.trim_ascii_end().to_ascii_lowercase() } else { name.to_vec() }
    };
    if !name.is_empty() && taken.names.insert(key(&name)) {
        return name;
    }
    let stem = if name.is_empty() { rules.what.as_bytes().to_vec() } else { name };
    let number = taken.numbers.entry(stem.clone()).or_default();
    loop {
        *number += 1;
        let suffix = format!(".{number:03}");
        let mut name = cut(stem.clone(), rules.most.saturating_sub(suffix.len()));
        name.extend_from_slice(suffix.as_bytes());
        if taken.names.insert(key(&name)) {
            return name;
        }
    }
}
