//! Conversion to JSON and back gives the same bytes, for every format.

use std::collections::BTreeSet;
use std::path::Path;

use allocation_counter::measure;
use bindpose::codec::Format as _;
use bindpose::formats::directx::{Encoding, FrameTransformMatrix, Mesh, Object, X};
use bindpose::formats::psk::{Psa, Psk};
use bindpose::harness::comes_back_through_json;
use bindpose::scene::{Part, Scene, Settings};
use bindpose::schema::EditError;
use bindpose::{ErrorKind, File, FileKind, Options};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::folders::{self, Sample, entropy, for_every_format};
use crate::json_schema::breach;

/// Asserts that the bytes survive the conversion, if they can be decoded.
fn comes_back(kind: FileKind, bytes: &[u8], options: &Options, what: &dyn std::fmt::Display) {
    let Ok(file) = kind.decode(bytes, options) else { return };
    assert!(file.encode().as_deref() == Ok(bytes), "{what}: is not lossless");
    comes_back_through_json(&file);
}

fn json(file: &File) -> String {
    let mut json = Vec::new();
    file.to_json(&mut json).expect("writing to memory does not fail");
    String::from_utf8(json).expect("JSON is UTF-8")
}

#[test]
fn any_file_survives_json() {
    for_every_format(256, &entropy(), |kind, entropy| {
        let file = kind.generate(&entropy);
        let Ok(bytes) = file.encode() else { return Ok(()) };
        comes_back(kind, &bytes, &file.options(), &kind.name());
        serde_json::from_str::<serde_json::Value>(&json(&file))?;
        Ok(())
    });
}

/// The members of a document are in any order; a file that is truncated says so anywhere but after its content.
#[test]
fn members_of_a_document_have_any_order() {
    for folder in ["corpus", "damaged"] {
        for Sample { name, file, bytes, .. } in folders::small_samples(folder) {
            let text = json(&file);
            let content = [" \"file\": ", " \"objects\": "].into_iter().find_map(|own| text.split_once(own));
            let (head, _) = content.expect("content");
            let content = text[head.len()..].trim_end().trim_end_matches('}').trim();
            let members = head.trim().trim_start_matches('{').trim().trim_end_matches(',');
            let turned = format!("{{{content}, {members}}}");
            let again = File::from_json(&turned).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(again.encode().as_ref() == Ok(&bytes), "{name}");
        }
    }
}

