//! Short lists, gaps, named bits, and bytes after the end of texts.

use std::io::Seek as _;
use std::ops::Range;

use bindpose::codec::in_place;
use bindpose::formats::unigine::MaybeCounted;
use bindpose::formats::unigine::Table;
use bindpose::schema::{EditError, Items, Leaf, Plain, junk, scrub};
use bindpose::wire::{FixedLenList, Gap, SmallList};

use super::*;

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Bone {
    name: FixedStr<8>,
    id: u8,
    parent: FixedStr<4>,
    note: LenStr<u8>,
}

#[test]
fn bytes_after_the_end_of_a_text_are_listed_and_zeroed() {
    let mut bone: Bone = survives(b"hip\0\xcdxyz\x07root\x03a\0b");
    let found: Vec<_> = junk(&bone).into_iter().map(|(path, bytes)| (path.to_string(), bytes)).collect();
    assert_eq!(found, [("name".into(), b"\xcdxyz".to_vec())]);
    for path in ["name", "id", "parent", "note"] {
        scrub(&mut bone, &path.parse().expect("a path")).expect("a leaf");
    }
    assert_eq!(written(&bone), b"hip\0\0\0\0\0\x07root\x03a\0b");
    assert!(scrub(&mut bone, &"names".parse().expect("a path")).is_err());
}

#[test]
fn a_short_list_grows_and_shrinks() {
    let mut list: SmallList<u8, u16, 2> = SmallList::new([1, 2, 3]).expect("three elements");
    assert!(list.keep(1));
    assert_eq!(*list, [1]);
    assert!(list.insert(1) && !list.insert(3));
    assert!(!list.remove(2) && list.remove(0));
    assert_eq!(*list, [0]);
    let mut full: SmallList<u8, u8, 2> = SmallList::new([7; 255]).expect("255 elements");
    assert!(!full.insert(0));
    assert!(SmallList::<u8, u8, 2>::new([7; 256]).is_none());
    assert_eq!(full.len(), 255);
    let mut grown = SmallList::<i32, u16, 2>::default();
    for len in 1..4 {
        assert!(grown.push_blank());
        assert_eq!((grown.len(), Items::announced(&grown)), (len, len));
    }
    assert!(!SmallList::<u8, u8, 2>::new([7; 255]).expect("255 elements").push_blank());
}

#[test]
fn a_short_list_keeps_the_count_of_a_truncated_file() {
    let bytes = [232, 3, 0, 0, 1, 0, 2];
    let mut source = Source::truncated(&bytes);
    let list = SmallList::<i32, u16, 4>::read_options(&mut source, Endian::Little, ()).expect("a part");
    assert_eq!((&list[..], Items::announced(&list)), (&[1, 2][..], 1000));
    assert_ne!(list, SmallList::new([1, 2]).expect("few"));
    let mut written = Cursor::new(Vec::new());
    list.write_options(&mut written, Endian::Little, ()).expect("written");
    assert_eq!(written.into_inner()[..bytes.len()], bytes);
}

#[test]
fn a_short_list_reads_its_own_bytes_alone() {
    let mut source = Source::new(&[4, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 9]);
    let list = SmallList::<i32, u16, 4>::read_options(&mut source, Endian::Little, ()).expect("four");
    assert_eq!((&list[..], source.stream_position().expect("a position")), (&[1, 2, 3, 4][..], 12));
    let mut source = Source::truncated(&[3, 0, 0, 0, 1, 0, 2]);
    let list = SmallList::<i32, u16, 4>::read_options(&mut source, Endian::Little, ()).expect("a part");
    assert_eq!((&list[..], Items::announced(&list)), (&[1, 2][..], 3));
}

#[test]
fn a_list_differs_from_one_of_which_elements_are_missing() {
    let part = |count: i64| {
        List::<u8>::read_options(&mut Source::truncated(&[7]), Endian::Little, (count,)).expect("a part")
    };
    assert_eq!(part(1), List::from(vec![7]));
    assert_ne!(part(2), List::from(vec![7]));
    assert_ne!(part(2), part(3));
    let mut kept = part(3);
    assert!(Items::keep(&mut kept, 1));
    assert_eq!(kept, part(1));
}

