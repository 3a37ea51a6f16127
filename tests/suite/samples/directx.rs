//! DirectX `.x` files.

use std::fmt::Write as _;

use bindpose::codec::Format;
use bindpose::formats::directx::{
    BinaryData, BinaryLocation, Encoding, FloatList, Guid, IntegerList, Singles, Text, Token, TokenBody,
    Tokens, X,
};
use bindpose::wire::{Blob, FixedStr, LenStr, Part};

use super::{Family, Sample, rules};

pub fn family() -> Family {
    Family { folder: "directx", valid: [valid(), rules::directx()].concat(), damaged: damaged() }
}

fn valid() -> Vec<Sample> {
    vec![
        Sample::new("empty.x", "only a header", b"xof 0303txt 0032".to_vec()),
        text(
            "rotating_cube.x",
            "a cube with ten rotation keys about y, formatted as in the tutorial",
            &rotating_cube(),
        ),
        text("scaling_cube.x", "a cube with nine scale keys", &scaling_cube()),
        text(
            "moving_cube.x",
            "a cube with 20 position keys and a count of 19, one time repeated, final separators missing",
            &moving_cube(),
        ),
        text("skinned.x", "every object with a typed view, and two own templates", &skinned()),
        text("crlf.x", "the skinned mesh with CRLF", &skinned().replace('\n', "\r\n")),
        Sample::new("odd_text.x", "unusual but valid text", odd_text()),
        text(
            "odd_numbers.x",
            "numbers without integer part, infinities and NaNs, `<` without GUID",
            &format!("{HEAD}Odd {{ .5; -.5; 1.; 1e5; 1.#INF00; -1.#IND00; 1.#QNAN0; 1.#WHAT; <no guid; }}\n"),
        ),
        binary("skinned_bin.x", "the skinned mesh as tokens", false, false),
        binary("skinned_bin64.x", "the skinned mesh as tokens with floats of 64 bits", false, true),
        binary("skinned_bzip.x", "the skinned mesh as packed tokens", true, false),
        sample(
            "skinned_tzip.x",
            "the skinned mesh as packed text",
            &converted(&skinned(), encoding(false, true, false)),
        ),
        sample(
            "chunks.x",
            "packed text of three chunks, each using the previous one as dictionary",
            &chunks(),
        ),
        sample("odd_tokens.x", "an empty name, split lists, every keyword", &odd_tokens()),
        Sample::new(
            "progressive.x",
            "a progressive mesh of Retained Mode, with binary data after the objects",
            with_binary_data(124, 5),
        ),
        text("misspelled.x", "a standard template with a misspelled member", &format!("{HEAD}{MISSPELT}")),
        sample(
            "no_complement.x",
            "packed text whose stored block lacks the complement of its length",
            &no_complement(),
        ),
        text(
            "deep.x",
            "a thousand nested frames",
            &format!("{HEAD}{}{}", "Frame A {\n".repeat(1000), "}\n".repeat(1000)),
        ),
    ]
}

/// Templates as Dark Basic Pro declares them.
pub const MISSPELT: &str = "template Mesh {
 <3D82AB44-62DA-11CF-AB39-0020AF71E433>
 DWORD nVertices;
 array Vector vertices[nVertices];
 DWORD nFaces;
 array MeshFace naces[nFaces];
 [...]
}
Mesh { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; }
";

/// Tokens of a progressive mesh with five bytes of data at offset 124.
pub fn with_binary_data(offset: u64, size: u64) -> Vec<u8> {
    use TokenBody as Body;
    let name = |name: &str| Body::Name(Text { text: LenStr::new(name.as_bytes()) });
    let location = BinaryLocation { offset, size, mime_type: LenStr::new(b"X-File/progressive-mesh") };
    let bodies = [
        name("ProgressiveMesh"),
        Body::OpenBrace,
        name("InlineData"),
        Body::OpenBrace,
        Body::OpenBrace,
        Body::BinaryName,
        name("pmxtox"),
        Body::CloseBrace,
        Body::BinaryLocation(location),
        Body::CloseBrace,
        Body::CloseBrace,
        Body::BinaryData(BinaryData { data: Blob(vec![33, 0, 0, 0, 46]) }),
    ];
    let tokens: Vec<Token> = bodies.map(Token::from).into();
    let file = X {
        encoding: FixedStr(*b"bin "),
        tokens: Part::Present(Tokens::Binary(tokens.into())),
        ..X::blank_file()
    };
    file.encode().expect("a valid sample")
}

