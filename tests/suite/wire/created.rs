//! Parts of a value that are created.

use bindpose::schema::{EditError, create, not_alone};

use super::choice_by_tag::Token;
use super::*;

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Tail {
    #[br(args(true, ()))]
    first: Part<u16>,
    #[br(args(first.is_present(), ()))]
    second: Part<Pair>,
    rest: Rest,
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
struct Pair {
    a: u8,
    b: u8,
}

#[derive(Schema)]
#[bitfield(bits = 8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    has_x: bool,
    #[skip]
    __: B7,
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Frame {
    #[schema(decides = "x")]
    flags: Flags,
    #[br(if(flags.has_x()))]
    x: Option<Pair>,
    #[br(temp)]
    #[bw(try_calc = count(keys))]
    num_keys: u8,
    #[br(args(num_keys.into()))]
    #[schema(same_length_as("weights"))]
    keys: List<u8>,
    #[br(args(num_keys.into()))]
    weights: List<u16>,
}

/// Creates a value and returns the paths of what was created, or the reason why it cannot be.
fn made<T: Schema>(
    value: &mut T,
    path: &str,
    text: Option<&str>,
    before: bool,
) -> Result<Vec<String>, String> {
    let made = create(value, &T::shape(), &path.parse().expect("a path"), text, before);
    let made = made.map_err(|error| error.message())?;
    Ok(made.iter().map(ToString::to_string).collect())
}

#[test]
fn a_part_is_created_with_those_before_it_on_request() {
    let empty: Tail = survives(&[]);
    let mut tail = empty.clone();
    assert_eq!(made(&mut tail, "second.b", Some("7"), true), Ok(vec!["first".into(), "second".into()]));
    assert_eq!(written(&tail), [0, 0, 0, 7]);
    let mut tail = empty.clone();
    assert_eq!(made(&mut tail, "first", Some("258"), true), Ok(vec!["first".into()]));
    assert_eq!(made(&mut tail, "second", None, true), Ok(vec!["second".into()]));
    assert_eq!(written(&tail), [2, 1, 0, 0]);
    let mut tail = empty.clone();
    assert_eq!(made(&mut tail, "second", None, false), Ok(vec!["second".into()]));
    assert!(!tail.first.is_present());
    assert_eq!(made(&mut tail, "second", None, false), Err("is already present".into()));
    let mut tail = empty;
    let why = made(&mut tail, "second", Some("7"), false).expect_err("two values");
    assert_eq!(why, "has several values; each must be set by its own path");
}

#[test]
fn an_element_is_created_with_those_of_lists_of_the_same_length() {
    let mut frame: Frame = survives(&[0, 0]);
    assert_eq!(made(&mut frame, "keys", Some("9"), false).expect("an element")[0], "keys[0]");
    assert_eq!((&*frame.keys, &*frame.weights), (&vec![9], &vec![0]));
    let why = made(&mut frame, "keys[*]", None, false).expect_err("no index");
    assert_eq!(why, "select one element by its index, such as `[0]`");
    let why = made(&mut frame, "flags[*]", None, false).expect_err("no list");
    assert_eq!(why, "`flags` is not a list");
    let why = made(&mut frame, "x.a.b", None, false).expect_err("no parts");
    assert_eq!(why, "is neither an optional part nor a list");
    let why = made(&mut frame, "y", None, false).expect_err("no field");
    assert!(why.starts_with("`Frame` has no field `y`"), "{why}");
}

#[test]
fn the_condition_of_a_part_is_reported() {
    let condition = |path: &str| match not_alone(&Frame::shape(), &path.parse().expect("a path")) {
        EditError::Conditional { condition } => condition,
        other => panic!("{other}"),
    };
    assert_eq!(condition("x").as_deref(), Some("flags.has_x"));
    assert_eq!(condition("x.a"), None);
    assert_eq!(condition("keys[0]"), None);
    assert_eq!(condition("z"), None);
}

#[test]
fn a_choice_without_bytes_takes_the_form_that_has_the_field() {
    let mut token: Token = survives(&[10, 0]);
    assert_eq!(made(&mut token, "body.text", Some("ab"), false), Ok(vec!["body".into()]));
    assert_eq!(written(&token), [1, 0, 2, 0, 0, 0, b'a', b'b']);
    let mut token: Token = survives(&[3, 0, 7, 0, 0, 0]);
    let why = made(&mut token, "body.text", None, false).expect_err("another form");
    assert_eq!(why, "has the form `integer`; only `name` has a field `text`");
    let why = made(&mut token, "body.txt", None, false).expect_err("no form");
    assert_eq!(why, "no form of `Body` has a field `txt`");
    assert_eq!(made(&mut token, "body", Some("name"), false), Ok(vec!["body".into()]));
    assert_eq!(written(&token), [1, 0, 0, 0, 0, 0]);
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Frames {
    frames: Counted<u8, Flagged>,
    #[br(temp)]
    #[bw(calc = body.tag())]
    tag: u8,
    #[br(args(tag))]
    body: FramesBody,
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Flagged {
    #[schema(decides = "x")]
    flags: Flags,
    #[br(if(flags.has_x()))]
    x: Option<Pair>,
}

#[derive(Schema)]
#[schema(tag(tag: u8), closed)]
#[derive(Clone, Debug, PartialEq)]
enum FramesBody {
    #[schema(tag = 1)]
    Number(u8),
    #[schema(tag = 2)]
    Flagged(Flagged),
    #[schema(tag = 3)]
    Marked(Flagged),
}

#[test]
fn a_value_of_an_element_is_created() {
    let mut frames: Frames = survives(&[2, 0, 0, 1, 7]);
    assert_eq!(made(&mut frames, "frames[1].x.b", Some("7"), false), Ok(vec!["frames[1].x".into()]));
    assert_eq!(frames.frames[1].x, Some(Pair { a: 0, b: 7 }));
    assert_eq!(frames.frames[0].x, None);
    let why = made(&mut frames, "frames.x", None, false).expect_err("no element");
    assert_eq!(why, "select one element by its index, such as `[0]`");
}

#[test]
fn the_condition_of_a_part_of_an_element_or_a_choice_is_reported() {
    let condition = |path: &str| match not_alone(&Frames::shape(), &path.parse().expect("a path")) {
        EditError::Conditional { condition } => condition,
        other => panic!("{other}"),
    };
    assert_eq!(condition("frames[1].x").as_deref(), Some("flags.has_x"));
    assert_eq!(condition("body.x").as_deref(), Some("flags.has_x"));
    assert_eq!(condition("body.flags"), None);
    assert_eq!(condition("frames[1].flags"), None);
    assert_eq!(condition("frames[1].x.b"), None);
}

#[test]
fn a_part_of_the_form_that_a_choice_has_is_created() {
    for tag in [2, 3] {
        let mut frames: Frames = survives(&[0, tag, 1, 5, 6]);
        assert_eq!(made(&mut frames, "body.x.b", None, false), Err("is already present".into()));
        let mut frames: Frames = survives(&[0, tag, 0]);
        assert_eq!(made(&mut frames, "body.x.b", Some("7"), false), Ok(vec!["body.x".into()]));
        assert_eq!(written(&frames), [0, tag, 0, 0, 7]);
    }
}

#[test]
fn a_path_may_leave_out_a_choice() {
    let mut token: Token = survives(&[10, 0]);
    assert_eq!(made(&mut token, "text", Some("ab"), false), Ok(vec!["body".into()]));
    assert_eq!(written(&token), [1, 0, 2, 0, 0, 0, b'a', b'b']);
    let text = schema::get_text(&token, &"text".parse().expect("a path")).expect("a text");
    assert_eq!(text[0].1, "ab");
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Skin {
    #[br(temp)]
    #[bw(try_calc = count(keys))]
    num_keys: u8,
    #[br(args(num_keys.into()))]
    #[schema(same_length_as("weights.values"))]
    keys: List<u8>,
    #[br(args(true, (num_keys.into(),)))]
    weights: Part<Weights>,
    #[br(args(weights.is_present(), ()))]
    names: Part<Names>,
    rest: Rest,
}

#[derive(Schema)]
#[binrw]
#[br(import(num_keys: i64))]
#[derive(Clone, Debug, PartialEq)]
struct Weights {
    #[br(args(num_keys))]
    values: List<u16>,
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Names {
    names: Counted<u8, u8>,
}

#[test]
fn a_new_list_gets_the_length_that_it_must_have() {
    let mut skin: Skin = survives(&[3, 5, 6, 7]);
    assert_eq!(made(&mut skin, "weights", None, false), Ok(vec!["weights".into()]));
    assert_eq!(written(&skin), [3, 5, 6, 7, 0, 0, 0, 0, 0, 0]);
    assert_eq!(made(&mut skin, "names", None, false), Ok(vec!["names".into()]));
    assert_eq!(written(&skin), [3, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0]);
    let why = made(&mut survives::<Skin>(&[0]), "names", Some("7"), true).expect_err("no value");
    assert_eq!(why, "has no value that can be set");
}

#[test]
fn the_first_reason_is_reported_if_a_pattern_selects_nothing() {
    let frames: Frames = survives(&[2, 0, 1, 5, 6, 1, 7]);
    let error =
        schema::get_text(&frames, &"frames[*].x.c".parse().expect("a path")).expect_err("no such field");
    assert_eq!(error.message(), "`frames[0].x` is not present in this file");
}
