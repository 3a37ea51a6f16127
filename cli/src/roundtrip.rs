//! `bindpose roundtrip`: decode, encode, compare.

use std::fs::File;

use super::config::Section;
use super::exit::guarded;
use super::many::{Many, Task};
use super::report::Subject;
use super::verdict::{Row, Verdict};
use crate::prelude::*;
use bindpose::codec::StreamVerifier;

/// Decode and re-encode files, and compare every byte
///
/// Files of unsupported formats in directories are skipped and counted. A file that re-encodes identically but cannot be decoded to
/// its end is damaged: the report has the offset, and the exit code is 1.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose roundtrip assets
  bindpose roundtrip --format json assets | jq -r 'select(.verdict != \"lossless\") | .path'
  bindpose roundtrip --as max-mesh head.mesh
  bindpose roundtrip assets --baseline known.jsonl --update-baseline
  bindpose roundtrip assets --baseline known.jsonl --report junit=report.xml
  bindpose roundtrip assets --partition hash:1/4 --report json=part1.jsonl")]
pub(super) struct Roundtrip {
    #[command(flatten)]
    many: Many,
}

impl Verb for Roundtrip {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let run = Run { project: self.many.project()?, allows_damage: self.many.report.allow_damaged };
        self.many.run(&run, self.many.inputs.list()?, output)
    }
}

struct Run {
    project: Vec<Section>,
    allows_damage: bool,
}

impl Task for Run {
    const SUBJECT: Subject = Subject::Roundtrip;

    fn judge(&self, bytes: &[u8], spec: FormatSpec, limits: Limits) -> Row {
        let options = spec.options(limits);
        let row = Row::judged(spec, bytes.len() as u64, spec.kind.roundtrip(bytes, &options));
        if matches!(row.verdict, Verdict::Damaged | Verdict::Undecodable) {
            return row.with_cause(spec.kind.repairs(bytes, &options));
        }
        row
    }

    fn allows_damage(&self, path: &Path) -> bool {
        let of_project = self.project.iter().rev().filter(|section| section.scope.contains(path));
        let mut of_project = of_project.filter_map(|section| section.roundtrip.allow_damaged);
        self.allows_damage || of_project.next().unwrap_or(false)
    }

    fn process_streaming(&self, file: &mut File, spec: FormatSpec, limits: Limits) -> Option<Row> {
        let len = file.metadata().ok()?.len();
        let mut pieces = StreamVerifier::new(file, StreamVerifier::SIZE).ok()?;
        let outcome =
            guarded(|| Ok(spec.kind.verify_stream(&mut pieces, &spec.options(limits)))).ok().flatten()?;
        Some(Row::judged(spec, len, outcome))
    }
}
