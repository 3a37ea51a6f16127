//! The work on a `.x` file is at most linear in its size.

use bindpose::File;
use bindpose::formats::directx::Encoding;
use bindpose::internals::work as work_of;
use bindpose::scene::{Part, Scene, Settings};

type Verb = fn(&File, &[u8]);

/// The operations that visit the objects of a file.
const VERBS: [(&str, Verb); 6] = [
    ("check with all findings", |file, bytes| drop(file.check(bytes, usize::MAX))),
    ("check", |file, bytes| drop(file.check(bytes, 20))),
    ("info", |file, _| drop(file.summary())),
    ("get", |file, _| drop(["T[*].a", "T[*].none", "Mesh[*].vertices"].map(|path| file.get_text(path)))),
    ("export", |file, _| {
        drop(Scene::of(&[Part { name: "", file: file.as_scene_source() }], &Settings::default()));
    }),
    ("convert", |file, _| {
        if let File::X(file) = file {
            drop(file.convert(Encoding { binary: true, packed: false, double: false }));
        }
    }),
];

type Hostile = fn(usize) -> String;

/// Generators of files of a given size, which provoke quadratic work.
const HOSTILE: [(&str, Hostile); 9] = [
    ("references side by side", |size| format!("Frame A {{\n{}}}\n", "Frame { { q } }\n".repeat(size))),
    ("structs without values in all objects", |size| {
        let nested = |depth: usize| format!("template S{} {{ S{depth} a; S{depth} b; }}\n", depth + 1);
        let structs: String = (0..13).map(nested).collect();
        format!("template S0 {{ }}\n{structs}template T {{ S13 a; }}\n{}", "T { }\n".repeat(size))
    }),
    ("empty arrays of strings in all objects", |size| {
        let nested = |depth: usize| format!("template S{} {{ S{depth} a; S{depth} b; }}\n", depth + 1);
        let structs: String = (0..13).map(nested).collect();
        let strings = "template S0 { DWORD n; array STRING s[0]; array STRING t[n]; }\n";
        format!("{strings}{structs}template T {{ S13 a; }}\n{}", "T { 0; }\n".repeat(size))
    }),
    ("members without values in all objects", |size| {
        let members = "array DWORD a[n]; ".repeat(size);
        format!("template T {{ DWORD n; {members} }}\n{}", "T { 0; }\n".repeat(size))
    }),
    ("lists without elements in all meshes", |size| {
        let members = "array Vector vertices[n]; ".repeat(size);
        format!("template Mesh {{ DWORD n; {members} }}\n{}", "Mesh { 0; }\n".repeat(size))
    }),
    ("dimensions of one element", |size| {
        format!("template T {{ array DWORD a{}; }}\nT {{ {} }}\n", "[1]".repeat(size), "1;".repeat(size))
    }),
    ("a long name in all structs", |size| {
        let name = "S".repeat(size);
        let zeros = "0;".repeat(size);
        format!(
            "template {name} {{ DWORD n; array DWORD a[n]; }}\ntemplate T {{ array {name} a[{size}]; }}\nT {{ {zeros} }}\n"
        )
    }),
    ("infinities in one run", |size| format!("Vector {{ {} }}\n", "1.#INF;".repeat(size))),
    ("broken objects side by side", |size| format!("Frame A {{\n{}}}\n", "Mesh { 1; }\n".repeat(size))),
];

fn work(text: &str, verb: Verb) -> usize {
    work_on(format!("xof 0303txt 0032\n{text}").as_bytes(), verb)
}

fn work_on(bytes: &[u8], verb: Verb) -> usize {
    let file = bindpose::decode(bytes).expect("a file");
    assert_eq!(file.damage(), None);
    work_of(|| verb(&file, bytes))
}

/// Text in chunks of a few bytes each.
fn in_chunks(text: &str) -> Vec<u8> {
    let len = |len: usize| u16::try_from(len).expect("a short chunk").to_le_bytes();
    let size = u32::try_from(text.len() + 16).expect("a short text");
    let mut bytes = [b"xof 0303tzip0032", &size.to_le_bytes()[..]].concat();
    for chunk in text.as_bytes().chunks(8) {
        let packed = [b"CK", &*miniz_oxide::deflate::compress_to_vec(chunk, 1)].concat();
        bytes.extend([&len(chunk.len())[..], &len(packed.len()), &packed].concat());
    }
    bytes
}

#[test]
fn work_is_linear_in_the_number_of_chunks() {
    for (name, verb) in VERBS {
        let [few, many] = [100, 800].map(|size| work_on(&in_chunks(&"Mesh { 1; }\n".repeat(size)), verb));
        assert!(many <= 10 * few, "{name}: {few} and {many}");
    }
}

#[test]
fn work_is_linear_in_the_size_of_the_file() {
    for (hostile, text) in HOSTILE {
        for (name, verb) in VERBS {
            let (few, many) = (work(&text(100), verb), work(&text(800), verb));
            assert!(many <= 10 * few, "{name}, {hostile}: {few} and {many}");
            let bytes = text(800).len();
            assert!(many <= 100 * bytes, "{name}, {hostile}: {many} for {bytes} bytes");
        }
    }
}

#[test]
fn work_is_counted() {
    let text = "Vector { 1; 2; 3; }";
    // The standard templates are read once.
    let _ = work(text, VERBS[0].1);
    let [one, many] = [1, 101].map(|count| work(&text.repeat(count), VERBS[0].1));
    assert!(many - one >= 100 * text.len(), "{one} and {many}");
}
