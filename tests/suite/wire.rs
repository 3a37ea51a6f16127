//! What formats need of the derive and the wire floor, each proven on a small struct: read, written, walked, edited,
//! published.

use std::io::Cursor;
use std::ops::ControlFlow;

use bindpose::codec::any_fixed;
use bindpose::schema::{self, Role, Schema, Shape, Value};
use bindpose::wire::{
    Blob, CInt, Counted, FixedStr, LenStr, List, Part, Rest, Source, Stream, Wire, count, counted_with, len,
    list_each, list_while, list_with,
};
use bindpose::{Kind, Path};
use binrw::{BinRead, BinWrite, Endian, binrw};
use modular_bitfield::prelude::*;
use proptest::prelude::*;

fn read<T: for<'a> BinRead<Args<'a> = A>, A>(bytes: &[u8], args: A) -> T {
    T::read_options(&mut Source::new(bytes), Endian::Little, args).expect("a value")
}

fn written<T: for<'a> BinWrite<Args<'a> = ()>>(value: &T) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    value.write_options(&mut bytes, Endian::Little, ()).expect("bytes");
    bytes.into_inner()
}

/// `path start..end value` of every leaf.
fn map(value: &dyn Value) -> Vec<String> {
    let mut lines = Vec::new();
    let _ = schema::leaves(value, &mut |place, leaf| {
        let mut text = String::new();
        leaf.show(&mut text).expect("a text");
        lines.push(format!("{} {}..{} {text}", place.path, place.offset, place.offset + leaf.size()));
        ControlFlow::Continue(())
    });
    lines
}

fn set(value: &mut dyn Value, path: &str, text: &str) -> Result<(), String> {
    let path: Path = path.parse().expect("a path");
    schema::set(value, &path, text).map(drop).map_err(|error| error.to_string())
}

/// Reads, writes back, and sees that the map reaches the end.
fn survives<T>(bytes: &[u8]) -> T
where
    T: Schema + for<'a> BinRead<Args<'a> = ()> + for<'a> BinWrite<Args<'a> = ()>,
{
    let value: T = read(bytes, ());
    assert_eq!(written(&value), bytes);
    assert_eq!(value.size(), bytes.len() as u64);
    value
}

mod choice_by_tag {
    use super::*;

    #[derive(Schema)]
    #[binrw]
    #[derive(Clone, Debug, PartialEq)]
    struct Token {
        #[br(temp)]
        #[bw(calc = body.tag())]
        tag: u16,
        #[br(args(tag))]
        body: Body,
    }

    #[derive(Schema)]
    #[schema(tag(tag: u16))]
    #[derive(Clone, Debug, PartialEq)]
    enum Body {
        #[schema(tag = 1)]
        Name(Name),
        #[schema(tag = 3)]
        Integer(u32),
        #[schema(tag = 10)]
        OpenBrace,
    }

    #[derive(Schema)]
    #[binrw]
    #[derive(Clone, Debug, PartialEq)]
    struct Name {
        text: LenStr<u32>,
    }

    #[test]
    fn each_body_is_told_by_its_tag_and_tells_it() {
        let token: Token = survives(&[3, 0, 7, 0, 0, 0]);
        assert_eq!(map(&token), ["tag 0..2 3", "body 2..6 7"]);
        let name: Token = survives(&[1, 0, 1, 0, 0, 0, b'a']);
        assert_eq!(map(&name), ["tag 0..2 1", "body.len_text 2..6 1", "body.text 6..7 a"]);
        let brace: Token = survives(&[10, 0]);
        assert_eq!(brace.body, Body::OpenBrace);
        assert_eq!(map(&brace), ["tag 0..2 10"]);
    }

    #[test]
    fn an_unknown_tag_is_an_error_with_a_place() {
        let error =
            Token::read_options(&mut Source::new(&[9, 0]), Endian::Little, ()).expect_err("no such tag");
        assert!(error.to_string().contains("tag 9 is none that the format knows"), "{error}");
    }

