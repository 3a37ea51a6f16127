//! The findings that an edit causes.

use std::collections::HashMap;
use std::hash::Hash;

use crate::check::Finding;
use crate::{FieldPath, File, Result};

/// Returns the findings of a file that it did not have before an edit, in the order of the file.
///
/// Findings are compared by rule and path. Where an edit moves elements of lists, the paths of old findings change; a rule
/// therefore never has more new findings than its number of findings has grown, unless `moves` is false.
///
/// # Errors
/// As [`File::encode`].
pub fn caused(before: &File, after: &File, moves: bool) -> Result<Vec<Finding>> {
    let (old, new) = (found(before)?, found(after)?);
    let known = moves.then(|| counts(old.iter().map(|own| own.rule.code)));
    Ok(added(new, &[&old], known))
}

/// Returns the findings that no version of a file has at the same place, and of a rule at most as many as there are beyond those that
/// are known.
pub(super) fn added<'a>(
    mut new: Vec<Finding>,
    versions: &[&'a [Finding]],
    mut known: Option<HashMap<&'a str, isize>>,
) -> Vec<Finding> {
    let mut places: HashMap<(&str, FieldPath), isize> = HashMap::new();
    for version in versions {
        raise(&mut places, counts(version.iter().map(|own| (own.rule.code, own.path.clone()))));
    }
    new.retain(|own| {
        let path = own.path.clone();
        let Some(left) = places.get_mut(&(own.rule.code, path)).filter(|left| **left > 0) else {
            return true;
        };
        *left -= 1;
        if let Some(count) = known.as_mut().and_then(|known| known.get_mut(own.rule.code)) {
            *count -= 1;
        }
        false
    });
    match known {
        Some(known) => beyond(new, known),
        None => new,
    }
}

/// Returns how often each key is listed.
pub(super) fn counts<K: Eq + Hash>(listed: impl IntoIterator<Item = K>) -> HashMap<K, isize> {
    let mut counts = HashMap::new();
    for key in listed {
        *counts.entry(key).or_default() += 1;
    }
    counts
}

/// Raises numbers to others that are larger.
pub(super) fn raise<K: Eq + Hash>(most: &mut HashMap<K, isize>, counts: HashMap<K, isize>) {
    for (key, count) in counts {
        let most = most.entry(key).or_default();
        *most = count.max(*most);
    }
}

/// Returns the findings of a merged file beyond those of its parts: of each rule the last ones, as many as the merged file
/// has more than its parts together.
///
/// # Errors
/// As [`File::encode`].
pub fn caused_by_merge(parts: &[File], merged: &File) -> Result<Vec<Finding>> {
    let found_in_parts = parts.iter().map(found).collect::<Result<Vec<_>>>()?;
    let known = counts(found_in_parts.iter().flatten().map(|own| own.rule.code));
    Ok(beyond(found(merged)?, known))
}

/// Leaves out the first findings of each rule, as many as are known.
pub(super) fn beyond(mut findings: Vec<Finding>, mut known: HashMap<&str, isize>) -> Vec<Finding> {
    findings.retain(|finding| match known.get_mut(finding.rule.code).filter(|left| **left > 0) {
        Some(left) => {
            *left -= 1;
            false
        }
        None => true,
    });
    findings
}

fn found(file: &File) -> Result<Vec<Finding>> {
    Ok(file.check(&file.encode()?, usize::MAX).findings)
}
