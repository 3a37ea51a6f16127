//! The static description of an on-disk struct, from which `schemas/*` are written.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::{Bit, EditError, Expr, Identity, Quantity, Role, Schema};

/// The layout of a type on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// A number.
    Scalar(Scalar),
    /// A number whose bits have names.
    Flags(FlagsShape),
    /// A run of bytes: text, a blob, the rest.
    Bytes(Length),
    /// An on-disk struct.
    Record(RecordShape),
    /// Elements of one shape.
    List(Box<Self>, Count),
    /// A value without bytes, which is computed from others.
    Nothing,
    /// An optional value, present if the condition of the field holds.
    Optional(Box<Self>),
    /// A part that is present if bytes remain.
    Part(Box<Self>),
    /// A part at an offset. The first two arguments of the field are its offset and its count.
    Placed(Box<Self>),
    /// A part that is bounded by its size, the first argument of the field.
    Region(Box<Self>),
    /// One of several bodies, each with its condition. Its parameters begin with the tag.
    Choice(RecordShape),
    /// A type whose definitions for other tools are written by hand, because the expression language cannot derive them;
    /// or one of Kaitai's own, without a body.
    Written {
        /// The name of the type.
        name: &'static str,
        /// Its body in Kaitai's language, indented by four blanks.
        body: &'static str,
        /// Its definition in ImHex's language; empty if its bytes are text.
        imhex: &'static str,
        /// What it describes.
        of: Box<Self>,
    },
    /// A type that contains itself.
    Recursive(ByName),
    /// A number with its own encoding.
    Spelled(Spell),
    /// A packed value: how it is stored, and what it unpacks to.
    Packed {
        /// The stored bytes.
        stored: Box<Self>,
        /// The content.
        content: Box<Self>,
    },
}

impl Shape {
    /// Returns whether published schemas contain it.
    pub(crate) const fn is_published(&self) -> bool {
        match self {
            Self::Optional(inner) => inner.is_published(),
            shape => !matches!(shape, Self::Nothing | Self::Bytes(Length::Damage)),
        }
    }
}

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the numbers of Rust, by their names")]
pub enum Scalar {
    U8,
    U16,
    U32,
    U64,
    I8,
    I16,
    I32,
    I64,
    F32,
    F64,
}

impl Scalar {
    /// Returns the number of bytes.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Returns the smallest and the largest integer; nothing for floats.
    pub(crate) fn range(self) -> Option<(i128, i128)> {
        let bits = 8 * self.size();
        match self {
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => Some((0, (1 << bits) - 1)),
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => Some((-1 << (bits - 1), (1 << (bits - 1)) - 1)),
            Self::F32 | Self::F64 => None,
        }
    }
}

/// As Kaitai names it: `u1` to `u8`, `s1` to `s8`, `f4`, `f8`.
impl fmt::Display for Scalar {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::U8 => "u1",
            Self::U16 => "u2",
            Self::U32 => "u4",
            Self::U64 => "u8",
            Self::I8 => "s1",
            Self::I16 => "s2",
            Self::I32 => "s4",
            Self::I64 => "s8",
            Self::F32 => "f4",
            Self::F64 => "f8",
        })
    }
}

/// The layout of a flag word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagsShape {
    /// The name of the Rust type.
    pub name: &'static str,
    /// Its documentation.
    pub doc: &'static str,
    /// The number that consists of the bits.
    pub word: Scalar,
    /// The bits that have names.
    pub bits: &'static [Bit],
}

/// Parses a number and returns its bytes; with their number if it is always the same.
#[derive(Clone, Copy, Debug)]
pub struct Spell(pub fn(&str) -> Result<Vec<u8>, EditError>, pub Option<usize>);

