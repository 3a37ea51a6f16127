//! Writes names, marks and values as text or tokens.

mod text;
mod tokens;

pub(in crate::formats::directx) use text::TextWriter;
pub(in crate::formats::directx) use tokens::TokenWriter;

use std::borrow::Cow;

use super::rows::Row;
use super::template::Member;
use crate::Result;
use crate::formats::directx::{Guid, Tokens};
use crate::text::{plain_double, plain_integer, plain_single};

/// A number of either encoding.
#[derive(Clone, Debug, PartialEq)]
pub enum Number<'a> {
    /// An integer.
    Integer(i64),
    /// A float of 32 bits.
    Single(f32),
    /// A float of 64 bits.
    Double(f64),
    /// A float in text form.
    Word(Cow<'a, [u8]>),
}

impl Number<'_> {
    /// Appends its text form.
    pub fn spell(self, text: &mut Vec<u8>) {
        match self {
            Self::Integer(number) => plain_integer(number, text),
            Self::Single(float) => plain_single(float, text),
            Self::Double(float) => plain_double(float, text),
            Self::Word(word) => text.extend_from_slice(&word),
        }
    }
}

/// A target of conversion.
pub trait SymbolWriter: Sized {
    type Output;

    /// Writes the template name of an object.
    fn template(&mut self, name: &[u8]) -> Result<(), String>;
    /// Writes the name of an object; may be empty.
    fn name(&mut self, name: &[u8]) -> Result<(), String>;
    /// Writes a word of a template: a type or the name of a member.
    fn keyword(&mut self, word: &[u8]) -> Result<(), String>;
    fn text(&mut self, text: &[u8]) -> Result<(), String>;
    fn guid(&mut self, guid: Guid);
    fn reference(&mut self, name: &[u8], guid: Option<Guid>) -> Result<(), String>;
    fn mark(&mut self, mark: u8, in_template: bool);
    fn number(&mut self, number: Number<'_>) -> Result<(), String>;
    /// Called between two elements of an array.
    fn between(&mut self);
    /// Called after a member of a struct; `depth` is the number of enclosing structs.
    fn end(&mut self, depth: usize);
    /// Called after all values of an object.
    fn end_values(&mut self);
    /// Writes the elements in the list of a member, and returns their number.
    fn rows<R: Row>(&mut self, member: &Member, rows: impl Iterator<Item = R>) -> Result<usize, String>;
    /// Writes the templates of a text.
    fn with_templates(self, text: &str) -> Result<Self>;
    /// Reserves memory for this number of numbers.
    fn reserve(&mut self, _num_numbers: usize) {}
    fn finish(self) -> Self::Output;
    /// Returns the content of a file.
    fn content(self) -> Tokens;
}

/// Returns a number, or 0 for one that is not finite, which few readers know.
fn finite(float: f32) -> f32 {
    if float.is_finite() { float } else { 0.0 }
}
