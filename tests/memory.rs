//! Memory follows the input, whatever the input says. A test of its own, for its allocator counts.

#[allow(dead_code, reason = "shared with the suite")]
#[path = "suite/folders.rs"]
mod folders;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bindpose::harness::{Mutant, Mutation, Mutator, generate};
use bindpose::schema::{self, Leaf, Node, Place, Step, Value, Visitor};
use bindpose::{File, FileKind, Limits, Options};
use folders::Sample;
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Bytes that decoding takes at its peak beyond what was in use.
fn peak(kind: FileKind, bytes: &[u8], options: &Options) -> usize {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let file = kind.decode(bytes, options);
    let peak = ALLOCATOR.peak_usage() - before;
    drop(file);
    peak
}

/// Files whose counts lie, with so much behind them that lists of the smallest elements get long.
fn greedy(kind: FileKind) -> impl Iterator<Item = (Vec<u8>, Options)> {
    (0..200).filter_map(move |seed| {
        let (file, bytes) = generate(kind.into(), seed, 1000)?;
        let mut bytes = Mutator::new(&file, &bytes).mutant(seed).bytes;
        let filler: &[&[u8]] = &[&[0], &[1], &[0xff], b"\x0a\0", b"<a>", b"0;", b" ", b"A{}"];
        let filler = filler[usize::try_from(seed).ok()? % filler.len()];
        bytes.extend(filler.iter().cycle().take(1 << 18));
        Some((bytes, file.options()))
    })
}

/// The small samples, damaged by every mechanism at some places each.
fn hostile() -> impl Iterator<Item = (FileKind, Mutant, Options)> {
    let small = folders::samples("corpus").filter(|sample| sample.bytes.len() <= 1 << 14);
    small.flat_map(|Sample { kind, bytes, file, .. }| {
        let mutator = Mutator::new(&file, &bytes);
        let places =
            |mutation| (0..mutator.places(mutation)).step_by(mutator.places(mutation).div_ceil(4).max(1));
        let mutants = |&mutation: &Mutation| {
            places(mutation).filter_map(|place| mutator.mutant_at(mutation, place, 0)).collect::<Vec<_>>()
        };
        let mutants: Vec<_> = Mutation::ALL.iter().flat_map(mutants).collect();
        mutants.into_iter().map(move |mutant| (kind, mutant, file.options()))
    })
}

/// The samples, each list of small elements lengthened by those that take the least on disk.
fn long() -> impl Iterator<Item = (FileKind, Vec<u8>, Vec<u8>, Options)> {
    let mut known = BTreeSet::new();
    folders::samples("corpus").flat_map(move |Sample { kind, bytes: short, file, .. }| {
        let mut long = Vec::new();
        for list in lists(&file) {
            let indices = |step: &Step| !matches!(step, Step::Index(_));
            let name: Vec<Step> = list.steps().iter().filter(|step| indices(step)).cloned().collect();
            if known.insert((kind, file.dialect(), format!("{name:?}")))
                && let Some(file) = lengthened(&file, &list, 1)
                && file.encode().is_ok_and(|bytes| bytes.len() <= short.len() + SMALL)
                && let Some(file) = lengthened(&file, &list, MANY)
                && let Ok(bytes) = file.encode()
            {
                long.push((kind, short.clone(), bytes, file.options()));
            }
        }
        long
    })
}

/// Elements of few bytes take the most memory for each.
const SMALL: usize = 8;

const MANY: usize = 8000;

fn lengthened(file: &File, list: &bindpose::FieldPath, by: usize) -> Option<File> {
    let mut file = file.clone();
    (0..by).all(|_| schema::append(file.value_mut(), list).is_ok()).then_some(file)
}

fn lists(file: &File) -> Vec<bindpose::FieldPath> {
    struct Lists(Vec<bindpose::FieldPath>);
    impl Visitor for Lists {
        fn leaf(&mut self, _: &Place, _: &dyn Leaf) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn enter(&mut self, place: &Place, _: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
            if matches!(node, Node::Items(_)) {
                self.0.push(place.path.clone());
            }
            ControlFlow::Continue(true)
        }
    }
    let mut lists = Lists(Vec::new());
    let _ = schema::walk(file.value(), &mut lists);
    lists.0
}

/// One test, for others would be counted with it.
#[test]
fn memory_follows_the_input() {
    let mut tried = [0; 3];
    for &kind in FileKind::ALL {
        for (bytes, options) in greedy(kind) {
            tried[0] += 1;
            let (peak, len) = (peak(kind, &bytes, &options), bytes.len());
            assert!(
                peak <= Limits::BASE + kind.info().memory * len,
                "{}: {peak} for {len} bytes",
                kind.name()
            );
        }
    }
    for (kind, Mutant { bytes, mutation, range }, options) in hostile() {
        tried[1] += 1;
        // What is unpacked counts as if it stood in the file.
        let limits = Limits { max_unpacked: bytes.len() as u64, ..Limits::default() };
        let peak = peak(kind, &bytes, &options.with_limits(limits));
        let most = Limits::BASE + kind.info().memory * 2 * bytes.len();
        assert!(peak <= most, "{}: {peak} of {most} where a value at {range:?} {mutation}", kind.name());
    }
    for (kind, short, long, options) in long() {
        tried[2] += 1;
        let (before, more) = (peak(kind, &short, &options), peak(kind, &long, &options));
        let longer = long.len() - short.len();
        let most = before + Limits::BASE / 2 + kind.info().memory * longer;
        assert!(more <= most, "{}: {more} after {before} for {longer} bytes more", kind.name());
    }
    assert!(tried[0] > 0 && tried[1] > 0 && tried[2] > 0, "{tried:?}");
}
