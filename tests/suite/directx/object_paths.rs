//! The paths of values by their objects, and appended objects.

use std::ops::ControlFlow::Continue;

use bindpose::codec::Format;
use bindpose::formats::directx::{BinaryData, TokenBody};
use bindpose::schema::{self, FieldPath, Value};
use bindpose::wire::Blob;
use bindpose::{ErrorKind, File, FileKind};

use super::{BINARY, PACKED_BINARY, PACKED_TEXT, decoded, file, with_head};
use crate::folders;

/// The paths of all leaves, and of those in packed content.
fn leaves(value: &dyn Value) -> Vec<FieldPath> {
    let mut found = Vec::new();
    let _ = schema::leaves(value, &mut |place, leaf| {
        let mut inner = place.path.clone();
        inner.push(schema::Step::Inside);
        found.extend(leaf.inside().into_iter().flat_map(leaves).map(|path| inner.join(&path)));
        found.push(place.path.clone());
        Continue(())
    });
    found
}

#[test]
fn the_path_of_a_value_by_its_object_leads_to_its_token() {
    for folder in ["corpus", "damaged", "crashes"] {
        for sample in folders::samples(folder).filter(|sample| sample.kind == FileKind::X) {
            let value = sample.file.value();
            let mut paths = leaves(value);
            // Ascending paths are fast; the order must not matter otherwise.
            let twice: Vec<_> = paths.iter().rev().step_by(7).cloned().collect();
            paths.extend(twice);
            sample.file.with_object_paths(|object_paths| {
                for path in &paths {
                    let text = object_paths.text(path).map(|text| text.concat());
                    let object = object_paths.path(path);
                    assert_eq!(object.as_ref().map(FieldPath::to_string), text, "{}: {path}", sample.name);
                    let Some(object) = object else { continue };
                    let found = schema::locate(value, &object);
                    let found = found.unwrap_or_else(|error| panic!("{}: {path}: {error}", sample.name));
                    assert_eq!(found.len(), 1, "{}: {object}", sample.name);
                    assert_eq!(found[0].path, *path, "{}: {object}", sample.name);
                }
            });
        }
    }
}

#[test]
fn every_value_has_a_path_by_its_object() {
    for name in ["skinned.x", "skinned_bin.x", "skinned_tzip.x", "skinned_bzip.x"] {
        let sample = folders::sample(&format!("corpus/directx/{name}"));
        let all: Vec<_> = ["Frame", "Mesh", "AnimationSet"]
            .iter()
            .filter_map(|template| sample.file.get_text(&format!("{template}[*]")).ok())
            .flatten()
            .collect();
        assert!(!all.is_empty(), "{name}");
        sample.file.with_object_paths(|object_paths| {
            for (path, _) in &all {
                assert!(object_paths.path(path).is_some(), "{name}: {path}");
            }
        });
    }
}

#[test]
fn values_around_an_invalid_one_have_paths_in_any_order() {
    let file = file(&with_head("AnimationKey { 4; 2; 0;4;1.0,0.0,0.0,0.0;;, 1;2;\"a\";; }\n"));
    let leaves = leaves(file.value());
    let paths = |leaves: &mut dyn Iterator<Item = &FieldPath>| {
        file.with_object_paths(|paths| {
            leaves.map(|leaf| paths.text(leaf).map(|text| text.concat())).collect()
        })
    };
    let ascending: Vec<Option<String>> = paths(&mut leaves.iter());
    let twice: Vec<_> = paths(&mut leaves.iter().flat_map(|leaf| [leaf, leaf]));
    let mut descending: Vec<_> = paths(&mut leaves.iter().rev());
    descending.reverse();
    assert_eq!(twice, ascending.iter().flat_map(|path| [path.clone(), path.clone()]).collect::<Vec<_>>());
    assert_eq!(descending, ascending);
    let there: Vec<_> = ascending.into_iter().flatten().collect();
    assert_eq!(there.last().map(String::as_str), Some("AnimationKey[0].keys[1].tfkeys.nValues"));
}

const TEXT: &str = "Frame Root {\n\tFrame Arm {\n\t}\n}\nFrame Flat { }\n";

