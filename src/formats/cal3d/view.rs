//! The XML form read into the structs of the binary one, when asked for.

use std::borrow::Cow;

use super::xml::{Contents, Element, number};
use super::{
    Animation, Binary, BlendVertex, Bone, Cal3d, CountedMorph, Document, Face, Influence, Light, Map,
    Material, Mesh, Morph, MorphKey, MorphTrack, Morphs, PlainKey, PlainTrack, Skeleton, Spring, Submesh,
    Text, Track, Vertex,
};
use crate::codec::Format;
use crate::{Error, ErrorKind, Result};

/// The coordinates by which IMVU's library says that a bone keeps the translation of its bind pose.
pub const KEEPS_BIND_POSE: [f32; 3] = [1e10; 3];

impl<B: Binary> Cal3d<B> {
    /// The content in the structs of the binary form, whichever form the file has.
    ///
    /// What the XML form leaves out is left out here too: no colour, no weight, -1 for no collapse. A key without a
    /// translation has that of the key before it, or [`KEEPS_BIND_POSE`].
    ///
    /// ```
    /// use bindpose::codec::Format;
    /// use bindpose::formats::cal3d::CalMorph;
    /// let text = br#"<ANIMATION MAGIC="XPF" VERSION="1100" DURATION="1" NUMTRACKS="1">
    ///   <TRACK MORPHNAME="smile" NUMKEYFRAMES="1"><KEYFRAME TIME="0.5"><WEIGHT>1.0</WEIGHT></KEYFRAME></TRACK>
    /// </ANIMATION>"#;
    /// let file = CalMorph::decode(text)?;
    /// assert_eq!(file.view()?.tracks[0].keys[0].weight, 1.0);
    /// # Ok::<(), bindpose::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] where a value of the XML form is missing or no number.
    pub fn view(&self) -> Result<Cow<'_, B>> {
        match self {
            Self::Binary { file, .. } => Ok(Cow::Borrowed(file)),
            Self::Xml(document) => {
                let root = document.root().ok_or_else(|| {
                    Error::new(0, ErrorKind::Syntax(format!("{} has no main element", Self::INFO.name)))
                })?;
                B::from_xml(root, document.version()).map(Cow::Owned)
            }
        }
    }
}

impl Document {
    /// The version, of the main element or of the header in front of it; 0 where there is none.
    #[must_use]
    pub fn version(&self) -> i32 {
        let mut versions = self.elements().filter_map(|element| element.attribute(b"VERSION").next());
        versions.find_map(integer).unwrap_or(0)
    }
}

/// A whole number, as the library reads it: the digits in front.
fn integer(word: &[u8]) -> Option<i32> {
    let text = std::str::from_utf8(word).ok()?;
    let len = text
        .char_indices()
        .take_while(|(at, c)| c.is_ascii_digit() || (*at == 0 && "+-".contains(*c)))
        .count();
    text[..len].parse().ok()
}

/// A list of one item for each element.
fn each<'a, T, L: From<Vec<T>>>(
    items: impl Iterator<Item = Element<'a>>,
    read: impl Fn(&Contents<'a>) -> Result<T>,
) -> Result<L> {
    items.map(|item| read(&item.contents())).collect::<Result<Vec<T>>>().map(L::from)
}

impl Contents<'_> {
    fn wrong(&self, field: &str) -> Error {
        wrong(self.element, field)
    }

    /// As many numbers as a field has.
    fn floats<const N: usize>(&self, field: &str) -> Result<[f32; N]> {
        self.optional_floats(field)?.ok_or_else(|| self.wrong(field))
    }

    fn optional_floats<const N: usize>(&self, field: &str) -> Result<Option<[f32; N]>> {
        let words = self.field(field);
        match words.first_chunk::<N>() {
            None if words.is_empty() => Ok(None),
            None => Err(self.wrong(field)),
            Some(words) => {
                let values = words.map(|word| number(word.lexeme.bytes));
                let values =
                    values.into_iter().collect::<Option<Vec<_>>>().and_then(|values| values.try_into().ok());
                values.map(Some).ok_or_else(|| self.wrong(field))
            }
        }
    }

    fn float(&self, field: &str) -> Result<f32> {
        self.floats::<1>(field).map(|[value]| value)
    }

    fn optional_float(&self, field: &str) -> Result<Option<f32>> {
        Ok(self.optional_floats::<1>(field)?.map(|[value]| value))
    }

    fn integers<const N: usize>(&self, field: &str) -> Result<[i32; N]> {
        let words = self.field(field);
        let values: Option<Vec<_>> = words.iter().take(N).map(|word| integer(word.lexeme.bytes)).collect();
        values.and_then(|values| values.try_into().ok()).ok_or_else(|| self.wrong(field))
    }

    fn integer(&self, field: &str) -> Result<i32> {
        self.integers::<1>(field).map(|[value]| value)
    }

    fn integer_or(&self, field: &str, missing: i32) -> Result<i32> {
        if self.field(field).is_empty() { Ok(missing) } else { self.integer(field) }
    }

    /// Whole numbers of 8 bits, such as parts of colours.
    fn bytes(&self, field: &str) -> Result<[u8; 4]> {
        let values = self.integers::<4>(field)?.map(u8::try_from);
        let values =
            values.into_iter().collect::<Result<Vec<_>, _>>().ok().and_then(|values| values.try_into().ok());
        values.ok_or_else(|| self.wrong(field))
    }

    fn text(&self, field: &str) -> Text {
        let text = self.field(field).first().map(|word| plain(word.lexeme.bytes));
        Text::new(&text.unwrap_or_default())
    }
}

