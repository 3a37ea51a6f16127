//! Matches the elements of two lists.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

/// The place of an element of the first list in the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pairing {
    /// Between the matches of its neighbours.
    Stays(usize),
    /// Elsewhere: the element has moved.
    Moved(usize),
}

/// The name and the hash that identify an element.
#[derive(Clone, Copy)]
pub(super) struct Key<'a> {
    /// Empty in lists without names.
    pub name: &'a str,
    pub bytes: &'a [u8],
}

/// Returns the match in the second list for each element of the first, in nearly linear time.
///
/// First, equal elements at both ends are matched, then unique equal elements, then unique names, and then repeated
/// names in order. Remaining elements between two matches are matched in order: they have been renamed. Without `can_move`, an
/// equal element elsewhere is another one.
pub(super) fn align(a: &[Key<'_>], b: &[Key<'_>], can_move: bool) -> Vec<Option<Pairing>> {
    let mut alignment =
        Alignment { a, b, can_move, pairings: vec![None; a.len()], taken: vec![false; b.len()] };
    let whole = Gap { a: 0..a.len(), b: 0..b.len() };
    let mut gaps = alignment.ends(vec![whole.clone()]);
    gaps = alignment.chain(gaps, |alignment, gap| alignment.unique(gap, |key| key.bytes));
    gaps = alignment.chain(gaps, |alignment, gap| alignment.unique(gap, |key| key.name));
    gaps = alignment.chain(gaps, Alignment::in_order);
    for (from, to) in alignment.in_order(&whole) {
        if can_move {
            alignment.put(from, Pairing::Moved(to));
        }
    }
    for gap in gaps {
        let (left, others) = alignment.left_over(&gap);
        left.into_iter().zip(others).for_each(|(from, to)| alignment.put(from, Pairing::Stays(to)));
    }
    alignment.pairings
}

/// Two runs of elements between the same matched neighbours.
#[derive(Clone)]
struct Gap {
    a: Range<usize>,
    b: Range<usize>,
}

impl Gap {
    fn is_open(&self) -> bool {
        !self.a.is_empty() && !self.b.is_empty()
    }
}

/// Indices of an element of each list.
type Pair = (usize, usize);

struct Alignment<'a> {
    a: &'a [Key<'a>],
    b: &'a [Key<'a>],
    can_move: bool,
    pairings: Vec<Option<Pairing>>,
    /// The elements of the second list that are matched.
    taken: Vec<bool>,
}

impl<'a> Alignment<'a> {
    fn put(&mut self, from: usize, pairing: Pairing) {
        let (Pairing::Stays(to) | Pairing::Moved(to)) = pairing;
        self.pairings[from] = Some(pairing);
        self.taken[to] = true;
    }

    /// Matches equal elements at both ends of gaps, then equal names there; the gaps shrink to the rest.
    fn ends(&mut self, mut gaps: Vec<Gap>) -> Vec<Gap> {
        for gap in &mut gaps {
            self.ends_by(gap, |a, b| a.bytes == b.bytes);
            if self.can_move {
                self.ends_by(gap, |a, b| a.name == b.name);
            }
        }
        gaps
    }

    fn ends_by(&mut self, gap: &mut Gap, equal: impl Fn(&Key<'_>, &Key<'_>) -> bool) {
        let pairs = |this: &Self, (from, to): Pair| {
            this.pairings[from].is_none() && !this.taken[to] && equal(&this.a[from], &this.b[to])
        };
        while gap.is_open() && pairs(self, (gap.a.start, gap.b.start)) {
            self.put(gap.a.start, Pairing::Stays(gap.b.start));
            (gap.a.start, gap.b.start) = (gap.a.start + 1, gap.b.start + 1);
        }
        while gap.is_open() && pairs(self, (gap.a.end - 1, gap.b.end - 1)) {
            (gap.a.end, gap.b.end) = (gap.a.end - 1, gap.b.end - 1);
            self.put(gap.a.end, Pairing::Stays(gap.b.end));
        }
    }

    /// Returns the unmatched elements of a gap.
    fn left_over(&self, gap: &Gap) -> (Vec<usize>, Vec<usize>) {
        let left = gap.a.clone().filter(|from| self.pairings[*from].is_none()).collect();
        (left, gap.b.clone().filter(|to| !self.taken[*to]).collect())
    }

