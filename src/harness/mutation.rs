//! The ways to damage a file, each a mechanism that readers are known to break on.

use std::fmt;
use std::ops::Range;

use super::field::{Field, Sort};
use super::random::Random;
use crate::schema::Role;
macro_rules! mutations {
    ($($(#[$doc:meta])+ $variant:ident $name:literal $says:literal)+) => {
        /// What was done to a file to make a mutant.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Mutation {
            $($(#[$doc])+ $variant,)+
        }

        impl Mutation {
            /// Every one there is.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name, as on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// What it does to a value, as the end of a sentence that begins with the value.
            #[must_use]
            pub const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$variant => $says,)+
                }
            }
        }
    };
}

mutations! {
    /// Drives an allocation, or a loop without end.
    CountMost "count-most" "is the most that its type can say"
    /// Is taken for an enormous one where signs are mixed.
    CountNegative "count-negative" "is negative, or would be with a sign"
    /// Times the size of an element it is small again, so that too little is reserved.
    CountWraps "count-wraps" "wraps when it is multiplied by four"
    /// Reads the header behind the last element as one more.
    CountMore "count-more" "is one more than there are"
    /// Takes the last element for what follows the list.
    CountLess "count-less" "is one less than there are"
    /// Takes the first element for what follows the list.
    CountNone "count-none" "is zero"
    /// A variant, version or flag that readers have no branch for.
    TagUnknown "tag-unknown" "has all its bits set"
    /// A variant that what follows is not.
    TagNext "tag-next" "is the one next to it"
    /// An index or offset far past the end.
    IntegerMost "integer-most" "is the most that its type can say"
    /// An index or offset in front of the beginning.
    IntegerNegative "integer-negative" "is negative, or would be with a sign"
    /// An element that refers to itself: its own parent.
    IntegerSelf "integer-self" "is the index of the element it stands in"
    /// An offset to where nothing is.
    IntegerEnd "integer-end" "is the length of the file"
    /// An offset to itself, or to what overlaps with it.
    IntegerHere "integer-here" "is its own offset in the file"
    /// Compares as neither less nor more.
    FloatNan "float-nan" "is no number"
    /// Turns into no number as soon as it is used.
    FloatInfinite "float-infinite" "is infinite"
    /// Equals zero in another spelling.
    FloatNegativeZero "float-negative-zero" "is minus zero"
    /// Is lost where small numbers are flushed to zero; a divisor that makes infinity.
    FloatDenormal "float-denormal" "is the least number above zero"
    /// Overflows when it is squared.
    FloatMost "float-most" "is the largest finite number"
    /// Is read past its end.
    TextEndless "text-endless" "has no end"
    /// Is lost by readers that stop at the NUL.
    TextJunk "text-junk" "has bytes behind its NUL"
    /// Is no text in any common encoding.
    TextBytes "text-bytes" "is no UTF-8"
    /// Two of one name, or an element that names itself as its parent.
    TextTwin "text-twin" "is the text that stands before it"
    /// Any value, zeroed.
    Zeros "zeros" "is zero in all its bits"
    /// Any value, another one.
    Random "random" "is random"
    /// Any value, nearly right.
    Bit "bit" "has one bit turned"
    /// Ends in front of a value.
    Cut "cut" "is where the file ends"
    /// Ends inside a value.
    CutInside "cut-inside" "is cut, and the file with it"
    /// Shifts all that follows to the front.
    Lost "lost" "is missing"
    /// Shifts all that follows to the back.
    Repeated "repeated" "stands there twice"
    /// Nests as deep as there are opening marks, or makes a list as long.
    Often "often" "stands there four thousand times"
    /// Sizes that are off by one.
    Behind "behind" "has a byte too many behind it"
    /// A file inside a file.
    Again "again" "has the whole file behind it once more"
}

impl fmt::Display for Mutation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.sentence())
    }
}

/// A value that stands there often.
const OFTEN: usize = 4096;

/// Longer values do not stand there often.
const SHORT: usize = 64;

/// Longer files are not put into themselves.
const SMALL: usize = 1 << 20;

