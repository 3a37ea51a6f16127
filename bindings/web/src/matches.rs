//! Fields that contain a text.

use std::fmt::Write as _;
use std::ops::ControlFlow::{Break, Continue};

use bindpose::Document;
use serde::Serialize;

use crate::report::Limited;

/// The maximum length of a value that is searched, in bytes.
const MOST_VALUE: usize = 512;

/// The fields that contain a text.
#[derive(Default, Serialize)]
pub(crate) struct Matches {
    found: Vec<Match>,
    /// The offset of the first field that was not searched; none after the last one.
    next: Option<u64>,
}

#[derive(Serialize)]
struct Match {
    path: String,
    /// The path by the names of objects, where it differs.
    name: Option<String>,
    value: String,
    start: u64,
    end: u64,
}

impl Matches {
    /// Searches at most `fields` fields from an offset on, until `most` contain the text.
    pub fn of(document: &Document, text: &str, start: u64, most: usize, mut fields: usize) -> Self {
        let text = text.to_lowercase();
        let contains = |own: &str| {
            if own.is_ascii() { own.to_ascii_lowercase() } else { own.to_lowercase() }.contains(&text)
        };
        let mut matches = Self::default();
        let mut path = String::new();
        document.file().with_object_paths(|objects| {
            let _ = document.file().walk_from(start, &mut |place, leaf| {
                if leaf.size() == 0 {
                    return Continue(());
                }
                if fields == 0 || matches.found.len() == most {
                    matches.next = Some(place.offset);
                    return Break(());
                }
                fields -= 1;
                path.clear();
                let _ = write!(path, "{}", place.path);
                let mut value = Limited::new(MOST_VALUE);
                let _ = leaf.show(&mut value);
                let name = objects.path(&place.path).map(|own| own.to_string());
                if contains(&path) || contains(&value.text) || name.as_deref().is_some_and(contains) {
                    let (start, end) = (place.offset, place.offset + leaf.size());
                    matches.found.push(Match { path: path.clone(), name, value: value.text, start, end });
                }
                Continue(())
            });
        });
        matches
    }
}
