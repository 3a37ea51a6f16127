//! Descriptions of files: summary, findings, fields.

use std::fmt::{self, Write};
use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::Range;

use bindpose::check::{Finding, Fit, Report};
use bindpose::codec::{Bounds, ClipInfo, Outcome};
use bindpose::diff::{Change, Difference};
use bindpose::edit::{Name, References};
use bindpose::formats::ObjectPaths;
use bindpose::schema::{Class, Leaf, Location, Node, Place, Reference, Role, Step, Value, Visitor, sections};
use bindpose::{Document, Error, FieldPath, File};
use serde::Serialize;

/// The maximum number of findings per rule.
pub(crate) const MOST: usize = 50;
/// The maximum length of a value in bytes; longer ones are cut.
const MOST_TEXT: usize = 512;

/// A summary of a file.
#[derive(Serialize)]
pub(crate) struct Info {
    format: &'static str,
    title: &'static str,
    dialect: Option<&'static str>,
    version: Option<String>,
    writer: Option<&'static str>,
    bytes: usize,
    verdict: &'static str,
    opaque: u64,
    rest: u64,
    damage: Option<Damage>,
    /// Lengths of the lists, by their paths or by names from the format.
    counts: Vec<(String, usize)>,
    bones: Option<usize>,
    roots: Vec<String>,
    clips: Vec<ClipInfo>,
    bounds: Option<Bounds>,
}

#[derive(Serialize)]
pub(crate) struct Damage {
    offset: u64,
    path: String,
    /// The path by the names of objects, where it differs.
    name: Option<String>,
    message: String,
}

impl Damage {
    fn of(error: &Error, file: &File) -> Self {
        let name = file.with_object_paths(|objects| objects.path(error.path()));
        Self {
            offset: error.offset(),
            path: error.path().to_string(),
            name: name.map(|name| name.to_string()),
            message: error.message(),
        }
    }
}

impl Info {
    pub fn of(document: &Document) -> Self {
        let (file, summary) = (document.file(), document.file().summary());
        let Outcome { verdict, dialect, writer, opaque, rest, .. } = document.verify();
        let mut lists = Lists(summary.counts);
        let _ = sections(file.value(), &mut lists);
        let (bones, roots) = summary.skeleton.map(|skeleton| (skeleton.bones, skeleton.roots)).unzip();
        Self {
            format: file.kind().name(),
            title: file.kind().info().title,
            dialect,
            version: summary.version,
            writer,
            bytes: document.bytes().len(),
            verdict: verdict.name(),
            opaque,
            rest,
            damage: verdict.error().map(|error| Damage::of(error, file)),
            counts: lists.0,
            bones,
            roots: roots.unwrap_or_default(),
            clips: summary.clips,
            bounds: summary.bounds,
        }
    }
}

/// Collects the lengths of the lists that are not in other lists.
struct Lists(Vec<(String, usize)>);

impl Visitor for Lists {
    fn leaf(&mut self, _: &Place, _: &dyn Leaf) -> ControlFlow<()> {
        Continue(())
    }

    fn enter(&mut self, place: &Place, _: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
        if let Node::Items(items) = node {
            if !items.is_empty() && !items.is_array() {
                self.0.push((place.path.to_string(), items.len()));
            }
            return Continue(false);
        }
        Continue(!place.path.steps().iter().any(|step| matches!(step, Step::Index(_))))
    }
}

/// The findings in a file.
#[derive(Serialize)]
pub(crate) struct Diagnosis<'a> {
    findings: Vec<Found<'a>>,
    /// The number of further findings of each rule.
    more: Vec<(&'static str, usize)>,
}

#[derive(Serialize)]
struct Found<'a> {
    rule: &'static str,
    severity: &'static str,
    summary: &'static str,
    why: &'static str,
    path: String,
    /// The path by the names of objects, where it differs.
    name: Option<String>,
    start: u64,
    end: u64,
    message: &'a str,
}

impl<'a> Diagnosis<'a> {
    /// The findings of a report; `name` returns the path by the names of objects.
    pub fn of(report: &'a Report, name: &mut dyn FnMut(&FieldPath) -> Option<FieldPath>) -> Self {
        let found = |Finding { rule, path, range, message, .. }: &'a Finding| Found {
            name: name(path).map(|own| own.to_string()),
            rule: rule.code,
            severity: rule.severity.name(),
            summary: rule.summary,
            why: rule.why,
            path: path.to_string(),
            start: range.start,
            end: range.end,
            message,
        };
        Self {
            findings: report.findings.iter().map(found).collect(),
            more: report.more.iter().map(|(rule, count)| (rule.code, *count)).collect(),
        }
    }
}

