//! Valid files from damaged ones.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

use bindpose::check::Severity;
use bindpose::codec::Format;
use bindpose::formats::iqm::{Iqm, VertexData};
use bindpose::formats::psk::{Bone, Chunk, Key, Psa, Psk, Records, Sequence, Weight};
use bindpose::scene::{Part, Scene, Settings};
use bindpose::schema::{FieldPath, Leaf, Node, Place, Role, Schema, Value, Visitor, walk};
use bindpose::wire::FixedStr;
use bindpose::{File, FileKind, Loss, Options};

use crate::folders;

/// The rules of errors that a file violates.
pub fn errors(kind: FileKind, bytes: &[u8], options: &Options) -> BTreeSet<&'static str> {
    let report = kind.decode(bytes, options).unwrap().check(bytes, 1);
    let errors = report.findings.iter().filter(|finding| finding.rule.severity == Severity::Error);
    errors.map(|finding| finding.rule.code).collect()
}

/// Rescues a file. Returns why the result breaks the law; `None` if it obeys.
pub fn obeys(
    kind: FileKind,
    options: &Options,
    bytes: &[u8],
    known: &BTreeSet<&'static str>,
) -> Result<(), String> {
    let rescued = match kind.rescue(bytes, options) {
        Ok(rescued) => rescued,
        Err(_) if kind.decode(bytes, options).is_err() => return Ok(()),
        // Formats without a magic have no empty files.
        Err(error) if kind.info().magic.is_empty() && error.to_string().contains("no complete element") => {
            return Ok(());
        }
        Err(error) => return Err(format!("decodes, but is refused: {error}")),
    };
    let file = kind.decode(&rescued.bytes, options).map_err(|error| format!("undecodable: {error}"))?;
    if let Some(damage) = file.damage() {
        return Err(format!("damaged: {damage}"));
    }
    if file.encode().as_ref() != Ok(&rescued.bytes) {
        return Err("not lossless".into());
    }
    if rescued.losses.is_empty() && rescued.bytes != bytes {
        return Err("no loss is listed".into());
    }
    let is_plural = |loss: &&Loss| {
        let own = loss.message.strip_prefix("1 element ").into_iter().flat_map(|own| own.split(' '));
        own.into_iter().any(|word| ["they", "their", "them", "have"].contains(&word))
    };
    if let Some(loss) = rescued.losses.iter().find(is_plural) {
        return Err(format!("a loss of one element in the plural: {loss}"));
    }
    if let Ok(before) = kind.decode(bytes, options)
        && let Some(list) = unreported(&before, &rescued.losses, &file)
    {
        return Err(format!("{list}, but there are only these losses: {:?}", rescued.losses));
    }
    let new: Vec<_> = errors(kind, &rescued.bytes, options).difference(known).copied().collect();
    if new.is_empty() { Ok(()) } else { Err(format!("has errors: {new:?}")) }
}

/// Returns a list that is shorter in the rescued file although no loss is about it; `None` if there is none.
fn unreported(before: &File, losses: &[Loss], after: &File) -> Option<String> {
    let [before, after] = [before, after].map(|file| {
        let mut lists = Lists::default();
        let _ = walk(file.value(), &mut lists);
        lists.0
    });
    let is_reported = |path: &FieldPath| {
        let within = |a: &FieldPath, b: &FieldPath| a.steps().starts_with(b.steps());
        losses.iter().any(|loss| within(path, &loss.path) || within(&loss.path, path))
    };
    let is_same = |path: &FieldPath| before.get(path) == after.get(path);
    // The elements of a list that is shorter have other indices.
    let is_in_same = |path: &FieldPath| {
        let outer = (0..path.steps().len()).map(|len| FieldPath::from(path.steps()[..len].to_vec()));
        outer.into_iter().all(|outer| is_same(&outer))
    };
    let mut shorter = before.keys().filter(|path| !is_same(path) && !is_reported(path) && is_in_same(path));
    shorter
        .next()
        .map(|path| format!("{path} has {:?} elements, had {:?}", after.get(path), before.get(path)))
}

