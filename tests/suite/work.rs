//! Counts the work of paths, comparisons and edits: it grows with the file, not with its square.

use std::cell::Cell;
use std::ops::ControlFlow;

use bindpose::check::{Findings, Rule};
use bindpose::diff::{Change, diff};
use bindpose::formats::cal3d::{Markup, XmlText};
use bindpose::formats::directx::XText;
use bindpose::schema::{
    self, EditError, FieldPath, Items, Node, NodeMut, Schema, Shape, Step, Value, bytes_of, lookups,
};
use bindpose::text::{Grammar, TokenKind, TokenText};
use bindpose::wire::{Counted, List};

thread_local! {
    static VISITS: Cell<usize> = const { Cell::new(0) };
    static PACKINGS: Cell<usize> = const { Cell::new(0) };
    static CUTS: Cell<usize> = const { Cell::new(0) };
    static MEASURES: Cell<usize> = const { Cell::new(0) };
}

/// Returns how far a counter goes during some work.
fn counted(counter: &'static std::thread::LocalKey<Cell<usize>>, work: impl FnOnce()) -> usize {
    counter.set(0);
    work();
    counter.get()
}

/// A list whose elements are made on demand, as those of a text are: without an offset, all elements before the first
/// are visited.
struct Made(Vec<Numbers>);

type Numbers = Counted<u8, u16>;

impl Made {
    fn new(len: usize, number: u16) -> Self {
        Self((0..len).map(|_| vec![number].into()).collect())
    }

    fn bytes(&self) -> Vec<u8> {
        bytes_of(self)
    }
}

impl Value for Made {
    fn size(&self) -> u64 {
        MEASURES.set(MEASURES.get() + self.0.len());
        self.0.iter().map(Value::size).sum()
    }
    fn node(&self) -> Node<'_> {
        Node::Items(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Items(self)
    }
}