/// A last block stored without the complement of its length, as one writer does.
fn no_complement() -> X {
    let text = format!("{}Header {{ 1; 0; 1; }}\n", "\n".repeat(3));
    let len = u16::try_from(text.len()).expect("a short text");
    let data = [b"CK\x01", &len.to_le_bytes()[..], text.as_bytes()].concat();
    let sizes = [len, u16::try_from(data.len()).expect("a short text")].map(u16::to_le_bytes);
    let bytes =
        [b"xof 0303tzip0032", &(u32::from(len) + 16).to_le_bytes()[..], &sizes.concat(), &data].concat();
    X::decode(&bytes).expect("a packed file")
}

const HEAD: &str = "xof 0303txt 0032\n";

fn text(name: &str, about: &'static str, text: &str) -> Sample {
    Sample::new(name, about, text.as_bytes().to_vec())
}

fn sample(name: &str, about: &'static str, file: &X) -> Sample {
    Sample::new(name, about, file.encode().expect("a valid sample"))
}

fn binary(name: &str, about: &'static str, packed: bool, double: bool) -> Sample {
    sample(name, about, &converted(&skinned(), encoding(true, packed, double)))
}

fn encoding(binary: bool, packed: bool, double: bool) -> Encoding {
    Encoding { binary, packed, double }
}

fn converted(text: &str, to: Encoding) -> X {
    let file = X::decode(text.as_bytes()).expect("text");
    file.convert(to).expect("a sample that can be converted")
}

const IDENTITY: &str = "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0;;";

/// A cube in a frame, and keys that animate it.
fn animated_cube(key_type: u32, num_keys: usize, keys: &str) -> String {
    let corners =
        [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]];
    let faces = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
    let corners: Vec<String> = corners.iter().map(|[x, y, z]| format!("   {x}.0; {y}.0; {z}.0;")).collect();
    let faces: Vec<String> = faces.iter().map(|[a, b, c, d]| format!("   4; {a}, {b}, {c}, {d};")).collect();
    format!(
        "xof 0302txt 0064\nFrame CubeFrame {{\n  FrameTransformMatrix {{\n    {IDENTITY}\n  }}\n  Mesh CubeMesh {{\n   8;\n{};\n   6;\n{};\n  }}\n}}\n\
         AnimationSet AnimationSet0 {{  // one motion\n  Animation Animation0 {{\n    {{CubeFrame}}\n    AnimationKey {{\n      {key_type};\n      \
         {num_keys};\n{keys}\n    }}\n  }}\n}}\n",
        corners.join(",\n"),
        faces.join(",\n"),
    )
}

/// Ten keys at steps of 9°: sine and cosine of the half angle, cosine last.
pub fn rotating_cube() -> String {
    let keys: Vec<String> = (1..=10)
        .map(|key| {
            let (sine, cosine) = (f64::from(key) * 9.0).to_radians().sin_cos();
            format!("      {}; 4; 0.000000, {sine:.8}, 0.000000, {:.8}", key * 1000, cosine.abs())
        })
        .collect();
    animated_cube(0, 10, &(keys.join(";;,\n") + ";;;"))
}

pub fn scaling_cube() -> String {
    let sizes = [1.0, 0.8, 0.6, 0.4, 0.2, 0.4, 0.6, 0.8, 1.0];
    let keys = (1..)
        .zip(sizes)
        .map(|(key, size)| format!("      {}; 3; {size:.6}, {size:.6}, {size:.6}", key * 1000));
    animated_cube(1, 9, &(keys.collect::<Vec<_>>().join(";;,\n") + ";;;"))
}

