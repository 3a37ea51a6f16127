//! Files with one mutation, of every kind and in every format: no crash, no loss, and a verdict that the mutation
//! explains.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use bindpose::codec::Verdict;
use bindpose::formats::directx::{Encoding, X};
use bindpose::harness::{Mutant, Mutation, Mutator};
use bindpose::schema::{Class, Leaf, Role, leaf_at};
use bindpose::{ErrorKind, File, FileKind, LimitError, Limits, Options};

use crate::folders::{self, Sample};

/// The number of places in a file for each mutation.
const PLACES: usize = 10;

/// A verdict without its error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Lossless,
    Damaged,
    Undecodable,
    Limit,
}
use Fate::{Damaged, Limit, Lossless, Undecodable};

/// Returns the possible verdicts of a mutation, in a binary file and in a text file.
///
/// Decoding is tolerant: in a binary file, a value that decides nothing cannot cause damage. In a text file, any word
/// can.
fn allowed(mutation: Mutation) -> (&'static [Fate], &'static [Fate]) {
    const SOUND: &[Fate] = &[Lossless];
    const NO_LIMIT: &[Fate] = &[Lossless, Damaged, Undecodable];
    const ANY: &[Fate] = &[Lossless, Damaged, Undecodable, Limit];
    match mutation {
        Mutation::IntegerMost
        | Mutation::IntegerNegative
        | Mutation::IntegerSelf
        | Mutation::IntegerEnd
        | Mutation::IntegerHere
        | Mutation::FloatNan
        | Mutation::FloatInfinite
        | Mutation::FloatNegativeZero
        | Mutation::FloatDenormal
        | Mutation::FloatMost
        | Mutation::TextEndless
        | Mutation::TextJunk
        | Mutation::TextBytes
        | Mutation::TextTwin => (SOUND, NO_LIMIT),
        // After the end of the file, there is nothing to unpack.
        Mutation::Cut | Mutation::CutInside => (NO_LIMIT, NO_LIMIT),
        Mutation::CountMost
        | Mutation::CountNegative
        | Mutation::CountWraps
        | Mutation::CountMore
        | Mutation::CountLess
        | Mutation::CountNone
        | Mutation::TagUnknown
        | Mutation::TagNext
        | Mutation::Zeros
        | Mutation::Random
        | Mutation::Bit
        | Mutation::Lost
        | Mutation::Repeated
        | Mutation::Often
        | Mutation::ExtraByte
        | Mutation::Again => (ANY, NO_LIMIT),
    }
}

/// A mutant, and the mutated value.
struct Placed {
    mutant: Mutant,
    path: String,
    is_text: bool,
}

impl Placed {
    fn of(file: &File, mutant: Mutant) -> Self {
        let mut placed = Self { path: String::new(), is_text: false, mutant };
        leaf_at(file.value(), placed.mutant.range.start as u64, &mut |place, leaf| {
            placed.path = place.path.to_string();
            placed.is_text = leaf.class() == Class::Spelling;
        });
        placed
    }
}

/// Cal3D's uncounted morphs continue while their first number is the index of a vertex, so that number is restricted.
fn ends_a_list(mutant: &Placed) -> bool {
    let field = mutant.path.rsplit('.').next();
    mutant.path.contains(".morphs[") && matches!(field, Some("vertex_id" | "end"))
}

fn fate(kind: FileKind, mutant: &Mutant, options: &Options) -> Fate {
    let outcome = kind.roundtrip(&mutant.bytes, options);
    if let Some(error) = outcome.verdict.error() {
        assert!(error.offset() <= mutant.bytes.len() as u64, "{}: {error}", kind.name());
    }
    match outcome.verdict {
        Verdict::Lossless => Lossless,
        Verdict::Damaged(_) => Damaged,
        Verdict::Undecodable(_) => Undecodable,
        Verdict::Limit(_) => Limit,
        verdict => {
            panic!("{}: {} at {:?}: {verdict:?}", kind.name(), mutant.mutation, mutant.range)
        }
    }
}

/// Returns mutants of a file by one mutation, at places all over it.
fn mutants<'a>(mutator: &'a Mutator<'_>, mutation: Mutation) -> impl Iterator<Item = Mutant> + 'a {
    let places = mutator.places(mutation);
    let step = places.div_ceil(folders::scaled(PLACES)).max(1);
    (0..places).step_by(step).filter_map(move |place| mutator.mutant_at(mutation, place, place as u64))
}

#[test]
fn every_mutation_explains_its_verdict() {
    let mut seen: BTreeMap<Mutation, BTreeSet<FileKind>> = BTreeMap::new();
    let mut classes: BTreeMap<FileKind, BTreeSet<&str>> = BTreeMap::new();
    for Sample { kind, options, file, bytes, .. } in folders::small_samples("corpus") {
        let mutator = Mutator::new(&file, &bytes);
        classes.entry(kind).or_default().extend(mutable_classes(&file));
        for &mutation in Mutation::ALL {
            for mutant in mutants(&mutator, mutation) {
                seen.entry(mutation).or_default().insert(kind);
                let (binary, text) = allowed(mutation);
                let mutant = Placed::of(&file, mutant);
                let allowed = if mutant.is_text { text } else { binary };
                let fate = fate(kind, &mutant.mutant, &options);
                assert!(
                    allowed.contains(&fate) || ends_a_list(&mutant),
                    "{}: {fate:?} where {} {mutation}",
                    kind.name(),
                    mutant.path
                );
            }
        }
    }
    for (&mutation, (kind, classes)) in
        Mutation::ALL.iter().flat_map(|mutation| std::iter::repeat(mutation).zip(&classes))
    {
        if class_of(mutation).is_none_or(|class| classes.contains(class)) {
            assert!(
                seen[&mutation].contains(kind),
                "no sample of {} is changed by {}",
                kind.name(),
                mutation.name()
            );
        }
    }
}

