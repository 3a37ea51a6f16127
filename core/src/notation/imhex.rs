//! Writes a [`Shape`] as a pattern for the hex editor [ImHex](https://imhex.werwolv.net).
//!
//! A pattern labels and colours the bytes of a file. It has the same field names, types, conditions and documentation as
//! the Rust structs, and requires no library of patterns.
//!
//! ```
//! use bindpose::imhex::write;
//! use bindpose::ksy::Meta;
//! use bindpose::formats::ms3d::Joint;
//! use bindpose::schema::Schema;
//! let meta = Meta { id: "joint", title: "A joint", extensions: &[], note: "" };
//! assert!(write(&meta, &Joint::shape()).contains("u16 num_rotation_keys"));
//! ```

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::ksy::Meta;
use super::{Presence, first, prefix, presence, prose, published, unwrapped};
use crate::schema::{
    Count, Expr, FieldShape, FlagsShape, Identity, Length, Op, RecordShape, Role, Scalar, Shape,
};

/// Returns the pattern of a format as the text of a `.hexpat` file.
///
/// ```
/// let pattern = bindpose::FileKind::Ms3d.imhex();
/// assert!(pattern.starts_with("// Generated"));
/// assert!(pattern.contains("Ms3d ms3d @ 0;"));
/// ```
#[must_use]
pub fn write(meta: &Meta, root: &Shape) -> String {
    let (Shape::Record(record) | Shape::Choice(record)) = root else { return String::new() };
    let mut writer = Writer::default();
    let args: Vec<String> = record.params.iter().map(|(name, _)| (*name).into()).collect();
    let ty = writer.type_name(root, &args);
    let id = meta.id.replace('-', "_");
    let mut body = writer.types.concat();
    for name in &args {
        _ = match root {
            // The tag of a choice is the number at the start of the file.
            Shape::Choice(_) => writeln!(body, "\nu32 {name} @ 0 [[hidden]];"),
            _ => writeln!(body, "\n{}", dialect(name, record)),
        };
    }
    _ = writeln!(body, "\n{ty} {} @ 0;", named(&id));
    if !writer.has_regions {
        body = body.replace("region_start + ", "").replace("region_end", "sizeof($)");
    }
    let mut out = head(meta, record);
    for (name, text) in HELPERS {
        if body.contains(name) {
            _ = write!(out, "\n{text}");
        }
    }
    for name in &writer.forward {
        _ = write!(out, "\nusing {name};\n");
    }
    out + &body
}

/// Defines a parameter of the root, which the file does not contain, with the value of the first form that it selects.
fn dialect(name: &str, root: &RecordShape) -> String {
    let forms = root.fields.iter().flat_map(|field| match unwrapped::<()>(&field.shape, &[]).0 {
        Shape::Choice(choice) => choice.fields.as_slice(),
        _ => &[],
    });
    let values = forms.filter_map(|form| match form.condition? {
        Expr::Binary(Op::Eq, _, Expr::Int(value)) => Some(value.to_string()),
        _ => None,
    });
    let values: Vec<String> = values.collect();
    let value = first(&values);
    format!("// Not in the file. Values: {}.\nu32 {name} = {value};", values.join(", "))
}

/// What a pattern contains if it has the text.
const HELPERS: &[(&str, &str)] = &[
    ("region_end", "u64 region_start = 0;\nu64 region_end = sizeof($);\n"),
    (
        "\"word\"",
        "fn word(ref auto bits) {\n    return builtin::std::mem::read_unsigned(addressof(bits), sizeof(bits), 0);\n};\n",
    ),
    (
        "text(",
        "// The text up to the first NUL.\nfn text(str bytes) {\n    for (u32 i = 0, i < builtin::std::string::length(bytes), i = i + 1) {\n        if (builtin::std::string::at(bytes, i) == '\\x00') {\n            return builtin::std::string::substr(bytes, 0, i);\n        }\n    }\n    return bytes;\n};\n",
    ),
    (
        "has_part(",
        "// Whether the text has the part at an index.\nfn has_part(str whole, str part, s64 index) {\n    if (index < 0 || builtin::std::string::length(whole) < builtin::std::string::length(part)) {\n        return false;\n    }\n    return builtin::std::string::substr(whole, index, builtin::std::string::length(part)) == part;\n};\n",
    ),
];

