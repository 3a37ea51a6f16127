//! The buffers of a file: in the container, in URIs and in other files.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::files::open_regular;

/// Returns the contents of a file, by its path relative to the glTF file, with `/` between folders. The path never leads
/// out of the folder. The second argument is the number of bytes that are needed; the rest can be omitted.
pub type Loader<'a> = dyn FnMut(&str, u64) -> io::Result<Vec<u8>> + 'a;

/// Reads at most `len` bytes of a file in a folder or below it. Symbolic links that lead out of the folder are refused.
///
/// # Errors
/// Those of reading, and [`io::ErrorKind::PermissionDenied`] if the file is outside of the folder.
pub fn folder(folder: &Path, name: &str, len: u64) -> io::Result<Vec<u8>> {
    let refused = |why| io::Error::new(io::ErrorKind::PermissionDenied, format!("{name:?}: {why}"));
    let name = safe(name).map_err(refused)?;
    let path = fs::canonicalize(folder.join(&name))?;
    if !path.starts_with(fs::canonicalize(folder)?) {
        return Err(refused("is outside of the folder of the file"));
    }
    let file = open_regular(path)?;
    let mut bytes = Vec::new();
    file.take(len).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns a relative path with `/` between folders, or the reason why the path can lead out of the folder.
pub(super) fn safe(path: &str) -> Result<String, &'static str> {
    let path = path.replace('\\', "/");
    if path.is_empty() || path.contains('\0') {
        return Err("is not a path");
    }
    if path.starts_with('/') {
        return Err("is an absolute path");
    }
    if path.contains(':') {
        return Err("has a scheme or a drive letter");
    }
    if path.split('/').any(|part| part.trim_end_matches([' ', '.']).is_empty() && part != ".") {
        return Err("leads out of the folder");
    }
    Ok(path)
}

/// Decodes the media type and the data of a data URI; none if the encoding is invalid.
pub(super) fn content(data: &str) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let (head, text) = data.split_once(',').unwrap_or((data, ""));
    if head.ends_with(";base64") {
        GeneralPurpose::new(&STANDARD, LENIENT).decode(text).ok()
    } else {
        Some(unescape(text))
    }
}

/// Returns the media type and the data of a data URI; none if the URI is of another kind.
pub(super) fn data_of(uri: &str) -> Option<&str> {
    let (scheme, data) = uri.split_at_checked("data:".len())?;
    scheme.eq_ignore_ascii_case("data:").then_some(data)
}

/// Replaces `%XX` by the bytes.
pub(super) fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, others)) = rest.split_first() {
        let digit = |at: usize| others.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        let escaped = digit(0).zip(digit(1)).filter(|_| first == b'%');
        let byte = escaped.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        bytes.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &others[2..] } else { others };
    }
    bytes
}
