//! Conversion to another encoding. Not lossless: comments, number formatting and the splitting of lists are not
//! preserved.

use std::collections::HashSet;
use std::ops::Range;

use super::syntax::fields::Layout;
use super::syntax::objects::{Object, Objects};
use super::syntax::symbols::{Symbol, Symbols, single_number};
use super::syntax::template::MemberKind;
use super::syntax::values::{ValueError, Values};
use super::syntax::walk::{Halt, Visitor, Walk};
use super::syntax::writer::{Number, SymbolWriter, TextWriter, TokenWriter};
use super::{BINARY, Content, DOUBLE, PACKED_BINARY, PACKED_TEXT, Packed, SINGLE, TEXT, Token, Tokens, X};
use crate::schema::Role;
use crate::text::TokenText;
use crate::wire::{FixedStr, Part, Rest};
use crate::{Error, ErrorKind, Result};

/// The encoding of the content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// Binary tokens instead of text.
    pub binary: bool,
    /// Compressed in `MSZip` chunks.
    pub packed: bool,
    /// Floats in tokens have 64 bits instead of 32.
    pub double: bool,
}

impl Encoding {
    /// Every encoding with floats of 32 bits, the usual one first.
    pub const ALL: [Self; 4] = {
        const fn of(binary: bool, packed: bool) -> Encoding {
            Encoding { binary, packed, double: false }
        }
        [of(false, false), of(true, false), of(false, true), of(true, true)]
    };
    /// The names of all.
    pub(super) const NAMES: [&'static str; 4] = {
        let [a, b, c, d] = Self::ALL;
        [a.name(), b.name(), c.name(), d.name()]
    };

    /// Returns the name: `txt`, `bin`, `tzip` or `bzip`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match (self.binary, self.packed) {
            (false, false) => "txt",
            (true, false) => "bin",
            (false, true) => "tzip",
            (true, true) => "bzip",
        }
    }

    /// Returns the encoding with a name, with floats of 32 bits.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.name() == name)
    }

    /// Returns the name as the header has it, with a blank at its end.
    #[must_use]
    pub const fn in_header(self) -> FixedStr<4> {
        match (self.binary, self.packed) {
            (false, false) => TEXT,
            (true, false) => BINARY,
            (false, true) => PACKED_TEXT,
            (true, true) => PACKED_BINARY,
        }
    }

    /// Returns the encoding of a file, or `None` if the header names an unknown one.
    #[must_use]
    pub fn of(file: &X) -> Option<Self> {
        let own = Self::ALL.into_iter().find(|own| own.in_header() == file.encoding)?;
        Some(Self { double: file.float_size == DOUBLE, ..own })
    }
}

impl X {
    /// Returns the same objects in another encoding.
    ///
    /// If only the packing differs, the content is unchanged. Otherwise white space, comments, number formatting and the
    /// splitting of lists are lost. Numbers keep their values: floats are written in the shortest form that parses to
    /// the same value, and rounded if the target has 32-bit floats.
    ///
    /// # Errors
    /// If the file is damaged, or contains what the other encoding cannot represent: integers of more than 32 bits and floats
    /// beyond the range of the target in tokens; strings with quotation marks and names of several words in text.
    ///
    /// ```
    /// use bindpose::codec::Format;
    /// use bindpose::formats::directx::{Encoding, X};
    /// let text = X::decode(b"xof 0303txt 0032\nHeader {\n 1;\n 0;\n 1;\n}\n")?;
    /// let tokens = text.convert(Encoding { binary: true, packed: false, double: false })?;
    /// assert_eq!(tokens.convert(Encoding { binary: false, packed: false, double: false })?, text);
    /// # Ok::<(), bindpose::Error>(())
    /// ```
    pub fn convert(&self, to: Encoding) -> Result<Self> {
        if let Some(error) = crate::codec::damage(self) {
            return Err(error);
        }
        let own = Encoding::of(self);
        let same = own.is_some_and(|own| own.binary == to.binary && own.double == to.double);
        let tokens = match self.content() {
            Some(tokens @ Tokens::Text(_)) if !to.binary => tokens.clone(),
            Some(tokens @ Tokens::Binary(_)) if same => tokens.clone(),
            None if !to.binary && own.is_some_and(|own| !own.binary) => {
                Tokens::Text(TokenText::new(Vec::new()))
            }
            _ => self.reencoded(to)?,
        };
        self.with_content(tokens, to)
    }

