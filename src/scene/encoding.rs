//! Names in code pages, as text.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{BIG5, EUC_KR, Encoding, GBK, SHIFT_JIS, UTF_8, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252};

use super::author::name_bytes;
use super::{Scene, Targets};

/// The encoding of names that are not UTF-8.
///
/// Files store names as bytes and do not specify their encoding. In a scene, bytes that are not UTF-8 are `\xNN`.
///
/// ```
/// use bindpose::scene::NameEncoding;
/// let names = [r"\x83\x7b\x81\x5b\x83\x93", r"\x83Z\x83\x93\x83^\x81[", r"\x93\xaa"];
/// let encoding = NameEncoding::guess(names).expect("names that are not UTF-8");
/// assert_eq!(encoding.to_string(), "cp932");
/// assert_eq!(encoding.decode(names[2]), "頭");
/// assert_eq!("utf-8".parse::<NameEncoding>()?.decode(names[2]), names[2]);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameEncoding {
    name: &'static str,
    page: &'static Encoding,
}

const fn encoding(name: &'static str, page: &'static Encoding) -> NameEncoding {
    NameEncoding { name, page }
}

impl NameEncoding {
    /// All encodings.
    pub const ALL: [Self; 8] = [
        encoding("utf-8", UTF_8),
        encoding("cp932", SHIFT_JIS),
        encoding("cp1252", WINDOWS_1252),
        encoding("cp1251", WINDOWS_1251),
        encoding("cp936", GBK),
        encoding("cp1250", WINDOWS_1250),
        encoding("cp949", EUC_KR),
        encoding("cp950", BIG5),
    ];

    /// Returns the name, such as `cp932`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Guesses the encoding from all names of a set of files. `None` if all names are UTF-8, or they are in no encoding.
    pub fn guess<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<Self> {
        let mut foreign = Vec::new();
        for name in names {
            foreign.extend(bytes_of(name).into_iter().flat_map(|bytes| bytes.into_iter().chain([b'\n'])));
        }
        if foreign.is_empty() {
            return None;
        }
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(&foreign, true);
        let page = detector.guess(None, Utf8Detection::Deny);
        let is_valid = |page: &'static Encoding| {
            page.decode_without_bom_handling_and_without_replacement(&foreign).is_some()
        };
        let others = || Self::ALL[1..].iter().copied();
        others().find(|own| own.page == page).or_else(|| others().find(|own| is_valid(own.page)))
    }

    /// Returns a name of a scene as text; unchanged if it is UTF-8, or not valid in this encoding.
    #[must_use]
    pub fn decode<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let text = bytes_of(name).and_then(|bytes| {
            let text = self.page.decode_without_bom_handling_and_without_replacement(&bytes)?;
            Some(Cow::Owned(text.into_owned()))
        });
        text.unwrap_or(Cow::Borrowed(name))
    }
}

/// Returns the bytes of a name that is not UTF-8.
fn bytes_of(name: &str) -> Option<Vec<u8>> {
    if !name.contains('\\') {
        return None;
    }
    Some(name_bytes(name)).filter(|bytes| std::str::from_utf8(bytes).is_err())
}

impl fmt::Display for NameEncoding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

impl FromStr for NameEncoding {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|own| own.name.eq_ignore_ascii_case(text));
        let names = || Self::ALL.map(Self::name).join(", ");
        found.ok_or_else(|| format!("unknown encoding `{text}`; expected one of {}", names()))
    }
}

impl Scene {
    /// Decodes all names that are not UTF-8, in a given encoding or in the one that is [guessed](NameEncoding::guess). Returns the
    /// encoding, if there are such names.
    ///
    /// What is written from the scene then has these names as UTF-8.
    pub fn decode_names(&mut self, encoding: Option<NameEncoding>) -> Option<NameEncoding> {
        let mut all = Vec::new();
        self.names(&mut |name| all.extend(bytes_of(name).map(|_| name.clone())));
        let encoding = encoding.or_else(|| NameEncoding::guess(all.iter().map(String::as_str)));
        let encoding = encoding.filter(|_| !all.is_empty())?;
        self.names(&mut |name| {
            if let Cow::Owned(text) = encoding.decode(name) {
                *name = text;
            }
        });
        Some(encoding)
    }

    /// Visits all names.
    fn names(&mut self, visit: &mut dyn FnMut(&mut String)) {
        let Self { skeleton, attachments, meshes, materials, clips, .. } = self;
        skeleton.names_mut().for_each(&mut *visit);
        for own in attachments {
            visit(&mut own.name);
        }
        for mesh in meshes {
            visit(&mut mesh.name);
            mesh.primitives.iter_mut().for_each(|primitive| visit(&mut primitive.name));
            mesh.morphs.iter_mut().for_each(|morph| visit(&mut morph.name));
        }
        for material in materials {
            visit(&mut material.name);
            material.textures.iter_mut().for_each(|own| visit(&mut own.path));
        }
        for clip in clips {
            visit(&mut clip.name);
            for track in &mut clip.morphs {
                if let Targets::Named(name) = &mut track.targets {
                    visit(name);
                }
            }
        }
    }
}
