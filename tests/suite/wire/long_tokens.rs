//! Long tokens and runs of numbers of a text: what is found by stored places equals what is counted.

use std::ops::Range;

use bindpose::formats::cal3d::XmlText;
use bindpose::formats::directx::XText;
use bindpose::schema::{Items, Node, Step};
use bindpose::text::{Grammar, TokenClass, TokenText, tokens_at};
use proptest::sample::Index;

use super::*;
use crate::folders;

/// Returns the paths and ranges of all leaves, counted from the start of the text.
fn counted<G: Grammar>(text: &[u8]) -> Vec<(FieldPath, Range<u64>)> {
    let mut leaves = Vec::new();
    for (index, token) in tokens_at::<G>(text, 0, G::State::default()).enumerate() {
        let mut add = |steps: Vec<Step>, range: Range<usize>| {
            let range = (token.start + range.start) as u64..(token.start + range.end) as u64;
            leaves.push((steps.into(), range));
        };
        if token.kind.run().is_none() {
            add(vec![index.into()], 0..token.bytes.len());
            continue;
        }
        let (mut nth, mut at) = (0_usize, 0);
        while at < token.bytes.len() {
            let (value, gap) = G::number(token.bytes, at);
            for (part, range) in [("value", at..value), ("gap", value..gap)] {
                if !range.is_empty() {
                    add(vec![index.into(), nth.into(), part.into()], range);
                }
            }
            (nth, at) = (nth + 1, gap);
        }
    }
    leaves
}

/// Asserts that a text finds its leaves where they are, in any order.
fn finds_its_leaves<G: Grammar>(text: &TokenText<G>) {
    let leaves = counted::<G>(text.text());
    for (path, range) in
        leaves.iter().rev().step_by(leaves.len() / 40 + 1).filter(|(_, range)| !range.is_empty())
    {
        for byte in [range.start, range.end - 1] {
            let mut found = None;
            schema::leaf_at(text, byte, &mut |place, _| found = Some((place.path.clone(), place.offset)));
            assert_eq!(found, Some((path.clone(), range.start)));
            let mut first = None;
            let _ = schema::leaves_from(text, byte, &mut |place, leaf| {
                if leaf.size() == 0 {
                    return ControlFlow::Continue(());
                }
                first = Some((place.path.clone(), place.offset));
                ControlFlow::Break(())
            });
            assert_eq!(first, Some((path.clone(), range.start)));
        }
        assert_eq!(schema::ranges(text, std::slice::from_ref(path)), [Some(range.clone())]);
    }
    let is_target = |(path, range): &&(FieldPath, Range<u64>)| {
        !range.is_empty() && path.steps().last() != Some(&Step::Field("gap".into()))
    };
    let targets: Vec<_> = leaves.iter().filter(is_target).cloned().collect();
    let distant: Vec<_> = targets.iter().step_by(1000).cloned().collect();
    for targets in [&targets[..], &targets[targets.len().saturating_sub(1)..], &distant[..]] {
        let starts = targets.iter().map(|(_, range)| usize::try_from(range.start).expect("a short text"));
        let found = text.leaves_at(starts).into_iter().map(|(steps, range)| (steps.into(), range));
        assert!(found.eq(targets.iter().cloned()));
    }
    let _ = Items::each(text, 0, &mut |index, token| {
        if let Node::Items(run) = token.node() {
            let is_in =
                |path: &FieldPath| path.steps()[0] == index.into() && path.steps()[2] == "value".into();
            assert_eq!(run.len(), leaves.iter().filter(|(path, _)| is_in(path)).count());
        }
        ControlFlow::Continue(())
    });
}

/// A part of a `.x` text, often of a length near those at which places are stored.
fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        ("[0-9]{1,4}[.]?", 1_usize..3000).prop_map(|(number, count)| format!("{number};, ").repeat(count)),
        (4000_usize..4200).prop_map(|len| format!("\"{}\"", "t".repeat(len))),
        (1_usize..200).prop_map(|count| "Frame { }\n".repeat(count)),
        Just("// 1 2 3\n".to_owned()),
    ]
}

proptest! {
    #![proptest_config(folders::config(192))]

    #[test]
    fn leaves_of_a_text_are_found_where_they_are_counted(
        parts in prop::collection::vec(part(), 1..6),
        edits in prop::collection::vec((any::<Index>(), "[1-9]{1,7}"), 0..4),
    ) {
        let mut text = TokenText::<XText>::new(parts.concat().into());
        finds_its_leaves(&text);
        for (index, new) in edits {
            let leaves = counted::<XText>(text.text());
            let values: Vec<_> = { leaves.iter() }.filter(|(path, _)| path.steps().last() == Some(&"value".into())).collect();
            let Some((path, range)) = values.get(index.index(values.len().max(1))) else { break };
            let range = usize::try_from(range.start).expect("short")..usize::try_from(range.end).expect("short");
            let mut expected = text.text().to_vec();
            expected.splice(range, new.bytes());
            schema::set_text(&mut text, path, &new).expect("a number");
            prop_assert!(text.text() == expected);
            finds_its_leaves(&text);
        }
        finds_its_leaves(&text.clone());
        prop_assert!(text == TokenText::new(text.text().to_vec()));
    }
}

#[test]
fn a_long_token_after_an_empty_one_is_found() {
    let blanks = " ".repeat(5000);
    let text = format!("<A><MAP NAME=\"\"{blanks}TYPE=\"a\"/><TEXT>{}</TEXT></A>", "word ".repeat(2000));
    let text = TokenText::<XmlText>::new(text.into());
    assert_eq!(text.stopped(), None);
    let lens: Vec<_> = text.iter().map(|token| token.bytes.len()).collect();
    assert!(lens.windows(2).any(|pair| pair[0] == 0 && pair[1] > 5000), "{lens:?}");
    assert!(text.iter().eq(tokens_at::<XmlText>(text.text(), 0, <XmlText as Grammar>::State::default())));
    finds_its_leaves(&text);
}

#[test]
fn distant_numbers_of_a_run_in_the_middle_of_a_text_are_found() {
    let text = format!("\"{}\" {}", "t".repeat(5000), "1234;, ".repeat(4000));
    finds_its_leaves(&TokenText::<XText>::new(text.into()));
}

#[test]
fn a_gap_cannot_become_part_of_a_number() {
    let mut text = TokenText::<XText>::new(b"Mesh { 1; 2; }".to_vec());
    let gap = |text: &TokenText<XText>| {
        let gaps = counted::<XText>(text.text()).into_iter();
        gaps.map(|(path, _)| path).find(|path| path.steps().last() == Some(&"gap".into())).expect("a gap")
    };
    let path = gap(&text);
    for new in ["2; ", ""] {
        assert!(schema::set_text(&mut text, &path, new).is_err(), "{new:?}");
    }
    schema::set_text(&mut text, &path, ";  ").expect("a longer gap");
    assert_eq!(text.text(), b"Mesh { 1;  2; }");
}