    /// Returns the same objects in the encoding with a name, which can end with the size of floats in tokens: `bin64`. Text states their
    /// size by its templates only.
    pub(super) fn in_encoding(&self, name: &str) -> Option<Result<Self>> {
        let (name, size) = match (name.strip_suffix("32"), name.strip_suffix("64")) {
            (Some(name), _) => (name, Some(false)),
            (_, Some(name)) => (name, Some(true)),
            _ => (name, None),
        };
        let to = Encoding::named(name).filter(|to| to.binary || size.is_none())?;
        let own = Encoding::of(self);
        let keeps = || own.is_some_and(|own| if own.binary { own.double } else { self.has_doubles() });
        Some(self.convert(Encoding { double: size.unwrap_or_else(keeps), ..to }))
    }

    /// Returns whether an object has members of 64-bit floats, which tokens of 32 bits round.
    #[must_use]
    pub fn has_doubles(&self) -> bool {
        self.objects().is_ok_and(|objects| {
            let (templates, mut seen) = (objects.templates(), HashSet::new());
            objects.all().filter_map(|own| own.template()).any(|own| templates.has_doubles(own, &mut seen))
        })
    }

    /// Returns the file with other content.
    pub(super) fn with_content(&self, tokens: Tokens, to: Encoding) -> Result<Self> {
        // The float size has no meaning in text.
        let float_size = match (to.binary, to.double) {
            (false, _) => self.float_size,
            (true, false) => SINGLE,
            (true, true) => DOUBLE,
        };
        let mut file = Self {
            encoding: to.in_header(),
            float_size,
            tokens: Part::Absent,
            packed: Part::Absent,
            rest: Rest::default(),
            ..*self
        };
        if to.packed {
            file.packed = Part::Present(Packed::new(Content::new(tokens), (file.encoding, file.float_size))?);
        } else {
            file.tokens = tokens.into_part();
        }
        Ok(file)
    }

    /// Returns the content in the other encoding, after checking that it has the same objects.
    fn reencoded(&self, to: Encoding) -> Result<Tokens> {
        let objects = self.objects()?;
        let tokens = if to.binary {
            write(&objects, TokenWriter::new(to.double))?.content()
        } else {
            write(&objects, TextWriter::new())?.content()
        };
        objects.same_as(&Objects::of_content(&tokens)?)?;
        Ok(tokens)
    }
}

impl Objects<'_> {
    /// Returns the objects as tokens.
    pub(super) fn as_tokens(&self, double: bool) -> Result<Vec<Token>> {
        Ok(write(self, TokenWriter::new(double))?.finish())
    }
}

/// Writes all templates and objects.
pub(super) fn write<S: SymbolWriter>(objects: &Objects<'_>, out: S) -> Result<S> {
    let Some(tokens) = objects.tokens() else { return Ok(out) };
    let symbols = Symbols::new(tokens, 0);
    let mut writer = Writer { objects, symbols, out, in_template: None, is_named: false };
    writer.run()?;
    Ok(writer.out)
}

/// Returns a template at a range of the content as text.
pub(super) fn template_text(objects: &Objects<'_>, range: Range<usize>) -> Result<Vec<u8>> {
    let Some(tokens) = objects.tokens() else { return Ok(Vec::new()) };
    let (symbols, out) = (Symbols::new(tokens, range.start), TextWriter::new());
    let mut writer = Writer { objects, symbols, out, in_template: None, is_named: false };
    while writer.symbols.at < range.end
        && let Some((at, symbol)) = writer.symbols.next()
    {
        writer.symbol(at, symbol)?;
    }
    Ok(writer.out.finish())
}

/// Writes the symbols of one encoding to another.
struct Writer<'a, S> {
    objects: &'a Objects<'a>,
    symbols: Symbols<'a>,
    out: S,
    /// The number of open braces, inside a template.
    in_template: Option<usize>,
    /// Whether the last symbol was a name, so that a brace opens an object.
    is_named: bool,
}

impl<'a, S: SymbolWriter> Writer<'a, S> {
    fn run(&mut self) -> Result<()> {
        let mut objects = self.objects.all().map(|object| (object.values_from(), object)).peekable();
        loop {
            // The values of an object are written at once, in the layout of its template.
            if let Some((from, object)) = objects.next_if(|(from, _)| *from <= self.symbols.at) {
                if from == self.symbols.at {
                    self.values(object)?;
                }
                continue;
            }
            let Some((at, symbol)) = self.symbols.next() else { return Ok(()) };
            self.symbol(at, symbol)?;
        }
    }

