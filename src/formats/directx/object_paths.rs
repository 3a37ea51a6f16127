//! The paths of values by the names of objects and members, for tokens: the inverse of [`alias`](super::alias).

use super::members::Members;
use super::syntax::objects::{Object, Objects};
use super::syntax::values::Place;
use super::{Tokens, X, XText};
use crate::formats::object_paths::{ObjectPaths, Translate};
use crate::schema::{FieldPath, Step};
use crate::text::Grammar;

/// Passes on the paths of values by their objects.
pub(super) fn with_object_paths<T>(file: &X, run: impl FnOnce(&mut ObjectPaths<'_>) -> T) -> T {
    let Ok(objects) = file.objects() else { return run(&mut ObjectPaths::names(file)) };
    let root = objects.base().path();
    let mut reader = Reader { objects: &objects, root, run: None, values: None, text: String::new() };
    run(&mut ObjectPaths::own(&mut reader))
}

impl Translate for Reader<'_> {
    fn path(&mut self, token: &FieldPath) -> Option<FieldPath> {
        match self.find(token)? {
            Found::Name(object) => Some(object.short_path()?.join(&vec![Step::Field("name".into())].into())),
            Found::Value => {
                let own = self.values.as_ref()?;
                Some(own.object.join(&own.members.path()))
            }
        }
    }

    fn text(&mut self, token: &FieldPath) -> Option<[&str; 2]> {
        match self.find(token)? {
            Found::Name(object) => {
                self.text.clear();
                object.short_path()?.push_to(&mut self.text);
                Some([&self.text, ".name"])
            }
            Found::Value => {
                let own = self.values.as_ref()?;
                self.text.clear();
                own.members.push_to(&mut self.text);
                Some([&own.object_text, &self.text])
            }
        }
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
    values: Option<ObjectValues<'a>>,
    /// The last text of a path.
    text: String,
}

/// The values of an object, with its path.
struct ObjectValues<'a> {
    members: Members<'a>,
    object: FieldPath,
    object_text: String,
}

impl<'a> ObjectValues<'a> {
    fn new(object: Object<'a>) -> Option<Self> {
        let path = object.short_path()?;
        Some(Self { members: Members::new(object)?, object_text: path.to_string(), object: path })
    }
}

/// What is at a place.
enum Found<'a> {
    /// The name of an object.
    Name(Object<'a>),
    /// The present value of the reader.
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
        let known = self.values.take().filter(|known| known.members.precede(object, place));
        let values = match known {
            Some(known) => known,
            None => ObjectValues::new(object)?,
        };
        self.values.insert(values).members.reaches(place).then_some(Found::Value)
    }
}
