//! The same objects in another encoding. No lossless edit: comments, spelling and the writer's way of listing go.

use super::fields::Layout;
use super::objects::{Object, Objects};
use super::spell::{Number, SymbolSink, TextSink, TokenSink};
use super::symbols::{Symbol, Symbols, lone};
use super::template::MemberKind;
use super::values::{Fault, Values};
use super::walk::{Halt, Visitor, Walk};
use super::{BINARY, Content, DOUBLE, PACKED_BINARY, PACKED_TEXT, Packed, SINGLE, TEXT, Tokens, X};
use crate::schema::Role;
use crate::wire::{FixedStr, Part, Rest, TokenText};
use crate::{Error, ErrorKind, Result};

/// How the content of a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// As tokens; otherwise as text.
    pub binary: bool,
    /// In `MSZip` chunks.
    pub packed: bool,
    /// Floats of tokens have 64 bits; otherwise 32.
    pub double: bool,
}

impl Encoding {
    /// What the header says of it.
    #[must_use]
    pub const fn name(self) -> FixedStr<4> {
        match (self.binary, self.packed) {
            (false, false) => TEXT,
            (true, false) => BINARY,
            (false, true) => PACKED_TEXT,
            (true, true) => PACKED_BINARY,
        }
    }

    /// The encoding of a file; none where its header names one that is unknown.
    #[must_use]
    pub fn of(file: &X) -> Option<Self> {
        let (binary, packed) = match file.encoding {
            TEXT => (false, false),
            BINARY => (true, false),
            PACKED_TEXT => (false, true),
            PACKED_BINARY => (true, true),
            _ => return None,
        };
        Some(Self { binary, packed, double: file.float_size == DOUBLE })
    }
}

impl X {
    /// The same objects in another encoding.
    ///
    /// Where only the packing differs the content stays as it is. Otherwise white space, comments, spelling and the
    /// splitting of lists go; numbers keep their values: floats are spelled in the shortest way that reads back to the
    /// same, and those that a file of 32 bits cannot hold are rounded.
    ///
    /// # Errors
    /// When the file is damaged, or holds what the other encoding cannot say: in tokens there are no numbers of more than
    /// 32 bits, in text no strings with a quote and no names of several words.
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
        let same = Encoding::of(self).is_some_and(|own| own.binary == to.binary && own.double == to.double);
        let tokens = match self.content() {
            Some(tokens @ Tokens::Text(_)) if !to.binary => tokens.clone(),
            Some(tokens @ Tokens::Binary(_)) if same => tokens.clone(),
            _ => self.respelled(to)?,
        };
        // In text the size of floats is a remark.
        let float_size = match (to.binary, to.double) {
            (false, _) => self.float_size,
            (true, false) => SINGLE,
            (true, true) => DOUBLE,
        };
        let mut file = Self {
            encoding: to.name(),
            float_size,
            tokens: Part::Absent,
            packed: Part::Absent,
            rest: Rest::default(),
            ..*self
        };
        if to.packed {
            file.packed = Part::Present(Packed::new(Content::new(tokens), (file.encoding, file.float_size))?);
        } else {
            file.tokens = Part::Present(tokens);
        }
        Ok(file)
    }

    /// The content in the other encoding, in which the same objects are found.
    fn respelled(&self, to: Encoding) -> Result<Tokens> {
        let objects = self.objects()?;
        let tokens = if to.binary {
            Tokens::Binary(written(&objects, TokenSink::new(to.double))?.into())
        } else {
            Tokens::Text(TokenText::new(written(&objects, TextSink::new())?))
        };
        objects.same_as(&Objects::of_content(&tokens)?)?;
        Ok(tokens)
    }
}

fn written<S: SymbolSink>(objects: &Objects<'_>, sink: S) -> Result<S::Output> {
    let Some(tokens) = objects.tokens() else { return Ok(sink.finish()) };
    let symbols = Symbols::new(tokens, 0);
    let mut writer = Writer { objects, symbols, sink, in_template: None, is_named: false };
    writer.run()?;
    Ok(writer.sink.finish())
}

/// Writes the symbols of one encoding in another.
struct Writer<'a, S> {
    objects: &'a Objects<'a>,
    symbols: Symbols<'a>,
    sink: S,
    /// Within a template: how many braces are open.
    in_template: Option<usize>,
    /// Whether the last symbol was a name, which a brace belongs to.
    is_named: bool,
}

