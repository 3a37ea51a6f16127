//! Writes a [`Shape`] as a [Kaitai Struct](https://kaitai.io) schema.
//!
//! Kaitai generates parsers in many languages from such a schema, which has the same field names, types, conditions and
//! documentation as the Rust structs. [`Meta`] contains the name and the extensions of the format.
//!
//! ```
//! use bindpose::ksy::{Meta, write};
//! use bindpose::formats::ms3d::Joint;
//! use bindpose::schema::Schema;
//! let meta = Meta { id: "joint", title: "A joint", extensions: &[], note: "" };
//! assert!(write(&meta, &Joint::shape()).contains("id: num_rotation_keys"));
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Presence, first, prefix, presence, prose, published, unwrapped};
use crate::schema::{
    Count, Expr, FieldShape, FlagsShape, Identity, Length, Op, ParamType, RecordShape, Role, Scalar, Shape,
};

/// The metadata of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The name of the format; dashes become underscores.
    pub id: &'static str,
    /// The full name of the format.
    pub title: &'static str,
    /// File extensions without the dot.
    pub extensions: &'static [&'static str],
    /// What the schema omits.
    pub note: &'static str,
}

/// Returns the schema of a format as the text of a `.ksy` file.
///
/// ```
/// let ksy = bindpose::FileKind::Ms3d.ksy();
/// assert!(ksy.starts_with("# Generated"));
/// assert!(ksy.contains("id: num_rotation_keys"));
/// ```
#[must_use]
pub fn write(meta: &Meta, root: &Shape) -> String {
    let mut writer = Writer::default();
    let (root, body) = match root {
        Shape::Record(root) => {
            find_lists(root, true, &mut writer.lists);
            (root, writer.record(root, 0))
        }
        Shape::Choice(root) => {
            let without_params = RecordShape { params: &[], ..root.clone() };
            (root, writer.choice(&without_params, 0) + &tag_of_root(root))
        }
        _ => return String::new(),
    };
    let mut out = head(meta, root);
    out.push_str(&body);
    if !writer.types.is_empty() {
        out.push_str("types:\n");
    }
    for (name, body) in &writer.types {
        _ = write!(out, "  {name}:\n{body}");
    }
    if !writer.enums.is_empty() {
        out.push_str("enums:\n");
    }
    for (name, cases) in &writer.enums {
        _ = writeln!(out, "  {name}:");
        for (case, value) in *cases {
            _ = writeln!(out, "    {value}: {case}");
        }
    }
    out
}

/// A choice at the root has no parameter for its tag: the tag is the number at the start of the file.
fn tag_of_root(root: &RecordShape) -> String {
    root.params.iter().fold(String::new(), |text, (name, ty)| {
        let head = if text.is_empty() { "instances:\n" } else { "" };
        format!("{text}{head}  {name}:\n    pos: 0\n    type: {}\n", param_type(*ty))
    })
}

