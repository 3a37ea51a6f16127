//! Lossless, total, local, safe: for every format without further code.

use std::ops::ControlFlow;
use std::path::Path;

use bindpose::File;
use bindpose::codec::laws::hex;
use bindpose::codec::{Coverage, Verdict};
use bindpose::schema::{Class, Leaf, Role};

use crate::folders::{self, Sample};

/// Declares the laws of formats, over generated files.
macro_rules! laws_of {
    ($($name:ident $format:ty $(, refused: $refused:expr)?;)+) => {$(
        mod $name {
            use bindpose::formats;

            // Some fields occur in samples only.
            bindpose::laws!(@edits $format $(, $refused)?);
        }
    )+};
}

laws_of! {
    of_ms3d formats::ms3d::Ms3d;
    of_cal3d_skeletons formats::cal3d::CalSkeleton;
    of_cal3d_animations formats::cal3d::CalAnimation;
    of_cal3d_meshes formats::cal3d::CalMesh;
    of_cal3d_materials formats::cal3d::CalMaterial;
    of_cal3d_morphs formats::cal3d::CalMorph;
    of_psk formats::psk::Psk;
    of_psa formats::psk::Psa;
    of_psa_config formats::psk::PsaConfig;
    // Each packed chunk is a whole compressed block.
    of_x formats::directx::X, refused: &["append packed.chunks", "delete packed.chunks"];
    of_unigine_meshes formats::unigine::UnigineMesh;
    of_unigine_anims formats::unigine::UnigineAnim;
    of_unigine_skeletons formats::unigine::UnigineSkeleton;
    // The data of an array stays without it.
    of_iqm formats::iqm::Iqm, refused: &["delete sections.vertex_arrays"];
    of_max_skeletons formats::max::Skeleton;
    of_max_animations formats::max::Animation;
    of_max_meshes formats::max::Mesh;
}

