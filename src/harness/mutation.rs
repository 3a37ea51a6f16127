//! Mutations: kinds of damage that are known to break readers.

use std::fmt;
use std::ops::Range;

use super::field::{Field, Sort};
use super::random::Random;
use crate::schema::Role;
macro_rules! mutations {
    ($($(#[$doc:meta])+ $variant:ident $name:literal $sentence:literal)+) => {
        /// A kind of change to a file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Mutation {
            $($(#[$doc])+ $variant,)+
        }

        impl Mutation {
            /// All mutations.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the name: `count-most`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Returns the effect on a value, as the predicate of a sentence: `is zero`.
            #[must_use]
            pub const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$variant => $sentence,)+
                }
            }
        }
    };
}

mutations! {
    /// Causes a huge allocation or an endless loop.
    CountMost "count-most" "is the maximum of its type"
    /// Becomes a huge count where signed and unsigned types are mixed.
    CountNegative "count-negative" "is negative if read as a signed number"
    /// Overflows when it is multiplied by the size of an element, so that too little memory is reserved.
    CountWraps "count-wraps" "overflows when it is multiplied by four"
    /// Makes readers treat the header after the last element as another element.
    CountMore "count-more" "is one more than the number of elements"
    /// Makes readers treat the last element as the data after the list.
    CountLess "count-less" "is one less than the number of elements"
    /// Makes readers treat the first element as the data after the list.
    CountNone "count-none" "is zero"
    /// Is a variant, version or flag that readers do not handle.
    TagUnknown "tag-unknown" "has all its bits set"
    /// Is a variant that does not match the data after it.
    TagNext "tag-next" "is the next value"
    /// Is an index or offset far beyond the end.
    IntegerMost "integer-most" "is the maximum of its type"
    /// Is an index or offset before the start.
    IntegerNegative "integer-negative" "is negative if read as a signed number"
    /// Makes an element refer to itself, such as a bone that is its own parent.
    IntegerSelf "integer-self" "is the index of its own element"
    /// Is an offset at the end of the file.
    IntegerEnd "integer-end" "is the length of the file"
    /// Is an offset of itself or of overlapping data.
    IntegerHere "integer-here" "is its own offset in the file"
    /// Compares as neither less nor greater.
    FloatNan "float-nan" "is NaN"
    /// Becomes NaN in further calculations.
    FloatInfinite "float-infinite" "is infinite"
    /// Equals zero with other bits.
    FloatNegativeZero "float-negative-zero" "is minus zero"
    /// Is flushed to zero by some hardware; as a divisor, gives infinity.
    FloatDenormal "float-denormal" "is the smallest positive number"
    /// Overflows when it is squared.
    FloatMost "float-most" "is the largest finite number"
    /// Makes readers read beyond the end.
    TextEndless "text-endless" "has no terminator"
    /// Is lost by readers that stop at the NUL.
    TextJunk "text-junk" "has bytes after its NUL"
    /// Is not text in any common encoding.
    TextBytes "text-bytes" "is not valid UTF-8"
    /// Gives two elements the same name, or makes an element its own parent.
    TextTwin "text-twin" "equals the previous text"
    /// Zeroes any value.
    Zeros "zeros" "has all bits cleared"
    /// Randomises any value.
    Random "random" "is random"
    /// Changes any value slightly.
    Bit "bit" "has one bit flipped"
    /// Truncates the file before a value.
    Cut "cut" "is missing, with all bytes after it"
    /// Truncates the file inside a value.
    CutInside "cut-inside" "is truncated, with the file"
    /// Moves all following bytes towards the start.
    Lost "lost" "is missing"
    /// Moves all following bytes towards the end.
    Repeated "repeated" "is repeated"
    /// Nests as deeply as a bracket is repeated, or makes a list as long.
    Often "often" "is repeated four thousand times"
    /// Makes sizes wrong by one.
    ExtraByte "extra-byte" "is followed by an extra byte"
    /// Embeds the file in itself.
    Again "again" "is followed by a copy of the whole file"
}

impl fmt::Display for Mutation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.sentence())
    }
}

/// The number of repetitions.
const OFTEN: usize = 4096;

/// The maximum size of a value that is repeated often.
const SHORT: usize = 64;

/// The maximum size of a file that is embedded in itself.
const SMALL: usize = 1 << 20;

impl Mutation {
    /// Returns whether the mutation applies to a field.
    pub(super) fn fits(self, field: &Field) -> bool {
        let counts = matches!(field.role, Role::Counts(_) | Role::Sizes(..)) || field.sort == Sort::Number;
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
            | Self::ExtraByte => true,
        }
    }

    /// Returns the changed file; none if it would not change, or the value does not fit into the field.
    pub(super) fn apply(self, field: &Field, file: &[u8], rng: &mut Random) -> Option<Vec<u8>> {
        let Range { start, end } = field.range;
        let (before, own, after) = (&file[..start], &file[start..end], &file[end..]);
        let replaced = match self {
            Self::Cut => return Some(before.to_vec()),
            Self::CutInside => return Some(file[..start + 1 + rng.below(own.len() - 1)].to_vec()),
            Self::Lost => Vec::new(),
            Self::Repeated => own.repeat(2),
            Self::Often => own.repeat(OFTEN),
            Self::ExtraByte => [own, &[0xcd]].concat(),
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
            _ => field.encoded(self.whole(field, file)?)?,
        };
        (replaced != own).then(|| [before, &replaced, after].concat())
    }

    /// Returns the new integer value of a field.
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