    #[test]
    fn the_tag_is_refused_and_the_body_is_free() {
        let mut token: Token = survives(&[3, 0, 7, 0, 0, 0]);
        assert!(set(&mut token, "tag", "1").expect_err("refused").contains("decides how `body` is read"));
        set(&mut token, "body", "4294967295").expect("a free leaf");
        assert_eq!(written(&token), [3, 0, 255, 255, 255, 255]);
    }
}

mod choice_by_id_and_size {
    use bindpose::wire::{Row, TooMany, count_of, counter};

    use super::*;

    #[derive(Schema)]
    #[binrw]
    #[derive(Clone, Debug, PartialEq)]
    struct Chunk {
        id: FixedStr<8>,
        size: i32,
        #[br(temp, parse_with = counter)]
        #[bw(try_calc = body.number(*size))]
        #[schema(counts = "body")]
        number: i32,
        #[br(args(id, size, number))]
        #[schema(args("id.to_s(\"ASCII\")", "size", "number"))]
        body: Body,
    }

    #[derive(Schema)]
    #[schema(tag(id: FixedStr<8>), import(size: i32, number: i32))]
    #[derive(Clone, Debug, PartialEq)]
    enum Body {
        #[schema(when = (id == "PNTS" || id == "POINTS") && size == 12)]
        #[br(args(number.into()))]
        Points(List<[f32; 3]>),
        #[schema(when = id.starts_with("UV") && size == 8)]
        #[br(args(number.into()))]
        Uvs(List<[f32; 2]>),
        #[schema(when = id.ends_with(":C") && size % 4 == 0)]
        #[br(parse_with = list_with, args(number.into(), (i64::from(size) / 4,)))]
        Curves(List<Curve>),
        #[schema(raw)]
        #[br(args(i64::from(size) * i64::from(number)))]
        #[schema(args("size * number"))]
        Unknown(Blob),
    }

    #[derive(Schema)]
    #[binrw]
    #[br(import(num_frames: i64))]
    #[derive(Clone, Debug, PartialEq)]
    struct Curve {
        #[br(args(num_frames))]
        weights: Row<f32>,
    }

    impl Body {
        fn number(&self, size: i32) -> Result<i32, TooMany> {
            let size = usize::try_from(size).unwrap_or(0);
            count_of(usize::try_from(self.size()).unwrap_or(0).checked_div(size).unwrap_or(0))
        }
    }

    fn chunk(id: [u8; 8], size: i32, number: i32, len: usize) -> Vec<u8> {
        let mut bytes = [&id[..], &size.to_le_bytes(), &number.to_le_bytes()].concat();
        bytes.resize(16 + len, 0x3c);
        bytes
    }

    #[test]
    fn known_records_are_typed_and_others_stay_bytes() {
        let body = |id: &[u8; 8], size| {
            survives::<Chunk>(&chunk(*id, size, 1, usize::try_from(size).unwrap_or(0))).body
        };
        assert!(matches!(body(b"PNTS\0\0\0\0", 12), Body::Points(list) if list.len() == 1));
        assert!(matches!(body(b"POINTS\0?", 12), Body::Points(_)), "residue behind the NUL does not count");
        assert!(matches!(body(b"PNTS\0\0\0\0", 16), Body::Unknown(blob) if blob.0.len() == 16));
        assert!(matches!(body(b"UV11\0\0\0\0", 8), Body::Uvs(_)));
        assert!(matches!(body(b"Walk:C\0\0", 8), Body::Curves(curves) if curves[0].weights.len() == 2));
        assert!(matches!(body(b"X\0\0\0\0\0\0\0", 3), Body::Unknown(_)));
    }

