//! The verbs agree about a file, and edits of damaged files lose nothing.

use std::fmt::Write as _;

use bindpose::codec::{Format, Options};
use bindpose::edit::{Entity, remove};
use bindpose::formats::cal3d::CalMesh;
use bindpose::harness::{Mutator, verbs_agree};
use bindpose::internals::work;
use bindpose::scene::author::Authoring;
use bindpose::scene::gltf::{Gltf, read, refuse};
use bindpose::scene::{Part, Scene, Settings};
use bindpose::schema::EditError;
use bindpose::{ErrorKind, File, FileKind, FormatSpec, Limits};

use crate::folders::{self, Sample};

/// Whether a prefix is of the signature only. That of text extends to the first tag that other formats do not have.
fn is_signature(kind: FileKind, bytes: &[u8], options: &Options) -> bool {
    let is_text =
        || kind.decode(bytes, options).is_err_and(|error| matches!(error.kind(), ErrorKind::Magic(_)));
    bytes.len() < kind.info().magic.len() + 4 || !bytes.starts_with(kind.info().magic) && is_text()
}

/// Asserts the laws for each small sample and some of its prefixes, and that those of a valid sample decode. `tries` is their
/// number for each file.
fn agree_about_samples_and_their_prefixes(tries: usize) {
    folders::each_format_in_parallel(|kind| {
        for folder in ["corpus", "damaged"] {
            let own = folders::small_samples(folder).filter(|sample| sample.kind == kind);
            for Sample { name, options, bytes, .. } in own {
                println!("{name}");
                verbs_agree(kind, &bytes, &options);
                let step = 1 + bytes.len() / tries;
                for prefix in (1..bytes.len()).step_by(step).map(|len| &bytes[..len]) {
                    println!("{name} cut to {}", prefix.len());
                    let is_decoded =
                        is_signature(kind, prefix, &options) || verbs_agree(kind, prefix, &options);
                    assert!(is_decoded || folder == "damaged", "{name} cut to {}", prefix.len());
                }
            }
        }
    });
}

#[test]
fn verbs_agree_about_samples_and_their_prefixes() {
    agree_about_samples_and_their_prefixes(folders::scaled(16));
}

#[test]
#[ignore = "takes minutes"]
fn verbs_agree_about_every_prefix_of_the_samples() {
    agree_about_samples_and_their_prefixes(usize::MAX);
}

/// The last chunk is truncated, and has an id of which only the end is known. With a small number for the `0xb1`, the text in
/// the points before it is the id of a chunk.
#[test]
fn verbs_agree_about_an_id_among_the_points() {
    let chunk = |id: &[u8], type_flag: u32, size: u32, records: &[u8]| {
        let mut bytes = id.to_vec();
        bytes.resize(20, 0);
        bytes.extend([type_flag, size, u32::from(size > 0)].map(u32::to_le_bytes).as_flattened());
        [bytes, records.to_vec()].concat()
    };
    let points = chunk(b"PNTS0000", 0, 12, b"\xb1\xb1SKELSOCK\0\xff");
    let curve = chunk(b"walk:CUR", 0xb1b1_b1b1, 128, b"\xb1\xb1\xb0\xb1\xb1\xb1\xb1\xa4\0\0\0\x01\0");
    let bytes = [chunk(b"ACTRHEAD", 0, 0, b""), points, curve].concat();
    assert!(verbs_agree(FileKind::Psk, &bytes, &Options::default()));
}

#[test]
fn verbs_agree_about_mutants() {
    folders::each_format_in_parallel(|kind| {
        for Sample { name, options, bytes, file, .. } in
            folders::small_samples("corpus").filter(|sample| sample.kind == kind)
        {
            let mutator = Mutator::new(&file, &bytes);
            for seed in 0..folders::scaled(16) as u64 {
                println!("{name} mutant {seed}");
                verbs_agree(kind, &mutator.mutant(seed).bytes, &options);
            }
        }
    });
}

