//! Grammars of other formats, which need not have runs of numbers or nesting.

use bindpose::schema::{EditError, Length};
use bindpose::text::{Grammar, TokenClass, TokenKind, TokenText, scanned_while};

use super::*;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Line;

impl TokenClass for Line {
    fn name(self) -> &'static str {
        "line"
    }
    fn accepts(self, old: &[u8], new: &[u8]) -> Result<(), EditError> {
        match (new.is_empty(), old.starts_with(new)) {
            (true, _) => Err("a line cannot be removed".into()),
            (_, true) => Err("a line cannot be repeated".into()),
            _ => Ok(()),
        }
    }
}

/// Lines up to the first one that starts with an exclamation mark.
#[derive(Clone, Debug, PartialEq)]
struct Lines;

impl Grammar for Lines {
    type Kind = Line;
    type State = ();

    fn token(text: &[u8], at: usize, (): &mut ()) -> Result<(Line, usize), String> {
        if text[at] == b'!' {
            return Err("a line cannot start with `!`".into());
        }
        let end = text[at..].iter().position(|byte| *byte == b'\n');
        Ok((Line, end.map_or(text.len(), |end| at + end + 1)))
    }
    fn shape() -> Shape {
        Shape::Bytes(Length::ToEnd)
    }
}

#[test]
fn a_grammar_needs_neither_numbers_nor_nesting() {
    let text: TokenText<Lines> = TokenText::new(b"7\n{\n!\n".to_vec());
    assert_eq!((text.len(), text.text(), text.deepest()), (2, &b"7\n{\n"[..], 0));
    let stopped = text.stopped().expect("a line that is not valid");
    assert_eq!((stopped.offset(), stopped.message()), (4, "a line cannot start with `!`".into()));
    assert_eq!(map(&text), ["[0] 0..2 7\\x0a", "[1] 2..4 {\\x0a"]);
    assert_eq!(Line.depth_after(b"{", 3), 3);
    assert_eq!((Lines::number(b"1 2", 0), Lines::is_number(b"1")), ((3, 3), false));
}

#[test]
fn a_token_decides_whether_it_can_be_replaced() {
    let mut text: TokenText<Lines> = TokenText::new(b"a\nb\n".to_vec());
    assert!(set(&mut text, "[0]", "").is_err());
    assert_eq!(set(&mut text, "[1]", "cd\\x0a"), Ok(()));
    assert_eq!(text.text(), b"a\ncd\n");
    assert!(TokenKind::Mark.accepts(b"{", b"}").is_err());
    assert_eq!(TokenKind::Word.accepts(b"a", b"b"), Ok(()));
}

#[test]
fn a_refused_edit_names_the_token() {
    let refused = |path: &str, new: &str| {
        let mut text: TokenText<Lines> = TokenText::new(b"a\nb\n".to_vec());
        let error = schema::set_text(&mut text, &path.parse().expect("a path"), new).expect_err(path);
        (error.path().to_string(), error.message())
    };
    // Without its end, the second line would be part of the first.
    let why = "would be read as a different kind of token";
    assert_eq!(refused("[0]", "c"), ("[0]".into(), why.into()));
    assert_eq!(refused("[*]", "").0, "[0]");
    assert_eq!(refused("[*]", "b").1, "a line cannot be repeated");
    assert_eq!(refused("[*]", "b").0, "[1]");
}

#[test]
fn a_token_that_is_visited_shows_where_the_text_was_split() {
    let mut source = Source::new(b"a\nb\n");
    let (_, shown) = scanned_while::<Lines, _, _, _>(&mut source, (), |tokens| {
        tokens.next();
        format!("{tokens:?}")
    })
    .expect("a text");
    assert_eq!(shown, "Splitter at 4 of 4 bytes");
}
