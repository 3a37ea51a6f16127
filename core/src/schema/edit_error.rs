//! Why an edit is refused, and which edit would be accepted.

use std::fmt;

use super::path_error::differ_in_blanks;
use super::{Ambiguous, FieldPath, Names, escape};
use crate::counted;
use crate::error::plural;

/// Why a value cannot be changed as asked. Where another edit has the same effect, the variant is named after it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// The new value is not one that the field can store.
    Invalid(String),
    /// The number is outside of the range of the field.
    OutOfRange {
        /// The number, as given.
        value: String,
        /// The smallest number that fits.
        min: i128,
        /// The largest number that fits.
        max: i128,
    },
    /// The value is of another type than the field.
    WrongType {
        /// The type of the field.
        expected: String,
        /// The type of the value.
        actual: &'static str,
    },
    /// The value has a fixed number of bytes.
    WrongSize {
        /// Bytes of the value.
        expected: usize,
        /// Bytes given.
        actual: usize,
    },
    /// The field counts the elements of a list: append to the list or delete from it.
    Resize {
        /// The list.
        list: FieldPath,
    },
    /// The field is the length of another value: set that value.
    SetValue {
        /// The value.
        value: FieldPath,
    },
    /// The field describes packed bytes: set what is packed in them.
    SetContent {
        /// The packed value; its content follows after a `!`.
        packed: FieldPath,
    },
    /// The field decides which form another one has: create that form, which sets both.
    Create {
        /// The value that has several forms.
        choice: FieldPath,
    },
    /// The field decides how another one is read: change both in the JSON form of the file.
    EditAsJson {
        /// The other field.
        field: String,
    },
    /// The field is the encoding of another one: convert the file, which encodes all of it again.
    Convert {
        /// The other field.
        field: String,
    },
    /// The field follows from the content of the file, such as a checksum. A wrong one is stated in the JSON form.
    Follows,
    /// The field contains the offsets of the elements of a list and follows from them.
    Offsets {
        /// The list.
        list: String,
    },
    /// The field identifies the format.
    Magic,
    /// The file is damaged: what it lacks, or what is not decoded, belongs to what the edit changes. Rescue the file first.
    Damaged,
    /// The list has a fixed number of elements.
    FixedLength,
    /// The path selects no list.
    NotAList,
    /// The path selects no element of a list.
    NotAnElement,
    /// The path selects a value with several parts: set its leaves.
    NotALeaf,
    /// The value is not present in this file: create it first.
    Absent,
    /// The value cannot be created, as it is present: set it.
    Present,
    /// The value has several parts, so it needs one value for each of them.
    Several {
        /// The leaves that can be set.
        leaves: Vec<FieldPath>,
    },
    /// The value cannot be created alone: other fields decide whether it exists. Change all in the JSON form of the file.
    Conditional {
        /// The condition in the published schema, if it has one.
        condition: Option<String>,
    },
    /// The value would be read back with another structure, because other fields decide how it is read.
    Misread {
        /// What is written: `present`, `3 elements`.
        written: String,
        /// What is read.
        read: String,
    },
    /// The value has no packed content.
    NotPacked,
    /// No object has the name.
    NoObject {
        /// The kind of object: `bone`.
        kind: &'static str,
        /// The name, as given.
        name: String,
        /// The names of the objects of this kind.
        names: Names,
    },
    /// No object has exactly the name, but several have names that differ only in the blanks at their end.
    Ambiguous {
        /// The kind of object: `bone`.
        kind: &'static str,
        /// The name, as given.
        name: String,
        /// Two of the names.
        names: [String; 2],
    },
    /// Two objects of a kind would have the same name.
    NameTaken {
        /// The kind of object: `bone`.
        kind: &'static str,
        /// The new name.
        name: String,
        /// The present names of two of the objects.
        objects: [String; 2],
    },
    /// Something needs the object and cannot be without it.
    InUse {
        /// The kind of object: `material`.
        kind: &'static str,
        /// The name.
        name: String,
        /// What needs it, with the number: `12 faces`.
        users: String,
    },
    /// The format, or the contents of this file, do not allow the edit.
    Unsupported(String),
    /// The name is given two new names.
    TwoNames {
        /// The kind of object: `bone`.
        kind: &'static str,
        /// The present name.
        name: String,
        /// The new names.
        names: [String; 2],
    },
    /// Two files cannot be merged: only one of them has the objects.
    Unmatched {
        /// The kind of object: `bone`.
        kind: &'static str,
        /// Their names, in the order of the file.
        names: Vec<String>,
    },
    /// Two files cannot be merged: both have an object with the name.
    Duplicate {
        /// The kind of object: `clip`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// The file has no frame rate.
    NoRate {
        /// The name of its format.
        format: String,
    },
    /// A file cannot be changed with its bones, which are in another file.
    NeedsBones {
        /// The number of files with bones among those that are changed together.
        found: usize,
    },
}