/// The number of elements of each list.
#[derive(Default)]
struct Lists(HashMap<FieldPath, usize>);

impl Visitor for Lists {
    fn leaf(&mut self, _: &Place, _: &dyn Leaf) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn enter(&mut self, place: &Place, _: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
        // A UNIGINE mesh has an offset for each geometry, of which the loss is reported.
        if let (Node::Items(items), false) = (node, matches!(place.role, Role::Places(_))) {
            self.0.insert(place.path.clone(), items.len());
        }
        ControlFlow::Continue(true)
    }
}

/// The prefixes of a file that contain its magic.
fn prefixes(kind: FileKind, len: usize) -> impl Iterator<Item = usize> {
    let first = kind.info().magic.len() + 4;
    (first..len).step_by(1 + len / folders::scaled(if len < 100_000 { 120 } else { 20 }))
}

#[test]
fn every_truncated_sample_becomes_a_valid_file() {
    let mut failures = Vec::new();
    for sample in folders::samples("corpus") {
        let options = sample.file.options();
        let known = errors(sample.kind, &sample.bytes, &options);
        for len in prefixes(sample.kind, sample.bytes.len()) {
            if let Err(why) = obeys(sample.kind, &options, &sample.bytes[..len], &known) {
                failures.push(format!("{} cut to {len}: {why}", sample.name));
            }
        }
    }
    assert!(failures.is_empty(), "{} files:\n{}", failures.len(), failures.join("\n"));
}

/// The file ends between two chunks, and has weights, but none of the bones after them.
#[test]
fn weights_without_bones_are_removed() {
    let sample = folders::sample("corpus/psk/morphs.pskx");
    let end = sample.bytes.windows(8).position(|id| id == b"REFSKELT").expect("a chunk of bones");
    let bytes = &sample.bytes[..end];
    assert!(errors(sample.kind, bytes, &sample.options).contains("psk/weight-bone-out-of-range"));
    assert_eq!(obeys(sample.kind, &sample.options, bytes, &BTreeSet::new()), Ok(()));
}

/// The header that is left of the text does not show its format.
#[test]
fn a_text_without_a_complete_element_is_refused() {
    let sample = folders::sample("corpus/cal3d/smile.xpf");
    let refused = sample.kind.rescue(&sample.bytes[..sample.bytes.len() / 3], &Options::default());
    assert!(refused.is_err_and(|why| why.to_string().contains("no complete element is left")));
}

/// The bytes and the losses of a sample without its last bytes.
fn rescued(name: &str, cut: usize) -> (Vec<u8>, Vec<String>) {
    let sample = folders::sample(name);
    let bytes = &sample.bytes[..sample.bytes.len() - cut];
    let rescued = sample.kind.rescue(bytes, &sample.options).expect("a valid file");
    (rescued.bytes, rescued.losses.iter().map(ToString::to_string).collect())
}

#[test]
fn a_truncated_text_keeps_its_first_bytes_and_gets_its_nul() {
    let (bytes, losses) = rescued("corpus/cal3d/skin.crf", 2);
    assert_eq!(losses, ["maps[0].file: 7 of 9 bytes kept"]);
    assert!(bytes.ends_with(b"\x08\0\0\0skin.tg\0"), "{}", bytes.escape_ascii());
}

#[test]
fn a_truncated_table_keeps_its_whole_rows() {
    let rows = |cut: usize| rescued("corpus/unigine/an11.anim", cut).1;
    assert_eq!(rows(20), ["frames: 7 of 8 elements kept", "tail_id: is lost"]);
    assert_eq!(rows(60), ["frames: 6 of 8 elements kept", "tail_id: is lost"]);
}

