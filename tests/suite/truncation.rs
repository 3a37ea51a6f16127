//! Truncated files: the fields before the end are decoded, and the files re-encode identically.

use std::collections::HashSet;
use std::ops::ControlFlow;

use bindpose::codec::{Options, Verdict};
use bindpose::edit::{scale, transform};
use bindpose::formats::psk::Records;
use bindpose::harness::{Mutation, Mutator};
use bindpose::scene::{Curve, Lost, Part, Scene, Settings};
use bindpose::schema::{self, Class, EditError, Leaf, Node, Place, Value, Visitor, bytes_of, leaf_at, walk};
use bindpose::{Budget, ErrorKind, File, FileKind};
use glam::{Quat, Vec3};

use crate::folders;

/// Lengths to cut a file to: every one of a short file, some of a long one.
fn cuts(first: usize, len: usize, most: usize) -> impl Iterator<Item = usize> {
    (first..len).step_by(1 + len.saturating_sub(first) / most)
}

/// The number of places to cut a real file at, so that large ones do not take most of the time.
fn places(len: usize) -> usize {
    const BYTES: usize = 1 << 23;
    folders::scaled((BYTES / len.max(1)).clamp(8, 100))
}

/// The length from which on a prefix of a file has its format.
fn first(kind: FileKind) -> usize {
    kind.info().magic.len() + 4
}

/// The largest part that is decoded as a whole or not at all: the header of a PSK chunk.
const WHOLE: u64 = 32;

/// Whether a prefix ends in the header of the last chunk and this has blend curves. Of such ids only the end is known, so that
/// the header cannot be distinguished from one that has lost its first bytes.
fn is_ambiguous(file: &File, bytes: &[u8], len: usize) -> bool {
    let File::Psa(file) = file else { return false };
    let last = file.chunks.last().filter(|chunk| matches!(chunk.records, Records::Curves(_)));
    let start = last.map(|last| bytes.len() as u64 - last.size());
    start.is_some_and(|start| (start..start + WHOLE).contains(&(len as u64)))
}

/// Asserts that a prefix re-encodes identically, and that everything before the part that it ends in is decoded.
fn obeys(kind: FileKind, options: &Options, file: &File, bytes: &[u8], len: usize) -> Result<(), String> {
    let outcome = kind.roundtrip(&bytes[..len], options);
    if !matches!(outcome.verdict, Verdict::Damaged(_) | Verdict::Lossless) {
        return Err(format!("cut to {len}: {:?}", outcome.verdict));
    }
    let mut start = len as u64;
    leaf_at(file.value(), len as u64, &mut |place, _| start = place.offset);
    let most = len as u64 - start.min(len as u64) + WHOLE;
    if outcome.rest > most && !is_ambiguous(file, bytes, len) {
        return Err(format!("cut to {len}: {} bytes are not decoded, expected at most {most}", outcome.rest));
    }
    Ok(())
}

