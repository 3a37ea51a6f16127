//! Numbers of the binary form's structs written back to the XML form.

use std::ops::Range;

use super::walk::{Place, Visitor, reach, walk};
use super::{Form, Piece, integer, number, spelled};
use crate::Result;
use crate::formats::cal3d::Document;
use crate::schema::{Class, Leaf, NodeMut, Value};
use crate::text::TokenText;

/// Replaces the numbers that differ from those of a root struct with the same elements.
pub(in crate::formats::cal3d) fn respell(
    document: &mut Document,
    form: &'static Form,
    root: &mut dyn Value,
) -> Result<()> {
    let mut speller = Speller { words: Vec::new() };
    walk(document, form, Some(root), &mut speller)?;
    let mut words = speller.words;
    words.sort_by_key(|(range, _)| range.start);
    let old = document.tokens.text();
    let mut text = Vec::with_capacity(old.len());
    let mut at = 0;
    for (range, word) in words {
        text.extend_from_slice(&old[at..range.start]);
        text.extend_from_slice(&word);
        at = range.end;
    }
    text.extend_from_slice(&old[at..]);
    document.tokens = TokenText::new(text);
    Ok(())
}

struct Speller {
    /// The new words, and the ranges that they replace.
    words: Vec<(Range<usize>, Vec<u8>)>,
}

impl<'a> Visitor<'a> for Speller {
    fn field(
        &mut self,
        place: &Place<'_, 'a>,
        record: Option<&mut dyn Value>,
        index: usize,
        words: &[Piece<'a>],
    ) -> Result<()> {
        let field = &place.form.fields[index];
        if !field.is_stored() || !field.is_of_numbers() {
            return Ok(());
        }
        let value = record.and_then(|record| reach(record, &field.steps));
        let value = match place.row {
            Some(row) => value.and_then(|rows| item(rows, row)),
            None => value,
        };
        let Some(value) = value else { return Ok(()) };
        for (nth, word) in words.iter().enumerate() {
            let leaf = match value.node_mut() {
                NodeMut::Leaf(leaf) if nth == 0 => leaf,
                NodeMut::Items(items) => match items.item_mut(nth).map(Value::node_mut) {
                    Some(NodeMut::Leaf(leaf)) => leaf,
                    _ => break,
                },
                _ => break,
            };
            self.words.extend(respelled(leaf, word.token.bytes).map(|new| (word.token.range(), new)));
        }
        Ok(())
    }
}

fn item(list: &mut dyn Value, index: usize) -> Option<&mut dyn Value> {
    match list.node_mut() {
        NodeMut::Items(items) => items.item_mut(index),
        _ => None,
    }
}

/// Returns the text of a number, unless the word has the same value.
fn respelled(leaf: &dyn Leaf, word: &[u8]) -> Option<Vec<u8>> {
    let shown = spelled(leaf);
    let is_same = match leaf.class() {
        Class::Float => {
            let mut bytes = Vec::new();
            leaf.bytes(&mut bytes);
            number(word).is_some_and(|own| own.to_le_bytes()[..] == bytes)
        }
        _ => integer(word).is_some_and(|own| own.trim_start_matches('+').as_bytes() == shown),
    };
    (!is_same).then_some(shown)
}
