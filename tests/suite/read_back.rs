//! What is edited is what is read back: by path and in JSON, in every format.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use bindpose::schema::truncation;
use bindpose::schema::{Items, Node, Place, Value, Visitor, parse_hex, unescape, walk};
use bindpose::{Document, File, FileKind};
use serde_json::{Value as Json, json};

use crate::folders::{self, Sample, each_format_in_parallel};
use bindpose::codec::laws::all_leaves as leaves;

/// Files of a format: small samples, also damaged ones, and generated files.
fn files(kind: FileKind) -> impl Iterator<Item = (String, File)> {
    let samples = ["corpus", "damaged"].into_iter().flat_map(folders::small_samples);
    let samples = samples.filter(move |sample| sample.file.kind() == kind);
    let generated = (0..8_u32).filter_map(move |seed| {
        let byte = |at: u32| u8::try_from(((at * (2 * seed + 1) * 0x9e37) >> 7) & 0xff).unwrap();
        let entropy: Vec<u8> = (0..600).map(byte).collect();
        let file = kind.generate(&entropy);
        let bytes = file.encode().ok()?;
        Some((format!("{} {seed}", kind.name()), kind.decode(&bytes, &file.options()).ok()?))
    });
    samples.map(|Sample { name, file, .. }| (name, file)).chain(generated)
}

/// Applies an edit to a document, which refuses what would be read back as another file. Returns whether it accepted the edit;
/// `None` if the value cannot be edited so.
fn reads_back(
    name: &str,
    file: &File,
    what: &str,
    edit: impl Fn(&mut File) -> bindpose::Result<()>,
) -> Option<bool> {
    let mut edited = file.clone();
    edit(&mut edited).ok()?;
    edited.encode().ok()?;
    let mut document = Document::of(file.clone()).expect("a decoded file");
    if document.edit(&edit).is_err() {
        return Some(false);
    }
    assert_eq!(leaves(document.file().value()), leaves(edited.value()), "{name}: {what}");
    assert!(file.damage().is_some() || document.file().damage().is_none(), "{name}: {what} damages the file");
    Some(true)
}

/// The lists of a file: their paths and lengths.
#[derive(Default)]
struct Lists(Vec<(String, usize)>);

impl Visitor for Lists {
    fn leaf(&mut self, place: &Place, leaf: &dyn bindpose::schema::Leaf) -> ControlFlow<()> {
        self.inside(place, leaf.inside());
        ControlFlow::Continue(())
    }
    fn enter(&mut self, place: &Place, value: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
        if let Node::Items(items) = node
            && !items.is_array()
        {
            self.0.push((place.path.to_string(), Items::len(*items)));
        }
        self.inside(place, value.inside());
        ControlFlow::Continue(true)
    }
}

impl Lists {
    fn inside(&mut self, place: &Place, content: Option<&dyn Value>) {
        let Some(content) = content else { return };
        let mut inner = Self::default();
        let _ = walk(content, &mut inner);
        self.0.extend(inner.0.into_iter().map(|(path, len)| (format!("{}!{path}", place.path), len)));
    }
}

/// Returns a path without its indices.
fn field_of(path: &str) -> String {
    path.split('[').map(|part| part.split_once(']').map_or(part, |(_, after)| after)).collect()
}

/// Fields whose elements cannot be appended or deleted one at a time: each packed chunk is a whole compressed block, and
/// a vertex array has data.
const REFUSED: &[&str] =
    &["x append packed.chunks", "x delete packed.chunks", "iqm delete sections.vertex_arrays"];

