//! Recognises files of other formats at their head, to name them in errors.

use super::{FAMILIES, FileKind, FormatSpec};
use crate::scene::is_gltf;
use crate::{Error, ErrorKind, Foreign, MARK};

/// How the files of a format start.
enum Start {
    /// With one of these bytes.
    Bytes(&'static [&'static [u8]]),
    /// With one of these texts, in any case, after blanks and a byte order mark.
    Text(&'static [&'static str]),
    /// As this function determines.
    Test(fn(&[u8]) -> bool),
}

use Start::{Bytes, Test, Text};

const GLTF: &str = "convert it to glTF, for example with Blender";
const TEXTURE: &str = "read the mesh that names this texture";
const UNPACK: &str = "unpack it first";
const DOWNLOAD: &str = "download the file itself: this is a page of the server";
const POINTER: &str = "download the file itself with `git lfs pull`";
const LISTED: &str = "name the files that it lists, or their directory";
const RESTORE: &str = "restore it from a copy: a download or a disk failed";
const UNREAL: &str = "export it as PSK, PSA or glTF, for example with UE Viewer or FModel";
const UNITY: &str = "export it as glTF from Unity";

/// The formats, with their articles and what to do with such a file.
const FORMATS: &[(&str, Start, &str)] = &[
    ("a PNG image", Bytes(&[b"\x89PNG"]), TEXTURE),
    ("a JPEG image", Bytes(&[b"\xff\xd8\xff"]), TEXTURE),
    ("a DDS image", Bytes(&[b"DDS "]), TEXTURE),
    ("a GIF image", Bytes(&[b"GIF87a", b"GIF89a"]), TEXTURE),
    ("a gzip archive", Bytes(&[b"\x1f\x8b"]), UNPACK),
    ("a zip archive", Bytes(&[b"PK\x03\x04", b"PK\x05\x06"]), UNPACK),
    ("a 7z archive", Bytes(&[b"7z\xbc\xaf\x27\x1c"]), UNPACK),
    ("a RAR archive", Bytes(&[b"Rar!\x1a\x07"]), UNPACK),
    ("an xz archive", Bytes(&[b"\xfd7zXZ\0"]), UNPACK),
    ("a zstd archive", Bytes(&[b"\x28\xb5\x2f\xfd"]), UNPACK),
    ("a bzip2 archive", Bytes(&[b"BZh"]), UNPACK),
    ("the list of files of a Cal3D character", Test(is_list), LISTED),
    ("an HTML page", Text(&["<!doctype html", "<html", "<head>", "<body>"]), DOWNLOAD),
    ("an error message of a server", Text(&["404: Not Found"]), DOWNLOAD),
    ("a Git LFS pointer", Bytes(&[LFS]), POINTER),
    ("filled with zeros", Test(is_zero), RESTORE),
    ("an FBX scene", Bytes(&[b"Kaydara FBX Binary", b"; FBX "]), GLTF),
    ("an OBJ mesh", Test(is_obj), GLTF),
    ("a COLLADA scene", Test(|head| root(head) == b"COLLADA"), GLTF),
    ("a Blender scene", Bytes(&[b"BLENDER"]), "export it as glTF from Blender"),
    ("a BVH animation", Text(&["HIERARCHY"]), GLTF),
    ("a PLY mesh", Bytes(&[b"ply\n", b"ply\r\n"]), GLTF),
    ("a USD scene", Bytes(&[b"PXR-USDC", b"#usda "]), GLTF),
    ("a MilkShape 3D ASCII model", Text(&["// MilkShape 3D ASCII"]), "save it as .ms3d in MilkShape 3D"),
    ("an Inter-Quake Model of version 1", Bytes(&[b"INTERQUAKEMODEL\0\x01\0\0\0"]), UPGRADE),
    ("an Ogre mesh", Bytes(&[b"\x00\x10[MeshSerializer_v"]), OGRE),
    ("an Ogre skeleton", Bytes(&[b"\x00\x10[Serializer_v"]), OGRE),
    (
        "a Unity asset",
        Bytes(&[b"%YAML 1.1\n%TAG !u! tag:unity3d", b"%YAML 1.1\r\n%TAG !u! tag:unity3d"]),
        UNITY,
    ),
    ("a Unity asset bundle", Bytes(&[b"UnityFS\0", b"UnityWeb\0", b"UnityRaw\0"]), UNITY),
    ("an Unreal package", Bytes(&[b"\xc1\x83\x2a\x9e", b"\x9e\x2a\x83\xc1"]), UNREAL),
    ("a UEFormat model", Bytes(&[b"UEFORMAT"]), UNREAL),
];