#[test]
fn members_that_contradict_a_document_are_refused() {
    let refused = |members: &str| {
        let text = format!(r#"{{"schema": "bindpose/1", {members}, "file": {{}}}}"#);
        File::from_json(&text).expect_err(members).to_string()
    };
    assert!(refused(r#""format": "ms3d", "dialect": "xml""#).ends_with("ms3d has no dialects"));
    assert!(refused(r#""dialect": "xml", "format": "psk""#).ends_with("psk has no dialects"));
    assert!(refused(r#""format": "ms3d", "format": "psk""#).ends_with("duplicate member `format`"));
}

/// A file with a comment of many bytes on one line.
fn long_line(pattern: &[u8], len: usize, offset: usize) -> (File, Vec<u8>) {
    let comment = pattern.iter().copied().cycle().take(len);
    let bytes: Vec<u8> = b"xof 0302txt 0032\n//"
        .iter()
        .copied()
        .chain(std::iter::repeat_n(b' ', offset))
        .chain(comment)
        .chain(*b"\n")
        .collect();
    (FileKind::X.decode(&bytes, &Options::default()).expect("a text"), bytes)
}

#[test]
fn a_long_line_of_text_is_written_in_pieces() {
    const LEN: usize = 1 << 20;
    let (file, _) = long_line(b" ", LEN, 0);
    let peak = measure(|| file.to_json(&mut std::io::sink()).expect("nothing fails")).bytes_max;
    assert!(peak < LEN as u64 / 2, "{peak}");
}

#[test]
fn no_piece_of_a_line_ends_inside_a_character() {
    // Each byte of the pattern is once at the end of a piece.
    let pattern = "hex:\u{20ac}".as_bytes();
    let pattern = &[pattern, &[0xff]].concat();
    for offset in 0..pattern.len() {
        let (file, bytes) = long_line(pattern, 1 << 18, offset);
        let text = json(&file);
        let count = |part: &str| text.matches(part).count();
        assert_eq!((count("hex:\u{20ac}"), count("\\x")), (1 << 15, 1 << 15), "{offset}");
        comes_back(FileKind::X, &bytes, &Options::default(), &offset);
    }
}

/// After an element on several lines, the next one is printed on several lines first.
#[test]
fn an_element_is_on_one_line_if_it_fits_whatever_precedes_it() {
    let element = |names: [&str; 2]| {
        let mut file = FileKind::UnigineAnim.blank();
        for (index, name) in names.into_iter().enumerate() {
            file.append("bones").expect("bones can be appended");
            file.set(&format!("bones[{index}].name"), name).expect("a name");
        }
        let json = json(&file);
        let name = json.find("\"short").expect("the name");
        let start = json[..name].rfind('{').expect("an object");
        json[start..][..json[start..].find('}').expect("its end")].to_owned()
    };
    let long = "long".repeat(50);
    let is_on_one_line = |len: usize| {
        let short = format!("short{}", "_".repeat(len));
        let layout = element([&short, &long]);
        assert_eq!(element([&long, &short]), layout, "{len} bytes");
        !layout.contains('\n')
    };
    let fit: Vec<_> = (50..110).map(is_on_one_line).collect();
    assert!(fit[0] && fit.is_sorted_by(|a, b| a >= b) && !fit[59], "{fit:?}");
}

#[test]
fn any_bytes_survive_json() {
    for_every_format(256, &entropy(), |kind, bytes| {
        let magic = kind.info().magic;
        comes_back(kind, &[magic, &bytes].concat(), &Options::default(), &kind.name());
        Ok(())
    });
}

#[test]
fn a_damaged_file_survives_json() {
    for_every_format(128, &entropy(), |kind, entropy| {
        let file = kind.generate(&entropy);
        let mut bytes = file.encode().unwrap_or_default();
        let at = entropy.len() * 7 % bytes.len().max(1);
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 0x41;
        }
        bytes.truncate(bytes.len() - at / 3);
        comes_back(kind, &bytes, &file.options(), &kind.name());
        Ok(())
    });
}

#[test]
fn the_samples_survive_json() {
    for folder in ["corpus", "damaged", "crashes"] {
        folder_reencodes_identically(&folders::own(folder));
    }
}

/// Asserts that every file in a folder re-encodes identically through JSON.
fn folder_reencodes_identically(folder: &Path) {
    let mut seen = 0;
    for (path, bytes) in folders::files(folder) {
        let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
        comes_back(kind, &bytes, &options, &path.display());
        seen += 1;
    }
    assert!(seen > 0, "no file in {} has a supported format", folder.display());
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn every_corpus_file_survives_json() {
    folder_reencodes_identically(&folders::corpus());
}

#[test]
#[ignore = "needs BINDPOSE_MALFORMED, a folder of hostile files"]
fn every_hostile_file_survives_json() {
    folder_reencodes_identically(&folders::malformed());
}

/// Returns the JSON of a sample for changing it, with its members in alphabetical order.
fn sample(name: &str) -> (Vec<u8>, serde_json::Value) {
    let Sample { bytes, file, .. } = folders::sample(name);
    (bytes, serde_json::from_str(&json(&file)).expect("JSON"))
}

fn read(json: &serde_json::Value) -> Result<File, bindpose::Error> {
    File::from_json(&json.to_string())
}

fn value(file: &File, path: &str) -> String {
    file.get_text(path).expect(path).swap_remove(0).1
}

/// Returns the valid samples and their JSON, with its members in alphabetical order. The order of the members is that of the parts
/// in formats with a layout.
fn samples() -> impl Iterator<Item = (Vec<u8>, File, serde_json::Value)> {
    folders::samples("corpus").filter(|sample| sample.kind != FileKind::Iqm).map(
        |Sample { bytes, file, .. }| {
            let json = serde_json::from_str(&json(&file)).expect("JSON");
            (bytes, file, json)
        },
    )
}

#[track_caller]
fn stands_for(json: &serde_json::Value, bytes: &[u8]) {
    let again = read(json).unwrap_or_else(|error| panic!("{error}\n{json:.4000}"));
    assert!(again.encode().as_deref() == Ok(bytes), "{json:.4000}");
}

#[test]
fn members_can_be_in_any_order() {
    for (bytes, _, sorted) in samples() {
        stands_for(&sorted, &bytes);
    }
}

#[test]
fn json_can_be_read_byte_by_byte() {
    struct Dripping<'a>(&'a [u8]);
    impl std::io::Read for Dripping<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let len = 1.min(self.0.len()).min(into.len());
            into[..len].copy_from_slice(self.0.split_off(..len).expect("as many"));
            Ok(len)
        }
    }
    for (bytes, file, sorted) in samples() {
        for json in [json(&file), sorted.to_string()] {
            let again = File::read_json(&mut Dripping(json.as_bytes())).expect("a file");
            assert!(again.encode().as_deref() == Ok(&bytes[..]), "{json:.4000}");
        }
    }
}

#[test]
fn a_failing_source_is_not_treated_as_the_end() {
    struct Failing;
    impl std::io::Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the line is dead"))
        }
    }
    let whole = json(&FileKind::Ms3d.blank());
    for len in [0, 9, whole.len() / 2, whole.len()] {
        let mut source = std::io::Read::chain(&whole.as_bytes()[..len], Failing);
        let error = File::read_json(&mut source).expect_err("it failed");
        assert_eq!(
            error.kind(),
            &ErrorKind::Io(std::io::Error::other("the line is dead").into()),
            "after {len} bytes"
        );
    }
}

/// Changes every value below this one.
fn change_all(json: &mut serde_json::Value, change: &dyn Fn(&mut serde_json::Value)) {
    match json {
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| change_all(item, change)),
        serde_json::Value::Object(members) => {
            members.values_mut().for_each(|member| change_all(member, change));
        }
        _ => {}
    }
    change(json);
}

#[test]
fn numbers_can_be_quoted() {
    for (bytes, _, mut json) in samples() {
        change_all(&mut json, &|value| {
            if value.is_number() {
                *value = value.to_string().into();
            }
        });
        stands_for(&json, &bytes);
    }
}

#[test]
fn records_of_numbers_can_be_objects() {
    let mut tables = 0;
    for (bytes, _, mut json) in samples() {
        let before = json.clone();
        change_all(&mut json, &|value| {
            if let (Some(fields), Some(rows)) = (value.get("fields"), value.get("rows")) {
                let names =
                    || fields.as_array().expect("names").iter().map(|name| name.as_str().expect("a name"));
                let record = |row: &serde_json::Value| -> serde_json::Value {
                    let cells = row.as_array().expect("a row").iter().cloned();
                    names().map(String::from).zip(cells).collect()
                };
                *value = rows.as_array().expect("rows").iter().map(record).collect();
            }
        });
        tables += usize::from(before != json);
        stands_for(&json, &bytes);
    }
    assert!(tables > 0, "no tables");
}

#[test]
fn json_matches_its_schema() {
    for (_, file, json) in samples() {
        let schema = file.kind().json_schema(file.dialect());
        let schema = serde_json::from_str(&schema).expect("JSON");
        if let Some(why) = breach(&schema, &json) {
            panic!("{}: {why}", file.kind().name());
        }
    }
}

#[test]
fn counts_follow_their_elements() {
    let (_, mut json) = sample("corpus/ms3d/full.ms3d");
    json["file"]["materials"].as_array_mut().expect("a list").clear();
    let keys = json["file"]["joints"][1]["rotation_keys"]["rows"].as_array_mut().expect("a list");
    keys.push(serde_json::json!([7.5, [0.0, 0.0, 0.0]]));
    let count = keys.len().to_string();
    let file = read(&json).expect("a file");
    assert_eq!(value(&file, "num_materials"), "0");
    assert_eq!(value(&file, "joints[1].num_rotation_keys"), count);
}

#[test]
fn offsets_follow_their_fields() {
    let (bytes, json) = sample("corpus/unigine/ms14.mesh");
    assert!(json["file"]["mesh14"].get("offsets").is_none(), "they follow");
    let longer = {
        let mut json = json.clone();
        json["file"]["mesh14"]["surfaces"][0]["name"] = "a name of another length".into();
        json
    };
    let file = read(&longer).expect("a file");
    let mut by_path = bindpose::decode(&bytes).expect("a valid sample");
    by_path.set_text("surfaces[0].name", "a name of another length").expect("a name");
    assert_eq!(file.encode(), by_path.encode());

    let mut lying = json;
    lying["file"]["mesh14"]["offsets"] = serde_json::json!([1, 2]);
    let file = read(&lying).expect("a file");
    assert_eq!((value(&file, "offsets[0]"), value(&file, "offsets[1]")), ("1".into(), "2".into()));
    assert!(self::json(&file).contains("\"offsets\": [1, 2]"), "a wrong offset is printed");
}

#[test]
fn changed_content_is_packed_again() {
    let (bytes, mut json) = sample("corpus/unigine/ms14.mesh");
    let vertex =
        &mut json["file"]["mesh14"]["geometry"][0]["data"]["content"]["targets"][0]["vertices"]["there"][3];
    vertex[0] = 0.125.into();
    let file = read(&json).expect("a file");
    assert_eq!(value(&file, "geometry[0]!targets[0].vertices[3].x"), "0.125");
    assert_ne!(file.encode().as_deref(), Ok(&bytes[..]));
}

#[test]
fn errors_have_a_line_and_a_path() {
    let (_, json) = sample("corpus/ms3d/full.ms3d");
    let with = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut json = json.clone();
        change(&mut json["file"]);
        read(&json).expect_err("a mistake").to_string()
    };
    let error = with(&|file| file["joints"][1]["name"] = "far too long for a name of only 32 bytes".into());
    assert!(error.ends_with("joints[1].name: line 1: 40 bytes exceed the field of 32 bytes"), "{error}");
    let error = with(&|file| file["vertices"]["rows"][0][0] = 256.into());
    assert!(error.ends_with("vertices[0].flags: line 1: 256 is out of range: 0 to 255"), "{error}");
    let error = with(&|file| file["vertices"]["rows"][0][1] = serde_json::json!([1.0, 2.0]));
    assert!(error.ends_with("vertices[0].position: line 1: has 2 elements, not 3"), "{error}");
    let error = with(&|file| _ = file["vertices"]["rows"][0].as_array_mut().expect("a row").pop());
    assert!(error.ends_with("vertices[0]: line 1: expected 4 values in a row"), "{error}");
    let error = with(&|file| file["vertices"]["rows"][0].as_array_mut().expect("a row").push(1.into()));
    assert!(error.ends_with("vertices[0]: line 1: expected 4 values in a row"), "{error}");
    let error = with(&|file| file["vertices"]["fields"][0] = "flag".into());
    let fields = "expected the fields of Vertex, in this order: flags, position, bone_id, reference_count";
    assert!(error.ends_with(&format!("vertices: line 1: {fields}")), "{error}");
    let error = with(&|file| _ = file["animation"].as_object_mut().expect("an object").remove("fps"));
    assert!(error.ends_with("animation: line 1: `fps` is missing"), "{error}");
    let error = with(&|file| file["animation"]["rate"] = 1.into());
    assert!(error.contains("Animation has no field `rate`"), "{error}");
}

