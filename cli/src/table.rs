//! Aligned tables.

use std::io::{self, Write};

use super::output::Output;

/// A table whose columns are as wide as their longest cell. The last column is not padded.
pub(super) struct Table<const N: usize> {
    /// The columns whose cells end at the same place: numbers.
    right: [bool; N],
    rows: Vec<([String; N], bool)>,
}

impl<const N: usize> Table<N> {
    /// Creates a table with the titles of its columns; those that start with `>` are aligned on the right.
    pub fn new(titles: [&str; N]) -> Self {
        let right = titles.map(|title| title.starts_with('>'));
        Self { right, rows: vec![(titles.map(|title| title.trim_start_matches('>').to_owned()), false)] }
    }

    /// Adds a row. Bad rows are coloured.
    pub fn push(&mut self, row: [String; N], bad: bool) {
        self.rows.push((row, bad));
    }

    /// Prints the titles and all rows.
    pub fn print(&self, output: &mut Output) -> io::Result<()> {
        let paint = output.paint;
        let len = |cell: &String| cell.chars().count();
        let widths: [usize; N] =
            std::array::from_fn(|at| self.rows.iter().map(|(row, _)| len(&row[at])).max().unwrap_or(0));
        for (index, (row, bad)) in self.rows.iter().enumerate() {
            let cells = row.iter().zip(widths).zip(self.right).map(|((cell, width), right)| {
                if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            let line = line.trim_end();
            let line = match (index, bad) {
                (0, _) => paint.strong(line),
                (_, true) => paint.bad(line),
                _ => line.to_owned(),
            };
            writeln!(output, "{line}")?;
        }
        Ok(())
    }
}

/// Escapes control characters.
pub(super) fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { visible.extend(c.escape_default()) } else { visible.push(c) }
    }
    visible
}
