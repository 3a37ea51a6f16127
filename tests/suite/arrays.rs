//! Arrays of the numbers at a path.

use std::collections::BTreeSet;
use std::ops::ControlFlow::Continue;

use bindpose::schema::{ArrayType, FieldValue, Role, Scalar, Step, leaves, locate, unpacked};
use bindpose::{Document, ErrorKind, FieldPath, FileKind};

use crate::folders::{Sample, sample, samples};

fn document(Sample { file, .. }: Sample) -> Document {
    Document::of(file).expect("a sample")
}

fn open(name: &str) -> Document {
    document(sample(&format!("corpus/{name}")))
}

/// The paths of all leaves, also of packed ones, each with every element of the lists on the way.
fn patterns(document: &Document) -> BTreeSet<String> {
    let every = |path: &FieldPath| {
        let steps = path.steps().iter().map(|step| match step {
            Step::Index(_) => Step::Every,
            step => step.clone(),
        });
        FieldPath::from(steps.collect::<Vec<_>>()).to_string()
    };
    let root = document.file().value();
    let mut paths = BTreeSet::new();
    let mut packed = Vec::new();
    let _ = leaves(root, &mut |place, leaf| {
        paths.insert(every(&place.path));
        packed.extend(leaf.inside().is_some().then(|| place.path.clone()));
        Continue(())
    });
    for path in packed {
        unpacked(root, &path, &mut |at, content| {
            let _ = leaves(content, &mut |place, _| {
                paths.insert(every(&at.join(&place.path)));
                Continue(())
            });
        })
        .expect("packed content");
    }
    paths
}

/// Some of the paths, from all over the file.
fn some(paths: BTreeSet<String>) -> impl Iterator<Item = String> {
    let step = (paths.len() / 12).max(1);
    paths.into_iter().step_by(step)
}

fn number(value: &FieldValue) -> Option<f64> {
    match value {
        FieldValue::Text(text) => std::str::from_utf8(text).ok()?.parse().ok(),
        value => value.as_f64(),
    }
}

#[test]
fn arrays_have_the_values_at_their_paths() {
    let (mut views, mut copies) = (0, 0);
    for sample in samples("corpus") {
        let name = sample.name.clone();
        let document = document(sample);
        for path in patterns(&document) {
            let Ok(array) = document.array(&path) else { continue };
            let values = document.file().get_all(&path).expect("the path of a leaf");
            let is_number = matches!(array.fields(), [field] if field.kind.scalar().is_some());
            if is_number {
                let values: Vec<_> =
                    values.iter().filter_map(|(_, value)| number(value)).map(f64::to_bits).collect();
                let numbers: Vec<_> = array.numbers().into_iter().map(f64::to_bits).collect();
                assert_eq!(numbers, values, "{name}: {path}");
            }
            if let Some(range) = array.source() {
                let start = usize::try_from(range.start).expect("a small file");
                assert_eq!(
                    array.bytes(),
                    &document.bytes()[start..][..array.bytes().len()],
                    "{name}: {path}"
                );
                views += 1;
            } else {
                copies += 1;
            }
        }
    }
    assert!(views > 1000 && copies > 500, "{views} views, {copies} copies");
}

#[test]
fn an_array_set_to_itself_changes_nothing() {
    for sample in samples("corpus") {
        let name = sample.name.clone();
        let mut document = document(sample);
        let before = document.bytes().to_vec();
        for path in some(patterns(&document)) {
            let Ok(own) = document.array(&path).map(|array| array.to_vec()) else { continue };
            document.set_array(&path, &own).unwrap_or_else(|error| panic!("{name}: {path}: {error}"));
            assert!(document.bytes() == before, "{name}: {path}");
        }
    }
}

#[test]
fn a_changed_array_changes_only_its_leaves() {
    let mut changed = 0;
    for sample in samples("corpus") {
        let name = sample.name.clone();
        let original = document(sample);
        for path in some(patterns(&original)) {
            let Ok(array) = original.array(&path) else { continue };
            if array.is_empty()
                || !matches!(array.fields(), [field] if matches!(field.kind, ArrayType::Number(_)))
            {
                continue;
            }
            let places = locate(original.file().value(), &path.parse().expect("a path")).expect("the leaves");
            if places.iter().any(|place| place.role != Role::Free) || path.contains('!') {
                continue;
            }
            let new: Vec<u8> = array.to_vec().into_iter().map(|byte| byte ^ 1).collect();
            let mut edited = original.clone();
            if edited.set_array(&path, &new).is_err() {
                continue;
            }
            assert_eq!(edited.array(&path).expect("the array").to_vec(), new, "{name}: {path}");
            let mut expected = original.bytes().to_vec();
            for place in &places {
                let range =
                    usize::try_from(place.range.start).unwrap()..usize::try_from(place.range.end).unwrap();
                expected[range].iter_mut().for_each(|byte| *byte ^= 1);
            }
            assert!(edited.bytes() == expected, "{name}: {path}");
            changed += 1;
        }
    }
    assert!(changed > 200, "{changed} arrays");
}

