//! The files beside the input that belong to it.

use super::load::{Content, Loaded};
use crate::prelude::*;
use bindpose::depot::{Sidecar, in_order, sidecars};

#[derive(Args)]
pub(super) struct SidecarArgs {
    /// Ignore files beside the input that belong to it: NAME.config beside NAME.psa, and texts about materials
    ///
    /// They are read unless the input contains files of their format.
    #[arg(long, help_heading = "Input options")]
    pub no_sidecars: bool,
}

impl SidecarArgs {
    /// Returns the sidecars of files, each given by its path and format.
    pub fn of<'a>(&self, files: impl Iterator<Item = (&'a Path, FileKind)>) -> Vec<Sidecar> {
        if self.no_sidecars { Vec::new() } else { sidecars(files) }
    }

    /// Adds the sidecars of files, and returns them. Files whose order a text beside them states are put in this order.
    pub fn add(&self, files: &mut Vec<Loaded>, memory: &Memory) -> Result<Vec<Sidecar>> {
        let found = self.of(files.iter().filter_map(supported));
        for own in &found {
            let content = Content::load(&own.path, Some(own.kind.into()), memory)?;
            files.push((own.path.as_path().into(), content));
        }
        if !self.no_sidecars {
            put_in_order(files, supported);
        }
        Ok(found)
    }
}

/// The path and the format of a file; none for glTF.
fn supported((path, content): &Loaded) -> Option<(&Path, FileKind)> {
    match content {
        Content::File(file) => Some((path, file.kind())),
        Content::Gltf(_) => None,
    }
}

/// Puts files in the order that a text beside them states.
pub(super) fn put_in_order<T>(files: &mut Vec<T>, supported: impl Fn(&T) -> Option<(&Path, FileKind)>) {
    let kinds: Option<Vec<_>> = files.iter().map(supported).collect();
    // A set with glTF has no such files.
    let Some(order) = kinds.map(|kinds| in_order(&kinds)) else { return };
    let mut all: Vec<_> = files.drain(..).map(Some).collect();
    files.extend(order.into_iter().filter_map(|place| all[place].take()));
}

/// Prints which sidecars were used, and why.
pub(super) fn report(used: &[Sidecar], common: Common) {
    for Sidecar { path, why, .. } in used.iter().filter(|_| !common.quiet) {
        note!("bindpose: read {} too: {why}; ignore it with --no-sidecars", shown(path));
    }
}
