//! Violations of the laws are detected: a test format with letters that violate them, each in its own way.

use std::io::{self, Read, Seek, Write};
use std::panic::catch_unwind;

use bindpose::codec::{
    Format, Info, Outcome, StreamVerifier, Verdict, damage, law, prove_values, roundtrip, same_path,
};
use bindpose::schema::{Class, EditError, Leaf, Node, NodeMut, Scalar, Schema, Shape, Value};
use bindpose::wire::Rest;
use bindpose::{Error, ErrorKind, Options};
use binrw::{BinRead, BinResult, BinWrite, Endian};

/// A byte that behaves incorrectly for these letters:
///
/// | letter | fault |
/// | --- | --- |
/// | `w` | is written as another letter |
/// | `m` | is written twice |
/// | `n` | is not written |
/// | `r` | fails to be written |
/// | `o` | fails to be read, with an offset far outside of the file |
/// | `s` | reports a size of two bytes |
/// | `b` | shows another byte than the file's |
/// | `l` | shows two bytes |
/// | `i` | has packed content with the only letter `s` |
/// | `k` | has damaged packed content |
/// | `p` | fails to be written at another offset than it was read: not a fault, but the writer must know the offset |
/// | `v` | is written by `write` and flushed: not a fault, but the writer must report what it wrote |
#[derive(Clone, Debug, Default, PartialEq)]
struct Letter {
    is: u8,
    at: u64,
    content: Option<Box<Content>>,
}

/// The packed content of a letter.
#[derive(Schema)]
#[binrw::binrw]
#[derive(Clone, Debug, Default, PartialEq)]
struct Content {
    only: Letter,
    rest: Rest,
}

impl Letter {
    fn new(letter: u8, at: u64) -> Self {
        let content = |letter, rest: &[u8]| {
            Some(Box::new(Content { only: Self::new(letter, 0), rest: rest.to_vec().into() }))
        };
        let content = match letter {
            b'i' => content(b's', b""),
            b'k' => content(b'x', b"rest"),
            _ => None,
        };
        Self { is: letter, at, content }
    }
}

impl BinRead for Letter {
    type Args<'a> = ();

    fn read_options<R: Read + Seek>(reader: &mut R, endian: Endian, (): ()) -> BinResult<Self> {
        let pos = reader.stream_position()?;
        match u8::read_options(reader, endian, ())? {
            b'o' => Err(binrw::Error::AssertFail { pos: 1000, message: "I was never here".into() }),
            letter => Ok(Self::new(letter, pos)),
        }
    }
}

impl BinWrite for Letter {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, _: Endian, (): ()) -> BinResult<()> {
        if self.is == b'p' && writer.stream_position()? != self.at {
            return Err(io::Error::other("this is not where it was").into());
        }
        if self.is == b'v' {
            let written = writer.write(b"v")?;
            writer.flush()?;
            return if written == 1 { Ok(()) } else { Err(io::Error::other("not one byte").into()) };
        }
        let bytes: &[u8] = match self.is {
            b'w' => b"?",
            b'm' => b"mm",
            b'n' => b"",
            b'r' => return Err(io::Error::other("it will not").into()),
            letter => &[letter],
        };
        Ok(writer.write_all(bytes)?)
    }
}

impl Value for Letter {
    fn size(&self) -> u64 {
        1 + u64::from(self.is == b's')
    }
    fn node(&self) -> Node<'_> {
        Node::Leaf(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Leaf(self)
    }
    fn inside(&self) -> Option<&dyn Value> {
        self.content.as_deref().map(|content| content as &dyn Value)
    }
}

impl Leaf for Letter {
    fn type_name(&self) -> &'static str {
        "letter"
    }
    fn class(&self) -> Class {
        if self.is == b'?' { Class::Opaque } else { Class::Bytes }
    }
    fn bytes(&self, out: &mut Vec<u8>) {
        match self.is {
            b'b' => out.push(b'?'),
            b'l' => out.extend(b"ll"),
            letter => out.push(letter),
        }
    }
    fn show(&self, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
        out.write_char(self.is.into())
    }
    fn assign(&mut self, _: &str) -> Result<(), EditError> {
        Err("is what it is".into())
    }
    fn assign_bytes(&mut self, _: &[u8]) -> Result<(), EditError> {
        Err("is what it is".into())
    }
}

impl Schema for Letter {
    fn shape() -> Shape {
        Shape::Scalar(Scalar::U8)
    }
    fn blank(_: Option<&Self>) -> Self {
        Self::default()
    }
}

/// A file of three letters.
#[derive(Schema)]
#[binrw::binrw]
#[derive(Clone, Debug, Default, PartialEq)]
struct Letters {
    first: Letter,
    second: Letter,
    third: Letter,
    rest: Rest,
}

impl Format for Letters {
    const INFO: Info = Info::new("letters", "Three letters");

    fn args(_: &[u8], _: &Options) -> bindpose::Result<()> {
        Ok(())
    }

