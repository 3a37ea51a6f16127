//! Many places at once, each list in one pass: where they are and what they hold.

use std::ops::ControlFlow::{Break, Continue};
use std::ops::Range;

use super::edit::word;
use super::leaf::spelled;
use super::{FieldPath, Items, Leaf, Node, Step, Value};

/// What stands at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lookup {
    /// Its bytes in the file; where it is not there, the end of the nearest that would hold it.
    pub range: Range<u64>,
    /// What a leaf shows, or the named bits of one.
    pub value: Option<String>,
}

/// Looks at places by their canonical paths.
///
/// Takes as long as one walk through the lists that they lead through, however many they are.
#[must_use]
pub fn lookups(root: &dyn Value, paths: &[FieldPath]) -> Vec<Lookup> {
    let mut seen = vec![Lookup::default(); paths.len()];
    let ways = paths.iter().enumerate().map(|(nth, path)| Route { nth, steps: path.steps() }).collect();
    look(root, 0..root.size(), ways, &mut seen);
    seen
}

/// The place that is looked at, and the steps that still lead to it.
#[derive(Clone, Copy)]
struct Route<'a> {
    nth: usize,
    steps: &'a [Step],
}

impl Route<'_> {
    fn further(self) -> Self {
        Self { steps: self.steps.get(1..).unwrap_or_default(), ..self }
    }
}

fn look(value: &dyn Value, range: Range<u64>, ways: Vec<Route<'_>>, seen: &mut [Lookup]) {
    let (here, further): (Vec<_>, Vec<_>) = ways.into_iter().partition(|way| way.steps.is_empty());
    for way in here {
        seen[way.nth] = Lookup { range: range.clone(), value: leaf_of(value).map(spelled) };
    }
    // Until they are found.
    for way in &further {
        seen[way.nth].range = range.end..range.end;
    }
    let (inside, further): (Vec<_>, Vec<_>) =
        further.into_iter().partition(|way| way.steps.first() == Some(&Step::Inside));
    look_inside(value, &range, inside, seen);
    match value.node() {
        Node::Record(record) => {
            let mut start = range.start;
            let _ = record.fields(&mut |field, value| {
                let end = start + value.size();
                let leads = |way: &&Route<'_>| matches!(way.steps.first(), Some(Step::Field(name)) if field.name == name);
                let ways: Vec<_> = further.iter().filter(leads).map(|way| way.further()).collect();
                if !ways.is_empty() {
                    look(value, start..end, ways, seen);
                }
                start = end;
                Continue(())
            });
        }
        Node::Items(items) => look_at_items(items, range.start, &further, seen),
        Node::Leaf(leaf) => {
            for way in further {
                if let [Step::Field(name)] = way.steps
                    && let Some(bit) = leaf.bits().iter().find(|bit| bit.name == name)
                {
                    let value = Some(bit.of(word(leaf)).to_string());
                    seen[way.nth] = Lookup { range: range.clone(), value };
                }
            }
        }
        Node::Absent | Node::Broken(_) => {}
    }
}

fn look_at_items(items: &dyn Items, start: u64, ways: &[Route<'_>], seen: &mut [Lookup]) {
    let mut ways: Vec<_> = { ways.iter() }
        .filter_map(|way| match way.steps.first() {
            Some(Step::Index(index)) => Some((*index, way.further())),
            _ => None,
        })
        .collect();
    ways.sort_by_key(|(index, _)| *index);
    let Some(&(lowest, _)) = ways.first() else { return };
    let first = items.item_size().map_or(0, |_| lowest);
    let mut start = start + (first * items.item_size().unwrap_or(0)) as u64;
    let mut forks = ways.chunk_by(|a, b| a.0 == b.0).peekable();
    let _ = items.each(first, &mut |index, item| {
        let end = start + item.size();
        if let Some(same) = forks.next_if(|same| same[0].0 == index) {
            look(item, start..end, same.iter().map(|(_, way)| *way).collect(), seen);
        }
        start = end;
        if forks.peek().is_some() { Continue(()) } else { Break(()) }
    });
}

/// In the file, what is packed stands where its packed value does.
fn look_inside(value: &dyn Value, range: &Range<u64>, ways: Vec<Route<'_>>, seen: &mut [Lookup]) {
    let Some(content) = value.inside() else { return };
    if ways.is_empty() {
        return;
    }
    let nths: Vec<_> = ways.iter().map(|way| way.nth).collect();
    look(content, 0..content.size(), ways.into_iter().map(Route::further).collect(), seen);
    for nth in nths {
        seen[nth].range = range.clone();
    }
}

fn leaf_of(value: &dyn Value) -> Option<&dyn Leaf> {
    match value.node() {
        Node::Leaf(leaf) => Some(leaf),
        _ => None,
    }
}
