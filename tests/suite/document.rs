//! Files beside their bytes, and walks that start late.

use std::ops::ControlFlow::Continue;

use bindpose::codec::Verdict;
use bindpose::scene::Settings;
use bindpose::{Document, ErrorKind, File, FileKind, examine};

use crate::folders::{self, Sample};

#[test]
fn a_walk_that_starts_late_visits_the_same_leaves() {
    for Sample { name, bytes, file, .. } in folders::samples("corpus") {
        let mut all = Vec::new();
        let _ = file.walk(&mut |place, leaf| {
            all.push((place.path.to_string(), place.offset, place.role, leaf.size()));
            Continue(())
        });
        all.retain(|(.., size)| *size > 0);
        for from in [0, 1, bytes.len() / 3, bytes.len() / 2, bytes.len() - 1, bytes.len()] {
            let from = from as u64;
            let mut late = Vec::new();
            let end = file.walk_from(from, &mut |place, leaf| {
                late.push((place.path.to_string(), place.offset, place.role, leaf.size()));
                Continue(())
            });
            late.retain(|(.., size)| *size > 0);
            let first = all.partition_point(|(_, offset, _, size)| offset + size <= from);
            assert_eq!(late, all[first..], "{name} from {from}");
            assert_eq!(end, Continue(bytes.len() as u64), "{name} from {from}");
        }
    }
}

#[test]
fn a_file_is_appended_to_a_buffer() {
    for &kind in FileKind::ALL {
        let file = kind.blank();
        let mut buffer = b"before".to_vec();
        file.encode_into(&mut buffer).expect("a blank file");
        assert_eq!(
            buffer,
            [b"before", &file.encode().expect("a blank file")[..]].concat(),
            "{}",
            kind.name()
        );
    }
}

#[test]
fn a_file_that_cannot_be_encoded_leaves_the_buffer_as_it_was() {
    let Sample { file, .. } = folders::sample("corpus/ms3d/full.ms3d");
    let File::Ms3d(mut file) = file else { unreachable!("MS3D") };
    file.vertices = vec![file.vertices[0].clone(); 1 << 16].into();
    let mut buffer = b"before".to_vec();
    let error = File::Ms3d(file).encode_into(&mut buffer).expect_err("too many vertices");
    assert!(matches!(error.kind(), ErrorKind::Encode(_)), "{error}");
    assert_eq!(buffer, b"before");
}

#[test]
fn a_document_is_opened_by_its_name_if_the_content_is_ambiguous() {
    let folder = folders::own("corpus/max");
    for (path, bytes) in
        folders::files(&folder).filter(|(path, _)| path.extension().is_some_and(|own| own != "md"))
    {
        let document = bindpose::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(document.bytes(), bytes);
        assert_eq!(document.verify().verdict, Verdict::Lossless, "{}", path.display());
    }
    let error = bindpose::open(folders::own("corpus/max/README.md")).expect_err("text");
    assert_eq!(error.kind(), &ErrorKind::UnknownFormat);
}

#[test]
fn a_failed_edit_leaves_the_document_unchanged() {
    let mut document = Document::of(FileKind::Ms3d.blank()).expect("a blank file");
    let before = document.clone();
    let edit = document.edit(|file| {
        file.set_text("animation.fps", "30")?;
        file.set_text("animation.nothing", "1")
    });
    assert!(edit.is_err());
    assert_eq!(document, before);
    document.edit(|file| file.set_text("animation.fps", "30")).expect("an edit");
    assert_eq!(document.file().encode().expect("an edited file"), document.bytes());
    assert_eq!(document.scene("blank", &Settings::default()).skeleton.bones().len(), 0);
}

#[test]
fn an_examination_agrees_with_the_round_trip_and_the_check() {
    for folder in ["corpus", "damaged"] {
        for (path, bytes) in folders::files(&folders::own(folder)) {
            let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
            let found = kind.examine(&bytes, &options, 5);
            assert_eq!(found.outcome, kind.roundtrip(&bytes, &options), "{}", path.display());
            let report = match kind.decode(&bytes, &options) {
                Ok(file) => file.check(&bytes, 5),
                Err(_) => kind.diagnose(&bytes, 5),
            };
            assert_eq!(found.report, report, "{}", path.display());
        }
    }
    assert_eq!(examine(b"nothing", 5).expect_err("text").kind(), &ErrorKind::UnknownFormat);
    assert!(examine(b"MS3D000000", 5).is_ok_and(|found| found.outcome.verdict.error().is_some()));
}
