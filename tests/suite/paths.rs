//! Paths: their grammar, what they select, and what their errors suggest.

use std::collections::BTreeSet;
use std::ops::ControlFlow::Continue;

use bindpose::schema::{self, EditError, FieldPath, PathError, Step, Value};
use bindpose::{Error, ErrorKind, File};

use serde_json::Value as Json;

use crate::folders;

fn sample(name: &str) -> File {
    let bytes = std::fs::read(folders::own("corpus").join(name)).expect("a sample");
    bindpose::decode(&bytes).expect("a valid file")
}

fn values(file: &File, path: &str) -> Vec<String> {
    let found = file.get_text(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    found.into_iter().map(|(path, value)| format!("{path}={value}")).collect()
}

fn error(file: &File, path: &str) -> Error {
    file.get_text(path).expect_err(path)
}

#[test]
fn every_path_is_printed_as_it_is_read() {
    for text in [
        "joints[3].name",
        "joints[-1].rotation_keys[0..3].time",
        "joints[3..].name",
        "joints[*]",
        "joints[\"Bip01 L*\"].name",
        "joints[\"a]b\"#2].name",
        "joints[\"5 \\* \\\\ \\\"\"].name",
        "joints[\"5 \\* *\"].name",
        "geometry[0]!vertices[3].x",
    ] {
        let path: FieldPath = text.parse().expect(text);
        assert_eq!(path.to_string(), text);
        assert_eq!(path.to_string().parse::<FieldPath>().expect(text), path);
    }
}

#[test]
fn malformed_paths_are_errors() {
    for text in ["a[-0]", "a[1..x]", "a[1", "a[\"b", "a..b", "a[\"b\"#0]", "a]"] {
        let error = text.parse::<FieldPath>().expect_err(text);
        assert!(matches!(error.kind(), ErrorKind::Path(PathError::Syntax(_))), "{text}: {error}");
    }
}

/// The paths of all leaves, and of those in packed content.
fn leaves(value: &dyn Value) -> Vec<FieldPath> {
    let mut found = Vec::new();
    let _ = schema::leaves(value, &mut |place, leaf| {
        let mut inner = place.path.clone();
        inner.push(Step::Inside);
        found.extend(leaf.inside().into_iter().flat_map(leaves).map(|path| inner.join(&path)));
        found.push(place.path.clone());
        Continue(())
    });
    found
}

/// The paths of a long file that are tried.
const MOST: usize = 300;

#[test]
fn a_path_by_names_leads_to_the_value_that_it_names() {
    for folder in ["corpus", "damaged", "crashes"] {
        for sample in folders::samples(folder) {
            let (value, name) = (sample.file.value(), &sample.name);
            let mut paths = leaves(value);
            let step = 1 + paths.len() / MOST;
            // Ascending paths are fast; the order must not matter otherwise.
            let mut twice: Vec<_> = paths.iter().rev().step_by(1 + 7 * step).cloned().collect();
            paths = paths.into_iter().step_by(step).collect();
            paths.append(&mut twice);
            let named: Vec<_> = sample.file.with_object_paths(|names| {
                let named = |path: &FieldPath| {
                    let text = names.text(path).map(|text| text.concat());
                    let named = names.path(path);
                    assert_eq!(named.as_ref().map(ToString::to_string), text, "{name}: {path}");
                    named
                };
                paths.iter().map(named).collect()
            });
            for (path, named) in paths.iter().zip(named) {
                let Some(named) = named else { continue };
                let read: FieldPath = named.to_string().parse().expect("a path");
                assert_eq!(read, named, "{name}: {path}");
                let found = schema::locate(value, &read);
                let found = found.unwrap_or_else(|error| panic!("{name}: {path}: {error}"));
                assert_eq!(found.len(), 1, "{name}: {named}");
                assert_eq!(found[0].path, *path, "{name}: {named}");
            }
        }
    }
}

#[test]
fn objects_are_called_by_their_names_in_every_family() {
    for (sample_name, path, named) in [
        ("psk/set.psk", "chunks[5].records[0].name", "bones[\"root\"].name"),
        ("ms3d/full.ms3d", "joints[0].name", "joints[\"root\"].name"),
    ] {
        let file = sample(sample_name);
        let found = file.with_object_paths(|names| names.path(&path.parse().expect("a path")));
        assert_eq!(found.map(|path| path.to_string()).as_deref(), Some(named));
    }
}

#[test]
fn an_escaped_asterisk_is_part_of_the_name() {
    let path: FieldPath = "a[\"5\\*\"]".parse().expect("a path");
    assert_eq!(path.steps()[1], Step::Named("5*".into(), 1));
    assert!(!path.is_pattern());
}

#[test]
fn a_pattern_can_select_several_values() {
    for (text, is_pattern) in [
        ("a[*].b", true),
        ("a[0..3]", true),
        ("a[2..].b", true),
        ("a[\"Bip01*\"]", true),
        ("a[0].b[-1]", false),
        ("a[\"x\"#2]", false),
    ] {
        assert_eq!(text.parse::<FieldPath>().expect(text).is_pattern(), is_pattern, "{text}");
    }
}

#[test]
fn a_path_beyond_a_value_states_what_the_value_lacks() {
    let file = sample("ms3d/full.ms3d");
    let is = |path: &str, expected: fn(&PathError) -> bool| {
        let error = error(&file, path);
        assert!(matches!(error.kind(), ErrorKind::Path(why) if expected(why)), "{path}: {error}");
    };
    is("joints[0].name.x", |why| matches!(why, PathError::NoParts(_)));
    is("joints[0].name!x", |why| matches!(why, PathError::NotPacked));
    is("joints[\"root\"#2].name", |why| matches!(why, PathError::Fewer { nth: 2, .. }));
    is("joints[\"roof\"].name", |why| !matches!(why, PathError::Fewer { .. }));
}

#[test]
fn negative_indices_count_from_the_end() {
    let file = sample("ms3d/full.ms3d");
    assert_eq!(values(&file, "joints[-1].name"), ["joints[1].name=top"]);
    assert_eq!(values(&file, "joints[-2].name"), ["joints[0].name=root"]);
    assert!(matches!(
        error(&file, "joints[-3].name").kind(),
        ErrorKind::Path(PathError::OutOfRange { len: 2, .. })
    ));
}

#[test]
fn ranges_exclude_their_end() {
    let file = sample("ms3d/full.ms3d");
    assert_eq!(values(&file, "joints[0..1].name"), ["joints[0].name=root"]);
    assert_eq!(values(&file, "joints[1..].name"), ["joints[1].name=top"]);
    assert_eq!(values(&file, "joints[0..9].name").len(), 2);
    assert!(file.get_text("joints[2..].name").is_err());
    assert!(file.get_text("joints[1..1].name").is_err());
}

#[test]
fn names_are_matched_by_patterns() {
    let file = sample("ms3d/full.ms3d");
    assert_eq!(values(&file, "joints[\"*o*\"].name").len(), 2);
    assert_eq!(values(&file, "joints[\"r*t\"].name"), ["joints[0].name=root"]);
    assert_eq!(values(&file, "joints[t*].name"), ["joints[1].name=top"]);
    assert!(file.get_text("joints[\"r*o*o*o*t\"].name").is_err());
}

#[test]
fn a_pattern_skips_elements_without_the_field() {
    let file = sample("psk/skeleton.psk");
    let names = values(&file, "chunks[*].records[*].name");
    assert!(names.iter().any(|line| line.ends_with("name=root")), "{names:?}");
    let found = error(&file, "chunks[*].records[*].nonsense");
    assert!(matches!(found.kind(), ErrorKind::Path(_)), "{found}");
}

#[test]
fn an_error_suggests_similar_names() {
    let file = sample("ms3d/full.ms3d");
    for (path, message) in [
        ("joints[0].nmae", "joints[0].nmae: `Joint` has no field `nmae`; similar: `name`"),
        ("joint[0]", "joint[0]: `Ms3d` has no field `joint`; similar: `joints`"),
        ("joints[\"rot\"]", "joints[\"rot\"]: no element is named `rot`; similar: `root`"),
        ("joints[\"neck\"]", "joints[\"neck\"]: no element is named `neck`; names: root, top"),
        ("joints[7]", "joints[7]: `[7]` is out of range: the list has 2 elements"),
        (
            "joints.name",
            "joints.name: a list has no field `name`; select an element first, such as `[0].name`",
        ),
    ] {
        assert_eq!(error(&file, path).to_string(), message);
    }
}

#[test]
fn an_error_lists_at_most_twelve_of_many_names() {
    let text = error(&sample("ms3d/full.ms3d"), "joints[0].zzzzzzzzzz").to_string();
    let text2 = error(&sample("ms3d/full.ms3d"), "zzzzzzzzzzzzzzzz").to_string();
    assert!(text.contains("fields: flags, name") && text2.contains(" more"), "{text}\n{text2}");
}

#[test]
fn refused_edits_name_the_edit_that_has_the_effect() {
    let refusal = |name: &str, path: &str, value: &str| {
        let error = sample(name).set_text(path, value).expect_err(path);
        match error.kind() {
            ErrorKind::Value(why) => why.clone(),
            _ => panic!("{error}"),
        }
    };
    let path = |text: &str| text.parse::<FieldPath>().expect(text);
    let full = "ms3d/full.ms3d";
    assert_eq!(refusal(full, "num_vertices", "4"), EditError::Resize { list: path("vertices") });
    assert_eq!(refusal(full, "vertices", "4"), EditError::NotALeaf);
    assert_eq!(
        refusal(full, "vertices[0].flags", "256"),
        EditError::OutOfRange { value: "256".into(), min: 0, max: 255 }
    );
    assert_eq!(
        refusal(full, "vertices[0].flags", "hex:0000"),
        EditError::WrongSize { expected: 1, actual: 2 }
    );
    assert_eq!(
        refusal(full, "vertex_extra.sub_version", "1"),
        EditError::Create { choice: path("vertex_extra.records") }
    );
    assert_eq!(
        refusal("cal3d/two.csf", "bones[0].len_name", "1"),
        EditError::SetValue { value: path("bones[0].name") }
    );
    assert_eq!(
        refusal("unigine/ms14.mesh", "geometry[0].len_packed", "1"),
        EditError::SetContent { packed: path("geometry[0].data") }
    );
    assert_eq!(
        refusal("psk/skeleton.psk", "chunks[1].data_size", "1"),
        EditError::EditAsJson { field: "records".into() }
    );
}

#[test]
fn no_error_of_the_library_names_an_option_of_the_command() {
    let mut file = sample("ms3d/full.ms3d");
    let mut messages = vec![
        file.set_text("num_vertices", "4").expect_err("a count").to_string(),
        file.set_text("vertex_extra.sub_version", "1").expect_err("a tag").to_string(),
        file.create("animation.fps", None).expect_err("present").to_string(),
        file.append("joints[0].position").expect_err("fixed").to_string(),
        file.delete("joints").expect_err("not an element").to_string(),
    ];
    messages.push(
        sample("psk/skeleton.psk").set_text("chunks[1].data_size", "1").expect_err("a size").to_string(),
    );
    for message in messages {
        assert!(!message.contains("--") && !message.contains("json"), "{message}");
    }
}

/// The paths of the values in JSON: the names of its objects and the indices of its arrays.
fn json_paths(value: &Json, path: &str, found: &mut BTreeSet<String>) {
    let dot = if path.is_empty() || path.ends_with('!') { "" } else { "." };
    match value {
        Json::Object(parts) if parts.contains_key("rows") && parts.contains_key("fields") => {
            let names = parts["fields"].as_array().expect("names");
            for (index, row) in parts["rows"].as_array().expect("rows").iter().enumerate() {
                for (name, value) in names.iter().zip(row.as_array().expect("a row")) {
                    json_paths(value, &format!("{path}[{index}].{}", name.as_str().expect("a name")), found);
                }
            }
        }
        Json::Object(parts) if parts.contains_key("stored") && parts.contains_key("content") => {
            json_paths(&parts["content"], &format!("{path}!"), found);
        }
        Json::Object(parts) if parts.contains_key("items") => json_paths(&parts["items"], path, found),
        Json::Object(parts) => {
            parts.iter().for_each(|(name, value)| json_paths(value, &format!("{path}{dot}{name}"), found));
        }
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                json_paths(item, &format!("{path}[{index}]"), found);
            }
        }
        Json::Null => {}
        _ => _ = found.insert(path.to_owned()),
    }
}

