//! Named ranges of frames in the comment of a model, which programs use as separate animations.

use super::{CommentLists, Ms3d};

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
        let model = match lists {
            Some(CommentLists::Sub1(lists)) => &**lists.model,
            _ => &[],
        };
        model.iter().flat_map(|comment| ranges(comment.text.stored()))
    }
}

fn ranges(text: &[u8]) -> impl Iterator<Item = NamedRange<'_>> {
    let mut rest = after(text, b"Name=");
    std::iter::from_fn(move || {
        let own = rest?;
        rest = after(own, b"Name=");
        Some(&own[..own.len() - rest.map_or(0, |next| next.len() + b"Name=".len())])
    })
    .filter_map(range)
}

fn range(text: &[u8]) -> Option<NamedRange<'_>> {
    let end = text.iter().position(|byte| b",\r\n".contains(byte)).unwrap_or(text.len());
    let number = |key: &[u8]| {
        let value = after(&text[end..], key)?.trim_ascii_start();
        let len = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
        std::str::from_utf8(&value[..len]).ok()?.parse().ok()
    };
    let (first, last) = (number(b"Start=")?, number(b"End=")?);
    Some(NamedRange { name: text[..end].trim_ascii(), first, last }).filter(|_| first <= last)
}

/// Returns the text after the first occurrence of a key, ignoring case.
fn after<'a>(text: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let at = text.windows(key.len()).position(|own| own.eq_ignore_ascii_case(key))?;
    Some(&text[at + key.len()..])
}
