//! The objects of a file: a flat index over its text or tokens.

mod indexer;
mod ordinals;
mod same;

use std::cell::OnceCell;
use std::ops::Range;

use super::fields::{Fields, View};
use super::symbols::{Symbol, Symbols, name_at, symbol};
use super::template::{Template, Templates, is_step};
use super::values::{ValueError, Values};
use crate::formats::directx::types::HEADER;
use crate::formats::directx::{Guid, Packed, Token, Tokens, X};
use crate::schema::{FieldPath, Step, Value};
use crate::wire::escape;
use crate::{Error, ErrorKind, LimitError, Result, work};

/// The objects of a file, in file order, and the templates that define the layout of their values.
///
/// Created in one pass over the file, with a fixed amount of memory per object, independent of nesting.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::directx::{AnimTicksPerSecond, X};
/// let file = X::decode(b"xof 0303txt 0032\nAnimTicksPerSecond { 4800; }\n")?;
/// let objects = file.objects()?;
/// let ticks = objects.views::<AnimTicksPerSecond>().next().unwrap()?;
/// assert_eq!(ticks.ticks, 4800);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Debug)]
pub struct Objects<'a> {
    tokens: Option<&'a Tokens>,
    base: Base<'a>,
    nodes: Vec<Node>,
    templates: Templates,
    problems: Vec<Error>,
    /// The offset of every 64th token.
    offsets: OnceCell<Vec<u64>>,
    /// The end of each chunk in packed content, and its start in the file.
    chunks: OnceCell<Vec<(u64, u64)>>,
    /// The place of each object among its siblings of the same template, or of the same template and name.
    ordinals: OnceCell<Vec<u32>>,
}

/// An object of a file.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
    objects: &'a Objects<'a>,
    index: u32,
}

/// A reference to an object of this or another file: `{Root}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The name; empty if the reference has only a GUID.
    pub name: &'a [u8],
    /// The GUID of the object, not of its template.
    pub guid: Option<Guid>,
}

/// A child of an object.
#[derive(Clone, Copy, Debug)]
pub enum Child<'a> {
    /// An object.
    Object(Object<'a>),
    /// A reference.
    Reference(Reference<'a>),
}

/// An object or reference. Positions are bytes of the text or indices of tokens, or [`NONE`].
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The template name, or the first symbol of a reference.
    template: u32,
    name: u32,
    /// The position after the opening brace.
    open: u32,
    /// The end of the values.
    values: u32,
    /// The position of the closing brace.
    close: u32,
    parent: u32,
    /// The index of the node after the last descendant.
    next: u32,
    is_reference: bool,
}

const NONE: u32 = u32::MAX;

/// The maximum number of problems that are recorded.
const MAX_PROBLEMS: usize = 100;

/// The form of the content in the file.
#[derive(Clone, Copy, Debug)]
pub(in crate::formats::directx) enum Base<'a> {
    Plain,
    Packed(&'a Packed),
}

impl Base<'_> {
    /// Returns the path of the content.
    pub(in crate::formats::directx) fn path(self) -> FieldPath {
        let content = Step::Field("tokens".into());
        match self {
            Self::Plain => vec![content].into(),
            Self::Packed(_) => vec![Step::Field("packed".into()), Step::Inside, content].into(),
        }
    }

    /// Returns the byte range of the packed form, if there is one.
    pub(in crate::formats::directx) fn packed(self) -> Option<Range<u64>> {
        let Self::Packed(packed) = self else { return None };
        work::done(packed.stored().chunks.len());
        Some(HEADER..HEADER + packed.size())
    }
}

impl X {
    /// Returns the content, unpacked if necessary, or `None` if it could not be read.
    #[must_use]
    pub fn content(&self) -> Option<&Tokens> {
        match self.packed.present() {
            Some(packed) => packed.content().tokens.present(),
            None => self.tokens.present(),
        }
    }