/// The last frame, which is that of the second animation, is incomplete.
#[test]
fn the_complete_frames_of_a_truncated_iqm_stay() {
    let (bytes, losses) = rescued("corpus/iqm/bar.iqm", 1128 - 982);
    for loss in
        ["sections.frames: 2 of 3 frames kept", "sections.anims: 1 element removed: all frames are lost"]
    {
        assert!(losses.iter().any(|own| own == loss), "{losses:?}");
    }
    let File::Iqm(file) = bindpose::decode(&bytes).expect("a valid file") else {
        unreachable!("an iqm file")
    };
    assert_eq!((file.num_frames, file.sections.anims.len(), file.sections.poses.len()), (2, 1, 2));
    assert_eq!(&file.sections.frames[..], [0, 0, 32_768, 65_535]);
}

#[test]
fn weights_on_the_joints_that_a_truncated_iqm_has_stay() {
    let (bytes, losses) = rescued("corpus/iqm/bar.iqm", 1128 - 732);
    assert!(!losses.iter().any(|loss| loss.contains("vertex_")), "{losses:?}");
    let is_told =
        |loss: &String| loss.starts_with("sections.joints: ") && loss.ends_with("of lost ones removed");
    assert!(losses.iter().any(is_told), "{losses:?}");
    let File::Iqm(file) = bindpose::decode(&bytes).expect("a valid file") else {
        unreachable!("an iqm file")
    };
    let weights = file.sections.arrays().find_map(|(_, data)| match data {
        VertexData::BlendWeights(own) => Some(own),
        _ => None,
    });
    let weights = weights.expect("weights");
    assert!(weights.iter().any(|own| own[0] == 255));
    assert!(weights.iter().all(|own| own.iter().map(|own| u32::from(*own)).sum::<u32>() == 255));
}

/// The file ends inside the second of its joints, which is the parent of the first and has the third vertex for itself.
#[test]
fn a_truncated_iqm_refers_to_no_lost_joint() {
    let mut file = crate::samples::iqm::bar();
    file.sections.joints[0].parent = 1;
    file.sections.joints[1].parent = -1;
    for (_, data) in file.sections.arrays_mut() {
        if let VertexData::BlendWeights(own) = data {
            own[2] = [255, 0, 0, 0];
        }
    }
    let joints: usize = file.sections.offset_of(Iqm::HEAD, "joints").expect("an offset");
    let bytes = file.encode().expect("a file");
    let rescued = FileKind::Iqm.rescue(&bytes[..joints + 60], &Options::default()).expect("a valid file");
    let losses: Vec<_> = rescued.losses.iter().map(ToString::to_string).collect();
    for loss in [
        "sections.joints[0].parent: is 1, which is lost; now -1",
        "sections.joints: 1 vertex attached to joint 0: all of their joints are lost",
    ] {
        assert!(losses.iter().any(|own| own == loss), "{losses:?}");
    }
    let file = Iqm::decode(&rescued.bytes).expect("a valid file");
    assert_eq!(file.sections.joints[0].parent, -1);
    let influences = file.sections.arrays().filter_map(|(_, data)| match data {
        VertexData::BlendIndexes(own) => Some(own[2].joints),
        VertexData::BlendWeights(own) => Some(own[2]),
        _ => None,
    });
    assert_eq!(influences.collect::<Vec<_>>(), [[0; 4], [255, 0, 0, 0]]);
}

/// Rescues a mesh that has lost its last byte. Returns the mesh and the losses.
fn rescued_mesh(file: &Psk) -> (Psk, Vec<String>) {
    let bytes = file.encode().expect("a mesh");
    let rescued = bindpose::rescue(&bytes[..bytes.len() - 1]).expect("a valid file");
    let file = Psk::decode(&rescued.bytes).expect("a mesh");
    (file, rescued.losses.iter().map(ToString::to_string).collect())
}