/// A field of the byte map.
#[derive(Serialize)]
pub(crate) struct Field {
    start: u64,
    end: u64,
    path: String,
    /// The path by the names of objects, where it differs.
    name: Option<String>,
    #[serde(rename = "type")]
    type_name: &'static str,
    class: &'static str,
    value: String,
    /// Whether the value was cut.
    cut: bool,
    /// Why the field cannot be set by itself.
    fixed: Option<String>,
    doc: &'static str,
    /// The parts of a flag word.
    bits: Vec<Bit>,
}

#[derive(Serialize)]
struct Bit {
    name: &'static str,
    doc: &'static str,
    value: u64,
    /// The number of bits.
    width: u32,
}

/// Returns the named parts of a flag word.
fn bits(leaf: &dyn Leaf) -> Vec<Bit> {
    let own = leaf.bits();
    if own.is_empty() {
        return Vec::new();
    }
    let mut bytes = Vec::new();
    leaf.bytes(&mut bytes);
    let word = bytes.iter().take(8).rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    own.iter()
        .map(|bit| Bit { name: bit.name, doc: bit.doc, value: bit.of(word), width: bit.width })
        .collect()
}

impl Field {
    fn new(place: &Place, leaf: &dyn Leaf, objects: &mut ObjectPaths<'_>) -> Self {
        let mut value = Limited::new(MOST_TEXT);
        let cut = leaf.show(&mut value).is_err();
        Self {
            start: place.offset,
            end: place.offset + leaf.size(),
            path: place.path.to_string(),
            name: objects.path(&place.path).map(|path| path.to_string()),
            type_name: leaf.type_name(),
            class: class_name(leaf.class()),
            value: value.text,
            cut,
            fixed: fixed(place.role),
            doc: place.field.map_or("", |field| field.doc),
            bits: bits(leaf),
        }
    }
}

/// Returns the fields that overlap a range of bytes, at most `most`.
pub(crate) fn fields(document: &Document, range: Range<u64>, most: usize) -> Vec<Field> {
    let mut fields = Vec::new();
    document.file().with_object_paths(|objects| {
        let _ = document.file().walk_from(range.start, &mut |place, leaf| {
            if place.offset >= range.end || fields.len() >= most {
                return Break(());
            }
            if leaf.size() > 0 {
                fields.push(Field::new(place, leaf, objects));
            }
            Continue(())
        });
    });
    fields
}

const fn class_name(class: Class) -> &'static str {
    match class {
        Class::Integer => "integer",
        Class::Float => "float",
        Class::Text => "text",
        Class::Spelling => "spelling",
        Class::Opaque => "opaque",
        Class::Rest => "rest",
        _ => "bytes",
    }
}

fn fixed(role: Role) -> Option<String> {
    match role {
        Role::Free => None,
        Role::Counts(of) => Some(format!("the count or length of {of}")),
        Role::Sizes(of, _) => Some(format!("the size of {of} in bytes")),
        Role::Places(of) => Some(format!("offsets of {of}")),
        Role::Follows(_) => Some("derived from the content".into()),
        Role::Decides(of) => Some(format!("decides how {of} is read")),
        Role::Encodes(of) => Some(format!("the encoding of {of}")),
        _ => Some("identifies the format".into()),
    }
}

/// A text of limited length.
pub(crate) struct Limited {
    pub text: String,
    most: usize,
}

impl Limited {
    pub const fn new(most: usize) -> Self {
        Self { text: String::new(), most }
    }
}

impl Write for Limited {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let left = self.most.saturating_sub(self.text.len());
        if text.len() <= left {
            self.text.push_str(text);
            return Ok(());
        }
        self.text.extend(text.chars().take(left));
        Err(fmt::Error)
    }
}

/// A place that a path selects.
#[derive(Serialize)]
pub(crate) struct Located {
    path: String,
    start: u64,
    end: u64,
}

impl From<Location> for Located {
    fn from(location: Location) -> Self {
        let Range { start, end } = location.range;
        Self { path: location.path.to_string(), start, end }
    }
}

/// A range of bytes.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Bytes {
    start: usize,
    end: usize,
}

impl From<Range<u64>> for Bytes {
    fn from(Range { start, end }: Range<u64>) -> Self {
        let [start, end] = [start, end].map(|offset| usize::try_from(offset).unwrap_or(usize::MAX));
        Self { start, end }
    }
}