fn wrong(element: Element<'_>, field: &str) -> Error {
    let why = format!("{} has no sound `{field}`", element.name().escape_ascii());
    Error::new(element.offset() as u64, ErrorKind::Syntax(why)).at(element.path())
}

/// The words of an element as numbers.
fn row<const N: usize>(element: Element<'_>) -> Result<[f32; N]> {
    let values: Option<Vec<_>> = element.words().take(N).map(number).collect();
    values.and_then(|values| values.try_into().ok()).ok_or_else(|| wrong(element, "words"))
}

/// The text that a spelling with references stands for.
fn plain(spelling: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(spelling.len());
    let mut rest = spelling;
    while let Some(at) = rest.iter().position(|byte| *byte == b'&') {
        text.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let len = rest.iter().position(|byte| *byte == b';');
        match len.and_then(|len| Some((len, character(&rest[1..len])?))) {
            Some((len, character)) => {
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &rest[len + 1..];
            }
            None => {
                text.push(b'&');
                rest = &rest[1..];
            }
        }
    }
    text.extend_from_slice(rest);
    text
}

/// The character that a reference names.
fn character(name: &[u8]) -> Option<char> {
    let name = std::str::from_utf8(name).ok()?;
    match (name, name.strip_prefix('#')) {
        ("lt", _) => Some('<'),
        ("gt", _) => Some('>'),
        ("amp", _) => Some('&'),
        ("quot", _) => Some('"'),
        ("apos", _) => Some('\''),
        (_, Some(code)) => {
            let code = match code.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => code.parse(),
            };
            code.ok().and_then(char::from_u32)
        }
        _ => None,
    }
}

pub(super) fn skeleton(root: &Contents<'_>, version: i32) -> Result<Skeleton> {
    let scene_ambient = root.optional_floats("scene_ambient")?;
    Ok(Skeleton { version, scene_ambient, bones: each(root.items("bones"), bone)?, ..Skeleton::default() })
}

fn bone(bone: &Contents<'_>) -> Result<Bone> {
    let child_id = |id: &Contents<'_>| {
        id.element.words().next().and_then(integer).ok_or_else(|| bone.wrong("child_ids"))
    };
    Ok(Bone {
        name: bone.text("name"),
        translation: bone.floats("translation")?,
        rotation: bone.floats("rotation")?,
        local_translation: bone.floats("local_translation")?,
        local_rotation: bone.floats("local_rotation")?,
        parent_id: bone.integer("parent_id")?,
        light: light(bone)?,
        child_ids: each(bone.items("child_ids"), child_id)?,
    })
}

fn light(bone: &Contents<'_>) -> Result<Option<Light>> {
    let kind = bone.element.attribute(b"LIGHTTYPE").next().and_then(integer);
    let color: Vec<_> = bone.element.attribute(b"LIGHTCOLOR").filter_map(number).collect();
    match (kind, <[f32; 3]>::try_from(color)) {
        (Some(kind), Ok(color)) => Ok(Some(Light { kind, color })),
        (None, Err(none)) if none.is_empty() => Ok(None),
        _ => Err(bone.wrong("light")),
    }
}

pub(super) fn animation(root: &Contents<'_>, version: i32) -> Result<Animation> {
    let tracks = each(root.items("tracks"), |own| track(own).map(Track::Plain))?;
    Ok(Animation { version, duration: root.float("duration")?, tracks, ..Animation::default() })
}

