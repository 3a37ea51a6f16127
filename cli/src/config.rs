//! `bindpose.toml`: the settings of a project.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::num::NonZero;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::Deserialize;

use super::files::{PATTERNS, absolute};
use super::read::side_text;
use crate::prelude::*;

const NAME: &str = "bindpose.toml";

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Config {
    check: CheckConfig,
    roundtrip: RoundtripConfig,
    files: Vec<FilesConfig>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FilesConfig {
    /// As in `.gitignore`.
    path: Globs,
    #[serde(default)]
    check: CheckConfig,
    #[serde(default)]
    roundtrip: RoundtripConfig,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Globs {
    One(String),
    Any(Vec<String>),
}

/// The settings of `check`, as on the command line.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(super) struct CheckConfig {
    pub only: Vec<String>,
    pub ignore: Vec<String>,
    /// Rule or family, and its severity.
    pub severity: BTreeMap<String, String>,
    pub max_findings: Option<NonZero<usize>>,
    pub allow_damaged: Option<bool>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(super) struct RoundtripConfig {
    pub allow_damaged: Option<bool>,
}

pub(super) struct Section {
    /// The configuration file, for messages.
    pub origin: String,
    pub scope: Scope,
    pub check: CheckConfig,
    pub roundtrip: RoundtripConfig,
}

#[derive(Clone)]
pub(super) enum Scope {
    All,
    /// Those below a directory that match globs.
    Matching(PathBuf, Gitignore),
}

impl Scope {
    fn new(directory: &Path, globs: Globs) -> Result<Self> {
        let globs = match globs {
            Globs::One(glob) => vec![glob],
            Globs::Any(globs) => globs,
        };
        let mut builder = GitignoreBuilder::new(directory);
        for glob in globs {
            builder.add_line(None, &glob).map_err(|error| Failure::usage(error.to_string()))?;
        }
        let matcher = builder.build().map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Self::Matching(directory.to_owned(), matcher))
    }

    pub fn contains(&self, path: &Path) -> bool {
        match self {
            Self::All => true,
            Self::Matching(directory, matcher) => {
                let path = absolute(path);
                let inner = path.strip_prefix(directory);
                inner.is_ok_and(|inner| matcher.matched_path_or_any_parents(inner, false).is_ignore())
            }
        }
    }
}

/// Reads the given file, or the nearest one in this directory and its parents: the general settings, then those for files
/// that match globs.
///
/// Globs refer to the directory of the file that is found, or to the working directory if a file is given.
pub(super) fn read(named: Option<&Path>) -> Result<Vec<Section>> {
    let found = || nearest().map(|path| (absolute(&path).parent().map(Path::to_owned), path));
    let named = named.map(|path| (Some(absolute(Path::new("."))), path.to_owned()));
    let Some((directory, path)) = named.or_else(found) else { return Ok(Vec::new()) };
    parse(&side_text(&path, PATTERNS)?, &shown(&path), &directory.unwrap_or_default()).in_file(&path)
}

/// Reads the text of a file with globs that refer to a directory.
pub(super) fn parse(text: &str, origin: &str, directory: &Path) -> Result<Vec<Section>> {
    let config: Config = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(0, |span| text[..span.start].matches('\n').count() + 1);
        Failure::usage(format!("line {line}: {}", error.message()))
    })?;
    let Config { check, roundtrip, files } = config;
    let section = |scope, check, roundtrip| Section { origin: origin.to_owned(), scope, check, roundtrip };
    let mut sections = vec![section(Scope::All, check, roundtrip)];
    for FilesConfig { path: globs, check, roundtrip } in files {
        sections.push(section(Scope::new(directory, globs)?, check, roundtrip));
    }
    Ok(sections)
}

fn nearest() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    here.ancestors().map(|directory| directory.join(NAME)).find(|path| match fs::metadata(path) {
        Ok(data) => data.is_file(),
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    })
}
