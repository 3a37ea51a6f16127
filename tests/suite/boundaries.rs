//! Tests field types at the boundaries of their implementation: ends of blocks, limits, widths. Both sides must agree.

use std::io::{Cursor, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use bindpose::codec::in_place;
use bindpose::formats::unigine::{CInt, MaybeCounted, Table};
use bindpose::schema::{Items, Leaf, NodeMut, Schema, Value, array, locate, set_text};
use bindpose::wire::{
    Content, Counted, FixedLenList, FixedStr, LenStr, List, Packed, Part, Rest, SmallList, Source, Stream,
    charge, into_error, note_field, note_inside, refuse,
};
use bindpose::{Budget, ErrorKind, LimitError, Limits};
use binrw::{BinRead, BinWrite, Endian};
use proptest::collection::vec;
use proptest::prelude::*;

pub fn read<T: for<'a> BinRead<Args<'a> = A>, A>(bytes: &[u8], args: A) -> binrw::BinResult<T> {
    T::read_options(&mut Source::new(bytes), Endian::Little, args)
}

pub fn written<T: for<'a> BinWrite<Args<'a> = ()>>(value: &T) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    value.write_options(&mut bytes, Endian::Little, ()).expect("bytes");
    bytes.into_inner()
}

fn some_bytes(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}

/// An operation of a reader.
#[derive(Clone, Copy, Debug)]
enum Request {
    Some(usize),
    Exactly(usize),
    ToEnd,
    Seek(SeekFrom),
    Where,
}

fn request() -> impl Strategy<Value = Request> {
    prop_oneof![
        (0_usize..9).prop_map(Request::Some),
        (0_usize..9).prop_map(Request::Exactly),
        Just(Request::ToEnd),
        (0_u64..50).prop_map(|at| Request::Seek(SeekFrom::Start(at))),
        (-50_i64..50).prop_map(|by| Request::Seek(SeekFrom::Current(by))),
        (-50_i64..=0).prop_map(|by| Request::Seek(SeekFrom::End(by))),
        Just(Request::Where),
    ]
}

/// Returns the result of an operation; `None` for an error.
fn answer(reader: &mut (impl Read + Seek), request: Request) -> Option<(Vec<u8>, u64)> {
    let mut bytes = Vec::new();
    match request {
        Request::Some(len) => {
            bytes.resize(len, 0xee);
            let len = reader.read(&mut bytes).ok()?;
            bytes.truncate(len);
        }
        Request::Exactly(len) => {
            bytes.resize(len, 0xee);
            reader.read_exact(&mut bytes).ok()?;
        }
        Request::ToEnd => _ = reader.read_to_end(&mut bytes).ok()?,
        Request::Seek(to) => _ = reader.seek(to).ok()?,
        Request::Where => {}
    }
    Some((bytes, reader.stream_position().ok()?))
}

proptest! {
    /// Compares it with a cursor, which unlike the source can seek beyond the end.
    #[test]
    fn a_source_behaves_like_a_cursor(len in 0_usize..40, requests in vec(request(), 0..30)) {
        let bytes = some_bytes(len);
        let (mut source, mut cursor) = (Source::new(&bytes), Cursor::new(&bytes));
        for request in requests {
            let before = cursor.position();
            let theirs = answer(&mut cursor, request).filter(|(_, at)| *at <= len as u64);
            if theirs.is_none() {
                cursor.set_position(before);
            }
            prop_assert_eq!(answer(&mut source, request), theirs, "{:?}", request);
            prop_assert_eq!(source.stream_position().ok(), Some(cursor.position()));
        }
    }
}

#[test]
fn lists_agree_on_both_sides_of_every_boundary() {
    // On the stack up to 256 bytes, in one block up to 64 KiB, then in several.
    for len in [0, 1, 84, 85, 86, 21_844, 21_845, 21_846, 43_690, 43_691] {
        let bytes = some_bytes(len * 3);
        let list: List<[u8; 3]> = read(&bytes, (i64::try_from(len).expect("a length"),)).expect("a list");
        assert_eq!((list.len(), list.size()), (len, bytes.len() as u64));
        assert!(written(&list) == bytes, "{len} records");
        let short = bytes.len().saturating_sub(1);
        let error = read::<List<[u8; 3]>, _>(&bytes[..short], (i64::try_from(len).expect("a length"),)).err();
        assert_eq!(error.is_some(), len > 0);
    }
}

