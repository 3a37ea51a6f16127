//! Reads objects back into a file.

use super::{counted, member_name};
use crate::codec::Format as _;
use crate::formats::directx::convert::write;
use crate::formats::directx::packed::Packed;
use crate::formats::directx::syntax::fields::Counts;
use crate::formats::directx::syntax::objects::Objects;
use crate::formats::directx::syntax::template::{DEEPEST, Member, MemberKind, Size, Template, Templates};
use crate::formats::directx::syntax::writer::{Number, SymbolWriter, TextWriter, TokenWriter};
use crate::formats::directx::{Content, DOUBLE, Encoding, Guid, SINGLE, Tokens, X};
use crate::formats::json_tree::Tree;
use crate::json::Cursor;
use crate::schema::{FieldPath, Schema as _, Step, unescape};
use crate::text::TokenText;
use crate::wire::{FixedStr, Part, escape};
use crate::{Error, ErrorKind, Result};

/// Reads what [`print`](super::print) prints, and returns the bytes of the file.
///
/// # Errors
/// [`ErrorKind::Syntax`] with an offset in the text, and the path of a value; errors of writing the encoding.
pub(in crate::formats) fn read(json: &mut Cursor<'_>) -> Result<Vec<u8>> {
    let mut header = Header::default();
    let mut file = None;
    let mut first = true;
    json.expect(b'{')?;
    while json.goes_on(&mut first, b'}')? {
        match &json.key()?[..] {
            "roots" if file.is_some() => return Err(json.wrong("duplicate member `roots`")),
            "roots" => file = Some(header.file(json)?),
            _ if file.is_some() => return Err(json.wrong("`roots` must be the last member")),
            "version" => header.version = four(json)?,
            "float_size" => header.float_size = four(json)?,
            "encoding" => {
                let name = json.string()?.into_owned();
                let why = || {
                    json.wrong(&format!("unknown encoding; expected one of {}", Encoding::NAMES.join(", ")))
                };
                header.encoding = Encoding::named(name.trim_ascii_end()).ok_or_else(why)?;
            }
            "templates" => {
                let mut first = true;
                json.expect(b'[')?;
                while json.goes_on(&mut first, b']')? {
                    header.templates.push(b'\n');
                    header.templates.extend(text(json)?);
                }
            }
            other => {
                return Err(json.wrong(&format!(
                    "unknown member `{other}`; expected version, encoding, float_size, templates or roots"
                )));
            }
        }
    }
    file.ok_or_else(|| json.wrong("`roots` is missing"))?.encode()
}

/// Reads a text of four bytes.
fn four(json: &mut Cursor<'_>) -> Result<FixedStr<4>> {
    let text = text(json)?;
    <[u8; 4]>::try_from(text).map(FixedStr).map_err(|_| json.wrong("expected four characters"))
}

fn text(json: &mut Cursor<'_>) -> Result<Vec<u8>> {
    let text = unescape(&json.string()?);
    text.map_err(|why| json.wrong(&why.to_string()))
}

/// What precedes the objects.
struct Header {
    version: FixedStr<4>,
    encoding: Encoding,
    float_size: FixedStr<4>,
    /// The templates as text.
    templates: Vec<u8>,
}

impl Default for Header {
    fn default() -> Self {
        Self {
            version: FixedStr(*b"0303"),
            encoding: Encoding::ALL[0],
            float_size: SINGLE,
            templates: Vec::new(),
        }
    }
}

impl Header {
    /// Reads the objects, and returns the file.
    fn file(&self, json: &mut Cursor<'_>) -> Result<X> {
        let mut file = X {
            version: self.version,
            encoding: self.encoding.in_header(),
            float_size: self.float_size,
            ..X::blank(None)
        };
        let definitions = Tokens::Text(TokenText::new(self.templates.clone()));
        let definitions = Objects::of_content(&definitions)?;
        if let Some(problem) = definitions.problems().first() {
            return Err(json.wrong(&format!("`templates`: {}", problem.kind())));
        }
        let tokens = if self.encoding.binary {
            let out = write(&definitions, TokenWriter::new(self.float_size == DOUBLE))?;
            roots(json, &definitions, out)?.content()
        } else {
            let out = write(&definitions, TextWriter::new())?;
            roots(json, &definitions, out)?.content()
        };
        if self.encoding.packed {
            let content = Content::new(tokens);
            file.packed = Part::Present(Packed::new(content, (file.encoding, file.float_size))?);
            file.tokens = Part::Absent;
        } else {
            file.tokens = tokens.into_part();
        }
        Ok(file)
    }
}

/// An object of which the members are read.
#[derive(Default)]
struct Head {
    template: Option<Vec<u8>>,
    reference: Option<Vec<u8>>,
    name: Vec<u8>,
    guid: Option<Guid>,
    values: Option<Tree>,
    /// The offset of the values in the text.
    offset: u64,
}

