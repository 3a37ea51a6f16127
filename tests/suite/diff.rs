//! Differences between two files.

use std::ops::ControlFlow::Continue;

use bindpose::codec::Format;
use bindpose::diff::{Align, Change, Difference, diff, diff_all};
use bindpose::formats::ms3d::{Joint, Ms3d};
use bindpose::wire::FixedStr;
use bindpose::{File, FileKind};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::folders::{entropy, for_every_format};

fn differences(a: &File, b: &File) -> Vec<Difference> {
    let (bytes_a, bytes_b) = (a.encode().expect("encodes"), b.encode().expect("encodes"));
    let mut found = Vec::new();
    let _ = diff((a.value(), &bytes_a), (b.value(), &bytes_b), &mut |difference| {
        found.push(difference.clone());
        Continue(())
    });
    found
}

fn described(a: &File, b: &File) -> Vec<String> {
    let described = |difference: Difference| match difference.change {
        Change::Value { a, b } => format!("{}: {a} -> {b}", difference.path),
        Change::Removed => format!("-{}", difference.path),
        Change::Added => format!("+{}", difference.path),
        Change::Moved(from, to) => format!("{}: [{from}] to [{to}]", difference.path),
    };
    differences(a, b).into_iter().map(described).collect()
}

fn joint(name: &str) -> Joint {
    Joint {
        name: FixedStr::new(name.as_bytes()).expect("a short name"),
        ..bindpose::schema::Schema::blank(None)
    }
}

fn with_joints(joints: &[Joint]) -> File {
    File::Ms3d(Box::new(Ms3d { joints: joints.to_vec().into(), ..Ms3d::blank_file() }))
}

fn skeleton(names: &[&str]) -> File {
    with_joints(&names.iter().map(|name| joint(name)).collect::<Vec<_>>())
}

/// The paths of joints that are added, removed or moved, and of their changed names.
fn aligned(align: Align, a: &[&str], b: &[&str]) -> Vec<String> {
    let (a, b) = (skeleton(a), skeleton(b));
    let (bytes_a, bytes_b) = (a.encode().expect("encodes"), b.encode().expect("encodes"));
    let mut found = Vec::new();
    let _ = diff_all((a.value(), &bytes_a), (b.value(), &bytes_b), align, &mut |difference| {
        found.push(difference.path.to_string());
        Continue(())
    });
    found.retain(|path| path.starts_with("joints["));
    found
}

/// Equal names do not pair elements with different indices.
#[test]
fn elements_with_an_index_are_compared_and_the_rest_is_removed_or_added() {
    let by_index = |a: &[&str], b: &[&str]| aligned(Align::Indices, a, b);
    assert_eq!(by_index(&["hip", "leg"], &["leg", "hip"]), ["joints[0].name", "joints[1].name"]);
    assert_eq!(by_index(&["hip", "leg", "toe"], &["hip", "toe"]), ["joints[1].name", "joints[2]"]);
    assert_eq!(by_index(&["hip", "toe"], &["hip", "leg", "toe"]), ["joints[1].name", "joints[2]"]);
    assert_eq!(aligned(Align::Content, &["hip", "leg", "toe"], &["hip", "toe"]), ["joints[1]"]);
}

/// Joints with few different names, each at another place.
fn joints() -> impl Strategy<Value = Vec<Joint>> {
    vec(prop::sample::select(vec!["", "tip", "hip", "leg", "toe"]), 1..12).prop_map(|names| {
        let places = (1_u8..).map(f32::from);
        names
            .into_iter()
            .zip(places)
            .map(|(name, x)| Joint { position: [x, 0.0, 0.0], ..joint(name) })
            .collect()
    })
}

fn changed(joints: &[Joint], change: impl FnOnce(&mut Vec<Joint>)) -> Vec<String> {
    let mut others = joints.to_vec();
    change(&mut others);
    described(&with_joints(joints), &with_joints(&others))
}

proptest! {
    #![proptest_config(crate::folders::config(256))]

    #[test]
    fn one_change_of_a_list_is_one_difference_regardless_of_other_names(
        joints in joints(), at in any::<prop::sample::Index>(), name in "tip|leg|new",
    ) {
        let at = at.index(joints.len());
        let renamed = changed(&joints, |joints| joints[at].name = joint(&name).name);
        let expected = format!("joints[{at}].name: {} -> {name}", joints[at].name);
        prop_assert_eq!(renamed, if joints[at].name == joint(&name).name { vec![] } else { vec![expected] });
        let inserted = changed(&joints, |joints| joints.insert(at, joint(&name)));
        prop_assert_eq!(inserted, [format!("+joints[{at}]")]);
        let removed = changed(&joints, |joints| drop(joints.remove(at)));
        prop_assert_eq!(removed, [format!("-joints[{at}]")]);
    }

    #[test]
    fn swapped_elements_are_reported_as_moved(
        joints in joints(), a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>(),
    ) {
        let (a, b) = (a.index(joints.len()), b.index(joints.len()));
        prop_assume!(joints[a].name != joints[b].name);
        let swapped = changed(&joints, |joints| joints.swap(a, b));
        prop_assert!((1..=2).contains(&swapped.len()), "{:?}", swapped);
        for described in swapped {
            let ends = [format!("joints[{a}]: [{a}] to [{b}]"), format!("joints[{b}]: [{b}] to [{a}]")];
            prop_assert!(ends.contains(&described) || a.abs_diff(b) <= 2, "{}", described);
        }
    }

    #[test]
    fn the_differences_of_two_lists_are_complete(a in joints(), b in joints()) {
        let count = |described: &[String], sign| described.iter().filter(|line| line.starts_with(sign)).count();
        let described = changed(&a, |joints| joints.clone_from(&b));
        prop_assert_eq!(a.len() - count(&described, '-') + count(&described, '+'), b.len(), "{:?}", described);
    }
}