#[test]
fn elements_that_are_appended_and_deleted_are_read_back() {
    let refused = each_format_in_parallel(|kind| {
        let (mut accepted, mut refused) = (BTreeSet::new(), BTreeSet::new());
        for (name, file) in files(kind).filter(|(_, file)| truncation(file.value()).is_none()) {
            let mut lists = Lists::default();
            let _ = walk(file.value(), &mut lists);
            let mut seen: BTreeMap<String, usize> = BTreeMap::new();
            for (path, len) in lists.0 {
                let field = field_of(&path);
                let times = seen.entry(field.clone()).or_default();
                *times += 1;
                if *times > 2 {
                    continue;
                }
                let mut note = |edit: &str, is_accepted: Option<bool>| {
                    let Some(is_accepted) = is_accepted else { return };
                    let edit = format!("{} {edit} {field}", kind.name());
                    if is_accepted { &mut accepted } else { &mut refused }.insert(edit);
                };
                let append = |file: &mut File| file.append(&path).map(drop);
                note("append", reads_back(&name, &file, &format!("append {path}"), append));
                for index in [0, len.wrapping_sub(1)].into_iter().filter(|index| *index < len) {
                    let element = format!("{path}[{index}]");
                    let delete = |file: &mut File| file.delete(&element).map(drop);
                    note("delete", reads_back(&name, &file, &format!("delete {element}"), delete));
                }
            }
        }
        assert!(!accepted.is_empty() || kind == FileKind::PsaConfig, "{}: nothing is accepted", kind.name());
        refused.difference(&accepted).cloned().collect::<Vec<_>>()
    });
    let refused: Vec<String> = refused.into_iter().flatten().collect();
    assert_eq!(refused, REFUSED);
}

fn json_of(file: &File) -> Json {
    let mut json = Vec::new();
    file.to_json(&mut json).expect("memory takes all");
    serde_json::from_slice(&json).expect("JSON")
}

/// Whether a value has no content.
fn is_empty(json: &Json) -> bool {
    match json {
        Json::Null => true,
        Json::String(text) => text.is_empty() || text == "hex:",
        Json::Array(items) => items.iter().all(|item| item.is_string() && is_empty(item)),
        Json::Object(members) => {
            members.get("rows").or(members.get("items")).or(members.get("text")).is_some_and(is_empty)
        }
        _ => false,
    }
}

/// Returns the bytes of a text of one or more rows.
fn text(json: &Json) -> Option<Vec<u8>> {
    match json {
        Json::String(text) => match text.strip_prefix("hex:") {
            Some(hex) => parse_hex(hex),
            None => unescape(text).ok(),
        },
        Json::Array(rows) => rows.iter().map(text).collect::<Option<Vec<_>>>().map(|rows| rows.concat()),
        _ => None,
    }
}

/// Returns the first value in a document that a file does not have.
fn lost(written: &Json, read: &Json, path: &str) -> Option<String> {
    match (written, read) {
        _ if is_empty(written) && is_empty(read) => None,
        _ if text(written).is_some_and(|own| text(read) == Some(own)) => None,
        (Json::Object(written), Json::Object(read)) => written.iter().find_map(|(name, value)| {
            let path = format!("{path}.{name}");
            // The content decides how it is packed, and the size that is next to it.
            let is_of_packed = written.contains_key("content") && name == "stored"
                || written.contains_key("data") && name.starts_with("len_");
            match read.get(name) {
                _ if is_of_packed => None,
                // Wrong offsets keep their distance from the right ones.
                Some(_) if name == "offsets" => None,
                Some(read) => lost(value, read, &path),
                // A count that follows from its list is not printed.
                None => (!is_empty(value) && !value.is_number()).then_some(path),
            }
        }),
        (Json::Array(written), Json::Array(read)) if written.len() == read.len() => {
            let mut pairs = written.iter().zip(read).enumerate();
            pairs.find_map(|(index, (written, read))| lost(written, read, &format!("{path}[{index}]")))
        }
        (Json::Number(_), Json::Number(_)) if written.as_f64() == read.as_f64() => None,
        // Only the notation of a number differs.
        (Json::Number(_), Json::String(_)) | (Json::String(_), Json::Number(_)) => None,
        (written, read) => (written != read).then(|| format!("{path}: {written:.60} became {read:.60}")),
    }
}

/// Visits every value with its path and the path without indices.
fn each(json: &Json, path: &str, field: &str, visit: &mut dyn FnMut(&str, &str, &Json)) {
    visit(path, field, json);
    match json {
        Json::Object(members) => members.iter().for_each(|(name, value)| {
            each(value, &format!("{path}/{name}"), &format!("{field}.{name}"), visit);
        }),
        Json::Array(items) => items.iter().enumerate().for_each(|(index, value)| {
            each(value, &format!("{path}/{index}"), field, visit);
        }),
        _ => {}
    }
}