    fn symbol(&mut self, at: usize, symbol: Symbol<'_>) -> Result<()> {
        let was_named = std::mem::replace(&mut self.is_named, matches!(symbol, Symbol::Name(_)));
        let written = match symbol {
            Symbol::Name(name) if self.in_template.is_some() => self.out.keyword(name),
            Symbol::Name(name) if was_named => self.out.name(name),
            Symbol::Name(name) if name.eq_ignore_ascii_case(b"template") => {
                self.in_template = Some(0);
                self.out.keyword(name)
            }
            Symbol::Name(name) => self.out.template(name),
            Symbol::Text(text) => self.out.text(text),
            Symbol::Guid(Some(guid)) => {
                self.out.guid(guid);
                Ok(())
            }
            Symbol::Guid(None) => Err("invalid GUID, expected 32 hexadecimal digits".into()),
            Symbol::Numbers(run) => match single_number(run).filter(|_| was_named) {
                Some(name) => {
                    self.is_named = true;
                    self.out.name(name)
                }
                None => return self.numbers(at),
            },
            Symbol::Mark(mark) => self.mark(mark, was_named),
            Symbol::Binary => Err("binary data cannot be converted to another encoding".into()),
        };
        written.map_err(|why| self.objects.error(at, ErrorKind::Value(why.into())))
    }

    /// Writes the size of an array, or numbers outside of objects.
    fn numbers(&mut self, at: usize) -> Result<()> {
        let mut values = Values::new(self.symbols.tokens, at..self.symbols.at);
        if self.in_template.is_none() {
            return self.untyped_values(&mut values);
        }
        let number = values.number().map_err(|fault| self.objects.error(at, fault.kind))?;
        self.out.number(number).map_err(|why| self.objects.error(at, ErrorKind::Value(why.into())))
    }

    fn mark(&mut self, mark: u8, was_named: bool) -> Result<(), String> {
        if mark == b'{'
            && !was_named
            && self.in_template.is_none()
            && let Some((name, guid, _)) = self.symbols.reference()
        {
            return self.out.reference(name, guid);
        }
        self.braces(mark);
        self.out.mark(mark, self.in_template.is_some());
        Ok(())
    }

    /// Tracks the braces of a template.
    fn braces(&mut self, mark: u8) {
        self.in_template = match (self.in_template, mark) {
            (Some(open), b'{') => Some(open + 1),
            (Some(0 | 1), b'}') => None,
            (Some(open), b'}') => Some(open - 1),
            (open, _) => open,
        };
    }

    fn values(&mut self, object: Object<'a>) -> Result<()> {
        let end = object.values_to();
        let wrong = |fault: ValueError| object.error(fault);
        if let Some(template) = object.template() {
            let layout = Layout::new(object.objects().templates(), object.values());
            let mut visitor = ValueWriter(&mut self.out);
            let mut walk = Walk::new(layout, &mut visitor);
            walk.object(template, &[]).map_err(|halt| match halt {
                Halt::Value(fault) => wrong(fault),
                Halt::Path(why) => Error::new(object.offset(), ErrorKind::Syntax(why.to_string())),
            })?;
            let mut rest = walk.layout.values;
            self.untyped_values(&mut rest)?;
        } else {
            self.untyped_values(&mut object.values())?;
        }
        self.symbols.at = end;
        self.out.end_values();
        Ok(())
    }

    /// Writes values without a template; their form determines their type.
    fn untyped_values(&mut self, values: &mut Values<'_>) -> Result<()> {
        while !values.is_at_end() {
            let at = values.place().at;
            let wrong = |why: String| self.objects.error(at, ErrorKind::Value(why.into()));
            if let Some(text) = values.next_text() {
                self.out.text(text).map_err(wrong)?;
                self.out.mark(b';', false);
                continue;
            }
            let number = values.number().map_err(|_| values.expected("a number or a string"));
            let number = number.map_err(|fault| self.objects.error(at, fault.kind))?;
            self.out.number(number).map_err(wrong)?;
            self.out.end(0);
        }
        Ok(())
    }
}

/// Writes values with the types of their template.
struct ValueWriter<'s, S>(&'s mut S);

impl<S: SymbolWriter> Visitor for ValueWriter<'_, S> {
    fn value(&mut self, values: &mut Values<'_>, kind: &MemberKind, _: Role) -> Result<(), ValueError> {
        let place = values.place();
        let number = match kind {
            MemberKind::Text => {
                let text = values.text()?;
                return self
                    .0
                    .text(text)
                    .map_err(|why| ValueError { place, kind: ErrorKind::Value(why.into()) });
            }
            MemberKind::Float { .. } => match values.number()? {
                Number::Integer(number) => Number::Word(number.to_string().into_bytes().into()),
                number => number,
            },
            _ => Number::Integer(kind.with_sign(values.integer()?)),
        };
        self.0.number(number).map_err(|why| ValueError { place, kind: ErrorKind::Value(why.into()) })
    }

    fn between(&mut self) {
        self.0.between();
    }

    fn end(&mut self, depth: usize) {
        self.0.end(depth);
    }
}
