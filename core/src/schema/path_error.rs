//! Why a path selects nothing, and what was probably meant.

use std::collections::HashSet;
use std::fmt;

use super::{Ambiguous, FieldPath, Step};

/// Why a path selects nothing in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathError {
    /// The path does not follow the grammar of paths.
    Syntax(String),
    /// A record has no field of this name.
    NoField {
        /// The name of the record.
        record: String,
        /// The name in the path.
        name: String,
        /// The names there are.
        fields: Names,
    },
    /// A list has no element of this name, or none that matches the pattern.
    NoElement {
        /// The name in the path.
        name: String,
        /// The names there are.
        elements: Names,
    },
    /// A list has no element of exactly this name, but several whose names differ only in the blanks at their end.
    Ambiguous {
        /// The name in the path.
        name: String,
        /// Two of the names.
        elements: [String; 2],
    },
    /// A list has elements of this name, but fewer than the path counts.
    Fewer {
        /// The name in the path.
        name: String,
        /// The number in the path.
        nth: usize,
    },
    /// A list has no elements in this range.
    OutOfRange {
        /// The step in the path.
        step: Box<Step>,
        /// The number of elements.
        len: usize,
    },
    /// The path goes on with a field where a list needs an element.
    FieldOfList(String),
    /// The path goes on with an element where there is no list.
    NotAList(String),
    /// The value is optional, and this file does not have it.
    Absent(FieldPath),
    /// The value could not be decoded; its bytes are in `rest`.
    Damaged(FieldPath),
    /// The path goes on into the content of a value that is not packed, or could not be unpacked.
    NotPacked,
    /// The path goes on after a single value.
    NoParts(FieldPath),
    /// The path selects text where an array has numbers.
    NotNumeric(FieldPath),
    /// The elements of an array differ in their parts or sizes; this is the first one that does.
    Layouts(FieldPath),
    /// The path selects an object that has no values, or whose values cannot be interpreted; this is the reason.
    NoValues(String),
    /// The path selects this number of values instead of one.
    NotOneValue(usize),
    /// Any other reason.
    Other(String),
}

impl PathError {
    /// Returns the error for a name that no field of a record has.
    #[must_use]
    pub fn no_field<'a>(record: &str, name: &str, fields: impl IntoIterator<Item = &'a str>) -> Self {
        Self::NoField { record: record.into(), name: name.into(), fields: Names::near(name, fields) }
    }

    /// Returns the error for a name that no element of a list has.
    #[must_use]
    pub fn no_element(name: &str, names: &[Option<String>]) -> Self {
        let names = names.iter().flatten().map(String::as_str);
        Self::NoElement { name: name.into(), elements: Names::near(name, names) }
    }

    /// Returns the error for a name that could be that of several elements, in the text of paths.
    #[must_use]
    pub fn ambiguous(name: &str, Ambiguous { names }: &Ambiguous) -> Self {
        let elements = names.each_ref().map(|name| String::from_utf8_lossy(name).into_owned());
        Self::Ambiguous { name: name.into(), elements }
    }
}

impl From<String> for PathError {
    fn from(why: String) -> Self {
        Self::Other(why)
    }
}

impl From<&str> for PathError {
    fn from(why: &str) -> Self {
        Self::Other(why.into())
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoField { record, name, fields } => {
                write!(out, "`{record}` has no field `{name}`{}", fields.hint("fields"))
            }
            Self::NoElement { name, elements } => {
                write!(out, "no element is named `{name}`{}", elements.hint("names"))
            }
            Self::Ambiguous { name, elements } => {
                write!(out, "`{name}` is ambiguous; {}", differ_in_blanks("elements", elements))
            }
            Self::Fewer { name, nth } => write!(out, "fewer than {nth} elements are named `{name}`"),
            Self::OutOfRange { step, len: 0 } => write!(out, "`{step}` is out of range: the list is empty"),
            Self::OutOfRange { step, len } => {
                write!(
                    out,
                    "`{step}` is out of range: the list has {}",
                    crate::counted(*len as u64, "element")
                )
            }
            Self::FieldOfList(name) => {
                write!(out, "a list has no field `{name}`; select an element first, such as `[0].{name}`")
            }
            Self::NotAList(what) => write!(out, "`{what}` is not a list"),
            Self::Absent(path) => write!(out, "`{path}` is not present in this file"),
            Self::Damaged(path) => write!(out, "`{path}` is damaged in this file; its bytes are in `rest`"),
            Self::NotPacked => out.write_str("the value before `!` has no unpacked content"),
            Self::NoParts(path) => write!(out, "`{path}` is a single value without parts"),
            Self::NotNumeric(path) => write!(out, "`{path}` is not a number or bytes of fixed size"),
            Self::Layouts(path) => {
                write!(out, "`{path}` differs in its parts or their sizes from the elements before it")
            }
            Self::NotOneValue(len) => {
                write!(out, "expected one value, found {len}")
            }
            Self::NoValues(why) | Self::Syntax(why) | Self::Other(why) => out.write_str(why),
        }
    }
}

impl std::error::Error for PathError {}

/// Returns how a message about a name that could be one of two goes on; `what` are the objects that have them.
pub(super) fn differ_in_blanks(what: &str, [first, second]: &[String; 2]) -> String {
    format!("the names of the {what} `{first}` and `{second}` differ in the blanks at their end")
}

/// Names that can replace one that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Names {
    /// Those that differ in a few letters only, the nearest first.
    Similar(Vec<String>),
    /// The first ones; none is similar.
    All {
        /// At most twelve names, in the order of the file.
        first: Vec<String>,
        /// How many there are altogether.
        len: usize,
    },
}

/// How many similar names are listed.
const MOST_SIMILAR: usize = 3;
/// How many names are listed where none is similar.
const MOST_NAMES: usize = 12;
/// Longer names are not compared: the time for a pair is the product of both lengths.
const LONGEST_NAME: usize = 64;

impl Names {
    /// Collects the names nearest to one that does not exist.
    #[must_use]
    pub fn near<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut similar, mut first, mut len) = (Vec::new(), Vec::new(), 0);
        let mut seen = HashSet::new();
        for name in names.into_iter().filter(|name| seen.insert(*name)) {
            if let Some(distance) = distance(wanted, name) {
                similar.push((distance, name));
            }
            if len < MOST_NAMES {
                first.push(name.to_owned());
            }
            len += 1;
        }
        similar.sort_by_key(|(distance, _)| *distance);
        if similar.is_empty() {
            return Self::All { first, len };
        }
        Self::Similar(similar.into_iter().take(MOST_SIMILAR).map(|(_, name)| name.to_owned()).collect())
    }

    /// Returns how a message goes on; `what` are the names.
    pub(super) fn hint(&self, what: &str) -> String {
        let quoted =
            |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        match self {
            Self::Similar(names) => format!("; similar: {}", quoted(names)),
            Self::All { first, .. } if first.is_empty() => String::new(),
            Self::All { first, len } if *len == first.len() => format!("; {what}: {}", first.join(", ")),
            Self::All { first, len } => {
                format!("; {what}: {}, and {} more", first.join(", "), len - first.len())
            }
        }
    }
}

/// Returns the number of edits between two similar names; nothing where they are not similar.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    if wanted.len() > LONGEST_NAME || name.len() > LONGEST_NAME || name.is_empty() {
        return None;
    }
    let (wanted, name) = (wanted.to_lowercase(), name.to_lowercase());
    let distance = strsim::osa_distance(&wanted, &name);
    let most = (wanted.chars().count().max(name.chars().count()) / 3).max(1);
    (distance <= most).then_some(distance)
}
