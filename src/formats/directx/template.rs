//! Templates: what the values of an object are called and how they are laid out.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::X;
use super::symbols::{Symbol, Symbols};
use super::values::Values;
use super::work;
use super::{Guid, Tokens};
use crate::schema::Schema as _;
use crate::wire::TokenText;

/// The definition of a kind of object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The name; letter case means nothing.
    pub name: Vec<u8>,
    /// What identifies it even under another name.
    pub guid: Option<Guid>,
    /// The values in their order.
    pub members: Vec<Member>,
    /// Which objects may stand inside.
    pub children: Children,
}

/// A value of a template, or an array of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name.
    pub name: Vec<u8>,
    /// What each value is.
    pub kind: MemberKind,
    /// How many there are in each dimension; none for a single value.
    pub sizes: Vec<Size>,
    /// Whether it says how many there are of a later one.
    pub counts: bool,
    /// The name in the standard template of the same GUID, where the file has another name at this position.
    pub standard_name: Option<Vec<u8>>,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// An integer: its bits, and whether it has a sign.
    Integer {
        /// 8, 16 or 32.
        bits: u8,
        /// Whether it can be negative.
        signed: bool,
    },
    /// A floating point number.
    Float,
    /// A text.
    Text,
    /// The values of another template, laid out in place.
    Struct(Vec<u8>),
}

/// How many elements an array has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Always as many.
    Fixed(u32),
    /// As many as an earlier member says, counted from 0.
    Member(usize),
}

/// Which objects may stand inside another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Children {
    /// None.
    Closed,
    /// Any.
    Open,
    /// Those of these templates.
    Restricted(Vec<Vec<u8>>),
}

/// The templates that hold in a file: its own, and the standard ones that it does not define anew.
#[derive(Clone, Debug, Default)]
pub struct Templates {
    own: Vec<Template>,
    /// Where those stand, by their names in small letters.
    places: HashMap<Vec<u8>, usize>,
    /// How many numbers those take that take nothing else and always as many.
    flat: HashMap<Vec<u8>, u64>,
}

/// Structs in structs, and dimensions of an array; real files have two. Templates that contain themselves have no end.
pub(super) const DEEPEST: usize = 16;

/// The bytes of a template's name; it is looked up for each struct, and real ones have thirty.
const LONGEST_NAME: usize = 128;

impl Templates {
    /// Sums up what each template takes, once all are known: those of numbers, those of such structs, and so on.
    pub(super) fn measure(&mut self) {
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

    pub(super) fn flat(&self, name: &[u8]) -> Option<u64> {
        if name.len() > LONGEST_NAME { None } else { self.flat.get(&key(name)).copied() }
    }

    /// The template of this name, whatever the case of its letters.
    #[must_use]
    pub fn get(&self, name: &[u8]) -> Option<&Template> {
        if name.len() > LONGEST_NAME {
            return None;
        }
        let name = key(name);
        self.places.get(&name).map(|at| &self.own[*at]).or_else(|| standard().get(&name))
    }

    /// Those that the file defines itself, in its order; of several with the same name the last.
    pub fn own(&self) -> impl Iterator<Item = &Template> {
        self.own.iter()
    }

    pub(super) fn insert(&mut self, mut template: Template) {
        template.note_standard_names();
        let place = *self.places.entry(key(&template.name)).or_insert(self.own.len());
        match self.own.get_mut(place) {
            Some(before) => *before = template,
            None => self.own.push(template),
        }
    }
}

/// A name as it is looked up.
fn key(name: &[u8]) -> Vec<u8> {
    work::done(name.len());
    name.to_ascii_lowercase()
}

/// How many numbers a template takes, where it takes nothing else and always as many.
fn sum(template: &Template, flat: &HashMap<Vec<u8>, u64>) -> Option<u64> {
    template.members.iter().try_fold(0_u64, |sum, member| {
        let count = member.sizes.iter().try_fold(1_u64, |product, size| match size {
            Size::Fixed(count) => Some(product.saturating_mul((*count).into())),
            Size::Member(_) => None,
        })?;
        let each = match &member.kind {
            _ if count == 0 => 0,
            MemberKind::Integer { .. } | MemberKind::Float => 1,
            MemberKind::Text => return None,
            MemberKind::Struct(name) => *flat.get(&key(name))?,
        };
        Some(sum.saturating_add(each.saturating_mul(count)))
    })
}

impl Template {
    /// The standard template of this name.
    #[must_use]
    pub fn standard(name: &[u8]) -> Option<&'static Self> {
        standard().get(&key(name))
    }