#[test]
fn records_of_variable_size_agree_on_both_sides_of_every_boundary() {
    // One by one up to 16, then by blocks of 16 KiB; a record of 1 + 2n bytes crosses their ends.
    for len in [0, 1, 15, 16, 17, 2339, 2340, 2341, 2342, 5000] {
        let records = (0..len).map(|index: usize| {
            SmallList::<u8, u16, 4>::new([7; 9].into_iter().take(index % 7)).expect("few")
        });
        let bytes: Vec<u8> = records.flat_map(|record| written(&record)).collect();
        let list: List<Weights> = read(&bytes, (i64::try_from(len).expect("a length"),)).expect("a list");
        assert_eq!((list.len(), list.size()), (len, bytes.len() as u64));
        assert!(written(&list) == bytes, "{len} records");
        assert!(
            len == 0
                || bytes.is_empty()
                || read::<List<Weights>, _>(&bytes, (1 + i64::try_from(len).expect("a length"),)).is_err()
        );
        for (index, record) in list.iter().enumerate() {
            assert_eq!(record.values.len(), index % 7);
        }
    }
}

/// A record that begins with its own count needs a struct around it.
#[derive(Schema)]
#[binrw::binrw]
#[derive(Clone, Debug, PartialEq)]
struct Weights {
    values: SmallList<u8, u16, 4>,
}

#[test]
fn a_small_list_holds_up_to_255_elements_inline() {
    for len in [0, 1, 4, 5, 255] {
        let items: Vec<u16> = (0..len).collect();
        let mut few = SmallList::<u8, u16, 4>::new(items.iter().copied()).expect("few");
        assert_eq!(*few, items[..]);
        let bytes = written(&few);
        assert_eq!(bytes.len() as u64, 1 + few.size());
        assert_eq!(read::<SmallList<u8, u16, 4>, ()>(&bytes, ()).expect("few"), few);
        assert_eq!(SmallList::<u8, u16, 4>::decode_prefix(&bytes), Some((few.clone(), bytes.len())));
        assert_eq!(SmallList::<u8, u16, 4>::decode_prefix(&bytes[..bytes.len() - 1]), None);
        let (middle, len) = (items.len() / 2, items.len());
        assert_eq!(few.insert(middle), len < 255);
        assert!(!few.insert(few.len() + 1));
        if len < 255 {
            assert_eq!((few.len(), few[middle]), (len + 1, 0));
            assert!(few.remove(middle));
        }
        assert_eq!(*few, items[..]);
        assert!(!few.remove(few.len()));
        let differs = SmallList::<u8, u16, 4>::new([&items[..], &[9]].concat());
        assert!(differs.is_none_or(|other| other != few));
    }
    assert_eq!(SmallList::<u8, u16, 4>::new([0; 256]), None);
}

fn limited(permitted: u64) -> Budget {
    Budget::of(&Limits::default().with_max_memory(permitted), 0)
}

#[test]
fn memory_is_charged_as_it_is_allocated() {
    let bytes = [7; 100];
    let used = |count: u8, permitted: u64| {
        let mut source = Source::new(&bytes).within(&limited(permitted));
        let list = List::<u8>::read_options(&mut source, Endian::Little, (count.into(),));
        list.map(|list| list.len()).map_err(into_error)
    };
    for (count, allocated) in [(1, 32), (24, 32), (25, 48), (60, 80)] {
        let needed = allocated;
        assert_eq!(used(count, needed), Ok(count.into()));
        let error = used(count, needed - 1).expect_err("one byte too few");
        let limit = LimitError::Memory { needed, permitted: needed - 1 };
        assert_eq!((error.offset(), error.kind()), (0, &ErrorKind::Limit(limit)));
    }
    assert_eq!(used(0, 0), Ok(0));
    assert_eq!(used(101, u64::MAX).expect_err("too many").offset(), 100);
}