/// Returns whether a text ends before its field.
fn has_room(leaf: &dyn Leaf) -> bool {
    let mut bytes = Vec::new();
    leaf.bytes(&mut bytes);
    leaf.is_field() && bytes.split_last().is_some_and(|(_, text)| text.contains(&0))
}

/// Returns the class of values that a mutation applies to; none if it applies to any.
fn class_of(mutation: Mutation) -> Option<&'static str> {
    match mutation {
        Mutation::TextJunk => Some("field"),
        _ => mutation.name().split_once('-').map(|(class, _)| class).filter(|class| *class != "cut"),
    }
}

/// Returns the classes of values in a file that mutations apply to.
fn mutable_classes(file: &File) -> BTreeSet<&'static str> {
    let mut classes = BTreeSet::new();
    let _ = file.walk(&mut |place, leaf| {
        let is_free = place.role == Role::Free;
        let class = match leaf.class() {
            Class::Float => "float",
            Class::Integer if is_free => "integer",
            Class::Text if is_free && has_room(leaf) => "field",
            _ if matches!(place.role, Role::Counts(_)) => "count",
            _ if !is_free => "tag",
            _ => return ControlFlow::Continue(()),
        };
        classes.insert(class);
        ControlFlow::Continue(())
    });
    classes
}

#[test]
fn a_number_that_would_end_a_list_cannot_be_written() {
    let colors = folders::sample("corpus/cal3d/colors.cmf");
    for (path, value) in [("vertices[0].vertex_id", "3"), ("end", "2")] {
        let mut file = colors.file.clone();
        let set = file.set_text(&format!("submeshes[0].morphs[0].{path}"), value);
        assert!(set.is_err() || file.encode().is_err(), "{path}={value}");
    }
}

#[test]
fn every_mutant_differs_at_its_reported_place() {
    for Sample { kind, file, bytes: original, .. } in folders::small_samples("corpus") {
        let mutator = Mutator::new(&file, &original);
        for &mutation in Mutation::ALL {
            for Mutant { bytes, range, .. } in mutants(&mutator, mutation) {
                let what = || format!("{}: {} at {range:?}", kind.name(), mutation.name());
                assert_ne!(bytes, original, "{}", what());
                assert_eq!(bytes[..range.start], original[..range.start], "{}", what());
                if !matches!(mutation, Mutation::Cut | Mutation::CutInside) {
                    assert!(bytes.ends_with(&original[range.end..]), "{}", what());
                }
            }
        }
    }
}

#[test]
fn every_count_of_a_file_is_mutated() {
    let Sample { file, bytes, .. } = folders::sample("corpus/ms3d/empty.ms3d");
    let mutator = Mutator::new(&file, &bytes);
    // Vertices, triangles, groups, materials, joints.
    assert_eq!(mutator.places(Mutation::CountMost), 5);
    let first = mutator.mutant_at(Mutation::CountMost, 0, 0).expect("a mutant");
    assert_eq!((first.range.clone(), &first.bytes[14..16]), (14..16, &[0xff, 0xff][..]));
    let wraps = mutator.mutant_at(Mutation::CountWraps, 4, 0).expect("a mutant");
    let count = u16::from_le_bytes([wraps.bytes[wraps.range.start], wraps.bytes[wraps.range.start + 1]]);
    assert_eq!((count, count.wrapping_mul(4)), (0x4000, 0));
}

#[test]
fn highly_packed_data_is_unpacked_within_the_limits_only() {
    let text = [b"xof 0302txt 0032\n", vec![b' '; 1 << 22].as_slice()].concat();
    let file = bindpose::codec::Format::decode(&text)
        .and_then(|file: X| file.convert(Encoding { binary: false, packed: true, double: false }));
    let bomb = bindpose::codec::Format::encode(&file.expect("a packed file")).expect("bytes");
    assert!(bomb.len() < text.len() / 500, "{} bytes are no bomb", bomb.len());
    let verdict = |limits| FileKind::X.roundtrip(&bomb, &Options::default().with_limits(limits)).verdict;
    for limits in [Limits::none(), Limits::default()] {
        assert_eq!(verdict(limits), Verdict::Lossless);
    }
    let tight = verdict(Limits::default().with_max_memory(1 << 20));
    let Verdict::Limit(error) = tight else { panic!("{tight:?}") };
    let most = (1 << 20) + 8 * bomb.len() as u64;
    let ErrorKind::Limit(LimitError::Memory { needed, permitted }) = error.kind() else { panic!("{error}") };
    assert!(*permitted == most && *needed > most, "{error}");
    assert!(error.offset() <= bomb.len() as u64, "{error}");
}
