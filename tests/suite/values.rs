//! Values describe themselves correctly in every sample: lists their elements, walks their places.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bindpose::schema::{self, ElementAt, Items, Leaf, Node, Place, Value, Visitor, bytes_of};

use crate::folders;

/// Every sample, decoded, with its bytes.
fn samples() -> impl Iterator<Item = (bindpose::File, Vec<u8>)> {
    ["corpus", "damaged"].into_iter().flat_map(|folder| folders::files(&folders::own(folder))).filter_map(
        |(path, bytes)| {
            let (kind, options) = folders::kind(&path, &bytes)?;
            Some((kind.decode(&bytes, &options).ok()?, bytes))
        },
    )
}

/// Checks every list of a value and of its packed content.
struct Lists {
    lists: usize,
    types: BTreeSet<&'static str>,
}

impl Visitor for Lists {
    fn leaf(&mut self, _: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
        assert!(!leaf.type_name().is_empty());
        self.types.insert(leaf.type_name());
        self.inside(leaf.inside());
        ControlFlow::Continue(())
    }

    fn enter(&mut self, place: &Place, value: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
        self.inside(value.inside());
        if let Node::Items(items) = node {
            let place = place.path.to_string();
            self.lists += 1;
            is_consistent(*items, value, &place);
        }
        ControlFlow::Continue(true)
    }
}

impl Lists {
    fn inside(&mut self, content: Option<&dyn Value>) {
        if let Some(content) = content {
            let _ = schema::walk(content, self);
        }
    }
}

/// Asserts that all methods of a list agree on the number, the sizes and the bytes of its elements.
fn is_consistent(items: &dyn Items, value: &dyn Value, place: &str) {
    let mut elements = Vec::new();
    let _ = items.each(0, &mut |index, item| {
        assert_eq!(index, elements.len(), "{place}");
        let bytes = bytes_of(item);
        assert_eq!(item.size(), bytes.len() as u64, "{place}[{index}]");
        assert!(items.item_size().is_none_or(|size| size == bytes.len()), "{place}[{index}]");
        elements.push(bytes);
        ControlFlow::Continue(())
    });
    assert_eq!((items.len(), items.is_empty()), (elements.len(), elements.is_empty()), "{place}");
    assert_eq!(value.size(), elements.concat().len() as u64, "{place}");
    assert!(items.text().is_none_or(|text| text == elements.concat()), "{place}");
    finds_elements(items, &elements, place);
    for first in [0, elements.len() / 2, elements.len().saturating_sub(1), elements.len()] {
        let mut bytes = Vec::new();
        items.bytes(first..elements.len(), &mut bytes);
        assert_eq!(bytes, elements[first..].concat(), "{place}[{first}..]");
        let start = elements[..first].concat().len();
        let mut rest = Vec::new();
        let _ = items.each_at(first, start, &mut |index, item| {
            rest.push((index, bytes_of(item)));
            ControlFlow::Continue(())
        });
        assert!(rest.into_iter().eq((first..).zip(elements[first..].iter().cloned())), "{place}[{first}..]");
        let one = items.item(first).map(bytes_of);
        assert!(one.is_none_or(|bytes| elements.get(first) == Some(&bytes)), "{place}[{first}]");
    }
}

/// Asserts that the elements which a list finds without visiting others are where the visited ones are.
fn finds_elements(items: &dyn Items, elements: &[Vec<u8>], place: &str) {
    let ends = elements.iter().scan(0, |end, bytes| {
        *end += bytes.len();
        Some(*end)
    });
    let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
    for index in (0..elements.len()).step_by(elements.len() / 100 + 1) {
        for to in [
            ElementAt::Index(index),
            ElementAt::Byte(starts[index]),
            ElementAt::Byte(starts[index + 1].saturating_sub(1)),
        ] {
            let (near, start) = items.seek(to);
            assert!(near <= index, "{place}: {near} for {to:?}");
            assert_eq!(start, starts[near], "{place}: {near} for {to:?}");
        }
    }
}

#[test]
fn all_methods_of_a_list_agree() {
    let mut lists = Lists { lists: 0, types: BTreeSet::new() };
    for (file, _) in samples() {
        let _ = schema::walk(file.value(), &mut lists);
    }
    assert!(lists.lists > 1000, "{} lists", lists.lists);
    for name in ["u16", "f32", "cint", "text", "blob", "packed", "number", "word", "rest"] {
        assert!(lists.types.contains(name), "no leaf is of type {name}: {:?}", lists.types);
    }
}

#[test]
fn the_leaf_at_a_byte_is_the_leaf_that_a_walk_visits() {
    for (file, bytes) in samples() {
        let mut places = Vec::new();
        let _ = file.walk(&mut |place, leaf| {
            places.push((place.offset..place.offset + leaf.size(), place.path.to_string(), place.role));
            ControlFlow::Continue(())
        });
        places.retain(|(range, ..)| !range.is_empty());
        // FileSummary twenty leaves of each file: every search starts at the front.
        for (range, path, role) in places.iter().step_by(places.len() / 20 + 1) {
            for at in [range.start, range.end - 1] {
                let mut found = None;
                let hit = schema::leaf_at(file.value(), at, &mut |place, leaf| {
                    found =
                        Some((place.offset..place.offset + leaf.size(), place.path.to_string(), place.role));
                });
                assert!(hit);
                assert_eq!(found, Some((range.clone(), path.clone(), *role)));
            }
        }
        assert!(!schema::leaf_at(file.value(), bytes.len() as u64, &mut |_, _| panic!("after the end")));
    }
}

/// Visits the fields of the root only.
struct Fields(usize);

impl Visitor for Fields {
    fn leaf(&mut self, place: &Place, _: &dyn Leaf) -> ControlFlow<()> {
        assert_eq!(place.path.steps().len(), 1, "{}", place.path);
        self.0 += 1;
        ControlFlow::Continue(())
    }
    fn enter(&mut self, place: &Place, _: &dyn Value, _: &Node<'_>) -> ControlFlow<(), bool> {
        ControlFlow::Continue(place.path.steps().is_empty())
    }
}

#[test]
fn sections_that_a_visitor_does_not_enter_are_skipped() {
    for (file, bytes) in samples() {
        let mut fields = Fields(0);
        assert_eq!(schema::sections(file.value(), &mut fields), ControlFlow::Continue(bytes.len() as u64));
        assert!(fields.0 > 0);
    }
}