    fn blank_file() -> Self {
        Self::default()
    }
}

fn verdict(bytes: &[u8]) -> Verdict {
    roundtrip::<Letters>(bytes, &Options::default()).verdict
}

/// Returns where and why a file is not lossless.
fn found_out(bytes: &[u8]) -> (u64, String) {
    match verdict(bytes) {
        Verdict::NotLossless(error) => (error.offset(), error.kind().to_string()),
        other => panic!("{}: {other:?}", bytes.escape_ascii()),
    }
}

fn breaks_the_law(bytes: &'static [u8]) -> bool {
    catch_unwind(|| law::<Letters>(bytes)).is_err()
}

#[test]
fn a_correct_file_is_lossless() {
    let nothing = Outcome::new(Verdict::Lossless);
    let mut opaque = nothing.clone();
    opaque.opaque = 2;
    assert_eq!(roundtrip::<Letters>(b"xyz", &Options::default()), nothing);
    assert_eq!(roundtrip::<Letters>(b"?y?", &Options::default()), opaque);
    for bytes in [&b"xyz"[..], b"", b"xy", b"xyzrest"] {
        assert!(!breaks_the_law(bytes), "{}", bytes.escape_ascii());
    }
}

#[test]
fn different_bytes_are_reported_at_the_first_one() {
    let written = "re-encodes differently";
    for (bytes, offset) in [
        (&b"wxy"[..], 0),
        (b"xwy", 1),
        (b"xyw", 2),
        // The second written byte is in the place of the next letter.
        (b"mxy", 1),
        (b"xmy", 2),
        // Too many bytes, and too few.
        (b"xym", 3),
        (b"xyn", 2),
    ] {
        let (at, why) = found_out(bytes);
        assert_eq!((at, why.contains(written)), (offset, true), "{}: {why}", bytes.escape_ascii());
        assert!(breaks_the_law(bytes));
    }
}

#[test]
fn a_file_that_cannot_be_written_is_not_lossless() {
    assert!(found_out(b"xry").1.contains("it will not"));
    assert!(breaks_the_law(b"xry"));
}

#[test]
fn the_writer_knows_its_offset() {
    assert_eq!(verdict(b"xyp"), Verdict::Lossless);
    assert_eq!(Letters::decode(b"xyp").and_then(|letters| letters.encode()), Ok(b"xyp".to_vec()));
    assert!(found_out(b"nxp").1.contains("this is not where it was"));
    let mut after = b"12".to_vec();
    assert_eq!(Letters::decode(b"xyp").and_then(|letters| letters.encode_into(&mut after)), Ok(()));
    assert_eq!(after, b"12xyp");
}

/// Counts how often it is flushed.
#[derive(Default)]
struct Flushed(Vec<u8>, usize);

impl Write for Flushed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Write::write(&mut self.0, bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.1 += 1;
        Ok(())
    }
}

#[test]
fn a_format_can_write_by_any_function_of_a_writer() {
    let letters = Letters::decode(b"vvp").expect("letters");
    assert_eq!(verdict(b"vvp"), Verdict::Lossless);
    assert_eq!(letters.encode(), Ok(b"vvp".to_vec()));
    let mut out = Flushed::default();
    assert_eq!(letters.encode_to(&mut out), Ok(()));
    assert_eq!((out.0, out.1), (b"vvp".to_vec(), 2));
}

#[test]
fn a_truncated_file_is_written_up_to_its_end() {
    for bytes in [&b"x"[..], b"xy", b"xyz", b"xyzrest"] {
        let mut out = Vec::new();
        assert_eq!(Letters::decode(bytes).and_then(|letters| letters.encode_to(&mut out)), Ok(()));
        assert_eq!(out, bytes);
    }
}

#[test]
fn a_file_is_verified_without_its_bytes_in_memory() {
    let proven = |bytes: &[u8]| {
        let mut pieces = StreamVerifier::new(io::Cursor::new(bytes), 100).expect("a reader of memory");
        prove_values::<Letters, _>(&mut pieces, &Options::default()).map(|outcome| outcome.verdict)
    };
    assert_eq!((proven(b"xyz"), proven(b"xyp")), (Some(Verdict::Lossless), Some(Verdict::Lossless)));
    for bytes in [&b"wyz"[..], b"xyw", b"xyn", b"xym", b"xyr", b"xys", b"xy", b"xyzrest"] {
        assert_eq!(proven(bytes), None, "{}", bytes.escape_ascii());
    }
}

#[test]
fn parts_tile_the_file() {
    let (at, why) = found_out(b"xys");
    assert_eq!(at, 3);
    assert!(why.contains("the map covers 4 bytes of 3"), "{why}");
    assert!(breaks_the_law(b"xys"));
}

#[test]
fn leaves_are_the_bytes_of_the_file() {
    for bytes in [&b"xby"[..], b"xly", b"lxy", b"xyl"] {
        assert_eq!(verdict(bytes), Verdict::Lossless, "only the law looks at leaves");
        assert!(breaks_the_law(bytes), "{}", bytes.escape_ascii());
    }
}

