//! A file that is read in pieces gives the same results as one that is read as a whole.

use std::cell::Cell;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use bindpose::codec::{Format, Outcome, StreamVerifier, Verdict};
use bindpose::formats::psk::{Chunk, Face32, Material, Psk, Records, Wedge};
use bindpose::scene::{Part, Scene, Settings};
use bindpose::wire::FixedStr;
use bindpose::{File, FileKind, Limits, Options};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::folders;

fn in_pieces(kind: FileKind, bytes: &[u8], size: usize, options: &Options) -> Option<Outcome> {
    let mut pieces = StreamVerifier::new(Cursor::new(bytes), size).unwrap();
    kind.verify_stream(&mut pieces, options)
}

/// Options that state the dialect, if there is one: the beginning of a file does not always determine it.
fn in_dialect(dialect: Option<&str>) -> Options {
    dialect.map_or_else(Options::default, |own| Options::default().with_dialect(own))
}

/// Asserts that verification by pieces agrees with that of the whole file, and succeeds for every valid file.
fn agree(kind: FileKind, bytes: &[u8], size: usize) {
    let whole = kind.roundtrip(bytes, &Options::default());
    let proven = in_pieces(kind, bytes, size, &in_dialect(whole.dialect));
    assert!(
        proven.is_some() || whole.verdict != Verdict::Lossless,
        "{} in pieces of {size} bytes",
        kind.name()
    );
    for mut pieces in proven.into_iter().chain(in_pieces(kind, bytes, size, &Options::default())) {
        // The writer is determined from the beginnings of lists.
        pieces.writer = whole.writer;
        assert_eq!(pieces, whole, "{}", kind.name());
    }
}

/// Asserts that a file that is decoded without its bytes in memory equals that of the whole file, also for its rules, and that every
/// valid file can be decoded so.
fn decode_alike(kind: FileKind, bytes: &[u8]) {
    let options = Options::default();
    let whole = kind.decode(bytes, &options).ok().filter(|file| file.damage().is_none());
    let dialect = whole.as_ref().and_then(File::dialect);
    let streamed = kind.decode_valid(Cursor::new(bytes), &in_dialect(dialect));
    assert!(streamed.is_some() || whole.is_none(), "{}", kind.name());
    for streamed in streamed.into_iter().chain(kind.decode_valid(Cursor::new(bytes), &options)) {
        assert!(whole.is_some(), "{}", kind.name());
        assert_eq!(streamed.dialect(), dialect, "{}", kind.name());
        // NaN differs from itself.
        assert_eq!(streamed.encode().as_deref(), Ok(bytes), "{}", kind.name());
    }
    if let Some(file) = whole {
        assert_eq!(file.check_valid(100), file.check(bytes, 100), "{}", kind.name());
    }
}

/// The contents of a file that a summary shows.
fn contents(file: &File) -> String {
    let scene =
        Scene::of(&[Part { name: "a", file: file.as_scene_source() }], &Settings::default().names_only());
    let morphs =
        scene.meshes.iter().flat_map(|mesh| &mesh.morphs).map(|morph| &morph.name).collect::<Vec<_>>();
    format!("{:?} {morphs:?}", scene.materials)
}

/// Asserts that the outline of a file agrees with the whole, and returns whether there is one.
fn outlines_alike(kind: FileKind, bytes: &[u8], size: usize) -> bool {
    let options = Options::default();
    let mut pieces = StreamVerifier::new(Cursor::new(bytes), size).unwrap();
    let Some(outline) = kind.summarize_stream(&mut pieces, &options) else { return false };
    let file = kind.decode(bytes, &options).unwrap();
    assert_eq!(file.damage(), None);
    // NaN differs from itself.
    assert_eq!(format!("{:?}", outline.summary), format!("{:?}", file.summary()));
    assert_eq!(outline.opaque, file.verify(bytes).opaque);
    assert_eq!(contents(&outline.file), contents(&file));
    assert_eq!(outline.file.proposal(&[]), file.proposal(bytes));
    true
}

proptest! {
    #[test]
    fn pieces_and_the_whole_agree_on_any_file(entropy in vec(any::<u8>(), 0..3000), size in 0_usize..400) {
        for &kind in FileKind::ALL {
            if let Ok(bytes) = kind.generate(&entropy).encode() {
                agree(kind, &bytes, size);
                agree(kind, &bytes[..bytes.len() / 2], size);
                decode_alike(kind, &bytes);
                decode_alike(kind, &bytes[..bytes.len() / 2]);
                outlines_alike(kind, &bytes, size);
                outlines_alike(kind, &bytes[..bytes.len() / 2], size);
            }
        }
    }
}