#[test]
fn a_short_text_is_charged_with_the_smallest_allocation() {
    let bytes = written(&LenStr::<u8>::new(b"A"));
    let read = |permitted| {
        let mut source = Source::new(&bytes).within(&limited(permitted));
        LenStr::<u8>::read_options(&mut source, Endian::Little, ())
    };
    assert_eq!(read(32).expect("a text").text(), b"A");
    assert!(read(31).is_err());
}

#[test]
fn readers_of_ones_own_are_limited() {
    let read = || List::<u8>::read_options(&mut Cursor::new([7; 100]), Endian::Little, (60,));
    let file = Source::new(&[]).within(&limited(79));
    let error = into_error(read().expect_err("a byte too much"));
    assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{error}");
    drop(file);
    assert!(read().is_ok());
}

#[test]
fn without_a_budget_there_is_no_limit() {
    let mut cursor = Cursor::new([1, 2, 3]);
    assert!(charge(&mut cursor, usize::MAX).is_ok());
    assert_eq!(cursor.position(), 0);
    let mut source = Source::new(&[1, 2, 3]);
    assert!(charge(&mut source, usize::MAX).is_ok());
    assert_eq!(source.stream_position().expect("a position"), 0);
}

#[test]
fn an_edit_of_a_table_changes_only_the_given_cells() {
    let mut table: Table<u16, u8> = Table::new(2);
    for row in [[1, 2], [3, 9], [5, 6]] {
        table.push(row).expect("a row");
    }
    let rows = |table: &Table<u16, u8>| -> Vec<Vec<u8>> {
        (0..table.len()).map(|row| table.row(row).collect()).collect()
    };
    assert!(table.push([1]).is_err());
    assert_eq!(rows(&table), [[1, 2], [3, 9], [5, 6]]);
    assert!(Items::insert(&mut table, 1) && Items::insert(&mut table, 4) && !Items::insert(&mut table, 9));
    assert_eq!(rows(&table), [[1, 2], [0, 0], [3, 9], [5, 6], [0, 0]]);
    assert!(Items::remove(&mut table, 0) && Items::remove(&mut table, 3) && !Items::remove(&mut table, 3));
    assert_eq!(rows(&table), [[0, 0], [3, 9], [5, 6]]);
    let bytes = [&[3, 0][..], &[0, 0, 3, 9, 5, 6]].concat();
    assert_eq!((written(&table), table.size()), (bytes.clone(), 6));
    let again: Table<u16, u8> = read(&bytes, (2,)).expect("a table");
    assert_eq!((rows(&again), written(&again)), (rows(&table), bytes.clone()));
    assert!(read::<Table<u16, u8>, _>(&bytes[..7], (2,)).is_err());
    let mut seen = Vec::new();
    let _ = Items::each(&table, 1, &mut |row, value| {
        seen.push((row, value.size()));
        ControlFlow::Continue(())
    });
    assert_eq!(seen, [(1, 2), (2, 2)]);
    assert_eq!((table.get(2, 1), table.get(2, 2), table.get(3, 0)), (Some(6), None, None));
    let mut swap = |row: usize, cells: &mut dyn Value| {
        let NodeMut::Items(cells) = cells.node_mut() else { panic!("no cells") };
        if row == 2 {
            return Err(bindpose::Error::new(0, bindpose::ErrorKind::Value("the last row stays".into())));
        }
        assert!(Items::remove(cells, 0) && Items::insert(cells, 1));
        Ok(())
    };
    assert!(Items::change(&mut table, &[1, 2], &mut swap).is_err());
    assert_eq!(rows(&table), [[0, 0], [3, 9], [5, 6]], "all or none");
    Items::change(&mut table, &[0, 1], &mut swap).expect("two rows");
    assert_eq!(rows(&table), [[0, 0], [9, 0], [5, 6]]);
}

#[test]
fn tables_agree_on_both_sides_of_every_boundary() {
    for rows in [0, 1, 5, 6, 5461, 5462, 20_000] {
        let cells = some_bytes(rows * 3);
        let bytes = [&u32::try_from(rows).expect("a count").to_le_bytes()[..], &cells, b"next"].concat();
        let mut source = Source::new(&bytes);
        let table = Table::<u32, u8>::read_options(&mut source, Endian::Little, (3,)).expect("a table");
        assert_eq!((table.len(), source.stream_position().ok()), (rows, Some(bytes.len() as u64 - 4)));
        assert!(written(&table) == bytes[..bytes.len() - 4], "{rows} rows");
    }
}

