//! The contract for machines: one object per file.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::super::json::Lines;
use super::super::output::Output;
use super::super::verdict::{Row, Verdict};
use super::Report;

/// One file in the machine output.
#[derive(Serialize, Deserialize)]
pub(super) struct Line<'a> {
    path: Cow<'a, str>,
    format: Option<Cow<'a, str>>,
    dialect: Option<Cow<'a, str>>,
    bytes: u64,
    verdict: Verdict,
    opaque: u64,
    rest: u64,
    offset: Option<u64>,
    field: Option<Cow<'a, str>>,
    message: Option<Cow<'a, str>>,
}

impl<'a> Line<'a> {
    fn new(path: &'a Path, row: &'a Row) -> Self {
        let trouble = row.trouble.as_deref();
        let text = |text: &'a String| Some(text.as_str().into()).filter(|_: &Cow<'_, _>| !text.is_empty());
        Self {
            path: path.to_string_lossy(),
            format: row.spec.map(|spec| spec.kind.name().into()),
            dialect: row.spec.and_then(|spec| spec.dialect).map(Cow::from),
            bytes: row.bytes,
            verdict: row.verdict,
            opaque: row.opaque,
            rest: row.rest,
            offset: trouble.and_then(|trouble| trouble.offset),
            field: trouble.and_then(|trouble| text(&trouble.field)),
            message: trouble.and_then(|trouble| text(&trouble.message)),
        }
    }
}

/// Writes one object per file.
#[derive(Default)]
pub(super) struct Json {
    lines: Lines,
}

impl Report for Json {
    fn row(&mut self, path: &Path, row: Option<&Row>, output: &mut Output) -> io::Result<()> {
        row.map_or(Ok(()), |row| self.lines.write(output, &Line::new(path, row)))
    }

    fn end(&mut self, _output: &mut Output) -> io::Result<()> {
        Ok(())
    }
}
