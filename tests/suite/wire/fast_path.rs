//! Law 6: the fast path reads and writes what the definition does, for every record that a format consists of.

use std::collections::BTreeMap;

use bindpose::FileKind;
use bindpose::schema::SamePath;
use proptest::collection::vec;
use proptest::test_runner::TestRunner;

use super::*;

/// Collects the records of a shape that can be read on their own.
fn collect(shape: &Shape, records: &mut BTreeMap<&'static str, Vec<SamePath>>) {
    match shape {
        Shape::Record(record) | Shape::Choice(record) => {
            // Generic records share a name.
            records.entry(record.name).or_default().extend(record.same_path);
            record.fields.iter().for_each(|field| collect(&field.shape, records));
        }
        Shape::List(inner, _)
        | Shape::Optional(inner)
        | Shape::Part(inner)
        | Shape::Written { of: inner, .. } => collect(inner, records),
        Shape::Packed { stored, content } => {
            collect(stored, records);
            collect(content, records);
        }
        _ => {}
    }
}

#[test]
fn the_fast_path_of_every_record_agrees_with_its_definition() {
    let mut records = BTreeMap::new();
    for kind in FileKind::ALL {
        collect(&kind.shape(), &mut records);
    }
    let bytes = prop_oneof![vec(any::<u8>(), 0..2000), vec(0..4_u8, 0..2000)];
    let mut checked = 0;
    for (name, checks) in records {
        for SamePath(check) in checks {
            let read = std::cell::Cell::new(false);
            let result = TestRunner::new(crate::folders::config(64)).run(&bytes, |bytes| {
                let size = check(&bytes).map_err(|why| TestCaseError::fail(format!("{name}: {why}")))?;
                read.set(read.get() || size.is_some());
                Ok(())
            });
            result.unwrap_or_else(|error| panic!("{error}"));
            checked += usize::from(read.get());
        }
    }
    assert!(checked > 50, "only {checked} records have a fast path");
}