impl Items for Made {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn item_mut(&mut self, index: usize) -> Option<&mut dyn Value> {
        self.0.get_mut(index).map(|item| item as &mut dyn Value)
    }
    fn each(
        &self,
        first: usize,
        visit: &mut dyn FnMut(usize, &dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for (index, item) in self.0.iter().enumerate() {
            VISITS.set(VISITS.get() + 1);
            if index >= first {
                visit(index, item)?;
            }
        }
        ControlFlow::Continue(())
    }
    fn each_at(
        &self,
        first: usize,
        _: usize,
        visit: &mut dyn FnMut(usize, &dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for (index, item) in self.0.iter().enumerate().skip(first) {
            VISITS.set(VISITS.get() + 1);
            visit(index, item)?;
        }
        ControlFlow::Continue(())
    }
}

fn path(text: &str) -> FieldPath {
    text.parse().expect("a path")
}

#[test]
fn many_differences_of_a_list_are_found_in_one_pass() {
    let visits = |len| {
        let (a, b) = (Made::new(len, 1), Made::new(len, 2));
        let (bytes_a, bytes_b) = (a.bytes(), b.bytes());
        let mut found = 0;
        let visits = counted(&VISITS, || {
            let _ = diff((&a, &bytes_a), (&b, &bytes_b), &mut |difference| {
                assert!(matches!(difference.change, Change::Value { .. }));
                found += 1;
                ControlFlow::Continue(())
            });
        });
        assert_eq!(found, len);
        visits
    };
    assert!(visits(800) <= 8 * visits(100), "{} and {}", visits(100), visits(800));
}

#[test]
fn the_elements_of_very_long_lists_are_compared_by_index() {
    const LEN: usize = (1 << 20) + 1;
    let a = Made::new(LEN, 1);
    let mut b = Made::new(LEN + 1, 1);
    b.0[5] = vec![2].into();
    let (bytes_a, bytes_b) = (a.bytes(), b.bytes());
    let mut found = Vec::new();
    let allocated = allocation_counter::measure(|| {
        let _ = diff((&a, &bytes_a), (&b, &bytes_b), &mut |difference| {
            let is_value = matches!(difference.change, Change::Value { .. });
            found.push((difference.path.to_string(), is_value, difference.b.clone()));
            ControlFlow::Continue(())
        });
    });
    let last = 2 * LEN as u64;
    assert_eq!(found, [("[5][0]".into(), true, 10..12), (format!("[{LEN}]"), false, last..last + 2)]);
    assert!(allocated.bytes_max < 1 << 16, "{} bytes", allocated.bytes_max);
}

#[test]
fn many_elements_of_a_list_are_looked_up_in_one_pass() {
    let list = Made::new(100, 7);
    let mut paths: Vec<_> = (0..100).map(|index| path(&format!("[{index}][0]"))).collect();
    paths.reverse();
    let visits = counted(&VISITS, || {
        let seen = lookups(&list, &paths);
        assert!(seen.iter().all(|lookup| lookup.value.as_deref() == Some("7")));
        assert_eq!(seen[0].range, 198..200);
    });
    assert_eq!(visits, 100);
}

#[test]
fn many_elements_of_a_list_are_located_in_one_pass() {
    let list = Made::new(100, 7);
    let mut paths: Vec<_> = (0..100).map(|index| path(&format!("[{index}]"))).collect();
    paths.reverse();
    let visits = counted(&VISITS, || {
        let found = schema::locate_each(&list, &paths).expect("elements");
        assert!(found.iter().map(|place| &place.path).eq(&paths));
        assert_eq!(found[99].range.start, 0);
    });
    assert_eq!(visits, 100);
    paths[50] = path("[100]");
    schema::locate_each(&list, &paths).expect_err("one path leads to nothing");
}

#[test]
fn many_lists_of_a_list_grow_in_one_pass() {
    let mut list = Made::new(100, 7);
    let visits = counted(&VISITS, || {
        let appended = schema::append(&mut list, &path("[*]")).expect("lists");
        assert_eq!(appended[99], path("[99][1]"));
    });
    assert!(visits <= 100, "{visits}");
    let visits = counted(&VISITS, || {
        schema::delete(&mut list, &path("[*][0]")).expect("elements");
    });
    assert!(visits <= 100, "{visits}");
    assert!(list.0.iter().all(|numbers| **numbers == [0]));
}

/// A packed value that counts how often it is packed.
struct Parcel(List<List<u16>>);

impl Value for Parcel {
    fn size(&self) -> u64 {
        0
    }
    fn node(&self) -> Node<'_> {
        Node::Absent
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Absent
    }
    fn inside(&self) -> Option<&dyn Value> {
        Some(&self.0)
    }
    fn change_inside(
        &mut self,
        change: &mut dyn FnMut(&mut dyn Value) -> Result<(), EditError>,
    ) -> Result<(), EditError> {
        PACKINGS.set(PACKINGS.get() + 1);
        change(&mut self.0)
    }
}

impl Schema for Parcel {
    fn shape() -> Shape {
        Shape::Nothing
    }
    fn blank(_: Option<&Self>) -> Self {
        Self(List::default())
    }
}

#[test]
fn packed_content_is_packed_once_for_many_edits() {
    let lists = || Parcel((0..10).map(|_| vec![1, 2].into()).collect());
    let mut parcels: List<Parcel> = vec![lists(), lists()].into();
    let packings = counted(&PACKINGS, || {
        assert_eq!(schema::append(&mut parcels, &path("[*]![*]")).expect("lists").len(), 20);
    });
    assert_eq!(packings, 2);
    let packings = counted(&PACKINGS, || {
        assert_eq!(schema::delete(&mut parcels, &path("[*]![*][0]")).expect("elements").len(), 20);
    });
    assert_eq!(packings, 2);
    let all = parcels.iter().flat_map(|parcel| parcel.0.iter());
    assert!(all.map(|list| &***list).all(|list| list == [2, 0]));
}

/// A text that counts how often a token of it is read.
#[derive(Clone, Debug, PartialEq)]
struct Watched;

impl Grammar for Watched {
    type Kind = Markup;
    type State = <XmlText as Grammar>::State;

    fn token(text: &[u8], at: usize, state: &mut Self::State) -> Result<(Markup, usize), String> {
        CUTS.set(CUTS.get() + 1);
        XmlText::token(text, at, state)
    }
    fn shape() -> Shape {
        XmlText::shape()
    }
}

#[test]
fn a_text_is_split_once_whatever_the_number_of_references() {
    let read = |text: String| counted(&CUTS, || assert!(!TokenText::<Watched>::new(text.into()).is_empty()));
    assert_eq!(read(format!("<MAP>{}</MAP>", "&a;".repeat(10_000))), 4);
    assert_eq!(read(format!("<MAP TYPE=\"{}\"/>", "&a;".repeat(10_000))), 5);
    assert_eq!(read(format!("<POS>{}</POS>", "&a; & ".repeat(10_000))), 40_003);
}

#[test]
fn an_edit_of_a_text_splits_only_the_text_around_it() {
    let mut text = TokenText::<Watched>::new("<POS>1 2</POS>".repeat(10_000).into());
    assert_eq!(text.len(), 60_000);
    let mut set = |_, value: &mut dyn Value| {
        let NodeMut::Leaf(leaf) = value.node_mut() else { panic!("a token") };
        leaf.assign("10").expect("a number");
        Ok(())
    };
    for index in [4, 30_004, 59_998] {
        let cuts = counted(&CUTS, || text.change(&[index], &mut set).expect("another number"));
        assert!(cuts < 500, "{cuts} for {index}");
    }
    assert!(text.text().ends_with(b"<POS>1 10</POS>"));
}

/// A text that counts the bytes of tokens and the numbers that are read.
#[derive(Clone, Debug, PartialEq)]
struct Measured;

impl Grammar for Measured {
    type Kind = TokenKind;
    type State = ();

