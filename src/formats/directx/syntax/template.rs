//! Templates: the names, types and layout of the values of an object.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use super::symbols::{Symbol, Symbols};
use super::values::Values;
use crate::formats::directx::X;
use crate::formats::directx::{Guid, Tokens};
use crate::schema::Schema as _;
use crate::text::TokenText;
use crate::wire::escape;
use crate::work;

/// The definition of a type of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The name; case-insensitive.
    pub name: Vec<u8>,
    /// The GUID, which identifies it even under another name.
    pub guid: Option<Guid>,
    /// The members in file order.
    pub members: Vec<Member>,
    /// The allowed children.
    pub children: Children,
}

/// A member of a template: a value or an array of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name of the member.
    pub name: Vec<u8>,
    /// The type of each value.
    pub kind: MemberKind,
    /// The dimensions of an array; empty for a single value.
    pub sizes: Vec<Size>,
    /// Whether it is the size of a later member.
    pub counts: bool,
    /// The name in the standard template of the same GUID, where the file has another name at this position.
    pub standard_name: Option<Vec<u8>>,
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// An integer.
    Integer {
        /// The size in bits: 8, 16 or 32.
        bits: u8,
        /// Whether it is signed.
        signed: bool,
    },
    /// A floating point number.
    Float {
        /// The size in bits: 32 or 64.
        bits: u8,
    },
    /// A string.
    Text,
    /// The members of another template, stored inline.
    Struct(Vec<u8>),
}

/// The size of a dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A constant.
    Fixed(u32),
    /// The value of an earlier member, by index.
    Member(usize),
}

/// The children that a template allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Children {
    /// None.
    Closed,
    /// Any.
    Open,
    /// Objects of these templates.
    Restricted(Vec<Vec<u8>>),
}

/// The templates of a file: its own, and the standard ones that it does not redefine.
#[derive(Clone, Debug, Default)]
pub struct Templates {
    own: Vec<Template>,
    /// The indices of the own templates, by lowercase name.
    places: HashMap<Vec<u8>, usize>,
    /// The number of values of each template that consists of a constant number of numbers.
    flat: HashMap<Vec<u8>, u64>,
    /// The number of templates and members that have been inserted.
    size: usize,
}

/// The maximum nesting of structs and number of array dimensions; real files have two. Bounds recursive templates.
pub(in crate::formats::directx) const DEEPEST: usize = 16;

/// The maximum length of a template name. Bounds the cost of looking it up for each struct; real names have 30 bytes.
const LONGEST_NAME: usize = 128;

/// The maximum number of templates and members in a file. Bounds their memory; real files have a few hundred.
const MOST_MEMBERS: usize = 1 << 16;

impl Templates {
    /// Computes the constant sizes of templates, innermost first, once all templates are known.
    pub(in crate::formats::directx) fn measure(&mut self) {
        let mut others: Vec<&Template> = self.own.iter().collect();
        others.extend(standard().values().filter(|template| !self.places.contains_key(&key(&template.name))));
        let mut flat = HashMap::new();
        for _ in 0..DEEPEST {
            let measured = |template: &&Template| Some((key(&template.name), sum(template, &flat)?));
            let found: Vec<_> = others.iter().filter_map(measured).collect();
            if found.is_empty() {
                break;
            }
            flat.extend(found);
            others.retain(|template| !flat.contains_key(&key(&template.name)));
        }
        self.flat = flat;
    }

    pub(in crate::formats::directx) fn flat(&self, name: &[u8]) -> Option<u64> {
        if name.len() > LONGEST_NAME { None } else { self.flat.get(&key(name)).copied() }
    }

    /// Returns the number of values of a kind if it consists of a constant number of numbers.
    pub(in crate::formats::directx) fn flat_kind(&self, kind: &MemberKind) -> Option<u64> {
        match kind {
            MemberKind::Integer { .. } | MemberKind::Float { .. } => Some(1),
            MemberKind::Text => None,
            MemberKind::Struct(name) => self.flat(name),
        }
    }