#[test]
fn every_prefix_of_a_sample_is_damaged_and_lossless() {
    let mut failures = Vec::new();
    for sample in folders::samples("corpus") {
        let options = sample.file.options();
        let most = if sample.is_small() { sample.bytes.len() } else { folders::scaled(80) };
        for len in cuts(first(sample.kind), sample.bytes.len(), most) {
            if let Err(why) = obeys(sample.kind, &options, &sample.file, &sample.bytes, len) {
                failures.push(format!("{} {why}", sample.name));
            }
            sample.kind.law(&sample.bytes[..len], &options);
        }
    }
    let count = failures.len();
    failures.dedup_by_key(|why| why.split(' ').next().unwrap_or_default().to_owned());
    assert!(failures.is_empty(), "{count} prefixes:\n{}", failures.join("\n"));
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn every_prefix_of_a_corpus_file_is_damaged_and_lossless() {
    let mut failures = Vec::new();
    let mut all = 0;
    for (path, bytes) in folders::files(&folders::corpus()) {
        let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
        let Ok(file) = kind.decode(&bytes, &options) else { continue };
        if file.damage().is_some() {
            continue;
        }
        for len in cuts(first(kind), bytes.len(), places(bytes.len())) {
            all += 1;
            if let Err(why) = obeys(kind, &file.options(), &file, &bytes, len) {
                failures.push(format!("{}: {why}", path.display()));
            }
        }
    }
    println!("{all} prefixes");
    assert!(failures.is_empty(), "{} of {all} prefixes:\n{}", failures.len(), failures.join("\n"));
}

/// A list may announce more elements than there is memory for; nothing may be allocated by the stated number.
#[test]
fn a_count_beyond_the_end_of_the_file_still_gives_a_scene() {
    for sample in folders::samples("corpus").filter(|sample| sample.bytes.len() < 50_000) {
        let mutator = Mutator::new(&sample.file, &sample.bytes);
        for seed in 0..12 {
            let Some(mutant) = mutator.mutant_by(Mutation::CountMost, seed) else { continue };
            let Ok(file) = sample.kind.decode(&mutant.bytes, &sample.options) else { continue };
            let part = Part { name: "file", file: file.as_scene_source() };
            let scene = Scene::of(&[part], &Settings::default());
            assert!(scene.clips.len() <= mutant.bytes.len(), "more clips than bytes");
        }
    }
}

#[test]
fn a_truncated_list_has_the_elements_before_the_end() {
    // The vertices begin after 16 bytes and have 15 bytes each.
    let whole = folders::read("corpus/ms3d/full.ms3d");
    for (len, there) in [(16, 0), (30, 0), (31, 1), (32, 1), (45, 1), (46, 2), (47, 2)] {
        let file = FileKind::Ms3d.decode(&whole[..len], &Options::default()).expect("a truncated file");
        let Node::Record(record) = file.value().node() else { panic!("a file is a record") };
        let mut found = None;
        let _ = record.fields(&mut |field, value| {
            if let ("vertices", Node::Items(items)) = (field.name, value.node()) {
                found = Some((0..).map_while(|index| items.item(index).map(bytes_of)).collect::<Vec<_>>());
            }
            ControlFlow::Continue(())
        });
        let expected: Vec<_> = whole[16..].chunks(15).take(there).map(<[u8]>::to_vec).collect();
        assert_eq!(found.unwrap_or_default(), expected, "{len} bytes");
    }
}

/// The type names of all records by their paths.
struct TypeNames(Vec<(String, &'static str)>);

impl Visitor for TypeNames {
    fn leaf(&mut self, _: &Place, _: &dyn Leaf) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn enter(&mut self, place: &Place, _: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
        if let Node::Record(record) = node {
            self.0.push((place.path.to_string(), record.type_name()));
        }
        ControlFlow::Continue(true)
    }
}

/// With another name, the bytes after a chunk with a wrong size are chunks up to the end of this file.
#[test]
fn an_edit_that_makes_a_truncated_file_another_one_is_refused() {
    let sample = folders::sample("damaged/psk/face_20_for_18.pskx");
    let refuses = |len: usize| {
        let mut file = sample.kind.decode(&sample.bytes[..len], &sample.options).expect("a truncated file");
        file.set_text("chunks[4].records[0].name", "a").expect("a name");
        file.reread().is_err()
    };
    let lens: Vec<_> = (440..450).filter(|len| refuses(*len)).collect();
    assert_eq!(lens, [441]);
}

#[test]
fn records_of_a_truncated_file_have_their_types() {
    let names = |file: &File| {
        let mut names = TypeNames(Vec::new());
        let _ = walk(file.value(), &mut names);
        names.0
    };
    let sample = folders::sample("corpus/ms3d/full.ms3d");
    let whole = names(&sample.file);
    for len in cuts(first(sample.kind), sample.bytes.len(), 80) {
        let file = sample.kind.decode(&sample.bytes[..len], &sample.options).expect("a truncated file");
        let unknown: Vec<_> = names(&file).into_iter().filter(|name| !whole.contains(name)).collect();
        assert!(unknown.is_empty(), "{len} bytes: {unknown:?}");
    }
}

/// The bytes that are missing decide about what is there of a value.
#[test]
fn the_value_that_a_file_ends_in_is_not_transformed() {
    let mut partial = 0;
    for sample in folders::samples("corpus") {
        let len = sample.bytes.len();
        for cut in cuts(first(sample.kind), len, folders::scaled(200)) {
            let Ok(file) = sample.kind.decode(&sample.bytes[..cut], &sample.options) else { continue };
            for is_whole in [false, true] {
                if schema::truncation(file.value()).is_none() {
                    continue;
                }
                let mut edited = file.clone();
                let budget = Budget::default();
                let done = if is_whole {
                    transform(
                        std::slice::from_mut(&mut edited),
                        Quat::from_rotation_x(1.0),
                        Vec3::ONE,
                        &budget,
                    )
                } else {
                    scale(&mut edited, 3.0, &budget)
                };
                if let Err(error) = done {
                    // Refusals are about the content, not about a path that the caller did not name.
                    assert!(
                        !matches!(error.kind(), ErrorKind::Value(EditError::NotALeaf)),
                        "{} cut to {cut}: {error}",
                        sample.name
                    );
                    continue;
                }
                let bytes = edited.encode().expect("bytes");
                assert_eq!(bytes.len(), cut, "{}", sample.name);
                let Some(path) = schema::partial(file.value(), is_whole) else { continue };
                let present = bytes_of_rest(&file);
                let start = cut - present;
                assert!(bytes[start..] == sample.bytes[start..cut], "{} {path}", sample.name);
                partial += usize::from(present > 0);
            }
        }
    }
    assert!(partial > 20, "{partial}");
}

/// The number of bytes that are present of the value that a truncated file ends in.
fn bytes_of_rest(file: &File) -> usize {
    let mut present = 0;
    let _ = file.walk(&mut |_, leaf| {
        if leaf.class() == Class::Rest {
            present = usize::try_from(leaf.size()).expect("a size in memory");
        }
        ControlFlow::Continue(())
    });
    present
}

/// Values as bits, each with the name of what it belongs to.
type Values = HashSet<(String, Vec<u32>)>;

/// The corners of each triangle of a scene, the keys of each bone, and its bind pose.
fn contents(scene: &Scene) -> [Values; 3] {
    let bits = |values: &[f32]| values.iter().map(|own| own.to_bits()).collect::<Vec<_>>();
    let triangles = scene.meshes.iter().flat_map(|mesh| {
        let all = mesh.primitives.iter().flat_map(|own| &own.triangles);
        all.map(|own| bits(&own.map(|at| mesh.positions[at as usize].to_array()).concat()))
    });
    let bones = scene.skeleton.bones();
    let keys = scene.clips.iter().flat_map(|clip| &clip.tracks).flat_map(|track| {
        let translations = track.translation.iter().flat_map(Curve::values).map(|own| bits(&own.to_array()));
        let rotations = track.rotation.iter().flat_map(Curve::values).map(|own| bits(&own.to_array()));
        translations.chain(rotations).map(|own| (bones[track.bone].name.clone(), own))
    });
    let binds = bones.iter().flat_map(|bone| {
        let own = [bits(&bone.bind.translation.to_array()), bits(&bone.bind.rotation.to_array())];
        own.map(|own| (bone.name.clone(), own))
    });
    [triangles.map(|own| (String::new(), own)).collect(), keys.collect(), binds.collect()]
}

/// What is only partly in a file is not a part of its scene, with zeros for the rest; and a rescued file has what the scene has.
#[test]
fn the_scene_of_a_truncated_file_has_only_what_is_whole() {
    let scene =
        |file: &File| Scene::of(&[Part { name: "file", file: file.as_scene_source() }], &Settings::default());
    let (mut tried, mut wrong) = (0, Vec::new());
    let samples = folders::samples("corpus").chain(folders::samples("character"));
    // What violates rules is read in other ways when other parts of it are missing; of odd tokens whole objects are removed; and without
    // its comment, the ranges of the last file are one clip, with the keys between them.
    let is_other = |name: &str| name.starts_with("rules") || ["odd_tokens.x", "dragon.ms3d"].contains(&name);
    for own in samples.filter(|own| !is_other(&own.name)) {
        let [triangles, mut keys, binds] = contents(&scene(&own.file));
        // The bind pose takes the place of channels that are missing.
        keys.extend(binds);
        for len in cuts(first(own.kind), own.bytes.len(), folders::scaled(24)) {
            let Ok(file) = own.kind.decode(&own.bytes[..len], &own.options) else { continue };
            let Some(damage) = file.damage() else { continue };
            let cut = scene(&file);
            let case = format!("{} cut to {len}: {damage}", own.name);
            assert!(cut.losses.iter().any(|loss| loss.lost == Lost::Damage), "{case}: {:?}", cut.losses);
            // The end of a text can be a number that continues.
            if matches!(damage.kind(), ErrorKind::Syntax(_)) {
                continue;
            }
            let [some_triangles, some_keys, _] = contents(&cut);
            tried += usize::from(!some_triangles.is_empty() || !some_keys.is_empty());
            let mut is_none = |what: &str, count: usize| {
                if count > 0 {
                    wrong.push(format!("{case}: {count} {what}"));
                }
            };
            is_none("triangles are invented", some_triangles.difference(&triangles).count());
            is_none("keys are invented", some_keys.difference(&keys).count());
            if let Ok(rescued) = own.kind.rescue(&own.bytes[..len], &own.options) {
                let rescued = own.kind.decode(&rescued.bytes, &own.options).expect("a valid file");
                let [kept, kept_keys, _] = contents(&scene(&rescued));
                is_none("triangles are not rescued", some_triangles.difference(&kept).count());
                is_none("keys are not rescued", some_keys.difference(&kept_keys).count());
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried} cases:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tried > 100, "only {tried} scenes have triangles or keys");
}
