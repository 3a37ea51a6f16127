//! The dialects: which layout a version number means in which branch of the library.

use std::fmt;
use std::str::FromStr;

use super::{Encoding, TrackFlags};
use crate::formats::Writer;
use crate::schema::{Expr, Op};
use crate::{Error, ErrorKind};

/// The first version number after those of IMVU's fork.
const IMVU_END: i32 = 1000;

/// The first version number that two branches use.
const FORKED: i32 = 1300;

/// The version numbers from here on belong to one branch.
const AFTER_FORK: i32 = FORKED + 1;

/// A branch of the library with its own version numbers, or the XML form.
///
/// IMVU's fork numbers its versions 911 to 919, below the 1000 to 1200 of the main line, and two branches use 1300 for
/// different layouts, so the number alone does not determine the layout.
///
/// ```
/// use bindpose::formats::cal3d::Dialect;
/// assert_eq!(Dialect::of_version(1100), Dialect::Classic);
/// assert_eq!(Dialect::of_version(1300), Dialect::Svn1300);
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
    /// The branch whose library has version 1301. Some of its files have version 1300.
    Mp1301,
    /// The same branch before it counted the vertices of morph targets, at version 1300.
    Mp1300,
    /// The XML form.
    Xml,
}

/// The branches of the library and their exporters, in the order of [`Dialect::BINARY`]. Many programs write the XML form, and
/// none leaves a mark that is known.
pub(super) const WRITERS: &[&Writer] = &[
    &Writer {
        name: "Cal3D up to 0.11, and its exporters",
        recognised_by: "a version up to 910, or from 1000 to 1200",
        differs: "no vertex colours and no morph targets",
        source: "Debian's cal3d 0.11.0; real files",
    },
    &Writer {
        name: "IMVU's fork of Cal3D",
        recognised_by: "a version from 911 to 919",
        differs: "vertex colours, lights and morph targets; keys can be packed; its readers take files of 1000 and later as older ones",
        source: "imvu/cal3d 468cd0a0; no real binary file is known",
    },
    &Writer {
        name: "Cal3D's repository (version 1300)",
        recognised_by: "version 1300, and the layout without a number of changed vertices before each morph target",
        differs: "vertex colours, lights and morph targets",
        source: "bsmr-opengl/cal3d 28001386; twelve real files",
    },
    &Writer {
        name: "the branch of Cal3D with version 1301",
        recognised_by: "version 1301, or 1300 with a number of changed vertices before each morph target",
        differs: "morph targets, but neither vertex colours nor lights",
        source: "mp3butcher/Cal3D a44143df; 21 real meshes",
    },
    &Writer {
        name: "an early state of the branch of Cal3D with version 1301",
        recognised_by: "version 1300, neither vertex colours nor a number of changed vertices before each morph target",
        differs: "as version 1301, but each morph target ends with a stop value",
        source: "one real mesh, which no other layout fits",
    },
];

impl Dialect {
    /// Returns the name of the programs that write files of this dialect.
    pub(super) fn writer(self) -> Option<&'static str> {
        WRITERS.get(self as usize).map(|writer| writer.name)
    }

    /// All dialects, the most common first.
    pub const ALL: [Self; 6] =
        [Self::Classic, Self::Imvu, Self::Svn1300, Self::Mp1301, Self::Mp1300, Self::Xml];

    /// The dialects of binary files.
    pub const BINARY: [Self; 5] = [Self::Classic, Self::Imvu, Self::Svn1300, Self::Mp1301, Self::Mp1300];

    /// The names in the order of [`ALL`](Self::ALL).
    pub(super) const NAMES: &'static [&'static str] =
        &["classic", "imvu", "svn1300", "mp1301", "mp1300", "xml"];

    /// Returns the name, as in `cal3d-mesh:imvu`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Returns the dialect that uses a version number by default.
    #[must_use]
    pub const fn of_version(number: i32) -> Self {
        match number {
            911..IMVU_END => Self::Imvu,
            FORKED => Self::Svn1300,
            AFTER_FORK.. => Self::Mp1301,
            _ => Self::Classic,
        }
    }

    /// Returns the other dialect that has files of a version number.
    pub(super) fn other_of_version(number: i32) -> Option<Self> {
        (number == FORKED).then_some(Self::Mp1301)
    }

    /// Whether the dialect can have files of a version that differ from those of the other dialects.
    pub(super) const fn is_possible(self, number: i32) -> bool {
        match self {
            Self::Classic => true,
            Self::Imvu => number < FORKED,
            Self::Svn1300 | Self::Mp1301 | Self::Mp1300 => number >= FORKED,
            Self::Xml => false,
        }
    }

    /// Returns a version number as this dialect interprets it.
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
            Error::new(0, ErrorKind::Value(format!("`{name}` is not a dialect of Cal3D: {names}").into()))
        })
    }
}

/// A version number as a dialect interprets it: which features a file has.
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
    /// The dialect that interprets it.
    pub dialect: Dialect,
}

