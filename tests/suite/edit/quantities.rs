//! Every number of every format has a meaning, and the verbs change those whose meaning says so.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::ControlFlow::{self, Continue};

use bindpose::codec::Format;
use bindpose::edit::{retime, scale, transform};
use bindpose::formats::ms3d::{Joint, Keyframe, Ms3d};
use bindpose::schema::{
    self, FieldShape, FieldValue, Identity, Leaf, Node, Place, Quantity, QuantityKind, Role, Shape, Step,
    Value, Visitor,
};
use bindpose::{Budget, File, FileKind};
use glam::{Quat, Vec3};

use crate::folders::{self, Sample};

/// What the definitions state of a number.
fn stated(field: &FieldShape) -> Option<&'static str> {
    match field.identity {
        _ if field.role != Role::Free || field.magic.is_some() => Some("governs"),
        Some(Identity::IndexOf(_) | Identity::Index) => Some("index"),
        Some(Identity::OneOf(_)) => Some("case"),
        _ => field.quantity.map(|_| "length"),
    }
}

/// Adds the numeric fields of a shape, each with what its definition states.
fn numbers(shape: &Shape, fields: &mut BTreeMap<String, Option<&'static str>>) {
    match shape {
        Shape::Record(record) | Shape::Choice(record) => {
            for field in &record.fields {
                if is_number(&field.shape) {
                    // A value of a choice knows the name of its form only.
                    let name = if matches!(shape, Shape::Record(_)) { record.name } else { "form" };
                    fields.insert(format!("{name}.{}", field.name), stated(field));
                }
                numbers(&field.shape, fields);
            }
        }
        Shape::Packed { content, .. } => numbers(content, fields),
        shape => _ = inner(shape).map(|inner| numbers(inner, fields)),
    }
}

fn inner(shape: &Shape) -> Option<&Shape> {
    match shape {
        Shape::List(of, _)
        | Shape::Optional(of)
        | Shape::Part(of)
        | Shape::Placed(of)
        | Shape::Region(of)
        | Shape::Written { of, .. } => Some(of),
        _ => None,
    }
}

fn is_number(shape: &Shape) -> bool {
    matches!(shape, Shape::Scalar(_)) || inner(shape).is_some_and(is_number)
}

/// The numeric fields of all formats of a family.
fn all() -> BTreeMap<String, Option<&'static str>> {
    let mut all = BTreeMap::new();
    for kind in FileKind::ALL {
        let mut fields = BTreeMap::new();
        numbers(&kind.shape(), &mut fields);
        all.extend(fields.into_iter().map(|(field, own)| (format!("{} {field}", kind.family()), own)));
    }
    all
}

/// What the list says of lengths that no sample has.
const UNSAMPLED: &str = "unsampled";

/// The numeric fields whose meaning no verb needs from their definition, with what they are.
fn plain() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string("tests/suite/edit/numbers.txt").expect("a list");
    text.lines()
        .filter_map(|line| line.rsplit_once(' '))
        .map(|(own, what)| (own.into(), what.into()))
        .collect()
}

#[test]
fn every_number_has_a_meaning() {
    let (plain, all) = (plain(), all());
    let mut wrong = String::new();
    for (field, stated) in &all {
        let listed = plain.get(field).filter(|what| *what != UNSAMPLED);
        if stated.is_some() == listed.is_some() {
            let _ = writeln!(wrong, "{field} {}", stated.unwrap_or("?"));
        }
    }
    let unknown: Vec<_> = plain.keys().filter(|field| !all.contains_key(*field)).collect();
    assert!(
        wrong.is_empty() && unknown.is_empty(),
        "state it in the definition or in numbers.txt, not in both:\n{wrong}{unknown:?}"
    );
}

/// A value that a walk is in: its depth, its quantity, and the names of the record and of the form.
type Around = (usize, Option<Quantity>, Option<&'static str>, Option<&'static str>);