impl Mutation {
    /// Whether it can be done to a field.
    pub(super) fn fits(self, field: &Field) -> bool {
        let counts = matches!(field.role, Role::Counts(_)) || field.sort == Sort::Number;
        let (free, len) = (field.role == Role::Free, field.range.len());
        match self {
            Self::CountMost
            | Self::CountNegative
            | Self::CountWraps
            | Self::CountMore
            | Self::CountLess
            | Self::CountNone => counts && field.is_whole(),
            Self::TagUnknown | Self::TagNext => !free,
            Self::IntegerMost | Self::IntegerNegative | Self::IntegerEnd | Self::IntegerHere => {
                free && field.is_whole()
            }
            Self::IntegerSelf => free && field.is_whole() && field.index.is_some(),
            Self::FloatNan
            | Self::FloatInfinite
            | Self::FloatNegativeZero
            | Self::FloatDenormal
            | Self::FloatMost => matches!(field.sort, Sort::Float | Sort::Number),
            Self::TextEndless | Self::TextBytes => free && field.is_text(),
            Self::TextJunk => free && field.sort == Sort::Text && len > 1,
            Self::TextTwin => free && field.is_text() && field.twin.is_some(),
            Self::CutInside => len > 1,
            Self::Often => len <= SHORT,
            Self::Again => field.is_last,
            Self::Zeros
            | Self::Random
            | Self::Bit
            | Self::Cut
            | Self::Lost
            | Self::Repeated
            | Self::Behind => true,
        }
    }

    /// The file with the change; none where it would be no change, or the field cannot hold it.
    pub(super) fn apply(self, field: &Field, file: &[u8], rng: &mut Random) -> Option<Vec<u8>> {
        let Range { start, end } = field.range;
        let (before, own, behind) = (&file[..start], &file[start..end], &file[end..]);
        let replaced = match self {
            Self::Cut => return Some(before.to_vec()),
            Self::CutInside => return Some(file[..start + 1 + rng.below(own.len() - 1)].to_vec()),
            Self::Lost => Vec::new(),
            Self::Repeated => own.repeat(2),
            Self::Often => own.repeat(OFTEN),
            Self::Behind => [own, &[0xcd]].concat(),
            Self::Again => (file.len() <= SMALL).then(|| [own, file].concat())?,
            Self::Zeros => vec![0; own.len()],
            Self::TagUnknown => vec![0xff; own.len()],
            Self::TagNext => changed(own, |own| own[0] = own[0].wrapping_add(1)),
            Self::Random => changed(own, |own| rng.fill(own)),
            Self::Bit => {
                let at = rng.below(own.len());
                changed(own, |own| own[at] ^= 1 << rng.below(8))
            }
            Self::TextEndless | Self::TextJunk | Self::TextBytes | Self::TextTwin => {
                self.text(field, file)?
            }
            Self::FloatNan => field.float(f32::NAN.to_bits(), f64::NAN.to_bits(), "1.#IND00")?,
            Self::FloatInfinite => field.float(f32::INFINITY.to_bits(), f64::INFINITY.to_bits(), "1e999")?,
            Self::FloatNegativeZero => field.float((-0.0_f32).to_bits(), (-0.0_f64).to_bits(), "-0.0")?,
            Self::FloatDenormal => field.float(1, 1, "1e-45")?,
            Self::FloatMost => field.float(f32::MAX.to_bits(), f64::MAX.to_bits(), "3.4028235e38")?,
            _ => field.spelled(self.whole(field, file)?)?,
        };
        (replaced != own).then(|| [before, &replaced, behind].concat())
    }

    /// The whole number that a field is changed to.
    fn whole(self, field: &Field, file: &[u8]) -> Option<i128> {
        let (least, most) = field.limits();
        let own = || field.value(file);
        let length = |length: usize| i128::try_from(length).ok();
        match self {
            Self::CountMost | Self::IntegerMost => Some(most),
            Self::CountNegative | Self::IntegerNegative if least < 0 => Some(-1),
            Self::CountNegative | Self::IntegerNegative => Some(most / 2 + 1),
            Self::CountWraps => Some(own()? + (most - least) / 4 + 1),
            Self::CountMore => Some(own()? + 1),
            Self::CountLess => Some(own()? - 1),
            Self::CountNone => Some(0),
            Self::IntegerSelf => length(field.index?),
            Self::IntegerEnd => length(file.len()),
            Self::IntegerHere => length(field.range.start),
            _ => None,
        }
    }

    fn text(self, field: &Field, file: &[u8]) -> Option<Vec<u8>> {
        let own = &file[field.range.clone()];
        match self {
            Self::TextTwin => {
                let twin = &file[field.twin.clone()?];
                (field.sort == Sort::Word || twin.len() == own.len()).then(|| twin.to_vec())
            }
            Self::TextBytes => Some(changed(own, |own| own[0] = 0xff)),
            // A quoted word without its closing quote.
            Self::TextEndless if field.sort == Sort::Word => Some(own[..own.len() - 1].to_vec()),
            Self::TextEndless => Some(own.iter().map(|byte| if *byte == 0 { b'x' } else { *byte }).collect()),
            _ => {
                let end = own.iter().position(|byte| *byte == 0)?;
                Some(changed(own, |own| own[end + 1..].fill(0xcd)))
            }
        }
    }
}

fn changed(own: &[u8], change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut own = own.to_vec();
    change(&mut own);
    own
}