fn head(meta: &Meta, root: &RecordShape) -> String {
    let mut out =
        String::from("// Generated from the structs that read and write the format; never edited by hand.\n");
    if !meta.extensions.is_empty() {
        _ = writeln!(out, "// File extensions: {}", meta.extensions.join(", "));
    }
    if !meta.note.is_empty() {
        out.push_str("//\n");
        comments(&mut out, &meta.note.replace("Kaitai", "ImHex"));
    }
    _ = writeln!(out, "#pragma description {}\n#pragma endian little", meta.title);
    if let Some(magic) = root.fields.first().and_then(|field| field.magic) {
        let bytes: Vec<String> = magic.iter().map(|byte| format!("{byte:02X}")).collect();
        _ = writeln!(out, "#pragma magic [ {} ] @ 0x00", bytes.join(" "));
    }
    // 0 means no limit; lists end with the file at the latest.
    out + "#pragma array_limit 0\n#pragma pattern_limit 0\n#pragma eval_depth 256\n"
}

/// The definitions so far, in the order in which they use each other.
#[derive(Default)]
struct Writer {
    types: Vec<String>,
    /// Whether each type is complete.
    names: BTreeMap<String, bool>,
    /// The records by their names.
    records: BTreeMap<String, RecordShape>,
    /// The types that contain themselves.
    forward: BTreeSet<String>,
    has_regions: bool,
}

impl Writer {
    /// Defines a type the first time it is named.
    fn define(&mut self, name: &str, text: &str, body: impl FnOnce(&mut Self) -> String) -> String {
        match self.names.insert(name.into(), false) {
            None => {
                let mut definition = String::from("\n");
                comments(&mut definition, text);
                definition += &body(self);
                self.types.push(definition);
                self.names.insert(name.into(), true);
            }
            Some(true) => _ = self.names.insert(name.into(), true),
            Some(false) => _ = self.forward.insert(name.into()),
        }
        name.into()
    }

    /// Returns the name of the type of a shape, and defines the type if necessary.
    fn type_name(&mut self, shape: &Shape, args: &[String]) -> String {
        let (shape, args, _) = unwrapped(shape, args);
        match shape {
            Shape::Scalar(number) => scalar(*number).into(),
            Shape::Flags(flags) => self.define(flags.name, flags.doc, |_| bitfield(flags)),
            Shape::Record(record) => {
                let name = self.unique(record);
                self.define(&name, record.doc, |own| own.record(&name, record));
                called(&name, record, args)
            }
            Shape::Choice(choice) => {
                let name = self.unique(choice);
                self.define(&name, choice.doc, |own| own.choice(&name, choice));
                called(&name, choice, args)
            }
            Shape::Written { name, body: "", .. } => big(name),
            Shape::Written { name, imhex, of, .. } if !imhex.is_empty() => {
                if let Shape::List(item, _) = &**of {
                    self.type_name(item, &[]);
                }
                let name = self.define(name, "", |_| (*imhex).into());
                with_args(&name, args)
            }
            Shape::Region(inner) => self.type_name(inner, args.get(1..).unwrap_or(&[])),
            other => self.wrapper("bytes", other),
        }
    }

    /// Returns the name of a record. Generic records share a name, and get a number.
    fn unique(&mut self, record: &RecordShape) -> String {
        let numbers = (2..).map(|number| format!("{}{number}", record.name));
        let mut names = std::iter::once(record.name.to_owned()).chain(numbers);
        let is_own = |name: &String| self.records.get(name).is_none_or(|known| known == record);
        let name = names.find(is_own).unwrap_or_default();
        self.records.entry(name.clone()).or_insert_with(|| record.clone());
        name
    }

    /// Defines a type for a list in a list.
    fn wrapper(&mut self, field: &str, item: &Shape) -> String {
        let (name, params): (_, &[&str]) = match item {
            Shape::List(inner, Count::Fixed(len)) => (format!("{}_x{len}", self.type_name(inner, &[])), &[]),
            Shape::List(inner, Count::Argument) => {
                (format!("{}_row", self.type_name(inner, &[])), &["num_items"])
            }
            _ => (format!("{field}_item"), &[]),
        };
        let args: Vec<String> = params.iter().map(|name| parameter(name)).collect();
        let name: String = name.split(['_', ' ']).map(title).collect();
        self.define(&name, "", |own| {
            let field = FieldShape::new("items", "", item.clone());
            let inline = if matches!(item, Shape::Bytes(_)) { "" } else { " [[inline]]" };
            let lines = own.lines(&field, &args, inline).join("\n    ");
            let is_static = if is_static(item) { " [[static]]" } else { "" };
            format!("struct {name}{} {{\n    {lines}\n}}{is_static};\n", template(params.iter().copied()))
        });
        with_args(&name, &args)
    }