/// The published condition for the versions of one or two dialects. It takes the default dialect of each version.
macro_rules! condition {
    ([$dialect:ident $number:literal]) => { condition!(Eq $number) };
    ([Mp1301 $first:literal ..]) => { condition!(Ge $first) };
    ([Svn1300 $first:literal ..]) => { condition!(Ge $first) };
    ([Imvu $first:literal ..]) => { condition!(within $first, IMVU_END) };
    ([Classic $first:literal ..]) => { condition!(within $first, FORKED) };
    ([$dialect:ident $first:literal .. $end:literal]) => { condition!(within $first, $end) };
    (operand [$dialect:ident $number:literal]) => { condition!(Eq $number) };
    (operand [Mp1301 $first:literal ..]) => { condition!(Ge $first) };
    (operand [Svn1300 $first:literal ..]) => { condition!(Ge $first) };
    (operand $versions:tt) => { Expr::Group(&condition!($versions)) };
    (within $first:expr, $end:expr) => {
        Expr::Binary(Op::And, &condition!(Ge $first), &condition!(Lt $end))
    };
    ($op:ident $number:expr) => {
        Expr::Binary(Op::$op, &Expr::Name("version"), &Expr::Int($number as i64))
    };
    ($left:tt $right:tt) => {
        Expr::Binary(Op::Or, &condition!(operand $left), &condition!(operand $right))
    };
}

/// Features by dialect and version; dialects that are not listed never have the feature. Each becomes a method, and a
/// condition for the published schemas, which leaves out what follows the semicolon: dialects that the condition includes
/// already, or that are not the default of these versions. In the XML form of any version, what has a feature may be absent.
macro_rules! features {
    ($(
        $(#[$doc:meta])*
        $name:ident $condition:ident {
            $($dialect:ident $first:literal $(.. $($end:literal)?)?),+ $(; $($other:ident $other_first:literal ..),+)?
        }
    )+) => {
        impl Version {
            /// Versions at which layouts change.
            #[cfg(feature = "harness")]
            pub(super) const BOUNDARIES: &[i32] = &[$($($first, $($($end,)?)?)+)+];

            $(
                pub(super) const $condition: Expr = condition!($([$dialect $first $(.. $($end)?)?])+);

                $(#[$doc])*
                #[must_use]
                pub const fn $name(self) -> bool {
                    match self.dialect {
                        $(Dialect::$dialect if matches!(self.number, $first $(.. $($end)?)?) => true,)+
                        $($(Dialect::$other => self.number >= $other_first,)+)?
                        _ => false,
                    }
                }
            )+
        }
    };
}

features! {
    /// Whether vertices have colours.
    has_colors HAS_COLORS { Imvu 911.., Svn1300 1300; Svn1300 1300.. }
    /// Whether bones can be lights, and the scene has an ambient colour.
    has_lights HAS_LIGHTS { Imvu 911.., Svn1300 1300; Svn1300 1300.. }
    /// Whether the maps of a material have a type.
    has_map_types HAS_MAP_TYPES { Imvu 911.., Mp1301 1300..; Svn1300 1300.., Mp1300 1300.., Xml 0.. }
    /// Whether submeshes have morph targets.
    has_morphs HAS_MORPHS { Imvu 911.., Mp1301 1300..; Svn1300 1300.., Mp1300 1300.., Xml 0.. }
    /// Whether a morph target counts its vertices; otherwise it ends with a stop value.
    counts_morphs COUNTS_MORPHS { Mp1301 1301..; Mp1301 1300.., Xml 0.. }
    /// Whether an animation has a flag for packed tracks.
    has_compression HAS_COMPRESSION { Imvu 919.., Mp1301 1300..; Svn1300 1300.., Mp1300 1300.. }
    /// Whether all tracks of an animation are packed, without a flag.
    is_always_packed IS_ALWAYS_PACKED { Imvu 913..919 }
    /// Whether an animation has flags for its tracks.
    has_track_flags HAS_TRACK_FLAGS { Classic 1200.., Svn1300 1300..; Mp1301 1301.., Mp1300 1301.. }
    /// Whether packed keys are followed by their rotation as plain numbers.
    has_exact_rotations HAS_EXACT_ROTATIONS { Imvu 916, Imvu 917 }
    /// Whether packed keys are followed by their translation as plain numbers.
    has_exact_translations HAS_EXACT_TRANSLATIONS { Imvu 917 }
}

impl Version {
    /// Whether morph targets store how far vertices move, instead of where they are.
    #[must_use]
    pub const fn stores_differences(self) -> bool {
        matches!(self.dialect, Dialect::Mp1301 | Dialect::Mp1300)
    }

    /// Returns how the tracks of an animation are stored, given the fields of its header.
    #[must_use]
    pub fn encoding(self, compression: Option<i32>, track_flags: Option<TrackFlags>) -> Encoding {
        let packed = match compression {
            Some(flag) => flag != 0,
            None => self.is_always_packed(),
        };
        match track_flags {
            _ if packed => Encoding::Packed,
            Some(flags) if flags.quantized() => Encoding::Quantized,
            _ => Encoding::Plain,
        }
    }
}