#[test]
fn rows_without_cells_are_only_a_count() {
    let mut table: Table<u32, u8> = read(&[0xff, 0xff, 0xff, 0x7f], (0,)).expect("a count");
    assert!(table.is_empty() && table.push([]).is_err() && !Items::insert(&mut table, 0));
    assert_eq!(written(&table), [0xff, 0xff, 0xff, 0x7f]);
}

#[test]
fn counts_follow_their_lists_wherever_they_are() {
    let here: MaybeCounted<u8, u16> = vec![1, 2].into();
    let there = here.clone().there();
    assert_eq!((written(&here), written(&there)), (vec![2, 1, 0, 2, 0], vec![1, 0, 2, 0]));
    assert_eq!((here.size(), there.size(), written(&there.clone().here())), (4, 4, written(&here)));
    assert_eq!(read::<MaybeCounted<u8, u16>, _>(&[1, 0, 2, 0], (Some(2),)).expect("a list"), there);
    let again: MaybeCounted<u8, u16> = read(&[2, 1, 0, 2, 0], (None,)).expect("a list");
    assert_eq!((&*again, written(&again)), (&*here, written(&here)));
    assert!(read::<MaybeCounted<u8, u16>, _>(&[1, 0, 2], (Some(2),)).is_err());
    assert!(matches!(Schema::blank(Some(&there)), MaybeCounted::<u8, u16>::External(_)));
    let mut list: Counted<u8, u16> = vec![1, 2, 3].into();
    list.remove(1);
    assert_eq!(written(&list), [2, 1, 0, 3, 0]);
    assert_eq!((&list).into_iter().chain(&here).copied().collect::<Vec<_>>(), [1, 3, 1, 2]);
}

#[test]
fn built_values_equal_decoded_ones() {
    let built: Counted<u16, u8> = vec![7].into();
    let again = read(&written(&built), ()).expect("a list");
    assert_eq!(built, again);
    let name = LenStr::<u16, true>::new(b"hips");
    assert_eq!(read::<LenStr<u16, true>, ()>(&written(&name), ()).expect("a text"), name);
    let mut table: Table<u16, u8> = Table::new(1);
    table.push([7]).expect("a row");
    let again = read::<Table<u16, u8>, _>(&written(&table), (1,)).expect("a table");
    assert!(table == again);
    let here: MaybeCounted<u8, u16> = vec![1].into();
    let there = here.clone().there();
    assert_eq!((&here, &there), (&vec![1].into(), &there.clone()));
    assert!(
        here != there && here != vec![2].into() && there != MaybeCounted::<u8, u16>::from(vec![2]).there()
    );
    // Two encodings of the same number are different.
    let padded: Counted<CInt, u8> = read(&[0x81, 0x00, 7], ()).expect("a list");
    assert_ne!(padded, vec![7].into());
}

#[test]
fn an_element_can_be_inserted_and_removed_at_every_index() {
    fn wherever<T: Value + for<'a> BinWrite<Args<'a> = ()>>(mut value: T) {
        let before = written(&value);
        let NodeMut::Items(list) = value.node_mut() else { panic!("no list") };
        assert!(!list.insert(4) && !list.remove(3) && list.len() == 3);
        for index in 0..=3 {
            let NodeMut::Items(list) = value.node_mut() else { panic!("no list") };
            assert!(list.insert(index) && list.len() == 4);
            let longer = written(&value);
            assert_eq!(longer.len(), before.len() + 2);
            assert_eq!(longer[longer.len() - 8..][index * 2..][..2], [0, 0], "inserted at {index}");
            let NodeMut::Items(list) = value.node_mut() else { panic!("no list") };
            assert!(list.item_mut(index).is_some() && list.item_mut(4).is_none());
            assert!(list.remove(index));
            assert_eq!(written(&value), before);
        }
    }
    let numbers = vec![0x0101_u16, 0x0202, 0x0303];
    wherever(List::from(numbers.clone()));
    wherever(Counted::<u8, u16>::from(numbers.clone()));
    wherever(Stream::from(numbers.clone()));
    wherever(MaybeCounted::<u8, u16>::from(numbers.clone()));
    wherever(SmallList::<u8, u16, 2>::new(numbers).expect("few"));
}