    /// Returns the pairs of unmatched elements that are unique in both runs.
    fn unique<K: Eq + Hash>(&self, gap: &Gap, key: impl Fn(&Key<'a>) -> K) -> Vec<Pair> {
        let (left, others) = self.left_over(gap);
        let mut seen: HashMap<K, [(usize, usize); 2]> = HashMap::new();
        for from in left {
            let [(count, last), _] = seen.entry(key(&self.a[from])).or_default();
            (*count, *last) = (*count + 1, from);
        }
        for to in others {
            let [_, (count, last)] = seen.entry(key(&self.b[to])).or_default();
            (*count, *last) = (*count + 1, to);
        }
        let once = seen.into_values().filter_map(|counts| match counts {
            [(1, from), (1, to)] => Some((from, to)),
            _ => None,
        });
        let mut pairs: Vec<_> = once.collect();
        pairs.sort_unstable();
        pairs
    }

    /// Returns the pairs of unmatched elements with equal names: those at the same index if most are, otherwise in
    /// order.
    fn in_order(&self, gap: &Gap) -> Vec<Pair> {
        let (left, others) = self.left_over(gap);
        if left.len() == others.len() {
            let pairs = left.iter().copied().zip(others.iter().copied());
            let alike: Vec<Pair> = pairs.filter(|&(from, to)| self.a[from].name == self.b[to].name).collect();
            if 2 * alike.len() > left.len() {
                return alike;
            }
        }
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        others.into_iter().rev().for_each(|to| by_name.entry(self.b[to].name).or_default().push(to));
        left.into_iter().filter_map(|from| Some((from, by_name.get_mut(self.a[from].name)?.pop()?))).collect()
    }

    /// Matches elements within gaps. The longest sequence that keeps its order stays, the others have moved. The gaps
    /// are split at those that stay.
    fn chain(&mut self, gaps: Vec<Gap>, pairs: impl Fn(&Self, &Gap) -> Vec<Pair>) -> Vec<Gap> {
        let mut between = Vec::new();
        for mut gap in gaps {
            for ((from, to), stays) in ascending(&pairs(self, &gap)) {
                if !stays {
                    if self.can_move {
                        self.put(from, Pairing::Moved(to));
                    }
                    continue;
                }
                self.put(from, Pairing::Stays(to));
                between.push(Gap { a: gap.a.start..from, b: gap.b.start..to });
                (gap.a.start, gap.b.start) = (from + 1, to + 1);
            }
            between.push(gap);
        }
        self.ends(between)
    }
}

/// Returns the longest sequence of pairs, sorted by their first index, that also ascends in the second. Among sequences
/// of the same length, it prefers the one with the most equal indices.
fn ascending(pairs: &[Pair]) -> Vec<(Pair, bool)> {
    let mut ranks: Vec<usize> = pairs.iter().map(|(_, to)| *to).collect();
    ranks.sort_unstable();
    // A Fenwick tree: the best sequence that ends at a rank or before, as the index of its last pair.
    let mut best: Vec<Option<(usize, usize, usize)>> = vec![None; ranks.len() + 1];
    let mut before = vec![None; pairs.len()];
    for (nth, &(from, to)) in pairs.iter().enumerate() {
        let rank = ranks.partition_point(|other| *other < to);
        let (mut at, mut longest) = (rank, None);
        while at > 0 {
            longest = longest.max(best[at]);
            at &= at - 1;
        }
        before[nth] = longest.map(|(_, _, last)| last);
        let (length, fixed) = longest.map_or((0, 0), |(length, fixed, _)| (length, fixed));
        let run = Some((length + 1, fixed + usize::from(from == to), nth));
        at = rank + 1;
        while at < best.len() {
            best[at] = best[at].max(run);
            at += at & at.wrapping_neg();
        }
    }
    let mut kept: Vec<_> = pairs.iter().map(|pair| (*pair, false)).collect();
    let mut last = best.iter().max().copied().flatten().map(|(_, _, last)| last);
    while let Some(nth) = last {
        kept[nth].1 = true;
        last = before[nth];
    }
    kept
}