#[test]
fn new_elements_are_zeros() {
    let shown = |items: &dyn Items| {
        let mut blank = Vec::new();
        items.blank_item(&mut |value| blank.push(schema::bytes_of(value)));
        blank
    };
    assert_eq!(shown(&SmallList::<u8, u16, 2>::default()), [[0; 2]]);
    assert_eq!(shown(&FixedLenList::from(vec![1_u32])), [[0; 4]]);
    assert_eq!(shown(&List::from(vec![1_u8])), [[0; 1]]);
    assert_eq!(count::<u8>(&vec![1, 2, 3]), Ok(3));
    assert_eq!(count::<u8>(&MaybeCounted::<u8, u8>::from(vec![1, 2, 3])), Ok(3));
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Names {
    first: LenStr<u8>,
    second: LenStr<u8>,
}

#[test]
fn an_edit_is_in_place_if_it_moves_no_other_field() {
    let before: Names = survives(b"\x01x\x02yz");
    let ranges = |edits: &[(&str, &str)]| {
        let mut after = before.clone();
        let edited = |(path, text): &(&str, &str)| {
            schema::set_text(&mut after, &path.parse().expect("a path"), text).expect("a text")
        };
        let edits: Vec<_> = edits.iter().flat_map(edited).collect();
        in_place(&before, &after, &edits)
    };
    let only = |range: Range<u64>| Some(vec![range]);
    assert_eq!(ranges(&[("first", "w")]), only(1..2));
    assert_eq!(ranges(&[("second", "ab")]), only(3..5));
    assert_eq!(ranges(&[("second", "abc")]), None);
    // The size remains, but the second text begins later.
    assert_eq!(ranges(&[("first", "wv"), ("second", "z")]), None);
}

#[test]
fn a_gap_keeps_its_length() {
    let mut gap = Gap::from(vec![1, 2]);
    gap.assign_bytes(&[3, 4]).expect("two bytes");
    assert_eq!(*gap, [3, 4]);
    assert!(gap.assign_bytes(&[5]).is_err() && gap.assign("5").is_err());
    assert_eq!(*gap, [3, 4]);
    let mut text = String::new();
    gap.show(&mut text).expect("a text");
    assert_eq!((gap.type_name(), &*text), ("gap", "hex:0304"));
    gap.discard();
    assert!(gap.is_empty());
}

#[derive(Schema)]
#[bitfield(bits = 8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    hidden: bool,
    level: B3,
    #[skip]
    __: B4,
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Surface {
    id: u8,
    flags: Flags,
}

#[test]
fn bits_are_read_and_set_by_their_names() {
    let mut surface: Surface = survives(&[7, 0xf4]);
    assert_eq!((surface.flags.hidden(), surface.flags.level()), (false, 2));
    let text = |surface: &Surface, path: &str| {
        let texts = schema::get_text(surface, &path.parse().expect("a path"));
        texts.map(|texts| texts[0].1.clone()).map_err(|error| error.message())
    };
    assert_eq!(text(&surface, "flags.hidden").as_deref(), Ok("0"));
    assert_eq!(text(&surface, "flags.level").as_deref(), Ok("2"));
    set(&mut surface, "flags.level", "7").expect("three bits");
    set(&mut surface, "flags.hidden", "1").expect("one bit");
    assert_eq!(written(&surface), [7, 0xff]);
    assert!(set(&mut surface, "flags.level", "8").is_err());
    assert_eq!(written(&surface), [7, 0xff]);
    for (value, byte) in [("5", 0b1111_1011), ("2", 0b1111_0101), ("0", 0b1111_0001)] {
        set(&mut surface, "flags.level", value).expect("three bits");
        assert_eq!(written(&surface), [7, byte], "{value}");
    }
    set(&mut surface, "flags", "0").expect("a flag word");
    set(&mut surface, "flags.level", "6").expect("three bits");
    assert_eq!(written(&surface), [7, 0b1100]);
    let why = text(&surface, "flags.hiden").expect_err("no such bits");
    assert!(why.contains("has no field `hiden`") && why.contains("`hidden`"), "{why}");
    let why = text(&surface, "id.hidden").expect_err("no bits");
    assert!(!why.contains("has no field"), "{why}");
    let why = text(&surface, "id!").expect_err("not packed");
    assert!(why.contains("packed"), "{why}");
}

#[test]
fn a_number_is_no_name() {
    let surfaces = List::from(vec![survives::<Surface>(&[7, 0])]);
    for path in ["[\"7\"]", "[\"*\"]"] {
        assert!(schema::get_text(&surfaces, &path.parse().expect("a path")).is_err(), "{path}");
    }
}

#[test]
fn rows_of_cells_of_one_size_have_one_size() {
    assert_eq!(Table::<u8, u16>::new(3).item_size(), Some(6));
    assert_eq!(Table::<u8, CInt>::new(3).item_size(), None);
}

#[test]
fn a_value_that_is_not_packed_has_no_content_to_change() {
    let mut number = 7_u8;
    assert_eq!(number.change_inside(&mut |_| Ok(())), Err(EditError::NotPacked));
    assert_eq!(number.replace_inside(&[1]), Err(EditError::NotPacked));
}

#[test]
fn an_array_has_a_fixed_length() {
    let mut array = [1_u8, 2];
    assert!(!array.push_blank() && !Items::insert(&mut array, 0) && !Items::remove(&mut array, 0));
    assert!(!array.keep(1));
    assert_eq!(array, [1, 2]);
}

#[test]
fn texts_have_a_type_and_a_value() {
    let text = LenStr::<u8>::new(b"a\0");
    assert_eq!((text.type_name(), text.plain()), ("text", Plain::Text(b"a\0")));
    let text = LenStr::<u8, true>::new(b"a");
    assert_eq!((text.type_name(), text.plain()), ("text", Plain::Text(b"a")));
}
