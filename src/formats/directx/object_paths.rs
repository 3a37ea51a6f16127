//! The paths of values by the names of objects and members, for tokens: the inverse of [`alias`](super::alias).

use std::fmt;

use super::fields::{Counts, Layout};
use super::objects::{Object, Objects};
use super::template::{MemberKind, Template};
use super::values::{Place, ValueError};
use super::{Tokens, X, XText};
use crate::schema::{FieldPath, Step, show_text};
use crate::wire::{Grammar, escape};

/// Translates paths of tokens in a `.x` file to those of the values by their objects. It is fast for ascending paths.
///
/// ```
/// let file = bindpose::decode(b"xof 0303txt 0032\nAnimTicksPerSecond { 4800; }\n")?;
/// let (token, _) = &file.get_text("AnimTicksPerSecond.AnimTicksPerSecond")?[0];
/// file.with_object_paths(|paths| {
///     let path = paths.path(token).expect("the path of a value");
///     assert_eq!(path.to_string(), "AnimTicksPerSecond[0].AnimTicksPerSecond");
///     assert_eq!(paths.text(token), Some(["AnimTicksPerSecond[0]", ".AnimTicksPerSecond"]));
/// });
/// # Ok::<(), bindpose::Error>(())
/// ```
pub struct ObjectPaths<'a>(Option<Reader<'a>>);

impl fmt::Debug for ObjectPaths<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ObjectPaths").finish_non_exhaustive()
    }
}

impl ObjectPaths<'_> {
    /// The paths of a file of another format: there are none.
    pub(in crate::formats) const fn none() -> Self {
        Self(None)
    }

    /// Returns the path by its object of the value at a path: `Mesh[0].vertices[1].x` for `tokens[21][3].value`. Other paths
    /// have none.
    pub fn path(&mut self, token: &FieldPath) -> Option<FieldPath> {
        let reader = self.0.as_mut()?;
        match reader.find(token)? {
            Found::Name(object) => Some(object.short_path()?.join(&vec![Step::Field("name".into())].into())),
            Found::Value => Some(reader.members.as_ref()?.path()),
        }
    }

    /// Returns the text of the same path: that of the object, and the rest.
    pub fn text(&mut self, token: &FieldPath) -> Option<[&str; 2]> {
        let reader = self.0.as_mut()?;
        match reader.find(token)? {
            Found::Name(object) => {
                reader.text.clear();
                object.short_path()?.push_to(&mut reader.text);
                Some([&reader.text, ".name"])
            }
            Found::Value => {
                let members = reader.members.as_ref()?;
                reader.text.clear();
                members.push_to(&mut reader.text);
                Some([&members.object_text, &reader.text])
            }
        }
    }
}

impl X {
    /// Passes on the paths of values by their objects.
    pub(crate) fn with_object_paths<T>(&self, run: impl FnOnce(&mut ObjectPaths<'_>) -> T) -> T {
        let Ok(objects) = self.objects() else { return run(&mut ObjectPaths::none()) };
        let root = objects.base().path();
        let reader = Reader { objects: &objects, root, run: None, members: None, text: String::new() };
        run(&mut ObjectPaths(Some(reader)))
    }
}

/// The distance up to which tokens are searched one by one.
const NEAR: usize = 64;

/// Finds values by their tokens.
struct Reader<'a> {
    objects: &'a Objects<'a>,
    /// The path of the content.
    root: FieldPath,
    /// The last number that was looked up: its token, its index, and their positions.
    run: Option<(usize, usize, usize, usize)>,
    /// The values of the last object that was looked up.
    members: Option<Members<'a>>,
    /// The last text of a path.
    text: String,
}

/// What is at a place.
enum Found<'a> {
    /// The name of an object.
    Name(Object<'a>),
    /// The present value of the members of the reader.
    Value,
}

impl<'a> Reader<'a> {
    fn find(&mut self, token: &FieldPath) -> Option<Found<'a>> {
        let steps = token.steps().strip_prefix(self.root.steps())?;
        let place = match (self.objects.tokens()?, steps) {
            (Tokens::Text(_), [Step::Index(token)]) => Place { at: self.start(*token, 0)?, within: 0 },
            (Tokens::Text(_), [Step::Index(token), Step::Index(nth), Step::Field(field)])
                if field == "value" =>
            {
                Place { at: self.start(*token, *nth)?, within: 0 }
            }
            (Tokens::Binary(_), [Step::Index(at), Step::Field(body), further @ ..]) if body == "body" => {
                let within = match further {
                    [Step::Field(field), Step::Index(index)] if field == "values" => *index,
                    [] => 0,
                    [Step::Field(field)] if field == "text" || field == "value" => 0,
                    _ => return None,
                };
                Place { at: *at, within }
            }
            _ => return None,
        };
        self.value_at(place)
    }

    /// Returns the position of a number in a token of text.
    fn start(&mut self, token: usize, nth: usize) -> Option<usize> {
        let Tokens::Text(text) = self.objects.tokens()? else { return None };
        let known = self.run.filter(|(own, last, ..)| *own == token && *last <= nth);
        let (mut index, mut at, start) = match (known, self.run) {
            (Some((_, index, at, start)), _) => (index, at, start),
            // Tokens before this one can be long: the search goes on from the last one, if that is near.
            (None, Some((last, .., start))) if last <= token && token - last < NEAR => {
                (0, 0, text.iter_at(start, ()).nth(token - last)?.start)
            }
            _ => (0, 0, text.iter_from(token).next()?.start),
        };
        if nth > 0 {
            let bytes = &text.text()[start..];
            while index < nth {
                (index, at) = (index + 1, XText::number(bytes, at).1);
            }
        }
        self.run = Some((token, index, at, start));
        Some(start + at)
    }

    fn value_at(&mut self, place: Place) -> Option<Found<'a>> {
        let object = self.objects.object_at(place.at)?;
        if object.name_place() == Some(place.at) {
            return Some(Found::Name(object));
        }
        let known = self.members.take();
        let known = known.filter(|known| known.object.index() == object.index() && known.precedes(place));
        let members = match known {
            Some(known) => known,
            None => Members::new(object)?,
        };
        self.members.insert(members).reaches(place).then_some(Found::Value)
    }
}