#[test]
fn the_json_schema_of_every_format_is_published() {
    for kind in FileKind::ALL {
        let schema: serde_json::Value = serde_json::from_str(&kind.json_schema(None)).expect("JSON");
        let text = schema.to_string();
        for reference in text.split("#/$defs/").skip(1) {
            let name = reference.split('"').next().unwrap_or_default();
            assert!(schema["$defs"][name].is_object(), "{}: {name}", kind.name());
        }
    }
}

/// Random JSON tokens give more interesting errors than random bytes.
const MARKS: &[u8] = b"{}[]\",:0123456789-.eE\\xhntu \0\xff";

#[test]
fn json_with_errors_is_rejected_or_gives_a_lossless_file() {
    let samples: Vec<Vec<u8>> = FileKind::ALL.iter().map(|kind| json(&kind.blank()).into_bytes()).collect();
    let edits = vec((any::<prop::sample::Index>(), any::<u8>()), 1..4);
    proptest!(|(which in any::<prop::sample::Index>(), edits in edits)| {
        let mut text = which.get(&samples).clone();
        for (at, byte) in edits {
            let at = at.index(text.len());
            text[at] = MARKS[usize::from(byte) % MARKS.len()];
        }
        bindpose::harness::fuzz_json(&text);
    });
}

#[test]
fn any_edit_is_local_or_rejected() {
    let values = prop_oneof![
        "[0-9]{1,3}",
        "-?[0-9]{1,5}\\.[0-9]",
        "[a-z ]{0,40}",
        "hex:([0-9a-f]{2}){0,8}",
        "\\PC{0,8}"
    ];
    let inputs = (any::<prop::sample::Index>(), values, vec(any::<u8>(), 1..2000));
    proptest!(|((leaf, value, entropy) in inputs)| {
        let kind = FileKind::ALL[usize::from(entropy[0]) % FileKind::ALL.len()];
        let file = kind.generate(&entropy[1..]);
        let Ok(bytes) = file.encode() else { return Ok(()) };
        let Ok(file) = kind.decode(&bytes, &file.options()) else { return Ok(()) };
        let mut paths = Vec::from([String::from("[*]")]);
        let _ = file.walk(&mut |place, _| {
            paths.push(place.path.to_string());
            std::ops::ControlFlow::Continue(())
        });
        bindpose::harness::edit_is_local(&file, &paths[leaf.index(paths.len())], &value);
    });
}

