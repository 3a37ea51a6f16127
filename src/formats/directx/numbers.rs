//! Replaces the numbers of objects, each in the place and the encoding that it has.

use std::collections::BTreeMap;

use super::keys::KeyKind;
use super::scene::vertex::{self, Vector};
use super::syntax::fields::Layout;
use super::syntax::object_writer::ObjectWriter as _;
use super::syntax::template::MemberKind;
use super::syntax::text::word;
use super::syntax::values::{Place, ValueError, Values};
use super::syntax::walk::{Halt, Visitor, Walk};
use super::syntax::writer::{Number, SymbolWriter, TextWriter, TokenWriter};
use super::{
    AnimationKey, DeclData, FVFData, FloatList, FrameTransformMatrix, Mesh, Object, Objects, Token,
    TokenBody, Tokens, View,
};
use crate::edit::unsupported;
use crate::schema::Role;
use crate::text::TokenText;
use crate::{Budget, Error, ErrorKind, Result};

/// A number that replaces another one.
#[derive(Clone, Copy)]
enum New {
    Float(f32),
    Word(u32),
}

impl From<New> for Number<'_> {
    fn from(new: New) -> Self {
        match new {
            New::Float(number) => Self::Single(number),
            New::Word(number) => Self::Integer(number.into()),
        }
    }
}

/// A text that is copied with edits, front to back.
struct Edited<'a> {
    text: &'a [u8],
    /// The number of bytes that are copied or replaced.
    copied: usize,
    new: Vec<u8>,
}

impl Edited<'_> {
    /// Copies what is before a position; returns the new text up to there.
    fn copy_until(&mut self, at: usize) -> &mut Vec<u8> {
        self.new.extend_from_slice(&self.text[self.copied..at]);
        self.copied = at;
        &mut self.new
    }
}

/// New numbers and their positions, and matrices of frames that have none.
pub(super) struct Numbers {
    /// The memory of the lists, as long as these numbers live.
    budget: Budget,
    changed: Vec<(Place, New)>,
    inserted: BTreeMap<usize, [f32; 16]>,
}

impl Numbers {
    pub fn new(budget: &Budget) -> Self {
        Self { budget: budget.scope(), changed: Vec::new(), inserted: BTreeMap::new() }
    }

