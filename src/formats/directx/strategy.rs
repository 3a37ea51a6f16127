//! Generates `.x` files for property tests.

use super::types::{DOUBLE, SINGLE};
use super::{BINARY, Content, PACKED_BINARY, PACKED_TEXT, Packed, TEXT, Tokens, X};
use crate::codec::{Format, Generate, generate_by_reading};
use crate::schema::Schema;
use crate::text::TokenText;
use crate::wire::{Part, Rest};

/// Fragments of text, combined at random.
const FRAGMENTS: [&[u8]; 49] = [
    b" ",
    b" ",
    b"\n",
    b"\r\n",
    b"\t",
    b"\0",
    b";",
    b";",
    b",",
    b";,",
    b";;",
    b"{",
    b"{",
    b"}",
    b"}",
    b"[",
    b"]",
    b"<",
    b">",
    b"...",
    b".",
    b"1",
    b"0",
    b"-0",
    b"-2",
    b"3.5",
    b"-0.000000",
    b"9.9E+00",
    b"1.#QNAN0",
    b"4294967295",
    b"template",
    b"array",
    b"DWORD",
    b"FLOAT",
    b"STRING",
    b"Frame",
    b"Mesh",
    b"Root",
    b"-",
    b"\x83\x7b\x81\x5b",
    b"\xe5\x90\x8d",
    b"\"C:\\tex.bmp\"",
    b"\"",
    b"// note\n",
    b"# note",
    b"/",
    b"<3D82AB44-62DA-11CF-AB39-0020AF71E433>",
    b"FrameTransformMatrix",
    b"MeshNormals",
];

impl Generate for X {
    const WORDS: &'static [&'static [u8]] = &[&BINARY.0, b"0302", b"0303", &SINGLE.0, &DOUBLE.0];

    /// Generates text from fragments or tokens by decoding random bytes, optionally packed.
    fn generate(entropy: &[u8]) -> Self {
        let Some((&choice, entropy)) = entropy.split_first() else { return Self::blank_file() };
        let file = if choice & 1 == 0 { text_file(entropy) } else { generate_by_reading(entropy) };
        if choice & 6 == 6 { packed(file) } else { file }
    }
}

fn text_file(entropy: &[u8]) -> X {
    let text = entropy.iter().fold(Vec::new(), |mut text, byte| {
        match FRAGMENTS.get(usize::from(byte >> 2)) {
            Some(fragment) => text.extend_from_slice(fragment),
            None => text.push(byte.wrapping_mul(37)),
        }
        text
    });
    X { tokens: Part::Present(Tokens::Text(TokenText::new(text))), ..X::blank_file() }
}

/// Returns the file with its content in `MSZip` chunks.
fn packed(file: X) -> X {
    let encoding = match file.encoding {
        TEXT => PACKED_TEXT,
        BINARY => PACKED_BINARY,
        _ => return file,
    };
    let content = Content { tokens: file.tokens, rest: file.rest };
    let Ok(packed) = Packed::new(content, (encoding, file.float_size)) else { return X::blank(None) };
    X { encoding, tokens: Part::Absent, packed: Part::Present(packed), rest: Rest::default(), ..file }
}
