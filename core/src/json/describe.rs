//! Writes a JSON Schema for the JSON of a format.

use std::fmt::Write as _;

use super::cells::Cells;
use super::read::{can_be_left_out, plain};
use crate::schema::{Count, FlagsShape, Identity, Length, RecordShape, Scalar, Shape, Spell};

/// The notation of the objects of a file, which a document can have in place of the file.
#[derive(Clone, Copy, Debug)]
pub enum Objects<'a> {
    /// The values of a shape.
    Structs(&'a Shape),
    /// A JSON Schema, and the definitions that it refers to as members of an object.
    Schema(&'a str, &'a str),
}

/// Returns the JSON Schema (draft 2020-12) for files of a format, which can also be written as objects.
///
/// ```
/// use bindpose::FileKind;
/// use bindpose::json::describe;
/// let schema = describe("ms3d", &FileKind::Ms3d.shape(), None);
/// assert!(schema.contains("\"fps\": {\"$ref\": \"#/$defs/float\""));
/// ```
#[must_use]
pub fn describe(format: &str, shape: &Shape, objects: Option<Objects<'_>>) -> String {
    let mut describer = Describer::default();
    let file = describer.shape(shape);
    let (objects, definitions) = match objects {
        None => (None, ""),
        Some(Objects::Structs(shape)) => (Some(describer.shape(shape)), ""),
        Some(Objects::Schema(schema, definitions)) => (Some(schema.into()), definitions),
    };
    let mut out = String::from("{\n \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n");
    let properties = format!(
        "\"schema\": {{\"const\": \"bindpose/1\"}}, \"format\": {{\"const\": \"{format}\"}}, \
         \"dialect\": {{\"type\": \"string\"}}, \"file\": {file}"
    );
    let (properties, required) = match objects {
        None => (properties, r#""required": ["format", "file"]"#),
        Some(objects) => (
            format!("{properties}, \"objects\": {objects}"),
            r#""required": ["format"], "anyOf": [{"required": ["file"]}, {"required": ["objects"]}]"#,
        ),
    };
    _ = writeln!(out, " \"type\": \"object\",\n \"properties\": {{{properties}}},");
    _ = write!(out, " {required},\n \"additionalProperties\": false,\n \"$defs\": {{\n{COMMON}{definitions}");
    for (name, _, body) in &describer.types {
        _ = write!(out, ",\n  \"{name}\": {body}");
    }
    out + "\n }\n}\n"
}

/// The definitions for all formats.
const COMMON: &str = r#"  "float": {
   "description": "A finite number, or the bits of an infinity or NaN in hexadecimal.",
   "anyOf": [{"type": "number"}, {"type": "string", "pattern": "^0x[0-9a-fA-F]+$"}]
  },
  "text": {
   "description": "Text with \\xNN for bytes that are not text and \\\\ for a backslash, or hex:00ff for bytes; several rows if it is long.",
   "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
  }"#;

/// The records and choices so far: name, shape, description.
#[derive(Default)]
struct Describer<'a> {
    types: Vec<(String, &'a RecordShape, String)>,
}

impl<'a> Describer<'a> {
    fn shape(&mut self, shape: &'a Shape) -> String {
        match shape {
            Shape::Scalar(number) | Shape::Flags(FlagsShape { word: number, .. }) => self::number(*number),
            Shape::Spelled(Spell(_, None)) => r#"{"type": ["integer", "string"]}"#.into(),
            Shape::Spelled(_) => r#"{"type": ["number", "string"]}"#.into(),
            Shape::Bytes(Length::Prefix(counter) | Length::Ended(counter)) => {
                let counter = self.shape(counter);
                any_of(&[TEXT.into(), object(&[("len", counter), ("text", TEXT.into())])])
            }
            Shape::Bytes(_) => TEXT.into(),
            Shape::Record(record) => self.named(record, Self::record),
            Shape::Choice(choice) => self.named(choice, Self::choice),
            Shape::List(item, count) => self.list(item, count),
            Shape::Nothing => r#"{"type": "null"}"#.into(),
            Shape::Optional(inner)
            | Shape::Part(inner)
            | Shape::Placed(inner)
            | Shape::Region(inner)
            | Shape::Written { of: inner, .. } => self.shape(inner),
            Shape::Recursive(own) => self.shape(own.shape()),
            Shape::Packed { stored, content } => {
                let (stored, content) = (self.shape(stored), self.shape(content));
                any_of(&[stored.clone(), object(&[("stored", stored), ("content", content)])])
            }
        }
    }

    fn list(&mut self, item: &'a Shape, count: &'a Count) -> String {
        let mut forms = self.plain_lists(item, count);
        let list = any_of(&forms);
        if let Count::Prefix(counter) | Count::MaybeCounted(counter) = count {
            let counter = self.shape(counter);
            forms.push(object(&[("num", counter), ("items", list.clone())]));
        }
        if let Count::MaybeCounted(_) = count {
            forms.push(object(&[("there", list)]));
        }
        any_of(&forms)
    }

