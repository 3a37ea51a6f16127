//! The clips, meshes and materials that are written.

use std::collections::HashSet;
use std::sync::Mutex;

use globset::Glob;
use regex::Regex;

use crate::batch::locked;
use crate::prelude::*;
use bindpose::scene::{NameEncoding, Scene};
use bindpose::schema::{EditError, Names, unescape, unpadded};

#[derive(Args)]
pub(super) struct Selection {
    /// Write only the clip NAME, or those that a glob such as `walk*` matches; repeat it for several [default: all]
    ///
    /// Formats with one clip hold the first of them.
    #[arg(long, value_name = "NAME", help_heading = "Objects")]
    pub clip: Vec<String>,
    /// Write only the triangles of the mesh or group NAME, with the vertices and materials that they use; as `--clip`
    ///
    /// `info --scene` lists the names. Meshes without a name have that of their file.
    #[arg(long, value_name = "NAME", help_heading = "Objects")]
    pub mesh: Vec<String>,
    /// Write only the material NAME and the triangles that have it; as `--clip`
    #[arg(long, value_name = "NAME", help_heading = "Objects")]
    pub material: Vec<String>,
    /// Treat each NAME of a clip, mesh or material as a regular expression
    #[arg(long, help_heading = "Objects")]
    regex: bool,
    /// The patterns that match an object of one of several inputs.
    #[arg(skip)]
    seen: Mutex<HashSet<(&'static str, String)>>,
}

impl Selection {
    /// Whether any argument is given.
    pub fn is_given(&self) -> bool {
        self.regex || [&self.clip, &self.mesh, &self.material].into_iter().any(|names| !names.is_empty())
    }

    /// Removes the other objects of a scene. Of several files that are written alone, some have no objects of a kind:
    /// [`found_all`](Self::found_all) follows.
    pub fn select(&self, scene: &mut Scene, is_one_of_several: bool) -> Result<()> {
        if self.regex && [&self.clip, &self.mesh, &self.material].into_iter().all(Vec::is_empty) {
            return Err(Failure::usage("--regex is about the names of --clip, --mesh and --material"));
        }
        let find = |kind, patterns: &[String], names: Vec<&str>| {
            let is_empty = patterns.is_empty() || is_one_of_several && names.is_empty();
            if is_one_of_several {
                self.see(kind, patterns, &names)?;
            }
            (!is_empty).then(|| named(kind, patterns, (self.regex, !is_one_of_several), &names)).transpose()
        };
        if let Some(kept) = find("clip", &self.clip, scene.clips.iter().map(|own| &*own.name).collect())? {
            scene.clips.retain(|own| kept.contains(&own.name));
        }
        let groups = scene.meshes.iter().flat_map(|own| &own.primitives).map(|own| &*own.name);
        let meshes = scene.meshes.iter().map(|own| &*own.name).chain(groups.filter(|name| !name.is_empty()));
        if let Some(kept) = find("mesh", &self.mesh, meshes.collect())? {
            scene.keep_meshes(|name| kept.contains(name));
        }
        let materials = scene.materials.iter().map(|own| &*own.name).collect();
        if let Some(kept) = find("material", &self.material, materials)? {
            scene.keep_materials(|name| kept.contains(name));
        }
        Ok(())
    }

    /// Returns the clips that are selected of those with these names.
    pub fn clips(&self, names: &[&str]) -> Result<HashSet<String>> {
        named("clip", &self.clip, (self.regex, false), names)
    }

    /// Remembers the patterns that match a name.
    fn see(&self, kind: &'static str, patterns: &[String], names: &[&str]) -> Result<()> {
        for pattern in patterns {
            if !matching(pattern, self.regex, names)?.is_empty() {
                locked(&self.seen).insert((kind, pattern.clone()));
            }
        }
        Ok(())
    }

    /// Fails if a pattern matched nothing in any of several files.
    pub fn found_all(&self) -> Result<()> {
        let seen = locked(&self.seen);
        let all = [("clip", &self.clip), ("mesh", &self.mesh), ("material", &self.material)];
        let all = all.into_iter().flat_map(|(kind, own)| own.iter().map(move |pattern| (kind, pattern)));
        match all.into_iter().find(|(kind, own)| !seen.contains(&(*kind, (*own).clone()))) {
            Some((kind, own)) => Err(Failure::usage(format!("no file has a {kind} that matches `{own}`"))),
            None => Ok(()),
        }
    }
}

/// Returns the names of objects of a kind that match one of several patterns. Each pattern has to match one if `needs_all`, else one of them.
fn named(
    kind: &'static str,
    patterns: &[String],
    (is_regex, needs_all): (bool, bool),
    names: &[&str],
) -> Result<HashSet<String>> {
    let (mut found, mut missing) = (HashSet::new(), None);
    for pattern in patterns {
        let matching = matching(pattern, is_regex, names)?;
        if matching.is_empty() {
            missing.get_or_insert(pattern);
        }
        found.extend(matching.into_iter().map(str::to_owned));
    }
    match missing {
        Some(pattern) if needs_all || found.is_empty() => {
            let mut known = HashSet::new();
            let names = Names::near(pattern, names.iter().copied().filter(|name| known.insert(*name)));
            let error = EditError::NoObject { kind, name: pattern.clone(), names };
            Err(Failure { cause: Cause::NoObject, ..Failure::usage(error.to_string()) })
        }
        _ => Ok(found),
    }
}

/// Returns the names that match: those that are the same apart from blanks at the end, or else those that match as a glob.
fn matching<'n>(pattern: &str, is_regex: bool, names: &[&'n str]) -> Result<Vec<&'n str>> {
    let failed = |why: String| Failure::usage(why);
    let all = |is_match: &dyn Fn(&str) -> bool| names.iter().copied().filter(|name| is_match(name)).collect();
    if is_regex {
        let regex = Regex::new(pattern).map_err(|error| failed(error.to_string()))?;
        return Ok(all(&|name| regex.is_match(name)));
    }
    let is_same = |name: &str| unpadded(name.as_bytes()) == unpadded(pattern.as_bytes());
    // Names as other verbs print and take them.
    let bytes = unescape(pattern).ok();
    let is_escaped = |name: &str| bytes.as_deref() == Some(name.as_bytes());
    // Names that are not UTF-8, as `info` prints them.
    let encoding = NameEncoding::guess(names.iter().copied());
    let decodes = |name: &str, is_match: &dyn Fn(&str) -> bool| {
        encoding.is_some_and(|encoding| is_match(&encoding.decode(name)))
    };
    let is_decoded = |name: &str| decodes(name, &|own| own == pattern);
    let exact: [Vec<_>; 4] =
        [all(&|name| name == pattern), all(&is_escaped), all(&is_decoded), all(&is_same)];
    if let Some(exact) = exact.into_iter().find(|own| !own.is_empty()) {
        return Ok(exact);
    }
    let glob = Glob::new(pattern).map_err(|error| failed(error.to_string()))?.compile_matcher();
    Ok(all(&|name| glob.is_match(name) || decodes(name, &|own| glob.is_match(own))))
}