    /// Returns whether a template has a member of 64-bit floats. Those that were `seen` have none.
    pub(in crate::formats::directx) fn has_doubles<'t>(
        &'t self,
        template: &'t Template,
        seen: &mut HashSet<&'t [u8]>,
    ) -> bool {
        seen.insert(&template.name)
            && template.members.iter().any(|member| match &member.kind {
                MemberKind::Float { bits } => *bits == 64,
                MemberKind::Struct(name) => self.get(name).is_some_and(|inner| self.has_doubles(inner, seen)),
                _ => false,
            })
    }

    /// Returns the template of a name. Ignores case.
    #[must_use]
    pub fn get(&self, name: &[u8]) -> Option<&Template> {
        if name.len() > LONGEST_NAME {
            return None;
        }
        let name = key(name);
        self.places.get(&name).map(|at| &self.own[*at]).or_else(|| standard().get(&name))
    }

    /// Iterates over the templates that the file defines, in file order. Of several with the same name the last applies.
    pub fn own(&self) -> impl Iterator<Item = &Template> {
        self.own.iter()
    }

    /// Returns how many members another template may have.
    pub(in crate::formats::directx) const fn room(&self) -> usize {
        MOST_MEMBERS.saturating_sub(self.size)
    }

    pub(in crate::formats::directx) fn insert(&mut self, mut template: Template) {
        self.size += 1 + template.members.len();
        template.note_standard_names();
        let place = *self.places.entry(key(&template.name)).or_insert(self.own.len());
        match self.own.get_mut(place) {
            Some(previous) => *previous = template,
            None => self.own.push(template),
        }
    }
}

/// Returns the key of a name: lowercase.
fn key(name: &[u8]) -> Vec<u8> {
    work::done(name.len());
    name.to_ascii_lowercase()
}

/// Returns the number of values of a template if it consists of a constant number of numbers.
fn sum(template: &Template, flat: &HashMap<Vec<u8>, u64>) -> Option<u64> {
    template.members.iter().try_fold(0_u64, |sum, member| {
        let count = member.sizes.iter().try_fold(1_u64, |product, size| match size {
            Size::Fixed(count) => Some(product.saturating_mul((*count).into())),
            Size::Member(_) => None,
        })?;
        let each = match &member.kind {
            _ if count == 0 => 0,
            MemberKind::Integer { .. } | MemberKind::Float { .. } => 1,
            MemberKind::Text => return None,
            MemberKind::Struct(name) => *flat.get(&key(name))?,
        };
        Some(sum.saturating_add(each.saturating_mul(count)))
    })
}

