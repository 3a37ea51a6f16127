//! The syntax and contents of UE Viewer's configuration file.

use super::PsaConfig;
use crate::schema::{Length, Shape};
use crate::text::{Grammar, TokenKind};

/// Lines, each split at its last equals sign; line ends are blank tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigText;

impl Grammar for ConfigText {
    type Kind = TokenKind;
    type State = ();

    fn token(text: &[u8], at: usize, (): &mut ()) -> Result<(TokenKind, usize), String> {
        let rest = &text[at..];
        let line = &rest[..rest.iter().position(|byte| ends_line(*byte)).unwrap_or(rest.len())];
        if line.is_empty() {
            let len = rest.iter().position(|byte| !ends_line(*byte)).unwrap_or(rest.len());
            return Ok((TokenKind::Blank, at + len));
        }
        if line.contains(&0) {
            return Err("a line of text contains a NUL byte".into());
        }
        Ok(match line.iter().rposition(|byte| *byte == b'=') {
            Some(0) => (TokenKind::Mark, at + 1),
            Some(sign) => (TokenKind::Word, at + sign),
            None => (TokenKind::Word, at + line.len()),
        })
    }

    fn shape() -> Shape {
        Shape::Written {
            name: "config_text",
            body: KSY,
            imhex: "",
            of: Box::new(Shape::Bytes(Length::ToEnd)),
        }
    }
}

const KSY: &str = "\
    -leaf: true
    doc: |
      Lines that end with LF or CR LF; any may be empty.

        file    = { section }
        section = '[' name ']' { name | name '=' value }
        name    = in RemoveTracks a sequence, a full stop and the index of a bone
    seq:
      - id: text
        size-eos: true
";

pub(super) const fn ends_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// A section with its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    /// The name between the brackets.
    pub name: &'a [u8],
    text: &'a [u8],
}

impl<'a> Section<'a> {
    /// Returns the lines that are not empty, without their line ends.
    pub fn lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        lines(self.text)
    }

    /// Returns the lines that have an equals sign, as the text before and after the last one.
    pub fn pairs(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        self.lines().filter_map(|line| {
            let (name, value) = line.split_at(line.iter().rposition(|byte| *byte == b'=')?);
            Some((name, value.get(1..)?))
        })
    }
}

/// A track that a sequence has in its PSA file but not in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovedTrack<'a> {
    /// Name of the sequence; may hold blanks and full stops.
    pub sequence: &'a [u8],
    /// Index of the bone.
    pub bone_index: usize,
    /// The part that is removed.
    pub part: TrackPart,
}

/// The part of a track that is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TrackPart {
    /// The translation.
    Translation,
    /// The rotation.
    Rotation,
    /// Both.
    All,
}

impl PsaConfig {
    /// Returns the sections in the order of the file; lines before the first are ignored.
    pub fn sections(&self) -> impl Iterator<Item = Section<'_>> {
        let mut rest = self.tokens.text();
        std::iter::from_fn(move || {
            let name = loop {
                let (line, remaining) = split_line(rest)?;
                rest = remaining;
                if let Some(name) = title(line) {
                    break name;
                }
            };
            let (text, remaining) = rest.split_at(until_title(rest));
            rest = remaining;
            Some(Section { name, text })
        })
    }

    /// Returns all sections of this name, ignoring case.
    fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Section<'a>> {
        self.sections().filter(move |section| section.name.eq_ignore_ascii_case(name.as_bytes()))
    }

    /// Returns whether only rotations are animated, with all translations but the root's from the mesh; `None` if the file
    /// does not specify it.
    #[must_use]
    pub fn rotation_only(&self) -> Option<bool> {
        let mut pairs = self.named("AnimSet").flat_map(|section| section.pairs());
        let (_, value) = pairs.find(|(name, _)| name.eq_ignore_ascii_case(b"bAnimRotationOnly"))?;
        Some(value != b"0")
    }

    /// Returns the names of bones whose translation is animated although only rotations are.
    pub fn translated_bones(&self) -> impl Iterator<Item = &[u8]> {
        self.named("UseTranslationBoneNames").flat_map(|section| section.lines())
    }

    /// Returns the names of bones whose translation is always that of the mesh.
    pub fn mesh_translated_bones(&self) -> impl Iterator<Item = &[u8]> {
        self.named("ForceMeshTranslationBoneNames").flat_map(|section| section.lines())
    }

    /// Returns the number of lines in the sections of removed tracks.
    pub(super) fn num_removed_lines(&self) -> usize {
        self.named("RemoveTracks").map(|section| section.lines().count()).sum()
    }

    /// Returns the tracks that the game does not have; invalid lines are skipped.
    pub fn removed_tracks(&self) -> impl Iterator<Item = RemovedTrack<'_>> {
        self.named("RemoveTracks").flat_map(|section| section.pairs()).filter_map(removed)
    }
}

pub(super) fn removed<'a>((name, value): (&'a [u8], &'a [u8])) -> Option<RemovedTrack<'a>> {
    let (sequence, index) = name.split_at(name.iter().rposition(|byte| *byte == b'.')?);
    let part = match value {
        b"trans" => TrackPart::Translation,
        b"rot" => TrackPart::Rotation,
        b"all" => TrackPart::All,
        _ => return None,
    };
    let bone_index = str::from_utf8(index.get(1..)?).ok()?.parse().ok()?;
    Some(RemovedTrack { sequence, bone_index, part })
}

/// Returns the lines that are not empty.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| ends_line(*byte)).filter(|line| !line.is_empty())
}

/// Returns the first line, and the text after the byte that ends it.
fn split_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| ends_line(*byte)).unwrap_or(text.len());
    (!text.is_empty()).then(|| (&text[..end], text.get(end + 1..).unwrap_or_default()))
}

/// Returns the length of the text before the next section.
fn until_title(text: &[u8]) -> usize {
    let mut rest = text;
    while let Some((line, remaining)) = split_line(rest)
        && title(line).is_none()
    {
        rest = remaining;
    }
    text.len() - rest.len()
}

/// Returns the name of the section that a line opens.
pub(super) fn title(line: &[u8]) -> Option<&[u8]> {
    line.strip_prefix(b"[")?.strip_suffix(b"]")
}

/// The sections that UE Viewer writes.
pub(super) const SECTIONS: [&str; 4] =
    ["AnimSet", "UseTranslationBoneNames", "ForceMeshTranslationBoneNames", "RemoveTracks"];

/// Returns whether UE Viewer writes a section of this name.
pub(super) fn is_known(name: &[u8]) -> bool {
    SECTIONS.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// Returns whether the first line that is not empty opens a section that UE Viewer writes.
pub(super) fn detect(head: &[u8]) -> bool {
    // In other files, the end of the first line can be far.
    if head.iter().find(|byte| !ends_line(**byte)) != Some(&b'[') {
        return false;
    }
    let first = lines(head).next().and_then(title);
    first.is_some_and(is_known)
}
