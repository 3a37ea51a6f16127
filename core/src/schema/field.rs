//! What a definition states about a field.

/// The definition of a field.
#[derive(Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// The name, as in the path.
    pub name: &'static str,
    /// The first paragraph of its documentation.
    pub doc: &'static str,
    /// What it decides.
    pub role: Role,
    /// Where its value is stored.
    pub origin: Origin,
    /// Lists of the same record that must have the same length as this one, as paths from the record.
    pub same_length_as: &'static [&'static str],
    /// The object that its value identifies, if it is a name or an index.
    pub identity: Option<Identity>,
    /// The kind of objects that its elements are, if values refer to them by index: `#[schema(axis = "vertex")]`. If several
    /// lists contain objects of a kind, indices select from the first one that is not empty.
    pub axis: Option<&'static str>,
    /// What its numbers measure, if a change of scale changes them.
    pub quantity: Option<Quantity>,
}

impl FieldInfo {
    /// Defines a stored field that decides nothing about others.
    #[must_use]
    pub const fn new(name: &'static str, doc: &'static str) -> Self {
        Self {
            name,
            doc,
            role: Role::Free,
            origin: Origin::Stored,
            same_length_as: &[],
            identity: None,
            axis: None,
            quantity: None,
        }
    }
}

/// What numbers measure: `#[schema(length(none = -1.0))]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// The numbers that are lengths.
    pub kind: QuantityKind,
    /// The bits of the float that stands for no length.
    pub none: Option<u32>,
}

/// The numbers of a value that are lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuantityKind {
    /// All of them: `#[schema(length)]`.
    Length,
    /// The first three, which are coordinates: `#[schema(point)]`.
    Point,
    /// The first three of the last of four rows: `#[schema(matrix)]`.
    Matrix,
    /// Those that the list of the record states: `#[schema(quantity)]`.
    OfList,
}

impl QuantityKind {
    /// Returns the key that states it; nothing if the list of the record states it.
    #[must_use]
    pub const fn word(self) -> Option<&'static str> {
        match self {
            Self::Length => Some("length"),
            Self::Point => Some("point"),
            Self::Matrix => Some("matrix"),
            Self::OfList => None,
        }
    }
}

/// A reference by index: `#[schema(index_of("bone", none = -1))]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexOf {
    /// The kind of the objects: the [axis](FieldInfo::axis) of their list.
    pub entity: &'static str,
    /// The value that refers to no object.
    pub none: Option<i64>,
    /// The next field of the record, if it has the upper half of an index among more than 65,536 objects.
    pub upper: Option<&'static str>,
}

/// What a value identifies: an object, by the kind of the object in plain words, such as `bone`, or one of a few cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// It is the name of the object that the record describes.
    Name(&'static str),
    /// It is the name of another object.
    NameOf(&'static str),
    /// It is the index of another object.
    IndexOf(IndexOf),
    /// It is the index of an object of the kind that the list of the record states: `#[schema(index)]`.
    Index,
    /// It is an integer that stands for one of these cases: `#[schema(one_of = &[("linear", 0), ("cubic", 1)])]`. A file can have
    /// other numbers.
    OneOf(&'static [(&'static str, i64)]),
}

impl Identity {
    /// Returns the name of the case that an integer stands for.
    #[must_use]
    pub fn case(self, number: i128) -> Option<&'static str> {
        let Self::OneOf(cases) = self else { return None };
        cases.iter().find(|(_, value)| i128::from(*value) == number).map(|(name, _)| *name)
    }

    /// Returns the integer of a case by its name.
    #[must_use]
    pub fn number(self, case: &str) -> Option<i64> {
        let Self::OneOf(cases) = self else { return None };
        cases.iter().find(|(name, _)| *name == case).map(|(_, number)| *number)
    }

    /// Returns a sentence about the cases that an integer stands for: `0 is linear; 1 is cubic.`
    #[must_use]
    pub fn sentence(self) -> Option<String> {
        let Self::OneOf(cases) = self else { return None };
        let cases: Vec<_> = cases.iter().map(|(name, value)| format!("{value} is {name}")).collect();
        Some(format!("{}.", cases.join("; ")))
    }

    /// Returns the reference, if it is one by index.
    #[must_use]
    pub const fn index_of(self) -> Option<IndexOf> {
        if let Self::IndexOf(own) = self { Some(own) } else { None }
    }
}

/// Where the value of a field is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// In the record.
    Stored,
    /// Nowhere: it is computed from other fields.
    Computed,
    /// In the value after it: see [`Value::prefix`](super::Value::prefix).
    Prefix,
}

/// What a field decides about the bytes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// Nothing: it can be set.
    Free,
    /// It is the number of elements or bytes of the named field.
    Counts(&'static str),
    /// It is the size of the named field in bytes, and this number of bytes more.
    Sizes(&'static str, u64),
    /// It contains the offsets of the elements of the named field, which precedes it.
    Places(&'static str),
    /// It follows from the content of the file, unless the named field states another number.
    Follows(&'static str),
    /// It decides how the named field is read.
    Decides(&'static str),
    /// It is the encoding of the named field, or a property of it: the content can be converted to another one.
    Encodes(&'static str),
    /// It identifies the format.
    Magic,
}

impl Role {
    /// Returns whether the value follows from others: a count, a size or an offset.
    #[must_use]
    pub const fn follows(self) -> bool {
        matches!(self, Self::Counts(_) | Self::Sizes(..) | Self::Places(_) | Self::Follows(_))
    }
}
