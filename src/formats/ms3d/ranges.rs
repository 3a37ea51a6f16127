//! Named ranges of frames in the comment of a model, which programs use as separate animations.

use std::ops::Range;

use super::{CommentLists, ModelComment, Ms3d};
use crate::wire::LenStr;

/// A range of frames of the animation. Frames are counted from 1; frame `n` is at `n` / fps seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedRange<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The first frame.
    pub first: u32,
    /// The last frame.
    pub last: u32,
}

impl Ms3d {
    /// Returns the ranges in the comment of the model, in its order: `Name=Walk, Start=2, End=14, Loop=True`.
    ///
    /// Real files have blanks and line ends at any place, and further properties. Ranges without a start or end are ignored.
    pub fn ranges(&self) -> impl Iterator<Item = NamedRange<'_>> {
        let lists = self.comments.present().map(|comments| &comments.lists);
        let model: &[ModelComment] = match lists {
            Some(CommentLists::Sub1(lists)) => &lists.model,
            _ => &[],
        };
        model.iter().flat_map(|comment| found(comment.text.stored())).map(|(range, _)| range)
    }

    /// Multiplies the frames of the ranges.
    pub(super) fn scale_ranges(&mut self, ratio: f64) {
        let Some(CommentLists::Sub1(lists)) = self.comments.present_mut().map(|comments| &mut comments.lists)
        else {
            return;
        };
        for comment in lists.model.iter_mut() {
            let old = comment.text.stored();
            let (mut new, mut end) = (Vec::new(), 0);
            let mut numbers: Vec<_> =
                found(old).flat_map(|(own, [first, last])| [(first, own.first), (last, own.last)]).collect();
            numbers.sort_by_key(|(place, _)| place.start);
            for (place, frame) in numbers {
                new.extend_from_slice(&old[end..place.start]);
                new.extend_from_slice(format!("{:.0}", f64::from(frame) * ratio).as_bytes());
                end = place.end;
            }
            if end > 0 {
                new.extend_from_slice(&old[end..]);
                comment.text = LenStr::new(&new);
            }
        }
    }
}

const NAME: &[u8] = b"Name=";

/// Returns the ranges in a text, with the places of their numbers.
fn found(text: &[u8]) -> impl Iterator<Item = (NamedRange<'_>, [Range<usize>; 2])> {
    let mut next = after(text, 0, NAME);
    let spans = std::iter::from_fn(move || {
        let start = next?;
        next = after(text, start, NAME);
        Some((start, next.map_or(text.len(), |next| next - NAME.len())))
    });
    spans.filter_map(move |(start, end)| range(&text[..end], start))
}

fn range(text: &[u8], start: usize) -> Option<(NamedRange<'_>, [Range<usize>; 2])> {
    let len = text[start..].iter().position(|byte| b",\r\n".contains(byte));
    let end = len.map_or(text.len(), |len| start + len);
    let number = |key: &[u8]| {
        let at = after(text, end, key)?;
        let first = at + text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let place = first..first + text[first..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let value: u32 = std::str::from_utf8(&text[place.clone()]).ok()?.parse().ok()?;
        Some((place, value))
    };
    let ((first_place, first), (last_place, last)) = (number(b"Start=")?, number(b"End=")?);
    let range = NamedRange { name: text[start..end].trim_ascii(), first, last };
    (first <= last).then_some((range, [first_place, last_place]))
}

/// Returns the place after the next occurrence of a key, ignoring case.
fn after(text: &[u8], from: usize, key: &[u8]) -> Option<usize> {
    let at = text.get(from..)?.windows(key.len()).position(|own| own.eq_ignore_ascii_case(key))?;
    Some(from + at + key.len())
}