    /// Reads a template behind its keyword, up to and with its closing brace.
    pub(super) fn read(symbols: &mut Symbols<'_>) -> Result<Self, &'static str> {
        let Some((_, Symbol::Name(name))) = symbols.next() else { return Err("a template has a name") };
        if name.len() > LONGEST_NAME {
            return Err("a template's name has at most 128 bytes");
        }
        if !matches!(symbols.next(), Some((_, Symbol::Mark(b'{')))) {
            return Err("a template's members stand in braces");
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
                    template.members.push(member);
                }
                Some(_) => return Err("a template's member begins with its type"),
                None => return Err("the end of a template is missing"),
            }
        }
    }

    /// Reads a member behind its first word; earlier ones are known by name.
    fn member(
        &mut self,
        first: &[u8],
        symbols: &mut Symbols<'_>,
        places: &HashMap<Vec<u8>, usize>,
    ) -> Result<Member, &'static str> {
        let is_array = first.eq_ignore_ascii_case(b"array");
        let kind = match (is_array, is_array.then(|| symbols.next()).flatten()) {
            (true, Some((_, Symbol::Name(kind)))) => kind,
            (true, _) => return Err("an array has a type"),
            (false, _) => first,
        };
        let kind = MemberKind::named(kind);
        let mut member =
            Member { name: Vec::new(), kind, sizes: Vec::new(), counts: false, standard_name: None };
        // The name of a scalar can be left out.
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
            member.sizes.push(size.ok_or("an array's size is a number or an earlier member")?);
            if !matches!(symbols.next(), Some((_, Symbol::Mark(b']')))) {
                return Err("an array's size ends with a bracket");
            }
        }
        if member.sizes.len() > DEEPEST { Err("an array has at most 16 dimensions") } else { Ok(member) }
    }

    /// Notes the standard names of members that the file calls otherwise. Readers identify a template by its GUID and its
    /// members by position; the names are for people, and some exporters misspell them.
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

    /// With all names in small letters.
    pub(super) fn folded(&self) -> Self {
        let mut folded = self.clone();
        folded.name.make_ascii_lowercase();
        for member in &mut folded.members {
            member.name.make_ascii_lowercase();
            if let MemberKind::Struct(name) = &mut member.kind {
                name.make_ascii_lowercase();
            }
        }
        if let Children::Restricted(names) = &mut folded.children {
            for name in names {
                name.make_ascii_lowercase();
            }
        }
        folded
    }

    /// A member by its name, whatever the case of its letters.
    #[must_use]
    pub fn member_named(&self, name: &[u8]) -> Option<&Member> {
        self.members.iter().find(|member| member.is_called(name))
    }

    /// Whether an object of a template may stand inside.
    #[must_use]
    pub fn takes(&self, child: &[u8]) -> bool {
        match &self.children {
            Children::Closed => false,
            Children::Open => true,
            Children::Restricted(names) => names.iter().any(|name| name.eq_ignore_ascii_case(child)),
        }
    }
}

impl Member {
    /// Whether this is its name, in the file or in the standard.
    pub(super) fn is_called(&self, name: &[u8]) -> bool {
        let standard = self.standard_name.as_deref();
        self.name.eq_ignore_ascii_case(name) || standard.is_some_and(|own| own.eq_ignore_ascii_case(name))
    }

    /// The name by which views find it.
    pub(super) fn view_name(&self) -> &[u8] {
        self.standard_name.as_deref().unwrap_or(&self.name)
    }

    /// Whether it has the kind and the sizes of another member.
    fn has_layout_of(&self, other: &Self) -> bool {
        let same_kind = match (&self.kind, &other.kind) {
            (MemberKind::Struct(own), MemberKind::Struct(other)) => own.eq_ignore_ascii_case(other),
            (own, other) => own == other,
        };
        same_kind && self.sizes == other.sizes
    }
}

impl MemberKind {
    fn named(name: &[u8]) -> Self {
        let integer = |bits, signed| Self::Integer { bits, signed };
        match name.to_ascii_uppercase().as_slice() {
            b"WORD" => integer(16, false),
            b"DWORD" => integer(32, false),
            b"SWORD" => integer(16, true),
            b"SDWORD" => integer(32, true),
            b"CHAR" => integer(8, true),
            b"UCHAR" | b"BYTE" => integer(8, false),
            b"FLOAT" | b"DOUBLE" => Self::Float,
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
            _ => return Err("a restriction holds names, or three dots"),
        }
    }
    Ok(if open { Children::Open } else { Children::Restricted(names) })
}

/// The templates that every reader knows, in the language of the format itself.
fn standard() -> &'static HashMap<Vec<u8>, Template> {
    static STANDARD: OnceLock<HashMap<Vec<u8>, Template>> = OnceLock::new();
    STANDARD.get_or_init(|| {
        let tokens = Tokens::Text(TokenText::new(include_bytes!("standard.x").to_vec()));
        let mut symbols = Symbols::new(&tokens, X::HEAD);
        let mut templates = HashMap::new();
        while let Some((_, symbol)) = symbols.next() {
            if symbol == Symbol::Name(b"template")
                && let Ok(template) = Template::read(&mut symbols)
            {
                templates.insert(key(&template.name), template);
            }
        }
        templates
    })
}