    fn record(&mut self, name: &str, record: &RecordShape) -> String {
        let (fields, placed) = published(record);
        let mut body = String::new();
        for field in fields {
            let condition = field.condition.map(|own| format!("if ({}) ", expression(own, record)));
            let (_, _, is_part) = unwrapped::<()>(&field.shape, &[]);
            let part = if is_part { "if ($ < region_end) " } else { "" };
            body += &self.member(record, field, &format!("{}{part}", condition.unwrap_or_default()), false);
        }
        for field in placed {
            let conditions = field.args.first().map(|offset| presence(offset, record)).unwrap_or_default();
            let conditions = conditions.iter().map(|own| match own {
                Presence::Element(list, index) => {
                    format!("if ({} > {}) ", length(list, record), expression(index, record))
                }
                // The offset of a missing part precedes the layout.
                Presence::Offset(offset) => {
                    format!("if (region_start + {} >= $) ", grouped(&expression(offset, record)))
                }
            });
            body += &self.member(record, field, &conditions.collect::<String>(), false);
        }
        let is_static = record.params.is_empty() && record.fields.iter().all(is_static_field);
        let is_static = if is_static { " [[static]]" } else { "" };
        let params = template(record.params.iter().map(|(name, _)| *name));
        format!("struct {name}{params} {{\n{body}}}{is_static};\n")
    }

    /// The first form whose condition holds.
    fn choice(&mut self, name: &str, choice: &RecordShape) -> String {
        let mut body = String::new();
        for form in choice.fields.iter().filter(|form| form.shape.is_published()) {
            let or = if body.is_empty() { "" } else { "else " };
            let condition = form.condition.map(|own| format!("if ({}) ", expression(own, choice)));
            body += &self.member(choice, form, &format!("{or}{}", condition.unwrap_or_default()), true);
        }
        let params = template(choice.params.iter().map(|(name, _)| *name));
        format!("struct {name}{params} {{\n{body}}};\n")
    }

    /// Declares a field, with braces if it has a condition.
    fn member(&mut self, record: &RecordShape, field: &FieldShape, condition: &str, is_form: bool) -> String {
        let args: Vec<String> = field.args.iter().map(|arg| expression(arg, record)).collect();
        let mut attributes = Vec::new();
        let (shape, _, _) = unwrapped::<()>(&field.shape, &[]);
        let content = if let Shape::Region(content) = shape { content } else { shape };
        if is_form && matches!(content, Shape::Record(_) | Shape::Choice(_) | Shape::List(..)) {
            attributes.push("inline".into());
        }
        if named(field.name) != field.name {
            attributes.push(format!("name(\"{}\")", field.name));
        }
        attributes.extend(comment(field.doc));
        let mut after =
            if attributes.is_empty() { String::new() } else { format!(" [[{}]]", attributes.join(", ")) };
        if matches!(field.shape, Shape::Placed(_)) {
            after = format!(" @ region_start + {}{after}", grouped(first(&args)));
        }
        let lines = match (field.identity, field.role, shape) {
            (Some(Identity::OneOf(cases)), Role::Free, Shape::Scalar(number)) => {
                let name = format!("{}{}", record.name, field.name.split('_').map(title).collect::<String>());
                self.define(&name, "", |_| enumeration(&name, *number, cases));
                vec![format!("{name} {}{after};", named(field.name))]
            }
            _ => self.lines(field, &args, &after),
        };
        match condition {
            "" => format!("    {}\n", lines.join("\n    ")),
            _ => format!("    {condition}{{\n        {}\n    }}\n", lines.join("\n        ")),
        }
    }

