//! Names of files for what the contents of a file call by name.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};

use super::author::name_bytes;
use crate::schema::is_printable;
use crate::wire::escape;

/// The name of a file for a clip, a material or an image, whatever the file that it comes from calls it.
///
/// The file is directly inside the directory that the name is joined to, and can be created on every usual system. Only the last
/// component of a path is used. A name has no control or invisible character, none of `<>:"|?*`, does not start with `.`, `-`
/// or `@`, does not end with a full stop or a blank, is not the name of a Windows device, and has at most 255 bytes.
///
/// ```
/// use bindpose::scene::SafeName;
/// assert_eq!(SafeName::new("Walk|fast", "caf").as_str(), "Walk_fast.caf");
/// assert_eq!(SafeName::new(r"..\..\.cargo/config.toml", "png").as_str(), "config.toml.png");
/// assert_eq!(SafeName::new("con", "png").as_str(), "con_.png");
/// assert_eq!(SafeName::new("", "png").as_str(), "unnamed.png");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SafeName(String);

impl SafeName {
    /// The length of the longest name in bytes: the limit of most file systems.
    pub const MAX_LEN: usize = 255;

    /// Returns the name of a file with this extension, which is not changed; without one if it is empty.
    #[must_use]
    pub fn new(name: &str, extension: &str) -> Self {
        Self::of_stem(&stem(name), "", extension)
    }

    /// Returns the name of a file that has the extension in its name already.
    ///
    /// ```
    /// use bindpose::scene::SafeName;
    /// assert_eq!(SafeName::whole("../skin.png").as_str(), "skin.png");
    /// ```
    #[must_use]
    pub fn whole(name: &str) -> Self {
        Self::new(name, "")
    }

    fn of_stem(stem: &str, suffix: &str, extension: &str) -> Self {
        let end = if extension.is_empty() { suffix.to_owned() } else { format!("{suffix}.{extension}") };
        let mut name = fitting(stem, Self::MAX_LEN.saturating_sub(end.len()));
        name.push_str(&end);
        Self(name)
    }

    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the path of the file in a directory.
    #[must_use]
    pub fn inside(&self, directory: &Path) -> PathBuf {
        directory.join(&self.0)
    }

    /// Returns the name as file systems compare it that ignore case.
    fn key(&self) -> String {
        self.0.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
    }
}

impl fmt::Display for SafeName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The names of the files in a directory: no two are equal, even where case is ignored.
///
/// ```
/// use bindpose::scene::SafeNames;
/// let mut names = SafeNames::default();
/// let written = ["Walk", "walk", "WALK"].map(|name| names.add(name, "caf").to_string());
/// assert_eq!(written, ["Walk.caf", "walk_2.caf", "WALK_3.caf"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SafeNames {
    taken: HashSet<String>,
    /// The last number after each name without one.
    numbers: HashMap<String, u64>,
}

impl SafeNames {
    /// The bytes of the longest number, with the character before it.
    const NUMBER: usize = 1 + 20;

    /// Returns a name that is not taken: [`SafeName::new`], or one with a number. The time for all names is linear.
    pub fn add(&mut self, name: &str, extension: &str) -> SafeName {
        let plain = SafeName::new(name, extension);
        if self.insert(&plain) {
            return plain;
        }
        // Of equal length for all numbers: the counter is that of all names which become equal.
        let stem = fitting(&stem(name), SafeName::MAX_LEN.saturating_sub(Self::NUMBER + 1 + extension.len()));
        let key = SafeName::of_stem(&stem, "", extension).key();
        let mut number = self.numbers.get(&key).copied().unwrap_or(1);
        loop {
            number += 1;
            let numbered = SafeName::of_stem(&stem, &format!("_{number}"), extension);
            if self.insert(&numbered) {
                self.numbers.insert(key, number);
                return numbered;
            }
        }
    }

    /// Takes a name; returns whether it was free.
    pub fn insert(&mut self, name: &SafeName) -> bool {
        self.taken.insert(name.key())
    }
}

/// Returns the last component of a name, without characters that are not permitted.
fn stem(name: &str) -> String {
    let bytes = name_bytes(name);
    let mut components = bytes.rsplit(|byte| matches!(byte, b'/' | b'\\'));
    let last = components.find(|part| !part.iter().all(|byte| matches!(byte, b'.' | b' '))).unwrap_or(b"");
    // Bytes that are not text keep their escapes.
    let text = str::from_utf8(last).map_or_else(|_| escape(last), str::to_owned);
    let text: String = text.chars().map(|c| if is_permitted(c) { c } else { '_' }).collect();
    let text = text.trim_matches(['.', ' ']);
    match text.strip_prefix(['-', '@']) {
        // They start the options and the lists of files of commands.
        Some(rest) => format!("_{rest}"),
        None if text.is_empty() => "unnamed".to_owned(),
        None => text.to_owned(),
    }
}

fn is_permitted(c: char) -> bool {
    is_printable(c) && !is_invisible(c) && !"<>:\"/\\|?*".contains(c)
}

/// Whether a character takes no place: a name with it looks like another one.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns the beginning of a stem that has at most this number of bytes and is not the name of a device.
fn fitting(stem: &str, most: usize) -> String {
    let stem = cut(stem, most);
    let base = stem.split('.').next().unwrap_or_default().trim_end();
    if !is_device(base) {
        return stem.to_owned();
    }
    let mut marked = cut(stem, most.saturating_sub(1)).to_owned();
    marked.insert(base.len(), '_');
    marked
}

/// Returns the first bytes of a stem, without half of a character.
fn cut(stem: &str, most: usize) -> &str {
    let end = (0..=most.min(stem.len())).rev().find(|at| stem.is_char_boundary(*at)).unwrap_or(0);
    stem[..end].trim_end_matches(['.', ' '])
}

/// Whether Windows opens a device for files of this name, with any extension.
fn is_device(base: &str) -> bool {
    const DEVICES: [&str; 7] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"];
    let base = base.to_uppercase();
    let port = base.strip_prefix("COM").or(base.strip_prefix("LPT"));
    let is_number = |rest: &str| {
        let mut chars = rest.chars();
        matches!((chars.next(), chars.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
    };
    DEVICES.contains(&&*base) || port.is_some_and(is_number)
}