#[test]
fn verbs_agree_about_generated_files() {
    folders::for_every_format(24, &(folders::entropy(), 0.0..1.0_f64), |kind, (entropy, cut)| {
        let file = kind.generate(&entropy);
        let Ok(bytes) = file.encode() else { return Ok(()) };
        verbs_agree(kind, &bytes, &file.options());
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "any place"
        )]
        let len = (bytes.len() as f64 * cut) as usize;
        verbs_agree(kind, &bytes[..len], &file.options());
        Ok(())
    });
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn verbs_agree_about_corpus_files_and_their_prefixes() {
    let mut undecodable = Vec::new();
    for (path, bytes) in folders::some_of_corpus() {
        let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
        if bytes.len() > 1 << 18 || kind.decode(&bytes, &options).is_err() {
            continue;
        }
        for percent in [35, 60, 90, 100] {
            println!("{} {percent} %", path.display());
            let bytes = &bytes[..bytes.len() * percent / 100];
            if verbs_agree(kind, bytes, &options) {
                has_bounds_of_its_export("the file", &kind.decode(bytes, &options).expect("as before"));
            } else {
                undecodable.push(format!("{} {percent} %", path.display()));
            }
        }
    }
    assert!(undecodable.is_empty(), "{undecodable:#?}");
}

#[test]
fn deleting_a_cut_bone_leaves_the_bones_before_it() {
    let sample = folders::sample("corpus/psk/plane.psk");
    let place = |file: &File, path: &str| {
        bindpose::schema::locate(file.value(), &path.parse().expect("a path")).expect("a place")[0]
            .range
            .clone()
    };
    let bones = |index: usize| place(&sample.file, &format!("bones[{index}]"));
    let last =
        (0..1000).take_while(|index| sample.file.get_text(&format!("bones[{index}].name")).is_ok()).last();
    let range = bones(last.expect("a bone"));
    let start = usize::try_from(range.start).expect("small");
    let cut =
        FileKind::Psk.decode(&sample.bytes[..start + 70], &Options::default()).expect("a truncated file");
    let mut edited = cut.clone();
    edited.delete("bones[-1]").expect("the cut bone");
    let edited = edited.reread().expect("a truncated file");
    assert_eq!(edited.bytes().len(), start);
    assert_eq!(edited.bytes()[start - 64..], sample.bytes[start - 64..start]);
    let error = cut.clone().append("bones").expect_err("a list that is not complete");
    assert!(matches!(error.kind(), ErrorKind::Value(EditError::Damaged)), "{error}");
    let error = remove(&mut [cut], Entity::Bone, b"root").expect_err("a truncated file");
    assert!(matches!(error.kind(), ErrorKind::Value(EditError::Damaged)), "{error}");
}

/// Numbers beyond these are rounded too much to be compared.
const SMALL: f32 = 1e9;

/// Asserts that the bounds of the scene of a file are those of its export.
fn has_bounds_of_its_export(name: &str, file: &File) {
    let scene = Scene::of(&[Part { name: "file", file: file.as_scene_source() }], &Settings::default());
    let Some(own) = scene.bounds() else { return };
    let is_small = |all: &[f32]| all.iter().all(|number| number.abs() < SMALL);
    // Other numbers are exported as zeros.
    let positions = scene.meshes.iter().flat_map(|mesh| &mesh.positions);
    if !is_small(&own.min)
        || !is_small(&own.max)
        || positions.into_iter().any(|own| !is_small(&own.to_array()))
    {
        return;
    }
    let Ok(glb) = Gltf::new(&scene).to_glb() else { return };
    let again = read(&glb, &mut refuse, &Limits::none()).expect("the export can be read").scene.bounds();
    let again = again.unwrap_or_else(|| panic!("{name}: the export has no bounds"));
    for (a, b) in own.min.iter().chain(&own.max).zip(again.min.iter().chain(&again.max)) {
        assert!((a - b).abs() <= 1e-3 * (1.0 + a.abs()), "{name}: {own:?}, exported {again:?}");
    }
}

#[test]
fn bounds_of_a_scene_are_those_of_its_export() {
    for Sample { name, file, .. } in folders::small_samples("corpus") {
        has_bounds_of_its_export(&name, &file);
    }
}