#[test]
fn only_bones_whose_parents_are_lost_become_roots() {
    let parents = [-1, 0, 2, 9, -1, -7, 3];
    let bone = |parent_index| Bone { parent_index, orientation: [0.0, 0.0, 0.6, 0.8], ..Bone::default() };
    let mut file = Psk::blank_file();
    file.chunks.push(Chunk::new("REFSKELT", Records::Bones(parents.map(bone).to_vec().into())));
    file.chunks.push(Chunk::new("PNTS0000", Records::Points(vec![[0.0; 3]; 2].into())));
    let (rescued, losses) = rescued_mesh(&file);
    let left: Vec<_> = rescued.bones().iter().map(|bone| bone.parent_index).collect();
    assert_eq!(left, [-1, 0, 2, -1, -1, -1, 3]);
    let loss = "chunks[1].records: 2 elements changed to the parent -1: the former parent is lost";
    assert!(losses.iter().any(|own| own == loss), "{losses:?}");
    let [before, after] = [&file, &rescued].map(|file| {
        let scene = Scene::of(&[Part { name: "mesh", file }], &Settings::default());
        scene.skeleton.bones().iter().map(|bone| (bone.parent, bone.bind)).collect::<Vec<_>>()
    });
    assert_eq!(before, after);
}

/// The normals are not one for each point, so their chunk goes.
#[test]
fn a_damaged_chunk_after_one_that_is_removed_is_cut() {
    let mut file = Psk::blank_file();
    let bone = Bone { parent_index: -1, orientation: [0.0, 0.0, 0.0, 1.0], ..Bone::default() };
    let weight = Weight { weight: f32::NAN, ..Weight::default() };
    file.chunks.extend([
        Chunk::new("PNTS0000", Records::Points(vec![[0.0; 3]].into())),
        Chunk::new("REFSKELT", Records::Bones(vec![bone].into())),
        Chunk::new("VTXNORMS", Records::Normals(vec![[0.0, 0.0, 1.0]; 2].into())),
        Chunk::new("RAWWEIGHTS", Records::Weights(vec![weight; 2].into())),
        Chunk::new("MATT0000", Records::Materials(Vec::new().into())),
    ]);
    let mut bytes = file.encode().expect("a mesh");
    // Of the second weight, five bytes are left before the next header.
    let end = bytes.len() - 32;
    bytes.drain(end - 7..end);
    assert_eq!(obeys(FileKind::Psk, &Options::default(), &bytes, &BTreeSet::new()), Ok(()));
    let rescued = bindpose::rescue(&bytes).expect("a valid file");
    let rescued = Psk::decode(&rescued.bytes).expect("a mesh");
    assert_eq!((rescued.normals().len(), rescued.weights().len(), rescued.bones().len()), (0, 0, 1));
}

/// Sequences of two bones with their first frames and numbers of frames. Each key is at another place.
fn sequences(stated: &[(i32, i32)]) -> Psa {
    let still = [0.0, 0.0, 0.0, 1.0];
    let sequence = |(name, (first_raw_frame, num_raw_frames)): (&str, &(i32, i32))| Sequence {
        name: FixedStr::new(name.as_bytes()).expect("a short name"),
        total_bones: 2,
        key_quotum: 2 * num_raw_frames,
        rate: 30.0,
        first_raw_frame: *first_raw_frame,
        num_raw_frames: *num_raw_frames,
        ..Sequence::default()
    };
    let all = ["a", "b", "c"].into_iter().zip(stated).map(sequence);
    let num_keys = u8::try_from(2 * stated.iter().map(|own| own.1).sum::<i32>()).expect("a few keys");
    let key = |at: u8| Key { position: [at.into(), 0.0, 0.0], orientation: still, ..Key::default() };
    let bone = |name: &[u8]| Bone {
        name: FixedStr::new(name).expect("a short name"),
        orientation: still,
        ..Bone::default()
    };
    let mut file = Psa::blank_file();
    file.chunks.extend([
        Chunk::new("BONENAMES", Records::Bones(vec![bone(b"root"), bone(b"hand")].into())),
        Chunk::new("ANIMINFO", Records::Sequences(all.collect::<Vec<_>>().into())),
        Chunk::new("ANIMKEYS", Records::Keys((0..num_keys).map(key).collect::<Vec<_>>().into())),
    ]);
    file
}