/// The numbers of a file, each with its field, and whether it is a length.
#[derive(Default)]
struct Numbers {
    around: Vec<Around>,
    found: Vec<(String, FieldValue, bool)>,
}

impl Numbers {
    fn of(file: &File) -> Vec<(String, FieldValue, bool)> {
        let mut numbers = Self::default();
        let _ = schema::walk(file.value(), &mut numbers);
        numbers.found
    }

    fn quantity(&mut self, place: &Place, value: &dyn Value) -> Option<Quantity> {
        let depth = place.path.steps().len();
        self.around.retain(|(own, ..)| *own < depth);
        let outer = self.around.last().and_then(|own| own.1);
        let own = match place.path.steps().last() {
            Some(Step::Field(_)) => match place.field.and_then(|field| field.quantity) {
                Some(own) if own.kind == QuantityKind::OfList => {
                    outer.map(|outer| Quantity { kind: outer.kind, ..own })
                }
                own => own,
            },
            _ => outer,
        };
        value.choice().and_then(|choice| choice.quantity).or(own)
    }
}

impl Visitor for Numbers {
    fn enter(&mut self, place: &Place, value: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
        let quantity = self.quantity(place, value);
        let record = if let Node::Record(record) = node { Some(record.type_name()) } else { None };
        let form = value.choice().map(|choice| choice.name).filter(|_| record.is_none());
        self.around.push((place.path.steps().len(), quantity, record, form));
        Continue(true)
    }

    fn leaf(&mut self, place: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
        if let Some(content) = leaf.inside() {
            let around = std::mem::take(&mut self.around);
            let walked = schema::walk(content, self);
            self.around = around;
            return walked.map_continue(|_| ());
        }
        let quantity = self.quantity(place, leaf);
        let steps = place.path.steps();
        let is_length = match (quantity.map(|own| own.kind), steps) {
            (None, _) => false,
            (Some(QuantityKind::Point), [.., Step::Index(at)]) => *at < 3,
            (Some(QuantityKind::Matrix), [.., Step::Index(row), Step::Index(at)]) => *row == 3 && *at < 3,
            _ => true,
        };
        let value = leaf.field_value();
        let none = quantity.and_then(|own| own.none).map(f32::from_bits).map(FieldValue::F32);
        let is_number = matches!(value, FieldValue::F32(_) | FieldValue::Int(_));
        if place.role == Role::Free && is_number {
            let record = self.around.iter().rposition(|own| own.2.is_some()).unwrap_or(0);
            let form = self.around.iter().skip(record).find_map(|own| own.3);
            let record = self.around.get(record).and_then(|own| own.2).unwrap_or_default();
            let (record, field) = match form {
                Some(form) => ("form", form),
                None => (record, place.field.map_or("", |field| field.name)),
            };
            let is_length = is_length && matches!(value, FieldValue::F32(_)) && none.as_ref() != Some(&value);
            self.found.push((format!("{record}.{field}"), value, is_length));
        }
        Continue(())
    }
}

/// What a verb leaves or changes is compared number by number where both files have the same numbers: not in text, and not in packed
/// tracks of Cal3D, which can become plain ones.
fn pairs(file: &File, edited: &File) -> Vec<((String, FieldValue, bool), FieldValue)> {
    let (before, after) = (Numbers::of(file), Numbers::of(edited));
    let is_plain = !before.iter().any(|(field, ..)| field.starts_with("PackedKey."));
    let is_same =
        is_plain && before.len() == after.len() && before.iter().zip(&after).all(|(a, b)| a.0 == b.0);
    if is_same { before.into_iter().zip(after.into_iter().map(|own| own.1)).collect() } else { Vec::new() }
}