#[test]
fn the_names_in_json_are_paths() {
    let mut formats = BTreeSet::new();
    for sample in folders::samples("corpus") {
        let mut json = Vec::new();
        sample.file.to_json(&mut json).expect("JSON");
        let json: Json = serde_json::from_slice(&json).expect("JSON");
        let mut found = BTreeSet::new();
        json_paths(&json["file"], "", &mut found);
        let mut seen = BTreeSet::new();
        let is_new = |path: &&String| seen.insert(path.replace(|c: char| c.is_ascii_digit(), ""));
        for path in found.iter().filter(is_new) {
            // A text is printed in lines.
            let whole = path.rsplit_once('[').map_or(&**path, |(whole, _)| whole);
            let found = sample.file.get_text(path).or_else(|_| sample.file.get_text(whole));
            found.unwrap_or_else(|error| panic!("{}: {path}: {error}", sample.name));
        }
        formats.insert(sample.kind.name());
    }
    assert_eq!(formats.len(), bindpose::FileKind::ALL.len(), "{formats:?}");
}

#[test]
fn names_of_an_empty_list_are_not_suggested() {
    let file = bindpose::FileKind::Ms3d.blank();
    for path in ["joints[\"hip\"]", "joints[\"h*\"]"] {
        let error = file.get_text(path).unwrap_err();
        let name = path.trim_start_matches("joints[\"").trim_end_matches("\"]");
        assert_eq!(error.message(), format!("no element is named `{name}`"));
    }
}