#[test]
fn elements_without_bytes_are_limited_by_the_bytes_left() {
    for left in [0, 1, 5] {
        let bytes = some_bytes(left);
        let list = |count| read::<List<[u8; 0]>, _>(&bytes, (i64::try_from(count).expect("a count"),));
        assert_eq!(list(left + 1).expect("a list").len(), left + 1);
        assert!(list(left + 2).is_err());
    }
}

#[test]
fn an_absent_value_can_be_created() {
    let mut number: Option<u16> = None;
    number.create(None).expect("a number");
    assert_eq!(number, Some(0));
    assert!(number.create(None).is_err());
}

#[test]
fn all_bits_of_a_float_can_be_written_as_text() {
    let (mut single, mut double) = (0_f32, 0_f64);
    single.assign("0x7f800001").expect("a signalling NaN");
    double.assign("0x7ff0000000000001").expect("a signalling NaN");
    assert_eq!((single.to_bits(), double.to_bits()), (0x7f80_0001, 0x7ff0_0000_0000_0001));
    assert!(single.assign("0x7ff0000000000001").is_err() && double.assign("0x").is_err());
}

/// A record with optional fields that is nevertheless read from a block.
#[derive(Schema)]
#[binrw::binrw]
#[derive(Clone, Debug, Default, PartialEq)]
struct Flagged {
    #[schema(decides = "numbers")]
    flags: u8,
    #[br(if(flags & 1 != 0))]
    numbers: Option<SmallList<u8, u16, 2>>,
    #[br(if(flags & 2 != 0))]
    number: Option<u16>,
}

#[test]
fn the_size_of_a_record_is_the_bytes_it_takes() {
    const { assert!(<Flagged as Schema>::BULK) };
    for flags in 0..4 {
        let bytes = [flags, 3, 1, 2, 3, 4, 5, 6, 7, 8];
        for end in 0..bytes.len() {
            let taken = Flagged::decode_prefix(&bytes[..end]);
            assert_eq!(Flagged::span(&bytes[..end]), taken.as_ref().map(|(_, size)| *size), "{flags} {end}");
            let slowly = read::<Flagged, ()>(&bytes[..end], ()).ok();
            assert_eq!(taken.map(|(record, _)| record), slowly, "{flags} {end}");
        }
    }
}

/// The packed content of the tests.
#[derive(Schema)]
#[binrw::binrw]
#[derive(Clone, Debug, Default, PartialEq)]
struct Parcel {
    numbers: Counted<u8, u8>,
}

impl Content for Parcel {
    type ContentArgs = ();

    fn nothing() -> Self {
        Self::default()
    }

    fn unpacked<R: Read + Seek>(reader: &mut R, (): &()) -> binrw::BinResult<Self> {
        Self::read_options(reader, Endian::Little, ())
    }
}

fn parcel(numbers: &[u8]) -> Parcel {
    Parcel { numbers: numbers.to_vec().into() }
}

fn packed(stored: &[u8], len_unpacked: i64) -> binrw::BinResult<Packed<Parcel>> {
    let len_packed = i64::try_from(stored.len()).expect("a length");
    read(stored, (len_unpacked, len_packed, ()))
}

#[test]
fn packed_bytes_of_the_size_of_their_content_are_plain() {
    // For some length, the packed form has exactly the size of the content, and must not be used.
    for len in 0..60 {
        for run in 1..12 {
            let numbers: Vec<u8> =
                (0..len).map(|at: u8| if at % 16 < run { 0 } else { at.wrapping_mul(7) }).collect();
            let content = parcel(&numbers);
            let fresh = Packed::new(&content, ()).expect("a parcel");
            let again = packed(fresh.stored(), fresh.len_unpacked()).expect("a parcel");
            assert_eq!(again.content(), Ok(&content), "{len} {run}");
        }
    }
    let plain = packed(&[2, 8, 9], 3).expect("nothing to unpack");
    assert_eq!(plain.content(), Ok(&parcel(&[8, 9])));
}

