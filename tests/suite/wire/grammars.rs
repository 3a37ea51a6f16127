//! Grammars of other formats, which need not have runs of numbers or nesting.

use bindpose::schema::{EditError, Length};
use bindpose::wire::{Grammar, TokenClass, TokenKind, TokenText};

use super::*;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Line;

impl TokenClass for Line {
    fn name(self) -> &'static str {
        "line"
    }
    fn accepts(self, _: &[u8], new: &[u8]) -> Result<(), EditError> {
        if new.is_empty() { Err("a line cannot be removed".into()) } else { Ok(()) }
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