/// Returns the ranges of `new` that differ from `old`; one around all differences if the lengths differ.
pub(crate) fn changes(old: &[u8], new: &[u8]) -> Vec<Bytes> {
    if old.len() != new.len() {
        let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let (old, new) = (&old[start..], &new[start..]);
        let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        return vec![Bytes { start, end: start + new.len() - same }];
    }
    let mut ranges: Vec<Bytes> = Vec::new();
    for at in (0..new.len()).filter(|at| old[*at] != new[*at]) {
        match ranges.last_mut() {
            Some(last) if last.end == at => last.end += 1,
            _ => ranges.push(Bytes { start: at, end: at + 1 }),
        }
    }
    ranges
}

/// A difference between two files.
#[derive(Serialize)]
pub(crate) struct Differing {
    place: String,
    /// The place by the names of objects, where it differs.
    name: Option<String>,
    kind: &'static str,
    /// The values in both files, or the indices of an element that has moved.
    values: [String; 2],
    a: Bytes,
    b: Bytes,
}

impl Differing {
    /// Describes a difference, whose path by the names of objects is `name`.
    pub fn new(difference: Difference, name: Option<FieldPath>) -> Self {
        let (kind, values) = match difference.change {
            Change::Value { a, b } => ("value", [a, b]),
            Change::Removed => ("removed", Default::default()),
            Change::Added => ("added", Default::default()),
            Change::Moved(from, to) => ("moved", [from, to].map(|index| index.to_string())),
        };
        let [a, b] = [difference.a, difference.b].map(Bytes::from);
        let name = name.map(|name| name.to_string());
        Self { place: difference.place.to_string(), name, kind, values, a, b }
    }
}

/// How the bones of an animation fit those of a mesh or skeleton.
#[derive(Serialize)]
pub(crate) struct Fitting {
    matched: usize,
    total: usize,
    complete: bool,
}

impl From<Fit> for Fitting {
    fn from(fit: Fit) -> Self {
        Self { matched: fit.matched, total: fit.total, complete: fit.is_complete() }
    }
}

/// The name of an object, and the field that it is in.
#[derive(Serialize)]
pub(crate) struct Named {
    entity: &'static str,
    definition: bool,
    path: String,
    text: String,
}

impl From<Name> for Named {
    fn from(name: Name) -> Self {
        Self {
            entity: name.entity.name(),
            definition: name.is_definition,
            path: name.path.to_string(),
            text: bindpose::scene::name(&name.text),
        }
    }
}

/// The references around a value.
#[derive(Default, Serialize)]
pub(crate) struct Referring {
    to: Vec<Referred>,
    from: Vec<Referrer>,
    /// The number of values that refer to the object.
    count: usize,
}

#[derive(Serialize)]
struct Referred {
    path: String,
    kind: &'static str,
    status: &'static str,
    target: Option<String>,
    /// The path of the target by the names of objects, where it differs.
    object: Option<String>,
    name: Option<String>,
}

/// A value that refers to an object.
#[derive(Serialize)]
struct Referrer {
    path: String,
    /// The path by the names of objects, where it differs.
    name: Option<String>,
}

impl Referring {
    pub fn around(file: &File, path: &FieldPath, most: usize) -> Result<Self, Error> {
        let references = References::of(file)?;
        let mut found = Self::default();
        file.with_object_paths(|objects| {
            let _ = references.each(&mut |reference| {
                found.add(&references, reference, (path, most), objects);
                Continue(())
            });
        });
        Ok(found)
    }

    fn add(
        &mut self,
        references: &References<'_>,
        reference: Reference,
        (path, most): (&FieldPath, usize),
        objects: &mut ObjectPaths<'_>,
    ) {
        let mut named = |own: &FieldPath| objects.path(own).map(|own| own.to_string());
        let object = reference.target.object();
        if object.is_some_and(|object| object.is_within(path) || path.is_within(object)) {
            self.count += 1;
            if self.from.len() < most {
                self.from.push(Referrer { path: reference.path.to_string(), name: named(&reference.path) });
            }
        }
        if reference.path.is_within(path) && self.to.len() < most {
            let name = object.and_then(|object| references.name(object)).map(bindpose::scene::name);
            self.to.push(Referred {
                path: reference.path.to_string(),
                kind: reference.entity,
                status: reference.target.status(),
                target: object.map(ToString::to_string),
                object: object.and_then(named),
                name,
            });
        }
    }
}
