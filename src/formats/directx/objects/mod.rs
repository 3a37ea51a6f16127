//! The objects of a file: an index over its flat text or tokens, without nesting of its own.

mod indexer;

use std::cell::OnceCell;
use std::ops::Range;

use super::fields::{Fields, View};
use super::symbols::{Symbol, Symbols, name_at};
use super::template::{Template, Templates};
use super::types::HEADER;
use super::values::{Fault, Values};
use super::{Guid, Packed, Token, Tokens, X, work};
use crate::schema::{FieldPath, Step, Value};
use crate::wire::escape;
use crate::{Error, ErrorKind, Result};

/// The objects of a file, in their order, and the templates that say what their values mean.
///
/// Reading them takes one pass over the file and a fixed amount of memory for each, however deep they stand.
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
    /// Where every 64th token starts.
    offsets: OnceCell<Vec<u64>>,
    /// Where chunks end in packed content, and begin in the file.
    chunks: OnceCell<Vec<(u64, u64)>>,
}

/// An object of a file.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
    objects: &'a Objects<'a>,
    index: u32,
}

/// A reference to an object, perhaps one in another file: `{Root}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The name; empty where only the GUID says which.
    pub name: &'a [u8],
    /// The GUID of the object itself, not of its template.
    pub guid: Option<Guid>,
}

/// What stands inside an object.
#[derive(Clone, Copy, Debug)]
pub enum Child<'a> {
    /// An object.
    Object(Object<'a>),
    /// A reference to one.
    Reference(Reference<'a>),
}

/// An object or reference. Places are bytes of the text or indices of tokens; [`NONE`] says that there is none.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The template's name, or of a reference its first symbol.
    template: u32,
    name: u32,
    /// Behind the opening brace.
    open: u32,
    /// Where its values end.
    values: u32,
    /// The closing brace.
    close: u32,
    parent: u32,
    /// The node behind its last descendant.
    behind: u32,
    is_reference: bool,
}

const NONE: u32 = u32::MAX;

/// Problems of which no more is said than that there are.
const MOST_PROBLEMS: usize = 100;

/// Where the content lies in the file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base<'a> {
    Plain,
    Packed(&'a Packed),
}

impl Base<'_> {
    /// Where the content hangs in the file.
    pub(super) fn path(self) -> FieldPath {
        let content = Step::Field("tokens".into());
        match self {
            Self::Plain => vec![content].into(),
            Self::Packed(_) => vec![Step::Field("packed".into()), Step::Inside, content].into(),
        }
    }

    /// The bytes of the packed form, if there is one.
    pub(super) fn packed(self) -> Option<Range<u64>> {
        let Self::Packed(packed) = self else { return None };
        work::done(packed.stored().chunks.len());
        Some(HEADER..HEADER + packed.size())
    }
}

impl X {
    /// The content, packed or not; none where the file has none that could be read.
    #[must_use]
    pub fn content(&self) -> Option<&Tokens> {
        match self.packed.present() {
            Some(packed) => packed.content().tokens.present(),
            None => self.tokens.present(),
        }
    }

    /// The objects of the file.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] when the content is longer than 4 GiB.
    pub fn objects(&self) -> Result<Objects<'_>> {
        Objects::new(self.content(), self.packed.present().map_or(Base::Plain, Base::Packed))
    }
}

impl<'a> Objects<'a> {
    fn new(tokens: Option<&'a Tokens>, base: Base<'a>) -> Result<Self> {
        let mut objects = Self {
            tokens,
            base,
            nodes: Vec::new(),
            templates: Templates::default(),
            problems: Vec::new(),
            offsets: OnceCell::new(),
            chunks: OnceCell::new(),
        };
        if let Some(tokens) = tokens {
            if u32::try_from(tokens.len()).is_err() {
                return Err(Error::new(
                    0,
                    ErrorKind::Limit("objects are found in up to 4 GiB of content".into()),
                ));
            }
            indexer::index(&mut objects, Symbols::new(tokens, 0));
        }
        objects.templates.measure();
        Ok(objects)
    }

    /// Those of a content that is in no file yet.
    pub(super) fn of_content(tokens: &'a Tokens) -> Result<Self> {
        Self::new(Some(tokens), Base::Plain)
    }

    /// Sees that another content has the same templates and, in the same order, the same objects and references.
    pub(super) fn same_as(&self, other: &Objects<'_>) -> Result<()> {
        let wrong = |at: u32, what: &str| {
            let why =
                format!("{what} would be read as something else in the other encoding; rename it first");
            Err(self.error(at as usize, ErrorKind::Value(why.into())))
        };
        if !self.templates.own().map(Template::folded).eq(other.templates.own().map(Template::folded)) {
            return wrong(0, "a template");
        }
        match (0..self.nodes.len()).find(|index| self.outline(*index) != other.outline(*index)) {
            Some(index) => wrong(self.nodes[index].template, "this object"),
            None if self.nodes.len() < other.nodes.len() => wrong(0, "an object"),
            None => Ok(()),
        }
    }

