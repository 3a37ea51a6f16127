//! The findings that an edit causes.

use std::collections::HashMap;

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
    let mut places: HashMap<(&str, &FieldPath), usize> = HashMap::new();
    let mut counts: HashMap<&str, isize> = HashMap::new();
    for finding in &old {
        *places.entry((finding.rule.code, &finding.path)).or_default() += 1;
        *counts.entry(finding.rule.code).or_default() += 1;
    }
    let mut caused = Vec::new();
    for finding in &new {
        let left = places.get_mut(&(finding.rule.code, &finding.path)).filter(|left| **left > 0);
        match left {
            Some(left) => {
                *left -= 1;
                if let Some(count) = counts.get_mut(finding.rule.code) {
                    *count -= 1;
                }
            }
            None => caused.push(finding.clone()),
        }
    }
    Ok(if moves { beyond(caused, counts) } else { caused })
}

/// Returns the findings of a merged file beyond those of its parts: of each rule the last ones, as many as the merged file
/// has more than its parts together.
///
/// # Errors
/// As [`File::encode`].
pub fn caused_by_merge(parts: &[File], merged: &File) -> Result<Vec<Finding>> {
    let mut counts: HashMap<&str, isize> = HashMap::new();
    for part in parts {
        for finding in found(part)? {
            *counts.entry(finding.rule.code).or_default() += 1;
        }
    }
    Ok(beyond(found(merged)?, counts))
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
