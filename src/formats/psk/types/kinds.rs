//! What is known about each kind of chunk.

use crate::schema::Schema;
use crate::wire::FixedStr;

/// Version stamps: the revisions of the format, each written as a date.
pub mod stamp {
    macro_rules! stamps {
        ($($(#[$doc:meta])* $name:ident = $date:literal;)+) => {
            $($(#[$doc])* pub const $name: i32 = $date;)+

            /// Every stamp that a known program writes, in order.
            pub const ALL: &[i32] = &[$($name),+];
        };
    }

    stamps! {
        /// The first revision as well; `ActorX` writes it in some animations.
        NONE = 0;
        /// The first revision, 1 August 1999.
        FIRST = 1_999_801;
        /// Scale keys, 21 March 2003.
        SCALE_KEYS = 2_003_321;
        /// Blend curves, 27 January 2009.
        CURVES = 20_090_127;
        /// Vertex colours, 22 April 2010.
        COLORS = 20_100_422;
        /// Normals, 17 September 2021; written by forks of UE Viewer.
        NORMALS = 20_210_917;
        /// Morph targets, 23 July 2022; written by `CUE4Parse`.
        MORPHS = 20_220_723;
    }
}

/// A kind of chunk: its id, where it occurs, and the sizes of its records. [`CHUNKS`](super::CHUNKS) lists all of them.
///
/// ```
/// use bindpose::formats::psk::{CHUNKS, Content, Presence};
/// let required = CHUNKS.iter().filter(|kind| kind.content == Content::Mesh && kind.is_required());
/// assert_eq!(required.count(), 7);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkKind {
    /// What the ids of such chunks have in common.
    pub id: IdPattern,
    /// The files in which it occurs.
    pub content: Content,
    /// Who expects it and who writes it.
    pub presence: Presence,
    /// The sizes in bytes that its records have. A head has no records; for blend curves this is the size of the name, to
    /// which 4 bytes per frame are added.
    pub record_sizes: &'static [i32],
}

/// What the ids of a kind of chunk have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdPattern {
    /// The whole id.
    Exact(&'static str),
    /// The beginning; a number follows.
    Prefix(&'static str),
    /// The end; the name of a sequence precedes it.
    Suffix(&'static str),
}

/// What a file contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// A mesh: PSK and PSKX.
    Mesh,
    /// Animations: PSA.
    Animations,
}

/// Who expects a chunk and who writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Presence {
    /// Epic's readers expect it in files with this [stamp] or a later one, in the order of [`CHUNKS`](super::CHUNKS).
    Since(i32),
    /// It is an addition that several programs write.
    Optional,
    /// Only this program writes it.
    Only(&'static str),
}

impl IdPattern {
    /// Returns whether a text is such an id.
    pub(super) fn matches(self, id: &[u8]) -> bool {
        match self {
            Self::Exact(text) => id == text.as_bytes(),
            Self::Prefix(text) => id.starts_with(text.as_bytes()),
            Self::Suffix(text) => id.ends_with(text.as_bytes()),
        }
    }
}

impl ChunkKind {
    /// Returns whether a chunk with this id is of this kind. Bytes after the first NUL are ignored.
    #[must_use]
    pub fn matches(&self, id: &FixedStr<20>) -> bool {
        self.id.matches(id.text())
    }

    /// Returns the id, or the part of it that all chunks of this kind share.
    #[must_use]
    pub const fn id_text(&self) -> &'static str {
        match self.id {
            IdPattern::Exact(text) | IdPattern::Prefix(text) | IdPattern::Suffix(text) => text,
        }
    }

    /// Returns whether every file of its [`Content`] has such a chunk.
    #[must_use]
    pub const fn is_required(&self) -> bool {
        matches!(self.presence, Presence::Since(stamp::FIRST))
    }

    /// Returns whether it precedes all other chunks and has no records.
    #[must_use]
    pub const fn is_head(&self) -> bool {
        self.record_sizes.is_empty()
    }
}

/// Returns the size of a record as a chunk header states it.
pub(super) const fn record_size<T: Schema>() -> i32 {
    size(T::FIXED.expect("a record has a fixed size"))
}

/// Returns the size of the fields before a record's list.
pub(super) const fn head_size<T: Schema>() -> i32 {
    size(T::HEAD)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "records are small")]
const fn size(bytes: usize) -> i32 {
    bytes as i32
}
