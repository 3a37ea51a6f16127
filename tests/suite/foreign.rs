//! Files of other formats are named.

use bindpose::codec::Options;
use bindpose::{ErrorKind, FileKind, FormatSpec, open};

use crate::folders;

/// The start of a file, and what its error and its advice contain.
const FILES: &[(&[u8], &str, &str)] = &[
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image", "texture"),
    (b"\xff\xd8\xff\xe0\0\x10JFIF", "a JPEG image", "texture"),
    (b"DDS \x7c\0\0\0", "a DDS image", "texture"),
    (b"GIF89a\x01\0\x01\0", "a GIF image", "texture"),
    (b"\x1f\x8b\x08\0\0\0\0\0", "a gzip archive", "unpack"),
    (b"PK\x03\x04\x14\0\0\0", "a zip archive", "unpack"),
    (b"PK\x05\x06\0\0\0\0", "a zip archive", "unpack"),
    (b"7z\xbc\xaf\x27\x1c\0\x04", "a 7z archive", "unpack"),
    (b"Rar!\x1a\x07\x01\0", "a RAR archive", "unpack"),
    (b"\xfd7zXZ\0\0\x04", "an xz archive", "unpack"),
    (b"\x28\xb5\x2f\xfd\x04\0", "a zstd archive", "unpack"),
    (b"BZh91AY&SY", "a bzip2 archive", "unpack"),
    (b"path=models/\nmesh=hero.cmf\n", "the list of files of a Cal3D character", "directory"),
    (b"\xef\xbb\xbf\n<!DOCTYPE html>\n<html>", "an HTML page", "download"),
    (b"<HTML><head></head></HTML>", "an HTML page", "download"),
    (b"404: Not Found", "an error message of a server", "download"),
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "a Git LFS pointer", "git lfs pull"),
    (&[0; 4096], "filled with zeros", "restore"),
    (b"Kaydara FBX Binary  \0\x1a\0", "an FBX scene", "glTF"),
    (b"; FBX 7.3.0 project file\n", "an FBX scene", "glTF"),
    (b"# Blender 4.2\nmtllib a.mtl\no Cube\nv 1.0 1 -1.000000\nv 1 1 1\n", "an OBJ mesh", "glTF"),
    (b"<?xml version=\"1.0\"?>\n<COLLADA version=\"1.4.1\">", "a COLLADA scene", "glTF"),
    (b"BLENDER-v402", "a Blender scene", "glTF"),
    (b"HIERARCHY\nROOT Hips\n{", "a BVH animation", "glTF"),
    (b"ply\nformat ascii 1.0\n", "a PLY mesh", "glTF"),
    (b"PXR-USDC\0\x08\0", "a USD scene", "glTF"),
    (b"#usda 1.0\n", "a USD scene", "glTF"),
    (b"// MilkShape 3D ASCII\n\nFrames: 30\n", "a MilkShape 3D ASCII model", ".ms3d"),
    (b"INTERQUAKEMODEL\0\x01\0\0\0", "an Inter-Quake Model of version 1", "upgrade"),
    (b"\0\x10[MeshSerializer_v1.100]\n", "an Ogre mesh", "glTF"),
    (b"\0\x10[Serializer_v1.10]\n", "an Ogre skeleton", "glTF"),
    (
        b"%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!74 &7400000\nAnimationClip:\n",
        "a Unity asset",
        "glTF",
    ),
    (b"%YAML 1.1\r\n%TAG !u! tag:unity3d.com,2011:\r\n", "a Unity asset", "glTF"),
    (b"UnityFS\0\0\0\0\x06", "a Unity asset bundle", "glTF"),
    (b"\xc1\x83\x2a\x9e\0\0\0\0", "an Unreal package", "PSK"),
    (b"\x9e\x2a\x83\xc1\0\0\0\0", "an Unreal package", "PSK"),
    (b"UEFORMAT\x07\0\0\0", "a UEFormat model", "PSK"),
    (b"glTF\x02\0\0\0", "a glTF scene", "convert"),
    (b"{ \"asset\": { \"version\": \"2.0\" } }", "a glTF scene", "convert"),
    (b"ms16\0\0\0\0", "ms16, which is newer than ms15", "report"),
    (b"sk11\0\0\0\0", "sk11, which is newer than sk10", "report"),
    (b"an13\0\0\0\0", "an13, which is newer than an12", "report"),
    (b"sn11\0\0\0\0", "sn11, which is newer than sn10", "report"),
];