/// Returns other values for a value; `None` removes it.
fn others(value: &Json) -> Vec<Option<Json>> {
    let mut others = vec![None, Some(Json::Null)];
    match value {
        Json::Number(_) => others.extend([0, 1, 2, 7, 255, -1].map(|number| Some(json!(number)))),
        Json::String(_) => others.extend(["", "FACE0000"].map(|text| Some(json!(text)))),
        Json::Array(items) => {
            if let [rest @ .., last] = &items[..] {
                others.push(Some(json!(rest)));
                others.push(Some(json!([rest, &[last.clone(), last.clone()]].concat())));
            }
        }
        _ => {}
    }
    others
}

/// Replaces the value at a pointer, or removes it.
fn replace(json: &mut Json, pointer: &str, value: Option<Json>) {
    let (outer, last) = pointer.rsplit_once('/').expect("not the root");
    match (json.pointer_mut(outer).expect("a parent"), value) {
        (Json::Object(members), Some(value)) => _ = members.insert(last.into(), value),
        (Json::Object(members), None) => _ = members.remove(last),
        (Json::Array(items), value) => {
            let index: usize = last.parse().expect("an index");
            items.splice(index..=index, value);
        }
        _ => unreachable!("a value without members"),
    }
}

/// The number of edits of each field of a file.
const EDITS: usize = 2;

#[test]
fn edits_in_json_are_rejected_or_read_back() {
    let misread = each_format_in_parallel(|kind| {
        let mut misread = BTreeMap::new();
        let mut accepted = 0;
        for (name, file) in files(kind) {
            let original = json_of(&file);
            let mut values = Vec::new();
            let mut seen: BTreeMap<String, usize> = BTreeMap::new();
            each(&original["file"], "/file", "", &mut |path, field, value| {
                let times = seen.entry(field.into()).or_default();
                *times += 1;
                if path != "/file" && *times <= EDITS {
                    values.push((path.to_owned(), field.to_owned(), value.clone()));
                }
            });
            for (path, field, value) in values {
                for other in others(&value) {
                    let mut edited = original.clone();
                    replace(&mut edited, &path, other.clone());
                    let Ok(read) = File::from_json(&edited.to_string()) else { continue };
                    accepted += 1;
                    // Offsets in records follow the parts that they place.
                    let follows = |lost: &String| {
                        kind == FileKind::Iqm
                            && [".offset:", ".ofs_data:", ".ofs_extensions:"]
                                .iter()
                                .any(|own| lost.contains(own))
                    };
                    let lost = lost(&edited, &json_of(&read), "").filter(|lost| !follows(lost));
                    if let Some(lost) = lost {
                        let what = format!("{} {field}", kind.name());
                        misread
                            .entry(what)
                            .or_insert_with(|| format!("{name}: {path} = {other:?}: {lost:.200}"));
                    }
                }
            }
        }
        assert!(accepted > 0, "{}: nothing is accepted", kind.name());
        misread
    });
    let misread: Vec<_> = misread.into_iter().flatten().collect();
    assert!(misread.is_empty(), "{misread:#?}");
}

/// Returns the error of a document with another value in the first place that is accepted.
fn contradicted(sample: &str, other: &Json, is_meant: impl Fn(&str, &Json) -> bool) -> String {
    let mut json = json_of(&folders::sample(sample).file);
    let mut place = None;
    each(&json["file"], "/file", "", &mut |path, _, value| {
        if place.is_none() && is_meant(path, value) {
            place = Some(path.to_owned());
        }
    });
    replace(&mut json, &place.expect("a value"), Some(other.clone()));
    File::from_json(&json.to_string()).expect_err("contradictory JSON").to_string()
}

#[test]
fn json_that_contradicts_its_flags_or_tags_is_an_error_at_its_path() {
    let why = contradicted("corpus/unigine/an11.anim", &json!(0), |path, value| {
        path.ends_with("/flags") && value.as_u64().is_some_and(|flags| flags & 1 != 0)
    });
    assert!(why.contains("position: is written as present but read back as absent"), "{why}");
    let why = contradicted("corpus/psk/plane.psk", &json!("FACE0000"), |path, value| {
        path.ends_with("/id") && value == "PNTS0000"
    });
    assert!(why.contains("records: is written as `points` but read back as `faces`"), "{why}");
}
