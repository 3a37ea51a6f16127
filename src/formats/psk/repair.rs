//! Headers of chunks that lie, where the truth can be told.
//!
//! A chunk that announces too much swallows the headers behind it. Where a known id stands at the end of a whole number
//! of records of the true length, and from there on all chunks end where they should, the header was wrong.

use super::rules::{LYING_COUNT, LYING_LENGTH};
use crate::check::Repair;

const HEADER: usize = 32;

/// Lengths of records by id; of ids with several lengths the one that was written when the header lied.
const TRUE_LENGTHS: &[(&str, usize)] =
    &[("FACE3200", 18), ("MRPHINFO", 68), ("MRPHDATA", 28), ("SKELSOCK", 164)];

/// A header as it stands in the file.
struct Header<'a> {
    id: &'a [u8],
    size: usize,
    count: usize,
}

/// The header at a byte; none where no known id or no sense is.
fn header(bytes: &[u8], at: usize) -> Option<Header<'_>> {
    let header = bytes.get(at..)?.get(..HEADER)?;
    let end = header[..20].iter().position(|byte| *byte == 0)?;
    let id = &header[..end];
    let spelled = id.len() > 6 && id.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let number = |at: usize| {
        let word = header.get(at..at + 4)?.try_into().ok()?;
        usize::try_from(i32::from_le_bytes(word)).ok()
    };
    let (size, count) = (number(24)?, number(28)?);
    (spelled && header[end..20].iter().all(|byte| *byte == 0)).then_some(Header { id, size, count })
}

/// Whether from this byte on all chunks end where they should.
fn is_sound_from(bytes: &[u8], mut at: usize) -> bool {
    while at < bytes.len() {
        let Some(Header { size, count, .. }) = header(bytes, at) else { return false };
        let next = size.checked_mul(count).and_then(|len| at.checked_add(HEADER)?.checked_add(len));
        match next {
            Some(next) if next <= bytes.len() => at = next,
            _ => return false,
        }
    }
    at == bytes.len()
}

/// What is certain to mend a file whose chunks stop making sense.
pub(in crate::formats) fn repairs(bytes: &[u8]) -> Vec<Repair> {
    let mut at = 0;
    while let Some(own) = header(bytes, at) {
        let known = TRUE_LENGTHS.iter().find(|(id, _)| own.id == id.as_bytes());
        if let Some(repair) = known.and_then(|(_, size)| mended(bytes, at, &own, *size)) {
            return vec![repair];
        }
        let next = own.size.checked_mul(own.count).and_then(|len| at.checked_add(HEADER)?.checked_add(len));
        match next {
            Some(next) => at = next,
            None => break,
        }
    }
    Vec::new()
}

fn mended(bytes: &[u8], at: usize, own: &Header<'_>, size: usize) -> Option<Repair> {
    let first = at + HEADER;
    let announced = own.size.checked_mul(own.count)?;
    if first.checked_add(announced).is_some_and(|end| end == bytes.len() || is_sound_from(bytes, end)) {
        return None;
    }
    let sound = |count: usize| {
        let end = first.checked_add(size.checked_mul(count)?)?;
        (end <= bytes.len() && is_sound_from(bytes, end)).then_some(count)
    };
    let id = String::from_utf8_lossy(own.id);
    if own.size != size {
        sound(own.count)?;
        let message = format!("{id} says {} bytes for records of {size}", own.size);
        let bytes = i32::try_from(size).ok()?.to_le_bytes().to_vec();
        return Some(Repair { rule: &LYING_LENGTH, offset: at as u64 + 24, bytes, message });
    }
    // A count beyond the end of the file costs nothing.
    let most = own.count.min((bytes.len() - first) / size);
    let count = (0..=most).find_map(sound).filter(|count| *count != own.count)?;
    let message = format!("{id} says {} records and has {count}", own.count);
    let bytes = i32::try_from(count).ok()?.to_le_bytes().to_vec();
    Some(Repair { rule: &LYING_COUNT, offset: at as u64 + 28, bytes, message })
}
