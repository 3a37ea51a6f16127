//! `info --oneline`: a table with a row for each file.

use std::io;
use std::path::Path;

use super::super::files::shown;
use super::super::output::{Output, bytes};
use super::super::table::Table;
use super::Glance;

/// The table of all files.
pub(super) struct Overview {
    table: Table,
}

impl Overview {
    pub fn new() -> Self {
        let titles = ["FORMAT", "VERSION", ">VERTICES", ">TRIANGLES", ">BONES", ">CLIPS", ">SIZE", "PATH"];
        Self { table: Table::new(titles) }
    }

    pub fn add(&mut self, row: Row) {
        self.table.push(row.cells, row.is_marked);
    }

    pub fn print(&self, output: &mut Output) -> io::Result<()> {
        self.table.print(output.paint, output)
    }
}

/// The row of a file.
pub(super) struct Row {
    cells: [String; 8],
    is_marked: bool,
}

impl Row {
    /// The row of a decoded file.
    pub fn new(glance: &Glance, path: &Path) -> Self {
        let dialect = glance.dialect.map(|dialect| format!(":{dialect}")).unwrap_or_default();
        let model = glance.model.as_ref();
        let (vertices, triangles) = model.map(|model| (model.vertices, model.triangles)).unzip();
        let is_marked = glance.damage.is_some();
        let mark = if is_marked { " (damaged)" } else { "" };
        let cells = [
            format!("{}{dialect}", glance.format),
            glance.version.clone().unwrap_or_else(none),
            count(vertices),
            count(triangles),
            count(glance.bones),
            count(Some(glance.clips.len()).filter(|clips| *clips > 0)),
            bytes(glance.bytes),
            format!("{}{mark}", shown(path)),
        ];
        Self { cells, is_marked }
    }

    /// The row of a file that cannot be decoded.
    pub fn failed(path: &Path, format: Option<&str>) -> Self {
        let format = format.map_or_else(none, str::to_owned);
        let path = format!("{} (not decoded)", shown(path));
        Self { cells: [format, none(), none(), none(), none(), none(), none(), path], is_marked: true }
    }
}

fn none() -> String {
    "-".into()
}

fn count(count: Option<usize>) -> String {
    count.map_or_else(none, |count| count.to_string())
}