    #[test]
    fn the_conditions_are_published_in_kaitais_words() {
        let Shape::Choice(body) = Body::shape() else { panic!("no choice") };
        let conditions: Vec<_> = body.fields.iter().filter_map(|field| field.condition).collect();
        assert_eq!(
            conditions[..3],
            [
                r#"(id == "PNTS" or id == "POINTS") and size == 12"#,
                r#"(id.length >= 2 and id.substring(0, 2) == "UV") and size == 8"#,
                r#"(id.length >= 2 and id.substring(id.length - 2, id.length) == ":C") and size % 4 == 0"#,
            ]
        );
        assert!(conditions[3].starts_with("not ((id == "), "{}", conditions[3]);
        assert_eq!(body.params, [("id", "str"), ("size", "s4"), ("number", "s4")]);
    }

    #[test]
    fn a_count_beside_a_deciding_size_says_that_it_counts() {
        let mut chunk: Chunk = survives(&chunk(*b"PNTS\0\0\0\0", 12, 1, 12));
        assert!(set(&mut chunk, "number", "2").expect_err("refused").contains("follows from `body`"));
        assert!(set(&mut chunk, "size", "2").expect_err("refused").contains("decides how `body` is read"));
    }

    #[test]
    fn a_negative_count_is_refused_at_its_place() {
        let bytes = chunk(*b"PNTS\0\0\0\0", 12, -1, 12);
        let error = Chunk::read_options(&mut Source::new(&bytes), Endian::Little, ()).expect_err("negative");
        assert!(error.to_string().contains("0x0000000c: a count of -1 cannot be"), "{error}");
    }

    #[test]
    fn a_row_keeps_its_length() {
        let mut chunk: Chunk = survives(&chunk(*b"Walk:C\0\0", 8, 1, 8));
        schema::append(&mut chunk, &"body".parse().expect("a path")).expect("a list");
        schema::append(&mut chunk, &"body[1].weights".parse().expect("a path")).expect_err("a fixed length");
        set(&mut chunk, "body[1].weights[1]", "0.5").expect("a free leaf");
        let bytes = written(&chunk);
        assert_eq!((bytes.len(), bytes[12]), (32, 2));
    }
}

mod elements_with_arguments {
    use super::*;

    #[derive(Schema)]
    #[binrw]
    #[derive(Clone, Debug, PartialEq)]
    struct Mesh {
        surfaces: Counted<u8, Surface>,
        #[br(parse_with = list_each, args(surfaces.iter().map(|surface| (surface.num_vertices.into(),))))]
        #[schema(args("surfaces.size", "surfaces[_index].num_vertices"))]
        geometry: List<Geometry>,
    }

    #[derive(Schema)]
    #[binrw]
    #[derive(Clone, Debug, PartialEq)]
    struct Surface {
        num_vertices: u16,
    }

    /// The width of the indices follows from the number of vertices.
    #[derive(Schema)]
    #[binrw]
    #[br(import(num_vertices: i64))]
    #[derive(Clone, Debug, PartialEq)]
    struct Geometry {
        #[br(args(num_vertices))]
        vertices: List<[u8; 2]>,
        num_indices: u8,
        #[br(args(width(len(&vertices)), num_indices.into()))]
        #[schema(args("vertices.size < 256 ? 1 : 2", "num_indices"))]
        indices: Indices,
    }

    fn width(vertices: i64) -> u8 {
        if vertices < 256 { 1 } else { 2 }
    }

    #[derive(Schema)]
    #[schema(tag(width: u8), import(number: i64))]
    #[derive(Clone, Debug, PartialEq)]
    enum Indices {
        #[schema(tag = 1)]
        #[br(args(number))]
        Narrow(List<u8>),
        #[schema(tag = 2)]
        #[br(args(number))]
        Wide(List<u16>),
    }

    #[test]
    fn an_earlier_list_and_its_length_lay_out_a_later_one() {
        let mut bytes = vec![2, 1, 0, 0, 1];
        bytes.extend([7, 7, 3, 0, 0, 0]);
        bytes.extend([9; 512]);
        bytes.extend([2, 255, 0, 1, 0]);
        let mesh: Mesh = survives(&bytes);
        assert_eq!(mesh.geometry[0].indices, Indices::Narrow(vec![0, 0, 0].into()));
        assert_eq!(mesh.geometry[1].indices, Indices::Wide(vec![255, 1].into()));
    }