#[test]
fn long_names_are_not_compared_and_many_are_not_listed() {
    let similar = |len: usize| {
        let (wanted, name) = ("a".repeat(len - 1) + "b", "a".repeat(len));
        PathError::no_field("Joint", &wanted, [&*name]).to_string().contains("similar")
    };
    assert!(similar(63) && similar(64) && !similar(65));
    let hint = |count: usize| {
        let names: Vec<_> = (0..count).map(|index| format!("name_{index}")).collect();
        let error = PathError::no_field("Joint", "position", names.iter().map(String::as_str)).to_string();
        error.rsplit_once(", ").map(|(_, last)| last.to_owned())
    };
    assert_eq!(hint(12).as_deref(), Some("name_11"));
    assert_eq!(hint(13).as_deref(), Some("and 1 more"));
    let is_compared = |wanted: usize, name: usize| {
        PathError::no_field("Joint", &"a".repeat(wanted), [&*"a".repeat(name)])
            .to_string()
            .contains("similar")
    };
    assert!(is_compared(63, 64) && !is_compared(64, 65) && !is_compared(65, 64));
    // A third of the letters of the longer name may differ.
    let is_near = |wanted: &str, name: &str| {
        PathError::no_field("Joint", wanted, [name]).to_string().contains("similar")
    };
    assert!(is_near("abcxyz", "abcdez") && !is_near("abwxyz", "abcdez"));
    assert!(is_near("x", "y") && is_near("xyzabc", "xyzab") && !is_near("", ""));
}

#[test]
fn an_element_of_the_form_that_a_choice_has_is_present() {
    let mut file = sample("psk/skeleton.psk");
    let names = values(&file, "chunks[*].records[*].name");
    let path = names[0].split('=').next().expect("a path");
    let error = file.create(path, None).expect_err(path);
    assert_eq!(error.to_string(), format!("{path}: is already present"));
}

/// A name that a truncated file ends in is selected as it is printed.
#[test]
fn an_element_is_selected_by_a_name_without_its_nul() {
    let sample = folders::sample("corpus/unigine/an11.anim");
    let cut = sample.kind.decode(&sample.bytes[..9], &sample.options).expect("a truncated file");
    let found = cut.get_all("bones[\"roo\"].name").expect("the start of `root`");
    assert_eq!(found[0].0.to_string(), "bones[0].name");
}