/// The sequences are not in the order of their keys; a reader that counts frames for itself reads other keys.
#[test]
fn the_whole_frames_of_each_truncated_sequence_stay() {
    let size = 32;
    // The last one is as CUE4Parse wrote it: the number of frames in the place of the first.
    for (stated, first) in [
        (&[(0, 2), (2, 3), (5, 1)][..], [0, 2, 5]),
        (&[(1, 2), (0, 1), (3, 3)], [1, 0, 3]),
        (&[(4, 2), (1, 3), (0, 1)], [4, 1, 0]),
        (&[(3, 2), (0, 3)], [3, 0, 0]),
        (&[(4, 4)], [0; 3]),
    ] {
        let file = sequences(stated);
        let (bytes, keys) = (file.encode().expect("animations"), file.keys());
        for lost in (1..size * keys.len()).step_by(7) {
            let rescued = bindpose::rescue(&bytes[..bytes.len() - lost]).expect("a valid file");
            let rescued = Psa::decode(&rescued.bytes).expect("animations");
            let frames = (size * keys.len() - lost) / size / 2;
            for ((clip, first), (_, num)) in rescued.clips().zip(first).zip(stated) {
                let left = frames.saturating_sub(first).min(usize::try_from(*num).expect("a few frames"));
                let expected = &keys[2 * first.min(frames)..][..2 * left];
                let own = clip.keys.expect("all keys");
                assert_eq!(own, expected, "{stated:?} without {lost} bytes: {}", clip.sequence.name);
            }
        }
    }
}