    /// Returns the objects of the file.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if the content is longer than 4 GiB.
    pub fn objects(&self) -> Result<Objects<'_>> {
        self.objects_within(usize::MAX)
    }

    /// Returns the objects of the file unless one has at least `max_depth` ancestors.
    pub(in crate::formats::directx) fn objects_within(&self, max_depth: usize) -> Result<Objects<'_>> {
        let base = self.packed.present().map_or(Base::Plain, Base::Packed);
        Objects::new(self.content(), base, max_depth)
    }
}

impl<'a> Objects<'a> {
    fn new(tokens: Option<&'a Tokens>, base: Base<'a>, permitted: usize) -> Result<Self> {
        let mut objects = Self {
            tokens,
            base,
            nodes: Vec::new(),
            templates: Templates::default(),
            problems: Vec::new(),
            offsets: OnceCell::new(),
            chunks: OnceCell::new(),
            ordinals: OnceCell::new(),
        };
        if let Some(tokens) = tokens {
            if u32::try_from(tokens.len()).is_err() {
                let limit = LimitError::Length { actual: tokens.len() as u64, permitted: u32::MAX.into() };
                return Err(Error::new(0, ErrorKind::Limit(limit)));
            }
            objects.nodes.reserve_exact(tokens.braces());
            if let Some(at) = indexer::index(&mut objects, Symbols::new(tokens, 0), permitted) {
                return Err(objects.error(at, ErrorKind::Limit(LimitError::Depth { permitted })));
            }
        }
        objects.templates.measure();
        Ok(objects)
    }

    /// Returns the most memory that the index of some content takes.
    pub(in crate::formats::directx) fn memory(tokens: &Tokens) -> usize {
        tokens.braces() * (size_of::<Node>() + 2 * size_of::<u32>())
    }

    /// Indexes content that is not part of a file.
    pub(in crate::formats::directx) fn of_content(tokens: &'a Tokens) -> Result<Self> {
        Self::new(Some(tokens), Base::Plain, usize::MAX)
    }

    /// Returns the templates of the file, including the standard ones.
    #[must_use]
    pub const fn templates(&self) -> &Templates {
        &self.templates
    }

    /// Returns the first hundred errors in the nesting of objects: unbalanced braces, unexpected names and values.
    #[must_use]
    pub fn problems(&self) -> &[Error] {
        &self.problems
    }