/// Returns `VertexExtra` as `vertex_extra`.
#[must_use]
pub fn snake(name: &str) -> String {
    let mut snake = String::new();
    for (at, c) in name.char_indices() {
        if c.is_uppercase() && at > 0 {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

fn head(meta: &Meta, root: &RecordShape) -> String {
    let mut out =
        String::from("# Generated from the structs that read and write the format; never edited by hand.\n");
    _ = write!(out, "meta:\n  id: {}\n  title: {}\n", meta.id.replace('-', "_"), meta.title);
    match meta.extensions {
        [] => {}
        [one] => _ = writeln!(out, "  file-extension: {one}"),
        many => _ = writeln!(out, "  file-extension:\n    - {}", many.join("\n    - ")),
    }
    out.push_str("  license: MIT OR Apache-2.0\n  endian: le\n");
    let note = if meta.note.is_empty() { String::new() } else { format!("\n\n{}", meta.note) };
    doc(&mut out, 0, &format!("{}{note}", root.doc));
    out
}

/// The named types and enumerations so far.
#[derive(Default)]
struct Writer {
    types: BTreeMap<String, String>,
    enums: BTreeMap<String, &'static [(&'static str, i64)]>,
    /// The list in the root that indices of a kind of objects select from; none if there are several lists of the kind.
    lists: BTreeMap<&'static str, Option<&'static str>>,
}

/// Notes the lists of objects in a record.
fn find_lists(record: &RecordShape, is_root: bool, lists: &mut BTreeMap<&'static str, Option<&'static str>>) {
    for field in &record.fields {
        if let Some(kind) = field.axis {
            let is_only = is_root && field.condition.is_none() && !lists.contains_key(kind);
            lists.insert(kind, is_only.then_some(field.name));
        }
        if let Some(inner) = record_in(&field.shape) {
            find_lists(inner, false, lists);
        }
    }
}

/// Returns the record in lists, options and parts.
fn record_in(shape: &Shape) -> Option<&RecordShape> {
    match shape {
        Shape::Record(record) | Shape::Choice(record) => Some(record),
        Shape::List(inner, _)
        | Shape::Optional(inner)
        | Shape::Part(inner)
        | Shape::Placed(inner)
        | Shape::Region(inner)
        | Shape::Packed { content: inner, .. } => record_in(inner),
        _ => None,
    }
}

/// How one field is read, and what it means: Kaitai's keys and values.
type Attributes = Vec<(&'static str, String)>;

impl Writer {
    /// The parameters and fields of a record.
    fn record(&mut self, record: &RecordShape, indent: usize) -> String {
        self.fields(record, indent, |_| &[])
    }

    /// The parameters and forms of a choice: the first one whose condition holds is read.
    fn choice(&mut self, choice: &RecordShape, indent: usize) -> String {
        let before = |form: &FieldShape| {
            let at = choice.fields.iter().position(|own| own.name == form.name);
            &choice.fields[..at.unwrap_or(0)]
        };
        self.fields(choice, indent, before)
    }

    fn fields<'a>(
        &mut self,
        record: &RecordShape,
        indent: usize,
        before: impl Fn(&FieldShape) -> &'a [FieldShape],
    ) -> String {
        let pad = " ".repeat(indent);
        let mut out = String::new();
        if !record.params.is_empty() {
            _ = writeln!(out, "{pad}params:");
        }
        for (name, ty) in record.params {
            _ = writeln!(out, "{pad}  - id: {name}\n{pad}    type: {}", param_type(*ty));
        }
        let (fields, placed) = published(record);
        let mut instances: String =
            fields.iter().filter_map(|field| self.object(record, field, indent + 2)).collect();
        if !fields.is_empty() {
            _ = writeln!(out, "{pad}seq:");
        }
        let is_padded = fields.iter().any(|field| matches!(field.shape, Shape::Bytes(Length::Padding(_))));
        if is_padded {
            // An instance keeps the position at which it is first used.
            _ = writeln!(out, "{pad}  - size: 0\n{pad}    if: start_of_record < 0");
        }
        for field in fields {
            self.field(&mut out, record, field, before(field), indent + 2);
        }
        if is_padded {
            _ = writeln!(instances, "{pad}  start_of_record:\n{pad}    value: _io.pos");
        }
        for field in placed {
            self.placed(&mut instances, record, field, indent + 2);
        }
        if !instances.is_empty() {
            _ = write!(out, "{pad}instances:\n{instances}");
        }
        out
    }

    /// Defines a flag word: the number, and an instance for each named bit.
    fn flags(flags: &FlagsShape) -> String {
        let mut out = format!("    seq:\n      - id: raw\n        type: {}\n", flags.word);
        doc(&mut out, 8, "All bits as one number.");
        if !flags.bits.is_empty() {
            out.push_str("    instances:\n");
        }
        for bit in flags.bits {
            _ = writeln!(out, "      {}:\n        value: {}", bit.name, quoted(&bit.expression()));
            doc(&mut out, 8, bit.doc);
        }
        out
    }

    fn field(
        &mut self,
        out: &mut String,
        record: &RecordShape,
        field: &FieldShape,
        before: &[FieldShape],
        indent: usize,
    ) {
        let args: Vec<String> = field.args.iter().map(|arg| displayed(arg, record)).collect();
        let (shape, args, is_part) = unwrapped(&field.shape, &args);
        let condition = field.condition.map(|condition| {
            let special =
                before.iter().filter_map(|form| form.condition).filter(|own| is_narrower(own, condition));
            special.fold(displayed(condition, record), |text, own| {
                format!("{text} and not ({})", displayed(own, record))
            })
        });
        let condition = match condition {
            Some(condition) if is_part => Some(format!("({condition}) and not _io.eof")),
            None if is_part => Some("not _io.eof".to_owned()),
            condition => condition,
        };
        if let Some((kind, what, counter)) = prefix(shape) {
            let name = format!("{kind}_{}", field.name);
            let attributes = vec![("type", self.type_name(counter, &[]))];
            let text = format!("{what} `{}`.", field.name);
            entry(out, indent, &name, &attributes, condition.as_deref(), &text);
        }
        let id = id_of(field, record);
        let mut attributes = match field.magic {
            Some(magic) => {
                let bytes: Vec<String> = magic.iter().map(|byte| format!("{byte:#04x}")).collect();
                vec![("contents", format!("[{}]", bytes.join(", ")))]
            }
            None => self.attributes(field.name, shape, args),
        };
        // Kaitai does not compare a case with the numbers that conditions contain, and has no cases of other types.
        if let (Some(Identity::OneOf(cases)), Role::Free, Shape::Scalar(_)) =
            (field.identity, field.role, shape)
        {
            let name = format!("{}_{}", snake(record.name), field.name);
            attributes.push(("enum", name.clone()));
            self.enums.insert(name, cases);
        }
        entry(out, indent, &id, &attributes, condition.as_deref(), field.doc);
        meaning(out, indent + 2, field);
    }

    /// Defines the object that an index of a record selects, where the list is in the root.
    fn object(&self, record: &RecordShape, field: &FieldShape, indent: usize) -> Option<String> {
        let own = field.identity?.index_of().filter(|own| own.upper.is_none())?;
        let list = self.lists.get(own.entity).copied().flatten()?;
        if !matches!(field.shape, Shape::Scalar(_)) {
            return None;
        }
        let (index, pad) = (id_of(field, record), " ".repeat(indent));
        let none = own.none.map_or_else(String::new, |none| format!(" and {index} != {none}"));
        let mut out = format!("{pad}{index}_object:\n{pad}  value: '_root.{list}[{index}]'\n");
        _ = writeln!(out, "{pad}  if: '{index} >= 0 and {index} < _root.{list}.size{none}'");
        doc(&mut out, indent + 2, &format!("The {} that `{index}` selects.", own.entity));
        Some(out)
    }

    /// Defines a part at an offset, which is an argument.
    fn placed(&mut self, out: &mut String, record: &RecordShape, field: &FieldShape, indent: usize) {
        let args: Vec<String> = field.args.iter().map(|arg| displayed(arg, record)).collect();
        let pos = quoted(first(&args));
        let (shape, args, _) = unwrapped(&field.shape, &args);
        let pad = " ".repeat(indent);
        _ = writeln!(out, "{pad}{}:\n{pad}  pos: {pos}", field.name);
        if let Some(offset) = field.args.first() {
            _ = writeln!(out, "{pad}  if: {}", quoted(&conditions(offset, record)));
        }
        for (key, value) in self.attributes(field.name, shape, args) {
            _ = writeln!(out, "{pad}  {key}: {value}");
        }
        doc(out, indent + 2, field.doc);
        meaning(out, indent + 2, field);
    }

    fn attributes(&mut self, name: &str, shape: &Shape, args: &[String]) -> Attributes {
        match shape {
            Shape::Bytes(length) => match length {
                Length::Text(size) => {
                    vec![("size", size.to_string()), ("terminator", "0".into())]
                }
                Length::Argument => vec![("size", quoted(first(args)))],
                Length::Prefix(counter) | Length::Ended(counter) => {
                    vec![("size", format!("len_{name}{}", value_of(counter)))]
                }
                Length::Terminated => vec![("terminator", "0".into())],
                Length::Padding(to) => {
                    vec![("size", quoted(&format!("({to} - (_io.pos - start_of_record) % {to}) % {to}")))]
                }
                Length::ToEnd => vec![("size-eos", "true".into())],
                Length::Damage => vec![("size", "0".into())],
            },
            Shape::List(item, count) => {
                let mut inner = args;
                let repeat = match count {
                    Count::Fixed(len) => len.to_string(),
                    Count::Argument => {
                        inner = args.get(1..).unwrap_or(&[]);
                        quoted(first(args))
                    }
                    Count::Prefix(counter) | Count::MaybeCounted(counter) => {
                        format!("num_{name}{}", value_of(counter))
                    }
                    Count::ToEnd => return self.repeated(name, item, args, vec![("repeat", "eos".into())]),
                };
                self.repeated(name, item, inner, vec![("repeat", "expr".into()), ("repeat-expr", repeat)])
            }
            Shape::Region(content) => {
                let own = match &**content {
                    Shape::List(..) | Shape::Bytes(_) => self.wrapper(name, content),
                    content => self.type_name(content, args.get(1..).unwrap_or(&[])),
                };
                vec![("size", quoted(first(args))), ("type", own)]
            }
            other => vec![("type", self.type_name(other, args))],
        }
    }

    fn repeated(
        &mut self,
        name: &str,
        item: &Shape,
        args: &[String],
        repeat: Vec<(&'static str, String)>,
    ) -> Attributes {
        let own = match item {
            Shape::List(_, Count::Argument) => {
                let wrapper = self.wrapper(name, item);
                vec![("type", format!("'{wrapper}({})'", args.join(", ")))]
            }
            Shape::List(..) | Shape::Bytes(Length::Prefix(_) | Length::Ended(_)) => {
                vec![("type", self.wrapper(name, item))]
            }
            item => self.attributes(name, item, args),
        };
        own.into_iter().chain(repeat).collect()
    }

    /// Defines a type for a list in a list, as Kaitai requires.
    fn wrapper(&mut self, field: &str, item: &Shape) -> String {
        let name = match item {
            Shape::List(inner, Count::Fixed(len)) => format!("{}_x{len}", self.type_name(inner, &[])),
            Shape::List(inner, Count::Argument) => format!("{}_row", self.type_name(inner, &[])),
            _ => format!("{field}_item"),
        };
        let is_counted = matches!(item, Shape::List(_, Count::Argument));
        let args: &[_] = if is_counted { const { &[Expr::Name("num_items")] } } else { &[] };
        let inner = FieldShape { args, ..FieldShape::new("items", "", item.clone()) };
        let params: &[_] =
            if is_counted { const { &[("num_items", ParamType::Scalar(Scalar::I64))] } } else { &[] };
        let record = RecordShape { name: "", doc: "", params, fields: vec![inner], same_path: None };
        let body = self.record(&record, 4);
        self.types.insert(name.clone(), body);
        name
    }

    /// Defines a type the first time it is named.
    fn named(&mut self, name: &str, text: &str, body: impl FnOnce(&mut Self) -> String) -> String {
        let name = snake(name);
        if !self.types.contains_key(&name) {
            self.types.insert(name.clone(), String::new());
            let mut described = String::new();
            doc(&mut described, 4, text);
            described += &body(self);
            self.types.insert(name.clone(), described);
        }
        name
    }

    /// Returns the name of the type of a shape, and defines the type if necessary.
    fn type_name(&mut self, shape: &Shape, args: &[String]) -> String {
        match shape {
            Shape::Scalar(number) => number.to_string(),
            Shape::Flags(flags) => self.named(flags.name, flags.doc, |_| Self::flags(flags)),
            Shape::Record(record) => {
                let name = self.named(record.name, record.doc, |own| own.record(record, 4));
                called(&name, args)
            }
            Shape::Choice(choice) => {
                let name = self.named(choice.name, choice.doc, |own| own.choice(choice, 4));
                called(&name, args)
            }
            Shape::Written { name, body: "", .. } => (*name).into(),
            Shape::Written { name, body, .. } => {
                self.types.insert((*name).into(), format!("    {}", body.trim_start()));
                called(name, args)
            }
            Shape::Optional(inner)
            | Shape::Part(inner)
            | Shape::Placed(inner)
            | Shape::Region(inner)
            | Shape::Packed { stored: inner, .. } => self.type_name(inner, args),
            Shape::Recursive(own) => self.type_name(own.shape(), args),
            Shape::Bytes(_) | Shape::List(..) | Shape::Nothing | Shape::Spelled(_) => {
                self.wrapper("bytes", shape)
            }
        }
    }
}

/// Returns a type with its arguments.
fn called(name: &str, args: &[String]) -> String {
    if args.is_empty() { name.to_owned() } else { format!("'{name}({})'", args.join(", ")) }
}

/// Returns the name of a field. A body of a choice can have the same name as its tag, which Kaitai does not accept.
fn id_of(field: &FieldShape, record: &RecordShape) -> String {
    let is_param = record.params.iter().any(|(name, _)| *name == field.name);
    if is_param { format!("{}_body", field.name) } else { field.name.into() }
}

fn is_written(shape: &Shape) -> bool {
    matches!(shape, Shape::Written { body, .. } if !body.is_empty())
}

/// Returns the instance with the number, if the type is written by hand.
fn value_of(shape: &Shape) -> &'static str {
    if is_written(shape) { ".value" } else { "" }
}

/// Returns an expression with the instances of hand-written types.
fn displayed(expr: &Expr, record: &RecordShape) -> String {
    expr.display(&|name| {
        let field = record.fields.iter().find(|field| field.name == name);
        field.is_some_and(|field| is_written(&field.shape))
    })
}

/// Returns the conditions for a part at an offset.
fn conditions(offset: &Expr, record: &RecordShape) -> String {
    let conditions = presence(offset, record).into_iter().map(|own| match own {
        Presence::Element(list, index) => {
            format!("{}.size > {}", displayed(list, record), displayed(index, record))
        }
        Presence::Offset(offset) => format!("{} != 0", displayed(offset, record)),
    });
    conditions.collect::<Vec<_>>().join(" and ")
}

/// Whether a condition demands all that another one does, and more.
fn is_narrower(own: &Expr, other: &Expr) -> bool {
    let (own, other) = (parts(own), parts(other));
    own.len() > other.len() && other.iter().all(|part| own.contains(part))
}

/// Returns the parts of a conjunction.
fn parts(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Binary(Op::And, left, right) => [parts(left), parts(right)].concat(),
        Expr::Group(own) => parts(own),
        other => vec![other],
    }
}