/// All are equal: the names of their types tell them apart.
impl PartialEq for Spell {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Spell {}

/// A shape that refers to itself, for `#[schema(recursive)]`. A type that contains itself without it does not compile:
///
/// ```compile_fail,E0391
/// use bindpose::schema::{Schema, on_disk};
/// use bindpose::wire::Stream;
///
/// #[on_disk]
/// struct Branch {
///     branches: Stream<Branch>,
/// }
/// let _ = Branch::shape();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ByName(fn() -> &'static Shape);

impl ByName {
    /// Returns the reference to the shape of a type.
    #[must_use]
    pub fn of<T: Schema + 'static>() -> Self {
        Self(|| {
            static SHAPES: Mutex<BTreeMap<TypeId, &'static Shape>> = Mutex::new(BTreeMap::new());
            let mut shapes = SHAPES.lock().unwrap_or_else(PoisonError::into_inner);
            // The shape refers to itself by name, so this does not recurse.
            shapes.entry(TypeId::of::<T>()).or_insert_with(|| Box::leak(Box::new(T::shape())))
        })
    }

    /// Returns the shape.
    #[must_use]
    pub fn shape(self) -> &'static Shape {
        (self.0)()
    }
}

/// Two are equal if they are at the same place of equal shapes.
impl PartialEq for ByName {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for ByName {}

/// The number of bytes of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Length {
    /// A fixed number; text ends at the first NUL.
    Text(usize),
    /// The first argument of the field.
    Argument,
    /// The number directly before it.
    Prefix(Box<Shape>),
    /// The number directly before the run, which includes the NUL that ends a text.
    Ended(Box<Shape>),
    /// All bytes up to the first NUL, and it.
    Terminated,
    /// As many as fill the record up to a multiple of this number.
    Padding(u64),
    /// All remaining bytes.
    ToEnd,
    /// None in a valid file; published schemas omit it.
    Damage,
}

/// The number of elements of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// A fixed number.
    Fixed(usize),
    /// The first argument of the field.
    Argument,
    /// The number directly before it.
    Prefix(Box<Shape>),
    /// The number directly before the list; or the count in an earlier header, and then no number precedes the list.
    MaybeCounted(Box<Shape>),
    /// Until the bytes end.
    ToEnd,
}

/// The description of an on-disk struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordShape {
    /// The name of the Rust type.
    pub name: &'static str,
    /// Its documentation.
    pub doc: &'static str,
    /// The names and types of its parameters: the values from outside that its layout depends on.
    pub params: &'static [(&'static str, ParamType)],
    /// The fields in the order of the file; of a choice, its bodies.
    pub fields: Vec<FieldShape>,
    /// The check that the fast path agrees with the definition, for a record that needs no arguments; with the feature
    /// `strategies`, because only tests call it.
    pub same_path: Option<SamePath>,
}

/// See [`same_path`](crate::codec::same_path).
#[derive(Clone, Copy, Debug)]
pub struct SamePath(pub fn(&[u8]) -> Result<Option<usize>, String>);

impl SamePath {
    /// Returns the check of a type; none without the feature `strategies`.
    #[must_use]
    pub fn of<T: Schema + crate::wire::Wire>() -> Option<Self> {
        #[cfg(feature = "strategies")]
        return Some(Self(crate::codec::same_path::<T>));
        #[cfg(not(feature = "strategies"))]
        None
    }
}

/// Two are equal if their records have the same name.
impl PartialEq for SamePath {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for SamePath {}

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamType {
    /// A number. Dialects and other enumerations are numbers, too.
    Scalar(Scalar),
    /// A condition.
    Bool,
    /// A byte string.
    Bytes,
    /// A text.
    Text,
}

/// The description of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldShape {
    /// The name, as in the path.
    pub name: &'static str,
    /// Its documentation.
    pub doc: &'static str,
    /// The layout.
    pub shape: Shape,
    /// The condition under which it is present; `None` means always.
    pub condition: Option<&'static Expr>,
    /// The number that selects this body of a choice, where one number does.
    pub tag: Option<i64>,
    /// The arguments of its shape: a count or length first where it has one, then the parameters.
    pub args: &'static [Expr],
    /// What it decides about other fields.
    pub role: Role,
    /// The bytes that identify the format.
    pub magic: Option<&'static [u8]>,
    /// The object that its value identifies, if it is a name or an index.
    pub identity: Option<Identity>,
    /// The kind of objects that its elements are: see [`FieldInfo::axis`](super::FieldInfo::axis).
    pub axis: Option<&'static str>,
    /// What its numbers measure, if a change of scale changes them.
    pub quantity: Option<Quantity>,
    /// The element or attribute of the XML form, if the format has one.
    pub xml: Option<XmlHint>,
}