fn appended(text: &str, path: &str, object: &str) -> String {
    let mut file = file(&with_head(text));
    let added = file.append_objects(path, object).unwrap_or_else(|error| panic!("{path}: {error}"));
    let File::X(x) = &file else { unreachable!() };
    assert_eq!(x.objects().unwrap().problems(), []);
    assert!(added.iter().all(|place| !place.path.steps().is_empty()));
    String::from_utf8(file.encode().unwrap()).unwrap().split_off(with_head("").len())
}

#[test]
fn an_object_is_appended_to_another_on_lines_of_its_own() {
    let object = "Mesh m {\n  0;;\n  0;;\n}";
    assert_eq!(
        appended(TEXT, "Frame[Root].Frame[Arm]", object),
        "Frame Root {\n\tFrame Arm {\n\t\tMesh m {\n\t\t  0;;\n\t\t  0;;\n\t\t}\n\t}\n}\nFrame Flat { }\n"
    );
    assert_eq!(appended("Frame Flat { }", "Frame[Flat]", "Frame A { }"), "Frame Flat {  Frame A { } }");
    assert_eq!(appended("Frame A {\r\n}\r\n", "", "Frame B {\n}"), "Frame A {\r\n}\r\nFrame B {\r\n}\r\n");
}

#[test]
fn an_object_is_appended_in_every_encoding() {
    let object = "Material m { 1.0; 0.5; 0.0; 1.0;; 3.5; 0.0; 0.0; 0.0;; 0.0; 0.0; 0.0;; }";
    for encoding in [BINARY, PACKED_TEXT, PACKED_BINARY] {
        let mut file = File::X(decoded(&with_head(TEXT)).convert(encoding).unwrap().into());
        let added = file.append_objects("Frame[Root]", object).unwrap();
        assert_eq!(added[0].path.to_string(), "Frame[\"Root\"].Material[\"m\"]");
        let bytes = file.encode().unwrap();
        let again = bindpose::decode(&bytes).unwrap();
        assert_eq!(again.get("Frame[Root].Material[m].power").unwrap().as_f64(), Some(3.5), "{encoding:?}");
        assert_eq!(again.get("Frame[Root].Material[m].faceColor.green").unwrap().as_f64(), Some(0.5));
        assert!(
            again.check(&bytes, 9).findings.iter().all(|finding| !finding.rule.code.starts_with("x/struct"))
        );
    }
}

#[test]
fn text_that_is_not_an_object_is_refused() {
    for (path, object) in [
        ("Frame[Root]", "7;"),
        ("Frame[Root]", "Frame A {"),
        ("Frame[Root]", "Frame A { } }"),
        ("Frame[Root]", ""),
        ("Frame[Root]", "template T { }"),
        ("Frame[Flat]", "Frame A { } // end"),
        ("Frame[*]", "Frame A { }"),
    ] {
        let mut file = file(&with_head(TEXT));
        let error = file.append_objects(path, object).expect_err(object);
        assert!(matches!(error.kind(), ErrorKind::Value(_)), "{path} {object}: {error}");
        assert_eq!(file.encode().unwrap(), with_head(TEXT).into_bytes());
    }
    let error = file(&with_head(TEXT)).append_objects("Frame[Rot]", "Frame A { }").unwrap_err();
    assert!(error.message().contains("similar: `Root`"), "{error}");
    assert!(FileKind::Ms3d.blank().append_objects("joints", "Frame A { }").is_err());
}

#[test]
fn an_object_is_not_appended_to_data_that_extends_to_the_end_of_the_file() {
    let mut bytes = decoded(&with_head(TEXT)).convert(BINARY).unwrap().encode().unwrap();
    bytes.extend(TokenBody::BinaryData(BinaryData { data: Blob(vec![7; 9]) }).tag().to_le_bytes());
    bytes.extend([7; 9]);
    let mut file = bindpose::decode(&bytes).unwrap();
    let error = file.append_objects("", "Frame A { }").unwrap_err();
    assert!(error.message().contains("around them"), "{error}");
    assert_eq!(file.encode().unwrap(), bytes);
    assert!(file.append_objects("Frame[Root]", "Frame A { }").is_ok());
}