    /// Iterates over all objects, parents before children.
    pub fn all(&'a self) -> impl Iterator<Item = Object<'a>> {
        self.objects_in(0..self.nodes.len())
    }

    /// Iterates over all references by name, each with the position of the name and the object that contains it.
    pub(in crate::formats::directx) fn all_references(
        &'a self,
    ) -> impl Iterator<Item = (usize, Reference<'a>, Option<Object<'a>>)> {
        self.nodes.iter().filter(|node| node.is_reference).filter_map(|node| {
            let (at, _) = Symbols::new(self.tokens?, node.open as usize).next()?;
            let reference = self.reference(node);
            let parent = (node.parent != NONE).then(|| self.object(node.parent));
            (!reference.name.is_empty()).then_some((at, reference, parent))
        })
    }

    /// Iterates over the objects without parent.
    pub fn roots(&'a self) -> impl Iterator<Item = Object<'a>> {
        self.siblings(0, self.nodes.len()).filter_map(Child::object)
    }

    /// Iterates over typed views of all objects of a template.
    pub fn views<V: View>(&'a self) -> impl Iterator<Item = Result<V>> {
        self.all().filter_map(|object| object.view())
    }

    /// Returns the innermost object around a position that has not ended its values: with the position in its name or its
    /// values.
    pub(in crate::formats::directx) fn object_at(&'a self, at: usize) -> Option<Object<'a>> {
        let after = self.nodes.partition_point(|node| node.template as usize <= at);
        let index = after.checked_sub(1).filter(|index| !self.nodes[*index].is_reference)?;
        Some(self.object(place(index)))
    }

    /// Returns the object or reference at an index, and the index after its last descendant.
    pub(in crate::formats::directx) fn child_at(&'a self, index: usize) -> Option<(Child<'a>, usize)> {
        let node = self.nodes.get(index)?;
        let child = if node.is_reference {
            Child::Reference(self.reference(node))
        } else {
            Child::Object(self.object(place(index)))
        };
        Some((child, node.next as usize))
    }

    /// Returns the object at its index.
    pub(in crate::formats::directx) const fn object(&'a self, index: u32) -> Object<'a> {
        Object { objects: self, index }
    }

    fn objects_in(&'a self, range: Range<usize>) -> impl Iterator<Item = Object<'a>> {
        range.filter(|index| !self.nodes[*index].is_reference).map(|index| self.object(place(index)))
    }

    /// Iterates over the outermost nodes in a range.
    fn siblings(&'a self, start: usize, end: usize) -> impl Iterator<Item = Child<'a>> {
        let mut at = start;
        std::iter::from_fn(move || {
            let node = self.nodes.get(at).filter(|_| at < end)?;
            work::done(1);
            let index = place(at);
            at = node.next as usize;
            Some(if node.is_reference {
                Child::Reference(self.reference(node))
            } else {
                Child::Object(self.object(index))
            })
        })
    }

    fn reference(&'a self, node: &Node) -> Reference<'a> {
        let symbols = self.tokens.map(|tokens| Symbols::new(tokens, node.open as usize));
        let (name, guid, _) = symbols.and_then(|mut symbols| symbols.reference()).unwrap_or_default();
        Reference { name, guid }
    }

    fn name_at(&'a self, at: u32) -> &'a [u8] {
        self.tokens.filter(|_| at != NONE).map_or(&[], |tokens| name_at(tokens, at as usize))
    }

    /// Returns an error at a position of the content.
    pub(in crate::formats::directx) fn error(&self, at: usize, kind: ErrorKind) -> Error {
        let token = match self.tokens {
            Some(Tokens::Text(text)) => text.index_at(at).map_or(text.len(), |(index, _)| index),
            _ => at,
        };
        Error::new(self.offset_of(at), kind).at(self.token_path(token))
    }

    /// Returns the path of a token or token.
    pub(in crate::formats::directx) fn token_path(&self, index: usize) -> FieldPath {
        self.base.path().join(&vec![Step::Index(index)].into())
    }

    /// Returns the byte range of a range of text in the file.
    pub(in crate::formats::directx) fn range(&self, text: Range<usize>) -> Range<u64> {
        let start = self.offset_of(text.start);
        start..start + text.len() as u64
    }

    /// Returns the offset of a position in the file.
    pub(in crate::formats::directx) fn offset_of(&self, at: usize) -> u64 {
        const STRIDE: usize = 64;
        let byte = match self.tokens {
            None => 0,
            Some(Tokens::Text(_)) => at as u64,
            Some(Tokens::Binary(tokens)) => {
                let size = |tokens: &[Token]| tokens.iter().map(Value::size).sum::<u64>();
                let offsets = self.offsets.get_or_init(|| {
                    let ends = tokens.chunks(STRIDE).scan(0, |end, chunk| {
                        *end += size(chunk);
                        Some(*end)
                    });
                    std::iter::once(0).chain(ends).collect()
                });
                let at = at.min(tokens.len());
                let first = at / STRIDE;
                offsets[first] + size(&tokens[first * STRIDE..at])
            }
        };
        let Base::Packed(packed) = self.base else { return HEADER + byte };
        let chunks = self.chunks.get_or_init(|| packed.places());
        HEADER + chunks[chunks.partition_point(|(end, _)| *end <= byte)].1
    }

    pub(in crate::formats::directx) const fn tokens(&self) -> Option<&'a Tokens> {
        self.tokens
    }

    pub(in crate::formats::directx) const fn base(&self) -> Base<'a> {
        self.base
    }

    fn report(&mut self, at: usize, why: &str) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(self.error(at, ErrorKind::Syntax(why.into())));
        }
    }
}

impl<'a> Child<'a> {
    /// Returns the object, unless this is a reference.
    #[must_use]
    pub const fn object(self) -> Option<Object<'a>> {
        match self {
            Self::Object(object) => Some(object),
            Self::Reference(_) => None,
        }
    }

    /// Returns the reference, unless this is an object.
    #[must_use]
    pub const fn reference(self) -> Option<Reference<'a>> {
        match self {
            Self::Reference(reference) => Some(reference),
            Self::Object(_) => None,
        }
    }
}

impl<'a> Object<'a> {
    fn node(&self) -> &'a Node {
        &self.objects.nodes[self.index as usize]
    }

    /// Returns the name of its template as written in the file.
    #[must_use]
    pub fn template_name(&self) -> &'a [u8] {
        self.objects.name_at(self.node().template)
    }

