//! `info --oneline`: a table with a row for each file.

use std::io;
use std::path::Path;

use super::super::exit::Failure;
use super::super::files::shown;
use super::super::limits::Memory;
use super::super::load::Content;
use super::super::output::{Output, bytes};
use super::super::scene::stem;
use super::super::table::{Table, visible};
use super::Glance;
use bindpose::scene::{LoadPhase, Mesh, Part, Scene, Settings};

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
    pub fn new(glance: &Glance, path: &Path, content: &Content, memory: &Memory) -> Result<Self, Failure> {
        let dialect = glance.dialect.map(|dialect| format!(":{dialect}")).unwrap_or_default();
        let [vertices, triangles] = size_of(path, content, memory)?.map_or([None; 2], |size| size.map(Some));
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
            format!("{}{mark}", name(path)),
        ];
        Ok(Self { cells, is_marked })
    }

    /// The row of a file that cannot be decoded.
    pub fn failed(path: &Path, format: Option<&str>) -> Self {
        let format = format.map_or_else(none, str::to_owned);
        let path = format!("{} (not decoded)", name(path));
        Self { cells: [format, none(), none(), none(), none(), none(), none(), path], is_marked: true }
    }
}

fn none() -> String {
    "-".into()
}

fn count(count: Option<usize>) -> String {
    count.map_or_else(none, |count| count.to_string())
}

fn name(path: &Path) -> String {
    visible(&shown(path))
}

/// The number of vertices and triangles in the scene of a mesh; none for other files.
fn size_of(path: &Path, content: &Content, memory: &Memory) -> Result<Option<[usize; 2]>, Failure> {
    let file = content.meaning();
    if file.phase() != LoadPhase::Mesh {
        return Ok(None);
    }
    let settings = Settings::default().without_sources();
    let scene = Scene::within(&[Part { name: &stem(path), file }], &settings, memory.budget());
    let scene = scene.map_err(|error| Failure::from(error).of(shown(path)))?;
    let vertices = scene.meshes.iter().map(|mesh| mesh.positions.len()).sum();
    Ok(Some([vertices, scene.meshes.iter().map(Mesh::num_triangles).sum()]))
}
