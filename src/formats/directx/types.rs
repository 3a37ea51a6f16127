//! The on-disk structs of `.x` files, in the order of the file.
//!
//! A header of 16 bytes, followed by text or binary tokens, optionally in `MSZip` chunks. Little-endian. The layout is
//! that of the published reference, corrected where 289 real files and the recorded behaviour of the native parser
//! disagree with it.

use std::io::Seek;

use binrw::{BinRead, BinResult, binrw};

use super::packed::Packed;
use super::syntax::objects::Objects;
use super::syntax::resume::{found_again, nested, nested_in};
use super::syntax::text::XText;
use crate::schema::{Schema, Value as _, on_disk};
use crate::text::TokenText;
use crate::wire::{Blob, Bytes, FixedStr, Gap, LenStr, Part, Rest, SmallList, Stream, charge, expected};

/// A DirectX `.x` file in any of its encodings.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::directx::X;
/// let file = X::decode(b"xof 0303txt 0032\nFrame Root {}\n")?;
/// assert_eq!(file.encoding.text(), b"txt ");
/// assert_eq!(file.encode()?, b"xof 0303txt 0032\nFrame Root {}\n");
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[schema(each_alias = super::alias::resolve, params())]
#[binrw]
#[brw(little)]
#[derive(Clone, Debug, PartialEq)]
pub struct X {
    /// `xof `, in lower case.
    #[schema(magic = b"xof ")]
    pub magic: FixedStr<4>,
    /// The major and minor version, two digits each: `0302` or `0303`, with the same layout.
    #[schema(default = FixedStr(*b"0303"))]
    pub version: FixedStr<4>,
    /// The encoding: `txt ` or `bin `; `tzip` or `bzip` if packed.
    #[schema(default = TEXT, encodes = "tokens")]
    pub encoding: FixedStr<4>,
    /// The size of floats in tokens in bits: `0032` or `0064`. Without meaning in text.
    #[schema(default = SINGLE, encodes = "tokens")]
    pub float_size: FixedStr<4>,
    /// The content, unless it is packed.
    #[br(parse_with = indexed, args(!is_packed(encoding), (encoding, float_size)))]
    #[schema(args(true, ascii(encoding), ascii(float_size)))]
    #[schema(default = Part::Present(Tokens::Text(TokenText::new(b"\n".to_vec()))))]
    pub tokens: Part<Tokens>,
    /// The packed content.
    #[br(parse_with = expected, args(is_packed(encoding), (encoding, float_size)))]
    #[schema(args(true))]
    pub packed: Part<Packed>,
    /// Bytes after the damage.
    pub rest: Rest,
}

/// The bytes before the content: magic, version, encoding and float size.
pub(super) const HEADER: u64 = X::HEAD as u64;

/// Encoding: text.
pub const TEXT: FixedStr<4> = FixedStr(*b"txt ");
/// Encoding: binary tokens.
pub const BINARY: FixedStr<4> = FixedStr(*b"bin ");
/// Encoding: text in `MSZip` chunks.
pub const PACKED_TEXT: FixedStr<4> = FixedStr(*b"tzip");
/// Encoding: binary tokens in `MSZip` chunks.
pub const PACKED_BINARY: FixedStr<4> = FixedStr(*b"bzip");

fn is_packed(encoding: FixedStr<4>) -> bool {
    matches!(encoding, PACKED_TEXT | PACKED_BINARY)
}

/// The packed content.
#[derive(Schema)]
#[binrw]
#[brw(little)]
#[derive(Clone, Debug, PartialEq)]
pub struct Chunks {
    /// The size of the unpacked file, including its header of 16 bytes.
    #[schema(decides = "chunks")]
    pub size: u32,
    /// The chunks. All but the last unpack to 32 KiB.
    pub chunks: Stream<Chunk>,
}

/// A chunk: a DEFLATE stream with the preceding 32 KiB of unpacked data as dictionary.
#[on_disk]
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// The unpacked size, at most 32,768.
    #[schema(decides = "data")]
    pub plain_size: u16,
    /// The size of signature and data.
    #[size_of(data, plus = 2)]
    packed_size: u16,
    /// `CK`.
    #[schema(magic = b"CK")]
    pub signature: FixedStr<2>,
    /// The DEFLATE stream.
    #[br(args(i64::from(packed_size) - 2))]
    #[schema(args(packed_size - 2), decides = "the content")]
    pub data: Bytes,
}