    /// Returns its template, or `None` if neither the file nor the standard defines it.
    #[must_use]
    pub fn template(&self) -> Option<&'a Template> {
        self.objects.templates.get(self.template_name())
    }

    /// Returns whether it is an object of a template, as paths spell its name. Ignores case.
    #[must_use]
    pub fn is(&self, template: &str) -> bool {
        is_step(self.template_name(), template)
    }

    /// Returns its name; empty for an anonymous object.
    #[must_use]
    pub fn name(&self) -> &'a [u8] {
        self.objects.name_at(self.node().name)
    }

    /// Returns the position of its name.
    pub(in crate::formats::directx) fn name_place(&self) -> Option<usize> {
        let at = self.node().name;
        (at != NONE).then_some(at as usize)
    }

    /// Returns its positions, from the name of its template to the closing brace.
    pub(in crate::formats::directx) fn range(&self) -> Range<usize> {
        let (start, end) = (self.node().template as usize, self.node().close as usize);
        start..self.objects.tokens.map_or(end, |tokens| tokens.len().min(end + 1))
    }

    /// Returns the position of its closing brace; `None` if that is missing.
    pub(in crate::formats::directx) fn closing_brace(&self) -> Option<usize> {
        let close = self.node().close as usize;
        (close < self.objects.tokens?.len()).then_some(close)
    }

    /// Returns its GUID.
    #[must_use]
    pub fn guid(&self) -> Option<Guid> {
        match Symbols::new(self.objects.tokens?, self.node().open as usize).peek() {
            Some(Symbol::Guid(guid)) => guid,
            _ => None,
        }
    }

    /// Returns its index among the objects and references of the file.
    #[must_use]
    pub const fn index(&self) -> u32 {
        self.index
    }

    /// Returns the object that contains it.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let parent = self.node().parent;
        (parent != NONE).then(|| self.objects.object(parent))
    }

    /// Iterates over its children.
    pub fn children(self) -> impl Iterator<Item = Child<'a>> {
        self.objects.siblings(self.index as usize + 1, self.node().next as usize)
    }

    /// Iterates over its child objects of a template.
    pub fn children_of(self, template: &str) -> impl Iterator<Item = Self> {
        self.children().filter_map(Child::object).filter(move |object| object.is(template))
    }

    /// Iterates over the references among its children.
    pub fn references(self) -> impl Iterator<Item = Reference<'a>> {
        self.children().filter_map(Child::reference)
    }

    /// Returns its path by names, such as `Frame[Root].Mesh[0]`.
    #[must_use]
    pub fn path(&self) -> FieldPath {
        let mut chain = vec![*self];
        while let Some(parent) = chain.last().and_then(Self::parent) {
            chain.push(parent);
        }
        let steps = chain.iter().rev().flat_map(|object| {
            let name = escape(object.template_name());
            [Step::Field(name.into()), object.selector()]
        });
        FieldPath::from(steps.collect::<Vec<_>>())
    }

    /// Returns its [path](Self::path), unless it is longer than people read: more than 64 levels or 4 KiB of names. The time
    /// is limited accordingly.
    #[must_use]
    pub fn short_path(&self) -> Option<FieldPath> {
        const LEVELS: usize = 64;
        const NAMES: usize = 4096;
        let (mut next, mut len) = (Some(*self), 0);
        for _ in 0..LEVELS {
            let Some(object) = next else { return Some(self.path()) };
            len += match self.objects.tokens? {
                Tokens::Text(_) => (object.node().open - object.node().template) as usize,
                Tokens::Binary(_) => object.template_name().len() + object.name().len(),
            };
            if len > NAMES {
                return None;
            }
            next = object.parent();
        }
        None
    }

    /// Returns the step that distinguishes it from its siblings of the same template.
    fn selector(&self) -> Step {
        let before = self.objects.ordinal(self.index);
        if self.name().is_empty() {
            Step::Index(before)
        } else {
            Step::Named(escape(self.name()), before + 1)
        }
    }

    /// Returns the offset of its template name in the file.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.objects.offset_of(self.node().template as usize)
    }

    /// Returns a typed view, or `None` if it is an object of another template.
    #[must_use]
    pub fn view<V: View>(&self) -> Option<Result<V>> {
        Some(self.view_and_surplus()?.map(|(view, _)| view))
    }

    /// As [`view`](Self::view), and whether values follow those of the view.
    pub(in crate::formats::directx) fn view_and_surplus<V: View>(&self) -> Option<Result<(V, bool)>> {
        self.is(V::TEMPLATE).then(|| {
            let mut fields = self.fields()?;
            let view = V::read(&mut fields).map_err(|fault| self.error(fault))?;
            Ok((view, fields.skip_all().is_ok() && fields.surplus().is_some()))
        })
    }

    /// Returns the errors in its values: missing, surplus or of another type, or with invalid separators.
    #[must_use]
    pub fn problems(&self) -> Vec<Error> {
        let mut fields = match self.fields() {
            Ok(fields) => fields,
            Err(error) => return vec![error],
        };
        fields.check_separators();
        let layout = fields.skip_all().err().or_else(|| fields.surplus());
        let separator = if fields.has_valid_separators() { None } else { self.values().separator_error() };
        layout.into_iter().chain(separator).map(|fault| self.error(fault)).collect()
    }

    pub(in crate::formats::directx) fn error(&self, fault: ValueError) -> Error {
        self.objects.error(fault.place.at, fault.kind)
    }

    /// Returns a reader of its members.
    fn fields(&self) -> Result<Fields<'a>> {
        let name = self.template_name();
        let unknown = || ErrorKind::Unknown(format!("unknown template `{}`", escape(name)));
        let at = self.node().template as usize;
        let template = self.template().ok_or_else(|| self.objects.error(at, unknown()))?;
        Ok(Fields::new(&self.objects.templates, template, self.values()))
    }

    /// Returns the start of its values, after the opening brace and GUID.
    pub(in crate::formats::directx) fn values_from(&self) -> usize {
        let Some(tokens) = self.objects.tokens else { return 0 };
        let mut symbols = Symbols::new(tokens, self.node().open as usize);
        if let Some(Symbol::Guid(_)) = symbols.peek() {
            symbols.next();
        }
        symbols.at.min(self.values_to())
    }

    /// Returns the end of its values: the first child or the closing brace.
    pub(in crate::formats::directx) fn values_to(&self) -> usize {
        self.node().values as usize
    }

    /// Returns its values.
    pub(in crate::formats::directx) fn values(&self) -> Values<'a> {
        static EMPTY: Tokens = Tokens::Binary(crate::wire::Stream::new());
        Values::new(self.objects.tokens.unwrap_or(&EMPTY), self.values_from()..self.values_to())
    }

    pub(in crate::formats::directx) const fn objects(&self) -> &'a Objects<'a> {
        self.objects
    }
}

impl Tokens {
    /// Returns the number of bytes of text, or of tokens.
    pub(in crate::formats::directx) fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.text().len(),
            Self::Binary(tokens) => tokens.len(),
        }
    }

    /// Returns a number of objects that no object has more of around it.
    pub(in crate::formats::directx) fn deepest(&self) -> usize {
        match self {
            Self::Text(text) => text.deepest(),
            Self::Binary(_) => self.braces(),
        }
    }

    /// Returns the number of opening braces, including those in comments and quoted texts.
    pub(in crate::formats::directx) fn braces(&self) -> usize {
        match self {
            Self::Text(text) => memchr::memchr_iter(b'{', text.text()).count(),
            Self::Binary(tokens) => tokens.iter().filter(|token| symbol(token) == Symbol::Mark(b'{')).count(),
        }
    }
}

/// Converts a position; the content is smaller than 4 GiB.
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE)
}