    #[test]
    fn what_lays_out_a_later_list_is_refused() {
        let mut mesh: Mesh = survives(&[1, 0, 0, 0]);
        let why = set(&mut mesh, "surfaces[0].num_vertices", "1").expect_err("refused");
        assert!(why.contains("decides how `geometry` is read"), "{why}");
    }
}

mod sentinel {
    use super::*;

    #[derive(Schema)]
    #[binrw]
    #[derive(Clone, Debug, PartialEq)]
    struct Morph {
        #[br(parse_with = list_while, args(|vertex: i32| vertex < 100, ()))]
        #[schema(args("0"))]
        entries: List<Entry>,
        end: i32,
    }

    #[derive(Schema)]
    #[binrw]
    #[derive(Clone, Debug, PartialEq)]
    struct Entry {
        vertex: i32,
        offset: f32,
    }

    #[test]
    fn the_value_that_ends_a_list_is_a_field_of_its_own() {
        let bytes = [1, 0, 0, 0, 0, 0, 128, 63, 123, 0, 0, 0];
        let mut morph: Morph = survives(&bytes);
        assert_eq!(map(&morph), ["entries[0].vertex 0..4 1", "entries[0].offset 4..8 1.0", "end 8..12 123"]);
        schema::delete(&mut morph, &"entries[0]".parse().expect("a path")).expect("a shorter list");
        assert_eq!(written(&morph), [123, 0, 0, 0]);
    }

    #[test]
    fn a_list_that_nothing_ends_says_where_the_file_does() {
        let bytes = [1, 0, 0, 0, 0, 0, 128, 63, 1, 0];
        let error = Morph::read_options(&mut Source::new(&bytes), Endian::Little, ()).expect_err("no end");
        assert!(error.to_string().contains("needs 4 bytes, 2 left"), "{error}");
    }
}

mod fields_by_flags {
    use super::*;

    #[derive(Schema)]
    #[bitfield(bits = 8)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Parts {
        x: bool,
        y: bool,
        rotation: bool,
        #[skip]
        __: B5,
    }

    /// Generic over the type of the components: quantised or not.
    #[derive(Schema)]
    #[binrw]
    #[br(import())]
    #[derive(Clone, Debug, PartialEq)]
    struct Frame<T>
    where
        T: Wire,
    {
        parts: Parts,
        #[br(if(parts.x()))]
        x: Option<T>,
        #[br(if(parts.y()))]
        y: Option<T>,
        #[br(if(parts.rotation()))]
        rotation: Option<[i16; 4]>,
    }

    #[test]
    fn a_field_is_there_when_its_flag_is_set() {
        let frame: Frame<u16> = survives(&[0xe2, 5, 0]);
        assert_eq!((frame.x, frame.y, frame.rotation), (None, Some(5), None));
        assert_eq!(map(&frame), ["parts 0..1 226", "y 1..3 5"]);
        let frame: Frame<f32> = survives(&[0x01, 0, 0, 128, 63]);
        assert_eq!(frame.x, Some(1.0));
    }

    #[test]
    fn flags_that_decide_are_refused() {
        let mut frame: Frame<u16> = survives(&[0x02, 5, 0]);
        let why = set(&mut frame, "parts.x", "1").expect_err("refused");
        assert!(why.contains("decides how `x` is read"), "{why}");
        assert!(set(&mut frame, "x", "1").expect_err("absent").contains("is not in this file"));
    }
}

mod custom_count {
    use super::*;

    #[derive(Schema)]
    #[binrw]
    #[derive(Clone, Debug, PartialEq)]
    struct Named {
        names: Counted<CInt, Name>,
    }

    #[derive(Schema)]
    #[binrw]
    #[derive(Clone, Debug, PartialEq)]
    struct Name {
        name: LenStr<CInt, true>,
    }