fn objects_json(file: &File) -> Result<String, bindpose::Error> {
    let mut json = Vec::new();
    file.to_objects_json(&mut json)?;
    Ok(String::from_utf8(json).expect("JSON is UTF-8"))
}

/// Asserts that the objects of a file survive the conversion; returns whether it has such a form.
fn objects_come_back(file: &File, what: &dyn std::fmt::Display) -> bool {
    let json = match objects_json(file) {
        Ok(json) => json,
        Err(error) => {
            let is_sound =
                file.damage().is_none() && file.check(&file.encode().expect("bytes"), 9).findings.is_empty();
            let is_other = matches!(error.kind(), ErrorKind::Value(EditError::Unsupported(_)));
            let is_foreign =
                error.to_string().contains("which the fields of the binary form do not represent");
            assert!(is_other || is_foreign || !is_sound, "{what}: {error}");
            return false;
        }
    };
    let schema = serde_json::from_str(&file.kind().json_schema(file.dialect())).expect("JSON");
    match serde_json::from_str(&json) {
        Ok(value) => assert_eq!(breach(&schema, &value), None, "{what}"),
        Err(error) => assert!(error.to_string().contains("recursion limit"), "{what}: {error}"),
    }
    let again = File::from_json(&json).unwrap_or_else(|error| panic!("{what}: {error}\n{json:.2000}"));
    assert_eq!(objects_json(&again).expect("the same form"), json, "{what}");
    let scene = |file: &File| {
        let scene = Scene::of(&[Part { name: "file", file: file.as_scene_source() }], &Settings::default());
        format!("{:?} {:?} {:?}", scene.skeleton, scene.meshes, scene.clips)
    };
    assert_eq!(scene(&again), scene(file), "{what}");
    assert_eq!(again.dialect(), file.dialect(), "{what}");
    true
}