/// From -5 up to 5 and back to -4, with the times 1000 to 12000 and 12000 to 19000.
pub fn moving_cube() -> String {
    let heights = (-5..=5).chain((-4..=4).rev());
    let times = (1..=12).chain(12..=19);
    let keys = times.zip(heights).fold(String::new(), |mut keys, (time, height)| {
        _ = writeln!(keys, "      {}; 3; 0.000000, {height}.000000, 0.000000;;,", time * 1000);
        keys
    });
    animated_cube(2, 19, keys.trim_end())
}

/// A skinned triangle with one object of each kind that has a typed view.
pub fn skinned() -> String {
    [HEAD, &SKINNED.replace("{IDENTITY}", IDENTITY)].concat()
}

const SKINNED: &str = r#"// The standard says that a VertexElement has four numbers; this file says it itself.
template VertexElement {
 <F752461C-1E23-48F6-B9F8-8350850F336F>
 DWORD Type;
 DWORD Method;
 DWORD Usage;
 DWORD UsageIndex;
}
template Note {
 <00000000-1111-2222-3333-444455556666>
 STRING text;
 array FLOAT grid[2][3];
 SWORD level;
 [Note <00000000-1111-2222-3333-444455556666>, Material]
}
Header {
 1;
 0;
 1;
}
AnimTicksPerSecond {
 30;
}
Note First {
 "a; b";
 1.0,2.0,3.0,4.0,5.0,6.0;
 -7;
}
Frame Root {
 FrameTransformMatrix {
  {IDENTITY}
 }
 Frame Arm {
  FrameTransformMatrix {
   1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,2.5,0.0,1.0;;
  }
 }
 Mesh Skin {
  3;
  0.0;0.0;0.0;,
  1.0;0.0;-0.0;,
  0.0;1.0;0.25;;
  2;
  3;0,1,2;,
  3;0,2,1;;
  MeshNormals {
   2;
   0.0;0.0;-1.0;,
   0.0;0.0;1.0;;
   2;
   3;0,0,0;,
   3;1,1,1;;
  }
  MeshTextureCoords {
   3;
   0.0;0.0;,
   1.0;0.0;,
   0.0;1.0;;
  }
  MeshVertexColors {
   1;
   2;1.0;0.5;0.25;1.0;;;
  }
  MeshMaterialList {
   1;
   1;
   0;
   Material Red {
    1.0;0.0;0.0;1.0;;
    8.0;
    0.5;0.5;0.5;;
    0.0;0.0;0.0;;
    TextureFilename {
     "skin.bmp";
    }
    EffectInstance {
     "shade.fx";
    }
   }
  }
  XSkinMeshHeader {
   2;
   4;
   2;
  }
  SkinWeights {
   "Root";
   2;
   0,1;
   1.0,0.75;
   {IDENTITY}
  }
  SkinWeights {
   "Arm";
   2;
   1,2;
   0.25,1.0;
   1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,-2.5,0.0,1.0;;
  }
  VertexDuplicationIndices {
   3;
   2;
   0,1,1;
  }
  FaceAdjacency {
   6;
   4294967295,1,1,0,0,4294967295;
  }
  DeclData {
   1;
   2;0;6;0;;
   9;
   3212836864,0,0,3212836864,0,0,3212836864,0,0;
  }
  FVFData {
   258;
   3;
   0,1065353216,1056964608;
  }
 }
}
AnimationSet Wave {
 Animation {
  { Arm }
  AnimationOptions {
   1;
   0;
  }
  AnimationKey {
   0;
   2;
   0;4;1.0,0.0,0.0,0.0;;,
   30;4;0.70710677,0.0,0.0,0.70710677;;;
  }
  AnimationKey {
   4;
   1;
   0;16;{IDENTITY};;
  }
 }
}
"#;

