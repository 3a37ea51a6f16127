//! The files that the command writes beside those of the user, which are not input.

use std::ffi::OsStr;

/// What the names of originals end with; further ones have a number after it.
const ORIGINAL: &str = ".orig";

/// What the names of temporary files contain.
const TEMPORARY: &str = ".bindpose-";

/// Returns whether a file in a directory is skipped because the command wrote it: an original that an edit kept, or a file in
/// progress. Reports, baselines and caches are skipped because they have no supported format.
pub(super) fn is_product(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let mark = TEMPORARY.as_bytes();
    name.starts_with(b".") && name.windows(mark.len()).any(|part| part == mark) || is_original(name)
}

/// Whether a name is `FILE.orig`, `FILE.orig.1`, `FILE.orig.2`.
fn is_original(name: &[u8]) -> bool {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (start, number) = name.split_at(name.len() - digits);
    let start = if number.is_empty() { Some(start) } else { start.strip_suffix(b".") };
    start.and_then(|start| start.strip_suffix(ORIGINAL.as_bytes())).is_some_and(|file| !file.is_empty())
}

#[cfg(test)]
mod tests {
    use super::is_product;

    #[test]
    fn what_the_command_writes_is_known_by_its_name() {
        for name in
            ["a.psk.orig", "a.psk.orig.1", "a.orig.12", ".a.psk.bindpose-Ab12yZ", ".bindpose-Ab12yZ.1.old"]
        {
            assert!(is_product(name.as_ref()), "{name}");
        }
        for name in
            ["a.psk", ".orig", ".orig.1", "a.orig.psk", "a.orig.", "a.orig1", "1", "", "a.bindpose-Ab12yZ"]
        {
            assert!(!is_product(name.as_ref()), "{name}");
        }
    }
}
