//! Rules for files of every format.

use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::Range;
use std::slice::ChunksExact;

use super::rule::rules;
use super::{Findings, Rule};
use crate::FieldPath;
use crate::codec::damage;
use crate::schema::{Class, Items, Leaf, Node, Place, Step, Value, Visitor, leaves, walk};
use crate::wire::escape;

rules! {
    DAMAGED = Error "any/damaged" "The file cannot be decoded to its end." {
        why: "The bytes after the given offset cannot be interpreted. They are preserved, but other readers will reject the file or \
              ignore them. Common causes: an incomplete download, a transfer in text mode that dropped bytes, or a wrong count.",
        source: "The layout of each format.",
        example: "rest: 4 bytes after the last part of the file",
    }
    NOT_FINITE = Error "any/not-finite" "A number is NaN or infinite." {
        why: "No real file of any of these formats contains one. It results from a division by zero in the exporter, and propagates \
              to every value it is combined with: a part or the whole model disappears.",
        source: "IEEE 754; none in 2,300 real files of six families.",
        example: "vertices[0].position[2]: is NaN",
    }
    PATH = Info "any/path-after-nul" "The bytes after a text's NUL contain part of a file path." {
        why: "The writer reused memory without clearing it. The bytes have no effect, but disclose names of the author's directories \
              and files. To remove them, set the field to hex: with zeros after the NUL.",
        source: "MilkShape 3D leaves them in materials: 16 of 42 real files.",
        example: "materials[0].texture: \"C:\\\\models\\\\old\\\\canvas_v1.bmp\" after the NUL",
    }
    JUNK = Hint "any/junk-after-nul" "There are bytes after a text's NUL." {
        why: "Many writers reuse memory without clearing it. The bytes have no effect, but may disclose older names. To remove them, \
              set the field to hex: with zeros after the NUL.",
        source: "MilkShape 3D writes them into every material: all 89 materials of 71 real files.",
        example: "materials[0].name: \"rial 7\" after the NUL",
    }
    UNTERMINATED = Info "any/text-unterminated" "A text fills its field and has no NUL." {
        why: "Some programs accept this; others continue into the next field, or drop the last character.",
        source: "strncpy writes no NUL after a text that fills the field: the 3ds Max tutorial, CUE4Parse.",
        example: "joints[0].name: fills all 32 bytes",
    }
    OPAQUE = Info "any/opaque-bytes" "Bytes have no known meaning." {
        why: "They are preserved. They belong to an undocumented extension, or to a known record with another \
              length.",
        source: "The layout of each format.",
        example: "chunks[7].records: 9 bytes of unknown meaning",
    }
}

/// Checks the rules for files of every format. Values are encoded if the bytes of the file are not given.
pub(crate) fn check(root: &dyn Value, bytes: Option<&[u8]>, findings: &mut Findings) {
    if let Some(error) = damage(root) {
        let end = bytes.map_or_else(|| root.size(), |bytes| bytes.len() as u64);
        findings.add_at(&DAMAGED, error.offset()..end, || error.path().clone(), || error.message());
    }
    let _ = walk(root, &mut Survey { bytes, outer: None, encoded: Vec::new(), findings });
}

/// Lists of at most this length are visited record by record.
const FEW: usize = 4;

/// The size of a block of encoded records.
const BLOCK: usize = 1 << 16;

/// Visits leaves; lists of records of fixed size are scanned as bytes.
struct Survey<'a> {
    /// The bytes of the file, if they are given and this is not the content of a packed value.
    bytes: Option<&'a [u8]>,
    /// The packed value whose content this is.
    outer: Option<&'a Place>,
    /// The bytes of a leaf, if those of the file are not given.
    encoded: Vec<u8>,
    findings: &'a mut Findings,
}

/// Returns the bytes at an offset; none if they are not in the file.
fn range(bytes: &[u8], start: u64, len: u64) -> &[u8] {
    let range = usize::try_from(start).ok().zip(usize::try_from(start.saturating_add(len)).ok());
    range.and_then(|(start, end)| bytes.get(start..end)).unwrap_or_default()
}