/// The values of all leaves but those at a path.
fn others(document: &Document, path: &str) -> Vec<(String, String)> {
    let root = document.file().value();
    let places = locate(root, &path.parse().expect("a path")).expect("the leaves");
    let own: BTreeSet<String> = places.iter().map(|place| place.path.to_string()).collect();
    leaves_of(document).into_iter().filter(|(path, _)| !own.contains(path)).collect()
}

#[test]
fn integers_without_a_fixed_size_are_set() {
    let mut changed = 0;
    for sample in samples("corpus") {
        let name = sample.name.clone();
        let original = document(sample);
        for path in patterns(&original) {
            let Ok(array) = original.array(&path) else { continue };
            let is_integer = matches!(array.fields(), [field] if field.kind == ArrayType::Integer);
            if array.is_empty() || !is_integer {
                continue;
            }
            let bytes = array.to_vec();
            let (integers, _) = bytes.as_chunks::<8>();
            let new = integers.iter().flat_map(|own| (i64::from_le_bytes(*own) + 1).to_le_bytes());
            let mut edited = original.clone();
            if edited.set_array(&path, &new.collect::<Vec<_>>()).is_err() {
                continue;
            }
            let expected: Vec<f64> = array.numbers().iter().map(|own| own + 1.0).collect();
            assert_eq!(edited.array(&path).expect("the array").numbers(), expected, "{name}: {path}");
            if !path.contains('!') {
                assert_eq!(others(&edited, &path), others(&original, &path), "{name}: {path}");
            }
            changed += 1;
        }
    }
    assert!(changed > 10, "{changed} arrays");
}

#[test]
fn a_number_in_text_is_set_by_its_value() {
    let original = open("cal3d/walk.xaf");
    let text = |document: &Document| String::from_utf8(document.bytes().to_vec()).expect("text");
    let kind = |path: &str| original.array(path).expect("a number").fields()[0].kind;
    let set = |path: &str, bytes: [u8; 8]| {
        let mut edited = original.clone();
        edited.set_array(path, &bytes).map(|()| text(&edited))
    };
    let at = |word: &str| {
        let own = leaves_of(&original).into_iter().find(|(_, value)| value == word);
        own.map(|(path, _)| path).expect("a word")
    };
    let (float, integer) = (at("-9.03382e-001"), at("1.5"));
    assert_eq!((kind(&float), kind(&integer)), (ArrayType::Float, ArrayType::Float));
    assert_eq!(set(&float, (-0.903_382_f64).to_le_bytes()), Ok(text(&original)));
    assert_eq!(set(&float, 0.25_f64.to_le_bytes()), Ok(text(&original).replacen("-9.03382e-001", "0.25", 1)));
    let zero = at("0");
    assert_eq!(kind(&zero), ArrayType::Integer);
    assert_eq!(set(&zero, 7_i64.to_le_bytes()), Ok(text(&original).replacen("\"0\"", "\"7\"", 1)));
}

/// The paths and values of all leaves.
fn leaves_of(document: &Document) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let _ = leaves(document.file().value(), &mut |place, leaf| {
        found.push((place.path.to_string(), leaf.field_value().to_string()));
        Continue(())
    });
    found
}

#[test]
fn a_list_of_records_has_fields() {
    let mut file = FileKind::Ms3d.blank();
    file.append("triangles").expect("a list");
    let document = Document::of(file).expect("a file");
    let triangles = document.array("triangles").expect("an array");
    assert_eq!((triangles.shape(), triangles.strides(), triangles.item_size()), (&[1][..], &[70][..], 70));
    let fields: Vec<_> =
        triangles.fields().iter().map(|field| (&field.name[..], field.kind, &field.shape[..])).collect();
    assert_eq!(fields[1], ("vertex_indices", ArrayType::Number(Scalar::U16), &[3][..]));
    assert_eq!(fields[2], ("vertex_normals", ArrayType::Number(Scalar::F32), &[3, 3][..]));
    let ends = triangles
        .fields()
        .iter()
        .map(|field| field.offset + field.shape.iter().product::<usize>() * field.kind.size());
    assert_eq!(ends.max(), Some(70));
}

