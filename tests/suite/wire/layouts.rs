//! Parts that a header places by offset.

use bindpose::schema::{PathError, Record, delete};
use bindpose::wire::{FixedLenList, Layout, Placed};

use super::*;

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Model {
    #[br(temp)]
    #[bw(try_calc = parts.count_of("names"))]
    #[schema(counts = "parts.names")]
    num_names: u8,
    #[br(temp)]
    #[bw(try_calc = parts.count_of("times"))]
    #[schema(counts = "parts.times")]
    num_times: u8,
    #[br(temp)]
    #[bw(try_calc = parts.offset_of(<Self as Schema>::HEAD, "names"))]
    #[schema(places = "parts.names")]
    ofs_names: u8,
    #[br(temp)]
    #[bw(try_calc = parts.offset_of(<Self as Schema>::HEAD, "times"))]
    #[schema(places = "parts.times")]
    ofs_times: u8,
    #[br(args(num_names, num_times, ofs_names, ofs_times))]
    parts: Layout<Parts>,
    rest: Rest,
}

#[derive(Schema)]
#[binrw]
#[br(import(num_names: u8, num_times: u8, ofs_names: u8, ofs_times: u8))]
#[derive(Clone, Debug, Default, PartialEq)]
struct Parts {
    #[br(args(ofs_names.into(), num_names.into(), (num_names.into(),)))]
    names: Placed<List<FixedStr<2>>>,
    #[br(args(ofs_times.into(), num_times.into(), (num_times.into(),)))]
    times: Placed<List<u16>>,
}

/// Two times after an unused byte, and a name after them.
const SWAPPED: [u8; 11] = [1, 2, 9, 5, 0xee, 1, 0, 2, 0, b'a', b'b'];

fn delete_at(model: &mut Model, path: &str) {
    delete(model, &path.parse().expect("a path")).expect("an element");
}

#[test]
fn parts_keep_their_order_and_the_bytes_between_them() {
    let model: Model = survives(&SWAPPED);
    assert_eq!(model.parts.order(), ["times", "names"]);
    assert_eq!(model.parts.size(), 7);
    let leaves = [
        "num_names 0..1 1",
        "num_times 1..2 2",
        "ofs_names 2..3 9",
        "ofs_times 3..4 5",
        "parts.gap_0 4..5 hex:ee",
        "parts.times[0] 5..7 1",
        "parts.times[1] 7..9 2",
        "parts.names[0] 9..11 ab",
    ];
    assert_eq!(map(&model)[..8], leaves);
}

#[test]
fn offsets_and_counts_follow_from_the_parts() {
    let mut model: Model = survives(&SWAPPED);
    delete_at(&mut model, "parts.times[0]");
    assert_eq!(written(&model), [1, 1, 7, 5, 0xee, 2, 0, b'a', b'b']);
    set(&mut model, "parts.gap_0", "hex:dd").expect("a free leaf");
    set(&mut model, "parts.names[0]", "c").expect("a free leaf");
    assert_eq!(written(&model), [1, 1, 7, 5, 0xdd, 2, 0, b'c', 0]);
    model.parts.swap(0, 1);
    model.parts.set_gap(0, Vec::new());
    model.parts.set_gap(1, vec![3, 4]);
    assert_eq!(written(&model), [1, 1, 4, 8, b'c', 0, 3, 4, 2, 0]);
    assert!(set(&mut model, "ofs_names", "5").is_err());
}

#[test]
fn of_overlapping_parts_the_first_one_keeps_its_content() {
    let model: Model = survives(&[1, 1, 4, 5, b'a', b'b', 7]);
    assert_eq!((model.parts.order(), &*model.rest.0), (vec!["names"], &[7][..]));
    let schema::Node::Broken(error) = model.parts.times.node() else { panic!("{model:?}") };
    assert_eq!((error.offset(), error.message().as_str()), (5, "overlaps the previous part"));
    // A part without elements overlaps none.
    let model: Model = survives(&[0, 1, 4, 4, 7, 0]);
    assert_eq!((model.parts.order(), model.parts.times[0]), (vec!["names", "times"], 7));
    let model: Model = survives(&[1, 0, 4, 4, b'a', b'b']);
    assert_eq!((model.parts.order(), &model.parts.names[0]), (vec!["times", "names"], &FixedStr(*b"ab")));
}

#[test]
fn a_part_outside_the_file_keeps_its_place_in_the_header() {
    let mut model: Model = survives(&[1, 0, 200, 4]);
    assert!(!model.parts.names.is_laid_out() && model.parts.times.is_laid_out());
    let schema::Node::Broken(error) = model.parts.names.node() else { panic!("{model:?}") };
    assert!(error.message().contains("starts at offset 200"), "{error}");
    assert!(set(&mut model, "parts.names[0]", "a").expect_err("no names").contains("damaged"));
    // Without elements, it is not damaged.
    let model: Model = survives(&[0, 0, 200, 4]);
    assert!(matches!(model.parts.names.node(), schema::Node::Absent));
    assert_ne!(model, survives(&[0, 0, 201, 4]));
    assert_eq!(model, survives(&[0, 0, 200, 4]));
}