    #[test]
    fn a_padded_count_survives_until_the_list_changes() {
        let bytes = [0x81, 0x00, 0x82, 0x00, b'a', 0];
        let mut named: Named = survives(&bytes);
        assert_eq!(map(&named)[0], "num_names 0..2 1");
        set(&mut named, r#"names["a"].name"#, "b").expect("a name of the same length");
        assert_eq!(written(&named), [0x81, 0x00, 0x82, 0x00, b'b', 0]);
        set(&mut named, "names[0].name", "long").expect("a longer name");
        assert_eq!(written(&named), [0x81, 0x00, 0x05, b'l', b'o', b'n', b'g', 0]);
    }

    #[test]
    fn a_count_in_the_way_is_refused_with_advice() {
        let mut named: Named = survives(&[0]);
        let why = set(&mut named, "num_names", "3").expect_err("refused");
        assert!(why.contains("follows from `names`; append to it or delete from it"), "{why}");
    }

    proptest! {
        #[test]
        fn every_spelling_of_a_compact_integer_comes_back(first: u8, more in prop::collection::vec(any::<u8>(), 0..4)) {
            let mut bytes: Vec<u8> = std::iter::once(first).chain(more).map(|byte| byte | 0x80).collect();
            *bytes.last_mut().expect("a byte") &= 0x7f;
            if let Ok(value) = CInt::read_options(&mut Source::new(&bytes), Endian::Little, ()) {
                prop_assert_eq!(value.to_bytes(), bytes);
            }
        }

        #[test]
        fn a_new_compact_integer_has_the_width_of_the_engines_rule(value in -0x7fff_ffff_i64..=0x7fff_ffff) {
            let own = CInt::new(value).expect("31 bits");
            prop_assert_eq!(own.value(), value);
            let width = u32::try_from(own.to_bytes().len()).expect("a small number");
            let fits = |width: u32| value.unsigned_abs() < (1 << (6 + 7 * (width - 1))) - 1;
            prop_assert!(width == 5 || fits(width));
            prop_assert!(width == 1 || !fits(width - 1));
        }
    }
}

mod tail_parts {
    use super::*;

    #[derive(Schema)]
    #[binrw]
    #[derive(Clone, Debug, PartialEq)]
    struct Tail {
        #[br(args(true, ()))]
        first: Part<u16>,
        #[br(args(first.is_present(), ()))]
        second: Part<u32>,
        rest: Rest,
    }

    #[test]
    fn a_part_is_absent_present_or_broken_in_place() {
        let tail: Tail = survives(&[]);
        assert_eq!((&tail.first, &tail.second), (&Part::Absent, &Part::Absent));
        let tail: Tail = survives(&[1, 0]);
        assert_eq!((&tail.first, &tail.second), (&Part::Present(1), &Part::Absent));
        let tail: Tail = survives(&[1, 0, 2, 0]);
        let Part::Broken(error) = &tail.second else { panic!("{tail:?}") };
        assert_eq!((error.offset(), error.kind()), (2, &Kind::Truncated { needed: 4, left: 2 }));
        assert_eq!(tail.rest.0, [2, 0]);
    }
}

mod streams {
    use super::*;

    #[derive(Schema)]
    #[binrw]
    #[derive(Clone, Debug, PartialEq)]
    struct Texts {
        records: Stream<Text>,
        rest: Rest,
    }

    #[derive(Schema)]
    #[binrw]
    #[derive(Clone, Debug, PartialEq)]
    struct Text {
        text: LenStr<u8>,
    }

    #[test]
    fn a_stream_stops_at_the_first_record_that_makes_no_sense() {
        let texts: Texts = survives(b"\x01a\x05bc");
        assert_eq!(texts.records.len(), 1);
        let stopped = texts.records.stopped().expect("a reason");
        assert_eq!(stopped.to_string(), "0x00000003 [1].text: needs 5 bytes, 2 left");
        assert_eq!(texts.rest.0, b"\x05bc");
    }
}

mod dialects {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Dialect {
        Old,
        New,
    }