fn param_type(ty: ParamType) -> String {
    match ty {
        ParamType::Scalar(number) => number.to_string(),
        ParamType::Bool => "bool".into(),
        ParamType::Bytes => "bytes".into(),
        ParamType::Text => "str".into(),
    }
}

fn entry(
    out: &mut String,
    indent: usize,
    name: &str,
    attributes: &[(&str, String)],
    condition: Option<&str>,
    text: &str,
) {
    let pad = " ".repeat(indent);
    _ = writeln!(out, "{pad}- id: {name}");
    for (key, value) in attributes {
        _ = writeln!(out, "{pad}  {key}: {value}");
    }
    if let Some(condition) = condition {
        _ = writeln!(out, "{pad}  if: {}", quoted(condition));
    }
    doc(out, indent + 2, text);
}

/// Writes what a field means. Kaitai ignores keys that begin with a dash.
fn meaning(out: &mut String, indent: usize, field: &FieldShape) {
    for (key, word) in field.meaning() {
        _ = writeln!(out, "{}-{}: {word}", " ".repeat(indent), key.replace('_', "-"));
    }
}

/// Returns an expression as a YAML scalar.
fn quoted(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_. ".contains(c));
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "''")) }
}

fn doc(out: &mut String, indent: usize, text: &str) {
    if text.is_empty() {
        return;
    }
    let pad = " ".repeat(indent);
    _ = writeln!(out, "{pad}doc: |");
    for line in prose(text) {
        _ = writeln!(out, "{}", format!("{pad}  {line}").trim_end());
    }
}
