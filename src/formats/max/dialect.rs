//! The sizes of `Matrix` and `Point`, which files do not store; they are options or guesses.

use super::{Bone, Matrix48, Matrix52, Matrix64};
use crate::check::common::counted;
use crate::codec::Proposal;
use crate::schema::Schema;
use crate::wire::FixedStr;
use crate::{Error, ErrorKind, Options, Result};

/// The size of a `Matrix`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Matrices {
    /// 52 bytes: the `Matrix3` of 3ds Max, with flags. The default.
    #[default]
    M52,
    /// 48 bytes: a `Matrix3` without flags.
    M48,
    /// 64 bytes: four rows of four floats.
    M64,
}

/// The size of a `Point`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Points {
    /// 12 bytes: the `Point3` of 3ds Max. The default.
    #[default]
    P12,
    /// 16 bytes: four floats.
    P16,
}

impl Matrices {
    const ALL: [Self; 3] = [Self::M52, Self::M48, Self::M64];
    pub(super) const NAMES: &'static [&'static str] = &["m52", "m48", "m64"];

    /// Returns the name of the dialect.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    const fn size(self) -> usize {
        match self {
            Self::M52 => 52,
            Self::M48 => 48,
            Self::M64 => 64,
        }
    }

    pub(in crate::formats::max) fn chosen(options: &Options) -> Result<Self> {
        chosen(options, Self::NAMES).map(|index| index.map_or_else(Self::default, |index| Self::ALL[index]))
    }
}

impl Points {
    const ALL: [Self; 2] = [Self::P12, Self::P16];
    pub(super) const NAMES: &'static [&'static str] = &["p12", "p16"];

    /// Returns the name of the dialect.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Returns the size of a face in bytes.
    const fn face_size(self) -> u64 {
        let point = match self {
            Self::P12 => 12,
            Self::P16 => 16,
        };
        3 * (3 * point + 40)
    }

    pub(in crate::formats::max) fn chosen(options: &Options) -> Result<Self> {
        chosen(options, Self::NAMES).map(|index| index.map_or_else(Self::default, |index| Self::ALL[index]))
    }
}

fn chosen(options: &Options, names: &[&str]) -> Result<Option<usize>> {
    let Some(own) = &options.dialect else { return Ok(None) };
    let index = names.iter().position(|name| name == own);
    index.map(Some).ok_or_else(|| {
        Error::new(
            0,
            ErrorKind::Value(format!("unknown dialect `{own}`, expected {}", names.join(" or ")).into()),
        )
    })
}

/// Guesses the matrix size of a skeleton stream.
///
/// The file size must be a multiple of the record size. If several sizes fit, the one with the most printable names and
/// resolved parents is returned.
#[must_use]
pub fn propose_skeleton(bytes: &[u8]) -> Proposal {
    let size = |matrices: Matrices| matrices.size() + 64;
    let fitting: Vec<_> =
        Matrices::ALL.into_iter().filter(|own| bytes.len().is_multiple_of(size(*own))).collect();
    match fitting.as_slice() {
        _ if bytes.is_empty() => default("the file is empty"),
        [] => default("the file size is not a multiple of any record size"),
        [one] => proposal(*one, format!("the file size is a multiple of {} bytes only", size(*one))),
        several => {
            let scored = several.iter().map(|own| (score(bytes, *own), *own));
            // Of equal scores the first, which is the default.
            let (_, best) = scored.rev().max_by_key(|(score, _)| *score).unwrap_or_default();
            let sizes = several.iter().map(|own| size(*own).to_string()).collect::<Vec<_>>().join(" and ");
            let why = format!(
                "the file size is a multiple of {sizes} bytes; with {} bytes most names are valid",
                size(best)
            );
            proposal(best, why)
        }
    }
}