impl<'a, S: SymbolSink> Writer<'a, S> {
    fn run(&mut self) -> Result<()> {
        let mut objects = self.objects.all().map(|object| (object.values_from(), object)).peekable();
        loop {
            // The values of an object are written together, as its template lays them out.
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
            Symbol::Name(name) if self.in_template.is_some() => self.sink.keyword(name),
            Symbol::Name(name) if was_named => self.sink.name(name),
            Symbol::Name(name) if name.eq_ignore_ascii_case(b"template") => {
                self.in_template = Some(0);
                self.sink.keyword(name)
            }
            Symbol::Name(name) => self.sink.template(name),
            Symbol::Text(text) => self.sink.text(text),
            Symbol::Guid(Some(guid)) => {
                self.sink.guid(guid);
                Ok(())
            }
            Symbol::Guid(None) => Err("a GUID has 32 digits".into()),
            Symbol::Numbers(run) => match lone(run).filter(|_| was_named) {
                Some(name) => {
                    self.is_named = true;
                    self.sink.name(name)
                }
                None => return self.numbers(at),
            },
            Symbol::Mark(mark) => self.mark(mark, was_named),
            Symbol::Binary => Err("binary data exists only in its own encoding".into()),
        };
        written.map_err(|why| self.objects.error(at, ErrorKind::Value(why.into())))
    }

    /// The size of an array, or numbers that belong to no object.
    fn numbers(&mut self, at: usize) -> Result<()> {
        let mut values = Values::new(self.symbols.tokens, at..self.symbols.at);
        if self.in_template.is_none() {
            return self.loose(&mut values);
        }
        let number = values.number().map_err(|fault| self.objects.error(at, fault.kind))?;
        self.sink.number(number).map_err(|why| self.objects.error(at, ErrorKind::Value(why.into())))
    }

    fn mark(&mut self, mark: u8, was_named: bool) -> Result<(), String> {
        if mark == b'{'
            && !was_named
            && self.in_template.is_none()
            && let Some((name, guid, _)) = self.symbols.reference()
        {
            return self.sink.reference(name, guid);
        }
        self.braces(mark);
        self.sink.mark(mark, self.in_template.is_some());
        Ok(())
    }

    /// A template ends with the brace that closes its first.
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
        let wrong = |fault: Fault| object.error(fault);
        if let Some(template) = object.template() {
            let layout = Layout::new(object.objects().templates(), object.values());
            let mut walk = Walk { layout, visitor: &mut Spelled(&mut self.sink) };
            walk.object(template, &[]).map_err(|halt| match halt {
                Halt::Fault(fault) => wrong(fault),
                Halt::Nowhere(why) => Error::new(object.offset(), ErrorKind::Syntax(why.to_string())),
            })?;
            let mut rest = walk.layout.values;
            self.loose(&mut rest)?;
        } else {
            self.loose(&mut object.values())?;
        }
        self.symbols.at = end;
        self.sink.end_values();
        Ok(())
    }

    /// Values that no template lays out: each is what it looks like.
    fn loose(&mut self, values: &mut Values<'_>) -> Result<()> {
        while !values.is_at_end() {
            let at = values.place().at;
            let wrong = |why: String| self.objects.error(at, ErrorKind::Value(why.into()));
            if let Some(text) = values.next_text() {
                self.sink.text(text).map_err(wrong)?;
                self.sink.mark(b';', false);
                continue;
            }
            let number = values.number().map_err(|_| values.wrong("a number or a string"));
            let number = number.map_err(|fault| self.objects.error(at, fault.kind))?;
            self.sink.number(number).map_err(wrong)?;
            self.sink.end(0);
        }
        Ok(())
    }
}

/// Hands values to a sink as their template types them.
struct Spelled<'s, S>(&'s mut S);

impl<S: SymbolSink> Visitor for Spelled<'_, S> {
    fn value(&mut self, values: &mut Values<'_>, kind: &MemberKind, _: Role) -> Result<(), Fault> {
        let place = values.place();
        let number = match kind {
            MemberKind::Text => {
                let text = values.text()?;
                return self.0.text(text).map_err(|why| Fault { place, kind: ErrorKind::Value(why.into()) });
            }
            MemberKind::Float => match values.number()? {
                Number::Integer(number) => Number::Word(number.to_string().into_bytes().into()),
                number => number,
            },
            MemberKind::Integer { bits: 32, signed: true } => Number::Integer(signed(values.integer()?)),
            _ => Number::Integer(values.integer()?),
        };
        self.0.number(number).map_err(|why| Fault { place, kind: ErrorKind::Value(why.into()) })
    }

    fn between(&mut self) {
        self.0.between();
    }

    fn end(&mut self, depth: usize) {
        self.0.end(depth);
    }
}

/// Tokens know no sign; of what is signed, the upper half is negative.
fn signed(number: i64) -> i64 {
    u32::try_from(number).map_or(number, |word| word.cast_signed().into())
}