impl Template {
    /// Returns the standard template of a name. Ignores case.
    #[must_use]
    pub fn standard(name: &[u8]) -> Option<&'static Self> {
        standard().get(&key(name))
    }

    /// Reads a template after its keyword, including its closing brace.
    pub(in crate::formats::directx) fn read(
        symbols: &mut Symbols<'_>,
        room: usize,
    ) -> Result<Self, &'static str> {
        let Some((_, Symbol::Name(name))) = symbols.next() else {
            return Err("expected the name of a template");
        };
        if name.len() > LONGEST_NAME {
            return Err("the name of a template exceeds 128 bytes");
        }
        if !matches!(symbols.next(), Some((_, Symbol::Mark(b'{')))) {
            return Err("expected `{` after the name of a template");
        }
        let mut template =
            Self { name: name.to_vec(), guid: None, members: Vec::new(), children: Children::Closed };
        let mut places = HashMap::new();
        loop {
            match symbols.next() {
                Some((_, Symbol::Guid(guid))) => template.guid = guid,
                Some((_, Symbol::Mark(b'}'))) => return Ok(template),
                Some((_, Symbol::Mark(b'['))) => template.children = children(symbols)?,
                Some((_, Symbol::Mark(b';' | b','))) => {}
                Some((_, Symbol::Name(name))) => {
                    let member = template.member(name, symbols, &places)?;
                    places.entry(member.name.clone()).or_insert(template.members.len());
                    if template.members.len() >= room {
                        return Err("the templates have more than 65536 members");
                    }
                    template.members.push(member);
                }
                Some(_) => return Err("expected the type of a member"),
                None => return Err("the closing brace of a template is missing"),
            }
        }
    }

    /// Reads a member after its first word. `places` has the indices of earlier members.
    fn member(
        &mut self,
        first: &[u8],
        symbols: &mut Symbols<'_>,
        places: &HashMap<Vec<u8>, usize>,
    ) -> Result<Member, &'static str> {
        let is_array = first.eq_ignore_ascii_case(b"array");
        let kind = match (is_array, is_array.then(|| symbols.next()).flatten()) {
            (true, Some((_, Symbol::Name(kind)))) => kind,
            (true, _) => return Err("expected the type of an array"),
            (false, _) => first,
        };
        let kind = MemberKind::named(kind);
        let mut member =
            Member { name: Vec::new(), kind, sizes: Vec::new(), counts: false, standard_name: None };
        // The name of a single value is optional.
        if let Some(Symbol::Name(name)) = symbols.peek() {
            member.name = name.to_vec();
            symbols.next();
        }
        while is_array && symbols.peek() == Some(Symbol::Mark(b'[')) {
            symbols.next();
            let size = match symbols.next() {
                Some((at, Symbol::Numbers(_))) => {
                    Values::new(symbols.tokens, at..symbols.at).integer().ok().and_then(fixed)
                }
                Some((_, Symbol::Name(name))) => places.get(name).map(|index| {
                    self.members[*index].counts = true;
                    Size::Member(*index)
                }),
                _ => None,
            };
            member.sizes.push(size.ok_or("expected a number or an earlier member as array size")?);
            if !matches!(symbols.next(), Some((_, Symbol::Mark(b']')))) {
                return Err("expected `]` after an array size");
            }
        }
        if member.sizes.len() > DEEPEST { Err("an array has more than 16 dimensions") } else { Ok(member) }
    }

    /// Records the standard names of members that the file names differently. Readers identify templates by GUID and
    /// members by position, and some exporters misspell names.
    fn note_standard_names(&mut self) {
        let Some(standard) = Self::standard(&self.name) else { return };
        if self.guid.is_none() || self.guid != standard.guid || self.members.len() != standard.members.len() {
            return;
        }
        for (member, standard) in self.members.iter_mut().zip(&standard.members) {
            if member.has_layout_of(standard) && !member.name.eq_ignore_ascii_case(&standard.name) {
                member.standard_name = Some(standard.name.clone());
            }
        }
    }

    /// Returns a copy with lowercase names.
    pub(in crate::formats::directx) fn lowercased(&self) -> Self {
        let mut lower = self.clone();
        lower.name.make_ascii_lowercase();
        for member in &mut lower.members {
            member.name.make_ascii_lowercase();
            if let MemberKind::Struct(name) = &mut member.kind {
                name.make_ascii_lowercase();
            }
        }
        if let Children::Restricted(names) = &mut lower.children {
            for name in names {
                name.make_ascii_lowercase();
            }
        }
        lower
    }

    /// Returns whether objects of a template are allowed as children.
    #[must_use]
    pub fn allows(&self, child: &[u8]) -> bool {
        match &self.children {
            Children::Closed => false,
            Children::Open => true,
            Children::Restricted(names) => names.iter().any(|name| name.eq_ignore_ascii_case(child)),
        }
    }
}

impl Member {
    /// Returns whether this is its name in the file or in the standard.
    pub(in crate::formats::directx) fn is_called(&self, name: &[u8]) -> bool {
        let standard = self.standard_name.as_deref();
        self.name.eq_ignore_ascii_case(name) || standard.is_some_and(|own| own.eq_ignore_ascii_case(name))
    }

    /// As [`is_called`](Self::is_called), for a step of a path.
    pub(in crate::formats::directx) fn is_step(&self, step: &str) -> bool {
        let standard = self.standard_name.as_deref();
        is_step(&self.name, step) || standard.is_some_and(|own| is_step(own, step))
    }

    /// Returns the name that views use.
    pub(in crate::formats::directx) fn view_name(&self) -> &[u8] {
        self.standard_name.as_deref().unwrap_or(&self.name)
    }

    /// Returns whether it has the type and dimensions of another member.
    fn has_layout_of(&self, other: &Self) -> bool {
        let same_kind = match (&self.kind, &other.kind) {
            (MemberKind::Struct(own), MemberKind::Struct(other)) => own.eq_ignore_ascii_case(other),
            (MemberKind::Float { .. }, MemberKind::Float { .. }) => true,
            (own, other) => own == other,
        };
        same_kind && self.sizes == other.sizes
    }
}

