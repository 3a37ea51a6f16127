//! How the XML form spells the structs of the binary form: the hints on their fields, compiled for reading.

use std::collections::BTreeSet;

use crate::schema::{Count, FieldShape, Identity, RecordShape, Role, Shape, Step};

/// A struct of the binary form as an element spells it.
#[derive(Debug, Default)]
pub struct Form {
    /// The name of the struct.
    pub(in crate::formats::cal3d) name: &'static str,
    /// The fields that the XML form has, those of structs without an element of their own included.
    pub(in crate::formats::cal3d) fields: Vec<Field>,
}

/// A field that the XML form has.
#[derive(Debug)]
pub(in crate::formats::cal3d) struct Field {
    /// The steps from the struct to the field.
    pub(in crate::formats::cal3d) steps: Vec<Step>,
    /// See [`XmlHint::names`](crate::schema::XmlHint).
    pub(in crate::formats::cal3d) names: &'static [&'static str],
    /// The words that replace a missing value.
    pub(in crate::formats::cal3d) default: Option<&'static str>,
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
        Self { name: record.name, fields: record.fields.iter().flat_map(Field::of).collect() }
    }

    /// The field in an attribute of this name.
    pub(in crate::formats::cal3d) fn attribute(&self, name: &[u8]) -> Option<usize> {
        self.fields.iter().position(|field| field.is_attribute(name))
    }

    /// The field in elements of this name.
    pub(in crate::formats::cal3d) fn element(&self, name: &[u8]) -> Option<usize> {
        self.fields.iter().position(|field| field.elements().any(|own| is_same(own, name)))
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
            default: hint.default,
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
    /// Attributes of numbers.
    number_attributes: NameSet,
    /// Elements of numbers.
    number_elements: NameSet,
    /// Attributes that the rest of the file follows from.
    governing: NameSet,
    /// Attributes whose names begin as those of counts do, but which count nothing.
    free: NameSet,
}

impl Names {
    pub(in crate::formats::cal3d) fn of(forms: &[&'static Form]) -> Self {
        let fields: Vec<_> = forms.iter().flat_map(|form| form.all_fields()).collect();
        let attributes = |is: &dyn Fn(&Field) -> bool| {
            NameSet::of(fields.iter().filter(|field| is(field)).flat_map(|field| field.attributes()))
        };
        let elements = fields.iter().filter(|field| match &field.content {
            Content::Numbers(_) | Content::Rows(_) => true,
            Content::Records(form) => form.own_words().is_some_and(|own| form.fields[own].is_of_numbers()),
            _ => false,
        });
        Self {
            number_attributes: attributes(&Field::is_of_numbers),
            number_elements: NameSet::of(elements.flat_map(|field| field.elements())),
            governing: attributes(&|field| !field.is_stored()),
            free: attributes(&|field| field.role == Role::Free),
        }
    }

    /// Whether the value of an attribute is one text, blanks included; all others are words.
    pub(in crate::formats::cal3d) fn is_text_attribute(&self, name: &[u8]) -> bool {
        !self.number_attributes.has(name)
    }

    /// Whether the content of an element is one text.
    pub(in crate::formats::cal3d) fn is_text_element(&self, name: &[u8]) -> bool {
        !self.number_elements.has(name)
    }

    /// Whether the rest of the file follows from an attribute: the magic and counts, unknown ones included.
    pub(in crate::formats::cal3d) fn governs(&self, name: &[u8]) -> bool {
        let is_count = name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(b"NUM"));
        self.governing.has(name) || (is_count && !self.free.has(name))
    }
}

/// Names by their lengths: each tag and attribute is looked up.
#[derive(Default)]
struct NameSet(Vec<Vec<&'static str>>);

impl NameSet {
    fn of(names: impl Iterator<Item = &'static str>) -> Self {
        let mut set = Self::default();
        for name in names.collect::<BTreeSet<_>>() {
            set.0.resize(set.0.len().max(name.len() + 1), Vec::new());
            set.0[name.len()].push(name);
        }
        set
    }

    fn has(&self, word: &[u8]) -> bool {
        self.0.get(word.len()).is_some_and(|names| names.iter().any(|name| is_same(name, word)))
    }
}

impl Field {
    /// Whether its words are numbers.
    pub(in crate::formats::cal3d) const fn is_of_numbers(&self) -> bool {
        matches!(self.content, Content::Numbers(_) | Content::Rows(_))
    }
}
