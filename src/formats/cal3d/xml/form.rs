//! How the XML form spells the structs of the binary form: the hints on their fields, compiled for reading.

use crate::schema::{Count, FieldShape, Identity, RecordShape, Role, Shape, Step};

/// A struct of the binary form as an element spells it.
#[derive(Debug, Default)]
pub struct Form {
    /// The name of the struct.
    pub(in crate::formats::cal3d) name: &'static str,
    /// The fields that the XML form has, those of structs without an element of their own included.
    pub(in crate::formats::cal3d) fields: Vec<Field>,
    /// The fields that are written in attributes.
    pub(super) in_attributes: Vec<usize>,
    /// The fields that are written in elements.
    pub(super) in_elements: Vec<usize>,
    /// The fields by the names of their attributes.
    attributes: NameMap<usize>,
    /// The fields by the names of their elements.
    elements: NameMap<usize>,
}

/// A field that the XML form has.
#[derive(Debug)]
pub(in crate::formats::cal3d) struct Field {
    /// The steps from the struct to the field.
    pub(in crate::formats::cal3d) steps: Vec<Step>,
    /// See [`XmlHint::names`](crate::schema::XmlHint).
    pub(in crate::formats::cal3d) names: &'static [&'static str],
    /// The words that replace a missing value.
    pub(in crate::formats::cal3d) default: Option<Vec<&'static str>>,
    /// Whether a missing value repeats that of the element before.
    pub(in crate::formats::cal3d) repeats: bool,
    /// Whether it may be missing.
    pub(in crate::formats::cal3d) is_optional: bool,
    /// Whether it decides what follows.
    pub(in crate::formats::cal3d) role: Role,
    /// The object that it identifies.
    pub(in crate::formats::cal3d) identity: Option<Identity>,
    /// What it consists of.
    pub(in crate::formats::cal3d) content: Content,
}

/// What a field consists of.
#[derive(Debug)]
pub(in crate::formats::cal3d) enum Content {
    /// One text.
    Text,
    /// Numbers, each a word.
    Numbers(usize),
    /// Elements of numbers.
    Rows(usize),
    /// Elements that spell structs.
    Records(Form),
    /// A struct without an element of its own.
    Record(Form),
}

impl Form {
    /// The form of a root struct.
    pub(in crate::formats::cal3d) fn of(shape: &Shape) -> Self {
        match content(shape) {
            Content::Record(form) => form,
            _ => Self::default(),
        }
    }

    fn of_record(record: &RecordShape) -> Self {
        let fields: Vec<_> = record.fields.iter().flat_map(Field::of).collect();
        let numbered = || fields.iter().enumerate();
        let attributes =
            numbered().flat_map(|(index, field)| field.attributes().map(move |name| (name, index)));
        let elements = numbered().flat_map(|(index, field)| field.elements().map(move |name| (name, index)));
        let (attributes, elements) = (attributes.collect(), elements.collect());
        let is_attribute =
            |index: &usize| fields[*index].names.first().is_some_and(|name| name.starts_with('@'));
        let (in_attributes, in_elements) = (0..fields.len()).partition(is_attribute);
        Self { name: record.name, fields, in_attributes, in_elements, attributes, elements }
    }

    /// The field in an attribute of this name.
    pub(in crate::formats::cal3d) fn attribute(&self, name: &[u8]) -> Option<usize> {
        self.attributes.get(name)
    }

    /// The field in elements of this name.
    pub(in crate::formats::cal3d) fn element(&self, name: &[u8]) -> Option<usize> {
        self.elements.get(name)
    }

    /// The field in the words of the element itself.
    pub(in crate::formats::cal3d) fn own_words(&self) -> Option<usize> {
        self.fields.iter().position(|field| field.names.contains(&"."))
    }

    /// All fields, those of structs in elements inside included.
    pub(in crate::formats::cal3d) fn all_fields(&self) -> Vec<&Field> {
        let mut fields: Vec<_> = self.fields.iter().collect();
        for field in &self.fields {
            if let Content::Records(form) = &field.content {
                fields.extend(form.all_fields());
            }
        }
        fields
    }
}