#[test]
fn every_field_occurs_in_some_file() {
    let missing = folders::each_format_in_parallel(|kind| {
        let mut coverage = Coverage::of(&kind.shape_in(None));
        folders::samples_of(kind).for_each(|sample| coverage.record(sample.file.value()));
        for seed in 0..256_u32 {
            let step = (2 * seed + 1).wrapping_mul(0x9e37_79b9);
            let entropy: Vec<u8> = (0..1000_u32).map(|at| at.wrapping_mul(step).to_le_bytes()[2]).collect();
            coverage.record(kind.generate(&entropy).value());
        }
        coverage.missing().map(str::to_owned).collect::<Vec<_>>()
    });
    // Wide indices select from 256 elements or more.
    let is_wide = |field: &String| field.ends_with("_indices.u16") || field.ends_with("_indices.u32");
    // Each form of vertex data occurs in one of twelve parts, and the end has no bytes.
    let form = |field: &str| {
        field.strip_prefix("Sections.vertex_data_")?.split_once('.').map(|(_, form)| form.to_owned())
    };
    let missing: Vec<_> = missing.into_iter().flatten().collect();
    let is_elsewhere = |own: &String| {
        let other = |field: &&String| form(field).is_some() && form(field) == form(own);
        form(own).is_some() && missing.iter().filter(other).count() < 12 || own == "Sections.end"
    };
    let missing: Vec<_> = missing.iter().filter(|field| !is_wide(field) && !is_elsewhere(field)).collect();
    assert_eq!(missing, Vec::<&String>::new());
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn every_corpus_file_can_be_edited_value_by_value() {
    let mut edits = 0;
    for (path, bytes) in folders::some_of_corpus() {
        let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
        let Ok(file) = kind.decode(&bytes, &options) else { continue };
        edits += edit_and_back(&file, &bytes, &path);
    }
    assert!(edits > 0, "no leaf to edit");
    println!("{edits} edits");
}

#[test]
fn every_sample_can_be_edited_value_by_value() {
    let mut edits = 0;
    for Sample { name, file, bytes, .. } in folders::samples("corpus") {
        edits += edit_and_back(&file, &bytes, Path::new(&name));
    }
    assert!(edits > 0, "no leaf to edit");
}

/// Setting a value to its printed text changes no byte, even where the text would be refused as a new value.
#[test]
fn every_value_can_be_set_to_itself() {
    let (mut set, mut governing) = (0, 0);
    for folder in ["corpus", "damaged"] {
        for Sample { name, file, bytes, .. } in folders::samples(folder) {
            let mut leaves = Vec::new();
            let _ = file.walk(&mut |place, leaf| {
                let mut shown = String::new();
                leaf.show(&mut shown).expect("a text");
                leaves.push((place.path.to_string(), place.role, shown));
                ControlFlow::Continue(())
            });
            let mut edited = file.clone();
            // All kinds of values, but not all of each list.
            for (path, role, shown) in leaves.iter().step_by(1 + leaves.len() / folders::scaled(400)) {
                let printed = file.get_text(path).expect(path).swap_remove(0).1;
                assert_eq!(printed, *shown, "{name}: {path}");
                match edited.set_text(path, &printed) {
                    Ok(_) => set += 1,
                    Err(error) => {
                        assert_ne!(*role, Role::Free, "{name}: {path}={printed}: {error}");
                        governing += 1;
                    }
                }
            }
            assert!(edited.encode().as_deref() == Ok(&bytes), "{name}");
        }
    }
    assert!(set > 1000 && governing > 100, "{set} {governing}");
}

/// Sets some free leaves to another value and back, and asserts that each edit changes only its own bytes. Returns the
/// number of edits.
fn edit_and_back(file: &File, bytes: &[u8], what: &Path) -> usize {
    let mut edited = file.clone();
    let mut edits = 0;
    for (path, range, value) in some_free_leaves(file, 20) {
        let own = file.get_text(&path).expect("it is there").swap_remove(0).1;
        edited.set_text(&path, &own).expect("its own value");
        assert!(
            edited.encode().as_deref() == Ok(bytes),
            "{}: {path}={own} changes something",
            what.display()
        );
        let set = edited.set_text(&path, &value);
        assert!(set.is_ok(), "{}: {path}={value}: {set:?}", what.display());
        let after = edited.encode().expect("encodes");
        let same = after[..range.start] == bytes[..range.start] && after.ends_with(&bytes[range.end..]);
        assert!(same, "{}: {path} changes other bytes", what.display());
        edited.set_text(&path, &hex(&bytes[range])).expect("the old value");
        assert!(edited.encode().as_deref() == Ok(bytes), "{}: {path} does not come back", what.display());
        edits += 1;
    }
    edits
}

/// Returns free leaves all over the file, with another value for each.
fn some_free_leaves(file: &File, count: u64) -> Vec<(String, std::ops::Range<usize>, String)> {
    let mut others = Vec::new();
    let size = file.value().size().max(1);
    let target = |nth: u64| usize::try_from(nth * 0x9e37_79b9 % size).expect("a size in memory");
    let mut targets: Vec<usize> = (0..count).map(target).collect();
    targets.sort_unstable();
    let mut targets = targets.into_iter().peekable();
    let _ = file.walk(&mut |place, leaf| {
        let start = usize::try_from(place.offset).expect("an offset in memory");
        let end = start + usize::try_from(leaf.size()).expect("a size in memory");
        let mut hit = false;
        while targets.next_if(|target| *target < end).is_some() {
            hit = true;
        }
        if hit
            && place.role == Role::Free
            && let Some(value) = another(leaf)
        {
            others.push((place.path.to_string(), start..end, value));
        }
        ControlFlow::Continue(())
    });
    others
}

/// Returns another value for a leaf.
fn another(leaf: &dyn Leaf) -> Option<String> {
    let mut bytes = Vec::new();
    leaf.bytes(&mut bytes);
    let mut shown = String::new();
    leaf.show(&mut shown).ok()?;
    match (leaf.class(), leaf.type_name()) {
        (Class::Spelling, "number") => Some(if shown == "7" { "8" } else { "7" }.into()),
        (Class::Rest | Class::Spelling, _) => None,
        // Of the same width.
        (_, "cint") if bytes.len() == 1 => Some(if shown == "7" { "8" } else { "7" }.into()),
        (_, "cint") => None,
        (Class::Opaque | Class::Bytes, _) if leaf.inside().is_some() => None,
        _ => Some(hex(&bytes.iter().map(|byte| byte ^ 0x55).collect::<Vec<_>>())),
    }
}

#[test]
fn the_samples_are_lossless() {
    let mut seen = 0;
    for (path, bytes) in folders::files(&folders::own("corpus")) {
        let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
        let outcome = kind.roundtrip(&bytes, &options);
        assert_eq!(outcome.verdict, Verdict::Lossless, "{}", path.display());
        kind.law(&bytes, &options);
        seen += 1;
    }
    assert!(seen > 0, "no samples");
}

/// Every past crash and every damaged sample obeys the laws.
#[test]
fn past_crashes_remain_fixed() {
    for (path, bytes) in folders::files(&folders::own("crashes")) {
        let is_note = path.extension().is_none_or(|extension| extension == "md");
        assert!(obeys(&path, &bytes) || is_note, "{}: no format is detected", path.display());
    }
    let seen = folders::files(&folders::own("damaged")).filter(|(path, bytes)| obeys(path, bytes)).count();
    assert!(seen > 0, "no damaged samples");
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn every_corpus_file_obeys_the_laws() {
    folder_obeys(&folders::corpus());
}

#[test]
#[ignore = "needs BINDPOSE_MALFORMED, a folder of hostile files"]
fn every_hostile_file_obeys_the_laws() {
    folder_obeys(&folders::malformed());
}

fn folder_obeys(folder: &Path) {
    let seen = folders::files(folder).filter(|(path, bytes)| obeys(path, bytes)).count();
    assert!(seen > 0, "no file in {} has a supported format", folder.display());
}

/// Asserts the laws if the format can be detected, and returns whether it was.
fn obeys(path: &Path, bytes: &[u8]) -> bool {
    let kind = folders::kind(path, bytes);
    if let Some((kind, options)) = &kind {
        kind.law(bytes, options);
    }
    kind.is_some()
}