    /// Changes the floats of an object, which are those that a view has read. They are not copied with their positions: large
    /// objects have millions.
    pub fn floats(
        &mut self,
        object: Object<'_>,
        read: &[f32],
        change: impl FnOnce(&mut [f32]),
    ) -> Result<()> {
        // The numbers that were read, and the new ones.
        let _lists = self.budget.grant(2 * size_of_val(read) as u64)?;
        let mut new = read.to_vec();
        change(&mut new);
        self.budget.reserve(&mut self.changed, new.len())?;
        let mut expected = read.iter().zip(&new);
        let mut is_read = true;
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method has one lifetime, the closure any"
        )]
        each_value(
            object,
            |kind| matches!(kind, MemberKind::Float { .. }),
            |values| values.float(),
            |place, own| {
                let Some((old, new)) = expected.next() else { return is_read = false };
                is_read &= own.to_bits() == old.to_bits();
                if old.to_bits() != new.to_bits() {
                    self.changed.push((place, New::Float(*new)));
                }
            },
        )?;
        if is_read && expected.next().is_none() { Ok(()) } else { Err(different(object)) }
    }

    /// Changes the points or directions of an object.
    pub fn points(
        &mut self,
        object: Object<'_>,
        read: &[[f32; 3]],
        change: impl Fn([f32; 3]) -> [f32; 3],
    ) -> Result<()> {
        self.floats(object, read.as_flattened(), |own| {
            own.as_chunks_mut::<3>().0.iter_mut().for_each(|own| *own = change(*own));
        })
    }

    /// Changes the values of each key, given the kind of the keys.
    pub fn keys(
        &mut self,
        object: Object<'_>,
        read: &AnimationKey,
        change: impl Fn(Option<KeyKind>, &mut [f32]),
    ) -> Result<()> {
        self.floats(object, read.keys.values.items(), |mut own| {
            for len in read.keys.values.iter().map(<[f32]>::len) {
                let (key, rest) = std::mem::take(&mut own).split_at_mut(len);
                change(read.kind(), key);
                own = rest;
            }
        })
    }

    /// Changes the vectors of these kinds in the interleaved data of a mesh.
    pub fn vectors(
        &mut self,
        mesh: Object<'_>,
        wanted: &[Vector],
        change: &dyn Fn(Vector, &mut [f32; 3]),
    ) -> Result<()> {
        let num = mesh.view::<Mesh>().transpose()?.map_or(0, |mesh| mesh.vertices.len());
        for object in mesh.children_of(DeclData::TEMPLATE) {
            let Some(own) = object.view::<DeclData>() else { continue };
            let own = own?;
            let elements = own.elements.iter().map(|&[kind, _, usage, index]| (kind, usage, index));
            let vectors = vertex::vectors(&elements.collect::<Vec<_>>(), wanted);
            self.interleaved(object, vectors, &own.data, change)?;
        }
        for object in mesh.children_of(FVFData::TEMPLATE) {
            let Some(own) = object.view::<FVFData>() else { continue };
            let own = own?;
            let vectors = vertex::vectors(&vertex::elements_of(&own, num), wanted);
            self.interleaved(object, vectors, &own.data, change)?;
        }
        Ok(())
    }

    fn interleaved(
        &mut self,
        object: Object<'_>,
        vectors: Option<(usize, Vec<(usize, Vector)>)>,
        data: &[u32],
        change: &dyn Fn(Vector, &mut [f32; 3]),
    ) -> Result<()> {
        let Some((stride, vectors)) = vectors else {
            return Err(unsupported(
                "the vectors in the interleaved data of a mesh are not stored as floats",
            ));
        };
        if vectors.is_empty() {
            return Ok(());
        }
        let mut places = Vec::new();
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method has one lifetime, the closure any"
        )]
        each_value(
            object,
            |kind| *kind != MemberKind::Text,
            |values| values.unsigned(),
            |place, word| {
                places.push((place, word));
            },
        )?;
        let own = places.len().checked_sub(data.len()).map(|start| &places[start..]);
        let own = own.filter(|own| own.iter().map(|(_, word)| word).eq(data));
        for vertex in own.ok_or_else(|| different(object))?.chunks_exact(stride) {
            for (from, kind) in &vectors {
                let own = &vertex[*from..*from + 3];
                let mut new = [own[0].1, own[1].1, own[2].1].map(f32::from_bits);
                change(*kind, &mut new);
                let changed = own.iter().zip(new.map(f32::to_bits)).filter(|((_, old), new)| old != new);
                self.changed.extend(changed.map(|((place, _), new)| (*place, New::Word(new))));
            }
        }
        Ok(())
    }

    /// Inserts the transform of a frame at a position.
    pub fn insert(&mut self, at: usize, matrix: [f32; 16]) {
        self.inserted.insert(at, matrix);
    }

    /// Returns the content with the new numbers.
    pub fn applied(mut self, objects: &Objects<'_>) -> Result<Tokens> {
        self.changed.sort_unstable_by_key(|(place, _)| *place);
        Ok(match objects.tokens() {
            None => Tokens::Binary(Vec::new().into()),
            Some(Tokens::Text(text)) => {
                self.budget.charge(text.text().len() as u64)?;
                Tokens::Text(TokenText::new(self.in_text(text.text())))
            }
            Some(Tokens::Binary(tokens)) => Tokens::Binary(self.in_tokens(tokens)?.into()),
        })
    }

    fn in_text(self, text: &[u8]) -> Vec<u8> {
        let mut edited = Edited { text, copied: 0, new: Vec::with_capacity(text.len()) };
        let mut matrices = self.inserted.into_iter().peekable();
        let numbers = self.changed.into_iter().map(|(place, number)| (place.at, Some(number)));
        for (at, number) in numbers.chain([(text.len(), None)]) {
            while let Some((at, matrix)) = matrices.next_if(|(own, _)| *own <= at) {
                let matrix = frame_matrix(TextWriter::new(), &matrix).unwrap_or_default();
                edited.copy_until(at).extend(matrix);
            }
            let new = edited.copy_until(at);
            if let Some(number) = number {
                Number::from(number).spell(new);
                edited.copied += word(&text[at..]);
            }
        }
        edited.new
    }

    fn in_tokens(self, tokens: &[Token]) -> Result<Vec<Token>> {
        let mut new = tokens.to_vec();
        for (Place { at, within }, number) in self.changed {
            if !set(&mut new[at].body, within, number) {
                return Err(unsupported(
                    "the file stores floats as integers, which cannot have the new values",
                ));
            }
        }
        let double = tokens.iter().any(Token::has_doubles);
        for (at, matrix) in self.inserted.into_iter().rev() {
            let own = frame_matrix(TokenWriter::new(double), &matrix);
            new.splice(at..at, own.map_err(|why| unsupported(&why))?);
        }
        Ok(new)
    }
}