    /// Declares a field of a shape, after the number of its elements or bytes. Text that follows the name is given.
    fn lines(&mut self, field: &FieldShape, args: &[String], after: &str) -> Vec<String> {
        let (shape, args, _) = unwrapped(&field.shape, args);
        let name = named(field.name);
        if let Shape::Region(content) = shape {
            self.has_regions = true;
            let content = FieldShape { shape: (**content).clone(), ..field.clone() };
            let inner = self.lines(&content, args.get(1..).unwrap_or(&[]), after);
            let before = [
                format!("u64 start_before_{name} = region_start;"),
                format!("u64 end_before_{name} = region_end;"),
                format!("region_end = $ + {};", grouped(first(args))),
                "region_start = $;".to_owned(),
            ];
            let behind = [
                "$ = region_end;".to_owned(),
                format!("region_start = start_before_{name};"),
                format!("region_end = end_before_{name};"),
            ];
            return before.into_iter().chain(inner).chain(behind).collect();
        }
        let mut lines = Vec::new();
        if let Some((kind, what, counter)) = prefix(shape) {
            let comment = comment(&format!("{what} `{}`.", field.name)).unwrap_or_default();
            lines.push(format!("{} {kind}_{} [[{comment}]];", self.type_name(counter, &[]), field.name));
        }
        let (ty, size) = self.declared(field.name, shape, args);
        // A run of bytes is one value.
        let after = match (&*ty, after.strip_suffix("]]")) {
            ("u8", Some(other)) if matches!(shape, Shape::Bytes(_)) => format!("{other}, sealed]]"),
            ("u8", None) if matches!(shape, Shape::Bytes(_)) => format!("{after} [[sealed]]"),
            _ => after.to_owned(),
        };
        // A list of one layout reads an element in advance, even if it is empty.
        let guard = match shape {
            Shape::List(_, Count::ToEnd) => "if ($ < region_end) ".to_owned(),
            Shape::List(item, Count::Argument | Count::Prefix(_) | Count::MaybeCounted(_))
                if is_static(item) && !matches!(**item, Shape::Scalar(_)) =>
            {
                let count = size.trim_matches(['[', ']']);
                format!("if ({count} > 0) ")
            }
            _ => String::new(),
        };
        lines.push(format!("{guard}{ty} {name}{size}{after};"));
        lines
    }

    /// Returns the type of a field and its size in brackets.
    fn declared(&mut self, name: &str, shape: &Shape, args: &[String]) -> (String, String) {
        match shape {
            Shape::Bytes(length) => match length {
                Length::Text(size) => ("char".into(), format!("[{size}]")),
                Length::Argument => ("u8".into(), format!("[{}]", first(args))),
                Length::Prefix(_) | Length::Ended(_) => ("char".into(), format!("[len_{name}]")),
                Length::Terminated => ("char".into(), "[]".into()),
                Length::Padding(to) => {
                    ("u8".into(), format!("[({to} - ($ - addressof(this)) % {to}) % {to}]"))
                }
                Length::ToEnd => ("u8".into(), "[region_end - $]".into()),
                Length::Damage => ("u8".into(), "[0]".into()),
            },
            Shape::List(item, count) => {
                let mut inner = args;
                let size = match count {
                    Count::Fixed(len) => len.to_string(),
                    Count::Argument => {
                        inner = args.get(1..).unwrap_or(&[]);
                        first(args).into()
                    }
                    Count::Prefix(_) | Count::MaybeCounted(_) => format!("num_{name}"),
                    Count::ToEnd => "while($ < region_end)".into(),
                };
                (self.item(name, item, inner), format!("[{size}]"))
            }
            // Text whose grammar Kaitai's definition describes in words.
            Shape::Written { imhex: "", body, of, .. } if !body.is_empty() => {
                let (_, size) = self.declared(name, of, args);
                ("char".into(), size)
            }
            other => (self.type_name(other, args), String::new()),
        }
    }

    fn item(&mut self, name: &str, item: &Shape, args: &[String]) -> String {
        match item {
            Shape::List(_, Count::Argument) => {
                let wrapper = self.wrapper(name, item);
                let name = wrapper.split('<').next().unwrap_or_default();
                with_args(name, args)
            }
            Shape::List(..) | Shape::Bytes(_) => self.wrapper(name, item),
            item => self.type_name(item, args),
        }
    }
}

/// Whether all values have the same layout, so that a list can share it.
fn is_static(shape: &Shape) -> bool {
    match shape {
        Shape::Scalar(_) | Shape::Flags(_) | Shape::Bytes(Length::Text(_)) => true,
        Shape::Written { body, .. } => body.is_empty(),
        Shape::List(item, Count::Fixed(_)) => is_static(item),
        Shape::Record(record) => record.params.is_empty() && record.fields.iter().all(is_static_field),
        _ => false,
    }
}

fn is_static_field(field: &FieldShape) -> bool {
    field.condition.is_none() && (!field.shape.is_published() || is_static(&field.shape))
}