const LFS: &[u8] = b"version https://git-lfs.github.com/spec/";
const UPGRADE: &str = "convert it to version 2 with the program `upgrade` of the Inter-Quake Model";
const OGRE: &str = "convert it to glTF, for example with Assimp";

/// Returns the error for a file that is of no supported format.
pub(super) fn unsupported(bytes: &[u8]) -> Error {
    let unknown = if bytes.is_empty() { ErrorKind::Empty } else { ErrorKind::UnknownFormat };
    Error::new(0, foreign(bytes).map_or(unknown, ErrorKind::Foreign))
}

/// Names the format of a file in the error for its magic.
pub(super) fn named(error: Error, bytes: &[u8]) -> Error {
    match error.kind() {
        ErrorKind::Magic(_) => {
            foreign(bytes).map_or(error, |foreign| Error::new(0, ErrorKind::Foreign(foreign)))
        }
        _ => error,
    }
}

/// Returns whether a file replaces one of a supported format: a Git LFS pointer, zeros, or a newer version.
pub(super) fn is_placeholder(bytes: &[u8]) -> bool {
    let head = head(bytes);
    head.starts_with(LFS) || is_zero(head) || newer(head).is_some()
}

/// Returns the magic of a file and the newest one of its format, if the file is newer.
fn newer(head: &[u8]) -> Option<(String, String)> {
    FAMILIES.iter().find_map(|family| (family.newer)(head))
}

/// Returns what a file is that is not of a supported format.
fn foreign(bytes: &[u8]) -> Option<Foreign> {
    let head = head(bytes);
    if let Some((found, newest)) = newer(head) {
        return Some(Foreign::Newer { found, newest });
    }
    if is_gltf(head) {
        return Some(Foreign::Gltf);
    }
    if unmarked(head).is_some_and(|text| FileKind::detect(text).is_some()) {
        return Some(Foreign::Marked);
    }
    let of = FORMATS.iter().find(|(_, start, _)| start.is_of(head));
    of.map(|(name, _, advice)| Foreign::Other { name, advice })
}

/// Returns what follows the UTF-8 mark that some editors put in front of a text.
pub(crate) fn unmarked(bytes: &[u8]) -> Option<&[u8]> {
    bytes.strip_prefix(MARK)
}

/// Returns the bytes that are looked at.
fn head(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(FormatSpec::HEAD)]
}

impl Start {
    fn is_of(&self, head: &[u8]) -> bool {
        match self {
            Bytes(starts) => starts.iter().any(|start| head.starts_with(start)),
            Text(starts) => {
                let text = text(head);
                let starts_with = |start: &&str| {
                    text.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start.as_bytes()))
                };
                starts.iter().any(starts_with)
            }
            Test(test) => test(head),
        }
    }
}

/// Returns a text without the blanks and the byte order mark in front of it.
fn text(head: &[u8]) -> &[u8] {
    unmarked(head).unwrap_or(head).trim_ascii_start()
}

fn is_zero(head: &[u8]) -> bool {
    !head.is_empty() && head.iter().all(|byte| *byte == 0)
}

/// Returns the name of the first element of an XML document; nothing if it is not one.
fn root(head: &[u8]) -> &[u8] {
    let mut text = text(head);
    while text.starts_with(b"<?") || text.starts_with(b"<!") {
        let end = memchr::memchr(b'>', text).map_or(text.len(), |end| end + 1);
        text = text[end..].trim_ascii_start();
    }
    let name = text.strip_prefix(b"<").unwrap_or_default();
    name.split(|byte| !byte.is_ascii_alphanumeric()).next().unwrap_or_default()
}

/// Returns whether all lines of a text have a key, and one the name of a file of a format that is listed under its key.
pub(crate) fn is_list(head: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(text(head)) else { return false };
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let names_file = |(key, name): (&str, &str)| {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension.trim());
        let is_own =
            |kind: FileKind| kind.info().extensions.iter().any(|own| own.eq_ignore_ascii_case(extension));
        let listed = FAMILIES.iter().flat_map(|family| family.listed);
        listed.into_iter().any(|(own, kind)| key.trim().eq_ignore_ascii_case(own) && is_own(*kind))
    };
    lines().all(|line| line.contains('=')) && lines().filter_map(|line| line.split_once('=')).any(names_file)
}

/// Returns whether a text has a vertex, after lines of an OBJ file only.
fn is_obj(head: &[u8]) -> bool {
    for line in text(head).split(|byte| *byte == b'\n') {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        match words.next() {
            None | Some(b"mtllib" | b"o" | b"g" | b"s" | b"usemtl") => {}
            Some(b"v") => return words.count() >= 3,
            Some(word) if !word.starts_with(b"#") => return false,
            Some(_) => {}
        }
    }
    false
}
