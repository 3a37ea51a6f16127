//! Which format a file is in, by name and content.

use bindpose::{FileKind, FormatSpec};

use crate::folders;

fn detect(name: &str, bytes: &[u8]) -> Option<FileKind> {
    FormatSpec::detect(name.as_ref(), bytes).map(|spec| spec.kind)
}

#[test]
fn an_own_extension_determines_the_format_of_a_broken_file() {
    assert_eq!(detect("a.ms3d", b""), Some(FileKind::Ms3d));
    assert_eq!(detect("a.MS3D", b"something else"), Some(FileKind::Ms3d));
    assert_eq!(detect("a.mesh_skinned", b""), Some(FileKind::UnigineMesh));
}

#[test]
fn a_shared_extension_determines_the_format_of_an_empty_or_truncated_file() {
    for (name, kind) in
        [("a.psa", "psa"), ("a.x", "x"), ("a.mesh", "unigine-mesh"), ("a.anim", "unigine-anim")]
    {
        let kind = FileKind::from_name(kind);
        assert_eq!(detect(name, b""), kind, "an empty {name}");
        let head = kind.unwrap().blank().encode().unwrap();
        assert_eq!(detect(name, &head[..3]), kind, "a truncated {name}");
        assert_eq!(detect(name, b"\x89PNG"), None, "a foreign {name}");
    }
    assert_eq!(detect("app.config", b""), None, "a common extension, and no magic");
}

#[test]
fn content_takes_precedence_over_the_extension() {
    assert_eq!(detect("a.png", b"MS3D000000"), Some(FileKind::Ms3d));
    assert_eq!(detect("a.png", b"\x89PNG"), None);
}

#[test]
fn a_sidecar_of_another_program_is_not_detected() {
    assert_eq!(detect("a.ms3d.meta", b"guid: 1"), None);
}

#[test]
fn an_unknown_dialect_is_an_error_that_lists_the_known_ones() {
    let error = "ms3d:xml".parse::<FormatSpec>().unwrap_err();
    assert_eq!(error.to_string(), "ms3d has no dialects");
}

#[test]
fn a_decoded_file_proposes_the_same_dialect_as_its_bytes() {
    let mut proposed = 0;
    for sample in folders::samples("corpus") {
        let of_bytes = sample.kind.propose(&sample.bytes).map(|proposal| proposal.dialect);
        let of_file = sample.file.proposal(&sample.bytes).map(|proposal| proposal.dialect);
        assert_eq!(of_file, of_bytes, "{}", sample.name);
        proposed += usize::from(of_file.is_some());
    }
    assert!(proposed > 10, "{proposed} files");
}