fn track(track: &Contents<'_>) -> Result<PlainTrack> {
    let mut translation = KEEPS_BIND_POSE;
    let mut keys = Vec::new();
    for key in track.items("keys").map(Element::contents) {
        translation = key.optional_floats("translation")?.unwrap_or(translation);
        keys.push(PlainKey { time: key.float("time")?, translation, rotation: key.floats("rotation")? });
    }
    Ok(PlainTrack { bone_id: track.integer("bone_id")?, keys: keys.into() })
}

pub(super) fn mesh(root: &Contents<'_>, version: i32) -> Result<Mesh> {
    Ok(Mesh { version, submeshes: each(root.items("submeshes"), submesh)?, ..Mesh::default() })
}

fn submesh(submesh: &Contents<'_>) -> Result<Submesh> {
    let morphs: Vec<_> = each(submesh.items("morphs"), morph)?;
    Ok(Submesh {
        material_id: submesh.integer("material_id")?,
        num_lod_steps: submesh.integer_or("num_lod_steps", 0)?,
        num_maps: submesh.integer_or("num_maps", 0)?,
        vertices: each(submesh.items("vertices"), vertex)?,
        springs: each(submesh.items("springs"), spring)?,
        morphs: (!morphs.is_empty()).then(|| Morphs::Counted(morphs.into())),
        faces: each(submesh.items("faces"), |face| Ok(Face { vertex_ids: face.integers("vertex_ids")? }))?,
    })
}

fn vertex(vertex: &Contents<'_>) -> Result<Vertex> {
    Ok(Vertex {
        position: vertex.floats("position")?,
        normal: vertex.floats("normal")?,
        color: vertex.optional_floats("color")?,
        collapse_id: vertex.integer_or("collapse_id", -1)?,
        face_collapse_count: vertex.integer_or("face_collapse_count", 0)?,
        uvs: each(vertex.items("uvs"), |uv| row(uv.element))?,
        influences: each(vertex.items("influences"), influence)?,
        physical_weight: vertex.optional_float("physical_weight")?,
    })
}

fn influence(influence: &Contents<'_>) -> Result<Influence> {
    Ok(Influence { bone_id: influence.integer("bone_id")?, weight: influence.float("weight")? })
}

fn spring(spring: &Contents<'_>) -> Result<Spring> {
    Ok(Spring {
        vertex_ids: spring.integers("vertex_ids")?,
        coefficient: spring.float("coefficient")?,
        rest_length: spring.float("rest_length")?,
    })
}

fn morph(morph: &Contents<'_>) -> Result<CountedMorph> {
    Ok(CountedMorph { name: morph.text("name"), vertices: each(morph.items("vertices"), blend_vertex)? })
}

fn blend_vertex(vertex: &Contents<'_>) -> Result<BlendVertex> {
    Ok(BlendVertex {
        vertex_id: vertex.integer("vertex_id")?,
        position: vertex.floats("position")?,
        normal: vertex.floats("normal")?,
        uvs: each(vertex.items("uvs"), |uv| row(uv.element))?,
    })
}

pub(super) fn material(root: &Contents<'_>, version: i32) -> Result<Material> {
    Ok(Material {
        version,
        ambient: root.bytes("ambient")?,
        diffuse: root.bytes("diffuse")?,
        specular: root.bytes("specular")?,
        shininess: root.float("shininess")?,
        maps: each(root.items("maps"), map)?,
        ..Material::default()
    })
}

// Reading a text cannot fail; the signature is that of the other items.
#[allow(clippy::unnecessary_wraps)]
fn map(map: &Contents<'_>) -> Result<Map> {
    let kind = (!map.field("kind").is_empty()).then(|| map.text("kind"));
    Ok(Map { file: map.text("file"), kind })
}

pub(super) fn morph_animation(root: &Contents<'_>, version: i32) -> Result<Morph> {
    let tracks = each(root.items("tracks"), morph_track)?;
    Ok(Morph { version, duration: root.float("duration")?, tracks, ..Morph::default() })
}

/// Files of version 1300 number their morph targets and give no names.
fn morph_track(track: &Contents<'_>) -> Result<MorphTrack> {
    let key = |key: &Contents<'_>| Ok(MorphKey { time: key.float("time")?, weight: key.float("weight")? });
    let numbered = || track.element.attribute(b"MORPHID").next().map(Text::new);
    let named = (!track.field("morph_name").is_empty()).then(|| track.text("morph_name"));
    let morph_name = named.or_else(numbered).ok_or_else(|| track.wrong("morph_name"))?;
    Ok(MorphTrack { morph_name, keys: each(track.items("keys"), key)? })
}
