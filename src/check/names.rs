//! Names that refer from one file to another.

use std::collections::{HashMap, HashSet};

use super::common::quoted;
use super::{Findings, Rule};
use crate::FieldPath;

/// The names in a file that other files refer to.
#[derive(Debug)]
pub struct Names<'a> {
    exact: HashSet<&'a [u8]>,
    by_core: HashMap<Vec<u8>, &'a [u8]>,
}

impl<'a> Names<'a> {
    /// Collects names.
    pub fn new(names: impl Iterator<Item = &'a [u8]>) -> Self {
        let (mut exact, mut by_core) = (HashSet::new(), HashMap::new());
        for name in names {
            exact.insert(name);
            by_core.entry(core(name)).or_insert(name);
        }
        // A name that consists of separators has no near matches.
        by_core.remove(&b""[..]);
        Self { exact, by_core }
    }

    /// Whether a name is there exactly.
    pub fn has(&self, name: &[u8]) -> bool {
        self.exact.contains(name)
    }

    /// The name that was probably meant.
    pub fn near(&self, name: &[u8]) -> Option<&'a [u8]> {
        self.by_core.get(&core(name)).copied()
    }
}

/// A name without the differences that exporters make: case, blanks and underscores, a namespace prefix, the number of a
/// copy.
fn core(name: &[u8]) -> Vec<u8> {
    let name = name.rsplit(|byte| b":|".contains(byte)).next().unwrap_or(name);
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let copy = digits == 3 && name.len() > 4 && name[name.len() - 4] == b'.';
    let name = if copy { &name[..name.len() - 4] } else { name };
    name.iter().filter(|byte| !b" _-.".contains(byte)).map(u8::to_ascii_lowercase).collect()
}

/// Why a similar name matters, in every format.
pub(crate) const NEAR_WHY: &str = "Exporters change case, blanks, underscores, namespaces and the numbers of copies. Readers \
    that compare names exactly find no match.";

/// The source of that.
pub(crate) const NEAR_SOURCE: &str = "Reports to the importers of every one of these formats.";

/// The rules for names that refer to another file.
pub(crate) struct MeetingRules {
    /// The other file has a similar name.
    pub near: &'static Rule,
    /// The other file has no similar name.
    pub missing: &'static Rule,
}

/// Checks that names exist in another file.
pub(crate) fn meet<'a>(
    findings: &mut Findings,
    rules: &MeetingRules,
    names: impl Iterator<Item = &'a [u8]>,
    others: &Names<'_>,
    (place, whose): (impl Fn(usize) -> FieldPath, &str),
) {
    for (at, name) in names.enumerate().filter(|(_, name)| !others.has(name)) {
        match others.near(name) {
            Some(near) => {
                let message = || format!("{} is called {} in {whose}", quoted(name), quoted(near));
                findings.add(rules.near, || place(at), message);
            }
            None => {
                findings.add(rules.missing, || place(at), || format!("{} is not in {whose}", quoted(name)));
            }
        }
    }
}
