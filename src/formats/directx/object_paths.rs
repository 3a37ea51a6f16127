//! The paths of values by the names of objects and members, for tokens: the inverse of [`alias`](super::alias).

use super::fields::{Counts, Layout};
use super::objects::{Object, Objects};
use super::template::{MemberKind, Template};
use super::values::{Place, ValueError};
use super::{Tokens, X, XText};
use crate::schema::{FieldPath, Step};
use crate::wire::{Grammar, escape};

impl X {
    /// Passes on a function that translates the path of a token or number to the path of the value by its object:
    /// `tokens[21][3].value` to `Frame["Root"].Mesh[0].vertices[1].x`. It is fast for ascending paths.
    pub(crate) fn with_object_paths<T>(
        &self,
        run: impl FnOnce(&mut dyn FnMut(&FieldPath) -> Option<FieldPath>) -> T,
    ) -> T {
        let Ok(objects) = self.objects() else { return run(&mut |_| None) };
        let root = objects.base().path();
        let mut reader = Reader { objects: &objects, run: None, members: None };
        run(&mut |path| reader.path(path.steps().strip_prefix(root.steps())?))
    }
}

/// The distance up to which tokens are searched one by one.
const NEAR: usize = 64;

/// Finds values by their tokens.
struct Reader<'a> {
    objects: &'a Objects<'a>,
    /// The last number that was looked up: its token, its index, and their positions.
    run: Option<(usize, usize, usize, usize)>,
    /// The values of the last object that was looked up.
    members: Option<Members<'a>>,
}

impl Reader<'_> {
    fn path(&mut self, steps: &[Step]) -> Option<FieldPath> {
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

    fn value_at(&mut self, place: Place) -> Option<FieldPath> {
        let object = self.objects.object_at(place.at)?;
        if object.name_place() == Some(place.at) {
            return Some(object.short_path()?.join(&vec![Step::Field("name".into())].into()));
        }
        let known = self.members.take();
        let known = known.filter(|known| known.object.index() == object.index() && known.place <= place);
        let mut members = match known {
            Some(known) => known,
            None => Members::new(object)?,
        };
        while members.place < place {
            if !members.advance().ok()? {
                return None;
            }
        }
        let path = (members.place == place).then(|| members.path());
        self.members = Some(members);
        path
    }
}

/// The values of an object, one after another.
struct Members<'a> {
    object: Object<'a>,
    /// The path of the object.
    path: FieldPath,
    layout: Layout<'a>,
    structs: Vec<Struct<'a>>,
    /// The position of the present value.
    place: Place,
}

/// An open struct; the first one is the object itself.
struct Struct<'a> {
    template: &'a Template,
    counts: Counts,
    member: usize,
    /// The sizes of the present member and its present element, by dimension; none before its first element.
    element: Option<(Vec<u64>, Vec<u64>)>,
}

impl<'a> Struct<'a> {
    fn new(template: &'a Template) -> Self {
        Self { template, counts: Counts::default(), member: 0, element: None }
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
        self.element = None;
    }
}

impl<'a> Members<'a> {
    /// The first value of an object; `None` if it has none, or its template is unknown.
    fn new(object: Object<'a>) -> Option<Self> {
        let structs = vec![Struct::new(object.template()?)];
        let layout = Layout::new(object.objects().templates(), object.values());
        let (path, place) = (object.short_path()?, Place { at: 0, within: 0 });
        let mut own = Self { object, path, layout, structs, place };
        own.find().ok()?.then_some(own)
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
                let template = self.layout.enter(name, depth - 1)?;
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

    fn path(&self) -> FieldPath {
        let mut path = self.path.clone();
        for Struct { template, member, element, .. } in &self.structs {
            path.push(Step::Field(escape(&template.members[*member].name).into()));
            let indices = element.iter().flat_map(|(_, indices)| indices);
            indices.for_each(|index| path.push(Step::Index(usize::try_from(*index).unwrap_or(usize::MAX))));
        }
        path
    }
}
