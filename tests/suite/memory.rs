//! Memory follows the input, whatever the input claims.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use allocation_counter::measure;
use bindpose::harness::{Mutant, Mutation, Mutator, generate};
use bindpose::schema::{self, Leaf, Node, NodeMut, Place, Step, Value, Visitor};
use bindpose::{ErrorKind, FieldPath, File, FileKind, Limits, Options};

use crate::folders::{self, Sample, each_format_in_parallel, samples_of};

/// Memory in bytes that decoding may take beyond its limit: blocks, tables, error messages.
const SLACK: u64 = 1 << 18;

/// Limits on the memory for each byte of a file.
const PER_BYTE: [u64; 3] = [4, 16, 64];

/// Asserts that decoding takes at most the permitted memory, whatever its result. Returns whether the limit sufficed.
fn is_within(kind: FileKind, bytes: &[u8], options: &Options, limits: Limits, what: &str) -> bool {
    let options = options.clone().with_limits(limits);
    let mut file = None;
    let allocated = measure(|| file = Some(kind.decode(bytes, &options)));
    let len = bytes.len() as u64;
    let most = limits.memory_for(len) - len.min(limits.memory_for(len)) + SLACK;
    let peak = allocated.bytes_max;
    let refused = matches!(file, Some(Err(error)) if matches!(error.kind(), ErrorKind::Limit(_)));
    let (name, head) = (kind.name(), bytes[..bytes.len().min(16)].escape_ascii());
    assert!(peak <= most, "{name}: {peak} of {most} for {len} bytes, {what}, {head}; refused: {refused}");
    !refused
}

/// Asserts the same for several limits. Returns whether the largest sufficed.
fn is_bounded(kind: FileKind, bytes: &[u8], options: &Options, what: &str) -> bool {
    let limits = |per_byte| Limits::default().with_max_memory(0).with_max_memory_per_byte(per_byte);
    let sufficed = PER_BYTE.map(|per_byte| is_within(kind, bytes, options, limits(per_byte), what));
    sufficed[PER_BYTE.len() - 1]
}

/// Generated files per format.
fn seeds() -> u64 {
    folders::scaled(64) as u64
}

/// Bytes appended to a generated file, so that a false count finds something to read.
fn filler_len() -> usize {
    folders::scaled(1 << 17).max(1 << 15)
}

/// Damaged generated files, followed by enough bytes that lists of the smallest elements grow long.
fn followed_by_filler(kind: FileKind) -> impl Iterator<Item = (Vec<u8>, Options)> {
    (0..seeds()).filter_map(move |seed| {
        let (file, bytes) = generate(kind.into(), seed, 1000)?;
        let mut bytes = Mutator::new(&file, &bytes).mutant(seed).bytes;
        let filler: &[&[u8]] = &[&[0], &[1], &[0xff], b"\x0a\0", b"<a>", b"0;", b" ", b"A{}"];
        let filler = filler[usize::try_from(seed).ok()? % filler.len()];
        bytes.extend(filler.iter().cycle().take(filler_len()));
        Some((bytes, file.options()))
    })
}

#[test]
fn a_false_count_reserves_no_memory() {
    each_format_in_parallel(|kind| {
        let mut tried = 0;
        for (bytes, options) in followed_by_filler(kind) {
            // What is packed may unpack to any size.
            let may_be_packed = matches!(kind, FileKind::UnigineMesh | FileKind::X);
            assert!(is_bounded(kind, &bytes, &options, "a false count") || may_be_packed, "{}", kind.name());
            tried += 1;
        }
        assert!(tried > seeds() / 2, "{}: {tried} files", kind.name());
    });
}

/// Places of a sample for each mechanism.
const PLACES: usize = 4;

/// A sample, damaged by every mechanism at a few places each.
fn mutants(Sample { file, bytes, .. }: &Sample) -> Vec<Mutant> {
    let mutator = Mutator::new(file, bytes);
    let at_places = |&mutation: &Mutation| {
        let places = mutator.places(mutation);
        let step = places.div_ceil(folders::scaled(PLACES)).max(1);
        (0..places)
            .step_by(step)
            .filter_map(|place| mutator.mutant_at(mutation, place, 0))
            .collect::<Vec<_>>()
    };
    Mutation::ALL.iter().flat_map(at_places).collect()
}