/// Reads objects, without recursion.
fn roots<S: SymbolWriter>(json: &mut Cursor<'_>, definitions: &Objects<'_>, mut out: S) -> Result<S> {
    let mut writer = Objectwise { templates: definitions.templates(), out: &mut out };
    // For each open list, whether no element of it has been read.
    let mut open = vec![true];
    json.expect(b'[')?;
    while let Some(first) = open.last_mut() {
        if !json.goes_on(first, b']')? {
            open.pop();
            if !open.is_empty() {
                json.expect(b'}')
                    .map_err(|_| json.wrong("`children` must be the last member of an object"))?;
                writer.out.mark(b'}', false);
            }
            continue;
        }
        let (head, has_children) = Head::read(json)?;
        writer.head(json, head, has_children)?;
        if has_children {
            json.expect(b'[')?;
            open.push(true);
        }
    }
    Ok(out)
}

impl Head {
    /// Reads an object up to its children; returns whether it has any.
    fn read(json: &mut Cursor<'_>) -> Result<(Self, bool)> {
        let mut head = Self::default();
        let mut first = true;
        json.expect(b'{')?;
        while json.goes_on(&mut first, b'}')? {
            match &json.key()?[..] {
                "template" => head.template = Some(text(json)?),
                "reference" => head.reference = Some(text(json)?),
                "name" => head.name = text(json)?,
                "guid" => {
                    let guid = Guid::parse(&text(json)?);
                    head.guid = Some(guid.ok_or_else(|| json.wrong("expected 32 hexadecimal digits"))?);
                }
                "values" => {
                    head.offset = json.offset();
                    head.values = Some(Tree::read(json)?);
                }
                "children" => return Ok((head, true)),
                other => {
                    return Err(json.wrong(&format!(
                        "unknown member `{other}`; expected template, name, guid, values, children or reference"
                    )));
                }
            }
        }
        Ok((head, false))
    }
}

/// Writes objects.
struct Objectwise<'a, S> {
    templates: &'a Templates,
    out: &'a mut S,
}

type Outcome = Result<(), (Vec<Step>, String)>;

