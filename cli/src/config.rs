//! `bindpose.toml`: the settings of a project.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::exit::{Exit, Failure};
use super::files::shown;

/// The name of the configuration file.
const NAME: &str = "bindpose.toml";

/// A configuration file.
#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct Config {
    /// The settings of `check`.
    #[serde(default)]
    pub check: CheckConfig,
}

/// The settings of `check`, as on the command line.
#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(super) struct CheckConfig {
    pub only: Vec<String>,
    pub ignore: Vec<String>,
    /// Rule or family, and its severity.
    pub severity: BTreeMap<String, String>,
    pub max_findings: Option<NonZero<usize>>,
}

impl Config {
    /// Reads the given file, or the nearest one in this directory and its parents.
    pub fn read(named: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = named.map(PathBuf::from).or_else(nearest) else { return Ok(Self::default()) };
        let failed = |failure: Failure| failure.of(shown(&path));
        let text = fs::read_to_string(&path).map_err(|error| {
            let why = Failure::from(error);
            failed(Failure::new(Exit::Io, why.message))
        })?;
        toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(0, |span| text[..span.start].matches('\n').count() + 1);
            failed(Failure::new(Exit::Usage, format!("line {line}: {}", error.message())))
        })
    }
}

fn nearest() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    here.ancestors().map(|directory| directory.join(NAME)).find(|path| match fs::metadata(path) {
        Ok(data) => data.is_file(),
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    })
}