impl Visitor for Survey<'_> {
    fn leaf(&mut self, place: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
        self.inside(place, leaf.inside());
        let Some(look) = Look::at(leaf) else { return Continue(()) };
        let bytes = if let Some(bytes) = self.bytes {
            range(bytes, place.offset, leaf.size())
        } else {
            self.encoded.clear();
            leaf.bytes(&mut self.encoded);
            &self.encoded
        };
        if let Some(rule) = look.finds(bytes) {
            let range = place.offset..place.offset + leaf.size();
            report(self.findings, self.outer, rule, range, || place.path.clone(), bytes);
        }
        Continue(())
    }

    fn enter(&mut self, place: &Place, value: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
        self.inside(place, value.inside());
        let Node::Items(items) = node else { return Continue(true) };
        if items.text().is_some_and(|text| memchr::memchr(0, text).is_none()) {
            return Continue(false);
        }
        if !items.is_section() {
            return Continue(true);
        }
        // The rules of the format cover lists of records of variable size.
        let Some(size @ 1..) = items.item_size() else { return Continue(false) };
        // Finding the layout of the records takes as long as visiting a few.
        if items.len() <= FEW {
            return Continue(!self.is_finite(place, *items, size));
        }
        self.records(place, *items, size);
        Continue(false)
    }
}

impl Survey<'_> {
    fn inside(&mut self, place: &Place, content: Option<&dyn Value>) {
        if let Some(content) = content {
            let outer = Some(self.outer.unwrap_or(place));
            let findings = &mut *self.findings;
            let _ = walk(content, &mut Survey { bytes: None, outer, encoded: Vec::new(), findings });
        }
    }

    /// Whether all elements of a list are finite floats.
    fn is_finite(&mut self, place: &Place, items: &dyn Items, size: usize) -> bool {
        let is_float =
            |item: &dyn Value| matches!(item.node(), Node::Leaf(leaf) if leaf.class() == Class::Float);
        if !items.item(0).is_some_and(is_float) {
            return false;
        }
        let bytes = if let Some(bytes) = self.bytes {
            range(bytes, place.offset, (items.len() * size) as u64)
        } else {
            self.encoded.clear();
            items.bytes(0..items.len(), &mut self.encoded);
            &self.encoded
        };
        bytes.chunks_exact(size).all(is_finite)
    }

    /// Checks records that all have the layout of the first one.
    fn records(&mut self, place: &Place, items: &dyn Items, size: usize) {
        let template = template(items);
        if template.is_empty() {
            return;
        }
        if let Some(bytes) = self.bytes {
            let bytes = range(bytes, place.offset, (items.len() * size) as u64);
            return self.block(place, 0, bytes.chunks_exact(size), &template);
        }
        let mut bytes = Vec::new();
        let step = (BLOCK / size).max(1);
        for first in (0..items.len()).step_by(step) {
            bytes.clear();
            items.bytes(first..items.len().min(first + step), &mut bytes);
            self.block(place, first, bytes.chunks_exact(size), &template);
        }
    }

    /// Checks consecutive records of a list.
    fn block(&mut self, place: &Place, first: usize, records: ChunksExact<'_, u8>, template: &[Part]) {
        for (index, record) in (first..).zip(records) {
            for part in template {
                let bytes = record.get(part.range.clone()).unwrap_or_default();
                if let Some(rule) = part.look.finds(bytes) {
                    let start = place.offset + (index * record.len() + part.range.start) as u64;
                    let range = start..start + part.range.len() as u64;
                    let path = || {
                        let mut path = place.path.clone();
                        path.push(Step::Index(index));
                        path.join(&part.path)
                    };
                    report(self.findings, self.outer, rule, range, path, bytes);
                }
            }
        }
    }
}

fn report(
    findings: &mut Findings,
    outer: Option<&Place>,
    rule: &'static Rule,
    range: Range<u64>,
    path: impl FnOnce() -> FieldPath,
    bytes: &[u8],
) {
    match outer {
        None => findings.add_at(rule, range, path, || message(rule, bytes)),
        Some(outer) => {
            let content = outer.path.join(&FieldPath::from(vec![Step::Inside]));
            findings.add(rule, || content.join(&path()), || message(rule, bytes));
        }
    }
}

