//! Small files that decode to a multiple of their size: refused before the memory is taken.

use allocation_counter::measure;
use bindpose::codec::{Format, Verdict};
use bindpose::formats::directx::{Encoding, Text, Token, TokenBody, X};
use bindpose::formats::unigine::{CInt, Geometry, Tree, UnigineMesh, VertexWeights};
use bindpose::schema::{Schema, bytes_of};
use bindpose::wire::{LenStr, Packed};
use bindpose::{ErrorKind, File, FileKind, LimitError, Limits, Options};

use crate::folders;

/// The number of elements in a list of the smallest elements.
const MANY: usize = 1 << 18;

/// A mesh of version ms14 with one changed packed part.
fn mesh(change: impl FnOnce(&mut bindpose::formats::unigine::Mesh14)) -> Vec<u8> {
    let sample = folders::sample("corpus/unigine/ms14.mesh");
    let File::UnigineMesh(mesh) = sample.file else { panic!("a mesh") };
    let UnigineMesh::Mesh14(mut mesh) = *mesh else { panic!("an ms14 mesh") };
    change(&mut mesh);
    UnigineMesh::Mesh14(mesh).encode().expect("a mesh")
}

fn integers() -> Vec<u8> {
    mesh(|mesh| {
        let tree = Tree { indices: vec![CInt::default(); MANY].into(), ..Tree::default() };
        mesh.trees[0].data = Packed::new(&tree, ()).expect("a tree");
    })
}

fn weights() -> Vec<u8> {
    mesh(|mesh| {
        let weights = vec![VertexWeights::blank(None); MANY];
        let geometry = Geometry { weights: weights.into(), ..Geometry::default() };
        let part = &mut mesh.geometry[0].data;
        let counts = part.content_args().clone();
        let mut packed = Packed::new(part.content().expect("a geometry"), counts).expect("a geometry");
        packed.edit(|old| old.weights = geometry.weights).expect("weights");
        *part = packed;
    })
}

fn text(text: Vec<u8>) -> Vec<u8> {
    let file = X::decode(&[b"xof 0302txt 0032\n".to_vec(), text].concat()).expect("a text");
    let encoding = Encoding { binary: false, packed: true, double: false };
    file.convert(encoding).and_then(|file| file.encode()).expect("a packed text")
}

fn nested() -> Vec<u8> {
    [b"A{".repeat(MANY), b"}".repeat(MANY)].concat()
}

fn bombs() -> [(&'static str, FileKind, Vec<u8>); 4] {
    [
        ("one-byte integers", FileKind::UnigineMesh, integers()),
        ("empty weights", FileKind::UnigineMesh, weights()),
        ("nested objects", FileKind::X, text(nested())),
        (
            "members",
            FileKind::X,
            text([b"template A{".to_vec(), b"A b;".repeat(MANY), b"}".to_vec()].concat()),
        ),
    ]
}

/// Memory in bytes beyond the limit: blocks, tables, error messages.
const SLACK: u64 = 1 << 17;

#[test]
fn a_bomb_is_refused_before_it_takes_more_memory_than_permitted() {
    for (name, kind, bytes) in bombs() {
        assert!(bytes.len() < 1 << 15, "{name}: {} bytes", bytes.len());
        let verdict = |limits| kind.roundtrip(&bytes, &Options::default().with_limits(limits)).verdict;
        assert!(!matches!(verdict(Limits::default()), Verdict::Limit(_)), "{name}");
        for memory in [1 << 16, 1 << 18, 1 << 20] {
            let limits = Limits::default().with_max_memory(memory);
            let permitted = limits.memory_for(bytes.len() as u64);
            let mut found = None;
            let peak = measure(|| found = Some(verdict(limits))).bytes_max;
            assert!(peak <= permitted + SLACK, "{name}: {peak} of {permitted}");
            let Some(Verdict::Limit(error)) = found else { panic!("{name}: {found:?}") };
            let ErrorKind::Limit(LimitError::Memory { needed, permitted: stated }) = error.kind() else {
                panic!("{name}: {error}")
            };
            assert!(*needed > permitted && *stated == permitted, "{name}: {error}");
            assert!(!error.path().steps().is_empty(), "{name}: {error}");
        }
    }
}

#[test]
fn unpacked_text_is_in_memory_once() {
    const LEN: usize = 1 << 20;
    let bytes = text(vec![b' '; LEN - 1]);
    // The text, and the index of its tokens.
    let permitted = LEN / 8 * 11;
    let limits = Limits::default().with_max_memory_per_byte(0).with_max_memory(permitted as u64);
    let options = Options::default().with_limits(limits);
    let mut found = None;
    let peak = measure(|| found = Some(FileKind::X.decode(&bytes, &options))).bytes_max;
    let file = found.expect("a result").expect("a file within the limit");
    assert!(peak <= permitted as u64, "{peak} of {permitted}");
    assert!(file.encode().is_ok_and(|again| again == bytes));
}

#[test]
fn text_is_refused_before_it_is_unpacked() {
    const LEN: usize = 1 << 20;
    let bytes = text(vec![b' '; LEN - 1]);
    let limits = Limits::default().with_max_memory_per_byte(0).with_max_memory(LEN as u64);
    let options = Options::default().with_limits(limits);
    let mut found = None;
    let peak = measure(|| found = Some(FileKind::X.decode(&bytes, &options))).bytes_max;
    let error = found.expect("a result").expect_err("more than permitted");
    assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{error}");
    assert!(peak < LEN as u64 / 8, "{peak}");
}

#[test]
fn repairs_of_a_decoded_file_do_not_decode_it_again() {
    let token = |body: TokenBody| bytes_of(&Token::from(body));
    let name = Text { text: LenStr::new(b"A") };
    let object = [token(TokenBody::Name(name)), token(TokenBody::OpenBrace)].concat();
    let bytes = [b"xof 0302bin 0032".to_vec(), object.repeat(MANY)].concat();
    let file = FileKind::X.decode(&bytes, &Options::default()).expect("tokens");
    assert!(file.damage().is_some(), "the closing braces are missing");
    let peak = measure(|| assert!(file.repairs(&bytes).is_empty())).bytes_max;
    assert!(peak < bytes.len() as u64, "{peak}");
}

#[test]
fn nested_objects_are_refused_at_the_first_that_is_too_deep() {
    let bytes = text(nested());
    let options = Options::default().with_limits(Limits::default().with_max_depth(16));
    let mut found = None;
    let peak = measure(|| found = Some(FileKind::X.decode(&bytes, &options))).bytes_max;
    let error = found.expect("a result").expect_err("too deep");
    assert_eq!(error.kind(), &ErrorKind::Limit(LimitError::Depth { permitted: 16 }));
    assert!(peak < 64 * MANY as u64, "{peak}");
}

#[test]
fn decoded_files_can_be_sent_to_other_threads() {
    fn assert_send<T: Send + Sync>() {}
    assert_send::<File>();
}
