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
    #[schema(decides = "x")]
    parts: Parts,
    #[br(if(parts.x()))]
    x: Option<T>,
    #[br(if(parts.y()))]
    y: Option<T>,
    #[br(if(parts.rotation()))]
    rotation: Option<[i16; 4]>,
}

#[test]
fn a_field_exists_when_its_flag_is_set() {
    let frame: Frame<u16> = survives(&[0xe2, 5, 0]);
    assert_eq!((frame.x, frame.y, frame.rotation), (None, Some(5), None));
    assert_eq!(map(&frame), ["parts 0..1 226", "y 1..3 5"]);
    let frame: Frame<f32> = survives(&[0x01, 0, 0, 128, 63]);
    assert_eq!(frame.x, Some(1.0));
}

#[test]
fn a_flag_that_determines_a_field_cannot_be_set() {
    let mut frame: Frame<u16> = survives(&[0x02, 5, 0]);
    let why = set(&mut frame, "parts.x", "1").expect_err("refused");
    assert!(why.contains("decides how `x` is read"), "{why}");
    assert!(set(&mut frame, "x", "1").expect_err("absent").contains("is not present in this file"));
}