#[test]
fn an_empty_list_has_the_layout_of_its_elements() {
    let document = Document::of(FileKind::Ms3d.blank()).expect("a file");
    let positions = document.array("vertices.position").expect("an array");
    assert_eq!(positions.shape(), [0, 3]);
    assert_eq!(positions.fields()[0].kind, ArrayType::Number(Scalar::F32));
    assert!(positions.is_empty() && positions.bytes().is_empty());
}

#[test]
fn what_is_not_an_array_is_an_error() {
    let model = open("ms3d/rules.ms3d");
    let message = |path: &str| {
        let error = model.array(path).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Path(_)), "{error:?}");
        error.message()
    };
    assert_eq!(message("rest"), "`rest` is not a number or bytes of fixed size");
    let text = "`comments.lists.model[*].text` is not a number or bytes of fixed size";
    assert_eq!(message("comments.lists.model.text"), text);
    assert_eq!(
        message("joints"),
        "`joints[1]` differs in its parts or their sizes from the elements before it"
    );
    assert_eq!(message("vertices.positon"), "`Vertex` has no field `positon`; similar: `position`");
}

#[test]
fn a_count_cannot_be_set() {
    let mut model = open("ms3d/rules.ms3d");
    let count = model.array("num_vertices").expect("a number").to_vec();
    let error = model.set_array("num_vertices", &vec![0; count.len()]).unwrap_err();
    assert_eq!(error.message(), "is the number of elements of `vertices`");
    model.set_array("num_vertices", &count).expect("the same count");
}

#[test]
fn lists_of_the_same_length_are_dimensions() {
    let mut file = FileKind::Ms3d.blank();
    for list in ["joints", "joints", "joints[0].rotation_keys", "joints[1].rotation_keys"] {
        file.append(list).expect("a list");
    }
    for list in ["joints[0].rotation_keys", "joints[1].rotation_keys"] {
        file.append(list).expect("a list");
    }
    file.set("joints[0].rotation_keys[1].time", 0.5_f32).expect("a time");
    file.set("joints[1].rotation_keys[0].time", 2.0_f32).expect("a time");
    let array = |file: &bindpose::File| {
        let document = Document::of(file.clone()).expect("a file");
        let times = document.array("joints.rotation_keys.time").expect("an array");
        (times.shape().to_vec(), times.numbers())
    };
    assert_eq!(array(&file), (vec![2, 2], vec![0.0, 0.5, 2.0, 0.0]));
    file.delete("joints[0].rotation_keys[0]").expect("an element");
    assert_eq!(array(&file), (vec![3], vec![0.5, 2.0, 0.0]));
    file.delete("joints[0].rotation_keys[0]").expect("an element");
    assert_eq!(array(&file), (vec![2], vec![2.0, 0.0]));
}

#[test]
fn an_array_of_another_size_is_refused() {
    let mut refused = 0;
    for sample in samples("corpus") {
        let name = sample.name.clone();
        let mut document = document(sample);
        let before = document.bytes().to_vec();
        for path in some(patterns(&document)) {
            let Ok(mut own) = document.array(&path).map(|array| array.to_vec()) else { continue };
            own.push(0);
            let error = document.set_array(&path, &own).expect_err("one byte more");
            assert!(matches!(error.kind(), ErrorKind::Value(_)), "{name}: {path}: {error}");
            assert!(document.bytes() == before, "{name}: {path}");
            refused += 1;
        }
    }
    assert!(refused > 200, "{refused} arrays");
}

#[test]
fn a_list_has_a_name_of_its_own() {
    let faces = |path: &str| {
        let document = open("psk/set.psk");
        let array = document.array(path).expect("an array");
        (array.shape().to_vec(), array.strides().to_vec(), array.source(), array.numbers())
    };
    assert_eq!(faces("faces"), faces("chunks[\"FACE0000\"].records"));
    assert_eq!(faces("faces.wedge_indices"), faces("chunks[\"FACE0000\"].records.wedge_indices"));
    assert_eq!(faces("faces[*].wedge_indices"), faces("faces.wedge_indices"));
    assert_eq!(faces("faces[0].wedge_indices").0, [3]);
}