/// A leaf to check, by its byte range in the record.
struct Part {
    path: FieldPath,
    range: Range<usize>,
    look: Look,
}

fn template(items: &dyn Items) -> Vec<Part> {
    let mut parts = Vec::new();
    let _ = items.each(0, &mut |_, first| {
        let _ = leaves(first, &mut |place, leaf| {
            let start = usize::try_from(place.offset).unwrap_or(usize::MAX);
            let size = usize::try_from(leaf.size()).unwrap_or(usize::MAX);
            if let Some(look) = Look::at(leaf) {
                parts.push(Part { path: place.path.clone(), range: start..start.saturating_add(size), look });
            }
            Continue(())
        });
        Break(())
    });
    parts
}

/// A check for the bytes of a leaf.
#[derive(Clone, Copy)]
enum Look {
    Float,
    /// A text in a field of fixed length.
    Field,
    /// A text of variable length.
    Text,
    Opaque,
}

impl Look {
    fn at(leaf: &dyn Leaf) -> Option<Self> {
        match leaf.class() {
            Class::Float => Some(Self::Float),
            Class::Text if !leaf.is_field() => Some(Self::Text),
            // Shorter fields are magics and tags.
            Class::Text if leaf.size() >= 16 => Some(Self::Field),
            Class::Opaque => Some(Self::Opaque),
            _ => None,
        }
    }

    #[inline]
    fn finds(self, bytes: &[u8]) -> Option<&'static Rule> {
        match self {
            Self::Float => (!is_finite(bytes)).then_some(&NOT_FINITE),
            Self::Opaque => (!bytes.is_empty()).then_some(&OPAQUE),
            Self::Field | Self::Text => match memchr::memchr(0, bytes) {
                Some(end) => junk(&bytes[end..]),
                None => matches!(self, Self::Field).then_some(&UNTERMINATED),
            },
        }
    }
}

/// Classifies the bytes after the NUL of a text.
fn junk(bytes: &[u8]) -> Option<&'static Rule> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b" ._-".contains(byte);
    let names = |at: usize| bytes.get(at + 1..at + 5).is_some_and(|after| after.iter().all(is_name));
    match bytes.iter().any(|byte| *byte != 0) {
        false => None,
        true if memchr::memchr2_iter(b'\\', b'/', bytes).any(names) => Some(&PATH),
        true => Some(&JUNK),
    }
}

/// Checks that a number is finite.
#[inline]
pub(crate) fn finite(findings: &mut Findings, number: f32, path: impl FnOnce() -> FieldPath) {
    if !number.is_finite() {
        findings.add(&NOT_FINITE, path, || format!("is {number}"));
    }
}

/// Floats are little-endian in all formats.
#[inline]
fn is_finite(bytes: &[u8]) -> bool {
    match bytes.try_into() {
        Ok(bytes) => f32::from_le_bytes(bytes).is_finite(),
        Err(_) => bytes.try_into().map_or(true, |bytes| f64::from_le_bytes(bytes).is_finite()),
    }
}

/// The maximum length of a text in a message.
const SHOWN: usize = 40;

fn message(rule: &'static Rule, bytes: &[u8]) -> String {
    if *rule == NOT_FINITE {
        let single = bytes.try_into().map(f32::from_le_bytes).map(f64::from);
        let value = single.or_else(|_| bytes.try_into().map(f64::from_le_bytes));
        return format!("is {}", value.unwrap_or(f64::NAN));
    }
    if *rule == JUNK || *rule == PATH {
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(0);
        let junk = bytes[end..].iter().copied().skip_while(|byte| *byte == 0).take(SHOWN).collect::<Vec<_>>();
        let last = junk.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        return format!("\"{}\" after the NUL", escape(&junk[..last]));
    }
    if *rule == UNTERMINATED {
        return format!("fills all {} bytes", bytes.len());
    }
    format!("{} of unknown meaning", super::common::counted(bytes.len(), "byte"))
}
