//! `info --oneline`: a table with a row for each file.

use super::Summary;
use crate::output::bytes;
use crate::prelude::*;

pub(super) const TITLES: [&str; 8] =
    ["FORMAT", "VERSION", ">VERTICES", ">TRIANGLES", ">BONES", ">CLIPS", ">SIZE", "PATH"];

/// The cells of a file, and whether they are coloured.
pub(super) type Row = ([String; 8], bool);

pub(super) fn row(summary: &Summary, path: &Path) -> Row {
    let dialect = summary.dialect.map(|dialect| format!(":{dialect}")).unwrap_or_default();
    let model = summary.model.as_ref();
    let (vertices, triangles) = model.map(|model| (model.vertices, model.triangles)).unzip();
    let is_marked = summary.damage.is_some();
    let mark = if is_marked { " (damaged)" } else { "" };
    let cells = [
        format!("{}{dialect}", summary.format),
        summary.version.clone().unwrap_or_else(none),
        count(vertices),
        count(triangles),
        count(summary.bones),
        count(Some(summary.clips.len()).filter(|clips| *clips > 0)),
        bytes(summary.bytes),
        format!("{}{mark}", shown(path)),
    ];
    (cells, is_marked)
}

/// The row of a file that cannot be decoded.
pub(super) fn failed(path: &Path, format: Option<&str>) -> Row {
    let format = format.map_or_else(none, str::to_owned);
    let path = format!("{} (not decoded)", shown(path));
    ([format, none(), none(), none(), none(), none(), none(), path], true)
}

fn none() -> String {
    "-".into()
}

fn count(count: Option<usize>) -> String {
    count.map_or_else(none, |count| count.to_string())
}
