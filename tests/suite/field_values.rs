//! Values of leaves by their type: reading and setting them.

use std::ops::ControlFlow::Continue;

use bindpose::schema::{EditError, FieldValue, Role, Value, leaves, set_text, unpacked};
use bindpose::{ErrorKind, FieldPath, File, FileKind};

use crate::folders::{Sample, sample, samples};

fn open(name: &str) -> File {
    sample(&format!("corpus/{name}")).file
}

/// The paths of all free leaves of a value and of what is packed in it.
fn free_leaves(value: &dyn Value) -> Vec<FieldPath> {
    let mut paths = Vec::new();
    let mut packed = Vec::new();
    let _ = leaves(value, &mut |place, leaf| {
        if place.role == Role::Free {
            paths.push(place.path.clone());
        }
        if leaf.inside().is_some() {
            packed.push(place.path.clone());
        }
        Continue(())
    });
    for path in packed {
        let mut inside = path.clone();
        unpacked(value, &path, &mut |at, content| {
            inside = at.clone();
            paths.extend(free_leaves(content).iter().map(|path| inside.join(path)));
        })
        .expect("packed content");
    }
    paths
}

/// Every leaf of a short list, and some from all over a long one.
fn some(paths: Vec<FieldPath>) -> impl Iterator<Item = FieldPath> {
    let step = (paths.len() / 60).max(1);
    paths.into_iter().step_by(step)
}