#[test]
fn pieces_and_the_whole_agree_on_samples() {
    for folder in ["corpus", "damaged"] {
        for (_, bytes) in folders::files(&folders::own(folder)) {
            for &kind in FileKind::ALL {
                for size in [0, 1, 100, StreamVerifier::SIZE] {
                    agree(kind, &bytes, size);
                    outlines_alike(kind, &bytes, size);
                }
                decode_alike(kind, &bytes);
            }
        }
    }
}

#[test]
fn a_file_without_its_bytes_in_memory_is_limited() {
    let mut file = Psk::blank_file();
    file.chunks.push(Chunk::new("PNTS0000", Records::Points(vec![[0.0; 3]; 1000].into())));
    let bytes = file.encode().unwrap();
    let limited = |memory| {
        let limits = Limits::none().with_max_memory(memory);
        FileKind::Psk.decode_valid(Cursor::new(&bytes), &Options::default().with_limits(limits))
    };
    assert!(limited(10_000).is_none());
    assert!(limited(20_000).is_some());
    let limits = Limits::none().with_max_memory(0).with_max_memory_per_byte(2);
    assert!(
        FileKind::Psk.decode_valid(Cursor::new(&bytes), &Options::default().with_limits(limits)).is_some()
    );
}

/// A mesh with these faces, a wedge for each point, and 20 materials.
fn mesh(faces: &[[u32; 3]], num_points: u16) -> Vec<u8> {
    let mut file = Psk::blank_file();
    let mut push = |id: &str, records| file.chunks.push(Chunk::new(id, records));
    let wedge = |point| Wedge { point_index_low: point, ..Wedge::default() };
    push("PNTS0000", Records::Points((0..num_points).map(|at| [at.into(), -1.0, 0.5]).collect()));
    push("VTXW0000", Records::Wedges((0..num_points).map(wedge).collect()));
    let face = |corners: &[u32; 3]| Face32 { wedge_indices: *corners, ..Face32::default() };
    push("FACE3200", Records::Faces32(faces.iter().map(face).collect()));
    let named = |name| Material { name: FixedStr(name), ..Material::default() };
    push("MATT0000", Records::Materials((0..20).map(|name| named([b'a' + name; 64])).collect()));
    file.encode().unwrap()
}

#[test]
fn an_outline_has_all_names_and_counts() {
    assert!(outlines_alike(FileKind::Psk, &mesh(&[[0, 1, 2]; 100], 300), 100));
}

#[test]
fn a_mesh_without_a_triangle_among_its_first_records_has_no_outline() {
    let mut faces = vec![[400, 401, 402]; 100];
    faces[99] = [0, 1, 2];
    assert!(!outlines_alike(FileKind::Psk, &mesh(&faces, 300), 100));
    assert!(outlines_alike(FileKind::Psk, &mesh(&faces, 300), StreamVerifier::SIZE));
}

#[test]
fn an_xml_file_has_an_outline_unless_it_is_damaged() {
    for (kind, name) in [
        (FileKind::Cal3dSkeleton, "wrapped.xsf"),
        (FileKind::Cal3dAnimation, "walk.xaf"),
        (FileKind::Cal3dMesh, "cloth.xmf"),
        (FileKind::Cal3dMaterial, "bom.xrf"),
        (FileKind::Cal3dMorph, "smile.xpf"),
    ] {
        let bytes = folders::read(&format!("corpus/cal3d/{name}"));
        assert!(outlines_alike(kind, &bytes, 1), "{name}");
        assert!((0..bytes.len() - 10).all(|len| !outlines_alike(kind, &bytes[..len], 1)), "{name}");
    }
}

/// A reader of which every second read is interrupted, and which fails once no reads are left.
struct Failing<'a> {
    file: Cursor<&'a [u8]>,
    reads_left: &'a Cell<usize>,
}

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(left) = self.reads_left.get().checked_sub(1) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        self.reads_left.set(left);
        if left % 2 == 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let most = buffer.len().min(7);
        self.file.read(&mut buffer[..most])
    }
}

impl Seek for Failing<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[test]
fn a_reader_can_be_interrupted_but_not_fail() {
    const MANY: usize = 1 << 20;
    let bytes = folders::read("corpus/ms3d/full.ms3d");
    let decoded = |reads: usize| {
        let reads_left = Cell::new(reads);
        let reader = Failing { file: Cursor::new(&bytes), reads_left: &reads_left };
        (FileKind::Ms3d.decode_valid(reader, &Options::default()), reads - reads_left.get())
    };
    let (file, needed) = decoded(MANY);
    assert_eq!(file.expect("a valid file").encode().as_deref(), Ok(&bytes[..]));
    for reads in (0..needed - 2).step_by(needed / 20) {
        assert!(decoded(reads).0.is_none(), "after {reads} of {needed} reads");
    }
}