/// A sequence is read at its stated frame even if other sequences are lost.
#[test]
fn a_truncated_sequence_has_no_keys_of_another_one() {
    let file = sequences(&[(2, 2), (0, 2)]);
    let bytes = file.encode().expect("animations");
    for lost in (32..=4 * 32).step_by(31) {
        let file = Psa::decode(&bytes[..bytes.len() - lost]).expect("truncated animations");
        let clips: Vec<_> = file.clips().map(|clip| clip.keys.map(|keys| keys[0].position[0])).collect();
        assert_eq!(clips, [None, Some(0.0)], "{lost} bytes");
    }
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn every_truncated_corpus_file_becomes_a_valid_file() {
    let mut failures = Vec::new();
    let mut all = 0;
    for (path, bytes) in folders::some_of_corpus() {
        let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
        let Ok(file) = kind.decode(&bytes, &options) else { continue };
        let options = file.options();
        let known = errors(kind, &bytes, &options);
        for len in prefixes(kind, bytes.len()) {
            all += 1;
            if let Err(why) = obeys(kind, &options, &bytes[..len], &known) {
                failures.push(format!("{} cut to {len}: {why}", path.display()));
            }
        }
    }
    println!("{all} prefixes");
    assert!(failures.is_empty(), "{} of {all} prefixes:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_damaged_file_becomes_a_valid_file_or_is_rejected() {
    let mut failures = Vec::new();
    for sample in folders::samples("damaged").filter(|sample| sample.name != "unknown_encoding.x") {
        let known = match &*sample.name {
            // Its other surface violates them.
            "bytes_after_content.mesh" => {
                BTreeSet::from(["unigine/count-disagrees", "unigine/many-influences"])
            }
            _ => BTreeSet::new(),
        };
        if let Err(why) = obeys(sample.kind, &sample.options, &sample.bytes, &known) {
            failures.push(format!("{}: {why}", sample.name));
        }
    }
    assert!(failures.is_empty(), "{} files:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn a_valid_file_is_returned_unchanged() {
    for sample in folders::samples("corpus") {
        let is_valid = errors(sample.kind, &sample.bytes, &sample.options).is_empty();
        if sample.file.damage().is_none() && is_valid {
            let rescued = sample.kind.rescue(&sample.bytes, &sample.options).unwrap();
            assert_eq!((rescued.bytes, rescued.losses), (sample.bytes, Vec::new()), "{}", sample.name);
        }
    }
}

#[test]
fn files_that_follow_a_wrong_description_are_named_and_corrected() {
    let cases = [
        ("unigine/int_counts.mesh", "unigine/ms11.mesh", &["unigine/int-counts"][..]),
        ("unigine/int_counts.anim", "unigine/an10.anim", &["unigine/int-counts"]),
        ("unigine/tail_each.mesh", "unigine/ms11.mesh", &["unigine/tail-each-surface"]),
        ("unigine/no_animation_count.mesh", "", &["unigine/no-animation-count"]),
        (
            "unigine/literal.mesh",
            "",
            &["unigine/int-counts", "unigine/no-animation-count", "unigine/tail-each-surface"],
        ),
        ("ms3d/no_animation.ms3d", "", &["ms3d/no-animation-settings"]),
    ];
    let all: Vec<_> = cases.iter().flat_map(|(.., rules)| *rules).collect();
    for (name, original, rules) in cases {
        let bytes = std::fs::read(folders::own("damaged").join(name)).expect("a sample");
        let report = bindpose::examine(&bytes, usize::MAX).expect(name).report;
        let mut found: Vec<_> = report.findings.iter().map(|own| own.rule.code).collect();
        found.retain(|code| all.contains(&code));
        found.sort_unstable();
        assert_eq!(found, rules, "{name}");

        let rescued = bindpose::rescue(&bytes).expect(name);
        assert_eq!(rescued.losses.len(), 1, "{name}: {:?}", rescued.losses);
        assert!(rescued.losses[0].message.contains(rules[0]), "{name}: {:?}", rescued.losses);
        assert!(bindpose::decode(&rescued.bytes).expect(name).damage().is_none(), "{name}");
        if !original.is_empty() {
            let original = std::fs::read(folders::own("corpus").join(original)).expect("a sample");
            assert!(rescued.bytes == original, "{name} is not restored");
        }
    }
}

/// A repeated magic that is wrong makes some files undecodable: it is named in all of them, and nothing else is lost.
#[test]
fn a_wrong_magic_in_the_middle_is_named_and_corrected() {
    let mut tried = 0;
    for sample in folders::samples("corpus") {
        let is_repeated =
            matches!(sample.kind, FileKind::UnigineMesh | FileKind::UnigineAnim | FileKind::UnigineSkeleton);
        if !is_repeated || !errors(sample.kind, &sample.bytes, &sample.options).is_empty() {
            continue;
        }
        let again: Vec<_> = (1..sample.bytes.len() - 3)
            .filter(|at| sample.bytes[*at..].starts_with(&sample.bytes[..4]))
            .collect();
        let single = again.iter().map(std::slice::from_ref);
        for places in single.chain([again.as_slice()]).filter(|places| !places.is_empty()) {
            let mut wrong = sample.bytes.clone();
            for at in places {
                wrong[*at..at + 4].fill(b'?');
            }
            let report = bindpose::examine(&wrong, usize::MAX).expect("a report").report;
            let is_named = report.findings.iter().any(|own| own.rule.code == "unigine/marker");
            assert!(is_named, "{} at {places:?}", sample.name);
            let mut repaired = wrong.clone();
            while let Some(repair) = sample.kind.repairs(&repaired, &sample.options).into_iter().next() {
                repaired = repair.apply(&repaired);
            }
            assert!(repaired == sample.bytes, "{} at {places:?}", sample.name);
            if bindpose::decode(&wrong).is_err() {
                tried += 1;
                // The last one is not needed to decode the file.
                let last = again[again.len() - 1];
                let mut expected = sample.bytes.clone();
                expected[last..last + 4].copy_from_slice(&wrong[last..last + 4]);
                let rescued = bindpose::rescue(&wrong).expect(&sample.name).bytes;
                assert!(rescued == expected, "{} at {places:?}", sample.name);
            }
        }
    }
    assert!(tried > 10, "{tried}");
}