const TRIANGLE: &[u8] = b"xof 0302txt 0032
Mesh m { 3; 0;1;0.5;, 2;3;4;, -1;0.25;1e1;; 1; 3;0,1,2;; }
";

fn triangle() -> Document {
    let file = FileKind::X.decode(TRIANGLE, &bindpose::Options::default()).expect("a mesh");
    Document::of(file).expect("a file")
}

#[test]
fn members_of_all_objects_of_an_array_are_one_array() {
    let mesh = triangle();
    let numbers = |path: &str| {
        let array = mesh.array(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        (array.fields()[0].kind, array.shape().to_vec(), array.numbers())
    };
    assert_eq!(numbers("Mesh.vertices.x"), (ArrayType::Integer, vec![3], vec![0.0, 2.0, -1.0]));
    assert_eq!(numbers("Mesh.vertices.y"), (ArrayType::Float, vec![3], vec![1.0, 3.0, 0.25]));
    assert_eq!(numbers("Mesh.vertices.x"), numbers("Mesh[m].vertices[*].x"));
    assert_eq!(numbers("Mesh.vertices[1..].z"), (ArrayType::Float, vec![2], vec![4.0, 10.0]));
    assert_eq!(numbers("Mesh.faces.faceVertexIndices"), (ArrayType::Integer, vec![3], vec![0.0, 1.0, 2.0]));
    let error = mesh.array("Mesh.vertices.w").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Path(_)), "{error:?}");
}