#[test]
fn bytes_with_a_false_length_are_not_unpacked() {
    let why = |stored: &[u8], len: i64| {
        let lying = packed(stored, len).expect("bytes");
        lying.content().expect_err("no content").to_string()
    };
    assert!(why(&[0x10, 7], 2 * 255 + 1).contains("cannot unpack to 511"));
    assert!(why(&[0x10, 7], i64::MAX).contains("cannot unpack to"));
    assert!(!why(&[0x10, 7], 2 * 255).contains("cannot unpack to"));
}

#[test]
fn packed_bytes_are_preserved_until_their_content_changes() {
    // Two literals in an encoding that no packer writes: with an empty run before them.
    let stored = [0x20, 1, 7];
    let mut value = packed(&stored, 2).expect("a parcel");
    assert_eq!(value.content(), Ok(&parcel(&[7])));
    value.edit(|content| *content = parcel(&[7])).expect("the same");
    assert_eq!(value.stored(), stored);
    assert!(value.assign("7").is_err() && value.assign_bytes(&[1, 7]).is_err());
    value.assign_bytes(&stored).expect("the same");
    value.assign_bytes(&[0x20, 1, 9]).expect("as many bytes");
    assert_eq!(value.content(), Ok(&parcel(&[9])));
    value.edit(|content| content.numbers.push(5)).expect("another");
    assert_eq!(value.content(), Ok(&parcel(&[9, 5])));
    let mut part = Part::Present(value);
    part.replace_inside(&[1, 4]).expect("a content");
    assert!(part.replace_inside(&[2, 4]).is_err(), "one is missing");
    assert_eq!(part.present().map(|value| value.content().cloned()), Some(Ok(parcel(&[4]))));
    assert!(Part::<Packed<Parcel>>::Absent.replace_inside(&[1, 4]).is_err());
}

#[test]
fn rows_have_a_fixed_length() {
    let mut row: FixedLenList<u16> = read(&[1, 0, 2, 0], (2,)).expect("a row");
    assert!(!Items::insert(&mut row, 0) && !Items::remove(&mut row, 0));
    row[1] = 9;
    assert_eq!((written(&row), row.size(), Items::len(&row)), (vec![1, 0, 9, 0], 4, 2));
    assert_eq!(FixedLenList::<u16>::zeros(3), vec![0; 3].into());
}

#[test]
fn parts_report_their_state() {
    let mut part: Part<u16> = Part::Absent;
    assert_eq!((part.present(), part.size(), written(&part)), (None, 0, Vec::new()));
    part.create(None).expect("a new part");
    *part.present_mut().expect("the part") = 7;
    assert_eq!((part.is_present(), part.size(), written(&part)), (true, 2, vec![7, 0]));
    assert!(part.create(None).is_err());
    let broken: Part<u16> = read(&[1], (true, ())).expect("a part");
    assert_eq!((broken.is_present(), broken.size(), broken.present().is_some()), (false, 0, false));
    assert_eq!(read::<Part<u16>, _>(&[7, 0], (false, ())).expect("no part"), Part::Absent);
}

#[test]
fn a_stream_reads_complete_records_only() {
    for (len, records) in [(0, 0), (2, 0), (3, 1), (300, 100), (302, 100)] {
        let bytes = some_bytes(len);
        let mut source = Source::new(&bytes);
        let stream = Stream::<[u8; 3]>::read_options(&mut source, Endian::Little, ()).expect("a stream");
        let rest = Rest::read_options(&mut source, Endian::Little, ()).expect("a rest");
        assert_eq!((stream.len(), stream.stopped().is_some()), (records, len % 3 != 0));
        assert_eq!(rest.0, bytes[records * 3..]);
        assert!(written(&stream) == bytes[..records * 3]);
    }
}

#[test]
fn the_path_of_an_error_names_elements_and_counts() {
    let error = read::<Counted<u8, FixedStr<4>>, _>(&[2, 1, 2, 3, 4, 5], ()).expect_err("one and a bit");
    assert!(error.to_string().contains("[1]"), "{error}");
    let error = read::<Counted<u16, u8>, _>(&[2], ()).expect_err("half a count");
    assert!(error.to_string().contains("num_"), "{error}");
    let error = read::<LenStr<i32>, _>(&[0xff; 4], ()).expect_err("a negative length");
    assert!(error.to_string().contains("len_"), "{error}");
    let error = note_field(note_inside(refuse(7, ErrorKind::Internal("odd".into()))), "bones");
    assert!(error.to_string().contains("bones") && error.to_string().contains('!'), "{error}");
    let error = into_error(error);
    assert_eq!((error.offset(), error.path().to_string()), (7, "bones!".into()));
}