    /// What an object or reference is, whatever its encoding.
    fn outline(&self, index: usize) -> Option<impl PartialEq> {
        let node = self.nodes.get(index)?;
        let object = self.object(place(index));
        let reference = node.is_reference.then(|| self.reference(node));
        let named = reference.is_none().then(|| (object.template_name(), object.name(), object.guid()));
        Some((node.parent, node.behind, reference, named))
    }

    /// The templates that hold in this file.
    #[must_use]
    pub const fn templates(&self) -> &Templates {
        &self.templates
    }

    /// What is wrong with the order of objects: braces without partner, words without meaning. The first hundred.
    #[must_use]
    pub fn problems(&self) -> &[Error] {
        &self.problems
    }

    /// Every object, each before those inside it.
    pub fn all(&'a self) -> impl Iterator<Item = Object<'a>> {
        self.objects_in(0..self.nodes.len())
    }

    /// The objects that stand in no other.
    pub fn roots(&'a self) -> impl Iterator<Item = Object<'a>> {
        self.level(0, self.nodes.len()).filter_map(Child::object)
    }

    /// Every object of a kind as a typed view.
    pub fn views<V: View>(&'a self) -> impl Iterator<Item = Result<V>> {
        self.all().filter_map(|object| object.view())
    }

    const fn object(&'a self, index: u32) -> Object<'a> {
        Object { objects: self, index }
    }

    fn objects_in(&'a self, range: Range<usize>) -> impl Iterator<Item = Object<'a>> {
        range.filter(|index| !self.nodes[*index].is_reference).map(|index| self.object(place(index)))
    }

    /// The first object that stands in so many others or more.
    pub(super) fn deeper_than(&'a self, most: usize) -> Option<Object<'a>> {
        let mut ends: Vec<usize> = Vec::new();
        let mut nodes = self.nodes.iter().enumerate();
        let (index, _) = nodes.find(|(index, node)| {
            while ends.last().is_some_and(|end| end <= index) {
                ends.pop();
            }
            ends.push(node.behind as usize);
            !node.is_reference && ends.len() > most
        })?;
        Some(self.object(place(index)))
    }

    /// The nodes in a range that stand in no other of it.
    fn level(&'a self, start: usize, end: usize) -> impl Iterator<Item = Child<'a>> {
        let mut at = start;
        std::iter::from_fn(move || {
            let node = self.nodes.get(at).filter(|_| at < end)?;
            let index = place(at);
            at = node.behind as usize;
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

    /// What is wrong at a place, as an error of the file.
    pub(super) fn error(&self, at: usize, kind: ErrorKind) -> Error {
        let token = match self.tokens {
            Some(Tokens::Text(text)) => text.index_at(at).map_or(text.len(), |(index, _)| index),
            _ => at,
        };
        Error::new(self.offset_of(at), kind).at(self.token_path(token))
    }

    /// The path of a lexeme of the text, or of a token.
    pub(super) fn token_path(&self, index: usize) -> FieldPath {
        self.base.path().join(&vec![Step::Index(index)].into())
    }

    /// The bytes of the file that hold some of the text.
    pub(super) fn range(&self, text: Range<usize>) -> Range<u64> {
        let start = self.offset_of(text.start);
        start..start + text.len() as u64
    }

    /// The byte of the file at which a place is.
    fn offset_of(&self, at: usize) -> u64 {
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

    pub(super) const fn tokens(&self) -> Option<&'a Tokens> {
        self.tokens
    }

    pub(super) const fn base(&self) -> Base<'a> {
        self.base
    }

    fn complain(&mut self, at: usize, why: &str) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(self.error(at, ErrorKind::Syntax(why.into())));
        }
    }
}

impl<'a> Child<'a> {
    /// The object, unless it is a reference.
    #[must_use]
    pub const fn object(self) -> Option<Object<'a>> {
        match self {
            Self::Object(object) => Some(object),
            Self::Reference(_) => None,
        }
    }

    /// The reference, unless it is an object.
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

    /// The name of its template as it is spelled.
    #[must_use]
    pub fn template_name(&self) -> &'a [u8] {
        self.objects.name_at(self.node().template)
    }

    /// Its template; none where neither the file nor the standard defines it.
    #[must_use]
    pub fn template(&self) -> Option<&'a Template> {
        self.objects.templates.get(self.template_name())
    }

    /// Whether it is of this template, whatever the case of the letters.
    #[must_use]
    pub fn is(&self, template: &str) -> bool {
        self.template_name().eq_ignore_ascii_case(template.as_bytes())
    }

    /// Its own name; empty where it has none.
    #[must_use]
    pub fn name(&self) -> &'a [u8] {
        self.objects.name_at(self.node().name)
    }

    /// Where its name stands, in bytes of the text or as index of a token.
    pub(super) fn name_place(&self) -> Option<usize> {
        let at = self.node().name;
        (at != NONE).then_some(at as usize)
    }

    /// Its own GUID.
    #[must_use]
    pub fn guid(&self) -> Option<Guid> {
        match Symbols::new(self.objects.tokens?, self.node().open as usize).peek() {
            Some(Symbol::Guid(guid)) => guid,
            _ => None,
        }
    }

    /// What tells it from all others of the file.
    pub(super) const fn index(&self) -> u32 {
        self.index
    }

    /// The object it stands in.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let parent = self.node().parent;
        (parent != NONE).then(|| self.objects.object(parent))
    }

    /// What stands directly inside it.
    pub fn children(self) -> impl Iterator<Item = Child<'a>> {
        self.objects.level(self.index as usize + 1, self.node().behind as usize)
    }