/// Of version 1300 there are two layouts. A prefix that cannot be one of them is read in the other.
#[test]
fn a_truncated_mesh_is_read_in_the_layout_that_it_can_have() {
    let spec = FormatSpec { kind: FileKind::Cal3dMesh, dialect: Some("mp1301") };
    for seed in 0..200 {
        let Some((file, bytes)) = bindpose::harness::generate(spec, seed, 1500) else { continue };
        let File::Cal3dMesh(mesh) = &file else { unreachable!() };
        if mesh.view().expect("binary").version != 1300 {
            continue;
        }
        for len in 16..bytes.len() {
            CalMesh::decode(&bytes[..len])
                .unwrap_or_else(|error| panic!("seed {seed} cut to {len}: {error}"));
        }
    }
}

/// In the other layout, the numbers of a vertex are invalid indices and weights.
#[test]
fn a_truncated_mesh_keeps_the_layout_of_the_whole() {
    let character =
        std::fs::read(folders::own("character").join("dragon.ms3d")).expect("the sample character");
    let character = bindpose::decode(&character).expect("a model");
    let mut scene =
        Scene::of(&[Part { name: "hero", file: character.as_scene_source() }], &Settings::default());
    // After a vertex with one influence, the other layout reads the next position as a number of influences.
    scene.meshes.iter_mut().flat_map(|own| &mut own.positions).for_each(|own| *own += 100.0);
    let mut settings = Authoring::default();
    settings.max_influences = Some(1);
    let spec = FormatSpec { kind: FileKind::Cal3dMesh, dialect: Some("mp1301") };
    let written = spec.author(&scene, "hero", &settings).expect("a mesh");
    let mut bytes = written.files[0].file.encode().expect("a mesh");
    bytes[4..8].copy_from_slice(&1300_i32.to_le_bytes());
    assert_eq!(CalMesh::decode(&bytes).expect("a mesh").dialect(), Some("mp1301"));
    for len in (bytes.len() / 20..bytes.len()).step_by(bytes.len() / 200) {
        let cut = CalMesh::decode(&bytes[..len]).expect("a mesh");
        assert_eq!(cut.dialect(), Some("mp1301"), "cut to {len} of {} bytes", bytes.len());
    }
}

/// A key that breaks several rules, in the middle of a list.
fn keys(count: usize) -> Vec<u8> {
    let mut text = format!("xof 0303txt 0032\nAnimationKey {{\n 2;\n {count};\n");
    for at in 0..count {
        let time = if at % 3 == 2 { "-1".to_owned() } else { at.to_string() };
        writeln!(text, " {time};3;0.5,{at}.0,2.0;;,").expect("a text");
    }
    let text = text.trim_end_matches(",\n").to_owned() + ";\n}\n";
    text.into_bytes()
}

#[test]
fn a_finding_about_a_value_of_an_object_is_at_the_value() {
    let bytes = keys(4);
    let file = bindpose::decode(&bytes).expect("a text file");
    let report = file.check(&bytes, 10);
    let found =
        report.findings.iter().find(|finding| finding.rule.code == "x/negative-key-time").expect("a finding");
    assert_eq!(found.path.to_string(), "AnimationKey[0].keys[2].time");
    let range =
        usize::try_from(found.range.start).expect("small")..usize::try_from(found.range.end).expect("small");
    assert_eq!(bytes[range].escape_ascii().to_string(), "-1");
}

#[test]
fn findings_about_values_of_an_object_are_located_in_linear_time() {
    let cost = |count| {
        let bytes = keys(count);
        let file = bindpose::decode(&bytes).expect("a text file");
        let mut found = 0;
        let work = work(|| found = file.check(&bytes, usize::MAX).findings.len());
        assert!(found >= count / 3, "{found} findings");
        work
    };
    let (small, large) = (cost(1000), cost(2000));
    assert!(2 * large <= 5 * small, "{small} steps for 1000 keys, {large} for 2000");
}