#[test]
fn parts_are_equal_by_their_content() {
    let [one, other] = [[1_u16, 2], [1, 3]].map(|times| Placed::from(List::from(times.to_vec())));
    assert!(one != other && one == one.clone());
    let mut bytes = Cursor::new(Vec::new());
    one.write_le(&mut bytes).expect("four bytes");
    assert_eq!(bytes.into_inner(), [1, 0, 2, 0]);
    // The offset of a part with content follows from the layout.
    let shifted: Model = survives(&[1, 0, 5, 4, 0, b'a', b'b']);
    let model: Model = survives(&[1, 0, 4, 4, b'a', b'b']);
    assert_eq!(shifted.parts.names, model.parts.names);
    assert_ne!(shifted, model);
}

#[test]
fn a_field_of_no_part_is_reported() {
    let mut model: Model = survives(&SWAPPED);
    assert!(model.parts.field_mut("gap_1").is_some_and(|gap| gap.size() == 0));
    assert!(model.parts.field_mut("gap_2").is_none());
    let error = schema::get_text(&model, &"parts.nams".parse().expect("a path")).expect_err("no such part");
    assert!(matches!(error.kind(), ErrorKind::Path(PathError::NoField { .. })), "{error:?}");
    assert!(error.to_string().contains("`Parts` has no field `nams`"), "{error}");
}

#[test]
fn a_new_part_is_empty_and_has_its_place() {
    let new = Placed::<List<u16>>::default();
    assert!(new.is_laid_out() && new.is_empty());
    let like = Placed::from(FixedLenList::from(vec![1_u8, 2]));
    assert_eq!(Placed::blank(Some(&like)).to_vec(), [0, 0]);
}

#[test]
fn a_created_part_precedes_the_one_after_it_in_the_definition() {
    // No names, and two times after an unused byte.
    let mut model: Model = survives(&[0, 2, 0, 5, 0xee, 1, 0, 2, 0]);
    assert!(matches!(model.parts.names.node(), schema::Node::Absent));
    assert!(!model.parts.has_moved(Model::HEAD));
    let path = "parts.names".parse().expect("a path");
    schema::create(&mut model, &Model::shape(), &path, None, false).expect("an absent part");
    assert_eq!(model.parts.order(), ["names", "times"]);
    model.parts.names.push(FixedStr(*b"ab"));
    assert_eq!(written(&model), [1, 2, 4, 7, b'a', b'b', 0xee, 1, 0, 2, 0]);
    assert!(model.parts.has_moved(Model::HEAD));
    assert_eq!(survives::<Model>(&written(&model)), model);
    model.parts.names = Placed::absent();
    assert_eq!(written(&model), [0, 2, 0, 5, 0xee, 1, 0, 2, 0]);
}

#[test]
fn parts_are_aligned_by_bytes_before_them() {
    let mut model: Model = survives(&SWAPPED);
    model.parts.align(Model::HEAD, 4);
    assert_eq!(written(&model), [1, 2, 12, 8, 0xee, 0, 0, 0, 1, 0, 2, 0, b'a', b'b']);
}

/// Records that refer to other parts by offset.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Table {
    #[br(temp)]
    #[bw(try_calc = parts.count_of("entries"))]
    #[schema(counts = "parts.entries")]
    num_entries: u8,
    #[br(temp)]
    #[bw(try_calc = parts.offset_of(<Self as Schema>::HEAD, "entries"))]
    #[schema(places = "parts.entries")]
    ofs_entries: u8,
    #[br(args(num_entries, ofs_entries))]
    parts: Layout<TableParts>,
    rest: Rest,
}

#[derive(Schema)]
#[binrw]
#[br(import(num_entries: u8, ofs_entries: u8))]
#[derive(Clone, Debug, Default, PartialEq)]
struct TableParts {
    #[br(args(ofs_entries.into(), num_entries.into(), (num_entries.into(),)))]
    #[schema(offsets = Table::HEAD)]
    entries: Placed<List<Entry>>,
    #[br(args(entries.first().map_or(0, |own| own.offset.into()), 1, ()))]
    #[schema(args(entries[0].offset))]
    data_0: Placed<u16>,
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default)]
struct Entry {
    kind: u8,
    #[schema(places = "data_#")]
    offset: u8,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

#[test]
fn offsets_in_records_follow_the_parts() {
    let mut table: Table = survives(&[1, 2, 7, 4, 0xaa, 0xbb]);
    assert!(set(&mut table, "parts.entries[0].offset", "9").is_err());
    table.parts.set_gap(1, vec![0xee; 3]);
    assert_eq!(written(&table), [1, 2, 7, 7, 0xee, 0xee, 0xee, 0xaa, 0xbb]);
    assert_eq!(map(&table)[3], "parts.entries[0].offset 3..4 7");
    assert_eq!(survives::<Table>(&written(&table)), table);
}

#[test]
fn offsets_in_records_follow_the_parts_of_a_json_text() {
    let table: Table = survives(&[1, 2, 7, 4, 0xaa, 0xbb]);
    let longer = |offset: &str| {
        let entry = format!("{{\"kind\":7{offset}}}");
        let text = format!("{{\"parts\":{{\"entries\":[{entry}],\"gap_1\":\"hex:ee\",\"data_0\":1}}}}");
        let mut source = text.as_bytes();
        let read =
            bindpose::json::read(&mut bindpose::json::Cursor::new(&mut source), &Table::shape(), false);
        read.expect("a table").bytes
    };
    for offset in ["", ",\"offset\":4", ",\"offset\":0"] {
        assert_eq!(longer(offset), [1, 2, 7, 5, 0xee, 1, 0], "{offset}");
    }
    assert_ne!(written(&table), longer(""));
}
