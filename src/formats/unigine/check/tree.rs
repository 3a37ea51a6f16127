//! Rules of the trees that the engine uses for intersection tests.

use super::super::rules::TREE;
use super::super::{Tree, TreeNode};
use crate::FieldPath;
use crate::check::Findings;
use crate::check::common::{field_path, index};

/// No child, or no range of indices.
const NONE: i64 = -1;

pub(super) fn check(tree: &Tree, corners: i64, base: &FieldPath, findings: &mut Findings) {
    for (place, corner) in tree.indices.iter().map(|index| index.value()).enumerate() {
        if corner < 0 || corner >= corners || corner % 3 != 0 {
            let path = || base.join(&field_path!["indices", place]);
            findings.add(&TREE, path, || {
                format!("is {corner}, not the first corner of one of {} triangles", corners / 3)
            });
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
        // A child that precedes its parent could be its ancestor.
        if usize::try_from(child).is_ok_and(|child| child <= place) {
            findings.add(&TREE, path(field), || format!("node {child} does not follow its parent"));
        }
    }
    let (begin, end) = (node.begin.value(), node.end.value());
    let len = i64::try_from(tree.indices.len()).unwrap_or(i64::MAX);
    if (begin, end) != (NONE, NONE) && !(0 <= begin && begin <= end && end <= len) {
        findings.add(&TREE, path("begin"), || format!("{begin}..{end} is not a range of {len} indices"));
    }
}