impl EditError {
    /// Returns the reason why a name is refused that can be that of several objects of a kind.
    #[must_use]
    pub fn ambiguous(kind: &'static str, name: &[u8], Ambiguous { names }: &Ambiguous) -> Self {
        Self::Ambiguous { kind, name: escape(name), names: names.each_ref().map(|name| escape(name)) }
    }
}

impl From<String> for EditError {
    fn from(why: String) -> Self {
        Self::Invalid(why)
    }
}

impl From<&str> for EditError {
    fn from(why: &str) -> Self {
        Self::Invalid(why.into())
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { value, min, max } => write!(out, "{value} is out of range: {min} to {max}"),
            Self::WrongType { expected, actual } => write!(out, "expected {expected}, got {actual}"),
            Self::WrongSize { expected, actual } => {
                write!(out, "expected {}, got {actual}", counted(*expected as u64, "byte"))
            }
            Self::Resize { list } => write!(out, "is the number of elements of `{list}`"),
            Self::SetValue { value } => write!(out, "is the length of `{value}`"),
            Self::SetContent { packed } => write!(out, "follows from the packed content `{packed}!`"),
            Self::Create { choice } => {
                write!(out, "decides how `{choice}` is read; both must change together")
            }
            Self::EditAsJson { field } | Self::Convert { field } => {
                write!(out, "decides how `{field}` is read; both must change together")
            }
            Self::Follows => {
                out.write_str("follows from the content of the file; an existing error is preserved")
            }
            Self::Offsets { list } => {
                write!(
                    out,
                    "contains offsets, which are derived from `{list}`; an existing error is preserved"
                )
            }
            Self::Misread { written, read } => {
                write!(
                    out,
                    "is written as {written} but read back as {read}; other fields decide how it is read"
                )
            }
            Self::Damaged => {
                out.write_str("cannot be changed: part of it is missing or damaged in this file")
            }
            Self::Magic => out.write_str("identifies the format and cannot be changed"),
            Self::FixedLength => out.write_str("has a fixed length"),
            Self::NotAList => out.write_str("is not a list"),
            Self::NotAnElement => out.write_str("is not an element of a list"),
            Self::NotALeaf => out.write_str("is not a single value"),
            Self::Absent => out.write_str("is not present in this file"),
            Self::Present => out.write_str("is already present"),
            Self::Several { leaves } if leaves.is_empty() => out.write_str("has no value that can be set"),
            Self::Several { .. } => out.write_str("has several values; each must be set by its own path"),
            Self::Conditional { condition: Some(condition) } => {
                write!(out, "exists only where `{condition}`")
            }
            Self::Conditional { condition: None } => {
                out.write_str("cannot be created alone: another field decides whether it exists")
            }
            Self::NoObject { kind, name, names } => {
                let named = if name.is_empty() { "without a name".into() } else { format!("named `{name}`") };
                let kinds = plural(kind);
                match names.hint(&kinds) {
                    hint if hint.is_empty() => {
                        write!(out, "no {kind} is {named}; there are no {kinds} with a name")
                    }
                    hint => write!(out, "no {kind} is {named}{hint}"),
                }
            }
            Self::Ambiguous { kind, name, names } => {
                write!(out, "`{name}` is ambiguous; {}", differ_in_blanks(&format!("{kind}s"), names))
            }
            Self::NameTaken { kind, name, objects: [first, second] } => {
                write!(out, "the {kind}s `{first}` and `{second}` would both be named `{name}`")
            }
            Self::InUse { kind, name, users } => {
                write!(out, "the {kind} {} is used by {users}", quoted(name))
            }
            Self::Invalid(why) | Self::Unsupported(why) => out.write_str(why),
            Self::TwoNames { kind, name, names: [first, second] } => {
                write!(out, "the {kind} `{name}` is given two names, `{first}` and `{second}`")
            }
            Self::Unmatched { kind, names } => {
                let plural = if names.len() == 1 { "" } else { "s" };
                let listed: Vec<_> = names.iter().take(8).map(|name| quoted(name)).collect();
                write!(out, "only one of the files has the {kind}{plural} {}", listed.join(", "))?;
                match names.len() - listed.len() {
                    0 => Ok(()),
                    more => write!(out, " and {more} more"),
                }
            }
            Self::Duplicate { kind, name } => write!(out, "both files have a {kind} named `{name}`"),
            Self::NoRate { format } => write!(out, "{format} files have no frame rate"),
            Self::NeedsBones { found } => {
                let found = counted(*found as u64, "file");
                write!(
                    out,
                    "meshes and animations change with their bones; expected 1 file with bones beside them, got {found}"
                )
            }
            Self::NotPacked => out.write_str("has no packed content"),
        }
    }
}

/// Returns a name as messages show it.
fn quoted(name: &str) -> String {
    if name.is_empty() { "without a name".into() } else { format!("`{name}`") }
}

impl std::error::Error for EditError {}