    fn token(text: &[u8], at: usize, state: &mut ()) -> Result<(TokenKind, usize), String> {
        let (kind, end) = XText::token(text, at, state)?;
        CUTS.set(CUTS.get() + end - at);
        Ok((kind, end))
    }
    fn number(run: &[u8], at: usize) -> (usize, usize) {
        CUTS.set(CUTS.get() + 1);
        XText::number(run, at)
    }
    fn is_number(spelling: &[u8]) -> bool {
        XText::is_number(spelling)
    }
    fn shape() -> Shape {
        XText::shape()
    }
}

#[test]
fn a_number_of_a_long_run_is_found_without_reading_the_others() {
    const NUMBERS: usize = 100_000;
    let mut text = TokenText::<Measured>::new(format!("Mesh {{{}}}", "1;".repeat(NUMBERS)).into());
    let runs = |text: &TokenText<Measured>| {
        text.iter().position(|token| token.kind == TokenKind::Numbers).expect("a run")
    };
    let run = runs(&text);
    let find = |text: &TokenText<Measured>, nth: usize| {
        let (path, byte) =
            (path(&format!("[{run}][{nth}].value")), text.text().len() - 1 - 2 * (NUMBERS - nth));
        counted(&CUTS, || {
            let mut found = false;
            let _ = schema::leaves_from(text, byte as u64, &mut |place, _| {
                found = place.path == path;
                ControlFlow::Break(())
            });
            assert!(
                found && schema::leaf_at(text, byte as u64, &mut |place, _| assert_eq!(place.path, path))
            );
            assert_eq!(
                schema::ranges(text, std::slice::from_ref(&path)),
                [Some(byte as u64..byte as u64 + 1)]
            );
            assert_eq!(text.leaves_at([byte].into_iter())[0].0, path.steps());
        })
    };
    for edit in ["23", "4"] {
        schema::set_text(&mut text, &path(&format!("[{run}][0].value")), edit).expect("a number");
        assert_eq!(runs(&text), run);
        let first = find(&text, NUMBERS - 1);
        assert!((NUMBERS..2 * NUMBERS).contains(&first), "{first}");
        for nth in [NUMBERS / 3, NUMBERS / 2, NUMBERS - 2] {
            let work = find(&text, nth);
            assert!(work < 4000, "{work} for {nth}");
        }
    }
}

#[test]
fn a_missing_value_is_looked_up_at_the_end_of_its_list() {
    let list = Made::new(3, 7);
    let seen = lookups(&list, &[path("[1][4]"), path("[9]"), path("name")]);
    let places: Vec<_> = seen.iter().map(|lookup| (lookup.range.clone(), lookup.value.clone())).collect();
    assert_eq!(places, [(4..4, None), (6..6, None), (6..6, None)]);
    assert!(matches!(path("[9]").steps(), [Step::Index(9)]));
}

#[test]
fn many_findings_are_placed_in_one_pass() {
    let visits = |len| {
        let list = Made::new(len, 7);
        let paths: Vec<_> = (0..len).map(|index| path(&format!("[{index}][0]"))).collect();
        counted(&VISITS, || {
            let found = schema::ranges(&list, &paths);
            assert_eq!(found.last(), Some(&Some(2 * len as u64 - 2..2 * len as u64)));
        })
    };
    assert_eq!((visits(100), visits(800)), (100, 800));
}

#[test]
fn the_file_is_measured_a_few_times_whatever_the_number_of_findings() {
    let measures = |len| {
        let list = Made::new(len, 7);
        let rule = Rule::all().next().expect("a rule");
        let mut findings = Findings::new(len);
        (0..len).for_each(|index| findings.add(rule, || path(&format!("[{index}][0]")), String::new));
        counted(&MEASURES, || assert_eq!(findings.report(&list).findings.len(), len)) / len
    };
    assert_eq!(measures(100), measures(800));
}
