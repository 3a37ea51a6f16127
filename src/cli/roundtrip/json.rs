//! The contract for machines: one object per file.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::super::output::Output;
use super::super::verdict::{Row, Verdict};
use super::Report;

/// The name of the contract, in the first object.
const SCHEMA: &str = "bindpose/1";

/// One file in the machine output.
#[derive(Serialize, Deserialize)]
pub(super) struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<Cow<'a, str>>,
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
            schema: None,
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
    begun: bool,
}

impl Report for Json {
    fn row(&mut self, path: &Path, row: Option<&Row>, output: &mut Output) -> io::Result<()> {
        let Some(row) = row else { return Ok(()) };
        let mut line = Line::new(path, row);
        line.schema = (!self.begun).then_some(SCHEMA.into());
        self.begun = true;
        serde_json::to_writer(&mut *output, &line)?;
        writeln!(output)
    }

    fn end(&mut self, _output: &mut Output) -> io::Result<()> {
        Ok(())
    }
}