#[test]
fn a_damaged_file_takes_no_more_memory_than_its_size_allows() {
    each_format_in_parallel(|kind| {
        let mut tried = 0;
        for sample in samples_of(kind).filter(Sample::is_small) {
            for Mutant { bytes, mutation, range, .. } in mutants(&sample) {
                let what = format!("where a value at {range:?} {mutation}");
                is_bounded(kind, &bytes, &sample.file.options(), &what);
                tried += 1;
            }
        }
        assert!(tried > 0, "{}: no mutants", kind.name());
    });
}

/// The largest size of an element that counts as small: such elements take the most memory per byte.
const SMALL: usize = 8;

/// Elements appended to a list: as many as take more memory than [`SLACK`] where an element of a byte takes 16.
const MANY: usize = 1 << 15;

/// The samples of a format, each list of small elements lengthened.
fn lengthened(kind: FileKind) -> impl Iterator<Item = (Vec<u8>, Options)> {
    let mut known = BTreeSet::new();
    samples_of(kind).flat_map(move |Sample { bytes: short, file, .. }| {
        let mut longer = Vec::new();
        for (list, _) in lists(&file) {
            let is_name = |step: &&Step| !matches!(step, Step::Index(_));
            let name: Vec<Step> = list.steps().iter().filter(is_name).cloned().collect();
            let mut longest = file.clone();
            if known.insert((file.dialect(), format!("{name:?}")))
                && schema::append(longest.value_mut(), &list).is_ok()
                && longest.encode().is_ok_and(|bytes| bytes.len() <= short.len() + SMALL)
            {
                let lists = grown(&file, &longest);
                longer.extend(lengthen(&mut longest, &lists).map(|long| (long, file.options())));
            }
        }
        longer
    })
}

/// Adds many elements to lists of equal length. Returns the bytes of the file, unless its format has a limit below.
fn lengthen(file: &mut File, lists: &[FieldPath]) -> Option<Vec<u8>> {
    for list in lists {
        let NodeMut::Items(items) = schema::value_mut(file.value_mut(), list.steps())?.node_mut() else {
            return None;
        };
        for index in items.len()..MANY {
            items.insert(index).then_some(())?;
        }
    }
    file.encode().ok()
}

/// The lists that an edit has lengthened.
fn grown(before: &File, after: &File) -> Vec<FieldPath> {
    let lens: BTreeMap<_, _> = lists(before).into_iter().map(|(path, len)| (path.to_string(), len)).collect();
    let is_longer =
        |(path, len): &(FieldPath, usize)| lens.get(&path.to_string()).is_some_and(|old| old < len);
    lists(after).into_iter().filter(is_longer).map(|(path, _)| path).collect()
}

/// The lists of a file with their lengths.
fn lists(file: &File) -> Vec<(FieldPath, usize)> {
    struct Lists(Vec<(FieldPath, usize)>);
    impl Visitor for Lists {
        fn leaf(&mut self, _: &Place, _: &dyn Leaf) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn enter(&mut self, place: &Place, _: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
            if let Node::Items(items) = node {
                self.0.push((place.path.clone(), items.len()));
            }
            ControlFlow::Continue(true)
        }
    }
    let mut lists = Lists(Vec::new());
    let _ = schema::walk(file.value(), &mut lists);
    lists.0
}

#[test]
fn a_long_list_of_small_elements_takes_memory_in_proportion() {
    let tried = each_format_in_parallel(|kind| {
        let mut tried = 0;
        for (long, options) in lengthened(kind) {
            is_bounded(kind, &long, &options, "a long list");
            tried += 1;
        }
        tried
    });
    assert!(tried.iter().sum::<usize>() > FileKind::ALL.len(), "{tried:?}");
}