impl<S: SymbolWriter> Objectwise<'_, S> {
    /// Writes an object up to its children, or complete.
    fn head(&mut self, json: &Cursor<'_>, head: Head, has_children: bool) -> Result<()> {
        let wrong = |why: String| json.wrong(&why);
        let Some(template) = &head.template else {
            let Some(name) = head.reference.filter(|_| !has_children) else {
                return Err(json.wrong("`template` is missing, or follows `children`"));
            };
            return self.out.reference(&name, head.guid).map_err(wrong);
        };
        self.out.template(template).map_err(wrong)?;
        self.out.name(&head.name).map_err(wrong)?;
        self.out.mark(b'{', false);
        if let Some(guid) = head.guid {
            self.out.guid(guid);
        }
        let empty = Tree::Object(Vec::new());
        self.values(template, head.values.as_ref().unwrap_or(&empty)).map_err(|(path, why)| {
            let path = std::iter::once(Step::Field(escape(template).into())).chain(path);
            Error::new(head.offset, ErrorKind::Syntax(why)).at(FieldPath::from(path.collect::<Vec<_>>()))
        })?;
        self.out.end_values();
        if !has_children {
            self.out.mark(b'}', false);
        }
        Ok(())
    }

    fn values(&mut self, template: &[u8], tree: &Tree) -> Outcome {
        match (tree, self.templates.get(template)) {
            (Tree::List(values), _) => {
                values.iter().try_for_each(|value| self.untyped(value)).map_err(at_root)
            }
            (Tree::Object(_), Some(template)) => self.members(template, tree, 0),
            (Tree::Object(members), None) if members.is_empty() => Ok(()),
            (Tree::Object(_), None) => Err(at_root("the template is unknown; its values are a list".into())),
            _ => Err(at_root("expected an object or a list".into())),
        }
    }

    fn untyped(&mut self, value: &Tree) -> Result<(), String> {
        match value {
            Tree::Number(text) if !text.contains(['.', 'e', 'E']) => {
                self.out.number(Number::Integer(integer(text)?))?;
                self.out.end(0);
            }
            Tree::Text(text) if !text.starts_with("0x") => {
                self.out.text(&unescape(text).map_err(|why| why.to_string())?)?;
                self.out.mark(b';', false);
            }
            value => {
                self.out.number(float(value)?)?;
                self.out.end(0);
            }
        }
        Ok(())
    }

    fn members(&mut self, template: &Template, tree: &Tree, depth: usize) -> Outcome {
        let Tree::Object(members) = tree else { return Err(at_root("expected an object".into())) };
        if depth > DEEPEST {
            return Err(at_root("the template is nested too deep".into()));
        }
        let names: Vec<_> =
            template.members.iter().enumerate().map(|(index, own)| member_name(index, own)).collect();
        let unknown = members.iter().find(|(name, _)| !names.iter().any(|own| **own == **name));
        if let Some((name, _)) = unknown {
            let (name, names) = (Step::Field(name.to_string().into()), names.join(", "));
            return Err((vec![name], format!("unknown member; expected {names}")));
        }
        let mut counts = Counts::default();
        for (index, (member, name)) in template.members.iter().zip(&names).enumerate() {
            let own = tree.member(name);
            let inside = |(mut path, why): (Vec<Step>, String)| {
                path.insert(0, Step::Field(name.clone().into()));
                (path, why)
            };
            if member.counts {
                let number = self.count(template, index, tree).map_err(at_root).map_err(inside)?;
                counts.note(index, member, number);
                self.out.number(Number::Integer(number.into())).map_err(at_root).map_err(inside)?;
            } else if counts.of(member) == 0 || self.templates.flat_kind(&member.kind) == Some(0) {
                continue;
            } else {
                let own = own.ok_or_else(|| at_root("the member is missing".into())).map_err(inside)?;
                self.array(member, &counts, &member.sizes, own, depth).map_err(inside)?;
            }
            self.out.end(depth);
        }
        Ok(())
    }

    /// The number of elements of arrays, from their lengths.
    fn count(&self, template: &Template, index: usize, tree: &Tree) -> Result<u32, String> {
        let own = tree.member(&member_name(index, &template.members[index]));
        let mut count = match own.map(|own| own.number().ok_or("expected a number")).transpose()? {
            Some(text) => Some((integer(text)?, "the count".to_owned())),
            None => None,
        };
        for (at, member) in counted(self.templates, template, index) {
            let name = member_name(at, member);
            let items = tree.member(&name).map(|own| own.items().ok_or(format!("`{name}` is not a list")));
            let len = i64::try_from(items.transpose()?.map_or(0, <[Tree]>::len)).unwrap_or(i64::MAX);
            match &count {
                Some((other, by)) if *other != len => {
                    return Err(format!("`{name}` has {len} elements, but {by} has {other}"));
                }
                _ => count = Some((len, format!("`{name}`"))),
            }
        }
        let number = count.map_or(0, |(number, _)| number);
        u32::try_from(number).map_err(|_| format!("{number} is out of range, expected 0 to {}", u32::MAX))
    }

    fn array(
        &mut self,
        member: &Member,
        counts: &Counts,
        sizes: &[Size],
        tree: &Tree,
        depth: usize,
    ) -> Outcome {
        let Some((size, inner)) = sizes.split_first() else { return self.single(&member.kind, tree, depth) };
        let items = tree.items().ok_or_else(|| at_root("expected a list".into()))?;
        let len = counts.size(*size);
        if items.len() as u64 != len {
            return Err(at_root(format!("expected {len} elements, got {}", items.len())));
        }
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.out.between();
            }
            self.array(member, counts, inner, item, depth).map_err(|(mut path, why)| {
                path.insert(0, Step::Index(index));
                (path, why)
            })?;
        }
        Ok(())
    }

    fn single(&mut self, kind: &MemberKind, tree: &Tree, depth: usize) -> Outcome {
        let number = match kind {
            MemberKind::Struct(name) => {
                let template = self.templates.get(name);
                let why = || at_root(format!("unknown template `{}`", escape(name)));
                return self.members(template.ok_or_else(why)?, tree, depth + 1);
            }
            MemberKind::Text => {
                let text = tree.text().ok_or_else(|| at_root("expected a string".into()))?;
                let text = unescape(text).map_err(|why| at_root(why.to_string()))?;
                return self.out.text(&text).map_err(at_root);
            }
            MemberKind::Float { .. } => float(tree).map_err(at_root)?,
            MemberKind::Integer { .. } => {
                let text = tree.number().ok_or_else(|| at_root("expected an integer".into()))?;
                let number = integer(text).map_err(at_root)?;
                Number::Integer(kind.with_sign(number))
            }
        };
        self.out.number(number).map_err(at_root)
    }
}

/// An error at a value itself.
fn at_root(why: String) -> (Vec<Step>, String) {
    (Vec::new(), why)
}

fn integer(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| format!("`{text}` is not an integer"))
}

/// Returns a float from its digits or its bits.
fn float(tree: &Tree) -> Result<Number<'static>, String> {
    let wrong = |text: &str| format!("`{text}` is not a number");
    let text = tree.number().ok_or("expected a number")?;
    let bits = text.strip_prefix("0x");
    Ok(match bits {
        Some(hex) if hex.len() <= 8 => {
            Number::Single(f32::from_bits(u32::from_str_radix(hex, 16).map_err(|_| wrong(text))?))
        }
        Some(hex) => Number::Double(f64::from_bits(u64::from_str_radix(hex, 16).map_err(|_| wrong(text))?)),
        None => Number::Word(decimal(text).ok_or_else(|| wrong(text))?.into_bytes().into()),
    })
}

/// Returns a number with a point and without an exponent, which not all readers support.
fn decimal(text: &str) -> Option<String> {
    let number: f64 = text.parse().ok().filter(|own: &f64| own.is_finite())?;
    let plain = if text.contains(['e', 'E']) { number.to_string() } else { text.to_owned() };
    Some(if plain.contains('.') { plain } else { plain + ".0" })
}