impl Field {
    /// A field and the count that precedes it.
    fn of(shape: &FieldShape) -> Vec<Self> {
        let Some(hint) = shape.xml else { return Vec::new() };
        let is_optional = matches!(shape.shape, Shape::Optional(_));
        let field = |name: String, names, role, content| Self {
            steps: vec![Step::Field(name.into())],
            names,
            default: hint.default.map(|words| words.split(' ').collect()),
            repeats: hint.repeats,
            is_optional,
            role,
            identity: shape.identity,
            content,
        };
        let mut fields = match content(&shape.shape) {
            Content::Record(form) => {
                form.fields.into_iter().map(|own| own.inside(shape.name, is_optional)).collect()
            }
            content => vec![field(shape.name.into(), hint.names, list_role(shape.role), content)],
        };
        if !hint.counts.is_empty() {
            let name = format!("num_{}", shape.name);
            fields.push(field(name, hint.counts, Role::Counts(shape.name), Content::Numbers(1)));
        }
        fields
    }

    /// The field as a field of the enclosing struct.
    fn inside(mut self, name: &'static str, is_optional: bool) -> Self {
        self.steps.insert(0, name.into());
        self.is_optional |= is_optional;
        self
    }

    /// Whether it is in an attribute of this name.
    pub(in crate::formats::cal3d) fn is_attribute(&self, name: &[u8]) -> bool {
        self.attributes().any(|own| is_same(own, name))
    }

    /// Whether it is in an attribute.
    pub(in crate::formats::cal3d) fn is_in_attribute(&self) -> bool {
        self.attributes().next().is_some()
    }

    /// The attributes that it can be in.
    pub(in crate::formats::cal3d) fn attributes(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().filter_map(|name| name.strip_prefix('@'))
    }

    /// The elements that it can be in.
    pub(in crate::formats::cal3d) fn elements(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().copied().filter(|name| !name.starts_with(['@', '.']))
    }

    /// The preferred name, as messages show it.
    pub(in crate::formats::cal3d) fn label(&self) -> &'static str {
        let name = self.names.first().copied().unwrap_or_default();
        name.strip_prefix('@').unwrap_or(name)
    }

    /// Whether an element cannot be read without it.
    pub(in crate::formats::cal3d) fn is_required(&self) -> bool {
        !self.is_optional && self.is_stored() && matches!(self.content, Content::Text | Content::Numbers(_))
    }

    /// Whether it is a value of the struct: the magic is the binary form's, and counts follow from their lists.
    pub(in crate::formats::cal3d) const fn is_stored(&self) -> bool {
        !matches!(self.role, Role::Counts(_) | Role::Magic)
    }
}

/// A count may follow from an expression, which begins with the list.
fn list_role(role: Role) -> Role {
    match role {
        Role::Counts(list) => Role::Counts(list.split('.').next().unwrap_or(list)),
        other => other,
    }
}

/// Names are the same in upper and lower case: some exporters write them in lower case.
pub(in crate::formats::cal3d) fn is_same(name: &str, word: &[u8]) -> bool {
    name.as_bytes().eq_ignore_ascii_case(word)
}

/// Compares two names as words of four or eight bytes, which takes less time than a call of `memcmp`.
#[inline]
pub(in crate::formats::cal3d) fn is_equal(name: &[u8], word: &[u8]) -> bool {
    name.len() == word.len()
        && match name.len() {
            8..=16 => {
                name.first_chunk::<8>() == word.first_chunk() && name.last_chunk::<8>() == word.last_chunk()
            }
            4..=7 => {
                name.first_chunk::<4>() == word.first_chunk() && name.last_chunk::<4>() == word.last_chunk()
            }
            _ => name == word,
        }
}

fn content(shape: &Shape) -> Content {
    match shape {
        Shape::Optional(inner) | Shape::Part(inner) | Shape::Written { of: inner, .. } => content(inner),
        // The XML form has one layout, that of the first body.
        Shape::Choice(choice) => choice.fields.first().map_or(Content::Text, |body| content(&body.shape)),
        Shape::Record(record) => Content::Record(Form::of_record(record)),
        Shape::List(_, Count::Fixed(len)) => Content::Numbers(*len),
        Shape::List(item, _) => match content(item) {
            Content::Record(form) => Content::Records(form),
            Content::Numbers(len) => Content::Rows(len),
            other => other,
        },
        Shape::Bytes(_) => Content::Text,
        _ => Content::Numbers(1),
    }
}

