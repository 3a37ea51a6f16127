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
    assert_eq!((error.offset(), error.kind()), (2, &ErrorKind::Truncated { needed: 4, left: 2 }));
    assert_eq!(tail.rest.0, [2, 0]);
}