/// Defines a flag word.
fn bitfield(flags: &FlagsShape) -> String {
    let mut out = format!("bitfield {} {{\n", flags.name);
    let mut at = 0;
    for bit in flags.bits {
        if bit.offset > at {
            _ = writeln!(out, "    padding : {};", bit.offset - at);
        }
        let attribute = comment(bit.doc).map(|own| format!(" [[{own}]]")).unwrap_or_default();
        _ = writeln!(out, "    {} : {}{attribute};", named(bit.name), bit.width);
        at = bit.offset + bit.width;
    }
    let all = 8 * u32::try_from(flags.word.size()).unwrap_or_default();
    if at < all {
        _ = writeln!(out, "    padding : {};", all - at);
    }
    // As a value it is the number.
    out + "} [[transform(\"word\")]];\n"
}

fn enumeration(name: &str, number: Scalar, cases: &[(&str, i64)]) -> String {
    let mut out = format!("enum {name} : {} {{\n", scalar(number));
    for (case, value) in cases {
        _ = writeln!(out, "    {} = {value},", named(case));
    }
    out + "};\n"
}

const fn scalar(number: Scalar) -> &'static str {
    match number {
        Scalar::U8 => "u8",
        Scalar::U16 => "u16",
        Scalar::U32 => "u32",
        Scalar::U64 => "u64",
        Scalar::I8 => "s8",
        Scalar::I16 => "s16",
        Scalar::I32 => "s32",
        Scalar::I64 => "s64",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

/// Returns Kaitai's `u4be` as `be u32`.
fn big(name: &str) -> String {
    match name.trim_end_matches("be") {
        "f4" => "be float".into(),
        "f8" => "be double".into(),
        number => {
            let (kind, bytes) = number.split_at(1);
            format!("be {kind}{}", 8 * bytes.parse::<u32>().unwrap_or(1))
        }
    }
}

/// Returns the name of a parameter. Types inside a type see its parameters, before fields of the same name.
fn parameter(name: &str) -> String {
    format!("arg_{name}")
}

fn template<'a>(params: impl Iterator<Item = &'a str>) -> String {
    let params: Vec<String> = params.map(|name| format!("auto {}", parameter(name))).collect();
    if params.is_empty() { String::new() } else { format!("<{}>", params.join(", ")) }
}

/// Returns a type with its arguments.
fn called(name: &str, record: &RecordShape, args: &[String]) -> String {
    with_args(name, args.get(..record.params.len()).unwrap_or(args))
}

fn with_args(name: &str, args: &[String]) -> String {
    let args: Vec<String> = args.iter().map(|own| grouped(own)).collect();
    if args.is_empty() { name.into() } else { format!("{name}<{}>", args.join(", ")) }
}

/// Returns an expression in parentheses unless it is a name or a number.
fn grouped(text: &str) -> String {
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    if is_plain { text.to_owned() } else { format!("({text})") }
}

/// Returns `u8` as `U8`.
fn title(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

/// Returns a name, extended if it is a word of the language.
fn named(name: &str) -> Cow<'_, str> {
    const WORDS: &str = " if else while for match return break continue struct enum union fn bitfield unsigned signed le be \
        parent namespace using this in out ref null const try catch import as is from true false padding auto any u8 u16 u24 \
        u32 u48 u64 u96 u128 s8 s16 s24 s32 s48 s64 s96 s128 float double bool char char16 str addressof sizeof typenameof ";
    if WORDS.contains(&format!(" {name} ")) { format!("{name}_").into() } else { name.into() }
}

/// Returns the attribute with the documentation of a field.
fn comment(text: &str) -> Option<String> {
    let lines = prose(text).join(" ").replace("  ", "\\n");
    (!lines.is_empty()).then(|| format!("comment(\"{}\")", lines.replace('"', "\\\"")))
}

fn comments(out: &mut String, text: &str) {
    for line in prose(text) {
        _ = writeln!(out, "{}", format!("// {line}").trim_end());
    }
}

/// Returns the number of elements or bytes of a field.
fn length(list: &Expr, record: &RecordShape) -> String {
    let text = expression(list, record);
    match (list, shape_of(list, record)) {
        (_, Some(Shape::Bytes(_))) => format!("sizeof({text})"),
        (_, Some(Shape::List(_, Count::Fixed(len)))) => len.to_string(),
        (Expr::Name(name), Some(Shape::List(_, Count::Prefix(_)))) => format!("num_{name}"),
        (Expr::Name(name), Some(Shape::List(_, Count::Argument))) => {
            let field = record.fields.iter().find(|field| field.name == *name);
            let count = field.and_then(|field| unwrapped(&field.shape, field.args).1.first());
            count.map_or_else(|| "0".into(), |count| grouped(&expression(count, record)))
        }
        _ => format!("builtin::std::core::member_count({text})"),
    }
}