/// The unpacked content.
#[derive(Schema)]
#[binrw]
#[brw(little)]
#[br(import(encoding: FixedStr<4>, float_size: FixedStr<4>))]
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    /// The content, as in an unpacked file.
    #[br(parse_with = indexed, args(true, (encoding, float_size)))]
    pub tokens: Part<Tokens>,
    /// Bytes after the damage.
    pub rest: Rest,
}

/// Reads content, and charges the memory of the index of its objects.
#[binrw::parser(reader, endian)]
fn indexed(follows: bool, args: (FixedStr<4>, FixedStr<4>)) -> BinResult<Part<Tokens>> {
    let tokens = Part::<Tokens>::read_options(reader, endian, (follows, args))?;
    charge(reader, tokens.present().map_or(0, Objects::memory))?;
    Ok(tokens)
}

/// Splits unpacked text without a copy, and charges the memory of the index of its objects.
pub(super) fn indexed_text(reader: &mut impl Seek, text: Vec<u8>) -> BinResult<(Tokens, Vec<u8>)> {
    let (text, rest) = nested_in(reader, text)?;
    let tokens = Tokens::Text(text);
    charge(reader, Objects::memory(&tokens))?;
    Ok((tokens, rest))
}

/// The content of a file.
#[derive(Schema)]
#[schema(tag(encoding: FixedStr<4>), import(float_size: FixedStr<4>), closed)]
#[derive(Clone, Debug, PartialEq)]
pub enum Tokens {
    /// Text.
    #[schema(tag = TEXT | PACKED_TEXT, ksy = encoding == TEXT)]
    #[br(parse_with = nested)]
    Text(TokenText<XText>),
    /// Binary tokens.
    #[schema(tag = BINARY | PACKED_BINARY, ksy = encoding == BINARY)]
    #[br(parse_with = found_again, args(float_size))]
    Binary(Stream<Token>),
}

impl Tokens {
    /// Returns the part of a file with these tokens, which is absent without bytes.
    pub(super) fn into_part(self) -> Part<Self> {
        if self.size() > 0 { Part::Present(self) } else { Part::Absent }
    }
}

/// A token.
#[on_disk]
#[br(import(float_size: FixedStr<4>))]
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// The kind of token.
    #[tag_of(body)]
    tag: u16,
    /// The data of the token.
    #[br(args(tag, float_size))]
    pub body: TokenBody,
    /// Bytes up to the next object that cannot be decoded; none in a valid file.
    pub gap: Gap,
}

impl From<TokenBody> for Token {
    fn from(body: TokenBody) -> Self {
        Self { body, gap: Gap::default() }
    }
}