/// The values of an object, one after another.
struct Members<'a> {
    object: Object<'a>,
    /// The path of the object, and its text.
    object_path: FieldPath,
    object_text: String,
    layout: Layout<'a>,
    structs: Vec<Struct<'a>>,
    /// The position of the present value.
    place: Place,
    /// Whether the end of the values, or an invalid one, was found after the present one.
    has_ended: bool,
}

/// An open struct; the first one is the object itself.
struct Struct<'a> {
    template: &'a Template,
    counts: Counts,
    member: usize,
    /// The sizes of the present member and its present element, by dimension; none before its first element.
    element: Option<(Vec<u64>, Vec<u64>)>,
    /// The template of the elements of the present member, once one was entered.
    inner: Option<&'a Template>,
}

impl<'a> Struct<'a> {
    fn new(template: &'a Template) -> Self {
        Self { template, counts: Counts::default(), member: 0, element: None, inner: None }
    }

    /// Goes on to the next element, or to the next member after the last one.
    fn next(&mut self) {
        let Some((sizes, indices)) = &mut self.element else { return };
        for (index, size) in indices.iter_mut().zip(sizes).rev() {
            *index += 1;
            if *index < *size {
                return;
            }
            *index = 0;
        }
        self.member += 1;
        (self.element, self.inner) = (None, None);
    }
}

impl<'a> Members<'a> {
    /// The first value of an object; `None` if it has none, or its template is unknown.
    fn new(object: Object<'a>) -> Option<Self> {
        let structs = vec![Struct::new(object.template()?)];
        let layout = Layout::new(object.objects().templates(), object.values());
        let (object_path, place) = (object.short_path()?, Place { at: 0, within: 0 });
        let object_text = object_path.to_string();
        let mut own = Self { object, object_path, object_text, layout, structs, place, has_ended: false };
        own.find().ok()?.then_some(own)
    }

    /// Returns whether the value at a place is found from here on.
    fn precedes(&self, place: Place) -> bool {
        self.place < place || self.place == place && !self.has_ended
    }

    /// Goes on to the value at a place, and returns whether there is one.
    fn reaches(&mut self, place: Place) -> bool {
        while self.place < place && !self.has_ended {
            self.has_ended = !self.advance().unwrap_or(false);
        }
        self.place == place && !self.has_ended
    }

    /// Goes on to the next value; returns whether there is one.
    fn advance(&mut self) -> Result<bool, ValueError> {
        if let Some(open) = self.structs.last_mut() {
            open.next();
        }
        self.find()
    }

    /// Reads the next value at or after the present member.
    fn find(&mut self) -> Result<bool, ValueError> {
        loop {
            let depth = self.structs.len();
            let Some(open) = self.structs.last_mut() else { return Ok(false) };
            let Some(member) = open.template.members.get(open.member) else {
                self.structs.pop();
                if let Some(outer) = self.structs.last_mut() {
                    outer.next();
                }
                continue;
            };
            self.layout.step()?;
            if open.element.is_none() {
                let sizes: Vec<_> = member.sizes.iter().map(|size| open.counts.size(*size)).collect();
                if sizes.contains(&0) {
                    open.member += 1;
                    continue;
                }
                let first = vec![0; sizes.len()];
                open.element = Some((sizes, first));
            }
            if let MemberKind::Struct(name) = &member.kind {
                let template = self.layout.enter_again(&mut open.inner, name, depth - 1)?;
                self.structs.push(Struct::new(template));
                continue;
            }
            self.place = self.layout.values.place();
            match member.kind {
                MemberKind::Text => _ = self.layout.values.text()?,
                _ if member.counts => {
                    let number = self.layout.values.unsigned()?;
                    open.counts.note(open.member, member, number);
                }
                _ => self.layout.values.skip_numbers(1)?,
            }
            return Ok(true);
        }
    }

    /// Returns the steps from the object to the present value: the names of members, each with its indices.
    fn steps(&self) -> impl Iterator<Item = (&'a [u8], &[u64])> {
        self.structs.iter().map(|Struct { template, member, element, .. }| {
            let indices = element.as_ref().map_or(&[][..], |(_, indices)| indices);
            (&*template.members[*member].name, indices)
        })
    }

    fn path(&self) -> FieldPath {
        let mut path = self.object_path.clone();
        for (member, indices) in self.steps() {
            path.push(Step::Field(escape(member).into()));
            for at in indices {
                path.push(index(*at));
            }
        }
        path
    }

    /// Appends the text of the path from the object on.
    fn push_to(&self, text: &mut String) {
        for (member, indices) in self.steps() {
            text.push('.');
            // A text takes everything.
            let _ = show_text(member, text);
            for at in indices {
                index(*at).push_to(text);
            }
        }
    }
}

fn index(at: u64) -> Step {
    Step::Index(usize::try_from(at).unwrap_or(usize::MAX))
}