    /// The objects directly inside it that are of a template.
    pub fn children_of(self, template: &str) -> impl Iterator<Item = Self> {
        self.children().filter_map(Child::object).filter(move |object| object.is(template))
    }

    /// The references directly inside it.
    pub fn references(self) -> impl Iterator<Item = Reference<'a>> {
        self.children().filter_map(Child::reference)
    }

    /// The way to it by names, as `get` and `set` take it: `Frame[Root].Mesh[0]`.
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

    /// What tells it from its neighbours of the same template.
    fn selector(&self) -> Step {
        let template = escape(self.template_name());
        let siblings: Vec<Self> = match self.parent() {
            Some(parent) => parent.children_of(&template).collect(),
            None => self.objects.roots().filter(|object| object.is(&template)).collect(),
        };
        let before = siblings.iter().take_while(|object| object.index < self.index);
        if self.name().is_empty() {
            return Step::Index(before.count());
        }
        let nth = 1 + before.filter(|object| object.name() == self.name()).count();
        Step::Named(escape(self.name()), nth)
    }

    /// The byte of the file at which its template's name stands.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.objects.offset_of(self.node().template as usize)
    }

    /// A typed view of it; nothing where it is of another template.
    #[must_use]
    pub fn view<V: View>(&self) -> Option<Result<V>> {
        self.is(V::TEMPLATE).then(|| {
            let mut fields = self.fields()?;
            V::read(&mut fields).map_err(|fault| self.error(fault))
        })
    }

    /// What is wrong with its values: missing, of another kind, more than the template takes, or not separated by
    /// semicolons and then at most one comma, or a single comma.
    #[must_use]
    pub fn problems(&self) -> Vec<Error> {
        let mut fields = match self.fields() {
            Ok(fields) => fields,
            Err(error) => return vec![error],
        };
        let laid_out = fields.pass().err().or_else(|| fields.excess());
        let faults = laid_out.into_iter().chain(self.values().unseparated());
        faults.map(|fault| self.error(fault)).collect()
    }

    pub(super) fn error(&self, fault: Fault) -> Error {
        self.objects.error(fault.place.at, fault.kind)
    }

    /// Its values, to be read in the order of its template.
    fn fields(&self) -> Result<Fields<'a>> {
        let name = self.template_name();
        let unknown = || ErrorKind::Unknown(format!("no template `{}` is known", escape(name)));
        let at = self.node().template as usize;
        let template = self.template().ok_or_else(|| self.objects.error(at, unknown()))?;
        Ok(Fields::new(&self.objects.templates, template, self.values()))
    }

    /// Where its values begin: behind the opening brace and its own GUID.
    pub(super) fn values_from(&self) -> usize {
        let Some(tokens) = self.objects.tokens else { return 0 };
        let mut symbols = Symbols::new(tokens, self.node().open as usize);
        if let Some(Symbol::Guid(_)) = symbols.peek() {
            symbols.next();
        }
        symbols.at.min(self.values_to())
    }

    /// Where its values end: at the first object inside it, or its closing brace.
    pub(super) fn values_to(&self) -> usize {
        self.node().values as usize
    }

    /// The stretch of its values.
    pub(super) fn values(&self) -> Values<'a> {
        static EMPTY: Tokens = Tokens::Binary(crate::wire::Stream::new());
        Values::new(self.objects.tokens.unwrap_or(&EMPTY), self.values_from()..self.values_to())
    }

    pub(super) const fn objects(&self) -> &'a Objects<'a> {
        self.objects
    }
}

impl Tokens {
    /// Bytes of the text, or tokens.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.text().len(),
            Self::Binary(tokens) => tokens.len(),
        }
    }

    /// No fewer than there are braces that open, found faster than these are told from others.
    pub(super) fn most_braces(&self) -> usize {
        match self {
            Self::Text(text) => memchr::memchr_iter(b'{', text.text()).count(),
            Self::Binary(tokens) => tokens.len(),
        }
    }
}

/// A place as a node keeps it; contents are shorter than 4 GiB.
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE)
}