fn odd_text() -> Vec<u8> {
    let mut text = b"xof 0302txt 0064# a remark after the header\n".to_vec();
    text.extend_from_slice(b"template\tOdd{<00000000 - 1111-2222-3333-4444 55556666>DWORD n;array float a[n];STRING s;[...]}\r\n");
    // A name in Shift-JIS, the second byte of whose first pair is a brace and of whose second a bracket.
    text.extend_from_slice(b"Odd \x83\x7b\x81\x5b\x83\x93 {3;;;,9.9E+00,.5;;-1.#IND00;;;\"a;\\b\";\0\0\0}\n");
    text.extend_from_slice(b"SkinWeights{\"Hip\";0; ; ; 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1;} // no weights\n");
    text.extend_from_slice(b"Frame na-me_1{Frame 01{}{na-me_1}{<00000000-1111-2222-3333-444455556666>}}\n");
    text.extend_from_slice("Frame Größe{}frame\n{\n}\n".as_bytes());
    text
}

/// Repetitive text of more than 64 KiB.
fn chunks() -> X {
    let points: Vec<String> = (0..4000).map(|point| format!("  {point}.5;{}.25;0.0;", point % 97)).collect();
    let text = format!("{HEAD}Mesh Cloud {{\n  4000;\n{};\n  0;\n}}\n", points.join(",\n"));
    converted(&text, encoding(false, true, false))
}

fn odd_tokens() -> X {
    use TokenBody as Body;
    let name = |name: &str| Body::Name(Text { text: LenStr::new(name.as_bytes()) });
    let text = |text: &str| Body::String(Text { text: LenStr::new(text.as_bytes()) });
    let integers = |values: &[u32]| Body::IntegerList(IntegerList { values: values.to_vec().into() });
    let floats =
        |values: &[f32]| Body::FloatList(FloatList::Single(Singles { values: values.to_vec().into() }));
    let guid = Body::Guid(Guid { data1: 1, data2: 2, data3: 3, data4: [4, 5, 6, 7, 8, 9, 10, 11] });
    let types = [
        Body::Word,
        Body::Dword,
        Body::Float,
        Body::Double,
        Body::Char,
        Body::Uchar,
        Body::Sword,
        Body::Sdword,
        Body::Void,
        Body::Lpstr,
        Body::Unicode,
        Body::Cstring,
    ];
    let mut bodies = vec![Body::Template, name("Odd"), Body::OpenBrace, guid.clone()];
    for (index, kind) in types.into_iter().enumerate() {
        bodies.extend([kind, name(&format!("m{index}")), Body::Semicolon]);
    }
    bodies.extend([
        Body::Array,
        Body::Dword,
        name("m"),
        Body::OpenBracket,
        Body::Integer(2),
        Body::CloseBracket,
    ]);
    bodies.extend([Body::Semicolon, Body::OpenBracket, Body::Dot, Body::Dot, Body::Dot, Body::CloseBracket]);
    bodies.extend([Body::CloseBrace, Body::OpenParen, Body::CloseParen, Body::OpenAngle, Body::CloseAngle]);
    bodies.extend([name("Mesh"), name(""), Body::OpenBrace, guid]);
    bodies.extend([
        integers(&[2]),
        floats(&[0.0, -0.0, 1.0]),
        floats(&[1.0e-7, f32::MAX, f32::from_bits(1)]),
    ]);
    bodies.extend([Body::Integer(1), Body::Semicolon, Body::Comma, integers(&[3, 0]), integers(&[1, 0])]);
    bodies.extend([name("TextureFilename"), Body::OpenBrace, text("a.bmp"), Body::Comma, Body::CloseBrace]);
    bodies.extend([Body::OpenBrace, name("Elsewhere"), Body::CloseBrace, Body::CloseBrace]);
    let tokens: Vec<Token> = bodies.into_iter().map(Token::from).collect();
    X {
        encoding: FixedStr(*b"bin "),
        tokens: Part::Present(Tokens::Binary(tokens.into())),
        ..X::blank_file()
    }
}