    /// Describes elements one by one, or in rows under the names of their fields.
    fn plain_lists(&mut self, item: &'a Shape, count: &Count) -> Vec<String> {
        let element = self.shape(item);
        let bounds = match count {
            Count::Fixed(len) => format!(r#", "minItems": {len}, "maxItems": {len}"#),
            _ => String::new(),
        };
        let list = |element: &str| format!(r#"{{"type": "array", "items": {element}{bounds}}}"#);
        let mut forms = vec![list(&element)];
        if let (Shape::Record(record), Some(Cells { names, .. })) = (plain(item), Cells::of_shape(item))
            && !names.is_empty()
        {
            let names: Vec<_> = names.into_iter().map(quoted).collect();
            let cells: Vec<_> = record.fields.iter().map(|field| self.shape(&field.shape)).collect();
            let row = format!(
                r#"{{"type": "array", "prefixItems": [{}], "minItems": {len}, "maxItems": {len}}}"#,
                cells.join(", "),
                len = names.len()
            );
            let names = format!(r#"{{"const": [{}]}}"#, names.join(", "));
            forms.push(object(&[("fields", names), ("rows", list(&row))]));
        }
        forms
    }

    /// Returns a reference to a type, which is described once.
    fn named(
        &mut self,
        record: &'a RecordShape,
        describe: impl Fn(&mut Self, &'a RecordShape) -> String,
    ) -> String {
        if let Some((name, ..)) = self.types.iter().find(|(_, known, _)| *known == record) {
            return reference(name);
        }
        let namesakes = self.types.iter().filter(|(_, known, _)| known.name == record.name).count();
        let number = if namesakes == 0 { String::new() } else { (namesakes + 1).to_string() };
        let (name, at) = (format!("{}{number}", record.name), self.types.len());
        self.types.push((name.clone(), record, String::new()));
        self.types[at].2 = describe(self, record);
        reference(&name)
    }

    fn record(&mut self, record: &'a RecordShape) -> String {
        let mut properties = Vec::new();
        for field in &record.fields {
            let mut shape = self.shape(&field.shape);
            if let (Some(Identity::OneOf(cases)), Shape::Scalar(_)) = (field.identity, &field.shape) {
                let names: Vec<_> = cases.iter().map(|(name, _)| quoted(name)).collect();
                shape = any_of(&[shape, format!(r#"{{"enum": [{}]}}"#, names.join(", "))]);
            }
            let shape = shape.strip_suffix('}').unwrap_or(&shape).to_owned();
            let cases = field.identity.and_then(Identity::sentence).map(|text| format!(" {text}"));
            let text = format!("{}{}", first(field.doc), cases.unwrap_or_default());
            let meaning: String = field.meaning().iter().map(keyword).collect();
            properties.push(format!(
                "    \"{}\": {shape}, \"description\": {}{meaning}}}",
                field.name,
                quoted(&text)
            ));
        }
        let required: Vec<_> = record
            .fields
            .iter()
            .filter(|field| !can_be_left_out(field))
            .map(|field| quoted(field.name))
            .collect();
        format!(
            "{{\n   \"description\": {},\n   \"type\": \"object\",\n   \"properties\": {{\n{}\n   }},\n   \
             \"required\": [{}],\n   \"additionalProperties\": false\n  }}",
            quoted(first(record.doc)),
            properties.join(",\n"),
            required.join(", ")
        )
    }

    fn choice(&mut self, choice: &'a RecordShape) -> String {
        let mut bodies = Vec::new();
        for body in &choice.fields {
            bodies.push(match &body.shape {
                Shape::Nothing => format!("{{\"const\": \"{}\"}}", body.name),
                shape => object(&[(body.name, self.shape(shape))]),
            });
        }
        format!(
            "{{\n   \"description\": {},\n   \"anyOf\": [\n    {}\n   ]\n  }}",
            quoted(first(choice.doc)),
            bodies.join(",\n    ")
        )
    }
}

/// Returns a member that states the meaning of a field. Validators ignore members that they do not know.
fn keyword((key, word): &(&str, String)) -> String {
    let is_number = word.parse::<f64>().is_ok_and(f64::is_finite);
    let word = if is_number { word.clone() } else { quoted(word) };
    format!(", \"x-{}\": {word}", key.replace('_', "-"))
}

const TEXT: &str = r##"{"$ref": "#/$defs/text"}"##;

fn reference(name: &str) -> String {
    format!("{{\"$ref\": \"#/$defs/{name}\"}}")
}

fn number(number: Scalar) -> String {
    let Some((least, most)) = number.range() else { return reference("float") };
    format!(r#"{{"type": "integer", "minimum": {least}, "maximum": {most}}}"#)
}

fn any_of(forms: &[String]) -> String {
    if let [form] = forms {
        return form.clone();
    }
    format!("{{\"anyOf\": [{}]}}", forms.join(", "))
}

/// Returns an object with exactly these members.
fn object(members: &[(&str, String)]) -> String {
    let properties: Vec<_> = members.iter().map(|(name, shape)| format!("\"{name}\": {shape}")).collect();
    let names: Vec<_> = members.iter().map(|(name, _)| quoted(name)).collect();
    format!(
        r#"{{"type": "object", "properties": {{{}}}, "required": [{}], "additionalProperties": false}}"#,
        properties.join(", "),
        names.join(", ")
    )
}

/// Returns the first paragraph of a documentation.
fn first(doc: &str) -> &str {
    doc.split("\n\n").next().unwrap_or_default()
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