#[test]
fn each_of_many_renames_is_one_difference_even_with_few_names() {
    let of_ten: Vec<String> = (0..700).map(|index| format!("b{}", index * index % 10)).collect();
    let mut names: Vec<&str> = of_ten.iter().map(String::as_str).collect();
    let before = skeleton(&names);
    names.iter_mut().step_by(7).for_each(|name| *name = "new");
    assert_eq!(described(&before, &skeleton(&names)).len(), 100);
}

#[test]
fn a_rename_among_other_changes_is_one_difference_even_if_others_have_the_name() {
    let a = ["tip", "hip", "tip", "leg", "tip", "toe"];
    let b = ["new", "hip", "tip", "leg", "tip", "end"];
    let (a, b) = (skeleton(&a), skeleton(&b));
    assert_eq!(described(&a, &b), ["joints[0].name: tip -> new", "joints[5].name: toe -> end"]);
}

#[test]
fn bones_are_aligned_by_name() {
    let (a, b) = (skeleton(&["root", "hip", "leg"]), skeleton(&["root", "leg", "toe"]));
    assert_eq!(described(&a, &b), ["-joints[1]", "+joints[2]"]);
}

#[test]
fn a_rename_is_one_difference() {
    let (a, b) = (skeleton(&["root", "hip", "leg"]), skeleton(&["root", "pelvis", "leg"]));
    assert_eq!(described(&a, &b), ["joints[1].name: hip -> pelvis"]);
}

#[test]
fn another_order_is_reported() {
    let (a, b) = (skeleton(&["root", "hip", "leg"]), skeleton(&["root", "leg", "hip"]));
    assert_eq!(described(&a, &b), ["joints[1]: [1] to [2]"]);
}

#[test]
fn an_inserted_first_vertex_is_one_difference() {
    let file = |heights: &[f32]| {
        let mut file = FileKind::Ms3d.blank();
        for (index, height) in heights.iter().enumerate() {
            file.append("vertices").expect("a list");
            file.set_text(&format!("vertices[{index}].position.y"), &height.to_string()).expect("a float");
        }
        file
    };
    assert_eq!(described(&file(&[1.0, 2.0, 3.0]), &file(&[0.5, 1.0, 2.0, 3.0])), ["+vertices[0]"]);
    assert_eq!(described(&file(&[1.0, 2.0]), &file(&[1.0, 2.5])), ["vertices[1].position[1]: 2.0 -> 2.5"]);
}

#[test]
fn bytes_after_the_end_of_a_text_are_a_difference() {
    let (a, mut b) = (skeleton(&["root"]), skeleton(&["root"]));
    let File::Ms3d(file) = &mut b else { unreachable!() };
    file.joints[0].name.0[31] = 0xcd;
    let found = described(&a, &b);
    assert!(matches!(&found[..], [one] if one.starts_with("joints[0].name: hex:726f6f74")), "{found:?}");
}

#[test]
fn exactly_the_files_that_differ_have_differences() {
    for_every_format(64, &(entropy(), entropy()), |kind, (first, second)| {
        let (a, b) = (kind.generate(&first), kind.generate(&second));
        let (Ok(bytes), Ok(others)) = (a.encode(), b.encode()) else { return Ok(()) };
        prop_assert!(described(&a, &a).is_empty());
        prop_assert_eq!(described(&a, &b).is_empty(), bytes == others);
        Ok(())
    });
}

#[test]
fn a_changed_leaf_is_the_difference() {
    for_every_format(64, &(entropy(), any::<u32>()), |kind, (entropy, at)| {
        let a = kind.generate(&entropy);
        let Ok(bytes) = a.encode() else { return Ok(()) };
        let mut other = bytes.clone();
        let Some(at) = (at as usize).checked_rem(other.len()) else { return Ok(()) };
        other[at] ^= 1;
        let Ok(b) = kind.decode(&other, &a.options()) else { return Ok(()) };
        // The consequences of a changed tag or count can be reported in several ways.
        prop_assert!(!described(&a, &b).is_empty(), "byte {}", at);
        Ok(())
    });
}