/// Returns the shape of what an expression names.
fn shape_of<'a>(expr: &Expr, record: &'a RecordShape) -> Option<&'a Shape> {
    let field = |record: &'a RecordShape, name: &str| {
        let field = record.fields.iter().find(|field| field.name == name)?;
        Some(unwrapped::<()>(&field.shape, &[]).0)
    };
    match expr {
        Expr::Name(name) => field(record, name),
        Expr::Group(own) => shape_of(own, record),
        Expr::Member(own, name) => match shape_of(own, record)? {
            Shape::Record(inner) | Shape::Choice(inner) => field(inner, name),
            _ => None,
        },
        Expr::Index(list, _) => match shape_of(list, record)? {
            Shape::List(item, _) => Some(unwrapped::<()>(item, &[]).0),
            _ => None,
        },
        _ => None,
    }
}

/// Whether an expression has a value in every record.
fn is_certain(expr: &Expr, record: &RecordShape) -> bool {
    match expr {
        Expr::Name(name) => record.fields.iter().filter(|field| field.name == *name).all(|field| {
            field.condition.is_none()
                && !matches!(field.shape, Shape::Placed(_) | Shape::Part(_) | Shape::Optional(_))
        }),
        Expr::Int(_) | Expr::Hex(_) | Expr::Bool(_) | Expr::Text(_) => true,
        Expr::Member(own, _) => {
            matches!(shape_of(own, record), Some(Shape::Flags(_))) && is_certain(own, record)
        }
        Expr::Index(..) | Expr::If(..) => false,
        Expr::Binary(_, left, right) => is_certain(left, record) && is_certain(right, record),
        Expr::Not(own)
        | Expr::Neg(own)
        | Expr::Group(own)
        | Expr::Len(own)
        | Expr::Ascii(own)
        | Expr::StartsWith(own, _)
        | Expr::EndsWith(own, _) => is_certain(own, record),
    }
}

/// Returns an expression over the fields of a record.
fn expression(expr: &Expr, record: &RecordShape) -> String {
    let text = |expr: &Expr| expression(expr, record);
    match expr {
        Expr::Name("_index") => "builtin::std::core::array_index()".into(),
        Expr::Name(name) if record.params.iter().any(|(param, _)| param == name) => parameter(name),
        Expr::Name(name) => named(name).into(),
        Expr::Int(number) => number.to_string(),
        Expr::Hex(number) => format!("{number:#x}"),
        Expr::Bool(value) => value.to_string(),
        Expr::Text(text) => format!("{text:?}"),
        Expr::Member(Expr::Name("_io"), "size") => "region_end".into(),
        Expr::Member(Expr::Name("_io"), "pos") => "$".into(),
        // A flag word and a number with its own encoding are numbers.
        Expr::Member(own, "raw" | "value") if !matches!(shape_of(own, record), Some(Shape::Record(_))) => {
            text(own)
        }
        Expr::Member(own, name) => format!("{}.{}", text(own), named(name)),
        Expr::Index(list, index) => format!("{}[{}]", text(list), text(index)),
        Expr::Len(list) => length(list, record),
        Expr::Ascii(bytes) => format!("text({})", text(bytes)),
        Expr::StartsWith(whole, part) => format!("has_part({}, {part:?}, 0)", text(whole)),
        Expr::EndsWith(whole, part) => {
            let whole = text(whole);
            format!(
                "has_part({whole}, {part:?}, s64(builtin::std::string::length({whole})) - {})",
                part.len()
            )
        }
        Expr::Not(inner) => format!("!{}", text(inner)),
        Expr::Neg(inner) => format!("-{}", text(inner)),
        // The language evaluates both operands.
        Expr::Binary(Op::And, left, right) if !is_certain(right, record) => {
            format!("({} ? {} : false)", text(left), text(right))
        }
        Expr::Binary(Op::Or, left, right) if !is_certain(right, record) => {
            format!("({} ? true : {})", text(left), text(right))
        }
        Expr::Binary(op, left, right) => format!("{} {} {}", text(left), operator(*op), text(right)),
        Expr::If(condition, then, other) => format!("{} ? {} : {}", text(condition), text(then), text(other)),
        Expr::Group(inner) => format!("({})", text(inner)),
    }
}

const fn operator(op: Op) -> &'static str {
    match op {
        Op::And => "&&",
        Op::Or => "||",
        op => op.symbol(),
    }
}
