use super::*;

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Morph {
    #[br(parse_with = list_while, args(|vertex: i32| vertex < 100, ()))]
    #[schema(args(0))]
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
fn the_value_that_ends_a_list_is_a_field() {
    let bytes = [1, 0, 0, 0, 0, 0, 128, 63, 123, 0, 0, 0];
    let mut morph: Morph = survives(&bytes);
    assert_eq!(map(&morph), ["entries[0].vertex 0..4 1", "entries[0].offset 4..8 1.0", "end 8..12 123"]);
    schema::delete(&mut morph, &"entries[0]".parse().expect("a path")).expect("a shorter list");
    assert_eq!(written(&morph), [123, 0, 0, 0]);
}

#[test]
fn a_list_without_an_end_is_an_error_at_the_end_of_the_file() {
    let bytes = [1, 0, 0, 0, 0, 0, 128, 63, 1, 0];
    let error = Morph::read_options(&mut Source::new(&bytes), Endian::Little, ()).expect_err("no end");
    assert!(error.to_string().contains("(4 bytes needed, 2 left)"), "{error}");
}
