//! Which layout a version number means, and to whom.

use std::fmt;
use std::str::FromStr;

use super::Encoding;
use crate::{Error, ErrorKind};

/// A branch of the library, with its own idea of what a version number means; or the XML form.
///
/// The fork of IMVU numbers its versions 911 to 919, below the 1000 to 1200 of the main line, and two branches give
/// 1300 different layouts, so the number alone does not decide.
///
/// ```
/// use bindpose::formats::cal3d::Dialect;
/// assert_eq!(Dialect::of_version(1100), Dialect::Classic);
/// assert_eq!(Dialect::of_version(919), Dialect::Imvu);
/// assert_eq!("svn1300".parse::<Dialect>()?, Dialect::Svn1300);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// The main line up to version 1200.
    Classic,
    /// IMVU's fork, versions 911 to 919.
    Imvu,
    /// The main line's repository at version 1300.
    Svn1300,
    /// The branch that calls itself 1301; all real meshes of version 1300 are in it.
    Mp1301,
    /// Text.
    Xml,
}

impl Dialect {
    /// All of them, the commonest first.
    pub const ALL: [Self; 5] = [Self::Classic, Self::Imvu, Self::Svn1300, Self::Mp1301, Self::Xml];

    /// Those of binary files.
    pub const BINARY: [Self; 4] = [Self::Classic, Self::Imvu, Self::Svn1300, Self::Mp1301];

    /// The names in the order of [`ALL`](Self::ALL).
    pub(super) const NAMES: &'static [&'static str] = &["classic", "imvu", "svn1300", "mp1301", "xml"];

    /// The name, as on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The dialect in which a version number is at home.
    #[must_use]
    pub const fn of_version(number: i32) -> Self {
        match number {
            911..=999 => Self::Imvu,
            1300.. => Self::Mp1301,
            _ => Self::Classic,
        }
    }

    /// Whether a file of this version can be in the dialect at all, and differ from those in the others.
    pub(super) const fn is_possible(self, number: i32) -> bool {
        match self {
            Self::Classic => true,
            Self::Imvu => number < 1300,
            Self::Svn1300 | Self::Mp1301 => number >= 1300,
            Self::Xml => false,
        }
    }

    /// A version number as this dialect understands it.
    #[must_use]
    pub const fn version(self, number: i32) -> Version {
        Version { number, dialect: self }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Dialect {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|dialect| dialect.name() == name);
        found.ok_or_else(|| {
            let names = Self::NAMES.join(", ");
            Error::new(0, ErrorKind::Value(format!("`{name}` is no dialect of Cal3D: {names}")))
        })
    }
}

/// A version number as a dialect understands it: what a file of it holds.
///
/// ```
/// use bindpose::formats::cal3d::Dialect;
/// assert!(Dialect::Imvu.version(919).has_colors());
/// assert!(!Dialect::Classic.version(1100).has_colors());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// The number in the file.
    pub number: i32,
    /// Who understands it.
    pub dialect: Dialect,
}

impl Version {
    /// Whether the number has reached the dialect's first version with a feature; `None` where it never got it.
    const fn reached(self, imvu: i32, svn: i32, mp: Option<i32>) -> bool {
        match (self.dialect, mp) {
            (Dialect::Imvu, _) => self.number >= imvu,
            (Dialect::Svn1300, _) => self.number >= svn,
            (Dialect::Mp1301, Some(mp)) => self.number >= mp,
            _ => false,
        }
    }

    /// Whether vertices have colours.
    #[must_use]
    pub const fn has_colors(self) -> bool {
        self.reached(911, 1300, None)
    }

    /// Whether bones can be lights, in a scene of an ambient colour.
    #[must_use]
    pub const fn has_lights(self) -> bool {
        self.reached(911, 1300, None)
    }

    /// Whether the maps of a material have a type.
    #[must_use]
    pub const fn has_map_types(self) -> bool {
        self.reached(911, 1300, Some(1300))
    }

    /// Whether submeshes have morph targets.
    #[must_use]
    pub const fn has_morphs(self) -> bool {
        self.reached(911, 1300, Some(1300))
    }

    /// Whether a morph target counts its vertices, or else ends with a stop value.
    #[must_use]
    pub const fn counts_morphs(self) -> bool {
        matches!(self.dialect, Dialect::Mp1301)
    }

    /// Whether an animation says if its tracks are packed.
    #[must_use]
    pub const fn has_compression(self) -> bool {
        self.reached(919, 1300, Some(1300))
    }

    /// Whether an animation has flags for its tracks.
    #[must_use]
    pub const fn has_track_flags(self) -> bool {
        match self.dialect {
            Dialect::Classic => self.number >= 1200,
            _ => self.reached(i32::MAX, 1300, Some(1301)),
        }
    }

    /// Whether packed keys are followed by their rotation as plain numbers.
    #[must_use]
    pub const fn has_exact_rotations(self) -> bool {
        matches!((self.dialect, self.number), (Dialect::Imvu, 916 | 917))
    }

    /// Whether packed keys are followed by their translation as plain numbers.
    #[must_use]
    pub const fn has_exact_translations(self) -> bool {
        matches!((self.dialect, self.number), (Dialect::Imvu, 917))
    }

    /// How the tracks of an animation are stored, given what its header says.
    #[must_use]
    pub const fn encoding(self, compression: Option<i32>, track_flags: Option<i32>) -> Encoding {
        let packed = match compression {
            Some(flag) => flag != 0,
            None => matches!((self.dialect, self.number), (Dialect::Imvu, 913..=918)),
        };
        match track_flags {
            _ if packed => Encoding::Packed,
            Some(flags) if flags & 1 != 0 => Encoding::Quantized,
            _ => Encoding::Plain,
        }
    }
}
