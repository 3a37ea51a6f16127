use super::*;

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    #[br(temp)]
    #[bw(calc = body.tag())]
    tag: u16,
    #[br(args(tag))]
    body: Body,
}

#[derive(Schema)]
#[schema(tag(tag: u16), closed)]
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
fn the_tag_selects_the_variant_and_follows_from_it() {
    let token: Token = survives(&[3, 0, 7, 0, 0, 0]);
    assert_eq!(map(&token), ["tag 0..2 3", "body 2..6 7"]);
    let name: Token = survives(&[1, 0, 1, 0, 0, 0, b'a']);
    assert_eq!(map(&name), ["tag 0..2 1", "body.len_text 2..6 1", "body.text 6..7 a"]);
    let brace: Token = survives(&[10, 0]);
    assert_eq!(brace.body, Body::OpenBrace);
    assert_eq!(map(&brace), ["tag 0..2 10"]);
}

#[test]
fn an_unknown_tag_is_an_error_with_an_offset() {
    let error = Token::read_options(&mut Source::new(&[9, 0]), Endian::Little, ()).expect_err("no such tag");
    assert!(error.to_string().contains("unknown tag 9"), "{error}");
}

#[test]
fn the_tag_cannot_be_set_and_the_body_can() {
    let mut token: Token = survives(&[3, 0, 7, 0, 0, 0]);
    assert!(set(&mut token, "tag", "1").expect_err("refused").contains("decides how `body` is read"));
    set(&mut token, "body", "4294967295").expect("a free leaf");
    assert_eq!(written(&token), [3, 0, 255, 255, 255, 255]);
}