/// Returns whether a step of a path, where bytes are escaped, is a name. Ignores case.
pub(in crate::formats::directx) fn is_step(name: &[u8], step: &str) -> bool {
    name.eq_ignore_ascii_case(step.as_bytes())
        || step.contains('\\') && escape(name).eq_ignore_ascii_case(step)
}

impl MemberKind {
    /// Returns an integer with the sign that it has in a member of this kind: tokens have 32 bits and no sign.
    pub(in crate::formats::directx) fn with_sign(&self, number: i64) -> i64 {
        match (self, u32::try_from(number)) {
            (Self::Integer { signed: true, .. }, Ok(word)) => word.cast_signed().into(),
            _ => number,
        }
    }

    fn named(name: &[u8]) -> Self {
        let integer = |bits, signed| Self::Integer { bits, signed };
        match name.to_ascii_uppercase().as_slice() {
            b"WORD" => integer(16, false),
            b"DWORD" => integer(32, false),
            b"SWORD" => integer(16, true),
            b"SDWORD" => integer(32, true),
            b"CHAR" => integer(8, true),
            b"UCHAR" | b"BYTE" => integer(8, false),
            b"FLOAT" => Self::Float { bits: 32 },
            b"DOUBLE" => Self::Float { bits: 64 },
            b"STRING" | b"LPSTR" | b"CSTRING" | b"UNICODE" => Self::Text,
            _ => Self::Struct(name.to_vec()),
        }
    }
}

fn fixed(size: i64) -> Option<Size> {
    u32::try_from(size).ok().map(Size::Fixed)
}

fn children(symbols: &mut Symbols<'_>) -> Result<Children, &'static str> {
    let mut names = Vec::new();
    let mut open = false;
    loop {
        match symbols.next() {
            Some((_, Symbol::Mark(b']'))) => break,
            Some((_, Symbol::Mark(b'.') | Symbol::Name(b"..."))) => open = true,
            Some((_, Symbol::Name(name))) => names.push(name.to_vec()),
            Some((_, Symbol::Guid(_) | Symbol::Mark(b',' | b';'))) => {}
            _ => return Err("expected template names or `...` between brackets"),
        }
    }
    Ok(if open { Children::Open } else { Children::Restricted(names) })
}

/// Returns the names and the positions of the templates that some content defines, in file order.
pub(in crate::formats::directx) fn definitions(tokens: &Tokens) -> Vec<(&[u8], Range<usize>)> {
    let mut all = Vec::new();
    let mut symbols = Symbols::new(tokens, 0);
    let mut depth = 0_usize;
    while let Some((at, symbol)) = symbols.next() {
        match symbol {
            Symbol::Mark(b'{') => depth += 1,
            Symbol::Mark(b'}') => depth = depth.saturating_sub(1),
            Symbol::Name(word) if depth == 0 && word.eq_ignore_ascii_case(b"template") => {
                let Some(Symbol::Name(name)) = symbols.peek() else { continue };
                while !matches!(symbols.next(), None | Some((_, Symbol::Mark(b'}')))) {}
                all.push((name, at..symbols.at));
            }
            _ => {}
        }
    }
    all
}

/// A file with the standard templates.
pub(in crate::formats::directx) const STANDARD_TEMPLATES: &str = include_str!("standard.x");

/// Returns the standard templates, which are defined in `standard.x`.
fn standard() -> &'static HashMap<Vec<u8>, Template> {
    static STANDARD: OnceLock<HashMap<Vec<u8>, Template>> = OnceLock::new();
    STANDARD.get_or_init(|| {
        let tokens = Tokens::Text(TokenText::new(STANDARD_TEMPLATES.as_bytes().to_vec()));
        let mut symbols = Symbols::new(&tokens, X::HEAD);
        let mut templates = HashMap::new();
        while let Some((_, symbol)) = symbols.next() {
            if symbol == Symbol::Name(b"template")
                && let Ok(template) = Template::read(&mut symbols, MOST_MEMBERS)
            {
                templates.insert(key(&template.name), template);
            }
        }
        templates
    })
}