#[test]
fn files_of_other_formats_are_named_with_advice() {
    for (bytes, name, advice) in FILES {
        let error = bindpose::decode(bytes).expect_err(name);
        let ErrorKind::Foreign(foreign) = error.kind() else { panic!("{name}: {error}") };
        assert_eq!(&foreign.name()[..name.len()], *name, "{error}");
        assert!(foreign.advice().contains(advice), "{name}: {}", foreign.advice());
        assert!(error.to_string().starts_with(&format!("the file is {name}")), "{error}");
    }
}

#[test]
fn every_function_that_rejects_the_start_of_a_file_names_its_format() {
    for (bytes, name, _) in FILES {
        let of_bytes = bindpose::decode(bytes).expect_err(name);
        let same = |error| assert_eq!(error, of_bytes, "{name}");
        same(bindpose::examine(bytes, 1).expect_err(name));
        same(bindpose::rescue(bytes).expect_err(name));
        for &kind in FileKind::ALL {
            let options = Options::default();
            let Err(error) = kind.check_magic(bytes, &options) else { continue };
            same(error);
            same(kind.decode(bytes, &options).expect_err(name));
            same(kind.rescue(bytes, &options).expect_err(name));
            same(kind.roundtrip(bytes, &options).verdict.error().expect("foreign").clone());
        }
        let path = std::env::temp_dir().join(format!("bindpose-foreign-{}.psk", std::process::id()));
        std::fs::write(&path, bytes).expect("a temporary file");
        same(open(&path).expect_err(name));
        std::fs::remove_file(&path).expect("a temporary file");
    }
}

#[test]
fn a_utf_8_mark_before_the_content_is_named_and_rescued() {
    let mut kinds = std::collections::BTreeSet::new();
    for sample in folders::samples("corpus") {
        let marked = [b"\xef\xbb\xbf", &*sample.bytes].concat();
        if sample.kind.recognizes(&marked) || !sample.kind.recognizes(&sample.bytes) {
            continue;
        }
        kinds.insert(sample.kind.name());
        // Formats without a magic are decoded, and the mark is a part of their first word.
        if let Err(error) = sample.kind.decode(&marked, &sample.options) {
            assert_eq!(error.kind(), &ErrorKind::Foreign(bindpose::Foreign::Marked), "{}", sample.name);
        }
        assert!(FormatSpec::detect("hero.bak".as_ref(), &marked).is_some(), "{}", sample.name);
        let plain = sample.kind.rescue(&sample.bytes, &sample.options).expect("a sample");
        let rescued = sample.kind.rescue(&marked, &sample.options).expect(&sample.name);
        assert_eq!(rescued.bytes, plain.bytes, "{}", sample.name);
        assert_eq!(rescued.losses[0].to_string(), "the UTF-8 mark before the content is removed");
        assert_eq!(rescued.losses[1..], plain.losses, "{}", sample.name);
    }
    assert!(kinds.contains("x") && kinds.contains("ms3d"), "{kinds:?}");
    let text = b"\xef\xbb\xbfxof 0302txt 0032\nMesh { 0; 0; }\n";
    assert_eq!(bindpose::rescue(text).expect("a text").bytes, text[3..]);
}

#[test]
fn files_of_supported_formats_are_not_foreign() {
    for sample in folders::samples("corpus").chain(folders::samples("damaged")) {
        assert!(
            sample.kind.decode(&sample.bytes, &sample.file.options()).is_ok(),
            "{} is taken for another format",
            sample.name
        );
    }
    for bytes in [&b"To do:"[..], b"# a note\nv 1 2\n", b"ms1x", b"an09", b"\xef\xbb\xbf", b"{}", b"PK"] {
        let error = bindpose::decode(bytes).expect_err("no supported format");
        assert_eq!(error.kind(), &ErrorKind::UnknownFormat, "{}", bytes.escape_ascii());
    }
}

/// They would be skipped in directories otherwise, though they replace files that are expected there.
#[test]
fn a_shared_extension_determines_the_format_of_a_placeholder() {
    let pointer: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";
    for bytes in [pointer, &[0; 64], b"ms16\0\0\0\0"] {
        for name in ["a.x", "a.mesh", "a.anim", "a.psa"] {
            let spec = FormatSpec::detect(name.as_ref(), bytes).expect("an extension of a format");
            let error = spec.kind.check_magic(bytes, &Options::default()).expect_err("a placeholder");
            assert!(matches!(error.kind(), ErrorKind::Foreign(_)), "{name}: {error}");
        }
        assert_eq!(FormatSpec::detect("app.config".as_ref(), bytes), None);
        assert_eq!(FormatSpec::detect("a.png".as_ref(), bytes), None);
    }
}
