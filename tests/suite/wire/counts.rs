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
fn a_count_before_other_fields_follows_its_list() {
    let mut keys: Keys = survives(&[1, 9, 0, 0, 128, 63]);
    assert_eq!(map(&keys), ["num_times 0..1 1", "kind 1..2 9", "times[0] 2..6 1.0"]);
    schema::delete(&mut keys, &"times[0]".parse().expect("a path")).expect("a shorter list");
    assert_eq!(written(&keys), [0, 9]);
}

#[test]
fn a_list_too_long_for_its_count_is_an_error_and_never_wraps() {
    let keys = Keys { kind: 0, times: vec![0.0; 256].into() };
    let error = keys.write_options(&mut Cursor::new(Vec::new()), Endian::Little, ()).expect_err("too long");
    assert!(error.to_string().contains("256 elements exceed the range of their count, a u8"), "{error}");
    let long: Counted<u8, u8> = vec![0; 300].into();
    assert!(long.write_options(&mut Cursor::new(Vec::new()), Endian::Little, ()).is_err());
}

#[test]
fn a_false_count_reserves_no_memory() {
    let lie = [0xff, 0xff, 0xff, 0x7f, 1, 2, 3];
    let error = Counted::<i32, [f32; 4]>::read_options(&mut Source::new(&lie), Endian::Little, ());
    assert!(error.is_err());
}