fn damaged() -> Vec<Sample> {
    let tokens = converted(&skinned(), encoding(true, false, false)).encode().expect("tokens");
    let packed = chunks().encode().expect("chunks");
    let bin = |tail: &[u8]| [b"xof 0303bin 0032", tail].concat();
    let tzip = |tail: &[u8]| [b"xof 0303tzip0032", tail].concat();
    let bzip = |plain: u8, data: &[u8]| {
        let len = u8::try_from(data.len() + 2).expect("few bytes");
        [b"xof 0303bzip0032", &[16 + plain, 0, 0, 0, plain, 0, len, 0][..], b"CK", data].concat()
    };
    let patched = |bytes: &[u8], at: usize, new: u8| {
        let mut bytes = bytes.to_vec();
        bytes[at] = new;
        bytes
    };
    vec![
        Sample::new("cut_in_header.x", "the first 13 bytes", b"xof 0303txt 0".to_vec()),
        Sample::new("other_magic.x", "the magic in a different case", b"xOf 0303txt 0032\n".to_vec()),
        Sample::new("unknown_encoding.x", "an unknown encoding", b"xof 0303cmp 0032abc".to_vec()),
        text(
            "unterminated_string.x",
            "a string without its closing quote",
            &format!("{HEAD}TextureFilename {{ \"abc; }}\n"),
        ),
        Sample::new("unknown_token.x", "token 0x7777", bin(&[10, 0, 0x77, 0x77, 11, 0])),
        Sample::new("cut_in_token.x", "half a token at the end", [&tokens[..], &[20]].concat()),
        Sample::new("cut_in_list.x", "ends inside a list", tokens[..tokens.len() - 40].to_vec()),
        Sample::new(
            "wrong_list_count.x",
            "a list of 4,294,967,295 integers",
            bin(&[6, 0, 255, 255, 255, 255, 1, 0, 0, 0]),
        ),
        Sample::new("wrong_name_length.x", "a name of 2 GiB", bin(&[1, 0, 255, 255, 255, 127, b'A'])),
        Sample::new("float_size.x", "floats of 50 bits", {
            let mut bytes = bin(&[7, 0, 1, 0, 0, 0, 0, 0, 128, 63]);
            bytes[12..16].copy_from_slice(b"0050");
            bytes
        }),
        Sample::new("packed_nothing.x", "packed, without content", tzip(b"")),
        Sample::new("cut_in_chunk.x", "ends inside the last chunk", packed[..packed.len() - 9].to_vec()),
        Sample::new(
            "wrong_chunk_size.x",
            "the first chunk unpacks to more than its stored size",
            patched(&packed, 20, 1),
        ),
        Sample::new("chunk_signature.x", "the first chunk begins with PK", patched(&packed, 24, b'P')),
        Sample::new(
            "no_deflate.x",
            "a chunk of invalid DEFLATE data",
            tzip(&[100, 0, 0, 0, 84, 0, 6, 0, b'C', b'K', 255, 255, 255, 255]),
        ),
        Sample::new(
            "chunk_of_less.x",
            "a chunk unpacks to less than its stored size",
            bzip(2, &[0x63, 0, 0]),
        ),
        Sample::new(
            "chunk_of_more.x",
            "a chunk unpacks to more than its stored size",
            bzip(0, &[0x63, 0, 0]),
        ),
        Sample::new(
            "chunk_and_junk.x",
            "a chunk with a byte after its DEFLATE data",
            bzip(1, &[0x63, 0, 0, 0]),
        ),
        Sample::new("chunk_cut.x", "a chunk with truncated DEFLATE data", bzip(1, &[0x63])),
        Sample::new("cut_inside.x", "complete chunks with a truncated token", {
            let packed = b"xof 0303bzip0032\x11\0\0\0\x01\0\x05\0CK\x63\x00\x00";
            packed.to_vec()
        }),
    ]
}
