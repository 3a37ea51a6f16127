//! Several pictures with labels in one image.

use font8x8::UnicodeFonts;

use super::{Labelled, nothing};
use crate::prelude::*;
use bindpose::Error;
use bindpose::scene::render::Picture;

/// The height of a label in pixels, and the size of a letter.
const LABEL: u32 = 14;
const LETTER: u32 = 8;
/// The space around pictures in pixels.
const GAP: u32 = 4;
/// The most pixels of an image.
const MAX_PIXELS: u64 = 1 << 26;
/// The colour of labels; it can be read on light and on dark backgrounds.
const INK: [u8; 4] = [128, 134, 142, 255];

/// Charges the memory of one more picture on a sheet: of itself, of its part of the sheet, and of the part that is encoded.
pub(super) fn admit(num: usize, size: [u32; 2], memory: &Memory) -> Result<()> {
    layout(num, size)?;
    let bytes = 3 * u64::from(size[0] + GAP) * u64::from(size[1] + LABEL + GAP) * size_of::<[u8; 4]>() as u64;
    memory.permit(bytes);
    Ok(memory.budget().charge(bytes).map_err(Error::from)?)
}

/// Returns the columns and rows of a number of pictures, about as wide as high.
fn layout(num: usize, [width, height]: [u32; 2]) -> Result<[u32; 2]> {
    let (width, height) = (width + GAP, height + LABEL + GAP);
    let num = u32::try_from(num).unwrap_or(u32::MAX);
    let columns = (1..=num).find(|columns| columns * width >= num.div_ceil(*columns) * height).unwrap_or(num);
    let rows = num.div_ceil(columns);
    let area = u64::from(columns * width) * u64::from(rows * height);
    if area > MAX_PIXELS {
        let why = format!("{num} pictures would have {area} pixels; at most {MAX_PIXELS} are drawn");
        return Err(Failure::new(Exit::Limit, why).with_help("specify a smaller --size"));
    }
    Ok([columns, rows])
}

/// Arranges pictures of equal size in rows.
pub(super) fn arrange(pictures: &[Labelled], background: Option<[u8; 3]>) -> Result<Picture> {
    let Some(first) = pictures.first() else { return Err(nothing()) };
    let [columns, rows] = layout(pictures.len(), [first.picture.width, first.picture.height])?;
    let (width, height) = (first.picture.width + GAP, first.picture.height + LABEL + GAP);
    let fill = background.map_or([0; 4], |[red, green, blue]| [red, green, blue, 255]);
    let (width_all, height_all) = (columns * width + GAP, rows * height + GAP);
    let mut sheet = Picture {
        width: width_all,
        height: height_all,
        pixels: vec![fill; (width_all * height_all) as usize],
    };
    for (index, Labelled { label, picture }) in (0..).zip(pictures) {
        let (x, y) = (GAP + index % columns * width, GAP + index / columns * height);
        for row in 0..picture.height {
            let from = (row * picture.width) as usize;
            let to = ((y + row) * sheet.width + x) as usize;
            let len = picture.width as usize;
            sheet.pixels[to..to + len].copy_from_slice(&picture.pixels[from..from + len]);
        }
        write(&mut sheet, label, [x, y + picture.height + 3], picture.width);
    }
    Ok(sheet)
}

/// Writes a label, centred and cut to a width.
fn write(sheet: &mut Picture, label: &str, [x, y]: [u32; 2], width: u32) {
    let most = (width / LETTER) as usize;
    let len = label.chars().count().min(most);
    let left = x + (width - u32::try_from(len).unwrap_or(0) * LETTER) / 2;
    for (index, letter) in (0..).zip(label.chars().take(len)) {
        let rows = font8x8::BASIC_FONTS.get(letter).or_else(|| font8x8::LATIN_FONTS.get(letter));
        let rows = rows.or_else(|| font8x8::BASIC_FONTS.get('?')).unwrap_or_default();
        for (dy, bits) in (0..).zip(rows) {
            for dx in (0..LETTER).filter(|dx| bits >> dx & 1 == 1) {
                let at = (y + dy) * sheet.width + left + index * LETTER + dx;
                sheet.pixels[at as usize] = INK;
            }
        }
    }
}