#[test]
fn numbers_in_text_are_set_one_by_one() {
    let set = |path: &str, numbers: &[f64]| {
        let mut mesh = triangle();
        let bytes: Vec<_> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        mesh.set_array(path, &bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
        String::from_utf8(mesh.bytes().to_vec()).expect("text")
    };
    let vertices = |line: &str| {
        let text = std::str::from_utf8(TRIANGLE).expect("text");
        text.replace("0;1;0.5;, 2;3;4;, -1;0.25;1e1;;", line)
    };
    assert_eq!(set("Mesh.vertices.y", &[1.0, 3.0, 0.25]), vertices("0;1;0.5;, 2;3;4;, -1;0.25;1e1;;"));
    assert_eq!(set("Mesh.vertices.y", &[7.0, -8.0, 9.5]), vertices("0;7;0.5;, 2;-8;4;, -1;9.5;1e1;;"));
    assert_eq!(set("Mesh.vertices.z", &[0.5, 4.5, 10.0]), vertices("0;1;0.5;, 2;3;4.5;, -1;0.25;1e1;;"));
}

/// A file with two joints, without keys.
fn joints() -> Document {
    let mut file = FileKind::Ms3d.blank();
    for _ in 0..2 {
        file.append("joints").expect("a list");
    }
    file.set("joints[0].name", "hip").expect("a name");
    file.set("joints[1].position.z", 3.0_f32).expect("a number");
    Document::of(file).expect("a file")
}

/// The offset of a field in an element.
fn offset(document: &Document, path: &str, name: &str) -> usize {
    let array = document.array(path).expect("an array");
    array.fields().iter().find(|field| field.name == name).expect("a field").offset
}

#[test]
fn records_with_counts_are_set_as_a_whole() {
    let original = joints();
    let array = original.array("joints").expect("an array");
    let (size, own) = (array.item_size(), array.to_vec());
    assert_eq!(own.len(), 2 * size);
    let at = offset(&original, "joints", "position");
    let mut new = own.clone();
    new[at + 4..at + 8].copy_from_slice(&5_f32.to_le_bytes());
    new[size + at..size + at + 4].copy_from_slice(&6_f32.to_le_bytes());
    let mut edited = original.clone();
    edited.set_array("joints", &new).expect("free values");
    assert_eq!(edited.array("joints").expect("an array").to_vec(), new);
    assert_eq!(edited.file().get("joints[0].position.y").expect("a number").as_f64(), Some(5.0));
    assert_eq!(edited.file().get("joints[1].position.x").expect("a number").as_f64(), Some(6.0));
}

#[test]
fn a_count_in_an_array_of_records_cannot_be_set() {
    let original = joints();
    let array = original.array("joints").expect("an array");
    let (size, own) = (array.item_size(), array.to_vec());
    for (name, list) in [("num_rotation_keys", "rotation_keys"), ("num_position_keys", "position_keys")] {
        let at = offset(&original, "joints", name);
        for index in 0..2 {
            for byte in 0..2 {
                let mut new = own.clone();
                new[index * size + at + byte] ^= 1;
                let error = original.clone().set_array("joints", &new).unwrap_err();
                assert_eq!(error.path().to_string(), format!("joints[{index}].{name}"));
                assert!(error.message().contains(list), "{error}");
            }
        }
    }
}

#[test]
fn a_component_is_an_element_of_a_short_array_only() {
    let animation = open("psk/wave.psa");
    let numbers = |path: &str| animation.array(path).map(|array| (array.shape().to_vec(), array.numbers()));
    for (name, index) in [("x", 0), ("y", 1), ("z", 2), ("w", 3)] {
        let component = numbers(&format!("keys.orientation.{name}")).expect("a component");
        assert_eq!(component, numbers(&format!("keys.orientation[{index}]")).expect("an element"));
        assert!(component.0[0] > 4, "{component:?}");
    }
    // A list of four records is not an array of components.
    let mesh = open("psk/plane.psk");
    let all = mesh.file().get_all("wedges[*].u").expect("coordinates");
    assert_eq!(all.len(), 4);
    let numbers = mesh.array("wedges.u").expect("a list").numbers();
    assert_eq!(numbers, all.iter().filter_map(|(_, value)| number(value)).collect::<Vec<_>>());
    assert_eq!(mesh.array("points.x").expect("a list").numbers(), [0.0, 1.0, 1.0, 0.0]);
    assert!(mesh.file().get_text("wedges.u").is_err());
}

#[test]
fn an_object_with_one_number_is_an_array_of_one_element() {
    let text = b"xof 0302txt 0032\nAnimTicksPerSecond { 30; }\n";
    let file = FileKind::X.decode(text, &bindpose::Options::default()).expect("an object");
    let document = Document::of(file).expect("a file");
    for path in ["AnimTicksPerSecond", "AnimTicksPerSecond[0]", "AnimTicksPerSecond.AnimTicksPerSecond"] {
        let array = document.array(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!((array.shape(), array.numbers()), (&[1][..], vec![30.0]), "{path}");
    }
}

#[test]
fn an_array_of_empty_lists_has_a_dimension_for_each_list() {
    let joints = joints();
    let times = joints.array("joints.rotation_keys.time").expect("an array");
    assert_eq!((times.shape(), times.is_empty()), (&[2, 0][..], true));
}

#[test]
fn only_elements_at_equal_distances_are_those_of_the_file() {
    let positions = |num_keys: [usize; 3]| {
        let mut file = FileKind::Ms3d.blank();
        for (index, num_keys) in (0_u8..).zip(num_keys) {
            file.append("joints").expect("a list");
            file.set(&format!("joints[{index}].position.y"), 1.0 + f32::from(index)).expect("a number");
            for _ in 0..num_keys {
                file.append(&format!("joints[{index}].rotation_keys")).expect("a list");
            }
        }
        let document = Document::of(file).expect("a file");
        ["joints.position.y", "joints[*].position.y", "joints[0..].position.y"].map(|path| {
            let array = document.array(path).unwrap_or_else(|error| panic!("{path}: {error}"));
            (array.numbers(), array.source().is_some())
        })
    };
    let numbers = vec![1.0, 2.0, 3.0];
    assert_eq!(positions([0, 0, 0]), [true; 3].map(|is_stored| (numbers.clone(), is_stored)));
    assert_eq!(positions([2, 2, 2]), [true; 3].map(|is_stored| (numbers.clone(), is_stored)));
    for uneven in [[1, 0, 0], [0, 1, 0], [1, 2, 0]] {
        assert_eq!(positions(uneven), [false; 3].map(|is_stored| (numbers.clone(), is_stored)), "{uneven:?}");
    }
}

#[test]
fn records_in_an_element_have_an_index() {
    let mut file = FileKind::Ms3d.blank();
    for list in ["joints", "joints[0].rotation_keys", "joints[0].rotation_keys"] {
        file.append(list).expect("a list");
    }
    let document = Document::of(file).expect("a file");
    let array = document.array("joints").expect("an array");
    let names: Vec<_> = array.fields().iter().map(|field| &*field.name).collect();
    for name in ["num_rotation_keys", "rotation_keys[0].time", "rotation_keys[1].value"] {
        assert!(names.contains(&name), "{names:?}");
    }
}
