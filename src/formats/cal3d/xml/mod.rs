//! The XML forms: tokens, elements, and the fields of the binary form in them.
//!
//! The files are what TinyXML and exporters of the time accepted: often two root elements (`<HEADER .. />` first), names
//! in the code page of the author, numbers as a C library prints them (`-3.09086e-008`, `-1.#IND`). Only an edited value
//! is ever rewritten.

mod element;
mod form;
mod object_paths;
mod path;
mod read;
mod reshape;
mod respell;
mod tokens;
mod walk;
mod write;

use std::sync::LazyLock;

pub use element::Element;
pub use form::Form;
pub use tokens::{Markup, Within, XmlText};

pub(super) use element::Piece;
pub(super) use form::{Content, Field, is_same};
pub(super) use object_paths::Words;
pub(super) use path::resolve;
pub(super) use read::{Reader, read, read_text, read_while};
pub(super) use reshape::reshape;
pub(super) use respell::respell;
pub(super) use tokens::Nesting;
pub(super) use walk::{Place, Visitor, walk};
pub(super) use write::{write, write_to};

use self::form::Names;
use self::tokens::BOM;
use super::{Animation, Binary, Document, Material, Mesh, Morph, Skeleton};
use crate::schema::Leaf;
use crate::text::{plain_scalar, special_float};

/// The names of all forms.
static NAMES: LazyLock<Names> = LazyLock::new(|| {
    Names::of(&[Skeleton::form(), Animation::form(), Mesh::form(), Material::form(), Morph::form()])
});

/// A number as a C library spells it.
pub(super) fn number(word: &[u8]) -> Option<f32> {
    let has_digit = || word.iter().any(u8::is_ascii_digit);
    let finite = fast_float2::parse(word).ok().filter(|_| has_digit());
    finite.or_else(|| special_float(word))
}

/// The word for a value.
fn spelled(leaf: &dyn Leaf) -> Vec<u8> {
    let mut word = Vec::new();
    if let Some(scalar) = leaf.scalar() {
        let mut bytes = Vec::new();
        leaf.bytes(&mut bytes);
        plain_scalar(scalar, &bytes, &mut word);
    } else {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = leaf.show(&mut text);
        word = text.into_bytes();
    }
    word
}

/// The whole number that a word begins with, as the library reads it.
fn integer(word: &[u8]) -> Option<&str> {
    let digits = usize::from(matches!(word.first(), Some(b'+' | b'-')));
    let len = digits + word[digits..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&word[..len]).ok().filter(|_| len > digits)
}

/// Decodes the references of a text.
pub(super) fn plain(spelling: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(spelling.len());
    let mut rest = spelling;
    while let Some(at) = memchr::memchr(b'&', rest) {
        text.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let len = memchr::memchr(b';', rest);
        match len.and_then(|len| Some((len, character(&rest[1..len])?))) {
            Some((len, character)) => {
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &rest[len + 1..];
            }
            None => {
                text.push(b'&');
                rest = &rest[1..];
            }
        }
    }
    text.extend_from_slice(rest);
    text
}

/// The character that a reference names.
fn character(name: &[u8]) -> Option<char> {
    let name = std::str::from_utf8(name).ok()?;
    match (name, name.strip_prefix('#')) {
        ("lt", _) => Some('<'),
        ("gt", _) => Some('>'),
        ("amp", _) => Some('&'),
        ("quot", _) => Some('"'),
        ("apos", _) => Some('\''),
        (_, Some(code)) => {
            let code = match code.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => code.parse(),
            };
            code.ok().and_then(char::from_u32)
        }
        _ => None,
    }
}

/// Number of bytes that contain the start of the main element and any comments before it.
pub(super) const ENOUGH: usize = 4096;

/// Whether a text begins like an XML form of a kind: nothing but declarations and comments, then its main element or a
/// header of its magic.
pub(super) fn is_form<B: Binary>(head: &[u8]) -> bool {
    if !looks_like_xml(head) {
        return false;
    }
    // Damage further on does not matter here.
    let head = &head[..head.len().min(ENOUGH)];
    match magic_of(head) {
        Some(own) => {
            matches!((own, B::INFO.magic), ([b'X', own @ ..], [_, magic @ .., 0]) if own == magic)
        }
        None => Element::top(head)
            .find(|element| !element.is_header())
            .is_some_and(|main| form::is_same(B::XML_ROOT, main.name()) && is_described::<B>(main)),
    }
}

/// The magic in the first of the outer elements that has one.
fn magic_of(head: &[u8]) -> Option<&[u8]> {
    const NAME: &[u8] = b"MAGIC";
    // Many files have none. Searching for a letter is faster than parsing all elements.
    let mut words = memchr::memchr2_iter(b'C', b'c', head).filter_map(|last| head[..=last].last_chunk());
    if !words.any(|word: &[u8; NAME.len()]| word.eq_ignore_ascii_case(NAME)) {
        return None;
    }
    Element::top(head).find_map(|element| element.attribute(NAME).next())
}

/// Animations of bones and of morph targets have the same main element; the attributes of their tracks differ.
fn is_described<B: Binary>(root: Element<'_>) -> bool {
    let form = B::form();
    let record = root.children().find_map(|child| match &form.fields[form.element(child.name())?].content {
        Content::Records(own) => Some((child, own)),
        _ => None,
    });
    let Some((record, own)) = record else { return B::INFO.magic != Morph::INFO.magic };
    let has = |field: &form::Field| record.attributes().any(|(name, _)| field.is_attribute(name));
    own.fields.iter().filter(|field| field.is_required() && field.is_in_attribute()).all(has)
}

/// Whether the first character that is not white space opens a tag.
pub(super) fn looks_like_xml(head: &[u8]) -> bool {
    let head = head.strip_prefix(BOM).unwrap_or(head);
    head.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<')
}
