//! Rules of the trees by which the engine finds triangles.

use super::super::rules::TREE;
use super::super::{Tree, TreeNode};
use crate::FieldPath;
use crate::check::Findings;
use crate::check::common::{field_path, index};

/// No child, no stretch of triangles.
const NONE: i64 = -1;

pub(super) fn check(tree: &Tree, corners: i64, base: &FieldPath, findings: &mut Findings) {
    for (place, corner) in tree.indices.iter().map(|index| index.value()).enumerate() {
        if corner < 0 || corner >= corners || corner % 3 != 0 {
            let path = || base.join(&field_path!["indices", place]);
            findings.add(&TREE, path, || format!("is {corner}, which begins no triangle of {}", corners / 3));
        }
    }
    for (place, node) in tree.nodes.iter().enumerate() {
        check_node(node, (place, tree), base, findings);
    }
}

fn check_node(node: &TreeNode, (place, tree): (usize, &Tree), base: &FieldPath, findings: &mut Findings) {
    let path = |field: &'static str| move || base.join(&field_path!["nodes", place, field]);
    for (field, child) in [("left", node.left.value()), ("right", node.right.value())] {
        if child == NONE {
            continue;
        }
        index(findings, &TREE, child, ("node", tree.nodes.len()), path(field));
        // A child in front of its parent could be above it.
        if usize::try_from(child).is_ok_and(|child| child <= place) {
            findings.add(&TREE, path(field), || format!("node {child} is not behind its parent"));
        }
    }
    let (begin, end) = (node.begin.value(), node.end.value());
    let most = i64::try_from(tree.indices.len()).unwrap_or(i64::MAX);
    if (begin, end) != (NONE, NONE) && !(0 <= begin && begin <= end && end <= most) {
        findings.add(&TREE, path("begin"), || format!("{begin} to {end} is no stretch of {most} indices"));
    }
}
