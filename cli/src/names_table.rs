//! Tables of old and new names.

use super::read::{MAX_TEXT, side_file, unmarked};
use crate::prelude::*;
use bindpose::edit::Entity;

#[derive(Clone)]
pub(super) struct Pair {
    pub old: String,
    pub new: String,
}

impl Pair {
    /// Parses `OLD=NEW`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (old, new) = text.split_once('=').ok_or("expected OLD=NEW")?;
        if old.is_empty() {
            return Err("the old name is empty".into());
        }
        Ok(Self { old: old.to_owned(), new: new.to_owned() })
    }
}

/// Reads the lines OLD,NEW for bones and KIND,OLD,NEW of a table.
pub(super) fn read(path: &Path) -> Result<Vec<(Entity, Pair)>> {
    parse(&side_file(path, MAX_TEXT)?).map_err(|why| Failure::usage(why).in_file(path))
}

/// Reads the text of a table.
pub(super) fn parse(text: &[u8]) -> Result<Vec<(Entity, Pair)>, String> {
    let text = unmarked(text);
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).comment(Some(b'#')).from_reader(&*text);
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, csv::Position::line);
        let wrong = |why: &str| format!("line {line}: {why}");
        let (entity, old, new) = match record.iter().collect::<Vec<_>>()[..] {
            ["old", "new"] | ["kind", "old", "new"] => continue,
            [old, new] => (Entity::Bone, old, new),
            [kind, old, new] => {
                let entity = Entity::ALL.into_iter().find(|entity| entity.name() == kind);
                (entity.ok_or_else(|| wrong("expected bone, material, clip or texture"))?, old, new)
            }
            _ => return Err(wrong("expected OLD,NEW or KIND,OLD,NEW")),
        };
        if old.is_empty() {
            return Err(wrong("the old name is empty"));
        }
        rows.push((entity, Pair { old: old.into(), new: new.into() }));
    }
    if rows.is_empty() {
        return Err("the table has no names".into());
    }
    Ok(rows)
}
