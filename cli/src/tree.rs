//! `bindpose tree`: the objects of a file.

use std::ops::ControlFlow::{Break, Continue};

use super::load::{Input, warn_of_damage};
use super::paths::NamedPath;
use super::scene::EncodingArgs;
use super::scene_summary::DEEPEST;
use crate::prelude::*;
use bindpose::tree::Entry;

/// Print the objects of a file as a tree, with their sizes and paths
///
/// Bones are below their parents, followed by meshes, materials with their textures, and clips; in .x files, objects are below the objects
/// that contain them. `get` and `set` accept the paths.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose tree hero.x
  bindpose tree hero.psk --depth 2
  bindpose tree hero.ms3d --format json | jq -r 'select(.kind == \"bone\") | .path'")]
pub(super) struct Tree {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    encoding: EncodingArgs,
    /// Print only the first N levels
    #[arg(long, value_name = "N", help_heading = "Output options")]
    depth: Option<usize>,
    /// Print the objects as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

/// An object, after the one that contains it.
#[derive(Serialize)]
struct Node {
    depth: usize,
    /// `bone`, or the name of a template.
    kind: String,
    name: Option<String>,
    /// What it contains: `24 vertices`.
    contents: Vec<String>,
    #[serde(flatten)]
    path: Option<NamedPath>,
}

impl From<Entry> for Node {
    fn from(entry: Entry) -> Self {
        let Entry { depth, kind, name, contents, path, object, .. } = entry;
        let path = path.map(|path| NamedPath::new(&path, object.as_ref()));
        Self { depth, kind, name, contents, path }
    }
}

impl Verb for Tree {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let memory = self.input.limits.memory();
        let loaded = self.input.load_within(&memory)?;
        warn_of_damage(loaded.file(), &self.input.file);
        if self.format == Format::Json {
            self.each(&loaded, &memory, &mut |node| output.json_line(&node))?;
            return Ok(Exit::Success);
        }
        // Two passes, because paths of many objects can take more memory than the file.
        let mut width = 0;
        self.each(&loaded, &memory, &mut |node| {
            width = node.describe().chars().count().clamp(width, WIDEST.max(width));
            Ok(())
        })?;
        self.each(&loaded, &memory, &mut |node| node.print(width, output))?;
        Ok(Exit::Success)
    }
}

impl Tree {
    /// Visits the objects that are wanted, until one cannot be printed.
    fn each(
        &self,
        loaded: &Document,
        memory: &Memory,
        visit: &mut dyn FnMut(Node) -> io::Result<()>,
    ) -> Result<()> {
        let name = FormatSpec::stem(&self.input.file);
        let tree = bindpose::tree::Tree::of(loaded.file(), &name).with_encoding(self.encoding.encoding);
        let mut printed = Ok(());
        let each = tree.with_depth(self.depth.unwrap_or(usize::MAX)).each(memory.budget(), &mut |entry| {
            printed = visit(entry.into());
            if printed.is_ok() { Continue(()) } else { Break(()) }
        });
        each.in_file(&self.input.file)?;
        Ok(printed?)
    }
}

/// The maximum width of the first column.
const WIDEST: usize = 60;

impl Node {
    fn print(&self, width: usize, output: &mut Output) -> io::Result<()> {
        use io::Write as _;
        let left = self.describe();
        match &self.path {
            Some(path) => {
                let path = output.paint.faint(&printable(path.shown(output.common)));
                writeln!(output, "{left:<width$}  {path}")
            }
            None => writeln!(output, "{left}"),
        }
    }

    fn describe(&self) -> String {
        let Self { depth, kind, name, contents, .. } = self;
        let name = match name {
            // A group, or an object without a name.
            None => kind.clone(),
            Some(name) if kind.starts_with(char::is_uppercase) => format!("{kind} {name}"),
            Some(name) if name.is_empty() => "(no name)".into(),
            Some(name) => name.clone(),
        };
        let contents = contents.join(", ");
        let gap = if contents.is_empty() { "" } else { "  " };
        let indent = 2 * depth.min(&DEEPEST);
        format!("{:indent$}{}{gap}{}", "", printable(&name), printable(&contents))
    }
}