    #[derive(Schema)]
    #[binrw]
    #[br(import(dialect: Dialect))]
    #[derive(Clone, Debug, PartialEq)]
    struct Mesh {
        #[br(parse_with = counted_with, args((dialect,)))]
        vertices: Counted<u8, Vertex>,
    }

    #[derive(Schema)]
    #[binrw]
    #[br(import(dialect: Dialect))]
    #[derive(Clone, Debug, PartialEq)]
    struct Vertex {
        x: u8,
        #[br(if(dialect == Dialect::New))]
        #[schema(condition = "dialect == 1")]
        color: Option<[u8; 3]>,
    }

    #[test]
    fn a_dialect_passes_through_all_structs_and_is_not_needed_to_write() {
        let bytes = [2, 1, 10, 11, 12, 2, 20, 21, 22];
        let mesh: Mesh = read(&bytes, (Dialect::New,));
        assert_eq!(written(&mesh), bytes);
        let mesh: Mesh = read(&bytes[..3], (Dialect::Old,));
        assert_eq!(written(&mesh), bytes[..3]);
    }

    #[test]
    fn a_new_element_is_like_its_neighbour() {
        let mut mesh: Mesh = read(&[1, 1, 10, 11, 12], (Dialect::New,));
        schema::append(&mut mesh, &"vertices".parse().expect("a path")).expect("a longer list");
        assert_eq!(written(&mesh), [2, 1, 10, 11, 12, 0, 0, 0, 0]);
    }

    #[test]
    fn a_new_element_of_an_empty_list_has_its_dialect() {
        for bytes in [&[0][..], &[1, 10, 11, 12, 13]] {
            let mut mesh: Mesh = read(bytes, (Dialect::New,));
            if !mesh.vertices.is_empty() {
                schema::delete(&mut mesh, &"vertices[0]".parse().expect("a path")).expect("a shorter list");
            }
            schema::append(&mut mesh, &"vertices".parse().expect("a path")).expect("a longer list");
            assert_eq!(written(&mesh), [1, 0, 0, 0, 0]);
        }
    }

    #[test]
    fn elements_with_the_same_arguments_can_be_counted_elsewhere() {
        let read = |bytes: &[u8]| list_with(&mut Source::new(bytes), Endian::Little, (2, (Dialect::Old,)));
        let list: List<Vertex> = read(&[1, 2]).expect("two vertices");
        assert_eq!(list.len(), 2);
        assert!(read(&[1]).is_err());
    }
}

mod counts {
    use super::*;

    #[derive(Schema)]
    #[binrw]
    #[derive(Clone, Debug, Default, PartialEq)]
    struct Keys {
        #[br(temp)]
        #[bw(try_calc = count(times))]
        num_times: u8,
        kind: u8,
        #[br(args(num_times.into()))]
        times: List<f32>,
    }

    #[test]
    fn a_count_away_from_its_list_follows_it() {
        let mut keys: Keys = survives(&[1, 9, 0, 0, 128, 63]);
        assert_eq!(map(&keys), ["num_times 0..1 1", "kind 1..2 9", "times[0] 2..6 1.0"]);
        schema::delete(&mut keys, &"times[0]".parse().expect("a path")).expect("a shorter list");
        assert_eq!(written(&keys), [0, 9]);
    }

    #[test]
    fn a_list_too_long_for_its_count_is_an_error_and_never_wraps() {
        let keys = Keys { kind: 0, times: vec![0.0; 256].into() };
        let error =
            keys.write_options(&mut Cursor::new(Vec::new()), Endian::Little, ()).expect_err("too long");
        assert!(
            error.to_string().contains("256 elements are more than their count, a u8, can say"),
            "{error}"
        );
        let long: Counted<u8, u8> = vec![0; 300].into();
        assert!(long.write_options(&mut Cursor::new(Vec::new()), Endian::Little, ()).is_err());
    }