#[test]
fn objects_survive_json() {
    let mut seen = BTreeSet::new();
    for sample in folders::small_samples("corpus") {
        if objects_come_back(&sample.file, &sample.name) {
            seen.insert((sample.file.kind().name(), sample.file.dialect()));
        }
    }
    for name in ["cal3d-skeleton", "cal3d-animation", "cal3d-mesh", "cal3d-material", "cal3d-morph"] {
        assert!(seen.contains(&(name, Some("xml"))), "{name}: {seen:?}");
    }
    assert!(seen.contains(&("x", None)), "{seen:?}");
}

#[test]
fn generated_objects_survive_json() {
    for_every_format(128, &entropy(), |kind, entropy| {
        if kind == FileKind::X {
            objects_come_back(&kind.generate(&entropy), &kind.name());
        }
        Ok(())
    });
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn objects_of_corpus_files_survive_json() {
    let mut seen = 0;
    for (path, bytes) in folders::files(&folders::corpus()) {
        let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
        let Ok(file) = kind.decode(&bytes, &options) else { continue };
        seen += usize::from(objects_come_back(&file, &path.display()));
    }
    eprintln!("{seen} files have objects");
}

/// Numbers in any notation are the same in every encoding, and after a conversion to JSON.
#[test]
fn floats_survive_json_and_other_encodings_in_any_notation() {
    let words = ["-0", "0", "-0.0", "+3", "-7", "1e3", "-1E-3", ".5", "-.5", "2.", "16777217", "-1.#IND"];
    for word in words {
        let rest = "0,".repeat(14);
        let text = format!("xof 0303txt 0032\nFrame a {{ FrameTransformMatrix {{ {word},{rest}-0;; }} }}\n");
        let file = X::decode(text.as_bytes()).expect("a file");
        let bits = |file: &X| {
            let objects = file.objects().expect("objects");
            let frame = objects.views::<FrameTransformMatrix>().next().expect("a frame").expect("values");
            frame.matrix.map(f32::to_bits)
        };
        let own = bits(&file);
        assert_eq!(own[15], (-0.0_f32).to_bits());
        for (binary, double) in [(false, false), (true, false), (true, true)] {
            let other = file.convert(Encoding { binary, packed: false, double }).expect("another encoding");
            assert_eq!(bits(&other), own, "{word}");
            let json = objects_json(&File::X(Box::new(other))).expect("objects");
            let Ok(File::X(again)) = File::from_json(&json) else { panic!("{word}: an x file") };
            assert_eq!(bits(&again), own, "{word}: {json}");
        }
    }
}

#[test]
fn objects_can_be_edited_in_json() {
    let text = b"xof 0303txt 0032\nMesh { 1; 0.5; 1.0; 0.0;; 0; }\nFrame F { { Arm } }\n";
    for packed in [false, true] {
        for binary in [false, true] {
            let file = X::decode(text).expect("a file");
            let file = file.convert(Encoding { binary, packed, double: false }).expect("another encoding");
            let json = objects_json(&File::X(Box::new(file))).expect("objects");
            let json = json.replace(
                "\"vertices\": [",
                "\"vertices\": [{\"x\": 1e-3, \"y\": 2, \"z\": \"0x7f800000\"}, ",
            );
            let again = File::from_json(&json.replace("Arm", "Hand"))
                .unwrap_or_else(|error| panic!("{error}\n{json}"));
            let File::X(again) = again else { unreachable!("an x file") };
            let objects = again.objects().expect("objects");
            let mesh = objects.views::<Mesh>().next().expect("a mesh").expect("values");
            assert_eq!(mesh.vertices, [[0.001, 2.0, f32::INFINITY], [0.5, 1.0, 0.0]]);
            let names: Vec<_> = objects.all().flat_map(Object::references).map(|own| own.name).collect();
            assert_eq!(names, [b"Hand"]);
        }
    }
}

#[test]
fn errors_in_objects_name_the_value() {
    let json = |roots: &str| format!(r#"{{"format": "x", "objects": {{"roots": [{roots}]}}}}"#);
    for (roots, why) in [
        (r#"{"template": "Vector", "values": {"x": 1, "y": "high", "z": 0}}"#, "Vector.y: expected a number"),
        (r#"{"template": "Vector", "values": {"w": 1}}"#, "Vector.w: unknown member; expected x, y, z"),
        (r#"{"template": "Vector", "values": {"x": 1}}"#, "Vector.y: the member is missing"),
        (
            r#"{"template": "SkinWeights", "values": {"transformNodeName": "x", "weights": [1, 2], "vertexIndices": [0]}}"#,
            "SkinWeights.nWeights: `weights` has 2 elements, but `vertexIndices` has 1",
        ),
        (
            r#"{"template": "Mine", "values": {"x": 1}}"#,
            "Mine: the template is unknown; its values are a list",
        ),
        (r#"{"children": [], "template": "Frame"}"#, "line 1: `template` is missing, or follows `children`"),
    ] {
        assert_eq!(without_offset(&json(roots)), why);
    }
    let error = without_offset(r#"{"format": "ms3d", "objects": {}}"#);
    assert_eq!(error, "line 1: ms3d files have no objects; expected `file`");
    let error = objects_json(&FileKind::Ms3d.blank()).unwrap_err();
    assert_eq!(error.to_string(), "ms3d files have no other form in JSON");
    let xml = r#"{"format": "cal3d-morph", "dialect": "xml", "objects": {"tracks": [{"speed": 1}]}}"#;
    assert_eq!(File::from_json(xml).unwrap_err().to_string(), "tracks[0].speed: unknown field");
}

/// Returns the error for a document, without its offset, which must be in the document.
fn without_offset(json: &str) -> String {
    let error = File::from_json(json).unwrap_err();
    assert!((1..json.len() as u64).contains(&error.offset()), "{error}");
    let text = error.to_string();
    text.split_once(' ').expect("an offset").1.to_owned()
}

#[test]
fn a_type_of_one_format_reads_only_its_own_json() {
    let sample = folders::sample("corpus/psk/set.psk");
    let mesh = Psk::decode(&sample.bytes).expect("a mesh");
    let mut text = Vec::new();
    mesh.write_json(&mut text).expect("memory takes all");
    assert_eq!(String::from_utf8(text.clone()).expect("UTF-8"), json(&sample.file));
    let again = Psk::read_json(&mut &text[..]).expect("a mesh");
    assert!(again.encode() == Ok(sample.bytes));
    let error = Psa::read_json(&mut &text[..]).expect_err("a mesh is not an animation");
    assert!(matches!(error.kind(), ErrorKind::Syntax(_)), "{error:?}");
    assert!(error.message().contains("psa") && error.message().contains("psk"), "{error}");
}

#[test]
fn a_message_does_not_repeat_a_text_of_a_megabyte() {
    let long = "9".repeat(900_000);
    for text in [
        format!(r#"{{"schema":"bindpose/1","format":"ms3d","file":{{"version":{long}}}}}"#),
        format!(r#"{{"schema":"bindpose/1","format":"ms3d","file":{{"version":"ä{long}"}}}}"#),
        format!(r#"{{"schema":"bindpose/1","format":"{long}","file":{{}}}}"#),
        format!(r#"{{"schema":"bindpose/1","format":"ms3d","file":{{"{long}":1}}}}"#),
    ] {
        let message = bindpose::File::from_json(&text).unwrap_err().to_string();
        assert!(message.len() < 3000, "{} bytes", message.len());
    }
}