#[test]
fn texts_fill_their_fields_to_the_last_byte() {
    let mut name = FixedStr(*b"hips\0xyz");
    assert_eq!((name.text(), name.junk()), (&b"hips"[..], &b"xyz"[..]));
    name.set(b"shoulder").expect("eight bytes");
    assert_eq!((name.text(), name.junk()), (&b"shoulder"[..], &b""[..]));
    name.set(b"").expect("an empty text");
    assert_eq!(name, FixedStr([0; 8]));
    let mut name = FixedStr(*b"ab\0cd\0\0\0");
    assert_eq!((name.scrub(), name.0), (2, *b"ab\0\0\0\0\0\0"));
    assert_eq!((name.scrub(), 7_u8.scrub()), (0, 0));
    let mut text: LenStr<u8, true> = read(&[3, b'a', b'b', 0], ()).expect("a text");
    assert_eq!((text.text(), text.stored(), text.size()), (&b"ab"[..], &b"ab\0"[..], 3));
    text.set(b"xyz");
    assert_eq!(written(&text), [4, b'x', b'y', b'z', 0]);
    // 254 bytes and their NUL are the maximum for a length of one byte.
    assert!(text.assign(&"x".repeat(255)).is_err());
    text.assign(&"x".repeat(254)).expect("255 with the NUL");
    assert!(text.assign_bytes(&[0; 256]).is_err());
    let mut bare: LenStr<u8, true> = read(&[2, b'a', b'b'], ()).expect("a text without its NUL");
    bare.set(b"c");
    assert_eq!(written(&bare), [1, b'c']);
}

#[test]
fn different_values_are_not_equal() {
    let texts = [&b"a"[..], b"b", b""].map(LenStr::<u16, true>::new);
    assert!(texts[0] != texts[1] && texts[1] != texts[2]);
    let mut tables: [Table<u16, u8>; 2] = [Table::new(1), Table::new(1)];
    tables[0].push([7]).expect("a row");
    assert!(tables[0] != tables[1]);
    tables[1].push([8]).expect("a row");
    assert!(tables[0] != tables[1]);
}

#[test]
fn a_nul_ends_a_text_only_if_the_format_specifies_it() {
    let stored = b"a\0".to_vec();
    assert_eq!(LenStr::<u8, false>::from_stored(stored.clone()).text(), b"a\0");
    assert_eq!(LenStr::<u8, true>::from_stored(stored).text(), b"a");
    let mut empty = LenStr::<u8, true>::from_stored(Vec::new());
    empty.set(b"");
    assert_eq!(empty.stored(), b"");
    empty.set(b"a");
    assert_eq!(empty.stored(), b"a\0");
    let mut name = FixedStr([0; 4]);
    name.assign("hip").expect("three letters");
    assert_eq!((name.0, name.type_name()), (*b"hip\0", "text"));
}

#[test]
fn an_array_of_packed_content_is_a_copy() {
    let plain = packed(&[1, 7], 2).expect("nothing to unpack");
    let array = array(&plain, &[1, 7], &"!".parse().expect("a path")).expect("two bytes");
    assert_eq!((array.to_vec(), array.bytes(), array.source()), (vec![1, 7], &[1, 7][..], None));
}

#[test]
fn packed_content_is_where_its_packed_bytes_are() {
    let before = packed(&[2, 7, 8], 3).expect("nothing to unpack");
    let path = "!numbers[0]".parse().expect("a path");
    let places = locate(&before, &path).expect("a number");
    assert_eq!((places[0].range.clone(), places[0].path.to_string()), (0..3, "!numbers[0]".into()));
    let mut after = before.clone();
    let edits = set_text(&mut after, &path, "9").expect("a number");
    assert_eq!((after.stored(), before.size()), (&[2, 9, 8][..], after.size()));
    assert_eq!(in_place(&before, &after, &edits), None);
}