/// The names that tokens depend on.
pub(in crate::formats::cal3d) struct Names {
    attributes: NameMap<AttributeKind>,
    /// Elements of numbers.
    number_elements: NameMap<()>,
}

/// What the name of an attribute decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::formats::cal3d) struct AttributeKind {
    /// Whether the rest of the file follows from the value: the magic and counts, unknown ones included.
    pub(in crate::formats::cal3d) governs: bool,
    /// Whether the value is one text, blanks included; all others are words.
    pub(in crate::formats::cal3d) is_text: bool,
}

impl AttributeKind {
    /// The kind of an attribute that some of these fields can be in.
    fn of(name: &str, fields: &[&Field]) -> Self {
        let is_own = |field: &&&Field| field.is_attribute(name.as_bytes());
        let any = |is: &dyn Fn(&Field) -> bool| fields.iter().filter(is_own).any(|field| is(field));
        let is_count = is_count(name.as_bytes()) && !any(&|field| field.role == Role::Free);
        Self { governs: is_count || any(&|field| !field.is_stored()), is_text: !any(&Field::is_of_numbers) }
    }
}

/// Whether a name begins as those of counts do.
fn is_count(name: &[u8]) -> bool {
    name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(b"NUM"))
}

impl Names {
    pub(in crate::formats::cal3d) fn of(forms: &[&'static Form]) -> Self {
        let fields: Vec<_> = forms.iter().flat_map(|form| form.all_fields()).collect();
        let attribute = |name: &'static str| (name, AttributeKind::of(name, &fields));
        let elements = fields.iter().filter(|field| match &field.content {
            Content::Numbers(_) | Content::Rows(_) => true,
            Content::Records(form) => form.own_words().is_some_and(|own| form.fields[own].is_of_numbers()),
            _ => false,
        });
        Self {
            attributes: fields.iter().flat_map(|field| field.attributes()).map(attribute).collect(),
            number_elements: elements.flat_map(|field| field.elements()).map(|name| (name, ())).collect(),
        }
    }

    /// What the name of an attribute decides.
    pub(in crate::formats::cal3d) fn attribute(&self, name: &[u8]) -> AttributeKind {
        let unknown = || AttributeKind { governs: is_count(name), is_text: true };
        self.attributes.get(name).unwrap_or_else(unknown)
    }

    /// Whether the content of an element is one text.
    pub(in crate::formats::cal3d) fn is_text_element(&self, name: &[u8]) -> bool {
        self.number_elements.get(name).is_none()
    }
}

/// Values of names, by the lengths of the names: each tag and attribute is looked up.
#[derive(Debug)]
struct NameMap<T>(Vec<Vec<(&'static str, T)>>);

impl<T> Default for NameMap<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// Of equal names, the first is used.
impl<T: Copy> FromIterator<(&'static str, T)> for NameMap<T> {
    fn from_iter<I: IntoIterator<Item = (&'static str, T)>>(names: I) -> Self {
        let mut map = Self::default();
        for (name, value) in names {
            if map.get(name.as_bytes()).is_none() {
                map.0.resize(map.0.len().max(name.len() + 1), Vec::new());
                map.0[name.len()].push((name, value));
            }
        }
        map
    }
}

impl<T: Copy> NameMap<T> {
    fn get(&self, word: &[u8]) -> Option<T> {
        let names = self.0.get(word.len())?;
        // Most files have the names in upper case.
        let exact = names.iter().find(|(name, _)| is_equal(name.as_bytes(), word));
        exact.or_else(|| names.iter().find(|(name, _)| is_same(name, word))).map(|(_, value)| *value)
    }
}

impl Field {
    /// Whether its words have paths of their own.
    pub(super) const fn is_of_many(&self) -> bool {
        matches!(self.content, Content::Numbers(2..) | Content::Rows(2..))
    }

    /// Whether its words are numbers.
    pub(in crate::formats::cal3d) const fn is_of_numbers(&self) -> bool {
        matches!(self.content, Content::Numbers(_) | Content::Rows(_))
    }
}
