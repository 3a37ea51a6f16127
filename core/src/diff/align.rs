//! Which elements of two lists belong together.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

/// Where an element of the first list is in the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Twin {
    /// Interpolation the twins of its neighbours.
    Stays(usize),
    /// Elsewhere.
    Moved(usize),
}

/// What two elements are known by.
#[derive(Clone, Copy)]
pub(super) struct Key<'a> {
    /// Empty in lists without names.
    pub name: &'a str,
    pub bytes: &'a [u8],
}

/// For each element of the first list its twin in the second, in time that grows hardly faster than the lists.
///
/// What is equal at the ends comes first, then what is equal and unique, then names that are unique, then those that are
/// not, in order. What is left over between two that stay goes with what is left over between their twins, in order: it
/// has another name.
pub(super) fn align(a: &[Key<'_>], b: &[Key<'_>]) -> Vec<Option<Twin>> {
    let mut alignment = Alignment { a, b, twins: vec![None; a.len()], taken: vec![false; b.len()] };
    let whole = Gap { a: 0..a.len(), b: 0..b.len() };
    let mut gaps = alignment.ends(vec![whole.clone()]);
    gaps = alignment.chain(gaps, |alignment, gap| alignment.unique(gap, |key| key.bytes));
    gaps = alignment.chain(gaps, |alignment, gap| alignment.unique(gap, |key| key.name));
    gaps = alignment.chain(gaps, Alignment::in_order);
    for (from, to) in alignment.in_order(&whole) {
        alignment.put(from, Twin::Moved(to));
    }
    for gap in gaps {
        let (left, others) = alignment.left_over(&gap);
        left.into_iter().zip(others).for_each(|(from, to)| alignment.put(from, Twin::Stays(to)));
    }
    alignment.twins
}

/// Two runs of elements that lie between the same neighbours.
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

/// Elements by their indices, one of each list.
type Pair = (usize, usize);

struct Alignment<'a> {
    a: &'a [Key<'a>],
    b: &'a [Key<'a>],
    twins: Vec<Option<Twin>>,
    /// Which elements of the second list are a twin.
    taken: Vec<bool>,
}

impl<'a> Alignment<'a> {
    fn put(&mut self, from: usize, twin: Twin) {
        let (Twin::Stays(to) | Twin::Moved(to)) = twin;
        self.twins[from] = Some(twin);
        self.taken[to] = true;
    }

    /// Pairs what is equal at both ends of gaps, then what has equal names there; leaves what lies between.
    fn ends(&mut self, mut gaps: Vec<Gap>) -> Vec<Gap> {
        for gap in &mut gaps {
            self.ends_by(gap, |a, b| a.bytes == b.bytes);
            self.ends_by(gap, |a, b| a.name == b.name);
        }
        gaps
    }

    fn ends_by(&mut self, gap: &mut Gap, equal: impl Fn(&Key<'_>, &Key<'_>) -> bool) {
        let pairs = |this: &Self, (from, to): Pair| {
            this.twins[from].is_none() && !this.taken[to] && equal(&this.a[from], &this.b[to])
        };
        while gap.is_open() && pairs(self, (gap.a.start, gap.b.start)) {
            self.put(gap.a.start, Twin::Stays(gap.b.start));
            (gap.a.start, gap.b.start) = (gap.a.start + 1, gap.b.start + 1);
        }
        while gap.is_open() && pairs(self, (gap.a.end - 1, gap.b.end - 1)) {
            (gap.a.end, gap.b.end) = (gap.a.end - 1, gap.b.end - 1);
            self.put(gap.a.end, Twin::Stays(gap.b.end));
        }
    }

    /// The elements of a gap that have no twin and are none.
    fn left_over(&self, gap: &Gap) -> (Vec<usize>, Vec<usize>) {
        let left = gap.a.clone().filter(|from| self.twins[*from].is_none()).collect();
        (left, gap.b.clone().filter(|to| !self.taken[*to]).collect())
    }

    /// The pairs of elements that are left over and of which each run has one alone.
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

    /// The pairs of elements that are left over and have equal names: those at the same place where that holds for most,
    /// otherwise the first with the first.
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

    /// Pairs elements within gaps: as many as can stay, the others have moved. Leaves what lies between those that stay.
    fn chain(&mut self, gaps: Vec<Gap>, pairs: impl Fn(&Self, &Gap) -> Vec<Pair>) -> Vec<Gap> {
        let mut between = Vec::new();
        for mut gap in gaps {
            for ((from, to), stays) in ascending(&pairs(self, &gap)) {
                if !stays {
                    self.put(from, Twin::Moved(to));
                    continue;
                }
                self.put(from, Twin::Stays(to));
                between.push(Gap { a: gap.a.start..from, b: gap.b.start..to });
                (gap.a.start, gap.b.start) = (from + 1, to + 1);
            }
            between.push(gap);
        }
        self.ends(between)
    }
}

/// Which of these pairs, which ascend in the first index, form the longest run that ascends in the second as well; of
/// equal ones that in which most indices are the same.
fn ascending(pairs: &[Pair]) -> Vec<(Pair, bool)> {
    let mut ranks: Vec<usize> = pairs.iter().map(|(_, to)| *to).collect();
    ranks.sort_unstable();
    // A Fenwick tree: the best run that ends at a rank or before, by the pair it ends with.
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
