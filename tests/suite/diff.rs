//! What differs between two files.

use std::ops::ControlFlow::Continue;

use bindpose::codec::Format;
use bindpose::formats::ms3d::{Joint, Ms3d};
use bindpose::schema::{Change, Difference, diff};
use bindpose::wire::FixedStr;
use bindpose::{File, FileKind};
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

fn told(a: &File, b: &File) -> Vec<String> {
    let told = |difference: Difference| match difference.change {
        Change::Value { a, b } => format!("{}: {a} -> {b}", difference.path),
        Change::Removed => format!("-{}", difference.path),
        Change::Added => format!("+{}", difference.path),
        Change::Moved(from, to) => format!("{}: [{from}] to [{to}]", difference.path),
    };
    differences(a, b).into_iter().map(told).collect()
}

fn skeleton(names: &[&str]) -> File {
    let joint = |name: &&str| Joint {
        name: FixedStr::new(name.as_bytes()).expect("a short name"),
        ..bindpose::schema::Schema::blank(None)
    };
    let joints: Vec<Joint> = names.iter().map(joint).collect();
    File::Ms3d(Box::new(Ms3d { joints: joints.into(), ..Ms3d::blank_file() }))
}

#[test]
fn bones_are_aligned_by_name() {
    let (a, b) = (skeleton(&["root", "hip", "leg"]), skeleton(&["root", "leg", "toe"]));
    assert_eq!(told(&a, &b), ["-joints[1]", "+joints[2]"]);
}

#[test]
fn a_rename_is_one_difference() {
    let (a, b) = (skeleton(&["root", "hip", "leg"]), skeleton(&["root", "pelvis", "leg"]));
    assert_eq!(told(&a, &b), ["joints[1].name: hip -> pelvis"]);
}

#[test]
fn another_order_is_told() {
    let (a, b) = (skeleton(&["root", "hip", "leg"]), skeleton(&["root", "leg", "hip"]));
    assert_eq!(told(&a, &b), ["joints[2]: [2] to [1]"]);
}

#[test]
fn a_vertex_more_at_the_front_is_one_difference() {
    let file = |heights: &[f32]| {
        let mut file = FileKind::Ms3d.blank();
        for (index, height) in heights.iter().enumerate() {
            file.append("vertices").expect("a list");
            file.set(&format!("vertices[{index}].position.y"), &height.to_string()).expect("a float");
        }
        file
    };
    assert_eq!(told(&file(&[1.0, 2.0, 3.0]), &file(&[0.5, 1.0, 2.0, 3.0])), ["+vertices[0]"]);
    assert_eq!(told(&file(&[1.0, 2.0]), &file(&[1.0, 2.5])), ["vertices[1].position[1]: 2.0 -> 2.5"]);
}

#[test]
fn bytes_behind_the_end_of_a_text_are_a_difference() {
    let (a, mut b) = (skeleton(&["root"]), skeleton(&["root"]));
    let File::Ms3d(file) = &mut b else { unreachable!() };
    file.joints[0].name.0[31] = 0xcd;
    let found = told(&a, &b);
    assert!(matches!(&found[..], [one] if one.starts_with("joints[0].name: hex:726f6f74")), "{found:?}");
}

#[test]
fn files_that_differ_have_a_difference_and_files_that_do_not_have_none() {
    for_every_format(64, &(entropy(), entropy()), |kind, (first, second)| {
        let (a, b) = (kind.generate(&first), kind.generate(&second));
        let (Ok(bytes), Ok(others)) = (a.encode(), b.encode()) else { return Ok(()) };
        prop_assert!(told(&a, &a).is_empty());
        prop_assert_eq!(told(&a, &b).is_empty(), bytes == others);
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
        // What follows from a changed tag or count can be told in many ways.
        prop_assert!(!told(&a, &b).is_empty(), "byte {}", at);
        Ok(())
    });
}