#[test]
fn the_leaves_of_packed_content_tile_it() {
    assert_eq!(verdict(b"xiy"), Verdict::Lossless);
    assert!(breaks_the_law(b"xiy"));
}

#[test]
fn offsets_of_errors_are_within_the_file() {
    let error = Error::new(1000, ErrorKind::Encode("I was never here".into()));
    let Verdict::Undecodable(found) = verdict(b"oxy") else { panic!("it was read") };
    assert_eq!((found.offset(), found.kind()), (1000, error.kind()));
    assert!(breaks_the_law(b"oxy"));
    assert!(matches!(verdict(b"xy"), Verdict::Damaged(_)));
}

#[test]
fn damage_of_packed_content_is_reported_if_the_file_has_no_other() {
    let place = |bytes| damage(&Letters::decode(bytes).expect("letters")).expect("damage").to_string();
    assert_eq!(verdict(b"xky").error().map(ToString::to_string), Some(place(b"xky")));
    assert!(place(b"xky").contains("second!rest"), "{}", place(b"xky"));
    assert!(!place(b"xkyrest").contains('!'), "{}", place(b"xkyrest"));
    let outcome = roundtrip::<Letters>(b"xkyrest", &Options::default());
    assert_eq!(outcome.rest, 4, "unpacked bytes are not in the file");
}

#[test]
fn only_a_valid_piece_is_verified() {
    let prove = |bytes: &[u8]| {
        let mut pieces = StreamVerifier::new(io::Cursor::new(bytes), 100).expect("a reader of memory");
        pieces.take(bytes.len()).expect("all bytes");
        let proven = pieces.verify_piece::<Letters>();
        (proven.map(|letters| letters.first.is), pieces.opaque())
    };
    assert_eq!((prove(b"x?z"), prove(b"?y?")), ((Some(b'x'), 1), (Some(b'?'), 2)));
    // Truncated, damaged, with other bytes, too long for its map.
    for bytes in [&b"xy"[..], b"xyzrest", b"wyz", b"xys"] {
        assert_eq!(prove(bytes).0, None, "{}", bytes.escape_ascii());
    }
}

/// Two bytes whose fast path violates the definition at the step of this number; 0 is none.
#[binrw::binrw]
#[derive(Clone, Debug, Default, PartialEq)]
struct Faulty<const STEP: usize>([u8; 2]);

impl<const STEP: usize> Value for Faulty<STEP> {
    fn size(&self) -> u64 {
        2
    }
    fn node(&self) -> Node<'_> {
        self.0.node()
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        self.0.node_mut()
    }
}

impl<const STEP: usize> Schema for Faulty<STEP> {
    const FIXED: Option<usize> = Some(if STEP == 5 { 3 } else { 2 });

    fn shape() -> Shape {
        <[u8; 2]>::shape()
    }
    fn blank(_: Option<&Self>) -> Self {
        Self::default()
    }
    fn get(bytes: &[u8]) -> Self {
        let own = Self([bytes[0], bytes[1]]);
        // Step 8 is wrong for other values than the first.
        if STEP == 7 || STEP == 8 && own.0[0] == 9 { Self::default() } else { own }
    }
    fn put(&self, bytes: &mut [u8]) {
        if STEP != 6 {
            bytes.copy_from_slice(&self.0);
        }
    }
    fn decode_prefix(bytes: &[u8]) -> Option<(Self, usize)> {
        let own = Self([*bytes.first()?, *bytes.get(1)?]);
        match STEP {
            1 => None,
            3 => Some((Self::default(), 2)),
            _ => Some((own, 2)),
        }
    }
    fn span(bytes: &[u8]) -> Option<usize> {
        if STEP == 2 { Some(1) } else { Self::decode_prefix(bytes).map(|(_, size)| size) }
    }
    fn append_to(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.0);
        if STEP == 4 {
            bytes.push(0);
        }
    }
}

#[test]
fn a_fast_path_that_differs_from_the_definition_is_found() {
    fn found<const STEP: usize>() -> Result<Option<usize>, String> {
        same_path::<Faulty<STEP>>(&[1, 2, 9, 3, 4])
    }
    assert_eq!(found::<0>(), Ok(Some(2)));
    assert_eq!(same_path::<Faulty<0>>(&[1]), Ok(None));
    let why = "read by the definition: true, by decode_prefix: false";
    assert_eq!(found::<1>(), Err(why.into()));
    assert_eq!(found::<2>(), Err("span differs".into()));
    assert_eq!(found::<3>(), Err("decode_prefix, written by the definition differs".into()));
    assert_eq!(found::<4>(), Err("append_to, read by the definition differs".into()));
    assert_eq!(found::<5>(), Err("FIXED differs".into()));
    assert_eq!(found::<6>(), Err("put differs".into()));
    assert_eq!(found::<7>(), Err("get differs".into()));
    assert_eq!(found::<8>(), Err("a list of 2 differs".into()));
}