/// The data of a token; most kinds have none.
#[derive(Schema)]
#[schema(tag(tag: u16), import(float_size: FixedStr<4>), closed)]
#[derive(Clone, Debug, PartialEq)]
pub enum TokenBody {
    /// A name. Anonymous objects may have an empty one.
    #[schema(tag = 1)]
    Name(Text),
    /// A string, followed by a separator token.
    #[schema(tag = 2)]
    String(Text),
    /// An integer.
    #[schema(tag = 3)]
    Integer(u32),
    /// A GUID, without angle brackets.
    #[schema(tag = 5)]
    Guid(Guid),
    /// A list of integers. Writers may split lists at any position.
    #[schema(tag = 6)]
    IntegerList(IntegerList),
    /// A list of one or more floats.
    #[schema(tag = 7)]
    #[br(args(float_size))]
    FloatList(FloatList),
    /// `{`
    #[schema(tag = 10)]
    OpenBrace,
    /// `}`
    #[schema(tag = 11)]
    CloseBrace,
    /// `(`
    #[schema(tag = 12)]
    OpenParen,
    /// `)`
    #[schema(tag = 13)]
    CloseParen,
    /// `[`
    #[schema(tag = 14)]
    OpenBracket,
    /// `]`
    #[schema(tag = 15)]
    CloseBracket,
    /// `<`
    #[schema(tag = 16)]
    OpenAngle,
    /// `>`
    #[schema(tag = 17)]
    CloseAngle,
    /// `.`
    #[schema(tag = 18)]
    Dot,
    /// `,`
    #[schema(tag = 19)]
    Comma,
    /// `;`
    #[schema(tag = 20)]
    Semicolon,
    /// `template`
    #[schema(tag = 31)]
    Template,
    /// The type `WORD`: 16 bits.
    #[schema(tag = 40)]
    Word,
    /// The type `DWORD`: 32 bits.
    #[schema(tag = 41)]
    Dword,
    /// The type `FLOAT`.
    #[schema(tag = 42)]
    Float,
    /// The type `DOUBLE`.
    #[schema(tag = 43)]
    Double,
    /// The type `CHAR`: 8 bits.
    #[schema(tag = 44)]
    Char,
    /// The type `UCHAR`: 8 bits.
    #[schema(tag = 45)]
    Uchar,
    /// The type `SWORD`: 16 bits, signed.
    #[schema(tag = 46)]
    Sword,
    /// The type `SDWORD`: 32 bits, signed.
    #[schema(tag = 47)]
    Sdword,
    /// The type `VOID`.
    #[schema(tag = 48)]
    Void,
    /// The type `STRING`.
    #[schema(tag = 49)]
    Lpstr,
    /// The type `UNICODE`.
    #[schema(tag = 50)]
    Unicode,
    /// The type `CSTRING`.
    #[schema(tag = 51)]
    Cstring,
    /// `array`
    #[schema(tag = 52)]
    Array,
    /// Precedes the name of an object's binary data: `{ pmxtox }`. The three tokens of binary data occur in progressive
    /// meshes of Retained Mode; their official names are unknown.
    #[schema(tag = 54)]
    BinaryName,
    /// Binary data that follows the objects, up to the end of the file.
    #[schema(tag = 55)]
    BinaryData(BinaryData),
    /// The location of binary data in the file.
    #[schema(tag = 254)]
    BinaryLocation(BinaryLocation),
}

/// The location and type of binary data.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct BinaryLocation {
    /// The offset of the data in the file. Edits that move the data do not update it.
    pub offset: u64,
    /// The size of the data in bytes.
    pub size: u64,
    /// MIME type: `X-File/progressive-mesh`, or empty.
    pub mime_type: LenStr<u16>,
}

/// Binary data of unknown layout.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct BinaryData {
    /// All bytes up to the end of the file.
    #[br(parse_with = to_end)]
    #[schema(args(_io.size - _io.pos))]
    pub data: Blob,
}

#[binrw::parser(reader, endian)]
fn to_end() -> binrw::BinResult<Blob> {
    Rest::read_options(reader, endian, ()).map(|rest| Blob(rest.0))
}

/// The bytes of a name or string.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// The bytes, without NUL, in the code page of the writer.
    pub text: LenStr<u32>,
}

/// A list of integers.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct IntegerList {
    /// The integers.
    pub values: SmallList<u32, u32, 4>,
}

/// A list of floats of the size that the header specifies.
#[derive(Schema)]
#[schema(tag(float_size: FixedStr<4>), closed)]
#[derive(Clone, Debug, PartialEq)]
pub enum FloatList {
    /// Floats of 32 bits.
    #[schema(tag = SINGLE, ksy = float_size == "0032")]
    Single(Singles),
    /// Floats of 64 bits.
    #[schema(tag = DOUBLE, ksy = float_size == "0064")]
    Double(Doubles),
}

pub(super) const SINGLE: FixedStr<4> = FixedStr(*b"0032");
pub(super) const DOUBLE: FixedStr<4> = FixedStr(*b"0064");

/// A list of floats of 32 bits.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Singles {
    /// The floats.
    pub values: SmallList<u32, f32, 4>,
}

/// A list of floats of 64 bits.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Doubles {
    /// The floats.
    pub values: SmallList<u32, f64, 2>,
}

/// A globally unique identifier: `<3D82AB44-62DA-11CF-AB39-0020AF71E433>`.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Guid {
    /// The first eight hexadecimal digits.
    pub data1: u32,
    /// The next four digits.
    pub data2: u16,
    /// The next four digits.
    pub data3: u16,
    /// The last sixteen digits, as bytes.
    pub data4: [u8; 8],
}
