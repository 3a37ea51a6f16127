//! Aligned tables.

use std::io::{self, Write};

use super::output::Paint;

/// A table whose columns are as wide as their longest cell. The last column is not padded.
pub(super) struct Table {
    /// The columns whose cells end at the same place: numbers.
    right: Vec<bool>,
    rows: Vec<(Vec<String>, bool)>,
}

impl Table {
    /// Creates a table with the titles of its columns; those that start with `>` are aligned on the right.
    pub fn new<'a>(titles: impl IntoIterator<Item = &'a str>) -> Self {
        let titles: Vec<_> = titles.into_iter().collect();
        let right = titles.iter().map(|title| title.starts_with('>')).collect();
        let titles = titles.iter().map(|title| title.trim_start_matches('>').to_owned()).collect();
        Self { right, rows: vec![(titles, false)] }
    }

    /// Adds a row with a cell for each column. Bad rows are coloured.
    pub fn push(&mut self, row: impl Into<Vec<String>>, bad: bool) {
        self.rows.push((row.into(), bad));
    }

    /// Prints the titles and all rows.
    pub fn print(&self, paint: Paint, output: &mut dyn Write) -> io::Result<()> {
        let len = |cell: &String| cell.chars().count();
        let width = |at: usize| self.rows.iter().map(|(row, _)| len(&row[at])).max().unwrap_or(0);
        let widths: Vec<_> = (0..self.right.len()).map(width).collect();
        for (index, (row, bad)) in self.rows.iter().enumerate() {
            let cells = row.iter().zip(&widths).zip(&self.right).map(|((cell, width), right)| {
                if *right { format!("{cell:>0$}", *width) } else { format!("{cell:<0$}", *width) }
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