#[test]
fn a_leaf_set_to_its_own_value_changes_nothing() {
    let (mut leaves, mut inside) = (0, 0);
    for Sample { name, file, bytes, .. } in samples("corpus") {
        let mut edited = file.clone();
        for path in some(free_leaves(file.value())) {
            let path = path.to_string();
            let value = file.get(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
            edited.set(&path, value).unwrap_or_else(|error| panic!("{name}: {error}"));
            leaves += 1;
            inside += usize::from(path.contains('!'));
        }
        assert!(edited.encode().as_deref() == Ok(&*bytes), "{name} changes");
    }
    assert!(leaves > 1000 && inside > 30, "{leaves} leaves, {inside} of packed content");
}

#[test]
fn any_bits_of_a_float_can_be_set_and_read() {
    let mut copies = 0;
    for Sample { name, file, .. } in samples("corpus") {
        for path in some(free_leaves(file.value())).take(10) {
            let path = path.to_string();
            let value = file.get(&path).expect("a leaf");
            let FieldValue::F32(number) = value else { continue };
            let mut edited = file.clone();
            let other = f32::from_bits(number.to_bits() ^ 0x7f80_0001);
            edited.set(&path, other).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(edited.get(&path), Ok(other.into()), "{name}: {path}");
            edited.set(&path, value).expect("the old value");
            assert_eq!(edited.encode(), file.encode(), "{name}: {path}");
            copies += 1;
        }
    }
    assert!(copies > 100, "{copies} values");
}

#[test]
fn values_have_the_type_of_their_field() {
    let values = |name: &str, paths: &[&str]| {
        let file = open(name);
        paths.iter().map(|path| file.get(path).expect(path)).collect::<Vec<_>>()
    };
    assert_eq!(
        values("ms3d/full.ms3d", &["joints[0].name", "animation.fps", "version", "vertices[0].flags.hidden"]),
        ["root".into(), 24.0_f32.into(), 4.into(), 0.into()]
    );
    let packed = values("unigine/ms14.mesh", &["geometry[1].data", "geometry[1]!targets[0].vertices[1].x"]);
    assert!(matches!(packed[..], [FieldValue::Bytes(_), FieldValue::F32(1.0)]));
}

#[test]
fn numbers_are_converted_and_other_types_refused() {
    let mut file = FileKind::Ms3d.blank();
    file.append("joints").expect("a joint");
    for (value, stored) in [
        (FieldValue::from(24), 24.0_f32),
        (FieldValue::from(0.1_f64), 0.1),
        (FieldValue::from(f64::INFINITY), f32::INFINITY),
        (FieldValue::from(f32::from_bits(0x7f80_0001)), f32::from_bits(0x7f80_0001)),
        (FieldValue::from([0, 0, 128, 63].as_slice()), 1.0),
    ] {
        file.set("animation.fps", value).expect("a number");
        assert_eq!(file.get("animation.fps"), Ok(stored.into()));
    }
    let refused = |file: &mut File, path: &str, value: FieldValue| file.set(path, value).expect_err(path);
    for (path, value, why) in [
        ("animation.fps", "30".into(), "expected f32, got text"),
        ("animation.fps", 1e300.into(), "1e300 is beyond the range of a float of 32 bits"),
        ("animation.total_frames", 1.0_f32.into(), "expected i32, got a float"),
        (
            "animation.total_frames",
            i64::MAX.into(),
            "9223372036854775807 is out of range: -2147483648 to 2147483647",
        ),
        ("joints[0].name", 7.into(), "expected text, got an integer"),
        ("joints[0].flags.selected", 2.into(), "2 is out of range: 0 to 1"),
    ] {
        let error = refused(&mut file, path, value);
        assert!(matches!(error.kind(), ErrorKind::Value(_)), "{path}: {error}");
        assert_eq!(error.message(), why, "{path}");
    }
}

#[test]
fn one_value_is_read_by_its_type() {
    let file = open("ms3d/full.ms3d");
    let fps: f32 = file.get("animation.fps").expect("a float").try_into().expect("a float");
    assert_eq!(fps.to_bits(), 24.0_f32.to_bits());
    let name: String = file.get("joints[0].name").expect("a text").try_into().expect("a text");
    assert_eq!(name, "root");
    let value = file.get("version").expect("an integer");
    assert_eq!(
        f32::try_from(value.clone()),
        Err(EditError::WrongType { expected: "f32".into(), actual: "an integer" })
    );
    assert_eq!(u8::try_from(value), Ok(4));
    assert_eq!(file.get("joints[*].name").unwrap_err().message(), "expected one value, found 2");
    assert_eq!(file.get_all("joints[*].name").expect("names").len(), 2);
}

#[test]
fn names_of_objects_and_packed_content_have_typed_values() {
    let mut file = open("directx/skinned_tzip.x");
    file.set("Mesh.vertices[1].x", 0.125).expect("a number");
    assert_eq!(file.get("Mesh.vertices[1].x"), Ok(0.125_f64.into()));
}

#[test]
fn a_value_converts_only_to_its_own_type() {
    let text = FieldValue::from("hip");
    assert_eq!((text.as_str(), text.as_bytes(), text.as_f64()), (Some("hip"), Some(&b"hip"[..]), None));
    let bytes = FieldValue::from(&b"\xff"[..]);
    assert_eq!((bytes.as_str(), bytes.as_bytes()), (None, Some(&b"\xff"[..])));
    let number = FieldValue::from(7_u8);
    assert_eq!((number.as_str(), number.as_bytes(), number.as_i64()), (None, None, Some(7)));
    assert_eq!(f64::try_from(FieldValue::from(0.5_f32)), Ok(0.5));
    assert_eq!(f64::try_from(FieldValue::from(0.25_f64)), Ok(0.25));
    assert!(f64::try_from(FieldValue::from(1_u8)).is_err());
}

#[test]
fn a_float_that_is_not_finite_prints_its_bits() {
    let printed = [FieldValue::from(0.5_f32), f32::INFINITY.into(), f64::NAN.into(), 2.0_f64.into()];
    let printed = printed.map(|value| value.to_string());
    assert_eq!(printed, ["0.5", "0x7f800000", "0x7ff8000000000000", "2.0"]);
}

#[test]
fn an_integer_that_stands_for_a_case_has_its_name() {
    let path: FieldPath = "retarget[0].mode".parse().expect("a path");
    let mut file = open("unigine/sn10.skeleton");
    for (name, number) in [("bind", 1), ("proportion", 2), ("pose", 0), ("7", 7)] {
        set_text(file.value_mut(), &path, name).expect("a case");
        assert_eq!(file.get("retarget[0].mode"), Ok(number.into()));
    }
    set_text(file.value_mut(), &path, "cubic").expect_err("not a case");
    let every: FieldPath = "retarget[*].mode".parse().expect("a path");
    set_text(file.value_mut(), &every, "bind").expect("a case");
    assert_eq!(file.get("retarget[1].mode"), Ok(1.into()));

    let mut cases = Vec::new();
    let _ = leaves(file.value(), &mut |place, _| {
        cases.extend(place.field.and_then(|field| field.identity?.case(1)));
        Continue(())
    });
    assert_eq!(cases, ["bind", "bind"]);
    let ksy = FileKind::UnigineSkeleton.ksy();
    assert!(
        ksy.contains("enum: retarget_mode") && ksy.contains("  retarget_mode:\n    0: pose\n    1: bind\n")
    );
}