impl Token {
    pub(super) const fn has_doubles(&self) -> bool {
        matches!(self.body, TokenBody::FloatList(FloatList::Double(_)))
    }
}

/// Sets a number of a token; returns whether it can be stored there.
fn set(body: &mut TokenBody, within: usize, number: New) -> bool {
    let integer = match number {
        New::Word(number) => Some(number),
        #[expect(clippy::cast_possible_truncation, reason = "the number is whole")]
        New::Float(number) if number.fract() == 0.0 => u32::try_from(number as i64).ok(),
        New::Float(_) => None,
    };
    match (body, number, integer) {
        (TokenBody::FloatList(FloatList::Single(own)), New::Float(number), _) => own.values[within] = number,
        (TokenBody::FloatList(FloatList::Double(own)), New::Float(number), _) => {
            own.values[within] = number.into();
        }
        (TokenBody::Integer(own), _, Some(integer)) => *own = integer,
        (TokenBody::IntegerList(own), _, Some(integer)) => own.values[within] = integer,
        _ => return false,
    }
    true
}

/// Writes the transform of a frame.
fn frame_matrix<S: SymbolWriter>(mut out: S, matrix: &[f32; 16]) -> Result<S::Output, String> {
    out.object(&FrameTransformMatrix { matrix: *matrix })?;
    Ok(out.finish())
}

/// Visits the values of some kinds in an object, each with its position.
fn each_value<T>(
    object: Object<'_>,
    is_wanted: fn(&MemberKind) -> bool,
    read: fn(&mut Values<'_>) -> Result<T, ValueError>,
    visit: impl FnMut(Place, T),
) -> Result<()> {
    struct Each<T, F> {
        visit: F,
        is_wanted: fn(&MemberKind) -> bool,
        read: fn(&mut Values<'_>) -> Result<T, ValueError>,
    }
    impl<T, F: FnMut(Place, T)> Visitor for Each<T, F> {
        fn value(&mut self, values: &mut Values<'_>, kind: &MemberKind, _: Role) -> Result<(), ValueError> {
            let place = values.place();
            match kind {
                kind if (self.is_wanted)(kind) => (self.visit)(place, (self.read)(values)?),
                MemberKind::Text => drop(values.text()?),
                _ => values.skip_numbers(1)?,
            }
            Ok(())
        }
    }
    let Some(template) = object.template() else { return Ok(()) };
    let mut each = Each { visit, is_wanted, read };
    let layout = Layout::new(object.objects().templates(), object.values());
    let walked = Walk::new(layout, &mut each).object(template, &[]);
    walked.map_err(|halt| match halt {
        Halt::Value(fault) => object.error(fault),
        Halt::Path(why) => Error::new(object.offset(), ErrorKind::Syntax(why.to_string())),
    })
}

fn different(object: Object<'_>) -> Error {
    unsupported(&format!("the file defines the values of `{}` differently from the standard", object.path()))
}