/// Returns the share of printable names and resolved parents, in thousandths.
fn score(bytes: &[u8], matrices: Matrices) -> usize {
    let names: Vec<_> = match matrices {
        Matrices::M52 => names::<Matrix52>(bytes),
        Matrices::M48 => names::<Matrix48>(bytes),
        Matrices::M64 => names::<Matrix64>(bytes),
    };
    let known: std::collections::HashSet<_> = names.iter().map(|(name, _)| name.text()).collect();
    let printable = |text: &[u8]| !text.is_empty() && !text.iter().any(u8::is_ascii_control);
    let valid = names.iter().map(|(name, parent)| {
        usize::from(printable(name.text())) + usize::from(parent.is_empty() || known.contains(parent.text()))
    });
    valid.sum::<usize>() * 500 / names.len().max(1)
}

fn names<M: Schema + crate::wire::Wire>(bytes: &[u8]) -> Vec<(FixedStr<32>, FixedStr<32>)> {
    let size = Bone::<M>::FIXED.unwrap_or(usize::MAX);
    bytes.chunks_exact(size).map(Bone::<M>::get).map(|bone| (bone.name, bone.parent_name)).collect()
}

/// Guesses the matrix size of an animation stream.
///
/// The file size alone is often ambiguous; the number of bones of the matching skeleton decides.
///
/// ```
/// use bindpose::formats::max::propose_animation;
/// let mut bytes = vec![1, 0, 0, 0];
/// bytes.resize(4 + 2496, 0);
/// assert_eq!(propose_animation(&bytes, None).dialect, "m52");
/// assert_eq!(propose_animation(&bytes, Some(39)).dialect, "m64");
/// ```
#[must_use]
pub fn propose_animation(bytes: &[u8], num_bones: Option<usize>) -> Proposal {
    let Some((&frames, matrices)) = bytes.split_first_chunk() else {
        return default("the file is truncated");
    };
    let Ok(frames @ 1..) = usize::try_from(i32::from_le_bytes(frames)) else {
        return default("there are no frames");
    };
    let fits = |own: &Matrices| match num_bones {
        Some(bones) => {
            own.size().checked_mul(frames).and_then(|size| size.checked_mul(bones)) == Some(matrices.len())
        }
        None => matrices.len().is_multiple_of(own.size().saturating_mul(frames)),
    };
    let fitting: Vec<_> = Matrices::ALL.into_iter().filter(fits).collect();
    let frames = num_bones.map_or_else(
        || counted(frames, "frame"),
        |bones| format!("{} of {}", counted(frames, "frame"), counted(bones, "bone")),
    );
    match fitting.as_slice() {
        [] => default("the data is not a multiple of any frame size"),
        [one] => proposal(*one, format!("only matrices of {} bytes make {frames}", one.size())),
        [first, ..] => {
            proposal(*first, format!("matrices of {} bytes make {frames}; other sizes fit too", first.size()))
        }
    }
}

/// Guesses the point size of a mesh stream from the size of the file.
#[must_use]
pub fn propose_mesh(bytes: &[u8]) -> Proposal {
    let Some((&faces, corners)) = bytes.split_first_chunk() else {
        return Proposal { dialect: Points::default().name(), why: "the file is truncated".into() };
    };
    let faces = u64::try_from(i32::from_le_bytes(faces)).unwrap_or(0);
    let fits = |own: &Points| own.face_size() * faces == corners.len() as u64;
    match Points::ALL.into_iter().find(fits) {
        Some(_) if faces == 0 => {
            Proposal { dialect: Points::default().name(), why: "there are no faces".into() }
        }
        Some(points) => {
            let why = format!("{} of {} bytes fill the file", counted(faces, "face"), points.face_size());
            Proposal { dialect: points.name(), why }
        }
        None => Proposal {
            dialect: Points::default().name(),
            why: "the file size does not match any point size".into(),
        },
    }
}

fn proposal(matrices: Matrices, why: String) -> Proposal {
    Proposal { dialect: matrices.name(), why }
}

fn default(why: &str) -> Proposal {
    proposal(Matrices::default(), why.into())
}