impl FieldShape {
    /// Describes a field that is always present, needs no arguments and decides nothing about others.
    #[must_use]
    pub const fn new(name: &'static str, doc: &'static str, shape: Shape) -> Self {
        Self {
            name,
            doc,
            shape,
            condition: None,
            tag: None,
            args: &[],
            role: Role::Free,
            magic: None,
            identity: None,
            axis: None,
            quantity: None,
            xml: None,
        }
    }

    /// Returns what its values mean, as words of the keys that state it: `index_of` and `bone`, `none` and `255`.
    ///
    /// ```
    /// use bindpose::formats::ms3d::Vertex;
    /// use bindpose::schema::{Schema, Shape};
    /// let Shape::Record(vertex) = Vertex::shape() else { unreachable!() };
    /// let bone_id = vertex.fields.iter().find(|field| field.name == "bone_id").expect("a field");
    /// assert_eq!(bone_id.meaning(), [("index_of", "bone".to_owned()), ("none", "255".to_owned())]);
    /// ```
    #[must_use]
    pub fn meaning(&self) -> Vec<(&'static str, String)> {
        let mut none = None;
        let identity = self.identity.and_then(|identity| match identity {
            Identity::Name(kind) => Some(("name", kind)),
            Identity::NameOf(kind) => Some(("name_of", kind)),
            Identity::IndexOf(own) => {
                none = own.none.map(|none| none.to_string());
                Some(("index_of", own.entity))
            }
            Identity::Index | Identity::OneOf(_) => None,
        });
        let quantity = self.quantity.and_then(|quantity| {
            none = none.take().or_else(|| quantity.none.map(|bits| f32::from_bits(bits).to_string()));
            Some(("quantity", quantity.kind.word()?))
        });
        let words = [self.axis.map(|kind| ("axis", kind)), identity, quantity].into_iter().flatten();
        let none = none.map(|none| ("none", none));
        words.map(|(key, word)| (key, word.to_owned())).chain(none).collect()
    }
}

/// The element or attribute of a field in the XML form of a format: `#[schema(xml("COLLAPSEID", default = "-1"))]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XmlHint {
    /// Where the value is, the preferred name first: `NAME` is a child element, repeated for each element of a list,
    /// `@NAME` an attribute, and `.` the element of the record itself.
    pub names: &'static [&'static str],
    /// Attributes that count the elements of a list whose count has no field of its own.
    pub counts: &'static [&'static str],
    /// The value that a missing one is read as. Without a default, and outside of an `Option`, the value is required.
    pub default: Option<&'static str>,
    /// Whether a missing value repeats that of the previous element; in the first element it has the default.
    pub repeats: bool,
}

/// Returns the size of a struct; `None` if a field has variable size.
#[must_use]
pub const fn join_fixed(fields: &[Option<usize>]) -> Option<usize> {
    let mut sum = 0;
    let mut at = 0;
    while at < fields.len() {
        match fields[at] {
            Some(size) => sum += size,
            None => return None,
        }
        at += 1;
    }
    Some(sum)
}

/// Returns a magic of up to eight bytes as a number, which selects the body of a choice.
#[must_use]
pub const fn tag_of(magic: &[u8]) -> i64 {
    let mut number = 0;
    let mut at = 0;
    while at < magic.len() {
        number |= (magic[at] as i64) << (8 * at);
        at += 1;
    }
    number
}

/// Returns the size of the fields before the first one of variable size.
#[must_use]
pub const fn head_size(fields: &[Option<usize>]) -> usize {
    let mut sum = 0;
    let mut at = 0;
    while at < fields.len() {
        match fields[at] {
            Some(size) => sum += size,
            None => return sum,
        }
        at += 1;
    }
    sum
}
