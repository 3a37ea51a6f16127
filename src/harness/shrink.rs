//! Reduces a file while a condition holds.

use std::ops::{ControlFlow, Range};

use crate::codec::Format;
use crate::formats::any_file::AnyFile;
use crate::schema::{self, FieldPath, Leaf, Node, Place, Step, Value, Visitor};
use crate::{File, FormatSpec, Limits, Options};

/// Reduces a file while `interesting` returns true for it.
///
/// First it removes elements, and the counts follow, so that a valid file stays valid. Then it removes bytes, and sets the
/// others to zero where possible. In a file of unknown format it removes bytes only. It calls `interesting` at most `tries`
/// times, and never with the original.
///
/// ```
/// use bindpose::harness::{generate, shrink};
/// use bindpose::{FileKind, FormatSpec};
/// let spec = FormatSpec::from(FileKind::Ms3d);
/// let (_, bytes) = generate(spec, 3, 2000).unwrap();
/// let small = shrink(Some(spec), bytes, 1000, &mut |bytes| bytes.starts_with(b"MS3D"));
/// assert_eq!(small, b"MS3D");
/// ```
pub fn shrink(
    spec: Option<FormatSpec>,
    bytes: Vec<u8>,
    tries: usize,
    interesting: &mut dyn FnMut(&[u8]) -> bool,
) -> Vec<u8> {
    let decode = |bytes: &[u8]| spec?.kind.decode(bytes, &spec?.options(Limits::none())).ok();
    reduce::<File>(&decode, bytes, tries, interesting)
}

/// As [`shrink`], for a format of another crate.
pub fn shrink_format<F: Format + Clone>(
    options: &Options,
    bytes: Vec<u8>,
    tries: usize,
    interesting: &mut dyn FnMut(&[u8]) -> bool,
) -> Vec<u8> {
    reduce::<F>(&|bytes| F::decode_with(bytes, options).ok(), bytes, tries, interesting)
}

fn reduce<T: AnyFile>(
    decode: &dyn Fn(&[u8]) -> Option<T>,
    bytes: Vec<u8>,
    tries: usize,
    interesting: &mut dyn FnMut(&[u8]) -> bool,
) -> Vec<u8> {
    let mut shrinker = Shrinker { best: bytes, tries, interesting };
    loop {
        let before = shrinker.best.len();
        shrinker.elements(decode);
        shrinker.bytes();
        if shrinker.best.len() == before {
            break;
        }
    }
    shrinker.zeros();
    shrinker.best
}

struct Shrinker<'a> {
    best: Vec<u8>,
    tries: usize,
    interesting: &'a mut dyn FnMut(&[u8]) -> bool,
}

impl Shrinker<'_> {
    /// Keeps a candidate that is still interesting.
    fn keeps(&mut self, candidate: Vec<u8>) -> bool {
        if self.tries == 0 {
            return false;
        }
        self.tries -= 1;
        let keeps = (self.interesting)(&candidate);
        if keeps {
            self.best = candidate;
        }
        keeps
    }

    /// Deletes elements of lists: half of them, a quarter, and so on down to single ones.
    fn elements<T: AnyFile>(&mut self, decode: &dyn Fn(&[u8]) -> Option<T>) {
        let Some(mut file) = decode(&self.best) else { return };
        let mut lists = lists(file.value());
        let mut index = 0;
        while let Some((path, len)) = lists.get(index).cloned() {
            let removed = each_part(len, &mut |part| {
                if self.tries == 0 {
                    return None;
                }
                let smaller = without(&file, &path, part)?;
                let bytes = smaller.encode().ok()?;
                (bytes.len() < self.best.len() && self.keeps(bytes)).then(|| file = smaller)
            });
            if removed {
                lists = self::lists(file.value());
            }
            index += 1;
            if self.tries == 0 {
                return;
            }
        }
    }

    fn bytes(&mut self) {
        each_part(self.best.len(), &mut |part| {
            if self.tries == 0 {
                return None;
            }
            let candidate = [&self.best[..part.start], &self.best[part.end..]].concat();
            self.keeps(candidate).then_some(())
        });
    }

    fn zeros(&mut self) {
        let mut size = self.best.len();
        while size > 0 {
            for start in (0..self.best.len()).step_by(size) {
                let part = start..(start + size).min(self.best.len());
                if self.tries == 0 {
                    return;
                }
                if self.best[part.clone()].iter().any(|byte| *byte != 0) {
                    let mut candidate = self.best.clone();
                    candidate[part].fill(0);
                    self.keeps(candidate);
                }
            }
            size /= 2;
        }
    }
}

/// Offers parts of `0..len` for removal, large ones first, from the end. A part that was removed is gone.
fn each_part(mut len: usize, remove: &mut dyn FnMut(Range<usize>) -> Option<()>) -> bool {
    let whole = len;
    let mut size = len;
    while size > 0 {
        let mut end = len;
        while end > 0 {
            let part = end.saturating_sub(size)..end;
            end = part.start;
            if remove(part.clone()).is_some() {
                len -= part.len();
            }
        }
        size /= 2;
    }
    len < whole
}

/// The file without some elements of a list; none where its length is fixed.
fn without<T: AnyFile>(file: &T, list: &FieldPath, part: Range<usize>) -> Option<T> {
    let mut smaller = file.clone();
    for index in part.rev() {
        let mut path = list.clone();
        path.push(Step::Index(index));
        schema::delete(smaller.value_mut(), &path).ok()?;
    }
    Some(smaller)
}

/// The lists of a file and their lengths, outer ones first.
fn lists(file: &dyn Value) -> Vec<(FieldPath, usize)> {
    struct Lists(Vec<(FieldPath, usize)>);
    impl Visitor for Lists {
        fn leaf(&mut self, _: &Place, _: &dyn Leaf) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn enter(&mut self, place: &Place, _: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
            if let Node::Items(items) = node
                && !items.is_empty()
            {
                self.0.push((place.path.clone(), items.len()));
            }
            ControlFlow::Continue(!matches!(node, Node::Items(items) if items.is_section()))
        }
    }
    let mut lists = Lists(Vec::new());
    let _ = schema::walk(file, &mut lists);
    lists.0
}