    #[test]
    fn a_count_that_lies_reserves_nothing() {
        let lie = [0xff, 0xff, 0xff, 0x7f, 1, 2, 3];
        let error = Counted::<i32, [f32; 4]>::read_options(&mut Source::new(&lie), Endian::Little, ());
        assert!(error.is_err());
    }
}

/// Law 6: the fast path reads and writes what the records read and write one by one.
mod fast_path {
    use bindpose::formats::ms3d::{
        Keyframe, Material, Triangle, Vertex, VertexExtra1, VertexExtra2, VertexExtra3,
    };

    use super::*;

    fn agrees<T>(value: &T) -> Result<(), TestCaseError>
    where
        T: Schema + for<'a> BinRead<Args<'a> = ()> + for<'a> BinWrite<Args<'a> = ()>,
    {
        let size = T::FIXED.expect("a fixed length");
        let mut fast = vec![0; size];
        value.put(&mut fast);
        prop_assert_eq!(&written(value), &fast);
        prop_assert_eq!(&written(&T::get(&fast)), &fast);
        prop_assert_eq!(&written(&read::<T, ()>(&fast, ())), &fast);
        Ok(())
    }

    macro_rules! law_six {
        ($($name:ident: $type:ty),+ $(,)?) => {
            proptest! {
                $(#[test]
                fn $name(value in any_fixed::<$type>()) {
                    agrees(&value)?;
                })+
            }
        };
    }

    law_six! {
        a_vertex: Vertex,
        a_triangle: Triangle,
        a_material: Material,
        a_key: Keyframe,
        an_extra_1: VertexExtra1,
        an_extra_2: VertexExtra2,
        an_extra_3: VertexExtra3,
        a_text: FixedStr<20>,
        an_array_of_arrays: [[f32; 3]; 3],
        a_double: f64,
    }
}

mod texts {
    use bindpose::wire::{escape, unescape};

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_have_a_spelling_that_reads_back(bytes: Vec<u8>) {
            prop_assert_eq!(unescape(&escape(&bytes)).expect("a spelling"), bytes);
        }

        #[test]
        fn a_name_set_to_itself_keeps_its_junk(bytes: [u8; 16]) {
            let mut name = FixedStr(bytes);
            let text = name.text().to_vec();
            name.set(&text).expect("the same text");
            prop_assert_eq!(name.0, bytes);
        }

        #[test]
        fn a_new_name_keeps_the_junk_that_it_does_not_reach(bytes: [u8; 16], new in "[a-z]{0,16}") {
            let mut name = FixedStr(bytes);
            let old_end = name.text().len();
            name.set(new.as_bytes()).expect("a text that fits");
            prop_assert_eq!(name.text(), new.as_bytes());
            let untouched = old_end.max(new.len()) + 1;
            prop_assert_eq!(name.0.get(untouched..), bytes.get(untouched..));
        }
    }

    #[test]
    fn a_name_that_does_not_fit_is_refused_with_the_limit() {
        let mut name = FixedStr::<4>::default();
        assert_eq!(name.set(b"five!").expect_err("too long").0, "longer than 4 bytes: 5");
        assert!(name.set(b"a\0b").is_err());
        name.set(b"four").expect("a full field");
        assert_eq!(name.text(), b"four");
    }
}

mod shapes {
    use super::*;

    #[test]
    fn a_role_is_found_in_the_definition() {
        let joint = bindpose::formats::ms3d::Joint::default();
        let mut roles = Vec::new();
        let _ = schema::Record::fields(&joint, &mut |field, _| {
            roles.push((field.name, field.role));
            ControlFlow::Continue(())
        });
        assert!(roles.contains(&("num_rotation_keys", Role::Counts("rotation_keys"))));
        assert!(roles.contains(&("position", Role::Free)));
    }

    #[test]
    fn the_documentation_of_a_field_is_published() {
        let Shape::Record(shape) = bindpose::formats::ms3d::Joint::shape() else { panic!("no record") };
        let field = shape.fields.iter().find(|field| field.name == "parent_name").expect("the field");
        assert!(field.doc.starts_with("Name of the parent joint"));
    }
}
