//! Law 6: the fast path reads and writes what the definition does, for every record that a format consists of.

use std::collections::BTreeMap;

use bindpose::FileKind;
use bindpose::codec::same_path_with;
use bindpose::formats::cal3d::{BlendVertex, Dialect, Vertex};
use bindpose::formats::psk::Curve;
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

proptest! {
    #![proptest_config(crate::folders::config(64))]

    #[test]
    fn the_fast_path_of_records_with_arguments_agrees_with_their_definition(
        records in vec((vec(any::<u8>(), 28 + 12 + 8 + 24 + 4), vec(any::<[u8; 8]>(), 0..4)), 1..80),
        cut in 0..40_usize,
        dialect in prop::sample::select(&Dialect::BINARY[..]),
        number in prop::sample::select(&[699, 700, 910, 919, 1000, 1100, 1200, 1300, 1301][..]),
        num_maps in 0..4_i32,
        has_weight: bool,
    ) {
        let version = dialect.version(number);
        let maps = 8 * usize::try_from(num_maps)?;
        let before = 32 + if version.has_colors() { 12 } else { 0 } + maps;
        let vertex = |(bytes, influences): &(Vec<u8>, Vec<[u8; 8]>)| {
            let num = u32::try_from(influences.len()).unwrap_or(0).to_le_bytes();
            let weight = if has_weight { &bytes[..4] } else { &[] };
            [&bytes[..before], &num, influences.as_flattened(), weight].concat()
        };
        let mut bytes: Vec<u8> = records.iter().flat_map(vertex).collect();
        let first = vertex(&records[0]).len();
        bytes.truncate(bytes.len().saturating_sub(cut));
        let is_there = |size: usize| Ok((size <= bytes.len()).then_some(size));
        let read = same_path_with::<Vertex, _>(&bytes, (version, num_maps, has_weight));
        prop_assert_eq!(read, is_there(first));
        prop_assert_eq!(same_path_with::<BlendVertex, _>(&bytes, (num_maps,)), is_there(28 + maps));
        prop_assert_eq!(same_path_with::<Curve, _>(&bytes, (num_maps.into(),)), is_there(128 + maps / 2));
        prop_assert_eq!(same_path_with::<Curve, _>(&bytes, (-1,)), Ok(None));
    }
}