#[test]
fn scaling_doubles_lengths_and_nothing_else() {
    let (plain, mut doubled) = (plain(), BTreeSet::new());
    for Sample { name, kind, file, .. } in folders::small_samples("corpus") {
        let mut edited = file.clone();
        if scale(&mut edited, 2.0, &Budget::default()).is_err() {
            continue;
        }
        for ((field, before, is_length), after) in pairs(&file, &edited) {
            let name_of = format!("{} {field}", kind.family());
            if !is_compared(&plain, &name_of) {
                continue;
            }
            let expected = match before {
                FieldValue::F32(length) if is_length => FieldValue::F32(length * 2.0),
                _ => before.clone(),
            };
            assert!(after == expected, "{name}: {field} was {before:?} and is {after:?}");
            if after != before {
                doubled.insert(name_of);
            }
        }
        let mut back = edited.clone();
        scale(&mut back, 0.5, &Budget::default()).expect("as before");
        let is_same = |((field, before, _), after): &((String, FieldValue, bool), FieldValue)| {
            let is_halved = !matches!(before, FieldValue::F32(length) if !(length * 2.0).is_finite());
            before == after || !is_halved || !is_compared(&plain, &format!("{} {field}", kind.family()))
        };
        assert!(pairs(&file, &back).iter().all(is_same), "{name}");
    }
    let lengths = all().into_iter().filter(|(_, own)| *own == Some("length")).map(|(field, _)| field);
    let missing: Vec<_> =
        lengths.filter(|field| !doubled.contains(field) && !plain.contains_key(field)).collect();
    assert_eq!(missing, Vec::<String>::new(), "no sample has them, or they do not change");
}

/// Whether a number changes only where the definition states a length: not in tokens, and not where content is stored.
fn is_compared(plain: &BTreeMap<String, String>, field: &str) -> bool {
    plain.get(field).is_none_or(|what| !["layout", "token"].contains(&what.as_str()))
}

/// Asserts that a verb changes only lengths and numbers of some kinds; returns the kinds that it changed.
fn changes_only(verb: &str, kinds: &[&str], edit: impl Fn(&mut File) -> bool) -> BTreeSet<String> {
    let (plain, all) = (plain(), all());
    let mut found = BTreeSet::new();
    for Sample { name, kind, file, .. } in folders::small_samples("corpus") {
        let mut edited = file.clone();
        if !edit(&mut edited) {
            continue;
        }
        for ((field, before, _), after) in pairs(&file, &edited) {
            let field = format!("{} {field}", kind.family());
            let stated = all.get(&field).copied().flatten();
            let what = stated.or_else(|| plain.get(&field).map(String::as_str));
            if after != before {
                let what = what.unwrap_or("flags");
                assert!(
                    kinds.contains(&what),
                    "{name}: {verb} changes {field}, {what}: {before:?}, {after:?}"
                );
                found.insert(what.to_owned());
            }
        }
    }
    found
}

#[test]
fn other_verbs_change_only_their_kinds_of_numbers() {
    let turned =
        changes_only("transform", &["length", "direction", "rotation", "flags", "bits", "token"], |file| {
            let motion = (Quat::from_rotation_x(0.4), Vec3::new(0.5, -3.0, 2.0));
            transform(std::slice::from_mut(file), motion.0, motion.1, &Budget::default()).is_ok()
        });
    assert!(["length", "direction", "rotation"].iter().all(|own| turned.contains(*own)), "{turned:?}");
    let retimed = changes_only("retime", &["rate", "time"], |file| retime(file, 60.0).is_ok());
    assert!(retimed.contains("rate"), "{retimed:?}");
}

/// The keys of positions and of rotations are records of one type.
#[test]
fn the_list_states_what_the_numbers_of_its_records_measure() {
    let keys = || vec![Keyframe { time: 1.0, value: [1.0; 3] }];
    let joint = Joint { position_keys: keys().into(), rotation_keys: keys().into(), ..Joint::default() };
    let mut model = Ms3d::blank_file();
    model.joints.push(joint);
    schema::scale(&mut model, 2.0).expect("nothing is packed");
    let [joint] = &model.joints[..] else { panic!("a joint") };
    assert_eq!(joint.position_keys[0], Keyframe { time: 1.0, value: [2.0; 3] });
    assert_eq!(joint.rotation_keys[..], keys());
}
