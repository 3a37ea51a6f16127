use bindpose::schema::{ParamType, Scalar};
use bindpose::wire::{FixedLenList, TooMany, count_of, counter};

use super::*;

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Chunk {
    #[schema(decides = "body")]
    id: FixedStr<8>,
    #[schema(decides = "body")]
    size: i32,
    #[br(temp, parse_with = counter)]
    #[bw(try_calc = body.number(*size))]
    #[schema(counts = "body")]
    number: i32,
    #[br(args(id, size, number))]
    #[schema(args(ascii(id), size, number))]
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
    #[schema(args(size * number))]
    Unknown(Blob),
}

#[derive(Schema)]
#[binrw]
#[br(import(num_frames: i64))]
#[derive(Clone, Debug, PartialEq)]
struct Curve {
    #[br(args(num_frames))]
    weights: FixedLenList<f32>,
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
fn known_records_are_typed_and_others_remain_bytes() {
    let body =
        |id: &[u8; 8], size| survives::<Chunk>(&chunk(*id, size, 1, usize::try_from(size).unwrap_or(0))).body;
    assert!(matches!(body(b"PNTS\0\0\0\0", 12), Body::Points(list) if list.len() == 1));
    assert!(matches!(body(b"POINTS\0?", 12), Body::Points(_)), "residue after the NUL does not count");
    assert!(matches!(body(b"PNTS\0\0\0\0", 16), Body::Unknown(blob) if blob.0.len() == 16));
    assert!(matches!(body(b"UV11\0\0\0\0", 8), Body::Uvs(_)));
    assert!(matches!(body(b"Walk:C\0\0", 8), Body::Curves(curves) if curves[0].weights.len() == 2));
    assert!(matches!(body(b"X\0\0\0\0\0\0\0", 3), Body::Unknown(_)));
}

#[test]
fn the_schema_states_the_conditions_of_a_choice() {
    let Shape::Choice(body) = Body::shape() else { panic!("no choice") };
    let conditions: Vec<_> =
        body.fields.iter().filter_map(|field| Some(field.condition?.to_string())).collect();
    assert_eq!(
        conditions[..3],
        [
            r#"(id == "PNTS" or id == "POINTS") and size == 12"#,
            r#"(id.length >= 2 and id.substring(0, 2) == "UV") and size == 8"#,
            r#"(id.length >= 2 and id.substring(id.length - 2, id.length) == ":C") and size % 4 == 0"#,
        ]
    );
    assert!(conditions[3].starts_with("not ((id == "), "{}", conditions[3]);
    let number = ParamType::Scalar(Scalar::I32);
    assert_eq!(body.params, [("id", ParamType::Text), ("size", number), ("number", number)]);
}

#[test]
fn a_count_next_to_a_size_that_selects_the_record_is_a_count() {
    let mut chunk: Chunk = survives(&chunk(*b"PNTS\0\0\0\0", 12, 1, 12));
    assert!(
        set(&mut chunk, "number", "2").expect_err("refused").contains("is the number of elements of `body`")
    );
    assert!(set(&mut chunk, "size", "2").expect_err("refused").contains("decides how `body` is read"));
}

#[test]
fn a_negative_count_is_an_error_at_its_offset() {
    let bytes = chunk(*b"PNTS\0\0\0\0", 12, -1, 12);
    let error = Chunk::read_options(&mut Source::new(&bytes), Endian::Little, ()).expect_err("negative");
    assert!(error.to_string().contains("0x0000000c: invalid count -1"), "{error}");
}

#[test]
fn a_list_of_fixed_length_keeps_its_length() {
    let mut chunk: Chunk = survives(&chunk(*b"Walk:C\0\0", 8, 1, 8));
    schema::append(&mut chunk, &"body".parse().expect("a path")).expect("a list");
    schema::append(&mut chunk, &"body[1].weights".parse().expect("a path")).expect_err("a fixed length");
    set(&mut chunk, "body[1].weights[1]", "0.5").expect("a free leaf");
    let bytes = written(&chunk);
    assert_eq!((bytes.len(), bytes[12]), (32, 2));
}
